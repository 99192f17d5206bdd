"""Differentiable values of images at points: functions of cudaspline.torch."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import torch

from ..autodiff import _gradients
from ..core._checks import flag, number
from ..core._geometry import Geometry
from ..core._options import Convention, Mode
from ..core._plans import UNKNOWN, Plans
from ..core._threads import takes_threads
from . import _operators as operators

_CONVENTIONS = ("index", "grid_sample")
_TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@takes_threads
def sample(
    image: torch.Tensor,
    points: torch.Tensor,
    *,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    convention: Convention = "index",
    align_corners: bool = False,
    threads: int = 0,
) -> torch.Tensor:
    """Values of an image's spline at points, with gradients with respect to image and points, also
    of higher order.

    Parameters
    ----------
    image
        One image with D axes, or a batch (N, C, ...) of images with channels. Floating-point
        numbers, on the host or a GPU.
    points
        (..., D), or (N, ..., D) for a batch; with 1 instead of N they are used for all images. On
        the image's device. A point that is NaN has the value NaN.
    order
        The order of the spline, 0 to 5. With order 0, the nearest sample, the gradient with respect
        to points is 0.
    mode, cval
        The extension outside of the image, with the names of scipy.ndimage: "mirror", "reflect"
        ("grid-mirror"), "grid-wrap", "nearest", "wrap"; "constant" and "grid-constant" extend it
        with the value cval.
    prefilter
        True: the image contains samples. False: it contains B-spline coefficients, as prefilter()
        computes them.
    convention, align_corners
        "index": points are continuous indices, in the order of the image's axes, as in
        scipy.ndimage and torch-interpol. "grid_sample": points are those of
        torch.nn.functional.grid_sample, from -1 to 1, the last axis first, with its align_corners.
    threads
        The number of host threads, for the values and for their gradients. 0: the number of
        cudaspline.use_threads(), otherwise all processors that may be used.

    Returns
    -------
    torch.Tensor
        (...), or (N, C, ...) for a batch, with the image's type. It is computed in float64 if image
        or points are float64, otherwise in float32.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> image = torch.arange(16.0).reshape(4, 4)
    >>> points = torch.tensor([[1.0, 1.5]], requires_grad=True)
    >>> value = cudaspline.torch.sample(image, points, order=1)
    >>> value.backward()
    >>> value.item(), points.grad.tolist()
    (5.5, [[4.0, 1.0]])
    """
    if convention == "index" and type(align_corners) is bool:
        made = _at_once(
            image, points, order, mode=mode, cval=cval, prefilter=prefilter, derivatives=0
        )
        if made is not None:
            return made
    prefilter = flag(prefilter, "prefilter")
    found = _Images(
        image,
        points,
        order,
        mode=mode,
        cval=cval,
        convention=convention,
        align_corners=flag(align_corners, "align_corners"),
    )
    coefficients, padding = found.coefficients(prefilter)
    return found.result(found.evaluate(coefficients, padding, 0).squeeze(-1))


@takes_threads
def pull(
    input: torch.Tensor,
    grid: torch.Tensor,
    *,
    order: int = 1,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = False,
    threads: int = 0,
    **options: Any,
) -> torch.Tensor:
    """sample() with the name and defaults of torch-interpol: linear, and image has coefficients.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.pull(torch.arange(4.0), torch.tensor([[0.5], [2.0]])).tolist()
    [0.5, 2.0]
    """
    return sample(input, grid, order=order, mode=mode, cval=cval, prefilter=prefilter, **options)


@takes_threads
def grad(
    input: torch.Tensor,
    grid: torch.Tensor,
    *,
    order: int = 1,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = False,
    threads: int = 0,
) -> torch.Tensor:
    """Gradients of an image's spline at points (per sample): (..., D), or (N, C, ..., D) for a
    batch. Arguments are those of sample(), with the convention "index". The result has gradients
    with respect to image and grid, too.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.grad(torch.arange(4.0) ** 2, torch.tensor([[0.5], [2.5]])).tolist()
    [[1.0], [5.0]]
    """
    made = _at_once(
        input,
        grid,
        order,
        mode=mode,
        cval=cval,
        prefilter=prefilter,
        derivatives=1,
        names=("input", "grid"),
    )
    if made is not None:
        return made
    found = _Images(
        input,
        grid,
        order,
        mode=mode,
        cval=cval,
        convention="index",
        align_corners=False,
        names=("input", "grid"),
    )
    coefficients, padding = found.coefficients(flag(prefilter, "prefilter"))
    return found.result(found.evaluate(coefficients, padding, 1), 1)


@takes_threads
def push(
    input: torch.Tensor,
    grid: torch.Tensor,
    shape: Optional[Sequence[int]] = None,
    *,
    order: int = 1,
    mode: Mode = "constant",
    prefilter: bool = False,
    threads: int = 0,
) -> torch.Tensor:
    """The transpose of pull(): adds the value of each point to the samples from which pull() would
    interpolate it ("splatting").

    The result has the same bits in every call, also on a GPU.

    Parameters
    ----------
    input
        The values of the points: (...), or (N, C, ...) for a batch.
    grid
        The points: (..., D), or (N, ..., D).
    shape
        The shape of the image. None: the shape of the grid, if it has D axes of points.
    order, mode
        As for sample(). With the modes "constant" and "grid-constant", values outside of the image
        are lost.
    prefilter
        True: the transpose of sample() with prefilter=True.

    Returns
    -------
    torch.Tensor
        An image of the given shape, or (N, C, *shape).

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.push(torch.ones(2), torch.tensor([[0.5], [2.0]]), (4,)).tolist()
    [0.5, 0.5, 1.0, 0.0]
    """
    return _push(input, grid, shape, order, mode, flag(prefilter, "prefilter"))


@takes_threads
def count(
    grid: torch.Tensor,
    shape: Optional[Sequence[int]] = None,
    *,
    order: int = 1,
    mode: Mode = "constant",
    threads: int = 0,
) -> torch.Tensor:
    """The sum of the weights that points add to each sample: push() of ones. For a grid (*size, D)
    the result has the given shape, for a batch (N, *size, D) the shape (N, 1, *shape).

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.count(torch.tensor([[0.5], [0.75]]), (3,)).tolist()
    [0.75, 1.25, 0.0]
    """
    _check_tensor(grid, "grid")
    dimension = _gradients.check_points(grid.shape, False, "grid")
    is_batch = grid.dim() == dimension + 2
    ones = grid.new_ones((grid.shape[0], 1, *grid.shape[1:-1]) if is_batch else grid.shape[:-1])
    return _push(ones, grid, shape, order, mode, False)


@takes_threads
def warp(
    image: torch.Tensor,
    field: torch.Tensor,
    *,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> torch.Tensor:
    """An image warped by a displacement field: its value at each position of the field plus the
    displacement at this position.

    The result has gradients with respect to image and field.

    Parameters
    ----------
    image
        As for sample().
    field
        Displacements in samples of the image: (*out, D) with D axes of any size, or (N, *out, D)
        for a batch; components in the order of the axes.
    order, mode, cval, prefilter, threads
        As for sample().

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.warp(torch.arange(4.0), torch.full((4, 1), 0.5), order=1, mode="nearest").tolist()
    [0.5, 1.5, 2.5, 3.0]
    """
    _check_tensor(image, "image")
    _check_tensor(field, "field")
    dimension = _gradients.check_points(field.shape, False, "field")
    if field.dim() not in (dimension + 1, dimension + 2):
        raise ValueError(
            f"field: its shape is {tuple(field.shape)}; it must be (*size, {dimension}) or (N, *size, {dimension})."
        )
    used = _type_of(field)  # indices have more digits than float16
    size = _gradients.check_axes(field.shape[-dimension - 1 : -1])
    points = _typed(field, used) + _kept(
        _identity, (size,), math.prod(size) * dimension, used, field.device
    )
    if field.dim() == dimension + 1 and image.dim() == dimension + 2:
        points = points.unsqueeze(0)
    return _named(
        "field", sample, image, points, order=order, mode=mode, cval=cval, prefilter=prefilter
    )


@takes_threads
def affine(
    image: torch.Tensor,
    matrix: torch.Tensor,
    offset: Optional[torch.Tensor] = None,
    shape: Optional[Sequence[int]] = None,
    *,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> torch.Tensor:
    """An image resampled through an affine map, as by scipy.ndimage.affine_transform: its value at
    matrix @ index + offset.

    The result has gradients with respect to image, matrix and offset.

    Parameters
    ----------
    image
        As for sample().
    matrix
        (D, D), (D, D + 1) with the offset as its last column, or (N, ...) of these; in the order of
        the axes.
    offset
        (D), or (N, D); None: 0.
    shape
        The shape of the output; None: that of the image.
    order, mode, cval, prefilter, threads
        As for sample().

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.affine(torch.arange(4.0), torch.tensor([[0.5]]), torch.tensor([1.0]), order=1).tolist()
    [1.0, 1.5, 2.0, 2.5]
    """
    _check_tensor(image, "image")
    _check_tensor(matrix, "matrix")
    if (
        matrix.dim() not in (2, 3)
        or not 1 <= matrix.shape[-2] <= 3
        or matrix.shape[-1] - matrix.shape[-2] not in (0, 1)
    ):
        raise ValueError(
            f"matrix: its shape is {tuple(matrix.shape)}; it must be (D, D), (D, D + 1), or (N, ...) of these."
        )
    matrix = _typed(matrix, _type_of(matrix))  # indices have more digits than float16
    dimension = matrix.shape[-2]
    is_batch = image.dim() == dimension + 2
    _gradients.check_image(image.shape, dimension)
    if matrix.dim() == 3 and not is_batch:
        raise ValueError(
            f"matrix: its shape is {tuple(matrix.shape)} (a batch), but there is only one image, of the shape {tuple(image.shape)}."
        )
    linear = matrix[..., :dimension]
    if matrix.shape[-1] > dimension:
        if offset is not None:
            raise ValueError(
                "offset: the matrix already has an offset, its last column; omit offset."
            )
        offset = matrix[..., dimension]
    shape = (
        tuple(image.shape[-dimension:])
        if shape is None
        else _gradients.check_shape(shape, dimension)
    )
    if offset is not None:
        _check_tensor(offset, "offset")
        _same_device(offset, matrix, "offset", "matrix")
        batches = matrix.shape[0] if matrix.dim() == 3 else image.shape[0]
        if tuple(offset.shape) != (dimension,) and not (
            is_batch and tuple(offset.shape) == (batches, dimension)
        ):
            raise ValueError(
                f"offset: its shape is {tuple(offset.shape)}; it must be ({dimension},), or (N, {dimension}) for a batch."
            )
    points = _moved(shape, linear, offset)
    if is_batch and points.dim() == dimension + 1:
        points = points.unsqueeze(0)
    return _named(
        "matrix", sample, image, points, order=order, mode=mode, cval=cval, prefilter=prefilter
    )


@takes_threads
def resample(
    image: torch.Tensor,
    transform: Optional[torch.Tensor] = None,
    *,
    source: Optional[Geometry] = None,
    target: Optional[Geometry] = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> torch.Tensor:
    """An image on another grid in physical space, through a linear transform: cudaspline.resample()
    with gradients with respect to image and transform.

    Parameters
    ----------
    image
        As for sample(). An image with three axes is one volume, unless the dimension of source or
        target differs.
    transform
        Maps points of the output to points of the image (mm), x first as in cudaspline.resample():
        (D, D), (D, D + 1), (D + 1, D + 1), or (N, ...) of these; None: the identity.
    source, target
        The cudaspline.Geometry of image and output. Without source, points of the image are
        indices; without target, the output has the image's geometry.
    order, mode, cval, prefilter, threads
        As for sample(). With the mode "constant", points beyond the outermost samples are outside.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> import cudaspline
    >>> coarse = cudaspline.Image(torch.zeros(2).numpy(), spacing=1.5).geometry
    >>> cudaspline.torch.resample(torch.arange(4.0), torch.tensor([[1.0, 0.5]]), target=coarse, order=1).tolist()
    [0.5, 2.0]
    """
    _check_tensor(image, "image")
    if transform is not None:
        _check_tensor(transform, "transform")
        _same_device(transform, image, "transform", "image")
    dimension = _gradients.check_geometries(source, target, image.shape)
    shape = tuple(image.shape[-dimension:])
    target = source if target is None else target
    dtype = torch.promote_types(
        image.dtype if transform is None else transform.dtype, torch.float32
    )

    onto, back, origin = _maps_between(source, target, dimension)
    if transform is None:
        moved = _product(back, [[*row[:-1], row[-1] - first] for row, first in zip(onto, origin)])
        matrix = _constants(moved, dtype, image.device)
    else:
        _gradients.check_transform(transform.shape, dimension, True)
        rows = _typed(transform[..., :dimension, :], dtype)
        places = _times(
            rows,
            _constants(
                onto if rows.shape[-1] > dimension else onto[:dimension], dtype, image.device
            ),
        )
        if any([first != 0.0 for first in origin]):
            places = places - _constants(
                [[0.0] * dimension + [first] for first in origin], dtype, image.device
            )
        matrix = _times(_constants(back, dtype, image.device), places)
    return _named(
        "transform",
        affine,
        image,
        matrix,
        None,
        shape if target is None else target.shape,
        order=order,
        mode=mode,
        cval=cval,
        prefilter=prefilter,
    )


@takes_threads
def prefilter(
    image: torch.Tensor,
    *,
    order: int = 3,
    mode: Mode = "mirror",
    dim: Optional[int] = None,
    threads: int = 0,
) -> torch.Tensor:
    """B-spline coefficients of samples, along the last axes, with gradients.

    Parameters
    ----------
    image
        The samples.
    order
        0 to 5. For orders 0 and 1 the samples are returned, because they are the coefficients.
    mode
        The extension of lines, as for sample(). SciPy extends lines by a margin for "nearest" and
        "grid-constant". This function does not return a margin: as from
        scipy.ndimage.spline_filter, the coefficients for these modes are those of "reflect" and
        "mirror".
    dim
        The number of axes to filter, counted from the last axis. None: all axes of an image with
        one or two axes, all except the first two of a batch (N, C, ...).

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.prefilter(torch.ones(2, 1, 4, 5)).shape
    torch.Size([2, 1, 4, 5])
    """
    _check_tensor(image, "image")
    order, code = _gradients.check_order(order), _gradients.mode_code(mode)
    axes = (image.dim() - 2 if image.dim() > 2 else image.dim()) if dim is None else dim
    if isinstance(axes, bool) or not isinstance(axes, int) or not 1 <= axes <= min(image.dim(), 3):
        raise ValueError(
            f"dim: {axes!r} must be from 1 to 3, and at most {image.dim()}, the number of axes of the image."
        )
    return _filter(image, image.dim() - axes, image.dim(), order, code)


@takes_threads
def spline_coeff(
    input: torch.Tensor, order: int = 3, mode: Mode = "mirror", dim: int = -1, *, threads: int = 0
) -> torch.Tensor:
    """B-spline coefficients along one axis, with the name of torch-interpol.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.spline_coeff(torch.ones(4, 5), dim=0).shape
    torch.Size([4, 5])
    """
    _check_tensor(input, "input")
    order, code = _gradients.check_order(order), _gradients.mode_code(mode)
    if isinstance(dim, bool) or not isinstance(dim, int) or not -input.dim() <= dim < input.dim():
        raise ValueError(f"dim: {dim!r} is not an axis of the tensor, which has {input.dim()}.")
    axis = dim % input.dim()
    return _filter(input, axis, axis + 1, order, code)


@takes_threads
def spline_coeff_nd(
    input: torch.Tensor,
    order: int = 3,
    mode: Mode = "mirror",
    dim: Optional[int] = None,
    *,
    threads: int = 0,
) -> torch.Tensor:
    """B-spline coefficients along the last dim axes (None: all), with the name of torch-interpol.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.spline_coeff_nd(torch.ones(4, 5), order=2, mode="reflect").shape
    torch.Size([4, 5])
    """
    _check_tensor(input, "input")
    return prefilter(input, order=order, mode=mode, dim=input.dim() if dim is None else dim)


@takes_threads
def identity(
    shape: Sequence[int], *, dtype: Any = None, device: Any = None, threads: int = 0
) -> torch.Tensor:
    """The positions of all samples: (*shape, D), in the order of the axes. warp() adds them to a
    field.

    Examples
    --------
    >>> import torch, cudaspline.torch
    >>> cudaspline.torch.identity((1, 2)).tolist()
    [[[0.0, 0.0], [0.0, 1.0]]]
    """
    size = _gradients.check_axes(shape)
    return _identity(size, dtype or torch.get_default_dtype(), device)


# What they share.

#: By what a call is of, as _at_once() looks for them: plans of the filter and of the values. None
#: where a call is not done at once.
_PLANS: Plans[Optional[tuple[Optional[operators.FilterPlan], operators.PointsPlan]]] = Plans()


def _at_once(
    image: torch.Tensor,
    points: torch.Tensor,
    order: Any,
    mode: Any,
    cval: Any,
    prefilter: Any,
    derivatives: int,
    names: tuple[str, str] = ("image", "points"),
) -> Optional[torch.Tensor]:
    """Values at points where nothing has to be converted, extended or copied, as by _Images, from
    plans of calls that are alike; None for other calls, and where an argument cannot be."""
    if (
        torch.compiler.is_compiling()
        or not operators.is_plain((image, points))
        or not (
            type(order) is int
            and type(mode) is str
            and type(prefilter) is bool
            and (type(cval) is float or type(cval) is int)
        )
        or not -math.inf < cval < math.inf
        or not _are_as_taken(image, points)
    ):
        return None
    key = (image.shape, points.shape, image.dtype, order, mode, prefilter, derivatives)
    plans = _PLANS.get(key, UNKNOWN)
    if plans is UNKNOWN:
        plans = _PLANS.keep(
            key,
            _plans_of(
                _Images(
                    image,
                    points,
                    order,
                    mode=mode,
                    cval=cval,
                    convention="index",
                    align_corners=False,
                    names=names,
                ),
                prefilter,
                derivatives,
            ),
        )
    if plans is None:
        return None
    of_filter, of_points = plans
    coefficients = image if of_filter is None else operators.filter_at_once(image, of_filter, False)
    return operators.evaluate_at_once(coefficients, points, of_points, float(cval))


_NAMES = {torch.float32: "float32", torch.float64: "float64"}


def _is_as_taken(tensor: Any) -> bool:
    """Whether it is a tensor whose memory the library reads as it is."""
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.dtype in _NAMES
        and (tensor.is_cuda or tensor.is_cpu)
        and tensor.layout is torch.strided
        and tensor.is_contiguous()
        and not (tensor.is_neg() or tensor._is_zerotensor())
    )


def _are_as_taken(image: Any, points: Any) -> bool:
    """Whether both are, and of one type on one device."""
    return (
        _is_as_taken(image)
        and _is_as_taken(points)
        and points.dtype is image.dtype
        and points.get_device() == image.get_device()
    )


def _plans_of(
    found: _Images, is_filtered: bool, derivatives: int
) -> Optional[tuple[Optional[operators.FilterPlan], operators.PointsPlan]]:
    images, points, dimension = found.image, found.points, found.dimension
    batches, channels = images.shape[:2]
    name = _NAMES[found.dtype]
    if images.shape[0] != points.shape[0] or images.numel() == 0 or points.numel() == 0:
        return None
    of_filter = None
    size = tuple(images.shape[2:])
    if is_filtered and found.order >= 2:
        if _gradients.padding_of(found.order, found.mode, True) > 0:
            return None
        joined, axes = (batches * channels, *size), tuple(range(1, 1 + dimension))
        structure = _gradients.structure_of_filter(found.order, found.code, name, joined, axes)
        of_filter = operators.FilterPlan(structure, joined, axes, found.order, found.code)
    count = points.shape[1]
    components = dimension**derivatives
    shape = (
        ((batches, channels) if found.is_batch else ())
        + tuple(found.shape)
        + ((dimension,) if derivatives else ())
    )
    of_points = operators.PointsPlan(
        _gradients.structure_of_points(
            found.order,
            found.code,
            derivatives,
            dtype=name,
            size=size,
            counts=(batches, channels, count),
            point_stride=count * dimension,
            coefficient_stride=images[:1].numel(),
        ),
        tuple(images.shape),
        tuple(points.shape),
        weights=(batches, channels, count, components),
        result=shape,
        order=found.order,
        mode=found.code,
        derivatives=derivatives,
    )
    return of_filter, of_points


def _check_tensor(tensor: Any, name: str) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name}: {type(tensor).__name__} is not a torch.Tensor.")
    if not tensor.dtype.is_floating_point:
        raise TypeError(
            f"{name}: elements of type {tensor.dtype} have no gradient; convert them, for example with {name}.float()."
        )
    if tensor.dtype not in _TYPES:
        raise TypeError(
            f"{name}: elements of type {tensor.dtype} are not supported; convert them to float64, float32, float16 or bfloat16."
        )
    if tensor.device.type not in ("cpu", "cuda", "meta") or tensor.layout != torch.strided:
        raise TypeError(
            f"{name}: a tensor with layout {tensor.layout} on {tensor.device} is not supported; use a dense tensor on the CPU or a CUDA device."
        )


def _numbers(values: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Few numbers as a tensor; on a device without a copy from the host, which would wait, and
    which a graph cannot have."""
    if device.type != "cuda":
        return torch.tensor(values, dtype=dtype, device=device)
    if isinstance(values, (list, tuple)):
        return torch.stack([_numbers(value, dtype, device) for value in values])
    return torch.full((), values, dtype=dtype, device=device)


def _identity(size: tuple[int, ...], dtype: torch.dtype, device: Any) -> torch.Tensor:
    return torch.stack(
        [_line(n, axis, len(size), dtype, device).expand(size) for axis, n in enumerate(size)], -1
    )


def _line(count: int, axis: int, dimension: int, dtype: torch.dtype, device: Any) -> torch.Tensor:
    """Indices along an axis, as an array of that many axes."""
    shape = [1] * dimension
    shape[axis] = count
    return torch.arange(count, dtype=dtype, device=device).view(shape)


#: What calls make again and again of sizes and geometries, and only read. None is let go of: other
#: streams, and graphs, may read them whenever they like.
_KEPT: dict[Any, torch.Tensor] = {}
_MAX_KEPT, _MAX_KEPT_NUMBERS = 256, 2**13


def _kept(
    make: Any, key: Any, count: int, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """What make(*key, dtype, device) makes, of that many numbers; of an earlier call, where there
    was one: PyTorch takes longer for it than a small kernel. Nothing is kept where it is not known
    when it is written, or where it is more than a tensor."""
    made: torch.Tensor
    if torch.compiler.is_compiling() or count > _MAX_KEPT_NUMBERS or not operators.is_plain(()):
        made = make(*key, dtype, device)
        return made
    whole = (make, key, dtype, device)
    found = _KEPT.get(whole)
    if found is not None:
        return found
    is_cuda = device.type == "cuda"
    is_kept = len(_KEPT) < _MAX_KEPT and not (is_cuda and torch.cuda.is_current_stream_capturing())
    with torch.inference_mode(False), torch.no_grad():
        made = make(*key, dtype, device)
    if is_kept:
        if is_cuda:
            torch.cuda.current_stream(device).synchronize()
        _KEPT[whole] = made
    return made


def _constants(
    rows: Sequence[Sequence[float]], dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """A matrix of numbers."""
    return _kept(_numbers, (tuple(map(tuple, rows)),), 0, dtype, device)


def _lines_of(shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> list[torch.Tensor]:
    """Indices along each axis, (n, 1, 1, 1) and so on: an axis more than the shape has, for the
    coordinates of points."""
    return [
        _kept(_line, (n, axis, len(shape) + 1), n, dtype, device) for axis, n in enumerate(shape)
    ]


def _times(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The product of small matrices, for any torch.set_float32_matmul_precision()."""
    return (one.unsqueeze(-1) * other.unsqueeze(-3)).sum(-2)


def _moved(
    shape: Sequence[int], linear: torch.Tensor, offset: Optional[torch.Tensor]
) -> torch.Tensor:
    """The points of all samples under an affine map, (*shape, D), or under several, (N, *shape, D).
    Axis by axis: exact to rounding for any torch.set_float32_matmul_precision(), and the result is
    written only once."""
    dimension = len(shape)
    total: Any = 0.0
    if offset is not None:
        total = offset if offset.dim() == 1 else offset.view(-1, *[1] * dimension, dimension)
    for line, column in zip(_lines_of(shape, linear.dtype, linear.device), linear.unbind(-1)):
        if column.dim() == 2:
            column = column.view(-1, *[1] * dimension, dimension)
        total = total + line * column
    found: torch.Tensor = total
    return found


def _named(name: str, function: Any, *arguments: Any, **options: Any) -> torch.Tensor:
    """Calls a function to which an argument is known by another name than to the caller."""
    try:
        return function(*arguments, **options)
    except (TypeError, ValueError) as error:
        for other in ("points: ", "matrix: "):
            if str(error).startswith(other) and not other.startswith(name):
                raise type(error)(f"{name}: {str(error)[len(other) :]}") from None
        raise


_Rows = list[list[float]]


def _maps_between(
    source: Optional[Geometry], target: Optional[Geometry], dimension: int
) -> tuple[_Rows, _Rows, list[float]]:
    """The maps before and after a linear transform, by numbers in the order of an image's axes: the
    homogeneous matrix from indices to points (x first); that from a point relative to the first
    sample to indices; and the point of that sample (mm). None: points are indices.

    By what a geometry holds as numbers, which compilers of PyTorch take for constants."""
    unit = [[float(row == column) for column in range(dimension)] for row in range(dimension)]
    target = source if target is None else target
    onto, first = (unit, [0.0] * dimension) if target is None else target.numbers
    rows = [[*row[::-1], offset] for row, offset in zip(onto, first)]
    rows.append([0.0] * dimension + [1.0])
    if source is None:
        return rows, unit[::-1], [0.0] * dimension
    return rows, _inverse(source.numbers[0])[::-1], list(source.numbers[1])


def _inverse(rows: Sequence[Sequence[float]]) -> _Rows:
    """Of a matrix of up to three rows, by Cramer's rule."""
    if len(rows) == 1:
        return [[1.0 / rows[0][0]]]
    if len(rows) == 2:
        (a, b), (c, d) = rows
        determinant = a * d - b * c
        return [[d / determinant, -b / determinant], [-c / determinant, a / determinant]]
    # The transposed matrix of cofactors: cross products of two rows each.
    crosses = [
        [
            one[(i + 1) % 3] * other[(i + 2) % 3] - one[(i + 2) % 3] * other[(i + 1) % 3]
            for i in range(3)
        ]
        for one, other in ((rows[1], rows[2]), (rows[2], rows[0]), (rows[0], rows[1]))
    ]
    determinant = sum([x * y for x, y in zip(rows[0], crosses[0])])
    return [[crosses[column][row] / determinant for column in range(3)] for row in range(3)]


def _product(one: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> _Rows:
    return [
        [sum([x * row[column] for x, row in zip(line, other)]) for column in range(len(other[0]))]
        for line in one
    ]


def _constant(value: Any, name: str) -> float:
    """A number that has no gradient. Raises TypeError or ValueError, naming the argument."""
    if isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
        raise ValueError(
            f"{name}: the tensor requires a gradient, but this argument has no gradient; pass {name}.detach()."
        )
    return number(value, name)


def _type_of(*tensors: torch.Tensor) -> torch.dtype:
    """What is computed in."""
    return (
        torch.float64 if any(tensor.dtype == torch.float64 for tensor in tensors) else torch.float32
    )


def _typed(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A tensor in a type: itself where it is, which PyTorch takes its time to find out."""
    return tensor if tensor.dtype == dtype else tensor.to(dtype)


def _same_device(tensor: torch.Tensor, other: torch.Tensor, name: str, other_name: str) -> None:
    if tensor.device != other.device:
        raise ValueError(
            f"{name}: it is on {tensor.device}, but {other_name} is on {other.device}; both must be on the same device."
        )


def _filter(image: torch.Tensor, begin: int, end: int, order: int, mode: int) -> torch.Tensor:
    """Filters along some neighbouring axes."""
    shape = image.shape
    _gradients.check_filtered(shape[:end], end - begin)
    if order < 2:
        return image
    joined = (
        shape[:begin].numel(),
        *shape[begin:end],
        *([shape[end:].numel()] if end < len(shape) else []),
    )
    axes = tuple(range(1, 1 + end - begin))
    if (
        not torch.compiler.is_compiling()
        and operators.is_plain((image,))
        and _is_as_taken(image)
        and image.numel() > 0
    ):
        structure = _gradients.structure_of_filter(order, mode, _NAMES[image.dtype], joined, axes)
        return operators.filter_at_once(
            image, operators.FilterPlan(structure, joined, axes, order, mode), False
        )
    found: torch.Tensor = operators.filter_axes(
        _typed(image.reshape(joined), _type_of(image)), list(axes), order, mode, False
    )
    return _typed(found.reshape(shape), image.dtype)


def _extended(
    image: torch.Tensor, dimension: int, padding: int, mode: str, cval: float
) -> torch.Tensor:
    """An image with samples on either side. The gradients of torch.nn.functional.pad are sums in
    any order; these are not."""
    for axis in range(image.dim() - dimension, image.dim()):
        ends = [image.narrow(axis, 0, 1), image.narrow(axis, image.shape[axis] - 1, 1)]
        shape = list(image.shape)
        shape[axis] = padding
        if mode == "grid-constant":
            ends = [torch.full_like(end, cval) for end in ends]
        image = torch.cat([ends[0].expand(shape), image, ends[1].expand(shape)], axis)
    return image


class _Images:
    """Images and points as the operators take them: batches with channels, lists of points, of one
    type."""

    def __init__(
        self,
        image: torch.Tensor,
        points: torch.Tensor,
        order: int,
        mode: str,
        cval: float,
        convention: str,
        align_corners: bool,
        names: tuple[str, str] = ("image", "points"),
    ) -> None:
        _check_tensor(image, names[0])
        _check_tensor(points, names[1])
        _same_device(points, image, names[1], names[0])
        self.order, self.code = _gradients.check_order(order), _gradients.mode_code(mode)
        self.mode = mode
        self.cval = _constant(cval, "cval")
        self.dimension = _gradients.check_points(points.shape, False, names[1])
        _gradients.check_image(image.shape, self.dimension, names[0])
        self.is_batch = image.dim() == self.dimension + 2
        if self.is_batch:
            _gradients.check_points(points.shape, True, names[1])
        self.dtype = image.dtype
        used = _type_of(image, points)
        points = _typed(points, used)
        size = image.shape[-self.dimension :]
        if convention == "grid_sample":
            points = _indices(points, size, align_corners)
        elif convention != "index":
            raise ValueError(
                f"convention: {convention!r} is not allowed; use one of {', '.join(map(repr, _CONVENTIONS))}."
            )
        image = _typed(image, used)
        self.image = image if self.is_batch else image[None, None]
        self.points = points if self.is_batch else points[None]
        self.batches = _gradients.batch_of(self.image.shape, self.points.shape, names[1])
        self.shape = self.points.shape[1:-1]
        self.points = self.points.reshape(self.points.shape[0], self.shape.numel(), self.dimension)

    def coefficients(self, is_filtered: bool) -> tuple[torch.Tensor, int]:
        """The images' coefficients, and the samples before their first one."""
        padding = _gradients.padding_of(self.order, self.mode, is_filtered)
        image = self.image
        if is_filtered and self.order >= 2:
            image = (
                _extended(image, self.dimension, padding, self.mode, self.cval)
                if padding
                else image
            )
            image = _filter(image, 2, image.dim(), self.order, self.code)
        return image, padding

    def evaluate(self, coefficients: torch.Tensor, padding: int, derivatives: int) -> torch.Tensor:
        """The operator."""
        points = self.points + float(padding) if padding else self.points
        found: torch.Tensor = operators.evaluate(
            coefficients, points, self.order, self.code, self.cval, derivatives
        )
        return found

    def result(self, values: torch.Tensor, tail: int = 0) -> torch.Tensor:
        """Numbers of points as the caller gets them."""
        values = _typed(
            values.reshape(*values.shape[:2], *self.shape, *values.shape[values.dim() - tail :]),
            self.dtype,
        )
        return values if self.is_batch else values[0, 0]


def _indices(points: torch.Tensor, size: Sequence[int], align_corners: bool) -> torch.Tensor:
    """Continuous indices of what torch.nn.functional.grid_sample takes."""
    length = _numbers(list(size), points.dtype, points.device)
    unit = points.flip(-1) + 1.0
    return unit * (0.5 * (length - 1.0)) if align_corners else 0.5 * (unit * length - 1.0)


def _push(
    values: torch.Tensor,
    grid: torch.Tensor,
    shape: Optional[Sequence[int]],
    order: int,
    mode: str,
    is_filtered: bool,
) -> torch.Tensor:
    _check_tensor(values, "input")
    _check_tensor(grid, "grid")
    _same_device(grid, values, "grid", "input")
    order, code = _gradients.check_order(order), _gradients.mode_code(mode)
    dimension = _gradients.check_points(grid.shape, False, "grid")
    # A batch has an axis for images and one for channels, its grid one for images and one for
    # numbers.
    is_batch = values.dim() == grid.dim() and values.shape[2:] == grid.shape[1:-1]
    if not is_batch and values.shape != grid.shape[:-1]:
        raise ValueError(
            f"input: its shape is {tuple(values.shape)}; a grid of the shape {tuple(grid.shape)} needs {tuple(grid.shape[:-1])}, or (N, C, ...) "
            f"with {tuple(grid.shape[1:-1])}."
        )
    out = grid.shape[1:-1] if is_batch else grid.shape[:-1]
    if shape is None:
        if len(out) != dimension:
            raise ValueError(
                f"shape: it is required, because the grid has {len(out)} axes of points, but the image has {dimension}."
            )
        shape = tuple(out)
    shape = _gradients.check_shape(shape, dimension)
    used = _type_of(values, grid)
    numbers = _typed(values if is_batch else values[None, None], used)
    points = _typed(grid if is_batch else grid[None], used)
    batches = _gradients.batch_of(numbers.shape, points.shape, "grid")
    numbers = operators.spread(numbers, batches).reshape(batches, numbers.shape[1], out.numel(), 1)
    points = points.reshape(points.shape[0], out.numel(), dimension)
    padding = _gradients.padding_of(order, mode, is_filtered)
    points = points + float(padding) if padding else points
    image: torch.Tensor = operators.scatter(
        numbers, points, [n + 2 * padding for n in shape], order, code, 0
    )
    if is_filtered and order >= 2:
        image = operators.filter_axes(image, list(range(2, 2 + dimension)), order, code, True)
        image = _folded(image, dimension, padding, mode) if padding else image
    return _typed(image if is_batch else image[0, 0], values.dtype)


def _folded(image: torch.Tensor, dimension: int, padding: int, mode: str) -> torch.Tensor:
    """The transpose of _extended()."""
    for axis in range(image.dim() - dimension, image.dim()):
        before, middle, behind = image.split(
            [padding, image.shape[axis] - 2 * padding, padding], axis
        )
        if mode == "nearest":
            ends = torch.zeros_like(middle)
            ends = ends.index_add(
                axis, ends.new_zeros(1, dtype=torch.long), before.sum(axis, keepdim=True)
            )
            last = torch.full((1,), middle.shape[axis] - 1, dtype=torch.long, device=middle.device)
            middle = middle + ends.index_add(axis, last, behind.sum(axis, keepdim=True))
        image = middle
    return image
