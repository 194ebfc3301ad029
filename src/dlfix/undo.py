"""Putting back what the last apply wrote."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dlfix.source.text import SourceError
from dlfix.source.writing import Change, write

FOLDER = ".dlfix"
JOURNAL = "last-apply.json"


class NothingToUndo(Exception):
    """There is no apply to take back; the message says why."""


def note(changes: Sequence[Change], root: Path) -> None:
    """Keep what is needed to undo these changes; raise SourceError where that cannot be kept."""
    journal = root / FOLDER / JOURNAL
    entries = [
        {
            "path": str(change.path),
            "before": base64.b85encode(change.before).decode(),
            "after": hashlib.sha256(change.after).hexdigest(),
        }
        for change in changes
    ]
    try:
        journal.parent.mkdir(exist_ok=True)
        (journal.parent / ".gitignore").write_text("*\n")
        fresh = journal.with_suffix(".new")
        fresh.write_text(json.dumps({"version": 1, "files": entries}))
        fresh.replace(journal)
    except OSError as error:
        raise SourceError(journal, None, error.strerror or str(error)) from error


def home(start: Path) -> Path:
    """Return where the journal of an apply from this folder is kept: the project's root."""
    for marks in ((".git",), ("dlfix.toml", "pyproject.toml")):
        for folder in (start, *start.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    return start


def undo(start: Path) -> list[Path]:
    """Put back the last apply at or above `start`; raise where a file is not as it was left."""
    journal = _journal(start)
    changes = [_change(entry, journal) for entry in _entries(journal)]
    edited = [change.path for change, same in changes if not same]
    if edited:
        names = ", ".join(str(path) for path in edited)
        raise NothingToUndo(f"changed since the last apply, nothing put back: {names}")
    write([change for change, _ in changes if change.before != change.after])
    forget(journal.parent.parent)
    return [change.path for change, _ in changes]


def _journal(start: Path) -> Path:
    for folder in (start, *start.parents):
        journal = folder / FOLDER / JOURNAL
        if journal.is_file():
            return journal
    raise NothingToUndo("no apply to undo here")


def _entries(journal: Path) -> list[dict[str, Any]]:
    try:
        files: list[dict[str, Any]] = json.loads(journal.read_text())["files"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NothingToUndo(f"{journal}: cannot be read") from error
    return files


def _change(entry: dict[str, Any], journal: Path) -> tuple[Change, bool]:
    path = Path(entry["path"])
    try:
        now = path.read_bytes()
    except OSError:
        return Change(path, b"", b""), False
    before = base64.b85decode(entry["before"])
    # As before: an apply that was stopped half-way never came to it.
    same = now == before or hashlib.sha256(now).hexdigest() == entry["after"]
    return Change(path, now, before), same


def forget(root: Path) -> None:
    """Drop the journal, and its folder if nothing else is in it."""
    folder = root / FOLDER
    (folder / JOURNAL).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == [".gitignore"]:
            (folder / ".gitignore").unlink()
            folder.rmdir()
