"""Splines with gradients, for JAX: values of images at points, under fields and affine maps, and their adjoints.

All functions work under jax.jit, jax.grad, jax.jvp and jax.vmap, in any order, so that jax.hessian is there. What JAX compiles calls the library
itself on the platforms that ffi() names, on a GPU in its stream; on others it calls Python on the host (jax.pure_callback), and arrays
on a GPU travel there and back. The environment variable CUDASPLINE_JAX_FFI=0 has the latter everywhere.
Numbers of points, fields and matrices are in the order of the arrays' axes, the slowest first, in samples. See doc/Gradients.md.

All take threads=: how many threads of the host the library takes for a call and for its derivatives, a constant of compiled code; 0: those of
cudaspline.use_threads() when JAX traces, else as many as may be used. What JAX computes itself has JAX's threads (penalties and mean squares
have no others).
"""

try:
    import jax as _jax  # noqa: F401
except ImportError as error:
    raise ImportError("cudaspline.jax needs JAX (pip install jax).") from error

from ._ffi import ffi
from ._fields import compose, exp, ffd, invert, jacobian_determinant
from ._functions import affine, count, grad, identity, prefilter, push, resample, sample, warp
from ._losses import (
    bending,
    diffusion,
    folding,
    jacobian,
    local_correlation,
    mean_squares,
    mutual_information,
)

__all__ = [
    "affine",
    "bending",
    "compose",
    "count",
    "diffusion",
    "exp",
    "ffd",
    "ffi",
    "folding",
    "grad",
    "identity",
    "invert",
    "jacobian",
    "jacobian_determinant",
    "local_correlation",
    "mean_squares",
    "mutual_information",
    "prefilter",
    "push",
    "resample",
    "sample",
    "warp",
]
