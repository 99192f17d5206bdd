"""The operators of the library for PyTorch: cudaspline::evaluate, contract, scatter, filter and
filter_adjoint.

They are registered with PyTorch, with shapes for torch.compile, gradients, and batching for
torch.vmap. The gradient of each is made of the same operators, and so is its derivative forward
(jvp): both have derivatives again. torch.func.grad does not take the gradients of registered
operators, which have none forward either: so each is also the forward of a torch.autograd.Function,
and that is what is called, but where torch.compile looks at operators. Coefficients are (B, C,
*size), points (B, P, D) as continuous indices with the slowest axis first, numbers of points (B, C,
P, D^n) for derivatives of order n; all contiguous or converted, of one type, float32 or float64,
and on one device. In place of B one image or one list of points may stand for all. Derivatives take
as many threads of the host as what they are of: PyTorch asks for them when it likes, and in threads
of its own.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, NamedTuple, Optional, Sequence

import torch
from torch.autograd import forward_ad

from ..autodiff import _gradients
from ..core._arrays import stream_of_torch
from ..core._library import ChosenThreads, chosen_threads

_TYPES = {torch.float32: "float32", torch.float64: "float64"}


def _place(tensor: torch.Tensor) -> _gradients.Place:
    if not tensor.is_cuda:
        return _gradients.Place(-1, 0)
    device = tensor.get_device()
    return _gradients.Place(device, stream_of_torch(torch, device))


def _in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor whose memory has its numbers: PyTorch puts off signs (of imaginary
    parts), and zeros in its derivatives."""
    if tensor._is_zerotensor():
        return torch.zeros_like(tensor, memory_format=torch.contiguous_format)
    return (tensor.resolve_neg() if tensor.is_neg() else tensor).contiguous()


def _shared(tensor: torch.Tensor, batches: int) -> tuple[torch.Tensor, int]:
    """A contiguous tensor, and the elements from an image to the next one: 0 where one stands for
    all."""
    count = tensor.shape[0]
    if count > 1 and tensor.stride(0) == 0:
        tensor, count = tensor[:1], 1
    tensor = _in_memory(tensor)
    return tensor, 0 if count == 0 or (count == 1 and batches > 1) else tensor.numel() // count


def _run(
    name: str,
    *,
    spline: _gradients.Spline,
    derivatives: int,
    points: torch.Tensor,
    coefficients: Optional[torch.Tensor] = None,
    weights: Optional[torch.Tensor] = None,
    result: torch.Tensor,
) -> None:
    grid = result if coefficients is None else coefficients
    channels = grid.shape[1]
    batches = result.shape[0]
    points, point_stride = _shared(points, batches)
    coefficient_stride = 0
    if coefficients is not None:
        coefficients, coefficient_stride = _shared(coefficients, batches)
    if weights is not None:
        weights = _in_memory(weights)
    _gradients.run_points(
        name,
        spline,
        derivatives=derivatives,
        dtype=_TYPES[result.dtype],
        place=_place(result),
        size=grid.shape[2:],
        counts=(batches, channels, points.shape[1]),
        points=(points.data_ptr(), point_stride),
        coefficients=(
            coefficients.data_ptr() if coefficients is not None else 0,
            coefficient_stride,
        ),
        weights=weights.data_ptr() if weights is not None else 0,
        result=result.data_ptr(),
    )


def _batches(one: torch.Tensor, other: torch.Tensor) -> int:
    return int(one.shape[0] if other.shape[0] == 1 else other.shape[0])


def register_operator(
    name: str, schema: str, compute: Callable[..., Any], shape: Callable[..., Any]
) -> Any:
    """An operator that is registered with PyTorch. It has one additional argument: the threads of
    the host, a constant of compiled code; None: those where it runs.

    shape: results without numbers"""
    count = len(inspect.signature(compute).parameters)

    def in_threads(function: Callable[..., Any]) -> Any:
        def call(*inputs: Any) -> Any:  # PyTorch leaves None out
            with ChosenThreads(inputs[count] if len(inputs) > count else None):
                return function(*inputs[:count])

        return call

    whole = schema.replace(") ->", ", int? threads=None) ->")
    operator = torch.library.custom_op(
        f"cudaspline::{name}", in_threads(compute), mutates_args=(), schema=whole
    )
    operator.register_fake(in_threads(shape))
    return operator


def in_kept_threads(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """A derivative of a torch.autograd.Function, in the threads that its context has."""

    def call(ctx: Any, *gradients: Any) -> Any:
        with ChosenThreads(ctx.threads):
            return derivative(ctx, *gradients)

    return call


def register_gradients(
    operator: Any, keep: Callable[..., Any], backward: Callable[..., Any]
) -> None:
    """Those of an operator, by the functions of a torch.autograd.Function, in the threads that it
    was given."""

    def keep_threads(ctx: Any, inputs: Any, output: Any) -> None:
        *given, ctx.threads = inputs
        keep(ctx, given, output)

    operator.register_autograd(
        in_kept_threads(lambda ctx, *gradients: (*backward(ctx, *gradients), None)),
        setup_context=keep_threads,
    )


def _evaluate(coefficients, points, order, mode, border, derivatives):  # type: ignore[no-untyped-def]
    """Derivatives of order n at points: (B, C, P, D^n)."""
    result = _evaluate_shape(coefficients, points, order, mode, border, derivatives)
    _run(
        "evaluate",
        spline=_gradients.Spline(order, mode, border),
        derivatives=derivatives,
        points=points,
        coefficients=coefficients,
        result=result,
    )
    return result


def _evaluate_shape(coefficients, points, order, mode, border, derivatives):  # type: ignore[no-untyped-def]
    batches = _batches(coefficients, points)
    return coefficients.new_empty(
        (batches, coefficients.shape[1], points.shape[1], points.shape[2] ** derivatives)
    )


evaluate_operator = register_operator(
    "evaluate",
    "(Tensor coefficients, Tensor points, int order, int mode, float border, int derivatives) -> Tensor",
    _evaluate,
    _evaluate_shape,
)


def _contract(coefficients, points, weights, order, mode, border, derivatives):  # type: ignore[no-untyped-def]
    """Gradients by the points of the sum of weights times derivatives: (B, P, D)."""
    result = _contract_shape(coefficients, points, weights, order, mode, border, derivatives)
    _run(
        "contract",
        spline=_gradients.Spline(order, mode, border),
        derivatives=derivatives,
        points=points,
        coefficients=coefficients,
        weights=weights,
        result=result,
    )
    return result


def _contract_shape(coefficients, points, weights, order, mode, border, derivatives):  # type: ignore[no-untyped-def]
    return points.new_empty((weights.shape[0], points.shape[1], points.shape[2]))


contract_operator = register_operator(
    "contract",
    "(Tensor coefficients, Tensor points, Tensor weights, int order, int mode, float border, int derivatives) -> Tensor",
    _contract,
    _contract_shape,
)


def _scatter(weights, points, size, order, mode, derivatives):  # type: ignore[no-untyped-def]
    """The transpose of evaluate: (B, C, *size)."""
    result = _scatter_shape(weights, points, size, order, mode, derivatives)
    _run(
        "scatter",
        spline=_gradients.Spline(order, mode, 0.0),
        derivatives=derivatives,
        points=points,
        weights=weights,
        result=result,
    )
    return result


def _scatter_shape(weights, points, size, order, mode, derivatives):  # type: ignore[no-untyped-def]
    return weights.new_empty((*weights.shape[:2], *size))


scatter_operator = register_operator(
    "scatter",
    "(Tensor weights, Tensor points, SymInt[] size, int order, int mode, int derivatives) -> Tensor",
    _scatter,
    _scatter_shape,
)


def _filter(samples, axes, order, mode, is_adjoint):  # type: ignore[no-untyped-def]
    """B-spline coefficients along some axes, of six at most, or the transpose of that."""
    samples = _in_memory(samples)
    result = torch.empty_like(samples)
    if samples.numel() > 0:
        _gradients.run_filter(
            is_adjoint=is_adjoint,
            order=order,
            mode=mode,
            dtype=_TYPES[samples.dtype],
            place=_place(samples),
            shape=samples.shape,
            axes=axes,
            source=samples.data_ptr(),
            result=result.data_ptr(),
        )
    return result


def _filter_shape(samples, axes, order, mode, is_adjoint):  # type: ignore[no-untyped-def]
    return torch.empty_like(samples, memory_format=torch.contiguous_format)


filter_operator = register_operator(
    "filter",
    "(Tensor samples, int[] axes, int order, int mode, bool is_adjoint) -> Tensor",
    _filter,
    _filter_shape,
)


# Gradients.


def _sum_to(gradient: Optional[torch.Tensor], batches: int) -> Optional[torch.Tensor]:
    """The gradient of what stands for all images of a batch."""
    if gradient is None or gradient.shape[0] == batches:
        return gradient
    return gradient.sum(0, keepdim=True)


def spread(tensor: torch.Tensor, batches: int) -> torch.Tensor:
    """One for each image of a batch, of what may stand for all."""
    return tensor if tensor.shape[0] == batches else tensor.expand(batches, *tensor.shape[1:])


def _check_derivatives(derivatives: int) -> None:
    if derivatives > _gradients.MAX_DERIVATIVES:
        raise NotImplementedError(
            f"cudaspline.torch: values at points can be differentiated at most {_gradients.MAX_DERIVATIVES + 1} times."
        )


def _with(weights: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
    """A component more, along the axis of vectors (B, P, D): (B, C, P, D^(n + 1))."""
    more = weights.unsqueeze(-1) * vectors.unsqueeze(1).unsqueeze(3)
    return more.reshape(*more.shape[:3], more.shape[3] * more.shape[4])


def _dot(values: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
    """The last component less, by the sum with vectors (B, P, D): (B, C, P, D^(n - 1))."""
    dimension = vectors.shape[2]
    return (
        values.reshape(*values.shape[:3], values.shape[3] // dimension, dimension)
        * vectors.unsqueeze(1).unsqueeze(3)
    ).sum(-1)


def _along(
    coefficients: torch.Tensor,
    points: torch.Tensor,
    vectors: torch.Tensor,
    order: int,
    mode: int,
    border: float,
    derivatives: int,
) -> torch.Tensor:
    """Derivatives of order n + 1 at points, the last one along vectors: (B, C, P, D^n)."""
    if derivatives < _gradients.MAX_DERIVATIVES:
        return _dot(evaluate(coefficients, points, order, mode, border, derivatives + 1), vectors)
    # Third derivatives are there contracted alone: with 1 for each list of axes in turn, and
    # channels as images.
    batches, channels = _batches(coefficients, points), coefficients.shape[1]
    images = spread(coefficients, batches).reshape(batches * channels, 1, *coefficients.shape[2:])
    places = spread(points, batches).repeat_interleave(channels, 0)
    found = []
    for one in torch.eye(points.shape[2] ** derivatives, dtype=points.dtype, device=points.device):
        weights = one.expand(batches * channels, 1, points.shape[1], one.numel())
        gradient = contract(images, places, weights, order, mode, border, derivatives)
        found.append(
            (gradient.reshape(batches, channels, *gradient.shape[1:]) * vectors.unsqueeze(1)).sum(
                -1
            )
        )
    return torch.stack(found, -1)


def primals(ctx: Any) -> list[torch.Tensor]:
    """What was kept for a derivative forward, without tangents of the level at which it is
    taken."""
    return [forward_ad.unpack_dual(tensor).primal for tensor in ctx.saved_tensors]


def outer_derivatives_forward() -> Any:
    """For the body of a Function's jvp(): PyTorch calls it without forward mode, also of the levels
    further out, whose derivatives would be 0."""
    return forward_ad._set_fwd_grad_enabled(True)


def _sum_of(*terms: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
    """Of those that are there."""
    found = [term for term in terms if term is not None]
    return sum(found[1:], found[0]) if found else None


def _keep_evaluate(ctx: Any, inputs: Any, output: Any) -> None:
    coefficients, points, *ctx.options = inputs
    ctx.save_for_backward(coefficients, points)
    ctx.save_for_forward(coefficients, points)


def _evaluate_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    coefficients, points = ctx.saved_tensors
    order, mode, border, derivatives = ctx.options
    of_coefficients = of_points = None
    if ctx.needs_input_grad[0]:
        of_coefficients = scatter(
            gradient, points, coefficients.shape[2:], order, mode, derivatives
        )
    if ctx.needs_input_grad[1]:
        of_points = contract(coefficients, points, gradient, order, mode, border, derivatives)
    return (
        _sum_to(of_coefficients, coefficients.shape[0]),
        _sum_to(of_points, points.shape[0]),
        None,
        None,
        None,
        None,
    )


def _evaluate_forward(ctx: Any, of_coefficients: Any, of_points: Any, *_: Any) -> Any:
    coefficients, points = primals(ctx)
    order, mode, border, derivatives = ctx.options
    return _sum_of(
        None
        if of_coefficients is None
        else evaluate(of_coefficients, points, order, mode, 0.0, derivatives),
        None
        if of_points is None
        else _along(coefficients, points, of_points, order, mode, border, derivatives),
    )


register_gradients(evaluate_operator, _keep_evaluate, _evaluate_backward)


def _keep_contract(ctx: Any, inputs: Any, output: Any) -> None:
    coefficients, points, weights, *ctx.options = inputs
    ctx.save_for_backward(coefficients, points, weights)
    ctx.save_for_forward(coefficients, points, weights)


def _contract_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    coefficients, points, weights = ctx.saved_tensors
    order, mode, border, derivatives = ctx.options
    _check_derivatives(derivatives + 1)
    of_coefficients = of_points = of_weights = None
    more = _with(weights, gradient)
    if ctx.needs_input_grad[0]:
        of_coefficients = scatter(
            more, points, coefficients.shape[2:], order, mode, derivatives + 1
        )
    if ctx.needs_input_grad[1]:
        of_points = contract(coefficients, points, more, order, mode, border, derivatives + 1)
    if ctx.needs_input_grad[2]:
        of_weights = _along(coefficients, points, gradient, order, mode, border, derivatives)
    return (
        _sum_to(of_coefficients, coefficients.shape[0]),
        _sum_to(of_points, points.shape[0]),
        of_weights,
        None,
        None,
        None,
        None,
    )


def _contract_forward(
    ctx: Any, of_coefficients: Any, of_points: Any, of_weights: Any, *_: Any
) -> Any:
    coefficients, points, weights = primals(ctx)
    order, mode, border, derivatives = ctx.options
    along = None
    if of_points is not None:
        _check_derivatives(derivatives + 1)
        along = contract(
            coefficients, points, _with(weights, of_points), order, mode, border, derivatives + 1
        )
    return _sum_of(
        None
        if of_coefficients is None
        else contract(of_coefficients, points, weights, order, mode, 0.0, derivatives),
        along,
        None
        if of_weights is None
        else contract(coefficients, points, of_weights, order, mode, border, derivatives),
    )


register_gradients(contract_operator, _keep_contract, _contract_backward)


def _keep_scatter(ctx: Any, inputs: Any, output: Any) -> None:
    weights, points, ctx.size, *ctx.options = inputs
    ctx.save_for_backward(weights, points)
    ctx.save_for_forward(weights, points)


def _scatter_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    weights, points = ctx.saved_tensors
    order, mode, derivatives = ctx.options
    of_weights = of_points = None
    if ctx.needs_input_grad[0]:
        of_weights = evaluate(gradient, points, order, mode, 0.0, derivatives)
    if ctx.needs_input_grad[1]:
        of_points = contract(gradient, points, weights, order, mode, 0.0, derivatives)
    return of_weights, _sum_to(of_points, points.shape[0]), None, None, None, None


def _scatter_forward(ctx: Any, of_weights: Any, of_points: Any, *_: Any) -> Any:
    weights, points = primals(ctx)
    order, mode, derivatives = ctx.options
    along = None
    if of_points is not None:
        _check_derivatives(derivatives + 1)
        along = scatter(_with(weights, of_points), points, ctx.size, order, mode, derivatives + 1)
    return _sum_of(
        None
        if of_weights is None
        else scatter(of_weights, points, ctx.size, order, mode, derivatives),
        along,
    )


register_gradients(scatter_operator, _keep_scatter, _scatter_backward)


def _keep_filter(ctx: Any, inputs: Any, output: Any) -> None:
    _, *ctx.options = inputs


def _filter_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    axes, order, mode, is_adjoint = ctx.options
    return filter_axes(gradient, axes, order, mode, not is_adjoint), None, None, None, None


def _filter_forward(ctx: Any, of_samples: Any, *_: Any) -> Any:
    return None if of_samples is None else filter_axes(of_samples, *ctx.options)


register_gradients(filter_operator, _keep_filter, _filter_backward)


# Batching by torch.vmap: its axis becomes one with that of the batch.


def _merged(
    tensors: Sequence[torch.Tensor], in_dims: Sequence[Optional[int]], size: int
) -> list[torch.Tensor]:
    lifted = []
    for tensor, axis in zip(tensors, in_dims):
        lifted.append(
            tensor.movedim(axis, 0) if axis is not None else tensor.expand(size, *tensor.shape)
        )
    batches = (
        max(tensor.shape[1] for tensor in lifted)
        if min(tensor.shape[1] for tensor in lifted) > 0
        else 0
    )
    return [tensor.expand(-1, batches, *tensor.shape[2:]).flatten(0, 1) for tensor in lifted]


def _batched(call: Any, tensors: int) -> Any:
    """What torch.vmap calls in place of an operator, of which it maps the first arguments."""

    def rule(info: Any, in_dims: Any, *arguments: Any) -> Any:
        found = _merged(arguments[:tensors], in_dims[:tensors], info.batch_size)
        result = call(*found, *arguments[tensors:])
        return result.unflatten(0, (info.batch_size, result.shape[0] // max(info.batch_size, 1))), 0

    return rule


def _batched_filter(call: Any, _: int) -> Any:
    def rule(
        info: Any, in_dims: Any, samples: torch.Tensor, axes: Sequence[int], *options: Any
    ) -> Any:
        samples = samples.movedim(in_dims[0], 0)
        # Axes that are not filtered are one in front of them, so that there are not too many.
        first = min(axes)
        shape = samples.shape
        joined = samples.reshape(math.prod(shape[: first + 1]), *shape[first + 1 :])
        return call(joined, [axis - first + 1 for axis in axes], *options).reshape(shape), 0

    return rule


def is_plain(tensors: Sequence[Any]) -> bool:
    """Whether only autograd records a call: no transform of torch.func, no forward-mode derivative,
    no mode, no other class of tensors."""
    try:
        if (
            torch._C._are_functorch_transforms_active()
            or torch._C._len_torch_dispatch_stack()
            or forward_ad._current_level >= 0
        ):
            return False
    except AttributeError:  # a version of PyTorch that has no such names
        return False
    for tensor in tensors:
        if isinstance(tensor, torch.Tensor) and (type(tensor) not in _PLAIN or tensor.is_meta):
            return False
    return True


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def wants_gradient(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether autograd records what is made of tensors."""
    return torch.is_grad_enabled() and any([tensor.requires_grad for tensor in tensors])


def _function(
    operator: Any,
    compute: Any,
    keep: Any,
    backward: Any,
    forward_mode: Any,
    batched: Any,
    tensors: int,
) -> Any:
    """The operator as a torch.autograd.Function. If no more is required, as in a training loop, the
    library is called directly: what PyTorch does around a registered operator takes longer than a
    small kernel."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(*inputs: Any) -> Any:
            return operator(*inputs, chosen_threads())

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            keep(ctx, inputs, output)
            ctx.set_materialize_grads(False)
            ctx.count, ctx.threads = len(inputs), chosen_threads()

        @staticmethod
        @in_kept_threads
        def backward(ctx: Any, gradient: Optional[torch.Tensor]) -> Any:
            return (None,) * ctx.count if gradient is None else backward(ctx, gradient)

        @staticmethod
        @in_kept_threads
        def jvp(ctx: Any, *tangents: Any) -> Any:
            with outer_derivatives_forward():
                return forward_mode(ctx, *tangents)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
            return batched(call, tensors)(info, in_dims, *inputs)

    class PlainFunction(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            output = compute(*inputs)
            keep(ctx, inputs, output)
            ctx.threads = chosen_threads()
            return output

        @staticmethod
        @in_kept_threads
        def backward(ctx: Any, gradient: torch.Tensor) -> Any:
            return backward(ctx, gradient)

    def call(*inputs: Any) -> Any:
        if torch.compiler.is_compiling():
            return operator(*inputs, chosen_threads())
        given = inputs[:tensors]
        if not is_plain(given):
            return Function.apply(*inputs)
        if not wants_gradient(given):
            return compute(*inputs)
        return PlainFunction.apply(*inputs)

    torch.library.register_vmap(operator, batched(operator, tensors))
    return call


evaluate = _function(
    evaluate_operator, _evaluate, _keep_evaluate, _evaluate_backward, _evaluate_forward, _batched, 2
)
contract = _function(
    contract_operator, _contract, _keep_contract, _contract_backward, _contract_forward, _batched, 3
)
scatter = _function(
    scatter_operator, _scatter, _keep_scatter, _scatter_backward, _scatter_forward, _batched, 2
)
filter_axes = _function(
    filter_operator, _filter, _keep_filter, _filter_backward, _filter_forward, _batched_filter, 1
)


# One call, if arrays are as the library takes them and only autograd records them: as evaluate()
# and filter_axes(), without what PyTorch does for each view and each node of its graph, which takes
# longer than a small kernel.


class PointsPlan(NamedTuple):
    """A call at points of contiguous images (*size) or (B, C, *size) and as many lists of points,
    of one type."""

    structure: _gradients.SplinePoints
    #: Of images, points and weights as the operators take them.
    images: tuple[int, ...]
    points: tuple[int, ...]
    weights: tuple[int, ...]
    #: Of the result.
    result: tuple[int, ...]
    order: int
    mode: int
    derivatives: int

    def run(
        self,
        name: str,
        border: float,
        points: torch.Tensor,
        images: int,
        weights: int,
        result: torch.Tensor,
    ) -> torch.Tensor:
        """Calls a function of the library, with addresses."""
        _gradients.call_at_points(
            name,
            self.structure,
            border,
            place=_place(points),
            points=points.data_ptr(),
            coefficients=images,
            weights=weights,
            result=result.data_ptr(),
        )
        return result


def evaluate_at_once(
    images: torch.Tensor, points: torch.Tensor, plan: PointsPlan, border: float
) -> torch.Tensor:
    """evaluate() of a plan."""
    if wants_gradient((images, points)):
        found: torch.Tensor = _EvaluationAtOnce.apply(images, points, plan, border)
        return found
    result = images.new_empty(plan.result)
    return plan.run("cudaspline_evaluate_derivatives", border, points, images.data_ptr(), 0, result)


class _EvaluationAtOnce(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, images: torch.Tensor, points: torch.Tensor, plan: PointsPlan, border: float
    ) -> torch.Tensor:
        ctx.save_for_backward(images, points)
        ctx.plan, ctx.border, ctx.threads = plan, border, chosen_threads()
        result = images.new_empty(plan.result)
        return plan.run(
            "cudaspline_evaluate_derivatives", border, points, images.data_ptr(), 0, result
        )

    @staticmethod
    @in_kept_threads
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        images, points = ctx.saved_tensors
        plan, border = ctx.plan, ctx.border
        of_images = of_points = None
        if torch.is_grad_enabled() or not is_plain(
            (gradient,)
        ):  # derivatives of the derivatives are wanted, or of many
            weights, places = gradient.reshape(plan.weights), points.reshape(plan.points)
            if ctx.needs_input_grad[0]:
                of_images = scatter(
                    weights, places, plan.images[2:], plan.order, plan.mode, plan.derivatives
                ).reshape(images.shape)
            if ctx.needs_input_grad[1]:
                of_points = contract(
                    images.reshape(plan.images),
                    places,
                    weights,
                    plan.order,
                    plan.mode,
                    border,
                    plan.derivatives,
                )
                of_points = of_points.reshape(points.shape)
            return of_images, of_points, None, None
        weights = _in_memory(gradient)
        if ctx.needs_input_grad[0]:
            of_images = plan.run(
                "cudaspline_scatter_derivatives",
                0.0,
                points,
                0,
                weights.data_ptr(),
                torch.empty_like(images),
            )
        if ctx.needs_input_grad[1]:
            result = torch.empty_like(points)
            of_points = plan.run(
                "cudaspline_contract_derivatives",
                border,
                points,
                images.data_ptr(),
                weights.data_ptr(),
                result,
            )
        return of_images, of_points, None, None


class FilterPlan(NamedTuple):
    """A filter along neighbouring axes of a contiguous array."""

    structure: Any
    #: The array's shape as the operator takes it, and the axes of that.
    joined: tuple[int, ...]
    axes: tuple[int, ...]
    order: int
    mode: int


def filter_at_once(samples: torch.Tensor, plan: FilterPlan, is_adjoint: bool) -> torch.Tensor:
    """filter_axes() of a plan."""
    if wants_gradient((samples,)):
        found: torch.Tensor = _FilterAtOnce.apply(samples, plan, is_adjoint)
        return found
    return _filter_at_once(samples, plan, is_adjoint)


def _filter_at_once(samples: torch.Tensor, plan: FilterPlan, is_adjoint: bool) -> torch.Tensor:
    result = torch.empty_like(samples)
    _gradients.call_filter(
        is_adjoint, plan.structure, _place(samples), samples.data_ptr(), result.data_ptr()
    )
    return result


class _FilterAtOnce(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, samples: torch.Tensor, plan: FilterPlan, is_adjoint: bool
    ) -> torch.Tensor:
        ctx.plan, ctx.is_adjoint, ctx.threads = plan, is_adjoint, chosen_threads()
        return _filter_at_once(samples, plan, is_adjoint)

    @staticmethod
    @in_kept_threads
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        plan = ctx.plan
        if torch.is_grad_enabled() or not is_plain((gradient,)):
            found = filter_axes(
                gradient.reshape(plan.joined),
                list(plan.axes),
                plan.order,
                plan.mode,
                not ctx.is_adjoint,
            )
            return found.reshape(gradient.shape), None, None
        return _filter_at_once(_in_memory(gradient), plan, not ctx.is_adjoint), None, None
