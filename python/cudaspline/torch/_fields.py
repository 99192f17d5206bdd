"""Fields of displacements as functions with gradients."""

from __future__ import annotations

from typing import Optional, Sequence

import torch

from ..autodiff import _field_formulas
from ..core._threads import takes_threads
from ._array_operations import OPERATIONS


@takes_threads
def compose(first: torch.Tensor, second: torch.Tensor, *, threads: int = 0) -> torch.Tensor:
    """The field that moves a place as one field does, and from there as another one does: first(x) + second(x + first(x)).

    The second field is interpolated linearly; outside it has the values of its border. An image under the result is
    warp(warp(image, second), first), except that that one interpolates twice. Gradients by both.

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
    found: torch.Tensor = _field_formulas.compose(OPERATIONS, first, second)
    return found


@takes_threads
def exp(velocity: torch.Tensor, steps: int = 6, *, threads: int = 0) -> torch.Tensor:
    """The exponential of a stationary field of velocities, by scaling and squaring: velocity / 2^steps, composed with itself steps times.

    Gradients by the velocity, those of the very operations.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.exp(torch.full((3, 1), 0.5)).flatten().tolist()
    [0.5, 0.5, 0.5]
    """
    found: torch.Tensor = _field_formulas.exp(OPERATIONS, velocity, steps)
    return found


@takes_threads
def invert(field: torch.Tensor, iterations: int = 50, tolerance: float = 1e-4, *, threads: int = 0) -> torch.Tensor:
    """The field v with v(y) + field(y + v(y)) = 0: compose(v, field) is 0.

    Found by iteration, v = -field(y + v), and a step of Newton's method. Its derivatives are those of the implicit function theorem, up to the
    third: no iteration is kept for them, and they are as exact as v.

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
    found: torch.Tensor = _field_formulas.invert(OPERATIONS, field, iterations, tolerance)
    return found


@takes_threads
def ffd(coefficients: torch.Tensor, shape: Sequence[int], order: int = 3, *, threads: int = 0) -> torch.Tensor:
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
    found: torch.Tensor = _field_formulas.ffd(OPERATIONS, coefficients, shape, order)
    return found


@takes_threads
def jacobian_determinant(field: torch.Tensor, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> torch.Tensor:
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
    found: torch.Tensor = _field_formulas.jacobian_determinant(OPERATIONS, field, spacing)
    return found
