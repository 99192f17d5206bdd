"""Registrations with large displacements by other software, on the processor: ConvexAdam of PyPI, and deeds of github.com/mattiaspaul/deedsBCV.

The folder of deeds' programs deedsBCV and applyBCVfloat (its `make deeds applyFloat`) is in the variable DEEDS. Both begin with the identity and have
their own defaults. They know voxels alone: images have the same size and the same spacing along all axes.
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


def register(name, pair, threads):
    """(transform, seconds) by one of the functions above."""
    values = [numpy.asarray(image.array, dtype=numpy.float32) for image in (pair.fixed, pair.moving)]
    displacements, seconds = {"convexadam": convex_adam, "deeds": deeds}[name](*values, threads)
    return transform_of(pair.fixed, displacements), seconds
