"""Data that zlib or gzip compressed, with one rule for all formats: members that follow each other are all read, and other bytes after them
are not data."""

from __future__ import annotations

import zlib


def is_gzip(beginning: bytes) -> bool:
    """Whether data begin as gzip's do."""
    return beginning.startswith(b"\x1f\x8b")


def decompress(data: bytes, most: int, is_whole: bool = True) -> bytes:
    """What streams of zlib or gzip hold, as far as most bytes; may be a few more.

    is_whole: compare the checksum of each stream that is needed; else data may be the beginning of a file

    Raises ValueError where a stream is damaged or, of whole data, has no end."""
    parts, count = [], 0
    while True:
        stream = zlib.decompressobj(47)  # of either, with a window of 32 kB
        try:
            parts.append(stream.decompress(data, max(1, most + 1 - count)))
            count += len(parts[-1])
            if not is_whole and (count >= most or not stream.eof):
                break
            while not stream.eof and stream.unconsumed_tail:
                stream.decompress(stream.unconsumed_tail, 1 << 20)  # up to the checksum
        except zlib.error as error:
            raise ValueError(f"its compressed data are wrong: {error}") from None
        if not stream.eof:
            raise ValueError("its compressed data have no end")
        data = stream.unused_data
        if not data.startswith(b"\x1f"):
            break
    return parts[0] if len(parts) == 1 else b"".join(parts)
