"""Calls that are alike on a GPU: those that are done by plans have the bits of those that are not,
in the stream that is current in each call."""

import gc

import numpy
import pytest

import cudaspline
from cudaspline import ndimage

pytestmark = pytest.mark.gpu

MATRIX = numpy.array([[0.9, 0.1, 0.0, 0.5], [-0.1, 0.95, 0.05, -0.25], [0.0, 0.02, 1.0, 0.125]])
SHAPE = (30, 28, 32)


class Cupy:
    """CuPy, as these tests use a library."""

    def __init__(self):
        self.module = pytest.importorskip("cupy")
        self.streams = [self.module.cuda.Stream(non_blocking=True) for _ in range(3)]

    def put(self, array):
        return self.module.asarray(array)

    def get(self, array):
        return self.module.asnumpy(array)

    def within(self, stream):
        return stream

    def synchronize(self):
        self.module.cuda.Device().synchronize()

    def memory(self):
        return self.module.get_default_memory_pool().used_bytes()


class Torch:
    """PyTorch."""

    def __init__(self):
        self.module = pytest.importorskip("torch")
        if not self.module.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")
        self.streams = [self.module.cuda.Stream() for _ in range(3)]

    def put(self, array):
        return self.module.as_tensor(array, device="cuda")

    def get(self, array):
        return array.cpu().numpy()

    def within(self, stream):
        return self.module.cuda.stream(stream)

    def synchronize(self):
        self.module.cuda.synchronize()

    def memory(self):
        return self.module.cuda.memory_allocated()


@pytest.fixture(params=[Cupy, Torch], ids=lambda library: library.__name__)
def library(request):
    return request.param()


def planned(function):
    return function


def unplanned(function):
    """What a function does without plans."""
    return function.__wrapped__


def calls(library, rng):
    """Functions of an array, of which each is to have a plan."""
    points = library.put(rng.uniform(-1, 30, (40, 3)).astype("f4"))
    places = library.put(rng.uniform(-1, 30, (3, 5, 8)))
    field = library.put(rng.uniform(-0.3, 0.3, (*SHAPE, 3)))
    return [
        lambda image, of: of(cudaspline.resample)(image, order=3),
        lambda image, of: of(cudaspline.resample)(image, MATRIX, order=1, default=3),
        lambda image, of: of(cudaspline.resample)(
            image, MATRIX.tolist(), interpolation="nearest", size=(20, 21, 22), smooth=False
        ),
        lambda image, of: of(cudaspline.resample)(
            image, cudaspline.DisplacementField(field), order=2
        ),
        lambda image, of: of(cudaspline.zoom)(image, 1.5, order=3),
        lambda image, of: of(cudaspline.sample)(image, points, order=3),
        lambda image, of: of(cudaspline.sample)(image, points, order=1, gradient=True)[1],
        lambda image, of: of(ndimage.map_coordinates)(image, places, order=3),
        lambda image, of: of(ndimage.affine_transform)(image, MATRIX, order=1, mode="nearest"),
        lambda image, of: of(ndimage.shift)(image, 0.25, order=3),
        lambda image, of: of(ndimage.zoom)(image, 1.25, order=1),
        lambda image, of: of(ndimage.rotate)(image, 20, (0, 1)),
        lambda image, of: of(ndimage.spline_filter)(image, 3, "float32"),
    ]


def test_bits(library, rng):
    images = [library.put(rng.normal(size=SHAPE).astype("f4")) for _ in range(2)]
    for number, call in enumerate(calls(library, rng)):
        for image in images:
            wanted = library.get(call(image, unplanned))
            assert all(
                numpy.array_equal(library.get(call(image, planned)), wanted, equal_nan=True)
                for _ in range(3)
            ), number
            assert cudaspline.last_report().backend == "Cuda"


def test_sources(library, rng):
    image = library.put(rng.normal(size=SHAPE).astype("f4"))
    points = library.put(rng.uniform(-1, 30, (40, 3)))
    source = cudaspline.Source(image)
    for call, again in (
        (lambda: source.resample(MATRIX), lambda: unplanned(cudaspline.resample)(source, MATRIX)),
        (lambda: source.sample(points), lambda: unplanned(cudaspline.sample)(source, points)),
    ):
        wanted = library.get(again())
        assert all(numpy.array_equal(library.get(call()), wanted) for _ in range(3))


def test_streams(library, rng):
    """An image that is still to be written in the stream of a call, which is another one in each
    call."""
    first, then = (library.put(rng.normal(size=SHAPE).astype("f4")) for _ in range(2))
    work = library.put(numpy.ones((2000, 2000), "f4"))
    for number, call in enumerate(calls(library, rng)):
        wanted = library.get(call(then, unplanned))
        call(first, planned)
        library.synchronize()
        for stream in library.streams:
            image = library.put(library.get(first))
            library.synchronize()
            with library.within(stream):
                made = work
                for _ in range(20):
                    made = made @ work
                image[...] = then  # after work that takes a while
                found = call(image, planned)
                copy = found + 0
            library.synchronize()
            assert numpy.array_equal(library.get(copy), wanted, equal_nan=True), number


def test_nothing_is_kept(library, rng):
    given = calls(library, rng)
    image = library.put(rng.normal(size=SHAPE).astype("f4"))
    for call in given:
        call(image, planned)
    library.synchronize()
    gc.collect()
    before = library.memory()
    for _ in range(3):
        image = library.put(rng.normal(size=SHAPE).astype("f4"))
        for call in given:
            call(image, planned)
    library.synchronize()
    gc.collect()
    assert library.memory() <= before
