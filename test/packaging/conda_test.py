"""packaging/conda: the recipe agrees with the sources, and rattler-build renders it. Run by ctest.

The second part needs the module rattler_build (py-rattler-build) and is skipped without it.
"""

import os
import pathlib
import re
import unittest
import unittest.mock

try:
    import rattler_build
except ImportError:
    rattler_build = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging" / "conda"
RECIPE = (FOLDER / "recipe.yaml").read_text(encoding="utf-8")


class Sources(unittest.TestCase):
    def test_options_exist(self):
        cmake = "".join(path.read_text(encoding="utf-8") for folder in ("cmake", "python") for path in (ROOT / folder).rglob("*.cmake"))
        cmake += (ROOT / "python" / "CMakeLists.txt").read_text(encoding="utf-8")
        options = set(re.findall(r"CUDASPLINE_[A-Z_]+(?==)", RECIPE)) - {"CUDASPLINE_HOME_URL"}
        self.assertGreater(len(options), 4)
        self.assertEqual([option for option in sorted(options) if not re.search(rf"\b{option}\b", cmake)], [])

    def test_requirements_of_python(self):
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        for pattern, package in ((r'requires-python = "(.*)"', "python"), (r'dependencies = \["numpy(.*)"\]', "numpy"),
                                 (r'requires = \["scikit-build-core(.*)"\]', "scikit-build-core")):  # fmt: skip
            needed = re.search(pattern, project)[1]
            self.assertRegex(RECIPE, rf"(?m)^ +- {package} {re.escape(needed)}$")

    def test_files_exist(self):
        self.assertTrue((FOLDER / re.search(r"path: (.*)", RECIPE)[1] / "LICENSE").exists())
        for path in re.findall(r"test/python/\w+\.py", RECIPE):
            self.assertTrue((ROOT / path).exists(), path)


@unittest.skipUnless(rattler_build, "py-rattler-build is not installed")
class Rendered(unittest.TestCase):
    def setUp(self):
        with unittest.mock.patch.dict(os.environ, {"CUDASPLINE_HOME_URL": "https://example.org/CudaSpline"}):
            recipe = rattler_build.Stage0Recipe.from_file(str(FOLDER / "recipe.yaml"))
            variants = rattler_build.VariantConfig.from_file(str(FOLDER / "variants.yaml"))
            platform = rattler_build.PlatformConfig(target_platform="linux-64")
            self.outputs = [output.recipe.to_dict() for output in recipe.render(variants, rattler_build.RenderConfig(platform=platform))]

    def test_packages(self):
        version = re.search(r"project\(CudaSpline VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        packages = sorted((output["package"]["name"], output["build"]["string"].split("_")[0]) for output in self.outputs)
        self.assertEqual(packages, [(name, cuda) for name in ("cudaspline", "libcudaspline") for cuda in ("cpu", "cuda130")])
        self.assertEqual({output["package"]["version"] for output in self.outputs}, {version})

    def test_cuda(self):
        for output in self.outputs:
            has_cuda = output["build"]["string"].startswith("cuda")
            self.assertEqual(output["context"]["use_cuda"], "REQUIRED" if has_cuda else "OFF")
            self.assertIn("CUDASPLINE_USE_CUDA=${{ use_cuda }}", str(output["build"]["script"]))
            self.assertEqual("cuda-nvcc" in str(output["requirements"]), has_cuda)


if __name__ == "__main__":
    unittest.main()
