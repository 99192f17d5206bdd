"""Images that continue by their nearest sample before they are filtered for B-splines of orders 2 to
5, as SciPy has them: with a margin of repeated samples."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Optional, Sequence

import numpy

from ..core import _arrays
from ..core._geometry import Geometry, make_geometry
from ..images._pixels import Box, Pixels, slices_of
from ..transforms import _stages

#: Repeated samples beyond an end, at the least: as many as SciPy has.
MARGIN = 12


def margins(
    geometry: Geometry, grid: Geometry, every_stages: Sequence[_stages.Stages]
) -> tuple[int, ...]:
    """Samples, x first, by which an image is continued at either end so that it is constant
    wherever an output reads it: what is reflected at the end of a margin is the margin, as far as
    all but 12 samples of it. Raises ValueError, naming the argument, where that is too far."""
    found = []
    for stages in every_stages:
        low, high = stages.bounds_of(grid)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        index, reach = (
            geometry.point_to_index @ (middle - geometry.origin),
            numpy.abs(geometry.point_to_index) @ half,
        )
        found.append(numpy.maximum(reach - index, index + reach - numpy.array(geometry.size) + 1))
    outside = numpy.maximum(numpy.max(found, axis=0), 0.0)
    if not numpy.all(outside <= 2 * numpy.array(geometry.size) + MARGIN):
        raise ValueError(
            f"boundary: the output reaches up to {outside.max():.6g} samples beyond the image; 'nearest' with B-splines of orders 2 to 5 supports at "
            f"most twice the size of the image, {tuple(2 * n for n in geometry.size)}."
        )
    return tuple(int(math.ceil(max(MARGIN, 0.5 * (one + MARGIN) + 1))) for one in outside)


def check_reach(
    geometry: Geometry, grid: Geometry, stages: _stages.Stages, margin: Sequence[int]
) -> None:
    """Raises ValueError, naming the argument, where an output needs more than a margin."""
    needed = margins(geometry, grid, [stages])
    if any(one > there for one, there in zip(needed, margin)):
        raise ValueError(
            f"boundary: the output reaches more than {MARGIN - 2} samples beyond the image, which a Source with 'nearest' and B-splines of orders 2 to 5 "
            "does not support; pass the image itself."
        )


def extended(geometry: Geometry, margin: Sequence[int]) -> Geometry:
    """The geometry of an image with a margin. margin: samples, x first."""
    return make_geometry(
        [n + 2 * one for n, one in zip(geometry.size, margin)],
        geometry.spacing,
        geometry.point_of([-float(one) for one in margin]),
        geometry.direction,
    )


def with_margin(pixels: Pixels, margin: Sequence[int]) -> Pixels:
    """An image whose outermost samples are repeated beyond its ends, where it is.

    margin: samples, x first"""

    def read(box: Optional[Box]) -> _arrays.Buffer:
        padded = _arrays.repeat_ends(pixels.buffer, margin[::-1])
        return padded if box is None else _arrays.viewed_like(padded.array[slices_of(box)], padded)

    return replace(pixels, read=read, geometry=extended(pixels.geometry, margin), window=None)


def within_margin(points: _arrays.Buffer, geometry: Geometry, is_physical: bool) -> _arrays.Buffer:
    """Points of which those beyond the margin of an image are moved to its end, where the values
    are the same.

    geometry: of the image without its margin"""
    functions = _arrays.functions_of(points)

    def constant(values: Any) -> Any:
        array = numpy.array(values, points.dtype)
        return array if functions is numpy else _arrays.on_device(array, points)

    with _arrays.current_device(points):
        given = points.array.reshape(points.shape)
        last = numpy.array(geometry.size, numpy.float64) - 1.0
        index = given
        if is_physical:
            index = (given - constant(geometry.origin)) @ constant(geometry.point_to_index.T)
        inside = functions.clip(
            index, constant(numpy.full(len(last), -MARGIN)), constant(last + MARGIN)
        )
        is_moved = (inside != index) & (index == index)
        if is_physical:
            inside = inside @ constant(geometry.index_to_point.T) + constant(geometry.origin)
            is_moved = is_moved.any(-1)[..., None]
        return _arrays.viewed_like(functions.where(is_moved, inside, given), points)
