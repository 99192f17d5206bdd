"""The examples of docstrings: every public function and class has one, and each gives what it
says."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import cudaspline
import cudaspline.ndimage

pytestmark = pytest.mark.package

#: Exceptions, and types of results, need no example.
WITHOUT = {
    "BatchError", "Cohort", "DeviceError", "DeviceMemoryError", "Done", "Failure", "Folding", "InverseResidual", "Report", "StoreError", "Summary",
}  # fmt: skip


#: Sub-packages whose modules are imported only if a library is installed.
NEEDED = {"cohort": "distributed", "dask": "distributed", "zarr": "ngff_zarr"}


def modules():
    """Names of the package's modules; those of Dask where it is installed, and not the library for
    C, which is in the same folder of a wheel."""
    for found in pkgutil.walk_packages(
        cudaspline.__path__, "cudaspline.", onerror=lambda name: None
    ):
        if found.name.rpartition(".")[2].startswith("lib"):
            continue
        needed = next((NEEDED[part] for part in found.name.split(".") if part in NEEDED), None)
        if needed is None or importlib.util.find_spec(needed):
            yield found.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_examples(name):
    if "cudaspline.dask" in name:
        pytest.importorskip("dask.array")
    if name == "cudaspline.ants":
        pytest.importorskip("ants")
    if name.startswith(("cudaspline.torch", "cudaspline.jax")):
        pytest.importorskip(name.split(".")[1], minversion="2.5" if "torch" in name else None)
    results = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert results.failed == 0


@pytest.mark.parametrize(
    "package",
    (
        "cudaspline",
        "cudaspline.cohort",
        "cudaspline.dask",
        "cudaspline.zarr",
        "cudaspline.ndimage",
        "cudaspline.torch",
        "cudaspline.jax",
    ),
)
def test_all_have_one(package):
    if package.rpartition(".")[2] in NEEDED:
        pytest.importorskip(NEEDED[package.rpartition(".")[2]])
    if package.endswith(("torch", "jax")):
        pytest.importorskip(package.split(".")[1], minversion="2.5" if "torch" in package else None)
    module = importlib.import_module(package)
    for name in module.__all__:
        found = getattr(module, name)
        if name not in WITHOUT and (inspect.isclass(found) or inspect.isfunction(found)):
            assert ">>> " in (found.__doc__ or ""), name
