#!/usr/bin/env python3
"""One registration by one method, in a process of its own: what reproduction/evidence calls for each row of its tables.

usage: reproduction/evidence.d/methods.py METHOD FIXED MOVING FOLDER SETTINGS

METHOD is a name of METHODS, FIXED and MOVING are NIfTI files, SETTINGS is JSON. FOLDER/result.json describes the run:

  version    of what ran
  parameters in words
  seconds    from images in memory to transforms in memory, where the method lets that be seen; else says `around` what else is in it
  stages     [{name, seconds, levels: [{iterations, of, seconds}]}]
  forward    transforms from places of the fixed image to places of the moving one, the first to be applied first, as antsApplyTransforms takes them:
             names of files, or homogeneous matrices in ITK's space
  backward   the other way round; absent where the method gives none
  affine     of forward what is linear; absent where it is in one with the rest
  notes      what a reader of its numbers has to know
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from importlib import metadata

import numpy

# SyN as in antsRegistrationSyN.sh, for all methods with these parameters.
LEVELS = {"iterations": (100, 70, 50, 20), "shrink": (8, 4, 2, 1), "sigmas": (3, 2, 1, 0)}
# Rigid and affine as that script has them.
LINEAR = (1000, 500, 250, 100)
RADIUS = 4
# How much coarser the images are of which an iteration is timed, to plan those of the whole.
PROBE = 4
QUANTILES = (0.005, 0.995)
# Affine and greedy as FireANTs' quick start has them, with as many iterations at the finest level as elsewhere.
GREEDY_LEVELS = {"iterations": (200, 100, 50), "shrink": (4, 2, 1), "sigmas": (2, 1, 0)}


def affordable(wanted, costs, level, left):
    """How many iterations of a level fit into the time that is left, with at least one iteration for it and for each level after it.

    wanted: iterations by level. costs: seconds an iteration by level, measured or foreseen. left: seconds; None: no limit"""
    if left is None:
        return wanted[level]
    reserved = sum(cost for cost, count in zip(costs[level + 1 :], wanted[level + 1 :]) if count)
    return max(1, min(wanted[level], int((left - reserved) / costs[level])))


def whole_time(levels):
    """Seconds that all iterations would take, where a level was cut short: what one took, times how many there are."""
    return sum(level["seconds"] * (level["of"] / level["iterations"] if level["cut"] else 1) for level in levels)


def versions(program):
    """What CudaSplineRegister says of itself: lines that begin with its own, and with ITK's name."""
    return subprocess.run([*program, "--version"], capture_output=True, text=True, check=True).stdout.strip().splitlines()


def program(fixed, moving, folder, settings):
    """CudaSplineRegister with a preset."""
    prefix = folder / "found_"
    report = folder / "report.json"
    command = [*settings["program"], fixed, moving, "--preset", settings["preset"], "--output-prefix", prefix, "--report", report]
    command += ["--device", settings["device"]]
    begin = time.monotonic()
    subprocess.run(list(map(str, command)), check=True)
    whole = time.monotonic() - begin
    told = json.loads(report.read_text())
    stages = []
    for stage in told["stages"]:
        levels = [{"iterations": level["iterations"], "of": level["iterations"], "cut": False, "seconds": level["seconds"]} for level in stage["levels"]]
        stages.append({"name": stage["kind"], "seconds": stage["seconds"], "levels": levels, "backend": stage["backend"]})
    affine = f"{prefix}0GenericAffine.mat"
    reason = sorted({stage["fallback_reason"] for stage in told["stages"] if stage["fallback_reason"]})
    return {
        "version": versions(settings["program"])[0],
        "parameters": f"CudaSplineRegister --preset {settings['preset']}",
        "seconds": told["seconds"]["register"], "process_seconds": whole, "stages": stages, "folding": told.get("folding"),
        "forward": [f"{prefix}1Warp.nii.gz", affine], "affine": [affine], "backward": [[affine, 1], f"{prefix}1InverseWarp.nii.gz"],
        "notes": reason,
    }  # fmt: skip


def package(fixed, moving, folder, settings):
    """cudaspline.register(): affine as the preset syn has it, then one field."""
    import cudaspline
    from images import of_nifti

    import nibabel

    images = [of_nifti(nibabel.load(path)) for path in (fixed, moving)]
    affine = cudaspline.Stage("affine", iterations=(100, 100, 50), shrink=(4, 2, 1), sigmas=(2, 1, 0))
    greedy = cudaspline.Stage("greedy", radius=settings["radius"], **GREEDY_LEVELS)
    device = None if settings["device"] == "auto" else settings["device"]

    def run():
        begin = time.monotonic()
        found = cudaspline.register(*images, [affine, greedy], winsorize=QUANTILES, device=device, threads=settings["threads"])
        return found, time.monotonic() - begin

    found, seconds = run()
    notes = []
    if settings["warm"] and found.report.stages[0].execution.backend == "Cuda":
        notes.append(f"the second run in one process: the first one, which starts CUDA, took {seconds:.3g} s")
        found, seconds = run()
    stages, reasons = [], set()
    for stage in found.report.stages:
        levels = [{"iterations": level.iterations, "of": level.iterations, "cut": False, "seconds": level.seconds} for level in stage.levels]
        stages.append({"name": stage.stage.kind, "seconds": sum(level.seconds for level in stage.levels), "levels": levels, "backend": stage.execution.backend})
        reasons |= {stage.execution.reason} - {"", None}
    files = [str(path) for path in found.transform.save_ants(folder / "found_", images[0])]
    inverse = folder / "inverse.nii.gz"
    found.transform.inverse().save(inverse, images[1])
    return {
        "version": f"cudaspline {cudaspline.__version__}",
        "parameters": f"cudaspline.register(), affine by Mattes, greedy in windows of radius {settings['radius']}",
        "seconds": seconds, "stages": stages, "forward": files[1:2] + files[:1], "affine": files[:1], "backward": [str(inverse)],
        "notes": notes + sorted(reasons),
    }  # fmt: skip


def plan(wanted, program, fixed, moving, settings):
    """How many iterations of each level of SyN fit into the settings' seconds; all of them without a limit.

    The time of an iteration is proportional to the number of voxels. ITK's is measured on images of four times the spacing; ANTs' SyN is ITK's."""
    if settings["seconds"] is None:
        return list(wanted)
    words = [*program, fixed, moving, "--linear", "1", "--iterations", "3", "--radius", RADIUS]
    text = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, env=threaded(settings)).stdout
    one = float([line.split() for line in text.splitlines() if line.startswith("iteration")][-1][4]) / 3 * PROBE**3
    costs = [one / shrink**3 for shrink in LEVELS["shrink"]]
    planned, left = list(wanted), settings["seconds"]
    for level in range(len(wanted)):
        planned[level] = affordable(wanted, costs, level, left)
        left -= planned[level] * costs[level]
    return planned


def threaded(settings):
    """The environment in which ITK has the settings' threads, and loads nothing of this module."""
    environment = {**os.environ, "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS": str(settings["threads"])}
    environment.pop("ITK_AUTOLOAD_PATH", None)
    return environment


def levels_of(times, planned, wanted):
    """From [[seconds of each iteration] of each level]: how many of the wanted iterations were executed. A level that ended before its plan has
    converged."""
    return [
        {"iterations": len(made), "of": count, "cut": len(made) == plan < count, "seconds": sum(made)} for made, plan, count in zip(times, planned, wanted)
    ]


def iterations_of(lines, level):
    """Seconds of the iterations of a level, of the lines that the program of ITK's classes prints, split into words.

    A line is "iteration", level, value, convergence, seconds; the first one of a level says that it begins."""
    clock = [float(line[4]) for line in lines if line[0] == "iteration" and int(line[1]) == level]
    return [end - begin for begin, end in zip(clock, clock[1:])]


def linear_of(lines):
    """The rigid and affine matrix, 4 x 4, of the lines of that program."""
    numbers = numpy.array([float(word) for word in next(line for line in lines if line[0] == "linear")[1:]])
    matrix = numpy.eye(4)
    matrix[:3, :3], matrix[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return matrix


def itk_syn(fixed, moving, folder, settings):
    """ITK's own classes by a program of theirs alone: rigid, affine, then SyN with local correlation."""
    wanted = LEVELS["iterations"]
    planned = plan(wanted, settings["itk"], *settings["probe"], settings)
    names = [str(folder / name) for name in ("warp.nii", "inverse.nii")]
    numbers = [",".join(map(str, counts)) for counts in (LINEAR, planned)]
    words = [*settings["itk"], fixed, moving, "--linear", numbers[0], "--iterations", numbers[1], "--radius", RADIUS, "--out", names[0], "--inverse", names[1]]
    begin = time.monotonic()
    text = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, env=threaded(settings)).stdout
    whole = time.monotonic() - begin
    lines = [line.split() for line in text.splitlines()]
    levels = levels_of([iterations_of(lines, level) for level in range(len(wanted))], planned, wanted)
    matrix = linear_of(lines)
    rigid, affine, syn = (float(line[4]) for line in lines if line[0] == "stage")
    told = (("rigid", rigid, []), ("affine", affine, []), ("syn", syn, levels))
    stages = [{"name": name, "seconds": seconds, "levels": made} for name, seconds, made in told]
    return {
        "version": next(line for line in versions(settings["program"]) if line.startswith("ITK")),
        "seconds": rigid + affine + syn, "process_seconds": whole, "stages": stages,
        "whole_seconds": rigid + affine + syn - sum(level["seconds"] for level in levels) + whole_time(levels),
        "parameters": f"rigid and affine by Mattes of a quarter of the voxels, SyN by CC of radius {RADIUS}, in double, not winsorized,"
        f" {settings['threads']} threads",
        "forward": [names[0], matrix.tolist()], "affine": [matrix.tolist()], "backward": [numpy.linalg.inv(matrix).tolist(), names[1]],
        "notes": cut_notes(levels),
    }  # fmt: skip


def stages_of(names, times):
    """Stages between times that a clock told (s), one more than there are stages."""
    return [{"name": name, "seconds": end - begin, "levels": []} for name, begin, end in zip(names, times, times[1:])]


def cut_notes(levels):
    """What was left out, in words."""
    return [
        f"level {number + 1}: {level['iterations']} of {level['of']} iterations were made, the time of the others is extrapolated"
        for number, level in enumerate(levels)
        if level["cut"]
    ]


class Captured:
    """What a library writes to the file of standard output, whoever writes it."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        sys.stdout.flush()
        self.saved = os.dup(1)
        with open(self.path, "wb") as stream:
            os.dup2(stream.fileno(), 1)

    def __exit__(self, *_):
        sys.stdout.flush()
        os.dup2(self.saved, 1)
        os.close(self.saved)


def times_of_ants(text):
    """[[seconds of each iteration] of each level] of the last stage in the output of antsRegistration.

    A line is " 1DIAGNOSTIC, iteration, metric, convergence, seconds since the beginning, seconds since the last line,"."""
    levels = []
    for line in text.splitlines():
        found = re.match(r"\s*[12]DIAGNOSTIC,\s*(\d+),(.*)", line)
        if not found:
            if line.startswith("*** Running"):
                levels = []
            continue
        if int(found.group(1)) == 1:
            levels.append([])
        levels[-1].append(float(found.group(2).split(",")[3]))
    return levels


def ants(fixed, moving, folder, settings):
    """antspyx: rigid and affine as antsRegistrationSyN.sh has them, then SyN."""
    import ants as antspy

    images = [antspy.image_read(str(path)) for path in (fixed, moving)]
    begin = time.monotonic()
    linear = antspy.registration(*images, type_of_transform="antsRegistrationSyN[a]", outprefix=str(folder / "affine_"))
    linear_seconds = time.monotonic() - begin
    wanted = LEVELS["iterations"]
    planned = plan(wanted, settings["itk"], *settings["probe"], settings)
    between = time.monotonic()
    said = folder / "ants.txt"
    with Captured(said):
        found = antspy.registration(
            *images, type_of_transform="SyNOnly", initial_transform=linear["fwdtransforms"][0], outprefix=str(folder / "found_"), syn_metric="CC",
            syn_sampling=RADIUS, grad_step=0.1, flow_sigma=3, total_sigma=0, reg_iterations=tuple(planned), verbose=True,
        )  # fmt: skip
    syn_seconds = time.monotonic() - between
    levels = levels_of(times_of_ants(said.read_text(errors="replace")), planned, wanted)
    if len(levels) != len(wanted):
        raise RuntimeError(f"antsRegistration reported {len(levels)} levels, not {len(wanted)}")
    affine = [name for name in found["fwdtransforms"] if name.endswith(".mat")][0]
    fields = {kind: next(name for name in found[kind] if name.endswith(".nii.gz")) for kind in ("fwdtransforms", "invtransforms")}
    made = sum(level["seconds"] for level in levels)
    return {
        "version": f"antspyx {metadata.version('antspyx')}", "seconds": linear_seconds + syn_seconds,
        "whole_seconds": linear_seconds + syn_seconds - made + whole_time(levels),
        "parameters": f"ants.registration(), antsRegistrationSyN[a], then SyNOnly by CC of radius {RADIUS}, {settings['threads']} threads",
        "around": "with files between both stages",
        "stages": [{"name": "rigid, affine", "seconds": linear_seconds, "levels": []}, {"name": "syn", "seconds": syn_seconds, "levels": levels}],
        "forward": [fields["fwdtransforms"], affine], "affine": [affine], "backward": [[affine, 1], fields["invtransforms"]], "notes": cut_notes(levels),
    }  # fmt: skip


def greedy(fixed, moving, folder, settings):
    """picsl-greedy: affine, then one field, by normalized correlation."""
    from picsl_greedy import Greedy3D

    engine = Greedy3D()
    os.chdir(folder)  # its words are parted by spaces, which the names of folders may have
    fixed, moving = (os.path.relpath(path) for path in (fixed, moving))
    affine, warp, inverse = "affine.mat", "warp.nii.gz", "inverse.nii.gz"
    common = f"-threads {settings['threads']} -i {fixed} {moving} -m NCC {RADIUS}x{RADIUS}x{RADIUS}"
    times = [time.monotonic()]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        for words in (f"-a -dof 12 -ia-image-centers -n 100x50x10 -o {affine}", f"-it {affine} -n 100x100x50 -o {warp} -oinv {inverse}"):
            engine.execute(f"{common} {words}")
            times.append(time.monotonic())
    flip = numpy.diag([-1.0, -1.0, 1.0, 1.0])  # greedy's matrices are in NIfTI's space, its fields in ITK's
    matrix = flip @ numpy.loadtxt(affine) @ flip
    return {
        "version": f"picsl-greedy {metadata.version('picsl-greedy')}", "seconds": times[-1] - times[0], "around": "with files",
        "parameters": f"affine 100x50x10, deformable 100x100x50, NCC of radius {RADIUS}, {settings['threads']} threads",
        "stages": stages_of(("affine", "greedy"), times),
        "forward": [str(folder / warp), matrix.tolist()], "affine": [matrix.tolist()],
        "backward": [numpy.linalg.inv(matrix).tolist(), str(folder / inverse)], "notes": [],
    }  # fmt: skip


def fireants(fixed, moving, folder, settings):
    """FireANTs by its public classes, as its quick start has them: affine, then the settings' kind of field, by local correlation of 5^3 voxels."""
    import torch
    from fireants.io import BatchedImages, Image
    from fireants.registration.affine import AffineRegistration
    from fireants.registration.greedy import GreedyRegistration
    from fireants.registration.syn import SyNRegistration

    device = "cuda" if torch.cuda.is_available() and settings["device"] != "cpu" else "cpu"
    images = [BatchedImages([Image.load_file(str(path), device=device)]) for path in (fixed, moving)]
    scales, iterations = list(GREEDY_LEVELS["shrink"]), list(GREEDY_LEVELS["iterations"])
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    kind = {"greedy": GreedyRegistration, "syn": SyNRegistration}[settings["kind"]]

    def run():
        times = [time.monotonic()]
        affine = AffineRegistration(scales, iterations, *images, optimizer="Adam", optimizer_lr=3e-3, cc_kernel_size=5)
        affine.optimize()
        wait()
        times.append(time.monotonic())
        deformable = kind(
            scales=scales, iterations=iterations, fixed_images=images[0], moving_images=images[1], cc_kernel_size=5, deformation_type="compositive",
            init_affine=affine.get_affine_matrix().detach(),
        )  # fmt: skip
        deformable.optimize()
        wait()
        times.append(time.monotonic())
        return deformable, times

    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):  # bars of progress
        if device == "cuda" and settings["warm"]:
            run()  # kernels are loaded, and PyTorch's memory is taken
        found, times = run()
    warp, inverse = (str(folder / name) for name in ("warp.nii.gz", "inverse.nii.gz"))
    found.save_as_ants_transforms(warp)
    notes = ["writes one field with its affine transform in it"]
    try:
        found.save_as_ants_transforms(inverse, save_inverse=True)
        backward = {"backward": [inverse]}
        notes.append("looks for an inverse then, whose time is not counted")
    except NotImplementedError as error:
        backward = {}
        notes.append(f"gives no inverse ({error})")
    notes.append("PyTorch's operations; the fused ones of its repository are in no package")
    if device == "cpu":
        notes.append("on the CPU, which it is not made for")
    else:
        notes.append("the second run in one process: the first one starts CUDA" if settings["warm"] else "the first run in its process, which starts CUDA")
    memory = {"memory_of_pytorch": torch.cuda.max_memory_allocated()} if device == "cuda" else {}
    return {
        "version": f"fireants {metadata.version('fireants')}, torch {torch.__version__}", "seconds": times[-1] - times[0],
        "parameters": f"AffineRegistration and {kind.__name__} of 200, 100, 50 iterations, CC of 5^3",
        "stages": stages_of(("affine", settings["kind"]), times),
        "forward": [warp], "notes": notes, **backward, **memory,
    }  # fmt: skip


#: Name -> function of (fixed, moving, folder, settings).
METHODS = {"program": program, "package": package, "itk": itk_syn, "ants": ants, "greedy": greedy, "fireants": fireants}


def main():
    name, fixed, moving, folder, settings = sys.argv[1:]
    folder = pathlib.Path(folder)
    begin = time.monotonic()
    try:
        result = METHODS[name](fixed, moving, folder, json.loads(settings))
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip()
        print(error.stdout or "", said, sep="\n", flush=True)
        return f"{os.path.basename(error.cmd[0])} ended with {error.returncode}: {(said.splitlines() or ['no output'])[-1]}"
    result.setdefault("process_seconds", time.monotonic() - begin)
    (folder / "result.json").write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    sys.exit(main())
