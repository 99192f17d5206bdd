#!/usr/bin/env python3
"""Commits that the documentation and its results name are commits of this repository: what was measured can be built again.

usage: check_commits.py --root FOLDER

A commit is a word of 7 to 12 hexadecimal digits, with a figure and a letter, in a page (*.md) of the root and of doc/, or in the context of a result
(doc/reproduction/*.json). Ends with 77 where the folder has no history, or not all of it.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

COMMIT = re.compile(r"(?<![\w.-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}(?!\w|\.\w)")
SKIPPED = 77


def git(root, *arguments):
    try:
        return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    except OSError:
        return subprocess.CompletedProcess(arguments, 127, "", "there is no git")


def why_not(root):
    """Why no commit can be looked up; None where they can."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top.returncode != 0 or pathlib.Path(top.stdout.strip()).resolve() != pathlib.Path(root).resolve():
        return f"{root} is no git repository"
    if git(root, "rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return f"{root} has not all of its history"
    return None


def named(root):
    """(file, line, commit) of all that are named."""
    root = pathlib.Path(root)
    for path in sorted([*root.glob("*.md"), *root.glob("doc/**/*.md")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for commit in COMMIT.findall(line):
                yield path.relative_to(root), number, commit
    for path in sorted(root.glob("doc/reproduction/*.json")):
        for text in json.loads(path.read_text(encoding="utf-8"))["context"].values():
            for commit in COMMIT.findall(text):
                yield path.relative_to(root), 1, commit


def check(root):
    """A line for each commit that does not exist."""
    known = {}
    wrong = []
    for path, number, commit in named(root):
        if commit not in known:
            # In this history: a commit that was amended away is still to be had where it was made, and nowhere else.
            known[commit] = git(root, "merge-base", "--is-ancestor", commit, "HEAD").returncode == 0
        if not known[commit]:
            wrong.append(f"{path}:{number}: there is no commit {commit}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True)
    arguments = parser.parse_args()
    reason = why_not(arguments.root)
    if reason:
        print(f"Skipped: {reason}.")
        return SKIPPED
    wrong = check(arguments.root)
    print("\n".join(wrong) or f"{len({commit for _, _, commit in named(arguments.root)})} commits are named, and exist.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
