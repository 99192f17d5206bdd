"""What somebody sees who compiles the Python package by pip: what is compiled for, progress, missing compilers. Run by ctest.

usage: build_test.py CMAKE GENERATOR NVCC [CLASS | --without CLASS]     NVCC: "" if there is no CUDA compiler
"""

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BACKEND = ROOT / "python" / "packaging"
CMAKE, GENERATOR, NVCC, *CLASSES = sys.argv[1:] or ["cmake", "Ninja", ""]

#: In place of scikit-build-core, which need not be installed here: a build whose child prints what cmake and ninja print.
STAND_IN = """
import subprocess, sys, types

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    print("configuring")
    lines = ["-- cudaspline: with CUDA 13.0 for GPUs of architecture 90", "[1/2] Building CUDA object a/b.dir/kernels/MetricCuda.cu.o", "[2/2] Linking"]
    subprocess.run([sys.executable, "-c", f"for line in {lines}: print(line)"], check=True)
    return "cudaspline.whl"

names = ["build_sdist", "get_requires_for_build_editable", "get_requires_for_build_sdist", "get_requires_for_build_wheel",
         "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel"]
build = types.ModuleType("scikit_build_core.build")
build.build_wheel = build.build_editable = build_wheel
for name in names:
    setattr(build, name, None)
core = types.ModuleType("scikit_build_core")
core.build = build
sys.modules.update({"scikit_build_core": core, "scikit_build_core.build": build})
sys.path.insert(0, %r)
import cudaspline_build
""" % str(BACKEND)


class Configured(unittest.TestCase):
    """Calls of cmake for python/CMakeLists.txt."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def configure(self, *arguments, gpus="", **environment):
        """What cmake prints, in one line; nvidia-smi reports GPUs of these compute capabilities."""
        program = self.folder / "nvidia-smi"
        program.write_text(f"#!/bin/sh\necho {gpus}\n" if gpus else "#!/bin/sh\nexit 9\n")
        program.chmod(0o755)
        variables = {name: value for name, value in os.environ.items() if name not in ("CUDAARCHS", "CUDACXX")}
        variables["PATH"] = f"{self.folder}{os.pathsep}{variables['PATH']}"
        if NVCC:
            variables["CUDACXX"] = NVCC
        variables.update(environment)
        shutil.rmtree(self.folder / "build", ignore_errors=True)
        command = [CMAKE, "-S", str(ROOT / "python"), "-B", str(self.folder / "build"), "-G", GENERATOR, *arguments]
        done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, " ".join(done.stdout.split())

    def choice(self, *arguments, **options):
        status, output = self.configure(*arguments, **options)
        self.assertEqual(status, 0, output)
        found = re.findall(r"-- cudaspline: (.*?) -- Configuring done", output)
        self.assertEqual(len(found), 1, output)
        return found[0]


class Choice(Configured):
    """What python/CMakeLists.txt decides."""

    @unittest.skipIf(os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg"), "there is a GPU here")
    def test_a_machine_without_gpu_compiles_no_kernels(self):
        self.assertRegex(self.choice(), "^without CUDA, as this machine has no GPU .*CUDASPLINE_ALL_ARCHITECTURES=ON compiles for all")

    def test_kernels_are_left_out_where_the_user_says_so(self):
        self.assertEqual(self.choice("-DCUDASPLINE_USE_CUDA=OFF", gpus="9.0"), "without CUDA, as CUDASPLINE_USE_CUDA says")

    def test_a_missing_toolkit_is_named(self):
        self.assertRegex(self.choice(gpus="9.0", CUDACXX="/nowhere/nvcc"), "^without CUDA: /nowhere/nvcc .*install the CUDA Toolkit .*cuda-nvcc")

    @unittest.skipUnless(NVCC, "the build has no CUDA compiler")
    def test_gpus_of_this_machine(self):
        self.assertRegex(self.choice(gpus="9.0"), r"^with CUDA [\d.]+ for GPUs of architecture 90 \(this machine's\)$")

    def test_a_missing_compiler(self):
        for variable, language in (("CC", "C"), ("CXX", r"C\+\+")):
            with self.subTest(language):
                status, output = self.configure(**{variable: "/nowhere/compiler"})
                self.assertNotEqual(status, 0)
                self.assertRegex(output, rf"cudaspline needs compilers .* for {language}\. Install the package g\+\+ \(Debian, Ubuntu: apt-get install g\+\+\)")


class Architectures(Configured):
    """Which GPUs are compiled for. Each call of cmake tries the CUDA compiler, which takes 8 s."""

    @unittest.skipUnless(NVCC, "the build has no CUDA compiler")
    def test_all_generations(self):
        expected = r"^with CUDA [\d.]+ for GPUs of architecture (\d+, )+\d+ and newer \(all generations"
        self.assertRegex(self.choice("-DCUDASPLINE_ALL_ARCHITECTURES=ON", gpus="9.0"), expected)
        self.assertRegex(self.choice(gpus="99.0"), expected)  # one that the toolkit does not know

    @unittest.skipUnless(NVCC, "the build has no CUDA compiler")
    def test_architectures_that_the_user_names(self):
        self.assertRegex(self.choice("-DCMAKE_CUDA_ARCHITECTURES=90"), r"^with CUDA [\d.]+ for GPUs of architecture 90$")


class Progress(unittest.TestCase):
    """What python/packaging/cudaspline_build.py shows."""

    def run_backend(self, text, terminal):
        """What is printed, and what is on the controlling terminal, where there is to be one."""
        with tempfile.TemporaryDirectory() as folder:
            printed = Path(folder) / "printed"
            program = STAND_IN + textwrap.dedent(text)
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # as pip's users have it
            if not terminal:
                with open(printed, "wb") as stream:
                    streams = {"stdout": stream, "stderr": subprocess.STDOUT}
                    subprocess.run([sys.executable, "-B", "-c", program], **streams, env=environment, start_new_session=True, check=True)
                return printed.read_text(), ""
            child, shown = pty.fork()
            if child == 0:
                stream = os.open(printed, os.O_WRONLY | os.O_CREAT)
                os.dup2(stream, 1)
                os.dup2(stream, 2)
                os.execve(sys.executable, [sys.executable, "-B", "-c", program], environment)
            seen = b""
            while True:
                try:
                    part = os.read(shown, 4096)
                except OSError:  # the child has ended
                    break
                if not part:
                    break
                seen += part
            os.close(shown)
            _, status = os.waitpid(child, 0)
            self.assertEqual(status, 0, printed.read_text())
            return printed.read_text(), seen.decode()

    def test_a_build_is_seen_on_the_terminal(self):
        printed, shown = self.run_backend("assert cudaspline_build.build_wheel('x') == 'cudaspline.whl'", terminal=True)
        lines = printed.splitlines()
        self.assertEqual(lines[:2], ["configuring", "-- cudaspline: with CUDA 13.0 for GPUs of architecture 90"])
        self.assertIn("[1/2] Building CUDA object a/b.dir/kernels/MetricCuda.cu.o", lines)
        self.assertRegex(lines[-1], r"^cudaspline: with CUDA 13.0 for GPUs of architecture 90; built in \d+ s$")
        seen = [line.strip() for line in shown.splitlines() if line.strip()]
        self.assertEqual(seen, ["cudaspline: with CUDA 13.0 for GPUs of architecture 90", "[1/2] MetricCuda.cu", lines[-1]])

    def test_without_a_terminal(self):
        printed, _ = self.run_backend("cudaspline_build.build_editable('x')", terminal=False)
        self.assertRegex(printed.splitlines()[-1], "^cudaspline: with CUDA 13.0 .* built in")

    def test_a_build_that_fails(self):
        text = """
            def fail(*arguments):
                print("-- cudaspline: a choice", flush=True)
                raise SystemExit(3)
            cudaspline_build.backend.build_wheel = fail
            try:
                cudaspline_build.build_wheel("x")
            except SystemExit as error:
                print("failed", error.code)
        """
        printed, _ = self.run_backend(text, terminal=False)
        self.assertEqual(printed.splitlines(), ["-- cudaspline: a choice", "failed 3"])

    def test_steps_are_shown_once_a_second(self):
        space = {}
        exec(compile(STAND_IN, "stand-in", "exec"), space)  # noqa: S102
        self.addCleanup(sys.path.remove, str(BACKEND))
        now = iter([0.0, 0.9, 1.0, 1.5, 2.5])
        terminal = io.StringIO()
        progress = space["cudaspline_build"].Progress(terminal, clock=lambda: next(now))
        for line in ("[1/9] Building CXX object a.cxx.o", "[2/9] x b.cxx.o", "[ 33%] Building c.cxx.o", "warning: [4/9]", "[5/9] Linking CXX shared library lib/libA.so"):
            progress.take(line)
        self.assertEqual(terminal.getvalue(), "\r  [1/9] a.cxx\n\r  [ 33%] c.cxx\n\r  [5/9] libA.so\n")


class BuildTimes(unittest.TestCase):
    """scripts/test.d/build-times."""

    def test_a_file_that_takes_too_long(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.cu.o", "b.cu.o"):
                (Path(folder) / name).touch()
            (Path(folder) / ".ninja_log").write_text("# ninja log v5\n0\t119000\t0\ta.cu.o\t1\n0\t121000\t0\tb.cu.o\t2\n")
            command = [sys.executable, "-B", str(ROOT / "scripts" / "test.d" / "build-times"), folder]
            for options, status, message in (([], 0, ""), (["--limit", "120"], 1, "build-times: longer than 120 s: b.cu.o"), (["--limit", "121"], 0, "")):
                done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr.strip()), (status, message))


if __name__ == "__main__":
    if CLASSES[:1] == ["--without"]:
        del globals()[CLASSES[1]]
        CLASSES = []
    unittest.main(argv=[sys.argv[0], *CLASSES])
