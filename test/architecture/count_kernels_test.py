#!/usr/bin/env python3
"""Tests of count_kernels.py on objects that look like nvcc's: names of kernels in read-only data, and a section .nv_fatbin.

The C compiler that makes them is that of the environment variable CC.
"""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def count(*arguments):
    command = [sys.executable, "-B", os.path.join(HERE, "count_kernels.py"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


class KernelCount(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def make(self, name, kernels, device_code=True, flags=("-O2",), name_of_kernel="FillKernel"):
        """An object that registers as many kernels."""
        source = os.path.join(self.folder.name, name + ".c")
        target = os.path.join(self.folder.name, name + ".o")
        with open(source, "w", encoding="utf-8") as stream:
            if device_code:
                stream.write('__attribute__((section(".nv_fatbin"), used)) static const char deviceCode[4] = "fat";\n')
            stream.write("extern void Register(const char *);\nvoid RegisterAll(void)\n{\n")
            for k in range(kernels):
                stream.write(f'  Register("_ZN3itk10CudaSpline{len(name_of_kernel) + 1}{name_of_kernel}{k}ILi3EfEEvPT0_");\n')
            # Neither a kernel's name nor a part of one.
            stream.write('  Register("variable");\n  Register("a text with _Z9SomeNamev in it");\n}\n')
        subprocess.run([os.environ.get("CC", "cc"), *flags, "-c", source, "-o", target], check=True)
        return target

    def test_counts_and_accepts_the_limit(self):
        code, output = count(self.make("limit", 1000))
        self.assertEqual(code, 0, output)
        self.assertIn("1000 CUDA kernels", output)

    def test_fails_above_the_limit(self):
        code, output = count(self.make("above", 1001))
        self.assertEqual(code, 1, output)
        self.assertIn("1001 CUDA kernels; at most 1000 are allowed", output)

    def test_adds_up_objects_and_skips_host_code(self):
        files = [self.make("first", 500), self.make("second", 501, flags=("-O0", "-g")), self.make("host", 50, device_code=False)]
        code, output = count(*files)
        self.assertEqual(code, 1, output)
        self.assertIn("1001 CUDA kernels", output)
        self.assertNotIn("host.o", output)

    def test_reads_a_stripped_library(self):
        library = os.path.join(self.folder.name, "library.so")
        command = [os.environ.get("CC", "cc"), "-shared", "-s", self.make("part", 12, flags=("-O2", "-fPIC")), "-o", library]
        subprocess.run(command + ["-Wl,--unresolved-symbols=ignore-all"], check=True)
        code, output = count("--limit", "11", "--list", library)
        self.assertEqual(code, 1, output)
        self.assertIn("12 CUDA kernels; at most 11 are allowed", output)
        self.assertIn("_ZN3itk10CudaSpline11FillKernel7ILi3EfEEvPT0_", output)

    def test_tells_groups(self):
        files = [self.make("others", 20), self.make("metrics", 5, name_of_kernel="MetricKernel")]
        group = "metrics:[0-9]Metric[A-Za-z]*Kernel"
        code, output = count("--limit", "25", "--group", group, *files)
        self.assertEqual(code, 0, output)
        self.assertIn("25 CUDA kernels; at most 25 are allowed", output)
        self.assertIn("    5 metrics\n   20 others\n", output)
        code, output = count("--limit", "24", "--group", group, *files)
        self.assertEqual(code, 1, output)
        code, output = count("--group", "none:[0-9]Surely[A-Za-z]*Kernel", *files)
        self.assertEqual(code, 1, output)
        self.assertIn("no kernel was found", output)

    def test_nothing_found_is_no_success(self):
        code, output = count(self.make("host", 5, device_code=False))
        self.assertEqual(code, 1, output)
        self.assertIn("no kernel was found", output)
        self.assertEqual(count()[0], 1)

    def test_says_that_it_skips(self):
        code, output = count("--without-cuda")
        self.assertEqual(code, 77)
        self.assertIn("Skipped", output)


if __name__ == "__main__":
    unittest.main()
