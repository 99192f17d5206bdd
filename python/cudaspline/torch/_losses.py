"""Losses of registrations and penalties of fields, with gradients: numbers to be made small."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import torch

from .._checks import integer
from ._fields import check_field, jacobian_determinant, spacing_of
from ._functions import _check_tensor, _constant, _same_device, _type_of, push


def _pair(fixed: torch.Tensor, moving: torch.Tensor, mask: Optional[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor]]:
    """Both images in the type that is computed in, 0 where the mask is 0 or NaN, and the mask as true and false."""
    _check_tensor(fixed, "fixed")
    _check_tensor(moving, "moving")
    if fixed.shape != moving.shape:
        raise ValueError(f"moving: its shape is {tuple(moving.shape)}, and that of fixed {tuple(fixed.shape)}.")
    _same_device(moving, fixed, "moving", "fixed")
    used = _type_of(fixed, moving)
    if mask is None:
        return fixed.to(used), moving.to(used), None
    if not isinstance(mask, torch.Tensor):
        raise TypeError(f"mask: {type(mask).__name__} is no torch.Tensor.")
    _same_device(mask, fixed, "mask", "fixed")
    try:
        mask = torch.broadcast_to((mask != 0) & (mask == mask), fixed.shape)
    except RuntimeError:
        raise ValueError(f"mask: its shape is {tuple(mask.shape)}, which does not go with that of fixed, {tuple(fixed.shape)}.") from None
    # What is not finite outside the mask would make NaN of its gradient there, 0 times it.
    zero = torch.zeros((), dtype=used, device=fixed.device)
    return torch.where(mask, fixed.to(used), zero), torch.where(mask, moving.to(used), zero), mask


def _mean(values: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
    """0 where there is nothing."""
    if mask is None:
        return values.mean() if values.numel() > 0 else values.sum()
    return torch.where(mask, values, torch.zeros_like(values)).sum() / mask.sum().clamp(min=1)


def mean_squares(fixed: torch.Tensor, moving: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
    """The mean of the squared differences of two images of one shape, over the samples where the mask is not 0.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.mean_squares(torch.zeros(4), torch.full((4,), 2.0)).item()
    4.0
    """
    fixed, moving, mask = _pair(fixed, moving, mask)
    return _mean((fixed - moving).square(), mask)


def local_correlation(
    fixed: torch.Tensor, moving: torch.Tensor, radius: int = 2, mask: Optional[torch.Tensor] = None
) -> torch.Tensor:
    """Minus the mean of the squared correlations of two images in a window about each sample.

    As itk::ANTSNeighborhoodCorrelationImageToImageMetricv4, windows are cut at the images' ends, and a window where an image is constant has
    the correlation 1. The gradient is exact; ITK's leaves out what a sample changes in the windows of its neighbours.

    Parameters
    ----------
    fixed, moving
        Batches (N, C, *size) of one shape.
    radius
        Windows have 2 radius + 1 samples an axis.
    mask
        Samples that are not 0 there count, in windows too. It has the images' shape, or one that is broadcast.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> image = torch.arange(16.0).reshape(1, 1, 4, 4)
    >>> round(cudaspline.torch.local_correlation(image, 3 - 2 * image).item(), 4)
    -1.0
    """
    fixed, moving, mask = _pair(fixed, moving, mask)
    if not 3 <= fixed.dim() <= 5:
        raise ValueError(f"fixed: its shape is {tuple(fixed.shape)}; images are a batch (N, C, *size) of one to three axes.")
    reach = integer(radius, "radius", 1, 10000)
    valid = torch.ones_like(fixed) if mask is None else mask.to(fixed.dtype)
    # Sums of squares lose less where the means are near 0.
    axes = tuple(range(2, fixed.dim()))
    count = valid.sum(axes, keepdim=True).clamp(min=1)
    a, b = ((image - (image.sum(axes, keepdim=True) / count).detach()) * valid for image in (fixed, moving))
    n = _window_sums(valid, reach).clamp(min=1)
    sum_a, sum_b = _window_sums(a, reach), _window_sums(b, reach)
    aa = _window_sums(a * a, reach) - sum_a * sum_a / n
    bb = _window_sums(b * b, reach) - sum_b * sum_b / n
    ab = _window_sums(a * b, reach) - sum_a * sum_b / n
    # What a constant window has for a variance is the rounding of its sums.
    noise = 64 * torch.finfo(fixed.dtype).eps
    is_flat = (aa <= noise * _window_sums(a * a, reach)) | (bb <= noise * _window_sums(b * b, reach))
    correlation = torch.where(is_flat, 1.0, ab * ab / torch.where(is_flat, 1.0, aa * bb))
    return -_mean(correlation, mask)


def _window_sums(image: torch.Tensor, radius: int) -> torch.Tensor:
    """Sums over windows that are cut at the ends, axis by axis."""
    for axis in range(2, image.dim()):
        lines = image.movedim(axis, -1)
        shape = lines.shape
        kernel = torch.ones(1, 1, 2 * radius + 1, dtype=image.dtype, device=image.device)
        lines = torch.nn.functional.conv1d(lines.reshape(-1, 1, shape[-1]), kernel, padding=radius)
        image = lines.reshape(shape).movedim(-1, axis)
    return image


def mutual_information(
    fixed: torch.Tensor, moving: torch.Tensor, bins: int = 32, mask: Optional[torch.Tensor] = None, limits: Any = None
) -> torch.Tensor:
    """Minus the mutual information of two images (nats), by a joint histogram with cubic B-splines as windows along both axes.

    It has the same bits at every call: the histogram is made by push().

    Parameters
    ----------
    fixed, moving
        Images of one shape, all samples of which make one histogram.
    bins
        Of each image, 5 or more; two at either end are left for the windows.
    mask
        Samples that are not 0 there count.
    limits
        ((least, most) of fixed, (least, most) of moving); None: of the samples. They have no gradient.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> image = torch.arange(64.0)
    >>> cudaspline.torch.mutual_information(image, image).item() < cudaspline.torch.mutual_information(image, image % 2).item()
    True
    """
    fixed, moving, mask = _pair(fixed, moving, mask)
    count = integer(bins, "bins", 5, 4096)
    ends = None if limits is None else _check_limits(limits)
    if mask is not None:
        fixed, moving = fixed[mask], moving[mask]
    if fixed.numel() == 0:
        return (fixed + moving).sum()
    places = []
    for i, image in enumerate((fixed, moving)):
        if ends is None:
            low, high = image.detach().min(), image.detach().max()
        else:
            low, high = (image.new_tensor(end) for end in ends[i])
        scale = (count - 5) / (high - low).clamp(min=torch.finfo(image.dtype).tiny)
        places.append((image - low).clamp(min=0).minimum(high - low) * scale + 2.0)
    points = torch.stack([place.reshape(-1) for place in places], -1)
    joint = push(torch.ones_like(points[:, 0]), points, (count, count), order=3, mode="nearest") / points.shape[0]
    product = joint.sum(1, keepdim=True) * joint.sum(0, keepdim=True)
    is_there = (joint > 0) & (product > 0)
    ratio = torch.where(is_there, joint, 1.0) / torch.where(is_there, product, 1.0)
    return -(torch.where(is_there, joint, 0.0) * ratio.log()).sum()


def _check_limits(limits: Any) -> list[list[float]]:
    try:
        found = [[_constant(end, "limits") for end in pair] for pair in limits]
        if [len(pair) for pair in found] != [2, 2]:
            raise TypeError
    except TypeError:
        raise TypeError(f"limits: {limits!r} are not two pairs of numbers, ((least, most) of fixed, (least, most) of moving).") from None
    if not all(low < high for low, high in found):
        raise ValueError(f"limits: {limits!r} are not two pairs of numbers, the least one first.")
    return found


def diffusion(field: torch.Tensor, spacing: Optional[Sequence[float]] = None) -> torch.Tensor:
    """The mean over the samples of the sum of the squared first derivatives of a field: differences of neighbours, their mean by axis.

    field: (*size, D), or (N, *size, D); spacing: distances of samples, where displacements are in that unit; None: 1.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.diffusion(0.5 * cudaspline.torch.identity((4,))).item()
    0.25
    """
    values, _ = check_field(field)
    steps = spacing_of(spacing, values.shape[-1])
    total = values.new_zeros(())
    for axis, step in enumerate(steps):
        if values.shape[1 + axis] > 1 and values.numel() > 0:
            total = total + (values.diff(dim=1 + axis) / step).square().sum(-1).mean()
    return total


def bending(field: torch.Tensor, spacing: Optional[Sequence[float]] = None) -> torch.Tensor:
    """The mean over the samples of the sum of the squared second derivatives of a field, mixed ones twice: the energy of a bent thin plate.

    Differences of three samples along one axis, and of 2 x 2 samples for mixed ones; where they fit. Arguments as of diffusion().

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.bending(0.5 * cudaspline.torch.identity((4, 5))).item()
    0.0
    """
    values, _ = check_field(field)
    steps = spacing_of(spacing, values.shape[-1])
    total = values.new_zeros(())
    for one in range(len(steps)):
        for other in range(one, len(steps)):
            needed = 3 if one == other else 2
            if values.numel() == 0 or values.shape[1 + one] < needed or values.shape[1 + other] < needed:
                continue
            second = values.diff(dim=1 + one).diff(dim=1 + other) / (steps[one] * steps[other])
            total = total + (1.0 if one == other else 2.0) * second.square().sum(-1).mean()
    return total


def jacobian(field: torch.Tensor, spacing: Optional[Sequence[float]] = None) -> torch.Tensor:
    """The mean of (determinant - 1)^2 of jacobian_determinant(): how much volumes change. Arguments as there.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.jacobian(0.5 * cudaspline.torch.identity((4,))).item()
    0.25
    """
    values, _ = check_field(field, is_finite_difference=True)
    return _mean((jacobian_determinant(values, spacing) - 1.0).square(), None)


def folding(field: torch.Tensor, spacing: Optional[Sequence[float]] = None, least: float = 0.0) -> torch.Tensor:
    """The mean of max(0, least - determinant) of jacobian_determinant(): 0 for a field without folds. Arguments as there.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.folding(-1.5 * cudaspline.torch.identity((4,))).item()
    0.5
    """
    values, _ = check_field(field, is_finite_difference=True)
    return _mean((_constant(least, "least") - jacobian_determinant(values, spacing)).clamp(min=0.0), None)


