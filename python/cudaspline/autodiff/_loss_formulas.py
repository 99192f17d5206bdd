"""Losses of registrations, for whatever library of arrays: one formula below cudaspline.torch and
cudaspline.jax, which document the functions of these names. of: what the library has."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from ..core._checks import integer
from ._array_operations import ArrayOperations, FormulaOperations
from ._field_formulas import is_empty, mean


def _checked(
    of: ArrayOperations, fixed: Any, moving: Any, mask: Any
) -> tuple[Any, Any, Optional[Any]]:
    """Both images in the type that is computed in, and the mask as true and false."""
    fixed, moving = of.check(fixed, "fixed"), of.check(moving, "moving")
    if fixed.shape != moving.shape:
        raise ValueError(
            f"moving: its shape is {tuple(moving.shape)} and that of fixed {tuple(fixed.shape)}; they must be equal."
        )
    of.check_together(moving, fixed, "moving", "fixed")
    fixed, moving = of.computed(fixed, moving)
    if mask is None:
        return fixed, moving, None
    mask = of.check_mask(mask, fixed)
    try:
        mask = of.broadcast((mask != 0) & (mask == mask), fixed.shape)
    except (RuntimeError, ValueError):
        raise ValueError(
            f"mask: the shape {tuple(mask.shape)} cannot be broadcast to that of fixed, {tuple(fixed.shape)}."
        ) from None
    return fixed, moving, mask


def _pair(
    of: ArrayOperations, fixed: Any, moving: Any, mask: Any
) -> tuple[Any, Any, Optional[Any]]:
    """The same with images that are 0 where the mask is 0 or NaN."""
    fixed, moving, mask = _checked(of, fixed, moving, mask)
    return (*_under(of, fixed, moving, mask), mask)


def _under(of: FormulaOperations, fixed: Any, moving: Any, mask: Optional[Any]) -> tuple[Any, Any]:
    """Images that are 0 outside a mask: what is not finite there would make NaN of its gradient, 0
    times it."""
    return (
        (fixed, moving)
        if mask is None
        else (of.where(mask, fixed, 0.0), of.where(mask, moving, 0.0))
    )


def mean_squares(of: ArrayOperations, fixed: Any, moving: Any, mask: Any) -> Any:
    fixed, moving, mask = _pair(of, fixed, moving, mask)
    difference = fixed - moving
    return mean(of, difference * difference, mask)


def local_correlation(of: ArrayOperations, fixed: Any, moving: Any, radius: Any, mask: Any) -> Any:
    fixed, moving, mask = _checked(of, fixed, moving, mask)
    if not 3 <= fixed.ndim <= 5:
        raise ValueError(
            f"fixed: its shape is {tuple(fixed.shape)}; it must be a batch of images, (N, C, *size) with one to three axes."
        )
    reach = _radius_of(radius, fixed.ndim - 2)
    if is_empty(fixed):
        return -(fixed + moving).sum()
    sums = of.correlation_sums(fixed, moving, mask, reach).sum()
    if mask is None:
        return -sums / math.prod(fixed.shape)
    count = mask.sum()
    return -sums / of.where(count > 0, count, 1)


def _radius_of(radius: Any, dimension: int) -> tuple[int, ...]:
    """The radii of windows, one per axis."""
    given: tuple[Any, ...] = (radius,) * dimension
    if not isinstance(
        radius, int
    ):  # of which torch.compile refuses to make a tuple, instead of raising what Python raises
        try:
            given = tuple(radius)
        except TypeError:
            pass
    if len(given) != dimension:
        raise ValueError(
            f"radius: {radius!r} has {len(given)} numbers; it must be one number, or {dimension}, one per axis."
        )
    return tuple(integer(one, "radius", 1, 10000) for one in given)


def correlation_sums(
    of: FormulaOperations, fixed: Any, moving: Any, mask: Optional[Any], radius: Sequence[int]
) -> Any:
    """For each image of a batch (N, C, *size), the sum over its samples of the squared correlation
    in the window around each: (N, C). With derivatives of all orders; the library's operation has
    the same values and first derivatives."""
    fixed, moving = _under(of, fixed, moving, mask)
    ones = of.broadcast(of.array(1.0, fixed), fixed.shape)
    valid = ones if mask is None else of.where(mask, ones, 0.0)
    # Sums of squares lose less where the means are near 0.
    axes = tuple(range(2, fixed.ndim))

    def middle(image: Any) -> Any:
        count = valid.sum(axes, keepdims=True)
        return image.sum(axes, keepdims=True) / of.where(count > 0, count, 1.0)

    a, b = ((image - of.constants(middle, image)) * valid for image in (fixed, moving))
    n = of.window_sums(valid, radius)
    n = of.where(n > 1.0, n, 1.0)
    sum_a, sum_b = of.window_sums(a, radius), of.window_sums(b, radius)
    squares_a, squares_b = of.window_sums(a * a, radius), of.window_sums(b * b, radius)
    aa = squares_a - sum_a * sum_a / n
    bb = squares_b - sum_b * sum_b / n
    ab = of.window_sums(a * b, radius) - sum_a * sum_b / n
    # The computed variance of a constant window is the rounding error of its sums.
    noise = 64 * of.epsilon(fixed)
    is_flat = (aa <= noise * squares_a) | (bb <= noise * squares_b)
    correlation = of.where(is_flat, 1.0, ab * ab / of.where(is_flat, 1.0, aa * bb))
    return (correlation if mask is None else of.where(mask, correlation, 0.0)).sum(axes)


def mutual_information(
    of: ArrayOperations, fixed: Any, moving: Any, bins: int, mask: Any, limits: Any
) -> Any:
    fixed, moving, mask = _checked(of, fixed, moving, mask)
    count = integer(bins, "bins", 5, 4096)
    ends = None if limits is None else _check_limits(of, limits)
    if is_empty(fixed):
        return (fixed + moving).sum()
    if ends is None:
        found = [
            of.constants(lambda image: _ends(of, image, mask), image) for image in (fixed, moving)
        ]
    else:
        found = [
            tuple(of.array(end, image) for end in pair)
            for pair, image in zip(ends, (fixed, moving))
        ]
    number: Any = float(math.prod(fixed.shape))
    if mask is not None:
        number = mask.sum()
        number = of.where(number > 0, number, 1)
    value = of.of_joint_histogram(
        lambda *given: _information(of, *given),
        fixed,
        moving,
        mask,
        of.stack([*found[0], *found[1]]),
        count,
        number,
    )
    if ends is not None:
        return value
    (a, b), (c, d) = found
    return value * (
        1.0 + ((a - a) + (b - b) + (c - c) + (d - d))
    )  # NaN where an end is not finite: all samples would be in no bin


def _information(of: ArrayOperations, joint: Any, number: Any) -> Any:
    """Minus the mutual information of a joint histogram of that many samples."""
    joint = joint / number
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    is_there = (joint > 0) & (product > 0)
    ratio = of.where(is_there, joint, 1.0) / of.where(is_there, product, 1.0)
    return -(of.where(is_there, joint, 0.0) * of.log(ratio)).sum()


def joint_histogram(
    of: FormulaOperations, fixed: Any, moving: Any, mask: Optional[Any], ends: Any, bins: int
) -> Any:
    """How many samples are in each bin of two images, (bins, bins), with cubic windows; two bins
    are left beyond either end. With derivatives of all orders; the library's operation has the same
    values and first derivatives.

    ends: least and most of fixed, then of moving"""
    fixed, moving = _under(of, fixed, moving, mask)
    ones = of.broadcast(of.array(1.0, fixed), fixed.shape)
    valid = ones if mask is None else of.where(mask, ones, 0.0)
    places = []
    for image, low, high in ((fixed, ends[0], ends[1]), (moving, ends[2], ends[3])):
        span = high - low
        scale = (bins - 5) / of.where(span > 0, span, 1.0)
        reached = of.where(image < low, 0.0, of.where(image > high, span, image - low))
        place = reached * scale + 2.0
        places.append((place if mask is None else of.where(mask, place, 2.0)).reshape(-1))
    return of.push(valid.reshape(-1), of.stack(places), (bins, bins), 3)


def _ends(of: ArrayOperations, image: Any, mask: Any) -> tuple[Any, Any]:
    """The least and the largest sample; 0 where there is none."""
    if mask is None:
        return image.min(), image.max()
    far, is_there = float("inf"), mask.sum() > 0
    low, high = of.where(mask, image, far).min(), of.where(mask, image, -far).max()
    return of.where(is_there, low, 0.0), of.where(is_there, high, 0.0)


def _check_limits(of: ArrayOperations, limits: Any) -> list[list[float]]:
    try:
        found = [[of.constant(end, "limits") for end in pair] for pair in limits]
        if [len(pair) for pair in found] != [2, 2]:
            raise TypeError
    except TypeError:
        raise TypeError(
            f"limits: {limits!r} must be ((minimum, maximum) of fixed, (minimum, maximum) of moving)."
        ) from None
    if not all(low < high for low, high in found):
        raise ValueError(f"limits: {limits!r} must be two pairs of numbers with the minimum first.")
    return found
