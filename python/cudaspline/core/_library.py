"""The library libCudaSplineC by ctypes: its structures, its functions, and exceptions in place of
its codes.

Nothing here knows NumPy: arrays are addresses. The names of functions and fields are those of
include/itkCudaSpline/c/CudaSplineC.h, which documents them. Calls release the interpreter lock.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
import threading
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_void_p
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, Generator, Iterator, NamedTuple, Optional, Sequence

from . import _html
from ._checks import LARGEST_INT32, LARGEST_UINT64, callback, integer
from ._structures import MAXIMUM_DIMENSION as MAXIMUM_DIMENSION
from ._structures import NIFTI_HEADER_BYTES as NIFTI_HEADER_BYTES  # noqa: F401
from ._structures import REASON_BYTES as REASON_BYTES
from ._structures import DeviceInfo as DeviceInfo
from ._structures import Execution as Execution
from ._structures import Grid as Grid
from ._structures import Image as Image
from ._structures import Interpolation as Interpolation
from ._structures import InverseAccuracy as InverseAccuracy
from ._structures import Matrix as Matrix
from ._structures import NamedInterpolation as NamedInterpolation
from ._structures import Nifti as Nifti
from ._structures import Points as Points
from ._structures import Progress as Progress
from ._structures import ProgressState as ProgressState
from ._structures import Resampling as Resampling
from ._structures import Sizes as Sizes
from ._structures import Stage as Stage
from ._structures import Vector as Vector

INTERFACE = 9

(
    OK,
    INVALID_ARGUMENT,
    OUT_OF_MEMORY,
    NO_DEVICE,
    DEVICE_LOST,
    DEVICE_ERROR,
    ABORTED,
    INTERNAL_ERROR,
) = range(8)

#: Names of the types of numbers, as NumPy names them, by their codes.
TYPE_NAMES = (
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float32",
    "float64",
)
#: Their codes by name.
TYPES = {name: code for code, name in enumerate(TYPE_NAMES)}
EXTENSIONS = {"mirror": 0, "reflect": 1, "grid-wrap": 2, "nearest": 3, "grid-constant": 4}
METHODS = {"exact": 0, "itk": 1, "fir": 2, "coefficients": 3}
MODES = {"exact": 0, "texture": 1, "texture-table": 2}
STORAGES = {"element": 0, "half": 1, "int16": 2, "texture": 3}
WINDOWS = {"cosine": 0, "hamming": 1, "welch": 2, "lanczos": 3, "blackman": 4}
BACKENDS = ("None", "Cuda", "Cpu")
STAGE_AFFINE, STAGE_BSPLINE, STAGE_FIELD = range(3)


def _physical_memory() -> float:
    """Bytes of the machine's memory; infinite where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return math.inf


PHYSICAL_MEMORY = _physical_memory()


class DeviceError(RuntimeError):
    """An error of a GPU or of CUDA: a device that is not there, was lost, or failed."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The memory of the device, or of the host, did not suffice."""


def path() -> Path:
    """The path of the library. Raises ImportError."""
    named = os.environ.get("CUDASPLINE_LIBRARY")
    if named:
        return Path(named)
    folder = Path(__file__).resolve().parents[1]
    for name in ("libCudaSplineC.so", "libCudaSplineC.dylib", "CudaSplineC.dll"):
        if (folder / name).exists():
            return folder / name
    raise ImportError(
        f"cudaspline: there is no libCudaSplineC in {folder}. Install the package's wheel, or set CUDASPLINE_LIBRARY to the "
        "path of a library that was built with the module."
    )


def _load() -> ctypes.CDLL:
    found_path = path()
    try:
        library = ctypes.CDLL(str(found_path))
    except OSError as error:
        raise ImportError(f"cudaspline: {found_path} cannot be loaded: {error}") from error
    library.cudaspline_interface.restype = c_int32
    found = library.cudaspline_interface()
    if found != INTERFACE:  # of another one functions may be missing
        raise ImportError(
            f"cudaspline: {found_path} has interface {found}, but this package needs {INTERFACE}."
        )
    functions = {
        "cudaspline_version": (c_char_p, []),
        "cudaspline_cuda_version": (c_char_p, []),
        "cudaspline_last_error": (c_char_p, []),
        "cudaspline_interpolation_count": (c_int32, []),
        "cudaspline_name_interpolation": (c_int32, [c_int32, POINTER(NamedInterpolation)]),
        "cudaspline_device_count": (c_int32, []),
        "cudaspline_query_device": (c_int32, [c_int32, POINTER(DeviceInfo)]),
        "cudaspline_select_device": (c_int32, [c_char_p, POINTER(c_int32), c_char_p]),
        "cudaspline_device_of_pointer": (c_int32, [c_void_p]),
        "cudaspline_release_memory": (c_int32, []),
        "cudaspline_prefilter": (c_int32, [POINTER(Image), c_int32, c_void_p, POINTER(Execution)]),
        "cudaspline_prefilter_window": (
            c_int32,
            [POINTER(Image), c_int32, POINTER(c_int64), POINTER(c_int64)],
        ),
        "cudaspline_make_source": (
            c_int32,
            [POINTER(Image), c_int32, POINTER(Execution), POINTER(c_void_p)],
        ),
        "cudaspline_release_source": (None, [c_void_p]),
        "cudaspline_source_device": (c_int32, [c_void_p]),
        "cudaspline_source_elements": (c_int32, [c_void_p, c_void_p, c_int64]),
        "cudaspline_sample": (c_int32, [c_void_p, POINTER(Points), POINTER(Execution)]),
        "cudaspline_sample_image": (c_int32, [POINTER(Image), POINTER(Points), POINTER(Execution)]),
        "cudaspline_resample_source": (
            c_int32,
            [c_void_p, POINTER(Resampling), POINTER(Execution)],
        ),
        "cudaspline_resample": (c_int32, [POINTER(Image), POINTER(Resampling), POINTER(Execution)]),
        "cudaspline_sampling_steps": (
            c_int32,
            [POINTER(Image), POINTER(Resampling), POINTER(c_double)],
        ),
        "cudaspline_smooth_for_sampling": (
            c_int32,
            [POINTER(Image), POINTER(c_double), c_void_p, POINTER(Execution)],
        ),
        "cudaspline_invert_transform": (
            c_int32,
            [
                POINTER(Grid),
                c_int32,
                POINTER(Stage),
                c_int32,
                c_void_p,
                POINTER(InverseAccuracy),
                POINTER(Execution),
            ],
        ),
        "cudaspline_describe_nifti": (
            c_int32,
            [c_void_p, c_int64, POINTER(Nifti), c_void_p, c_int64],
        ),
        "cudaspline_nifti_foreign_warp": (c_int32, [c_void_p, c_int64, c_void_p, c_int64]),
        "cudaspline_read_nifti": (c_int32, [POINTER(Nifti), c_void_p, c_int64, c_void_p]),
        "cudaspline_make_nifti_header": (c_int32, [POINTER(Nifti), c_void_p, POINTER(c_int64)]),
        "cudaspline_write_nifti": (c_int32, [POINTER(Nifti), c_void_p, c_int64, c_int64, c_void_p]),
        "cudaspline_looks_like_labels": (c_int32, [c_void_p, c_int32, c_int64]),
        "cudaspline_count_non_finite": (c_int64, [c_void_p, c_int32, c_int64, c_int32]),
        "cudaspline_resample_windows": (
            c_int32,
            [POINTER(Image), POINTER(Resampling), c_int64, *[c_void_p] * 4],
        ),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _load()

_EXCEPTIONS = {
    INVALID_ARGUMENT: ValueError,
    OUT_OF_MEMORY: DeviceMemoryError,
    NO_DEVICE: DeviceError,
    DEVICE_LOST: DeviceError,
    DEVICE_ERROR: DeviceError,
    INTERNAL_ERROR: RuntimeError,
}


def check(code: int, device: str = "") -> None:
    """Raises what a code that a function returned stands for, with the library's message, and the
    argument's name where device was given."""
    if code != OK:
        message = _library.cudaspline_last_error().decode("utf-8", "replace")
        if code == NO_DEVICE and device:
            message = f"device: {message}"
        raise _EXCEPTIONS.get(code, RuntimeError)(message)


def named_interpolations() -> list[NamedInterpolation]:
    """The library's list of interpolations with a name."""
    found = [NamedInterpolation() for _ in range(_library.cudaspline_interpolation_count())]
    for number, named in enumerate(found):
        check(_library.cudaspline_name_interpolation(number, ctypes.byref(named)))
    return found


class Use(NamedTuple):
    """The use of a backend."""

    #: How many operations.
    calls: int
    #: Their total time.
    seconds: float


class InverseResidual(NamedTuple):
    """How well the inverse of a displacement field or of a B-spline was found, by iteration."""

    #: Name of the argument, with its position in a list and its file.
    name: str
    #: Distance between a place and what the inverse and the transform make of it: on average over
    #: the inverse's domain (mm).
    mean: float
    #: At most (mm).
    largest: float
    #: A larger distance is warned of (mm): 0.1, or a tenth of the smallest spacing of the inverse
    #: if that is less.
    limit: float = 0.1


@dataclass(frozen=True)
class Report:
    """Which backend computed an operation, and how long it took."""

    #: "Cuda" or "Cpu".
    backend: str
    #: Number of the (first) device; None for the host.
    device: Optional[int]
    #: Why it was not an earlier backend; empty where it was the first.
    reason: str
    #: Number of pieces into which it was divided to fit into memory.
    pieces: int
    #: Its time on the backend, without the start of a GPU.
    seconds: float
    #: The use of each backend by this process so far, including this operation: use["Cuda"].calls,
    #: use["Cpu"].seconds.
    use: Dict[str, Use]
    #: One for each transform that was inverted by iteration, in the order in which points are
    #: mapped by them.
    inverses: tuple[InverseResidual, ...] = ()

    def _repr_html_(self) -> str:
        """The HTML for notebooks."""
        place = "host" if self.device is None else f"device {self.device}"
        rows: list[tuple[Any, ...]] = [
            ("backend", f"{self.backend}, {place}"),
            ("reason", self.reason),
            ("pieces", self.pieces),
            ("seconds", f"{self.seconds:.3g}"),
        ]
        rows += [
            (f"inverse of {one.name}", f"off by {one.mean:.3g} mm, at most {one.largest:.3g} mm")
            for one in self.inverses
        ]
        return _html.table(("last operation", ""), [row for row in rows if row[1] != ""])


_local = threading.local()


def last_report() -> Optional[Report]:
    """Which backend computed this thread's last operation; None before the first.

    >>> import numpy
    >>> import cudaspline
    >>> _ = cudaspline.zoom(numpy.zeros((4, 5)), 2, device="cpu")
    >>> cudaspline.last_report().backend
    'Cpu'
    """
    found = getattr(_local, "report", None)
    if isinstance(found, Execution):
        found = _local.report = _report_of(found)
    return found


def note_inverses(inverses: Sequence[InverseResidual]) -> None:
    """Adds what was inverted to the report of this thread's last operation."""
    report = last_report()
    if inverses and report is not None:
        _local.report = replace(report, inverses=tuple(inverses))


class _Reports:
    """Receives reports of the library by send(), and returns 1 to continue or 0 to stop.

    It has no reference to the Call, which is released with its last user."""

    def __init__(self, listen: Optional[Callable[[Any], object]]) -> None:
        #: Called with the structure that is reported.
        self.listen = listen
        #: The error that the callback, or a signal handler during it, has raised.
        self.raised: Optional[BaseException] = None
        #: Whether a function of the library runs.
        self.is_running = False

    def receive(self) -> Generator[int, Any, None]:
        """A function would not do as the callback: what a signal's handler raises at its first
        instruction, before any try, would be lost. Here that instruction is the one after the
        yield."""
        go_on = 1
        while True:
            try:
                while True:
                    state = yield go_on
                    go_on = 0
                    if self.listen is not None:
                        self.listen(state.contents)
                    go_on = 1
            except BaseException as error:  # pylint: disable=broad-except
                if not self.is_running:  # the end of this generator
                    raise
                self.raised = error  # any error: GeneratorExit, too
                go_on = 0


def _reports_to(listen: Optional[Callable[[Any], object]]) -> tuple[_Reports, Any, Any]:
    """Reports, their receiver, and the callback that the library calls, which must exist until the
    call ends."""
    reports = _Reports(listen)
    receiver = reports.receive()
    next(receiver)
    return reports, receiver, Progress(receiver.send)


_of_main_thread: Optional[tuple[_Reports, Any, Any]] = None


def _reports_of_main_thread() -> tuple[_Reports, Any, Any]:
    """Reports without a listener, shared by all calls of the main thread, because making a callback
    takes time."""
    global _of_main_thread  # pylint: disable=global-statement
    known = _of_main_thread
    if (
        known is None or known[0].is_running or known[1].gi_frame is None
    ):  # ended by an interrupt that came while another one was handled
        known = _of_main_thread = _reports_to(None)
    return known


def chosen_threads() -> Optional[int]:
    """The number of use_threads(); None outside."""
    found: Optional[int] = getattr(_local, "threads", None)
    return found


class ChosenThreads:
    """Within it they are chosen_threads(). None changes nothing."""

    def __init__(self, count: Optional[int]) -> None:
        self.count = count

    def __enter__(self) -> None:
        if self.count is not None:
            self.before = chosen_threads()
            _local.threads = self.count

    def __exit__(self, *_: object) -> None:
        if self.count is not None:
            _local.threads = self.before


@contextmanager
def use_threads(threads: int) -> Iterator[None]:
    """How many threads of the host the calls of this thread take in a with statement, but those
    that say threads= themselves.

    It goes for all functions of the package. Gradients of cudaspline.torch are computed with the
    number that the values were computed with, and what JAX compiles in it keeps the number.

    Parameters
    ----------
    threads
        0: as many as may be used.

    Examples
    --------
    >>> import numpy, cudaspline
    >>> with cudaspline.use_threads(2):
    ...     cudaspline.zoom(numpy.zeros((4, 5)), 2, device="cpu").shape
    (8, 10)
    """
    with ChosenThreads(integer(threads, "threads", 0, LARGEST_INT32)):
        yield


def threads_of_call() -> int:
    """Default number of host threads of a call: that of use_threads(), else that of a worker."""
    chosen = chosen_threads()
    return threads_of_worker() if chosen is None else chosen


def count_processors() -> int:
    """The number of processors that the process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_of_worker() -> int:
    """1 in a process of a pool (of multiprocessing, of joblib), as the other processes are busy,
    and in a DataLoader's as many as PyTorch uses there (1, unless its worker_init_fn sets more), if
    the environment does not set the number; else 0: the library chooses."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is None or not processes.current_process().daemon:
        return 0
    if os.environ.get("CUDASPLINE_THREADS") or os.environ.get("OMP_NUM_THREADS"):
        return 0
    data = sys.modules.get("torch.utils.data")
    return (
        int(sys.modules["torch"].get_num_threads())
        if data is not None and data.get_worker_info() is not None
        else 1
    )


def _report_of(execution: Execution) -> Report:
    """The report of an execution."""
    device = execution.used_device
    return Report(
        BACKENDS[execution.backend],
        device if device >= 0 else None,
        execution.reason.decode("utf-8", "replace"),
        execution.pieces,
        execution.seconds,
        {
            BACKENDS[code]: Use(execution.calls[code], execution.call_seconds[code])
            for code in (1, 2)
        },
    )


def _remember(code: int, execution: Execution) -> None:
    """Raises the error of a returned code, or stores the execution; the report is made when it is
    requested."""
    if code != 0:
        check(code, (execution.device or b"").decode())
    _local.report = execution


def run_on_device(name: str, *arguments: object) -> None:
    """Calls a function of the library with arguments on a device, followed by an execution; raises
    its errors.

    It reports no progress: a callback takes as long as a small kernel."""
    execution = Execution()
    _remember(getattr(_library, name)(*arguments, ctypes.byref(execution)), execution)


def run_where(name: str, description: Any, threads: int = 0) -> None:
    """Calls a function of the library with its structure, where the structure's arrays are; raises
    its errors.

    threads: of the host; 0: as many as may be used"""
    if description.device < 0:
        Call(threads=threads).run(name, ctypes.byref(description))
        return
    run_on_device(name, ctypes.byref(description))


class Call:
    """A call of the library with an execution: the requested device and threads, and the backend
    that was used.

    device: the user's request, in the library's form
    threads: of the host; 0: as many as may be used
    memory_limit: bytes on a device; 0: what it has
    progress: called with the finished fraction, in [0, 1]; what it raises stops the operation and
        is raised by run()
    on_device: whether the arrays are on a device

    Without progress an interrupt (Ctrl-C) stops an operation of the main thread, where the library
    reports progress; on arrays of a device it is raised after the operation, which takes about as
    long as a report. Raises TypeError or ValueError, naming the argument."""

    def __init__(
        self,
        device: Optional[str] = None,
        threads: int = 0,
        memory_limit: int = 0,
        progress: Optional[Callable[[float], object]] = None,
        on_device: bool = False,
    ) -> None:
        listener = callback(progress, "progress")
        self.execution = execution = Execution()
        if device:
            execution.device = device.encode()
        execution.threads = integer(threads, "threads", 0, LARGEST_INT32) or threads_of_call()
        execution.memory_limit = integer(memory_limit, "memory_limit", 0, LARGEST_UINT64)
        self._reports: Optional[_Reports] = None
        if listener is not None:
            self._listen(*_reports_to(lambda state: listener(state.fraction)))
        elif not on_device and threading.current_thread() is threading.main_thread():
            self._listen(
                *_reports_of_main_thread()
            )  # entering Python is what lets a signal's handler run

    def _listen(self, reports: _Reports, _: Any, called: Any) -> None:
        self._reports, self._callback = reports, called
        self.execution.progress = called

    def run(self, name: str, *arguments: object) -> None:
        """Calls the function of that name with the arguments, followed by this execution; raises
        its errors."""
        self._finish(self._enter(name, *arguments, ctypes.byref(self.execution)))

    def make_source(self, image: Image, borrow: bool) -> Source:
        """cudaspline_make_source."""
        handle = c_void_p()
        code = self._enter(
            "cudaspline_make_source",
            ctypes.byref(image),
            int(borrow),
            ctypes.byref(self.execution),
            ctypes.byref(handle),
        )
        source = Source(handle)  # lets go of it, should the last report have raised
        self._finish(code)
        return source

    def _enter(self, name: str, *arguments: object) -> int:
        reports = self._reports
        if reports is None:
            return int(getattr(_library, name)(*arguments))
        if reports.is_running:  # a signal's handler, about a report, calls again
            self._listen(*_reports_to(reports.listen))
            return self._enter(name, *arguments)
        reports.raised, reports.is_running = None, True
        try:
            return int(getattr(_library, name)(*arguments))
        finally:
            reports.is_running = False

    def _finish(self, code: int) -> None:
        if self._reports is not None:
            raised, self._reports.raised = self._reports.raised, None
            if raised is not None:
                raise raised
        if code == ABORTED:
            raise KeyboardInterrupt  # nothing else stops it: an interrupt that came while another one was handled
        _remember(code, self.execution)


class Source:
    """A cudaspline_source, let go of with this object."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle: Optional[c_void_p] = handle
        self._release = (
            _library.cudaspline_release_source
        )  # at the interpreter's end modules may be gone before objects

    @property
    def device(self) -> int:
        """Number of its device; -1: the host."""
        return int(_library.cudaspline_source_device(self.handle))

    def copy_elements(self, address: int, size: int) -> None:
        """cudaspline_source_elements, to that many bytes."""
        check(_library.cudaspline_source_elements(self.handle, address, size))

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            self._release(handle)


def device_count() -> int:
    """Number of usable GPUs; 0 without one, without a driver, and in a forked child of a process
    that used one.

    >>> import cudaspline
    >>> cudaspline.device_count() >= 0
    True
    """
    return int(_library.cudaspline_device_count())


def query_device(device: int) -> DeviceInfo:
    """cudaspline_query_device."""
    info = DeviceInfo()
    check(_library.cudaspline_query_device(device, ctypes.byref(info)))
    return info


def select_device(word: str = "") -> tuple[int, str]:
    """(device, reason) for a word: device -1 is the host, and the reason says why."""
    device = c_int32()
    reason = ctypes.create_string_buffer(REASON_BYTES)
    check(_library.cudaspline_select_device(word.encode(), ctypes.byref(device), reason))
    return device.value, reason.value.decode("utf-8", "replace")


def prefilter_window(image: Image, axis: int, first: int, size: int) -> tuple[int, int]:
    """cudaspline_prefilter_window: (first, size) of the samples for the coefficients (first, size)
    of a line."""
    begin, count = c_int64(first), c_int64(size)
    check(
        _library.cudaspline_prefilter_window(
            ctypes.byref(image), axis, ctypes.byref(begin), ctypes.byref(count)
        )
    )
    return begin.value, count.value


def resample_windows(image: Image, resampling: Resampling, count: int, *addresses: int) -> None:
    """cudaspline_resample_windows; addresses: of first, size, window_first and window_size."""
    check(
        _library.cudaspline_resample_windows(
            ctypes.byref(image), ctypes.byref(resampling), count, *addresses
        )
    )


def sampling_steps(image: Image, resampling: Resampling) -> list[float]:
    """cudaspline_sampling_steps: by axis of the image, and of the output."""
    steps = (c_double * 9)()
    check(_library.cudaspline_sampling_steps(image, resampling, steps))
    return steps[:]


#: Bytes of texts that the functions of NIfTI write, cut where they are longer.
_TEXT_BYTES = 4096


def describe_nifti(beginning: bytes) -> tuple[Nifti, str]:
    """cudaspline_describe_nifti of the first bytes of an uncompressed file: what the header says,
    and warnings. Raises ValueError."""
    nifti = Nifti()
    warnings = ctypes.create_string_buffer(_TEXT_BYTES)
    check(
        _library.cudaspline_describe_nifti(
            beginning, len(beginning), ctypes.byref(nifti), warnings, _TEXT_BYTES
        )
    )
    return nifti, warnings.value.decode("utf-8", "replace")


def nifti_foreign_warp(beginning: bytes) -> str:
    """cudaspline_nifti_foreign_warp: why an image is not a displacement field of ITK; empty for
    others."""
    reason = ctypes.create_string_buffer(_TEXT_BYTES)
    check(_library.cudaspline_nifti_foreign_warp(beginning, len(beginning), reason, _TEXT_BYTES))
    return reason.value.decode("utf-8", "replace")


def read_nifti(nifti: Nifti, stored: int, size: int, numbers: int) -> None:
    """cudaspline_read_nifti; addresses of the stored bytes, of their number, and of the numbers
    that are made of them."""
    check(_library.cudaspline_read_nifti(ctypes.byref(nifti), stored, size, numbers))


def make_nifti_header(nifti: Nifti) -> bytes:
    """cudaspline_make_nifti_header; the structure becomes that of the file. Raises ValueError."""
    header = ctypes.create_string_buffer(NIFTI_HEADER_BYTES)
    count = c_int64()
    check(_library.cudaspline_make_nifti_header(ctypes.byref(nifti), header, ctypes.byref(count)))
    return header.raw[: count.value]


def write_nifti(nifti: Nifti, numbers: int, begin: int, count: int) -> bytearray:
    """cudaspline_write_nifti: stored bytes of the numbers at an address."""
    stored = bytearray(count)
    if count:
        check(
            _library.cudaspline_write_nifti(
                ctypes.byref(nifti),
                numbers,
                begin,
                count,
                (ctypes.c_char * count).from_buffer(stored),
            )
        )
    return stored


def looks_like_labels(pixels: int, type_code: int, count: int) -> bool:
    """cudaspline_looks_like_labels of pixels in host memory, by their address."""
    return bool(_library.cudaspline_looks_like_labels(pixels, type_code, count))


def count_non_finite(pixels: int, type_code: int, count: int, threads: int) -> int:
    """cudaspline_count_non_finite of pixels in host memory, by their address."""
    return int(_library.cudaspline_count_non_finite(pixels, type_code, count, threads))


def version() -> str:
    """The library's version."""
    return str(_library.cudaspline_version().decode())


def cuda_version() -> str:
    """Version of the CUDA Toolkit of the build; empty where there was none.

    >>> import cudaspline
    >>> cudaspline.cuda_version() == "" or int(cudaspline.cuda_version().split(".")[0]) >= 12
    True
    """
    return str(_library.cudaspline_cuda_version().decode())


def release_memory() -> None:
    """Gives memory back to the devices that the library keeps and does not use.

    >>> import cudaspline
    >>> cudaspline.release_memory()
    """
    check(_library.cudaspline_release_memory())
