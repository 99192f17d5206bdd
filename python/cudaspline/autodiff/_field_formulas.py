"""Fields of displacements and their penalties, for whatever library of arrays: one formula below
cudaspline.torch and cudaspline.jax, which document the functions of these names. of: what the
library has."""

from __future__ import annotations

import itertools
import math
from typing import Any, Optional, Sequence

from ..core._checks import integer, number
from . import _gradients
from ._array_operations import ArrayOperations


def check_field(
    of: ArrayOperations, field: Any, name: str = "field", is_finite_difference: bool = False
) -> tuple[Any, bool]:
    """A field as a batch (N, *size, D) of the type that is computed in, and whether it was one.
    Raises TypeError or ValueError, naming the argument."""
    field = of.check(field, name)
    dimension = _gradients.check_points(field.shape, False, name)
    if field.ndim not in (dimension + 1, dimension + 2) or any(
        n < 1 for n in field.shape[-dimension - 1 : -1]
    ):
        raise ValueError(
            f"{name}: the shape is {tuple(field.shape)}; it must be (*size, D) or (N, *size, D) with D sizes."
        )
    if is_finite_difference and any(n < 3 for n in field.shape[-dimension - 1 : -1]):
        raise ValueError(
            f"{name}: the shape {tuple(field.shape)} is too small; differences need at least 3 samples along each axis."
        )
    is_batch = field.ndim == dimension + 2
    (field,) = of.computed(field)
    return (field if is_batch else field[None]), is_batch


def _result(of: ArrayOperations, found: Any, is_batch: bool, like: Any) -> Any:
    """The result for the caller, in the type of the field."""
    return of.like(found if is_batch else found[0], like)


def _at(of: ArrayOperations, field: Any, points: Any) -> Any:
    """Displacements at points: linear, as everywhere in registration; beyond an end those of the
    end."""
    return of.moveaxis(of.sample(of.moveaxis(field, -1, 1), points, 1, True), 1, -1)


def is_empty(array: Any) -> bool:
    """Whether it has no number."""
    return bool(math.prod(array.shape) == 0)


def mean(of: ArrayOperations, values: Any, mask: Optional[Any] = None) -> Any:
    """The mean of all numbers, or of those in the mask; 0 if there are none."""
    if mask is None:
        return values.sum() if is_empty(values) else values.mean()
    count = mask.sum()
    return of.where(mask, values, 0.0).sum() / of.where(count > 0, count, 1)


def compose(of: ArrayOperations, first: Any, second: Any) -> Any:
    one, is_batch = check_field(of, first, "first")
    other, is_other_batch = check_field(of, second, "second")
    if one.shape[-1] != other.shape[-1]:
        raise ValueError(
            f"second: its vectors have {other.shape[-1]} components and those of first {one.shape[-1]}; the numbers must be equal."
        )
    _gradients.batch_of(one.shape, other.shape, "second")
    of.check_together(other, one, "second", "first")
    return _result(of, _compose(of, one, other), is_batch or is_other_batch, first)


def _compose(of: ArrayOperations, first: Any, second: Any) -> Any:
    return first + _at(of, second, of.identity(first.shape[1:-1], first) + first)


def exp(of: ArrayOperations, velocity: Any, steps: int) -> Any:
    field, is_batch = check_field(of, velocity, "velocity")
    count = integer(steps, "steps", 0, 30)
    field = field * 0.5**count
    for _ in range(count):
        field = _compose(of, field, field)
    return _result(of, field, is_batch, velocity)


def invert(of: ArrayOperations, field: Any, iterations: int, tolerance: float) -> Any:
    values, is_batch = check_field(of, field)
    most, least = (
        integer(iterations, "iterations", 1, 10000),
        number(tolerance, "tolerance", above=0.0),
    )
    dimension = values.shape[-1]

    def moved(inverse: Any) -> Any:
        # Made at each call: PyTorch's transforms take no tensor of another level.
        return of.identity(inverse.shape[1:-1], inverse) + inverse

    def inverse_slope(values: Any, inverse: Any) -> list[list[Any]]:
        """The inverse of the matrix by which x + field(x) moves with x, at all x = y + v(y)."""
        slope = of.moveaxis(of.slope(of.moveaxis(values, -1, 1), moved(inverse)), 1, -2)
        return _inverse_matrix(
            [[slope[..., r, c] + float(r == c) for c in range(dimension)] for r in range(dimension)]
        )

    def solve(values: Any) -> list[Any]:
        places = of.identity(values.shape[1:-1], values)
        inverse = of.iterated(
            lambda inverse: -_at(of, values, places + inverse), -values, most, least
        )
        rows = inverse_slope(values, inverse)
        return [
            inverse - _product(of, rows, inverse + _at(of, values, places + inverse)),
            *itertools.chain(*rows),
        ]

    def tangent(values: Any, inverse: Any, change: Any) -> Any:
        return -_product(of, inverse_slope(values, inverse), _at(of, change, moved(inverse)))

    def cotangent(values: Any, inverse: Any, entries: Sequence[Any], gradient: Any) -> Any:
        found = entries or list(itertools.chain(*inverse_slope(values, inverse)))
        vectors = _product(of, [found[column::dimension] for column in range(dimension)], gradient)
        return -of.moveaxis(
            of.push(of.moveaxis(vectors, -1, 1), moved(inverse), values.shape[1:-1], 1), 1, -1
        )

    return _result(of, of.implicit(solve, tangent, cotangent, values), is_batch, field)


def _product(of: ArrayOperations, rows: Sequence[Sequence[Any]], vectors: Any) -> Any:
    """Matrices, by their rows' entries, times the vectors (..., D)."""
    return of.stack(
        [
            sum((row[c] * vectors[..., c] for c in range(1, len(row))), row[0] * vectors[..., 0])
            for row in rows
        ]
    )


def _determinant_of(a: Sequence[Sequence[Any]]) -> Any:
    """The determinants of matrices of one to three rows, whose entries are arrays."""
    if len(a) == 1:
        return a[0][0]
    if len(a) == 2:
        return a[0][0] * a[1][1] - a[0][1] * a[1][0]
    return (
        a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
        - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
        + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])
    )


def _inverse_matrix(a: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The inverses by cofactors: those of a field without folds are far from singular, and
    libraries invert small matrices one by one."""
    determinant, size = _determinant_of(a), range(len(a))

    def cofactor(row: int, column: int) -> Any:
        minor = [[a[r][c] for c in size if c != column] for r in size if r != row]
        return (_determinant_of(minor) if minor else 1.0) * (-1.0) ** (row + column)

    return [[cofactor(c, r) / determinant for c in size] for r in size]


def ffd(of: ArrayOperations, coefficients: Any, shape: Sequence[int], order: int) -> Any:
    values, is_batch = check_field(of, coefficients, "coefficients")
    order = _gradients.check_order(order)
    size = _gradients.check_shape(shape, values.shape[-1])
    grid = values.shape[1:-1]
    if any(n <= order for n in grid):
        raise ValueError(
            f"coefficients: the grid is {tuple(grid)}; order {order} needs at least {order + 1} points along each axis."
        )
    scale = of.array([(m - order) / max(n - 1, 1) for m, n in zip(grid, size)], values)
    places = of.identity(size, values) * scale + 0.5 * (order - 1)
    # Beyond the outermost points of the grid no weight is but that of a rounding.
    found = of.sample(of.moveaxis(values, -1, 1), places[None], order, False)
    return _result(of, of.moveaxis(found, 1, -1), is_batch, coefficients)


def spacing_of(spacing: Optional[Sequence[float]], dimension: int) -> list[float]:
    """A step per axis. Raises TypeError or ValueError, naming the argument."""
    if spacing is None:
        return [1.0] * dimension
    try:
        found = [number(step, "spacing", above=0.0) for step in spacing]
    except TypeError:
        raise TypeError(f"spacing: {spacing!r} is not a list of numbers above 0.") from None
    if len(found) != dimension:
        raise ValueError(f"spacing: {found} must be {dimension} numbers, one per axis.")
    return found


def jacobian_determinant(
    of: ArrayOperations, field: Any, spacing: Optional[Sequence[float]]
) -> Any:
    values, is_batch = check_field(of, field, is_finite_difference=True)
    return _result(of, _determinant(of, values, spacing), is_batch, field)


def _determinant(of: ArrayOperations, values: Any, spacing: Optional[Sequence[float]]) -> Any:
    dimension = values.shape[-1]
    columns = of.differences(values, spacing_of(spacing, dimension), range(1, 1 + dimension))
    return _determinant_of(
        [
            [columns[c][..., r] + (1.0 if r == c else 0.0) for c in range(dimension)]
            for r in range(dimension)
        ]
    )


def diffusion(of: ArrayOperations, field: Any, spacing: Optional[Sequence[float]]) -> Any:
    values, _ = check_field(of, field)
    total = of.array(0.0, values)
    for axis, step in enumerate(spacing_of(spacing, values.shape[-1]), 1):
        if values.shape[axis] > 1 and not is_empty(values):
            first = of.difference(values, axis) / step
            total = total + (first * first).sum(-1).mean()
    return total


def bending(of: ArrayOperations, field: Any, spacing: Optional[Sequence[float]]) -> Any:
    values, _ = check_field(of, field)
    steps = spacing_of(spacing, values.shape[-1])
    total = of.array(0.0, values)
    for one in range(len(steps)):
        for other in range(one, len(steps)):
            needed = 3 if one == other else 2
            if (
                is_empty(values)
                or values.shape[1 + one] < needed
                or values.shape[1 + other] < needed
            ):
                continue
            second = of.difference(of.difference(values, 1 + one), 1 + other) / (
                steps[one] * steps[other]
            )
            total = total + (1.0 if one == other else 2.0) * (second * second).sum(-1).mean()
    return total


def jacobian(of: ArrayOperations, field: Any, spacing: Optional[Sequence[float]]) -> Any:
    values, _ = check_field(of, field, is_finite_difference=True)
    change = _determinant(of, values, spacing) - 1.0
    return mean(of, change * change)


def folding(
    of: ArrayOperations, field: Any, spacing: Optional[Sequence[float]], least: float
) -> Any:
    values, _ = check_field(of, field, is_finite_difference=True)
    below = of.constant(least, "least") - _determinant(of, values, spacing)
    return mean(of, of.where(below < 0.0, 0.0, below))
