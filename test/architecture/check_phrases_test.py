#!/usr/bin/env python3
"""Tests of check_phrases.py: texts with one phrase each, and texts with none."""

import os
import tempfile
import unittest
import unittest.mock

import check_phrases
from in_process import run

#: Path, text, line of the phrase or None, the phrase.
TEXTS = [
    ("Page.md", "# Title\n\nThe geometry of the file\nis none.\n", 4, "is none"),
    ("Page.md", "The geometry\nof the image, which is\nbehind\nthe file.\n", 3, "behind the"),
    ("Page.md", "Right, `x is none` as code.\n\n    is none\n\n```\nis none\n```\n", None, ""),
    ("Page.md", "A link to [a page](is-none-beside-it.md). There is no GPU here, and there is none there.\n", None, ""),
    ("Page.md", "| beside | it |\n", 1, "beside"),
    ("Page.md", "What this comes\n\nto is another paragraph.\n", None, ""),
    ("Head.h", "/** \\brief Numbers.\n *\n * The order of it comes\n * to be another. */\nint x;\n", 3, "comes to"),
    ("Head.h", "int is_none; // beside it\n", 1, "beside"),
    ("Head.h", "int beside;\nint part, side, turn; // part, side and turn are terms\n", None, ""),
    ("Code.cxx", 'throw Error("the image " + name + " is no "\n            "image");\n', 1, "is no image"),
    ("Code.cxx", "char c = '\"'; int beside = 0; // nothing\n", None, ""),
    ("Code.cxx", "int apart; // a point lies outside of an image, behind 3 others\n", None, ""),
    ("module.py", "def f():\n    '''Reads.\n\n    The mask is no array.\n    '''\n", 4, "is no array"),
    ("module.py", "if x is None:\n    raise ValueError(f'{x} is no number')\n", 2, "is no number"),
    ("module.py", "beside = None  # the others\n", None, ""),
    ("CMakeLists.txt", "set(beside) # the file that is\n# none\n", 1, "is none"),
    ("CMakeLists.txt", 'message("it is no number")\n', 1, "is no number"),
]

SUBJECTS = [
    ("BUG: Read vector NIfTI series volume by volume", True),
    ("Merge the reading of NRRD", True),
    ("Read vector NIfTI series", False),
    ("BUG: read vector NIfTI series", False),
    ("BUG: " + "Read vector NIfTI series volume by volume " * 2, False),
    ("BUG: Refuse files of which the geometry is none", False),
]


class Phrases(unittest.TestCase):
    def test_texts(self):
        for path, text, line, phrase in TEXTS:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as root:
                with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
                code, output = run(check_phrases, "--root", root)
                self.assertEqual(code, 0 if line is None else 1, output)
                if line is not None:
                    self.assertIn(f'{path}:{line}: "{phrase}"', output)
                    self.assertIn("\n1 violations", output)

    def test_allowed_phrases(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("old", "other"):
                os.mkdir(os.path.join(root, folder))
                with open(os.path.join(root, folder, "Page.md"), "w", encoding="utf-8") as stream:
                    stream.write("beside\n\nThe mask is none.\n")
            allowed = [("old/*", "beside", "a key"), ("other/*", None, "quotes")]
            with unittest.mock.patch.object(check_phrases, "ALLOWED", allowed):
                code, output = run(check_phrases, "--root", root)
            self.assertEqual((code, output.splitlines()[1:]), (1, ["1 violations"]), output)
            self.assertIn('old/Page.md:3: "is none"', output)

    def test_named_paths(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("One.md", "Two.md"):
                with open(os.path.join(root, name), "w", encoding="utf-8") as stream:
                    stream.write("beside\n")
            self.assertEqual(run(check_phrases, "--root", root, "Two.md"), (1, 'Two.md:1: "beside": next to, in addition to, compared with\n1 violations\n'))

    def test_subjects(self):
        for subject, right in SUBJECTS:
            with self.subTest(subject=subject), tempfile.TemporaryDirectory() as root:
                path = os.path.join(root, "message")
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(subject + "\n\nThe body beside it.\n")
                code, output = run(check_phrases, "--subject", path)
                self.assertEqual(code, 0 if right else 1, output)


if __name__ == "__main__":
    unittest.main()
