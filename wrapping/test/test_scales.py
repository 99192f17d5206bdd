"""The estimator of scales of parameters, by itself and in itk.ImageRegistrationMethodv4, against ITK's."""

import unittest

import numpy

from support import DIMENSIONS, Case, itk, superclass

METRICS = ("MeanSquares", "Correlation", "MattesMutualInformation")
ESTIMATOR = "CudaRegistrationParameterScalesFromPhysicalShift"


def parameters(values):
    made = itk.OptimizerParameters[itk.D](len(values))
    for position, value in enumerate(values):
        made.SetElement(position, float(value))
    return made


def numbers(made):
    return [made.GetElement(position) for position in range(made.GetSize())]


class Scales(Case):
    def metric(self, prefix, name, image, transform):
        metric = getattr(itk, f"{prefix}{name}ImageToImageMetricv4")[type(image), type(image)].New()
        metric.SetFixedImage(image)
        metric.SetMovingImage(image)
        metric.SetMovingTransform(transform)
        metric.SetVirtualDomainFromImage(image)
        metric.SetMaximumNumberOfWorkUnits(1)  # ITK adds up its threads' parts in the order in which they end
        metric.Initialize()
        return metric

    def spline(self, dimension, image):
        """A B-spline transform of random coefficients over the image."""
        transform = itk.BSplineTransform[itk.D, dimension, 3].New()
        transform.SetTransformDomainOrigin(image.GetOrigin())
        transform.SetTransformDomainDirection(image.GetDirection())
        size, spacing = itk.size(image), image.GetSpacing()
        transform.SetTransformDomainPhysicalDimensions([float((size[d] - 1) * spacing[d]) for d in range(dimension)])
        transform.SetTransformDomainMeshSize([4] * dimension)
        transform.SetParameters(parameters(self.random.uniform(-1, 1, transform.GetNumberOfParameters())))
        return transform

    def field(self, dimension, image):
        """A displacement field on the image's grid."""
        field_type = itk.Image[itk.Vector[itk.D, dimension], dimension]
        values = itk.array_from_image(self.vectors(dimension, tuple(itk.size(image)), scale=1.0)).astype(numpy.float64)
        field = self.field_of(values, field_type)
        field.CopyInformation(image)
        transform = itk.DisplacementFieldTransform[itk.D, dimension].New()
        transform.SetDisplacementField(field)
        return transform

    def estimators(self, metric):
        ours = getattr(itk, ESTIMATOR)[type(metric)].New()
        self.assertEqual(ours.GetNameOfClass(), ESTIMATOR)
        itks = superclass(type(ours)).New()
        self.assertEqual(itks.GetNameOfClass(), ESTIMATOR.replace("Cuda", ""))
        for estimator in (ours, itks):
            estimator.SetMetric(metric)
            estimator.SetCentralRegionRadius(2)
        return ours, itks

    def test_estimates(self):
        for dimension in DIMENSIONS:
            image = self.image(itk.F, dimension)
            for name in METRICS:
                for prefix in ("Cuda", ""):
                    transforms = self.affine(dimension), self.spline(dimension, image), self.field(dimension, image)
                    for transform in transforms:
                        kind = transform.GetNameOfClass()
                        with self.subTest(dimension=dimension, metric=f"{prefix}{name}", transform=kind):
                            self.compare(self.metric(prefix, name, image, transform), transform, kind)

    def compare(self, metric, transform, kind):
        ours, itks = self.estimators(metric)
        got, expected = itk.OptimizerParameters[itk.D](), itk.OptimizerParameters[itk.D]()
        ours.EstimateScales(got)
        self.assertEqual(ours.GetReason() == "", kind != "AffineTransform", ours.GetReason())
        itks.EstimateScales(expected)
        self.assertGreater(min(numbers(expected)), 0)
        self.assertEqual(numbers(got), numbers(expected))
        step = parameters(self.random.uniform(-1, 1, transform.GetNumberOfParameters()))
        shift, itks_shift = (estimator.EstimateStepScale(step) for estimator in (ours, itks))
        self.assertGreater(itks_shift, 0)
        # Points are up to some 100 mm, each with some ten roundings.
        bound = 0 if kind == "AffineTransform" else 64 * 100 * numpy.finfo(numpy.float64).eps
        self.assertLessEqual(abs(shift - itks_shift), bound)
        self.assertEqual(ours.EstimateMaximumStepSize(), itks.EstimateMaximumStepSize())
        if kind == "DisplacementFieldTransform":
            ours.EstimateLocalStepScales(step, got)
            itks.EstimateLocalStepScales(step, expected)
            self.assertEqual(numbers(got), numbers(expected))

    def test_registration(self):
        """Equal scales make equal steps: with a metric of ITK's the parameters are ITK's to the bit."""
        for dimension in DIMENSIONS:
            fixed = self.image(itk.F, dimension)
            move = self.affine(dimension)
            moving = itk.resample_image_filter(fixed, transform=move, use_reference_image=True, reference_image=fixed)
            results = []
            for position in range(2):
                transform = itk.AffineTransform[itk.D, dimension].New()
                metric = self.metric("", "MeanSquares", fixed, transform)
                estimator = self.estimators(metric)[position]
                optimizer = itk.RegularStepGradientDescentOptimizerv4[itk.D].New(learning_rate=1.0, number_of_iterations=8)
                optimizer.SetScalesEstimator(estimator)
                registration = itk.ImageRegistrationMethodv4[type(fixed), type(moving)].New(
                    fixed_image=fixed, moving_image=moving, metric=metric, optimizer=optimizer, initial_transform=transform
                )
                registration.SetNumberOfLevels(1)
                registration.SetShrinkFactorsPerLevel([1])
                registration.SetSmoothingSigmasPerLevel([0])
                registration.Update()
                results.append(numbers(registration.GetTransform().GetParameters()))
            self.assertNotEqual(results[0], numbers(itk.AffineTransform[itk.D, dimension].New().GetParameters()))
            self.assertEqual(*results)


if __name__ == "__main__":
    unittest.main()
