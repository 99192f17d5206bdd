"""Options of stages of fields that make results more accurate: cubic splines, smoothing under masks."""

import numpy
import pytest

import cudaspline

BACKENDS = ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]
SIZE = (96, 88)  # x, y
POINTS = (
    numpy.stack(numpy.meshgrid(*map(numpy.arange, SIZE), indexing="ij"), axis=-1)
    .reshape(-1, 2)
    .astype(float)
)
STAGE = {
    "metric": "lncc",
    "radius": 2,
    "learning_rate": 0.25,
    "shrink": (4, 2, 1),
    "sigmas": (2, 1, 0),
    "iterations": 60,
}


def texture(random, points):
    """Waves of 4 to 14 samples in random directions, at points."""
    values = numpy.zeros(len(points))
    for _ in range(40):
        angle, length = random.uniform(0, 2 * numpy.pi), random.uniform(4, 14)
        wave = 2 * numpy.pi / length * numpy.array([numpy.cos(angle), numpy.sin(angle)])
        values += numpy.sin(points @ wave + random.uniform(0, 2 * numpy.pi))
    return values


def bent(points):
    """Known displacements: smooth, up to 2 samples, 0 at the border."""
    x, y = points[:, 0] / SIZE[0], points[:, 1] / SIZE[1]
    window = (16 * x * (1 - x) * y * (1 - y))[:, None]
    return window * numpy.stack([2.0 * numpy.sin(5 * y), 1.5 * numpy.cos(6 * x)], axis=-1)


def image(values):
    return cudaspline.Image(
        numpy.ascontiguousarray(values.reshape(SIZE).T).astype("f4"), (1.0, 1.0)
    )


def pair(rng):
    """(fixed, moving), with fixed(x) = moving(x + bent(x))."""
    seed = rng.integers(1 << 31)
    fixed, moving = (
        texture(numpy.random.default_rng(seed), points)
        for points in (POINTS + bent(POINTS), POINTS)
    )
    return fixed, moving


def errors(found, under):
    """Distances from the known displacements (samples)."""
    return numpy.linalg.norm(found.transform.apply(POINTS) - POINTS - bent(POINTS), axis=1)[under]


@pytest.mark.parametrize("kind", ["syn", "greedy"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_cubic_splines_are_more_accurate(rng, backend, kind):
    fixed, moving = pair(rng)
    inner = ((POINTS > 8) & (POINTS < numpy.array(SIZE) - 9)).all(axis=1)
    linear, cubic = (
        errors(
            cudaspline.register(
                image(fixed),
                image(moving),
                kind,
                **STAGE,
                order=order,
                initial="none",
                device=backend,
            ),
            inner,
        ).mean()
        for order in (1, 3)
    )
    assert cubic < 0.9 * linear
    assert cubic < (0.1 if kind == "syn" else 0.25)


@pytest.mark.parametrize("order", [1, 3])
@pytest.mark.parametrize("backend", BACKENDS)
def test_masked_pixels_do_not_disturb_their_neighbours(rng, backend, order):
    """The errors in a ring of 1 to 4 samples around a lesion that a mask leaves out."""
    fixed, moving = pair(rng)
    distance = numpy.linalg.norm(POINTS - numpy.array([50.0, 44.0]), axis=1) - 10.0
    fixed[distance <= 0] += 60.0 + 20.0 * texture(rng, POINTS[distance <= 0])
    mask = (distance > 0).reshape(SIZE).T
    ring = (distance >= 1) & (distance <= 4)
    plain, under = (
        errors(
            cudaspline.register(
                image(fixed),
                image(moving),
                "syn",
                **STAGE,
                order=order,
                smooth_under_masks=smooth,
                mask=mask,
                initial="none",
                device=backend,
            ),
            ring,
        ).mean()
        for smooth in (False, True)
    )
    assert under < 0.5 * plain
    assert under < 0.3


@pytest.mark.parametrize(
    "options, message",
    [
        ({"order": 2}, "order"),
        ({"order": 3, "metric": "mind"}, "'mind'"),
        ({"gradient": "analytic"}, "'analytic' cannot be used with 'syn'"),
    ],
)
def test_refused(rng, options, message):
    fixed, moving = pair(rng)
    with pytest.raises(ValueError, match=message):
        cudaspline.register(image(fixed), image(moving), "syn", **options)
