"""What the tests of the Python classes share: ITK's package, images, transforms, comparisons.

Run by scripts/python-itk. Data are fresh each run; CUDASPLINE_TEST_SEED repeats them.
"""

import os
import secrets
import unittest

import numpy

if "bool" not in vars(numpy):
    numpy.bool = bool  # ITK 5.2 asks for the name, which NumPy 1.24 has no more

import itk  # noqa: E402: after the line above

SEED = int(os.environ.get("CUDASPLINE_TEST_SEED") or secrets.randbits(32))
print(f"CUDASPLINE_TEST_SEED={SEED}")

DIMENSIONS = (2, 3)
SCALARS = {itk.F: numpy.float32, itk.UC: numpy.uint8, itk.SS: numpy.int16}
INTEGERS = (itk.UC, itk.SS)

# A value of single precision, computed in another order, of a sum of 6^3 weighted coefficients that are at most some six times the largest
# pixel: 216 roundings of half an epsilon in the worst case, their root as a rule. Relative to the largest pixel.
SINGLE = 216 * 6 * numpy.finfo(numpy.float32).eps / 2


def superclass(wrapped):
    """ITK's class that a class of the module derives from, where it has no name of its own in Python."""
    (base,) = wrapped.__bases__
    assert "Cuda" not in base.New().GetNameOfClass()
    return base


def name_of(pixel):
    return {itk.F: "float", itk.UC: "unsigned char", itk.SS: "short", itk.D: "double"}[pixel]


class Case(unittest.TestCase):
    """A test with random numbers of its own."""

    kept = []  # whose parts are read: a size, a spacing, an origin and a direction in Python do not keep their image alive

    def setUp(self):
        self.random = numpy.random.default_rng([SEED, *self.id().encode()])

    def rotation(self, dimension, angle):
        matrix = numpy.eye(dimension)
        c, s = numpy.cos(angle), numpy.sin(angle)
        matrix[:2, :2] = [[c, -s], [s, c]]
        return matrix

    def grid(self, image, spacing, origin, angle):
        """Gives an image a geometry: spacing and origin by axis (mm), direction by an angle about the last axis."""
        dimension = image.GetImageDimension()
        image.SetSpacing([float(x) for x in spacing])
        image.SetOrigin([float(x) for x in origin])
        image.SetDirection(itk.matrix_from_array(self.rotation(dimension, angle)))
        return image

    def image(self, pixel, dimension, size=(23, 19, 15)):
        """Smooth structures with noise on an oblique grid; integers fill their type's range, as far as -1000 to 1000."""
        shape = size[:dimension][::-1]
        values = self.random.standard_normal(shape)
        places = numpy.meshgrid(*(numpy.linspace(0, 3, n) for n in shape), indexing="ij")
        values += 3 * sum(numpy.sin(place + self.random.uniform(0, 6)) for place in places)
        values = (values - values.min()) / (values.max() - values.min())
        low, high = {itk.F: (-1000, 1000), itk.UC: (0, 255), itk.SS: (-1000, 1000)}[pixel]
        values = low + (high - low) * values
        if pixel in INTEGERS:
            values = numpy.rint(values)
        image = itk.image_from_array(numpy.ascontiguousarray(values.astype(SCALARS[pixel])))
        return self.grid(image, (1.1, 0.8, 1.7)[:dimension], (-5.0, 3.0, 11.0)[:dimension], 0.3)

    def labels(self, pixel, dimension, count=5):
        """Blocks of a few labels."""
        shape = (23, 19, 15)[:dimension][::-1]
        blocks = self.random.integers(0, count, [(n + 3) // 4 for n in shape])
        for axis in range(dimension):
            blocks = numpy.repeat(blocks, 4, axis)
        blocks = blocks[tuple(slice(n) for n in shape)]
        image = itk.image_from_array(numpy.ascontiguousarray(blocks.astype(SCALARS[pixel])))
        return self.grid(image, (1.1, 0.8, 1.7)[:dimension], (-5.0, 3.0, 11.0)[:dimension], 0.3)

    def vectors(self, dimension, size=(23, 19, 15), scale=100.0):
        """Vectors of float, as many numbers a pixel as there are dimensions."""
        shape = (*size[:dimension][::-1], dimension)
        values = scale * self.random.standard_normal(shape)
        vector_type = itk.Image[itk.Vector[itk.F, dimension], dimension]
        image = itk.image_from_array(values.astype(numpy.float32), ttype=vector_type)
        return self.grid(image, (1.1, 0.8, 1.7)[:dimension], (-5.0, 3.0, 11.0)[:dimension], 0.3)

    def field_of(self, values, field_type):
        """An image of vectors of double: ITK's Python classes copy none of these, so the image looks into the array."""
        values = numpy.ascontiguousarray(values, dtype=numpy.float64)
        self.kept.append(values)
        return itk.image_view_from_array(values, ttype=field_type)

    def as_float(self, image):
        real = itk.image_from_array(itk.array_view_from_image(image).astype(numpy.float32))
        real.CopyInformation(image)
        return real

    def affine(self, dimension):
        """A little rotated, stretched and shifted."""
        transform = itk.AffineTransform[itk.D, dimension].New()
        matrix = self.rotation(dimension, self.random.uniform(0.1, 0.3)) * self.random.uniform(0.9, 1.1)
        transform.SetMatrix(itk.matrix_from_array(matrix))
        transform.SetOffset([float(x) for x in self.random.uniform(-2, 2, dimension)])
        return transform

    def indices(self, image, count=60):
        """Random continuous indices inside of an image, x first."""
        size = numpy.array(itk.size(image))
        return [[float(x) for x in row] for row in self.random.uniform(-0.5, size - 0.5, (count, len(size)))]

    def assertComputed(self, thing):
        """The module's own kernels did it: else ITK would be compared with ITK."""
        backends = (itk.CudaSplineBackend.Cuda, itk.CudaSplineBackend.Cpu)
        self.assertIn(thing.GetLastBackend(), backends, thing.GetFallbackReason())

    def assertClose(self, got, expected, tolerance):
        """Arrays or images, within an absolute tolerance."""
        got, expected = (numpy.asarray(x, dtype=numpy.float64) for x in (got, expected))
        self.assertEqual(got.shape, expected.shape)
        self.assertGreater(numpy.ptp(expected), 0)
        self.assertLessEqual(numpy.abs(got - expected).max(), tolerance)

    def assertTruncated(self, got, expected, exact, tolerance):
        """Integers that ITK truncates: they may differ by one where the real number is within the tolerance of an integer."""
        got, expected, exact = (numpy.asarray(x, dtype=numpy.float64) for x in (got, expected, exact))
        clear = numpy.abs(exact - numpy.rint(exact)) > tolerance
        self.assertGreater(clear.mean(), 0.1)
        numpy.testing.assert_array_equal(got[clear], expected[clear])
        self.assertLessEqual(numpy.abs(got - expected).max(), 1)
