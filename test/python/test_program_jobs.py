"""Jobs of CudaSplineRegister and CudaSplineResample, as processes of their own: what would be done,
several initial transforms, masks of stages, composite transforms, output grids and types, colours
and names, compared with Python, SimpleITK and numbers that are known."""

import csv
import itertools
import json
import os
import re
import subprocess
import warnings
from typing import get_args

import numpy
import pytest

import cudaspline
from conftest import difference
from register_support import PROGRAM, Phantom, needs_program

RESAMPLE = os.environ.get("CUDASPLINE_RESAMPLE") or os.path.join(
    os.path.dirname(PROGRAM), "CudaSplineResample"
)
pytestmark = needs_program


@pytest.fixture
def sitk():
    return pytest.importorskip("SimpleITK")


def start(program, *arguments):
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300
    )


def run(program, *arguments):
    done = start(program, *arguments)
    assert done.returncode == 0, done.stderr
    return done


def register(*arguments):
    return run(PROGRAM, *arguments, "--device", "cpu", "--quiet")


def resample(*arguments):
    return run(RESAMPLE, *arguments)


def refused(program, *arguments):
    """The line of error of a wrong command line."""
    done = start(program, *arguments)
    assert done.returncode == 2 and done.stdout == "", done
    return done.stderr


def write(sitk, path, image):
    made = sitk.GetImageFromArray(image.array, isVector=image.channels)
    made.SetSpacing(image.spacing.tolist())
    made.SetOrigin(image.origin.tolist())
    made.SetDirection(image.direction.ravel().tolist())
    sitk.WriteImage(made, str(path))
    return path


@pytest.fixture
def pair(rng, sitk, tmp_path):
    """(images, files) of two small volumes that belong together by a rigid transform and a bend."""
    phantom = Phantom(rng, (30, 28, 22), oblique=False, spacing=numpy.array([1.0, 1.0, 2.0]))
    linear, bend = phantom.linear(rng, "rigid"), phantom.bend(1.5)
    images = phantom.images(lambda places: linear(bend(places)))
    return images, [
        write(sitk, tmp_path / f"{name}.nrrd", image)
        for name, image in zip(("fixed", "moving"), images)
    ]


def _geometry_of(image):
    return image.spacing, image.origin, image.direction


def points_of(image, count=40):
    """Points within an image."""
    index = numpy.random.default_rng(4).uniform(0.25, 0.7, (count, image.geometry.dimension)) * (
        numpy.array(image.geometry.size) - 1
    )
    return index @ image.geometry.index_to_point.T + image.geometry.origin


def through(transform, points):
    return numpy.array([transform.TransformPoint(point.tolist()) for point in points])


class TestExplain:
    def test_it_tells_and_does_nothing(self, pair, tmp_path):
        images, files = pair
        before = sorted(os.listdir(tmp_path))
        done = register(
            *files, "--stage", "rigid", "--stage", "syn", "--iterations", "7,5", "--winsorize", "0.01,0.99", "--output-prefix",
            tmp_path / "new/P", "-w", tmp_path / "w.nii", "--crop", "5:,:,:11", "--output-type", "int16", "--make-folders", "--explain",
        )  # fmt: skip
        assert sorted(os.listdir(tmp_path)) == before
        lines = done.stdout.splitlines()
        fixed = next(line for line in lines if line.startswith("fixed: "))
        assert "float 30 x 28 x 22" in fixed and "spacing 1 x 1 x 2 mm" in fixed
        assert [
            float(n) for n in fixed.split("origin ")[1].split(" |")[0].split(", ")
        ] == pytest.approx(images[0].origin.tolist(), rel=1e-5)
        assert (
            "start: moments" in lines
            and "pixels: float32, clipped to the quantiles 0.01, 0.99" in lines
        )
        stage = next(
            line for line in lines if line.startswith("stage 1/2: rigid | metric mattes, bins 50")
        )
        assert "sampling none" in stage and "radius" not in stage and "seed" not in stage
        warped = next(line for line in lines if line.startswith("warped: "))
        assert warped.startswith("warped: int16 25 x 28 x 11 | spacing 1 x 1 x 2 mm")
        assert any(
            line.startswith("stage 2/2: syn | metric cc") and "radius 4" in line for line in lines
        )
        assert (
            lines.count("  levels: 2 | shrink 2, 1 | sigmas 1, 0 voxels | at most 7, 5 iterations")
            == 2
        )
        memory = [line for line in lines if line.startswith("  memory: ")]
        assert len(memory) == 2 and all("backend: Cpu" in line for line in memory)
        sizes = [float(line.split()[1]) for line in memory]  # MB
        voxels = 30 * 28 * 22
        image = voxels * 4 / 1e6
        per_voxel = [float(line.split(" MB, ")[1].split(" bytes per voxel")[0]) for line in memory]
        assert per_voxel == pytest.approx([1e6 * size / voxels for size in sizes], rel=0.05)
        assert (
            2 * image < sizes[0] < 60 * image and 6 * image < sizes[1] < 60 * image
        )  # fields are three numbers a voxel
        written = [line for line in lines if line.startswith("writes: ")]
        assert len(written) == 6 and sum("whose folder is made" in line for line in written) == 5

    def test_wrong_images_are_refused(self, pair, tmp_path):
        done = start(
            PROGRAM,
            pair[1][0],
            pair[1][1],
            "-w",
            tmp_path / "w.nii",
            "--crop",
            "0:99,:,:",
            "--explain",
        )
        assert done.returncode == 1 and "--crop" in done.stderr

    def test_masks_and_series_are_named(self, pair, sitk, tmp_path):
        images, files = pair
        mask = write(
            sitk,
            tmp_path / "mask.nrrd",
            cudaspline.Image.of(
                numpy.ones(images[0].geometry.shape, "u1"), images[0].geometry, False
            ),
        )
        done = register(
            *files,
            "-o",
            tmp_path / "t.h5",
            "--fixed-mask",
            mask,
            "--fixed-mask",
            "none",
            "--explain",
        )
        lines = register(*files, "--output-prefix", tmp_path / "P", "--explain").stdout.splitlines()
        assert [os.path.basename(line.split()[1]) for line in lines if line.startswith("writes: ")] == [
            "P0GenericAffine.mat", "PWarped.nii.gz", "PInverseWarped.nii.gz",
        ]  # fmt: skip
        assert (
            f"mask of fixed in stage 1: {mask}" in done.stdout
            and "mask of fixed in stage 2: none" in done.stdout
        )

    def test_skipped_levels_are_named(self, sitk, tmp_path):
        """Windows of 9 voxels do not fit into 4, but into 8 along the longer axes with radius 3."""
        image = cudaspline.Image(numpy.ones((16, 20, 24), "f4"))
        files = [write(sitk, tmp_path / name, image) for name in ("f.nrrd", "m.nrrd")]
        options = ["-s", "rigid", "-s", "syn", "--shrink", "4,2,1", "--iterations", "5,5,5"]
        options += ["--sigmas", "2,1,0", "--explain"]
        lines = register(*files, *options, "-o", tmp_path / "t.h5").stdout.splitlines()
        skipped = [line.strip() for line in lines if "is skipped" in line]
        why = "its grid has fewer samples along an axis than the windows of cc"
        assert skipped == [f"level {level} is skipped: {why}" for level in (1, 2)]
        lines = register(
            *files, *options, "--radius", "default", "--radius", "3", "-o", tmp_path / "t.h5"
        )
        assert [line.strip()[:7] for line in lines.stdout.splitlines() if "is skipped" in line] == [
            "level 1"
        ]


class TestInitialTransforms:
    @pytest.fixture
    def transforms(self, sitk, tmp_path):
        turn = sitk.Euler3DTransform((3.0, -2.0, 5.0), 0.02, -0.03, 0.05, (1.0, 0.5, -0.5))
        scale = sitk.AffineTransform(3)
        scale.SetMatrix((1.02, 0.01, 0, 0, 0.99, 0.02, 0, 0, 1.01))
        scale.SetTranslation((0.5, -1.0, 0.25))
        files = [tmp_path / "turn.tfm", tmp_path / "scale.tfm"]
        for transform, file in zip((turn, scale), files):
            sitk.WriteTransform(transform, str(file))
        return (turn, scale), files

    @pytest.mark.parametrize("order", ["itk", "ants"])
    def test_the_order(self, pair, transforms, sitk, tmp_path, order):
        images, files = pair
        (turn, scale), names = transforms
        words = [word for name in names for word in ("--initial-transform", name)] + (
            ["--ants-order"] if order == "ants" else []
        )
        register(
            *files, "--stage", "rigid", "--iterations", "0", *words, "-o", tmp_path / "found.tfm"
        )
        found = sitk.ReadTransform(str(tmp_path / "found.tfm"))
        points = points_of(images[0])
        wanted = (
            through(turn, through(scale, points))
            if order == "itk"
            else through(scale, through(turn, points))
        )
        other = (
            through(scale, through(turn, points))
            if order == "itk"
            else through(turn, through(scale, points))
        )
        assert difference(through(found, points), wanted) < 1e-9 < 0.01 < difference(other, wanted)
        listed = cudaspline.register(
            *images,
            "rigid",
            initial=[str(name) for name in (names if order == "itk" else names[::-1])],
            iterations=0,
        )
        assert difference(listed.transform.apply(points), wanted) < 1e-9

    def test_one_of_them_is_inverted(self, pair, transforms, sitk, tmp_path):
        images, files = pair
        (turn, scale), names = transforms
        register(
            *files, "--stage", "rigid", "--iterations", "0", "--initial-transform", names[0], "--initial-transform", f"{names[1]},inverse",
            "-o", tmp_path / "found.tfm",
        )  # fmt: skip
        points = points_of(images[0])
        found = sitk.ReadTransform(str(tmp_path / "found.tfm"))
        assert (
            difference(through(found, points), through(turn, through(scale.GetInverse(), points)))
            < 1e-9
        )

    def test_a_list_as_ants_has_it_is_warned_of(self, pair, sitk, tmp_path):
        images, files = pair
        register(
            *files,
            "--stage",
            "affine",
            "--stage",
            "syn",
            "--iterations",
            "2",
            "--shrink",
            "2",
            "--output-prefix",
            tmp_path / "P",
        )
        ordered = [
            "--initial-transform",
            tmp_path / "P1Warp.nii.gz",
            "--initial-transform",
            tmp_path / "P0GenericAffine.mat",
        ]
        rest = ("--stage", "rigid", "--iterations", "0", "-o", tmp_path / "t.h5")
        assert (
            "use --ants-order to apply the first one first"
            in register(*files, *rest, *ordered).stderr
        )
        assert register(*files, *rest, *ordered, "--ants-order").stderr == ""


class TestStageMasks:
    def boxes(self, images, sitk, tmp_path):
        """Masks of two parts of the fixed image: (arrays, files)."""
        arrays = [numpy.zeros(images[0].geometry.shape, "u1") for _ in range(2)]
        arrays[0][:, :14], arrays[1][:, 12:] = 1, 1
        geometry = images[0].geometry
        return arrays, [
            write(sitk, tmp_path / f"box{n}.nrrd", cudaspline.Image.of(array, geometry, False))
            for n, array in enumerate(arrays)
        ]

    def test_each_stage_has_its_own(self, pair, sitk, tmp_path):
        images, files = pair
        arrays, names = self.boxes(images, sitk, tmp_path)
        # Stages that move nothing to speak of: their first values are those of the images as they
        # are.
        options = dict(
            metric="meansquares",
            iterations=(1,),
            shrink=(1,),
            sigmas=(0,),
            step=1e-9,
            minimum_step=1e-12,
        )
        stages = [cudaspline.Stage("translation", mask=array, **options) for array in arrays]
        found = cudaspline.register(*images, stages, initial="none", device="cpu")
        fixed = images[0].array.astype(float)
        moving = cudaspline.resample(
            images[1], None, images[0], interpolation="linear", smooth=False
        ).array.astype(float)
        inside = (
            cudaspline.resample(
                cudaspline.Image.of(numpy.ones_like(images[1].array), images[1].geometry, False),
                None,
                images[0],
                interpolation="nearest",
            ).array
            > 0
        )
        wanted = [((fixed - moving) ** 2)[(array > 0) & inside].mean() for array in arrays]
        assert found.history["value"] == pytest.approx(wanted, rel=1e-4)
        assert abs(wanted[0] / wanted[1] - 1) > 0.01
        words = [word for name in names for word in ("--fixed-mask", name)]
        register(
            *files, "--stage", "translation", "--stage", "translation", "-m", "meansquares", "--iterations", 1, "--shrink", 1, "--sigmas", 0,
            "--step", 1e-9, "--minimum-step", 1e-12, "--initialize", "none", *words, "--report", tmp_path / "report.json",
        )  # fmt: skip
        report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert [one["value"] for one in report["iterations"]] == found.history["value"].tolist()

    def test_program_and_python_agree(self, pair, sitk, tmp_path):
        images, files = pair
        arrays, names = self.boxes(images, sitk, tmp_path)
        moving = [numpy.ones(images[1].geometry.shape, "u1"), None]
        moving[0][:, :, :3] = 0
        name = write(
            sitk,
            tmp_path / "moving-mask.nrrd",
            cudaspline.Image.of(moving[0], images[1].geometry, False),
        )
        options = dict(iterations=(6, 4))
        stages = [
            cudaspline.Stage("rigid", mask=arrays[0], moving_mask=moving[0], **options),
            cudaspline.Stage("syn", mask=arrays[1], radius=2, **options),
        ]
        found = cudaspline.register(*images, stages, initial="centre", device="cpu")
        register(
            *files, "--stage", "rigid", "--stage", "syn", "--iterations", "6,4", "--radius", 2, "--initialize", "centre", "--fixed-mask",
            names[0], "--fixed-mask", names[1], "--moving-mask", name, "--moving-mask", "none", "--report", tmp_path / "report.json",
        )  # fmt: skip
        report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert [one["value"] for one in report["iterations"]] == pytest.approx(
            found.history["value"].tolist(), rel=1e-6
        )

    def test_one_mask_for_all_is_that_of_register(self, pair):
        images, _ = pair
        mask = numpy.zeros(images[0].geometry.shape, "u1")
        mask[:, 8:] = 1
        options = dict(iterations=(5, 3), initial="none", device="cpu")
        whole = cudaspline.register(*images, ["rigid", "affine"], mask=mask, **options)
        each = cudaspline.register(
            *images,
            [cudaspline.Stage("rigid", mask=mask), cudaspline.Stage("affine", mask=mask)],
            **options,
        )
        none = cudaspline.register(*images, ["rigid", "affine"], **options)
        assert (
            each.history["value"].tolist()
            == whole.history["value"].tolist()
            != none.history["value"].tolist()
        )
        assert whole.spec == each.spec  # documents do not contain masks

    def test_wrong_masks_are_refused(self, pair, tmp_path):
        images, files = pair
        with pytest.raises(ValueError, match=r"^stages\[0\].mask: its shape"):
            cudaspline.register(
                *images, cudaspline.Stage("rigid", mask=numpy.ones((2, 3, 4), "u1"))
            )
        done = start(PROGRAM, *files, "-o", tmp_path / "t.tfm", *["--fixed-mask", files[0]] * 3)
        assert done.returncode == 1 and "--fixed-mask is given 3 times" in done.stderr

    @pytest.mark.parametrize("direction", [1, -1])
    def test_masks_without_geometry_are_refused(self, pair, sitk, tmp_path, direction):
        """A mask that a tool wrote with the voxels of its image and without its geometry."""
        images, files = pair
        lost = cudaspline.Image(
            numpy.ones(images[1].shape, "u1"), direction=numpy.diag([direction, direction, 1.0])
        )
        path = write(sitk, tmp_path / "lost.nii.gz", lost)
        done = start(PROGRAM, *files, "-o", tmp_path / "t.tfm", "--moving-mask", path)
        assert done.returncode == 1 and f'the mask "{path}" has no geometry' in done.stderr
        assert "CopyInformation" in done.stderr
        for value in (lost, str(path)):
            with pytest.raises(ValueError, match="^moving_mask: it has no geometry"):
                cudaspline.register(*images, "rigid", moving_mask=value)
        moving = cudaspline.Image(images[1].array.copy(), *_geometry_of(images[1]))
        moving.array[3, 3, 3] = numpy.nan  # masks of finite voxels have the grid of the image
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ValueError, match="^moving_mask: it has no geometry"):
                cudaspline.register(images[0], moving, "rigid", moving_mask=lost)
        cudaspline.register(*images, "rigid", moving_mask=lost.array, iterations=0)


class TestWarnings:
    """Warnings of registrations, as the program and Python have them."""

    @staticmethod
    def of_both(pair, words, *stages, **options):
        images, files = pair
        done = start(PROGRAM, *files, *words, "-o", files[0].parent / "t.h5", "--device", "cpu", "--quiet")  # fmt: skip
        assert done.returncode == 0, done.stderr
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            cudaspline.register(*images, *stages, device="cpu", **options)
        return done.stderr, "\n".join(str(one.message) for one in found)

    def test_few_iterations_of_a_caller(self, pair):
        words = ["--stage", "rigid", "-m", "meansquares", "--iterations", "3", "--initialize", "none"]  # fmt: skip
        program, python = self.of_both(
            pair, words, "rigid", metric="meansquares", iterations=3, initial="none"
        )
        for text in (program, python):
            assert "of 3 ended after 3 iterations while the metric still fell by" in text
            assert "iterations: one number for all levels, or one per level)" in text
        words[4:6] = []
        program, python = self.of_both(pair, words, "rigid", metric="meansquares", initial="none")
        assert "iterations" not in program + python

    def test_starts_along_restricted_axes(self, pair, sitk):
        images, files = pair
        spacing, origin, direction = _geometry_of(images[1])
        moving = cudaspline.Image(images[1].array, spacing, origin + [10, 0, 0], direction)
        write(sitk, files[1], moving)
        pair = (images[0], moving), files
        words = ["--stage", "translation", "--restrict-deformation", "0,1,1"]
        options = dict(restrict_deformation=(0, 1, 1))
        program, python = self.of_both(pair, words, "translation", **options)
        for text in (program, python):
            assert "the restricted axes do not apply to the initial alignment 'moments'" in text
            assert "mm along x; use 'none'" in text
        assert "(--initialize)" in program and "(initial)" in python
        program, python = self.of_both(
            pair, [*words, "--initialize", "none"], "translation", initial="none", **options
        )
        assert "restricted" not in program + python

    def test_units_that_differ(self, pair, sitk, tmp_path):
        """A spacing in micrometres."""
        images, files = pair
        moving = cudaspline.Image(
            images[1].array, images[1].spacing * 1000, images[1].origin * 1000, images[1].direction
        )
        write(sitk, files[1], moving)
        words = ["--stage", "translation", "--iterations", "2"]
        program, python = self.of_both(
            ((images[0], moving), files), words, "translation", iterations=2
        )
        for text in (program, python):
            assert "the moving image is 1000 times larger: check the units of the spacings" in text

    def test_label_maps_without_geometry(self, pair, sitk, tmp_path):
        images, files = pair
        path = write(sitk, tmp_path / "l.nii.gz", cudaspline.Image(numpy.ones(images[0].shape, "u1")))  # fmt: skip
        done = start(PROGRAM, *files, "--stage", "rigid", "--fixed-labels", path, "--moving-labels", path, "--iterations", "0", "-o", tmp_path / "t.tfm")  # fmt: skip
        assert done.returncode == 1 and f'the label map "{path}" has no geometry' in done.stderr


class TestComposites:
    def test_forward_and_inverse(self, pair, sitk, tmp_path):
        """As antsRegistration --write-composite-transform 1: SimpleITK gives the same points."""
        images, files = pair
        words = (
            "--stage",
            "rigid",
            "--stage",
            "syn",
            "--iterations",
            "8,4",
            "--output-prefix",
            tmp_path / "P",
            "-o",
            tmp_path / "t.h5",
        )
        register(*files, *words, "--composite")
        assert {name for name in os.listdir(tmp_path) if name.startswith("P")} == {
            "PComposite.h5", "PInverseComposite.h5", "PWarped.nii.gz", "PInverseWarped.nii.gz",
        }  # fmt: skip
        forward, inverse, whole = (
            sitk.ReadTransform(str(tmp_path / name))
            for name in ("PComposite.h5", "PInverseComposite.h5", "t.h5")
        )
        points = points_of(images[0])
        moved = through(forward, points)
        assert difference(moved, through(whole, points)) == 0.0 and difference(moved, points) > 0.5
        assert (
            difference(through(inverse, moved), points) < 0.05
        )  # fields' inverses are found by iteration
        assert (
            difference(
                cudaspline.Transform(str(tmp_path / "PComposite.h5"), 3).apply(points), moved
            )
            < 1e-9
        )
        register(*files, *words)
        assert (tmp_path / "P1Warp.nii.gz").exists() and (tmp_path / "P0GenericAffine.mat").exists()

    def test_of_matrices_the_inverse_is_exact(self, pair, sitk, tmp_path):
        images, files = pair
        register(
            *files,
            "--stage",
            "rigid",
            "--iterations",
            "8,4",
            "--output-prefix",
            tmp_path / "P",
            "--composite",
        )
        points = points_of(images[0])
        forward, inverse = (
            sitk.ReadTransform(str(tmp_path / f"P{name}.h5"))
            for name in ("Composite", "InverseComposite")
        )
        assert difference(through(inverse, through(forward, points)), points) < 1e-10

    @pytest.fixture
    def made(self, pair, sitk, tmp_path):
        images, files = pair
        register(
            *files,
            "--stage",
            "affine",
            "--stage",
            "syn",
            "--iterations",
            "8,4",
            "--output-prefix",
            tmp_path / "P",
        )
        turn = sitk.Euler3DTransform((3.0, -2.0, 5.0), 0.02, -0.03, 0.05, (1.0, 0.5, -0.5))
        sitk.WriteTransform(turn, str(tmp_path / "turn.tfm"))
        field = sitk.DisplacementFieldTransform(
            sitk.ReadImage(str(tmp_path / "P1Warp.nii.gz"), sitk.sitkVectorFloat64)
        )
        return (turn, sitk.ReadTransform(str(tmp_path / "P0GenericAffine.mat")), field), [
            "turn.tfm",
            "P0GenericAffine.mat",
            "P1Warp.nii.gz",
        ]

    @pytest.mark.parametrize("order", ["itk", "ants"])
    def test_a_list_becomes_one_transform(self, pair, made, sitk, tmp_path, order):
        transforms, names = made
        listed = [tmp_path / name for name in (names if order == "itk" else names[::-1])]
        resample(
            "--compose",
            tmp_path / "all.h5",
            "-t",
            *listed,
            *(["--ants-order"] if order == "ants" else []),
        )
        found = sitk.ReadTransform(str(tmp_path / "all.h5"))
        points = points_of(pair[0][0])
        wanted = points
        for transform in transforms[::-1]:
            wanted = through(transform, wanted)
        assert difference(through(found, points), wanted) < 1e-9
        resample("--compose", tmp_path / "inverse.tfm", "-t", f"{tmp_path / names[0]},inverse")
        back = sitk.ReadTransform(str(tmp_path / "inverse.tfm"))
        assert difference(through(back, through(transforms[0], points)), points) < 1e-10

    def test_a_list_becomes_one_field(self, pair, made, sitk, tmp_path):
        images, files = pair
        transforms, names = made
        listed = [tmp_path / name for name in names]
        resample(
            "--compose",
            tmp_path / "all.nii.gz",
            "-t",
            *listed,
            "-r",
            files[0],
            "--spacing",
            "2",
            "--output-type",
            "double",
        )
        field = sitk.ReadImage(str(tmp_path / "all.nii.gz"))
        assert field.GetSize() == (15, 14, 22) and field.GetPixelID() == sitk.sitkVectorFloat64
        for index in [(0, 0, 0), (7, 5, 11), (14, 13, 21)]:
            point = numpy.array(field.TransformIndexToPhysicalPoint(index))
            wanted = point
            for transform in transforms[::-1]:
                wanted = numpy.array(transform.TransformPoint(wanted.tolist()))
            assert point + field[index] == pytest.approx(wanted, abs=1e-6)
        resample("--compose", tmp_path / "there.mha", "-t", *listed)  # on the grid of the field
        assert sitk.ReadImage(str(tmp_path / "there.mha")).GetSize() == (30, 28, 22)

    def test_what_it_cannot_be_is_refused(self, pair, made, tmp_path):
        line = start(
            RESAMPLE, "--compose", tmp_path / "all.nii", "-t", tmp_path / "turn.tfm"
        ).stderr
        assert (
            "needs an output grid; name an image with --reference" in line
            and not (tmp_path / "all.nii").exists()
        )
        assert "--compose needs the name of the output" in refused(
            RESAMPLE, pair[1][0], "--compose", tmp_path / "all.h5", "-t", tmp_path / "turn.tfm"
        )
        assert "--interpolation can only be used with images" in refused(
            RESAMPLE, "--compose", tmp_path / "all.h5", "-t", tmp_path / "turn.tfm", "-i", "linear"
        )


class TestPoints:
    def test_points_go_by_the_transform_itself(self, pair, sitk, tmp_path):
        """A table as antsApplyTransformsToPoints takes it: columns x, y, z, t, label stay."""
        images, files = pair
        register(
            *files,
            "--stage",
            "rigid",
            "--stage",
            "syn",
            "--iterations",
            "8,4",
            "-o",
            tmp_path / "t.h5",
        )
        points = points_of(images[0], 8)
        with open(tmp_path / "points.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["x", "y", "z", "t", "label"])
            table.writerows([*map(repr, point.tolist()), 0, n] for n, point in enumerate(points))
        resample(
            "--points", tmp_path / "points.csv", tmp_path / "moved.csv", "-t", tmp_path / "t.h5"
        )
        with open(tmp_path / "moved.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["x", "y", "z", "t", "label"] and [row[3:] for row in rows[1:]] == [
            ["0", str(n)] for n in range(8)
        ]
        moved = numpy.array([[float(number) for number in row[:3]] for row in rows[1:]])
        assert difference(moved, through(sitk.ReadTransform(str(tmp_path / "t.h5")), points)) < 1e-9
        text = " ".join(run(RESAMPLE, "--help").stdout.split())
        assert "Images go the other way" in text


@pytest.mark.parametrize("given", list(itertools.product([False, True], repeat=4)))
def test_every_grid_is_that_of_python(sitk, tmp_path, given):
    """All combinations of --size, --spacing, --origin and --direction."""
    options = {
        name: value
        for name, value, is_given in zip(
            ("size", "spacing", "origin", "direction"),
            ((10, 11, 12), (1.5, 2.0, 2.5), (-20.0, -18.0, -16.0), (0.0, -1, 0, 1, 0, 0, 0, 0, 1)),
            given,
        )
        if is_given
    }
    image = cudaspline.Image(
        numpy.random.default_rng(3).uniform(size=(15, 18, 28)), (2, 3, 4), (-30, -25, -20)
    )
    file = write(sitk, tmp_path / "image.nrrd", image)
    words = [f"--{name}={','.join(map(repr, value))}" for name, value in options.items()]
    resample(file, tmp_path / "out.nrrd", *words, "--device", "cpu", "--quiet")
    found = sitk.ReadImage(str(tmp_path / "out.nrrd"))
    wanted = cudaspline.resample(image, **options, smooth=False, device="cpu")
    assert found.GetSize() == wanted.geometry.size
    for name, numbers in (("Spacing", wanted.spacing), ("Origin", wanted.origin), ("Direction", wanted.direction.ravel())):  # fmt: skip
        assert difference(numpy.array(getattr(found, f"Get{name}")()), numbers) < 1e-9, name
    assert difference(sitk.GetArrayFromImage(found), wanted.array) < 1e-9
    if "spacing" not in options and ("size" not in options or "origin" in options):
        assert difference(numpy.array(found.GetSpacing()), image.spacing) < 1e-9


class TestWarpedImage:
    def test_another_grid_is_that_of_resample(self, pair, sitk, tmp_path):
        images, files = pair
        grids = {
            "crop": ["--crop", "3:20,:,2:12"],
            "spacing": ["--spacing", "0.7,0.9,1.1"],
            "moved": [
                "--origin",
                "-3,2.5,4",
                "--direction",
                "0,-1,0,1,0,0,0,0,1",
                "--size",
                "20,18,9",
            ],
            "reference": ["-r", files[1], "--crop", "4:,:,:8"],
        }
        for name, words in grids.items():
            register(
                *files,
                "--stage",
                "rigid",
                "--iterations",
                "6",
                "-o",
                tmp_path / "t.tfm",
                "-w",
                tmp_path / "w.nrrd",
                *words,
                "--default-value",
                "-7",
            )
            base = [] if name == "reference" else ["-r", files[0]]
            resample(
                files[1],
                tmp_path / "r.nrrd",
                "-t",
                tmp_path / "t.tfm",
                *base,
                *words,
                "--default-value",
                "-7",
                "--device",
                "cpu",
            )
            one, other = (sitk.ReadImage(str(tmp_path / f"{letter}.nrrd")) for letter in "wr")
            assert (one.GetSize(), one.GetSpacing(), one.GetOrigin(), one.GetDirection()) == (
                other.GetSize(), other.GetSpacing(), other.GetOrigin(), other.GetDirection(),
            )  # fmt: skip
            assert difference(sitk.GetArrayFromImage(one), sitk.GetArrayFromImage(other)) < 1e-4, (
                name
            )

    def test_types_are_rounded(self, pair, sitk, tmp_path):
        images, files = pair
        for word, code in (
            ("int16", sitk.sitkInt16),
            ("uint8", sitk.sitkUInt8),
            ("double", sitk.sitkFloat64),
        ):
            register(*files, "--stage", "rigid", "--iterations", "6", "-w", tmp_path / "real.nrrd")
            register(
                *files,
                "--stage",
                "rigid",
                "--iterations",
                "6",
                "-w",
                tmp_path / "typed.nrrd",
                "--output-type",
                word,
            )
            typed = sitk.ReadImage(str(tmp_path / "typed.nrrd"))
            assert typed.GetPixelID() == code
            real = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "real.nrrd"))).astype(float)
            wanted = (
                real
                if word == "double"
                else numpy.rint(real).clip(
                    0 if word == "uint8" else -32768, 255 if word == "uint8" else 32767
                )
            )
            assert numpy.array_equal(sitk.GetArrayFromImage(typed), wanted)
        done = start(
            PROGRAM,
            *files,
            "-w",
            tmp_path / "t.nii",
            "--output-type",
            "uint8",
            "--default-value",
            "-1",
        )
        assert (
            done.returncode == 1 and "--default-value -1 cannot be stored as uint8" in done.stderr
        )
        assert "can only be used with --warped" in refused(
            PROGRAM, *files, "-o", tmp_path / "t.tfm", "--output-type", "uint8"
        )

    def picture(self, shift, shape=(70, 80)):
        y, x = numpy.mgrid[: shape[0], : shape[1]].astype(float)
        x, y = x - shift[0], y - shift[1]
        return (
            200
            * numpy.exp(-(((x - 40) / 18) ** 2 + ((y - 36) / 13) ** 2))
            * (1 + 0.2 * numpy.cos(0.4 * x) * numpy.cos(0.3 * y))
        )

    def test_a_png_of_two_pngs(self, sitk, tmp_path):
        for name, shift in (("fixed", (0, 0)), ("moving", (5, -3))):
            sitk.WriteImage(
                sitk.GetImageFromArray(self.picture(shift).clip(0, 255).round().astype("u1")),
                str(tmp_path / f"{name}.png"),
            )
        register(
            tmp_path / "fixed.png",
            tmp_path / "moving.png",
            "--stage",
            "rigid",
            "-w",
            tmp_path / "warped.png",
            "-p",
            tmp_path / "checks.png",
        )
        warped = sitk.ReadImage(str(tmp_path / "warped.png"))
        assert warped.GetPixelID() == sitk.sitkUInt8 and warped.GetSize() == (80, 70)
        fixed, moving = (
            sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.png"))).astype(float)
            for name in ("fixed", "moving")
        )
        inner = (slice(8, -8), slice(8, -8))
        assert (
            numpy.abs(sitk.GetArrayFromImage(warped) - fixed)[inner].max()
            < 8
            < 40
            < numpy.abs(moving - fixed)[inner].max()
        )

    @pytest.mark.parametrize("ending", ["png", "nii.gz"])
    def test_colours_stay(self, sitk, tmp_path, ending):
        """Slides are compared by their luminance, and the warped one has its colours, in the
        program and in Python."""
        mix = numpy.array(
            [[1.0, 0.0], [0.4, 60.0], [-0.7, 200.0]]
        )  # of each colour: factor, offset
        images = []
        for name, shift in (("fixed", (0, 0)), ("moving", (5, -3))):
            colours = (
                numpy.stack(
                    [factor * self.picture(shift) + offset for factor, offset in mix], axis=-1
                )
                .clip(0, 255)
                .round()
                .astype("u1")
            )
            images.append(
                cudaspline.Image(colours, (1.0, 1.0), (0.0, 0.0), numpy.eye(2), channels=True)
            )
            write(sitk, tmp_path / f"{name}.png", images[-1])
        register(
            tmp_path / "fixed.png", tmp_path / "moving.png", "--stage", "rigid", "-o", tmp_path / "t.tfm", "-w", tmp_path / f"warped.{ending}",
            "--report", tmp_path / "report.json",
        )  # fmt: skip
        warped = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"warped.{ending}")))
        assert warped.dtype == numpy.uint8 and warped.shape == (70, 80, 3)
        inner = (slice(8, -8), slice(8, -8))
        away = numpy.abs(warped.astype(float) - images[0].array)[inner]
        assert (
            away.max()
            < 8
            < 40
            < numpy.abs(images[1].array.astype(float) - images[0].array)[inner].max()
        )
        found = cudaspline.register(*images, "rigid", device="cpu")
        report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert found.history["value"].tolist() == pytest.approx(
            [one["value"] for one in report["iterations"]], rel=1e-6
        )
        assert found.warped.array.shape == (70, 80, 3)
        assert numpy.abs(numpy.rint(found.warped.array) - warped)[inner].max() <= 1
        assert found.jacobian().array.shape == (70, 80)

    def test_channels_are_pairs(self, sitk, tmp_path):
        """Colours that move alone, at one luminance, are seen in the channels; values are those of
        Python with the same pairs."""
        y, x = numpy.mgrid[:40, :48].astype(float)
        images = []
        for name, shift in (("fixed", 0.0), ("moving", 1.5)):
            wave = 40 * numpy.cos(0.45 * (x - shift)) * numpy.cos(0.4 * y)
            colours = (
                numpy.stack(
                    [120 + 0.59 / 0.30 * wave, 120 - wave, 120 + 10 * numpy.cos(0.4 * y)], axis=-1
                )
                .clip(0, 255)
                .round()
                .astype("u1")
            )
            images.append(
                cudaspline.Image(colours, (1.0, 1.0), (0.0, 0.0), numpy.eye(2), channels=True)
            )
            write(sitk, tmp_path / f"{name}.png", images[-1])
        words = [
            "--stage",
            "greedy",
            "-m",
            "meansquares,meansquares,meansquares,meansquares",
            "--iterations",
            60,
            "--shrink",
            1,
            "--sigmas",
            0,
        ]
        files = [tmp_path / "fixed.png", tmp_path / "moving.png"]
        register(
            *files,
            *words,
            "--initialize",
            "none",
            "--channels",
            "--field",
            tmp_path / "field.mha",
            "--report",
            tmp_path / "report.json",
        )
        field = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "field.mha")))[8:-8, 8:-8]
        assert abs(field[..., 0].mean() - 1.5) < 0.5
        pairs = [
            tuple(
                cudaspline.Image(
                    image.array[..., n].astype("f4"), (1.0, 1.0), (0.0, 0.0), numpy.eye(2)
                )
                for image in images
            )
            for n in range(3)
        ]
        found = cudaspline.register(
            *images,
            "greedy",
            also=pairs,
            metric=["meansquares"] * 4,
            iterations=(60,),
            shrink=(1,),
            sigmas=(0,),
            initial="none",
            device="cpu",
        )
        report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert [one["value"] for one in report["iterations"]] == pytest.approx(
            found.history["value"].tolist(), rel=1e-6
        )
        done = start(PROGRAM, *files, "-o", tmp_path / "t.h5", "--channels")
        assert done.returncode == 1 and "no stage compares red, green and blue" in done.stderr


def test_vectors_of_bytes_are_colours(sitk, tmp_path):
    """As SimpleITK writes them to NRRD; the remedy for a missing folder is named."""
    values = numpy.random.default_rng(2).integers(0, 255, (24, 30, 3), "u1")
    files = [str(tmp_path / name) for name in ("f.nrrd", "m.nrrd", "w.nrrd")]
    for name in files[:2]:
        sitk.WriteImage(sitk.GetImageFromArray(values, isVector=True), name)
    options = ["-s", "translation", "--iterations", "2", "--initialize", "none"]
    register(*files[:2], *options, "-w", files[2])
    assert numpy.array_equal(sitk.GetArrayFromImage(sitk.ReadImage(files[2])), values)
    done = start(PROGRAM, *files[:2], *options, "-w", tmp_path / "new" / "w.nrrd")
    assert done.returncode == 1 and "--make-folders" in done.stderr
    done = start(PROGRAM, *files[:2], *options, "-w", files[2], "third")
    assert done.returncode == 2 and "not expected: third" in done.stderr


class TestListsOfAnts:
    @pytest.mark.parametrize(
        "own, other",
        [
            (["--iterations", "3,0,2"], ["--iterations", "3x0x2"]),
            (["--shrink", "4,2,1", "--sigmas", "2,1,0"], ["--shrink", "4x2x1", "--sigmas", "2x1x0vox"]),
            (["--sigmas", "4,2.5,0mm"], ["--sigmas", "4x2.5x0mm"]),
        ],
    )  # fmt: skip
    def test_are_understood(self, pair, own, other):
        words = ["--stage", "rigid", "--dump-spec", "-"]
        assert (
            run(PROGRAM, *pair[1], *words, *own).stdout
            == run(PROGRAM, *pair[1], *words, *other).stdout
        )

    def test_sizes_of_grids(self, pair, tmp_path):
        for number, (spacing, size) in enumerate((("1,1.5,2", "9,8,7"), ("1x1.5x2", "9x8x7"))):
            resample(pair[1][0], tmp_path / f"{number}.nrrd", "--spacing", spacing, "--size", size)
        assert (tmp_path / "0.nrrd").read_bytes() == (tmp_path / "1.nrrd").read_bytes()


class TestNames:
    @pytest.mark.parametrize(
        "option, word, text",
        [
            ("--stage", "brain", "is not a stage but a preset"),
            ("--preset", "Rigid", "is not a preset but a stage"),
        ],
    )
    def test_presets_are_not_stages(self, option, word, text):
        assert text in refused(PROGRAM, "f.nii", "m.nii", "-o", "t.h5", option, word)
        argument = {"--stage": "stages", "--preset": "preset"}[option]
        with pytest.raises(ValueError, match=f"^{argument}: '{word}' {text}"):
            cudaspline.register(numpy.eye(9), numpy.eye(9), **{argument: word})

    def spec(self, *words):
        done = register("fixed.nii", "moving.nii", *words, "--dump-spec", "-")
        return json.loads(done.stdout)

    @pytest.fixture(autouse=True)
    def images(self, pair, sitk, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for image, name in zip(pair[0], ("fixed.nii", "moving.nii")):
            write(sitk, tmp_path / name, image)

    @pytest.mark.parametrize(
        "preset",
        ["fast", "brain", "syn", "multimodal", "abdomen", "histology", "standard", "Brain"],
    )
    @pytest.mark.parametrize("metric", ["mattes", "meansquares", "cc", "MI"])
    def test_presets_with_another_metric(self, preset, metric):
        """Program and Python agree, and do not mention options that were not given."""
        wanted = cudaspline.Stage("syn", metric=metric).metric
        spec = self.spec("--preset", preset, "-m", metric)
        assert {stage["metric"] for stage in spec["stages"]} == {wanted}
        stages = cudaspline.registration._registration_stages.complete_document(
            {"preset": preset, "options": {"metric": metric}}, {}, {}
        )
        assert spec["stages"] == stages["stages"]

    @pytest.mark.parametrize(
        "words, path, value",
        [
            (["--stage", "SyN", "-m", "CC"], ("stages", 0, "metric"), "cc"),
            (["--stage", "RIGID", "-m", "MI"], ("stages", 0, "metric"), "mattes"),
            (["--stage", "Rigid", "-m", "GC"], ("stages", 0, "metric"), "correlation"),
            (["--stage", "BSpline", "-m", "MeanSquares"], ("stages", 0, "kind"), "bspline"),
            (["-i", "BSpline[3]"], ("stages", 0, "order"), 3),
            (["-i", "Cubic"], ("stages", 0, "order"), 3),
            (["-i", "Linear"], ("stages", 0, "order"), 1),
            (["--precision", "Float32"], ("precision",), "float32"),
            (["--precision", "DOUBLE"], ("precision",), "float64"),
            (["--initialize", "Center"], ("initial",), "centre"),
            (
                ["--stage", "rigid", "--optimizer", "Gradient-Descent"],
                ("stages", 0, "optimizer"),
                "gradient-descent",
            ),
        ],
    )
    def test_names_are_known_in_any_case(self, words, path, value):
        found = self.spec(*words)
        for step in path:
            found = found[step]
        assert found == value

    @pytest.mark.parametrize(
        "program, words, meant",
        [
            (PROGRAM, ["--metirc", "cc"], "--metric"), (PROGRAM, ["--metric", "matte"], "mattes"), (PROGRAM, ["--stage", "afine"], "affine"),
            (PROGRAM, ["--preset", "brian"], "brain"), (PROGRAM, ["--initialize", "momnts"], "moments"),
            (PROGRAM, ["-w", "w.nii", "--output-type", "floot"], "float"), (PROGRAM, ["--optimizer", "gradient-decent"], "gradient-descent"),
            (PROGRAM, ["--sampling", "randm"], "random"), (PROGRAM, ["--device", "gup"], "gpu"), (PROGRAM, ["-i", "linaer"], "linear"),
            (RESAMPLE, ["--ouput-type", "float"], "--output-type"), (RESAMPLE, ["--output-type", "flot"], "float"),
            (RESAMPLE, ["-i", "nearst"], "nearest"), (RESAMPLE, ["--device", "gup"], "gpu"), (RESAMPLE, ["--round", "nearset"], "nearest"),
            (RESAMPLE, ["--smooth", "aut"], "auto"),
        ],
    )  # fmt: skip
    def test_a_slip_is_understood(self, program, words, meant):
        files = ["fixed.nii", "moving.nii", *(["-o", "t.tfm"] if program == PROGRAM else [])]
        assert f'did you mean "{meant}"?' in refused(program, *files, *words)

    def test_python_knows_the_names_too(self):
        options = dict(iterations=1, shrink=(4,))
        wanted = cudaspline.register(
            "fixed.nii",
            "moving.nii",
            "syn",
            metric="cc",
            precision="float32",
            device="cpu",
            **options,
        )
        for precision in ("Float", "FLOAT32", numpy.float32):
            found = cudaspline.register(
                "fixed.nii",
                "moving.nii",
                "SyN",
                metric="CC",
                precision=precision,
                device="CPU",
                **options,
            )
            assert (
                found.spec == wanted.spec
                and found.history["value"].tolist() == wanted.history["value"].tolist()
            )
        assert (
            cudaspline.register(
                "fixed.nii", "moving.nii", "Rigid", metric="MI", precision="double", **options
            ).spec["precision"]
            == "float64"
        )
        with pytest.raises(TypeError, match="metirc: .*did you mean 'metric'"):
            cudaspline.register("fixed.nii", "moving.nii", metirc="cc")

    def test_help_describes_every_preset(self):
        names = get_args(cudaspline.core._options.PresetName)
        text = run(PROGRAM, "--help").stdout
        listed = re.search(r"--preset NAME\s+([^:]*):", text).group(1)
        assert sorted(re.findall(r"\w+", listed.replace(" and ", " "))) == sorted(names)
        chapter = text[text.index("\nPresets (") :].split("\n\n")[0]
        assert sorted(re.findall(r"^  - (\w+): ", chapter, re.MULTILINE)) == sorted(names)

    @pytest.mark.parametrize(
        "words, form",
        [
            (
                ["--preset", "fast", "--restrict-deformation", "0,1,0"],
                "--restrict-deformation default --restrict-deformation 0,1,0",
            ),
            (
                ["--preset", "standard", "--restrict-deformation", "0,1,0"],
                "--restrict-deformation default --restrict-deformation default --restrict-deformation 0,1,0",
            ),
            (
                ["--stage", "rigid", "--stage", "syn", "--restrict-deformation", "1,1,1,0,0,1"],
                "--restrict-deformation 1,1,1,0,0,1 --restrict-deformation default",
            ),
            (
                ["--preset", "lung", "--iterations", "9,5"],
                "--iterations default --iterations 9,5",
            ),
        ],
    )
    def test_an_option_for_some_of_the_stages(self, words, form):
        """The message has the form that works."""
        names = ["fixed.nii", "moving.nii", "--explain"]
        done = start(PROGRAM, *names, *words)
        assert done.returncode in (1, 2) and done.stderr.count("\n") == 1
        assert done.stderr.split("; see --help")[0].rstrip().endswith(f"that allow it: {form}"), (
            done
        )
        run(PROGRAM, *names, *words[:-2], *form.split())

    def test_an_option_for_none_of_the_stages(self):
        done = start(
            PROGRAM, "fixed.nii", "moving.nii", "--explain", "--stage", "syn", "--stage", "greedy", "--restrict-deformation", "1,0",
        )  # fmt: skip
        assert "needs 3 numbers, not 2" in done.stderr and "default" not in done.stderr

    @pytest.mark.parametrize("program", [PROGRAM, RESAMPLE])
    @pytest.mark.parametrize("width", [60, 80, 100])
    def test_help_fits_the_terminal(self, program, width):
        done = subprocess.run(
            [program, "--help"],
            env={**os.environ, "COLUMNS": str(width)},
            capture_output=True,
            text=True,
            check=True,
        )
        lines = done.stdout.splitlines()
        assert max(map(len, lines)) <= width
        assert (
            sum(
                line.startswith(f"  {os.path.basename(program)} ")
                for line in lines[lines.index("Examples") :]
            )
            == 5
        )

    def test_both_programs_have_one_name_for_an_option(self):
        options = [
            set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(program, "--help").stdout, re.MULTILINE))
            for program in (PROGRAM, RESAMPLE)
        ]
        shared = {
            "--reference", "--crop", "--spacing", "--size", "--origin", "--direction", "--output-type", "--default-value", "--interpolation",
            "--device", "--max-memory", "--make-folders", "--explain", "--report", "--verbose", "--quiet", "--force", "--ants-order",
        }  # fmt: skip
        assert [shared - one for one in options] == [set(), set()]


@pytest.mark.parametrize(
    "words, iterations",
    [
        ([], [200, 200]), (["--iterations", "300"], [300, 300]), (["--iterations", "300,20,10"], [300, 20, 10]), (["--levels", "3"], [200] * 3),
        (["--iteration-limit", "400"], [200, 200]), (["--iteration-limit", "400,300,300"], [200] * 3), (["--shrink", "4"], [200]),
        (["--sigmas", "2,1,0", "--iterations", "7"], [7, 7, 7]),
    ],
)  # fmt: skip
def test_motion_has_two_levels_until_others_are_given(rng, sitk, tmp_path, words, iterations):
    volume = sitk.GetImageFromArray(rng.uniform(size=(8, 9, 10)))
    sitk.WriteImage(sitk.JoinSeries([volume, volume]), str(tmp_path / "bold.nii"))
    done = register(tmp_path / "bold.nii", "--motion", "first", *words, "--dump-spec", "-")
    assert json.loads(done.stdout)["stages"][0]["iterations"] == iterations


class TestOrientationOfMetaImages:
    """AnatomicalOrientation of files that ITK has written is never against their matrix."""

    def turned(self, sitk, number):
        degrees = (*itertools.product((30.0, 44.99, 45.0, 45.01, 90.0, 135.0, -45.0), "xyz"),)
        matrix = numpy.eye(3)
        if number < len(degrees):
            angle, axis = degrees[number]
            cosine, sine = numpy.cos(numpy.radians(angle)), numpy.sin(numpy.radians(angle))
            one, other = [n for n in range(3) if "xyz"[n] != axis]
            matrix[[one, other], [one, other]] = cosine
            matrix[one, other], matrix[other, one] = -sine, sine
        else:
            matrix = numpy.linalg.qr(numpy.random.default_rng(number).normal(size=(3, 3)))[0]
        image = sitk.GetImageFromArray(numpy.arange(60.0).reshape(3, 4, 5))
        image.SetDirection(matrix.ravel().tolist())
        return image

    @pytest.mark.parametrize("number", range(60))
    def test_of_itk_and_of_the_program(self, sitk, tmp_path, number):
        image = self.turned(sitk, number)
        sitk.WriteImage(image, str(tmp_path / "in.mha"))
        done = run(RESAMPLE, tmp_path / "in.mha", tmp_path / "out.mha", "-r", tmp_path / "in.mha", "--device", "cpu")  # fmt: skip
        assert "warning" not in done.stderr
        again = run(RESAMPLE, tmp_path / "out.mha", tmp_path / "again.mha", "--device", "cpu")
        assert "warning" not in again.stderr

    @pytest.mark.parametrize("letters", ["LAI", "RPI", "RAS", "ARI", "LPS"])
    def test_wrong_letters_are_reported(self, sitk, tmp_path, letters):
        sitk.WriteImage(self.turned(sitk, 0), str(tmp_path / "in.mha"))
        text = (tmp_path / "in.mha").read_bytes()
        (tmp_path / "in.mha").write_bytes(
            re.sub(rb"Orientation = \w+", b"Orientation = " + letters.encode(), text, count=1)
        )
        done = run(RESAMPLE, tmp_path / "in.mha", tmp_path / "out.mha", "--device", "cpu")
        assert done.stderr.count("warning") == 1
        assert f'"{letters}", and the axes of TransformMatrix are RAI' in done.stderr


@pytest.mark.parametrize("stage", ["rigid", "affine", "bspline", "syn"])
def test_progress_ends_near_its_end(pair, stage):
    """Though stages converge before their maximum of iterations: what the bar of the program shows."""
    seen = []
    cudaspline.register(*pair[0], stage, progress=seen.append, device="cpu")
    assert seen == sorted(seen) and 0.6 <= seen[-1] <= 1


class TestNamesOfTransforms:
    def test_blanks_in_the_form_of_ants(self, pair, sitk, tmp_path):
        transform = sitk.AffineTransform([1, 0.1, 0, 0, 1, 0, 0, 0, 1], [2, 3, 4])
        file = tmp_path / "t.tfm"
        sitk.WriteTransform(transform, str(file))
        made = []
        for number, word in enumerate((f"[{file},1]", f"[{file}, 1]", f"[ {file} , 1 ]", f"{file},inverse", f"{file}, inverse")):  # fmt: skip
            resample(pair[1][0], tmp_path / f"{number}.nrrd", "-t", word, "--device", "cpu", "--quiet")  # fmt: skip
            made.append(sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{number}.nrrd"))))
            python = cudaspline.resample(pair[0][0], word, device="cpu").array
            assert difference(python, made[-1]) < 1e-4
            assert numpy.array_equal(made[-1], made[0])
        resample(
            pair[1][0], tmp_path / "f.nrrd", "-t", f"[{file}, 0]", "--device", "cpu", "--quiet"
        )
        forward = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "f.nrrd")))
        assert difference(forward, made[0]) > 0.1

    def test_a_name_for_each_volume_needs_its_option(self, pair, tmp_path):
        done = start(RESAMPLE, pair[1][0], tmp_path / "o.nrrd", "-t", tmp_path / "mc/%04d.tfm")
        assert done.returncode == 1 and "--transform-per-volume" in done.stderr
        with pytest.raises(FileNotFoundError, match="%04d.tfm.*transform_per_volume=True"):
            cudaspline.resample(pair[0][0], str(tmp_path / "mc/%04d.tfm"))
        done = start(RESAMPLE, pair[1][0], tmp_path / "o.nrrd", "-t", tmp_path / "none.tfm")
        assert "per-volume" not in done.stderr

    @pytest.mark.parametrize("name", ["x.nii.gz", "x.nrrd", "x", "x.xfm"])
    def test_a_transform_is_not_an_image(self, pair, tmp_path, name):
        done = start(
            PROGRAM, *pair[1], "--stage", "rigid", "-o", tmp_path / name, "--device", "cpu"
        )
        assert done.returncode == 1 and done.stderr.count("\n") == 1
        assert f'cannot write the transform "{name}"' in done.stderr
        assert "its ending is not one of these" in done.stderr and "TransformIO" not in done.stderr
        assert str(tmp_path) not in done.stderr and not (tmp_path / name).exists()


def test_motion_is_a_table_with_a_description(rng, sitk, tmp_path):
    """A TSV without comments, and JSON with the same name, as BIDS has them."""
    phantom = Phantom(rng, (20, 18, 14), oblique=False)
    places = phantom.places()
    shifts = numpy.array([[0, 0, 0], [1.0, -0.5, 0.25], [-0.75, 0.5, 1.0]])
    volumes = [phantom.image(phantom.texture(places - shift)) for shift in shifts]
    series = sitk.JoinSeries(
        [sitk.ReadImage(str(write(sitk, tmp_path / "one.nrrd", volume))) for volume in volumes]
    )
    sitk.WriteImage(series, str(tmp_path / "bold.nii"))
    register(tmp_path / "bold.nii", "--motion", "first", "--parameters", tmp_path / "motion.tsv")
    text = (tmp_path / "motion.tsv").read_text(encoding="utf-8")
    assert "#" not in text
    rows = [line.split("\t") for line in text.splitlines()]
    described = json.loads((tmp_path / "motion.json").read_text(encoding="utf-8"))
    assert (
        all(described[column]["Description"] for column in rows[0])
        and described["trans_x"]["Units"] == "mm"
    )
    found = numpy.array(
        [[float(row[rows[0].index(f"trans_{axis}")]) for axis in "xyz"] for row in rows[1:]]
    )
    assert difference(found, shifts) < 0.1
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(tmp_path / "motion.tsv", sep="\t")
    assert (
        list(table.columns) == rows[0]
        and table["trans_x"].dtype == float
        and numpy.isnan(table["framewise_displacement"][0])
    )
