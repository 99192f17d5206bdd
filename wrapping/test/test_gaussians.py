"""Filters by recursive Gaussians, by New() and by ITK's snake-case functions, against ITK's."""

import platform
import unittest

import numpy

from support import DIMENSIONS, INTEGERS, SCALARS, Case, itk, name_of, superclass

# ITK's results to the bit, where neither is compiled with fused multiply-adds; else some units in the last place of the largest pixel, and
# integers, which are truncated, may be one less or more.
ROUNDS_EACH = platform.machine() in ("x86_64", "AMD64")


class Gaussians(Case):
    def assertSame(self, got, expected, pixel=itk.F):
        tolerance = 0
        if not ROUNDS_EACH:
            tolerance = 1 if pixel in INTEGERS else 4 * numpy.finfo(numpy.float32).eps * numpy.abs(numpy.asarray(expected)).max()
        self.assertClose(got, expected, tolerance)

    def sigmas(self, dimension):
        """Standard deviations by axis (mm), of 0.7 pixels and more: ITK's integers do not overflow."""
        return [float(x) for x in self.random.uniform(1.2, 4, dimension)]

    def test_smoothing(self):
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                for normalize in (False, True):
                    with self.subTest(dimension=dimension, pixel=name_of(pixel), normalize=normalize):
                        image = self.image(pixel, dimension)
                        settings = {"sigma_array": self.sigmas(dimension), "normalize_across_scale": normalize}
                        expected = itk.smoothing_recursive_gaussian_image_filter(image, **settings)
                        ours = itk.CudaSmoothingRecursiveGaussianImageFilter.New(image, **settings)
                        self.assertEqual(ours.GetNameOfClass(), "CudaSmoothingRecursiveGaussianImageFilter")
                        ours.Update()
                        self.assertComputed(ours)
                        got = itk.array_from_image(ours.GetOutput())
                        self.assertEqual(got.dtype, SCALARS[pixel])
                        self.assertSame(got, expected, pixel)
                        again = itk.cuda_smoothing_recursive_gaussian_image_filter(image, **settings)
                        numpy.testing.assert_array_equal(itk.array_view_from_image(again), got)

    def test_smoothing_by_one_sigma(self):
        image = self.image(itk.F, 3)
        expected = itk.smoothing_recursive_gaussian_image_filter(image, sigma=2.5)
        self.assertSame(itk.cuda_smoothing_recursive_gaussian_image_filter(image, sigma=2.5), expected)

    def test_one_axis(self):
        """Our kernels compute float; ITK's code computes other types, with results of these types."""
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                for first in (False, True):
                    for axis in range(dimension):
                        with self.subTest(dimension=dimension, pixel=name_of(pixel), first=first, axis=axis):
                            image = self.image(pixel, dimension)
                            settings = {"sigma": self.sigmas(dimension)[axis], "direction": axis, "normalize_across_scale": first}
                            reference = itk.RecursiveGaussianImageFilter.New(image, **settings)
                            ours = itk.CudaRecursiveGaussianImageFilter.New(image, **settings)
                            self.assertEqual(ours.GetNameOfClass(), "CudaRecursiveGaussianImageFilter")
                            for each in (reference, ours):
                                if first:
                                    each.SetFirstOrder()
                                else:
                                    each.SetZeroOrder()
                                each.Update()
                            if pixel == itk.F:
                                self.assertComputed(ours)
                            else:
                                self.assertEqual(ours.GetLastBackend(), itk.CudaSplineBackend.Superclass)
                            got = itk.array_from_image(ours.GetOutput())
                            self.assertEqual(got.dtype, SCALARS[pixel])
                            self.assertSame(got, itk.array_view_from_image(reference.GetOutput()), pixel)
                            if not first:
                                again = itk.cuda_recursive_gaussian_image_filter(image, **settings)
                                numpy.testing.assert_array_equal(itk.array_view_from_image(again), got)

    def test_magnitude(self):
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                for normalize in (False, True):
                    with self.subTest(dimension=dimension, pixel=name_of(pixel), normalize=normalize):
                        image = self.image(pixel, dimension)
                        settings = {"sigma": self.sigmas(dimension)[0], "normalize_across_scale": normalize}
                        expected = itk.gradient_magnitude_recursive_gaussian_image_filter(image, **settings)
                        ours = itk.CudaGradientMagnitudeRecursiveGaussianImageFilter.New(image, **settings)
                        self.assertEqual(ours.GetNameOfClass(), "CudaGradientMagnitudeRecursiveGaussianImageFilter")
                        ours.Update()
                        self.assertComputed(ours)
                        got = itk.array_from_image(ours.GetOutput())
                        self.assertEqual(got.dtype, SCALARS[pixel])
                        # ITK rounds squares and sums of components to float as it goes.
                        expected = itk.array_view_from_image(expected).astype(float)
                        self.assertClose(got, expected, 1 if pixel in INTEGERS else 4e-7 * numpy.abs(expected).max())
                        again = itk.cuda_gradient_magnitude_recursive_gaussian_image_filter(image, **settings)
                        numpy.testing.assert_array_equal(itk.array_view_from_image(again), got)

    def test_gradient(self):
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                for rotated in (False, True):
                    with self.subTest(dimension=dimension, pixel=name_of(pixel), rotated=rotated):
                        image = self.image(pixel, dimension)
                        settings = {
                            "sigma_array": self.sigmas(dimension),
                            "normalize_across_scale": not rotated,
                            "use_image_direction": rotated,
                        }
                        ours = itk.CudaGradientRecursiveGaussianImageFilter.New(image, **settings)
                        self.assertEqual(ours.GetNameOfClass(), "CudaGradientRecursiveGaussianImageFilter")
                        ours.Update()
                        self.assertComputed(ours)
                        got = itk.array_from_image(ours.GetOutput())
                        self.assertEqual(got.shape[-1], dimension)
                        # By its name ITK's has two numbers a gradient, whatever the dimension.
                        reference = superclass(type(ours)).New(image, **settings)
                        self.assertEqual(reference.GetNameOfClass(), "GradientRecursiveGaussianImageFilter")
                        reference.Update()
                        self.assertSame(got, itk.array_view_from_image(reference.GetOutput()))
                        if dimension == 2:
                            named = itk.gradient_recursive_gaussian_image_filter(image, **settings)
                            self.assertSame(got, itk.array_view_from_image(named))
                        again = itk.cuda_gradient_recursive_gaussian_image_filter(image, **settings)
                        numpy.testing.assert_array_equal(itk.array_view_from_image(again), got)

    def test_gradient_of_vectors(self):
        """ITK's own code does it."""
        image = self.vectors(2)
        expected = itk.gradient_recursive_gaussian_image_filter(image, sigma=2.0)
        ours = itk.CudaGradientRecursiveGaussianImageFilter.New(image, sigma=2.0)
        ours.Update()
        self.assertEqual(ours.GetLastBackend(), itk.CudaSplineBackend.Superclass)
        self.assertNotEqual(ours.GetFallbackReason(), "")
        self.assertClose(itk.array_view_from_image(ours.GetOutput()), itk.array_view_from_image(expected), 0)

    def test_errors(self):
        """ITK's: an axis is too short."""
        image = self.image(itk.F, 2, (23, 3))
        for name in ("", "Smoothing", "Gradient", "GradientMagnitude"):
            settings = {"direction": 1} if name == "" else {}
            ours = getattr(itk, f"Cuda{name}RecursiveGaussianImageFilter").New(image, sigma=2.0, **settings)
            with self.assertRaisesRegex(RuntimeError, "4"):
                ours.Update()


if __name__ == "__main__":
    unittest.main()
