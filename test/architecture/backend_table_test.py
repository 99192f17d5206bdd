#!/usr/bin/env python3
"""The documentation prints the backend table as it is committed: every row of doc/BackendTable.csv is in doc/architecture/Backends.md, in its order."""

import argparse
import csv
import pathlib
import sys

PROMISES = {"kernels", "superclass"}


def rows_of_csv(text):
    return list(csv.reader(text.splitlines()))


def rows_of_markdown(text, heading):
    """The rows of the table whose first row is heading."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells == heading:
            rows = [cells]
        elif rows and cells is None:
            break
        elif rows and not set("".join(cells)) <= {"-", ":"}:
            rows.append(cells)
    return rows


def printed(cell):
    return cell.replace("|", ", ").replace("*", "any")


def problems(csv_text, markdown_text):
    table = rows_of_csv(csv_text)
    wanted = [[printed(cell) for cell in row] for row in table]
    found = []
    if rows_of_markdown(markdown_text, table[0]) != wanted:
        found.append("doc/architecture/Backends.md does not print the rows of doc/BackendTable.csv")
    for number, row in enumerate(table[1:], start=2):
        if len(row) != len(table[0]) or row[-1] not in PROMISES:
            found.append(f"doc/BackendTable.csv:{number}: the promise is one of {sorted(PROMISES)}")
    return found


def self_test(csv_text, markdown_text):
    """The check can fail: a row that is missing, changed or ill promised is found."""
    lines = csv_text.splitlines()
    broken = [
        ("\n".join(lines[:-1]), markdown_text),
        (csv_text.replace("linear", "bspline"), markdown_text),
        (csv_text.replace("kernels", "magic"), markdown_text),
        (csv_text, markdown_text.replace("| superclass |", "| kernels |", 1)),
        (csv_text, ""),
    ]
    return [f"fixture {i} was not noticed" for i, (table, text) in enumerate(broken) if not problems(table, text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    root = parser.parse_args().root
    csv_text = (root / "doc/BackendTable.csv").read_text()
    markdown_text = (root / "doc/architecture/Backends.md").read_text()
    found = problems(csv_text, markdown_text) + self_test(csv_text, markdown_text)
    print("\n".join(found) if found else "the backend table is printed as it is")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
