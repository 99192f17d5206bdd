"""The annotations of the code, which py.typed announces to type checkers."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cudaspline

pytest.importorskip("mypy")
pytestmark = pytest.mark.package

GOOD = """
from pathlib import Path
from typing import Any

import numpy
import cudaspline
from cudaspline import ndimage

image = cudaspline.Image(numpy.zeros((4, 5, 6), "f4"), spacing=(1, 2, 3))
source = cudaspline.Source(image, order=5, threads=2)
moved = cudaspline.resample(image, numpy.eye(4), order=3, boundary=("mirror", "reflect", "mirror"), progress=print)
series = cudaspline.resample(image, ["warp.nii.gz", ("affine.mat", "inverse")], transform_order="ants", series=False, smooth="auto")
labels = cudaspline.resample(image, interpolation="label-linear", smooth=None)
inverses: tuple[cudaspline.InverseResidual, ...] = report.inverses if (report := cudaspline.last_report()) else ()
warned: type[Warning] = cudaspline.DownsamplingWarning
method = cudaspline.Method(order=3, boundary=("mirror", "reflect", "mirror"))
of_method: cudaspline.Image = cudaspline.resample(image, None, cudaspline.Target(spacing=1), method=method)
finer = cudaspline.zoom(image, 2, interpolation="catmull-rom")
smoother = cudaspline.zoom(image, 2, interpolation="mitchell")
values, gradients = cudaspline.sample(source, [[1.0, 2.0, 3.0]], gradient=True)
coefficients = cudaspline.prefilter(image, 5, axis=-1)
size: tuple[int, ...] = image.geometry.size
report = cudaspline.last_report()
backend: str = report.backend if report is not None else ""
of_arrays: numpy.ndarray[Any, Any] = cudaspline.resample(numpy.eye(4), rounding="nearest")
of_images: cudaspline.Image = cudaspline.zoom(moved, 0.5, order=1)
found = cudaspline.register(image, image, ["rigid", cudaspline.Stage("syn", iterations=(20, 10))], metric="cc", progress=True, mask=image)
channels = cudaspline.register(image, moved, "syn", also=[(image, moved)], metric=[("cc", 0.7), "mattes"], bins=32)
there: numpy.ndarray[Any, Any] = (found.transform @ cudaspline.Transform(None, 3)).inverse().apply([[1.0, 2.0, 3.0]])
folded: int = found.folding.voxels
field: cudaspline.Image = found.field
values_of: float = found.history[-1].value
at_points: numpy.ndarray[Any, Any] = cudaspline.sample(numpy.eye(4), [[1.0, 2.0]], order=1, coordinates="index")
both: tuple[Any, Any] = cudaspline.sample(numpy.eye(4), [[1.0, 2.0]], gradient=True)
again = source.sample([[1.0, 2.0, 3.0]], gradient=True, coordinates="index"), source.zoom(2, align="centers"), source.resample(None, image, size=(3, 3, 3))
turned: numpy.ndarray[Any, Any] = ndimage.rotate(numpy.eye(4), 30.0, order=1, precision="double")
named: numpy.ndarray[Any, Any] = ndimage.shift(input=numpy.eye(4), shift=1, threads=2)
laid: cudaspline.Image = found.warped
back: cudaspline.Image = found.inverse_warped
spread: cudaspline.Image = found.jacobian(log=True)
of_register: numpy.ndarray[Any, Any] = cudaspline.register(numpy.eye(9), numpy.eye(9), "rigid").warped
corrected: cudaspline.Image = cudaspline.register_series(image, image).warped
of_file = cudaspline.resample("t1.nii.gz", spacing=1.0, channels="last"), cudaspline.zoom(Path("t1.nii.gz"), 2), cudaspline.register("a.nii", "b.nii").warped
grid = cudaspline.Geometry((5, 4), (1, 2), [0, 0], [[1, 0], [0, 1]])
planes: cudaspline.Image = cudaspline.zoom(cudaspline.Image(numpy.zeros((3, 4, 5)), channels="first"), 2)
also_zoomed: numpy.ndarray[Any, Any] = cudaspline.ndimage.zoom(numpy.eye(4), 2)
listed = ndimage.zoom([[1.0, 2.0], [3.0, 4.0]], 2)
with cudaspline.use_threads(2):
    filtered: numpy.ndarray[Any, Any] = ndimage.spline_filter(numpy.eye(4), order=5)
"""

#: With PyTorch.
GOOD_TORCH = """
import torch
import cudaspline.torch as spline

tensor = torch.zeros(4, 5)
of_tensors: torch.Tensor = ndimage.affine_transform(tensor, numpy.eye(2), order=1, mode="mirror")
at_places: torch.Tensor = spline.sample(tensor, torch.zeros(3, 2), mode="reflect", convention="grid_sample", align_corners=True)
warped: torch.Tensor = spline.warp(tensor, spline.invert(spline.exp(torch.zeros(4, 5, 2), steps=3)), order=1)
loss: torch.Tensor = spline.local_correlation(tensor[None, None], warped[None, None], radius=(2, 1), threads=2) + spline.bending(torch.zeros(4, 5, 2))
"""
BAD_TORCH = (
    ("ndimage.shift(tensor, 1).nothing", "union-attr"),
    ("spline.sample(tensor, [[1.0, 2.0]])", "arg-type"),
    ("spline.sample(tensor, tensor, odrer=1)", "call-arg"),
    ('spline.sample(tensor, tensor, mode="periodic")', "arg-type"),
    ('spline.sample(tensor, tensor, convention="pixels")', "arg-type"),
    ('spline.warp(tensor, tensor, order="three")', "arg-type"),
    ("spline.warp(tensor, tensor, True)", "call-arg"),
    ('spline.warp(tensor, tensor, threads="all")', "arg-type"),
    ("spline.affine(tensor, numpy.eye(2))", "arg-type"),
    ("spline.resample(tensor, source=3)", "arg-type"),
    ('spline.push(tensor, tensor, (4, 5), mode="zero")', "arg-type"),
    ("spline.count(tensor, shape=4)", "arg-type"),
    ('spline.prefilter(tensor, mode="mirrored")', "arg-type"),
    ("spline.invert(tensor, tolerence=1e-3)", "call-arg"),
    ('spline.exp(tensor, steps="few")', "arg-type"),
    ("spline.local_correlation(tensor)", "call-arg"),
    ("spline.mutual_information(tensor, tensor, bins=32.5)", "arg-type"),
    ("spline.nothing", "attr-defined"),
    ("whole: int = spline.count(tensor)", "assignment"),
)

#: A line each, and what is wrong in it.
BAD = (
    ('cudaspline.resample(image, order="three")', "arg-type"),
    ("cudaspline.resample(image, odrer=3)", "call-arg"),
    ('cudaspline.Method(order="three")', "arg-type"),
    ("cudaspline.Target(spacings=1)", "call-arg"),
    ("cudaspline.resample(image, method=3)", "arg-type"),
    ("method.order = 5", "misc"),  # it is frozen
    ('cudaspline.resample(image, smooth="none")', "arg-type"),
    ('cudaspline.resample(image, transform_order="fsl")', "arg-type"),
    ('cudaspline.resample(image, interpolation="liner")', "arg-type"),
    ("cudaspline.zoom()", "call-arg"),
    ("cudaspline.zoom(image, 2, aling=1)", "call-arg"),
    ("cudaspline.sample(source, [[1.0]], odrer=3)", "call-arg"),
    ('cudaspline.sample(numpy.eye(4), [[1.0]], coordinates="indices")', "arg-type"),
    ("source.resample(None, image, odrer=3)", "call-arg"),
    ("source.zoom(2, aling=1)", "call-arg"),
    ("source.sample([[1.0]], gradeint=True)", "call-arg"),
    ('source.sample([[1.0]], coordinates="indices")', "arg-type"),
    ("cudaspline.Source(image, odrer=3)", "call-arg"),
    ("ndimage.rotate(numpy.eye(4), 30.0, reshaped=False)", "call-arg"),
    ('ndimage.spline_filter(numpy.eye(4), mode="periodic")', "arg-type"),
    ('ndimage.shift(numpy.eye(4), 1, mode="periodic")', "arg-type"),
    ("ndimage.zoom(numpy.eye(4))", "call-arg"),
    ('ndimage.zoom(numpy.eye(4), 2, precision="half")', "arg-type"),
    ("mapped: int = ndimage.map_coordinates(numpy.eye(4), [[0.5], [0.5]])", "arg-type"),
    ('cudaspline.use_threads("all")', "arg-type"),
    ("resampled: int = cudaspline.resample(image)", "arg-type"),
    ("cudaspline.prefilter(image, axis=1.5)", "arg-type"),
    ("image.spacing = 3", "misc"),  # it is frozen
    ("cudaspline.last_report().backend", "union-attr"),
    ('cudaspline.Source(image, threads="all")', "arg-type"),
    ("cudaspline.nothing", "attr-defined"),
    ('ndimage.shift(image, 1, order="1")', "arg-type"),
    ("moved.nothing", "union-attr"),
    ("cudaspline.register(image, image).warped.nothing", "union-attr"),
    ("found.jacobian(log=1)", "arg-type"),
    ("shape: int = found.inverse_warped", "assignment"),
    ('cudaspline.resample(image, channels="middle")', "arg-type"),
    ("cudaspline.Geometry((5, 4), 2, 0, 1, 3)", "call-arg"),
    ("cudaspline.ndimage.nothing", "attr-defined"),
    ("cudaspline.register(image, image, odrer=3)", "call-arg"),
    ('cudaspline.register(image, image, preset="best")', "arg-type"),
    ('cudaspline.register(image, image, metric="ssd")', "arg-type"),
    ('cudaspline.register(image, image, sampling="some")', "arg-type"),
    ('cudaspline.register(image, image, metric=["cc", "ssd"])', "list-item"),
    ("cudaspline.register(image, image, also=[image])", "list-item"),
)


def check(folder, text):
    """What mypy says of a program, strictly."""
    path = folder / "program.py"
    path.write_text(text)
    environment = dict(os.environ, MYPYPATH=str(Path(cudaspline.__file__).parents[1]))
    if "site-packages" in environment["MYPYPATH"]:
        del environment["MYPYPATH"]  # an installed package is found by py.typed
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={folder / 'cache'}",
        str(path),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=folder
    )
    return done.returncode, done.stdout + done.stderr


def test_programs_are_checked(tmp_path):
    good, bad = (
        (GOOD, BAD)
        if importlib.util.find_spec("torch") is None
        else (GOOD + GOOD_TORCH, BAD + BAD_TORCH)
    )
    code, said = check(tmp_path, good + "".join(f"{line}\n" for line, _ in bad))
    first = good.count("\n") + 1
    for number, (line, kind) in enumerate(bad, first):
        assert any(
            f"program.py:{number}:" in found and f"[{kind}]" in found for found in said.splitlines()
        ), f"{line}: {said}"
    lines = {found.split(":")[1] for found in said.splitlines() if ": error:" in found}
    assert (
        max(map(len, said.splitlines())) < 1000 and "overload" not in said
    )  # no list of all keywords with all their values
    assert code == 1 and lines == {str(number) for number in range(first, first + len(bad))}, said


def test_the_package_says_that_it_is_typed():
    assert (Path(cudaspline.__file__).parent / "py.typed").exists()
