"""The operations of PyTorch that the formulas of fields and losses need, without the losses that
the library computes."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch

from ..autodiff._array_operations import FormulaOperations
from ..core._library import chosen_threads
from . import _functions, _operators
from ._functions import _check_tensor, _constant, _numbers, _same_device, _type_of


class _Implicit(torch.autograd.Function):
    """ArrayOperations.implicit(). Its derivatives are made of the inputs and results in the
    caller's graph, so that they are differentiable."""

    @staticmethod
    def forward(
        array: torch.Tensor, solve: Any, tangent: Any, cotangent: Any
    ) -> tuple[torch.Tensor, ...]:
        return tuple(solve(array))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        array, _, ctx.tangent, ctx.cotangent = inputs
        ctx.threads = chosen_threads()
        found, *others = output
        ctx.others = len(others)
        ctx.mark_non_differentiable(*others)
        ctx.save_for_backward(array, found, *others)
        ctx.save_for_forward(array, found)

    @staticmethod
    @_operators.in_kept_threads
    def backward(ctx: Any, gradient: torch.Tensor, *_: Any) -> Any:
        array, found, *others = ctx.saved_tensors
        return (
            ctx.cotangent(array, found, [] if torch.is_grad_enabled() else others, gradient),
            None,
            None,
            None,
        )

    @staticmethod
    @_operators.in_kept_threads
    def jvp(ctx: Any, change: torch.Tensor, *_: Any) -> Any:
        array, found = _operators.primals(ctx)
        with _operators.outer_derivatives_forward():
            return ctx.tangent(array, found, change), *[None] * ctx.others

    @staticmethod
    def vmap(info: Any, in_dims: Any, array: torch.Tensor, *functions: Any) -> Any:
        many = array.movedim(in_dims[0], 0)
        found = _Implicit.apply(many.flatten(0, 1), *functions)
        return tuple(one.unflatten(0, many.shape[:2]) for one in found), (0,) * len(found)


class TorchFormulas:
    """cudaspline.autodiff._array_operations.FormulaOperations."""

    def check(self, array: Any, name: str) -> torch.Tensor:
        _check_tensor(array, name)
        found: torch.Tensor = array
        return found

    def check_mask(self, mask: Any, like: torch.Tensor) -> torch.Tensor:
        if not isinstance(mask, torch.Tensor):
            raise TypeError(f"mask: {type(mask).__name__} is not a torch.Tensor.")
        if mask.requires_grad:
            raise ValueError(
                "mask: the tensor requires a gradient, but masks have no gradient; pass mask.detach()."
            )
        _same_device(mask, like, "mask", "fixed")
        return mask

    def check_together(
        self, array: torch.Tensor, other: torch.Tensor, name: str, other_name: str
    ) -> None:
        _same_device(array, other, name, other_name)

    def constant(self, value: Any, name: str) -> float:
        return _constant(value, name)

    def computed(self, *arrays: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(array.to(_type_of(*arrays)) for array in arrays)

    def like(self, array: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return array.to(other.dtype)

    def array(self, values: Any, like: torch.Tensor) -> torch.Tensor:
        return _numbers(values, like.dtype, like.device)

    def epsilon(self, array: torch.Tensor) -> float:
        return torch.finfo(array.dtype).eps

    def broadcast(self, array: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        return torch.broadcast_to(array, tuple(shape))

    def where(self, condition: torch.Tensor, one: Any, other: Any) -> torch.Tensor:
        return torch.where(condition, one, other)

    def log(self, array: torch.Tensor) -> torch.Tensor:
        return array.log()

    def moveaxis(self, array: torch.Tensor, source: int, destination: int) -> torch.Tensor:
        return array.movedim(source, destination)

    def stack(self, arrays: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.stack(list(arrays), -1)

    def difference(self, array: torch.Tensor, axis: int) -> torch.Tensor:
        return array.diff(dim=axis)

    def differences(
        self, array: torch.Tensor, steps: Sequence[float], axes: Sequence[int]
    ) -> Sequence[torch.Tensor]:
        return list(torch.gradient(array, spacing=[float(step) for step in steps], dim=list(axes)))

    def window_sums(self, image: torch.Tensor, radius: Sequence[int]) -> torch.Tensor:
        for axis, reach in enumerate(radius, 2):
            lines = image.movedim(axis, -1)
            shape = lines.shape
            kernel = torch.ones(1, 1, 2 * reach + 1, dtype=image.dtype, device=image.device)
            lines = torch.nn.functional.conv1d(
                lines.reshape(-1, 1, shape[-1]), kernel, padding=reach
            )
            image = lines.reshape(shape).movedim(-1, axis)
        return image

    def constants(self, function: Callable[..., Any], *arrays: torch.Tensor) -> Any:
        with torch.no_grad():
            return function(*(array.detach() for array in arrays))

    def iterated(
        self, step: Callable[[Any], Any], start: torch.Tensor, most: int, least: float
    ) -> torch.Tensor:
        found = start
        is_graph = (
            start.is_cuda and torch.cuda.is_current_stream_capturing()
        )  # whose values cannot be read: all steps then
        for _ in range(most if start.numel() > 0 else 0):
            before, found = found, step(found)
            if not is_graph and not (found - before).abs().max() > least:
                break
        return found

    def implicit(
        self,
        solve: Callable[..., Any],
        tangent: Callable[..., Any],
        cotangent: Callable[..., Any],
        array: torch.Tensor,
    ) -> torch.Tensor:
        found: torch.Tensor = _Implicit.apply(array, solve, tangent, cotangent)[0]
        return found

    def identity(self, shape: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        return _functions.identity(shape, dtype=like.dtype, device=like.device)

    def sample(
        self, image: torch.Tensor, points: torch.Tensor, order: int, is_filtered: bool
    ) -> torch.Tensor:
        return _functions.sample(image, points, order=order, mode="nearest", prefilter=is_filtered)

    def slope(self, image: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
        return _functions.grad(image, points, order=1, mode="nearest")

    def push(
        self, values: torch.Tensor, points: torch.Tensor, shape: Sequence[int], order: int
    ) -> torch.Tensor:
        return _functions.push(values, points, shape, order=order, mode="nearest")


FORMULAS: FormulaOperations = TorchFormulas()
