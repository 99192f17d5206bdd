"""Landmarks, label maps and sliding regions of register(), which stages use."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import numpy

from ..core import _arrays
from ..core._geometry import Geometry, has_indices
from ..images import _images
from . import _registration_library


@dataclass(frozen=True)
class Labels:
    """A label map in host memory."""

    pixels: numpy.ndarray
    geometry: Geometry


@dataclass(frozen=True)
class Terms:
    """What stages use in addition to the images."""

    #: Points of the fixed and of the moving image, one per row.
    landmarks: Optional[tuple[numpy.ndarray, numpy.ndarray]] = None
    labels: Optional[tuple[Labels, Labels]] = None
    sliding_regions: Optional[Labels] = None

    @classmethod
    def open(
        cls, landmarks: Any, labels: Any, sliding_regions: Any, fixed: Geometry, moving: Geometry
    ) -> Terms:
        """Reads what a caller gave; None: nothing. Raises TypeError or ValueError, naming the
        argument."""
        points = maps = regions = None
        if landmarks is not None:
            one, other = _pair_of(landmarks, "landmarks", "points")
            points = (
                _points_of(one, "landmarks[0]", fixed.dimension),
                _points_of(other, "landmarks[1]", fixed.dimension),
            )
            if len(points[0]) != len(points[1]):
                raise ValueError(
                    f"landmarks: there are {len(points[0])} points of fixed and {len(points[1])} of moving; the numbers must be equal."
                )
        if labels is not None:
            one, other = _pair_of(labels, "labels", "label maps")
            maps = _labels_of(one, "labels[0]", fixed), _labels_of(other, "labels[1]", moving)
        if sliding_regions is not None:
            regions = _labels_of(sliding_regions, "sliding_regions", fixed)
        return cls(points, maps, regions)

    def describe(self, pipeline: _registration_library.Pipeline) -> None:
        """Adds them to the structure for the library, which they must outlive."""
        if self.landmarks is not None:
            pointers = [
                points.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for points in self.landmarks
            ]
            pipeline.fixed_landmarks, pipeline.moving_landmarks = pointers
            pipeline.landmark_count = len(self.landmarks[0])
        if self.labels is not None:
            pipeline.fixed_labels, pipeline.moving_labels = (
                _registration_library.describe_image(labels.pixels.ctypes.data, labels.geometry)
                for labels in self.labels
            )
        if self.sliding_regions is not None:
            pipeline.sliding_regions = _registration_library.describe_image(
                self.sliding_regions.pixels.ctypes.data, self.sliding_regions.geometry
            )


def _pair_of(value: Any, name: str, what: str) -> tuple[Any, Any]:
    """The items of the fixed and of the moving image."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise TypeError(
            f"{name}: {type(value).__name__} is not a pair of {what}, (of fixed, of moving)."
        )
    return value[0], value[1]


def _points_of(value: Any, name: str, dimension: int) -> numpy.ndarray:
    """Points as rows of numbers."""
    rows = _read_points(value, name, dimension) if isinstance(value, (str, Path)) else value
    try:
        points = numpy.array(_arrays.as_array(rows, name), dtype=numpy.float64, order="C")
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: it must be an array of numbers, one point per row.") from error
    if points.ndim != 2 or points.shape[1] != dimension or len(points) == 0:
        raise ValueError(
            f"{name}: its shape is {points.shape}, but points of these images have the shape (n, {dimension}) with n from 1."
        )
    if not numpy.isfinite(points).all():
        row = int(numpy.flatnonzero(~numpy.isfinite(points).all(axis=1))[0])
        raise ValueError(f"{name}: point {row} is {points[row].tolist()}; numbers must be finite.")
    return points


def _read_points(path: Any, name: str, dimension: int) -> list[list[float]]:
    """Points of a file with lines x,y or x,y,z; further columns, empty lines, lines that begin with
    # and a first line of titles are ignored."""
    points: list[list[float]] = []
    had_line = False
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            words = [word.strip(' \t\r\n"') for word in line.split(",")[:dimension]]
            numbers = [value for value in map(_number_of, words) if value is not None]
            if len(numbers) == dimension:
                points.append(numbers)
            elif had_line or numbers:
                raise ValueError(
                    f"{name}: {path}, line {number}: {dimension} numbers, separated by commas, are needed."
                )
            had_line = True
    return points


def _number_of(word: str) -> Optional[float]:
    try:
        return float(word)
    except ValueError:
        return None


def _labels_of(value: Any, name: str, image: Geometry) -> Labels:
    """A label map as integers; an array without a geometry has that of its image."""
    value = _images.loaded_volume(value, name)
    value = value if _images.is_image(value) else _arrays.as_numbers(value)
    opened = _images.open_image(value, name)
    geometry = opened.geometry
    if geometry.dimension != image.dimension or opened.components != 1 or opened.channels:
        raise ValueError(
            f"{name}: it must have {image.dimension} axes and one number per pixel, not {geometry.dimension} axes and {opened.components}."
        )
    if not _images.is_image(value) and has_indices(geometry):
        if geometry.size != image.size:
            raise ValueError(
                f"{name}: its shape is {geometry.shape}, but that of its image is {image.shape}."
            )
        geometry = image
    numbers = _arrays.to_host(opened.buffer).reshape(opened.buffer.shape)
    with numpy.errstate(invalid="ignore"):
        finite = numpy.where(numpy.isfinite(numbers), numbers, 0)
        pixels = numpy.ascontiguousarray(finite.astype(numpy.int32))
    if (pixels != finite).any():
        raise ValueError(f"{name}: labels must be whole numbers of 32 bits.")
    return Labels(pixels, geometry)
