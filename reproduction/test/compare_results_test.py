"""reproduction/compare-results: what changed, what did not, and files without results."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import reproduction
from reproduction import ROOT

SCRIPT = ROOT / "reproduction" / "compare-results"


def a_time(middle, spread=0.1):
    return {"ms": middle, "q1": middle - spread / 2, "q3": middle + spread / 2, "n": 7}


REPORT = {
    "program": "CudaSplineReproduction", "format": 1, "context": {},
    "experiments": {
        "times": [{"cell": {"size": 64}, "values": {"time": a_time(10.0)}}, {"cell": {"size": 128}, "values": {"time": a_time(80.0)}}],
        "errors": [{"cell": {"way": "cubic"}, "values": {"rms": 0.25, "bound": None, "ramp": [0.0, 0.5, 1.0]}}],
    },
}  # fmt: skip


class CompareResults(unittest.TestCase):
    def compare(self, old, new, *options):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("old.json", "new.json")]
            for path, content in zip(paths, (old, new)):
                path.write_text(content if isinstance(content, str) else json.dumps(content))
            return subprocess.run([sys.executable, "-B", SCRIPT, *options, *paths], capture_output=True, text=True)

    def lines(self, old, new, *options):
        done = self.compare(old, new, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def changed(self, change):
        report = copy.deepcopy(REPORT)
        change(report["experiments"])
        return report

    def test_the_same_run_does_not_move(self):
        self.assertEqual(self.lines(REPORT, REPORT), ["0 of 5 values moved"])

    def test_a_time_moves_by_more_than_the_spread(self):
        within = self.changed(lambda e: e["times"][0]["values"].update(time=a_time(10.19)))
        self.assertEqual(len(self.lines(REPORT, within)), 1)
        beyond = self.changed(lambda e: e["times"][0]["values"].update(time=a_time(10.5)))
        found = self.lines(REPORT, beyond)
        self.assertEqual(len(found), 2)
        self.assertIn("times: size 64: time: 10 -> 10.5 ms (+5 %", found[0])
        self.assertEqual(len(self.lines(REPORT, beyond, "--factor", "3")), 1)

    def test_a_speed_beside_a_time_is_left_to_the_time(self):
        old = self.changed(lambda e: e["times"][0]["values"].update(gigavoxels_a_second=1.0))
        new = self.changed(lambda e: e["times"][0]["values"].update(gigavoxels_a_second=2.0))
        self.assertEqual(self.lines(old, new), ["0 of 5 values moved"])

    def test_a_hundredth_is_no_move(self):
        steady = self.changed(lambda e: e["times"][1]["values"].update(time=a_time(80.5, 0.001)))
        old = self.changed(lambda e: e["times"][1]["values"].update(time=a_time(80.0, 0.001)))
        self.assertEqual(len(self.lines(old, steady)), 1)

    def test_numbers_and_lists_move_in_their_sixth_digit(self):
        self.assertEqual(len(self.lines(REPORT, self.changed(lambda e: e["errors"][0]["values"].update(rms=0.2500001)))), 1)
        self.assertIn("rms: 0.25 -> 0.2501", self.lines(REPORT, self.changed(lambda e: e["errors"][0]["values"].update(rms=0.2501)))[0])
        self.assertEqual(len(self.lines(REPORT, self.changed(lambda e: e["errors"][0]["values"].update(rms=0.2501)), "--digits", "3")), 1)
        moved = self.lines(REPORT, self.changed(lambda e: e["errors"][0]["values"].update(ramp=[0.0, 0.6, 1.0])))
        self.assertIn("1 of 3 numbers, the first at 1", moved[0])
        self.assertIn("None -> 1", self.lines(REPORT, self.changed(lambda e: e["errors"][0]["values"].update(bound=1)))[0])

    def test_cells_of_one_run_alone_are_named(self):
        fewer = self.changed(lambda e: e["times"].pop())
        self.assertEqual(self.lines(REPORT, fewer)[0], "gone: times: size 128: time")
        self.assertEqual(self.lines(fewer, REPORT)[0], "new: times: size 128: time")

    def test_benchmark_programs_are_read_too(self):
        def output(*times):
            return {"benchmarks": [
                {"run_name": "Prefilter", "run_type": "iteration", "real_time": time, "time_unit": "us"} for time in times
            ] + [{"run_name": "Prefilter", "run_type": "aggregate", "real_time": 1.0, "time_unit": "us"}]}  # fmt: skip

        self.assertEqual(self.lines(output(100, 101, 102), output(100, 101, 103)), ["0 of 1 values moved"])
        self.assertIn("Prefilter: time: 0.101 -> 0.201 ms (+99 %", self.lines(output(100, 101, 102), output(200, 201, 202))[0])

    def test_other_files_are_refused(self):
        for content in ("", "[]", "{}", '{"format": 2, "experiments": {}}'):
            done = self.compare(REPORT, content)
            self.assertEqual((done.returncode, done.stdout), (2, ""), content)
            self.assertIn("new.json", done.stderr)


if __name__ == "__main__":
    reproduction.main()
