"""Differentiable splines for JAX: values of images at points, through displacement fields and
through affine maps, and the adjoints of these operations.

All functions work under jax.jit, jax.grad, jax.jvp and jax.vmap, in any order, so jax.hessian
works, too. On the platforms that ffi() returns, functions compiled by JAX call the library
directly, on a GPU in XLA's stream. On other platforms they call Python on the host
(jax.pure_callback), and arrays on a GPU are copied to the host and back. With the environment
variable CUDASPLINE_JAX_FFI=0 this is done on all platforms. Points, fields and matrices are in
samples and in the order of the arrays' axes, the slowest axis first. Only resample() works in
physical space, x first. See doc/Gradients.md.

All functions have the argument threads: the number of host threads of the library for a call and
for its derivatives, a constant of compiled code. 0: the number of cudaspline.use_threads() when JAX
traces, otherwise all processors that may be used. Operations of JAX itself use JAX's threads;
penalties and mean squares consist only of these.
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
