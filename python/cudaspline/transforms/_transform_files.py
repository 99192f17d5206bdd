"""Files of transforms: ITK's text, MATLAB's files as ANTs writes them, and HDF5, without any other
library; displacement fields in image files by whatever reads these.

Parameters and their order are those of ITK's classes.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy

from ..images import _image_files, _images
from . import _foreign_transforms, _hdf5, _inverse
from ._stages import DisplacementField, Stages, grid_of_parameters

_TEXT = (".tfm", ".txt")
#: Classes whose map is a matrix about a centre, with the number of their parameters: n is the
#: dimension.
_LINEAR = {
    "AffineTransform": lambda n: n * n + n,
    "MatrixOffsetTransformBase": lambda n: n * n + n,
    "ScalableAffineTransform": lambda n: n * n + n,
    "FixedCenterOfRotationAffineTransform": lambda n: n * n + n,
    "CenteredAffineTransform": lambda n: n * n + 2 * n,
    "TranslationTransform": lambda n: n,
    "ScaleTransform": lambda n: n,
    "ScaleLogarithmicTransform": lambda n: n,
}
#: The same of classes of one dimension.
_LINEAR_OF = {
    2: {
        "Euler2DTransform": 3,
        "Rigid2DTransform": 3,
        "CenteredRigid2DTransform": 5,
        "Similarity2DTransform": 4,
        "CenteredSimilarity2DTransform": 6,
    },
    3: {
        "Euler3DTransform": 6,
        "CenteredEuler3DTransform": 9,
        "Rigid3DTransform": 12,
        "QuaternionRigidTransform": 7,
        "VersorTransform": 3,
        "VersorRigid3DTransform": 6,
        "Similarity3DTransform": 7,
        "ScaleVersor3DTransform": 9,
        "ScaleSkewVersor3DTransform": 15,
        "ComposeScaleSkewVersor3DTransform": 12,
    },
}


@dataclass
class FileTransform:
    """A transform as it is in a file."""

    #: ITK's class with the types of its template, "AffineTransform_double_3_3" for instance.
    kind: str
    parameters: numpy.ndarray
    fixed: numpy.ndarray
    path: Path

    @property
    def base(self) -> str:
        """The class without its types."""
        return self.kind.split("_", 1)[0]

    @property
    def is_old_spline(self) -> bool:
        """Whether it is ITK 3's B-spline, which may have a bulk transform."""
        return self.base == "BSplineDeformableTransform"

    def dimension_or(self, otherwise: int) -> int:
        """The dimension that its type says."""
        types = self.kind.split("_")
        return int(types[2]) if len(types) > 2 and types[2].isdigit() else otherwise

    @property
    def order(self) -> int:
        """The order of a B-spline. Old types do not contain it: ITK reads them with order 2 in 2D,
        and with order 3 in 3D."""
        if self.is_old_spline:
            return 2 if self.dimension_or(3) == 2 else 3
        types = self.kind.split("_")
        return int(types[4]) if len(types) > 4 and types[4].isdigit() else 3

    def append_to(self, stages: Stages, name: str, device: int) -> None:
        """Appends what it does to a chain. Raises TypeError for a class that is not known,
        ValueError for wrong numbers."""
        name = f"{name} ({self.path.name})"
        self._check_kind(name)
        if not (
            numpy.all(numpy.isfinite(self.parameters)) and numpy.all(numpy.isfinite(self.fixed))
        ):
            raise ValueError(f"{name}: {self.kind} has parameters that are not finite.")
        base = self.base
        dimension = self.dimension_or(stages.dimension)
        if dimension != stages.dimension:
            raise ValueError(
                f"{name}: the transform has {dimension} dimensions, but the image has {stages.dimension}."
            )
        if base == "BSplineTransform" or self.is_old_spline:
            grid = self._grid(dimension, name)
            stages.add_spline(
                self.parameters.reshape(dimension, *grid.shape), grid, self.order, name, device
            )
        elif base.endswith("DisplacementFieldTransform"):
            grid = self._grid(dimension, name)
            stages.add_field(
                self.parameters.reshape(*grid.shape, dimension), grid, False, False, name, device
            )
        elif base == "IdentityTransform":
            self._expect(0, name)
            self._expect_fixed((0, dimension), name)
        else:
            stages.add_affine(*self.linear(dimension, name), name)

    def linear(self, dimension: int, name: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Matrix and offset (mm). Raises TypeError for a class that has none, ValueError for wrong
        numbers."""
        count = _LINEAR_OF.get(dimension, {}).get(self.base)
        if count is None and self.base in _LINEAR:
            count = _LINEAR[self.base](dimension)
        if count is None:
            raise TypeError(f"{name}: {self.kind} is not supported for images of {dimension} axes.")
        if (
            self.base == "FixedCenterOfRotationAffineTransform"
            and self.parameters.size == count + dimension
        ):
            count += dimension  # ITK says that it has more than it reads
        self._expect(count, name)
        orders = (
            (dimension + 1,)
            if self.base in ("Euler3DTransform", "CenteredEuler3DTransform")
            else ()
        )
        self._expect_fixed((0, dimension, *orders), name)
        center = numpy.zeros(dimension)
        if self.fixed.size and self.base != "TranslationTransform":
            center = self.fixed[:dimension].copy()
        if self.base.startswith("Centered"):
            given = self.parameters[-2 * dimension : -dimension]
            # The fixed parameters of the two classes of 2D are a placeholder, in all files of ITK.
            is_told = self.fixed.size and self.base in (
                "CenteredAffineTransform",
                "CenteredEuler3DTransform",
            )
            if is_told and not numpy.all(
                numpy.abs(given - center) <= 1e-5 * (1 + numpy.abs(given))
            ):
                raise ValueError(
                    f"{name}: {self.kind} has the centre {center.tolist()} as fixed parameters, but {given.tolist()} as parameters; they must be equal."
                )
            center = given
        matrix, translation = self._matrix(dimension, name)
        _inverse.check_matrix(matrix, name)
        return matrix, translation + center - matrix @ center

    def _check_kind(self, name: str) -> None:
        if "VelocityField" in self.base or "Exponential" in self.base:
            raise TypeError(
                f"{name}: {self.kind} is a velocity field, which is not integrated when the file is read; write its displacement field instead."
            )
        if "AzimuthElevation" in self.base or "Perspective" in self.base:
            raise TypeError(f"{name}: {self.kind} is not a map between points of images (mm).")

    def _grid(self, dimension: int, name: str) -> Any:
        count = dimension * (dimension + 3)
        self._expect_fixed((count,), name)
        grid = grid_of_parameters(self.fixed, dimension, name)
        self._expect(dimension * int(numpy.prod(grid.size)), name)
        return grid

    def _expect(self, count: int, name: str) -> None:
        if self.parameters.size != count:
            raise ValueError(
                f"{name}: {self.parameters.size} parameters are given; {self.kind} needs {count} here."
            )

    def _expect_fixed(self, counts: tuple[int, ...], name: str) -> None:
        if self.fixed.size not in counts:
            allowed = " or ".join(map(str, counts))
            raise ValueError(
                f"{name}: {self.kind} has {self.fixed.size} fixed parameters; {allowed} are allowed."
            )

    def _matrix(self, n: int, name: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Matrix and translation: x goes to matrix (x - centre) + centre + translation."""
        p, base = self.parameters, self.base
        if base == "TranslationTransform":
            return numpy.eye(n), p
        if base == "ScaleTransform":
            return numpy.diag(p), numpy.zeros(n)
        if base == "ScaleLogarithmicTransform":
            return numpy.diag(numpy.exp(p)), numpy.zeros(n)
        if base in _LINEAR or base == "Rigid3DTransform":
            translation = (
                p[n * n + n :] if base == "CenteredAffineTransform" else p[n * n : n * n + n]
            )
            return p[: n * n].reshape(n, n), translation
        if base in ("Euler2DTransform", "Rigid2DTransform", "CenteredRigid2DTransform"):
            return _rotation(p[0]), p[-2:]
        if base in ("Similarity2DTransform", "CenteredSimilarity2DTransform"):
            return p[0] * _rotation(p[1]), p[-2:]
        if base in ("Euler3DTransform", "CenteredEuler3DTransform"):
            return _euler(p[:3], self.fixed.size > 3 and self.fixed[3] != 0), p[-3:]
        if base == "QuaternionRigidTransform":
            return _quaternion(*p[:4]), p[4:]
        if base == "VersorTransform" and float(p @ p) > 1:
            raise ValueError(
                f"{name}: {self.kind} has parameters of length {numpy.sqrt(p @ p):g}; the length must be at most 1."
            )
        rotation, translation = _versor(p[:3]), p[3:6]
        if base == "VersorTransform":
            return rotation, numpy.zeros(3)
        if base == "Similarity3DTransform":
            return p[6] * rotation, translation
        if base in ("ScaleVersor3DTransform", "ScaleSkewVersor3DTransform"):
            matrix = rotation + numpy.diag(p[6:9] - 1)  # a sum, as ITK has it
            if base == "ScaleSkewVersor3DTransform":
                matrix[[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]] += p[9:15]
            return matrix, translation
        if base == "ComposeScaleSkewVersor3DTransform":
            skew = numpy.eye(3)
            skew[[0, 0, 1], [1, 2, 2]] = p[9:12]
            return rotation @ numpy.diag(p[6:9]) @ skew, translation
        return rotation, translation  # VersorRigid3DTransform


@dataclass
class TransformList:
    """The transforms of a file, without a composite that joins them: the last one is applied
    first."""

    transforms: list[Any]
    #: Whether there are several, and no composite: of head motion each is for a volume.
    is_series: bool = False


@dataclass
class SplineWithBulk:
    """ITK 3's B-spline, which adds its displacements to those of a linear transform: x goes to B(x)
    + d(x).

    With B(x) = A x + b that is B(x + A^-1 d(x)), and A^-1 d is a B-spline on the same grid."""

    spline: FileTransform
    bulk: FileTransform

    def append_to(self, stages: Stages, name: str, device: int) -> None:
        """Appends what it does to a chain. Raises as FileTransform.append_to()."""
        inner = stages.empty_copy()
        self.bulk.append_to(inner, name, device)
        if len(inner.stages) > 1 or inner.buffers:
            raise TypeError(
                f"{name} ({self.bulk.path.name}): the bulk transform {self.bulk.kind} of a BSplineDeformableTransform must be linear."
            )
        matrix = inner.affine_of(0)[0] if inner.stages else numpy.eye(stages.dimension)
        coefficients = self.spline.parameters
        if coefficients.size % stages.dimension == 0:  # else the spline raises an error
            coefficients = (
                numpy.linalg.inv(matrix) @ coefficients.reshape(stages.dimension, -1)
            ).ravel()
        FileTransform(
            self.spline.kind, coefficients, self.spline.fixed, self.spline.path
        ).append_to(stages, name, device)
        stages.append(inner)


def _rotation(angle: float) -> numpy.ndarray:
    c, s = numpy.cos(angle), numpy.sin(angle)
    return numpy.array([[c, -s], [s, c]])


def _euler(angles: numpy.ndarray, is_zyx: bool) -> numpy.ndarray:
    """itk::Euler3DTransform::ComputeMatrix(): Z X Y, or Z Y X."""
    (cx, cy, cz), (sx, sy, sz) = numpy.cos(angles), numpy.sin(angles)
    x = numpy.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    y = numpy.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    z = numpy.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turned: numpy.ndarray = z @ y @ x if is_zyx else z @ x @ y
    return turned


def _versor(right: numpy.ndarray) -> numpy.ndarray:
    """itk::Versor::GetMatrix() of the vector part of a unit quaternion, which is made shorter where
    it is too long, as ITK does."""
    norm, margin = float(numpy.sqrt(right @ right)), 1e-10
    if norm >= 1 - margin:
        right = right / (norm + margin * norm)
    x, y, z = right
    return _quaternion(x, y, z, float(numpy.sqrt(max(0.0, 1.0 - float(right @ right)))))


def _quaternion(x: float, y: float, z: float, w: float) -> numpy.ndarray:
    """The rotation of a quaternion; times its squared length, as ITK has it."""
    return numpy.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), w * w - x * x + y * y - z * z, 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), w * w - x * x - y * y + z * z],
        ]
    )


def dimension_of(transform: Any, name: str) -> int:
    """The dimension that the type of a transform of a file says, or of a list of these. Raises
    ValueError if it says none."""
    first = transform[0] if isinstance(transform, list) else transform
    found: int = (first.spline if isinstance(first, SplineWithBulk) else first).dimension_or(0)
    if found == 0:
        raise ValueError(
            f"{name}: the type of the transform does not contain its dimension; use a type such as AffineTransform_double_3_3."
        )
    return found


def read(path: Path, name: str) -> Union[TransformList, DisplacementField]:
    """The transforms of a file, or an image of displacements.

    Raises FileNotFoundError, and ValueError if it is not a transform file or is another
    program's."""
    if not path.exists():
        hint = (
            " A name with %d stands for one file per volume with transform_per_volume=True."
            if "%" in path.name
            else ""
        )
        raise FileNotFoundError(f"{name}: there is no file {path}.{hint}")
    if not path.is_file():
        raise ValueError(f"{name}: {path} is not a file.")
    if _image_files.is_name_of_field(path):
        return _read_field(path, name)
    _foreign_transforms.refuse(path, name)
    with path.open("rb") as stream:
        is_hdf5 = stream.read(len(_hdf5.SIGNATURE)) == _hdf5.SIGNATURE
    if is_hdf5:
        found = _read_hdf5(path, name)
    elif path.suffix.lower() == ".mat":
        found = _read_matlab(path, name)
    else:
        found = _read_text(path, name)
    for transform in found:
        if not re.fullmatch(r"[A-Za-z]\w{0,199}", transform.kind, re.ASCII):
            raise ValueError(
                f"{name}: {path} has a transform whose class is {transform.kind[:40]!r}, which is not a class name."
            )
    # A composite comes first, without parameters, and the transforms of its queue follow.
    if any(transform.base == "CompositeTransform" for transform in found[1:]):
        raise ValueError(
            f"{name}: {path} has a composite within other transforms; it must be the first transform of the file."
        )
    transforms: list[Any] = [
        transform for transform in found if transform.base != "CompositeTransform"
    ]
    if not transforms:
        raise ValueError(f"{name}: {path} has no transform.")
    is_series = len(transforms) == len(found) > 1
    if (
        is_series
        and len(transforms) == 2
        and transforms[0].is_old_spline != transforms[1].is_old_spline
    ):
        spline, bulk = transforms if transforms[0].is_old_spline else transforms[::-1]
        return TransformList([SplineWithBulk(spline, bulk)])
    return TransformList(transforms, is_series)


def _read_hdf5(path: Path, name: str) -> list[FileTransform]:
    try:
        return [
            FileTransform(*transform, path)
            for transform in _hdf5.read_transforms(path.read_bytes())
        ]
    except _hdf5.Hdf5Error as error:
        raise ValueError(f"{name}: {path} cannot be read as a transform file: {error}.") from None


def _read_field(path: Path, name: str) -> DisplacementField:
    """Displacements as ITK and ANTs write them: a vector a pixel, in mm, along the axes of ITK's
    space; of NIfTI's intent 1006 along RAS."""
    try:
        image = _images.read_image(path, name)
        if reason := _images.foreign_warp(image):
            raise ValueError(reason)
        field = DisplacementField(image, space="LPS")
        pixels = _images.open_image(field.array, name)
        is_finite = bool(numpy.isfinite(pixels.buffer.array).all())
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        said = (str(error).strip().splitlines() or [""])[
            -1
        ]  # SimpleITK's last line is what ITK says
        raise ValueError(f"{name}: {path} is not an image of displacements: {said}") from None
    if not is_finite:
        raise ValueError(f"{name}: {path} has displacements that are not finite.")
    return field


def _read_matlab(path: Path, name: str) -> list[FileTransform]:
    """MATLAB's format of version 4, which ITK writes: of each variable five numbers of 4 bytes
    (type, rows, columns, whether it is complex, length of the name), the name, the values."""
    data = path.read_bytes()
    found: list[FileTransform] = []
    at = 0
    while at < len(data):
        if len(data) - at < 20:
            raise ValueError(f"{name}: {path} is truncated within a header.")
        order = "<" if struct.unpack_from("<I", data, at)[0] <= 9999 else ">"
        kind, rows, columns, is_complex, length = struct.unpack_from(f"{order}5I", data, at)
        if kind > 9999 or kind % 10 or kind // 10 % 10 > 1 or is_complex or not 0 < length <= 1000:
            raise ValueError(f"{name}: {path} is not a MATLAB file of version 4 with real numbers.")
        variable = data[at + 20 : at + 20 + length].split(b"\0", 1)[0].decode("latin-1")
        values = numpy.dtype(order + ("f8" if kind // 10 % 10 == 0 else "f4"))
        begin, count = at + 20 + length, rows * columns
        if len(data) - begin < count * values.itemsize:
            raise ValueError(
                f"{name}: {path} is truncated: it contains {max(0, len(data) - begin) // values.itemsize} of {count} numbers."
            )
        numbers = numpy.frombuffer(data, values, count, begin).astype(numpy.float64)
        at = begin + count * values.itemsize
        if variable == "fixed" and found:
            found[-1].fixed = numbers
        else:
            found.append(FileTransform(variable, numbers, numpy.zeros(0), path))
    return found


def _read_text(path: Path, name: str) -> list[FileTransform]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if re.search(r'^\s*\(Transform\s+"', text, re.MULTILINE):
        raise ValueError(
            f"{name}: {path} is a transform of elastix, which only the program CudaSplineResample can read."
        )
    if not re.match(r"\s*#Insight Transform File", text):
        raise ValueError(
            f"{name}: {path} does not begin with the line '#Insight Transform File V1.0' of ITK's transform files."
        )
    found: list[FileTransform] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key, _, rest = (part.strip() for part in line.partition(":"))
        if key == "Transform" and rest:
            found.append(FileTransform(rest, numpy.zeros(0), numpy.zeros(0), path))
        elif key in ("Parameters", "FixedParameters") and found:
            try:
                values = numpy.array(rest.split(), dtype=numpy.float64)
            except ValueError as error:
                raise ValueError(
                    f"{name}: line {number} of {path} has parameters that are not numbers: {error}"
                ) from None
            if key == "Parameters":
                found[-1].parameters = values
            else:
                found[-1].fixed = values
        else:
            raise ValueError(
                f"{name}: line {number} of {path} begins with {key[:40]!r}; Transform, Parameters and FixedParameters are allowed."
            )
    return found
