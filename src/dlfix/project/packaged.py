"""Whether others can install the code of a folder, and so use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dlfix.project.roots import PACKAGING, packaging_text
from dlfix.source import seen

_DECLARES = {
    "setup.py": re.compile(r"\bsetup\("),
    "setup.cfg": re.compile(r"^\[metadata\]", re.MULTILINE),
    "pyproject.toml": re.compile(r"^\[(?:project|tool\.poetry|tool\.flit)\b", re.MULTILINE),
}
_FINDING = re.compile(r"\bfind_packages\(|^packages\s*=\s*find:", re.MULTILINE)
_MOST_LEVELS = 12


def packaged(folder: Path) -> Path | None:
    """Return the topmost folder of the repository with packaging files, if there is one."""
    found = [each for each in _line(folder) if _declares(each)]
    return found[-1] if found else None


def is_left_out(folder: Path, root: Path) -> bool:
    """Return whether packaging files name packages by what finds those that have an `__init__.py`, and a folder has none."""
    text = "".join(packaging_text(root / name) for name in PACKAGING)
    finds = _FINDING.search(text) is not None and "namespace" not in text
    return finds and not seen.is_file(folder / "__init__.py")


def _line(folder: Path) -> Iterator[Path]:
    """Yield a folder and those above it, up to the root of its repository."""
    for each in [folder, *folder.parents][:_MOST_LEVELS]:
        yield each
        if seen.exists(each / ".git"):
            return


def _declares(folder: Path) -> bool:
    """Return whether a folder's files make an installable package of it."""
    return any(pattern.search(packaging_text(folder / name)) for name, pattern in _DECLARES.items())
