"""Options have one name in the programs and on the pages: what pages write as an option is in the
program's --help."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "CudaSplineResample": os.environ.get("CUDASPLINE_RESAMPLE", ""),
    "CudaSplineRegister": os.environ.get("CUDASPLINE_REGISTER", ""),
}
PAGES = [
    path
    for path in (ROOT / "README.md", ROOT / "doc" / "Programs.md", ROOT / "doc" / "Jobs.md")
    if path.exists()
]
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z](?![\w.]))")

pytestmark = pytest.mark.skipif(
    not PAGES or not all(os.path.exists(program) for program in PROGRAMS.values()),
    reason="there are no pages, or no programs to compare with",
)


@pytest.fixture(scope="module")
def options():
    """The options of each program."""
    found = {}
    for name, program in PROGRAMS.items():
        done = subprocess.run(
            [program, "--help"], capture_output=True, text=True, check=True, timeout=60
        )
        found[name] = set(OPTION.findall(done.stdout.partition("\nExamples\n")[0]))
    assert "--output-type" in found["CudaSplineResample"] and "-o" in found["CudaSplineRegister"]
    return found


def codes_of(page):
    """What a page has as code: spans, and lines that are indented or fenced."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text))
    yield from (line.strip() for line in text.splitlines() if line.startswith("    "))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_of_pages_exist(page, options):
    either = set().union(*options.values())
    checked = 0
    for code in codes_of(page):
        first = code.split(" ", 1)[0]
        known = options.get(first) or (either if first.startswith("--") else None)
        if known is None:
            continue  # another program's
        for option in OPTION.findall(code):
            assert option in known, f"{page.name}: {code}"
            checked += 1
    assert checked > 0
