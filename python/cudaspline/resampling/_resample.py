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
    """Resamples an image to another grid, through a transform, as itk.ResampleImageFilter does.

    The position of each output sample (mm) is mapped by the transform, and the image is
    interpolated there. Images have one, two or three axes.

    Parameters
    ----------
    image
        An itk.Image, a SimpleITK.Image, an image of nibabel, ANTsPy, MONAI, torchio or ngff-zarr, a
        cudaspline.Image, or the name of a file (the package itself reads NIfTI, NRRD, MetaImage and
        .npy; SimpleITK or itk reads others). Or an array of NumPy, CuPy, PyTorch, JAX or another
        library with __cuda_array_interface__ or __dlpack__, of the shape (nz, ny, nx); its points
        are indices, x first. Elements may also be float16, or bool (a result is True if the value
        is above 1/2). Or a cudaspline.Source, which was made with an interpolation: an option that
        contradicts it is refused. Each volume of a series is resampled (see series).
    transform
        Maps points of the output to points of the image (mm, x first): None or "identity"; a matrix
        (n x n, n x n+1 or homogeneous); a transform of itk or SimpleITK; a DisplacementField or
        BSplineGrid; the name of a transform file of ITK (.tfm, .txt, .mat, .h5, .hdf5) or of an
        image of displacements, such as ANTs' 1Warp.nii.gz. An inverse is (transform, "inverse"), or
        in ANTs' form ["affine.mat", 1] or "[affine.mat,1]". Or a list of these. Fields and
        B-splines are inverted by iteration; last_report().inverses has the remaining errors.
    transform_order
        The order of a list: with "itk" the last transform is applied first, as in
        itk.CompositeTransform; with "ants" the first transform is, as in antsApplyTransforms.
        Transforms within a file or a composite always have ITK's order.
    transform_per_volume
        For a series: transform has one transform per volume, for example of head motion, and each
        volume is interpolated only once. transform is a list whose entries are transforms or lists
        of transforms, an array of matrices, the name of a file with several transforms and no
        composite, or a name with %d for the number of the volume ("moco_%04d.tfm").
        read_transforms() reads the transforms of a file one by one, to compose them with others:
        [[common, one] for one in read_transforms("moco.tfm")].
    reference
        The grid of the output: an image, a file name or a Geometry. For a series it is the grid of
        a volume. None: the grid of the image. Or a Target, which also has size, spacing, origin and
        direction.
    size, spacing, origin, direction
        The grid of the output, x first, instead of that of the reference or the image, with the
        rules of CudaSplineResample. A spacing alone keeps the extent, from edge to edge, as far as
        possible with whole samples. A size alone keeps the extent exactly. In both cases the centre
        of the grid stays in place. With an origin the grid begins there; a size then defines a
        region with the spacing of the grid.
    method
        A Method, which has the arguments from interpolation to table; arguments of the call have
        precedence.
    interpolation
        "nearest", "linear", "bspline", "catmull-rom"; "mitchell" (Mitchell and Netravali's cubic,
        which smooths a little); windowed sincs by the name of their window: "lanczos", "hamming",
        "cosine", "welch", "blackman", or "sinc" with window. For labels: "label-gaussian" (ANTs'
        MultiLabel; "label" is ITK's class with a smaller window); "label-linear",
        "label-catmull-rom" and "label-bspline", which return the label whose interpolated indicator
        image is largest ("label-linear" is ANTs' GenericLabel). Names of ANTs and SimpleITK are
        accepted; names are not case-sensitive, and "BSpline[5]" defines the order. None: "linear",
        or "bspline" if order, prefilter or storage is given.
    order
        The order of the B-spline, 0 to 5, also for "label-bspline". None: 3.
    mode
        "exact"; or "texture" and "texture-table", which use filtered texture fetches: faster on a
        GPU, with a larger error (see the page on accuracy).
    default
        The value of pixels outside of the image: a number, or one per component.
    extrapolate
        Whether pixels outside of the image have the value of the nearest pixel.
    boundary
        "itk": points more than half a sample beyond the outermost samples are outside. With all
        other boundaries every point is inside, and the image is extended by "mirror", "reflect",
        "grid-wrap", "nearest" or "grid-constant" (the names of scipy.ndimage). B-splines of orders
        2 to 5 support the first three, and "nearest" for all axes, with 12 repeated samples beyond
        each end as in SciPy. One name for all axes, or one per axis, x first.
    border
        The value outside of the image with "grid-constant".
    prefilter, taps
        The computation of B-spline coefficients: "exact"; "itk" (truncated as in ITK); "fir" with
        this number of taps; "coefficients": the image contains coefficients.
    tension
        For "catmull-rom": C of cubic convolution (B, C) with B = 0.
    window, radius
        For "sinc": "cosine", "hamming", "welch", "lanczos" or "blackman". For all windowed sincs: 1
        to 5 samples.
    sigma, cutoff
        For "label" and "label-gaussian": the standard deviation (mm; one number, or one per axis;
        None: the spacing), and the radius of the window in standard deviations (None: 1 and 4).
    dtype
        The type of the output's elements. None: that of the image. Integers are clamped to their
        range.
    rounding
        For integer output: "nearest" rounds, half to even; "itk" or "truncate" rounds towards 0, as
        ITK's filters do. (cudaspline.ndimage rounds halves away from 0, as SciPy does.)
    smooth
        Smoothing of images in host memory before down-sampling. "auto": a Gaussian along each axis
        with a step (output spacing in input samples) above 1.1, with the variance
        (step^2 - 1) / (8 ln 2) in squared samples. None: no smoothing, and a DownsamplingWarning if
        needed. False: no smoothing and no warning. The step is computed around the centre of the
        output; displacements in the memory of a GPU are not considered.
    precision
        "float32" or "float64" arithmetic. None: float64 if image or output are float64 or integers
        of 32 or more bits.
    storage
        The storage of cubic coefficients: "element", or 16 bits with "half" or "int16".
    table
        The number of entries of the table for "texture-table".
    channels
        The axis of an array that has the components of a pixel: "last", (nz, ny, nx, components),
        or "first", (components, nz, ny, nx). False: one component. True: "last"; it is refused if
        the last axis is longer than the first one and longer than 4, because the channels are then
        probably first.
    series
        Whether the slowest axis is that of volumes: (nt, nz, ny, nx). Each volume is resampled
        separately, one at a time; the axis keeps its spacing. None: True for images with four axes
        of itk, SimpleITK, nibabel, ANTsPy and cudaspline.Image, False for arrays. Sizes, spacings
        and other arguments are those of a volume.
    out
        An array for the result, only for images that are arrays: of the same library and on the
        same device as the image, with the shape and type of the result, in C order. It may overlap
        the image or the transform; the result is then written after the computation.
    device
        For images in host memory: None or "auto" (the backend that is estimated to finish first),
        "cpu", "gpu", the number of a GPU, or a list of GPUs that share the work. Arrays on a GPU
        are resampled there.
    threads
        The number of host threads. 0: CUDASPLINE_THREADS or OMP_NUM_THREADS, otherwise the number
        of processors that affinity and cgroup allow; 1 in the processes of a pool.
    memory_limit
        The maximum number of bytes on a device. 0: the available memory. Larger operations are
        divided into pieces.
    progress
        A function that is called from the calling thread with the finished fraction, in [0, 1]. An
        exception that it raises stops the operation and is passed to the caller.

    Returns
    -------
    An image of the same type as the input, with the geometry of the output. Arrays on a GPU stay on
    it, and the work is enqueued in the current stream. last_report() returns the backend.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.
    DeviceError
        If the requested GPU does not exist, or fails while the image is on it.

    Warns
    -----
    DownsamplingWarning
        If the output grid is coarser than the image, and the image is not smoothed.
    OutsideWarning
        If all pixels of the output have the default value, although the image has other values
        there, or the output and the image do not overlap.
    LabelWarning
        If an image in host memory looks like labels (whole numbers with at most 128 distinct
        values, and on average at least 16 pixels per value; of a real type with at least 3 distinct
        values) and the interpolation mixes them. There is no warning if dtype is a real type.
    ResamplingWarning
        If an inverse has an error of more than 0.1 mm; or if values of an image in host memory are
        not finite (NaN or infinite), and the filter of B-splines of orders 2 to 5, or smoothing,
        spreads them over the image.

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
        return _resample_source(
            image,
            transform,
            transform_order,
            target=target,
            wanted=wanted,
            out=out,
            progress=progress,
        )
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
            every,
            output.buffer,
            opened,
            grid=grid,
            stages=every_stages[0],
            method=interpolator,
            pixel=works[0].pixel,
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
    """Resamples an image to more or fewer samples over the same extent.

    Parameters
    ----------
    image
        As for resample().
    zoom
        The factor of the number of samples: one number, or one per axis, x first. The output has
        round(n * zoom) samples per axis. None if size is given.
    align
        "edges": the outer edges of the outermost samples stay in place, so the extent is kept.
        "centers": the centres of the outermost samples stay in place, as in scipy.ndimage.zoom.
    size
        The size of the output, x first, instead of zoom.
    method, channels, series
        As for resample(); zoom and size are those of a volume.
    options
        All other arguments of resample(), such as interpolation and order, except transform,
        transform_order, reference, spacing, origin and direction. Use smooth="auto" for fewer
        samples. By default the boundary is "mirror" for B-splines of orders 2 to 5 and "nearest"
        for other interpolations that support it, so every sample is inside; an argument, or a
        method with a boundary other than "itk", overrides this.

    Returns
    -------
    An image of the same type as the input, as from resample().

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.

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
        interpolation,
        pixels.geometry,
        grid,
        stages=stages,
        result=output.buffer,
        pixel=pixel,
        extrapolate=extrapolate,
        rounding=rule,
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
        _sampling.warn_of_outside(
            None, output.buffer, pixels, grid=grid, stages=stages, method=source.method, pixel=pixel
        )
    return output.finish(lambda made: pixels.finish(_like_given(made, pixels, wanted.dtype), grid))
