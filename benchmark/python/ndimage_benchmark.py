#!/usr/bin/env python3
"""Compares the times of cudaspline.ndimage and cupyx.scipy.ndimage on one GPU, or scipy.ndimage on one core, in one run, on the same arrays.

usage: ndimage_benchmark.py [--output FOLDER] [--orders 1 3 5] [--types float32 float64] [--lengths 4096 256 512] [--seconds S] [--check-only]
       ndimage_benchmark.py --host [--orders 0 1] [--types float32 float64 uint8 int16] [--lengths 128 1024] ...

CUDASPLINE_LIBRARY and PYTHONPATH name the library and the package where it is not installed. CuPy compiles a kernel for each case, which takes it a
second or so: the whole takes more than ten minutes, and orders, types and lengths choose a part.

Each case is the same call of both: the same array on the device, coordinates on the device, an output that is new, prefilter included unless
the case says "coefficients". Times are of whole calls, from the call to the end of the device's work, alternately of both; the medians and
the 10th and 90th percentiles of the repeats are written. Before anything is timed the results are compared with each other, and with SciPy
where it is installed, on a smaller array of the same case (--check-only does nothing else), and then once more as they are timed. Writes
ndimage.json and ndimage.md.

With --host arrays are NumPy's, the other library is SciPy, and both have one thread: SciPy has no more. Times are then processor times of the
process, so other programs hardly change them. The minimum is reported instead of the median; the other percentiles show how busy the machine was.

Needs CuPy, or SciPy. The exit status is 1 where results differ by more than roundings, 77 without a GPU.
"""

import argparse
import json
import platform
import sys
import time
from pathlib import Path

import numpy as np

HOST = "--host" in sys.argv
try:
    if HOST:
        import scipy as library
        import scipy.ndimage as theirs

        cupy, xp = None, np
    else:
        import cupy
        import cupy as library
        import cupyx.scipy.ndimage as theirs

        cupy.cuda.runtime.getDeviceCount()
        xp = cupy
except Exception as error:  # pylint: disable=broad-except
    print(f"ndimage_benchmark.py: Skipped\nThere is no {'SciPy' if HOST else 'CuPy, or no GPU'}: {error}")
    sys.exit(77)

import cudaspline
import cudaspline.ndimage as ours

NAME = "SciPy" if HOST else "cupyx"
SIZES = {2: ((256, 256), (1024, 1024)), 3: ((128, 128, 128),)} if HOST else {2: ((4096, 4096),), 3: ((256, 256, 256), (512, 512, 512))}
SMALL = {2: ((256, 320),), 3: ((48, 40, 56),)}
ORDERS = (0, 1) if HOST else (1, 3, 5)
TYPES = ("float32", "float64", "uint8", "int16") if HOST else ("float32", "float64")


def turned(rank, degrees):
    """A turn about every axis, with a change of size, as a matrix."""
    matrix = np.eye(rank)
    for first in range(rank):
        for second in range(first + 1, rank):
            turn = np.eye(rank)
            angle = np.radians(degrees)
            turn[first, first] = turn[second, second] = np.cos(angle)
            turn[first, second], turn[second, first] = -np.sin(angle), np.sin(angle)
            matrix = matrix @ turn
    return matrix * 0.97


def cases(shape, dtype, order):
    """(name, function of a module, array -> result)."""
    rank = len(shape)
    matrix = turned(rank, 17.0)
    offset = (np.array(shape) - 1) / 2 - matrix @ ((np.array(shape) - 1) / 2)
    slight = np.eye(rank) + 0.01 * np.arange(rank * rank).reshape(rank, rank) / rank
    smooth = xp.indices(shape, dtype="float64")
    smooth += 3.0 * xp.sin(smooth.sum(axis=0) * (6.28 / shape[0]))
    random = xp.random.default_rng(1).random((rank, int(np.prod(shape)) // 4)) * (xp.array(shape)[:, None] - 1)
    options = {"order": order, "mode": "constant"}
    if order > 1:
        yield "spline_filter", lambda m, a: m.spline_filter(a, order, output=dtype)
    yield "map_coordinates, a smooth field", lambda m, a: m.map_coordinates(a, beside(a, smooth), **options)
    yield "map_coordinates, random points", lambda m, a: m.map_coordinates(a, beside(a, random), **options)
    if order == 3:
        yield "map_coordinates, a smooth field, coefficients", lambda m, a: m.map_coordinates(
            a, beside(a, smooth), prefilter=False, **options
        )
        yield "map_coordinates, a smooth field, mirror", lambda m, a: m.map_coordinates(a, beside(a, smooth), order=order, mode="mirror")
    yield "affine_transform, nearly the identity", lambda m, a: m.affine_transform(a, on_device(m, slight), **options)
    yield "affine_transform, turned", lambda m, a: m.affine_transform(a, on_device(m, matrix), offset, **options)
    if order == 3:
        yield "affine_transform, turned, coefficients", lambda m, a: m.affine_transform(
            a, on_device(m, matrix), offset, prefilter=False, **options
        )
    yield "zoom 1.25", lambda m, a: m.zoom(a, 1.25, **options)
    yield "zoom 0.5", lambda m, a: m.zoom(a, 0.5, **options)
    yield "rotate", lambda m, a: m.rotate(a, 17.0, reshape=False, **options)
    if rank == 3:
        yield "rotate, the last two axes", lambda m, a: m.rotate(a, 17.0, axes=(1, 2), reshape=False, **options)
    yield "shift", lambda m, a: m.shift(a, 3.3, **options)


def on_device(module, matrix):
    """CuPy's takes its matrix on the device, ours on the host: each as it is fastest."""
    return xp.asarray(matrix) if module is theirs else matrix


def beside(array, coordinates):
    """The coordinates where the array is."""
    return cupy.asnumpy(coordinates) if isinstance(array, np.ndarray) and not HOST else coordinates


def random_array(rng, shape, dtype):
    """Normal numbers, of integers about the middle of bytes."""
    values = rng.normal(size=shape)
    return values.astype(dtype) if np.dtype(dtype).kind == "f" else np.clip(128 + 40 * values, 0, 255).astype(dtype)


def compare(found, expected, dtype):
    """The largest difference, without elements at the end of an array, where rounding decides whether the border value is taken. None: too large."""
    found, expected = found.astype(xp.float64), expected.astype(xp.float64)
    difference = xp.abs(found - expected)
    allowed = {"float32": 2e-4, "float64": 1e-10}.get(dtype, 1.0)  # halves of integers go up or down by the last bit
    beyond = int((difference > allowed).sum())
    largest = float(xp.where(difference > allowed, 0.0, difference).max())
    return largest if beyond <= max(4, 1e-4 * found.size) else None


def seconds(function):
    """Time of one call with the device's work; on the host the processor time of the process."""
    if HOST:
        begin = time.process_time()
        function()
        return time.process_time() - begin
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    result = function()
    cupy.cuda.Device().synchronize()
    elapsed = time.perf_counter() - begin
    del result
    return elapsed


def measure(one, other, repeats, limit):
    """Times of both, by turns; as many as the seconds allow, three at least."""
    for _ in range(2):
        seconds(one)
        seconds(other)
    times = ([], [])
    begin = time.perf_counter()
    while len(times[0]) < repeats and (len(times[0]) < 3 or time.perf_counter() - begin < limit):
        times[0].append(seconds(one))
        times[1].append(seconds(other))
    return times


def summary(times):
    """Median, least and spread (ms)."""
    found = {f"p{part}": float(np.percentile(times, part)) * 1e3 for part in (0, 10, 50, 90)} | {"calls": len(times)}
    return found | {"told": found["p0" if HOST else "p50"]}


def main():
    """Compares, then times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", action="store_true", help="compare with SciPy, on one thread")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of the results")
    parser.add_argument("--repeats", type=int, default=30, help="calls of a case at most")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a case, where three calls take less")
    parser.add_argument("--orders", type=int, nargs="+", default=ORDERS)
    parser.add_argument("--types", nargs="+", default=TYPES)
    parser.add_argument("--lengths", type=int, nargs="+", help="of an axis, of the arrays that are timed (default: all)")
    parser.add_argument("--small", action="store_true", help="small arrays alone")
    parser.add_argument("--check-only", action="store_true", help="compare small arrays, and time nothing")
    arguments = parser.parse_args()
    device = "one core" if HOST else cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    record = {"device": device, library.__name__: library.__version__, "python": platform.python_version(), "cases": []}
    try:
        import scipy.ndimage as reference
    except ImportError:
        reference = None
    differing = 0
    rng = np.random.default_rng()
    for rank in (2, 3):
        for dtype in arguments.types:
            for order in arguments.orders:
                shape = SMALL[rank][0]
                host = random_array(rng, shape, dtype)
                array = xp.asarray(host)
                for name, call in cases(shape, dtype, order):
                    found = call(ours, array)
                    others = {"SciPy" if HOST else "CuPy": call(theirs, array)}
                    if reference is not None and not HOST:
                        others["SciPy"] = cupy.asarray(call(reference, host))
                    for other, expected in others.items():
                        error = compare(found, expected, dtype)
                        if error is None and other == "CuPy" and "SciPy" in others and compare(expected, others["SciPy"], dtype) is None:
                            print(f"CuPy differs from SciPy, and we do not: {rank}D {dtype} order {order} {name}")
                        elif error is None:
                            differing += 1
                            print(f"differs from {other}: {rank}D {dtype} order {order} {name}")
    print(f"compared on {device}: {differing} cases differ")
    if arguments.check_only or differing:
        return 1 if differing else 0
    for rank, shapes in (SMALL if arguments.small else SIZES).items():
        for shape in shapes:
            if arguments.lengths and shape[0] not in arguments.lengths:
                continue
            for dtype in arguments.types:
                array = xp.asarray(random_array(rng, shape, dtype))
                for order in arguments.orders:
                    for name, call in cases(shape, dtype, order):
                        found = compare(call(ours, array), call(theirs, array), dtype)
                        mine, other = measure(lambda: call(ours, array), lambda: call(theirs, array), arguments.repeats, arguments.seconds)
                        entry = {
                            "shape": shape,
                            "dtype": dtype,
                            "order": order,
                            "case": name,
                            "difference": found,
                            "cudaspline": summary(mine),
                            NAME: summary(other),
                        }
                        record["cases"].append(entry)
                        ratio = entry[NAME]["told"] / entry["cudaspline"]["told"]
                        print(
                            f"{shape} {dtype} order {order} {name}: {entry['cudaspline']['told']:.3f} ms, "
                            f"{NAME} {entry[NAME]['told']:.3f} ms, {ratio:.1f} x",
                            flush=True,
                        )
                    if not HOST:
                        cupy.get_default_memory_pool().free_all_blocks()
                    arguments.output.mkdir(parents=True, exist_ok=True)
                    (arguments.output / "ndimage.json").write_text(json.dumps(record, indent=1))
                    (arguments.output / "ndimage.md").write_text(table(record))
    return 0


def table(record):
    """The record in Markdown."""
    lines = [
        f"{record['device']}, {library.__name__} {library.__version__}, Python {record['python']}. Milliseconds of a call: "
        f"{'least' if HOST else 'median'} (10th to 90th percentile).",
        "",
        f"| array | order | call | cudaspline | {NAME} | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for entry in record["cases"]:
        size = " x ".join(str(length) for length in entry["shape"])
        times = [
            f"{entry[who]['told']:.3f} ({entry[who]['p10']:.3f} to {entry[who]['p90']:.3f})" for who in ("cudaspline", NAME)
        ]
        ratio = entry[NAME]["told"] / entry["cudaspline"]["told"]
        lines.append(f"| {size} {entry['dtype']} | {entry['order']} | {entry['case']} | {times[0]} | {times[1]} | {ratio:.1f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with cudaspline.use_threads(1 if HOST else 0):
        sys.exit(main())
