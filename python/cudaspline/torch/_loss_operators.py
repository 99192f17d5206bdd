"""Losses of the library for PyTorch: the operators cudaspline::correlate, joint_histogram and
joint_gradients.

The first one makes a loss and its gradients in one go: backward, they are multiplied alone. They
have first derivatives. What wants more of them, a graph of the gradient (create_graph), a transform
of torch.func, or a derivative forward, gets the formula, which has all of them.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import torch

from ..autodiff import _loss_formulas, _losses
from ..core._library import DeviceMemoryError, chosen_threads
from ._formula_operations import FORMULAS
from ._operators import (
    _TYPES,
    _in_memory,
    _place,
    in_kept_threads,
    is_plain,
    register_gradients,
    register_operator,
)

#: The radius of windows for which every device's shared memory has room (64 KiB of compute
#: capability 7.5).
_SURELY_ON_A_DEVICE = 7

#: Sums of squared correlations of (fixed, moving, mask), of a batch (N, C, *size).
Formula = Callable[[torch.Tensor, torch.Tensor, Optional[torch.Tensor]], torch.Tensor]


def _shapes(
    fixed: torch.Tensor, of_fixed: bool, of_moving: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Results without numbers yet."""
    one, other = (
        fixed.new_empty(fixed.shape if is_wanted else (0,)) for is_wanted in (of_fixed, of_moving)
    )
    return fixed.new_empty(fixed.shape[0]), one, other


def _correlate(
    fixed: torch.Tensor,
    moving: torch.Tensor,
    mask: Optional[torch.Tensor],
    radius: Sequence[int],
    of_fixed: bool,
    of_moving: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Sums (B,) of images (B, *size), and their gradients (B, *size), or without numbers where they
    are not wanted. mask: bool, (B, *size) or (1, *size)."""
    fixed, moving = _in_memory(fixed), _in_memory(moving)
    results = _shapes(fixed, of_fixed, of_moving)
    if mask is not None:
        mask = mask.contiguous()
    sums, *gradients = results
    stride = 0 if mask is None or mask.shape[0] == 1 else mask[0].numel()
    pairs = _losses.Pairs(
        fixed.data_ptr(), moving.data_ptr(), 0 if mask is None else mask.data_ptr(), stride
    )
    addresses = (
        one.data_ptr() if is_wanted else 0
        for one, is_wanted in zip(gradients, (of_fixed, of_moving))
    )
    _losses.run_local_correlation(
        _TYPES[fixed.dtype],
        _place(fixed),
        fixed.shape[1:],
        fixed.shape[0],
        radius,
        pairs,
        sums.data_ptr(),
        *addresses,
    )
    return results


correlate_operator = register_operator(
    "correlate",
    "(Tensor fixed, Tensor moving, Tensor? mask, int[] radius, bool of_fixed, bool of_moving) -> (Tensor, Tensor, Tensor)",
    _correlate,
    lambda fixed, moving, mask, radius, of_fixed, of_moving: _shapes(fixed, of_fixed, of_moving),
)


def _by_formula(
    fixed: torch.Tensor, moving: torch.Tensor, mask: Optional[torch.Tensor], radius: Sequence[int]
) -> torch.Tensor:
    """What the operator makes, with derivatives of all orders."""
    mask = None if mask is None else mask.expand(fixed.shape)[None]
    sums: torch.Tensor = _loss_formulas.correlation_sums(
        FORMULAS, fixed[None], moving[None], mask, radius
    )[0]
    return sums


def _gradients_of(
    ctx: Any, gradient: torch.Tensor
) -> tuple[Optional[torch.Tensor], Optional[torch.Tensor]]:
    """By both images, of the gradient by the sums."""
    fixed, moving, mask, *found = ctx.saved_tensors
    wanted = ctx.needs_input_grad[:2]
    is_made = all(one.shape == fixed.shape for one, is_wanted in zip(found, wanted) if is_wanted)
    if (
        torch.is_grad_enabled() or not is_made
    ):  # it is to have derivatives itself, or was not asked for
        with torch.enable_grad():
            fixed, moving = fixed.view_as(fixed), moving.view_as(moving)  # which may be one tensor
            images = [image for image, is_wanted in zip((fixed, moving), wanted) if is_wanted]
            sums = _by_formula(fixed, moving, mask, ctx.radius)
        made = iter(
            torch.autograd.grad(sums, images, gradient, create_graph=torch.is_grad_enabled())
        )
        by = [next(made) if is_wanted else None for is_wanted in wanted]
    else:
        factors = gradient.reshape(-1, *(1,) * (fixed.dim() - 1))
        by = [factors * one if is_wanted else None for one, is_wanted in zip(found, wanted)]
    return by[0], by[1]


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    fixed, moving, mask, ctx.radius, *_ = inputs
    ctx.save_for_backward(fixed, moving, mask, *output[1:])


def _backward(ctx: Any, gradient: torch.Tensor, *_: Any) -> Any:
    return (*_gradients_of(ctx, gradient), None, None, None, None)


register_gradients(correlate_operator, _keep, _backward)


class _Correlate(torch.autograd.Function):
    """The operator for tensors that only autograd records."""

    @staticmethod
    def forward(
        ctx: Any,
        fixed: torch.Tensor,
        moving: torch.Tensor,
        mask: Optional[torch.Tensor],
        radius: Sequence[int],
    ) -> torch.Tensor:
        sums, *gradients = _correlate(fixed, moving, mask, radius, *ctx.needs_input_grad[:2])
        ctx.radius = radius
        ctx.save_for_backward(fixed, moving, mask, *gradients)
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return (*_gradients_of(ctx, gradient), None, None)


def _wants_first_derivatives(*tensors: Optional[torch.Tensor]) -> bool:
    """Whether only autograd records the call: under transforms of torch.func all derivatives are
    made."""
    if torch.compiler.is_compiling():
        return not torch._C._are_functorch_transforms_active()
    return is_plain(tensors)


def _images_of(tensor: torch.Tensor) -> torch.Tensor:
    """(N, C, *size) as (N C, *size); what stands for all images as one."""
    if tensor.stride(0) == 0 and tensor.stride(1) == 0:
        return tensor[0, :1]
    return tensor.reshape(-1, *tensor.shape[2:])


def correlation_sums(
    fixed: torch.Tensor,
    moving: torch.Tensor,
    mask: Optional[torch.Tensor],
    radius: Sequence[int],
    formula: Formula,
) -> torch.Tensor:
    """Of a batch (N, C, *size): (N, C). mask: bool, of the batch's shape."""
    is_compiling = torch.compiler.is_compiling()
    is_large = fixed.is_cuda and max(radius) > _SURELY_ON_A_DEVICE
    if not _wants_first_derivatives(fixed, moving, mask) or (is_compiling and is_large):
        return formula(fixed, moving, mask)
    images = fixed.flatten(0, 1), moving.flatten(0, 1), None if mask is None else _images_of(mask)
    if is_compiling:
        sums = correlate_operator(
            *images, list(radius), fixed.requires_grad, moving.requires_grad, chosen_threads()
        )[0]
    else:
        try:
            # Without autograd PyTorch asks for gradients all the same.
            is_wanted = torch.is_grad_enabled() and (fixed.requires_grad or moving.requires_grad)
            sums = (
                _Correlate.apply(*images, radius)
                if is_wanted
                else _correlate(*images, radius, False, False)[0]
            )
        except DeviceMemoryError:
            if not is_large:
                raise
            return formula(fixed, moving, mask)
    found: torch.Tensor = sums.reshape(fixed.shape[:2])
    return found


def _joint(
    fixed: torch.Tensor,
    moving: torch.Tensor,
    mask: Optional[torch.Tensor],
    ends: torch.Tensor,
    bins: int,
) -> torch.Tensor:
    """The joint histogram (bins, bins) of samples (n,); ends: four numbers; mask: bool, (n,)."""
    joint = fixed.new_empty((bins, bins))
    _run_joint(fixed, moving, mask, ends, joint, None)
    return joint


def _joint_gradients(
    fixed: torch.Tensor,
    moving: torch.Tensor,
    mask: Optional[torch.Tensor],
    ends: torch.Tensor,
    weights: torch.Tensor,
    of_fixed: bool,
    of_moving: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of the sum of weights times the histogram; without numbers where they are not wanted."""
    gradients = _joint_shapes(fixed, of_fixed, of_moving)
    _run_joint(fixed, moving, mask, ends, _in_memory(weights), gradients)
    return gradients


def _joint_shapes(
    fixed: torch.Tensor, of_fixed: bool, of_moving: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    return fixed.new_empty(fixed.shape if of_fixed else (0,)), fixed.new_empty(
        fixed.shape if of_moving else (0,)
    )


def _run_joint(
    fixed: torch.Tensor,
    moving: torch.Tensor,
    mask: Optional[torch.Tensor],
    ends: torch.Tensor,
    joint: torch.Tensor,
    gradients: Optional[tuple[torch.Tensor, torch.Tensor]],
) -> None:
    fixed, moving, ends = _in_memory(fixed), _in_memory(moving), _in_memory(ends)
    mask = None if mask is None else mask.contiguous()
    images = (
        fixed.data_ptr(),
        moving.data_ptr(),
        0 if mask is None else mask.data_ptr(),
        ends.data_ptr(),
    )
    addresses = None if gradients is None else (gradients[0].data_ptr(), gradients[1].data_ptr())
    _losses.run_joint_histogram(
        _TYPES[fixed.dtype],
        _place(fixed),
        fixed.numel(),
        bins=joint.shape[0],
        images=images,
        joint=joint.data_ptr(),
        gradients=addresses,
    )


joint_operator = register_operator(
    "joint_histogram",
    "(Tensor fixed, Tensor moving, Tensor? mask, Tensor ends, int bins) -> Tensor",
    _joint,
    lambda fixed, moving, mask, ends, bins: fixed.new_empty((bins, bins)),
)
joint_gradients_operator = register_operator(
    "joint_gradients",
    "(Tensor fixed, Tensor moving, Tensor? mask, Tensor ends, Tensor weights, bool of_fixed, bool of_moving) -> (Tensor, Tensor)",
    _joint_gradients,
    lambda fixed, moving, mask, ends, weights, of_fixed, of_moving: _joint_shapes(
        fixed, of_fixed, of_moving
    ),
)


def _joint_keep(ctx: Any, inputs: Any, output: Any) -> None:
    *tensors, ctx.bins = inputs
    ctx.save_for_backward(*tensors)


def _joint_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    fixed, moving, mask, ends = ctx.saved_tensors
    wanted = ctx.needs_input_grad[:2]
    by: list[Optional[torch.Tensor]]
    if torch.is_grad_enabled():  # it is to have derivatives itself
        fixed, moving = fixed.view_as(fixed), moving.view_as(moving)  # which may be one tensor
        images = [image for image, is_wanted in zip((fixed, moving), wanted) if is_wanted]
        joint = _loss_formulas.joint_histogram(FORMULAS, fixed, moving, mask, ends, ctx.bins)
        made = iter(torch.autograd.grad(joint, images, gradient, create_graph=True))
        by = [next(made) if is_wanted else None for is_wanted in wanted]
    else:
        given = fixed, moving, mask, ends, gradient, *wanted
        is_registered = torch.compiler.is_compiling() or not is_plain((fixed, moving, gradient))
        found = (
            joint_gradients_operator(*given, chosen_threads())
            if is_registered
            else _joint_gradients(*given)
        )
        by = [one if is_wanted else None for one, is_wanted in zip(found, wanted)]
    return (*by, None, None, None)


register_gradients(joint_operator, _joint_keep, _joint_backward)


class _JointHistogram(torch.autograd.Function):
    """The operator for tensors that only autograd records."""

    @staticmethod
    def forward(
        ctx: Any,
        fixed: torch.Tensor,
        moving: torch.Tensor,
        mask: Optional[torch.Tensor],
        ends: torch.Tensor,
        bins: int,
    ) -> torch.Tensor:
        _joint_keep(ctx, (fixed, moving, mask, ends, bins), None)
        ctx.threads = chosen_threads()
        return _joint(fixed, moving, mask, ends, bins)

    @staticmethod
    @in_kept_threads
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return _joint_backward(ctx, gradient)


def joint_histogram(
    fixed: torch.Tensor,
    moving: torch.Tensor,
    mask: Optional[torch.Tensor],
    ends: torch.Tensor,
    bins: int,
    formula: Formula,
) -> torch.Tensor:
    """The joint histogram of images of one shape: (bins, bins). mask: bool, of that shape; ends:
    four numbers without gradient."""
    if not _wants_first_derivatives(fixed, moving, mask, ends):
        return formula(fixed, moving, mask)
    given = (
        fixed.reshape(-1),
        moving.reshape(-1),
        None if mask is None else mask.reshape(-1),
        ends.to(fixed.dtype),
        bins,
    )
    if torch.compiler.is_compiling():
        found: torch.Tensor = joint_operator(*given, chosen_threads())
    else:
        found = _JointHistogram.apply(*given)
    return found
