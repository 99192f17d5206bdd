"""cudaspline.register() of several pairs of images, as channels of one scan."""

import numpy
import pytest

import cudaspline
from conftest import difference

SMALL_PAIR = tuple(numpy.add.outer(numpy.arange(12.0) ** 2, n * numpy.arange(14.0)) for n in (1, 2))
FAR = cudaspline.Image(numpy.arange(81.0).reshape(9, 9), origin=(1e4, 0))


class TestPairs:
    """Two channels, each with waves along one axis: cudaspline_register_deformable_pairs, and
    register(also=)."""

    SIZE = 40

    def channels(self):
        """(fixed, moving) of each, and the displacements between them, about as long along either
        axis."""
        y, x = numpy.mgrid[: self.SIZE, : self.SIZE].astype(float)
        truth = numpy.stack(
            [
                1.5 * numpy.sin(0.16 * y + 0.4) * numpy.sin(0.2 * x),
                1.5 * numpy.sin(0.18 * x) * numpy.sin(0.15 * y + 1),
            ],
            axis=-1,
        )
        moved = [x + truth[..., 0], y + truth[..., 1]]

        def wave(place):
            return 100 + 50 * numpy.cos(0.55 * place + 0.3) + 20 * numpy.cos(0.21 * place)

        return [(wave(to), wave(place)) for place, to in zip((x, y), moved)], truth

    def run(self, channels, pairs, kind="greedy"):
        """Displacements, and the value of the first iteration. pairs: metric, bins and weight of
        each."""
        metric = [(name, weight) for name, _, weight in pairs]
        bins = [count for name, count, _ in pairs if name == "mattes"]
        options = {"bins": max(32, *bins)} if bins else {}
        found = self.registered(channels[: len(pairs)], kind, metric=metric, **options)
        return found.field.array, found.history[0].value

    @pytest.mark.parametrize(
        "kind, metric",
        [
            ("syn", "meansquares"),
            ("greedy", "meansquares"),
            ("greedy", "cc"),
            ("syn", "mattes"),
            ("tvf", "meansquares"),
        ],
    )
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

    def registered(self, channels, kind="greedy", also=None, **options):
        """What register() finds."""
        given = options.get("metric") or "cc"
        entries = [given] if isinstance(given, str) else given
        metrics = [one if isinstance(one, str) else one[0] for one in entries]
        options = {
            "radius": 2 if kind != "demons" and "cc" in metrics else None,
            "learning_rate": 0.25,
            "shrink": (2, 1),
            "sigmas": (1, 0),
            "iterations": (60, 40),
            "initial": "none",
            **options,
        }
        also = channels[1:] if also is None else also
        return cudaspline.register(
            *(cudaspline.Image(one, 1) for one in channels[0]),
            kind,
            also=also,
            precision="float64",
            device="cpu",
            **options,
        )

    @pytest.mark.parametrize("kind", ["syn", "greedy", "tvf"])
    def test_the_report_names_metrics(self, kind):
        channels, _ = self.channels()
        found = self.registered(channels, kind, metric=[("cc", 0.7), ("mattes", 0.3)], bins=32)
        assert found.report.stages[0].stage.metric == (
            ("cc", 0.7),
            ("mattes", 0.3),
        ) and "cc:0.7, mattes:0.3" in str(found.report)
        assert found.warped.shape == channels[0][0].shape

    def test_one_metric_of_fields(self):
        """A list of one pair, weights that cancel, and fields by other metrics than "cc"."""
        channels, _ = self.channels()
        for metric in ("cc", "meansquares", "mattes"):
            fields = [
                self.registered(channels, also=(), metric=one).field.array
                for one in (metric, [metric], [(metric, 3.0)])
            ]
            assert numpy.array_equal(fields[0], fields[1]) and numpy.array_equal(
                fields[0], fields[2]
            )

    def test_pairs_have_grids_of_their_own(self):
        """A second channel with half of the samples: cosines are the same there, where both are
        sampled at the same points."""
        channels, truth = self.channels()
        coarse = [cudaspline.Image(image[::2, ::2].copy(), spacing=(2, 2)) for image in channels[1]]
        inner = (slice(10, 30),) * 2
        before = numpy.abs(truth)[inner].mean(axis=(0, 1))
        for pair in (coarse, (channels[1][0], coarse[1]), (coarse[0], channels[1][1])):
            found = self.registered(channels, metric=["meansquares"] * 2, also=[pair])
            assert (
                numpy.abs(found.field.array - truth)[inner].mean(axis=(0, 1)) < 0.8 * before
            ).all()

    def test_masks_and_what_is_not_finite_of_all_pairs(self):
        channels, _ = self.channels()
        mask = numpy.ones((self.SIZE, self.SIZE), "u1")
        mask[:, 30:] = 0
        options = {"metric": ["meansquares"] * 2, "iterations": (8, 4), "mask": mask}
        wanted = self.registered(channels, **options)
        spoiled = [(one.copy(), other) for one, other in channels]
        spoiled[1][0][:, 34:] = (
            1e5  # no level's Gaussian brings it back under the mask: of smoothed images all have their masks
        )
        assert not numpy.array_equal(
            self.registered(spoiled, **{**options, "mask": None}).field.array, wanted.field.array
        )
        shrunk = {"shrink": (1,), "sigmas": (0,), "iterations": 8}
        wanted, found = (
            self.registered(images, **{**options, **shrunk}) for images in (channels, spoiled)
        )
        assert numpy.array_equal(found.field.array, wanted.field.array)
        spoiled[1][0][:, 34:] = numpy.nan
        with pytest.warns(cudaspline.RegistrationWarning, match=r"^also\[0\]\[0\]: 240 of 1600"):
            found = self.registered(spoiled, **{**options, **shrunk})
        assert numpy.array_equal(found.field.array, wanted.field.array)

    def test_quantiles_of_all_pairs(self):
        channels, _ = self.channels()
        cut = [
            tuple(numpy.clip(image, *numpy.quantile(image, (0.1, 0.9))) for image in pair)
            for pair in channels
        ]
        options = {"metric": ["meansquares"] * 2, "iterations": (8, 4)}
        given = ((channels, (0.1, 0.9)), (cut, None), (channels, None))
        found, wanted, plain = (
            self.registered(images, winsorize=quantiles, **options).field.array
            for images, quantiles in given
        )
        # Of 1600 values a quantile is anywhere between two of them, here and there: a cut at the
        # first pair's alone leaves half of it.
        assert difference(found, wanted) < 0.1 * difference(plain, wanted)

    def test_pairs_go_to_the_stages_that_compare_them(self):
        channels, _ = self.channels()
        found = cudaspline.register(
            *channels[0],
            ["affine", "syn"],
            also=channels[1:],
            metric=["cc", "mattes"],
            radius=2,
            bins=16,
            iterations=2,
            initial="none",
            device="cpu",
        )
        assert [stage.stage.metric for stage in found.report.stages] == [
            "mattes",
            (("cc", 1.0), ("mattes", 1.0)),
        ]
        assert [stage.stage.bins for stage in found.report.stages] == [16, 16]
        # A stage with one metric compares the first pair.
        stages = [
            cudaspline.Stage("greedy", iterations=2, radius=2),
            cudaspline.Stage("greedy", metric=["cc", "cc"], iterations=2, radius=2),
        ]
        assert (
            len(
                cudaspline.register(
                    *channels[0], stages, also=channels[1:], initial="none", device="cpu"
                ).report.stages
            )
            == 2
        )

    @pytest.mark.parametrize(
        "options, error, words",
        [
            ({"metric": ["cc"]}, ValueError, r"^also: also\[0\] is not compared in any stage"),
            ({"metric": "cc"}, ValueError, r"^also: also\[0\] is not compared in any stage"),
            (
                {"metric": ["cc"] * 3},
                ValueError,
                "^metric: it has metrics for 3 pairs of images, but there are 2; also= ",
            ),
            (
                {"metric": ["cc"] * 2, "also": ()},
                ValueError,
                "^metric: it has metrics for 2 pairs of images, but there is 1; also= ",
            ),
            (
                {"metric": ["cc", "correlation"]},
                ValueError,
                "^metric: 'correlation' cannot be used with 'greedy'",
            ),
            ({"metric": ["cc", "ssd"]}, ValueError, "^metric: 'ssd' is not known"),
            ({"metric": ["cc", ("cc", 0)]}, ValueError, "^metric: the weight 0: numbers above 0"),
            ({"metric": ["cc", ("cc", 1e7)]}, ValueError, "^metric: the weight 10000000"),
            ({"metric": ["cc", ("cc", "1")]}, TypeError, "^metric: the weight '1'"),
            ({"metric": []}, ValueError, "^metric: the list is empty"),
            (
                {"kind": "demons", "metric": None, "learning_rate": None},
                ValueError,
                r"^also: also\[0\] is not compared in any stage",
            ),
            ({"also": 3}, TypeError, "^also: int is not a list"),
            ({"also": [SMALL_PAIR[0]]}, TypeError, r"^also\[0\]: ndarray is not a pair"),
            ({"also": [SMALL_PAIR[:1]]}, TypeError, r"^also\[0\]: tuple is not a pair"),
            (
                {"also": [(numpy.zeros((4, 5, 6)), numpy.zeros((4, 5)))]},
                ValueError,
                r"^also\[0\]\[0\]: it has 3 axes, but fixed has 2",
            ),
            ({"also": [(SMALL_PAIR[0], "moving.nii")]}, FileNotFoundError, r"^also\[0\]\[1\]"),
            (
                {"also": [(SMALL_PAIR[0], numpy.full((9, 9), numpy.nan))]},
                ValueError,
                r"^also\[0\]\[1\]: it has no pixel with a finite value",
            ),
            (
                {"also": [(SMALL_PAIR[0], FAR)]},
                ValueError,
                r"^also\[0\]: no voxel of the fixed image is inside both",
            ),
            (
                {"also": [(FAR, SMALL_PAIR[1])]},
                ValueError,
                r"^also\[0\]: no voxel of the fixed image is inside both",
            ),
        ],
    )
    def test_what_register_refuses(self, options, error, words):
        channels, _ = self.channels()
        with pytest.raises(error, match=words):
            self.registered(channels, **{"metric": ["cc", "cc"], **options})
