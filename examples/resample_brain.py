#!/usr/bin/env python3
"""Resamples a brain: turns and zooms a part of it, by linear and by cubic B-spline interpolation, and draws both.

usage: resample_brain.py [IMAGE [PICTURE]]

IMAGE is a NIfTI file of three axes (default: the brain of Debian's package mricron-data), PICTURE what is written (default:
resample_brain.png). Needs nibabel and matplotlib.
"""

import sys

import nibabel
import numpy

import cudaspline


def turned_part(brain, interpolation, millimetres=0.4, degrees=25.0):
    """A part of the brain's middle on a fine grid of its own, through a rotation about the part's middle.

    The transform maps points of the output to points of the input: the content is rotated by the negative angle.
    """
    # [resample]
    size = (160, 160, 1)
    middle = numpy.array([0.0, 15.0, 25.0])  # LPS: left, back and up from the front commissure (mm)
    c, s = numpy.cos(numpy.radians(degrees)), numpy.sin(numpy.radians(degrees))
    rotation = numpy.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    transform = numpy.hstack([rotation, (middle - rotation @ middle)[:, None]])
    return cudaspline.resample(
        brain,
        transform,
        size=size,
        spacing=(millimetres, millimetres, 1.0),
        origin=middle - 0.5 * millimetres * (numpy.array(size) - 1),
        direction=numpy.eye(3),
        interpolation=interpolation,
        dtype="float32",
    )
    # [resample]


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/mricron/templates/ch2.nii.gz"
    picture = sys.argv[2] if len(sys.argv) > 2 else "resample_brain.png"
    brain = nibabel.load(name)
    parts = {}
    for interpolation in ("linear", "bspline"):
        part = turned_part(brain, interpolation)
        report = cudaspline.last_report()
        print(f"{interpolation}: {part.shape} of {brain.shape} by {report.backend}{f' ({report.reason})' if report.reason else ''}")
        parts[interpolation] = numpy.asanyarray(part.dataobj)[:, :, 0].T

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    largest = max(image.max() for image in parts.values())
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 4), layout="constrained")
    axes[0].imshow(parts["linear"], cmap="gray", vmin=0, vmax=largest)
    axes[0].set_title("linear")
    axes[1].imshow(parts["bspline"], cmap="gray", vmin=0, vmax=largest)
    axes[1].set_title("cubic B-spline")
    difference = parts["bspline"] - parts["linear"]
    limit = numpy.abs(difference).max() / 2
    shown = axes[2].imshow(difference, cmap="RdBu_r", vmin=-limit, vmax=limit)
    axes[2].set_title("difference")
    figure.colorbar(shown, ax=axes[2], shrink=0.8)
    for axis in axes:
        axis.set_axis_off()
    figure.savefig(picture, dpi=60)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main()
