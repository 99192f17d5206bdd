"""Checks of numbers that callers give: the library's integers have 32 or 64 bits, and ctypes would
wrap what does not fit."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
from typing import Any, Collection, Iterable, Optional

LARGEST_INT32 = 2**31 - 1
LARGEST_INT64 = 2**63 - 1
LARGEST_UINT64 = 2**64 - 1


def integer(value: Any, name: str, least: int, most: int) -> int:
    """A whole number of a range. Raises TypeError for other types, ValueError for numbers outside
    the range; both name the argument."""
    try:
        if isinstance(value, bool):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a whole number.") from None
    if not least <= found <= most:
        raise ValueError(f"{name}: {found} must be between {least} and {most}.")
    return found


def number(value: Any, name: str, above: Optional[float] = None, is_finite: bool = True) -> float:
    """A number as a float. Raises TypeError for other types, ValueError if it is not finite or not
    above another number; both name the argument."""
    try:
        if isinstance(value, (bool, str, bytes, complex)):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: {value!r} is not a real number.") from None
    if (
        is_finite and not -math.inf < found < math.inf
    ):  # not isfinite(), which takes no symbol of torch.compile
        raise ValueError(f"{name}: {value!r} must be finite.")
    if above is not None and not found > above:
        raise ValueError(f"{name}: {value!r} must be greater than {above:g}.")
    return found


def choose(value: Any, choices: Any, name: str) -> Any:
    """The entry of a word. Raises ValueError, naming the argument and the words that there are."""
    key = value.lower() if isinstance(value, str) else None
    if key is None or key not in choices:
        similar = difflib.get_close_matches(key, choices, 1) if key is not None else []
        meant = f" did you mean {similar[0]!r}?" if similar else ""
        # The first one of several names of a choice is listed.
        names = {id(choice): word for word, choice in reversed(list(choices.items()))}.values()
        raise ValueError(
            f"{name}: {value!r} is not allowed;{meant} use one of {', '.join(sorted(map(repr, names)))}."
        )
    return choices[key]


#: What arguments of other libraries are called here.
_OTHER_NAMES = {
    "cval": "default",
    "fixed_mask": "mask",
    "interpolator": "interpolation",
    "output_spacing": "spacing",
    "type_of_transform": "stages",
}


def check_keywords(
    given: Iterable[str], allowed: Collection[str], function: Any, what: Optional[str] = None
) -> None:
    """Raises TypeError, naming the argument and the similar one that was likely meant, for keywords
    that are not among the allowed ones.

    function: that has them as its **options, after the arguments that it names
    what: the function, for the message; None: its name"""
    for name in given:
        if name not in allowed:
            named = [one for one in inspect.signature(function).parameters if one != "options"]
            known = [*allowed, *named]
            other = _OTHER_NAMES.get(name)
            similar = [other] if other in known else difflib.get_close_matches(name, known, 1)
            raise TypeError(
                f"{name}: this is not an argument of {what or f'{function.__name__}()'}{f'; did you mean {similar[0]!r}?' if similar else '.'}"
            )


def flag(value: Any, name: str) -> bool:
    """Yes or no. Raises TypeError, naming the argument, for what is neither."""
    if not isinstance(value, bool) and type(value).__name__ not in (
        "bool",
        "bool_",
    ):  # that of NumPy
        raise TypeError(f"{name}: {value!r} must be True or False.")
    return bool(value)


def callback(value: Any, name: str) -> Any:
    """A function, or None. Raises TypeError, naming the argument, for what cannot be called."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}: {value!r} is not callable.")
    return value


def named(error: Exception, message: str) -> Exception:
    """A TypeError where one was caught, else a ValueError, with a message that names the
    argument."""
    return TypeError(message) if isinstance(error, TypeError) else ValueError(message)


def renamed(error: Exception, name: str, to: str) -> Exception:
    """An error whose message begins with another argument's name."""
    message = str(error)
    return named(
        error, f"{to}{message[len(name) :]}" if message.startswith(name) else f"{to}: {message}"
    )
