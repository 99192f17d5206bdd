"""What the tests of this folder share."""

import argparse
import functools
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = None


def run(*arguments, cwd=None):
    """The program, with what it said."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


def quick(*arguments, cwd=None):
    """The program's report with --quick; fails where it fails."""
    done = run("--quick", *arguments, cwd=cwd)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


@functools.lru_cache(maxsize=None)
def whole():
    """The report of all experiments, which run once."""
    return quick()


def rows(report, experiment, **cell):
    """The rows that have all of the cell; none is an error."""
    found = [row for row in report["experiments"][experiment] if all(row["cell"].get(a) == v for a, v in cell.items())]
    if not found:
        raise AssertionError(f"no row of {experiment} has {cell}")
    return found


def values(report, experiment, **cell):
    found = rows(report, experiment, **cell)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} rows of {experiment} have {cell}")
    return found[0]["values"]


def main():
    """Takes --program, --root and --without CLASS away, and runs the tests of the calling file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--root")
    parser.add_argument("--without", action="append", default=[], metavar="CLASS")
    arguments, rest = parser.parse_known_args()
    sys.modules["reproduction"].PROGRAM = arguments.program
    for name in arguments.without:
        delattr(sys.modules["__main__"], name)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest], verbosity=2)
