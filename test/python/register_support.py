"""Phantoms of registrations, and the program that they are compared with.

Phantoms are functions of places: with a texture f and a transform T the fixed image is f(T(x)) and
the moving one f(y), so that a place x of the fixed image belongs to T(x) of the moving one.
"""

import os

import numpy
import pytest

import cudaspline
from cudaspline.images import _images
from test_resample import turned

PROGRAM = os.environ.get("CUDASPLINE_REGISTER", "")
needs_program = pytest.mark.skipif(
    not os.path.exists(PROGRAM), reason="CUDASPLINE_REGISTER names no program to compare with"
)
SMALL = numpy.add.outer(numpy.arange(12.0) ** 2, numpy.arange(14.0))


def write_image(path, image):
    """Writes an uncompressed MetaImage file, without another library."""

    def words(numbers):
        return " ".join(map(repr, numpy.ravel(numbers).tolist()))

    g = image.geometry
    kind = {"float32": "MET_FLOAT", "int16": "MET_SHORT"}[image.array.dtype.name]
    head = (
        f"ObjectType = Image\nNDims = {g.dimension}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
        f"TransformMatrix = {words(g.direction.T)}\nOffset = {words(g.origin)}\nElementSpacing = {words(g.spacing)}\n"
        f"DimSize = {words(g.size)}\nElementType = {kind}\nElementDataFile = LOCAL\n"
    )
    path.write_bytes(head.encode() + image.array.tobytes())


def read_array(path):
    """The pixels of an image file; the components of vectors are the last axis."""
    pixels = _images.open_image(_images.read_image(path, "image"), "image")
    components = (pixels.components,) if pixels.components > 1 else ()
    return numpy.array(pixels.buffer.array).reshape(*pixels.geometry.shape, *components)


def is_close(array, image, rounding):
    """Whether the pixels of an image of the package or of an array are alike, up to a factor of the
    largest one."""
    other = numpy.asarray(getattr(image, "array", image))
    return array.dtype == other.dtype and numpy.abs(array - other).max() <= rounding * other.max()


class Phantom:
    """Two images with a texture, and the transform between them."""

    def __init__(self, rng, size, oblique=True, spacing=None):
        n = len(size)
        self.n = n
        spacing = numpy.array([1.0, 1.2, 1.5][:n]) if spacing is None else spacing
        direction = numpy.eye(n)
        if oblique:
            direction = turned(rng, n)
            direction[:, 0] *= -1  # a left-handed one, as NIfTI's mostly are in LPS
        self.geometry = cudaspline.Image(
            numpy.zeros(size[::-1]), spacing, rng.uniform(-20, 20, n), direction
        ).geometry
        self.middle = self.geometry.origin + self.geometry.index_to_point @ (
            0.5 * (numpy.array(size) - 1)
        )
        # Waves of 10 to 16 mm in so many directions that a window contains several, and a blob that
        # marks the middle.
        self.waves = [
            (turned(rng, n)[0] * 2 * numpy.pi / rng.uniform(10, 16), rng.uniform(0, 6))
            for _ in range(6 * n)
        ]
        self.extent = 0.5 * spacing * numpy.array(size)

    def places(self):
        index = numpy.stack(
            numpy.meshgrid(*[numpy.arange(m) for m in self.geometry.shape], indexing="ij")[::-1],
            axis=-1,
        )
        return index @ self.geometry.index_to_point.T + self.geometry.origin

    def texture(self, places):
        away = places - self.middle
        value = sum(numpy.sin(away @ wave + phase) for wave, phase in self.waves)
        distance = ((away @ self.geometry.direction) / (0.7 * self.extent)) ** 2
        return (15 * value + 100) * numpy.exp(-distance.sum(axis=-1))

    def image(self, values, dtype="float32"):
        g = self.geometry
        return cudaspline.Image(values.astype(dtype), g.spacing, g.origin, g.direction)

    def images(self, truth, dtype="float32"):
        """fixed and moving, where truth maps places."""
        places = self.places()
        return self.image(self.texture(truth(places)), dtype), self.image(
            self.texture(places), dtype
        )

    def inner(self):
        """Places in the middle half."""
        index = numpy.stack(
            numpy.meshgrid(
                *[numpy.arange(m // 4, m - m // 4) for m in self.geometry.shape], indexing="ij"
            )[::-1],
            axis=-1,
        ).reshape(-1, self.n)
        return index @ self.geometry.index_to_point.T + self.geometry.origin

    def bend(self, size=2.0):
        """A smooth bend of up to that many mm."""
        waves = [2 * numpy.pi / (2.2 * self.extent.max()) * turn for turn in numpy.eye(self.n)]

        def truth(places):
            away = places - self.middle
            return (
                places
                + size
                * numpy.stack(
                    [numpy.cos(away @ waves[(d + 1) % self.n] + d) for d in range(self.n)], axis=-1
                )
                / self.n**0.5
            )

        return truth

    def linear(self, rng, kind):
        """A small transform of a kind about the middle."""
        n = self.n
        matrix = numpy.eye(n)
        if kind != "translation":
            spin = rng.uniform(-0.06, 0.06, (n, n))
            matrix = numpy.linalg.qr(numpy.eye(n) + spin - spin.T)[0]
            matrix *= numpy.sign(numpy.diag(matrix))
        if kind in ("similarity", "affine"):
            matrix = matrix * rng.uniform(0.95, 1.05)
        if kind == "affine":
            matrix = matrix @ (numpy.eye(n) + rng.uniform(-0.03, 0.03, (n, n)))
        shift = rng.uniform(-1.5, 1.5, n)
        return lambda places: (places - self.middle) @ matrix.T + self.middle + shift


def miss(transform, truth, places):
    """The mean error of a transform (mm)."""
    return numpy.linalg.norm(transform.apply(places) - truth(places), axis=-1).mean()
