"""Files of transforms: every class that ITK writes, files of several transforms, and those of other
programs.

transform_answers.json has files as ITK writes them with points and where ITK's own classes map
them; test/applications/TransformClassesTest.cxx writes it (CUDASPLINE_WRITE_ANSWERS). The package
reads the files without any other library."""

import base64
import json
import struct
import warnings
import zlib
from pathlib import Path

import numpy
import pytest

import cudaspline
from conftest import difference

ANSWERS = json.loads((Path(__file__).parent / "transform_answers.json").read_text(encoding="utf-8"))
HEAD = "#Insight Transform File V1.0\n"


def write(path, text):
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def expect(path, answer):
    found = cudaspline.Transform(path, answer["dimension"]).apply(answer["points"])
    wanted = numpy.array(answer["mapped"])
    # Formulas of double precision, evaluated in another order; an ignored parameter moves a point
    # by more than a tenth.
    assert difference(found, wanted) < 1e-9 * max(
        1, numpy.abs(wanted).max(), numpy.abs(answer["points"]).max()
    )


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["name"] for answer in ANSWERS])
def test_text_maps_as_itk_does(tmp_path, answer):
    path = tmp_path / "transform.tfm"
    path.write_text(answer["text"], encoding="utf-8")
    expect(path, answer)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_splines_of_all_orders(tmp_path, order):
    """A spline whose coefficients are equal is a shift within its domain."""
    suffix = "" if order == 3 else f"_{order}"
    fixed = "6 6 6 -30 -30 -30 12 12 12 1 0 0 0 1 0 0 0 1"
    numbers = " ".join(["0.25"] * 216 + ["-1.5"] * 216 + ["2"] * 216)
    path = write(
        tmp_path / "b.tfm",
        f"Transform: BSplineTransform_double_3_3{suffix}\nParameters: {numbers}\nFixedParameters: {fixed}\n",
    )
    found = cudaspline.Transform(path, 3)
    assert (
        difference(found.apply([[0, 1, 2], [-3, 4, 1]]), [[0.25, -0.5, 4], [-2.75, 2.5, 3]]) < 1e-12
    )
    assert difference(found.inverse().apply([[0, 1, 2]]), [[-0.25, 2.5, 0]]) < 1e-3


def test_splines_of_all_orders_by_simpleitk(tmp_path, rng):
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(numpy.zeros((7, 6, 5), "f4"))
    for order in (1, 2, 3):
        spline = sitk.BSplineTransformInitializer(image, [3, 3, 3], order=order)
        spline.SetParameters(rng.uniform(-1, 1, len(spline.GetParameters())).tolist())
        points = rng.uniform(0.5, 3.5, (5, 3))
        wanted = [spline.TransformPoint(point) for point in points.tolist()]
        for ending in (".tfm", ".h5", ".mat"):
            path = tmp_path / f"b{ending}"
            sitk.WriteTransform(spline, str(path))
            assert difference(cudaspline.Transform(path, 3).apply(points), wanted) < 1e-9


#: Files that SimpleITK 2.5.7 has written (HDF5 1.12.1), compressed: a composite of nine, more than
#: a group has in its header; a field; BSplineTransform of order 2.
HDF5 = json.loads((Path(__file__).parent / "transform_hdf5.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(HDF5))
def test_hdf5_without_a_library(tmp_path, name):
    path = tmp_path / "transform.h5"
    path.write_bytes(zlib.decompress(base64.b64decode(HDF5[name]["file"])))
    expect(path, HDF5[name])


def test_damaged_hdf5_is_an_error(tmp_path, rng):
    data = zlib.decompress(base64.b64decode(HDF5["spline"]["file"]))
    path = tmp_path / "transform.h5"
    for number in range(300):
        damaged = bytearray(data)
        if number % 3 == 0:
            damaged = damaged[: int(rng.integers(8, len(data)))]
        for at in rng.integers(8, len(damaged), 1 + number % 5):
            damaged[at] = int(rng.integers(256))
        path.write_bytes(damaged)
        try:
            cudaspline.Transform(path, 3)
        except (TypeError, ValueError) as error:
            assert str(error).startswith("transform")
            assert str(error).isprintable()


@pytest.mark.parametrize(
    "kind",
    [
        "BSpline\nTransform_double_3_3_2",
        "\x0buler3DTransform_double_3_3",
        "AffineTransform_double_\xb2_\xb2",
    ],
)
def test_a_damaged_class_is_an_error_of_one_line(tmp_path, kind):
    """What a damaged file has as a class is shown as its characters are written, whatever they
    would do to a terminal."""
    path = tmp_path / "transform.mat"
    words = kind.encode("latin-1") + b"\0"
    header = numpy.array([0, 12, 1, 0, len(words)], "<u4").tobytes()
    path.write_bytes(header + words + numpy.zeros(12).tobytes())
    with pytest.raises(ValueError, match="^transform: .* not a class name") as failure:
        cudaspline.Transform(path, 3)
    assert str(failure.value).isprintable()


def test_hdf5_of_other_writers(tmp_path):
    """Chunks that are compressed, groups as symbol tables, numbers of other types: as h5py writes
    them."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "transform.h5"
    for version in ("earliest", "v108"):
        with h5py.File(
            path, "w", libver=(version, "latest" if version == "earliest" else version)
        ) as file:
            group = file.create_group("TransformGroup/0")
            group.create_dataset(
                "TransformType", data=["AffineTransform_float_2_2"], dtype=h5py.string_dtype()
            )
            parameters = numpy.array([1, 0.5, 0, 1, 3, 4], "f4")
            group.create_dataset(
                "TranformParameters",
                data=parameters,
                chunks=(4,),
                compression="gzip",
                shuffle=True,
                fletcher32=True,
            )
            group.create_dataset("TranformFixedParameters", data=numpy.zeros(2, ">f8"))
        assert difference(cudaspline.Transform(path, 2).apply([[1, 2]]), [[5, 6]]) == 0


@pytest.mark.parametrize(
    "text, words",
    [
        (
            "Transform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 1 2\n",
            "2 fixed parameters; 0 or 3",
        ),
        (
            "Transform: Euler3DTransform_double_3_3\nParameters: 0 0 0 0 0 0\nFixedParameters: 1 2 3 1 4\n",
            "5 fixed parameters; 0 or 3 or 4",
        ),
        (
            "Transform: VersorTransform_double_3_3\nParameters: 1 1 0\nFixedParameters: 0 0 0\n",
            "length 1.41421; the length must be at most 1",
        ),
        (
            "Transform: CenteredAffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 1 2 3 0 0 0\nFixedParameters: 0 2 3\n",
            "has the centre",
        ),
        (
            "Transform: TimeVaryingVelocityFieldTransform_double_3_3\nParameters: 0\n",
            "velocity field",
        ),
        (
            "Transform: Rigid3DPerspectiveTransform_double_3_2\nParameters: 0 0 0 0 0 0\n",
            "not a map",
        ),
        (
            "Transform: NoTransform_double_3_3\nParameters: 0\n",
            "NoTransform_double_3_3 is not supported",
        ),
        (
            "Transform: TranslationTransform_double_3_3\nParametres: 1 2 3\n",
            "line 3 .*'Parametres'",
        ),
    ],
)
def test_wrong_numbers_are_refused(tmp_path, text, words):
    with pytest.raises((TypeError, ValueError), match=f"^transform.*{words}"):
        cudaspline.Transform(write(tmp_path / "t.tfm", text), 3)


def nifti(intent, has_afni_extension):
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 5, 4, 4, 4, 1, 3, 1, 1)
    struct.pack_into("<3h", header, 68, intent, 16, 32)
    struct.pack_into("<8f", header, 76, *[1.0] * 8)
    struct.pack_into("<f", header, 108, 384 if has_afni_extension else 352)
    header[344:348] = b"n+1\0"
    extension = struct.pack("<2i", 32, 4) + b" " * 24 if has_afni_extension else b""
    header[348] = int(has_afni_extension)
    return bytes(header) + extension + bytes(768)


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("flirt.mat", b"1 0 0 3  \n0 1 0 4  \n0 0 1 5  \n0 0 0 1  \n", "FSL.*c3d_affine_tool"),
        ("warp.nii", nifti(2006, False), "FSL.*2006, FSL_FNIRT_DISPLACEMENT_FIELD.*wb_command"),
        ("coef.nii", nifti(2009, False), "FSL.*FSL_QUADRATIC_SPLINE"),
        ("afni.nii", nifti(1007, True), "AFNI.*nitransforms"),
        ("warp+orig.BRIK", b"\0\0", "AFNI.*nitransforms"),
        ("mat.aff12.1D", b"# 3dvolreg\n1 0 0 1 0 1 0 2 0 0 1 3\n", "matrix of AFNI"),
        ("mat.txt", b"1 0 0 1\n0 1 0 2\n0 0 1 3\n", "matrix of AFNI"),
        ("a.xfm", b"MNI Transform File\n", "MINC"),
        ("a.lta", b"type = 1\n", "FreeSurfer"),
    ],
)
def test_transforms_of_other_programs_are_refused(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^transform: .*{name.split('.')[0][:4]}.*{words}"):
        cudaspline.resample(numpy.zeros((3, 3, 3)), path)


def test_integer_vectors_with_a_slope(tmp_path):
    """SimpleITK ends the process where it reads such a file."""
    header = bytearray(nifti(1007, False)[:352])
    struct.pack_into("<2h", header, 70, 4, 16)
    struct.pack_into("<f", header, 112, 0.5)
    path = tmp_path / "field.nii"
    path.write_bytes(bytes(header) + numpy.full(192, 4, "<i2").tobytes())
    found = cudaspline.Transform(path, 3).apply([[-1.0, -1.0, 1.0]])
    assert difference(found, [[1, 1, 3]]) < 1e-6


MOTION = "".join(
    f"#Transform {n}\nTransform: TranslationTransform_double_3_3\nParameters: {n + 1} 0 {-n}\nFixedParameters:\n"
    for n in range(3)
)


@pytest.fixture
def series(rng):
    return cudaspline.Image(rng.uniform(0, 1, (3, 5, 6, 7)), spacing=(1, 1, 1, 2))


def each(series, transforms, **options):
    """The volumes as images of their own."""
    return numpy.stack(
        [
            cudaspline.resample(cudaspline.Image(array), one, **options).array
            for array, one in zip(series.array, transforms)
        ]
    )


def test_several_transforms_are_a_chain_with_a_warning(tmp_path):
    path = write(tmp_path / "motion.tfm", MOTION)
    with pytest.warns(
        cudaspline.ResamplingWarning,
        match="contains 3 transforms and no composite.*transform_per_volume",
    ) as caught:
        found = cudaspline.Transform(path, 3)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert difference(found.apply([[0, 0, 0]]), [[6, 0, -3]]) == 0
    composite = write(
        tmp_path / "composite.tfm", "Transform: CompositeTransform_double_3_3\n" + MOTION
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert difference(cudaspline.Transform(composite, 3).apply([[0, 0, 0]]), [[6, 0, -3]]) == 0


def test_a_transform_for_each_volume(tmp_path, series):
    path = write(tmp_path / "motion.tfm", MOTION)
    ones = cudaspline.read_transforms(path)
    assert [one.apply([0, 0, 0]).tolist() for one in ones] == [[1, 0, 0], [2, 0, -1], [3, 0, -2]]
    wanted = each(series, ones, interpolation="linear")
    matrices = numpy.stack([one.matrix for one in ones])
    for number, one in enumerate(ones):
        one.save(tmp_path / f"one_{number:03}.tfm")
    with warnings.catch_warnings():
        warnings.simplefilter("error", cudaspline.ResamplingWarning)
        for transform in (
            path,
            str(path),
            ones,
            matrices,
            list(matrices),
            str(tmp_path / "one_%03d.tfm"),
        ):
            found = cudaspline.resample(
                series, transform, transform_per_volume=True, interpolation="linear"
            )
            assert numpy.array_equal(found.array, wanted)
            assert found.spacing[3] == 2
        out = numpy.empty_like(series.array)
        cudaspline.resample(
            series.array,
            ones,
            transform_per_volume=True,
            interpolation="linear",
            series=True,
            out=out,
        )
        assert numpy.array_equal(out, wanted)
    inverse = cudaspline.resample(
        series, f"{path},inverse", transform_per_volume=True, interpolation="linear"
    )
    assert numpy.array_equal(
        inverse.array, each(series, [one.inverse() for one in ones], interpolation="linear")
    )


def test_composed_with_others_each_volume_is_interpolated_once(series):
    common = [[1, 0.1, 0, 0.3], [0, 1, 0, 0.2], [0, 0, 0.9, 0.1]]
    ones = [[common, [[1, 0, 0, n], [0, 1, 0, 0.5], [0, 0, 1, 0]]] for n in range(3)]
    found = cudaspline.resample(series, ones, transform_per_volume=True)
    assert numpy.array_equal(found.array, each(series, ones))


def test_errors_of_transforms_for_each_volume(tmp_path, series):
    path = write(tmp_path / "motion.tfm", MOTION)
    one = write(
        tmp_path / "one.tfm",
        "Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\nFixedParameters:\n",
    )
    more = cudaspline.Image(numpy.zeros((4, 5, 6, 7)))
    with pytest.raises(
        ValueError,
        match="^transform: .*motion.tfm contains 3 transforms, but the series has 4 volumes",
    ):
        cudaspline.resample(more, path, transform_per_volume=True)
    with pytest.raises(
        ValueError, match="^transform: .*one.tfm contains 1 transform, but the series has 3 volumes"
    ):
        cudaspline.resample(series, one, transform_per_volume=True)
    with pytest.raises(
        ValueError, match="^transform: the list has 2 transforms, but the series has 3 volumes"
    ):
        cudaspline.resample(series, [numpy.eye(3), numpy.eye(3)], transform_per_volume=True)
    with pytest.raises(TypeError, match="^transform: transform_per_volume needs a list"):
        cudaspline.resample(series, None, transform_per_volume=True)
    with pytest.raises(ValueError, match=r"^transform\[1\]: "):
        cudaspline.resample(
            series, [numpy.eye(3), numpy.eye(2), numpy.eye(3)], transform_per_volume=True
        )
    with pytest.raises(ValueError, match="^transform_per_volume: the image is not a series"):
        cudaspline.resample(numpy.zeros((5, 6, 7)), path, transform_per_volume=True)
    with pytest.raises(ValueError, match="^transform_per_volume: a Source"):
        cudaspline.resample(
            cudaspline.Source(numpy.zeros((5, 6, 7))), path, transform_per_volume=True
        )
    with pytest.raises(FileNotFoundError, match="one_000"):
        cudaspline.resample(series, str(tmp_path / "one_%03d.tfm"), transform_per_volume=True)


@pytest.mark.parametrize(
    "text",
    [
        "MatrixOffsetTransformBase_double_3_3\nParameters: 1 0.1 0 0 1.2 0 0 0 1 3 4 5\nFixedParameters: 1 2 3",
        "Rigid2DTransform_double_2_2\nParameters: 0.3 1 2\nFixedParameters: 1 2",
        "CenteredRigid2DTransform_double_2_2\nParameters: 0.3 1 2 4 5\nFixedParameters: 0 0",
        "QuaternionRigidTransform_double_3_3\nParameters: 0.5 0.5 0.5 0.5 1 2 3\nFixedParameters: 1 2 3",
        "ScaleLogarithmicTransform_double_3_3\nParameters: 0.1 0.2 -0.1\nFixedParameters: 1 2 3",
        "VersorTransform_double_3_3\nParameters: 0.1 0.2 -0.1\nFixedParameters: 1 2 3",
    ],
)
def test_objects_of_simpleitk_without_a_class_of_their_own(tmp_path, text):
    """SimpleITK gives some of ITK's classes as a composite that contains itself."""
    sitk = pytest.importorskip("SimpleITK")
    path = write(tmp_path / "t.tfm", f"Transform: {text}\n")
    transform = sitk.ReadTransform(str(path))
    dimension = transform.GetDimension()
    points = [[1.0, 2.0, 3.0][:dimension], [-4.0, 0.5, 20.0][:dimension]]
    nested = sitk.CompositeTransform(
        [
            transform,
            sitk.CompositeTransform(
                [sitk.TranslationTransform(dimension, [1.0] * dimension), transform]
            ),
        ]
    )
    for one in (transform, sitk.Transform(transform), nested):
        wanted = [one.TransformPoint(point) for point in points]
        assert difference(cudaspline.Transform(one).apply(points), wanted) < 1e-12
    assert (
        difference(
            cudaspline.Transform(path, dimension).apply(points),
            [transform.TransformPoint(point) for point in points],
        )
        < 1e-12
    )


def test_the_dimension_of_an_object():
    assert cudaspline.Transform(cudaspline.Transform([[1.0, 0, 0], [0, 1, 0]], 2)).dimension == 2
    with pytest.raises(ValueError, match="^dimension: it is required for a list"):
        cudaspline.Transform([[1.0, 0, 0], [0, 1, 0]])
