"""Coordinate transformations of RFC-5 (OME-Zarr 0.6), converted by ngff-zarr."""

from __future__ import annotations

import os
from typing import Any, Optional

import itkwasm
import ngff_zarr
import numpy
from ngff_zarr.v06 import zarr_metadata as rfc5

from .. import DisplacementField, Geometry, Image, Transform
from ..dask._files import folder_written_once
from ._images import StoreError, open_multiscales
from ._writing import check_output

#: Where the store of a transform has its field.
_FIELD = "displacements"


def read_transform(store: Any, name: Optional[str] = None) -> Transform:
    """A coordinate transformation of a store: affine and simpler ones, displacements, coordinates, and sequences of
    these.

    Parameters
    ----------
    store
        A store of a transformation alone, as write_transform() makes it, or of an image with transformations.
    name
        Of a transformation, if there are several; None: the only one.

    Returns
    -------
    A cudaspline.Transform from points of the transformation's input to points of its output, x first, in the unit of
    the store.

    Raises
    ------
    FileNotFoundError, StoreError, ValueError
        The message begins with the argument's name.

    Examples
    --------
    >>> import tempfile
    >>> import cudaspline, cudaspline.zarr
    >>> store = tempfile.mkdtemp() + "/shift.zarr"
    >>> cudaspline.zarr.write_transform(cudaspline.Transform([[1, 0, 3], [0, 1, 0]], 2), store)
    >>> cudaspline.zarr.read_transform(store).apply([1.0, 2.0])
    array([4., 2.])
    """
    if isinstance(store, (str, os.PathLike)) and not os.path.exists(store):
        raise FileNotFoundError(f"transform: there is no {store}.")
    return _convert(_find(store, name), store)


def _find(store: Any, name: Optional[str]) -> Any:
    """The transformation of a store, as ngff-zarr reads it."""
    try:
        return ngff_zarr.from_ome_zarr(store, kind="transformation")
    except Exception as error:  # it is an image, or damaged
        first = error
    try:
        found = getattr(open_multiscales(store).metadata, "coordinateTransformations", None) or []
    except StoreError:
        raise StoreError(
            f"transform: {store} has no transformation that can be read: {first}"
        ) from first
    named = [one for one in found if name is None or one.name == name]
    if len(named) != 1:
        wanted = "" if name is None else f" of the name {name!r}"
        raise ValueError(f"name: {store} has {len(named)} transformations{wanted}; one is needed.")
    return named[0]


def _convert(transformation: Any, store: Any) -> Transform:
    if isinstance(transformation, rfc5.TransformSequence):
        whole: Optional[Transform] = None
        for step in transformation.transformations:  # the first one is applied first
            one = _convert(step, store)
            whole = one if whole is None else one @ whole
        if whole is None:
            raise StoreError(f"transform: the sequence of {store} is empty.")
        return whole
    fields, dims = {}, None
    try:
        if isinstance(transformation, (rfc5.Displacements, rfc5.Coordinates)):
            image = ngff_zarr.from_ome_zarr(os.path.join(store, transformation.path)).images[0]
            fields, dims = (
                {transformation.path: image},
                [dim for dim in image.dims if dim in ("z", "y", "x")],
            )
        else:
            dims = ["z", "y", "x"][-_dimension_of(transformation) :]
        found = ngff_zarr.ngff_transform_to_itk_transform(transformation, dims, fields=fields)
    except StoreError:
        raise
    except Exception as error:
        raise StoreError(f"transform: {store} cannot be converted: {error}") from error
    return Transform(_of_itk(found[0]), len(dims))


def _dimension_of(transformation: Any) -> int:
    """Axes of a linear transformation, by its parameters."""
    for parameter in ("affine", "rotation", "scale", "translation", "mapAxis"):
        values = getattr(transformation, parameter, None)
        if values is not None:
            return len(values)
    return 3


def _of_itk(entry: Any) -> Any:
    """A transform of itkwasm as one that resample() takes."""
    dimension = entry.transformType.inputDimension
    parameters = numpy.asarray(entry.parameters)
    if "DisplacementField" in str(entry.transformType.transformParameterization):
        size, origin, spacing, *direction = numpy.asarray(entry.fixedParameters).reshape(
            -1, dimension
        )
        grid = Geometry(size.astype(int).tolist(), spacing, origin, direction)
        return DisplacementField(
            parameters.reshape(*grid.shape, dimension), spacing, origin, direction
        )
    matrix = parameters[: dimension * dimension].reshape(dimension, dimension)
    centre = numpy.asarray(entry.fixedParameters)
    offset = parameters[dimension * dimension :] + centre - matrix @ centre
    return numpy.hstack([matrix, offset[:, None]])


def write_transform(transform: Any, store: Any, grid: Any = None) -> None:
    """Writes a transform as a coordinate transformation of RFC-5 to a new store: an affine one as such, others as
    displacements on a grid.

    Parameters
    ----------
    transform
        Whatever cudaspline.resample() takes.
    store
        The name of a folder that does not exist.
    grid
        Of displacements: an image or a Geometry along the axes of space.

    Raises
    ------
    FileExistsError, OSError, TypeError, ValueError
        The message begins with the argument's name.

    Examples
    --------
    >>> import tempfile
    >>> import cudaspline, cudaspline.zarr
    >>> store = tempfile.mkdtemp() + "/shift.zarr"
    >>> cudaspline.zarr.write_transform(cudaspline.Transform([[1, 0, 3], [0, 1, 0]], 2), store)
    >>> cudaspline.zarr.read_transform(store).apply([1.0, 2.0])
    array([4., 2.])
    """
    path = check_output(store)
    made = (
        transform
        if isinstance(transform, Transform)
        else Transform(transform, getattr(grid, "dimension", None))
    )
    dims = ("z", "y", "x")[-made.dimension :]
    if made.is_linear:
        affine = ngff_zarr.itk_transform_to_ngff_transform(_to_itk(made), dims, simplify=False)
        with folder_written_once(path) as part:
            ngff_zarr.to_ome_zarr(str(part), affine, version="0.6")
        return
    if grid is None:
        raise ValueError("grid: displacements need the grid of an image or a Geometry.")
    displacements, field = ngff_zarr.itk_displacement_field_to_ngff_transform(
        _field_of(made.field(grid)), dims, path=_FIELD
    )
    with folder_written_once(path) as part:
        ngff_zarr.to_ome_zarr(
            f"{part}/{_FIELD}",
            ngff_zarr.to_multiscales(field, scale_factors=[], cache=False),
            version="0.6",
        )
        ngff_zarr.to_ome_zarr(str(part), displacements, version="0.6", overwrite=False)


def _to_itk(transform: Transform) -> Any:
    dimension, matrix = transform.dimension, transform.matrix
    kind = itkwasm.TransformType(
        transformParameterization=itkwasm.TransformParameterizations.Affine,
        parametersValueType=itkwasm.FloatTypes.Float64,
        inputDimension=dimension,
        outputDimension=dimension,
    )
    parameters = numpy.concatenate([matrix[:-1, :-1].ravel(), matrix[:-1, -1]])
    return itkwasm.Transform(
        kind,
        numberOfFixedParameters=dimension,
        numberOfParameters=len(parameters),
        fixedParameters=numpy.zeros(dimension),
        parameters=parameters,
    )


def _field_of(field: Image) -> Any:
    """Displacements as a vector image of itkwasm."""
    grid = field.geometry
    kind = itkwasm.ImageType(
        dimension=grid.dimension,
        componentType=itkwasm.FloatTypes.Float32,
        pixelType=itkwasm.PixelTypes.Vector,
        components=grid.dimension,
    )
    return itkwasm.Image(
        kind,
        origin=grid.origin.tolist(),
        spacing=grid.spacing.tolist(),
        direction=numpy.array(grid.direction),
        size=list(grid.size),
        data=numpy.ascontiguousarray(field.array, "float32"),
    )
