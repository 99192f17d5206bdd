"""Resamplings that are alike: what resample() and zoom() check and describe, once for calls that
differ in pixels and matrix alone.

A plan is for a bare array or a cudaspline.Image of one, of NumPy, CuPy or PyTorch, and for a
Source; transforms are each call's own. All other calls, and those with an argument that cannot be,
are left to the functions themselves.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from typing import Any, Callable, NamedTuple, Optional, Sequence, TypeVar, cast

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry, has_indices
from ..core._methods import device_word
from ..core._plans import UNKNOWN, Plans, Streak, frozen
from ..images import _images
from ..images._images import Image
from ..images._pixels import Pixels
from ..transforms import _stages, _transforms
from . import _sampling, _windows
from ._prepared import PreparedImage
from ._resample_work import Work

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Options of single calls, which are left to the functions.
_NOT_PLANNED = frozenset(
    (
        "transform",
        "transform_order",
        "transform_per_volume",
        "reference",
        "series",
        "out",
        "progress",
    )
)


class _Matrix(NamedTuple):
    """Properties of a matrix."""

    rows: Sequence[Sequence[float]]
    stage: Any  #: as the library has it
    is_plain: bool  #: whether it shows at once that no step is large
    is_inside: bool  #: whether the output's middle lies in the image


class Plan:
    """The plan that repeated resamplings share.

    pixels: an image that all calls have in common, without its elements, which are not kept; or a
        Source's
    source: the Source, of which only that is kept; None: it is an image
    work: how it is resampled
    output_type: name of the type of the result
    warns: whether large steps cause a warning
    kept: objects whose identity is in the plan's key"""

    def __init__(
        self,
        pixels: Pixels,
        source: Optional[PreparedImage],
        work: Work,
        output_type: str,
        warns: bool,
        kept: Sequence[Any],
    ) -> None:
        self._source_pixels = None if source is None else pixels
        self._geometry, self._device = (
            pixels.geometry,
            pixels.device if source is None else source.device,
        )
        self._channels = pixels.channels
        self._work, self._type, self._warns, self._kept = work, output_type, warns, kept
        self._shape = (*work.grid.shape, *pixels.shape_tail)
        self._word = device_word(work.device, pixels.device)
        _library.Call(self._word, work.threads, work.memory_limit)  # refuses what cannot be
        self._values = work.pixel.tolist()
        like = pixels.buffer
        nowhere = _windows.nowhere(self._shape, output_type)
        self._image = work.method.describe_image(like, pixels.size, pixels.components, output_type)
        interpolation = work.method.describe_interpolation(pixels.geometry)
        self._resampling, _ = _stages.describe_resampling(
            interpolation,
            pixels.geometry,
            work.grid,
            stages=_stages.Stages(work.grid.dimension),
            result=nowhere,
            pixel=work.pixel,
            extrapolate=work.extrapolate,
            rounding=work.rounding,
        )
        self._resampling.device = like.device
        #: Whether the execution has its defaults.
        self._is_on_device = (
            like.device >= 0 and self._word in ("", "auto") and not work.memory_limit
        )
        #: Axes of the image.
        self.dimension = work.grid.dimension
        # On the image's own grid the steps are those of the transform.
        self._is_own_grid = work.grid is pixels.geometry
        self._has_indices = has_indices(pixels.geometry)
        self._steps: Optional[Sequence[float]] = None
        self._middle = _sampling.Middle(pixels.geometry, work.grid)
        #: The last one: many calls have the same.
        self._matrix: Optional[_Matrix] = None

    def run(
        self, image: Any, buffer: _arrays.Buffer, source: Optional[PreparedImage], transform: Any
    ) -> Any:
        """Resamples an image, whose pixels are a buffer, or a Source of it, through a transform.
        Raises what transforms are refused for."""
        work = self._work
        rows = _rows_of(transform, self.dimension)
        stages = self._stages_of(transform) if rows is None else None
        output = _arrays.empty(buffer, self._shape, self._type, source is None)
        resampling = _library.Resampling.from_buffer_copy(self._resampling)
        resampling.output, resampling.stream = output.pointer, output.stream
        matrix = None if rows is None else self._matrix_of(rows)
        if stages is not None:
            _set_stages(resampling, stages)
        elif matrix is not None and matrix.rows:
            resampling.stages, resampling.stage_count = ctypes.pointer(matrix.stage), 1
        if source is None and work.warns_of_labels:
            _sampling.warn_of_labels(buffer, 1, work.method)
        if source is None and work.method.has_filter:
            _sampling.warn_of_spreading(buffer, work.method, work.threads)
        if source is not None:
            described, name = source.described, "cudaspline_resample_source"
            first: Any = source.handle
        else:
            described, name = _library.Image.from_buffer_copy(self._image), "cudaspline_resample"
            described.pixels, described.stream = buffer.pointer, buffer.stream
            first = ctypes.byref(described)
        if self._is_on_device:
            _library.run_on_device(name, first, ctypes.byref(resampling))
        else:
            _library.Call(
                self._word, work.threads, work.memory_limit, None, buffer.device >= 0
            ).run(name, first, ctypes.byref(resampling))
        if self._warns:
            self._warn_of_downsampling(described, resampling, matrix, stages)
        if stages is not None and stages.inverses:
            _library.note_inverses(stages.inverses)
            _sampling.warn_of_inverses(stages.inverses)
        if matrix is not None:
            is_far = not matrix.is_inside
        else:
            is_far = stages is not None and _sampling.is_far(self._geometry, work.grid, stages)
        if is_far and not work.extrapolate and _sampling.is_all(output, self._values):
            self._warn_of_outside(image, stages or self._stages_of(transform), output)
        if self._source_pixels is not None:
            return self._source_pixels.finish(output, work.grid)
        if isinstance(image, Image):
            return Image.of(output.array, work.grid, self._channels)
        return output.array

    def _matrix_of(self, rows: Sequence[Sequence[float]]) -> _Matrix:
        known = self._matrix
        if known is None or known.rows != rows:
            numbers = [number for row in rows for number in row[: self.dimension]]
            is_plain = _sampling.is_plainly_mapped(self._is_own_grid, self._has_indices, numbers)
            stage = _stage_of(rows) if rows else None
            known = self._matrix = _Matrix(
                [list(row) for row in rows] or rows, stage, is_plain, self._middle.is_inside(rows)
            )
        return known

    def _warn_of_downsampling(
        self,
        image: _library.Image,
        resampling: _library.Resampling,
        matrix: Optional[_Matrix],
        stages: Optional[_stages.Stages],
    ) -> None:
        """Resamples with the same steps as resample()."""
        if stages is not None and not stages.is_on_host:
            if self._source_pixels is not None:
                return
            _set_stages(resampling, stages.without_displacements)
        elif matrix is not None and matrix.is_plain:
            return
        steps = self._steps if resampling.stage_count == 0 else None
        if steps is None:
            steps = _library.sampling_steps(image, resampling)
            if resampling.stage_count == 0:
                self._steps = steps
        _sampling.warn_of_downsampling(steps, self._work.method)

    def _stages_of(self, transform: Any) -> _stages.Stages:
        return _transforms.describe(transform, self.dimension, self._device, image=self._geometry)

    def _warn_of_outside(self, image: Any, stages: _stages.Stages, output: _arrays.Buffer) -> None:
        work, known = self._work, self._source_pixels
        pixels = _images.open_image(image, "image", self._channels) if known is None else known
        _sampling.warn_of_outside(
            None if known is not None else [pixels],
            output,
            pixels,
            grid=work.grid,
            stages=stages,
            method=work.method,
            pixel=work.pixel,
        )


def _set_stages(resampling: _library.Resampling, stages: _stages.Stages) -> None:
    array = stages.as_array()
    resampling.stages = (
        None if array is None else ctypes.cast(array, ctypes.POINTER(_library.Stage))
    )
    resampling.stage_count = len(stages.stages)


#: The beginning of the library's stages: kind, matrix and offset.
_HEAD = struct.Struct("@i9d3d")


def _stage_of(rows: Sequence[Sequence[float]]) -> Any:
    """A matrix, with or without an offset in its last column, as a stage of the library."""
    stage = _library.Stage()
    dimension = len(rows)
    has_offset = len(rows[0]) > dimension
    if dimension == 3:
        a, b, c = rows
        offset = (a[3], b[3], c[3]) if has_offset else (0.0, 0.0, 0.0)
        _HEAD.pack_into(stage, 0, _library.STAGE_AFFINE, *a[:3], *b[:3], *c[:3], *offset)
    elif dimension == 2:
        a, b = rows
        offset = (a[2], b[2], 0.0) if has_offset else (0.0, 0.0, 0.0)
        _HEAD.pack_into(
            stage, 0, _library.STAGE_AFFINE, *a[:2], 0.0, *b[:2], 0.0, 0.0, 0.0, 1.0, *offset
        )
    else:
        offset = (rows[0][1], 0.0, 0.0) if has_offset else (0.0, 0.0, 0.0)
        _HEAD.pack_into(
            stage,
            0,
            _library.STAGE_AFFINE,
            rows[0][0],
            0.0,
            0.0,
            0.0,
            1.0,
            0.0,
            0.0,
            0.0,
            1.0,
            *offset,
        )
    return stage


def _rows_of(transform: Any, dimension: int) -> Optional[Sequence[Sequence[float]]]:
    """The rows of a matrix without its homogeneous one; empty without a transform. None for
    anything but a matrix of finite numbers."""
    if transform is None:
        return ()
    kind = type(transform)
    rows: list[Any]
    if kind is numpy.ndarray and transform.ndim == 2 and transform.dtype.kind in "fiu":
        rows = (
            transform if transform.dtype.char == "d" else transform.astype(numpy.float64)
        ).tolist()
        count, width = transform.shape
    elif kind is list and all(
        [
            type(row) is list
            and len(row) == len(transform[0])
            and _NUMBERS.issuperset(map(type, row))
            for row in transform
        ]
    ):
        rows = transform
        count, width = len(rows), len(rows[0]) if rows else 0
    else:
        return None
    if not dimension <= width <= dimension + 1 or not (
        count == dimension or count == width == dimension + 1
    ):
        return None
    total = sum(
        [sum(row, 0.0) for row in rows]
    )  # raises OverflowError for numbers beyond double, as transforms do
    if total - total != 0.0:  # a number is not finite, or they are large
        return None
    if count == dimension:
        return rows
    return rows[:dimension] if rows[-1] == [0.0] * dimension + [1.0] else None


_NUMBERS = frozenset((int, float))

#: Names of arguments that are not options.
_ARGUMENTS = frozenset(("transform", "reference"))
_PLANS: Plans[Optional[Plan]] = Plans()


def _key_of(
    name: str, image: Any, buffer: _arrays.Buffer, reference: Any, options: dict[str, Any]
) -> Optional[tuple[Any, ...]]:
    """The key of calls that share a plan. None for calls without plans."""
    parts: list[Any] = [name, buffer.kind, buffer.dtype, buffer.shape, buffer.device]
    if type(image) is Image:
        parts += (id(image.geometry), image.channels)
    if reference is not None:
        kind = type(reference)
        if kind is not Image and kind is not Geometry:
            return None
        parts += (kind, id(reference.geometry if kind is Image else reference))
    for option, value in options.items():
        kind = type(value)
        part = value if kind is str else frozen(value)
        if part is None or option in _NOT_PLANNED:
            return None
        parts += (option, part)
    return tuple(parts)


def shares_plans(make: Callable[..., Optional[Plan]]) -> Callable[[_Function], _Function]:
    """Decorates a function of an image, an argument and a reference: repeated calls use plans.

    make: makes the plan of a call, of image, the argument where it is a part of the plan, reference
        and options; None where it has none. What
    it refuses is left to the function, which raises the error."""

    def decorate(function: _Function) -> _Function:
        name = function.__name__
        is_transform = name == "resample"
        most = 3 if is_transform else 2
        streak = Streak()

        @functools.wraps(function)
        def planned(*arguments: Any, **options: Any) -> Any:
            count = len(arguments)
            if not 1 <= count <= most or not streak.goes_on():
                return function(*arguments, **options)
            image, argument, reference = (*arguments, None, None)[:3]
            given = options
            if is_transform and count < 3 and not _ARGUMENTS.isdisjoint(options):
                given = dict(options)
                argument = given.pop("transform", argument) if count == 1 else argument
                reference = given.pop("reference", reference)
            source = image if isinstance(image, PreparedImage) else None
            if source is not None:
                buffer: Optional[_arrays.Buffer] = source.pixels.buffer
            else:
                buffer = _arrays.view_plainly(image.array if type(image) is Image else image)
            key = (
                None
                if buffer is None
                else _key_of(
                    name,
                    image,
                    buffer,
                    reference,
                    given if is_transform else {"": argument, **given},
                )
            )
            if buffer is None or key is None:
                return function(*arguments, **options)
            plans = _PLANS if source is None else source.plans
            plan = plans.get(key, UNKNOWN)
            if plan is UNKNOWN:
                plan = plans.make(key, lambda: make(image, argument, reference, given))
            if plan is None or (is_transform and _arrays.requires_gradient(argument)):
                return function(*arguments, **options)
            streak.ends()
            return plan.run(image, buffer, source, argument if is_transform else None)

        return cast(_Function, planned)

    return decorate
