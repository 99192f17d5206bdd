"""Registration of two images: register()."""

from __future__ import annotations

import ctypes
import itertools
import math
import sys
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

import numpy

from . import _arrays, _images, _inverse, _library, _registration_library, _resample, _transforms
from ._checks import LARGEST_INT32, callback
from ._geometry import Geometry, has_indices
from ._methods import choose, device_word
from ._options import Kind, Like, OtherKind, PresetName, RealType, StageOptions
from ._registration_result import History, Iteration, LevelReport, Registration, RegistrationReport, StageReport
from ._registration_stages import Stage, check_pairs, stages_of, work_of
from ._transform import FieldPart, GivenPart, LinearPart, Part, Transform
from ._warnings import RegistrationWarning, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Values of the convergence, as of ANTs.
_WINDOW = 10
_INITIAL = {"moments": "moments", "centre": "centre", "search": "search", "none": "none"}
#: Most stages of the initial transforms that the kernels walk.
_MOST_INITIAL = 6


@_arrays.refuses_gradients
def register(
    fixed: Union[Kind, Like],
    moving: Union[OtherKind, Like],
    stages: Union[None, str, Stage, Sequence[Union[str, Stage]]] = None,
    *,
    also: Sequence[tuple[Any, Any]] = (),
    mask: Any = None,
    moving_mask: Any = None,
    initial: Any = "moments",
    preset: Optional[PresetName] = None,
    winsorize: Optional[tuple[float, float]] = None,
    precision: RealType = "float32",
    device: Any = None,
    threads: int = 0,
    progress: Union[None, bool, Callable[[float], object]] = None,
    **options: Unpack[StageOptions],
) -> Registration[Kind, OtherKind]:
    """Lays one image over another one: what CudaSplineRegister does, with its kernels and its results.

    Parameters
    ----------
    fixed, moving
        Images of itk, SimpleITK, nibabel, ANTsPy, MONAI, torchio, ngff-zarr or cudaspline.Image, names of their files, or arrays of NumPy, CuPy, PyTorch, JAX and whatever has
        __cuda_array_interface__ or __dlpack__, of the shape (nz, ny, nx) or (ny, nx), whose places are then indices, x first. One number a
        pixel. An array without a geometry and an image in mm are refused. Both are in the same place: on the host, or on one GPU, where everything stays to the result's fields. Pixels that are not
        finite are left out. Values whose largest magnitude is below 2^-7 or above 2^30 are multiplied by a power of two to be compared, which
        report.value_factors has.
    stages
        "translation", "rigid", "similarity", "affine", "bspline", "syn", "greedy", "demons"; a cudaspline.Stage with levels and options of its own; or a list of
        these, one after the other. None: "rigid" and "affine", or the preset's.
    also
        Further pairs (fixed, moving), as channels of one scan: T1 and T2, or an image and its labels' edges. Each lies in the spaces of the
        first fixed and the first moving image, on grids of its own, and where the first pair is. "syn" and "greedy" compare as many pairs as
        they have metrics, metric=[("cc", 0.7), ("mattes", 0.3)]; stages with one metric, initial and all that is returned are of the first
        pair. (ANTsPy's multivariate_extras=[("mattes", fixed, moving, 0.3, 32)] is also=[(fixed, moving)], with the metric's name and
        weight behind those of the first pair.)
    mask, moving_mask
        Where fixed and moving count, of all pairs: images or arrays of their shapes, of which what is 0, False or NaN is left out.
    initial
        Where it begins: "moments" (one centre of gravity on the other), "centre" (one image's centre on the other's), "search" (the best of
        many rotations about the centres of gravity, by mutual information of coarse images), "none"; or a transform
        from places of the fixed image to places of the moving one, whatever cudaspline.resample takes.
    preset
        "brain" (affine and SyN with windows of radius 4, for brains of 1 mm), "fast" (affine and SyN that leave the finest level out) or
        "standard" (rigid, affine and SyN with the numbers of antsRegistrationSyN.sh, whose matrices look at a quarter of the voxels, and
        those of its large images where fixed has more than 256 pixels along an axis).
    winsorize
        Two quantiles to which values are cut before anything else, as (0.005, 0.995); None: the preset's, or none.
    precision
        "float32" or "float64": of pixels, arithmetic and fields. Places are float64 in any case.
    device, threads
        As for cudaspline.resample(): where images in host memory are registered, and threads of the host.
    progress
        True: a bar on stderr; or a function that is called with the finished fraction, in [0, 1]: what it raises stops the work and is
        raised. None: nothing is told. An interrupt (Ctrl-C) ends the registration with the best so far, whose attribute stopped is then True.
    options
        Those of cudaspline.Stage, for every stage that has them (metrics of several pairs are for "syn" and "greedy"): metric, iterations,
        shrink, sigmas, sigmas_in_mm, radius, bins, convergence, optimizer, step, minimum_step, grid_spacing, sampling, fraction, seed, order,
        gradient, learning_rate, update_variance,
        total_variance.

    Returns
    -------
    A cudaspline.Registration with warped, transform, field, jacobian(), history, report.

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be; the message begins with its name.
    DeviceError
        The GPU that was asked for is not there, or fails while the images are on it.

    Warns
    -----
    RegistrationWarning
        It was interrupted, images have pixels that are not finite, a level of fields moves nothing, or a search of rotations has found none
        that says much.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> y, x = numpy.mgrid[:24, :32]
    >>> fixed, moving = (numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40.0) for shift in (0, 2))
    >>> found = cudaspline.register(fixed, moving, "greedy", radius=2, iterations=10, shrink=(2, 1), device="cpu")
    >>> found.transform.apply([15.0, 12.0]).round(1)
    array([17., 12.])
    >>> found.field.shape
    (24, 32, 2)

    Each of two channels says how far along one axis:

    >>> rows, columns = ([numpy.cos(0.5 * (n - shift)) for shift in (0, 1)] for n in (y, x))
    >>> options = dict(also=[columns], metric=[("cc", 0.5), ("meansquares", 0.5)], initial="none", shrink=(1,), device="cpu")
    >>> found = cudaspline.register(*rows, "greedy", radius=2, iterations=40, learning_rate=0.25, **options)
    >>> found.transform.apply([15.0, 12.0]).round(1)
    array([16., 13.])
    """
    begin = time.monotonic()
    fixed, moving = _images.loaded(fixed, "fixed"), _images.loaded(moving, "moving")
    chosen, quantiles = stages_of(stages, preset, options)
    quantiles = _check_quantiles(winsorize) if winsorize is not None else quantiles
    precision = choose(precision, {"float32": "float32", "float64": "float64"}, "precision")
    further = _check_further(also)
    check_pairs(chosen, len(further))
    work = _Work.open(fixed, moving, mask, moving_mask, precision, device, threads, further)
    chosen, _ = stages_of(stages, preset, options, work.fixed.geometry.size)
    if quantiles is not None:
        work.cut(quantiles)
    factors = work.rescale(chosen)
    parts = work.begin_at(initial)
    if any(stage.is_deformable and any(level.iterations > 0 for level in stage.levels) for stage in chosen):
        work.check_overlap(parts)  # matrices and splines tell it themselves
    _warn_of_still_levels(chosen, work.fixed.geometry)
    told = _Told(chosen, work.fixed.geometry.dimension, progress, [_unit_of(stage, factors) for stage in chosen])
    reports: list[StageReport] = []
    for number, stage in enumerate(chosen):
        told.begin(number)
        report, parts = work.run(stage, parts, told)
        reports.append(report.in_units(told.units[number]))
        if told.is_stopped:
            break
    told.end()
    transform = Transform._of(parts, work.fixed.geometry.dimension)
    whole = RegistrationReport(tuple(reports), time.monotonic() - begin, factors)
    if told.is_stopped:
        warn("The registration was interrupted: the result is the best so far.", RegistrationWarning)
    return Registration(fixed, moving, transform, History(told.iterations), whole, told.is_stopped, precision, (device, threads))


def _warn_of_still_levels(stages: Sequence[Stage], fixed: Geometry) -> None:
    """Tells of levels at which a field cannot move: SyN, and what smooths updates, hold still what is at the ends of axes, as ITK does, and of
    one or two samples all are."""
    for number, stage in enumerate(stages):
        still = sum(level.iterations > 0 and min(size // level.shrink for size in fixed.size) <= 2 for level in stage.levels)
        if still > 0 and (stage.kind == "syn" or (stage.kind == "greedy" and (stage.update_variance or stage.total_variance))):
            warn(
                f"stages[{number}] ({stage.kind!r}): {still} of {len(stage.levels)} levels move nothing: an axis of fixed has no more than 2 samples "
                "there, and the ends of axes stay where they are; smaller numbers of shrink, or images of fewer axes, help.",
                RegistrationWarning,
            )


def _check_quantiles(value: Any) -> tuple[float, float]:
    try:
        lower, upper = (float(one) for one in value)
    except (TypeError, ValueError):
        raise TypeError(f"winsorize: {value!r} is no pair of numbers.") from None
    if not 0 <= lower < upper <= 1:
        raise ValueError(f"winsorize: {value!r} are not two quantiles from 0 to 1, the lower first.")
    return lower, upper


def _unit_of(stage: Stage, factors: Sequence[tuple[float, float]]) -> float:
    """What a stage's values are multiplied by for the units of the images. Those of several pairs are sums of what has different units."""
    is_of_values = len(stage.metrics) == 1 and stage.metrics[0].metric == "meansquares"
    return 1.0 / factors[0][0] / factors[0][0] if is_of_values else 1.0


def _check_further(value: Any) -> list[tuple[Any, Any]]:
    """Pairs of images beside the first one."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"also: {type(value).__name__} is no list of pairs of images, [(fixed, moving), ...].")
    for i, pair in enumerate(value):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"also[{i}]: {type(pair).__name__} is no pair of images, (fixed, moving).")
    return [(fixed, moving) for fixed, moving in value]


class _Told:
    """What a registration tells of its iterations: the history, and a bar or the caller's function."""

    def __init__(self, stages: Sequence[Stage], dimension: int, progress: Any, units: Sequence[float]) -> None:
        self.iterations: list[Iteration] = []
        self.is_stopped = False
        self._stages, self._dimension = stages, dimension
        self.units = units  # of the values of each stage
        self._is_bar = progress is True
        self._callback = None if progress is None or isinstance(progress, bool) else callback(progress, "progress")
        self._stage = 0
        self._before = 0  # iterations of the stages before
        self._drawn = -math.inf
        self._is_terminal = self._is_bar and sys.stderr.isatty()

    def begin(self, number: int) -> None:
        """A stage begins."""
        self._stage, self._before = number, len(self.iterations)

    def hear(self, state: Any) -> None:
        """An iteration has ended, of the library's structure."""
        own = self.iterations[self._before :]
        if own and (state.level, state.number) <= (own[-1].level, own[-1].iteration):
            del self.iterations[self._before :]  # another backend has begun the stage anew
        value = state.value * self.units[self._stage]
        self.iterations.append(Iteration(self._stage, state.level, state.number, value, state.convergence, state.step))
        if self._callback is not None:
            self._callback(self.fraction)
        if self._is_bar:
            self._draw()

    @property
    def fraction(self) -> float:
        """What is done, if all levels take as many iterations as they may."""
        last = self.iterations[-1]
        done = total = 0.0
        for number, stage in enumerate(self._stages):
            for place, level in enumerate(stage.levels):
                work = work_of(stage, level, self._dimension)
                total += work * level.iterations
                if (number, place) < (last.stage, last.level):
                    done += work * level.iterations
                elif (number, place) == (last.stage, last.level):
                    done += work * last.iteration
        return done / total

    def _draw(self) -> None:
        last = self.iterations[-1]
        stage = self._stages[last.stage]
        if not self._is_terminal:
            if last.iteration == 1:  # a line a level
                print(f"{stage.kind}, level {last.level + 1} of {len(stage.levels)}: metric {last.value:.6g}", file=sys.stderr)
            return
        now = time.monotonic()
        if now - self._drawn < 0.1:
            return
        self._drawn = now
        count = int(30 * self.fraction)
        text = (
            f"{stage.kind} {last.level + 1}/{len(stage.levels)} [{'#' * count}{'.' * (30 - count)}] "
            f"{last.iteration}/{stage.levels[last.level].iterations} metric {last.value:.6g}"
        )
        print(f"\r{text:<79}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """All stages have ended."""
        if self._is_terminal and self.iterations:
            print(f"\r{'':<79}\r", end="", file=sys.stderr, flush=True)


@dataclass
class _Side:
    """An image with its mask, where they are, as the kernels take them."""

    name: str
    pixels: _arrays.Buffer
    geometry: Geometry
    mask: Optional[_arrays.Buffer]
    mask_geometry: Optional[Geometry]
    #: The image as it came.
    original: _images.Pixels
    #: The mask that its caller gave, with its grid.
    given: Optional[tuple[_arrays.Buffer, Geometry]] = None

    def lie_under(self, mask: _arrays.Buffer, grid: Geometry) -> None:
        """Takes a mask, beside what is not finite."""
        self.given = mask, grid
        self.mask, self.mask_geometry = (mask, grid) if self.mask is None else _join(self.mask, mask, grid, self.geometry, self.pixels)

    def multiply(self, factor: float) -> None:
        """Multiplies the values, where they are."""
        if factor != 1:
            with _arrays.current_device(self.pixels):
                self.pixels = _arrays.view(self.pixels.array.reshape(self.pixels.shape) * factor, self.name, self.pixels.dtype)

    def describe(self) -> tuple[_registration_library.Image, _registration_library.Image]:
        """Image and mask as the library takes them."""
        image = _registration_library.describe_image(self.pixels.pointer, self.geometry)
        if self.mask is None or self.mask_geometry is None:
            return image, _registration_library.Image()
        return image, _registration_library.describe_image(self.mask.pointer, self.mask_geometry)

    def on_host(self) -> tuple[_registration_library.Image, Optional[_registration_library.Image], Any]:
        """Image and mask in host memory, and what has to live as long."""
        pixels = numpy.ascontiguousarray(_arrays.to_host(self.pixels))
        image = _registration_library.describe_image(pixels.ctypes.data, self.geometry)
        if self.mask is None or self.mask_geometry is None:
            return image, None, pixels
        marks = numpy.ascontiguousarray(_arrays.to_host(self.mask))
        return image, _registration_library.describe_image(marks.ctypes.data, self.mask_geometry), (pixels, marks)


def _open(image: Any, mask: Any, name: str, mask_name: str, precision: str) -> _Side:
    """An image of the first pair, with the mask that a caller gave."""
    side = _open_image(image, name, precision)
    if mask is not None:
        side.lie_under(*_open_mask(mask, mask_name, side.geometry, side.pixels))
    return side


def _open_image(image: Any, name: str, precision: str) -> _Side:
    """An image, which is outside where it is not finite."""
    original = _images.open_image(image, name)
    geometry = original.geometry
    if geometry.dimension not in (2, 3):
        raise ValueError(f"{name}: it has {geometry.dimension} axes; images of 2 and 3 are registered.")
    if original.components != 1 or original.channels:
        raise ValueError(f"{name}: it has {original.components} numbers a pixel; images of one are registered.")
    found = original.buffer
    pixels = _arrays.view(found.array, name, precision)
    pixels.finish, pixels.owner = found.finish, found.owner
    pixels, finite = _take_out_what_is_not_finite(pixels, name)
    return _Side(name, pixels, geometry, finite, None if finite is None else geometry, original)


def _open_mask(mask: Any, name: str, image: Geometry, like: _arrays.Buffer) -> tuple[_arrays.Buffer, Geometry]:
    """A mask as numbers that are 0 or 1."""
    mask = _images.loaded(mask, name)
    if isinstance(mask, _images.Image):
        mask = _images.Image.of(_arrays.as_numbers(mask.array), mask.geometry, mask.channels)
    else:
        mask = _arrays.as_numbers(mask)
    opened = _images.open_image(mask, name)
    geometry = opened.geometry
    if not _images.is_image(mask) and has_indices(geometry):  # an array has the place of its image
        if geometry.size != image.size:
            raise ValueError(f"{name}: its shape is {geometry.shape}, and that of its image {image.shape}.")
        geometry = image
    if geometry.dimension != image.dimension:
        raise ValueError(f"{name}: it has {geometry.dimension} axes, and its image {image.dimension}.")
    if opened.components != 1 or opened.channels:
        raise ValueError(f"{name}: it has {opened.components} numbers a pixel; masks have one.")
    found = opened.buffer
    if found.device != like.device:
        raise ValueError(f"{name}: it is on {_place(found.device)}, and its image on {_place(like.device)}.")
    array = found.array.reshape(found.shape)
    if found.device >= 0 and _arrays.functions_of(found) is not _arrays.functions_of(like):
        raise TypeError(f"{name}: it is an array of {found.kind}, and its image one of {like.kind}; on a GPU they have to be of one library.")
    array = _in_library_of(like, array)
    with _arrays.current_device(like):
        marks = _bytes_of((array != 0) & (array == array), like)
        if not bool(marks.array.any()):
            raise ValueError(f"{name}: it is 0 everywhere.")
    return marks, geometry


def _in_library_of(like: _arrays.Buffer, array: Any) -> Any:
    """A host array as the functions of another array's library take it."""
    if like.device >= 0:
        return array
    if _arrays.functions_of(like) is numpy:
        return numpy.asarray(array)
    torch = sys.modules["torch"]
    return array if isinstance(array, torch.Tensor) else torch.from_numpy(numpy.ascontiguousarray(array))


def _bytes_of(condition: Any, like: _arrays.Buffer) -> _arrays.Buffer:
    """True and false as 1 and 0 of uint8, of the kind of another array."""
    with _arrays.current_device(like):
        array = condition.astype("uint8") if hasattr(condition, "astype") else condition.to(sys.modules["torch"].uint8)
        return _arrays.view(array, "mask", "uint8")


def _place(device: int) -> str:
    return "the host" if device < 0 else f"device {device}"


def _take_out_what_is_not_finite(pixels: _arrays.Buffer, name: str) -> tuple[_arrays.Buffer, Optional[_arrays.Buffer]]:
    """(pixels whose others are the least finite one, where they are finite); None where all are."""
    library = _arrays.functions_of(pixels)
    array = pixels.array.reshape(pixels.shape)
    with _arrays.current_device(pixels):
        finite = library.isfinite(array)
        if bool(finite.all()):
            return pixels, None
        if not bool(finite.any()):
            raise ValueError(f"{name}: it has no pixel with a finite value.")
        count = int((~finite).sum())
        warn(f"{name}: {count} of {math.prod(pixels.shape)} pixels are not finite (NaN or infinite); they lie outside.", RegistrationWarning)
        filled = library.where(finite, array, array[finite].min())
    made = _arrays.view(filled, name, pixels.dtype)
    made.finish = pixels.finish
    return made, _bytes_of(finite, pixels)


def _join(
    finite: _arrays.Buffer, mask: _arrays.Buffer, grid: Geometry, image: Geometry, like: _arrays.Buffer
) -> tuple[_arrays.Buffer, Geometry]:
    """Where an image is finite, and under its mask, on the image's grid."""
    under: Any = mask.array.reshape(mask.shape)
    if grid != image:
        there = _images.Image(under, grid.spacing, grid.origin, grid.direction)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            under = _resample.resample(there, None, image, interpolation="nearest", smooth=False).array
    with _arrays.current_device(like):
        return _bytes_of((finite.array.reshape(finite.shape) != 0) & (_in_library_of(like, under) != 0), like), image


def check_spaces(grids: Mapping[str, Geometry]) -> None:
    """Refuses two images of which one has no geometry, and the other's is not that of indices. Raises ValueError, naming the argument."""
    for (name, grid), (other_name, other) in itertools.permutations(grids.items(), 2):
        is_placed = not other.has_places_of_indices
        if has_indices(grid) and is_placed:
            raise ValueError(
                f"{name}: it has no geometry, so that its positions are indices, and those of {other_name} are mm (spacing {other.spacing.tolist()}, "
                f"origin {other.origin.tolist()}); cudaspline.Image(array, spacing, origin, direction) has one."
            )


def _open_beside(image: Any, name: str, first: _Side) -> _Side:
    """An image of a further pair, in the space of the first one's, whose mask is for both."""
    side = _open_image(image, name, first.pixels.dtype)
    if side.geometry.dimension != first.geometry.dimension:
        raise ValueError(f"{name}: it has {side.geometry.dimension} axes, and {first.name} has {first.geometry.dimension}.")
    if side.pixels.device != first.pixels.device:
        raise ValueError(f"{name}: it is on {_place(side.pixels.device)}, and {first.name} is on {_place(first.pixels.device)}.")
    if side.pixels.device >= 0 and _arrays.functions_of(side.pixels) is not _arrays.functions_of(first.pixels):
        kinds = side.pixels.kind, first.pixels.kind
        raise TypeError(f"{name}: it is an array of {kinds[0]}, and {first.name} one of {kinds[1]}; on a GPU they have to be of one library.")
    check_spaces({first.name: first.geometry, name: side.geometry})
    if first.given is not None:
        side.lie_under(*first.given)
    return side


@dataclass
class _Work:
    """Images that are registered."""

    fixed: _Side
    moving: _Side
    precision: str
    device: Any
    threads: int
    #: Of rotations, scales and matrices (mm).
    centre: numpy.ndarray
    #: Images that fields compare beside these.
    further: Sequence[tuple[_Side, _Side]] = ()

    @classmethod
    def open(
        cls,
        fixed: Any,
        moving: Any,
        mask: Any,
        moving_mask: Any,
        precision: str,
        device: Any,
        threads: int,
        further: Sequence[tuple[Any, Any]] = (),
    ) -> _Work:
        """Reads what a caller gave. Raises TypeError or ValueError, naming the argument."""
        one = _open(fixed, mask, "fixed", "mask", precision)
        other = _open(moving, moving_mask, "moving", "moving_mask", precision)
        if one.geometry.dimension != other.geometry.dimension:
            raise ValueError(f"moving: it has {other.geometry.dimension} axes, and fixed has {one.geometry.dimension}.")
        if one.pixels.device != other.pixels.device:
            raise ValueError(f"moving: it is on {_place(other.pixels.device)}, and fixed is on {_place(one.pixels.device)}.")
        device_word(device, one.pixels.device)  # refuses what excludes that
        check_spaces({"fixed": one.geometry, "moving": other.geometry})
        pairs = []
        for number, images in enumerate(further):
            pair = tuple(
                _open_beside(image, f"also[{number}][{place}]", first) for place, (image, first) in enumerate(zip(images, (one, other)))
            )
            pairs.append((pair[0], pair[1]))
        return cls(one, other, precision, device, threads, _middle_of(one.geometry), pairs)

    def _sides(self) -> list[_Side]:
        """All images."""
        return [self.fixed, self.moving, *(side for pair in self.further for side in pair)]

    def _call(self) -> _library.Call:
        return _library.Call(device_word(self.device, self.fixed.pixels.device), self.threads, on_device=True)

    def _host_call(self) -> _library.Call:
        return _library.Call("cpu", self.threads)

    def cut(self, quantiles: tuple[float, float]) -> None:
        """Cuts values to quantiles."""
        for side in self._sides():
            found = side.pixels
            on_host = numpy.ascontiguousarray(_arrays.to_host(found))
            lower, upper = _registration_library.find_quantiles(
                self._host_call(), on_host.ctypes.data, found.type_code, on_host.size, quantiles
            )
            if lower == lower:
                array = found.array.reshape(found.shape)
                with _arrays.current_device(found):
                    clipped = array.clamp(lower, upper) if found.kind == "torch" and not isinstance(array, numpy.ndarray) else array.clip(lower, upper)
                side.pixels = _arrays.view(clipped, side.name, found.dtype)

    def rescale(self, stages: Sequence[Stage]) -> tuple[tuple[float, float], ...]:
        """Brings values that metrics would not see, or that overflow, to [1, 2) by powers of two: these factors of each pair.

        The images of a pair that any stage compares by mean squares have one factor."""
        found = []
        for number, (fixed, moving) in enumerate([(self.fixed, self.moving), *self.further]):
            pixels = fixed.pixels
            for other in (array for side in (fixed, moving) for array in (side.pixels, side.mask)):  # one stream is followed
                if other is not None and other.stream != pixels.stream:
                    _arrays.wait_for(other)
            scales = _registration_library.find_value_scales(
                self._host_call(),
                (*fixed.describe(), *moving.describe()),
                pixels.type_code,
                fixed.geometry.dimension,
                any("meansquares" in (metric for metric, _ in stage.metrics[number : number + 1]) for stage in stages),
                pixels.device,
                pixels.stream,
            )
            if scales.is_faint:
                pair = f" (also[{number - 1}])" if number else ""
                warn(
                    f"The largest values of the fixed and the moving image are {scales.largest[0]:.6g} and {scales.largest[1]:.6g}{pair}, which "
                    "'meansquares' compares as they are: it hardly sees the lesser; other metrics do.",
                    RegistrationWarning,
                )
            for side, factor in zip((fixed, moving), scales.factors):
                side.multiply(factor)
            found.append((scales.factors[0], scales.factors[1]))
        return tuple(found)

    def begin_at(self, initial: Any) -> list[Part]:
        """The initial transform. Raises TypeError or ValueError, naming the argument."""
        dimension = self.fixed.geometry.dimension
        if initial is None or (isinstance(initial, str) and initial.lower() == "none"):
            return []
        if not isinstance(initial, str) or initial.lower() not in _INITIAL:
            if isinstance(initial, Transform):
                if initial.dimension != dimension:
                    raise ValueError(f"initial: it is of {initial.dimension} dimensions, and the images are of {dimension}.")
                return list(initial._parts)
            try:
                stages = _transforms.describe(initial, dimension, self.fixed.pixels.device, "initial", image=self.moving.geometry)
            except FileNotFoundError:
                raise FileNotFoundError(
                    f"initial: there is no file {initial}; words that are known are 'centre', 'moments', 'none' and 'search'."
                ) from None
            if len(stages.stages) > _MOST_INITIAL:
                raise ValueError(f"initial: it is made of {len(stages.stages)} transforms, and {_MOST_INITIAL} are taken.")
            for number, stage in enumerate(stages.stages):
                if stage.kind == _library.STAGE_AFFINE:
                    _inverse.check_matrix(stages.affine_of(number)[0], "initial")
            return [GivenPart(initial)]
        centres = []
        for side in (self.fixed, self.moving):
            is_middle = initial.lower() == "centre"
            centres.append(_middle_of(side.geometry) if is_middle else self._centre_of_gravity(side))
        self.centre = centres[0]
        shift = centres[1] - centres[0]
        if initial.lower() == "search":
            return [self._search(shift)]
        angles = [0.0] * (1 if dimension == 2 else 3)
        return [LinearPart("rigid", numpy.eye(dimension), centres[0], shift, (*angles, *shift.tolist()))]

    def check_overlap(self, parts: Sequence[Part]) -> None:
        """Refuses pairs of images in both of which no pixel of the fixed image lies. Raises ValueError."""
        transform = Transform._of(parts, self.fixed.geometry.dimension)
        grid = self.fixed.geometry

        def are_inside(places: numpy.ndarray, image: Geometry) -> numpy.ndarray:
            there = (places - image.origin) @ image.point_to_index.T
            inside: numpy.ndarray = ((there >= -0.5) & (there <= numpy.array(image.size) - 0.5)).all(-1)
            return inside

        def has_any_inside(indices: Sequence[numpy.ndarray], fixed: Geometry, moving: Geometry) -> bool:
            index = numpy.stack(numpy.meshgrid(*indices, indexing="ij"), -1).reshape(-1, grid.dimension)
            places = index @ grid.index_to_point.T + grid.origin
            return bool((are_inside(transform.apply(places), moving) & (are_inside(places, fixed) if fixed is not grid else True)).any())

        axes = [numpy.arange(size) for size in grid.size]
        for number, pair in enumerate([(self.fixed, self.moving), *self.further]):
            images = (pair[0].geometry, pair[1].geometry)
            if has_any_inside([axis[:: -(-len(axis) // 16)] for axis in axes], *images):  # some places of each axis tell it of most images
                continue
            if not any(has_any_inside([*axes[:-1], axes[-1][n : n + 1]], *images) for n in axes[-1]):
                raise ValueError(
                    "registration: The images do not overlap: no pixel of the fixed image lies in the moving one where it begins; initial may be "
                    "'moments', 'centre', 'search' or a transform."
                    if number == 0
                    else f"also[{number - 1}]: no pixel of the fixed image lies in both of its images where the registration begins."
                )

    def _search(self, shift: numpy.ndarray) -> LinearPart:
        """The best rotation about the centre."""
        n = self.fixed.geometry.dimension
        sides = [side.on_host() for side in (self.fixed, self.moving)]
        rotation = _registration_library.Rotation()
        rotation.centre[:n], rotation.translation[:n] = self.centre.tolist(), shift.tolist()
        _registration_library.find_rotation(
            self._host_call(), [side[0] for side in sides], [side[1] for side in sides], self.fixed.pixels.type_code, rotation, n
        )
        if rotation.is_poor:
            warn(
                f"The best rotation that was found explains {100 * rotation.explained:.3g} % of the fixed image's entropy, which is little; "
                "see whether the images lie over each other.",
                RegistrationWarning,
            )
        matrix = numpy.array(rotation.matrix[:]).reshape(3, 3)[:n, :n].copy()
        count = 3 if n == 2 else 6
        return LinearPart("rigid", matrix, self.centre, numpy.array(rotation.translation[:n]), tuple(rotation.parameters[:count]))

    def _centre_of_gravity(self, side: _Side) -> numpy.ndarray:
        dimension = side.geometry.dimension
        image, mask, kept = side.on_host()
        centre = _registration_library.find_centre_of_gravity(self._host_call(), image, side.pixels.type_code, mask, dimension)
        del kept
        if not all(map(math.isfinite, centre)):
            raise ValueError(
                f"{side.name}: it is the same everywhere{'' if mask is None else ' under its mask, or no pixel of it lies there'}, so it has no centre of gravity; initial may be "
                "'centre' or 'none'."
            )
        return numpy.array(centre)

    def run(self, stage: Stage, parts: list[Part], told: _Told) -> tuple[StageReport, list[Part]]:
        """Runs a stage behind what was found before; returns what it came to, and the parts with the new one."""
        if stage.kind == _registration_library.SPLINE:
            return self._run_spline(stage, parts, told)
        return self._run_deformable(stage, parts, told) if stage.is_deformable else self._run_linear(stage, parts, told)

    def _describe(self, stage: Stage, parts: Sequence[Part]) -> tuple[_registration_library.Registration, Any]:
        """What all stages tell the library, and what has to live as long."""
        described = _registration_library.Registration()
        described.dimension = self.fixed.geometry.dimension
        described.pixel = self.fixed.pixels.type_code
        described.fixed, described.fixed_mask = self.fixed.describe()
        described.moving, described.moving_mask = self.moving.describe()
        device = self.fixed.pixels.device
        chain = _transforms.Stages(described.dimension, False, self.moving.geometry)
        Transform._of(parts, described.dimension).append_to(chain, "initial", device)
        if len(chain.stages) > _MOST_INITIAL:
            raise ValueError(f"stages: what is before a stage is made of {len(chain.stages)} transforms, and {_MOST_INITIAL} are taken.")
        owned = _arrays_on(device, chain, self.fixed.pixels)
        array = chain.as_array()
        if array is not None:
            described.stages = ctypes.cast(array, ctypes.POINTER(_library.Stage))
            described.stage_count = len(chain.stages)
        described.device, described.stream = device, self.fixed.pixels.stream
        for other in (array for side in self._sides() for array in (side.pixels, side.mask)):  # one stream is followed
            if other is not None and other.stream != described.stream:
                _arrays.wait_for(other)
        described.sigmas_in_mm = int(stage.sigmas_in_mm)
        levels = (_registration_library.Level * len(stage.levels))()
        for level, wanted in zip(levels, stage.levels):
            level.shrink, level.sigma, level.iterations = wanted
        described.levels = ctypes.cast(levels, ctypes.POINTER(_registration_library.Level))
        described.level_count = len(levels)
        return described, (array, chain, levels, owned)

    def _run_deformable(self, stage: Stage, parts: list[Part], told: _Told) -> tuple[StageReport, list[Part]]:
        described, kept = self._describe(stage, parts)
        geometry = _shrunk(self.fixed.geometry, stage.levels[-1].shrink)
        shape = (*geometry.shape, geometry.dimension)
        forward, backward = (_empty_field(self.fixed.pixels, shape) for _ in range(2))
        deformable = _registration_library.Deformable()
        deformable.kind = _registration_library.DEFORMABLE[stage.kind]
        deformable.element = self.fixed.pixels.type_code
        deformable.radius[:] = [stage.radius] * 3
        deformable.learning_rate = stage.learning_rate
        deformable.update_variance, deformable.total_variance = stage.update_variance, stage.total_variance
        deformable.convergence, deformable.window = stage.convergence, _WINDOW
        deformable.field_type = forward.type_code
        deformable.forward, deformable.backward = forward.pointer, backward.pointer
        pairs = self._describe_pairs(stage)
        report = self._run("cudaspline_register_deformable_pairs", described, (deformable, pairs, len(pairs)), stage, told)
        del kept
        values = [level.value for level in report.levels if level.iterations > 0]
        if values and min(values) >= sys.float_info.max:  # what the kernels say of no sample
            raise ValueError("registration: The images do not overlap: no pixel of the fixed image lies in the moving one and under the masks of both.")
        return report, [*parts, FieldPart(forward, backward, geometry)]

    def _describe_pairs(self, stage: Stage) -> Any:
        """How a stage compares each pair, with the images of those behind the first one."""
        pairs = (_registration_library.Pair * len(stage.metrics))()
        for pair, metric in zip(pairs, stage.metrics):
            pair.metric, pair.bins, pair.weight = _registration_library.METRICS[metric.metric], stage.bins, metric.weight
        for pair, (fixed, moving) in zip(pairs[1:], self.further):
            pair.fixed, pair.fixed_mask = fixed.describe()
            pair.moving, pair.moving_mask = moving.describe()
        return pairs

    def _run_linear(self, stage: Stage, parts: list[Part], told: _Told) -> tuple[StageReport, list[Part]]:
        """A linear stage takes the place of the linear one before it, as far as it can hold what that one has found."""
        kinds = _registration_library.LINEAR
        before = parts[-1] if parts else None
        start = LinearPart("translation", numpy.eye(0), self.centre, numpy.zeros(0), ())
        if isinstance(before, LinearPart) and before.parameters is not None and kinds[before.kind] <= kinds[stage.kind]:
            start, parts = before, parts[:-1]
        described, kept = self._describe(stage, parts)
        n = self.fixed.geometry.dimension
        linear = _comparison_of(stage)
        linear.kind = kinds[stage.kind]
        linear.descent = _registration_library.DESCENTS[stage.optimizer]
        linear.minimum_step = stage.minimum_step or 0.0
        linear.convergence, linear.window = stage.convergence, _WINDOW
        linear.centre[:n] = start.centre.tolist()
        linear.start_kind = kinds[start.kind]
        parameters = start.parameters or ()
        linear.parameters[: len(parameters)] = parameters
        report = self._run("cudaspline_register_linear", described, (linear,), stage, told)
        del kept
        matrix = numpy.array(linear.matrix[:]).reshape(3, 3)[:n, :n].copy()
        found = LinearPart(stage.kind, matrix, start.centre, numpy.array(linear.translation[:n]), tuple(linear.parameters))
        return report, [*parts, found]

    def _run_spline(self, stage: Stage, parts: list[Part], told: _Told) -> tuple[StageReport, list[Part]]:
        described, kept = self._describe(stage, parts)
        geometry = self.fixed.geometry
        n = geometry.dimension
        spline = _registration_library.Spline()
        spline.cells[:] = [*_cells_of(stage, geometry), 1][:3]
        spline.gradient_tolerance = 1e-12  # iterations end it
        coefficients = numpy.zeros((n, *(cells + 3 for cells in reversed(spline.cells[:n]))))
        spline.coefficients = coefficients.ctypes.data
        report = self._run("cudaspline_register_spline", described, (_comparison_of(stage),), stage, told, spline)
        del kept
        # A trifle wider than the image's extent over the cells: else its last samples would lie outside of the grid.
        spacing = numpy.linalg.norm(numpy.linalg.inv(numpy.array(spline.point_to_index[:]).reshape(3, 3)[:n, :n]), axis=0)
        grid = _transforms.BSplineGrid(coefficients, spacing, spline.origin[:n], geometry.direction)
        return report, [*parts, GivenPart(grid)]

    def _run(
        self,
        name: str,
        described: _registration_library.Registration,
        how: tuple[Any, ...],
        stage: Stage,
        told: _Told,
        *further: ctypes.Structure,
    ) -> StageReport:
        """Runs a stage by the library."""
        watch = _registration_library.Watch(told.hear)
        described.iteration = watch.callback
        execution, raised = watch.run(
            self._call(), name, ctypes.byref(described), ctypes.byref(how[0]), *how[1:], *map(ctypes.byref, further)
        )
        if raised is not None and not isinstance(raised, KeyboardInterrupt):
            told.end()
            raise raised
        told.is_stopped = raised is not None
        levels = []
        for number, wanted in enumerate(stage.levels):
            made = described.levels[number]
            end = _registration_library.ENDS[made.end]
            levels.append(LevelReport(wanted.shrink, wanted.sigma, made.made, made.value, made.seconds, end))
        return StageReport(stage, tuple(levels), execution)


def _comparison_of(stage: Stage) -> _registration_library.Linear:
    """How a stage of a matrix or a B-spline compares images."""
    linear = _registration_library.Linear()
    linear.metric = _registration_library.METRICS[str(stage.metric)]
    linear.bins = stage.bins
    linear.radius[:] = [stage.radius] * 3
    linear.step = stage.step or 0.0
    linear.sampling = _registration_library.SAMPLINGS[stage.sampling]
    linear.fraction = 1.0 if stage.fraction is None else stage.fraction
    linear.seed, linear.order = stage.seed, stage.order
    linear.gradient = _registration_library.GRADIENTS[stage.gradient]
    return linear


def _cells_of(stage: Stage, geometry: Geometry) -> list[int]:
    """Cells of a B-spline's grid at the last level, as CudaSplineRegister has them."""
    wanted = stage.grid_spacing
    spacings = list(wanted) if isinstance(wanted, tuple) else [float(wanted)] * geometry.dimension  # type: ignore[arg-type]
    if len(spacings) != geometry.dimension:
        raise ValueError(f"grid_spacing: there are {len(spacings)} numbers, and the images have {geometry.dimension} axes.")
    extents = [step * (max(size, 2) - 1) for step, size in zip(geometry.spacing, geometry.size)]
    cells = [max(1.0, extent / spacing) for extent, spacing in zip(extents, spacings)]
    size = 8.0 * geometry.dimension * math.prod(count + 3.5 for count in cells)  # of the coefficients
    if not size <= _library.PHYSICAL_MEMORY or max(cells) > LARGEST_INT32:
        raise ValueError(
            f"grid_spacing: {wanted!r} mm make a grid that takes {size / 1e9:.3g} GB of memory, over {[float(one) for one in extents]} mm; the machine has "
            f"{_library.PHYSICAL_MEMORY / 1e9:.3g} GB."
        )
    return [math.floor(count + 0.5) for count in cells]


def _middle_of(geometry: Geometry) -> numpy.ndarray:
    """The middle between the first sample and the last one, as CudaSplineRegister has it."""
    corners = geometry.origin, geometry.point_of([size - 1.0 for size in geometry.size])
    middle: numpy.ndarray = 0.5 * (corners[0] + corners[1])
    return middle


def _empty_field(like: _arrays.Buffer, shape: tuple[int, ...]) -> _arrays.Buffer:
    """Displacements of float64 where an image is; of float32 where its library has no others (JAX without its option for 64 bits)."""
    try:
        made = _arrays.empty(like, shape, "float64")
    except TypeError:
        made = _arrays.empty(like, shape, "float32")
    return made


def _arrays_on(device: int, chain: _transforms.Stages, like: _arrays.Buffer) -> list[Any]:
    """Brings the displacements of a chain to the device of the images; what has to live as long."""
    if device < 0:
        return []
    owned = []
    for number, buffer in chain._buffers.items():
        if buffer.device < 0:
            copy = _arrays.view(_arrays.on_device(numpy.asarray(buffer.array).reshape(buffer.shape), like), "initial")
            chain.stages[number].data, chain.stages[number].type = copy.pointer, copy.type_code
            owned.append(copy)
    return owned


def _shrunk(geometry: Geometry, factor: int) -> Geometry:
    """The grid of a level."""
    return _registration_library.shrink_grid(geometry, factor) if factor > 1 else geometry
