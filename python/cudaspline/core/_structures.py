"""The structures of the library by ctypes: those of include/itkCudaSpline/c/CudaSplineC.h and
CudaSplineFilesC.h, which document them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p

MAXIMUM_DIMENSION = 4
REASON_BYTES = 512
NIFTI_HEADER_BYTES = 544

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


class Nifti(ctypes.Structure):
    """cudaspline_nifti."""

    _fields_ = [
        ("version", c_int32),
        ("single_file", c_int32),
        ("swapped", c_int32),
        ("dimension", c_int32),
        ("pixel", c_int32),
        ("components", c_int32),
        ("planes", c_int32),
        ("stored_type", c_int32),
        ("type", c_int32),
        ("scaled", c_int32),
        ("size", Sizes),
        ("volumes", c_int64),
        ("pixel_offset", c_uint64),
        ("slope", c_double),
        ("intercept", c_double),
        ("spacing", Vector),
        ("origin", Vector),
        ("direction", Matrix),
        ("qform_code", c_int32),
        ("sform_code", c_int32),
        ("intent_code", c_int32),
        ("dim_info", c_int32),
        ("slice_code", c_int32),
        ("volume_unit", c_int32),
        ("intent_parameters", Vector),
        ("cal_min", c_double),
        ("cal_max", c_double),
        ("slice_duration", c_double),
        ("volume_spacing", c_double),
        ("volume_origin", c_double),
        ("slice_start", c_int64),
        ("slice_end", c_int64),
        ("intent_name", c_char * 17),
        ("description", c_char * 81),
        ("aux_file", c_char * 25),
    ]


class Interpolation(ctypes.Structure):
    """cudaspline_interpolation."""

    _fields_ = [
        ("kind", c_int32),
        ("mode", c_int32),
        ("lower", Vector),
        ("upper", Vector),
        ("border", c_double),
        ("cubic_c", c_double),
        ("window", c_int32),
        ("radius", c_int32),
        ("sigma", Vector),
        ("cutoff", Vector),
        ("cubic_b", c_double),
    ]


class NamedInterpolation(ctypes.Structure):
    """cudaspline_named_interpolation."""

    _fields_ = [
        ("name", c_char_p),
        ("aliases", c_char_p * 2),
        ("kind_name", c_char_p),
        ("kind", c_int32),
        ("window", c_int32),
        ("cubic_b", c_double),
        ("cubic_c", c_double),
        ("is_of_indicators", c_int32),
        ("moves_pixels", c_int32),
        ("has_derivatives", c_int32),
        ("is_mirrored", c_int32),
        ("reach", c_int32),
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


class Grid(ctypes.Structure):
    """cudaspline_grid."""

    _fields_ = [
        ("size", c_int64 * 3),
        ("origin", Vector),
        ("spacing", Vector),
        ("index_to_point", Matrix),
        ("point_to_index", Matrix),
    ]


class InverseAccuracy(ctypes.Structure):
    """cudaspline_inverse_accuracy."""

    _fields_ = [("mean", c_double), ("largest", c_double), ("limit", c_double)]


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
