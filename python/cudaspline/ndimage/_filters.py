"""spline_filter and spline_filter1d."""

from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np

from ..core._arrays import refuses_gradients
from . import _library as _functions
from ._arguments import (
    Mode,
    Precision,
    by_parts,
    check_order,
    element_code,
    keeps_library,
    make_output,
    mode_code,
    take_input,
)
from ._array import ArrayLibrary, count, describe
from ._plans import shares_plans


def _filter(
    library: ArrayLibrary,
    array: Any,
    output: Any,
    order: int,
    mode: str,
    axes: tuple[int, ...],
    precision: Optional[str],
    threads: int,
) -> None:
    """Filters real numbers to real numbers, along some axes."""
    description = _functions.Filter()
    description.input = describe(library, array, "input")
    description.output = describe(library, output, "output")
    description.order = order
    description.mode = mode_code(mode)
    description.element = element_code(precision, library.dtype(array), library.dtype(output))
    for axis in axes:
        description.filtered[axis] = 1
    description.device = library.device(array)
    description.stream = library.stream(array)
    _functions.filter_array(description, threads)


def _filter_parts(
    library: ArrayLibrary,
    array: Any,
    output: Any,
    order: int,
    mode: str,
    axes: tuple[int, ...],
    precision: Optional[str],
    threads: int,
) -> Any:
    """Filters numbers of any kind; SciPy stores what is between the axes in the type of the output,
    and truncates for integers."""

    def run(real: Any, target: Any, _: float) -> None:
        dtype = library.dtype(target)
        if dtype.kind == "f":
            _filter(
                library,
                real,
                target,
                order=order,
                mode=mode,
                axes=axes,
                precision=precision,
                threads=threads,
            )
            return
        for axis in axes:
            values = library.empty(library.shape(target), np.dtype(np.float64), target)
            _filter(
                library,
                real,
                values,
                order=order,
                mode=mode,
                axes=(axis,),
                precision="double",
                threads=threads,
            )
            library.assign(target, library.convert(values, dtype))
            real = target

    if count(library.shape(output)) > 0 and library.dtype(output).kind == "b":
        raise RuntimeError("data type not supported: output has type bool")
    return by_parts(library, array, output, 0.0, run)


@shares_plans()
@refuses_gradients
@keeps_library
def spline_filter1d(
    input: Any,  # pylint: disable=redefined-builtin
    order: int = 3,
    axis: int = -1,
    output: Any = np.float64,
    mode: Mode = "mirror",
    *,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """B-spline coefficients of the lines along one axis: scipy.ndimage.spline_filter1d.

    Parameters
    ----------
    input : array of NumPy, CuPy or PyTorch
        Samples, real or complex, of at most 6 axes.
    order : int
        Of the spline, 0 to 5. 0 and 1 copy.
    axis : int
        The axis, negative ones from the last.
    output : array or type
        Where the coefficients go, in the library and on the device of the input; or their type.
    mode : str
        How lines continue beyond their ends: those of map_coordinates().
    precision : None, "single" or "double"
        Of the arithmetic. None: single where input and output are float32 (or complex64), else
        double, as SciPy's always is.
    threads : int
        Of the host; 0: as many as may be used.

    Returns
    -------
    array
        The coefficients, of the input's shape, where the input is.

    Raises
    ------
    RuntimeError
        An order, a mode or a type that is not supported, or an output of another shape.
    ValueError, TypeError
        A precision, an axis (numpy.exceptions.AxisError) or an output that cannot be.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> ndimage.spline_filter1d(np.array([[1.0, 1.0, 1.0]])).round(12)
    array([[1., 1., 1.]])
    """
    order = check_order(int(order) if order in (0, 1) else order)  # SciPy copies for 1.0 too
    library, array = take_input(input)
    target = make_output(library, output, array, library.shape(array))
    rank = len(library.shape(array))
    if order <= 1:
        library.assign(target, array)
        return target
    mode_code(mode)
    try:
        number = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis is {axis!r}, which is not a whole number") from None
    if not -rank <= number < rank:
        raise getattr(np, "exceptions", np).AxisError(number, rank, "axis")
    return _filter_parts(
        library,
        array,
        target,
        order=order,
        mode=mode,
        axes=(number % rank,),
        precision=precision,
        threads=threads,
    )


@shares_plans()
@refuses_gradients
@keeps_library
def spline_filter(
    input: Any,  # pylint: disable=redefined-builtin
    order: int = 3,
    output: Any = np.float64,
    mode: Mode = "mirror",
    *,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """B-spline coefficients of an array: scipy.ndimage.spline_filter.

    The parameters are those of spline_filter1d(), along all axes; the order is 2 to 5.

    Returns
    -------
    array
        The coefficients, of the input's shape, where the input is.

    Raises
    ------
    RuntimeError, ValueError, TypeError
        As spline_filter1d().

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> coefficients = ndimage.spline_filter(np.arange(12.0).reshape(4, 3))
    >>> ndimage.shift(coefficients, 0, prefilter=False).round(9)[1]
    array([3., 4., 5.])
    """
    order = check_order(order, 2)
    library, array = take_input(input)
    target = make_output(library, output, array, library.shape(array))
    rank = len(library.shape(array))
    mode_code(mode)
    if rank == 0:
        library.assign(target, array)
        return target
    return _filter_parts(
        library,
        array,
        target,
        order=order,
        mode=mode,
        axes=tuple(range(rank)),
        precision=precision,
        threads=threads,
    )
