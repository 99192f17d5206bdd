"""register(): the registrations of a table on a cluster of dask.distributed, each written once."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional

import numpy

from .. import Image, RegistrationWarning, ResamplingWarning, __version__, resample
from .. import register as register_pair
from ..core import _library
from ..core._checks import LARGEST_INT32, choose, integer
from ..core._methods import device_word
from ..core._options import FIELD_FORMS
from ..core._warnings import collected
from ..dask._batch import BatchError, device_of
from ..dask._engine import client_of, each, share_of, turn_of
from ..dask._files import count_voxels, folder_written_once, read_image, remove_parts, write_image
from . import _report
from ._table import Item, items_of

#: The file of an item's folder that has its row of the report.
_ROW = "report.json"
#: Maximum number of pairs that a GPU registers at once by default: more are not faster.
_MAX_PAIRS = 8
#: Device memory of a registration in float32, in bytes for each voxel of the larger image, and the part of a GPU's
#: memory that registrations at once may need.
_VOXEL_BYTES, _MEMORY_PART = 272, 0.8


@dataclass
class Cohort:
    """What became of a cohort: a row of the report for each item, in their order."""

    #: Columns by name: status is "done", "done before" or "failed".
    rows: list[dict[str, Any]] = field(default_factory=list)

    def of(self, status: str) -> list[dict[str, Any]]:
        """The rows of a status."""
        return [row for row in self.rows if row["status"] == status]

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The rows of items that failed."""
        return self.of("failed")

    def __str__(self) -> str:
        lines = [
            f"{len(self.of('done'))} done, {len(self.of('done before'))} done before, {len(self.failed)} failed"
        ]
        return "\n".join(lines + [f"  {row['output']}: {row['reason']}" for row in self.failed])

    def save(self, path: Any) -> None:
        """Writes the report: .csv or .parquet. Raises ValueError for other names, ImportError without pyarrow."""
        _report.save(self.rows, Path(os.path.abspath(path)))

    def raise_for_failures(self) -> None:
        """Raises BatchError if an item failed."""
        if self.failed:
            raise BatchError(str(self))


def register(
    items: Any,
    fixed: Any = None,
    *,
    client: Any = None,
    report: Any = None,
    retries: int = 1,
    device: Any = "worker",
    pairs_at_once: Optional[int] = None,
    fields: str = "nii.gz",
    progress: bool = False,
    done: Optional[Callable[[dict[str, Any]], object]] = None,
    **options: Any,
) -> Cohort:
    """Registers the pairs of a table, or all its images to one, on the workers of a cluster.

    Each item has a folder, which appears under its name when it is complete: warped.nii.gz, 0GenericAffine.mat,
    1Warp.nii.gz and 1InverseWarp.nii.gz as antsRegistration writes them, and report.json. The scheduler of
    dask.distributed gives the items of a lost worker to others. Started again with the same table, register() does what
    is missing.

    Parameters
    ----------
    items
        The name of a table (read_table()), or a list of Items or mappings with their names (read_bids()).
    fixed
        The name of the image file to which items without a fixed image are registered.
    client
        A distributed.Client; None: the current one.
    report
        The name of the report: .csv or .parquet. None: no file.
    retries
        How often an item that raised an exception is tried again. The cluster's setting
        distributed.scheduler.allowed-failures is the number of workers that an item may lose.
    device
        As for cudaspline.register(); "worker": one GPU for each worker, as for cudaspline.dask.batch().
    pairs_at_once
        How many pairs a worker registers at once, in threads of its process. None: on a GPU as many as its memory
        holds, at most 8 and half as many as there are processors; on the CPU as many as the worker has threads.
    fields
        "nii.gz": writes the fields as antsRegistration does; "nii": without compression, which takes less time; "none":
        writes only the matrix and the warped image.
    progress
        Draws a bar on standard error.
    done
        Called with each row as it comes.
    options
        All others of cudaspline.register(): stages, preset, metric, ... The default of threads is 1 on the CPU, and on a
        GPU CUDASPLINE_THREADS or the number of processors.

    Returns
    -------
    The Cohort. Failed items do not raise: its raise_for_failures() does. Items fail alone: of a missing or damaged
    file, an output that several items have, a full disk.

    Raises
    ------
    TypeError, ValueError, FileNotFoundError
        An argument; the message begins with its name. ImportError without distributed.

    Examples
    --------
    >>> import pathlib, tempfile, numpy, distributed
    >>> import cudaspline.cohort, cudaspline.dask
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> y, x = numpy.mgrid[:24, :32]
    >>> for name, shift in (("fixed", 0), ("a", 1)):
    ...     numpy.save(folder / f"{name}.npy", numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40))
    >>> items = [{"moving": folder / "a.npy", "output": folder / "a"}]
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     found = cudaspline.dask.register(items, folder / "fixed.npy", client=client, stages="translation")
    >>> print(found)
    1 done, 0 done before, 0 failed
    """
    listed = items_of(items)
    if report is not None:
        _report.check(Path(os.path.abspath(report)))
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise ValueError(f"retries: {retries!r} must be a whole number from 0.")
    if pairs_at_once is not None:
        pairs_at_once = integer(pairs_at_once, "pairs_at_once", 1, LARGEST_INT32)
    fields = choose(fields, FIELD_FORMS, "fields")
    client = client_of(client)
    rows: list[Optional[dict[str, Any]]] = [
        _refused(item, fixed, listed) or _earlier(item) for item in listed
    ]
    shown = _Bar(len(rows), progress)
    for row in rows:
        if row is not None:
            shown.draw(row)
    waiting = [i for i, row in enumerate(rows) if row is None]
    calls = [
        (
            asdict(listed[i]),
            None if fixed is None else os.path.abspath(fixed),
            options,
            device,
            pairs_at_once,
            fields,
        )
        for i in waiting
    ]
    try:
        for number, found, error in each(client, _do, calls, retries):
            item = listed[waiting[number]]
            row = (
                found
                if error is None
                else _failure(item, fixed, f"{type(error).__name__}: {error}")
            )
            rows[waiting[number]] = row
            shown.draw(row)
            if done is not None:
                done(row)
    finally:
        shown.end()
        remove_parts(
            Path(os.path.abspath(item.output))
            for item in listed
            if os.path.isdir(os.path.dirname(os.path.abspath(item.output)))
        )
        cohort = Cohort([row for row in rows if row is not None])
        if report is not None:
            cohort.save(report)
    return cohort


def _failure(item: Item, fixed: Any, reason: str) -> dict[str, Any]:
    chosen = item.fixed if item.fixed is not None else fixed
    return {
        "output": item.output,
        "status": "failed",
        "reason": reason,
        "moving": item.moving,
        "fixed": None if chosen is None else str(chosen),
        "version": __version__,
    }


def _refused(item: Item, fixed: Any, listed: list[Item]) -> Optional[dict[str, Any]]:
    """The row of an item that cannot be done, known before any work."""
    if item.fixed is None and fixed is None:
        return _failure(
            item, fixed, "ValueError: fixed: the item has no fixed image, and the call has none."
        )
    path = os.path.abspath(item.output)
    counts = Counter(os.path.abspath(other.output) for other in listed)
    if counts[path] > 1:
        return _failure(
            item, fixed, f"ValueError: output: {path} is the output of {counts[path]} items."
        )
    if os.path.exists(path) and not os.path.exists(os.path.join(path, _ROW)):
        return _failure(
            item,
            fixed,
            f"FileExistsError: output: {path} exists and is not a complete output of a cohort.",
        )
    return None


def _earlier(item: Item) -> Optional[dict[str, Any]]:
    """The row of an item that an earlier run has completed."""
    path = Path(item.output) / _ROW
    if not path.exists():
        return None
    return {**json.loads(path.read_text(encoding="utf-8")), "status": "done before"}


def _do(
    values: dict[str, Any],
    fixed: Optional[str],
    options: dict[str, Any],
    device: Any,
    pairs_at_once: Optional[int],
    fields: str,
) -> dict[str, Any]:
    """One item, by a worker."""
    from distributed import get_worker

    worker = get_worker()
    item = Item(**values)
    earlier = _earlier(item)
    if earlier is not None:  # the worker that wrote it was lost before it could report
        return {**earlier, "status": "done"}
    chosen = device_of(worker) if device == "worker" else device
    gpu = _library.select_device(device_word(chosen, -1))[0]
    count = _count_pairs(pairs_at_once, gpu)
    with nullcontext() if count is None else turn_of(worker.address, count):
        return _do_in_turn(worker.address, item, fixed, options, chosen, gpu, count, fields)


def _do_in_turn(
    address: str,
    item: Item,
    fixed: Optional[str],
    options: dict[str, Any],
    device: Any,
    gpu: int,
    count: Optional[int],
    fields: str,
) -> dict[str, Any]:
    """One item, by a worker that begins others meanwhile."""
    begin = time.perf_counter()
    name = item.fixed if item.fixed is not None else fixed
    for one in (name, item.moving, item.mask, item.moving_mask, item.labels, item.moving_labels):
        if one is not None and not os.path.exists(one):
            raise FileNotFoundError(f"there is no file {one}.")
    target, moving = read_image(name), read_image(item.moving)
    read = time.perf_counter()
    threads = options.get("threads", _threads_with(gpu))
    share = _share(address, count, gpu, (target, moving), options)
    with share, collected() as warned, _library.use_threads(threads):
        begin += time.perf_counter() - read  # without the time of waiting
        found = register_pair(
            target,
            moving,
            mask=item.mask,
            moving_mask=item.moving_mask,
            device=device,
            **{**options, "threads": threads},
        )
        row = _row_of(item, str(name), found, target)
        row["worker"] = address
        _write(Path(os.path.abspath(item.output)), found, target, row, begin, fields, warned)
    return row


def _threads_with(gpu: int) -> int:
    """The default number of host threads of an item: on the CPU the other threads of the worker are busy. On a GPU the
    OMP_NUM_THREADS=1 of Dask's workers would let it wait for one thread."""
    if gpu < 0:
        return 1
    return 0 if os.environ.get("CUDASPLINE_THREADS") else _library.count_processors()


def _count_pairs(pairs_at_once: Optional[int], gpu: int) -> Optional[int]:
    """How many pairs a worker registers at once; None: as many as it has threads."""
    if pairs_at_once is not None or gpu < 0:
        return pairs_at_once
    return min(_MAX_PAIRS, max(1, _library.count_processors() // 2))


def _share(
    address: str, count: Optional[int], gpu: int, images: Any, options: dict[str, Any]
) -> Any:
    """The share of a worker in which a pair is registered and written. Reading is not in it, so that the next images
    are read meanwhile."""
    if count is None:
        return nullcontext()
    if gpu < 0:
        return share_of(address, count, 0, math.inf)
    voxels = max(count_voxels(one) for one in images)
    needed = voxels * _VOXEL_BYTES * (2 if options.get("precision") == "float64" else 1)
    return share_of(address, count, needed, _MEMORY_PART * _library.query_device(gpu).total_memory)


def _row_of(item: Item, fixed: str, found: Any, target: Any) -> dict[str, Any]:
    """Similarity, overlap, folds, backend and versions."""
    agreement, folding = found.report.agreement, found.folding
    stages = found.report.stages
    numbers = {
        "metric": float(found.history[-1].value) if len(found.history) else None,
        "explained": None if agreement is None else float(agreement.explained),
        "significance": None if agreement is None else float(agreement.significance),
        "overlap": None if agreement is None else float(agreement.overlap),
        "dice": _dice(item, found, target),
        "smallest_determinant": float(folding.least),
        "largest_determinant": float(folding.largest),
        "seconds_registration": found.report.seconds,
    }
    return {
        "output": item.output,
        "status": "done",
        "reason": None,
        "moving": item.moving,
        "fixed": fixed,
        **{
            name: None if value is None or numpy.isnan(value) else value
            for name, value in numbers.items()
        },
        "folds": int(folding.voxels),
        "voxels": int(folding.all),
        "backend": stages[-1].execution.backend if stages else None,
        "device": stages[-1].execution.device if stages else None,
        "version": __version__,
    }


def _dice(item: Item, found: Any, target: Any) -> Optional[float]:
    """The mean overlap of labels over those of the fixed image; None without files of labels."""
    if item.labels is None or item.moving_labels is None:
        return None
    wanted = _array_of(read_image(item.labels))
    moved = _array_of(
        resample(read_image(item.moving_labels), found.transform, target, interpolation="nearest")
    )
    labels = [label for label in numpy.unique(wanted) if label != 0]
    values = [
        2 * ((wanted == n) & (moved == n)).sum() / ((wanted == n).sum() + (moved == n).sum())
        for n in labels
    ]
    return float(numpy.mean(values)) if values else None


def _array_of(image: Any) -> numpy.ndarray:
    return numpy.asarray(image.array if isinstance(image, Image) else image)


def _write(
    output: Path,
    found: Any,
    target: Any,
    row: dict[str, Any],
    begin: float,
    fields: str,
    warned: list[tuple[str, type[Warning]]],
) -> None:
    """Writes the folder of an item. warned: the warnings so far, which inverses can add to"""
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        with folder_written_once(output) as part:
            part.mkdir()
            warped = found.warped
            write_image(
                warped,
                part / ("warped.npy" if isinstance(warped, numpy.ndarray) else "warped.nii.gz"),
            )
            found.transform.save_ants(f"{part}{os.sep}", target, fields)
            kinds = (RegistrationWarning, ResamplingWarning)
            row["warnings"] = (
                " ".join(text for text, kind in warned if issubclass(kind, kinds)) or None
            )
            row["seconds"] = time.perf_counter() - begin
            (part / _ROW).write_text(json.dumps(row, indent=1), encoding="utf-8")
    except OSError:
        if not (output / _ROW).exists():  # else another worker has written it in the meantime
            raise


class _Bar:
    """A bar on standard error: a line that is drawn again on a terminal, else one line at every tenth."""

    def __init__(self, count: int, is_wanted: bool) -> None:
        self._count, self._is_wanted = count, is_wanted
        self._numbers: Counter[str] = Counter()
        self._is_terminal = sys.stderr.isatty()

    def draw(self, row: dict[str, Any]) -> None:
        """Counts a row."""
        before = sum(self._numbers.values())
        self._numbers[row["status"]] += 1
        if not self._is_wanted or not (
            self._is_terminal or 10 * before // self._count < 10 * (before + 1) // self._count
        ):
            return
        width = 30 * (before + 1) // self._count
        text = f"[{'#' * width}{'.' * (30 - width)}] {before + 1}/{self._count}, {self._numbers['failed']} failed"
        print(
            f"\r{text:<79}" if self._is_terminal else text,
            end="" if self._is_terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        """Ends the line."""
        if self._is_wanted and self._is_terminal:
            print(file=sys.stderr)
