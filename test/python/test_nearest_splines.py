"""B-splines of images that continue by their nearest sample (boundary="nearest"), as in SciPy.

SciPy repeats 12 samples beyond each end and filters what results; so does the package. Where SciPy
clamps positions further out the filter's response to the last of these samples is left, which is
the pole to the 12th power.
"""

import pickle

import numpy
import pytest

import cudaspline
import test_gpu
from conftest import difference

ndimage = pytest.importorskip("scipy.ndimage")
POLES = {2: 0.1716, 3: 0.2680, 4: 0.3613, 5: 0.4306}


@pytest.mark.parametrize("order", (2, 3, 4, 5))
@pytest.mark.parametrize("shape", ((20, 22), (7, 8, 9), (3, 4), (1, 5)))
def test_the_same_as_scipy(rng, order, shape):
    image, n = rng.uniform(0, 1, shape), len(shape)
    assert (
        difference(
            cudaspline.zoom(image, 2, order=order, boundary="nearest"),
            ndimage.zoom(image, 2, order=order, mode="nearest", grid_mode=True),
        )
        < 1e-13
    )
    matrix, offset = (
        numpy.eye(n) * 1.3 + rng.uniform(-0.2, 0.2, (n, n)),
        rng.uniform(-2 * min(shape) / 3, 2, n),
    )
    size = [count + 3 for count in shape]
    wanted = ndimage.affine_transform(
        image, matrix, offset, output_shape=size, order=order, mode="nearest"
    )
    transform = numpy.column_stack([matrix[::-1, ::-1], offset[::-1]])
    found = cudaspline.resample(
        image,
        transform,
        cudaspline.Geometry(size[::-1]),
        order=order,
        boundary="nearest",
        smooth=False,
    )
    assert difference(found, wanted) < 8 * POLES[order] ** 12


def test_fields_move_as_far_as_they_do(rng):
    """What displacements of a field and of a B-spline reach is known before they are applied."""
    image = rng.uniform(0, 1, (12, 14))
    where = numpy.stack(numpy.meshgrid(numpy.arange(14.0), numpy.arange(12.0)), axis=-1)
    vectors = rng.uniform(-11, 15, (12, 14, 2))
    wanted = ndimage.map_coordinates(
        image, numpy.moveaxis(where + vectors, -1, 0)[::-1], order=3, mode="nearest"
    )
    found = cudaspline.resample(
        image, cudaspline.DisplacementField(vectors), order=3, boundary="nearest", smooth=False
    )
    assert difference(found, wanted) < 1e-5
    grid = cudaspline.BSplineGrid(rng.uniform(-11, 15, (2, 6, 7)), spacing=5.0, origin=-5.0)
    vectors = cudaspline.Transform(grid, 2).field(cudaspline.Geometry((14, 12)), "float64").array
    wanted = ndimage.map_coordinates(
        image, numpy.moveaxis(where + vectors, -1, 0)[::-1], order=3, mode="nearest"
    )
    assert (
        difference(
            cudaspline.resample(image, grid, order=3, boundary="nearest", smooth=False), wanted
        )
        < 1e-5
    )


def test_series_channels_and_labels(rng):
    image = rng.uniform(0, 1, (3, 8, 9, 10)).astype("f4")
    each = numpy.stack([cudaspline.zoom(one, 1.5, order=3, boundary="nearest") for one in image])
    numpy.testing.assert_array_equal(
        cudaspline.zoom(image, 1.5, order=3, boundary="nearest", series=True), each
    )
    numpy.testing.assert_allclose(
        cudaspline.zoom(image, 1.5, order=3, boundary="nearest", channels="first"), each, atol=1e-6
    )
    labels = numpy.repeat(numpy.repeat(rng.integers(0, 3, (4, 5)).astype("u1"), 3, 0), 3, 1)
    found = cudaspline.zoom(labels, 2, interpolation="label-bspline", boundary="nearest")
    assert found.shape == (24, 30) and set(numpy.unique(found)) <= set(numpy.unique(labels))
    mm = cudaspline.Image(
        image[0], spacing=(1, 2, 3), origin=(4, 5, 6), direction=[[0, 1, 0], [1, 0, 0], [0, 0, -1]]
    )
    numpy.testing.assert_allclose(
        cudaspline.zoom(mm, 1.5, order=3, boundary="nearest").array, each[0], atol=1e-6
    )


class Host:
    """Arrays of NumPy, or tensors of PyTorch in host memory."""

    def __init__(self, name):
        self.module = pytest.importorskip(name)

    def put(self, array):
        return array if self.module is numpy else self.module.from_numpy(numpy.array(array))

    def get(self, array):
        assert isinstance(array, numpy.ndarray if self.module is numpy else self.module.Tensor)
        return numpy.asarray(array)


@pytest.fixture(
    params=[
        "numpy",
        "torch",
        *(pytest.param(one, marks=pytest.mark.gpu) for one in ("Cupy", "Torch", "Jax")),
    ]
)
def library(request):
    """A library of arrays, which puts them where it has them."""
    if request.param == "Jax":  # which has no doubles by default
        jax = pytest.importorskip("jax")
        scope = jax if hasattr(jax, "enable_x64") else pytest.importorskip("jax.experimental")
        with scope.enable_x64(True):
            yield test_gpu.Jax()
    else:
        yield Host(request.param) if request.param.islower() else getattr(test_gpu, request.param)()


def scipy_values(image, indices, order):
    """SciPy's values at continuous indices, x first."""
    return ndimage.map_coordinates(
        image, numpy.moveaxis(indices, -1, 0)[::-1], order=order, mode="nearest"
    )


@pytest.mark.parametrize("order", (2, 3, 4, 5))
@pytest.mark.parametrize("shape", ((30,), (9, 12), (7, 8, 9)))
@pytest.mark.parametrize("is_source", (False, True))
def test_values_at_points(rng, library, order, shape, is_source):
    """Anywhere, also far from the image; of images with a geometry, too."""
    image, n = rng.uniform(0, 1, shape), len(shape)
    size = numpy.array(shape[::-1])
    indices = rng.uniform(-3 * size, 4 * size, (200, n))
    indices[:3] = [[0.0] * n, [-1e6] * n, list(size + 1e6)]
    options = {"order": order, "boundary": "nearest"}
    given = library.put(image)
    one = cudaspline.Source(given, **options) if is_source else given
    more = {} if is_source else options
    wanted, bound = scipy_values(image, indices, order), 8 * POLES[order] ** 12
    values = cudaspline.sample(one, library.put(indices), coordinates="index", **more)
    assert difference(library.get(values), wanted) < bound
    # In space, with derivatives: 0 beyond the margin, else the slope between points close by.
    geometry = cudaspline.Geometry(
        size, rng.uniform(0.5, 2, n), rng.uniform(-9, 9, n), numpy.eye(n)[::-1]
    )
    oblique = cudaspline.Image(given, geometry.spacing, geometry.origin, geometry.direction)
    one = cudaspline.Source(oblique, **options) if is_source else oblique
    points = indices @ geometry.index_to_point.T + geometry.origin
    values, slopes, inside = cudaspline.sample(
        one, library.put(points), gradient=True, inside=True, **more
    )
    assert difference(library.get(values), wanted) < bound + 1e-10
    assert library.get(inside).all()
    step = 1e-6
    for axis in range(n):
        shift = step * numpy.linalg.inv(geometry.index_to_point)[:, axis]
        differences = (
            scipy_values(image, indices + shift, order)
            - scipy_values(image, indices - shift, order)
        ) / (2 * step)
        away = numpy.all(numpy.abs(indices - 0.5 * (size - 1)) < 0.5 * size + 11, axis=1)
        assert difference(library.get(slopes)[away, axis], differences[away]) < 1e-6 + 20 * bound


def test_single_points_and_several_numbers(rng, library):
    image = rng.uniform(0, 1, (10, 12, 2)).astype("f4")
    points = rng.uniform(-30, 40, (3, 5, 2)).astype("f4")
    found = cudaspline.sample(
        library.put(image), library.put(points), order=3, boundary="nearest", channels="last"
    )
    for component in range(2):
        wanted = scipy_values(image[..., component], points.astype("f8"), 3)
        assert difference(library.get(found)[..., component], wanted) < 1e-5


def test_images_where_they_are(rng, library):
    """resample(), zoom() and a Source of arrays and tensors."""
    image = rng.uniform(0, 1, (8, 9, 10))
    given, options = library.put(image), {"order": 3, "boundary": "nearest"}
    wanted = ndimage.zoom(image, 2, order=3, mode="nearest", grid_mode=True)
    assert difference(library.get(cudaspline.zoom(given, 2, **options)), wanted) < 1e-13
    source = cudaspline.Source(given, **options)
    for _ in range(4):  # no plan is made
        assert difference(library.get(source.zoom(2)), wanted) < 1e-13
    matrix = numpy.eye(3) + rng.uniform(-0.05, 0.05, (3, 3))
    transform = numpy.column_stack([matrix, rng.uniform(-2, 2, 3)])
    assert (
        difference(
            library.get(source.resample(transform, smooth=False)),
            library.get(cudaspline.resample(given, transform, smooth=False, **options)),
        )
        < 1e-6
    )
    with pytest.raises(ValueError, match="^boundary: the output reaches more than 10 samples"):
        source.resample(numpy.column_stack([numpy.eye(3), [30.0, 0, 0]]))


def test_sources_are_stored(rng):
    image = cudaspline.Image(rng.uniform(0, 1, (9, 12)), (1.5, 2), (3, 4))
    source = cudaspline.Source(image, order=4, boundary="nearest", device="cpu")
    again = pickle.loads(pickle.dumps(source))
    assert again.geometry == source.geometry == image.geometry
    points = rng.uniform(-40, 60, (50, 2))
    numpy.testing.assert_array_equal(again.sample(points), source.sample(points))
    numpy.testing.assert_array_equal(again.zoom(2).array, source.zoom(2).array)


def test_what_is_refused(rng):
    image = rng.uniform(0, 1, (8, 9))
    for call in (
        lambda: cudaspline.sample(image, [[1.0, 1.0]], order=3, boundary="grid-constant"),
        lambda: cudaspline.Source(image, order=3, boundary=("nearest", "reflect")),
        lambda: cudaspline.prefilter(image, 3, boundary="nearest"),
        lambda: cudaspline.resample(image, order=3, boundary=("nearest", "mirror")),
        lambda: cudaspline.resample(image, order=3, boundary="grid-constant"),
        lambda: cudaspline.resample(image, order=3, boundary="nearest", storage="half"),
        lambda: cudaspline.resample(image, [[1, 0, 100.0], [0, 1, 0]], order=3, boundary="nearest"),
    ):
        with pytest.raises(ValueError, match="^boundary: "):
            call()
    for _ in range(4):  # no plan is made
        assert (
            difference(
                cudaspline.zoom(image, 2, order=3, boundary="nearest"),
                cudaspline.zoom(image, 2, order=3, boundary="mirror"),
            )
            > 1e-3
        )
