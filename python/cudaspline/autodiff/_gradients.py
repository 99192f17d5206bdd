"""Derivatives of splines at points and their adjoints, by address: the common code of
cudaspline.torch and cudaspline.jax.

The structure is that of include/itkCudaSpline/c/CudaSplineGradientsC.h, which documents it. Nothing
here knows an array's library.
"""

from __future__ import annotations

import ctypes
import functools
import math
from ctypes import POINTER, c_double, c_int32, c_int64, c_void_p
from typing import Any, NamedTuple, Sequence

from ..core import _library
from ..core._checks import LARGEST_INT64, integer
from ..core._geometry import Geometry
from ..ndimage import _library as _arrays

MAXIMUM_DIMENSION = 3

#: Most derivatives of the values at points that an operation takes.
MAX_DERIVATIVES = 2

#: Samples on either side by which images of some modes are extended before they are filtered, as by
#: SciPy.
PADDING = 12

#: Modes for points outside, with the names of scipy.ndimage.
MODES = _arrays.MODES


class SplinePoints(ctypes.Structure):
    """cudaspline_spline_points."""

    _fields_ = [
        ("dimension", c_int32),
        ("size", c_int64 * MAXIMUM_DIMENSION),
        ("batches", c_int64),
        ("channels", c_int64),
        ("count", c_int64),
        ("order", c_int32),
        ("mode", c_int32),
        ("border", c_double),
        ("element", c_int32),
        ("derivatives", c_int32),
        ("points", c_void_p),
        ("point_stride", c_int64),
        ("coefficients", c_void_p),
        ("coefficient_stride", c_int64),
        ("weights", c_void_p),
        ("result", c_void_p),
        ("device", c_int32),
        ("stream", c_void_p),
    ]


_FUNCTIONS = {
    "cudaspline_evaluate_derivatives": SplinePoints,
    "cudaspline_contract_derivatives": SplinePoints,
    "cudaspline_scatter_derivatives": SplinePoints,
    "cudaspline_filter_array": _arrays.Filter,
    "cudaspline_filter_array_adjoint": _arrays.Filter,
}
for _name, _structure in _FUNCTIONS.items():
    _function = getattr(_library._library, _name)
    _function.restype = c_int32
    _function.argtypes = [POINTER(_structure), POINTER(_library.Execution)]


class Spline(NamedTuple):
    """Which spline it is, and what stands outside."""

    order: int
    mode: int
    border: float
    #: Number of host threads; 0: as for other calls.
    threads: int = 0


class Place(NamedTuple):
    """The location of arrays: the number of a CUDA device with its stream, or -1."""

    device: int
    stream: int


@functools.lru_cache(maxsize=256)
def structure_of_points(
    order: int,
    mode: int,
    derivatives: int,
    dtype: str,
    size: tuple[int, ...],
    counts: tuple[int, int, int],
    point_stride: int,
    coefficient_stride: int,
) -> SplinePoints:
    """The structure that repeated calls share: everything except the border, addresses and
    location.

    counts: batches, channels and points of each image"""
    described = SplinePoints()
    described.dimension = len(size)
    described.size[: len(size)] = size
    described.batches, described.channels, described.count = counts
    described.order, described.mode = order, mode
    described.element = _library.TYPES[dtype]
    described.derivatives = derivatives
    described.point_stride, described.coefficient_stride = point_stride, coefficient_stride
    return described


def call_at_points(
    name: str,
    structure: SplinePoints,
    border: float,
    place: Place,
    points: int,
    coefficients: int,
    weights: int,
    result: int,
    threads: int = 0,
) -> None:
    """Calls one of the functions at points, with addresses; raises its errors.

    name: "cudaspline_evaluate_derivatives", or that of contract or scatter"""
    described = SplinePoints.from_buffer_copy(structure)
    described.border = border
    described.points = points
    described.coefficients = coefficients
    described.weights = weights
    described.result = result
    described.device, described.stream = place
    _library.run_where(name, described, threads)


def run_points(
    name: str,
    spline: Spline,
    *,
    derivatives: int,
    dtype: str,
    place: Place,
    size: Sequence[int],
    counts: tuple[int, int, int],
    points: tuple[int, int],
    coefficients: tuple[int, int],
    weights: int,
    result: int,
) -> None:
    """Calls one of the functions at points; raises its errors.

    name: "evaluate", "contract" or "scatter"
    counts: batches, channels and points of each image
    points, coefficients: address, and elements to the next image's"""
    structure = structure_of_points(
        spline.order,
        spline.mode,
        derivatives,
        dtype=dtype,
        size=tuple(size),
        counts=counts,
        point_stride=points[1],
        coefficient_stride=coefficients[1],
    )
    function = f"cudaspline_{name}_derivatives"
    call_at_points(
        function,
        structure,
        spline.border,
        place=place,
        points=points[0],
        coefficients=coefficients[0],
        weights=weights,
        result=result,
        threads=spline.threads,
    )


@functools.lru_cache(maxsize=256)
def structure_of_filter(
    order: int, mode: int, dtype: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> _arrays.Filter:
    """The structure that repeated calls share: everything except addresses and location."""
    described = _arrays.Filter()
    for array in (described.input, described.output):
        array.type = _library.TYPES[dtype]
        array.dimension = len(shape)
        step = 1
        for axis in reversed(range(len(shape))):
            array.size[axis], array.stride[axis] = shape[axis], step
            step *= shape[axis]
    described.order, described.mode = order, mode
    described.element = _library.TYPES[dtype]
    for axis in axes:
        described.filtered[axis] = 1
    return described


def call_filter(
    is_adjoint: bool,
    structure: _arrays.Filter,
    place: Place,
    source: int,
    result: int,
    threads: int = 0,
) -> None:
    """Filters a contiguous array, by addresses; raises the library's errors."""
    described = _arrays.Filter.from_buffer_copy(structure)
    described.input.data, described.output.data = source, result
    described.device, described.stream = place
    _library.run_where(
        "cudaspline_filter_array_adjoint" if is_adjoint else "cudaspline_filter_array",
        described,
        threads,
    )


def run_filter(
    *,
    is_adjoint: bool,
    order: int,
    mode: int,
    dtype: str,
    place: Place,
    shape: Sequence[int],
    axes: Sequence[int],
    source: int,
    result: int,
    threads: int = 0,
) -> None:
    """Filters a contiguous array along some of its axes; raises the library's errors."""
    call_filter(
        is_adjoint,
        structure_of_filter(order, mode, dtype, tuple(shape), tuple(axes)),
        place,
        source,
        result,
        threads,
    )


def check_order(order: Any) -> int:
    """A spline order. Raises TypeError or ValueError, naming the argument."""
    return integer(order, "order", 0, 5)


def mode_code(mode: Any) -> int:
    """The number of a mode. Raises ValueError, naming the argument."""
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(
            f"mode: {mode!r} is not allowed; use one of {', '.join(map(repr, MODES))}."
        )
    return MODES[mode]


def check_shape(shape: Any, dimension: int) -> tuple[int, ...]:
    """Samples along each axis, of an output. Raises TypeError or ValueError, naming the
    argument."""
    try:
        given = tuple(shape)
    except TypeError:
        raise TypeError(f"shape: {shape!r} is not a list of whole numbers, one per axis.") from None
    found = tuple(integer(n, "shape", 1, LARGEST_INT64) for n in given)
    if len(found) != dimension:
        raise ValueError(
            f"shape: {found} has {len(found)} numbers; {dimension} are needed, one per axis."
        )
    if (
        math.prod(found) > LARGEST_INT64 // 64
    ):  # bytes of several numbers a sample are counted in 64 bits
        raise ValueError(f"shape: {found} has more samples than can be addressed.")
    return found


def check_axes(shape: Any) -> tuple[int, ...]:
    """Samples along one axis or more; there may be none. Raises TypeError or ValueError, naming the
    argument."""
    try:
        given = tuple(shape)
    except TypeError:
        raise TypeError(f"shape: {shape!r} is not a list of whole numbers, one per axis.") from None
    if not given:
        raise ValueError("shape: it is empty; at least one axis is needed.")
    return tuple(integer(n, "shape", 0, LARGEST_INT64) for n in given)


def check_geometries(source: Any, target: Any, shape: Sequence[int]) -> int:
    """The axes of an image of that shape, or of a batch of such, between two cudaspline.Geometry or
    None. Raises TypeError or ValueError, naming the argument."""
    for name, geometry in (("source", source), ("target", target)):
        if geometry is not None and not isinstance(geometry, Geometry):
            raise TypeError(
                f"{name}: {type(geometry).__name__} is not a cudaspline.Geometry; the attribute geometry of a cudaspline.Image is one."
            )
    one = source if source is not None else target
    dimension = (
        one.dimension if one is not None else (len(shape) - 2 if len(shape) > 3 else len(shape))
    )
    for name, geometry in (("source", source), ("target", target)):
        if geometry is not None and geometry.dimension != dimension:
            raise ValueError(
                f"{name}: it has {geometry.dimension} axes and the image {dimension}; the numbers must be equal."
            )
    check_image(shape, dimension)
    if source is not None and source.shape != tuple(shape[len(shape) - dimension :]):
        size = tuple(reversed(shape[len(shape) - dimension :]))
        raise ValueError(
            f"source: its size is {tuple(source.size)} and that of the image {size} (x first); they must be equal."
        )
    return dimension


def maps_of(
    geometry: Any, dimension: int
) -> tuple[list[list[float]], list[list[float]], list[float]]:
    """The maps from indices to points (mm) and back, and the point of the first sample; None:
    points are indices."""
    if geometry is None:
        unit = [[float(row == column) for column in range(dimension)] for row in range(dimension)]
        return unit, unit, [0.0] * dimension
    return (
        geometry.index_to_point.tolist(),
        geometry.point_to_index.tolist(),
        geometry.origin.tolist(),
    )


def check_transform(shape: Sequence[int], dimension: int, is_batch: bool) -> None:
    """Raises ValueError, naming the argument, unless the shape is that of a linear transform."""
    d, e = dimension, dimension + 1
    if len(shape) not in ((2, 3) if is_batch else (2,)) or tuple(shape[-2:]) not in (
        (d, d),
        (d, e),
        (e, e),
    ):
        of_these = ", or (N, ...) of these" if is_batch else ""
        raise ValueError(
            f"transform: its shape is {tuple(shape)}; it must be (D, D), (D, D + 1), (D + 1, D + 1){of_these}, with D = {dimension}."
        )


def check_filtered(shape: Sequence[int], axes: int) -> None:
    """Refuses an image without samples along the axes that are filtered, the last ones. Raises
    ValueError, naming the argument."""
    if any(n < 1 for n in shape[len(shape) - axes :]):
        raise ValueError(
            f"image: its shape is {tuple(shape)}; an image needs at least one sample along each axis."
        )


def padding_of(order: int, mode: str, is_filtered: bool) -> int:
    """Samples on either side by which an image is extended before it is filtered."""
    return PADDING if is_filtered and order >= 2 and mode in ("nearest", "grid-constant") else 0


def check_image(shape: Sequence[int], dimension: int, name: str = "image") -> None:
    """Refuses what is not an image of that many axes, or a batch of them with channels. Raises
    ValueError, naming the argument."""
    if (
        len(shape) != dimension and len(shape) != dimension + 2
    ):  # one by one, as compilers require for symbolic numbers
        raise ValueError(
            f"{name}: its shape is {tuple(shape)}; points with {dimension} coordinates need an image with {dimension} axes, or a batch (N, C, ...) with {dimension + 2}."
        )
    if any(n < 1 for n in shape[len(shape) - dimension :]):
        raise ValueError(
            f"{name}: its shape is {tuple(shape)}; an image needs at least one sample along each axis."
        )


def check_points(shape: Sequence[int], is_batch: bool, name: str = "points") -> int:
    """The axes of an image with these points. Raises ValueError, naming the argument."""
    least = 2 if is_batch else 1
    if len(shape) < least or not 1 <= shape[-1] <= MAXIMUM_DIMENSION:
        wanted = "(N, ..., D)" if is_batch else "(..., D)"
        raise ValueError(
            f"{name}: the shape is {tuple(shape)}; it must be {wanted} with D = 1, 2 or 3 coordinates per point."
        )
    return int(shape[-1])


def batch_of(image: Sequence[int], points: Sequence[int], name: str = "points") -> int:
    """The images of a batch, of which one stands for all. Raises ValueError, naming the
    argument."""
    if image[0] != points[0] and image[0] != 1 and points[0] != 1:
        raise ValueError(
            f"{name}: the batch has {points[0]} entries, but there are {image[0]} images; the numbers must be equal, or one of them 1."
        )
    return int(points[0] if image[0] == 1 else image[0])
