"""The functions that the formulas of fields and losses require, for JAX."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp

from ..autodiff import _array_operations, _loss_formulas
from ..core import _library
from . import _functions, _loss_operators
from ._functions import _array, _constant, _identity, _type_of

#: Radius of the largest windows that fit into the shared memory of every device: JAX does not report the device that it uses.
_LARGEST_RADIUS = 7


class _JaxOperations:
    """cudaspline.autodiff._array_operations.ArrayOperations."""

    def check(self, array: Any, name: str) -> Any:
        return _array(array, name)

    def check_mask(self, mask: Any, like: Any) -> Any:
        try:
            return jnp.asarray(mask)
        except (TypeError, ValueError) as error:
            raise TypeError(f"mask: {type(mask).__name__} is not an array: {error}") from None

    def check_together(self, array: Any, other: Any, name: str, other_name: str) -> None:
        """JAX does, where it computes."""

    def constant(self, value: Any, name: str) -> float:
        return _constant(value, name)

    def computed(self, *arrays: Any) -> tuple[Any, ...]:
        return tuple(array.astype(_type_of(*arrays)) for array in arrays)

    def like(self, array: Any, other: Any) -> Any:
        return array.astype(jnp.asarray(other).dtype)

    def array(self, values: Any, like: Any) -> Any:
        return jnp.asarray(values, like.dtype)

    def epsilon(self, array: Any) -> float:
        return float(jnp.finfo(array.dtype).eps)

    def broadcast(self, array: Any, shape: Sequence[int]) -> Any:
        return jnp.broadcast_to(array, tuple(shape))

    def where(self, condition: Any, one: Any, other: Any) -> Any:
        return jnp.where(condition, one, other)

    def log(self, array: Any) -> Any:
        return jnp.log(array)

    def moveaxis(self, array: Any, source: int, destination: int) -> Any:
        return jnp.moveaxis(array, source, destination)

    def stack(self, arrays: Sequence[Any]) -> Any:
        return jnp.stack(list(arrays), -1)

    def difference(self, array: Any, axis: int) -> Any:
        return jnp.diff(array, axis=axis)

    def differences(self, array: Any, steps: Sequence[float], axes: Sequence[int]) -> Sequence[Any]:
        return [jnp.gradient(array, float(step), axis=axis) for step, axis in zip(steps, axes)]

    def window_sums(self, image: Any, radius: Sequence[int]) -> Any:
        for axis, reach in enumerate(radius, 2):
            windows = [2 * reach + 1 if other == axis else 1 for other in range(image.ndim)]
            margin = [(reach, reach) if other == axis else (0, 0) for other in range(image.ndim)]
            zero = image.dtype.type(0)  # by which JAX knows the sum, which has derivatives of any order
            image = jax.lax.reduce_window(image, zero, jax.lax.add, tuple(windows), (1,) * image.ndim, margin)
        return image

    def correlation_sums(self, fixed: Any, moving: Any, mask: Any, radius: Sequence[int]) -> Any:
        def by_formula(fixed: Any, moving: Any, mask: Any) -> Any:
            return _loss_formulas.correlation_sums(self, fixed, moving, mask, radius)

        if max(radius) > _LARGEST_RADIUS:
            return by_formula(fixed, moving, mask)
        return _loss_operators.correlation_sums(fixed, moving, mask, tuple(radius), by_formula)

    def of_joint_histogram(self, function: Callable[[Any, Any], Any], fixed: Any, moving: Any, mask: Any, ends: Any, bins: int, count: Any) -> Any:
        def by_formula(fixed: Any, moving: Any, mask: Any, ends: Any) -> Any:
            return _loss_formulas.joint_histogram(self, fixed, moving, mask, ends, bins)

        return _loss_operators.of_joint_histogram(function, fixed, moving, mask, ends, bins, count, by_formula)

    def constants(self, function: Callable[..., Any], *arrays: Any) -> Any:
        return jax.lax.stop_gradient(function(*(jax.lax.stop_gradient(array) for array in arrays)))

    def iterated(self, step: Callable[[Any], Any], start: Any, most: int, least: float) -> Any:
        if start.size == 0:
            return start

        def go_on(state: Any) -> Any:
            number, _, moved = state
            return (number < most) & (moved > least)

        def following(state: Any) -> Any:
            number, before, _ = state
            found = step(before)
            return number + 1, found, jnp.abs(found - before).max()

        infinite = jnp.asarray(float("inf"), start.dtype)
        return jax.lax.while_loop(go_on, following, (jnp.asarray(0), start, infinite))[1]

    def implicit(self, solve: Callable[..., Any], tangent: Callable[..., Any], cotangent: Callable[..., Any], array: Any) -> Any:
        threads = _library.chosen_threads()

        @jax.custom_jvp
        def found(array: Any) -> Any:
            with _library.ChosenThreads(threads):  # JAX traces what is compiled, and its derivatives, when it likes
                return solve(array)[0]

        @found.defjvp
        def derivative(primals: Any, tangents: Any) -> Any:  # of which JAX makes the transpose
            result = found(*primals)
            with _library.ChosenThreads(threads):
                return result, tangent(*primals, result, *tangents)

        return found(array)

    def identity(self, shape: Sequence[int], like: Any) -> Any:
        return _identity(shape, like.dtype)

    def sample(self, image: Any, points: Any, order: int, is_filtered: bool) -> Any:
        return _functions.sample(image, points, order=order, mode="nearest", prefilter=is_filtered)

    def slope(self, image: Any, points: Any) -> Any:
        return _functions.grad(image, points, order=1, mode="nearest")

    def push(self, values: Any, points: Any, shape: Sequence[int], order: int) -> Any:
        return _functions.push(values, points, shape, order=order, mode="nearest")


OPERATIONS: _array_operations.ArrayOperations = _JaxOperations()
