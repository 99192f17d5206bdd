"""resample() and zoom(): against SimpleITK, which runs ITK, and against closed forms where it is
not installed.

Tolerances against ITK: linear interpolation, nearest neighbours, windowed sinc and label Gaussian
in double are ITK's to rounding; ITK's spline coefficients are truncated at 1e-10 of a sample.
"""

import numpy
import pytest

import cudaspline
from conftest import difference

INTERPOLATIONS = {
    "linear": ("sitkLinear", {}),
    "bspline": ("sitkBSpline", {}),
    "nearest": ("sitkNearestNeighbor", {}),
    "sinc": ("sitkHammingWindowedSinc", dict(radius=5)),
    "label": ("sitkLabelGaussian", {}),
}


def turned(rng, n=3):
    """A rotation."""
    q = numpy.linalg.qr(rng.normal(size=(n, n)))[0]
    return q * numpy.sign(numpy.linalg.det(q))


def make_image(sitk, rng, dtype="float64", size=(31, 26, 19)):
    image = sitk.GetImageFromArray(rng.uniform(-100, 100, size[::-1]).astype(dtype))
    image.SetSpacing(rng.uniform(0.7, 2, 3).tolist())
    image.SetOrigin(rng.uniform(-30, 30, 3).tolist())
    image.SetDirection(turned(rng).ravel().tolist())
    return image


def middle_of(image):
    return image.TransformContinuousIndexToPhysicalPoint([(n - 1) / 2 for n in image.GetSize()])


def make_transforms(sitk, rng, image):
    """Transforms of every kind, by name, that keep much of the image in view."""
    middle = middle_of(image)
    angles = rng.uniform(-0.3, 0.3, 3)
    rigid = sitk.Euler3DTransform(middle, *angles, rng.uniform(-2, 2, 3).tolist())
    affine = sitk.AffineTransform(3)
    affine.SetCenter(middle)
    affine.SetMatrix((turned(rng) * 0.2 + numpy.eye(3)).ravel().tolist())
    grid = sitk.BSplineTransformInitializer(image, [3, 4, 2], order=3)
    grid.SetParameters(rng.uniform(-2, 2, len(grid.GetParameters())).tolist())
    square = sitk.BSplineTransformInitializer(image, [3, 4, 2], order=2)
    square.SetParameters(rng.uniform(-2, 2, len(square.GetParameters())).tolist())
    vectors = sitk.GetImageFromArray(rng.uniform(-2, 2, (8, 9, 10, 3)), isVector=True)
    vectors.SetSpacing([n * s / 10 for n, s in zip(image.GetSize(), image.GetSpacing())])
    vectors.SetOrigin(image.GetOrigin())
    vectors.SetDirection(image.GetDirection())
    field = sitk.DisplacementFieldTransform(sitk.Image(vectors))
    return {
        "identity": sitk.Transform(3, sitk.sitkIdentity),
        "translation": sitk.TranslationTransform(3, rng.uniform(-3, 3, 3).tolist()),
        "scale": sitk.ScaleTransform(3, rng.uniform(0.8, 1.2, 3).tolist()),
        "versor": sitk.VersorRigid3DTransform([0, 0.6, 0.8], 0.2, [1, 2, 3], middle),
        "similarity": sitk.Similarity3DTransform(1.1, [1, 0, 0], 0.3, [1, -2, 3], middle),
        "rigid": rigid,
        "affine": affine,
        "bspline": grid,
        "bspline of order 2": square,
        "field": field,
        "composite": sitk.CompositeTransform([rigid, grid, field, affine]),
    }


def reference_of(sitk, rng, image):
    reference = sitk.Image(28, 33, 17, sitk.sitkFloat32)
    reference.SetSpacing([s * f for s, f in zip(image.GetSpacing(), rng.uniform(0.7, 1.3, 3))])
    reference.SetOrigin([o + d for o, d in zip(image.GetOrigin(), rng.uniform(-3, 3, 3))])
    reference.SetDirection(image.GetDirection())
    return reference


def compare(sitk, found, wanted, kind):
    found, wanted = sitk.GetArrayFromImage(found), sitk.GetArrayFromImage(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    inside = wanted != -7
    assert 0.05 < inside.mean()  # something is in view
    if kind in ("nearest", "label"):
        # Points that are a rounding away from the middle between two samples: none, as the grids
        # are random.
        assert (found != wanted).mean() < 1e-3
        return
    # Points on the edge may be inside for one of the two: a rounding of the places.
    on_edge = (found == -7) != (wanted == -7)
    assert on_edge.mean() < 1e-3
    # 1e-10 is ITK's truncation of the coefficients, of samples of up to 100 with a gain of up to 3
    # an axis.
    assert (
        difference(numpy.where(on_edge, 0, found), numpy.where(on_edge, 0, wanted))
        < 1e-10 * 100 * 27
    )


@pytest.mark.parametrize("kind", ["linear", "bspline", "nearest", "sinc"])
def test_agrees_with_itk_by_transform(rng, kind):
    sitk = pytest.importorskip("SimpleITK")
    image = make_image(sitk, rng)
    reference = reference_of(sitk, rng, image)
    name, options = INTERPOLATIONS[kind]
    for transform in make_transforms(sitk, rng, image).values():
        found = cudaspline.resample(
            image, transform, reference, interpolation=kind, default=-7, **options
        )
        wanted = sitk.Resample(image, reference, transform, getattr(sitk, name), -7)
        compare(sitk, found, wanted, kind)
        assert (
            found.GetSpacing() == reference.GetSpacing()
            and found.GetOrigin() == reference.GetOrigin()
        )
        assert (
            found.GetDirection() == reference.GetDirection()
            and found.GetSize() == reference.GetSize()
        )


@pytest.mark.parametrize("kind", INTERPOLATIONS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "float32", "float64"])
def test_agrees_with_itk_by_type(rng, dtype, kind):
    sitk = pytest.importorskip("SimpleITK")
    image = make_image(sitk, rng)
    array = (
        numpy.abs(sitk.GetArrayFromImage(image))
        if dtype.startswith("u")
        else sitk.GetArrayFromImage(image)
    )
    if kind == "label":
        array = array // 25
    typed = sitk.GetImageFromArray(array.astype(dtype))
    typed.CopyInformation(image)
    reference = reference_of(sitk, rng, image)
    transform = make_transforms(sitk, rng, image)["rigid"]
    name, options = INTERPOLATIONS[kind]
    found = cudaspline.resample(
        typed, transform, reference, interpolation=kind, rounding="itk", **options
    )
    wanted = sitk.Resample(typed, reference, transform, getattr(sitk, name))
    a, b = (sitk.GetArrayFromImage(i).astype("f8") for i in (found, wanted))
    assert found.GetPixelID() == typed.GetPixelID() and a.any()
    if dtype.startswith("float") and kind not in ("nearest", "label"):
        # float: some 6^3 products of float32 numbers of up to 100 * 27, or 100 and weights of up to
        # 1 (sinc: 10^3 of them).
        eps = 1e-9 if dtype == "float64" else 1e-7 * 100 * (27 if kind == "bspline" else 10)
        on_edge = (a == 0) != (b == 0)
        assert on_edge.mean() < 1e-3
        assert difference(a[~on_edge], b[~on_edge]) < eps * (100 if dtype == "float64" else 1)
    else:
        # Values next to an integer are truncated to either side; those on the edge are inside for
        # one of the two.
        assert (a != b).mean() < 2e-3


def test_vectors_agree_with_itk(rng):
    sitk = pytest.importorskip("SimpleITK")
    image = make_image(sitk, rng)
    vectors = sitk.Compose([image, -2 * image, image**2])
    transforms = make_transforms(sitk, rng, image)
    for name in ("rigid", "composite"):
        found = cudaspline.resample(
            vectors, transforms[name], interpolation="linear", default=[-1, -2, -3]
        )
        assert found.GetNumberOfComponentsPerPixel() == 3
        for component in range(3):
            part = sitk.VectorIndexSelectionCast(vectors, component)
            wanted = sitk.Resample(part, part, transforms[name], sitk.sitkLinear, -1 - component)
            got = sitk.GetArrayFromImage(sitk.VectorIndexSelectionCast(found, component))
            wanted = sitk.GetArrayFromImage(wanted)
            assert (numpy.abs(got - wanted) > 1e-9 * 1e4).mean() < 1e-3
        assert (sitk.GetArrayFromImage(found) == [-1, -2, -3]).all(axis=-1).any()  # outside


def test_nearest_extrapolation(rng):
    image = rng.uniform(-1, 1, (9, 10, 11))
    shifted = cudaspline.resample(
        image, [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]], extrapolate=True, interpolation="linear"
    )
    wanted = image[:, :, numpy.minimum(numpy.arange(11) + 5, 10)]
    assert difference(shifted, wanted) < 1e-15
    spline = cudaspline.resample(
        image, [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]], extrapolate=True
    )
    assert difference(spline, wanted) < 1e-12


@pytest.mark.parametrize("shape", [(50,), (40, 50), (20, 30, 40)])
@pytest.mark.parametrize("order", range(6))
def test_identity_gives_the_samples(rng, shape, order):
    image = rng.uniform(-1, 1, shape)
    assert difference(cudaspline.resample(image, order=order), image) < 1e-12
    assert difference(cudaspline.resample(image, interpolation="catmull-rom"), image) < 1e-14


def mitchell_netravali(x, b=1 / 3, c=1 / 3):
    """Mitchell and Netravali, "Reconstruction filters in computer graphics", 1988, equation 8."""
    x = numpy.abs(x)
    inner = (12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b
    outer = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
    return numpy.where(x < 1, inner, numpy.where(x < 2, outer, 0)) / 6


@pytest.mark.parametrize("name, options, parameters", [
    ("mitchell", {}, (1 / 3, 1 / 3)), ("catmull-rom", {}, (0, 0.5)), ("catmull-rom", dict(tension=0.8), (0, 0.8)),
])  # fmt: skip
@pytest.mark.parametrize("shape", [(30,), (12, 15), (9, 10, 11)])
def test_cubic_convolution_is_its_formula(rng, shape, name, options, parameters):
    image = rng.uniform(-1, 1, shape)
    shift, scale = rng.uniform(-2, 2, len(shape)), rng.uniform(0.6, 1.1, len(shape))
    found = cudaspline.resample(
        image,
        numpy.column_stack([numpy.diag(scale), shift]),
        interpolation=name,
        default=numpy.nan,
        **options,
    )
    wanted = image
    for axis in range(len(shape)):
        n = shape[axis]
        at = scale[::-1][axis] * numpy.arange(n) + shift[::-1][axis]
        taps = numpy.floor(at).astype(int)[:, None] + numpy.arange(-1, 3)
        folded = numpy.abs(
            (taps + n - 1) % (2 * n - 2) - (n - 1)
        )  # mirrored about the outermost samples
        weights = mitchell_netravali(at[:, None] - taps, *parameters)
        weights[(at < -0.5) | (at >= n - 0.5)] = numpy.nan
        matrix = numpy.zeros((n, n))
        numpy.add.at(matrix, (numpy.arange(n)[:, None], folded), weights)
        matrix[numpy.isnan(weights[:, 0])] = numpy.nan
        wanted = numpy.moveaxis(numpy.tensordot(matrix, wanted, (1, axis)), 0, axis)
    assert (
        numpy.array_equal(numpy.isnan(found), numpy.isnan(wanted)) and numpy.isfinite(found).any()
    )
    assert numpy.nanmax(numpy.abs(found - wanted)) < 1e-13


def test_mitchell_smooths_at_samples(rng):
    """It does not interpolate: a sample is weighted by 16/18, its neighbours by 1/18 along each
    axis. It has no tension."""
    image = rng.uniform(-1, 1, (20, 30))
    wanted = image
    for axis in range(2):
        padded = numpy.pad(
            wanted, [(1, 1) if d == axis else (0, 0) for d in range(2)], mode="reflect"
        )
        below, middle, above = (
            numpy.take(padded, numpy.arange(wanted.shape[axis]) + k, axis) for k in range(3)
        )
        wanted = (below + 16 * middle + above) / 18
    assert difference(cudaspline.resample(image, interpolation="mitchell"), wanted) < 1e-14
    assert difference(cudaspline.resample(image + 3, interpolation="mitchell"), wanted + 3) < 1e-14
    with pytest.raises(ValueError, match="^tension: "):
        cudaspline.resample(image, interpolation="mitchell", tension=0.3)


def test_list_applies_the_last_one_first(rng):
    image = rng.uniform(-1, 1, (12, 14))
    scale = numpy.diag([0.5, 0.5, 1.0])
    shift = numpy.array([[1, 0, 4], [0, 1, 2], [0, 0, 1.0]])
    # x -> scale(shift(x)) = (x + 4) / 2.
    found = cudaspline.resample(image, [scale, shift])
    assert numpy.array_equal(found, cudaspline.resample(image, scale @ shift))
    assert not numpy.array_equal(found, cudaspline.resample(image, shift @ scale))


def test_bare_arrays_and_images_with_geometry(rng):
    array = rng.uniform(-1, 1, (10, 12, 14))
    image = cudaspline.Image(array, spacing=(1, 2, 3), origin=(5, 6, 7))
    found = cudaspline.resample(image, spacing=(0.5, 2, 3), size=(27, 12, 10))
    assert isinstance(found, cudaspline.Image) and found.array.shape == (10, 12, 27)
    assert found.spacing.tolist() == [0.5, 2, 3] and found.origin.tolist() == [5, 6, 7]
    assert difference(found.array[:, :, ::2], array) < 1e-13
    assert isinstance(cudaspline.resample(array, size=(3, 4, 5)), numpy.ndarray)
    assert cudaspline.resample(array, size=(3, 4, 5)).shape == (5, 4, 3)


def test_out(rng):
    array = rng.uniform(-1, 1, (10, 12, 14))
    out = numpy.empty((5, 4, 3))
    assert cudaspline.resample(array, size=(3, 4, 5), out=out) is out
    assert numpy.array_equal(out, cudaspline.resample(array, size=(3, 4, 5)))
    with pytest.raises(ValueError, match="out"):
        cudaspline.resample(array, size=(3, 4, 5), out=numpy.empty((3, 4, 5)))
    with pytest.raises(TypeError, match="out"):
        cudaspline.resample(array, size=(3, 4, 5), out=out.astype("f4"))


def test_source(rng):
    array = rng.uniform(-1, 1, (10, 12, 14)).astype("f4")
    matrix = numpy.eye(4) + 0.05 * numpy.vstack([rng.normal(size=(3, 4)), numpy.zeros(4)])
    source = cudaspline.Source(array, order=5)
    assert numpy.array_equal(
        cudaspline.resample(source, matrix), cudaspline.resample(array, matrix, order=5)
    )
    labels = rng.integers(0, 9, (10, 12, 14)).astype("u1")
    source = cudaspline.Source(labels, interpolation="nearest")
    assert numpy.array_equal(
        cudaspline.resample(source, matrix),
        cudaspline.resample(labels, matrix, interpolation="nearest"),
    )


def test_texture_mode_is_near(rng):
    array = rng.uniform(-1, 1, (20, 22, 24)).astype("f4")
    matrix = numpy.eye(4) + 0.05 * numpy.vstack([rng.normal(size=(3, 4)), numpy.zeros(4)])
    exact = cudaspline.resample(array, matrix)
    for mode in ("texture", "texture-table"):
        error = difference(cudaspline.resample(array, matrix, mode=mode), exact)
        # The hardware's weights have 8 bits: 2^-9 of differences of coefficients of up to 2 * 27,
        # an axis.
        assert 0 < error < 3 * 2.0**-9 * 54


def test_pieces_have_the_bits_of_the_whole(rng):
    array = rng.uniform(-1, 1, (180, 96, 96)).astype("f4")
    matrix = numpy.eye(4) + 0.01 * numpy.vstack([rng.normal(size=(3, 4)), numpy.zeros(4)])
    whole = cudaspline.resample(array, matrix, order=3, device="cpu")
    assert cudaspline.last_report().pieces == 1
    pieces = cudaspline.resample(array, matrix, order=3, device="cpu", memory_limit=9 << 20)
    assert cudaspline.last_report().pieces > 1
    assert numpy.array_equal(whole, pieces)


def test_zoom_keeps_edges_or_centers(rng):
    ramp = numpy.arange(20.0)
    found = cudaspline.zoom(ramp, 2, interpolation="linear")
    assert (
        difference(found[1:-1], (numpy.arange(1, 39) - 0.5) / 2) < 1e-13
    )  # half samples keep the edges
    found = cudaspline.zoom(ramp, None, size=(39,), align="centers", interpolation="linear")
    assert difference(found, numpy.arange(39) / 2) < 1e-13


@pytest.mark.parametrize(
    "interpolation", ["bspline", "catmull-rom", "mitchell", "linear", "nearest"]
)
def test_zoom_agrees_with_scipy(rng, interpolation):
    ndimage = pytest.importorskip("scipy.ndimage")
    image = rng.uniform(-1, 1, (16, 18, 12))
    found = cudaspline.zoom(image, (2, 1.5, 1.75), align="centers", interpolation=interpolation)
    assert found.shape == (28, 27, 24)
    if interpolation in ("bspline", "linear"):
        wanted = ndimage.zoom(
            image, (1.75, 1.5, 2), order=3 if interpolation == "bspline" else 1, mode="mirror"
        )
        assert difference(found, wanted) < 1e-12
    image = cudaspline.Image(image, spacing=(1, 2, 3), origin=(1, 1, 1))
    found = cudaspline.zoom(image, 2, interpolation=interpolation)
    assert difference(found.spacing, [0.5, 1, 1.5]) < 1e-15
    assert difference(found.origin, [0.75, 0.5, 0.25]) < 1e-15
    assert (
        numpy.isfinite(found.array).all() and not (found.array == 0).any()
    )  # no sample is outside


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(transform=numpy.eye(5)), ValueError, "transform"),
        (dict(transform=object()), TypeError, "transform"),
        (dict(transform=[numpy.eye(4), 3]), TypeError, r"transform\[1\]"),
        (dict(transform=numpy.full((4, 4), numpy.nan)), ValueError, "transform"),
        (dict(transform="nowhere.tfm"), FileNotFoundError, "transform"),
        (dict(reference=numpy.zeros((3, 3))), ValueError, "reference"),
        (dict(reference="image.nii"), FileNotFoundError, "^reference: there is no file"),
        (dict(size=(3, 3)), ValueError, "size"),
        (dict(size=(3, 3, 0)), ValueError, "size"),
        (dict(spacing=(1, 1, -1)), ValueError, "spacing"),
        (dict(origin=(1, 1)), ValueError, "origin"),
        (dict(direction=numpy.zeros((3, 3))), ValueError, "direction"),
        (dict(interpolation="best"), ValueError, "interpolation"),
        (dict(mode="quick"), ValueError, "mode"),
        (dict(mode="texture", order=0), ValueError, "mode"),
        (dict(mode="texture", precision="float64"), ValueError, "precision"),
        (dict(interpolation="sinc", radius=9), ValueError, "radius"),
        (dict(interpolation="label", sigma=0), ValueError, "sigma"),
        (dict(window="rect"), ValueError, "window"),
        (dict(default="dark"), TypeError, "default"),
        (dict(default=(1, 2, 3)), ValueError, "default"),
        (dict(dtype="uint8", default=-1), ValueError, "default"),
        (dict(storage="half", order=5), ValueError, "(?i)storage"),
        (dict(threads=-2), ValueError, "threads"),
        (dict(device="mainframe"), cudaspline.DeviceError, "^device: .*mainframe"),
    ],
)
def test_errors_name_the_argument(arguments, error, text):
    with pytest.raises(error, match=text):
        cudaspline.resample(numpy.zeros((4, 5, 6), "f4"), **arguments)


@pytest.mark.parametrize(
    "arguments, text",
    [(dict(zoom=0), "zoom"), (dict(zoom=None), "zoom"), (dict(zoom=2, align="left"), "align")],
)
def test_errors_of_zoom(arguments, text):
    with pytest.raises(ValueError, match=text):
        cudaspline.zoom(numpy.zeros((4, 5, 6), "f4"), **arguments)


@pytest.mark.parametrize("interpolation", ["nearest", "linear", "bspline", "lanczos"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_lines_that_enter_the_image_and_leave_it(rng, interpolation, dtype):
    """On the host what lies outside at the ends of a run is stored beforehand; of pixels of two
    numbers each sample is looked at."""
    image = rng.uniform(1, 200, (9, 11, 70)).astype(dtype)
    turn = numpy.linalg.qr(rng.standard_normal((3, 3)))[0]
    for scale in (0.7, 1.5, 4.0):
        matrix = scale * (turn if scale != 1.5 else numpy.eye(3))
        middle = (numpy.array(image.shape[::-1]) - 1) / 2
        move = numpy.column_stack([matrix, middle - matrix @ middle + rng.uniform(-1, 1, 3)])
        field = numpy.zeros((*image.shape, 3))
        field[rng.random(image.shape) < 0.3] = numpy.nan  # outside, here and there
        for transform in (move, [move, cudaspline.DisplacementField(field)]):
            options = dict(interpolation=interpolation, smooth=False, device="cpu")
            found = cudaspline.resample(image, transform, default=3, **options)
            both = cudaspline.resample(
                numpy.stack([image, image], -1), transform, default=(3, 3), channels=True, **options
            )
            assert (
                (scale < 4 or (found == 3).any())
                and numpy.array_equal(found, both[..., 0])
                and numpy.array_equal(found, both[..., 1])
            )
