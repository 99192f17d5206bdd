"""Everyday jobs: what CudaSplineResample does, and Python does too. Where the program is there
(CUDASPLINE_RESAMPLE names it) results are compared with its files; also with SimpleITK, nibabel and
closed forms.

Tolerances against the program: both have the same kernels. Places differ by the rounding of the
inverse of the image's axes, some 1e-13 samples, which moves values of float32 by its own rounding:
1e-6 of the range, times the supports' gain. Labels, and integers that are cut off, may differ where
a value is a rounding away from the next: in less than a thousandth.
"""

import os
import re
import subprocess
import time
import tracemalloc
import warnings

import numpy
import pytest

import cudaspline
from conftest import difference
from cudaspline.transforms import _inverse, _transforms
from test_resample import make_image, make_transforms, turned

PROGRAM = os.environ.get("CUDASPLINE_RESAMPLE", "")
needs_program = pytest.mark.skipif(
    not os.path.exists(PROGRAM), reason="CUDASPLINE_RESAMPLE names no program to compare with"
)
NEAR = 1e-5  # of the range, for float32
STEP = re.compile(r"([\d.e+-]+) (?:input voxels|samples) per step along ([xyz])")


def run(*arguments):
    """What the program says on stderr."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments), "--device", "cpu"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def caught(function, *arguments, **options):
    """(result, warnings of the package)."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*arguments, **options)
    return result, [one for one in found if issubclass(one.category, cudaspline.ResamplingWarning)]


@pytest.fixture
def sitk():
    return pytest.importorskip("SimpleITK")


@pytest.fixture
def nibabel():
    return pytest.importorskip("nibabel")


def blobs(rng, shape, labels=4):
    """An image of connected labels."""
    axes = numpy.meshgrid(*[numpy.linspace(0, 2 * numpy.pi, n) for n in shape], indexing="ij")
    value = sum(numpy.sin(axis * rng.uniform(0.7, 1.5) + rng.uniform(0, 6)) for axis in axes)
    edges = numpy.quantile(value, numpy.linspace(0, 1, labels + 1)[1:-1])
    return numpy.digitize(value, edges).astype("u1") * 10


class TestSeries:
    """Of a series of volumes each is resampled, and its axis stays."""

    TURN = numpy.array(
        [[0.98, -0.17, 0.02, 0.9], [0.17, 0.98, 0.05, -1.1], [-0.03, -0.05, 0.99, 0.4]]
    )

    @pytest.mark.parametrize("kind", ["array", "Image", "SimpleITK", "nibabel"])
    @pytest.mark.parametrize(
        "options",
        [
            dict(),
            dict(interpolation="label-linear"),
            dict(rounding="nearest", dtype="int16"),
            dict(smooth="auto", size=(5, 5, 5), spacing=2.0),
        ],
    )
    def test_each_volume_is_resampled(self, rng, kind, options):
        volumes = rng.integers(-90, 90, (4, 9, 11, 12)).astype("f4")
        if options.get("interpolation"):
            volumes = numpy.abs(volumes // 30)
        wanted = numpy.stack(
            [
                cudaspline.resample(volume, self.TURN, default=-7, **{"smooth": False, **options})
                for volume in volumes
            ]
        )
        options = {"smooth": False, **options}
        if kind == "array":
            found = cudaspline.resample(volumes, self.TURN, default=-7, series=True, **options)
        elif kind == "Image":
            image = cudaspline.Image(volumes, (1, 1, 1, 0.8), (0, 0, 0, 3))
            found = cudaspline.resample(image, self.TURN, default=-7, **options)
            spacing = options.get("spacing", 1)
            first = [
                0.5 * (n - 1 - spacing * (m - 1)) for n, m in zip((12, 11, 9), found.geometry.size)
            ]  # the middle stays
            assert found.spacing.tolist() == [spacing] * 3 + [0.8] and found.origin.tolist() == [
                *first,
                3,
            ]
            found = found.array
        elif kind == "SimpleITK":
            sitk = pytest.importorskip("SimpleITK")
            image = sitk.GetImageFromArray(volumes, isVector=False)
            image.SetSpacing((1, 1, 1, 0.8))
            result = cudaspline.resample(image, self.TURN, default=-7, **options)
            assert result.GetDimension() == 4 and result.GetSpacing()[3] == 0.8
            found = sitk.GetArrayFromImage(result)
        else:
            nibabel = pytest.importorskip("nibabel")
            image = nibabel.Nifti1Image(
                volumes.T, numpy.diag([-1.0, -1, 1, 1])
            )  # LPS by its indices
            image.header.set_zooms((1, 1, 1, 0.8))
            result = cudaspline.resample(image, self.TURN, default=-7, **options)
            assert (
                isinstance(result, nibabel.Nifti1Image)
                and abs(result.header.get_zooms()[3] - 0.8) < 1e-6
            )
            found = numpy.asanyarray(result.dataobj).T
        assert found.dtype == wanted.dtype and numpy.array_equal(found, wanted)

    def test_components_stay_beside_each_other(self, rng, nibabel):
        volumes = rng.uniform(-1, 1, (3, 8, 9, 10, 2)).astype("f4")
        wanted = numpy.stack(
            [cudaspline.resample(volume, self.TURN, channels=True) for volume in volumes]
        )
        assert numpy.array_equal(
            cudaspline.resample(volumes, self.TURN, series=True, channels=True), wanted
        )
        image = cudaspline.Image(volumes, (1, 1, 1, 2), channels=True)
        assert numpy.array_equal(cudaspline.resample(image, self.TURN).array, wanted)
        image = nibabel.Nifti1Image(
            volumes.transpose(3, 2, 1, 0, 4), numpy.diag([-1.0, -1, 1, 1])
        )  # (x, y, z, t, component)
        found = numpy.asanyarray(cudaspline.resample(image, self.TURN).dataobj)
        assert numpy.array_equal(found.transpose(3, 2, 1, 0, 4), wanted)

    def test_arrays_say_what_their_axes_are(self, rng):
        volumes = rng.uniform(-1, 1, (4, 8, 9, 10)).astype("f4")
        with pytest.raises(ValueError, match="^image: .*series=True.*channels='last'"):
            cudaspline.resample(volumes)
        of_components = cudaspline.resample(volumes, self.TURN[:, :], channels="last")
        assert of_components.shape == volumes.shape
        with pytest.raises(ValueError, match="^image: .*4 axes"):
            cudaspline.resample(cudaspline.Image(volumes), series=False)
        with pytest.raises(ValueError, match="^series: "):
            cudaspline.resample(volumes[0, 0, 0], series=True)
        # Slices, too, if requested.
        slices = cudaspline.resample(volumes[0], self.TURN[:2, [0, 1, 3]], series=True)
        assert numpy.array_equal(
            slices[3], cudaspline.resample(volumes[0, 3], self.TURN[:2, [0, 1, 3]])
        )

    def test_a_series_is_a_grid(self, rng, sitk, nibabel):
        image = cudaspline.Image(rng.uniform(-1, 1, (8, 9, 10)), 2.0)
        grid = cudaspline.Image(numpy.zeros((5, 6, 7)), (2, 3, 4), (1, 2, 3))
        wanted = cudaspline.resample(image, None, grid, order=1, smooth=False)
        series = cudaspline.Image(numpy.zeros((3, 5, 6, 7)), (2, 3, 4, 0.5), (1, 2, 3, 9))
        of_itk = sitk.Image([7, 6, 5, 3], sitk.sitkUInt8)
        of_itk.SetSpacing((2, 3, 4, 0.5))
        of_itk.SetOrigin((1, 2, 3, 9))
        affine = numpy.diag([-2.0, -3, 4, 1])
        affine[:3, 3] = -1, -2, 3
        for reference in (
            series,
            series.geometry,
            of_itk,
            nibabel.Nifti1Image(numpy.zeros((7, 6, 5, 3), "u1"), affine),
        ):
            found = cudaspline.resample(image, None, reference, order=1, smooth=False)
            assert (
                numpy.array_equal(found.array, wanted.array) and found.geometry == wanted.geometry
            )
        both = cudaspline.resample(series, None, series)
        assert both.geometry == series.geometry

    def test_volumes_are_read_one_by_one(self, rng, nibabel, tmp_path):
        """Of a file of scaled integers, whose volumes are made when they are read: 40 of 0.25 MB
        each as float64."""
        data = rng.integers(0, 200, (32, 32, 32, 40)).astype("i2")
        image = nibabel.Nifti1Image(data, numpy.eye(4))
        image.header.set_slope_inter(0.5, 1)
        nibabel.save(image, tmp_path / "series.nii")
        read = nibabel.load(tmp_path / "series.nii")
        cudaspline.resample(
            nibabel.Nifti1Image(data[..., :2], numpy.eye(4))
        )  # what the first call imports
        tracemalloc.start()
        try:
            result = cudaspline.resample(read, dtype="float32", interpolation="linear")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        output, volume = 40 * 32**3 * 4, 32**3 * 8
        assert peak < output + 8 * volume, (peak - output) / volume
        assert difference(result.dataobj, read.dataobj) < 1e-4

    def test_outputs_of_the_caller(self, rng):
        volumes = rng.uniform(-1, 1, (4, 8, 9, 10)).astype("f4")
        wanted = cudaspline.resample(volumes, self.TURN, series=True)
        memory = numpy.zeros(volumes.size + 50, "f4")
        memory[: volumes.size] = volumes.ravel()
        image, out = (
            memory[: volumes.size].reshape(volumes.shape),
            memory[50:].reshape(volumes.shape),
        )
        assert cudaspline.resample(image, self.TURN, series=True, out=out) is out
        assert numpy.array_equal(out, wanted)
        # An array that is not in the library's order is read before anything is written.
        image = numpy.asfortranarray(volumes)
        assert numpy.array_equal(cudaspline.resample(image, self.TURN, series=True), wanted)

    def test_progress_goes_on(self, rng):
        seen = []
        cudaspline.resample(
            rng.uniform(size=(4, 20, 20, 20)),
            series=True,
            progress=seen.append,
            device="cpu",
            size=(10,) * 3,
            spacing=2.0,
            smooth="auto",
        )
        assert seen and seen == sorted(seen) and 0 <= seen[0] and seen[-1] == 1

    def test_zoom_and_sample(self, rng):
        volumes = rng.uniform(-1, 1, (4, 8, 9, 10))
        image = cudaspline.Image(volumes, (1, 2, 3, 4))
        found = cudaspline.zoom(image, (1, 2, 3), order=1)
        wanted = [
            cudaspline.zoom(cudaspline.Image(volume, (1, 2, 3)), (1, 2, 3), order=1)
            for volume in volumes
        ]
        assert numpy.array_equal(
            found.array, numpy.stack([one.array for one in wanted])
        ) and found.spacing.tolist() == [1, 1, 1, 4]
        assert numpy.array_equal(
            cudaspline.zoom(volumes, 2, series=True),
            numpy.stack([cudaspline.zoom(volume, 2) for volume in volumes]),
        )
        points = rng.uniform(1, 6, (5, 3))
        for given, options in ((image, {}), (volumes, dict(series=True, coordinates="index"))):
            at = points * (image.spacing[:3] if given is image else 1)
            values, slopes = cudaspline.sample(given, at, gradient=True, **options)
            assert values.shape == (5, 4) and slopes.shape == (5, 3, 4)
            for number, volume in enumerate(volumes):
                alone = cudaspline.sample(volume, points, coordinates="index", order=3)
                assert difference(values[:, number], alone) < 1e-12
        with pytest.raises(ValueError, match="^series: "):
            cudaspline.resample(cudaspline.Source(volumes[0]), series=True)

    def test_the_axis_of_volumes_stands_alone(self, rng):
        direction = numpy.eye(4)
        direction[:2, :2] = direction[2:, 2:] = [[0.8, -0.6], [0.6, 0.8]]
        with pytest.raises(ValueError, match="^image: .*orthogonal to the others"):
            cudaspline.resample(
                cudaspline.Image(rng.uniform(size=(3, 4, 5, 6)), direction=direction)
            )

    @needs_program
    @pytest.mark.parametrize("suffix", [".nii.gz", ".nrrd"])
    def test_as_the_program(self, rng, sitk, tmp_path, suffix):
        series = sitk.GetImageFromArray(
            rng.uniform(-100, 100, (5, 12, 13, 14)).astype("f4"), isVector=False
        )
        series.SetSpacing((1, 1.5, 2, 0.7))
        rigid = sitk.Euler3DTransform([7, 9, 12], 0.1, -0.2, 0.15, [0.5, 1, -1])
        sitk.WriteImage(series, str(tmp_path / f"in{suffix}"))
        sitk.WriteTransform(rigid, str(tmp_path / "rigid.tfm"))
        run(
            tmp_path / f"in{suffix}",
            tmp_path / f"out{suffix}",
            "-t",
            tmp_path / "rigid.tfm",
            "-i",
            "bspline",
        )
        wanted = sitk.ReadImage(str(tmp_path / f"out{suffix}"))
        found = cudaspline.resample(series, str(tmp_path / "rigid.tfm"), order=3)
        assert difference(found.GetSpacing(), wanted.GetSpacing()) < 1e-6
        edge = (sitk.GetArrayFromImage(found) == 0) != (sitk.GetArrayFromImage(wanted) == 0)
        assert edge.mean() < 1e-3
        assert (
            difference(sitk.GetArrayFromImage(found)[~edge], sitk.GetArrayFromImage(wanted)[~edge])
            < NEAR * 200 * 3
        )


class TestColours:
    """Each number of a pixel by itself, and pixels of the same kind."""

    def test_of_simpleitk(self, rng, sitk):
        array = rng.integers(0, 256, (20, 30, 3)).astype("u1")
        image = sitk.GetImageFromArray(array, isVector=True)
        found = cudaspline.resample(image, [[0.9, 0.1, 1], [-0.1, 0.9, 2]], rounding="nearest")
        assert (
            found.GetPixelIDValue() == sitk.sitkVectorUInt8
            and found.GetNumberOfComponentsPerPixel() == 3
        )
        for component in range(3):
            alone = cudaspline.resample(
                array[..., component].copy(), [[0.9, 0.1, 1], [-0.1, 0.9, 2]], rounding="nearest"
            )
            assert numpy.array_equal(sitk.GetArrayFromImage(found)[..., component], alone)

    @pytest.mark.parametrize("pixel", ["RGBPixel", "RGBAPixel", "Vector"])
    def test_of_itk(self, rng, pixel):
        itk = pytest.importorskip("itk")
        count = 4 if pixel == "RGBAPixel" else 3
        if pixel == "Vector":
            kind, array = (
                itk.Image[itk.Vector[itk.F, 3], 2],
                rng.uniform(-1, 1, (20, 30, 3)).astype("f4"),
            )
        else:
            kind, array = (
                itk.Image[getattr(itk, pixel)[itk.UC], 2],
                rng.integers(0, 256, (20, 30, count)).astype("u1"),
            )
        image = itk.image_from_array(array, ttype=kind)
        found = cudaspline.resample(image, [[0.9, 0.1, 1], [-0.1, 0.9, 2]])
        assert type(found) is type(image)
        wanted = cudaspline.resample(array, [[0.9, 0.1, 1], [-0.1, 0.9, 2]], channels=True)
        assert numpy.array_equal(itk.array_from_image(found), wanted)

    @needs_program
    def test_pictures_as_the_program(self, rng, sitk, tmp_path):
        smooth = (
            cudaspline.zoom(rng.uniform(0, 256, (3, 8, 9)), 5, series=True, order=3)
            .clip(0, 255)
            .astype("u1")
        )
        picture = sitk.GetImageFromArray(numpy.moveaxis(smooth, 0, -1).copy(), isVector=True)
        sitk.WriteImage(picture, str(tmp_path / "in.png"))
        run(
            tmp_path / "in.png",
            tmp_path / "out.png",
            "--size",
            "30,20",
            "--smooth",
            "auto",
            "--round",
            "nearest",
        )
        wanted = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "out.png"))).astype("i4")
        found = cudaspline.zoom(
            picture,
            None,
            size=(30, 20),
            smooth="auto",
            rounding="nearest",
            interpolation="linear",
            boundary="itk",
        )
        found = sitk.GetArrayFromImage(found).astype("i4")
        assert (
            found.shape == wanted.shape
            and numpy.abs(found - wanted).max() <= 1
            and (found != wanted).mean() < 1e-3
        )


def places(transform, points, **options):
    """Where places go by a transform (3D), each as the value of an image of coordinates."""
    span = numpy.linspace(-200, 200, 41)
    array = numpy.stack(numpy.meshgrid(span, span, span, indexing="ij")[::-1], axis=-1)
    image = cudaspline.Image(array, 10.0, -200.0, channels=True)
    found = [
        cudaspline.resample(
            image,
            transform,
            size=(1, 1, 1),
            origin=point,
            interpolation="linear",
            default=numpy.nan,
            **options,
        ).array.ravel()
        for point in points
    ]
    return numpy.array(found)


class TestTransforms:
    """Of ANTs, and inverted."""

    def moved(self, rng, sitk, tmp_path):
        """An image with a field, an affine map and a B-spline in files, as ANTs and ITK write
        them."""
        image = make_image(sitk, rng, "float32")
        transforms = make_transforms(sitk, rng, image)
        # Displacements that are 0 at the rim, with slopes below 1: there is an inverse, and
        # iterations find it everywhere.
        span = [numpy.linspace(0, 2 * numpy.pi, n) for n in (19, 26, 31)]
        wave = numpy.stack(
            numpy.meshgrid(*[numpy.sin(axis + rng.uniform(0, 6)) for axis in span], indexing="ij"),
            axis=-1,
        )
        rim = numpy.prod(
            numpy.meshgrid(*[numpy.sin(axis / 2) for axis in span], indexing="ij"), axis=0
        )
        rim[[0, -1]] = rim[:, [0, -1]] = rim[..., [0, -1]] = 0
        field = sitk.GetImageFromArray(
            rim[..., None] * (wave @ rng.uniform(-0.4, 0.4, (3, 3))), isVector=True
        )
        field.CopyInformation(image)
        sitk.WriteImage(field, str(tmp_path / "1Warp.nii.gz"))
        sitk.WriteTransform(transforms["affine"], str(tmp_path / "0GenericAffine.mat"))
        spline = sitk.BSplineTransformInitializer(image, [8, 8, 8], order=3)
        coefficients = numpy.zeros((3, 11, 11, 11))
        coefficients[:, 3:-3, 3:-3, 3:-3] = rng.uniform(-0.4, 0.4, (3, 5, 5, 5))
        spline.SetParameters(coefficients.ravel().tolist())
        sitk.WriteTransform(spline, str(tmp_path / "spline.tfm"))
        sitk.WriteImage(image, str(tmp_path / "image.nii.gz"))
        return (
            sitk.ReadImage(str(tmp_path / "image.nii.gz")),
            sitk.ReadImage(str(tmp_path / "1Warp.nii.gz")),
            transforms["affine"],
            spline,
        )

    def test_lists_in_either_order(self, rng, sitk, tmp_path):
        image, field, affine, _ = self.moved(rng, sitk, tmp_path)
        points = [
            image.TransformContinuousIndexToPhysicalPoint(rng.uniform(5, 12, 3).tolist())
            for _ in range(5)
        ]
        warp = sitk.DisplacementFieldTransform(sitk.Cast(field, sitk.sitkVectorFloat64))
        wanted = numpy.array(
            [affine.TransformPoint(warp.TransformPoint(point)) for point in points]
        )
        files = [str(tmp_path / "1Warp.nii.gz"), tmp_path / "0GenericAffine.mat"]
        assert (
            difference(places(files, points, transform_order="ants"), wanted) < 1e-6
        )  # the file has float32
        assert difference(places(files[::-1], points), wanted) < 1e-6
        assert (
            difference(places(files, points), wanted) > 1e-3
        )  # ITK's order is the other one, and the default
        assert (
            difference(
                places(["identity", None, *files, "identity"], points, transform_order="ants"),
                wanted,
            )
            < 1e-6
        )
        with pytest.raises(ValueError, match="^transform_order: "):
            cudaspline.resample(image, files, transform_order="fsl")

    def test_files_and_composites_keep_their_order(self, rng, sitk, tmp_path):
        image = make_image(sitk, rng)
        transforms = make_transforms(sitk, rng, image)
        chain = sitk.CompositeTransform([transforms["rigid"], transforms["affine"]])
        sitk.WriteTransform(chain, str(tmp_path / "chain.tfm"))
        points = rng.uniform(-20, 20, (4, 3)).tolist()
        wanted = numpy.array([chain.TransformPoint(point) for point in points])
        for transform in (chain, tmp_path / "chain.tfm", [tmp_path / "chain.tfm"]):
            for order in ("itk", "ants"):
                assert difference(places(transform, points, transform_order=order), wanted) < 1e-9

    @pytest.mark.parametrize(
        "name", ["translation", "scale", "versor", "similarity", "rigid", "affine"]
    )
    def test_inverses_of_matrices(self, rng, sitk, tmp_path, name):
        image = make_image(sitk, rng)
        transform = make_transforms(sitk, rng, image)[name]
        points = rng.uniform(-20, 20, (4, 3)).tolist()
        wanted = numpy.array([transform.GetInverse().TransformPoint(point) for point in points])
        file = str(tmp_path / "transform.mat")
        sitk.WriteTransform(transform, file)
        for given in (
            (transform, "inverse"),
            [transform, 1],
            (transform, True),
            [file, 1],
            f"[{file},1]",
            f"{file},inverse",
            [[file, 1]],
            [file, numpy.int64(1)],
        ):
            assert difference(places(given, points), wanted) < 1e-9
            assert cudaspline.last_report().inverses == ()
        forth = numpy.array([transform.TransformPoint(point) for point in points])
        for given in (
            [transform, 0],
            (transform, False),
            f"[{file},0]",
            f"[{file}]",
            [[(transform, "inverse"), 1]],
        ):
            assert difference(places(given, points), forth) < 1e-9

    def test_inverses_of_chains(self, rng, sitk, tmp_path):
        """The inverse of a composite is that of its transforms in the other order."""
        image, _, affine, _ = self.moved(rng, sitk, tmp_path)
        files = [tmp_path / "0GenericAffine.mat", str(tmp_path / "1Warp.nii.gz")]
        middle = image.TransformContinuousIndexToPhysicalPoint([15.0, 12.0, 9.0])
        points = (numpy.array(middle) + rng.uniform(-4, 4, (4, 3))).tolist()
        for order in ("itk", "ants"):
            both = [(files, "inverse"), files] if order == "itk" else [files, (files, "inverse")]
            # Between its samples the inverse is interpolated: second derivatives of 1.2 (2 pi /
            # 18)^2 an axis, of the inverse up to 1 / (1 - slope)^3 times these, divided by 8.
            assert difference(places(both, points, transform_order=order), points) < 0.1
            assert difference(places(files, points, transform_order=order), points) > 0.2

    def test_inverses_by_iteration(self, rng, sitk, tmp_path):
        image, field, _, spline = self.moved(rng, sitk, tmp_path)
        for transform, name in (
            (str(tmp_path / "1Warp.nii.gz"), "1Warp"),
            (cudaspline.DisplacementField(field), "transform"),
            (spline, "transform"),
        ):
            both, told = caught(
                cudaspline.resample,
                image,
                [(transform, "inverse"), transform],
                interpolation="linear",
                smooth=False,
            )
            (inverse,) = cudaspline.last_report().inverses
            assert name in inverse.name and 0 < inverse.mean < inverse.largest
            # Within the domain of the transform places come back: what is left is the residual, and
            # that of interpolating the inverse.
            array, wanted = sitk.GetArrayFromImage(both), sitk.GetArrayFromImage(image)
            inner = (slice(6, -6),) * 3
            still = sitk.GetArrayFromImage(
                cudaspline.resample(image, transform, interpolation="linear", smooth=False)
            )
            assert (
                numpy.abs(array - wanted)[inner].mean()
                < 0.2 * numpy.abs(still - wanted)[inner].mean()
            )
            assert inverse.largest <= 1e-4 and told == []

    @pytest.mark.parametrize("dimension", [1, 2, 3])
    def test_places_are_mapped_by_lists(self, rng, dimension):
        """Lists of any length: more than a line of points, and one."""
        matrix, offset = rng.uniform(-1, 1, (dimension, dimension)), rng.uniform(-9, 9, dimension)
        stages = _transforms.describe(numpy.column_stack([matrix, offset]), dimension, -1)
        for count in (1, 2, 1024, 1025, 3000):
            points = rng.uniform(-300, 300, (count, dimension))
            assert (
                difference(_inverse.map_points(stages, points), points @ matrix.T + offset) < 1e-8
            )  # at 2^20 mm the resolution is 1e-10
        assert numpy.isnan(_inverse.map_points(stages, numpy.full((1, dimension), 1e9))).any()

    def test_folds_are_told(self, rng):
        vectors = numpy.zeros((8, 8, 8, 3))
        vectors[..., 0] = -3.0 * numpy.arange(
            8
        )  # x to -2 x: it folds, and what iterates is repelled
        field = cudaspline.DisplacementField(vectors)
        _, told = caught(
            cudaspline.resample, rng.uniform(size=(8, 8, 8)), (field, "inverse"), smooth=False
        )
        (inverse,) = cudaspline.last_report().inverses
        assert inverse.largest > 1
        assert any(
            one.category is cudaspline.ResamplingWarning
            and f"{inverse.largest:g} mm" in str(one.message)
            for one in told
        )

    @pytest.mark.parametrize("dimension", [1, 2, 3])
    def test_inverses_of_steep_fields(self, dimension):
        """x to 2.5 x, from which the undamped iteration moves away."""
        size = (9,) * dimension
        centred = numpy.stack(numpy.indices(size)[::-1], axis=-1) - 4.0
        stages = _transforms.describe(cudaspline.DisplacementField(1.5 * centred), dimension, -1)
        vectors, found = _inverse.invert(stages, stages.grid_of(0))
        assert found.mean <= found.largest <= 1e-4
        assert difference(vectors, (1 / 2.5 - 1) * centred) < 1e-4

    def test_inverses_that_are_nearly_found_are_kept(self):
        """A rotation by up to 70 degrees in the middle, for which some samples need more steps."""
        places = numpy.stack(numpy.indices((33, 33))[::-1], axis=-1) - 16.0
        angle = numpy.radians(70.0) * numpy.exp(-((numpy.hypot(*places.T).T / 12) ** 4))
        cosine, sine = numpy.cos(angle), numpy.sin(angle)
        x, y = places[..., 0], places[..., 1]
        turned = numpy.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)
        stages = _transforms.describe(cudaspline.DisplacementField(turned - places), 2, -1)
        assert _inverse.invert(stages, stages.grid_of(0))[1].largest < 0.01

    @pytest.mark.parametrize("unit", [0.001, 1.0, 1000.0])
    def test_inverses_are_as_accurate_in_all_units(self, unit):
        """Also the limit above which a sample has no inverse is a tenth of small voxels."""
        x, y = unit * numpy.indices((30, 40))[::-1]
        field = cudaspline.DisplacementField(
            numpy.stack([2.0 * unit * numpy.sin(x / (9 * unit)), 0.0 * y], axis=-1), spacing=unit
        )
        stages = _transforms.describe(field, 2, -1)
        vectors, found = _inverse.invert(stages, stages.grid_of(0))
        assert found.limit == pytest.approx(0.1 * min(unit, 1.0))
        moved = (x + vectors[..., 0]) / unit
        error = moved + 2.0 * numpy.interp(moved, numpy.arange(40), numpy.sin(numpy.arange(40) / 9))
        inner = slice(5, -5)
        assert numpy.abs(error - x / unit)[:, inner].max() < 2e-4

    def test_inverses_are_fast_where_there_is_none(self):
        """A shift by 8 of 64 samples: 70 s where each sample took all iterations in Python."""
        shift = numpy.zeros((64, 64, 64, 3))
        shift[..., 0] = 8.0
        stages = _transforms.describe(cudaspline.DisplacementField(shift), 3, -1)
        begin = time.monotonic()
        vectors, found = _inverse.invert(stages, stages.grid_of(0))
        assert time.monotonic() - begin < 10.0
        assert numpy.abs(vectors[..., 9:, 0] + 8.0).max() < 1e-4
        assert found.largest > found.limit

    def test_fields_of_inaccurate_inverses_warn(self):
        shift = numpy.zeros((5, 12, 2))
        shift[..., 0] = 3.0
        inverse = cudaspline.Transform(cudaspline.DisplacementField(shift), 2).inverse()
        with pytest.warns(cudaspline.ResamplingWarning, match="inaccurate"):
            inverse.field(numpy.zeros((5, 12)))

    @needs_program
    @pytest.mark.filterwarnings("ignore::cudaspline.ResamplingWarning")
    def test_inverses_are_those_of_the_program(self, sitk, rng, tmp_path):
        """A shift that leaves a gap, and a fold."""
        for number, vectors in enumerate((numpy.zeros((14, 20, 2)), numpy.zeros((14, 20, 2)))):
            if number == 0:
                vectors[..., 0] = 3.0
            else:
                vectors[..., 1] = 4.0 * numpy.sin(numpy.arange(14.0) * (2 * numpy.pi / 9))[:, None]
            names = [str(tmp_path / name) for name in ("field.nii.gz", "image.nii", "out.nii")]
            sitk.WriteImage(sitk.GetImageFromArray(vectors, isVector=True), names[0])
            sitk.WriteImage(sitk.GetImageFromArray(rng.uniform(size=(14, 20))), names[1])
            run(*names[1:], "--transform", f"{names[0]},inverse")
            ours = cudaspline.resample(names[1], f"{names[0]},inverse")
            written = sitk.GetArrayFromImage(sitk.ReadImage(names[2]))
            assert difference(numpy.asarray(ours.array), written) < 1e-5

    def test_inverses_continue_where_there_is_none(self):
        """A shift by 3 samples leaves a gap, to which nothing is mapped; in a fold three points are
        mapped to one. In the gap the inverse has no jumps of the size of the displacements, and the
        residual is reported."""
        shift = numpy.zeros((5, 12, 2))
        shift[..., 0] = 3.0
        stages = _transforms.describe(cudaspline.DisplacementField(shift), 2, -1)
        vectors, found = _inverse.invert(stages, stages.grid_of(0))
        assert found.largest > 0.4
        along = vectors[2, :, 0]
        assert numpy.abs(along[4:] + 3).max() < 1e-4
        assert (numpy.diff(along[:4]) < -0.4).all() and (numpy.diff(along[:4]) > -1.6).all()
        wave = numpy.zeros((5, 40, 2))
        wave[..., 0] = 4.0 * numpy.sin(numpy.arange(40.0) * (2 * numpy.pi / 13))
        stages = _transforms.describe(cudaspline.DisplacementField(wave), 2, -1)
        vectors = _inverse.invert(stages, stages.grid_of(0))[0]
        moved = numpy.abs(vectors[2, 6:-6, 0])
        assert moved.max() < 7 and moved[numpy.abs(wave[2, 6:-6, 0]) > 0.5].min() > 0.1

    @needs_program
    def test_folds_are_told_by_the_program(self, rng, sitk, tmp_path):
        vectors = numpy.zeros((8, 8, 8, 3))
        vectors[..., 0] = -3.0 * numpy.arange(8)
        field = sitk.GetImageFromArray(vectors, isVector=True)
        image = sitk.GetImageFromArray(rng.uniform(size=(8, 8, 8)).astype("f4"))
        names = [tmp_path / name for name in ("field.nii.gz", "image.nii", "out.nii")]
        sitk.WriteImage(field, str(names[0]))
        sitk.WriteImage(image, str(names[1]))
        said = run(*names[1:], "--transform", f"{names[0]},inverse")
        (left,) = re.findall(r"and at most ([\d.e+-]+) mm, where the transform folds", said)
        assert float(left) > 1

    def test_nibabel_reads_fields_too(self, rng, sitk, nibabel, tmp_path):
        _, field, _, _ = self.moved(rng, sitk, tmp_path)
        points = [
            field.TransformContinuousIndexToPhysicalPoint(rng.uniform(3, 15, 3).tolist())
            for _ in range(4)
        ]
        wanted = places(str(tmp_path / "1Warp.nii.gz"), points)
        loaded = nibabel.load(tmp_path / "1Warp.nii.gz")
        assert loaded.header.get_intent()[0] == "vector" and loaded.ndim == 5
        assert difference(places(loaded, points), wanted) < 1e-4  # its header has float32
        assert (
            difference(places(cudaspline.DisplacementField(loaded, space="RAS"), points), wanted)
            > 1e-3
        )
        ras = sitk.GetArrayFromImage(field) * numpy.array([-1, -1, 1])
        geometry = [
            field.GetSpacing(),
            field.GetOrigin(),
            numpy.reshape(field.GetDirection(), (3, 3)),
        ]
        assert (
            difference(
                places(cudaspline.DisplacementField(ras, *geometry, space="RAS"), points), wanted
            )
            < 1e-6
        )
        with pytest.raises(ValueError, match="^transform: its space"):
            places(cudaspline.DisplacementField(ras, space="LAS"), points)

    def test_files_that_are_none(self, rng, sitk, tmp_path):
        image = numpy.zeros((6, 6, 6))
        sitk.WriteImage(sitk.Image(6, 6, 6, sitk.sitkFloat32), str(tmp_path / "scalar.nii.gz"))
        field = sitk.GetImageFromArray(numpy.full((6, 6, 6, 3), numpy.nan), isVector=True)
        sitk.WriteImage(field, str(tmp_path / "nan.mha"))
        (tmp_path / "broken.nii.gz").write_bytes(b"\x1f\x8b" + rng.bytes(100))
        (tmp_path / "elastix.txt").write_text(
            '(Transform "EulerTransform")\n(TransformParameters 0 0 0 0 0 0)\n'
        )
        singular = sitk.AffineTransform(3)
        singular.SetMatrix([1, 0, 0, 0, 1, 0, 1, 1, 0])
        sitk.WriteTransform(singular, str(tmp_path / "singular.tfm"))
        affine = sitk.AffineTransform(3)
        sitk.WriteTransform(affine, str(tmp_path / "affine.mat"))
        whole = (tmp_path / "affine.mat").read_bytes()
        (tmp_path / "cut.mat").write_bytes(whole[:90])
        (tmp_path / "header.mat").write_bytes(whole[:10])
        (tmp_path / "other.mat").write_bytes(b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(90))
        for name, text in {
            "scalar.nii.gz": "3 components per pixel", "nan.mha": "not finite", "broken.nii.gz": "not an image of displacements", "elastix.txt": "CudaSplineResample can read",
            "singular.tfm": "is singular", "cut.mat": "truncated", "header.mat": "header", "other.mat": "MATLAB", ".": "is not a file",
        }.items():  # fmt: skip
            with pytest.raises(ValueError, match=rf"^transform\b.*{text}"):
                cudaspline.resample(image, tmp_path / name)
        with pytest.raises(FileNotFoundError, match=r"^transform \(affine.mat\): "):
            cudaspline.resample(image, ["affine.mat", 1])
        for matrix in (
            numpy.zeros((3, 3)),
            numpy.ones((4, 4)) * [[1], [1], [1], [0]] + numpy.diag([0, 0, 0, 1.0]),
        ):
            with pytest.raises(ValueError, match=r"^transform: .*singular .determinant 0."):
                cudaspline.resample(image, (matrix, "inverse"))
        with pytest.raises(TypeError, match=r"^transform\[1\]: "):
            cudaspline.resample(image, [numpy.eye(3), 2])

    def test_big_endian_matlab(self, sitk, tmp_path):
        affine = sitk.AffineTransform([1, 0.1, 0, 0, 1, 0.2, 0, 0, 1.1], [1.0, 2, 3])
        sitk.WriteTransform(affine, str(tmp_path / "affine.mat"))
        data, swapped, at = (tmp_path / "affine.mat").read_bytes(), b"", 0
        while at < len(data):
            header = numpy.frombuffer(data, "<u4", 5, at)
            name, count = data[at + 20 : at + 20 + header[4]], int(header[1] * header[2])
            begin = at + 20 + int(header[4])
            kind = header.copy()
            kind[0] += 1000
            swapped += (
                kind.astype(">u4").tobytes()
                + name
                + numpy.frombuffer(data, "<f8", count, begin).astype(">f8").tobytes()
            )
            at = begin + 8 * count
        (tmp_path / "swapped.mat").write_bytes(swapped)
        points = [[1.0, 2, 3], [-4, 5, 6]]
        assert numpy.array_equal(
            places(tmp_path / "swapped.mat", points), places(tmp_path / "affine.mat", points)
        )

    @needs_program
    @pytest.mark.parametrize("words", [
        ["1Warp.nii.gz", "0GenericAffine.mat"], ["[0GenericAffine.mat,1]", "1Warp.nii.gz,inverse"], ["identity", "[0GenericAffine.mat,0]"],
        ["spline.tfm,inverse"], ["spline.tfm", "1Warp.nii.gz,inverse", "0GenericAffine.mat,inverse"],
    ])  # fmt: skip
    @pytest.mark.parametrize("order", ["itk", "ants"])
    def test_as_the_program(self, rng, sitk, tmp_path, monkeypatch, words, order):
        image, *_ = self.moved(rng, sitk, tmp_path)
        monkeypatch.chdir(tmp_path)
        flags = ["--ants-order"] if order == "ants" else []
        said = run(
            "image.nii.gz",
            "out.nii.gz",
            "--transform",
            *words,
            *flags,
            "-i",
            "linear",
            "--default-value",
            "-7",
        )
        found = cudaspline.resample(
            image, words, interpolation="linear", default=-7, transform_order=order, smooth=False
        )
        report = cudaspline.last_report()
        found, wanted = (
            sitk.GetArrayFromImage(found),
            sitk.GetArrayFromImage(sitk.ReadImage("out.nii.gz")),
        )
        inside = (found != -7) & (wanted != -7)
        assert ((found == -7) != (wanted == -7)).mean() < 2e-3 and inside.mean() > 0.2
        # Inverses are fields of the same samples, each iterated to 1e-4 mm; images change by up to
        # 200 a sample of 0.7 mm, along three axes.
        inverted = any(word.endswith("inverse") and "mat" not in word for word in words)
        assert difference(found[inside], wanted[inside]) < (
            3 * 200 * 2e-4 / 0.7 if inverted else NEAR * 200 * 3
        )
        assert "is inaccurate" not in said  # which is for more than 0.1 mm
        assert len(report.inverses) == sum(
            word.endswith("inverse") and "mat" not in word for word in words
        )
        for inverse in report.inverses:
            assert 0 < inverse.mean <= inverse.largest <= 1e-4


#: Words of CudaSplineResample, and names of others for them.
NAMES = {
    "nearest": ("NearestNeighbor",), "linear": (), "bspline": ("B-Spline", "Cubic"), "catmull-rom": ("CatmullRom", "Catmull_Rom"),
    "mitchell": ("Mitchell-Netravali", "MitchellNetravali"), "lanczos": ("LanczosWindowedSinc",),
    "hamming": ("HammingWindowedSinc",), "cosine": ("CosineWindowedSinc",), "welch": ("WelchWindowedSinc",),
    "blackman": ("BlackmanWindowedSinc",), "label-gaussian": ("MultiLabel", "LabelGaussian"), "label-linear": ("GenericLabel",),
    "label-catmull-rom": (), "label-bspline": (),
}  # fmt: skip


def indicators(labels, resample):
    """The label with the largest interpolated indicator, by definition; -1 outside."""
    kinds = numpy.unique(labels)
    values = numpy.stack([resample((labels == label).astype("f8")) for label in kinds])
    winner = kinds[values.argmax(axis=0)].astype(
        "f8"
    )  # the first, the smallest label, of equal values
    return numpy.where(numpy.isnan(values[0]), -1, numpy.where(values.max(axis=0) > 0, winner, 0))


class TestInterpolations:
    """Every name that the program takes."""

    TURN = numpy.array(
        [[0.96, -0.27, 0.03, 2.9], [0.27, 0.96, 0.06, -2.1], [-0.04, -0.05, 0.99, 0.4]]
    )

    @pytest.mark.parametrize("name", NAMES)
    def test_other_names_are_the_same(self, rng, name):
        image = blobs(rng, (12, 13, 14))
        wanted = cudaspline.resample(image, self.TURN, interpolation=name)
        for other in (*NAMES[name], name.upper()):
            assert numpy.array_equal(
                cudaspline.resample(image, self.TURN, interpolation=other), wanted
            )
        assert wanted.any()

    @pytest.mark.parametrize("name", ["lanczos", "hamming", "cosine", "welch", "blackman"])
    def test_windows(self, rng, sitk, name):
        image = make_image(sitk, rng)
        turn = make_transforms(sitk, rng, image)["rigid"]
        found = cudaspline.resample(image, turn, interpolation=name, radius=5, default=-7)
        assert (
            difference(
                sitk.GetArrayFromImage(found),
                sitk.GetArrayFromImage(
                    cudaspline.resample(
                        image, turn, interpolation="sinc", window=name, radius=5, default=-7
                    )
                ),
            )
            == 0
        )
        wanted = sitk.Resample(
            image, image, turn, getattr(sitk, f"sitk{name.capitalize()}WindowedSinc"), -7
        )
        found, wanted = sitk.GetArrayFromImage(found), sitk.GetArrayFromImage(wanted)
        edge = (found == -7) != (wanted == -7)
        assert edge.mean() < 1e-3 and difference(found[~edge], wanted[~edge]) < 1e-7
        for other in ("welch", "cosine"):
            if other != name:
                with pytest.raises(ValueError, match="^window: "):
                    cudaspline.resample(image, interpolation=name, window=other)

    @pytest.mark.parametrize(
        "name, options",
        [
            ("label-linear", {}),
            ("label-catmull-rom", {}),
            *[("label-bspline", dict(order=order)) for order in range(6)],
        ],
    )
    @pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
    def test_indicators_by_definition(self, rng, name, options, dtype):
        labels = blobs(rng, (12, 13, 14)).astype(dtype)
        if dtype == "int64":
            labels = labels + (2**60 + 1)  # real numbers do not hold them
        kind = name[len("label-") :]
        wanted = indicators(
            labels - labels.min(),
            lambda image: cudaspline.resample(
                image, self.TURN, interpolation=kind, default=numpy.nan, **options
            ),
        )
        found = cudaspline.resample(
            labels, self.TURN, interpolation=name, default=labels.min() + 99, **options
        )
        found = (found - labels.min()).astype("f8")
        found[found == 99] = -1
        assert numpy.array_equal(found, wanted) and found.dtype == wanted.dtype
        # At points, too, with the same numbers.
        points = rng.uniform(0, 11, (50, 3))
        values = cudaspline.sample(labels, points, interpolation=name, dtype=dtype, **options)
        of_points = indicators(
            labels - labels.min(),
            lambda image: cudaspline.sample(
                image, points, interpolation=kind, default=numpy.nan, **options
            ),
        )
        assert numpy.array_equal((values - labels.min()).astype("f8"), of_points)

    def test_labels_that_are_none(self, rng):
        labels = blobs(rng, (6, 7, 8)).astype("f4")
        labels[0] = numpy.nan
        found = cudaspline.resample(labels, interpolation="label-linear")
        assert (
            numpy.array_equal(found[1:], labels[1:]) and not found[0].any()
        )  # no label is there: 0
        with pytest.raises(ValueError, match="^interpolation: .*values"):
            cudaspline.resample(rng.uniform(size=(50, 50, 50)), interpolation="label-linear")
        for options, name in (
            (dict(mode="texture"), "mode"), (dict(storage="half"), "storage"), (dict(precision="float32"), "precision"), (dict(prefilter="coefficients"), "prefilter"),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=f"^{name}: "):
                cudaspline.resample(labels, interpolation="label-bspline", **options)
        with pytest.raises(ValueError, match="^interpolation: .*Source"):
            cudaspline.Source(labels, interpolation="label-linear")
        with pytest.raises(ValueError, match="^gradient: "):
            cudaspline.sample(labels, [[1.0, 1, 1]], interpolation="label-linear", gradient=True)

    def test_labels_in_other_types_and_pixels(self, rng):
        labels = blobs(rng, (9, 8, 7)).astype("i2") * 20 - 100
        found = cudaspline.resample(labels, self.TURN, interpolation="label-linear", dtype="uint8")
        assert numpy.array_equal(
            found, cudaspline.resample(labels, self.TURN, interpolation="label-linear").clip(0, 255)
        )
        two = numpy.stack([labels, labels[::-1]], axis=-1)
        found = cudaspline.resample(
            two, self.TURN, interpolation="label-linear", channels=True, default=(-3, -4)
        )
        for component, default in enumerate((-3, -4)):
            assert numpy.array_equal(
                found[..., component],
                cudaspline.resample(
                    two[..., component].copy(),
                    self.TURN,
                    interpolation="label-linear",
                    default=default,
                ),
            )

    def test_label_gaussians_look_as_far_as_said(self, rng):
        labels = rng.integers(0, 4, (14, 15, 16)).astype("u1")
        near = cudaspline.resample(labels, self.TURN, interpolation="label")
        assert numpy.array_equal(
            near, cudaspline.resample(labels, self.TURN, interpolation="label-gaussian", cutoff=1)
        )
        far = cudaspline.resample(labels, self.TURN, interpolation="label-gaussian")
        assert (
            numpy.array_equal(
                far, cudaspline.resample(labels, self.TURN, interpolation="label", cutoff=4)
            )
            and (near != far).any()
        )

    @needs_program
    @pytest.mark.parametrize("name, flags, options", [
        *[(name, [], {}) for name in NAMES], *[("bspline", ["--order", order], dict(order=order)) for order in (0, 1, 2, 4, 5)],
        ("lanczos", ["--radius", 5], dict(radius=5)), ("label-gaussian", ["--sigma", "2,1,1.5"], dict(sigma=(2, 1, 1.5))),
        ("label-bspline", ["--order", 1], dict(order=1)), ("label-bspline", ["--order", 5], dict(order=5)),
    ])  # fmt: skip
    @pytest.mark.parametrize("dtype", ["int16", "float32"])
    def test_as_the_program(self, rng, sitk, tmp_path, name, flags, options, dtype):
        array = (
            blobs(rng, (16, 18, 20), 5)
            if name.startswith("label")
            else rng.uniform(-100, 100, (16, 18, 20))
        )
        image = sitk.GetImageFromArray(array.astype(dtype))
        image.SetSpacing((1, 1.2, 1.5))
        turn = sitk.Euler3DTransform([9, 10, 11], 0.2, -0.1, 0.3, [0.4, -0.7, 0.2])
        sitk.WriteImage(image, str(tmp_path / "in.nrrd"))
        sitk.WriteTransform(turn, str(tmp_path / "turn.tfm"))
        run(
            tmp_path / "in.nrrd",
            tmp_path / "out.nrrd",
            "-t",
            tmp_path / "turn.tfm",
            "-i",
            name,
            *flags,
            "--default-value",
            "-7",
        )
        found = sitk.GetArrayFromImage(
            cudaspline.resample(
                image, str(tmp_path / "turn.tfm"), interpolation=name, default=-7, **options
            )
        )
        wanted = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "out.nrrd")))
        assert found.dtype == wanted.dtype and wanted.any()
        if (
            name.startswith("label")
            or dtype == "int16"
            or name == "nearest"
            or options.get("order") == 0
        ):
            assert (found != wanted).mean() < 2e-3
            return
        edge = (found == -7) != (wanted == -7)
        assert edge.mean() < 2e-3 and difference(found[~edge], wanted[~edge]) < NEAR * 200 * 3


class TestSmoothing:
    """Before down-sampling."""

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
    @pytest.mark.parametrize("dimension", [1, 2, 3])
    def test_variances_add_up(self, rng, dtype, dimension):
        """A ramp stays one, and a point becomes a Gaussian of the variance (step^2 - 1) / (8 ln 2)
        in squares of samples."""
        n = 41 if dimension < 3 else 31
        image = numpy.zeros((n,) * dimension, dtype)
        image[(n // 2,) * dimension] = 200
        size, step = (n // 3,) * dimension, 3.0
        first = (n - 1 - step * (n // 3 - 1)) / 2
        grid = dict(size=size, spacing=step, origin=first, interpolation="nearest", dtype="float64")
        found, told = caught(cudaspline.resample, image, smooth="auto", **grid)
        assert told == []
        variance = (step**2 - 1) / (8 * numpy.log(2))
        at = first + step * numpy.arange(n // 3) - n // 2
        # Rounded to the nearest sample, where the centre is between two.
        at = numpy.floor(at + 0.5)
        bell = numpy.exp(-(at**2) / (2 * variance)) / numpy.sqrt(2 * numpy.pi * variance)
        wanted = 200 * numpy.array(bell)
        for _ in range(dimension - 1):
            wanted = numpy.multiply.outer(wanted, bell)
        # Deriche's recursion of fourth order is a Gaussian to some thousandths of its peak; the
        # errors of the axes' factors add up.
        assert difference(found, wanted) < 5e-3 * dimension * 200 * bell.max() ** dimension

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
    def test_is_itks_recursive_gaussian(self, rng, sitk, dtype):
        image = (
            make_image(sitk, rng, dtype)
            if dtype.startswith(("f", "i"))
            else sitk.Cast(sitk.Abs(make_image(sitk, rng)), sitk.sitkUInt8)
        )
        steps = numpy.array([2.5, 1.05, 1.7])
        grid = dict(
            size=(10, 20, 9),
            spacing=steps * image.GetSpacing(),
            interpolation="linear",
            dtype="float64",
            default=-7,
        )
        smoothed = sitk.Cast(image, sitk.sitkFloat64 if dtype == "float64" else sitk.sitkFloat32)
        for axis in (0, 2):  # a step of 1.05 is not coarse
            sigma = image.GetSpacing()[axis] * numpy.sqrt(
                (steps[axis] ** 2 - 1) / (8 * numpy.log(2))
            )
            smoothed = sitk.RecursiveGaussian(
                smoothed, sigma, False, sitk.RecursiveGaussianImageFilter.ZeroOrder, axis
            )
        wanted = sitk.GetArrayFromImage(cudaspline.resample(smoothed, smooth=False, **grid))
        found = sitk.GetArrayFromImage(cudaspline.resample(image, smooth="auto", **grid))
        # Both round to float after each axis (ITK does not with float64): of values up to 100, then
        # interpolated linearly.
        assert difference(found, wanted) < 1e-6 * 100 and found.std() > 1

    def test_nothing_is_smoothed_where_nothing_is_coarse(self, rng):
        image = rng.uniform(-1, 1, (12, 13, 14)).astype("f4")
        for options in (
            dict(),
            dict(size=(28, 26, 24), spacing=0.5),
            dict(size=(13, 12, 11), spacing=1.09),
            dict(transform=turned(rng)),
        ):
            wanted, told = caught(cudaspline.resample, image, **options)
            assert (
                numpy.array_equal(cudaspline.resample(image, smooth="auto", **options), wanted)
                and told == []
            )
        flat = rng.uniform(-1, 1, (3, 12, 12)).astype(
            "f4"
        )  # of three slices: along these nothing can be smoothed
        found = cudaspline.resample(
            flat, size=(12, 12, 2), spacing=(1, 1, 2), smooth="auto", interpolation="linear"
        )
        assert numpy.array_equal(
            found,
            cudaspline.resample(
                flat, size=(12, 12, 2), spacing=(1, 1, 2), smooth=False, interpolation="linear"
            ),
        )

    def test_transforms_count(self, rng):
        """What a transform shrinks is coarse, too, along the image's axes."""
        image = rng.uniform(-1, 1, (20, 22, 24)).astype("f4")
        region = dict(size=(12, 11, 10), origin=0, smooth="auto")
        by_grid = cudaspline.resample(image, spacing=2.0, **region)
        by_matrix = cudaspline.resample(image, 2 * numpy.eye(3), **region)
        assert difference(by_grid, by_matrix) < 1e-5
        axes = numpy.meshgrid(*[numpy.arange(n, dtype="f8") for n in (10, 11, 12)], indexing="ij")
        field = cudaspline.DisplacementField(
            numpy.stack(axes[::-1], axis=-1)
        )  # every place to twice of it
        by_field, told = caught(cudaspline.resample, image, field, **region)
        assert difference(by_field, by_matrix) < 1e-5 and told == []
        swap = numpy.array([[0, 3.0, 0], [1, 0, 0], [0, 0, 1]])  # x of the image is the output's y
        _, told = caught(cudaspline.resample, image, swap, interpolation="linear")
        assert STEP.findall(str(told[0].message)) == [("3", "y")]

    @pytest.mark.parametrize("kind", ["array", "field", "source", "zoom", "label"])
    def test_coarse_sampling_is_told(self, rng, kind):
        image = rng.integers(0, 256, (20, 22, 24)).astype("u1")
        coarse = dict(size=(12, 11, 12), spacing=(2, 1.4, 1.7))
        if kind == "array":
            function = lambda **options: cudaspline.resample(image, **coarse, **options)  # noqa: E731
        elif kind == "field":
            still = cudaspline.DisplacementField(numpy.zeros((3, 3, 3, 3)), 10.0)
            function = lambda **options: cudaspline.resample(image, still, **coarse, **options)  # noqa: E731
        elif kind == "source":
            source = cudaspline.Source(image, interpolation="linear")
            function = lambda **options: source.resample(**coarse, **options)  # noqa: E731
        elif kind == "zoom":
            function = lambda **options: cudaspline.zoom(image, (0.5, 1 / 1.4, 1 / 1.7), **options)  # noqa: E731
        else:
            function = lambda **options: cudaspline.resample(
                image, interpolation="label", **coarse, **options
            )  # noqa: E731
        _, told = caught(function)
        (one,) = told
        assert one.category is cudaspline.DownsamplingWarning and one.filename == __file__
        steps = {axis: float(step) for step, axis in STEP.findall(str(one.message))}
        assert (
            set(steps) == set("xz")  # a step of 1.4 is not warned of
            and steps["x"] == pytest.approx(2)
            and steps["z"] == pytest.approx(1.7, rel=0.04)
        )
        assert ("usual for labels" in str(one.message)) == (kind == "label")
        assert caught(function, smooth=False)[1] == []
        if kind == "source":
            with pytest.raises(ValueError, match="^smooth: .*Source"):
                function(smooth="auto")
        elif kind == "label":
            with pytest.raises(ValueError, match="^smooth: .*labels"):
                function(smooth="auto")
        else:
            assert caught(function, smooth="auto")[1] == []

    def test_warnings_are_told_once_a_line(self, rng):
        image = rng.uniform(size=(12, 12))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("default")
            for _ in range(3):
                cudaspline.zoom(image, 0.5)
            cudaspline.zoom(image, 0.5)
        assert [one.category for one in found] == [cudaspline.DownsamplingWarning] * 2
        with warnings.catch_warnings():
            warnings.simplefilter("error", cudaspline.ResamplingWarning)
            with pytest.raises(cudaspline.DownsamplingWarning):
                cudaspline.zoom(image, 0.5)

    @pytest.mark.parametrize("value", ["none", True, 1, "Auto ", []])
    def test_words(self, value):
        with pytest.raises(ValueError, match="^smooth: "):
            cudaspline.resample(numpy.zeros((4, 4)), smooth=value)

    def test_coefficients_are_not_smoothed(self):
        with pytest.raises(ValueError, match="^smooth: .*coefficients"):
            cudaspline.resample(
                numpy.zeros((9, 9)),
                size=(3, 3),
                spacing=3.0,
                prefilter="coefficients",
                smooth="auto",
            )

    @needs_program
    @pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
    @pytest.mark.parametrize("turn", [False, True])
    def test_as_the_program(self, rng, sitk, tmp_path, dtype, turn):
        image = sitk.GetImageFromArray((rng.uniform(0, 200, (20, 24, 28))).astype(dtype))
        image.SetSpacing((1, 1.1, 0.9))
        sitk.WriteImage(image, str(tmp_path / "in.nrrd"))
        sitk.WriteTransform(
            sitk.Euler3DTransform([14, 13, 9], 0, 0, 0.5), str(tmp_path / "turn.tfm")
        )
        where = ["-t", tmp_path / "turn.tfm"] if turn else []
        transform = str(tmp_path / "turn.tfm") if turn else None
        arguments = [
            tmp_path / "in.nrrd",
            tmp_path / "out.nrrd",
            *where,
            "--spacing",
            "2,2.5,1",
            "-i",
            "linear",
            "--round",
            "nearest",
            "--default-value",
            "7",
        ]
        said = run(*arguments)
        wanted = sitk.ReadImage(str(tmp_path / "out.nrrd"))
        options = dict(interpolation="linear", rounding="nearest", default=7)
        found, told = caught(cudaspline.resample, image, transform, wanted, **options)
        numbers = {axis: float(step) for step, axis in STEP.findall(str(told[0].message))}
        assert (
            numbers
            == pytest.approx({axis: float(step) for step, axis in STEP.findall(said)}, rel=1e-5)
            and "x" in numbers
        )
        self.compare(sitk, found, wanted, dtype)
        run(*arguments, "--smooth", "auto")
        wanted = sitk.ReadImage(str(tmp_path / "out.nrrd"))
        found, told = caught(
            cudaspline.resample, image, transform, wanted, smooth="auto", **options
        )
        assert told == []
        self.compare(sitk, found, wanted, dtype)

    @staticmethod
    def compare(sitk, found, wanted, dtype):
        found, wanted = sitk.GetArrayFromImage(found), sitk.GetArrayFromImage(wanted)
        assert found.dtype == wanted.dtype
        edge = (found == 7) != (wanted == 7)
        assert edge.mean() < 5e-3
        if dtype.startswith("float"):
            # Smoothed images are of float: of float64 ours are rounded, the program's are not.
            assert difference(found[~edge], wanted[~edge]) < NEAR * 200
        else:
            assert (
                numpy.abs(found[~edge].astype("i4") - wanted[~edge]).max() <= 1
                and (found[~edge] != wanted[~edge]).mean() < 1e-3
            )


class TestOutside:
    """Outputs with nothing of the image."""

    AWAY = [[1, 0, 0, 500.0], [0, 1, 0, 0], [0, 0, 1, 0]]

    @pytest.mark.parametrize("default", [0, -7, numpy.nan])
    @pytest.mark.parametrize("kind", ["array", "source", "series", "channels", "field", "large"])
    def test_is_told_with_the_number(self, rng, kind, default):
        image = rng.uniform(1, 2, (7, 8, 9)).astype("f4")
        options, count = dict(default=default), 504
        transform = self.AWAY
        if kind == "source":
            image = cudaspline.Source(image)
        elif kind == "series":
            image, options["series"], count = numpy.stack([image] * 3), True, 3 * 504
        elif kind == "channels":
            image, options["channels"] = numpy.stack([image] * 2, axis=-1), True
        elif kind == "field":
            transform = cudaspline.DisplacementField(
                numpy.broadcast_to([500.0, 0, 0], (2, 2, 2, 3)), 10.0, extend=True
            )
        elif kind == "large":
            image, count = rng.uniform(1, 2, (60, 60, 60)).astype("f4"), 27
            options.update(size=(3, 3, 3))
        found, (one,) = caught(cudaspline.resample, image, transform, **options)
        assert one.category is cudaspline.OutsideWarning and one.filename == __file__
        assert f"all {count} pixels" in str(one.message) and f"value {default:g}" in str(
            one.message
        )
        assert numpy.array_equal(found, numpy.full(found.shape, default), equal_nan=True)

    def test_background_is_none(self, rng):
        """What has the default value because the image has it there is no warning, wherever the
        image has others."""
        image = numpy.zeros((60, 60, 60), "f4")
        image[40:50] = rng.uniform(1, 2, (10, 60, 60))
        for options in (
            dict(size=(5, 5, 5), origin=0),
            dict(size=(60, 60, 20), origin=0),
            dict(transform=numpy.eye(3) * 0.5),
        ):
            for interpolation in ("nearest", "linear", "catmull-rom"):
                found, told = caught(
                    cudaspline.resample, image, interpolation=interpolation, **options
                )
                assert not found.any() and told == []
        source = cudaspline.Source(image, interpolation="linear")
        assert caught(source.resample, size=(5, 5, 5), origin=0)[1] == []
        assert caught(cudaspline.resample, numpy.zeros((7, 8, 9)))[1] == []
        assert caught(cudaspline.resample, image, self.AWAY, extrapolate=True)[1] == []
        assert (
            caught(
                cudaspline.resample, image, self.AWAY, boundary="mirror", interpolation="nearest"
            )[1]
            == []
        )

    @needs_program
    def test_as_the_program(self, rng, sitk, tmp_path):
        image = sitk.GetImageFromArray(rng.uniform(1, 2, (7, 8, 9)).astype("f4"))
        sitk.WriteImage(image, str(tmp_path / "in.nrrd"))
        sitk.WriteTransform(sitk.TranslationTransform(3, [500, 0, 0]), str(tmp_path / "away.tfm"))
        said = run(
            tmp_path / "in.nrrd", tmp_path / "out.nrrd", "-t", tmp_path / "away.tfm", "-i", "linear"
        )
        _, (one,) = caught(
            cudaspline.resample, image, tmp_path / "away.tfm", interpolation="linear"
        )
        number = re.search(r"all (\d+) ", str(one.message)).group(1)
        assert re.search(r"all (\d+) voxels", said).group(1) == number == "504"


class TestRefusals:
    """Absurd numbers, with the argument's name, the value, and what is allowed."""

    @pytest.mark.parametrize("name, value, text", [
        ("spacing", 1e40, "1e+40.*1e15"), ("spacing", 1e-40, "1e-40.*1e-15"), ("spacing", (1, 1, numpy.nan), "nan.*finite"), ("spacing", (1, 1, 0), "between 1e-15"),
        ("origin", (1e40, 0, 0), "1e+40.*1e15"), ("origin", (0, 0, numpy.inf), "inf.*finite"), ("direction", numpy.ones((3, 3)), "column x has a length of 1.73205; it must be 1"),
        ("size", (2**20, 2**20, 2**16), "GB.*the machine has"), ("default", (1, 2), "2 numbers are given; 1 are needed"),
    ])  # fmt: skip
    def test_geometry(self, name, value, text):
        with pytest.raises(ValueError, match=f"^{name}: .*{text}".replace("+", r"\+")):
            cudaspline.resample(numpy.zeros((4, 5, 6), "f4"), **{name: value})

    @pytest.mark.parametrize("affine, text", [
        (numpy.diag([0.0, 1, 1, 1]), "spacings of .*between 1e-15"), (numpy.zeros((4, 4)), "spacings of .*between 1e-15"), (numpy.diag([1e40, 1, 1, 1]), "1e\\+40.*1e15"),
        (numpy.array([[1.0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), "singular .determinant"),
        (numpy.array([[1.0, 0.1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), r"sheared by 5\.71 degrees.*0\.5 degrees"),
        (numpy.diag([numpy.nan, 1, 1, 1]), "finite.*nan"), (numpy.array([[1.0, 0, 0, 1e40], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), "origin: .*1e15"),
    ])  # fmt: skip
    def test_affines(self, nibabel, affine, text):
        image = nibabel.Nifti1Image(numpy.zeros((4, 5, 6), "f4"), numpy.eye(4))
        image._affine = affine
        for name, arguments in {
            "image": (image,),
            "reference": (numpy.zeros((4, 5, 6)), None, image),
        }.items():
            with pytest.raises(ValueError, match=f"^{name}: .*{text}"):
                cudaspline.resample(*arguments)

    def test_headers_round_off(self, rng, nibabel, tmp_path):
        """An oblique affine that went through a header of float32 and quaternions is at right
        angles."""
        affine = numpy.eye(4)
        affine[:3, :3] = turned(rng) * [0.9, 1.1, 3.0]
        image = nibabel.Nifti1Image(rng.uniform(size=(4, 5, 6)).astype("f4"), affine)
        image.set_qform(affine, 1)
        image.set_sform(None, 0)
        nibabel.save(image, tmp_path / "oblique.nii")
        read = nibabel.load(tmp_path / "oblique.nii")
        assert (
            difference(cudaspline.resample(read, interpolation="linear").dataobj, image.dataobj)
            < 1e-5
        )


class TestSpaces:
    """NIfTI's names of spaces: MNI stays MNI."""

    @pytest.mark.parametrize("qform, sform", [(1, 4), (0, 4), (2, 0), (3, 3)])
    def test_codes_stay(self, rng, nibabel, qform, sform):
        def image(shape, q, s):
            made = nibabel.Nifti1Image(
                rng.uniform(size=shape).astype("f4"), numpy.diag([-2.0, 2, 2, 1])
            )
            made.set_qform(made.affine, q)
            made.set_sform(made.affine, s)
            return made

        def codes(of):
            return int(of.header["qform_code"]), int(of.header["sform_code"])

        wanted = (qform or sform, sform or qform)
        ours = image((5, 6, 7), qform, sform)
        for options in (dict(), dict(size=(9, 9, 9), origin=(3, 2, 1))):
            found = cudaspline.resample(ours, **options)
            assert codes(found) == wanted
            assert (
                difference(found.affine, found.get_qform()) < 1e-5
                and difference(found.affine, found.get_sform()) < 1e-5
            )
        # What is resampled to a template is in its space.
        assert codes(cudaspline.resample(image((5, 6, 7), 1, 1), None, ours)) == wanted


class TestDask:
    """The same door, where arrays have chunks."""

    @pytest.mark.parametrize(
        "name, options",
        [
            ("label-linear", {}),
            ("genericlabel", {}),
            ("label-bspline", dict(order=3)),
            ("label-gaussian", {}),
            ("lanczos", {}),
        ],
    )
    def test_labels(self, rng, name, options):
        dask = pytest.importorskip("dask.array")
        from cudaspline import dask as ours

        labels = blobs(rng, (20, 22, 24))
        turn = TestInterpolations.TURN
        wanted = cudaspline.resample(
            labels, turn, interpolation=name, default=99, device="cpu", **options
        )
        found = ours.resample(
            dask.from_array(labels, chunks=(7, 8, 9)),
            turn,
            interpolation=name,
            default=99,
            chunks=8,
            device="cpu",
            **options,
        )
        assert found.dtype == labels.dtype and numpy.array_equal(found.compute(), wanted)

    def test_what_it_has_not(self, rng):
        dask = pytest.importorskip("dask.array")
        from cudaspline import dask as ours

        assert "smooth" in ours.resample.__doc__
        with pytest.raises(TypeError, match="smooth"):
            ours.resample(dask.ones((9, 9), chunks=4), smooth="auto")
        rigid, shrink = (
            numpy.array([[0.8, -0.6, 4], [0.6, 0.8, -2]]),
            numpy.array([[0.9, 0, 0.3], [0, 0.9, 0.2]]),
        )
        image = rng.uniform(size=(12, 12))
        for order in ("itk", "ants"):
            wanted = cudaspline.resample(image, [rigid, shrink], transform_order=order)
            assert numpy.array_equal(
                ours.resample(
                    dask.from_array(image, chunks=5), [rigid, shrink], transform_order=order
                ).compute(),
                wanted,
            )


def test_what_the_library_refuses(rng):
    """Errors of the library that Python prevents."""
    from cudaspline.core import _library

    pixels = rng.uniform(size=(5, 6, 7)).astype("f4")
    out = numpy.empty_like(pixels)
    image = _library.Image(
        pixels=pixels.ctypes.data, device=-1, dimension=3, components=1, pixel=8, element=8
    )
    image.size[:3] = (7, 6, 5)

    def smooth(steps=(2, 2, 2), to=out.ctypes.data, **fields):
        other = type(image).from_buffer_copy(image)
        for name, value in fields.items():
            setattr(other, name, value)
        _library.Call("cpu").run(
            "cudaspline_smooth_for_sampling", other, (_library.c_double * 4)(*steps), to
        )

    smooth()
    for options, text in (
        (dict(components=2), "image: .*one component"), (dict(order=3), "image: .*order 0"), (dict(element=0), "image.element"), (dict(device=0), "image.device"),
        (dict(steps=(1, 1.1, 0)), "steps: "), (dict(steps=(numpy.nan,) * 3), "steps: "), (dict(to=None), "output is null"), (dict(to=pixels.ctypes.data), "output .*overlap"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^{text}"):
            smooth(**options)
    resampling = _library.Resampling()
    image.dimension = 4
    with pytest.raises(ValueError, match="^image.dimension is 4"):
        _library.sampling_steps(image, resampling)


def test_displacements_on_a_gpu_are_left_out_of_steps(rng, monkeypatch):
    """Their values are not read: only matrices and grids determine how coarse it is."""
    from cudaspline.transforms import _transforms

    monkeypatch.setattr(_transforms.Stages, "is_on_host", property(lambda stages: False))
    nowhere = cudaspline.DisplacementField(numpy.full((2, 2, 2, 3), 1e6), extend=True)
    _, told = caught(cudaspline.resample, numpy.ones((5, 6, 7)), nowhere)
    assert [one.category for one in told] == [cudaspline.OutsideWarning]
    assert caught(cudaspline.resample, numpy.zeros((5, 6, 7)), nowhere)[1] == []
    image = rng.uniform(size=(12, 12, 12)).astype("f4")
    axes = numpy.meshgrid(*[numpy.arange(12.0)] * 3, indexing="ij")
    field = cudaspline.DisplacementField(numpy.stack(axes[::-1], axis=-1))
    _, told = caught(
        cudaspline.resample, image, [numpy.diag([1.75, 1, 1]), field], size=(5, 5, 5), origin=0
    )
    assert STEP.findall(str(told[0].message)) == [("1.75", "x")]
