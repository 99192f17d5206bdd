#!/usr/bin/env python3
"""Times of other libraries doing the same: CuPy, PyTorch, SciPy, as far as they are installed.

usage: scripts/reproduce.d/peers.py [--sizes N,N,...] [--repetitions N] [--cpu] [--itk CudaSplineResample] [OUTPUT.json]

The work is that of the experiments prefilter-times and scaling of CudaSplineReproduction: the cubic prefilter of a square of 4096 and of volumes, and
the rotation of volumes by 10 degrees about their diagonal, linear and cubic without its prefilter, single precision, boundaries mirrored about the edge
sample. Times on a GPU are by its own clock, from its memory to its memory; SciPy's, on the one thread that it uses, by the wall clock. What is missing is
named on standard error. --cpu: SciPy and ITK alone.

--itk: itk::ResampleImageFilter on one thread and on all, by the module's own program, which runs both filters on the same volume: whole updates with the
prefilter, from host memory to host memory, a rotation by 10 degrees about each axis. The module computes on the GPU, with --cpu on as many threads as ITK.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy


def diagonal_rotation(degrees=10.0):
    """The rotation of IndexMap::Rotation(), for index order z, y, x: input = matrix (output - centre) + centre."""
    angle = numpy.radians(degrees)
    axis = numpy.ones(3) / numpy.sqrt(3.0)
    cross = numpy.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    matrix = numpy.cos(angle) * numpy.eye(3) + numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * numpy.outer(axis, axis)
    return matrix[::-1, ::-1]


def as_time(milliseconds):
    values = sorted(milliseconds)
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"ms": middle, "q1": low, "q3": high, "n": len(values)}


def wall_clock(run):
    begin = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - begin)


def measure(run, clock, repetitions):
    clock(run)
    return as_time([clock(run) for _ in range(repetitions)])


def ndimage_works(array, ndimage, empty, matrix, size, dimension):
    """(stage, way, what runs) of SciPy's interface, which CuPy has too."""
    output = empty(array)
    yield "prefilter", "cubic", lambda: ndimage.spline_filter(array, order=3, output=output, mode="mirror")
    if dimension == 3:
        offset = (size - 1) / 2 - diagonal_rotation() @ numpy.full(3, (size - 1) / 2)
        for way, order in (("linear", 1), ("cubic", 3)):
            yield "evaluation", way, lambda order=order: ndimage.affine_transform(
                array, matrix, offset=offset, output=output, order=order, mode="mirror", prefilter=False
            )


def scipy_rows(sizes, repetitions):
    import scipy
    from scipy import ndimage

    for dimension, size in sizes:
        if size**dimension > 2**24:
            continue  # minutes
        array = numpy.random.default_rng(1).random((size,) * dimension, dtype=numpy.float32)
        for stage, way, run in ndimage_works(array, ndimage, numpy.empty_like, diagonal_rotation(), size, dimension):
            yield f"SciPy {scipy.__version__}", stage, way, dimension, size, measure(run, wall_clock, min(repetitions, 3))


def cupy_rows(sizes, repetitions):
    import cupy
    from cupyx.scipy import ndimage

    def clock(run):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end)

    matrix = cupy.asarray(numpy.ascontiguousarray(diagonal_rotation()))
    for dimension, size in sizes:
        array = cupy.random.default_rng(1).random((size,) * dimension, dtype=cupy.float32)
        for stage, way, run in ndimage_works(array, ndimage, cupy.empty_like, matrix, size, dimension):
            yield f"CuPy {cupy.__version__}", stage, way, dimension, size, measure(run, clock, repetitions)


def torch_rows(sizes, repetitions):
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch has no GPU here")

    def clock(run):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    for dimension, size in sizes:
        if dimension == 3:
            array = torch.rand((1, 1, size, size, size), device="cuda")
            matrix = torch.tensor(diagonal_rotation()[::-1, ::-1].copy(), dtype=torch.float32, device="cuda")
            theta = torch.cat([matrix, torch.zeros((3, 1), device="cuda")], dim=1)[None]
            grid = torch.nn.functional.affine_grid(theta, list(array.shape), align_corners=True)
            run = lambda: torch.nn.functional.grid_sample(array, grid, mode="bilinear", padding_mode="reflection", align_corners=True)  # noqa: E731
            yield f"PyTorch {torch.__version__}, grid_sample", "evaluation", "linear", dimension, size, measure(run, clock, repetitions)


def itk_rows(program, sizes, repetitions, device):
    """ITK's filter and the module's, as CudaSplineResample --compare-itk times both."""
    for dimension, size in sizes:
        if dimension != 3 or size > 256:
            continue  # 512^3 takes ITK minutes on one thread
        with tempfile.TemporaryDirectory() as folder:
            volume, output, report = (pathlib.Path(folder) / name for name in ("volume.mha", "output.mha", "report.json"))
            header = f"ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nDimSize = {size} {size} {size}\n"
            header += "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n"
            values = numpy.random.default_rng(1).random((size,) * 3, dtype=numpy.float32)
            volume.write_bytes(header.encode() + values.astype("<f4").tobytes())
            for threads in (1, os.cpu_count()):
                environment = {**os.environ, "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS": str(threads)}
                for way, name in (("linear", "linear"), ("cubic", "bspline")):
                    command = [program, volume, output, "--rotate", "10,10,10", "-i", name, "--output-type", "float", "--device", device]
                    found = []
                    for _ in range(min(repetitions, 3)):
                        subprocess.run([*command, "--compare-itk", "--report", report], check=True, env=environment, stdout=subprocess.DEVNULL)
                        found.append(json.loads(report.read_text()))
                    seconds = [run["seconds"] for run in found]
                    yield (
                        {"peer": f"ITK {found[0]['comparison']['itk_version']}, {threads} threads", "stage": "whole filter", "way": way, "dimension": 3, "size": size},
                        {
                            "time": as_time([1e3 * run["comparison"]["itk_seconds"] for run in found]),
                            "ours": as_time([1e3 * (each["prepare"] + each["evaluate"]) for each in seconds]),
                            "largest_difference_of_range": found[0]["comparison"]["maximum_fraction"],
                        },
                    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", help="where the JSON goes (default: standard output)")
    parser.add_argument("--sizes", default="128,256,512", help="edges of the volumes")
    parser.add_argument("--square", type=int, default=4096, help="edge of the square")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--itk", metavar="PROGRAM", help="CudaSplineResample")
    arguments = parser.parse_args()
    sizes = [(2, arguments.square)] + [(3, int(size)) for size in arguments.sizes.split(",")]
    rows = []
    for make in (scipy_rows,) if arguments.cpu else (cupy_rows, torch_rows, scipy_rows):
        try:
            for peer, stage, way, dimension, size, found in make(sizes, arguments.repetitions):
                rows.append({"cell": {"peer": peer, "stage": stage, "way": way, "dimension": dimension, "size": size}, "values": {"time": found}})
        except ImportError as error:
            print(f"no {make.__name__[: -len('_rows')]}: {error}", file=sys.stderr)
    if arguments.itk:
        for cell, values in itk_rows(arguments.itk, sizes, arguments.repetitions, "cpu" if arguments.cpu else "0"):
            rows.append({"cell": cell, "values": values})
    context = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "backend": "peers", "threads": str(os.cpu_count())}
    content = json.dumps({"program": "peers", "format": 1, "context": context, "experiments": {"peers": rows}}, indent=1)
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as stream:
            stream.write(content + "\n")
    else:
        print(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
