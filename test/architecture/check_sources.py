#!/usr/bin/env python3
"""What every file of the repository keeps to.

  * C, C++ and CUDA sources begin with the licence block;
  * the classes of the ITK layer name their group, which a test of ITK's module macros requires;
  * what is compiled asks for the version of ITK, or for its legacy code, in one header;
  * no header, and no source that is compiled without it (--without-cuda), reads CUDASPLINE_HAS_CUDA;
  * no marks of unfinished work;
  * no paths of somebody's machine and no hosts of package registries.

usage: check_sources.py [--root DIR] [--without-cuda FILE...]
Prints one line for each violation, "file:line: what is wrong". The exit status is 1 where there is one.
"""

import argparse
import os
import re
import sys

LICENSED = re.compile(r"\.(c|h|hxx|cxx|cu|cuh)(\.in)?$")
CODE = re.compile(r"(\.(c|h|hxx|cxx|cu|cuh|py|cmake|wrap|sh)(\.in)?|CMakeLists\.txt)$|^((scripts|reproduction)(/[\w-]+\.d)?|\.ci)/[^./]+$")
TEXT = re.compile(r"\.(md|txt|json|ya?ml|csv|in|toml|map|supp|dox)$|(^|/)(Doxyfile|\.git\w+|\.clang-format)$")

# Folders of the root that are not the project's: builds, and what tools keep.
IGNORED = re.compile(r"build|bundle|demo-output|shared$|\.(?!ci$|github$)")

LICENSE_BEGIN = "/*========================================================================="
LICENSE_LINES = ("Copyright the CudaSpline contributors", "Licensed under the Apache License, Version 2.0")

# Documentation of a class in a header of the ITK layer, and what has to be in it.
GROUPED = re.compile(r"^include/[^/]+\.h$")
COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)
GROUP = re.compile(r"\\ingroup CudaSpline\b")

# The only header that may test the version of ITK.
COMPATIBILITY = "include/itkCudaSpline/itk/Compatibility.h"
COMPILED = re.compile(r"^(include|src|applications)/")
VERSIONS = re.compile(r"\bITK_(VERSION|LEGACY|FUTURE)_?\w*")

# What is the same with and without CUDA: headers, and the sources that the build names (CudaSplineHostKernels).
HEADER = re.compile(r"^(include|src)/.*\.(h|hxx|cuh)(\.in)?$")
HAS_CUDA = re.compile(r"\bCUDASPLINE_HAS_CUDA\b")

# Written with brackets, so that this file does not find itself.
PATTERNS = [
    ("a mark of unfinished work", re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")),
    ("a path of a machine", re.compile(r"(?<![\w.:/$}>~-])/([h]ome|[r]oot|[w]ork|[U]sers|[m]nt|[s]cratch)/")),
    ("a host of a package registry", re.compile(r"([p]ypi|[p]ythonhosted|[n]pmjs|[c]rates|[a]naconda|[a]rtifactory)\.(org|com|io)\b")),
]

# CMake splits lists there and loses what follows; labels are named one by one.
DISCOVERY = re.compile(r'^[ \t]*gtest_discover_tests\([^()]*?"[^"();]*;[^"()]*"', re.MULTILINE)


def files(root):
    for folder, folders, names in os.walk(root):
        top = os.path.relpath(folder, root).replace(os.sep, "/")
        folders[:] = sorted(f for f in folders if f != "__pycache__" and not (top == "." and IGNORED.match(f)))
        for name in sorted(names):
            yield name if top == "." else top + "/" + name


def check(root, without_cuda=()):
    """Violations and number of files of the tree below root, of which the paths without_cuda are compiled without CUDA."""
    violations = []
    seen = set()
    host = {os.path.relpath(os.path.realpath(path), os.path.realpath(root)).replace(os.sep, "/") for path in without_cuda}
    for path in files(root):
        code = CODE.search(path)
        if not code and not TEXT.search(path):
            continue
        seen.add(path)
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            lines = stream.read().split("\n")
        if lines and not lines[-1]:
            lines.pop()
        if LICENSED.search(path):
            head = "\n".join(lines[:17])
            if not lines or lines[0] != LICENSE_BEGIN or not all(part in head for part in LICENSE_LINES):
                violations.append((path, 1, "does not begin with the licence block"))
        if GROUPED.match(path):
            text = "\n".join(lines)
            for comment in COMMENT.finditer(text):
                if "\\class " in comment.group(0) and not GROUP.search(comment.group(0)):
                    line = text.count("\n", 0, comment.start()) + 1
                    violations.append((path, line, "a class without \\ingroup CudaSpline"))
        for call in DISCOVERY.finditer("\n".join(lines)) if path.endswith(("CMakeLists.txt", ".cmake")) else ():
            violations.append((path, "\n".join(lines).count("\n", 0, call.start()) + 1, "a list that gtest_discover_tests() splits"))
        if COMPILED.match(path) and path != COMPATIBILITY:
            told = f"a version of ITK outside of {COMPATIBILITY}: "
            found = ((number, VERSIONS.search(line)) for number, line in enumerate(lines, 1))
            violations.extend((path, number, told + match.group(0)) for number, match in found if match)
        if path in host or HEADER.match(path):
            told = "CUDASPLINE_HAS_CUDA where it is not defined, or not the same for all files that include this"
            violations.extend((path, number, told) for number, line in enumerate(lines, 1) if HAS_CUDA.search(line))
        for number, line in enumerate(lines, 1):
            for what, pattern in PATTERNS:
                found = pattern.search(line)
                if found:
                    violations.append((path, number, f"{what}: {found.group(0)}"))
    violations.extend((path, 1, "compiled without CUDA, and not a file of this tree") for path in sorted(host - seen))
    return violations, len(seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=".", help="root of the repository")
    parser.add_argument("--without-cuda", nargs="+", default=[], metavar="FILE", help="sources that are compiled without CUDASPLINE_HAS_CUDA")
    arguments = parser.parse_args()
    violations, checked = check(arguments.root, arguments.without_cuda)
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    print(f"checked {checked} files: {len(violations)} violations")
    return 1 if violations or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
