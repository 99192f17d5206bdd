"""The wheel of a release: settings of cibuildwheel that exist in this tree, a page whose links work anywhere. Run by ctest."""

import importlib.util
import os
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Release(unittest.TestCase):
    """[tool.cibuildwheel] of pyproject.toml, which only the release workflow runs."""

    def setUp(self):
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        self.settings = re.search(r"(?ms)^\[tool\.cibuildwheel\]$.*?(?=^\[tool\.(?!cibuildwheel))", project)[0]

    def test_scripts_exist(self):
        scripts = re.findall(r"scripts/[\w./-]+", self.settings)
        self.assertEqual(len(scripts), 2)
        for path in scripts:
            self.assertTrue(os.access(ROOT / path, os.X_OK), path)

    def test_the_compiler_is_installed_where_it_is_looked_for(self):
        folder = re.search(r"scripts/cuda-toolkit (\S+)", self.settings)[1]
        self.assertIn(f'CUDACXX = "{folder}/nvcc"', self.settings)
        self.assertIn("FOLDER/nvcc runs it", (ROOT / "scripts" / "cuda-toolkit").read_text(encoding="utf-8"))

    def test_options_exist(self):
        files = [ROOT / "python" / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"), *(ROOT / "src").rglob("CMakeLists.txt")]
        cmake = "".join(path.read_text(encoding="utf-8") for path in files)
        options = re.findall(r'"cmake\.define\.(\w+)"', self.settings)
        self.assertGreater(len(options), 3)
        self.assertEqual([option for option in options if not re.search(rf"\b{option}\b", cmake)], [])


class Page(unittest.TestCase):
    def setUp(self):
        place = ROOT / "python" / "packaging" / "cudaspline_metadata.py"
        spec = importlib.util.spec_from_file_location("cudaspline_metadata", place)
        self.metadata = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.metadata)
        self.addCleanup(os.environ.pop, "CUDASPLINE_HOME_URL", None)
        os.environ.pop("CUDASPLINE_HOME_URL", None)

    def targets(self):
        text = self.metadata.dynamic_metadata({}, {})["readme"]["text"]
        return re.findall(r"\]\(([^)\s]+)\)", text)

    def test_links_work_outside_of_the_repository(self):
        self.assertTrue(all(target.startswith("https://") for target in self.targets()))
        self.assertEqual(self.metadata.dynamic_metadata({}, {})["urls"], {})
        os.environ["CUDASPLINE_HOME_URL"] = "https://example.org/some/one/"
        found = self.targets()
        pictures = [target for target in found if "/raw/" in target]
        self.assertTrue(pictures and all(target.startswith("https://example.org/some/one/raw/HEAD/doc/images/") for target in pictures))
        for target in found:
            if target.startswith("https://example.org/"):
                path = target.split("/HEAD/")[1].partition("#")[0]
                self.assertTrue((ROOT / path).exists(), target)
        self.assertEqual(self.metadata.dynamic_metadata({}, {})["urls"]["Homepage"], "https://example.org/some/one")

    def test_addresses_that_are_none(self):
        os.environ["CUDASPLINE_HOME_URL"] = "example.org"
        with self.assertRaisesRegex(ValueError, "CUDASPLINE_HOME_URL"):
            self.metadata.dynamic_metadata({}, {})

    def test_settings_that_are_unknown(self):
        with self.assertRaisesRegex(ValueError, "field"):
            self.metadata.dynamic_metadata({"field": "readme"}, {})


if __name__ == "__main__":
    unittest.main()
