#!/usr/bin/env python3
"""Tests of scripts/doc: that a fault of the documentation fails the build of it, and none does not. Skipped (77) without doxygen."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

HEADER = """
namespace itk::CudaSpline
{
/** \\brief A pair of numbers. */
struct Pair
{
  int first; ///< the one
  int second; ///< the other
};

/** \\brief Adds numbers.
 *
 * \\param[in] pair the numbers
 * \\param[in] offset added too
 * \\exception std::invalid_argument never */
int
Add(const Pair & pair, int offset);
}
"""

PAGE = """# A page

What it says is [below](#the-end-of-it), by [another page](Other.md#the-start), and [the licence](../LICENSE).

## The `end` of it

* <a id="Somebody1990"></a>Somebody. Something. 1990.
"""


def document(files):
    """Exit status and output of scripts/doc for files, a dictionary of name and text."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
                stream.write(text)
        inputs = [os.path.join(folder, name) for name in files]
        command = [os.path.join(ROOT, "scripts", "doc"), "--output", os.path.join(folder, "out"), *inputs]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


class Documentation(unittest.TestCase):
    def assert_fault(self, files, message):
        code, output = document(files)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)

    def test_header_without_a_fault(self):
        code, output = document({"Pair.h": HEADER})
        self.assertEqual(code, 0, output)

    def test_undocumented_member(self):
        self.assert_fault({"Pair.h": HEADER.replace("///< the other", "")}, "second")

    def test_undocumented_function(self):
        self.assert_fault({"Pair.h": HEADER.replace("/** \\brief Adds", "/* Adds")}, "Add")

    def test_parameter_left_out(self):
        self.assert_fault({"Pair.h": HEADER.replace(" * \\param[in] offset added too\n", "")}, "offset")

    def test_parameter_that_is_not_there(self):
        self.assert_fault({"Pair.h": HEADER.replace("] offset", "] shift")}, "shift")

    def test_unknown_command(self):
        self.assert_fault({"Pair.h": HEADER.replace("\\exception", "\\excepshun")}, "excepshun")

    def test_citation(self):
        cited = HEADER.replace("Adds numbers.", "Adds numbers as \\cite{Somebody1990} does.")
        code, output = document({"Pair.h": cited, "Page.md": PAGE, "Other.md": "# Other\n\n## The start\n"})
        self.assertEqual(code, 0, output)
        self.assert_fault({"Pair.h": cited}, "Somebody1990")

    def test_link_to_a_heading_that_is_not_there(self):
        self.assert_fault({"Page.md": PAGE, "Other.md": "# Other\n"}, "other-the-start")
        self.assert_fault({"Page.md": PAGE.replace("## The", "## An"), "Other.md": "# Other\n\n## The start\n"}, "page-the-end")


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("doxygen is missing (Debian: apt-get install doxygen)")
        sys.exit(77)
    unittest.main()
