"""The functions of libCudaSplineC for registrations: structures of include/itkCudaSpline/c/CudaSplineRegistrationC.h, which documents them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int32, c_int64, c_uint32, c_void_p
from typing import Any, Callable, NamedTuple, Optional, Sequence, cast

from . import _library
from ._geometry import Geometry, make_geometry
from ._transforms import set_matrix, set_vector

DEFORMABLE = {"syn": 0, "greedy": 1, "demons": 2}
#: The kind of a stage that finds a B-spline transform, and what finds its coefficients.
SPLINE, LBFGS = "bspline", "lbfgs"
LINEAR = {"translation": 0, "rigid": 1, "similarity": 2, "affine": 3}
METRICS = {"meansquares": 0, "correlation": 1, "mattes": 2, "cc": 3}
DESCENTS = {"regular-step": 0, "gradient-descent": 1, "conjugate-gradient": 2}
SAMPLINGS = {"none": 0, "regular": 1, "random": 2}
GRADIENTS = {"differences": 0, "filter": 1, "analytic": 2}
#: Why a level has ended, by its code.
ENDS = (
    "all iterations are done",
    "values hardly fall any more",
    "it was stopped",
    "steps are shorter than the least",
    "there is no direction in which values fall",
)


class Grid(ctypes.Structure):
    """cudaspline_grid."""

    _fields_ = [
        ("size", c_int64 * 3),
        ("origin", _library.Vector),
        ("spacing", _library.Vector),
        ("index_to_point", _library.Matrix),
        ("point_to_index", _library.Matrix),
    ]


class Image(ctypes.Structure):
    """cudaspline_registration_image."""

    _fields_ = [("pixels", c_void_p), ("grid", Grid)]


class Level(ctypes.Structure):
    """cudaspline_registration_level."""

    _fields_ = [
        ("shrink", c_int32),
        ("iterations", c_int32),
        ("sigma", c_double),
        ("end", c_int32),
        ("made", c_int32),
        ("value", c_double),
        ("convergence", c_double),
        ("seconds", c_double),
    ]


class IterationState(ctypes.Structure):
    """cudaspline_registration_iteration."""

    _fields_ = [
        ("level", c_int32),
        ("number", c_int32),
        ("value", c_double),
        ("convergence", c_double),
        ("step", c_double),
        ("data", c_void_p),
    ]


IterationCallback = ctypes.CFUNCTYPE(c_int32, POINTER(IterationState))


class Registration(ctypes.Structure):
    """cudaspline_registration."""

    _fields_ = [
        ("dimension", c_int32),
        ("pixel", c_int32),
        ("fixed", Image),
        ("moving", Image),
        ("fixed_mask", Image),
        ("moving_mask", Image),
        ("stages", POINTER(_library.Stage)),
        ("stage_count", c_int32),
        ("device", c_int32),
        ("stream", c_void_p),
        ("sigmas_in_mm", c_int32),
        ("levels", POINTER(Level)),
        ("level_count", c_int32),
        ("iteration", IterationCallback),
        ("iteration_data", c_void_p),
    ]


class Deformable(ctypes.Structure):
    """cudaspline_deformable."""

    _fields_ = [
        ("kind", c_int32),
        ("element", c_int32),
        ("radius", c_int32 * 3),
        ("learning_rate", c_double),
        ("update_variance", c_double),
        ("total_variance", c_double),
        ("convergence", c_double),
        ("window", c_int32),
        ("field_type", c_int32),
        ("forward", c_void_p),
        ("backward", c_void_p),
    ]


class Pair(ctypes.Structure):
    """cudaspline_registration_pair."""

    _fields_ = [
        ("fixed", Image),
        ("moving", Image),
        ("fixed_mask", Image),
        ("moving_mask", Image),
        ("metric", c_int32),
        ("bins", c_int32),
        ("weight", c_double),
    ]


class Linear(ctypes.Structure):
    """cudaspline_linear."""

    _fields_ = [
        ("kind", c_int32),
        ("metric", c_int32),
        ("bins", c_int32),
        ("radius", c_int32 * 3),
        ("descent", c_int32),
        ("step", c_double),
        ("minimum_step", c_double),
        ("convergence", c_double),
        ("window", c_int32),
        ("sampling", c_int32),
        ("fraction", c_double),
        ("seed", c_uint32),
        ("order", c_int32),
        ("gradient", c_int32),
        ("centre", _library.Vector),
        ("start_kind", c_int32),
        ("parameters", c_double * 12),
        ("matrix", _library.Matrix),
        ("translation", _library.Vector),
    ]


class Spline(ctypes.Structure):
    """cudaspline_spline."""

    _fields_ = [
        ("cells", c_int64 * 3),
        ("gradient_tolerance", c_double),
        ("coefficients", c_void_p),
        ("size", c_int64 * 3),
        ("origin", _library.Vector),
        ("point_to_index", _library.Matrix),
    ]


class FoldingState(ctypes.Structure):
    """cudaspline_folding."""

    _fields_ = [("voxels", c_int64), ("all", c_int64), ("least", c_double), ("largest", c_double)]


class Rotation(ctypes.Structure):
    """cudaspline_rotation."""

    _fields_ = [
        ("centre", _library.Vector),
        ("translation", _library.Vector),
        ("parameters", c_double * 6),
        ("matrix", _library.Matrix),
        ("explained", c_double),
        ("is_poor", c_int32),
    ]


class ValueScales(ctypes.Structure):
    """cudaspline_value_scales."""

    _fields_ = [("largest", c_double * 2), ("factors", c_double * 2), ("is_faint", c_int32)]


_EXECUTION = POINTER(_library.Execution)
_NUMBERS = POINTER(c_double)
for _name, _arguments in {
    "cudaspline_register_deformable": [POINTER(Registration), POINTER(Deformable), _EXECUTION],
    "cudaspline_register_deformable_pairs": [POINTER(Registration), POINTER(Deformable), POINTER(Pair), c_int32, _EXECUTION],
    "cudaspline_register_linear": [POINTER(Registration), POINTER(Linear), _EXECUTION],
    "cudaspline_register_spline": [POINTER(Registration), POINTER(Linear), POINTER(Spline), _EXECUTION],
    "cudaspline_shrink_grid": [POINTER(Grid), c_int32, c_int32, POINTER(Grid)],
    "cudaspline_measure_folding": [
        POINTER(Grid), c_int32, c_void_p, c_int32, c_int32, c_void_p, c_int32, c_void_p, POINTER(FoldingState), _EXECUTION,
    ],
    "cudaspline_find_quantiles": [c_void_p, c_int32, c_int64, _NUMBERS, _NUMBERS, _EXECUTION],
    "cudaspline_find_centre_of_gravity": [POINTER(Image), c_int32, POINTER(Image), c_int32, _NUMBERS, _EXECUTION],
    "cudaspline_find_rotation": [
        POINTER(Image), POINTER(Image), POINTER(Image), POINTER(Image), c_int32, c_int32, POINTER(Rotation), _EXECUTION,
    ],
    "cudaspline_find_value_scales": [
        POINTER(Image), POINTER(Image), POINTER(Image), POINTER(Image), c_int32, c_int32, c_int32, c_int32, c_void_p, POINTER(ValueScales),
        _EXECUTION,
    ],
}.items():  # fmt: skip
    _function = getattr(_library._library, _name)
    _function.restype = c_int32
    _function.argtypes = _arguments


class Folding(NamedTuple):
    """What a transform does to volumes."""

    #: Samples whose Jacobian determinant is not positive: there space is folded.
    voxels: int
    #: Samples that were looked at.
    all: int
    #: The least determinant.
    least: float
    #: The largest one.
    largest: float


def describe_grid(geometry: Geometry) -> Grid:
    """A grid as the library takes it."""
    grid = Grid()
    grid.size[:] = [*geometry.size, 1][:3]
    set_vector(grid.origin, geometry.origin)
    grid.spacing[:] = [1.0, 1.0, 1.0]
    set_vector(grid.spacing, geometry.spacing)
    set_matrix(grid.index_to_point, geometry.index_to_point)
    set_matrix(grid.point_to_index, geometry.point_to_index)
    return grid


def describe_image(pointer: int, geometry: Geometry) -> Image:
    """An image as the library takes it."""
    return Image(pointer, describe_grid(geometry))


def shrink_grid(geometry: Geometry, factor: int) -> Geometry:
    """cudaspline_shrink_grid."""
    grid, shrunk = describe_grid(geometry), Grid()
    _library.check(_library._library.cudaspline_shrink_grid(ctypes.byref(grid), geometry.dimension, factor, ctypes.byref(shrunk)))
    n = geometry.dimension
    return make_geometry(shrunk.size[:n], shrunk.spacing[:n], shrunk.origin[:n], geometry.direction)


class Watch:
    """The callback of a registration's iterations.

    listen: called with each IterationState; what it raises ends the registration with what that has come to, as an interrupt (Ctrl-C)
        does"""

    def __init__(self, listen: Callable[[Any], object]) -> None:
        self._reports = _library._Reports(listen)
        self._receiver = self._reports.receive()
        next(self._receiver)
        #: What the library calls.
        self.callback = IterationCallback(self._receiver.send)

    def run(self, call: _library.Call, name: str, *arguments: object) -> tuple[_library.Report, Optional[BaseException]]:
        """Calls a function of the library: who computed, and what was raised while it iterated."""
        self._reports.is_running = True
        try:
            call.run(name, *arguments)
        finally:
            self._reports.is_running = False
        raised, self._reports.raised = self._reports.raised, None
        return cast(_library.Report, _library.last_report()), raised


def measure_folding(
    call: _library.Call, geometry: Geometry, field: int, type_code: int, is_logarithm: bool, output: int, device: int, stream: Optional[int]
) -> Folding:
    """cudaspline_measure_folding."""
    grid, found = describe_grid(geometry), FoldingState()
    call.run(
        "cudaspline_measure_folding", ctypes.byref(grid), geometry.dimension, field, type_code, int(is_logarithm), output, device, stream,
        ctypes.byref(found),
    )  # fmt: skip
    return Folding(int(found.voxels), int(found.all), float(found.least), float(found.largest))


def find_quantiles(call: _library.Call, pixels: int, type_code: int, count: int, parts: tuple[float, float]) -> tuple[float, float]:
    """cudaspline_find_quantiles: both NaN where all pixels are the same."""
    wanted, values = (c_double * 2)(*parts), (c_double * 2)()
    call.run("cudaspline_find_quantiles", pixels, type_code, count, wanted, values)
    return float(values[0]), float(values[1])


def find_centre_of_gravity(call: _library.Call, image: Image, type_code: int, mask: Optional[Image], dimension: int) -> list[float]:
    """cudaspline_find_centre_of_gravity: NaN where all pixels are the same."""
    centre = (c_double * 3)()
    address = None if mask is None else ctypes.byref(mask)
    call.run("cudaspline_find_centre_of_gravity", ctypes.byref(image), type_code, address, dimension, centre)
    return list(centre[:dimension])


def find_rotation(
    call: _library.Call, images: Sequence[Image], masks: Sequence[Optional[Image]], type_code: int, rotation: Rotation, dimension: int
) -> None:
    """cudaspline_find_rotation: of the fixed image and the moving one, into the structure."""
    arguments = [None if one is None else ctypes.byref(one) for pair in zip(images, masks) for one in pair]
    call.run("cudaspline_find_rotation", *arguments, type_code, dimension, ctypes.byref(rotation))


def find_value_scales(
    call: _library.Call, images: Sequence[Image], type_code: int, dimension: int, compares_values: bool, device: int, stream: Optional[int]
) -> ValueScales:
    """cudaspline_find_value_scales: of the fixed image, its mask, the moving one, its mask."""
    scales = ValueScales()
    call.run(
        "cudaspline_find_value_scales", *map(ctypes.byref, images), type_code, dimension, int(compares_values), device, stream,
        ctypes.byref(scales),
    )  # fmt: skip
    return scales
