"""The examples of the pages about microscopes' images and cohorts, run in their order with small images."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import cudaspline

pytestmark = pytest.mark.package

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blob(shift, shape=(24, 28, 32)):
    """An ellipsoid with structure, which determines an affine map, moved along x."""
    z, y, x = numpy.mgrid[tuple(slice(n) for n in shape)]
    x = x - shift
    texture = 1 + 0.4 * numpy.sin(0.9 * x + 0.3 * z) * numpy.cos(0.7 * y - 0.5 * z)
    return (
        1000 * texture * numpy.exp(-((x - 15) ** 2 / 60 + (y - 13) ** 2 / 40 + (z - 11) ** 2 / 50))
    )


def run_page(name, folder):
    """Runs all blocks of a page; their number."""
    page = ROOT / "doc" / name
    if not page.exists():
        pytest.skip("the package is tested without its pages")
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    environment = dict(os.environ, CUDASPLINE_DEVICE="cpu")
    program = "import cudaspline\n"
    for language, text in blocks:
        if language == "python":
            (folder / "example.py").write_text(program + text)
            commands = [[sys.executable, "example.py"]]
        else:
            commands = [[sys.executable, *line.split()[1:]] for line in text.splitlines()]
            assert all(line.startswith("python3 -m cudaspline ") for line in text.splitlines())
        for command in commands:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert done.returncode == 0, f"{name}: {text}\n{done.stderr}"
    return len(blocks)


def test_microscopes(tmp_path):
    for library in ("ngff_zarr", "h5py"):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    import h5py

    import cudaspline.zarr

    for name, shift in (("fixed", 0), ("moving", 1)):
        cudaspline.zarr.write(cudaspline.Image(blob(shift).astype("u2")), tmp_path / f"{name}.zarr")
    with h5py.File(tmp_path / "brain.ims", "w") as file:
        file.create_dataset(
            "DataSet/ResolutionLevel 0/TimePoint 0/Channel 0/Data",
            data=blob(0).astype("u2"),
            chunks=(8, 8, 8),
        )
    assert run_page("Microscopes.md", tmp_path) == 3
    moved = cudaspline.zarr.load(tmp_path / "moved.zarr").array
    assert numpy.abs(moved - blob(0)).mean() < 0.25 * numpy.abs(blob(1) - blob(0)).mean()
    assert numpy.array_equal(
        cudaspline.zarr.load(tmp_path / "brain.zarr").array, blob(0).astype("u2")
    )


@pytest.mark.long
def test_cohorts(tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from cudaspline.dask import _files

    (tmp_path / "images").mkdir()
    for name, shift in (("template", 0), ("images/a", 1), ("images/b", 2)):
        _files.write_image(cudaspline.Image(blob(shift).astype("f4")), tmp_path / f"{name}.nii.gz")
    (tmp_path / "table.csv").write_text(
        "moving,output\nimages/a.nii.gz,out/a\nimages/b.nii.gz,out/b\n"
    )
    assert run_page("Cohorts.md", tmp_path) == 5
    assert (tmp_path / "report.csv").read_text().count("done before") == 2  # by the second example
    assert (tmp_path / "mean.nii.gz").exists() and (tmp_path / "rounds" / "round-02").is_dir()
