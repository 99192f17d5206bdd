"""What the tests of cudaspline.ndimage share: fresh random arrays, and how far from SciPy a result
may be."""

from __future__ import annotations

import os

import numpy as np

from cudaspline.ndimage._rotation import cosine_and_sine

MODES = (
    "reflect",
    "grid-mirror",
    "constant",
    "grid-constant",
    "nearest",
    "mirror",
    "grid-wrap",
    "wrap",
)
ORDERS = range(6)
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
REALS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")

#: Norms of the prefilters, an axis: max|coefficient| by max|sample| (math/SplinePoles.h).
NORMS = (1.0, 1.0, 2.0, 3.0, 4.8, 7.5)
#: Magnitudes of their largest poles.
POLES = (0.0, 0.0, 0.172, 0.268, 0.362, 0.431)


def fresh_random():
    """A random generator with a new seed, which is printed; CUDASPLINE_TEST_SEED repeats it."""
    seed = int(os.environ.get("CUDASPLINE_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
    print(f"seed {seed} (CUDASPLINE_TEST_SEED)")
    return np.random.default_rng(seed)


def random_array(rng, shape, dtype="float64"):
    """Numbers of every type: integers over a part of their range, in which sums of a filter
    stay."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        low = -40 if dtype.kind == "i" else 60
        return rng.integers(low, 121, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def same_angle(rng):
    """An angle whose cosine and sine are the same bits in SciPy: the centre of an array is often
    half way between samples, so that the last bit decides which sample is the nearest."""
    from scipy import special

    while True:
        angle = float(rng.uniform(-400, 400))
        if cosine_and_sine(angle) == (special.cosdg(angle), special.sindg(angle)):
            return angle


def offset_comes_first():
    """Whether SciPy adds the products of matrix and index to the offset, as it does today, and not
    the offset to their sum: else the nearest of two samples may be the other one, and the border
    value stand elsewhere."""
    from scipy import ndimage

    small = -(2.0**-54 + 2.0**-60)  # two of them together lower 1.5, one by one they do not
    column = np.arange(4.0).reshape(4, 1)
    found = ndimage.affine_transform(
        column, [[small, small], [0, 0]], [1.5, 0], (2, 2), order=0, mode="nearest"
    )
    return found[1, 1] == 2.0


def scipy_slip(order, shape, mode):
    """By what SciPy before 1.18 errs in the mode reflect (its issue 24550), relative to the largest
    sample: lines of n samples began with a coefficient that was wrong by up to the pole to the
    power of 2 n, which the filters of the axes make larger by up to their norms."""
    lengths = [length for length in shape if length > 1]
    if mode not in ("reflect", "grid-mirror") or order < 2 or not lengths:
        return 0.0
    return POLES[order] ** (2 * min(lengths)) * NORMS[order] ** len(lengths)


def bound(order, dimension, largest, single=False):
    """What roundings may make of a value: of a filter, and of a sum of (order + 1) taps an axis, on
    either side.

    A filtered line errs by some roundings of its largest coefficient, a sum by one for each term
    and weight.
    """
    unit = 2.0**-24 if single else 2.0**-53
    return unit * 8 * (order + 4) * dimension * NORMS[order] ** dimension * largest


def assert_close(found, expected, order, shape, largest, single=False, mode="mirror"):
    """Every value within bound() of SciPy's, for an input of that shape; and NaN where SciPy has
    it."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    if found.size:
        error = np.abs(np.asarray(found, complex) - np.asarray(expected, complex))
        dimension = max(len(shape), 1)
        allowed = (
            bound(order, dimension, largest, single) + scipy_slip(order, shape, mode) * largest
        )
        # Some roundings of a coordinate of up to some eight times the array's length, times the
        # steepest slope of a spline, twice its largest coefficient along an axis.
        allowed += (
            2.0**-53
            * 64
            * max(shape, default=1)
            * dimension
            * 2
            * NORMS[order] ** dimension
            * largest
        )
        assert np.nanmax(error, initial=0.0) <= allowed


def assert_same_integers(found, expected, value, message=""):
    """Integers are the same, except for values (in double precision) that are half integers up to
    rounding: there they may differ by one. An angle of 45 degrees makes halves of integers."""
    tie = np.abs(np.abs(value) % 1 - 0.5) < 1e-6
    np.testing.assert_array_equal(np.where(tie, expected, found), expected, err_msg=message)
    assert np.all(np.abs(found.astype(float) - expected.astype(float))[tie] <= 1), message
