"""map_coordinates, affine_transform, zoom, shift and rotate against SciPy: every mode and order, in
one to four dimensions."""

import warnings

import numpy as np
import pytest

import cudaspline.ndimage as ndimage
from cudaspline.ndimage._rotation import cosine_and_sine
from ndimage_support import (
    MODES,
    ORDERS,
    assert_close,
    fresh_random,
    offset_comes_first,
    random_array,
    same_angle,
)

scipy_ndimage = pytest.importorskip("scipy.ndimage")
special = pytest.importorskip("scipy.special")

CVAL = 1.75
SHAPES = ((1,), (2,), (9,), (40,), (7, 12), (1, 6), (33, 2), (6, 5, 9), (1, 4, 3), (2, 3, 2, 4))


def compare(name, array, *arguments, order, **options):
    """A function of both on the same arguments."""
    largest = max(float(np.abs(array).max()), abs(options.get("cval", 0.0)))
    found = getattr(ndimage, name)(array, *arguments, order=order, **options)
    expected = getattr(scipy_ndimage, name)(array, *arguments, order=order, **options)
    assert_close(found, expected, order, array.shape, largest, mode=options.get("mode", "constant"))


def shapes_of(order):
    """Four dimensions of high orders take SciPy its time."""
    return [shape for shape in SHAPES if len(shape) < 4 or order in (0, 1, 3)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
class TestEveryModeAndOrder:
    def test_map_coordinates(self, mode, order):
        rng = fresh_random()
        for shape in shapes_of(order):
            array = random_array(rng, shape)
            points = np.stack(
                [rng.uniform(-3 * length - 3, 4 * length + 3, 50) for length in shape]
            )
            ends = np.stack([rng.integers(-2, 3, 50) * (length - 1) for length in shape]).astype(
                float
            )
            for coordinates in (
                points,
                np.round(2 * points) / 2,
                ends,
                np.nextafter(ends, 9e9),
                np.nextafter(ends, -9e9),
            ):
                for prefilter in (True, False):
                    compare(
                        "map_coordinates",
                        array,
                        coordinates,
                        order=order,
                        mode=mode,
                        cval=CVAL,
                        prefilter=prefilter,
                    )

    def test_affine_transform(self, mode, order):
        rng = fresh_random()
        for shape in shapes_of(order):
            rank = len(shape)
            array = random_array(rng, shape)
            matrix = rng.normal(size=(rank, rank))
            offset = rng.uniform(-4, 4, rank)
            options = {"order": order, "mode": mode, "cval": CVAL}
            compare("affine_transform", array, matrix, offset, **options)
            compare(
                "affine_transform", array, np.eye(rank)[::-1] * 1.0, 1.0, prefilter=False, **options
            )
            compare("affine_transform", array, rng.uniform(0.3, 2.0, rank), offset, **options)
            homogeneous = np.vstack([np.hstack([matrix, offset[:, None]]), [0.0] * rank + [1.0]])
            compare("affine_transform", array, homogeneous, **options)
            compare("affine_transform", array, homogeneous[:rank], **options)
            wider = tuple(length + 2 for length in shape)
            compare("affine_transform", array, matrix, offset, wider, **options)

    def test_zoom(self, mode, order):
        rng = fresh_random()
        for shape in shapes_of(order):
            array = random_array(rng, shape)
            factors = (
                rng.uniform(0.4, 2.5, len(shape)) if len(shape) < 4 else rng.uniform(0.5, 1.6, 4)
            )
            for zoom in (factors, np.round(2 * factors) / 2 + 0.5):
                for grid_mode in (False, True):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", UserWarning)
                        options = {
                            "order": order,
                            "mode": mode,
                            "cval": CVAL,
                            "grid_mode": grid_mode,
                        }
                        compare("zoom", array, zoom, **options)
                        compare("zoom", array, zoom, prefilter=False, **options)

    def test_shift(self, mode, order):
        rng = fresh_random()
        for shape in shapes_of(order):
            array = random_array(rng, shape)
            for distance in (
                rng.uniform(-9, 9, len(shape)),
                rng.integers(-9, 10, len(shape)),
                0.5,
                0,
            ):
                compare("shift", array, distance, order=order, mode=mode, cval=CVAL)
                compare(
                    "shift", array, distance, order=order, mode=mode, cval=CVAL, prefilter=False
                )

    def test_rotate(self, mode, order):
        if order == 0 and not offset_comes_first():
            pytest.skip(
                "this SciPy sums coordinates up in another order: the nearest of two samples may be the other"
            )
        rng = fresh_random()
        for shape in ((7, 12), (5, 6, 9), (2, 5, 3, 4)):
            array = random_array(rng, shape)
            rank = len(shape)
            planes = [(1, 0)] + [
                tuple(int(axis) for axis in rng.permutation(rank)[:2] - rank) for _ in range(2)
            ]
            for axes in planes:
                for angle in (same_angle(rng), 90.0, 30):
                    for reshape in (True, False):
                        compare(
                            "rotate", array, angle, axes, reshape, order=order, mode=mode, cval=CVAL
                        )


def test_random_mixtures():
    """What no table of cases has: sizes, modes and maps by chance."""
    rng = fresh_random()
    for _ in range(150):
        shape = tuple(int(length) for length in rng.integers(1, 15, rng.integers(1, 4)))
        array = random_array(rng, shape)
        options = {
            "order": int(rng.integers(6)),
            "mode": MODES[rng.integers(len(MODES))],
            "cval": float(rng.normal()),
            "prefilter": bool(rng.integers(2)),
        }
        coordinates = np.stack([rng.normal(length / 2, length, 20) for length in shape])
        compare("map_coordinates", array, coordinates, **options)
        compare(
            "affine_transform",
            array,
            rng.normal(size=(len(shape),) * 2),
            rng.normal(size=len(shape)),
            **options,
        )
        compare("shift", array, rng.normal(size=len(shape)) * 4, **options)


@pytest.mark.parametrize("order", ORDERS)
def test_output_of_another_number_of_axes(order):
    rng = fresh_random()
    volume = random_array(rng, (9, 8, 11))
    matrix = rng.normal(size=(3, 2))
    compare("affine_transform", volume, matrix, rng.uniform(0, 8, 3), (13, 6), order=order)
    line = random_array(rng, (19,))
    compare("affine_transform", line, rng.normal(size=(1, 3)), 2.0, (3, 4, 5), order=order)
    compare("map_coordinates", volume, rng.uniform(-1, 9, (3, 4, 5, 2, 3)), order=order)


@pytest.mark.parametrize("mode", MODES)
def test_five_and_six_axes(mode):
    rng = fresh_random()
    for shape in ((2, 3, 1, 2, 3), (1, 2, 2, 3, 2, 2)):
        array = random_array(rng, shape)
        coordinates = np.stack([rng.uniform(-length, 2 * length, 20) for length in shape])
        padded = mode in ("nearest", "grid-constant")  # by 24 samples an axis, were there a filter
        compare(
            "map_coordinates",
            array,
            coordinates,
            order=2,
            mode=mode,
            cval=CVAL,
            prefilter=not padded,
        )
        compare("zoom", array, 1.5, order=1, mode=mode, cval=CVAL)


def test_the_sum_of_all_dimensions_is_exact_at_samples():
    """Spline interpolation passes through its samples, whatever SciPy says."""
    rng = fresh_random()
    array = random_array(rng, (6, 7, 8))
    coordinates = np.indices(array.shape).astype(float)
    for order in ORDERS:
        for mode in MODES:
            found = ndimage.map_coordinates(array, coordinates, order=order, mode=mode)
            assert np.allclose(
                found, array, rtol=0, atol=1e-4 if mode in ("nearest", "grid-constant") else 1e-12
            )


def test_cosines_and_sines_of_degrees():
    rng = fresh_random()
    for angle in (*rng.uniform(-1000, 1000, 200), *np.arange(-720.0, 721.0, 15.0)):
        found, expected = (
            cosine_and_sine(float(angle)),
            (special.cosdg(angle), special.sindg(angle)),
        )
        assert np.allclose(found, expected, rtol=0, atol=2.0**-52)
        if angle % 15 == 0:
            assert found == expected
    assert cosine_and_sine(-270.0) == (0.0, 1.0)


def test_numbers_that_are_none():
    array = np.arange(12.0).reshape(3, 4)
    coordinates = np.array(
        [[np.nan, 1.0, 1.0, np.inf, -np.inf, 1e300], [1.0, np.nan, 2.0, 1.0, 1.0, 1.0]]
    )
    for mode in MODES:
        found = ndimage.map_coordinates(array, coordinates, order=1, mode=mode, cval=9.0)
        assert found[0] == found[1] == 9.0
        assert found[2] == 6.0
        beyond = {"nearest": (9.0, 1.0, 9.0)}.get(mode, (9.0, 9.0, 9.0))
        assert tuple(found[3:]) == beyond
    array[1, 1] = np.nan
    assert np.array_equal(
        np.isnan(ndimage.shift(array, 0.5, order=1)),
        np.isnan(scipy_ndimage.shift(array, 0.5, order=1)),
    )


def test_axes_of_one_element_with_any_stride():
    rng = fresh_random()
    array = rng.uniform(size=(7, 9, 8))
    views = (
        array[3][None],
        array[::2][1:2],
        array[::-1][2:3],
        array[:, 4:5],
        array[:, :, :1].T,
        array[0, :, :1].T[None],
    )
    for view in views:
        for order in (1, 3):
            for mode in ("constant", "nearest", "mirror"):
                factors = [1 if length == 1 else 2 for length in view.shape]
                found = ndimage.zoom(view, factors, order=order, mode=mode)
                assert np.allclose(
                    found,
                    scipy_ndimage.zoom(view.copy(), factors, order=order, mode=mode),
                    rtol=0,
                    atol=1e-10,
                )
                shifts = [0.0 if length == 1 else 0.75 for length in view.shape]
                found = ndimage.shift(view, shifts, order=order, mode=mode)
                assert np.allclose(
                    found,
                    scipy_ndimage.shift(view.copy(), shifts, order=order, mode=mode),
                    rtol=0,
                    atol=1e-10,
                )
