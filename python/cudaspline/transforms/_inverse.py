"""Inverses of transforms: of matrices in closed form, of displacement fields and B-splines by
iteration in the library.

Points are mapped by the library itself: a field that has one displacement per point takes any list
of points through a chain of stages, to an image whose values are the coordinates of its points.
"""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Optional

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry, make_geometry
from ..core._methods import Interpolator, Method, make_interpolator
from ..images import _images
from ._stages import Stages, describe_grid, describe_resampling

#: Samples an axis of the field that a B-spline's inverse is, at most.
_MAX_SAMPLES = 2000
#: Half the extent of an image of coordinates (mm), at the least: its values are rounded to 1e-10
#: mm.
_MIN_REACH = 2.0**20
#: Places that are mapped at one time.
_TOGETHER = 2**18
#: Of these in a line.
_LINE = 1024


def reach_of(places: numpy.ndarray) -> float:
    """Half the extent of an image of coordinates (mm): many times the extent of points."""
    largest = float(numpy.abs(places[numpy.isfinite(places)]).max(initial=0.0))
    return max(_MIN_REACH, 2.0 ** (math.ceil(math.log2(max(largest, 1.0))) + 3))


@functools.lru_cache(maxsize=8)
def coordinates(dimension: int, reach: float) -> tuple[numpy.ndarray, Geometry, Interpolator]:
    """An image of coordinates: two samples per axis, linear between them."""
    axes = numpy.meshgrid(*[[-reach, reach]] * dimension, indexing="ij")
    values = numpy.ascontiguousarray(
        numpy.stack(axes[::-1], axis=-1)
    )  # x is the last axis, and the first number
    geometry = make_geometry((2,) * dimension, 2 * reach, -reach)
    return values, geometry, make_interpolator(geometry, Method("linear"))


def map_points(stages: Stages, points: numpy.ndarray, reach: float = _MIN_REACH) -> numpy.ndarray:
    """Maps points by stages whose arrays are in host memory.

    points: (n, dimension), mm, x first

    reach: maximum distance of points, reach_of() some

    Returns as many; NaN for those that go beyond."""
    count, dimension = points.shape
    # Threads share lines: of one dimension there is one.
    length = count if dimension == 1 else min(count, _LINE)
    lines = -(-count // length)
    line = make_geometry((length, lines, 1)[:dimension])
    vectors = numpy.zeros((lines, length, dimension))
    flat = vectors.reshape(-1, dimension)
    flat[:count] = points
    flat[count:] = points[-1]
    vectors[:, :, 0] -= numpy.arange(length)
    if dimension > 1:
        vectors[:, :, 1] -= numpy.arange(lines)[:, None]
    chain = Stages(dimension)
    chain.add_field(vectors.reshape(*line.shape, dimension), line, True, False, "points", -1)
    chain.append(stages)
    values, geometry, method = coordinates(dimension, reach)
    image = _images.open_image(values, "points", True)
    output = numpy.empty((*line.shape, dimension))
    described = method.describe_image(image.buffer, geometry.size, dimension, "float64")
    result = _arrays.view(output, "points")
    outside = numpy.full(dimension, numpy.nan)
    resampling, kept = describe_resampling(
        method.describe_interpolation(geometry), geometry, line, chain, result, outside, False
    )
    _library.Call("cpu").run(
        "cudaspline_resample", ctypes.byref(described), ctypes.byref(resampling)
    )
    del kept
    output[numpy.abs(output) >= reach] = (
        numpy.nan
    )  # points outside of the outermost samples have their values
    return output.reshape(-1, dimension)[:count]


def invert_matrix(
    matrix: numpy.ndarray, offset: numpy.ndarray, name: str
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Matrix and offset of the inverse. Raises ValueError, naming the argument, where there is
    none."""
    check_matrix(matrix, name)
    inverse = numpy.linalg.inv(matrix)
    return inverse, -inverse @ offset


def check_matrix(matrix: numpy.ndarray, name: str) -> None:
    """Raises ValueError, naming the argument, for a matrix that has no inverse."""
    determinant = float(numpy.linalg.det(matrix))
    if not abs(determinant) > 1e-12 * float(numpy.prod(numpy.linalg.norm(matrix, axis=1))):
        raise ValueError(
            f"{name}: its matrix is singular (determinant {determinant:g}), so the transform cannot be inverted."
        )


def domain_of_spline(grid: Geometry, order: int, finest: Optional[float]) -> Geometry:
    """The grid on which the inverse of a B-spline is sampled: over the domain of ITK's transform,
    as finely as the image.

    finest: spacing of the image (mm), the least of its axes; None: there is no image, and a
        millimetre will do, or what the cells take"""
    cell = float(grid.spacing.min())
    finest = min(max(1.0, cell / 16), cell / 4) if finest is None else finest
    extent = grid.spacing * (numpy.array(grid.size) - order)
    size = [int(min(_MAX_SAMPLES, max(2.0, math.ceil(length / finest) + 1.0))) for length in extent]
    first = grid.origin + grid.index_to_point @ numpy.full(grid.dimension, 0.5 * (order - 1))
    return make_geometry(size, extent / (numpy.array(size) - 1), first, grid.direction)


def invert(stages: Stages, domain: Geometry) -> tuple[numpy.ndarray, _library.InverseAccuracy]:
    """The inverse of stages in host memory, as displacements on a grid (..., dimension), and its
    accuracy: cudaspline_invert_transform."""
    vectors = numpy.empty((*domain.shape, domain.dimension))
    grid, accuracy = describe_grid(domain), _library.InverseAccuracy()
    _library.Call("cpu").run(
        "cudaspline_invert_transform",
        ctypes.byref(grid),
        domain.dimension,
        stages.as_array(),
        len(stages.stages),
        vectors.ctypes.data,
        ctypes.byref(accuracy),
    )
    return vectors, accuracy
