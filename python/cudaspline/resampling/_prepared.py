"""An image that is made ready once, in memory of the host or of a GPU, and evaluated many times."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypeVar, Union, cast

import numpy

from ..core import _arrays, _library
from ..core._checks import check_keywords
from ..core._geometry import Geometry, make_geometry
from ..core._methods import (
    METHOD_OPTIONS,
    WIDE,
    Interpolator,
    Method,
    check_components,
    device_word,
    make_interpolator,
    method_of,
)
from ..core._options import Channels, MethodOptions
from ..core._plans import Plans
from ..images import _images
from ..images._pixels import Pixels
from . import _sampling
from ._margins import MARGIN, extended, with_margin

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _chosen_for_labels(image: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Options with the nearest label, where an image says that it has labels, and no interpolation
    is given."""
    is_given = (
        "interpolation" in options
        or getattr(options.get("method"), "interpolation", None) is not None
    )
    return (
        options
        if is_given or not _images.is_labels(image)
        else {**options, "interpolation": "nearest"}
    )


def _chooses_for_labels(make: _Function) -> _Function:
    """A constructor that takes the nearest label by default, as functions that take_source() do."""

    @functools.wraps(make)
    def chosen(self: Any, image: Any, **options: Any) -> None:
        make(self, image, **_chosen_for_labels(image, options))

    return cast(_Function, chosen)


class PreparedImage:
    """cudaspline.Source without the functions that evaluate it."""

    @_chooses_for_labels
    def __init__(
        self,
        image: Any,
        *,
        method: Optional[Method] = None,
        channels: Channels = False,
        device: Any = None,
        threads: int = 0,
        progress: Optional[Callable[[float], object]] = None,
        **options: Unpack[MethodOptions],
    ) -> None:
        check_keywords(options, METHOD_OPTIONS, PreparedImage, "a Source")
        self._channels = _images.check_channels(channels)
        pixels = _images.open_image(image, "image", self._channels)
        self._options = method_of(method, options)
        interpolator = make_interpolator(pixels.geometry, self._options, may_have_margin=True)
        if pixels.narrow != "bool":
            _sampling.warn_of_labels(pixels.buffer, pixels.components, interpolator)
        _sampling.warn_of_spreading(pixels.buffer, interpolator, threads)
        self._make(pixels, interpolator, pixels.components, False, device, threads, progress)
        # The kind and the place of the image's array are what is needed of it from here on.
        self.pixels.buffer = replace(
            _arrays.empty(pixels.buffer, (0,), pixels.buffer.dtype), owner=None
        )

    @classmethod
    def _borrowing(
        cls, pixels: Pixels, method: Interpolator, device: Any, threads: int, progress: Any
    ) -> PreparedImage:
        """One that reads the pixels where they are while it lives, for what is evaluated at
        once."""
        source = cls.__new__(cls)
        source._make(pixels, method, pixels.components, True, device, threads, progress)
        return source

    def _make(
        self,
        pixels: Pixels,
        method: Interpolator,
        components: int,
        borrow: bool,
        device: Any,
        threads: int,
        progress: Any,
    ) -> None:
        check_components(method, components)
        if method.is_of_indicators:
            raise ValueError(
                "interpolation: a Source does not support interpolations of labels; pass the image itself to resample() or sample()."
            )
        #: The geometry of the samples.
        self.geometry: Geometry = pixels.geometry
        if method.has_margin:
            pixels = with_margin(pixels, self.margin)
        described = method.describe_image(
            pixels.buffer, pixels.size, components, pixels.dtype, pixels.start
        )
        call = _library.Call(
            device_word(device, pixels.device), threads, 0, progress, pixels.device >= 0
        )
        self.method = method
        self.pixels = pixels
        #: Plans of repeated calls.
        self.plans: Plans[Any] = Plans()
        self._source = call.make_source(described, borrow)
        self._element = _library.TYPE_NAMES[described.element]
        #: The image, of which no pixels are read any more.
        self.described = described

    @property
    def margin(self) -> tuple[int, ...]:
        """Samples, x first, by which pixels continue the image at either end where the method has a
        margin."""
        return (MARGIN,) * self.geometry.dimension

    @property
    def device(self) -> int:
        """Number of the GPU in whose memory it is; -1: the host's."""
        return self._source.device

    @property
    def handle(self) -> Any:
        """The library's."""
        return self._source.handle

    @property
    def element(self) -> str:
        """Type that is computed with: "float32" or "float64"; the pixels' where they are copied
        unchanged."""
        return self._element

    @property
    def has_samples(self) -> bool:
        """Whether it has the image's samples as they were, of which extrapolation takes the
        nearest."""
        method, pixel = self.method, self.pixels.dtype
        is_rounded = self._element == "float32" and pixel != "float32" and pixel in WIDE
        return not method.has_filter and not is_rounded and method.storage == "element"

    def check_options(self, given: Mapping[str, Any]) -> None:
        """Raises ValueError, naming the argument, if an argument given with the Source contradicts
        the one that made it."""
        for name, value in given.items():
            if not self._agrees(name, value):
                raise ValueError(
                    f"{name}: the Source was made with another value; {value!r} needs a new Source."
                )

    def _agrees(self, name: str, value: Any) -> bool:
        try:
            if name in METHOD_OPTIONS or name == "method":
                method = value if name == "method" else replace(self._options, **{name: value})
                return (
                    value is None
                    and name == "method"
                    or make_interpolator(self.geometry, method, True) == self.method
                )
            if name == "device":
                word = device_word(value, self.pixels.device)
                return word in ("", "auto") or (
                    word == "cpu"
                    if self.device < 0
                    else word == "gpu" or str(self.device) in word.split(",")
                )
        except (TypeError, ValueError):
            return False
        if name == "channels":
            return (value or False) in (
                self._channels,
                *(("last", True) if self._channels in ("last", True) else ()),
            )
        return name != "memory_limit" or value == 0  # it is in memory as a whole

    def __repr__(self) -> str:
        method = self.method
        order = f" of order {method.order}" if method.kind == "bspline" else ""
        place = "the host" if self.device < 0 else f"device {self.device}"
        return f"<cudaspline.Source of size {self.geometry.size}, {method.kind}{order}, {self.element}, on {place}>"

    def __getstate__(self) -> dict[str, Any]:
        """Its elements, and an image of one pixel that defines the kind of results."""
        if self.device >= 0 or self.method.storage != "element":
            where = (
                f"on device {self.device}"
                if self.device >= 0
                else f"stored as {self.method.storage!r}"
            )
            raise TypeError(
                f"A Source that is {where} cannot be pickled; use one in host memory (device='cpu')."
            )
        pixels, dimension = self.pixels, self.geometry.dimension
        one = _arrays.empty(pixels.buffer, (*(1,) * dimension, *pixels.shape_tail), pixels.dtype)
        one.array[...] = 0
        elements = numpy.empty((pixels.components, *pixels.geometry.shape), self._element)
        self._source.copy_elements(elements.ctypes.data, elements.nbytes)
        return {
            "image": pixels.finish(one, make_geometry((1,) * dimension)),
            "elements": elements,
            "geometry": self.geometry,
            "method": self.method,
            "options": self._options,
            "channels": self._channels,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._channels, self._options = state["channels"], state["options"]
        method: Interpolator = state["method"]
        self.geometry = state["geometry"]
        pixels = replace(
            _images.open_image(state["image"], "image", self._channels),
            geometry=extended(self.geometry, self.margin) if method.has_margin else self.geometry,
        )
        like = pixels.buffer
        pixels.buffer = replace(_arrays.empty(like, (0,), like.dtype), owner=None)
        elements = numpy.ascontiguousarray(numpy.moveaxis(state["elements"], 0, -1))
        buffer = _arrays.view(elements, "image")
        ready = replace(method, prefilter="coefficients")
        described = ready.describe_image(buffer, pixels.size, pixels.components, buffer.dtype)
        described.element = buffer.type_code
        self.method, self.pixels, self._element, self.described = (
            method,
            pixels,
            buffer.dtype,
            described,
        )
        self.plans = Plans()
        self._source = _library.Call("cpu").make_source(described, False)


def takes_source(function: _Function) -> _Function:
    """A function whose first argument, image, may be a Source: options that contradict it are
    refused, which those that are left out, and have defaults, never do. The default for an image
    that is known to have labels (torchio.LabelMap) is the nearest one."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        image = arguments[0] if arguments else options.get("image")
        if isinstance(image, PreparedImage):
            image.check_options(options)
        return function(*arguments, **_chosen_for_labels(image, options))

    return cast(_Function, checked)


#: Types that are accepted in addition to images: names of files, lists, and Sources.
Like = Union[str, "os.PathLike[str]", Sequence[Any], PreparedImage]
