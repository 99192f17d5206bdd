#!/usr/bin/env python3
"""Compares the times of cudaspline.torch, torch-interpol, PyTorch and MONAI: values at points and their gradients, in one run on one GPU.

usage: gradients_benchmark.py [--output FOLDER] [--size 256] [--repeats N] [--seconds S] [--check-only]

A volume of float32 is read at as many points as it has samples: those of a smooth field of displacements, and the same in random order
("scattered"). "forward" makes the values, "forward and backward" the gradients by image and points too. Each library is called as its users call it:

  cudaspline       cudaspline.torch.pull() of coefficients; local_correlation() in windows of radius 2 and 4; mutual_information()
  the formula      of these losses, by PyTorch's operators (and push): what they take for derivatives of higher orders
  torch-interpol   grid_pull() with the bound "zero"
  PyTorch          grid_sample, whose grid is made once, before the time is taken
  MONAI            Warp of networks.blocks, by PyTorch's operators; LocalNormalizedCrossCorrelationLoss

Before anything is timed the values and the gradients are compared with each other, in float64 on a small volume, and two backward passes of
cudaspline bit by bit. Libraries are called alternately. Reported are medians, 10th and 90th percentiles, and the maximum memory that PyTorch held in
a call. A case that has taken --seconds is not called again. What is not installed is left out and named. Writes gradients.json and gradients.md; the
exit status is 1 where results differ.
"""

import argparse
import importlib
import json
import platform
import sys
import time
from pathlib import Path

import numpy
import torch

import cudaspline
import cudaspline.torch as ours
from cudaspline.autodiff import _loss_formulas
from cudaspline.torch._array_operations import OPERATIONS


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error}")
        return None


INTERPOL, MONAI = optional("interpol"), optional("monai")


def points_of(size, dtype, device, scattered):
    """As many points as samples, (size, size, size, 3) in the order of the axes: a smooth field's, within the volume."""
    axis = torch.arange(size, dtype=dtype, device=device)
    grid = torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), dim=-1)
    waves = torch.sin(grid.roll(1, dims=-1) * (12.0 / size))
    points = (grid + 3.0 * waves).clamp(1.0, size - 2.0)
    if scattered:
        generator = torch.Generator().manual_seed(1)
        points = points.reshape(-1, 3)[torch.randperm(size**3, generator=generator).to(device)].reshape(points.shape)
    return points.contiguous()


class Case:
    """A library's function of an image (1, 1, *size) and points."""

    def __init__(self, what, library, function):
        self.what, self.library, self.function = what, library, function


def cases(size):
    """What is compared and timed."""
    modes = {1: "linear", 3: "cubic"}
    found = []
    for order, name in modes.items():
        found.append(
            Case(name, "cudaspline", lambda image, points, o=order: ours.pull(image, points[None], order=o, mode="grid-constant"))
        )
        if INTERPOL is not None:
            found.append(
                Case(
                    name,
                    "torch-interpol",
                    lambda image, points, o=order: INTERPOL.grid_pull(image, points[None], interpolation=o, bound="zero", extrapolate=True),
                )
            )

    def grid_sample(image, grid):
        return torch.nn.functional.grid_sample(image, grid[None], mode="bilinear", padding_mode="zeros", align_corners=True)

    grid_sample.wants_grid = True
    found.append(Case("linear", "PyTorch", grid_sample))
    if MONAI is not None:
        warp = importlib.import_module("monai.networks.blocks").Warp(mode="bilinear", padding_mode="zeros")

        def monai_warp(image, field):
            return warp(image, field)

        monai_warp.wants_field = True
        found.append(Case("linear", "MONAI", monai_warp))
    return found


def losses():
    """Losses of (fixed, moving), by what they are and the library."""

    class Formulas(type(OPERATIONS)):
        """PyTorch's operators where the library has some of its own."""

        def of_joint_histogram(self, function, fixed, moving, mask, ends, bins, count):
            return function(_loss_formulas.joint_histogram(self, fixed, moving, mask, ends, bins), count)

    what, limits = "mutual information, 32 bins", ((-5.0, 5.0), (-5.0, 5.0))
    found = {(what, "cudaspline"): lambda fixed, moving: ours.mutual_information(fixed, moving, 32, limits=limits)}
    found[what, "the formula"] = lambda fixed, moving: _loss_formulas.mutual_information(Formulas(), fixed, moving, 32, None, limits)
    for radius in (2, 4):
        what = f"local correlation, {2 * radius + 1}^3"

        def formula(fixed, moving, r=radius):
            return -_loss_formulas.correlation_sums(OPERATIONS, fixed, moving, None, (r, r, r)).sum() / fixed.numel()

        found[what, "cudaspline"] = lambda fixed, moving, r=radius: ours.local_correlation(fixed, moving, radius=r)
        found[what, "the formula"] = formula
        if MONAI is not None:
            theirs = importlib.import_module("monai.losses").LocalNormalizedCrossCorrelationLoss(spatial_dims=3, kernel_size=2 * radius + 1)
            found[what, "MONAI"] = lambda fixed, moving, t=theirs: t(moving, fixed)
    return found


def argument_of(case, points):
    """The points as the function wants them."""
    size = points.shape[0]
    if getattr(case.function, "wants_grid", False):
        return (points.flip(-1) * (2.0 / (size - 1)) - 1.0).contiguous()
    if getattr(case.function, "wants_field", False):
        axis = torch.arange(size, dtype=points.dtype, device=points.device)
        grid = torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), dim=-1)
        return (points - grid).permute(3, 0, 1, 2)[None].contiguous()
    return points


def with_gradients(case, image, argument, weights):
    """Values, and gradients by image and points."""
    image, argument = image.detach().requires_grad_(), argument.detach().requires_grad_()
    values = case.function(image, argument)
    by_image, by_points = torch.autograd.grad(values, (image, argument), weights)
    return values.detach(), by_image, by_points


def check(device):
    """Values and gradients against each other, in float64."""
    size, failures = 20, 0
    generator = torch.Generator().manual_seed(2)
    image = torch.randn((1, 1, size, size, size), dtype=torch.float64, generator=generator).to(device)
    weights = torch.randn((1, 1, size, size, size), dtype=torch.float64, generator=generator).to(device)
    points = points_of(size, torch.float64, device, True) + 0.25  # no linear gradient jumps there
    references = {}
    for case in cases(size):
        values, by_image, by_points = with_gradients(case, image, argument_of(case, points), weights)
        if getattr(case.function, "wants_grid", False):
            by_points = by_points.flip(-1) * (2.0 / (size - 1))
        if getattr(case.function, "wants_field", False):
            by_points = by_points[0].permute(1, 2, 3, 0)
        found = {"values": values, "by image": by_image, "by points": by_points}
        wanted = references.setdefault(case.what, found)
        for name, tensor in found.items():
            scale = wanted[name].abs().max().item()
            difference = (tensor - wanted[name]).abs().max().item() / scale
            if not difference < 1e-9:
                print(f"{case.what}, {case.library}, {name}: differs by {difference:.2g} of the largest, which is not below 1e-9")
                failures += 1
        if case.library == "cudaspline":
            again = with_gradients(case, image, points, weights)
            if not all(torch.equal(a, b) for a, b in zip(again, (values, by_image, by_points))):
                print(f"{case.what}: two calls differ")
                failures += 1
    images = [one.detach().requires_grad_() for one in (image, weights)]
    for (what, library), loss in losses().items():
        if library == "MONAI":  # its windows are padded, and its images smoothed by a constant
            continue
        value = loss(*images)
        found = [value.detach(), *torch.autograd.grad(value, images)]
        wanted = references.setdefault(what, found)
        for tensor, other in zip(found, wanted):
            # Parts of samples in bins are rounded to 2^-48 of one.
            if not (tensor - other).abs().max().item() < 1e-9 * other.abs().max().item():
                print(f"{what}, {library}: differs")
                failures += 1
    print(f"{len(cases(size)) + len(losses())} functions compared, {failures} differ")
    return failures


def synchronise(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def measure_all(runs, device, options):
    """Medians of (title, function) that take turns."""
    times, memory = [[] for _ in runs], [0] * len(runs)
    for _ in range(options.repeats + 2):
        for i, (_, run) in enumerate(runs):
            if len(times[i]) >= options.repeats + 2 or sum(times[i]) > options.seconds:
                continue
            if device.type == "cuda":
                torch.cuda.reset_peak_memory_stats()
                before = torch.cuda.memory_allocated()
            try:
                result = run()  # what runs between the turns of others has emptied the caches of the processor
                del result
                synchronise(device)
                begin = time.perf_counter()
                result = run()
            except torch.OutOfMemoryError:
                times[i] = [float("nan")] * (options.repeats + 2)
                torch.cuda.empty_cache()
                continue
            synchronise(device)
            times[i].append(time.perf_counter() - begin)
            if device.type == "cuda":
                memory[i] = max(memory[i], torch.cuda.max_memory_allocated() - before)
            del result
    results = []
    for (title, _), found, most in zip(runs, times, memory):
        found = found[min(2, len(found) - 1) :]
        result = dict(title, milliseconds=float(numpy.median(found) * 1e3), megabytes=most / 1e6, repeats=len(found))
        result.update({f"p{part}": float(numpy.percentile(found, part) * 1e3) for part in (10, 90)})
        results.append(result)
    return results


def measure(size, device, options):
    """Times of all cases."""
    generator = torch.Generator(device=device).manual_seed(3)
    image = torch.rand((1, 1, size, size, size), generator=generator, device=device)
    weights = torch.rand((1, 1, size, size, size), generator=generator, device=device)
    runs = []
    for scattered in (False, True):
        points = points_of(size, torch.float32, device, scattered)
        for case in cases(size):
            if scattered and getattr(case.function, "wants_field", False):
                continue
            argument = argument_of(case, points)
            title = {"what": case.what + (", scattered" if scattered else ""), "library": case.library}
            runs.append((dict(title, part="forward"), lambda c=case, a=argument: c.function(image, a)))
            runs.append((dict(title, part="forward and backward"), lambda c=case, a=argument: with_gradients(c, image, a, weights)))

    for (what, library), loss in losses().items():
        title = {"what": what, "library": library}

        def run(f=loss, images=()):
            fixed, moving = (one.detach().requires_grad_(name in images) for name, one in (("fixed", weights), ("moving", image)))
            value = f(fixed, moving)
            return torch.autograd.grad(value, [one for one in (fixed, moving) if one.requires_grad]) if images else value

        runs.append((dict(title, part="forward"), run))
        runs.append((dict(title, part="forward and backward, by one image"), lambda r=run: r(images=("moving",))))
        runs.append((dict(title, part="forward and backward, by both"), lambda r=run: r(images=("fixed", "moving"))))
    return measure_all(runs, device, options)


def describe():
    names = {"torch": torch, "interpol": INTERPOL, "monai": MONAI}
    machine = {name: getattr(library, "__version__", "there") if library is not None else "not there" for name, library in names.items()}
    machine.update(python=platform.python_version(), cudaspline=cudaspline.__version__, cuda=cudaspline.cuda_version())
    if torch.cuda.is_available():
        machine["device"] = torch.cuda.get_device_name()
    machine["date"] = time.strftime("%Y-%m-%d")
    return machine


def table(results):
    """The results in Markdown."""
    lines = ["| values at points | part | library | ms | 10 to 90 % | MB |", "|---|---|---|---|---|---|"]
    for row in sorted(results, key=lambda row: (row["what"], row["part"], row["milliseconds"])):
        lines.append(
            f"| {row['what']} | {row['part']} | {row['library']} | {row['milliseconds']:.2f} | {row['p10']:.2f} to {row['p90']:.2f} "
            f"| {row['megabytes']:.0f} |"
        )
    return "\n".join(lines)


def main():
    """Compares, then times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of gradients.json and gradients.md")
    parser.add_argument("--size", type=int, default=256, help="samples an axis")
    parser.add_argument("--repeats", type=int, default=20, help="timed calls of a case at most")
    parser.add_argument("--seconds", type=float, default=1.0, help="after which a case is not called again")
    parser.add_argument("--check-only", action="store_true", help="compare results, time nothing")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    failures = check(device)
    if failures or options.check_only:
        return 1 if failures else 0
    machine = describe()
    results = measure(options.size, device, options)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "gradients.json").write_text(json.dumps({"machine": machine, "size": options.size, "results": results}, indent=2) + "\n")
    (options.output / "gradients.md").write_text(
        ", ".join(f"{name} {value}" for name, value in machine.items()) + "\n\n" + table(results) + "\n"
    )
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
