"""Which tests passed in another run of them, and how long they took: run.py writes it, and
pytest --ran FOLDER leaves out those that took long."""

import json
from pathlib import Path

#: Seconds. Most tests take less: they run in each environment.
LONG = 0.5


def name_of(nodeid):
    """The name of a test, which does not depend on the folder that pytest is started in."""
    path, *rest = nodeid.split("::")
    return "::".join([Path(path).name, *rest])


class Record:
    """Seconds of the tests that passed."""

    def __init__(self):
        self.seconds = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.seconds[name_of(report.nodeid)] = report.duration

    def write(self, folder, name):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.json").write_text(json.dumps(self.seconds), encoding="utf-8")


def long_tests(folder):
    """The names of the tests that passed there and took long."""
    seconds = {}
    for file in Path(folder).glob("*.json"):
        seconds.update(json.loads(file.read_text(encoding="utf-8")))
    return {name for name, time in seconds.items() if time > LONG}


def deselect(config, items, folder):
    """Leaves out the long tests that passed there."""
    repeated = long_tests(folder)
    out = [item for item in items if name_of(item.nodeid) in repeated]
    items[:] = [item for item in items if name_of(item.nodeid) not in repeated]
    config.hook.pytest_deselected(items=out)
