#!/usr/bin/env python3
"""Table and picture of scripts/demo, from the volumes and the table that examples/ResampleBrain.cxx wrote into its output folder.

usage: demo-figure.py OUTPUT-FOLDER

Writes table.md and brain.png there, prints the table, and exits with 1 where the largest difference from ITK is 1e-6 of the input's
range or more.
"""

import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import nibabel
import numpy

METHODS = (("nearest", "nearest neighbour"), ("linear", "linear"), ("bspline", "cubic B-spline"))
LIMIT = 1e-6  # of the input's range
ROTATION = "rotated by 10, -5 and 20 degrees about x, y and z"
SENSE = "A positive angle rotates the brain counter-clockwise as seen from the tip of an axis (x to the left, y to the back, z up)"


def load_slice(path, height):
    """The axial slice nearest to a height in mm, rows from posterior to anterior, and its extent in mm."""
    image = nibabel.as_closest_canonical(nibabel.load(path))
    affine = image.affine
    index = int(round((height - affine[2, 3]) / affine[2, 2]))
    pixels = numpy.asarray(image.dataobj[:, :, index]).T
    low = affine[:2, 3] - 0.5 * affine.diagonal()[:2]
    high = low + affine.diagonal()[:2] * (pixels.shape[1], pixels.shape[0])
    return pixels, (low[0], high[0], low[1], high[1])


def read_reports(folder):
    """The lines of comparison.csv by interpolation; "fraction" is the largest error as a part of the input's range."""
    with open(folder / "comparison.csv", encoding="utf-8", newline="") as file:
        reports = {line["interpolation"]: line for line in csv.DictReader(file)}
    for report in reports.values():
        for name in ("minimum", "maximum", "seconds", "itk_seconds", "largest", "rms", "percentile_99_9"):
            report[name] = float(report[name])
        report["fraction"] = report["largest"] / (report["maximum"] - report["minimum"])
    return reports


def table(reports):
    """The errors and times as Markdown."""
    lines = [
        "| interpolation | maximum error | RMS | 99.9th percentile | maximum / range | CudaSpline | ITK | ITK / CudaSpline |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, title in METHODS:
        report = reports[name]
        ours, theirs = report["seconds"], report["itk_seconds"]
        lines.append(
            f"| {title} | {report['largest']:.2e} | {report['rms']:.2e} | {report['percentile_99_9']:.2e} "
            f"| {report['fraction']:.2e} | {ours:.3f} s | {theirs:.3f} s | {theirs / ours:.1f} |"
        )
    return lines


def caption(reports):
    """What was computed, by whom."""
    report = reports["bspline"]
    who = f"{report['backend']} backend"
    if report["fallback"]:
        who += f" ({report['fallback']})"
    return [
        f"T1 brain {ROTATION}, and resampled to {report['size']} voxels of 0.8 mm, in float.",
        f"{SENSE}.",
        f"Computed by the {who}; compared with ITK {report['itk']} in double on the CPU. Errors in grey values; "
        f"the input's range is {report['minimum']:g} to {report['maximum']:g}.",
    ]


def draw(folder, reports):
    """Slices, a detail of each, and the differences from ITK; one colour bar a row, so that columns can be compared."""
    height = 12.0  # mm: ventricles and cortex
    detail = (38.0, 78.0, -20.0, 20.0)  # mm, left to right and low to high: cortex, skull and skin
    slices = {name: load_slice(folder / f"{name}.nii.gz", height) for name, _ in METHODS}
    differences = {name: load_slice(folder / f"{name}-difference.nii.gz", height)[0] for name, _ in METHODS}
    value_range = reports["bspline"]["maximum"] - reports["bspline"]["minimum"]
    unit = 1e-7 * value_range
    bound = max(float(numpy.abs(difference).max()) for difference in differences.values()) / unit
    brightest = float(numpy.percentile(slices["linear"][0], 99.5))  # fat in the skin is brighter than all else

    figure, axes = plt.subplots(
        3, 3, figsize=(11.0, 13.2), constrained_layout=True, gridspec_kw={"height_ratios": (1.2, 1.0, 1.2)}
    )
    for column, (name, title) in enumerate(METHODS):
        pixels, extent = slices[name]
        look = {"extent": extent, "origin": "lower", "interpolation": "none"}
        for row in range(2):
            shown = axes[row, column].imshow(pixels, cmap="gray", vmin=0, vmax=brightest, **look)
        axes[0, column].set_title(title)
        axes[0, column].add_patch(
            plt.Rectangle((detail[0], detail[2]), detail[1] - detail[0], detail[3] - detail[2], fill=False, edgecolor="tab:orange")
        )
        axes[1, column].set_title("detail (frame above)")
        axes[1, column].set_xlim(detail[:2])
        axes[1, column].set_ylim(detail[2:])
        seen = axes[2, column].imshow(
            differences[name] / unit, cmap="RdBu_r", vmin=-(bound or 1.0), vmax=bound or 1.0, **look
        )
        largest = reports[name]["fraction"]
        text = f"in the volume at most {largest:.1e} of the range" if largest > 0.0 else "0 in every voxel of the volume"
        axes[2, column].set_title(f"difference from ITK\n{text}", fontsize=10)
        for row in range(3):
            axes[row, column].set_xlabel("x / mm")
            axes[row, column].set_ylabel("y / mm" if column == 0 else "")
    for row in range(2):
        figure.colorbar(shown, ax=axes[row, :], shrink=0.9, aspect=30, extend="max", label="grey value")
    figure.colorbar(seen, ax=axes[2, :], shrink=0.9, aspect=30, label=f"difference / 1e-7 of the range ({value_range:g} grey values)")
    report = reports["bspline"]
    figure.suptitle(
        f"T1 brain {ROTATION}, 1 mm to 0.8 mm; axial slice at z = {height:g} mm\n"
        f"computed by the {report['backend']} backend\n{SENSE}",
        fontsize=10,
    )
    figure.savefig(folder / "brain.png", dpi=100)


def main():
    folder = pathlib.Path(sys.argv[1])
    reports = read_reports(folder)
    text = "\n".join(caption(reports) + [""] + table(reports)) + "\n"
    (folder / "table.md").write_text(text)
    print(f"\n{text}")
    draw(folder, reports)
    print(f"Volumes, table.md and brain.png are in {folder}")

    largest = max(report["fraction"] for report in reports.values())
    if not largest < LIMIT:
        sys.exit(f"demo: the largest difference from ITK is {largest:.2e} of the range; below {LIMIT:g} was expected.")
    print(f"Largest difference from ITK: {largest:.2e} of the range, below {LIMIT:g}.")


if __name__ == "__main__":
    main()
