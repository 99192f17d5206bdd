"""NIfTI headers, written byte by byte, and what they mean by nifti1.h: the rule of
doc/FileFormats.md in double precision.

Nothing of the package, nibabel or SimpleITK is used here. scripts/fuzz draws its headers here, too.
"""

from __future__ import annotations

import copy
import gzip
import math
import random
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import numpy

#: NumPy's type and the numbers a voxel, by datatype.
TYPES = {
    2: ("u1", 1), 4: ("i2", 1), 8: ("i4", 1), 16: ("f4", 1), 64: ("f8", 1), 256: ("i1", 1), 512: ("u2", 1), 768: ("u4", 1), 1024: ("i8", 1),
    1280: ("u8", 1), 128: ("u1", 3), 2304: ("u1", 4), 32: ("f4", 2), 1792: ("f8", 2),
}  # fmt: skip


@dataclass
class Header:
    """The fields of a header."""

    version: int = 1
    big: bool = False
    magic: Optional[bytes] = None
    dim: list[int] = field(default_factory=lambda: [3, 5, 6, 7, 1, 1, 1, 1])
    pixdim: list[float] = field(default_factory=lambda: [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0])
    intent_p: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    intent: int = 0
    datatype: int = 16
    vox_offset: Optional[float] = None
    slope: float = 1.0
    inter: float = 0.0
    cal_max: float = 0.0
    cal_min: float = 0.0
    slice_duration: float = 0.0
    toffset: float = 0.0
    units: int = 10
    slice_code: int = 0
    qform: int = 0
    sform: int = 0
    quatern: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    qoffset: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    srow: Any = field(default_factory=lambda: numpy.eye(4)[:3])
    descrip: bytes = b""
    intent_name: bytes = b""

    def offset(self) -> int:
        """Where the pixels of a single file are."""
        return (
            int(self.vox_offset)
            if self.vox_offset is not None
            else 544
            if self.version == 2
            else 352
        )

    def pack(self) -> bytes:
        """Its bytes; offsets are those of nifti1.h and nifti2.h."""
        kind, count = TYPES.get(self.datatype, ("u1", 1))
        bits = 8 * count * numpy.dtype(kind).itemsize
        magic = (
            self.magic
            if self.magic is not None
            else b"n+2\0\r\n\x1a\n"
            if self.version == 2
            else b"n+1\0"
        )
        offset = self.vox_offset if self.vox_offset is not None else self.offset()
        data = bytearray(540 if self.version == 2 else 348)
        order = ">" if self.big else "<"

        def put(at: int, form: str, *values: Any) -> None:
            struct.pack_into(order + form, data, at, *values)

        srow = numpy.asarray(self.srow, float).ravel().tolist()
        if self.version == 2:
            put(
                0,
                "i8shh8q3d8dq",
                540,
                magic,
                self.datatype,
                bits,
                *self.dim,
                *self.intent_p,
                *self.pixdim,
                int(offset),
            )
            put(
                176,
                "6d",
                self.slope,
                self.inter,
                self.cal_max,
                self.cal_min,
                self.slice_duration,
                self.toffset,
            )
            put(240, "80s", self.descrip)
            put(344, "ii18d", self.qform, self.sform, *self.quatern, *self.qoffset, *srow)
            put(496, "iii16s", self.slice_code, self.units, self.intent, self.intent_name)
            return bytes(data)
        put(0, "i", 348)
        put(
            40,
            "8h3f3hh8f",
            *self.dim,
            *self.intent_p,
            self.intent,
            self.datatype,
            bits,
            0,
            *self.pixdim,
        )
        put(108, "3f", offset, self.slope, self.inter)
        put(
            122,
            "bb4f",
            self.slice_code,
            self.units,
            self.cal_max,
            self.cal_min,
            self.slice_duration,
            self.toffset,
        )
        put(148, "80s", self.descrip)
        put(252, "hh18f", self.qform, self.sform, *self.quatern, *self.qoffset, *srow)
        put(328, "16s4s", self.intent_name, magic)
        return bytes(data)

    def held(self, value: Any) -> Any:
        """What fields of the version hold of numbers."""
        found = numpy.asarray(value, float)
        return found if self.version == 2 else found.astype("f4").astype(float)


def file_bytes(header: Header, values: Any) -> bytes:
    """A single file: values in the order of the file."""
    kind, _ = TYPES[header.datatype]
    packed = header.pack()
    pixels = (
        numpy.asarray(values)
        .astype(numpy.dtype(kind).newbyteorder(">" if header.big else "<"))
        .tobytes()
    )
    return packed + b"\0" * (header.offset() - len(packed)) + pixels


def write(path: Path, header: Header, values: Any) -> Path:
    """Writes a single file, compressed if its suffix is .gz."""
    data = file_bytes(header, values)
    path.write_bytes(gzip.compress(data, 1) if path.name.endswith(".gz") else data)
    return path


@dataclass
class Answer:
    """What is to be read."""

    affine: Any  #: RAS, mm, 3 x 4
    shape: tuple[int, ...]  #: (volumes, z, y, x, components)
    slope: float
    inter: float


def interpret(h: Header) -> Optional[Answer]:
    """The rules; None where a header is to be refused."""
    if h.datatype not in TYPES or not 1 <= h.dim[0] <= 7:
        return None
    size = [h.dim[i] if i <= h.dim[0] else 1 for i in range(1, 8)]
    count = TYPES[h.datatype][1]
    if min(size) < 1 or max(size[5:]) > 1 or size[4] > 1024 or (count > 1 and size[4] > 1):
        return None
    offset = h.vox_offset
    if (
        offset is not None
        and offset != 0
        and not (offset >= (540 if h.version == 2 else 348) and offset == int(offset))
    ):
        return None
    slope, inter = float(h.held(h.slope)), float(h.held(h.inter))
    if h.datatype in (128, 2304) or not math.isfinite(slope) or slope == 0:
        slope, inter = 1.0, 0.0
    elif not math.isfinite(inter):
        return None
    unit = {1: 1000.0, 3: 0.001}.get(h.units & 7, 1.0)
    pixdim = h.held(h.pixdim)
    with numpy.errstate(all="ignore"):
        spacing = numpy.abs(pixdim[1:4])
        is_valid = numpy.isfinite(spacing) & (spacing > 0)
        spacing = numpy.where(
            is_valid, spacing, numpy.where(numpy.array(size[:3]) > 1, numpy.nan, 1.0)
        )
        if h.sform > 0:
            raw = h.held(h.srow)
        elif h.qform > 0:
            b, c, d = h.held(h.quatern)
            rest = 1 - (b * b + c * c + d * d)
            if not rest >= -1e-4:
                return None
            a = math.sqrt(max(0.0, rest))
            turned = numpy.array(
                [
                    [a * a + b * b - c * c - d * d, 2 * b * c - 2 * a * d, 2 * b * d + 2 * a * c],
                    [2 * b * c + 2 * a * d, a * a + c * c - b * b - d * d, 2 * c * d - 2 * a * b],
                    [2 * b * d - 2 * a * c, 2 * c * d + 2 * a * b, a * a + d * d - c * c - b * b],
                ]
            ) / (a * a + b * b + c * c + d * d)
            columns = turned * spacing * [1, 1, -1 if pixdim[0] < 0 else 1]
            raw = numpy.column_stack([columns, h.held(h.qoffset)])
        else:
            raw = numpy.column_stack([numpy.diag(spacing), numpy.zeros(3)])
        if not numpy.isfinite(raw).all():
            return None
        length = numpy.sqrt((raw[:, :3] ** 2).sum(axis=0))
        axes = raw[:, :3] / length
    inside = (length * unit > 1e-15) & (length * unit < 1e15)
    if (
        not numpy.isfinite(axes).all()
        or not inside.all()
        or numpy.abs(raw[:, 3] * unit).max() >= 1e15
    ):
        return None
    shear = math.degrees(
        math.asin(min(1.0, numpy.abs((axes.T @ axes)[[0, 0, 1], [1, 2, 2]]).max()))
    )
    if shear > 0.5:
        return None
    if shear > math.degrees(1e-5):
        u, _, v = numpy.linalg.svd(axes)
        axes = u @ v
    affine = numpy.column_stack([axes * length * unit, raw[:, 3] * unit])
    return Answer(affine, (size[3], size[2], size[1], size[0], size[4] * count), slope, inter)


def numbers(h: Header, answer: Answer, values: Any) -> Any:
    """What is to be read of values in the order of the file: (volumes, z, y, x, components)."""
    volumes, z, y, x, components = answer.shape
    stored = numpy.asarray(values)
    if TYPES[h.datatype][1] > 1:
        found = stored.reshape(answer.shape)
    else:
        found = numpy.moveaxis(stored.reshape(components, volumes, z, y, x), 0, -1)
    if h.intent == 1005 and components == 6:
        found = found[..., [0, 1, 3, 2, 4, 5]]
    if answer.slope != 1 or answer.inter != 0:
        found = found.astype(float) * answer.slope + answer.inter
    if h.intent == 1006 and TYPES[h.datatype][1] == 1 and components > 1:
        found = found.astype(float) * ([-1.0, -1.0, 1.0][:components])
    return found


def draw(rng: random.Random) -> Header:
    """A header as scanners and programs write it, or nearly: small enough to be read through a
    program."""
    h = Header(version=rng.choice((1, 1, 2)), big=rng.random() < 0.5)
    if rng.random() < 0.3:
        h.vox_offset = (544 if h.version == 2 else 352) + 16 * rng.randrange(4)
    h.dim = [
        rng.randrange(1, 6),
        *(rng.randrange(1, 9) for _ in range(3)),
        rng.choice((1, 1, 3)),
        rng.choice((1, 1, 2, 3, 4)),
        1,
        1,
    ]
    h.datatype = rng.choice(list(TYPES))
    if TYPES[h.datatype][1] > 1:
        h.dim[5] = 1
    size = 10 ** rng.uniform(-3, 3)  # 1 um to 1 m, in mm
    h.units = rng.choice((0, 1, 2, 3, 8, 10, 18, 26, 11))
    unit = {1: 1000.0, 3: 0.001}.get(h.units & 7, 1.0)
    h.pixdim = [
        rng.choice((-1.0, 1.0, 0.0)),
        *(size / unit * rng.uniform(0.3, 3) * rng.choice((1, 1, -1)) for _ in range(4)),
        0.0,
        0.0,
        0.0,
    ]
    h.qform, h.sform = rng.randrange(5), rng.randrange(5)
    h.slope, h.inter = rng.choice((0.0, 1.0, 1.0, 0.5, -2.0)), rng.choice((0.0, 0.0, -1024.0, 3.5))
    q = numpy.array([rng.uniform(-1, 1) for _ in range(4)])
    if rng.random() < 0.2:
        q[0] = rng.uniform(0, 1e-3)
    h.quatern = (q[1:] / numpy.sqrt((q**2).sum())).tolist()
    h.qoffset = [rng.uniform(-300, 300) * size / unit for _ in range(3)]
    turned = numpy.linalg.qr(numpy.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)]))[
        0
    ]
    if rng.random() < 0.4:
        turned = numpy.eye(3)[rng.sample(range(3), 3)] * [rng.choice((-1, 1)) for _ in range(3)]
    digits = rng.choice((None, None, 6, 4, 3))
    turned = turned if digits is None else turned.round(digits)
    turned[:, 0] += rng.choice((0, 0, 0, 1e-4, 3e-3, 0.02)) * turned[:, 1]
    h.srow = numpy.column_stack([turned * numpy.abs(h.pixdim[1:4]), h.qoffset])
    if h.datatype == 16 and h.dim[0] == 5 and rng.random() < 0.5:
        h.intent = {2: 1006, 3: rng.choice((1006, 1007)), 4: 1007}.get(h.dim[5], 0)
    if rng.random() < 0.3:
        strange = rng.choice((math.nan, math.inf, -math.inf, 0.0, -1.0))
        what = rng.randrange(8)
        if what == 0:
            h.dim[rng.randrange(8)] = rng.choice((0, -1, 2, 8))
        elif what == 1:
            h.pixdim[rng.randrange(1, 4)] = strange
        elif what == 2:
            h.quatern[rng.randrange(3)] = strange
        elif what == 3:
            h.srow[rng.randrange(3), rng.randrange(4)] = strange
        elif what == 4:
            h.slope = strange
        elif what == 5:
            h.inter = strange
        elif what == 6:
            h.datatype = rng.choice((0, 1, 1536, 2048, 255))
        else:
            h.vox_offset = rng.choice((1.0, 100.0, 347.0, -8.0))
    return h


def is_near_limit(h: Header) -> bool:
    """Whether rounding, or a column that has to be made up, decides about what is done."""
    srow = h.held(h.srow)[:, :3]
    if h.sform <= 0 or not numpy.isfinite(srow).all():
        return False
    length = numpy.sqrt((srow**2).sum(axis=0))
    if (length == 0).any():
        return True
    axes = srow / length
    shear = math.asin(min(1.0, numpy.abs((axes.T @ axes)[[0, 0, 1], [1, 2, 2]]).max()))
    return any(abs(shear - limit) < 1e-9 for limit in (1e-5, math.radians(0.5)))


def values_of(h: Header, rng: random.Random) -> Any:
    """Small numbers for each voxel that a header promises, in the order of the file."""
    kind, count = TYPES.get(h.datatype, ("u1", 1))
    total = count
    for i in range(1, 8):
        total *= max(1, h.dim[i]) if i <= min(7, max(0, h.dim[0])) else 1
    return numpy.array([rng.randrange(0, 100) for _ in range(min(total, 100000))], kind)


def changed(h: Header, **fields: Any) -> Header:
    """A copy with other fields."""
    made = copy.deepcopy(h)
    for name, value in fields.items():
        setattr(made, name, value)
    return made
