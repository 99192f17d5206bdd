"""Filters, by New() and by ITK's snake-case functions, against ITK's."""

import unittest

import numpy

from support import DIMENSIONS, INTEGERS, SCALARS, SINGLE, Case, itk, name_of

REAL = {itk.F: numpy.float32, itk.D: numpy.float64}


class Decomposition(Case):
    def test_coefficients(self):
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                image = self.image(pixel, dimension)
                real = self.as_float(image)
                largest = numpy.abs(itk.array_view_from_image(real)).max()
                for order in range(2, 6):
                    expected = itk.b_spline_decomposition_image_filter(real, spline_order=order)
                    for coefficient in REAL:
                        with self.subTest(dimension=dimension, pixel=name_of(pixel), coefficient=name_of(coefficient), order=order):
                            types = type(image), itk.Image[coefficient, dimension]
                            ours = itk.CudaBSplineDecompositionImageFilter[types].New(image)
                            ours.SetSplineOrder(order)
                            ours.Update()
                            self.assertComputed(ours)
                            got = itk.array_from_image(ours.GetOutput())
                            self.assertEqual(got.dtype, REAL[coefficient])
                            # Gains of the prefilters are up to some 10 an axis; a rounding of each of ITK's three passes.
                            tolerance = 10**dimension * numpy.finfo(numpy.float32).eps * largest
                            self.assertClose(got, itk.array_view_from_image(expected), tolerance)
                            function = itk.cuda_b_spline_decomposition_image_filter
                            again = function(image, spline_order=order, ttype=types)
                            numpy.testing.assert_array_equal(itk.array_view_from_image(again), got)

    def test_fir(self):
        image = self.image(itk.SS, 3)
        types = type(image), itk.Image[itk.D, 3]
        exact = itk.cuda_b_spline_decomposition_image_filter(image, ttype=types)
        fir = itk.CudaBSplineDecompositionImageFilter[types].New(image, prefilter=itk.CudaSplinePrefilter.Fir, tolerance=1e-4)
        fir.Update()
        self.assertEqual(fir.GetPrefilter(), itk.CudaSplinePrefilter.Fir)
        self.assertGreater(fir.GetEffectiveNumberOfTaps(), 3)
        difference = numpy.abs(itk.array_view_from_image(fir.GetOutput()) - itk.array_view_from_image(exact)).max()
        self.assertGreater(difference, 0)
        # 1e-4 an axis, each behind two others' gains of at most 3.
        self.assertLess(difference, 3 * 9 * 1e-4 * 1000)


class Resample(Case):
    def interpolators(self, image, dimension, ours):
        """An interpolator of each kind: the module's or ITK's."""
        prefix = "Cuda" if ours else ""
        types = type(image), itk.D
        yield "nearest", getattr(itk, f"{prefix}NearestNeighborInterpolateImageFunction")[types].New()
        yield "linear", getattr(itk, f"{prefix}LinearInterpolateImageFunction")[types].New()
        window = type(image), 3, itk.LanczosWindowFunction[3]
        yield "sinc", getattr(itk, f"{prefix}WindowedSincInterpolateImageFunction")[window].New()

    def settings(self, image, dimension):
        reference = self.grid(
            itk.image_from_array(numpy.zeros((13, 16, 21)[-dimension:], numpy.float32)),
            (1.3, 1.2, 1.4)[:dimension],
            (-3.0, 4.0, 9.0)[:dimension],
            0.2,
        )
        self.kept.append(reference)
        return {
            "transform": self.affine(dimension),
            "size": itk.size(reference),
            "output_spacing": reference.GetSpacing(),
            "output_origin": reference.GetOrigin(),
            "output_direction": reference.GetDirection(),
            "default_pixel_value": 7,
        }

    def test_scalars(self):
        """Each pixel type by each interpolator of the module, and by ITK's own, which are recognised."""
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                image = self.image(pixel, dimension)
                real = self.as_float(image)
                largest = numpy.abs(itk.array_view_from_image(real)).max()
                settings = self.settings(image, dimension)
                itks = dict(self.interpolators(image, dimension, False))
                reals = dict(self.interpolators(real, dimension, False))
                for are_ours in (True, False):
                    for kind, interpolator in self.interpolators(image, dimension, are_ours):
                        with self.subTest(dimension=dimension, pixel=name_of(pixel), kind=kind, ours=are_ours):
                            expected = itk.resample_image_filter(image, interpolator=itks[kind], **settings)
                            ours = itk.CudaResampleImageFilter.New(image, interpolator=interpolator, **settings)
                            ours.Update()
                            self.assertEqual(ours.GetNameOfClass(), "CudaResampleImageFilter")
                            self.assertComputed(ours)
                            got = itk.array_from_image(ours.GetOutput())
                            self.assertEqual(got.dtype, SCALARS[pixel])
                            if kind == "nearest":
                                self.assertClose(got, expected, 0)
                            elif pixel == itk.F:
                                self.assertClose(got, expected, SINGLE * largest)
                            else:
                                exact = itk.resample_image_filter(real, interpolator=reals[kind], **settings)
                                limits = numpy.iinfo(SCALARS[pixel])
                                exact = numpy.clip(itk.array_view_from_image(exact), limits.min, limits.max)
                                self.assertTruncated(got, expected, exact, SINGLE * largest)
                            again = itk.cuda_resample_image_filter(image, interpolator=interpolator, **settings)
                            numpy.testing.assert_array_equal(itk.array_view_from_image(again), got)

    def test_bsplines(self):
        """To real images: integers are resampled with real coefficients and not truncated."""
        for dimension in DIMENSIONS:
            for pixel in SCALARS:
                image = self.image(pixel, dimension)
                real = self.as_float(image)
                largest = numpy.abs(itk.array_view_from_image(real)).max()
                settings = self.settings(image, dimension)
                for order in range(6):
                    reference = itk.BSplineInterpolateImageFunction[type(real), itk.D, itk.F].New(spline_order=order)
                    expected = itk.resample_image_filter(real, interpolator=reference, **settings)
                    for coefficient in REAL:
                        with self.subTest(dimension=dimension, pixel=name_of(pixel), coefficient=name_of(coefficient), order=order):
                            function = itk.CudaBSplineInterpolateImageFunction[type(image), itk.D, coefficient]
                            ours = itk.CudaResampleImageFilter[type(image), type(real)].New(
                                image, interpolator=function.New(spline_order=order), **settings
                            )
                            ours.Update()
                            self.assertComputed(ours)
                            self.assertClose(ours.GetOutput(), expected, SINGLE * largest)
                            if order == 3 and pixel in INTEGERS:
                                self.assertGreater(numpy.abs(itk.array_view_from_image(ours.GetOutput()) % 1).max(), 0.1)

    def test_vectors(self):
        for dimension in DIMENSIONS:
            image = self.vectors(dimension)
            settings = self.settings(image, dimension)
            settings["default_pixel_value"] = [1.0, 2.0, 3.0][:dimension]
            reference = itk.LinearInterpolateImageFunction[type(image), itk.D].New()
            expected = itk.resample_image_filter(image, interpolator=reference, **settings)
            function = itk.CudaLinearInterpolateImageFunction[type(image), itk.D]
            ours = itk.CudaResampleImageFilter.New(image, interpolator=function.New(), **settings)
            ours.Update()
            self.assertComputed(ours)
            largest = numpy.abs(itk.array_view_from_image(image)).max()
            self.assertClose(ours.GetOutput(), expected, SINGLE * largest)
            # ITK has no B-splines of vectors: part by part.
            function = itk.CudaVectorBSplineInterpolateImageFunction[type(image), itk.D, itk.F]
            ours = itk.CudaResampleImageFilter.New(image, interpolator=function.New(spline_order=3), **settings)
            ours.Update()
            self.assertComputed(ours)
            for part in range(dimension):
                values = itk.image_from_array(numpy.ascontiguousarray(itk.array_view_from_image(image)[..., part]))
                values.CopyInformation(image)
                settings["default_pixel_value"] = part + 1.0
                reference = itk.BSplineInterpolateImageFunction.New(values, spline_order=3)
                expected = itk.resample_image_filter(values, interpolator=reference, **settings)
                self.assertClose(itk.array_view_from_image(ours.GetOutput())[..., part], expected, SINGLE * largest)

    def test_transforms(self):
        """A composite of a displacement field and a linear transform; a plan is made without the pixels."""
        for dimension in DIMENSIONS:
            image = self.image(itk.F, dimension)
            double = itk.Image[itk.Vector[itk.D, dimension], dimension]
            array = itk.array_from_image(self.vectors(dimension, scale=1.0)).astype(numpy.float64)
            field = self.grid(self.field_of(array, double), [2.0] * dimension, [-9.0] * dimension, 0.1)
            moved = itk.DisplacementFieldTransform[itk.D, dimension].New()
            moved.SetDisplacementField(field)
            transform = itk.CompositeTransform[itk.D, dimension].New()
            transform.AddTransform(self.affine(dimension))
            transform.AddTransform(moved)
            settings = self.settings(image, dimension)
            settings["transform"] = transform
            expected = itk.resample_image_filter(image, **settings)
            ours = itk.CudaResampleImageFilter.New(image, **settings)
            ours.Update()
            self.assertComputed(ours)
            self.assertClose(ours.GetOutput(), expected, SINGLE * 1000)

    def test_choices(self):
        image = self.image(itk.F, 3)
        settings = self.settings(image, 3)
        function = itk.CudaBSplineInterpolateImageFunction[type(image), itk.D, itk.D].New()
        cache = itk.CudaSplineSourceCache.New(maximum_bytes=1 << 26)
        ours = itk.CudaResampleImageFilter.New(image, interpolator=function, source_cache=cache, **settings)
        self.assertEqual(ours.GetPrecision(), itk.CudaSplinePrecision.Automatic)
        ours.SetPrecision(itk.CudaSplinePrecision.Double)
        self.assertEqual(itk.CudaSplinePrecision(ours.GetPrecision()), itk.CudaSplinePrecision.Double)
        ours.SetDevice("cpu")
        ours.Update()
        self.assertEqual(ours.GetLastBackend(), itk.CudaSplineBackend.Cpu)
        self.assertIn("cpu", ours.GetFallbackReason())
        self.assertFalse(ours.GetSourceReused())
        self.assertGreaterEqual(cache.GetBytes(), 8 * 23 * 19 * 15)
        ours.SetTransform(self.affine(3))
        ours.Update()
        self.assertTrue(ours.GetSourceReused())
        ours.SetDevice("no device")
        with self.assertRaisesRegex(RuntimeError, "no device"):
            ours.Update()


class Others(Case):
    def test_warp(self):
        for dimension in DIMENSIONS:
            field = self.vectors(dimension, scale=2.0)
            for pixel in SCALARS:
                with self.subTest(dimension=dimension, pixel=name_of(pixel)):
                    image = self.image(pixel, dimension)
                    real = self.as_float(image)
                    settings = {
                        "displacement_field": field,
                        "output_spacing": image.GetSpacing(),
                        "output_origin": image.GetOrigin(),
                        "output_direction": image.GetDirection(),
                        "edge_padding_value": 3,
                    }
                    expected = itk.warp_image_filter(image, **settings)
                    ours = itk.CudaWarpImageFilter.New(image, **settings)
                    ours.Update()
                    self.assertComputed(ours)
                    largest = numpy.abs(itk.array_view_from_image(real)).max()
                    if pixel == itk.F:
                        self.assertClose(ours.GetOutput(), expected, SINGLE * largest)
                    else:
                        exact = itk.warp_image_filter(real, **settings)
                        self.assertTruncated(ours.GetOutput(), expected, exact, SINGLE * largest)
                    again = itk.cuda_warp_image_filter(image, **settings)
                    numpy.testing.assert_array_equal(numpy.asarray(again), numpy.asarray(ours.GetOutput()))

    def test_interpolate_image_points(self):
        """ITK wraps its own filter not; its interpolator, at each point."""
        for dimension in DIMENSIONS:
            image = self.image(itk.F, dimension)
            shape = (5, 6, 7)[:dimension]
            size = itk.size(image)
            places = [self.random.uniform(-1.5, n + 0.5, shape).astype(numpy.float32) for n in size]
            ours = itk.CudaInterpolateImagePointsFilter[type(image), type(image)].New(default_pixel_value=-4)
            ours.SetInputImage(image)
            for axis, coordinates in enumerate(places):
                ours.SetInterpolationCoordinate(itk.image_from_array(coordinates), axis)
            ours.Update()
            self.assertComputed(ours)
            reference = itk.BSplineInterpolateImageFunction.New(image)
            expected = numpy.empty(shape)
            for at in numpy.ndindex(*shape):
                index = [float(coordinates[at]) for coordinates in places]
                inside = all(-0.5 <= x < n - 0.5 for x, n in zip(index, size))
                expected[at] = reference.EvaluateAtContinuousIndex(index) if inside else -4
            self.assertLess((expected == -4).sum(), expected.size)
            self.assertClose(ours.GetOutput(), expected, SINGLE * 1000)

    def test_transform_to_displacement_field(self):
        for dimension in DIMENSIONS:
            reference = self.image(itk.F, dimension)
            transform = self.affine(dimension)
            field_type = itk.Image[itk.Vector[itk.F, dimension], dimension]
            ours = itk.CudaTransformToDisplacementFieldFilter[field_type, itk.D].New(transform=transform)
            ours.SetReferenceImage(reference)
            ours.SetUseReferenceImage(True)
            ours.Update()
            self.assertComputed(ours)
            field = itk.array_view_from_image(ours.GetOutput())
            expected = numpy.empty(field.shape)
            for at in numpy.ndindex(*field.shape[:-1]):
                point = reference.TransformIndexToPhysicalPoint([int(x) for x in at[::-1]])
                expected[at] = numpy.array(transform.TransformPoint(point)) - numpy.array(point)
            # Places are up to 40 mm.
            self.assertClose(field, expected, 40 * numpy.finfo(numpy.float32).eps)


if __name__ == "__main__":
    unittest.main()
