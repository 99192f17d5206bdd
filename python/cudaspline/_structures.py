"""The structures of the library by ctypes: those of include/itkCudaSpline/c/CudaSplineC.h, which documents them, field by field."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p

MAXIMUM_DIMENSION = 4
REASON_BYTES = 512

Vector = c_double * 3
Matrix = c_double * 9
Sizes = c_int64 * 3


class ProgressState(ctypes.Structure):
    """cudaspline_progress."""

    _fields_ = [("fraction", c_double), ("data", c_void_p)]


Progress = ctypes.CFUNCTYPE(c_int32, POINTER(ProgressState))


class Execution(ctypes.Structure):
    """cudaspline_execution."""

    _fields_ = [
        ("device", c_char_p),
        ("threads", c_int32),
        ("memory_limit", c_uint64),
        ("progress", Progress),
        ("progress_data", c_void_p),
        ("backend", c_int32),
        ("used_device", c_int32),
        ("pieces", c_int32),
        ("reason", c_char * REASON_BYTES),
        ("seconds", c_double),
        ("calls", c_int64 * 3),
        ("call_seconds", c_double * 3),
    ]


class DeviceInfo(ctypes.Structure):
    """cudaspline_device_info."""

    _fields_ = [
        ("name", c_char * 256),
        ("major", c_int32),
        ("minor", c_int32),
        ("multiprocessors", c_int32),
        ("total_memory", c_uint64),
    ]


class Image(ctypes.Structure):
    """cudaspline_image."""

    _fields_ = [
        ("pixels", c_void_p),
        ("device", c_int32),
        ("stream", c_void_p),
        ("dimension", c_int32),
        ("start", c_int64 * MAXIMUM_DIMENSION),
        ("size", c_int64 * MAXIMUM_DIMENSION),
        ("components", c_int32),
        ("pixel", c_int32),
        ("element", c_int32),
        ("order", c_int32),
        ("method", c_int32),
        ("taps", c_int32),
        ("extension", c_int32 * MAXIMUM_DIMENSION),
        ("storage", c_int32),
        ("table_entries", c_int32),
    ]


class Interpolation(ctypes.Structure):
    """cudaspline_interpolation."""

    _fields_ = [
        ("kind", c_int32),
        ("mode", c_int32),
        ("lower", Vector),
        ("upper", Vector),
        ("border", c_double),
        ("tension", c_double),
        ("window", c_int32),
        ("radius", c_int32),
        ("sigma", Vector),
        ("cutoff", Vector),
    ]


class Stage(ctypes.Structure):
    """cudaspline_stage."""

    _fields_ = [
        ("kind", c_int32),
        ("matrix", Matrix),
        ("offset", Vector),
        ("start", Sizes),
        ("size", Sizes),
        ("origin", Vector),
        ("point_to_index", Matrix),
        ("order", c_int32),
        ("nearest", c_int32),
        ("goes_on", c_int32),
        ("data", c_void_p),
        ("type", c_int32),
    ]


class Resampling(ctypes.Structure):
    """cudaspline_resampling."""

    _fields_ = [
        ("interpolation", Interpolation),
        ("extrapolate", c_int32),
        ("input_origin", Vector),
        ("input_point_to_index", Matrix),
        ("output_origin", Vector),
        ("output_index_to_point", Matrix),
        ("output_start", Sizes),
        ("output_size", Sizes),
        ("stages", POINTER(Stage)),
        ("stage_count", c_int32),
        ("output", c_void_p),
        ("output_type", c_int32),
        ("rounding", c_int32),
        ("default_pixel", c_void_p),
        ("device", c_int32),
        ("stream", c_void_p),
        ("line_start", c_int64),
        ("line_length", c_int64),
    ]


class Points(ctypes.Structure):
    """cudaspline_points."""

    _fields_ = [
        ("interpolation", Interpolation),
        ("device", c_int32),
        ("stream", c_void_p),
        ("count", c_int64),
        ("points", c_void_p),
        ("point_type", c_int32),
        ("physical", c_int32),
        ("origin", Vector),
        ("point_to_index", Matrix),
        ("derivatives", c_int32),
        ("gradient_map", Matrix),
        ("output_type", c_int32),
        ("rounding", c_int32),
        ("values", c_void_p),
        ("gradients", c_void_p),
        ("hessians", c_void_p),
        ("inside", c_void_p),
        ("default_value", c_void_p),
    ]
