#!/usr/bin/env python3
"""Programs that were never compiled for the module, with its object factory: the same results, by its classes.

usage: factory_test.py plain|classes|mismatch|plastimatch|registration|deformation|demons|ants --library DIR [--program FILE] [--preload FILE] [--work DIR]

  plain        the program of this folder, with ITK_AUTOLOAD_PATH and without: results within the documented bounds, the module's
               classes where the factory has them and ITK's elsewhere, a line of the trace for each
  classes      CUDASPLINE_FACTORY_CLASSES leaves classes to ITK
  mismatch     where another version of ITK runs nothing is overridden, with one warning
  plastimatch  Debian's program of this name resamples and warps by fields; skipped where it is not installed, or linked to another ITK
  registration registrations by the metrics' factory and without it: the same parameters, by the module's metrics
  ants         what antsApplyTransforms and antsRegistration instantiate, by both factories and without: results and classes
  deformation  rigid, affine and SyN by the metrics' factory and without it: the same iterations and fields

The exit status is 1 where something is wrong, and 77 where the test is skipped.
"""

import argparse
import array
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys

SKIPPED = 77
SAMPLES = 114.0  # the program's largest sample


class Wrong(Exception):
    """What is not as it has to be."""


def expect(condition, message):
    if not condition:
        raise Wrong(message)


def run(arguments, library=None, **more):
    """Runs a program on the Cpu with the trace; its standard output and error."""
    environment = dict(os.environ, CUDASPLINE_DEVICE="cpu", CUDASPLINE_TRACE="1")
    for name in ("ITK_AUTOLOAD_PATH", "CUDASPLINE_FACTORY_CLASSES", "LD_PRELOAD"):
        environment.pop(name, None)
    if library:
        environment["ITK_AUTOLOAD_PATH"] = library
    environment.update(more)
    done = subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    expect(done.returncode == 0, f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def trace(errors):
    """The lines of the trace, as lists of their fields."""
    lines = [line.split(" | ") for line in errors.splitlines() if line.startswith("CudaSpline | ")]
    for line in lines:
        expect(len(line) == 7, f"a line of the trace has {len(line)} fields: {line}")
        expect(re.fullmatch(r"\d+\.\d{3} ms", line[5]), f"this is not a time: {line[5]}")
    return lines


def numbers(path):
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def coefficient_bound(order):
    """How far coefficients in single precision may be off those of ITK in 3D, of samples up to 1; test/itk/support/SplineErrorBounds.h."""
    if order < 4:
        poles = [math.sqrt(8) - 3 if order == 2 else math.sqrt(3) - 2]
    elif order == 4:
        poles = [math.sqrt(664 + sign * math.sqrt(438976)) - sign * math.sqrt(304) - 19 for sign in (-1, 1)]
    else:
        poles = [math.sqrt(67.5 + sign * math.sqrt(4436.25)) - sign * math.sqrt(26.25) - 6.5 for sign in (-1, 1)]
    gain = norm = 1.0
    for pole in poles:
        gain *= (1 - pole) ** 2
        norm *= ((1 - pole) / (1 + pole)) ** 2
    magnitude, error = 1.0, 0.0
    for pole in 2 * poles:
        z = abs(pole)
        magnitude /= 1 - z
        error = (error + (1 + 2 * z) * magnitude) / (1 - z)
    unit = 2.0**-24
    axis = 6e-8 * norm + unit * gain * (error + 2 * magnitude) + unit * norm  # ours, and ITK's rounding after an axis
    return 3 * axis * norm**2


def compare(first, second, kind, method):
    """Results of both classes, within the bounds that doc/Accuracy.md states."""
    largest = max(abs(value) for value in second)
    expect(largest > 0, "the reference contains only zeros")
    differences = [abs(a - b) for a, b in zip(first, second)]
    if method == "nearest":
        bound = 0.0  # nearest neighbours move their bits
    elif kind == "integer":
        bound = 1.0  # truncated: a value just below an integer may be one less
        few = sum(difference > 0 for difference in differences)
        expect(few <= len(differences) * 0.01, f"{few} of {len(differences)} integers differ, {method}")
    elif method.startswith("order") and kind == "float":
        bound = SAMPLES * coefficient_bound(int(method[-1]))
    else:
        bound = largest * (1e-9 if kind == "double" else 2e-6)
    expect(max(differences) <= bound, f"{kind}, {method}: differ by {max(differences)}, allowed {bound}")


def plain(options):
    for what, ours, others_count in (
        ("resample", "CudaResampleImageFilter", 2),
        ("warp", "CudaWarpImageFilter", 2),
        ("decompose", "CudaBSplineDecompositionImageFilter", 4),
    ):
        results, listed, errors = [], [], ""
        for library in (None, options.library):
            path = os.path.join(options.work, f"{what}{len(results)}.bin")
            output, errors = run([options.program, what, "14", path], library)
            expect(library or not errors, f"without the factory there is a message: {errors}")
            results.append(numbers(path))
            listed.append([line.split() for line in output.splitlines()])
        expect(len(listed[0]) == len(listed[1]) >= 10, "another number of results")
        first, count = 0, 0
        for theirs, line in zip(*listed):
            name, kind, method, length = line
            expect(not theirs[0].startswith("Cuda"), f"the reference was computed by {theirs[0]}")
            expect(theirs[1:] == line[1:], f"{theirs} became {line}")
            last = first + int(length)
            compare(results[1][first:last], results[0][first:last], kind, method)
            first, count = last, count + (name == ours)
        expect(first == len(results[0]) == len(results[1]), "results are missing")
        # The last image of each kind has pixels that the factory does not override.
        others = [line[0] for line in listed[1] if line[0] != ours]
        expect(others == [ours[len("Cuda"):]] * others_count, f"ITK's own classes computed: {others}")
        lines = [line for line in trace(errors) if line[1] == ours]
        expect(len(lines) == count, f"{count} results of {ours}, and {len(lines)} lines of the trace")
        for line in lines:
            expect(line[4] == "Cpu", f"not by our kernels: {line}")


def classes(options):
    path = os.path.join(options.work, "classes.bin")
    for words, wanted in (
        ("ResampleImageFilter", {"CudaResampleImageFilter"}),
        ("BSplineDecompositionImageFilter", {"CudaBSplineDecompositionImageFilter"}),
        ("BSplineDecompositionImageFilter,ResampleImageFilter", {"CudaResampleImageFilter", "CudaBSplineDecompositionImageFilter"}),
        ("none", set()),
        ("", {"CudaResampleImageFilter", "CudaBSplineDecompositionImageFilter"}),
    ):
        found = set()
        for what in ("one", "decompose"):
            output, errors = run([options.program, what, "9", path], options.library, CUDASPLINE_FACTORY_CLASSES=words)
            found |= {line.split()[0] for line in output.splitlines()}
            expect("CUDASPLINE_FACTORY_CLASSES" not in errors, errors)
        found = {name for name in found if name.startswith("Cuda")}
        expect(found == wanted, f"CUDASPLINE_FACTORY_CLASSES={words} gives {found}")
    _, errors = run([options.program, "idle", "9", path], options.library, CUDASPLINE_FACTORY_CLASSES="ResampleFilter")
    expect('names "ResampleFilter"' in errors, f"an unknown class is not told: {errors}")
    # The word for no trace.
    _, errors = run([options.program, "one", "9", path], options.library, CUDASPLINE_TRACE="0")
    expect(errors == "", f"a trace that was not wanted: {errors}")


def mismatch(options):
    path = os.path.join(options.work, "mismatch.bin")
    output, errors = run([options.program, "one", "9", path], options.library, LD_PRELOAD=options.preload)
    expect("CudaResampleImageFilter" not in output, f"overridden all the same:\n{output}")
    expect(len(output.splitlines()) == 3, f"the program did not do its work:\n{output}")
    expect(len(errors.splitlines()) == 1, f"one line was expected:\n{errors}")
    expect("overrides no class" in errors and "99.9.9" in errors, f"the reason is missing: {errors}")


def write_meta(path, size, values, spacing="1 1.25 1.5", channels=1):
    with open(path, "wb") as file:
        sizes = " ".join(str(length) for length in size)
        file.write(
            f"ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nOffset = 0 0 0\n"
            f"ElementSpacing = {spacing}\nDimSize = {sizes}\nElementNumberOfChannels = {channels}\nElementType = MET_FLOAT\n"
            f"ElementDataFile = LOCAL\n".encode()
        )
        file.write(struct.pack(f"<{len(values)}f", *values))


def read_meta(path):
    with open(path, "rb") as file:
        content = file.read()
    end = content.index(b"\n", content.index(b"ElementDataFile")) + 1
    header = content[:end].decode()
    expect("ElementType = MET_FLOAT" in header and "CompressedData = True" not in header, f"another format:\n{header}")
    values = array.array("f")
    values.frombytes(content[end:])
    return header, values


def plastimatch(options):
    program = shutil.which("plastimatch")
    if not program:
        print("Skipped: plastimatch is not installed (Debian's package plastimatch).")
        return SKIPPED
    linked = subprocess.run(["ldd", program], stdout=subprocess.PIPE, universal_newlines=True).stdout
    ours = subprocess.run(
        ["ldd", os.path.join(options.library, os.pardir, "libCudaSplineFactories.so")], stdout=subprocess.PIPE, universal_newlines=True
    ).stdout
    # By its file: an ITK that was built here may have the same name and other options.
    common = re.compile(r"libITKCommon\S* => (\S+)")
    libraries = [common.search(output) for output in (linked, ours)]
    if None in libraries or len({os.path.realpath(library.group(1)) for library in libraries}) != 1:
        print(f"Skipped: {program} is not linked to the shared ITK that the module was built with.")
        return SKIPPED
    generator = random.Random(7)
    size = (37, 31, 23)
    work = options.work
    source = os.path.join(work, "input.mha")
    values = [generator.uniform(-900.0, 1200.0) for _ in range(size[0] * size[1] * size[2])]
    write_meta(source, size, values)
    field = os.path.join(work, "field.mha")
    write_meta(field, (10, 9, 8), [generator.uniform(-2.5, 2.5) for _ in range(10 * 9 * 8 * 3)], "4 4.5 4.8", 3)
    grid = ["--dim", "41 29 33", "--origin", "-2.5 1.2 0.4", "--spacing", "0.9 1.1 1.2"]
    resample = ("CudaResampleImageFilter", "--output", ["resample"])
    warp = ("CudaWarpImageFilter", "--output-img", ["warp", "--algorithm", "itk", "--xf", field])
    jobs = {
        "linear": (*resample, grid),
        "nn": (*resample, grid + ["--interpolation", "nn"]),
        "subsample": (*resample, ["--spacing", "2.1 2.3 2.7"]),
        "warp": (*warp, []),
        "warp_nn": (*warp, ["--interpolation", "nn"]),
    }
    for name, (wanted, output, job, more) in jobs.items():
        results = []
        for library in (None, options.library):
            path = os.path.join(work, f"{name}{len(results)}.mha")
            _, errors = run([program] + job + more + ["--input", source, output, path], library)
            lines = [line for line in trace(errors) if line[1] == wanted]
            expect(bool(lines) == bool(library), f"{name}: the trace has {len(lines)} lines, {'with' if library else 'without'} us")
            for line in lines:
                expect(line[4] == "Cpu", f"not by our kernels: {line}")
                print(" | ".join(line))
            results.append(read_meta(path))
        expect(results[0][0] == results[1][0], f"{name}: another header")
        compare(results[1][1], results[0][1], "float", "nearest" if name.endswith("nn") else "linear")
    return 0


def registration(options):
    """Each metric's class, value and parameters, with the factory and without."""
    found = []
    for library in (None, options.library):
        output, errors = run([options.program], library)
        found.append([line.split() for line in output.splitlines()])
        if library is None:
            expect(not errors, f"without the factory there is a message: {errors}")
        else:
            lines = trace(errors)
            expect(len(lines) > 3 * 10, f"the trace has {len(lines)} lines")
            for line in lines:
                expect(line[4] == "Cpu", f"not by our kernels: {line}")
    names = [line[0] for line in found[0]]
    expect(len(names) == 5 and not any(name.startswith("Cuda") for name in names), f"the reference was computed by {names}")
    # What ITK's class of that name says of itself, by a slip of its macro.
    names = ["ANTSNeighborhoodCorrelationImageToImageMetricv4" if name == "Self" else name for name in names]
    expect([line[0] for line in found[1]] == ["Cuda" + name for name in names], f"computed by {[line[0] for line in found[1]]}")
    for number, (theirs, ours) in enumerate(zip(*found)):
        expect(len(theirs) == len(ours) == 5, f"numbers are missing: {ours}")
        first, second = ([float(word) for word in line[1:]] for line in (theirs, ours))
        if number >= 3:  # by a field: value, norm of the derivative, two of its numbers
            for a, b in zip(first, second):
                expect(abs(a - b) <= 1e-4 * max(abs(a), first[1] * 0.01), f"{ours} is not {theirs}")
            continue
        for value, truth in zip(first[1:], (0.1, 1.5, -0.75)):
            expect(abs(value - truth) < 0.05, f"not what was done to the image: {theirs}")
        # In single precision a derivative differs by 1e-4 (L2, mutual information), and where a step ends by as much.
        for a, b in zip(first, second):
            expect(abs(a - b) <= 1e-3 * max(abs(a), 0.1), f"{ours} is not {theirs}")
    _, errors = run([options.program], options.library, CUDASPLINE_FACTORY_CLASSES="none")
    expect(not errors, f"switched off, and yet: {errors}")


def deformation(options):
    """Each stage and iteration, with the factory and without: SyN by Gaussians and by B-splines."""
    deform(options, [], "CudaSyN")
    deform(options, ["--splines"], "CudaBSplineSyN")
    # ITK rounds places and sums to float then: to 2^-20 of a sample, of which there are some thousand.
    deform(options, ["--float"], "CudaSyN", 1e-4)


def deform(options, more, name, share=1e-8):
    found = []
    # Not 0.1, the longest error of the first inversions: that is their tolerance, and a rounding of the linear stages would
    # decide whether they iterate (in ITK's class as in the module's; steps are 5 % apart then).
    more = more + ["--learning-rate", "0.15", "--iterations", "8,3"]
    for library in (None, options.library):
        # ITK's derivatives of local correlation differ from run to run on several threads.
        output, errors = run([options.program] + more, library, ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS="1")
        found.append([line.split() for line in output.splitlines()])
        if library is not None:
            levels = [line for line in trace(errors) if line[1].startswith(name)]
            expect(len(levels) == 2 * 2, f"the trace has {len(levels)} levels of {name}")
            for line in levels:
                expect(line[4] == "Cpu", f"not by our kernels: {line}")
    theirs, ours = found
    expect([line[0] for line in theirs] == [line[0] for line in ours], "other iterations")
    for first, second in zip(theirs, ours):
        if first[0] == "iteration":
            expect(first[1] == second[1], f"{second} is not {first}")
            numbers_of = [[float(word) for word in line[2:4]] for line in (first, second)]
        elif first[0] in ("stage", "end"):
            expect(second[1] == "Cuda" + first[1] or first[1].endswith("Transform"), f"{second} has other classes than {first}")
            numbers_of = [[float(word) for word in line[3 if line[0] == "stage" else 2 :][:1]] for line in (first, second)]
        elif first[0] == "linear":
            numbers_of = [[float(word) for word in line[1:]] for line in (first, second)]
        else:
            continue
        for a, b in zip(*numbers_of):
            # Sums of metrics are made in another order: 1e-13 of them, which 45 steps of the linear stages make 3e-11 mm of.
            # Equal: both are infinite as long as the window of convergence is not full.
            expect(a == b or abs(a - b) <= share * max(abs(a), 0.1), f"{second} is not {first}")


def demons(options):
    """Each filter's class, iterations, metric and mean displacement, with the factory and without."""
    found = []
    for library in (None, options.library):
        output, errors = run([options.program], library)
        found.append([line.split() for line in output.splitlines()])
        if library is not None:
            lines = [line for line in trace(errors) if line[1].endswith("DemonsRegistrationFilter")]
            expect(len(lines) == 2 * 4, f"the trace has {len(lines)} filters")
            for line in lines:
                expect(line[4] == "Cpu", f"not by our kernels: {line}")
    theirs, ours = found
    expect(len(theirs) == 2 * 4 and not any(line[0].startswith("Cuda") for line in theirs), f"the reference is {theirs}")
    for first, second in zip(theirs, ours):
        expect(second[0] == "Cuda" + first[0] and second[1] == first[1], f"{second} is not {first}")
        # Pixels are float, of some hundred: their differences are rounded to 1e-5, and metrics are squares of these.
        for a, b in zip(first[2:], second[2:]):
            expect(abs(float(a) - float(b)) <= 1e-3 * abs(float(a)), f"{second} is not {first}")


def ants(options):
    """Results of every interpolator of antsApplyTransforms; the classes that antsRegistration gets."""
    for real in ("double", "float"):
        results, listed, errors = [], [], ""
        for library in (None, options.library):
            path = os.path.join(options.work, f"{real}{len(results)}.bin")
            output, errors = run([options.program, "apply", real, path], library)
            results.append(numbers(path))
            listed.append([line.split() for line in output.splitlines()])
        expect([line[1:] for line in listed[0]] == [line[1:] for line in listed[1]], "other results")
        expect({line[0] for line in listed[0]} == {"ResampleImageFilter"}, "the reference is not ITK's")
        expect({line[0] for line in listed[1]} == {"CudaResampleImageFilter"}, f"{real}: not the module's filter")
        first = 0
        for number, (_, name, length) in enumerate(listed[0]):
            last = first + int(length)
            a, b = results[0][first:last], results[1][first:last]
            first = last
            largest = max(abs(value) for value in a)
            expect(largest > 0, f"{name}: the reference contains only zeros")
            differences = [abs(x - y) for x, y in zip(a, b)]
            # Sums of float indices are rounded where ITK rounds them; ITK's sums of a sinc's 6^3 terms are double, its windows
            # of float precision 6e-8 off. Labels are those of a smooth image: where two are equal a rounding decides.
            if name in ("nearest", "multilabel"):
                few = sum(difference > 0 for difference in differences)
                expect(few <= len(differences) // 500, f"{real}, {name}: {few} labels differ")
            else:
                allowed = largest * (2e-6 if real == "float" else 1e-9)
                expect(max(differences) <= allowed, f"{real}, {name} ({number}): {max(differences)} of {largest}")
        lines = [line for line in trace(errors) if line[1] == "CudaResampleImageFilter"]
        expect(len(lines) == len(listed[1]), f"{len(lines)} lines of the trace, and {len(listed[1])} results")
        others = sorted({line[3].split(",")[0] for line in lines if line[4] != "Cpu"})
        expect(others == ["GaussianInterpolateImageFunction"], f"{real}: not by our kernels: {others}")
    for real in ("double", "float"):
        results, listed, errors = [], [], ""
        for library in (None, options.library):
            path = os.path.join(options.work, f"metrics-{real}{len(results)}.bin")
            # ITK's derivatives of local correlation differ from run to run on several threads.
            output, errors = run([options.program, "evaluate", real, path], library, ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS="1")
            results.append(numbers(path))
            listed.append([line.split() for line in output.splitlines()])
        expect([line[1:] for line in listed[0]] == [line[1:] for line in listed[1]], "other metrics")
        expect(not any(line[0].startswith("Cuda") for line in listed[0]), f"the reference is not ITK's: {listed[0]}")
        expect(all(line[0].startswith("Cuda") for line in listed[1]), f"{real}: not all are the module's: {listed[1]}")
        lines = [line for line in trace(errors) if "Metricv4" in line[1]]
        expect(len(lines) == len(listed[1]), f"{len(lines)} lines of the trace, and {len(listed[1])} metrics")
        for line in lines:
            expect(line[4] == "Cpu", f"{real}: not by our kernels: {line}")
        first = 0
        for _, name, length in listed[0]:
            last = first + int(length)
            a, b = results[0][first:last], results[1][first:last]
            first = last
            norm = math.sqrt(sum(value * value for value in a[1:]))
            distance = math.sqrt(sum((x - y) ** 2 for x, y in zip(a[1:], b[1:]))) / norm
            # In double what the metrics promise. In float ITK rounds places to 2^-20 of a sample, values to 2^-24 of some hundred,
            # and a derivative of a sum in which most of it cancels keeps a thousandth of that; the module's errors are smaller
            # (MetricOfFloat).
            value, derivative = (1e-5, 1e-4) if real == "float" else (1e-10, 1e-8)
            if real == "float" and name == "MI":
                # ITK's bins are rounded, too: samples on the border of two of them are in either, and each is 2e-4 of all.
                value, derivative = 1e-3, 1e-2
            expect(abs(a[0] - b[0]) <= value * abs(a[0]), f"{real}, {name}: {b[0]}, not {a[0]}")
            expect(distance <= derivative, f"{real}, {name}: the derivative differs by {distance}")
    smoothed_by_splines(options)
    output, _ = run([options.program, "types"], options.library)
    got = dict(line.split() for line in output.splitlines())
    ours = {name for name, made in got.items() if made.startswith("Cuda")}
    both = {"CC", "MI", "MeanSquares", "Demons", "GC", "Resample"}
    both |= {"SyN", "BSplineSyN", "Velocity"}
    wanted = {f"{name}-{real}" for name in both for real in ("double", "float")}
    expect(ours == wanted, f"overridden are {sorted(ours)}, not {sorted(wanted)}")
    # What was asked for and not had is listed, each class once.
    _, errors = run([options.program, "types"], options.library, CUDASPLINE_TRACE="classes")
    missed = [line.split(" | ") for line in errors.splitlines() if line.startswith("CudaSpline | not overridden | ")]
    names = [line[3] for line in missed]
    expect(len(names) == len(set(names)) > 10, f"listed are {len(names)} classes")
    others = [line for line in missed if line[3].startswith("itk::SyNImageRegistrationMethod<itk::Image<double, 3u>")]
    expect(len(others) == 1 and others[0][2] == "1" and "other template arguments are" in others[0][4], f"{others}")
    operators = [line for line in missed if line[3].startswith("itk::VectorNeighborhoodOperatorImageFilter<")]
    expect(len(operators) == 1 and "boundary condition" in operators[0][4], f"{operators}")
    expect(not any(name.startswith("itk::ResampleImageFilter<") for name in names), "what is overridden is listed")
    expect(any(name.startswith("itk::JointHistogramMutual") for name in names), "what is ITK's alone is not listed")


def smoothed_by_splines(options):
    """A transform of ITK's that smooths its update and its field by B-splines has both done by the module's filter."""
    for real in ("double", "float"):
        results = []
        for library in (None, options.library):
            path = os.path.join(options.work, f"smooth-{real}{len(results)}.bin")
            # ITK's sums are in the order of threads.
            output, errors = run([options.program, "smooth", real, path], library, ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS="1")
            results.append(numbers(path))
        lines = [line for line in trace(errors) if line[1] == "CudaDisplacementFieldToBSplineImageFilter"]
        expect(len(lines) == 2 and all(line[4] == "Cpu" for line in lines), f"{real}: not by our kernels: {lines}")
        largest = max(abs(value) for value in results[0])
        difference = max(abs(a - b) for a, b in zip(*results))
        expect(largest > 0.1 and len(results[0]) == len(results[1]) > 1000, f"{real}: the reference is {largest}")
        # Sums of float where ITK's are; in double the same operations in the same order.
        expect(difference <= (1e-4 if real == "float" else 1e-13) * max(largest, 1.0), f"{real}: {difference} of {largest}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    tests = {test.__name__: test for test in (plain, classes, mismatch, plastimatch, registration, deformation, demons, ants)}
    parser.add_argument("test", choices=sorted(tests))
    parser.add_argument("--library", required=True)
    parser.add_argument("--program")
    parser.add_argument("--preload")
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    try:
        return tests[options.test](options) or 0
    except Wrong as wrong:
        print(f"{options.test}: {wrong}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
