#!/usr/bin/env python3
"""Counts the CUDA kernels of a build and fails above a limit.

A host object that nvcc or clang made registers each of its kernels with the CUDA runtime by name: the mangled names are strings in the
 object's read-only data, whatever the compression of the device code, the optimisation, and whether symbols were stripped.
They are read from the ELF files here, so neither the CUDA Toolkit nor binutils is needed. Objects without device code
(no section .nv_fatbin) do not count. Device variables have mangled names too and count as well: there should be none. Kernels
declared extern "C" have none and are not seen: there should be none of these either.

usage: count_kernels.py [--limit N] [--group TITLE:PATTERN] [--list] FILE...   FILE: an object (.o) or a shared library
       count_kernels.py --without-cuda
A group is the kernels whose names match a PATTERN and that no group before it has; its number is printed. The exit status is 1 above the limit of all kernels, or where no kernel, or none of a group, is found; 77 (skipped) without CUDA.
"""

import argparse
import re
import struct
import sys

KERNEL_NAME = re.compile(rb"(?<=\0)_Z[A-Za-z0-9_$.]+(?=\0)")


def sections(path):
    """Name -> list of contents of the sections of a 64-bit ELF file."""
    with open(path, "rb") as stream:
        data = stream.read()
    if data[:4] != b"\x7fELF" or data[4] != 2:
        raise ValueError(f"{path} is not a 64-bit ELF file")
    order = "<" if data[5] == 1 else ">"
    table, entry_size, count, names_index = struct.unpack_from(order + "Q10xHHH", data, 0x28)
    headers = []
    if table:
        # More than 65280 sections: their number is in the first header.
        first = struct.unpack_from(order + "IIQQQQIIQQ", data, table)
        count = count or first[5]
        names_index = first[6] if names_index == 0xFFFF else names_index
        headers = [struct.unpack_from(order + "IIQQQQIIQQ", data, table + k * entry_size) for k in range(count)]
    found = {}
    if headers:
        names = headers[names_index]
        for header in headers:
            begin = names[4] + header[0]
            name = data[begin : data.index(b"\0", begin)].decode()
            # 8: no bytes in the file
            content = b"" if header[1] == 8 else data[header[4] : header[4] + header[5]]
            found.setdefault(name, []).append(content)
    return found


def kernels(path):
    """Mangled names of the kernels that an object or library registers; None where it has no device code."""
    found = sections(path)
    if not any(name in found for name in (".nv_fatbin", ".nvFatBinSegment")):
        return None
    names = set()
    for name, contents in found.items():
        if name.startswith((".rodata", ".data.rel.ro")):
            for content in contents:
                names.update(match.decode() for match in KERNEL_NAME.findall(b"\0" + content + b"\0"))
    return sorted(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=1000, help="the maximum number of kernels (1000)")
    parser.add_argument("--group", metavar="TITLE:PATTERN", action="append", default=[], help="kernels that are counted together")
    parser.add_argument("--list", action="store_true", help="print the names too")
    parser.add_argument("--without-cuda", action="store_true", help="say that there is nothing to count")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if arguments.without_cuda:
        # In the words of GoogleTest: scripts/test looks for them.
        print("count_kernels.py: Skipped\nThe library was built without CUDA.")
        return 77
    groups = []  # title, pattern, number found
    for option in arguments.group:
        title, _, pattern = option.partition(":")
        groups.append([title, re.compile(pattern), 0])
    total = 0
    for path in arguments.files:
        names = kernels(path)
        if names is None:
            continue
        total += len(names)
        for name in names:
            group = next((group for group in groups if group[1].search(name)), None)
            if group is not None:
                group[2] += 1
        print(f"{len(names):5} {path}")
        if arguments.list:
            print("\n".join("      " + name for name in names))
    print(f"{total} CUDA kernels; at most {arguments.limit} are allowed")
    for title, _, number in groups:
        print(f"{number:5} {title}")
    if groups:
        print(f"{total - sum(number for _, _, number in groups):5} others")
    if total == 0 or any(number == 0 for _, _, number in groups):
        print("no kernel was found: this build has no CUDA, or kernels are no longer found this way")
        return 1
    return 1 if total > arguments.limit else 0


if __name__ == "__main__":
    sys.exit(main())
