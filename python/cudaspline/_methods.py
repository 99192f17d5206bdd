"""How values are made: the arguments of the package's functions as the library's structures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy

from . import _arrays, _library
from ._geometry import Geometry, vector

#: Indices beyond this magnitude are outside under every boundary.
LARGEST_INDEX = 2.0**52

_ALIASES = {
    "nearest": "nearest",
    "linear": "linear",
    "bspline": "bspline",
    "b-spline": "bspline",
    "cubic": "bspline",
    "catmull-rom": "catmull-rom",
    "catmullrom": "catmull-rom",
    "catmull_rom": "catmull-rom",
    "sinc": "sinc",
    "windowed-sinc": "sinc",
    "label": "label",
    "label-gaussian": "label",
}

_WIDE = ("uint32", "int32", "uint64", "int64", "float64")


def choose(value: Any, choices: Any, name: str) -> Any:
    """The entry of a word. Raises ValueError, naming the argument and the words that there are."""
    key = value.lower() if isinstance(value, str) else value
    if key not in choices:
        raise ValueError(f"{name}: {value!r} is not known; known are {', '.join(sorted(map(repr, choices)))}.")
    return choices[key]


@dataclass
class Method:
    """How a value is made, and of what: the same for resampling and for points."""

    #: Name as in _library.INTERPOLATIONS.
    kind: str
    #: Of B-splines; 0 otherwise.
    order: int = 0
    mode: str = "exact"
    storage: str = "element"
    table: int = 0
    prefilter: str = "exact"
    taps: int = 15
    #: One of the names of _library.EXTENSIONS or "itk", by axis, x first.
    boundary: tuple[str, ...] = ()
    border: float = 0.0
    tension: float = 0.5
    window: str = "hamming"
    radius: int = 3
    sigma: Any = None
    cutoff: Any = None
    #: "float32", "float64" or None for what the types ask for.
    precision: Optional[str] = None

    @property
    def moves_pixels(self) -> bool:
        """Whether pixels are handed on unchanged."""
        return self.kind in ("nearest", "label")

    def element(self, pixel: str, output: str, components: int) -> str:
        """The type that is computed with: of a pixel's and the output's type, unless precision says it."""
        if self.moves_pixels and components == 1:
            return pixel
        if self.precision is not None and not self.moves_pixels:
            return self.precision
        if self.moves_pixels:
            return "float64" if pixel in _WIDE else "float32"
        if self.storage != "element":
            return "float32"
        return "float64" if pixel in _WIDE or output in _WIDE else "float32"

    def describe_image(self, buffer: _arrays.Buffer, geometry: Geometry, components: int, output: str) -> _library.Image:
        """The image as the library takes it."""
        image = _library.Image()
        image.pixels = buffer.pointer
        image.device = buffer.device
        image.stream = buffer.stream
        image.dimension = geometry.dimension
        image.size[: geometry.dimension] = geometry.size
        image.components = components
        image.pixel = buffer.type_code
        image.element = _library.TYPES[self.element(buffer.dtype, output, components)]
        image.order = self.order
        image.method = _library.METHODS[self.prefilter]
        image.taps = self.taps
        for axis, boundary in enumerate(self.boundary):
            itk = "mirror" if self.kind == "bspline" else "nearest"
            image.extension[axis] = _library.EXTENSIONS[itk if boundary == "itk" else boundary]
        image.storage = _library.STORAGES[self.storage]
        image.table_entries = self.table
        return image

    def describe_interpolation(self, geometry: Geometry) -> _library.Interpolation:
        """The interpolation as the library takes it, with the bounds of the image."""
        found = _library.Interpolation()
        found.kind = _library.INTERPOLATIONS[self.kind]
        found.mode = _library.MODES[self.mode]
        for axis, boundary in enumerate(self.boundary[:3]):
            is_bounded = boundary == "itk"
            found.lower[axis] = -0.5 if is_bounded else -LARGEST_INDEX
            found.upper[axis] = geometry.size[axis] - 0.5 if is_bounded else LARGEST_INDEX
        found.border = self.border
        found.tension = self.tension
        found.window = _library.WINDOWS[self.window]
        found.radius = self.radius
        if self.kind == "label":
            spacing = geometry.spacing
            sigma = vector(spacing if self.sigma is None else self.sigma, geometry.dimension, "sigma") / spacing
            if numpy.any(sigma <= 0):
                raise ValueError(f"sigma: {self.sigma!r} is not above 0.")
            found.sigma[: geometry.dimension] = sigma.tolist()
            found.cutoff[: geometry.dimension] = (sigma * (1.0 if self.cutoff is None else float(self.cutoff))).tolist()
        return found


def make_method(
    geometry: Geometry,
    interpolation: str,
    order: int = 3,
    mode: str = "exact",
    boundary: Union[str, Sequence[str]] = "itk",
    border: float = 0.0,
    prefilter: str = "exact",
    taps: int = 15,
    tension: float = 0.5,
    window: str = "hamming",
    radius: int = 3,
    sigma: Any = None,
    cutoff: Optional[float] = None,
    precision: Optional[str] = None,
    storage: str = "element",
    table: int = 1024,
) -> Method:
    """Checks the arguments of a function and makes a method of them. Raises ValueError or TypeError, naming the argument."""
    kind = choose(interpolation, _ALIASES, "interpolation")
    method = Method(kind)
    if kind == "bspline":
        if isinstance(order, bool) or not isinstance(order, (int, numpy.integer)) or not 0 <= order <= 5:
            raise ValueError(f"order: {order!r} is not among 0, 1, 2, 3, 4 and 5.")
        method.order = int(order)
    method.mode = choose(mode, {name: name for name in _library.MODES}, "mode")
    method.storage = choose(storage, {name: name for name in _library.STORAGES}, "storage")
    if method.mode != "exact":
        if method.storage not in ("element", "texture"):
            raise ValueError(f"storage: mode {mode!r} has a storage of its own, not {storage!r}.")
        if not (kind == "linear" or (kind == "bspline" and method.order >= 1)):
            raise ValueError(f"mode: {mode!r} is for linear interpolation and B-splines of orders 1 to 5.")
        if precision == "float64":
            raise ValueError(f"precision: mode {mode!r} computes in float32.")
        method.storage = "texture"
        method.table = int(table) if method.mode == "texture-table" and method.order >= 2 else 0
    method.prefilter = choose(prefilter, {name: name for name in _library.METHODS}, "prefilter")
    method.taps = int(taps)
    names = [boundary] * geometry.dimension if isinstance(boundary, str) else list(boundary)
    if len(names) != geometry.dimension:
        raise ValueError(f"boundary: there are {len(names)} for {geometry.dimension} axes; x is first.")
    known = {name: name for name in ("itk", *_library.EXTENSIONS)}
    method.boundary = tuple(choose(name, known, "boundary") for name in names)
    if kind == "bspline" and method.order >= 2:
        for name in method.boundary:
            if name in ("nearest", "grid-constant"):
                raise ValueError(f"boundary: B-splines of orders 2 to 5 continue by 'mirror', 'reflect' or 'grid-wrap', not {name!r}.")
    method.border = float(border)
    method.tension = float(tension)
    method.window = choose(window, {name: name for name in _library.WINDOWS}, "window")
    method.radius = int(radius)
    method.sigma = sigma
    method.cutoff = cutoff
    if precision is not None:
        method.precision = choose(precision, {"float32": "float32", "float64": "float64"}, "precision")
    return method


def device_word(device: Any, buffer: _arrays.Buffer) -> str:
    """The user's wish as the library takes it. Raises ValueError where it excludes the place of an array on a GPU."""
    if device is None:
        return ""
    if isinstance(device, bool) or not isinstance(device, (str, int, list, tuple)):
        raise TypeError(f"device: {device!r} is no name, no number and no list of numbers.")
    word = ",".join(str(int(n)) for n in device) if isinstance(device, (list, tuple)) else str(device)
    word = word[len("cuda:") :] if word.startswith("cuda:") else ("gpu" if word == "cuda" else word)
    if buffer.device >= 0 and word not in ("", "auto", "gpu", str(buffer.device)):
        raise ValueError(f"device: the array is on device {buffer.device}, where it stays; {device!r} excludes that.")
    return word


def pixel_of(value: Any, components: int, dtype: str, name: str) -> numpy.ndarray:
    """A pixel in the output's type: one number for all components, or one each. Raises ValueError, naming the argument."""
    found = numpy.asarray(value)
    if found.ndim == 0:
        found = numpy.full(components, found)
    if found.shape != (components,):
        raise ValueError(f"{name}: a pixel has {components} numbers; there are {found.size}.")
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name}: {value!r} is no number.")
    with numpy.errstate(all="ignore"):
        converted = found.astype(dtype)
        same = converted.astype(numpy.float64) == found.astype(numpy.float64)
    if numpy.dtype(dtype).kind != "f" and not numpy.all(same):
        raise ValueError(f"{name}: {value!r} cannot be told in {dtype}.")
    return numpy.ascontiguousarray(converted)
