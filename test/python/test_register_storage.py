"""Registrations by fields of images that are stored in other orders and directions of their axes."""

import itertools

import numpy
import pytest

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


def stored(array, order, signs):
    """The same image with its axes in another order and direction."""
    axes = [2 - axis for axis in reversed(order)]  # of the array, slowest first
    turned = numpy.transpose(array, axes)
    turned = numpy.flip(turned, [2 - n for n, sign in enumerate(signs) if sign < 0])
    direction, origin = numpy.zeros((3, 3)), numpy.zeros(3)
    for n, (axis, sign) in enumerate(zip(order, signs)):
        direction[axis, n] = sign
        origin[axis] = 0.0 if sign > 0 else (SIZE[axis] - 1) * SPACING[axis]
    spacing = SPACING[list(order)]
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
    points = numpy.stack(numpy.meshgrid(*map(numpy.arange, SIZE), indexing="ij"), axis=-1).reshape(
        -1, 3
    )
    points = points * SPACING
    return found.transform.apply(points) - points
