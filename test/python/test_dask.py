"""cudaspline.dask: arrays by chunks against the whole, bit for bit."""

import pickle

import numpy
import pytest

import cudaspline
from cudaspline.transforms import _transforms

pytest.importorskip("dask.array", reason="Dask is not installed")
import dask  # noqa: E402
import dask.array  # noqa: E402

import cudaspline.dask  # noqa: E402


@pytest.fixture(autouse=True)
def one_thread():
    """Chunks of tests are small: threads would cost more than they give."""
    with dask.config.set(scheduler="synchronous"):
        yield


def random_chunks(rng, shape, most=4):
    """Chunks of any lengths, by axis."""
    chunks = []
    for n in shape:
        cuts = numpy.unique(rng.integers(1, n, rng.integers(0, most))) if n > 1 else numpy.array([], int)
        chunks.append(tuple(int(c) for c in numpy.diff([0, *cuts, n])))
    return tuple(chunks)


def random_array(rng, shape, dtype):
    return rng.uniform(-1000, 1000, shape).astype(dtype)


def same(found, wanted):
    """Equal to the bit, of the same type and shape."""
    assert isinstance(found, dask.array.Array)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    found = found.compute()
    return found.shape == wanted.shape and found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()


SHAPES = [(1,), (500,), (45, 301), (3, 7), (10, 70, 150)]


@pytest.mark.parametrize("boundary", ["mirror", "reflect", "grid-wrap"])
@pytest.mark.parametrize("order", range(6))
def test_coefficients_are_those_of_the_whole(rng, order, boundary):
    for shape in SHAPES:
        dtype = rng.choice(["float32", "float64", "int16"])
        array = random_array(rng, shape, dtype)
        chunked = dask.array.from_array(array, chunks=random_chunks(rng, shape, 3))
        found = cudaspline.dask.prefilter(chunked, order, boundary=boundary, device="cpu")
        assert found.chunks == chunked.chunks
        assert same(found, cudaspline.prefilter(array, order, boundary=boundary, device="cpu"))


@pytest.mark.parametrize(
    "options",
    [
        dict(method="itk"),
        dict(method="fir", taps=27),
        dict(axis=0),
        dict(axis=-1, boundary="grid-wrap"),
        dict(dtype="float64"),
        dict(boundary=("grid-wrap", "mirror", "reflect")),
    ],
)
def test_coefficients_by_option(rng, options):
    array = random_array(rng, (60, 90, 100), "float32")
    chunked = dask.array.from_array(array, chunks=random_chunks(rng, array.shape, 3))
    assert same(cudaspline.dask.prefilter(chunked, device="cpu", **options), cudaspline.prefilter(array, device="cpu", **options))


def test_coefficients_of_components_of_four_axes_and_of_images(rng):
    array = random_array(rng, (40, 130, 3), "float32")
    chunked = dask.array.from_array(array, chunks=(17, 50, 2))
    assert same(cudaspline.dask.prefilter(chunked, channels=True, device="cpu"), cudaspline.prefilter(array, channels=True, device="cpu"))
    array = random_array(rng, (3, 5, 40, 70), "float64")
    chunked = dask.array.from_array(array, chunks=(2, 5, 11, 33))
    assert same(cudaspline.dask.prefilter(chunked, device="cpu"), cudaspline.prefilter(array, device="cpu"))
    image = cudaspline.dask.prefilter(cudaspline.Image(chunked, spacing=(1, 2, 3, 4)), device="cpu")
    assert isinstance(image, cudaspline.Image) and image.spacing.tolist() == [1, 2, 3, 4]


def test_a_chunk_reads_its_halo_and_no_more():
    # Of float32 and order 3 the warm-up is 13 samples. Chunks are filtered together up to 160 samples: coefficient 250 with those from 160 to
    # 319, which need 147 to 332, from a multiple of 32 on.
    read = []

    def block(block_info=None):
        (first, last) = block_info[None]["array-location"][0]
        read.append((first, last))
        return numpy.zeros(last - first, "f4")

    line = dask.array.map_blocks(block, chunks=((1,) * 500,), dtype="f4", meta=numpy.empty(0, "f4"))
    cudaspline.dask.prefilter(line, device="cpu").blocks[250].compute()
    assert sorted(read) == [(i, i + 1) for i in range(128, 333)]
    read.clear()
    dask.array.concatenate([cudaspline.dask.prefilter(line, device="cpu")]).compute()
    assert len(read) == len(set(read)) == 500  # once each


def test_neighbours_are_filtered_together(rng, monkeypatch):
    """Of chunks of 50 samples windows of 160 would overlap by two thirds."""
    from cudaspline.dask import _arrays

    filtered = []
    original = _arrays._evaluate
    monkeypatch.setattr(_arrays, "_evaluate", lambda window, *others: (filtered.append(window.size), original(window, *others))[1])
    array = random_array(rng, (150, 150, 150), "float32")
    transform = turned(rng, 3, (150, 150, 150))
    found = cudaspline.dask.resample(dask.array.from_array(array, chunks=50), transform, order=3, device="cpu")
    assert found.chunks == ((50,) * 3,) * 3
    assert same(found, cudaspline.resample(array, transform, order=3, device="cpu"))
    assert sum(filtered) <= 1.2 * array.size


def test_each_chunk_is_read_and_filtered_once(rng, monkeypatch):
    """Small chunks share blocks of coefficients of 256 samples: two along x, which overlap by the warm-up."""
    from cudaspline.dask import _arrays

    filtered, read = [], []
    original = _arrays._filter
    monkeypatch.setattr(_arrays, "_filter", lambda window, *others: (filtered.append(window.size), original(window, *others))[1])
    array = random_array(rng, (50, 50, 400), "float32")

    def block(block_info=None):
        read.append(block_info[None]["chunk-location"])
        return array[tuple(slice(*ends) for ends in block_info[None]["array-location"])]

    counts = tuple((25,) * (n // 25) for n in array.shape)
    chunked = dask.array.map_blocks(block, chunks=counts, dtype="f4", meta=numpy.empty((0, 0, 0), "f4"))
    transform = turned(rng, 3, (400, 50, 50))
    assert same(cudaspline.dask.resample(chunked, transform, order=3, device="cpu"), cudaspline.resample(array, transform, order=3, device="cpu"))
    assert len(read) == len(set(read)) == 2 * 2 * 16
    assert len(filtered) == 2 and sum(filtered) <= 1.2 * array.size


def turned(rng, dimension, size):
    """A linear map that keeps much of an image of that size in view."""
    matrix = numpy.eye(dimension) + rng.uniform(-0.2, 0.2, (dimension, dimension))
    middle = (numpy.array(size) - 1) / 2
    return numpy.hstack([matrix, (middle - matrix @ middle + rng.uniform(-2, 2, dimension))[:, None]])


def make_transforms(rng, size):
    """Transforms of every kind of an image of that size."""
    dimension = len(size)
    affine = turned(rng, dimension, size)
    nodes = rng.integers(5, 9, dimension)
    spacing = numpy.array(size) / (nodes - 4)
    displacements = rng.uniform(-4, 4, (*nodes[::-1], dimension))
    field = cudaspline.DisplacementField(displacements, spacing)
    single = cudaspline.DisplacementField(displacements.astype("f4"), spacing, extend=True)
    grid = cudaspline.BSplineGrid(rng.uniform(-6, 6, (dimension, *nodes[::-1])), spacing, -1.5 * spacing)
    many = [turned(rng, dimension, size) * 0.1 + numpy.eye(dimension, dimension + 1) * 0.9 for _ in range(9)]  # no scanlines
    flip = numpy.hstack([-numpy.eye(dimension), numpy.array(size)[:, None] - 1.0])
    kinds = {"none": None, "affine": affine, "flip": flip, "field": field, "float32": single, "grid": grid, "many": many}
    return {**kinds, "list": [affine, field, grid]}


@pytest.mark.parametrize("kind", ["none", "affine", "flip", "field", "float32", "grid", "list", "many"])
@pytest.mark.parametrize("order", range(6))
def test_samples_are_those_of_the_whole(rng, order, kind):
    for shape in [(400,), (90, 110), (20, 45, 60)]:
        array = random_array(rng, shape, rng.choice(["float32", "float64", "int16"]))
        chunked = dask.array.from_array(array, chunks=random_chunks(rng, shape, 3))
        size = tuple(int(n) for n in rng.integers(10, 80, len(shape)))
        options = dict(
            transform=make_transforms(rng, shape[::-1])[kind],
            reference=cudaspline.Geometry(size, numpy.array(shape[::-1]) / size, rng.uniform(-3, 3, len(size)), numpy.eye(len(size))),
            order=order,
            boundary=str(rng.choice(["itk", "mirror", "reflect", "grid-wrap"])),
            extrapolate=bool(rng.integers(2)),
            default=7,
            device="cpu",
        )
        found = cudaspline.dask.resample(chunked, chunks=random_chunks(rng, size[::-1], 3), **options)
        assert same(found, cudaspline.resample(array, **options)), (shape, options)


@pytest.mark.parametrize(
    "options",
    [
        dict(interpolation="nearest"),
        dict(interpolation="linear", boundary="grid-constant", border=5.0),
        dict(interpolation="linear", boundary=("nearest", "grid-wrap", "itk")),
        dict(interpolation="catmull-rom", boundary="reflect"),
        dict(interpolation="mitchell", boundary="mirror"),
        dict(interpolation="sinc", radius=4),
        dict(interpolation="label", sigma=0.6, cutoff=1.0),
        dict(prefilter="itk"),
        dict(prefilter="fir"),
        dict(prefilter="coefficients"),
        dict(dtype="int16", precision="float64"),
    ],
)
def test_samples_by_option(rng, options):
    array = random_array(rng, (20, 40, 45), "float32")
    if options.get("interpolation") == "label":
        array = numpy.round(array / 200)
    chunked = dask.array.from_array(array, chunks=random_chunks(rng, array.shape, 3))
    for transform in (turned(rng, 3, (45, 40, 20)), make_transforms(rng, (45, 40, 20))["field"]):
        found = cudaspline.dask.resample(chunked, transform, device="cpu", **options)
        assert same(found, cudaspline.resample(array, transform, device="cpu", **options))


def test_components_and_images(rng):
    array = random_array(rng, (30, 50, 60, 3), "int16")
    chunked = dask.array.from_array(array, chunks=(13, 20, 31, 2))
    transform = turned(rng, 3, (60, 50, 30))
    options = dict(channels=True, default=[1, 2, 3], device="cpu")
    assert same(cudaspline.dask.resample(chunked, transform, **options), cudaspline.resample(array, transform, **options))
    geometry = dict(spacing=(0.5, 1, 2), origin=(3, 2, 1), direction=numpy.diag([1.0, -1, 1]), channels=True)
    reference = cudaspline.Image(dask.array.zeros((20, 20, 20), chunks=7), spacing=2)
    found = cudaspline.dask.resample(cudaspline.Image(chunked, **geometry), transform, reference, device="cpu")
    wanted = cudaspline.resample(cudaspline.Image(array, **geometry), transform, reference, device="cpu")
    assert found.geometry == wanted.geometry and found.channels
    assert same(found.array, wanted.array)


def test_a_chunk_that_is_outside_reads_nothing(rng):
    def fail(block):
        raise AssertionError("it was read")

    image = dask.array.zeros((40, 40), chunks=10).map_blocks(fail, meta=numpy.empty((0, 0)))
    found = cudaspline.dask.resample(image, [[1, 0, 500], [0, 1, 0]], default=3)
    assert (found.compute() == 3).all()
    # One that is not reads the chunks that it needs: of order 1 no prefilter, so those beside it.
    image = dask.array.map_blocks(lambda block_info=None: _only(block_info, (3, 3)), chunks=((10,) * 8,) * 2, dtype="f8", meta=numpy.empty((0, 0)))
    found = cudaspline.dask.resample(image, order=1).blocks[5, 5].compute()
    assert (found == 1).all()


def _only(block_info, least):
    """Ones, of blocks from a number on."""
    assert all(at >= low for at, low in zip(block_info[None]["chunk-location"], least))
    return numpy.ones([last - first for first, last in block_info[None]["array-location"]])


def test_transforms_travel(rng):
    stages = _transforms.describe(make_transforms(rng, (60, 50, 40))["list"], 3, -1)
    copy = pickle.loads(pickle.dumps(stages))
    assert len(copy.stages) == 3
    for a, b in zip(stages.stages, copy.stages):
        assert bytes(a.matrix) == bytes(b.matrix) and bytes(a.point_to_index) == bytes(b.point_to_index) and a.kind == b.kind
        assert bool(a.data) == bool(b.data) and (not a.data or a.data != b.data)
    assert pickle.dumps(stages) == pickle.dumps(copy)


@pytest.mark.gpu
def test_on_a_gpu_too(rng):
    array = random_array(rng, (60, 90, 110), "float32")
    chunked = dask.array.from_array(array, chunks=random_chunks(rng, array.shape, 3))
    assert same(cudaspline.dask.prefilter(chunked, device=0), cudaspline.prefilter(array, device=0))
    transforms = make_transforms(rng, array.shape[::-1])
    for kind in ("affine", "flip", "list"):
        found = cudaspline.dask.resample(chunked, transforms[kind], device=0)
        assert same(found, cudaspline.resample(array, transforms[kind], device=0))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda a: cudaspline.dask.prefilter(numpy.zeros((4, 4))), TypeError, "image"),
        (lambda a: cudaspline.dask.prefilter(a.astype(bool)), TypeError, "image"),
        (lambda a: cudaspline.dask.prefilter(a, 6), ValueError, "order"),
        (lambda a: cudaspline.dask.prefilter(a, axis=3), ValueError, "axis"),
        (lambda a: cudaspline.dask.prefilter(a[a > 1]), ValueError, "image"),
        (lambda a: cudaspline.dask.prefilter(a, dtype="int16"), ValueError, "dtype"),
        (lambda a: cudaspline.dask.resample(a, numpy.eye(5)), ValueError, "transform"),
        (lambda a: cudaspline.dask.resample(a, order=3, boundary="nearest"), ValueError, "boundary"),
        (lambda a: cudaspline.dask.resample(a, size=(3, 4)), ValueError, "size"),
        (lambda a: cudaspline.dask.resample(a, default=[1, 2]), ValueError, "default"),
        (lambda a: cudaspline.dask.resample(a, threads=2**32), ValueError, "threads"),
        (lambda a: cudaspline.dask.prefilter(a, threads="2"), TypeError, "threads"),
        (lambda a: cudaspline.dask.prefilter(a, method="fast"), ValueError, "method"),
        (lambda a: cudaspline.dask.resample(a, chunks="x"), ValueError, "chunks"),
        (lambda a: cudaspline.dask.resample(a, chunks=(2, 2)), ValueError, "chunks"),
    ],
)
def test_errors_name_the_argument(call, error, text):
    with pytest.raises(error, match=f"^{text}"):
        call(dask.array.zeros((4, 5, 6), chunks=3))
