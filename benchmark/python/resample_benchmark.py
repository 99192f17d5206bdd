#!/usr/bin/env python3
"""Compares the times of cudaspline.resample, CuPy, PyTorch, SciPy, SimpleITK and ITK: one affine map of one volume, in one run.

usage: resample_benchmark.py [--output FOLDER] [--sizes 256 512] [--types float32 float64] [--orders 1 3 5] [--repeats N] [--seconds S] [--check-only]
       resample_benchmark.py --host [--maps shifted turned ...] [--sizes 128] [--types float32 uint8] [--orders 0 1] ...

The map is a rotation about three axes about the volume's middle, 256^3 and 512^3, by B-splines with their prefilter (orders 3 and 5), without it
(coefficients are there, or Catmull-Rom, which needs none), linearly (order 1) or by the nearest sample (0). --maps names other maps. Each library
is called as its users call it:

  cudaspline   resample() of NumPy, CuPy, PyTorch, SimpleITK and itk images, and of a Source, which has the coefficients
  CuPy         cupyx.scipy.ndimage.affine_transform, whose splines are the same
  PyTorch      grid_sample, whose grid of coordinates is made once, before the time is taken; bicubic is for two dimensions alone, so linear
  SciPy        scipy.ndimage.affine_transform, one thread: it has no more
  SimpleITK    Resample of an image of its own, all threads
  ITK          resample_image_filter of Python's itk, of an image of its own, all threads

"device" times begin and end with arrays on the GPU; "host" times with arrays, or images, in the host's memory: transfers are counted. Libraries are
called alternately; medians, 10th and 90th percentiles are reported. A case that has taken --seconds is not called again, so a slow case is called
once. Before anything is timed the results are compared with each other, on a small volume. Libraries that are not installed are left out and named.
Libraries without a GPU, except cudaspline, are not timed above 256^3. Writes resample.json and resample.md.

With --host cudaspline (cpu) and SimpleITK, which has arrays of its own, have one thread each, and nothing else is timed. Times are then processor
times of the process, so other programs hardly change them. The minimum is reported instead of the median.

CUDASPLINE_LIBRARY and PYTHONPATH name the library and the package where it is not installed. The exit status is 1 where results differ.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
import warnings
from functools import partial
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
SCIPY, SITK, ITK = optional("scipy.ndimage"), optional("SimpleITK"), optional("itk")
SPLINES = {0: "nearest", 1: "linear", 3: "cubic B-spline", 5: "quintic B-spline"}
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


#: Matrix and shift by the name of a map, x first.
MAPS = {
    "turned": (rotation(), 0.0),
    "turned about x": (rotation((17.0, 0.0, 0.0)), 0.0),
    "turned about y": (rotation((0.0, 17.0, 0.0)), 0.0),
    "turned about z": (rotation((0.0, 0.0, 17.0)), 0.0),
    "turned by 90 degrees": (rotation((0.0, 0.0, 90.0)), 0.0),
    "shifted": (numpy.eye(3), 3.3),
    "enlarged": (0.8 * numpy.eye(3), 0.0),
    "made smaller": (1.3 * numpy.eye(3), 0.0),
    "sheared": (numpy.eye(3) + 0.2 * numpy.eye(3, k=1), 0.0),
}


def affine(size, name):
    """Matrix and offset from output to input indices, x first."""
    matrix, shift = MAPS[name]
    middle = numpy.full(3, (size - 1) / 2)
    return matrix, middle - matrix @ middle + shift


class Cases:
    """(what, where, library, function without arguments that returns an array or an image) of a volume on the host, for each library."""

    def __init__(self, image, orders, name="turned", is_host=False):
        size = image.shape[0]
        self.image, self.size, self.orders, self.is_host = image, size, orders, is_host
        self.matrix, self.offset = affine(size, name)
        self.transform = numpy.hstack([self.matrix, self.offset[:, None]])
        self.turned, self.shift = numpy.ascontiguousarray(self.matrix[::-1, ::-1]), self.offset[::-1].copy()  # z first
        self.place = "gpu" if cudaspline.device_count() and not is_host else "cpu"

    def all(self, slow):
        """Those of all libraries; without slow of those alone that have a GPU, and of cudaspline."""
        yield from self.of_cudaspline()
        yield from self.of_simpleitk(slow)
        if self.is_host:
            return
        yield from self.of_itk(slow)
        if SCIPY is not None and slow:
            for order in self.orders:
                yield SPLINES[order], "host", "SciPy", partial(
                    SCIPY.affine_transform, self.image, self.turned, self.shift, order=order, mode="constant"
                )
        if CUPY is not None:
            yield from self.of_cupy()
        if TORCH is not None and 1 in self.orders:
            yield from self.of_torch()

    def ours(self, image, order, transform=None, **options):
        """A call of cudaspline."""
        kind = {"interpolation": SPLINES[order]} if order <= 1 else {"interpolation": "bspline", "order": order}
        return partial(cudaspline.resample, image, self.transform if transform is None else transform, **kind, **options)

    def of_cudaspline(self):
        for order in self.orders:
            for place in sorted({self.place, "cpu"}):
                yield SPLINES[order], "host", f"cudaspline ({place})", self.ours(self.image, order, device=place)

    def of_simpleitk(self, slow):
        if SITK is None:
            return
        image = SITK.GetImageFromArray(self.image)
        transform = SITK.AffineTransform(self.matrix.ravel().tolist(), self.offset.tolist())
        for order in self.orders:
            method = {0: SITK.sitkNearestNeighbor, 1: SITK.sitkLinear, 3: SITK.sitkBSpline, 5: SITK.sitkBSpline5}[order]
            if slow:
                yield SPLINES[order], "host", "SimpleITK", partial(SITK.Resample, image, image, transform, method)
            if self.is_host:
                continue
            yield SPLINES[order], "host", f"cudaspline ({self.place}, SimpleITK's images)", self.ours(image, order, transform, device=self.place)

    def of_itk(self, slow):
        if ITK is None:
            return
        image = ITK.image_from_array(self.image)
        transform = ITK.AffineTransform[ITK.D, 3].New()
        transform.SetMatrix(ITK.matrix_from_array(self.matrix))
        transform.SetTranslation(self.offset.tolist())
        for order in self.orders:
            name = f"{ {0: 'NearestNeighbor', 1: 'Linear'}.get(order, 'BSpline') }InterpolateImageFunction"
            interpolator = getattr(ITK, name).New(image)
            if order > 1:
                interpolator.SetSplineOrder(order)
            options = {"transform": transform, "interpolator": interpolator, "reference_image": image, "use_reference_image": True}
            if slow:
                yield SPLINES[order], "host", "ITK", partial(ITK.resample_image_filter, image, **options)
            yield SPLINES[order], "host", f"cudaspline ({self.place}, ITK's images)", self.ours(image, order, transform, device=self.place)

    def of_cupy(self):
        on_device = CUPY.asarray(self.image)
        matrix = CUPY.asarray(self.turned)
        theirs = partial(cupyx_ndimage.affine_transform, matrix=matrix, offset=self.shift, mode="constant")
        for order in self.orders:
            what = SPLINES[order]
            yield what, "device", "cudaspline", self.ours(on_device, order)
            yield what, "device", "CuPy", partial(theirs, on_device, order=order)
            yield what, "host", "CuPy", lambda o=order: theirs(CUPY.asarray(self.image), order=o).get()
            if order > 1:
                source = cudaspline.Source(on_device, order=order)
                coefficients = cupyx_ndimage.spline_filter(on_device, order, output=self.image.dtype, mode="mirror")
                what += " of coefficients"
                yield what, "device", "cudaspline", partial(cudaspline.resample, source, self.transform)
                yield what, "device", "CuPy", partial(theirs, coefficients, order=order, prefilter=False)
        if 3 in self.orders:
            yield "Catmull-Rom", "device", "cudaspline", partial(cudaspline.resample, on_device, self.transform, interpolation="catmull-rom")

    def of_torch(self):
        tensor = TORCH.as_tensor(self.image, device="cuda")[None, None]
        # grid_sample's own coordinates: -1 and 1 are the centres of the outermost samples.
        middle = (self.size - 1) / 2
        centred = numpy.hstack([self.matrix, ((self.offset + self.matrix @ numpy.full(3, middle) - middle) / middle)[:, None]])
        theta = TORCH.as_tensor(centred[None], dtype=tensor.dtype, device="cuda")
        make_grid = partial(TORCH.nn.functional.affine_grid, theta, tensor.shape, align_corners=True)
        sample = partial(TORCH.nn.functional.grid_sample, mode="bilinear", align_corners=True)
        grid = make_grid()
        yield "linear", "device", "PyTorch", lambda: sample(tensor, grid)[0, 0]
        yield "linear", "device", "PyTorch with affine_grid", lambda: sample(tensor, make_grid())[0, 0]
        yield "linear", "device", "cudaspline (PyTorch's tensors)", self.ours(tensor[0, 0], 1)


def as_numpy(image):
    """A copy of the numbers of an array or image, on the host."""
    if SITK is not None and isinstance(image, SITK.Image):
        return SITK.GetArrayFromImage(image)
    if ITK is not None and isinstance(image, ITK.Image):
        return ITK.array_from_image(image)
    if hasattr(image, "get"):
        return image.get()
    return image.cpu().numpy() if hasattr(image, "cpu") else numpy.asarray(image)


def synchronise():
    if CUPY is not None:
        CUPY.cuda.Device().synchronize()
    if TORCH is not None:
        TORCH.cuda.synchronize()


def check(types, orders, name, is_host):
    """Results against float64 by the host's threads, away from the edge, where the libraries continue the volume by rules of their own."""
    rng = numpy.random.default_rng()
    count, failures = 0, 0
    for dtype in types:
        image = rng.uniform(-1, 1, (40, 40, 40)).astype(dtype)
        cases = Cases(image, orders, name, is_host)
        points = numpy.stack(numpy.meshgrid(*[numpy.arange(40.0)] * 3, indexing="ij"), axis=-1) @ cases.matrix.T + cases.offset
        inner = numpy.all((points > 8) & (points < 31), axis=-1).transpose(2, 1, 0)
        double = {"precision": "float64", "dtype": "float64", "device": "cpu"}
        references = {SPLINES[order]: cases.ours(image, order, **double)() for order in orders}
        references["Catmull-Rom"] = cudaspline.resample(image, cases.transform, interpolation="catmull-rom", **double)
        for what, where, library, run in cases.all(True):
            count += 1
            wanted = references[what.replace(" of coefficients", "")]
            difference = numpy.abs(as_numpy(run()) - wanted)[inner].max()
            # Numbers below 1 through filters whose gain is at most 7^3 (order 5), and ITK's splines are cut off at 1e-10. PyTorch's coordinates
            # are of the image's type: 40 samples times 6e-8, times a difference of neighbours of up to 2, with some roundings more.
            bound = 1e-8 if dtype == "float64" else 1e-4 if library.startswith("PyTorch") else 2e-5
            if not difference < bound:
                print(f"{what}, {where}, {library}, {dtype}: differs by {difference:.2g}, which is not below {bound:g}")
                failures += 1
    print(f"{count} cases compared, {failures} differ")
    return failures


def measure(size, dtype, name, options):
    """Times of the cases of a volume, which take turns."""
    rng = numpy.random.default_rng(1)
    image = rng.uniform(-1, 1, (size,) * 3)
    image = image.astype(dtype) if dtype.startswith("float") else (100 + 100 * image).astype(dtype)
    cases = list(Cases(image, options.orders, name, options.host).all(size <= 256))
    now = time.process_time if options.host else time.perf_counter
    times = [[] for _ in cases]
    for _ in range(options.repeats + 2):
        for (what, where, library, run), found in zip(cases, times):
            if len(found) >= options.repeats + 2 or sum(found) > options.seconds:
                continue
            synchronise()
            begin = now()
            result = run()
            synchronise()
            found.append(now() - begin)
            del result
    results = []
    for (what, where, library, _), found in zip(cases, times):
        found = found[min(2, len(found) - 1) :]  # two to warm up
        told = float((numpy.min if options.host else numpy.median)(found) * 1e3)
        what = what if name == "turned" and not options.host else f"{what}, {name}"
        result = {"size": size, "dtype": dtype, "what": what, "where": where, "library": library, "milliseconds": told}
        result.update({f"p{part}": float(numpy.percentile(found, part) * 1e3) for part in (10, 90)}, repeats=len(found))
        results.append(result)
    return results


def describe():
    names = {"numpy": numpy, "cupy": CUPY, "torch": TORCH, "scipy": optional("scipy"), "SimpleITK": SITK, "itk": ITK}
    machine = {name: getattr(library, "__version__", "there") if library is not None else "not there" for name, library in names.items()}
    machine.update(python=platform.python_version(), cudaspline=cudaspline.__version__, cuda=cudaspline.cuda_version(), cores=os.cpu_count())
    if cudaspline.device_count():
        from cudaspline.core import _library

        machine["device"] = _library.query_device(0).name.decode()
    machine["date"] = time.strftime("%Y-%m-%d")
    return machine


def table(results):
    """The results in Markdown."""
    lines = []
    for size, dtype in sorted({(result["size"], result["dtype"]) for result in results}):
        lines += [f"{size}^3 {dtype}", "", "| interpolation | arrays | library | ms | 10 to 90 % | cudaspline is faster by |", "|---|---|---|---|---|---|"]
        rows = [result for result in results if (result["size"], result["dtype"]) == (size, dtype)]
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
    """Compares, then times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of resample.json and resample.md")
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 512], help="samples an axis")
    parser.add_argument("--types", nargs="+", default=["float32", "float64"], choices=["float32", "float64", "uint8", "int16"])
    parser.add_argument("--orders", type=int, nargs="+", default=[1, 3, 5], choices=list(SPLINES))
    parser.add_argument("--maps", nargs="+", default=["turned"], choices=list(MAPS))
    parser.add_argument("--host", action="store_true", help="cudaspline and SimpleITK alone, on one thread")
    parser.add_argument("--repeats", type=int, default=20, help="timed calls of a case at most")
    parser.add_argument("--seconds", type=float, default=1.0, help="after which a case is not called again")
    parser.add_argument("--check-only", action="store_true", help="compare results, time nothing")
    options = parser.parse_args()
    warnings.simplefilter("ignore", cudaspline.DownsamplingWarning)  # the others do not smooth, either
    if options.host and SITK is not None:
        SITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    with cudaspline.use_threads(1 if options.host else 0):
        return run(options)


def run(options):
    failures = sum(check([dtype for dtype in options.types if dtype.startswith("float")], options.orders, name, options.host) for name in options.maps)
    if failures or options.check_only:
        return 1 if failures else 0
    machine = describe()
    options.output.mkdir(parents=True, exist_ok=True)
    results = []
    for size in options.sizes:
        for dtype in options.types:
            for name in options.maps:
                results += measure(size, dtype, name, options)
            (options.output / "resample.json").write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n")
            (options.output / "resample.md").write_text(", ".join(f"{name} {value}" for name, value in machine.items()) + "\n\n" + table(results))
            print(table([r for r in results if (r["size"], r["dtype"]) == (size, dtype)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
