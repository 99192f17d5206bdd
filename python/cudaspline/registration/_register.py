"""Registration of two images: register()."""

from __future__ import annotations

import ctypes
import difflib
import itertools
import math
import os
import re
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

import numpy

from ..core import _arrays, _library
from ..core._checks import callback
from ..core._geometry import Geometry, has_indices, make_geometry
from ..core._methods import device_word
from ..core._options import Kind, OtherKind, PresetName, RealType, StageOptions
from ..core._warnings import RegistrationWarning, collected, warn
from ..images import _images
from ..images._pixels import Pixels
from ..resampling import _resample
from ..resampling._prepared import Like
from ..transforms import _inverse, _stages, _transforms
from ..transforms._transform_parts import FieldPart, GivenPart, LinearPart, Part
from . import _registration_library
from ._registration_result import (
    Agreement,
    History,
    Iteration,
    LevelReport,
    Registration,
    RegistrationReport,
    StageReport,
)
from ._registration_stages import (
    Stage,
    complete_document,
    make_document,
    masks_of,
    read_document,
    stages_of,
)
from ._registration_terms import Terms
from ._transform import Transform

if TYPE_CHECKING:
    from typing_extensions import Unpack

_INITIAL = ("moments", "centre", "center", "search", "none")
#: Maximum number of stages of initial transforms that the kernels support.
_MAX_INITIAL = 6


@_arrays.refuses_gradients
def register(
    fixed: Union[Kind, Like],
    moving: Union[OtherKind, Like],
    stages: Union[None, str, Stage, Sequence[Union[str, Stage]]] = None,
    *,
    also: Sequence[tuple[Any, Any]] = (),
    landmarks: Any = None,
    labels: Any = None,
    sliding_regions: Any = None,
    mask: Any = None,
    moving_mask: Any = None,
    initial: Any = None,
    preset: Optional[PresetName] = None,
    spec: Any = None,
    winsorize: Optional[tuple[float, float]] = None,
    precision: Optional[RealType] = None,
    device: Any = None,
    threads: int = 0,
    progress: Union[None, bool, Callable[[float], object]] = None,
    **options: Unpack[StageOptions],
) -> Registration[Kind, OtherKind]:
    """Aligns the moving image with the fixed image, as CudaSplineRegister does, with the same
    kernels and results.

    Parameters
    ----------
    fixed, moving
        Images of itk, SimpleITK, nibabel, ANTsPy, MONAI, torchio, ngff-zarr or cudaspline.Image,
        file names, or arrays of NumPy, CuPy, PyTorch, JAX and other libraries with
        __cuda_array_interface__ or __dlpack__. Arrays have the shape (nz, ny, nx) or (ny, nx);
        their points are indices, x first. An array without a geometry cannot be registered with an
        image in mm. Images have one component per pixel, or red, green and blue: these are compared by
        their luminance, and warped has the colours. Both images are on the host, or on the same
        GPU; the fields of the result are then on the same device. Non-finite pixels are ignored.
        Values whose largest magnitude is below 2^-7 or above 2^30 are multiplied by a power of two
        before they are compared; report.value_factors has the factors.
    stages
        "translation", "rigid", "similarity", "affine", "bspline", "syn", "greedy", "demons", "tvf"
        or "discrete"; a cudaspline.Stage, which has its own levels and options; or a list of these,
        which run in this order. None: the stages of the preset, or "rigid" and "affine".
    also
        Additional pairs (fixed, moving), for example channels of one scan (T1 and T2), or an image
        and the edges of its labels. Their images are in the physical spaces of the first pair, but
        may have other grids, and are on the same device. "syn", "greedy" and "tvf" compare as many
        pairs as they have metrics: metric=[("cc", 0.7), ("mattes", 0.3)]. All other stages, the
        initialization and the returned images use the first pair. (ANTsPy's
        multivariate_extras=[("mattes", fixed, moving, 0.3, 32)] corresponds to
        also=[(fixed, moving)], with the name and weight of the metric after those of the first
        pair.)
    landmarks
        Corresponding points, (of fixed, of moving), for stages with a landmark_weight: arrays with
        a point per row (n, dimension), x first, in the coordinates of the images, or names of files
        with lines x,y[,z]. At most 10000.
    labels
        Label maps (of fixed, of moving), for stages with a label_weight: images, names of files, or
        arrays of the shapes of the images. Labels are whole numbers; 0 is the background, and
        labels that only one map has are not compared.
    sliding_regions
        Labels of regions of the fixed image that slide along their common borders in stages
        "greedy", such as 1 in the lungs and 0 elsewhere: an image on any grid, the name of a file,
        or an array of the shape of the fixed image. At most 8 labels, including 0, which is also
        outside of the map. With one label no border slides.
    mask, moving_mask
        Masks of the fixed and the moving images, for all pairs: images, or arrays with the shape of
        their image. Pixels where a mask is 0, False or NaN are ignored. An image without a geometry
        (spacing 1, origin 0) and with the size of its image is refused if that has one. A
        cudaspline.Stage may have its own masks.
    initial
        The start: "moments" aligns the centres of gravity; "centre" aligns the centres of the
        images; "search" selects the best of many rotations about the centres of gravity, by mutual
        information of coarse images; "none". None: "moments". Or any transform that cudaspline.resample() accepts,
        from points of the fixed image to points of the moving one; the last transform of a list is
        applied first.
    preset
        "brain" (affine, and SyN with "lncc"), "multimodal" (affine, and SyN with "mattes"), "lung"
        (a dense search, then "greedy", for displacements of centimetres), "abdomen" ("greedy" with
        smooth fields, for organs that move in different directions), "histology" (affine and
        B-splines with "mattes", for slices in different stains), "fast" (affine and SyN
        without the finest level), "syn" (affine, and SyN with "cc" and ITK's step) or "standard"
        (rigid, affine and SyN with the parameters of antsRegistrationSyN.sh: linear stages compare
        a quarter of the voxels, and levels are those for large images if fixed has more than 256
        pixels along an axis).
    spec
        All settings as a JSON document (doc/RegistrationSpec.md): the name of a file, for example
        of CudaSplineRegister --dump-spec, or a mapping such as found.spec. It cannot be used
        together with stages, preset, winsorize, precision and options; initial may only be a
        transform.
    winsorize
        Two quantiles to which values are clipped first, such as (0.005, 0.995). None: those of the
        preset, if it has any.
    precision
        "float32" or "float64", for pixels, arithmetic and fields; None: "float32". Points are
        always float64.
    device, threads
        As for cudaspline.resample(): the device for images in host memory, and the number of host
        threads. Several GPUs ("0,1" or [0, 1]) share the stages "greedy" and "syn", with the same
        bits as one; the first one computes the others. For images on a GPU it must be the first.
    progress
        True: show a progress bar on stderr. A function: it is called with the finished fraction, in
        [0, 1]; an exception that it raises stops the registration and is passed to the caller.
        None: do not report progress. After an interrupt (Ctrl-C) the best result so far is
        returned; its attribute stopped is then True.
    options
        Options of cudaspline.Stage, for every stage that has them (metrics of several pairs: for
        "syn", "greedy" and "tvf").

    Returns
    -------
    A cudaspline.Registration with warped, transform, field, jacobian(), history, report, spec.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.
    DeviceError
        If the requested GPU does not exist, or fails while the images are on it.

    Warns
    -----
    RegistrationWarning
        If the registration was interrupted; images have non-finite pixels, or agree no better than
        unrelated images (report.agreement); sliding_regions have no border in fixed; a level had no effect, was undone because it made the
        metric worse, or ended while the metric still decreased; the initial alignment moves along
        restricted axes; or a search of rotations found a better start, or no good one.

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

    Two channels, each of which determines the displacements along one axis:

    >>> rows, columns = ([numpy.cos(0.5 * (n - shift)) for shift in (0, 1)] for n in (y, x))
    >>> options = dict(also=[columns], metric=[("cc", 0.5), ("meansquares", 0.5)], initial="none", shrink=(1,), device="cpu")
    >>> found = cudaspline.register(*rows, "greedy", radius=2, iterations=40, learning_rate=0.25, **options)
    >>> found.transform.apply([15.0, 12.0]).round(1)
    array([16., 13.])
    """
    begin = time.monotonic()
    fixed = _images.loaded_volume(fixed, "fixed")
    moving = _images.loaded_volume(moving, "moving")
    is_named = isinstance(initial, str) and initial.lower() in _INITIAL
    whole = {
        "winsorize": winsorize,
        "precision": None if precision is None else _type_name(precision),
        "initial": initial if is_named else None,
    }
    document, given = (
        make_document(stages, preset, options, **whole)
        if spec is None
        else (
            _document_of(spec, {"stages": stages, "preset": preset, **whole, **options}),
            {"stages": None},
        )
    )
    # Errors of the document are reported before images are read.
    precision = complete_document(document, given, {})["precision"]
    further = _check_additional(also)
    work = _Work.open(
        fixed=fixed,
        moving=moving,
        mask=mask,
        moving_mask=moving_mask,
        precision=precision,
        device=device,
        threads=threads,
        further=further,
    )
    work.mask_stages(masks_of(stages))
    work.terms = Terms.open(
        landmarks, labels, sliding_regions, work.fixed.geometry, work.moving.geometry
    )
    complete = complete_document(document, given, {}, work.fixed.geometry.size)
    listener = _IterationListener(stages_of(complete), progress)
    transform, reports, factors, agreement = work.run(
        complete, None if is_named else initial, listener
    )
    listener.end()
    whole = RegistrationReport(reports, time.monotonic() - begin, factors, agreement)
    if listener.is_stopped:
        warn(
            "The registration was interrupted: the result is the best so far.", RegistrationWarning
        )
    return Registration(
        fixed=fixed,
        moving=moving,
        transform=transform,
        history=History(listener.iterations),
        report=whole,
        stopped=listener.is_stopped,
        precision=precision,
        # Images on a GPU determine the device of later calls, which other GPUs do not share.
        around=(device if work.fixed.pixels.device < 0 else None, threads),
        spec=complete,
    )


def _type_name(precision: Any) -> str:
    """The name of a precision, which may be a type of NumPy."""
    return precision if isinstance(precision, str) else _arrays.type_name(precision, "precision")


def _document_of(spec: Any, contained: Mapping[str, Any]) -> dict[str, Any]:
    """A document of the caller's. Raises TypeError or ValueError, naming the argument.

    contained: arguments that a document contains, which are None then"""
    given = [name for name, value in contained.items() if value is not None]
    if given:
        raise ValueError(f"{given[0]}: it cannot be used together with spec, which contains it.")
    return read_document(spec)


def _check_additional(value: Any) -> list[tuple[Any, Any]]:
    """The additional pairs of images."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"also: {type(value).__name__} is not a list of pairs of images, [(fixed, moving), ...]."
        )
    for i, pair in enumerate(value):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(
                f"also[{i}]: {type(pair).__name__} is not a pair of images, (fixed, moving)."
            )
    return [(fixed, moving) for fixed, moving in value]


class _IterationListener:
    """Receives the iterations of a registration: the history, and a progress bar or the caller's
    function."""

    def __init__(self, stages: Sequence[Stage], progress: Any) -> None:
        self.stages = stages
        self.iterations: list[Iteration] = []
        self.is_stopped = False
        self._is_bar = progress is True
        self._callback = (
            None
            if progress is None or isinstance(progress, bool)
            else callback(progress, "progress")
        )
        self._drawn = -math.inf
        self._is_terminal = self._is_bar and sys.stderr.isatty()

    def receive(self, state: Any) -> None:
        """An iteration has ended, of the library's structure."""
        now = (state.stage, state.level, state.number)
        last = self.iterations[-1] if self.iterations else None
        if last is not None and now <= (
            last.stage,
            last.level,
            last.iteration,
        ):  # another backend has begun the stage anew
            self.iterations = [one for one in self.iterations if one.stage < state.stage]
        self.iterations.append(Iteration(*now, state.value, state.convergence, state.step))
        if self._callback is not None:
            self._callback(state.progress)
        if self._is_bar:
            self._draw(state.progress)

    def _draw(self, fraction: float) -> None:
        last = self.iterations[-1]
        stage = self.stages[last.stage]
        if not self._is_terminal:
            if last.iteration == 1:  # one line per level
                print(
                    f"{stage.kind}, level {last.level + 1} of {len(stage.levels)}: metric {last.value:.6g}",
                    file=sys.stderr,
                )
            return
        now = time.monotonic()
        if now - self._drawn < 0.1:
            return
        self._drawn = now
        count = int(30 * fraction)
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
    original: Pixels
    #: The mask that its caller gave, with its grid.
    given: Optional[tuple[_arrays.Buffer, Geometry]] = None
    #: The mask of finite pixels; None where all are.
    finite: Optional[_arrays.Buffer] = None

    def apply_mask(self, mask: _arrays.Buffer, grid: Geometry) -> None:
        """Takes a mask, in addition to that of finite pixels."""
        self.given = mask, grid
        self.mask, self.mask_geometry = (
            (mask, grid)
            if self.finite is None
            else _join(self.finite, mask, grid, self.geometry, self.pixels)
        )

    def under(self, mask: Optional[tuple[_arrays.Buffer, Geometry]]) -> _Side:
        """The same image under another mask; None: the same one."""
        if mask is None:
            return self
        other = replace(self)
        other.apply_mask(*mask)
        return other

    def describe(self) -> tuple[_registration_library.Image, _registration_library.Image]:
        """Image and mask as the library takes them."""
        image = _registration_library.describe_image(self.pixels.pointer, self.geometry)
        if self.mask is None or self.mask_geometry is None:
            return image, _registration_library.Image()
        return image, _registration_library.describe_image(self.mask.pointer, self.mask_geometry)


def _open(image: Any, mask: Any, name: str, mask_name: str, precision: str) -> _Side:
    """An image of the first pair, with the mask that a caller gave."""
    side = _open_image(image, name, precision)
    if mask is not None:
        side.apply_mask(*_open_mask(mask, mask_name, side.geometry, side.pixels))
    return side


def _open_image(image: Any, name: str, precision: str) -> _Side:
    """An image, which is outside where it is not finite."""
    if _arrays.is_array(image) and len(image.shape) == 3 and image.shape[-1] in (3, 4):
        warn(
            f"{name}: an array of the shape {tuple(image.shape)} is a volume of {image.shape[-1]} voxels along x; if they are colours, use cudaspline.Image({name}, channels='last').",
            RegistrationWarning,
        )
    original = _images.open_image(_images.loaded_volume(image, name), name)
    geometry = original.geometry
    if geometry.dimension not in (2, 3):
        raise ValueError(
            f"{name}: it has {geometry.dimension} axes; only images with 2 or 3 axes can be registered."
        )
    if original.components in (3, 4):
        pixels = _luminance(original, name, precision)
    elif original.components != 1 or original.channels:
        raise ValueError(
            f"{name}: it has {original.components} components per pixel; only images with one, or with red, green and blue, can be registered."
        )
    else:
        found = original.buffer
        pixels = _arrays.view(found.array, name, precision)
        pixels.finish, pixels.owner = found.finish, found.owner
    pixels, finite = _take_out_what_is_not_finite(pixels, name)
    return _Side(
        name,
        pixels,
        geometry,
        finite,
        None if finite is None else geometry,
        original,
        finite=finite,
    )


def _luminance(original: Pixels, name: str, precision: str) -> _arrays.Buffer:
    """The luminance of an image of colours, as itk::RGBPixel has it."""
    found = original.buffer
    with _arrays.current_device(found):
        colours = found.array.reshape(*original.geometry.shape, original.components)
        colours = colours.astype("float64") if hasattr(colours, "astype") else colours.double()
        luminance = 0.30 * colours[..., 0] + 0.59 * colours[..., 1] + 0.11 * colours[..., 2]
        return _arrays.view(luminance, name, precision)


def _open_mask(
    mask: Any, name: str, image: Geometry, like: _arrays.Buffer
) -> tuple[_arrays.Buffer, Geometry]:
    """A mask as numbers that are 0 or 1."""
    if isinstance(mask, (list, tuple)) and any(
        one is None or isinstance(one, (str, os.PathLike)) for one in mask
    ):
        raise TypeError(
            f"{name}: it must be one image; masks of single stages are those of Stage(kind, {name}=...)."
        )
    mask = _images.loaded_volume(mask, name)
    if isinstance(mask, _images.Image):
        mask = _images.Image.of(_arrays.as_numbers(mask.array), mask.geometry, mask.channels)
    else:
        mask = _arrays.as_numbers(mask)
    opened = _images.open_image(mask, name)
    geometry = opened.geometry
    if not _images.is_image(mask) and has_indices(geometry):  # an array has the place of its image
        if geometry.size != image.size:
            raise ValueError(
                f"{name}: its shape is {geometry.shape}, but that of its image is {image.shape}."
            )
        geometry = image
    if geometry.dimension != image.dimension:
        raise ValueError(
            f"{name}: it has {geometry.dimension} axes, but its image has {image.dimension}."
        )
    if _registration_library.has_lost_geometry(geometry, image):
        raise ValueError(
            f"{name}: it has no geometry (spacing 1, origin 0), but its image has one: they are not in the same position; "
            "give it the geometry of the image, or pass its array."
        )
    if opened.components != 1 or opened.channels:
        raise ValueError(
            f"{name}: it has {opened.components} components per pixel; masks must have one."
        )
    found = opened.buffer
    if found.device != like.device:
        raise ValueError(
            f"{name}: it is on {_arrays.place_of(found.device)}, but its image is on {_arrays.place_of(like.device)}; both must be on the same device."
        )
    array = found.array.reshape(found.shape)
    if found.device >= 0 and _arrays.functions_of(found) is not _arrays.functions_of(like):
        raise TypeError(
            f"{name}: it is an array of {found.kind}, but its image is one of {like.kind}; on a GPU both must be of the same library."
        )
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
    return (
        array
        if isinstance(array, torch.Tensor)
        else torch.from_numpy(numpy.ascontiguousarray(array))
    )


def _bytes_of(condition: Any, like: _arrays.Buffer) -> _arrays.Buffer:
    """True and false as 1 and 0 of uint8, of the kind of another array."""
    with _arrays.current_device(like):
        array = (
            condition.astype("uint8")
            if hasattr(condition, "astype")
            else condition.to(sys.modules["torch"].uint8)
        )
        return _arrays.view(array, "mask", "uint8")


def _take_out_what_is_not_finite(
    pixels: _arrays.Buffer, name: str
) -> tuple[_arrays.Buffer, Optional[_arrays.Buffer]]:
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
        warn(
            f"{name}: {count} of {math.prod(pixels.shape)} pixels are not finite (NaN or infinite); they are ignored.",
            RegistrationWarning,
        )
        filled = library.where(finite, array, array[finite].min())
    made = _arrays.view(filled, name, pixels.dtype)
    made.finish = pixels.finish
    return made, _bytes_of(finite, pixels)


def _join(
    finite: _arrays.Buffer,
    mask: _arrays.Buffer,
    grid: Geometry,
    image: Geometry,
    like: _arrays.Buffer,
) -> tuple[_arrays.Buffer, Geometry]:
    """The mask of an image, combined with that of its finite pixels, on the image's grid."""
    under: Any = mask.array.reshape(mask.shape)
    if grid != image:
        there = _images.Image(under, grid.spacing, grid.origin, grid.direction)
        with collected():
            under = _resample.resample(
                there, None, image, interpolation="nearest", smooth=False
            ).array
    with _arrays.current_device(like):
        return _bytes_of(
            (finite.array.reshape(finite.shape) != 0) & (_in_library_of(like, under) != 0), like
        ), image


def check_spaces(grids: Mapping[str, Geometry]) -> None:
    """Refuses two images of which one has no geometry, and the other's is not that of indices.
    Raises ValueError, naming the argument."""
    for (name, grid), (other_name, other) in itertools.permutations(grids.items(), 2):
        is_placed = not other.has_places_of_indices
        if has_indices(grid) and is_placed:
            raise ValueError(
                f"{name}: it has no geometry, so its positions are indices, but those of {other_name} are mm (spacing {other.spacing.tolist()}, "
                f"origin {other.origin.tolist()}); use cudaspline.Image(array, spacing, origin, direction)."
            )


def _open_additional(image: Any, name: str, first: _Side) -> _Side:
    """An image of an additional pair, in the space of the first pair's image, whose mask is for
    both."""
    side = _open_image(image, name, first.pixels.dtype)
    if side.geometry.dimension != first.geometry.dimension:
        raise ValueError(
            f"{name}: it has {side.geometry.dimension} axes, but {first.name} has {first.geometry.dimension}."
        )
    if side.pixels.device != first.pixels.device:
        raise ValueError(
            f"{name}: it is on {_arrays.place_of(side.pixels.device)}, but {first.name} is on {_arrays.place_of(first.pixels.device)}; both must be on the same device."
        )
    if side.pixels.device >= 0 and _arrays.functions_of(side.pixels) is not _arrays.functions_of(
        first.pixels
    ):
        kinds = side.pixels.kind, first.pixels.kind
        raise TypeError(
            f"{name}: it is an array of {kinds[0]}, but {first.name} is one of {kinds[1]}; on a GPU both must be of the same library."
        )
    check_spaces({first.name: first.geometry, name: side.geometry})
    if first.given is not None:
        side.apply_mask(*first.given)
    return side


@dataclass
class _Work:
    """Images that are registered."""

    fixed: _Side
    moving: _Side
    precision: str
    device: Any
    threads: int
    #: Additional pairs, which fields compare.
    further: Sequence[tuple[_Side, _Side]] = ()
    #: All images under the masks of each stage; empty where no stage has masks of its own.
    staged: Sequence[Sequence[_Side]] = ()
    #: Landmarks, label maps and sliding regions.
    terms: Terms = Terms()

    @classmethod
    def open(
        cls,
        *,
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
            raise ValueError(
                f"moving: it has {other.geometry.dimension} axes, but fixed has {one.geometry.dimension}."
            )
        if one.pixels.device != other.pixels.device:
            raise ValueError(
                f"moving: it is on {_arrays.place_of(other.pixels.device)}, but fixed is on {_arrays.place_of(one.pixels.device)}; both must be on the same device."
            )
        device_word(device, one.pixels.device, shares=True)  # refuses what excludes that
        check_spaces({"fixed": one.geometry, "moving": other.geometry})
        pairs = []
        for number, images in enumerate(further):
            pair = tuple(
                _open_additional(image, f"also[{number}][{place}]", first)
                for place, (image, first) in enumerate(zip(images, (one, other)))
            )
            pairs.append((pair[0], pair[1]))
        return cls(one, other, precision, device, threads, pairs)

    def mask_stages(self, masks: Sequence[tuple[Any, Any]]) -> None:
        """Takes masks of stages, (of fixed, of moving) each. Raises TypeError or ValueError, naming
        the argument."""
        staged = []
        for number, pair in enumerate(masks):
            opened = [
                None
                if mask is None
                else _open_mask(mask, f"stages[{number}].{name}", side.geometry, side.pixels)
                for mask, name, side in zip(
                    pair, ("mask", "moving_mask"), (self.fixed, self.moving)
                )
            ]
            staged.append(
                [side.under(opened[place % 2]) for place, side in enumerate(self._sides())]
            )
        self.staged = staged

    def _sides(self) -> list[_Side]:
        """All images."""
        return [self.fixed, self.moving, *(side for pair in self.further for side in pair)]

    def run(
        self, document: Mapping[str, Any], initial: Any, listener: _IterationListener
    ) -> tuple[
        Transform, tuple[StageReport, ...], tuple[tuple[float, float], ...], Optional[Agreement]
    ]:
        """Runs a complete document: (transform, reports of stages, value factors, agreement).
        Raises TypeError or ValueError, naming the argument.

        initial: a transform of the caller; None: the document defines the start"""
        geometry, device = self.fixed.geometry, self.fixed.pixels.device
        parts = [] if initial is None else self._parts_of(initial)
        pipeline, kept = self._describe(parts, initial is not None)
        like = self.fixed.pixels
        fields: dict[int, dict[int, _arrays.Buffer]] = {}
        grids: dict[int, Geometry] = {}
        coefficients: dict[int, numpy.ndarray] = {}

        def allocate(wanted: Any) -> int:
            n = geometry.dimension
            size = wanted.grid.size[:n]
            grids[wanted.stage] = make_geometry(
                size, wanted.grid.spacing[:n], wanted.grid.origin[:n], geometry.direction
            )
            if wanted.kind == _registration_library.COEFFICIENTS:
                made = numpy.zeros((n, *reversed(size)))
                coefficients[wanted.stage] = made
                return int(made.ctypes.data)
            field = _empty_field(like, (*reversed(size), n))
            fields.setdefault(wanted.stage, {})[wanted.kind] = field
            return field.pointer

        watch = _registration_library.Watch(listener.receive)
        word = device_word(self.device, device, shares=True)
        call = _library.Call(word, self.threads, on_device=True)
        try:
            result, warned, raised = _registration_library.run_pipeline(
                call, document, pipeline, watch, allocate
            )
        except _registration_library.DocumentError as error:
            listener.end()
            raise _error_of_document(error, document["stages"]) from None
        except ValueError as error:
            listener.end()
            raise ValueError(_with_arguments(str(error))) from None
        del kept
        if raised is not None and not isinstance(raised, KeyboardInterrupt):
            listener.end()
            raise raised
        listener.is_stopped = raised is not None
        for one in warned:
            warn(_text_of_warning(one, listener.stages), RegistrationWarning)
        if result["start"] is not None:
            parts.append(_linear_part(result["start"]))
        for number, stage in enumerate(result["stages"]):
            if stage["replaces"]:
                parts.pop()
            parts.append(self._part_of(stage, number, fields, grids, coefficients))
        reports = tuple(
            _report_of(stage, listener.stages[number])
            for number, stage in enumerate(result["stages"])
        )
        of = result["agreement"]
        agreement = (
            None
            if of is None
            else Agreement(
                of["overlap"],
                _number(of["explained"], math.nan),
                _number(of["significance"], math.nan),
            )
        )
        return (
            Transform._of(parts, geometry.dimension),
            reports,
            tuple(map(tuple, result["value_factors"])),
            agreement,
        )

    def _parts_of(self, initial: Any) -> list[Part]:
        """A transform to begin with. Raises TypeError or ValueError, naming the argument."""
        dimension = self.fixed.geometry.dimension
        if isinstance(initial, Transform):
            if initial.dimension != dimension:
                raise ValueError(
                    f"initial: the transform has {initial.dimension} dimensions, but the images have {dimension}."
                )
            return list(initial._parts)
        try:
            stages = _transforms.describe(
                initial, dimension, self.fixed.pixels.device, "initial", image=self.moving.geometry
            )
        except FileNotFoundError as error:
            if not isinstance(initial, str):
                raise
            similar = difflib.get_close_matches(initial, ("centre", "moments", "none", "search"), 1)
            raise FileNotFoundError(
                f"{error}{f' Did you mean {similar[0]!r}?' if similar else ''} Allowed words are 'centre', 'moments', 'none' and 'search'."
            ) from None
        for number, stage in enumerate(stages.stages):
            if stage.kind == _library.STAGE_AFFINE:
                _inverse.check_matrix(stages.affine_of(number)[0], "initial")
        return [GivenPart(initial)]

    def _describe(
        self, parts: Sequence[Part], has_initial: bool
    ) -> tuple[_registration_library.Pipeline, Any]:
        """The structure for the library, and the objects that must outlive it."""
        described = _registration_library.Pipeline()
        described.dimension = self.fixed.geometry.dimension
        sides = self._sides()
        pairs = _describe_pairs(sides)
        described.pairs, described.pair_count = (
            ctypes.cast(pairs, ctypes.POINTER(_registration_library.ImagePair)),
            len(pairs),
        )
        staged = _describe_pairs([side for stage in self.staged for side in stage])
        if self.staged:
            described.stage_masks = ctypes.cast(
                staged, ctypes.POINTER(_registration_library.ImagePair)
            )
        self.terms.describe(described)
        device = self.fixed.pixels.device
        chain = _stages.Stages(described.dimension, False, self.moving.geometry)
        Transform._of(parts, described.dimension).append_to(chain, "initial", device)
        if len(chain.stages) > _MAX_INITIAL:
            raise ValueError(
                f"initial: it is made of {len(chain.stages)} transforms; at most {_MAX_INITIAL} are supported."
            )
        owned = _arrays_on(device, chain, self.fixed.pixels)
        array = chain.as_array()
        described.stage_count = len(chain.stages) if has_initial else -1
        if array is not None:
            described.stages = ctypes.cast(array, ctypes.POINTER(_library.Stage))
        described.device, described.stream = device, self.fixed.pixels.stream
        every = [*sides, *(side for stage in self.staged for side in stage)]
        for other in (
            array for side in every for array in (side.pixels, side.mask)
        ):  # one stream is followed
            if other is not None and other.stream != described.stream:
                _arrays.wait_for(other)
        described.field_type = _empty_field(self.fixed.pixels, (1, described.dimension)).type_code
        return described, (pairs, staged, array, chain, owned)

    def _part_of(
        self,
        stage: Mapping[str, Any],
        number: int,
        fields: Mapping[int, Mapping[int, _arrays.Buffer]],
        grids: Mapping[int, Geometry],
        coefficients: Mapping[int, numpy.ndarray],
    ) -> Part:
        """The part of the transform that a stage has found."""
        if number in fields:
            of = fields[number]
            is_whole = stage["levels"][-1]["shrink"] == 1
            return FieldPart(
                of[_registration_library.FORWARD],
                of[_registration_library.BACKWARD],
                self.fixed.geometry if is_whole else grids[number],
            )
        if number in coefficients:
            grid = grids[number]
            return GivenPart(
                _stages.BSplineGrid(coefficients[number], grid.spacing, grid.origin, grid.direction)
            )
        return _linear_part(stage["transform"])


def _describe_pairs(sides: Sequence[_Side]) -> Any:
    """Images with masks as the library takes them, the fixed one of each pair before the moving
    one."""
    pairs = (_registration_library.ImagePair * (len(sides) // 2))()
    for pair, fixed, moving in zip(pairs, sides[::2], sides[1::2]):
        pair.fixed, pair.fixed_mask = fixed.describe()
        pair.moving, pair.moving_mask = moving.describe()
    return pairs


def _linear_part(found: Mapping[str, Any]) -> LinearPart:
    matrix, centre, translation = (
        numpy.array(found[name]) for name in ("matrix", "centre", "translation")
    )
    return LinearPart(found["kind"], matrix, centre, translation, tuple(found["parameters"]))


def _number(value: Optional[float], otherwise: float) -> float:
    return otherwise if value is None else value


def _report_of(stage: Mapping[str, Any], spec: Stage) -> StageReport:
    levels = (
        LevelReport(
            level["shrink"],
            level["sigma"],
            level["iterations"],
            _number(level["value"], math.nan),
            level["seconds"],
            level["end"],
        )
        for level in stage["levels"]
    )
    use = {name: _library.Use(one["calls"], one["seconds"]) for name, one in stage["use"].items()}
    return StageReport(
        spec,
        tuple(levels),
        _library.Report(
            stage["backend"], stage["device"], stage["reason"], 1, stage["run_seconds"], use
        ),
    )


#: Arguments that help, by the kind of a warning.
_ARGUMENTS_OF = {
    "few_iterations": " (iterations: one number for all levels, or one per level)",
    "restricted_start": " (initial)",
}


def _text_of_warning(warned: Mapping[str, Any], stages: Sequence[Stage]) -> str:
    text = _with_arguments(str(warned["text"]))[:-1] + _ARGUMENTS_OF.get(warned["kind"], "")
    if warned["stage"] >= 0:
        return f"stages[{warned['stage']}] ({stages[warned['stage']].kind!r}): {text}."
    return f"{text[0].upper()}{text[1:]}."


def _form_for_some_stages(
    problem: _registration_library.Problem,
    problems: Sequence[_registration_library.Problem],
    stages: Sequence[Mapping[str, Any]],
) -> str:
    """How an option of all stages is given to those alone that allow its value; empty if there are
    none."""
    value = stages[problem.stage].get(problem.option)
    wrong = {one.stage for one in problems if one.option == problem.option}
    allow = [
        number not in wrong and value is not None and stage.get(problem.option) == value
        for number, stage in enumerate(stages)
    ]
    if problem.stage < 0 or not any(allow):
        return ""
    text = tuple(value) if isinstance(value, list) else value
    entries = (
        f"cudaspline.Stage({stage['kind']!r}, {problem.option}={text!r})"
        if is_allowed
        else repr(stage["kind"])
        for stage, is_allowed in zip(stages, allow)
    )
    return f"; to use it only in the stages that allow it: stages=[{', '.join(entries)}]"


def _error_of_document(
    error: _registration_library.DocumentError, stages: Sequence[Mapping[str, Any]]
) -> ValueError:
    """Makes an error of the options that do not fit the images, with the names of the arguments."""
    lines = []
    for problem in error.problems:
        more = "; also= names additional ones" if problem.option == "metric" else ""
        more += _form_for_some_stages(problem, error.problems, stages)
        lines.append(
            f"{problem.option}: {_with_arguments(problem.text.replace('{value}', 'the spacings'))[:-1]}{more}."
        )
    return ValueError("\n".join(lines))


def _with_arguments(message: str) -> str:
    """An error of the library with the names of arguments."""
    message = re.sub(r"^registration: the (fixed|moving) image ", r"\1: it ", message)
    message = re.sub(
        r"(registration: )?additional pair (\d+)",
        lambda found: f"also[{int(found[2]) - 1}]",
        message,
    )
    if "do not overlap" in message:
        message = (
            f"{message.rstrip('.')}; initial may be 'moments', 'centre', 'search' or a transform"
        )
    return message if message.endswith(".") else f"{message}."


def _empty_field(like: _arrays.Buffer, shape: tuple[int, ...]) -> _arrays.Buffer:
    """Displacements of float64 where an image is; of float32 where its library has no others (JAX
    without its option for 64 bits)."""
    try:
        made = _arrays.empty(like, shape, "float64")
    except TypeError:
        made = _arrays.empty(like, shape, "float32")
    return made


def _arrays_on(device: int, chain: _stages.Stages, like: _arrays.Buffer) -> list[Any]:
    """Brings the displacements of a chain to the device of the images; returns the objects that
    must outlive it."""
    if device < 0:
        return []
    owned = []
    for number, buffer in chain._buffers.items():
        if buffer.device < 0:
            copy = _arrays.view(
                _arrays.on_device(numpy.asarray(buffer.array).reshape(buffer.shape), like),
                "initial",
            )
            chain.stages[number].data, chain.stages[number].type = copy.pointer, copy.type_code
            owned.append(copy)
    return owned
