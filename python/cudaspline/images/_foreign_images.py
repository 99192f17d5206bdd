"""Images of MONAI, torchio and ngff-zarr, known by what they have and not by their modules, of
which none is imported.

MONAI and torchio: an array (channels, nx, ny, nz) with nibabel's affine (mm, RAS). ngff-zarr: an
array with names of its axes, whose positions are in the units of these axes, along ITK's axes (LPS)
unless the image has orientations.
"""

from __future__ import annotations

import copy
from dataclasses import is_dataclass, replace
from typing import Any, Callable, Sequence

import numpy

from ..core import _arrays
from ..core._geometry import Geometry, affine_of_nifti, geometry_of_nifti, make_geometry, reals
from ._pixels import Pixels, reader_of


def is_metatensor(value: Any) -> bool:
    """Whether it is a MetaTensor of MONAI."""
    return all(hasattr(type(value), name) for name in ("affine", "meta", "as_tensor"))


def is_torchio(value: Any) -> bool:
    """Whether it is a ScalarImage or a LabelMap of torchio."""
    return all(
        hasattr(type(value), name) for name in ("affine", "spatial_shape", "is_2d")
    )  # nothing is read


def is_labels(value: Any) -> bool:
    """Whether an image says that its values are labels: a LabelMap of torchio."""
    return is_torchio(value) and any(kind.__name__ == "LabelMap" for kind in type(value).__mro__)


def is_ngff(value: Any) -> bool:
    """Whether it is a NgffImage of ngff-zarr."""
    return all(hasattr(value, name) for name in ("data", "dims", "scale", "translation"))


def refuse_many(value: Any, name: str) -> None:
    """Raises TypeError, naming the argument, for what has several images: ngff-zarr's Multiscales
    and torchio's Subject."""
    if hasattr(value, "images") and hasattr(value, "scale_factors"):
        raise TypeError(
            f"{name}: {type(value).__name__} has several resolutions; pass one of them, such as .images[0], the finest."
        )
    if hasattr(value, "get_images") and hasattr(value, "get_images_names"):
        names = ", ".join(map(repr, value.get_images_names()))
        raise TypeError(
            f"{name}: {type(value).__name__} has several images; pass one of them by its name: {names}."
        )


def is_foreign(value: Any) -> bool:
    """Whether it is an image of one of these libraries."""
    return not isinstance(value, numpy.ndarray) and (
        is_metatensor(value) or is_torchio(value) or is_ngff(value)
    )


def open_foreign(image: Any, name: str) -> Pixels:
    """Pixels and geometry of an image of one of these libraries. Raises TypeError or ValueError,
    naming the argument."""
    if is_ngff(image):
        return _open_ngff(image, name)
    if is_torchio(image):
        grid = geometry_of_nifti(image.spatial_shape, image.affine, name)
        return _open_channels_first(
            image.data,
            1,
            grid,
            name,
            lambda array, made: type(image)(tensor=array, affine=affine_of_nifti(made)),
        )
    axes = _channel_axes(image, name)
    grid = _geometry_of_metatensor(image, axes, name)
    return _open_channels_first(
        image.as_tensor(),
        axes,
        grid,
        name,
        lambda array, made: _make_metatensor(image, array, made),
    )


def geometry_of_foreign(image: Any, name: str) -> Geometry:
    """The geometry of an image of one of these libraries; of a series including its axis."""
    if is_ngff(image):
        return _geometry_of_ngff(image, name)
    if is_torchio(image):
        return geometry_of_nifti(image.spatial_shape, image.affine, name)
    return _geometry_of_metatensor(image, _channel_axes(image, name), name)


def _open_channels_first(
    array: Any, axes: int, grid: Geometry, name: str, make: Callable[[Any, Geometry], Any]
) -> Pixels:
    """Pixels of an array (channels, nx, ny, nz), or without channels where axes is 0.

    make: makes an image of the same kind of such an array and a geometry"""
    count = grid.dimension
    components = int(array.shape[0]) if axes else 1
    narrow = _arrays.narrow_type(array)
    is_single = bool(axes) and components == 1
    if is_single:
        array, axes = array[0], 0
    slowest_first = (*range(count - 1 + axes, axes - 1, -1), *range(axes))
    read, dtype, device, _ = reader_of(_arrays.permuted(array, slowest_first), name)

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        array = _arrays.permuted(
            made.array, (*range(count, count + axes), *range(count - 1, -1, -1))
        )
        return make(_arrays.contiguous(array[None] if is_single else array), grid)

    return Pixels(
        read=read,
        dtype=dtype,
        device=device,
        geometry=grid,
        components=components,
        channels=bool(axes),
        finish=finish,
        narrow=narrow,
        is_plain=False,
    )


def _channel_axes(image: Any, name: str) -> int:
    """1 where the first axis of a MetaTensor are its channels, as all of MONAI but its readers has
    it; 0 where it has none, as LoadImage makes it. Raises ValueError where they are last."""
    shape, spatial = tuple(image.shape), image.meta.get("spatial_shape")
    spatial = None if spatial is None else tuple(int(n) for n in spatial)
    if spatial == shape[:-1] and spatial != shape[1:]:
        raise ValueError(
            f"{name}: a MetaTensor of the shape {shape} and {spatial} voxels has its channels last; use EnsureChannelFirst."
        )
    return 0 if spatial is not None and len(spatial) == len(shape) else 1


def _geometry_of_metatensor(image: Any, axes: int, name: str) -> Geometry:
    shape = [int(n) for n in image.shape[axes:]]
    affine = image.affine
    affine = reals(
        affine.detach().cpu().numpy() if hasattr(affine, "detach") else affine,
        f"{name}: its affine",
        "matrix",
    )
    space = str(image.meta.get("space", "RAS")).rpartition(".")[2].upper()
    if space not in ("RAS", "LPS"):
        raise ValueError(f"{name}: its space is {space!r}; only RAS and LPS are supported.")
    if len(shape) not in (2, 3):
        raise ValueError(
            f"{name}: a MetaTensor with {len(shape)} spatial axes is not supported; it must have 2 or 3."
        )
    whole = numpy.eye(4)  # of 2 axes too MONAI has matrices for 3, as a rule
    rows = min(len(affine), 4) - 1
    whole[:rows, :rows], whole[:rows, 3] = affine[:rows, :rows], affine[:rows, -1]
    if space == "LPS":
        whole = numpy.diag([-1.0, -1, 1, 1]) @ whole
    grid = geometry_of_nifti([*shape, 1][:3], whole, name)
    if len(shape) == 3:
        return grid
    return make_geometry(
        shape, grid.spacing[:2], grid.origin[:2], grid.direction[:2, :2], f"{name}: "
    )


def _make_metatensor(like: Any, array: Any, grid: Geometry) -> Any:
    affine = affine_of_nifti(grid)
    meta = copy.deepcopy(like.meta)
    meta.pop("affine", None)  # of which MONAI warns
    old = numpy.asarray(
        like.affine.detach().cpu() if hasattr(like.affine, "detach") else like.affine
    )
    size = min(len(old), 4)
    if grid.dimension == 2 and size == 4:
        affine[2] = old[2]
    if size == 3:
        affine = numpy.delete(numpy.delete(affine, 2, 0), 2, 1)
    if str(meta.get("space", "RAS")).rpartition(".")[2].upper() == "LPS":
        affine = numpy.diag([-1.0, -1] + [1.0] * (len(affine) - 2)) @ affine
    if "spatial_shape" in meta:
        meta["spatial_shape"] = numpy.array(grid.size)
    given = like.affine
    if hasattr(given, "new_tensor"):  # where the affine is, and of its type
        affine = given.new_tensor(affine.tolist())
    return type(like)(array, affine=affine, meta=meta)


#: Directions of ITK's axes (LPS) by the names of OME-Zarr's orientations.
_ORIENTATIONS = {
    "right-to-left": (0, 1.0), "left-to-right": (0, -1.0), "anterior-to-posterior": (1, 1.0), "posterior-to-anterior": (1, -1.0),
    "inferior-to-superior": (2, 1.0), "superior-to-inferior": (2, -1.0),
}  # fmt: skip


def _spatial(image: Any, name: str) -> tuple[str, ...]:
    """Names of the axes of points, x first, with t last."""
    dims = [str(dim) for dim in image.dims]
    if len(dims) != len(image.data.shape):
        raise ValueError(
            f"{name}: its dims are {tuple(dims)}, but its data have {len(image.data.shape)} axes; the numbers must be equal."
        )
    found = tuple(dim for dim in ("x", "y", "z", "t") if dim in dims)
    if len(found) + ("c" in dims) != len(dims) or "x" not in found:
        raise ValueError(
            f"{name}: its dims are {tuple(dims)}; only x, y, z, t and c are allowed, each once."
        )
    return found


def _geometry_of_ngff(image: Any, name: str) -> Geometry:
    axes = _spatial(image, name)
    dims = [str(dim) for dim in image.dims]
    space = [axis for axis in axes if axis != "t"]
    direction = numpy.eye(len(axes))
    orientations = getattr(image, "axes_orientations", None) or {}
    known = [
        _ORIENTATIONS.get(str(getattr(orientations.get(axis), "value", orientations.get(axis))))
        for axis in space
    ]
    if orientations and all(
        one is not None and one[0] < len(space) for one in known
    ):  # others are of no body: as ngff-zarr has it
        direction[: len(space), : len(space)] = 0
        for column, one in enumerate(known):
            if one is not None:
                direction[one[0], column] = one[1]
    size = [int(image.data.shape[dims.index(axis)]) for axis in axes]
    spacing, origin = (
        [float(values[axis]) for axis in axes] for values in (image.scale, image.translation)
    )
    return make_geometry(size, spacing, origin, direction, f"{name}: ")


def _open_ngff(image: Any, name: str) -> Pixels:
    axes = _spatial(image, name)
    geometry = _geometry_of_ngff(image, name)
    dims = [str(dim) for dim in image.dims]
    order = [dims.index(axis) for axis in (*axes[::-1], *(("c",) if "c" in dims else ()))]
    is_lazy = (
        not _arrays.is_array(image.data) or type(image.data).__module__.split(".", 1)[0] == "dask"
    )
    array = numpy.asarray(image.data) if is_lazy else image.data
    components = int(array.shape[dims.index("c")]) if "c" in dims else 1
    narrow = _arrays.narrow_type(array)
    read, dtype, device, _ = reader_of(_arrays.permuted(array, order), name)

    def finish(made: _arrays.Buffer, grid: Geometry) -> Any:
        back = _arrays.contiguous(
            _arrays.permuted(made.array, [order.index(axis) for axis in range(len(order))])
        )
        if type(image.data).__module__.split(".", 1)[0] == "dask":
            import dask.array

            back = dask.array.from_array(back)  # type: ignore[no-untyped-call, unused-ignore]
        return _make_ngff(image, back, axes, grid, name)

    return Pixels(
        read=read,
        dtype=dtype,
        device=device,
        geometry=geometry,
        components=components,
        channels="c" in dims,
        finish=finish,
        narrow=narrow,
        is_plain=False,
    )


def _make_ngff(like: Any, array: Any, axes: Sequence[str], grid: Geometry, name: str) -> Any:
    changes: dict[str, Any] = {
        "data": array,
        "scale": {**like.scale, **dict(zip(axes, grid.spacing.tolist()))},
        "translation": {**like.translation, **dict(zip(axes, grid.origin.tolist()))},
    }
    direction = _geometry_of_ngff(like, name).direction
    if not numpy.array_equal(grid.direction, direction):
        raise ValueError(
            f"{name}: a NgffImage keeps the directions of its axes, {direction.tolist()}, but the output has {grid.direction.tolist()}; they must be equal."
        )
    if is_dataclass(like) and not isinstance(like, type):
        return replace(like, **changes)
    made = copy.copy(like)
    for attribute, value in changes.items():
        setattr(made, attribute, value)
    return made
