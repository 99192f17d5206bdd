"""Images written to OME-Zarr stores: complete under their names, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Sequence

import dask.array
import ngff_zarr
import numpy
import zarr

from .. import Geometry, Image
from ..dask._files import folder_written_once

#: Of chunks, samples an axis.
CHUNK = 64
#: Levels end where an axis would have fewer samples.
_SMALLEST = 64


def check_output(store: Any) -> Path:
    """The path of a new store. Raises TypeError, ValueError or FileExistsError."""
    if not isinstance(store, (str, os.PathLike)) or "://" in os.fspath(store):
        raise TypeError(
            f"output: {store!r} is not the name of a folder on a file system; copy the store afterwards."
        )
    path = Path(os.path.abspath(store))
    if path.exists():
        raise FileExistsError(f"output: {path} exists.")
    if not path.parent.is_dir():
        raise ValueError(f"output: there is no folder {path.parent}.")
    return path


def scales_of(geometry: Geometry, scales: Optional[int]) -> list[dict[str, int]]:
    """Factors of the coarser levels, each from the finest one: 2, 4, ... while an axis has 64 samples or more."""
    axes = "xyz"[: geometry.dimension]
    found: list[dict[str, int]] = []
    while scales is None or len(found) < scales:
        factor = 2 ** (len(found) + 1)
        if scales is None and max(geometry.size) // factor < _SMALLEST:
            break
        found.append({axis: factor for axis, n in zip(axes, geometry.size) if n >= factor})
    return found


def describe(
    array: Any, geometry: Geometry, scales: Optional[int], unit: Optional[str], chunk: int
) -> Any:
    """The multiscales of ngff-zarr of a Dask array. Raises ValueError for directions that are not those of the axes of
    space."""
    if not numpy.array_equal(geometry.direction, numpy.eye(geometry.dimension)):
        raise ValueError(
            "image: the direction of the grid is not the identity, which OME-Zarr cannot store; resample it to a grid "
            "along the axes of space."
        )
    axes = "xyz"[: geometry.dimension]
    image = ngff_zarr.to_ngff_image(
        array,
        dims=tuple(axes[::-1]),  # type: ignore[arg-type, unused-ignore]
        scale=dict(zip(axes, geometry.spacing.tolist())),
        translation=dict(zip(axes, geometry.origin.tolist())),
        axes_units=None if unit is None else {axis: unit for axis in axes},  # type: ignore[misc, unused-ignore]
    )
    method = ngff_zarr.Methods.ITKWASM_BIN_SHRINK  # it has the grids of means of 2 x 2 x 2 samples
    found = ngff_zarr.to_multiscales(
        image, scale_factors=scales_of(geometry, scales), method=method, chunks=chunk, cache=False
    )
    found.metadata.type, found.metadata.metadata = "mean", None
    return found


def create(store: Path, multiscales: Any, version: str, shards: Optional[int]) -> Any:
    """Makes an empty store, and returns the array of the finest level."""
    ngff_zarr.to_ome_zarr(
        str(store), multiscales, version=version, metadata_only=True, chunks_per_shard=shards
    )
    return zarr.open_group(str(store), mode="r+")[multiscales.metadata.datasets[0].path]


def write_coarser_levels(store: Path, multiscales: Any, is_labels: bool) -> None:
    """Computes each coarser level from the one before it in the store: means of 2 x 2 x 2 samples, or their most
    frequent label."""
    group: Any = zarr.open_group(str(store), mode="r+")
    reduction: Any = _most_frequent if is_labels else numpy.mean
    paths = [dataset.path for dataset in multiscales.metadata.datasets]
    for path, coarser in zip(paths, paths[1:]):
        target, source = group[coarser], group[path]
        edges = [
            n * (f // m if m else 1)
            for n, f, m in zip(_block_of(target), source.shape, target.shape)
        ]
        array = dask.array.from_array(source, chunks=edges)  # type: ignore[no-untyped-call, unused-ignore]
        factors = {axis: n // m for axis, (n, m) in enumerate(zip(source.shape, target.shape))}
        made = dask.array.coarsen(reduction, array, factors, trim_excess=True)  # type: ignore[no-untyped-call, unused-ignore]
        if numpy.issubdtype(target.dtype, numpy.integer):
            made = made.round()
        store_blocks(made.astype(target.dtype).rechunk(_block_of(target)), target)


def _most_frequent(blocks: numpy.ndarray, axis: tuple[int, ...] = ()) -> Any:
    """The most frequent number along axes, the smallest one of several; without axes Dask asks for the type."""
    if not axis:
        return blocks.ravel()[0]
    kept = [n for a, n in enumerate(blocks.shape) if a not in axis]
    rows = numpy.sort(
        numpy.moveaxis(blocks, axis, range(-len(axis), 0)).reshape(*kept, -1), axis=-1
    )
    counts = (rows[..., :, None] == rows[..., None, :]).sum(axis=-1)
    return numpy.take_along_axis(rows, counts.argmax(axis=-1)[..., None], axis=-1)[..., 0]


def write(
    image: Any,
    store: Any,
    *,
    version: str = "0.5",
    chunk: int = CHUNK,
    shards: Optional[int] = None,
    scales: Optional[int] = None,
    unit: Optional[str] = None,
    is_labels: bool = False,
) -> None:
    """Writes an image of one number a voxel to a new OME-Zarr store, complete or not at all.

    Parameters
    ----------
    image
        A cudaspline.Image of an array of NumPy or Dask, or such an array.
    store
        The name of a folder that does not exist.
    version
        Of OME-Zarr: "0.4", "0.5" or "0.6".
    chunk
        Samples of a chunk along each axis.
    shards
        Chunks of a shard along each axis, from version 0.5 on; None: no shards.
    scales
        The number of coarser levels; None: as many as keep 64 samples along the longest axis.
    unit
        Of lengths, as "micrometer"; None: not stored.
    is_labels
        Coarser levels have the most frequent label, not the mean.

    Raises
    ------
    FileExistsError, OSError, TypeError, ValueError
        The message begins with the argument's name.

    Examples
    --------
    >>> import numpy, tempfile
    >>> import cudaspline.zarr
    >>> cudaspline.zarr.write(numpy.ones((8, 9, 10), "u2"), tempfile.mkdtemp() + "/image.zarr", version="0.4")
    """
    path = check_output(store)
    owner = image if isinstance(image, Image) else Image(image)
    array: Any = owner.array
    if not isinstance(array, dask.array.Array):
        array = dask.array.from_array(numpy.asarray(array))  # type: ignore[no-untyped-call, unused-ignore]
    array = array.rechunk(chunk)
    multiscales = describe(array, owner.geometry, scales, unit, chunk)
    with folder_written_once(path) as part:
        target = create(part, multiscales, version, shards)
        store_blocks(array.rechunk(_block_of(target)), target)
        write_coarser_levels(part, multiscales, is_labels)


def _block_of(target: Any) -> Sequence[int]:
    """What one task writes: chunks, or shards if there are any."""
    found: Sequence[int] = target.shards or target.chunks
    return found


def store_blocks(array: Any, target: Any, **options: Any) -> None:
    """Writes a Dask array whose chunks do not share chunks of the store. options: of Dask's scheduler"""
    dask.array.store(array, target, lock=False, **options)  # type: ignore[no-untyped-call, unused-ignore]
