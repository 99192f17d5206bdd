"""The interpolating functions of scipy.ndimage, on GPUs too.

spline_filter, spline_filter1d, map_coordinates, affine_transform, geometric_transform, shift, zoom and rotate have SciPy's signatures, modes
and results, and take arrays of NumPy, CuPy, PyTorch, JAX and of other libraries that speak DLPack. SciPy is not needed.

An array that is on a GPU stays there, and so does the result; the functions work in the order of the current stream of the array's library
and return when they are done. Arrays in host memory are interpolated by the host's threads; their elements are read where they are, of every
type, layout and byte order, and of few outputs only what these read is filtered.

Results are SciPy's: coordinates, what counts as outside, and which samples a value is made of are the same to the bit, and sums differ by
roundings. The arithmetic is double, as SciPy's, except with float32 (or complex64) input and output, where it is single: 2^-24 of the largest
coefficient, times a few. The argument precision, which SciPy does not have, selects one of them.

Modes. Each is an extension by which lines are filtered, a rule for coordinates outside, and an extension of the taps of a value:

==============  ===========================  ==============================================  =======================
mode            lines are filtered           coordinates outside                             taps outside
==============  ===========================  ==============================================  =======================
mirror          mirrored (whole samples)     mirrored, period 2 n - 2                        mirrored
reflect         reflected (half samples)     reflected, period 2 n                           reflected
grid-mirror     as reflect
grid-wrap       periodic, n                  periodic, n                                     periodic
nearest         reflected, after 12 copies   stay                                            the nearest sample
                of the ends on either side
grid-constant   mirrored, after 12 times     stay                                            cval
                cval on either side
constant        mirrored                     the value is cval                               mirrored
wrap            mirrored                     periodic, n - 1                                 mirrored
==============  ===========================  ==============================================  =======================

Affine coordinates are summed up as by SciPy 1.17, from the offset on; before, SciPy added the offset last, so that the nearest of two samples,
half way between them, may be the other one.

Beyond SciPy: coordinates that are NaN give cval in every mode, and integers that SciPy leaves to the processor (NaN, numbers beyond 64 bits)
are 0 and the ends of the type's range. Axes along which nothing moves are neither filtered nor interpolated along. Short of SciPy: at most 6
axes by orders 2 to 5, and on a GPU.
"""

from ._filters import spline_filter, spline_filter1d
from ._interpolation import affine_transform, geometric_transform, map_coordinates, shift, zoom
from ._rotation import rotate

__all__ = ["affine_transform", "geometric_transform", "map_coordinates", "rotate", "shift", "spline_filter", "spline_filter1d", "zoom"]
