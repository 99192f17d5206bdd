#!/usr/bin/env python3
"""How long registration of two brains takes, and how much memory: the rows of a table, each with what must be and what is aimed at.

Without arguments of its own it is what reproduction/evidence calls. As a program it runs one job in a process of its own, and prints JSON:

usage: reproduction/evidence.d/speed.py cohort|kernels FIXED MOVING DEVICE

  cohort   seconds a pair of many pairs in one process
  kernels  of each kind of stage its seconds, and those in which kernels ran on the GPU (by torch.profiler)
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy
from methods import iterations_of

RUNS = 3
PAIRS = 32
GIGABYTE = 1e9


@dataclass
class Row:
    """A line of the table."""

    what: str
    unit: str
    values: list
    must: float = None
    aim: float = None
    #: Where more is better.
    is_ratio: bool = False

    def met(self):
        """What the median reaches: "aim", "must", "no", or nothing where nothing was asked for."""
        if self.must is None:
            return ""
        reaches = (lambda bound: self.median() >= bound) if self.is_ratio else (lambda bound: self.median() <= bound)
        return "aim" if self.aim is not None and reaches(self.aim) else "must" if reaches(self.must) else "no"

    def median(self):
        return statistics.median(self.values)

    def told(self):
        """As JSON has it."""
        return {**vars(self), "median": self.median(), "met": self.met()}


class Measurement:
    """What runs programs of a build on two images."""

    def __init__(self, images, coarse, large, folder, common):
        self.images = images  #: files of the fixed and of the moving one
        self.coarse = coarse  #: the same, of half the samples an axis
        self.large = large  #: the same, of 256^3 samples
        self.folder = folder
        self.settings = common["settings"]
        self.environment = common["environment"]
        self.library = pathlib.Path(self.settings["program"][0]).parent.parent / "lib"

    def output_of(self, words, **more):
        """What a program prints."""
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, env={**self.environment, **more}).stdout

    def register(self, *words):
        """CudaSplineRegister in a process: what its report tells, with the seconds of the process."""
        report = self.folder / "report.json"
        begin = time.monotonic()
        self.output_of([*self.settings["program"], *self.images, *words, "--report", report, "--device", self.settings["device"]])
        return {**json.loads(report.read_text()), "process": time.monotonic() - begin}

    def preset(self):
        """The preset syn, with what it writes in both forms."""
        plain = ["--field", self.folder / "field.nii", "--inverse", self.folder / "inverse.nii", "--warped", self.folder / "warped.nii"]
        found = [self.register("--preset", "syn", *plain) for _ in range(RUNS)]
        packed = [self.register("--preset", "syn", "--output-prefix", self.folder / "found_")["process"] for _ in range(RUNS)]
        stages = {kind: [next(stage for stage in one["stages"] if stage["kind"] == kind) for one in found] for kind in ("affine", "syn")}
        last = [stage["levels"][-1] for stage in stages["syn"]]
        return [
            Row("images to fields in memory, `--preset syn`, CUDA's start included", "s", [one["seconds"]["register"] for one in found], 1.2, 0.5),
            Row("its affine stage", "s", [stage["seconds"] for stage in stages["affine"]], 0.25, 0.12),
            Row("its SyN stage", "s", [stage["seconds"] for stage in stages["syn"]]),
            Row(
                "SyN, the last level divided by its iterations: what begins and ends the level is in it", "ms",
                [1000 * level["seconds"] / level["iterations"] for level in last], 10, 4,
            ),
            Row("whole process, from files to `.nii` of the field, its inverse and the warped image", "s", [one["process"] for one in found], 2.5, 1.5),
            Row("whole process to ANTs' five files, `.nii.gz`", "s", packed, 4, 2),
            Row("`--preset standard`, images to fields", "s", [self.register("--preset", "standard")["seconds"]["register"] for _ in range(RUNS)]),
        ]  # fmt: skip

    def loaded(self):
        """The environment in which a program of ITK's alone gets this module's classes."""
        folders = [str(self.library / name) for name in ("CudaSplineMetricFactories", "CudaSplineFactories")]
        return {"ITK_AUTOLOAD_PATH": os.pathsep.join(folders)}

    def itk_program(self, images, iterations, **more):
        """A program of ITK's classes: its lines, split into words."""
        words = [*self.settings["itk"], *images, "--single", "--linear", "1" if len(iterations) == 1 else "200,100,50"]
        text = self.output_of([*words, "--iterations", ",".join(map(str, iterations)), "--radius", 4], **more)
        return [line.split() for line in text.splitlines()]

    def by_itk(self):
        """ITK's own program with the factories."""
        runs = [self.itk_program(self.images, (100, 70, 50, 20), **self.loaded()) for _ in range(RUNS)]
        methods = {line[1] for lines in runs for line in lines if line[0] == "end"}
        if methods != {"CudaSyNImageRegistrationMethod"}:
            raise RuntimeError(f"the factories were not loaded: {', '.join(sorted(methods))}")
        whole = [next(float(line[4]) for line in lines if line[0] == "stage" and "SyN" in line[1]) for lines in runs]
        one = [1000 * statistics.median(iterations_of(lines, 3)) for lines in runs]
        return [
            Row("ITK's classes by the factories: SyN, images to fields in memory", "s", whole),
            Row("an iteration of it at full size, with its inversions (median of the level)", "ms", one, 10, 4),
        ]

    def on_host(self):
        """The Cpu backend compared with ITK: an iteration of SyN with half the samples along each axis."""
        found = []
        for threads in sorted({2, min(16, self.settings["threads"])}):
            more = {"ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS": str(threads), "CUDASPLINE_THREADS": str(threads)}
            of_module = iterations_of(self.itk_program(self.coarse, (4,), **more, **self.loaded(), CUDASPLINE_DEVICE="cpu"), 0)
            of_itk = iterations_of(self.itk_program(self.coarse, (3,), **more, ITK_AUTOLOAD_PATH=""), 0)
            what = f"Cpu backend, {threads} threads: times as fast as ITK with as many, an iteration of SyN at half the samples an axis"
            found.append(Row(what, "", [statistics.median(of_itk) / statistics.median(of_module)], 4, 10, is_ratio=True))
            found.append(Row(f"that iteration by the Cpu backend, {threads} threads", "s", of_module))
            found.append(Row(f"that iteration by ITK, {threads} threads", "s", of_itk))
        return found

    def splines(self):
        """Stages of B-splines."""
        found = []
        for metric, title in (("mattes", "Mattes"), ("meansquares", "mean squares"), ("cc", "local correlation")):
            words = ["--stage", "bspline", "--grid-spacing", 4, "--iterations", "100,70,50", "--metric", metric]
            stages = [self.register(*words)["stages"][-1] for _ in range(RUNS)]
            evaluations = ", ".join(str(level["iterations"]) for level in stages[0]["levels"])
            found.append(Row(f"B-spline stage, cells of 4 mm, {title}, {evaluations} evaluations", "s", [stage["seconds"] for stage in stages], 0.8, 0.4))
        return found

    def memory(self):
        """Memory of the device at 256^3."""
        import memory

        if not memory.Device().is_there:
            return []
        words = [*self.settings["program"], *self.large, "--preset", "syn", "--device", self.settings["device"], "--output", self.folder / "large.h5"]
        used = memory.run(words, self.folder / "log.txt", self.environment)
        if used["code"] != 0:
            raise RuntimeError((self.folder / "log.txt").read_text()[-200:])
        return [Row("memory of the device, `--preset syn` at 256^3, by its driver, CUDA's own part included", "GB", [used["device_bytes"] / GIGABYTE], 2.5, 1.2)]

    def job(self, name):
        """A job of this file in a process."""
        return json.loads(self.output_of([sys.executable, "-B", __file__, name, *self.images, self.settings["device"]]).splitlines()[-1])

    def cohort(self):
        """Many pairs."""
        seconds = self.job("cohort")
        return [Row(f"a pair of {PAIRS}, `cudaspline.register(..., preset=\"syn\")` in one process, CUDA's start included", "s", [seconds], 1.0, 0.35)]

    def kernels(self):
        """The part of a stage's time in which no kernel ran."""
        import memory

        if not memory.Device().is_there:
            return []
        found = self.job("kernels")
        return [
            Row(f"{kind}: part of the levels' {one['seconds']:.3g} s in which no kernel ran", "%", [100 * (1 - one["busy"] / one["seconds"])], 25)
            for kind, one in found.items()
        ]


def measure(measurement, say):
    """All rows, as JSON has them. A group that fails is a row that says why."""
    rows = []
    groups = ("preset", "by_itk", "splines", "memory", "cohort", "kernels", "on_host")
    for name in groups:
        try:
            found = [row.told() for row in getattr(measurement, name)()]
        except (subprocess.CalledProcessError, RuntimeError, OSError, StopIteration) as error:
            text = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
            found = [{"what": name, "failed": " ".join(text)}]
        rows += found
        for row in found:
            say(f"  {row['what']}: " + (row["failed"] if "failed" in row else f"{row['median']:.3g} {row['unit']} {row['met']}"))
    return rows


def read(path):
    """A file of the experiment, as an image."""
    import nibabel
    from images import of_nifti

    return of_nifti(nibabel.load(path))


def run_cohort(fixed, moving, device):
    """Seconds a pair, of brains that were turned and shifted, each its own way."""
    import cudaspline
    from images import turn

    fixed, moving = read(fixed), read(moving)
    random = numpy.random.default_rng(1)
    pairs = []
    for _ in range(PAIRS):
        turned = turn(random.uniform(-5, 5, 3), random.uniform(-5, 5, 3), numpy.ones(3), moving.geometry.origin)
        pairs.append(cudaspline.resample(moving, turned, moving, interpolation="linear", smooth=False, device="cpu"))
    begin = time.monotonic()
    for one in pairs:
        cudaspline.register(fixed, one, preset="syn", device=device)
    return (time.monotonic() - begin) / PAIRS


def union(spans):
    """The length of all intervals together, what overlaps once."""
    total, end = 0.0, -numpy.inf
    for first, last in sorted(spans):
        total += max(0.0, last - max(first, end))
        end = max(end, last)
    return total


def run_kernels(fixed, moving, device):
    """{kind: {"seconds", "busy"}} of one stage of each kind."""
    import cudaspline
    import torch
    from torch.profiler import ProfilerActivity, profile

    fixed, moving = read(fixed), read(moving)
    stages = {
        "affine": cudaspline.Stage("affine", iterations=(100, 100, 50), shrink=(4, 2, 1), sigmas=(2, 1, 0)),
        "syn": cudaspline.Stage("syn", radius=4, iterations=(70, 50, 20), shrink=(4, 2, 1), sigmas=(2, 1, 0)),
        "greedy": cudaspline.Stage("greedy", radius=2, iterations=(200, 100, 50), shrink=(4, 2, 1), sigmas=(2, 1, 0)),
        "bspline": cudaspline.Stage("bspline", grid_spacing=4, iterations=(100, 70, 50), shrink=(4, 2, 1), sigmas=(2, 1, 0)),
    }
    found = {}
    for kind, stage in stages.items():
        runs = [cudaspline.register(fixed, moving, [stage], device=device) for _ in range(1 + RUNS)][1:]  # the first one starts CUDA
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            cudaspline.register(fixed, moving, [stage], device=device)
            torch.cuda.synchronize()
        spans = [
            (event.time_range.start, event.time_range.end)
            for event in profiler.events()
            if event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Memcpy", "Memset"))
        ]
        seconds = [sum(level.seconds for one in told.report.stages for level in one.levels) for told in runs]  # a profiler makes calls longer
        found[kind] = {"seconds": statistics.median(seconds), "busy": 1e-6 * union(spans), "kernels": len(spans)}
    return found


def main():
    job, fixed, moving, device = sys.argv[1:]
    device = None if device == "auto" else device
    print(json.dumps({"cohort": run_cohort, "kernels": run_kernels}[job](fixed, moving, device)))


if __name__ == "__main__":
    main()
