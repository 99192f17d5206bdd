"""B-spline coefficients of images: prefilter()."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, Union

import numpy

from ..core import _arrays, _library
from ..core._methods import Method, choose, device_word, make_interpolator
from ..core._options import Boundaries, Channels, Kind, Order, PrefilterMethod
from ..images import _images
from ._prepared import Like


@_arrays.refuses_gradients
def prefilter(
    image: Union[Kind, Like],
    order: Order = 3,
    *,
    boundary: Boundaries = "mirror",
    method: PrefilterMethod = "exact",
    taps: int = 15,
    axis: Optional[int] = None,
    dtype: Any = None,
    channels: Channels = False,
    out: Any = None,
    device: Any = None,
    threads: int = 0,
    progress: Optional[Callable[[float], object]] = None,
) -> Union[Kind, Any]:
    """B-spline coefficients of an image: what itk.BSplineDecompositionImageFilter and
    scipy.ndimage.spline_filter make.

    Parameters
    ----------
    image
        As for resample(), of 1 to 4 axes.
    order
        Of the B-spline, 0 to 5; 0 and 1 change only the type.
    boundary
        How the image continues outside: "mirror" (ITK's, about the outermost samples), "reflect"
        (about the edges), "grid-wrap"; one for all axes, or one each, x first.
    method, taps
        "exact", "itk" or "fir" with that many taps, as for resample().
    axis
        The only axis that is filtered, as NumPy counts them: 0 is the slowest one, -1 the fastest;
        None: all.
    dtype
        "float32" or "float64"; None: float64 for float64 and integers of 32 and more bits, else
        float32.
    channels, out, device, threads, progress
        As for resample().

    Returns
    -------
    An image of the kind that was given, with its geometry. It is complete.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.
    DeviceError
        The GPU that was asked for is not there, or fails while the image is on it.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> coefficients = cudaspline.prefilter(numpy.arange(20.0).reshape(4, 5), order=3)
    >>> coefficients.shape
    (4, 5)
    >>> same = cudaspline.resample(coefficients, order=3, prefilter="coefficients")
    >>> bool(numpy.allclose(same, numpy.arange(20.0).reshape(4, 5)))
    True
    """
    pixels = _images.open_image(image, "image", _images.check_channels(channels))
    if out is not None and not pixels.is_plain:
        raise ValueError(
            "out: it is not supported together with channels='first'; use channels='last', or omit out."
        )
    buffer = pixels.buffer
    dimension = pixels.geometry.dimension
    choose(method, _library.METHODS, "method")
    found = make_interpolator(
        pixels.geometry, Method("bspline", order, boundary=boundary, prefilter=method, taps=taps)
    )
    if dtype is None:
        wanted = found.element(buffer.dtype, buffer.dtype, 1)
    else:
        name = _arrays.type_name(dtype, "dtype")
        wanted = choose(name, {"float32": "float32", "float64": "float64"}, "dtype")
    found.precision = wanted
    shape = (*pixels.geometry.shape, *pixels.shape_tail)
    result = _arrays.Output(out, buffer, shape, wanted, [buffer], in_place=True)
    number = -1
    if axis is not None:
        if (
            isinstance(axis, bool)
            or not isinstance(axis, (int, numpy.integer))
            or not -dimension <= axis < dimension
        ):
            raise ValueError(f"axis: {axis!r} is not an axis of the image, which has {dimension}.")
        if pixels.components > 1:
            raise ValueError(
                "axis: filtering along one axis supports only images with one component per pixel."
            )
        number = dimension - 1 - int(axis) % dimension
    described = found.describe_image(buffer, pixels.size, pixels.components, wanted)
    call = _library.Call(
        device_word(device, buffer.device), threads, 0, progress, buffer.device >= 0
    )
    call.run("cudaspline_prefilter", ctypes.byref(described), number, result.buffer.pointer)
    return result.finish(lambda made: pixels.finish(made, pixels.geometry))
