"""Calls that are alike: what a function of this package checks and describes, once for calls that differ in elements alone.

The second call of its kind is observed. If it only passed one structure to the library, for the given arrays and a new one, the structure is
kept. Later calls pass a copy of it with their addresses.
"""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable, Optional, TypeVar, cast

from ..core import _arrays, _library
from ..core._plans import UNKNOWN, Plans, Streak, frozen

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: The calls of the library within an observed function of this thread; no attribute, or None, if no function is observed.
_watched = threading.local()


def note(name: str, description: Any, threads: int) -> None:
    """Tells whoever watches of a call of the library."""
    calls: Optional[list[Any]] = getattr(_watched, "calls", None)
    if calls is not None:
        calls.append((name, description, threads))


def refuse_plan() -> None:
    """Tells whoever watches that a call warns, or depends on the values of its array, so that others that are alike may do other things."""
    calls: Optional[list[Any]] = getattr(_watched, "calls", None)
    if calls is not None:
        calls.append(None)


class _Plan:
    """A call of the library: a structure without addresses, and the array that it writes."""

    def __init__(self, name: str, description: Any, threads: int, shape: tuple[int, ...], dtype: str) -> None:
        self._name, self._threads, self._shape, self._dtype = name, threads, shape, dtype
        self._kind = type(description)
        self._description = self._kind.from_buffer_copy(description)

    def run(self, given: _arrays.Buffer, coordinates: Optional[_arrays.Buffer]) -> Any:
        """Calls it with arrays of the same kinds, and returns what it has written."""
        made = _arrays.empty(given, self._shape, self._dtype, True)
        description = self._kind.from_buffer_copy(self._description)
        description.input.data, description.output.data = given.pointer, made.pointer
        description.stream = given.stream
        if coordinates is not None:
            description.coordinates = coordinates.pointer
        _library.run_where(self._name, description, self._threads)
        return made.array


_PLANS: Plans[Optional[_Plan]] = Plans()


def _plan_of(calls: list[Any], given: _arrays.Buffer, coordinates: Optional[_arrays.Buffer], result: Any) -> Optional[_Plan]:
    """The plan of an observed call; None if it did more than calling the library once for these arrays."""
    made = _arrays.view_plainly(result)
    if len(calls) != 1 or calls[0] is None or made is None:
        return None
    name, description, threads = calls[0]
    is_all = (description.input.data, description.output.data) == (given.pointer, made.pointer)
    if coordinates is not None:
        is_all = is_all and description.coordinates == coordinates.pointer
    return _Plan(name, description, threads, made.shape, made.dtype) if is_all else None


def shares_plans(takes_coordinates: bool = False, besides: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Decorates a function whose first argument is an array and whose other arguments are options.

    takes_coordinates: the second argument is an array, too
    besides: options of calls that do more than calling the library"""

    def decorate(function: _Function) -> _Function:
        name = function.__name__
        first = 2 if takes_coordinates else 1
        streak = Streak()

        @functools.wraps(function)
        def planned(*arguments: Any, **options: Any) -> Any:
            given = _arrays.view_plainly(arguments[0]) if len(arguments) >= first and streak.goes_on() else None
            coordinates = _arrays.view_plainly(arguments[1]) if given is not None and takes_coordinates else None
            if given is None or (takes_coordinates and coordinates is None):
                return function(*arguments, **options)
            parts: list[Any] = [name, given.kind, given.dtype, given.shape, given.device]
            if coordinates is not None:
                parts += [coordinates.kind, coordinates.dtype, coordinates.shape, coordinates.device]
            for value in arguments[first:]:
                parts.append(frozen(value))
            for option, value in options.items():
                parts.append(option)
                parts.append(None if option in besides else frozen(value))
            if None in parts:
                return function(*arguments, **options)
            key = tuple(parts)
            plan = _PLANS.get(key, UNKNOWN)
            if plan is not None and plan is not UNKNOWN:
                streak.ends()
                return plan.run(given, coordinates)
            if plan is None or not _PLANS.meets_again(key):
                return function(*arguments, **options)
            calls: list[Any] = []
            _watched.calls = calls
            try:
                result = function(*arguments, **options)
            finally:
                _watched.calls = None
            is_given = any([value is result for value in (*arguments, *options.values())])  # an output, which is written each time
            _PLANS.keep(key, None if is_given else _plan_of(calls, given, coordinates, result))
            return result

        return cast(_Function, planned)

    return decorate
