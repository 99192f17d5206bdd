"""Images in files, read by the library that is installed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any, Callable

import numpy

#: Endings of images that may have displacements as pixels: those of CudaSplineResample.
_FIELDS = (".nii", ".nii.gz", ".hdr", ".img", ".nrrd", ".nhdr", ".mha", ".mhd", ".vtk")


def is_name_of_field(path: Path) -> bool:
    """Whether a name is that of an image, not of a file of transforms, by its ending."""
    return path.name.lower().endswith(_FIELDS)


def read_image(path: Any, name: str) -> Any:
    """An image of a file that is there: an array of .npy, else what SimpleITK, itk or (NIfTI) nibabel reads, the first that is installed.

    name: of the argument, for errors

    Raises ImportError where none is, and the library's own errors."""
    path = Path(path)
    if path.suffix == ".npy":
        return numpy.load(path)
    libraries: list[tuple[str, Callable[[Any], Any]]] = [
        ("SimpleITK", lambda library: library.ReadImage(str(path))),
        ("itk", lambda library: library.imread(str(path))),
    ]
    if path.name.lower().endswith((".nii", ".nii.gz")):
        libraries.append(("nibabel", lambda library: library.load(path)))
    for library, read in libraries:
        if importlib.util.find_spec(library) is not None:
            return read(importlib.import_module(library))
    raise ImportError(f"{name}: {path} needs SimpleITK, itk or, for NIfTI, nibabel, and none is installed (pip install SimpleITK).")
