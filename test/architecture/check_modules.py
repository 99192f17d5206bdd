#!/usr/bin/env python3
"""The layer rule of the Python package: a sub-package imports only those that LAYERS names, and modules import each other
in one direction, so that there is no circle of them.

Imports within functions, and those for type checkers alone, count, too. __init__.py of the package may import everything.

usage: check_modules.py [--root DIR]
Prints one line for each violation, and the circle that it finds. The exit status is 1 where there is one.
"""

import argparse
import ast
import graphlib
import pathlib
import sys

PACKAGE = pathlib.Path("python", "cudaspline")

#: Sub-package or module of the package -> those that it may import.
LAYERS = {
    "core": set(),
    "images": {"core"},
    "transforms": {"core", "images"},
    "resampling": {"core", "images", "transforms"},
    "registration": {"core", "images", "transforms", "resampling"},
    "ndimage": {"core"},
    "autodiff": {"core", "ndimage"},
    "torch": {"core", "autodiff"},
    "jax": {"core", "autodiff"},
    "dask": {"core", "images", "transforms", "resampling"},
    "ants": {"core", "images", "resampling", "registration"},
    "zarr": {"core", "images", "dask"},
    "cohort": {"core", "dask"},
    "__main__": {"dask", "zarr", "cohort"},
}


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


def layer(path, package):
    """Sub-package that a file is part of; a module next to them is its own."""
    return path.relative_to(package).with_suffix("").parts[0]


def violations(modules, package):
    """Lines about imports that LAYERS does not allow."""
    for path, found in modules.items():
        own = layer(path, package)
        if own == "__init__":
            continue
        if own not in LAYERS:
            yield f"{path.relative_to(package)}: {own} is not in LAYERS"
            continue
        others = {layer(one, package) for one in found} - LAYERS[own] - {own}
        yield from (f"{path.relative_to(package)}: {own} may not import {other}" for other in sorted(others))


def circle(modules, package):
    """Line about a circle of modules; none where there is no circle."""
    try:
        graphlib.TopologicalSorter(modules).prepare()
    except graphlib.CycleError as error:
        yield f"a circle of modules: {' <- '.join(str(path.relative_to(package)) for path in error.args[1])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=".", help="the repository")
    package = pathlib.Path(parser.parse_args().root, PACKAGE).resolve()
    modules = {path: imported(path, package) for path in sorted(package.rglob("*.py"))}
    if not modules:
        print(f"{package}: there are no modules.")
        return 1
    found = [*violations(modules, package), *circle(modules, package)]
    for line in found:
        print(f"{PACKAGE}: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
