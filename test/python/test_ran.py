"""Tests that passed elsewhere are left out; failed, unknown and those of the package are not."""

from types import SimpleNamespace

import ran


def report(name, when="call", passed=True):
    return SimpleNamespace(nodeid=name, when=when, passed=passed)


def item(name, mark=None):
    return SimpleNamespace(
        nodeid=f"test_a.py::{name}", get_closest_marker=lambda name: mark if name == mark else None
    )


def test_tests_that_passed_are_left_out(tmp_path):
    record = ran.Record()
    for one in (
        report("test/python/test_a.py::Test::passed[x::1]"),
        report("test/python/test_a.py::of_the_package"),
        report("test/python/test_a.py::skipped", when="setup"),
        report("test/python/test_a.py::failed", passed=False),
    ):
        record.pytest_runtest_logreport(one)
    record.write(tmp_path / "ran", "test_a.py")
    names = ("Test::passed[x::1]", "skipped", "failed", "unknown")
    items = [*map(item, names), item("of_the_package", "package")]
    out = []
    hook = SimpleNamespace(pytest_deselected=lambda items: out.extend(items))
    ran.deselect(SimpleNamespace(hook=hook), items, tmp_path / "ran")
    assert [one.nodeid for one in out] == ["test_a.py::Test::passed[x::1]"]
    assert [one.nodeid for one in items] == [
        f"test_a.py::{name}" for name in (*names[1:], "of_the_package")
    ]
