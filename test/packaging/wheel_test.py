"""What scripts/wheel makes of a library: one that runs with an older C library, a page whose links work anywhere. Run by ctest."""

import ctypes
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "scripts" / "wheel.d"

#: What the runtimes of C++ and of the compiler need from a C library: exceptions, threads, random numbers, files, shared
#: pointers.
LIBRARY = """
#include <fstream>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <dlfcn.h>
#include <sys/stat.h>

struct AtEnd
{
  ~AtEnd() { value = 0; }
  int value = 1;
} atEnd;

extern "C" int
everything(double x)
{
  int found = 0;
  std::thread worker([&] {
    try
    {
      throw std::runtime_error("thrown by another thread");
    }
    catch (const std::exception & error)
    {
      found = static_cast<int>(std::string(error.what()).size());
    }
  });
  worker.join();
  std::shared_ptr<int> shared(new int(found));
  std::random_device   device;
  const bool           isRandom = device() != device() || device() != device();
  struct stat          status;
  std::ifstream        file("/proc/self/status");
  std::string          word;
  file >> word;
  const bool isFound = stat("/proc/self", &status) == 0 && word == "Name:" && dlsym(RTLD_DEFAULT, "malloc") != nullptr;
  return isRandom && isFound && std::pow(std::exp(std::log(x)), 2.0) > 0.0 ? *shared * atEnd.value : -1;
}
"""


@unittest.skipUnless(sys.platform.startswith("linux") and os.uname().machine in ("x86_64", "aarch64"), "it is for glibc")
class OldLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "library.cxx").write_text(LIBRARY)

    def build(self, name, options):
        path = self.folder / name
        command = ["c++", "-shared", "-fPIC", "-O1", "-std=c++17", str(self.folder / "library.cxx"), "-o", str(path), "-static-libstdc++", "-static-libgcc"]
        subprocess.run([*command, *options], check=True)
        with zipfile.ZipFile(self.folder / f"{name}.whl", "w") as wheel:
            wheel.write(path, f"package/{name}")
        return path

    def check(self, name, version):
        command = [sys.executable, str(PARTS / "check-symbols"), str(self.folder / f"{name}.whl"), version]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_library_runs_with_an_older_one(self):
        made = subprocess.run([sys.executable, str(PARTS / "old-glibc"), "2.28", str(self.folder / "old")], capture_output=True, text=True, check=True)
        path = self.build("new.so", made.stdout.split())
        done = self.check("new.so", "2.28")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(ctypes.CDLL(str(path)).everything(ctypes.c_double(2.0)), len("thrown by another thread"))
        # Proves that the check can fail: a library that is linked as usual needs the versions of this machine.
        needed = subprocess.run(["readelf", "--dyn-syms", "--wide", str(self.build("usual.so", ["-pthread", "-ldl"]))], capture_output=True, text=True, check=True)
        newest = max(tuple(int(n) for n in found.split(".")) for found in re.findall(r"UND \S+@GLIBC_([0-9.]+)", needed.stdout))
        self.assertEqual(self.check("usual.so", "2.28").returncode, 1 if newest > (2, 28) else 0)

    def test_what_is_beyond_it_stops_the_linker(self):
        made = subprocess.run([sys.executable, str(PARTS / "old-glibc"), "2.28", str(self.folder / "old")], capture_output=True, text=True, check=True)
        (self.folder / "library.cxx").write_text('extern "C" int surely_not_in_any_library();\nint f() { return surely_not_in_any_library(); }')
        with self.assertRaises(subprocess.CalledProcessError):
            self.build("new.so", made.stdout.split())


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
