"""Short representations of dataclasses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


def brief(given: Any) -> str:
    """An object's fields that are not their defaults; of an array its type and shape."""

    def describe(value: Any) -> str:
        if not hasattr(value, "shape"):
            return f"{type(value).__name__} of {len(value)}" if isinstance(value, (list, tuple)) and len(value) > 3 else repr(value)
        dtype = str(getattr(value, "dtype", "")).rpartition(".")[2]
        return f"<{' '.join(filter(None, [type(value).__module__.split('.', 1)[0], dtype, str(tuple(value.shape))]))}>"

    told = [f"{field.name}={describe(value)}" for field in fields(given) if (value := getattr(given, field.name)) is not field.default]
    return f"{type(given).__name__}({', '.join(told)})"
