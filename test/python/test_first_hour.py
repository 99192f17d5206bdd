"""The commands of the page about the first hour, with a small image instead of the brain."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import numpy
import pytest

import cudaspline
from cudaspline.images._images import read_image
from register_support import PROGRAM, needs_program
from test_register_backends import write

PAGE = Path(__file__).resolve().parents[2] / "doc" / "FirstHour.md"
RESAMPLE = os.path.join(os.path.dirname(PROGRAM), "CudaSplineResample")
pytestmark = needs_program


def head():
    """An ellipsoid with structure, in voxels of 1 mm."""
    z, y, x = (axis - 20.0 for axis in numpy.mgrid[:40, :44, :48])
    texture = 100 + 40 * numpy.sin(0.4 * x + 0.2 * z) * numpy.cos(0.35 * y - 0.3 * z)
    values = numpy.where(x**2 / 260 + y**2 / 200 + z**2 / 170 < 1, texture, 0)
    return cudaspline.Image(values.astype("u1"), 1.0)


def test_commands_of_the_page(tmp_path):
    """They end as the page shows, and the mistake leaves the transform as it was."""
    if not PAGE.exists():
        pytest.skip("the package is tested without its pages")
    write(tmp_path / "ch2.mha", head())
    subprocess.run([RESAMPLE, tmp_path / "ch2.mha", tmp_path / "ch2.nii.gz"], check=True)
    found = re.findall(
        r"^    \$ (.*)\n((?:    (?!\$).*\n)*)", PAGE.read_text(encoding="utf-8"), re.M
    )
    assert len(found) == 5
    environment = {**os.environ, "CUDASPLINE_DEVICE": "cpu"}
    environment["PATH"] = os.pathsep.join([os.path.dirname(PROGRAM), environment["PATH"]])
    before = None
    for command, shown in found:
        done = subprocess.run(
            shlex.split(command), cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )  # fmt: skip
        if "error:" in shown:
            assert (done.returncode, done.stderr.strip()) == (2, shown.strip())
            assert (tmp_path / "rigid.tfm").read_bytes() == before
        else:
            assert done.returncode == 0, done.stderr
            heads = [
                line.split()[0] for line in shown.splitlines() if re.match(r"    [a-z]+  ", line)
            ]
            printed = [
                line.split()[0] for line in done.stderr.splitlines() if re.match(r"[a-z]+  ", line)
            ]
            assert printed == heads
        if (tmp_path / "rigid.tfm").exists() and before is None:
            before = (tmp_path / "rigid.tfm").read_bytes()
    again = read_image(tmp_path / "again.nii.gz", "again").array
    original = head().array.astype(float)
    assert numpy.corrcoef(again.ravel(), original.ravel())[0, 1] > 0.9
