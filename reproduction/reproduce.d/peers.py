#!/usr/bin/env python3
"""Times of other libraries doing the same: CuPy, PyTorch, SciPy, as far as they are installed.

usage: reproduction/reproduce.d/peers.py [--sizes N,N,...] [--square N] [--repetitions N] [--cpu] [--commit TEXT] [--values FOLDER] [--itk COMMAND] [OUTPUT.json]

The work is that of the experiment peer-works of CudaSplineReproduction: the cubic prefilter of a square of 4096 and of volumes, and the rotation of volumes by
10 degrees about their diagonal, linear and cubic without its prefilter, single precision, every place of the output with a value, samples mirrored about
the edge sample. First each work is done with a volume of 24^3, and compared: with what CudaSplineReproduction --pictures FOLDER peer-works left (--values
FOLDER), else with SciPy in double precision. What differs by more than 1e-4 of the range is not timed. Times on a GPU are by its own clock, from its memory
to its memory; grid_sample's places are made before. SciPy's, on the one thread that it uses, are by the wall clock. What is missing is named on standard error.
--cpu: SciPy and ITK alone.

--itk: itk::ResampleImageFilter on one thread and on all, by the module's own program, which runs both filters on the same volume: whole updates with the
prefilter, from host memory to host memory, a rotation by 10 degrees about each axis, places outside without a value. The module computes on as many threads as
ITK, and on the GPU but with --cpu. COMMAND may be several words: "bundle/run CudaSplineResample".
"""

import argparse
import importlib
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machine
from results import read_pfm

EDGE = 24  # of the volume whose values are compared
TOLERANCE = 1e-4  # of the range: single precision of values and of coordinates, no other boundary or map


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


def event_clock(event):
    """A clock of events; event makes one, whose record() and synchronize() both libraries have."""

    def clock(run):
        begin, end = event(), event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin, end

    return clock


def ndimage_works(array, ndimage, empty, matrix):
    """(stage, way, what runs and returns the result) of SciPy's interface, which CuPy has too."""
    output = empty(array)

    def prefilter():
        ndimage.spline_filter(array, order=3, output=output, mode="mirror")
        return output

    def turn(order):
        ndimage.affine_transform(array, matrix, offset=offset, output=output, order=order, mode="mirror", prefilter=False)
        return output

    yield "prefilter", "cubic", prefilter
    if array.ndim == 3:
        centre = (numpy.array(array.shape) - 1) / 2
        offset = centre - diagonal_rotation() @ centre
        yield "evaluation", "linear", lambda: turn(1)
        yield "evaluation", "cubic", lambda: turn(3)


class SciPy:
    def __init__(self):
        self.ndimage = importlib.import_module("scipy.ndimage")
        self.name = f"SciPy {importlib.import_module('scipy').__version__}"
        self.by = "Cpu, one thread"
        self.largest = 2**24  # samples; more take minutes
        self.clock = wall_clock

    def works(self, samples):
        yield from ndimage_works(samples, self.ndimage, numpy.empty_like, diagonal_rotation())

    @staticmethod
    def fetch(result):
        return result


class CuPy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.ndimage = importlib.import_module("cupyx.scipy.ndimage")
        self.name = f"CuPy {self.cupy.__version__}"
        self.by = "Cuda"
        self.largest = 2**31

    def clock(self, run):
        return self.cupy.cuda.get_elapsed_time(*event_clock(self.cupy.cuda.Event)(run))

    def works(self, samples):
        matrix = self.cupy.asarray(numpy.ascontiguousarray(diagonal_rotation()))
        yield from ndimage_works(self.cupy.asarray(samples), self.ndimage, self.cupy.empty_like, matrix)

    def fetch(self, result):
        return self.cupy.asnumpy(result)


class GridSample:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("PyTorch has no GPU here")
        self.name = f"PyTorch {self.torch.__version__}, grid_sample (places made before)"
        self.by = "Cuda"
        self.largest = 2**31

    def clock(self, run):
        begin, end = event_clock(lambda: self.torch.cuda.Event(enable_timing=True))(run)
        return begin.elapsed_time(end)

    def works(self, samples):
        if samples.ndim != 3:
            return
        torch = self.torch
        array = torch.from_numpy(samples)[None, None].cuda()
        matrix = torch.tensor(diagonal_rotation()[::-1, ::-1].copy(), dtype=torch.float32, device="cuda")
        theta = torch.cat([matrix, torch.zeros((3, 1), device="cuda")], dim=1)[None]
        grid = torch.nn.functional.affine_grid(theta, list(array.shape), align_corners=True)
        yield (
            "evaluation",
            "linear",
            lambda: torch.nn.functional.grid_sample(array, grid, mode="bilinear", padding_mode="reflection", align_corners=True),
        )

    @staticmethod
    def fetch(result):
        return result[0, 0].cpu().numpy()


class Reference:
    """A volume and what is to become of it: the module's own values, else SciPy's in double precision."""

    def __init__(self, folder):
        self.folder = folder
        self.whose = "this module" if folder else "SciPy, double"
        self.samples = self._read("input") if folder else numpy.random.default_rng(1).random((EDGE,) * 3, dtype=numpy.float32)
        self.expected = {}
        if not folder:
            for stage, way, run in SciPy().works(self.samples.astype(float)):
                self.expected[stage, way] = run().copy()

    def _read(self, name):
        flat = read_pfm(os.path.join(self.folder, f"peer-values-{name}.pfm"))
        return numpy.ascontiguousarray(flat.reshape((flat.shape[1],) * 3), dtype=numpy.float32)

    def difference(self, stage, way, found):
        """The largest one, by the range of the samples."""
        expected = self._read(f"{stage}-{way}") if self.folder else self.expected[stage, way]
        return float(numpy.abs(numpy.asarray(found, float) - expected).max() / numpy.ptp(self.samples))


def peer_rows(peer, reference, sizes, repetitions):
    """(cell, values) of one library: compared first, then timed."""
    differences = {(stage, way): reference.difference(stage, way, peer.fetch(run())) for stage, way, run in peer.works(reference.samples)}
    for dimension, size in sizes:
        if size**dimension > peer.largest:
            continue
        samples = numpy.random.default_rng(1).random((size,) * dimension, dtype=numpy.float32)
        for stage, way, run in peer.works(samples):
            cell = {"peer": peer.name, "beside": peer.by, "stage": stage, "way": way, "dimension": dimension, "size": size}
            values = {f"largest_difference_of_range_from_{reference.whose.replace(', ', '_').replace(' ', '_')}": differences[stage, way]}
            if differences[stage, way] <= TOLERANCE:
                count = repetitions if peer.by == "Cuda" else min(repetitions, 3)
                peer.clock(run)
                values["time"] = as_time([peer.clock(run) for _ in range(count)])
            else:
                print(f"{peer.name}, {stage} {way}: values differ by {differences[stage, way]:.2g} of the range; not timed", file=sys.stderr)
            yield cell, values


def itk_rows(command, sizes, repetitions, devices):
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
            for device, threads in ((device, threads) for device in devices for threads in (1, machine.threads())):
                environment = {**os.environ, "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS": str(threads)}
                for way, name in (("linear", "linear"), ("cubic", "bspline")):
                    words = [*command, volume, output, "--rotate", "10,10,10", "-i", name, "--output-type", "float", "--device", device]
                    found = []
                    for _ in range(min(repetitions, 3)):
                        subprocess.run([*words, "--compare-itk", "--report", report], check=True, env=environment, stdout=subprocess.DEVNULL)
                        found.append(json.loads(report.read_text()))
                    seconds = [run["seconds"] for run in found]
                    by = "Cuda" if device != "cpu" else "Cpu, one thread" if threads == 1 else "Cpu, all threads"
                    yield (
                        {
                            "peer": f"ITK {found[0]['comparison']['itk_version']}, {threads} thread{'s' if threads > 1 else ''}",
                            "beside": by, "stage": "whole filter", "way": way, "dimension": 3, "size": size,
                        },
                        {
                            "largest_difference_of_range_from_this_module": found[0]["comparison"]["maximum_fraction"],
                            "time": as_time([1e3 * run["comparison"]["itk_seconds"] for run in found]),
                            "ours": as_time([1e3 * (each["prepare"] + each["evaluate"]) for each in seconds]),
                        },
                    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", help="where the JSON goes (default: standard output)")
    parser.add_argument("--sizes", default="128,256,512", help="edges of the volumes")
    parser.add_argument("--square", type=int, default=4096, help="edge of the square")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--commit", default="unknown", help="is written into the context")
    parser.add_argument("--values", metavar="FOLDER", help="pictures of the experiment peer-works")
    parser.add_argument("--itk", metavar="COMMAND", help="CudaSplineResample")
    arguments = parser.parse_args()
    sizes = [(2, arguments.square)] + [(3, int(size)) for size in arguments.sizes.split(",")]
    rows = []
    # If a library fails, the results of the others are kept.
    try:
        reference = Reference(arguments.values)
    except (ImportError, OSError) as error:
        print(f"no values to compare with, so no peers but ITK: {error}", file=sys.stderr)
        reference = None
    for make in (SciPy,) if arguments.cpu else (CuPy, GridSample, SciPy):
        try:
            for cell, values in peer_rows(make(), reference, sizes, arguments.repetitions) if reference else ():
                rows.append({"cell": cell, "values": values})
        except Exception as error:  # noqa: BLE001
            print(f"no {make.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    if arguments.itk:
        try:
            for cell, values in itk_rows(shlex.split(arguments.itk), sizes, arguments.repetitions, ("cpu",) if arguments.cpu else ("0", "cpu")):
                rows.append({"cell": cell, "values": values})
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no ITK: {error}", file=sys.stderr)
    context = {**machine.describe(sys.argv, arguments.commit, not arguments.cpu), "backend": "peers"}
    content = json.dumps({"program": "peers", "format": 1, "context": context, "experiments": {"peers": rows}}, indent=1)
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as stream:
            stream.write(content + "\n")
    else:
        print(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
