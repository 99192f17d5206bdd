"""CudaSplineRegister and cudaspline.register() do the same for every kind of stage, metric and option: the specification that either reports
is the same, and so are the values of all iterations and the displacements of the whole transform, to the bit. Warped images differ by the
rounding of transforms that ITK composes.

The lists of kinds, metrics and options are those of the library; a new option without a value below fails."""

import json
import subprocess
from typing import get_args

import numpy
import pytest

import cudaspline
from cudaspline.core import _options
from cudaspline.registration import _registration_library
from cudaspline.registration._registration_stages import OPTIONS
from register_support import PROGRAM, Phantom, is_close, needs_program, read_array, write_image

NAMES = _registration_library.list_names()
KINDS, METRICS = NAMES["kinds"], NAMES["metrics"]
#: Numbers that move a stage of 2D images, and of which the last ones differ.
MOVES = {"translation": 2, "rigid": 3, "similarity": 4, "affine": 6}
#: A value of each option that is not its default.
VALUES = {
    "iterations": (3, 2), "iteration_limit": (4, 3), "shrink": (2, 1), "sigmas": (1.5, 0.5), "sigmas_in_mm": True, "levels": 2, "radius": 2, "variance_floor": 0.05, "edge_factor": 0.5,
    "bins": 20, "convergence": 1e-9, "optimizer": "gradient-descent", "step": 0.4, "step_in_voxels": True, "minimum_step": 1e-4,
    "grid_spacing": (9.0, 11.0), "sampling": "random", "fraction": 0.5, "seed": 7, "order": 3, "gradient": "filter", "restrict_deformation": (1.0, 0.5),
    "learning_rate": 0.3, "update_variance": 2.0, "total_variance": 0.25, "determinant_limit": 5.0, "sliding": True, "inversion": "anderson", "average_midpoint_gradients": True, "smooth_under_masks": True,
    "time_points": 3, "update_time_variance": 0.5, "total_time_variance": 0.1, "bending_energy": 2.0, "linear_elasticity": 0.5,
    "total_variation": 0.3, "jacobian_penalty": 0.2,
    "landmark_weight": 0.25, "label_weight": 0.5,
    "control_spacing": 3, "search_radius": 2, "search_step": 1, "coupling": 0.1, "symmetric": False,
}  # fmt: skip
#: Options of some metrics: both refuse them where no metric has them.
OF_METRICS = {
    "radius": ("cc", "lncc"),
    "variance_floor": ("lncc",),
    "edge_factor": ("ngf",),
    "bins": ("mattes",),
}


#: Arguments that an option needs, by the names of the program's options.
TERMS = {
    "landmark_weight": ("landmarks", "--fixed-landmarks", "--moving-landmarks"),
    "label_weight": ("labels", "--fixed-labels", "--moving-labels"),
    "sliding": ("sliding_regions", "--sliding-regions"),
}


def value_of(name, kind):
    """A value of an option for a kind."""
    if name == "restrict_deformation":
        return tuple(numpy.linspace(1.0, 0.5, MOVES.get(kind, 2)))
    of_kind = {
        ("optimizer", "bspline"): "lbfgs",
        ("optimizer", "syn"): "momentum",
        ("optimizer", "greedy"): "adam",
        ("optimizer", "tvf"): "momentum",
        ("iterations", "discrete"): (3,),
        **{("gradient", kind): "grid" for kind in ("greedy", "demons", "tvf")},
    }
    return of_kind.get((name, kind), VALUES[name])


def accepts(kind, name, value):
    """Whether a kind has an option."""
    try:
        cudaspline.Stage(kind, **{name: value})
    except ValueError as error:
        if "cannot be used with" in str(error):
            return False
        if name != "gradient" and "is not used by" not in str(error):  # which need others
            raise
    return True


def words_of(options):
    """Options on the command line."""
    words = []
    for name, value in options.items():
        if name == "order":
            words += ["--interpolation", "bspline"]
        elif name != "sigmas_in_mm":
            text = ",".join(f"{one!r}" for one in map(float, value)) if name in ("sigmas", "grid_spacing", "restrict_deformation") else (
                ",".join(map(str, value)) if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)
            )  # fmt: skip
            words += [
                f"--{name.replace('_', '-')}",
                text + ("mm" if name == "sigmas" and options.get("sigmas_in_mm") else ""),
            ]
    return words


@pytest.fixture
def files(rng, tmp_path):
    """Oblique images of 2D."""
    phantom = Phantom(rng, (34, 30), oblique=True)
    linear, bend = phantom.linear(rng, "affine"), phantom.bend(1.5)
    names = [tmp_path / "fixed.mha", tmp_path / "moving.mha"]
    for image, name in zip(phantom.images(lambda places: linear(bend(places))), names):
        write_image(name, image)
        labels = 3 * (image.array > numpy.median(image.array))
        write_image(name.with_suffix(".labels.mha"), phantom.image(labels, "int16"))
        points = numpy.array([(8, 9), (20, 12), (15, 22)]) @ image.geometry.index_to_point.T
        points += image.geometry.origin
        numpy.savetxt(name.with_suffix(".labels.csv"), points, delimiter=",", fmt="%.17g")
    return [str(name) for name in names]


@pytest.fixture
def check(files, tmp_path):
    """Compares a run of the program with a call. Returns the stages of the specification."""

    def compare(words, **options):
        for weight, (argument, *names) in TERMS.items():
            if weight in options:
                suffix = ".labels.csv" if argument == "landmarks" else ".labels.mha"
                paths = [name.replace(".mha", suffix) for name in files][: len(names)]
                options[argument] = paths if len(paths) > 1 else paths[0]
                words = [*words, *(word for pair in zip(names, paths) for word in pair)]
        report, warped, field = (
            tmp_path / name for name in ("report.json", "warped.mha", "field.mha")
        )
        done = subprocess.run(
            [
                PROGRAM,
                *files,
                *words,
                "--device",
                "cpu",
                "--quiet",
                "--report",
                str(report),
                "--warped",
                str(warped),
                "--field",
                str(field),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(report.read_text(encoding="utf-8"))
        found = cudaspline.register(*files, device="cpu", **options)
        assert told["spec"] == found.spec
        values = [iteration["value"] for iteration in told["iterations"]]
        assert values and values == found.history["value"].tolist()
        assert numpy.array_equal(read_array(field), found.field.array)
        rounding = 64 * numpy.finfo(found.spec["precision"]).eps
        assert is_close(read_array(warped), found.warped, rounding)
        return found.spec["stages"]

    return compare


def test_every_option_has_a_value():
    assert set(VALUES) | {"metric"} == set(NAMES["options"])


def test_names_are_those_of_the_library():
    assert set(OPTIONS) == set(NAMES["options"]) == set(_options.StageOptions.__annotations__)
    assert set(get_args(_options.StageKind)) == set(KINDS)
    assert set(get_args(_options.MetricName)) == set(METRICS)
    assert set(get_args(_options.PresetName)) == set(NAMES["presets"])


@needs_program
@pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")
class TestSameBits:
    @pytest.mark.parametrize("kind", KINDS)
    def test_all_options(self, check, kind):
        """All options of a kind at once: a specification that has them, and what it does."""
        options = {
            name: value_of(name, kind)
            for name in VALUES
            if name not in OF_METRICS and accepts(kind, name, value_of(name, kind))
        }
        stage = check(["--stage", kind, *words_of(options)], stages=kind, **options)[0]
        for name, value in options.items():
            if name == "levels":  # a complete document has lists
                assert len(stage["shrink"]) == value
                continue
            assert stage[name] == (list(value) if isinstance(value, tuple) else value), name
        assert "iterations" in options and ({"shrink", "sigmas"} <= set(options)) == (
            kind != "discrete"
        )

    @pytest.mark.parametrize(
        "kind, metric", [(kind, metric) for kind in KINDS for metric in METRICS]
    )
    def test_metrics(self, check, kind, metric):
        if not accepts(kind, "metric", metric):
            pytest.skip("the kind has no such metric")
        options = {"metric": metric, "iterations": (2,), "shrink": (1,), "sigmas": (0.5,)}
        options = {name: value for name, value in options.items() if accepts(kind, name, value)}
        options.update(
            {
                name: VALUES[name]
                for name, metrics in OF_METRICS.items()
                if metric in metrics and accepts(kind, name, VALUES[name])
            }
        )
        stage = check(["--stage", kind, *words_of(options)], stages=kind, **options)[0]
        assert all(stage[name] == options[name] for name in OF_METRICS if name in options)

    @pytest.mark.parametrize("initial", ["moments", "centre", "search", "none"])
    @pytest.mark.parametrize("precision", ["float32", "float64"])
    def test_beginning(self, check, initial, precision):
        check(
            ["--stage", "rigid", "--stage", "syn", "--iterations", "2", "--initialize", initial, "--precision", precision, "--winsorize", "0.02,0.97"],
            stages=["rigid", "syn"], iterations=2, initial=initial, precision=precision, winsorize=(0.02, 0.97),
        )  # fmt: skip

    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "discrete"])
    def test_levels(self, check, kind):
        stage = check(
            ["--stage", kind, "--levels", "1", "--iterations", "2"],
            stages=kind, levels=1, iterations=2,
        )[0]  # fmt: skip
        assert stage["shrink"] == [1] and stage["iterations"] == [2]

    @pytest.mark.parametrize("preset", NAMES["presets"])
    def test_presets(self, check, preset):
        check(["--preset", preset], preset=preset)

    def test_each_stage_its_own(self, check):
        stages = [
            cudaspline.Stage("affine", bins=16, step=0.7),
            cudaspline.Stage("syn", radius=3),
        ]
        check(
            ["--stage", "affine", "--stage", "syn", "--bins", "16", "--bins", "default", "--radius", "Default", "--radius", "3", "--step", "0.7", "--step", "default", "--iterations", "2"],
            stages=stages, iterations=2,
        )  # fmt: skip
