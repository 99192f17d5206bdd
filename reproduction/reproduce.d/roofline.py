#!/usr/bin/env python3
"""Bytes and instructions of the stages, as Nsight Compute (ncu) counts them, and their times without it.

usage: reproduction/reproduce.d/roofline.py --program COMMAND --results results.json [--commit TEXT] [--stages NAME,...] [--limit SECONDS] OUTPUT.json

COMMAND is CudaSplineReproduction, or several words that run it. Its single stages run in a process each under ncu, and once more, all in one process, without.
--results: of the same device, by CudaSplineReproduction. The limits are the speed of the copy of the largest volume there (experiment scaling), and four
instructions of 32 threads a clock on each multiprocessor, by the largest clock of the device. reproduction/reproduce runs it where there are a GPU and ncu.
"""

import argparse
import csv
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machine

METRICS = (
    "smsp__thread_inst_executed.sum",
    "smsp__inst_executed.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__time_duration.sum",
)
RUNS = 2  # of a stage in a process: one before the repetitions, and one repetition
UNITS = {"": 1.0, "inst": 1.0, "byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "ns": 1e-6, "us": 1e-3, "usecond": 1e-3,
         "nsecond": 1e-6, "ms": 1.0, "msecond": 1.0, "s": 1e3, "second": 1e3}  # fmt: skip
SCHEDULERS, WARP = 4, 32


def listed_stages(program):
    """The names of single stages, as the program lists them."""
    text = subprocess.run([*program, "--list"], capture_output=True, text=True, check=True).stdout
    return [line.split(": ")[0] for line in text.splitlines() if line.endswith("for a profiler")]


def count(program, stage):
    command = [machine.profiler() or "ncu", "--csv", "--page", "raw", "--target-processes", "all", "--metrics", ",".join(METRICS), *program]
    done = subprocess.run([*command, "--backend", "cuda", "--repetitions", "1", "--output", "/dev/null", stage], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError((done.stdout + done.stderr).strip()[-400:])
    return done.stdout


def read(text):
    """Sums of the metrics over the kernels of one run, and the kernels' names."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    table = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if len(table) < 2:
        raise ValueError("no kernels were counted")
    units, kernels = table[0], table[1:]
    # The stage does not include the preparation of a source: storing coefficients in a texture, or converting them to 16 bits.
    kernels = [kernel for kernel in kernels if not re.search(r"Store|\bPackKernel|\bStatisticsKernel|\bTextureKernel", kernel["Kernel Name"])]
    sums = {
        metric: sum(float(kernel[metric].replace(",", "")) for kernel in kernels) * UNITS[units[metric]] / RUNS for metric in METRICS
    }
    return sums, sorted({name for kernel in kernels for name in re.findall(r"\w+Kernel\b", kernel["Kernel Name"])})


def limits_of(results):
    """Bytes and instructions a second of the device on which the results were found."""
    copies = [row for row in results["experiments"]["scaling"] if row["cell"]["stage"] == "copy"]
    largest = max(copies, key=lambda row: row["cell"]["size"])
    clock = float(machine.gpu("clocks.max.sm")[0]) * 1e6
    multiprocessors = int(results["context"]["multiprocessors"])
    copied = 8.0 * largest["cell"]["size"] ** 3 / (1e-3 * largest["values"]["time"]["ms"])
    return {"bytes": copied, "instructions": multiprocessors * SCHEDULERS * WARP * clock, "multiprocessors": multiprocessors, "clock": clock}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--stages", help="only these")
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="SECONDS", help="begins no other stage after that")
    parser.add_argument("output")
    arguments = parser.parse_args()
    program = shlex.split(arguments.program)
    stages = arguments.stages.split(",") if arguments.stages else listed_stages(program)
    results = json.loads(pathlib.Path(arguments.results).read_text(encoding="utf-8"))
    limits = limits_of(results)
    timed = json.loads(subprocess.run([*program, "--backend", "cuda", *stages], capture_output=True, text=True, check=True).stdout)
    rows, failures = [], 0
    begin = time.monotonic()
    for stage in stages:
        if time.monotonic() - begin > arguments.limit:
            print(f"{stage}: no time is left", file=sys.stderr)
            continue
        row = timed["experiments"][stage][0]
        voxels = row["cell"]["size"] ** row["cell"]["dimension"]
        try:
            sums, names = read(count(program, stage))
        except (KeyError, ValueError) as error:
            print(f"{stage}: {error}", file=sys.stderr)
            failures += 1
            if failures > 2 and not rows:
                return 1  # it cannot count here
            continue
        print(f"{stage}: {', '.join(names)}", flush=True)
        rows.append({
            "cell": row["cell"],
            "values": {
                "time": row["values"]["time"],
                "profiled_ms": sums["gpu__time_duration.sum"],
                "bytes": sums["dram__bytes_read.sum"] + sums["dram__bytes_write.sum"],
                "thread_instructions": sums["smsp__thread_inst_executed.sum"],
                "warp_instructions": sums["smsp__inst_executed.sum"],
                "voxels": voxels,
            },
        })  # fmt: skip
    rows.append({"cell": {"stage": "limits", "way": "of the device"}, "values": limits})
    context = {**results["context"], **machine.describe(sys.argv, arguments.commit, True)}
    content = {"program": "roofline", "format": 1, "context": context, "experiments": {"roofline": rows}}
    pathlib.Path(arguments.output).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
