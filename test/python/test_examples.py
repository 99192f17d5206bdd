"""The example that registers by gradients, on small balls."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy
import pytest

pytest.importorskip("torch", minversion="2.5", reason="PyTorch 2.5 is not installed")
nibabel = pytest.importorskip("nibabel", reason="nibabel is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "register_by_gradients.py"


@pytest.fixture
def example():
    if not EXAMPLE.exists():
        pytest.skip("the package is tested without its examples")
    described = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def save_ball(name, middle, radius):
    places = numpy.stack(numpy.meshgrid(*[numpy.arange(24.0)] * 3, indexing="ij"), -1)
    distance = numpy.linalg.norm(places - middle, axis=-1)
    image = (100 + 20 * numpy.cos(distance)) / (1 + numpy.exp(2 * (distance - radius)))
    nibabel.save(
        nibabel.Nifti1Image(image.astype("float32"), numpy.diag([-1.0, -1.0, 1.0, 1.0])), name
    )


def test_two_images_become_alike_and_are_drawn(example, tmp_path, monkeypatch, capsys):
    fixed, moving, picture = (
        tmp_path / name for name in ("fixed.nii", "moving.nii", "picture.png")
    )
    save_ball(fixed, (12, 12, 12), 8)
    save_ball(moving, (12.5, 12, 11), 7.5)
    options = ["--spacing", "2", "--steps", "5", "--device", "cpu", "--picture", picture]
    monkeypatch.setattr(
        sys, "argv", [str(argument) for argument in (EXAMPLE, *options, fixed, moving)]
    )
    example.main()
    said = capsys.readouterr().out
    before, after = map(float, re.search(r"correlation (\S+) before, (\S+) after", said).groups())
    assert after > 0.5 * (1 + before), said
    assert "(12, 12, 12) samples on cpu" in said
    assert picture.stat().st_size > 1000


def test_the_brains_are_where_they_are_looked_for(example):
    if importlib.util.find_spec("nilearn") is None or not example.COLIN27.exists():
        pytest.skip("nilearn or Debian's mricron-data is not installed")
    assert all(name.exists() for name in example.default_brains())
