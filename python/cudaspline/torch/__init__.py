"""Splines with gradients, for PyTorch: values of images at points, under fields and affine maps,
and their adjoints.

All functions are differentiable by their tensors, more than once, work under torch.compile and
torch.vmap, and give the same bits at every call, on a GPU too. Numbers of points, fields and
matrices are in the order of the tensors' axes, the slowest first, in samples (but of resample(),
which is in space, x first). See doc/Gradients.md.

All take threads=: how many threads of the host the library takes for a call and for its
derivatives, whoever asks for them; 0: those of cudaspline.use_threads(), else as many as may be
used. What PyTorch computes itself has PyTorch's threads (penalties and mean squares have no
others).
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
