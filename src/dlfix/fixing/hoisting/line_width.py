"""How long a line of a file may be."""

from __future__ import annotations

import re
from pathlib import Path

from dlfix.project.module import Module
from dlfix.source import seen
from dlfix.source.text import SourceError, contents

_FILES = ("pyproject.toml", "ruff.toml", ".ruff.toml", "setup.cfg", ".flake8", "tox.ini")
_LENGTH = re.compile(r"^[ \t]*(?:max[-_])?line[-_]length\s*=\s*(\d{1,4})\b", re.MULTILINE)
_USUAL = (88, 100, 120)
_MOST = 1 << 20  # bytes of a configuration that are looked through


def width_of(module: Module) -> int:
    """Return what the project's formatter or linter allows, else what the file's own lines show."""
    return _configured(module.path.parent) or _shown(module.lines)


def _configured(folder: Path) -> int:
    for each in (folder, *folder.parents):
        for name in _FILES:
            found = _LENGTH.search(_text(each / name))
            if found:
                return int(found.group(1))
        if seen.exists(each / ".git"):
            break
    return 0


def _text(path: Path) -> str:
    try:
        return contents(path, _MOST).decode("utf-8", "replace")
    except SourceError:
        return ""


def _shown(lines: list[str]) -> int:
    longest = max(map(len, lines), default=0)
    return next((width for width in _USUAL if longest <= width), _USUAL[-1])
