"""Values of images at points: sample()."""

from __future__ import annotations

import ctypes
import functools
import inspect
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, TypeVar, cast

import numpy

from ..core import _arrays, _library
from ..core._checks import check_keywords, flag
from ..core._geometry import Geometry
from ..core._methods import (
    KINDS,
    METHOD_OPTIONS,
    ROUNDINGS,
    WIDE,
    Interpolator,
    Method,
    check_components,
    choose,
    device_word,
    make_interpolator,
    method_of,
    pixel_of,
)
from ..core._options import Channels, Coordinates, MethodOptions, Rounding
from ..core._plans import UNKNOWN, Plans, Streak, frozen
from ..images import _images
from ..images._images import Image
from ..images._pixels import Box, Pixels
from ..transforms import _stages
from . import _labels, _sampling, _windows
from ._margins import MARGIN, within_margin
from ._prepared import PreparedImage, takes_source

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _Plan:
    """The plan that repeated calls of sample() share.

    described: the image as the library takes it, without its pixels; None: there is a Source
    word, threads: of the device and the host, for an image
    method: of the image; None: there is a Source
    warns_of_labels: whether an image that looks like labels is warned of
    kept: an object whose identity is in the plan's key"""

    def __init__(
        self,
        at_points: _PointsPlan,
        described: Optional[_library.Image] = None,
        word: str = "",
        threads: int = 0,
        method: Optional[Interpolator] = None,
        warns_of_labels: bool = False,
        kept: Any = None,
    ) -> None:
        self._at_points, self._described, self._word, self._threads, self._kept = (
            at_points,
            described,
            word,
            threads,
            kept,
        )
        self._method, self._warns_of_labels = method, warns_of_labels
        self.dimension = at_points.dimension

    def run(
        self,
        source: Optional[PreparedImage],
        pixels: Optional[_arrays.Buffer],
        points: _arrays.Buffer,
    ) -> Any:
        """Values at points, of a Source or of pixels."""
        if source is not None:
            found = self._at_points.run(source.handle, points)
        else:
            assert pixels is not None and self._described is not None
            if self._method is not None and self._warns_of_labels:
                _sampling.warn_of_labels(pixels, 1, self._method)
            if self._method is not None:
                _sampling.warn_of_spreading(pixels, self._method, self._threads)
            described = _library.Image.from_buffer_copy(self._described)
            described.pixels, described.stream = pixels.pointer, pixels.stream
            if pixels.device >= 0 and self._word in ("", "auto") and not self._threads:
                found = self._at_points.run(
                    ctypes.byref(described), points, "cudaspline_sample_image"
                )
            else:
                call = _library.Call(self._word, self._threads, 0, None, pixels.device >= 0)
                made = call.make_source(described, True)
                found = self._at_points.run(made.handle, points)
                del made  # waits for what reads borrowed pixels
        return found[0].array if len(found) == 1 else tuple([buffer.array for buffer in found])


_PLANS: Plans[Optional[_Plan]] = Plans()
#: Options of single calls.
_NOT_PLANNED = frozenset(("series", "progress", "channels"))


def _plan_of(
    image: Any, pixels: _arrays.Buffer, points: _arrays.Buffer, given: dict[str, Any]
) -> Optional[_Plan]:
    """The plan of calls with these options. None if each has to be checked. Raises what sample()
    raises."""
    if not (METHOD_OPTIONS | _DEFAULTS.keys()).issuperset(given):
        return None
    options = {**_DEFAULTS, **given}
    options.pop("channels")
    options["rounding"] = choose(options["rounding"], ROUNDINGS, "rounding")
    names = (
        "gradient",
        "hessian",
        "inside",
        "coordinates",
        "dtype",
        "rounding",
        "threads",
        "progress",
    )
    wanted = _Wanted(*(options.pop(name) for name in names))
    for value in (wanted.gradient, wanted.hessian, wanted.inside):
        flag(value, "gradient")
    _library.Call(threads=wanted.threads)  # refuses what cannot be
    default, device, method = options.pop("default"), options.pop("device"), options.pop("method")
    options.pop("series")
    if points.dtype not in ("float32", "float64"):
        return None
    if isinstance(image, PreparedImage):
        image.check_options(given)
        is_there = points.device == image.device or (points.device < 0 and image.pixels.device < 0)
        has_plan = not image.method.has_margin and image.geometry.dimension <= 3
        if image.pixels.channels or not has_plan or not is_there:
            return None
        at_points = _PointsPlan(
            image.method,
            image.geometry,
            image.element,
            pixel=image.pixels.dtype,
            points=points,
            default=default,
            wanted=wanted,
        )
        return _Plan(at_points)
    opened = _images.open_image(image, "image", False)
    method = make_interpolator(
        opened.geometry,
        _with_derivatives(method_of(method, options), wanted.gradient or wanted.hessian),
    )
    if (
        opened.channels
        or opened.geometry.dimension > 3
        or pixels.device != points.device
        or method.is_of_indicators
    ):
        return None
    if _windows.may_have_windows(opened, method):
        return None
    check_components(method, 1)
    described = method.describe_image(pixels, opened.size, 1, opened.dtype)
    element = _library.TYPE_NAMES[described.element]
    at_points = _PointsPlan(
        method,
        opened.geometry,
        element,
        pixel=opened.dtype,
        points=points,
        default=default,
        wanted=wanted,
    )
    return _Plan(
        at_points,
        described,
        device_word(device, pixels.device),
        threads=wanted.threads,
        method=method,
        warns_of_labels=not wanted.asks_for_reals,
        kept=opened.geometry,
    )


def _shares_plans(function: _Function) -> _Function:
    """sample(), whose calls are done by plans where there are some for them."""
    streak = Streak()

    @functools.wraps(function)
    def planned(*arguments: Any, **options: Any) -> Any:
        if len(arguments) != 2 or not streak.goes_on():
            return function(*arguments, **options)
        image, points = arguments
        source = image if isinstance(image, PreparedImage) else None
        pixels = (
            source.pixels.buffer
            if source is not None
            else _arrays.view_plainly(image.array if type(image) is Image else image)
        )
        places = None if pixels is None else _arrays.view_plainly(points)
        parts = [(name, frozen(value)) for name, value in options.items()]
        if (
            pixels is None
            or places is None
            or not places.shape
            or any([part is None or name in _NOT_PLANNED for name, part in parts])
        ):
            return function(*arguments, **options)
        geometry = id(image.geometry) if type(image) is Image else None
        key = (
            pixels.kind,
            pixels.dtype,
            pixels.shape,
            pixels.device,
            geometry,
            places.kind,
            places.dtype,
            places.device,
            *parts,
        )
        plans = _PLANS if source is None else source.plans
        plan = plans.get(key, UNKNOWN)
        if plan is UNKNOWN:
            plan = plans.make(key, lambda: _plan_of(image, pixels, places, options))
        if plan is None or places.shape[-1] != plan.dimension:
            return function(*arguments, **options)
        streak.ends()
        return plan.run(source, pixels, places)

    return cast(_Function, planned)


@_shares_plans
@_arrays.refuses_gradients
@takes_source
def sample(
    image: Any,
    points: Any,
    *,
    gradient: bool = False,
    hessian: bool = False,
    inside: bool = False,
    coordinates: Coordinates = "physical",
    default: Any = 0,
    dtype: Any = None,
    rounding: Rounding = "nearest",
    method: Optional[Method] = None,
    channels: Channels = False,
    series: Optional[bool] = None,
    device: Any = None,
    threads: int = 0,
    progress: Optional[Callable[[float], object]] = None,
    **options: Unpack[MethodOptions],
) -> Any:
    """Interpolates an image at points: values, gradients and Hessians.

    Parameters
    ----------
    image
        As for resample(), with 1 to 3 axes; or a Source, which is made once for many calls.
    points
        Positions (mm) or continuous indices, x first, with the shape (..., dimension). For an image
        on a GPU an array on the same GPU. Otherwise an array on the host, or on the GPU of the
        Source.
    gradient, hessian
        Whether to return first and second derivatives, for B-splines, Catmull-Rom and
        Mitchell-Netravali: per mm for positions, per sample for indices. If no interpolation is
        given, values and derivatives are those of a B-spline, by default of order 3.
    inside
        Whether to return which points are inside.
    coordinates
        "physical": points are positions in space (mm). "index": points are continuous indices; 0 is
        the first sample.
    default
        The value of points outside; their derivatives are 0.
    dtype
        The type of the values. None: float64 for images of float64 and of integers with 32 or more
        bits, otherwise float32. With derivatives float32 or float64.
    rounding
        As for resample(), for integer values.
    series
        As for resample(): values of each volume, (..., nt).
    method, channels, device, threads, progress, options
        As for resample(): interpolation, order, mode, boundary, border, prefilter, taps, tension,
        window, radius, sigma, cutoff, precision, storage, table. An argument that contradicts the
        options of a Source is refused.

    Returns
    -------
    Values with the shape (...), or (..., components) for images with channels, or (..., nt) for
    series. With gradient, hessian or inside a tuple: the values, then those that were requested of
    gradients (..., dimension), x first, Hessians (..., dimension, dimension), and a mask (...) of
    uint8. Arrays are of the library of the points. On a GPU the work is enqueued in the current
    stream; for JAX, which gives no access to its streams, it is complete.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.
    DeviceError
        If the requested GPU does not exist, or fails.

    Warns
    -----
    LabelWarning, ResamplingWarning
        As for resample(), of labels and of non-finite values.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> image = numpy.arange(20.0).reshape(4, 5)
    >>> values, slopes = cudaspline.sample(image, [[1.5, 2.0], [3.0, 0.5]], order=1, gradient=True)
    >>> values
    array([11.5,  5.5])
    >>> slopes
    array([[1., 5.],
           [1., 5.]])
    """
    check_keywords(options, METHOD_OPTIONS, sample)
    image = _images.loaded(image, "image")
    channels, series = (
        _images.check_channels(channels),
        series if series is None else flag(series, "series"),
    )
    gradient, hessian, inside = (
        flag(gradient, "gradient"),
        flag(hessian, "hessian"),
        flag(inside, "inside"),
    )
    wanted = _Wanted(
        gradient=gradient,
        hessian=hessian,
        inside=inside,
        coordinates=coordinates,
        dtype=dtype,
        rounding=choose(rounding, ROUNDINGS, "rounding"),
        threads=threads,
        progress=progress,
    )
    volumes = (
        None
        if isinstance(image, PreparedImage) or _images.is_nibabel(image)
        else _images.open_series(image, "image", channels, series)
    )
    if isinstance(image, PreparedImage):
        if series:
            raise ValueError("series: a Source contains only one image; pass the series itself.")
        if image.pixels.components > 1:
            raise ValueError(
                "image: only a Source with one component per pixel can be sampled at points."
            )
        results = [_sample_source(image, points, default, wanted)]
        has_channels = image.pixels.channels
    elif volumes is not None:
        if volumes.volume(0).channels:
            raise ValueError(
                "series: only volumes with one component per pixel can be sampled at points; these have several."
            )
        interpolator = make_interpolator(
            volumes.volume(0).geometry,
            _with_derivatives(method_of(method, options), gradient or hessian),
            may_have_margin=True,
        )
        values = pixel_list(default, volumes.count)
        results = [
            _sample_pixels(
                volumes.volume(i),
                interpolator,
                points,
                default=value,
                wanted=wanted,
                device=device,
                warns_of_labels=i == 0,
            )
            for i, value in enumerate(values)
        ]
        has_channels = True
    else:
        pixels = _images.open_image(image, "image", channels)
        interpolator = make_interpolator(
            pixels.geometry,
            _with_derivatives(method_of(method, options), gradient or hessian),
            may_have_margin=True,
        )
        values = pixel_list(default, pixels.components if pixels.channels else 1)
        results = [
            _sample_pixels(
                part,
                interpolator,
                points,
                default=value,
                wanted=wanted,
                device=device,
                warns_of_labels=not pixels.channels,
            )
            for part, value in zip(_components_of(pixels), values)
        ]
        has_channels = pixels.channels
    if not has_channels:
        found = tuple(buffer.result() for buffer in results[0])
    else:
        found = tuple(
            _stack([result[i] for result in results], i == len(results[0]) - 1 and inside)
            for i in range(len(results[0]))
        )
    return found if len(found) > 1 else found[0]


#: Defaults of all keywords.
_DEFAULTS = {
    name: found.default
    for name, found in inspect.signature(sample).parameters.items()
    if found.kind is found.KEYWORD_ONLY
}


def _with_derivatives(method: Method, wants_derivatives: bool) -> Method:
    """A method, where no interpolation is given and derivatives are wanted with one that has
    them."""
    return (
        replace(method, interpolation="bspline")
        if wants_derivatives and method.interpolation is None
        else method
    )


@dataclass(frozen=True)
class _Wanted:
    """The requested results at points."""

    gradient: bool
    hessian: bool
    inside: bool
    coordinates: str
    dtype: Any
    rounding: int
    threads: int
    progress: Any

    @property
    def asks_for_reals(self) -> bool:
        """Whether the caller named a type of real numbers: fractions between labels are wanted."""
        return self.dtype is not None and _arrays.type_name(self.dtype, "dtype").startswith("float")


def is_in_space(wanted: _Wanted) -> bool:
    """Whether points are positions in space, and not indices. Raises ValueError, naming the
    argument."""
    return bool(choose(wanted.coordinates, {"physical": True, "index": False}, "coordinates"))


def pixel_list(default: Any, count: int) -> list[Any]:
    """A number for each component. Raises ValueError, naming the argument."""
    try:
        found = numpy.asarray(default)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"default: {default!r} is neither a number nor a list of numbers: {error}"
        ) from None
    if found.ndim == 0:
        return [default] * count
    if found.shape != (count,):
        raise ValueError(
            f"default: {found.size} numbers are given; {count} are needed, one per component of a pixel."
        )
    return list(found)


def _components_of(pixels: Pixels) -> list[Pixels]:
    """Each component as an image of its own."""
    if not pixels.channels:
        return [pixels]

    def component(number: int) -> Pixels:
        def read(box: Optional[Box]) -> _arrays.Buffer:
            whole = pixels.buffer if box is None else pixels.read(box)
            buffer = _arrays.view(whole.array.reshape(whole.shape)[..., number], "image")
            buffer.finish = whole.finish
            return buffer

        return Pixels(
            read,
            pixels.dtype,
            pixels.device,
            geometry=pixels.geometry,
            components=1,
            channels=False,
            finish=pixels.finish,
        )

    return [component(number) for number in range(pixels.components)]


def _sample_pixels(
    pixels: Pixels,
    method: Interpolator,
    points: Any,
    default: Any,
    wanted: _Wanted,
    device: Any,
    warns_of_labels: bool,
) -> list[_arrays.Buffer]:
    """Values of an image with one number per pixel: few points read windows, others the whole
    image."""
    if method.is_of_indicators:
        return _sample_labels(pixels, method, points, default, wanted, device)
    buffer = _arrays.view(points, "points")
    if (
        pixels.device < 0
        and not method.has_margin
        and buffer.device < 0
        and buffer.shape[-1:] == (pixels.geometry.dimension,)
    ):
        is_physical = is_in_space(wanted)
        indices = _windows.indices_of(buffer.array, pixels.geometry, is_physical)
        windows = _windows.of_points(pixels, method, indices)
        if windows is not None:
            if warns_of_labels and not wanted.asks_for_reals and pixels.narrow != "bool":
                _sampling.warn_of_labels(windows[0][1].buffer, 1, method)
            any(
                _sampling.warn_of_spreading(window.buffer, method, wanted.threads)
                for _, window in windows
            )
            return _sample_windows(windows, method, buffer, default, wanted, device)
    if warns_of_labels and not wanted.asks_for_reals and pixels.narrow != "bool":
        _sampling.warn_of_labels(pixels.buffer, 1, method)
    _sampling.warn_of_spreading(pixels.buffer, method, wanted.threads)
    source = PreparedImage._borrowing(pixels, method, device, wanted.threads, None)
    found = _sample_source(source, points, default, wanted)
    del source  # waits for what reads borrowed pixels
    return found


def _sample_labels(
    pixels: Pixels, method: Interpolator, points: Any, default: Any, wanted: _Wanted, device: Any
) -> list[_arrays.Buffer]:
    """Values of an image of labels: from their indicators, one after the other."""
    if wanted.gradient or wanted.hessian:
        raise ValueError(
            f"{'gradient' if wanted.gradient else 'hessian'}: interpolations of labels have no derivatives."
        )
    at = _arrays.view(points, "points")
    if pixels.device >= 0 or at.device >= 0:
        raise ValueError(
            "interpolation: interpolations of label indicators require images and points in host memory."
        )
    kind = "float64" if pixels.dtype in WIDE else "float32"
    output_type = kind if wanted.dtype is None else _arrays.type_name(wanted.dtype, "dtype")
    values = _arrays.empty(at, at.shape[:-1], output_type)
    of_indicators = method.of_indicators
    masks: list[_arrays.Buffer] = []

    def interpolate(
        indicator: _arrays.Buffer, found: _arrays.Buffer, begin: float, end: float
    ) -> None:
        part = replace(
            wanted, dtype="float64", progress=_labels.part_of(wanted.progress, begin, end)
        )
        image = Pixels(
            lambda box: indicator,
            "uint8",
            -1,
            geometry=pixels.geometry,
            components=1,
            channels=False,
            finish=pixels.finish,
        )
        source = PreparedImage._borrowing(image, of_indicators, device, wanted.threads, None)
        made, *masks[:] = _sample_source(source, points, numpy.nan, part)
        found.array[...] = _arrays.to_host(made)

    _labels.winners(
        pixels.buffer,
        values,
        pixel_of(default, 1, output_type, "default"),
        wanted.rounding,
        interpolate,
    )
    return [values, *masks]


def _sample_windows(
    windows: list[tuple[numpy.ndarray, Pixels]],
    method: Interpolator,
    points: _arrays.Buffer,
    default: Any,
    wanted: _Wanted,
    device: Any,
) -> list[_arrays.Buffer]:
    """Values at points by windows, each of which has some of the points."""
    shape = points.shape[:-1]
    flat = numpy.asarray(points.array).reshape(-1, points.shape[-1])
    results: list[_arrays.Buffer] = []
    for numbers, window in windows:
        source = PreparedImage._borrowing(window, method, device, wanted.threads, None)
        parts = _sample_source(source, flat[numbers], default, wanted)
        if not results:
            results = [
                _arrays.empty(points, (*shape, *part.shape[1:]), part.dtype) for part in parts
            ]
        for result, part in zip(results, parts):
            numpy.asarray(result.array).reshape(len(flat), *part.shape[1:])[numbers] = part.array
    return results


def _stack(buffers: Sequence[_arrays.Buffer], is_mask: bool) -> Any:
    if is_mask:
        return buffers[0].result()  # the same for all
    made = _arrays.empty(buffers[0], (*buffers[0].shape, len(buffers)), buffers[0].dtype)
    if made.kind == "jax" and made.device >= 0:
        import jax.numpy  # type: ignore[import-not-found, unused-ignore]

        return jax.numpy.stack([buffer.array for buffer in buffers], axis=-1)
    for component, buffer in enumerate(buffers):
        made.array[..., component] = buffer.array
    return made.result()


class _PointsPlan:
    """The plan of values at points of a type and device, without the points: of a Source, or one
    like it.

    Raises TypeError or ValueError, naming the argument, for what cannot be wanted.

    method: of the Source
    geometry: of its samples, with their margin where it has one
    element: that is computed with
    pixel: name of the type of the image's numbers
    points: some of the points"""

    def __init__(
        self,
        method: Interpolator,
        geometry: Geometry,
        element: str,
        pixel: str,
        points: _arrays.Buffer,
        default: Any,
        wanted: _Wanted,
    ) -> None:
        gradient, hessian, dtype = wanted.gradient, wanted.hessian, wanted.dtype
        self.dimension = dimension = geometry.dimension
        is_physical = is_in_space(wanted)
        derivatives = 2 if hessian else (1 if gradient else 0)
        kind = element if element in ("float32", "float64") else pixel
        output_type = kind if dtype is None else _arrays.type_name(dtype, "dtype")
        if derivatives and not KINDS[method.kind].has_derivatives:
            raise ValueError(
                f"{'gradient' if gradient else 'hessian'}: interpolation {method.kind!r} has no derivatives; use 'bspline' (or order=3), 'catmull-rom' or 'mitchell'."
            )
        if derivatives and method.storage != "element" and (hessian or method.storage == "texture"):
            what = (
                f"mode {method.mode!r}"
                if method.storage == "texture"
                else f"storage {method.storage!r}"
            )
            raise ValueError(
                f"{'gradient' if gradient and method.storage == 'texture' else 'hessian'}: {what} has no such derivatives."
            )
        if derivatives and output_type not in ("float32", "float64"):
            raise ValueError(f"dtype: derivatives must be float32 or float64, not {output_type}.")
        described = _library.Points()
        described.interpolation = method.describe_interpolation(geometry)
        described.device = points.device
        described.point_type = points.type_code
        described.physical = int(is_physical or method.has_margin)
        # Indices are those of the image: samples of its margin have negative ones.
        is_shifted = method.has_margin and not is_physical
        _stages.set_vector(
            described.origin, numpy.full(dimension, -MARGIN) if is_shifted else geometry.origin
        )
        _stages.set_matrix(
            described.point_to_index,
            numpy.eye(dimension) if is_shifted else geometry.point_to_index,
        )
        # A gradient by samples times the derivative of the index by the place, transposed.
        _stages.set_matrix(
            described.gradient_map,
            geometry.point_to_index.T if is_physical else numpy.eye(dimension),
        )
        described.derivatives = derivatives
        described.output_type = _library.TYPES[output_type]
        described.rounding = wanted.rounding
        self._pixel = pixel_of(default, 1, output_type, "default")
        described.default_value = self._pixel.ctypes.data
        self._described, self._type, self._wanted, self._derivatives = (
            described,
            output_type,
            wanted,
            derivatives,
        )

    def run(
        self, source: Any, buffer: _arrays.Buffer, function: str = "cudaspline_sample"
    ) -> list[_arrays.Buffer]:
        """Computes the requested results at points, from the library's handle of a Source, or from
        an image and its function."""
        wanted, dimension = self._wanted, self.dimension
        shape = buffer.shape[:-1]
        described = _library.Points.from_buffer_copy(self._described)
        described.stream = buffer.stream
        described.count = math.prod(shape)
        described.points = buffer.pointer
        values = _arrays.empty(buffer, shape, self._type)
        described.values = values.pointer
        results = [values]
        gradients = (
            _arrays.empty(buffer, (*shape, dimension), self._type) if self._derivatives else None
        )
        packed = (
            _arrays.empty(buffer, (*shape, dimension * (dimension + 1) // 2), self._type)
            if wanted.hessian
            else None
        )
        mask = _arrays.empty(buffer, shape, "uint8") if wanted.inside else None
        if gradients is not None:
            described.gradients = gradients.pointer
            if wanted.gradient:
                results.append(gradients)
        if packed is not None:
            described.hessians = packed.pointer
        if mask is not None:
            described.inside = mask.pointer
        if described.count > 0:
            if buffer.device >= 0 and wanted.progress is None and wanted.threads == 0:
                _library.run_on_device(function, source, ctypes.byref(described))
            else:
                _library.Call(threads=wanted.threads, progress=wanted.progress).run(
                    function, source, ctypes.byref(described)
                )
        if packed is not None:
            results.append(_unpack(packed, dimension))
        if mask is not None:
            results.append(mask)
        return results


def _sample_source(
    source: PreparedImage, points: Any, default: Any, wanted: _Wanted
) -> list[_arrays.Buffer]:
    geometry = source.geometry
    dimension = geometry.dimension
    if dimension > 3:
        raise ValueError(
            f"image: it has {dimension} axes; only images with 1 to 3 axes can be sampled."
        )
    buffer = _arrays.view(points, "points")
    if buffer.dtype not in ("float32", "float64"):
        buffer = _arrays.view(points, "points", "float64")
    if len(buffer.shape) < 1 or buffer.shape[-1] != dimension:
        raise ValueError(
            f"points: the shape is {buffer.shape}; the last axis must have {dimension} coordinates, x first."
        )
    if buffer.device >= 0 and buffer.device != source.device:
        raise ValueError(
            f"points: they are on {_arrays.place_of(buffer.device)}, but the image is on {_arrays.place_of(source.device)}; both must be on the same device."
        )
    if source.pixels.device >= 0 and buffer.device < 0:
        raise ValueError(
            "points: the image is on a GPU, but the points are on the host; both must be on the same device."
        )
    if source.method.has_margin:
        buffer = within_margin(buffer, geometry, is_in_space(wanted))
    return _PointsPlan(
        source.method,
        source.pixels.geometry,
        source.element,
        pixel=source.pixels.dtype,
        points=buffer,
        default=default,
        wanted=wanted,
    ).run(source.handle, buffer)


def _unpack(packed: _arrays.Buffer, dimension: int) -> _arrays.Buffer:
    """xx xy xz yy yz zz as matrices."""
    index = {1: [0], 2: [0, 1, 1, 2], 3: [0, 1, 2, 1, 3, 4, 2, 4, 5]}[dimension]
    array = packed.array[..., index].reshape(*packed.shape[:-1], dimension, dimension)
    made = _arrays.view(array, "hessian")
    made.finish = packed.finish
    return made
