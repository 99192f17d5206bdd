"""cudaspline.register(): truths that are known.

Bounds of errors are fractions of a voxel: images are interpolated linearly, which moves the optimum
of a texture with waves of some ten voxels by about a hundredth of one, and steps below a thousandth
end a level.
"""

import os
import signal

import numpy
import pytest

import cudaspline
from conftest import difference
from register_support import SMALL, Phantom, miss
from test_resample import turned

KINDS = ["translation", "rigid", "similarity", "affine"]


class TestLinear:
    @pytest.mark.parametrize("size", [(48, 40), (36, 32, 24)])
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_finds_what_it_can_hold(self, rng, kind, size):
        phantom = Phantom(rng, size)
        truth = phantom.linear(rng, kind)
        fixed, moving = phantom.images(truth)
        found = cudaspline.register(
            fixed, moving, kind, metric="correlation", initial="none", iterations=200, device="cpu"
        )
        assert found.transform.is_linear and not found.stopped
        assert miss(found.transform, truth, phantom.inner()) < 0.1
        assert (
            difference(numpy.linalg.inv(found.transform.matrix), found.transform.inverse().matrix)
            < 1e-9
        )

    @pytest.mark.parametrize("metric", ["mattes", "meansquares", "cc"])
    @pytest.mark.parametrize(
        "optimizer", ["regular-step", "gradient-descent", "conjugate-gradient"]
    )
    def test_every_metric_and_optimizer(self, rng, metric, optimizer):
        phantom = Phantom(rng, (48, 40))
        truth = phantom.linear(rng, "rigid")
        fixed, moving = phantom.images(truth)
        found = cudaspline.register(
            fixed,
            moving,
            "rigid",
            metric=metric,
            optimizer=optimizer,
            step=0.3,
            iterations=100,
            initial="none",
            device="cpu",
            **{"mattes": {"bins": 24}, "cc": {"radius": 3}}.get(metric, {}),
        )
        # Mutual information of few voxels in few bins has its optimum somewhere in half a voxel.
        # Gradient descent goes steps of one length.
        bound = 0.5 if metric == "mattes" else 0.2
        assert miss(found.transform, truth, phantom.inner()) < bound + (
            0.3 if optimizer == "gradient-descent" else 0.0
        )

    @pytest.mark.parametrize("metric", ["mattes", "meansquares", "correlation"])
    @pytest.mark.parametrize("sampling", ["regular", "random"])
    def test_samples(self, rng, metric, sampling):
        phantom = Phantom(rng, (36, 32, 24))
        truth = phantom.linear(rng, "rigid")
        fixed, moving = phantom.images(truth)
        options = {
            "metric": metric,
            "sampling": sampling,
            "step": 0.5,
            "iterations": 60,
            "initial": "none",
            "device": "cpu",
        }
        found, same, other = (
            cudaspline.register(fixed, moving, "rigid", fraction=0.3, seed=seed, **options)
            for seed in (7, 7, 8)
        )
        # As of all voxels; of a third of them mutual information has some more noise.
        assert miss(found.transform, truth, phantom.inner()) < (0.5 if metric == "mattes" else 0.2)
        assert numpy.array_equal(found.transform.matrix, same.transform.matrix)
        assert not numpy.array_equal(found.transform.matrix, other.transform.matrix)

    @pytest.mark.parametrize(
        "gradient, order", [("filter", 1), ("differences", 3), ("analytic", 3)]
    )
    def test_gradients_and_orders(self, rng, gradient, order):
        phantom = Phantom(rng, (36, 32, 24))
        truth = phantom.linear(rng, "rigid")
        images = phantom.images(truth)
        plain, found = (
            cudaspline.register(
                *images,
                "rigid",
                metric="meansquares",
                iterations=60,
                initial="none",
                device="cpu",
                **options,
            )
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
        matrix[:2, :2] = [
            [numpy.cos(angle), -numpy.sin(angle)],
            [numpy.sin(angle), numpy.cos(angle)],
        ]

        def truth(places):
            return (places - phantom.middle) @ matrix.T + phantom.middle

        # What is within the images' reach whichever way they are turned, so that centres of gravity
        # belong to each other.
        away = lambda places: numpy.linalg.norm(
            (places - phantom.middle) / (0.4 * phantom.extent.min()), axis=-1
        )
        round_ = lambda places: numpy.clip(4 - 4 * away(places), 0, 1)
        places = phantom.places()
        fixed, moving = (
            phantom.image(phantom.texture(there) * round_(there) + round_(there))
            for there in (truth(places), places)
        )
        options = {"metric": "correlation", "device": "cpu", "iterations": 0}
        found, astray = (
            cudaspline.register(fixed, moving, "rigid", initial=initial, **options)
            for initial in ("search", "moments")
        )
        near = phantom.inner()
        near = near[away(near) < 0.7]
        # A search compares coarse images: it ends within half a sample, from where a stage
        # continues.
        assert miss(found.transform, truth, near) < 0.5
        assert miss(astray.transform, truth, near) > 3.0

    def test_a_search_that_finds_little_warns(self, rng):
        noise = [rng.standard_normal((40, 44)) for _ in range(2)]
        with pytest.warns(
            cudaspline.RegistrationWarning, match="explains .* % of the fixed image's entropy"
        ):
            cudaspline.register(*noise, "rigid", initial="search", iterations=0, device="cpu")

    def test_a_stage_goes_on_where_the_one_before_has_ended(self, rng):
        phantom = Phantom(rng, (36, 32, 24))
        # A rigid transform, and a stretch that no rigid one does: the small affine ones of linear()
        # may be rigid almost.
        turn, axis = phantom.linear(rng, "rigid"), turned(rng, 3)[0]
        stretch = numpy.eye(3) + 0.06 * numpy.outer(axis, axis)

        def truth(places):
            return turn((places - phantom.middle) @ stretch + phantom.middle)

        fixed, moving = phantom.images(truth)
        both = cudaspline.register(
            fixed, moving, metric="correlation", device="cpu"
        )  # rigid and affine
        assert [stage.stage.kind for stage in both.report.stages] == ["rigid", "affine"]
        assert len(both.transform._parts) == 1  # the affine one stands for both
        rigid = cudaspline.register(fixed, moving, "rigid", metric="correlation", device="cpu")
        assert (
            miss(both.transform, truth, phantom.inner())
            < 0.1
            < miss(rigid.transform, truth, phantom.inner())
        )

    def test_initial(self, rng):
        phantom = Phantom(rng, (40, 36))
        shift = numpy.array([11.0, -7.0])
        far = phantom.image(phantom.texture(phantom.places()))
        near = cudaspline.Image(far.array, far.spacing, far.origin - shift, far.direction)
        for initial in (
            "moments",
            "centre",
            numpy.array([[1, 0, shift[0]], [0, 1, shift[1]]]),
            cudaspline.Transform([[1, 0, 11.0], [0, 1, -7.0]], 2),
        ):
            start = cudaspline.register(
                near, far, "rigid", initial=initial, iterations=0, device="cpu"
            )
            assert (
                difference(start.transform.apply(phantom.middle - shift), phantom.middle) < 1e-6
            ), initial
        assert (
            difference(
                cudaspline.register(
                    near, far, "rigid", initial="none", iterations=0
                ).transform.matrix,
                numpy.eye(3),
            )
            == 0
        )

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
        in_place = cudaspline.Image(mask == 1, fixed.spacing, fixed.origin, fixed.direction)
        for given in (
            mask, cudaspline.Image(mask * 1.5, fixed.spacing, fixed.origin, fixed.direction), numpy.where(mask, 1.0, numpy.nan), mask == 1, in_place,
            (mask == 1).tolist(),
        ):  # fmt: skip
            masked = cudaspline.register(spoiled, moving, "translation", mask=given, **options)
            assert (
                miss(masked.transform, truth, places) < 0.1 < miss(plain.transform, truth, places)
            )
        # What is not finite lies outside, too.
        spoiled.array[:, 30:] = numpy.nan
        with pytest.warns(cudaspline.RegistrationWarning, match="^fixed: 720 of 1920"):
            found = cudaspline.register(spoiled, moving, "translation", **options)
        assert miss(found.transform, truth, places) < 0.1


class TestDenseSearch:
    def test_it_finds_what_is_longer_than_the_waves(self, rng):
        phantom = Phantom(rng, (60, 52), oblique=False)
        shift = numpy.array([11.0, -9.6])
        truth = lambda places: places + shift  # noqa: E731
        fixed, moving = phantom.images(truth)
        searched = cudaspline.register(fixed, moving, "discrete", initial="none", device="cpu")
        assert [stage.stage.kind for stage in searched.report.stages] == ["discrete"]
        assert len(searched.report.stages[0].levels) == 1
        places = phantom.inner()
        away = miss(searched.transform, truth, places)
        assert away < 4.0  # two steps, at the border of the overlap
        refined = cudaspline.register(
            fixed,
            moving,
            [
                "discrete",
                cudaspline.Stage("greedy", iterations=(40, 30), radius=2, learning_rate=0.25),
            ],
            initial="none",
            device="cpu",
        )
        assert miss(refined.transform, truth, places) < away
        back = searched.transform.inverse().apply(searched.transform.apply(places))
        assert numpy.median(numpy.linalg.norm(back - places, axis=-1)) < 0.1

    def test_options(self):
        stage = cudaspline.Stage("discrete", iterations=3, search_radius=5, symmetric=False)
        assert stage.levels == ((1, 0.0, 3),) and stage.metric == "mind" and stage.is_deformable
        assert (stage.control_spacing, stage.search_step, stage.shrink) == (4, 2, None)
        with pytest.raises(ValueError, match="^search_step: 5 is more than control_spacing, 4"):
            cudaspline.Stage("discrete", search_step=5)
        with pytest.raises(
            ValueError, match="^metric: 'cc' cannot be used with 'discrete'; allowed are 'mind'"
        ):
            cudaspline.Stage("discrete", metric="cc")
        with pytest.raises(ValueError, match="^shrink: .*'discrete'"):
            cudaspline.Stage("discrete", shrink=(2, 1))
        with pytest.raises(ValueError, match="^coupling: .*'syn'"):
            cudaspline.Stage("syn", coupling=0.1)


class TestFields:
    @pytest.mark.parametrize("size", [(56, 48), (36, 32, 24)])
    @pytest.mark.parametrize("kind", ["syn", "greedy", "demons", "tvf"])
    def test_it_finds_a_bend(self, rng, kind, size):
        phantom = Phantom(rng, size)
        truth = phantom.bend()
        fixed, moving = phantom.images(truth)
        options = {} if kind == "demons" else {"radius": 2, "learning_rate": 0.25}
        found = cudaspline.register(
            fixed, moving, kind, iterations=(40, 30), initial="none", device="cpu", **options
        )
        places = phantom.inner()
        still = cudaspline.Transform(numpy.eye(phantom.n), phantom.n)
        # With many phantoms SyN left 0.06 to 0.21 of the bend, the greedy one 0.1 to 0.54, a velocity
        # field that varies in time 0.09 to 0.45.
        assert miss(found.transform, truth, places) < {
            "syn": 0.35,
            "greedy": 0.7,
            "demons": 0.5,
            "tvf": 0.6,
        }[kind] * miss(still, truth, places)
        assert (
            numpy.abs(found.warped.array - fixed.array).mean()
            < 0.4 * numpy.abs(moving.array - fixed.array).mean()
        )
        assert found.warped.geometry == fixed.geometry
        # There and back, to a part of a voxel: the inverse has the level's tolerance, a tenth.
        back = found.transform.inverse().apply(found.transform.apply(places))
        assert numpy.linalg.norm(back - places, axis=-1).max() < 0.3
        assert (
            numpy.abs(found.inverse_warped.array - moving.array).mean()
            < 0.5 * numpy.abs(moving.array - fixed.array).mean()
        )
        assert found.folding.voxels == 0
        assert found.folding.all == numpy.prod(size)

    @pytest.mark.parametrize(
        "kind, optimizer",
        [
            *(("greedy", optimizer) for optimizer in ("fixed-step", "momentum", "adam")),
            ("syn", "adam"),
            pytest.param("syn", "fixed-step", marks=pytest.mark.long),
            pytest.param("syn", "momentum", marks=pytest.mark.long),
        ],
    )
    def test_optimizers_of_fields(self, rng, kind, optimizer):
        phantom = Phantom(rng, (36, 32, 24))
        truth = phantom.bend()
        fixed, moving = phantom.images(truth)
        options = {
            "radius": 2,
            "learning_rate": 0.25,
            "iterations": (40, 30),
            "initial": "none",
            "device": "cpu",
        }
        found = cudaspline.register(
            fixed,
            moving,
            kind,
            optimizer=optimizer,
            determinant_limit=8,
            inversion="anderson",
            **options,
        )
        places = phantom.inner()
        still = cudaspline.Transform(numpy.eye(phantom.n), phantom.n)
        assert miss(found.transform, truth, places) < 0.7 * miss(still, truth, places)
        # Each inverse is computed to a thousandth of a voxel of its level, or a hundredth at the end; SyN's is composed of two.
        back = found.transform.inverse().apply(found.transform.apply(places))
        assert numpy.linalg.norm(back - places, axis=-1).max() < 0.3
        assert found.folding.voxels == 0
        stage = found.report.stages[0].stage
        assert (stage.optimizer, stage.determinant_limit, stage.inversion) == (
            optimizer,
            8,
            "anderson",
        )
        plain = cudaspline.register(fixed, moving, kind, **options)
        assert (
            plain.report.stages[0].stage.optimizer,
            plain.report.stages[0].stage.determinant_limit,
        ) == ("fixed-step", None)
        if optimizer != "fixed-step":
            assert not numpy.array_equal(plain.field.array, found.field.array)

    def test_determinants_are_limited(self, rng):
        phantom = Phantom(rng, (36, 32, 24))
        fixed, moving = phantom.images(phantom.bend())
        options = {
            "radius": 2,
            "learning_rate": 0.25,
            "update_variance": 1,
            "iterations": (20, 10),
            "initial": "none",
            "device": "cpu",
        }
        for kind in ("syn", "greedy", "tvf"):

            def logarithms(limit):
                found = cudaspline.register(fixed, moving, kind, determinant_limit=limit, **options)
                return numpy.log(numpy.maximum(found.jacobian().array, 1e-3))

            free = logarithms(1e6)  # of no effect
            largest = numpy.abs(free).max()
            limited = logarithms(numpy.exp(0.5 * largest))
            assert numpy.abs(limited).max() < 0.85 * largest
            assert limited.std() < free.std()

    def test_fields_behind_matrices(self, rng):
        phantom = Phantom(rng, (36, 32, 24))
        bend, linear = phantom.bend(1.5), phantom.linear(rng, "affine")
        fixed, moving = phantom.images(lambda places: linear(bend(places)))
        found = cudaspline.register(
            fixed,
            moving,
            [
                cudaspline.Stage("affine", metric="correlation"),
                cudaspline.Stage("syn", radius=2, iterations=(40, 20)),
            ],
            device="cpu",
        )
        first = cudaspline.register(fixed, moving, "affine", metric="correlation", device="cpu")
        truth = lambda places: linear(bend(places))  # noqa: E731
        places = phantom.inner()
        # 0.37 to 0.52 of it were seen: twenty iterations at full size are not the end.
        assert miss(found.transform, truth, places) < 0.7 * miss(first.transform, truth, places)
        assert [stage.stage.kind for stage in found.report.stages] == ["affine", "syn"]

    def test_the_field_and_its_determinants(self, rng):
        """Of a matrix they are known: u(x) = T(x) - x, and the determinant is that of the matrix,
        on any grid."""
        for size in ((20, 17), (14, 12, 9)):
            phantom = Phantom(rng, size)
            n = phantom.n
            matrix = numpy.hstack(
                [numpy.eye(n) + rng.uniform(-0.2, 0.2, (n, n)), rng.uniform(-1, 1, (n, 1))]
            )
            image = phantom.image(phantom.texture(phantom.places()))
            found = cudaspline.register(
                image,
                image,
                "translation",
                initial=matrix,
                iterations=0,
                precision="float64",
                device="cpu",
            )
            places = phantom.places()
            moved = places @ matrix[:, :n].T + matrix[:, n]
            assert (
                found.field.array.dtype == numpy.float64
                and difference(found.field.array, moved - places) < 1e-7
            )
            determinant = numpy.linalg.det(matrix[:, :n])
            assert difference(found.jacobian().array, numpy.full(size[::-1], determinant)) < 1e-6
            assert (
                difference(
                    found.jacobian(log=True).array, numpy.full(size[::-1], numpy.log(determinant))
                )
                < 1e-6
            )
            with pytest.raises(TypeError, match="^log: 'yes'"):
                found.jacobian(log="yes")
            assert found.folding.voxels == 0 and abs(found.folding.least - determinant) < 1e-6
        mirrored = cudaspline.register(
            image,
            image,
            "translation",
            initial=numpy.diag([1.0, 1, -1]),
            iterations=0,
            device="cpu",
        )
        assert mirrored.folding.voxels == mirrored.folding.all == numpy.prod(size)

    def test_coarse_levels_alone(self, rng):
        phantom = Phantom(rng, (41, 38))
        fixed, moving = phantom.images(phantom.bend())
        found = cudaspline.register(
            fixed,
            moving,
            "syn",
            radius=2,
            iterations=(20,),
            shrink=(3,),
            sigmas=(1,),
            initial="none",
            device="cpu",
        )
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
            fixed,
            moving,
            "bspline",
            metric=metric,
            radius=2 if metric == "cc" else None,
            grid_spacing=spacing,
            iterations=(30, 20),
            initial="none",
            device="cpu",
        )
        places = phantom.inner()
        still = cudaspline.Transform(numpy.eye(phantom.n), phantom.n)
        # As fields do, and those have ten times as many numbers.
        assert miss(found.transform, truth, places) < 0.5 * miss(still, truth, places)
        assert (
            numpy.abs(found.warped.array - fixed.array).mean()
            < 0.4 * numpy.abs(moving.array - fixed.array).mean()
        )
        grid = found.transform._parts[0].transform
        extent = phantom.geometry.spacing * (numpy.array(size) - 1)
        cells = numpy.array(grid.coefficients.shape[:0:-1]) - 3
        assert (cells == numpy.floor(extent / spacing + 0.5)).all()
        assert numpy.allclose(grid.spacing * cells, extent, rtol=1e-12)
        # The first node is a cell before the first sample.
        first = phantom.geometry.origin - phantom.geometry.direction @ numpy.asarray(grid.spacing)
        assert difference(numpy.asarray(grid.origin), first) < 1e-12
        # The last samples are on the grid's border, and are moved as their neighbours.
        size_of = numpy.array(phantom.geometry.size)
        for axis in range(phantom.n):
            last = numpy.where(numpy.arange(phantom.n) == axis, size_of - 1.0, size_of // 2)
            there = [
                phantom.geometry.direction @ (index * phantom.geometry.spacing)
                + phantom.geometry.origin
                for index in (last, last - 1e-6)
            ]
            moves = [found.transform.apply(place) - place for place in there]
            assert difference(*moves) < 1e-4
            assert difference(found.field.array[tuple(last[::-1].astype(int))], moves[0]) < 1e-4
        counts = [level.iterations for level in found.report.stages[0].levels]
        assert (
            15 < counts[0] <= 30 and 10 < counts[1] <= 20 and len(found.history) == sum(counts)
        )  # a line search may end a level
        assert found.history["step"][0] == 0 and (found.history["step"][1 : counts[0]] > 0).all()

    @pytest.mark.parametrize(
        "name, weight",
        [("bending_energy", 1e6), ("linear_elasticity", 1e6), ("total_variation", 1e6)],
    )
    def test_regularizers(self, rng, name, weight):
        fixed, moving = (phantom := Phantom(rng, (56, 48))).images(phantom.bend())

        def register(**options):
            return cudaspline.register(
                fixed,
                moving,
                "bspline",
                metric="meansquares",
                grid_spacing=6,
                iterations=20,
                initial="none",
                device="cpu",
                **options,
            )

        def bending(found):  # mean of the squared second differences of the coefficients
            coefficients = found.transform._parts[0].transform.coefficients
            return sum((numpy.diff(coefficients, 2, axis=axis) ** 2).mean() for axis in (1, 2))

        free, same, stiff = register(), register(**{name: 0}), register(**{name: weight})
        assert (free.field.array == same.field.array).all()
        assert bending(stiff) < 0.2 * bending(free)
        assert stiff.report.stages[0].levels[-1].value > free.report.stages[0].levels[-1].value
        with pytest.raises(ValueError, match=f"^{name}: -1"):
            cudaspline.Stage("bspline", **{name: -1})
        with pytest.raises(ValueError, match=f"^{name}: .*'syn'"):
            cudaspline.Stage("syn", **{name: 1})

    @pytest.mark.parametrize("size", [(42, 38), (26, 24, 22)])
    def test_jacobian_penalty_prevents_folds(self, rng, size):
        phantom = Phantom(rng, size)
        fixed, moving = phantom.images(phantom.bend())
        # Noise that nothing matches: displacements fold to follow it.
        fixed = phantom.image(fixed.array + rng.normal(0, 60, fixed.array.shape))

        def register(**options):
            return cudaspline.register(
                fixed,
                moving,
                "bspline",
                metric="cc",
                radius=2,
                grid_spacing=4,
                iterations=(40, 40),
                initial="none",
                device="cpu",
                **options,
            )

        free, limited = register(), register(jacobian_penalty=0.1)
        assert free.folding.voxels > 0
        assert limited.folding.voxels == 0 and limited.folding.least > 0.1

    @pytest.mark.parametrize(
        "name, weight",
        [
            ("bending_energy", 1.0),
            ("linear_elasticity", 1.0),
            ("total_variation", 0.3),
            ("jacobian_penalty", 10.0),
        ],
    )
    @pytest.mark.parametrize("size", [(42, 38), (26, 24, 22)])
    def test_regularizers_of_greedy(self, rng, name, weight, size):
        """Each energy makes the field that follows noise smoother; a weight of 0 changes nothing."""
        phantom = Phantom(rng, size)
        fixed, moving = phantom.images(phantom.bend())
        fixed = phantom.image(fixed.array + rng.normal(0, 60, fixed.array.shape))

        def register(**options):
            return cudaspline.register(
                fixed,
                moving,
                "greedy",
                metric="lncc",
                radius=2,
                update_variance=1,
                iterations=(40, 40),
                convergence=-1,
                initial="none",
                device="cpu",
                **options,
            )

        def energy(found):
            field = numpy.asarray(found.field, dtype=float)
            axes = range(field.ndim - 1)  # slowest first, as those of indices
            if name == "bending_energy":
                return sum((numpy.diff(field, 2, axis=axis) ** 2).mean() for axis in axes)
            if name == "jacobian_penalty":
                determinant = numpy.asarray(found.jacobian().array)
                return (numpy.log(numpy.maximum(determinant, 1e-3)) ** 2).mean()
            by_index = numpy.stack([numpy.gradient(field, axis=axis) for axis in axes][::-1], -1)
            gradient = by_index @ fixed.geometry.point_to_index
            if name == "linear_elasticity":
                return ((gradient + numpy.swapaxes(gradient, -1, -2)) ** 2).sum((-1, -2)).mean()
            return numpy.sqrt((gradient**2).sum((-1, -2))).mean()

        free, same, stiff = register(), register(**{name: 0}), register(**{name: weight})
        assert (free.field.array == same.field.array).all()
        assert energy(stiff) < 0.6 * energy(free)
        assert numpy.abs(stiff.field.array).max() > 0.3  # it moves
        with pytest.raises(ValueError, match=f"^{name}: -1"):
            cudaspline.Stage("greedy", **{name: -1})
        for kind in ("syn", "tvf", "demons", "affine"):
            with pytest.raises(ValueError, match=f"^{name}: .*'{kind}'"):
                cudaspline.Stage(kind, **{name: 1})

    @pytest.mark.parametrize("metric, is_masked", [("lncc", False), ("meansquares", True)])
    def test_regularizers_of_greedy_lower_the_sum(self, rng, metric, is_masked):
        """The metric plus the energy is at most what it is at the field without energy, also where few samples are
        valid."""
        phantom = Phantom(rng, (40, 44))
        fixed, moving = phantom.images(phantom.bend())
        mask = numpy.zeros(fixed.array.shape, "u1")
        mask[14:24, 12:22] = 1

        def register(weight):
            found = cudaspline.register(
                fixed,
                moving,
                "greedy",
                metric=metric,
                bending_energy=weight,
                iterations=60,
                convergence=-1,
                initial="none",
                mask=mask if is_masked else None,
                device="cpu",
            )
            return found, found.report.stages[0].levels[-1].value

        free, value = register(0)
        field = numpy.asarray(free.field, dtype=float)
        along = [numpy.diff(field, 2, axis=axis) for axis in (0, 1)]
        mixed = numpy.gradient(numpy.gradient(field, axis=0), axis=1)
        energy = sum((one**2).sum(-1).mean() for one in along) + 2 * (mixed**2).sum(-1).mean()
        weight = 0.02 * abs(value) / energy
        stiff, total = register(weight)
        assert total <= value + 1.5 * weight * energy
        assert numpy.abs(stiff.field.array).max() > 0.3 * numpy.abs(free.field.array).max()

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
        assert (
            numpy.linalg.norm(back - places, axis=-1).max() < 0.01
        )  # an iteration that ends at a part of a sample

    def test_options(self):
        stage = cudaspline.Stage("BSpline")
        assert (stage.kind, stage.metric, stage.optimizer, stage.grid_spacing) == (
            "bspline",
            "mattes",
            "lbfgs",
            None,
        )
        for name, value in (
            ("convergence", 1e-6),
            ("minimum_step", 1.0),
            ("learning_rate", 0.2),
            ("optimizer", "conjugate-gradient"),
        ):
            with pytest.raises(ValueError, match=f"^{name}: "):
                cudaspline.Stage("bspline", **{name: value})
        for value, error in (
            (0, ValueError),
            ((1, 2, 3, 4), ValueError),
            ("wide", TypeError),
            ((1, "2"), TypeError),
        ):
            with pytest.raises(error, match="^grid_spacing: "):
                cudaspline.Stage("bspline", grid_spacing=value)
        with pytest.raises(ValueError, match="^grid_spacing: .*2 axes"):
            cudaspline.register(SMALL, SMALL, "bspline", grid_spacing=(3, 3, 3), device="cpu")
        with pytest.raises(ValueError, match="^optimizer: "):
            cudaspline.Stage("affine", optimizer="lbfgs")
        # Said for all, they go to the stages that have them.
        found = cudaspline.register(
            SMALL,
            SMALL,
            ["affine", "bspline"],
            optimizer="gradient-descent",
            grid_spacing=5,
            iterations=0,
            device="cpu",
        )
        assert [stage.stage.optimizer for stage in found.report.stages] == [
            "gradient-descent",
            "lbfgs",
        ]
        assert found.transform._parts[-1].transform.coefficients.shape == (
            2,
            5,
            6,
        )  # 13 by 11 mm are 3 by 2 cells
        assert not found.transform._parts[-1].transform.coefficients.any()

    def test_a_cell_is_the_least(self):
        found = cudaspline.register(
            SMALL,
            SMALL + 1.0,
            "bspline",
            grid_spacing=1e6,
            metric="correlation",
            shrink=(1,),
            sigmas=(0,),
            device="cpu",
        )
        assert found.transform._parts[-1].transform.coefficients.shape == (2, 4, 4)


class TestKinds:
    """Images of every library, and what comes back."""

    @pytest.mark.parametrize("kind", ["numpy", "Image", "SimpleITK", "itk", "nibabel", "jax"])
    def test_the_same_of_each(self, rng, kind):
        phantom = Phantom(rng, (20, 18, 14), oblique=False, spacing=numpy.ones(3))
        fixed, moving = phantom.images(phantom.bend(1.0))
        fixed, moving = (
            cudaspline.Image(image.array) for image in (fixed, moving)
        )  # indices, which all of them have
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
        whole = [
            cudaspline.Image(image.array.astype("i2"), image.spacing, image.origin, image.direction)
            for image in (fixed, moving)
        ]
        of_real = [
            cudaspline.Image(image.array.astype("f4"), image.spacing, image.origin, image.direction)
            for image in whole
        ]
        found, wanted = (
            cudaspline.register(*images, "greedy", radius=2, iterations=5, device="cpu")
            for images in (whole, of_real)
        )
        assert (
            numpy.array_equal(found.warped.array, wanted.warped.array)
            and found.warped.array.dtype == "f4"
        )
        double = cudaspline.register(
            *of_real, "greedy", radius=2, iterations=5, precision="float64", device="cpu"
        )
        assert (
            double.warped.array.dtype == "f8"
            and difference(double.field.array, wanted.field.array) < 0.01
        )

    def test_threads_change_nothing(self, rng):
        phantom = Phantom(rng, (24, 22, 16))
        fixed, moving = phantom.images(phantom.bend(1.0))
        for stages in ("syn", "affine"):
            one, more = (
                cudaspline.register(
                    fixed, moving, stages, iterations=(8, 4), device="cpu", threads=n
                )
                for n in (1, 3)
            )
            assert numpy.array_equal(one.field.array, more.field.array)

    @pytest.mark.gpu
    @pytest.mark.parametrize("library", ["torch", "cupy"])
    def test_tensors_stay_on_the_gpu(self, rng, library):
        module = pytest.importorskip(library)
        phantom = Phantom(rng, (36, 32, 24))
        fixed, moving = phantom.images(phantom.bend())
        put = (lambda a: module.from_numpy(a).cuda()) if library == "torch" else module.asarray
        there = [
            cudaspline.Image(put(image.array), image.spacing, image.origin, image.direction)
            for image in (fixed, moving)
        ]
        options = dict(stages=["affine", "syn"], radius=2, iterations=(30, 20), precision="float64")
        wanted = cudaspline.register(fixed, moving, device="cpu", **options)
        found = cudaspline.register(*there, **options)
        assert found.report.stages[-1].execution.backend == "Cuda"
        for array in (found.warped.array, found.field.array, found.jacobian().array):
            assert type(array) is type(there[0].array) and (
                array.is_cuda if library == "torch" else True
            )
        host = found.field.array.cpu().numpy() if library == "torch" else found.field.array.get()
        # Bodies are the same, sums of metrics in another order: where a norm is close to its
        # tolerance, an inversion has one iteration more or less, which moves the field by some part
        # of that (0.1 of a spacing at most).
        assert difference(host, wanted.field.array) < 0.02
        assert (
            difference(
                found.transform.apply(phantom.inner()), wanted.transform.apply(phantom.inner())
            )
            < 0.02
        )


class TestTold:
    def test_history_and_report(self, rng):
        phantom = Phantom(rng, (40, 36))
        fixed, moving = phantom.images(phantom.bend())
        fractions = []
        found = cudaspline.register(
            fixed,
            moving,
            ["rigid", "syn"],
            radius=2,
            iterations=(8, 5),
            device="cpu",
            progress=fractions.append,
        )
        history = found.history
        assert (
            len(history)
            == len(fractions)
            == sum(level.iterations for stage in found.report.stages for level in stage.levels)
        )
        assert fractions == sorted(fractions) and 0 < fractions[0] and fractions[-1] <= 1
        assert set(history["stage"]) == {0, 1} and set(history["level"]) <= {0, 1}
        assert (
            all(history["step"][history["stage"] == 0] > 0)
            and not history["step"][history["stage"] == 1].any()
        )
        assert history[-1].value == found.report.stages[-1].levels[-1].value == history["value"][-1]
        assert [len(column) for column in history.to_dict().values()] == [len(history)] * 6
        assert "syn, cc, on Cpu" in str(found.report) and "metric" in repr(history).replace(
            "value", "metric"
        )
        with pytest.raises(KeyError, match="stage"):
            history["steps"]
        assert found.report.stages[0].levels[0].end and found.report.seconds > 0

    def test_history_is_drawn(self, rng):
        """A line a level, on new axes and on those of the caller."""
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
        from matplotlib import pyplot

        image = Phantom(rng, (40, 36)).images(lambda places: places + 0.5)
        history = cudaspline.register(
            *image, "translation", metric="meansquares", iterations=(4, 3), device="cpu"
        ).history
        axes = history.plot()
        try:
            assert [line.get_label() for line in axes.get_lines()] == [
                "stage 1, level 1",
                "stage 1, level 2",
            ]
            drawn = numpy.concatenate([line.get_xydata() for line in axes.get_lines()])
            assert numpy.array_equal(
                drawn, numpy.stack([numpy.arange(1, len(history) + 1), history["value"]], -1)
            )
            assert axes.get_xlabel() and axes.get_ylabel() and axes.get_legend() is not None
            assert history.plot(axes) is axes and len(axes.get_lines()) == 4
            # One panel per stage: values of different metrics cannot be compared.
            two = cudaspline.History([*history, *(one._replace(stage=1) for one in history)])
            panels = two.plot()
            assert panels.shape == (2,) and [
                line.get_label() for line in panels[1].get_lines()
            ] == ["stage 2, level 1", "stage 2, level 2"]
            assert len(two.plot(pyplot.figure().add_subplot()).get_lines()) == 4
            with pytest.raises(ValueError, match="^axes: 3 are given for 2 stages"):
                two.plot([axes] * 3)
        finally:
            pyplot.close("all")

    def test_a_level_ends_where_values_hardly_fall(self, rng):
        phantom = Phantom(rng, (40, 36))
        fixed, moving = phantom.images(phantom.bend())
        found = cudaspline.register(
            fixed,
            moving,
            "syn",
            radius=2,
            iterations=200,
            shrink=(1,),
            sigmas=(1,),
            convergence=1e-3,
            device="cpu",
        )
        level = found.report.stages[0].levels[0]
        assert level.iterations < 200 and level.end == "values hardly fall any more"
        assert found.history[-1].convergence < 1e-3 <= found.history[-2].convergence
        assert numpy.isinf(found.history["convergence"][:9]).all()

    @pytest.mark.parametrize(
        "stages", [["syn", "affine"], ["affine", "syn"], ["greedy"], ["bspline", "affine"]]
    )
    def test_an_interrupt_keeps_the_best_so_far(self, rng, stages):
        phantom = Phantom(rng, (40, 36))
        fixed, moving = phantom.images(phantom.bend())
        told = []
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # a shell has its background jobs ignore it

        def interrupt(fraction):
            told.append(fraction)
            if len(told) == 4:
                os.kill(os.getpid(), signal.SIGINT)

        with pytest.warns(cudaspline.RegistrationWarning, match="interrupted"):
            found = cudaspline.register(
                fixed,
                moving,
                stages,
                metric="cc",
                radius=2,
                initial="none",
                device="cpu",
                progress=interrupt,
            )
        assert found.stopped and len(found.report.stages) == 1 and 4 <= len(found.history) <= 5
        assert found.field.shape == (36, 40, 2)
        if stages[0] in ("syn", "greedy"):
            assert found.transform._parts[0].geometry == fixed.geometry  # through all levels
        # It is what as many iterations find; of a matrix, what those before the best value do,
        # which may be the start's.
        done = numpy.argmin(found.history["value"]) if stages[0] == "affine" else len(found.history)
        iterations = (int(done), *[0] * (len(found.report.stages[0].levels) - 1))
        wanted = cudaspline.register(
            fixed,
            moving,
            stages[0],
            metric="cc",
            radius=2,
            iterations=iterations,
            initial="none",
            device="cpu",
        )
        assert numpy.array_equal(found.warped.array, wanted.warped.array)
        assert done == 0 or not numpy.array_equal(
            found.field.array, numpy.zeros_like(found.field.array)
        )
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
        cudaspline.register(
            fixed, moving, "greedy", radius=2, iterations=(3, 2), device="cpu", progress=True
        )
        lines = capsys.readouterr().err.splitlines()
        assert [line.partition(":")[0] for line in lines] == [
            "greedy, level 1 of 2",
            "greedy, level 2 of 2",
        ]
        cudaspline.register(fixed, moving, "greedy", radius=2, iterations=(3, 2), device="cpu")
        assert capsys.readouterr().err == ""
