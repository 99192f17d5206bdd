"""Files of transforms: ITK's text files and ANTs' .mat by itself, all other formats by SimpleITK or itk where one of them is installed;
displacement fields in image files by whatever reads these.

Parameters and their order are those of ITK's classes.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from . import _image_files, _images, _inverse
from ._transforms import DisplacementField, Stages, grid_of_parameters

_TEXT = (".tfm", ".txt")


@dataclass
class FileTransform:
    """A transform as it stands in a text file."""

    #: ITK's class with the types of its template, "AffineTransform_double_3_3" for instance.
    kind: str
    parameters: numpy.ndarray
    fixed: numpy.ndarray
    path: Path

    def append_to(self, stages: Stages, name: str, device: int) -> None:
        """Appends what it does to a chain. Raises TypeError for a class that is not known, ValueError for wrong numbers."""
        name = f"{name} ({self.path.name})"
        if not (numpy.all(numpy.isfinite(self.parameters)) and numpy.all(numpy.isfinite(self.fixed))):
            raise ValueError(f"{name}: {self.kind} has parameters that are not finite.")
        base, *types = self.kind.split("_")
        dimension = int(types[1]) if len(types) > 1 and types[1].isdigit() else stages.dimension
        if dimension != stages.dimension:
            raise ValueError(f"{name}: the transform is of {dimension} dimensions, and the image of {stages.dimension}.")
        if base == "BSplineTransform":
            grid = grid_of_parameters(self.fixed, dimension, name)
            order = int(types[3]) if len(types) > 3 and types[3].isdigit() else 3
            self._expect(dimension * int(numpy.prod(grid.size)), name)
            stages.add_spline(self.parameters.reshape(dimension, *grid.shape), grid, order, name, device)
        elif base.endswith("DisplacementFieldTransform"):
            grid = grid_of_parameters(self.fixed, dimension, name)
            self._expect(dimension * int(numpy.prod(grid.size)), name)
            stages.add_field(self.parameters.reshape(*grid.shape, dimension), grid, False, False, name, device)
        elif base == "IdentityTransform":
            pass
        else:
            matrix, translation = self._linear(base, dimension, name)
            center = numpy.zeros(dimension)
            center[: min(dimension, self.fixed.size)] = self.fixed[:dimension]
            if base == "TranslationTransform":
                center[:] = 0
            _inverse.check_matrix(matrix, name)
            stages.add_affine(matrix, translation + center - matrix @ center, name)

    def _expect(self, count: int, name: str) -> None:
        if self.parameters.size != count:
            raise ValueError(f"{name}: {self.kind} has {count} parameters here; there are {self.parameters.size}.")

    def _linear(self, base: str, dimension: int, name: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        p = self.parameters
        n = dimension
        if base in ("AffineTransform", "MatrixOffsetTransformBase"):
            self._expect(n * n + n, name)
            return p[: n * n].reshape(n, n), p[n * n :]
        if base == "TranslationTransform":
            self._expect(n, name)
            return numpy.eye(n), p
        if base == "ScaleTransform":
            self._expect(n, name)
            return numpy.diag(p), numpy.zeros(n)
        if n == 2 and base in ("Euler2DTransform", "Rigid2DTransform"):
            self._expect(3, name)
            return _rotation(p[0]), p[1:]
        if n == 2 and base == "Similarity2DTransform":
            self._expect(4, name)
            return p[0] * _rotation(p[1]), p[2:]
        if n == 3 and base == "Euler3DTransform":
            self._expect(6, name)
            return _euler(p[:3], self.fixed.size > 3 and self.fixed[3] != 0), p[3:]
        if n == 3 and base == "VersorTransform":
            self._expect(3, name)
            return _versor(p[:3]), numpy.zeros(3)
        if n == 3 and base == "VersorRigid3DTransform":
            self._expect(6, name)
            return _versor(p[:3]), p[3:]
        if n == 3 and base == "Similarity3DTransform":
            self._expect(7, name)
            return p[6] * _versor(p[:3]), p[3:6]
        raise TypeError(f"{name}: {self.kind} is no transform that is known here; SimpleITK or itk may read the file.")


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
    """itk::Versor::GetMatrix() of the vector part of a unit quaternion."""
    x, y, z = right
    w = numpy.sqrt(max(0.0, 1.0 - float(right @ right)))
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def read(path: Path, name: str) -> Any:
    """The transforms of a file: a list, the first one first, or one object.

    Raises FileNotFoundError, ValueError for a file that is none of transforms, and ImportError where a library is needed."""
    if not path.exists():
        raise FileNotFoundError(f"{name}: there is no file {path}.")
    if not path.is_file():
        raise ValueError(f"{name}: {path} is no file.")
    if _image_files.is_name_of_field(path):
        return _read_field(path, name)
    if path.suffix.lower() in _TEXT:
        return _read_text(path, name)
    if path.suffix.lower() == ".mat":
        return _read_matlab(path, name)
    try:
        import SimpleITK  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        pass
    else:
        try:
            return SimpleITK.ReadTransform(str(path))  # type: ignore[no-untyped-call, unused-ignore]
        except RuntimeError as error:
            raise ValueError(f"{name}: {path} is no file of transforms: {error}") from None
    try:
        import itk  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise ImportError(f"{name}: {path.suffix} files are read by SimpleITK or itk, and neither is installed.") from None
    return list(itk.transformread(str(path)))


def _read_field(path: Path, name: str) -> DisplacementField:
    """Displacements as ITK and ANTs write them: a vector a pixel, in mm, along the axes of ITK's space; of NIfTI's intent 1006 along RAS."""
    try:
        image = _image_files.read_image(path, name)
        if getattr(image, "foreign_warp", ""):
            raise ValueError(image.foreign_warp)
        field = DisplacementField(image, space="LPS")
        pixels = _images.open_image(field.array, name)
        is_finite = bool(numpy.isfinite(pixels.buffer.array).all())
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        said = (str(error).strip().splitlines() or [""])[-1]  # SimpleITK's last line is what ITK says
        raise ValueError(f"{name}: {path} is no image of displacements: {said}") from None
    if not is_finite:
        raise ValueError(f"{name}: {path} has displacements that are not finite.")
    return field


def _read_matlab(path: Path, name: str) -> list[FileTransform]:
    """MATLAB's format of version 4, which ITK writes: of each variable five numbers of 4 bytes (type, rows, columns, whether it is complex,
    length of the name), the name, the values."""
    data = path.read_bytes()
    found: list[FileTransform] = []
    at = 0
    while at < len(data):
        if len(data) - at < 20:
            raise ValueError(f"{name}: {path} is cut short within a header.")
        order = "<" if struct.unpack_from("<I", data, at)[0] <= 9999 else ">"
        kind, rows, columns, is_complex, length = struct.unpack_from(f"{order}5I", data, at)
        if kind > 9999 or kind % 10 or kind // 10 % 10 > 1 or is_complex or not 0 < length <= 1000:
            raise ValueError(f"{name}: {path} is no MATLAB file of version 4 with real numbers.")
        variable = data[at + 20 : at + 20 + length].split(b"\0", 1)[0].decode("latin-1")
        values = numpy.dtype(order + ("f8" if kind // 10 % 10 == 0 else "f4"))
        begin, count = at + 20 + length, rows * columns
        if len(data) - begin < count * values.itemsize:
            raise ValueError(f"{name}: {path} is cut short: of {count} numbers it has {max(0, len(data) - begin) // values.itemsize}.")
        numbers = numpy.frombuffer(data, values, count, begin).astype(numpy.float64)
        at = begin + count * values.itemsize
        if variable == "fixed" and found:
            found[-1].fixed = numbers
        else:
            found.append(FileTransform(variable, numbers, numpy.zeros(0), path))
    if not found:
        raise ValueError(f"{name}: {path} has no transform.")
    return found


def _read_text(path: Path, name: str) -> list[FileTransform]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if re.search(r'^\s*\(Transform\s+"', text, re.MULTILINE):
        raise ValueError(f"{name}: {path} is of elastix; CudaSplineResample reads its transforms, the package does not.")
    if not re.match(r"\s*#Insight Transform File", text):
        raise ValueError(f"{name}: {path} does not begin as ITK's files of transforms do (#Insight Transform File V1.0).")
    found: list[FileTransform] = []
    for line in text.splitlines():
        key, colon, rest = line.partition(":")
        if line.startswith("#") or not colon:
            continue
        if key.strip() == "Transform":
            found.append(FileTransform(rest.strip(), numpy.zeros(0), numpy.zeros(0), path))
        elif key.strip() in ("Parameters", "FixedParameters") and found:
            try:
                values = numpy.array(rest.split(), dtype=numpy.float64)
            except ValueError as error:
                raise ValueError(f"{name}: {path} has parameters that are no numbers: {error}") from None
            if key.strip() == "Parameters":
                found[-1].parameters = values
            else:
                found[-1].fixed = values
    # A composite comes first, without parameters, and the transforms of its queue follow.
    found = [transform for transform in found if not transform.kind.startswith("CompositeTransform")]
    if not found:
        raise ValueError(f"{name}: {path} has no transform.")
    return found
