"""What the tests of the Python package share.

Data are fresh in every run; the seed is printed with a failure, and CUDASPLINE_TEST_SEED repeats
it. Tests with the mark "gpu" are skipped without a usable GPU, and fail instead where
CUDASPLINE_REQUIRE_GPU is 1.
"""

import os
import secrets
import sys
from pathlib import Path

import numpy
import pytest

# The package of the sources if it is not installed: CUDASPLINE_LIBRARY then names the library.
if "CUDASPLINE_LIBRARY" in os.environ:
    PACKAGE = str(Path(__file__).resolve().parents[2] / "python")
    sys.path.insert(0, PACKAGE)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [PACKAGE, *filter(None, [os.environ.get("PYTHONPATH")])]
    )  # of programs that tests start

# JAX takes most of a GPU's memory as it starts, and leaves none to others.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import cudaspline  # noqa: E402  pylint: disable=wrong-import-position
import ran  # noqa: E402  pylint: disable=wrong-import-position

SEED = int(os.environ.get("CUDASPLINE_TEST_SEED", secrets.randbits(32)))


def pytest_addoption(parser):
    text = "leave out tests that passed according to run.py --record FOLDER, except those with the mark package"
    parser.addoption("--ran", metavar="FOLDER", help=text)


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a GPU")
    config.addinivalue_line("markers", "long: takes seconds, and shorter tests call the same code")
    config.addinivalue_line("markers", "package: of the package as it is installed")


def pytest_report_header(config):
    return (
        f"cudaspline {cudaspline.__version__} of {Path(cudaspline.__file__).parent}, CUDA {cudaspline.cuda_version() or 'not built in'}, "
        f"{cudaspline.device_count()} devices, CUDASPLINE_TEST_SEED={SEED}"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--ran"):
        ran.deselect(config, items, config.getoption("--ran"))
    if cudaspline.device_count() > 0 or os.environ.get("CUDASPLINE_REQUIRE_GPU") == "1":
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="there is no usable GPU"))


@pytest.fixture
def rng(request):
    """Random numbers of this test and this run."""
    request.node.user_properties.append(("seed", SEED))
    return numpy.random.default_rng([SEED, sum(request.node.name.encode())])


@pytest.fixture(autouse=True)
def one_backend(request, monkeypatch):
    """Pins every test to one backend: each backend rounds in its own way, and calls that are
    compared bit for bit may otherwise run on different ones, depending on which is estimated to
    finish first. Tests with the mark "gpu", and all tests where a GPU is required, use the GPU,
    others the host. A test that names a device uses that device."""
    if "CUDASPLINE_DEVICE" not in os.environ:
        wants_gpu = request.node.get_closest_marker("gpu") or os.environ.get(
            "CUDASPLINE_REQUIRE_GPU"
        )
        monkeypatch.setenv("CUDASPLINE_DEVICE", "gpu" if wants_gpu else "cpu")


def pytest_runtest_makereport(item, call):
    if call.excinfo is not None:
        item.add_report_section("call", "seed", f"CUDASPLINE_TEST_SEED={SEED}")


def difference(found, wanted):
    """The largest difference of two arrays, in float64; infinite where shapes differ or a number is
    not finite."""
    found, wanted = (
        numpy.asarray(found, dtype=numpy.float64),
        numpy.asarray(wanted, dtype=numpy.float64),
    )
    if found.shape != wanted.shape:
        return numpy.inf
    largest = numpy.max(numpy.abs(found - wanted), initial=0.0)
    return largest if numpy.isfinite(largest) else numpy.inf
