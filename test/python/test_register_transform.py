"""What cudaspline.register() finds applies, composes, inverts, is saved and converted."""

import pickle

import numpy
import pytest

import cudaspline
from conftest import difference
from register_support import Phantom


@pytest.fixture
def sitk():
    return pytest.importorskip("SimpleITK")


class TestTransform:
    """What is found applies, composes, inverts, is saved and converted."""

    @pytest.fixture
    def found(self, rng):
        phantom = Phantom(rng, (24, 22, 18))
        linear, bend = phantom.linear(rng, "rigid"), phantom.bend(1.0)
        fixed, moving = phantom.images(lambda places: linear(bend(places)))
        stages = [
            cudaspline.Stage("rigid", metric="correlation"),
            cudaspline.Stage("syn", radius=2, iterations=(10, 5)),
        ]
        return phantom, fixed, moving, cudaspline.register(fixed, moving, stages, device="cpu")

    def test_images_and_points(self, found):
        phantom, fixed, moving, result = found
        warped = cudaspline.resample(
            moving, result.transform, fixed, interpolation="linear", smooth=False, device="cpu"
        )
        assert numpy.array_equal(warped.array, result.warped.array)
        assert numpy.array_equal(
            result.transform.resample(moving, fixed, smooth=False, device="cpu").array,
            result.warped.array,
        )
        places = phantom.inner()
        assert difference(result.transform.apply(places[0]), result.transform.apply(places)[0]) == 0
        whole = places.reshape(-1, 2, 3)
        assert result.transform.apply(whole).shape == whole.shape
        assert result.transform.apply(numpy.empty((0, 3))).shape == (0, 3)
        assert (
            difference(
                pickle.loads(pickle.dumps(result.transform)).apply(places),
                result.transform.apply(places),
            )
            == 0
        )

    def test_composition(self, found):
        phantom, _, _, result = found
        places = phantom.inner()
        shift = numpy.array([[1, 0, 0, 1.0], [0, 1, 0, 2.0], [0, 0, 1, 3.0]])
        after = cudaspline.Transform(shift, 3) @ result.transform
        assert difference(after.apply(places), result.transform.apply(places) + [1, 2, 3]) < 1e-9
        before = result.transform @ shift
        assert difference(before.apply(places), result.transform.apply(places + [1, 2, 3])) < 1e-9
        assert difference((shift @ result.transform).apply(places), after.apply(places)) == 0
        assert (
            difference((result.transform.inverse() @ result.transform).apply(places), places) < 0.3
        )

    @pytest.mark.parametrize("name", ["transform.h5", "transform.tfm"])
    def test_files_that_hold_all_of_it(self, found, sitk, tmp_path, name):
        phantom, fixed, moving, result = found
        result.transform.save(tmp_path / name)
        read = sitk.ReadTransform(str(tmp_path / name))
        places = phantom.inner()[::50]
        wanted = result.transform.apply(places)
        assert difference([read.TransformPoint(place.tolist()) for place in places], wanted) < 1e-6
        again = cudaspline.resample(
            moving, str(tmp_path / name), fixed, interpolation="linear", smooth=False
        )
        assert difference(again.array, result.warped.array) < 1e-3

    @pytest.mark.parametrize("name", ["affine.mat", "affine.tfm", "affine.txt"])
    def test_files_of_matrices(self, rng, tmp_path, name):
        phantom = Phantom(rng, (24, 22, 18))
        fixed, moving = phantom.images(phantom.linear(rng, "affine"))
        result = cudaspline.register(fixed, moving, "affine", iterations=5, device="cpu")
        result.transform.save(tmp_path / name)
        read = cudaspline.Transform(str(tmp_path / name), 3)
        assert (
            difference(read.matrix, result.transform.matrix)
            < 1e-12 * numpy.abs(result.transform.matrix).max() * 10
        )
        sitk = pytest.importorskip("SimpleITK")
        theirs = sitk.ReadTransform(str(tmp_path / name)).Downcast()
        assert difference(theirs.GetCenter(), result.transform._parts[0].centre) == 0
        place = phantom.middle + 3
        assert (
            difference(theirs.TransformPoint(place.tolist()), result.transform.apply(place)) < 1e-9
        )

    def test_displacements_in_files(self, found, sitk, tmp_path):
        phantom, fixed, _, result = found
        result.transform.save(tmp_path / "field.nii.gz", fixed)
        image = sitk.ReadImage(str(tmp_path / "field.nii.gz"))
        assert difference(sitk.GetArrayFromImage(image), result.field.array) < 1e-4
        read = cudaspline.Transform(str(tmp_path / "field.nii.gz"), 3)
        assert (
            difference(read.apply(phantom.inner()), result.transform.apply(phantom.inner())) < 1e-3
        )

    def test_what_ants_reads(self, found, sitk, tmp_path):
        _, fixed, moving, result = found
        files = result.transform.save_ants(tmp_path / "out", fixed)
        assert [file.name for file in files] == [
            "out0GenericAffine.mat",
            "out1Warp.nii.gz",
            "out1InverseWarp.nii.gz",
        ]
        forth = [str(files[1]), str(files[0])]
        back = [(str(files[0]), "inverse"), str(files[2])]
        warped = cudaspline.resample(
            moving, forth, fixed, transform_order="ants", interpolation="linear", smooth=False
        )
        largest = numpy.abs(moving.array).max()
        assert difference(warped.array, result.warped.array) < 1e-4 * largest
        warped = cudaspline.resample(
            fixed, back, moving, transform_order="ants", interpolation="linear", smooth=False
        )
        assert difference(warped.array, result.inverse_warped.array) < 1e-3 * largest
        linear = cudaspline.Transform(numpy.diag([1.1, 1, 1]), 3).save_ants(
            tmp_path / "linear", fixed
        )
        assert [file.name for file in linear] == ["linear0GenericAffine.mat"]

    def test_places_that_are_far(self):
        """Coordinates of any unit, as nanometres."""
        origin = numpy.array([3e6, -2e7])
        grid = cudaspline.Image(numpy.zeros((10, 12)), 1e5, origin)
        field = cudaspline.DisplacementField(
            numpy.full((10, 12, 2), [3e4, -2e4]), spacing=1e5, origin=origin
        )
        transform = cudaspline.Transform([field, [[1.0, 0, 5e4], [0, 1.0, 0]]], 2)
        assert difference(transform.apply(origin + 2e5), origin + 2e5 + [8e4, -2e4]) < 1e-3
        assert difference(transform.field(grid, dtype="float64").array[3, 4], [8e4, -2e4]) < 1e-3
        assert numpy.isnan(
            cudaspline.Transform([numpy.diag([1e9, 1.0]), field], 2).apply([1e4, 1e4])
        ).any()

    @pytest.mark.filterwarnings("ignore::cudaspline.ResamplingWarning")  # of the domain's edge
    @pytest.mark.parametrize("unit", [0.01, 1.0, 1000.0])  # mm
    def test_inverses_of_splines(self, unit):
        """An inverse by iteration is sampled as finely as the grid that it is asked for on, and as
        cells take it without one."""
        turn = numpy.array([[0.8, -0.6], [0.6, 0.8]])
        fixed = cudaspline.Image(
            numpy.zeros((40, 44)), 1.5 * unit, numpy.array([20.0, -30.0]) * unit, turn
        )
        first = fixed.origin - turn @ numpy.full(2, 12.0 * unit)
        coefficients = numpy.random.default_rng(5).uniform(-2, 2, (2, 8, 9)) * unit
        transform = cudaspline.Transform(
            cudaspline.BSplineGrid(coefficients, 12.0 * unit, first, turn), 2
        )
        columns, rows = numpy.meshgrid(numpy.arange(10, 34), numpy.arange(10, 30))
        places = numpy.stack([columns, rows], axis=-1) * 1.5 * unit @ turn.T + fixed.origin
        assert difference(transform.apply(places), places) > unit
        assert difference(transform.apply(transform.inverse().apply(places)), places) < 0.1 * unit
        there = places + transform.inverse().field(fixed, dtype="float64").array[10:30, 10:34]
        assert difference(transform.apply(there), places) < 0.03 * unit

    def test_objects_of_simpleitk(self, found, sitk):
        phantom, _, _, result = found
        places = phantom.inner()[::50]
        for transform in (result.transform, result.transform.inverse()):
            theirs = transform.to_simpleitk()
            assert (
                difference(
                    [theirs.TransformPoint(place.tolist()) for place in places],
                    transform.apply(places),
                )
                < 1e-6
            )
        grid = cudaspline.BSplineGrid(
            numpy.random.default_rng(3).uniform(-1, 1, (3, 6, 6, 6)), 10.0, phantom.middle - 25
        )
        spline = cudaspline.Transform(grid, 3)
        theirs = spline.to_simpleitk()
        assert (
            difference(
                [theirs.TransformPoint(place.tolist()) for place in places], spline.apply(places)
            )
            < 1e-6
        )
        assert cudaspline.Transform(None, 3).to_simpleitk().GetTransformEnum() == sitk.sitkIdentity

    def test_objects_of_itk(self, found):
        itk = pytest.importorskip("itk")
        phantom, _, _, result = found
        theirs = result.transform.to_itk()
        places = phantom.inner()[::50]
        points = [theirs.TransformPoint(itk.Point[itk.D, 3](place.tolist())) for place in places]
        assert (
            difference(
                [[point[d] for d in range(3)] for point in points], result.transform.apply(places)
            )
            < 1e-6
        )
