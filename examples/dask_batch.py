#!/usr/bin/env python3
"""Resamples many images on a cluster of Dask: turns a phantom by 16 angles, each a task, kills a worker on the way, and draws who did what.

usage: dask_batch.py [FOLDER [PICTURE]]

FOLDER gets the images (default: a temporary one), PICTURE is what is written (default: dask_batch.png). Needs dask, distributed and
matplotlib. The cluster is two processes of this machine; distributed.Client("host:8786") is one of many machines.
"""

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import distributed
import numpy

import cudaspline.dask

COUNT = 16
SIZE = 160


def phantom():
    """Ellipses in ellipses."""
    y, x = (numpy.mgrid[:SIZE, :SIZE] - 0.5 * (SIZE - 1)) / (0.5 * SIZE)
    image = numpy.zeros((SIZE, SIZE), numpy.float32)
    ellipses = ((1, 0, 0, 0.6, 0.85), (-0.6, 0, 0, 0.54, 0.78), (-0.2, 0.2, 0, 0.1, 0.3), (-0.2, -0.2, 0, 0.14, 0.35), (0.4, 0, -0.4, 0.15, 0.2))
    for value, cx, cy, rx, ry in ellipses:
        image[((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1] += value
    return image


def rotation(degrees):
    """About the middle, in indices, x first."""
    c, s = numpy.cos(numpy.radians(degrees)), numpy.sin(numpy.radians(degrees))
    matrix = numpy.array([[c, -s], [s, c]])
    middle = numpy.full(2, 0.5 * (SIZE - 1))
    return numpy.hstack([matrix, (middle - matrix @ middle)[:, None]])


def turn_all(client, folder, heard):
    """The batch."""
    # [dask]
    tasks = [(folder / "phantom.npy", rotation(360 * i / COUNT), folder / f"turned-{i}.npy") for i in range(COUNT)]
    summary = cudaspline.dask.batch(tasks, client=client, order=5, retries=2, done=heard)
    print(summary)
    summary.raise_for_failures()
    # [dask]
    return summary


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    picture = sys.argv[2] if len(sys.argv) > 2 else "dask_batch.png"
    numpy.save(folder / "phantom.npy", phantom())
    when = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        with distributed.Client(cluster) as client:
            processes = client.run(os.getpid)
            begin = time.perf_counter()

            def heard(found):
                when.append((time.perf_counter() - begin, found))
                if len(when) == 4:  # the one that has just finished a task is lost, with what it has begun
                    os.kill(processes[found.worker], signal.SIGKILL)

            turn_all(client, folder, heard)
    draw(folder, when, picture)
    print(f"wrote {picture}")


def draw(folder, when, picture):
    """Each image with the worker that wrote it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    workers = {}
    writers = {found.output: workers.setdefault(found.worker, len(workers)) for _, found in when}
    figure, axes = pyplot.subplots(2, COUNT // 2, figsize=(11, 3.2), layout="constrained")
    for i, axis in enumerate(axes.flat):
        output = folder / f"turned-{i}.npy"
        axis.imshow(numpy.load(output), cmap="gray", vmin=0, vmax=1)
        number = writers.get(str(output))
        axis.set_title("there before" if number is None else f"process {'ABCDEFGH'[number]}", color=f"C{number or 0}", fontsize=10)
        axis.set_axis_off()
    figure.savefig(picture, dpi=60)


if __name__ == "__main__":
    main()
