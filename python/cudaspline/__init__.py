"""CudaSpline: B-spline prefilter, interpolation and resampling of images on the GPU, or on the host where there is none.

resample(), zoom(), sample() and prefilter() take images of itk, SimpleITK, nibabel and ANTsPy, and arrays of NumPy, CuPy, PyTorch and JAX, and
give the same kind back; arrays on a GPU stay there. Spacing, origin, direction, sizes and points name x first, as ITK does; arrays have
the slowest axis first, (nz, ny, nx). What is done, and in which order it is rounded, is ITK's.
"""

from typing import TYPE_CHECKING

from .core._geometry import Geometry
from .core._library import (
    DeviceError,
    DeviceMemoryError,
    InverseResidual,
    Report,
    cuda_version,
    device_count,
    last_report,
    release_memory,
    use_threads,
)
from .core._library import version as _version
from .core._methods import Method
from .core._warnings import (
    DownsamplingWarning,
    FileWarning,
    LabelWarning,
    OutsideWarning,
    RegistrationWarning,
    ResamplingWarning,
)
from .images._images import Image
from .registration._register import register
from .registration._register_series import Motion, SeriesRegistration, register_series
from .registration._registration_library import Folding
from .registration._registration_result import History, Registration
from .registration._registration_stages import Stage
from .registration._transform import Transform, read_transforms
from .resampling._output_grid import Target
from .resampling._prefilter import prefilter
from .resampling._resample import resample, zoom
from .resampling._sample import sample
from .resampling._source import Source
from .transforms._stages import BSplineGrid, DisplacementField

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
