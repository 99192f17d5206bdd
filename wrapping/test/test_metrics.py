"""The metrics by themselves and in itk.ImageRegistrationMethodv4, against ITK's."""

import unittest

import numpy

from support import DIMENSIONS, Case, itk

METRICS = ("MeanSquares", "Correlation", "MattesMutualInformation")


class Metrics(Case):
    def pair(self, dimension):
        """Two images of the same structures, a shift apart, 24^d of float."""
        shape = (24,) * dimension
        centres = self.random.uniform(6, 18, (5, dimension))
        heights = self.random.uniform(50, 200, 5)
        shift = self.random.uniform(-1.5, 1.5, dimension)
        images = []
        for offset in (numpy.zeros(dimension), shift):
            places = numpy.stack(numpy.meshgrid(*(numpy.arange(n, dtype=float) for n in shape), indexing="ij"), -1)
            values = sum(h * numpy.exp(-((places - c - offset) ** 2).sum(-1) / 18) for c, h in zip(centres, heights))
            images.append(itk.image_from_array(values.astype(numpy.float32)))
        return images

    def metric(self, prefix, name, image):
        metric = getattr(itk, f"{prefix}{name}ImageToImageMetricv4")[type(image), type(image)].New()
        metric.SetMaximumNumberOfWorkUnits(1)  # ITK adds up its threads' parts in the order in which they end
        return metric

    def test_value_and_derivative(self):
        for dimension in DIMENSIONS:
            fixed, moving = self.pair(dimension)
            for name in METRICS:
                with self.subTest(dimension=dimension, metric=name):
                    results = []
                    for prefix in ("Cuda", ""):
                        metric = self.metric(prefix, name, fixed)
                        transform = itk.TranslationTransform[itk.D, dimension].New()
                        metric.SetFixedImage(fixed)
                        metric.SetMovingImage(moving)
                        metric.SetVirtualDomainFromImage(fixed)
                        metric.SetMovingTransform(transform)
                        if prefix:
                            metric.SetPrecision(itk.CudaSplinePrecision.Double)
                        metric.Initialize()
                        derivative = itk.Array[itk.D](dimension)
                        value = metric.GetValue()
                        metric.GetDerivative(derivative)
                        results.append((value, [derivative.GetElement(i) for i in range(dimension)]))
                        if prefix:
                            self.assertEqual(metric.GetNameOfClass(), f"Cuda{name}ImageToImageMetricv4")
                            self.assertComputed(metric)
                    (got, slope), (expected, slopes) = results
                    # As documented: CudaSplineImageMetric, CudaMattesMutualInformationImageToImageMetricv4.
                    self.assertAlmostEqual(got, expected, delta=1e-11 * abs(expected))
                    largest = numpy.abs(slopes).max()
                    self.assertGreater(largest, 0)
                    self.assertLess(numpy.abs(numpy.subtract(slope, slopes)).max(), 1e-9 * largest)

    def register(self, prefix, name, fixed, moving, dimension):
        metric = self.metric(prefix, name, fixed)
        if prefix:
            metric.SetPrecision(itk.CudaSplinePrecision.Double)
        transform = itk.TranslationTransform[itk.D, dimension].New()
        optimizer = itk.RegularStepGradientDescentOptimizerv4[itk.D].New(
            learning_rate=1.0, minimum_step_length=1e-4, number_of_iterations=15, relaxation_factor=0.5
        )
        registration = itk.ImageRegistrationMethodv4[type(fixed), type(moving)].New(
            fixed_image=fixed, moving_image=moving, metric=metric, optimizer=optimizer, initial_transform=transform
        )
        registration.SetNumberOfLevels(1)
        registration.SetShrinkFactorsPerLevel([1])
        registration.SetSmoothingSigmasPerLevel([0])
        registration.Update()
        if prefix:
            self.assertComputed(metric)
        return [registration.GetTransform().GetParameters().GetElement(i) for i in range(dimension)]

    def test_registration(self):
        for dimension in DIMENSIONS:
            fixed, moving = self.pair(dimension)
            for name in METRICS:
                with self.subTest(dimension=dimension, metric=name):
                    ours, itks = (self.register(prefix, name, fixed, moving, dimension) for prefix in ("Cuda", ""))
                    self.assertGreater(numpy.abs(itks).max(), 0.05)
                    # A step doubles at most what the derivatives differ by, relatively, of steps of up to 1.
                    self.assertLess(numpy.abs(numpy.subtract(ours, itks)).max(), 1e-9 * 2**15)


if __name__ == "__main__":
    unittest.main()
