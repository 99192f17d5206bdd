"""Losses of registrations and penalties of fields, with gradients: numbers to be made small."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from ..autodiff import _field_formulas, _loss_formulas
from ..core._threads import takes_threads
from ._array_operations import OPERATIONS


@takes_threads
def mean_squares(fixed: Any, moving: Any, mask: Optional[Any] = None, *, threads: int = 0) -> Any:
    """The mean of the squared differences of two images of one shape, over the samples where the mask is not 0.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.mean_squares(jnp.zeros(4), jnp.full((4,), 2.0)).item()
    4.0
    """
    return _loss_formulas.mean_squares(OPERATIONS, fixed, moving, mask)


@takes_threads
def local_correlation(
    fixed: Any, moving: Any, radius: Union[int, Sequence[int]] = 2, mask: Optional[Any] = None, *, threads: int = 0
) -> Any:
    """Minus the mean of the squared correlations of two images in a window about each sample.

    As itk::ANTSNeighborhoodCorrelationImageToImageMetricv4, windows are cut at the images' ends, and a window where an image is constant has
    the correlation 1. The gradient is exact; ITK's leaves out what a sample changes in the windows of its neighbours. The library makes it
    with the value; derivatives of higher orders are made by a formula.

    Parameters
    ----------
    fixed, moving
        Batches (N, C, *size) of one shape.
    radius
        Windows have 2 radius + 1 samples per axis; a number, or one per axis.
    mask
        Samples that are not 0 there count, in windows too. It has the images' shape, or one that is broadcast.

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
    fixed: Any, moving: Any, bins: int = 32, mask: Optional[Any] = None, limits: Any = None, *, threads: int = 0
) -> Any:
    """Minus the mutual information of two images (nats), by a joint histogram with cubic B-splines as windows along both axes.

    It has the same bits at every call. The library makes the histogram and its first derivatives, a formula those of higher orders.

    Parameters
    ----------
    fixed, moving
        Images of one shape, all samples of which make one histogram.
    bins
        Of each image, 5 or more; two at either end are left for the windows.
    mask
        Samples that are not 0 there count.
    limits
        ((least, most) of fixed, (least, most) of moving), between which a sample that is NaN is in no bin; None: of the samples, which have
        to be finite, else the value is NaN. They have no gradient.

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
    """The mean over the samples of the sum of the squared first derivatives of a field: differences of neighbours, their mean by axis.

    field: (*size, D), or (N, *size, D); spacing: distances of samples, where displacements are in that unit; None: 1.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.diffusion(0.5 * cudaspline.jax.identity((4,))).item()
    0.25
    """
    return _field_formulas.diffusion(OPERATIONS, field, spacing)


@takes_threads
def bending(field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> Any:
    """The mean over the samples of the sum of the squared second derivatives of a field, mixed ones twice: the energy of a bent thin plate.

    Differences of three samples along one axis, and of 2 x 2 samples for mixed ones; where they fit. Arguments as of diffusion().

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.bending(0.5 * cudaspline.jax.identity((4, 5))).item()
    0.0
    """
    return _field_formulas.bending(OPERATIONS, field, spacing)


@takes_threads
def jacobian(field: Any, spacing: Optional[Sequence[float]] = None, *, threads: int = 0) -> Any:
    """The mean of (determinant - 1)^2 of jacobian_determinant(): how much volumes change. Arguments as there.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.jacobian(0.5 * cudaspline.jax.identity((4,))).item()
    0.25
    """
    return _field_formulas.jacobian(OPERATIONS, field, spacing)


@takes_threads
def folding(field: Any, spacing: Optional[Sequence[float]] = None, least: float = 0.0, *, threads: int = 0) -> Any:
    """The mean of max(0, least - determinant) of jacobian_determinant(): 0 for a field without folds. Arguments as there.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.folding(-1.5 * cudaspline.jax.identity((4,))).item()
    0.5
    """
    return _field_formulas.folding(OPERATIONS, field, spacing, least)
