"""The geometry of an image: ITK's, x first.

Places are in mm, in ITK's physical space (LPS: x to the left, y to the back, z up). spacing,
origin, direction and sizes name x first, as ITK and SimpleITK do; shapes of arrays name the slowest
axis first, as NumPy does: an image of size (nx, ny, nz) is an array of shape (nz, ny, nx).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence, Union

import numpy

from ._checks import LARGEST_INT64, integer

#: Larger numbers (mm) are of no scanner, and squares of them overflow; as CudaSplineResample has
#: it.
_MAX_MAGNITUDE = 1e15
#: By what squares of the lengths of axes may differ from 1: numbers of headers have some six digits.
#: As CudaSplineResample's --direction.
_LENGTH_TOLERANCE = 1e-4
#: Degrees that two axes of a NIfTI affine may lack to a right angle: maxNiftiShear of
#: itkCudaSpline/files/NiftiHeader.h.
_MAX_SHEAR = 0.5

VectorLike = Union[float, Sequence[float], "numpy.ndarray"]


def reals(value: Any, name: str, what: str) -> numpy.ndarray:
    """A new array of float64 of what a caller gave. Raises TypeError, naming the argument, for what
    is not made of real numbers."""
    try:
        found = numpy.array(value)
        if found.dtype.kind not in "biufO":
            raise TypeError(f"its elements are of type {found.dtype}")
        return found if found.dtype == numpy.float64 else found.astype(numpy.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {value!r} is not a {what} of real numbers: {error}") from None


def vector(value: Any, dimension: int, name: str) -> numpy.ndarray:
    """A vector of float64 of that length; a single number stands for all axes. Raises TypeError or
    ValueError, naming the argument."""
    found = reals(value, name, "vector")
    if found.ndim == 0:
        found = numpy.full(dimension, float(found))
    if found.shape != (dimension,):
        raise ValueError(
            f"{name}: {found.size} numbers are given; {dimension} are needed, one per axis, x first."
        )
    if not numpy.isfinite(found).all():
        raise ValueError(f"{name}: {value!r} must be finite.")
    return found


def matrix(value: Any, dimension: int, name: str) -> numpy.ndarray:
    """A square matrix of float64, by row and column. Raises TypeError or ValueError, naming the
    argument."""
    found = reals(value, name, "matrix")
    if found.size == dimension * dimension:
        found = found.reshape(dimension, dimension)
    if found.shape != (dimension, dimension):
        raise ValueError(
            f"{name}: a matrix of {dimension} x {dimension} is needed; its shape is {found.shape}."
        )
    if not numpy.all(numpy.isfinite(found)):
        raise ValueError(f"{name}: the matrix is not finite.")
    return found


def _inverse_of(matrix: numpy.ndarray) -> numpy.ndarray:
    """The inverse of a matrix of two or three axes, of cofactors."""
    n = len(matrix)
    whole = numpy.eye(3)
    whole[:n, :n] = matrix
    m = whole.tolist()

    def cofactor(r: int, c: int) -> float:
        below, last, right, end = (r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3
        return float(m[below][right] * m[last][end] - m[below][end] * m[last][right])

    determinant = sum(m[0][c] * cofactor(0, c) for c in range(3))
    return numpy.array([[cofactor(c, r) / determinant for c in range(n)] for r in range(n)])


@dataclass(frozen=True, eq=False, init=False)
class Geometry:
    """A sampled grid in physical space.

    size: samples per axis, x first
    spacing: mm between samples, x first, above 0; a number stands for all axes; None: 1
    origin: place of the first sample (mm), x first; None: 0
    direction: directions of the axes in columns of length 1; None: along the axes of space

    Numbers may be in tuples, lists or arrays; the attributes are arrays of float64 that are not
    written. Raises TypeError or ValueError, naming the argument.

    Examples
    --------
    >>> import cudaspline
    >>> grid = cudaspline.Geometry((5, 4), spacing=(1, 2), origin=[10, 20])
    >>> grid.size, grid.shape
    ((5, 4), (4, 5))
    >>> grid.spacing
    array([1., 2.])
    """

    size: tuple[int, ...]
    spacing: numpy.ndarray
    origin: numpy.ndarray
    direction: numpy.ndarray
    #: Rows of the matrix from index to place, and the origin, as numbers of Python: constants to
    #: whoever compiles what reads them.
    numbers: tuple[tuple[tuple[float, ...], ...], tuple[float, ...]] = field(init=False, repr=False)

    def __init__(
        self,
        size: Sequence[int],
        spacing: Optional[VectorLike] = None,
        origin: Optional[VectorLike] = None,
        direction: Optional[Any] = None,
    ) -> None:
        _set_geometry(self, *_checked(check_size(size, "size"), spacing, origin, direction, ""))

    @classmethod
    def _of(
        cls,
        size: tuple[int, ...],
        spacing: numpy.ndarray,
        origin: numpy.ndarray,
        direction: numpy.ndarray,
    ) -> Geometry:
        """A geometry of checked numbers, which are copied."""
        return _set_geometry(cls.__new__(cls), size, spacing, origin, direction)

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """The size as NumPy tells a shape: slowest axis first."""
        return self.size[::-1]

    @functools.cached_property
    def index_to_point(self) -> numpy.ndarray:
        """mm an index: the matrix of ITK, direction times spacing."""
        matrix: numpy.ndarray = self.direction * self.spacing
        matrix.flags.writeable = False
        return matrix

    @functools.cached_property
    def point_to_index(self) -> numpy.ndarray:
        """Its inverse: indices a mm. Up to three axes by the products of the library's
        registrations in their order, to the same bits."""
        n = self.dimension
        if n > 3:
            inverse = numpy.linalg.inv(self.index_to_point)
        elif numpy.array_equal(self.index_to_point, numpy.diag(numpy.diag(self.index_to_point))):
            inverse = numpy.diag(1.0 / numpy.diag(self.index_to_point))
        else:
            inverse = _inverse_of(self.index_to_point)
        inverse.flags.writeable = False
        return inverse

    @property
    def affine(self) -> numpy.ndarray:
        """The homogeneous matrix from index to place, x first: as nibabel's, but in LPS."""
        affine = numpy.eye(self.dimension + 1)
        affine[:-1, :-1] = self.index_to_point
        affine[:-1, -1] = self.origin
        return affine

    @property
    def has_places_of_indices(self) -> bool:
        """Whether the points of samples are their indices."""
        return bool(
            (self.spacing == 1).all()
            and not self.origin.any()
            and numpy.array_equal(self.direction, numpy.eye(self.dimension))
        )

    def point_of(self, index: Sequence[float]) -> numpy.ndarray:
        """Place (mm) of an index, x first, by the program's sums in the program's order
        (PointOfIndex() in applications/Common/io/volume)."""
        point = self.origin.copy()
        for axis in range(self.dimension):
            point = point + self.index_to_point[:, axis] * index[axis]
        return point

    def __reduce__(self) -> Any:
        return make_geometry, (self.size, self.spacing, self.origin, self.direction)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Geometry)
            and self.size == other.size
            and all(
                numpy.array_equal(getattr(self, name), getattr(other, name))
                for name in ("spacing", "origin", "direction")
            )
        )


def _set_geometry(
    geometry: Geometry,
    size: tuple[int, ...],
    spacing: numpy.ndarray,
    origin: numpy.ndarray,
    direction: numpy.ndarray,
) -> Geometry:
    rows = tuple(map(tuple, (direction * spacing).tolist()))
    geometry.__dict__.update(
        size=size,
        spacing=spacing,
        origin=origin,
        direction=direction,
        numbers=(rows, tuple(origin.tolist())),
    )
    return geometry


def check_size(size: Any, name: str) -> tuple[int, ...]:
    """Samples an axis, x first, of 1 to 4 axes. Raises TypeError or ValueError, naming the
    argument."""
    try:
        given = tuple(size)
    except TypeError:
        raise TypeError(
            f"{name}: {size!r} is not a sequence of numbers, one per axis, x first."
        ) from None
    if not 1 <= len(given) <= 4:
        raise ValueError(f"{name}: {len(given)} sizes are given; images must have 1 to 4 axes.")
    sizes = tuple(integer(n, name, 1, LARGEST_INT64) for n in given)
    if (
        math.prod(sizes) > LARGEST_INT64 // 64
    ):  # bytes of several numbers a sample are counted in 64 bits
        raise ValueError(f"{name}: {sizes} has more samples than can be addressed.")
    return sizes


def make_geometry(
    size: Sequence[int],
    spacing: Optional[Any] = None,
    origin: Optional[Any] = None,
    direction: Optional[Any] = None,
    name: str = "",
) -> Geometry:
    """A geometry, whose arrays are its own and are not written; what is not given is 1, 0 and the
    identity.

    name: prefix of the arguments' names in errors. Raises TypeError or ValueError."""
    sizes = check_size(size, f"{name}size")
    if spacing is None and origin is None and direction is None:
        return _geometry_of_indices(sizes)
    if direction is None and _is_few_numbers(spacing) and _is_few_numbers(origin):
        return _geometry_of_numbers(sizes, spacing, origin, name)
    return _make_geometry(sizes, spacing, origin, direction, name)


def _is_few_numbers(value: Any) -> bool:
    return (
        value is None
        or type(value) in (int, float)
        or (type(value) is tuple and all(type(one) in (int, float) for one in value))
    )


def check_spacing(spacing: Any, dimension: int, name: str) -> numpy.ndarray:
    """mm between samples, x first; a single number stands for all axes. Raises TypeError or
    ValueError, naming the argument."""
    found = vector(spacing, dimension, name)
    if not (found.min() > 1 / _MAX_MAGNITUDE and found.max() < _MAX_MAGNITUDE):
        raise ValueError(f"{name}: {spacing!r} must be between 1e-15 and 1e15 mm.")
    return found


def _check_axes(axes: numpy.ndarray, name: str) -> None:
    """Raises ValueError, naming the argument, for columns that are not of length 1, and for singular
    matrices. Images of files may be sheared."""
    for axis, length in enumerate(numpy.sqrt((axes * axes).sum(axis=0)).tolist()):
        if not abs(length * length - 1) <= _LENGTH_TOLERANCE:
            raise ValueError(
                f"{name}: column {'xyzt'[axis]} has a length of {length:.6g}; it must be 1."
            )
    determinant = numpy.linalg.det(axes)
    if not abs(determinant) >= 1e-12:
        raise ValueError(f"{name}: the matrix is singular (determinant {determinant:g}).")


def _checked(
    sizes: tuple[int, ...], spacing: Any, origin: Any, direction: Any, name: str
) -> tuple[tuple[int, ...], numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The numbers of a geometry, in new arrays that are not written. Raises TypeError or
    ValueError, naming the argument."""
    dimension = len(sizes)
    found = check_spacing(1.0 if spacing is None else spacing, dimension, f"{name}spacing")
    axes = matrix(
        numpy.eye(dimension) if direction is None else direction, dimension, f"{name}direction"
    )
    _check_axes(axes, f"{name}direction")
    first = vector(0.0 if origin is None else origin, dimension, f"{name}origin")
    if not numpy.abs(first).max() < _MAX_MAGNITUDE:
        raise ValueError(f"{name}origin: {origin!r} must be below 1e15 mm.")
    for array in (found, first, axes):
        array.flags.writeable = False
    return sizes, found, first, axes


def _make_geometry(
    sizes: tuple[int, ...], spacing: Any, origin: Any, direction: Any, name: str
) -> Geometry:
    return Geometry._of(*_checked(sizes, spacing, origin, direction, name))


@functools.lru_cache(maxsize=64)
def _geometry_of_indices(sizes: tuple[int, ...]) -> Geometry:
    """The geometry of bare arrays, cached for calls in a loop."""
    n = len(sizes)
    arrays = (numpy.ones(n), numpy.zeros(n), numpy.eye(n))
    for array in arrays:
        array.flags.writeable = False
    return Geometry._of(sizes, *arrays)


@functools.lru_cache(maxsize=64)
def _geometry_of_numbers(sizes: tuple[int, ...], spacing: Any, origin: Any, name: str) -> Geometry:
    """The geometry of numbers, cached for calls in a loop."""
    return _make_geometry(sizes, spacing, origin, None, name)


def has_indices(geometry: Geometry) -> bool:
    """Whether it is that of a bare array, whose points are its indices."""
    return _geometry_of_indices(geometry.size) is geometry


#: NIfTI's points to ITK's, and back: the first two axes point the other way.
_FLIP = numpy.diag([-1.0, -1.0, 1.0])


def geometry_of_nifti(size: Sequence[int], affine: Any, name: str) -> Geometry:
    """The geometry of an image of three axes by nibabel's affine: RAS (x to the right, y to the
    front) becomes LPS.

    name: of the argument, for errors."""
    if affine is None:
        raise ValueError(f"{name}: it has no affine.")
    ras = reals(affine, f"{name}: its affine", "matrix")
    if ras.shape != (4, 4) or not numpy.all(numpy.isfinite(ras)):
        raise ValueError(f"{name}: its affine is not a finite 4 x 4 matrix: {ras.tolist()}.")
    columns = _FLIP @ ras[:3, :3]
    with numpy.errstate(over="ignore"):
        spacing = numpy.sqrt((columns**2).sum(axis=0))
    if not (spacing.min() > 1 / _MAX_MAGNITUDE and spacing.max() < _MAX_MAGNITUDE):
        raise ValueError(
            f"{name}: its affine has spacings of {spacing.tolist()} mm; each must be between 1e-15 and 1e15."
        )
    axes = columns / spacing
    determinant = numpy.linalg.det(axes)
    if abs(determinant) < 1e-12:
        raise ValueError(
            f"{name}: its affine is singular (determinant {determinant:g} of the axes)."
        )
    cosines = numpy.abs((axes.T @ axes)[[0, 0, 1], [1, 2, 2]]).max()
    shear = math.degrees(math.asin(min(1.0, cosines)))
    if shear > _MAX_SHEAR:
        raise ValueError(
            f"{name}: its affine is sheared by {shear:.3g} degrees; at most {_MAX_SHEAR} degrees are allowed. If its qform is correct, use "
            "nibabel.Nifti1Image(image.dataobj, image.get_qform(), image.header). An intended shear must be given in the transform."
        )
    return make_geometry(
        [int(n) for n in size], spacing, _FLIP @ ras[:3, 3], columns / spacing, f"{name}: "
    )


def affine_of_nifti(geometry: Geometry) -> numpy.ndarray:
    """The way back: nibabel's affine of a geometry of up to three axes."""
    affine = numpy.eye(4)
    dimension = geometry.dimension
    affine[:dimension, :dimension] = geometry.index_to_point
    affine[:dimension, 3] = geometry.origin
    affine[:3] = _FLIP @ affine[:3]
    return affine
