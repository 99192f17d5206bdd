"""What a run says of the machine: the names under which CudaSplineReproduction describes it, too."""

import datetime
import os
import pathlib
import platform
import shutil
import subprocess


def gpu(*fields):
    """The output of nvidia-smi for the first GPU; None if there is none."""
    command = ["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [word.strip() for word in done.stdout.splitlines()[0].split(",")] if done.stdout.strip() else None


def profiler():
    """Nsight Compute's program; None where it is not installed. The CUDA Toolkit's folder need not be in the PATH."""
    places = [*pathlib.Path("/usr/local").glob("cuda*/bin/ncu"), *pathlib.Path("/opt/nvidia/nsight-compute").glob("*/ncu")]
    return shutil.which("ncu") or next((str(path) for path in sorted(places)), None)


def threads():
    """How many threads may run at a time, as std::thread::hardware_concurrency() counts them."""
    return len(os.sched_getaffinity(0))


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit(root):
    """That of a folder, by git; "unknown" without git or outside a repository."""
    try:
        tried = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty"], capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return tried.stdout.strip() or "unknown"


def without_folders(argument):
    """Replaces absolute paths by their names, because results do not contain paths of a machine."""
    return " ".join(os.path.basename(word) if os.path.isabs(word) else word for word in str(argument).split(" "))


def describe(arguments, commit, on_device):
    """The context of a run; arguments are sys.argv."""
    context = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": commit,
        "command": " ".join([os.path.basename(arguments[0]), *map(without_folders, arguments[1:])]),
    }
    found = gpu("name", "compute_cap", "driver_version") if on_device else None
    if found:
        context.update({"device": f"{found[0]}, compute capability {found[1]}", "driver": found[2]})
    return {**context, "processor": processor(), "threads": str(threads())}
