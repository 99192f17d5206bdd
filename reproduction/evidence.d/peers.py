"""Registrations with large displacements by other software, on the processor: ConvexAdam and picsl-greedy of PyPI, and deeds of github.com/mattiaspaul/deedsBCV.

The folder of deeds' programs deedsBCV and applyBCVfloat (its `make deeds applyFloat`) is in the variable DEEDS. All begin with the identity. ConvexAdam and
deeds have their own defaults and use voxels alone: images must have the same size, and spacings along the axes are ignored. picsl-greedy compares
windows of radius 2 at 100, 100 and 50 iterations.
"""

import os
import pathlib
import subprocess
import tempfile
import time

import numpy

import cudaspline
import pairs


def transform_of(image, displacements):
    """The transform of displacements in voxels, x first, (nz, ny, nx, 3)."""
    grid = image.geometry
    return cudaspline.Transform([pairs.displacement(grid, displacements @ grid.index_to_point.T)], 3)


def convex_adam(fixed, moving, threads):
    """Displacements in voxels, x first, and seconds."""
    import torch
    from convexAdam.convex_adam_MIND import convex_adam_pt

    torch.set_num_threads(threads or os.cpu_count())
    begin = time.monotonic()
    found = convex_adam_pt(img_fixed=fixed, img_moving=moving, device=torch.device("cpu"))
    return numpy.asarray(found)[..., ::-1], time.monotonic() - begin


def deeds(fixed, moving, threads):
    """Displacements in voxels, x first, and seconds, files included. The field is what it makes of images of the indices."""
    import nibabel

    programs = pathlib.Path(os.environ["DEEDS"])
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads or os.cpu_count())}

    def call(program, *words):
        subprocess.run([programs / program, *words], check=True, capture_output=True, env=environment)

    with tempfile.TemporaryDirectory() as folder:
        names = {name: f"{folder}/{name}.nii.gz" for name in ("fixed", "moving", "index", "moved")}

        def write(name, array):
            nibabel.save(nibabel.Nifti1Image(array.T.astype(numpy.float32), numpy.eye(4)), names[name])

        write("fixed", fixed)
        write("moving", moving)
        begin = time.monotonic()
        call("deedsBCV", "-F", names["fixed"], "-M", names["moving"], "-O", f"{folder}/found")
        seconds = time.monotonic() - begin
        parts = []
        for index in numpy.indices(fixed.shape)[::-1]:
            write("index", index)
            call("applyBCVfloat", "-M", names["index"], "-O", f"{folder}/found", "-D", names["moved"])
            parts.append(numpy.asarray(nibabel.load(names["moved"]).dataobj).T - index)
    return numpy.stack(parts, axis=-1), seconds


def picsl(pair, threads):
    """(transform, seconds), files included."""
    from picsl_greedy import Greedy3D

    import images
    import methods

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # its words are separated by spaces, which the names of folders may have
        try:
            for name in ("fixed", "moving"):
                images.write(getattr(pair, name), f"{name}.nii")
            begin = time.monotonic()
            with methods.Captured(os.devnull):
                Greedy3D().execute(f"-d 3 -threads {threads or os.cpu_count()} -i fixed.nii moving.nii -m NCC 2x2x2 -n 100x100x50 -o warp.nii.gz")
            seconds = time.monotonic() - begin
            field = cudaspline.Transform([f"{folder}/warp.nii.gz"], 3).field(pair.fixed.geometry)
        finally:
            os.chdir(before)
    return cudaspline.Transform([field], 3), seconds


def register(name, pair, threads):
    """(transform, seconds) by one of the functions above."""
    if name == "picsl":
        return picsl(pair, threads)
    values = [numpy.asarray(image.array, dtype=numpy.float32) for image in (pair.fixed, pair.moving)]
    displacements, seconds = {"convexadam": convex_adam, "deeds": deeds}[name](*values, threads)
    return transform_of(pair.fixed, displacements), seconds
