"""Differentiable values of images at points: functions of cudaspline.jax."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import jax
import jax.numpy as jnp
import numpy

from ..autodiff import _gradients
from ..core import _library
from ..core._checks import flag, number
from ..core._geometry import Geometry
from ..core._options import Mode
from ..core._threads import takes_threads
from . import _operators as operators


@takes_threads
def sample(
    image: Any,
    points: Any,
    *,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> Any:
    """Values of an image's spline at points, with gradients with respect to image and points.

    Parameters
    ----------
    image
        One image with D axes, or a batch (N, C, ...) of images with channels. Floating-point
        numbers.
    points
        Continuous indices in the order of the image's axes: (..., D), or (N, ..., D) for a batch;
        with 1 instead of N they are used for all images. A point that is NaN has the value NaN.
    order
        The order of the spline, 0 to 5. With order 0, the nearest sample, the gradient with respect
        to points is 0.
    mode, cval
        The extension outside of the image, with the names of scipy.ndimage.
    prefilter
        True: the image contains samples. False: it contains B-spline coefficients, as prefilter()
        computes them.
    threads
        The number of host threads, for the values and for their derivatives, also in functions
        compiled by JAX. 0: the number of cudaspline.use_threads(), otherwise all processors that
        may be used.

    Returns
    -------
    jax.Array
        (...), or (N, C, ...) for a batch, with the image's type.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, cudaspline.jax
    >>> image = jnp.arange(16.0).reshape(4, 4)
    >>> value = lambda point: cudaspline.jax.sample(image, point, order=1)
    >>> point = jnp.array([1.0, 1.5])
    >>> float(value(point)), jax.grad(value)(point).tolist()
    (5.5, [4.0, 1.0])
    """
    values, is_batch = _derivatives(
        image, points, order, mode, cval, flag(prefilter, "prefilter"), 0
    )
    return values[..., 0] if is_batch else values[0, 0, ..., 0]


@takes_threads
def grad(
    image: Any,
    points: Any,
    *,
    order: int = 1,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = False,
    threads: int = 0,
) -> Any:
    """Gradients of an image's spline at points (per sample): (..., D), or (N, C, ..., D) for a
    batch. Arguments are those of sample(). The result has derivatives with respect to image and
    points, too.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.grad(jnp.arange(4.0) ** 2, jnp.array([[0.5], [2.5]])).tolist()
    [[1.0], [5.0]]
    """
    values, is_batch = _derivatives(
        image, points, order, mode, cval, flag(prefilter, "prefilter"), 1
    )
    return values if is_batch else values[0, 0]


def _derivatives(
    image: Any, points: Any, order: Any, mode: Any, cval: Any, is_filtered: bool, derivatives: int
) -> tuple[Any, bool]:
    """Derivatives at points: (N, C, ..., D^n) of the image's type, and whether the image is a
    batch."""
    image, points = _array(image, "image"), _array(points, "points")
    order, code = _gradients.check_order(order), _gradients.mode_code(mode)
    border = _constant(cval, "cval")
    dimension = _gradients.check_points(points.shape, False)
    _gradients.check_image(image.shape, dimension)
    is_batch = image.ndim == dimension + 2
    if is_batch:
        _gradients.check_points(points.shape, True)
    dtype = image.dtype
    used = _type_of(image, points)
    images = image.astype(used) if is_batch else image.astype(used)[None, None]
    places = points.astype(used) if is_batch else points.astype(used)[None]
    _gradients.batch_of(images.shape, places.shape)
    out = places.shape[1:-1]
    places = places.reshape(places.shape[0], int(numpy.prod(out, dtype=int)), dimension)
    padding = _gradients.padding_of(order, mode, is_filtered)
    if is_filtered and order >= 2:
        if padding:
            margin = [(0, 0)] * 2 + [(padding, padding)] * dimension
            constant = {"constant_values": border} if mode == "grid-constant" else {}
            images = jnp.pad(images, margin, mode="constant" if constant else "edge", **constant)
            places = places + float(padding)
        images = operators.filter_axes(
            images, tuple(range(2, images.ndim)), _spline(order, code), False
        )
    values = operators.evaluate(images, places, _spline(order, code, border), derivatives)
    return values.reshape(*values.shape[:2], *out, values.shape[-1]).astype(dtype), is_batch


def _spline(order: int, code: int, border: float = 0.0) -> _gradients.Spline:
    return _gradients.Spline(order, code, border, _library.threads_of_call())


@takes_threads
def push(
    values: Any,
    points: Any,
    shape: Optional[Sequence[int]] = None,
    *,
    order: int = 1,
    mode: Mode = "constant",
    threads: int = 0,
) -> Any:
    """The transpose of sample() of coefficients: adds the value of each point to the samples from
    which sample() would interpolate it ("splatting"), with the same bits in every call.

    Parameters
    ----------
    values
        The values of the points: (...), or (N, C, ...) for a batch.
    points
        (..., D), or (N, ..., D).
    shape
        The shape of the image. None: the shape of the points, if they have D axes.
    order, mode
        As for sample(). With the modes "constant" and "grid-constant", values outside of the image
        are lost.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.push(jnp.ones(2), jnp.array([[0.5], [2.0]]), (4,)).tolist()
    [0.5, 0.5, 1.0, 0.0]
    """
    values, points = _array(values, "values"), _array(points, "points")
    order, code = _gradients.check_order(order), _gradients.mode_code(mode)
    dimension = _gradients.check_points(points.shape, False)
    is_batch = values.ndim == points.ndim and values.shape[2:] == points.shape[1:-1]
    if not is_batch and values.shape != points.shape[:-1]:
        raise ValueError(
            f"values: the shape is {values.shape}; points of the shape {points.shape} need {points.shape[:-1]}, or (N, C, ...) with "
            f"{points.shape[1:-1]}."
        )
    out = points.shape[1:-1] if is_batch else points.shape[:-1]
    size = _gradients.check_shape(out if shape is None else shape, dimension)
    used = _type_of(values, points)
    numbers = (values if is_batch else values[None, None]).astype(used)
    places = (points if is_batch else points[None]).astype(used)
    batches = _gradients.batch_of(numbers.shape, places.shape)
    count = int(numpy.prod(out, dtype=int))
    numbers = jnp.broadcast_to(numbers, (batches, *numbers.shape[1:])).reshape(
        batches, numbers.shape[1], count, 1
    )
    places = places.reshape(places.shape[0], count, dimension)
    images = operators.scatter(numbers, places, size, _spline(order, code), 0)
    return (images if is_batch else images[0, 0]).astype(values.dtype)


@takes_threads
def count(
    points: Any,
    shape: Optional[Sequence[int]] = None,
    *,
    order: int = 1,
    mode: Mode = "constant",
    threads: int = 0,
) -> Any:
    """The sum of the weights that points add to each sample: push() of ones. For points (*size, D)
    the result has the given shape, for a batch (N, *size, D) the shape (N, 1, *shape).

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.count(jnp.array([[0.5], [0.75]]), (3,)).tolist()
    [0.75, 1.25, 0.0]
    """
    points = _array(points, "points")
    dimension = _gradients.check_points(points.shape, False)
    is_batch = points.ndim == dimension + 2
    ones = jnp.ones(
        (points.shape[0], 1, *points.shape[1:-1]) if is_batch else points.shape[:-1], points.dtype
    )
    return push(ones, points, shape, order=order, mode=mode)


@takes_threads
def identity(shape: Sequence[int], *, dtype: Any = None, threads: int = 0) -> Any:
    """The positions of all samples: (*shape, D), in the order of the axes. warp() adds them to a
    field.

    Examples
    --------
    >>> import cudaspline.jax
    >>> cudaspline.jax.identity((1, 2)).tolist()
    [[[0.0, 0.0], [0.0, 1.0]]]
    """
    return _identity(_gradients.check_axes(shape), jnp.zeros(0).dtype if dtype is None else dtype)


@takes_threads
def warp(
    image: Any,
    field: Any,
    *,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> Any:
    """An image warped by a displacement field: its value at each position of the field plus the
    displacement at this position, with gradients with respect to both.

    Parameters
    ----------
    image
        As for sample().
    field
        Displacements in samples of the image: (*size, D), or (N, *size, D) for a batch, in the
        order of the axes.
    order, mode, cval, prefilter, threads
        As for sample().

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.warp(jnp.arange(4.0), jnp.full((4, 1), 0.5), order=1, mode="nearest").tolist()
    [0.5, 1.5, 2.5, 3.0]
    """
    field = _array(field, "field")
    dimension = _gradients.check_points(field.shape, False, "field")
    if field.ndim not in (dimension + 1, dimension + 2):
        raise ValueError(
            f"field: its shape is {field.shape}; it must be (*size, {dimension}) or (N, *size, {dimension})."
        )
    image = _array(image, "image")
    points = field.astype(_type_of(field)) + _identity(
        field.shape[-dimension - 1 : -1], _type_of(field)
    )  # indices have more digits than float16
    points = points[None] if field.ndim == dimension + 1 and image.ndim == dimension + 2 else points
    return sample(image, points, order=order, mode=mode, cval=cval, prefilter=prefilter)


@takes_threads
def affine(
    image: Any,
    matrix: Any,
    offset: Any = None,
    shape: Optional[Sequence[int]] = None,
    *,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> Any:
    """An image resampled through an affine map, as by scipy.ndimage.affine_transform: its value at
    matrix @ index + offset, with gradients with respect to image, matrix and offset.

    Parameters
    ----------
    image
        As for sample(), one image.
    matrix
        (D, D); use jax.vmap for several matrices.
    offset
        (D); None: 0.
    shape
        The shape of the output; None: that of the image.
    order, mode, cval, prefilter, threads
        As for sample().

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.affine(jnp.arange(4.0), jnp.array([[0.5]]), jnp.array([1.0]), order=1).tolist()
    [1.0, 1.5, 2.0, 2.5]
    """
    image, matrix = _array(image, "image"), _array(matrix, "matrix")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not 1 <= matrix.shape[0] <= 3:
        raise ValueError(
            f"matrix: its shape is {matrix.shape}; it must be (D, D) with D = 1, 2 or 3."
        )
    dimension = matrix.shape[0]
    _gradients.check_image(image.shape, dimension)
    size = _gradients.check_shape(image.shape[-dimension:] if shape is None else shape, dimension)
    matrix = matrix.astype(_type_of(matrix))
    points = _identity(size, matrix.dtype)
    points = _times(points, matrix.T)
    if offset is not None:
        offset = _array(offset, "offset")
        if offset.shape != (dimension,):
            raise ValueError(f"offset: its shape is {offset.shape}; it must be ({dimension},).")
        points = points + offset
    points = points[None] if image.ndim == dimension + 2 else points
    return sample(image, points, order=order, mode=mode, cval=cval, prefilter=prefilter)


@takes_threads
def resample(
    image: Any,
    transform: Any = None,
    *,
    source: Optional[Geometry] = None,
    target: Optional[Geometry] = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    threads: int = 0,
) -> Any:
    """An image on another grid in physical space, through a linear transform: cudaspline.resample()
    with gradients with respect to image and transform.

    Parameters
    ----------
    image
        As for sample(). An image with three axes is one volume, unless the dimension of source or
        target differs.
    transform
        Maps points of the output to points of the image (mm), x first as in cudaspline.resample():
        (D, D), (D, D + 1) or (D + 1, D + 1); use jax.vmap for several. None: the identity.
    source, target
        The cudaspline.Geometry of image and output. Without source, points of the image are
        indices; without target, the output has the image's geometry.
    order, mode, cval, prefilter, threads
        As for sample(). With the mode "constant", points beyond the outermost samples are outside.

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> import cudaspline, numpy
    >>> coarse = cudaspline.Image(numpy.zeros(2), spacing=1.5).geometry
    >>> cudaspline.jax.resample(jnp.arange(4.0), jnp.array([[1.0, 0.5]]), target=coarse, order=1).tolist()
    [0.5, 2.0]
    """
    image = _array(image, "image")
    transform = None if transform is None else _array(transform, "transform")
    dimension = _gradients.check_geometries(source, target, image.shape)
    target = source if target is None else target
    dtype = _type_of(image) if transform is None else _type_of(transform)
    linear, _, moved = (
        jnp.asarray(values, dtype) for values in _gradients.maps_of(target, dimension)
    )
    if transform is not None:
        _gradients.check_transform(transform.shape, dimension, False)
        rows = transform[:dimension].astype(dtype)
        linear, moved = _times(rows[:, :dimension], linear), _times(rows[:, :dimension], moved)
        moved = moved + rows[:, dimension] if rows.shape[1] > dimension else moved
    _, back, origin = (
        jnp.asarray(values, dtype) for values in _gradients.maps_of(source, dimension)
    )
    linear, moved = _times(back, linear)[::-1, ::-1], _times(back, moved - origin)[::-1]
    shape = image.shape[image.ndim - dimension :] if target is None else target.shape
    return affine(
        image, linear, moved, shape, order=order, mode=mode, cval=cval, prefilter=prefilter
    )


@takes_threads
def prefilter(
    image: Any,
    *,
    order: int = 3,
    mode: Mode = "mirror",
    dim: Optional[int] = None,
    threads: int = 0,
) -> Any:
    """B-spline coefficients of samples, along the last axes, with gradients.

    Parameters
    ----------
    image
        The samples.
    order
        0 to 5. For orders 0 and 1 the samples are returned, because they are the coefficients.
    mode
        The extension of lines, as for sample(), without a margin: the coefficients for "nearest"
        are those of "reflect", and for "grid-constant" those of "mirror".
    dim
        The number of axes to filter, counted from the last axis. None: all axes of an image with
        one or two axes, all except the first two of a batch (N, C, ...).

    Examples
    --------
    >>> import jax.numpy as jnp, cudaspline.jax
    >>> cudaspline.jax.prefilter(jnp.ones((2, 1, 4, 5))).shape
    (2, 1, 4, 5)
    """
    image = _array(image, "image")
    order, code = _gradients.check_order(order), _gradients.mode_code(mode)
    axes = (image.ndim - 2 if image.ndim > 2 else image.ndim) if dim is None else dim
    if isinstance(axes, bool) or not isinstance(axes, int) or not 1 <= axes <= min(image.ndim, 3):
        raise ValueError(
            f"dim: {axes!r} must be from 1 to 3, and at most {image.ndim}, the number of axes of the image."
        )
    _gradients.check_filtered(image.shape, axes)
    if order < 2 or image.size == 0:
        return image
    joined = image.astype(_type_of(image)).reshape(-1, *image.shape[image.ndim - axes :])
    found = operators.filter_axes(joined, tuple(range(1, 1 + axes)), _spline(order, code), False)
    return found.reshape(image.shape).astype(image.dtype)


def _array(array: Any, name: str) -> Any:
    try:
        found = jnp.asarray(array)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {type(array).__name__} is not an array: {error}") from None
    if not jnp.issubdtype(found.dtype, jnp.floating):
        raise TypeError(
            f"{name}: elements of type {found.dtype} have no gradient; convert them, for example with {name}.astype(float)."
        )
    if found.dtype.name not in ("float64", "float32", "float16", "bfloat16"):
        raise TypeError(
            f"{name}: elements of type {found.dtype} are not supported; convert them to float64, float32, float16 or bfloat16."
        )
    return found


def _constant(value: Any, name: str) -> float:
    """A number that is known when JAX traces. Raises TypeError or ValueError, naming the
    argument."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(
            f"{name}: JAX traces it, but it has no gradient and must be a constant of a compiled function (see static_argnames of jax.jit)."
        )
    return number(value, name)


def _type_of(*arrays: Any) -> Any:
    return jnp.float64 if any(array.dtype == jnp.float64 for array in arrays) else jnp.float32


def _times(one: Any, other: Any) -> Any:
    """A product of matrices. On a GPU JAX would keep 10 bits of each number, of indices too."""
    return jnp.matmul(one, other, precision="highest")


def _identity(shape: Sequence[int], dtype: Any) -> Any:
    lines = [jnp.arange(n, dtype=dtype) for n in shape]
    return jnp.stack(jnp.meshgrid(*lines, indexing="ij"), -1)
