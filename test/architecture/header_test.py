#!/usr/bin/env python3
"""Tests of cmake/CudaSplineHeaderTest.cmake: that a header which does not compile alone breaks the build, and one that does, does not.

fixtures/headers is configured and built for one header at a time, with the CMake of the environment variable CMAKE and the compiler of CXX.
"""

import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def build(header):
    """Exit status and output of building the header test for one header."""
    cmake = os.environ.get("CMAKE", "cmake")
    with tempfile.TemporaryDirectory() as folder:
        configure = [cmake, "-S", os.path.join(HERE, "fixtures", "headers"), "-B", folder, f"-DHEADER={header}"]
        result = subprocess.run(configure, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(result.stdout + result.stderr)
        result = subprocess.run([cmake, "--build", folder], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


class HeaderFixtures(unittest.TestCase):
    def test_complete_header(self):
        code, output = build("Complete.h")
        self.assertEqual(code, 0, output)

    def test_header_that_needs_another(self):
        code, output = build("NeedsAnother.h")
        self.assertNotEqual(code, 0, output)
        self.assertIn("NeedsAnother.h", output)
        self.assertIn("Complete", output)

    def test_header_without_guard(self):
        code, output = build("NoGuard.h")
        self.assertNotEqual(code, 0, output)
        self.assertIn("NoGuard.h", output)
        self.assertIn("redefinition", output)


if __name__ == "__main__":
    unittest.main()
