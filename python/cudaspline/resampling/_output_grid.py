"""The grid of an output: that of an image or a reference, with what is given in place of its size,
spacing, origin and direction."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Mapping, Optional, Sequence

import numpy

from ..core._brief import brief
from ..core._geometry import Geometry, check_size, check_spacing, make_geometry
from ..images import _images


def check_dimension(geometry: Geometry, image: Any = None) -> None:
    if geometry.dimension > 3:
        raise ValueError(
            f"image: it has {geometry.dimension} axes; only images with 1 to 3 axes can be resampled (use series=True for a series of volumes, and "
            "channels='last' or 'first' for an axis of components)."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Target:
    """The grid of an output: arguments of resample() that are built once and passed as its
    reference.

    reference, size, spacing, origin, direction: as for resample()

    A keyword of resample() that is given next to a target takes the place of the target's own.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> millimetre = cudaspline.Target(spacing=1)
    >>> cudaspline.resample(cudaspline.Image(numpy.zeros((4, 5)), spacing=2), None, millimetre).shape
    (8, 10)
    """

    reference: Any = None
    size: Optional[Sequence[int]] = None
    spacing: Any = None
    origin: Any = None
    direction: Any = None

    def __repr__(self) -> str:
        return brief(self)


#: The keywords of a target.
TARGET_OPTIONS = frozenset(one.name for one in fields(Target)) - {"reference"}


def target_of(reference: Any, options: Mapping[str, Any]) -> Target:
    """A target, or that of a reference, with the keywords that are given, and not None, in place of
    its own. A file is read."""
    target = reference if isinstance(reference, Target) else Target(reference)
    given = {name: value for name, value in options.items() if value is not None}
    return replace(target, reference=_images.loaded(target.reference, "reference"), **given)


def output_grid(image: Geometry, target: Target) -> Geometry:
    """The grid of an output of an image. Raises TypeError or ValueError, naming the argument."""
    reference, size, spacing, origin, direction = (
        target.reference,
        target.size,
        target.spacing,
        target.origin,
        target.direction,
    )
    base = image if reference is None else _images.geometry_of(reference, "reference")
    if (
        base.dimension == 4
        and image.dimension == 3
        and (isinstance(reference, Geometry) or _images.is_image(reference))
    ):
        base = _images.volume_geometry(base, "reference")
    if base.dimension != image.dimension:
        raise ValueError(
            f"reference: it has {base.dimension} axes, but the image has {image.dimension}."
        )
    if size is None and spacing is None and origin is None and direction is None:
        return base
    sizes = None if size is None else size_of(size, image.dimension)
    if sizes is not None and reference is not None and sizes == base.shape and sizes != base.size:
        raise ValueError(
            f"size: {sizes} is the shape of the array of the reference; x must be first, as in ITK: {base.size}."
        )
    sizes, spacings = _sampling_of(base, sizes, spacing, origin)
    if origin is None:
        # Exactly zero where nothing changes, so that the origin then keeps its bits.
        counts, whole = zip(*((n - 1.0, m - 1.0) for n, m in zip(sizes, base.size)))
        shift = (
            0.5
            * (numpy.array(whole) * base.spacing - numpy.array(counts) * spacings)
            / base.spacing
        )
        origin = base.point_of(shift.tolist())
        if direction is not None:  # about the middle
            middle = [0.5 * count for count in counts]
            plain, turned = (
                make_geometry(sizes, spacings, origin, axes) for axes in (base.direction, direction)
            )
            origin = origin + (plain.point_of(middle) - turned.point_of(middle))
    return make_geometry(
        sizes, spacings, origin, base.direction if direction is None else direction
    )


def _sampling_of(
    base: Geometry, size: Optional[tuple[int, ...]], spacing: Any, origin: Any
) -> tuple[tuple[int, ...], numpy.ndarray]:
    """(size, spacing), of which the one that is not given keeps the extent of a grid, from the
    outer edge of its first sample to that of its last one: as CudaSplineResample's
    MakeOutputGrid(). With an origin a size alone is a region, whose spacing is the grid's."""
    extent = numpy.array(base.size, numpy.float64) * base.spacing
    spacings = (
        base.spacing if spacing is None else check_spacing(spacing, base.dimension, "spacing")
    )
    if spacing is not None:
        for axis in range(
            base.dimension
        ):  # larger than all of the image may be meant, a million times is a slip
            if spacings[axis] > 1e6 * extent[axis]:
                raise ValueError(
                    f"spacing: {spacings[axis]:.6g} mm is {spacings[axis] / extent[axis]:.6g} times the extent along {'xyz'[axis]} "
                    f"({extent[axis]:.6g} mm)."
                )
        if size is None:
            counts = extent / spacings
            counts = numpy.maximum(1.0, numpy.floor(counts) + (counts - numpy.floor(counts) >= 0.5))
            if counts.max() > 4294967295:
                raise ValueError(
                    f"spacing: {spacing!r} mm divides {extent.tolist()} mm into too many samples."
                )
            size = tuple(int(count) for count in counts)
    elif size is not None and origin is None:
        counts = numpy.array(size, numpy.float64)
        spacings = numpy.where(counts == base.size, base.spacing, extent / counts)
    return base.size if size is None else size, spacings


def size_of(size: Any, dimension: int) -> tuple[int, ...]:
    found = check_size(size, "size")
    if len(found) != dimension:
        raise ValueError(
            f"size: {len(found)} numbers are given; {dimension} are needed, one per axis, x first."
        )
    return found
