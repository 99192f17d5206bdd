"""Images of the libraries that people use: their pixels as an array, their geometry, and new ones
of the same kind.

Pixels of several numbers (colours, vectors) follow each other: an array of shape (nz, ny, nx,
components).
"""

from __future__ import annotations

import copy
import math
import os
import struct
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

import numpy

from ..core import _arrays, _library
from ..core._checks import choose, flag
from ..core._geometry import (
    Geometry,
    affine_of_nifti,
    geometry_of_nifti,
    has_indices,
    make_geometry,
)
from ..core._options import Channels
from ..core._warnings import ResamplingWarning, warn
from . import _foreign_images, _image_files, _nifti, _pictures
from ._pixels import Box, Pixels, reader_of, slices_of


@dataclass(frozen=True, eq=False, repr=False)
class Image:
    """An array with a geometry: what carries spacing, origin and direction where the array's
    library has no place for them.

    Its attributes are set once: another geometry is another Image, of the same array. The array's
    elements may change.

    array: of NumPy, CuPy, PyTorch, JAX or whatever has __cuda_array_interface__ or __dlpack__;
        slowest axis first: (nz, ny, nx). Or an image of itk, SimpleITK, nibabel, ANTsPy, MONAI,
        torchio or ngff-zarr, or the name of a file, of which a copy of the pixels is taken in that
        order of axes, with its geometry; series have four axes, (nt, nz, ny, nx)
    spacing: mm between samples, x first; a number stands for all axes
    origin: place of the first sample (mm), x first
    direction: directions of the axes in columns, of length 1
    channels: "last": the last axis of the array are the numbers of a pixel, (nz, ny, nx,
        components); "first": the first one is, (components, nz, ny, nx). True: "last", but refused
        where the last axis is longer than the first one and than 4

    numpy.asarray(image) are its pixels. It can be pickled where its array can.

    Raises TypeError or ValueError, naming the argument, where these do not fit each other.

    >>> import numpy
    >>> Image(numpy.zeros((20, 40, 30), "f4"), spacing=(1, 1, 2.5))
    <cudaspline.Image of numpy float32 (20, 40, 30), spacing (1, 1, 2.5), origin (0, 0, 0)>
    """

    array: Any
    spacing: Any = None
    origin: Any = None
    direction: Any = None
    channels: Channels = False
    #: The same as one object.
    geometry: Geometry = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if is_image(self.array) or isinstance(self.array, (str, os.PathLike)):
            self._adopt(loaded(self.array, "array"))
        shape = _arrays.shape_of(self.array, "array")
        channels = check_channels(self.channels)
        if channels:
            if len(shape) < 2:
                raise ValueError(
                    f"channels: an array with {len(shape)} axes has no axis for the components of pixels."
                )
            if channels is True:
                check_last(shape)
            object.__setattr__(self, "channels", "first" if channels == "first" else "last")
            shape = shape[1:] if channels == "first" else shape[:-1]
        if not 1 <= len(shape) <= 4 or 0 in shape:
            raise ValueError(
                f"array: the shape is {shape}; images must have 1 to 4 axes with at least one sample each."
            )
        geometry = make_geometry(shape[::-1], self.spacing, self.origin, self.direction)
        for name in ("spacing", "origin", "direction"):
            object.__setattr__(self, name, getattr(geometry, name))
        object.__setattr__(self, "geometry", geometry)

    def _adopt(self, image: Any) -> None:
        """Takes pixels and geometry of an image of another library; what was given of a geometry
        stays."""
        pixels = _open_volumes(image, bool(self.channels)) or open_image(image, "array")
        if self.channels and not pixels.channels:
            raise ValueError("channels: the image has one component per pixel; omit channels.")
        is_owned = isinstance(image, Image) or is_nibabel(
            image
        )  # the memory of others goes with them
        array = pixels.buffer.array if is_owned else numpy.array(_arrays.to_host(pixels.buffer))
        array = array.reshape(*pixels.geometry.shape, *pixels.shape_tail)
        channels: Channels = "last" if pixels.channels else False
        if channels and "first" in (self.channels, getattr(image, "channels", False)):
            array, channels = (
                _arrays.contiguous(
                    _arrays.permuted(array, (array.ndim - 1, *range(array.ndim - 1)))
                ),
                "first",
            )
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "channels", channels)
        for name in ("spacing", "origin", "direction"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, getattr(pixels.geometry, name))

    @staticmethod
    def of(array: Any, geometry: Geometry, channels: Channels) -> Image:
        """An image of an array of the shape that a geometry has."""
        made = object.__new__(Image)
        made.__dict__.update(
            array=array,
            spacing=geometry.spacing,
            origin=geometry.origin,
            direction=geometry.direction,
            channels=channels,
            geometry=geometry,
        )
        return made

    def like(self, array: Any, geometry: Geometry) -> Image:
        """An image of the same kind of another array, of the shape that a geometry has."""
        return Image.of(array, geometry, self.channels)

    def in_space_of(self, other: Any) -> Image:
        """It with what another image says of its space, where files of both say something of
        that."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return _arrays.shape_of(self.array, "array")

    @property
    def dtype(self) -> Any:
        """Type of its elements, as the array's library has it."""
        return self.array.dtype if hasattr(self.array, "dtype") else numpy.asarray(self.array).dtype

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray:
        """The pixels as an array of NumPy: where they are, unless the type is another one or the
        array's library refuses."""
        found = numpy.asarray(self.array)
        wanted = found.dtype if dtype is None else numpy.dtype(dtype)
        if copy is False and (found is not self.array or wanted != found.dtype):
            raise ValueError(
                "copy: the pixels cannot be converted to that array without a copy; use copy=True or None."
            )
        return found.astype(wanted, copy=bool(copy))

    def __repr__(self) -> str:
        def numbers(values: Any) -> str:
            return "(" + ", ".join(f"{value:.6g}" for value in values) + ")"

        kind = type(self.array).__module__.split(".", 1)[0]
        turned = (
            ""
            if numpy.array_equal(self.direction, numpy.eye(self.geometry.dimension))
            else ", turned"
        )
        channels = f", channels {self.channels}" if self.channels else ""
        name = str(self.dtype).rpartition(".")[2]
        return (
            f"<cudaspline.Image of {kind} {name} {self.shape}{channels}, spacing {numbers(self.spacing)}, "
            f"origin {numbers(self.origin)}{turned}>"
        )

    def _repr_html_(self) -> str:
        """The HTML for notebooks: the middle slices."""
        return _pictures.of_pixels(
            _open_array(self.array, "image", self.channels, self), repr(self)
        )

    def __reduce__(self) -> Any:
        return Image, (self.array, self.spacing, self.origin, self.direction, self.channels)


class NiftiImage(Image):
    """An image of a NIfTI file, with what its header has in addition to grid and numbers: what is
    made of it keeps that."""

    #: The structure of the library.
    nifti: _library.Nifti
    #: Why it is not a displacement field of ITK; empty for others.
    foreign_warp: str

    @staticmethod
    def with_header(
        array: Any,
        geometry: Geometry,
        channels: Channels,
        nifti: _library.Nifti,
        foreign_warp: str = "",
    ) -> NiftiImage:
        """An image of an array of the shape that a geometry has."""
        made = object.__new__(NiftiImage)
        made.__dict__.update(
            Image.of(array, geometry, channels).__dict__, nifti=nifti, foreign_warp=foreign_warp
        )
        return made

    def like(self, array: Any, geometry: Geometry) -> NiftiImage:
        return NiftiImage.with_header(array, geometry, self.channels, self.nifti)

    def in_space_of(self, other: Any) -> NiftiImage:
        if not isinstance(other, NiftiImage):
            return self
        nifti = copy.copy(self.nifti)
        nifti.qform_code, nifti.sform_code = other.nifti.qform_code, other.nifti.sform_code
        return NiftiImage.with_header(self.array, self.geometry, self.channels, nifti)

    def __reduce__(self) -> Any:
        return _restore, (
            self.array,
            self.geometry,
            self.channels,
            bytes(self.nifti),
            self.foreign_warp,
        )


def _restore(
    array: Any, geometry: Geometry, channels: Channels, nifti: bytes, foreign_warp: str
) -> NiftiImage:
    return NiftiImage.with_header(
        array, geometry, channels, _library.Nifti.from_buffer_copy(nifti), foreign_warp
    )


def _is_itk(image: Any) -> bool:
    return type(image).__module__.split(".", 1)[0] in ("itk", "_itk") or type(
        image
    ).__module__.startswith("itkImage")


def _is_simpleitk(image: Any) -> bool:
    return (
        type(image).__module__.split(".", 1)[0] == "SimpleITK" and type(image).__name__ == "Image"
    )


def is_nibabel(image: Any) -> bool:
    return (
        type(image).__module__.split(".", 1)[0] == "nibabel"
        and hasattr(image, "dataobj")
        and hasattr(image, "affine")
    )


def is_ants(image: Any) -> bool:
    """Whether it is an image of ANTsPy."""
    return type(image).__module__.split(".", 1)[0] == "ants" and type(image).__name__ == "ANTsImage"


def is_image(value: Any) -> bool:
    """True for an image with a geometry of its own."""
    return (
        isinstance(value, Image)
        or _is_simpleitk(value)
        or is_nibabel(value)
        or is_ants(value)
        or (_is_itk(value) and hasattr(value, "GetBufferedRegion"))
        or _foreign_images.is_foreign(value)
    )


def is_labels(value: Any) -> bool:
    """Whether an image says that its values are labels."""
    return _foreign_images.is_labels(value)


def check_channels(value: Any) -> Channels:
    """False, True, "last" or "first". Raises TypeError or ValueError, naming the argument."""
    return (
        choose(value, {"last": "last", "first": "first"}, "channels")
        if isinstance(value, str)
        else flag(value, "channels")
    )


#: Endings of files that nibabel reads, and neither this package nor ITK.
_ENDINGS_OF_NIBABEL = (".mgh", ".mgz", ".mnc", ".head", ".brik", ".brik.gz", ".par", ".rec", ".bz2")


def loaded(image: Any, name: str) -> Any:
    """An image; where that is the name of a file, what is read of it. Raises FileNotFoundError or
    ValueError, naming the argument."""
    if not isinstance(image, (str, os.PathLike)):
        if isinstance(image, numpy.ma.MaskedArray) and numpy.ma.is_masked(image):
            warn(
                f"{name}: the mask of the array is ignored; use image.filled(value), or the argument mask of register().",
                ResamplingWarning,
            )
        return image
    if not os.path.exists(image):
        raise FileNotFoundError(f"{name}: there is no file {os.fspath(image)}.")
    try:
        return read_image(image, name)
    except (ImportError, RuntimeError, TypeError, ValueError) as error:
        is_of_nibabel = os.fspath(image).lower().endswith(_ENDINGS_OF_NIBABEL)
        if not is_of_nibabel and (isinstance(error, ImportError) or str(error).startswith(name)):
            raise
        said = (str(error).strip().splitlines() or [""])[-1]  # the last line is the reason of ITK
        if is_of_nibabel:
            said = f"nibabel.load({os.fspath(image)!r}) reads it; pass its result, not the name"
        raise ValueError(f"{name}: {os.fspath(image)} cannot be read as an image: {said}") from None


def read_image(path: Any, name: str) -> Any:
    """An image of a file that is there: an array of .npy, an Image of NIfTI, NRRD and MetaImage,
    else what SimpleITK or itk reads.

    Raises as _image_files.read()."""
    found = _image_files.read(path, name)
    if not isinstance(found, _nifti.Stored):
        return found
    if found.header is None:
        return Image.of(found.array, found.geometry, found.channels)
    return NiftiImage.with_header(
        found.array, found.geometry, found.channels, found.header, found.foreign_warp
    )


def write_nifti(image: Image, path: Path) -> None:
    """Writes an Image, or a series of 4 axes, with the header of the file that it is made of.
    Raises as _nifti.write()."""
    _nifti.write(
        image.array,
        image.geometry,
        image.channels,
        path,
        image.nifti if isinstance(image, NiftiImage) else None,
    )


def warn_of_lost_meaning(image: Image, path: Path) -> None:
    """Warns if an Image is written in a format that does not keep the meaning of its numbers."""
    if isinstance(image, NiftiImage) and image.channels:
        _nifti.warn_of_lost_meaning(image.nifti, path)


def open_image(image: Any, name: str = "image", channels: Channels = False) -> Pixels:
    """The pixels and the geometry of an image of whatever kind; of arrays the geometry is that of
    indices.

    image: Image, itk.Image, SimpleITK.Image, an image of nibabel, ANTsPy, MONAI, torchio or
        ngff-zarr, the name of a file, or an array
    name: of the argument, for errors
    channels: the last axis of an array are the numbers of a pixel, or the first one

    Raises TypeError for other types."""
    image = loaded(image, name)
    if isinstance(image, Image):
        return _open_array(image.array, name, image.channels, image)
    if _is_simpleitk(image):
        return _open_simpleitk(image, name)
    if is_nibabel(image):
        return _open_nibabel(image, name)
    if is_ants(image):
        return _open_ants(image, name)
    if _is_itk(image) and hasattr(image, "GetBufferedRegion"):
        return _open_itk(image, name)
    if _foreign_images.is_foreign(image):
        return _foreign_images.open_foreign(image, name)
    _foreign_images.refuse_many(image, name)
    return _open_array(image, name, channels, None)


def geometry_of(image: Any, name: str) -> Geometry:
    """The geometry of an image, without a look at its pixels. Raises TypeError for what has
    none."""
    image = loaded(image, name)
    if isinstance(image, Geometry):
        return image
    if isinstance(image, Image):
        return image.geometry
    if _is_simpleitk(image):
        return _geometry_of_simpleitk(image, name)
    if is_nibabel(image):
        return _geometry_of_nibabel(image, name)
    if is_ants(image):
        return _geometry_of_ants(image, name)
    if _is_itk(image) and hasattr(image, "GetLargestPossibleRegion"):
        return _geometry_of_itk(image, name)
    if _foreign_images.is_foreign(image):
        return _foreign_images.geometry_of_foreign(image, name)
    if _arrays.is_array(image):
        return make_geometry(_arrays.shape_of(image, name)[::-1], name=f"{name}: ")
    raise TypeError(f"{name}: {type(image).__name__} is not an image, an array or a Geometry.")


def check_last(shape: Sequence[int]) -> None:
    """Refuses channels=True where the numbers of a pixel are likely to be the first axis: few of
    those, and many of the last one."""
    if 2 < len(shape) and shape[0] < shape[-1] and shape[-1] > 4:
        raise ValueError(
            f"channels: True is ambiguous for the shape {tuple(shape)}; use 'last' for {shape[-1]} components per pixel, or 'first' for "
            f"{shape[0]}."
        )


def _open_array(array: Any, name: str, channels: Channels, owner: Optional[Image]) -> Pixels:
    is_first = channels == "first"
    if isinstance(array, (list, tuple)):
        array = _arrays.as_array(array, name)
    count = len(_arrays.shape_of(array, name))
    if channels and count < 2:
        raise ValueError(
            f"{name}: an array with {count} axes has no {'first' if is_first else 'last'} axis for the components of pixels."
        )
    if channels is True:
        check_last(_arrays.shape_of(array, name))
    narrow = _arrays.narrow_type(array)
    read, dtype, device, shape = reader_of(
        _arrays.permuted(array, (*range(1, count), 0)) if is_first else array, name
    )
    components = shape[-1] if channels else 1
    shape = shape[:-1] if channels else shape
    geometry = owner.geometry if owner is not None else make_geometry(shape[::-1], name=f"{name}: ")
    if tuple(geometry.size) != tuple(shape[::-1]):
        raise ValueError(
            f"{name}: its array now has the shape {tuple(shape)}, but its geometry has the size {tuple(geometry.size)}; make a new Image."
        )

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        if is_first:
            with _arrays.current_device(made):
                made = replace(
                    made,
                    array=_arrays.contiguous(
                        _arrays.permuted(made.array, (count - 1, *range(count - 1)))
                    ),
                )
        if owner is None:
            return made.result()
        return owner.like(made.result(), grid)

    return Pixels(
        read=read,
        dtype=dtype,
        device=device,
        geometry=geometry,
        components=components,
        channels=bool(channels),
        finish=finish,
        narrow=narrow,
        is_plain=not is_first,
    )


def _geometry_of_simpleitk(image: Any, name: str) -> Geometry:
    return make_geometry(
        image.GetSize(), image.GetSpacing(), image.GetOrigin(), image.GetDirection(), f"{name}: "
    )


def _open_simpleitk(image: Any, name: str) -> Pixels:
    sitk = sys.modules["SimpleITK"]
    kind = image.GetPixelIDTypeAsString()
    if kind.startswith(
        "label"
    ):  # of runs, not of pixels: SimpleITK's own view of it ends the process
        raise TypeError(
            f"{name}: pixels of {kind!r} are not supported; convert them with SimpleITK.LabelMapToLabel."
        )
    components = image.GetNumberOfComponentsPerPixel()
    is_vector = components > 1 or "vector" in kind
    array = sitk.GetArrayViewFromImage(image)
    if is_vector and array.ndim == image.GetDimension():  # vectors of one number have no axis
        array = array[..., None]
    read, dtype, device, _ = reader_of(array, name, image)  # the view does not keep the image alive

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        result = sitk.GetImageFromArray(made.array, isVector=is_vector)
        result.SetSpacing(grid.spacing.tolist())
        result.SetOrigin(grid.origin.tolist())
        result.SetDirection(grid.direction.ravel().tolist())
        return result

    return Pixels(
        read,
        dtype,
        device,
        geometry=_geometry_of_simpleitk(image, name),
        components=components,
        channels=is_vector,
        finish=finish,
    )


def _geometry_of_ants(image: Any, name: str) -> Geometry:
    return make_geometry(image.shape, image.spacing, image.origin, image.direction, f"{name}: ")


#: ANTsPy's names of the types of pixels that it has.
_ANTS_TYPES = {
    "uint8": "unsigned char",
    "uint32": "unsigned int",
    "float32": "float",
    "float64": "double",
}


def _open_ants(image: Any, name: str) -> Pixels:
    ants = sys.modules["ants"]
    is_rgb = bool(image.is_rgb)
    seen = image.rgb_to_vector() if is_rgb else image
    channels = bool(image.has_components)
    # ANTsPy's view has x first, of memory with x fastest.
    read, dtype, device, _ = reader_of(
        seen.view().T, name, seen
    )  # the view does not keep the image alive

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        array = made.array
        if array.dtype.name not in _ANTS_TYPES:
            raise TypeError(
                f"{name}: pixel type {array.dtype} is not supported by ANTsPy; use one of {', '.join(_ANTS_TYPES)}."
            )
        # ants.from_numpy() makes float32 of float64, so these are written into an image of doubles.
        is_double = array.dtype.name == "float64"
        given = array.astype(numpy.float32) if is_double else array
        result = ants.from_numpy(
            numpy.moveaxis(given.T, 0, -1) if channels else given.T,
            origin=tuple(grid.origin.tolist()),
            spacing=tuple(grid.spacing.tolist()),
            direction=grid.direction.copy(),
            has_components=channels,
            is_rgb=is_rgb and array.dtype.name == "uint8",
        )
        if is_double:
            result = result.clone("double")
            result.view().T[...] = array
        return result

    return Pixels(
        read,
        dtype,
        device,
        geometry=_geometry_of_ants(image, name),
        components=int(image.components),
        channels=channels,
        finish=finish,
    )


def _geometry_of_itk(image: Any, name: str) -> Geometry:
    itk = sys.modules["itk"]
    region = image.GetLargestPossibleRegion()
    dimension = image.GetImageDimension()
    geometry = make_geometry(
        [region.GetSize()[d] for d in range(dimension)],
        [image.GetSpacing()[d] for d in range(dimension)],
        [image.GetOrigin()[d] for d in range(dimension)],
        itk.array_from_matrix(image.GetDirection()),
        f"{name}: ",
    )
    index = numpy.array([region.GetIndex()[d] for d in range(dimension)], dtype=numpy.float64)
    if not numpy.any(index):
        return geometry
    # The first sample is not index 0: its place is the origin here.
    first = geometry.origin + geometry.index_to_point @ index
    return make_geometry(geometry.size, geometry.spacing, first, geometry.direction, f"{name}: ")


def _open_itk(image: Any, name: str) -> Pixels:
    itk = sys.modules["itk"]
    if hasattr(image, "Update"):
        image.Update()
    components = image.GetNumberOfComponentsPerPixel()
    found = itk.array_view_from_image(image)
    is_vector = found.ndim > image.GetImageDimension()
    read, dtype, device, _ = reader_of(numpy.asarray(found), name, image)
    kind = type(image)

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        try:
            result = itk.image_from_array(made.array, ttype=kind)
        except (TypeError, RuntimeError, KeyError, AttributeError):
            result = itk.image_from_array(made.array, is_vector=is_vector)  # of another pixel type
        result.SetSpacing(grid.spacing.tolist())
        result.SetOrigin(grid.origin.tolist())
        result.SetDirection(itk.matrix_from_array(grid.direction.copy()))
        return result

    return Pixels(
        read,
        dtype,
        device,
        geometry=_geometry_of_itk(image, name),
        components=components,
        channels=is_vector,
        finish=finish,
    )


def _geometry_of_nibabel(image: Any, name: str) -> Geometry:
    if not 3 <= len(image.shape) <= 5:
        raise ValueError(
            f"{name}: the shape is {image.shape}; images of nibabel must have three axes, and optionally one for the components of pixels."
        )
    return geometry_of_nifti(image.shape[:3], image.affine, name)


def has_ras_vectors(image: Any) -> bool:
    """Whether the vectors of an image are along RAS: of nibabel, but where NIfTI's intent says that
    ITK, or who writes as it does, wrote it."""
    if not is_nibabel(image):
        return False
    return not (hasattr(image.header, "get_intent") and image.header.get_intent()[0] == "vector")


def foreign_warp(image: Any) -> str:
    """Why an image, read by name or by nibabel, is a warp of another program than ITK; empty for
    others."""
    header: Any = getattr(image, "header", None)
    if not (is_nibabel(image) and hasattr(header, "binaryblock") and hasattr(header, "extensions")):
        return str(getattr(image, "foreign_warp", ""))
    codes = [int(extension.get_code()) for extension in header.extensions]
    packed = b"".join(struct.pack(f"{header.endianness}ii8x", 16, code) for code in codes)
    return _library.nifti_foreign_warp(header.binaryblock + bytes([bool(codes), 0, 0, 0]) + packed)


class _Colours:
    """The pixels of an image of nibabel that have fields (R, G, B and A), as five axes of numbers."""

    def __init__(self, data: Any, fields: Any):
        self._data = data
        self._fields = fields
        self.shape = (*data.shape, *[1] * (4 - len(data.shape)), len(fields))

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        part = numpy.ascontiguousarray(self._data[key[: len(self._data.shape)]])
        return part.view(self._fields[0]).reshape(
            *part.shape, *[1] * (4 - part.ndim), len(self._fields)
        )

    def of(self, numbers: numpy.ndarray) -> Any:
        """Pixels with these fields of five axes of numbers, where these have the type of the fields; else the numbers."""
        if numbers.dtype != self._fields[0]:
            return numbers
        return numpy.ascontiguousarray(numbers).view(self._fields)[..., 0, 0]


def _colours_of(image: Any) -> Optional[_Colours]:
    """The pixels of an image of nibabel of three axes, where they have several fields of one type; None for others."""
    fields: Any = numpy.dtype(image.get_data_dtype() if hasattr(image, "get_data_dtype") else float)
    is_of_colours = (
        fields.names is not None
        and len({fields[field] for field in fields.names}) == 1
        and len(image.shape) <= 3
    )
    return _Colours(image.dataobj, fields) if is_of_colours else None


def _open_nibabel(image: Any, name: str) -> Pixels:
    geometry = _geometry_of_nibabel(image, name)
    colours = _colours_of(image)
    data = (
        colours or image.dataobj
    )  # a proxy reads from the file what it is asked for, and scales it
    shape = data.shape
    channels = len(shape) > 3
    if len(shape) == 5 and shape[3] != 1:
        raise ValueError(
            f"{name}: an image of nibabel with {shape[3]} time points and several components per pixel is not supported."
        )
    components = math.prod(shape[3:])
    dtype, device = _peek_at(data, name)

    def read(box: Optional[Box]) -> _arrays.Buffer:
        ahead = (slice(None),) * 3 if box is None else slices_of(box[::-1])
        part = numpy.asanyarray(data[(*ahead, *(slice(None),) * (len(shape) - 3))])
        if channels:
            part = numpy.moveaxis(
                part.reshape(*part.shape[:3], components).transpose(3, 2, 1, 0), 0, -1
            )
        else:
            part = part.T
        return _arrays.view(part, name)

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        array = made.array
        if channels:
            array = array.transpose(2, 1, 0, 3).reshape(*grid.size, *shape[3:])
        return _make_nibabel(
            image, colours.of(array) if colours else array if channels else array.T, grid
        )

    return Pixels(
        read,
        dtype,
        device,
        geometry=geometry,
        components=components,
        channels=channels,
        finish=finish,
    )


def _make_nibabel(like: Any, array: numpy.ndarray, grid: Geometry) -> Any:
    """An image of nibabel of the same class, with the header's other fields."""
    header = like.header.copy()
    if hasattr(header, "set_data_dtype"):
        header.set_data_dtype(array.dtype)
    if hasattr(header, "set_slope_inter"):
        header.set_slope_inter(1, 0)  # the numbers are those of the pixels now
    made = type(like)(array, affine_of_nifti(grid), header)
    name_space(made, like)
    return made


def name_space(image: Any, like: Any) -> Any:
    """The image with NIfTI's codes of another one's space (scanner, MNI and so on), where both have
    them: of nibabel, or of files."""
    if isinstance(image, Image):
        return image.in_space_of(like)
    if not (
        is_nibabel(image)
        and is_nibabel(like)
        and hasattr(image, "set_sform")
        and hasattr(like, "get_sform")
    ):
        return image
    qform, sform = int(like.header["qform_code"]), int(like.header["sform_code"])
    if qform > 0 or sform > 0:
        image.set_qform(
            image.affine, qform or sform, update_affine=False
        )  # which has float64, and the header float32
        image.set_sform(image.affine, sform or qform, update_affine=False)
    return image


@dataclass
class Series:
    """Volumes that follow each other along an axis that is not resampled."""

    #: How many.
    count: int
    #: The volume of a number, of which nothing is read before its buffer is asked for.
    volume: Callable[[int], Pixels]
    #: Makes an image of the same kind of an array (count, ..., ny, nx), with components behind, and
    #: the grid of a volume.
    finish: Callable[[_arrays.Buffer, Geometry], Any]
    #: The array, where it was read as a whole.
    buffers: Sequence[_arrays.Buffer] = ()


def loaded_volume(image: Any, name: str) -> Any:
    """loaded(), for functions that take one volume: of an image of nibabel with one volume, that.
    Raises ValueError, naming the argument, for series."""
    image = loaded(image, name)
    volumes = open_series(image, name, False, None)
    if volumes is None:
        return image
    if volumes.count == 1 and is_nibabel(image):
        return image.slicer[:, :, :, 0]
    raise ValueError(
        f"{name}: it is a series (number of volumes: {volumes.count}), but one volume is needed; pass one of them, or use register_series()."
    )


def open_series(
    image: Any, name: str, channels: Channels, series: Optional[bool], is_read: bool = False
) -> Optional[Series]:
    """The volumes of a series; None for a single image.

    series: True: the slowest axis counts the volumes; False: it does not; None: it does in images
        of four axes, whose libraries tell components from axes, but not in bare arrays
    is_read: read an array as a whole at once, since it may be written meanwhile

    Raises ValueError, naming the argument, if a series is required and the image is not one."""
    if series is False or isinstance(image, (numpy.ndarray, Geometry)) and not series:
        return None
    if is_nibabel(image):
        return _open_nibabel_series(image, name, series)
    if not series and _dimension_of(image) != 4:
        return None
    if is_read:
        owner = image if isinstance(image, Image) else None
        found = _arrays.view(image if owner is None else owner.array, name)
        array = found.array.reshape(found.shape)
        image = array if owner is None else owner.like(array, owner.geometry)
    buffers = [found] if is_read else []
    whole = open_image(image, name, channels)
    dimension = whole.geometry.dimension
    if dimension < 2:
        raise ValueError(f"series: an image with {dimension} axis has no axis for volumes.")
    grid = volume_geometry(whole.geometry, name)
    last = whole.geometry
    everything = tuple((0, n) for n in grid.shape)

    def volume(number: int) -> Pixels:
        return Pixels(
            read=lambda box: whole.read((number, *(everything if box is None else box))),
            dtype=whole.dtype,
            device=whole.device,
            geometry=grid,
            components=whole.components,
            channels=whole.channels,
            finish=whole.finish,
            narrow=whole.narrow,
            is_plain=whole.is_plain,
        )

    def finish(made: _arrays.Buffer, made_grid: Geometry) -> Any:
        direction = numpy.eye(dimension)
        direction[:-1, :-1] = made_grid.direction
        direction[-1, -1] = last.direction[-1, -1]
        spacing, origin = (
            numpy.append(ours, theirs[-1])
            for ours, theirs in ((made_grid.spacing, last.spacing), (made_grid.origin, last.origin))
        )
        return whole.finish(
            made, make_geometry((*made_grid.size, last.size[-1]), spacing, origin, direction)
        )

    return Series(last.size[-1], volume, finish, buffers)


def _dimension_of(image: Any) -> Optional[int]:
    """Axes of an image that has a geometry."""
    if isinstance(image, Image):
        return image.geometry.dimension
    if _is_simpleitk(image):
        return int(image.GetDimension())
    if is_ants(image):
        return int(image.dimension)
    if _is_itk(image) and hasattr(image, "GetImageDimension"):
        return int(image.GetImageDimension())
    return (
        _foreign_images.geometry_of_foreign(image, "image").dimension
        if _foreign_images.is_foreign(image)
        else None
    )


def volume_geometry(geometry: Geometry, name: str) -> Geometry:
    """The geometry of the volumes of a series. Raises ValueError, naming the argument, if the last
    axis is not at right angles to the others."""
    if has_indices(geometry):
        return make_geometry(geometry.size[:-1])
    direction = geometry.direction
    if numpy.abs(direction[-1, :-1]).max() > 1e-6 or numpy.abs(direction[:-1, -1]).max() > 1e-6:
        raise ValueError(
            f"{name}: the axis of its volumes must be orthogonal to the others; its direction is {direction.tolist()}."
        )
    return make_geometry(
        geometry.size[:-1],
        geometry.spacing[:-1],
        geometry.origin[:-1],
        direction[:-1, :-1],
        f"{name}: ",
    )


def _open_nibabel_series(image: Any, name: str, series: Optional[bool]) -> Optional[Series]:
    geometry = _geometry_of_nibabel(image, name)
    shape = image.shape
    if len(shape) < 4 or (
        len(shape) == 5 and shape[3] == 1
    ):  # a volume, or one with several numbers per pixel
        if series:
            raise ValueError(
                f"series: an image of nibabel of the shape {shape} has no axis of volumes."
            )
        return None
    data = image.dataobj
    dtype, device = _peek_at(data, name)
    channels = len(shape) == 5

    def volume(number: int) -> Pixels:
        def read(box: Optional[Box]) -> _arrays.Buffer:
            ahead = (slice(None),) * 3 if box is None else slices_of(box[::-1])
            part = numpy.asanyarray(data[(*ahead, number)])  # components follow
            return _arrays.view(part.transpose(2, 1, 0, 3) if channels else part.T, name)

        return Pixels(
            read,
            dtype,
            device,
            geometry=geometry,
            components=shape[4] if channels else 1,
            channels=channels,
            finish=lambda made, grid: finish(made, grid),
        )

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        return _make_nibabel(
            image, made.array.transpose(3, 2, 1, 0, 4) if channels else made.array.T, grid
        )

    return Series(shape[3], volume, finish)


def _open_volumes(image: Any, channels: bool) -> Optional[Pixels]:
    """A series of nibabel as an image of four axes, the time in s; None for others, and where its
    last axis are the numbers of a pixel."""
    if channels or not is_nibabel(image) or len(image.shape) != 4:
        return None
    grid = _geometry_of_nibabel(image, "array")
    header = image.header
    step = (
        float(header.get_zooms()[3])
        if hasattr(header, "get_zooms") and len(header.get_zooms()) > 3
        else 0.0
    )
    unit = header.get_xyzt_units()[1] if hasattr(header, "get_xyzt_units") else "unknown"
    step *= {"msec": 1e-3, "usec": 1e-6}.get(unit, 1.0)
    direction = numpy.eye(4)
    direction[:3, :3] = grid.direction
    spacing, origin = (
        numpy.append(grid.spacing, step if step > 0 else 1.0),
        numpy.append(grid.origin, 0.0),
    )
    geometry = make_geometry(image.shape, spacing, origin, direction, "array: ")
    read, dtype, device, _ = reader_of(numpy.asanyarray(image.dataobj).T, "array")
    return Pixels(
        read,
        dtype,
        device,
        geometry=geometry,
        components=1,
        channels=False,
        finish=lambda made, grid: made.array,
    )


def _peek_at(data: Any, name: str) -> tuple[str, int]:
    """Type and place of the numbers that a proxy of nibabel gives: of its first one, as scaling
    says the type."""
    first = numpy.asanyarray(data[(slice(0, 1),) * len(data.shape)])
    return _arrays.peek(first, name) or (_arrays.view(first, name).dtype, -1)
