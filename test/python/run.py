"""Runs tests of the Python package by pytest, for ctest: exits with 77 where all of them were
skipped, because there is no library or GPU that they need. The last line says why, then.

usage: run.py [--record FOLDER] FILE...

  --record FOLDER   writes which tests passed, for pytest --ran FOLDER
"""

import argparse
import collections
import importlib.util
import os
import sys

from ran import Record


class Ran:
    """Counts the tests that were not skipped, and why others were."""

    def __init__(self):
        self.count = 0
        self.reasons = collections.Counter()

    def pytest_runtest_logreport(self, report):
        self.count += not report.skipped and report.when == "call"
        self.note(report)

    def pytest_collectreport(self, report):
        self.note(report)

    def note(self, report):
        if report.skipped and isinstance(report.longrepr, tuple):  # file, line, reason
            self.reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", metavar="FOLDER")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    missing = [
        name for name in ("numpy", "scipy", "pytest") if importlib.util.find_spec(name) is None
    ]
    if missing:
        print(
            f"{sys.executable} has no {', '.join(missing)}: the tests of the Python package are skipped."
        )
        return 77

    import pytest

    folder = os.path.dirname(os.path.abspath(__file__))
    files = [os.path.join(folder, name) for name in arguments.files]
    ran, record = Ran(), Record()
    code = pytest.main(
        ["-q", "-rs", "-p", "no:cacheprovider", "--durations=3", *files], plugins=[ran, record]
    )
    if arguments.record:
        record.write(arguments.record, "+".join(arguments.files))
    # None are collected in a file that asks for a library that is not there.
    if code == pytest.ExitCode.NO_TESTS_COLLECTED or (code == 0 and ran.count == 0):
        for reason, _ in ran.reasons.most_common(1):
            print(reason)
        return 77
    return code


if __name__ == "__main__":  # processes that a test starts read this file too
    sys.exit(main())
