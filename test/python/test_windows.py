"""Few outputs of a large image: what they read is converted and filtered, with the bits of the
whole, and nothing else."""

import json
import os
import subprocess
import sys

import numpy
import pytest

import cudaspline
from cudaspline import ndimage

BOUNDARIES = ("itk", "mirror", "reflect", "grid-wrap")


def method(rng):
    """Options of a method that needs preparation, and the axes' boundaries."""
    kind = rng.choice(["bspline", "bspline", "linear", "catmull-rom", "mitchell", "nearest"])
    options = {"interpolation": str(kind), "boundary": str(rng.choice(BOUNDARIES))}
    if kind == "bspline":
        options["order"] = int(rng.integers(0, 6))
        options["prefilter"] = str(rng.choice(["exact", "exact", "itk", "fir", "coefficients"]))
    if kind != "nearest":
        options["precision"] = str(rng.choice(["float32", "float64"]))
    return options


def large_image(rng):
    """An image beyond the size below which all are taken as a whole, of any type, order of bytes
    and layout."""
    shape = [(70000, 12), (8, 7000, 15), (2600, 20, 17), (700000,)][rng.integers(4)]
    dtype = rng.choice(["u1", "i2", ">i2", "<u2", "f4", ">f4", "f8", ">f8", "i4"])
    array = (rng.random(shape) * 100).astype(dtype)
    layout = rng.integers(3)
    if layout == 1:
        array = numpy.asfortranarray(array)
    if layout == 2:
        array = array[::-1]
    return cudaspline.Image(
        array, spacing=rng.uniform(0.5, 2, array.ndim), origin=rng.uniform(-5, 5, array.ndim)
    )


@pytest.mark.parametrize("case", range(12))
def test_points_have_the_bits_of_the_whole(rng, case):
    rng = numpy.random.default_rng([*rng.integers(0, 2**31, 4), case])
    image = large_image(rng)
    options = method(rng)
    size = numpy.array(image.geometry.size)
    indices = rng.uniform(-0.1, 1.1, (7, len(size))) * (size - 1)
    indices[:3] = indices[0] + rng.uniform(-2, 2, (3, len(size)))
    points = image.geometry.origin + indices @ image.geometry.index_to_point.T
    want = {"inside": True}
    if options["interpolation"] in ("bspline", "catmull-rom", "mitchell"):
        want.update(gradient=True, hessian=True)
    found = cudaspline.sample(image, points, default=3, device="cpu", **want, **options)
    native = cudaspline.Image(
        numpy.ascontiguousarray(image.array).astype(image.dtype.newbyteorder("=")),
        image.spacing,
        image.origin,
    )
    whole = cudaspline.sample(
        cudaspline.Source(native, device="cpu", **options), points, default=3, **want
    )
    for one, other in zip(found, whole):
        assert numpy.array_equal(one, other, equal_nan=True), options


@pytest.mark.parametrize("case", range(12))
def test_resampling_has_the_bits_of_the_whole(rng, case):
    rng = numpy.random.default_rng([*rng.integers(0, 2**31, 4), case])
    image = large_image(rng)
    dimension = image.geometry.dimension
    options = method(rng)
    size = tuple(int(n) for n in rng.integers(2, 8, dimension))
    matrix = numpy.eye(dimension) + rng.uniform(-0.1, 0.1, (dimension, dimension))
    place = image.geometry.origin + image.geometry.index_to_point @ (
        rng.uniform(-0.05, 1.0, dimension) * image.geometry.size
    )
    transform = numpy.hstack([matrix, (place - matrix @ place)[:, None]])
    grid = {"size": size, "origin": place, "spacing": rng.uniform(0.5, 2.0)}
    found = cudaspline.resample(
        image, transform, default=7, device="cpu", dtype="float64", **grid, **options
    )
    native = cudaspline.Image(
        numpy.ascontiguousarray(image.array).astype(image.dtype.newbyteorder("=")),
        image.spacing,
        image.origin,
    )
    # The output is float64, so the arithmetic is, too, unless requested otherwise.
    source = cudaspline.Source(
        native,
        device="cpu",
        **{"precision": "float64", **options} if options["interpolation"] != "nearest" else options,
    )
    whole = cudaspline.resample(source, transform, default=7, dtype="float64", **grid)
    assert numpy.array_equal(found.array, whole.array, equal_nan=True), options


def test_channels_and_fields(rng):
    array = (rng.random((60, 50, 40, 3)) * 100).astype("u1")
    points = rng.uniform(5, 30, (4, 3))
    found = cudaspline.sample(array, points, channels=True)
    parts = [
        cudaspline.sample(cudaspline.Source(numpy.ascontiguousarray(array[..., c])), points)
        for c in range(3)
    ]
    assert numpy.array_equal(found, numpy.stack(parts, axis=-1))
    field = cudaspline.DisplacementField(rng.uniform(-2, 2, (5, 5, 5, 3)), spacing=10.0)
    grid = {"size": (6, 5, 4), "origin": (12.0, 11.0, 20.0)}
    found = cudaspline.resample(array, field, channels=True, dtype="float32", device="cpu", **grid)
    whole = cudaspline.resample(
        cudaspline.Source(array, channels=True, device="cpu"), field, dtype="float32", **grid
    )
    assert numpy.array_equal(found, whole)


PROGRAM = """
import json, resource, sys
import numpy
import cudaspline
from cudaspline import ndimage
volume = numpy.memmap(sys.argv[1], dtype=">i2", mode="r", shape=(400, 400, 400))
rng = numpy.random.default_rng(int(sys.argv[2]))
points = rng.uniform(0, 399, (3, 5))
calls = {
    "map_coordinates": lambda: ndimage.map_coordinates(volume, points, order=3),
    "map_coordinates of order 1": lambda: ndimage.map_coordinates(volume, points, order=1),
    "affine_transform": lambda: ndimage.affine_transform(volume, numpy.eye(3), points[:, 0], output_shape=(3, 3, 3)),
    "sample": lambda: cudaspline.sample(volume, points.T),
    "linear": lambda: cudaspline.sample(volume, points.T, interpolation="linear"),
    "resample": lambda: cudaspline.resample(volume, size=(9, 9, 9), origin=points[::-1, 0]),
}
numpy.zeros(1000).sum()
grown = {}
for name, call in calls.items():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    grown[name] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(json.dumps(grown))
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Linux reports the size of a process in KiB"
)
def test_memory_follows_the_output(tmp_path, rng):
    """A map of 128 MB in the other order of bytes: its conversion would take 256 or 512 MiB."""
    path = tmp_path / "volume"
    with open(path, "wb") as file:
        file.truncate(2 * 400**3)  # a hole: only what is read is there
    environment = dict(os.environ, CUDASPLINE_DEVICE="cpu")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(rng.integers(2**31))],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    for name, grown in json.loads(done.stdout).items():
        # A window of a point has up to 128 samples an axis, of 8 bytes: 16 MiB, and as much while
        # it is filtered.
        assert grown < 64, (name, grown)


def test_ndimage_reads_elements_where_they_are(rng):
    scipy_ndimage = pytest.importorskip("scipy.ndimage")
    packed = numpy.zeros(
        (40, 50), dtype=[("flag", "u1"), ("value", ">f8")]
    )  # not aligned, and swapped
    packed["value"] = rng.normal(size=packed.shape)
    for array in (
        packed["value"],
        packed["value"][::-2, ::3].T,
        packed["value"].astype(">f4"),
        (packed["value"] * 50).astype(">i2"),
    ):
        native = array.astype(array.dtype.newbyteorder("="))
        for order in range(6):
            for name, arguments in (
                ("shift", (1.3,)),
                ("zoom", (1.5,)),
                ("map_coordinates", (rng.uniform(-3, 40, (2, 9)),)),
            ):
                found = getattr(ndimage, name)(array, *arguments, order=order)
                assert numpy.array_equal(
                    found, getattr(ndimage, name)(native, *arguments, order=order)
                ) or numpy.allclose(
                    found,
                    scipy_ndimage.__dict__[name](native, *arguments, order=order),
                    rtol=1e-5,
                    atol=1e-4,
                )
