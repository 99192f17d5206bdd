"""Registrations that several GPUs share have the bits of one GPU.

Expected: the same kernels compute the same samples from the same arrays, so fields and inverses are equal, not only close. The sums of local
correlation over all samples can be added in another order: values may differ by roundings of numbers of double precision (1e-16 each). The images
are large enough that all GPUs have a part of each array and of each step. The second ones are so flat that one GPU does not cut windows along z."""

import numpy
import pytest

import cudaspline
from cudaspline.core._methods import device_word


@pytest.fixture(scope="module", params=[(173, 161, 167), (67, 251, 250)])
def images(request):
    """Waves, the same waves bent, and a mask."""
    if cudaspline.device_count() < 2:
        pytest.skip("there are not two GPUs")
    z, y, x = numpy.meshgrid(*map(numpy.arange, request.param), indexing="ij", sparse=True)

    def waves(x, y, z):
        return (
            100
            + 20 * numpy.sin(0.21 * x + 0.1 * y)
            + 15 * numpy.sin(0.17 * y - 0.08 * z)
            + 10 * numpy.sin(0.23 * z + 0.07 * x)
        )

    fixed = waves(x, y, z).astype("float32")
    bent = waves(
        x + 2 * numpy.sin(0.03 * y), y + 1.5 * numpy.cos(0.04 * z), z + numpy.sin(0.05 * x)
    )
    mask = numpy.zeros(request.param, "uint8")
    mask[10:-20, 7:-9, 12:-5] = 1
    return fixed, bent.astype("float32"), mask


@pytest.mark.gpu
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("metric", ["cc", "lncc", "meansquares", "mattes"])
@pytest.mark.parametrize("kind", ["greedy", "syn"])
def test_fields_have_the_same_bits(images, kind, metric, masked):
    check(images, kind, metric=metric, masked=masked)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "options",
    [
        {"total_variance": 0.5, "update_variance": 9.0},
        {"optimizer": "adam", "determinant_limit": 4.0},
        {"inversion": "anderson"},
        {"restrict_deformation": (1.0, 0.5, 0.0)},
        {"precision": "float64"},
    ],
)
@pytest.mark.parametrize("kind", ["greedy", "syn"])
def test_options_have_the_same_bits(images, kind, options):
    check(images, kind, metric="cc", masked=False, **options)


@pytest.mark.gpu
def test_initial_fields_and_pairs_have_the_same_bits(images):
    fixed, moving, _ = images
    initial = cudaspline.register(fixed, moving, "greedy", device=0, **LEVELS).transform
    options = {"metric": [("cc", 0.7), ("meansquares", 0.3)], "also": [(fixed, moving)]}
    check(images, "syn", masked=False, initial=initial, **options)


def test_the_first_gpu_has_the_images():
    assert device_word([1, 0], 1, shares=True) == "1,0"
    assert device_word("1,0", 1, shares=True) == "1,0"
    for device, shares in (([0, 1], True), ("0,1", True), ([1, 0], False)):
        with pytest.raises(ValueError, match="device: the array is on device 1"):
            device_word(device, 1, shares=shares)


LEVELS = {"iterations": (3, 4), "shrink": (2, 1), "sigmas": (1, 0), "convergence": 0.0}


def check(images, kind, masked, initial="none", **options):
    fixed, moving, mask = images
    one, all_of_them = (
        cudaspline.register(
            fixed,
            moving,
            kind,
            device=device,
            initial=initial,
            mask=mask if masked else None,
            **LEVELS,
            **options,
        )
        for device in ([0], list(range(cudaspline.device_count())))
    )
    for found in (one, all_of_them):
        assert found.report.stages[-1].execution.backend == "Cuda"
    assert numpy.abs(one.field).max() > 0.05
    assert numpy.array_equal(one.field, all_of_them.field)
    points = numpy.random.default_rng(3).uniform(10, 50, (200, 3))
    ways = [found.transform.inverse().apply(points) for found in (one, all_of_them)]
    assert numpy.array_equal(*ways)
    values = [
        [level.value for stage in found.report.stages for level in stage.levels]
        for found in (one, all_of_them)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
