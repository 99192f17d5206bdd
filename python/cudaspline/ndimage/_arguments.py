"""Common arguments of the functions of cudaspline.ndimage: outputs, precisions, borders, complex
numbers."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, Protocol, Sequence, Union, cast

import numpy as np

from ..core import _library
from ..core._checks import named
from ..core._options import Kind
from ..core._options import Mode as Mode
from ..core._warnings import warn
from . import _library as _functions
from ._array import (
    ArrayLibrary,
    adopt,
    as_native,
    as_readable,
    count,
    describe,
    host_array,
    is_output_type,
    library_of,
    overlap,
)
from ._plans import refuse_plan

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _Rest = ParamSpec("_Rest")

    class _KeepsLibrary(Protocol[_Rest]):
        """For type checkers: an array of the input's library; lists become arrays of NumPy."""

        def __call__(
            self, input: Union[Kind, Sequence[Any]], *arguments: _Rest.args, **options: _Rest.kwargs
        ) -> Union[Kind, Any]: ...


#: Precisions of the arithmetic.
Precision = Literal["single", "double"]

PRECISIONS = ("single", "double")
_SINGLE = (np.dtype(np.float32), np.dtype(np.complex64))


def keeps_library(function: Callable[Concatenate[Any, _Rest], Any]) -> _KeepsLibrary[_Rest]:
    """A function whose first argument, input, may be an array of JAX, or of any library that speaks
    DLPack: it gets an array of the same memory of NumPy, CuPy or PyTorch, and its result becomes
    one of the input's library."""

    @functools.wraps(function)
    def adopting(*arguments: Any, **options: Any) -> Any:
        given = arguments[0] if arguments else options.get("input")
        array, finish = adopt(given, "input")
        if finish is None:
            return function(*arguments, **options)
        if not arguments:
            del options["input"]
        return finish(function(array, *arguments[1:], **options))

    return cast("_KeepsLibrary[_Rest]", adopting)


def check_order(order: int, least: int = 0) -> int:
    """The order as an int; as SciPy, RuntimeError for orders that do not exist, and TypeError for
    anything but whole numbers."""
    try:
        is_known = bool(least <= order <= 5)
        found = operator.index(order) if is_known else 0
    except (TypeError, ValueError) as error:
        raise TypeError(f"order is {order!r}, which is not a whole number: {error}") from None
    if not is_known:
        raise RuntimeError(
            f"spline order not supported: order is {order}, but must be from {least} to 5"
        )
    return found


def mode_code(mode: str) -> int:
    """The library's number of a mode; RuntimeError as SciPy's for others."""
    try:
        return _functions.MODES[mode]
    except (KeyError, TypeError):
        raise RuntimeError(f"boundary mode not supported: mode is {mode!r}") from None


def numbers(values: Any, rank: int, argument: str) -> list[float]:
    """A number for each axis, of one number (an array of no axes is one), a sequence, an array or a
    generator; RuntimeError for one of another length."""
    try:
        if hasattr(values, "shape"):
            values = host_array(values).tolist()
        if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
            return [_real(values)] * rank
        found = [_real(value) for value in values]
    except (TypeError, ValueError) as error:
        raise named(
            error,
            f"{argument} is {values!r}, which is neither a real number nor a sequence of real numbers: {error}",
        ) from None
    if len(found) != rank:
        raise RuntimeError(
            f"sequence argument must have length equal to input rank: {argument} has {len(found)} numbers, but input has {rank} axes"
        )
    return found


def _real(value: Any) -> float:
    """A number as C takes it: no text."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def take_input(array: Any) -> tuple[ArrayLibrary, Any]:
    """The library of an input, and the input as an array of it, of which elements are read where
    they are."""
    library = library_of(array)
    return library, as_readable(library, library.as_array(array, array, "input"))


def make_output(
    library: ArrayLibrary,
    output: Any,
    array: Any,
    shape: Sequence[int],
    default: Optional[np.dtype[Any]] = None,
) -> Any:
    """The array that the argument output asks for, by SciPy's rules: given, or new of a type or of
    the input's."""
    dtype = library.dtype(array)
    is_complex = dtype.kind == "c"
    try:
        asked = is_output_type(output)
    except TypeError as error:
        raise TypeError(f"output is {output!r}, which is not a type of numbers: {error}") from None
    if output is None or asked is not None:
        wanted = (
            asked
            if asked is not None
            else (default if default is not None else dtype).newbyteorder("=")
        )
        if is_complex and wanted.kind != "c":
            if isinstance(output, str):
                raise RuntimeError("output must have complex dtype")
            if asked is not None:
                warn("promoting specified output dtype to complex", UserWarning)
            wanted = np.promote_types(wanted, np.complex64)
        if isinstance(output, str) and not issubclass(wanted.type, np.number):
            raise RuntimeError("output must have numeric dtype")
        return library.empty(tuple(shape), wanted, array)
    if library_of(output, "output") is not library:
        raise TypeError(f"output is not an array of {library.name}, as input is")
    if library.name == "NumPy":
        # Subclasses of numpy.ndarray (numpy.memmap, masked arrays) are written directly; a mask is
        # neither read nor changed.
        if not isinstance(output, np.ndarray) and hasattr(output, "__dlpack__"):
            raise TypeError(
                f"output: {type(output).__module__}.{type(output).__name__} is not supported; give a NumPy array or a dtype"
            )
        output = np.asarray(output)
    if library.device(output) != library.device(array):
        raise ValueError("output is on another device than input")
    if library.shape(output) != tuple(shape):
        raise RuntimeError(
            f"output shape not correct: it is {library.shape(output)}, but must be {tuple(shape)}"
        )
    if is_complex and library.dtype(output).kind != "c":
        raise RuntimeError("output must have complex dtype")
    if not library.is_writable(output):
        raise ValueError("output is read-only")
    return output


def element_code(precision: Optional[str], source: np.dtype[Any], target: np.dtype[Any]) -> int:
    """The type of the arithmetic: single where input and output are, unless a precision is asked
    for."""
    if precision is None:
        is_single = source.newbyteorder("=") in _SINGLE and target.newbyteorder("=") in _SINGLE
        precision = "single" if is_single else "double"
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}; it must be None, 'single' or 'double'")
    return _library.TYPES["float32" if precision == "single" else "float64"]


def padding_value(cval: float, dtype: np.dtype[Any]) -> float:
    """cval as an array of that type is padded with it: an integer is cut off towards 0, and clamped
    to the type's range."""
    if dtype.kind not in "iub":
        return float(cval)
    return (
        float(int(integer_of(cval, dtype, math.trunc)))
        if dtype.kind != "b"
        else float(abs(cval) >= 1)
    )


def integer_of(value: Any, dtype: np.dtype[Any], make: Callable[[float], int]) -> int:
    """A number as an integer of a type, clamped to its range; 0 for NaN. make: makes an integer of
    a finite real number"""
    limits = np.iinfo(dtype)
    if isinstance(value, (int, np.integer)):
        found = int(value)
    elif value != value:
        return 0
    elif math.isinf(value):
        return int(limits.max if value > 0 else limits.min)
    else:
        found = make(float(value))
    return int(min(max(found, int(limits.min)), int(limits.max)))


def round_away(value: float) -> int:
    """The nearest integer, halves away from 0, as values are rounded."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _warn_of_border(
    cval: float, mode: str, given: np.dtype[Any], target: np.dtype[Any], is_filtered: bool
) -> None:
    """Tells of a border's value that a type of integers does not have: that of the output, or of
    the input that is padded with it."""
    if mode not in ("constant", "grid-constant"):
        return
    for dtype, is_read in ((target, True), (given, mode == "grid-constant" and is_filtered)):
        if (
            is_read
            and dtype.kind in "iu"
            and not (np.iinfo(dtype).min - 0.5 < cval < float(np.iinfo(dtype).max) + 0.5)
        ):
            limits = np.iinfo(dtype)
            warn(
                f"cval is {cval:g}, which is clamped to the range of {dtype.name}, {limits.min} to {limits.max}",
                UserWarning,
            )
            refuse_plan()
            return


def by_parts(
    library: ArrayLibrary,
    array: Any,
    output: Any,
    cval: complex,
    run: Callable[[Any, Any, float], None],
    order: int = 1,
) -> Any:
    """Calls run(input, output, cval) for real numbers: twice for complex ones, by a copy for
    outputs that cannot be written as they are. Integers of 64 bits that no double is are taken in
    two halves, where the order is 0.

    Returns the output.
    """
    target = library.dtype(output)
    if count(library.shape(output)) == 0:
        return output
    if count(library.shape(array)) == 0:
        border = border_of(cval, target.kind == "c")
        library.assign(output, border if target.kind == "c" else border.real)
        return output
    if not library.is_regular(output):
        values = library.empty(library.shape(output), target.newbyteorder("="), array)
        library.assign(output, by_parts(library, array, values, cval, run, order))
        return output
    if overlap(library, array, output):
        array = library.copy(array)
    if library.dtype(array).kind == "c":
        cval = border_of(cval, True)
        run(library.real(array), library.real(output), cval.real)
        run(library.imag(array), library.imag(output), cval.imag)
        return output
    if target.kind == "c":
        raise RuntimeError("data type not supported: output is complex, but input is real")
    if order == 0 and _needs_halves(library, array, target):
        _by_halves(library, array, output, cval, run)
        return output
    if target.kind == "b" or not target.isnative:
        # A bool is true from 1 on, as truncated by SciPy.
        wide = np.dtype(np.float64) if target.kind == "b" else target.newbyteorder("=")
        values = library.empty(library.shape(output), wide, array)
        run(array, values, border_of(cval, False).real)
        library.assign(output, (values >= 1) | (values <= -1) if target.kind == "b" else values)
        return output
    run(array, output, border_of(cval, False).real)
    return output


#: Larger integers are not all doubles.
_LARGEST_EXACT = 2**53


def _needs_halves(library: ArrayLibrary, array: Any, target: np.dtype[Any]) -> bool:
    """Whether an array of integers has some that no double is, and the output has the same type.
    PyTorch shifts no unsigned ones."""
    dtype = library.dtype(array)
    kinds = "i" if library.name == "PyTorch" else "iu"
    if (
        dtype.itemsize != 8
        or dtype.kind not in kinds
        or dtype.newbyteorder("=") != target
        or not target.isnative
    ):
        return False
    refuse_plan()
    return int(array.max()) > _LARGEST_EXACT or int(array.min()) < -_LARGEST_EXACT


def _by_halves(
    library: ArrayLibrary,
    array: Any,
    output: Any,
    cval: Any,
    run: Callable[[Any, Any, float], None],
) -> None:
    target = library.dtype(output)
    border = integer_of(
        cval if isinstance(cval, (int, np.integer)) else border_of(cval, False).real,
        target,
        round_away,
    )
    high, low = (library.empty(library.shape(output), target, array) for _ in range(2))
    native = as_native(library, array)
    run(native >> 32, high, float(border >> 32))
    run(native & 0xFFFFFFFF, low, float(border & 0xFFFFFFFF))
    library.assign(output, (high << 32) | low)


def border_of(cval: Any, is_complex: bool) -> complex:
    """cval for numbers of a kind. TypeError as SciPy's if it is not a number, or is complex where
    the input is real."""
    try:
        return (
            complex(_real(cval))
            if not is_complex
            else complex(_real(np.real(cval)), _real(np.imag(cval)))
        )
    except (TypeError, ValueError) as error:
        what = "number" if is_complex else "real number, as input is real"
        raise TypeError(f"cval is {cval!r}, which is not a {what}: {error}") from None


def describe_interpolation(
    library: ArrayLibrary,
    array: Any,
    output: Any,
    order: int,
    mode: str,
    cval: float,
    prefilter: bool,
    element: int,
) -> _functions.Interpolation:
    """A structure without its map."""
    _warn_of_border(
        cval, mode, library.dtype(array), library.dtype(output), prefilter and order >= 2
    )
    interpolation = _functions.Interpolation()
    interpolation.input = describe(library, array, "input")
    interpolation.output = describe(library, output, "output")
    interpolation.order = order
    interpolation.mode = mode_code(mode)
    interpolation.border = cval
    interpolation.padding = (
        padding_value(cval, library.dtype(array)) if mode == "grid-constant" else cval
    )
    interpolation.coefficients = 0 if prefilter else 1
    interpolation.element = element
    interpolation.device = library.device(array)
    interpolation.stream = library.stream(array)
    return interpolation
