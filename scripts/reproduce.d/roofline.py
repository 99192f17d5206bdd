#!/usr/bin/env python3
"""Bytes and instructions of the stages, of what Nsight Compute counted.

usage: scripts/reproduce.d/roofline.py --run FOLDER --program CudaSplineReproduction        (on a machine with a GPU and ncu)
       scripts/reproduce.d/roofline.py --multiprocessors N --clock GHZ --copy TBS --context RESULTS.json FOLDER OUTPUT.json

The first form writes FOLDER/STAGE:WAY.csv; the second makes of these files the rows that scripts/reproduce --results draws. --multiprocessors, --clock
(gigahertz, while it computes) and --copy (terabytes a second that a copy of the largest volume reads and writes, in the experiment scaling) give the limits: a
multiprocessor begins at most four instructions of 32 threads a clock.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys

METRICS = (
    "smsp__thread_inst_executed.sum",
    "smsp__inst_executed.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__time_duration.sum",
)
STAGES = ("prefilter:published", "prefilter:cubic", "prefilter:cubic-fir15", "evaluation:linear", "evaluation:cubic")
STAGES += ("evaluation:catmull-rom", "evaluation:linear-texture", "evaluation:cubic-texture")
RUNS = 2  # of a stage in a process: one before the repetitions, and one repetition
UNITS = {"": 1.0, "inst": 1.0, "byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "ns": 1e-6, "us": 1e-3, "usecond": 1e-3,
         "nsecond": 1e-6, "ms": 1.0, "msecond": 1.0, "s": 1e3, "second": 1e3}  # fmt: skip
EDGE = 512


def measure(program, folder):
    for stage in STAGES:
        command = ["ncu", "--csv", "--page", "raw", "--metrics", ",".join(METRICS), program, "--backend", "cuda", "--repetitions", "1"]
        done = subprocess.run([*command, "--output", "/dev/null", stage], capture_output=True, text=True)
        (folder / f"{stage}.csv").write_text(done.stdout)
        print(f"{stage}: {done.returncode}")


def read(path):
    """Sums of the metrics over the kernels of one run, and the kernels' names."""
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    table = list(csv.DictReader(lines))
    if len(table) < 2:
        raise ValueError(f"{path} has no kernels")
    units, kernels = table[0], table[1:]
    # What makes a source ready is no part of the stage: coefficients that go into a texture.
    kernels = [kernel for kernel in kernels if not re.search(r"Store|\bStatisticsKernel|\bTextureKernel", kernel["Kernel Name"])]
    sums = {
        metric: sum(float(kernel[metric].replace(",", "")) for kernel in kernels) * UNITS[units[metric]] / RUNS for metric in METRICS
    }
    return sums, sorted({name for kernel in kernels for name in re.findall(r"\w+Kernel\b", kernel["Kernel Name"])})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--program", default="CudaSplineReproduction")
    parser.add_argument("--multiprocessors", type=int)
    parser.add_argument("--clock", type=float)
    parser.add_argument("--copy", type=float)
    parser.add_argument("--context", help="JSON of the same device, whose context is taken")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("output", nargs="?")
    arguments = parser.parse_args()
    if arguments.run:
        measure(arguments.program, arguments.run)
        return 0
    if not (arguments.output and arguments.multiprocessors and arguments.clock and arguments.copy and arguments.context):
        parser.error("--run, or all of the second form")
    rows = []
    voxels = EDGE**3
    for stage in STAGES:
        path = arguments.folder / f"{stage}.csv"
        if not path.is_file():
            print(f"no {path}", file=sys.stderr)
            continue
        sums, names = read(path)
        print(f"{stage}: {', '.join(names)}")
        kind, way = stage.split(":")
        rows.append({
            "cell": {"stage": kind, "way": way, "size": EDGE},
            "values": {
                "profiled_ms": sums["gpu__time_duration.sum"],
                "bytes": sums["dram__bytes_read.sum"] + sums["dram__bytes_write.sum"],
                "least_bytes": 8 * voxels,
                "thread_instructions": sums["smsp__thread_inst_executed.sum"],
                "warp_instructions": sums["smsp__inst_executed.sum"],
                "voxels": voxels,
            },
        })  # fmt: skip
    limits = {"bytes": arguments.copy * 1e12, "instructions": arguments.multiprocessors * 4 * 32 * arguments.clock * 1e9}
    rows.append({"cell": {"stage": "limits", "way": "of the device", "size": EDGE}, "values": limits})
    context = json.loads(pathlib.Path(arguments.context).read_text())["context"]
    context = {**context, "command": "scripts/reproduce.d/roofline.py"}
    content = {"program": "roofline", "format": 1, "context": context, "experiments": {"roofline": rows}}
    pathlib.Path(arguments.output).write_text(json.dumps(content, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
