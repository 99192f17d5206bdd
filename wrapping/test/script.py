"""A script of ITK's classes alone: resamples and registers, and writes what came of it.

usage: script.py RESULTS
"""

import sys

import numpy

if "bool" not in vars(numpy):
    numpy.bool = bool  # ITK 5.2 asks for the name, which NumPy 1.24 has no more

import itk  # noqa: E402: after the line above

places = numpy.stack(numpy.meshgrid(*(numpy.arange(n, dtype=float) for n in (20, 22, 24)), indexing="ij"), -1)
values = sum(100 * numpy.exp(-((places - centre) ** 2).sum(-1) / 20) for centre in ([8, 9, 10], [12, 13, 9], [9, 14, 15]))
fixed = itk.image_from_array(values.astype(numpy.float32))
Image = type(fixed)

transform = itk.TranslationTransform[itk.D, 3].New()
transform.SetOffset([0.7, -0.4, 1.1])
interpolator = itk.BSplineInterpolateImageFunction[Image, itk.D, itk.F].New(spline_order=3)
moving = itk.resample_image_filter(
    fixed, transform=transform, interpolator=interpolator, use_reference_image=True, reference_image=fixed
)
results = {"moving": itk.array_from_image(moving)}

for name in ("MeanSquares", "Correlation", "MattesMutualInformation"):
    metric = getattr(itk, f"{name}ImageToImageMetricv4")[Image, Image].New()
    registration = itk.ImageRegistrationMethodv4[Image, Image].New(
        fixed_image=fixed,
        moving_image=moving,
        metric=metric,
        optimizer=itk.RegularStepGradientDescentOptimizerv4[itk.D].New(learning_rate=1.0, number_of_iterations=8),
        initial_transform=itk.TranslationTransform[itk.D, 3].New(),
    )
    registration.SetNumberOfLevels(1)
    registration.SetShrinkFactorsPerLevel([1])
    registration.SetSmoothingSigmasPerLevel([0])
    registration.Update()
    found = registration.GetTransform().GetParameters()
    results[name] = numpy.array([found.GetElement(i) for i in range(3)])

numpy.savez(sys.argv[1], **results)
