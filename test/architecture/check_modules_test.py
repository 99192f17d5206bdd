#!/usr/bin/env python3
"""Tests of check_modules.py: small packages with imports that are allowed and not allowed, with a circle of modules and without one."""

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


class Layers(unittest.TestCase):
    def expect(self, modules, *lines):
        code, output = check(modules)
        self.assertEqual((code, output), (1 if lines else 0, "".join(f"python/cudaspline: {line}\n" for line in lines)))

    def test_down(self):
        self.expect({"core/__init__.py": "", "core/_a.py": "", "images/_b.py": "from ..core import _a\nfrom ..core._a import x\n"})

    def test_package_imports_everything(self):
        self.expect({"__init__.py": "from .core._a import x\nfrom .dask import y\n", "core/_a.py": "", "dask/__init__.py": ""})

    def test_up(self):
        self.expect({"core/_a.py": "def f():\n    from ..images import _b\n", "images/_b.py": ""}, "core/_a.py: core may not import images")

    def test_sideways(self):
        self.expect({"jax/_a.py": "from ..torch._b import x\n", "torch/_b.py": ""}, "jax/_a.py: jax may not import torch")

    def test_module_next_to_sub_packages(self):
        self.expect({"ants.py": "from .dask import x\n", "dask/__init__.py": ""}, "ants.py: ants may not import dask")

    def test_unknown(self):
        self.expect({"other/_a.py": ""}, "other/_a.py: other is not in LAYERS")


class Circles(unittest.TestCase):
    def expect_circle(self, modules):
        code, output = check(modules)
        self.assertEqual(code, 1, output)
        self.assertIn("a circle of modules: ", output)

    def test_one_direction(self):
        code, output = check(
            {
                "__init__.py": "from .core.a import x\n",
                "core/a.py": "from . import b\nfrom .c import d\n",
                "core/b.py": "import a\n",
                "core/c/__init__.py": "from . import d\n",
                "core/c/d.py": "from .. import b\n",
            }
        )
        self.assertEqual((code, output), (0, ""))

    def test_circle(self):
        self.expect_circle({"core/a.py": "from . import b\n", "core/b.py": "from .a import x\n"})

    def test_circle_within_a_function(self):
        self.expect_circle({"core/a.py": "from . import b\n", "core/b.py": "def f():\n    from . import a\n"})

    def test_circle_for_type_checkers(self):
        self.expect_circle({"core/a.py": "from .b import B\n", "core/b.py": "if TYPE_CHECKING:\n    from .a import A\n"})

    def test_circle_through_a_folder(self):
        self.expect_circle({"core/a.py": "from .c import d\n", "core/c/d.py": "from ..a import x\n"})

    def test_no_package(self):
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    unittest.main()
