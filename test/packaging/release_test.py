"""scripts/release: the checks of versions and of the changelog, on texts that break them. Run by ctest."""

import argparse
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("release", str(ROOT / "scripts" / "release"))
release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", LOADER))
LOADER.exec_module(release)

CMAKE = "cmake_minimum_required(VERSION 3.22)\nproject(CudaSpline VERSION 1.2.3 LANGUAGES CXX)\n"
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n* Something new.\n\n## [1.2.2] - 2025-01-31\n\n* Older.\n"


class Release(unittest.TestCase):
    def check(self, name, changelog=CHANGELOG, citation="cff-version: 1.2.0\n", dry_run=False, recipe='  version: "1.2.3"\n'):
        """What the check of that name returns, for a tree with these texts."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
            (root / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
            (root / "CITATION.cff").write_text(citation, encoding="utf-8")
            (root / "packaging" / "conda").mkdir(parents=True)
            (root / "packaging" / "conda" / "recipe.yaml").write_text(recipe, encoding="utf-8")
            with unittest.mock.patch.object(release, "ROOT", root):
                return release.CHECKS[name](argparse.Namespace(dry_run=dry_run), release.version_of(CMAKE))

    def test_versions(self):
        self.assertEqual(self.check("versions"), "1.2.3")
        self.assertEqual(self.check("versions", citation="version: '1.2.3'\n"), "1.2.3")
        with self.assertRaisesRegex(release.Failure, "1.2.3, CHANGELOG.md 1.2.4"):
            self.check("versions", CHANGELOG.replace("1.2.3", "1.2.4"))
        with self.assertRaisesRegex(release.Failure, "CITATION.cff has the version 1.2.2"):
            self.check("versions", citation="version: 1.2.2\n")
        for recipe in ('  version: "1.2.2"\n', ""):
            with self.assertRaisesRegex(release.Failure, "recipe.yaml has the version"):
                self.check("versions", recipe=recipe)
        with self.assertRaisesRegex(release.Failure, "no version"):
            self.check("versions", "# Changelog\n")
        with self.assertRaisesRegex(release.Failure, "CMakeLists.txt"):
            release.version_of("project(Other VERSION 1.2.3)\n")

    def test_changelog(self):
        self.assertEqual(self.check("changelog"), "2026-01-31")
        for date in ("unreleased", "31.1.2026"):
            with self.assertRaisesRegex(release.Failure, date):
                self.check("changelog", CHANGELOG.replace("2026-01-31", date))
        self.assertEqual(self.check("changelog", CHANGELOG.replace("2026-01-31", "unreleased"), dry_run=True), "no date yet")
        with self.assertRaisesRegex(release.Failure, "no entries"):
            self.check("changelog", CHANGELOG.replace("* Something new.\n", ""))

    def test_this_tree(self):
        version = release.version_of((ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        arguments = argparse.Namespace(dry_run=True)
        self.assertEqual(release.check_versions(arguments, version), version)
        self.assertTrue(release.check_changelog(arguments, version))

    def test_programs_that_fail(self):
        with self.assertRaisesRegex(release.Failure, "exit status 3\nlost"):
            release.run("sh", "-c", "echo lost; exit 3")


if __name__ == "__main__":
    unittest.main()
