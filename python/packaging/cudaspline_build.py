"""The build backend of the package: scikit-build-core, whose progress is shown on the terminal.

pip captures what a backend prints and shows it only with -v, or where the build fails. A build takes minutes, so the steps of the compiler go to
the controlling terminal, too, where there is one: at most one line per second. The last line names the GPUs that were compiled for, which python/CMakeLists.txt
decides; it is the last line of the captured output, too.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from scikit_build_core import build as backend
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

#: A step of ninja or of make: "[12/96] Building CUDA object .../MetricCuda.cu.o", "[ 12%] Building ...".
STEP = re.compile(r"^(\[ *\d+(?:/\d+|%)\]) .*?([^/ ]+?)(?:\.o)?$")

#: What python/CMakeLists.txt prints: what is compiled for.
CHOICE = re.compile(r"^-- cudaspline: (.*)$")

SECONDS_BETWEEN_LINES = 1.0


class Progress:
    """Takes the lines of a build and writes those about its progress.

    terminal: where to write; None: nowhere.
    choice: the last line about what is compiled for; "" before.
    """

    def __init__(self, terminal: TextIO | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.choice = ""
        self._terminal = terminal
        self._clock = clock
        self._last = -SECONDS_BETWEEN_LINES

    def write(self, text: str) -> None:
        """Writes a line, over what a spinner left there."""
        if self._terminal is not None:
            try:
                self._terminal.write(f"\r{text}\n")
                self._terminal.flush()
            except OSError:  # the terminal was closed: the build continues
                self._terminal = None

    def take(self, line: str) -> None:
        """Takes a line of the build's output."""
        choice = CHOICE.match(line)
        step = STEP.match(line)
        now = self._clock()
        if choice is not None:
            self.choice = choice.group(1)
            self.write(f"  cudaspline: {self.choice}")
        elif step is not None and now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            self.write(f"  {step.group(1)} {step.group(2)}")


def open_terminal() -> TextIO | None:
    """The controlling terminal; None where there is none, or where the output goes to a terminal anyway."""
    if os.isatty(1):
        return None
    try:
        return open("/dev/tty", "w", encoding="utf-8", errors="replace")
    except OSError:
        return None


@contextmanager
def watched(progress: Progress) -> Iterator[None]:
    """Hands the lines that this process and its children print to a Progress; they are printed all the same."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # its lines come before those of the processes that it starts later
    printed = os.dup(1)

    def copy() -> None:
        with open(reading, "rb") as lines:
            for line in lines:
                os.write(printed, line)
                progress.take(line.decode(errors="replace").rstrip())

    os.dup2(writing, 1)
    os.close(writing)
    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(printed, 1)
        thread.join(timeout=10.0)  # a server that a compiler cache started keeps the pipe open


def built(build: Callable[..., str], *arguments: Any) -> str:
    """Calls a hook of scikit-build-core that compiles; the name of the wheel."""
    begin = time.monotonic()
    terminal = open_terminal()
    progress = Progress(terminal)
    try:
        with watched(progress):
            name = build(*arguments)
        if progress.choice:
            line = f"cudaspline: {progress.choice}; built in {time.monotonic() - begin:.0f} s"
            print(line, flush=True)
            progress.write(f"  {line}")
        return name
    finally:
        if terminal is not None:
            terminal.close()


def json_requirement() -> list[str]:
    """The package with the headers of nlohmann-json, where the system has none."""
    folders = [*os.environ.get("CPATH", "").split(os.pathsep), "/usr/include", "/usr/local/include", os.path.join(sys.prefix, "include")]
    is_installed = any(folder and os.path.exists(os.path.join(folder, "nlohmann", "json.hpp")) for folder in folders)
    return [] if is_installed else ["nlohmann-json>=3.11"]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What a build needs in addition."""
    return [*backend.get_requires_for_build_wheel(config_settings), *json_requirement()]


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What an editable build needs in addition."""
    return [*backend.get_requires_for_build_editable(config_settings), *json_requirement()]


def build_wheel(wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None) -> str:
    """See PEP 517."""
    return built(backend.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None) -> str:
    """See PEP 660."""
    return built(backend.build_editable, wheel_directory, config_settings, metadata_directory)
