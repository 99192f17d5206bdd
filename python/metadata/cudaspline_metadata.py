"""What pyproject.toml does not know by itself: where the project is at home, and so what the pictures and links of its readme are called.

CUDASPLINE_HOME_URL is the address of the repository, as https://host/owner/name. Without it the package has no addresses, and its readme no
pictures and no links: relative ones lead nowhere outside of the repository. Asked by scikit-build-core.
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

#: [text](target) and ![text](target), but for addresses with a scheme.
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


def dynamic_metadata(field: str, settings: dict[str, Any], project: Any = None) -> Any:
    """The value of a field."""
    if settings:
        raise ValueError(f"{field}: no settings are known, and there are {sorted(settings)}.")
    home = os.environ.get("CUDASPLINE_HOME_URL", "").rstrip("/")
    if home and not home.startswith("https://"):
        raise ValueError(f"CUDASPLINE_HOME_URL is {home!r}, and no address that begins with https://.")
    if field == "readme":
        text = (Path(__file__).resolve().parents[2] / README).read_text(encoding="utf-8")
        return {"content-type": "text/markdown", "text": readme(text, home)}
    if field == "urls":
        pages = {"Homepage": "", "Documentation": "/blob/HEAD/doc/Python.md", "Changelog": "/blob/HEAD/CHANGELOG.md", "Issues": "/issues"}
        return {name: home + path for name, path in pages.items()} if home else {}
    raise ValueError(f"{field} is not known here.")
