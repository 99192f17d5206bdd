"""cudaspline.register() of images whose values are far from 1, as an ADC's in m^2/s: on each
backend, and compared with CudaSplineRegister."""

import json
import math
import subprocess
import warnings

import numpy
import pytest

import cudaspline
from register_support import PROGRAM, needs_program
from test_register_backends import BACKENDS, read, words_of, write

SCALES = [2.0**-100, 2.0**-30, 2.0**40, 2.0**100]

STAGES = {
    "affine": {"metric": "meansquares", "iterations": (12, 6)},
    "syn": {"radius": 2, "iterations": (8, 4)},
    "greedy": {"metric": "meansquares", "iterations": (8, 4)},
    "bspline": {"metric": "meansquares", "grid_spacing": 9, "iterations": (8, 4)},
    "demons": {"iterations": (8, 4)},
}


def blobs(size):
    """Two, 1.35 samples from each other, whose largest values are in [1, 2): as they are what is
    scaled is brought to."""
    places = numpy.meshgrid(*map(numpy.arange, size[::-1]), indexing="ij")
    images = []
    for shift in (0.0, 1.35):
        square = sum(
            ((at - n / 2 + (shift if axis == 0 else 0)) / (4 + axis)) ** 2
            for axis, (at, n) in enumerate(zip(places, size[::-1]))
        )
        images.append(
            (1.2 * numpy.exp(-square) * (1 + 0.2 * numpy.sin(0.7 * places[-1] + shift))).astype(
                "f4"
            )
        )
    return images


def register(images, kind, **more):
    options = {"shrink": (2, 1), "initial": "moments", "device": "cpu", **STAGES[kind], **more}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*more iterations are needed")
        return cudaspline.register(*images, kind, **options)


@pytest.mark.parametrize("size", [(26, 24), (16, 15, 14)])
@pytest.mark.parametrize("kind", list(STAGES))
@pytest.mark.parametrize("backend", BACKENDS)
def test_scales(backend, kind, size):
    """Powers of two give the same bits, and values in units of the images."""
    images = blobs(size)
    wanted = register(images, kind, device=backend)
    assert wanted.report.value_factors == ((1.0, 1.0),) and "multiplied" not in str(wanted.report)
    assert 0.5 < numpy.abs(wanted.field.array).max() < 5
    for scale in SCALES:
        scaled = [image * numpy.float32(scale) for image in images]
        found = register(scaled, kind, device=backend)
        assert numpy.array_equal(found.field.array, wanted.field.array)
        assert found.report.value_factors == ((1 / scale, 1 / scale),) and "multiplied by" in str(
            found.report
        )
        unit = 1.0 if kind == "syn" else scale**2
        assert numpy.array_equal(found.history["value"], wanted.history["value"] * unit)
        assert [level.value for level in found.report.stages[0].levels] == [
            level.value * unit for level in wanted.report.stages[0].levels
        ]
        assert numpy.array_equal(found.warped, wanted.warped * numpy.float32(scale))


@pytest.mark.parametrize("scale", [1e-30, 1e-9, 1e12, 1e30])
@pytest.mark.parametrize("kind", list(STAGES))
def test_other_scales(kind, scale):
    """The same up to rounding, which decides how often an inversion of SyN is repeated, above all
    where the images are flat; and demons ignore differences below 0.001 of values that are scaled
    to [1, 2)."""
    images = blobs((26, 24))
    wanted = register(images, kind).field.array
    found = register([image * numpy.float32(scale) for image in images], kind).field.array
    inner = (slice(5, -5),) * 2
    assert numpy.abs(found - wanted)[inner].max() < (0.15 if kind in ("syn", "demons") else 0.02)


@needs_program
@pytest.mark.parametrize("size", [(26, 24), (16, 15, 14)])
@pytest.mark.parametrize("kind", list(STAGES))
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_program(tmp_path, backend, kind, size):
    """It has the same bits and factors, and its evaluation is that of the images as they came."""
    images = blobs(size)
    told = []
    for number, scale in enumerate((1.0, 2.0**-100)):
        scaled = [cudaspline.Image(image * numpy.float32(scale)) for image in images]
        files = [
            str(write(tmp_path / f"{name}{number}.mha", image))
            for name, image in zip(("fixed", "moving"), scaled)
        ]
        command = [
            PROGRAM, *files, "--stage", kind, *words_of(STAGES[kind]), "--shrink", "2,1", "--warped", str(tmp_path / "warped.mha"), "--report",
            str(tmp_path / "report.json"), "--evaluate", "--verbose", "--quiet", "--device", backend,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        assert all("more iterations" in line for line in done.stderr.splitlines()), done.stderr
        assert ("multiplied by" in done.stdout) == (scale != 1)
        report = json.loads((tmp_path / "report.json").read_text())
        assert report["value_factors"] == [[1 / scale, 1 / scale]]
        told.append((report, read(tmp_path / "warped.mha"), scale))
        found = register(scaled, kind, device=backend)
        if kind != "bspline":
            assert numpy.array_equal(found.warped.array, told[-1][1])
        for one, other in zip(report["iterations"], found.history):
            assert math.isclose(one["value"], other.value, rel_tol=1e-3)
    (one, warped, _), (other, scaled, scale) = told
    assert numpy.array_equal(scaled, warped * numpy.float32(scale))
    unit = 1.0 if kind == "syn" else scale**2
    assert [entry["value"] for entry in other["iterations"]] == [
        entry["value"] * unit for entry in one["iterations"]
    ]
    assert other["evaluation"]["correlation"] == one["evaluation"]["correlation"]
    assert other["evaluation"]["local_correlation"] == one["evaluation"]["local_correlation"]
    assert other["agreement"] == one["agreement"]


@needs_program
def test_the_program_under_a_mask(tmp_path):
    """Masked pixels do not change the factors, in either program."""
    fixed, moving = (image * numpy.float32(2.0**-40) for image in blobs((26, 24)))
    mask = numpy.ones(fixed.shape, "u1")
    mask[:3, :3] = 0
    fixed[0, 0] = 1e20
    images = {
        name: cudaspline.Image(array)
        for name, array in (("fixed", fixed), ("moving", moving), ("mask", mask))
    }
    files = {name: str(write(tmp_path / f"{name}.mha", image)) for name, image in images.items()}
    command = [
        PROGRAM, files["fixed"], files["moving"], "--fixed-mask", files["mask"], "--stage", "demons", "--iterations", "9", "--shrink", "1",
        "--sigmas", "0", "--warped", str(tmp_path / "warped.mha"), "--report", str(tmp_path / "report.json"), "--device", "cpu",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = register(
        (images["fixed"], images["moving"]),
        "demons",
        iterations=9,
        shrink=(1,),
        sigmas=(0,),
        mask=images["mask"],
    )
    assert json.loads((tmp_path / "report.json").read_text())["value_factors"] == [
        [2.0**40, 2.0**40]
    ]
    assert found.report.value_factors == ((2.0**40, 2.0**40),)
    assert numpy.array_equal(found.warped.array, read(tmp_path / "warped.mha"))


class TestFactors:
    def factors(self, images, stages, **options):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = cudaspline.register(
                *images, stages, iterations=0, shrink=(1,), initial="none", device="cpu", **options
            )
        return found.report.value_factors, [str(one.message) for one in told]

    def test_one_for_both_where_values_are_compared(self):
        one, other = blobs((26, 24))
        images = one * numpy.float32(2.0**-20), other * numpy.float32(2.0**40)
        assert self.factors(images, ["rigid", "syn"]) == (((2.0**20, 2.0**-40),), [])
        factors, told = self.factors(
            images, [cudaspline.Stage("affine"), cudaspline.Stage("greedy", metric="meansquares")]
        )
        assert factors == ((2.0**-40, 2.0**-40),)
        assert (
            len(told) == 1
            and "'meansquares'" in told[0]
            and f"{images[0].max():.6g} and {images[1].max():.6g}" in told[0]
        )
        assert self.factors((one, other * numpy.float32(2.0**-40)), "demons")[1]
        assert self.factors(images[::-1], "demons")[1]

    def test_a_pair_each(self):
        one, other = blobs((26, 24))
        small, large = (
            [image * numpy.float32(scale) for image in (one, other)]
            for scale in (2.0**-33, 2.0**33)
        )
        metric = [("cc", 0.5), ("meansquares", 0.5)]
        factors, told = self.factors(
            (one, other), "greedy", also=[(large[0], small[1])], metric=metric
        )
        assert (
            factors == ((1.0, 1.0), (2.0**-33, 2.0**-33))
            and len(told) == 1
            and "also[0]" in told[0]
        )
        factors, told = self.factors(small, "greedy", also=[large], metric=metric)
        assert factors == ((2.0**33, 2.0**33), (2.0**-33, 2.0**-33)) and not told

    def test_pairs_of_other_scales_find_the_same(self):
        images = blobs((26, 24))
        metric = [("cc", 0.5), ("meansquares", 0.5)]
        options = {"metric": metric, "learning_rate": 0.25}
        wanted = register(images, "greedy", also=[images], **options)
        scaled = [image * numpy.float32(2.0**-40) for image in images]
        found = register(images, "greedy", also=[scaled], **options)
        assert numpy.array_equal(found.field.array, wanted.field.array)
        assert numpy.array_equal(
            found.history["value"], wanted.history["value"]
        )  # of the multiplied images

    @pytest.mark.parametrize("dtype", ["int16", "uint8", "float64"])
    def test_values_within_the_limits_stay(self, dtype):
        images = [(100 * image).astype(dtype) for image in blobs((26, 24))]
        assert self.factors(images, "demons") == (((1.0, 1.0),), [])

    def test_what_lies_outside(self):
        """Pixels that are not finite, or outside of the mask, do not change the factors, and are
        ignored."""
        images = [image * numpy.float32(2.0**-40) for image in blobs((26, 24))]
        mask = numpy.ones(images[0].shape, "u1")
        mask[:3, :3] = 0
        wanted = register(images, "affine", mask=mask)
        assert wanted.report.value_factors == ((2.0**40, 2.0**40),)
        marked = images[0].copy()
        marked[0, 0] = 1e20  # which no level sees, without a Gaussian
        found = register(
            (marked, images[1]),
            "affine",
            mask=mask,
            shrink=(1,),
            sigmas=(0,),
            iterations=6,
            initial="none",
        )
        assert found.report.value_factors == ((2.0**40, 2.0**40),)
        assert numpy.abs(found.field.array).max() > 0.5
        marked[0, 0] = numpy.nan
        marked[1, 1] = numpy.inf
        with pytest.warns(cudaspline.RegistrationWarning, match="not finite"):
            found = cudaspline.register(
                marked,
                images[1],
                "affine",
                metric="meansquares",
                iterations=3,
                shrink=(2, 1),
                mask=mask,
                device="cpu",
            )
        assert found.report.value_factors == ((2.0**40, 2.0**40),)


def test_a_series():
    one, other = blobs((26, 24))
    series = numpy.stack([one, other])
    wanted = cudaspline.register_series(series, iterations=6, device="cpu")
    found = cudaspline.register_series(series * numpy.float32(2.0**-33), iterations=6, device="cpu")
    assert numpy.array_equal(found.transforms[1].matrix, wanted.transforms[1].matrix)
    assert found.reports[1].value_factors == ((2.0**33, 2.0**33),)
