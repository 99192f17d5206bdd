"""B-splines of images that continue by their nearest sample (boundary="nearest"), as in SciPy.

SciPy repeats 12 samples beyond each end and filters what results; so does the package. Where SciPy
clamps positions further out the filter's response to the last of these samples is left, which is
the pole to the 12th power.
"""

import numpy
import pytest

import cudaspline
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


def test_what_is_refused(rng):
    image = rng.uniform(0, 1, (8, 9))
    for call in (
        lambda: cudaspline.sample(image, [[1.0, 1.0]], order=3, boundary="nearest"),
        lambda: cudaspline.Source(image, order=3, boundary="nearest"),
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
