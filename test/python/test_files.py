"""Images in files that the package reads by itself: NRRD and MetaImage, with the same result
whatever libraries are installed.

Expected geometries are computed from the numbers that are written: in LPS the point of an index is
S U (origin + directions index), where S turns the signs of the space's coordinates and U are its
units. Answers of SimpleITK 2.5.7 are stored where it follows the formats.
"""

import gzip
import importlib.util
import os
import warnings
import zlib

import numpy
import pytest

import cudaspline
from cudaspline.images import _images, _stored_images

A = numpy.arange(5 * 6 * 7, dtype="f4").reshape(7, 6, 5) + 1
FIELDS = "space: LPS\nspace directions: (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\n"
META = "ObjectType = Image\nNDims = 3\nDimSize = 5 6 7\nElementType = MET_FLOAT\nOffset = 10 20 30\nElementSpacing = 1.5 2 3\n"


def nrrd(fields=FIELDS, encoding="raw", more=""):
    head = "NRRD0004\ntype: float\ndimension: 3\nsizes: 5 6 7\nkinds: domain domain domain\n"
    return (head + fields + f"endian: little\nencoding: {encoding}\n{more}\n").encode()


@pytest.fixture(params=["libraries", "none"])
def read(request, monkeypatch, tmp_path):
    """Reads a file of some bytes as those do who take images by name, with the libraries that are
    installed, and with none."""
    if request.param == "none":
        find_spec = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name, *more: None if name in ("SimpleITK", "itk") else find_spec(name, *more),
        )

    def call(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        image = _images.read_image(path, "image")
        pixels = _images.open_image(image, "image")
        return numpy.array(pixels.buffer.array), pixels.geometry

    return call


def expect(found, spacing, origin, direction=None, array=A):
    numbers, geometry = found
    numpy.testing.assert_array_equal(numbers, array)
    numpy.testing.assert_allclose(geometry.spacing, spacing, rtol=1e-12)
    numpy.testing.assert_allclose(geometry.origin, origin, rtol=1e-12)
    numpy.testing.assert_allclose(
        geometry.direction, numpy.eye(3) if direction is None else direction, atol=1e-12
    )


@pytest.mark.parametrize(
    "space, signs",
    [
        ("right-anterior-superior", (-1, -1)),
        ("RAS", (-1, -1)),
        ("left-anterior-superior", (1, -1)),
        ("LAS", (1, -1)),
        ("LPS", (1, 1)),
    ],
)
def test_spaces(read, space, signs):
    signs = numpy.array((*signs, 1))
    found = read("a.nrrd", nrrd(FIELDS.replace("LPS", space)) + A.tobytes())
    expect(found, (1.5, 2, 3), signs * (10, 20, 30), numpy.diag(signs))


@pytest.mark.parametrize("space", ["scanner-xyz", "3D-left-handed", "3D-left-handed-time", "LSP"])
def test_spaces_that_are_refused(read, space):
    with pytest.raises(ValueError, match=f'^image: .*a.nrrd is refused: space is "{space}".*LAS'):
        read("a.nrrd", nrrd(FIELDS.replace("LPS", space)) + A.tobytes())


def test_warnings(read):
    with pytest.warns(cudaspline.FileWarning, match='space is "3D-right-handed"'):
        read("a.nrrd", nrrd(FIELDS.replace("LPS", "3D-right-handed")) + A.tobytes())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read("a.nrrd", nrrd() + A.tobytes())


@pytest.mark.parametrize("unit, millimetres", [("um", 1e-3), ("cm", 10), ("m", 1000), ("mm", 1)])
def test_units(read, unit, millimetres):
    found = read(
        "a.nrrd", nrrd(FIELDS + f'space units: "{unit}" "{unit}" "{unit}"\n') + A.tobytes()
    )
    expect(found, numpy.array((1.5, 2, 3)) * millimetres, numpy.array((10, 20, 30)) * millimetres)
    found = read(
        "a.mha",
        (META + f"DistanceUnits = {unit}\nElementDataFile = LOCAL\n").encode() + A.tobytes(),
    )
    expect(found, numpy.array((1.5, 2, 3)) * millimetres, numpy.array((10, 20, 30)) * millimetres)


def test_encodings(read):
    raw = A.tobytes()
    members = gzip.compress(raw[:400]) + gzip.compress(b"") + gzip.compress(raw[400:])
    grid = ((1.5, 2, 3), (10, 20, 30))
    expect(read("a.nrrd", nrrd(encoding="gzip") + members), *grid)
    expect(read("a.nrrd", nrrd(encoding="text") + " ".join(map(str, A.ravel())).encode()), *grid)
    expect(read("a.nrrd", nrrd(encoding="hex") + raw.hex().encode()), *grid)
    expect(read("a.nrrd", nrrd().replace(b"little", b"big") + A.astype(">f4").tobytes()), *grid)
    expect(read("a.nrrd", nrrd(more="byte skip: -1\n") + b"junk" + raw), *grid)
    expect(read("a.nrrd", nrrd(more="line skip: 1\nbyte skip: 2\n") + b"line\nxx" + raw), *grid)
    expect(
        read(
            "a.mha",
            (META + "CompressedData = True\nElementDataFile = LOCAL\n").encode()
            + zlib.compress(raw),
        ),
        *grid,
    )
    expect(
        read(
            "a.mha",
            (META + "BinaryDataByteOrderMSB = True\nElementDataFile = LOCAL\n").encode()
            + A.astype(">f4").tobytes(),
        ),
        *grid,
    )
    for data, words in (
        (
            nrrd(encoding="gzip") + gzip.compress(raw[:400]),
            "400 bytes of pixels, but its header requires 840",
        ),
        (nrrd(encoding="gzip") + members[:-9], "the end of its compressed data is missing"),
        (nrrd(encoding="gzip") + members[:-5] + b"xxxxx", "compressed data are wrong"),
        (nrrd() + raw[1:], "839 bytes"),
        (nrrd(encoding="text") + b"1 2 3", "3 numbers"),
    ):
        with pytest.raises(
            ValueError, match=f"^image: .*a.nrrd is damaged or truncated: .*{words}"
        ):
            read("a.nrrd", data)


def test_files_of_data(read, tmp_path):
    raw = A.tobytes()
    grid = ((1.5, 2, 3), (10, 20, 30))
    for z in range(7):
        (tmp_path / f"s{z:02d}.raw").write_bytes(raw[120 * z : 120 * (z + 1)])
    names = "".join(f"s{z:02d}.raw\n" for z in range(7))
    expect(read("a.nhdr", nrrd(more=f"data file: LIST\n{names}").rstrip(b"\n") + b"\n"), *grid)
    expect(read("a.nhdr", nrrd(more="data file: s%02d.raw 0 6 1\n")), *grid)
    expect(read("a.mhd", (META + f"ElementDataFile = LIST\n{names}").encode()), *grid)
    expect(read("a.mhd", (META + "ElementDataFile = s%02d.raw 0 6 1\n").encode()), *grid)
    expect(read("a.mhd", (META + "ElementDataFile = s%02d.raw 0\n").encode()), *grid)
    for name in ("77 %.raw", "50%d.raw", "a%d 1 7 1"):
        (tmp_path / name).write_bytes(raw)
        expect(read("a.mhd", (META + f"ElementDataFile = {name}\n").encode()), *grid)
        expect(read("a.nhdr", nrrd(more=f"data file: {name}\n")), *grid)
    with pytest.raises(FileNotFoundError, match="none.raw"):
        read("a.mhd", (META + "ElementDataFile = none.raw\n").encode())
    with pytest.raises(ValueError, match="names 3 files of pixels, but its size needs 7"):
        read("a.mhd", (META + "ElementDataFile = s%02d.raw 0 2 1\n").encode())


def test_components(read):
    """The axis of components may be any one, and the mask of a masked kind is not a component."""
    vectors = numpy.arange(3 * 24, dtype="f4").reshape(4, 3, 2, 3)
    head = "NRRD0004\ntype: float\ndimension: 4\nspace: RAS\nsizes: {}\nkinds: {}\nspace directions: {}\nspace origin: (0,0,0)\nendian: little\nencoding: raw\n\n"
    axes = "(1,0,0) (0,1,0) (0,0,1)"
    for sizes, kinds, directions, stored in (
        ("3 2 3 4", "vector domain domain domain", f"none {axes}", vectors),
        ("2 3 4 3", "domain domain domain vector", f"{axes} none", numpy.moveaxis(vectors, -1, 0)),
    ):
        found = read("a.nrrd", head.format(sizes, kinds, directions).encode() + stored.tobytes())
        expect(found, (1, 1, 1), (0, 0, 0), numpy.diag((-1, -1, 1)), vectors)
    tensors = numpy.arange(7 * 24, dtype="f4").reshape(4, 3, 2, 7)
    with pytest.warns(cudaspline.FileWarning, match="mask"):
        found = read(
            "a.nrrd",
            head.format(
                "7 2 3 4", "3D-masked-symmetric-matrix domain domain domain", f"none {axes}"
            ).encode()
            + tensors.tobytes(),
        )
    numpy.testing.assert_array_equal(found[0], tensors[..., 1:])


def test_fields_of_metaimages(read):
    turned = numpy.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    data = b"ElementDataFile = LOCAL\n" + A.tobytes()
    for name in ("TransformMatrix", "Rotation", "Orientation"):
        expect(
            read("a.mha", META.encode() + f"{name} = 0 1 0 -1 0 0 0 0 1\n".encode() + data),
            (1.5, 2, 3),
            (10, 20, 30),
            turned,
        )
    for name in ("Position", "Origin"):
        expect(
            read("a.mha", META.replace("Offset", name).encode() + data), (1.5, 2, 3), (10, 20, 30)
        )
    for field, words in (
        ("Origin = 1 2 3", "Origin is .1 2 3."),
        ("ElementToIntensityFunctionSlope = 2", "ElementToIntensityFunctionSlope is .2."),
        ("DistanceUnits = inch", "DistanceUnits is .inch."),
    ):
        with pytest.raises(ValueError, match=f"^image: .*a.mha is refused: {words}"):
            read("a.mha", META.encode() + field.encode() + b"\n" + data)


def test_a_field_by_name_has_its_space(tmp_path):
    """A displacement of a voxel of 1.5 mm, whose grid is that of the image only where LAS is read
    as it is."""
    vectors = numpy.zeros((7, 6, 5, 3), "f4")
    vectors[..., 0] = 1.5
    text = (
        "NRRD0004\ntype: float\ndimension: 4\nsizes: 3 5 6 7\nkinds: vector domain domain domain\nspace: LAS\n"
        "space directions: none (1.5,0,0) (0,2,0) (0,0,3)\nspace origin: (10,20,30)\nendian: little\nencoding: raw\n\n"
    )
    (tmp_path / "field.nrrd").write_bytes(text.encode() + vectors.tobytes())
    image = cudaspline.Image(A, (1.5, 2, 3), (10, -20, 30), numpy.diag((1, -1, 1)))
    moved = numpy.asarray(
        cudaspline.resample(image, tmp_path / "field.nrrd", interpolation="nearest", device="cpu")
    )
    numpy.testing.assert_array_equal(moved[:, :, :-1], A[:, :, 1:])


def test_dicom_is_refused(tmp_path):
    """With what to do about it, as are folders of it."""
    (tmp_path / "a.dcm").write_bytes(bytes(128) + b"DICM" + bytes(100))
    for path, words in ((tmp_path / "a.dcm", "is a DICOM file"), (tmp_path, "is a folder")):
        with pytest.raises(
            ValueError,
            match=f"^image: {path} {words}.*CudaSplineResample {path} out.nrrd.*SimpleITK",
        ) as caught:
            _images.loaded(path, "image")
        assert "\n" not in str(caught.value)


def test_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "a.nii")
    with pytest.raises(ValueError, match="^image: .*a.nii is a device or a pipe"):
        _images.loaded(tmp_path / "a.nii", "image")


def test_the_beginning_of_a_file_says_that_it_is_nrrd(read):
    """Whatever its name is, and its version: ITK's reader takes more of these, and other spaces."""
    for name in ("a", "a.nii", "a.mha", "a.dat"):
        expect(read(name, nrrd() + A.tobytes()), (1.5, 2, 3), (10, 20, 30))
    for version in ("NRRD00.01", "NRRD0009"):
        with pytest.raises(
            ValueError, match=f'^image: .*a is refused: the first line is "{version}"'
        ):
            read("a", nrrd().replace(b"NRRD0004", version.encode()) + A.tobytes())


@pytest.mark.parametrize(
    "kind, words, numbers",
    [
        ("int64", "-9223372036854775808 9223372036854775807", [-(2**63), 2**63 - 1]),
        ("int64", "1e3 +7.0", [1000, 7]),
        ("uint64", "18446744073709551615 0", [2**64 - 1, 0]),
        ("float", "inf -Infinity", [numpy.inf, -numpy.inf]),
    ],
)
def test_numbers_as_text(read, kind, words, numbers):
    head = (
        f"NRRD0004\ntype: {kind}\ndimension: 3\nsizes: 2 1 1\nspacings: 1 1 1\nencoding: text\n\n"
    )
    assert read("a.nrrd", (head + words).encode())[0].ravel().tolist() == numbers


@pytest.mark.parametrize(
    "kind, word",
    [
        ("int64", "9223372036854775808"), ("int64", "3.7"), ("int64", "nan"), ("int64", "0x10"), ("int64", "1_000"), ("uint64", "-5"),
        ("short", "3.7"), ("short", "40000"), ("short", "inf"), ("float", "1e39"), ("float", "1_0"), ("float", "x"),
    ],
)  # fmt: skip
def test_numbers_as_text_that_a_type_does_not_hold(read, kind, word):
    head = (
        f"NRRD0004\ntype: {kind}\ndimension: 3\nsizes: 2 1 1\nspacings: 1 1 1\nencoding: text\n\n1 "
    )
    with pytest.raises(
        ValueError,
        match=f"^image: .*a.nrrd is damaged or truncated: '{word}' is not a number of type",
    ):
        read("a.nrrd", (head + word).encode())


def test_the_same_as_simpleitk(tmp_path, rng):
    """What SimpleITK writes is read as SimpleITK reads it."""
    sitk = pytest.importorskip("SimpleITK")
    rotation = numpy.linalg.qr(rng.standard_normal((3, 3)))[0]
    for array, is_vector in (
        (rng.integers(0, 200, (4, 5, 6)).astype("u1"), False),
        (rng.standard_normal((4, 5, 6)), False),
        (rng.standard_normal((4, 5, 6, 3)).astype("f4"), True),
        (rng.standard_normal((2, 4, 5, 6)).astype("f4"), False),
        (rng.standard_normal((4, 5, 6)).astype("c8"), False),
    ):
        image = sitk.GetImageFromArray(array, isVector=is_vector)
        dimension = image.GetDimension()
        direction = numpy.eye(dimension)
        direction[:3, :3] = rotation
        image.SetDirection(direction.ravel())
        image.SetSpacing(rng.uniform(0.1, 3, dimension))
        image.SetOrigin(rng.uniform(-100, 100, dimension))
        for name in ("a.nrrd", "a.nhdr", "a.mha", "a.mhd"):
            for is_compressed in (False, True):
                sitk.WriteImage(image, str(tmp_path / name), is_compressed)
                found = _images.read_image(tmp_path / name, "image")
                expected = sitk.ReadImage(str(tmp_path / name))
                numbers = sitk.GetArrayFromImage(expected)
                numpy.testing.assert_array_equal(
                    found.array.ravel(), numbers.view(found.array.dtype).ravel()
                )
                for ours, theirs in zip(
                    (found.spacing, found.origin, found.direction),
                    ("GetSpacing", "GetOrigin", "GetDirection"),
                ):
                    numpy.testing.assert_allclose(
                        numpy.ravel(ours), getattr(expected, theirs)(), rtol=1e-12, atol=1e-12
                    )


def test_damaged_headers(tmp_path, rng):
    """Any damage is read, or is a ValueError or an OSError that names the argument."""
    data = nrrd() + A.tobytes()
    refused = 0
    for number in range(300):
        damaged = bytearray(data)
        for place in rng.integers(
            4, len(nrrd()), 1 + number % 3
        ):  # of three damaged bytes hardly any header is read
            damaged[place] = rng.integers(32, 127)
        (tmp_path / "a.nrrd").write_bytes(damaged)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _stored_images.read(tmp_path / "a.nrrd", "image")
            except (ValueError, OSError) as error:
                refused += 1
                assert str(error).startswith("image: ")
    assert 30 < refused < 300


def test_messages_of_damaged_headers_are_printable(read):
    with pytest.raises(ValueError, match=r'space is "\?\?\[2J\?') as caught:
        read("a.nrrd", nrrd(FIELDS.replace("LPS", "\x00\x1b[2J\x7f")) + A.tobytes())
    assert str(caught.value).isprintable()
    with pytest.raises(ValueError, match="first line is") as caught:
        read("a.nrrd", b"NRRD\x1b\x00\x01" + nrrd() + A.tobytes())
    assert str(caught.value).isprintable()
    with pytest.raises(FileNotFoundError, match="header names") as caught:
        read("a.mha", (META + "ElementDataFile = \x1b\x01" + 3000 * "x").encode() + A.tobytes())
    assert str(caught.value).isprintable() and len(str(caught.value)) <= 1000
