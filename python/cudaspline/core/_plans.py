"""What calls that are alike share: made by the first of them, and found by a key by those that follow."""

from __future__ import annotations

from typing import Any, Callable, Generic, Optional, TypeVar

import numpy

from ._methods import Method

_Plan = TypeVar("_Plan")

#: What Plans.get() is given for keys of which nothing is known.
UNKNOWN: Any = object()
#: How many are kept, by default.
_MOST = 256


class Plans(Generic[_Plan]):
    """The latest ones. Any number of threads may ask."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._found: dict[Any, _Plan] = {}
        self._met: dict[Any, None] = {}
        #: get(key, default): the plan of a key, or the default.
        self.get = self._found.get

    def keep(self, key: Any, plan: _Plan) -> _Plan:
        """Remembers a plan, in place of the oldest one where there are many."""
        _insert(self._found, key, plan, self._most)
        return plan

    def meets_again(self, key: Any) -> bool:
        """Whether a key is met for the second time: of calls that are each another one a plan would be made for nothing."""
        if key in self._met:
            self._met.pop(key, None)
            return True
        _insert(self._met, key, None, self._most)
        return False

    def make(self, key: Any, make: Callable[[], _Plan]) -> Optional[_Plan]:
        """What make() makes for a key that is met for the second time; None for others, and where it raises: the function that was called then
        does so, too."""
        if not self.meets_again(key):
            return None
        try:
            return self.keep(key, make())
        except Exception:  # pylint: disable=broad-except
            return None


class Streak:
    """How many calls of a function in a row were done by no plan: where it is long, each is likely another one, and few are worth a key."""

    _LONG = 16

    def __init__(self) -> None:
        self._calls = 0

    def goes_on(self) -> bool:
        """Counts a call. Whether it is worth a look for a plan."""
        self._calls += 1
        return self._calls <= self._LONG or self._calls % self._LONG < 2

    def ends(self) -> None:
        """There was a plan."""
        self._calls = 0


def _insert(into: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    if len(into) >= most:
        try:
            into.pop(next(iter(into)), None)
        except (RuntimeError, StopIteration):  # another thread has changed it meanwhile
            pass
    into[key] = value


_SCALARS = (int, bool, str, type(None))
#: More numbers than these are data, not an option.
_MOST_NUMBERS = 16


def frozen(value: Any) -> Optional[Any]:
    """A value as part of a key: two values of equal keys are the same to whoever reads them. None where it has none."""
    kind = type(value)
    if kind in _SCALARS:
        return kind, value
    if kind is float:
        return kind, value.hex()
    if isinstance(value, (type, numpy.dtype)):
        return kind, value
    if kind is numpy.ndarray:
        return (kind, value.dtype, value.shape, value.tobytes()) if value.size <= _MOST_NUMBERS and value.dtype.kind in "fiu" else None
    if kind is Method:
        return frozen(tuple(vars(value).values()))
    if kind is tuple or kind is list:
        if len(value) > _MOST_NUMBERS:
            return None
        parts = [frozen(one) for one in value]
        return None if None in parts else (kind, *parts)
    return None
