"""Made heads with known transforms, as everyday registrations have them: other units of length, few
slices, small masks, few samples, wrong spacings, empty borders. cudaspline.register() and
CudaSplineRegister find the transform, or warn.

Bounds are a fraction of a voxel where the images determine the transform, as of ANTs on the same
images (reproduction/EverydayCases.md)."""

import numpy
import pytest

import cudaspline
from cudaspline.registration import _registration_library
from register_support import PROGRAM
from test_register_outcome import head, like, register, run_program, turn

SOLID = (38, 48, 40)
BOX = numpy.array([60.0, 75.0, 60.0])


def turned(*degrees):
    """A rotation about x, then y, then z."""
    made = numpy.eye(3)
    for axis, angle in enumerate(numpy.radians(degrees)):
        one, other = [(1, 2), (2, 0), (0, 1)][axis]
        matrix = numpy.eye(3)
        matrix[[one, other], [one, other]] = numpy.cos(angle)
        matrix[one, other], matrix[other, one] = -numpy.sin(angle), numpy.sin(angle)
        made = matrix @ made
    return made


TRUTH = turned(-3.0, 5.0, -6.0), numpy.array([-5.0, 4.0, -3.0])


def pair(size, place, spacing=4.0):
    """A fixed image, and a moving one: x of the first is place(x) of the second."""
    inverse = numpy.linalg.inv(place[0])
    return head(size, 23, None, spacing), head(size, 23, (inverse, -inverse @ place[1]), spacing)


def scaled(image, unit):
    return cudaspline.Image(image.array, image.spacing * unit, image.origin * unit)


def mean_error(transform, place, box):
    """Mean error at points of a box about the origin."""
    points = numpy.random.default_rng(4).uniform(-0.7, 0.7, (200, len(box))) * box
    wanted = points @ place[0].T + place[1]
    return float(numpy.linalg.norm(transform.apply(points) - wanted, axis=1).mean())


def ball(image, centre, radius):
    """A mask: 1 where a point is closer to a centre than the radius."""
    z, y, x = numpy.indices(image.array.shape)
    points = numpy.stack([x, y, z], -1) * image.spacing + image.origin
    return (numpy.linalg.norm(points - centre, axis=-1) < radius).astype("uint8")


@pytest.fixture(params=["python", "program"])
def run(request, tmp_path):
    """Registers a pair of images. Returns the transform, and whether there was a warning."""
    if request.param == "program" and not PROGRAM:
        pytest.skip("there is no CudaSplineRegister")

    def in_python(fixed, moving, *stages, mask=None, **options):
        if stages:
            options["stages"] = list(stages)
        found, texts = register(fixed, moving, mask=mask, **options)
        return found.transform, bool(texts)

    def by_program(fixed, moving, *stages, mask=None, **options):
        words = [word for stage in stages for word in ("--stage", stage)]
        for name, value in options.items():
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words += [f"--{'initialize' if name == 'initial' else name.replace('_', '-')}", text]
        if mask is not None:
            sitk = pytest.importorskip("SimpleITK")
            made = sitk.GetImageFromArray(mask)
            made.SetSpacing(fixed.spacing.tolist())
            made.SetOrigin(fixed.origin.tolist())
            sitk.WriteImage(made, str(tmp_path / "mask.mha"))
            words += ["--fixed-mask", str(tmp_path / "mask.mha")]
        _, transform, text = run_program(tmp_path, fixed, moving, *words)
        return transform, "warning" in text

    return in_python if request.param == "python" else by_program


@pytest.mark.parametrize("unit", (0.005, 500.0))
def test_units_of_length(run, unit):
    """An embryo, and a unit mistaken: errors in voxels are those of a head in mm."""
    images = (scaled(one, unit) for one in pair(SOLID, TRUTH))
    place = TRUTH[0], TRUTH[1] * unit
    transform, _ = run(*images, preset="standard")
    assert mean_error(transform, place, BOX * unit) < 0.5 * 4 * unit


@pytest.mark.parametrize("kind", _registration_library.list_names()["kinds"])
def test_stages_in_any_unit(run, kind):
    """Errors in voxels do not depend on the unit, up to what rounding changes at the ends of axes."""
    place = turned(1.0, -1.0, 2.0), numpy.array([2.0, -3.0, 2.0])
    images = pair((19, 24, 20), place, 8.0)
    options = {"initial": "none"} if kind == "discrete" else {"initial": "none", "levels": 2}
    errors = []
    for unit in (0.01, 1.0, 1000.0):
        transform, _ = run(*(scaled(one, unit) for one in images), kind, **options)
        known = place[0], place[1] * unit
        errors.append(mean_error(transform, known, BOX * unit) / (8 * unit))
    assert max(errors) < (0.6 if kind == "discrete" else 0.25)
    assert max(errors) - min(errors) < (0.001 if kind == "bspline" else 0.03), errors


@pytest.mark.parametrize("kind", ("rigid", "similarity", "affine"))
def test_small_levels_of_mutual_information(run, kind):
    """The coarsest of three levels has 120 samples: by 50 bins it ended anywhere."""
    place = turned(1.0, -1.0, 2.0), numpy.array([2.0, -3.0, 2.0])
    images = pair((19, 24, 20), place, 8.0)
    errors = []
    for unit in (0.01, 0.1, 1.0, 10.0, 1000.0):
        options = {"initial": "none", "levels": 3}
        transform, _ = run(*(scaled(one, unit) for one in images), kind, **options)
        known = place[0], place[1] * unit
        errors.append(mean_error(transform, known, BOX * unit) / (8 * unit))
    assert max(errors) < 0.1, errors


@pytest.mark.parametrize("bend", (0.0, 4.0))
def test_large_voxels(run, bend):
    """Levels that the windows of local correlation do not fit into are skipped."""

    def moved(x):
        waves = [numpy.sin(x @ numpy.roll([0.03, 0.02, -0.025], n) + n) for n in range(3)]
        return x + bend * numpy.stack(waves, -1)

    size, spacing = (26, 32, 27), 6.0
    grid = [(numpy.arange(n) - 0.5 * (n - 1)) * spacing for n in size]
    x = numpy.stack(numpy.meshgrid(*grid, indexing="ij"), -1)
    shift = moved(x @ TRUTH[0].T + TRUTH[1]) - x
    fixed = head(size, 23, None, spacing, shift)
    transform, _ = run(fixed, head(size, 23, None, spacing), preset="standard")
    points = numpy.random.default_rng(4).uniform(-0.7, 0.7, (200, 3)) * BOX
    wanted = moved(points @ TRUTH[0].T + TRUTH[1])
    error = numpy.linalg.norm(transform.apply(points) - wanted, axis=1).mean()
    assert error < (1.6 if bend else 0.6)


def test_skipped_levels_are_reported():
    found, texts = register(*pair((26, 32, 27), TRUTH, 6.0), preset="standard")
    levels = found.report.stages[2].levels
    assert [level.iterations > 0 for level in levels] == [False, False, True, True]
    assert all("too few samples" in level.end for level in levels[:2])
    assert not any("no effect" in text for text in texts)
    found, _ = register(*pair((26, 32, 27), TRUTH, 6.0), "syn", radius=1, iterations=(2, 2, 2, 2))
    assert all(level.iterations > 0 for level in found.report.stages[0].levels)


@pytest.mark.parametrize("kind", ("rigid", "affine"))
@pytest.mark.parametrize("seed, degrees", ((24, 15), (24, 20), (24, 25), (30, 30), (30, 40)))
def test_rotated_slices(run, kind, seed, degrees):
    """A single stage, from the default start: affine ones ended at 8 mm (25 and 30 degrees)."""
    matrix, shift = turn(degrees), numpy.array([4.0, -3.0])
    inverse = matrix.T, -matrix.T @ shift
    images = head((76, 96), seed, None, 2.0), head((76, 96), seed, inverse, 2.0)
    transform, _ = run(*images, kind)
    assert mean_error(transform, (matrix, shift), BOX[:2]) < 0.2


CENTRE = numpy.array([-4.0, 16.0, 7.0])


def test_few_samples_under_a_small_mask(run):
    fixed, moving = pair(SOLID, TRUTH)
    options = {"sampling": "regular", "fraction": 0.2, "mask": ball(fixed, CENTRE, 18.0)}
    transform, is_warned = run(fixed, moving, "rigid", **options)
    assert is_warned  # of skipped levels
    assert mean_error(transform, TRUTH, numpy.full(3, 12.0)) < 2.0


def test_a_preset_under_a_mask(run):
    """A seventh of a brain."""
    fixed, moving = pair(SOLID, TRUTH)
    mask = ball(fixed, CENTRE, 44.0)
    assert 0.1 < mask.mean() / (fixed.array > 30).mean() < 0.4
    transform, _ = run(fixed, moving, preset="standard", mask=mask)
    assert mean_error(transform, TRUTH, numpy.full(3, 30.0)) < 2.0


@pytest.mark.parametrize("sampling", ("regular", "random"))
def test_conjugate_gradients_by_a_quarter_of_the_samples(run, sampling):
    options = {"optimizer": "conjugate-gradient", "sampling": sampling, "fraction": 0.25}
    transform, _ = run(*pair(SOLID, TRUTH), "rigid", **options)
    assert mean_error(transform, TRUTH, BOX) < 1.0


@pytest.mark.parametrize("radius", (18.0, 20.0, 30.0))
def test_a_spline_under_a_small_mask(radius):
    """It stays near its start, which is right, also away from the mask."""
    fixed, moving = pair(SOLID, TRUTH)
    start = cudaspline.Transform(numpy.column_stack(TRUTH), 3)
    options = {"initial": start, "mask": ball(fixed, CENTRE, radius)}
    found, texts = register(fixed, moving, "bspline", **options)
    assert any("is skipped" in text for text in texts)
    points = numpy.random.default_rng(4).uniform(-1, 1, (500, 3)) * BOX
    moved = numpy.linalg.norm(found.transform.apply(points) - start.apply(points), axis=1)
    assert moved.max() < (1e-6 if radius < 25.0 else 2.0)


@pytest.mark.parametrize(
    "radius, spacing", ((25.0, 48.0), (30.0, 48.0), (30.0, 96.0), (40.0, 48.0))
)
def test_a_bend_under_a_small_mask(radius, spacing):
    """A spline finds it inside of the mask, and moves nothing else by much more."""

    def moved(x):
        near = numpy.exp(-((x - CENTRE) ** 2).sum(-1, keepdims=True) / (2 * 25.0**2))
        return x + near * [4.0, -2.5, 1.0]

    size = SOLID
    grid = [(numpy.arange(n) - 0.5 * (n - 1)) * 4.0 for n in size]
    x = numpy.stack(numpy.meshgrid(*grid, indexing="ij"), -1)
    fixed, moving = head(size, 23, None, 4.0, moved(x) - x), head(size, 23, None, 4.0)
    stage = cudaspline.Stage("bspline", grid_spacing=spacing)
    mask = ball(fixed, CENTRE, radius)
    found, _ = register(fixed, moving, stage, initial="none", mask=mask)
    points = numpy.random.default_rng(4).uniform(-1, 1, (2000, 3)) * BOX
    is_inside = numpy.linalg.norm(points - CENTRE, axis=1) < radius
    error = numpy.linalg.norm(found.transform.apply(points) - moved(points), axis=1)
    assert error[is_inside].mean() < 1.0
    assert error[~is_inside].max() < (4.0 if spacing < 60 else 6.0)


@pytest.mark.parametrize("radius", (40.0, 60.0))
def test_small_cells_under_a_mask(radius):
    """Noise hardly moves them from the right transform: 4.8 mm outside of the mask if weights of
    nodes are their volumes."""
    image = head(SOLID, 23, None, 4.0)
    stage = cudaspline.Stage("bspline", grid_spacing=24.0)
    found, _ = register(image, image, stage, initial="none", mask=ball(image, CENTRE, radius))
    points = numpy.random.default_rng(4).uniform(-1, 1, (2000, 3)) * BOX
    is_inside = numpy.linalg.norm(points - CENTRE, axis=1) < radius
    moved = numpy.linalg.norm(found.transform.apply(points) - points, axis=1)
    assert moved[is_inside].mean() < 1.25
    assert moved[~is_inside].max() < 2.5


@pytest.mark.parametrize("penalty", ("none", "regularizer", "mask"))
def test_penalties_are_named(penalty):
    """A coarse level of a B-spline follows noise, and is undone: texts name what was compared."""
    moving = head((76, 96), 23, None, 2.0)
    noise = numpy.random.default_rng(1).normal(0, 10, moving.array.shape)
    fixed = cudaspline.Image(moving.array + noise, moving.spacing, moving.origin)
    options = {"iterations": (50, 1), "shrink": (4, 1), "sigmas": (0, 0), "metric": "meansquares"}
    options["grid_spacing"] = 20.0 if penalty == "mask" else 8.0
    if penalty == "regularizer":
        options["bending_energy"] = 1e-9
    mask = numpy.ones(fixed.array.shape, "u1") if penalty == "mask" else None
    stage = cudaspline.Stage("bspline", **options)
    found, texts = register(fixed, moving, stage, initial="none", mask=mask)
    compared = "the metric worse" if penalty == "none" else "the metric plus its penalties worse"
    assert {level.end for level in found.report.stages[0].levels} == {
        f"it made {compared} and was undone"
    }
    if penalty != "mask":  # there the loss is below the limit of warnings
        assert any(f"made {compared} by" in text for text in texts), texts


@pytest.mark.parametrize("kind", ("rigid", "affine"))
@pytest.mark.parametrize("slices", (1, 2, 3, 4))
def test_few_slices(run, kind, slices):
    place = turned(0.0, 0.0, -5.0), numpy.array([5.0, 3.0, 0.0])
    images = pair((56, 72, slices), place, (3.0, 3.0, 5.0))
    transform, is_warned = run(*images, kind)
    box = numpy.array([55.0, 70.0, 2.0 * (slices - 1)])
    assert mean_error(transform, place, box) < 0.8
    assert is_warned or kind == "rigid" or slices not in (2, 3)


@pytest.mark.parametrize("slices", (4, 5, 8))
def test_few_slices_by_four_levels(run, slices):
    """The coarsest level has too few samples for a histogram: what it moves apart is undone."""
    place = turned(0.0, 0.0, -5.0), numpy.array([5.0, 3.0, 0.0])
    images = pair((56, 72, slices), place, (3.0, 3.0, 5.0))
    levels = {"shrink": (8, 4, 2, 1), "sigmas": (3, 2, 1, 0), "iterations": (200, 200, 200, 100)}
    transform, _ = run(*images, "affine", **levels)
    box = numpy.array([55.0, 70.0, 2.0 * (slices - 1)])
    assert mean_error(transform, place, box) < 0.8


def test_reasons_of_undone_levels():
    """The images are apart in one case, and the metric is worse in the other, where the last level
    has no iterations."""
    place = turned(0.0, 0.0, -5.0), numpy.array([5.0, 3.0, 0.0])
    options = {"shrink": (8, 4, 2, 1), "sigmas": (3, 2, 1, 0)}
    images = pair((56, 72, 8), place, (3.0, 3.0, 5.0))
    _, texts = register(*images, "affine", iterations=(200, 200, 200, 0), **options)
    assert any("level 1 of 4 was undone because it moved the images apart" in one for one in texts)
    start = cudaspline.Transform(numpy.column_stack(TRUTH), 3)
    steps = {"optimizer": "gradient-descent", "step": 20.0, "minimum_step": 19.0, "initial": start}
    levels = {"shrink": (2, 1), "sigmas": (1, 0), "iterations": (5, 0)}
    _, texts = register(*pair(SOLID, TRUTH), "rigid", metric="meansquares", **steps, **levels)
    assert any("made the metric worse" in one for one in texts), texts


@pytest.mark.parametrize("metric", ("mattes", "meansquares", "correlation"))
@pytest.mark.parametrize("slices", (2, 3))
def test_few_oblique_slices(slices, metric):
    """An affine transform keeps its matrix across them."""
    place = turned(0.0, 0.0, -5.0), numpy.array([5.0, 3.0, 0.0])
    frame = turned(20.0, -15.0, 10.0)
    fixed, moving = (
        cudaspline.Image(one.array, one.spacing, frame @ one.origin, frame)
        for one in pair((56, 72, slices), place, (3.0, 3.0, 5.0))
    )
    found, texts = register(fixed, moving, "affine", metric=metric)
    assert any(f"has {slices} slices along z" in text for text in texts)
    place = frame @ place[0] @ frame.T, frame @ place[1]
    box = numpy.array([40.0, 50.0, 2.0])
    assert mean_error(found.transform, place, box) < 0.8
    across = frame[:, 2]
    assert numpy.allclose(found.transform.matrix[:3, :3] @ across, across, atol=1e-6)


@pytest.mark.parametrize("stages", (("affine",), ("rigid", "affine")))
@pytest.mark.parametrize("factor", (1.8, 2.0))
def test_a_spacing_that_is_too_long(run, factor, stages):
    fixed, _ = pair(SOLID, TRUTH)
    steps = numpy.array([1.0, 1.0, factor])
    moving = cudaspline.Image(fixed.array, fixed.spacing * steps, fixed.origin * steps)
    transform, _ = run(fixed, moving, *stages)
    assert mean_error(transform, (numpy.diag(steps), numpy.zeros(3)), BOX) < 1.0


def test_empty_borders(run):
    fixed, moving = pair(SOLID, TRUTH)
    wide = cudaspline.Image(
        numpy.pad(moving.array, 60), moving.spacing, moving.origin - 60 * moving.spacing
    )
    transform, _ = run(fixed, wide, "rigid")
    assert mean_error(transform, TRUTH, BOX) < 1.0


def test_another_contrast_by_mutual_information(run):
    fixed, moving = pair(SOLID, TRUTH)
    transform, _ = run(fixed, like(moving, 140 - moving.array), preset="brain", metric="mattes")
    assert mean_error(transform, TRUTH, BOX) < 2.0
