"""prefilter() and resample() of Dask arrays, chunk by chunk, with the bits of the whole.

Which part of the image a chunk reads says the library, which cuts its own pieces for a device's
memory in the same way (doc/architecture/Coefficients.md, "Segments"): windows begin at a multiple
of a filter's segment, have the filter's warm-up, and end where the image ends wherever its
extension is asked. Positions in a window are positions in the whole.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional, Sequence

import dask.array
import numpy
from dask.base import tokenize
from dask.delayed import delayed
from dask.highlevelgraph import HighLevelGraph

from ..core import _arrays, _library
from ..core._checks import LARGEST_INT32, check_keywords, integer, named
from ..core._geometry import Geometry, make_geometry
from ..core._methods import (
    METHOD_OPTIONS,
    ROUNDINGS,
    Interpolator,
    Method,
    choose,
    device_word,
    make_interpolator,
    method_of,
    pixel_of,
)
from ..core._options import (
    Boundaries,
    Channels,
    ExactOptions,
    Order,
    PrefilterMethod,
    Rounding,
    TransformOrder,
)
from ..images import _images
from ..resampling import _labels
from ..resampling._output_grid import check_dimension, output_grid, target_of
from ..transforms import _stages, _transforms

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Options of whole images.
_OF_TEXTURES = frozenset(("mode", "storage", "table"))
#: (first, count) of an axis; a box has one per axis.
Range = tuple[int, int]
Box = tuple[Range, ...]


@dataclass
class Opened:
    """A Dask array that a caller gave, with a geometry."""

    array: Any
    geometry: Geometry
    components: int
    channels: bool
    #: Makes an image of the same kind.
    finish: Callable[[Any, Geometry], Any]
    #: Whether neighbouring chunks of an output are computed together, and of shared coefficients: otherwise each of them takes bounded memory.
    is_shared: bool = True

    @property
    def tail(self) -> tuple[int, ...]:
        """The end of a shape, after the axes."""
        return (self.components,) if self.channels else ()

    @property
    def dtype(self) -> str:
        """Name of the elements' type."""
        return _arrays.type_name(self.array.dtype, "image")

    def window(self, box: Box) -> Any:
        """The samples of a box, slowest axis first, in one chunk. What is beyond an end of an axis
        is that axis' other end."""
        found = self.array
        for axis, (first, count) in enumerate(box):
            size = found.shape[axis]
            ahead = (slice(None),) * axis
            ends = [(max(first, 0), min(first + count, size))]
            if first < 0:
                ends.insert(0, (first + size, size))
            if first + count > size:
                ends.append((0, first + count - size))
            parts = [found[(*ahead, slice(begin, end))] for begin, end in ends]
            found = parts[0] if len(parts) == 1 else dask.array.concatenate(parts, axis=axis)  # type: ignore[no-untyped-call, unused-ignore]
        return found.rechunk(found.shape)


def _open(image: Any, channels: Channels) -> Opened:
    if isinstance(image, Opened):
        return image
    owner = image if isinstance(image, _images.Image) else None
    channels = _images.check_channels(channels) if owner is None else owner.channels
    array = image if owner is None else owner.array
    if not isinstance(array, dask.array.Array):
        raise TypeError(
            f"image: a dask.array.Array is needed, or a cudaspline.Image of one, not {type(array).__name__}."
        )
    if type(array._meta) is not numpy.ndarray:
        raise TypeError(
            f"image: its chunks are arrays of {type(array._meta).__module__}; they must be NumPy arrays (device= chooses a GPU)."
        )
    if any(numpy.isnan(count) for counts in array.chunks for count in counts):
        raise ValueError(
            "image: the sizes of its chunks are unknown; call compute_chunk_sizes() first."
        )
    if channels and array.ndim < 2:
        raise ValueError(
            f"image: an array with {array.ndim} axes has no axis for the components of pixels."
        )
    if channels is True:
        _images.check_last(array.shape)
    is_first = channels == "first"
    if is_first:
        array = dask.array.moveaxis(array, 0, -1)  # type: ignore[no-untyped-call, unused-ignore]
    shape = array.shape[:-1] if channels else array.shape
    geometry = make_geometry(shape[::-1], name="image: ") if owner is None else owner.geometry
    _arrays.type_name(array.dtype, "image")

    def finish(made: Any, grid: Geometry) -> Any:
        made = dask.array.moveaxis(made, -1, 0) if is_first else made  # type: ignore[no-untyped-call, unused-ignore]
        return (
            made
            if owner is None
            else _images.Image(made, grid.spacing, grid.origin, grid.direction, channels)
        )

    return Opened(array, geometry, array.shape[-1] if channels else 1, bool(channels), finish)


#: Samples along an axis up to which neighbouring chunks are computed together: what the filter
#: reads about each of them is read once.
_TOGETHER = 160
#: Samples along an axis of the blocks of coefficients that small chunks of an output share. The warm-up adds up to a ninth at either end of a block.
_FILTERED = 256


@dataclass(frozen=True)
class _Block:
    """Neighbouring chunks that one task computes."""

    #: (first, count) by axis of all of them, slowest first.
    box: Box
    #: Number of each chunk, and where it is in the box.
    chunks: tuple[tuple[tuple[int, ...], Box], ...]


def _blocks(chunks: Sequence[Sequence[int]], is_filtered: bool) -> Iterator[_Block]:
    """All chunks in blocks, as large along each axis as _TOGETHER allows; each by itself where
    nothing is filtered, and larger ones."""
    axes: list[list[list[tuple[int, int, int]]]] = []
    for counts in chunks:
        groups: list[list[tuple[int, int, int]]] = []
        first = 0
        for number, count in enumerate(int(n) for n in counts):
            if is_filtered and groups and first + count - groups[-1][0][1] <= _TOGETHER:
                groups[-1].append((number, first, count))
            else:
                groups.append([(number, first, count)])
            first += count
        axes.append(groups)
    for together in product(*axes):
        begins = [group[0][1] for group in together]
        box = tuple(
            (begin, group[-1][1] + group[-1][2] - begin) for begin, group in zip(begins, together)
        )
        members = tuple(
            (
                tuple(number for number, _, _ in one),
                tuple((first - begin, count) for (_, first, count), begin in zip(one, begins)),
            )
            for one in product(*together)
        )
        yield _Block(box, members)


def _cut(block: Any, box: Box) -> Any:
    """A chunk of what a block's task has made."""
    return numpy.ascontiguousarray(
        block[tuple(slice(first, first + count) for first, count in box)]
    )


def _divide(
    tasks: dict[Any, Any], extra: dict[Any, Any], name: str, block: _Block, task: Any
) -> None:
    """Adds the task of a block, and those that cut its chunks out."""
    if len(block.chunks) == 1:
        tasks[block.chunks[0][0]] = task
        return
    key = (f"{name}-block", *block.chunks[0][0])
    extra[key] = task
    for number, box in block.chunks:
        tasks[number] = (_cut, key, box)


def _nowhere(opened: Opened, dtype: str) -> _arrays.Buffer:
    """An array that is described and not read."""
    one = numpy.zeros(1, dtype)
    return _arrays.Buffer(
        "numpy", one, one.ctypes.data, device=-1, stream=None, shape=opened.array.shape, dtype=dtype
    )


def _collect(
    name: str,
    tasks: dict[Any, Any],
    extra: dict[Any, Any],
    needed: Sequence[Any],
    opened: Opened,
    chunks: Any,
    dtype: str,
) -> Any:
    """The Dask array of tasks by chunk, and of others that these need."""
    numbered: dict[Any, Any] = {
        (name, *number, *(0 for _ in opened.tail)): task for number, task in tasks.items()
    }
    numbered.update(extra)
    graph = HighLevelGraph.from_collections(name, numbered, dependencies=needed)
    whole = (*(tuple(int(n) for n in counts) for counts in chunks), *((n,) for n in opened.tail))
    return dask.array.Array(graph, name, whole, meta=numpy.empty((0,) * len(whole), dtype))  # type: ignore[no-untyped-call, unused-ignore]


@dataclass(frozen=True)
class _Filtering:
    """A prefilter of a window."""

    method: Interpolator
    geometry: Geometry
    components: int
    channels: bool
    dtype: str
    axis: int
    device: Any
    threads: int


def _filter(window: Any, work: _Filtering, crop: Box) -> Any:
    """The coefficients of a box of a window, slowest axis first."""
    buffer = _arrays.view(window, "image")
    result = _arrays.empty(buffer, buffer.shape, work.dtype)
    dimension = work.geometry.dimension
    part = replace(work.geometry, size=buffer.shape[:dimension][::-1])
    described = work.method.describe_image(buffer, part.size, work.components, work.dtype)
    call = _library.Call(device_word(work.device, buffer.device), work.threads)
    call.run("cudaspline_prefilter", ctypes.byref(described), work.axis, result.pointer)
    return numpy.ascontiguousarray(
        result.array[tuple(slice(first, first + count) for first, count in crop)]
    )


def prefilter(
    image: Any,
    order: Order = 3,
    *,
    boundary: Boundaries = "mirror",
    method: PrefilterMethod = "exact",
    taps: int = 15,
    axis: Optional[int] = None,
    dtype: Any = None,
    channels: Channels = False,
    device: Any = None,
    threads: int = 1,
) -> Any:
    """B-spline coefficients of a Dask array: those of cudaspline.prefilter() of the whole, to the
    bit where the same kind of device computes.

    A chunk is computed of its samples and of those that the filter reads on either side, some 10 to
    100 along each axis (the warm-up of the recursion for that order and type, from a multiple of 32
    samples on).

    Parameters
    ----------
    image
        A dask.array.Array with chunks of NumPy, of 1 to 4 axes, slowest first; or a
        cudaspline.Image of one.
    order, boundary, method, taps, axis, dtype, channels
        As for cudaspline.prefilter(). Under "grid-wrap" the chunks at either end read samples of
        the other.
    device
        As for cudaspline.prefilter(), for each chunk.
    threads
        Of the host, for each chunk: Dask computes several chunks at once. 0: one a core.

    Returns
    -------
    A Dask array of the same shape and chunks (that of components is one), float32 or float64; or an
    Image of it, with the geometry.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name. Errors of single
        chunks are raised when they are computed.

    Examples
    --------
    >>> import dask.array
    >>> import cudaspline.dask
    >>> image = dask.array.ones((40, 50), chunks=20)
    >>> cudaspline.dask.prefilter(image).compute().round(9).max().item()
    1.0
    """
    opened = _open(image, channels)
    geometry = opened.geometry
    dimension = geometry.dimension
    choose(method, _library.METHODS, "method")
    found = make_interpolator(
        geometry, Method("bspline", order, boundary=boundary, prefilter=method, taps=taps)
    )
    if dtype is None:
        wanted = found.element(opened.dtype, opened.dtype, 1)
    else:
        wanted = choose(
            _arrays.type_name(dtype, "dtype"), {"float32": "float32", "float64": "float64"}, "dtype"
        )
    found.precision = wanted
    number = -1
    if axis is not None:
        if (
            isinstance(axis, bool)
            or not isinstance(axis, (int, numpy.integer))
            or not -dimension <= axis < dimension
        ):
            raise ValueError(f"axis: {axis!r} is not an axis of the image, which has {dimension}.")
        if opened.components > 1:
            raise ValueError(
                "axis: filtering along one axis supports only images with one component per pixel."
            )
        number = dimension - 1 - int(axis) % dimension
    count = integer(threads, "threads", 0, LARGEST_INT32)
    work = _Filtering(
        method=found,
        geometry=geometry,
        components=opened.components,
        channels=opened.channels,
        dtype=wanted,
        axis=number,
        device=device,
        threads=count,
    )
    blocks = _blocks(opened.array.chunks[:dimension], found.has_filter)
    return opened.finish(
        _coefficients(opened, work, opened.array.chunks[:dimension], blocks), geometry
    )


def _coefficients(opened: Opened, work: _Filtering, chunks: Any, blocks: Iterable[_Block]) -> Any:
    """The Dask array of the coefficients, in chunks that each block has some of."""
    geometry = work.geometry
    dimension = geometry.dimension
    described = work.method.describe_image(
        _nowhere(opened, opened.dtype), geometry.size, opened.components, work.dtype
    )
    name = f"cudaspline-prefilter-{tokenize(opened.array.name, work.method, geometry.size, work.dtype, work.axis, str(work.device), chunks)}"
    tasks: dict[Any, Any] = {}
    extra: dict[Any, Any] = {}
    needed = []
    for block in blocks:
        box = block.box
        reads = tuple(
            _library.prefilter_window(described, dimension - 1 - d, *box[d])
            if work.axis in (-1, dimension - 1 - d) and box[d][1] > 0
            else box[d]
            for d in range(dimension)
        )
        crop = tuple((first - begin, count) for (first, count), (begin, _) in zip(box, reads))
        window = opened.window(reads)
        needed.append(window)
        _divide(
            tasks,
            extra,
            name,
            block,
            (_filter, (window.name, *(0 for _ in window.chunks)), work, crop),
        )
    return _collect(
        name, tasks, extra, needed=needed, opened=opened, chunks=chunks, dtype=work.dtype
    )


def _filter_once(
    opened: Opened, method: Interpolator, output: str, device: Any, threads: int
) -> tuple[Opened, Interpolator]:
    """An image as its coefficients in large blocks, which all chunks of an output share, and its interpolation."""
    geometry = opened.geometry
    element = method.element(opened.dtype, output, opened.components)
    work = _Filtering(
        method,
        geometry,
        opened.components,
        channels=opened.channels,
        dtype=element,
        axis=-1,
        device=device,
        threads=threads,
    )
    chunks = dask.array.core.normalize_chunks(_FILTERED, geometry.shape, dtype=numpy.dtype(element))  # type: ignore[no-untyped-call, unused-ignore]
    coefficients = _coefficients(opened, work, chunks, _blocks(chunks, False))
    return replace(opened, array=coefficients), replace(method, prefilter="coefficients")


@dataclass(frozen=True)
class _Resampling:
    """A resampling of which boxes are computed."""

    method: Interpolator
    geometry: Geometry
    grid: Geometry
    components: int
    channels: bool
    pixel: str
    dtype: str
    default: Any
    extrapolate: bool
    device: Any
    threads: int
    #: Whether it is the label whose indicator, interpolated by the method, is largest.
    is_of_indicators: bool
    #: How real numbers become integers: cudaspline_rounding.
    rounding: int

    def describe(
        self, stages: Any, buffer: Any, start: Sequence[int], first: Sequence[int], result: Any
    ) -> tuple[Any, Any, Any]:
        """A window that begins at an index, and the box of the output that begins at another one, x
        first; and objects that must exist as long as these."""
        dimension = self.grid.dimension
        part = replace(self.geometry, size=buffer.shape[:dimension][::-1])
        image = self.method.describe_image(buffer, part.size, self.components, self.dtype)
        image.start[:dimension] = start
        box = replace(self.grid, size=result.shape[:dimension][::-1])
        interpolation = self.method.describe_interpolation(self.geometry)
        resampling, kept = _stages.describe_resampling(
            interpolation,
            self.geometry,
            box,
            stages=stages,
            result=result,
            pixel=self.default,
            extrapolate=self.extrapolate,
            rounding=self.rounding,
        )
        resampling.output_start[:dimension] = first
        resampling.line_length = self.grid.size[0]
        return image, resampling, kept


def _evaluate(
    window: Any,
    stages: Any,
    work: _Resampling,
    start: Sequence[int],
    first: Sequence[int],
    size: Sequence[int],
) -> Any:
    """A box of the output, of a window; None where it reads nothing. start, first, size: x
    first."""
    tail = (work.components,) if work.channels else ()
    if window is None:
        window = numpy.zeros((*(1 for _ in size), *tail), work.pixel)
    buffer = _arrays.view(window, "image")
    result = _arrays.empty(buffer, (*size[::-1], *tail), work.dtype)

    def run(one: _Resampling, pixels: _arrays.Buffer, output: _arrays.Buffer) -> None:
        image, resampling, kept = one.describe(stages, pixels, start, first, output)
        call = _library.Call(device_word(work.device, buffer.device), work.threads)
        call.run("cudaspline_resample", ctypes.byref(image), ctypes.byref(resampling))
        del kept

    if work.is_of_indicators:
        one = replace(
            work, pixel="uint8", dtype="float64", default=numpy.full(work.components, numpy.nan)
        )
        _labels.winners(
            buffer,
            result,
            work.default,
            work.rounding,
            lambda indicator, values, begin, end: run(one, indicator, values),
        )
    else:
        run(work, buffer, result)
    return result.array


def resample(
    image: Any,
    transform: Any = None,
    reference: Any = None,
    *,
    transform_order: TransformOrder = "itk",
    size: Optional[Sequence[int]] = None,
    spacing: Optional[Any] = None,
    origin: Optional[Any] = None,
    direction: Optional[Any] = None,
    chunks: Any = None,
    method: Optional[Method] = None,
    default: Any = 0,
    extrapolate: bool = False,
    dtype: Any = None,
    rounding: Rounding = "nearest",
    channels: Channels = False,
    device: Any = None,
    threads: int = 1,
    **options: Unpack[ExactOptions],
) -> Any:
    """A Dask array on another grid, through a transform: cudaspline.resample() of the whole, to the
    bit where the same kind of device computes.

    A chunk of the output is computed of the box of the image that its samples read: of the ends of
    its scanlines for linear maps, exactly; else of bounds of the displacements that there are about
    it. To it come the interpolation's support and the prefilter's warm-up.

    Parameters
    ----------
    image
        A dask.array.Array with chunks of NumPy, of 1 to 3 axes, slowest first; or a
        cudaspline.Image of one, with its geometry.
    transform
        As for cudaspline.resample(), in memory; each worker gets the whole of it once.
    transform_order
        As for cudaspline.resample().
    reference
        As for cudaspline.resample(); a Dask array too, or an Image of one, neither of which is
        read.
    chunks
        Of the output's axes, as dask.array takes them, slowest first; None: as large as the image's
        largest.
    size, spacing, origin, direction, method, default, extrapolate, dtype, rounding, channels,
    options
        As for cudaspline.resample(): options are interpolation, order, boundary, border, prefilter,
        taps, tension, window, radius, sigma, cutoff and precision. Its modes "texture", its storage
        in 16 bits and its smooth="auto" are of whole images: a recursive Gaussian has no end. There
        are no warnings of coarse sampling, of labels that are mixed, or of chunks that have the
        default value alone.
    device, threads
        As for prefilter().

    Returns
    -------
    A Dask array of the output's shape (components in one chunk); or an Image of it, where an Image
    was given.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name. Errors of single
        chunks are raised when they are computed.

    Examples
    --------
    >>> import dask.array
    >>> import cudaspline.dask
    >>> image = dask.array.ones((40, 50), chunks=20)
    >>> cudaspline.dask.resample(image, [[1, 0, 30], [0, 1, 0]], order=1, chunks=25).sum(axis=1)[0].compute().item()
    20.0
    """
    check_keywords(options, METHOD_OPTIONS - _OF_TEXTURES, resample, "resample() of Dask arrays")
    given = method_of(method, options)
    if given.mode != "exact" or given.storage != "element":
        raise ValueError(
            f"method: mode {given.mode!r} with storage {given.storage!r} is not supported for chunks; use mode 'exact' and storage 'element'."
        )
    opened = _open(image, channels)
    geometry = opened.geometry
    check_dimension(geometry)
    if isinstance(reference, dask.array.Array):
        reference = make_geometry(reference.shape[::-1], name="reference: ")
    grid = output_grid(
        geometry,
        target_of(
            reference, {"size": size, "spacing": spacing, "origin": origin, "direction": direction}
        ),
    )
    interpolator = make_interpolator(geometry, given)
    output = opened.dtype if dtype is None else _arrays.type_name(dtype, "dtype")
    is_of_indicators = interpolator.is_of_indicators
    if is_of_indicators:
        interpolator = interpolator.of_indicators
    stages = _transforms.describe(
        transform, grid.dimension, -1, "transform", transform_order, geometry
    )
    pixel = pixel_of(default, opened.components, output, "default")
    count = integer(threads, "threads", 0, LARGEST_INT32)
    if chunks is None:
        chunks = tuple(max(counts) for counts in opened.array.chunks[: grid.dimension])
    try:
        chunks = dask.array.core.normalize_chunks(chunks, grid.shape, dtype=numpy.dtype(output))  # type: ignore[no-untyped-call, unused-ignore]
    except (TypeError, ValueError) as error:
        raise named(error, f"chunks: {error}") from None
    blocks = list(_blocks(chunks, interpolator.has_filter and opened.is_shared))
    reads_samples = (
        is_of_indicators or extrapolate
    )  # nearest samples outside are those of the image, not coefficients
    if any(len(block.chunks) > 1 for block in blocks) and not reads_samples:
        opened, interpolator = _filter_once(opened, interpolator, output, device, count)
    work = _Resampling(
        method=interpolator,
        geometry=geometry,
        grid=grid,
        components=opened.components,
        channels=opened.channels,
        pixel=opened.dtype,
        dtype=output,
        default=pixel,
        extrapolate=bool(extrapolate),
        device=device,
        threads=count,
        is_of_indicators=is_of_indicators,
        rounding=choose(rounding, ROUNDINGS, "rounding"),
    )
    windows = _find_windows(opened, work, stages, [block.box for block in blocks])
    token = tokenize(stages.__getstate__())
    shared = delayed(stages, name=f"cudaspline-transform-{token}", traverse=False)
    shown = (
        interpolator,
        is_of_indicators,
        work.rounding,
        grid.size,
        grid.affine,
        geometry.affine,
        output,
        pixel,
        extrapolate,
        str(device),
        chunks,
    )
    name = f"cudaspline-resample-{tokenize(opened.array.name, token, *shown)}"
    tasks: dict[Any, Any] = {}
    extra: dict[Any, Any] = {}
    needed: list[Any] = [shared]
    for block, reads in zip(blocks, windows):
        box = block.box
        key = None
        if all(count > 0 for _, count in reads):
            part = opened.window(reads)
            needed.append(part)
            key = (part.name, *(0 for _ in part.chunks))
        start = [first for first, _ in reads[::-1]]
        task = (
            _evaluate,
            key,
            shared.key,
            work,
            start,
            [first for first, _ in box[::-1]],
            [n for _, n in box[::-1]],
        )
        _divide(tasks, extra, name, block, task)
    return opened.finish(
        _collect(name, tasks, extra, needed=needed, opened=opened, chunks=chunks, dtype=output),
        grid,
    )


def _find_windows(
    opened: Opened, work: _Resampling, stages: Any, boxes: Sequence[Box]
) -> list[Box]:
    """The box of the image that each box of the output reads, slowest axis first; of counts 0 where
    it reads nothing."""
    dimension = work.grid.dimension
    result = replace(_nowhere(opened, work.dtype), shape=work.grid.shape)
    image, resampling, kept = work.describe(
        stages, _nowhere(opened, work.pixel), [0] * dimension, [0] * dimension, result
    )
    given = numpy.zeros((2, len(boxes), 3), numpy.int64)
    given[1] = 1
    for i, box in enumerate(boxes):
        for d, (first, count) in enumerate(box[::-1]):
            given[:, i, d] = first, count
    found = numpy.zeros_like(given)
    _library.resample_windows(
        image, resampling, len(boxes), *(array.ctypes.data for array in (*given, *found))
    )
    del kept
    return [
        tuple((int(found[0, i, d]), int(found[1, i, d])) for d in reversed(range(dimension)))
        for i in range(len(boxes))
    ]
