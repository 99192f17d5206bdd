"""How values are made: the arguments of the package's functions as the library's structures."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import Any, Mapping, NamedTuple, Optional, Sequence

import numpy

from . import _arrays, _library
from ._brief import brief
from ._checks import LARGEST_INT32, integer, number
from ._checks import choose as choose
from ._geometry import Geometry, vector
from ._options import (
    Boundaries,
    EvaluationMode,
    Interpolation,
    Order,
    PrefilterMethod,
    RealType,
    Storage,
    Window,
)

#: Indices beyond this magnitude are outside under every boundary.
LARGEST_INDEX = 2.0**52
#: As MaximumFirTaps, MaximumSincRadius, SmallestTable and LargestTable of the library.
MAX_TAPS, LARGEST_RADIUS, SMALLEST_TABLE, LARGEST_TABLE = 127, 5, 128, 65536


class Kind(NamedTuple):
    """An interpolation method of the library."""

    #: Its cudaspline_interpolation_kind.
    code: int
    #: Whether pixels are copied unchanged.
    moves_pixels: bool
    #: Whether there are first and second derivatives.
    has_derivatives: bool
    #: What the boundary "itk" selects: "mirror" or "nearest".
    itk_boundary: str
    #: Samples before the floor of an index that are read; None where it depends on a radius or a
    #: distance.
    reach: Optional[int]


class Named(NamedTuple):
    """The interpolation that a name selects."""

    #: Name of its kind.
    kind: str
    #: Window of the windowed sinc; None: that of the argument.
    window: Optional[str] = None
    #: Default cutoff of the label Gaussian, in deviations.
    cutoff: float = 1.0
    #: Whether it is the label whose indicator, interpolated so, is largest.
    is_of_indicators: bool = False
    #: B and C of cubic convolution.
    cubic: tuple[float, float] = (0.0, 0.5)


def _interpolations() -> tuple[dict[str, Kind], dict[str, Named]]:
    """The library's kinds and names, and the names of kinds whose window, or cut-off, is an
    argument."""
    kinds, names = {}, {}
    windows = {code: name for name, code in _library.WINDOWS.items()}
    for entry in _library.named_interpolations():
        kind = entry.kind_name.decode()
        kinds[kind] = Kind(
            entry.kind,
            bool(entry.moves_pixels),
            bool(entry.has_derivatives),
            "mirror" if entry.is_mirrored else "nearest",
            entry.reach if entry.reach >= 0 else None,
        )
        named = Named(
            kind,
            windows[entry.window] if kind == "sinc" else None,
            4.0 if kind == "label" else 1.0,
            bool(entry.is_of_indicators),
            (entry.cubic_b, entry.cubic_c),
        )
        for name in (entry.name, *entry.aliases):
            if name is not None:
                names[name.decode()] = named
    return kinds, {
        **names,
        "sinc": Named("sinc"),
        "windowed-sinc": Named("sinc"),
        "label": Named("label"),
    }


#: Methods by the names of their kinds, and the names that users give: CudaSplineResample's, those
#: of ANTs and SimpleITK that it knows, and others that are in use.
KINDS, INTERPOLATIONS = _interpolations()

_MODES, _STORAGES, _METHODS, _WINDOWS = (
    {name: name for name in names}
    for names in (_library.MODES, _library.STORAGES, _library.METHODS, _library.WINDOWS)
)
#: "BSpline[3]", as ANTs' users write it.
_ORDER_IN_BRACKETS = re.compile(r"b-?spline\[(?:order=)?([0-5])\]", re.IGNORECASE)
_BOUNDARIES = {name: name for name in ("itk", *_library.EXTENSIONS)}
_PRECISIONS = {name: name for name in ("float32", "float64")}

WIDE = ("uint32", "int32", "uint64", "int64", "float64")


#: How real numbers become integers: cudaspline_rounding.
ROUNDINGS = {"nearest": 1, "itk": 0, "truncate": 0}


def name_interpolation(
    interpolation: Any, order: Any = None, prefilter: str = "exact", storage: str = "element"
) -> tuple[Named, int]:
    """The interpolation that is asked for, and the order of its B-splines.

    Where no name is given it is linear, or a B-spline if an option that B-splines alone have is
    given. Raises ValueError, naming the argument."""
    if interpolation is None:
        is_spline = order is not None or prefilter != "exact" or storage in ("half", "int16")
        interpolation = "bspline" if is_spline else "linear"
    match = _ORDER_IN_BRACKETS.fullmatch(interpolation) if isinstance(interpolation, str) else None
    if match is not None:
        if order is not None and order != int(match[1]):
            raise ValueError(
                f"order: {order!r} contradicts the interpolation {interpolation!r}; omit one of them."
            )
        interpolation, order = "bspline", int(match[1])
    if isinstance(interpolation, int) and not isinstance(interpolation, bool):
        raise ValueError(
            f"interpolation: {interpolation!r} is not a name; use order={interpolation!r} for a B-spline of this order."
        )
    named = choose(interpolation, INTERPOLATIONS, "interpolation")
    if order is None:
        return named, 3
    if (
        isinstance(order, bool)
        or not isinstance(order, (int, numpy.integer))
        or not 0 <= order <= 5
    ):
        if named.kind == "bspline":
            raise ValueError(f"order: {order!r} is not allowed; use 0, 1, 2, 3, 4 or 5.")
        return named, 3
    return named, int(order)


@dataclass
class Interpolator:
    """How a value is made, and of what: the same for resampling and for points."""

    #: Name as in KINDS.
    kind: str
    #: Order of B-splines; 0 otherwise.
    order: int = 0
    mode: str = "exact"
    storage: str = "element"
    table: int = 0
    prefilter: str = "exact"
    taps: int = 15
    #: One of the names of _library.EXTENSIONS or "itk", by axis, x first.
    boundary: tuple[str, ...] = ()
    border: float = 0.0
    #: B and C of cubic convolution.
    cubic: tuple[float, float] = (0.0, 0.5)
    window: str = "hamming"
    radius: int = 3
    #: Deviations of the label Gaussian, mm, by axis, x first; None: the spacing.
    sigma: Optional[tuple[float, ...]] = None
    #: How many of these are looked at.
    cutoff: float = 1.0
    #: "float32", "float64" or None for what the types ask for.
    precision: Optional[str] = None
    #: Whether it is the label whose indicator has the largest value.
    is_of_indicators: bool = False
    #: Whether a B-spline of order 2 to 5 continues an image by its nearest sample: a margin of
    #: repeated samples that is reflected at its end.
    has_margin: bool = False

    @property
    def moves_pixels(self) -> bool:
        """Whether pixels are copied unchanged."""
        return KINDS[self.kind].moves_pixels

    @property
    def is_of_labels(self) -> bool:
        """Whether values are among those of the image."""
        return self.moves_pixels or self.is_of_indicators

    @property
    def mixes_pixels(self) -> bool:
        """Whether values are sums of several pixels'."""
        return not self.is_of_labels and not (self.kind == "bspline" and self.order == 0)

    @property
    def of_indicators(self) -> Interpolator:
        """How the indicator of a label is interpolated: as ITK's
        LabelImageGenericInterpolateImageFunction does it, in double."""
        return replace(self, is_of_indicators=False, precision="float64")

    def element(self, pixel: str, output: str, components: int) -> str:
        """The type of the arithmetic: precision, or the default for the types of the pixels and the
        output."""
        if self.moves_pixels and components == 1:
            return pixel
        if self.precision is not None and not self.moves_pixels:
            return self.precision
        if self.moves_pixels:
            return "float64" if pixel in WIDE else "float32"
        if self.storage != "element":
            return "float32"
        return "float64" if pixel in WIDE or output in WIDE else "float32"

    @property
    def has_filter(self) -> bool:
        """Whether pixels are filtered to coefficients."""
        return self.kind == "bspline" and self.order >= 2 and self.prefilter != "coefficients"

    def needs_preparation(self, pixel: str, components: int) -> bool:
        """Whether elements are computed of pixels of that type before anything is evaluated:
        converted, or filtered."""
        return (
            self.has_filter
            or components > 1
            or self.storage != "element"
            or self.element(pixel, pixel, components) != pixel
        )

    def describe_image(
        self,
        buffer: _arrays.Buffer,
        size: Sequence[int],
        components: int,
        output: str,
        start: Sequence[int] = (),
    ) -> _library.Image:
        """The image as the library takes it: samples per axis, x first, and the index of the first
        one."""
        image = _library.Image()
        image.pixels = buffer.pointer
        image.device = buffer.device
        image.stream = buffer.stream
        image.dimension = len(size)
        image.size[: len(size)] = size
        image.start[: len(start)] = start
        image.components = components
        image.pixel = buffer.type_code
        image.element = _library.TYPES[self.element(buffer.dtype, output, components)]
        image.order = self.order
        image.method = _library.METHODS[self.prefilter]
        image.taps = self.taps
        for axis, boundary in enumerate(self.boundary):
            image.extension[axis] = _library.EXTENSIONS[
                KINDS[self.kind].itk_boundary if boundary == "itk" else boundary
            ]
        image.storage = _library.STORAGES[self.storage]
        image.table_entries = self.table
        return image

    def describe_interpolation(self, geometry: Geometry) -> _library.Interpolation:
        """The interpolation as the library takes it, with the bounds of the image."""
        found = _library.Interpolation()
        found.kind = KINDS[self.kind].code
        found.mode = _library.MODES[self.mode]
        for axis, boundary in enumerate(self.boundary[:3]):
            is_bounded = boundary == "itk"
            found.lower[axis] = -0.5 if is_bounded else -LARGEST_INDEX
            found.upper[axis] = geometry.size[axis] - 0.5 if is_bounded else LARGEST_INDEX
        found.border = self.border
        found.cubic_b, found.cubic_c = self.cubic
        found.window = _library.WINDOWS[self.window]
        found.radius = self.radius
        if self.kind == "label":
            spacing = geometry.spacing
            sigma = (spacing if self.sigma is None else numpy.array(self.sigma)) / spacing
            found.sigma[: geometry.dimension] = sigma.tolist()
            found.cutoff[: geometry.dimension] = (sigma * self.cutoff).tolist()
        return found


@dataclass(frozen=True, repr=False)
class Method:
    """How values between samples are made: keywords of resample(), zoom(), sample() and Source that
    are built once, and given as method=.

    interpolation, order, mode, boundary, border, prefilter, taps, tension, window, radius, sigma,
        cutoff, precision, storage, table: as for resample()

    A keyword that is given next to method= takes the place of the method's own. What depends on the
    image, as the number of boundaries, is checked where the method is used. Raises ValueError,
    naming the argument, for an interpolation that is not known.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> quintic = cudaspline.Method(order=5, boundary="mirror")
    >>> cudaspline.zoom(numpy.zeros((4, 5)), 2, method=quintic).shape
    (8, 10)
    >>> cudaspline.sample(numpy.arange(5.0), [[2.0]], method=quintic, order=1)
    array([2.])
    """

    interpolation: Optional[Interpolation] = None
    order: Optional[Order] = None
    mode: EvaluationMode = "exact"
    boundary: Boundaries = "itk"
    border: float = 0.0
    prefilter: PrefilterMethod = "exact"
    taps: int = 15
    tension: float = 0.5
    window: Window = "hamming"
    radius: int = 3
    sigma: Any = None
    cutoff: Optional[float] = None
    precision: Optional[RealType] = None
    storage: Storage = "element"
    table: int = 1024

    def __post_init__(self) -> None:
        if self.interpolation is not None:
            name_interpolation(self.interpolation, self.order)

    def __repr__(self) -> str:
        return brief(self)


#: The keywords of a method.
METHOD_OPTIONS = frozenset(one.name for one in fields(Method))


def method_of(method: Optional[Method], options: Mapping[str, Any]) -> Method:
    """A method, or the default one, with the keywords that are given in place of its own; None
    leaves it to the method where None is a default. Raises TypeError, naming the argument."""
    if method is None:
        return Method(**options)
    if not isinstance(method, Method):
        raise TypeError(f"method: {type(method).__name__} is not a cudaspline.Method.")
    given = {
        name: value
        for name, value in options.items()
        if value is not None or getattr(Method, name) is not None
    }
    return replace(method, **given) if given else method


def make_interpolator(
    geometry: Geometry, method: Method, may_have_margin: bool = False
) -> Interpolator:
    """Checks a method for an image. Raises ValueError or TypeError, naming the argument.

    may_have_margin: whether the caller knows Interpolator.has_margin"""
    named, degree = name_interpolation(
        method.interpolation, method.order, method.prefilter, method.storage
    )
    made = Interpolator(named.kind, is_of_indicators=named.is_of_indicators)
    if made.kind == "bspline":
        made.order = degree
    _set_storage(made, method)
    made.prefilter = choose(method.prefilter, _METHODS, "prefilter")
    made.taps = integer(method.taps, "taps", 1, MAX_TAPS)
    if made.taps % 2 == 0:
        raise ValueError(f"taps: {made.taps} must be odd.")
    _set_boundary(made, method, geometry.dimension, may_have_margin)
    slope = number(method.tension, "tension")
    made.cubic = (
        named.cubic if named.cubic[0] else (0.0, slope)
    )  # of the cardinal spline C is the tension
    if named.cubic[0] and slope != 0.5:  # the argument's default is accepted
        raise ValueError(
            f"tension: only 'catmull-rom' has a tension, not {method.interpolation!r}."
        )
    made.window = choose(method.window, _WINDOWS, "window")
    if named.window is not None:
        if method.window not in ("hamming", named.window):  # the argument's default is accepted
            raise ValueError(
                f"window: {method.window!r} contradicts the interpolation {method.interpolation!r}; use interpolation 'sinc'."
            )
        made.window = named.window
    made.radius = integer(method.radius, "radius", 1, LARGEST_RADIUS)
    if method.sigma is not None:
        deviations = vector(method.sigma, geometry.dimension, "sigma")
        if numpy.any(deviations <= 0):
            raise ValueError(f"sigma: {method.sigma!r} must be above 0.")
        made.sigma = tuple(deviations.tolist())
    made.cutoff = (
        named.cutoff if method.cutoff is None else number(method.cutoff, "cutoff", above=0.0)
    )
    if method.precision is not None:
        made.precision = choose(method.precision, _PRECISIONS, "precision")
    if made.is_of_indicators:
        _check_indicators(made, method.interpolation)
    return made


def _set_storage(made: Interpolator, method: Method) -> None:
    """Sets how coefficients are stored and evaluated. Raises ValueError or TypeError, naming the
    argument."""
    if method.mode in _BOUNDARIES:
        raise ValueError(
            f"mode: {method.mode!r} is a boundary; use boundary={method.mode!r}. Modes are {', '.join(_MODES)}."
        )
    made.mode = choose(method.mode, _MODES, "mode")
    made.storage = choose(method.storage, _STORAGES, "storage")
    if made.mode != "exact":
        if made.storage not in ("element", "texture"):
            raise ValueError(
                f"storage: {method.storage!r} cannot be used with mode {method.mode!r}, which has its own storage; omit it."
            )
        if not (made.kind == "linear" or (made.kind == "bspline" and made.order >= 1)):
            raise ValueError(
                f"mode: {method.mode!r} can only be used with linear interpolation and B-splines of orders 1 to 5."
            )
        if method.precision == "float64":
            raise ValueError(
                f"precision: 'float64' is not supported with mode {method.mode!r}, which computes in float32."
            )
        made.storage = "texture"
    elif made.storage == "texture":
        raise ValueError(
            "storage: 'texture' cannot be used with mode 'exact'; use mode 'texture' or 'texture-table'."
        )
    if made.storage in ("half", "int16") and not (made.kind == "bspline" and made.order == 3):
        raise ValueError(f"storage: {method.storage!r} can only be used with B-splines of order 3.")
    if made.storage in ("half", "int16") and method.precision == "float64":
        raise ValueError(
            f"precision: 'float64' is not supported with storage {method.storage!r}, which computes in float32."
        )
    entries = integer(method.table, "table", SMALLEST_TABLE, LARGEST_TABLE)
    made.table = entries if made.mode == "texture-table" and made.order >= 2 else 0


def _set_boundary(
    made: Interpolator, method: Method, dimension: int, may_have_margin: bool
) -> None:
    """Sets how the image continues outside. Raises ValueError or TypeError, naming the argument."""
    made.boundary = _boundaries(method.boundary, dimension)
    if made.storage == "texture" and "grid-constant" in made.boundary:
        raise ValueError(f"boundary: 'grid-constant' is not supported with mode {method.mode!r}.")
    if made.kind == "bspline" and made.order >= 2:
        is_known = (
            may_have_margin and made.storage == "element" and method.prefilter != "coefficients"
        )
        if is_known and set(made.boundary) == {"nearest"}:
            made.boundary, made.has_margin = ("reflect",) * dimension, True
        for name in made.boundary:
            if name in ("nearest", "grid-constant"):
                raise ValueError(
                    f"boundary: {name!r} is not supported by B-splines of orders 2 to 5; use 'mirror', 'reflect' or 'grid-wrap' (resample(), zoom(), sample() "
                    "and Source also support 'nearest' along all axes)."
                )
    made.border = number(method.border, "border", is_finite=False)


def _check_indicators(method: Interpolator, interpolation: Any) -> None:
    """Raises ValueError, naming the argument, for what indicators of labels do not have."""
    if method.mode != "exact" or method.storage != "element":
        argument = "mode" if method.mode != "exact" else "storage"
        raise ValueError(
            f"{argument}: {getattr(method, argument)!r} cannot be used with {interpolation!r}, which is computed exactly."
        )
    if method.precision == "float32":
        raise ValueError(
            f"precision: 'float32' is not supported for {interpolation!r}, which computes in float64; use 'float64' or omit it."
        )
    if method.prefilter == "coefficients":
        raise ValueError(
            f"prefilter: 'coefficients' cannot be used with {interpolation!r}, which computes coefficients for each label."
        )


def _boundaries(boundary: Any, dimension: int) -> tuple[str, ...]:
    """One an axis, x first, of one or of a sequence."""
    if isinstance(boundary, str):
        return (choose(boundary, _BOUNDARIES, "boundary"),) * dimension
    try:
        names = list(boundary)
    except TypeError:
        raise TypeError(
            f"boundary: {boundary!r} is neither a name nor a sequence of names."
        ) from None
    if len(names) != dimension:
        raise ValueError(
            f"boundary: {len(names)} names are given; {dimension} are needed, one per axis, x first."
        )
    return tuple(choose(name, _BOUNDARIES, "boundary") for name in names)


def check_components(method: Interpolator, components: int) -> None:
    """Raises ValueError, naming the argument, where a method is not for pixels of several
    numbers."""
    if components > 1 and method.storage != "element":
        argument = "mode" if method.storage == "texture" else "storage"
        value = method.mode if method.storage == "texture" else method.storage
        raise ValueError(
            f"{argument}: {value!r} can only be used with images with one component per pixel; this one has {components}."
        )


def device_word(device: Any, place: int, shares: bool = False) -> str:
    """The user's wish as the library takes it. Raises ValueError where it excludes the place of the
    array, the number of a GPU or -1.

    shares: whether other GPUs can share the work on arrays of the first one"""
    if device is None:
        return ""
    if isinstance(device, str):
        if not device.isascii() or not device.isprintable():
            raise ValueError(f"device: {device!r} is not the name of a device.")
        word = device.lower()
    elif isinstance(device, (list, tuple)):
        if not device:
            raise ValueError("device: the list of devices is empty.")
        word = ",".join(str(integer(n, "device", 0, LARGEST_INT32)) for n in device)
    else:
        word = str(integer(device, "device", 0, LARGEST_INT32))
    word = word[len("cuda:") :] if word.startswith("cuda:") else ("gpu" if word == "cuda" else word)
    first = word.split(",")[0] if shares else word
    if place >= 0 and first not in ("", "auto", "gpu", str(place)):
        raise ValueError(
            f"device: the array is on device {place} and is not copied; {device!r} does not include this device."
        )
    return word


def pixel_of(value: Any, components: int, dtype: str, name: str) -> numpy.ndarray:
    """A pixel in the output's type: one number for all components, or one each. Raises ValueError,
    naming the argument."""
    if type(value) is int and value == 0:
        return numpy.zeros(components, dtype)
    try:
        found = numpy.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name}: {value!r} is neither a number nor a list of numbers: {error}"
        ) from None
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name}: {value!r} must be a number of at most 64 bits.")
    if found.ndim == 0:
        found = numpy.full(components, found)
    if found.shape != (components,):
        raise ValueError(
            f"{name}: {found.size} numbers are given; {components} are needed, one per component of a pixel."
        )
    with numpy.errstate(all="ignore"):
        converted = found.astype(dtype)
        same = converted.astype(numpy.float64) == found.astype(numpy.float64)
    if numpy.dtype(dtype).kind != "f" and not numpy.all(same):
        raise ValueError(f"{name}: {value!r} cannot be represented as {dtype}.")
    return numpy.ascontiguousarray(converted)
