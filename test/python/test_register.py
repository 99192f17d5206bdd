"""cudaspline.register(): truths that are known, results as CudaSplineRegister has them, and what a caller gets wrong.

Phantoms are functions of places: with a texture f and a transform T the fixed image is f(T(x)) and the moving one f(y), so that a place x of
the fixed image belongs to T(x) of the moving one. Bounds of what is found are parts of a voxel: images are interpolated linearly, which
moves the optimum of a texture with waves of some ten voxels by about a hundredth of one, and steps below a thousandth end a level.
"""

import ctypes
import os
import pickle
import signal
import subprocess
import warnings

import numpy
import pytest

import cudaspline
from conftest import difference
from test_resample import turned

PROGRAM = os.environ.get("CUDASPLINE_REGISTER", "")
needs_program = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="CUDASPLINE_REGISTER names no program to compare with")

KINDS = ["translation", "rigid", "similarity", "affine"]


@pytest.fixture
def sitk():
    return pytest.importorskip("SimpleITK")


class Phantom:
    """Two images with a texture, and what lays one over the other."""

    def __init__(self, rng, size, oblique=True, spacing=None):
        n = len(size)
        self.n = n
        spacing = numpy.array([1.0, 1.2, 1.5][:n]) if spacing is None else spacing
        direction = numpy.eye(n)
        if oblique:
            direction = turned(rng, n)
            direction[:, 0] *= -1  # a left-handed one, as NIfTI's mostly are in LPS
        self.geometry = cudaspline.Image(numpy.zeros(size[::-1]), spacing, rng.uniform(-20, 20, n), direction).geometry
        self.middle = self.geometry.origin + self.geometry.index_to_point @ (0.5 * (numpy.array(size) - 1))
        # Waves of 10 to 16 mm in so many directions that a window sees several, and a blob that says where the middle is.
        self.waves = [(turned(rng, n)[0] * 2 * numpy.pi / rng.uniform(10, 16), rng.uniform(0, 6)) for _ in range(6 * n)]
        self.extent = 0.5 * spacing * numpy.array(size)

    def places(self):
        index = numpy.stack(numpy.meshgrid(*[numpy.arange(m) for m in self.geometry.shape], indexing="ij")[::-1], axis=-1)
        return index @ self.geometry.index_to_point.T + self.geometry.origin

    def texture(self, places):
        away = places - self.middle
        value = sum(numpy.sin(away @ wave + phase) for wave, phase in self.waves)
        distance = ((away @ self.geometry.direction) / (0.7 * self.extent)) ** 2
        return (15 * value + 100) * numpy.exp(-distance.sum(axis=-1))

    def image(self, values, dtype="float32"):
        g = self.geometry
        return cudaspline.Image(values.astype(dtype), g.spacing, g.origin, g.direction)

    def images(self, truth, dtype="float32"):
        """fixed and moving, where truth maps places."""
        places = self.places()
        return self.image(self.texture(truth(places)), dtype), self.image(self.texture(places), dtype)

    def inner(self):
        """Places in the middle half."""
        index = numpy.stack(
            numpy.meshgrid(*[numpy.arange(m // 4, m - m // 4) for m in self.geometry.shape], indexing="ij")[::-1], axis=-1
        ).reshape(-1, self.n)
        return index @ self.geometry.index_to_point.T + self.geometry.origin

    def bend(self, size=2.0):
        """A smooth bend of up to that many mm."""
        waves = [2 * numpy.pi / (2.2 * self.extent.max()) * turn for turn in numpy.eye(self.n)]

        def truth(places):
            away = places - self.middle
            return places + size * numpy.stack([numpy.cos(away @ waves[(d + 1) % self.n] + d) for d in range(self.n)], axis=-1) / self.n**0.5

        return truth

    def linear(self, rng, kind):
        """A small transform of a kind about the middle."""
        n = self.n
        matrix = numpy.eye(n)
        if kind != "translation":
            spin = rng.uniform(-0.06, 0.06, (n, n))
            matrix = numpy.linalg.qr(numpy.eye(n) + spin - spin.T)[0]
            matrix *= numpy.sign(numpy.diag(matrix))
        if kind in ("similarity", "affine"):
            matrix = matrix * rng.uniform(0.95, 1.05)
        if kind == "affine":
            matrix = matrix @ (numpy.eye(n) + rng.uniform(-0.03, 0.03, (n, n)))
        shift = rng.uniform(-1.5, 1.5, n)
        return lambda places: (places - self.middle) @ matrix.T + self.middle + shift


def miss(transform, truth, places):
    """How far a transform misses the truth on average (mm)."""
    return numpy.linalg.norm(transform.apply(places) - truth(places), axis=-1).mean()


class TestLinear:
    @pytest.mark.parametrize("size", [(48, 40), (36, 32, 24)])
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_finds_what_it_can_hold(self, rng, kind, size):
        phantom = Phantom(rng, size)
        truth = phantom.linear(rng, kind)
        fixed, moving = phantom.images(truth)
        found = cudaspline.register(fixed, moving, kind, metric="correlation", initial="none", iterations=200, device="cpu")
        assert found.transform.is_linear and not found.stopped
        assert miss(found.transform, truth, phantom.inner()) < 0.1
        assert difference(numpy.linalg.inv(found.transform.matrix), found.transform.inverse().matrix) < 1e-9

    @pytest.mark.parametrize("metric", ["mattes", "meansquares", "cc"])
    @pytest.mark.parametrize("optimizer", ["regular-step", "gradient-descent", "conjugate-gradient"])
    def test_every_metric_and_optimizer(self, rng, metric, optimizer):
        phantom = Phantom(rng, (48, 40))
        truth = phantom.linear(rng, "rigid")
        fixed, moving = phantom.images(truth)
        found = cudaspline.register(
            fixed, moving, "rigid", metric=metric, optimizer=optimizer, radius=3, bins=24, step=0.3, iterations=100, initial="none", device="cpu"
        )
        # Mutual information of few voxels in few bins has its optimum somewhere in half a voxel. Gradient descent goes steps of one length.
        bound = 0.5 if metric == "mattes" else 0.2
        assert miss(found.transform, truth, phantom.inner()) < bound + (0.3 if optimizer == "gradient-descent" else 0.0)

    @pytest.mark.parametrize("metric", ["mattes", "meansquares", "correlation"])
    @pytest.mark.parametrize("sampling", ["regular", "random"])
    def test_samples(self, rng, metric, sampling):
        phantom = Phantom(rng, (36, 32, 24))
        truth = phantom.linear(rng, "rigid")
        fixed, moving = phantom.images(truth)
        options = {"metric": metric, "sampling": sampling, "step": 0.5, "iterations": 60, "initial": "none", "device": "cpu"}
        found, same, other = (
            cudaspline.register(fixed, moving, "rigid", fraction=0.3, seed=seed, **options) for seed in (7, 7, 8)
        )
        # As of all voxels; of a third of them mutual information has some more noise.
        assert miss(found.transform, truth, phantom.inner()) < (0.5 if metric == "mattes" else 0.2)
        assert numpy.array_equal(found.transform.matrix, same.transform.matrix)
        assert not numpy.array_equal(found.transform.matrix, other.transform.matrix)

    @pytest.mark.parametrize("gradient, order", [("filter", 1), ("differences", 3), ("analytic", 3)])
    def test_gradients_and_orders(self, rng, gradient, order):
        phantom = Phantom(rng, (36, 32, 24))
        truth = phantom.linear(rng, "rigid")
        images = phantom.images(truth)
        plain, found = (
            cudaspline.register(*images, "rigid", metric="meansquares", iterations=60, initial="none", device="cpu", **options)
            for options in ({}, {"gradient": gradient, "order": order})
        )
        assert miss(found.transform, truth, phantom.inner()) < 0.1
        assert not numpy.array_equal(found.transform.matrix, plain.transform.matrix)

    @pytest.mark.parametrize("size", [(48, 40), (28, 26, 22)])
    def test_a_search_of_rotations(self, rng, size):
        phantom = Phantom(rng, size)
        n = len(size)
        angle = numpy.radians(130)
        matrix = numpy.eye(n)
        matrix[:2, :2] = [[numpy.cos(angle), -numpy.sin(angle)], [numpy.sin(angle), numpy.cos(angle)]]

        def truth(places):
            return (places - phantom.middle) @ matrix.T + phantom.middle

        # What is within the images' reach whichever way they are turned, so that centres of gravity belong to each other.
        away = lambda places: numpy.linalg.norm((places - phantom.middle) / (0.4 * phantom.extent.min()), axis=-1)
        round_ = lambda places: numpy.clip(4 - 4 * away(places), 0, 1)
        places = phantom.places()
        fixed, moving = (
            phantom.image(phantom.texture(there) * round_(there) + round_(there)) for there in (truth(places), places)
        )
        options = {"metric": "correlation", "device": "cpu", "iterations": 0}
        found, astray = (cudaspline.register(fixed, moving, "rigid", initial=initial, **options) for initial in ("search", "moments"))
        near = phantom.inner()
        near = near[away(near) < 0.7]
        # A search looks at coarse images: it ends within half a sample, from where a stage goes on.
        assert miss(found.transform, truth, near) < 0.5
        assert miss(astray.transform, truth, near) > 3.0

    def test_a_search_that_finds_little_warns(self, rng):
        noise = [rng.standard_normal((40, 44)) for _ in range(2)]
        with pytest.warns(cudaspline.RegistrationWarning, match="explains .* % of the fixed image's entropy"):
            cudaspline.register(*noise, "rigid", initial="search", iterations=0, device="cpu")

    def test_a_stage_goes_on_where_the_one_before_has_ended(self, rng):
        phantom = Phantom(rng, (36, 32, 24))
        # A rigid transform, and a stretch that no rigid one does: the small affine ones of linear() may be rigid almost.
        turn, axis = phantom.linear(rng, "rigid"), turned(rng, 3)[0]
        stretch = numpy.eye(3) + 0.06 * numpy.outer(axis, axis)

        def truth(places):
            return turn((places - phantom.middle) @ stretch + phantom.middle)

        fixed, moving = phantom.images(truth)
        both = cudaspline.register(fixed, moving, metric="correlation", device="cpu")  # rigid and affine
        assert [stage.stage.kind for stage in both.report.stages] == ["rigid", "affine"]
        assert len(both.transform._parts) == 1  # the affine one stands for both
        rigid = cudaspline.register(fixed, moving, "rigid", metric="correlation", device="cpu")
        assert miss(both.transform, truth, phantom.inner()) < 0.1 < miss(rigid.transform, truth, phantom.inner())

    def test_initial(self, rng):
        phantom = Phantom(rng, (40, 36))
        shift = numpy.array([11.0, -7.0])
        far = phantom.image(phantom.texture(phantom.places()))
        near = cudaspline.Image(far.array, far.spacing, far.origin - shift, far.direction)
        for initial in ("moments", "centre", numpy.array([[1, 0, shift[0]], [0, 1, shift[1]]]), cudaspline.Transform([[1, 0, 11.0], [0, 1, -7.0]], 2)):
            start = cudaspline.register(near, far, "rigid", initial=initial, iterations=0, device="cpu")
            assert difference(start.transform.apply(phantom.middle - shift), phantom.middle) < 1e-6, initial
        assert difference(cudaspline.register(near, far, "rigid", initial="none", iterations=0).transform.matrix, numpy.eye(3)) == 0

    def test_a_mask_leaves_out_what_it_says(self, rng):
        phantom = Phantom(rng, (48, 40))
        truth = phantom.linear(rng, "translation")
        fixed, moving = phantom.images(truth)
        spoiled = cudaspline.Image(fixed.array.copy(), fixed.spacing, fixed.origin, fixed.direction)
        spoiled.array[:, 30:] = rng.uniform(0, 300, (40, 18))
        mask = numpy.ones((40, 48), "u1")
        mask[:, 30:] = 0
        options = dict(metric="meansquares", initial="none", device="cpu")
        places = phantom.inner()
        plain = cudaspline.register(spoiled, moving, "translation", **options)
        for given in (mask, cudaspline.Image(mask * 1.5, fixed.spacing, fixed.origin, fixed.direction), numpy.where(mask, 1.0, numpy.nan)):
            masked = cudaspline.register(spoiled, moving, "translation", mask=given, **options)
            assert miss(masked.transform, truth, places) < 0.1 < miss(plain.transform, truth, places)
        # What is not finite lies outside, too.
        spoiled.array[:, 30:] = numpy.nan
        with pytest.warns(cudaspline.RegistrationWarning, match="^fixed: 720 of 1920"):
            found = cudaspline.register(spoiled, moving, "translation", **options)
        assert miss(found.transform, truth, places) < 0.1


class TestFields:
    @pytest.mark.parametrize("size", [(56, 48), (36, 32, 24)])
    @pytest.mark.parametrize("kind", ["syn", "greedy", "demons"])
    def test_it_finds_a_bend(self, rng, kind, size):
        phantom = Phantom(rng, size)
        truth = phantom.bend()
        fixed, moving = phantom.images(truth)
        options = {} if kind == "demons" else {"radius": 2, "learning_rate": 0.25}
        found = cudaspline.register(fixed, moving, kind, iterations=(40, 30), initial="none", device="cpu", **options)
        places = phantom.inner()
        still = cudaspline.Transform(numpy.eye(phantom.n), phantom.n)
        # Of many phantoms SyN left 0.06 to 0.21 of the bend, the greedy one 0.1 to 0.33.
        assert miss(found.transform, truth, places) < (0.35 if kind == "syn" else 0.5) * miss(still, truth, places)
        assert numpy.abs(found.warped.array - fixed.array).mean() < 0.4 * numpy.abs(moving.array - fixed.array).mean()
        assert found.warped.geometry == fixed.geometry
        # There and back, to a part of a voxel: the inverse has the level's tolerance, a tenth.
        back = found.transform.inverse().apply(found.transform.apply(places))
        assert numpy.linalg.norm(back - places, axis=-1).max() < 0.3
        assert numpy.abs(found.inverse_warped.array - moving.array).mean() < 0.5 * numpy.abs(moving.array - fixed.array).mean()
        assert found.folding.voxels == 0 and found.folding.all == numpy.prod(size)

    def test_fields_behind_matrices(self, rng):
        phantom = Phantom(rng, (36, 32, 24))
        bend, linear = phantom.bend(1.5), phantom.linear(rng, "affine")
        fixed, moving = phantom.images(lambda places: linear(bend(places)))
        found = cudaspline.register(
            fixed, moving, [cudaspline.Stage("affine", metric="correlation"), cudaspline.Stage("syn", radius=2, iterations=(40, 20))], device="cpu"
        )
        first = cudaspline.register(fixed, moving, "affine", metric="correlation", device="cpu")
        truth = lambda places: linear(bend(places))  # noqa: E731
        places = phantom.inner()
        # 0.37 to 0.52 of it were seen: twenty iterations at full size are not the end.
        assert miss(found.transform, truth, places) < 0.7 * miss(first.transform, truth, places)
        assert [stage.stage.kind for stage in found.report.stages] == ["affine", "syn"]

    def test_the_field_and_its_determinants(self, rng):
        """Of a matrix they are known: u(x) = T(x) - x, and the determinant is that of the matrix, on any grid."""
        for size in ((20, 17), (14, 12, 9)):
            phantom = Phantom(rng, size)
            n = phantom.n
            matrix = numpy.hstack([numpy.eye(n) + rng.uniform(-0.2, 0.2, (n, n)), rng.uniform(-1, 1, (n, 1))])
            image = phantom.image(phantom.texture(phantom.places()))
            found = cudaspline.register(image, image, "translation", initial=matrix, iterations=0, precision="float64", device="cpu")
            places = phantom.places()
            moved = places @ matrix[:, :n].T + matrix[:, n]
            assert found.field.array.dtype == numpy.float64 and difference(found.field.array, moved - places) < 1e-7
            determinant = numpy.linalg.det(matrix[:, :n])
            assert difference(found.jacobian().array, numpy.full(size[::-1], determinant)) < 1e-6
            assert difference(found.jacobian(log=True).array, numpy.full(size[::-1], numpy.log(determinant))) < 1e-6
            assert found.folding.voxels == 0 and abs(found.folding.least - determinant) < 1e-6
        mirrored = cudaspline.register(image, image, "translation", initial=numpy.diag([1.0, 1, -1]), iterations=0, device="cpu")
        assert mirrored.folding.voxels == mirrored.folding.all == numpy.prod(size)

    def test_coarse_levels_alone(self, rng):
        phantom = Phantom(rng, (41, 38))
        fixed, moving = phantom.images(phantom.bend())
        found = cudaspline.register(fixed, moving, "syn", radius=2, iterations=(20,), shrink=(3,), sigmas=(1,), initial="none", device="cpu")
        grid = found.transform._parts[0].geometry
        assert grid.size == (13, 12)
        middle = grid.origin + grid.index_to_point @ (0.5 * (numpy.array(grid.size) - 1))
        assert difference(middle, phantom.middle) < 1e-9  # as itk::ShrinkImageFilter
        assert found.field.shape == (38, 41, 2)


class TestSplines:
    @pytest.mark.parametrize("size", [(56, 48), (36, 32, 24)])
    @pytest.mark.parametrize("metric", ["meansquares", "correlation", "mattes", "cc"])
    def test_it_finds_a_bend(self, rng, metric, size):
        phantom = Phantom(rng, size)
        truth = phantom.bend()
        fixed, moving = phantom.images(truth)
        spacing = [12.0, 14.0, 16.0][: phantom.n]
        found = cudaspline.register(
            fixed, moving, "bspline", metric=metric, radius=2, grid_spacing=spacing, iterations=(30, 20), initial="none", device="cpu"
        )
        places = phantom.inner()
        still = cudaspline.Transform(numpy.eye(phantom.n), phantom.n)
        # As fields do, and those have ten times as many numbers.
        assert miss(found.transform, truth, places) < 0.5 * miss(still, truth, places)
        assert numpy.abs(found.warped.array - fixed.array).mean() < 0.4 * numpy.abs(moving.array - fixed.array).mean()
        grid = found.transform._parts[0].transform
        extent = phantom.geometry.spacing * (numpy.array(size) - 1)
        cells = numpy.array(grid.coefficients.shape[:0:-1]) - 3
        assert (cells == numpy.floor(extent / spacing + 0.5)).all()
        assert numpy.allclose(grid.spacing * cells, extent, rtol=1e-14)
        # The first node is a cell before the first sample.
        first = phantom.geometry.origin - phantom.geometry.direction @ numpy.asarray(grid.spacing)
        assert difference(numpy.asarray(grid.origin), first) < 1e-12
        assert [level.iterations for level in found.report.stages[0].levels] == [30, 20] and len(found.history) == 50
        assert found.history["step"][0] == 0 and (found.history["step"][1:30] > 0).all()

    def test_between_other_stages(self, rng):
        phantom = Phantom(rng, (36, 32, 24))
        bend, linear = phantom.bend(1.5), phantom.linear(rng, "affine")
        truth = lambda places: linear(bend(places))  # noqa: E731
        fixed, moving = phantom.images(truth)
        stages = [
            cudaspline.Stage("affine", metric="correlation"),
            cudaspline.Stage("bspline", metric="correlation", grid_spacing=12, iterations=(30, 20)),
            cudaspline.Stage("affine", metric="correlation", iterations=(5,)),
        ]
        found = cudaspline.register(fixed, moving, stages, device="cpu")
        first = cudaspline.register(fixed, moving, stages[0], device="cpu")
        places = phantom.inner()
        assert miss(found.transform, truth, places) < 0.7 * miss(first.transform, truth, places)
        back = found.transform.inverse().apply(found.transform.apply(places))
        assert numpy.linalg.norm(back - places, axis=-1).max() < 0.01  # an iteration that ends at a part of a sample

    def test_options(self):
        stage = cudaspline.Stage("BSpline")
        assert (stage.kind, stage.metric, stage.optimizer, stage.grid_spacing) == ("bspline", "mattes", "lbfgs", 24.0)
        for name, value in (("convergence", 1e-6), ("minimum_step", 1.0), ("learning_rate", 0.2), ("optimizer", "conjugate-gradient")):
            with pytest.raises(ValueError, match=f"^{name}: "):
                cudaspline.Stage("bspline", **{name: value})
        for value, error in ((0, ValueError), ((1, 2, 3, 4), ValueError), ("wide", TypeError), ((1, "2"), TypeError)):
            with pytest.raises(error, match="^grid_spacing: "):
                cudaspline.Stage("bspline", grid_spacing=value)
        with pytest.raises(ValueError, match="^grid_spacing: .*2 axes"):
            cudaspline.register(SMALL, SMALL, "bspline", grid_spacing=(3, 3, 3), device="cpu")
        with pytest.raises(ValueError, match="^optimizer: "):
            cudaspline.Stage("affine", optimizer="lbfgs")
        # Said for all, they go to the stages that have them.
        found = cudaspline.register(SMALL, SMALL, ["affine", "bspline"], optimizer="gradient-descent", grid_spacing=5, iterations=0, device="cpu")
        assert [stage.stage.optimizer for stage in found.report.stages] == ["gradient-descent", "lbfgs"]
        assert found.transform._parts[-1].transform.coefficients.shape == (2, 5, 6)  # 13 by 11 mm are 3 by 2 cells
        assert not found.transform._parts[-1].transform.coefficients.any()

    def test_a_cell_is_the_least(self):
        found = cudaspline.register(SMALL, SMALL + 1.0, "bspline", grid_spacing=1e6, metric="correlation", shrink=(1,), sigmas=(0,), device="cpu")
        assert found.transform._parts[-1].transform.coefficients.shape == (2, 4, 4)


SMALL_PAIR = tuple(numpy.add.outer(numpy.arange(12.0) ** 2, n * numpy.arange(14.0)) for n in (1, 2))


class TestPairs:
    """Two channels, each with waves along one axis: cudaspline_register_deformable_pairs, and register(also=)."""

    SIZE = 40

    def channels(self):
        """(fixed, moving) of each, and the displacements between them, about as long along either axis."""
        y, x = numpy.mgrid[: self.SIZE, : self.SIZE].astype(float)
        truth = numpy.stack([1.5 * numpy.sin(0.16 * y + 0.4) * numpy.sin(0.2 * x), 1.5 * numpy.sin(0.18 * x) * numpy.sin(0.15 * y + 1)], axis=-1)
        moved = [x + truth[..., 0], y + truth[..., 1]]

        def wave(place):
            return 100 + 50 * numpy.cos(0.55 * place + 0.3) + 20 * numpy.cos(0.21 * place)

        return [(wave(to), wave(place)) for place, to in zip((x, y), moved)], truth

    def run(self, channels, pairs, kind="greedy", function="cudaspline_register_deformable_pairs", count=None):
        """Displacements, and the value of the first iteration. pairs: metric, bins and weight of each."""
        library = cudaspline._registration_library
        work = cudaspline._register._Work.open(*channels[0], None, None, "float64", "cpu", 0)
        stage = cudaspline.Stage(kind, iterations=(60, 40), shrink=(2, 1), sigmas=(1, 0))
        described, kept = work._describe(stage, [])
        values = []
        watch = library.Watch(lambda state: values.append(state.value))
        described.iteration = watch.callback
        field = numpy.zeros((self.SIZE, self.SIZE, 2))
        how = library.Deformable(kind=library.DEFORMABLE[kind], element=work.fixed.pixels.type_code, learning_rate=0.25, update_variance=3.0)
        how.radius[:] = [2] * 3
        how.convergence, how.window = 1e-6, 10
        how.field_type, how.forward = work.fixed.pixels.type_code, field.ctypes.data
        told = [ctypes.byref(described), ctypes.byref(how)]
        if pairs is not None:
            array = (library.Pair * max(1, len(pairs)))()
            for number, (metric, bins, weight) in enumerate(pairs):
                array[number].metric, array[number].bins, array[number].weight = library.METRICS[metric], bins, weight
                if 0 < number < len(channels):
                    images = [library.describe_image(pixels.ctypes.data, work.fixed.geometry) for pixels in channels[number]]
                    array[number].fixed, array[number].moving = images
            told += [array, len(pairs) if count is None else count]
        _, raised = watch.run(cudaspline._library.Call("cpu", 0), function, *told)
        assert raised is None
        del kept
        return field, values[0]

    @pytest.mark.parametrize("kind, metric", [("syn", "meansquares"), ("greedy", "meansquares"), ("greedy", "cc"), ("syn", "mattes")])
    def test_two_see_what_each_alone_is_blind_to(self, kind, metric):
        channels, truth = self.channels()
        inner = (slice(10, 30),) * 2

        def miss(*arguments):
            return numpy.abs(self.run(*arguments, kind)[0] - truth)[inner].mean(axis=(0, 1))

        before = numpy.abs(truth)[inner].mean(axis=(0, 1))
        alone = miss(channels, [(metric, 32, 1.0)])
        both = miss(channels, [(metric, 32, 1.0), (metric, 32, 1.0)])
        assert alone[0] < 0.6 * before[0]
        assert alone[1] > 0.9 * before[1]  # there is no force along y
        assert (both < 0.7 * before).all()

    def test_the_value_is_the_weighted_sum(self):
        channels, _ = self.channels()
        first = self.run(channels, [("cc", 0, 1.0)])[1]
        second = self.run(channels[1:], [("meansquares", 0, 1.0)])[1]
        for kind in ("greedy", "syn"):
            both = self.run(channels, [("cc", 0, 3.0), ("meansquares", 0, 1.0)], kind)[1]
            assert both == pytest.approx(0.75 * first + 0.25 * second, rel=1e-12)

    def test_one_pair_is_a_registration(self):
        channels, _ = self.channels()
        wanted = self.run(channels, None, function="cudaspline_register_deformable")
        found = self.run(channels, [("cc", 0, 5.0)])
        assert numpy.array_equal(found[0], wanted[0]) and found[1] == wanted[1]

    @pytest.mark.parametrize(
        "pairs, kind, words",
        [
            ([("correlation", 0, 1.0)], "syn", r"pairs\[0\].metric is 1"),
            ([("cc", 0, 1.0), ("mattes", 4, 1.0)], "syn", r"pairs\[1\].bins is 4"),
            ([("cc", 0, 0.0)], "greedy", r"pairs\[0\].weight is 0"),
            ([("cc", 0, numpy.nan)], "greedy", r"pairs\[0\].weight is nan"),
            ([("cc", 0, 1.0)], "demons", "mean squares"),
            ([("meansquares", 0, 1.0)] * 2, "demons", "demons"),
            ([("cc", 0, 1.0)] * 3, "greedy", r"pairs\[2\].fixed.pixels is null"),
            ([], "greedy", "pair_count is 0"),
        ],
    )
    def test_what_cannot_be(self, pairs, kind, words):
        with pytest.raises(ValueError, match=words):
            self.run(self.channels()[0], pairs, kind)


    def registered(self, channels, kind="greedy", also=None, **options):
        """What register() finds."""
        options = {"radius": 2, "learning_rate": 0.25, "shrink": (2, 1), "sigmas": (1, 0), "iterations": (60, 40), "initial": "none", **options}
        also = channels[1:] if also is None else also
        return cudaspline.register(*channels[0], kind, also=also, precision="float64", device="cpu", **options)

    @pytest.mark.parametrize("kind", ["syn", "greedy"])
    def test_register_is_the_function_in_c(self, kind):
        channels, truth = self.channels()
        metric = [("cc", 0.7), ("mattes", 0.3)]
        found = self.registered(channels, kind, metric=metric, bins=32)
        wanted, value = self.run(channels, [("cc", 0, 0.7), ("mattes", 32, 0.3)], kind)
        assert difference(found.field.array, wanted) < 1e-9  # T(x) - x, which is rounded at places
        assert found.history[0].value == value
        assert found.report.stages[0].stage.metric == (("cc", 0.7), ("mattes", 0.3)) and "cc:0.7, mattes:0.3" in str(found.report)
        assert found.warped.shape == channels[0][0].shape

    def test_one_metric_of_fields(self):
        """A list of one pair, weights that cancel, and fields by other metrics than "cc"."""
        channels, _ = self.channels()
        for metric in ("cc", "meansquares", "mattes"):
            fields = [self.registered(channels, also=(), metric=one).field.array for one in (metric, [metric], [(metric, 3.0)])]
            assert numpy.array_equal(fields[0], fields[1]) and numpy.array_equal(fields[0], fields[2])
            assert difference(fields[0], self.run(channels[:1], [(metric, 50, 1.0)])[0]) < 1e-9

    def test_pairs_have_grids_of_their_own(self):
        """A second channel with half of the samples: cosines are the same there, where both are sampled at the same places."""
        channels, truth = self.channels()
        coarse = [cudaspline.Image(image[::2, ::2].copy(), spacing=(2, 2)) for image in channels[1]]
        inner = (slice(10, 30),) * 2
        before = numpy.abs(truth)[inner].mean(axis=(0, 1))
        for pair in (coarse, (channels[1][0], coarse[1]), (coarse[0], channels[1][1])):
            found = self.registered(channels, metric=["meansquares"] * 2, also=[pair])
            assert (numpy.abs(found.field.array - truth)[inner].mean(axis=(0, 1)) < 0.8 * before).all()

    def test_masks_and_what_is_not_finite_of_all_pairs(self):
        channels, _ = self.channels()
        mask = numpy.ones((self.SIZE, self.SIZE), "u1")
        mask[:, 30:] = 0
        options = {"metric": ["meansquares"] * 2, "iterations": (8, 4), "mask": mask}
        wanted = self.registered(channels, **options)
        spoiled = [(one.copy(), other) for one, other in channels]
        spoiled[1][0][:, 34:] = 1e5  # no level's Gaussian brings it back under the mask: of smoothed images all have their masks
        assert not numpy.array_equal(self.registered(spoiled, **{**options, "mask": None}).field.array, wanted.field.array)
        shrunk = {"shrink": (1,), "sigmas": (0,), "iterations": 8}
        wanted, found = (self.registered(images, **{**options, **shrunk}) for images in (channels, spoiled))
        assert numpy.array_equal(found.field.array, wanted.field.array)
        spoiled[1][0][:, 34:] = numpy.nan
        with pytest.warns(cudaspline.RegistrationWarning, match=r"^also\[0\]\[0\]: 240 of 1600"):
            found = self.registered(spoiled, **{**options, **shrunk})
        assert numpy.array_equal(found.field.array, wanted.field.array)

    def test_quantiles_of_all_pairs(self):
        channels, _ = self.channels()
        cut = [tuple(numpy.clip(image, *numpy.quantile(image, (0.1, 0.9))) for image in pair) for pair in channels]
        options = {"metric": ["meansquares"] * 2, "iterations": (8, 4)}
        given = ((channels, (0.1, 0.9)), (cut, None), (channels, None))
        found, wanted, plain = (self.registered(images, winsorize=quantiles, **options).field.array for images, quantiles in given)
        # Of 1600 values a quantile is anywhere between two of them, here and there: a cut at the first pair's alone leaves half of it.
        assert difference(found, wanted) < 0.1 * difference(plain, wanted)

    def test_pairs_go_to_the_stages_that_compare_them(self):
        channels, _ = self.channels()
        found = cudaspline.register(
            *channels[0], ["affine", "syn"], also=channels[1:], metric=["cc", "mattes"], radius=2, bins=16, iterations=2, initial="none", device="cpu"
        )
        assert [stage.stage.metric for stage in found.report.stages] == ["mattes", (("cc", 1.0), ("mattes", 1.0))]
        assert [stage.stage.bins for stage in found.report.stages] == [16, 16]
        # A stage with one metric compares the first pair.
        stages = [cudaspline.Stage("greedy", iterations=2, radius=2), cudaspline.Stage("greedy", metric=["cc", "cc"], iterations=2, radius=2)]
        assert len(cudaspline.register(*channels[0], stages, also=channels[1:], initial="none", device="cpu").report.stages) == 2

    @pytest.mark.parametrize(
        "options, error, words",
        [
            ({"metric": ["cc"]}, ValueError, "^also: its pair 1 is compared in no stage"),
            ({"metric": "cc"}, ValueError, "^also: its pair 1 is compared in no stage"),
            ({"metric": ["cc"] * 3}, ValueError, "^metric: it is of 3 pairs of images, and there are 2; also= "),
            ({"metric": ["cc"] * 2, "also": ()}, ValueError, "^metric: it is of 2 pairs of images, and there is 1; also= "),
            ({"metric": ["cc", "correlation"]}, ValueError, "^metric: 'correlation' is not for 'greedy'"),
            ({"metric": ["cc", "ssd"]}, ValueError, "^metric: 'ssd' is not known"),
            ({"metric": ["cc", ("cc", 0)]}, ValueError, "^metric: the weight: 0 is not above 0"),
            ({"metric": ["cc", ("cc", 1e7)]}, ValueError, "^metric: the weight 1e"),
            ({"metric": ["cc", ("cc", "1")]}, TypeError, "^metric: the weight: '1'"),
            ({"metric": []}, ValueError, "^metric: there is none"),
            ({"kind": "demons", "metric": None, "learning_rate": None}, ValueError, "^also: its pair 1 is compared in no stage"),
            ({"also": 3}, TypeError, "^also: int is no list"),
            ({"also": [SMALL_PAIR[0]]}, TypeError, r"^also\[0\]: ndarray is no pair"),
            ({"also": [SMALL_PAIR[:1]]}, TypeError, r"^also\[0\]: tuple is no pair"),
            ({"also": [(numpy.zeros((4, 5, 6)), numpy.zeros((4, 5)))]}, ValueError, r"^also\[0\]\[0\]: it has 3 axes, and fixed has 2"),
            ({"also": [(SMALL_PAIR[0], "moving.nii")]}, TypeError, r"^also\[0\]\[1\]"),
            ({"also": [(SMALL_PAIR[0], numpy.full((9, 9), numpy.nan))]}, ValueError, r"^also\[0\]\[1\]: it has no pixel with a finite value"),
        ],
    )
    def test_what_register_refuses(self, options, error, words):
        channels, _ = self.channels()
        with pytest.raises(error, match=words):
            self.registered(channels, **{"metric": ["cc", "cc"], **options})


class TestKinds:
    """Images of every library, and what comes back."""

    @pytest.mark.parametrize("kind", ["numpy", "Image", "SimpleITK", "itk", "nibabel", "jax"])
    def test_the_same_of_each(self, rng, kind):
        phantom = Phantom(rng, (20, 18, 14), oblique=False, spacing=numpy.ones(3))
        fixed, moving = phantom.images(phantom.bend(1.0))
        fixed, moving = (cudaspline.Image(image.array) for image in (fixed, moving))  # indices, which all of them have
        options = dict(radius=2, iterations=(6, 4), device="cpu")
        wanted = cudaspline.register(fixed, moving, "syn", **options)
        assert isinstance(wanted.warped, cudaspline.Image)
        if kind in ("numpy", "Image"):
            make, back = (lambda a: a), (lambda a: a)
            make = make if kind == "numpy" else cudaspline.Image
            back = back if kind == "numpy" else (lambda image: image.array)
        elif kind == "SimpleITK":
            library = pytest.importorskip("SimpleITK")
            make, back = library.GetImageFromArray, library.GetArrayFromImage
        elif kind == "itk":
            library = pytest.importorskip("itk")
            make, back = library.image_from_array, library.array_from_image
        elif kind == "nibabel":
            library = pytest.importorskip("nibabel")
            make = lambda a: library.Nifti1Image(a.T, numpy.diag([-1.0, -1, 1, 1]))  # noqa: E731
            back = lambda image: numpy.asanyarray(image.dataobj).T  # noqa: E731
        else:
            library = pytest.importorskip("jax")
            host = library.devices("cpu")[0]
            make, back = (lambda a: library.device_put(a, host)), numpy.asarray
        given = [make(image.array) for image in (fixed, moving)]
        found = cudaspline.register(*given, "syn", **options)
        assert type(found.warped) is type(given[1])
        assert type(found.jacobian()) is type(given[0])
        assert numpy.array_equal(back(found.warped), wanted.warped.array)
        assert numpy.array_equal(back(found.jacobian()), wanted.jacobian().array)
        assert numpy.array_equal(numpy.asarray(found.field.array), wanted.field.array)

    def test_integers_and_doubles(self, rng):
        phantom = Phantom(rng, (30, 26))
        fixed, moving = phantom.images(phantom.bend(1.0))
        whole = [cudaspline.Image(image.array.astype("i2"), image.spacing, image.origin, image.direction) for image in (fixed, moving)]
        of_real = [cudaspline.Image(image.array.astype("f4"), image.spacing, image.origin, image.direction) for image in whole]
        found, wanted = (cudaspline.register(*images, "greedy", radius=2, iterations=5, device="cpu") for images in (whole, of_real))
        assert numpy.array_equal(found.warped.array, wanted.warped.array) and found.warped.array.dtype == "f4"
        double = cudaspline.register(*of_real, "greedy", radius=2, iterations=5, precision="float64", device="cpu")
        assert double.warped.array.dtype == "f8" and difference(double.field.array, wanted.field.array) < 0.01

    def test_threads_change_nothing(self, rng):
        phantom = Phantom(rng, (24, 22, 16))
        fixed, moving = phantom.images(phantom.bend(1.0))
        for stages in ("syn", "affine"):
            one, more = (cudaspline.register(fixed, moving, stages, iterations=(8, 4), device="cpu", threads=n) for n in (1, 3))
            assert numpy.array_equal(one.field.array, more.field.array)

    @pytest.mark.gpu
    @pytest.mark.parametrize("library", ["torch", "cupy"])
    def test_tensors_stay_on_the_gpu(self, rng, library):
        module = pytest.importorskip(library)
        phantom = Phantom(rng, (36, 32, 24))
        fixed, moving = phantom.images(phantom.bend())
        put = (lambda a: module.from_numpy(a).cuda()) if library == "torch" else module.asarray
        there = [cudaspline.Image(put(image.array), image.spacing, image.origin, image.direction) for image in (fixed, moving)]
        options = dict(stages=["affine", "syn"], radius=2, iterations=(30, 20), precision="float64")
        wanted = cudaspline.register(fixed, moving, device="cpu", **options)
        found = cudaspline.register(*there, **options)
        assert found.report.stages[-1].execution.backend == "Cuda"
        for array in (found.warped.array, found.field.array, found.jacobian().array):
            assert type(array) is type(there[0].array) and (array.is_cuda if library == "torch" else True)
        host = found.field.array.cpu().numpy() if library == "torch" else found.field.array.get()
        # Bodies are the same, sums of metrics in another order: where a norm lies beside its tolerance, an inversion
        # has one iteration more or less, which moves the field by some part of that (0.1 of a spacing at most).
        assert difference(host, wanted.field.array) < 0.02
        assert difference(found.transform.apply(phantom.inner()), wanted.transform.apply(phantom.inner())) < 0.02


class TestTransform:
    """What is found applies, composes, inverts, is saved and converted."""

    @pytest.fixture
    def found(self, rng):
        phantom = Phantom(rng, (24, 22, 18))
        linear, bend = phantom.linear(rng, "rigid"), phantom.bend(1.0)
        fixed, moving = phantom.images(lambda places: linear(bend(places)))
        stages = [cudaspline.Stage("rigid", metric="correlation"), cudaspline.Stage("syn", radius=2, iterations=(10, 5))]
        return phantom, fixed, moving, cudaspline.register(fixed, moving, stages, device="cpu")

    def test_images_and_points(self, found):
        phantom, fixed, moving, result = found
        warped = cudaspline.resample(moving, result.transform, fixed, interpolation="linear", smooth=False)
        assert numpy.array_equal(warped.array, result.warped.array)
        assert numpy.array_equal(result.transform.resample(moving, fixed, smooth=False).array, result.warped.array)
        places = phantom.inner()
        assert difference(result.transform.apply(places[0]), result.transform.apply(places)[0]) == 0
        whole = places.reshape(-1, 2, 3)
        assert result.transform.apply(whole).shape == whole.shape
        assert result.transform.apply(numpy.empty((0, 3))).shape == (0, 3)
        assert difference(pickle.loads(pickle.dumps(result.transform)).apply(places), result.transform.apply(places)) == 0

    def test_composition(self, found):
        phantom, _, _, result = found
        places = phantom.inner()
        shift = numpy.array([[1, 0, 0, 1.0], [0, 1, 0, 2.0], [0, 0, 1, 3.0]])
        after = cudaspline.Transform(shift, 3) @ result.transform
        assert difference(after.apply(places), result.transform.apply(places) + [1, 2, 3]) < 1e-9
        before = result.transform @ shift
        assert difference(before.apply(places), result.transform.apply(places + [1, 2, 3])) < 1e-9
        assert difference((result.transform.inverse() @ result.transform).apply(places), places) < 0.3

    @pytest.mark.parametrize("name", ["transform.h5", "transform.tfm"])
    def test_files_that_hold_all_of_it(self, found, sitk, tmp_path, name):
        phantom, fixed, moving, result = found
        result.transform.save(tmp_path / name)
        read = sitk.ReadTransform(str(tmp_path / name))
        places = phantom.inner()[::50]
        wanted = result.transform.apply(places)
        assert difference([read.TransformPoint(place.tolist()) for place in places], wanted) < 1e-6
        again = cudaspline.resample(moving, str(tmp_path / name), fixed, interpolation="linear", smooth=False)
        assert difference(again.array, result.warped.array) < 1e-3

    @pytest.mark.parametrize("name", ["affine.mat", "affine.tfm", "affine.txt"])
    def test_files_of_matrices(self, rng, tmp_path, name):
        phantom = Phantom(rng, (24, 22, 18))
        fixed, moving = phantom.images(phantom.linear(rng, "affine"))
        result = cudaspline.register(fixed, moving, "affine", iterations=5, device="cpu")
        result.transform.save(tmp_path / name)
        read = cudaspline.Transform(str(tmp_path / name), 3)
        assert difference(read.matrix, result.transform.matrix) < 1e-12 * numpy.abs(result.transform.matrix).max() * 10
        sitk = pytest.importorskip("SimpleITK")
        theirs = sitk.ReadTransform(str(tmp_path / name)).Downcast()
        assert difference(theirs.GetCenter(), result.transform._parts[0].centre) == 0
        place = phantom.middle + 3
        assert difference(theirs.TransformPoint(place.tolist()), result.transform.apply(place)) < 1e-9

    def test_displacements_in_files(self, found, sitk, tmp_path):
        phantom, fixed, _, result = found
        result.transform.save(tmp_path / "field.nii.gz", fixed)
        image = sitk.ReadImage(str(tmp_path / "field.nii.gz"))
        assert difference(sitk.GetArrayFromImage(image), result.field.array) < 1e-4
        read = cudaspline.Transform(str(tmp_path / "field.nii.gz"), 3)
        assert difference(read.apply(phantom.inner()), result.transform.apply(phantom.inner())) < 1e-3

    def test_what_ants_reads(self, found, sitk, tmp_path):
        _, fixed, moving, result = found
        files = result.transform.save_ants(tmp_path / "out", fixed)
        assert [file.name for file in files] == ["out0GenericAffine.mat", "out1Warp.nii.gz", "out1InverseWarp.nii.gz"]
        forth = [str(files[1]), str(files[0])]
        back = [(str(files[0]), "inverse"), str(files[2])]
        warped = cudaspline.resample(moving, forth, fixed, transform_order="ants", interpolation="linear", smooth=False)
        largest = numpy.abs(moving.array).max()
        assert difference(warped.array, result.warped.array) < 1e-4 * largest
        warped = cudaspline.resample(fixed, back, moving, transform_order="ants", interpolation="linear", smooth=False)
        assert difference(warped.array, result.inverse_warped.array) < 1e-3 * largest
        linear = cudaspline.Transform(numpy.diag([1.1, 1, 1]), 3).save_ants(tmp_path / "linear", fixed)
        assert [file.name for file in linear] == ["linear0GenericAffine.mat"]

    def test_objects_of_simpleitk(self, found, sitk):
        phantom, _, _, result = found
        places = phantom.inner()[::50]
        for transform in (result.transform, result.transform.inverse()):
            theirs = transform.to_simpleitk()
            assert difference([theirs.TransformPoint(place.tolist()) for place in places], transform.apply(places)) < 1e-6
        grid = cudaspline.BSplineGrid(numpy.random.default_rng(3).uniform(-1, 1, (3, 6, 6, 6)), 10.0, phantom.middle - 25)
        spline = cudaspline.Transform(grid, 3)
        theirs = spline.to_simpleitk()
        assert difference([theirs.TransformPoint(place.tolist()) for place in places], spline.apply(places)) < 1e-6
        assert cudaspline.Transform(None, 3).to_simpleitk().GetTransformEnum() == sitk.sitkIdentity

    def test_objects_of_itk(self, found):
        itk = pytest.importorskip("itk")
        phantom, _, _, result = found
        theirs = result.transform.to_itk()
        places = phantom.inner()[::50]
        points = [theirs.TransformPoint(itk.Point[itk.D, 3](place.tolist())) for place in places]
        assert difference([[point[d] for d in range(3)] for point in points], result.transform.apply(places)) < 1e-6


class TestTold:
    def test_history_and_report(self, rng):
        phantom = Phantom(rng, (40, 36))
        fixed, moving = phantom.images(phantom.bend())
        fractions = []
        found = cudaspline.register(fixed, moving, ["rigid", "syn"], radius=2, iterations=(8, 5), device="cpu", progress=fractions.append)
        history = found.history
        assert len(history) == len(fractions) == sum(level.iterations for stage in found.report.stages for level in stage.levels)
        assert fractions == sorted(fractions) and 0 < fractions[0] and fractions[-1] <= 1
        assert set(history["stage"]) == {0, 1} and set(history["level"]) <= {0, 1}
        assert all(history["step"][history["stage"] == 0] > 0) and not history["step"][history["stage"] == 1].any()
        assert history[-1].value == found.report.stages[-1].levels[-1].value == history["value"][-1]
        assert [len(column) for column in history.to_dict().values()] == [len(history)] * 6
        assert "syn, cc, on Cpu" in str(found.report) and "metric" in repr(history).replace("value", "metric")
        with pytest.raises(KeyError, match="stage"):
            history["steps"]
        assert found.report.stages[0].levels[0].end and found.report.seconds > 0

    def test_history_is_drawn(self, rng):
        """A line a level, on new axes and on those of the caller."""
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
        from matplotlib import pyplot

        image = Phantom(rng, (40, 36)).images(lambda places: places + 0.5)
        history = cudaspline.register(*image, "translation", metric="meansquares", iterations=(4, 3), device="cpu").history
        axes = history.plot()
        try:
            assert [line.get_label() for line in axes.get_lines()] == ["stage 1, level 1", "stage 1, level 2"]
            drawn = numpy.concatenate([line.get_xydata() for line in axes.get_lines()])
            assert numpy.array_equal(drawn, numpy.stack([numpy.arange(1, len(history) + 1), history["value"]], -1))
            assert axes.get_xlabel() and axes.get_ylabel() and axes.get_legend() is not None
            assert history.plot(axes) is axes and len(axes.get_lines()) == 4
        finally:
            pyplot.close("all")

    def test_a_level_ends_where_values_hardly_fall(self, rng):
        phantom = Phantom(rng, (40, 36))
        fixed, moving = phantom.images(phantom.bend())
        found = cudaspline.register(fixed, moving, "syn", radius=2, iterations=200, shrink=(1,), sigmas=(1,), convergence=1e-3, device="cpu")
        level = found.report.stages[0].levels[0]
        assert level.iterations < 200 and level.end == "values hardly fall any more"
        assert found.history[-1].convergence < 1e-3 <= found.history[-2].convergence
        assert numpy.isinf(found.history["convergence"][:9]).all()

    @pytest.mark.parametrize("stages", [["syn", "affine"], ["affine", "syn"], ["greedy"], ["bspline", "affine"]])
    def test_an_interrupt_keeps_the_best_so_far(self, rng, stages):
        phantom = Phantom(rng, (40, 36))
        fixed, moving = phantom.images(phantom.bend())
        told = []

        def interrupt(fraction):
            told.append(fraction)
            if len(told) == 4:
                os.kill(os.getpid(), signal.SIGINT)

        with pytest.warns(cudaspline.RegistrationWarning, match="interrupted"):
            found = cudaspline.register(fixed, moving, stages, metric="cc", radius=2, initial="none", device="cpu", progress=interrupt)
        assert found.stopped and len(found.report.stages) == 1 and 4 <= len(found.history) <= 5
        assert found.field.shape == (36, 40, 2)
        if stages[0] in ("syn", "greedy"):
            assert found.transform._parts[0].geometry == fixed.geometry  # through all levels
        # It is what as many iterations find; of a matrix, what those before the best value do, which may be the start's.
        done = numpy.argmin(found.history["value"]) if stages[0] == "affine" else len(found.history)
        iterations = (int(done), *[0] * (len(found.report.stages[0].levels) - 1))
        wanted = cudaspline.register(
            fixed, moving, stages[0], metric="cc", radius=2, iterations=iterations, initial="none", device="cpu"
        )
        assert numpy.array_equal(found.warped.array, wanted.warped.array)
        assert done == 0 or not numpy.array_equal(found.field.array, numpy.zeros_like(found.field.array))
        assert found.report.stages[0].levels[-1].end == "it was stopped"

    def test_what_progress_raises_is_raised(self, rng):
        phantom = Phantom(rng, (30, 26))
        fixed, moving = phantom.images(phantom.bend())

        def stop(fraction):
            raise ZeroDivisionError

        for stages in ("greedy", "affine"):
            with pytest.raises(ZeroDivisionError):
                cudaspline.register(fixed, moving, stages, device="cpu", progress=stop)

    def test_the_bar(self, rng, capsys):
        phantom = Phantom(rng, (30, 26))
        fixed, moving = phantom.images(phantom.bend())
        cudaspline.register(fixed, moving, "greedy", radius=2, iterations=(3, 2), device="cpu", progress=True)
        lines = capsys.readouterr().err.splitlines()
        assert [line.partition(":")[0] for line in lines] == ["greedy, level 1 of 2", "greedy, level 2 of 2"]
        cudaspline.register(fixed, moving, "greedy", radius=2, iterations=(3, 2), device="cpu")
        assert capsys.readouterr().err == ""


@needs_program
class TestProgram:
    """What CudaSplineRegister writes, to the bit where both have the same numbers: images along the axes of space, whose matrices have exact
    inverses in both."""

    def run(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments), "--device", "cpu"], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr

    def write(self, sitk, tmp_path, rng, size=(30, 28, 22), origin=None):
        phantom = Phantom(rng, size, oblique=False, spacing=numpy.array([1.0, 1.0, 2.0][: len(size)]))
        linear, bend = phantom.linear(rng, "rigid"), phantom.bend(1.5)
        images = phantom.images(lambda places: linear(bend(places)))
        if origin is not None:
            images = [cudaspline.Image(image.array, image.spacing, origin) for image in images]
        files = [tmp_path / "fixed.mha", tmp_path / "moving.mha"]
        for image, file in zip(images, files):
            made = sitk.GetImageFromArray(image.array)
            made.SetSpacing(image.spacing.tolist())
            made.SetOrigin(image.origin.tolist())
            sitk.WriteImage(made, str(file))
        return images, files

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    @pytest.mark.parametrize("initial", ["none", "moments", "centre"])
    def test_syn(self, rng, sitk, tmp_path, size, initial):
        images, files = self.write(sitk, tmp_path, rng, size)
        self.run(
            *files, "--stage", "syn", "--radius", 2, "--iterations", "12,8,4", "--initialize", initial, "--field", tmp_path / "field.mha",
            "--warped", tmp_path / "warped.mha", "--jacobian", tmp_path / "jacobian.mha",
        )  # fmt: skip
        found = cudaspline.register(*images, "syn", radius=2, iterations=(12, 8, 4), initial=initial, device="cpu")
        read = [sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha"))) for name in ("field", "warped", "jacobian")]
        # The field is what is left of T(x) - x, which the program rounds at places, and this at an image of places: 1e-10 mm.
        assert difference(found.field.array, read[0]) < 1e-6
        assert numpy.array_equal(found.warped.array, read[1])
        assert difference(found.jacobian().array, read[2]) < 1e-5

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    def test_greedy(self, rng, sitk, tmp_path, size):
        images, files = self.write(sitk, tmp_path, rng, size)
        mask = numpy.ones(size[::-1], "u1")
        mask[..., -6:] = 0
        made = sitk.GetImageFromArray(mask)
        made.CopyInformation(sitk.ReadImage(str(files[0])))
        sitk.WriteImage(made, str(tmp_path / "mask.mha"))
        self.run(
            *files, "--stage", "greedy", "--radius", 2, "--iterations", "12,8,4", "--learning-rate", 0.25, "--total-variance", 0.5,
            "--fixed-mask", tmp_path / "mask.mha", "--field", tmp_path / "field.mha", "--warped", tmp_path / "warped.mha",
        )  # fmt: skip
        found = cudaspline.register(
            *images, "greedy", radius=2, iterations=(12, 8, 4), learning_rate=0.25, total_variance=0.5, mask=mask, device="cpu"
        )
        read = [sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha"))) for name in ("field", "warped")]
        assert difference(found.field.array, read[0]) < 1e-6  # as of SyN
        assert numpy.array_equal(found.warped.array, read[1])

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    @pytest.mark.parametrize("options", [{}, {"learning_rate": 0.8, "update_variance": 0.25, "total_variance": 2.0}])
    def test_demons(self, rng, sitk, tmp_path, size, options):
        images, files = self.write(sitk, tmp_path, rng, size)
        words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
        self.run(
            *files, "--stage", "demons", "--iterations", "12,8,4", *words, "--field", tmp_path / "field.mha", "--warped",
            tmp_path / "warped.mha",
        )  # fmt: skip
        found = cudaspline.register(*images, "demons", iterations=(12, 8, 4), device="cpu", **options)
        read = [sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha"))) for name in ("field", "warped")]
        assert difference(found.field.array, read[0]) < 1e-6  # as of SyN
        assert numpy.array_equal(found.warped.array, read[1])

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    @pytest.mark.parametrize("kind", ["syn", "greedy"])
    @pytest.mark.parametrize("metric", ["cc:0.7,mattes:0.3", "meansquares,cc", "mattes"])
    def test_pairs(self, rng, sitk, tmp_path, size, kind, metric):
        """Further pairs on grids of their own, masks for all, and values that are cut."""
        images, files = self.write(sitk, tmp_path, rng, size)
        entries = [entry.split(":") for entry in metric.split(",")]
        metrics = [(entry[0], float(entry[1]) if len(entry) > 1 else 1.0) for entry in entries]
        also, words = [], ["--radius", 2] if "cc" in metric else []
        if len(metrics) > 1:
            also = [cudaspline.Image(100 - image.array[..., :-1], image.spacing, image.origin, image.direction) for image in images]
            for image, side in zip(also, ("fixed", "moving")):
                made = sitk.GetImageFromArray(image.array)
                made.SetSpacing(image.spacing.tolist())
                made.SetOrigin(image.origin.tolist())
                sitk.WriteImage(made, str(tmp_path / f"also-{side}.mha"))
                words += [f"--also-{side}", tmp_path / f"also-{side}.mha"]
        mask = numpy.ones(size[::-1], "u1")
        mask[..., -6:] = 0
        made = sitk.GetImageFromArray(mask)
        made.CopyInformation(sitk.ReadImage(str(files[0])))
        sitk.WriteImage(made, str(tmp_path / "mask.mha"))
        # Fewer iterations of a level than the convergence has values: of SyN it is of the first pair there, and of all pairs here.
        self.run(
            *files, *words, "--stage", kind, "--bins", 24, "--iterations", "9,8,4", "--metric", metric, "--winsorize", "0.01,0.99",
            "--fixed-mask", tmp_path / "mask.mha", "--field", tmp_path / "field.mha", "--warped", tmp_path / "warped.mha",
        )  # fmt: skip
        found = cudaspline.register(
            *images, kind, radius=2, bins=24, iterations=(9, 8, 4), also=[also] if also else (), metric=metrics, winsorize=(0.01, 0.99), mask=mask,
            device="cpu",
        )  # fmt: skip
        read = [sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha"))) for name in ("field", "warped")]
        assert difference(found.field.array, read[0]) < 1e-6  # as of SyN
        assert numpy.array_equal(found.warped.array, read[1])

    @pytest.mark.parametrize("size", [(40, 36), (18, 16, 14)])
    @pytest.mark.parametrize("masked", [False, True])
    def test_a_search(self, rng, sitk, tmp_path, size, masked):
        images, files = self.write(sitk, tmp_path, rng, size)
        mask = numpy.ones(size[::-1], "u1")
        mask[..., -5:] = 0
        made = sitk.GetImageFromArray(mask)
        made.CopyInformation(sitk.ReadImage(str(files[0])))
        sitk.WriteImage(made, str(tmp_path / "mask.mha"))
        self.run(
            *files, "--stage", "rigid", "--initialize", "search", "--iterations", "0", "--output", tmp_path / "found.tfm",
            *(["--fixed-mask", tmp_path / "mask.mha"] if masked else []),
        )  # fmt: skip
        found = cudaspline.register(*images, "rigid", initial="search", iterations=0, mask=mask if masked else None, device="cpu")
        read = cudaspline.Transform(str(tmp_path / "found.tfm"), len(size))
        assert difference(read.matrix, found.transform.matrix) < 1e-12

    @pytest.mark.parametrize("preset", ["brain", "fast", "standard"])
    def test_presets(self, rng, sitk, tmp_path, preset):
        # At an eighth of the size a smaller image, or mask, leaves mutual information so few samples that roundings grow without bound.
        images, files = self.write(sitk, tmp_path, rng, (48, 44, 40))
        mask = numpy.ones((40, 44, 48), "u1")
        mask[:, :, -1] = 0
        made = sitk.GetImageFromArray(mask)
        made.CopyInformation(sitk.ReadImage(str(files[0])))
        sitk.WriteImage(made, str(tmp_path / "mask.mha"))
        self.run(*files, "--preset", preset, "--fixed-mask", tmp_path / "mask.mha", "--warped", tmp_path / "warped.mha")
        found = cudaspline.register(*images, preset=preset, mask=mask, device="cpu")
        read = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "warped.mha")))
        # Hundreds of steps let roundings grow; another option, as a window of another radius, moves edges by parts of a voxel. Voxels at the
        # moving image's edge are in or out.
        away = numpy.abs(found.warped.array - read)[3:-3, 3:-3, 3:-3]
        assert numpy.quantile(away, 0.99) <= 1e-2 * numpy.abs(read).max()

    @pytest.mark.parametrize("kind", ["rigid", "affine"])
    @pytest.mark.parametrize("metric", ["mattes", "correlation", "meansquares"])
    def test_matrices(self, rng, sitk, tmp_path, kind, metric):
        images, files = self.write(sitk, tmp_path, rng)
        self.run(*files, "--stage", kind, "--metric", metric, "--iterations", "20,10,5", "--output", tmp_path / "found.tfm")
        found = cudaspline.register(*images, kind, metric=metric, iterations=(20, 10, 5), device="cpu")
        read = cudaspline.Transform(str(tmp_path / "found.tfm"), 3)
        assert difference(read.matrix, found.transform.matrix) < 1e-6

    @pytest.mark.parametrize(
        "options",
        [
            {"metric": "mattes", "sampling": "regular", "fraction": 0.25, "optimizer": "gradient-descent", "step": 0.1},
            {"metric": "mattes", "sampling": "random", "fraction": 0.4, "seed": 5},
            {"metric": "meansquares", "sampling": "regular"},
            {"metric": "correlation", "gradient": "filter"},
            {"metric": "meansquares", "gradient": "analytic", "order": 3},
        ],
    )
    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    def test_samples_and_gradients(self, rng, sitk, tmp_path, size, options):
        images, files = self.write(sitk, tmp_path, rng, size)
        words = [word for name, value in options.items() if name != "order" for word in (f"--{name}", value)]
        words += ["--interpolation", "bspline"] if "order" in options else []
        self.run(*files, "--stage", "rigid", "--iterations", "20,10,5", *words, "--output", tmp_path / "found.tfm")
        found = cudaspline.register(*images, "rigid", iterations=(20, 10, 5), device="cpu", **options)
        read = cudaspline.Transform(str(tmp_path / "found.tfm"), len(size))
        # Angles and a translation there, a matrix here: its bits but for the rounding of what a file's numbers make.
        assert difference(read.matrix, found.transform.matrix) < 1e-12


    @pytest.mark.parametrize(
        "options",
        [
            {"metric": "mattes"},
            {"metric": "correlation", "step": 0.5},
            {"metric": "cc", "radius": 2},
            {"metric": "meansquares", "sampling": "random", "fraction": 0.5},
        ],
    )
    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    def test_splines(self, rng, sitk, tmp_path, size, options):
        # By the rounding of its place the outermost sample is in ITK's domain or not: files have the same one here.
        images, files = self.write(sitk, tmp_path, rng, size, numpy.zeros(len(size)))
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self.run(
            *files, "--stage", "bspline", "--grid-spacing", 9, "--iterations", "12,8,4", *words, "--initialize", "none", "--precision", "double",
            "--output", tmp_path / "found.tfm",
        )  # fmt: skip
        found = cudaspline.register(
            *images, "bspline", grid_spacing=9, iterations=(12, 8, 4), initial="none", precision="float64", device="cpu", **options
        )
        read = sitk.ReadTransform(str(tmp_path / "found.tfm"))
        read = sitk.BSplineTransform(read) if read.GetName() == "BSplineTransform" else sitk.BSplineTransform(sitk.CompositeTransform(read).GetNthTransform(0))
        coefficients = found.transform._parts[0].transform.coefficients
        # Mostly they have the same bits. Where grids differ by a rounding, steps magnify it.
        assert difference(numpy.array(read.GetParameters()), coefficients.ravel()) < 1e-5


SMALL = numpy.add.outer(numpy.arange(12.0) ** 2, numpy.arange(14.0))


class TestWrong:
    """What cannot be is refused, by a message that begins with the argument's name."""

    @pytest.mark.parametrize(
        "name, value, error",
        [
            ("stages", "elastic", ValueError), ("stages", [], TypeError), ("stages", 3, TypeError), ("stages", [3], TypeError),
            ("metric", "ssd", ValueError), ("sigmas_in_mm", "yes", TypeError), ("metric", "correlation", ValueError), ("iterations", -1, ValueError), ("iterations", "10", TypeError),
            ("iterations", 1.5, TypeError), ("shrink", (0, 1), ValueError), ("shrink", 2, TypeError), ("shrink", (), ValueError),
            ("sigmas", (-1, 0), ValueError), ("sigmas", 1.0, TypeError), ("sigmas", (numpy.nan,), ValueError), ("radius", 0, ValueError),
            ("radius", 1.5, TypeError), ("learning_rate", 0, ValueError), ("update_variance", -1, ValueError), ("total_variance", "1", TypeError),
            ("convergence", numpy.nan, ValueError), ("preset", "best", ValueError), ("winsorize", 0.5, TypeError),
            ("winsorize", (0.9, 0.1), ValueError), ("precision", "half", ValueError), ("threads", -1, ValueError), ("device", "fast\0", ValueError),
            ("progress", 3, TypeError), ("initial", numpy.eye(5), ValueError), ("initial", 3, TypeError), ("mask", numpy.zeros((12, 14)), ValueError),
            ("mask", numpy.ones((11, 14)), ValueError), ("mask", "mask.nii", TypeError), ("moving_mask", numpy.ones((12, 14, 3)), ValueError),
            ("odrer", 3, TypeError), ("sampling", "some", ValueError), ("sampling", "regular", ValueError), ("fraction", 0.5, ValueError),
            ("seed", -1, ValueError), ("seed", 0.5, TypeError), ("order", 0, ValueError), ("order", 6, ValueError), ("gradient", "none", ValueError),
            ("gradient", "analytic", ValueError),
        ],
    )  # fmt: skip
    def test_options(self, name, value, error):
        options = {"stages": "syn", "device": "cpu", name: value}
        if name in ("sampling", "fraction", "seed", "order", "gradient"):  # of matrices
            options.update(stages="rigid", metric="cc")
        if name == "preset":
            del options["stages"]
        with pytest.raises(error, match=f"^{name}"):
            cudaspline.register(SMALL, SMALL, **options)

    def test_words_in_letters_of_any_size(self):
        same = [cudaspline.Stage("Affine", metric=metric, optimizer=optimizer) for metric, optimizer in (("CC", "Gradient-Descent"), ("cc", "gradient-descent"))]
        assert same[0] == same[1]
        options = {"iterations": 2, "shrink": (1,), "sigmas": (0,), "device": "cpu"}
        for name, value in (("metric", "CorrELation"), ("optimizer", "Conjugate-Gradient"), ("precision", "Float64")):
            found, wanted = (cudaspline.register(SMALL, SMALL[::-1].copy(), "translation", **{name: word}, **options) for word in (value, value.lower()))
            assert numpy.array_equal(found.transform.matrix, wanted.transform.matrix)

    def test_images(self):
        for wrong, error in (
            (numpy.zeros((4, 4, 4, 4)), ValueError), (numpy.zeros(9), ValueError), ("image.nii", TypeError), (numpy.zeros((4, 4), "c8"), TypeError),
            (numpy.full((8, 8), numpy.nan), ValueError),
        ):  # fmt: skip
            with pytest.raises(error, match="^fixed"):
                cudaspline.register(wrong, SMALL, "syn", device="cpu")
            with pytest.raises(error, match="^moving"):
                cudaspline.register(SMALL, wrong, "syn", device="cpu")
        with pytest.raises(ValueError, match="^moving: it has 3 axes, and fixed has 2"):
            cudaspline.register(SMALL, numpy.zeros((5, 6, 7)), "syn", initial="none")
        with pytest.raises(ValueError, match="^moving: it is the same everywhere.*'centre'"):
            cudaspline.register(SMALL, numpy.ones((5, 6)), "syn")

    def test_options_of_other_stages(self):
        with pytest.raises(ValueError, match="^learning_rate: .*'affine'"):
            cudaspline.Stage("affine", learning_rate=0.2)
        for kind, metric in (("demons", "cc"), ("greedy", "correlation"), ("syn", "correlation")):
            with pytest.raises(ValueError, match=f"^metric: '{metric}' is not for '{kind}'"):
                cudaspline.Stage(kind, metric=metric)
        assert cudaspline.Stage("demons").metric == "meansquares" and cudaspline.Stage("demons", learning_rate=0.1).learning_rate == 0.1
        with pytest.raises(ValueError, match="^step: .*'syn'"):
            cudaspline.Stage("syn", step=1.0)
        with pytest.raises(ValueError, match="^bins: .*'demons'"):
            cudaspline.Stage("demons", bins=20)
        with pytest.raises(ValueError, match="^metric: .*first pair of images alone"):
            cudaspline.Stage("affine", metric=["cc", "mattes"])
        for fraction, error in ((0, ValueError), (1.5, ValueError), ("all", TypeError)):
            with pytest.raises(error, match="^fraction"):
                cudaspline.Stage("affine", sampling="random", fraction=fraction)
        with pytest.raises(ValueError, match="^sampling: .*'syn'"):
            cudaspline.Stage("syn", sampling="regular")
        with pytest.raises(ValueError, match="^registration: .*leaves none of the 168 samples"):
            cudaspline.register(SMALL, SMALL, "rigid", sampling="random", fraction=1e-3, shrink=(1,), sigmas=(0,), device="cpu")
        with pytest.raises(ValueError, match="^iterations, shrink, sigmas: "):
            cudaspline.Stage("syn", iterations=(10, 5), shrink=(2,))
        with pytest.raises(ValueError, match="^preset: .*stages of its own"):
            cudaspline.register(SMALL, SMALL, "syn", preset="fast")
        # Said for all, they go to the stages that have them.
        found = cudaspline.register(SMALL, SMALL, ["affine", "syn"], learning_rate=0.2, step=0.5, iterations=0, device="cpu")
        assert [stage.stage.learning_rate for stage in found.report.stages] == [0.1, 0.2]

    def test_too_small_and_apart(self):
        thin = numpy.add.outer(numpy.arange(3.0), numpy.arange(30.0))
        with pytest.raises(ValueError, match="registration: .*3 samples along axis 1"):
            cudaspline.register(thin, thin, "syn", shrink=(1,), sigmas=(1,), initial="none", device="cpu")
        away = cudaspline.Image(SMALL, origin=(100, 100))
        with pytest.raises(ValueError, match="registration: .*do not overlap"):
            cudaspline.register(SMALL, away, "rigid", initial="none", device="cpu")

    def test_transforms(self, tmp_path):
        with pytest.raises(ValueError, match="^dimension"):
            cudaspline.Transform(None, 4)
        with pytest.raises(TypeError, match="^transform"):
            cudaspline.Transform(object(), 2)
        turn = cudaspline.Transform(numpy.eye(2), 2)
        with pytest.raises(ValueError, match="^points"):
            turn.apply([1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="^transform"):
            turn @ cudaspline.Transform(numpy.eye(3), 3)
        with pytest.raises(ValueError, match="^transform: .*2 dimensions"):
            cudaspline.resample(numpy.zeros((4, 4, 4)), turn)
        field = cudaspline.Transform(cudaspline.DisplacementField(numpy.zeros((4, 4, 2))), 2)
        with pytest.raises(ValueError, match="^transform: .*no matrix"):
            field.matrix
        with pytest.raises(ValueError, match="^path: "):
            field.save(tmp_path / "field.mat")
        with pytest.raises(ValueError, match="^grid: "):
            field.save(tmp_path / "field.nii.gz")
        with pytest.raises(ValueError, match="^dtype"):
            field.field(SMALL, "int16")
        with pytest.raises(ValueError, match="^transform: its matrix has no inverse"):
            cudaspline.Transform(numpy.zeros((2, 2)), 2).inverse().apply([1.0, 2.0])
