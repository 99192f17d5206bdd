"""What cudaspline.ndimage refuses, and what it takes that is unusual: as SciPy does, by messages that name the argument."""

import warnings

import numpy as np
import pytest
from ndimage_support import fresh_random, random_array

import cudaspline.ndimage as ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage")

ARRAY = np.arange(12.0).reshape(3, 4)
#: What SciPy refuses, and with what.
REFUSED = (
    ("map_coordinates", (ARRAY, [[1.0], [1.0]]), {"order": 6}),
    ("map_coordinates", (ARRAY, [[1.0], [1.0]]), {"order": -1}),
    ("map_coordinates", (ARRAY, [[1.0], [1.0]]), {"mode": "periodic"}),
    ("map_coordinates", (ARRAY, [[1.0]]), {}),
    ("map_coordinates", (ARRAY, [1.0, 1.0]), {}),
    ("map_coordinates", (ARRAY, [[1j], [1.0]]), {}),
    ("map_coordinates", (ARRAY, np.zeros((2, 3), np.float16)), {}),
    ("map_coordinates", (np.float64(3.0), np.zeros((0, 3))), {}),
    ("map_coordinates", (ARRAY, [[1.0], [1.0]]), {"output": np.zeros(2)}),
    ("map_coordinates", (ARRAY * 1j, [[1.0], [1.0]]), {"output": np.zeros(1)}),
    ("map_coordinates", (ARRAY * 1j, [[1.0], [1.0]]), {"output": "float64"}),
    ("map_coordinates", (ARRAY, [[1.0], [1.0]]), {"output": np.complex128}),
    ("map_coordinates", (ARRAY.astype(np.float16), [[1.0], [1.0]]), {}),
    ("affine_transform", (ARRAY, np.eye(3)[:, :2]), {}),
    ("affine_transform", (ARRAY, np.zeros((2, 2, 2))), {}),
    ("affine_transform", (ARRAY, np.ones((3, 3))), {}),
    ("affine_transform", (ARRAY, np.eye(2), [1, 2, 3]), {}),
    ("affine_transform", (ARRAY, np.eye(2)), {"output_shape": (3, 4, 5)}),
    ("shift", (ARRAY, (1, 2, 3)), {}),
    ("shift", (np.float64(1.0), 1), {}),
    ("zoom", (ARRAY, (1, 2, 3)), {}),
    ("zoom", (ARRAY, 2), {"output": np.zeros((5, 5))}),
    ("rotate", (ARRAY[0], 10), {}),
    ("rotate", (ARRAY, 10, (0, 1, 2)), {}),
    ("rotate", (ARRAY, 10, (0, 2)), {}),
    ("rotate", (ARRAY, 10, (0, 0.5)), {}),
    ("spline_filter", (ARRAY, 1), {}),
    ("spline_filter", (ARRAY, 6), {}),
    ("spline_filter", (ARRAY,), {"mode": "periodic"}),
    ("spline_filter1d", (ARRAY,), {"axis": 2}),
    ("spline_filter1d", (ARRAY,), {"order": 6}),
    ("spline_filter1d", (ARRAY,), {"axis": 1.5}),
    *(("shift", (ARRAY, 1), {"order": order}) for order in (2.5, 3.0, "3", None, [3], np.float64(1.0), -0.5, 5.5)),
    *(("spline_filter", (ARRAY,), {"order": order}) for order in (2.5, 3.0, True, 1.0, "3", None)),
    *(("spline_filter1d", (ARRAY,), {"order": order}) for order in (2.5, 3.0, "3", None)),
    *(
        (name, (ARRAY, *arguments), {"cval": cval, "mode": mode})
        for name, arguments in (("shift", (1,)), ("zoom", (2,)), ("rotate", (10,)), ("affine_transform", (np.eye(2),)), ("map_coordinates", ([[1.0], [1.0]],)))
        for cval in (1j, 1 + 0j, "1", None, [1])
        for mode in ("constant", "grid-constant", "mirror")
    ),
    ("shift", (ARRAY * 1j, 1), {"cval": None}),
    ("shift", (ARRAY, "1"), {}),
    ("shift", (ARRAY, 1j), {}),
    ("zoom", (ARRAY, -1), {}),
    ("zoom", (ARRAY, np.nan), {}),
    ("zoom", (ARRAY, "2"), {}),
    ("rotate", (ARRAY, 10, 5), {}),
    ("rotate", (ARRAY, "30"), {}),
    ("rotate", (ARRAY, 10, ("a", 0)), {}),
    ("rotate", (np.zeros((3, 4, 5)), 10, (0, 0)), {}),
    ("rotate", (np.zeros((3, 4, 5)), 10, (1, -2)), {}),
    ("affine_transform", (ARRAY, np.eye(2)), {"output_shape": (3.0, 4)}),
    ("affine_transform", (ARRAY, np.eye(2)), {"output_shape": (-3, 4)}),
    ("affine_transform", (ARRAY, [["a", "b"]]), {}),
)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("name, arguments, options", REFUSED)
def test_what_scipy_refuses(name, arguments, options):
    with pytest.raises(Exception) as expected:
        getattr(scipy_ndimage, name)(*arguments, **options)
    with pytest.raises(expected.type) as found:
        getattr(ndimage, name)(*arguments, **options)
    names = ["input", "output", "order", "mode", "cval", "coordinates", "matrix", "offset", "output_shape", "shift", "zoom", "axes", "axis", "coordinate", "angle"]
    assert any(word in str(found.value) for word in names), str(found.value)
    for word in list(options)[:1]:  # it is the wrong one
        assert word in str(found.value)


@pytest.mark.parametrize("output, error", [([1.0, 2.0], RuntimeError), (5, RuntimeError), ("abc", TypeError)])
def test_outputs_that_are_none(output, error):
    """What they raise in SciPy depends on its version: these are 1.17's."""
    with pytest.raises(error, match="output"):
        ndimage.shift(ARRAY, 1, output=output)


def test_errors_name_the_argument():
    for places in ((np.zeros(3), 1.0), ("a", 1.0)):
        with pytest.raises(ValueError, match="^mapping does not return coordinates of the shape .3, 4. for axis 0"):
            ndimage.geometric_transform(ARRAY, lambda index: places, vectorized=True)  # noqa: B023
    with pytest.raises(ValueError, match="^angle is nan"):
        ndimage.rotate(ARRAY, np.nan)
    with pytest.raises(RuntimeError, match="input has 7 axes"):
        ndimage.shift(np.zeros((1,) * 7), 1)
    with pytest.raises(RuntimeError, match="output"):
        ndimage.shift(ARRAY, 1, output=np.zeros((4, 3)))
    given = np.zeros((3, 4))
    given.flags.writeable = False
    with pytest.raises(ValueError, match="output is read-only"):
        ndimage.shift(ARRAY, 1, output=given)
    with pytest.warns(UserWarning, match="complex"):
        assert ndimage.shift(ARRAY * 1j, 1, output=float).dtype == complex
    with pytest.warns(UserWarning, match="grid-wrap"):
        ndimage.zoom(ARRAY, 2, mode="wrap", grid_mode=True)


@pytest.mark.parametrize("axes", [(0, 0), (1, 1), (-1, 1)])
@pytest.mark.parametrize("reshape", [False, True])
def test_one_axis_twice(axes, reshape):
    """Of two dimensions SciPy turns the array, of the shape that these axes ask for."""
    array = random_array(fresh_random(), (9, 12))
    expected = scipy_ndimage.rotate(array, 30, axes, reshape)
    found = ndimage.rotate(array, 30, axes, reshape)
    assert found.shape == expected.shape and np.allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("cval", [np.complex128(1.5 + 2j), np.float32(2), np.array(2.5), True, np.int8(3)])
def test_borders_that_are_numbers_of_numpy(cval):
    array = random_array(fresh_random(), (6, 7))
    for mode in ("constant", "grid-constant"):
        for order in (1, 3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", getattr(np, "exceptions", np).ComplexWarning)  # the real part counts
                expected = scipy_ndimage.shift(array, 2.5, cval=cval, mode=mode, order=order)
                found = ndimage.shift(array, 2.5, cval=cval, mode=mode, order=order)
            assert np.allclose(found, expected, rtol=0, atol=1e-12)
    if isinstance(cval, np.complex128):
        with pytest.warns(getattr(np, "exceptions", np).ComplexWarning):
            ndimage.shift(array, 2.5, cval=cval)


@pytest.mark.parametrize("order", [True, np.int64(2), np.array(3), np.uint8(4)])
def test_orders_that_are_whole_numbers(order):
    array = random_array(fresh_random(), (6, 7))
    assert np.allclose(ndimage.shift(array, 0.5, order=order), scipy_ndimage.shift(array, 0.5, order=order), rtol=0, atol=1e-12)
    for order in (0.0, 1.0, True):
        assert np.array_equal(ndimage.spline_filter1d(array, order), scipy_ndimage.spline_filter1d(array, order))


CALLS = (
    ("shift", (0.5,), {}), ("shift", (0.5,), {"order": 1}), ("zoom", (1,), {}), ("rotate", (10,), {"reshape": False}),
    ("affine_transform", (np.eye(2), 0.25), {}), ("spline_filter", (), {}), ("spline_filter1d", (), {}), ("spline_filter1d", (1,), {}),
    ("map_coordinates", (np.indices((6, 7)) + 0.25,), {}),
)  # fmt: skip


@pytest.mark.parametrize("name, arguments, options", CALLS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", ">f8"])
def test_outputs_of_classes_that_numpys_has(tmp_path, name, arguments, options, dtype):
    """numpy.memmap and masked arrays: the elements are written where they are, and a mask stays as it is."""
    rng = fresh_random()
    array = 100 * random_array(rng, (6, 7))
    expected = np.zeros((6, 7), dtype)
    getattr(ndimage, name)(array, *arguments, output=expected, **options)
    mapped = np.memmap(tmp_path / "raw", dtype=dtype, mode="w+", shape=(6, 7))
    found = getattr(ndimage, name)(array, *arguments, output=mapped, **options)
    assert np.array_equal(found, expected) and np.array_equal(mapped, expected)
    mapped.flush()
    assert np.array_equal(np.fromfile(tmp_path / "raw", dtype).reshape(6, 7), expected)
    mask = rng.uniform(size=(6, 7)) < 0.5
    for hard in (False, True):
        ours, theirs = (np.ma.masked_array(np.zeros((6, 7), dtype), mask.copy(), hard_mask=hard) for _ in range(2))
        masked_input = np.ma.masked_array(array, mask)  # whose mask nobody reads
        found = getattr(ndimage, name)(masked_input, *arguments, output=ours, **options)
        assert type(found) is np.ndarray and np.array_equal(found, expected)
        assert np.array_equal(ours.data, expected) and np.array_equal(ours.mask, mask)
        if type(scipy_ndimage.shift(array, 1, output=np.ma.zeros((6, 7)))) is np.ndarray:  # SciPy 1.17; before, copies changed masks, or failed
            getattr(scipy_ndimage, name)(masked_input, *arguments, output=theirs, **options)
            assert np.array_equal(theirs.mask, mask)
            assert np.allclose(theirs.data.astype(float), expected.astype(float), rtol=1e-5, atol=1.001)
    given = np.memmap(tmp_path / "raw", dtype=dtype, mode="r", shape=(6, 7))
    with pytest.raises(ValueError, match="output is read-only"):
        getattr(ndimage, name)(array, *arguments, output=given, **options)


@pytest.mark.parametrize("offset", [0, 8, 160, 334])
def test_outputs_that_overlap(offset):
    rng = fresh_random()
    values = random_array(rng, (6, 7))
    for name, arguments, options in CALLS:
        expected = getattr(ndimage, name)(values, *arguments, **options)
        memory = np.zeros(2 * 8 * 42, "u1")
        array = memory[:336].view("f8").reshape(6, 7)
        output = memory[offset - offset % 8 :][:336].view("f8").reshape(6, 7)
        array[:] = values
        getattr(ndimage, name)(array, *arguments, output=output, **options)
        assert np.array_equal(output, expected)
    # The coordinates too.
    coordinates = rng.uniform(0, 5, (2, 6, 7))
    expected = ndimage.map_coordinates(values, coordinates)
    ndimage.map_coordinates(values, coordinates, output=coordinates[1])
    assert np.array_equal(coordinates[1], expected)
