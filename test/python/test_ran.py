"""Tests that passed elsewhere and took long are left out; failed, short and unknown ones are not."""

from types import SimpleNamespace

import ran


def report(name, duration, when="call", passed=True):
    return SimpleNamespace(nodeid=name, duration=duration, when=when, passed=passed)


def test_long_tests_that_passed_are_left_out(tmp_path):
    record = ran.Record()
    for one in (
        report("test/python/test_a.py::Test::long[x::1]", 2.0),
        report("test/python/test_a.py::short", 0.1),
        report("test/python/test_a.py::short", 9.0, when="setup"),
        report("test/python/test_a.py::failed", 2.0, passed=False),
    ):
        record.pytest_runtest_logreport(one)
    record.write(tmp_path / "ran", "test_a.py")
    names = ("Test::long[x::1]", "short", "failed", "unknown")
    items = [SimpleNamespace(nodeid=f"test_a.py::{name}") for name in names]
    out = []
    hook = SimpleNamespace(pytest_deselected=lambda items: out.extend(items))
    ran.deselect(SimpleNamespace(hook=hook), items, tmp_path / "ran")
    assert [item.nodeid for item in out] == ["test_a.py::Test::long[x::1]"]
    assert [item.nodeid for item in items] == [
        f"test_a.py::{name}" for name in ("short", "failed", "unknown")
    ]
