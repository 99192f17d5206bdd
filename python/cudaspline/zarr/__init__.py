"""Images and transforms in OME-Zarr stores, read and written by zarr and ngff-zarr, and resampled from store to store
in bounded memory.

Versions 0.4, 0.5 and 0.6 of OME-Zarr; the last one has the coordinate transformations of RFC-5. Lengths are in the unit
of the store, which stands for mm. Needs zarr, ngff-zarr and dask: pip install "cudaspline[zarr]".
"""

from importlib.util import find_spec as _find_spec

for _name, _package in (
    ("zarr", "zarr"),
    ("ngff_zarr", "ngff-zarr"),
    ("dask.array", "dask[array]"),
):
    try:
        _found = _find_spec(_name)
    except ModuleNotFoundError:
        _found = None
    if _found is None:
        raise ImportError(
            f'cudaspline.zarr: {_package} is not installed; pip install "cudaspline[zarr]" installs what is needed.'
        )

from ._images import StoreError, levels, load, read
from ._register import register
from ._resample import resample
from ._transforms import read_transform, write_transform
from ._writing import write

__all__ = [
    "StoreError",
    "levels",
    "load",
    "read",
    "read_transform",
    "register",
    "resample",
    "write",
    "write_transform",
]
