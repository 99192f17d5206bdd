"""scripts/matrix.d/run-suite, which runs tests of other packages: when a suite fails."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("scipy")
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "matrix.d" / "run-suite"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs the scripts of the repository")


@pytest.fixture(scope="module")
def script():
    loader = importlib.machinery.SourceFileLoader("run_suite", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_suite", loader))
    sys.path.insert(0, str(SCRIPT.parent))
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.path.remove(str(SCRIPT.parent))
        sys.dont_write_bytecode = writes
    return module


def test_reasons_of_failures(script):
    suite = script.Suite("package", [], 2, 10, {"test_x.py::test_known": "a reason"})
    good = {"test_x.py::test_known": "failed", "a/test_x.py::one": "passed", "::two": "passed"}
    for changes, calls, is_whole, word in (
        ({}, 10, True, None),
        ({"a/test_x.py::three": "failed"}, 10, True, "test_x.py::three failed"),
        ({"a/test_x.py::three": "failed"}, 10, False, "test_x.py::three failed"),
        ({"test_x.py::test_known": "passed"}, 10, True, "test_known is a known difference"),
        ({"test_x.py::test_known": "skipped"}, 10, True, "test_known is a known difference"),
        ({"test_x.py::test_known": "skipped"}, 10, False, None),
        ({"::two": "skipped"}, 10, True, "1 tests passed"),
        ({}, 9, True, "with 9 calls"),
    ):
        plugin = SimpleNamespace(outcomes={**good, **changes}, calls=calls)
        reasons = script.judge(suite, plugin, is_whole)
        assert len(reasons) == (word is not None) and all(word in reason for reason in reasons)


def test_functions_are_exchanged_and_counted(script, monkeypatch):
    original = script.scipy.ndimage.shift
    user, own = SimpleNamespace(move=original, other=len), SimpleNamespace(move=original)
    item = SimpleNamespace(callspec=SimpleNamespace(params={"function": original, "number": 3}))
    modules = {"user": user, "scipy.ndimage._x": own, "cudaspline.x": own, "missing": None}
    monkeypatch.setattr(script, "sys", SimpleNamespace(modules=modules))
    plugin = script.Plugin(script.SUITES["scipy"], "data")
    plugin.pytest_collection_finish(SimpleNamespace(items=[item, SimpleNamespace()]))
    assert own.move is original and user.other is len
    assert item.callspec.params == {"function": user.move, "number": 3}
    assert user.move([0.0, 1.0, 2.0], 1, order=1).tolist() == [0.0, 0.0, 1.0]
    assert user.move is not original and plugin.calls == 1
