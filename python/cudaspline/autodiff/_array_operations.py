"""Functions that the formulas of fields and losses require of an array library, in addition to the operators and methods that all arrays have."""

from __future__ import annotations

from typing import Any, Callable, Protocol, Sequence


class FormulaOperations(Protocol):
    """Functions of PyTorch (cudaspline.torch) or JAX (cudaspline.jax). Arrays have operators, indices, and the methods sum (axis, keepdims), mean,
    min, max and reshape; all of these have derivatives in it."""

    def check(self, array: Any, name: str) -> Any:
        """An array of floating-point numbers. Raises TypeError, naming the argument."""

    def check_mask(self, mask: Any, like: Any) -> Any:
        """The mask of an array. Raises TypeError or ValueError, naming the argument."""

    def check_together(self, array: Any, other: Any, name: str, other_name: str) -> None:
        """Refuses arrays on two devices. Raises ValueError, naming the argument."""

    def constant(self, value: Any, name: str) -> float:
        """A number that has no gradient. Raises TypeError or ValueError, naming the argument."""

    def computed(self, *arrays: Any) -> tuple[Any, ...]:
        """Arrays in the type that is computed in."""

    def like(self, array: Any, other: Any) -> Any:
        """An array in the type of another one."""

    def array(self, values: Any, like: Any) -> Any:
        """Numbers as an array with the type and the device of another one."""

    def epsilon(self, array: Any) -> float:
        """The difference between 1 and the next number of an array's type."""

    def broadcast(self, array: Any, shape: Sequence[int]) -> Any:
        """Raises ValueError or RuntimeError where it does not go."""

    def where(self, condition: Any, one: Any, other: Any) -> Any: ...

    def log(self, array: Any) -> Any: ...

    def moveaxis(self, array: Any, source: int, destination: int) -> Any: ...

    def stack(self, arrays: Sequence[Any]) -> Any:
        """Along a new last axis."""

    def difference(self, array: Any, axis: int) -> Any:
        """Differences of neighbours."""

    def differences(self, array: Any, steps: Sequence[float], axes: Sequence[int]) -> Sequence[Any]:
        """Along each axis: central differences, one-sided at the ends, as ITK has them."""

    def window_sums(self, image: Any, radius: Sequence[int]) -> Any:
        """Sums of a batch (N, C, ...) over windows, which are cropped at the borders."""

    def constants(self, function: Callable[..., Any], *arrays: Any) -> Any:
        """The result of a function of arrays, without derivatives."""

    def iterated(self, step: Callable[[Any], Any], start: Any, most: int, least: float) -> Any:
        """The result of repeated steps, until no number changes by more than the given bound. Without derivatives."""

    def implicit(self, solve: Callable[..., Any], tangent: Callable[..., Any], cotangent: Callable[..., Any], array: Any) -> Any:
        """The first of what solve(array) finds, with the derivatives of the implicit function theorem, of all orders, and not those of how it is
        found. The first axis is a batch's.

        tangent(array, found, change): how the found moves with the array
        cotangent(array, found, others, gradient): the transpose of that; others: what else solve() found, or nothing, where it has to have
        derivatives"""

    def identity(self, shape: Sequence[int], like: Any) -> Any:
        """The positions of all samples, (*shape, D)."""

    def sample(self, image: Any, points: Any, order: int, is_filtered: bool) -> Any:
        """Values at points, as of the function of that name; beyond an end those of the end."""

    def slope(self, image: Any, points: Any) -> Any:
        """Gradients at points of the linear spline."""

    def push(self, values: Any, points: Any, shape: Sequence[int], order: int) -> Any:
        """The transpose of sample, of coefficients."""


class ArrayOperations(FormulaOperations, Protocol):
    """With the losses that the library computes."""

    def correlation_sums(self, fixed: Any, moving: Any, mask: Any, radius: Sequence[int]) -> Any:
        """_loss_formulas.correlation_sums(), by the library where it can."""

    def of_joint_histogram(self, function: Callable[[Any, Any], Any], fixed: Any, moving: Any, mask: Any, ends: Any, bins: int, count: Any) -> Any:
        """The number that a function makes of _loss_formulas.joint_histogram(), by the library where it can, and a count without a gradient."""
