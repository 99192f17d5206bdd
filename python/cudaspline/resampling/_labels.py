"""The label whose indicator, interpolated, is largest: what ITK's
LabelImageGenericInterpolateImageFunction does.

The indicator of a label is 1 at its pixels and 0 elsewhere. The library interpolates one after the
other, in double; of equal values the smallest label wins, and where no value is above 0 the result
is 0.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy

from ..core import _arrays

#: Maximum number of labels: each is interpolated separately.
_MAX_LABELS = 2**16


def winners(
    image: _arrays.Buffer,
    output: _arrays.Buffer,
    default: numpy.ndarray,
    rounding: int,
    interpolate: Callable[[_arrays.Buffer, _arrays.Buffer, float, float], None],
) -> None:
    """Writes the labels that win.

    image: labels, in host memory
    output: in host memory, of the result's shape
    default: the pixel outside, in the output's type
    rounding: how labels that are real numbers become integers: cudaspline_rounding
    interpolate: called with the indicator of a label (uint8), where its values go (float64; NaN
        outside), and the part of the work that this is as two fractions

    Raises ValueError, naming the argument, for images of too many values."""
    array, result = _arrays.to_host(image), _arrays.to_host(output)
    labels = numpy.unique(array)
    labels = labels[labels == labels]  # without NaN
    if len(labels) > _MAX_LABELS:
        raise ValueError(
            f"interpolation: the image has {len(labels)} values; interpolations of labels support at most {_MAX_LABELS}."
        )
    values = numpy.empty(output.shape)
    largest = numpy.zeros(output.shape)
    result[...] = 0
    count = max(1, len(labels))
    for number in range(count):
        is_label = array == labels[number] if len(labels) else numpy.zeros(array.shape, bool)
        interpolate(
            _arrays.view(is_label.view("u1"), "image"),
            _arrays.view(values, "out"),
            number / count,
            (number + 1) / count,
        )
        is_larger = values > largest
        largest[is_larger] = values[is_larger]
        if len(labels):
            result[is_larger] = cast(labels[number], result.dtype, rounding)
    is_outside = numpy.isnan(values)
    if is_outside.any():
        result[...] = numpy.where(is_outside, default if default.size > 1 else default[0], result)


def cast(label: Any, dtype: Any, rounding: int) -> Any:
    """A label in another type, as the library casts: rounded or truncated, and clamped."""
    if dtype.kind == "f":
        return label
    limits = numpy.iinfo(dtype)
    return (
        min(
            max(
                int(numpy.rint(label) if rounding and label.dtype.kind == "f" else label),
                limits.min,
            ),
            limits.max,
        )
        if numpy.isfinite(label)
        else (limits.max if label > 0 else limits.min)
    )


def part_of(progress: Any, begin: float, end: float) -> Any:
    """A callback for a part of the work."""
    return None if progress is None else lambda fraction: progress(begin + (end - begin) * fraction)
