"""CudaSpline: B-spline prefilter, interpolation and resampling of images on the GPU, or on the host where there is none.

resample(), zoom(), sample() and prefilter() take images of itk, SimpleITK, nibabel and ANTsPy, and arrays of NumPy, CuPy, PyTorch and JAX, and
give the same kind back; arrays on a GPU stay there. Spacing, origin, direction, sizes and points name x first, as ITK does; arrays have
the slowest axis first, (nz, ny, nx). What is done, and in which order it is rounded, is ITK's.
"""

from typing import TYPE_CHECKING

from ._geometry import Geometry
from ._images import Image
from ._library import DeviceError, DeviceMemoryError, InverseResidual, Report, cuda_version, device_count, last_report, release_memory, use_threads
from ._library import version as _version
from ._methods import Method
from ._output_grid import Target
from ._prefilter import prefilter
from ._register import register
from ._register_series import Motion, SeriesRegistration, register_series
from ._registration_library import Folding
from ._registration_result import History, Registration
from ._registration_stages import Stage
from ._resample import resample, zoom
from ._sample import sample
from ._source import Source
from ._stages import BSplineGrid, DisplacementField
from ._transform import Transform, read_transforms
from ._warnings import DownsamplingWarning, FileWarning, LabelWarning, OutsideWarning, RegistrationWarning, ResamplingWarning

if TYPE_CHECKING:
    from . import ndimage as ndimage
else:

    def __getattr__(name):
        """Modules that are read when they are asked for: ndimage takes a tenth of the package's time, dask, jax and torch import their library."""
        if name in _MODULES:
            import importlib

            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *_MODULES})

    _MODULES = ("ants", "cohort", "dask", "jax", "ndimage", "torch", "zarr")

__version__ = _version()

__all__ = [
    "BSplineGrid",
    "DeviceError",
    "DeviceMemoryError",
    "DisplacementField",
    "DownsamplingWarning",
    "FileWarning",
    "Folding",
    "Geometry",
    "History",
    "Image",
    "InverseResidual",
    "LabelWarning",
    "Method",
    "Motion",
    "OutsideWarning",
    "Registration",
    "RegistrationWarning",
    "Report",
    "ResamplingWarning",
    "SeriesRegistration",
    "Source",
    "Stage",
    "Target",
    "Transform",
    "cuda_version",
    "device_count",
    "last_report",
    "prefilter",
    "read_transforms",
    "register",
    "register_series",
    "release_memory",
    "resample",
    "sample",
    "use_threads",
    "zoom",
]
