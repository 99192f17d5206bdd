"""reproduction/reproduce from end to end, small, on the Cpu backend; the images that it reads."""

import gzip
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import reproduction
from reproduction import ROOT

sys.path.insert(0, str(ROOT / "reproduction" / "reproduce.d"))


class Reproduced(unittest.TestCase):
    """Calls of the script with a folder of their own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def reproduce(self, *arguments):
        script = ROOT / "reproduction" / "reproduce"
        return subprocess.run([sys.executable, "-B", script, *map(str, arguments)], capture_output=True, text=True)


class Tables(Reproduced):
    """All experiments, their tables and figures: half a minute."""

    def test_one_command_makes_tables_and_figures(self):
        done = self.reproduce("--quick", "--backend", "cpu", "--program", reproduction.PROGRAM, "--output", self.path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = (self.path / "Results.md").read_text()
        for title in ("table 1 in 2D", "table 3 in 3D", "36 rotations", "Scaling", "001, table 1", "002: RMS differences", "003, table 1", "003, figure 3"):
            self.assertIn(title, text)
        self.assertIn("half a pixel off listing 8", (self.path / "PaperSlips.md").read_text())
        figures = sorted(path.name for path in (self.path / "figures").iterdir())
        for name in ("000-rms-by-taps.svg", "000-rotated.png", "000-transform-times.png", "001-zoom-times.svg", "002-listings.png", "003-deformation.png", "scaling.svg"):
            self.assertIn(name, figures)
        for path in (self.path / "figures").iterdir():
            self.assertLess(path.stat().st_size, 200_000, path.name)
            begin = path.read_bytes()[:64]
            self.assertTrue(begin.startswith(b"\x89PNG" if path.suffix == ".png" else b"<?xml"), path.name)

        # The run is described: its commit and its machine.
        context = json.loads((self.path / "peers.json").read_text())["context"]
        self.assertEqual(context["commit"], json.loads((self.path / "results.json").read_text())["context"]["commit"])
        self.assertIn("peers.py --commit", context["command"])

        # The same from the JSON, without a run.
        files = [word for name in ("results", "peers") for word in ("--results", self.path / f"{name}.json")]
        self.assert_drawn_again(*files, "--pictures", self.path / "pictures")

        # And from archives, which have all that is drawn.
        import keep

        keep.pack_results(self.path, self.path / "archives")
        keep.pack_pictures(self.path, self.path / "archives")
        for path in (self.path / "archives").iterdir():
            self.assertLess(path.stat().st_size, 16 * 2**20, path)
        shutil.rmtree(self.path / "pictures")  # so that they are of the archives
        self.assert_drawn_again("--packed", self.path / "archives")

    def assert_drawn_again(self, *arguments):
        """Draws what a run in self.path found: pages and figures are the same, byte by byte."""
        output = self.path / "again"
        shutil.rmtree(output, ignore_errors=True)
        again = self.reproduce(*arguments, "--output", output)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        for folder, names in (("", ("Results.md", "PaperSlips.md")), ("figures", [path.name for path in (self.path / "figures").iterdir()])):
            for name in names:
                self.assertEqual((output / folder / name).read_bytes(), (self.path / folder / name).read_bytes(), name)


class Script(Reproduced):
    def test_a_packed_run_draws_nothing(self):
        common = ("--quick", "--backend", "cpu", "--no-peers", "--program", reproduction.PROGRAM)
        packed = self.reproduce(*common, "--output", self.path / "there", "--pack", self.path / "archives", "zoom-quality")
        self.assertEqual(packed.returncode, 0, packed.stdout + packed.stderr)
        self.assertFalse((self.path / "there" / "figures").exists())
        here = self.reproduce("--packed", self.path / "archives", "--output", self.path / "here")
        self.assertEqual(here.returncode, 0, here.stderr)
        self.assertEqual((self.path / "here" / "results.json").read_bytes(), (self.path / "there" / "results.json").read_bytes())
        self.assertTrue((self.path / "here" / "figures" / "001-quality.png").is_file())

    def test_published_pages_are_the_scripts(self):
        import keep

        loader = importlib.machinery.SourceFileLoader("reproduce_script", str(ROOT / "reproduction" / "reproduce"))
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(script)
        import slips
        from results import Results

        results = Results(keep.published(ROOT, "h200"))
        script.write_tables(results, self.path / "Results.md")
        self.assertEqual((ROOT / "reproduction" / "results" / "Results.md").read_text(), (self.path / "Results.md").read_text())
        found = slips.run({"context": results.contexts[0], "experiments": results.experiments})
        self.assertEqual((ROOT / "reproduction" / "PaperSlips.md").read_text(), slips.page(found, results.contexts[0]))
        self.assertNotIn(False, [holds for _, holds, _ in found])

    def test_errors_of_the_program_are_the_scripts(self):
        done = self.reproduce("--backend", "cpu", "--quick", "--program", reproduction.PROGRAM, "--output", self.path, "no-such-experiment")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("no experiment no-such-experiment", done.stderr)

    def test_a_volume_of_either_byte_order_is_read(self):
        import inputs

        for order in "<>":
            header = bytearray(352)
            struct.pack_into(order + "i", header, 0, 348)
            struct.pack_into(order + "8h", header, 40, 3, 4, 3, 2, 1, 1, 1, 1)
            struct.pack_into(order + "hh", header, 70, 4, 16)
            struct.pack_into(order + "f", header, 108, 352.0)
            header[344:348] = b"n+1\0"
            path = self.path / "volume.nii.gz"
            path.write_bytes(gzip.compress(bytes(header) + struct.pack(order + "24h", *range(-12, 12))))
            volume = inputs.read_nifti(str(path))
            self.assertEqual(volume.shape, (2, 3, 4))
            self.assertEqual(volume[1, 2, 3], 11.0)
            self.assertEqual(volume[0, 0, 1], -11.0)
        path.write_bytes(b"not a volume" * 40)
        with self.assertRaises(ValueError):
            inputs.read_nifti(str(path))

    def test_images_that_are_missing_are_named(self):
        import inputs

        (self.path / "camera.png").write_bytes(b"")
        made, missing = inputs.prepare(str(self.path), [str(self.path / "made")])
        self.assertEqual(len({name for name, _ in made}) + len(missing), 3)
        for line in missing:
            self.assertIn("package", line)

    def test_images_that_are_there_as_pgm_are_taken(self):
        import inputs

        for name in ("brain-slice", "brain", "camera"):
            (self.path / f"{name}.pgm").write_bytes(b"P5 1 1 255\n.")
        made, _ = inputs.prepare(str(self.path / "made"), [str(self.path)])
        self.assertEqual([name for name, path in made if pathlib.Path(path).parent == self.path], ["brain", "brain", "camera"])

    def test_peers_do_the_same_work(self):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("Python has no SciPy")
        import numpy
        import peers

        # The rotation is the program's: the space diagonal stays, and the turn is by 10 degrees.
        matrix = peers.diagonal_rotation()
        self.assertTrue(numpy.allclose(matrix @ numpy.ones(3), numpy.ones(3)))
        self.assertAlmostEqual((numpy.trace(matrix) - 1.0) / 2.0, numpy.cos(numpy.radians(10.0)))
        found = peers.as_time([3.0, 1.0, 2.0])
        self.assertEqual((found["q1"], found["ms"], found["q3"], found["n"]), (1.5, 2.0, 2.5, 3))

        # Their values are the program's, on every place of the output.
        reproduction.quick("--pictures", self.path, "peer-works")
        rows = list(peers.peer_rows(peers.SciPy(), peers.Reference(self.path), [(3, 9)], 1))
        self.assertEqual([(cell["stage"], cell["way"]) for cell, _ in rows], [("prefilter", "cubic"), ("evaluation", "linear"), ("evaluation", "cubic")])
        for _, values in rows:
            self.assertLess(values["largest_difference_of_range_from_this_module"], 1e-5)
            self.assertIn("time", values)

        # Another boundary is another work, and is not timed.
        class Bounded(peers.SciPy):
            def works(self, samples):
                for stage, way, run in super().works(samples):
                    yield stage, way, lambda run=run: numpy.pad(run()[1:-1, 1:-1, 1:-1], 1)

        for _, values in peers.peer_rows(Bounded(), peers.Reference(self.path), [(3, 9)], 1):
            self.assertGreater(values["largest_difference_of_range_from_this_module"], 0.1)
            self.assertNotIn("time", values)

    def test_ratios_are_of_one_machine(self):
        import tables
        from results import Results

        time = {"ms": 2.0, "q1": 2.0, "q3": 2.0, "n": 1}
        cell = {"dimension": 3, "size": 8, "stage": "evaluation", "way": "linear"}

        def ratio(device):
            for name, row in (
                ("results", {"peer-works": [{"cell": {"by": "Cuda", **cell}, "values": {"time": time}}]}),
                ("peers", {"peers": [{"cell": {"peer": "P", "beside": "Cuda", **cell}, "values": {"time": {**time, "ms": 3.0}}}]}),
            ):
                context = {"device": device if name == "peers" else "NVIDIA A", "threads": "4"}
                (self.path / f"{name}.json").write_text(json.dumps({"format": 1, "context": context, "experiments": row}))
            ((_, lines),) = tables.peers(Results([self.path / "results.json", self.path / "peers.json"]))
            return lines[2].split(" | ")[7]

        self.assertEqual((ratio("NVIDIA A"), ratio("NVIDIA B")), ("1.5", "-"))

    def test_a_profilers_table_is_summed_without_what_prepares(self):
        import roofline

        names = ["Kernel Name", *roofline.METRICS]
        rows = [names, ["", "inst", "inst", "Mbyte", "byte", "us"]]
        rows += [["void a::TurnKernel<float>(int)", "1,000", "40", "2.5", "8", "1,500"], ["PackKernel(int)", "9", "9", "9", "9", "9"]]
        text = "==PROF== noise\n" + "\n".join(",".join(f'"{word}"' for word in row) for row in rows)
        sums, kernels = roofline.read(text)
        self.assertEqual(kernels, ["TurnKernel"])
        self.assertEqual([sums[metric] for metric in roofline.METRICS], [500.0, 20.0, 1.25e6, 4.0, 0.75])
        with self.assertRaises(ValueError):
            roofline.read("==ERROR== no permission")


if __name__ == "__main__":
    missing = [name for name in ("numpy", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"Python has no {' and no '.join(missing)} (Debian: python3-matplotlib).")
        sys.exit(77)
    reproduction.main()
