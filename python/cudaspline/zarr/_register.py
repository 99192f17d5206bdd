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
    """Registers two images of OME-Zarr stores at a level that fits into memory; the transform is for all levels, as
    their points are the same.

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

    Examples
    --------
    >>> import numpy, tempfile
    >>> import cudaspline.zarr
    >>> folder = tempfile.mkdtemp()
    >>> y, x = numpy.mgrid[:24, :32]
    >>> for name, shift in (("fixed", 0), ("moving", 2)):
    ...     image = 1000 * numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40)
    ...     cudaspline.zarr.write(image.astype("u2"), f"{folder}/{name}.zarr")
    >>> found = cudaspline.zarr.register(f"{folder}/fixed.zarr", f"{folder}/moving.zarr", "translation", device="cpu")
    >>> found.transform.apply([15.0, 12.0]).round(1)
    array([17., 12.])
    """
    read: dict[str, Any] = {"level": level, "voxels": voxels, "channel": channel, "time": time}
    return register_in_memory(load(fixed, **read), load(moving, **read), stages, **options)
