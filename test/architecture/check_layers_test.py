#!/usr/bin/env python3
"""Tests of check_layers.py: every tree of layer_trees.py breaks one rule, and the check must report it.

The check must complain about the lines that are marked, in these words, and about nothing else. The tree "clean" breaks nothing.
"""

import os
import re
import tempfile
import unittest

import check_layers
from in_process import run
from layer_trees import TREES

HERE = os.path.dirname(os.path.abspath(__file__))


def check(root):
    """Return code, complaints (path, line, message) and output for the tree below a folder."""
    code, output = run(check_layers, "--root", root)
    found = re.findall(r"^(\S+?):(\d+): (.*)$", output, re.M)
    return code, [(path, int(line), message) for path, line, message in found], output


def check_tree(tree):
    """The same for a tree of TREES."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in TREES[tree].items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(text)
        return check(root)


def expectations(tree):
    """Path, line and part of the message of each complaint that a tree must cause."""
    expected = []
    for path, text in TREES[tree].items():
        for number, line in enumerate(text.splitlines(), 1):
            match = re.search(r"BREAKS(-NEXT)?: (.*)$", line)
            for phrase in match.group(2).split(" | ") if match else []:
                expected.append((path, number + (1 if match.group(1) else 0), phrase.strip()))
    return expected


class LayerTrees(unittest.TestCase):
    def test_every_tree_is_refused(self):
        self.assertGreaterEqual(len(TREES), 30)
        for name in sorted(TREES.keys() - {"clean", "folder_without_layer"}):
            with self.subTest(tree=name):
                expected = expectations(name)
                self.assertTrue(expected, "the tree marks no line")
                code, found, output = check_tree(name)
                self.assertEqual(code, 1, output)
                for path, line, phrase in expected:
                    self.assertTrue(
                        any(path == p and line == l and phrase in message for p, l, message in found), f"{path}:{line}: {phrase}\n{output}"
                    )
                self.assertEqual(len(found), len(expected), output)

    def test_folder_without_layer(self):
        code, found, output = check_tree("folder_without_layer")
        self.assertEqual(code, 1, output)
        self.assertEqual(found, [("include/itkCudaSpline/extras/Extra.h", 1, "a folder that belongs to no layer")])

    def test_clean_tree(self):
        code, found, output = check_tree("clean")
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
