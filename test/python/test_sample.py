"""sample() against SciPy's map_coordinates, and derivatives against those of functions that a
spline reproduces."""

import numpy
import pytest

import cudaspline
from conftest import difference

ndimage = pytest.importorskip("scipy.ndimage")

SHAPES = [(40,), (21, 34), (13, 17, 29)]


def points_inside(rng, shape, count=2000):
    """Continuous indices, x first."""
    return rng.uniform(0, 1, (count, len(shape))) * (numpy.array(shape[::-1]) - 1)


def beside_knots(points, order):
    """The points, but none so near to a knot that its support is the neighbouring one: that is
    found in single precision, as by ITK, and splines of low orders are not the same there."""
    distance = numpy.abs((points + (0 if order % 2 else 0.5) + 0.5) % 1 - 0.5)
    return numpy.where(distance < 1e-5, points + 3e-5, points)


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("shape", SHAPES)
def test_agrees_with_scipy(rng, shape, order):
    image = rng.uniform(-1, 1, shape)
    points = beside_knots(points_inside(rng, shape), order)
    found = cudaspline.sample(image, points, order=order, coordinates="index")
    wanted = ndimage.map_coordinates(image, points.T[::-1], order=order, mode="mirror")
    assert (
        difference(found, wanted) < 1e-12
    )  # of 6^3 products of numbers of up to 7.5^3 and weights that sum up to 1


@pytest.mark.parametrize("boundary", ["mirror", "reflect", "grid-wrap"])
@pytest.mark.parametrize("order", [2, 3, 5])
def test_continues_the_image(rng, order, boundary):
    image = rng.uniform(
        -1, 1, (28, 41)
    )  # so long that SciPy's start of the recursion is exact enough (test_prefilter.py)
    points = beside_knots(rng.uniform(-100, 100, (1000, 2)), order)
    found, mask = cudaspline.sample(
        image, points, order=order, coordinates="index", boundary=boundary, inside=True
    )
    wanted = ndimage.map_coordinates(image, points.T[::-1], order=order, mode=boundary)
    assert difference(found, wanted) < 1e-11
    assert mask.all()


def test_linear_continues_by_a_constant(rng):
    image = rng.uniform(-1, 1, (14, 21))
    points = rng.uniform(-5, 25, (1000, 2))
    found = cudaspline.sample(
        image,
        points,
        interpolation="linear",
        coordinates="index",
        boundary="grid-constant",
        border=0.25,
    )
    wanted = ndimage.map_coordinates(
        image, points.T[::-1], order=1, mode="grid-constant", cval=0.25
    )
    assert difference(found, wanted) < 1e-13


def test_outside_stands_the_default(rng):
    image = rng.uniform(-1, 1, (10, 10, 10))
    points = numpy.array(
        [[-0.5, 0, 0], [-0.51, 0, 0], [9.49, 9, 9], [9.5, 9, 9], [numpy.nan, 0, 0], [5, 5, 1e30]]
    )
    values, gradients, mask = cudaspline.sample(
        image, points, coordinates="index", default=7, inside=True, gradient=True
    )
    assert mask.tolist() == [1, 0, 1, 0, 0, 0]
    assert numpy.array_equal(values[[1, 3, 4, 5]], [7.0] * 4)
    assert not gradients[[1, 3, 4, 5]].any()


def test_derivatives_of_a_polynomial(rng):
    """A cubic spline with coefficients that are a quadratic's is a quadratic away from the
    boundary."""
    spacing, origin = numpy.array([0.5, 2.0, 1.25]), numpy.array([10.0, -3.0, 4.0])
    direction = numpy.linalg.qr(rng.normal(size=(3, 3)))[0]
    size = (24, 22, 20)
    index = numpy.stack(numpy.meshgrid(*map(numpy.arange, size), indexing="ij"), -1)
    place = origin + index @ (direction * spacing).T
    a, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    a = a + a.T
    values = numpy.einsum("...i,ij,...j", place, a, place) + place @ b
    image = cudaspline.Image(values.transpose(2, 1, 0).copy(), spacing, origin, direction)
    at = origin + (rng.uniform(0.45, 0.55, (50, 3)) * size) @ (direction * spacing).T
    found, gradient, hessian = cudaspline.sample(image, at, gradient=True, hessian=True)
    # What the mirrored boundary adds decays by the pole, 0.268, with each of the 9 samples to the
    # middle.
    error = 0.268**9 * numpy.abs(values).max()
    assert difference(found, numpy.einsum("...i,ij,...j", at, a, at) + at @ b) < 10 * error
    assert difference(gradient, 2 * at @ a + b) < 40 * error
    assert difference(hessian, numpy.broadcast_to(2 * a, (50, 3, 3))) < 160 * error


@pytest.mark.parametrize("interpolation", ["bspline", "catmull-rom", "mitchell"])
def test_gradients_are_differences(rng, interpolation):
    image = rng.uniform(-1, 1, (15, 16, 17))
    points = points_inside(rng, image.shape, 100) * 0.8 + 1.4
    step = 1e-4
    _, gradient, hessian = cudaspline.sample(
        image, points, interpolation=interpolation, gradient=True, hessian=True, coordinates="index"
    )
    for axis in range(3):
        shift = step * numpy.eye(3)[axis]
        if interpolation != "bspline":  # their second derivatives jump at the samples
            smooth = numpy.all(numpy.floor(points + shift) == numpy.floor(points - shift), axis=1)
        else:
            smooth = slice(None)
        up, up_gradient = cudaspline.sample(
            image, points + shift, interpolation=interpolation, gradient=True, coordinates="index"
        )
        down, down_gradient = cudaspline.sample(
            image, points - shift, interpolation=interpolation, gradient=True, coordinates="index"
        )
        # Half of step^2 times a third derivative, of up to 6 * 27 * 8.
        assert difference(((up - down) / (2 * step))[smooth], gradient[smooth, axis]) < 1e-4
        assert (
            difference(
                ((up_gradient - down_gradient) / (2 * step))[smooth], hessian[smooth][:, axis]
            )
            < 1e-1
        )
        assert numpy.abs(gradient).max() > 0.1


def test_a_source_is_made_once(rng):
    image = rng.uniform(-1, 1, (15, 16, 17))
    points = points_inside(rng, image.shape)
    wanted = cudaspline.sample(image, points)
    source = cudaspline.Source(image)
    image[:] = 0
    assert numpy.array_equal(cudaspline.sample(source, points), wanted)
    plain = rng.uniform(-1, 1, (15, 16, 17))
    wanted = cudaspline.sample(plain, points, interpolation="linear")
    source = cudaspline.Source(
        plain, interpolation="linear"
    )  # nothing to prepare: the pixels are copied
    plain[:] = 0
    assert numpy.array_equal(cudaspline.sample(source, points), wanted)
    with pytest.raises(ValueError, match="^interpolation:"):
        cudaspline.sample(source, points, interpolation="bspline")


@pytest.mark.parametrize("storage, bound", [("half", 2e-3), ("int16", 4e-4)])
def test_coefficients_in_16_bits(rng, storage, bound):
    image = rng.uniform(-1, 1, (15, 16, 17)).astype("f4")
    points = points_inside(rng, image.shape)
    exact = cudaspline.sample(image, points, order=3)
    found = cudaspline.sample(image, points, storage=storage)
    # Half of 2^-10, or 2^-16 of the range, of coefficients of up to 27.
    assert 0 < difference(found, exact) < bound * 7


def test_channels(rng):
    image = rng.uniform(-1, 1, (15, 16, 3)).astype("f4")
    points = points_inside(rng, image.shape[:2]).reshape(100, 20, 2)
    values, gradients, mask = cudaspline.sample(
        image, points, channels=True, gradient=True, inside=True
    )
    assert (
        values.shape == (100, 20, 3)
        and gradients.shape == (100, 20, 2, 3)
        and mask.shape == (100, 20)
    )
    for channel in range(3):
        assert numpy.array_equal(
            values[..., channel], cudaspline.sample(image[..., channel], points, order=3)
        )


def test_points_of_any_shape_and_type(rng):
    image = rng.uniform(-1, 1, (15, 16))
    points = points_inside(rng, image.shape, 60)
    wanted = cudaspline.sample(image, points)
    assert numpy.array_equal(
        cudaspline.sample(image, points.reshape(3, 4, 5, 2)), wanted.reshape(3, 4, 5)
    )
    assert numpy.array_equal(cudaspline.sample(image, points.tolist()), wanted)
    assert cudaspline.sample(image, points[:0]).shape == (0,)
    assert cudaspline.sample(image, points[7]).shape == ()
    assert difference(cudaspline.sample(image, points.astype("f4")), wanted) < 1e-4
    whole = numpy.array([[3, 4], [0, 1]])
    assert difference(cudaspline.sample(image, whole), image[[4, 1], [3, 0]]) < 1e-13


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(points=numpy.zeros((5, 3))), ValueError, "points"),
        (dict(points="here"), TypeError, "points"),
        (dict(interpolation="linear", gradient=True), ValueError, "gradient"),
        (dict(gradient=True, dtype="int16"), ValueError, "dtype"),
        (dict(coordinates="mm"), ValueError, "coordinates"),
        (dict(default=(1, 2)), ValueError, "default"),
        (dict(tempo=3), TypeError, "^tempo:"),
    ],
)
def test_errors_name_the_argument(arguments, error, text):
    arguments = dict(dict(points=numpy.zeros((5, 2))), **arguments)
    with pytest.raises(error, match=text):
        cudaspline.sample(numpy.zeros((4, 5)), **arguments)
