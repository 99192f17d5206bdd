"""Windows of an image: if an output reads a small part of it, only that part is converted and
filtered. Results have the same bits.

The library returns the bounds of a window, as for pieces that fit into a device's memory
(doc/architecture/Coefficients.md, "Segments"). Windows are of images in host memory.
"""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry
from ..core._methods import KINDS, Interpolator
from ..images._pixels import Pixels
from ..transforms import _stages

#: Images that are smaller are taken as a whole (samples).
_SMALL = 65536
#: A window is computed for outputs that are smaller than the image by this factor.
_PART_OF_OUTPUT = 4
#: The same for points: for a single one some 64 samples per axis are filtered.
_PART_OF_POINTS = 64
#: Samples beyond an index that its value reads: of the widest support, and two for roundings.
_REACH = {name: kind.reach + 2 for name, kind in KINDS.items() if kind.reach is not None}
#: Fixed cost of a window, in addition to its samples (samples).
_COST = 50000


def nowhere(shape: tuple[int, ...], dtype: str) -> _arrays.Buffer:
    """An array that is described and not read."""
    one = numpy.zeros(1, dtype)
    return _arrays.Buffer(
        "numpy", one, one.ctypes.data, device=-1, stream=None, shape=shape, dtype=dtype
    )


def _can_be_cut(pixels: Pixels, method: Interpolator) -> bool:
    return (
        pixels.device < 0
        and method.storage == "element"
        and math.prod(pixels.geometry.size) > _SMALL
    )


def may_have_windows(pixels: Pixels, method: Interpolator) -> bool:
    """Whether few points may read much less than the image."""
    return (
        _can_be_cut(pixels, method)
        and method.kind in _REACH
        and method.needs_preparation(pixels.dtype, pixels.components)
    )


def may_be_cut(pixels: Pixels, method: Interpolator, grid: Geometry) -> bool:
    """Whether a resampling to a grid may read much less than the image."""
    return _can_be_cut(pixels, method) and math.prod(grid.size) * _PART_OF_OUTPUT <= math.prod(
        pixels.geometry.size
    )


def of_resampling(
    pixels: Pixels,
    method: Interpolator,
    grid: Geometry,
    stages: _stages.Stages,
    dtype: str,
    pixel: numpy.ndarray,
    extrapolate: bool,
) -> Pixels:
    """The window that a resampling reads, or the image where that is not much less."""
    samples = math.prod(pixels.geometry.size)
    if not may_be_cut(pixels, method, grid):
        return pixels
    image = method.describe_image(
        nowhere(pixels.geometry.shape, pixels.dtype), pixels.geometry.size, pixels.components, dtype
    )
    first, size = _window(
        image,
        method,
        pixels.geometry,
        grid=grid,
        stages=stages,
        output=nowhere(grid.shape, dtype),
        pixel=pixel,
        extrapolate=extrapolate,
    )
    if 0 in size:  # nothing is read
        first, size = (0,) * grid.dimension, (1,) * grid.dimension
    return pixels.crop(first, size) if 2 * math.prod(size) <= samples else pixels


def neighbours(
    geometry: Geometry, grid: Geometry, stages: _stages.Stages, boundary: tuple[str, ...]
) -> Optional[tuple[tuple[int, ...], tuple[int, ...]]]:
    """First sample and samples, x first, of the box of an image that has the neighbours of the
    points of an output; 0 samples where none is inside; exact for linear transforms. None where
    displacements are in memory of a GPU."""
    if not stages.is_on_host:
        return None
    method = Interpolator(
        "linear", boundary=tuple("itk" if name == "itk" else "nearest" for name in boundary)
    )
    image = method.describe_image(nowhere(geometry.shape, "float32"), geometry.size, 1, "float32")
    zero = numpy.zeros(1, "float32")
    return _window(
        image,
        method,
        geometry,
        grid=grid,
        stages=stages,
        output=nowhere(grid.shape, "float32"),
        pixel=zero,
        extrapolate=False,
    )


def _window(
    image: _library.Image,
    method: Interpolator,
    geometry: Geometry,
    grid: Geometry,
    stages: _stages.Stages,
    output: _arrays.Buffer,
    pixel: numpy.ndarray,
    extrapolate: bool,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """First sample and samples, x first, that a whole output reads."""
    interpolation = method.describe_interpolation(geometry)
    resampling, kept = _stages.describe_resampling(
        interpolation,
        geometry,
        grid,
        stages=stages,
        result=output,
        pixel=pixel,
        extrapolate=extrapolate,
    )
    dimension = grid.dimension
    box = numpy.ones((4, 1, 3), numpy.int64)
    box[0] = 0
    box[1, 0, :dimension] = grid.size
    _library.resample_windows(image, resampling, 1, *(array.ctypes.data for array in box))
    del kept
    first, size = (tuple(numbers[0, :dimension].tolist()) for numbers in box[2:])
    return first, size


def of_points(
    pixels: Pixels, method: Interpolator, indices: numpy.ndarray
) -> Optional[list[tuple[numpy.ndarray, Pixels]]]:
    """(numbers of points, window) for points by their continuous indices (n, dimension), x first;
    None for the whole.

    Points that lie apart have windows of their own."""
    samples = math.prod(pixels.geometry.size)
    if (
        not _can_be_cut(pixels, method)
        or method.kind not in _REACH
        or not 0 < len(indices) * _PART_OF_POINTS <= samples
    ):
        return None
    if not method.needs_preparation(pixels.dtype, pixels.components):
        return None
    image = method.describe_image(
        nowhere(pixels.geometry.shape, pixels.dtype),
        pixels.geometry.size,
        pixels.components,
        pixels.dtype,
    )
    cutter = _Cutter(image, pixels.geometry.size, method, indices)
    if cutter.lower is None:
        return None
    cost, found = cutter.cut(numpy.arange(len(indices)))
    if 2 * cost > samples:
        return None
    return [(numbers, pixels.crop(first, size)) for numbers, first, size in found]


_Cut = tuple[float, list[tuple[numpy.ndarray, tuple[int, ...], tuple[int, ...]]]]


class _Cutter:
    """Halves points until their windows have no fewer samples together."""

    def __init__(
        self,
        image: _library.Image,
        size: tuple[int, ...],
        method: Interpolator,
        indices: numpy.ndarray,
    ) -> None:
        self.image = image
        self.size = numpy.array(size)
        self.lower: Optional[numpy.ndarray] = None
        last = self.size - 1
        is_known = numpy.all(numpy.isfinite(indices) & (numpy.abs(indices) < 2.0**31), axis=1)
        within = numpy.all((indices >= -1) & (indices <= last + 1), axis=1)
        is_bounded = numpy.array([boundary == "itk" for boundary in method.boundary])
        # Nothing is read beyond the bounds. Without bounds an index is folded, and one that is
        # folded from far away reads the whole image.
        if not (is_bounded.all() or within[is_known].all()):
            return
        middle = numpy.clip(numpy.where(is_known[:, None], numpy.nan_to_num(indices), 0.0), 0, last)
        reach = _REACH[method.kind]
        self.lower = numpy.maximum(numpy.floor(middle).astype(numpy.int64) - reach, 0)
        self.upper = numpy.minimum(numpy.floor(middle).astype(numpy.int64) + 1 + reach, last)
        # An index that is folded at an end is read at the same distance inside.
        near = 2 * reach + 2
        self.upper = numpy.where(
            self.lower == 0, numpy.maximum(self.upper, numpy.minimum(near, last)), self.upper
        )
        self.lower = numpy.where(
            self.upper == last, numpy.minimum(self.lower, numpy.maximum(last - near, 0)), self.lower
        )
        self.is_periodic = [boundary == "grid-wrap" for boundary in method.boundary]
        self.has_filter = method.has_filter

    def window(self, numbers: numpy.ndarray) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """First sample and samples, x first, that points read."""
        assert self.lower is not None
        first, size = [], []
        for axis, (low, high) in enumerate(
            zip(self.lower[numbers].min(axis=0).tolist(), self.upper[numbers].max(axis=0).tolist())
        ):
            length = int(self.size[axis])
            begin, count = low, high - low + 1
            if self.is_periodic[axis] and (begin == 0 or high == length - 1):
                begin, count = 0, length
            elif self.has_filter:
                begin, count = _library.prefilter_window(self.image, axis, begin, count)
            if begin < 0 or begin + count > length:  # of a periodic line, over its end
                begin, count = 0, length
            first.append(begin)
            size.append(count)
        return tuple(first), tuple(size)

    def cut(self, numbers: numpy.ndarray) -> _Cut:
        """The cost, and the windows, of some points."""
        assert self.lower is not None
        first, size = self.window(numbers)
        cost = math.prod(size) + _COST
        axis = int(numpy.argmax(size))
        is_low = self.lower[numbers, axis] < first[axis] + size[axis] // 2
        if 0 < numpy.count_nonzero(is_low) < len(numbers):
            low, high = self.cut(numbers[is_low]), self.cut(numbers[~is_low])
            if low[0] + high[0] < cost:
                return low[0] + high[0], low[1] + high[1]
        return cost, [(numbers, first, size)]


def indices_of(points: Any, geometry: Geometry, is_physical: bool) -> numpy.ndarray:
    """Continuous indices (n, dimension) of points in host memory, x first, to roundings."""
    found = numpy.asarray(points, dtype=numpy.float64).reshape(-1, geometry.dimension)
    with numpy.errstate(invalid="ignore", over="ignore"):
        return (found - geometry.origin) @ geometry.point_to_index.T if is_physical else found
