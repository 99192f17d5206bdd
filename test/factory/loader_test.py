#!/usr/bin/env python3
"""Folders for ITK_AUTOLOAD_PATH and programs whose ITK is another: these run as without the variable, and the trace says why.

usage: loader_test.py TEST --folders DIR DIR --libraries FILE FILE --plain FILE --static FILE --shared FILE --both FILE --other DIR
                      --preload FILE --work DIR

  dependencies the libraries in the folders need the C library alone
  static       a program that another ITK is linked into
  shared       one that is linked to a shared ITK of another version
  both         one that holds an ITK of its own and the shared one, which gets its factory, in every order
  interposed   one with symbols of an ITK that replace those of the shared one
  folders      folders of other versions, empty ones, missing ones, links; the right one among them is used
  damaged      libraries that are missing, cut off, or no libraries: ITK's own classes are used
  driver       CUDA is missing: no library of it is needed; with an invalid driver the host computes, and the trace has the reason
  simpleitk    SimpleITK, which has its ITK linked into it; it is installed below DIR, and the test is skipped if that fails
  itk          the package itk, which has, too, and does not look at the variable from 5.3 on; skipped where it is not installed (1.3 GB)

For the last two CUDASPLINE_PACKAGES_PYTHON names a Python that has the package. The exit status is 1 where something is wrong, and 77 where
the test is skipped.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

from factory_test import SKIPPED, Wrong, expect, run, trace

REFUSED = re.compile(r"CudaSpline: libCudaSpline(Metric)?Factories\.so\.\S+ is not loaded, because (.*)\.")

SIMPLEITK = """
import SimpleITK
image = SimpleITK.GaussianSource(SimpleITK.sitkFloat32, [9, 8, 7], [2, 2, 2], [4, 4, 3])
fine = SimpleITK.Resample(image, [17, 15, 13], SimpleITK.Transform(3, SimpleITK.sitkIdentity), SimpleITK.sitkBSpline, [0, 0, 0], [0.5] * 3)
print(SimpleITK.Hash(fine))
"""
ITK = """
import itk
image = itk.Image[itk.F, 3].New()
print(itk.Version.GetITKVersion(), itk.ResampleImageFilter.New(image).GetNameOfClass())
"""


def refusals(errors, count, words):
    """There are so many lines, each a reason in these words."""
    lines = errors.splitlines()
    expect(len(lines) == count, f"{count} lines were expected:\n{errors}")
    for line in lines:
        match = REFUSED.fullmatch(line)
        expect(match and re.search(words, match.group(2)), f"not a reason in the words {words}: {line}")


def unchanged(arguments, paths, words, looks=True):
    """The program prints what it prints without the variable; with the trace there is a reason a folder, and nothing without it.

    looks: whether its ITK is known to look into the folders
    """
    expected, errors = run(arguments)
    expect(not errors, f"without a folder there is a message: {errors}")
    for path in paths:
        output, errors = run(arguments, path)
        expect(output == expected, f"{expected} became {output}")
        if looks or errors:
            refusals(errors, len(path.split(":")), words)
        output, errors = run(arguments, path, CUDASPLINE_TRACE="0")
        expect((output, errors) == (expected, ""), f"{expected} became {output}{errors}")
    return expected


def every(options):
    """Each folder, and all at once."""
    return [*options.folders, ":".join(options.folders)]


def dependencies(options):
    if not shutil.which("readelf"):
        print("Skipped: there is no readelf.")
        return SKIPPED
    for folder in options.folders:
        names = os.listdir(folder)
        expect(len(names) == 1 and names[0].endswith(".so"), f"ITK loads every library of a folder, and in {folder} are {names}")
        output, _ = run(["readelf", "-dW", os.path.join(folder, names[0])])
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output)
        expect(needed, output)
        for name in needed:
            expect(re.match(r"(libc|libdl|ld-linux[-\w]*)\.so\.\d+$", name), f"{names[0]} brings {name}")
        expect("(SONAME)" not in output, f"{names[0]} has a name that a dependency may be bound to")
    return 0


def static(options):
    expect(unchanged([options.static], every(options), "not loaded in this process") == "taken 0\n", "without a folder something is taken")


def shared(options):
    expect(unchanged([options.shared], every(options), "not loaded in this process") == "taken 0\n", "without a folder something is taken")


def both(options):
    unchanged([options.both, "foreign"], every(options), "it was requested by the ITK of the program itself, but was built for .*libITKCommon")
    # The shared ITK has its factory all the same, and takes nothing of the other's.
    for order in ("foreign-first", "shared-first", "nested"):
        expected, _ = run([options.both, order])
        expect(sorted(expected.split()) == ["0", "ResampleImageFilter", "taken"], f"without a folder: {expected}")
        output, errors = run([options.both, order], options.folders[0])
        expect(output == expected.replace("ResampleImageFilter", "CudaResampleImageFilter"), f"{order}: {output}")
        refusals(errors, 1, "it was requested by the ITK of the program itself")


def interposed(options):
    path = os.path.join(options.work, "interposed.bin")
    output, errors = run([options.plain, "one", "9", path], options.folders[0], LD_PRELOAD=options.preload)
    expect("CudaResampleImageFilter" not in output and len(output.splitlines()) == 3, f"overridden all the same:\n{output}")
    refusals(errors, 1, re.escape(os.path.basename(options.preload)) + " exports symbols of ITK")


def resample(options, folder):
    """The classes that resample in ITK's program with such a folder, and what it says, the lines of operations aside."""
    output, errors = run([options.plain, "one", "9", os.path.join(options.work, "resampled.bin")], folder)
    expect(len(output.splitlines()) == 3, f"the program did not do its work:\n{output}")
    lines = [line for line in errors.splitlines(True) if not line.startswith("CudaSpline | ")]
    return {line.split()[0] for line in output.splitlines()}, "".join(lines)


def folders(options):
    ours = options.folders[0]
    empty, linked = (os.path.join(options.work, name) for name in ("empty", "linked"))
    shutil.rmtree(linked, ignore_errors=True)
    for folder in (empty, linked):
        os.makedirs(folder, exist_ok=True)
    for name in os.listdir(ours):
        os.symlink(os.path.join(ours, name), os.path.join(linked, name))
    absent = os.path.join(options.work, "absent")
    itks, cuda = {"ResampleImageFilter"}, {"CudaResampleImageFilter"}
    for path, classes, count in (
        (options.other, itks, 1),
        (f"{options.other}:{ours}", cuda, 1),
        (f"{ours}:{options.other}", cuda, 1),
        (f"{empty}:{absent}::{ours}", cuda, 0),
        (os.path.relpath(ours), cuda, 0),
        (linked, cuda, 0),
        (os.path.dirname(ours), itks, 0),  # the libraries that programs link
    ):
        found, errors = resample(options, path)
        expect(found == classes, f"{path}: {found}\n{errors}")
        refusals(errors, count, r"libITKCommon-9\.9\.so\.1, which is not loaded in this process")


def damaged(options):
    """Damaged installations: the loader's folder and the libraries, one of which is changed."""
    place = os.path.join(options.work, "lib")
    shutil.rmtree(place, ignore_errors=True)
    folder = shutil.copytree(options.folders[0], os.path.join(place, os.path.basename(options.folders[0])))
    links = {}
    for library in options.libraries:
        # By the name that programs know it by.
        output, _ = run(["readelf", "-dW", library])
        links[library] = os.path.join(place, re.search(r"\(SONAME\).*\[(.*)\]", output).group(1))
        shutil.copy(library, links[library])
    found, errors = resample(options, folder)
    expect(found == {"CudaResampleImageFilter"} and not errors, f"the copies are not used: {found}\n{errors}")
    for library, copy in links.items():
        with open(library, "rb") as file:
            content = file.read()
        size = len(content)
        missing = "cannot be used: its end is missing"
        cases = [(content[:length], missing) for length in (200, size // 4, size // 2, size - 4096, size - 1)]
        cases += [(content[: size // 2] + bytes(size - size // 2), missing)]
        cases += [(data, "cannot be used: it is not a library") for data in (b"", b"\x7fEL", b"INPUT(libc.so.6)\n" * 99)]
        if library == options.libraries[0]:
            with open(options.preload, "rb") as file:
                cases += [(file.read(), "belongs to another version")]
            cases += [(content[:16] + bytes([255, 255]) + content[18:], "it cannot be loaded: "), (None, "cannot be used: No such file")]
        for data, words in cases:
            os.remove(copy)
            if data is not None:
                with open(copy, "wb") as file:
                    file.write(data)
            found, errors = resample(options, folder)
            expect(found == {"ResampleImageFilter"}, f"{words}: {found}")
            refusals(errors, 1, words)
            if data is None:
                open(copy, "wb").close()
        shutil.copy(library, copy)


def driver(options):
    """No library, and a library that is not a driver: the replacement for CUDA's driver is found before that of the machine."""
    for library in options.libraries:
        output, _ = run(["readelf", "-dW", library])
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output)
        expect(needed and not any("cuda" in name.lower().replace("cudaspline", "") for name in needed), f"{library} needs {needed}")
    path = os.path.join(options.work, "driver.bin")
    place = os.path.join(options.work, "driver")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    with open(options.preload, "rb") as file:
        library = file.read()
    expected, _ = run([options.plain, "one", "9", path])
    for content in (b"", b"INPUT(libc.so.6)\n" * 99, library):
        with open(os.path.join(place, "libcuda.so.1"), "wb") as file:
            file.write(content)
        more = {"LD_LIBRARY_PATH": os.pathsep.join([place, *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)]).rstrip(os.pathsep)}
        for device in ("gpu", "auto"):
            output, errors = run([options.plain, "one", "9", path], options.folders[0], CUDASPLINE_DEVICE=device, **more)
            expect(output == re.sub("^Resample", "CudaResample", expected, flags=re.MULTILINE), f"{device}, {len(content)} bytes: {output}")
            lines = [line for line in trace(errors) if line[1] == "CudaResampleImageFilter"]
            expect(len(lines) == 3, f"{len(lines)} lines of the trace:\n{errors}")
            for line in lines:
                expect(line[4] == "Cpu", f"not by the host: {line}")
                said = re.search("no usable GPU|without the CUDA Toolkit", line[6])
                expect(said or device == "auto", f"no reason why there is no GPU: {line}")  # which is not asked for so little
            others = [line for line in errors.splitlines() if not line.startswith("CudaSpline | ")]
            expect(not others, f"more than the trace: {others}")


def python_with(module):
    """A Python that has the module, or None."""
    for python in (os.environ.get("CUDASPLINE_PACKAGES_PYTHON"), sys.executable):
        if python and subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def simpleitk(options):
    python = python_with("SimpleITK")
    if python is None:
        folder = os.path.join(options.work, "packages")
        python = os.path.join(folder, "bin", "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--only-binary", ":all:", "--timeout", "15"]
        for command in ([sys.executable, "-m", "venv", folder], [*pip, "SimpleITK"]):
            try:
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
                code, output = done.returncode, done.stdout
            except (OSError, subprocess.TimeoutExpired) as error:
                code, output = 1, str(error)
            if code != 0:
                print(f"Skipped: SimpleITK cannot be installed ({([''] + output.strip().splitlines())[-1]}).")
                return SKIPPED
    expected = unchanged([python, "-c", SIMPLEITK], every(options), "not loaded in this process")
    expect(re.fullmatch(r"[0-9a-f]{40}\n", expected), f"SimpleITK computed nothing: {expected}")
    return 0


def itk(options):
    python = python_with("itk")
    if python is None:
        print("Skipped: the package itk is not installed; CUDASPLINE_PACKAGES_PYTHON names a Python that has it.")
        return SKIPPED
    expected = unchanged([python, "-c", ITK], [":".join(options.folders)], "not loaded in this process", looks=False)
    expect(expected.endswith(" ResampleImageFilter\n"), f"itk made nothing: {expected}")
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    tests = {test.__name__: test for test in (dependencies, static, shared, both, interposed, folders, damaged, driver, simpleitk, itk)}
    parser.add_argument("test", choices=sorted(tests))
    parser.add_argument("--folders", nargs="+", required=True)
    parser.add_argument("--libraries", nargs="+", required=True)
    for name in ("plain", "static", "shared", "both", "other", "preload", "work"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    try:
        return tests[options.test](options) or 0
    except Wrong as wrong:
        print(f"{options.test}: {wrong}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
