"""Arrays of Dask and clusters of Dask: images that no memory holds, and batches of images on
several machines.

prefilter() and resample() take dask.array.Array, lazily: each chunk of the result is computed of
the part of the image that it reads, and has the bits that cudaspline.prefilter() and
cudaspline.resample() of the whole have. batch() resamples many images on a cluster of
dask.distributed. Dask schedules; nothing here does.

Needs dask, NumPy's kind of arrays in its chunks, and for batch() distributed: pip install
"cudaspline[dask]".
"""

try:
    import dask.array as _dask_array  # noqa: F401
except ImportError as _error:
    raise ImportError(
        'cudaspline.dask: Dask is not installed; pip install "cudaspline[dask]", or dask[array] and distributed.'
    ) from _error

import importlib as _importlib
from typing import Any as _Any

from ._arrays import prefilter, resample
from ._batch import BatchError, Done, Failure, Summary, batch


def __getattr__(name: str) -> _Any:
    """register() is that of cudaspline.cohort, which is made of this package."""
    if name == "register":
        return _importlib.import_module("cudaspline.cohort").register
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BatchError", "Done", "Failure", "Summary", "batch", "prefilter", "register", "resample"]  # noqa: F822
