"""Transforms as files, and as objects of SimpleITK and itk."""

from __future__ import annotations

import importlib
import importlib.util
import struct
import sys
from pathlib import Path
from typing import Any, Optional, Sequence

import numpy

from ..core import _library
from ..core._geometry import Geometry
from ..images import _nifti
from . import _stages
from ._transform_parts import FieldPart, LinearPart, Part

_TEXT = (".tfm", ".txt")


def save(
    parts: Sequence[Part], dimension: int, matrix: Optional[numpy.ndarray], path: Path
) -> None:
    """Writes a transform to a file of transforms, as Transform.save() does.

    matrix: the homogeneous one; None: it is not linear"""
    suffix = path.suffix.lower()
    if suffix in (".mat", *_TEXT) and matrix is not None:
        square, centre, translation = _linear_of(parts, matrix)
        numbers = numpy.concatenate([square.ravel(), translation])
        kind = f"AffineTransform_double_{dimension}_{dimension}"
        (_write_text if suffix in _TEXT else _write_matlab)(path, kind, numbers, centre)
        return
    if suffix not in (".mat", ".h5", ".hdf5", ".hdf", ".xfm", *_TEXT):
        raise ValueError(
            f"path: {path.name} has no ending of a transform file; use .tfm, .txt, .mat (matrices only) or .h5."
        )
    if suffix == ".mat":
        raise ValueError(
            f"path: {path.name} can store only matrices, but the transform is not linear; use .h5, or save_ants() for its parts."
        )
    if importlib.util.find_spec("SimpleITK") is not None:
        _write_by(
            "SimpleITK",
            lambda library: library.WriteTransform(to_simpleitk(parts, dimension), str(path)),
            path,
        )
    elif importlib.util.find_spec("itk") is not None:
        _write_by(
            "itk",
            lambda library: library.transformwrite([to_itk(parts, dimension)], str(path)),
            path,
        )
    else:
        raise ImportError(
            f"path: {path.name} is written by SimpleITK or itk, and neither is installed (pip install SimpleITK)."
        )


def _write_by(library: str, write: Any, path: Path) -> None:
    try:
        write(importlib.import_module(library))
    except RuntimeError as error:
        said = (str(error).strip().splitlines() or [""])[-1]
        raise ValueError(f"path: {library} cannot write {path}: {said}") from None


def _linear_of(
    parts: Sequence[Part], matrix: numpy.ndarray
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Matrix, centre and translation: those of a single part as it has them, else about the
    origin."""
    if len(parts) == 1 and isinstance(parts[0], LinearPart):
        return parts[0].matrix, parts[0].centre, parts[0].translation
    return matrix[:-1, :-1], numpy.zeros(len(matrix) - 1), matrix[:-1, -1]


def _write_text(path: Path, kind: str, numbers: numpy.ndarray, fixed: numpy.ndarray) -> None:
    def text_of(values: numpy.ndarray) -> str:
        return " ".join(repr(float(value)) for value in values)

    path.write_text(
        f"#Insight Transform File V1.0\n#Transform 0\nTransform: {kind}\nParameters: {text_of(numbers)}\nFixedParameters: {text_of(fixed)}\n",
        encoding="utf-8",
    )


def _write_matlab(path: Path, kind: str, numbers: numpy.ndarray, fixed: numpy.ndarray) -> None:
    """MATLAB's format of version 4, as ITK has it; see the reader."""
    data = b""
    for name, values in ((kind, numbers), ("fixed", fixed)):
        label = name.encode() + b"\0"
        data += (
            struct.pack("<5I", 0, len(values), 1, 0, len(label))
            + label
            + numpy.asarray(values, "<f8").tobytes()
        )
    path.write_bytes(data)


def write_field(vectors: numpy.ndarray, geometry: Geometry, path: Path) -> None:
    """Writes displacements, (..., dimension), to a file of an image."""
    if _nifti.is_name(path):
        _nifti.write(vectors, geometry, "last", path)
    elif importlib.util.find_spec("SimpleITK") is not None:
        _write_by(
            "SimpleITK",
            lambda library: library.WriteImage(_simple_image(vectors, geometry), str(path)),
            path,
        )
    elif importlib.util.find_spec("itk") is not None:
        _write_by(
            "itk", lambda library: library.imwrite(_itk_image(vectors, geometry), str(path)), path
        )
    else:
        raise ImportError(
            f"path: {path.name} is written by SimpleITK or itk, and neither is installed (pip install SimpleITK)."
        )


def _simple_image(vectors: numpy.ndarray, geometry: Geometry) -> Any:
    sitk = sys.modules["SimpleITK"]
    image = sitk.GetImageFromArray(vectors, isVector=True)
    image.SetSpacing(geometry.spacing.tolist())
    image.SetOrigin(geometry.origin.tolist())
    image.SetDirection(geometry.direction.ravel().tolist())
    return image


def _itk_image(vectors: numpy.ndarray, geometry: Geometry) -> Any:
    itk = sys.modules["itk"]
    n = geometry.dimension
    real = itk.D if vectors.dtype == numpy.float64 else itk.F
    image = itk.image_from_array(
        numpy.ascontiguousarray(vectors), ttype=itk.Image[itk.Vector[real, n], n]
    )
    image.SetSpacing(geometry.spacing.tolist())
    image.SetOrigin(geometry.origin.tolist())
    image.SetDirection(itk.matrix_from_array(geometry.direction.copy()))
    return image


def _vectors_of(stages: _stages.Stages, number: int, geometry: Geometry) -> numpy.ndarray:
    """The displacements of a stage in host memory."""
    return numpy.asarray(stages._buffers[number].array).reshape(*geometry.shape, stages.dimension)


def to_simpleitk(parts: Sequence[Part], dimension: int) -> Any:
    """See Transform.to_simpleitk()."""
    try:
        sitk = importlib.import_module("SimpleITK")
    except ImportError:
        raise ImportError(
            "transform: SimpleITK is not installed (pip install SimpleITK)."
        ) from None
    n = dimension
    made: list[Any] = []
    for part, stages, number in _stages_of(parts, dimension):
        stage = stages.stages[number]
        if stage.kind == _library.STAGE_AFFINE:
            matrix, centre, translation = _of_stage(part, stages, number)
            affine = sitk.AffineTransform(n)
            affine.SetCenter(centre.tolist())
            affine.SetMatrix(matrix.ravel().tolist())
            affine.SetTranslation(translation.tolist())
            made.append(affine)
            continue
        geometry = stages.grid_of(number)
        if stage.kind == _library.STAGE_BSPLINE:
            planes = numpy.asarray(stages._buffers[number].array)
            images = [sitk.GetImageFromArray(numpy.ascontiguousarray(plane)) for plane in planes]
            for image in images:
                image.SetSpacing(geometry.spacing.tolist())
                image.SetOrigin(geometry.origin.tolist())
                image.SetDirection(geometry.direction.ravel().tolist())
            made.append(sitk.BSplineTransform(images, stage.order))
            continue
        field = sitk.DisplacementFieldTransform(
            _simple_image(_vectors_of(stages, number, geometry).astype("f8"), geometry)
        )
        if stage.nearest:
            field.SetInterpolator(sitk.sitkNearestNeighbor)
        if isinstance(part, FieldPart) and part.backward is not None:
            inner = part.inverse()._host
            field.SetInverseDisplacementField(_simple_image(inner.astype("f8"), geometry))
        made.append(field)
    if len(made) == 1:
        return made[0]
    return sitk.CompositeTransform(made) if made else sitk.Transform(n, sitk.sitkIdentity)


def to_itk(parts: Sequence[Part], dimension: int) -> Any:
    """See Transform.to_itk()."""
    try:
        itk = importlib.import_module("itk")
    except ImportError:
        raise ImportError("transform: itk is not installed (pip install itk).") from None
    n = dimension
    made: list[Any] = []
    for part, stages, number in _stages_of(parts, dimension):
        stage = stages.stages[number]
        if stage.kind == _library.STAGE_AFFINE:
            matrix, centre, translation = _of_stage(part, stages, number)
            made.append(
                _itk_object(
                    itk, "Affine", n, numpy.concatenate([matrix.ravel(), translation]), centre
                )
            )
            continue
        is_spline = stage.kind == _library.STAGE_BSPLINE
        if stage.nearest or (is_spline and stage.order != 3):
            raise TypeError(
                "transform: fields of nearest displacements, and splines of orders other than 3, are not available as objects of itk in Python."
            )
        grid = stages.grid_of(number)
        fixed = numpy.concatenate([grid.size, grid.origin, grid.spacing, grid.direction.ravel()])
        numbers = numpy.asarray(stages._buffers[number].array, "f8").ravel()
        made.append(
            _itk_object(itk, "BSpline" if is_spline else "DisplacementField", n, numbers, fixed)
        )
    if len(made) == 1:
        return made[0]
    composite = itk.CompositeTransform[itk.D, n].New()
    for one in made:
        composite.AddTransform(one)
    return composite


def _itk_object(
    itk: Any, kind: str, dimension: int, numbers: numpy.ndarray, fixed: numpy.ndarray
) -> Any:
    """A transform by its parameters: itk has no images of double vectors in Python, of which a
    field could be made."""
    described = {
        "transformParameterization": kind,
        "parametersValueType": "float64",
        "inputDimension": dimension,
        "outputDimension": dimension,
    }
    return itk.transform_from_dict(
        {
            "transformType": described,
            "name": "",
            "inputSpaceName": "",
            "outputSpaceName": "",
            "parameters": numbers,
            "fixedParameters": numpy.asarray(fixed, "f8"),
            "numberOfParameters": numbers.size,
            "numberOfFixedParameters": len(fixed),
        }
    )


def _stages_of(parts: Sequence[Part], dimension: int) -> list[tuple[Any, _stages.Stages, int]]:
    """(part, its chain, number in the chain) for each stage, the last one applied first."""
    found = []
    for part in parts:
        stages = _stages.Stages(dimension)
        part.append_to(stages, "transform", -1)
        found += [(part, stages, number) for number in reversed(range(len(stages.stages)))]
    return found


def _of_stage(
    part: Any, stages: _stages.Stages, number: int
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Matrix, centre and translation of a linear stage."""
    if isinstance(part, LinearPart):
        return part.matrix, part.centre, part.translation
    matrix, offset = stages.affine_of(number)
    return matrix, numpy.zeros(stages.dimension), offset
