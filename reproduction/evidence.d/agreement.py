"""How close SyN of this module is to ITK's own: one program of ITK's classes, run as it is and with the factories, on the same files.

Both runs have the same classes, except those that the factories replace: metrics and registration. Pixels are floats, so the module computes in
single precision, where ITK computes in double.
"""

import os
import subprocess
import time

import nibabel
import numpy

from methods import LEVELS, LINEAR, RADIUS, linear_of, threaded

#: Of the distances between both (voxels).
QUANTILES = (0.5, 0.95, 0.99, 0.999)
MUST = 0.05  # voxels, of the 99th percentile


def run(images, name, folder, settings, factories=""):
    """One run: {"seconds", "linear": 4 x 4, "levels": [[value of each iteration] of each level], "field": file}.

    factories: what ITK_AUTOLOAD_PATH is; empty: ITK alone"""
    field = folder / f"{name}.nii"
    numbers = [",".join(map(str, counts)) for counts in (LINEAR, LEVELS["iterations"])]
    words = [*settings["itk"], *images, "--single", "--linear", numbers[0], "--iterations", numbers[1], "--radius", RADIUS, "--out", field]
    environment = {**threaded(settings), "ITK_AUTOLOAD_PATH": factories, "CUDASPLINE_THREADS": str(settings["threads"])}
    if settings["device"] != "auto":
        environment["CUDASPLINE_DEVICE"] = settings["device"]
    begin = time.monotonic()
    text = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, env=environment).stdout
    seconds = time.monotonic() - begin
    lines = [line.split() for line in text.splitlines()]
    # The first line of a level says that it begins.
    levels = [[float(line[2]) for line in lines if line[0] == "iteration" and int(line[1]) == level][1:] for level in range(len(LEVELS["iterations"]))]
    method = next(line for line in lines if line[0] == "end")[1]
    return {"seconds": seconds, "linear": linear_of(lines), "levels": levels, "field": field, "method": method}


def destinations(found, step):
    """Where every step-th voxel along each axis goes (mm): through the field, then the linear transform."""
    image = nibabel.load(found["field"])
    # Displacements of files are ITK's (LPS), one after the other, after an axis of length 1.
    vectors = numpy.asarray(image.dataobj[::step, ::step, ::step]).reshape(*[-(-count // step) for count in image.shape[:3]], 3)
    flip = numpy.diag([-1.0, -1.0, 1.0, 1.0])
    affine = flip @ image.affine
    index = numpy.stack(numpy.meshgrid(*[numpy.arange(0, count, step) for count in image.shape[:3]], indexing="ij"), axis=-1)
    places = index @ affine[:3, :3].T + affine[:3, 3] + vectors
    return places @ found["linear"][:3, :3].T + found["linear"][:3, 3], numpy.linalg.norm(affine[:3, :3], axis=0)


def distances(ours, other, mask, step):
    """Of the distances between where two runs send the voxels (voxels): {"everywhere" and "in the brain": {"mean", "p50", ..., "largest"}}."""
    (one, spacing), (two, _) = (destinations(found, step) for found in (ours, other))
    distance = numpy.linalg.norm((one - two) / spacing, axis=-1)
    told = {}
    for where, values in (("everywhere", distance.ravel()), ("in the brain", distance[mask[::step, ::step, ::step]])):
        told[where] = {"mean": float(values.mean()), **{f"p{100 * q:g}": float(numpy.quantile(values, q)) for q in QUANTILES}, "largest": float(values.max())}
    return told


def measure(images, mask, step, folder, settings, factories, say):
    """What both runs came to, and how far apart their transforms are.

    images: files of the fixed and the moving image; mask: of the fixed one's brain, (nx, ny, nz); step: every how many voxels they are compared"""
    ours = run(images, "module", folder, settings, os.pathsep.join(map(str, factories)))
    say(f"  module: {ours['seconds']:.3g} s, {ours['method']}")
    if not ours["method"].startswith("Cuda"):
        raise RuntimeError(f"the factories were not loaded: {ours['method']} would be compared with itself")
    itk = run(images, "itk", folder, settings)
    say(f"  ITK: {itk['seconds']:.3g} s, {itk['method']}")
    told = distances(ours, itk, mask, step)
    values = [[run["levels"][level][-1] for run in (ours, itk)] for level in range(len(itk["levels"]))]
    found = {
        "spacing": float(nibabel.load(images[0]).header.get_zooms()[0]), "size": [int(count) for count in mask.shape], "step": step, "methods": [ours["method"], itk["method"]],
        "seconds": [ours["seconds"], itk["seconds"]], "iterations": [[len(level) for level in run["levels"]] for run in (ours, itk)],
        "values": values, "distance": told, "must": MUST, "met": told["everywhere"]["p99"] <= MUST,
    }  # fmt: skip
    say(f"  99 % of all places are within {told['everywhere']['p99']:.3g} voxels, in the brain {told['in the brain']['p99']:.3g}")
    return found
