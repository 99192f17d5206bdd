"""The operators of the library for JAX, with gradients that are made of the same operators: those of cudaspline.torch._operators.

Coefficients are (B, C, *size), points (B, P, D), numbers of points (B, C, P, D^n); of one type, float32 or float64. In place of B one image
or one list of points may stand for all.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Sequence

import jax
import numpy

from .. import _gradients

#: On the host.
_PLACE = _gradients.Place(-1, 0)


def _joined(arrays: Sequence[Any], axes: Sequence[int]) -> tuple[tuple[int, ...], list[numpy.ndarray]]:
    """Arrays whose axes in front of those that they need are jax.vmap's, with one axis for these and for the batch; and the shape of that
    axis."""
    found = [numpy.asarray(array) for array in arrays]
    lead = numpy.broadcast_shapes(*(array.shape[: array.ndim - n] for array, n in zip(found, axes)))
    batches = [array.shape[array.ndim - n] for array, n in zip(found, axes)]
    batch = 0 if 0 in batches else max(batches)
    shape = (*lead, batch)
    joined = []
    for array, n in zip(found, axes):
        rest = array.shape[array.ndim - n + 1 :]
        joined.append(numpy.ascontiguousarray(numpy.broadcast_to(array, (*shape, *rest))).reshape(math.prod(shape), *rest))
    return shape, joined


def _run(name: str, spline: _gradients.Spline, derivatives: int, size: Sequence[int], shape: tuple[int, ...], points: Any, coefficients: Any,
         weights: Any, result_shape: tuple[int, ...]) -> numpy.ndarray:  # fmt: skip
    result = numpy.empty(result_shape, points.dtype)
    images = coefficients if coefficients is not None else weights
    _gradients.run_points(
        name,
        spline,
        derivatives,
        points.dtype.name,
        _PLACE,
        size,
        (points.shape[0], images.shape[1], points.shape[1]),
        (points.ctypes.data, points[:1].size),
        (coefficients.ctypes.data, coefficients[:1].size) if coefficients is not None else (0, 0),
        weights.ctypes.data if weights is not None else 0,
        result.ctypes.data,
    )
    return result.reshape(*shape, *result_shape[1:])


def _call(function: Any, shape: tuple[int, ...], dtype: Any, *arrays: Any) -> Any:
    return jax.pure_callback(function, jax.ShapeDtypeStruct(shape, dtype), *arrays, vmap_method="broadcast_all")


def _batches(*arrays: Any) -> int:
    sizes = [array.shape[0] for array in arrays]
    return 0 if 0 in sizes else max(sizes)


def _sum_to(gradient: Any, batches: int) -> Any:
    return gradient if gradient.shape[0] == batches else gradient.sum(0, keepdims=True)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def evaluate(coefficients: Any, points: Any, spline: _gradients.Spline, derivatives: int) -> Any:
    """Derivatives of order n at points: (B, C, P, D^n)."""
    dimension = points.shape[2]

    def host(images: Any, places: Any) -> numpy.ndarray:
        shape, (images, places) = _joined((images, places), (2 + dimension, 3))
        result = (places.shape[0], images.shape[1], places.shape[1], dimension**derivatives)
        return _run("evaluate", spline, derivatives, images.shape[2:], shape, places, images, None, result)

    shape = (_batches(coefficients, points), coefficients.shape[1], points.shape[1], dimension**derivatives)
    return _call(host, shape, coefficients.dtype, coefficients, points)


def _evaluate_forward(coefficients: Any, points: Any, spline: _gradients.Spline, derivatives: int) -> Any:
    return evaluate(coefficients, points, spline, derivatives), (coefficients, points)


def _evaluate_backward(spline: _gradients.Spline, derivatives: int, kept: Any, gradient: Any) -> Any:
    coefficients, points = kept
    of_coefficients = scatter(gradient, points, coefficients.shape[2:], spline, derivatives)
    of_points = contract(coefficients, points, gradient, spline, derivatives)
    return _sum_to(of_coefficients, coefficients.shape[0]), _sum_to(of_points, points.shape[0])


evaluate.defvjp(_evaluate_forward, _evaluate_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def contract(coefficients: Any, points: Any, weights: Any, spline: _gradients.Spline, derivatives: int) -> Any:
    """Gradients by the points of the sum of weights times derivatives: (B, P, D)."""
    dimension = points.shape[2]
    if derivatives > _gradients.MOST_DERIVATIVES:
        raise NotImplementedError(
            f"cudaspline.jax: derivatives of values at points beyond the {_gradients.MOST_DERIVATIVES + 1}rd have no gradients."
        )

    def host(images: Any, places: Any, numbers: Any) -> numpy.ndarray:
        shape, (images, places, numbers) = _joined((images, places, numbers), (2 + dimension, 3, 4))
        return _run("contract", spline, derivatives, images.shape[2:], shape, places, images, numbers, places.shape)

    shape = (weights.shape[0], points.shape[1], dimension)
    return _call(host, shape, coefficients.dtype, coefficients, points, weights)


def _contract_forward(coefficients: Any, points: Any, weights: Any, spline: _gradients.Spline, derivatives: int) -> Any:
    return contract(coefficients, points, weights, spline, derivatives), (coefficients, points, weights)


def _contract_backward(spline: _gradients.Spline, derivatives: int, kept: Any, gradient: Any) -> Any:
    coefficients, points, weights = kept
    along = gradient[:, None, :, None, :]
    more = (weights[..., None] * along).reshape(*weights.shape[:3], -1)
    of_coefficients = scatter(more, points, coefficients.shape[2:], spline, derivatives + 1)
    of_points = contract(coefficients, points, more, spline, derivatives + 1)
    of_weights = evaluate(coefficients, points, spline, derivatives + 1)
    of_weights = (of_weights.reshape(*weights.shape, -1) * along).sum(-1)
    return _sum_to(of_coefficients, coefficients.shape[0]), _sum_to(of_points, points.shape[0]), of_weights


contract.defvjp(_contract_forward, _contract_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4))
def scatter(weights: Any, points: Any, size: tuple[int, ...], spline: _gradients.Spline, derivatives: int) -> Any:
    """The transpose of evaluate: (B, C, *size)."""

    def host(numbers: Any, places: Any) -> numpy.ndarray:
        shape, (numbers, places) = _joined((numbers, places), (4, 3))
        return _run("scatter", spline, derivatives, size, shape, places, None, numbers, (*numbers.shape[:2], *size))

    return _call(host, (*weights.shape[:2], *size), weights.dtype, weights, points)


def _scatter_forward(weights: Any, points: Any, size: tuple[int, ...], spline: _gradients.Spline, derivatives: int) -> Any:
    return scatter(weights, points, size, spline, derivatives), (weights, points)


def _scatter_backward(size: tuple[int, ...], spline: _gradients.Spline, derivatives: int, kept: Any, gradient: Any) -> Any:
    weights, points = kept
    plain = spline._replace(border=0.0)
    of_points = contract(gradient, points, weights, plain, derivatives)
    return evaluate(gradient, points, plain, derivatives), _sum_to(of_points, points.shape[0])


scatter.defvjp(_scatter_forward, _scatter_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2, 3, 4))
def filter_axes(samples: Any, axes: tuple[int, ...], order: int, mode: int, is_adjoint: bool) -> Any:
    """B-spline coefficients along some neighbouring axes, of which the first is not the array's first one; or the transpose of that."""
    count = samples.ndim

    def host(found: Any) -> numpy.ndarray:
        found = numpy.asarray(found)
        first = found.ndim - count + axes[0]
        joined = numpy.ascontiguousarray(found).reshape(math.prod(found.shape[:first]), *found.shape[first:])
        result = numpy.empty_like(joined)
        if joined.size > 0:
            moved = [axis - axes[0] + 1 for axis in axes]
            _gradients.run_filter(is_adjoint, order, mode, joined.dtype.name, _PLACE, joined.shape, moved, joined.ctypes.data, result.ctypes.data)
        return result.reshape(found.shape)

    return _call(host, samples.shape, samples.dtype, samples)


def _filter_forward(samples: Any, axes: tuple[int, ...], order: int, mode: int, is_adjoint: bool) -> Any:
    return filter_axes(samples, axes, order, mode, is_adjoint), None


def _filter_backward(axes: tuple[int, ...], order: int, mode: int, is_adjoint: bool, kept: Any, gradient: Any) -> Any:
    return (filter_axes(gradient, axes, order, mode, not is_adjoint),)


filter_axes.defvjp(_filter_forward, _filter_backward)

