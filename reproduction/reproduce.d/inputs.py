#!/usr/bin/env python3
"""Test images that Debian packages, as PGM files for CudaSplineReproduction.

usage: reproduction/reproduce.d/inputs.py FOLDER [FOLDER...]        writes them into the first folder, for reproduction/reproduce --data; looks into the others, too

  brain      ch2.nii.gz of mricron-data: a T1-weighted brain of 181 x 217 x 181 voxels, whole and its middle slice
  camera     camera.png of python3-skimage, 512 x 512
  slice      BrainProtonDensitySlice.png of insighttoolkit5-examples

Inputs that are not installed are left out, and named. A volume is a PGM file of several images, which the format allows.
"""

import gzip
import os
import struct
import sys

import numpy

TEMPLATES = ("/usr/share/mricron/templates/ch2.nii.gz",)
CAMERA = (
    "/usr/lib/python3/dist-packages/skimage/data/camera.png",
    "/usr/share/skimage/data/camera.png",
)
SLICE = (
    "/usr/share/doc/insighttoolkit5-examples/examples/Data/BrainProtonDensitySlice.png",
    "/usr/share/doc/insighttoolkit5-examples/Examples/Data/BrainProtonDensitySlice.png",
)
# NIfTI-1 data types of one number a voxel.
TYPES = {2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2"}


def read_nifti(path):
    """A volume, z slowest, from a single-file NIfTI-1 image, compressed or not."""
    with open(path, "rb") as stream:
        content = stream.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    order = "<" if struct.unpack("<i", content[:4])[0] == 348 else ">"
    if struct.unpack(order + "i", content[:4])[0] != 348 or content[344:347] != b"n+1":
        raise ValueError(f"{path} is not a NIfTI-1 file")
    shape = struct.unpack(order + "8h", content[40:56])
    kind = struct.unpack(order + "h", content[70:72])[0]
    offset = int(struct.unpack(order + "f", content[108:112])[0])
    if kind not in TYPES or shape[0] < 3:
        raise ValueError(f"{path} is not a volume with one number per voxel")
    size = shape[1:4]
    values = numpy.frombuffer(content, order + TYPES[kind], size[0] * size[1] * size[2], offset)
    return values.reshape(size[2], size[1], size[0]).astype(float)


def grey(values):
    """Values from 0 to 255, as whole numbers."""
    low, high = float(values.min()), float(values.max())
    return numpy.rint((values - low) * (255.0 / (high - low or 1.0))).astype(numpy.uint8)


def write_pgm(path, values):
    """An image, or a volume as several images; bytes, the last axis fastest."""
    with open(path, "wb") as stream:
        for image in values.reshape(-1, *values.shape[-2:]):
            stream.write(f"P5\n{image.shape[1]} {image.shape[0]}\n255\n".encode())
            stream.write(image.astype(numpy.uint8).tobytes())


def read_png(path):
    """Grey values of a PNG file; matplotlib reads it."""
    import matplotlib.image

    image = matplotlib.image.imread(path)
    return image[..., :3].mean(axis=-1) if image.ndim == 3 else image


def first(paths, folders):
    """The first of the paths that is a file; in the folders, a file of its name."""
    for path in paths:
        for candidate in [path] + [os.path.join(folder, os.path.basename(path)) for folder in folders]:
            if os.path.isfile(candidate):
                return candidate
    return None


def prepare(output, folders=(), volumes=True):
    """Writes the PGM files that can be made; returns [(name, path)] and what is missing, a line each.

    folders: where files of the same names are looked for, too. volumes: the whole brain, not its slice alone.
    """
    os.makedirs(output, exist_ok=True)
    made, missing = [], []
    ready = {name: first([name + ".pgm"], folders) for name in ("brain-slice", "brain", "camera", "proton-density")}
    path = first(TEMPLATES, folders)
    if ready["brain-slice"] and ready["brain"]:
        made += [("brain", ready["brain-slice"])] + [("brain", ready["brain"])] * volumes
    elif path:
        volume = read_nifti(path)[:, ::-1, :]  # anterior above
        parts = [("brain-slice.pgm", grey(volume[volume.shape[0] // 2]))]
        if volumes:
            parts.append(("brain.pgm", grey(volume)))
        for name, values in parts:
            write_pgm(os.path.join(output, name), values)
            made.append(("brain", os.path.join(output, name)))
    else:
        missing.append("no brain: the package mricron-data is not installed")
    for name, paths, package in (("camera", CAMERA, "python3-skimage"), ("proton-density", SLICE, "insighttoolkit5-examples")):
        path = first(paths, folders)
        if ready[name]:
            made.append((name, ready[name]))
        elif path:
            write_pgm(os.path.join(output, name + ".pgm"), grey(read_png(path)))
            made.append((name, os.path.join(output, name + ".pgm")))
        else:
            missing.append(f"no {name}: the package {package} is not installed, or has no {os.path.basename(paths[0])}")
    return made, missing


if __name__ == "__main__":
    for line in prepare(sys.argv[1], sys.argv[2:])[1]:
        print(line, file=sys.stderr)
