"""Arguments and results of calls: numbers, generators, types, roundings, images and Sources that
are kept."""

import json
import os
import pickle
import subprocess
import sys
import threading

import numpy
import pytest

import cudaspline
from cudaspline import ndimage
from cudaspline.core import _library

scipy_ndimage = pytest.importorskip("scipy.ndimage")


def test_arrays_of_no_axes_and_generators_are_numbers(rng):
    array = rng.normal(size=(12, 15))
    for number in (
        numpy.array(2.0),
        numpy.float32(2.0),
        2.0,
        [2.0, 2.0],
        (2.0 for _ in range(2)),
        numpy.array([2.0, 2.0]),
    ):
        assert ndimage.zoom(array, number).shape == (24, 30)
    wanted = ndimage.shift(array, (1.5, 1.5))
    for number in (numpy.array(1.5), (1.5 for _ in range(2)), range(0)):
        if isinstance(number, range):
            with pytest.raises(RuntimeError, match="shift"):
                ndimage.shift(array, number)
            continue
        assert numpy.array_equal(ndimage.shift(array, number), wanted)
    found = ndimage.affine_transform(array, numpy.eye(2), (offset for offset in (1.0, 2.0)))
    assert numpy.array_equal(found, ndimage.affine_transform(array, numpy.eye(2), [1.0, 2.0]))


@pytest.mark.parametrize("dtype", (">f4", "<f8", ">i2", ">u4"))
def test_outputs_in_the_order_of_bytes_that_was_asked_for(dtype, rng):
    array = rng.normal(size=(12, 15)) * 50
    found = ndimage.shift(array, 0.3, output=dtype, mode="mirror")
    assert found.dtype == numpy.dtype(dtype)
    assert numpy.array_equal(
        found, ndimage.shift(array, 0.3, output=numpy.dtype(dtype).newbyteorder("="), mode="mirror")
    )
    assert ndimage.shift(array.astype(">f4"), 0.3).dtype.isnative


@pytest.mark.parametrize("dtype", ("uint8", "int8", "uint16", "int16", "int32"))
@pytest.mark.parametrize("mode", ("constant", "grid-constant"))
def test_borders_beyond_the_type(dtype, mode, rng):
    array = rng.integers(0, 100, (9, 11)).astype(dtype)
    for cval in (300.0, -5.5, 70000.0, -70000.0, 1e9):
        for order in (0, 1):
            found = ndimage.shift(array, 2.5, order=order, mode=mode, cval=cval)
            assert numpy.array_equal(
                found, scipy_ndimage.shift(array, 2.5, order=order, mode=mode, cval=cval)
            ), (cval, order)


def swirl(index, strength, scale=1.0):
    y, x = index
    return y + strength * numpy.sin(0.3 * x), scale * x - strength * numpy.cos(0.2 * y)


@pytest.mark.parametrize("order", range(6))
def test_geometric_transform(order, rng):
    array = rng.normal(size=(13, 17))
    for mode in ("constant", "reflect", "grid-wrap", "nearest"):
        options = {
            "order": order,
            "mode": mode,
            "cval": 2.0,
            "extra_arguments": (1.5,),
            "extra_keywords": {"scale": 0.9},
        }
        expected = scipy_ndimage.geometric_transform(array, swirl, (8, 9), **options)
        found = ndimage.geometric_transform(array, swirl, (8, 9), **options)
        assert numpy.allclose(found, expected, rtol=0, atol=1e-3 if mode == "reflect" else 1e-10)
        # The same sine, of an array, may differ in its last bit.
        assert numpy.allclose(
            ndimage.geometric_transform(array, swirl, (8, 9), vectorized=True, **options),
            found,
            rtol=0,
            atol=1e-10,
        )
    given = numpy.empty((5, 6), "f4")
    assert ndimage.geometric_transform(array, lambda o: o, output=given) is given
    assert numpy.allclose(given, array[:5, :6], atol=1e-5)


def test_mappings_that_are_none():
    array = numpy.zeros((4, 5))
    for mapping, error in (
        (3, TypeError),
        (lambda o: (1.0,), RuntimeError),
        (lambda o: 1.0, TypeError),
    ):
        with pytest.raises(error, match="mapping"):
            ndimage.geometric_transform(array, mapping)


def test_axes_that_do_not_move_are_those_of_many_arrays(rng):
    """Values of one channel do not change another one, and each is SciPy's result."""
    array = rng.normal(size=(11, 3, 14, 2))
    for order in range(6):
        for mode in ("constant", "mirror", "nearest", "grid-wrap"):
            options = {"order": order, "mode": mode, "cval": 0.5}
            shifted = ndimage.shift(array, (0.3, 0, -1.2, 0), **options)
            turned = ndimage.affine_transform(
                array,
                [[0.9, 0, 0.1, 0], [0, 1, 0, 0], [-0.1, 0, 0.9, 0], [0, 0, 0, 1]],
                (0.5, 0, 0.25, 0),
                **options,
            )
            finer = ndimage.zoom(array, (2, 1, 1.5, 1), **options)
            for i, j in numpy.ndindex(3, 2):
                plane = array[:, i, :, j]
                bound = 1e-9 if order < 2 or mode != "nearest" else 1e-7
                assert numpy.allclose(
                    shifted[:, i, :, j],
                    scipy_ndimage.shift(plane, (0.3, -1.2), **options),
                    rtol=0,
                    atol=bound,
                )
                assert numpy.allclose(
                    finer[:, i, :, j],
                    scipy_ndimage.zoom(plane, (2, 1.5), **options),
                    rtol=0,
                    atol=bound,
                )
                expected = ndimage.affine_transform(
                    plane, [[0.9, 0.1], [-0.1, 0.9]], (0.5, 0.25), **options
                )
                assert numpy.allclose(turned[:, i, :, j], expected, rtol=0, atol=bound)
    # Coefficients are those of all axes: here no axis may be left out.
    found = ndimage.shift(array, (0.3, 0, 0, 0), prefilter=False, mode="mirror")
    assert numpy.allclose(
        found,
        scipy_ndimage.shift(array, (0.3, 0, 0, 0), prefilter=False, mode="mirror"),
        rtol=0,
        atol=1e-10,
    )


def test_jax_in_and_jax_out(rng):
    jax = pytest.importorskip("jax")
    array = rng.normal(size=(12, 15)).astype("f4")
    given = jax.numpy.asarray(array)
    for name, arguments in (
        ("zoom", (2,)),
        ("rotate", (30.0,)),
        ("map_coordinates", (rng.uniform(0, 11, (2, 7)),)),
        ("spline_filter", ()),
    ):
        found = getattr(ndimage, name)(given, *arguments, output="float32")
        assert isinstance(found, jax.Array)
        # JAX's array may be on a GPU, whose roundings are others': some of numbers of up to 6.
        assert numpy.allclose(
            numpy.asarray(found),
            getattr(ndimage, name)(array, *arguments, output="float32"),
            rtol=0,
            atol=4e-6,
        )
    coordinates = jax.numpy.asarray(rng.uniform(0, 11, (2, 7)).astype("f4"))
    assert isinstance(ndimage.map_coordinates(given, coordinates), jax.Array)
    with pytest.raises(TypeError, match="JAX traces"):
        jax.jit(lambda a: ndimage.shift(a, 1.0))(given)


def test_arrays_of_the_standard(rng):
    strict = pytest.importorskip("array_api_strict")
    array = rng.normal(size=(12, 15))
    given = strict.asarray(array)
    for name, arguments in (("zoom", (2,)), ("shift", (0.5,)), ("spline_filter", ())):
        found = getattr(ndimage, name)(given, *arguments)
        assert type(found) is type(given)
        assert numpy.array_equal(
            numpy.from_dlpack(found), getattr(ndimage, name)(array, *arguments)
        )
    assert type(ndimage.map_coordinates(given, strict.asarray(rng.uniform(0, 11, (2, 7))))) is type(
        given
    )
    assert type(cudaspline.zoom(given, 2)) is type(given)
    with pytest.raises(TypeError, match="output"):
        ndimage.shift(given, 1.0, output=strict.asarray(numpy.zeros_like(array)))


@pytest.mark.parametrize(
    "dtype", ("uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "uint64")
)
def test_rounding(dtype, rng):
    image = (
        rng.integers(-2400, 2401, (20, 30)) / 8
    )  # of which floats, by which narrow integers are computed, have all values; some are halves
    options = {"interpolation": "linear", "origin": (0.25, 0.5), "size": (30, 20), "default": 7}
    value = cudaspline.resample(image, dtype="float64", **options)
    limits = numpy.iinfo(dtype)
    found = cudaspline.resample(image, dtype=dtype, **options)
    wide = numpy.rint(value)  # half to even
    assert found.dtype == dtype
    assert numpy.array_equal(
        found, numpy.clip(wide, float(limits.min), min(float(limits.max), 1e15)).astype(dtype)
    )
    assert numpy.array_equal(
        found, cudaspline.Source(image, interpolation="linear").resample(dtype=dtype, **options)
    )
    cut = cudaspline.resample(image, dtype=dtype, rounding="itk", **options)
    assert numpy.array_equal(
        cut,
        numpy.clip(numpy.trunc(value), float(limits.min), min(float(limits.max), 1e15)).astype(
            dtype
        ),
    )
    assert numpy.array_equal(
        cut, cudaspline.resample(image, dtype=dtype, rounding="truncate", **options)
    )
    out = numpy.empty((20, 30), dtype)
    assert cudaspline.resample(image, dtype=dtype, rounding="nearest", out=out, **options) is out
    assert numpy.array_equal(out, found)
    # At points, and of what becomes an integer by the nearest sample or the label that wins.
    points = rng.uniform(0, 18, (50, 2))
    values = cudaspline.sample(image, points, dtype="float64", default=7)
    assert numpy.array_equal(
        cudaspline.sample(image, points, dtype="int64", default=7), numpy.rint(values)
    )
    assert numpy.array_equal(
        cudaspline.sample(image, points, dtype="int64", default=7, rounding="itk"),
        numpy.trunc(values),
    )
    for interpolation in ("nearest", "label-linear"):
        real = cudaspline.resample(image, **{**options, "interpolation": interpolation})
        found = cudaspline.resample(
            image, dtype="int64", **{**options, "interpolation": interpolation}
        )
        assert numpy.array_equal(found, numpy.rint(real))


def test_ends_of_a_type_are_kept():
    values = numpy.array([[1e30, -1e30, numpy.nan, 2.0**63, -(2.0**63), 0.5, -0.5, 1.5]])
    for dtype in ("int64", "uint64", "int32", "uint8"):
        limits = numpy.iinfo(dtype)
        found = cudaspline.resample(
            values, interpolation="linear", dtype=dtype, rounding="nearest"
        )[0]
        assert list(found[:3]) == [limits.max, limits.min, 0]
        assert list(found[5:]) == [0, 0, 2]
    with pytest.raises(ValueError, match="rounding.*'up'"):
        cudaspline.resample(values, rounding="up")


def test_images_are_arrays(rng):
    array = rng.normal(size=(3, 4, 5)).astype("f4")
    image = cudaspline.Image(array, spacing=(1, 2, 3), origin=(4, 5, 6))
    assert image.shape == (3, 4, 5) and image.dtype == numpy.float32
    assert numpy.shares_memory(numpy.asarray(image), array)
    assert numpy.asarray(image, "f8").dtype == numpy.float64
    assert len(repr(image)) < 120 and "(3, 4, 5)" in repr(image) and "(1, 2, 3)" in repr(image)
    again = pickle.loads(pickle.dumps(image))
    assert numpy.array_equal(again.array, array) and again.geometry == image.geometry
    with pytest.raises(ValueError):
        again.geometry.spacing[0] = 2.0


@pytest.mark.parametrize("options", ({}, {"order": 5, "boundary": "reflect"}, {"interpolation": "linear"}, {"interpolation": "nearest"},
                                     {"interpolation": "label"}, {"prefilter": "itk", "precision": "float64"}))  # fmt: skip
def test_sources_are_pickled(options, rng):
    image = cudaspline.Image(
        rng.uniform(0, 200, (6, 7, 8)).astype("i2"), spacing=(1, 2, 3), origin=(4, 5, 6)
    )
    source = cudaspline.Source(image, device="cpu", **options)
    again = pickle.loads(pickle.dumps(source))
    points = image.geometry.origin + rng.uniform(0, 5, (20, 3))
    assert numpy.array_equal(again.sample(points), source.sample(points))
    one, other = (
        source.resample(size=(5, 5, 5), spacing=1.5),
        again.resample(size=(5, 5, 5), spacing=1.5),
    )
    assert (
        isinstance(other, cudaspline.Image)
        and other.geometry == one.geometry
        and numpy.array_equal(other.array, one.array)
    )
    with pytest.raises(ValueError, match="boundary"):
        again.sample(points, boundary="grid-wrap")
    assert pickle.loads(pickle.dumps(again)).zoom(2).shape == source.zoom(2).shape == (12, 14, 16)


def test_sources_of_pixels_of_several_numbers_are_pickled(rng):
    array = rng.normal(size=(6, 7, 8, 3))
    source = cudaspline.Source(array, channels=True, device="cpu")
    again = pickle.loads(pickle.dumps(source))
    assert numpy.array_equal(
        again.resample(size=(5, 5, 5), spacing=1.5), source.resample(size=(5, 5, 5), spacing=1.5)
    )


def test_sources_that_are_packed_are_not_pickled(rng):
    source = cudaspline.Source(
        rng.normal(size=(6, 7, 8)).astype("f4"), storage="half", device="cpu"
    )
    with pytest.raises(TypeError, match="half"):
        pickle.dumps(source)


def test_sizes_that_are_shapes():
    reference = cudaspline.Image(numpy.zeros((3, 4, 5)))
    with pytest.raises(ValueError, match=r"size: \(3, 4, 5\).*\(5, 4, 3\)"):
        cudaspline.resample(reference, None, reference, size=reference.shape)
    assert cudaspline.resample(reference, None, reference, size=(5, 4, 3)).shape == (3, 4, 5)


THREADS = """
import os, sys
import numpy
import cudaspline
from cudaspline import ndimage
array = numpy.random.default_rng().random((64, 64, 64))
threads = int(sys.argv[1])
before = len(os.listdir("/proc/self/task"))
ndimage.zoom(array, 1.5, **({} if threads == 0 else {"threads": threads}))
cudaspline.resample(array, device="cpu", threads=threads)
print(len(os.listdir("/proc/self/task")) - before + 1)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted by /proc")
@pytest.mark.parametrize(
    "environment, argument, expected",
    (
        ({"CUDASPLINE_THREADS": "3"}, 0, 3),
        ({"OMP_NUM_THREADS": "4"}, 0, 4),
        ({"OMP_NUM_THREADS": "4", "CUDASPLINE_THREADS": "1"}, 0, 1),
        ({"CUDASPLINE_THREADS": "5"}, 2, 2),
    ),
)
def test_threads_are_as_many_as_the_environment_says(environment, argument, expected):
    base = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CUDASPLINE_THREADS", "OMP_NUM_THREADS")
    }
    # NumPy's own threads are not counted.
    done = subprocess.run(
        [sys.executable, "-c", THREADS, str(argument)],
        capture_output=True, text=True, check=True, env={**base, "OPENBLAS_NUM_THREADS": "1", **environment},
    )  # fmt: skip
    assert int(done.stdout) == expected


WORKERS = """
import functools, json, multiprocessing, os, sys
import cudaspline, numpy

def count(*_):
    before = len(os.listdir("/proc/self/task"))
    cudaspline.resample(numpy.random.default_rng().random((64, 64, 64)), device="cpu")
    return len(os.listdir("/proc/self/task")) - before + 1

def start(threads, _):
    if threads:
        __import__("torch").set_num_threads(threads)

def run(kind, threads):
    if kind == "multiprocessing":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            return pool.map(count, range(4))
    if kind == "joblib":
        from joblib import Parallel, delayed, externals
        found = Parallel(n_jobs=2, backend="loky")(delayed(count)(number) for number in range(4))
        externals.loky.get_reusable_executor().shutdown()
        return found
    from torch.utils import data
    class Counts(data.Dataset):
        __getitem__, __len__ = count, lambda self: 4
    return list(data.DataLoader(Counts(), num_workers=2, batch_size=None, worker_init_fn=functools.partial(start, threads)))

if __name__ == "__main__":
    kind, cases = json.loads(sys.argv[1])
    for environment, threads in cases:
        os.environ.update(environment)
        print(max(run(kind, threads)))  # what is started once, stays: a later call starts none
        for name in environment:
            del os.environ[name]
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted by /proc")
@pytest.mark.parametrize(
    "kind, cases",
    (
        ("multiprocessing", (({}, 0, 1), ({"OMP_NUM_THREADS": "3"}, 0, 3))),
        # As PyTorch has it in its workers, and as their worker_init_fn tells it.
        ("torch", (({}, 0, 1), ({}, 3, 3), ({"CUDASPLINE_THREADS": "2"}, 3, 2))),
        ("joblib", (({}, 0, None), ({"OMP_NUM_THREADS": "3"}, 0, 3))),
    ),
)
def test_workers_take_no_more_threads_than_are_their_share(tmp_path, kind, cases):
    pytest.importorskip(kind)
    path = tmp_path / "workers.py"
    path.write_text(WORKERS)
    base = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CUDASPLINE_THREADS", "OMP_NUM_THREADS")
    }
    given = json.dumps((kind, [case[:2] for case in cases]))
    done = subprocess.run(
        [sys.executable, str(path), given],
        capture_output=True,
        text=True,
        check=False,
        env={**base, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    for found, (*_, wanted) in zip(map(int, done.stdout.split()), cases):
        if wanted is None:  # joblib divides the processors that it finds
            assert found <= max(1, len(os.sched_getaffinity(0)) // 2)
        else:
            assert found == wanted


def test_threads_of_all_calls():
    """use_threads() applies to calls without threads=, nested and in this thread only; it is the
    number that the library gets."""
    asked = []

    def ask(threads=0):
        asked.append(_library.Call(threads=threads).execution.threads)

    with cudaspline.use_threads(3):
        ask()
        ask(2)
        with cudaspline.use_threads(0):
            ask()
        with pytest.raises(ValueError, match="threads: -1"):
            with cudaspline.use_threads(-1):
                pass
        other = threading.Thread(target=ask)
        other.start()
        other.join()
        ask()
    ask()
    assert asked == [3, 2, 0, 0, 3, 0]
    for wrong in (2.5, True, "2"):
        with pytest.raises(TypeError, match="threads: "):
            with cudaspline.use_threads(wrong):
                pass


def test_a_wrong_number_of_threads_is_named(monkeypatch):
    monkeypatch.setenv("CUDASPLINE_THREADS", "many")
    with pytest.raises(ValueError, match="CUDASPLINE_THREADS is 'many'"):
        cudaspline.resample(numpy.zeros((4, 5)), device="cpu")
