"""Images and arrays of every library: the same kind comes back, with geometry, and nothing on the
way changes what is computed."""

import numpy
import pytest

import cudaspline
from conftest import difference

MATRIX = numpy.array([[0.9, 0.1, 0, 0.4], [-0.1, 0.9, 0.05, 1], [0, 0, 1, -0.3], [0, 0, 0, 1]])


def test_simpleitk_in_two_dimensions(rng):
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(rng.uniform(-1, 1, (20, 30)))
    image.SetSpacing((2, 0.5))
    found = cudaspline.resample(image, sitk.Euler2DTransform((7, 20), 0.2), order=3)
    wanted = sitk.Resample(image, image, sitk.Euler2DTransform((7, 20), 0.2), sitk.sitkBSpline)
    assert isinstance(found, sitk.Image)
    assert difference(sitk.GetArrayFromImage(found), sitk.GetArrayFromImage(wanted)) < 1e-8


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_nibabel(rng, dtype):
    nibabel = pytest.importorskip("nibabel")
    affine = numpy.array(
        [[-2.0, 0.1, 0, 80], [0.1, 2, 0.2, -100], [0, -0.2, 2.5, -60], [0, 0, 0, 1]]
    )
    axes, signs = numpy.linalg.qr(affine[:3, :3])  # at right angles
    affine[:3, :3] = axes * numpy.sign(numpy.diag(signs)) * [2.0, 2, 2.5]
    data = rng.integers(0, 200, (21, 22, 23)).astype(dtype)
    image = nibabel.Nifti1Image(data, affine)
    found = cudaspline.resample(image, interpolation="nearest")
    assert isinstance(found, nibabel.Nifti1Image)
    assert numpy.array_equal(numpy.asanyarray(found.dataobj), data)
    assert found.get_data_dtype() == dtype
    assert difference(found.affine, affine) < 1e-13
    # A map between places (LPS) is that between indices by the affines.
    lps = numpy.diag([-1.0, -1, 1, 1])
    to_index = numpy.linalg.inv(lps @ affine) @ MATRIX @ (lps @ affine)
    found = cudaspline.resample(image, MATRIX, dtype="float64")
    wanted = cudaspline.resample(data.transpose(2, 1, 0), to_index, dtype="float64")
    on_edge = (numpy.asanyarray(found.dataobj).T == 0) != (wanted == 0)
    assert on_edge.mean() < 1e-3 and wanted.any()
    assert difference(numpy.asanyarray(found.dataobj).T[~on_edge], wanted[~on_edge]) < 1e-9


def test_nibabel_with_scaling_and_channels(rng):
    nibabel = pytest.importorskip("nibabel")
    data = rng.uniform(-1, 1, (11, 12, 13, 2)).astype("f4")
    image = nibabel.Nifti1Image(data, numpy.eye(4))
    found = numpy.asanyarray(cudaspline.resample(image, MATRIX).dataobj)
    assert found.shape == data.shape
    for channel in range(2):
        part = nibabel.Nifti1Image(data[..., channel], numpy.eye(4))
        assert numpy.array_equal(
            found[..., channel], numpy.asanyarray(cudaspline.resample(part, MATRIX).dataobj)
        )


@pytest.mark.parametrize("letters", ["RGB", "RGBA"])
def test_nibabel_of_colours(rng, tmp_path, letters):
    """The same numbers as of the file by name, and pixels of the same kind."""
    nibabel = pytest.importorskip("nibabel")
    numbers = rng.integers(0, 200, (5, 6, 7, len(letters)), "u1")
    data = numbers.view([(letter, "u1") for letter in letters])[..., 0]
    image = nibabel.Nifti1Image(data, numpy.diag([-2.0, 3, 4, 1]))
    nibabel.save(image, tmp_path / "a.nii")
    for given in (image, nibabel.load(tmp_path / "a.nii")):
        found = cudaspline.resample(given, interpolation="nearest")
        assert numpy.array_equal(numpy.asanyarray(found.dataobj), data) and numpy.array_equal(
            found.affine, image.affine
        )
        found = cudaspline.resample(given, dtype="float32")
        assert found.shape == (5, 6, 7, 1, len(letters)) and numpy.array_equal(
            found.get_fdata()[:, :, :, 0], numbers
        )
    by_name = cudaspline.resample(tmp_path / "a.nii", interpolation="nearest")
    assert numpy.array_equal(numpy.asarray(by_name.array), numbers.transpose(2, 1, 0, 3))


@pytest.mark.parametrize("ending", [".mgz", ".nii.bz2"])
def test_files_that_nibabel_reads(tmp_path, ending):
    (tmp_path / f"a{ending}").write_bytes(b"12345678" * 50)
    with pytest.raises(ValueError, match=r"image: .* nibabel\.load\('.*'\) reads it") as caught:
        cudaspline.resample(str(tmp_path / f"a{ending}"))
    assert "\n" not in str(caught.value)


def test_nibabel_files(rng, tmp_path):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(rng.uniform(-1, 1, (11, 12, 13)), numpy.eye(4))
    image.set_data_dtype("int16")  # written as scaled integers
    nibabel.save(image, tmp_path / "image.nii.gz")
    read = nibabel.load(tmp_path / "image.nii.gz")
    found = cudaspline.resample(read)
    assert difference(found.dataobj, read.dataobj) < 1e-12
    nibabel.save(found, tmp_path / "result.nii.gz")
    assert difference(nibabel.load(tmp_path / "result.nii.gz").dataobj, read.dataobj) < 1e-12


def test_simpleitk_refuses_what_it_cannot_show(rng):
    sitk = pytest.importorskip("SimpleITK")
    labels = sitk.LabelImageToLabelMap(
        sitk.GetImageFromArray(rng.integers(0, 3, (5, 6)).astype("u1"))
    )
    for work in (
        cudaspline.resample,
        cudaspline.prefilter,
        cudaspline.Source,
        lambda image: cudaspline.sample(image, [[1.0, 2.0]]),
    ):
        with pytest.raises(TypeError, match="^image: .*label"):
            work(labels)
        with pytest.raises(TypeError, match="^image: .*complex"):
            work(sitk.Image(5, 6, sitk.sitkComplexFloat32))
    with pytest.raises(TypeError, match="^transform: .*label"):
        cudaspline.resample(numpy.zeros((5, 6)), labels)
    # Its grid is one as any other's.
    assert cudaspline.resample(numpy.zeros((3, 4)), reference=labels).shape == (5, 6)


@pytest.mark.parametrize("number", [numpy.nan, numpy.inf, 0])
def test_nibabel_needs_an_affine(number):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(numpy.zeros((4, 4, 4), "f4"), numpy.eye(4))
    image.affine[1, 1] = number
    with pytest.raises(ValueError, match="^image: its affine"):
        cudaspline.resample(image)
    with pytest.raises(ValueError, match="^reference: its affine"):
        cudaspline.resample(numpy.zeros((4, 4, 4)), reference=image)


def test_itk(rng):
    itk = pytest.importorskip("itk")
    image = itk.image_from_array(rng.uniform(-1, 1, (10, 12, 14)).astype("f4"))
    image.SetSpacing([1, 2, 3])
    image.SetOrigin([4, 5, 6])
    transform = itk.Euler3DTransform[itk.D].New()
    transform.SetCenter([10, 17, 20])
    transform.SetRotation(0.1, 0.2, -0.3)
    found = cudaspline.resample(image, transform, order=3)
    wanted = itk.resample_image_filter(
        image,
        transform=transform,
        interpolator=itk.BSplineInterpolateImageFunction.New(image),
        use_reference_image=True,
        reference_image=image,
    )
    assert type(found) is type(image)
    assert difference(itk.array_from_image(found), itk.array_from_image(wanted)) < 1e-5
    assert list(found.GetSpacing()) == [1, 2, 3] and list(found.GetOrigin()) == [4, 5, 6]


def test_jax(rng):
    jax = pytest.importorskip("jax")
    array = rng.uniform(-1, 1, (10, 12, 14)).astype("f4")
    given = jax.device_put(array, jax.devices("cpu")[0])
    found = cudaspline.resample(given, MATRIX)
    assert isinstance(found, jax.Array) and found.devices() == given.devices()
    assert numpy.array_equal(found, cudaspline.resample(array, MATRIX))
    with pytest.raises(TypeError, match="JAX traces"):
        jax.jit(cudaspline.resample)(given)


def test_torch(rng):
    torch = pytest.importorskip("torch")
    array = rng.uniform(-1, 1, (10, 12, 14)).astype("f4")
    given = torch.from_numpy(array)
    found = cudaspline.resample(given, torch.from_numpy(MATRIX))
    assert isinstance(found, torch.Tensor) and found.device == given.device
    wanted = cudaspline.resample(array, MATRIX)
    assert numpy.array_equal(found.numpy(), wanted)
    assert numpy.array_equal(
        cudaspline.resample(given.permute(2, 1, 0)).numpy(),
        cudaspline.resample(array.transpose(2, 1, 0)),
    )
    with pytest.raises(ValueError, match="image.*gradient"):
        cudaspline.resample(given.requires_grad_())
    with pytest.raises(TypeError, match="image"):
        cudaspline.resample(torch.zeros((3, 3), dtype=torch.bfloat16))


class Foreign:
    """An array of an unknown library, with DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return Foreign

    @staticmethod
    def from_dlpack(array):
        return Foreign(numpy.from_dlpack(array))


def test_dlpack(rng):
    array = rng.uniform(-1, 1, (10, 12, 14)).astype("f4")
    found = cudaspline.resample(Foreign(array), MATRIX)
    assert isinstance(found, Foreign)
    assert numpy.array_equal(found.array, cudaspline.resample(array, MATRIX))


def test_lists_and_maps_of_files(rng, tmp_path):
    array = rng.uniform(-1, 1, (5, 6, 7)).astype("f4")
    assert numpy.array_equal(
        cudaspline.resample(array.tolist()), cudaspline.resample(array.astype("f8"))
    )
    array.tofile(tmp_path / "raw")
    mapped = numpy.memmap(tmp_path / "raw", dtype="f4", mode="r", shape=(5, 6, 7))
    assert numpy.array_equal(cudaspline.resample(mapped), cudaspline.resample(array))


def test_geometry():
    image = cudaspline.Image(numpy.zeros((4, 5, 6)), spacing=2, origin=(1, 2, 3))
    assert image.geometry.size == (6, 5, 4) and image.geometry.shape == (4, 5, 6)
    assert image.geometry.affine.tolist() == [
        [2, 0, 0, 1],
        [0, 2, 0, 2],
        [0, 0, 2, 3],
        [0, 0, 0, 1],
    ]
    assert (
        image.geometry
        == cudaspline.Image(numpy.ones((4, 5, 6)), spacing=2, origin=(1, 2, 3)).geometry
    )
    assert image.geometry != cudaspline.Image(numpy.ones((4, 5, 6)), spacing=2).geometry
    with pytest.raises(ValueError, match="spacing"):
        cudaspline.Image(numpy.zeros((4, 5, 6)), spacing=(1, 2))
    with pytest.raises(ValueError, match="channels"):
        cudaspline.Image(numpy.zeros(4), channels=True)
