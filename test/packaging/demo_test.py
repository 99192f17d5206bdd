#!/usr/bin/env python3
"""What scripts/demo runs, on a small volume: the example resamples and compares, the script draws and judges.

usage: demo_test.py RESAMPLE-BRAIN DEMO-FIGURE
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


def main():
    program, figure = sys.argv[1:]
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
