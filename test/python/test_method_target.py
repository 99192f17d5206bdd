"""Methods and targets that are built once: the same results as by keywords, which take the place of their own."""

import dataclasses

import numpy
import pytest

import cudaspline
from cudaspline import Method, Target
from cudaspline.core._plans import frozen

TURN = [[0.8, -0.6, 4.0], [0.6, 0.8, -2.0]]
METHODS = (
    dict(order=5, boundary="mirror"),
    dict(interpolation="lanczos", radius=4),
    dict(interpolation="catmull-rom", tension=0.25, boundary=["nearest", "mirror"]),
    dict(order=3, prefilter="itk", precision="float64"),
    dict(interpolation="label-gaussian", sigma=(1.0, 2.0), cutoff=3.0),
)


@pytest.fixture
def image(rng):
    return cudaspline.Image(rng.uniform(0, 1, (20, 24)).astype("f4"), spacing=(1, 2), origin=(3, 4))


@pytest.mark.parametrize("options", METHODS)
def test_the_same_as_keywords(image, rng, options):
    method = Method(**options)
    points = rng.uniform(3, 20, (7, 2))
    for _ in range(4):  # a plan is made by the second one
        for call in (
            lambda **given: cudaspline.resample(image, TURN, smooth=False, **given).array,
            lambda **given: cudaspline.zoom(image, 1.5, **given).array,
            lambda **given: cudaspline.sample(image, points, **given),
        ):
            numpy.testing.assert_array_equal(call(method=method), call(**options))
    if options.get("interpolation") != "label-gaussian":
        source = cudaspline.Source(image, method=method)
        numpy.testing.assert_array_equal(source.sample(points), cudaspline.sample(image, points, **options))
        numpy.testing.assert_array_equal(cudaspline.sample(source, points, method=method), source.sample(points))
        with pytest.raises(ValueError, match="^method: "):
            cudaspline.sample(source, points, method=Method(order=2))


def test_keywords_take_the_place_of_its_own(image):
    method = Method(order=5, boundary="mirror")
    wanted = cudaspline.resample(image, TURN, order=2, boundary="mirror", smooth=False)
    found = cudaspline.resample(image, TURN, method=method, order=2, smooth=False)
    numpy.testing.assert_array_equal(found.array, wanted.array)
    assert cudaspline.zoom(image, 2, method=method, order=None).array.tobytes() == cudaspline.zoom(image, 2, method=method).array.tobytes()


def test_derivatives_have_a_method_that_has_them(image):
    values, _ = cudaspline.sample(image, [[8.0, 12.0]], gradient=True, method=Method(boundary="mirror"))
    wanted, _ = cudaspline.sample(image, [[8.0, 12.0]], gradient=True, order=3, boundary="mirror")
    assert values == wanted


def test_a_target_is_where_the_output_is(image):
    reference = cudaspline.Geometry((9, 7), (2, 3), (1, 2))
    for positional, keywords in (
        (Target(spacing=0.5), dict(spacing=0.5)),
        (Target(size=(5, 6)), dict(size=(5, 6))),
        (Target(reference), dict(reference=reference)),
        (Target(reference, spacing=1, direction=[[0, 1], [1, 0]]), dict(reference=reference, spacing=1, direction=[[0, 1], [1, 0]])),
        (Target(origin=(1, 2), size=(5, 6)), dict(origin=(1, 2), size=(5, 6))),
    ):
        found, wanted = cudaspline.resample(image, TURN, positional, smooth=False), cudaspline.resample(image, TURN, smooth=False, **keywords)
        numpy.testing.assert_array_equal(found.array, wanted.array)
        assert found.geometry == wanted.geometry
    found = cudaspline.resample(image, TURN, Target(spacing=0.5, size=(3, 4)), spacing=2, smooth=False)
    assert found.geometry == cudaspline.resample(image, TURN, spacing=2, size=(3, 4), smooth=False).geometry
    source = cudaspline.Source(image, order=3)
    assert cudaspline.resample(source, TURN, Target(spacing=0.5)).geometry == cudaspline.resample(image, TURN, spacing=0.5).geometry


def test_chunks(image):
    array = pytest.importorskip("dask.array")
    import cudaspline.dask

    lazy = array.from_array(image.array, chunks=10)
    target, method = Target(size=(30, 10)), Method(order=3, boundary="reflect")
    wanted = cudaspline.resample(image.array, TURN, target, method=method, smooth=False)
    numpy.testing.assert_array_equal(cudaspline.dask.resample(lazy, TURN, target, method=method, device="cpu").compute(), wanted)
    with pytest.raises(ValueError, match="^method: "):
        cudaspline.dask.resample(lazy, TURN, method=Method(order=3, storage="half"))
    with pytest.raises(TypeError, match="^table: "):
        cudaspline.dask.resample(lazy, TURN, table=128)


def test_labels_of_a_method(rng):
    torchio = pytest.importorskip("torchio")
    labels = torchio.LabelMap(tensor=rng.integers(0, 3, (1, 6, 7, 8)).astype("u1"))
    of_method = cudaspline.zoom(labels, 2, method=Method(interpolation="label-linear"))
    numpy.testing.assert_array_equal(of_method.data, cudaspline.zoom(labels, 2, interpolation="label-linear").data)
    nearest = cudaspline.zoom(labels, 2, method=Method(boundary="nearest"))
    numpy.testing.assert_array_equal(nearest.data, cudaspline.zoom(labels, 2, interpolation="nearest").data)


def test_what_is_refused(image):
    with pytest.raises(dataclasses.FrozenInstanceError):
        Method().order = 3
    with pytest.raises(ValueError, match="^interpolation: "):
        Method("liner")
    for call in (cudaspline.resample, lambda image, **given: cudaspline.zoom(image, 2, **given), cudaspline.Source):
        with pytest.raises(TypeError, match="^method: "):
            call(image, method="linear")
        with pytest.raises(ValueError, match="^taps: "):
            call(image, method=Method(order=3, taps=4))
        with pytest.raises(TypeError, match="^odrer: "):
            call(image, odrer=3)
    with pytest.raises(TypeError, match="^method: "):
        cudaspline.sample(image, [[1.0, 1.0]], method=3)


def test_equal_methods_share_plans():
    assert frozen(Method(order=3)) == frozen(Method(order=3)) != frozen(Method(order=5))
    assert frozen(Method(boundary=("mirror", "reflect"))) is not None and frozen(Method(sigma=object())) is None


def test_representations_have_what_is_given():
    assert repr(Method(order=5, boundary="mirror")) == "Method(order=5, boundary='mirror')"
    assert repr(Target(numpy.zeros((2, 3), "f4"), spacing=1)) == "Target(reference=<numpy float32 (2, 3)>, spacing=1)"
