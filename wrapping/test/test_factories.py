"""The object factories, with a script that does not use the module. In processes of their own, because a factory affects the whole process."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

from support import Case

FOLDER = pathlib.Path(__file__).parent
REGISTERED = f"""
import runpy, sys
sys.path.insert(0, {str(FOLDER)!r})
from support import itk
for factory in (itk.CudaSplineFactory, itk.CudaSplineMetricFactory):
    factory.RegisterOneFactory()
    assert factory.GetRegisteredFactory().GetNameOfClass() == factory.__name__.replace("itk", "")
sys.argv = ["script.py", sys.argv[1]]
runpy.run_path({str(FOLDER / "script.py")!r})
"""


class Factories(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def run_script(self, arguments, **environment):
        """What the script came to, and the classes of the module that the trace names, with their backends."""
        results = os.path.join(self.folder.name, "results.npz")
        process = subprocess.run(
            [sys.executable, *arguments, results],
            env={**os.environ, "CUDASPLINE_TRACE": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        trace = [line.split(" | ") for line in process.stderr.splitlines() if line.startswith("CudaSpline | ")]
        with numpy.load(results) as file:
            return dict(file), {(fields[1], fields[4]) for fields in trace}

    def script(self, **environment):
        return self.run_script([str(FOLDER / "script.py")], **environment)

    def compare(self, results):
        expected, trace = self.script()
        self.assertEqual(trace, set())
        self.assertEqual(set(results), set(expected))
        for name, value in expected.items():
            self.assertGreater(numpy.ptp(value), 0.1)
            # Single precision: pixels of up to some 150, and shifts of some pixels in a few iterations.
            self.assertLess(numpy.abs(results[name] - value).max(), 1e-3)

    def assertAccelerated(self, trace, classes):
        self.assertEqual({name for name, _ in trace}, set(classes))
        self.assertLessEqual({backend for _, backend in trace}, {"Cuda", "Cpu"})

    metrics = [f"Cuda{name}ImageToImageMetricv4" for name in ("MeanSquares", "Correlation", "MattesMutualInformation")]

    def test_registered(self):
        results, trace = self.run_script(["-c", REGISTERED])
        self.assertAccelerated(trace, ["CudaResampleImageFilter", *self.metrics])
        self.compare(results)

    def test_loaded(self):
        """ITK loads the factories into an unchanged script."""
        libraries = os.environ["CUDASPLINE_LIBRARIES"]
        path = os.pathsep.join(os.path.join(libraries, f"CudaSpline{kind}Factories") for kind in ("", "Metric"))
        results, trace = self.script(ITK_AUTOLOAD_PATH=path)
        self.assertAccelerated(trace, ["CudaResampleImageFilter", *self.metrics])
        self.compare(results)

    def test_switched(self):
        libraries = os.environ["CUDASPLINE_LIBRARIES"]
        path = os.path.join(libraries, "CudaSplineFactories")
        _, trace = self.script(ITK_AUTOLOAD_PATH=path, CUDASPLINE_FACTORY_CLASSES="none")
        self.assertEqual(trace, set())

    def test_switches(self):
        from support import itk

        factory = itk.CudaSplineFactory.New()
        self.assertIn("ResampleImageFilter", itk.CudaSplineFactory.GetClassNames())
        self.assertTrue(factory.GetResampleImageFilterEnabled())
        factory.SetClassEnabled("ResampleImageFilter", False)
        self.assertFalse(factory.GetResampleImageFilterEnabled())
        with self.assertRaisesRegex(RuntimeError, "NoSuchFilter"):
            factory.SetClassEnabled("NoSuchFilter", True)
        self.assertEqual(len(itk.CudaSplineMetricFactory.GetClassNames()), 3)


if __name__ == "__main__":
    unittest.main()
