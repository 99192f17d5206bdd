"""What a registration reports of its outcome, by cudaspline.register() and by CudaSplineRegister:
unrelated images, turned slices, levels that are undone, and levels that need more iterations."""

import json
import subprocess
import warnings
from typing import get_args

import numpy
import pytest

import cudaspline
from cudaspline.core import _options
from register_support import PROGRAM, needs_program


def head(size, seed, place=None, spacing=4.0, shift=0.0):
    """An image of a head with the blobs of a seed, at place(x) + shift for each point x of its grid.
    spacing: one, or one per axis. shift: for each point of the grid, x first"""
    n = len(size)
    steps = numpy.broadcast_to(spacing, n)
    rng = numpy.random.default_rng(seed)
    grid = numpy.stack(
        numpy.meshgrid(
            *[(numpy.arange(m) - 0.5 * (m - 1)) * step for m, step in zip(size, steps)],
            indexing="ij",
        ),
        -1,
    )
    x = (grid if place is None else grid @ place[0].T + place[1]) + shift
    axes = numpy.array([68.0, 88.0, 72.0][:n]) * rng.uniform(0.85, 1.05, n)
    radius = numpy.sqrt(((x / axes) ** 2).sum(-1))
    values = 90 / (1 + numpy.exp((radius - 1) * 22))
    for _ in range(36):
        centre, width, height = (
            rng.uniform(-0.7, 0.7, n) * axes,
            rng.uniform(7, 20),
            rng.uniform(-80, 90),
        )
        values = values + height * numpy.exp(-((x - centre) ** 2).sum(-1) / (2 * width**2)) * (
            radius < 1.05
        )
    origin = [-0.5 * (m - 1) * step for m, step in zip(size, steps)]
    return cudaspline.Image(
        numpy.ascontiguousarray(values.T.astype("float32")), steps.tolist(), origin
    )


def turn(degrees):
    a = numpy.radians(degrees)
    return numpy.array([[numpy.cos(a), -numpy.sin(a)], [numpy.sin(a), numpy.cos(a)]])


def like(image, array):
    return cudaspline.Image(array.astype("float32"), image.spacing, image.origin)


def register(*arguments, **options):
    """(what cudaspline.register() found, the texts of its warnings)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = cudaspline.register(*arguments, device="cpu", **options)
    return found, [str(one.message) for one in caught]


def run_program(tmp_path, fixed, moving, *options, code=0):
    """(the report, the points' map, what the program wrote to standard error); the last one alone
    where another exit status is expected."""
    sitk = pytest.importorskip("SimpleITK")
    names = [
        str(tmp_path / name) for name in ("fixed.mha", "moving.mha", "found.h5", "report.json")
    ]
    for image, name in zip((fixed, moving), names):
        made = sitk.GetImageFromArray(image.array)
        made.SetSpacing(image.spacing.tolist())
        made.SetOrigin(image.origin.tolist())
        sitk.WriteImage(made, name)
    done = subprocess.run(
        [
            PROGRAM,
            *names[:2],
            "-o",
            names[2],
            "--report",
            names[3],
            "--device",
            "cpu",
            "--quiet",
            *options,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    if code != 0:
        return done.stderr
    with open(names[3], encoding="utf-8") as file:
        return json.load(file), cudaspline.Transform.load(names[2]), done.stderr


def error(transform, place, size):
    """Mean error at places of the inner half, of a transform that should bring x to matrix x +
    shift."""
    points = (
        numpy.random.default_rng(4).uniform(-0.3, 0.3, (100, len(size))) * numpy.array(size) * 4.0
    )
    return float(
        numpy.linalg.norm(transform.apply(points) - (points @ place[0].T + place[1]), axis=1).mean()
    )


SOLID = (38, 48, 40)
PLANE = (56, 64)


class TestAgreement:
    """Unrelated images are warned of, related ones are not; program and Python report the same
    numbers."""

    def pairs(self):
        fixed = head(SOLID, 23)
        rng = numpy.random.default_rng(9)
        noise = like(fixed, rng.uniform(0, 100, fixed.array.shape))
        other = like(fixed, 140 - fixed.array + rng.normal(0, 3, fixed.array.shape))
        return (
            fixed,
            {"noise": noise, "other head": head(SOLID, 11), "one more": head(SOLID, 15)},
            {"itself": fixed, "other contrast": other},
        )

    @pytest.mark.parametrize(
        "stages", [pytest.param(["affine"], marks=pytest.mark.long), ["affine", "syn"]]
    )
    def test_register(self, stages):
        fixed, unrelated, related = self.pairs()
        options = {"iterations": (20, 10), "shrink": (4, 2), "iteration_limit": (20, 10)}
        if "syn" in stages:
            options["radius"] = 2
        for name, moving in unrelated.items():
            found, texts = register(fixed, moving, stages, **options)
            assert any("as little as an unrelated image" in text for text in texts), (
                name,
                found.report.agreement,
            )
        for name, moving in related.items():
            found, texts = register(fixed, moving, stages, **options)
            assert not texts, (name, found.report.agreement)
            assert found.report.agreement.overlap > 0.9 and found.report.agreement.significance > 3
            assert "of the fixed image's entropy" in str(found.report)

    @needs_program
    def test_program(self, tmp_path):
        fixed, unrelated, _ = self.pairs()
        for moving in (unrelated["other head"], fixed):
            report, _, text = run_program(
                tmp_path, fixed, moving, "-s", "affine", "--iterations", "10,5", "--shrink", "4,2"
            )
            found, texts = register(fixed, moving, "affine", iterations=(10, 5), shrink=(4, 2))
            texts = [one for one in texts if "iterations are needed" not in one]
            assert report["agreement"] == pytest.approx(found.report.agreement._asdict())
            assert (
                ("as little as an unrelated image" in text) == (moving is not fixed) == bool(texts)
            )


class TestTurnedSlices:
    """A slice that is turned far is found by a search of rotations, which ordinary pairs do not pay
    for."""

    @pytest.mark.parametrize("degrees", [30, 60, 90, 150])
    def test_register(self, degrees):
        for seed in (23, 5):
            matrix, shift = turn(degrees), numpy.array([4.0, -3.0])
            inverse = numpy.linalg.inv(matrix)
            fixed, moving = head(PLANE, seed), head(PLANE, seed, (inverse, -inverse @ shift))
            found, texts = register(fixed, moving)
            assert error(found.transform, (matrix, shift), PLANE) < 0.5, (
                degrees,
                seed,
                found.report,
                texts,
            )

    @needs_program
    def test_program(self, tmp_path):
        matrix, shift = turn(120), numpy.array([4.0, -3.0])
        inverse = numpy.linalg.inv(matrix)
        fixed, moving = head(PLANE, 23), head(PLANE, 23, (inverse, -inverse @ shift))
        report, transform, text = run_program(tmp_path, fixed, moving)
        found, texts = register(fixed, moving)
        assert error(transform, (matrix, shift), PLANE) < 0.5
        assert "a search of rotations found another start" in text and any(
            "a search of rotations" in one for one in texts
        )
        assert numpy.allclose(
            found.transform.matrix, transform.matrix, rtol=0, atol=1e-9
        )  # the file has an offset instead of a centre
        assert report["agreement"]["explained"] == found.report.agreement.explained

    def test_ordinary_pairs(self):
        matrix, shift = turn(8), numpy.array([4.0, -3.0])
        inverse = numpy.linalg.inv(matrix)
        fixed, moving = head(PLANE, 23), head(PLANE, 23, (inverse, -inverse @ shift))
        _, texts = register(fixed, moving)
        assert not texts
        stays = {
            "initial": "none",
            "iterations": (10, 10),
            "shrink": (2, 1),
        }  # what was asked for is not replaced
        _, texts = register(fixed, head(PLANE, 7), **stays)
        assert not any("search of rotations" in text for text in texts)


def pair_of_heads(degrees, axis):
    """(fixed, moving, the map of points), for a rotation about an axis."""
    x, y, z = numpy.asarray(axis) / numpy.linalg.norm(axis)
    cross = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = numpy.radians(degrees)
    matrix = numpy.eye(3) + numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * cross @ cross
    shift = numpy.array([-5.0, 4.0, -3.0])
    return head(SOLID, 23), head(SOLID, 23, (matrix.T, -matrix.T @ shift)), (matrix, shift)


class TestTurnedHeads:
    """A head that is turned far about any axis is found by a search of rotations. From the identity
    most of these registrations end 11 to 83 mm away. The level of all voxels, which takes most of
    the time, is left out."""

    AXES = [pytest.param(axis, marks=pytest.mark.long) for axis in numpy.eye(3).tolist()]
    LEVELS = {"stages": "rigid", "iterations": (200, 200), "shrink": (4, 2)}

    @pytest.mark.parametrize(
        "degrees", [40, *(pytest.param(a, marks=pytest.mark.long) for a in (60, 90)), 180]
    )
    @pytest.mark.parametrize("axis", [*AXES, (0.35, 0.93, 0.09)])
    def test_register(self, degrees, axis):
        fixed, moving, truth = pair_of_heads(degrees, axis)
        found, texts = register(fixed, moving, **self.LEVELS)
        assert error(found.transform, truth, SOLID) < 1.0, (found.report, texts)

    @needs_program
    def test_program(self, tmp_path):
        fixed, moving, truth = pair_of_heads(90, (0, 1, 0))
        options = ("-s", "rigid", "--iterations", "200,200", "--shrink", "4,2")
        report, transform, text = run_program(tmp_path, fixed, moving, *options)
        found, texts = register(fixed, moving, **self.LEVELS)
        assert error(transform, truth, SOLID) < 1.0
        assert "a search of rotations found another start" in text
        assert any("a search of rotations" in one for one in texts)
        assert report["agreement"]["explained"] == found.report.agreement.explained

    def test_ordinary_pairs(self):
        fixed, moving, truth = pair_of_heads(8, (1, 2, 3))
        found, texts = register(fixed, moving, "rigid")
        assert not texts and error(found.transform, truth, SOLID) < 0.5


class TestUndone:
    """No stage ends with a worse metric than it began with."""

    @pytest.mark.parametrize("kind, options", [("rigid", {"optimizer": "gradient-descent", "step": 30.0, "metric": "meansquares"}), ("syn", {"learning_rate": 4.0, "radius": 1}), ("greedy", {"learning_rate": 6.0, "radius": 1})])  # fmt: skip
    def test_steps_that_are_too_long(self, kind, options):
        fixed = head(PLANE, 23)
        moving = like(
            fixed, fixed.array + numpy.random.default_rng(1).normal(0, 2, fixed.array.shape)
        )
        found, texts = register(
            fixed, moving, kind, initial="none", iterations=(3, 3), shrink=(2, 1), **options
        )
        ends = [level.end for level in found.report.stages[0].levels]
        assert "it made the metric worse and was undone" in ends, (ends, found.history)
        assert any(
            f"stages[0] ({kind!r}): level" in text and "were undone" in text for text in texts
        ), texts
        points = numpy.random.default_rng(2).uniform(-40, 40, (50, 2))
        assert (
            numpy.abs(found.transform.apply(points) - points).max() < 0.5
        )  # the ground truth is the identity

    @needs_program
    def test_program(self, tmp_path):
        fixed = head(PLANE, 23)
        moving = like(
            fixed, fixed.array + numpy.random.default_rng(1).normal(0, 2, fixed.array.shape)
        )
        options = "-s rigid --optimizer gradient-descent --step 30 -m meansquares --iterations 3,3 --shrink 2,1 --initialize none"
        report, transform, text = run_program(tmp_path, fixed, moving, *options.split())
        assert "stage 1 (rigid): level 1 of 2 and later levels were undone" in text, text
        assert report["stages"][0]["levels"][1]["stop"] == "it made the metric worse and was undone"
        assert numpy.abs(transform.apply([[30.0, 20.0]]) - [[30.0, 20.0]]).max() < 1e-9


class TestIterations:
    """Levels that end by their limit while the metric still falls; defaults continue."""

    def pair(self):
        """Far apart for steps of 1 mm."""
        shift = numpy.array([24.0, -16.0])
        return head(PLANE, 23), head(PLANE, 23, (numpy.eye(2), -shift)), shift

    def test_register(self):
        fixed, moving, shift = self.pair()
        options = {
            "metric": "meansquares",
            "optimizer": "gradient-descent",
            "step": 0.5,
            "initial": "none",
            "shrink": (2,),
        }
        found, texts = register(fixed, moving, "translation", iterations=15, **options)
        assert found.report.stages[0].levels[0].iterations == 15  # never exceeded
        assert any(
            "level 1 of 1 ended after 15 iterations while the metric still fell by" in text
            and text.endswith("(iterations: one number for all levels, or one per level).")
            for text in texts
        )
        found, texts = register(
            fixed, moving, "translation", iterations=15, iteration_limit=200, **options
        )
        assert found.report.stages[0].levels[0].iterations > 30
        assert not any("iterations" in text for text in texts), texts
        assert error(found.transform, (numpy.eye(2), shift), PLANE) < 0.5
        assert (
            register(fixed, moving, "translation", initial="none")[0].spec["stages"][0][
                "iteration_limit"
            ]
            == [1000] * 3
        )

    @needs_program
    def test_program(self, tmp_path):
        fixed, moving, _ = self.pair()
        options = "-s translation -m meansquares --optimizer gradient-descent --step 0.5 --initialize none --shrink 2"
        _, _, text = run_program(tmp_path, fixed, moving, *options.split(), "--iterations", "15")
        assert (
            "stage 1 (translation): level 1 of 1 ended after 15 iterations" in text
            and "(--iterations: one number for all levels, or one per level)" in text
        ), text
        report, _, text = run_program(
            tmp_path,
            fixed,
            moving,
            *options.split(),
            "--iterations",
            "15",
            "--iteration-limit",
            "200",
        )
        assert report["stages"][0]["levels"][0]["iterations"] > 30 and "iterations" not in text, (
            text
        )


class TestSeries:
    """A volume that cannot be registered is named."""

    def series(self):
        volume = head((20, 24, 22), 23).array
        return numpy.stack([volume, numpy.full_like(volume, numpy.nan), volume])

    def test_register_series(self):
        with pytest.raises(
            ValueError, match="^series: volume 1: it has no pixel with a finite value"
        ):
            cudaspline.register_series(self.series(), iterations=2, device="cpu")

    @needs_program
    def test_program(self, tmp_path):
        sitk = pytest.importorskip("SimpleITK")
        name = str(tmp_path / "series.nii")
        volumes = [sitk.GetImageFromArray(volume) for volume in self.series()]
        sitk.WriteImage(sitk.JoinSeries(volumes), name)
        arguments = [
            PROGRAM,
            name,
            "--motion",
            "first",
            "-o",
            str(tmp_path / "found_%d.tfm"),
            "--iterations",
            "2",
            "--device",
            "cpu",
        ]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert (
            done.returncode == 1
            and "volume 1 of" in done.stderr
            and "no voxel with a finite value" in done.stderr
        ), done.stderr


class TestConstantImages:
    """An image with only one value, under its mask, is refused by every kind of stage and metric."""

    @pytest.mark.parametrize("metric", get_args(_options.MetricName))
    @pytest.mark.parametrize("kind", get_args(_options.StageKind))
    def test_register(self, kind, metric):
        try:
            cudaspline.Stage(kind, metric=metric)
        except ValueError:
            pytest.skip("the kind has no such metric")
        image = head(PLANE, 23)
        flat = like(image, 0 * image.array + 7)
        mask = numpy.zeros(image.array.shape, "u1")
        mask[12:24, 12:24] = 1
        hole = like(image, numpy.where(mask > 0, 7, image.array))
        stage = rf"stage 1 \({kind}, metric {metric}\) needs at least 2 different values"
        for images, masks, named in (
            ((flat, image), {}, r"fixed: it has only one value \(7\); "),
            ((image, flat), {}, r"moving: it has only one value \(7\); "),
            ((flat, flat), {}, r"fixed: it has only one value \(7\); "),
            ((hole, image), {"mask": mask}, r"fixed: it has only one value \(7\) under its mask; "),
            (
                (image, hole),
                {"moving_mask": mask},
                r"moving: it has only one value \(7\) under its",
            ),
        ):
            for initial in ("moments", "none"):
                with pytest.raises(ValueError, match=f"^{named}.*{stage}"):
                    cudaspline.register(*images, kind, metric=metric, initial=initial, **masks)

    def test_masks_of_stages_and_pairs(self):
        image = head(PLANE, 23)
        mask = numpy.zeros(image.array.shape, "u1")
        mask[12:24, 12:24] = 1
        hole = like(image, numpy.where(mask > 0, 7, image.array))
        stages = ["rigid", cudaspline.Stage("syn", mask=mask)]
        with pytest.raises(
            ValueError, match=r"^fixed: .* under its mask; stage 2 \(syn, metric cc\)"
        ):
            cudaspline.register(hole, image, stages, device="cpu")
        flat = like(image, 0 * image.array - 2)
        with pytest.raises(
            ValueError, match=r"^also\[0\]: .*has only one value \(-2\); stage 1 \(syn"
        ):
            cudaspline.register(
                image, image, "syn", also=[(image, flat)], metric=["cc", "mattes"], device="cpu"
            )

    @needs_program
    @pytest.mark.parametrize("kind", get_args(_options.StageKind))
    def test_program(self, tmp_path, kind):
        image = head(PLANE, 23)
        flat = like(image, 0 * image.array + 7)
        for images, name in (((flat, image), "fixed"), ((image, flat), "moving")):
            text = run_program(tmp_path, *images, "-s", "rigid", "-s", kind, code=1)
            assert (
                f"the {name} image has only one value (7); stage 1 (rigid, metric mattes)" in text
            )
            text = run_program(tmp_path, *images, "-s", kind, code=1)
            assert f"the {name} image has only one value (7); stage 1 ({kind}, metric " in text, (
                text
            )
