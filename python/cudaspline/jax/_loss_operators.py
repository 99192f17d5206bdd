"""Losses of the library for JAX: the primitives that make a loss and its gradients.

correlation_sums() and of_joint_histogram() have the primitives' first derivatives, forward and
backward, and those of higher orders by the formula. Images are (B, *size), masks (B, *size) or (1,
*size) of bool; an empty one means that there is none. For histograms both are (n,).
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Sequence

import jax
import numpy
from jax.custom_derivatives import SymbolicZero
from jax.interpreters import batching, mlir

from ..autodiff import _losses
from ..core import _library
from . import _ffi
from ._operators import _PLACE, Primitive


def _shapes(fixed: Any, of_fixed: bool, of_moving: bool) -> list[tuple[int, ...]]:
    """Of the sums and of both gradients, which have no numbers where they are not wanted."""
    return [
        fixed.shape[:1],
        *(tuple(fixed.shape) if is_wanted else (0,) for is_wanted in (of_fixed, of_moving)),
    ]


def _compute(
    fixed: Any,
    moving: Any,
    mask: Any,
    *,
    radius: tuple[int, ...],
    of_fixed: bool,
    of_moving: bool,
    threads: int,
    platform: str = "",
) -> Any:
    shapes = _shapes(fixed, of_fixed, of_moving)
    if 0 in fixed.shape:
        return [jax.numpy.zeros(shape, fixed.dtype) for shape in shapes]
    if platform in _ffi.ffi().platforms:
        return _ffi.run_local_correlation(shapes, fixed, moving, mask, radius, threads)

    def host(*given: Any) -> list[numpy.ndarray]:
        one, other, inside = (numpy.ascontiguousarray(array) for array in given)
        made = [numpy.empty(shape, one.dtype) for shape in shapes]
        address = inside.ctypes.data if inside.size else 0
        pairs = _losses.Pairs(
            one.ctypes.data, other.ctypes.data, address, 0 if inside.shape[0] == 1 else one[0].size
        )
        sums, *gradients = (array.ctypes.data if array.size else 0 for array in made)
        place = _PLACE, one.shape[1:], one.shape[0]
        _losses.run_local_correlation(
            one.dtype.name, *place, radius, pairs, sums, gradients[0], gradients[1], threads
        )
        return made

    return jax.pure_callback(
        host, [jax.ShapeDtypeStruct(shape, fixed.dtype) for shape in shapes], fixed, moving, mask
    )


def _primitive_of(
    name: str,
    compute: Callable[..., Any],
    shapes: Callable[..., Any],
    static: Sequence[str],
    together: Optional[Callable[..., Any]] = None,
) -> Any:
    """One whose results have the type of the first argument.

    together: what jax.vmap makes of the primitive, arrays and axes; None: one after the other"""
    made = Primitive(name)
    made.multiple_results = True
    made.def_abstract_eval(
        lambda fixed, *rest, **options: [
            fixed.update(shape=shape, weak_type=False) for shape in shapes(fixed, **options)
        ]
    )
    mlir.register_lowering(made, mlir.lower_fun(compute, multiple_results=True))
    for platform in _ffi.XLA_NAMES:
        mlir.register_lowering(
            made,
            mlir.lower_fun(functools.partial(compute, platform=platform), multiple_results=True),
            platform=platform,
        )
    compiled = jax.jit(made.bind, static_argnames=tuple(static))

    def compile_one(*arrays: Any, **options: Any) -> Any:
        """Called by itself: on which platform it is knows what compiles alone."""
        with jax.disable_jit(False):
            return compiled(*arrays, **options)

    made.def_impl(compile_one)

    def one_by_one(arrays: Sequence[Any], axes: Sequence[Optional[int]], /, **options: Any) -> Any:
        mapped = tuple(
            jax.numpy.moveaxis(array, axis, 0)
            for array, axis in zip(arrays, axes)
            if axis is not None
        )

        def one(parts: Any) -> Any:
            rest = iter(parts)
            return made.bind(
                *(array if axis is None else next(rest) for array, axis in zip(arrays, axes)),
                **options,
            )

        found = jax.lax.map(one, mapped)
        return found, [0] * len(found)

    batching.primitive_batchers[made] = (
        one_by_one if together is None else functools.partial(together, made)
    )
    return made


def _correlated_together(
    primitive: Any, arrays: Sequence[Any], axes: Sequence[Optional[int]], /, **options: Any
) -> Any:
    """The axis that jax.vmap maps becomes one with that of the images."""
    jnp = jax.numpy
    count = next(array.shape[axis] for array, axis in zip(arrays, axes) if axis is not None)
    moved = [
        array[None] if axis is None else jnp.moveaxis(array, axis, 0)
        for array, axis in zip(arrays, axes)
    ]
    images = moved[0].shape[1]
    whole = [jnp.broadcast_to(array, (count, *array.shape[1:])) for array in moved[:2]]
    mask = moved[2]
    if mask.size and not (mask.shape[0] == 1 and mask.shape[1] == 1):
        mask = jnp.broadcast_to(mask, (count, images, *mask.shape[2:]))
    merged = [
        array.reshape(array.shape[0] * array.shape[1], *array.shape[2:]) for array in (*whole, mask)
    ]
    found = primitive.bind(*merged, **options)
    wanted = (True, options["of_fixed"], options["of_moving"])
    results = [
        one.reshape(count, images, *one.shape[1:]) if is_wanted else one
        for one, is_wanted in zip(found, wanted)
    ]
    return results, [0 if is_wanted else None for is_wanted in wanted]


_correlate_p = _primitive_of(
    "cudaspline_correlate",
    _compute,
    lambda fixed, radius, of_fixed, of_moving, threads: _shapes(fixed, of_fixed, of_moving),
    ["radius", "of_fixed", "of_moving", "threads"],
    _correlated_together,
)


def _no_mask(like: Any) -> Any:
    return jax.numpy.zeros((1,) + (0,) * (like.ndim - 1), bool)


def correlation_sums(
    fixed: Any,
    moving: Any,
    mask: Optional[Any],
    radius: tuple[int, ...],
    formula: Callable[..., Any],
) -> Any:
    """Of a batch (N, C, *size): (N, C).

    mask: bool, of the batch's shape; formula: the sums of images and mask, for derivatives of
        higher orders"""
    images = [array.reshape(-1, *array.shape[2:]) for array in (fixed, moving)]
    inside = _no_mask(images[0]) if mask is None else mask.reshape(images[0].shape)

    def by_formula(one: Any, other: Any, inside: Any) -> Any:
        return formula(one[None], other[None], inside[None] if inside.size else None)[0]

    options = {"radius": radius, "threads": _library.threads_of_call()}

    @jax.custom_jvp
    def sums(one: Any, other: Any, inside: Any) -> Any:
        return _correlate_p.bind(one, other, inside, of_fixed=False, of_moving=False, **options)[0]

    def with_gradients(wanted: tuple[bool, ...], one: Any, other: Any, inside: Any) -> Any:
        return tuple(
            _correlate_p.bind(
                one, other, inside, of_fixed=wanted[0], of_moving=wanted[1], **options
            )
        )

    _define_derivatives(sums, with_gradients, by_formula)
    return sums(*images, inside).reshape(fixed.shape[:2])


def _define_derivatives(
    value: Any, with_gradients: Callable[..., Any], formula: Callable[..., Any]
) -> None:
    """Those of a jax.custom_jvp by its first two arguments, the images: numbers one an image, or
    one of all.

    with_gradients: of which of them, and the arguments: (value, gradients), without numbers where
        they are not wanted
    formula: the same value, for derivatives of higher orders"""

    def derivative(primals: Any, tangents: Any) -> Any:
        wanted = tuple(not isinstance(tangent, SymbolicZero) for tangent in tangents[:2])
        found, *gradients = differentiable(wanted)(*primals)
        along = sum(
            (gradient * tangent).sum(range(found.ndim, tangent.ndim))
            for gradient, tangent, is_wanted in zip(gradients, tangents, wanted)
            if is_wanted
        )
        return found, along + jax.numpy.zeros_like(found)

    value.defjvp(derivative, symbolic_zeros=True)

    def differentiable(wanted: tuple[bool, ...]) -> Any:
        @jax.custom_jvp
        def call(*given: Any) -> Any:
            return with_gradients(wanted, *given)

        @call.defjvp
        def _(primals: Any, tangents: Any) -> Any:
            one, other, *rest = primals

            def by_hand(one: Any, other: Any) -> Any:
                found, back = jax.vjp(lambda one, other: formula(one, other, *rest), one, other)
                gradients = back(jax.numpy.ones_like(found))
                return (
                    found,
                    *(
                        g if is_wanted else jax.numpy.zeros((0,), g.dtype)
                        for g, is_wanted in zip(gradients, wanted)
                    ),
                )

            return jax.jvp(by_hand, (one, other), tuple(tangents[:2]))

        return call


def _compute_joint(
    fixed: Any, moving: Any, mask: Any, ends: Any, *, bins: int, threads: int, platform: str = ""
) -> Any:
    if platform in _ffi.ffi().platforms:
        return _ffi.run_joint_histogram([(bins, bins)], threads, fixed, moving, mask, ends)

    def host(*given: Any) -> list[numpy.ndarray]:
        made = numpy.empty((bins, bins), given[0].dtype)
        _run_joint(given, made, None, threads)
        return [made]

    return jax.pure_callback(
        host, [jax.ShapeDtypeStruct((bins, bins), fixed.dtype)], fixed, moving, mask, ends
    )


def _compute_joint_gradients(
    fixed: Any,
    moving: Any,
    mask: Any,
    ends: Any,
    weights: Any,
    *,
    of_fixed: bool,
    of_moving: bool,
    threads: int,
    platform: str = "",
) -> Any:
    shapes = [fixed.shape if is_wanted else (0,) for is_wanted in (of_fixed, of_moving)]
    if platform in _ffi.ffi().platforms:
        return _ffi.run_joint_histogram(shapes, threads, fixed, moving, mask, ends, weights)

    def host(*given: Any) -> list[numpy.ndarray]:
        made = [numpy.empty(shape, given[0].dtype) for shape in shapes]
        _run_joint(given[:4], numpy.ascontiguousarray(given[4]), made, threads)
        return made

    return jax.pure_callback(
        host,
        [jax.ShapeDtypeStruct(shape, fixed.dtype) for shape in shapes],
        fixed,
        moving,
        mask,
        ends,
        weights,
    )


def _run_joint(
    given: Sequence[Any],
    joint: numpy.ndarray,
    gradients: Optional[Sequence[numpy.ndarray]],
    threads: int,
) -> None:
    """given: fixed, moving, mask and ends"""
    one, other, inside, ends = (numpy.ascontiguousarray(array) for array in given)
    addresses = [
        array.ctypes.data if array.size else 0
        for array in (one, other, inside, ends, *(gradients or ()))
    ]
    images = (addresses[0], addresses[1], addresses[2], addresses[3])
    made = None if gradients is None else (addresses[4], addresses[5])
    _losses.run_joint_histogram(
        one.dtype.name,
        _PLACE,
        one.size,
        bins=joint.shape[0],
        images=images,
        joint=joint.ctypes.data,
        gradients=made,
        threads=threads,
    )


_joint_p = _primitive_of(
    "cudaspline_joint_histogram",
    _compute_joint,
    lambda fixed, bins, threads: [(bins, bins)],
    ["bins", "threads"],
)
_joint_gradients_p = _primitive_of(
    "cudaspline_joint_gradients",
    _compute_joint_gradients,
    lambda fixed, of_fixed, of_moving, threads: [
        fixed.shape if is_wanted else (0,) for is_wanted in (of_fixed, of_moving)
    ],
    ["of_fixed", "of_moving", "threads"],
)


def of_joint_histogram(
    function: Callable[[Any, Any], Any],
    fixed: Any,
    moving: Any,
    mask: Optional[Any],
    ends: Any,
    bins: int,
    count: Any,
    formula: Callable[..., Any],
) -> Any:
    """The number that a function makes of the joint histogram of two images of one shape and of a
    count.

    mask: bool, of the images' shape; ends: four numbers, without gradient like the count; formula:
        the histogram of images, mask and ends,
    for derivatives of higher orders"""
    images = fixed.reshape(-1), moving.reshape(-1)
    inside = jax.numpy.zeros((0,), bool) if mask is None else mask.reshape(-1)

    threads = _library.threads_of_call()

    def by_formula(one: Any, other: Any, inside: Any, ends: Any, count: Any) -> Any:
        return function(formula(one, other, inside if inside.size else None, ends), count)

    @jax.custom_jvp
    def value(one: Any, other: Any, inside: Any, ends: Any, count: Any) -> Any:
        return function(
            _joint_p.bind(one, other, inside, ends, bins=bins, threads=threads)[0], count
        )

    def with_gradients(
        wanted: tuple[bool, ...], one: Any, other: Any, inside: Any, ends: Any, count: Any
    ) -> Any:
        (joint,) = _joint_p.bind(one, other, inside, ends, bins=bins, threads=threads)
        found, back = jax.vjp(lambda joint: function(joint, count), joint)
        (weights,) = back(jax.numpy.ones_like(found))
        made = _joint_gradients_p.bind(
            one,
            other,
            inside,
            ends,
            weights,
            of_fixed=wanted[0],
            of_moving=wanted[1],
            threads=threads,
        )
        return found, *made

    _define_derivatives(value, with_gradients, by_formula)
    return value(*images, inside, ends, count)
