"""The keyword threads= of cudaspline.torch and cudaspline.jax."""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar, cast

from . import _library
from ._checks import LARGEST_INT32, integer

_Function = TypeVar("_Function", bound=Callable[..., Any])


def takes_threads(function: _Function) -> _Function:
    """A function whose keyword threads is that of use_threads() for all it calls, and so for the derivatives, which keep it; 0 changes nothing.

    Raises TypeError or ValueError, naming the argument."""

    @functools.wraps(function)
    def call(*arguments: Any, threads: int = 0, **options: Any) -> Any:
        count = integer(threads, "threads", 0, LARGEST_INT32)
        if count == 0:
            return function(*arguments, **options)
        with _library.ChosenThreads(count):
            return function(*arguments, **options)

    return cast(_Function, call)
