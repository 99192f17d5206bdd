"""Metadata of the package that depend on the address of the repository: its addresses, and its readme with pictures and links.

CUDASPLINE_HOME_URL is that address, as https://host/owner/name. Without it the package has no addresses, and its readme has no pictures and no
links: relative ones lead nowhere outside of the repository. Called by scikit-build-core, as [[tool.dynamic-metadata]] in pyproject.toml says.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

__all__ = ["dynamic_metadata"]

#: The readme, from the repository's root: its links are relative to its folder.
README = "doc/Python.md"

#: [text](target) and ![text](target), except addresses with a scheme.
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:)([^)\s]+)\)")


def readme(text: str, home: str) -> str:
    """The text with links that work anywhere."""

    def replaced(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        path, _, part = target.partition("#")
        if not home:
            return "" if mark else words
        place = posixpath.normpath(posixpath.join(posixpath.dirname(README), path)) if path else README
        kind = "raw" if mark else "blob"
        return f"{mark}[{words}]({home}/{kind}/HEAD/{place}{'#' + part if part else ''})"

    return LINK.sub(replaced, text)


def dynamic_metadata(settings: dict[str, Any], project: dict[str, Any]) -> dict[str, Any]:
    """The fields "readme" and "urls" of the project; settings and the other fields are not used."""
    if settings:
        raise ValueError(f"unknown settings: {sorted(settings)}; there are none.")
    home = os.environ.get("CUDASPLINE_HOME_URL", "").rstrip("/")
    if home and not home.startswith("https://"):
        raise ValueError(f"CUDASPLINE_HOME_URL must begin with https://, and is {home!r}.")
    text = (Path(__file__).resolve().parents[2] / README).read_text(encoding="utf-8")
    pages = {"Homepage": "", "Documentation": "/blob/HEAD/doc/Python.md", "Changelog": "/blob/HEAD/CHANGELOG.md", "Issues": "/issues"}
    return {
        "readme": {"content-type": "text/markdown", "text": readme(text, home)},
        "urls": {name: home + path for name, path in pages.items()} if home else {},
    }
