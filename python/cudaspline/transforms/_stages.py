"""Chains of transforms as the library walks them, and the transforms of arrays that chains are made
of.

A transform maps a point of the output to a point of the input (mm).
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional

import numpy

from ..core import _arrays, _library
from ..core._brief import brief
from ..core._checks import integer
from ..core._geometry import Geometry, make_geometry


@dataclass(eq=False, repr=False)
class DisplacementField:
    """Displacements on a grid, linearly interpolated: a point x is mapped to x + d(x), and stays
    where it is outside of the grid.

    array: displacements (mm), x first in the last axis: shape (nz, ny, nx, 3), or (ny, nx, 2); of
        any kind of array, on the host or where the image is. float64, or float32, with which the
        sum over neighbours is rounded to float32. Or a vector image of itk, SimpleITK, nibabel or
        ANTsPy, whose geometry holds.
    spacing, origin, direction: of the grid, as in Image
    nearest: the nearest displacement, not the interpolated one
    extend: the outermost displacements continue outside
    space: along which axes the vectors are, "LPS" (x to the left, y to the back) or "RAS". None:
        LPS, as ITK and ANTs write them; but RAS for images of nibabel whose intent is not NIfTI's
        "vector", which ITK's and ANTs' files have

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> field = cudaspline.DisplacementField(numpy.full((2, 2, 2), 1.0), spacing=4.0)  # every place to (x + 1, y + 1)
    >>> cudaspline.resample(numpy.arange(20.0).reshape(4, 5), field, order=1, default=-1)[0]
    array([ 6.,  7.,  8.,  9., -1.])
    """

    array: Any
    spacing: Any = None
    origin: Any = None
    direction: Any = None
    nearest: bool = False
    extend: bool = False
    space: Optional[str] = None

    def __repr__(self) -> str:
        return brief(self)


@dataclass(eq=False, repr=False)
class BSplineGrid:
    """A B-spline transform: a point x is mapped to x + d(x), where d is the tensor-product spline
    of a grid of coefficients.

    coefficients: mm, a component after the other, x first: shape (3, nz, ny, nx), or (2, ny, nx)
    spacing, origin, direction: of the grid of coefficients, as in Image
    order: 1 to 3

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> grid = cudaspline.BSplineGrid(numpy.full((2, 8, 8), 1.0), spacing=2.0, origin=-4.0)  # (x + 1, y + 1) within the grid
    >>> cudaspline.resample(numpy.arange(20.0).reshape(4, 5), grid, interpolation="nearest", default=-1)[0]
    array([ 6.,  7.,  8.,  9., -1.])
    """

    coefficients: Any
    spacing: Any = None
    origin: Any = None
    direction: Any = None
    order: int = 3

    def __repr__(self) -> str:
        return brief(self)


class Stages:
    """A chain of stages in the order in which points are mapped by them, with the memory that they
    point to."""

    def __init__(
        self, dimension: int, is_ants_order: bool = False, image: Optional[Geometry] = None
    ) -> None:
        self.dimension = dimension
        #: Whether the first one of a list is applied first.
        self.is_ants_order = is_ants_order
        #: Geometry of the image that defines the spacing of inverses of B-splines.
        self.image = image
        self.stages: list[_library.Stage] = []
        #: Residuals of the transforms that were inverted by iteration.
        self.inverses: list[_library.InverseResidual] = []
        self._kept: list[Any] = []
        #: The displacements that each stage points to, by its number, and their grids.
        self._buffers: dict[int, _arrays.Buffer] = {}
        self._grids: dict[int, Geometry] = {}

    def empty_copy(self) -> Stages:
        """A chain without stages that is read in the same way."""
        return Stages(self.dimension, self.is_ants_order, self.image)

    @property
    def finest(self) -> Optional[float]:
        """The image's least spacing (mm)."""
        return None if self.image is None else float(self.image.spacing.min())

    def append(self, other: Stages) -> None:
        """Appends the stages of another chain."""
        for number, stage in enumerate(other.stages):
            if number in other._buffers:
                self._buffers[len(self.stages)] = other._buffers[number]
                self._grids[len(self.stages)] = other._grids[number]
            self.stages.append(stage)
        self.keep(other)

    @property
    def without_displacements(self) -> Stages:
        """The matrices alone."""
        alone = self.empty_copy()
        alone.stages = [stage for stage in self.stages if stage.kind == _library.STAGE_AFFINE]
        return alone

    @property
    def is_on_host(self) -> bool:
        """Whether all displacements are in host memory."""
        return all(buffer.device < 0 for buffer in self._buffers.values())

    def affine_of(self, number: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Matrix and offset of a stage."""
        n = self.dimension
        return numpy.array(self.stages[number].matrix).reshape(3, 3)[:n, :n], numpy.array(
            self.stages[number].offset
        )[:n]

    def grid_of(self, number: int) -> Geometry:
        """The grid of a stage's displacements."""
        return self._grids[number]

    def bounds_of(self, grid: Geometry) -> tuple[numpy.ndarray, numpy.ndarray]:
        """A box (mm) in which the samples of a grid are mapped, its least and its largest
        coordinates; x first."""
        middle = grid.point_of([0.5 * (n - 1) for n in grid.size])
        half = numpy.abs(grid.index_to_point) @ (0.5 * (numpy.array(grid.size) - 1.0))
        for number, stage in enumerate(self.stages):
            if stage.kind == _library.STAGE_AFFINE:
                matrix, offset = self.affine_of(number)
                middle, half = matrix @ middle + offset, numpy.abs(matrix) @ half
                continue
            values = _arrays.to_host(
                self._buffers[number]
            )  # coefficients of a B-spline have its values in between them
            axes = (
                tuple(range(1, self.dimension + 1))
                if stage.kind == _library.STAGE_BSPLINE
                else tuple(range(self.dimension))
            )
            low, high = (numpy.minimum(values.min(axes), 0.0), numpy.maximum(values.max(axes), 0.0))
            middle, half = middle + 0.5 * (low + high), half + 0.5 * (high - low)
        return middle - half, middle + half

    def on_host(self, number: int) -> Stages:
        """One stage alone, with its displacements in host memory."""
        alone = self.empty_copy()
        stage, buffer = self.stages[number], self._buffers[number]
        if buffer.device >= 0:
            array = _arrays.to_host(buffer)
            if stage.kind == _library.STAGE_FIELD:
                alone.add_field(
                    array,
                    self._grids[number],
                    bool(stage.nearest),
                    bool(stage.goes_on),
                    "transform",
                    -1,
                )
            else:
                alone.add_spline(array, self._grids[number], stage.order, "transform", -1)
            return alone
        alone._buffers[0], alone._grids[0] = buffer, self._grids[number]
        alone.stages.append(stage)
        alone.keep(self)
        return alone

    def __getstate__(self) -> dict[str, Any]:
        """A copy for other processes: the numbers of the stages without addresses, and arrays in
        host memory."""
        stages = []
        for stage in self.stages:
            copy = _library.Stage.from_buffer_copy(stage)
            copy.data = None
            stages.append(bytes(copy))
        arrays = {number: numpy.asarray(buffer.array) for number, buffer in self._buffers.items()}
        return {"dimension": self.dimension, "stages": stages, "arrays": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["dimension"])  # type: ignore[misc]
        self.stages = [_library.Stage.from_buffer_copy(stage) for stage in state["stages"]]
        self._buffers = {
            number: _arrays.view(array, "transform") for number, array in state["arrays"].items()
        }
        for number, buffer in self._buffers.items():
            self.stages[number].data = buffer.pointer

    @property
    def buffers(self) -> list[_arrays.Buffer]:
        """The arrays that the stages read."""
        return list(self._buffers.values())

    def as_array(self) -> Any:
        """The stages as the library takes them; null where there are none."""
        return (_library.Stage * len(self.stages))(*self.stages) if self.stages else None

    def add_affine(self, matrix: numpy.ndarray, offset: numpy.ndarray, name: str) -> None:
        """Appends matrix * x + offset. Raises ValueError, naming the argument, where a number is
        not finite."""
        if not (numpy.isfinite(matrix).all() and numpy.isfinite(offset).all()):
            raise ValueError(f"{name}: its matrix or its offset is not finite.")
        stage = _library.Stage(kind=_library.STAGE_AFFINE)
        set_matrix(stage.matrix, matrix)
        set_vector(stage.offset, offset)
        self.stages.append(stage)

    def add_spline(
        self, coefficients: Any, geometry: Geometry, order: int, name: str, device: int
    ) -> None:
        """Appends a grid of coefficients of the shape (dimension, ..., ny, nx)."""
        buffer = _arrays.view(coefficients, name, "float64")
        order = integer(order, f"{name}: the order of a grid", 1, 3)
        if any(n < order + 1 for n in geometry.size):
            raise ValueError(
                f"{name}: the size of its grid is {geometry.size}; a grid of order {order} needs at least {order + 1} coefficients per axis."
            )
        stage = _library.Stage(kind=_library.STAGE_BSPLINE, order=order)
        self._add_grid(stage, buffer, geometry, name, device)

    def add_field(
        self, vectors: Any, geometry: Geometry, nearest: bool, extend: bool, name: str, device: int
    ) -> None:
        """Appends a field of the shape (..., ny, nx, dimension)."""
        buffer = _arrays.view(vectors, name)
        if buffer.dtype not in ("float32", "float64"):
            buffer = _arrays.view(vectors, name, "float64")
        if buffer.shape != (*geometry.shape, self.dimension):
            raise ValueError(
                f"{name}: displacements must have the shape {(*geometry.shape, self.dimension)}, not {buffer.shape}."
            )
        stage = _library.Stage(kind=_library.STAGE_FIELD, nearest=int(nearest), goes_on=int(extend))
        self._add_grid(stage, buffer, geometry, name, device)

    def _add_grid(
        self, stage: Any, buffer: _arrays.Buffer, geometry: Geometry, name: str, device: int
    ) -> None:
        if geometry.dimension != self.dimension:
            raise ValueError(
                f"{name}: its grid has {geometry.dimension} axes, but the image has {self.dimension}."
            )
        if buffer.device not in (-1, device):
            raise ValueError(
                f"{name}: it is on {_arrays.place_of(buffer.device)}, but the image is on {_arrays.place_of(device)}; both must be on the same device."
            )
        stage.data = buffer.pointer
        stage.type = buffer.type_code
        stage.size[: self.dimension] = geometry.size
        set_vector(stage.origin, geometry.origin)
        set_matrix(stage.point_to_index, geometry.point_to_index)
        self._buffers[len(self.stages)] = buffer
        self._grids[len(self.stages)] = geometry
        self.stages.append(stage)

    def keep(self, value: Any) -> None:
        """Keeps what owns memory that a stage points to."""
        self._kept.append(value)


def set_vector(to: Any, values: numpy.ndarray) -> None:
    """Writes the first numbers of a vector of the library."""
    to[: len(values)] = values.tolist()


_IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]


def set_matrix(to: Any, values: numpy.ndarray) -> None:
    """Writes a matrix into the first rows and columns of one of the library; the others are those
    of the identity."""
    columns = values.shape[1]
    if columns < 3:
        to[:] = _IDENTITY
    for row, numbers in enumerate(values.tolist()):
        to[3 * row : 3 * row + columns] = numbers


def describe_grid(geometry: Geometry) -> _library.Grid:
    """A grid as the library takes it."""
    grid = _library.Grid()
    grid.size[:] = [*geometry.size, 1, 1][:3]
    set_vector(grid.origin, geometry.origin)
    grid.spacing[:] = [1.0, 1.0, 1.0]
    set_vector(grid.spacing, geometry.spacing)
    set_matrix(grid.index_to_point, geometry.index_to_point)
    set_matrix(grid.point_to_index, geometry.point_to_index)
    return grid


def grid_of_parameters(fixed: Any, dimension: int, name: str) -> Geometry:
    """The geometry of ITK's fixed parameters: size, origin, spacing, direction."""
    values = numpy.asarray(fixed, dtype=numpy.float64)
    n = dimension
    if values.size < 3 * n + n * n:
        raise ValueError(
            f"{name}: {values.size} fixed parameters are given; a grid with {n} axes needs {3 * n + n * n}."
        )
    if not numpy.all(numpy.isfinite(values)):
        index = int(numpy.flatnonzero(~numpy.isfinite(values))[0])
        raise ValueError(
            f"{name}: fixed parameter {index} is {values[index]:g}, which is not finite."
        )
    if numpy.any(values[:n] != numpy.floor(values[:n])) or numpy.any(values[:n] < 1):
        raise ValueError(
            f"{name}: the size of its grid is {values[:n].tolist()}; whole numbers from 1 are allowed."
        )
    return make_geometry(
        [int(v) for v in values[:n]],
        values[2 * n : 3 * n],
        values[n : 2 * n],
        values[3 * n : 3 * n + n * n],
        f"{name}: ",
    )


def describe_resampling(
    interpolation: _library.Interpolation,
    image: Geometry,
    grid: Geometry,
    stages: Stages,
    result: _arrays.Buffer,
    pixel: numpy.ndarray,
    extrapolate: bool,
    rounding: int = 0,
) -> tuple[_library.Resampling, Any]:
    """The resampling as the library takes it, and the objects that must outlive it."""
    resampling = _library.Resampling()
    resampling.interpolation = interpolation
    resampling.extrapolate = int(bool(extrapolate))
    set_vector(resampling.input_origin, image.origin)
    set_matrix(resampling.input_point_to_index, image.point_to_index)
    set_vector(resampling.output_origin, grid.origin)
    set_matrix(resampling.output_index_to_point, grid.index_to_point)
    resampling.output_size[: grid.dimension] = grid.size
    array = stages.as_array()
    if array is not None:
        resampling.stages = ctypes.cast(array, ctypes.POINTER(_library.Stage))
        resampling.stage_count = len(stages.stages)
    resampling.output = result.pointer
    resampling.output_type = result.type_code
    resampling.rounding = rounding
    resampling.default_pixel = pixel.ctypes.data
    resampling.device = result.device
    resampling.stream = result.stream
    return resampling, (array, stages, pixel)
