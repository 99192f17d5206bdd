"""Differentiable functions of displacement fields."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ..autodiff import _field_formulas
from ..core._threads import takes_threads
from ._array_operations import OPERATIONS


@takes_threads
def compose(first: Any, second: Any, *, threads: int = 0) -> Any:
    """The composition of two fields: first(x) + second(x + first(x)).

    A point is moved by the first field, and the moved point by the second field.

    The second field is interpolated linearly; outside of it, the values at its border are used.
    Warping an image by the result equals warp(warp(image, second), first), which interpolates the
    image twice. The result has gradients with respect to both fields.

    Parameters
    ----------
    first, second
        Displacements in samples: (*size, D), or (N, *size, D) for a batch. Components are in the
        order of the axes.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.compose(jnp.full((3, 1), 0.5), jnp.full((3, 1), 0.25)).flatten().tolist()
    [0.75, 0.75, 0.75]
    """
    return _field_formulas.compose(OPERATIONS, first, second)


@takes_threads
def exp(velocity: Any, steps: int = 6, *, threads: int = 0) -> Any:
    """The exponential of a stationary velocity field, by scaling and squaring: velocity / 2^steps
    is composed with itself, steps times.

    The result has gradients with respect to the velocity: those of these operations.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.exp(jnp.full((3, 1), 0.5)).flatten().tolist()
    [0.5, 0.5, 0.5]
    """
    return _field_formulas.exp(OPERATIONS, velocity, steps)


@takes_threads
def invert(field: Any, iterations: int = 50, tolerance: float = 1e-4, *, threads: int = 0) -> Any:
    """The inverse field v with v(y) + field(y + v(y)) = 0, so that compose(v, field) is 0.

    It is computed by the iteration v = -field(y + v) and a step of Newton's method. Derivatives up
    to the third follow from the implicit function theorem: they need no memory for the iterations,
    and are as accurate as v.

    Parameters
    ----------
    field
        Displacements in samples: (*size, D), or (N, *size, D). The iteration converges if the field
        has no folds and its derivative is below 1.
    iterations
        The maximum number of iterations, also under jax.jit.
    tolerance
        The iteration ends when no displacement changes by more than this number of samples.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.invert(jnp.full((3, 1), 0.5)).flatten().tolist()
    [-0.5, -0.5, -0.5]
    """
    return _field_formulas.invert(OPERATIONS, field, iterations, tolerance)


@takes_threads
def ffd(coefficients: Any, shape: Sequence[int], order: int = 3, *, threads: int = 0) -> Any:
    """The displacement field of a grid of B-spline coefficients over an image (free-form
    deformation), as of itk::BSplineTransform.

    Parameters
    ----------
    coefficients
        Displacements of the grid in samples of the image: (*grid, D), or (N, *grid, D). Along an
        axis a grid with m cells has m + order points. The cells divide the distance from the
        image's first sample to its last sample.
    shape
        The shape of the image.
    order
        The order of the spline, 0 to 5.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.ffd(jnp.ones((5, 6, 2)), (20, 30)).shape
    (20, 30, 2)
    """
    return _field_formulas.ffd(OPERATIONS, coefficients, shape, order)


@takes_threads
def jacobian_determinant(
    field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0
) -> Any:
    """The Jacobian determinant of x + field(x): (*size), or (N, *size). Derivatives are central
    differences, one-sided at the ends.

    Space is folded where it is below 0. The result has gradients with respect to the field.

    Parameters
    ----------
    field
        Displacements: (*size, D), or (N, *size, D), with at least three samples along each axis.
    spacing
        The distances between samples, in the unit of the displacements. None: 1, for displacements
        in samples.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.jacobian_determinant(0.5 * cudaspline.jax.identity((4,))).tolist()
    [1.5, 1.5, 1.5, 1.5]
    """
    return _field_formulas.jacobian_determinant(OPERATIONS, field, spacing)
