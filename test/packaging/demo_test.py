#!/usr/bin/env python3
"""What scripts/demo runs, on a small volume: the example resamples and compares, the script draws and judges.

usage: demo_test.py RESAMPLE-BRAIN DEMO-FIGURE [CUDASPLINE-RESAMPLE]
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

try:
    import matplotlib  # noqa: F401: the script's
    import nibabel
    import numpy
except ImportError as error:
    print(f"Skipped: {error}")
    sys.exit(77)

HEIGHT = 12.0  # mm, of the slice that is drawn
ANGLES = (10.0, -5.0, 20.0)  # degrees about x, then y, then z


def rotation_about(axis, degrees):
    """The right-handed rotation about an axis: counter-clockwise as seen from its tip."""
    c, s = numpy.cos(numpy.radians(degrees)), numpy.sin(numpy.radians(degrees))
    matrix = numpy.eye(3)
    matrix[numpy.ix_([(axis + 1) % 3, (axis + 2) % 3], [(axis + 1) % 3, (axis + 2) % 3])] = [[c, -s], [s, c]]
    return matrix


def place(image):
    """Where the content of an image is: its centre of gravity in ITK's space (mm: to the left, to the back, up)."""
    pixels = numpy.asarray(image.dataobj, dtype=float)
    index = [float((pixels * grid).sum() / pixels.sum()) for grid in numpy.indices(pixels.shape)]
    return numpy.array([-1.0, -1.0, 1.0]) * nibabel.affines.apply_affine(image.affine, index)


def check_rotation(program, resample, folder):
    """The example moves a spot as its angles say, and as CudaSplineResample --rotate moves it."""
    shape = numpy.array([41, 45, 37])
    affine = numpy.diag([1.0, 1.2, 0.9, 1.0])
    affine[:3, 3] = (-15.0, 7.0, -30.0)
    centre = numpy.array([-1.0, -1.0, 1.0]) * nibabel.affines.apply_affine(affine, (shape - 1) / 2)
    rotation = rotation_about(2, ANGLES[2]) @ rotation_about(1, ANGLES[1]) @ rotation_about(0, ANGLES[0])
    for offset in ((9, 0, 0), (0, -10, 0), (0, 0, 8), (6, 7, -5)):
        index = (shape - 1) // 2 + offset
        pixels = numpy.exp(-((numpy.indices(shape) - index.reshape(3, 1, 1, 1)) ** 2).sum(axis=0) / 8.0).astype("float32")
        nibabel.save(nibabel.Nifti1Image(pixels, affine), folder / "spot.nii.gz")
        subprocess.run([program, str(folder / "spot.nii.gz"), str(folder)], check=True)
        before = place(nibabel.load(folder / "spot.nii.gz"))
        expected = centre + rotation @ (before - centre)
        made = nibabel.load(folder / "linear.nii.gz")
        assert numpy.abs(place(made) - expected).max() < 0.05, (offset, place(made), expected)
        if resample is not None:
            command = [resample, str(folder / "spot.nii.gz"), str(folder / "rotated.nii.gz"), "--reference", str(folder / "linear.nii.gz")]
            subprocess.run([*command, "--rotate", ",".join(str(angle) for angle in ANGLES), "--interpolation", "linear"], check=True)
            both = [numpy.asarray(image.dataobj, dtype=float) for image in (made, nibabel.load(folder / "rotated.nii.gz"))]
            assert numpy.abs(both[0] - both[1]).max() < 1e-5, offset


def main():
    program, figure, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check_rotation(program, rest[0] if rest else None, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        seed = int.from_bytes(numpy.random.bytes(4), "little")
        print(f"seed {seed}")
        pixels = numpy.random.default_rng(seed).integers(0, 255, (24, 22, 20), dtype="uint8")
        affine = numpy.diag([1.0, 1.0, 1.0, 1.0])
        affine[:3, 3] = (-12.0, -11.0, HEIGHT - 10.0)
        nibabel.save(nibabel.Nifti1Image(pixels, affine), folder / "brain.nii.gz")

        subprocess.run([program, str(folder / "brain.nii.gz"), str(folder)], check=True)
        with open(folder / "comparison.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        assert [line["interpolation"] for line in lines] == ["nearest", "linear", "bspline"], lines
        for line in lines:
            assert line["backend"] in ("Cpu", "Cuda"), line  # ITK would be compared with itself
            assert line["size"] == "30 x 28 x 25", line
            values = numpy.asarray(nibabel.load(folder / f"{line['interpolation']}.nii.gz").dataobj)
            assert values.shape == (30, 28, 25) and values.std() > 20, line
            differences = numpy.abs(numpy.asarray(nibabel.load(folder / f"{line['interpolation']}-difference.nii.gz").dataobj))
            assert numpy.isclose(differences.max(), float(line["largest"]), rtol=1e-4), line

        command = [sys.executable, "-B", figure, str(folder)]
        subprocess.run(command, check=True)
        assert (folder / "brain.png").stat().st_size > 20000
        assert "cubic B-spline" in (folder / "table.md").read_text()

        # An error of one part in 1e5 is not accepted.
        text = (folder / "comparison.csv").read_text().replace(lines[2]["largest"], "0.003")
        (folder / "comparison.csv").write_text(text)
        refused = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
        assert refused.returncode == 1 and "below 1e-06 was expected" in refused.stderr, refused
    return 0


if __name__ == "__main__":
    sys.exit(main())
