"""What calls that are alike share: made by the first of them, and found by a key by those that follow."""

from __future__ import annotations

from typing import Any, Generic, Optional, TypeVar

import numpy

_Plan = TypeVar("_Plan")

#: How many are kept, by default.
_MOST = 256


class Plans(Generic[_Plan]):
    """The latest ones. Any number of threads may ask."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._found: dict[Any, _Plan] = {}
        #: The plan of a key, or None.
        self.get = self._found.get

    def keep(self, key: Any, plan: _Plan) -> _Plan:
        """Remembers a plan, in place of the oldest one where there are many."""
        if len(self._found) >= self._most:
            try:
                self._found.pop(next(iter(self._found)), None)
            except (RuntimeError, StopIteration):  # another thread has changed them meanwhile
                pass
        self._found[key] = plan
        return plan


_SCALARS = (int, bool, str, type(None))
#: More numbers are no option, but data.
_MOST_NUMBERS = 16


def frozen(value: Any) -> Optional[Any]:
    """A value as part of a key: two values of equal keys are the same to whoever reads them. None where it has none."""
    kind = type(value)
    if kind in _SCALARS:
        return kind, value
    if kind is float:
        return value.hex()
    if isinstance(value, (type, numpy.dtype)):
        return kind, value
    if kind is numpy.ndarray:
        return (kind, value.dtype, value.shape, value.tobytes()) if value.size <= _MOST_NUMBERS and value.dtype.kind in "fiu" else None
    if kind is tuple or kind is list:
        if len(value) > _MOST_NUMBERS:
            return None
        parts = [frozen(one) for one in value]
        return None if None in parts else (kind, *parts)
    return None
