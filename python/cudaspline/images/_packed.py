"""Data that zlib or gzip compressed, with one rule for all formats: members that follow each other
are all read, and other bytes after them are not data. What is written is one member, with the same
bytes for any number of threads."""

from __future__ import annotations

import collections
import concurrent.futures
import ctypes
import functools
import os
import struct
import zlib
from typing import Any, BinaryIO, Callable, Iterator, Optional

import numpy

from ..core import _library

#: Bytes that are deflated together, and before them those that they may refer to.
BLOCK = 1 << 20
_WINDOW = 1 << 15
#: Level and strategy of zlib, the fastest first; the last one is zlib's default.
_WAYS = ((6, zlib.Z_RLE), (4, zlib.Z_DEFAULT_STRATEGY), (6, zlib.Z_DEFAULT_STRATEGY))
#: A faster way is taken where pieces of a block need at most this much more than by the last way.
_MAX_RATIO = 1.02
_TRIALS, _TRIAL_BYTES = 4, 1 << 12
#: Bytes that are inflated together, and that they may become at once.
_PIECE, _MAX_PIECE = 1 << 18, 1 << 20
#: The bytes of deflate become at most that many times as many.
_MAX_GROWTH = 1040
#: Header of gzip: deflate, without a name, a time and a system.
_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"


def is_gzip(beginning: bytes) -> bool:
    """Whether data begin as gzip's do."""
    return beginning.startswith(b"\x1f\x8b")


@functools.lru_cache(maxsize=None)
def _libdeflate() -> Optional[ctypes.CDLL]:
    """libdeflate, which inflates in a third of the time of zlib, where the system has it."""
    for name in ("libdeflate.so.0", "libdeflate.0.dylib"):
        try:
            library = ctypes.CDLL(name)
            library.libdeflate_alloc_decompressor.restype = ctypes.c_void_p
            library.libdeflate_free_decompressor.argtypes = [ctypes.c_void_p]
            function = library.libdeflate_gzip_decompress_ex
        except (OSError, AttributeError):
            continue
        count = ctypes.POINTER(ctypes.c_size_t)
        function.argtypes = [
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_void_p,
            ctypes.c_size_t,
            count,
            count,
        ]
        return library
    return None


def _decompress_quickly(data: bytes, most: int) -> Optional[memoryview]:
    """As decompress(), for members of gzip that hold at most `most` bytes together; None for
    others, and for damaged data."""
    library = _libdeflate()
    if library is None or not is_gzip(data):
        return None
    stored = numpy.frombuffer(data, numpy.uint8)
    found = numpy.empty(min(most, _MAX_GROWTH * len(data)), numpy.uint8)
    read, count = 0, 0
    used, made = ctypes.c_size_t(), ctypes.c_size_t()
    decompressor = library.libdeflate_alloc_decompressor()
    try:
        while data.startswith(b"\x1f", read):
            result = library.libdeflate_gzip_decompress_ex(
                decompressor,
                stored.ctypes.data + read,
                len(data) - read,
                found.ctypes.data + count,
                found.size - count,
                used,
                made,
            )
            if result != 0:
                return None
            read, count = read + used.value, count + made.value
    finally:
        library.libdeflate_free_decompressor(decompressor)
    return found[:count].data


def _inflater() -> Any:
    """Of the package isal, which inflates in less than half of the time of zlib, where it is installed; else zlib."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib
    return isal_zlib


def _inflate(data: memoryview, take: Callable[[bytes], bool]) -> Optional[int]:
    """Passes what the first stream holds to a function, in pieces, until that returns False.

    Returns the number of bytes of the stream, None where its end was not reached. Raises ValueError for damage."""
    library = _inflater()
    stream = library.decompressobj(47)  # of zlib or gzip, with a window of 32 kB
    for begin in range(0, len(data), _PIECE):
        piece: Any = data[begin : begin + _PIECE]
        end = begin + len(piece)
        while piece and not stream.eof:
            try:
                made = stream.decompress(piece, _MAX_PIECE)
            except library.error as error:
                raise ValueError(f"its compressed data are wrong: {error}") from None
            if not take(made):
                return None
            piece = stream.unconsumed_tail
        if stream.eof:
            return end - len(stream.unused_data)
    return None


def decompress(data: bytes, most: int, is_whole: bool = True) -> Any:
    """The contents of streams of zlib or gzip, up to about `most` bytes, as a memoryview.

    is_whole: compare the checksum of each stream; else data may be the beginning of a file

    Raises ValueError where a stream is damaged or, of whole data, has no end."""
    quickly = _decompress_quickly(data, most) if is_whole else None
    if quickly is not None:
        return quickly
    found = numpy.empty(min(most, _MAX_GROWTH * len(data)), numpy.uint8)
    count = 0

    def take(part: bytes) -> bool:
        nonlocal count
        taken = min(len(part), found.size - count)
        found[count : count + taken] = numpy.frombuffer(part, numpy.uint8)[:taken]
        count += taken
        return is_whole or count < found.size

    left = memoryview(data)
    while True:
        end = _inflate(left, take)
        if end is None and is_whole:
            raise ValueError("the end of its compressed data is missing")
        left = left[len(left) if end is None else end :]
        if not left or left[0] != 0x1F:
            return found[:count].data


def _deflate(data: Any, before: Any, way: tuple[int, int], flush: int) -> bytes:
    """Data as blocks of deflate, which may refer to the bytes before."""
    level, strategy = way
    dictionary = () if strategy == zlib.Z_RLE or not before else (bytes(before),)
    stream = zlib.compressobj(level, zlib.DEFLATED, -15, 8, strategy, *dictionary)
    return stream.compress(data) + stream.flush(flush)


def _choose(data: memoryview) -> tuple[int, int]:
    """The fastest way that pieces of a block allow."""
    begins = [len(data) * (2 * number + 1) // (2 * _TRIALS) for number in range(_TRIALS)]

    def measure(way: tuple[int, int]) -> int:
        return sum(
            len(
                _deflate(
                    data[begin : begin + _TRIAL_BYTES],
                    data[max(0, begin - _WINDOW) : begin],
                    way,
                    zlib.Z_SYNC_FLUSH,
                )
            )
            for begin in begins
        )

    most = _MAX_RATIO * measure(_WAYS[-1])
    return next((way for way in _WAYS[:-1] if measure(way) <= most), _WAYS[-1])


def _compress_block(data: Any, before: bytes, is_last: bool) -> bytes:
    block = memoryview(data)
    return _deflate(block, before, _choose(block), zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)


def _blocks(read: Callable[[int, int], Any], size: int) -> Iterator[tuple[Any, bytes, bool]]:
    """Each block with the bytes before it, and whether it is the last one; of no bytes there is a
    block, too."""
    before = b""
    for begin in range(0, max(size, 1), BLOCK):
        data = read(begin, min(BLOCK, size - begin))
        yield data, before, begin + BLOCK >= size
        before = bytes(data[-_WINDOW:])


def _count_threads() -> int:
    """The number of threads: that of use_threads(), else of the environment, else the processors
    that the process may use."""
    words = (os.environ.get("CUDASPLINE_THREADS", ""), os.environ.get("OMP_NUM_THREADS", ""))
    chosen = _library.chosen_threads() or next((int(word) for word in words if word.isdecimal()), 0)
    return chosen or _library.count_processors()


def compress(file: BinaryIO, read: Callable[[int, int], Any], size: int) -> None:
    """Writes bytes as gzip does, compressed on as many threads as the library takes.

    read: gives bytes by their begin and count, called in their order, with BLOCK bytes at most"""
    threads = _count_threads()
    checksum = 0
    file.write(_HEADER)
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        pending: collections.deque[concurrent.futures.Future[bytes]] = collections.deque()
        for data, before, is_last in _blocks(read, size):
            pending.append(pool.submit(_compress_block, data, before, is_last))
            checksum = zlib.crc32(data, checksum)
            while len(pending) > 2 * threads or (is_last and pending):
                file.write(pending.popleft().result())
    file.write(struct.pack("<II", checksum, size & 0xFFFFFFFF))
