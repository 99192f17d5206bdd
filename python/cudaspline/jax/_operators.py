"""The operators of the library for JAX: primitives, with derivatives forward and backward that are
made of the same operators.

Coefficients c are (B, C, *size), points x (B, P, D), numbers of points w (B, C, P, D^n) for
derivatives of order n, vectors of points v (B, P, D); of one type, float32 or float64. In place of
B one image or one list of points may stand for all, but not for numbers of points.

    evaluate(c, x)              D(I, c, x), derivatives along all lists I of n axes
    along(c, x, v)              the sum over d of D(Id, c, x) v(d)
    contract(c, x, w)           by d, the sum over channels and I of w(I) D(Id, c, x)
    contract_along(c, x, w, v)  contract(c, x, w v), w v with the components w(I) v(d)
    scatter(w, x)               the transpose of evaluate by c
    scatter_along(w, x, v)      scatter(w v, x)
    filter_axes(s)              coefficients, or the transpose of that

Each is linear in every argument but the points (in c without the border), and its derivative by the
points is the operator with "along" in its name, or that of one more derivative. So derivatives
forward are operators again; and backward, which is their transpose, along by v is contract, the
kernel that adds up over the channels: no intermediate arrays are stored.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Optional, Sequence

import jax
import numpy
from jax.interpreters import ad, batching, mlir

try:
    from jax.extend.core import Primitive as Primitive
except ImportError:  # a version of JAX before 0.4.36
    from jax.core import Primitive as Primitive  # type: ignore[no-redef, attr-defined, unused-ignore]

from ..autodiff import _gradients
from . import _ffi

#: On the host.
_PLACE = _gradients.Place(-1, 0)


def _run(
    name: str,
    *,
    spline: _gradients.Spline,
    derivatives: int,
    size: Sequence[int],
    points: Any,
    coefficients: Any,
    weights: Any,
    result_shape: tuple[int, ...],
) -> numpy.ndarray:
    points = numpy.ascontiguousarray(points)
    result = numpy.empty(result_shape, points.dtype)
    images = coefficients if coefficients is not None else weights
    batches = max(array.shape[0] for array in (points, coefficients, weights) if array is not None)
    coefficients, weights = (
        None if array is None else numpy.ascontiguousarray(array)
        for array in (coefficients, weights)
    )

    def shared(array: numpy.ndarray) -> tuple[int, int]:
        return int(array.ctypes.data), 0 if array.shape[0] == 1 and batches > 1 else int(
            array[:1].size
        )

    _gradients.run_points(
        name,
        spline,
        derivatives=derivatives,
        dtype=points.dtype.name,
        place=_PLACE,
        size=size,
        counts=(batches, images.shape[1], points.shape[1]),
        points=shared(points),
        coefficients=shared(coefficients) if coefficients is not None else (0, 0),
        weights=weights.ctypes.data if weights is not None else 0,
        result=result.ctypes.data,
    )
    return result


def _call(function: Callable[..., Any], shape: tuple[int, ...], *arrays: Any) -> Any:
    return jax.pure_callback(function, jax.ShapeDtypeStruct(shape, arrays[0].dtype), *arrays)


def _is_empty(shape: tuple[int, ...], *arrays: Any) -> bool:
    """Whether nothing is computed: a sum of nothing is 0."""
    return 0 in shape or any(0 in array.shape for array in arrays)


def _batches(*arrays: Any) -> int:
    sizes = [array.shape[0] for array in arrays]
    return 0 if 0 in sizes else max(sizes)


def _sum_to(gradient: Any, batches: int) -> Any:
    """The gradient of what stands for all images of a batch."""
    return gradient if gradient.shape[0] == batches else gradient.sum(0, keepdims=True)


def _with(weights: Any, vectors: Any) -> Any:
    """A component more, along the axis of the vectors: (B, C, P, D^(n + 1))."""
    return (weights[..., None] * vectors[:, None, :, None, :]).reshape(
        -1, *weights.shape[1:3], weights.shape[3] * vectors.shape[2]
    )


def _dot(values: Any, vectors: Any) -> Any:
    """The last component less: its sum with the vectors, (B, C, P, D^(n - 1))."""
    dimension = vectors.shape[2]
    return (
        values.reshape(*values.shape[:3], values.shape[3] // dimension, dimension)
        * vectors[:, None, :, None, :]
    ).sum(-1)


def _plain(spline: _gradients.Spline) -> _gradients.Spline:
    """The part that is linear in the coefficients."""
    return spline._replace(border=0.0)


def _check(derivatives: int) -> None:
    if derivatives > _gradients.MAX_DERIVATIVES:
        raise NotImplementedError(
            f"cudaspline.jax: values at points can be differentiated at most {_gradients.MAX_DERIVATIVES + 1} times."
        )


# What each is, by the library: called by XLA on platforms where it can, else by Python.


def _at_points(
    name: str,
    *,
    shape: tuple[int, ...],
    size: Sequence[int],
    images: Any,
    points: Any,
    weights: Any,
    spline: _gradients.Spline,
    derivatives: int,
    platform: str,
) -> Any:
    arrays = [array for array in (images, points, weights) if array is not None]
    if _is_empty(shape, *arrays):
        return jax.numpy.zeros(shape, points.dtype)
    if platform in _ffi.ffi().platforms:
        return _ffi.run_points(
            name, shape, arrays if images is not None else [weights, points], spline, derivatives
        )

    def host(*given: Any) -> numpy.ndarray:
        found = iter(given)
        images_, points_, weights_ = (
            None if array is None else next(found) for array in (images, points, weights)
        )
        return _run(
            name,
            spline=spline,
            derivatives=derivatives,
            size=size,
            points=points_,
            coefficients=images_,
            weights=weights_,
            result_shape=shape,
        )

    return _call(host, shape, *arrays)


def _evaluate(
    coefficients: Any,
    points: Any,
    *,
    spline: _gradients.Spline,
    derivatives: int,
    platform: str = "",
) -> Any:
    shape = (
        _batches(coefficients, points),
        coefficients.shape[1],
        points.shape[1],
        points.shape[2] ** derivatives,
    )
    return _at_points(
        "evaluate",
        shape=shape,
        size=coefficients.shape[2:],
        images=coefficients,
        points=points,
        weights=None,
        spline=spline,
        derivatives=derivatives,
        platform=platform,
    )


def _along(
    coefficients: Any, points: Any, vectors: Any, *, spline: _gradients.Spline, derivatives: int
) -> Any:
    if derivatives < _gradients.MAX_DERIVATIVES:
        return _dot(evaluate(coefficients, points, spline, derivatives + 1), vectors)
    # Third derivatives are there contracted alone: with 1 for each list of axes in turn, and
    # channels as images.
    jnp = jax.numpy
    batches, channels, components = (
        _batches(coefficients, points),
        coefficients.shape[1],
        points.shape[2] ** derivatives,
    )
    images = jnp.broadcast_to(coefficients, (batches, *coefficients.shape[1:])).reshape(
        -1, 1, *coefficients.shape[2:]
    )
    places = jnp.repeat(jnp.broadcast_to(points, (batches, *points.shape[1:])), channels, 0)
    found = []
    for one in numpy.eye(components, dtype=points.dtype):
        weights = jnp.broadcast_to(one, (batches * channels, 1, points.shape[1], components))
        gradient = contract(images, places, weights, spline, derivatives)
        found.append(
            (gradient.reshape(batches, channels, *points.shape[1:]) * vectors[:, None]).sum(-1)
        )
    return jnp.stack(found, -1)


def _contract(
    coefficients: Any,
    points: Any,
    weights: Any,
    *,
    spline: _gradients.Spline,
    derivatives: int,
    platform: str = "",
) -> Any:
    shape = (weights.shape[0], *points.shape[1:])
    return _at_points(
        "contract",
        shape=shape,
        size=coefficients.shape[2:],
        images=coefficients,
        points=points,
        weights=weights,
        spline=spline,
        derivatives=derivatives,
        platform=platform,
    )


def _contract_along(
    coefficients: Any,
    points: Any,
    weights: Any,
    vectors: Any,
    *,
    spline: _gradients.Spline,
    derivatives: int,
) -> Any:
    return contract(coefficients, points, _with(weights, vectors), spline, derivatives + 1)


def _scatter(
    weights: Any,
    points: Any,
    *,
    size: tuple[int, ...],
    spline: _gradients.Spline,
    derivatives: int,
    platform: str = "",
) -> Any:
    return _at_points(
        "scatter",
        shape=(*weights.shape[:2], *size),
        size=size,
        images=None,
        points=points,
        weights=weights,
        spline=spline,
        derivatives=derivatives,
        platform=platform,
    )


def _scatter_along(
    weights: Any,
    points: Any,
    vectors: Any,
    *,
    size: tuple[int, ...],
    spline: _gradients.Spline,
    derivatives: int,
) -> Any:
    return scatter(_with(weights, vectors), points, size, spline, derivatives + 1)


def _filter(
    samples: Any,
    *,
    axes: tuple[int, ...],
    spline: _gradients.Spline,
    is_adjoint: bool,
    platform: str = "",
) -> Any:
    if _is_empty(samples.shape):
        return samples
    if platform in _ffi.ffi().platforms:
        return _ffi.run_filter(samples, axes, spline, is_adjoint)

    def host(found: Any) -> numpy.ndarray:
        found = numpy.ascontiguousarray(found)
        joined = found.reshape(math.prod(found.shape[: axes[0]]), *found.shape[axes[0] :])
        result = numpy.empty_like(joined)
        moved = [axis - axes[0] + 1 for axis in axes]
        _gradients.run_filter(
            is_adjoint=is_adjoint,
            order=spline.order,
            mode=spline.mode,
            dtype=joined.dtype.name,
            place=_PLACE,
            shape=joined.shape,
            axes=moved,
            source=joined.ctypes.data,
            result=result.ctypes.data,
            threads=spline.threads,
        )
        return result.reshape(found.shape)

    return _call(host, samples.shape, samples)


# As JAX takes it: primitives with shapes, batching, derivatives and transposes.


def _merged(
    arrays: Sequence[Any], axes: Sequence[Optional[int]], whole: Optional[int]
) -> tuple[list[Any], int, int]:
    """Arrays whose axis that jax.vmap maps is one with that of the batch, and the lengths of both.

    whole: the array in which one image cannot stand for all"""
    jnp = jax.numpy
    count = next(array.shape[axis] for array, axis in zip(arrays, axes) if axis is not None)
    moved = [
        array if axis is None else jnp.moveaxis(array, axis, 0) for array, axis in zip(arrays, axes)
    ]
    sizes = [array.shape[0 if axis is None else 1] for array, axis in zip(moved, axes)]
    batches = 0 if 0 in sizes else max(sizes)
    found = []
    for number, (array, axis, size) in enumerate(zip(moved, axes, sizes)):
        if axis is None and (size != 1 or number == whole):
            array = jnp.broadcast_to(array, (count, *array.shape))
        elif axis is None:
            found.append(array)
            continue
        rest = array.shape[2:]
        found.append(
            jnp.broadcast_to(array, (count, batches, *rest)).reshape(count * batches, *rest)
        )
    return found, count, batches


_OPTIONS = ("spline", "derivatives", "size", "axes", "is_adjoint")


def _define(
    name: str,
    compute: Callable[..., Any],
    shape: Callable[..., tuple[int, ...]],
    whole: Optional[int],
    is_library: bool = True,
) -> Any:
    """A primitive without derivatives.

    is_library: whether the library is called, and not other primitives"""
    primitive = Primitive(f"cudaspline_{name}")
    primitive.def_abstract_eval(
        lambda *given, **options: given[0].update(shape=shape(*given, **options), weak_type=False)
    )
    mlir.register_lowering(primitive, mlir.lower_fun(compute, multiple_results=False))
    for platform in _ffi.XLA_NAMES if is_library else ():
        lowering = mlir.lower_fun(
            functools.partial(compute, platform=platform), multiple_results=False
        )
        mlir.register_lowering(primitive, lowering, platform=platform)
    compiled = jax.jit(primitive.bind, static_argnames=_OPTIONS)

    def compile_one(*arrays: Any, **options: Any) -> Any:
        """Called by itself: on which platform it is knows what compiles alone."""
        with jax.disable_jit(False):
            return compiled(*arrays, **options)

    primitive.def_impl(compile_one)

    def batched(arrays: Sequence[Any], mapped: Sequence[Optional[int]], /, **options: Any) -> Any:
        merged, count, batches = _merged(arrays, mapped, whole)
        result = primitive.bind(*merged, **options)
        return result.reshape(count, batches, *result.shape[1:]), 0

    batching.primitive_batchers[primitive] = batched
    return primitive


def _transposes(primitive: Any, *rules: Optional[Callable[..., Any]]) -> None:
    """By each argument, a function of the result's cotangent and all arguments; None where the
    operator is not linear."""

    def transpose(cotangent: Any, /, *given: Any, **options: Any) -> Any:
        if isinstance(cotangent, ad.Zero):
            return [None] * len(given)
        unknown = [ad.is_undefined_primal(one) for one in given]
        shapes = [one.aval if is_unknown else one for one, is_unknown in zip(given, unknown)]
        return [
            _sum_to(rule(cotangent, *shapes, **options), one.shape[0])
            if is_unknown and rule is not None
            else None
            for one, is_unknown, rule in zip(shapes, unknown, rules)
        ]

    ad.primitive_transposes[primitive] = transpose


_evaluate_p = _define(
    "evaluate",
    _evaluate,
    lambda c, x, spline, derivatives: (
        _batches(c, x),
        c.shape[1],
        x.shape[1],
        x.shape[2] ** derivatives,
    ),
    None,
)
_along_p = _define(
    "along",
    _along,
    lambda c, x, v, spline, derivatives: (
        _batches(c, x, v),
        c.shape[1],
        x.shape[1],
        x.shape[2] ** derivatives,
    ),
    None,
    False,
)
_contract_p = _define(
    "contract", _contract, lambda c, x, w, spline, derivatives: (w.shape[0], *x.shape[1:]), 2
)
_contract_along_p = _define(
    "contract_along",
    _contract_along,
    lambda c, x, w, v, spline, derivatives: (w.shape[0], *x.shape[1:]),
    2,
    False,
)
_scatter_p = _define(
    "scatter", _scatter, lambda w, x, size, spline, derivatives: (*w.shape[:2], *size), 0
)
_scatter_along_p = _define(
    "scatter_along",
    _scatter_along,
    lambda w, x, v, size, spline, derivatives: (*w.shape[:2], *size),
    0,
    False,
)
_filter_p = _define("filter", _filter, lambda s, axes, spline, is_adjoint: s.shape, None)


def evaluate(coefficients: Any, points: Any, spline: _gradients.Spline, derivatives: int) -> Any:
    """Derivatives of order n at points: (B, C, P, D^n)."""
    _check(derivatives)
    return _evaluate_p.bind(coefficients, points, spline=spline, derivatives=derivatives)


def along(
    coefficients: Any, points: Any, vectors: Any, spline: _gradients.Spline, derivatives: int
) -> Any:
    """Derivatives of order n + 1 at points, the last one along vectors: (B, C, P, D^n)."""
    _check(derivatives)
    return _along_p.bind(coefficients, points, vectors, spline=spline, derivatives=derivatives)


def contract(
    coefficients: Any, points: Any, weights: Any, spline: _gradients.Spline, derivatives: int
) -> Any:
    """Gradients by the points of the sum of weights times derivatives: (B, P, D)."""
    _check(derivatives)
    return _contract_p.bind(coefficients, points, weights, spline=spline, derivatives=derivatives)


def contract_along(
    coefficients: Any,
    points: Any,
    weights: Any,
    vectors: Any,
    spline: _gradients.Spline,
    derivatives: int,
) -> Any:
    """contract() of weights with a component more, along vectors: (B, P, D)."""
    _check(derivatives + 1)
    return _contract_along_p.bind(
        coefficients, points, weights, vectors, spline=spline, derivatives=derivatives
    )


def scatter(
    weights: Any, points: Any, size: tuple[int, ...], spline: _gradients.Spline, derivatives: int
) -> Any:
    """The transpose of evaluate: (B, C, *size)."""
    _check(derivatives)
    return _scatter_p.bind(weights, points, size=size, spline=spline, derivatives=derivatives)


def scatter_along(
    weights: Any,
    points: Any,
    vectors: Any,
    size: tuple[int, ...],
    spline: _gradients.Spline,
    derivatives: int,
) -> Any:
    """scatter() of weights with a component more, along vectors: (B, C, *size)."""
    _check(derivatives + 1)
    return _scatter_along_p.bind(
        weights, points, vectors, size=size, spline=spline, derivatives=derivatives
    )


def filter_axes(
    samples: Any, axes: tuple[int, ...], spline: _gradients.Spline, is_adjoint: bool
) -> Any:
    """B-spline coefficients along some neighbouring axes, of which the first is not the array's
    first one; or the transpose of that."""
    return _filter_p.bind(samples, axes=axes, spline=spline, is_adjoint=is_adjoint)


# Derivatives, by each argument: of its tangent t and all arguments.

ad.defjvp(
    _evaluate_p,
    lambda t, c, x, spline, derivatives: evaluate(t, x, _plain(spline), derivatives),
    lambda t, c, x, spline, derivatives: along(c, x, t, spline, derivatives),
)
ad.defjvp(
    _along_p,
    lambda t, c, x, v, spline, derivatives: along(t, x, v, _plain(spline), derivatives),
    lambda t, c, x, v, spline, derivatives: _dot(along(c, x, t, spline, derivatives + 1), v),
    lambda t, c, x, v, spline, derivatives: along(c, x, t, spline, derivatives),
)
ad.defjvp(
    _contract_p,
    lambda t, c, x, w, spline, derivatives: contract(t, x, w, _plain(spline), derivatives),
    lambda t, c, x, w, spline, derivatives: contract_along(c, x, w, t, spline, derivatives),
    lambda t, c, x, w, spline, derivatives: contract(c, x, t, spline, derivatives),
)
ad.defjvp(
    _contract_along_p,
    lambda t, c, x, w, v, spline, derivatives: contract_along(
        t, x, w, v, _plain(spline), derivatives
    ),
    lambda t, c, x, w, v, spline, derivatives: contract_along(
        c, x, _with(w, v), t, spline, derivatives + 1
    ),
    lambda t, c, x, w, v, spline, derivatives: contract_along(c, x, t, v, spline, derivatives),
    lambda t, c, x, w, v, spline, derivatives: contract_along(c, x, w, t, spline, derivatives),
)
ad.defjvp(
    _scatter_p,
    lambda t, w, x, size, spline, derivatives: scatter(t, x, size, spline, derivatives),
    lambda t, w, x, size, spline, derivatives: scatter_along(w, x, t, size, spline, derivatives),
)
ad.defjvp(
    _scatter_along_p,
    lambda t, w, x, v, size, spline, derivatives: scatter_along(t, x, v, size, spline, derivatives),
    lambda t, w, x, v, size, spline, derivatives: scatter_along(
        _with(w, v), x, t, size, spline, derivatives + 1
    ),
    lambda t, w, x, v, size, spline, derivatives: scatter_along(w, x, t, size, spline, derivatives),
)
ad.defjvp(
    _filter_p, lambda t, s, axes, spline, is_adjoint: filter_axes(t, axes, spline, is_adjoint)
)

# Transposes, by each argument: of the result's cotangent g and all arguments, of which that one is
# its shape alone.

_transposes(
    _evaluate_p,
    lambda g, c, x, spline, derivatives: scatter(g, x, c.shape[2:], spline, derivatives),
    None,
)
_transposes(
    _along_p,
    lambda g, c, x, v, spline, derivatives: scatter_along(
        g, x, v, c.shape[2:], spline, derivatives
    ),
    None,
    lambda g, c, x, v, spline, derivatives: contract(c, x, g, spline, derivatives),
)
_transposes(
    _contract_p,
    lambda g, c, x, w, spline, derivatives: scatter_along(
        w, x, g, c.shape[2:], spline, derivatives
    ),
    None,
    lambda g, c, x, w, spline, derivatives: along(c, x, g, spline, derivatives),
)
_transposes(
    _contract_along_p,
    lambda g, c, x, w, v, spline, derivatives: scatter_along(
        _with(w, v), x, g, c.shape[2:], spline, derivatives + 1
    ),
    None,
    lambda g, c, x, w, v, spline, derivatives: _dot(along(c, x, g, spline, derivatives + 1), v),
    lambda g, c, x, w, v, spline, derivatives: contract_along(c, x, w, g, spline, derivatives),
)
_transposes(
    _scatter_p,
    lambda g, w, x, size, spline, derivatives: evaluate(g, x, _plain(spline), derivatives),
    None,
)
_transposes(
    _scatter_along_p,
    lambda g, w, x, v, size, spline, derivatives: along(g, x, v, _plain(spline), derivatives),
    None,
    lambda g, w, x, v, size, spline, derivatives: contract(g, x, w, _plain(spline), derivatives),
)
_transposes(
    _filter_p, lambda g, s, axes, spline, is_adjoint: filter_axes(g, axes, spline, not is_adjoint)
)
