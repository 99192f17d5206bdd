"""Images in files: NIfTI and .npy by the package itself, others by the library that is installed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any, Callable

import numpy

from . import _nifti

#: Endings of images, next to those of NIfTI, that may have displacements as pixels: those of CudaSplineResample.
_FIELDS = (".nrrd", ".nhdr", ".mha", ".mhd", ".vtk")


def is_name_of_field(path: Path) -> bool:
    """Whether a name is that of an image, not of a file of transforms, by its ending."""
    return path.name.lower().endswith(_FIELDS) or _nifti.is_name(path)


def read_image(path: Any, name: str) -> Any:
    """An image of a file that is there: an array of .npy, an Image of NIfTI, else what SimpleITK or itk reads, the first that is installed.

    name: of the argument, for errors

    Raises ImportError where none is, ValueError for NIfTI files that are not read, and the library's own errors."""
    path = Path(path)
    if path.suffix == ".npy":
        return numpy.load(path)
    if _nifti.is_name(path):
        return _nifti.read(path, name)
    libraries: list[tuple[str, Callable[[Any], Any]]] = [
        ("SimpleITK", lambda library: library.ReadImage(str(path))),
        ("itk", lambda library: library.imread(str(path))),
    ]
    for library, read in libraries:
        if importlib.util.find_spec(library) is not None:
            return read(importlib.import_module(library))
    raise ImportError(f"{name}: {path} needs SimpleITK or itk, and neither is installed (pip install SimpleITK).")
