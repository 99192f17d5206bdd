"""Images in files, for batches: written once."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import math
import os
import shutil
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

import numpy

from ..images import _images, _nifti

#: Formats whose pixels are in another file than their header: no rename makes both at once.
_TWO_FILES = (".mhd", ".nhdr", ".hdr", ".img")
_PREFIX = ".cudaspline-"


def read_image(path: Any) -> Any:
    """An image of a file: an array of .npy, an Image of NIfTI, NRRD and MetaImage, else what
    SimpleITK or itk reads, the first that is installed.

    Raises FileNotFoundError, ImportError where none is, and the library's own errors."""
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return _images.read_image(path, "image")


def count_voxels(image: Any) -> int:
    """The number of voxels of an image."""
    return math.prod(_images.open_image(image, "image").geometry.size)


def check_output(path: Path) -> None:
    """Raises ValueError for a file that write_image() cannot write at once."""
    if path.suffix.lower() in _TWO_FILES:
        raise ValueError(
            f"output: {path} would be written as two files, which is not supported; use .mha, .nrrd or .nii.gz."
        )


def write_image(image: Any, path: Any) -> None:
    """Writes what read_image() and cudaspline.resample() make of it, in the format that the name
    ends with.

    Raises TypeError for an image of another kind, and the library's own errors."""
    path = Path(path)
    kind = type(image).__module__.split(".", 1)[0]
    if isinstance(image, numpy.ndarray):
        if path.suffix != ".npy":
            raise ValueError(
                f"output: an array without geometry can only be written as .npy, not as {path.name}."
            )
        numpy.save(path, image)
    elif isinstance(image, _images.Image) and _nifti.is_name(path):
        _images.write_nifti(image, path)
    elif isinstance(image, _images.Image):
        _images.warn_of_lost_meaning(image, path)
        _write_by_library(image, path)
    elif kind == "SimpleITK":
        sys.modules["SimpleITK"].WriteImage(image, str(path))
    elif kind == "nibabel":
        sys.modules["nibabel"].save(image, path)
    elif _images.is_image(image):
        sys.modules["itk"].imwrite(image, str(path))
    else:
        raise TypeError(
            f"image: {type(image).__name__} cannot be written; pass a function as write=."
        )


def _write_by_library(image: _images.Image, path: Path) -> None:
    """Writes by itk where that alone is installed, else by SimpleITK. Raises ImportError where
    neither is."""
    geometry, array = image.geometry, numpy.asarray(image.array)
    if image.channels == "first":
        array = numpy.moveaxis(array, 0, -1)
    made: Any
    if (
        importlib.util.find_spec("SimpleITK") is None
        and importlib.util.find_spec("itk") is not None
    ):
        itk: Any = importlib.import_module("itk")
        made, write = itk.image_from_array(array, is_vector=bool(image.channels)), itk.imwrite
        direction = itk.matrix_from_array(geometry.direction.copy())
    else:
        sitk: Any = importlib.import_module("SimpleITK")
        made, write = sitk.GetImageFromArray(array, isVector=bool(image.channels)), sitk.WriteImage
        direction = geometry.direction.ravel().tolist()
    made.SetSpacing(geometry.spacing.tolist())
    made.SetOrigin(geometry.origin.tolist())
    made.SetDirection(direction)
    write(made, str(path))


def write_once(write: Callable[[Any, Any], object], image: Any, output: Path) -> bool:
    """Writes a file atomically: under another name in the same folder first, and renamed when it is
    complete.

    write: called with the image and the other name, which ends with the file's
    output: its name

    Returns false, and leaves the file as it is, if another worker has written it in the
    meantime."""
    part = output.with_name(f"{_PREFIX}{uuid.uuid4().hex}.{output.name}")
    try:
        write(image, part)
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        try:
            os.link(part, output)  # unlike a rename it does not replace
        except FileExistsError:
            return False
        except OSError:
            if output.exists():
                return False
            os.replace(part, output)  # of a file system without links
        return True
    finally:
        part.unlink(missing_ok=True)


def replace_file(output: Path, write: Callable[[Path], object]) -> None:
    """Writes a file under another name, which then replaces that of an earlier run. write: called with that name"""
    part = output.with_name(f"{_PREFIX}{uuid.uuid4().hex}.{output.name}")
    try:
        write(part)
        os.replace(part, output)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def folder_written_once(path: Path) -> Iterator[Path]:
    """A folder that is written under another name next to its own, which it gets when it is complete; it is removed after an error.

    Raises OSError if there is a folder of that name by then, that is not empty."""
    part = path.with_name(f"{_PREFIX}{uuid.uuid4().hex}.{path.name}")
    try:
        yield part
        os.rename(part, path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def names_in(folders: Iterable[Path]) -> dict[Path, frozenset[str]]:
    """The names in some folders, each of which is asked once: to ask for each of thousands of files
    takes long where they are far away."""
    return {folder: frozenset(os.listdir(folder)) for folder in set(folders)}


def remove_parts(outputs: Iterable[Path]) -> None:
    """Removes what workers that were killed have left of files; each folder is asked once."""
    wanted = set(outputs)
    length = len(_PREFIX) + 32
    for folder, names in names_in(output.parent for output in wanted).items():
        for name in names:
            number, point, rest = (
                name[len(_PREFIX) : length],
                name[length : length + 1],
                name[length + 1 :],
            )
            if (
                name.startswith(_PREFIX)
                and point == "."
                and not set(number) - set("0123456789abcdef")
                and folder / rest in wanted
            ):
                _remove(folder / name)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
