"""Images of ANTsPy: pixels and geometry go in and come out, and what ANTs computes is what is
computed here."""

import numpy
import pytest

from conftest import difference

ants = pytest.importorskip("ants", reason="ANTsPy is not installed")

import pandas  # noqa: E402  # which ANTsPy has for lists of points

import cudaspline  # noqa: E402
from register_support import Phantom  # noqa: E402

MATRIX = numpy.array(
    [[0.98, 0.05, -0.02, 1.5], [-0.04, 1.01, 0.03, -0.7], [0.01, -0.06, 0.97, 0.4]]
)


def geometry(rng):
    direction = numpy.linalg.qr(rng.normal(size=(3, 3)))[0]
    return {"spacing": (1.5, 0.7, 2.0), "origin": (3.0, -4.0, 5.0), "direction": direction}


def image_of(array, grid, **options):
    """An image of an array (nz, ny, nx), or with the numbers of pixels in a last axis."""
    given = array.transpose(2, 1, 0, 3) if array.ndim == 4 else array.T
    return ants.from_numpy(given, **grid, has_components=array.ndim == 4, **options)


def assert_on(image, grid, size):
    assert isinstance(image, ants.ANTsImage) and image.shape == tuple(size)
    assert (
        difference(image.spacing, grid["spacing"]) < 1e-12
        and difference(image.origin, grid["origin"]) < 1e-12
    )
    assert difference(image.direction, grid["direction"]) < 1e-12


@pytest.mark.parametrize("dtype", ("uint8", "uint32", "float32", "float64"))
def test_types(rng, dtype):
    array, grid = rng.uniform(0, 200, (9, 8, 7)).astype(dtype), geometry(rng)
    image = image_of(array if dtype != "float64" else array.astype("f4"), grid)
    if dtype == "float64":  # ANTsPy makes float32 of double arrays
        image = image.clone("double")
        image.view().T[...] = array
    plain = cudaspline.Image(array, **grid)
    for options in ({}, {"interpolation": "linear"}):
        found = cudaspline.resample(image, MATRIX, **options)
        assert found.pixeltype == image.pixeltype
        assert_on(found, grid, (7, 8, 9))
        assert numpy.array_equal(
            found.view().T, cudaspline.resample(plain, MATRIX, **options).array
        )
    assert numpy.array_equal(image.view().T, array)  # as it was


def test_grids(rng):
    """As a reference, by zoom, and values at points of space."""
    array, grid, other = rng.uniform(-1, 1, (9, 8, 7)).astype("f4"), geometry(rng), geometry(rng)
    image, plain = image_of(array, grid), cudaspline.Image(array, **grid)
    reference = image_of(numpy.zeros((5, 6, 4), "f4"), other)
    found = cudaspline.resample(image, None, reference, smooth=False)
    assert_on(found, other, (4, 6, 5))
    assert numpy.array_equal(
        found.view().T,
        cudaspline.resample(
            plain, None, cudaspline.Image(numpy.zeros((5, 6, 4)), **other), smooth=False
        ).array,
    )
    small = cudaspline.zoom(image, 0.5, smooth=False)
    assert small.shape == (4, 4, 4) and difference(small.direction, grid["direction"]) < 1e-12
    place = ants.transform_index_to_physical_point(image, [2, 3, 4])
    assert (
        abs(
            cudaspline.sample(image, numpy.array([place]), interpolation="linear")[0]
            - array[4, 3, 2]
        )
        < 1e-5
    )  # ANTsPy's places are float32
    made = cudaspline.resample(cudaspline.Image(array, **grid), MATRIX, image)
    assert isinstance(made, cudaspline.Image) and made.geometry == plain.geometry


def test_vectors_colours_and_series(rng):
    grid = geometry(rng)
    array = rng.uniform(-1, 1, (5, 6, 7, 3)).astype("f4")
    found = cudaspline.resample(image_of(array, grid), MATRIX)
    wanted = cudaspline.resample(cudaspline.Image(array, **grid, channels=True), MATRIX).array
    assert found.components == 3 and numpy.array_equal(found.view().T, wanted)
    assert_on(found, grid, (7, 6, 5))
    colours = rng.integers(0, 255, (5, 6, 7, 3)).astype("u1")
    image = image_of(colours, grid, is_rgb=True)
    found = cudaspline.resample(image, MATRIX)
    assert found.is_rgb and numpy.array_equal(
        found.rgb_to_vector().view().T,
        cudaspline.resample(cudaspline.Image(colours, **grid, channels=True), MATRIX).array,
    )
    volumes = rng.uniform(-1, 1, (3, 5, 6, 7)).astype("f4")
    series = ants.from_numpy(volumes.T, spacing=(1.5, 0.7, 2.0, 4.0))
    found = cudaspline.resample(series, MATRIX)
    assert found.shape == (7, 6, 5, 3) and found.spacing == (1.5, 0.7, 2.0, 4.0)
    for one, volume in zip(found.view().T, volumes):
        assert numpy.array_equal(
            one,
            cudaspline.resample(cudaspline.Image(volume, spacing=(1.5, 0.7, 2.0)), MATRIX).array,
        )


def test_pixels_that_ants_has_not(rng):
    image = image_of(rng.uniform(0, 9, (5, 6, 7)).astype("f4"), geometry(rng))
    with pytest.raises(TypeError, match="^image: pixel type int16 is not supported by ANTsPy"):
        cudaspline.resample(image, MATRIX, dtype="int16")


def test_what_ants_computes(rng, tmp_path):
    """The same matrix, from a file of ANTs', through ANTs and here."""
    grid = geometry(rng)
    fixed, moving = (image_of(rng.uniform(0, 1, (20, 18, 16)).astype("f4"), grid) for _ in range(2))
    centre = numpy.array(grid["origin"]) + numpy.asarray(grid["direction"]) @ (
        numpy.array(grid["spacing"]) * 8
    )
    transform = ants.create_ants_transform(
        "AffineTransform",
        dimension=3,
        matrix=MATRIX[:, :3],
        translation=MATRIX[:, 3],
        center=centre,
    )
    path = str(tmp_path / "0GenericAffine.mat")
    ants.write_transform(transform, path)
    for interpolation, name in (("linear", "linear"), ("nearest", "nearestNeighbor")):
        wanted = ants.apply_transforms(fixed, moving, [path], interpolator=name)
        found = cudaspline.resample(moving, path, fixed, interpolation=interpolation, smooth=False)
        assert_on(found, grid, wanted.shape)
        # ANTs computes in double and writes float32; a sample at the border of the image, or half
        # way, may be that of its neighbour.
        assert (numpy.abs(found.numpy() - wanted.numpy()) > 1e-5).mean() < 1e-3
        assert (found.numpy() != 0).mean() > 0.5


def test_register(rng):
    """The results of a plain image's registration, as images of ANTsPy; the mask is one, too."""
    places = numpy.stack(
        numpy.meshgrid(*(numpy.arange(n, dtype=float) for n in (18, 20, 16)), indexing="ij"), -1
    )
    blob = [
        numpy.exp(-(((places - at) / (3, 4, 3)) ** 2).sum(-1)).astype("f4")
        for at in ((9, 10, 8), (9.8, 9.3, 8.6))
    ]
    grid = {**geometry(rng), "direction": numpy.eye(3)}
    fixed, moving = (image_of(one, grid) for one in blob)
    mask = image_of((blob[0] > 0.01).astype("u1"), grid)
    options = {"radius": 2, "iterations": (6, 4), "device": "cpu"}
    wanted = cudaspline.register(
        *(cudaspline.Image(one, **grid) for one in blob),
        "syn",
        mask=cudaspline.Image(mask.view().T, **grid),
        **options,
    )
    found = cudaspline.register(fixed, moving, "syn", mask=mask, **options)
    for one, other in ((found.warped, wanted.warped), (found.jacobian(), wanted.jacobian())):
        assert_on(one, grid, (16, 20, 18))
        assert numpy.array_equal(one.view().T, other.array)
    assert ((found.warped - fixed).numpy() ** 2).mean() < 0.5 * (
        (moving - fixed).numpy() ** 2
    ).mean()
    # A field that ANTs holds is a transform here.
    field = ants.from_numpy(
        numpy.asarray(found.field.array).transpose(2, 1, 0, 3).astype("f4"),
        **grid,
        has_components=True,
    )
    again = cudaspline.resample(moving, field, fixed, interpolation="linear", smooth=False)
    assert difference(again.numpy(), found.warped.numpy()) < 1e-4


@pytest.mark.parametrize("size", [(24, 22, 18), (30, 26)])
def test_save_ants(rng, tmp_path, size):
    """What save_ants() writes does by ANTs what the result does: images forth and back, points, and
    each file by itself."""
    pytest.importorskip("nibabel")  # which writes the warps
    phantom = Phantom(rng, size)
    linear, bend = phantom.linear(rng, "affine"), phantom.bend(1.5)
    images = phantom.images(lambda places: linear(bend(places)))
    stages = [
        cudaspline.Stage("affine", metric="correlation", iterations=40),
        cudaspline.Stage("syn", radius=2, iterations=(8, 4)),
    ]
    result = cudaspline.register(*images, stages, device="cpu")
    files = [str(file) for file in result.transform.save_ants(tmp_path / "out", images[0])]
    matrix, warp, inverse_warp = files
    g = phantom.geometry
    grid = {"spacing": tuple(g.spacing), "origin": tuple(g.origin), "direction": g.direction}
    fixed, moving = (ants.from_numpy(image.array.T, **grid) for image in images)
    largest = numpy.abs(images[1].array).max()
    for given, transforms, inverted, wanted in (
        ((fixed, moving), [warp, matrix], None, result.warped),
        ((moving, fixed), [matrix, inverse_warp], [True, False], result.inverse_warped),
    ):
        found = ants.apply_transforms(
            *given, transforms, interpolator="linear", whichtoinvert=inverted
        )
        # Warps are files of float32, and what lies at the end of an image may be outside of it
        # there.
        assert (numpy.abs(found.numpy().T - wanted.array) > 1e-4 * largest).mean() < 2e-3
        assert (wanted.array != 0).mean() > 0.5
    places = phantom.inner()[::37]
    names = "xyz"[: phantom.n]
    table = pandas.DataFrame({name: places[:, d] for d, name in enumerate(names)})
    found = ants.apply_transforms_to_points(
        phantom.n, table, [warp, matrix], whichtoinvert=[False, False]
    )
    # A place of the fixed image goes through the list from its first one.
    first, then = (
        ants.transform_from_displacement_field(ants.image_read(warp)),
        ants.read_transform(matrix),
    )
    wanted = result.transform.apply(places)
    assert (
        difference(
            [then.apply_to_point(first.apply_to_point(place.tolist())) for place in places], wanted
        )
        < 1e-3
    )
    assert difference(found[list(names)].to_numpy(), wanted) < 1e-3
    assert (
        difference(
            cudaspline.Transform(matrix, phantom.n).apply(places),
            [then.apply_to_point(place.tolist()) for place in places],
        )
        < 1e-4
    )
