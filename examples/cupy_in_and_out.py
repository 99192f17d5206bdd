#!/usr/bin/env python3
"""CuPy in and out: a volume that is made on the GPU is warped, zoomed and differentiated there, and only a slice comes back for the picture.

usage: cupy_in_and_out.py [PICTURE]

PICTURE is what is written (default: cupy_in_and_out.png). Needs CuPy and a GPU; matplotlib where axes and titles are wanted.
"""

import struct
import sys
import zlib

import numpy

try:
    import cupy

    cupy.cuda.runtime.getDeviceCount()
except Exception as error:  # pylint: disable=broad-except
    print(f"cupy_in_and_out.py: Skipped\nThere is no CuPy, or no GPU: {error}")
    sys.exit(77)

import cudaspline


def shells(size):
    """Spherical shells about the middle of a cube, finer towards the outside."""
    z, y, x = cupy.meshgrid(*[cupy.linspace(-1, 1, size, dtype="float32")] * 3, indexing="ij")
    r2 = x * x + y * y + z * z
    return (0.5 + 0.5 * cupy.cos(40 * r2)) * (r2 < 1)


def warp(size, length):
    """A displacement field (mm), a vector a voxel, x first: a turn that fades outwards."""
    z, y, x = cupy.meshgrid(*[cupy.linspace(-1, 1, size, dtype="float32")] * 3, indexing="ij")
    fade = cupy.exp(-4 * (x * x + y * y + z * z))
    return cupy.stack([-y * fade, x * fade, cupy.zeros_like(x)], axis=-1) * length


def main():
    picture = sys.argv[1] if len(sys.argv) > 1 else "cupy_in_and_out.png"
    # [cupy]
    volume = shells(192)
    field = cudaspline.DisplacementField(warp(48, 60.0), spacing=191 / 47)
    warped = cudaspline.resample(volume, field)  # a cupy.ndarray: nothing has left the GPU
    finer = cudaspline.zoom(warped, 2, interpolation="catmull-rom")
    points = cupy.stack(cupy.meshgrid(cupy.arange(192.0), cupy.arange(192.0), cupy.array([96.0]), indexing="xy"), axis=-1)
    values, gradient = cudaspline.sample(warped, points, gradient=True)
    # [cupy]
    assert all(isinstance(array, cupy.ndarray) for array in (warped, finer, values, gradient))
    print(f"{volume.shape} warped, zoomed to {finer.shape}, {points.size // 3} gradients: {cudaspline.last_report()}")
    slices = {
        "before": volume[96].get(),
        "warped": warped[96].get(),
        "zoomed by 2": finer[192, 96:288, 96:288].get(),
        "gradient": cupy.linalg.norm(gradient[:, :, 0], axis=-1).get(),
    }
    draw(slices, picture)
    print(f"wrote {picture}")


def draw(slices, picture):
    """Four slices side by side."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        images = [numpy.clip(image / image.max() * 255, 0, 255).astype("u1") for image in slices.values()]
        write_png(numpy.hstack(images), picture)
        return
    figure, axes = pyplot.subplots(1, len(slices), figsize=(3 * len(slices), 3.3), layout="constrained")
    for axis, (name, image) in zip(axes, slices.items()):
        axis.imshow(image, cmap="gray")
        axis.set_title(name)
        axis.set_axis_off()
    figure.savefig(picture, dpi=60)


def write_png(image, name):
    """A grey picture, where there is no library that draws."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 0, 0, 0, 0)
    with open(name, "wb") as stream:
        stream.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
