"""Everything that is taken as an image: channels first and last, True and false, float16, names of
files, images of MONAI, torchio and ngff-zarr.

Images of these libraries are made by small stand-ins, which have what the package asks for, and by
the libraries where they are installed.
"""

import dataclasses
import pickle
import warnings

import numpy
import pytest

import cudaspline
from conftest import difference

pytestmark = pytest.mark.filterwarnings("ignore::cudaspline.DownsamplingWarning")
MATRIX = numpy.array([[0.9, 0.1, 0, 0.4], [-0.1, 0.9, 0.05, 1], [0, 0, 1, -0.3]])
AFFINE = numpy.array([[-2.0, 0, 0, 10], [0, 1.5, 0, -20], [0, 0, 3, 5], [0, 0, 0, 1]])
WORK = {
    "resample": lambda image, **options: cudaspline.resample(
        image, MATRIX, default=(3, -1), **options
    ),
    "zoom": lambda image, **options: cudaspline.zoom(image, (2, 0.5, 1), **options),
    "prefilter": cudaspline.prefilter,
    "Source": lambda image, **options: cudaspline.Source(image, **options).resample(MATRIX),
}


class TestChannels:
    @pytest.mark.parametrize("name", WORK)
    def test_first_is_last_moved(self, rng, name):
        array = rng.uniform(-1, 1, (9, 8, 7, 2)).astype("f4")
        wanted = WORK[name](array, channels="last")
        for first in (
            numpy.moveaxis(array, -1, 0),
            numpy.ascontiguousarray(numpy.moveaxis(array, -1, 0)),
        ):
            for _ in range(3):  # the plans of the third call, too
                found = WORK[name](first, channels="first")
            assert found.flags.c_contiguous and numpy.array_equal(
                found, numpy.moveaxis(wanted, -1, 0)
            )
        image = cudaspline.Image(numpy.moveaxis(array, -1, 0), (1, 2, 3), channels="first")
        placed = WORK[name](image)
        other = WORK[name](cudaspline.Image(array, (1, 2, 3), channels="last"))
        assert (
            placed.channels == "first"
            and placed.geometry == other.geometry
            and image.geometry.size == (7, 8, 9)
        )
        assert numpy.array_equal(placed.array, numpy.moveaxis(other.array, -1, 0))

    def test_values_at_points(self, rng):
        array, points = rng.uniform(-1, 1, (9, 8, 7, 2)), rng.uniform(1, 6, (5, 3))
        wanted = cudaspline.sample(array, points, channels="last")
        assert wanted.shape == (5, 2) and numpy.array_equal(
            cudaspline.sample(numpy.moveaxis(array, -1, 0), points, channels="first"), wanted
        )

    def test_torch(self, rng):
        torch = pytest.importorskip("torch")
        array = rng.uniform(-1, 1, (2, 9, 8, 7)).astype("f4")
        found = cudaspline.resample(torch.from_numpy(array), MATRIX, channels="first")
        assert isinstance(found, torch.Tensor) and found.is_contiguous()
        assert numpy.array_equal(
            found.numpy(), cudaspline.resample(array, MATRIX, channels="first")
        )

    def test_dask(self, rng):
        array = pytest.importorskip("dask.array")
        import cudaspline.dask

        image = rng.uniform(-1, 1, (2, 9, 8, 7)).astype("f4")
        found = cudaspline.dask.resample(
            array.from_array(image, chunks=5), MATRIX, channels="first", device="cpu"
        ).compute()
        assert numpy.array_equal(
            found, cudaspline.resample(image, MATRIX, channels="first", device="cpu")
        )

    def test_true_is_refused_where_it_is_likely_the_other(self):
        """(2, z, y, x) was taken as x numbers a pixel: zoom() gave (40, 200, 200, 160)."""
        image = numpy.zeros((2, 20, 20, 16), "f4")
        for call in (
            lambda: cudaspline.zoom(image, 2, channels=True),
            lambda: cudaspline.resample(image, channels=True),
            lambda: cudaspline.prefilter(image, channels=True),
            lambda: cudaspline.Source(image, channels=True),
            lambda: cudaspline.sample(image, numpy.zeros((1, 3)), channels=True),
            lambda: cudaspline.Image(image, channels=True),
        ):
            with pytest.raises(
                ValueError, match="^channels: True .*'last' for 16 components.*'first' for 2"
            ):
                call()
        assert cudaspline.zoom(image, 2, channels="first").shape == (2, 40, 40, 32)
        assert cudaspline.zoom(image, 2, channels="last").shape == (4, 40, 40, 16)
        assert cudaspline.zoom(image.T, 2, channels=True).shape == (32, 40, 40, 2)
        assert cudaspline.zoom(numpy.zeros((2, 20, 3), "f4"), 2, channels=True).shape == (4, 40, 3)

    def test_out_and_pickles(self, rng):
        first = rng.uniform(size=(2, 5, 6, 7))
        with pytest.raises(ValueError, match="^out: "):
            cudaspline.resample(first, channels="first", out=numpy.empty_like(first))
        source = cudaspline.Source(first, channels="first", device="cpu")
        assert numpy.array_equal(pickle.loads(pickle.dumps(source)).zoom(2), source.zoom(2))
        with pytest.raises(ValueError, match="^channels: the Source"):
            cudaspline.resample(source, channels="last")
        assert cudaspline.resample(source, channels="first").shape == first.shape
        image = pickle.loads(pickle.dumps(cudaspline.Image(first, channels="first")))
        assert image.channels == "first" and image.geometry.size == (7, 6, 5)


class TestElements:
    @pytest.mark.parametrize("kind", ["numpy", "list", "Image", "torch"])
    def test_true_and_false(self, rng, kind):
        mask = rng.uniform(size=(9, 8, 7)) < 0.5
        torch = pytest.importorskip("torch") if kind == "torch" else None
        given = {
            "numpy": mask,
            "list": mask,
            "Image": cudaspline.Image(mask, 2),
            "torch": torch and torch.from_numpy(mask),
        }[kind]
        given = given.tolist() if kind == "list" else given
        for options in (
            {"interpolation": "nearest"},
            {"interpolation": "linear"},
            {"interpolation": "label-linear"},
            {"order": 3},
        ):
            found = cudaspline.zoom(given, 1.7, **options)
            assert str(found.dtype).endswith("bool")
            values = cudaspline.zoom(mask.astype("f4"), 1.7, **options)
            assert numpy.array_equal(numpy.asarray(found), values > 0.5)
        # Another type that is asked for has the values; so have points.
        assert numpy.array_equal(
            numpy.asarray(cudaspline.zoom(given, 1.7, order=1, dtype="f4")),
            cudaspline.zoom(mask.astype("f4"), 1.7, order=1),
        )
        for _ in range(3):
            points = numpy.array([[2.5, 3, 4]])
            assert (
                difference(
                    cudaspline.sample(mask, points, order=1),
                    cudaspline.sample(mask.astype("f4"), points, order=1),
                )
                == 0
            )
        assert numpy.array_equal(
            cudaspline.Source(mask, order=1).zoom(2),
            cudaspline.zoom(mask.astype("f4"), 2, order=1, boundary="itk") > 0.5,
        )

    @pytest.mark.parametrize("kind", ["numpy", "Image", "torch"])
    def test_float16(self, rng, kind):
        image = rng.uniform(-1, 1, (9, 8, 7)).astype("f2")
        torch = pytest.importorskip("torch") if kind == "torch" else None
        given = {
            "numpy": image,
            "Image": cudaspline.Image(image, 2),
            "torch": torch and torch.from_numpy(image),
        }[kind]
        wanted = cudaspline.zoom(image.astype("f4"), 1.7)
        found = cudaspline.zoom(given, 1.7)
        assert str(found.dtype).endswith("float16") and numpy.array_equal(
            numpy.asarray(found), wanted.astype("f2")
        )
        assert numpy.array_equal(
            numpy.asarray(cudaspline.zoom(given, 1.7, dtype="float32")), wanted
        )
        assert numpy.array_equal(
            cudaspline.prefilter(image), cudaspline.prefilter(image.astype("f4"))
        )
        series = cudaspline.resample(numpy.stack([image, image]), MATRIX, series=True)
        assert series.dtype == "f2" and numpy.array_equal(
            series[1], cudaspline.resample(image.astype("f4"), MATRIX).astype("f2")
        )
        first = cudaspline.zoom(numpy.stack([image, image]), 1.7, channels="first")
        assert first.dtype == "f2" and numpy.array_equal(first[1], wanted.astype("f2"))


class TestFiles:
    def test_of_arrays(self, rng, tmp_path):
        image = rng.uniform(size=(5, 6, 7)).astype("f4")
        numpy.save(tmp_path / "image.npy", image)
        for name in (tmp_path / "image.npy", str(tmp_path / "image.npy")):
            assert numpy.array_equal(
                cudaspline.resample(name, MATRIX), cudaspline.resample(image, MATRIX)
            )
            assert numpy.array_equal(cudaspline.zoom(name, 2), cudaspline.zoom(image, 2))
            assert numpy.array_equal(
                cudaspline.sample(name, [[1.0, 2, 3]]), cudaspline.sample(image, [[1.0, 2, 3]])
            )
            assert numpy.array_equal(cudaspline.prefilter(name), cudaspline.prefilter(image))
            assert numpy.array_equal(
                cudaspline.Source(name).zoom(2), cudaspline.Source(image).zoom(2)
            )
            assert numpy.array_equal(cudaspline.Image(name, 2).array, image)
        with pytest.raises(FileNotFoundError, match="^image: there is no file .*none.nii"):
            cudaspline.zoom(tmp_path / "none.nii", 2)

    def test_of_geometry(self, rng, tmp_path):
        nibabel = pytest.importorskip("nibabel")
        image = nibabel.Nifti1Image(rng.uniform(size=(7, 6, 5)).astype("f4"), AFFINE)
        nibabel.save(image, tmp_path / "image.nii.gz")
        path = str(tmp_path / "image.nii.gz")
        wanted = cudaspline.resample(cudaspline.Image(image), spacing=1.5)
        found = cudaspline.Image(cudaspline.resample(path, spacing=1.5))
        assert (
            found.geometry.size == wanted.geometry.size
            and difference(found.array, wanted.array) < 1e-5
        )
        plain = cudaspline.resample(numpy.zeros((3, 3, 3), "f4"), reference=path)
        assert plain.shape == (5, 6, 7)
        options = dict(stages="translation", iterations=2, shrink=(1,), device="cpu")
        ours = cudaspline.register(path, tmp_path / "image.nii.gz", mask=path, **options)
        same = cudaspline.Image(path)
        assert numpy.array_equal(
            ours.transform.matrix,
            cudaspline.register(same, same, mask=same, **options).transform.matrix,
        )
        assert cudaspline.Image(ours.warped).shape == (5, 6, 7)
        assert ours.transform.field(path).shape == (5, 6, 7, 3)
        (tmp_path / "broken.nii.gz").write_bytes(b"\x1f\x8b\x08")
        with pytest.raises((ValueError, OSError), match="^image|broken"):
            cudaspline.zoom(tmp_path / "broken.nii.gz", 2)


class MetaTensor:
    """What is asked for of MONAI's."""

    def __init__(self, array, affine=None, meta=None):
        self._array = numpy.asarray(array)
        self._affine = numpy.eye(4) if affine is None else numpy.asarray(affine)
        self._meta = dict(meta or {"space": "RAS"})

    affine = property(lambda self: self._affine)
    meta = property(lambda self: self._meta)
    shape = property(lambda self: self._array.shape)

    def as_tensor(self):
        return self._array


class ScalarImage:
    """What is asked for of torchio's."""

    def __init__(self, tensor, affine):
        self._tensor, self._affine = tensor, numpy.asarray(affine)

    affine = property(lambda self: self._affine)
    data = property(lambda self: self._tensor)
    spatial_shape = property(lambda self: tuple(self._tensor.shape[1:]))

    def is_2d(self):
        return self._tensor.shape[-1] == 1


class LabelMap(ScalarImage):
    """Likewise."""


@dataclasses.dataclass
class NgffImage:
    """What is asked for of ngff-zarr's."""

    data: object
    dims: object
    scale: dict
    translation: dict
    name: str = "image"
    axes_orientations: object = None


def numbers(value):
    return value.detach().cpu().numpy() if hasattr(value, "detach") else numpy.asarray(value)


def kinds_of(name):
    """(the class, the function that makes its arrays): of a stand-in, and of the library."""
    if not name.startswith("real "):
        return globals()[name], numpy.asarray
    if name == "real NgffImage":
        return pytest.importorskip("ngff_zarr").NgffImage, pytest.importorskip(
            "dask.array"
        ).from_array
    torch = pytest.importorskip("torch")
    module = "monai.data" if name == "real MetaTensor" else "torchio"
    return getattr(pytest.importorskip(module), name[5:]), torch.from_numpy


@pytest.mark.parametrize(
    "name", ["MetaTensor", "real MetaTensor", "ScalarImage", "real ScalarImage"]
)
@pytest.mark.parametrize("channels", [1, 3])
def test_monai_and_torchio(rng, name, channels):
    """The same kind comes back, with what an image of nibabel with that array and affine has."""
    nibabel = pytest.importorskip("nibabel")
    kind, make = kinds_of(name)
    array = rng.uniform(-1, 1, (channels, 7, 8, 9)).astype("f4")

    def image_of(array, affine):
        return (
            kind(make(array), affine=make(affine))
            if "Meta" in name
            else kind(tensor=make(array), affine=affine)
        )

    image = image_of(array, AFFINE)
    wanted = [
        cudaspline.resample(nibabel.Nifti1Image(plane, AFFINE), MATRIX, spacing=2.0, smooth=False)
        for plane in array
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cudaspline.resample(image, MATRIX, spacing=2.0, smooth=False)
    assert type(found) is kind and difference(numbers(found.affine), wanted[0].affine) < 1e-12
    planes = numbers(found.as_tensor() if "Meta" in name else found.data)
    assert planes.shape == (channels, *wanted[0].shape) and planes.dtype == "f4"
    for plane, other in zip(planes, wanted):
        assert numpy.array_equal(plane, numpy.asanyarray(other.dataobj))
    assert numpy.array_equal(numbers(image.as_tensor() if "Meta" in name else image.data), array)
    ours = cudaspline.Image(image)
    assert (
        ours.shape == ((9, 8, 7) if channels == 1 else (9, 8, 7, 3))
        and difference(ours.geometry.affine, numpy.diag([-1.0, -1, 1, 1]) @ AFFINE) < 1e-12
    )
    reference = cudaspline.resample(numpy.zeros((4, 4, 4)), reference=image)
    assert reference.shape == (9, 8, 7)
    if channels == 1:
        blob = (
            numpy.exp(-((numpy.indices((9, 10, 11)).T - [4, 5, 5]) ** 2).sum(-1) / 6.0)
            .T[None]
            .astype("f4")
        )
        fixed, moving = image_of(blob, AFFINE), image_of(numpy.roll(blob, 1, 1), AFFINE)
        one = cudaspline.register(
            fixed,
            moving,
            "translation",
            shrink=(1,),
            iterations=40,
            metric="meansquares",
            device="cpu",
        )
        assert (
            abs(one.transform.matrix[0, 3] - 2.0) < 0.1 and type(one.warped) is kind
        )  # a voxel of 2 mm to the left


def test_metatensors_of_two_axes_and_lps(rng):
    array = rng.uniform(size=(2, 7, 8)).astype("f4")
    for affine in (AFFINE, numpy.array([[-2.0, 0, 10], [0, 1.5, -20], [0, 0, 1]])):
        found = cudaspline.zoom(
            MetaTensor(array, affine, {"space": "RAS", "spatial_shape": (7, 8)}), 2
        )
        assert (
            found.shape == (2, 14, 16)
            and found.affine.shape == affine.shape
            and list(found.meta["spatial_shape"]) == [14, 16]
        )
        assert (
            difference(found.affine[:2, :2], [[-1, 0], [0, 0.75]]) < 1e-12
            and difference(found.affine[:2, -1], [10.5, -20.375]) < 1e-12
        )
    volume = rng.uniform(size=(7, 8, 9)).astype(
        "f4"
    )  # as LoadImage gives it, before EnsureChannelFirst
    lps = MetaTensor(
        volume,
        numpy.diag([-1.0, -1, 1, 1]) @ AFFINE,
        {"space": "LPS", "spatial_shape": volume.shape},
    )
    ras = MetaTensor(volume[None], AFFINE)
    one, other = cudaspline.zoom(lps, 2), cudaspline.zoom(ras, 2)
    assert one.shape == (14, 16, 18) and numpy.array_equal(one.as_tensor(), other.as_tensor()[0])
    assert difference(numpy.diag([-1.0, -1, 1, 1]) @ one.affine, other.affine) < 1e-12
    with pytest.raises(ValueError, match="^image: .*channels last; use EnsureChannelFirst"):
        cudaspline.zoom(
            MetaTensor(rng.uniform(size=(7, 8, 9, 2)), AFFINE, {"spatial_shape": (7, 8, 9)}), 2
        )
    with pytest.raises(ValueError, match="^image: its space"):
        cudaspline.zoom(MetaTensor(volume, AFFINE, {"space": "MNI"}), 2)


@pytest.mark.parametrize("name", ["LabelMap", "real LabelMap"])
def test_label_maps_choose_the_interpolation(rng, name):
    kind, make = kinds_of(name)
    labels = 7 * rng.integers(0, 9, (1, 7, 8, 9)).astype("u1")
    image = kind(tensor=make(labels), affine=AFFINE)
    ours = cudaspline.Image(image)
    for found, wanted in (
        (
            cudaspline.resample(image, MATRIX),
            cudaspline.resample(ours, MATRIX, interpolation="nearest"),
        ),
        (cudaspline.zoom(image, 1.7), cudaspline.zoom(ours, 1.7, interpolation="nearest")),
        (
            cudaspline.Source(image).resample(MATRIX),
            cudaspline.resample(ours, MATRIX, interpolation="nearest"),
        ),
        (
            cudaspline.Transform(MATRIX, 3).resample(image),
            cudaspline.resample(ours, MATRIX, interpolation="nearest"),
        ),
        (
            cudaspline.resample(image, MATRIX, interpolation="label-linear"),
            cudaspline.resample(ours, MATRIX, interpolation="label-linear"),
        ),
    ):
        assert type(found) is kind and numpy.array_equal(numbers(found.data)[0].T, wanted.array)
    assert set(numpy.unique(numbers(cudaspline.zoom(image, 1.7).data))) <= set(range(0, 64, 7))
    point = ours.geometry.point_of((3.4, 2.4, 4.4))
    assert cudaspline.sample(image, point) == labels[0, 3, 2, 4]


@pytest.mark.parametrize("name", ["NgffImage", "real NgffImage"])
def test_ngff(rng, name):
    kind, make = kinds_of(name)
    array = rng.uniform(-1, 1, (9, 8, 7)).astype("f4")
    scale, translation = {"z": 3.0, "y": 1.5, "x": 2.0}, {"z": 1.0, "y": -4.0, "x": 5.0}
    wanted = cudaspline.resample(
        cudaspline.Image(array, (2, 1.5, 3), (5, -4, 1)), MATRIX, spacing=1.25, smooth=False
    )
    for dims in ("zyx", "xyz", "yzx"):
        order = ["zyx".index(dim) for dim in dims]
        image = kind(make(array.transpose(order)), tuple(dims), scale, translation)
        found = cudaspline.resample(image, MATRIX, spacing=1.25, smooth=False)
        assert (
            type(found) is kind
            and tuple(found.dims) == tuple(dims)
            and type(found.data) is type(image.data)
        )
        assert numpy.array_equal(numpy.asarray(found.data), wanted.array.transpose(order))
        assert (
            found.scale == {"z": 1.25, "y": 1.25, "x": 1.25}
            and difference([found.translation[axis] for axis in "xyz"], wanted.origin) < 1e-12
        )
        assert image.scale == scale  # as it was
    series = kind(
        make(numpy.stack([numpy.stack([array, -array])] * 3)),
        tuple("tczyx"),
        {**scale, "t": 0.5, "c": 1.0},
        {**translation, "t": 2.0, "c": 0.0},
    )
    found = cudaspline.resample(series, MATRIX)
    plain = cudaspline.resample(cudaspline.Image(array, (2, 1.5, 3), (5, -4, 1)), MATRIX).array
    assert (
        found.data.shape == (3, 2, 9, 8, 7)
        and found.scale["t"] == 0.5
        and found.translation["t"] == 2.0
    )
    for volume in numpy.asarray(found.data):
        assert numpy.array_equal(volume[0], plain) and difference(volume[1], -plain) < 1e-6
    with pytest.raises(ValueError, match="^image: a NgffImage keeps the directions"):
        cudaspline.resample(image, direction=numpy.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    with pytest.raises(ValueError, match="^image: its dims"):
        cudaspline.resample(kind(make(array), tuple("zyw"), scale, translation))


def test_orientations_of_ngff(rng):
    """As ngff-zarr makes ITK's images of them: places are translations along ITK's axes, and
    indices go where the words say."""
    ngff_zarr = pytest.importorskip("ngff_zarr")
    pytest.importorskip("itkwasm")
    array = rng.uniform(size=(4, 5, 6)).astype("f4")
    scale, translation = {"z": 3.0, "y": 1.5, "x": 2.0}, {"z": 1.0, "y": -4.0, "x": 5.0}
    image = ngff_zarr.NgffImage(
        pytest.importorskip("dask.array").from_array(array),
        tuple("zyx"),
        scale,
        translation,
        axes_orientations=ngff_zarr.RAS,
    )
    theirs = ngff_zarr.ngff_image_to_itk_image(image)
    ours = cudaspline.Image(image).geometry
    assert (
        difference(ours.direction, theirs.direction) == 0
        and difference(ours.spacing, theirs.spacing) == 0
        and difference(ours.origin, theirs.origin) == 0
    )
    assert ours.direction.tolist() == numpy.diag([-1.0, -1, 1]).tolist()
    assert cudaspline.zoom(image, 2).axes_orientations == image.axes_orientations
