#!/usr/bin/env python3
"""Times small outputs: a few points of large images, chunks of Dask compared with the whole, and very small calls.

usage: outputs_benchmark.py [--output FOLDER] [--sizes 64 128 256 512] [--chunked 200] [--repeats N]

  few points    five points, and 64 x 64 points of a rotated plane, of a memory map of uint8 with N^3 samples. If the cost follows the output
                the rows of a table are alike, whatever N; SciPy's convert or filter the whole.
  chunks        cudaspline.dask.resample, cubic and turned, of float32 in chunks of 50^3 and of 100^3, on one thread as the whole
  calls         whole calls of 8^3 samples: on the host, and where CuPy or PyTorch finds a GPU of its arrays there, with the device's work; values
                and gradients of cudaspline.torch compared with grid_sample

Results are compared with SciPy's, or with those of the whole, first. Medians of the repeats, 10th and 90th percentiles. Writes outputs.json and
outputs.md. CUDASPLINE_LIBRARY and PYTHONPATH name the library and the package where it is not installed. The exit status is 1 where results
differ. Needs SciPy; what else is not installed is left out and named.
"""

import argparse
import importlib
import json
import platform
import sys
import tempfile
import time
from pathlib import Path

import numpy
from scipy import ndimage as scipy_ndimage

import cudaspline
from cudaspline import ndimage


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error}")
        return None


def gpu(name):
    """A library, where it finds a GPU."""
    library = optional(name)
    try:
        is_there = library is not None and (library.cuda.runtime.getDeviceCount() > 0 if name == "cupy" else library.cuda.is_available())
    except Exception as error:  # pylint: disable=broad-except  # of CuPy without a driver
        print(f"{name} is left out: {error}")
        return None
    return library if is_there else None


def seconds_of(function, repeats, synchronise=lambda: None):
    """Times of whole calls, after a first call that loads what is needed and is not timed. Slow functions are called less often."""
    function()
    synchronise()
    times = []
    while len(times) < repeats and (len(times) < 3 or sum(times) < 2.0):
        begin = time.perf_counter()
        function()
        synchronise()
        times.append(time.perf_counter() - begin)
    return times


class Rows:
    """What was timed."""

    def __init__(self, repeats):
        self.found, self.failures, self._repeats = [], 0, repeats

    def time(self, group, case, library, function, synchronise=lambda: None, **more):
        times = numpy.array(seconds_of(function, self._repeats, synchronise)) * 1e3
        p10, median, p90 = (float(numpy.percentile(times, part)) for part in (10, 50, 90))
        self.found.append({"group": group, "case": case, "library": library, "ms": median, "p10": p10, "p90": p90, "calls": len(times), **more})
        print(f"{group}, {case}, {library}: {median:.3g} ms ({p10:.3g} to {p90:.3g})", flush=True)

    def compare(self, case, found, wanted, tolerance):
        difference = float(numpy.abs(numpy.asarray(found, float) - wanted).max())
        if not difference <= tolerance:
            print(f"{case}: differs by {difference:.3g}, which is above {tolerance:g}")
            self.failures += 1


def turn(angle=0.3):
    """About z and x, slowest axis first."""
    c, s = numpy.cos(angle), numpy.sin(angle)
    return numpy.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ numpy.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def few_places(rows, size, folder):
    """Five points and a plane of a memory map."""
    path = folder / "volume.raw"
    rng = numpy.random.default_rng(1)
    volume = numpy.memmap(path, numpy.uint8, "w+", shape=(size, size, size))
    for plane in volume:
        plane[:] = rng.integers(0, 256, plane.shape, numpy.uint8)
    volume.flush()
    volume = numpy.memmap(path, numpy.uint8, "r", shape=(size, size, size))
    points = rng.uniform(8, size - 9, (3, 1)) + rng.uniform(-2, 2, (3, 5))
    plane = numpy.moveaxis(numpy.mgrid[:1, :64, :64] - numpy.array([0, 31.5, 31.5]).reshape(3, 1, 1, 1), 0, -1) @ turn().T
    plane = numpy.moveaxis(plane, -1, 0) * min(1.0, (size - 20) / 100) + (size - 1) / 2
    for what, places in (("five points", points), ("64 x 64 places", plane)):
        for order in (1, 3):
            options = {"order": order, "mode": "mirror", "output": "f8"}
            case = f"{what}, order {order}"
            calls = {
                "ndimage": lambda p=places, o=options: ndimage.map_coordinates(volume, p, **o),
                "sample": lambda p=places, n=order: cudaspline.sample(
                    volume, numpy.moveaxis(p, 0, -1)[..., ::-1], interpolation="bspline", order=n, boundary="mirror", precision="float64", device="cpu"
                ),
            }
            # SciPy's filter reads and writes the whole in float64.
            if order == 1 or size <= 256:
                calls["SciPy"] = lambda p=places, o=options: scipy_ndimage.map_coordinates(volume, p, **o)
                wanted = calls["SciPy"]()
                for name in ("ndimage", "sample"):
                    rows.compare(f"{case}, {name}", calls[name](), wanted, 1e-9)
            for name, call in calls.items():
                rows.time("few points", case, name, call, samples=size**3)
    del volume


def chunks(rows, size):
    """A rotated volume in chunks, compared with the whole."""
    array, of_dask = optional("dask.array"), optional("cudaspline.dask")
    if array is None or of_dask is None:
        return
    configuration = importlib.import_module("dask").config
    volume = numpy.random.default_rng(2).random((size, size, size), numpy.float32)
    matrix = turn()[::-1, ::-1]
    middle = numpy.full(3, (size - 1) / 2)
    transform = numpy.hstack([matrix, (middle - matrix @ middle)[:, None]])
    options = {"interpolation": "bspline", "order": 3, "device": "cpu", "threads": 1}
    wanted = cudaspline.resample(volume, transform, **options)
    rows.time("chunks", "the whole", "cudaspline", lambda: cudaspline.resample(volume, transform, **options), samples=size**3)
    del options["threads"]  # it is 1 there
    with configuration.set(scheduler="synchronous"):
        for length in (50, 100):
            chunked = array.from_array(volume, chunks=length)

            def compute(chunked=chunked, length=length):
                return of_dask.resample(chunked, transform, chunks=length, **options).compute()

            rows.compare(f"chunks of {length}^3", compute(), wanted, 0.0)
            rows.time("chunks", f"chunks of {length}^3", "cudaspline.dask", compute, samples=size**3)


def calls(rows):
    """Calls of 8^3 samples."""
    array = numpy.random.default_rng(3).random((8, 8, 8), numpy.float32)
    places = numpy.ascontiguousarray(numpy.moveaxis(numpy.indices(array.shape) + 0.25, 0, -1), numpy.float32)
    matrix = numpy.hstack([turn(), numpy.ones((3, 1))])

    def of(group, library, kept, points, synchronise=lambda: None, **options):
        source = cudaspline.Source(kept, interpolation="linear", **options)
        for case, call in {
            "shift, order 1": lambda: ndimage.shift(kept, 0.25, order=1),
            "affine_transform, order 1": lambda: ndimage.affine_transform(kept, matrix, order=1),
            "resample, linear": lambda: cudaspline.resample(kept, matrix, interpolation="linear", **options),
            "resample of a Source": lambda: source.resample(matrix),
            "zoom, linear": lambda: cudaspline.zoom(kept, 1.25, interpolation="linear", **options),
            "sample, linear": lambda: cudaspline.sample(kept, points, interpolation="linear", **options),
            "sample of a Source": lambda: source.sample(points),
        }.items():
            rows.time(group, case, library, call, synchronise)

    of("calls on the host", "NumPy", array, places, device="cpu")
    rows.time("calls on the host", "shift, order 1", "SciPy", lambda: scipy_ndimage.shift(array, 0.25, order=1))
    cupy, torch = gpu("cupy"), gpu("torch")
    if cupy is not None:
        theirs, kept = importlib.import_module("cupyx.scipy.ndimage"), cupy.asarray(array)
        of("calls on a GPU", "CuPy", kept, cupy.asarray(places), cupy.cuda.Device().synchronize)
        rows.time("calls on a GPU", "shift, order 1", "CuPy alone", lambda: theirs.shift(kept, 0.25, order=1), cupy.cuda.Device().synchronize)
    if torch is not None:
        of("calls on a GPU", "PyTorch", torch.from_numpy(array).cuda(), torch.from_numpy(places).cuda(), torch.cuda.synchronize)
    gradients(rows, "calls on a GPU" if torch is not None else "calls on the host", array, places)


def gradients(rows, group, array, places):
    """Calls of cudaspline.torch, and of PyTorch's sampler."""
    torch, ours = optional("torch"), optional("cudaspline.torch")
    if torch is None or ours is None:
        return
    device = "cuda" if group == "calls on a GPU" else "cpu"
    synchronise = torch.cuda.synchronize if device == "cuda" else lambda: None
    image = torch.from_numpy(array).to(device)[None, None]
    points = torch.from_numpy(places[..., ::-1].copy()).to(device)[None]
    grid = (points.flip(-1) * (2.0 / 7.0) - 1.0).contiguous()
    weights = torch.ones_like(image)

    def backward(function, *given):
        wanted = [one.clone().requires_grad_() for one in given]
        return lambda: torch.autograd.grad(function(*wanted), wanted, weights)

    def theirs(image, grid):
        return torch.nn.functional.grid_sample(image, grid, align_corners=True)

    rotation = torch.from_numpy(numpy.hstack([turn(), numpy.ones((3, 1))]).astype("f4")).to(device)
    for case, library, call in (
        ("values, linear", "cudaspline.torch", lambda: ours.pull(image, points)),
        ("values, cubic", "cudaspline.torch", lambda: ours.sample(image, points)),
        ("resample, linear", "cudaspline.torch", lambda: ours.resample(image, rotation, order=1)),
        ("values, linear", "grid_sample", lambda: theirs(image, grid)),
        ("values and gradients, linear", "cudaspline.torch", backward(ours.pull, image, points)),
        ("values and gradients, cubic", "cudaspline.torch", backward(ours.sample, image, points)),
        ("values and gradients, linear", "grid_sample", backward(theirs, image, grid)),
    ):
        rows.time(group, case, library, call, synchronise)


def table(rows):
    """In Markdown."""
    lines = ["| what | library | samples of the image | ms | 10 to 90 % |", "|---|---|---:|---:|---|"]
    for row in rows:
        lines.append(
            f"| {row['group']}: {row['case']} | {row['library']} | {row.get('samples', 512)} | {row['ms']:.3g} | {row['p10']:.3g} to {row['p90']:.3g} |"
        )
    return "\n".join(lines)


def main():
    """Compares and times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of outputs.json and outputs.md")
    parser.add_argument("--sizes", type=int, nargs="*", default=[64, 128, 256, 512], help="samples an axis of the memory maps")
    parser.add_argument("--chunked", type=int, default=200, help="samples an axis of the volume in chunks; 0: none")
    parser.add_argument("--repeats", type=int, default=30, help="timed calls of a case at most")
    options = parser.parse_args()
    rows = Rows(options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            few_places(rows, size, Path(folder))
    if options.chunked:
        chunks(rows, options.chunked)
    calls(rows)
    machine = {"date": time.strftime("%Y-%m-%d"), "processor": platform.processor(), "cudaspline": cudaspline.__version__}
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "outputs.json").write_text(json.dumps({"machine": machine, "rows": rows.found}, indent=2) + "\n")
    (options.output / "outputs.md").write_text(table(rows.found) + "\n")
    print(table(rows.found))
    return 1 if rows.failures else 0


if __name__ == "__main__":
    sys.exit(main())
