"""Arrays on a GPU: they stay there, in order on the caller's stream, and have the host's results to
rounding.

Tolerance between the backends: the same operations in the same order except for fused
multiplications and additions (doc/Accuracy.md); in float32 some 6^3 products of coefficients of up
to 27 with weights that sum up to 1: 1e-5 is ten times a rounding of them.
"""

import gc
import subprocess
import sys
import threading

import numpy
import pytest

import cudaspline
from conftest import difference
from cudaspline import ndimage

pytestmark = pytest.mark.gpu
MATRIX = numpy.array([[0.9, 0.1, 0, 0.4], [-0.1, 0.9, 0.05, 1], [0, 0, 1, -0.3], [0, 0, 0, 1]])
NEAR = 1e-5


class Cupy:
    """CuPy, as these tests use a library."""

    def __init__(self):
        self.module = pytest.importorskip("cupy")

    def put(self, array):
        return self.module.asarray(array)

    def get(self, array):
        assert isinstance(array, self.module.ndarray)
        return array.get()

    def on_device(self, array):
        return isinstance(array, self.module.ndarray)


class Torch:
    """PyTorch."""

    def __init__(self):
        self.module = pytest.importorskip("torch")
        if not self.module.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")

    def put(self, array):
        return self.module.as_tensor(array, device="cuda")

    def get(self, array):
        return array.cpu().numpy()

    def on_device(self, array):
        return isinstance(array, self.module.Tensor) and array.is_cuda


class Jax:
    """JAX."""

    def __init__(self):
        self.module = pytest.importorskip("jax")
        try:
            self.device = self.module.devices("gpu")[0]
        except RuntimeError:
            pytest.skip("JAX finds no GPU")

    def put(self, array):
        return self.module.device_put(array, self.device)

    def get(self, array):
        return numpy.asarray(array)

    def on_device(self, array):
        return isinstance(array, self.module.Array) and array.devices() == {self.device}


@pytest.fixture(params=[Cupy, Torch, Jax], ids=["cupy", "torch", "jax"])
def library(request):
    return request.param()


def on_cuda():
    report = cudaspline.last_report()
    return report.backend == "Cuda" and report.reason == ""


@pytest.mark.parametrize(
    "kind", ["nearest", "linear", "bspline", "catmull-rom", "mitchell", "sinc", "label"]
)
def test_resample(rng, library, kind):
    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    image = (image * 5).astype("i2") if kind == "label" else image
    found = cudaspline.resample(library.put(image), MATRIX, interpolation=kind, default=-7)
    assert on_cuda() and library.on_device(found)
    wanted = cudaspline.resample(image, MATRIX, interpolation=kind, default=-7, device="cpu")
    if kind in ("nearest", "label"):
        assert (library.get(found) != wanted).mean() < 1e-3
    else:
        assert difference(library.get(found), wanted) < NEAR


@pytest.mark.parametrize("shape", [(70,), (30, 40), (20, 30, 40)])
def test_dimensions_and_options(rng, library, shape):
    image = rng.uniform(-1, 1, shape).astype("f4")
    n = len(shape)
    given = library.put(image)
    for options in (
        dict(order=5), dict(order=2, boundary="reflect"), dict(order=3, mode="texture"), dict(order=3, mode="texture-table"), dict(storage="half"),
        dict(extrapolate=True, transform=numpy.eye(n) * 1.1), dict(prefilter="fir", taps=21), dict(precision="float64"), dict(dtype="float64"),
        dict(dtype="int16", interpolation="linear"), dict(size=(33,) * n, spacing=0.8, origin=-1.5),
    ):  # fmt: skip
        if library.__class__ is Jax and options.get("dtype") == "float64":
            continue  # not without jax_enable_x64
        found = cudaspline.resample(given, **options)
        assert on_cuda() and library.on_device(found)
        wanted = cudaspline.resample(image, device="cpu", **options)
        # What is cut off to an integer may fall to either side; the texture's weights are the
        # hardware's.
        near = (
            1
            if "dtype" in options and options["dtype"] == "int16"
            else (6e-2 if "mode" in options or "storage" in options else NEAR)
        )
        assert difference(library.get(found), wanted) <= near, options


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32"])
def test_types(rng, library, dtype):
    image = rng.integers(0, 200, (10, 20, 30)).astype(dtype)
    found = library.get(cudaspline.resample(library.put(image), MATRIX))
    assert on_cuda() and found.dtype == dtype
    wanted = cudaspline.resample(image, MATRIX, device="cpu")
    assert (found != wanted).mean() < 1e-2 and difference(found, wanted) <= 1


def test_channels(rng, library):
    image = rng.uniform(-1, 1, (10, 20, 30, 3)).astype("f4")
    given = library.put(image)
    found = cudaspline.resample(given, MATRIX, channels=True, default=[1, 2, 3])
    assert on_cuda()
    assert (
        difference(
            library.get(found),
            cudaspline.resample(image, MATRIX, channels=True, default=[1, 2, 3], device="cpu"),
        )
        < NEAR
    )
    found = cudaspline.prefilter(given, channels=True)
    assert on_cuda()
    assert (
        difference(library.get(found), cudaspline.prefilter(image, channels=True, device="cpu"))
        < NEAR
    )
    points = rng.uniform(1, 9, (100, 3)).astype("f4")
    found = cudaspline.sample(given, library.put(points), channels=True)
    assert (
        difference(
            library.get(found), cudaspline.sample(image, points, channels=True, device="cpu")
        )
        < NEAR
    )


@pytest.mark.parametrize("boundary", ["mirror", "reflect", "grid-wrap"])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_prefilter(rng, library, order, boundary):
    image = rng.uniform(-1, 1, (20, 70, 90)).astype("f4")
    given = library.put(image)
    for axis in (None, 0, 1, 2):
        found = cudaspline.prefilter(given, order, boundary=boundary, axis=axis)
        assert on_cuda() and library.on_device(found)
        wanted = cudaspline.prefilter(image, order, boundary=boundary, axis=axis, device="cpu")
        assert (
            difference(library.get(found), wanted) < 1e-7 * 8 ** (1 if axis is not None else 3) * 30
        )
    assert numpy.array_equal(library.get(given), image)  # it was only read


def test_transforms_on_the_device(rng, library):
    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    vectors = rng.uniform(-2, 2, (5, 6, 7, 3)).astype("f4")
    coefficients = rng.uniform(-2, 2, (3, 7, 8, 9))

    def chain(field, grid):
        return [
            cudaspline.DisplacementField(field, spacing=(6, 5, 4)), MATRIX, cudaspline.BSplineGrid(grid, spacing=(6, 5, 4), origin=-4),
        ]  # fmt: skip

    wanted = cudaspline.resample(image, chain(vectors, coefficients), device="cpu")
    given = library.put(image)
    grid = (
        coefficients if isinstance(library, Jax) else library.put(coefficients)
    )  # JAX would make it float32
    for transform in (chain(vectors, coefficients), chain(library.put(vectors), grid)):
        found = cudaspline.resample(given, transform)
        assert on_cuda()
        assert difference(library.get(found), wanted) < 10 * NEAR


def test_sample(rng, library):
    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    points = rng.uniform(-2, 22, (1000, 3)).astype("f4")
    given, at = library.put(image), library.put(points)
    found = cudaspline.sample(given, at, gradient=True, hessian=True, inside=True)
    assert on_cuda()
    wanted = cudaspline.sample(
        image, points, gradient=True, hessian=True, inside=True, device="cpu"
    )
    for f, w in zip(found, wanted):
        assert library.on_device(f) and difference(library.get(f), w) < 10 * NEAR
    source = cudaspline.Source(given, order=3)
    assert source.device >= 0
    assert difference(library.get(cudaspline.sample(source, at)), wanted[0]) < NEAR
    with pytest.raises(ValueError, match="points"):
        cudaspline.sample(image, at, device="cpu")
    with pytest.raises(ValueError, match="points"):
        cudaspline.sample(given, points)


def test_host_images_on_the_device(rng):
    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    found = cudaspline.resample(image, MATRIX, device="gpu")
    assert on_cuda() and isinstance(found, numpy.ndarray)
    assert difference(found, cudaspline.resample(image, MATRIX, device="cpu")) < NEAR
    source = cudaspline.Source(image, device="gpu")
    assert source.device >= 0
    points = rng.uniform(1, 9, (100, 3))
    assert (
        difference(
            cudaspline.sample(source, points), cudaspline.sample(image, points, device="cpu")
        )
        < NEAR
    )
    pieces = cudaspline.resample(
        rng.uniform(-1, 1, (180, 96, 96)).astype("f4"),
        MATRIX,
        order=3,
        device="gpu",
        memory_limit=9 << 20,
    )
    assert on_cuda() and cudaspline.last_report().pieces > 1 and numpy.isfinite(pieces).all()


def test_out(rng):
    cupy = pytest.importorskip("cupy")
    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    given = cupy.asarray(image)
    out = cupy.zeros((5, 4, 3), "f4")
    assert cudaspline.resample(given, size=(3, 4, 5), origin=(0, 0, 0), out=out) is out
    assert difference(out.get(), image[:5, :4, :3]) < NEAR
    with pytest.raises(ValueError, match="out"):
        cudaspline.resample(given, out=numpy.empty_like(image))
    with pytest.raises(ValueError, match="device"):
        cudaspline.resample(given, device="cpu")


@pytest.fixture
def busy():
    """Makes a stream busy for some 30 ms, the default one where none is named: later work in that
    stream waits for it."""
    cupy = pytest.importorskip("cupy")
    spin = cupy.RawKernel(
        'extern "C" __global__ void spin(long long clocks) { long long begin = clock64(); while (clock64() - begin < clocks) {} }',
        "spin",
    )
    spin((1,), (1,), (1,))  # it is compiled
    cupy.cuda.Device().synchronize()

    def start(stream=cupy.cuda.Stream.null):
        with stream:
            spin((1,), (1,), (50_000_000,))

    return start


@pytest.mark.parametrize(
    "interpolation", ["bspline", "linear", "nearest"]
)  # filtered, and read where they are
def test_work_follows_the_current_stream(rng, busy, interpolation):
    """What is written in a stream before a call is what the call reads, however long that takes."""
    cupy = pytest.importorskip("cupy")
    image = rng.uniform(-1, 1, (64, 64, 64)).astype("f4")
    wanted = cudaspline.resample(image, MATRIX, interpolation=interpolation, device="cpu")
    points = rng.uniform(1, 60, (1000, 3)).astype("f4")
    values = cudaspline.sample(image, points, device="cpu")
    ready, at = cupy.asarray(image), cupy.asarray(points)
    for _ in range(5):
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            late = cupy.zeros_like(ready)
            late_points = cupy.zeros_like(at)
            busy(stream)
            late[:] = ready
            late_points[:] = at
            found = cudaspline.resample(late, MATRIX, interpolation=interpolation)
            late[:] = 0  # after the call: it has been read
            if interpolation == "nearest":
                assert (found.get(stream=stream) != wanted).mean() < 1e-3
            else:
                assert difference(found.get(stream=stream), wanted) < NEAR
            late[:] = ready
            sampled = cudaspline.sample(late, late_points)
            late[:] = 0
            assert difference(sampled.get(stream=stream), values) < NEAR


@pytest.mark.parametrize(
    "call",
    [
        lambda image, points, source: cudaspline.resample(image, MATRIX),
        lambda image, points, source: source.resample(MATRIX),
        lambda image, points, source: cudaspline.zoom(image, 1.25),
        lambda image, points, source: cudaspline.sample(image, points),
        lambda image, points, source: source.sample(points),
        lambda image, points, source: cudaspline.prefilter(image),
        lambda image, points, source: ndimage.affine_transform(image, numpy.eye(3) + 0.01),
        lambda image, points, source: ndimage.zoom(image, 1.25),
    ],
    ids=[
        "resample",
        "Source.resample",
        "zoom",
        "sample",
        "Source.sample",
        "prefilter",
        "affine_transform",
        "ndimage.zoom",
    ],
)
def test_calls_return_before_their_work(rng, busy, call):
    """Their inputs may be released at once: the memory is reused only after them."""
    cupy = pytest.importorskip("cupy")
    image, points = (
        rng.uniform(-1, 1, (64, 64, 64)).astype("f4"),
        rng.uniform(1, 60, (1000, 3)).astype("f4"),
    )
    wanted = call(
        cupy.asarray(image), cupy.asarray(points), cudaspline.Source(cupy.asarray(image))
    ).get()
    for _ in range(3):  # a plan is made for the second of calls that are alike
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            given, at = cupy.asarray(image), cupy.asarray(points)
            source = cudaspline.Source(given)
            busy(stream)
            found = call(given, at, source)
            assert not stream.done
            del given, at
            noise = [cupy.ones((64, 64, 64), "f4"), cupy.ones((1000, 3), "f4")]
            del source
            gc.collect()
            assert numpy.array_equal(found.get(stream=stream), wanted)
            del noise


@pytest.mark.parametrize("interpolation", ["bspline", "linear"])
def test_work_follows_the_current_stream_of_torch(rng, interpolation):
    torch = Torch().module
    image = rng.uniform(-1, 1, (64, 64, 64)).astype("f4")
    wanted = cudaspline.resample(image, MATRIX, interpolation=interpolation, device="cpu")
    ready = torch.as_tensor(image, device="cuda")
    torch.cuda.synchronize()
    for _ in range(5):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            late = torch.zeros_like(ready)
            torch.cuda._sleep(50_000_000)
            late.copy_(ready)
            found = cudaspline.resample(late, MATRIX, interpolation=interpolation)
            late.zero_()
        stream.synchronize()
        assert difference(found.cpu().numpy(), wanted) < NEAR


@pytest.mark.parametrize(
    "interpolation", ["bspline", "linear"]
)  # filtered, and read where they are
def test_results_are_there_for_jax(rng, busy, interpolation):
    """JAX's streams wait for no other: what a call returns is complete, and what it has read may be
    overwritten."""
    library = Jax()
    jax = library.module
    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    points = rng.uniform(1, 18, (1000, 3)).astype("f4")
    derivatives = interpolation == "bspline"
    options = dict(
        interpolation=interpolation, gradient=derivatives, hessian=derivatives, inside=True
    )
    moved = cudaspline.resample(image, MATRIX, interpolation=interpolation, device="cpu")
    values = cudaspline.sample(image, points, **options, device="cpu")
    given = library.put(image)
    source = cudaspline.Source(given, interpolation=interpolation)
    for one in (source, given):
        busy()
        assert (
            difference(
                library.get(cudaspline.resample(one, MATRIX, interpolation=interpolation)), moved
            )
            < NEAR
        )
        at = library.put(points)
        busy()
        found = cudaspline.sample(one, at, **options)
        at.delete()
        noise = jax.block_until_ready(
            [jax.numpy.full(points.shape, 1e6, "f4", device=library.device) for _ in range(20)]
        )
        for f, wanted in zip(found, values):
            assert difference(library.get(f), wanted) < 10 * NEAR
        del noise
    pixels = rng.uniform(-1, 1, (10, 20, 30, 3)).astype("f4")
    wanted = cudaspline.sample(pixels, points / 2, channels=True, device="cpu")
    given, at = library.put(pixels), library.put(points / 2)
    busy()
    assert difference(library.get(cudaspline.sample(given, at, channels=True)), wanted) < NEAR


def test_sources_keep_arrays_alive(rng):
    cupy = pytest.importorskip("cupy")
    image = rng.uniform(-1, 1, (64, 64, 64)).astype("f4")
    points = cupy.asarray(rng.uniform(1, 60, (1000, 3)).astype("f4"))
    wanted = cudaspline.sample(image, points.get(), interpolation="linear", device="cpu")
    given = cupy.asarray(image)
    source = cudaspline.Source(given, interpolation="linear")
    given[:] = 0  # it was copied
    del given
    gc.collect()
    noise = [cupy.zeros((64, 64, 64), "f4") for _ in range(8)]
    assert difference(cudaspline.sample(source, points).get(), wanted) < NEAR
    del noise


def test_outputs_that_overlap(rng):
    """The image, or a field, has elements of the output: what is read is what was there before."""
    image = rng.uniform(-1, 1, (20, 20, 20)).astype("f4")
    size = image.size
    vectors = rng.uniform(-2, 2, (20, 20, 20, 3)).astype("f4")
    for library in (Cupy, Torch):
        try:
            library = library()
        except pytest.skip.Exception:
            continue
        for kind in ("bspline", "linear"):
            wanted = library.get(
                cudaspline.resample(library.put(image), MATRIX, interpolation=kind)
            )
            filtered = library.get(cudaspline.prefilter(library.put(image)))
            moved = library.get(
                cudaspline.resample(
                    library.put(image),
                    cudaspline.DisplacementField(library.put(vectors)),
                    interpolation=kind,
                )
            )
            for offset in (0, 100, size - 1):
                for work, expected in (
                    (
                        lambda given, out: cudaspline.resample(
                            given, MATRIX, interpolation=kind, out=out
                        ),
                        wanted,
                    ),  # noqa: B023
                    (lambda given, out: cudaspline.prefilter(given, out=out), filtered),
                ):
                    memory = library.put(
                        numpy.concatenate([image.ravel(), numpy.zeros(size, "f4")])
                    )
                    given, out = (
                        memory[:size].reshape(image.shape),
                        memory[offset : offset + size].reshape(image.shape),
                    )
                    assert work(given, out) is out
                    assert numpy.array_equal(library.get(out), expected)
            memory = library.put(vectors)
            out = memory.reshape(-1)[500 : 500 + size].reshape(image.shape)
            cudaspline.resample(
                library.put(image),
                cudaspline.DisplacementField(memory),
                interpolation=kind,
                out=out,
            )
            assert numpy.array_equal(library.get(out), moved)


def test_many_calls_of_small_arrays(rng):
    """One after the other, and alternating in two streams: streams and memory of one call are those
    of the next."""
    cupy = pytest.importorskip("cupy")
    images = [rng.uniform(-1, 1, (n, n + 1, n + 2)).astype("f4") for n in (5, 9, 14)]
    wanted = [cudaspline.resample(image, MATRIX, device="cpu") for image in images]
    given = [cupy.asarray(image) for image in images]
    cupy.cuda.Device().synchronize()
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    for i in range(300):
        with streams[i % 2] as stream:
            found = cudaspline.resample(given[i % 3], MATRIX)
            assert difference(found.get(stream=stream), wanted[i % 3]) < NEAR


def test_8_threads_and_streams(rng):
    cupy = pytest.importorskip("cupy")
    images = [rng.uniform(-1, 1, (30, 40, 50)).astype("f4") for _ in range(8)]
    wanted = [cudaspline.resample(image, MATRIX, device="cpu") for image in images]
    failures = []

    def work(number):
        try:
            with cupy.cuda.Stream(non_blocking=True) as stream:
                for _ in range(10):
                    found = cudaspline.resample(cupy.asarray(images[number]), MATRIX)
                    assert difference(found.get(stream=stream), wanted[number]) < NEAR
        except BaseException as error:  # pylint: disable=broad-except
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_numba_like_arrays(rng):
    """Arrays that show __cuda_array_interface__ and nothing else."""
    cupy = pytest.importorskip("cupy")

    class Foreign:
        def __init__(self, array):
            self.array = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    image = rng.uniform(-1, 1, (20, 30, 40)).astype("f4")
    found = cudaspline.resample(Foreign(cupy.asarray(image)), MATRIX)
    assert on_cuda() and isinstance(found, cupy.ndarray)
    assert difference(found.get(), cudaspline.resample(image, MATRIX, device="cpu")) < NEAR


FORK = """
import os
import cupy, numpy, cudaspline
image = numpy.random.default_rng().random((20, 24, 28))
source = cudaspline.Source(cupy.asarray(image))  # nothing else has asked for a device
child = os.fork()
if child == 0:
    code = 1
    try:
        found = cudaspline.resample(image)
        told = cudaspline.last_report()
        same = numpy.array_equal(found, cudaspline.resample(image, device="cpu"))
        code = 0 if same and told.backend == "Cpu" and "forked" in told.reason else 2
        del source
    finally:
        os._exit(code)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert float(cudaspline.sample(source, cupy.zeros((1, 3)))[0]) != 0.0, "the parent continues"
"""


def test_a_child_of_one_that_only_had_arrays_of_a_device_uses_the_host():
    pytest.importorskip("cupy")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
