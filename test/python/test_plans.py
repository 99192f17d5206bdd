"""Calls that are alike: those that are done by what an earlier one was found to be have its bits,
its errors and its warnings."""

import gc
import itertools
import threading
import warnings
import weakref

import numpy
import pytest

import cudaspline
from cudaspline import ndimage
from cudaspline.core._plans import Plans, Streak, frozen

MATRIX = numpy.array([[0.9, 0.1, 0.0, 0.5], [-0.1, 0.95, 0.05, -0.25], [0.0, 0.02, 1.0, 0.125]])


def apart(array):
    """The same elements, not contiguous: these calls have no plans."""
    return numpy.stack([array, array], -1)[..., 0]


def same(one, other):
    if isinstance(one, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))
    if isinstance(one, cudaspline.Image):
        return (
            one.geometry == other.geometry
            and one.channels == other.channels
            and same(one.array, other.array)
        )
    return one.dtype == other.dtype and numpy.array_equal(one, other)


CALLS = {
    "identity": lambda image: cudaspline.resample(image, order=3),
    "matrix": lambda image: cudaspline.resample(image, MATRIX, order=1, default=3),
    "list": lambda image: cudaspline.resample(image, MATRIX.tolist(), interpolation="nearest"),
    "homogeneous": lambda image: cudaspline.resample(
        image, transform=numpy.vstack([MATRIX, [0, 0, 0, 1]]), interpolation="lanczos", smooth=False
    ),
    "linear": lambda image: cudaspline.resample(
        image, MATRIX[:, :3], interpolation="catmull-rom", boundary="nearest"
    ),
    "grid": lambda image: cudaspline.resample(
        image, size=(5, 6, 7), spacing=(1.25, 1, 0.75), origin=[0.5, 0.25, 0], smooth=False
    ),
    "coarse": lambda image: cudaspline.resample(
        image, size=[3, 3, 3], spacing=2.0, order=1, smooth="auto"
    ),
    "rounded": lambda image: cudaspline.resample(image, MATRIX, dtype="uint8", rounding="nearest"),
    "type": lambda image: cudaspline.resample(
        image, MATRIX, dtype=numpy.float64, extrapolate=True, order=1
    ),
    "field": lambda image: cudaspline.resample(
        image, cudaspline.DisplacementField(FIELD), order=2, default=1
    ),
    "chain": lambda image: cudaspline.resample(
        image,
        [MATRIX, (cudaspline.DisplacementField(FIELD.astype("f4")), "inverse")],
        size=(5, 5, 5),
    ),
    "spline": lambda image: cudaspline.resample(
        image,
        cudaspline.BSplineGrid(numpy.ones((3, 6, 6, 6)), spacing=3.0, origin=-3.0),
        interpolation="nearest",
    ),
    "labels": lambda image: cudaspline.resample(image, MATRIX, interpolation="label-gaussian"),
    "zoom": lambda image: cudaspline.zoom(image, 1.5, order=1),
    "zoom by axis": lambda image: cudaspline.zoom(image, (1.5, 2, 1), align="centers"),
    "sample": lambda image: cudaspline.sample(
        image, POINTS, order=3, gradient=True, hessian=True, inside=True
    ),
    "sample of indices": lambda image: cudaspline.sample(
        image, POINTS, order=1, coordinates="index", default=7, dtype="float32"
    ),
}
FIELD = numpy.random.default_rng(6).uniform(-0.3, 0.3, (7, 8, 9, 3))
POINTS = numpy.random.default_rng(5).uniform(-1, 9, (4, 5, 3))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ("float32", "float64", "uint8", "int32"))
def test_images(name, dtype, rng):
    call = CALLS[name]
    arrays = [rng.uniform(0, 100, (7, 8, 9)).astype(dtype) for _ in range(2)]
    for kept in (
        lambda array: array,
        lambda array: cudaspline.Image(array, spacing=(1, 1.5, 2), origin=(3, -2, 1)),
    ):
        wanted = [call(kept(apart(array))) for array in arrays]
        one = kept(arrays[0])
        assert same(call(one), wanted[0]) and same(call(one), wanted[0])
        assert same(call(kept(arrays[1])), wanted[1])


def test_sources(rng):
    for dtype in ("float32", "int16"):
        image = rng.uniform(-9, 99, (7, 8, 9)).astype(dtype)
        sources = [cudaspline.Source(apart(image), order=3, device="cpu") for _ in range(2)]
        calls = (
            lambda source: source.resample(MATRIX),
            lambda source: source.resample(
                MATRIX.tolist(), size=(5, 4, 3), dtype="float64", default=1.5
            ),
            lambda source: source.resample([MATRIX, cudaspline.DisplacementField(FIELD)]),
            lambda source: source.zoom(2),
            lambda source: source.sample(POINTS, gradient=True),
            lambda source: source.sample(POINTS.astype("f4"), order=3),
        )
        for call in calls:
            first = call(sources[0])
            assert same(call(sources[0]), first) and same(call(sources[1]), first)
        with pytest.raises(ValueError, match="order: the Source"):
            sources[0].resample(MATRIX, order=2)


@pytest.mark.parametrize("kind", (numpy.array, numpy.ndarray.tolist))
def test_matrices_that_have_changed_in_place(kind, rng):
    """What is known of the last matrix is not taken for another one's, were it in the same
    object."""
    image = rng.uniform(size=(7, 8, 9)).astype("f4")
    matrix = kind(MATRIX)
    for step in range(6):
        matrix[step % 3][step % 2] += 0.125 * (step // 2)  # the same one comes again
        assert same(
            cudaspline.resample(image, matrix, order=1),
            cudaspline.resample(apart(image), numpy.array(matrix), order=1),
        )
        assert same(cudaspline.resample(image, order=1), cudaspline.resample(apart(image), order=1))
    matrix[0][3] = 1000.0
    with pytest.warns(cudaspline.OutsideWarning):
        cudaspline.resample(image, matrix, order=1)
    matrix[0] = [1.75, 0, 0, 0] if kind is not numpy.array else numpy.array([1.75, 0, 0, 0])
    with pytest.warns(cudaspline.DownsamplingWarning):
        cudaspline.resample(image, matrix, order=1)


def test_sources_are_let_go_of(rng):
    source = cudaspline.Source(rng.normal(size=(5, 6, 7)), device="cpu")
    for _ in range(2):
        source.resample(numpy.eye(3), smooth=False)
        source.sample(POINTS)
    gone = weakref.ref(source)
    del source
    gc.collect()
    assert gone() is None


def test_arrays_are_let_go_of(rng):
    class Array(numpy.ndarray):
        """NumPy's own cannot be watched."""

    owner = rng.normal(size=(6, 7, 8)).view(Array)
    image = owner.view(numpy.ndarray)
    gone = weakref.ref(owner)
    for _ in range(2):
        for given in (image, cudaspline.Image(image, spacing=2.0)):
            cudaspline.resample(given, MATRIX, smooth=False)
            cudaspline.resample(given, reference=cudaspline.Image(image, spacing=1.5))
            cudaspline.zoom(given, 2)
            cudaspline.sample(given, POINTS)
        ndimage.shift(image, 0.25)
    assert gone() is not None
    del owner, image, given
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("dtype", ("float32", "float64", "uint8", "int32"))
def test_arrays(dtype, rng):
    arrays = [rng.uniform(0, 100, (7, 8, 9)).astype(dtype) for _ in range(2)]
    coordinates = [rng.uniform(-2, 9, (3, 4, 5)) for _ in range(2)]
    calls = (
        lambda array, places: ndimage.map_coordinates(array, places, order=3, mode="reflect"),
        lambda array, places: ndimage.map_coordinates(array, places, "float64", 1, cval=2.5),
        lambda array, places: ndimage.affine_transform(array, MATRIX, order=1, mode="nearest"),
        lambda array, places: ndimage.affine_transform(
            array, [0.5, 1, 1.5], 0.25, (4, 5, 6), order=2
        ),
        lambda array, places: ndimage.shift(array, (0.5, 0, -1.25), mode="wrap"),
        lambda array, places: ndimage.zoom(array, (1.5, 1, 2), precision="double"),
        lambda array, places: ndimage.zoom(array, 1),
        lambda array, places: ndimage.rotate(array, 30, (0, 2), reshape=False),
        lambda array, places: ndimage.spline_filter(array, 3, "float64"),
        lambda array, places: ndimage.spline_filter1d(array, 4, 1, dtype),
    )
    for call in calls:
        wanted = [call(apart(array), apart(places)) for array, places in zip(arrays, coordinates)]
        for array, places, expected in itertools.chain(*[zip(arrays, coordinates, wanted)] * 2):
            found = call(array, places)
            assert same(found, expected) and not numpy.shares_memory(found, array)
    ndimage.shift(arrays[0], (0.5, 0, -1.25), out := numpy.empty_like(arrays[0]), mode="wrap")
    assert same(out, ndimage.shift(arrays[0], (0.5, 0, -1.25), mode="wrap"))


def test_small_outputs_are_written():
    """They are as small as options, but are not options."""
    image, places = numpy.arange(6.0), numpy.array([[0.5, 1.0, 2.0]])
    matrix = numpy.array([[0.5]])
    calls = (
        lambda out: ndimage.shift(image, 1, out, order=1),
        lambda out: ndimage.zoom(image, 1.0, output=out, order=1),
        lambda out: ndimage.affine_transform(image, matrix, 0.25, None, out),
        lambda out: ndimage.spline_filter(image, output=out),
        lambda out: ndimage.spline_filter1d(image, 3, -1, out),
        lambda out: ndimage.map_coordinates(image, places, out[:3], 1),
    )
    for call in calls:
        wanted = numpy.full(6, 7.0)
        call(wanted)
        for _ in range(3):
            out = numpy.full(6, 7.0)
            found = call(out)
            assert numpy.shares_memory(found, out) and same(out, wanted)
    for _ in range(3):
        out = numpy.full((2, 2), 7.0)
        assert ndimage.rotate(numpy.ones((2, 2)), 90, output=out) is out and numpy.allclose(
            out, 1.0
        )


def test_they_are_used(monkeypatch, rng):
    """From the third call on arguments are not checked, and a few calls later if many different
    ones preceded."""
    array = rng.uniform(0, 100, (7, 8, 9)).astype("f4")
    image, source = cudaspline.Image(array, spacing=2.0), cudaspline.Source(array, order=3)
    field = cudaspline.DisplacementField(FIELD)
    calls = (
        *(
            lambda given=given: cudaspline.resample(given, MATRIX, size=(7, 8, 9), default=5)
            for given in (array, image)
        ),
        lambda: source.resample(MATRIX),
        lambda: cudaspline.resample(array, field),
        *(
            lambda given=given: cudaspline.zoom(given, (1.5, 1, 1))
            for given in (array, image, source)
        ),
        *(
            lambda given=given: cudaspline.sample(given, POINTS, gradient=True)
            for given in (array, image, source)
        ),
        lambda: ndimage.map_coordinates(array, POINTS.T.copy(), order=1),
        lambda: ndimage.affine_transform(array, MATRIX),
        lambda: ndimage.rotate(array, 20),
        lambda: ndimage.spline_filter(array),
    )
    for number in range(40):
        cudaspline.resample(array, origin=number / 64, smooth=False)
        ndimage.rotate(array, number)
    wanted = [[call() for _ in range(40)][0] for call in calls]
    assert all(
        same([call() for _ in range(3)][2], expected) for call, expected in zip(calls, wanted)
    )

    def look(*_, **__):
        raise AssertionError("arguments are looked at")

    for place, name in (
        ("resampling._resample", "make_interpolator"), ("resampling._resample", "output_grid"), ("resampling._resample", "_options_of_zoom"), ("resampling._sample", "make_interpolator"),
        ("resampling._sample", "_PointsPlan"), ("ndimage._interpolation", "Job"), ("ndimage._rotation", "take_input"), ("ndimage._filters", "take_input"),
    ):  # fmt: skip
        monkeypatch.setattr(f"cudaspline.{place}.{name}", look)
    for call, expected in zip(calls, wanted):
        assert same(call(), expected)
    with pytest.raises(AssertionError, match="looked at"):
        cudaspline.resample(array, MATRIX, origin=0.5)


def test_numbers_that_compare_equal_are_told_apart():
    assert (
        len(
            {
                frozen(value)
                for value in (
                    1,
                    1.0,
                    True,
                    "1",
                    (1,),
                    [1],
                    None,
                    numpy.ones(1),
                    numpy.ones(1, "f4"),
                    numpy.ones((1, 1)),
                )
            }
        )
        == 10
    )
    assert frozen(0.0) != frozen(-0.0) and frozen([0.0]) != frozen([-0.0])
    assert all(
        frozen(value) is None
        for value in ({}, object(), numpy.zeros(17), [[object()]], [0] * 17, numpy.float64(1))
    )
    image = numpy.arange(20.0).reshape(4, 5)
    for _ in range(2):
        assert cudaspline.resample(image, order=1).shape == (4, 5)
        with pytest.raises(ValueError, match="order: True"):
            cudaspline.resample(image, order=True)
        with pytest.raises(ValueError, match="order: 1.0"):
            cudaspline.resample(image, order=1.0)
        with pytest.raises(TypeError, match="extrapolate"):
            cudaspline.resample(image, order=1, extrapolate=1)
        assert numpy.array_equal(
            ndimage.shift(image, 1, order=1), ndimage.shift(image, 1.0, order=True)
        )
        for number, sign in ((0.0, False), (-0.0, True)):
            assert (
                numpy.signbit(
                    cudaspline.resample(image, [[1, 0, 99], [0, 1, 0]], default=number, order=1)
                ).all()
                == sign
            )


@pytest.mark.filterwarnings("ignore::cudaspline.OutsideWarning")
def test_what_is_refused_is_refused_again(rng):
    image = rng.normal(size=(6, 7, 8))
    for transform, message in (
        (numpy.full((3, 3), numpy.nan), "not finite"),
        ([[1, 0, 0], [0, numpy.inf, 0], [0, 0, 1]], "not finite"),
        (numpy.eye(2), "matrices must be 3 x 3"),
        (numpy.vstack([MATRIX, [0, 0, 1, 1]]), "last row"),
        ([[1, 0], [0, 1], [0, 0]], "matrices must be 3 x 3"),
        (
            cudaspline.DisplacementField(numpy.zeros((2, 2, 2, 2))),
            "displacements must have the shape",
        ),
    ):
        cudaspline.resample(image, numpy.eye(3))
        with pytest.raises(ValueError, match=f"transform: .*{message}"):
            cudaspline.resample(image, transform)
    source = cudaspline.Source(image, device="cpu")
    refused = {
        "threads": -1,
        "memory_limit": -1,
        "device": "abacus",
        "dtype": "text",
        "rounding": "up",
        "default": "x",
        "sgima": 3,
        "spacing": "0x1.0p+0",
    }
    for _ in range(4):
        for given in (image, cudaspline.Image(image), source):
            cudaspline.resample(given, spacing=1.0)
            for name, value in refused.items():
                with pytest.raises((ValueError, TypeError, cudaspline.DeviceError), match=name):
                    cudaspline.resample(given, **{name: value})
                if name not in ("memory_limit", "rounding", "spacing"):
                    with pytest.raises((ValueError, TypeError, cudaspline.DeviceError), match=name):
                        cudaspline.sample(given, POINTS, **{name: value})
            for options in (
                {"threads": False},
                {"gradient": 1},
                {"hessian": 0},
                {"coordinates": "mm"},
            ):
                with pytest.raises((ValueError, TypeError), match=next(iter(options))):
                    cudaspline.sample(given, POINTS, **options)
            with pytest.raises(TypeError, match="threads"):
                cudaspline.resample(given, threads=0.0)
        cudaspline.sample(image, POINTS)
        with pytest.raises(ValueError, match="points: .*the last axis must have 3"):
            cudaspline.sample(image, POINTS[..., :2].copy())
        with pytest.raises(TypeError, match="sgima"):
            cudaspline.sample(image, POINTS, sgima=3)
        with pytest.raises(TypeError, match="sgima"):
            cudaspline.resample(image, sgima=3)
        with pytest.raises(OverflowError):
            cudaspline.resample(image, [[10**400, 0, 0], [0, 1, 0], [0, 0, 1]])
        for given in (image, source):
            cudaspline.zoom(given, 2.0)
            for arguments, options in (
                ((2.0, None), {}),
                ((), {"transform": 2.0}),
                ((2.0,), {"reference": image}),
                ((2.0,), {"transform": None}),
            ):
                with pytest.raises(TypeError):
                    cudaspline.zoom(given, *arguments, **options)
        for name, value in (("channels", True), ("order", 2), ("boundary", "reflect")):
            with pytest.raises(ValueError, match=f"{name}: the Source"):
                cudaspline.zoom(source, 2.0, **{name: value})
        with pytest.raises(ValueError, match="image: it has 4 axes"):
            cudaspline.resample(numpy.zeros((2, 3, 4, 5)))
        with pytest.raises(RuntimeError, match="order"):
            ndimage.shift(image, 1, order=6)


def test_warnings_are_told_by_each_call(rng):
    image = rng.uniform(1, 2, (8, 9, 10)).astype("f4")
    geometry = cudaspline.Image(image, spacing=(1, 2, 1))
    calls = (
        (
            lambda: cudaspline.resample(image, size=(3, 3, 3), spacing=3.0),
            cudaspline.DownsamplingWarning,
        ),
        (
            lambda: cudaspline.resample(image, numpy.diag([3.0, 1, 1])),
            cudaspline.DownsamplingWarning,
        ),
        (
            lambda: cudaspline.resample(geometry, numpy.diag([1.0, 3, 1])),
            cudaspline.DownsamplingWarning,
        ),
        (lambda: cudaspline.zoom(geometry, 0.25), cudaspline.DownsamplingWarning),
        (
            lambda: cudaspline.resample(image, [[1, 0, 0, 100], [0, 1, 0, 0], [0, 0, 1, 0]]),
            cudaspline.OutsideWarning,
        ),
        (
            lambda: cudaspline.Source(image).resample(numpy.diag([1.0, 1, 5])),
            cudaspline.DownsamplingWarning,
        ),
        (lambda: ndimage.zoom(image, 2, grid_mode=True), UserWarning),
    )
    for call, kind in calls:
        for _ in range(3):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
            assert [one.category for one in caught] == [kind]
            assert caught[0].filename == __file__
    # The same plan, and none of them: a background is one inside, too. NumPy warns where such an
    # array is asked whether it is written.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ndimage.shift(numpy.broadcast_arrays(numpy.ones(5), numpy.ones((1, 5)))[0], 1)
        for _ in range(2):
            cudaspline.resample(numpy.zeros((8, 9, 10), "f4"), numpy.eye(3))
            cudaspline.resample(image, numpy.eye(3))
            cudaspline.resample(image, size=(3, 3, 3), spacing=3.0, smooth=False)


def test_images_that_have_changed(rng):
    """A geometry is known by itself, not by its place in memory; and an image whose array has
    another shape now is refused."""
    array = rng.normal(size=(4, 5, 6))
    for step in range(1, 40):
        image = cudaspline.Image(array, spacing=(1, 1, 1 + step / 8), origin=(step, 0, 0))
        found = cudaspline.resample(image, order=1)
        assert numpy.array_equal(found.spacing, image.spacing) and numpy.array_equal(
            found.origin, image.origin
        )
        del image, found
    image = cudaspline.Image(array.copy(), spacing=2.0)
    cudaspline.resample(image)
    image.array.resize((6, 5, 4), refcheck=False)
    with pytest.raises(ValueError, match="make a new Image"):
        cudaspline.resample(image)


def test_reports_and_threads(rng):
    image = rng.normal(size=(6, 7, 8))
    cudaspline.resample(image, device="cpu")
    before = cudaspline.last_report().use["Cpu"].calls
    cudaspline.resample(image, device="cpu")
    assert cudaspline.last_report().use["Cpu"].calls == before + 1
    wanted = [cudaspline.resample(image + n, MATRIX) for n in range(8)]
    failures = []

    def work(number):
        for _ in range(50):
            if not numpy.array_equal(cudaspline.resample(image + number, MATRIX), wanted[number]):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_calls_that_are_each_another_one_are_seldom_looked_at():
    streak = Streak()
    asked = [streak.goes_on() for _ in range(160)]
    assert all(asked[:16]) and 10 <= sum(asked[16:]) <= 20
    assert any(
        one and other for one, other in zip(asked[16:], asked[17:])
    )  # twice in a row, which is what a plan takes
    streak.ends()
    assert all(streak.goes_on() for _ in range(16))


def test_the_latest_plans_are_kept():
    plans = Plans(3)
    for key in range(5):
        assert plans.keep(key, str(key)) == str(key)
    assert [plans.get(key) for key in range(5)] == [None, None, "2", "3", "4"]
    assert [plans.meets_again(key) for key in (1, 2, 1, 1, 3, 4, 5, 6, 3, 6)] == [
        False,
        False,
        True,
        False,
        False,
        False,
        False,
        False,
        False,
        True,
    ]
