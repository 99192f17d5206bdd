"""Interpolators at single points, against ITK's."""

import unittest

import numpy

from support import DIMENSIONS, INTEGERS, SCALARS, SINGLE, Case, itk, name_of

WINDOWS = ("Hamming", "Cosine", "Welch", "Lanczos")


class Interpolators(Case):
    def values(self, function, image, indices):
        function.SetInputImage(image)
        return numpy.array([function.EvaluateAtContinuousIndex(index) for index in indices])

    def each(self, pixels=tuple(SCALARS)):
        for dimension in DIMENSIONS:
            for pixel in pixels:
                image = self.image(pixel, dimension)
                largest = numpy.abs(itk.array_from_image(image).astype(float)).max()
                yield dimension, pixel, image, self.indices(image), largest

    def compare(self, name, tolerance):
        for _, _, image, indices, largest in self.each():
            ours = getattr(itk, f"Cuda{name}")[type(image), itk.D].New()
            reference = getattr(itk, name)[type(image), itk.D].New()
            self.assertEqual(ours.GetNameOfClass(), f"Cuda{name}")
            self.assertIsInstance(ours, type(reference))
            got, expected = (self.values(function, image, indices) for function in (ours, reference))
            self.assertClose(got, expected, tolerance * largest)

    def test_nearest(self):
        self.compare("NearestNeighborInterpolateImageFunction", 0)

    def test_linear(self):
        self.compare("LinearInterpolateImageFunction", 1e-12)

    def test_bspline(self):
        """ITK's own classes have coefficients of the pixel's type: integers are cast to float for it."""
        for _, _, image, indices, largest in self.each():
            real = self.as_float(image)
            reference = itk.BSplineInterpolateImageFunction[type(real), itk.D, itk.F].New()
            for coefficient in (itk.F, itk.D):
                ours = itk.CudaBSplineInterpolateImageFunction[type(image), itk.D, coefficient].New()
                for order in range(6):
                    with self.subTest(coefficient=name_of(coefficient), order=order):
                        ours.SetSplineOrder(order)
                        reference.SetSplineOrder(order)
                        got = self.values(ours, image, indices)
                        self.assertClose(got, self.values(reference, real, indices), SINGLE * largest)
                        if order == 3:
                            slopes = [
                                [list(f.EvaluateDerivativeAtContinuousIndex(index)) for index in indices]
                                for f in (ours, reference)
                            ]
                            # Weights of derivatives sum up to 2 an axis, and spacings are down to 0.8 mm.
                            self.assertClose(*slopes, 2 / 0.8 * SINGLE * largest)

    def test_integers_keep_real_coefficients(self):
        for _, _, image, indices, largest in self.each(INTEGERS):
            itks = itk.BSplineInterpolateImageFunction.New(image)  # coefficients of integers
            ours = itk.CudaBSplineInterpolateImageFunction[type(image), itk.D, itk.D].New(image)
            grid = itk.array_view_from_image(image)
            centres = [[int(x) for x in index[::-1]] for index in numpy.ndindex(*grid.shape)]
            pixels = grid.astype(float).ravel()
            got = numpy.array([ours.EvaluateAtContinuousIndex([float(x) for x in index]) for index in centres])
            # ITK's horizon: coefficients are exact to 1e-10 of the largest pixel, near the edges to 4e-10.
            self.assertLess(numpy.abs(got - pixels).max(), 1e-8 * largest)
            truncated = numpy.array([itks.EvaluateAtContinuousIndex([float(x) for x in index]) for index in centres])
            self.assertGreater(numpy.abs(truncated - pixels).max(), 0.1)
            self.assertGreater(numpy.abs(numpy.array(list(map(ours.EvaluateAtContinuousIndex, indices))) % 1).max(), 0.1)

    def test_bspline_of_coefficients(self):
        for dimension in DIMENSIONS:
            image = self.image(itk.F, dimension)
            coefficients = itk.b_spline_decomposition_image_filter(image, spline_order=3)
            ours, reference = (
                getattr(itk, f"{prefix}BSplineResampleImageFunction")[type(image), itk.D].New() for prefix in ("Cuda", "")
            )
            indices = self.indices(image)
            got, expected = (self.values(function, coefficients, indices) for function in (ours, reference))
            self.assertClose(got, expected, SINGLE * 1000)

    def test_windowed_sinc(self):
        for _, _, image, indices, largest in self.each():
            for radius in (2, 3):
                for window in WINDOWS:
                    with self.subTest(window=window, radius=radius):
                        window_type = getattr(itk, f"{window}WindowFunction")[radius]
                        ours, reference = (
                            getattr(itk, f"{prefix}WindowedSincInterpolateImageFunction")[type(image), radius, window_type].New()
                            for prefix in ("Cuda", "")
                        )
                        got, expected = (self.values(function, image, indices) for function in (ours, reference))
                        # Weights in double, at most 1.3 an axis in sum of absolute values, 6^3 of them.
                        self.assertClose(got, expected, 1e-11 * largest)

    def test_catmull_rom(self):
        """ITK has none: it goes through the pixels, and polynomials of degree two come out as they are inside."""
        for _, pixel, image, indices, _ in self.each():
            ours = itk.CudaCatmullRomInterpolateImageFunction[type(image), itk.D].New(image)
            grid = itk.array_view_from_image(image)
            for index in numpy.ndindex(*grid.shape):
                self.assertAlmostEqual(ours.EvaluateAtContinuousIndex([float(x) for x in index[::-1]]), grid[index], places=9)
            if pixel == itk.UC:
                continue
            places = numpy.meshgrid(*(numpy.arange(n, dtype=float) for n in grid.shape), indexing="ij")
            squares = sum(place**2 for place in places)
            ours.SetInputImage(itk.image_from_array(squares.astype(SCALARS[pixel])))
            inner = [index for index in indices if all(1 <= x <= n - 2 for x, n in zip(index, itk.size(image)))]
            self.assertGreater(len(inner), 5)
            for index in inner:
                expected = sum(x * x for x in index)
                self.assertAlmostEqual(ours.EvaluateAtContinuousIndex(index), expected, delta=1e-9 * squares.max())

    def test_cubic_convolution(self):
        """Mitchell and Netravali's filter smooths: the mean of a pixel and its neighbours by 1, 16 and 1 along each axis."""
        for _, pixel, image, _, largest in self.each():
            ours = itk.CudaCubicConvolutionInterpolateImageFunction[type(image), itk.D].New(image)
            self.assertAlmostEqual(ours.GetB(), 1 / 3)
            expected = itk.array_from_image(image).astype(float)
            for axis in range(expected.ndim):
                padded = numpy.pad(expected, [(1, 1) if d == axis else (0, 0) for d in range(expected.ndim)], mode="reflect")
                below, middle, above = (numpy.take(padded, range(k, k + expected.shape[axis]), axis) for k in range(3))
                expected = (below + 16 * middle + above) / 18
            for index in numpy.ndindex(*expected.shape):
                found = ours.EvaluateAtContinuousIndex([float(x) for x in index[::-1]])
                self.assertAlmostEqual(found, expected[index], delta=1e-12 * max(1.0, largest))

    def test_label_gaussian(self):
        for dimension in DIMENSIONS:
            for pixel in INTEGERS:
                labels = self.labels(pixel, dimension)
                ours, reference = (
                    getattr(itk, f"{prefix}LabelImageGaussianInterpolateImageFunction")[type(labels), itk.D].New()
                    for prefix in ("Cuda", "")
                )
                for function in (ours, reference):
                    function.SetSigma([0.8] * dimension)
                    function.SetAlpha(2.0)
                indices = self.indices(labels)
                got, expected = (self.values(function, labels, indices) for function in (ours, reference))
                self.assertClose(got, expected, 0)

    def test_label_generic(self):
        """The label whose indicator, interpolated by ITK's class, is the largest."""
        for dimension in DIMENSIONS:
            for pixel in INTEGERS:
                labels = self.labels(pixel, dimension)
                indices = self.indices(labels)
                array = itk.array_view_from_image(labels)
                ours = itk.CudaLabelImageGenericInterpolateImageFunction[type(labels)].New(labels)
                scores = []
                for label in range(5):
                    indicator = itk.image_from_array((array == label).astype(numpy.float32))
                    reference = itk.LinearInterpolateImageFunction.New(indicator)
                    scores.append([reference.EvaluateAtContinuousIndex(index) for index in indices])
                scores = numpy.sort(scores, axis=0), numpy.argmax(scores, axis=0)
                clear = scores[0][-1] > scores[0][-2] + 1e-6
                got = numpy.array([ours.EvaluateAtContinuousIndex(index) for index in indices])
                self.assertGreater(clear.sum(), len(indices) // 2)
                numpy.testing.assert_array_equal(got[clear], scores[1][clear])

    def test_vectors(self):
        """Part by part: ITK's Python classes give a number for a vector."""
        for dimension in DIMENSIONS:
            image = self.vectors(dimension)
            indices = self.indices(image)
            array = itk.array_view_from_image(image)
            parts = [itk.image_from_array(numpy.ascontiguousarray(array[..., part])) for part in range(dimension)]
            vector_bspline = itk.CudaVectorBSplineInterpolateImageFunction
            for ours, name in (
                (itk.CudaLinearInterpolateImageFunction[type(image), itk.D], "Linear"),
                (vector_bspline[type(image), itk.D, itk.F], "BSpline"),
                (vector_bspline[type(image), itk.D, itk.D], "BSpline"),
            ):
                function = ours.New(image)
                got = numpy.array([list(function.EvaluateAtContinuousIndex(index)) for index in indices])
                for component, part in enumerate(parts):
                    reference = getattr(itk, f"{name}InterpolateImageFunction").New(part)
                    expected = [reference.EvaluateAtContinuousIndex(index) for index in indices]
                    self.assertClose(got[:, component], expected, SINGLE * numpy.abs(array).max())

    def test_address_modes(self):
        image = self.image(itk.F, 3)
        function = itk.CudaLinearInterpolateImageFunction.New(image)
        self.assertFalse(function.IsInsideBuffer([-2, 3, 4]))
        function.SetAddressMode(0, itk.CudaSplineAddressMode.Mirror)
        self.assertEqual(function.GetAddressMode(0), itk.CudaSplineAddressMode.Mirror)
        outside, mirrored = (function.EvaluateAtContinuousIndex([x, 3.25, 4.5]) for x in (-2.0, 2.0))
        self.assertEqual(outside, mirrored)
        function.SetAddressMode(itk.CudaSplineAddressMode.GridWrap)
        self.assertEqual(function.GetAddressMode(2), itk.CudaSplineAddressMode.GridWrap)


if __name__ == "__main__":
    unittest.main()
