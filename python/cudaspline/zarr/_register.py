"""Registration of images of stores, at the level that fits."""

from __future__ import annotations

from typing import Any, Optional

from .. import register as register_in_memory
from ._images import VOXELS, load


def register(
    fixed: Any,
    moving: Any,
    stages: Any = None,
    *,
    level: Optional[int] = None,
    voxels: int = VOXELS,
    channel: int = 0,
    time: int = 0,
    **options: Any,
) -> Any:
    """Registers two images of OME-Zarr stores at a level that fits into memory; the transform is for all levels, as their points are the same.

    Parameters
    ----------
    fixed, moving
        As for read().
    stages, options
        As for cudaspline.register().
    level, voxels, channel, time
        As for read(), of both images: by default each image's finest level of at most 2^27 voxels.

    Returns
    -------
    A cudaspline.Registration of the levels. resample(moving, output, found.transform, fixed) applies it at full size.
    """
    read = {"level": level, "voxels": voxels, "channel": channel, "time": time}
    return register_in_memory(load(fixed, **read), load(moving, **read), stages, **options)
