#!/usr/bin/env python3
"""Times cudaspline.resample beside CuPy, PyTorch, SciPy and SimpleITK: one affine map of one volume, in one run.

usage: resample_benchmark.py [--output FOLDER] [--repeats N] [--sizes N,N] [--check-only]

The map is a rotation about three axes about the volume's middle, 256^3 and 512^3 float32, by cubic B-spline with its prefilter, by cubic
without it (coefficients are there, or Catmull-Rom, which needs none) and linearly. Each library is called as its users call it:

  cudaspline   resample() of NumPy and CuPy arrays, and of a Source, which has the coefficients
  CuPy         cupyx.scipy.ndimage.affine_transform, whose splines are the same
  PyTorch      grid_sample, whose grid of coordinates is made once, before the time is taken; bicubic is for two dimensions alone, so linear
  SciPy        scipy.ndimage.affine_transform, one thread: it has no more
  SimpleITK    Resample, all threads

"device" times begin and end with arrays on the GPU; "host" times with NumPy arrays, transfers counted. Libraries take turns; medians, 10th
and 90th percentiles are told. Before anything is timed the results are compared with SciPy's, on a small volume. What is not installed is
left out and named; SciPy and SimpleITK are timed at most three times and not above 256^3. Writes resample.json and resample.md.

CUDASPLINE_LIBRARY and PYTHONPATH name the library and the package where it is not installed. The exit status is 1 where results differ.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy

import cudaspline


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def gpu(name):
    """A library, where it is there and finds a GPU."""
    library = optional(name)
    try:
        if library is None or (name == "cupy" and library.cuda.runtime.getDeviceCount() == 0):
            return None
        return library if name == "cupy" or library.cuda.is_available() else None
    except Exception:  # pylint: disable=broad-except
        return None


CUPY, TORCH = gpu("cupy"), gpu("torch")
SCIPY, SITK = optional("scipy.ndimage"), optional("SimpleITK")
if CUPY is not None:
    from cupyx.scipy import ndimage as cupyx_ndimage


def rotation(degrees=(10.0, 15.0, 20.0)):
    """About x, y and z, by index, x first."""
    matrix = numpy.eye(3)
    for axis, angle in enumerate(numpy.radians(degrees)):
        turn = numpy.eye(3)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        turn[i, i] = turn[j, j] = numpy.cos(angle)
        turn[i, j], turn[j, i] = -numpy.sin(angle), numpy.sin(angle)
        matrix = turn @ matrix
    return matrix


def affine(size):
    """Matrix and offset from output to input indices, x first."""
    matrix = rotation()
    middle = numpy.full(3, (size - 1) / 2)
    return matrix, middle - matrix @ middle


def make_cases(image, wanted):
    """(what, where, library, function without arguments that returns an array) of a volume on the host."""
    size = image.shape[0]
    matrix, offset = affine(size)
    transform = numpy.hstack([matrix, offset[:, None]])
    turned, shift = numpy.ascontiguousarray(matrix[::-1, ::-1]), offset[::-1].copy()  # z first
    orders = {"cubic B-spline": 3, "linear": 1}
    device = "gpu" if cudaspline.device_count() else "cpu"

    for what, order in orders.items():
        kind = "bspline" if order == 3 else "linear"
        yield what, "host", f"cudaspline ({device})", lambda k=kind: cudaspline.resample(image, transform, interpolation=k, device=device)
        yield what, "host", "cudaspline (cpu)", lambda k=kind: cudaspline.resample(image, transform, interpolation=k, device="cpu")
        if SCIPY is not None and wanted("slow"):
            yield what, "host", "SciPy", lambda o=order: SCIPY.affine_transform(image, turned, shift, order=o, mode="constant")
        if SITK is not None and wanted("slow"):
            sitk_image = SITK.GetImageFromArray(image)
            sitk_map = SITK.AffineTransform(matrix.ravel().tolist(), offset.tolist())
            method = SITK.sitkBSpline if order == 3 else SITK.sitkLinear
            yield what, "host", "SimpleITK", lambda i=sitk_image, t=sitk_map, m=method: SITK.GetArrayViewFromImage(SITK.Resample(i, i, t, m))
    if CUPY is not None:
        on_device = CUPY.asarray(image)
        device_matrix = CUPY.asarray(turned)
        for what, order in orders.items():
            kind = "bspline" if order == 3 else "linear"
            yield what, "device", "cudaspline", lambda k=kind: cudaspline.resample(on_device, transform, interpolation=k)
            yield what, "device", "CuPy", lambda o=order: cupyx_ndimage.affine_transform(on_device, device_matrix, shift, order=o, mode="constant")
            yield what, "host", "CuPy", lambda o=order: cupyx_ndimage.affine_transform(
                CUPY.asarray(image), device_matrix, shift, order=o, mode="constant"
            ).get()
        source = cudaspline.Source(on_device)
        coefficients = cupyx_ndimage.spline_filter(on_device, 3, output="float32", mode="mirror")
        yield "cubic B-spline of coefficients", "device", "cudaspline", lambda: cudaspline.resample(source, transform)
        yield "cubic B-spline of coefficients", "device", "CuPy", lambda: cupyx_ndimage.affine_transform(
            coefficients, device_matrix, shift, order=3, mode="constant", prefilter=False
        )
        yield "Catmull-Rom", "device", "cudaspline", lambda: cudaspline.resample(on_device, transform, interpolation="catmull-rom")
    if TORCH is not None:
        tensor = TORCH.as_tensor(image, device="cuda")[None, None]
        # grid_sample's own coordinates: -1 and 1 are the centres of the outermost samples.
        scale = 2.0 / (size - 1)
        centred = numpy.hstack([matrix, ((offset + matrix @ numpy.full(3, (size - 1) / 2) - (size - 1) / 2) * scale)[:, None]])
        theta = TORCH.as_tensor(centred[None], dtype=TORCH.float32, device="cuda")
        grid = TORCH.nn.functional.affine_grid(theta, tensor.shape, align_corners=True)
        sample = TORCH.nn.functional.grid_sample
        yield "linear", "device", "PyTorch", lambda: sample(tensor, grid, mode="bilinear", align_corners=True)[0, 0]
        yield "linear", "device", "PyTorch with affine_grid", lambda: sample(
            tensor, TORCH.nn.functional.affine_grid(theta, tensor.shape, align_corners=True), mode="bilinear", align_corners=True
        )[0, 0]
        plain = tensor[0, 0]
        yield "linear", "device", "cudaspline (PyTorch's tensors)", lambda: cudaspline.resample(plain, transform, interpolation="linear")


def as_numpy(array):
    if hasattr(array, "get"):
        return array.get()
    return array.cpu().numpy() if hasattr(array, "cpu") else numpy.asarray(array)


def synchronise():
    if CUPY is not None:
        CUPY.cuda.Device().synchronize()
    if TORCH is not None:
        TORCH.cuda.synchronize()


def check():
    """Results against float64 by the host's threads, away from the edge, where the libraries continue the volume by rules of their own."""
    rng = numpy.random.default_rng()
    image = rng.uniform(-1, 1, (40, 40, 40)).astype("float32")
    matrix, offset = affine(40)
    failures = 0
    points = numpy.stack(numpy.meshgrid(*[numpy.arange(40.0)] * 3, indexing="ij"), axis=-1) @ matrix.T + offset
    inner = numpy.all((points > 8) & (points < 31), axis=-1).transpose(2, 1, 0)
    references = {
        name: cudaspline.resample(image, numpy.hstack([matrix, offset[:, None]]), interpolation=kind, precision="float64", dtype="float64", device="cpu")
        for name, kind in (("cubic B-spline", "bspline"), ("linear", "linear"), ("Catmull-Rom", "catmull-rom"))
    }
    for what, where, library, run in make_cases(image, lambda _: True):
        wanted = references[what.replace(" of coefficients", "")]
        difference = numpy.abs(as_numpy(run()) - wanted)[inner].max()
        # PyTorch's coordinates are float32: 40 samples times 6e-8, times a difference of neighbours of up to 2, with some roundings more.
        bound = 1e-4 if library.startswith("PyTorch") else 2e-5
        if not difference < bound:
            print(f"{what}, {where}, {library}: differs by {difference:.2g}, which is not below {bound:g}")
            failures += 1
    return failures


def measure(size, repeats):
    rng = numpy.random.default_rng(1)
    image = rng.uniform(-1, 1, (size,) * 3).astype("float32")
    cases = list(make_cases(image, lambda _: size <= 256))
    times = {case[:3]: [] for case in cases}
    for repeat in range(-2, repeats):  # two to warm up
        for what, where, library, run in cases:
            slow = library in ("SciPy", "SimpleITK") or "cpu" in library
            if slow and (repeat < -1 or repeat > 1):
                continue
            synchronise()
            begin = time.perf_counter()
            result = run()
            synchronise()
            elapsed = time.perf_counter() - begin
            del result
            if repeat >= 0 or (slow and repeat == -1 and repeats == 0):
                times[what, where, library].append(elapsed)
    return [
        {
            "size": size,
            "what": what,
            "where": where,
            "library": library,
            "milliseconds": float(numpy.median(found) * 1e3),
            "p10": float(numpy.percentile(found, 10) * 1e3),
            "p90": float(numpy.percentile(found, 90) * 1e3),
            "repeats": len(found),
        }
        for (what, where, library), found in times.items()
        if found
    ]


def describe():
    names = {"numpy": numpy, "cupy": CUPY, "torch": TORCH, "scipy": optional("scipy"), "SimpleITK": SITK}
    machine = {name: getattr(library, "__version__", "there") if library is not None else "not there" for name, library in names.items()}
    machine.update(python=platform.python_version(), cudaspline=cudaspline.__version__, cuda=cudaspline.cuda_version(), cores=os.cpu_count())
    if cudaspline.device_count():
        from cudaspline import _library

        machine["device"] = _library.query_device(0).name.decode()
    machine["date"] = time.strftime("%Y-%m-%d")
    return machine


def table(results):
    lines = []
    for size in sorted({result["size"] for result in results}):
        lines += [f"{size}^3 float32", "", "| interpolation | arrays | library | ms | 10 to 90 % | cudaspline is faster by |", "|---|---|---|---|---|---|"]
        rows = [result for result in results if result["size"] == size]
        rows.sort(key=lambda row: (row["what"], row["where"], row["milliseconds"]))
        for row in rows:
            ours = [r["milliseconds"] for r in rows if r["what"] == row["what"] and r["where"] == row["where"] and r["library"].startswith("cudaspline")]
            factor = "" if row["library"].startswith("cudaspline") or not ours else f"{row['milliseconds'] / min(ours):.1f}"
            lines.append(
                f"| {row['what']} | {row['where']} | {row['library']} | {row['milliseconds']:.2f} | {row['p10']:.2f} to {row['p90']:.2f} | {factor} |"
            )
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of resample.json and resample.md")
    parser.add_argument("--repeats", type=int, default=20, help="timed calls of each case")
    parser.add_argument("--sizes", default="256,512", help="samples an axis")
    parser.add_argument("--check-only", action="store_true", help="compare results, time nothing")
    options = parser.parse_args()
    failures = check()
    if failures or options.check_only:
        print(f"{failures} cases differ")
        return 1 if failures else 0
    machine = describe()
    results = [result for size in options.sizes.split(",") for result in measure(int(size), options.repeats)]
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "resample.json").write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n")
    text = ", ".join(f"{name} {value}" for name, value in machine.items()) + "\n\n" + table(results)
    (options.output / "resample.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
