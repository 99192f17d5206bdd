#!/usr/bin/env python3
"""Tests of cmake/CudaSplineHeaderTest.cmake: that a header which does not compile alone breaks the build, and one that does, does not.

A project of each header is configured and built, with the CMake of the environment variable CMAKE and the compiler of CXX.
"""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(HeaderTest LANGUAGES CXX)
include("{ROOT}/cmake/CudaSplineHeaderTest.cmake")
cudaspline_add_header_test(HeaderTest BASE "${{CMAKE_CURRENT_SOURCE_DIR}}/include" HEADERS "${{CMAKE_CURRENT_SOURCE_DIR}}/include/${{HEADER}}")
"""

HEADERS = {
    "Complete.h": "#ifndef Complete_h\n#define Complete_h\n#include <string>\nstruct Complete\n{\n  std::string name;\n};\n#endif\n",
    # Compiles after Complete.h only.
    "NeedsAnother.h": "#ifndef NeedsAnother_h\n#define NeedsAnother_h\nstruct NeedsAnother\n{\n  Complete part;\n};\n#endif\n",
    # Included twice, it defines its type twice.
    "NoGuard.h": "struct NoGuard\n{\n  int value;\n};\n",
}


def build(header):
    """Exit status and output of building the header test for one header."""
    cmake = os.environ.get("CMAKE", "cmake")
    with tempfile.TemporaryDirectory() as project, tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(project, "include"))
        for name, text in {"CMakeLists.txt": PROJECT, **{f"include/{key}": value for key, value in HEADERS.items()}}.items():
            with open(os.path.join(project, name), "w", encoding="utf-8") as stream:
                stream.write(text)
        configure = [cmake, "-S", project, "-B", folder, f"-DHEADER={header}"]
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
