"""Losses of the library, by address: the common code of cudaspline.torch and cudaspline.jax.

The structures are those of include/itkCudaSpline/c/CudaSplineGradientsC.h, which documents them. Nothing here knows an array's library.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int32, c_int64, c_void_p
from typing import NamedTuple, Optional, Sequence

from ..core import _library
from ._gradients import MAXIMUM_DIMENSION, Place


class LocalCorrelation(ctypes.Structure):
    """cudaspline_local_correlation."""

    _fields_ = [
        ("dimension", c_int32),
        ("size", c_int64 * MAXIMUM_DIMENSION),
        ("radius", c_int64 * MAXIMUM_DIMENSION),
        ("images", c_int64),
        ("element", c_int32),
        ("fixed", c_void_p),
        ("moving", c_void_p),
        ("mask", c_void_p),
        ("mask_stride", c_int64),
        ("sums", c_void_p),
        ("fixed_gradient", c_void_p),
        ("moving_gradient", c_void_p),
        ("device", c_int32),
        ("stream", c_void_p),
    ]


_correlate = _library._library.cudaspline_correlate_locally
_correlate.restype = c_int32
_correlate.argtypes = [POINTER(LocalCorrelation), POINTER(_library.Execution)]


class JointSamples(ctypes.Structure):
    """cudaspline_joint_samples."""

    _fields_ = [
        ("count", c_int64),
        ("bins", c_int64),
        ("element", c_int32),
        ("fixed", c_void_p),
        ("moving", c_void_p),
        ("mask", c_void_p),
        ("ends", c_void_p),
        ("joint", c_void_p),
        ("fixed_gradient", c_void_p),
        ("moving_gradient", c_void_p),
        ("device", c_int32),
        ("stream", c_void_p),
    ]


for _name in ("accumulate", "differentiate"):
    _function = getattr(_library._library, f"cudaspline_{_name}_joint_histogram")
    _function.restype = c_int32
    _function.argtypes = [POINTER(JointSamples), POINTER(_library.Execution)]


class Pairs(NamedTuple):
    """Addresses of the fixed and the moving images."""

    fixed: int
    moving: int
    #: 0: all samples count.
    mask: int
    #: Samples to the next image's; 0: all have the same.
    mask_stride: int


def run_local_correlation(
    dtype: str,
    place: Place,
    size: Sequence[int],
    images: int,
    radius: Sequence[int],
    pairs: Pairs,
    sums: int,
    fixed_gradient: int,
    moving_gradient: int,
    threads: int = 0,
) -> None:
    """Sums of squared correlations, one an image, and their gradients where an address is not 0; raises the library's errors."""
    described = LocalCorrelation()
    described.dimension = len(size)
    described.size[: len(size)] = size
    described.radius[: len(size)] = radius
    described.images = images
    described.element = _library.TYPES[dtype]
    described.fixed, described.moving, described.mask, described.mask_stride = pairs
    described.sums, described.fixed_gradient, described.moving_gradient = sums, fixed_gradient, moving_gradient
    described.device, described.stream = place
    _library.run_where("cudaspline_correlate_locally", described, threads)


def run_joint_histogram(
    dtype: str,
    place: Place,
    count: int,
    bins: int,
    images: tuple[int, int, int, int],
    joint: int,
    gradients: Optional[tuple[int, int]] = None,
    threads: int = 0,
) -> None:
    """The joint histogram of samples, or, with addresses for them, the gradients of its sum with weights; raises the library's errors.

    images: addresses of fixed, moving, mask (0: none) and ends"""
    described = JointSamples()
    described.count, described.bins = count, bins
    described.element = _library.TYPES[dtype]
    described.fixed, described.moving, described.mask, described.ends = images
    described.joint = joint
    described.fixed_gradient, described.moving_gradient = gradients or (0, 0)
    described.device, described.stream = place
    _library.run_where(f"cudaspline_{'accumulate' if gradients is None else 'differentiate'}_joint_histogram", described, threads)
