"""NIfTI files by name: geometry and values by the rule of nifti_support.py, whatever other
libraries are installed."""

import gzip
import importlib.util
import math
import pickle
import random
import warnings
import zlib

import numpy
import pytest

import cudaspline
from cudaspline.images import _images, _packed
from nifti_support import (
    Header,
    changed,
    draw,
    file_bytes,
    interpret,
    is_near_limit,
    numbers,
    values_of,
    write,
)

FLIP = numpy.diag([-1.0, -1.0, 1.0])


def read(path):
    return _images.read_image(path, "image")


def affine_of(geometry):
    """RAS, 3 x 4."""
    if geometry.dimension == 4:
        geometry = _images.volume_geometry(geometry, "image")
    return FLIP @ geometry.affine[:3]


def voxels_at_corners(found, wanted, size):
    """Largest distance of corners, in the smallest spacing."""
    spacing = numpy.sqrt((wanted[:, :3] ** 2).sum(axis=0)).min()
    corners = numpy.array(
        [[(i >> k & 1) * (size[k] - 1) for k in range(3)] + [1] for i in range(8)]
    )
    return numpy.abs((found - wanted) @ corners.T).max() / spacing


def plain(**fields):
    return changed(
        Header(), **{"sform": 1, "srow": [[-2, 0, 0, 10], [0, 3, 0, 20], [0, 0, 4, 30]], **fields}
    )


CASES = {
    "method 1": Header(),
    "negative pixdim": Header(
        pixdim=[1.0, -2.0, -3.0, -4.0, 0, 0, 0, 0], qform=1, qoffset=[5.0, 6.0, 7.0]
    ),
    "qform": Header(
        qform=3,
        quatern=[0.1, -0.2, 0.3],
        qoffset=[-50.0, 60.0, 70.0],
        pixdim=[-1.0, 2.0, 3.0, 4.0, 0, 0, 0, 0],
    ),
    "half a turn": Header(qform=1, quatern=[0, 0, 0.99999998]),
    "sform": Header(sform=4, srow=[[0, 0, 2, 10], [-3, 0, 0, 20], [0, 4, 0, -30]]),
    "micrometres": Header(
        sform=1, units=3, srow=[[400, 0, 0, -500], [0, 400, 0, 600], [0, 0, 500, 700]]
    ),
    "metres": Header(
        qform=1, units=1, pixdim=[1.0, 0.002, 0.003, 0.004, 0, 0, 0, 0], qoffset=[0.1, 0.2, 0.3]
    ),
    "small voxels": Header(sform=2, srow=numpy.diag([-0.001, 0.001, 0.001, 1])[:3]),
    "large voxels": Header(sform=2, srow=numpy.diag([-1000.0, 1000, 1000, 1])[:3]),
    "three digits": Header(sform=1, srow=[[0.94, -0.342, 0, 0], [0.342, 0.94, 0, 0], [0, 0, 1, 0]]),
    "NIfTI-2": plain(version=2, big=True),
    "big endian": plain(big=True),
    "an extension": plain(vox_offset=480),
    "slope": plain(slope=0.5, inter=-3, datatype=4),
    "slope of 0": plain(slope=0.0, inter=5, datatype=512),
    "series": plain(dim=[4, 5, 6, 7, 3, 1, 1, 1]),
    "vectors": plain(dim=[5, 5, 6, 7, 1, 3, 1, 1], intent=1007),
    "vectors with a slope": plain(dim=[5, 5, 6, 7, 1, 3, 1, 1], intent=1007, datatype=8, slope=2.0),
    "series of vectors": plain(dim=[5, 5, 6, 7, 3, 2, 1, 1], intent=1007),
    "displacements": plain(dim=[5, 5, 6, 7, 1, 3, 1, 1], intent=1006),
    "displacements of integers": plain(dim=[5, 5, 6, 7, 1, 3, 1, 1], intent=1006, datatype=512),
    "tensors": plain(dim=[5, 5, 6, 7, 2, 6, 1, 1], intent=1005, intent_p=[3.0, 0, 0]),
    "colours": plain(datatype=128, slope=3.0),
    "complex numbers": plain(datatype=1792, slope=2.0, inter=1.0),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
def test_geometry_and_values(tmp_path, name, ending):
    header = CASES[name]
    answer = interpret(header)
    values = values_of(header, random.Random(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        image = read(write(tmp_path / f"a{ending}", header, values))
    wanted = numbers(header, answer, values)
    assert voxels_at_corners(affine_of(image.geometry), answer.affine, image.geometry.size) <= 1e-5
    assert numpy.array_equal(numpy.asarray(image.array).reshape(wanted.shape), wanted)
    assert image.array.flags.writeable
    # What is written is read again, to the rounding of the header.
    for other in ("b.nii", "b.nii.gz", "b.hdr", "b.img.gz"):
        _images.write_nifti(image, tmp_path / other)
        again = read(tmp_path / other)
        assert again.geometry.size == image.geometry.size and again.channels == image.channels
        assert numpy.array_equal(again.array, image.array) and again.dtype == image.dtype
        assert numpy.allclose(again.geometry.affine, image.geometry.affine, rtol=3e-7, atol=1e-9)
        if header.version == 2:
            assert (
                voxels_at_corners(
                    affine_of(again.geometry), affine_of(image.geometry), image.geometry.size
                )
                <= 1e-9
            )


def test_random_headers(tmp_path):
    rng = random.Random(random.SystemRandom().randrange(2**32))
    refused = 0
    for number in range(300):
        header = draw(rng)
        if is_near_limit(header):
            continue
        answer = interpret(header)
        values = values_of(header, rng)
        path = write(tmp_path / "a.nii", header, values) if answer else tmp_path / "a.nii"
        if answer is None:
            packed = header.pack()
            path.write_bytes(packed + b"\0" * (2000 - len(packed)) + values.tobytes())
            refused += 1
            with pytest.raises(ValueError, match="image: .*a.nii"):
                read(path)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cudaspline.FileWarning)
            image = read(path)
        affine = affine_of(image.geometry) if image.geometry.dimension > 2 else None
        if affine is not None:
            assert voxels_at_corners(affine, answer.affine, answer.shape[3:0:-1]) <= 1e-5, (
                number,
                header,
            )
        wanted = numbers(header, answer, values)
        assert numpy.array_equal(
            numpy.asarray(image.array).reshape(wanted.shape), wanted.astype(image.dtype)
        ), (number, header)
    assert refused > 10


def test_results_keep_the_header(tmp_path):
    header = plain(dim=[4, 5, 6, 7, 2, 1, 1, 1], descrip=b"of a scanner", cal_max=8.0, intent=3, intent_name=b"t", slice_code=3, slice_duration=62.5,
                   units=18, toffset=500.0, pixdim=[1.0, 2.0, 3.0, 4.0, 2000.0, 0, 0, 0])  # fmt: skip
    image = read(write(tmp_path / "a.nii", header, values_of(header, random.Random(2))))
    assert image.geometry.spacing[3] == 2.0 and image.geometry.origin[3] == 0.5  # s
    same = cudaspline.resample(image, interpolation="nearest", device="cpu")
    other = cudaspline.resample(image, spacing=(1, 3, 4), interpolation="linear", device="cpu")
    for result, code in ((same, 3), (other, 0)):
        _images.write_nifti(result, tmp_path / "b.nii")
        again = read(tmp_path / "b.nii").nifti
        assert (again.description, again.cal_max, again.intent_code, again.intent_name) == (
            b"of a scanner",
            8.0,
            3,
            b"t",
        )
        assert (again.qform_code, again.sform_code, again.volume_spacing, again.volume_origin) == (
            1,
            1,
            2.0,
            0.5,
        )
        assert again.slice_code == code and again.slice_duration == (0.0625 if code else 0)
    copied = pickle.loads(pickle.dumps(image))
    assert (
        copied.nifti.description == b"of a scanner"
        and copied.geometry == image.geometry
        and numpy.array_equal(copied.array, image.array)
    )


def test_codes_are_those_of_the_reference(tmp_path):
    values = values_of(plain(), random.Random(3))
    image = read(write(tmp_path / "a.nii", plain(), values))
    template = read(write(tmp_path / "b.nii", changed(plain(), sform=4), values))
    assert (
        cudaspline.resample(
            image, reference=template, interpolation="nearest", device="cpu"
        ).nifti.sform_code
        == 4
    )


def test_two_dimensions_keep_their_plane(tmp_path):
    header = plain(dim=[2, 5, 6, 1, 1, 1, 1, 1])
    image = read(write(tmp_path / "a.nii", header, values_of(header, random.Random(4))))
    assert image.geometry.dimension == 2
    _images.write_nifti(
        cudaspline.resample(image, interpolation="nearest", device="cpu"), tmp_path / "b.nii"
    )
    data = (tmp_path / "b.nii").read_bytes()
    assert numpy.array_equal(numpy.frombuffer(data, "<f4", 12, 280).reshape(3, 4), header.srow)
    assert data[40] == 2
    flat = cudaspline.Image(numpy.zeros((6, 5, 3), "f4"), channels="last")
    with pytest.warns(cudaspline.FileWarning, match="one slice.*3 components per pixel"):
        _images.write_nifti(flat, tmp_path / "d.nii")
    assert read(tmp_path / "d.nii").geometry.dimension == 3
    sagittal = changed(header, srow=[[0, 0, 4, 10], [2, 0, 0, 20], [0, 3, 0, 30]])
    image = read(write(tmp_path / "c.nii", sagittal, values_of(sagittal, random.Random(4))))
    assert numpy.allclose(affine_of(image.geometry), sagittal.srow)


@pytest.mark.parametrize(
    "pair",
    [("a.hdr", "a.img"), ("a.hdr.gz", "a.img.gz"), ("a.hdr", "a.img.gz"), ("A.HDR", "A.IMG")],
)
def test_pairs(tmp_path, pair):
    header = plain(magic=b"ni1\0", vox_offset=16)
    values = values_of(header, random.Random(5))
    for name, data in zip(pair, (header.pack(), b"?" * 16 + values.astype("<f4").tobytes())):
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    for name in pair:
        image = read(tmp_path / name)
        assert numpy.array_equal(image.array.ravel(), values)
        assert numpy.allclose(affine_of(image.geometry), header.srow)
    (tmp_path / pair[1]).unlink()
    with pytest.raises(ValueError, match="missing"):
        read(tmp_path / pair[0])


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"vox_offset": 100}, "vox_offset .* is 100"),
        ({"datatype": 1536}, "float128"),
        ({"dim": [6, 4, 4, 4, 1, 1, 3, 1]}, "4 x 4 x 4 x 1 x 1 x 3"),
        ({"slope": 2.0, "inter": math.nan}, "scl_inter is nan"),
        ({"magic": b"\0\0\0\0"}, "Analyze"),
        ({"sform": 0, "qform": 1, "quatern": [1, 1, 1]}, "squares is 3"),
        (
            {"srow": [[-2, 0.5, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]]},
            "sheared by 14.0362 degrees; at most 0.5",
        ),
    ],
)
def test_what_is_refused(tmp_path, fields, words):
    header = changed(plain(), **fields)
    packed = header.pack()
    (tmp_path / "a.nii").write_bytes(packed + b"\0" * 2000)
    with pytest.raises(ValueError, match=words) as caught:
        read(tmp_path / "a.nii")
    assert (
        "\n" not in str(caught.value)
        and "a.nii" in str(caught.value)
        and str(caught.value).startswith("image: ")
    )


def test_scaled_numbers_out_of_range(tmp_path):
    """Integers become float64; the others are refused, as by the programs."""
    header = plain(slope=3e37, datatype=4)
    stored = values_of(header, random.Random(6))
    found = read(write(tmp_path / "a.nii", header, stored)).array
    assert found.dtype == numpy.float64 and numpy.array_equal(
        found.ravel(), stored * float(numpy.float32(3e37))
    )
    header = plain(slope=3e37, datatype=16)
    write(tmp_path / "a.nii", header, numpy.full(stored.size, 12, numpy.float32))
    with pytest.raises(
        ValueError,
        match="image: .*a.nii cannot be read: scl_slope is 3e\\+37 .* outside the range of float32$",
    ):
        read(tmp_path / "a.nii")


@pytest.mark.parametrize(
    "rest", [b"", b"\0" * 600, b"other bytes", b"\0" + gzip.compress(b"other bytes", mtime=0)]
)
def test_bytes_after_compressed_data_are_ignored(tmp_path, rest):
    """As by gzip, and by the programs."""
    values = values_of(plain(), random.Random(6))
    data = file_bytes(plain(), values)
    (tmp_path / "a.nii.gz").write_bytes(
        gzip.compress(data[:100]) + gzip.compress(b"") + gzip.compress(data[100:]) + rest
    )
    assert numpy.array_equal(read(tmp_path / "a.nii.gz").array.ravel(), values)


def test_names_need_not_have_an_ending(tmp_path):
    values = values_of(plain(), random.Random(6))
    for name in ("a.nii", "a.nii.gz"):
        data = write(tmp_path / name, plain(), values).read_bytes()
        (tmp_path / "other").write_bytes(data)
        assert numpy.array_equal(read(tmp_path / "other").array.ravel(), values)


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
def test_headers_that_promise_more_than_memory_has(tmp_path, name):
    header = plain(dim=[3, 32000, 32000, 32000, 1, 1, 1, 1])
    write(tmp_path / name, header, values_of(plain(), random.Random(6)))
    with pytest.raises(
        ValueError,
        match="truncated: it contains 840 bytes of pixels, but its header requires 131072000000000",
    ):
        read(tmp_path / name)


def test_short_and_damaged_files(tmp_path):
    data = file_bytes(plain(), values_of(plain(), random.Random(6)))
    (tmp_path / "a.nii").write_bytes(data[:-1])
    with pytest.raises(ValueError, match="truncated"):
        read(tmp_path / "a.nii")
    packed = bytearray(gzip.compress(data))
    (tmp_path / "a.nii.gz").write_bytes(packed[:-20])
    with pytest.raises(ValueError, match="damaged or truncated"):
        read(tmp_path / "a.nii.gz")
    packed[len(packed) // 2] ^= 4
    (tmp_path / "a.nii.gz").write_bytes(packed)
    with pytest.raises(ValueError, match="damaged or truncated"):
        read(tmp_path / "a.nii.gz")


def test_two_matrices_are_one_warning(tmp_path):
    header = Header(sform=2, srow=[[-2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]], qform=1, quatern=[0, 1, 0], qoffset=[9.0, 0, 0],
                    pixdim=[-1.0, 2.0, 2.0, 2.0, 0, 0, 0, 0])  # fmt: skip
    write(tmp_path / "a.nii", header, values_of(header, random.Random(7)))
    with pytest.warns(
        cudaspline.FileWarning, match="differ by up to 9 mm.*ITK 5.2 and ANTs"
    ) as caught:
        image = read(tmp_path / "a.nii")
    assert len(caught) == 1 and caught[0].filename == __file__
    assert numpy.allclose(affine_of(image.geometry), header.srow)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        cudaspline.resample(
            tmp_path / "a.nii", reference=tmp_path / "a.nii", interpolation="nearest", device="cpu"
        )
    assert len(caught) == 1


@pytest.mark.parametrize("ending", [".nii", ".nrrd"])
def test_names_of_a_file_are_one_warning(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    name = f"a{ending}"
    if ending == ".nii":
        header = plain(units=7)
        write(tmp_path / name, header, values_of(header, random.Random(7)))
    else:
        (tmp_path / name).write_bytes(b"NRRD0004\ntype: uint8\ndimension: 3\nspace: 3D-right-handed\nsizes: 2 2 2\n"
                                      b"space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\nencoding: raw\n\n" + bytes(8))  # fmt: skip
    (tmp_path / f"link{ending}").symlink_to(name)
    for other in (f"./{name}", tmp_path / name, f"link{ending}"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            cudaspline.resample(name, reference=other, interpolation="nearest", device="cpu")
        assert len(caught) == 1, [str(one.message) for one in caught]


KINDS = {
    "RGB-color": (3, 4),
    "RGBA-color": (4, 5),
    "3D-symmetric-matrix": (6, 3),
    "complex": (2, 6),
    "vector": (3, 1),
}


@pytest.mark.parametrize("kind", KINDS)
def test_meanings_of_nrrd_are_kept_or_reported(tmp_path, kind):
    count, pixel = KINDS[kind]
    colour = "color" in kind
    pixels = numpy.arange(24 * count).astype("u1" if colour else "f4").reshape(4, 3, 2, count)
    fields = f"type: {'uint8' if colour else 'float'}\nsizes: {count} 2 3 4\nkinds: {kind} domain domain domain\nencoding: raw\nendian: little"
    (tmp_path / "a.nrrd").write_bytes(
        f"NRRD0004\ndimension: 4\nspace: LPS\n{fields}\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\n\n".encode()
        + pixels.tobytes()
    )
    image = cudaspline.resample(
        tmp_path / "a.nrrd", spacing=1, interpolation="nearest", device="cpu"
    )
    _images.write_nifti(image, tmp_path / "a.nii.gz")
    again = read(tmp_path / "a.nii.gz")
    assert again.nifti.pixel == pixel and numpy.array_equal(again.array, pixels)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _images.warn_of_lost_meaning(image, tmp_path / "a.mha")
        _images.warn_of_lost_meaning(again, tmp_path / "a.mha")
    expected = [] if kind == "vector" else 2 * [cudaspline.FileWarning]
    assert [one.category for one in caught] == expected
    assert all(
        "a.mha does not keep the image's" in str(one.message)
        and ".nii.gz keeps them" in str(one.message)
        for one in caught
    )


@pytest.mark.parametrize(
    "size", [0, 1, 100, _packed.BLOCK - 1, _packed.BLOCK, 3 * _packed.BLOCK + 5]
)
def test_compressed_bytes_do_not_depend_on_threads(tmp_path, monkeypatch, rng, size):
    data = (
        numpy.where(
            numpy.arange(size) % 3000 < 2000, numpy.arange(size) // 7 % 50, rng.integers(0, 9, size)
        )
        .astype("u1")
        .tobytes()
    )
    files = []
    for count in (1, 3):
        monkeypatch.setenv("CUDASPLINE_THREADS", str(count))
        assert _packed._count_threads() == count
        with cudaspline.use_threads(count + 1):
            assert _packed._count_threads() == count + 1
        with open(tmp_path / "a.gz", "wb") as file:
            _packed.compress(file, lambda begin, count: data[begin : begin + count], size)
        files.append((tmp_path / "a.gz").read_bytes())
    assert files[0] == files[1] and gzip.decompress(files[0]) == data
    assert len(files[0]) <= 1.03 * len(gzip.compress(data, 6)) + 40


@pytest.mark.parametrize("library", ["libdeflate", "isal", "zlib"])
@pytest.mark.parametrize("size", [0, 100, (1 << 20) - 1, 1 << 20, 3 * (1 << 20) + 5])
def test_libraries_decompress_equally(monkeypatch, rng, library, size):
    if (
        library == "libdeflate"
        and _packed._libdeflate() is None
        or library == "isal"
        and importlib.util.find_spec("isal") is None
    ):
        pytest.skip(f"{library} is not installed")
    if library != "libdeflate":
        monkeypatch.setattr(_packed, "_libdeflate", lambda: None)
    if library == "zlib":
        monkeypatch.setattr(_packed, "_inflater", lambda: zlib)
    data = rng.integers(0, 2, size, "u1").tobytes()
    packed = gzip.compress(data, 1)  # the other levels search bits for a second per megabyte
    assert bytes(_packed.decompress(packed + packed, 2 * size)) == 2 * data
    assert bytes(_packed.decompress(packed + packed, size + 1)) == (2 * data)[: size + 1]
    assert bytes(_packed.decompress(packed + b"other bytes", size)) == data
    assert bytes(_packed.decompress(packed[:-9], 50, False)) == data[:50]
    for damaged in (
        packed[:-1],
        packed[:-5] + bytes([packed[-5] ^ 1]) + packed[-4:],
        packed + packed[:-1],
    ):
        with pytest.raises(ValueError, match="compressed data"):
            _packed.decompress(damaged, 2 * size)


def ramp():
    return cudaspline.Image(numpy.arange(2000, dtype="f4").reshape(5, 20, 20))


def field_file(path, intent, **more):
    header = plain(
        dim=[5, 20, 20, 5, 1, 3, 1, 1],
        srow=[[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0]],
        intent=intent,
        **more,
    )
    return write(path, header, numpy.repeat([2, 3, 0], 2000))


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("intent, sign", [(1006, -1), (1007, 1), (0, 1)])
def test_fields_mean_the_same_whatever_is_installed(tmp_path, monkeypatch, installed, intent, sign):
    if not installed:
        found = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name, *rest: (
                None if name in ("SimpleITK", "itk", "nibabel") else found(name, *rest)
            ),
        )
        for name in ("SimpleITK", "itk", "nibabel"):
            monkeypatch.setitem(__import__("sys").modules, name, None)
    for more in ({}, {"big": True}, {"datatype": 4}, {"datatype": 4, "slope": 2.0, "inter": 0.0}):
        scale = int(more.get("slope", 1))
        path = field_file(tmp_path / "field.nii.gz", intent, **more)
        found = cudaspline.resample(ramp(), path, interpolation="nearest", device="cpu").array
        assert found[2, 10, 10] == 800 + 20 * (10 + scale * sign * 3) + 10 + scale * sign * 2


@pytest.mark.parametrize(
    "intent, name, words",
    [
        (2006, b"", "FSL.*wb_command"),
        (1007, b"Mapping", "SPM.*positions"),
        (1007, b"NREG_TRANS", "NiftyReg"),
    ],
)
def test_fields_of_other_programs_are_refused(tmp_path, intent, name, words):
    """By name, and as objects of nibabel."""
    path = field_file(tmp_path / "field.nii", intent, intent_name=name)
    with pytest.raises(ValueError, match=words):
        cudaspline.resample(ramp(), path, device="cpu")
    nibabel = pytest.importorskip("nibabel")
    with pytest.raises(ValueError, match=words):
        cudaspline.resample(ramp(), cudaspline.DisplacementField(nibabel.load(path)), device="cpu")


@pytest.mark.parametrize("big", [False, True])
def test_fields_of_afni_in_nibabel_are_refused(tmp_path, big):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.load(field_file(tmp_path / "field.nii", 1007, big=big))
    assert _images.foreign_warp(image) == ""
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"text"))
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("afni", b"<AFNI/>"))
    assert "AFNI" in _images.foreign_warp(image)


def test_fields_are_written_and_read(tmp_path):
    turn = numpy.array([[1.0, 0.02, 0, 1.5], [-0.02, 1, 0, -2], [0, 0, 1, 0.25]])
    for name in ("field.nii", "field.nii.gz"):
        cudaspline.Transform(turn, 3).save(tmp_path / name, ramp())
        image = read(tmp_path / name)
        assert image.nifti.intent_code == 1007
        wanted = cudaspline.resample(ramp(), turn, interpolation="linear", device="cpu").array
        found = cudaspline.resample(
            ramp(), tmp_path / name, interpolation="linear", device="cpu"
        ).array
        assert numpy.abs(found - wanted).max() < 1e-2


def test_other_libraries_read_what_is_written(tmp_path):
    """nibabel and SimpleITK within the rounding of float32: 2^-24 of each of four terms."""
    nibabel = pytest.importorskip("nibabel")
    rng = random.Random(random.SystemRandom().randrange(2**32))
    for _ in range(50):
        turned = numpy.linalg.qr(
            numpy.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)])
        )[0]
        image = cudaspline.Image(
            numpy.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6), [rng.uniform(0.01, 9) for _ in range(3)],
            [rng.uniform(-200, 200) for _ in range(3)], turned,
        )  # fmt: skip
        _images.write_nifti(image, tmp_path / "a.nii")
        wanted = affine_of(image.geometry)
        bound = 2.0**-24 * (numpy.abs(wanted) @ [5, 4, 3, 1]).max() * 2
        corner = numpy.array([5, 4, 3, 1])
        found = nibabel.load(tmp_path / "a.nii")
        assert numpy.abs((found.affine[:3] - wanted) @ corner).max() <= bound
        assert numpy.array_equal(numpy.asarray(found.dataobj).T, image.array)
        if importlib.util.find_spec("SimpleITK"):
            import SimpleITK

            seen = SimpleITK.ReadImage(str(tmp_path / "a.nii"))
            point = numpy.array(seen.TransformIndexToPhysicalPoint((5, 4, 3)))
            # SimpleITK may take the quaternion, whose fourth number has the root of the others'
            # rounding.
            assert (
                numpy.abs(point - FLIP @ (wanted @ corner)).max()
                <= bound + 2e-3 * image.geometry.spacing.max()
            )
            assert numpy.array_equal(SimpleITK.GetArrayFromImage(seen), image.array)


@pytest.mark.parametrize("channels", ["last", "first"])
def test_channels_of_many_numbers(tmp_path, rng, channels):
    # Fewer slices than numbers a pixel: read back, these are still numbers of a pixel and not an
    # axis.
    pixels = rng.normal(size=(2, 5, 4, 7)).astype("f4")
    array = pixels if channels == "last" else numpy.moveaxis(pixels, -1, 0)
    _images.write_nifti(
        cudaspline.Image(array, spacing=(1, 2, 3), channels=channels), tmp_path / "many.nii"
    )
    found = _images.read_image(tmp_path / "many.nii", "image")
    assert found.channels == "last" and numpy.array_equal(found.array, pixels)
    assert numpy.array_equal(cudaspline.resample(found, interpolation="nearest").array, pixels)
