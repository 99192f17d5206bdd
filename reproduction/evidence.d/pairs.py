"""Pairs of images and what is known about them: grids, displacement fields, and files of NumPy (.npz) that hold a pair.

It needs NumPy and the package alone, so that a machine without the sources of the images can repeat an experiment from such a file.
Images are cudaspline.Image, float32, (nz, ny, nx), points in ITK's space (mm, LPS). Labels are images of integers.
"""

import pathlib
from dataclasses import dataclass, replace

import numpy

import cudaspline

STEP = 0.005  # mm: files have ground truth in whole numbers of it, 16 bits: up to 160 mm
GREYS = 500  # files have images in so many steps of their range: below their noise


@dataclass
class Pair:
    """Two images, and what is known of them."""

    #: Prefix of its files.
    name: str
    #: In words.
    title: str
    fixed: cudaspline.Image
    moving: cudaspline.Image
    #: The brain (or body) of the fixed image: measurements are made there.
    mask: numpy.ndarray
    #: The same of the moving image.
    moving_mask: numpy.ndarray
    fixed_labels: numpy.ndarray = None
    moving_labels: cudaspline.Image = None
    #: From points of the fixed image to points of the moving one; None: not known.
    truth: cudaspline.Transform = None
    #: The grid of the ground truth's samples, between which it is linear.
    truth_grid: object = None
    #: Where a registration compares the fixed image; None: everywhere.
    valid: numpy.ndarray = None
    #: A region in which the error is measured in addition; None: there is none.
    region: numpy.ndarray = None


def like(image, array):
    """Replaces the array of an image."""
    return cudaspline.Image(array, image.spacing, image.origin, image.direction)


def at_spacing(image, spacing):
    """An image on a grid of that spacing (mm) about the same centre, smoothed by what the coarser grid cannot hold."""
    grid = image.geometry
    if numpy.allclose(grid.spacing, spacing):
        return image
    size = [max(8, int(round(count * old / spacing))) for count, old in zip(grid.size, grid.spacing)]
    middle = grid.origin + grid.index_to_point @ ((numpy.array(grid.size) - 1) / 2)
    origin = middle - grid.direction @ (spacing * (numpy.array(size) - 1) / 2)
    return cudaspline.resample(image, size=size, spacing=spacing, origin=origin, interpolation="linear", smooth="auto", device="cpu")


def displacement(grid, vectors):
    """A displacement field as a transform that the package takes."""
    return cudaspline.DisplacementField(numpy.ascontiguousarray(vectors), grid.spacing, grid.origin, grid.direction)


def coarser(pair, spacing):
    """The pair with images of another spacing (mm)."""
    fixed, moving = at_spacing(pair.fixed, spacing), at_spacing(pair.moving, spacing)
    if fixed is pair.fixed:
        return pair

    def mask_of(mask, image):
        return None if mask is None else at_spacing(like(image, mask.astype(numpy.float32)), spacing).array >= 0.5

    def labels_of(labels, image):
        return cudaspline.resample(labels, None, image, interpolation="nearest", smooth=False, device="cpu")

    labels = {}
    if pair.fixed_labels is not None:
        labels = {"fixed_labels": labels_of(like(pair.fixed, pair.fixed_labels), fixed).array, "moving_labels": labels_of(pair.moving_labels, moving)}
    masks = {name: mask_of(getattr(pair, name), pair.fixed) for name in ("mask", "valid", "region")}
    return replace(pair, fixed=fixed, moving=moving, moving_mask=mask_of(pair.moving_mask, pair.moving), **masks, **labels)


def _arrays_of(name, image, array, scale):
    """An image as a file has it."""
    return {f"{name}_array": array, f"{name}_scale": scale, **{f"{name}_{key}": getattr(image, key) for key in ("spacing", "origin", "direction")}}


def save(pair, path):
    """Writes a pair to a file of some MB."""
    stored = {"name": pair.name, "title": pair.title}
    for name in ("fixed", "moving"):
        image = getattr(pair, name)
        scale = float(image.array.max()) / GREYS
        stored.update(_arrays_of(name, image, numpy.rint(image.array / scale).astype(numpy.int16), scale))
    if pair.moving_labels is not None:
        stored.update(_arrays_of("moving_labels", pair.moving_labels, pair.moving_labels.array, 1))
    if pair.truth is not None:
        field = pair.truth.field(pair.truth_grid)
        steps = numpy.rint(field.array / STEP).astype(numpy.int16)
        stored.update(_arrays_of("truth", field, numpy.diff(steps, axis=2, prepend=numpy.int16(0)), STEP))  # differences are small, and compressed well
    for name in ("mask", "moving_mask", "fixed_labels", "valid", "region"):
        if getattr(pair, name) is not None:
            stored[name] = getattr(pair, name)
    numpy.savez_compressed(path, **stored)


def load(path):
    """The pair of a file."""
    stored = numpy.load(path)

    def placed(make, name, array):
        return make(array, *(stored[f"{name}_{key}"] for key in ("spacing", "origin", "direction")))

    def image(name, kind=numpy.float32):
        array = stored[f"{name}_array"].astype(kind) * stored.get(f"{name}_scale", 1)
        return placed(cudaspline.Image, name, array.astype(kind))

    def given(name, make):
        return make(name) if f"{name}_array" in stored else None

    def truth(name):
        steps = numpy.cumsum(stored[f"{name}_array"], axis=2, dtype=numpy.int16)
        return cudaspline.Transform([placed(cudaspline.DisplacementField, name, steps * float(stored[f"{name}_scale"]))], 3)

    masks = {name: stored[name] for name in ("fixed_labels", "valid", "region") if name in stored}
    labels = given("moving_labels", lambda name: image(name, numpy.uint8))
    words = [str(stored[name]) if name in stored else pathlib.Path(path).stem for name in ("name", "title")]
    return Pair(*words, image("fixed"), image("moving"), stored["mask"], stored["moving_mask"], moving_labels=labels, truth=given("truth", truth), **masks)
