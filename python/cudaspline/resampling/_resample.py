"""Images resampled: resample() and zoom()."""

from __future__ import annotations

import ctypes
import inspect
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Collection, Mapping, Optional, Sequence, Union

import numpy

from ..core import _arrays, _library
from ..core._checks import LARGEST_INT64, check_keywords, flag
from ..core._geometry import Geometry, vector
from ..core._methods import (
    METHOD_OPTIONS,
    ROUNDINGS,
    Method,
    choose,
    make_interpolator,
    method_of,
    name_interpolation,
    pixel_of,
)
from ..core._options import (
    Alignment,
    Channels,
    Kind,
    ResampleRest,
    Rounding,
    Smoothing,
    TransformOrder,
    ZoomRest,
)
from ..images import _images
from ..images._images import Image
from ..images._pixels import Pixels
from ..transforms import _stages, _transforms
from . import _labels, _resample_plans, _sampling, _windows
from ._margins import check_reach, margins, with_margin
from ._output_grid import TARGET_OPTIONS, Target, check_dimension, output_grid, size_of, target_of
from ._prepared import Like, PreparedImage, takes_source
from ._resample_work import Wanted, output_type_of, work_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@_resample_plans.shares_plans(lambda *given: _plan_of(*given))
@_arrays.refuses_gradients
@takes_source
def resample(
    image: Union[Kind, Like],
    transform: Any = None,
    reference: Any = None,
    *,
    transform_order: TransformOrder = "itk",
    transform_per_volume: bool = False,
    method: Optional[Method] = None,
    default: Any = 0,
    extrapolate: bool = False,
    dtype: Any = None,
    rounding: Rounding = "nearest",
    smooth: Optional[Smoothing] = None,
    channels: Channels = False,
    series: Optional[bool] = None,
    out: Any = None,
    device: Any = None,
    threads: int = 0,
    memory_limit: int = 0,
    progress: Optional[Callable[[float], object]] = None,
    **options: Unpack[ResampleRest],
) -> Union[Kind, Any]:
    """An image on another grid, through a transform: what itk.ResampleImageFilter does.

    For each sample of the output its place (mm) is mapped by the transform, and the image's value
    is taken there. One, two and three axes.

    Parameters
    ----------
    image
        itk.Image, SimpleITK.Image, an image of nibabel, ANTsPy, MONAI, torchio or ngff-zarr, a
        cudaspline.Image, the name of a file (NIfTI and .npy by the package itself; .nrrd, .mha and
        others by SimpleITK or itk), or an array of NumPy, CuPy, PyTorch, JAX or whatever has
        __cuda_array_interface__ or __dlpack__, of the shape (nz, ny, nx), whose points are then
        indices, x first. Elements may be bool (True where what is computed is above 1/2) and
        float16, too. Or a cudaspline.Source, made before with the interpolation and all that
        belongs to it: an option that contradicts it is refused. Of a series of volumes each is
        resampled (see series).
    transform
        From points of the output to points of the image (mm, x first): None or "identity"; a matrix
        (n x n, n x n+1 or homogeneous); a transform of itk or SimpleITK; a DisplacementField or
        BSplineGrid; the name of a file, of ITK's transforms (.tfm, .txt, .mat, .h5, .hdf5) or of an
        image of displacements, as ANTs' 1Warp.nii.gz; (transform, "inverse"), or as ANTs has it
        ["affine.mat", 1] and "[affine.mat,1]"; or a list of these. Fields and B-splines are
        inverted by iteration, which last_report().inverses reports.
    transform_order
        Of lists: "itk": the last one is applied first, as in itk.CompositeTransform; "ants": the
        first one is, as antsApplyTransforms takes them. What is in a file or a composite has ITK's
        order.
    transform_per_volume
        Of a series: transform is a list with one transform (or a list of these) for each volume, an
        array of as many matrices, or the name of a file with as many transforms and no composite,
        as of head motion, or a name with %d for the number of a volume, "moco_%04d.tfm". Each
        volume is interpolated once. read_transforms() gives the transforms of a file one by one, to
        compose each with others: [[common, one] for one in read_transforms("moco.tfm")].
    reference
        An image, the name of its file, or a Geometry whose grid is the output's, that of a volume
        where it is a series; None: the image's own. Or a Target, which has the size and so on as
        well.
    size, spacing, origin, direction
        Of the output, x first, in place of the reference's, or the image's: as CudaSplineResample's
        options. A spacing alone keeps the extent, from edge to edge, as far as whole samples allow;
        a size alone keeps it exactly; the middle of the grid stays where it is. With an origin
        nothing is moved, and a size alone is a region with the grid's spacing.
    method
        A Method, which has what follows from interpolation to table; keywords take the place of its
        own.
    interpolation
        "nearest", "linear", "bspline", "catmull-rom"; "mitchell", Mitchell and Netravali's cubic,
        which does not interpolate but smooths a little; windowed sincs by their windows, "lanczos",
        "hamming", "cosine", "welch", "blackman", or "sinc" with a window. For labels
        "label-gaussian" (ANTs' MultiLabel; "label" is ITK's, which looks less far), and
        "label-linear", "label-catmull-rom", "label-bspline": the label whose indicator,
        interpolated so, is largest (ANTs' GenericLabel is the first). ANTs' and SimpleITK's names
        are known, in letters of any size; "BSpline[5]" has its order. None: "linear"; "bspline"
        where order, prefilter or storage asks for B-splines.
    order
        Of the B-spline, 0 to 5, also of "label-bspline"; None: 3.
    mode
        "exact"; or "texture" and "texture-table", which sum pairs of taps by filtered fetches:
        faster on a GPU, with an error (see the page on accuracy).
    default
        The pixel where the place is outside of the image: a number, or one a component.
    extrapolate
        Outside stands the nearest pixel instead.
    boundary
        "itk": points beyond half a sample from the outermost samples are outside; else every point
        is inside and the image continues by "mirror", "reflect", "grid-wrap", "nearest" or
        "grid-constant" (as scipy.ndimage names them; B-splines of orders 2 to 5 by the first three,
        and by "nearest" of all axes, as SciPy: with 12 repeated samples beyond each end). One for
        all axes, or one each, x first.
    border
        What stands outside under "grid-constant".
    prefilter, taps
        How B-spline coefficients are made: "exact"; "itk" (truncated where ITK truncates); "fir"
        with that many taps; "coefficients": the image has them already.
    tension
        Of "catmull-rom": C of cubic convolution (B, C) with B = 0.
    window, radius
        Of "sinc": "cosine", "hamming", "welch", "lanczos", "blackman"; of all windowed sincs: 1 to
        5 samples.
    sigma, cutoff
        Of "label" and "label-gaussian": standard deviation (mm; one, or one per axis; None: the
        spacing), and how many of them are looked at (None: 1 and 4).
    dtype
        Type of the output's numbers; None: the image's. What becomes an integer is clamped to its
        range.
    rounding
        For integer output: "nearest" rounds, half to even; "itk" or "truncate" rounds towards 0, as
        ITK's filters do. (cudaspline.ndimage rounds halves away from 0, as SciPy does.)
    smooth
        Before an image is sampled coarsely: "auto": by a Gaussian along each axis with a step of
        more than 1.1 samples, of the variance (step^2 - 1) / (8 ln 2) in squares of samples, of
        images in host memory; None: not, with a DownsamplingWarning; False: not. The step is that
        about the output's centre; displacements in memory of a GPU are left out of it.
    precision
        "float32" or "float64" for what is computed; None: float64 where image or output are float64
        or integers of 32 and more bits.
    storage
        Of cubic coefficients: "element", or in 16 bits "half" or "int16".
    table
        Entries of the table of "texture-table".
    channels
        Where the numbers of a pixel are in a bare array: "last", (nz, ny, nx, components), or
        "first", (components, nz, ny, nx). False: there is one. True: "last", but refused where the
        last axis is longer than the first one and than 4, which is likely to be the other.
    series
        Whether the slowest axis counts volumes: (nt, nz, ny, nx). Each is resampled by itself, one
        at a time, and the axis with its spacing stays. None: so it is with images of four axes of
        itk, SimpleITK, nibabel, ANTsPy and cudaspline.Image; not with bare arrays. Sizes, spacings
        and so on are those of a volume.
    out
        An array that gets the result, of the image's kind and place, the result's shape and type,
        in C order; only for images that are arrays. It may have elements in common with the image
        or the transform: then it gets the result when all is computed.
    device
        For images in host memory: None or "auto" for whatever is done first, "cpu", "gpu", the
        number of a GPU, or several that share the work. Arrays on a GPU are resampled there.
    threads
        Of the host; 0: CUDASPLINE_THREADS or OMP_NUM_THREADS, else the processors that the affinity
        and the cgroup give; 1 in the processes of a pool.
    memory_limit
        Bytes that may be used on a device; 0: what it has. What does not fit is done in pieces.
    progress
        Called with the finished fraction, in [0, 1], from the calling thread. What it raises stops
        the work and is raised.

    Returns
    -------
    An image of the kind that was given, with the output's geometry; arrays on a GPU stay on it, and
    the work is enqueued in the current stream. last_report() returns the backend that computed it.

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be; the message begins with its name.
    DeviceError
        The GPU that was asked for is not there, or fails while the image is on it.

    Warns
    -----
    DownsamplingWarning
        The output samples the image coarsely, and nothing is smoothed.
    OutsideWarning
        All of the output has the default value, though the image has others there, or nothing of it
        is there.
    LabelWarning
        An image in host memory looks like labels (integers; at most 128 distinct values, with 16
        pixels for each on average), and the interpolation mixes them. An explicit dtype of real
        numbers shows that fractions are wanted: there is no warning.
    ResamplingWarning
        An inverse leaves more than 1 mm.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> image = cudaspline.Image(numpy.arange(20.0).reshape(4, 5), spacing=(1, 2))
    >>> moved = cudaspline.resample(image, [[1, 0, 1.0], [0, 1, 0.0]], interpolation="linear", default=-1)
    >>> moved.array[0]
    array([ 1.,  2.,  3.,  4., -1.])
    >>> fine = cudaspline.resample(image, spacing=0.5, interpolation="linear")  # 5 mm x 8 mm, as before
    >>> fine.shape, fine.origin
    ((16, 10), array([-0.25, -0.75]))
    >>> cudaspline.resample(image, size=(3, 2), smooth="auto").spacing
    array([1.66666667, 4.        ])
    >>> volumes = cudaspline.Image(numpy.zeros((10, 4, 5, 6)), spacing=(1, 1, 2, 0.8))  # ten, each 0.8 s
    >>> cudaspline.resample(volumes, size=(12, 10, 8), spacing=(0.5, 0.5, 1), order=1).spacing
    array([0.5, 0.5, 1. , 0.8])
    """
    of_method, of_target = _taken_apart(options)
    channels, extrapolate = _images.check_channels(channels), flag(extrapolate, "extrapolate")
    image, target = _images.loaded(image, "image"), target_of(reference, of_target)
    wanted = Wanted(
        default=default,
        extrapolate=extrapolate,
        dtype=dtype,
        rounding=rounding,
        smooth=smooth,
        device=device,
        threads=threads,
        memory_limit=memory_limit,
    )
    series = series if series is None else flag(series, "series")
    is_per_volume = flag(transform_per_volume, "transform_per_volume")
    if isinstance(image, PreparedImage):
        if is_per_volume:
            raise ValueError(
                "transform_per_volume: a Source contains only one image; pass the series itself."
            )
        if series:
            raise ValueError("series: a Source contains only one image; pass the series itself.")
        return _resample_source(image, transform, transform_order, target, wanted, out, progress)
    volumes = _images.open_series(image, "image", channels, series, out is not None)
    opened = pixels = (
        _images.open_image(image, "image", channels) if volumes is None else volumes.volume(0)
    )
    geometry = pixels.geometry
    check_dimension(geometry, image)
    _check_out(out, pixels)
    grid = output_grid(geometry, target)
    interpolator = make_interpolator(geometry, method_of(method, of_method), may_have_margin=True)
    if is_per_volume:
        if volumes is None:
            raise ValueError(
                "transform_per_volume: the image is not a series of volumes; if the first axis of the array is the series, use series=True."
            )
        transforms = _transforms.of_volumes(transform, volumes.count, "transform")
    else:
        transforms = [("transform", transform)]
    every_stages = [
        _transforms.describe(one, grid.dimension, pixels.device, name, transform_order, geometry)
        for name, one in transforms
    ]
    if interpolator.has_margin:
        margin = margins(geometry, grid, every_stages)
        pixels = with_margin(pixels, margin)
        volumes = None if volumes is None else _with_margins(volumes, margin)
    works = []
    for stages in every_stages:
        work, output_type = work_of(pixels, interpolator, grid, stages, wanted)
        works.append(work)
    stages_buffers = [buffer for stages in every_stages for buffer in stages.buffers]
    shape = (*grid.shape, *pixels.shape_tail)
    if pixels.device < 0 and out is None:
        _check_memory(shape if volumes is None else (volumes.count, *shape), output_type)
    if volumes is None:
        pixels = work.prepare(pixels, progress)
        buffer = pixels.buffer
        output = _arrays.Output(out, buffer, shape, output_type, [buffer, *stages_buffers])
        work.run(pixels, output.buffer, work.rest_of(progress))
    else:
        one = pixels.crop(
            (0,) * grid.dimension, (1,) * grid.dimension
        ).buffer  # of that kind, and in that place
        output = _arrays.Output(
            out, one, (volumes.count, *shape), output_type, [*volumes.buffers, *stages_buffers]
        )
        for number in range(volumes.count):
            part = _labels.part_of(progress, number / volumes.count, (number + 1) / volumes.count)
            work = works[number if is_per_volume else 0]
            work.run(
                work.prepare(volumes.volume(number), part),
                _arrays.part_of(output.buffer, number),
                work.rest_of(part),
            )
    if smooth is None:
        works[0].warn_of_downsampling()
    inverses = [inverse for stages in every_stages for inverse in stages.inverses]
    if inverses:
        _tell_of_inverses(inverses)
    is_far = (
        not extrapolate
        and not interpolator.has_margin
        and all(_sampling.is_far(geometry, grid, stages) for stages in every_stages)
    )
    if is_far and _sampling.is_all(output.buffer, works[0].pixel.tolist()):
        every = (
            [opened]
            if volumes is None
            else (volumes.volume(number) for number in range(volumes.count))
        )
        _sampling.warn_of_outside(
            every, output.buffer, opened, grid, every_stages[0], interpolator, works[0].pixel
        )
    finish = pixels.finish if volumes is None else volumes.finish
    result = output.finish(lambda made: finish(_like_given(made, opened, dtype), grid))
    if target.reference is not None:
        result = _images.name_space(result, target.reference)
    return result


def _plan_of(
    image: Any, _transform: Any, reference: Any, given: dict[str, Any]
) -> Optional[_resample_plans.Plan]:
    """The plan that calls of resample() with these arguments share, without their matrices. None if
    each has to be checked."""
    if not OPTIONS.issuperset(given):
        return None
    of_method, of_target = _taken_apart(given, OPTIONS)
    options = {**_DEFAULTS, **given}
    channels, extrapolate = (
        _images.check_channels(options["channels"]),
        flag(options["extrapolate"], "extrapolate"),
    )
    smooth = options["smooth"]
    if smooth is not None and smooth is not False:
        return None
    wanted = Wanted(*(options[name] for name in Wanted._fields))._replace(
        extrapolate=extrapolate, smooth=None
    )
    if isinstance(image, PreparedImage):
        image.check_options(given)
        pixels, interpolator = image.pixels, image.method
        if interpolator.has_margin:
            return None
        if extrapolate and not image.has_samples:
            return None
        wanted = wanted._replace(device=None)
    else:
        pixels = _images.open_image(image, "image", channels)
        interpolator = make_interpolator(pixels.geometry, method_of(options["method"], of_method))
    check_dimension(pixels.geometry)
    grid = output_grid(pixels.geometry, target_of(reference, of_target))
    work, output_type = work_of(pixels, interpolator, grid, _stages.Stages(grid.dimension), wanted)
    may_be_cut = not isinstance(image, PreparedImage) and _windows.may_be_cut(
        pixels, interpolator, grid
    )
    if not pixels.is_plain or pixels.narrow or interpolator.is_of_indicators or may_be_cut:
        return None
    if pixels.device < 0:
        _check_memory((*grid.shape, *pixels.shape_tail), output_type)
    kept = [
        one.geometry if isinstance(one, Image) else one
        for one in (image, reference)
        if isinstance(one, (Image, Geometry))
    ]
    return _resample_plans.Plan(
        pixels,
        image if isinstance(image, PreparedImage) else None,
        work,
        output_type,
        smooth is None,
        kept,
    )


def _taken_apart(
    options: Mapping[str, Any], others: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keywords that a method has, and those of a target. Raises TypeError for those that are
    neither, nor among the others."""
    check_keywords(options, METHOD_OPTIONS | TARGET_OPTIONS | frozenset(others), resample)
    of_method, of_target = (
        {name: options[name] for name in names & options.keys()}
        for names in (METHOD_OPTIONS, TARGET_OPTIONS)
    )
    return of_method, of_target


def _with_margins(volumes: _images.Series, margin: Sequence[int]) -> _images.Series:
    return replace(volumes, volume=lambda number: with_margin(volumes.volume(number), margin))


def _like_given(made: _arrays.Buffer, pixels: Pixels, dtype: Any) -> _arrays.Buffer:
    """The result, converted to the image's type if that is bool or float16 and no other type was
    requested."""
    return _arrays.narrowed(made, pixels.narrow) if pixels.narrow and dtype is None else made


def _check_out(out: Any, pixels: Pixels) -> None:
    if out is not None and not pixels.is_plain:
        raise ValueError(
            "out: it is not supported together with channels='first'; use channels='last', or omit out."
        )


def _tell_of_inverses(inverses: list[_library.InverseResidual]) -> None:
    _library.note_inverses(inverses)
    _sampling.warn_of_inverses(inverses)


def _check_memory(shape: tuple[int, ...], dtype: str) -> None:
    """Raises ValueError for an output that the machine's memory cannot have."""
    count = math.prod(shape) * _arrays.size_of(dtype)
    if count > _library.PHYSICAL_MEMORY:
        raise ValueError(
            f"size: an output of the shape {shape} needs {count / 1e9:.3g} GB of memory, but the machine has {_library.PHYSICAL_MEMORY / 1e9:.3g} GB."
        )


@_resample_plans.shares_plans(lambda *given: _plan_of_zoom(*given))
@_arrays.refuses_gradients
@takes_source
def zoom(
    image: Union[Kind, Like],
    zoom: Any,
    *,
    align: Alignment = "edges",
    size: Optional[Sequence[int]] = None,
    method: Optional[Method] = None,
    channels: Channels = False,
    series: Optional[bool] = None,
    **options: Unpack[ZoomRest],
) -> Union[Kind, Any]:
    """An image with more or fewer samples in the same place.

    Parameters
    ----------
    image
        As for resample().
    zoom
        Samples of the output for one of the image: a number, or one per axis, x first. The output
        has round(n * zoom) samples per axis. None where size defines it.
    align
        "edges": the outer edges of the outermost samples stay in place, and the spacing is that of
        n samples in the same length; "centers": the centres of the outermost samples do, as
        scipy.ndimage.zoom has it.
    size
        Samples of the output, x first, in place of zoom.
    method, channels, series
        As for resample(); zoom and size are of a volume.
    options
        All others of resample(), interpolation and order among them, but transform,
        transform_order, reference, spacing, origin and direction. To fewer samples smooth="auto" is
        what one wants, as a rule. The boundary is "nearest" with the interpolations that have it
        and "mirror" with B-splines of orders 2 to 5, unless it is given, or a method has another
        one than "itk": every sample is inside.

    Returns
    -------
    An image of the kind that was given, as resample().

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be; the message begins with its name.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> cudaspline.zoom(numpy.zeros((4, 5), "f4"), (2, 3)).shape
    (12, 10)
    """
    image = _images.loaded(image, "image")
    volumes = (
        None
        if isinstance(image, PreparedImage)
        else _images.open_series(image, "image", _images.check_channels(channels), series)
    )
    if volumes is not None:
        geometry = volumes.volume(0).geometry
    else:
        geometry = (
            image.geometry
            if isinstance(image, PreparedImage)
            else _images.open_image(image, "image", channels).geometry
        )
    given: dict[str, Any] = {**options, "channels": channels, "series": series}
    if method is not None:
        given["method"] = method
    return resample(
        image,
        **_options_of_zoom(geometry, zoom, align, size, isinstance(image, PreparedImage), given),
    )


def _options_of_zoom(
    geometry: Geometry, zoom: Any, align: Any, size: Any, is_source: bool, options: dict[str, Any]
) -> dict[str, Any]:
    """The options of resample() for an image of that geometry; options: the others. Raises
    TypeError or ValueError, naming the argument."""
    dimension = geometry.dimension
    if (zoom is None) == (size is None):
        raise ValueError("zoom: exactly one of zoom and size is required.")
    if size is None:
        factors = vector(zoom, dimension, "zoom")
        if numpy.any(factors <= 0):
            raise ValueError(f"zoom: {zoom!r} must be above 0.")
        wanted = [max(1, int(round(n * f))) for n, f in zip(geometry.size, factors)]
        if math.prod(wanted) > LARGEST_INT64 // 64:
            raise ValueError(f"zoom: {zoom!r} results in more samples than can be addressed.")
    else:
        wanted = list(size_of(size, dimension))
    old = numpy.array(geometry.size, dtype=numpy.float64)
    new = numpy.array(wanted, dtype=numpy.float64)
    if align == "edges":
        steps = old / new
        first = 0.5 * (steps - 1.0)
    elif align == "centers":
        steps = numpy.where(new > 1, (old - 1.0) / numpy.maximum(new - 1.0, 1.0), 1.0)
        first = numpy.zeros(dimension)
    else:
        raise ValueError(f"align: {align!r} is not allowed; use 'centers' or 'edges'.")
    # An axis of one sample has no spacing between its samples: it keeps its own.
    steps = numpy.where(steps > 0, steps, 1.0)
    for name in ("transform", "transform_order", "reference", "spacing", "origin", "direction"):
        if name in options:
            raise TypeError(f"{name}: this is not an argument of zoom(); use resample().")
    check_keywords(options, OPTIONS | {"align"}, resample, "zoom()")
    found = dict(options)
    if not is_source:
        given = method_of(
            options.get("method"), {name: options[name] for name in METHOD_OPTIONS & options.keys()}
        )
        named, degree = name_interpolation(
            given.interpolation, given.order, given.prefilter, given.storage
        )
        is_spline = named.kind == "bspline" and degree not in (0, 1)
        if "boundary" not in options and given.boundary == "itk":
            found["boundary"] = "mirror" if is_spline else "nearest"
    else:
        found.pop("channels", None)
    found.update(
        size=tuple(wanted),
        spacing=geometry.spacing * steps,
        origin=geometry.origin + geometry.index_to_point @ first,
        direction=geometry.direction,
    )
    return found


def _plan_of_zoom(
    image: Any, zoom: Any, _reference: Any, given: dict[str, Any]
) -> Optional[_resample_plans.Plan]:
    """As _plan_of(), for calls of zoom()."""
    options = dict(given)
    align, size = options.pop("align", "edges"), options.pop("size", None)
    is_source = isinstance(image, PreparedImage)
    if is_source:
        image.check_options(given)
    geometry = (
        image.geometry
        if is_source
        else _images.open_image(
            image, "image", _images.check_channels(options.get("channels", False))
        ).geometry
    )
    return _plan_of(
        image, None, None, _options_of_zoom(geometry, zoom, align, size, is_source, options)
    )


#: The keywords of resample() in addition to those of a method and a target, and their defaults.
_DEFAULTS = {
    name: found.default
    for name, found in inspect.signature(resample).parameters.items()
    if found.kind is found.KEYWORD_ONLY
}
#: All of them.
OPTIONS = frozenset(_DEFAULTS) | METHOD_OPTIONS | TARGET_OPTIONS


def _resample_source(
    source: PreparedImage,
    transform: Any,
    transform_order: str,
    target: Target,
    wanted: Wanted,
    out: Any,
    progress: Any,
) -> Any:
    smooth, extrapolate = wanted.smooth, wanted.extrapolate
    if smooth is not None and smooth is not False:
        raise ValueError("smooth: 'auto' is not supported with a Source; pass the image itself.")
    pixels = source.pixels
    geometry = source.geometry
    check_dimension(geometry)
    grid = output_grid(geometry, target)
    buffer = pixels.buffer
    output_type = output_type_of(pixels, source.method, wanted.dtype)
    _check_out(out, pixels)
    shape = (*grid.shape, *pixels.shape_tail)
    stages = _transforms.describe(
        transform, grid.dimension, source.device, "transform", transform_order, geometry
    )
    if source.method.has_margin:
        check_reach(geometry, grid, stages, source.margin)
    rule = choose(wanted.rounding, ROUNDINGS, "rounding")
    pixel = pixel_of(wanted.default, pixels.components, output_type, "default")
    if extrapolate and not source.has_samples:
        raise ValueError(
            "extrapolate: the Source has coefficients or converted values instead of the samples of the image; pass the image itself."
        )
    call = _library.Call(threads=wanted.threads, progress=progress, on_device=buffer.device >= 0)
    output = _arrays.Output(out, buffer, shape, output_type, stages.buffers)
    interpolation = source.method.describe_interpolation(pixels.geometry)
    resampling, kept = _stages.describe_resampling(
        interpolation, pixels.geometry, grid, stages, output.buffer, pixel, extrapolate, rule
    )
    call.run("cudaspline_resample_source", source.handle, ctypes.byref(resampling))
    if smooth is None and stages.is_on_host and not _sampling.is_plain(geometry, grid, stages):
        _sampling.warn_of_downsampling(
            _library.sampling_steps(source.described, resampling), source.method
        )
    del kept
    if stages.inverses:
        _tell_of_inverses(stages.inverses)
    if (
        not extrapolate
        and not source.method.has_margin
        and _sampling.is_far(geometry, grid, stages)
        and _sampling.is_all(output.buffer, pixel.tolist())
    ):
        _sampling.warn_of_outside(None, output.buffer, pixels, grid, stages, source.method, pixel)
    return output.finish(lambda made: pixels.finish(_like_given(made, pixels, wanted.dtype), grid))
