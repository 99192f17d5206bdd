"""cudaspline.ndimage with arrays on a GPU, of CuPy and of PyTorch: what the host gives, in the
order of the caller's streams."""

import os
import threading

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
    bound,
    fresh_random,
    random_array,
)

pytestmark = pytest.mark.gpu


def without_gpu(reason):
    """Skips, visibly, or fails where a GPU is required."""
    if os.environ.get("CUDASPLINE_REQUIRE_GPU") == "1":
        pytest.fail(f"{reason} CUDASPLINE_REQUIRE_GPU is 1.")
    pytest.skip(reason)


def cupy_or_skip():
    try:
        import cupy
    except ImportError:
        return without_gpu("There is no CuPy.")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return without_gpu(f"There is no GPU: {error}.")
    return cupy if count > 0 else without_gpu("There is no GPU.")


def torch_or_skip():
    try:
        import torch
    except ImportError:
        return without_gpu("There is no PyTorch.")
    return torch if torch.cuda.is_available() else without_gpu("There is no GPU for PyTorch.")


def calls(rng, shape):
    """Each function with its arguments."""
    rank = len(shape)
    matrix = np.eye(rank) + rng.normal(size=(rank, rank)) * 0.2
    smooth = (
        np.indices(shape).astype(float)
        + rng.normal(size=(rank,) + (1,) * rank)
        + 0.3 * np.sin(np.indices(shape))
    )
    found = [
        (
            "map_coordinates",
            (np.stack([rng.uniform(-length, 2 * length, 500) for length in shape]),),
        ),
        ("map_coordinates", (smooth,)),
        ("affine_transform", (matrix, rng.normal(size=rank) * 3)),
        ("affine_transform", (rng.normal(size=(rank, rank)) * 3, rng.normal(size=rank) * 20)),
        ("affine_transform", (rng.uniform(0.5, 1.5, rank), rng.normal(size=rank))),
        ("zoom", (rng.uniform(0.5, 2.0, rank),)),
        ("shift", (rng.uniform(-4, 4, rank),)),
    ]
    if rank > 1:
        found += [("rotate", (33.0,)), ("rotate", (-75.5, (0, rank - 1), False))]
    return found


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
def test_gpu_and_host_agree(mode, order):
    cupy = cupy_or_skip()
    rng = fresh_random()
    for shape in ((300,), (70, 90), (130, 5), (40, 37, 45), (1, 50, 3), (6, 5, 4, 7)):
        for dtype in REALS:
            array = random_array(rng, shape, dtype)
            largest = max(float(np.abs(array).max()), 1.5)
            for name, arguments in calls(rng, shape):
                for prefilter in (True, False):
                    options = {"order": order, "mode": mode, "cval": 1.5, "prefilter": prefilter}
                    expected = getattr(ndimage, name)(array, *arguments, **options)
                    listed = [
                        cupy.asarray(argument) if name == "map_coordinates" else argument
                        for argument in arguments
                    ]
                    found = getattr(ndimage, name)(cupy.asarray(array), *listed, **options)
                    assert isinstance(found, cupy.ndarray)
                    assert_close(found.get(), expected, order, shape, largest, dtype == "float32")
            if order >= 2:
                expected = ndimage.spline_filter(array, order, output=dtype, mode=mode)
                found = ndimage.spline_filter(cupy.asarray(array), order, output=dtype, mode=mode)
                assert_close(found.get(), expected, order, shape, largest, dtype == "float32")
                found = ndimage.spline_filter1d(cupy.asarray(array), order, 0, mode=mode)
                assert_close(
                    found.get(),
                    ndimage.spline_filter1d(array, order, 0, mode=mode),
                    order,
                    shape,
                    largest,
                )


@pytest.mark.parametrize("order", (0, 1, 3, 5))
def test_gpu_and_scipy_agree(order):
    cupy = cupy_or_skip()
    scipy_ndimage = pytest.importorskip("scipy.ndimage")
    rng = fresh_random()
    for shape in ((60, 80), (40, 37, 45)):
        array = random_array(rng, shape)
        for mode in MODES:
            for name, arguments in calls(rng, shape):
                if name == "rotate" and order == 0:
                    continue  # the nearest of two samples
                options = {"order": order, "mode": mode, "cval": 1.5}
                expected = getattr(scipy_ndimage, name)(array, *arguments, **options)
                listed = [
                    cupy.asarray(argument) if name == "map_coordinates" else argument
                    for argument in arguments
                ]
                found = getattr(ndimage, name)(cupy.asarray(array), *listed, **options)
                assert_close(
                    found.get(), expected, order, shape, float(np.abs(array).max()) + 1.5, mode=mode
                )


@pytest.mark.parametrize("dtype", INTEGERS + REALS + COMPLEX + ("bool",))
def test_every_type_on_a_gpu(dtype):
    cupy = cupy_or_skip()
    rng = fresh_random()
    shape = (21, 34)
    array = random_array(rng, shape, dtype)
    for order in (0, 1, 3):
        for name, arguments in calls(rng, shape):
            expected = getattr(ndimage, name)(array, *arguments, order=order, cval=3)
            found = getattr(ndimage, name)(cupy.asarray(array), *arguments, order=order, cval=3)
            assert found.dtype == expected.dtype
            if np.dtype(dtype).kind in "fc":
                assert_close(
                    found.get(), expected, order, shape, 10.0, dtype in ("float32", "complex64")
                )
            elif dtype == "bool":
                assert (
                    found.get() != expected
                ).mean() < 0.2  # truncated: at a sample that is true roundings decide
            else:
                # Halves are rounded as their last bit happens to be.
                exact = getattr(ndimage, name)(array.astype(float), *arguments, order=order, cval=3)
                near = np.abs(np.abs(exact - np.trunc(exact)) - 0.5) < 1e-9
                assert np.array_equal(found.get()[~near], expected[~near])
                assert np.all(
                    np.abs(found.get()[near].astype(float) - expected[near].astype(float)) <= 1.0
                )


def test_views_outputs_and_streams_of_cupy():
    cupy = cupy_or_skip()
    rng = fresh_random()
    array = random_array(rng, (40, 50, 60))
    device = cupy.asarray(array)
    for view, same in (
        (device.T, array.T),
        (device[::-1, ::2, ::-3], array[::-1, ::2, ::-3]),
        (device[3], array[3]),
    ):
        for order in (1, 3):
            found = ndimage.shift(view, 0.75, order=order)
            assert np.allclose(
                found.get(), ndimage.shift(same, 0.75, order=order), rtol=0, atol=1e-11
            )
    whole = cupy.full((80, 50, 120), 7.0)
    given = whole[::2, :, ::-2]
    assert ndimage.shift(device, 0.75, output=given) is given
    assert np.allclose(given.get(), ndimage.shift(array, 0.75), rtol=0, atol=1e-11)
    assert bool((whole[1::2] == 7).all()) and bool((whole[:, :, ::2] == 7).all())
    same = device.copy()
    ndimage.shift(same, 0.75, output=same, order=1)
    assert np.allclose(same.get(), ndimage.shift(array, 0.75, order=1), rtol=0, atol=1e-11)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:  # what is enqueued before is seen, and what is enqueued behind sees the result
        busy = cupy.zeros(1 << 26)
        for _ in range(20):
            busy += 1
        late = device * 2 + busy[0] - 20
        found = ndimage.shift(late, 0.75) * 1
    stream.synchronize()
    assert np.allclose(found.get(), 2 * ndimage.shift(array, 0.75), rtol=0, atol=1e-11)
    with pytest.raises(TypeError, match="output"):
        ndimage.shift(device, 1, output=np.zeros(device.shape))
    assert ndimage.map_coordinates(device, [[1.0], [2.0], [3.0]]).shape == (
        1,
    )  # a list travels to the device


def test_pytorch_on_a_gpu():
    torch = torch_or_skip()
    rng = fresh_random()
    for dtype in ("float32", "float64", "uint8", "int16", "complex64"):
        array = random_array(rng, (30, 40), dtype)
        tensor = torch.from_numpy(array).cuda()
        single = dtype in ("float32", "complex64")
        for name, arguments in calls(rng, (30, 40)):
            expected = getattr(ndimage, name)(array, *arguments)
            listed = [
                torch.from_numpy(argument).cuda() if name == "map_coordinates" else argument
                for argument in arguments
            ]
            found = getattr(ndimage, name)(tensor, *listed)
            assert found.device == tensor.device and found.dtype == tensor.dtype
            if dtype in ("uint8", "int16"):
                assert np.array_equal(found.cpu().numpy(), expected)
            else:
                assert_close(
                    found.cpu().numpy(), expected, 3, (30, 40), float(np.abs(array).max()), single
                )
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        busy = torch.zeros(1 << 26, device="cuda")
        for _ in range(20):
            busy += 1
        late = torch.from_numpy(random_array(rng, (50, 60))).cuda() + (busy[0] - 20)
        found = ndimage.zoom(late, 2.0) * 1
    stream.synchronize()
    assert np.allclose(
        found.cpu().numpy(), ndimage.zoom(late.cpu().numpy(), 2.0), rtol=0, atol=1e-11
    )


def test_threads_on_a_gpu():
    cupy = cupy_or_skip()
    rng = fresh_random()
    array = random_array(rng, (60, 70), "float32")
    device = cupy.asarray(array)
    found = [None] * 8

    def work(number):
        found[number] = ndimage.rotate(device, 10.0 * number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, one in enumerate(found):
        expected = ndimage.rotate(array, 10.0 * number)
        assert np.abs(one.get() - expected).max() <= bound(
            3, 2, float(np.abs(array).max()), single=True
        )
