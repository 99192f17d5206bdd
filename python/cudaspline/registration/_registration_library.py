"""The functions of libCudaSplineC for registrations: structures of
include/itkCudaSpline/c/CudaSplineRegistrationC.h, which documents them."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_void_p
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

from ..core import _arrays, _library
from ..core._geometry import Geometry
from ..core._structures import Grid
from ..transforms._stages import Stages, describe_grid

#: Subjects of the library's messages.
RESULT, WARNING, PROBLEMS = range(3)
#: Purposes of the arrays of a result.
FORWARD, BACKWARD, COEFFICIENTS = range(3)


class Image(ctypes.Structure):
    """cudaspline_registration_image."""

    _fields_ = [("pixels", c_void_p), ("grid", Grid)]


class ImagePair(ctypes.Structure):
    """cudaspline_image_pair."""

    _fields_ = [("fixed", Image), ("moving", Image), ("fixed_mask", Image), ("moving_mask", Image)]


class ResultArray(ctypes.Structure):
    """cudaspline_result_array."""

    _fields_ = [
        ("kind", c_int32),
        ("stage", c_int32),
        ("count", c_int64),
        ("grid", Grid),
        ("data", c_void_p),
    ]


class IterationState(ctypes.Structure):
    """cudaspline_pipeline_iteration."""

    _fields_ = [
        ("stage", c_int32),
        ("level", c_int32),
        ("number", c_int32),
        ("value", c_double),
        ("convergence", c_double),
        ("step", c_double),
        ("progress", c_double),
        ("data", c_void_p),
    ]


IterationCallback = ctypes.CFUNCTYPE(c_int32, POINTER(IterationState))
MessageCallback = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)
AllocateCallback = ctypes.CFUNCTYPE(c_void_p, POINTER(ResultArray))


class Pipeline(ctypes.Structure):
    """cudaspline_pipeline."""

    _fields_ = [
        ("dimension", c_int32),
        ("pairs", POINTER(ImagePair)),
        ("pair_count", c_int32),
        ("stages", POINTER(_library.Stage)),
        ("stage_count", c_int32),
        ("device", c_int32),
        ("stream", c_void_p),
        ("field_type", c_int32),
        ("iteration", IterationCallback),
        ("message", MessageCallback),
        ("allocate", AllocateCallback),
        ("data", c_void_p),
        ("stage_masks", POINTER(ImagePair)),
        ("fixed_landmarks", POINTER(c_double)),
        ("moving_landmarks", POINTER(c_double)),
        ("landmark_count", c_int64),
        ("fixed_labels", Image),
        ("moving_labels", Image),
        ("sliding_regions", Image),
    ]


class FoldingState(ctypes.Structure):
    """cudaspline_folding."""

    _fields_ = [("voxels", c_int64), ("all", c_int64), ("least", c_double), ("largest", c_double)]


_EXECUTION = POINTER(_library.Execution)
for _name, _arguments in {
    "cudaspline_complete_registration": [c_char_p, POINTER(c_int64), MessageCallback, c_void_p],
    "cudaspline_list_registration_names": [MessageCallback, c_void_p],
    "cudaspline_register": [c_char_p, POINTER(Pipeline), _EXECUTION],
    "cudaspline_has_lost_geometry": [POINTER(Grid), POINTER(Grid), c_int32],
    "cudaspline_make_displacements": [
        POINTER(Grid), c_int32, POINTER(_library.Stage), c_int32, c_void_p, c_int32, c_int32, c_void_p, _EXECUTION,
    ],
    "cudaspline_measure_folding": [
        POINTER(Grid), c_int32, c_void_p, c_int32, c_int32, c_void_p, c_int32, c_void_p, POINTER(FoldingState), _EXECUTION,
    ],
}.items():  # fmt: skip
    _function = getattr(_library._library, _name)
    _function.restype = c_int32
    _function.argtypes = _arguments


class Problem(NamedTuple):
    """A problem of a document."""

    option: str
    #: Number of the stage; -1: the whole registration.
    stage: int
    #: The value, as JSON; empty: no value.
    value: str
    #: Description of the error; "{value}" stands for the value.
    text: str
    #: Allowed names, if the value is an unknown one.
    names: tuple[str, ...]
    #: Whether the value has the wrong type.
    is_type: bool


class DocumentError(ValueError):
    """A document with problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{problem.option}: {problem.text}" for problem in problems))
        self.problems = problems


class _Messages:
    """Messages that the library sends as JSON while a function runs."""

    def __init__(self) -> None:
        self.result: Any = None
        self.warnings: list[dict[str, Any]] = []
        self.problems: list[Problem] = []
        self.callback = MessageCallback(self._receive)

    def _receive(self, kind: int, text: bytes, _: Any) -> None:
        message = json.loads(text)
        if kind == WARNING:
            self.warnings.append(message)
        elif kind == PROBLEMS:
            self.problems = [
                Problem(
                    one["option"],
                    one["stage"],
                    one["value"],
                    one["text"],
                    tuple(one["names"]),
                    one["is_type"],
                )
                for one in message
            ]
        else:
            self.result = message


def list_names() -> Any:
    """cudaspline_list_registration_names: the version of documents, and the names that they may
    have."""
    messages = _Messages()
    _library.check(_library._library.cudaspline_list_registration_names(messages.callback, None))
    return messages.result


#: Version of the documents that describe registrations.
SPEC_VERSION: int = list_names()["version"]


def complete(document: Mapping[str, Any], size: Sequence[int] = ()) -> Any:
    """cudaspline_complete_registration: the document with all values. Raises DocumentError."""
    messages = _Messages()
    samples = (c_int64 * 3)(*size)
    code = _library._library.cudaspline_complete_registration(
        json.dumps(document).encode(), samples, messages.callback, None
    )
    if messages.problems:
        raise DocumentError(messages.problems)
    _library.check(code)
    return messages.result


def run_pipeline(
    call: _library.Call,
    document: Mapping[str, Any],
    pipeline: Pipeline,
    watch: Watch,
    allocate: Callable[[Any], int],
) -> tuple[Any, list[dict[str, Any]], Optional[BaseException]]:
    """cudaspline_register: (its result, warnings, what was raised while it iterated). Raises
    DocumentError.

    allocate: called with each ResultArray; returns the address of its memory"""
    messages, failed = _Messages(), []

    def provide(array: Any) -> Optional[int]:
        try:
            return allocate(array.contents)
        except BaseException as error:  # pylint: disable=broad-except
            failed.append(error)
            return None

    pipeline.iteration, pipeline.message, pipeline.allocate = (
        watch.callback,
        messages.callback,
        AllocateCallback(provide),
    )
    try:
        raised = watch.run(
            call, "cudaspline_register", json.dumps(document).encode(), ctypes.byref(pipeline)
        )
    except Exception:
        if failed:
            raise failed[0] from None
        if messages.problems:
            raise DocumentError(messages.problems) from None
        raise
    return messages.result, messages.warnings, raised


class Folding(NamedTuple):
    """How a transform changes volumes."""

    #: Samples whose Jacobian determinant is not positive: there space is folded.
    voxels: int
    #: Samples that were looked at.
    all: int
    #: The least determinant.
    least: float
    #: The largest one.
    largest: float


def describe_image(pointer: int, geometry: Geometry) -> Image:
    """An image as the library takes it."""
    return Image(pointer, describe_grid(geometry))


def has_lost_geometry(mask: Geometry, image: Geometry) -> bool:
    """cudaspline_has_lost_geometry of the grids of a mask and its image."""
    found = _library._library.cudaspline_has_lost_geometry(
        ctypes.byref(describe_grid(mask)), ctypes.byref(describe_grid(image)), image.dimension
    )
    return bool(found)


class Watch:
    """The callback of a registration's iterations.

    listen: called with each IterationState; what it raises ends the registration with what that has
        come to, as an interrupt (Ctrl-C) does"""

    def __init__(self, listen: Callable[[Any], object]) -> None:
        self._reports = _library._Reports(listen)
        self._receiver = self._reports.receive()
        next(self._receiver)
        #: The callback for the library.
        self.callback = IterationCallback(self._receiver.send)

    def run(self, call: _library.Call, name: str, *arguments: object) -> Optional[BaseException]:
        """Calls a function of the library: what was raised while it iterated."""
        self._reports.is_running = True
        try:
            call.run(name, *arguments)
        finally:
            self._reports.is_running = False
        raised, self._reports.raised = self._reports.raised, None
        return raised


def make_displacements(
    call: _library.Call, geometry: Geometry, stages: Stages, output: _arrays.Buffer
) -> None:
    """cudaspline_make_displacements."""
    grid = describe_grid(geometry)
    call.run(
        "cudaspline_make_displacements",
        ctypes.byref(grid),
        geometry.dimension,
        stages.as_array(),
        len(stages.stages),
        output.pointer,
        output.type_code,
        output.device,
        output.stream,
    )


def measure_folding(
    call: _library.Call,
    geometry: Geometry,
    field: int,
    type_code: int,
    is_logarithm: bool,
    output: int,
    device: int,
    stream: Optional[int],
) -> Folding:
    """cudaspline_measure_folding."""
    grid, found = describe_grid(geometry), FoldingState()
    call.run(
        "cudaspline_measure_folding",
        ctypes.byref(grid),
        geometry.dimension,
        field,
        type_code,
        int(is_logarithm),
        output,
        device,
        stream,
        ctypes.byref(found),
    )
    return Folding(int(found.voxels), int(found.all), float(found.least), float(found.largest))
