"""python3 -m cudaspline: its commands, in processes of their own."""

import csv
import subprocess
import sys

import numpy
import pytest

import cudaspline

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from cudaspline.dask import _files  # noqa: E402

pytestmark = pytest.mark.package


def run(*arguments, code=0):
    """Runs a command on the host; its output."""
    done = subprocess.run(
        [sys.executable, "-m", "cudaspline", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    return done


def blob(shift):
    z, y, x = numpy.mgrid[:24, :28, :32]
    return 1000 * numpy.exp(-((x - 15 - shift) ** 2 / 60 + (y - 13) ** 2 / 40 + (z - 11) ** 2 / 50))


def test_stores_are_registered_and_resampled(tmp_path):
    pytest.importorskip("ngff_zarr", reason="ngff-zarr is not installed")
    zarr = pytest.importorskip("cudaspline.zarr")
    for name, shift in (("fixed", 0), ("moving", 2)):
        zarr.write(
            cudaspline.Image(blob(shift).astype("u2"), spacing=0.5),
            tmp_path / f"{name}.zarr",
            chunk=16,
        )
    fixed, moving, found = (tmp_path / f"{name}.zarr" for name in ("fixed", "moving", "found"))
    assert (
        "overlap"
        in run(
            "register", fixed, moving, "-o", found, "--stage", "translation", "--device", "cpu"
        ).stdout
    )
    run(
        "resample",
        moving,
        tmp_path / "out.zarr",
        "-t",
        found,
        "-r",
        fixed,
        "--order",
        3,
        "--memory-limit",
        "200M",
        "--device",
        "cpu",
        "--version",
        "0.4",
    )
    out = zarr.load(tmp_path / "out.zarr")
    wanted = cudaspline.resample(
        zarr.load(moving), zarr.read_transform(found), zarr.load(fixed), order=3, device="cpu"
    )
    assert numpy.array_equal(out.array, wanted.array) and numpy.abs(out.array - blob(0)).max() < 30
    done = run("resample", moving, tmp_path / "out.zarr", code=1)
    assert done.stderr == f"error: output: {tmp_path / 'out.zarr'} exists.\n"
    assert (
        "error: store: there is no"
        in run("resample", tmp_path / "none.zarr", tmp_path / "other.zarr", code=1).stderr
    )


def test_a_cohort_from_the_shell(tmp_path):
    for name, shift in (("fixed", 0), ("a", 1), ("b", 2)):
        _files.write_image(cudaspline.Image(blob(shift).astype("f4")), tmp_path / f"{name}.nii.gz")
    (tmp_path / "table.csv").write_text(
        "moving,output\na.nii.gz,out/a\nb.nii.gz,out/b\nc.nii.gz,out/c\n"
    )
    options = (
        "--fixed",
        tmp_path / "fixed.nii.gz",
        "--report",
        tmp_path / "report.csv",
        "--stage",
        "translation",
        "--workers",
        2,
        "--retries",
        0,
    )
    done = run("cohort", tmp_path / "table.csv", *options, code=1)
    assert (
        done.stdout.startswith("2 done, 0 done before, 1 failed\n")
        and "there is no file" in done.stdout
        and "3/3, 1 failed" in done.stderr
    )
    with open(tmp_path / "report.csv", newline="") as file:
        assert [row["status"] for row in csv.DictReader(file)] == ["done", "done", "failed"]
    bids = tmp_path / "bids" / "sub-1" / "anat"
    bids.mkdir(parents=True)
    (tmp_path / "a.nii.gz").rename(bids / "sub-1_T1w.nii.gz")
    done = run("cohort", tmp_path / "bids", "--output", tmp_path / "derivatives", *options)
    assert done.stdout == "1 done, 0 done before, 0 failed\n"
    assert (tmp_path / "derivatives" / "sub-1" / "anat" / "sub-1_T1w" / "warped.nii.gz").exists()


def test_a_template_from_the_shell(tmp_path):
    for name, shift in (("a", -1), ("b", 1)):
        _files.write_image(cudaspline.Image(blob(shift).astype("f4")), tmp_path / f"{name}.nii.gz")
    arguments = (
        tmp_path / "a.nii.gz",
        tmp_path / "b.nii.gz",
        "-o",
        tmp_path / "mean.nii.gz",
        "--rounds",
        0,
        "--device",
        "cpu",
    )
    assert "round 1, linear" in run("template", *arguments).stderr
    mean = _files.read_image(tmp_path / "mean.nii.gz").array
    assert numpy.unravel_index(mean.argmax(), mean.shape) == (11, 13, 15)
    assert "--output: " in run("template", *arguments, code=1).stderr


def test_help_and_unknown_commands():
    assert "resample" in run("--help").stdout
    assert "--memory-limit" in run("resample", "--help").stdout
    run("unknown", code=2)
