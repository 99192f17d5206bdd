"""Differentiable losses of registrations and penalties of fields, to be minimized."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from ..autodiff import _field_formulas, _loss_formulas
from ..core._threads import takes_threads
from ._array_operations import OPERATIONS


@takes_threads
def mean_squares(fixed: Any, moving: Any, mask: Optional[Any] = None, *, threads: int = 0) -> Any:
    """The mean of the squared differences of two images with the same shape, over the samples where
    the mask is not 0.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.mean_squares(jnp.zeros(4), jnp.full((4,), 2.0)).item()
    4.0
    """
    return _loss_formulas.mean_squares(OPERATIONS, fixed, moving, mask)


@takes_threads
def local_correlation(
    fixed: Any,
    moving: Any,
    radius: Union[int, Sequence[int]] = 2,
    mask: Optional[Any] = None,
    *,
    threads: int = 0,
) -> Any:
    """Minus the mean of the squared correlations of two images in a window around each sample.

    As in itk::ANTSNeighborhoodCorrelationImageToImageMetricv4, windows are truncated at the ends of
    the images, and the correlation is 1 in a window where an image is constant. The gradient is
    exact; ITK's gradient ignores the effect of a sample on the windows of its neighbours. The
    library computes the gradient together with the value; higher derivatives are computed with
    operations of the array library.

    Parameters
    ----------
    fixed, moving
        Batches (N, C, *size) with the same shape.
    radius
        Windows have 2 radius + 1 samples per axis; a number, or one per axis.
    mask
        Only samples where the mask is not 0 are used, also in windows. It has the shape of the
        images, or a shape that can be broadcast to it.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> image = jnp.arange(16.0).reshape(1, 1, 4, 4)
    >>> round(cudaspline.jax.local_correlation(image, 3 - 2 * image).item(), 4)
    -1.0
    """
    return _loss_formulas.local_correlation(OPERATIONS, fixed, moving, radius, mask)


@takes_threads
def mutual_information(
    fixed: Any,
    moving: Any,
    bins: int = 32,
    mask: Optional[Any] = None,
    limits: Any = None,
    *,
    threads: int = 0,
) -> Any:
    """Minus the mutual information of two images (nats), from a joint histogram with cubic
    B-splines as windows along both axes.

    The result has the same bits in every call. The library computes the histogram and its first
    derivatives; higher derivatives are computed with operations of the array library.

    Parameters
    ----------
    fixed, moving
        Images with the same shape. All samples are in one histogram.
    bins
        The number of bins for each image, at least 5; two at either end are reserved for the
        windows.
    mask
        Only samples where the mask is not 0 are used.
    limits
        ((minimum, maximum) of fixed, (minimum, maximum) of moving): the range of the histogram;
        samples that are NaN are ignored. None: the range of the samples; if one is not finite, the
        result is NaN. The limits have no gradient.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> image = jnp.arange(64.0)
    >>> cudaspline.jax.mutual_information(image, image).item() < cudaspline.jax.mutual_information(image, image % 2).item()
    True
    """
    return _loss_formulas.mutual_information(OPERATIONS, fixed, moving, bins, mask, limits)


@takes_threads
def diffusion(field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> Any:
    """The mean over the samples of the sum of the squared first derivatives of a field. Derivatives
    are differences of neighbours; they are averaged for each axis.

    field: (*size, D), or (N, *size, D); spacing: the distances between samples, in the unit of the
        displacements; None: 1.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.diffusion(0.5 * cudaspline.jax.identity((4,))).item()
    0.25
    """
    return _field_formulas.diffusion(OPERATIONS, field, spacing)


@takes_threads
def bending(field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> Any:
    """The bending energy of a field: the mean over the samples of the sum of the squared second
    derivatives, with mixed derivatives counted twice.

    Derivatives are differences of three samples along one axis, and of 2 x 2 samples for mixed
    derivatives, at all positions where these samples exist. Arguments are those of diffusion().

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.bending(0.5 * cudaspline.jax.identity((4, 5))).item()
    0.0
    """
    return _field_formulas.bending(OPERATIONS, field, spacing)


@takes_threads
def jacobian(field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> Any:
    """The mean of (determinant - 1)^2, with the determinants of jacobian_determinant(): a penalty
    of volume changes. Arguments are those of jacobian_determinant().

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.jacobian(0.5 * cudaspline.jax.identity((4,))).item()
    0.25
    """
    return _field_formulas.jacobian(OPERATIONS, field, spacing)


@takes_threads
def folding(
    field: Any, spacing: Optional[Sequence[float]] = None, least: float = 0.0, *, threads: int = 0
) -> Any:
    """The mean of max(0, least - determinant), with the determinants of jacobian_determinant(): 0
    for a field without folds. Arguments are those of jacobian_determinant().

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.folding(-1.5 * cudaspline.jax.identity((4,))).item()
    0.5
    """
    return _field_formulas.folding(OPERATIONS, field, spacing, least)
