"""scripts/reproduce from end to end, small, on the Cpu backend; the images that it reads."""

import gzip
import importlib.util
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import reproduction
from reproduction import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "reproduce.d"))


class Script(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def reproduce(self, *arguments):
        script = ROOT / "scripts" / "reproduce"
        return subprocess.run([sys.executable, "-B", script, *map(str, arguments)], capture_output=True, text=True)

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

        # The same from the JSON, without a run.
        again = self.reproduce("--results", self.path / "results.json", "--pictures", self.path / "pictures", "--output", self.path / "again")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual((self.path / "again" / "Results.md").read_text(), text)
        for name in figures:
            if name.endswith(".svg"):
                self.assertEqual((self.path / "again" / "figures" / name).read_bytes(), (self.path / "figures" / name).read_bytes(), name)

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
        made, missing = inputs.prepare(str(self.path), [str(self.path / "absent")])
        self.assertEqual(len({name for name, _ in made}) + len(missing), 3)
        for line in missing:
            self.assertIn("package", line)

    def test_peers_do_the_same_work(self):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("Python has no SciPy")
        import numpy
        import peers
        from scipy import ndimage

        # The rotation is the program's: the space diagonal stays, and the turn is by 10 degrees.
        matrix = peers.diagonal_rotation()
        self.assertTrue(numpy.allclose(matrix @ numpy.ones(3), numpy.ones(3)))
        self.assertAlmostEqual((numpy.trace(matrix) - 1.0) / 2.0, numpy.cos(numpy.radians(10.0)))
        array = numpy.random.default_rng(2).random((9, 9, 9), dtype=numpy.float32)
        for _, _, work in peers.ndimage_works(array, ndimage, numpy.empty_like, matrix, 9, 3):
            work()
        found = peers.as_time([3.0, 1.0, 2.0])
        self.assertEqual((found["q1"], found["ms"], found["q3"], found["n"]), (1.5, 2.0, 2.5, 3))
        json.dumps(found)


if __name__ == "__main__":
    missing = [name for name in ("numpy", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"Python has no {' and no '.join(missing)} (Debian: python3-matplotlib).")
        sys.exit(77)
    reproduction.main()
