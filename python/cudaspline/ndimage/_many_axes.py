"""Arrays of more axes than the kernels take, with orders 0 and 1: an interpolation along some axes,
of interpolations along the others.

A value is a sum over the samples of an axis, of its weight there times the value of the others.
Weights are those of the kernels, which interpolate a line that is 1 at one sample and 0 at all
others, so that modes and coordinates are theirs, too.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _library as _functions
from ._arguments import describe_interpolation
from ._array import NUMPY, TYPE_CODES

_DOUBLE = TYPE_CODES[np.dtype(np.float64)]


def is_needed(library: Any, order: int, *ranks: int) -> bool:
    """Whether there are too many axes for the kernels, and not for what is here: arrays of
    NumPy."""
    return max(ranks) > _functions.MAXIMUM_DIMENSION and order < 2 and library is NUMPY


def interpolate(
    array: Any, output: Any, coordinates: Any, order: int, mode: str, border: float, threads: int
) -> None:
    """Writes values at coordinates, (axes of the array, elements of the output), into an output of
    real numbers."""
    axes = np.argsort(array.shape, kind="stable")  # the shortest first: these are summed up over
    values = _values(
        array.transpose(axes), np.ascontiguousarray(coordinates[axes]), order, mode, border, threads
    )
    stored = np.empty(values.shape, output.dtype)
    _run(values, stored, 0, "nearest", 0.0, threads)
    output[...] = stored.reshape(output.shape)


def _run(
    array: Any,
    output: Any,
    order: int,
    mode: str,
    border: float,
    threads: int,
    coordinates: Any = None,
) -> None:
    """The kernels' interpolation in double, at coordinates or at the samples themselves."""
    if output.size == 0:
        return
    described = describe_interpolation(
        NUMPY, array, output, order=order, mode=mode, cval=border, prefilter=True, element=_DOUBLE
    )
    if coordinates is None:
        described.map = _functions.SHIFT_SCALE
        described.scale[:1] = [1.0]
    else:
        described.map = _functions.COORDINATES
        described.coordinates = coordinates.ctypes.data
        described.coordinate_type = _DOUBLE
        described.coordinate_stride = coordinates.shape[1]
    _functions.interpolate(described, threads)


def _values(
    array: Any, coordinates: Any, order: int, mode: str, border: float, threads: int
) -> Any:
    found = np.empty(coordinates.shape[1])
    if array.ndim <= _functions.MAXIMUM_DIMENSION:
        _run(array, found, order, mode, border, threads, coordinates)
        return found
    found[:] = 0.0
    rest = np.ones(
        found.shape
    )  # of the sum of weights: the weight of the outside, which has the border's value
    weights = np.empty(found.shape)
    for number, unit in enumerate(np.eye(array.shape[0])):
        _run(unit, weights, order, mode, 0.0, threads, coordinates[:1])
        there = np.flatnonzero(weights)
        found[there] += weights[there] * _values(
            array[number],
            np.ascontiguousarray(coordinates[1:, there]),
            order,
            mode,
            border,
            threads,
        )
        rest[there] -= weights[there]
    outside = rest > 2.0**-50  # else it is what roundings left
    found[outside] += rest[outside] * border
    return found


def indices_of(shape: Sequence[int]) -> Any:
    """Indices of all elements along each axis: (axes, elements), of double."""
    return np.indices(tuple(shape), np.float64).reshape(len(shape), -1)


def affine_coordinates(shape: Sequence[int], matrix: Any, offset: Sequence[float]) -> Any:
    """Matrix times index plus offset, summed up from the offset on, as the kernels do it."""
    found = np.repeat(np.asarray(offset, np.float64)[:, None], int(np.prod(shape)), axis=1)
    for column, index in zip(np.asarray(matrix).T, indices_of(shape)):
        found += column[:, None] * index
    return found


def axis_coordinates(
    shape: Sequence[int], scale: Sequence[float], shift: Sequence[float], map_kind: int
) -> Any:
    """Maps one axis, as the kernels' functions of these names."""
    found = indices_of(shape)
    if map_kind == _functions.PIXEL_SCALE:
        return (found + 0.5) * np.asarray(scale)[:, None] - 0.5
    return (found + np.asarray(shift)[:, None]) * np.asarray(scale)[:, None]
