"""cudaspline.cohort.template(): bent brains whose mean shape is known, because their displacements have the mean 0."""

import numpy
import pytest

import cudaspline

pytest.importorskip("dask", reason="Dask is not installed")

import cudaspline.cohort  # noqa: E402
from cudaspline.cohort import _matrices, _template  # noqa: E402

SIZE = 64
LEVELS = dict(iterations=(40, 30), shrink=(2, 1), sigmas=(1, 0), radius=2)


def brain(points):
    """A head with ventricles and folds at points (..., 2), x first: the mean shape."""
    x, y = points[..., 0] - 31.5, points[..., 1] - 31.5
    angle, radius = numpy.arctan2(y, x), numpy.hypot(x, 1.15 * y)
    head = 1 / (1 + numpy.exp((radius - 24 - 1.5 * numpy.cos(6 * angle)) / 0.8))
    ventricles = sum(numpy.exp(-(((x - s) / 3) ** 2) - ((y - 2) / 7) ** 2) for s in (-6, 6))
    return 100 * head * (1 - 0.7 * ventricles + 0.15 * numpy.cos(x / 2.5) * numpy.cos(y / 3))


def points():
    return numpy.stack(numpy.meshgrid(numpy.arange(SIZE), numpy.arange(SIZE)), axis=-1).astype(float)


def bend(rng, reach):
    """Smooth displacements as a function of points."""
    phase, wave = rng.uniform(0, 6.28, (2, 2)), rng.uniform(0.06, 0.11, (2, 2))

    def displacements(where):
        return reach * numpy.stack(
            [
                numpy.sin(wave[i, 0] * where[..., 0] + phase[i, 0])
                * numpy.cos(wave[i, 1] * where[..., 1] + phase[i, 1])
                for i in (0, 1)
            ],
            -1,
        )

    return displacements


def brains(rng, count=6, reach=2.5):
    """Images to which points x of the mean shape go as x + d(x) and x - d(x)."""
    found = []
    for _ in range(count // 2):
        displacements = bend(rng, reach)
        for sign in (1, -1):
            origin = points()
            for _ in range(60):  # of a point of the image, the one of the mean shape that goes there
                origin = points() - sign * displacements(origin)
            found.append(cudaspline.Image(brain(origin).astype("f4")))
    return found


def distance(image):
    """The mean displacement (mm) within the head from the mean shape to that of an image."""
    truth = cudaspline.Image(brain(points()).astype("f4"))
    found = cudaspline.register(truth, image, "greedy", initial="none", device="cpu", **LEVELS)
    return numpy.hypot(*numpy.moveaxis(numpy.asarray(found.field.array), -1, 0))[truth.array > 20].mean()


def test_the_template_has_the_mean_shape(tmp_path):
    rng = numpy.random.default_rng(5)
    images = brains(rng)
    found = cudaspline.cohort.template(
        images, linear="translation", deformable="syn", rounds=3, device="cpu", checkpoint=tmp_path / "rounds", **LEVELS
    )
    distances = [distance(image) for image in images]
    print("distances of images", distances, "of the template", distance(found.image), "updates", found.rounds)
    mean = cudaspline.Image(numpy.mean([image.array for image in images], axis=0))
    assert min(distances) > 1 and distance(mean) > 0.35 and distance(found.image) < 0.2
    assert [one["is_linear"] for one in found.rounds] == [True, False, False, False]
    assert found.rounds[-1]["update"] < 0.5 * found.rounds[1]["update"]
    # From the first image, which is one of the most bent ones, the template converges to the mean shape, too.
    biased = cudaspline.cohort.template(images, start=images[0], linear="translation", rounds=3, device="cpu", **LEVELS)
    print("from the first image", distance(biased.image))
    assert distance(biased.image) < 0.3


def test_a_template_continues_after_its_last_round(tmp_path, monkeypatch):
    images = brains(numpy.random.default_rng(6), 4)
    options = dict(linear="translation", device="cpu", **LEVELS)
    whole = cudaspline.cohort.template(images, rounds=2, checkpoint=tmp_path / "whole", **options)
    cudaspline.cohort.template(images, rounds=1, checkpoint=tmp_path / "parts", **options)
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == ["round-01", "round-02"]
    counted = []
    original = _template._register
    monkeypatch.setattr(_template, "_register", lambda *call: (counted.append(1), original(*call))[1])
    again = cudaspline.cohort.template(images, rounds=2, checkpoint=tmp_path / "parts", **options)
    assert len(counted) == len(images) and again.rounds == whole.rounds
    assert numpy.array_equal(again.image.array, whole.image.array)
    with pytest.raises(ValueError, match="^checkpoint: .*other weights"):
        cudaspline.cohort.template(images, rounds=2, weights=[1, 2, 3, 4], checkpoint=tmp_path / "parts", **options)


def test_weights_and_modalities():
    y, x = numpy.mgrid[:40, :48]
    moved = [100 * numpy.exp(-((x - 23 - s) ** 2 / 50 + (y - 19) ** 2 / 40)).astype("f4") for s in (-3, 3)]
    pairs = [(one, 50 - 0.3 * one) for one in moved]
    options = dict(linear="translation", linear_rounds=2, rounds=0, device="cpu", start=moved[0], sharpen=None)
    for weights, wanted in (([1, 1], 23.0), ([3, 1], 21.5)):
        found = cudaspline.cohort.template(moved, weights=weights, **options)
        assert _template._centre_of(found.image)[0] == pytest.approx(wanted, abs=0.1)
    options["start"] = pairs[0]
    both = cudaspline.cohort.template(pairs, **options)
    assert len(both.images) == 2 and both.image.array.argmax() == both.images[1].array.argmin()
    deformed = cudaspline.cohort.template(
        pairs,
        **{**options, "rounds": 1, "deformable": "greedy"},
        metric=[("cc", 0.5), ("cc", 0.5)],
        radius=2,
        iterations=5,
        shrink=(1,),
    )
    assert len(deformed.rounds) == 3


def test_workers_register():
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    images = brains(numpy.random.default_rng(7), 4)
    options = dict(linear="translation", rounds=1, device="cpu", **LEVELS)
    here = cudaspline.cohort.template(images, **options)
    with distributed.Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as client:
        there = cudaspline.cohort.template(images, client=client, **options)
    assert numpy.abs(there.image.array - here.image.array).max() <= 1e-5 * numpy.abs(here.image.array).max()


def test_the_mean_of_rotations_is_a_rotation():
    def rotation(degrees, shift):
        c, s = numpy.cos(numpy.radians(degrees)), numpy.sin(numpy.radians(degrees))
        return numpy.array([[c, -s, shift], [s, c, 0], [0, 0, 1]])

    found = _matrices.mean_matrix([rotation(80, 4), rotation(-60, 2)], [0.5, 0.5], numpy.zeros(2))
    assert numpy.allclose(found, rotation(10, 3), atol=1e-12)
    shears = [numpy.array([[1, s, 0], [0, 1, 0], [0, 0, 1.0]]) for s in (0.5, 1.5)]
    assert numpy.allclose(_matrices.mean_matrix(shears, [0.25, 0.75], numpy.zeros(2))[0, 1], 1.25)


def test_sharpening_is_that_of_itk():
    sitk = pytest.importorskip("SimpleITK")
    values = brain(points())
    image = sitk.GetImageFromArray(values)
    image.SetSpacing([1.0, 2.0])
    wanted = sitk.GetArrayFromImage(sitk.LaplacianSharpening(image))
    found = _template._without_laplacian(values, cudaspline.Geometry((SIZE, SIZE), (1.0, 2.0)))
    assert numpy.allclose(found, wanted, rtol=1e-6, atol=1e-6 * values.max())


@pytest.mark.parametrize(
    "options, message",
    [
        ({"weights": [1]}, "^weights: "),
        ({"rounds": 0, "linear_rounds": 0}, "^rounds: "),
        ({"start": [1, 2]}, "^start: "),
        ({"sharpen": "more"}, "^sharpen: "),
    ],
)
def test_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        cudaspline.cohort.template(
            brains(numpy.random.default_rng(1), 2),
            **{"start": None, **options} if "start" not in options else {"start": [numpy.zeros((4, 4))] * 2},
        )
