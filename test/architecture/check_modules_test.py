#!/usr/bin/env python3
"""Tests of check_modules.py: small packages with a circle of modules, and without one."""

import os
import tempfile
import unittest

import check_modules
from in_process import run


def check(modules):
    """Return code and output for a package of modules by name."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in modules.items():
            full = os.path.join(root, "python", "cudaspline", name)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(text)
        return run(check_modules, "--root", root)


class Circles(unittest.TestCase):
    def expect_circle(self, modules):
        code, output = check(modules)
        self.assertEqual(code, 1, output)
        self.assertIn("a circle of modules: ", output)

    def test_one_direction(self):
        code, output = check({"__init__.py": "from .a import x\n", "a.py": "from . import b\nfrom .c import d\n", "b.py": "import a\n", "c/__init__.py": "from . import d\n", "c/d.py": "from .. import b\n"})
        self.assertEqual((code, output), (0, ""))

    def test_circle(self):
        self.expect_circle({"a.py": "from . import b\n", "b.py": "from .a import x\n"})

    def test_circle_within_a_function(self):
        self.expect_circle({"a.py": "from . import b\n", "b.py": "def f():\n    from . import a\n"})

    def test_circle_for_type_checkers(self):
        self.expect_circle({"a.py": "from .b import B\n", "b.py": "if TYPE_CHECKING:\n    from .a import A\n"})

    def test_circle_through_a_folder(self):
        self.expect_circle({"a.py": "from .c import d\n", "c/d.py": "from ..a import x\n"})

    def test_no_package(self):
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    unittest.main()
