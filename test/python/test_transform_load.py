"""Transform.load(): files of transforms as one, with inverses, composites, and either order of
lists; determinants on any grid."""

import pickle

import numpy
import pytest

import cudaspline
from conftest import difference

TURN = numpy.array([[0.96, -0.28, 0, 4.0], [0.28, 0.96, 0, -3.0], [0, 0, 1.1, 2.0]])
STRETCH = numpy.array([[1.1, 0, 0.1, -2.0], [0, 0.9, 0, 1.0], [0.05, 0, 1, 0.5]])


@pytest.fixture
def points(rng):
    return rng.uniform(-20, 20, (30, 3))


@pytest.fixture
def files(tmp_path):
    """Two matrices, as .tfm and .mat; they are read once, so that the files may go."""
    for matrix, name in ((TURN, "turn"), (STRETCH, "stretch")):
        for suffix in (".tfm", ".mat"):
            cudaspline.Transform(matrix, 3).save(tmp_path / f"{name}{suffix}")
    return tmp_path


def apply(matrix, points):
    return points @ matrix[:, :3].T + matrix[:, 3]


@pytest.mark.parametrize("suffix", [".tfm", ".mat"])
def test_matrices_and_their_inverses(files, points, suffix):
    path = files / f"turn{suffix}"
    forth = cudaspline.Transform.load(path)
    assert forth.dimension == 3 and forth.is_linear and difference(forth.matrix[:3], TURN) < 1e-14
    for inverse in (
        f"[{path},1]",
        f"{path},inverse",
        (path, "inverse"),
        [str(path), 1],
        forth.inverse(),
    ):
        back = (
            inverse
            if isinstance(inverse, cudaspline.Transform)
            else cudaspline.Transform.load(inverse)
        )
        assert difference(back.apply(apply(TURN, points)), points) < 1e-12
    for same in (str(path), f"[{path},0]", [path, 0], f"[{path}]"):
        assert difference(cudaspline.Transform.load(same).matrix, forth.matrix) == 0
    assert (
        difference(cudaspline.Transform.load((f"{path},inverse", "inverse")).matrix, forth.matrix)
        < 1e-15
    )
    path.unlink()
    assert difference(forth.apply(points), apply(TURN, points)) < 1e-12
    assert difference(pickle.loads(pickle.dumps(forth)).matrix, forth.matrix) == 0


def test_orders_of_lists(files, points):
    names = [files / "turn.tfm", files / "stretch.mat"]
    itk = cudaspline.Transform.load(names)
    assert difference(itk.apply(points), apply(TURN, apply(STRETCH, points))) < 1e-12
    ants = cudaspline.Transform.load(names, transform_order="ants")
    assert difference(ants.apply(points), apply(STRETCH, apply(TURN, points))) < 1e-12
    inverted = cudaspline.Transform.load([names[0], (names[1], "inverse")])
    assert difference(inverted.apply(apply(STRETCH, points)), apply(TURN, points)) < 1e-12
    image = cudaspline.Image(numpy.random.default_rng(1).uniform(size=(8, 9, 10)), 2)
    for loaded, order in ((itk, "itk"), (ants, "ants")):
        found = cudaspline.resample(image, loaded, interpolation="linear")
        assert (
            difference(
                found.array,
                cudaspline.resample(
                    image, names, transform_order=order, interpolation="linear"
                ).array,
            )
            < 1e-12
        )


def test_two_axes_are_found(tmp_path):
    cudaspline.Transform([[1.0, 0.5, 3.0], [0.0, 2.0, 0.0]], 2).save(tmp_path / "flat.tfm")
    found = cudaspline.Transform.load(tmp_path / "flat.tfm")
    assert found.dimension == 2 and found.apply([1.0, 2.0]).tolist() == [5.0, 4.0]
    with pytest.raises(ValueError, match="^path.*flat.tfm.*2 dimensions"):
        cudaspline.Transform.load(tmp_path / "flat.tfm", dimension=3)


def test_composites_and_fields(rng, tmp_path, points):
    sitk = pytest.importorskip("SimpleITK")
    euler, scale = (
        sitk.Euler3DTransform((1, 2, 3), 0.1, -0.2, 0.3, (4, 5, 6)),
        sitk.ScaleTransform(3, (1.1, 0.9, 1.0)),
    )
    field = sitk.GetImageFromArray(rng.uniform(-0.3, 0.3, (9, 9, 9, 3)), isVector=True)
    field.SetSpacing((6.0, 6.0, 6.0))
    field.SetOrigin((-24.0, -24.0, -24.0))
    warp = sitk.DisplacementFieldTransform(sitk.Image(field))
    composite = sitk.CompositeTransform([euler, scale, warp])
    sitk.WriteTransform(composite, str(tmp_path / "all.h5"))
    found = cudaspline.Transform.load(tmp_path / "all.h5")
    wanted = [composite.TransformPoint(point) for point in points.tolist()]
    assert (
        difference(found.apply(points), wanted) < 1e-8 and not found.is_linear
    )  # roundings of places up to 2^20 mm
    back = cudaspline.Transform.load((tmp_path / "all.h5", "inverse"))
    inner = points * 0.5
    # The inverse of a field is one on its grid: between samples it errs by a tenth of the
    # displacements there.
    assert (
        numpy.abs(back.apply(found.apply(inner)) - inner).max() < 0.06
        and numpy.abs(found.apply(inner) - inner).max() > 1
    )
    sitk.WriteImage(field, str(tmp_path / "1Warp.nii.gz"))
    alone = cudaspline.Transform.load(tmp_path / "1Warp.nii.gz")
    assert (
        difference(alone.apply(points), [warp.TransformPoint(point) for point in points.tolist()])
        < 1e-5
    )


def test_what_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="^path: there is no file"):
        cudaspline.Transform.load(tmp_path / "none.mat")
    with pytest.raises(TypeError, match="^path: 3 "):
        cudaspline.Transform.load(3)
    with pytest.raises(ValueError, match="^path: the list of files is empty"):
        cudaspline.Transform.load([])
    with pytest.raises(ValueError, match="^transform_order"):
        cudaspline.Transform.load(tmp_path / "none.mat", transform_order="fsl")
    (tmp_path / "bad.tfm").write_text("no transform")
    with pytest.raises(ValueError, match=r"^path\[0\]: .*bad.tfm"):
        cudaspline.Transform.load([tmp_path / "bad.tfm"])
    one = "Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\nFixedParameters:\n"
    (tmp_path / "series.tfm").write_text(f"#Insight Transform File V1.0\n{one}{one}")
    with pytest.raises(ValueError, match="^path: .*2 transforms without a composite"):
        cudaspline.Transform.load(tmp_path / "series.tfm")
    (tmp_path / "singular.tfm").write_text(
        "#Insight Transform File V1.0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 0 0 0 0\nFixedParameters: 0 0 0\n"
    )
    with pytest.raises(ValueError, match="^path"):
        cudaspline.Transform.load(tmp_path / "singular.tfm")


def test_determinants(rng):
    """Of a matrix its determinant; of x -> x + a sin(x / l) along x, 1 + a / l cos(x / l), to the
    square of the spacing."""
    matrix = cudaspline.Transform(STRETCH, 3)
    determinant = numpy.linalg.det(STRETCH[:, :3])
    grid = cudaspline.Geometry((7, 6, 5), (1, 2, 3), (5, 5, 5))
    found = matrix.jacobian(grid)
    assert (
        isinstance(found, cudaspline.Image)
        and found.geometry == grid
        and found.dtype == "f4"
        and difference(found.array, numpy.full((5, 6, 7), determinant)) < 1e-6
    )
    logarithm = matrix.jacobian(
        cudaspline.Image(numpy.zeros((5, 6, 7)), 2), log=True, dtype="float64"
    )
    assert (
        difference(logarithm.array, numpy.full((5, 6, 7), numpy.log(determinant))) < 1e-8
    )  # roundings of places up to 2^20 mm
    assert type(matrix.jacobian(numpy.zeros((5, 6, 7)))) is numpy.ndarray
    x = numpy.arange(40.0)
    displacements = numpy.zeros((6, 40, 2))
    displacements[..., 0] = 3 * numpy.sin(x / 4)
    wave = cudaspline.Transform(cudaspline.DisplacementField(displacements), 2)
    inner = wave.jacobian(numpy.zeros((6, 40)), dtype="float64")[:, 1:-1]
    assert (
        difference(
            inner,
            numpy.broadcast_to(
                1 + 3 * (numpy.sin((x + 1) / 4) - numpy.sin((x - 1) / 4))[1:-1] / 2, inner.shape
            ),
        )
        < 1e-8
    )
    folding = wave.folding(numpy.zeros((6, 40)))
    assert folding.voxels == 0 and 0 < folding.least < 0.3
    both = cudaspline.Transform(cudaspline.DisplacementField(2 * displacements), 2).folding(
        cudaspline.Geometry((40, 6))
    )
    assert both.voxels > 0 and both.least < 0
    with pytest.raises(TypeError, match="^log"):
        matrix.jacobian(grid, log=1)
    with pytest.raises(ValueError, match="^grid: it has 2 axes"):
        matrix.jacobian(numpy.zeros((5, 5)))
