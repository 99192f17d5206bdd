"""Registrations by fields of images that are stored in other orders and directions of their axes."""

import itertools

import numpy
import pytest
from scipy import ndimage

import cudaspline

BACKENDS = ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]
SIZE = numpy.array([18, 20, 22])  # x, y, z
SPACING = numpy.array([1.0, 1.25, 1.5])  # mm
ORDERS = [
    pytest.param(
        order, signs, id="".join("xyz"[a] if s > 0 else "XYZ"[a] for a, s in zip(order, signs))
    )
    for order, signs in itertools.chain(
        (((0, 1, 2), signs) for signs in ((-1, 1, 1), (1, -1, 1), (1, 1, -1))),
        (((2, 1, 0), (1, 1, 1)), ((1, 2, 0), (-1, 1, -1))),
    )
]


def stored(array, order, signs, size=SIZE, steps=SPACING):
    """The same image with its axes in another order and direction."""
    axes = [2 - axis for axis in reversed(order)]  # of the array, slowest first
    turned = numpy.transpose(array, axes)
    turned = numpy.flip(turned, [2 - n for n, sign in enumerate(signs) if sign < 0])
    direction, origin = numpy.zeros((3, 3)), numpy.zeros(3)
    for n, (axis, sign) in enumerate(zip(order, signs)):
        direction[axis, n] = sign
        origin[axis] = 0.0 if sign > 0 else (size[axis] - 1) * steps[axis]
    spacing = steps[list(order)]
    return cudaspline.Image(numpy.ascontiguousarray(turned), spacing, origin, direction)


def test_the_same_points(rng):
    array = rng.standard_normal(SIZE[::-1]).astype("f4")
    image = stored(array, (1, 2, 0), (-1, 1, -1))
    x, y, z = 3, 5, 7
    index = numpy.round(
        image.geometry.point_to_index @ (SPACING * (x, y, z) - image.geometry.origin)
    )
    assert image.array[tuple(index.astype(int)[::-1])] == array[z, y, x]


@pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")  # noise explains no noise
@pytest.mark.parametrize("order, signs", ORDERS)
@pytest.mark.parametrize(
    "kind, options",
    [
        ("syn", {"metric": "lncc", "radius": 2}),
        (
            "syn",
            {"metric": "cc", "radius": 2, "gradient": "grid", "average_midpoint_gradients": True},
        ),
        ("greedy", {"metric": "cc", "radius": 2, "gradient": "grid"}),
        ("greedy", {"metric": "mattes", "gradient": "grid"}),
        ("syn", {"metric": "mind"}),
        ("syn", {"metric": "ngf"}),
        ("demons", {"gradient": "grid"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_that_follow_the_grid(rng, backend, kind, options, order, signs):
    """The result does not depend on how images are stored; by ITK's rule it does (see the next test)."""
    arrays = waves(rng)
    wanted, found = (
        displacements(arrays, kind, options, of, backend)
        for of in (((0, 1, 2), (1, 1, 1)), (order, signs))
    )
    assert numpy.abs(wanted).max() > 0.1
    # Sums in single precision, in another order.
    assert numpy.abs(found - wanted).max() < 1e-3 * numpy.abs(wanted).max()


HEAD = numpy.array([37, 41, 34])  # voxels of 4 mm
#: A reversal, an exchange and a rotation of the axes, which generate all 48 orientations, and one of the others.
GENERATORS = [
    ((0, 1, 2), (-1, 1, 1)),
    ((1, 0, 2), (1, 1, 1)),
    ((2, 0, 1), (1, 1, 1)),
    ((2, 0, 1), (-1, 1, -1)),
]


@pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")
@pytest.mark.parametrize(
    "options",
    [
        {"preset": "lung"},
        {"preset": "abdomen"},
        {"metric": "mattes", "gradient": "grid", "learning_rate": 0.1, "update_variance": 10},
        {"metric": "mind"},
        {"metric": "ngf"},
    ],
    ids=lambda options: next(iter(options.values())),
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_all_orientations(backend, options):
    """The same pair of small heads in other orientations: the results differ by less than 0.3 mm."""
    stage = () if "preset" in options else ("syn",)
    if stage:
        levels = {"shrink": (2, 1), "sigmas": (1, 0), "iterations": (30, 20)}
        options = {"optimizer": "momentum", "update_variance": 6, **levels, **options}
    arrays = heads(numpy.random.default_rng(54))
    wanted = None
    for storage in [((0, 1, 2), (1, 1, 1)), *GENERATORS]:
        images = [stored(array, *storage, HEAD, numpy.full(3, 4.0)) for array in arrays]
        transform = cudaspline.register(*images, *stage, device=backend, **options).transform
        moved = transform.apply(points_of(HEAD, numpy.full(3, 4.0)))
        wanted = moved if wanted is None else wanted
        assert numpy.linalg.norm(moved - wanted, axis=1).max() < 0.3
    assert numpy.linalg.norm(wanted - points_of(HEAD, numpy.full(3, 4.0)), axis=1).max() > 4.0


def heads(random):
    """Smooth noise in an ellipsoid, and the same bent by up to 7 mm, with another contrast."""
    index = numpy.stack(numpy.indices(HEAD[::-1])).astype(float)
    place = index - 0.5 * (HEAD[::-1] - 1).reshape(3, 1, 1, 1)
    texture = ndimage.gaussian_filter(random.standard_normal(HEAD[::-1]), 2.0)
    inside = (place**2 / (0.38 * HEAD[::-1].reshape(3, 1, 1, 1)) ** 2).sum(axis=0) < 1
    fixed = numpy.where(inside, 2.0 + texture / texture.std(), 0.0)
    fixed = ndimage.gaussian_filter(fixed, 0.7)
    bend = 1.7 * numpy.sin(place[::-1] / 5.0)
    moving = ndimage.map_coordinates(fixed, index + bend, order=1)
    other = numpy.sqrt(numpy.clip(moving, 0, None)) + 0.01 * random.standard_normal(moving.shape)
    return [fixed.astype("f4"), other.astype("f4")]


def points_of(size, spacing):
    """The points of all samples (mm)."""
    index = numpy.meshgrid(*map(numpy.arange, size), indexing="ij")
    return numpy.stack(index, axis=-1).reshape(-1, 3) * spacing


@pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")
def test_differences_of_itk(rng):
    arrays = waves(rng)
    options = {"metric": "cc", "radius": 2, "gradient": "differences"}
    wanted, found = (
        displacements(arrays, "greedy", options, ((0, 1, 2), signs), "cpu")
        for signs in ((1, 1, 1), (1, 1, -1))
    )
    assert numpy.abs(found - wanted).max() > 1e-2 * numpy.abs(wanted).max()


def waves(rng):
    """Two images of the same waves, one of them moved, with noise, so that no window is flat."""
    z, y, x = numpy.indices(SIZE[::-1])
    return [
        (
            numpy.sin(0.5 * x + 0.3 * y + phase)
            + numpy.sin(0.4 * y - 0.6 * z + 0.7 * phase)
            + numpy.sin(0.35 * z + 0.2 * x - phase)
            + 0.05 * rng.standard_normal(x.shape)
        ).astype("f4")
        for phase in (0.0, 0.4)
    ]


def displacements(arrays, kind, options, storage, backend):
    images = [stored(array, *storage) for array in arrays]
    shape = {"shrink": (1,), "sigmas": (0,), "iterations": 4, "update_variance": 0.5}
    found = cudaspline.register(*images, kind, **options, **shape, initial="none", device=backend)
    points = points_of(SIZE, SPACING)
    return found.transform.apply(points) - points
