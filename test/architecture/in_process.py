"""A check run as its program is, without a process for each fixture."""

import contextlib
import io
import unittest.mock


def run(check, *arguments):
    """Return code and output of main() of a check's module."""
    output = io.StringIO()
    with unittest.mock.patch("sys.argv", [check.__file__, *arguments]), contextlib.redirect_stdout(output):
        code = check.main()
    return code, output.getvalue()
