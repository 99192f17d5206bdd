"""Transforms of all kinds: what the reader of files makes of ITK's, fields and grids of arrays, and
images of displacements."""

import numpy
import pytest

import cudaspline
from conftest import difference
from test_resample import make_image, make_transforms


def maps(transform, dimension, points):
    """Where places go, by stages: of a field and a grid as the library walks them."""
    # An image whose value is a coordinate of its place, linear, so that interpolation is exact.
    size = 41
    span = numpy.linspace(-200, 200, size)
    found = []
    for axis in range(dimension):
        shape = [1] * dimension
        shape[dimension - 1 - axis] = size
        array = numpy.broadcast_to(span.reshape(shape), (size,) * dimension).copy()
        image = cudaspline.Image(array, 10.0, -200.0)
        values = [
            cudaspline.resample(
                image,
                transform,
                size=(1,) * dimension,
                origin=point,
                interpolation="linear",
                default=numpy.nan,
            ).array.ravel()[0]
            for point in points
        ]
        found.append(values)
    return numpy.array(found).T


@pytest.mark.parametrize(
    "name",
    [
        "translation",
        "scale",
        "versor",
        "similarity",
        "rigid",
        "affine",
        "bspline",
        "bspline of order 2",
        "field",
        "composite",
    ],
)
@pytest.mark.parametrize("suffix", [".tfm", ".h5", ".mat"])
def test_files_map_as_itk_does(rng, tmp_path, name, suffix):
    sitk = pytest.importorskip("SimpleITK")
    image = make_image(sitk, rng)
    transform = make_transforms(sitk, rng, image)[name]
    if suffix == ".mat" and name == "composite":
        pytest.skip("Matlab's format has no composites")
    path = tmp_path / f"transform{suffix}"
    sitk.WriteTransform(transform, str(path))
    points = [
        image.TransformContinuousIndexToPhysicalPoint(rng.uniform(2, 15, 3).tolist())
        for _ in range(5)
    ]
    wanted = numpy.array([transform.TransformPoint(point) for point in points])
    assert difference(maps(str(path), 3, points), wanted) < 1e-9  # text has 15 digits at least
    assert difference(maps(path, 3, points), wanted) < 1e-9


def test_composites_in_lists(rng):
    sitk = pytest.importorskip("SimpleITK")
    image = make_image(sitk, rng)
    transforms = make_transforms(sitk, rng, image)
    points = [
        image.TransformContinuousIndexToPhysicalPoint(rng.uniform(4, 14, 3).tolist())
        for _ in range(5)
    ]
    chain = [transforms["affine"], transforms["composite"], transforms["rigid"]]
    wanted = numpy.array([sitk.CompositeTransform(chain).TransformPoint(point) for point in points])
    assert difference(maps(chain, 3, points), wanted) < 1e-9


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_fields_of_arrays(rng, dimension, dtype):
    shape = (5, 6, 7)[:dimension]
    vectors = rng.uniform(-3, 3, (*shape, dimension)).astype(dtype)
    field = cudaspline.DisplacementField(vectors, spacing=4, origin=-10)
    at = numpy.array([1, 2, 3][:dimension])  # index of the grid, x first
    points = [(-10 + 4.0 * at).tolist(), [-150.0] * dimension]
    wanted = numpy.array(points)
    wanted[0] += vectors[tuple(at[::-1])]
    assert (
        difference(maps(field, dimension, points), wanted) < 1e-5
    )  # the second one is outside of the field, and stays
    going_on = cudaspline.DisplacementField(vectors, spacing=4, origin=-10, extend=True)
    wanted[1] += vectors[(0,) * dimension]
    assert difference(maps(going_on, dimension, points), wanted) < 1e-5
    between = [(-10 + 4.0 * (at + 0.3)).tolist()]
    nearest = cudaspline.DisplacementField(vectors, spacing=4, origin=-10, nearest=True)
    assert difference(maps(nearest, dimension, between), between + vectors[tuple(at[::-1])]) < 1e-5


def test_grids_of_arrays(rng):
    coefficients = numpy.broadcast_to(
        numpy.array([1.0, -2.0, 3.0]).reshape(3, 1, 1, 1), (3, 7, 8, 9)
    )
    for order in (1, 2, 3):
        grid = cudaspline.BSplineGrid(coefficients, spacing=20, origin=-80, order=order)
        points = [[0.0, 1, 2], [-5, 7, 3]]
        assert (
            difference(maps(grid, 3, points), numpy.array(points) + [1, -2, 3]) < 1e-12
        )  # weights sum up to 1


def test_images_of_displacements(rng):
    sitk = pytest.importorskip("SimpleITK")
    vectors = sitk.GetImageFromArray(rng.uniform(-2, 2, (8, 9, 10, 3)), isVector=True)
    vectors.SetSpacing([4, 5, 6])
    transform = sitk.DisplacementFieldTransform(sitk.Image(vectors))
    points = rng.uniform(1, 30, (4, 3)).tolist()
    wanted = numpy.array([transform.TransformPoint(point) for point in points])
    assert difference(maps(vectors, 3, points), wanted) < 1e-12
    assert difference(maps(cudaspline.DisplacementField(vectors), 3, points), wanted) < 1e-12


def test_nifti_displacements_are_turned(rng):
    nibabel = pytest.importorskip("nibabel")
    vectors = rng.uniform(-2, 2, (4, 4, 4, 3))
    image = nibabel.Nifti1Image(vectors, numpy.diag([10.0, 10, 10, 1]))
    # Index (1, 2, 3) is at RAS (10, 20, 30): LPS (-10, -20, 30).
    found = maps(image, 3, [[-10.0, -20, 30]])
    assert (
        difference(found, numpy.array([[-10.0, -20, 30]]) + vectors[1, 2, 3] * [-1, -1, 1]) < 1e-12
    )


@pytest.mark.parametrize("name", ["Linear", "NearestNeighbor"])
@pytest.mark.parametrize("within", ["itself", "Transform", "CompositeTransform"])
def test_fields_are_interpolated_as_they_say(rng, name, within):
    sitk = pytest.importorskip("SimpleITK")
    vectors = sitk.GetImageFromArray(rng.uniform(-2, 2, (8, 9, 10, 3)), isVector=True)
    field = sitk.DisplacementFieldTransform(vectors)
    field.SetInterpolator(getattr(sitk, f"sitk{name}"))
    transform = field if within == "itself" else getattr(sitk, within)(field)
    points = rng.uniform(1, 6, (5, 3)).tolist()
    wanted = numpy.array([transform.TransformPoint(point) for point in points])
    assert difference(maps(transform, 3, points), wanted) < 1e-12
    if within == "CompositeTransform":  # several, and within each other
        other = sitk.DisplacementFieldTransform(
            sitk.GetImageFromArray(rng.uniform(-1, 1, (8, 9, 10, 3)), isVector=True)
        )
        if name == "Linear":
            other.SetInterpolator(sitk.sitkNearestNeighbor)
        chain = sitk.CompositeTransform(
            [
                sitk.TranslationTransform(3, [0.3, 0.2, 0.1]),
                sitk.CompositeTransform([other, field]),
                other,
            ]
        )
        again = numpy.array([chain.TransformPoint(point) for point in points])
        assert difference(maps(chain, 3, points), again) < 1e-12
    field.SetInterpolator(
        sitk.sitkLinear if name == "NearestNeighbor" else sitk.sitkNearestNeighbor
    )
    assert difference([field.TransformPoint(point) for point in points], wanted) > 1e-2


@pytest.mark.parametrize("number", [numpy.nan, numpy.inf])
def test_transforms_are_finite(rng, tmp_path, number):
    sitk = pytest.importorskip("SimpleITK")
    image = numpy.zeros((9, 9, 9))
    affine = sitk.AffineTransform(3)
    affine.SetTranslation([0, number, 0])
    grid = sitk.BSplineTransformInitializer(sitk.Image(9, 9, 9, sitk.sitkUInt8), [3, 4, 2], order=3)
    grid.SetParameters([number, *grid.GetParameters()[1:]])
    for transform in (affine, grid, [numpy.eye(4), affine], sitk.CompositeTransform([affine])):
        with pytest.raises(ValueError, match=r"^transform.*finite"):
            cudaspline.resample(image, transform)
    for transform in (affine, grid):
        path = tmp_path / "transform.h5"
        sitk.WriteTransform(transform, str(path))
        with pytest.raises(ValueError, match=r"^transform.*finite"):
            cudaspline.resample(image, path)


@pytest.mark.parametrize(
    "text, error, message",
    [
        *[
            (
                f"#Insight Transform File V1.0\nTransform: {kind}_double_3_3\nParameters: {numbers}\nFixedParameters: {fixed}\n",
                ValueError,
                "not finite",
            )
            for kind, numbers, fixed in (
                ("TranslationTransform", "1 nan 3", ""),
                ("AffineTransform", "1 0 0 0 1 0 0 0 inf 0 0 0", "0 0 0"),
                ("AffineTransform", "1 0 0 0 1 0 0 0 1 0 0 0", "0 nan 0"),
                ("Euler3DTransform", "0 0 -inf 0 0 0", "0 0 0 0"),
                ("DisplacementFieldTransform", "0 0 nan", "1 1 1 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1"),
                ("BSplineTransform", "1 2 3", "nan 4 4 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1"),
            )
        ],
        ("#Insight Transform File V1.0\n", ValueError, "no transform"),
        ("Transform: AffineTransform_double_3_3\n", ValueError, "does not begin"),
        (
            "#Insight Transform File V1.0\nTransform: AffineTransform_double_3_3\nParameters: 1 2 3\nFixedParameters: 0 0 0\n",
            ValueError,
            "3 parameters are given; .* needs 12",
        ),
        (
            "#Insight Transform File V1.0\nTransform: AffineTransform_double_2_2\nParameters: 1 0 0 1 2 3\nFixedParameters: 0 0\n",
            ValueError,
            "dimensions",
        ),
        (
            "#Insight Transform File V1.0\nTransform: AzimuthElevationToCartesianTransform_double_3_3\nParameters:\n",
            TypeError,
            "Azimuth",
        ),
        (
            "#Insight Transform File V1.0\nTransform: TranslationTransform_double_3_3\nParameters: 1 b 3\n",
            ValueError,
            "not numbers",
        ),
    ],
)
def test_errors_of_files(tmp_path, text, error, message):
    path = tmp_path / "transform.txt"
    path.write_text(text)
    with pytest.raises(error, match=f"transform.*{message}"):
        cudaspline.resample(numpy.zeros((3, 3, 3)), path)


@pytest.mark.parametrize(
    "transform, text",
    [
        (cudaspline.DisplacementField(numpy.zeros((3, 3, 3))), "shape"),
        (cudaspline.DisplacementField(numpy.zeros((3, 3, 3, 2))), "shape"),
        (cudaspline.DisplacementField(numpy.zeros((3, 3, 3, 3)), spacing=0), "spacing"),
        (cudaspline.BSplineGrid(numpy.zeros((3, 5, 5, 5)), order=4), "order"),
        (cudaspline.BSplineGrid(numpy.zeros((3, 5, 5, 3)), order=3), "size"),
        (cudaspline.BSplineGrid(numpy.zeros((2, 5, 5, 5))), "shape"),
    ],
)
def test_errors_of_grids(transform, text):
    with pytest.raises(ValueError, match=text):
        cudaspline.resample(numpy.zeros((3, 3, 3)), transform)


def test_fields_and_grids_are_told_briefly():
    field = cudaspline.DisplacementField(numpy.zeros((30, 40, 50, 3)), spacing=2.0, extend=True)
    assert (
        repr(field)
        == "DisplacementField(array=<numpy float64 (30, 40, 50, 3)>, spacing=2.0, extend=True)"
    )
    grid = cudaspline.BSplineGrid(numpy.zeros((2, 8, 8), "f4"), origin=[-4, -4])
    assert repr([grid]) == "[BSplineGrid(coefficients=<numpy float32 (2, 8, 8)>, origin=[-4, -4])]"
    assert field == field and field != cudaspline.DisplacementField(
        field.array, spacing=2.0
    )  # arrays have no one truth
