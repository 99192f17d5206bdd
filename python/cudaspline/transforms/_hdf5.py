"""Reads what ITK's files of transforms have of HDF5: groups, and datasets of numbers and texts.

Structures and their names are those of the HDF5 file format specification, version 3: superblocks 0
to 3, object headers 1 and 2, groups as symbol tables and as links (also in a fractal heap),
datasets that are compact, contiguous or in chunks, deflate, shuffle and checksums.
"""

from __future__ import annotations

import math
import zlib
from typing import Any, Iterator, Optional, Union

import numpy

SIGNATURE = b"\x89HDF\r\n\x1a\n"

# Types of header messages.
_DATASPACE, _LINK_INFO, _DATATYPE, _LINK, _LAYOUT, _FILTERS, _CONTINUATION, _SYMBOL_TABLE = (
    1,
    2,
    3,
    6,
    8,
    11,
    16,
    17,
)
_DEFLATE, _SHUFFLE, _FLETCHER = 1, 2, 3


class Hdf5Error(ValueError):
    """The file is damaged, or has what is not read here."""


def _bytes_for(number: int) -> int:
    """Bytes that hold a number."""
    return max(1, (number.bit_length() + 7) // 8)


class _Cursor:
    """Takes numbers from bytes, one after the other."""

    def __init__(self, data: bytes, at: int, file: Hdf5File) -> None:
        self.data, self.at, self.file = data, at, file

    def take(self, count: int) -> bytes:
        """The next bytes. Raises Hdf5Error if they are missing."""
        if count < 0 or self.at < 0 or self.at + count > len(self.data):
            raise Hdf5Error("it is truncated or damaged")
        self.at += count
        return self.data[self.at - count : self.at]

    def integer(self, size: int) -> int:
        """An unsigned number of little-endian bytes."""
        return int.from_bytes(self.take(size), "little")

    def offset(self) -> int:
        """An address; -1 for none."""
        value = self.integer(self.file.offset_size)
        return -1 if value == (1 << 8 * self.file.offset_size) - 1 else value + self.file.base

    def length(self) -> int:
        """A size."""
        return self.integer(self.file.length_size)

    def expect(self, signature: bytes) -> None:
        """Raises Hdf5Error where another structure begins."""
        if self.take(len(signature)) != signature:
            raise Hdf5Error(f"the structure {signature.decode()} is damaged")


class Hdf5File:
    """A file in memory.

    data: its bytes

    Raises Hdf5Error where they are not an HDF5 file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset_size = self.length_size = 8
        self.base = 0
        at = self.cursor(0)
        if at.take(8) != SIGNATURE:
            raise Hdf5Error("it is not an HDF5 file")
        version = at.integer(1)
        if version in (0, 1):
            at.take(4)
            self.offset_size, self.length_size = at.integer(1), at.integer(1)
            at.take(1 + 4 + 4 + (4 if version == 1 else 0))
            self.base = at.integer(self.offset_size)
            at.take(3 * self.offset_size)  # free space, end of file, driver
            at.take(self.offset_size)  # name of the root group
            self.root = at.offset()
        elif version in (2, 3):
            self.offset_size, self.length_size = at.integer(1), at.integer(1)
            at.take(1)
            self.base = at.integer(self.offset_size)
            at.take(2 * self.offset_size)  # extension, end of file
            self.root = at.offset()
        else:
            raise Hdf5Error(f"version {version} of its superblock is not supported; 0 to 3 are")
        if self.offset_size not in (2, 4, 8) or self.length_size not in (2, 4, 8):
            raise Hdf5Error("its superblock is damaged")

    def cursor(self, at: int) -> _Cursor:
        """A cursor at an address."""
        return _Cursor(self.data, at, self)

    def links(self, address: int) -> dict[str, int]:
        """Names and addresses of the members of a group."""
        found: dict[str, int] = {}
        for kind, body in self._messages(address):
            at = _Cursor(body, 0, self)
            if kind == _LINK:
                found.update([self._link(at)])
            elif kind == _LINK_INFO:
                at.take(1)
                at.take(8 if at.integer(1) & 1 else 0)
                heap, index = at.offset(), at.offset()
                if heap >= 0:
                    found.update(self._dense_links(heap, index))
            elif kind == _SYMBOL_TABLE:
                tree, heap = at.offset(), at.offset()
                found.update(self._symbols(tree, self._local_heap(heap)))
        return found

    def find(self, path: str) -> int:
        """The address of an object. Raises Hdf5Error if there is none."""
        address = self.root
        for name in path.strip("/").split("/"):
            members = self.links(address)
            if name not in members:
                raise Hdf5Error(f"it does not contain {path}")
            address = members[name]
        return address

    def read(self, address: int) -> Union[numpy.ndarray, list[str]]:
        """A dataset: numbers as float64, one axis after the other in C order, or texts."""
        shape: Optional[tuple[int, ...]] = None
        datatype = layout = b""
        filters: list[tuple[int, list[int]]] = []
        for kind, body in self._messages(address):
            if kind == _DATASPACE:
                shape = self._shape(body)
            elif kind == _DATATYPE:
                datatype = body
            elif kind == _LAYOUT:
                layout = body
            elif kind == _FILTERS:
                filters = self._filters(body)
        if shape is None or not datatype or not layout:
            raise Hdf5Error("a dataset is damaged")
        size = _Cursor(datatype, 4, self).integer(4)
        count = math.prod(shape)
        if count * size > 1100 * len(self.data) + 4096:  # deflate makes at most 1032 of 1
            raise Hdf5Error(f"a dataset of {count * size} bytes is larger than the file can hold")
        return self._decode(datatype, self._raw(layout, shape, size, filters), count)

    def _messages(self, address: int) -> Iterator[tuple[int, bytes]]:
        """(type, body) of the messages of an object header."""
        at = self.cursor(address)
        blocks: list[tuple[int, int]] = []
        is_second = self.data[address : address + 4] == b"OHDR"
        has_order = False
        if is_second:
            at.take(5)
            flags = at.integer(1)
            at.take((16 if flags & 32 else 0) + (4 if flags & 16 else 0))
            has_order = bool(flags & 4)
            length = at.integer(1 << (flags & 3))
        else:
            if at.integer(1) != 1:
                raise Hdf5Error("an object header is damaged")
            at.take(7)
            length = at.integer(4)
            at.take(4)
        blocks.append((at.at, length))
        visited = set()
        while blocks:
            begin, length = blocks.pop(0)
            if begin in visited:
                raise Hdf5Error("the blocks of an object header form a cycle")
            visited.add(begin)
            block = _Cursor(self.cursor(begin).take(length), 0, self)
            head = (6 if has_order else 4) if is_second else 8
            while block.at + head <= length:
                kind, size = (
                    (block.integer(1), block.integer(2))
                    if is_second
                    else (block.integer(2), block.integer(2))
                )
                flags = block.integer(1)
                block.take(head - (4 if is_second else 5))
                body = block.take(size)
                if flags & 2 and kind in (_DATASPACE, _DATATYPE, _FILTERS):
                    raise Hdf5Error("shared header messages are not supported")
                if kind == _CONTINUATION:
                    at = _Cursor(body, 0, self)
                    where, extent = at.offset(), at.length()
                    if is_second:
                        self.cursor(where).expect(b"OCHK")
                        blocks.append((where + 4, extent - 8))  # without the checksum
                    else:
                        blocks.append((where, extent))
                else:
                    yield kind, body

    def _link(self, at: _Cursor) -> tuple[str, int]:
        if at.integer(1) != 1:
            raise Hdf5Error("a link is damaged")
        flags = at.integer(1)
        kind = at.integer(1) if flags & 8 else 0
        at.take((8 if flags & 4 else 0) + (1 if flags & 16 else 0))
        name = at.take(at.integer(1 << (flags & 3))).decode("utf-8", "replace")
        if kind != 0:
            raise Hdf5Error(f"the link {name} is not a hard link; only hard links are supported")
        return name, at.offset()

    def _local_heap(self, address: int) -> int:
        at = self.cursor(address)
        at.expect(b"HEAP")
        at.take(4)
        at.length()
        at.length()
        return at.offset()

    def _symbols(self, address: int, names: int, depth: int = 0) -> Iterator[tuple[str, int]]:
        """Members of a B-tree of version 1, or of one of its leaves."""
        at = self.cursor(address)
        if depth > 32:
            raise Hdf5Error("a tree is damaged")
        if self.data[address : address + 4] == b"SNOD":
            at.take(6)
            for _ in range(at.integer(2)):
                begin = names + at.integer(self.offset_size)
                end = self.data.find(b"\0", begin)
                target = at.offset()
                at.take(24)
                yield self.data[begin:end].decode("utf-8", "replace"), target
            return
        at.expect(b"TREE")
        at.take(2)
        count = at.integer(2)
        at.take(2 * self.offset_size)
        for _ in range(count):
            at.length()
            yield from self._symbols(at.offset(), names, depth + 1)

    def _dense_links(self, heap: int, index: int) -> Iterator[tuple[str, int]]:
        """Links in a fractal heap, by the B-tree of version 2 of their names."""
        at = self.cursor(heap)
        at.expect(b"FRHP")
        at.take(1)
        id_length, filter_length = at.integer(2), at.integer(2)
        has_checksum = bool(at.integer(1) & 2)
        at.take(4)
        at.take(2 * self.offset_size + 10 * self.length_size)
        width, start, largest = at.integer(2), at.length(), at.length()
        offset_bytes = (at.integer(2) + 7) // 8
        at.take(2)
        root, rows = at.offset(), at.integer(2)
        if filter_length or width == 0 or start == 0:
            raise Hdf5Error("a fractal heap with filters is not supported")
        direct: list[tuple[int, int, int]] = []  # (begin in the heap, size, address)
        if rows == 0:
            direct.append((0, start, root))
        else:
            block = self.cursor(root)
            block.expect(b"FHIB")
            block.take(1 + self.offset_size + offset_bytes)
            begin = 0
            for row in range(rows):
                size = start << max(0, row - 1)
                if size > largest:
                    raise Hdf5Error("a group has more links than are supported")
                for _ in range(width):
                    direct.append((begin, size, block.offset()))
                    begin += size
        del has_checksum  # it follows the block's header, and offsets count from the block's begin
        for record in self._records(index):
            link = _Cursor(record, 4, self)  # after the hash
            if link.integer(1) & 0x30:
                raise Hdf5Error("a link is not among the managed objects of its heap")
            offset, length = link.integer(offset_bytes), link.integer(id_length - 1 - offset_bytes)
            for begin, size, address in direct:
                if begin <= offset < begin + size and address >= 0:
                    yield self._link(
                        _Cursor(self.cursor(address + offset - begin).take(length), 0, self)
                    )
                    break
            else:
                raise Hdf5Error("a link is damaged")

    def _records(self, address: int) -> Iterator[bytes]:
        """Records of a B-tree of version 2."""
        at = self.cursor(address)
        at.expect(b"BTHD")
        at.take(2)
        node_size, size, depth = at.integer(4), at.integer(2), at.integer(2)
        at.take(2)
        root, count = at.offset(), at.integer(2)
        if size == 0 or node_size <= 10 or depth > 8:
            raise Hdf5Error("a tree is damaged")
        most = [(node_size - 10) // size]
        total = [most[0]]
        count_bytes = _bytes_for(most[0])
        pointers = [0]
        for level in range(1, depth + 1):
            pointers.append(
                self.offset_size + count_bytes + (_bytes_for(total[level - 1]) if level > 1 else 0)
            )
            most.append((node_size - 10 - pointers[level]) // (size + pointers[level]))
            total.append((most[level] + 1) * total[level - 1] + most[level])

        def walk(node: int, records: int, level: int) -> Iterator[bytes]:
            here = self.cursor(node)
            here.expect(b"BTIN" if level else b"BTLF")
            here.take(2)
            for _ in range(records):
                yield here.take(size)
            if level:
                for _ in range(records + 1):
                    child, inside = here.offset(), here.integer(count_bytes)
                    here.take(pointers[level] - self.offset_size - count_bytes)
                    yield from walk(child, inside, level - 1)

        if count:
            yield from walk(root, count, depth)

    def _shape(self, body: bytes) -> tuple[int, ...]:
        at = _Cursor(body, 0, self)
        version, rank = at.integer(1), at.integer(1)
        if version not in (1, 2):
            raise Hdf5Error("a dataspace is damaged")
        at.take(6 if version == 1 else 2)
        return tuple(at.length() for _ in range(rank))

    def _filters(self, body: bytes) -> list[tuple[int, list[int]]]:
        at = _Cursor(body, 0, self)
        version, count = at.integer(1), at.integer(1)
        at.take(6 if version == 1 else 0)
        found = []
        for _ in range(count):
            kind = at.integer(2)
            name = at.integer(2) if version == 1 or kind >= 256 else 0
            at.take(2)
            values = at.integer(2)
            at.take((name + 7) // 8 * 8 if version == 1 else name)
            found.append((kind, [at.integer(4) for _ in range(values)]))
            at.take(4 if version == 1 and values % 2 else 0)
        return found

    def _raw(
        self, body: bytes, shape: tuple[int, ...], size: int, filters: list[tuple[int, list[int]]]
    ) -> bytes:
        """The bytes of a dataset in C order."""
        at = _Cursor(body, 0, self)
        version, kind = at.integer(1), at.integer(1)
        count = math.prod(shape) * size
        if version not in (3, 4) or (version == 4 and kind == 2):
            raise Hdf5Error(f"version {version} of the layout of a dataset is not supported")
        if kind == 0:
            return at.take(at.integer(2))[:count]
        if kind == 1:
            address = at.offset()
            return bytes(count) if address < 0 else self.cursor(address).take(count)
        if kind != 2:
            raise Hdf5Error(
                f"the layout {kind} of a dataset is not supported; use contiguous or chunked storage"
            )
        rank = at.integer(1) - 1
        tree = at.offset()
        chunk = tuple(at.integer(4) for _ in range(rank))
        if rank != len(shape) or min(chunk, default=0) < 1:
            raise Hdf5Error("a dataset is damaged")
        whole = numpy.zeros((*shape, size), numpy.uint8)
        if tree >= 0:
            for first, mask, data in self._chunks(tree, rank):
                if math.prod(chunk) * size > 1100 * len(self.data) + 4096:
                    raise Hdf5Error("a dataset is damaged")
                values = _unfilter(data, filters, mask, size, math.prod(chunk) * size)
                ends = [
                    min(length, begin + extent)
                    for begin, extent, length in zip(first, chunk, shape)
                ]
                piece = numpy.frombuffer(values, numpy.uint8).reshape(*chunk, size)
                inside = tuple(slice(0, end - begin) for begin, end in zip(first, ends))
                whole[tuple(slice(begin, end) for begin, end in zip(first, ends))] = piece[inside]
        return whole.tobytes()

    def _chunks(
        self, address: int, rank: int, depth: int = 0
    ) -> Iterator[tuple[list[int], int, bytes]]:
        """(index of the first element, mask of filters that were left out, bytes) of the chunks of
        a B-tree of version 1."""
        at = self.cursor(address)
        at.expect(b"TREE")
        if depth > 32 or at.integer(1) != 1:
            raise Hdf5Error("a tree is damaged")
        level, count = at.integer(1), at.integer(2)
        at.take(2 * self.offset_size)
        for _ in range(count):
            length, mask = at.integer(4), at.integer(4)
            first = [at.integer(8) for _ in range(rank + 1)][:-1]
            child = at.offset()
            if level:
                yield from self._chunks(child, rank, depth + 1)
            else:
                yield first, mask, self.cursor(child).take(length)

    def _decode(self, datatype: bytes, raw: bytes, count: int) -> Union[numpy.ndarray, list[str]]:
        at = _Cursor(datatype, 0, self)
        kind = at.integer(1) & 15
        bits = at.integer(3)
        size = at.integer(4)
        if len(raw) < count * size:
            raise Hdf5Error("a dataset is truncated")
        if kind in (0, 1) and size in (1, 2, 4, 8):
            letter = "f" if kind == 1 else ("i" if bits & 8 else "u")
            if kind == 1 and size < 4:
                raise Hdf5Error(
                    f"floating-point numbers of {size} bytes are not supported; use 4 or 8"
                )
            return numpy.frombuffer(raw, f"{'>' if bits & 1 else '<'}{letter}{size}", count).astype(
                numpy.float64
            )
        if kind == 3:
            return [
                raw[i * size : (i + 1) * size].split(b"\0", 1)[0].decode("utf-8", "replace")
                for i in range(count)
            ]
        if kind == 9 and bits & 15 == 1:
            items = _Cursor(raw, 0, self)
            return [
                self._global_text(items.integer(4), items.offset(), items.integer(4))
                for _ in range(count)
            ]
        raise Hdf5Error("the type of a dataset is not supported")

    def _global_text(self, length: int, address: int, index: int) -> str:
        at = self.cursor(address)
        at.expect(b"GCOL")
        at.take(4)
        end = address + at.length()
        while at.at < end:
            number = at.integer(2)
            at.take(6)
            size = at.length()
            body = at.take(size)
            if number == index:
                return body[:length].split(b"\0", 1)[0].decode("utf-8", "replace")
            at.take(-size % 8)
        raise Hdf5Error("a string is damaged")


def _unfilter(
    data: bytes, filters: list[tuple[int, list[int]]], mask: int, size: int, count: int
) -> bytes:
    """The bytes of a chunk before the filters, which are taken back from the last one on."""
    for number in reversed(range(len(filters))):
        if mask >> number & 1:
            continue
        kind = filters[number][0]
        if kind == _DEFLATE:
            try:
                data = zlib.decompressobj().decompress(data, count + 4)
            except zlib.error as error:
                raise Hdf5Error(f"a compressed dataset is damaged: {error}") from None
        elif kind == _SHUFFLE:
            rest = len(data) % size
            body = numpy.frombuffer(data[: len(data) - rest], numpy.uint8).reshape(size, -1)
            data = body.T.tobytes() + data[len(data) - rest :]
        elif kind == _FLETCHER:
            data = data[:-4]
        else:
            raise Hdf5Error(
                f"the filter {kind} of a dataset is not supported; use deflate (gzip) or shuffle"
            )
    if len(data) != count:
        raise Hdf5Error("a dataset is truncated or damaged")
    return data


def read_transforms(data: bytes) -> list[tuple[str, Any, Any]]:
    """(type, parameters, fixed parameters) of the transforms of a file of ITK, in their order; of a
    composite too.

    data: the bytes of the file

    Raises Hdf5Error for other contents."""
    file = Hdf5File(data)
    group = file.find("TransformGroup")
    members = file.links(group)
    numbers = sorted((name for name in members if name.isdigit()), key=int)
    if not numbers:
        raise Hdf5Error("its TransformGroup has no transforms")
    found = []
    for name in numbers:
        inside = file.links(members[name])

        def values(word: str, inside: dict[str, int] = inside) -> numpy.ndarray:
            for spelling in (
                f"Transform{word}",
                f"Tranform{word}",
            ):  # the second one is ITK's of old
                if spelling in inside:
                    read = file.read(inside[spelling])
                    if isinstance(read, list):
                        raise Hdf5Error(f"its {spelling} are not numbers")
                    return read
            return numpy.zeros(0)

        kind = file.read(inside["TransformType"]) if "TransformType" in inside else None
        if not isinstance(kind, list) or len(kind) != 1:
            raise Hdf5Error(f"its transform {name} has no type")
        found.append((kind[0], values("Parameters"), values("FixedParameters")))
    return found
