"""NIfTI files by name: bytes by Python, headers and numbers by the library, so that nothing depends
on what else is installed.

The rules are in doc/FileFormats.md.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy

from ..core import _library, _warnings
from ..core._geometry import Geometry, make_geometry
from ..core._options import Channels
from . import _packed

_ENDINGS = (".nii", ".nii.gz", ".hdr", ".hdr.gz", ".img", ".img.gz")
#: First bytes of a file that have the header and its extensions, as far as they are looked at.
_BEGINNING = 1 << 16
#: Bytes of pixels that are written at once.
_PIECE = 1 << 24
_SCALAR, _VECTOR = 0, 1


def is_name(path: Path) -> bool:
    """Whether a name is that of a NIfTI file, or of half a pair, by its ending."""
    return path.name.lower().endswith(_ENDINGS)


def _read_beginning(path: Path) -> bytes:
    """The first bytes of a file, decompressed where it is compressed, whatever its name is. Raises
    ValueError where that is damaged."""
    with open(path, "rb") as file:
        data = file.read(_BEGINNING)
    return bytes(_packed.decompress(data, _BEGINNING, False)) if _packed.is_gzip(data) else data


def _read_bytes(path: Path, most: int) -> Any:
    """The bytes of a file, decompressed where it is compressed, as far as most bytes. Raises
    ValueError where that is damaged."""
    with open(path, "rb") as file:
        data = file.read(2)
        if not _packed.is_gzip(data):
            left = min(most, path.stat().st_size) - len(
                data
            )  # a header may promise more than memory has
            return data + file.read(max(0, left))
        file.seek(0)
        return _packed.decompress(file.read(), most)


def is_nifti(path: Path) -> bool:
    """Whether a file begins with a header that can be read, whatever its name is."""
    try:
        _library.describe_nifti(_read_beginning(path))
        return True
    except ValueError:
        return False


def _partner(path: Path, own: str, other: str) -> Optional[Path]:
    """The other file of a pair: that with the same compression, else the one that is there."""
    lower = path.name.lower()
    is_packed = lower.endswith(f"{own}.gz")
    if not is_packed and not lower.endswith(own):
        return None
    base = path.name[: -len(own) - (3 if is_packed else 0)]
    is_upper = path.name[len(base) + 1].isupper()
    for packed in (is_packed, not is_packed):
        ending = other + (".gz" if packed else "")
        candidate = path.with_name(base + (ending.upper() if is_upper else ending))
        if candidate.exists():
            return candidate
    return None


def _geometry(nifti: _library.Nifti, name: str) -> Geometry:
    """The geometry; it has 4 axes if the image is a series."""
    n = nifti.dimension
    size, spacing, origin = list(nifti.size[:n]), list(nifti.spacing[:n]), list(nifti.origin[:n])
    direction = numpy.array(nifti.direction).reshape(3, 3)[:n, :n]
    if nifti.volumes > 1:
        block = numpy.eye(n + 1)
        block[:n, :n] = direction
        direction = block
        size.append(nifti.volumes)
        spacing.append(nifti.volume_spacing or 1.0)
        origin.append(nifti.volume_origin)
    return make_geometry(size, spacing, origin, direction, name)


class Stored(NamedTuple):
    """The image of a file."""

    #: The pixels, in the shape of the geometry, with the numbers of a pixel last.
    array: numpy.ndarray
    geometry: Geometry
    channels: Channels
    #: Additional values of the NIfTI header.
    header: Optional[_library.Nifti] = None
    #: Why it is not a displacement field of ITK; empty for others.
    foreign_warp: str = ""


def _numbers_of(
    nifti: _library.Nifti, stored: numpy.ndarray, count: int, shape: tuple[int, ...]
) -> numpy.ndarray:
    """The numbers of an image: those that are stored, without a copy where they may be written to
    and are the image's."""
    kind = numpy.dtype(_library.TYPE_NAMES[nifti.type])
    is_plain = (
        nifti.components == 1
        and not nifti.swapped
        and not nifti.scaled
        and nifti.stored_type == nifti.type
    )
    if is_plain and stored.flags.writeable and stored.ctypes.data % kind.alignment == 0:
        return stored[:count].view(kind).reshape(shape)
    array = numpy.empty(shape, kind)
    _library.read_nifti(nifti, stored.ctypes.data, stored.size, array.ctypes.data)
    return array


#: Meanings of the numbers of a pixel that an output of NIfTI has, as cudaspline_nifti_pixel, and
#: their names.
_MEANINGS = {
    "symmetric-tensor": (3, "symmetric tensors"),
    "rgb": (4, "RGB colours"),
    "rgba": (5, "RGBA colours"),
    "complex": (6, "complex numbers"),
}


def with_meaning(
    array: numpy.ndarray, geometry: Geometry, channels: Channels, meaning: str
) -> Stored:
    """The image of a file of another format, with a header if NIfTI has a name for the meaning of
    its numbers, so that an output keeps that."""
    if meaning not in _MEANINGS or not channels:
        return Stored(array, geometry, channels)
    nifti = _new_description()
    nifti.pixel, nifti.components = _MEANINGS[meaning][0], array.shape[-1]
    return Stored(array, geometry, channels, nifti)


def warn_of_lost_meaning(header: _library.Nifti, path: Path) -> None:
    """Warns if the numbers of a pixel have a meaning, for an output in a format that does not keep
    it."""
    names = dict(_MEANINGS.values())
    if header.pixel in names:
        name = names[header.pixel]
        _warnings.warn(
            f"image: {path} does not keep the image's {name} (they become vectors; .nii.gz keeps them)",
            _warnings.FileWarning,
        )


def _new_description() -> _library.Nifti:
    """The structure of an image without a NIfTI file."""
    nifti = _library.Nifti(version=1, dimension=3, volume_unit=8, volume_spacing=1.0)
    nifti.direction[0] = nifti.direction[4] = nifti.direction[8] = 1.0
    nifti.spacing[2] = 1.0
    return nifti


def read(path: Path, name: str) -> Stored:
    """The image of a file, named by itself or by either half of a pair; a series has four axes.

    name: of the argument, for errors

    Warns with FileWarning. Raises ValueError, naming the argument and the file, for what is not
    read, and OSError."""
    header = _partner(path, ".img", ".hdr") or path
    try:
        beginning = _read_beginning(header)
    except ValueError as error:
        raise ValueError(f"{name}: {header} is damaged or truncated: {error}") from None
    try:
        nifti, warning = _library.describe_nifti(beginning)
        foreign_warp = _library.nifti_foreign_warp(beginning)
    except ValueError as error:
        raise ValueError(f"{name}: the NIfTI file {path} cannot be read: {error}") from None
    pixels = header if nifti.single_file else _partner(header, ".hdr", ".img")
    if pixels is None:
        raise ValueError(
            f"{name}: the NIfTI file {path} cannot be read: its magic requires an .img file with the pixels next to it, which is missing"
        )
    geometry = _geometry(nifti, f"{name}: {path}: ")
    channels: Channels = "last" if nifti.components > 1 else False
    shape = (*geometry.shape, nifti.components) if channels else geometry.shape
    itemsize = numpy.dtype(_library.TYPE_NAMES[nifti.stored_type]).itemsize
    count = int(numpy.prod([int(n) for n in shape], dtype=object)) * itemsize
    try:
        data = _read_bytes(pixels, nifti.pixel_offset + count)
    except ValueError as error:
        raise ValueError(f"{name}: {pixels} is damaged or truncated: {error}") from None
    stored = numpy.frombuffer(data, numpy.uint8)[nifti.pixel_offset :]
    if stored.size < count:
        raise ValueError(
            f"{name}: {path} is damaged or truncated: it contains {stored.size} bytes of pixels, but its header requires {count}"
        )
    try:
        array = _numbers_of(nifti, stored, count, shape)
    except ValueError as error:
        raise ValueError(f"{name}: the NIfTI file {path} cannot be read: {error}") from None
    if warning:
        # Without the argument's name, and with one name of the file: a file that is two of them is
        # warned of once.
        _warnings.warn(f"the NIfTI file {header.resolve()}: {warning}", _warnings.FileWarning)
    return Stored(array, geometry, channels, nifti, foreign_warp)


def _is_same_grid(nifti: _library.Nifti, geometry: Geometry) -> bool:
    """Whether voxels are where they were, to a thousandth of them."""
    n = nifti.dimension
    if tuple(nifti.size[:n]) != tuple(geometry.size[:n]) or geometry.dimension < n:
        return False
    before = numpy.array(nifti.direction).reshape(3, 3)[:n, :n] * numpy.array(nifti.spacing[:n])
    moved = numpy.abs(before - geometry.index_to_point[:n, :n]) @ numpy.array(geometry.size[:n])
    moved += numpy.abs(numpy.array(nifti.origin[:n]) - geometry.origin[:n])
    return bool(moved.max() <= 1e-3 * geometry.spacing[:n].min())


def _describe(
    array: numpy.ndarray,
    geometry: Geometry,
    has_channels: bool,
    header: Optional[_library.Nifti],
    path: Path,
) -> _library.Nifti:
    """The structure of an image that is to be written."""
    if array.dtype.name not in _library.TYPES:
        raise TypeError(
            f"image: pixel type {array.dtype} is not supported by NIfTI; use one of {', '.join(_library.TYPE_NAMES)}."
        )
    if header is not None:
        nifti = copy.copy(header)
        if not _is_same_grid(nifti, geometry):  # slices that were taken at their times are no more
            nifti.dim_info = nifti.slice_code = nifti.slice_start = nifti.slice_end = 0
            nifti.slice_duration = 0.0
    else:
        nifti = _new_description()
    components = array.shape[-1] if has_channels else 1
    if not has_channels or components == 1:
        nifti.pixel = _SCALAR
    elif components != nifti.components or nifti.pixel == _SCALAR:
        nifti.pixel = _VECTOR
    nifti.components = components
    n = min(geometry.dimension, 3)
    nifti.dimension = max(n, 2)
    nifti.size[:] = (*geometry.size[:n], *[1] * (3 - n))
    nifti.spacing[:n] = geometry.spacing[:n].tolist()
    nifti.origin[:n] = geometry.origin[:n].tolist()
    direction = numpy.array(nifti.direction).reshape(3, 3)
    direction[:n, :n] = geometry.direction[:n, :n]
    if n == 1:
        direction[1, 1], nifti.spacing[1] = 1.0, 1.0
    nifti.direction[:] = direction.ravel().tolist()
    nifti.volumes = 1
    if geometry.dimension == 4:
        nifti.volumes = geometry.size[3]
        is_unknown = nifti.volume_spacing == 0 and geometry.spacing[3] == 1
        nifti.volume_spacing = 0.0 if is_unknown else float(geometry.spacing[3])
        nifti.volume_origin = float(geometry.origin[3])
    nifti.type = _library.TYPES[array.dtype.name]
    nifti.scaled = 0
    nifti.single_file = int(path.name.lower().endswith((".nii", ".nii.gz")))
    return nifti


def write(
    array: Any,
    geometry: Geometry,
    channels: Channels,
    path: Path,
    header: Optional[_library.Nifti] = None,
) -> None:
    """Writes an image, or a series of 4 axes: a single file, or a pair where the name ends with
    .hdr or .img, compressed where with .gz.

    header: of the file that the image is made of

    Raises TypeError for pixels of a type that NIfTI does not have, ValueError for a geometry that
    it does not have, and OSError."""
    found = numpy.asarray(array)
    if channels == "first":
        found = numpy.moveaxis(found, 0, -1)
    array = numpy.ascontiguousarray(found, found.dtype.newbyteorder("="))
    nifti = _describe(array, geometry, bool(channels), header, path)
    beginning = _library.make_nifti_header(nifti)
    if _library.describe_nifti(beginning)[0].dimension != nifti.dimension:
        _warnings.warn(
            f"image: {path} will be an image of one slice: NIfTI does not keep 2 dimensions with {nifti.components} components per pixel",
            _warnings.FileWarning,
        )
    with_pixels, first = path, beginning
    if not nifti.single_file:
        lower = path.name.lower()
        at = lower.rfind(".hdr" if ".hdr" in lower[-7:] else ".img")
        name, ending = path.name[:at], path.name[at + 4 :]
        is_upper = path.name[at + 1].isupper()
        pair = [
            path.with_name(name + (part.upper() if is_upper else part) + ending)
            for part in (".hdr", ".img")
        ]
        _write_bytes(pair[0], lambda begin, count: beginning[begin : begin + count], len(beginning))
        with_pixels, first = pair[1], b""

    def read_bytes(begin: int, count: int) -> Any:
        """Bytes of the file: its header, and the stored numbers."""
        of_header = first[begin : begin + count]
        return of_header + _library.write_nifti(
            nifti, array.ctypes.data, max(0, begin - len(first)), count - len(of_header)
        )

    _write_bytes(with_pixels, read_bytes, len(first) + array.nbytes)


def _write_bytes(path: Path, read: Callable[[int, int], Any], size: int) -> None:
    """Writes a file, compressed where its name ends with .gz; read gives bytes by their begin and
    count."""
    with open(path, "wb") as file:
        if path.name.lower().endswith(".gz"):
            _packed.compress(file, read, size)
            return
        for begin in range(0, size, _PIECE):
            file.write(read(begin, min(_PIECE, size - begin)))
