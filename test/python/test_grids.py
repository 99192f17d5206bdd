"""Output grids and geometries: what a size or a spacing alone keeps, images of other libraries as
cudaspline.Image, grids of arrays and of mm."""

import os
import subprocess

import numpy
import pytest

import cudaspline
from conftest import difference

PROGRAM = os.environ.get("CUDASPLINE_RESAMPLE", "")


def turned_image(rng, shape=(7, 9, 12)):
    direction = numpy.linalg.qr(rng.normal(size=(3, 3)))[0]
    return cudaspline.Image(
        rng.uniform(1, 2, shape).astype("f4"), (1.25, 0.75, 3.0), (11.0, -20.5, 3.0), direction
    )


def edges(grid):
    """Places of the outer edges of the first and the last sample."""
    return grid.point_of([-0.5] * grid.dimension), grid.point_of([n - 0.5 for n in grid.size])


def test_a_spacing_keeps_the_extent(rng):
    """1 mm of a CT of 250 mm: 250 samples, not those of the image."""
    image = cudaspline.Image(numpy.zeros((50, 4, 4), "f4"), (1, 1, 5))
    assert cudaspline.resample(image, spacing=1).shape == (250, 4, 4)
    image = turned_image(rng)
    grid = cudaspline.resample(image, spacing=(0.625, 0.25, 2.0), smooth=False).geometry
    assert grid.size == (24, 27, 11)  # 21 mm / 2 mm is 10.5: up
    assert difference(grid.spacing, [0.625, 0.25, 2.0]) == 0 and numpy.array_equal(
        grid.direction, image.direction
    )
    for found, wanted in zip(edges(grid), edges(image.geometry)):
        along = grid.direction.T @ (found - wanted)  # half a sample more on either end of z
        assert numpy.abs(along[:2]).max() < 1e-12 and abs(abs(along[2]) - 0.5) < 1e-12
    flat = cudaspline.resample(image, spacing=(1.25, 0.75, 100.0), smooth=False).geometry
    assert flat.size == (12, 9, 1)
    assert difference(flat.point_of((0, 0, 0)), image.geometry.point_of((0, 0, 3))) < 1e-12


def test_a_size_keeps_the_extent(rng):
    image = turned_image(rng)
    grid = cudaspline.resample(image, size=(6, 9, 14), smooth=False).geometry
    assert difference(grid.spacing, [2.5, 0.75, 1.5]) < 1e-15 and grid.spacing[1] == 0.75
    for found, wanted in zip(edges(grid), edges(image.geometry)):
        assert difference(found, wanted) < 1e-12
    both = cudaspline.resample(image, size=(5, 5, 5), spacing=0.5, smooth=False).geometry
    assert difference(both.point_of((2, 2, 2)), image.geometry.point_of((5.5, 4, 3))) < 1e-12
    same = cudaspline.resample(image, size=image.geometry.size, spacing=image.spacing).geometry
    assert same == image.geometry  # to the bit
    array = rng.uniform(1, 2, (8, 6)).astype("f4")
    assert numpy.array_equal(
        cudaspline.resample(array, size=(12, 16), interpolation="linear", extrapolate=True),
        cudaspline.zoom(array, 2, interpolation="linear", boundary="itk", extrapolate=True),
    )


def test_an_origin_is_where_it_is(rng):
    image = turned_image(rng)
    first = image.geometry.point_of((3, 2, 1))
    region = cudaspline.resample(image, size=(4, 5, 3), origin=first, interpolation="nearest")
    assert numpy.array_equal(region.array, image.array[1:4, 2:7, 3:7]) and numpy.array_equal(
        region.spacing, image.spacing
    )
    finer = cudaspline.resample(image, spacing=0.75, origin=first, smooth=False).geometry
    assert finer.size == (20, 9, 28) and numpy.array_equal(finer.origin, first)
    upright = cudaspline.resample(image, direction=numpy.eye(3)).geometry  # about the middle
    assert (
        difference(upright.point_of((5.5, 4, 3)), image.geometry.point_of((5.5, 4, 3))) < 1e-12
        and upright.size == image.geometry.size
    )


def test_references_and_series_have_the_rule(rng):
    image = turned_image(rng)
    reference = cudaspline.Geometry(
        (10, 10, 10), 2, image.geometry.point_of((2, 2, 2)), image.direction
    )
    grid = cudaspline.resample(image, None, reference, spacing=4, smooth=False).geometry
    assert grid.size == (5, 5, 5)
    for found, wanted in zip(edges(grid), edges(reference)):
        assert difference(found, wanted) < 1e-12
    series = cudaspline.Image(rng.uniform(size=(3, 4, 6, 8)), (1, 1, 2, 0.8))
    made = cudaspline.resample(series, spacing=0.5)
    assert made.geometry.size == (16, 12, 16, 3) and made.spacing.tolist() == [0.5, 0.5, 0.5, 0.8]
    source = cudaspline.Source(image, device="cpu")
    assert (
        source.resample(spacing=1.5, smooth=False).geometry
        == cudaspline.resample(image, spacing=1.5, smooth=False).geometry
    )


@pytest.mark.skipif(
    not os.path.exists(PROGRAM), reason="CUDASPLINE_RESAMPLE names no program to compare with"
)
@pytest.mark.parametrize("options", [dict(spacing=0.8), dict(spacing=(2.1, 0.7, 1.1)), dict(size=(5, 9, 20)), dict(size=(7, 8, 9), spacing=1.5), dict(spacing=0.8, origin=(3, 4, 5)),
                                     dict(spacing=(1, 2, 1.5), direction=(0, -1, 0, 1, 0, 0, 0, 0, 1))])  # fmt: skip
def test_grids_are_the_programs(rng, tmp_path, options):
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(rng.uniform(size=(7, 9, 12)).astype("f4"))
    image.SetSpacing((1.25, 0.75, 3.0))
    image.SetOrigin((11.0, -20.5, 3.0))
    image.SetDirection(numpy.linalg.qr(rng.normal(size=(3, 3)))[0].ravel().tolist())
    sitk.WriteImage(image, str(tmp_path / "in.nrrd"))
    image = sitk.ReadImage(str(tmp_path / "in.nrrd"))
    words = [
        word
        for name, value in options.items()
        for word in (f"--{name}", ",".join(map(str, numpy.atleast_1d(value))))
    ]
    subprocess.run(
        [PROGRAM, str(tmp_path / "in.nrrd"), str(tmp_path / "out.nrrd"), "-i", "linear", *words],
        check=True,
        capture_output=True,
    )
    wanted = sitk.ReadImage(str(tmp_path / "out.nrrd"))
    found = cudaspline.resample(image, interpolation="linear", smooth=False, **options)
    assert found.GetSize() == wanted.GetSize()
    for name in ("GetSpacing", "GetOrigin", "GetDirection"):  # the file has 16 digits
        assert difference(getattr(found, name)(), getattr(wanted, name)()) < 1e-13 * 100


def test_geometry_of_tuples_and_lists():
    grid = cudaspline.Geometry(
        [6, 5, 4], (1, 2, 3), [10, 20, 30], ((0, 1, 0), (1, 0, 0), (0, 0, 1))
    )
    assert grid.size == (6, 5, 4) and grid.shape == (4, 5, 6) and grid.dimension == 3
    assert grid.affine.tolist() == [[0, 2, 0, 10], [1, 0, 0, 20], [0, 0, 3, 30], [0, 0, 0, 1]]
    assert not grid.spacing.flags.writeable and grid.spacing.dtype == numpy.float64
    assert cudaspline.Geometry((6, 5, 4), 2) == cudaspline.Image(numpy.zeros((4, 5, 6)), 2).geometry
    assert cudaspline.resample(
        numpy.zeros((4, 5, 6)), None, cudaspline.Geometry((3, 3, 3), (1, 1, 1), (0, 0, 0))
    ).shape == (3, 3, 3)


def of_library(name, rng):
    """(an image of a library with a turned geometry, its pixels (nz, ny, nx), its geometry)"""
    wanted = turned_image(rng)
    g = wanted.geometry
    if name == "SimpleITK":
        sitk = pytest.importorskip("SimpleITK")
        image = sitk.GetImageFromArray(wanted.array)
        image.SetSpacing(g.spacing.tolist())
        image.SetOrigin(g.origin.tolist())
        image.SetDirection(g.direction.ravel().tolist())
    elif name == "itk":
        itk = pytest.importorskip("itk")
        image = itk.image_from_array(wanted.array)
        image.SetSpacing(g.spacing.tolist())
        image.SetOrigin(g.origin.tolist())
        image.SetDirection(itk.matrix_from_array(g.direction.copy()))
    elif name == "ants":
        ants = pytest.importorskip("ants")
        image = ants.from_numpy(
            wanted.array.T,
            spacing=tuple(g.spacing),
            origin=tuple(g.origin),
            direction=g.direction.copy(),
        )
    else:
        nibabel = pytest.importorskip("nibabel")
        image = nibabel.Nifti1Image(wanted.array.T, numpy.diag([-1.0, -1, 1, 1]) @ g.affine)
    return image, wanted


@pytest.mark.parametrize("name", ["SimpleITK", "itk", "nibabel", "ants"])
def test_images_of_libraries_as_ours(rng, name):
    image, wanted = of_library(name, rng)
    made = cudaspline.Image(image)
    assert (
        made.shape == wanted.shape
        and numpy.array_equal(made.array, wanted.array)
        and type(made.array) is numpy.ndarray
    )
    for attribute in ("spacing", "origin", "direction"):
        assert difference(getattr(made, attribute), getattr(wanted, attribute)) < 1e-12
    del image  # its memory is not the array's
    assert numpy.array_equal(made.array, wanted.array)
    assert (
        difference(
            cudaspline.resample(made, spacing=1.0, smooth=False).array,
            cudaspline.resample(wanted, spacing=1.0, smooth=False).array,
        )
        < 1e-5
    )
    image, _ = of_library(name, rng)
    assert (
        cudaspline.Image(image, spacing=2).spacing.tolist() == [2, 2, 2]
        and difference(cudaspline.Image(image, spacing=2).origin, made.origin) < 1e-12
    )


def test_series_and_vectors_as_ours(rng):
    nibabel = pytest.importorskip("nibabel")
    data = rng.uniform(size=(4, 5, 6, 3)).astype("f4")
    image = nibabel.Nifti1Image(data, numpy.diag([1.0, 2, 3, 1]))
    image.header.set_zooms((1, 2, 3, 800))
    image.header.set_xyzt_units("mm", "msec")
    series = cudaspline.Image(image)
    assert (
        series.shape == (3, 6, 5, 4)
        and not series.channels
        and numpy.array_equal(series.array, data.T)
    )
    assert difference(series.spacing, [1, 2, 3, 0.8]) < 1e-12
    vectors = cudaspline.Image(image, channels=True)
    assert (
        vectors.shape == (6, 5, 4, 3)
        and numpy.array_equal(vectors.array, data.transpose(2, 1, 0, 3))
        and vectors.spacing.tolist() == [1, 2, 3]
    )
    same = cudaspline.Image(vectors)
    assert same.channels and same.geometry == vectors.geometry
    with pytest.raises(ValueError, match="^channels"):
        cudaspline.Image(nibabel.Nifti1Image(data[..., 0], numpy.eye(4)), channels=True)


def bumps():
    y, x, z = numpy.mgrid[:14, :16, :12]
    return [
        numpy.exp(-((x - 8 - shift) ** 2 + (y - 7) ** 2 + (z - 6) ** 2) / 12.0).astype("f4")
        for shift in (0, 1)
    ]


def test_indices_against_millimetres_are_refused():
    fixed, moving = bumps()
    placed = cudaspline.Image(moving, (2, 2, 2), (5, 5, 5))
    options = dict(stages="translation", iterations=5, shrink=(1,), device="cpu")
    for images, name in (((fixed, placed), "fixed"), ((placed, fixed), "moving")):
        with pytest.raises(ValueError, match=f"^{name}: .*indices.*mm.*cudaspline.Image"):
            cudaspline.register(*images, **options)
    with pytest.raises(ValueError, match=r"^also\[0\]\[1\]: .*indices"):
        cudaspline.register(
            placed,
            placed,
            "greedy",
            also=[(placed, fixed)],
            metric=["cc", "cc"],
            shrink=(1,),
            iterations=1,
            device="cpu",
        )
    with pytest.raises(ValueError, match="^over: .*indices"):
        cudaspline.register_series(
            cudaspline.Image(numpy.stack([fixed, moving]), (2, 2, 2, 1)), fixed, **options
        )
    # With a geometry, of indices against a grid of indices, and masks of the shape of their image,
    # all is as before.
    cudaspline.register(cudaspline.Image(fixed, (2, 2, 2), (5, 5, 5)), placed, **options)
    cudaspline.register(fixed, cudaspline.Image(moving, 1), **options)
    cudaspline.register(placed, placed, mask=numpy.ones(fixed.shape, bool), **options)


#: What takes the directions of axes: (name of the argument, call).
TAKES_DIRECTION = {
    "Geometry": lambda axes: cudaspline.Geometry((4, 4, 4), 2, direction=axes),
    "Image": lambda axes: cudaspline.Image(numpy.zeros((4, 4, 4)), 2, direction=axes).geometry,
    "resample": lambda axes: cudaspline.resample(numpy.zeros((4, 4, 4)), direction=axes),
    "Target": lambda axes: cudaspline.resample(
        numpy.zeros((4, 4, 4)), None, cudaspline.Target(direction=axes)
    ),
    "DisplacementField": lambda axes: cudaspline.resample(
        numpy.zeros((4, 4, 4)),
        cudaspline.DisplacementField(numpy.zeros((4, 4, 4, 3)), direction=axes),
    ),
    "BSplineGrid": lambda axes: cudaspline.resample(
        numpy.zeros((4, 4, 4)),
        cudaspline.BSplineGrid(numpy.zeros((3, 5, 5, 5)), direction=axes),
    ),
}


@pytest.mark.parametrize("call", TAKES_DIRECTION.values(), ids=TAKES_DIRECTION)
def test_axes_of_other_lengths_are_refused(call):
    """As CudaSplineResample's --direction: else the spacing would count twice."""
    turned = cudaspline.Geometry((4, 4, 4)).direction[[1, 0, 2]] * [1, -1, 1]
    for spacings, column, length in (((1, 1, 2), "z", "2"), ((0.5, 1, 1), "x", "0.5"), ((1, 1.001, 1), "y", "1.001")):  # fmt: skip
        with pytest.raises(ValueError, match=f"direction: column {column} has a length of {length}; it must be 1"):  # fmt: skip
            call(turned * spacings)
    with pytest.raises(ValueError, match="direction: the matrix is singular"):
        call([[1, 1, 0], [0, 0, 0], [0, 0, 1]])
    call(turned)
    call((turned * 1.00004).tolist())  # six digits of a header
    call([[1, 0.6, 0], [0, 0.8, 0], [0, 0, 1]])  # sheared, as images of NRRD files may be
