"""Inverses of transforms: of matrices in closed form, of displacement fields and B-splines by
iteration.

Points are mapped by the library itself: a field that has one displacement per point takes any list
of points through a chain of stages, to an image whose values are the coordinates of its points.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from typing import Optional

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry, make_geometry
from ..core._methods import Interpolator, Method, make_interpolator
from ..images import _images
from ._stages import Stages, describe_resampling

#: As CudaSplineResample has them: the error that is allowed at a sample (mm), and the maximum number
#: of iterations with whole steps.
ENOUGH, MAX_ITERATIONS = 1e-4, 100
#: The error of an inverse (mm) above which a sample counts as one without an inverse, and a warning
#: is issued.
LARGEST_RESIDUAL = 0.1
#: The maximum number of iterations where the iteration begins with the displacements of neighbours.
_MAX_CONTINUED = 10
#: A step that is shorter than this part of the error ends the iteration.
_MIN_STEP = 2.0**-8
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


def invert(stages: Stages, domain: Geometry) -> tuple[numpy.ndarray, float, float]:
    """The inverse of stages as displacements on a grid, by fixed-point iteration at every sample: x
    becomes x - (T(x) - y) until T(x) is y.

    A sample for which this fails begins anew with the displacements of its neighbours, so that the
    inverse continues smoothly where there is none.

    Returns displacements (..., dimension), and what is left of T(x) - y: on average, and at most
    (mm)."""
    dimension = domain.dimension
    count = math.prod(domain.size)
    found = numpy.zeros((count, dimension))
    left = numpy.empty(count)

    def run(numbers: numpy.ndarray, iterations: int) -> None:
        for first in range(0, len(numbers), _TOGETHER):
            some = numbers[first : first + _TOGETHER]
            index = numpy.stack(numpy.unravel_index(some, domain.shape)[::-1], axis=-1)
            wanted = index @ domain.index_to_point.T + domain.origin
            best, left[some] = _invert_points(stages, wanted, wanted + found[some], iterations)
            found[some] = best - wanted

    run(numpy.arange(count), MAX_ITERATIONS)
    done = left <= LARGEST_RESIDUAL
    while not done.all() and done.any():
        numbers, start = _continue(found, done, domain.shape)
        found[numbers] = start
        run(numbers, _MAX_CONTINUED)
        done[numbers] = True
    return found.reshape(*domain.shape, dimension), float(left.sum()) / count, float(left.max())


def _continue(
    vectors: numpy.ndarray, done: numpy.ndarray, shape: tuple[int, ...]
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The samples that are next to others that are done, by a face, an edge or a corner, and the
    means of the vectors of these."""
    missing = numpy.flatnonzero(~done)
    index = numpy.stack(numpy.unravel_index(missing, shape))
    total, count = numpy.zeros((len(missing), vectors.shape[1])), numpy.zeros(len(missing))
    for step in itertools.product((-1, 0, 1), repeat=len(shape)):
        other = index + numpy.array(step)[:, None]
        inside = ((other >= 0) & (other < numpy.array(shape)[:, None])).all(axis=0)
        number = numpy.ravel_multi_index(tuple(other), shape, mode="clip")
        weight = inside & done[number]
        total += weight[:, None] * vectors[number]
        count += weight
    reached = count > 0
    return missing[reached], total[reached] / count[reached, None]


def _invert_points(
    stages: Stages, wanted: numpy.ndarray, start: numpy.ndarray, iterations: int
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Points that are mapped to others, and by how much they miss them (mm). Points that whole
    steps do not find are searched with half steps, and then from the best one with steps that are
    halved until they come closer."""
    best = start.copy()
    error = numpy.zeros_like(wanted)
    left = numpy.full(len(wanted), numpy.inf)
    reach = reach_of(wanted)

    def measure(active: numpy.ndarray, point: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        found = map_points(stages, point, reach) - wanted[active]
        distance = numpy.sqrt((found**2).sum(axis=1))
        is_better = distance < left[active]
        better = active[is_better]
        best[better], error[better] = point[is_better], found[is_better]
        left[better] = distance[is_better]
        return found, is_better

    active = numpy.arange(len(wanted))
    for damping in (1.0, 0.5):
        point = start.copy()
        for _ in range(iterations):
            if len(active) == 0:
                break
            found, _ = measure(active, point[active])
            point[active] -= damping * found
            is_finite = numpy.isfinite(found).all(axis=1)
            active = active[(left[active] > ENOUGH) & is_finite]
        active = numpy.flatnonzero((left > ENOUGH) & numpy.isfinite(left))
    step = numpy.full(len(wanted), 0.5)
    for _ in range(iterations):
        if len(active) == 0:
            break
        _, is_better = measure(active, best[active] - step[active, None] * error[active])
        step[active] = numpy.where(
            is_better, numpy.minimum(1.0, 2.0 * step[active]), 0.5 * step[active]
        )
        active = active[(left[active] > ENOUGH) & (step[active] >= _MIN_STEP)]
    return best, left
