"""Borders beyond the range of integers, integers of 64 bits, diagonal matrices, and arrays of many
axes in cudaspline.ndimage."""

import itertools
import warnings

import numpy as np
import pytest

import cudaspline.ndimage as ndimage
from ndimage_support import MODES, assert_close, fresh_random

scipy_ndimage = pytest.importorskip("scipy.ndimage")

INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("order", [0, 1, 3])
def test_borders_beyond_the_range_are_clamped(dtype, order):
    """As SciPy does in the mode constant, there without a warning."""
    array = fresh_random().integers(0, 100, (6, 7)).astype(dtype)
    limits = np.iinfo(dtype)
    for cval, wanted in (
        (1e12, limits.max),
        (-1e12, limits.min),
        (float(limits.max) + 1, limits.max),
        (float(limits.min) - 1, limits.min),
    ):
        for name, arguments in (
            ("shift", (9,)),
            ("affine_transform", (np.eye(2), 20.0)),
            ("map_coordinates", (np.full((2, 3), -5.0),)),
        ):
            for _ in range(3):  # the plans of later calls warn, too
                with pytest.warns(
                    UserWarning, match=f"^cval is .*which is clamped to the range of {dtype}"
                ):
                    found = getattr(ndimage, name)(array, *arguments, order=order, cval=cval)
            assert (found == wanted).all() and found.dtype == dtype
            np.testing.assert_array_equal(
                found, getattr(scipy_ndimage, name)(array, *arguments, order=order, cval=cval)
            )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cval in (float(limits.max), float(limits.min), 0.3, limits.max + 0.4):
            ndimage.shift(array, 2.5, order=order, cval=cval)
        ndimage.shift(array, 2.5, order=order, cval=1e12, mode="mirror")  # where it is not read
        ndimage.shift(array, 2.5, output=float, order=order, cval=1e12)


@pytest.mark.parametrize(
    "dtype, cval, padding", [("uint8", 300.0, 255), ("int8", -129, -128), ("int16", 1e5, 32767)]
)
def test_paddings_beyond_the_range_are_clamped(dtype, cval, padding):
    """With which lines are filtered in the mode grid-constant: in SciPy 1.17 an unsigned one wraps
    around, and a signed one is an error."""
    array = fresh_random().integers(0, 100, (6, 7)).astype(dtype)
    with pytest.warns(UserWarning, match="^cval is "):
        found = ndimage.shift(array, 1.3, output=float, mode="grid-constant", cval=cval)
    padded = np.pad(array, 12, constant_values=padding)
    coordinates = np.indices(array.shape) - 1.3 + 12
    wanted = scipy_ndimage.map_coordinates(
        scipy_ndimage.spline_filter(padded.astype(float), mode="mirror"),
        coordinates,
        prefilter=False,
    )
    inner = (slice(3, None),) * 2  # no tap of these is beyond the padding
    assert np.abs(found[inner] - wanted[inner]).max() < 1e-9 * abs(cval)


def test_borders_of_bools():
    array = np.ones(6, bool)
    for cval, wanted in (
        (0.99, False),
        (1, True),
        (-1, True),
        (1e20, True),
        (-1e20, True),
        (np.nan, False),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for order, mode in itertools.product((0, 1), ("constant", "grid-constant")):
                assert (
                    ndimage.shift(array, 20, order=order, mode=mode, cval=cval).tolist()
                    == [wanted] * 6
                )


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("mode", MODES)
def test_labels_of_64_bits_are_exact(dtype, mode):
    """Hashes as labels: SciPy makes doubles of them, of which none above 2^53 is sure to be
    itself."""
    rng = fresh_random()
    limits = np.iinfo(dtype)
    array = rng.integers(limits.min, limits.max, (5, 6, 7), dtype=dtype, endpoint=True)
    array[0, 0, :2] = limits.min, limits.max
    number = np.arange(array.size).reshape(array.shape)
    cval = int(limits.max) - 6  # which no double is
    table = np.append(array.ravel(), np.array(cval, dtype))
    for name, arguments in (
        ("shift", ((1.2, -2.3, 0.6),)), ("zoom", (1.7,)), ("rotate", (30.0,)), ("affine_transform", (np.eye(3) + 0.1,)),
        ("map_coordinates", (rng.uniform(-3, 9, (3, 50)),)),
    ):  # fmt: skip
        chosen = getattr(ndimage, name)(number, *arguments, order=0, mode=mode, cval=array.size)
        found = getattr(ndimage, name)(array, *arguments, order=0, mode=mode, cval=cval)
        assert found.dtype == dtype and np.array_equal(found, table[chosen])
        output = np.zeros((*found.shape, 2), dtype)[..., 0]
        getattr(ndimage, name)(
            array.astype(array.dtype.newbyteorder()),
            *arguments,
            output=output,
            order=0,
            mode=mode,
            cval=cval,
        )
        assert np.array_equal(output, found)
    small = (array % 1000).astype(dtype)  # these are doubles, and nothing is different
    for _ in range(3):
        ndimage.shift(small, 0.6, order=0, mode="mirror")
    assert set(ndimage.shift(array, 0.6, order=0, mode="mirror").ravel().tolist()) <= set(
        array.ravel().tolist()
    )  # no plan of smaller ones
    assert np.array_equal(
        ndimage.zoom(small, 1.7, order=0, mode=mode),
        scipy_ndimage.zoom(small, 1.7, order=0, mode=mode),
    )
    assert (
        ndimage.shift(array, 99, order=0, cval=1e30).max() == limits.max
        and ndimage.shift(array, 99, order=0, cval=-1e30).max() == limits.min
    )


def test_labels_of_64_bits_in_torch():
    torch = pytest.importorskip("torch")
    labels = torch.tensor([2**60 + 1, -(2**60) - 3, 5, 2**63 - 1])
    assert ndimage.shift(labels, 1, order=0, cval=-1).tolist() == [-1, 2**60 + 1, -(2**60) - 3, 5]


def test_diagonal_matrices():
    """By orders 0 and 1 a diagonal of halves and quarters gives SciPy's integers, whether it is a
    matrix or a list."""
    rng = fresh_random()
    for _ in range(200):
        rank = int(rng.integers(1, 4))
        array = rng.integers(0, 30, rng.integers(3, 8, rank)).astype("int32")
        diagonal, offset = (
            rng.choice([0.5, 1, 2, 1.5, 0.25, -1], rank),
            rng.choice([0, 0.5, 0.25], rank),
        )
        for order, mode, matrix in itertools.product((0, 1), MODES, (diagonal, np.diag(diagonal))):
            expected = scipy_ndimage.affine_transform(
                array, matrix, offset, order=order, mode=mode, cval=7
            )
            np.testing.assert_array_equal(
                ndimage.affine_transform(array, matrix, offset, order=order, mode=mode, cval=7),
                expected,
            )


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4, 5])
def test_diagonals_have_the_values_of_their_matrices(order):
    """To the bit, where the coordinates are the same: without an offset, and by powers of 2. By
    orders 0 and 1 a matrix keeps NaNs within axes that are not moved, which a diagonal does not."""
    rng = fresh_random()
    still = [1] * (order > 1)
    for rank in (1, 2, 3):
        array = rng.integers(0, 50, rng.integers(4, 9, rank)).astype("int32")
        diagonal = rng.choice([1 / 3, 0.2, 0.7, 2, -1, *still], rank)
        powers, offset = rng.choice([0.5, 2, -1, *still], rank), rng.choice([0, 0.5, 3], rank)
        for image, (scale, begin) in itertools.product(
            (array, array * 0.1), ((diagonal, 0.0), (powers, offset))
        ):
            for mode in MODES:
                np.testing.assert_array_equal(
                    ndimage.affine_transform(image, np.diag(scale), begin, order=order, mode=mode),
                    ndimage.affine_transform(image, scale, begin, order=order, mode=mode),
                )


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_seven_and_eight_axes(order, mode):
    rng = fresh_random()
    for shape in ((3, 2, 2, 3, 2, 2, 3), (2, 1, 2, 2, 3, 2, 2, 2)):
        array = rng.normal(size=shape)
        rank = len(shape)
        matrix = np.eye(rank) + 0.1 * rng.normal(size=(rank, rank))
        for name, arguments, options in (
            ("map_coordinates", (rng.uniform(-2, 4, (rank, 60)),), {}),
            ("shift", (rng.uniform(-1.3, 1.3, rank),), {}),
            ("zoom", (1.6,), {}),
            ("zoom", (1.6,), {"grid_mode": True}),
            ("affine_transform", (matrix, rng.uniform(-0.5, 0.5, rank)), {}),
            ("affine_transform", (matrix[:, :2],), {"output_shape": (4, 5)}),
            ("rotate", (30.0, (1, 4)), {}),
        ):
            if options and mode in ("constant", "wrap"):
                continue  # of which SciPy warns
            options = {"order": order, "mode": mode, "cval": 1.5, **options}
            expected = getattr(scipy_ndimage, name)(array, *arguments, **options)
            assert_close(
                getattr(ndimage, name)(array, *arguments, **options), expected, order, shape, 8.0
            )
    labels = rng.integers(0, 99, shape).astype("u1")
    np.testing.assert_array_equal(
        ndimage.zoom(labels, 1.6, order=0, mode=mode),
        scipy_ndimage.zoom(labels, 1.6, order=0, mode=mode),
    )
    seven = ndimage.shift(np.full((2,) * 7, 2**60 + 1), 1, order=0, mode=mode)
    assert set(np.unique(seven)) <= {0, 2**60 + 1}
    # Few axes in, and many out.
    line, shape = rng.normal(size=9), (2,) * 8
    coordinates = rng.uniform(0, 8, (1, *shape))
    expected = scipy_ndimage.map_coordinates(line, coordinates, order=order, mode=mode)
    assert_close(
        ndimage.map_coordinates(line, coordinates, order=order, mode=mode),
        expected,
        order,
        (9,),
        8.0,
    )


def test_many_axes_are_refused_where_lines_are_filtered():
    for order in (2, 3):
        with pytest.raises(RuntimeError, match="input has 7 axes; at most 6 .*orders 0 and 1"):
            ndimage.shift(np.zeros((1,) * 7), 1, order=order)
    assert ndimage.shift(np.zeros((2,) * 7), 1, order=1, cval=np.inf)[0, 0, 0, 0, 0, 0, 0] == np.inf
