"""NRRD files and MetaImages: the library describes the header
(include/itkCudaSpline/c/CudaSplineImageHeadersC.h), the numbers are read here."""

from __future__ import annotations

import ctypes
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy

from ..core import _library
from ..core._geometry import Geometry, make_geometry
from ..core._options import Channels
from ..core._warnings import FileWarning, printable, warn
from . import _packed

#: Endings of the names of NRRD files and MetaImages, with the format as the library names it.
FORMATS = {".nrrd": "nrrd", ".nhdr": "nrrd", ".mha": "metaimage", ".mhd": "metaimage"}
#: Bytes of a header, with its list of files.
_MAX_BYTES = 1 << 20
_INTEGER = re.compile(rb"[+-]?[0-9]+")

_describe = _library._library.cudaspline_describe_header
_describe.restype = ctypes.c_int32
_describe.argtypes = [
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_uint64,
    ctypes.c_int32,
    ctypes.c_char_p,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_uint64),
]


def is_stored(path: Path) -> bool:
    """Whether a name is that of an NRRD file or a MetaImage, by its ending."""
    return path.suffix.lower() in FORMATS


def is_nrrd(beginning: bytes) -> bool:
    """Whether a file begins as an NRRD file, of whatever version."""
    return beginning.startswith(b"NRRD")


def read(path: Path, name: str) -> tuple[numpy.ndarray, Geometry, Channels, str]:
    """The array of an NRRD file or a MetaImage, its geometry, where the numbers of a pixel are, and
    their meaning.

    A series has four axes; its array is (volumes, nz, ny, nx), with the components of a pixel last.
    The geometry is LPS, in mm.

    name: of the argument, for errors

    Raises OSError for files that are missing, and ValueError for a header that is refused, with the
    field, its value and what is allowed, and for numbers that are missing or damaged. Warns by
    FileWarning."""
    header = _describe_file(path, name)
    stored = numpy.concatenate(
        [_numbers_of_file(header, file, name) for file in _files_of(header, path)]
    )
    sizes = header["stored_sizes"]
    array = stored.reshape(sizes[::-1])  # axis n of the file is the last but n
    last = len(sizes) - 1
    order = header["order"]
    dropped = [axis for axis in range(len(sizes)) if axis not in order]  # of one sample
    spatial = order[1:] if header["has_component_axis"] else order
    wanted = [last - axis for axis in dropped] + [last - axis for axis in spatial[::-1]]
    if header["has_component_axis"]:
        wanted.append(last - order[0])
    array = array.transpose(wanted)[(0,) * len(dropped)]
    if header["has_component_axis"]:
        array = array[..., header["skipped_components"] :]
        if header["components"] == 1:
            array = array[..., 0]
    dimension = len(header["size"])
    spacing, origin = list(header["spacing"]), list(header["origin"])
    direction = numpy.eye(dimension + header["is_series"])
    direction[:dimension, :dimension] = numpy.reshape(header["direction"], (dimension, dimension))
    if header["is_series"]:
        spacing.append(abs(header["volume_spacing"]))
        origin.append(header["volume_origin"])
        direction[-1, -1] = math.copysign(1.0, header["volume_spacing"])
    channels: Channels = "last" if header["components"] > 1 else False
    shape = array.shape[:-1] if channels else array.shape
    if not 1 <= len(shape) <= 4 or 0 in shape:
        raise ValueError(
            f"{name}: {path}: the shape is {shape}; images must have 1 to 4 axes with at least one sample each."
        )
    geometry = make_geometry(shape[::-1], spacing, origin, direction, f"{name}: {path}: ")
    for warning in header["warnings"]:
        warn(f"{path.resolve()}: {warning}", FileWarning)
    return numpy.ascontiguousarray(array), geometry, channels, header["meaning"]


def _describe_file(path: Path, name: str) -> Any:
    """The description of a header by the library."""
    with open(path, "rb") as file:
        text = file.read(_MAX_BYTES)
    kind = "nrrd" if is_nrrd(text) else FORMATS[path.suffix.lower()]
    try:
        header = _description(kind, text, False)
        if header["literal_name"] and (path.parent / header["literal_name"]).is_file():
            header = _description(kind, text, True)
        needed = math.prod(header["stored_sizes"][header["axes_of_file"] :])
        if header["literal_name"] and len(header["files"]) != needed:
            raise ValueError(
                f"it names {len(header['files'])} files of pixels, but its size needs {needed}"
            )
    except ValueError as error:
        raise ValueError(f"{name}: the header of {path} is refused: {error}") from None
    return header


def _description(kind: str, text: bytes, is_literal: bool) -> Any:
    """The description that cudaspline_describe_header() writes. Raises ValueError."""
    given = 1 << 16
    while True:
        buffer, needed = ctypes.create_string_buffer(given), ctypes.c_uint64()
        _library.check(
            _describe(
                kind.encode(), text, len(text), int(is_literal), buffer, given, ctypes.byref(needed)
            )
        )
        if needed.value <= given:
            return json.loads(buffer.value.decode("utf-8", "surrogateescape"))
        given = needed.value


def _files_of(header: Any, path: Path) -> list[Path]:
    return [path.parent / file for file in header["files"]] or [path]


def _numbers_of_file(header: Any, path: Path, name: str) -> numpy.ndarray:
    """The numbers that a file has, in its order."""
    if not path.is_file():
        raise FileNotFoundError(
            printable(f"{name}: there is no file {path}, which the header names.")
        )
    kind = numpy.dtype(_library.TYPE_NAMES[header["type"]])
    count = math.prod(header["stored_sizes"]) // max(1, len(header["files"]))
    needed = count * kind.itemsize
    data = path.read_bytes()
    begin = 0 if header["files"] else header["data_begin"]
    for line in range(header["line_skip"]):
        begin = data.find(b"\n", begin) + 1
        if begin == 0:
            raise ValueError(
                f"{name}: {path} has {line} lines, but its header skips {header['line_skip']}."
            )
    skip = header["byte_skip"]
    try:
        if header["encoding"] == "raw":
            first = begin + skip if skip >= 0 else len(data) - needed + skip + 1
            found = data[max(first, begin) : first + needed] if first >= begin else b""
        elif header["encoding"] == "deflate":
            found = _packed.decompress(data[begin:], skip + needed)[skip : skip + needed]
        elif header["encoding"] == "hex":
            found = bytes.fromhex(
                "".join(data[begin + skip :].decode("ascii").split())[: 2 * needed]
            )
        else:
            return _numbers_of_text(data[begin + skip :].split()[:count], kind, count)
    except ValueError as error:
        raise ValueError(f"{name}: {path} is damaged or truncated: {error}") from None
    if len(found) < needed:
        raise ValueError(
            f"{name}: {path} is damaged or truncated: it contains {len(found)} bytes of pixels, but its header requires {needed}."
        )
    numbers = numpy.frombuffer(found, kind)
    return numbers.byteswap() if header["is_swapped"] else numbers


def _numbers_of_text(words: list[bytes], kind: numpy.dtype, count: int) -> numpy.ndarray:
    """Decimal numbers as an array. Raises ValueError for other words, or too few."""
    if len(words) < count:
        raise ValueError(f"it contains {len(words)} numbers, but its header requires {count}")
    limits: Any = numpy.finfo(kind) if kind.kind == "f" else numpy.iinfo(kind)
    convert: Any = float if kind.kind == "f" else int  # of NumPy's numbers
    least, most = convert(limits.min), convert(limits.max)
    numbers = []
    for word in words:
        number = _number(word, convert)
        is_held = number is not None and (
            least <= number <= most or (convert is float and not math.isfinite(number))
        )
        if not is_held:
            raise ValueError(f"{word[:40].decode('latin-1')!r} is not a number of type {kind}")
        numbers.append(number)
    return numpy.array(numbers, kind)


def _number(word: bytes, convert: Any) -> Any:
    """A decimal number as float or int; None for other words, and fractions where these are not
    allowed."""
    if convert is int and _INTEGER.fullmatch(word):
        return int(word)  # floats do not hold those of 64 bits
    if b"_" in word:  # which numbers of Python alone have
        return None
    try:
        number = float(word)
    except ValueError:
        return None
    return number if convert is float else int(number) if number.is_integer() else None
