"""Fixtures for check_commits.py."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_commits


class Commits(unittest.TestCase):
    def setUp(self):
        if check_commits.git(".", "--version").returncode != 0:
            self.skipTest("there is no git")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "doc" / "reproduction").mkdir(parents=True)
        self.git("init", "--quiet")
        # Nearly every name has a figure and a letter among its first nine; another message gives another name.
        for second in range(100):
            self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", str(second))
            self.commit = self.git("rev-parse", "HEAD").strip()[:9]
            if check_commits.COMMIT.fullmatch(self.commit):
                break

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.root, *arguments], check=True, capture_output=True, text=True).stdout

    def page(self, text):
        (self.root / "doc" / "Page.md").write_text(text)

    def result(self, commit):
        content = {"context": {"commit": commit}, "experiments": {}}
        (self.root / "doc" / "reproduction" / "gpu.json").write_text(json.dumps(content))

    def test_commits_that_exist_are_found(self):
        self.page(f"Measured at {self.commit}, 1234567 samples, 1.5e-07, defaced-1a2b3c4d.txt, 0x1p-24, deadbeef.")
        self.result(self.commit + "-dirty")
        self.assertEqual(check_commits.check(self.root), [])
        self.assertIsNone(check_commits.why_not(self.root))

    def test_a_commit_that_is_missing_is_named(self):
        self.page("First line.\nMeasured at 1a2b3c4.")
        self.result("before 0a1b2c3d")
        self.assertEqual(
            check_commits.check(self.root),
            ["doc/Page.md:2: there is no commit 1a2b3c4", "doc/reproduction/gpu.json:1: there is no commit 0a1b2c3d"],
        )

    def test_no_history_is_no_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("no git repository", check_commits.why_not(folder))
            self.page("nothing")
            self.git("add", "doc")
            clone = pathlib.Path(folder) / "clone"
            self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "page")
            subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{self.root}", clone], check=True, capture_output=True)
            self.assertIn("not all of its history", check_commits.why_not(clone))


if __name__ == "__main__":
    unittest.main()
