#!/usr/bin/env python3
"""Accuracy of presets and stages of the package, in experiments whose answer is known.

usage: reproduction/evidence.d/accuracy.py [options] [EXPERIMENT...]         (none: all)

  contrast      MNI152 and Colin27 with the moving contrast inverted: overlap, folding, inverse (contrast.py)
  t2            T1-weighted and simulated T2-weighted images, noise, bias (t2.py)
  lesion        errors around lesions that a mask leaves out (lesion.py)
  orientations  differences between results of the same pair, stored in other orders and directions of axes (orientations.py)
  abdomen       a phantom of an abdomen whose organs move by up to 40 mm in different directions (abdomen.py)
  phases        the same, the moving image as without contrast agent (phases.py)
  gentle, strong, bent-contrast   Colin27, bent by known transforms (images.BENDS)

  --methods NAME,...   presets, discrete+greedy, none, and peers (convexadam, deeds, picsl). Default: all presets
  --stages FILE        more methods: a JSON object of names and keyword arguments of cudaspline.register, e.g. {"a": {"stages": [{"kind": "affine"}]}}
  --data FOLDER        reads EXPERIMENT.npz, which --save wrote, instead of making the images
  --save FOLDER        writes them
  --device NAME        of the package (default: automatic)
  --threads N          (default: all)
  --spacing MM         of the images (default: 1, of abdomen and phases 2, of orientations 4)
  --once               each method runs once, as on the host; seconds are those of the first run then
  --limit SECONDS      after which no further method is started
  --json FILE          results, written after each method

Seconds are those of the second run in the process. With --data it needs NumPy and the package alone.
"""

import argparse
import importlib
import json
import pathlib
import sys
import time

import numpy

import cudaspline

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "reproduce.d")]
import machine
import measures
import pairs

BENT = {"gentle": 0, "strong": 1, "bent-contrast": 2}  # of images.BENDS
MODULES = ("contrast", "t2", "lesion", "orientations", "abdomen", "phases")
EXPERIMENTS = (*MODULES, *BENT)
PRESETS = tuple(sorted(path.stem for path in (HERE.parents[1] / "src" / "pipeline" / "presets").glob("*.json")))
REFINING = {"kind": "greedy", "radius": 2, "learning_rate": 0.25, "iterations": [50, 20], "shrink": [2, 1], "sigmas": [1, 0]}
STAGES = {"affine": {"stages": [{"kind": "affine"}]}, "discrete+greedy": {"initial": "none", "stages": [{"kind": "discrete"}, REFINING]}}
PEERS = ("convexadam", "deeds", "picsl")


def make(name, spacing, folders):
    """The pair of an experiment, from the sources of its images."""
    if name in BENT:
        import images

        return images.bent(images.BENDS[BENT[name]], spacing, folders)
    return importlib.import_module(name).make(spacing, folders)


def spacing_of(name, spacing):
    """The spacing of an experiment's images, mm."""
    return {"abdomen": 2.0, "phases": 2.0, "orientations": 4.0}.get(name, 1.0) if spacing is None else spacing


def register(pair, options, device, threads):
    """(transform, seconds) of a registration by the package."""
    options = dict(options)
    if "stages" in options:
        options["stages"] = [cudaspline.Stage(**stage) for stage in options["stages"]]
    masks = {} if pair.valid is None else {"mask": pair.valid}
    begin = time.monotonic()
    found = cudaspline.register(pair.fixed, pair.moving, device=device, threads=threads, **masks, **options)
    return found.transform, time.monotonic() - begin


def method_of(name, more):
    """A function of (pair, device, threads) that returns (transform, seconds)."""
    if name == "none":
        return lambda pair, device, threads: (cudaspline.Transform(numpy.eye(4), 3), 0.0)
    if name in PEERS:
        import peers

        return lambda pair, device, threads: peers.register(name, pair, threads)
    options = {**{preset: {"preset": preset} for preset in PRESETS}, **STAGES, **more}
    return lambda pair, device, threads: register(pair, options[name], device, threads)


def measure_transform(pair, transform):
    """All that is known of a transform of a pair."""
    found = {"folding": measures.folding(pair, transform)[0]}
    if pair.moving_labels is not None:
        found.update(measures.overlap(pair, transform))
    try:
        found["inverse"] = measures.inverse_consistency(transform, transform.inverse(), pair.moving, pair.moving_mask)
    except ValueError as error:  # a transform that folds may have no inverse
        found["inverse"] = {"failed": str(error)}
    if pair.truth is not None:
        found["error"] = measures.error_of(transform, pair.truth, pair.fixed, pair.mask)
        if pair.region is not None:
            found["region"] = measures.error_of(transform, pair.truth, pair.fixed, pair.region)
    return found


def measure(name, pair, run, is_repeated):
    """The row of a method.

    run: of a pair (transform, seconds)"""
    if name == "orientations":
        return importlib.import_module(name).measure(pair, run)
    transform, first = run(pair)
    seconds = run(pair)[1] if is_repeated else first
    return {"seconds": seconds, "first_seconds": first, **measure_transform(pair, transform)}


def line_of(row):
    """A row in a line."""
    words = [f"{row['seconds']:.2f} s"]
    words += [f"{title} {row[key][part]:.3g}" for title, key, part in (
        ("error", "error", "mean"), ("95 %", "error", "p95"), ("region", "region", "mean"), ("least determinant", "folding", "least"),
        ("largest", "folding", "largest"), ("deviation", "folding", "deviation"), ("inverse", "inverse", "mean"), ("largest", "inverse", "largest"),
    ) if part in row.get(key, {})]  # fmt: skip
    words += [f"Dice {row['mean_dice']:.4f}"] if "mean_dice" in row else []
    words += [f"folded {row['folding']['voxels']}"] if "folding" in row else []
    words += [f"difference: largest {row['largest']:.3g} mm ({row['worst']}), mean {row['mean']:.3g}"] if "worst" in row else []
    return ", ".join(words)


def run(name, pair, methods, more, device, threads, is_repeated=True, limit=None, keep=None):
    """Rows of an experiment, by method; failures are rows, too.

    limit: a time (time.monotonic) after which no further method is started. keep: is called with the rows after each"""
    rows = {}
    print(f"{name}: {pair.title}, {' x '.join(map(str, pair.fixed.geometry.size))} voxels", flush=True)
    for method in methods:
        if limit is not None and time.monotonic() > limit:
            rows[method] = {"failed": "no time was left"}
            continue
        try:
            of = method_of(method, more)
            rows[method] = measure(name, pair, lambda one, of=of: of(one, device, threads), is_repeated and method not in PEERS)
            print(f"  {method}: {line_of(rows[method])}", flush=True)
        except Exception as error:  # one method must not end the others
            rows[method] = {"failed": f"{type(error).__name__}: {error}"}
            print(f"  {method} failed: {rows[method]['failed']}", flush=True)
        if keep:
            keep(rows)
    return rows


def open_pair(name, arguments):
    """The pair of an experiment, from --data or from its sources."""
    spacing = spacing_of(name, arguments.spacing)
    if arguments.data:
        file = {"contrast": "brains", "orientations": "brains", "phases": "abdomen"}.get(name, name)
        pair = pairs.coarser(pairs.load(arguments.data / f"{file}.npz"), spacing)
        changes = {"contrast": "inverted", "phases": "unenhanced"}
        return getattr(importlib.import_module(name), changes[name])(pair) if name in changes else pair
    return make(name, spacing, ())


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("experiments", nargs="*")
    for word, more in {
        "--methods": {"default": ",".join(PRESETS)}, "--stages": {"type": pathlib.Path}, "--data": {"type": pathlib.Path}, "--save": {"type": pathlib.Path},
        "--device": {}, "--threads": {"type": int, "default": 0}, "--spacing": {"type": float}, "--limit": {"type": float}, "--json": {"type": pathlib.Path},
        "--once": {"action": "store_true"},
    }.items():  # fmt: skip
        parser.add_argument(word, help=argparse.SUPPRESS, **more)
    arguments = parser.parse_args(words)
    unknown = set(arguments.experiments) - set(EXPERIMENTS)
    if unknown:
        parser.error(f"unknown experiment: {', '.join(sorted(unknown))}; there are {', '.join(EXPERIMENTS)}")
    more = json.loads(arguments.stages.read_text()) if arguments.stages else {}
    methods = [*filter(None, arguments.methods.split(",")), *more]
    on_device = cudaspline.device_count() > 0 and arguments.device != "cpu"
    results = {**machine.describe(sys.argv, machine.commit(HERE), on_device), "version": cudaspline.__version__, "experiments": {}}
    limit = None if arguments.limit is None else time.monotonic() + arguments.limit
    for name in arguments.experiments or EXPERIMENTS:
        pair = open_pair(name, arguments)
        if arguments.save:
            pairs.save(pair, arguments.save / f"{name}.npz")
        entry = results["experiments"][name] = {"title": pair.title, "spacing": list(map(float, pair.fixed.geometry.spacing))}

        def keep(rows, entry=entry):
            entry["methods"] = rows
            if arguments.json:
                arguments.json.write_text(json.dumps(results, indent=1) + "\n")

        run(name, pair, methods, more, arguments.device, arguments.threads, not arguments.once, limit, keep)


if __name__ == "__main__":
    main(sys.argv[1:])
