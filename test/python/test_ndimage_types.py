"""Types of numbers, outputs, views and precisions of cudaspline.ndimage, against SciPy."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import cudaspline.ndimage as ndimage
from ndimage_support import (
    COMPLEX,
    INTEGERS,
    MODES,
    ORDERS,
    REALS,
    assert_close,
    assert_same_integers,
    bound,
    fresh_random,
    offset_comes_first,
    random_array,
    same_angle,
)

scipy_ndimage = pytest.importorskip("scipy.ndimage")


def calls(rng, shape):
    """Each function with its arguments, for an array of two axes."""
    return (
        ("map_coordinates", (np.stack([rng.uniform(-2, length + 1, 40) for length in shape]),)),
        ("affine_transform", (rng.normal(size=(2, 2)), rng.uniform(0, 5, 2))),
        ("zoom", ((1.3, 0.7),)),
        ("shift", (rng.uniform(-3, 3, 2),)),
    ) + ((("rotate", (same_angle(rng),)),) if offset_comes_first() else ())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", INTEGERS + REALS + COMPLEX + ("bool",))
def test_every_type_of_input(dtype, order):
    rng = fresh_random()
    shape = (11, 14)
    array = random_array(rng, shape, dtype)
    largest = float(np.abs(array).max())
    for mode in MODES:
        cval = 3.6 if np.dtype(dtype).kind != "c" else 1.5 - 2.25j
        for name, arguments in calls(rng, shape):
            options = {"order": order, "mode": mode, "cval": cval}
            found = getattr(ndimage, name)(array, *arguments, **options)
            expected = getattr(scipy_ndimage, name)(array, *arguments, **options)
            assert found.dtype == expected.dtype and found.shape == expected.shape
            if np.dtype(dtype).kind in "fc":
                single = dtype in ("float32", "complex64")
                assert_close(found, expected, order, shape, max(largest, abs(cval)), single, mode)
            elif dtype == "bool":  # truncated: at a sample that is true roundings decide
                value = getattr(scipy_ndimage, name)(array, *arguments, output=float, **options)
                near = abs(abs(value) - 1) < 1e-6
                assert np.array_equal(found | near, expected | near)
            else:
                value = getattr(scipy_ndimage, name)(array, *arguments, output=float, **options)
                assert_same_integers(found, expected, value, f"{name}, {mode}")


@pytest.mark.parametrize("source", ("uint8", "int32", "float32", "float64"))
@pytest.mark.parametrize("target", INTEGERS + REALS + ("bool",))
def test_every_type_of_output(source, target):
    rng = fresh_random()
    shape = (9, 12)
    array = random_array(rng, shape, source)
    if source.startswith("float"):
        array *= 60
    for name, arguments in calls(rng, shape):
        for given in (np.dtype(target), np.dtype(target).type, np.zeros(0)):
            expected = getattr(scipy_ndimage, name)(
                array, *arguments, output=np.dtype(target), cval=7.0
            )
            output = np.empty(expected.shape, target) if isinstance(given, np.ndarray) else given
            found = getattr(ndimage, name)(array, *arguments, output=output, cval=7.0)
            assert found is output or not isinstance(output, np.ndarray)
            assert found.dtype == expected.dtype
            if found.dtype.kind == "f":
                single = source == target == "float32"
                assert_close(found, expected, 3, shape, 200.0, single or target == "float32")
            elif target == "bool":
                # True from 1 on: at a sample that is 1 rounding decides whether the spline is.
                value = getattr(scipy_ndimage, name)(array, *arguments, output=float, cval=7.0)
                near = abs(abs(value) - 1) < 1e-6
                assert np.array_equal(found | near, expected | near)
            else:
                assert np.array_equal(found, expected)


def test_integers_are_rounded_half_away_from_zero_and_clamped():
    halves = np.array([[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 300.2, -300.2, 0.49999, -0.49999]])
    coordinates = np.array([[0] * 10, range(10)])
    for dtype in INTEGERS:
        found = ndimage.map_coordinates(halves, coordinates, output=np.dtype(dtype), order=0)
        assert np.array_equal(
            found,
            scipy_ndimage.map_coordinates(halves, coordinates, output=np.dtype(dtype), order=0),
        )
    wide = np.array([1e30, -1e30, np.nan])
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        found = ndimage.map_coordinates(wide, [range(3)], output=np.dtype(dtype), order=0)
        assert list(found) == [limits.max, limits.min, 0]


def test_integers_that_a_padding_cannot_hold():
    """SciPy pads with the border as a number of the input's type, and reads the border itself
    beyond the padding."""
    array = np.arange(12, dtype=np.uint8).reshape(3, 4)
    coordinates = np.stack(np.meshgrid(np.linspace(-20, 20, 60), np.linspace(-1, 4, 7)))
    for cval in (1.75, 200.4):
        found = ndimage.map_coordinates(
            array, coordinates, output=float, mode="grid-constant", cval=cval
        )
        expected = scipy_ndimage.map_coordinates(
            array, coordinates, output=float, mode="grid-constant", cval=cval
        )
        assert_close(found, expected, 3, array.shape, cval + 11)


@pytest.mark.parametrize("dtype", INTEGERS + REALS + ("bool",))
def test_every_type_of_coordinates(dtype):
    rng = fresh_random()
    array = random_array(rng, (30, 40))
    coordinates = random_array(rng, (2, 5, 6), dtype)
    if np.dtype(dtype).kind == "f":
        coordinates = np.abs(coordinates * 10).astype(dtype)
    found = ndimage.map_coordinates(array, coordinates, order=2, mode="wrap")
    expected = scipy_ndimage.map_coordinates(array, coordinates, order=2, mode="wrap")
    assert_close(found, expected, 2, array.shape, np.abs(array).max())


def test_views():
    rng = fresh_random()
    array = random_array(rng, (8, 10, 12))
    coordinates = rng.uniform(-1, 8, (3, 50))
    views = (
        array.T,
        array[::-1, ::2, ::-3],
        array[:, :1],
        np.broadcast_to(array[0], (5, 10, 12)),
        array.astype(">f8"),
    )
    for view in views:
        for order in (0, 1, 3):
            for prefilter in (True, False):
                for listed in (
                    coordinates,
                    np.ascontiguousarray(coordinates.T).T,
                    coordinates.astype(">f4"),
                    coordinates.tolist(),
                ):
                    found = ndimage.map_coordinates(
                        view, listed, order=order, mode="mirror", prefilter=prefilter
                    )
                    expected = scipy_ndimage.map_coordinates(
                        np.array(view, float),
                        np.array(listed, float),
                        order=order,
                        mode="mirror",
                        prefilter=prefilter,
                    )
                    assert np.allclose(found, expected, rtol=0, atol=1e-11)
                found = ndimage.zoom(view, 1.3, order=order, prefilter=prefilter)
                expected = scipy_ndimage.zoom(
                    np.array(view, float), 1.3, order=order, prefilter=prefilter
                )
                assert np.allclose(found, expected, rtol=0, atol=1e-11)
                found = ndimage.rotate(view, 20, (2, 0), order=order, prefilter=prefilter)
                expected = scipy_ndimage.rotate(
                    np.array(view, float), 20, (2, 0), order=order, prefilter=prefilter
                )
                assert np.allclose(found, expected, rtol=0, atol=1e-11)
    assert ndimage.shift([1, 2, 3], 1).tolist() == [0, 1, 2]


def test_outputs_that_are_views_or_the_input():
    rng = fresh_random()
    array = random_array(rng, (9, 7))
    for order in (0, 1, 3):
        expected = scipy_ndimage.shift(array, 0.75, order=order)
        whole = np.full((20, 14), np.inf)
        given = whole[1:19:2, ::-2]
        assert ndimage.shift(array, 0.75, output=given, order=order) is given
        assert np.allclose(given, expected, rtol=0, atol=1e-13)
        assert np.isinf(whole[::2]).all() and np.isinf(whole[:, ::2]).all()
        swapped = np.zeros((9, 7), ">f4")
        ndimage.shift(array, 0.75, output=swapped, order=order)
        assert np.allclose(swapped, expected, rtol=0, atol=1e-6)
        same = array.copy()
        assert ndimage.shift(same, 0.75, output=same, order=order) is same
        assert np.allclose(same, expected, rtol=0, atol=1e-13)
    shaped = np.zeros((4, 5))
    ndimage.affine_transform(array, np.eye(2), 0.5, output=shaped)
    assert np.allclose(
        shaped, scipy_ndimage.affine_transform(array, np.eye(2), 0.5, (4, 5)), rtol=0, atol=1e-13
    )


def test_precisions():
    rng = fresh_random()
    array = random_array(rng, (20, 30))
    exact = scipy_ndimage.zoom(array, 1.7)
    errors = {}
    for precision in (None, "single", "double"):
        errors[precision] = np.abs(ndimage.zoom(array, 1.7, precision=precision) - exact).max()
    largest = np.abs(array).max()
    assert errors[None] == errors["double"] < bound(3, 2, largest)
    assert bound(3, 2, largest) < errors["single"] < bound(3, 2, largest, single=True)
    single = array.astype(np.float32)
    exact = scipy_ndimage.zoom(single, 1.7, output=float)
    narrow = ndimage.zoom(single, 1.7, precision="double")
    assert narrow.dtype == np.float32 and np.array_equal(narrow, exact.astype(np.float32))
    assert np.abs(ndimage.zoom(single, 1.7, output=float) - exact).max() < bound(3, 2, largest)
    for function, arguments in (
        (ndimage.zoom, (2,)),
        (ndimage.spline_filter, ()),
        (ndimage.rotate, (3,)),
    ):
        with pytest.raises(ValueError, match="precision"):
            function(array, *arguments, precision="half")


def test_empty_arrays():
    for shape in ((0,), (0, 3), (3, 0, 2)):
        array = np.zeros(shape)
        assert ndimage.spline_filter(array).shape == shape
        assert ndimage.shift(array, 1).shape == shape
        assert ndimage.zoom(array, 2).shape == tuple(2 * length for length in shape)
        assert (ndimage.map_coordinates(array, np.zeros((len(shape), 4)), cval=2.5) == 2.5).all()
    assert ndimage.map_coordinates(np.zeros((3, 4)), np.zeros((2, 0))).shape == (0,)
    assert ndimage.zoom(np.ones(4), 0.1).shape == (0,)


def test_complex_borders():
    rng = fresh_random()
    array = random_array(rng, (6, 7), "complex128")
    found = ndimage.shift(array, 3.5, cval=2 - 3j)
    assert np.allclose(found, scipy_ndimage.shift(array, 3.5, cval=2 - 3j), rtol=0, atol=1e-12)
    assert (found[0] == 2 - 3j).all()


def test_threads_of_python():
    rng = fresh_random()
    array = random_array(rng, (40, 50))
    expected = [scipy_ndimage.rotate(array, 10 * k) for k in range(8)]
    found = [None] * 8
    threads = [
        threading.Thread(target=lambda k=k: found.__setitem__(k, ndimage.rotate(array, 10 * k)))
        for k in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(found, expected):
        assert_close(one, other, 3, array.shape, np.abs(array).max())


def test_scipy_is_not_needed():
    program = (
        "import sys; sys.modules['scipy'] = None\n"
        "import numpy, cudaspline.ndimage as n\n"
        "a = numpy.arange(20.0).reshape(4, 5)\n"
        "for f, x in ((n.rotate, 90), (n.zoom, 2), (n.shift, 1), (n.affine_transform, numpy.eye(2)), (n.map_coordinates, a[:2])):\n"
        "    f(a, x)\n"
        "print(n.spline_filter(a).shape)\n"
    )
    folder = str(Path(ndimage.__file__).parents[2])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(4, 5)\n"


def test_pytorch_on_the_host():
    torch = pytest.importorskip("torch")
    rng = fresh_random()
    array = random_array(rng, (9, 12))
    for dtype in ("float64", "float32", "uint8", "int16", "complex128"):
        values = random_array(rng, (9, 12), dtype)
        tensor = torch.from_numpy(values)
        for view, same in (
            (tensor, values),
            (tensor.T, values.T),
            (tensor[:, ::2], values[:, ::2]),
        ):
            found = ndimage.zoom(view, 1.5)
            expected = scipy_ndimage.zoom(same, 1.5)
            assert isinstance(found, torch.Tensor) and found.dtype == tensor.dtype
            single = dtype == "float32"
            assert_close(found.numpy(), expected, 3, same.shape, np.abs(same).max(), single)
    tensor = torch.from_numpy(array)
    coordinates = rng.uniform(0, 8, (2, 30))
    expected = scipy_ndimage.map_coordinates(array, coordinates)
    for listed in (coordinates, torch.from_numpy(coordinates), coordinates.tolist()):
        assert_close(
            ndimage.map_coordinates(tensor, listed).numpy(),
            expected,
            3,
            array.shape,
            np.abs(array).max(),
        )
    output = torch.zeros(9, 12, dtype=torch.float32)
    assert ndimage.shift(tensor, torch.tensor([1.0, 2.0]), output=output) is output
    assert np.allclose(output.numpy(), scipy_ndimage.shift(array, [1, 2]), rtol=0, atol=1e-6)
    assert ndimage.shift(tensor, 1, output=torch.float32).dtype == torch.float32
    with pytest.raises(TypeError, match="output"):
        ndimage.shift(tensor, 1, output=np.zeros((9, 12)))
    with pytest.raises(TypeError, match="coordinates"):
        ndimage.map_coordinates(array, torch.zeros(2, 3))
    with pytest.raises(ValueError, match="gradient"):
        ndimage.shift(tensor.requires_grad_(), 1)


def test_fields_of_packed_structures():
    rng = fresh_random()
    shape = (9, 11)
    plain = rng.normal(size=shape)
    packed = np.zeros(shape, [("a", "f8"), ("b", "f4"), ("c", "c16")])
    packed["a"] = plain
    packed["b"] = 7
    expected = scipy_ndimage.shift(plain, 0.3, mode="mirror")
    assert_close(ndimage.shift(packed["a"], 0.3, mode="mirror"), expected, 3, shape, 5.0)
    coordinates = np.zeros((2, 30), [("x", "f8"), ("y", "i1")])
    coordinates["x"] = rng.uniform(0, 8, (2, 30))
    found = ndimage.map_coordinates(plain, coordinates["x"], mode="mirror")
    assert_close(
        found, scipy_ndimage.map_coordinates(plain, coordinates["x"], mode="mirror"), 3, shape, 5.0
    )
    for output in (packed["a"], packed["a"][::-1, ::-1]):
        ndimage.shift(plain, 0.3, output=output, mode="mirror")
        assert_close(output, expected, 3, shape, 5.0)
        assert (packed["b"] == 7).all()
    ndimage.shift(plain + 2j * plain, 0.3, output=packed["c"], mode="mirror")
    assert_close(packed["c"].imag, 2 * expected, 3, shape, 10.0)
