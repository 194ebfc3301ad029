"""The public API: `dlfix.check` and `dlfix.fix_text`. What is named here is stable."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dlfix import config
from dlfix.session import Outcome, Session, from_stdin
from dlfix.source.discovery import MissingPath
from dlfix.source.text import SourceError

if TYPE_CHECKING:
    from dlfix.config import Settings
    from dlfix.report.view import Entry, Spot, View


class DlfixError(Exception):
    """Something cannot be used: a path, a file, the configuration. The message is one line."""


@dataclass(frozen=True)
class Step:
    """One line of a finding's trace; rows and columns count from 1."""

    path: Path
    row: int
    column: int
    label: str


@dataclass(frozen=True)
class Fix:
    """What `fix_text` or `dlfix apply` does about a finding."""

    message: str
    safe: bool
    why_unsafe: str = ""


@dataclass(frozen=True)
class Finding:
    """Something that does not survive being sent to a worker process; rows and columns count from 1."""

    code: str
    name: str
    severity: Literal["error", "warning", "likely"]
    message: str
    path: Path
    cell: int | None  # of a notebook: `row` counts from its first line
    row: int
    column: int
    end_row: int
    end_column: int
    error: str  # what Python or torch prints, "" where that is not known
    trace: tuple[Step, ...]  # from the boundary to the object
    fix: Fix | None
    refused: str | None  # why there is no fix
    also: tuple[Step, ...] = ()  # where else the object is kept: what is derived from it


@dataclass(frozen=True)
class Fixed:
    """A text after its fixes."""

    text: str
    changed: bool
    left: tuple[Finding, ...]  # what is still found in `text`


def check(
    paths: Iterable[str | PathLike[str]],
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    isolated: bool = False,
    on_error: Callable[[str], None] | None = None,
) -> list[Finding]:
    """Return what `dlfix check` finds in files and folders, in order of place.

    The configuration nearest to them is in force unless `isolated`. A file that cannot be read or
    parsed raises DlfixError, or is passed to `on_error` as one line, and the others are still checked.
    """
    from dlfix.report.view import View

    named = tuple(Path(path) for path in paths)
    try:
        settings = _settings(named, select, ignore, isolated)
        session = Session.open(named, settings)
        diagnoses = session.diagnoses()
    except (config.ConfigError, MissingPath, SourceError) as error:
        raise DlfixError(str(error)) from error
    _report(session, on_error)
    return _findings(View(session, diagnoses))


def fix_text(
    source: str,
    filename: str | PathLike[str] = "stdin.py",
    *,
    unsafe: bool | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    isolated: bool = False,
) -> Fixed:
    """Return a program's text with its fixes applied. Nothing is written.

    `filename` chooses the configuration, and whether the text is a notebook (`.ipynb`); if the file
    exists, the text is analyzed in its project. Unsafe fixes are applied where `unsafe`, or where it is None the configuration, says so.
    """
    from dlfix.report.view import View

    path = Path(os.path.abspath(filename))
    try:
        settings = _settings((path,), select, ignore, isolated)
        session, outcome, after = rewrite_text(source.encode(), path, settings, unsafe=unsafe)
    except (config.ConfigError, SourceError, UnicodeEncodeError) as error:
        raise DlfixError(str(error)) from error
    _report(session, None, of=path)
    text = after.decode()
    return Fixed(
        text, text != source, tuple(_findings(View(session, outcome.left, outcome.project)))
    )


def rewrite_text(
    data: bytes, name: Path, settings: Settings, *, unsafe: bool | None = None
) -> tuple[Session, Outcome, bytes]:
    """Rewrite one text that is not on disk; return its bytes, too."""
    session, source = from_stdin(data, name, settings)
    outcome = session.rewrite(unsafe=unsafe)
    after = data
    for change in outcome.changes:
        is_notebook = name in session.notebooks
        after = (change.after or b"") if is_notebook else source.encode(outcome.after[name])
    return session, outcome, after


def _settings(
    paths: Sequence[Path],
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    isolated: bool,
) -> Settings:
    found = config.Settings() if isolated else config.load(config.start_of(paths), None)
    return found.over(
        select=None if select is None else tuple(select),
        ignore=None if ignore is None else tuple(ignore),
    )


def _report(
    session: Session, on_error: Callable[[str], None] | None, of: Path | None = None
) -> None:
    """Pass on what hides findings; raise the first where nobody listens."""
    serious = (error for error in session.serious() if of in (None, error.path))
    errors = [*map(str, serious), *session.bugs]
    if errors and on_error is None:
        raise DlfixError(errors[0])
    for error in errors if on_error else ():
        on_error(error)  # type: ignore[misc]


def _findings(view: View) -> list[Finding]:
    return [_finding(entry) for entry in view.entries]


def _finding(entry: Entry) -> Finding:
    spot, fix = entry.spot, entry.fix
    return Finding(
        entry.code, entry.name, entry.severity, entry.message,
        spot.path, spot.cell, spot.row, spot.column, spot.end_row, spot.end_column,
        entry.error, tuple(_step(one) for one in entry.trace),
        None if fix is None else Fix(fix.message, entry.safe, fix.why_unsafe or ""),
        entry.refused, tuple(_step(one) for one in entry.also),
    )  # fmt: skip


def _step(spot: Spot) -> Step:
    return Step(spot.path, spot.row, spot.column, spot.label)


__all__ = ["DlfixError", "Finding", "Fix", "Fixed", "Step", "check", "fix_text"]
