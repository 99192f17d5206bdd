"""Images in files: NIfTI, NRRD, MetaImage and .npy by the package itself, others by the library
that is installed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any, Callable

import numpy

from . import _nifti, _stored_images

#: Endings of images, next to those of NIfTI, that may have displacements as pixels: those of
#: CudaSplineResample.
_FIELDS = (".nrrd", ".nhdr", ".mha", ".mhd", ".vtk")


def is_name_of_field(path: Path) -> bool:
    """Whether a name is that of an image, not of a file of transforms, by its ending."""
    return path.name.lower().endswith(_FIELDS) or _nifti.is_name(path)


def _converter(path: Path) -> str:
    """Advice for DICOM."""
    return f"To read DICOM, convert it with CudaSplineResample {path} out.nrrd, which checks the positions of slices, or pass an image that SimpleITK has read."


def read(path: Any, name: str) -> Any:
    """The image of a file that is there: an array of .npy, Stored of NIfTI, NRRD and MetaImage,
    else what SimpleITK or itk reads, the first that is installed.

    name: of the argument, for errors

    Raises ImportError where none is, ValueError for files of these formats that are refused, for
    DICOM, folders and pipes, and the library's own errors."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(
            f"{name}: {path} is a folder; images are read from files. {_converter(path)}"
        )
    if not path.is_file():
        raise ValueError(f"{name}: {path} is a device or a pipe; images are read from files.")
    if path.suffix == ".npy":
        return numpy.load(path)
    with open(path, "rb") as file:
        beginning = file.read(132)
    if _stored_images.is_nrrd(beginning) or (
        _stored_images.is_stored(path) and not _nifti.is_name(path)
    ):
        return _nifti.with_meaning(*_stored_images.read(path, name))
    if _nifti.is_name(path):
        return _nifti.read(path, name)
    if beginning[128:] == b"DICM":
        raise ValueError(
            f"{name}: {path} is a DICOM file, which is not supported because its slices may be unevenly spaced. {_converter(path)}"
        )
    if _nifti.is_nifti(path):
        return _nifti.read(path, name)
    libraries: list[tuple[str, Callable[[Any], Any]]] = [
        ("SimpleITK", lambda library: library.ReadImage(str(path))),
        ("itk", lambda library: library.imread(str(path))),
    ]
    for library, read_by in libraries:
        if importlib.util.find_spec(library) is not None:
            return read_by(importlib.import_module(library))
    raise ImportError(
        f"{name}: {path} needs SimpleITK or itk, and neither is installed (pip install SimpleITK)."
    )
