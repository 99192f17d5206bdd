"""What callers give: every argument that cannot be is refused, by a message that begins with its
name, before the library gets it."""

import ctypes
import re
from typing import get_args

import numpy
import pytest

import cudaspline
from cudaspline.core import _library, _methods, _options

IMAGE = numpy.zeros((4, 5, 6), "f4")
GRID = cudaspline.BSplineGrid(numpy.zeros((3, 5, 5, 5)))


class Unfriendly:
    """An object that nothing can be made of."""

    def __repr__(self):
        return "Unfriendly()"


#: (function, arguments, error): the message begins with the name of the last argument.
WRONG = [
    *[
        (cudaspline.resample, {name: value}, error)
        for name, values in {
            "threads": ((-1, ValueError), (2**31, ValueError), (2**32 + 1, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError)),
            "memory_limit": ((-1, ValueError), (2**64, ValueError), (1e6, TypeError), (None, TypeError)),
            "taps": ((0, ValueError), (4, ValueError), (129, ValueError), (2**32 + 15, ValueError), (-15, ValueError), (7.0, TypeError)),
            "radius": ((0, ValueError), (6, ValueError), (2**32 + 3, ValueError), ("3", TypeError)),
            "extrapolate": (("no", TypeError), (None, TypeError), (numpy.zeros(3), TypeError)),
            "channels": ((1, TypeError), ("yes", ValueError), (True, ValueError)),
            "series": ((1, TypeError), (numpy.zeros(3), TypeError)),
            "table": ((127, ValueError), (65537, ValueError), (2**32 + 1024, ValueError), (None, TypeError)),
            "tension": ((numpy.nan, ValueError), (numpy.inf, ValueError), ("soft", TypeError), (None, TypeError), (1j, TypeError)),
            "border": (("0", TypeError), (None, TypeError), ([1, 2], TypeError)),
            "cutoff": ((0, ValueError), (-1, ValueError), (numpy.nan, ValueError), ("1", TypeError)),
            "sigma": ((-1, ValueError), (0, ValueError), (numpy.nan, ValueError), ((1, 2), ValueError), ("1", TypeError)),
            "order": ((6, ValueError), (-1, ValueError), (2.5, ValueError), (2**32 + 3, ValueError), ("3", ValueError)),
            "interpolation": (("best", ValueError), ("bspline[6]", ValueError), ([], ValueError), (Unfriendly(), ValueError)),
            "mode": (("quick", ValueError), (3, ValueError)),
            "storage": (("texture", ValueError), ("byte", ValueError), ([], ValueError)),
            "window": (("rect", ValueError), (None, ValueError)),
            "prefilter": (("fast", ValueError), ({}, ValueError)),
            "precision": (("half", ValueError), (64, ValueError)),
            "boundary": ((None, TypeError), (3, TypeError), (("mirror",), ValueError), (("mirror", None, "mirror"), ValueError)),
            "progress": ((3, TypeError), ("yes", TypeError)),
            "device": ((-1, ValueError), ([], ValueError), (["a"], TypeError), (2**32, ValueError), (1.5, TypeError), ("cpu\0", ValueError), (True, TypeError)),
            "default": (("dark", TypeError), ((1, 2, 3), ValueError), ([[1], [2, 3]], TypeError), (Unfriendly(), TypeError), (2**70, TypeError)),
            "dtype": (("complex64", TypeError), ("float16", TypeError), (Unfriendly(), TypeError)),
            "size": ((3, TypeError), ((3, 3), ValueError), ((3, 3, 0), ValueError), ((3, 3, 2.5), TypeError), ((2**64, 1, 1), ValueError),
                     ((2**31, 2**31, 2**31), ValueError), ((3, 3, numpy.nan), TypeError), ((-3, 3, 3), ValueError)),
            "spacing": (((1, 1, -1), ValueError), (numpy.nan, ValueError), ("1", TypeError), (1j, TypeError), ([[1], [2, 3]], TypeError)),
            "origin": (((1, 1), ValueError), ((0, 0, numpy.inf), ValueError), (Unfriendly(), TypeError)),
            "direction": ((numpy.zeros((3, 3)), ValueError), (numpy.eye(2), ValueError), (numpy.full((3, 3), numpy.nan), ValueError), ("x", TypeError)),
            "reference": ((numpy.zeros((3, 3)), ValueError), ("image.nii", FileNotFoundError), (Unfriendly(), TypeError)),
            "out": ((3, TypeError), ([[1.0]], TypeError), (numpy.zeros((4, 5, 7), "f4"), ValueError), (numpy.zeros((4, 5, 6)), TypeError),
                    (numpy.zeros((6, 5, 4), "f4").T, ValueError)),
            "transform": ((numpy.eye(5), ValueError), (Unfriendly(), TypeError), (numpy.full((4, 4), numpy.nan), ValueError),
                          (numpy.eye(4) * 1j, TypeError), (numpy.array([["a"]]), TypeError),
                          (numpy.diag([1, 1, numpy.inf]), ValueError),
                          (cudaspline.BSplineGrid(numpy.zeros((3, 5, 5, 5)), order=4), ValueError),
                          (cudaspline.BSplineGrid(numpy.zeros((3, 5, 5, 5)), order=2.0), TypeError),
                          (cudaspline.BSplineGrid(numpy.zeros((3, 5, 3, 5))), ValueError),
                          (cudaspline.BSplineGrid(Unfriendly()), ValueError),
                          (cudaspline.DisplacementField(numpy.zeros((3, 3, 3, 3)), spacing=numpy.nan), ValueError),
                          (cudaspline.DisplacementField(numpy.zeros((3, 3, 3, 2))), ValueError)),
            "image": ((numpy.zeros((4, 0, 6)), ValueError), (numpy.zeros((2,) * 4), ValueError), (IMAGE * 1j, TypeError), (Unfriendly(), TypeError),
                      (numpy.float64(3), ValueError)),
        }.items()
        for value, error in values
    ],
    (cudaspline.resample, dict(order=3, boundary=("nearest", "mirror", "mirror")), ValueError),
    (cudaspline.resample, dict(interpolation="BSpline[3]", order=2), ValueError),
    (cudaspline.resample, dict(rounding="up"), ValueError),
    (cudaspline.sample, dict(points=[[1, 1, 1]], interpolation="linear", gradient=True), ValueError),
    (cudaspline.resample, dict(order=5, storage="half"), ValueError),
    (cudaspline.resample, dict(interpolation="linear", storage="int16"), ValueError),
    (cudaspline.resample, dict(storage="half", precision="float64"), ValueError),
    (cudaspline.resample, dict(mode="texture", precision="float64"), ValueError),
    (cudaspline.resample, dict(mode="texture", storage="half"), ValueError),
    (cudaspline.resample, dict(interpolation="linear", mode="texture", boundary="grid-constant"), ValueError),
    (cudaspline.resample, dict(channels="last", mode="texture"), ValueError),
    (cudaspline.resample, dict(channels="last", storage="half"), ValueError),
    (cudaspline.resample, dict(dtype="uint8", default=-1), ValueError),
    (cudaspline.resample, dict(dtype="uint8", default=numpy.nan), ValueError),
    (cudaspline.prefilter, dict(method="fast"), ValueError),
    (cudaspline.prefilter, dict(axis=3), ValueError),
    (cudaspline.prefilter, dict(axis=1.0), ValueError),
    (cudaspline.prefilter, dict(taps=2**32 + 15), ValueError),
    (cudaspline.prefilter, dict(threads=2**32), ValueError),
    (cudaspline.prefilter, dict(progress=1), TypeError),
    (cudaspline.prefilter, dict(dtype="int16"), ValueError),
    (cudaspline.Source, dict(threads=-1), ValueError),
    (cudaspline.Source, dict(storage="half", order=3, radius=7), ValueError),
    (cudaspline.zoom, dict(zoom=0), ValueError),
    (cudaspline.zoom, dict(zoom=1e300), ValueError),
    (cudaspline.zoom, dict(zoom=numpy.nan), ValueError),
    (cudaspline.zoom, dict(zoom="2"), TypeError),
    (cudaspline.zoom, dict(zoom=None, size=3), TypeError),
    (cudaspline.zoom, dict(zoom=2, align="left"), ValueError),
    (cudaspline.zoom, dict(zoom=2, tempo=3), TypeError),
    (cudaspline.zoom, dict(zoom=2, spacing=3), TypeError),
    (cudaspline.zoom, dict(zoom=2, order="3"), ValueError),
    (cudaspline.zoom, dict(zoom=2, interpolation=3), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 2))), ValueError),
    (cudaspline.sample, dict(points="here"), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), gradient="no"), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), hessian=1), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), inside=numpy.zeros(3)), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), channels=None), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), tempo=3), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), interpolation="linear", gradient=True), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), interpolation="linear", hessian=True), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), mode="texture", gradient=True), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), mode="texture", hessian=True), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), storage="half", hessian=True), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), gradient=True, dtype="int16"), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), coordinates="mm"), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), default=(1, 2)), ValueError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), default=[[1], [2, 3]]), TypeError),
    (cudaspline.sample, dict(points=numpy.zeros((5, 3)), threads=2**31), ValueError),
    (cudaspline.Geometry, dict(size=(3, 3), spacing=[1, numpy.nan]), ValueError),
    (cudaspline.Geometry, dict(size=(3, 3), spacing=(1, 0)), ValueError),
    (cudaspline.Geometry, dict(size=[3, 3], origin=(1, 2, 3)), ValueError),
    (cudaspline.Geometry, dict(size=(3, 3), direction=[[1, 0], [1, 0]]), ValueError),
    (cudaspline.Geometry, dict(size=(3, 3), direction="up"), TypeError),
    (cudaspline.Geometry, dict(size=(3, 2.5)), TypeError),
    (cudaspline.resample, dict(spacing=1e9), ValueError),
    (cudaspline.resample, dict(spacing=1e-12), ValueError),
    (cudaspline.Image, dict(array=Unfriendly()), ValueError),
    (cudaspline.Image, dict(array=[[1], [2, 3]]), TypeError),
    (cudaspline.Image, dict(array=numpy.zeros((3, 0))), ValueError),
    (cudaspline.Image, dict(array=IMAGE, spacing=(1, 2)), ValueError),
    (cudaspline.Image, dict(array=IMAGE, origin="here"), TypeError),
    (cudaspline.Image, dict(array=numpy.zeros(4), channels=True), ValueError),
]  # fmt: skip


@pytest.mark.parametrize("function, arguments, error", WRONG)
def test_errors_begin_with_the_argument(function, arguments, error):
    name = list(arguments)[-1]
    if function not in (cudaspline.Image, cudaspline.Geometry):
        arguments = {"image": IMAGE, **arguments}
    with pytest.raises(error, match=rf"^{name}\b") as caught:
        function(**arguments)
    assert type(caught.value) is error


def test_what_the_kernels_refuse_names_the_argument(rng):
    """What is found in the image's elements alone."""
    image = rng.uniform(-1, 1, (9, 9, 9)).astype("f4")
    image[4, 4, 4] = numpy.nan
    with pytest.raises(ValueError, match="^image: .*finite"):
        cudaspline.Source(image, storage="int16")
    with pytest.raises(ValueError, match="^image: .*finite"):
        cudaspline.resample(image, storage="int16", device="cpu")


def test_codes_of_the_library_name_the_field():
    image = _library.Image(
        pixels=IMAGE.ctypes.data, device=-1, dimension=3, components=1, pixel=8, element=8, order=3
    )
    image.size[:3] = (6, 5, 4)
    out = numpy.empty_like(IMAGE)
    for field, value, text in (
        ("pixel", 77, "image.pixel is 77"), ("pixels", 0, "image.pixels is null"), ("components", 0, "image.components is 0"),
        ("order", 9, "image.order is 9"), ("dimension", 9, "image.dimension is 9"), ("element", 0, "image: B-spline coefficients must be"),
        ("method", 9, "image.method is 9"), ("storage", 1, "image: Storage Half"), ("method", 2, "image: The number of FIR taps"),
    ):  # fmt: skip
        other = type(image).from_buffer_copy(image)
        setattr(other, field, value)
        with pytest.raises(ValueError, match="^" + re.escape(text)):
            _library.Call().run("cudaspline_prefilter", other, -1, out.ctypes.data)
    with pytest.raises(ValueError, match="^axis is 3"):
        _library.Call().run("cudaspline_prefilter", image, 3, out.ctypes.data)
    with pytest.raises(ValueError, match="^coefficients is null"):
        _library.Call().run("cudaspline_prefilter", image, -1, None)
    with pytest.raises(ValueError, match="^coefficients .*overlap"):
        _library.Call().run("cudaspline_prefilter", image, -1, IMAGE.ctypes.data + 4)


def test_names_are_those_of_the_library():
    """Type checkers know each name, and every kind has one."""
    assert set(get_args(_options.Interpolation)) == set(_methods.INTERPOLATIONS)
    assert {named.kind for named in _methods.INTERPOLATIONS.values()} == set(_methods.KINDS)
    assert sorted(kind.code for kind in _methods.KINDS.values()) == list(range(len(_methods.KINDS)))
    assert _methods.INTERPOLATIONS["mitchell"].cubic == (1 / 3, 1 / 3)
    assert (
        _methods.INTERPOLATIONS["welch"].window == "welch"
        and _methods.INTERPOLATIONS["sinc"].window is None
    )
    named = _library.NamedInterpolation()
    with pytest.raises(ValueError, match="^number is 99"):
        _library.check(_library._library.cudaspline_name_interpolation(99, ctypes.byref(named)))


@pytest.mark.parametrize(
    "options",
    [
        dict(order=5),
        dict(interpolation="linear"),
        dict(order=3, boundary="reflect"),
        dict(storage="half"),
    ],
)
def test_options_beside_a_source_are_its_own(rng, options):
    image = rng.uniform(-1, 1, (9, 10, 11)).astype("f4")
    source = cudaspline.Source(image, device="cpu", **options)
    points = rng.uniform(1, 8, (20, 3))
    # Those that it was made with change nothing, nor those that it has no use for.
    for work in (
        cudaspline.resample,
        lambda *a, **o: cudaspline.zoom(*a, zoom=2, **o),
        lambda *a, **o: cudaspline.sample(*a, points, **o),
    ):
        wanted = work(source)
        for same in (
            options,
            dict(device="cpu"),
            dict(device=None),
            dict(channels=False),
            dict(threads=1),
        ):
            assert numpy.array_equal(work(source, **same), wanted)
        for name, value in {
            "order": 4, "interpolation": "catmull-rom", "mode": "texture", "boundary": "grid-wrap", "border": 2, "prefilter": "fir", "taps": 7,
            "tension": 0.25, "window": "welch", "radius": 2, "sigma": 2, "cutoff": 3, "precision": "float64", "storage": "int16", "channels": True,
            "device": "gpu",
        }.items():  # fmt: skip
            if name == "order" and options.get("interpolation") == "linear":
                continue  # linear interpolation has none
            with pytest.raises(ValueError, match=f"^{name}:"):
                work(source, **{name: value})
    with pytest.raises(ValueError, match="^memory_limit:"):
        cudaspline.resample(source, memory_limit=1 << 20)
    with pytest.raises(ValueError, match="^window:"):
        cudaspline.resample(image=source, window="welch")


def test_extrapolation_of_a_source_needs_samples(rng):
    image = rng.uniform(-1, 1, (9, 10, 11)).astype("f4")
    move = [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]]
    source = cudaspline.Source(image, interpolation="linear", device="cpu")
    wanted = cudaspline.resample(
        image, move, interpolation="linear", extrapolate=True, device="cpu"
    )
    assert numpy.array_equal(cudaspline.resample(source, move, extrapolate=True), wanted)
    for options in (
        dict(order=3),
        dict(order=3, storage="half"),
        dict(interpolation="linear", mode="texture"),
    ):
        with pytest.raises(ValueError, match="^extrapolate:"):
            cudaspline.resample(
                cudaspline.Source(image, device="cpu", **options), move, extrapolate=True
            )
    whole = cudaspline.Source(
        rng.integers(0, 9, (9, 10, 11)), interpolation="linear", precision="float32", device="cpu"
    )
    with pytest.raises(ValueError, match="^extrapolate:"):
        cudaspline.resample(whole, move, extrapolate=True)


def test_numbers_of_numpy_are_numbers():
    found = cudaspline.resample(
        IMAGE,
        size=numpy.array([3, 4, 5]),
        threads=numpy.int16(1),
        taps=numpy.uint8(7),
        tension=numpy.float32(0.5),
        order=numpy.int64(2),
    )
    assert found.shape == (5, 4, 3)
    grid = cudaspline.BSplineGrid(GRID.coefficients, order=numpy.int64(2))
    assert numpy.array_equal(cudaspline.resample(IMAGE, grid), IMAGE)


def test_images_of_four_axes_are_not_resampled():
    """In C: the package refuses them before."""
    pixels = numpy.zeros((2, 3, 4, 5), "f4")
    image = _library.Image(
        pixels=pixels.ctypes.data, device=-1, dimension=4, components=1, pixel=8, element=8
    )
    image.size[:4] = (5, 4, 3, 2)
    out = numpy.zeros(120, "f4")
    resampling = _library.Resampling(output=out.ctypes.data, output_type=8, device=-1)
    resampling.output_size[:3] = (5, 4, 3)
    with pytest.raises(ValueError, match="^image.dimension is 4"):
        _library.Call().run("cudaspline_resample", image, resampling)


@pytest.mark.parametrize(
    "call, wrong, meant",
    [
        (lambda **given: cudaspline.resample(IMAGE, **given), "defalt", "default"),
        (lambda **given: cudaspline.resample(IMAGE, **given), "refernce", "reference"),
        (lambda **given: cudaspline.resample(IMAGE, **given), "ordr", "order"),
        (
            lambda **given: cudaspline.resample(cudaspline.Source(IMAGE), **given),
            "spacng",
            "spacing",
        ),
        (lambda **given: cudaspline.zoom(IMAGE, 2, **given), "algn", "align"),
        (lambda **given: cudaspline.zoom(IMAGE, 2, **given), "chanels", "channels"),
        (lambda **given: cudaspline.zoom(IMAGE, 2, **given), "interpolaton", "interpolation"),
        (lambda **given: cudaspline.sample(IMAGE, [[0, 0, 0]], **given), "gradent", "gradient"),
        (lambda **given: cudaspline.sample(IMAGE, [[0, 0, 0]], **given), "boundry", "boundary"),
        (lambda **given: cudaspline.Source(IMAGE, **given), "ordr", "order"),
        (lambda **given: cudaspline.register(IMAGE, IMAGE, **given), "iteratons", "iterations"),
        (lambda **given: cudaspline.register(IMAGE, IMAGE, **given), "presett", "preset"),
        (lambda **given: cudaspline.register_series([IMAGE], **given), "metrik", "metric"),
    ],
)
def test_misspelt_keywords_name_what_was_meant(call, wrong, meant):
    with pytest.raises(TypeError, match=f"^{wrong}: .*; did you mean '{meant}'\\?$"):
        call(**{wrong: 1})
    with pytest.raises(TypeError, match=r"^qqq: this is not an argument of [^;]*\.$"):
        call(qqq=1)
