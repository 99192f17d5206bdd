"""Resampling from store to store, in blocks that fit a limit of memory."""

from __future__ import annotations

import math
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Optional

import dask
import dask.array
import numpy

from .. import Geometry, Image
from ..dask import resample as resample_lazily
from ..dask._files import folder_written_once
from ._images import choose_level, open_stored
from ._transforms import read_transform
from ._writing import CHUNK, check_output, create, describe, store_blocks, write_coarser_levels

#: Bytes that blocks take together by default.
_MEMORY = 2 * 2**30
#: Samples of a block along an axis beyond which larger ones save nothing: their margins are less than a tenth.
_LARGEST_BLOCK = 512


def resample(
    image: Any,
    output: Any,
    transform: Any = None,
    reference: Any = None,
    *,
    level: Optional[int] = None,
    channel: int = 0,
    time: int = 0,
    version: str = "0.5",
    chunk: int = CHUNK,
    shards: Optional[int] = None,
    scales: Optional[int] = None,
    unit: Optional[str] = None,
    memory_limit: int = _MEMORY,
    workers: Optional[int] = None,
    progress: bool = False,
    **options: Any,
) -> None:
    """Resamples an image of an OME-Zarr store to a new store, block by block; the samples have the bits of
    cudaspline.resample() of the whole.

    Each block of the output is one task of Dask: it reads the window of the image that the block needs, resamples it
    and writes whole chunks. With a current client of dask.distributed its workers do this, which must see both stores.

    Parameters
    ----------
    image
        As for read().
    output
        The name of a folder that does not exist. It gets its name when everything has been written.
    transform
        As for cudaspline.resample(), or the name of a store with a transform: its points are in the unit of the stores.
        Fields are in memory: they are usually on a coarser grid.
    reference
        The grid of the output: as for cudaspline.resample(), or the name of an OME-Zarr store, of which the finest
        level counts.
    level, channel, time
        As for read().
    version, chunk, shards, scales, unit
        As for write(). unit: None: that of the image.
    memory_limit
        Bytes of all blocks that are in memory at once, in addition to the transform and the libraries.
    workers
        Blocks that are computed at once; None: the processors of the machine, at most 8.
    progress
        Draws Dask's progress bar.
    options
        All others of cudaspline.dask.resample(): size, spacing, interpolation, order, dtype, device, ...

    Raises
    ------
    FileNotFoundError, FileExistsError, OSError, StoreError, TypeError, ValueError
        The message begins with the argument's name. No output remains after an error.

    Examples
    --------
    >>> import numpy, tempfile
    >>> import cudaspline.zarr
    >>> folder = tempfile.mkdtemp()
    >>> cudaspline.zarr.write(numpy.ones((8, 9, 10), "u2"), f"{folder}/image.zarr")
    >>> cudaspline.zarr.resample(f"{folder}/image.zarr", f"{folder}/fine.zarr", spacing=0.5, order=3)
    >>> cudaspline.zarr.read(f"{folder}/fine.zarr").shape
    (16, 18, 20)
    """
    path = check_output(output)
    chosen = choose_level(image, level, None)
    workers = workers or min(os.cpu_count() or 1, 8)
    reference = _grid_of(reference)
    if isinstance(transform, (str, os.PathLike)) and _is_store(transform):
        transform = read_transform(transform)
    made, smallest = None, chunk * (shards or 1)
    block = max(_LARGEST_BLOCK // smallest * smallest, smallest)
    while made is None:
        stored = open_stored(chosen, channel, time)
        made = resample_lazily(stored, transform, reference, chunks=block, **options)
        needed = workers * _bytes_of(stored, made, block)
        if needed > memory_limit and block > smallest:
            made, block = None, max(block * 3 // 4 // smallest * smallest, smallest)
    if needed > memory_limit:
        raise ValueError(
            f"memory_limit: blocks of {block} samples per axis, the smallest ones for the chunks and shards of the output, "
            f"need {needed} bytes with {workers} workers; {memory_limit} are allowed."
        )
    _write(
        made,
        path,
        version,
        chunk=chunk,
        shards=shards,
        scales=scales,
        unit=unit or chosen.unit,
        options=options,
        workers=workers,
        progress=progress,
    )


def _bytes_of(stored: Any, made: Image, block: int) -> int:
    """What one block takes: the window as it is read and decoded, its coefficients twice while they are filtered, and
    the output."""
    element = numpy.result_type(stored.array.dtype, made.array.dtype, numpy.float32).itemsize
    outputs = math.prod(min(block, n) for n in made.array.shape)
    return int(
        stored.largest * (2 * stored.array.dtype.itemsize + 2 * element)
        + 2 * outputs * made.array.dtype.itemsize
    )


def _write(
    made: Image,
    path: Path,
    version: str,
    chunk: int,
    shards: Optional[int],
    scales: Optional[int],
    unit: Optional[str],
    options: Any,
    workers: int,
    progress: bool,
) -> None:
    is_labels = str(options.get("interpolation", "")).startswith(("nearest", "label"))
    shape = made.array.shape
    empty = dask.array.zeros(shape, dtype=made.array.dtype, chunks=chunk)  # type: ignore[no-untyped-call, unused-ignore]
    multiscales = describe(empty, made.geometry, scales, unit, chunk)
    with folder_written_once(path) as part:
        target = create(part, multiscales, version, shards)
        with dask.config.set(num_workers=workers), _bar(progress):
            store_blocks(made.array, target)
            write_coarser_levels(part, multiscales, is_labels)


def _bar(progress: bool) -> Any:
    if not progress:
        return nullcontext()
    from dask.diagnostics.progress import ProgressBar

    return ProgressBar()  # type: ignore[no-untyped-call, unused-ignore]


def _is_store(name: Any) -> bool:
    """Whether a name is that of a folder with the metadata of zarr."""
    return any(
        os.path.exists(os.path.join(name, file)) for file in ("zarr.json", ".zattrs", ".zgroup")
    )


def _grid_of(reference: Any) -> Any:
    """The grid of a store, and all else as it is."""
    if isinstance(reference, (str, os.PathLike)) and _is_store(reference):
        found: Geometry = choose_level(reference, None, None).geometry
        return found
    return reference
