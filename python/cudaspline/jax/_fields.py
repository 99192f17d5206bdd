"""Fields of displacements as functions with gradients."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ..autodiff import _field_formulas
from ..core._threads import takes_threads
from ._array_operations import OPERATIONS


@takes_threads
def compose(first: Any, second: Any, *, threads: int = 0) -> Any:
    """The field that moves a place as one field does, and from there as another one does: first(x) + second(x + first(x)).

    The second field is interpolated linearly; outside it has the values of its border. An image under the result is
    warp(warp(image, second), first), except that that one interpolates twice. Gradients by both.

    Parameters
    ----------
    first, second
        Displacements in samples, (*size, D), or (N, *size, D) of a batch, in the order of the axes.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.compose(jnp.full((3, 1), 0.5), jnp.full((3, 1), 0.25)).flatten().tolist()
    [0.75, 0.75, 0.75]
    """
    return _field_formulas.compose(OPERATIONS, first, second)


@takes_threads
def exp(velocity: Any, steps: int = 6, *, threads: int = 0) -> Any:
    """The exponential of a stationary field of velocities, by scaling and squaring: velocity / 2^steps, composed with itself steps times.

    Gradients by the velocity, those of the very operations.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.exp(jnp.full((3, 1), 0.5)).flatten().tolist()
    [0.5, 0.5, 0.5]
    """
    return _field_formulas.exp(OPERATIONS, velocity, steps)


@takes_threads
def invert(field: Any, iterations: int = 50, tolerance: float = 1e-4, *, threads: int = 0) -> Any:
    """The field v with v(y) + field(y + v(y)) = 0: compose(v, field) is 0.

    Found by iteration, v = -field(y + v), and a step of Newton's method. Its derivatives are those of the implicit function theorem, up to the
    third: no iteration is kept for them, and they are as exact as v.

    Parameters
    ----------
    field
        Displacements in samples, (*size, D), or (N, *size, D); without folds, and of a slope below 1 for the iteration to converge.
    iterations
        The most of them; under jax.jit as many as it takes, too.
    tolerance
        Samples by which the iteration stops to move any place.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.invert(jnp.full((3, 1), 0.5)).flatten().tolist()
    [-0.5, -0.5, -0.5]
    """
    return _field_formulas.invert(OPERATIONS, field, iterations, tolerance)


@takes_threads
def ffd(coefficients: Any, shape: Sequence[int], order: int = 3, *, threads: int = 0) -> Any:
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
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.ffd(jnp.ones((5, 6, 2)), (20, 30)).shape
    (20, 30, 2)
    """
    return _field_formulas.ffd(OPERATIONS, coefficients, shape, order)


@takes_threads
def jacobian_determinant(field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> Any:
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
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.jacobian_determinant(0.5 * cudaspline.jax.identity((4,))).tolist()
    [1.5, 1.5, 1.5, 1.5]
    """
    return _field_formulas.jacobian_determinant(OPERATIONS, field, spacing)
