"""batch(): many images resampled on a cluster of dask.distributed."""

from __future__ import annotations

import os
import re
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Optional

from ..core import _library
from ..core._checks import check_keywords
from ..resampling import _resample
from ._engine import client_of, each
from ._files import check_output, names_in, read_image, remove_parts, write_image, write_once


class BatchError(RuntimeError):
    """Tasks of a batch failed; the message has the summary."""


@dataclass(frozen=True)
class Done:
    """An output that a batch has written."""

    #: Its name.
    output: str
    #: Time from the start of reading to the end of writing.
    seconds: float
    #: Address of the worker.
    worker: str
    #: "Cuda" or "Cpu"; empty where an attempt whose worker was lost had written it.
    backend: str
    #: Number of the GPU, as the worker counts; None for the host.
    device: Optional[int]


@dataclass(frozen=True)
class Failure:
    """A task that failed in every attempt."""

    #: Its output, which is not there.
    output: str
    #: The error of the last attempt; KilledWorker if workers ended unexpectedly.
    error: BaseException
    #: The traceback.
    traceback: str = field(repr=False)


@dataclass
class Summary:
    """The outcome of a batch: each task is in one of the lists."""

    #: Written by this batch, in the order in which they were finished.
    done: list[Done] = field(default_factory=list)
    #: Outputs that were there before.
    skipped: list[str] = field(default_factory=list)
    #: The tasks that failed.
    failed: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{len(self.done)} done, {len(self.skipped)} there before, {len(self.failed)} failed"
        ]
        lines += [
            f"  {failure.output}: {type(failure.error).__name__}: {failure.error}"
            for failure in self.failed
        ]
        return "\n".join(lines)

    def raise_for_failures(self) -> None:
        """Raises BatchError where a task failed."""
        if self.failed:
            raise BatchError(str(self)) from self.failed[0].error


def batch(
    tasks: Iterable[Any],
    *,
    client: Any = None,
    read: Callable[[Any], Any] = read_image,
    write: Callable[[Any, Any], object] = write_image,
    retries: int = 2,
    device: Any = "worker",
    done: Optional[Callable[[Any], object]] = None,
    **options: Any,
) -> Summary:
    """Images resampled by the workers of a cluster, each written once.

    The scheduler of dask.distributed gives tasks to workers, and gives those of a worker that is
    lost to others. An output appears under its name with all its bytes or not at all, and one that
    is there is left as it is: a batch that was stopped is started again with the same tasks, and
    does the rest.

    Parameters
    ----------
    tasks
        (image, transform, output), or (image, transform, output, options). image is the name of a
        file, or an image that can be sent to a worker; transform is as for cudaspline.resample():
        files are read by the worker; output is the name of a file in a folder that is there, seen
        by the workers and here; options are as below, for this task alone.
    client
        A distributed.Client; None: the current one.
    read
        Called by the worker with the name of an image or a reference; the default reads .npy, and
        all else by SimpleITK, itk or nibabel.
    write
        Called by the worker with the result and a name that ends with the output's; the default
        writes what the default of read gives.
    retries
        How often a task that raised an exception is tried again. How many lost workers a task may
        have had, the cluster's setting distributed.scheduler.allowed-failures says.
    device
        As for cudaspline.resample(); "worker": one GPU per worker, which the number at the end of
        the worker's name selects among those of its machine (distributed.LocalCluster and
        SSHCluster number theirs; workers of dask-cuda have their own), or what CUDASPLINE_DEVICE
        selects if it is set; without a GPU the host.
    done
        Called here with each Done and Failure as it comes.
    options
        All others of cudaspline.resample(): reference may be the name of a file, threads is 1, for
        the worker runs several tasks if it is started with several threads.

    Returns
    -------
    The Summary. Failed tasks do not raise: its raise_for_failures() does.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid, two tasks have the same output, or a folder does not exist;
        the message begins with its name.
    ImportError
        distributed is not installed.

    Examples
    --------
    >>> import tempfile, pathlib, numpy, distributed
    >>> import cudaspline.dask
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     print(cudaspline.dask.batch([(numpy.zeros((4, 5)), None, folder / "one.npy")], client=client))
    1 done, 0 there before, 0 failed
    """
    folders: set[Path] = set()
    listed = [
        _checked(task, i, options, write is write_image, folders) for i, task in enumerate(tasks)
    ]
    twice = (
        {output for _, _, output, _ in listed}
        if len({output for _, _, output, _ in listed}) < len(listed)
        else ()
    )
    for output in twice:
        if sum(output == other for _, _, other, _ in listed) > 1:
            raise ValueError(
                f"tasks: {output} is the output of several tasks; outputs must be different."
            )
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise ValueError(f"retries: {retries!r} must be a whole number from 0.")
    client = client_of(client)
    summary = Summary()
    calls = []
    there = names_in(output.parent for _, _, output, _ in listed)
    for image, transform, output, chosen in listed:
        if output.name in there[output.parent] and output.exists():
            summary.skipped.append(str(output))
        else:
            calls.append((image, transform, str(output), chosen, read, write, device))
    try:
        for number, found, error in each(client, _do, calls, retries):
            _take(found, error, calls[number][2], summary, done)
    finally:
        remove_parts(output for _, _, output, _ in listed)
    return summary


def _checked(
    task: Any, number: int, options: dict[str, Any], is_default: bool, folders: set[Path]
) -> tuple[Any, Any, Path, dict[str, Any]]:
    if not isinstance(task, (tuple, list)) or len(task) not in (3, 4):
        raise TypeError(
            f"tasks[{number}]: (image, transform, output) is needed, or these and options."
        )
    image, transform, output = task[:3]
    if not isinstance(output, (str, os.PathLike)):
        raise TypeError(
            f"tasks[{number}]: the output is the name of a file, not {type(output).__name__}."
        )
    path = Path(os.path.abspath(output))
    if path.parent not in folders and not path.parent.is_dir():
        raise ValueError(f"tasks[{number}]: there is no folder {path.parent}.")
    folders.add(path.parent)
    if is_default:
        check_output(path)
    chosen = {"threads": 1, **options, **(task[3] if len(task) > 3 else {})}
    for name in ("out", "progress", "device"):
        if name in chosen:
            raise TypeError(f"{name}: tasks cannot have this option; give it to the batch.")
    check_keywords(chosen, _resample.OPTIONS | {"reference"}, _resample.resample)
    return image, transform, path, chosen


def _take(
    found: Any,
    error: Optional[Exception],
    output: str,
    summary: Summary,
    done: Optional[Callable[[Any], object]],
) -> None:
    """Puts what became of a task into the summary."""
    if error is None:
        summary.done.append(found)
    else:
        found = Failure(
            output,
            error,
            "".join(traceback.format_exception(type(error), error, error.__traceback__)),
        )
        summary.failed.append(found)
    if done is not None:
        done(found)


def _do(
    image: Any,
    transform: Any,
    output: str,
    options: dict[str, Any],
    read: Any,
    write: Any,
    device: Any,
) -> Done:
    """One task, by a worker."""
    from distributed import get_worker

    begin = time.perf_counter()
    worker = get_worker()
    path = Path(output)
    if path.exists():  # the worker that wrote it was lost before it could report it
        return Done(output, time.perf_counter() - begin, worker.address, "", None)
    if isinstance(image, (str, os.PathLike)):
        image = read(image)
    options = dict(options)
    if isinstance(options.get("reference"), (str, os.PathLike)):
        options["reference"] = read(options["reference"])
    chosen = device_of(worker) if device == "worker" else device
    made = _resample.resample(image, transform, device=chosen, **options)
    report = _library.last_report()
    write_once(write, made, path)
    backend, number = (report.backend, report.device) if report is not None else ("", None)
    return Done(output, time.perf_counter() - begin, worker.address, backend, number)


def device_of(worker: Any) -> Optional[int]:
    """The GPU of a worker; None: the library chooses."""
    count = _library.device_count()
    if count == 0 or os.environ.get("CUDASPLINE_DEVICE"):
        return None
    if "dask_cuda" in sys.modules:
        return 0  # it has set CUDA_VISIBLE_DEVICES: the worker's own is the first
    name = str(worker.name)
    number = (
        None if "://" in name else re.search(r"\d+$", name)
    )  # workers without a name are named by address
    return int(number.group()) % count if number else None
