"""reproduction/evidence: its measures, on cases with a known result; its messages if something is missing; a small run from end to end."""

import argparse
import csv
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "reproduction" / "evidence"
SKIPPED = 77
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "reproduction" / "evidence.d"), str(ROOT / "reproduction" / "reproduce.d")]
BUILD = None
BRAIN = pathlib.Path("/usr/share/mricron/templates/ch2bet.nii.gz")


def evidence(*arguments):
    return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)], capture_output=True, text=True)


class Measures(unittest.TestCase):
    """Each measure on what it is known of."""

    def setUp(self):
        import measures
        import numpy

        import cudaspline

        self.cudaspline, self.measures, self.numpy = cudaspline, measures, numpy
        self.random = numpy.random.default_rng(int(os.environ.get("CUDASPLINE_TEST_SEED", "1")))

    def test_dice_of_boxes(self):
        first, second = (self.numpy.zeros((4, 4, 10), int) for _ in range(2))
        first[..., :4], second[..., 2:6] = 7, 7  # half of either is the other's
        self.assertEqual(self.measures.dice(first, second, [7]), {"7": 0.5})
        self.assertEqual(self.measures.dice(first, first, [7]), {"7": 1.0})

    def test_local_correlation_knows_no_brightness_and_no_sign(self):
        image = self.random.random((16, 16, 16))
        mask = self.numpy.ones(image.shape, bool)
        # Variances are differences of means of squares, of some 1e-16 of these: what is left of them is above 1e-3.
        self.assertAlmostEqual(self.measures.local_correlation(image, 5 - 3 * image, mask, 2), 1.0, delta=1e-9)

    def test_local_correlation_of_noise_is_that_of_chance(self):
        images = self.random.random((2, 32, 32, 32))
        mask = self.numpy.zeros(images[0].shape, bool)
        mask[4:-4, 4:-4, 4:-4] = True
        # The mean of r^2 of n independent samples is 1/(n-1), and its deviation sqrt(2)/n a window. 24^3 places have some 24^3/5^3 windows that
        # share no voxel: the mean is within 5 sqrt(2) / n / sqrt(110) = 0.7 / n of it.
        count = 5**3
        self.assertAlmostEqual(self.measures.local_correlation(*images, mask, 2), 1 / (count - 1), delta=0.7 / count)

    def test_a_constant_window_has_no_correlation(self):
        image = self.numpy.zeros((16, 16, 16))
        image[:4] = self.random.random((4, 16, 16))
        mask = self.numpy.zeros(image.shape, bool)
        mask[10:] = True
        self.assertEqual(self.measures.local_correlation(image, image, mask, 2), 0.0)

    def test_determinants_of_a_linear_map_are_its_own(self):
        numpy = self.numpy
        turned = numpy.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
        image = self.cudaspline.Image(numpy.zeros((5, 6, 7)), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), turned)
        matrix = numpy.eye(4)
        matrix[:3] += 0.2 * self.random.standard_normal((3, 4))
        field = self.cudaspline.Transform(matrix, 3).field(image.geometry, "float64")
        # Differences of displacements of some 10 mm, rounded to 1e-10 mm (cudaspline.Transform.field).
        self.assertLess(numpy.abs(self.measures.determinants(field) - numpy.linalg.det(matrix[:3, :3])).max(), 1e-8)

    def test_determinants_are_those_of_the_library(self):
        numpy = self.numpy
        z, y, x = numpy.mgrid[:20, :24, :28]
        fixed, moving = (numpy.exp(-((x - 13 - s) ** 2 + (y - 11 + s) ** 2 + (z - 9) ** 2 / 2) / 30.0) for s in (0, 1.5))
        found = self.cudaspline.register(fixed, moving, "greedy", metric="meansquares", iterations=10, shrink=(2, 1), sigmas=(1, 0), device="cpu")
        # ITK's determinants, and this module's, are of single precision and have no value of their own in the outermost voxels.
        inside = (slice(1, -1),) * 3
        self.assertLess(numpy.abs(self.measures.determinants(found.field) - found.jacobian())[inside].max(), 1e-4)
        self.assertGreater(numpy.ptp(found.jacobian()), 0.05)  # there is something to compare

    def test_errors_and_inverses_are_in_mm(self):
        numpy = self.numpy
        image = self.cudaspline.Image(numpy.ones((4, 5, 6), numpy.float32), (2.0, 2.0, 2.0))
        mask = numpy.ones(image.shape, bool)
        move, other = (self.cudaspline.Transform([[1, 0, 0, a], [0, 1, 0, b], [0, 0, 1, 0.0]], 3) for a, b in ((1.0, 2.0), (4.0, 6.0)))
        self.assertEqual(self.measures.error_of(move, other, image, mask), {"mean": 5.0, "median": 5.0, "p95": 5.0, "largest": 5.0})
        self.assertEqual(self.measures.inverse_consistency(move, move.inverse(), image, mask)["largest"], 0.0)
        self.assertEqual(self.measures.inverse_consistency(move, other.inverse(), image, mask)["mean"], 5.0)



class Thorax(unittest.TestCase):
    """The breathing motion of evidence.d/thorax.py, of two ellipsoids as lungs."""

    def setUp(self):
        import numpy
        try:
            import thorax
        except ImportError as error:
            self.skipTest(f"{error.name} is not installed")

        self.numpy = numpy
        self.spacing = numpy.array([4.0, 4.0, 5.0])
        z, y, x = numpy.indices((40, 48, 56))
        lungs = numpy.zeros(z.shape, bool)
        for middle in (18, 38):
            lungs |= ((z - 22) / 14) ** 2 + ((y - 24) / 15) ** 2 + ((x - middle) / 8) ** 2 < 1
        self.lungs = lungs
        self.breathing = thorax.Breathing(lungs, self.spacing)

    def points(self, mask):
        return self.numpy.argwhere(mask)[:, ::-1] * self.spacing

    def test_backward_undoes_forward(self):
        start = self.points(self.lungs)
        error = self.numpy.linalg.norm(self.breathing.backward(self.breathing.forward(start)) - start, axis=1)
        self.assertLess(self.numpy.quantile(error, 0.99), 0.1)

    def test_lungs_slide_along_the_wall(self):
        start = self.points(self.lungs)
        moved = self.breathing.flow(start, 1.0)
        self.assertGreater((start - moved)[:, 2].max(), 10.0)
        self.assertLess(self.numpy.linalg.norm(moved - start, axis=1).max(), 20.0 * 1.15 + 0.1)
        self.assertGreater(self.breathing.sample(self.breathing.phi, moved).min(), -1.0)  # of voxels of 4 mm
        outside = self.points(self.breathing.phi < -0.5)
        self.assertTrue((self.breathing.flow(outside, 1.0) == outside).all())


class Histology(unittest.TestCase):
    """The slices of evidence.d/histology.py."""

    def setUp(self):
        import histology
        import numpy

        self.histology, self.numpy = histology, numpy

    def test_backward_undoes_forward(self):
        places = self.histology.grid(40)
        for angle in (0.0, 130.0, 180.0):
            truth = self.histology.Truth(angle, 1)
            self.assertLess(abs(truth.backward(truth.forward(places)) - places).max(), 1e-9)
            self.assertAlmostEqual(self.numpy.linalg.norm(truth.bend(places), axis=1).max(), self.histology.BEND, delta=0.002)

    def test_errors(self):
        """The ground truth without its bend has the error of the bend."""
        size = 64
        _, _, truth, places = self.histology.make(130.0, 1, size)
        self.assertGreater(len(places), 0.1 * size**2)
        spacing, half = self.histology.PIXEL * self.histology.SIZE / size, 0.5 * size
        middle = self.numpy.full(2, (half - 0.5) * spacing)
        matrix = self.numpy.eye(3)
        matrix[:2, :2] = truth.rotation
        matrix[:2, 2] = middle + self.numpy.array(self.histology.SHIFT) * half * spacing - truth.rotation @ middle
        import cudaspline

        found = self.histology.errors_of(cudaspline.Transform(matrix, 2), truth, places, size)
        bend = self.numpy.linalg.norm(truth.bend(places), axis=1) * half
        self.assertAlmostEqual(found["mean"], bend.mean(), places=6)
        self.assertAlmostEqual(found["largest"], bend.max(), places=6)
        self.assertEqual(found["folded"], 0)

    def test_stains_differ(self):
        fixed, moving, _, _ = self.histology.make(0.0, 1, 64)
        luminance = [image.array @ self.numpy.array([0.30, 0.59, 0.11]) for image in (fixed, moving)]
        self.assertLess(abs(self.numpy.corrcoef(*(values.ravel() for values in luminance))[0, 1]), 0.95)


class Accuracy(unittest.TestCase):
    """The experiments of evidence.d/accuracy.py, the phantom with samples 8 mm apart."""

    @classmethod
    def setUpClass(cls):
        import abdomen

        with unittest.mock.patch.object(abdomen, "FLOW", 8.0):
            cls.phantom = abdomen.make(8.0, ())

    def setUp(self):
        import accuracy
        import measures
        import numpy
        import pairs

        import cudaspline

        self.accuracy, self.cudaspline, self.measures, self.numpy, self.pairs = accuracy, cudaspline, measures, numpy, pairs

    def test_the_phantom_moves_by_its_truth(self):
        import abdomen

        pair, numpy = self.phantom, self.numpy
        points = self.measures.places(pair.fixed, pair.mask)
        distance = numpy.linalg.norm(pair.truth.apply(points) - points, axis=1)
        self.assertAlmostEqual(distance.max(), abdomen.LONGEST, delta=1.0)  # samples of 8 mm need not hit the longest one
        # Labels are those of the nearest of samples 8 mm apart: thin organs lose much; without the motion they have 0.6.
        self.assertGreater(self.measures.overlap(pair, pair.truth)["mean_dice"], 0.8)
        grid = pair.truth_grid
        forward, backward = (self.cudaspline.Transform([self.pairs.displacement(grid, field)], 3) for field in abdomen.fields(grid))
        found = self.measures.inverse_consistency(forward, backward, pair.moving, pair.moving_mask)
        self.assertLess(found["mean"], 0.2)  # linear interpolation between samples of 8 mm: 8^2 / 8 * 40 / 40^2 = 0.2 mm an axis at most
        self.assertGreater(self.measures.folding(pair, pair.truth)[0]["least"], 0.3)

    def test_a_file_has_the_pair(self):
        pair = self.phantom
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "abdomen.npz"
            self.pairs.save(pair, path)
            found = self.pairs.load(path)
        self.assertEqual((found.name, found.title), (pair.name, pair.title))
        for name in ("mask", "moving_mask", "fixed_labels", "region"):
            self.assertTrue((getattr(found, name) == getattr(pair, name)).all(), name)
        for name in ("fixed", "moving", "moving_labels"):
            one, other = getattr(found, name), getattr(pair, name)
            self.assertTrue(one.geometry == other.geometry)
            step = other.array.max() / self.pairs.GREYS
            self.assertLessEqual(self.numpy.abs(one.array.astype(float) - other.array).max(), 0.51 * step)
        # Each component is off by half a step at most.
        self.assertLess(self.measures.error_of(found.truth, pair.truth, pair.fixed, pair.mask)["largest"], 3**0.5 * 0.51 * self.pairs.STEP)
        half = self.pairs.coarser(found, 16.0)
        self.assertEqual(half.fixed.shape, half.mask.shape)

    def test_other_orientations_show_the_same(self):
        import orientations

        numpy = self.numpy
        image = self.cudaspline.Image(numpy.random.default_rng(1).random((5, 6, 7)), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), numpy.diag([-1.0, 1.0, -1.0]))
        chosen = orientations.orientations()
        self.assertEqual(len(set(chosen)), orientations.COUNT)
        for order, reversed_ in chosen:
            other = orientations.stored(image, order, reversed_)
            there = self.cudaspline.resample(other, None, image, interpolation="nearest", smooth=False, device="cpu")
            self.assertTrue((there.array == image.array).all(), orientations.name_of(order, reversed_))

    def test_lesions_are_apart_and_inside(self):
        import lesion

        numpy = self.numpy
        depth = numpy.minimum.reduce(numpy.meshgrid(*[numpy.minimum(numpy.arange(90), numpy.arange(90)[::-1])] * 3, indexing="ij"))
        centres = lesion.centres_of(depth, numpy.random.default_rng(lesion.SEED))
        self.assertEqual(len(centres), lesion.COUNT)
        for number, one in enumerate(centres):
            self.assertGreaterEqual(depth[tuple(one)], lesion.RADIUS + 2)
            self.assertTrue(all(numpy.linalg.norm(one - other) >= 3 * lesion.RADIUS for other in centres[:number]))
        with self.assertRaisesRegex(ValueError, "no room"):
            lesion.centres_of(numpy.minimum(depth, lesion.RADIUS), numpy.random.default_rng(1))

    def test_inverted_contrast(self):
        import contrast

        pair = self.phantom
        inverse = contrast.inverted(pair).moving.array
        inside = pair.moving_mask
        self.assertAlmostEqual(self.numpy.corrcoef(inverse[inside], pair.moving.array[inside])[0, 1], -1.0, delta=1e-6)
        self.assertFalse(inverse[~inside].any())

    def test_rows_and_their_table(self):
        import pages

        pair, kept = self.phantom, []
        methods = ("none", "greedy", "unknown")
        more = {"greedy": {"initial": "none", "stages": [{"kind": "greedy", "radius": 2, "learning_rate": 0.25, "iterations": [30], "shrink": [2], "sigmas": [1]}]}}
        rows = self.accuracy.run("abdomen", pair, methods, more, "cpu", 2, is_repeated=False, keep=lambda found: kept.append(len(found)))
        self.assertEqual(kept, [1, 2, 3])
        self.assertIn("KeyError", rows["unknown"]["failed"])
        self.assertLess(rows["greedy"]["region"]["mean"], 0.8 * rows["none"]["region"]["mean"])
        self.assertGreater(rows["greedy"]["mean_dice"], rows["none"]["mean_dice"])
        text = "\n".join(pages.accuracy({"methods": rows}))
        self.assertIn(f"| `greedy` | {rows['greedy']['error']['mean']:.3g} |", text)
        self.assertIn("**unknown failed**", text)


class Images(unittest.TestCase):
    def setUp(self):
        import images
        import numpy

        self.images, self.numpy = images, numpy
        self.random = numpy.random.default_rng(int(os.environ.get("CUDASPLINE_TEST_SEED", "1")))

    def test_classes_of_a_mixture(self):
        numpy = self.numpy
        number = self.random.choice(3, 60000, p=(0.15, 0.5, 0.35))
        values = numpy.array([0.3, 0.6, 0.9])[number] + numpy.array([0.06, 0.06, 0.04])[number] * self.random.standard_normal(number.size)
        # Neighbours' borders lie 2.3 to 3 deviations from the means: less than 1 % of each class is beyond them.
        self.assertLess((self.images.classes(values) != number + 1).mean(), 0.02)

    def test_a_flow_and_that_backward_are_inverses(self):
        numpy = self.numpy
        image = self.images.cudaspline.Image(numpy.zeros((40, 44, 48), numpy.float32), 4.0, (-90.0, -80.0, -70.0), numpy.diag([-1.0, -1.0, 1.0]))
        grid = image.geometry
        flow = self.images.velocity(grid, 8.0, 20.0, self.random)
        self.assertAlmostEqual(float(numpy.sqrt((flow**2).sum(axis=-1)).max()), 8.0, delta=1e-9)
        self.assertEqual(numpy.abs(flow[0]).max(), 0.0)  # nothing moves at the border
        forward, backward = (self.images.cudaspline.Transform(self.images.displacement(grid, self.images.exponential(grid, v)), 3) for v in (flow, -flow))
        import measures

        found = measures.inverse_consistency(forward, backward, image, numpy.ones(grid.shape, bool))
        # Linear interpolation between samples of 4 mm of a flow of 8 mm and a smoothness of 20 mm: 4^2 / 8 * 8 / 20^2 = 0.04 mm an axis, either way.
        self.assertLess(found["largest"], 3 * 2 * 0.04)
        self.assertGreater(measures.determinants(forward.field(grid)).min(), 0.0)

    def test_a_turn_keeps_its_centre_and_has_its_scales(self):
        numpy = self.numpy
        centre = numpy.array([10.0, -20.0, 5.0])
        matrix = self.images.turn((30.0, -10.0, 5.0), (1.0, 2.0, 3.0), (1.1, 0.9, 1.2), centre)
        self.assertLess(numpy.abs(matrix @ [*centre, 1.0] - [*(centre + [1, 2, 3]), 1.0]).max(), 1e-12)
        self.assertAlmostEqual(numpy.linalg.det(matrix[:3, :3]), 1.1 * 0.9 * 1.2, delta=1e-12)


class Times(unittest.TestCase):
    def setUp(self):
        import methods

        self.methods = methods

    def test_iterations_that_fit(self):
        wanted, costs = (100, 70, 50, 20), [0.1, 0.5, 3.0, 20.0]
        self.assertEqual(self.methods.affordable(wanted, costs, 2, None), 50)  # no limit
        self.assertEqual(self.methods.affordable(wanted, costs, 2, 80.0), 20)  # one of the finest level is kept
        self.assertEqual(self.methods.affordable(wanted, costs, 3, 45.0), 2)
        self.assertEqual(self.methods.affordable(wanted, costs, 3, 1.0), 1)  # one is made in any case
        self.assertEqual(self.methods.affordable(wanted, costs, 0, 1000.0), 100)

    def test_a_program_that_fails_is_told_of(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "CudaSplineRegister"
            program.write_text("#!/bin/sh\necho 'no such image' >&2\nexit 4\n")
            program.chmod(0o755)
            settings = {"program": [str(program)], "itk": [str(program)], "preset": "brain", "device": "cpu", "threads": 1, "seconds": 1, "probe": ["a", "b"]}
            for method in ("program", "itk"):
                words = [sys.executable, "-B", ROOT / "reproduction" / "evidence.d" / "methods.py", method, "a.nii", "b.nii", folder, json.dumps(settings)]
                done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn("no such image", done.stdout + done.stderr)
                self.assertIn("CudaSplineRegister ended with 4", done.stderr)
                self.assertNotIn(folder, done.stderr.strip().splitlines()[-1])

    def test_what_was_cut_is_extrapolated_and_what_converged_is_not(self):
        levels = self.methods.levels_of([[0.1] * 12, [0.5] * 9, [2.0] * 5, [16.0]], (100, 30, 5, 1), (100, 70, 50, 20))
        self.assertEqual([level["cut"] for level in levels], [False, False, True, True])
        self.assertAlmostEqual(self.methods.whole_time(levels), 1.2 + 4.5 + 50 * 2.0 + 20 * 16.0)
        self.assertEqual(len(self.methods.cut_notes(levels)), 2)

    def test_lines_of_antsregistration(self):
        text = "*** Running SyN\n  junk\n 1DIAGNOSTIC,     1, -8.0e-01, 1.7e+308, 1.0e+00, 1.0e+00, \n"
        text += " 1DIAGNOSTIC,     2, -8.1e-01, 1.7e+308, 3.0e+00, 2.0e+00, \n"
        text += "XXDIAGNOSTIC,Iteration,metricValue\n 1DIAGNOSTIC,     1, -7.0e-01, 1.7e+308, 9.0e+00, 6.0e+00, \n"
        self.assertEqual(self.methods.times_of_ants(text), [[1.0, 2.0], [6.0]])


class Memory(unittest.TestCase):
    def setUp(self):
        import memory

        self.memory = memory

    def run_python(self, text):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            return self.memory.run([sys.executable, "-c", text], log), log.read_text()

    def test_what_a_process_takes_of_the_host(self):
        found, said = self.run_python("import sys; b = bytearray(200_000_000); b[::4096] = b'x' * len(b[::4096]); print('made'); print('so', file=sys.stderr)")
        self.assertEqual((found["code"], sorted(said.split())), (0, ["made", "so"]))
        self.assertGreater(found["host_bytes"], 200_000_000)
        self.assertLess(found["host_bytes"], 400_000_000)  # an interpreter is far smaller than the rest
        self.assertEqual(found["device_bytes"] is None, not self.memory.Device().is_there)

    def test_how_a_process_ended(self):
        self.assertEqual(self.run_python("raise SystemExit(3)")[0]["code"], 3)
        self.assertEqual(self.run_python("import os; os.kill(os.getpid(), 9)")[0]["code"], -9)


class Agreement(unittest.TestCase):
    def test_distances_are_in_voxels_through_field_and_linear_transform(self):
        import agreement
        import nibabel
        import numpy

        with tempfile.TemporaryDirectory() as folder:
            found = []
            for number, shift in enumerate(((0.0, 0.0, 0.0), (0.3, 0.0, 0.8))):
                vectors = numpy.zeros((6, 5, 7, 1, 3), numpy.float32)
                vectors[2:] = shift  # a third of the places is at rest
                path = pathlib.Path(folder) / f"{number}.nii"
                nibabel.save(nibabel.Nifti1Image(vectors, numpy.diag([-1.5, -2.0, 2.5, 1.0])), path)
                linear = numpy.eye(4)
                linear[2, 3] = -0.3 * number  # taken back by the linear transform, in part
                found.append({"field": path, "linear": linear})
            mask = numpy.zeros((6, 5, 7), bool)
            mask[2:] = True
            for step in (1, 2):
                told = agreement.distances(*found, mask, step)
                moved, rest = numpy.hypot(0.3 / 1.5, 0.5 / 2.5), 0.3 / 2.5
                self.assertAlmostEqual(told["in the brain"]["mean"], moved, delta=1e-6)
                self.assertAlmostEqual(told["everywhere"]["mean"], (2 * moved + rest) / 3, delta=1e-6)
                self.assertAlmostEqual(told["everywhere"]["largest"], moved, delta=1e-6)
        import pages

        one = {"spacing": 2.0, "size": [6, 5, 7], "step": 1, "methods": ["CudaSyN", "SyN"], "seconds": [1.0, 60.0], "iterations": [[9, 4], [9, 4]]}
        one.update(values=[[-0.5, -0.50001], [-0.6, -0.6]], distance=told, must=0.05, met=False)
        text = "\n".join(pages.agreement([one]))
        self.assertIn("2 mm, 6 x 5 x 7, every voxel, in the brain", text)
        self.assertIn("| 2 mm, `SyN` | 9, 4 | -0.5000100, -0.6000000 | 60 |", text)


class Speed(unittest.TestCase):
    def test_a_row_says_what_its_median_reaches(self):
        import speed

        for values, met in (([3, 1, 0.4], "must"), ([0.5, 9, 0.1], "aim"), ([2, 1.21, 0], "no")):
            self.assertEqual(speed.Row("what", "s", values, 1.2, 0.5).told()["met"], met)
        self.assertEqual(speed.Row("what", "", [5], 4, 10, is_ratio=True).told()["met"], "must")
        self.assertEqual(speed.Row("what", "s", [5]).told()["met"], "")

    def test_intervals_that_overlap_count_once(self):
        import speed

        self.assertEqual(speed.union([(5, 7), (0, 2), (1, 3), (1.5, 2), (7, 8)]), 6)
        self.assertEqual(speed.union([]), 0)

    def test_a_group_that_fails_is_told_and_the_rest_goes_on(self):
        import speed

        class Some:
            def __getattr__(self, name):
                if name == "memory":
                    raise RuntimeError("out of memory")
                return lambda: [speed.Row(name, "s", [1.0], 2.0)]

        rows = speed.measure(Some(), lambda text: None)
        self.assertEqual([row["what"] for row in rows if "failed" in row], ["memory"])
        self.assertGreater(len(rows), 4)
        import pages

        self.assertIn("out of memory", "".join(pages.speed(rows)))


class Script(unittest.TestCase):
    def test_what_is_not_there_is_refused_by_name(self):
        for words, expected in (
            (["nothing"], "no experiment nothing"), (["--methods", "syn,unknown"], "no unknown"), (["--spacing", "0.2"], "--spacing is from 1 to 8"),
            (["--methods", "itk", "--without-peers"], "none of the --methods"),
            (["--build", "/nowhere", "--without-peers", "truth"], "there is no CudaSplineRegister in"),
        ):  # fmt: skip
            done = evidence(*words)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(expected, done.stderr)

    def test_a_peer_that_is_not_installed_fails_the_command(self):
        peers = {"antspyx": "ants", "picsl-greedy": "picsl_greedy", "fireants": "fireants"}
        missing = [package for package, module in peers.items() if not importlib.util.find_spec(module)]
        if not missing:
            self.skipTest("all peers are installed")
        with tempfile.TemporaryDirectory() as folder:
            done = evidence("truth", "--output", folder, "--build", BUILD)
            self.assertEqual(done.returncode, 2)
            for package in missing:
                self.assertIn(package, done.stderr)
            self.assertEqual(os.listdir(folder), [])

    @staticmethod
    def load():
        """The script as a module."""
        loader = importlib.machinery.SourceFileLoader("evidence_script", str(SCRIPT))
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        sys.modules[loader.name] = script  # for its data class
        loader.exec_module(script)
        return script

    def test_parts_of_a_run_are_joined_where_they_are_of_one_machine_and_commit(self):
        import numpy

        script = self.load()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            context = {"commit": "1234567", "spacing": 1.0, "device": "a GPU"}
            self.assertEqual(script.earlier(folder, context)[0]["pairs"], {})
            script.keep({"contexts": [context], "pairs": {"brains": {}}}, {"slice": numpy.arange(3)}, folder)
            results, slices = script.earlier(folder, {**context, "date": "later"})
            self.assertEqual((list(results["pairs"]), slices["slice"].tolist()), (["brains"], [0, 1, 2]))
            for other in ({"commit": "7654321"}, {"spacing": 2.0}, {"device": "another GPU"}):
                self.assertEqual(script.earlier(folder, {**context, **other})[0]["pairs"], {}, other)

    def test_a_method_that_fails_is_told_of_and_fails_the_command(self):
        import pages

        experiment = {"title": "two", "methods": {"a": {"title": "A", "failed": "exit code 1: no memory"}}}
        self.assertEqual(pages.notes(experiment), ["* **A failed**: exit code 1: no memory"])
        with tempfile.TemporaryDirectory() as folder:
            import numpy

            contexts = [{"command": "evidence", "date": "today", "spacing": 1.0}]
            path = pathlib.Path(folder) / "results.json"
            path.write_text(json.dumps({"contexts": contexts, "pairs": {"other": experiment}}))
            numpy.savez(pathlib.Path(folder) / "slices.npz")
            done = evidence("--results", path, "--output", folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("failed: other, A: exit code 1: no memory", done.stdout)


class Run(unittest.TestCase):
    """Whole experiments, small: a quarter of a minute."""

    def test_a_small_run_finds_what_is_known_and_tells_of_it(self):
        if not BRAIN.is_file():
            self.skipTest("the package mricron-data is not installed")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder) / "with a space"
            words = ["--spacing", 6, "--without-peers", "--methods", "syn,greedy", "--threads", 2, "--device", "cpu", "--build", BUILD, "--output", folder]
            done = evidence(*words, "truth")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            results = json.loads((folder / "results.json").read_text())
            self.assertEqual(sorted(results["pairs"]), ["contrast", "gentle", "strong"])
            for name, pair in results["pairs"].items():
                self.assertGreater(pair["before"]["error"]["mean"], 6.0, name)  # there is something to find
                self.assertGreater(pair["at_best"]["folding"]["least"], 0.0, name)
                for method, told in pair["methods"].items():
                    found = told["measures"]
                    # A useful registration finds points to within a voxel, on average.
                    self.assertLess(found["error"]["mean"], 6.0, (name, method))
                    self.assertGreater(found["mean_dice"], pair["before"]["mean_dice"], (name, method))
                    self.assertLess(found["mean_dice"], pair["at_best"]["mean_dice"] + 0.01, (name, method))
                    self.assertEqual(found["folding"]["voxels"], 0, (name, method))
                    self.assertLess(found["after_affine"]["local_correlation_4"], found["local_correlation_4"], (name, method))
                    self.assertNotIn("forward", told)  # results do not name paths of this machine
                self.assertLess(pair["methods"]["syn"]["measures"]["inverse"]["mean"], 0.1 * 6.0)  # ITK's inversions end at a tenth of a voxel

            page = (folder / "Registration.md").read_text()
            for text in (
                "## Known truth", "Colin27, bent gently", "the ground truth itself", "**Not run**: CudaSpline: rigid, affine, SyN (standard); ITK", "ANTs", "FireANTs",
                "a quick run", results["contexts"][0]["commit"],
            ):  # fmt: skip
                self.assertIn(text, page)
            self.assertNotIn(str(folder.parent), page + json.dumps(results))
            for figure in (folder / "figures").iterdir():
                self.assertLess(figure.stat().st_size, 200_000)
                self.assertIn(f"figures/{figure.name}", page)
            self.assertEqual([figure.name for figure in (folder / "figures").iterdir()], ["errors.png"])
            rows = list(csv.DictReader((folder / "measures.csv").open()))
            self.assertEqual(len(rows), 6)
            self.assertEqual(float(rows[0]["error_mean_mm"]), results["pairs"]["gentle"]["methods"]["syn"]["measures"]["error"]["mean"])

            # The same page from the numbers, elsewhere, without a run.
            again = evidence("--results", folder / "results.json", "--output", folder.parent / "again")
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual((folder.parent / "again" / "Registration.md").read_text(), page)

            # And published, with the figures there.
            script, there = Script.load(), folder.parent / "published"
            left_out = {pair: ["somebody"] for pair in results["pairs"]}
            script.publish({**results, "left_out": left_out}, folder, ["errors.png"], "trial", there)
            self.assertEqual((there / "results" / "registration-trial.json").read_text(), (folder / "results.json").read_text())
            for text in results["context"].values():
                self.assertIsInstance(text, str)
            published = (there / "results" / "Registration.md").read_text()
            self.assertIn("](../images/registration/errors.png)", published)
            self.assertTrue((there / "images" / "registration" / "errors.png").is_file())

    def test_two_brains_of_packages(self):
        if not BRAIN.is_file() or importlib.util.find_spec("nilearn") is None:
            self.skipTest("the package mricron-data, or nilearn, is not installed")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            words = ["--spacing", 6, "--without-peers", "--methods", "syn", "--threads", 2, "--device", "cpu", "--build", BUILD, "--output", folder]
            done = evidence(*words, "brains")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            pair = json.loads((folder / "results.json").read_text())["pairs"]["brains"]
            told = pair["methods"]["syn"]
            self.assertTrue(told["again"]["same_bits"])
            for measure in ("correlation", "local_correlation_4", "mean_dice"):
                self.assertLess(pair["before"][measure], told["measures"][measure])
            self.assertEqual(sorted(told["measures"]["dice"]), ["1", "2", "3"])
            self.assertEqual(len(list((folder / "figures").iterdir())), 4)
            self.assertIn("the same bits", (folder / "Registration.md").read_text())


def main():
    global BUILD
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--without", action="append", default=[], metavar="CLASS")
    arguments, rest = parser.parse_known_args()
    BUILD = arguments.build
    os.environ.setdefault("CUDASPLINE_LIBRARY", str(pathlib.Path(BUILD) / "lib" / "libCudaSplineC.so"))
    missing = [module for module in ("numpy", "scipy", "nibabel", "matplotlib") if importlib.util.find_spec(module) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian: python3-scipy, python3-nibabel, python3-matplotlib)")
        return SKIPPED
    for name in arguments.without:
        del globals()[name]
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
