"""Reads what CudaSplineReproduction found, and the pictures that it wrote."""

import json
import os

import numpy


class Results:
    """The rows of one or more files; where two have a row of the same cell, the last one holds."""

    def __init__(self, paths):
        self.contexts = []
        self.experiments = {}
        self.origin = {}  # experiment -> context of the file that it is from
        for path in paths:
            with open(path, encoding="utf-8") as stream:
                content = json.load(stream)
            if content.get("format") != 1:
                raise ValueError(f"{path} is not the JSON of CudaSplineReproduction")
            self.contexts.append(content["context"])
            for name, rows in content["experiments"].items():
                self.experiments[name] = rows
                self.origin[name] = content["context"]

    def has(self, *names):
        return all(name in self.experiments for name in names)

    def rows(self, experiment, **cell):
        """The rows that have all of the cell."""
        return [row for row in self.experiments.get(experiment, []) if all(row["cell"].get(a) == v for a, v in cell.items())]

    def values(self, experiment, **cell):
        """The values of the first such row; None where there is none."""
        rows = self.rows(experiment, **cell)
        return rows[0]["values"] if rows else None

    def ms(self, experiment, name="time", **cell):
        """The median of a time; None where there is none."""
        values = self.values(experiment, **cell)
        return values[name]["ms"] if values and name in values else None

    def axis(self, experiment, name, **cell):
        """The different entries of an axis, in order of appearance."""
        return list(dict.fromkeys(row["cell"][name] for row in self.rows(experiment, **cell) if name in row["cell"]))

    def same_machine(self, *experiments):
        """True where all of them were run with one device, or all without one on as many threads, as far as the contexts tell."""
        contexts = [self.origin.get(name, {}) for name in experiments]
        return self.has(*experiments) and len({context.get("device", context.get("threads")) for context in contexts}) == 1

    def same_run(self, *experiments):
        """True where all of them are of one commit and device: counts of one and times of another program do not belong together."""
        contexts = [self.origin.get(name, {}) for name in experiments]
        return self.has(*experiments) and len({(context.get("commit"), context.get("device")) for context in contexts}) == 1

    def counted_ms(self, row):
        """The time of a row of the roofline, without the profiler, which slows the clock down, where the run that counted has one."""
        values, cell = row["values"], row["cell"]
        if "time" in values:
            return values["time"]["ms"]
        found = self.ms("scaling", size=cell["size"], stage=cell["stage"], way=cell["way"]) if self.same_run("roofline", "scaling") else None
        return found or values["profiled_ms"]

    def where(self, experiment):
        """Who computed an experiment, in words."""
        context = self.origin[experiment]
        return context["device"] if context["backend"] == "Cuda" else f"host, {context['threads']} threads"


def read_pfm(path):
    """A picture, the first row above."""
    with open(path, "rb") as stream:
        if stream.readline().strip() != b"Pf":
            raise ValueError(f"{path} is not a grey portable float map")
        width, height = map(int, stream.readline().split())
        kind = "<f4" if float(stream.readline()) < 0 else ">f4"
        values = numpy.frombuffer(stream.read(), kind, width * height)
    return values.reshape(height, width)[::-1].astype(float)


class Pictures:
    """The folder of --pictures."""

    def __init__(self, folder):
        self.folder = folder

    def where(self):
        """Whose pictures they are, in words."""
        path = os.path.join(self.folder or "", "run.json")
        if not self.folder or not os.path.isfile(path):
            return "run not recorded"
        with open(path, encoding="utf-8") as stream:
            context = json.load(stream)["context"]
        return f"{context.get('device', 'Cpu backend')}, {context['date'][:10]}, commit {context['commit']}"

    def __contains__(self, name):
        return bool(self.folder) and os.path.isfile(os.path.join(self.folder, name + ".pfm"))

    def __getitem__(self, name):
        return read_pfm(os.path.join(self.folder, name + ".pfm"))
