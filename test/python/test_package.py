"""The package as it is installed: its files, its version, and libraries that it can do without."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import cudaspline

pytestmark = pytest.mark.package

FOLDER = Path(cudaspline.__file__).parent
#: Modules that need a library, and the first one that they import.
NEEDED = {
    "ants": "ants",
    "dask": "dask",
    "jax": "jax",
    "torch": "torch",
    "zarr": "zarr",
}


def is_installed():
    return (FOLDER / "libCudaSplineC.so").exists()


@pytest.mark.skipif(not is_installed(), reason="the package is not installed")
def test_files_and_version():
    found = importlib.metadata.distribution("cudaspline")
    assert found.version == cudaspline.__version__
    names = {Path(str(path)).name for path in found.files}
    assert {"LICENSE", "METADATA", "py.typed", "libCudaSplineC.so"} <= names
    for path in found.files:
        assert path.locate().exists(), path


@pytest.mark.parametrize("name, library", NEEDED.items())
def test_a_missing_library_is_named(name, library):
    """In a process in which that library cannot be imported; the package itself needs none."""
    program = f"import sys; sys.modules[{library!r}] = None; import cudaspline, cudaspline.ndimage; import cudaspline.{name}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith(f"ImportError: cudaspline.{name}"), done.stderr
    assert "pip install" in last
