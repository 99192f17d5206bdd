"""Differentiable splines for PyTorch: values of images at points, through displacement fields and
through affine maps, and the adjoints of these operations.

All functions have gradients with respect to their tensors, also of higher order, work with
torch.compile and torch.vmap, and return the same bits in every call, also on a GPU. Points, fields
and matrices are in samples and in the order of the tensors' axes, the slowest axis first. Only
resample() works in physical space, x first. See doc/Gradients.md.

All functions have the argument threads: the number of host threads of the library for a call and
for its derivatives. 0: the number of cudaspline.use_threads(), otherwise all processors that may be
used. Operations of PyTorch itself use PyTorch's threads; penalties and mean squares consist only of
these.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("cudaspline.torch needs PyTorch (pip install torch).") from error
if not hasattr(_torch.library, "custom_op"):
    raise ImportError(
        f"cudaspline.torch needs PyTorch 2.5 or newer, but this is {_torch.__version__} (pip install --upgrade torch)."
    )

from ._fields import compose, exp, ffd, invert, jacobian_determinant
from ._functions import (
    affine,
    count,
    grad,
    identity,
    prefilter,
    pull,
    push,
    resample,
    sample,
    spline_coeff,
    spline_coeff_nd,
    warp,
)
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
    "pull",
    "push",
    "resample",
    "sample",
    "spline_coeff",
    "spline_coeff_nd",
    "warp",
]
