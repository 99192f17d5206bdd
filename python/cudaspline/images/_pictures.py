"""Images as notebooks show them: their middle slices in one small PNG."""

from __future__ import annotations

import base64
import html
from typing import Any

import numpy

from ..core import _arrays, _html
from ..core._geometry import Geometry
from ._pixels import Pixels

#: Pixels of the longest side of a slice.
_LONGEST = 192
#: Pixels between slices.
_GAP = 4
#: Quantiles of the values that are drawn in black and white, as in most viewers.
_QUANTILES = (0.01, 0.99)


def picture(pixels: Pixels) -> numpy.ndarray:
    """The middle slices of an image, side by side, as a PNG has them: across z, y and x, as a radiologist looks at them (what is right is on
    the left, what is in front or above is on top); of two axes the image itself, of a series its first volume."""
    found = [_slice(pixels, axes) for axes in ([(0, 1), (0, 2), (1, 2)] if pixels.geometry.dimension >= 3 else [(0, 1)])]
    values = numpy.concatenate([one.reshape(-1, *one.shape[2:]) for one in found])
    is_colour = found[0].ndim == 3 and pixels.dtype == "uint8"
    if not is_colour:
        finite = values[numpy.isfinite(values)]
        low, high = (float(value) for value in numpy.quantile(finite, _QUANTILES)) if finite.size else (0.0, 1.0)
        if not low < high and finite.size:  # of few values nearly all may be one
            low, high = float(finite.min()), float(finite.max())
        scale = 255.0 / (high - low) if low < high else 0.0
        found = [numpy.clip(numpy.nan_to_num((one - low) * scale, nan=0.0), 0, 255).astype(numpy.uint8) for one in found]
    height = max(one.shape[0] for one in found)
    width = sum(one.shape[1] for one in found) + _GAP * (len(found) - 1)
    made = numpy.zeros((height, width, *found[0].shape[2:]), numpy.uint8)
    left = 0
    for one in found:
        top = (height - one.shape[0]) // 2
        made[top : top + one.shape[0], left : left + one.shape[1]] = one
        left += one.shape[1] + _GAP
    return made


def _slice(pixels: Pixels, shown: tuple[int, int]) -> numpy.ndarray:
    """The middle slice whose columns go along the first of two axes of space, and its rows along the second, in square pixels.

    Axes of space are those of the image that are closest to them. Pixels with several numbers: three are colours, else their length is shown."""
    grid: Geometry = pixels.geometry
    space = min(grid.dimension, 3)
    order, signs = _axes_of_space(grid.direction[:space, :space])
    axes = [order[axis] for axis in shown]  # of the image, x first
    box: list[Any] = [(0, grid.size[axis]) if axis in axes else grid.size[axis] // 2 if axis < 3 else 0 for axis in range(grid.dimension)]
    buffer = pixels.read(tuple(box[::-1]))
    array = _arrays.to_host(buffer).reshape(buffer.shape)
    if axes[0] > axes[1]:  # rows are along the slower one
        array = array.swapaxes(0, 1)
    if pixels.channels:
        is_colour = pixels.components == 3 and pixels.dtype == "uint8"
        array = array if is_colour else numpy.sqrt((array.astype(numpy.float64) ** 2).sum(axis=-1))
    else:
        array = array.astype(numpy.float64)
    extents = [grid.size[axis] * grid.spacing[axis] for axis in axes]
    lengths = [max(1, round(_LONGEST * extent / max(extents))) for extent in extents]
    for number, (along, length) in enumerate(((1, lengths[0]), (0, lengths[1]))):
        index = ((numpy.arange(length) + 0.5) * array.shape[along] / length).astype(int)
        is_up = shown[number] == 2  # what is above is on top
        array = array.take(index if (signs[shown[number]] > 0) != is_up else index[::-1], axis=along)
    return array


def _axes_of_space(direction: numpy.ndarray) -> tuple[list[int], list[float]]:
    """For each axis of space the closest one of the image that is left, and whether it has the same direction."""
    order, signs = [], []
    left = list(range(len(direction)))
    for row in direction:
        axis = max(left, key=lambda one: abs(row[one]))  # noqa: B023
        left.remove(axis)
        order.append(axis)
        signs.append(1.0 if row[axis] >= 0 else -1.0)
    return order, signs


def of_pixels(pixels: Pixels, name: str) -> str:
    """HTML of an image: its slices, and what it is.

    name: what it is"""
    text = f"<code>{html.escape(name)}</code>"
    if pixels.geometry.dimension < 2:
        return text
    shown = picture(pixels)
    data = base64.b64encode(_html.png(shown)).decode("ascii")
    return f'<img src="data:image/png;base64,{data}" width="{shown.shape[1]}" height="{shown.shape[0]}" alt="slices of the image"/><br/>{text}'
