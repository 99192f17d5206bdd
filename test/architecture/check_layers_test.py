#!/usr/bin/env python3
"""Tests of check_layers.py: every folder of fixtures/layers breaks one rule, and the check must say so.

A line of a fixture that breaks a rule ends with "BREAKS: <part of the message>", more than one separated by "|"; "BREAKS-NEXT:" speaks of
the line after it. The check must complain about these lines, in these words, and about nothing else. The tree "clean" breaks nothing.
"""

import os
import re
import unittest

import check_layers
from in_process import run

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "fixtures", "layers")


def check(root):
    code, output = run(check_layers, "--root", root)
    found = re.findall(r"^(\S+?):(\d+): (.*)$", output, re.M)
    return code, [(path, int(line), message) for path, line, message in found], output


def expectations(root):
    expected = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as stream:
                for number, line in enumerate(stream, 1):
                    match = re.search(r"BREAKS(-NEXT)?: (.*)$", line)
                    for phrase in match.group(2).split(" | ") if match else []:
                        expected.append((os.path.relpath(path, root), number + (1 if match.group(1) else 0), phrase.strip()))
    return expected


class LayerFixtures(unittest.TestCase):
    def test_every_fixture_is_found_out(self):
        names = sorted(os.listdir(FIXTURES))
        self.assertGreaterEqual(len(names), 30)
        for name in names:
            if name in ("clean", "folder_without_layer"):
                continue
            with self.subTest(fixture=name):
                root = os.path.join(FIXTURES, name)
                expected = expectations(root)
                self.assertTrue(expected, "the fixture marks no line")
                code, found, output = check(root)
                self.assertEqual(code, 1, output)
                for path, line, phrase in expected:
                    self.assertTrue(
                        any(path == p and line == l and phrase in message for p, l, message in found), f"{path}:{line}: {phrase}\n{output}"
                    )
                self.assertEqual(len(found), len(expected), output)

    def test_folder_without_layer(self):
        code, found, output = check(os.path.join(FIXTURES, "folder_without_layer"))
        self.assertEqual(code, 1, output)
        self.assertEqual(found, [("include/itkCudaSpline/extras/Extra.h", 1, "a folder that belongs to no layer")])

    def test_clean_tree(self):
        code, found, output = check(os.path.join(FIXTURES, "clean"))
        self.assertEqual(found, [], output)
        self.assertEqual(code, 0, output)

    def test_a_tree_without_sources_is_no_success(self):
        code, _, output = check(HERE)
        self.assertEqual(code, 1, output)


class ThisRepository(unittest.TestCase):
    """That the check sees the files of this repository: an empty answer would prove nothing."""

    def test_reads_what_is_there(self):
        root = os.path.dirname(os.path.dirname(HERE))
        _, _, output = check(root)
        count = re.search(r"checked (\d+) includes of (\d+) files", output)
        self.assertIsNotNone(count, output)
        self.assertGreater(int(count.group(1)), 300)
        self.assertGreater(int(count.group(2)), 80)


if __name__ == "__main__":
    unittest.main()
