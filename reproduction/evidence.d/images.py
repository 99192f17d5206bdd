"""The images of the evidence, at a spacing: two brains of packages with their tissues, and brains that were bent by transforms that are known.

Images are cudaspline.Image, float32, (nz, ny, nx), places in ITK's space (mm, LPS). Labels are images of whole numbers.
"""

import os
import warnings
from dataclasses import dataclass

import nibabel
import numpy
from scipy import ndimage

import cudaspline

TEMPLATES = "/usr/share/mricron/templates"
LPS = numpy.diag([-1.0, -1.0, 1.0, 1.0])  # NIfTI's axes go to the right and to the front
# mm: spacing of the fields that bend. Between samples a flow of 12 mm and a smoothness of 20 is off by 3^2 / 8 * 12 / 20^2 = 0.03 mm.
FLOW = 3.0


@dataclass
class Pair:
    """Two images, and what is known of them."""

    #: The stem of its file names.
    name: str
    #: In words.
    title: str
    fixed: cudaspline.Image
    moving: cudaspline.Image
    #: Where the fixed image has its brain: what is measured is measured there.
    mask: numpy.ndarray
    #: The same of the moving image.
    moving_mask: numpy.ndarray
    fixed_labels: numpy.ndarray
    moving_labels: cudaspline.Image
    #: From points of the fixed image to points of the moving one; None: not known.
    truth: cudaspline.Transform = None


def of_nifti(image):
    """A volume of nibabel."""
    affine = LPS @ image.affine
    spacing = numpy.linalg.norm(affine[:3, :3], axis=0)
    array = numpy.ascontiguousarray(numpy.asarray(image.dataobj, dtype=numpy.float32).T)
    return cudaspline.Image(array, spacing, affine[:3, 3], affine[:3, :3] / spacing)


def write(image, path):
    """Writes an image as NIfTI, as every method reads it."""
    nibabel.save(nibabel.Nifti1Image(numpy.asarray(image.array).T, LPS @ image.geometry.affine), path)


def like(image, array):
    """An image with another array and the same geometry."""
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


def at_256(image):
    """An image in a cube of 256^3 samples: what is missing at the upper ends is 0, what is too much is cut."""
    array = numpy.zeros((256, 256, 256), numpy.float32)
    part = tuple(slice(0, min(count, 256)) for count in image.array.shape)
    array[part] = numpy.asarray(image.array)[part]
    return like(image, array)


def find(name, folders):
    """A file of mricron-data. Raises FileNotFoundError, naming the package."""
    for folder in (*folders, TEMPLATES):
        if os.path.isfile(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise FileNotFoundError(f"there is no {name}: Debian's package mricron-data has it (or --data FOLDER)")


def classes(values, count=3):
    """Numbers 1, 2, ... of the classes that values belong to, the darkest first: a mixture of Gaussians, by expectation maximization of their histogram."""
    low, high = numpy.quantile(values, (0.001, 0.999))
    weights, edges = numpy.histogram(values, 256, (low, high))
    centres = 0.5 * (edges[1:] + edges[:-1])
    mean = numpy.quantile(values, (numpy.arange(count) + 0.5) / count)
    variance = numpy.full(count, (high - low) ** 2 / count**2 / 4)
    share = numpy.full(count, 1 / count)
    for _ in range(500):
        logarithm = numpy.log(share) - 0.5 * numpy.log(variance) - 0.5 * (centres[:, None] - mean) ** 2 / variance
        belongs = numpy.exp(logarithm - logarithm.max(axis=1, keepdims=True))
        belongs /= belongs.sum(axis=1, keepdims=True)
        amount = (weights[:, None] * belongs).sum(axis=0)
        before, mean = mean, (weights[:, None] * belongs * centres[:, None]).sum(axis=0) / amount
        variance = (weights[:, None] * belongs * (centres[:, None] - mean) ** 2).sum(axis=0) / amount + ((high - low) / 256) ** 2 / 12
        share = amount / amount.sum()
        if numpy.abs(mean - before).max() < 1e-6 * (high - low):
            break
    order = numpy.argsort(mean)
    # A wide Gaussian is the likeliest again beyond a narrow one: what is darker than all means is of the darkest class, and so on.
    number = numpy.argmax(belongs[:, order], axis=1)
    ordered = mean[order]
    number = numpy.where(centres <= ordered[0], 0, numpy.where(centres >= ordered[-1], count - 1, number))
    place = numpy.clip(((values - low) / (high - low) * 256).astype(int), 0, 255)
    return (number[place] + 1).astype(numpy.uint8)


def colin(spacing, folders):
    """Colin27 without its skull, from 0 to 1, with its mask and its labels (AAL)."""
    brain = of_nifti(nibabel.load(find("ch2bet.nii.gz", folders)))
    labels = of_nifti(nibabel.load(find("aal.nii.gz", folders)))
    mask = at_spacing(like(brain, (brain.array > 0).astype(numpy.float32)), spacing).array >= 0.5
    brain = at_spacing(brain, spacing)
    values = numpy.where(mask, brain.array, 0)
    brain = like(brain, (values / numpy.quantile(values[mask], 0.999)).astype(numpy.float32))
    labels = cudaspline.resample(labels, None, brain, interpolation="nearest", smooth=False, device="cpu")
    return brain, mask, like(brain, numpy.rint(labels.array).astype(numpy.uint8))


def brains(spacing, folders):
    """MNI152 2009a and Colin27, each without its skull, with the labels 1, cerebrospinal fluid, 2, grey matter, and 3, white matter.

    Of MNI152 these are the likeliest of nilearn's maps, of Colin27 classes by brightness. Raises ImportError without nilearn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nilearn import datasets

        loaders = (datasets.load_mni152_template, datasets.load_mni152_gm_template, datasets.load_mni152_wm_template, datasets.load_mni152_brain_mask)
        whole, grey, white, inside = (at_spacing(of_nifti(load(resolution=1)), spacing) for load in loaders)
    mask = inside.array >= 0.5
    fixed = like(whole, numpy.where(mask, whole.array, 0).astype(numpy.float32))
    fluid = numpy.clip(1 - grey.array - white.array, 0, 1)
    tissues = numpy.where(mask, 1 + numpy.argmax(numpy.stack([fluid, grey.array, white.array]), axis=0), 0).astype(numpy.uint8)
    moving, moving_mask, _ = colin(spacing, folders)
    moving_tissues = numpy.zeros(moving_mask.shape, numpy.uint8)
    moving_tissues[moving_mask] = classes(moving.array[moving_mask])
    return Pair("brains", "MNI152 2009a and Colin27", fixed, moving, mask, moving_mask, tissues, like(moving, moving_tissues))


def velocity(grid, largest, smoothness, random):
    """A smooth velocity field (mm), (nz, ny, nx, 3), that is 0 at the border.

    largest: of its vectors, mm. smoothness: standard deviation of the Gaussian that noise was smoothed with, mm"""
    spacing = grid.spacing[::-1]
    # Where the image ends nothing moves: a ramp of two standard deviations.
    window = numpy.ones(grid.shape)
    for axis, count in enumerate(grid.shape):
        distance = numpy.minimum(numpy.arange(count), numpy.arange(count)[::-1]) * spacing[axis] / smoothness
        ramp = numpy.sin(0.5 * numpy.pi * numpy.clip(distance / 2, 0, 1)) ** 2
        window *= ramp.reshape([-1 if other == axis else 1 for other in range(3)])
    # Noise of a grid of its own, so that the same field is drawn at every spacing of the image.
    coarse = [max(4, int(round(count * step / (0.5 * smoothness))) + 1) for count, step in zip(grid.shape, spacing)]
    drawn = random.standard_normal((3, *coarse))
    parts = []
    for noise in drawn:
        places = numpy.meshgrid(*[numpy.linspace(0, size - 1, count) for size, count in zip(coarse, grid.shape)], indexing="ij", sparse=True)
        smooth = ndimage.gaussian_filter(noise, 2.0, mode="nearest")
        parts.append(ndimage.map_coordinates(smooth, numpy.broadcast_arrays(*places), order=3, mode="nearest") * window)
    field_ = numpy.stack(parts, axis=-1)
    return field_ * (largest / numpy.sqrt((field_**2).sum(axis=-1)).max())


def exponential(grid, vectors):
    """Displacements (mm) of the flow of a velocity field after the time 1, by scaling and squaring: of a diffeomorphism whose inverse is that of -vectors."""
    steps = 7  # 1/128 of the field, at most a tenth of a voxel: what Euler's step leaves is of the second order in that
    displacements = vectors / 2**steps
    index = numpy.stack(numpy.meshgrid(*[numpy.arange(count) for count in grid.shape], indexing="ij"))
    for _ in range(steps):
        where = index + numpy.moveaxis(displacements @ grid.point_to_index.T, -1, 0)[::-1]  # indices, slowest axis first
        moved = [ndimage.map_coordinates(part, where, order=1, mode="constant") for part in numpy.moveaxis(displacements, -1, 0)]
        displacements = displacements + numpy.stack(moved, axis=-1)
    return displacements


def displacement(grid, vectors):
    """A displacement field as a transform that the package takes."""
    return cudaspline.DisplacementField(numpy.ascontiguousarray(vectors), grid.spacing, grid.origin, grid.direction)


def turn(degrees, shift, scale, centre):
    """A rotation about all axes, with scales and a shift (mm), about a centre: homogeneous, 4 x 4."""
    matrix = numpy.eye(3)
    for axis, angle in enumerate(numpy.radians(degrees)):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        one = numpy.eye(3)
        one[first, first] = one[second, second] = numpy.cos(angle)
        one[second, first], one[first, second] = numpy.sin(angle), -numpy.sin(angle)
        matrix = one @ matrix
    matrix = matrix @ numpy.diag(scale)
    whole = numpy.eye(4)
    whole[:3, :3], whole[:3, 3] = matrix, centre + shift - matrix @ centre
    return whole


@dataclass(frozen=True)
class Bend:
    """What is done to a brain so that a registration has something to find."""

    name: str
    #: In words.
    title: str
    #: The largest velocity of the flow before the affine transform, mm in its unit of time.
    fastest: float
    #: What of its brightness is left: values are raised to that power, from 0 to 1.
    power: float = 1.0
    #: Standard deviation of Gaussian noise in real and imaginary part, of the brightest tissue.
    noise: float = 0.0
    #: Brightness goes from 1 - bias to 1 + bias across the head.
    bias: float = 0.0
    seed: int = 1


BENDS = (
    Bend("gentle", "gently", 6.0, seed=1),
    Bend("strong", "strongly", 12.0, seed=2),
    Bend("contrast", "strongly, in another contrast, with noise and bias", 12.0, power=2.0, noise=0.05, bias=0.3, seed=3),
)


def bent(bend, spacing, folders):
    """Colin27 and what becomes of it by a smooth diffeomorphism and an affine transform, which are known, with labels of both."""
    fixed, mask, labels = colin(spacing, folders)
    # The flow has a grid of its own, so that it is the same at every spacing. What lies between its samples is smooth.
    grid = at_spacing(of_nifti(nibabel.load(find("ch2bet.nii.gz", folders))), FLOW).geometry
    random = numpy.random.default_rng(bend.seed)
    flow = velocity(grid, bend.fastest, 20.0, random)
    centre = grid.origin + grid.index_to_point @ ((numpy.array(grid.size) - 1) / 2)
    affine = turn((4.0, -3.0, 5.0), (3.0, -2.0, 4.0), (1.04, 0.97, 1.02), centre)
    # x goes to A(x + d(x)); a place y of the moving image shows what is at e(A^-1 y), with e the flow backward.
    truth = cudaspline.Transform([affine, displacement(grid, exponential(grid, flow))], 3)
    back = [displacement(grid, exponential(grid, -flow)), numpy.linalg.inv(affine)]
    moving = cudaspline.resample(fixed, back, fixed, interpolation="linear", smooth=False, device="cpu")
    moving_labels = cudaspline.resample(labels, back, fixed, interpolation="nearest", smooth=False, device="cpu")
    values = numpy.clip(moving.array, 0, None) ** bend.power
    if bend.bias:
        ramps = [numpy.linspace(-1, 1, count).reshape([-1 if i == axis else 1 for i in range(3)]) for axis, count in enumerate(fixed.shape)]
        values = values * (1 + bend.bias * (ramps[0] + ramps[1] - ramps[2]) / 3)
    if bend.noise:
        inside = moving.array > 0  # its background stays 0: brains are extracted
        parts = random.normal(0.0, bend.noise, (2, *values.shape))
        values = numpy.where(inside, numpy.hypot(values + parts[0], parts[1]), 0)
    moving = like(moving, values.astype(numpy.float32))
    return Pair(bend.name, f"Colin27, bent {bend.title}", fixed, moving, mask, values > 0, labels.array, moving_labels, truth)
