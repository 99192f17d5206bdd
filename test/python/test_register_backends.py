"""cudaspline.register() on each backend, by one body: what CudaSplineRegister writes there, and
arrays of every library in their own memory."""

import subprocess

import numpy
import pytest

import cudaspline
from conftest import difference
from register_support import PROGRAM, Phantom, needs_program
from test_register_series import moved_series, series_of

BACKENDS = ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]
SIZES = [(34, 30), (22, 20, 18)]

#: The options of each method: as keywords here, and as options of the program.
METHODS = {
    "rigid": {"metric": "mattes", "bins": 24, "iterations": (12, 6, 4)},
    "affine": {"metric": "correlation", "iterations": (12, 6, 4)},
    "bspline": {"metric": "meansquares", "grid_spacing": 9, "iterations": (8, 4, 2)},
    "syn": {"radius": 2, "iterations": (6, 4, 3)},
    "greedy": {"radius": 2, "iterations": (6, 4, 3), "learning_rate": 0.25},
    "demons": {"iterations": (6, 4, 3)},
    "tvf": {"radius": 2, "iterations": (6, 4, 3), "time_points": 3},
}


def write(path, image):
    """A file of MetaImage, of float32 or bytes."""
    element = {"float32": "MET_FLOAT", "uint8": "MET_UCHAR"}[image.array.dtype.name]
    numbers = {
        "ObjectType": ["Image"], "NDims": [image.array.ndim], "BinaryData": ["True"], "BinaryDataByteOrderMSB": ["False"],
        "TransformMatrix": map(repr, image.direction.T.ravel().tolist()), "Offset": map(repr, image.origin.tolist()),
        "ElementSpacing": map(repr, image.spacing.tolist()), "DimSize": image.array.shape[::-1], "ElementType": [element],
        "ElementDataFile": ["LOCAL"],
    }  # fmt: skip
    head = "".join(f"{name} = {' '.join(map(str, values))}\n" for name, values in numbers.items())
    path.write_bytes(head.encode() + image.array.tobytes())
    return path


def read(path):
    """Pixels of a file of MetaImage that is not compressed."""
    head, data = path.read_bytes().split(b"ElementDataFile = LOCAL\n")
    said = dict(line.split(" = ", 1) for line in head.decode().splitlines())
    assert said.get("CompressedData", "False") == "False"
    shape = [int(n) for n in said["DimSize"].split()][::-1]
    channels = int(said.get("ElementNumberOfChannels", 1))
    return numpy.frombuffer(
        data, {"MET_FLOAT": "<f4", "MET_DOUBLE": "<f8"}[said["ElementType"]]
    ).reshape(*shape, *([channels] if channels > 1 else []))


def images_of(rng, size, oblique=True):
    phantom = Phantom(rng, size, oblique)
    linear, bend = phantom.linear(rng, "rigid"), phantom.bend(1.0)
    return phantom, phantom.images(lambda places: linear(bend(places)))


def mask_of(image):
    values = numpy.ones(image.array.shape, "u1")
    values[..., -4:] = 0
    return cudaspline.Image(values, image.spacing, image.origin, image.direction)


def words_of(options):
    """As the program has them."""
    return [
        word
        for name, value in options.items()
        for word in (
            f"--{name.replace('_', '-')}",
            ",".join(map(str, value)) if isinstance(value, tuple) else str(value),
        )
    ]


@needs_program
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", list(METHODS))
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_program(rng, tmp_path, backend, kind, size, precision):
    """Warped images have its bits, but by B-splines, with masks and without. Those of half of the
    cases lie across the axes of space: the inverses of their matrices differ by roundings, of which
    steps make more."""
    is_oblique, is_masked = (
        (precision == "float64") == (len(size) == 2),
        kind in ("affine", "bspline", "syn"),
    )
    _, (fixed, moving) = images_of(rng, size, is_oblique)
    options = METHODS[kind]
    files = [
        str(write(tmp_path / f"{name}.mha", image))
        for name, image in (("fixed", fixed), ("moving", moving))
    ]
    mask = mask_of(fixed) if is_masked else None
    if mask is not None:
        files += ["--fixed-mask", str(write(tmp_path / "mask.mha", mask))]
    command = [
        PROGRAM, *files, "--stage", kind, *words_of(options), "--precision", {"float32": "float", "float64": "double"}[precision], "--warped",
        str(tmp_path / "warped.mha"), "--field", str(tmp_path / "field.mha"), "--jacobian", str(tmp_path / "jacobian.mha"), "--device", backend,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = cudaspline.register(
        fixed, moving, kind, precision=precision, mask=mask, device=backend, **options
    )
    assert found.report.stages[0].execution.backend == {"cpu": "Cpu", "gpu": "Cuda"}[backend]
    warped, field, jacobian = (
        read(tmp_path / f"{name}.mha") for name in ("warped", "field", "jacobian")
    )
    if not is_oblique and kind != "bspline":
        assert numpy.array_equal(found.warped.array, warped)
        assert (
            difference(found.field.array, field) < 1e-6
        )  # T(x) - x, which both round at places, each at others
        assert difference(found.jacobian().array, jacobian) < 1e-5
        return
    # Rounding decides whether the outermost samples are in the domain of a B-spline, and so in the
    # metric, and how often an inversion of SyN is repeated. The rounding of points in single
    # precision is 1e-7, which the steps of an affine stage increase to 5e-5.
    inner = (slice(2, -2),) * len(size)
    bound = {"bspline": 0.3, "syn": 0.03, "affine": 5e-4 if precision == "float32" else 1e-5}.get(
        kind, 1e-5
    )
    assert difference(found.field.array[inner], field[inner]) < bound
    assert (
        difference(found.warped.array[inner], warped[inner]) < bound * numpy.abs(moving.array).max()
    )


def of_library(library, backend):
    """What makes an array of a library on a backend of one of NumPy, and what gives it back;
    whether it is there."""
    module = pytest.importorskip(library)
    if library == "torch":
        if backend == "gpu" and not module.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")
        place = {"cpu": "cpu", "gpu": "cuda"}[backend]
        return (
            lambda array: module.as_tensor(array, device=place),
            lambda tensor: tensor.cpu().numpy(),
            lambda tensor: tensor.device.type == place,
        )
    try:
        device = module.devices(backend)[0]
    except RuntimeError:
        pytest.skip(f"JAX has no {backend}")
    return (
        lambda array: module.device_put(array, device),
        numpy.asarray,
        lambda array: array.devices() == {device},
    )


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", list(METHODS))
@pytest.mark.parametrize("backend", BACKENDS)
def test_tensors(rng, backend, kind, size, library):
    """They are registered where they are, with masks and, of fields, a second pair; what is made of
    them is there, too."""
    put, back, is_there = of_library(library, backend)
    _, images = images_of(rng, size)
    mask = mask_of(images[0])
    second = tuple(
        cudaspline.Image(100 - image.array, image.spacing, image.origin, image.direction)
        for image in images
    )
    options = {**METHODS[kind], "mask": mask}
    if kind in ("syn", "greedy"):
        options.update(also=[second], metric=[("cc", 0.7), ("meansquares", 0.3)])
    wanted = cudaspline.register(*images, kind, device=backend, **options)

    def moved(image):
        return cudaspline.Image(put(image.array), image.spacing, image.origin, image.direction)

    options["mask"] = moved(mask)
    if "also" in options:
        options["also"] = [tuple(map(moved, second))]
    found = cudaspline.register(
        *map(moved, images), kind, **({"device": "cpu"} if backend == "cpu" else {}), **options
    )
    assert found.report.stages[0].execution.backend == {"cpu": "Cpu", "gpu": "Cuda"}[backend]
    assert numpy.array_equal(back(found.warped.array), wanted.warped.array)
    for one, other, bound in (
        (found.warped, wanted.warped, 0), (found.field, wanted.field, 1e-6), (found.jacobian(), wanted.jacobian(), 1e-5),
        (found.jacobian(log=True), wanted.jacobian(log=True), 1e-5),
    ):  # fmt: skip
        assert is_there(one.array) and difference(back(one.array), other.array) <= bound
    # Determinants are measured where the field is.
    found.folding  # noqa: B018  pylint: disable=pointless-statement
    on_device = backend == "gpu" and is_there(found.field.array)
    assert cudaspline.last_report().backend == ("Cuda" if on_device else "Cpu")
    assert found.folding.all == wanted.folding.all and found.folding.voxels == wanted.folding.voxels
    assert (
        abs(found.folding.least - wanted.folding.least) < 1e-5
        and abs(found.folding.largest - wanted.folding.largest) < 1e-5
    )


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_tensors_of_small_values(rng, backend, library):
    """They are multiplied where they are, and their caller's stay as they were."""
    put, back, is_there = of_library(library, backend)
    _, images = images_of(rng, (34, 30))
    arrays = [image.array * numpy.float32(2.0**-60) for image in images]
    options = {"metric": "meansquares", "iterations": (6, 4, 3), "learning_rate": 0.25}
    wanted = cudaspline.register(*arrays, "greedy", device=backend, **options)
    tensors = [put(array) for array in arrays]
    found = cudaspline.register(
        *tensors, "greedy", **({"device": "cpu"} if backend == "cpu" else {}), **options
    )
    assert (
        found.report.value_factors == wanted.report.value_factors
        and wanted.report.value_factors[0][0] > 2.0**50
    )
    assert is_there(found.warped) and numpy.array_equal(back(found.warped), wanted.warped)
    assert numpy.abs(wanted.field.array).max() > 0.1
    assert all(numpy.array_equal(back(tensor), array) for tensor, array in zip(tensors, arrays))


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_series_of_tensors(rng, backend, library):
    put, back, is_there = of_library(library, backend)
    phantom, volumes, _ = moved_series(rng, (20, 18, 16))
    wanted = cudaspline.register_series(series_of(phantom, volumes), iterations=6, device=backend)
    found = cudaspline.register_series(
        series_of(phantom, put(volumes)),
        iterations=6,
        **({"device": "cpu"} if backend == "cpu" else {}),
    )
    assert (
        is_there(found.warped.array)
        and difference(back(found.warped.array), wanted.warped.array) < 1e-3
    )
    for one, other in zip(found.transforms, wanted.transforms):
        assert difference(one.matrix, other.matrix) < 1e-9
