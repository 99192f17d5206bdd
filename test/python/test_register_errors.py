"""What a caller of cudaspline.register() gets wrong."""

import re
import warnings

import numpy
import pytest

import cudaspline
from register_support import SMALL

#: The version of documents.
VERSION = {"cudaspline_registration": 1}


class TestWrong:
    """What cannot be is refused, by a message that begins with the argument's name."""

    @pytest.mark.parametrize(
        "name, value, error",
        [
            ("stages", "elastic", ValueError), ("stages", [], TypeError), ("stages", 3, TypeError), ("stages", [3], TypeError),
            ("metric", "ssd", ValueError), ("sigmas_in_mm", "yes", TypeError), ("metric", "correlation", ValueError), ("iterations", -1, ValueError), ("iterations", "10", TypeError),
            ("iterations", 1.5, TypeError), ("shrink", (0, 1), ValueError), ("shrink", 2, TypeError), ("shrink", (), ValueError),
            ("sigmas", (-1, 0), ValueError), ("sigmas", 1.0, TypeError), ("sigmas", (numpy.nan,), ValueError), ("radius", 0, ValueError),
            ("radius", 1.5, TypeError), ("learning_rate", 0, ValueError), ("determinant_limit", 1, ValueError), ("inversion", "newton", ValueError), ("update_variance", -1, ValueError), ("total_variance", "1", TypeError),
            ("convergence", numpy.nan, ValueError), ("preset", "best", ValueError), ("winsorize", 0.5, TypeError),
            ("winsorize", (0.9, 0.1), ValueError), ("precision", "half", ValueError), ("threads", -1, ValueError), ("device", "fast\0", ValueError),
            ("progress", 3, TypeError), ("initial", numpy.eye(5), ValueError), ("initial", 3, TypeError), ("initial", numpy.zeros((2, 3)), ValueError),
            ("mask", numpy.zeros((12, 14)), ValueError),
            ("mask", numpy.ones((11, 14)), ValueError), ("mask", "mask.nii", FileNotFoundError), ("moving_mask", numpy.ones((12, 14, 3)), ValueError),
            ("odrer", 3, TypeError), ("sampling", "some", ValueError), ("sampling", "regular", ValueError), ("fraction", 0.5, ValueError),
            ("seed", -1, ValueError), ("seed", 0.5, TypeError), ("order", 0, ValueError), ("order", 6, ValueError), ("gradient", "none", ValueError),
            ("gradient", "analytic", ValueError), ("mask", True, ValueError), ("mask", numpy.ones((11, 14), bool), ValueError),
            ("mask", numpy.zeros((12, 14), bool), ValueError), ("step", 0.5, ValueError), ("grid_spacing", 5.0, ValueError),
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

    def test_all_problems_at_once(self):
        """A line for each, with the option, the value as the caller has it, and what is allowed."""
        with pytest.raises(ValueError) as found:
            cudaspline.register(
                SMALL,
                SMALL,
                ["rigid", "syn"],
                bins=161,
                radius=0,
                learning_rate=-1.0,
                sampling="some",
                precision="half",
                winsorize=(1, 0),
            )
        lines = str(found.value).splitlines()
        for name, value, allowed in (
            ("bins", "161", "from 5 to 160"), ("radius", "0", "from 1 to 100"), ("learning_rate", "-1.0", "above 0"), ("sampling", "'some'", "none, random, regular"),
            ("precision", "'half'", "float32, float64"), ("winsorize", r"(1, 0)", "two quantiles from 0 to 1"),
        ):  # fmt: skip
            line = [line for line in lines if line.startswith(f"{name}: ")]
            assert len(line) == 1 and value in line[0] and allowed in line[0], str(found.value)
        assert len(lines) == 6
        document = {
            "cudaspline_registration": 1,
            "stages": [
                {"kind": "rigid", "order": 9},
                {"kind": "syn", "bins": 4, "step": 1.0},
                "elastic",
            ],
        }
        with pytest.raises(ValueError) as found:
            cudaspline.register(SMALL, SMALL, spec=document)
        lines = str(found.value).splitlines()
        assert len(lines) == 4
        for words in (
            ("order: 9: ", "from 1 to 5", "(stages[0])"),
            ("bins: 4: ", "from 5 to 160", "(stages[1])"),
            ("step: 1.0 ", "'syn'", "(stages[1])"),
            ("stages: 'elastic' ", "affine, bspline"),
        ):
            assert any(all(word in line for word in words) for line in lines), (words, lines)

    def test_levels_that_move_nothing(self):
        """Fields of SyN do not move at the ends of an axis, where all samples of a short one
        are."""
        thin = numpy.random.default_rng(1).uniform(size=(2, 20, 24))
        options = {
            "iterations": (2, 2),
            "shrink": (4, 1),
            "sigmas": (0, 0),
            "radius": 2,
            "initial": "none",
            "device": "cpu",
        }
        with pytest.warns(
            cudaspline.RegistrationWarning,
            match=r"^stages\[0\] \('syn'\): 2 of 2 levels have no effect",
        ):
            found = cudaspline.register(thin, numpy.roll(thin, 1, -1), "syn", **options)
        assert not found.field.array.any()
        with pytest.warns(
            cudaspline.RegistrationWarning, match="'greedy'.*1 of 2 levels have no effect"
        ):
            cudaspline.register(
                numpy.tile(thin, (4, 1, 1)),
                numpy.tile(thin, (4, 1, 1)),
                ["translation", "greedy"],
                metric="cc",
                **options,
            )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings(
                "ignore", "The moving image explains 0 %|.*ended after 2 iterations"
            )  # two iterations do not align noise
            cudaspline.register(
                thin, numpy.roll(thin, 1, -1), "greedy", update_variance=0, **options
            )

    def test_words_in_letters_of_any_size(self):
        same = [
            cudaspline.Stage("Affine", metric=metric, optimizer=optimizer)
            for metric, optimizer in (("CC", "Gradient-Descent"), ("cc", "gradient-descent"))
        ]
        assert same[0] == same[1]
        options = {"iterations": 2, "shrink": (1,), "sigmas": (0,), "device": "cpu"}
        for name, value in (
            ("metric", "CorrELation"),
            ("optimizer", "Conjugate-Gradient"),
            ("precision", "Float64"),
        ):
            found, wanted = (
                cudaspline.register(
                    SMALL, SMALL[::-1].copy(), "translation", **{name: word}, **options
                )
                for word in (value, value.lower())
            )
            assert numpy.array_equal(found.transform.matrix, wanted.transform.matrix)

    def test_levels_of_large_images(self):
        """Those of antsRegistrationSyN.sh if an axis has more than 256 pixels, except given
        levels."""

        def levels(stage):
            return tuple(zip(*stage.levels))

        found = [
            cudaspline.registration._registration_stages.preset_stages("standard", size)
            for size in ((256, 256, 20), (20, 257))
        ]
        for stages, matrices, syn in (
            (
                found[0],
                ((8, 4, 2, 1), (3, 2, 1, 0)),
                ((8, 4, 2, 1), (3, 2, 1, 0), (100, 70, 50, 20)),
            ),
            (
                found[1],
                ((12, 8, 4, 2), (4, 3, 2, 1)),
                ((10, 6, 4, 2, 1), (5, 3, 2, 1, 0), (100, 100, 70, 50, 20)),
            ),
        ):
            assert [stage.kind for stage in stages] == ["rigid", "affine", "syn"] and levels(
                stages[2]
            ) == syn
            assert levels(stages[0]) == levels(stages[1]) == (*matrices, (1000, 500, 250, 100))
        small = numpy.tile(SMALL, (1, 20))[:, :260]
        said = (
            cudaspline.register(
                small, small, preset="standard", iterations=0, initial="none", device="cpu"
            )
            .report.stages[2]
            .stage
        )
        assert levels(said) == ((8, 4, 2, 1), (3, 2, 1, 0), (0, 0, 0, 0))
        y, x = numpy.mgrid[:200, :257] / 30.0
        image = numpy.sin(x + 0.5 * numpy.sin(y)) + numpy.sin(1.3 * y + 0.4 * numpy.sin(x))
        told = cudaspline.register(
            image, image, preset="standard", initial="none", convergence=1.0, device="cpu"
        )
        assert [len(stage.levels) for stage in told.report.stages] == [4, 4, 5]

    def test_images(self):
        for wrong, error in (
            (numpy.zeros((4, 4, 4, 4)), ValueError), (numpy.zeros(9), ValueError), ("image.nii", FileNotFoundError), (numpy.zeros((4, 4), "c8"), TypeError),
            (numpy.full((8, 8), numpy.nan), ValueError),
        ):  # fmt: skip
            with pytest.raises(error, match="^fixed"):
                cudaspline.register(wrong, SMALL, "syn", device="cpu")
            with pytest.raises(error, match="^moving"):
                cudaspline.register(SMALL, wrong, "syn", device="cpu")
        with pytest.raises(ValueError, match="^moving: it has 3 axes, but fixed has 2"):
            cudaspline.register(SMALL, numpy.zeros((5, 6, 7)), "syn", initial="none")
        with pytest.raises(ValueError, match="^moving: it has only one value"):
            cudaspline.register(SMALL, numpy.ones((5, 6)), "syn")

    def test_options_of_other_stages(self):
        with pytest.raises(ValueError, match="^learning_rate: .*'affine'"):
            cudaspline.Stage("affine", learning_rate=0.2)
        for kind, metric in (("demons", "cc"), ("greedy", "correlation"), ("syn", "correlation")):
            with pytest.raises(
                ValueError, match=f"^metric: '{metric}' cannot be used with '{kind}'"
            ):
                cudaspline.Stage(kind, metric=metric)
        assert (
            cudaspline.Stage("demons").metric == "meansquares"
            and cudaspline.Stage("demons", learning_rate=0.1).learning_rate == 0.1
        )
        with pytest.raises(ValueError, match="^step: .*'syn'"):
            cudaspline.Stage("syn", step=1.0)
        with pytest.raises(ValueError, match="^bins: .*'demons'"):
            cudaspline.Stage("demons", bins=20)
        with pytest.raises(ValueError, match="^metric: .*only the first pair of images"):
            cudaspline.Stage("affine", metric=["cc", "mattes"])
        stages = [cudaspline.Stage("rigid", bins=20), "syn"]
        for unused, call in {
            "radius: 3 is not used by the stage 'affine' with the metric 'mattes'; it needs the metric 'cc' or 'lncc'": lambda: cudaspline.Stage("affine", radius=3),
            "edge_factor: 0.5 is not used by the stages 'rigid' with the metric 'mattes' and 'syn' with the metric 'cc'; it needs the metric 'ngf'": (
                lambda: cudaspline.register(SMALL, SMALL, stages, edge_factor=0.5)
            ),
            "bins: 20 is not used by the stage 'rigid' with the metric 'meansquares'": (
                lambda: cudaspline.register(SMALL, SMALL, stages[:1], metric="meansquares")
            ),
            "seed: 3 is not used by the stage 'rigid' with the metric 'mattes'; it needs sampling 'regular' or 'random'": (
                lambda: cudaspline.register(SMALL, SMALL, spec={**VERSION, "stages": [{"kind": "rigid", "seed": 3}]})
            ),
        }.items():  # fmt: skip
            with pytest.raises(ValueError, match="^" + re.escape(unused)):
                call()
        for fraction, error in ((0, ValueError), (1.5, ValueError), ("all", TypeError)):
            with pytest.raises(error, match="^fraction"):
                cudaspline.Stage("affine", sampling="random", fraction=fraction)
        with pytest.raises(ValueError, match="^sampling: .*'syn'"):
            cudaspline.Stage("syn", sampling="regular")
        # A fraction that leaves too few samples is raised.
        found, wanted = (
            cudaspline.register(
                SMALL, SMALL, "rigid", shrink=(1,), sigmas=(0,), device="cpu", **more
            )
            for more in ({"sampling": "random", "fraction": 1e-3}, {})
        )
        assert numpy.array_equal(found.transform.matrix, wanted.transform.matrix)
        with pytest.raises(ValueError, match="^iterations, shrink, sigmas: "):
            cudaspline.Stage("syn", iterations=(10, 5), shrink=(2,))
        with pytest.raises(ValueError, match="^preset: .*contains stages; omit stages"):
            cudaspline.register(SMALL, SMALL, "syn", preset="fast")
        for spacing in (1e-9, 1e-6):
            with pytest.raises(ValueError, match="^grid_spacing: .*GB of memory"):
                cudaspline.register(
                    SMALL, SMALL, "bspline", grid_spacing=spacing, shrink=(1,), device="cpu"
                )
        # Said for all, they go to the stages that have them.
        found = cudaspline.register(
            SMALL, SMALL, ["affine", "syn"], learning_rate=0.2, step=0.5, iterations=0, device="cpu"
        )
        assert [stage.stage.learning_rate for stage in found.report.stages] == [None, 0.2]

    def test_thin_and_apart(self):
        """Axes that are too short for the recursive Gaussian are not smoothed."""
        thin = numpy.random.default_rng(3).uniform(size=(3, 30))
        options = {"shrink": (1,), "initial": "none", "iterations": 3, "device": "cpu"}
        smooth, rough = (
            cudaspline.register(
                thin, numpy.roll(thin, 1, 1), "syn", radius=1, sigmas=(sigma,), **options
            )
            for sigma in (1, 0)
        )
        assert numpy.isfinite(smooth.field.array).all() and not numpy.array_equal(
            smooth.field.array, rough.field.array
        )
        with pytest.raises(ValueError, match="^registration: .*3 samples along axis 1"):
            cudaspline.register(thin, thin, "rigid", gradient="filter", **options)
        away = cudaspline.Image(SMALL, origin=(100, 100))
        with pytest.raises(ValueError, match="registration: .*do not overlap"):
            cudaspline.register(
                cudaspline.Image(SMALL, 1), away, "rigid", initial="none", device="cpu"
            )

    @pytest.mark.parametrize(
        "kind, metric",
        [(kind, metric) for kind in ("syn", "greedy") for metric in ("cc", "meansquares", "mattes")]
        + [("demons", "meansquares")],
    )
    def test_fields_in_space(self, kind, metric):
        """A field, or an error that names the wrong argument."""
        z, y, x = numpy.mgrid[:13, :12, :14]
        fixed, moving = (
            100
            + 30 * numpy.sin(0.6 * x + 0.3 * y + phase)
            + 20 * numpy.sin(0.5 * y - 0.4 * z)
            + 10 * numpy.sin(0.7 * z)
            for phase in (0.0, 0.5)
        )
        flat = numpy.full(fixed.shape, 3.0)
        sparse = numpy.where(x < 4, numpy.nan, moving)
        noise = numpy.random.default_rng(1).standard_normal(fixed.shape)
        coarse = {"shrink": (4, 1), "sigmas": (0, 0)}  # three samples an axis
        fine = {"shrink": (1,), "sigmas": (0,)}
        rough = {
            **fine,
            "learning_rate": 3.0,
            "update_variance": 0.0,
            "total_variance": 0.0,
            "iterations": 10,
        }
        flat_error = rf"it has only one value \(3\); stage 1 \({kind}, metric {metric}\) needs"
        for images, more, error in (
            ((cudaspline.Image(fixed, 1), cudaspline.Image(moving, origin=(500, 0, 0))), {}, "registration: .*do not overlap"),
            ((fixed[:1], moving[:1]), {}, None),
            ((fixed[:1], moving[:1]), fine, None), ((fixed, moving[:1]), fine, None), ((fixed[:1], moving), fine, None),
            ((flat, flat), {}, flat_error), ((fixed, flat), {}, flat_error),
            ((fixed, sparse), {}, None), ((sparse, fixed), {}, None), ((fixed, sparse * numpy.nan), {}, "^moving: .*no pixel with a finite value"),
            ((fixed, moving), {"mask": numpy.zeros(fixed.shape)}, "^mask: it is 0 everywhere"),
            ((fixed, moving), {"moving_mask": numpy.zeros(fixed.shape)}, "^moving_mask: it is 0 everywhere"),
            ((fixed, moving), {"mask": (x < 3) * 1, "moving_mask": (x > 9) * 1}, "registration: .*do not overlap.*both masks"),
            ((fixed, moving), coarse, None), ((fixed, moving), {"update_variance": 0, "total_variance": 0}, None), ((fixed, noise), rough, None),
        ):  # fmt: skip
            options = {
                "shrink": (2, 1),
                "sigmas": (1, 0),
                "iterations": 3,
                "initial": "none",
                "metric": metric,
                "device": "cpu",
                **more,
            }
            if metric == "cc":
                options["radius"] = 2
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", cudaspline.RegistrationWarning
                )  # about pixels that are not finite
                if error is not None:
                    with pytest.raises(ValueError, match=error):
                        cudaspline.register(*images, kind, **options)
                    continue
                found = cudaspline.register(*images, kind, **options)
            for transform in (found.transform, found.transform.inverse()):
                assert numpy.isfinite(transform.field(images[0])).all()
            if (
                more is rough and kind == "greedy"
            ):  # those of demons make the metric worse, and are undone
                assert found.folding.voxels > 0

    def test_transforms(self, tmp_path):
        with pytest.raises(ValueError, match="^dimension"):
            cudaspline.Transform(None, 4)
        with pytest.raises(TypeError, match="^transform"):
            cudaspline.Transform(object(), 2)
        turn = cudaspline.Transform(numpy.eye(2), 2)
        with pytest.raises(ValueError, match="^points"):
            turn.apply([1.0, 2.0, 3.0])
        for wrong in ("ab", ["1", "2"], [1j, 2.0]):
            with pytest.raises(TypeError, match="^points: "):
                turn.apply(wrong)
        for write in (turn.save, lambda prefix: turn.save_ants(prefix, SMALL)):
            with pytest.raises(TypeError, match="^(path|prefix): 3 is not a file name"):
                write(3)
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
        with pytest.raises(ValueError, match="^transform: its matrix is singular"):
            cudaspline.Transform(numpy.zeros((2, 2)), 2).inverse().apply([1.0, 2.0])

    def test_documents(self, tmp_path):
        spec = cudaspline.register(SMALL, SMALL, "rigid", iterations=0, device="cpu").spec
        for wrong, error, message in (
            ({**spec, "colour": "red"}, TypeError, "^colour: a registration has no such option"),
            ({**spec, "stages": [{"kind": "syn", "radius": 0}]}, ValueError, "^radius: "),
            ({**spec, "cudaspline_registration": 2}, ValueError, "^spec: its version: 2: this library reads"),
            ({"stages": ["rigid"]}, ValueError, "^spec: its version: None: this library reads"),
            ({**VERSION, "options": 3, "stages": 4}, TypeError, "stages: 4: a list.*\noptions: 3: an object"),
            (3, TypeError, "^spec: "), (tmp_path / "none.json", FileNotFoundError, "^spec: there is no file"),
        ):  # fmt: skip
            with pytest.raises(error, match=message):
                cudaspline.register(SMALL, SMALL, spec=wrong, device="cpu")
        for given in (
            {"radius": 3}, {"levels": 1}, {"precision": "float64"}, {"precision": "float32"}, {"initial": "moments"}, {"initial": "none"},
            {"stages": "rigid"}, {"winsorize": (0, 1)},
        ):  # fmt: skip
            for register, images in (
                (cudaspline.register, (SMALL, SMALL)),
                (cudaspline.register_series, (numpy.stack([SMALL, SMALL]),)),
            ):
                message = f"^{next(iter(given))}: it cannot be used together with spec"
                with pytest.raises(ValueError, match=message):
                    register(*images, spec=spec, **given)
        for text, message in (
            ("{", "is not JSON"),
            ("[]", "not a JSON object"),
            ('{"cudaspline_registration": 9}', "its version: 9: this library reads"),
        ):
            (tmp_path / "spec.json").write_text(text, encoding="utf-8")
            with pytest.raises(ValueError, match=f"^spec: .*{message}"):
                cudaspline.register(SMALL, SMALL, spec=tmp_path / "spec.json")


def test_an_option_for_some_of_the_stages():
    """The message has the form that works."""
    with pytest.raises(
        ValueError, match="^restrict_deformation: .*needs 6 numbers, not 2"
    ) as found:
        cudaspline.register(SMALL, SMALL, preset="fast", restrict_deformation=(0, 1), iterations=0)
    form = str(found.value).split("stages that allow it: stages=")[1].rstrip(".")
    assert form == "['affine', cudaspline.Stage('syn', restrict_deformation=(0.0, 1.0))]"
    stages = eval(form)
    assert stages[1].restrict_deformation == (0, 1)
    with pytest.raises(ValueError, match="^restrict_deformation: ") as found:
        cudaspline.register(
            SMALL, SMALL, ["syn", "greedy"], restrict_deformation=(0, 1, 0), iterations=0
        )
    assert "stages=" not in str(found.value)


@pytest.mark.parametrize("count", [1, 3, 4, 5])
def test_series_are_not_colours(count):
    """Volumes of a series of nibabel, of which three would be red, green and blue."""
    nibabel = pytest.importorskip("nibabel")
    pixels = numpy.random.default_rng(1).uniform(size=(12, 10, 9, count)).astype("f4")
    series = nibabel.Nifti1Image(pixels, numpy.eye(4))
    volume = nibabel.Nifti1Image(pixels[..., 0], numpy.eye(4))
    options = dict(iterations=1, initial="none", device="cpu")
    if count == 1:
        found = cudaspline.register(series, series, "translation", mask=series, **options)
        assert found.warped.shape == volume.shape
        return
    text = rf"it is a series \(number of volumes: {count}\).*register_series"
    with pytest.raises(ValueError, match=f"^fixed: {text}"):
        cudaspline.register(series, volume, "translation", **options)
    with pytest.raises(ValueError, match=f"^moving: {text}"):
        cudaspline.register(volume, series, "translation", **options)
    with pytest.raises(ValueError, match=f"^mask: {text}"):
        cudaspline.register(volume, volume, "translation", mask=series, **options)


@pytest.mark.parametrize("initial", ["moments", "centre", "none"])
@pytest.mark.parametrize("stage", ["rigid", "bspline", "syn"])
@pytest.mark.parametrize("argument, of", [("mask", "fixed"), ("moving_mask", "moving")])
def test_masks_outside_of_their_image(argument, of, stage, initial):
    """No other start helps, and none is recommended."""
    away = cudaspline.Image(numpy.ones((5, 5), "u1"), 1.0, (500.0, 500.0))
    image = cudaspline.Image(numpy.random.default_rng(1).uniform(size=(20, 24)).astype("f4"), 1.0)
    with pytest.raises(ValueError, match=f"no voxel of the {of} image is inside its mask; stage 1") as found:  # fmt: skip
        cudaspline.register(image, image, stage, initial=initial, iterations=1, device="cpu", **{argument: away})  # fmt: skip
    assert "centre" not in str(found.value) and "starts elsewhere" not in str(found.value)


def test_messages_name_what_helps(tmp_path, monkeypatch):
    """The missing file of a list, the word that was likely meant, masks of stages, colours."""
    monkeypatch.chdir(tmp_path)
    plane = cudaspline.Image(numpy.random.default_rng(1).uniform(size=(20, 24)).astype("f4"))
    for options, kind, text in (
        ({"initial": ["none.mat"]}, FileNotFoundError, r"^initial\[0\]: there is no file none.mat"),
        ({"initial": "momemts"}, FileNotFoundError, "^initial: .*Did you mean 'moments'"),
        ({"mask": [None, "mask.nii"]}, TypeError, r"^mask: .*Stage\(kind, mask=\.\.\.\)"),
    ):
        with pytest.raises(kind, match=text):
            cudaspline.register(plane, plane, "rigid", **options)
    with pytest.raises(
        ValueError, match="did you mean 'cubic'.* 'bspline', 'catmull-rom', 'cosine'"
    ):
        cudaspline.resample(plane, spacing=2, interpolation="cubick")
    colours = numpy.random.default_rng(1).uniform(0, 255, (20, 24, 3)).astype("u1")
    with pytest.warns(cudaspline.RegistrationWarning, match="channels='last'"):
        cudaspline.register(colours, colours, "translation", initial="none", iterations=1)
    name = str(tmp_path / "volume.nii")
    sitk = pytest.importorskip("SimpleITK")
    sitk.WriteImage(sitk.GetImageFromArray(numpy.zeros((4, 5, 6), "f4")), name)
    with pytest.raises(ValueError, match="^series: .*is a single volume"):
        cudaspline.register_series(name)
