#!/usr/bin/env python3
"""Tests of check_sources.py: small trees that break each rule, made here, because no file may contain their text."""

import os
import tempfile
import unittest

import check_sources
from in_process import run

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def licence():
    with open(os.path.join(ROOT, "include", "itkCudaSpline", "math", "HostDevice.h"), encoding="utf-8") as stream:
        return "".join(stream.readlines()[:17])


class SourceRules(unittest.TestCase):
    def check(self, path, content, without_cuda=()):
        """Return code and output for a tree of one file, of which the paths without_cuda are compiled without CUDA."""
        with tempfile.TemporaryDirectory() as root:
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(content)
            arguments = ["--root", root]
            if without_cuda:
                arguments += ["--without-cuda", *(os.path.join(root, name) for name in without_cuda)]
            return run(check_sources, *arguments)

    def expect_clean(self, path, content, without_cuda=()):
        code, output = self.check(path, content, without_cuda)
        self.assertEqual(code, 0, output)

    def expect_complaint(self, path, content, line, phrase, without_cuda=()):
        code, output = self.check(path, content, without_cuda)
        self.assertEqual(code, 1, output)
        self.assertIn(f"{path}:{line}: ", output)
        self.assertIn(phrase, output)
        self.assertIn(" 1 violations", output)

    def test_licence(self):
        self.expect_clean("include/itkCudaFilter.h", licence() + "class Filter;\n")
        self.expect_complaint("include/itkCudaFilter.h", "class Filter;\n", 1, "licence")
        self.expect_complaint("include/itkCudaFilter.hxx", "\n" + licence(), 1, "licence")
        self.expect_complaint("src/kernels/Kernel.cu", licence().replace("Apache License", "Other License"), 1, "licence")
        self.expect_complaint("src/kernels/Kernel.cuh", "", 1, "licence")
        self.expect_complaint("applications/Typed.cxx.in", "int x;\n", 1, "licence")
        self.expect_complaint("test/device/FakeDriver.c", "int x;\n", 1, "licence")

    def test_groups(self):
        described = "/** \\class Filter\n * \\brief Filters.\n *%s */\nclass Filter;\n"
        self.expect_clean("include/itkCudaFilter.h", licence() + described % " \\ingroup CudaSpline")
        self.expect_complaint("include/itkCudaFilter.h", licence() + described % "", 18, "without \\ingroup CudaSpline")
        self.expect_complaint("include/itkCudaFilter.h", licence() + described % " \\ingroup CudaSplineMath", 18, "without")
        self.expect_clean("include/itkCudaSpline/math/Filter.h", licence() + described % "")

    def test_versions(self):
        for word in ("ITK_VERSION_MAJOR", "ITK_LEGACY_REMOVE", "ITK_FUTURE_LEGACY_REMOVE"):
            for path in ("include/itkCudaFilter.h", "src/Filter.cxx", "applications/Program/Program.cxx"):
                self.expect_complaint(path, licence() + f"#if defined({word})\n#endif\n", 18, "a version of ITK")
            self.expect_clean("include/itkCudaSpline/itk/Compatibility.h", licence() + f"#if defined({word})\n#endif\n")
            self.expect_clean("CMakeLists.txt", f"if({word})\nendif()\n")
        self.expect_clean("src/Filter.cxx", licence() + "auto version = MY_ITK_VERSION;\n")

    def test_what_is_compiled_without_cuda(self):
        asks = licence() + "#ifdef CUDASPLINE_HAS_CUDA\n#endif\n"
        host = ["src/kernels/Host.cxx"]
        self.expect_complaint(host[0], asks, 18, "CUDASPLINE_HAS_CUDA", host)
        self.expect_clean("src/kernels/Both.cxx", asks)
        self.expect_clean(host[0], licence() + "int CUDASPLINE_HAS_CUDA_NOT;\n", host)
        code, output = self.check("src/kernels/Both.cxx", asks, host)
        self.assertEqual(code, 1, output)
        self.assertIn("src/kernels/Host.cxx:1: compiled without CUDA, and not a file of this tree", output)
        for header in ("include/itkCudaSpline/kernels/Kernel.h", "src/device/Device.h", "include/itkCudaFilter.hxx", "src/kernels/Kernel.cuh"):
            self.expect_complaint(header, asks, 18, "CUDASPLINE_HAS_CUDA")

    def test_unfinished_work(self):
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"):
            self.expect_complaint("src/Work.cxx", licence() + f"// {word}: later\n", 18, word)
            self.expect_complaint("cmake/Work.cmake", f"# {word}\n", 1, word)
        self.expect_clean("src/Work.cxx", licence() + "int mastodon;\n")

    def test_machine_paths(self):
        for folder in ("ho" + "me", "ro" + "ot", "wo" + "rk", "Us" + "ers"):
            self.expect_complaint("cmake/Find.cmake", f"set(HINT /{folder}/someone/toolkit)\n", 1, "path of a machine")
            self.expect_complaint("doc/Notes.md", f"see `/{folder}/someone`\n", 1, "path of a machine")
        self.expect_clean("cmake/Find.cmake", "set(HINT /usr/local/cuda/bin ${HERE}/wo" + "rk/x src/wo" + "rk/x)\n")

    def test_registry_hosts(self):
        self.expect_complaint("scripts/demo", "pip install --index-url https://py" + "pi.org/simple\n", 1, "package registry")

    def test_labels_of_discovered_tests(self):
        call = "gtest_discover_tests(Tests PROPERTIES LABELS %s TIMEOUT 300)\n"
        self.expect_complaint("test/CMakeLists.txt", call % '"cpu;itk"', 1, "splits")
        self.expect_complaint("test/CMakeLists.txt", call.replace("PROPERTIES", "\n  PROPERTIES\n   ") % '"cpu;itk"', 1, "splits")
        self.expect_clean("test/CMakeLists.txt", call % "cpu LABELS itk")
        self.expect_clean("test/CMakeLists.txt", 'set_tests_properties(Test PROPERTIES LABELS "cpu;itk")\n')


if __name__ == "__main__":
    unittest.main()
