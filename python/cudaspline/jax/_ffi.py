"""The library's operations as foreign functions of XLA: what jax.jit compiles calls them without
Python, on a GPU in its stream.

They are those of libCudaSplineJax (src/jax), which is in the folder of libCudaSplineC if the
package was built with jaxlib's headers.
"""

from __future__ import annotations

import ctypes
import functools
import os
from importlib import metadata
from typing import Any, NamedTuple, Sequence

import jax
import numpy

from ..autodiff import _gradients
from ..core import _library

#: What XLA calls a platform, by JAX's name.
XLA_NAMES = {"cpu": "cpu", "cuda": "CUDA"}
_OPERATIONS = (
    "evaluate",
    "contract",
    "scatter",
    "filter",
    "correlate",
    "joint_histogram",
    "joint_gradients",
)


class Ffi(NamedTuple):
    """The platforms on which functions compiled by JAX call the library without Python."""

    #: Platforms by JAX's names; on others JAX calls Python on the host (jax.pure_callback).
    platforms: tuple[str, ...]
    #: The reason if a platform is missing; otherwise empty.
    reason: str


@functools.lru_cache(maxsize=None)
def ffi() -> Ffi:
    """The platforms on which functions compiled by JAX call the library without Python: (platforms,
    reason). The function initializes the devices of JAX.

    Examples
    --------
    >>> import cudaspline.jax
    >>> set(cudaspline.jax.ffi().platforms) <= {"cpu", "cuda"}
    True
    """
    if os.environ.get("CUDASPLINE_JAX_FFI") == "0":
        return Ffi((), "CUDASPLINE_JAX_FFI is 0")
    if not hasattr(jax, "ffi"):
        return Ffi((), f"JAX {jax.__version__} has no jax.ffi; JAX 0.5 or newer is needed")
    path = _library.path().with_name("libCudaSplineJax.so")
    if not path.exists():
        return Ffi((), f"there is no {path}: the package was built without jaxlib's headers")
    # Handlers of another version of XLA's interface than jaxlib knows are refused where it is at
    # work; else it would not start.
    jax.devices()
    platforms: list[str] = []
    try:
        library = ctypes.CDLL(str(path))
        for platform in ("cpu", "cuda") if _library.cuda_version() else ("cpu",):
            for name in _OPERATIONS:
                handler = jax.ffi.pycapsule(getattr(library, f"cudaspline_jax_{name}_{platform}"))
                jax.ffi.register_ffi_target(
                    f"cudaspline_{name}", handler, platform=XLA_NAMES[platform]
                )
            platforms.append(platform)
    except Exception as error:  # pylint: disable=broad-except  # jaxlib's own
        return Ffi(
            tuple(platforms),
            f"{path} is not compatible with jaxlib {metadata.version('jaxlib')}: {error}",
        )
    return Ffi(tuple(platforms), "" if len(platforms) > 1 else "the package was built without CUDA")


def run_points(
    name: str,
    shape: Sequence[int],
    arrays: Sequence[Any],
    spline: _gradients.Spline,
    derivatives: int,
) -> Any:
    """_gradients.run_points() as an operation of XLA. name: "evaluate", "contract" or "scatter"."""
    order, mode, border, threads = spline
    return _call(
        name,
        shape,
        arrays,
        threads,
        order=numpy.int32(order),
        mode=numpy.int32(mode),
        border=numpy.float64(border),
        derivatives=numpy.int32(derivatives),
    )


def run_filter(
    samples: Any, axes: Sequence[int], spline: _gradients.Spline, is_adjoint: bool
) -> Any:
    """_gradients.run_filter() as an operation of XLA, along neighbouring axes of which the first is
    not the array's first one."""
    options = {
        "order": spline.order,
        "mode": spline.mode,
        "first": axes[0],
        "axes": len(axes),
        "adjoint": int(is_adjoint),
    }
    return _call(
        "filter",
        samples.shape,
        (samples,),
        spline.threads,
        **{key: numpy.int32(value) for key, value in options.items()},
    )


def run_local_correlation(
    shapes: Sequence[tuple[int, ...]],
    fixed: Any,
    moving: Any,
    mask: Any,
    radius: Sequence[int],
    threads: int,
) -> Any:
    """_losses.run_local_correlation() as an operation of XLA: sums and gradients of these shapes.
    An empty mask or gradient means that there is none."""
    call = jax.ffi.ffi_call(
        "cudaspline_correlate", [jax.ShapeDtypeStruct(shape, fixed.dtype) for shape in shapes]
    )
    return call(
        fixed, moving, mask, radius=numpy.array(radius, numpy.int64), threads=numpy.int32(threads)
    )


def run_joint_histogram(shapes: Sequence[tuple[int, ...]], threads: int, *arrays: Any) -> Any:
    """_losses.run_joint_histogram() as an operation of XLA, of fixed, moving, mask (without
    numbers: none) and ends: the histogram, or with weights as the last argument the gradients,
    which are empty if they are not requested."""
    name = "joint_histogram" if len(arrays) == 4 else "joint_gradients"
    call = jax.ffi.ffi_call(
        f"cudaspline_{name}", [jax.ShapeDtypeStruct(shape, arrays[0].dtype) for shape in shapes]
    )
    return call(*arrays, threads=numpy.int32(threads))


def _call(
    name: str, shape: Sequence[int], arrays: Sequence[Any], threads: int, **options: Any
) -> Any:
    call = jax.ffi.ffi_call(
        f"cudaspline_{name}", jax.ShapeDtypeStruct(tuple(shape), arrays[0].dtype)
    )
    return call(*arrays, threads=numpy.int32(threads), **options)
