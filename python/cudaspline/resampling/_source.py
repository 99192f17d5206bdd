"""Source: an image made ready once, with the functions that evaluate it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core._options import SourceResampleOptions, SourceSampleOptions, SourceZoomOptions
from . import _resample, _sample
from ._prepared import PreparedImage

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Source(PreparedImage):
    """An image made ready to be evaluated: samples or B-spline coefficients, in memory of the host
    or of a GPU.

    It is made once and does not change; any number of threads evaluate it, by sample() and
    resample(). The image's pixels are copied where they need no preparation, so that they may
    change afterwards. resample(), zoom() and sample() refuse options that contradict those that it
    was made with.

    Parameters
    ----------
    image, method, interpolation, order, mode, boundary, border, prefilter, taps, tension, window,
    radius, sigma, cutoff, precision, storage, table, channels, device, threads, progress
        As for resample().

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
    >>> source = cudaspline.Source(numpy.arange(20.0).reshape(4, 5), order=3, device="cpu")
    >>> source
    <cudaspline.Source of size (5, 4), bspline of order 3, float64, on the host>
    >>> numpy.round(source.sample([[1.0, 2.0]]), 9)
    array([11.])
    >>> source.zoom(2, default=0).shape
    (8, 10)
    """

    def resample(
        self, transform: Any = None, reference: Any = None, **options: Unpack[SourceResampleOptions]
    ) -> Any:
        """cudaspline.resample() of it."""
        return _resample.resample(self, transform, reference, **options)

    def zoom(self, zoom: Any, **options: Unpack[SourceZoomOptions]) -> Any:
        """cudaspline.zoom() of it."""
        return _resample.zoom(self, zoom, **options)

    def sample(self, points: Any, **options: Unpack[SourceSampleOptions]) -> Any:
        """cudaspline.sample() of it."""
        return _sample.sample(self, points, **options)
