"""spline_filter and spline_filter1d against SciPy."""

import numpy as np
import pytest

import cudaspline.ndimage as ndimage
from ndimage_support import (
    COMPLEX,
    INTEGERS,
    MODES,
    REALS,
    assert_close,
    fresh_random,
    random_array,
)

scipy_ndimage = pytest.importorskip("scipy.ndimage")


@pytest.mark.parametrize("order", (2, 3, 4, 5))
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_and_order(mode, order):
    rng = fresh_random()
    rule = "reflect" if mode == "nearest" else mode  # of arrays that are not extended
    for shape in (
        (),
        (1,),
        (2,),
        (50,),
        (5, 70),
        (1, 8),
        (6, 5, 40),
        (3, 1, 2, 4),
        (2, 3, 2, 3, 2),
    ):
        array = random_array(rng, shape)
        largest = float(np.abs(array).max())
        rank = len(shape)
        found = ndimage.spline_filter(array, order, mode=mode)
        assert_close(
            found,
            scipy_ndimage.spline_filter(array, order, mode=mode),
            order,
            shape,
            largest,
            mode=rule,
        )
        for axis in range(-rank, rank):
            found = ndimage.spline_filter1d(array, order, axis, mode=mode)
            expected = scipy_ndimage.spline_filter1d(array, order, axis, mode=mode)
            assert_close(found, expected, order, shape[axis : axis + 1 or None], largest, mode=rule)


@pytest.mark.parametrize("dtype", INTEGERS + REALS + COMPLEX + ("bool",))
def test_every_type(dtype):
    rng = fresh_random()
    array = random_array(rng, (9, 11), dtype)
    largest = float(np.abs(array).max())
    is_complex = np.dtype(dtype).kind == "c"
    for output in COMPLEX if is_complex else REALS:
        found = ndimage.spline_filter(array, output=np.dtype(output))
        expected = scipy_ndimage.spline_filter(array, output=np.dtype(output))
        assert_close(
            found, expected, 3, array.shape, largest, single=output in ("float32", "complex64")
        )
    for order in (0, 1):
        assert np.array_equal(ndimage.spline_filter1d(array, order, output=np.dtype(dtype)), array)


@pytest.mark.parametrize("output", INTEGERS)
def test_outputs_of_integers_are_truncated_after_each_axis(output):
    rng = fresh_random()
    # Coefficients of the second axis may be whole numbers, as its samples are: a rounding moves
    # these over an integer, one in some thousands.
    array = random_array(rng, (7, 8)) * 3 + 50
    found = ndimage.spline_filter(array, output=np.dtype(output))
    expected = scipy_ndimage.spline_filter(array, output=np.dtype(output))
    assert found.dtype == expected.dtype
    error = np.abs(found.astype("int64") - expected.astype("int64"))
    assert error.max() <= 1 and (error > 0).sum() <= 8


def test_outputs_that_are_given():
    rng = fresh_random()
    array = random_array(rng, (6, 9))
    expected = scipy_ndimage.spline_filter(array)
    whole = np.full((12, 18), -1.0)
    given = whole[::2, ::-2]
    assert ndimage.spline_filter(array, output=given) is given
    assert np.allclose(given, expected, rtol=0, atol=1e-13)
    assert (whole[1::2] == -1).all() and (whole[:, ::2] == -1).all()
    kept = array.copy()
    assert ndimage.spline_filter(array, output=array) is array
    assert np.allclose(array, scipy_ndimage.spline_filter(kept), rtol=0, atol=1e-13)


def test_views_and_byte_orders():
    rng = fresh_random()
    array = random_array(rng, (8, 10, 6))
    for view in (
        array.T,
        array[::-1, ::2, ::-3],
        array[:, :1],
        np.broadcast_to(array[0], (5, 10, 6)),
        array.astype(">f8"),
    ):
        found = ndimage.spline_filter(view, 4)
        assert np.allclose(
            found, scipy_ndimage.spline_filter(np.array(view, float), 4), rtol=0, atol=1e-12
        )
