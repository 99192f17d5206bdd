"""Transforms: chains that can be applied, composed, inverted, saved, and converted to those of
other libraries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Sequence

import numpy

from ..core import _arrays, _checks, _html, _library
from ..core._checks import choose, flag
from ..core._geometry import Geometry
from ..core._methods import device_word
from ..core._options import FIELD_FORMS, TransformOrder
from ..images import _image_files, _images
from ..images._images import Image
from ..resampling import _resample, _sampling
from ..transforms import _inverse, _stages, _transform_files, _transform_writing, _transforms
from ..transforms._transform_parts import FieldPart, GivenPart, InversePart, LinearPart, Part
from . import _registration_library
from ._registration_library import Folding


class Transform:
    """Transforms one after the other: from points of one image to points of another one (mm, x
    first, ITK's space: LPS).

    It is taken wherever the package takes a transform: cudaspline.resample(moving, transform,
    fixed) is the moving image on the fixed one's grid. register() makes it; Transform(anything) is
    what resample() takes as one.

    transform: whatever resample() takes
    dimension: axes of the images: 1, 2 or 3; None: that of an object of SimpleITK, itk or this
        class

    Raises TypeError or ValueError, naming the argument, for anything that is not a transform.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> turn = cudaspline.Transform([[0.0, -1.0, 3.0], [1.0, 0.0, 0.0]], 2)
    >>> turn.apply([[1.0, 2.0]])
    array([[1., 1.]])
    >>> (turn @ turn.inverse()).apply([[1.0, 2.0]])
    array([[1., 2.]])
    """

    def __init__(self, transform: Any, dimension: Optional[int] = None) -> None:
        if dimension is None:
            dimension = _dimension_of(transform)
        if dimension not in (1, 2, 3):
            raise ValueError(f"dimension: {dimension!r} must be 1, 2 or 3.")
        _transforms.describe(transform, dimension, -1)  # raises an error for anything else
        self._parts: tuple[Part, ...] = (GivenPart(transform),)
        self._dimension = dimension

    @classmethod
    def load(
        cls, path: Any, *, dimension: Optional[int] = None, transform_order: TransformOrder = "itk"
    ) -> Transform:
        """Reads a file of transforms, or several as one chain. Files are read once.

        path: the name of a file: of transforms (.tfm, .txt, .mat; .h5 and others by SimpleITK or
            itk), of which a composite is one with all that it is made of; or of an image of
            displacements, as ANTs' 1Warp.nii.gz. (path, "inverse") or ["affine.mat", 1], and in
            text "affine.mat,inverse" or "[affine.mat,1]", are inverses. Or a list of these
        dimension: axes of the images: 1, 2 or 3; None: what the file has
        transform_order: of lists: "itk": the last one is applied first; "ants": the first one is,
            as antsApplyTransforms takes them. What is in a file has ITK's order

        Raises FileNotFoundError, TypeError or ValueError, naming the argument, and ImportError
        where a library is needed that is not installed.

        >>> import numpy, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Transform([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]], 2).save(pathlib.Path(folder) / "scale.tfm")
        ...     scale, back = Transform.load(f"{folder}/scale.tfm"), Transform.load((f"{folder}/scale.tfm", "inverse"))
        >>> scale.apply([1.0, 2.0]), back.apply([4.0, 4.0])
        (array([4., 4.]), array([1., 2.]))
        """
        order = _transforms.check_order(path, transform_order, "path")
        found = _loaded(path, "path", dimension)
        return cls._of(
            [part for one in (found if order == "itk" else found[::-1]) for part in one._parts],
            found[0]._dimension,
        )

    @classmethod
    def _of(cls, parts: Sequence[Part], dimension: int) -> Transform:
        """parts: the last one is applied first, as in itk.CompositeTransform."""
        made = cls.__new__(cls)
        made._parts = tuple(parts)
        made._dimension = dimension
        return made

    @property
    def dimension(self) -> int:
        """Numbers of a place."""
        return self._dimension

    def append_to(self, stages: _stages.Stages, name: str, device: int) -> None:
        """Appends what it does to a chain, for the package's functions. Raises ValueError for
        images of another number of axes."""
        if stages.dimension != self._dimension:
            raise ValueError(
                f"{name}: the transform has {self._dimension} dimensions, but the image has {stages.dimension}."
            )
        for part in reversed(self._parts):
            part.append_to(stages, name, device)

    def _stages(self) -> _stages.Stages:
        stages = _stages.Stages(self._dimension)
        self.append_to(stages, "transform", -1)
        return stages

    def apply(self, points: Any) -> numpy.ndarray:
        """Places that others go to.

        points: (..., dimension), mm, x first; of whatever NumPy makes an array of

        Returns an array of float64 of the same shape; NaN for points beyond 2^20 mm, if points are
        not. Raises TypeError or ValueError, naming the argument.

        >>> Transform([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]], 2).apply([1.0, 2.0])
        array([4., 4.])
        """
        buffer = _arrays.view(points, "points", "float64")
        found = _arrays.to_host(buffer)
        if found.ndim < 1 or found.shape[-1] != self._dimension:
            raise ValueError(
                f"points: the shape is {found.shape}; it must be (..., {self._dimension}), x first."
            )
        flat = numpy.ascontiguousarray(found.reshape(-1, self._dimension))
        if len(flat) == 0:
            return numpy.empty(found.shape)
        stages = self._stages()
        if (
            not stages.buffers
        ):  # matrices alone: no place is too far for them, and nothing is interpolated
            mapped = flat
            for number in range(len(stages.stages)):
                matrix, offset = stages.affine_of(number)
                mapped = mapped @ matrix.T + offset
            return mapped.reshape(found.shape)
        return _inverse.map_points(stages, flat, _inverse.reach_of(flat)).reshape(found.shape)

    def resample(self, image: Any, reference: Any = None, **options: Any) -> Any:
        """cudaspline.resample(image, self, reference, **options)."""
        return _resample.resample(image, self, reference, **options)

    def inverse(self) -> Transform:
        """The inverse. Matrices have theirs in closed form, fields of a registration the one that
        it has found; others are inverted by iteration where the inverse is used, to 1e-4 mm. Raises
        ValueError for a matrix that has none."""
        return Transform._of([part.inverse() for part in reversed(self._parts)], self._dimension)

    def __matmul__(self, other: Any) -> Transform:
        """This one behind another one: (a @ b).apply(x) is a.apply(b.apply(x))."""
        if not isinstance(other, Transform):
            other = Transform(other, self._dimension)
        if other._dimension != self._dimension:
            raise ValueError(
                f"transform: one has {self._dimension} dimensions, but the other has {other._dimension}."
            )
        return Transform._of([*self._parts, *other._parts], self._dimension)

    #: NumPy leaves array @ transform to __rmatmul__().
    __array_ufunc__ = None

    def __rmatmul__(self, other: Any) -> Transform:
        """A transform with another one after this one, which may be anything that resample() takes
        as a transform."""
        return Transform(other, self._dimension) @ self

    @property
    def is_linear(self) -> bool:
        """Whether it is made of matrices alone."""
        return all(stage.kind == _library.STAGE_AFFINE for stage in self._stages().stages)

    @property
    def matrix(self) -> numpy.ndarray:
        """The homogeneous matrix of a linear one. Raises ValueError for others.

        >>> Transform([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]], 2).matrix
        array([[1., 0., 3.],
               [0., 2., 0.],
               [0., 0., 1.]])
        """
        stages = self._stages()
        whole = numpy.eye(self._dimension + 1)
        for number, stage in enumerate(stages.stages):
            if stage.kind != _library.STAGE_AFFINE:
                raise ValueError(
                    "transform: it is not linear and has no matrix; use field() for its displacements."
                )
            step = numpy.eye(self._dimension + 1)
            step[:-1, :-1], step[:-1, -1] = stages.affine_of(number)
            whole = step @ whole
        return whole

    def field(self, grid: Any, dtype: Any = "float32") -> Image:
        """How far it moves the samples of a grid.

        grid: an image or a Geometry
        dtype: of the result: "float32" or "float64"

        Returns an Image of displacements (mm), x first in the last axis of its array, (nz, ny, nx,
        3), which is where the grid's image is. Raises TypeError or ValueError, naming the argument.

        >>> import numpy
        >>> Transform([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]], 2).field(numpy.zeros((2, 2))).array[1, 1]
        array([3., 1.], dtype=float32)
        """
        return self._field_on(grid, dtype, "cpu", 0)

    def _field_on(self, grid: Any, dtype: Any, device: Any, threads: int) -> Image:
        """field(); device: for grids in host memory, threads: of the host, as for resample()."""
        grid = _images.loaded(grid, "grid")
        geometry = _images.geometry_of(grid, "grid")
        if geometry.dimension != self._dimension:
            raise ValueError(
                f"grid: it has {geometry.dimension} axes, but the transform has {self._dimension} dimensions."
            )
        kind = _arrays.type_name(dtype, "dtype")
        if kind not in ("float32", "float64"):
            raise ValueError(f"dtype: {kind} is not allowed; use float32 or float64.")
        shape = (*geometry.shape, self._dimension)
        if isinstance(grid, Geometry):
            output = _arrays.view(numpy.empty(shape, kind), "field")
        else:
            output = _arrays.empty(_images.open_image(grid, "grid").buffer, shape, kind)
        stages = _stages.Stages(self._dimension, image=geometry)
        self.append_to(stages, "transform", output.device)
        word = device_word(device, -1) if output.device < 0 else ""
        _registration_library.make_displacements(
            _library.Call(word, threads), geometry, stages, output
        )
        _library.note_inverses(stages.inverses)
        _sampling.warn_of_inverses(stages.inverses)
        return Image(
            output.result(), geometry.spacing, geometry.origin, geometry.direction, channels=True
        )

    def jacobian(self, grid: Any, log: bool = False, dtype: Any = "float32") -> Any:
        """Jacobian determinants at the samples of a grid, by differences of the displacements
        there: how volumes are scaled.

        grid: an image, the name of its file, or a Geometry
        log: their natural logarithm, and that of 1e-4 where they are less
        dtype: of the result: "float32" or "float64"

        Returns an image of the grid's kind; of a Geometry an Image, (nz, ny, nx). Raises TypeError
        or ValueError, naming the argument.

        >>> import numpy
        >>> Transform([[1.5, 0.0, 3.0], [0.0, 2.0, 0.0]], 2).jacobian(numpy.zeros((3, 3)))[1]
        array([3., 3., 3.], dtype=float32)
        """
        grid = _images.loaded(grid, "grid")
        field = self.field(grid, dtype)
        found = measure(field, 0, flag(log, "log"), True)[0]
        assert found is not None
        if isinstance(grid, Geometry):
            return Image.of(found.result(), field.geometry, False)
        return _images.open_image(grid, "grid").finish(found, field.geometry)

    def folding(self, grid: Any) -> Folding:
        """How many samples of a grid are folded, and the range of the determinants there. grid: as
        for jacobian()"""
        return measure(self.field(grid, "float64"), 0, False, False)[1]

    def save(self, path: Any, grid: Any = None) -> None:
        """Writes it to a file, by the name's ending.

        path: .mat, .tfm, .txt: ITK's files of transforms, of linear ones without another library;
            .h5, .hdf5 and all others with fields by SimpleITK or itk; .nii, .nii.gz, .nrrd, .mha:
            displacements on a grid, as ANTs and ITK read them (SimpleITK, itk or nibabel)
        grid: an image or a Geometry, of displacements

        Raises TypeError or ValueError, naming the argument, and ImportError where a library is
        needed that is not installed.
        """
        file = Path(_path_of(path, "path"))
        if not _image_files.is_name_of_field(file):
            _transform_writing.save(
                self._parts, self._dimension, self.matrix if self.is_linear else None, file
            )
            return
        if grid is None:
            raise ValueError(
                f"grid: displacements in {file.name} need the grid of an image or a Geometry."
            )
        field = self.field(_images.geometry_of(grid, "grid"))
        _transform_writing.write_field(field.array, field.geometry, file)

    def save_ants(self, prefix: Any, grid: Any, fields: str = "nii.gz") -> list[Path]:
        """Writes what antsRegistration writes: prefix0GenericAffine.mat and, where it is not
        linear, prefix1Warp.nii.gz and prefix1InverseWarp.nii.gz on a grid.

        prefix: of the files' names
        grid: an image or a Geometry: the fixed image's
        fields: ending of the fields' names; "nii" writes without compression, "none" no fields

        Returns the files. antsApplyTransforms takes them as -t prefix1Warp.nii.gz -t
        prefix0GenericAffine.mat. Raises as save().
        """
        start = _path_of(prefix, "prefix")
        fields = choose(fields, FIELD_FORMS, "fields")
        count = 0
        while (
            count < len(self._parts)
            and Transform._of([self._parts[count]], self._dimension).is_linear
        ):
            count += 1
        linear, rest = (
            Transform._of(parts, self._dimension)
            for parts in (self._parts[:count], self._parts[count:])
        )
        written = [(linear, Path(f"{start}0GenericAffine.mat"))]
        if rest._parts and fields != "none":
            written += [
                (rest, Path(f"{start}1Warp.{fields}")),
                (rest.inverse(), Path(f"{start}1InverseWarp.{fields}")),
            ]
        for one, path in written:
            one.save(path, grid)
        return [path for _, path in written]

    def to_simpleitk(self) -> Any:
        """A SimpleITK.Transform that does the same. Raises ImportError where SimpleITK is not
        installed."""
        return _transform_writing.to_simpleitk(self._parts, self._dimension)

    def to_itk(self) -> Any:
        """An itk.Transform that does the same. Raises ImportError where itk is not installed."""
        return _transform_writing.to_itk(self._parts, self._dimension)

    def _repr_html_(self) -> str:
        """The HTML for notebooks: the parts in the order in which they are applied, and the numbers
        of matrices."""
        rows: list[tuple[Any, ...]] = []
        for part in reversed(self._parts):
            one = Transform._of([part], self._dimension)
            name = repr(one).partition(": ")[2].rstrip(">")
            numbers = (
                "\n".join(" ".join(f"{value:>10.6g}" for value in row) for row in one.matrix)
                if one.is_linear
                else ""
            )
            rows.append((len(rows) + 1, name, numbers))
        return _html.table((f"Transform in {self._dimension} dimensions", "", "matrix (mm)"), rows)

    def __repr__(self) -> str:
        names = []
        for part in self._parts:
            if isinstance(part, LinearPart):
                names.append(part.kind)
            elif isinstance(part, FieldPart):
                names.append(f"field {part.geometry.size}")
            else:
                inner = part.part if isinstance(part, InversePart) else part
                inverse = "inverse of " if isinstance(part, InversePart) else ""
                names.append(
                    inverse
                    + (
                        type(inner.transform).__name__
                        if isinstance(inner, GivenPart)
                        else type(inner).__name__
                    )
                )
        return f"<cudaspline.Transform in {self._dimension} dimensions: {' @ '.join(names) or 'identity'}>"


def measure(
    field: Image, threads: int, is_logarithm: bool, is_wanted: bool
) -> tuple[Optional[_arrays.Buffer], Folding]:
    """(determinants at the samples of a field, or None where they are not wanted; folding)"""
    vectors = _arrays.view(field.array, "field")
    output = _arrays.empty(vectors, field.geometry.shape, vectors.dtype) if is_wanted else None
    folding = _registration_library.measure_folding(
        _library.Call("cpu", threads),
        field.geometry,
        vectors.pointer,
        type_code=vectors.type_code,
        is_logarithm=is_logarithm,
        output=0 if output is None else output.pointer,
        device=vectors.device,
        stream=vectors.stream,
    )
    return output, folding


def _loaded(path: Any, name: str, dimension: Optional[int]) -> list[Transform]:
    """The transforms of files, those of a list as they follow each other there."""
    if isinstance(path, (list, tuple)) and not _transforms.is_pair(path):
        if not path:
            raise ValueError(f"{name}: the list of files is empty.")
        found = []
        for number, one in enumerate(path):
            found += _loaded(one, f"{name}[{number}]", dimension)
            dimension = found[0]._dimension
        return found
    file, is_inverse = path if isinstance(path, (list, tuple)) else (path, False)
    text = _path_of(file, name)
    if isinstance(file, str):
        text, is_inverted = _transforms.parse_file(text)
        is_inverse = bool(is_inverse) != is_inverted
    read: Any = _transform_files.read(Path(text), name)
    if isinstance(read, _transform_files.TransformList):
        if read.is_series:
            raise ValueError(
                f"{name}: {text} has {len(read.transforms)} transforms without a composite; use read_transforms() to read all of them."
            )
        read = read.transforms
    wrong: Optional[Exception] = None
    for axes in (3, 2, 1) if dimension is None else (dimension,):
        try:
            made = Transform(read, axes)
            return [made.inverse() if is_inverse else made]
        except ValueError as error:
            wrong = wrong or error
    assert wrong is not None
    raise _checks.renamed(wrong, "transform", name)


def _dimension_of(transform: Any) -> int:
    if isinstance(transform, Transform):
        return transform.dimension
    for name in ("GetDimension", "GetInputSpaceDimension"):
        if hasattr(transform, "TransformPoint") and hasattr(transform, name):
            return int(getattr(transform, name)())
    raise ValueError(f"dimension: it is required for a {type(transform).__name__}.")


def read_transforms(file: Any) -> list[Transform]:
    """The transforms of a file one by one, as of head motion one for each volume of a series. A
    composite is one transform.

    file: the name of a file of ITK's transforms: .tfm, .txt, .mat, .h5, .hdf5

    Returns them in the order of the file, which is that of the volumes. Raises TypeError or
    ValueError, naming the argument, for what is no such file, and FileNotFoundError.

    >>> import pathlib
    >>> import tempfile
    >>> import cudaspline
    >>> text = "#Insight Transform File V1.0\\nTransform: TranslationTransform_double_3_3\\nParameters: 1 2 3\\nFixedParameters:\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (pathlib.Path(folder) / "one.tfm").write_text(text)
    ...     cudaspline.read_transforms(folder + "/one.tfm")[0].apply([0.0, 0.0, 0.0])
    array([1., 2., 3.])
    """
    path = Path(_path_of(file, "file"))
    read = _transform_files.read(path, "file")
    if not isinstance(read, _transform_files.TransformList):
        raise ValueError(f"file: {path} is an image; a transform file of ITK is needed.")
    found = read.transforms if read.is_series else [read.transforms]
    return [Transform(one, _transform_files.dimension_of(one, "file")) for one in found]


def _path_of(value: Any, name: str) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a file name.") from None
