"""A resampling of images that are alike: what is checked and described once, and done for each of
them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Sequence

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry
from ..core._methods import ROUNDINGS, Interpolator, check_components, choose, device_word, pixel_of
from ..images._pixels import Pixels
from ..transforms import _stages
from . import _labels, _sampling, _windows


class Wanted(NamedTuple):
    """The requested output and backend: the arguments of resample() with these names."""

    default: Any
    extrapolate: bool
    dtype: Any
    rounding: str
    smooth: Any
    device: Any
    threads: int
    memory_limit: int


def work_of(
    pixels: Pixels, method: Interpolator, grid: Geometry, stages: _stages.Stages, wanted: Wanted
) -> tuple[Work, str]:
    """How images like one are resampled, and the name of the result's type."""
    check_components(method, pixels.components)
    output_type = output_type_of(pixels, method, wanted.dtype)
    pixel = pixel_of(wanted.default, pixels.components, output_type, "default")
    is_smoothed = wanted.smooth is not None and wanted.smooth is not False
    smoothing = _smoothing_of(wanted, pixels, grid, stages, method) if is_smoothed else None
    may_be_labels = pixels.narrow != "bool" and (
        wanted.dtype is None or not output_type.startswith("float")
    )
    rule = choose(wanted.rounding, ROUNDINGS, "rounding")
    made = Work(
        method=method,
        grid=grid,
        stages=stages,
        pixel=pixel,
        rounding=rule,
        extrapolate=wanted.extrapolate,
        warns_of_labels=may_be_labels,
        smoothing=smoothing,
        device=wanted.device,
        threads=wanted.threads,
        memory_limit=wanted.memory_limit,
    )
    return made, output_type


def output_type_of(pixels: Pixels, method: Interpolator, dtype: Any) -> str:
    """Name of the type that is computed for a result. True and false, and float16, are made of it
    by _like_given()."""
    if dtype is not None:
        return _arrays.type_name(dtype, "dtype")
    if pixels.narrow == "bool" and method.is_of_labels:
        return "uint8"
    return "float32" if pixels.narrow else pixels.dtype


@dataclass
class Work:
    """A resampling of images that are alike."""

    method: Interpolator
    grid: Geometry
    stages: _stages.Stages
    #: The value outside, in the output's type.
    pixel: numpy.ndarray
    #: How real numbers become integers: cudaspline_rounding.
    rounding: int
    extrapolate: bool
    #: Whether an image that looks like labels is warned of; of several images the first one.
    warns_of_labels: bool
    smoothing: Optional[_sampling.Smoothing]
    device: Any
    threads: int
    memory_limit: int
    #: Whether values that are not finite are warned of; of several images the first that has some.
    warns_of_spreading: bool = True
    #: Samples of the image from a sample of the output to the next; of the image that was resampled
    #: last.
    steps: Sequence[float] = (0.0,)

    def warn_of_downsampling(self) -> None:
        """Warns where these are large."""
        _sampling.warn_of_downsampling(self.steps, self.method)

    def prepare(self, pixels: Pixels, progress: Any) -> Pixels:
        """The required pixels of an image: smoothed, or the window that is read."""
        if self.smoothing is not None:
            self._look_at_values(pixels)
            return self.smoothing.apply(pixels, _labels.part_of(progress, 0.0, 0.5))
        method = self.method.of_indicators if self.method.is_of_indicators else self.method
        window = _windows.of_resampling(
            pixels,
            method,
            self.grid,
            stages=self.stages,
            dtype=self.pixel.dtype.name,
            pixel=self.pixel,
            extrapolate=self.extrapolate,
        )
        self._look_at_values(window)
        return window

    def _look_at_values(self, pixels: Pixels) -> None:
        if self.warns_of_labels:
            _sampling.warn_of_labels(pixels.buffer, pixels.components, self.method)
        self.warns_of_labels = False
        if self.warns_of_spreading:
            self.warns_of_spreading = not _sampling.warn_of_spreading(
                pixels.buffer, self.method, self.threads, self.smoothing is not None
            )

    def rest_of(self, progress: Any) -> Any:
        """The callback for what follows prepare()."""
        return progress if self.smoothing is None else _labels.part_of(progress, 0.5, 1.0)

    def run(self, pixels: Pixels, output: _arrays.Buffer, progress: Any) -> None:
        """Resamples an image."""
        if self.method.is_of_indicators:
            self._run_labels(pixels, output, progress)
            return
        self._resample(self.method, pixels, pixels.buffer, output, self.pixel, progress)

    def _resample(
        self,
        method: Interpolator,
        pixels: Pixels,
        buffer: _arrays.Buffer,
        output: _arrays.Buffer,
        pixel: numpy.ndarray,
        progress: Any,
    ) -> None:
        call = _library.Call(
            device_word(self.device, pixels.device),
            self.threads,
            self.memory_limit,
            progress,
            pixels.device >= 0,
        )
        described = method.describe_image(
            buffer, pixels.size, pixels.components, output.dtype, pixels.start
        )
        interpolation = method.describe_interpolation(pixels.geometry)
        resampling, kept = _stages.describe_resampling(
            interpolation,
            pixels.geometry,
            self.grid,
            stages=self.stages,
            result=output,
            pixel=pixel,
            extrapolate=self.extrapolate,
            rounding=self.rounding,
        )
        call.run("cudaspline_resample", ctypes.byref(described), ctypes.byref(resampling))
        if _sampling.is_plain(pixels.geometry, self.grid, self.stages):
            self.steps = (0.0,)
        elif self.stages.is_on_host:
            self.steps = _library.sampling_steps(described, resampling)
        else:
            self.steps = _sampling.steps_of(pixels, method, self.grid, self.stages)
        del kept

    def _run_labels(self, pixels: Pixels, output: _arrays.Buffer, progress: Any) -> None:
        if pixels.device >= 0:
            raise ValueError(
                "interpolation: interpolations of label indicators require an image in host memory; this one is on a GPU."
            )
        method = self.method.of_indicators
        outside = numpy.full(pixels.components, numpy.nan)

        def interpolate(
            indicator: _arrays.Buffer, values: _arrays.Buffer, begin: float, end: float
        ) -> None:
            self._resample(
                method, pixels, indicator, values, outside, _labels.part_of(progress, begin, end)
            )

        _labels.winners(pixels.buffer, output, self.pixel, self.rounding, interpolate)


def _smoothing_of(
    wanted: Wanted, pixels: Pixels, grid: Geometry, stages: _stages.Stages, method: Interpolator
) -> Optional[_sampling.Smoothing]:
    """The smoothing that is asked for, where there is something to smooth."""
    if not isinstance(wanted.smooth, str) or wanted.smooth.lower() != "auto":
        raise ValueError(f"smooth: {wanted.smooth!r} is not allowed; use 'auto', None or False.")
    if method.is_of_labels and method.kind != "nearest":
        raise ValueError(
            "smooth: 'auto' is not supported for labels, whose values it would change; use None or False."
        )
    if method.prefilter == "coefficients":
        raise ValueError(
            "smooth: 'auto' cannot be used with prefilter='coefficients', because samples are needed."
        )
    steps = _sampling.steps_of(pixels, method, grid, stages)
    return (
        _sampling.Smoothing(steps, wanted.device, wanted.threads)
        if _sampling.is_smoothed(steps, pixels.geometry)
        else None
    )
