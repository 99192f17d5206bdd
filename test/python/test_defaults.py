"""Defaults: linear interpolation, integers that are rounded; and the warnings of labels and of
lists of transforms.

Expected values are exact: small integers and their halves, by hand or by NumPy."""

import warnings
from pathlib import Path

import numpy
import pytest

import cudaspline


def labels_of(shape=(12, 14, 16), dtype="uint8"):
    """A few boxes of labels."""
    labels = numpy.zeros(shape, dtype)
    labels[2:9, 3:11, 4:12] = 3
    labels[4:7, 5:9, 6:10] = 40
    return labels


def told(function):
    """The result, and the categories and texts of warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function()
    return result, [(one.category, str(one.message)) for one in found]


def of_labels(function):
    return [text for category, text in told(function)[1] if category is cudaspline.LabelWarning]


class TestInterpolation:
    def test_is_linear(self, rng):
        image = rng.uniform(-1, 1, (7, 8, 9)).astype("f4")
        matrix = [[0.9, 0.1, 0, 0.3], [-0.1, 0.9, 0, 0.2], [0, 0, 1, 0.4]]
        points = rng.uniform(0, 6, (20, 3))
        source = cudaspline.Source(image)
        for function in (
            lambda **options: cudaspline.resample(image, matrix, **options),
            lambda **options: cudaspline.zoom(image, 1.7, **options),
            lambda **options: cudaspline.sample(image, points, **options),
        ):
            assert numpy.array_equal(function(), function(interpolation="linear"))
            assert numpy.array_equal(function(order=3), function(interpolation="bspline"))
            assert numpy.array_equal(function(order=2), function(interpolation="bspline", order=2))
            assert numpy.array_equal(
                function(prefilter="itk"), function(interpolation="bspline", prefilter="itk")
            )
        assert numpy.array_equal(source.resample(matrix), cudaspline.resample(image, matrix))
        assert "linear" in repr(source)

    def test_derivatives_are_of_a_spline(self, rng):
        image = rng.uniform(-1, 1, (7, 8, 9))
        points = rng.uniform(1, 5, (20, 3))
        for _ in range(4):  # by plans, too
            values, slopes = cudaspline.sample(image, points, gradient=True)
            assert numpy.array_equal(values, cudaspline.sample(image, points, order=3))
            assert numpy.array_equal(
                slopes, cudaspline.sample(image, points, order=3, gradient=True)[1]
            )
        with pytest.raises(ValueError, match="^gradient: .*order=3"):
            cudaspline.sample(image, points, interpolation="linear", gradient=True)

    def test_names(self, rng):
        image = rng.uniform(-1, 1, (7, 8))
        for name, order in (
            ("BSpline[3]", 3),
            ("bspline[order=5]", 5),
            ("B-Spline", 3),
            ("cubic", 3),
        ):
            assert numpy.array_equal(
                cudaspline.zoom(image, 2, interpolation=name),
                cudaspline.zoom(image, 2, order=order),
            )
        with pytest.raises(ValueError, match="^interpolation: .*did you mean 'linear'"):
            cudaspline.zoom(image, 2, interpolation="linaer")
        stage = cudaspline.Stage("SyN", metric="CC")
        assert (stage.kind, stage.metrics[0].metric) == ("syn", "cc")
        assert cudaspline.Stage("Affine", metric="MI").metrics[0].metric == "mattes"


def test_names_of_other_libraries():
    image = numpy.eye(8)
    for options, text in (
        (dict(cval=1), "did you mean 'default'"),
        (dict(mode="nearest"), "use boundary='nearest'"),
        (dict(interpolation=1), "use order=1"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            cudaspline.zoom(image, 2, **options)
    with pytest.raises(TypeError, match="^type_of_transform: .*did you mean 'stages'"):
        cudaspline.register(image, image, type_of_transform="SyN")


def test_masks_of_arrays_are_reported():
    image = numpy.random.default_rng(1).uniform(size=(8, 9))
    masked = numpy.ma.masked_less(image, 0.5)
    found, texts = told(lambda: cudaspline.zoom(masked, 2))
    assert {text.split(";")[0] for _, text in texts} == {"image: the mask of the array is ignored"}
    assert numpy.array_equal(found, cudaspline.zoom(image, 2))
    assert told(lambda: cudaspline.zoom(numpy.ma.array(image), 2))[1] == []


def test_endings_of_transform_files(tmp_path):
    found = cudaspline.register(numpy.eye(9), numpy.eye(9), "translation", iterations=0)
    with pytest.raises(
        ValueError, match=r"^path: t.foo has no ending of a transform file; use .tfm"
    ):
        found.transform.save(tmp_path / "t.foo")


class TestIntegers:
    def test_are_rounded_to_the_even_one(self):
        ramp = numpy.arange(10, dtype="int16")
        halves = dict(origin=(0.5,), size=(9,))
        assert cudaspline.resample(ramp, **halves, smooth=False).tolist() == [
            0,
            2,
            2,
            4,
            4,
            6,
            6,
            8,
            8,
        ]
        assert cudaspline.resample(ramp, **halves, rounding="itk").tolist() == list(range(9))
        assert cudaspline.resample(-ramp, **halves, rounding="truncate").tolist() == [
            -n for n in range(9)
        ]
        assert cudaspline.zoom(
            numpy.array([0.0, 0, 3, 3]), None, size=(2,), dtype="uint8", smooth=False
        ).tolist() == [0, 3]

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64"])
    def test_calls_that_are_alike_are(self, rng, dtype):
        image = rng.integers(0, 200, (9, 10, 11)).astype(dtype)
        move = [[1, 0, 0, 0.5], [0, 1, 0, 0.25], [0, 0, 1, 0]]
        real = cudaspline.resample(image, move, dtype="float64")
        for rounding, expected in (("nearest", numpy.rint(real)), ("itk", numpy.trunc(real))):
            for _ in range(4):
                found = cudaspline.resample(image, move, rounding=rounding)
                assert found.dtype == dtype and numpy.array_equal(found, expected)

    def test_no_memory_of_real_numbers_is_needed(self, rng):
        """A spline of a byte has coefficients of 4 bytes; the output has none."""
        import tracemalloc

        image = rng.integers(0, 256, (64, 64, 64)).astype("u1")
        tracemalloc.start()
        cudaspline.zoom(image, 2, device="cpu")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1.5 * 8 * image.nbytes


class TestLabels:
    def test_are_warned_of(self):
        labels = labels_of()
        for function in (
            lambda **options: cudaspline.resample(
                labels, [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]], **options
            ),
            lambda **options: cudaspline.zoom(labels, 1.5, **options),
            lambda **options: cudaspline.sample(labels, [[4.5, 5, 6], [1, 2, 3.0]], **options),
        ):
            for options in (
                {},
                dict(order=3),
                dict(interpolation="lanczos"),
                dict(interpolation="catmull-rom"),
            ):
                (text,) = of_labels(lambda: function(**options))
                assert "label-linear" in text and "uint8" in text
            for options in (
                dict(interpolation="label-linear"), dict(interpolation="nearest"), dict(interpolation="label-gaussian"), dict(order=0), dict(dtype="float32"),
            ):  # fmt: skip
                assert of_labels(lambda: function(**options)) == []
        assert (
            len(of_labels(lambda: [cudaspline.zoom(labels, 1.5) for _ in range(4)])) == 4
        )  # by plans, too
        assert len(of_labels(lambda: cudaspline.Source(labels))) == 1
        assert len(of_labels(lambda: cudaspline.zoom(labels, 0.5, smooth="auto"))) == 1

    def test_thresholds(self, rng):
        for values, count, expected in (
            (128, 128 * 16, 1),
            (129, 129 * 16, 0),
            (4, 63, 0),
            (4, 64, 1),
        ):
            image = (numpy.arange(count) % values).astype("int32")
            assert len(of_labels(lambda: cudaspline.zoom(image, 2))) == expected
        mask = labels_of(dtype="float32") > 3  # becomes soft
        assert of_labels(lambda: cudaspline.zoom(mask.astype("f4"), 2)) == []
        assert of_labels(lambda: cudaspline.zoom(0.5 * labels_of(dtype="float32"), 2)) == []
        assert of_labels(lambda: cudaspline.zoom(rng.integers(0, 1000, (20, 20)), 2)) == []
        assert (
            of_labels(
                lambda: cudaspline.zoom(
                    numpy.eye(60, dtype="u1").reshape(20, 60, 3), 2, channels=True
                )
            )
            == []
        )  # colours are not labels

    @pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
    def test_of_real_numbers_are_warned_of(self, dtype):
        labels = labels_of(dtype=dtype)
        for function in (
            lambda **options: cudaspline.resample(labels, spacing=0.8, **options),
            lambda **options: cudaspline.zoom(labels, 1.5, **options),
            lambda **options: cudaspline.sample(labels, [[4.5, 5, 6], [1, 2, 3.0]], **options),
        ):
            for options in ({}, dict(order=3)):
                (text,) = of_labels(lambda: function(**options))
                assert "label-linear" in text and "float" in text
            for options in (dict(interpolation="label-linear"), dict(dtype="float32")):
                assert of_labels(lambda: function(**options)) == []

    def test_of_series_once(self):
        volumes = numpy.stack([labels_of()] * 3)
        assert len(of_labels(lambda: cudaspline.zoom(volumes, 1.5, series=True))) == 1


class TestNonFiniteValues:
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_are_warned_of_where_they_spread(self, rng, dtype):
        image = rng.uniform(0, 1, (12, 14, 16)).astype(dtype)
        image[3, 4, 5], image[6, 6, 6] = numpy.nan, numpy.inf

        def spread(function):
            return [text for _, text in told(function)[1] if "not finite" in text]

        for function in (
            lambda **options: cudaspline.resample(image, spacing=0.8, **options),
            lambda **options: cudaspline.zoom(image, 1.5, **options),
            lambda **options: cudaspline.sample(image, [[4.5, 5, 6], [1, 2, 3.0]], **options),
        ):
            for options in (dict(order=3), dict(order=5, prefilter="itk")):
                (text,) = spread(lambda: function(**options))
                assert text.startswith("2 of 2688 values of the image are not finite")
            for options in ({}, dict(order=1), dict(interpolation="catmull-rom")):
                assert spread(lambda: function(**options)) == []
        many = spread(lambda: [cudaspline.zoom(image, 1.5, order=3) for _ in range(4)])
        assert len(many) == 4  # by plans, too
        assert len(spread(lambda: cudaspline.Source(image, order=3))) == 1
        (text,) = spread(lambda: cudaspline.zoom(image, 0.5, smooth="auto"))
        assert "smoothing spreads" in text
        assert spread(lambda: cudaspline.zoom(image, 1.5, smooth="auto")) == []

    def test_nothing_is_far_from_them(self, rng):
        """Far from them the output is NaN, too."""
        image = rng.uniform(0, 1, (12, 14, 16))
        image[3, 4, 5] = numpy.nan
        found, _ = told(lambda: cudaspline.zoom(image, 1.5, order=3))
        assert numpy.isnan(found).all()
        assert numpy.isnan(cudaspline.zoom(image, 1.5)).mean() < 0.01

    def test_of_series_once(self, rng):
        volumes = rng.uniform(0, 1, (4, 6, 7, 8))
        volumes[1:3, 3, 3, 3] = numpy.nan
        _, found = told(lambda: cudaspline.zoom(volumes, 1.5, order=3, series=True))
        assert [text.split(" values")[0] for _, text in found] == ["1 of 336"]

    def test_ndimage_is_silent(self, rng):
        image = rng.uniform(0, 1, (6, 7, 8))
        image[3, 3, 3] = numpy.nan
        assert told(lambda: cudaspline.ndimage.zoom(image, 1.5))[1] == []


def test_lists_of_transforms_in_the_order_of_ants(tmp_path):
    nibabel = pytest.importorskip("nibabel")
    image = numpy.arange(120.0).reshape(4, 5, 6)
    field = nibabel.Nifti1Image(numpy.zeros((6, 5, 4, 1, 3), "f4"), numpy.diag([-1.0, -1, 1, 1]))
    field.header.set_intent("vector")
    for name in ("s_1Warp.nii.gz", "s_1InverseWarp.nii.gz"):
        nibabel.save(field, tmp_path / name)
    text = "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 0 0 0\n"
    (tmp_path / "s_0GenericAffine.txt").write_text(text)
    warp, back, matrix = (
        str(tmp_path / name)
        for name in ("s_1Warp.nii.gz", "s_1InverseWarp.nii.gz", "s_0GenericAffine.txt")
    )

    calls = {
        "resample": lambda transform, **options: cudaspline.resample(image, transform, **options),
        "load": lambda transform, **options: cudaspline.Transform.load(transform, **options),
        "Transform": lambda transform: cudaspline.Transform(transform, 3),
        "initial": lambda transform: cudaspline.register(
            image, image, "rigid", initial=transform, iterations=0, device="cpu"
        ),
    }
    for name, call in calls.items():

        def warned(transform, **options):
            found = told(lambda: call(transform, **options))[1]  # noqa: B023  (called at once)
            return [text for _, text in found if "transform_order='ants'" in text]

        assert len(warned([warp, matrix])) == 1, name
        assert len(warned([Path(warp), Path(matrix)])) == 1, name
        assert len(warned([(matrix, "inverse"), back])) == 1, name
        assert len(warned([f"[{matrix},1]", back])) == 1, name
        assert warned([matrix, warp]) == [] and warned([back, (matrix, "inverse")]) == [], name
        if name in ("resample", "load"):
            assert warned([warp, matrix], transform_order="ants") == []


def test_names_in_any_case():
    image = numpy.arange(60.0).reshape(3, 4, 5)
    moved = [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]]
    found, expected = (
        cudaspline.resample(
            image, moved, size=(3, 2, 2), dtype=kind, transform_order=order, smooth=smooth
        )
        for kind, order, smooth in (("Float32", "ANTs", "Auto"), ("float32", "ants", "auto"))
    )
    assert found.dtype == numpy.float32
    assert numpy.array_equal(found, expected)
