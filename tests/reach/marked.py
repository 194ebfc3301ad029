"""Programs with their findings marked: a line that ends with `# !DLF101` has that finding, no other has any."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.session import Session

_FILE = re.compile(r"^--- (.*)\n", re.MULTILINE)


def program(sentence: str, text: str) -> object:
    """Return a program of one file, or of several after lines `--- name.py`, under a sentence."""
    return pytest.param(textwrap.dedent(text).lstrip("\n"), id=sentence)


def check(folder: Path, text: str) -> None:
    """Write a program and compare what is found with its marks."""
    parts = _FILE.split(text) if text.startswith("--- ") else ["", "main.py", text]
    expected = set()
    for name, source in zip(parts[1::2], parts[2::2], strict=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        for row, line in enumerate(source.splitlines(), 1):
            expected |= {(name, row, code) for code in re.findall(r"# !(DLF\d+)", line)}
    assert found_in(folder) == expected


def found_in(folder: Path) -> set[tuple[str, int, str]]:
    """Return file, row and rule of what is found in a folder; nothing is fixed, which takes longer than to find."""
    session = Session.open((folder,), Settings().over(unfixable=("DLF",)))
    diagnoses = session.diagnoses()
    assert not [*session.serious(), *session.bugs]
    return {
        (place.path.relative_to(folder).as_posix(), place.span.start.row, each.finding.code)
        for each in diagnoses
        for place in [each.finding.place]
    }
