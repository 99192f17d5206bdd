"""The effect of a resampling on the detail of an image: steps, smoothing, warnings, also of outputs
that are outside of the image.

Rules and messages are CudaSplineResample's (applications/Common/io/volume/OutputGrid.cxx, which
has ITK's transforms where the library has stages); the Gaussian is the library's, which the program
has too (math/SamplingGaussian.h).
"""

from __future__ import annotations

import ctypes
import math
import sys
from dataclasses import dataclass
from operator import mul, sub
from typing import Any, Iterable, Optional, Sequence

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry, has_indices
from ..core._methods import WIDE, Interpolator, device_word
from ..core._warnings import (
    DownsamplingWarning,
    LabelWarning,
    OutsideWarning,
    ResamplingWarning,
    warn,
)
from ..images._pixels import Pixels, slices_of
from ..transforms import _stages
from . import _windows

#: As LargestPlainStep and SmallestGaussianLine of the library.
LARGEST_PLAIN_STEP, SMALLEST_LINE = 1.1, 4
#: Longer steps are warned of where an image is not smoothed.
COARSE_STEP = 1.5
#: cudaMemcpyDeviceToHost
_FROM_DEVICE = 2
#: Elements that are compared at one time.
_TOGETHER = 2**20


#: Steps by axis of the image and of the output, three numbers each: samples of the image between
#: neighbouring samples of the output.
Steps = list[float]


def steps_of(image: Pixels, method: Interpolator, grid: Geometry, stages: _stages.Stages) -> Steps:
    """The steps of a resampling, before it is done."""
    described = method.describe_image(
        _windows.nowhere(image.geometry.shape, image.dtype),
        image.geometry.size,
        image.components,
        image.dtype,
    )
    known = stages if stages.is_on_host else stages.without_displacements
    output = _windows.nowhere(grid.shape, "float32")
    interpolation = method.describe_interpolation(image.geometry)
    resampling, kept = _stages.describe_resampling(
        interpolation,
        image.geometry,
        grid,
        stages=known,
        result=output,
        pixel=numpy.zeros(1, "float32"),
        extrapolate=False,
    )
    steps = _library.sampling_steps(described, resampling)
    del kept
    return steps


def is_plain(image: Geometry, grid: Geometry, stages: _stages.Stages) -> bool:
    """Whether it shows at once that no step is large, so that the library need not be asked: on the
    image's own grid without a transform, or, of an array, by a matrix of small numbers, which are
    the steps there."""
    if not stages.stages:
        return is_plainly_mapped(grid is image, False, ())
    stage = stages.stages[0]
    is_matrix = len(stages.stages) == 1 and stage.kind == _library.STAGE_AFFINE
    return is_matrix and is_plainly_mapped(grid is image, has_indices(image), stage.matrix[:])


def is_plainly_mapped(is_own_grid: bool, is_of_indices: bool, matrix: Sequence[float]) -> bool:
    """is_plain() of a matrix.

    is_own_grid: whether the output has the image's grid
    is_of_indices: whether the image's points are its indices
    matrix: its numbers; none where there is no transform"""
    if not is_own_grid or not matrix:
        return is_own_grid
    return (
        is_of_indices and -LARGEST_PLAIN_STEP <= min(matrix) and max(matrix) <= LARGEST_PLAIN_STEP
    )


def warn_of_downsampling(steps: Sequence[float], method: Interpolator) -> None:
    """Warns where a step is large."""
    if not max(steps) > COARSE_STEP:
        return
    largest = [max(steps[axis::3]) for axis in range(3)]
    coarse = ", ".join(
        f"{step:g} samples per step along {axis}"
        for step, axis in zip(largest, "xyz")
        if step > COARSE_STEP
    )
    advice = (
        ", which is usual for labels"
        if method.is_of_labels
        else "; smooth='auto' smooths the image first, and smooth=False suppresses this warning"
    )
    warn(
        f"the output grid is coarser than the image ({coarse}) and the image is not smoothed first: fine details may be lost or aliased{advice}",
        DownsamplingWarning,
    )


def warn_of_labels(pixels: _arrays.Buffer, components: int, method: Interpolator) -> None:
    """Warns where an image of the host looks like labels and is mixed."""
    if not method.mixes_pixels or components > 1 or pixels.device >= 0:
        return
    if _library.looks_like_labels(pixels.pointer, pixels.type_code, math.prod(pixels.shape)):
        warn(
            f"the image of {pixels.dtype} has few distinct values, like labels, which {method.kind!r} interpolation mixes; use interpolation="
            "'label-linear' (or 'nearest') for labels, or dtype='float32' for fractions",
            LabelWarning,
        )


def warn_of_spreading(
    pixels: _arrays.Buffer, method: Interpolator, threads: int, is_smoothed: bool = False
) -> bool:
    """Warns where values of an image of the host are not finite and a recursive filter spreads
    them; whether it did."""
    spreads = is_smoothed or (method.has_filter and not method.is_of_indicators)
    if not spreads or pixels.device >= 0 or not pixels.dtype.startswith("float"):
        return False
    total = math.prod(pixels.shape)
    count = _library.count_non_finite(pixels.pointer, pixels.type_code, total, threads)
    if count == 0:
        return False
    what = "smoothing" if is_smoothed else f"the filter of {method.kind!r} interpolation"
    warn(
        f"{count} of {total} values of the image are not finite (NaN or infinite), and {what} spreads them over the image, so that finite pixels become NaN, too; "
        "replace them first (numpy.nan_to_num), or use "
        + ("smooth=False" if is_smoothed else "interpolation='linear' or 'catmull-rom'"),
        ResamplingWarning,
    )
    return True


def is_smoothed(steps: Sequence[float], geometry: Geometry) -> bool:
    """Whether there is an axis to smooth along."""
    return any(
        max(steps[3 * axis : 3 * axis + 3]) > LARGEST_PLAIN_STEP and size >= SMALLEST_LINE
        for axis, size in enumerate(geometry.size)
    )


def smooth(pixels: Pixels, steps: Steps, device: Any, threads: int, progress: Any) -> Pixels:
    """An image smoothed for its sampling, of float32, or of float64 where it has wide numbers:
    component by component.

    Raises ValueError, naming the argument, for images in memory of a GPU."""
    if pixels.device >= 0:
        raise ValueError(
            "smooth: 'auto' supports only images in host memory; this one is on a GPU."
        )
    element = "float64" if pixels.dtype in WIDE else "float32"
    buffer = pixels.buffer
    array = _arrays.to_host(buffer).reshape(*pixels.geometry.shape, pixels.components)
    smoothed = numpy.empty(array.shape, element)
    along = (ctypes.c_double * _library.MAXIMUM_DIMENSION)(
        *(max(steps[3 * axis : 3 * axis + 3]) for axis in range(pixels.geometry.dimension))
    )
    call = _library.Call(device_word(device, -1), threads, 0, progress)
    for component in range(pixels.components):
        plane = _arrays.view(array[..., component], "image")
        made = smoothed[..., 0] if pixels.components == 1 else numpy.empty(plane.shape, element)
        described = Interpolator("linear").describe_image(plane, pixels.geometry.size, 1, element)
        described.element = _library.TYPES[element]
        call.run("cudaspline_smooth_for_sampling", ctypes.byref(described), along, made.ctypes.data)
        if pixels.components > 1:
            smoothed[..., component] = made
    result = _arrays.like_host(smoothed.reshape(buffer.shape), buffer)
    return Pixels(
        read=lambda box: (
            result if box is None else _arrays.like_host(smoothed[slices_of(box)], buffer)
        ),
        dtype=element,
        device=-1,
        geometry=pixels.geometry,
        components=pixels.components,
        channels=pixels.channels,
        finish=pixels.finish,
        narrow=pixels.narrow,
        is_plain=pixels.is_plain,
    )


def is_all(buffer: _arrays.Buffer, pixel: Sequence[Any]) -> bool:
    """Whether all pixels have a value, a number a component. What has another value has one in its
    middle, or soon, as a rule."""
    if buffer.kind == "cupy":
        with _arrays.current_device(buffer):
            return _is_all(buffer, pixel)
    return _is_all(buffer, pixel)


def _is_all(buffer: _arrays.Buffer, pixel: Sequence[Any]) -> bool:
    components = len(pixel)
    count = math.prod(buffer.shape)
    middle = count // components // 2 * components
    array = buffer.array
    if count == 0 or not _is_same(_element(buffer, middle), pixel[0]):
        return count == 0
    flat = array.reshape(-1)
    for component, value in enumerate(pixel):
        part = flat[component::components]
        for first in range(0, count // components, _TOGETHER):
            found = part[first : first + _TOGETHER]
            if not bool(((found != found) if value != value else (found == value)).all()):
                return False
    return True


def _element(buffer: _arrays.Buffer, number: int) -> Any:
    """An element of an array as a number of Python, after the work that is queued in its stream."""
    array = buffer.array
    if buffer.kind == "numpy":
        return array.item(number)
    if buffer.kind == "torch" and array.is_contiguous():
        return array.as_strided((), (), array.storage_offset() + number).item()
    if buffer.kind == "cupy":  # in a third of the time of an array of one element that is fetched
        found = numpy.empty(1, buffer.dtype)
        size = _arrays.size_of(buffer.dtype)
        runtime = sys.modules["cupy"].cuda.runtime
        runtime.memcpyAsync(
            _arrays.address_of(found),
            buffer.pointer + number * size,
            size,
            _FROM_DEVICE,
            buffer.stream,
        )
        runtime.streamSynchronize(buffer.stream)
        return found.item()
    return array.reshape(-1)[number].item()


def _is_same(one: Any, other: Any) -> bool:
    return bool(one == other or (one != one and other != other))


def warn_of_outside(
    volumes: Optional[Iterable[Pixels]],
    output: _arrays.Buffer,
    image: Pixels,
    grid: Geometry,
    stages: _stages.Stages,
    method: Interpolator,
    pixel: numpy.ndarray,
) -> None:
    """Warns of an output that is_far() and has the default value alone, unless the samples around
    its points have that value too: the background of an image.

    volumes: the images that were resampled; None where their pixels are not known"""
    window = _windows.neighbours(image.geometry, grid, stages, method.boundary)
    if window is None or 0 not in window[1]:
        values = pixel.tolist()
        if volumes is None or all(
            is_all((volume if window is None else volume.crop(*window)).buffer, values)
            for volume in volumes
        ):
            return
    default = ", ".join(f"{value:g}" for value in pixel.tolist())
    warn(
        f"all {math.prod(output.shape) // image.components} pixels of the output have the default value {default}: they are outside the image, or the "
        "transform is for another image",
        OutsideWarning,
    )


class Middle:
    """The middle sample of an output's grid, and an image in which it may lie."""

    def __init__(self, image: Geometry, grid: Geometry) -> None:
        self._place = (
            grid.origin + grid.index_to_point @ numpy.array([n // 2 for n in grid.size])
        ).tolist()
        self._origin = image.origin.tolist()
        self._axes = [
            (*row, float(n - 1)) for row, n in zip(image.point_to_index.tolist(), image.size)
        ]

    def is_inside(self, rows: Sequence[Sequence[float]]) -> bool:
        """Whether it is in the image under a map of points (mm): rows of a matrix, with or without
        an offset at the end; none: the identity."""
        place = self._place
        if rows:
            dimension = len(place)
            place = [
                sum(map(mul, row, place), row[dimension] if len(row) > dimension else 0.0)
                for row in rows
            ]
        apart = list(map(sub, place, self._origin))
        return all([0.0 <= sum(map(mul, axis, apart)) <= axis[-1] for axis in self._axes])


def is_far(image: Geometry, grid: Geometry, stages: _stages.Stages) -> bool:
    """Whether an output may have nothing of an image, as far as is known without a look at it: on a
    device that is there only when all of it is. The middle of one under matrices may lie in the
    image."""
    if any([stage.kind != _library.STAGE_AFFINE for stage in stages.stages]):
        return True
    moved = numpy.eye(grid.dimension + 1)
    for number in range(len(stages.stages)):
        matrix, offset = stages.affine_of(number)
        moved[:-1] = matrix @ moved[:-1]
        moved[:-1, -1] += offset
    return not Middle(image, grid).is_inside(moved[:-1].tolist())


@dataclass(frozen=True)
class Smoothing:
    """The smoothing of an image before it is sampled."""

    steps: Steps
    device: Any
    threads: int

    def apply(self, pixels: Pixels, progress: Any) -> Pixels:
        """The smoothed image."""
        return smooth(pixels, self.steps, self.device, self.threads, progress)


def warn_of_inverses(inverses: Iterable[_library.InverseResidual]) -> None:
    """Warns of inverses that leave more than their limit, as CudaSplineResample does."""
    for found in inverses:
        if not found.largest <= found.limit:
            warn(
                f"the inverse of {found.name} was computed by iteration and is inaccurate: the error is {found.mean:g} mm on average and at most {found.largest:g} mm, where the transform folds space or maps points out of its domain",
                ResamplingWarning,
            )
