"""out=: arrays of the caller's that get the result, also those that have elements in common with
what is read."""

import numpy
import pytest

import cudaspline

TURN = numpy.array([[0.0, -1, 0, 17], [1, 0, 0, 1], [0, 0, 1, 0.25]])


def arrays_in(memory, offset, shape, dtype="f4"):
    """An array in a block of bytes."""
    count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    return memory[offset : offset + count].view(dtype).reshape(shape)


@pytest.mark.parametrize("offset", [0, 4, 400, 4 * 5832 - 4])
@pytest.mark.parametrize("swapped", [False, True])
def test_an_output_that_overlaps_the_image(rng, offset, swapped):
    shape = (18, 18, 18)
    memory = numpy.zeros(2 * 4 * 18**3 + 64, "u1")
    first, second = arrays_in(memory, 0, shape), arrays_in(memory, offset, shape)
    image, out = (second, first) if swapped else (first, second)
    values = rng.uniform(-1, 1, shape).astype("f4")
    for work in (
        lambda image, **o: cudaspline.resample(image, TURN, device="cpu", **o),
        lambda image, **o: cudaspline.resample(
            image, TURN, device="cpu", interpolation="nearest", **o
        ),
        lambda image, **o: cudaspline.resample(
            image, TURN, device="cpu", interpolation="linear", threads=1, **o
        ),
        lambda image, **o: cudaspline.prefilter(image, device="cpu", **o),
        lambda image, **o: cudaspline.prefilter(image, device="cpu", axis=0, **o),
        lambda image, **o: cudaspline.prefilter(image, 1, device="cpu", **o),
        lambda image, **o: cudaspline.zoom(
            image, 1, interpolation="catmull-rom", device="cpu", **o
        ),
    ):
        wanted = work(values)
        image[:] = values
        assert work(image, out=out) is out
        assert numpy.array_equal(out, wanted)


def test_an_output_of_another_type_that_overlaps(rng):
    values = rng.uniform(-1, 1, (9, 10, 12)).astype("f4")
    wanted = cudaspline.prefilter(values, dtype="float64", device="cpu")
    for offset in (0, 8, 4 * values.size):
        memory = numpy.zeros(3 * 4 * values.size + 64, "u1")
        image, out = (
            arrays_in(memory, offset, values.shape),
            arrays_in(memory, 0, values.shape, "f8"),
        )
        image[:] = values
        cudaspline.prefilter(image, dtype="float64", out=out, device="cpu")
        assert numpy.array_equal(out, wanted)


def test_in_place_with_channels_and_axes(rng):
    for shape, options in (
        ((9, 10, 12, 3), dict(channels=True)),
        ((9, 10, 12), dict(axis=0)),
        ((9, 10, 12), dict(axis=2)),
        ((40,), dict(axis=0)),
    ):
        for dtype in ("f4", "f8"):
            values = rng.uniform(-1, 1, shape).astype(dtype)
            wanted = cudaspline.prefilter(values, 5, device="cpu", **options)
            assert cudaspline.prefilter(values, 5, out=values, device="cpu", **options) is values
            assert numpy.array_equal(values, wanted)


def test_an_output_that_overlaps_the_transform(rng):
    image = rng.uniform(-1, 1, (8, 9, 10))
    vectors = rng.uniform(-1, 1, (8, 9, 10, 3))
    coefficients = rng.uniform(-1, 1, (3, 8, 9, 10))
    source = cudaspline.Source(image, device="cpu")
    for make, array, part in (
        (
            cudaspline.DisplacementField,
            vectors,
            lambda whole: whole.reshape(-1)[100 : 100 + image.size].reshape(image.shape),
        ),
        (cudaspline.BSplineGrid, coefficients, lambda whole: whole[1]),
    ):
        for given in (image, source):
            whole = array.copy()
            wanted = cudaspline.resample(given, make(array.copy()), device="cpu")
            out = part(whole)
            assert cudaspline.resample(given, [make(whole)], out=out, device="cpu") is out
            assert numpy.array_equal(out, wanted)


def test_outputs_of_torch_that_overlap(rng):
    torch = pytest.importorskip("torch")
    values = rng.uniform(-1, 1, (12, 12, 12)).astype("f4")
    memory = torch.zeros(12**3 + 100)
    memory[: 12**3] = torch.from_numpy(values).ravel()
    image, out = memory[: 12**3].reshape(12, 12, 12), memory[100:].reshape(12, 12, 12)
    assert cudaspline.resample(image, TURN, out=out, device="cpu") is out
    assert numpy.array_equal(out.numpy(), cudaspline.resample(values, TURN, device="cpu"))


def test_maps_of_files_and_masked_arrays(rng, tmp_path):
    """Classes that NumPy's array has: the elements are written where they are, and a mask stays as
    it is."""
    values = rng.uniform(-1, 1, (5, 6, 7)).astype("f4")
    wanted = cudaspline.resample(values, TURN, device="cpu")
    mapped = numpy.memmap(tmp_path / "raw", dtype="f4", mode="w+", shape=values.shape)
    assert cudaspline.resample(values, TURN, out=mapped, device="cpu") is mapped
    mapped.flush()
    assert numpy.array_equal(numpy.fromfile(tmp_path / "raw", "f4").reshape(values.shape), wanted)
    mapped[:] = values
    assert cudaspline.resample(mapped, TURN, out=mapped, device="cpu") is mapped
    assert numpy.array_equal(mapped, wanted)
    mask = rng.uniform(size=values.shape) < 0.5
    for hard in (False, True):
        masked = numpy.ma.masked_array(values.copy(), mask, hard_mask=hard)
        assert cudaspline.resample(masked, TURN, out=masked, device="cpu") is masked
        assert numpy.array_equal(masked.data, wanted) and numpy.array_equal(masked.mask, mask)
    with pytest.raises(ValueError, match="^out: .*read-only"):
        cudaspline.resample(
            values, out=numpy.memmap(tmp_path / "raw", dtype="f4", mode="r", shape=values.shape)
        )


def test_the_library_refuses_arrays_that_overlap():
    """In C, where no other array is made."""
    from cudaspline.core import _arrays, _library
    from cudaspline.core._methods import Method, make_interpolator
    from cudaspline.images import _images
    from cudaspline.transforms import _stages, _transforms

    whole = numpy.zeros(400, "f4")
    image, out = whole[:300].reshape(10, 30), whole[100:].reshape(10, 30)
    pixels = _images.open_image(image)
    method = make_interpolator(pixels.geometry, Method("linear"))
    described = method.describe_image(pixels.buffer, pixels.size, 1, "float32")
    vectors = numpy.zeros((10, 30, 2))
    for result, stages, text in (
        (out, _transforms.describe(None, 2, -1), "resampling.output and image.pixels overlap"),
        (vectors.view("f4").ravel()[:300].reshape(10, 30), _transforms.describe(cudaspline.DisplacementField(vectors), 2, -1),
         "resampling.output and the data of stage 0 overlap"),
    ):  # fmt: skip
        resampling, kept = _stages.describe_resampling(
            method.describe_interpolation(pixels.geometry), pixels.geometry, pixels.geometry, stages, _arrays.view(result, "out"),
            numpy.zeros(1, "f4"), False,
        )  # fmt: skip
        with pytest.raises(ValueError, match=text):
            _library.Call().run("cudaspline_resample", described, resampling)
        del kept
