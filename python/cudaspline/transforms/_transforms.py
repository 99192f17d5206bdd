"""Transforms of any kind as stages of the library: from points of the output to points of the input
(mm).

A transform maps points of the output to points of the input, as in ITK. In a list the last one is
applied first, as in
itk.CompositeTransform: [t0, t1] maps a point x of the output to t0(t1(x)); where the caller asks
    for ANTs' order, the first one is.
"""

from __future__ import annotations

import math
import os
import re
import sys
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence

import numpy

from ..core import _arrays, _library
from ..core._geometry import Geometry, make_geometry, reals
from ..core._warnings import ResamplingWarning, warn
from ..images import _image_files, _images
from . import _inverse, _transform_files
from ._stages import BSplineGrid, DisplacementField, Stages, grid_of_parameters


def describe(
    transform: Any,
    dimension: int,
    device: int,
    name: str = "transform",
    transform_order: str = "itk",
    image: Optional[Geometry] = None,
) -> Stages:
    """The stages of a transform.

    transform: None, a matrix, an object of itk or SimpleITK, a DisplacementField, a BSplineGrid, a
        file, a pair of one of these and "inverse" or 1, or a list of these
    dimension: axes of the image
    device: of the image; -1: the host
    name: of the argument, for errors
    transform_order: of lists: "itk": the last one is applied first; "ants": the first one is
    image: whose least spacing the inverses of B-splines have

    Raises TypeError for anything that is not a transform, ValueError for one that does not fit."""
    order = check_order(transform, transform_order, name)
    stages = Stages(dimension, order == "ants", image)
    append(transform, stages, device, name)
    return stages


def check_order(transforms: Any, transform_order: str, name: str) -> str:
    """The order in lower case. Warns of a list that seems to be in the other one. Raises ValueError
    for any other word."""
    order = transform_order.lower() if isinstance(transform_order, str) else transform_order
    if order not in ("itk", "ants"):
        raise ValueError(
            f"transform_order: {transform_order!r} is not allowed; use 'ants' or 'itk'."
        )
    if (
        order == "itk"
        and isinstance(transforms, (list, tuple))
        and _looks_like_ants_order(transforms)
    ):
        warn(
            f"{name}: the list seems to be in the order of antsApplyTransforms, but the last transform is applied first, as in itk.CompositeTransform; "
            "use transform_order='ants' to apply the first one first",
            ResamplingWarning,
        )
    return order


def append(transform: Any, stages: Stages, device: int, name: str) -> None:
    """Appends the stages of a transform to a chain; as describe()."""
    if transform is None:
        return
    if isinstance(transform, (list, tuple)) and not _is_matrix(transform):
        if is_pair(transform):
            (_append_inverse if transform[1] else append)(transform[0], stages, device, name)
            return
        numbers = range(len(transform))
        for i in numbers if stages.is_ants_order else reversed(numbers):
            append(transform[i], stages, device, f"{name}[{i}]")
    elif isinstance(transform, DisplacementField):
        _append_field(transform, stages, device, name)
    elif isinstance(transform, BSplineGrid):
        shape = _arrays.shape_of(transform.coefficients, name)
        if len(shape) != stages.dimension + 1 or shape[0] != stages.dimension:
            raise ValueError(
                f"{name}: coefficients must have the shape ({stages.dimension}, ..., ny, nx), not {shape}."
            )
        geometry = make_geometry(
            shape[:0:-1], transform.spacing, transform.origin, transform.direction, f"{name}."
        )
        stages.add_spline(transform.coefficients, geometry, transform.order, name, device)
    elif isinstance(transform, (str, os.PathLike)):
        _append_file(transform, stages, device, name)
    elif hasattr(transform, "append_to"):  # what the reader of files makes
        transform.append_to(stages, name, device)
    elif _images.is_image(transform):
        _append_field(DisplacementField(transform), stages, device, name)
    elif hasattr(transform, "TransformPoint"):
        _append_object(transform, stages, device, name)
    elif _arrays.is_array(transform) or _is_matrix(transform):
        _append_matrix(transform, stages, name)
    else:
        raise TypeError(f"{name}: {type(transform).__name__} is not a known type of transform.")


def _looks_like_ants_order(transforms: Any) -> bool:
    """Whether a field of a file is followed by ANTs' matrix, or the inverse of that matrix by a
    field. As in CudaSplineResample."""
    has_field = has_inverse = False
    for one in transforms:
        entry, is_inverse = one, False
        if isinstance(one, (list, tuple)) and not _is_matrix(one) and is_pair(one):
            entry, is_inverse = one[0], bool(one[1])
        if not isinstance(entry, (str, os.PathLike)):
            continue
        path, is_inverse_file = (
            parse_file(entry) if isinstance(entry, str) else (os.fspath(entry), False)
        )
        is_inverse = is_inverse != is_inverse_file
        file = os.path.basename(path).lower()
        if "genericaffine" in file:
            if has_field and not is_inverse:
                return True
            has_inverse = has_inverse or is_inverse
        elif _image_files.is_name_of_field(Path(file)):
            if has_inverse:
                return True
            has_field = True
    return False


def of_volumes(transform: Any, count: int, name: str) -> list[tuple[str, Any]]:
    """(name, transform) for each volume of a series.

    transform: a list with a transform for each, an array of matrices (count, n, ...), the name of a
        file with as many and no composite, or a name with %d (or %04d) for the number of a volume;
        a name may say that the transforms are inverted
    count: of the volumes

    Raises TypeError for anything else, ValueError where the transforms are not as many as the
    volumes."""
    if isinstance(transform, (str, os.PathLike)):
        path, is_inverse = (
            parse_file(transform) if isinstance(transform, str) else (os.fspath(transform), False)
        )
        pattern = re.fullmatch(r"([^%]*)%(\d{0,2}d[^%]*)", path)
        if pattern is not None and not os.path.exists(
            path
        ):  # a file for each volume, numbers from 0
            width, after = pattern.group(2).split("d", 1)
            names = [f"{pattern.group(1)}{number:0{width or 1}d}{after}" for number in range(count)]
            return [
                (f"{name}[{number}]", (one, "inverse") if is_inverse else one)
                for number, one in enumerate(names)
            ]
        read = _transform_files.read(Path(path), name)
        every = (
            read.transforms
            if isinstance(read, _transform_files.TransformList) and read.is_series
            else [read]
        )
        found: list[Any] = [(one, "inverse") for one in every] if is_inverse else list(every)
        if len(found) == 1 and count == 1:
            found = [transform]
        what = f"{path} contains {len(found)}"
    elif (
        isinstance(transform, (list, tuple))
        and not _is_matrix(transform)
        and not (len(transform) == 2 and is_pair(transform))
    ):
        found = list(transform)
        what = f"the list has {len(found)}"
    elif _arrays.is_array(transform) and len(transform.shape) == 3:
        found = list(transform)
        what = f"the array has {len(found)}"
    else:
        raise TypeError(
            f"{name}: transform_per_volume needs a list, an array of matrices or a file, not {type(transform).__name__}."
        )
    if len(found) != count:
        raise ValueError(
            f"{name}: {what} transform{'s' * (len(found) != 1)}, but the series has {count} volumes; the numbers must be equal."
        )
    return [(f"{name}[{number}]", one) for number, one in enumerate(found)]


def _append_inverse(transform: Any, stages: Stages, device: int, name: str) -> None:
    """Appends the inverse of a transform to a chain. Raises as the transform itself, and ValueError
    for a matrix that has none."""
    if isinstance(transform, (str, os.PathLike)):
        name = f"{name} ({os.path.basename(parse_file(os.fspath(transform))[0])})"
    inner = stages.empty_copy()
    append(transform, inner, device, name)
    stages.keep(inner)
    for number in reversed(range(len(inner.stages))):
        stage = inner.stages[number]
        if stage.kind == _library.STAGE_AFFINE:
            stages.add_affine(*_inverse.invert_matrix(*inner.affine_of(number), name), name)
            continue
        alone = inner.on_host(number)
        grid = inner.grid_of(number)
        domain = (
            grid
            if stage.kind == _library.STAGE_FIELD
            else _inverse.domain_of_spline(grid, stage.order, stages.finest)
        )
        vectors, found = _inverse.invert(alone, domain)
        stages.inverses.append(
            _library.InverseResidual(name, found.mean, found.largest, found.limit)
        )
        stages.add_field(vectors, domain, False, False, name, device)


def _append_file(file: Any, stages: Stages, device: int, name: str) -> None:
    """The transforms of a file, whose name may say that they are inverted: "[affine.mat,1]" as
    ANTs', "affine.mat,inverse"; "identity" is not a file."""
    path, is_inverse = parse_file(file) if isinstance(file, str) else (file, False)
    if path == "identity":
        return
    read = _transform_files.read(Path(path), name)
    found: Any = read
    if isinstance(read, _transform_files.TransformList):
        found = (
            read.transforms[::-1] if stages.is_ants_order else read.transforms
        )  # those within a file are in ITK's order
        if read.is_series:
            warn(
                f"{name}: {path} contains {len(found)} transforms and no composite: all of them are applied, the last one first; "
                "resample(..., transform_per_volume=True) applies one to each volume of a series.",
                ResamplingWarning,
            )
    if is_inverse:
        _append_inverse(found, stages, device, f"{name} ({Path(path).name})")
    else:
        append(found, stages, device, name)


def parse_file(text: str) -> tuple[str, bool]:
    """(file, whether it is inverted) of what names a transform, as CudaSplineResample and ANTs have
    it."""
    if text.startswith("[") and text.endswith("]"):
        path, comma, flag = text[1:-1].rpartition(",")
        if not comma:
            return text[1:-1].strip(), False
        if flag.strip() in ("0", "1"):
            return path.strip(), flag.strip() == "1"
        return text, False
    path, comma, word = text.rpartition(",")
    return (path, True) if comma and word.strip() == "inverse" else (text, False)


def is_pair(value: Any) -> bool:
    """True for a transform with the word that it is inverted, or ANTs' number for it: 1, or 0."""
    if len(value) != 2 or isinstance(value[0], (bool, int)):
        return False
    word = value[1]
    return (isinstance(word, str) and word == "inverse") or (
        isinstance(word, (bool, int, numpy.integer)) and word in (0, 1)
    )


def _is_matrix(value: Any) -> bool:
    """True for nested lists of numbers."""
    try:
        return numpy.asarray(value, dtype=numpy.float64).ndim == 2
    except (TypeError, ValueError):
        return False


def _append_matrix(value: Any, stages: Stages, name: str) -> None:
    dimension = stages.dimension
    if hasattr(value, "get"):
        value = value.get()  # CuPy
    elif hasattr(value, "detach"):
        value = value.detach().cpu().numpy()  # PyTorch
    found = reals(value, name, "matrix")
    if found.shape == (dimension + 1, dimension + 1):
        last = numpy.zeros(dimension + 1)
        last[-1] = 1
        if not numpy.array_equal(found[-1], last):
            raise ValueError(
                f"{name}: the last row of a homogeneous matrix must be {last.tolist()}, not {found[-1].tolist()}."
            )
    elif found.shape not in ((dimension, dimension), (dimension, dimension + 1)):
        n = dimension
        raise ValueError(
            f"{name}: matrices must be {n} x {n}, {n} x {n + 1} or {n + 1} x {n + 1} for an image with {n} axes, not {found.shape}."
        )
    offset = found[:dimension, dimension] if found.shape[1] > dimension else numpy.zeros(dimension)
    stages.add_affine(found[:dimension, :dimension], offset, name)


def _turn(vectors: numpy.ndarray) -> numpy.ndarray:
    """RAS to LPS."""
    turned: numpy.ndarray = vectors * numpy.array(
        [-1.0, -1.0, 1.0][: vectors.shape[-1]],
        vectors.dtype if vectors.dtype.kind == "f" else "float64",
    )
    return turned


def _append_field(field: DisplacementField, stages: Stages, device: int, name: str) -> None:
    dimension = stages.dimension
    if field.space not in (None, "LPS", "RAS"):
        raise ValueError(f"{name}: its space must be 'LPS' or 'RAS', not {field.space!r}.")
    is_ras = None if field.space is None else field.space == "RAS"
    if not _images.is_image(field.array):
        shape = _arrays.shape_of(field.array, name)
        if len(shape) != dimension + 1 or shape[-1] != dimension:
            raise ValueError(
                f"{name}: displacements must have the shape (..., ny, nx, {dimension}), not {shape}."
            )
        geometry = make_geometry(
            shape[-2::-1], field.spacing, field.origin, field.direction, f"{name}."
        )
        if is_ras and not isinstance(field.array, numpy.ndarray):
            raise TypeError(
                f"{name}: space 'RAS' can only be used with images and arrays of NumPy, not with {type(field.array).__name__}."
            )
        stages.add_field(
            _turn(field.array) if is_ras else field.array,
            geometry,
            field.nearest,
            field.extend,
            name,
            device,
        )
        return
    if reason := _images.foreign_warp(field.array):
        raise ValueError(f"{name}: {reason}.")
    pixels = _images.open_image(field.array, name)
    if pixels.components != dimension or not pixels.channels:
        raise ValueError(
            f"{name}: a displacement field of {dimension} dimensions must have {dimension} components per pixel; this image has {pixels.components}."
        )
    vectors = pixels.buffer.array
    if is_ras if is_ras is not None else _images.has_ras_vectors(field.array):
        vectors = _turn(vectors)
    stages.keep(pixels)
    stages.add_field(vectors, pixels.geometry, field.nearest, field.extend, name, device)


def _append_object(transform: Any, stages: Stages, device: int, name: str) -> None:
    """Appends a transform of itk or SimpleITK."""
    leaves = list(_leaves_of(transform, name))
    is_simple = _is_simple(transform)
    fields = [leaf for leaf, _, kind in leaves if _is_field(kind)]
    # SimpleITK returns copies of the members of a composite, which are interpolated linearly: only
    # the composite's text has their interpolators.
    interpolators = (
        _interpolators_of(transform)
        if is_simple and fields
        else [n for leaf in fields for n in _interpolators_of(leaf)]
    )
    if len(interpolators) != len(fields):
        raise TypeError(
            f"{name}: the interpolator of its field is unknown; use a DisplacementField instead."
        )
    for leaf, own, kind in reversed(leaves):
        dimension = leaf.GetDimension() if is_simple else leaf.GetInputSpaceDimension()
        if dimension != stages.dimension:
            raise ValueError(
                f"{own}: the transform has {dimension} dimensions, but the image has {stages.dimension}."
            )
        if kind == "BSplineTransform":
            _append_spline_object(leaf, is_simple, stages, device, own)
        elif _is_field(kind):
            _append_field_object(leaf, interpolators.pop(), stages, device, own)
        elif leaf.IsLinear():
            stages.add_affine(*_linear_map(leaf, dimension), own)
        else:
            raise TypeError(
                f"{own}: {kind} is not a supported type of transform; convert it to a displacement field."
            )


def _leaves_of(transform: Any, name: str) -> Iterator[tuple[Any, str, str]]:
    """(transform, name, class) of the members of a composite of composites, the first one first; or
    of a transform itself."""
    is_simple = _is_simple(transform)
    if is_simple and type(transform).__name__ == "Transform":
        try:
            transform = transform.Downcast()
        except RuntimeError:  # SimpleITK has no class for it
            yield transform, name, transform.GetName()
            return
    kind = transform.GetName() if is_simple else transform.GetNameOfClass()
    only = _only_of_composite(transform) if is_simple and kind == "CompositeTransform" else None
    if only is not None or kind != "CompositeTransform":
        yield transform, name, only or kind
        return
    for i in range(transform.GetNumberOfTransforms()):
        yield from _leaves_of(transform.GetNthTransform(i), f"{name}[{i}]")


def _only_of_composite(composite: Any) -> Optional[str]:
    """The class of the transform that SimpleITK has put into a composite since it has no class for
    it, as for ITK's MatrixOffsetTransformBase: what such a composite gives as its transform is a
    composite of the same kind, without end. None for all other composites."""
    if (
        composite.GetNumberOfTransforms() != 1
        or composite.GetNthTransform(0).GetName() != "CompositeTransform"
    ):
        return None
    found = re.search(r">>>>>>>>>\s*(\w+) \(", str(composite))
    return None if found is None or found.group(1) == "CompositeTransform" else found.group(1)


def _interpolators_of(transform: Any) -> list[str]:
    """Names of the classes by which a transform, or those in a composite, interpolate fields."""
    found: Any = transform.GetInterpolator() if hasattr(transform, "GetInterpolator") else None
    if hasattr(found, "GetNameOfClass"):
        return [str(found.GetNameOfClass())]
    return re.findall(r"^\s*Interpolator:\s*(\w+)", str(transform), re.MULTILINE)


def _is_field(kind: str) -> bool:
    return bool(kind.endswith("DisplacementFieldTransform"))


def _linear_map(transform: Any, dimension: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Matrix and offset: the offset is where the origin goes, to the bit."""
    zero = [0.0] * dimension
    offset = numpy.array([transform.TransformPoint(zero)[d] for d in range(dimension)])
    if hasattr(transform, "GetMatrix"):
        matrix = transform.GetMatrix()
        if hasattr(matrix, "GetVnlMatrix"):
            matrix = sys.modules["itk"].array_from_matrix(matrix)
        return numpy.asarray(matrix, dtype=numpy.float64).reshape(dimension, dimension), offset
    columns = numpy.empty((dimension, dimension))
    for d in range(dimension):
        unit = [float(i == d) for i in range(dimension)]
        moved = (
            transform.TransformVector(unit, zero)
            if _is_simple(transform)
            else transform.TransformVector(unit)
        )
        columns[:, d] = [moved[i] for i in range(dimension)]
    return columns, offset


def _is_simple(transform: Any) -> bool:
    return type(transform).__module__.split(".", 1)[0] == "SimpleITK"


def _append_spline_object(
    transform: Any, is_simple: bool, stages: Stages, device: int, name: str
) -> None:
    dimension = stages.dimension
    geometry = grid_of_parameters(_numbers(transform.GetFixedParameters()), dimension, name)
    parameters = numpy.array(_numbers(transform.GetParameters()), dtype=numpy.float64)
    order = transform.GetOrder() if is_simple else _order_of_itk(transform)
    if parameters.size == 0:
        return  # without coefficients ITK's transform is the identity
    if not numpy.all(numpy.isfinite(parameters)):
        raise ValueError(f"{name}: its parameters are not finite.")
    if parameters.size != dimension * math.prod(geometry.size):
        raise ValueError(
            f"{name}: a grid of {geometry.size} needs {dimension * math.prod(geometry.size)} parameters, not {parameters.size}."
        )
    stages.add_spline(parameters.reshape(dimension, *geometry.shape), geometry, order, name, device)


def _order_of_itk(transform: Any) -> int:
    _, parameters = sys.modules["itk"].template(transform)
    return int(parameters[2]) if len(parameters) > 2 else 3


def _numbers(parameters: Any) -> Sequence[float]:
    if hasattr(parameters, "GetElement"):  # itk.OptimizerParameters
        return [parameters.GetElement(i) for i in range(parameters.Size())]
    return list(parameters)


def _append_field_object(
    transform: Any, interpolator: str, stages: Stages, device: int, name: str
) -> None:
    field = transform.GetDisplacementField()
    if field is None:
        raise ValueError(f"{name}: the transform has no displacement field.")
    is_nearest = "NearestNeighbor" in interpolator
    if not is_nearest and "Linear" not in interpolator:
        raise TypeError(
            f"{name}: a field interpolated by {interpolator} is not a known type of transform."
        )
    pixels = _images.open_image(field, name)
    stages.keep((transform, pixels))
    stages.add_field(pixels.buffer.array, pixels.geometry, is_nearest, False, name, device)
