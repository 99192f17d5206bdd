"""SyN moves both images: metrics with exact derivatives need the mean of both updates in opposite
directions."""

import numpy
import pytest

import cudaspline


def bent_ellipsoid(rng):
    """A textured ellipsoid in an empty background, and the same bent by up to 1.2 voxels per axis."""
    places = numpy.mgrid[:28, :28, :28] - 13.5
    waves = [(rng.uniform(5, 15), rng.uniform(-0.8, 0.8, 3), rng.uniform(0, 6)) for _ in range(8)]

    def image(at):
        values = sum(
            size * numpy.sin(numpy.tensordot(slopes, at, 1) + phase)
            for size, slopes, phase in waves
        )
        radius = at[0] ** 2 / 80 + at[1] ** 2 / 90 + at[2] ** 2 / 110
        return numpy.where(radius < 1, 100 + values, 0).astype("f4")

    bend = numpy.stack([1.2 * numpy.sin(places[(axis + 1) % 3] * 0.25 + axis) for axis in range(3)])
    return image(places), image(places + bend)


@pytest.mark.parametrize(
    "metric", ["lncc", *(pytest.param(name, marks=pytest.mark.long) for name in ("mind", "ngf"))]
)
def test_averaged_gradients_are_better(rng, metric):
    """By default they are averaged, and the value is lower. Without it lncc worsens again after
    some iterations: what moves both images together enlarges the empty background."""
    images = bent_ellipsoid(rng)

    def values(**options):
        stage = cudaspline.Stage(
            "syn", metric=metric, radius=2 if metric == "lncc" else None, iterations=40, shrink=(1,), sigmas=(0,), convergence=-1.0,
            **options,
        )  # fmt: skip
        found = cudaspline.register(*images, stage, initial="none")
        return [one.value for one in found.history]

    averaged, separate = values(), values(average_midpoint_gradients=False)
    assert averaged == values(average_midpoint_gradients=True)
    assert averaged[0] == separate[0]
    assert averaged[0] - averaged[-1] > 1.03 * (separate[0] - separate[-1])
    if metric == "lncc":
        assert averaged[-1] < min(separate) < separate[-1]


def test_metrics_of_itk_keep_its_updates():
    for metric in ("cc", "mattes", "meansquares"):
        assert cudaspline.Stage("syn", metric=metric).average_midpoint_gradients is False
    assert cudaspline.Stage("syn", metric=[("cc", 0.5), ("ngf", 0.5)]).average_midpoint_gradients
