"""Which tests passed in another run with the same library: run.py writes it, and pytest --ran
FOLDER leaves them out, except tests of the installed package (mark "package")."""

import json
from pathlib import Path


def name_of(nodeid):
    """The name of a test, which does not depend on the folder that pytest is started in."""
    path, *rest = nodeid.split("::")
    return "::".join([Path(path).name, *rest])


class Record:
    """Names of the tests that passed."""

    def __init__(self):
        self.passed = []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed.append(name_of(report.nodeid))

    def write(self, folder, name):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.json").write_text(json.dumps(self.passed), encoding="utf-8")


def deselect(config, items, folder):
    """Leaves out the tests that passed there, except those with the mark "package"."""
    passed = {
        name
        for file in Path(folder).glob("*.json")
        for name in json.loads(file.read_text(encoding="utf-8"))
    }
    repeated = [
        name_of(item.nodeid) in passed and item.get_closest_marker("package") is None
        for item in items
    ]
    config.hook.pytest_deselected(items=[item for item, out in zip(items, repeated) if out])
    items[:] = [item for item, out in zip(items, repeated) if not out]
