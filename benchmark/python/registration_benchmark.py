#!/usr/bin/env python3
"""Times iterations of greedy and SyN at full resolution on one GPU and on several.

usage: registration_benchmark.py [--sizes 512 512x512x1024] [--kinds greedy syn] [--metrics cc lncc meansquares] [--devices 0 0,1] [--iterations N]

Images are waves, and the same waves bent, made in host memory; sizes are slices x rows x columns. An iteration is the difference of two levels with few
and with many iterations, divided by the difference of their numbers: transfers and allocations are not counted. "stage" is the whole stage with
N iterations, in which they are. Each is the minimum of two runs. Fields are compared before: the exit status is 1 if devices give different bits.

CUDASPLINE_LIBRARY and PYTHONPATH name the library and the package where it is not installed.
"""

import argparse
import sys
import warnings

import numpy

import cudaspline

FEW = 4  # iterations


def make_images(shape):
    z, y, x = (axis.astype("float32") for axis in numpy.meshgrid(*map(numpy.arange, shape), indexing="ij", sparse=True))

    def waves(x, y, z):
        return 100 + 20 * numpy.sin(0.21 * x + 0.1 * y) + 15 * numpy.sin(0.17 * y - 0.08 * z) + 10 * numpy.sin(0.23 * z + 0.07 * x)

    return waves(x, y, z), waves(x + 2 * numpy.sin(0.03 * y), y + 1.5 * numpy.cos(0.04 * z), z + numpy.sin(0.05 * x))


def register(images, kind, metric, device, iterations):
    options = {"radius": 4} if metric in ("cc", "lncc") else {}
    return cudaspline.register(
        *images, kind, metric=metric, device=device, initial="none", iterations=(iterations,), shrink=(1,), sigmas=(0,), convergence=0.0, **options
    )


def measure(images, kind, metric, device, iterations):
    """Seconds of an iteration and of the stage, and some displacements."""
    times = {}
    for number in (FEW, FEW, FEW, iterations, iterations):
        found = register(images, kind, metric, device, number)
        stage = found.report.stages[-1]
        if stage.levels[0].iterations != number:
            raise RuntimeError(f"{stage.levels[0].iterations} iterations instead of {number}")
        times.setdefault(number, []).append((stage.levels[0].seconds, stage.execution.seconds))
    few, many = min(times[FEW])[0], min(times[iterations])[0]
    points = numpy.random.default_rng(1).uniform(0, min(images[0].shape) - 1, (10000, 3))
    return (many - few) / (iterations - FEW), min(s for _, s in times[iterations]), found.transform.apply(points)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=["512", "512x512x1024"])
    parser.add_argument("--kinds", nargs="+", default=["greedy", "syn"])
    parser.add_argument("--metrics", nargs="+", default=["cc", "lncc", "meansquares"])
    parser.add_argument("--devices", nargs="+", default=["0", "0,1"])
    parser.add_argument("--iterations", type=int, default=24)
    given = parser.parse_args()
    if given.iterations <= FEW:
        parser.error(f"--iterations must be above {FEW}")
    warnings.simplefilter("ignore", cudaspline.RegistrationWarning)
    differ = False
    print("| size | stage | metric | GPUs | iteration (ms) | ratio | stage (s) | ratio |\n|---|---|---|---|---:|---:|---:|---:|")
    for size in given.sizes:
        shape = tuple(map(int, size.split("x"))) * (1 if "x" in size else 3)
        images = make_images(shape)
        for kind in given.kinds:
            for metric in given.metrics:
                first = None
                for device in given.devices:
                    iteration, stage, moved = measure(images, kind, metric, device, given.iterations)
                    first = first or (iteration, stage, moved)
                    differ = differ or not numpy.array_equal(first[2], moved)
                    print(
                        f"| {'x'.join(map(str, shape))} | {kind} | {metric} | {device} | {1e3 * iteration:.2f} | {first[0] / iteration:.2f} "
                        f"| {stage:.3f} | {first[1] / stage:.2f} |",
                        flush=True,
                    )
    if differ:
        print("The fields of the devices differ.", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
