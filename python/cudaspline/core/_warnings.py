"""Warnings about results that are likely to be another thing than what was wanted: classes of their
own, told at the line that called the package, once for each line as warnings are.

    warnings.simplefilter("error", cudaspline.OutsideWarning)       # nothing of the image in the output: an error
    warnings.simplefilter("ignore", cudaspline.DownsamplingWarning)
"""

from __future__ import annotations

import sys
import threading
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, Optional, Type

_PACKAGE = __name__.partition(".")[0]
#: The list that receives the warnings of a thread.
_local = threading.local()


class ResamplingWarning(UserWarning):
    """What was resampled is likely not what was wanted: the base of the others, and itself for
    inverses that leave more than 0.1 mm, for values that are not finite and spread, and for lists
    of transforms that seem to have the other order.

    >>> import cudaspline
    >>> issubclass(cudaspline.OutsideWarning, cudaspline.ResamplingWarning)
    True
    """


class DownsamplingWarning(ResamplingWarning):
    """The output samples the image coarsely, and nothing was smoothed: detail between the samples
    is lost or aliased.

    >>> import warnings
    >>> import numpy
    >>> import cudaspline
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = cudaspline.zoom(numpy.ones((8, 8)), 0.5)
    >>> caught[0].category.__name__
    'DownsamplingWarning'
    """


class OutsideWarning(ResamplingWarning):
    """All of the output has the default value, though the image has others.

    >>> import warnings
    >>> import numpy
    >>> import cudaspline
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = cudaspline.resample(numpy.ones((8, 8)), [[1, 0, 100], [0, 1, 0]])
    >>> caught[0].category.__name__
    'OutsideWarning'
    """


class FileWarning(UserWarning):
    """A file says something twice and differently, not at all, or nearly what its format allows:
    what was taken is in the message.

    >>> import cudaspline
    >>> issubclass(cudaspline.FileWarning, cudaspline.ResamplingWarning)
    False
    """


class LabelWarning(ResamplingWarning):
    """An image that looks like labels (whole numbers, of which at most 128 are distinct, with 16
    pixels for each on average; of a real type at least 3) is resampled by an interpolation that
    mixes them.

    >>> import warnings
    >>> import numpy
    >>> import cudaspline
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = cudaspline.zoom(numpy.eye(8, dtype="uint8"), 2)
    >>> caught[0].category.__name__
    'LabelWarning'
    """


class RegistrationWarning(UserWarning):
    """A registration was stopped, has images with pixels that are not finite, or a result that
    needs attention: images that do not seem to belong to each other, levels that were undone or
    need more iterations, a start that was replaced.

    >>> import cudaspline
    >>> issubclass(cudaspline.RegistrationWarning, cudaspline.ResamplingWarning)
    False
    """


def printable(text: str) -> str:
    """A text as one line of at most 1000 letters, with "?" for those that are not printable:
    damaged files may have any names and fields."""
    short = text if len(text) <= 1000 else f"{text[:800]} ... {text[-195:]}"
    return "".join(letter if letter.isprintable() else "?" for letter in short)


@contextmanager
def collected() -> Iterator[list[tuple[str, Type[Warning]]]]:
    """Collects the warnings that the package gives in this thread, (message, category), instead of
    showing them. warnings.catch_warnings() changes the warnings of all threads."""
    before = getattr(_local, "found", None)
    found: list[tuple[str, Type[Warning]]] = []
    _local.found = found
    try:
        yield found
    finally:
        _local.found = before


def warn(message: str, category: Type[Warning]) -> None:
    """Warns at the line that called the package."""
    found: Optional[list[tuple[str, Type[Warning]]]] = getattr(_local, "found", None)
    if found is not None:
        found.append((printable(message), category))
        return
    level = 1
    frame: Optional[Any] = sys._getframe()
    while (
        frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE
    ):
        frame = frame.f_back
        level += 1
    warnings.warn(printable(message), category, stacklevel=level)
