"""Results of cudaspline.register() as CudaSplineRegister has them."""

import json
import subprocess

import numpy
import pytest

import cudaspline
from conftest import difference
from register_support import PROGRAM, Phantom, is_close, needs_program, read_array, write_image


@pytest.fixture
def sitk():
    return pytest.importorskip("SimpleITK")


@needs_program
class TestProgram:
    """What CudaSplineRegister writes, to the bit where both have the same numbers: images along the
    axes of space, whose matrices have exact inverses in both."""

    def run(self, *arguments):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments), "--device", "cpu"],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr

    def write(self, sitk, tmp_path, rng, size=(30, 28, 22)):
        phantom = Phantom(
            rng, size, oblique=False, spacing=numpy.array([1.0, 1.0, 2.0][: len(size)])
        )
        linear, bend = phantom.linear(rng, "rigid"), phantom.bend(1.5)
        images = phantom.images(lambda places: linear(bend(places)))
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
        found = cudaspline.register(
            *images, "syn", radius=2, iterations=(12, 8, 4), initial=initial, device="cpu"
        )
        read = [
            sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha")))
            for name in ("field", "warped", "jacobian")
        ]
        assert numpy.array_equal(found.field.array, read[0])
        assert numpy.array_equal(found.warped.array, read[1])
        assert numpy.array_equal(found.jacobian().array, read[2])

    @pytest.mark.parametrize("kind", ["syn", "greedy"])
    @pytest.mark.parametrize("optimizer", ["momentum", "Adam"])
    def test_optimizers_of_fields(self, rng, sitk, tmp_path, kind, optimizer):
        images, files = self.write(sitk, tmp_path, rng, (30, 28, 22))
        self.run(
            *files, "--stage", kind, "--radius", 2, "--iterations", "12,8,4", "--optimizer", optimizer, "--determinant-limit", 2,
            "--inversion", "anderson", "--field", tmp_path / "field.mha", "--warped", tmp_path / "warped.mha",
        )  # fmt: skip
        found = cudaspline.register(
            *images,
            kind,
            radius=2,
            iterations=(12, 8, 4),
            optimizer=optimizer,
            determinant_limit=2,
            inversion="anderson",
            device="cpu",
        )
        read = [
            sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha")))
            for name in ("field", "warped")
        ]
        assert numpy.array_equal(found.field.array, read[0])
        assert numpy.array_equal(found.warped.array, read[1])

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
            *images,
            "greedy",
            radius=2,
            iterations=(12, 8, 4),
            learning_rate=0.25,
            total_variance=0.5,
            mask=mask,
            device="cpu",
        )
        read = [
            sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha")))
            for name in ("field", "warped")
        ]
        assert numpy.array_equal(found.field.array, read[0])
        assert numpy.array_equal(found.warped.array, read[1])

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    @pytest.mark.parametrize(
        "options", [{}, {"learning_rate": 0.8, "update_variance": 0.25, "total_variance": 2.0}]
    )
    def test_demons(self, rng, sitk, tmp_path, size, options):
        images, files = self.write(sitk, tmp_path, rng, size)
        words = [
            word
            for name, value in options.items()
            for word in (f"--{name.replace('_', '-')}", value)
        ]
        self.run(
            *files, "--stage", "demons", "--iterations", "12,8,4", *words, "--field", tmp_path / "field.mha", "--warped",
            tmp_path / "warped.mha",
        )  # fmt: skip
        found = cudaspline.register(
            *images, "demons", iterations=(12, 8, 4), device="cpu", **options
        )
        read = [
            sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha")))
            for name in ("field", "warped")
        ]
        assert numpy.array_equal(found.field.array, read[0])
        assert numpy.array_equal(found.warped.array, read[1])

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    @pytest.mark.parametrize("kind", ["syn", "greedy"])
    @pytest.mark.parametrize("metric", ["cc:0.7,mattes:0.3", "meansquares,cc", "mattes"])
    def test_pairs(self, rng, sitk, tmp_path, size, kind, metric):
        """Additional pairs on grids of their own, masks for all, and values that are clipped."""
        images, files = self.write(sitk, tmp_path, rng, size)
        entries = [entry.split(":") for entry in metric.split(",")]
        metrics = [(entry[0], float(entry[1]) if len(entry) > 1 else 1.0) for entry in entries]
        of_metrics = {"radius": 2} if "cc" in metric else {}
        of_metrics.update({"bins": 24} if "mattes" in metric else {})
        also, words = (
            [],
            [word for name, value in of_metrics.items() for word in (f"--{name}", value)],
        )
        if len(metrics) > 1:
            also = [
                cudaspline.Image(
                    100 - image.array[..., :-1], image.spacing, image.origin, image.direction
                )
                for image in images
            ]
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
        # Fewer iterations of a level than the convergence has values: of SyN it is of the first
        # pair there, and of all pairs here.
        self.run(
            *files, *words, "--stage", kind, "--iterations", "9,8,4", "--metric", metric, "--winsorize", "0.01,0.99",
            "--fixed-mask", tmp_path / "mask.mha", "--field", tmp_path / "field.mha", "--warped", tmp_path / "warped.mha",
        )  # fmt: skip
        found = cudaspline.register(
            *images, kind, **of_metrics, iterations=(9, 8, 4), also=[also] if also else (), metric=metrics, winsorize=(0.01, 0.99), mask=mask,
            device="cpu",
        )  # fmt: skip
        read = [
            sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / f"{name}.mha")))
            for name in ("field", "warped")
        ]
        assert numpy.array_equal(found.field.array, read[0])
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
        found = cudaspline.register(
            *images,
            "rigid",
            initial="search",
            iterations=0,
            mask=mask if masked else None,
            device="cpu",
        )
        read = cudaspline.Transform(str(tmp_path / "found.tfm"), len(size))
        assert difference(read.matrix, found.transform.matrix) < 1e-12

    @pytest.mark.parametrize(
        "preset", ["abdomen", "brain", "fast", "histology", "lung", "multimodal", "standard", "syn"]
    )
    def test_presets(self, rng, sitk, tmp_path, preset):
        # At an eighth of the size a smaller image, or mask, leaves mutual information so few
        # samples that roundings grow without bound.
        images, files = self.write(sitk, tmp_path, rng, (48, 44, 40))
        mask = numpy.ones((40, 44, 48), "u1")
        mask[:, :, -1] = 0
        made = sitk.GetImageFromArray(mask)
        made.CopyInformation(sitk.ReadImage(str(files[0])))
        sitk.WriteImage(made, str(tmp_path / "mask.mha"))
        self.run(
            *files,
            "--preset",
            preset,
            "--fixed-mask",
            tmp_path / "mask.mha",
            "--warped",
            tmp_path / "warped.mha",
        )
        found = cudaspline.register(*images, preset=preset, mask=mask, device="cpu")
        read = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "warped.mha")))
        # Hundreds of steps let roundings grow; another option, as a window of another radius, moves
        # edges by parts of a voxel. Voxels at the moving image's edge are in or out.
        away = numpy.abs(found.warped.array - read)[3:-3, 3:-3, 3:-3]
        assert numpy.quantile(away, 0.99) <= 1e-2 * numpy.abs(read).max()

    @pytest.mark.parametrize("kind", ["rigid", "affine"])
    @pytest.mark.parametrize("metric", ["mattes", "correlation", "meansquares"])
    def test_matrices(self, rng, sitk, tmp_path, kind, metric):
        images, files = self.write(sitk, tmp_path, rng)
        self.run(
            *files,
            "--stage",
            kind,
            "--metric",
            metric,
            "--iterations",
            "20,10,5",
            "--output",
            tmp_path / "found.tfm",
        )
        found = cudaspline.register(
            *images, kind, metric=metric, iterations=(20, 10, 5), device="cpu"
        )
        read = cudaspline.Transform(str(tmp_path / "found.tfm"), 3)
        assert difference(read.matrix, found.transform.matrix) < 1e-6

    @pytest.mark.parametrize(
        "options",
        [
            {
                "metric": "mattes",
                "sampling": "regular",
                "fraction": 0.25,
                "optimizer": "gradient-descent",
                "step": 0.1,
            },
            {"metric": "mattes", "sampling": "random", "fraction": 0.4, "seed": 5},
            {"metric": "meansquares", "sampling": "regular"},
            {"metric": "correlation", "gradient": "filter"},
            {"metric": "meansquares", "gradient": "analytic", "order": 3},
        ],
    )
    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    def test_samples_and_gradients(self, rng, sitk, tmp_path, size, options):
        images, files = self.write(sitk, tmp_path, rng, size)
        words = [
            word
            for name, value in options.items()
            if name != "order"
            for word in (f"--{name}", value)
        ]
        words += ["--interpolation", "bspline"] if "order" in options else []
        self.run(
            *files,
            "--stage",
            "rigid",
            "--iterations",
            "20,10,5",
            *words,
            "--output",
            tmp_path / "found.tfm",
        )
        found = cudaspline.register(
            *images, "rigid", iterations=(20, 10, 5), device="cpu", **options
        )
        read = cudaspline.Transform(str(tmp_path / "found.tfm"), len(size))
        # Angles and a translation there, a matrix here: the same bits except for the rounding of
        # the numbers of a file.
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
        images, files = self.write(sitk, tmp_path, rng, size)
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self.run(
            *files, "--stage", "bspline", "--grid-spacing", 9, "--iterations", "12,8,4", *words, "--initialize", "none", "--precision", "double",
            "--output", tmp_path / "found.tfm",
        )  # fmt: skip
        found = cudaspline.register(
            *images,
            "bspline",
            grid_spacing=9,
            iterations=(12, 8, 4),
            initial="none",
            precision="float64",
            device="cpu",
            **options,
        )
        read = sitk.ReadTransform(str(tmp_path / "found.tfm"))
        read = (
            sitk.BSplineTransform(read)
            if read.GetName() == "BSplineTransform"
            else sitk.BSplineTransform(sitk.CompositeTransform(read).GetNthTransform(0))
        )
        coefficients = found.transform._parts[0].transform.coefficients
        assert numpy.array_equal(numpy.array(read.GetParameters()), coefficients.ravel())

    @pytest.mark.parametrize("size", [(40, 36), (30, 28, 22)])
    def test_a_document(self, rng, tmp_path, size):
        """Values of all iterations, to the bit, of all kinds of stages and of oblique images."""
        phantom = Phantom(rng, size, oblique=True)
        images = phantom.images(phantom.bend(1.5))
        files = [tmp_path / "fixed.mha", tmp_path / "moving.mha"]
        for image, file in zip(images, files):
            write_image(file, image)
        read = [str(file) for file in files]
        stages = [
            "similarity",
            cudaspline.Stage("affine", metric="cc", radius=2),
            cudaspline.Stage("bspline", grid_spacing=15),
            "syn",
            "greedy",
            "demons",
        ]
        found = cudaspline.register(
            *read, stages, iterations=4, shrink=(2, 1), winsorize=(0.01, 0.99), device="cpu"
        )
        spec = tmp_path / "spec.json"
        spec.write_text(json.dumps(found.spec), encoding="utf-8")
        self.run(
            *files,
            "--spec",
            spec,
            "--dump-spec",
            tmp_path / "dump.json",
            "--report",
            tmp_path / "report.json",
        )
        report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert (
            json.loads((tmp_path / "dump.json").read_text(encoding="utf-8"))
            == found.spec
            == report["spec"]
        )
        assert [iteration["value"] for iteration in report["iterations"]] == found.history[
            "value"
        ].tolist()
        again = cudaspline.register(*read, spec=spec, device="cpu")
        assert again.spec == found.spec and numpy.array_equal(again.field.array, found.field.array)

    @pytest.mark.parametrize("stage", ["rigid", "syn", "demons"])
    def test_a_document_of_warped_images(self, rng, tmp_path, stage):
        """A repeated run interpolates warped images as the first one did."""
        phantom = Phantom(rng, (30, 28, 22), oblique=True)
        files = [tmp_path / "fixed.mha", tmp_path / "moving.mha"]
        for image, file in zip(phantom.images(phantom.bend(1.5)), files):
            write_image(file, image)
        spec = tmp_path / "spec.json"
        first, second = tmp_path / "first.mha", tmp_path / "second.mha"
        self.run(
            *files, "--stage", stage, "--interpolation", "bspline", "--levels", 1, "--iterations", 2, "--warped", first, "--dump-spec", spec
        )  # fmt: skip
        self.run(*files, "--spec", spec, "--warped", second)
        assert numpy.array_equal(read_array(first), read_array(second))
        found = cudaspline.register(*map(str, files), spec=spec, device="cpu")
        assert found.spec["warped_order"] == 3
        assert is_close(read_array(first), found.warped, 4 * numpy.finfo("float32").eps)
