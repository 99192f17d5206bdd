"""The functions of libCudaSplineC for arrays: structures of include/itkCudaSpline/c/CudaSplineArraysC.h, which documents them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int32, c_int64, c_void_p

from ..core import _library
from ._plans import note

MAXIMUM_DIMENSION = 6

MODES = {
    "mirror": 0,
    "reflect": 1,
    "grid-mirror": 1,
    "grid-wrap": 2,
    "nearest": 3,
    "grid-constant": 4,
    "constant": 5,
    "wrap": 6,
}

COORDINATES, AFFINE, SHIFT_SCALE, PIXEL_SCALE = range(4)

#: Layouts of the elements of an input in host memory, added to its type: cudaspline_array_layout.
SWAPPED, BYTE_STRIDES = 0x100, 0x200

_Numbers = c_int64 * MAXIMUM_DIMENSION
_Reals = c_double * MAXIMUM_DIMENSION
_Flags = c_int32 * MAXIMUM_DIMENSION


class Array(ctypes.Structure):
    """cudaspline_array."""

    _fields_ = [
        ("data", c_void_p),
        ("type", c_int32),
        ("dimension", c_int32),
        ("size", _Numbers),
        ("stride", _Numbers),
    ]


class Interpolation(ctypes.Structure):
    """cudaspline_array_interpolation."""

    _fields_ = [
        ("input", Array),
        ("order", c_int32),
        ("mode", c_int32),
        ("border", c_double),
        ("padding", c_double),
        ("coefficients", c_int32),
        ("element", c_int32),
        ("map", c_int32),
        ("coordinates", c_void_p),
        ("coordinate_type", c_int32),
        ("coordinate_stride", c_int64),
        ("matrix", _Reals * MAXIMUM_DIMENSION),
        ("offset", _Reals),
        ("batch", _Flags),
        ("scale", _Reals),
        ("shift", _Reals),
        ("output", Array),
        ("device", c_int32),
        ("stream", c_void_p),
    ]


class Filter(ctypes.Structure):
    """cudaspline_array_filter."""

    _fields_ = [
        ("input", Array),
        ("order", c_int32),
        ("mode", c_int32),
        ("element", c_int32),
        ("filtered", _Flags),
        ("output", Array),
        ("device", c_int32),
        ("stream", c_void_p),
    ]


for _name, _structure in (("cudaspline_interpolate_array", Interpolation), ("cudaspline_filter_array", Filter)):
    _function = getattr(_library._library, _name)
    _function.restype = c_int32
    _function.argtypes = [POINTER(_structure), POINTER(_library.Execution)]


def interpolate(interpolation: Interpolation, threads: int = 0) -> None:
    """Runs an interpolation where its arrays are; raises the library's errors. threads: of the host; 0: as many as may be used."""
    note("cudaspline_interpolate_array", interpolation, threads)
    _library.run_where("cudaspline_interpolate_array", interpolation, threads)


def filter_array(description: Filter, threads: int = 0) -> None:
    """Runs a filter where its arrays are; raises the library's errors. threads: as for interpolate()."""
    note("cudaspline_filter_array", description, threads)
    _library.run_where("cudaspline_filter_array", description, threads)
