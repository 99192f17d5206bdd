"""What notebooks show: PNG files and tables, as HTML."""

from __future__ import annotations

import html
import struct
import zlib
from typing import Any, Iterable, Sequence

import numpy


def png(pixels: numpy.ndarray) -> bytes:
    """A PNG of grey values (height, width) or colours (height, width, 3) of uint8."""
    height, width = pixels.shape[:2]
    colour = 2 if pixels.ndim == 3 else 0

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = numpy.zeros((height, 1 + width * (3 if colour else 1)), numpy.uint8)  # each begins with its filter, none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b"")


def table(header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """HTML of a table; cells of several lines keep them, and their columns."""

    def text(cell: Any) -> str:
        found = html.escape(str(cell))
        return f'<pre style="margin: 0">{found}</pre>' if "\n" in found else found

    def line(cells: Sequence[Any], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{text(cell)}</{kind}>" for cell in cells) + "</tr>"

    return f"<table>{line(header, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"
