"""What is made of an image once and evaluated many times: Source, and prefilter() and sample()."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any, Callable, Optional, Sequence, Union

import numpy

from . import _arrays, _images, _library, _transforms
from ._geometry import Geometry
from ._methods import Method, choose, device_word, make_method, pixel_of


class Source:
    """An image made ready to be evaluated: samples or B-spline coefficients, in memory of the host or of a GPU.

    It is made once and does not change; any number of threads evaluate it, by sample() and resample(). The image's pixels are copied
    where they need no preparation, so that they may change afterwards.

    Parameters
    ----------
    image, interpolation, order, mode, boundary, border, prefilter, taps, tension, window, radius, sigma, cutoff, precision, storage,
    table, channels, device, threads, progress
        As for resample().

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be; the message begins with its name.
    DeviceError
        The GPU that was asked for is not there, or fails while the image is on it.
    """

    def __init__(
        self,
        image: Any,
        *,
        interpolation: str = "bspline",
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
        channels: bool = False,
        device: Any = None,
        threads: int = 0,
        progress: Optional[Callable[[float], object]] = None,
    ) -> None:
        pixels = _images.open_image(image, "image", channels)
        method = make_method(
            pixels.geometry, interpolation, order, mode, boundary, border, prefilter, taps, tension, window, radius, sigma, cutoff,
            precision, storage, table,
        )  # fmt: skip
        self._make(pixels, method, pixels.components, False, device, threads, progress)
        # The kind and the place of the image's array are what is needed of it from here on.
        self.pixels.buffer = replace(_arrays.empty(pixels.buffer, (0,), pixels.buffer.dtype), owner=None)

    @classmethod
    def _borrowing(cls, pixels: _images.Pixels, method: Method, device: Any, threads: int, progress: Any) -> Source:
        """One that reads the pixels where they are while it lives, for what is evaluated at once."""
        source = cls.__new__(cls)
        source._make(pixels, method, pixels.components, True, device, threads, progress)
        return source

    def _make(
        self, pixels: _images.Pixels, method: Method, components: int, borrow: bool, device: Any, threads: int, progress: Any
    ) -> None:
        described = method.describe_image(pixels.buffer, pixels.geometry, components, pixels.buffer.dtype)
        call = _library.Call(device_word(device, pixels.buffer), int(threads), 0, progress)
        self.method = method
        self.pixels = pixels
        self._source = call.make_source(described, borrow)
        self._element = _library.TYPE_NAMES[described.element]

    @property
    def geometry(self) -> Geometry:
        """Where the samples are."""
        return self.pixels.geometry

    @property
    def device(self) -> int:
        """Number of the GPU in whose memory it is; -1: the host's."""
        return self._source.device

    @property
    def element(self) -> str:
        """Type that is computed with: "float32" or "float64"; the pixels' where they are handed on unchanged."""
        return self._element

    def resample(self, resampling: _library.Resampling, call: _library.Call) -> _library.Report:
        """cudaspline_resample_source; resample(source, ...) is what to call."""
        return call.run("cudaspline_resample_source", self._source.handle, ctypes.byref(resampling))

    def evaluate(self, points: _library.Points, call: _library.Call) -> _library.Report:
        """cudaspline_sample; sample(source, ...) is what to call."""
        return call.run("cudaspline_sample", self._source.handle, ctypes.byref(points))


def prefilter(
    image: Any,
    order: int = 3,
    *,
    boundary: Union[str, Sequence[str]] = "mirror",
    method: str = "exact",
    taps: int = 15,
    axis: Optional[int] = None,
    dtype: Any = None,
    channels: bool = False,
    out: Any = None,
    device: Any = None,
    threads: int = 0,
    progress: Optional[Callable[[float], object]] = None,
) -> Any:
    """B-spline coefficients of an image: what itk.BSplineDecompositionImageFilter and scipy.ndimage.spline_filter make.

    Parameters
    ----------
    image
        As for resample(), of 1 to 4 axes.
    order
        Of the B-spline, 0 to 5; 0 and 1 change nothing but the type.
    boundary
        How the image continues outside: "mirror" (ITK's, about the outermost samples), "reflect" (about the edges), "grid-wrap"; one for
        all axes, or one each, x first.
    method, taps
        "exact", "itk" or "fir" with that many taps, as for resample().
    axis
        The only axis that is filtered, as NumPy counts them: 0 is the slowest one, -1 the fastest; None: all.
    dtype
        "float32" or "float64"; None: float64 for float64 and integers of 32 and more bits, else float32.
    channels, out, device, threads, progress
        As for resample().

    Returns
    -------
    An image of the kind that was given, with its geometry. It is complete.

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be; the message begins with its name.
    DeviceError
        The GPU that was asked for is not there, or fails while the image is on it.
    """
    pixels = _images.open_image(image, "image", channels)
    buffer = pixels.buffer
    dimension = pixels.geometry.dimension
    found = make_method(pixels.geometry, "bspline", order, boundary=boundary, prefilter=method, taps=taps)
    if dtype is None:
        wanted = found.element(buffer.dtype, buffer.dtype, 1)
    else:
        name = _arrays.type_name(dtype, "dtype")
        wanted = choose(name, {"float32": "float32", "float64": "float64"}, "dtype")
    found.precision = wanted
    shape = (*pixels.geometry.shape, *pixels.shape_tail)
    result = _arrays.empty(buffer, shape, wanted) if out is None else _arrays.writable(out, "out", buffer, shape, wanted)
    number = -1
    if axis is not None:
        if isinstance(axis, bool) or not isinstance(axis, (int, numpy.integer)) or not -dimension <= axis < dimension:
            raise ValueError(f"axis: {axis!r} is no axis of an image that has {dimension}.")
        if pixels.components > 1:
            raise ValueError("axis: an axis alone is filtered in images of one number a pixel.")
        number = dimension - 1 - int(axis) % dimension
    described = found.describe_image(buffer, pixels.geometry, pixels.components, wanted)
    call = _library.Call(device_word(device, buffer), int(threads), 0, progress)
    call.run("cudaspline_prefilter", ctypes.byref(described), number, result.pointer)
    return out if out is not None else pixels.finish(result, pixels.geometry)


def sample(
    image: Any,
    points: Any,
    *,
    gradient: bool = False,
    hessian: bool = False,
    inside: bool = False,
    coordinates: str = "physical",
    default: Any = 0,
    dtype: Any = None,
    interpolation: str = "bspline",
    channels: bool = False,
    device: Any = None,
    threads: int = 0,
    progress: Optional[Callable[[float], object]] = None,
    **options: Any,
) -> Any:
    """Values of an image at points, and their derivatives.

    Parameters
    ----------
    image
        As for resample(), of 1 to 3 axes; or a Source, which is made once for many calls.
    points
        Places (mm) or continuous indices, x first: shape (..., dimension). For an image on a GPU an array there; else one of the host, or
        one on the Source's GPU.
    gradient, hessian
        Whether first and second derivatives are wanted, of B-splines and Catmull-Rom: a mm for places, a sample for indices.
    inside
        Whether it is wanted which points are inside.
    coordinates
        "physical": points are places; "index": continuous indices, of which 0 is the first sample.
    default
        The value outside; derivatives are 0 there.
    dtype
        Type of the values; None: float64 for images of float64 and integers of 32 and more bits, else float32. With derivatives one of
        these.
    interpolation, channels, device, threads, progress, options
        As for resample(): order, mode, boundary, border, prefilter, taps, tension, window, radius, sigma, cutoff, precision, storage,
        table. Not with a Source, which has its own.

    Returns
    -------
    Values of the shape (...), or (..., components) for images with channels; with gradient, hessian or inside a tuple of values, gradients
    (..., dimension), x first, Hessians (..., dimension, dimension) and a mask (...) of uint8, of those that are wanted. Arrays are of the
    kind of the points; on a GPU the work is enqueued in the current stream.

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be; the message begins with its name.
    DeviceError
        The GPU that was asked for is not there, or fails.
    """
    if isinstance(image, Source):
        if options:
            raise TypeError(f"{next(iter(options))}: a Source has its own.")
        sources = [image]
        pixels = image.pixels
        if pixels.components > 1:
            raise ValueError("image: points are sampled in a Source of one number a pixel.")
    else:
        pixels = _images.open_image(image, "image", channels)
        method = make_method(pixels.geometry, interpolation, **options)
        sources = [
            Source._borrowing(part, method, device, threads, None) for part in _components_of(pixels)
        ]
    results = [
        _sample_source(source, points, gradient, hessian, inside, coordinates, value, dtype, threads, progress)
        for source, value in zip(sources, pixel_list(default, len(sources)))
    ]
    del sources  # waits for what reads borrowed pixels
    if not pixels.channels:
        found = tuple(buffer.result() for buffer in results[0])
    else:
        found = tuple(_stack([result[i] for result in results], i == len(results[0]) - 1 and inside) for i in range(len(results[0])))
    return found if len(found) > 1 else found[0]


def pixel_list(default: Any, count: int) -> list[Any]:
    """A number for each component. Raises ValueError, naming the argument."""
    found = numpy.asarray(default)
    if found.ndim == 0:
        return [default] * count
    if found.shape != (count,):
        raise ValueError(f"default: a pixel has {count} numbers; there are {found.size}.")
    return list(found)


def _components_of(pixels: _images.Pixels) -> list[_images.Pixels]:
    """Each component as an image of its own."""
    if not pixels.channels:
        return [pixels]
    array = pixels.buffer.array.reshape(pixels.buffer.shape)
    parts = []
    for component in range(pixels.components):
        buffer = _arrays.view(array[..., component], "image")
        buffer.finish = pixels.buffer.finish
        parts.append(_images.Pixels(buffer, pixels.geometry, 1, False, pixels.finish))
    return parts


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


def _sample_source(
    source: Source, points: Any, gradient: bool, hessian: bool, inside: bool, coordinates: str, default: Any, dtype: Any, threads: int,
    progress: Any,
) -> list[_arrays.Buffer]:  # fmt: skip
    geometry = source.geometry
    dimension = geometry.dimension
    if dimension > 3:
        raise ValueError(f"image: it has {dimension} axes; images of 1 to 3 are evaluated.")
    buffer = _arrays.view(points, "points")
    if buffer.dtype not in ("float32", "float64"):
        buffer = _arrays.view(points, "points", "float64")
    if len(buffer.shape) < 1 or buffer.shape[-1] != dimension:
        raise ValueError(f"points: the last axis has {dimension} numbers, x first; the shape is {buffer.shape}.")
    if buffer.device >= 0 and buffer.device != source.device:
        raise ValueError(f"points: they are on device {buffer.device}, and the image is on {source.device if source.device >= 0 else 'the host'}.")
    if source.pixels.buffer.device >= 0 and buffer.device < 0:
        raise ValueError("points: the image is on a GPU, and the points are on the host.")
    is_physical = choose(coordinates, {"physical": True, "index": False}, "coordinates")
    derivatives = 2 if hessian else (1 if gradient else 0)
    kind = source.element if source.element in ("float32", "float64") else source.pixels.buffer.dtype
    output_type = kind if dtype is None else _arrays.type_name(dtype, "dtype")
    if derivatives and source.method.kind not in ("bspline", "catmull-rom"):
        raise ValueError(f"gradient: {source.method.kind!r} has no derivatives; 'bspline' and 'catmull-rom' have.")
    if derivatives and output_type not in ("float32", "float64"):
        raise ValueError(f"dtype: derivatives are float32 or float64, not {output_type}.")
    shape = buffer.shape[:-1]
    described = _library.Points()
    described.interpolation = source.method.describe_interpolation(geometry)
    described.device = buffer.device
    described.stream = buffer.stream
    described.count = int(numpy.prod(shape, dtype=numpy.int64))
    described.points = buffer.pointer
    described.point_type = buffer.type_code
    described.physical = int(is_physical)
    _transforms.set_vector(described.origin, geometry.origin)
    _transforms.set_matrix(described.point_to_index, geometry.point_to_index)
    # A gradient by samples times the derivative of the index by the place, transposed.
    _transforms.set_matrix(described.gradient_map, geometry.point_to_index.T if is_physical else numpy.eye(dimension))
    described.derivatives = derivatives
    described.output_type = _library.TYPES[output_type]
    pixel = pixel_of(default, 1, output_type, "default")
    described.default_value = pixel.ctypes.data
    values = _arrays.empty(buffer, shape, output_type)
    described.values = values.pointer
    results = [values]
    gradients = _arrays.empty(buffer, (*shape, dimension), output_type) if derivatives else None
    packed = _arrays.empty(buffer, (*shape, dimension * (dimension + 1) // 2), output_type) if hessian else None
    mask = _arrays.empty(buffer, shape, "uint8") if inside else None
    if gradients is not None:
        described.gradients = gradients.pointer
        if gradient:
            results.append(gradients)
    if packed is not None:
        described.hessians = packed.pointer
    if mask is not None:
        described.inside = mask.pointer
    if described.count > 0:
        source.evaluate(described, _library.Call(threads=int(threads), progress=progress))
    if packed is not None:
        results.append(_unpack(packed, dimension))
    if mask is not None:
        results.append(mask)
    return results


def _unpack(packed: _arrays.Buffer, dimension: int) -> _arrays.Buffer:
    """xx xy xz yy yz zz as matrices."""
    index = {1: [0], 2: [0, 1, 1, 2], 3: [0, 1, 2, 1, 3, 4, 2, 4, 5]}[dimension]
    array = packed.array[..., index].reshape(*packed.shape[:-1], dimension, dimension)
    made = _arrays.view(array, "hessian")
    made.finish = packed.finish
    return made
