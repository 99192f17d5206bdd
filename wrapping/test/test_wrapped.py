"""What is wrapped: every class, for every type that ITK wraps its own for."""

import pathlib
import re
import unittest

from support import DIMENSIONS, SCALARS, Case, itk

FOLDER = pathlib.Path(__file__).parent.parent

# The public headers whose classes are not Python classes, with the reason.
NOT_WRAPPED = {
    "CudaSplineResamplePlan": "has members and no functions, of which ITK's generator makes nothing",
    "CudaSplineTrace": "a part of the others",
    "CudaSplineBackend": "a part of the others; what is of that name in Python are its values",
    "CudaSplineImageMetric": "is wrapped as what the metrics derive from",
    "CudaSplineInterpolateImageFunction": "is wrapped as what the interpolators derive from",
    "CudaBSplineFunctionBase": "is wrapped as what the interpolators of B-splines derive from",
}
ENUMERATIONS = (
    "CudaSplineAddressMode",
    "CudaSplineBackend",
    "CudaSplineCoefficientStorage",
    "CudaSplineEvaluationMode",
    "CudaSplineExtension",
    "CudaSplinePrecision",
    "CudaSplinePrefilter",
)


def classes():
    """Names of the classes with a file of their own in the folder wrapping."""
    names = set()
    for path in FOLDER.glob("*.wrap"):
        names.update(re.findall(r'itk_wrap(?:_simple)?_class\("itk::(Cuda\w+)"', path.read_text()))
    return sorted(names)


class Wrapped(Case):
    def test_every_header(self):
        """Each class that a header of the ITK layer documents is wrapped, or known not to be."""
        documented = set()
        for path in (FOLDER.parent / "include").glob("itkCuda*.h"):
            # Not the contents of a namespace of details.
            if "namespace itk\n{" in path.read_text():
                documented.update(re.findall(r"\\class (Cuda\w+)", path.read_text()))
        self.assertGreater(len(documented), 20)
        parts = {"CudaSplineHostExecutor", "CudaSplineBatchResults"}
        self.assertEqual(documented - parts - set(classes()) - set(NOT_WRAPPED), set())

    def test_every_instantiation(self):
        for name in classes():
            found = getattr(itk, name)
            if name == "CudaSplineInterpolation":  # abstract
                continue
            instances = list(found.items()) if hasattr(found, "items") else [((), found)]
            for key, wrapped in instances:
                with self.subTest(name=name, key=key):
                    if name == "CudaSplineFactoryBase":
                        continue
                    thing = wrapped.New()
                    self.assertEqual(thing.GetNameOfClass(), name)
                    if name == "CudaRegistrationParameterScalesFromPhysicalShift":  # of the host
                        thing.SetNumberOfWorkUnits(3)
                        self.assertEqual(thing.GetNumberOfWorkUnits(), 3)
                    elif "Factory" not in name and name != "CudaSplineSourceCache":
                        thing.SetDevice("cpu")
                        self.assertEqual(thing.GetDevice(), "cpu")
                        self.assertEqual(thing.GetLastBackend(), itk.CudaSplineBackend["None"])

    def test_types(self):
        """The module's class is there wherever ITK's is; of B-splines of integers with real coefficients."""
        for name in classes():
            itks = name.replace("Cuda", "", 1)
            if not hasattr(itk, itks) or name.startswith("CudaSpline"):
                continue
            ours, theirs = getattr(itk, name), getattr(itk, itks)
            if name == "CudaBSplineInterpolateImageFunction":
                expected = {(*key[:2], coefficient) for key in theirs.keys() for coefficient in (itk.F, itk.D)}
                self.assertEqual(set(ours.keys()), expected)
            elif name == "CudaBSplineDecompositionImageFilter":
                self.assertEqual({key[0] for key in ours.keys()}, {key[0] for key in theirs.keys()})
            elif name == "CudaBSplineResampleImageFunction":
                self.assertEqual({key[0] for key in ours.keys()}, {itk.Image[itk.F, dimension] for dimension in DIMENSIONS})
            elif name == "CudaGradientRecursiveGaussianImageFilter":
                # Not ITK's of three dimensions, which has two numbers a gradient.
                gradients = {(itk.Image[itk.Vector[itk.F, 2], 2], itk.Image[itk.CovariantVector[itk.F, 4], 2])}
                for dimension in DIMENSIONS:
                    gradient = itk.Image[itk.CovariantVector[itk.F, dimension], dimension]
                    gradients.update((itk.Image[pixel, dimension], gradient) for pixel in SCALARS)
                self.assertEqual(set(ours.keys()), gradients)
            elif name == "CudaRegistrationParameterScalesFromPhysicalShift":
                pass  # ITK's is of metrics of points
            else:
                self.assertLessEqual(set(theirs.keys()), set(ours.keys()), name)
            for key, wrapped in ours.items():
                if key in theirs.keys():
                    self.assertTrue(issubclass(wrapped, theirs[key]), (name, key))

    def test_enumerations(self):
        for name in ENUMERATIONS:
            found = getattr(itk, name)
            self.assertEqual(found.__name__, name)
            self.assertGreater(len(found), 2)
            self.assertEqual(sorted(found), list(range(len(found))))
        self.assertEqual([x.name for x in itk.CudaSplinePrecision], ["Automatic", "Single", "Double"])

    def test_images(self):
        """The images that the tests are about are those that are wrapped."""
        for pixel in SCALARS:
            for dimension in DIMENSIONS:
                self.assertIn((itk.Image[pixel, dimension],) * 2, itk.CudaResampleImageFilter.keys())


if __name__ == "__main__":
    unittest.main()
