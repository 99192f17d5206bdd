"""rotate."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy as np

from ..core._arrays import refuses_gradients
from ..core._checks import named
from ._arguments import Mode, Precision, keeps_library, take_input
from ._interpolation import Job, run_affine
from ._plans import shares_plans


def cosine_and_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle in degrees, exact at multiples of 90.

    The angle is taken to the nearest multiple of 90 before it becomes radians, as in
    scipy.special.cosdg and sindg: the bits are theirs at round angles, and the last one differs at
    one of twenty others.
    """
    quarters = math.floor(abs(angle) / 45.0)
    quarters += quarters % 2
    rest = (abs(angle) - 45.0 * quarters) * (math.pi / 180.0)
    cosine, sine = math.cos(rest), math.sin(rest)
    for _ in range(quarters // 2 % 4):
        cosine, sine = -sine, cosine
    return cosine, math.copysign(1.0, angle) * sine


def _angle(angle: Any) -> float:
    try:
        if isinstance(angle, (str, bytes)):
            raise TypeError("it is text")
        found = float(angle)
    except (TypeError, ValueError) as error:
        raise TypeError(f"angle: {angle!r} is not a real number: {error}") from None
    if not math.isfinite(found):
        raise ValueError(f"angle is {angle!r}; it must be finite")
    return found


@shares_plans()
@refuses_gradients
@keeps_library
def rotate(
    input: Any,  # pylint: disable=redefined-builtin
    angle: float,
    axes: Sequence[int] = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: Mode = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    precision: Optional[Precision] = None,
    threads: int = 0,
) -> Any:
    """The array, turned in the plane of two of its axes: scipy.ndimage.rotate.

    Parameters
    ----------
    input, output, order, mode, cval, prefilter, precision, threads
        As of map_coordinates(). Arrays of more than two axes are turned plane by plane, all of them
        at once.
    angle : number
        By how much (degrees).
    axes : two ints
        The plane, negative numbers from the last axis.
    reshape : bool
        Whether the output is as large as the turned array needs.

    Returns
    -------
    array
        The values, where the input is.

    Raises
    ------
    RuntimeError, TypeError, ValueError
        As map_coordinates(), and for axes that do not define a plane of the input.

    Examples
    --------
    >>> import numpy as np
    >>> from cudaspline import ndimage
    >>> ndimage.rotate(np.array([[1, 2], [3, 4]]), 90)
    array([[2, 4],
           [1, 3]])
    """
    library, array = take_input(input)
    rank = len(library.shape(array))
    if rank < 2:
        raise ValueError(f"input array should be at least 2D: input has {rank} axes")
    try:
        plane = list(axes)
        is_whole = all(float(axis).is_integer() for axis in plane)
    except (TypeError, ValueError) as error:
        raise named(error, f"axes: {axes!r} must be two whole numbers: {error}") from None
    if len(plane) != 2:
        raise ValueError("axes should contain exactly two values")
    if not is_whole:
        raise ValueError("axes should contain only integer values")
    plane = sorted(int(axis) + (rank if axis < 0 else 0) for axis in plane)
    if plane[0] < 0 or plane[1] >= rank:
        raise ValueError(
            f"invalid rotation plane specified: axes are {axes!r}, but input has {rank} axes"
        )
    if plane[0] == plane[1] and rank > 2:
        raise RuntimeError(f"output shape not correct: axes are {axes!r}; they must be different")
    job = Job(
        array, order, mode, cval=cval, prefilter=prefilter, precision=precision, threads=threads
    )

    cosine, sine = cosine_and_sine(_angle(angle))
    turn = np.array([[cosine, sine], [-sine, cosine]])
    shape = np.asarray(job.shape)
    inside = shape[plane]
    outside = inside
    if reshape:
        height, width = (int(length) for length in inside)
        corners = turn @ np.array([[0, 0, height, height], [0, width, 0, width]], np.float64)
        outside = (np.ptp(corners, axis=1) + 0.5).astype(int)
    centre = (inside - 1) / 2 - turn @ ((outside - 1) / 2)
    shape[plane] = outside
    target = job.make_output(output, tuple(int(length) for length in shape))

    offset = np.zeros(rank)
    if rank == 2:
        matrix, offset[:] = (
            turn,
            centre,
        )  # also where both axes are the same: SciPy turns the array of the shape that this asks for
        return run_affine(job, target, matrix, [float(number) for number in offset])
    matrix = np.zeros((rank, rank))
    matrix[np.ix_(plane, plane)] = turn
    offset[plane] = centre
    batch = [axis for axis in range(rank) if axis not in plane]
    return run_affine(job, target, matrix, [float(number) for number in offset], batch)
