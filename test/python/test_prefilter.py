"""prefilter() against SciPy's spline_filter, for every order, boundary, type and axis.

Tolerances: both compute the same recursion, which is a convolution whose absolute taps sum up to
the filter's gain: below 1.5, 3, 4.5, 8 and 13 an axis for orders 2 to 5 (the sampled spline's
smallest value is its inverse). A result of three axes has rounding errors of some ten operations an
axis: 3 * 10 * eps times the gain of all axes times the largest sample. Truncation adds as much as a
rounding by construction (RecursionWarmUp).
"""

import numpy
import pytest

import cudaspline
from conftest import difference

ndimage = pytest.importorskip("scipy.ndimage")

# 1 / (smallest value of the sampled spline's transfer function): its gain at the highest frequency.
GAIN = {2: 2.0, 3: 3.0, 4: 4.8, 5: 7.5}
BOUNDARIES = ("mirror", "reflect", "grid-wrap")
# The pole that is farthest from 0, and the spline at the integers.
POLE = {2: 0.1716, 3: 0.2680, 4: 0.3614, 5: 0.4306}
SAMPLED = {
    2: numpy.array([1, 6, 1]) / 8,
    3: numpy.array([1, 4, 1]) / 6,
    4: numpy.array([1, 76, 230, 76, 1]) / 384,
    5: numpy.array([1, 26, 66, 26, 1]) / 120,
}


def tolerance(order, axes, dtype, largest):
    return 30 * axes * numpy.finfo(dtype).eps * GAIN[order] ** axes * largest


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_agrees_with_scipy(rng, order, boundary, dtype):
    for shape in [(67,), (45, 33), (12, 37, 70)]:
        samples = rng.uniform(-1, 1, shape).astype(dtype)
        found = cudaspline.prefilter(samples, order, boundary=boundary)
        wanted = ndimage.spline_filter(
            samples.astype(numpy.float64), order, output=numpy.float64, mode=boundary
        )
        assert found.dtype == dtype
        # SciPy's start of the recursion for "reflect" leaves out what has gone to and fro on the
        # line: the pole to 2 n.
        start = (
            POLE[order] ** (2 * min(shape)) * GAIN[order] ** len(shape)
            if boundary == "reflect"
            else 0
        )
        assert difference(found, wanted) < tolerance(order, len(shape), dtype, 1) + start
        assert difference(found, samples) > 0.1  # it is filtered


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_spline_passes_through_the_samples(rng, order, boundary):
    for length in (2, 3, 5, 12, 31, 32, 33, 200):
        samples = rng.uniform(-1, 1, length)
        coefficients = cudaspline.prefilter(samples, order, boundary=boundary)
        mode = {"grid-wrap": "wrap"}.get(boundary, boundary)
        assert difference(
            ndimage.convolve1d(coefficients, SAMPLED[order], mode=mode), samples
        ) < tolerance(order, 1, "float64", 1)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_filters_one_axis(rng, axis, boundary):
    samples = rng.uniform(-1, 1, (19, 34, 50))
    found = cudaspline.prefilter(samples, 3, boundary=boundary, axis=axis)
    wanted = ndimage.spline_filter1d(samples, 3, axis, output=numpy.float64, mode=boundary)
    assert difference(found, wanted) < tolerance(3, 1, "float64", 1)


def test_filters_one_axis_of_a_few_rows(rng):
    samples = rng.uniform(-1, 1, (2, 1, 1000))
    for axis in range(3):
        found = cudaspline.prefilter(samples, 5, axis=axis)
        wanted = ndimage.spline_filter1d(samples, 5, axis, output=numpy.float64, mode="mirror")
        assert difference(found, wanted) < tolerance(5, 1, "float64", 1)


@pytest.mark.parametrize(
    "dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
)
def test_takes_every_type(rng, dtype):
    samples = rng.integers(0, 100, (9, 20, 31)).astype(dtype)
    found = cudaspline.prefilter(samples)
    wide = numpy.dtype(dtype).itemsize >= 4
    assert found.dtype == ("float64" if wide else "float32")
    wanted = ndimage.spline_filter(
        samples.astype(numpy.float64), 3, output=numpy.float64, mode="mirror"
    )
    assert difference(found, wanted) < tolerance(3, 3, found.dtype, 100)


def test_boundary_by_axis_names_x_first(rng):
    samples = rng.uniform(-1, 1, (15, 20))
    found = cudaspline.prefilter(samples, 3, boundary=("grid-wrap", "mirror"))
    wanted = ndimage.spline_filter1d(samples, 3, 0, output=numpy.float64, mode="mirror")
    wanted = ndimage.spline_filter1d(wanted, 3, 1, output=numpy.float64, mode="grid-wrap")
    assert difference(found, wanted) < tolerance(3, 2, "float64", 1)


def test_order_1_changes_nothing(rng):
    samples = rng.uniform(-1, 1, (15, 20))
    assert numpy.array_equal(cudaspline.prefilter(samples, 1), samples)


def test_channels_are_images_of_their_own(rng):
    samples = rng.uniform(-1, 1, (10, 22, 3))
    found = cudaspline.prefilter(samples, channels=True)
    for channel in range(3):
        assert numpy.array_equal(found[..., channel], cudaspline.prefilter(samples[..., channel]))


def test_fir_approaches_the_recursion(rng):
    samples = rng.uniform(-1, 1, (40, 50))
    exact = cudaspline.prefilter(samples)
    errors = [
        difference(cudaspline.prefilter(samples, method="fir", taps=taps), exact)
        for taps in (7, 15, 27)
    ]
    assert errors[0] > errors[1] > errors[2] > 0
    # The pole of order 3 is -0.268: what is cut off shrinks by it with every two taps, from a gain
    # of 3 an axis.
    assert errors[2] < 10 * 0.268**13 * 3**2


def test_writes_where_it_is_told(rng):
    samples = rng.uniform(-1, 1, (20, 20))
    out = numpy.empty_like(samples)
    assert cudaspline.prefilter(samples, out=out) is out
    assert numpy.array_equal(out, cudaspline.prefilter(samples))
    wanted = out.copy()
    cudaspline.prefilter(samples, out=samples)  # in place
    assert numpy.array_equal(samples, wanted)


def test_takes_any_order_in_memory(rng):
    samples = numpy.asfortranarray(rng.uniform(-1, 1, (20, 30, 12)))
    wanted = cudaspline.prefilter(numpy.ascontiguousarray(samples))
    assert numpy.array_equal(cudaspline.prefilter(samples), wanted)
    assert numpy.array_equal(cudaspline.prefilter(samples.astype(">f8")), wanted)
    assert numpy.array_equal(
        cudaspline.prefilter(samples[::-1, ::2]), cudaspline.prefilter(samples[::-1, ::2].copy())
    )


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(order=6), ValueError, "order"),
        (dict(order=2.5), ValueError, "order"),
        (dict(boundary="nearest"), ValueError, "boundary"),
        (dict(boundary="round"), ValueError, "boundary"),
        (dict(boundary=("mirror",)), ValueError, "boundary"),
        (dict(method="fast"), ValueError, "^method:"),
        (dict(axis=3), ValueError, "axis"),
        (dict(dtype="int16"), ValueError, "dtype"),
        (dict(dtype="complex64"), TypeError, "dtype"),
        (dict(out=numpy.zeros((3, 4))), ValueError, "out"),
        (dict(device="1.5"), cudaspline.DeviceError, "device"),
        (dict(device=1.5), TypeError, "device"),
        (dict(method="fir", taps=4), ValueError, "taps"),
        (dict(threads=-1), ValueError, "threads"),
    ],
)
def test_errors_name_the_argument(arguments, error, text):
    with pytest.raises(error, match=text):
        cudaspline.prefilter(numpy.zeros((4, 5, 6)), **arguments)


@pytest.mark.parametrize(
    "image", [object(), b"bytes", numpy.zeros((3, 3), complex), numpy.zeros(3, "f2").astype("O")]
)
def test_refuses_what_is_no_image(image):
    with pytest.raises(TypeError, match="image"):
        cudaspline.prefilter(image)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 2, 2, 2, 2)])
def test_refuses_shapes(shape):
    with pytest.raises(ValueError, match="size"):
        cudaspline.prefilter(numpy.zeros(shape))
