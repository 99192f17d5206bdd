#!/usr/bin/env python3
"""The layer rule of the Python package: its modules import each other in one direction, so that there is no circle of them.

Imports within functions, and those for type checkers alone, count, too.

usage: check_modules.py [--root DIR]
Prints the circle that it finds. The exit status is 1 where there is one.
"""

import argparse
import ast
import graphlib
import pathlib
import sys

PACKAGE = pathlib.Path("python", "cudaspline")


def imported(path, package):
    """Files of the package that a file of it imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for module in [base / alias.name for alias in node.names] + [base]:
            candidates = [module.with_suffix(".py"), module / "__init__.py"]
            found.update(one for one in candidates if one.exists() and package in one.parents)
    return found - {path, *(one / "__init__.py" for one in path.parents)}  # a folder's own is made of its modules


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=".", help="the repository")
    package = pathlib.Path(parser.parse_args().root, PACKAGE).resolve()
    modules = {path: imported(path, package) for path in sorted(package.rglob("*.py"))}
    if not modules:
        print(f"{package}: there are no modules.")
        return 1
    try:
        graphlib.TopologicalSorter(modules).prepare()
    except graphlib.CycleError as error:
        print(f"{PACKAGE}: a circle of modules: {' <- '.join(str(path.relative_to(package)) for path in error.args[1])}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
