"""map_coordinates, affine_transform, geometric_transform, shift and zoom."""

from __future__ import annotations

import operator
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ..core._arrays import refuses_gradients
from ..core._checks import named
from ..core._warnings import warn
from . import _library as _functions
from . import _many_axes
from ._arguments import (
    Mode,
    Precision,
    by_parts,
    check_order,
    describe_interpolation,
    element_code,
    keeps_library,
    make_output,
    mode_code,
    numbers,
    take_input,
)
from ._array import (
    TYPE_CODES,
    ArrayLibrary,
    adopt,
    as_native,
    count,
    host_array,
    is_output_type,
    library_of,
    overlap,
)
from ._plans import shares_plans

_RANK = "input and output rank must be > 0"


class Job:
    """The arguments that all functions have, checked."""

    def __init__(
        self,
        array: Any,
        order: int,
        mode: str,
        cval: complex,
        prefilter: bool,
        precision: Optional[str],
        threads: int,
        rank: int = 1,
    ) -> None:
        self.order = check_order(order)
        mode_code(mode)
        self.mode = mode
        self.cval = cval
        self.prefilter = bool(prefilter)
        self.precision = precision
        self.threads = threads
        self.library, self.array = take_input(array)
        self.shape = self.library.shape(self.array)
        if len(self.shape) < rank:
            raise RuntimeError(_RANK)

    def make_output(self, output: Any, shape: Sequence[int]) -> Any:
        """The output of the argument."""
        return make_output(self.library, output, self.array, shape)

    def describe(self, array: Any, output: Any, cval: float) -> _functions.Interpolation:
        """The structure for real numbers."""
        library = self.library
        element = element_code(self.precision, library.dtype(array), library.dtype(output))
        return describe_interpolation(
            library,
            array,
            output,
            order=self.order,
            mode=self.mode,
            cval=cval,
            prefilter=self.prefilter,
            element=element,
        )


def _coordinates(library: ArrayLibrary, array: Any, coordinates: Any) -> Any:
    """Coordinates in the input's library, each plane of them contiguous."""
    coordinates, _ = adopt(coordinates, "coordinates")
    owner = library_of(coordinates, "coordinates")
    if library.name == "NumPy" and owner is not library:
        raise TypeError(
            f"coordinates are an array of {owner.name}, but input is one of {library.name}; both must be of the same library"
        )
    coordinates = as_native(library, library.as_array(coordinates, array, "coordinates"))
    if library.device(coordinates) != library.device(array):
        raise ValueError("coordinates are on another device than input")
    dtype = library.dtype(coordinates)
    if dtype.kind == "c":
        raise TypeError("Complex type not supported: coordinates are complex")
    if dtype.kind not in "biuf" or dtype.itemsize > 8 or dtype == np.float16:
        raise RuntimeError(f"coordinate array data type not supported: {dtype}")
    expected = 1
    for length, stride in zip(
        reversed(library.shape(coordinates)[1:]), reversed(library.strides(coordinates)[1:])
    ):
        if length > 1 and stride != expected:
            return library.copy(coordinates)
        expected *= length
    return coordinates


@shares_plans(takes_coordinates=True)
@refuses_gradients
@keeps_library
def map_coordinates(
    input: Any,  # pylint: disable=redefined-builtin
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """Values at coordinates: scipy.ndimage.map_coordinates.

    Parameters
    ----------
    input : array of NumPy, CuPy or PyTorch
        Samples, real or complex, of 1 to 6 axes; arrays of NumPy of any number by orders 0 and 1.
        Arrays on a GPU stay there, and are read and written in the order of the current stream of
        their library; others are interpolated by the host's threads.
    coordinates : array
        Continuous indices (samples), of any real type: coordinates[k] are those along axis k of the
        input. On a GPU they stay there too.
    output : array or type
        Where the values go, in the library and on the device of the input; or their type. None: the
        input's type.
    order : int
        Of the spline, 0 to 5.
    mode : str
        What stands outside: "reflect" or "grid-mirror", "constant", "grid-constant", "nearest",
        "mirror", "grid-wrap", "wrap".
    cval : number
        What stands outside in the modes "constant" and "grid-constant"; complex for complex input.
        One that the type of integers does not have is clamped to its range, with a UserWarning.
    prefilter : bool
        False: the input has coefficients already, as spline_filter() makes them. For orders 2 to 5.
    precision : None, "single" or "double"
        Of the arithmetic. None: single where input and output are float32 (or complex64), else
        double, as SciPy's always is. Coordinates are double, and what is outside is SciPy's, in
        both.
    threads : int
        Of the host; 0: as many as may be used.

    Returns
    -------
    array
        The values, of shape coordinates.shape[1:], where the input is. Integers are rounded, halves
        away from zero, and clamped; those of 64 bits stay exact by order 0.

    Raises
    ------
    RuntimeError
        An order, a mode or a type that is not supported, shapes that do not fit, or an output of
        another shape.
    TypeError, ValueError
        Complex coordinates, arrays of different libraries or devices, an unknown precision.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> image = np.arange(12.0).reshape(4, 3)
    >>> ndimage.map_coordinates(image, [[0.5, 2], [0.5, 1]], order=1)
    array([2., 7.])
    """
    job = Job(
        input,
        order,
        mode,
        cval=cval,
        prefilter=prefilter,
        precision=precision,
        threads=threads,
        rank=0,
    )
    library = job.library
    coordinates = _coordinates(library, job.array, coordinates)
    listed = library.shape(coordinates)
    if len(job.shape) < 1 or len(listed) < 2:
        raise RuntimeError(_RANK)
    if listed[0] != len(job.shape):
        raise RuntimeError(
            f"invalid shape for coordinate array: {listed[0]} planes, but input has {len(job.shape)} axes"
        )
    target = job.make_output(output, listed[1:])
    if overlap(library, coordinates, target):
        coordinates = library.copy(coordinates)

    def run(array: Any, values: Any, border: float) -> None:
        if _many_axes.is_needed(library, job.order, len(job.shape), len(listed) - 1):
            places = coordinates.reshape(listed[0], -1).astype(np.float64)
            _many_axes.interpolate(array, values, places, job.order, mode, border, job.threads)
            return
        description = job.describe(array, values, border)
        dtype = library.dtype(coordinates)
        description.map = _functions.COORDINATES
        description.coordinates = library.address(coordinates)
        description.coordinate_type = TYPE_CODES[dtype]
        description.coordinate_stride = library.strides(coordinates)[0]
        _functions.interpolate(description, job.threads)

    return by_parts(library, job.array, target, cval, run, job.order)


def run_affine(
    job: Job,
    target: Any,
    matrix: np.ndarray[Any, Any],
    offset: Sequence[float],
    batch: Sequence[int] = (),
) -> Any:
    """Interpolates at matrix times index plus offset; the axes of batch are those of many arrays,
    and so are those that are not moved."""

    rows = matrix.tolist()
    batch = batch or _still_axes(job, target, matrix, offset)

    def run(array: Any, values: Any, border: float) -> None:
        if _many_axes.is_needed(job.library, job.order, len(job.shape), len(values.shape)):
            whole = matrix.copy()
            for axis in batch:
                whole[axis, axis] = 1  # it stays, whatever the matrix has
            places = _many_axes.affine_coordinates(values.shape, whole, offset)
            _many_axes.interpolate(array, values, places, job.order, job.mode, border, job.threads)
            return
        description = job.describe(array, values, border)
        description.map = _functions.AFFINE
        for row, line in zip(description.matrix, rows):
            row[: len(line)] = line
        description.offset[: len(offset)] = offset
        for axis in batch:
            description.batch[axis] = 1
        _functions.interpolate(description, job.threads)

    return by_parts(job.library, job.array, target, job.cval, run, job.order)


def _still_axes(
    job: Job, target: Any, matrix: np.ndarray[Any, Any], offset: Sequence[float]
) -> list[int]:
    """Axes along which nothing moves, such as channels; empty if that is true of all. They are
    neither filtered nor interpolated."""
    shape = job.library.shape(target)
    rank = len(job.shape)
    if len(shape) != rank or not (
        job.prefilter or job.order < 2
    ):  # coefficients are those of all axes
        return []
    rows = matrix.tolist()
    axes = range(rank)
    still = [
        axis
        for axis in axes
        if shape[axis] == job.shape[axis]
        and offset[axis] == 0
        and rows[axis][axis] == 1
        and all(
            [rows[axis][other] == 0 and rows[other][axis] == 0 for other in axes if other != axis]
        )
    ]
    return still if len(still) < rank else []


def _run_axes(
    job: Job,
    target: Any,
    scale: Sequence[float],
    shift: Sequence[float],
    map_kind: int = _functions.SHIFT_SCALE,
) -> Any:
    """Interpolates by a map of each axis; those that are not moved are those of many arrays."""
    # On a device one launch makes the tables of all axes.
    shape = job.library.shape(target)
    same = [
        float(a) == 1 and float(b) == 0 and n == m
        for a, b, n, m in zip(scale, shift, job.shape, shape)
    ]
    is_split = (
        job.library.device(job.array) < 0 and job.prefilter and job.order >= 2 and not all(same)
    )
    still = [axis for axis, found in enumerate(same) if found and is_split]

    def run(array: Any, values: Any, border: float) -> None:
        if _many_axes.is_needed(job.library, job.order, len(job.shape)):
            places = _many_axes.axis_coordinates(values.shape, scale, shift, map_kind)
            _many_axes.interpolate(array, values, places, job.order, job.mode, border, job.threads)
            return
        description = job.describe(array, values, border)
        description.map = map_kind
        description.scale[: len(scale)] = [float(number) for number in scale]
        description.shift[: len(shift)] = [float(number) for number in shift]
        for axis in still:
            description.batch[axis] = 1
        _functions.interpolate(description, job.threads)

    return by_parts(job.library, job.array, target, job.cval, run, job.order)


def _split_matrix(
    matrix: np.ndarray[Any, Any], offset: Any, rank: int
) -> tuple[np.ndarray[Any, Any], Any]:
    """Matrix and offset of a matrix of homogeneous coordinates, or of another as they are."""
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError(f"no proper affine matrix provided: matrix has the shape {matrix.shape}")
    if matrix.ndim == 2 and matrix.shape[1] == rank + 1 and matrix.shape[0] in (rank, rank + 1):
        if matrix.shape[0] == rank + 1:
            last = [0.0] * rank + [1.0]
            if not np.all(matrix[rank] == last):
                raise ValueError(
                    f"matrix: Expected homogeneous transformation matrix with shape {matrix.shape} for input of {rank} axes, but bottom row "
                    f"was not equal to {last}"
                )
        return matrix[:rank, :rank], matrix[:rank, rank]
    return matrix, offset


def _matrix_of(matrix: Any) -> np.ndarray[Any, Any]:
    try:
        found = host_array(matrix)
        if found.dtype.kind == "c":
            raise TypeError(f"its elements are of {found.dtype}")
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise named(error, f"matrix must contain real numbers: {error}") from None


def _lengths(shape: Any, argument: str) -> tuple[int, ...]:
    try:
        found = tuple(operator.index(length) for length in shape)
    except TypeError as error:
        raise TypeError(
            f"{argument} is {shape!r}, which is not a sequence of whole numbers: {error}"
        ) from None
    if any(length < 0 for length in found):
        raise ValueError(f"{argument} is {shape!r}: lengths must not be negative")
    return found


@shares_plans()
@refuses_gradients
@keeps_library
def affine_transform(
    input: Any,  # pylint: disable=redefined-builtin
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Optional[Sequence[int]] = None,
    output: Any = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """The element at index o of the output is the value at matrix @ o + offset:
    scipy.ndimage.affine_transform.

    Parameters
    ----------
    input, output, order, mode, cval, prefilter, precision, threads
        As of map_coordinates().
    matrix : array
        With n axes of the input: (n, m) for an output of m axes; (n,), the diagonal of a matrix,
        which is a map by axis and faster; (n + 1, n + 1) or (n, n + 1) in homogeneous coordinates.
    offset : number or sequence
        Added, a number per axis of the input (samples); not read where the matrix is homogeneous.
    output_shape : sequence of ints
        None: that of the output where it is an array, else of the input.

    Returns
    -------
    array
        The values, where the input is.

    Raises
    ------
    RuntimeError, TypeError, ValueError
        As map_coordinates(), and for a matrix or an offset of a shape that does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> ndimage.affine_transform(np.arange(12.0).reshape(4, 3), [0.5, 1], output_shape=(3, 3), order=1)
    array([[0. , 1. , 2. ],
           [1.5, 2.5, 3.5],
           [3. , 4. , 5. ]])
    """
    job = Job(
        input, order, mode, cval=cval, prefilter=prefilter, precision=precision, threads=threads
    )
    rank = len(job.shape)
    if output_shape is None:
        given = output is not None and is_output_type(output) is None
        output_shape = job.library.shape(output) if given else job.shape
    output_shape = _lengths(output_shape, "output_shape")
    if len(output_shape) < 1:
        raise RuntimeError(_RANK)
    target = job.make_output(output, output_shape)
    matrix, offset = _split_matrix(_matrix_of(matrix), offset, rank)
    if matrix.shape[0] != rank:
        raise RuntimeError(
            f"affine matrix has wrong number of rows: matrix has {matrix.shape[0]}, but input has {rank} axes"
        )
    if matrix.ndim == 2 and matrix.shape[1] != len(output_shape):
        raise RuntimeError(
            f"affine matrix has wrong number of columns: matrix has {matrix.shape[1]}, but output_shape has {len(output_shape)} axes"
        )
    offset = numbers(offset, rank, "offset")
    if matrix.ndim == 2:
        if not _is_separable(job, target, matrix, offset):
            return run_affine(job, target, matrix, offset)
        matrix = matrix.diagonal()
    if len(output_shape) != rank:
        raise RuntimeError("output_shape must have as many axes as input if matrix is a diagonal")
    with np.errstate(divide="ignore", invalid="ignore"):
        return _run_axes(job, target, matrix, np.asarray(offset) / matrix)


def _is_separable(
    job: Job, target: Any, matrix: np.ndarray[Any, Any], offset: Sequence[float]
) -> bool:
    """Whether a diagonal matrix and its diagonal give the same coordinates, to the bit, so that
    their values are the same, too, also those half way between two integers.

    Axes that are not moved have to be separated in both ways."""
    scale = matrix.diagonal()
    if matrix.shape[0] != matrix.shape[1] or np.count_nonzero(matrix) != np.count_nonzero(scale):
        return False
    is_split = job.order >= 2 and job.library.device(job.array) < 0
    if not is_split and _still_axes(job, target, matrix, offset):
        return False
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.asarray(offset) / scale
        return all(
            np.array_equal((index + b) * a, c + a * index)
            for index, a, b, c in zip(
                map(np.arange, job.library.shape(target)), scale, shift, offset
            )
        )


@refuses_gradients
@keeps_library
def geometric_transform(
    input: Any,  # pylint: disable=redefined-builtin
    mapping: Callable[..., Any],
    output_shape: Optional[Sequence[int]] = None,
    output: Any = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Optional[Mapping[str, Any]] = None,
    *,
    vectorized: bool = False,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """The element at index o of the output is the value at mapping(o):
    scipy.ndimage.geometric_transform.

    Parameters
    ----------
    input, output, order, mode, cval, prefilter, precision, threads
        As of map_coordinates().
    mapping : callable
        Gets the index of an element of the output, a tuple of ints, and gives as many coordinates
        as the input has axes.
    output_shape : sequence of ints
        None: that of the output where it is an array, else of the input.
    extra_arguments, extra_keywords
        Handed on to mapping.
    vectorized : bool
        True: mapping is called once, with an array of all indices for each axis of the output (open
        ones, as numpy.ogrid makes them), of the library of the input and where it is, and gives an
        array or a number for each axis of the input, which are broadcast.

    Returns
    -------
    array
        The values, where the input is.

    Raises
    ------
    RuntimeError, TypeError, ValueError
        As map_coordinates(), and for a mapping that cannot be called or gives another number of
        coordinates. What mapping raises.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> image = np.arange(12.0).reshape(4, 3)
    >>> ndimage.geometric_transform(image, lambda o: (o[0] - 0.5, o[1] - 0.5), order=1)
    array([[0., 0., 0.],
           [0., 2., 3.],
           [0., 5., 6.],
           [0., 8., 9.]])
    """
    if not callable(mapping):
        raise TypeError(f"mapping is {mapping!r}, which is not callable")
    job = Job(
        input, order, mode, cval=cval, prefilter=prefilter, precision=precision, threads=threads
    )
    library = job.library
    if output_shape is None:
        given = output is not None and is_output_type(output) is None
        output_shape = library.shape(output) if given else job.shape
    shape = _lengths(output_shape, "output_shape")
    if len(shape) < 1:
        raise RuntimeError(_RANK)
    rank = len(job.shape)
    keywords = dict(extra_keywords or {})
    if vectorized:
        axes = [
            library.as_array(
                np.arange(n).reshape([-1 if d == axis else 1 for d in range(len(shape))]),
                job.array,
                "mapping",
            )
            for axis, n in enumerate(shape)
        ]
        planes = list(mapping(tuple(axes), *extra_arguments, **keywords))
        _check_places(planes, rank)
        coordinates = library.empty((rank, *shape), np.dtype(np.float64), job.array)
        for number, (plane, values) in enumerate(zip(coordinates, planes)):
            try:
                plane[...] = values
            except (TypeError, ValueError, RuntimeError) as error:
                raise named(
                    error,
                    f"mapping does not return coordinates of the shape {tuple(shape)} for axis {number}: {error}",
                ) from None
    else:
        made = np.empty((rank, count(shape)))
        for number, index in enumerate(np.ndindex(*shape)):
            place = mapping(index, *extra_arguments, **keywords)
            _check_places(place, rank)
            made[:, number] = place
        coordinates = library.as_array(made.reshape(rank, *shape), job.array, "mapping")
    found: Any = map_coordinates(
        job.array,
        coordinates,
        output,
        order,
        mode,
        cval,
        prefilter,
        precision=precision,
        threads=threads,
    )
    return found


def _check_places(places: Any, rank: int) -> None:
    try:
        found = len(places)
    except TypeError:
        raise TypeError(
            f"mapping returned {places!r}; it must return a sequence of coordinates"
        ) from None
    if found != rank:
        raise RuntimeError(f"mapping returned {found} coordinates, but input has {rank} axes")


@shares_plans()
@refuses_gradients
@keeps_library
def shift(
    input: Any,  # pylint: disable=redefined-builtin
    shift: Any,  # pylint: disable=redefined-outer-name
    output: Any = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """The array, moved: scipy.ndimage.shift.

    Parameters
    ----------
    input, output, order, mode, cval, prefilter, precision, threads
        As of map_coordinates().
    shift : number or sequence
        By how much (samples): one number, or one per axis.

    Returns
    -------
    array
        The values, of the input's shape, where the input is.

    Raises
    ------
    RuntimeError, TypeError, ValueError
        As map_coordinates(), and for a shift of another length than the input has axes.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> ndimage.shift(np.arange(4.0), 1, order=1, mode="nearest")
    array([0., 0., 1., 2.])
    """
    job = Job(
        input, order, mode, cval=cval, prefilter=prefilter, precision=precision, threads=threads
    )
    distances = numbers(shift, len(job.shape), "shift")
    target = job.make_output(output, job.shape)
    return _run_axes(job, target, [1.0] * len(job.shape), [-distance for distance in distances])


@shares_plans(besides=("grid_mode",))
@refuses_gradients
@keeps_library
def zoom(
    input: Any,  # pylint: disable=redefined-builtin
    zoom: Any,  # pylint: disable=redefined-outer-name
    output: Any = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """The array, larger or smaller: scipy.ndimage.zoom.

    Parameters
    ----------
    input, output, order, mode, cval, prefilter, precision, threads
        As of map_coordinates().
    zoom : number or sequence
        By how much: one number, or one per axis. The output has round(length * zoom) elements along
        it.
    grid_mode : bool
        False: the centres of the first and the last element stay where they are. True: elements
        have an extent, and the edges of the array stay where they are.

    Returns
    -------
    array
        The values, where the input is.

    Raises
    ------
    RuntimeError, TypeError, ValueError
        As map_coordinates(), and for a zoom of another length than the input has axes.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> ndimage.zoom(np.arange(3.0), 5 / 3, order=1)
    array([0. , 0.5, 1. , 1.5, 2. ])
    """
    job = Job(
        input, order, mode, cval=cval, prefilter=prefilter, precision=precision, threads=threads
    )
    factors = numbers(zoom, len(job.shape), "zoom")
    if not all(-0.5 <= factor * length < 2.0**53 for length, factor in zip(job.shape, factors)):
        raise ValueError(f"zoom is {zoom!r}: the output would have too many elements")
    output_shape = tuple(int(round(length * factor)) for length, factor in zip(job.shape, factors))
    target = job.make_output(output, output_shape)
    if all(factor == 1 for factor in factors) and job.prefilter:
        job.library.assign(target, job.array)
        return target
    if grid_mode and mode in ("constant", "wrap"):
        warn(
            f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is True.",
            UserWarning,
        )
    less = 0 if grid_mode else 1
    scale = [
        (length - less) / (wanted - less) if wanted != less else 1.0
        for length, wanted in zip(job.shape, output_shape)
    ]
    kind = _functions.PIXEL_SCALE if grid_mode else _functions.SHIFT_SCALE
    return _run_axes(job, target, scale, [0.0] * len(scale), kind)
