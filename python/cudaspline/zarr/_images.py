"""Images of OME-Zarr stores, of which only the windows that are needed are read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Optional

import dask.array
import ngff_zarr
import numpy
import zarr
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from .. import Geometry, Image
from ..dask._arrays import Box, Opened
from ..images._foreign_images import geometry_of_foreign

#: Voxels of a level that load() and register() take by default: 1024^3 / 8.
VOXELS = 2**27


class StoreError(ValueError):
    """A store, or a chunk of it, is missing or damaged; the message has its name."""


@dataclass(frozen=True)
class Level:
    """An array of a multiscale image, with the positions of its samples."""

    #: The array of zarr: t, c, z, y, x, of which the first two may be missing.
    array: Any
    #: Names of its axes.
    axes: tuple[str, ...]
    #: Of the axes of space.
    geometry: Geometry
    #: Of lengths; None if the store does not have it.
    unit: Optional[str]


def levels(store: Any) -> list[Geometry]:
    """The grids of the levels of a multiscale image, the finest one first. No samples are read.

    store: as for read()

    Examples
    --------
    >>> import numpy, tempfile
    >>> import cudaspline.zarr
    >>> store = tempfile.mkdtemp() + "/image.zarr"
    >>> cudaspline.zarr.write(numpy.ones((8, 9, 10), "u2"), store, scales=1)
    >>> [level.size for level in cudaspline.zarr.levels(store)]
    [(10, 9, 8), (5, 4, 4)]
    """
    return [level.geometry for level in open_levels(store)]


def open_multiscales(store: Any) -> Any:
    """The metadata of an image. Raises StoreError."""
    path = os.fspath(store) if isinstance(store, (str, os.PathLike)) else store
    if isinstance(path, str) and "://" not in path and not os.path.exists(path):
        raise FileNotFoundError(f"store: there is no {path}.")
    try:
        return ngff_zarr.from_ome_zarr(path)
    except Exception as error:  # of whatever kind the libraries raise
        raise StoreError(
            f"store: {store} is not an OME-Zarr image that can be read: {error}"
        ) from error


def open_levels(store: Any) -> list[Level]:
    """The levels of an image, the finest one first. Raises StoreError."""
    multiscales = open_multiscales(store)
    try:
        group = zarr.open_group(store, mode="r")
        arrays = [group[dataset.path] for dataset in multiscales.metadata.datasets]
    except Exception as error:
        raise StoreError(f"store: {store} has no array of a level: {error}") from error
    found = []
    for array, image in zip(arrays, multiscales.images):
        axes = tuple(str(axis) for axis in image.dims)
        space = [axis for axis in axes if axis in ("z", "y", "x")]
        if "".join(space) not in ("zyx", "yx") or axes[-len(space) :] != tuple(space):
            raise StoreError(
                f"store: the axes of {store} are {axes}; those of space must be the last ones, as z, y, x."
            )
        whole = geometry_of_foreign(image, "store")
        count = len(space)
        geometry = Geometry(
            whole.size[:count],
            whole.spacing[:count],
            whole.origin[:count],
            whole.direction[:count, :count],
        )
        found.append(Level(array, axes, geometry, (image.axes_units or {}).get("x")))
    return found


def choose_level(store: Any, level: Optional[int], voxels: Optional[int]) -> Level:
    """A level by its number, or the finest one that has at most a number of voxels. Raises ValueError, naming the
    argument."""
    found = open_levels(store)
    if level is not None:
        if not -len(found) <= level < len(found):
            raise ValueError(
                f"level: {level} does not exist; {store} has {len(found)} levels, numbered from 0."
            )
        return found[level]
    if voxels is None:
        return found[0]
    fitting = [one for one in found if numpy.prod([float(n) for n in one.geometry.size]) <= voxels]
    if not fitting:
        raise ValueError(
            f"voxels: the coarsest level of {store} has the size {found[-1].geometry.size}, which is more than {voxels} voxels."
        )
    return fitting[0]


def prefix_of(level: Level, channel: int, time: int) -> tuple[int, ...]:
    """The indices of a volume along the axes that are not of space. Raises ValueError, naming the argument."""
    prefix = []
    for axis, count in zip(level.axes, level.array.shape[: -level.geometry.dimension]):
        name, index = {"c": ("channel", channel), "t": ("time", time)}.get(axis, (axis, 0))
        if not 0 <= index < count:
            raise ValueError(
                f"{name}: {index} does not exist; {level.array.store} has {count}, numbered from 0."
            )
        prefix.append(index)
    return tuple(prefix)


def read_window(array: Any, index: tuple[Any, ...]) -> numpy.ndarray:
    """A part of an array. Raises StoreError for a chunk that cannot be decoded."""
    try:
        found: numpy.ndarray = numpy.ascontiguousarray(array[index])
    except Exception as error:  # of the codec, the store or the file system
        raise StoreError(
            f"store: {array.store_path} cannot be read at {_text_of(index)}: {type(error).__name__}: {error}"
        ) from error
    return found.astype(found.dtype.newbyteorder("="), copy=False)


def _text_of(index: tuple[Any, ...]) -> str:
    return ", ".join(
        f"{one.start}:{one.stop}" if isinstance(one, slice) else str(one) for one in index
    )


@dataclass
class StoredImage(Opened):
    """An image of a store, for cudaspline.dask.resample(): each task reads its own window."""

    level: Optional[Level] = None
    prefix: tuple[int, ...] = ()
    #: Samples of the largest window that has been asked for.
    largest: int = 0

    def window(self, box: Box) -> Any:
        """The samples of a box in one chunk, which one task reads from the store."""
        assert self.level is not None
        if any(
            first < 0 or first + count > size for (first, count), size in zip(box, self.array.shape)
        ):
            return super().window(box)  # across the ends of a periodic axis
        shape = tuple(count for _, count in box)
        self.largest = max(self.largest, int(numpy.prod(shape)))
        index = (*self.prefix, *(slice(first, first + count) for first, count in box))
        return lazy(self.level.array, index, shape)


def lazy(array: Any, index: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """A Dask array of one chunk that is a part of an array of a store."""
    name = f"cudaspline-zarr-{tokenize(str(array.store_path), array.shape, index)}"
    key = (name, *(0 for _ in shape))
    tasks: dict[Any, Any] = {key: (read_window, array, index)}
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[])
    meta = numpy.empty((0,) * len(shape), array.dtype.newbyteorder("="))
    return dask.array.Array(graph, name, tuple((n,) for n in shape), meta=meta)  # type: ignore[no-untyped-call, unused-ignore]


def open_stored(level: Level, channel: int, time: int) -> StoredImage:
    """An image for cudaspline.dask.resample(), which becomes an Image."""
    prefix = prefix_of(level, channel, time)
    return StoredImage(
        _array_of(level, prefix),
        level.geometry,
        components=1,
        channels=False,
        finish=lambda made, grid: Image.of(made, grid, False),
        is_shared=False,
        level=level,
        prefix=prefix,
    )


def _array_of(level: Level, prefix: tuple[int, ...]) -> Any:
    whole = dask.array.from_array(level.array, chunks=level.array.chunks, inline_array=True)  # type: ignore[no-untyped-call, unused-ignore]
    return whole[prefix] if prefix else whole


def read(
    store: Any,
    *,
    level: Optional[int] = None,
    voxels: Optional[int] = None,
    channel: int = 0,
    time: int = 0,
) -> Image:
    """An image of a store as a cudaspline.Image of a Dask array: samples are read where they are needed.

    Parameters
    ----------
    store
        The folder of an OME-Zarr image, or whatever zarr opens as a group: an address, a zarr.storage object.
    level
        Its number: 0 is the finest one. None: the finest one that has at most voxels samples.
    voxels
        None: any number.
    channel, time
        The volume along the axes c and t, if it has them.

    Raises
    ------
    FileNotFoundError, StoreError, ValueError
        The store is missing or damaged, or an argument is not of the store; the message begins with its name.

    Examples
    --------
    >>> import numpy, tempfile
    >>> import cudaspline.zarr
    >>> store = tempfile.mkdtemp() + "/image.zarr"
    >>> cudaspline.zarr.write(cudaspline.Image(numpy.ones((8, 9, 10), "u2"), spacing=0.5), store)
    >>> cudaspline.zarr.read(store).spacing
    array([0.5, 0.5, 0.5])
    """
    chosen = choose_level(store, level, voxels)
    return Image.of(_array_of(chosen, prefix_of(chosen, channel, time)), chosen.geometry, False)


def load(
    store: Any,
    *,
    level: Optional[int] = None,
    voxels: Optional[int] = VOXELS,
    channel: int = 0,
    time: int = 0,
) -> Image:
    """An image of a store in memory: by default the finest level of at most 2^27 voxels. Arguments and errors are those
    of read().

    Examples
    --------
    >>> import numpy, tempfile
    >>> import cudaspline.zarr
    >>> store = tempfile.mkdtemp() + "/image.zarr"
    >>> cudaspline.zarr.write(numpy.ones((8, 9, 10), "u2"), store, scales=1)
    >>> cudaspline.zarr.load(store, voxels=100).shape
    (4, 4, 5)
    """
    chosen = choose_level(store, level, voxels)
    array = read_window(
        chosen.array,
        (*prefix_of(chosen, channel, time), *(slice(0, n) for n in chosen.geometry.shape)),
    )
    return Image.of(array, chosen.geometry, False)
