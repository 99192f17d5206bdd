"""The pixels of an image that a caller gave: how they are read, where they are, and how an image of the same kind is made."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Union

import numpy

from ..core import _arrays
from ..core._geometry import Geometry

#: (first, count) of an axis of an array; or a number, for an axis that is removed.
Box = tuple[Union[int, tuple[int, int]], ...]


def slices_of(box: Box) -> tuple[Any, ...]:
    """A box as an array is indexed."""
    return tuple(part if isinstance(part, int) else slice(part[0], part[0] + part[1]) for part in box)


@dataclass
class Pixels:
    """An image that a caller gave, or a window of it."""

    #: Reads the pixels of a box, slowest axis first, None being the whole; what has to be converted or put in order is then a copy.
    read: Callable[[Optional[Box]], _arrays.Buffer]
    #: Name of the type of their numbers.
    dtype: str
    #: Number of their CUDA device; -1: the host.
    device: int
    #: Geometry of the whole image.
    geometry: Geometry
    #: Numbers a pixel.
    components: int
    #: Whether the array has an axis for them, the last.
    channels: bool
    #: Makes an image of the same kind of an array and a geometry.
    finish: Callable[[_arrays.Buffer, Geometry], Any]
    #: Type of the caller's elements where it is "bool" or "float16", of which the library has none; else nothing.
    narrow: str = ""
    #: Whether finish() gives the array as it was made: not where the numbers of a pixel come first.
    is_plain: bool = True
    #: First sample of a window and its samples, x first; None: the whole.
    window: Optional[tuple[tuple[int, ...], tuple[int, ...]]] = None

    @functools.cached_property
    def buffer(self) -> _arrays.Buffer:
        """The pixels, or those of the window; read once."""
        if self.window is None:
            return self.read(None)
        return self.read(tuple(zip(*(numbers[::-1] for numbers in self.window))))

    @property
    def start(self) -> tuple[int, ...]:
        """First sample that there is, x first."""
        return (0,) * self.geometry.dimension if self.window is None else self.window[0]

    @property
    def size(self) -> tuple[int, ...]:
        """Samples that there are, x first."""
        return self.geometry.size if self.window is None else self.window[1]

    @property
    def shape_tail(self) -> tuple[int, ...]:
        """The end of an array's shape, after the axes."""
        return (self.components,) if self.channels else ()

    def crop(self, first: tuple[int, ...], size: tuple[int, ...]) -> Pixels:
        """A window, x first: only its pixels are read. Its position is that in the whole image's geometry."""
        return replace(self, window=(first, size))


def reader_of(array: Any, name: str, owner: Any = None) -> tuple[Callable[[Optional[Box]], _arrays.Buffer], str, int, tuple[int, ...]]:
    """How the pixels of an array are read, the name of their type, where they are, and the array's shape."""
    if isinstance(array, (list, tuple)):
        array = _arrays.as_array(array, name)
    narrow = _arrays.narrow_type(array)
    wanted = "float32" if narrow == "float16" else None
    if narrow == "bool":
        array = array.view("u1") if isinstance(array, numpy.ndarray) else _arrays.as_numbers(array)
    peeked = _arrays.peek(array, name) if wanted is None or not isinstance(array, numpy.ndarray) else (wanted, -1)
    if peeked is None:  # of another library, or of none: taken as a whole
        whole = _arrays.view(array, name, wanted)
        array, finish = whole.array.reshape(whole.shape), whole.finish
        dtype, device = whole.dtype, whole.device
    else:
        whole, finish = None, None
        dtype, device = peeked

    def read(box: Optional[Box]) -> _arrays.Buffer:
        if box is None and whole is not None:
            return whole
        part = array if box is None else array[slices_of(box)]
        buffer = _arrays.view(part, name, wanted)
        buffer.owner = owner
        if finish is not None and whole is not None:
            buffer.finish, buffer.kind = finish, whole.kind
        return buffer

    return read, dtype, device, tuple(array.shape)
