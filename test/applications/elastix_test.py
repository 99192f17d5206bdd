#!/usr/bin/env python3
"""CudaSplineResample under transforms of elastix, compared with transformix of itk-elastix.

usage: elastix_test.py --program FILE --work DIR [--seed N]

Registrations of random images, which are turned against each other, write files of parameters: translation, Euler,
similarity, affine, B-splines of orders 1 to 3, composed and added to what they begin with. Transformix of the package
and the program resample by each of them, linearly and by cubic B-splines, and differ by 1e-6 of the range at most: float
images have half a unit in the last place of 6e-8, of which ten operations are more than there are.

Where the brain of mricron-data is there, it is one of the images, as it is and turned.

CUDASPLINE_PACKAGES_PYTHON names a Python that has itk-elastix, where this one has not. The exit status is 1 where
something is wrong, and 77 where the package is not installed: the test is skipped.
"""

import argparse
import os
import random
import subprocess
import sys

SKIPPED = 77

try:
    import itk
    import numpy

    itk.TransformixFilter  # noqa: B018 (loads the package)
except (ImportError, AttributeError) as reason:
    other = os.environ.pop("CUDASPLINE_PACKAGES_PYTHON", "")
    if other:
        os.execv(other, [other, *sys.argv])
    print(f"Skipped: itk-elastix is not there ({reason}).")
    sys.exit(SKIPPED)


def expect(condition, message):
    if not condition:
        print(message, file=sys.stderr)
        sys.exit(1)


def make_image(generator, dimension, shape, turned):
    """Blobs, on an anisotropic grid, rotated if wanted; with values as large as float can distinguish."""
    axes = numpy.meshgrid(*[numpy.linspace(-1, 1, n) for n in shape], indexing="ij")
    values = numpy.zeros(shape)
    for _ in range(12):
        centre = [generator.uniform(-0.6, 0.6) for _ in axes]
        distance = sum((axis - c) ** 2 for axis, c in zip(axes, centre))
        values += generator.uniform(20, 100) * numpy.exp(-distance / generator.uniform(0.02, 0.2))
    image = itk.image_from_array(values.astype(numpy.float32))
    image.SetSpacing([1.1 + 0.3 * d for d in range(dimension)])
    image.SetOrigin([3.0 - 2.0 * d for d in range(dimension)])
    if turned:
        image.SetDirection(turn(dimension, 0.2))
    return image


def turn(dimension, angle):
    """A matrix that turns about z and, in 3D, about x before that."""
    direction = numpy.eye(dimension)
    direction[:2, :2] = [[numpy.cos(angle), -numpy.sin(angle)], [numpy.sin(angle), numpy.cos(angle)]]
    if dimension == 3:
        tilt = numpy.eye(3)
        tilt[1:, 1:] = [[numpy.cos(0.15), -numpy.sin(0.15)], [numpy.sin(0.15), numpy.cos(0.15)]]
        direction = direction @ tilt
    return itk.matrix_from_array(direction)


def parameter_map(transform, dimension, how="Compose", order=3):
    return {
        "FixedInternalImagePixelType": ["float"],
        "MovingInternalImagePixelType": ["float"],
        "Registration": ["MultiResolutionRegistration"],
        "Interpolator": ["LinearInterpolator"],
        "ResampleInterpolator": ["FinalLinearInterpolator"],
        "Resampler": ["DefaultResampler"],
        "FixedImagePyramid": ["FixedSmoothingImagePyramid"],
        "MovingImagePyramid": ["MovingSmoothingImagePyramid"],
        "Optimizer": ["RegularStepGradientDescent"],
        "Transform": [transform],
        "Metric": ["AdvancedMeanSquares"],
        "ImageSampler": ["Full"],
        "NumberOfResolutions": ["1"],
        "MaximumNumberOfIterations": ["4"],
        "MaximumStepLength": ["0.7"],
        "AutomaticScalesEstimation": ["true"],
        "AutomaticTransformInitialization": ["true"],
        "HowToCombineTransforms": [how],
        "FinalGridSpacingInVoxels": ["7"] * dimension,
        "BSplineTransformSplineOrder": [str(order)],
        "UseDirectionCosines": ["true"],
        "WriteResultImage": ["false"],
        "DefaultPixelValue": ["0"],
        "ResultImagePixelType": ["float"],
    }


def register(fixed, moving, maps):
    objects = itk.ParameterObject.New()
    for entries in maps:
        objects.AddParameterMap(entries)
    _, result = itk.elastix_registration_method(fixed, moving, parameter_object=objects, log_to_console=False)
    return result


def write_chain(result, folder, name):
    """The files of a result, each with the name of the one that it begins with; the last one's name."""
    path = "NoInitialTransform"
    for number in range(result.GetNumberOfParameterMaps()):
        entries = dict(result.GetParameterMap(number))
        for key in ("InitialTransformParameterFileName", "InitialTransformParametersFileName"):
            if key in entries or key == "InitialTransformParameterFileName":
                entries[key] = (path,)
        path = os.path.join(folder, f"{name}.{number}.txt")
        with open(path, "w", encoding="ascii") as file:
            for key, words in entries.items():
                quoted = [word if is_number(word) else f'"{word}"' for word in words]
                file.write(f"({key} {' '.join(quoted)})\n")
    return path


def is_number(word):
    try:
        float(word)
        return True
    except ValueError:
        return False


def compare(options, moving, result, name, interpolations):
    path = write_chain(result, options.work, name)
    source = os.path.join(options.work, "moving.nrrd")
    itk.imwrite(moving, source)
    for interpolator, words in interpolations:
        for number in range(result.GetNumberOfParameterMaps()):
            result.SetParameter(number, "ResampleInterpolator", interpolator)
            result.SetParameter(number, "FinalBSplineInterpolationOrder", "3")
        expected = itk.transformix_filter(moving, result)
        output = os.path.join(options.work, "out.nrrd")
        subprocess.run([options.program, source, output, "-t", path, *words], check=True, stderr=subprocess.DEVNULL)
        ours = itk.imread(output, itk.F)
        a, b = itk.array_from_image(ours).astype(float), itk.array_from_image(expected).astype(float)
        expect(a.shape == b.shape, f"{name}: shapes {a.shape} and {b.shape}")
        extent = float(numpy.ptp(itk.array_from_image(moving)))
        difference = numpy.abs(a - b)
        # Half a sample outside is inside: a rounding may decide.
        apart = (difference > 1e-6 * extent).sum()
        print(f"{name}, {interpolator}: {difference.max() / extent:.2e} of the range, {apart} samples apart")
        expect(apart == 0, f"{name}, {interpolator}: {apart} samples differ, by {difference.max() / extent} of the range")
        expect(b.std() > 0.05 * extent, f"{name}: the reference is empty")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    print(f"seed {options.seed}")
    generator = random.Random(options.seed)
    linear = [("FinalLinearInterpolator", ["--interpolation", "linear"])]
    both = linear + [("FinalBSplineInterpolator", ["--interpolation", "bspline", "--order", "3"])]
    for dimension, shape in ((3, (23, 29, 31)), (2, (41, 47))):
        for turned in (False, True):
            fixed = make_image(generator, dimension, shape, turned)
            moving = make_image(generator, dimension, tuple(n + 3 for n in shape), turned)
            kinds = ["TranslationTransform", "EulerTransform", "SimilarityTransform", "AffineTransform"]
            for kind in kinds:
                result = register(fixed, moving, [parameter_map(kind, dimension)])
                compare(options, moving, result, f"{dimension}D {'turned ' if turned else ''}{kind}".replace(" ", "-"), linear)
            for how, order in (("Compose", 3), ("Add", 2), ("Compose", 1)):
                result = register(
                    fixed,
                    moving,
                    [parameter_map("AffineTransform", dimension), parameter_map("BSplineTransform", dimension, how, order)],
                )
                name = f"{dimension}D-{'turned-' if turned else ''}{how}-{order}"
                compare(options, moving, result, name, both if how == "Compose" and order == 3 else linear)


    compare_brains(options, generator, both)


def compare_brains(options, generator, interpolations):
    """The brain under an affine transform followed by B-splines, on a rotated grid; once for the original brain, once for an oblique one."""
    path = os.path.join(os.environ.get("CUDASPLINE_DATA", "/usr/share/mricron/templates"), "ch2bet.nii.gz")
    if not os.path.exists(path):
        print(f"No brains are compared: there is no {path}.")
        return
    for turned in (False, True):
        moving = itk.imread(path, itk.F)
        fixed = itk.image_duplicator(moving)
        fixed.SetDirection(turn(3, generator.uniform(0.02, 0.1)))
        if turned:
            moving.SetDirection(turn(3, generator.uniform(0.3, 0.6)))
            fixed.SetDirection(moving.GetDirection() * fixed.GetDirection())
        maps = [parameter_map("AffineTransform", 3), parameter_map("BSplineTransform", 3)]
        for entries in maps:
            entries["ImageSampler"] = ["RandomCoordinate"]
            entries["NumberOfSpatialSamples"] = ["3000"]
            entries["FinalGridSpacingInVoxels"] = ["24"] * 3
        result = register(fixed, moving, maps)
        compare(options, moving, result, "oblique-brain" if turned else "brain", interpolations)


if __name__ == "__main__":
    main()
