"""Fields of displacements as functions with gradients."""

from __future__ import annotations

from typing import Optional, Sequence

import torch

from .. import _gradients
from .._checks import integer, number
from ._functions import _check_tensor, _same_device, _type_of, grad, identity, sample


def check_field(field: torch.Tensor, name: str = "field", is_finite_difference: bool = False) -> tuple[torch.Tensor, bool]:
    """A field as a batch (N, *size, D) of the type that is computed in, and whether it was one. Raises TypeError or ValueError, naming the argument."""
    _check_tensor(field, name)
    dimension = _gradients.check_points(field.shape, False, name)
    if field.dim() not in (dimension + 1, dimension + 2) or any(n < 1 for n in field.shape[-dimension - 1 : -1]):
        raise ValueError(f"{name}: its shape is {tuple(field.shape)}; it has to be (*size, D) or (N, *size, D) with D numbers.")
    if is_finite_difference and any(n < 3 for n in field.shape[-dimension - 1 : -1]):
        raise ValueError(f"{name}: its shape is {tuple(field.shape)}; differences need three samples or more along each axis.")
    is_batch = field.dim() == dimension + 2
    field = field.to(_type_of(field))
    return (field if is_batch else field[None]), is_batch


def _result(field: torch.Tensor, is_batch: bool, like: torch.Tensor) -> torch.Tensor:
    """As the caller gets it, of a field's type."""
    return (field if is_batch else field[0]).to(like.dtype)


def _at(field: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    """Displacements at points: linear, as everywhere in registration; beyond an end those of the end."""
    return sample(field.movedim(-1, 1), points, order=1, mode="nearest").movedim(1, -1)


def compose(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """The field that moves a place as one field does, and from there as another one does: first(x) + second(x + first(x)).

    Between its samples the second field is linear; beyond its ends it goes on. An image under the result is
    warp(warp(image, second), first), but for what that interpolates twice. Gradients by both.

    Parameters
    ----------
    first, second
        Displacements in samples, (*size, D), or (N, *size, D) of a batch, in the order of the axes.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.compose(torch.full((3, 1), 0.5), torch.full((3, 1), 0.25)).flatten().tolist()
    [0.75, 0.75, 0.75]
    """
    one, is_batch = check_field(first, "first")
    other, is_other_batch = check_field(second, "second")
    if one.shape[-1] != other.shape[-1]:
        raise ValueError(f"second: its vectors have {other.shape[-1]} numbers, and those of first {one.shape[-1]}.")
    _gradients.batch_of(one.shape, other.shape, "second")
    _same_device(other, one, "second", "first")
    places = identity(one.shape[1:-1], dtype=one.dtype, device=one.device) + one
    return _result(one + _at(other, places), is_batch or is_other_batch, first)


def exp(velocity: torch.Tensor, steps: int = 6) -> torch.Tensor:
    """The exponential of a stationary field of velocities, by scaling and squaring: velocity / 2^steps, composed with itself steps times.

    Gradients by the velocity, those of the very operations.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.exp(torch.full((3, 1), 0.5)).flatten().tolist()
    [0.5, 0.5, 0.5]
    """
    field, is_batch = check_field(velocity, "velocity")
    count = integer(steps, "steps", 0, 30)
    field = field * 0.5**count
    for _ in range(count):
        field = compose(field, field)
    return _result(field, is_batch, velocity)


def invert(field: torch.Tensor, iterations: int = 50, tolerance: float = 1e-4) -> torch.Tensor:
    """The field v with v(y) + field(y + v(y)) = 0: compose(v, field) is 0.

    Found by iteration, v = -field(y + v), and a step of Newton's method, which also has the gradient by the implicit function theorem: no
    iteration is kept for it, and it is as exact as v. It is that of first order: gradients of the gradient are not those of v.

    Parameters
    ----------
    field
        Displacements in samples, (*size, D), or (N, *size, D); without folds, and of a slope below 1 for the iteration to converge.
    iterations
        The most of them.
    tolerance
        Samples by which the iteration stops to move any place.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.invert(torch.full((3, 1), 0.5)).flatten().tolist()
    [-0.5, -0.5, -0.5]
    """
    values, is_batch = check_field(field)
    most, least = integer(iterations, "iterations", 1, 10000), number(tolerance, "tolerance", above=0.0)
    dimension = values.shape[-1]
    places = identity(values.shape[1:-1], dtype=values.dtype, device=values.device)
    with torch.no_grad():
        inverse = -values
        for _ in range(most):
            following = -_at(values, places + inverse)
            moved = (following - inverse).abs().max() if inverse.numel() > 0 else inverse.new_zeros(())
            inverse = following
            if not moved > least:
                break
        slope = grad(values.movedim(-1, 1), places + inverse, order=1, mode="nearest").movedim(1, -2)
        slope = slope + torch.eye(dimension, dtype=values.dtype, device=values.device)
    error = inverse + _at(values, places + inverse)
    return _result(inverse - torch.linalg.solve(slope, error.unsqueeze(-1)).squeeze(-1), is_batch, field)


def ffd(coefficients: torch.Tensor, shape: Sequence[int], order: int = 3) -> torch.Tensor:
    """The field of a grid of B-spline coefficients over an image (free-form deformation), as itk::BSplineTransform has it.

    Parameters
    ----------
    coefficients
        Displacements of the grid in samples of the image, (*grid, D), or (N, *grid, D). Along an axis a grid of m cells has m + order points,
        and the cells divide the way from the image's first sample to its last one.
    shape
        Of the image.
    order
        Of the spline, 0 to 5.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.ffd(torch.ones(5, 6, 2), (20, 30)).shape
    torch.Size([20, 30, 2])
    """
    values, is_batch = check_field(coefficients, "coefficients")
    dimension = values.shape[-1]
    order = _gradients.check_order(order)
    size = _gradients.check_shape(shape, dimension)
    grid = values.shape[1:-1]
    if any(n <= order for n in grid):
        raise ValueError(f"coefficients: the grid is {tuple(grid)}; order {order} needs {order + 1} points or more along each axis.")
    scale = torch.tensor([(m - order) / max(n - 1, 1) for m, n in zip(grid, size)], dtype=values.dtype, device=values.device)
    places = identity(size, dtype=values.dtype, device=values.device) * scale + 0.5 * (order - 1)
    # Beyond the outermost points of the grid no weight is but that of a rounding.
    found = sample(values.movedim(-1, 1), places[None], order=order, mode="nearest", prefilter=False)
    return _result(found.movedim(1, -1), is_batch, coefficients)


def differences(field: torch.Tensor, spacing: Sequence[float]) -> list[torch.Tensor]:
    """Derivatives of a batch along each axis: central differences, one-sided at the ends, as ITK has them."""
    axes = list(range(1, 1 + field.shape[-1]))
    return list(torch.gradient(field, spacing=[float(step) for step in spacing], dim=axes))


def spacing_of(spacing: Optional[Sequence[float]], dimension: int) -> list[float]:
    """A step an axis. Raises TypeError or ValueError, naming the argument."""
    if spacing is None:
        return [1.0] * dimension
    try:
        found = [number(step, "spacing", above=0.0) for step in spacing]
    except TypeError:
        raise TypeError(f"spacing: {spacing!r} is no list of numbers above 0.") from None
    if len(found) != dimension:
        raise ValueError(f"spacing: {found} has to be {dimension} numbers, one an axis.")
    return found


def jacobian_determinant(field: torch.Tensor, spacing: Optional[Sequence[float]] = None) -> torch.Tensor:
    """Determinant of the derivative of x + field(x), by central differences that are one-sided at the ends: (*size), or (N, *size).

    Below 0 space is folded. Gradients by the field.

    Parameters
    ----------
    field
        Displacements in samples, (*size, D), or (N, *size, D), three samples or more along each axis.
    spacing
        Distances of samples, where displacements are in that unit; None: 1.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.jacobian_determinant(0.5 * cudaspline.torch.identity((4,))).tolist()
    [1.5, 1.5, 1.5, 1.5]
    """
    values, is_batch = check_field(field, is_finite_difference=True)
    dimension = values.shape[-1]
    columns = differences(values, spacing_of(spacing, dimension))
    a = [[columns[c][..., r] + (1.0 if r == c else 0.0) for c in range(dimension)] for r in range(dimension)]
    if dimension == 1:
        determinant = a[0][0]
    elif dimension == 2:
        determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0]
    else:
        determinant = (
            a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
            - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
            + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])
        )
    return _result(determinant, is_batch, field)
