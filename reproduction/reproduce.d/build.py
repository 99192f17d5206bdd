"""A build folder, and programs that are built in it."""

import os
import pathlib
import subprocess

FOLDERS = ("build/test", "build/default", "build/cuda", "build")


def is_on(folder, option):
    """Whether an option of CMake's is ON in a build folder."""
    cache = pathlib.Path(folder) / "CMakeCache.txt"
    return cache.is_file() and f"\n{option}:BOOL=ON\n" in cache.read_text()


def find(root, name, needed, options):
    """The first build folder with all that is needed; else one of that name, configured with options.

    needed: options of CMake's that have to be ON. Raises subprocess.CalledProcessError where CMake fails."""
    for folder in (f"build/{name}", *FOLDERS):
        if all(is_on(root / folder, option) for option in needed):
            return root / folder
    folder = root / "build" / name
    command = ["cmake", "-S", root, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def build(folder, targets):
    """Builds targets in a folder."""
    subprocess.run(["cmake", "--build", folder, "--target", *targets, "--parallel", str(os.cpu_count())], check=True)
