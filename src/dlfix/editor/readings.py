"""Readings of what is open in an editor; what did not change since the last one is kept."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix import config
from dlfix.project.project import Project
from dlfix.reach.progress import Tell, silent
from dlfix.report.view import View
from dlfix.session import Session

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Diagnosis

Stamp = tuple[int, int] | None


class Cancelled(BaseException):
    """The reading is of no use any more; not caught by what catches mistakes on the way."""


@dataclass(frozen=True)
class Buffers:
    """The Python files and notebooks that are open, with their texts, versions and addresses.

    A notebook's text is its JSON; `cells` are the addresses of its cells in order.
    """

    texts: Mapping[Path, str] = field(default_factory=dict)
    versions: Mapping[str, int | None] = field(default_factory=dict)  # by address
    uris: Mapping[Path, str] = field(default_factory=dict)
    cells: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()  # of the workspace: paths are shown from there


@dataclass(frozen=True)
class Reading:
    """What was found in the open files, and which texts it was found in."""

    view: View
    buffers: Buffers
    diagnoses: Sequence[Diagnosis] = ()

    def is_of(self, path: Path, now: Buffers) -> bool:
        """Return whether a file still has the text and the cells that were read."""
        return (
            path in self.buffers.texts
            and self.buffers.texts[path] == now.texts.get(path)
            and self.buffers.cells.get(path) == now.cells.get(path)
        )


class Reader:
    """Reads the projects of the open files again and again."""

    def __init__(self) -> None:
        self._last: Session | None = None
        self._reading: Reading | None = None
        self._project: Project | None = None
        self._named: tuple[Path, ...] = ()
        self._stamps: dict[Path, Stamp] = {}

    def forget_files(self) -> None:
        """List the files again: some came or went, or the configuration changed."""
        self._last = self._project = self._reading = None

    def read(self, buffers: Buffers, tell: Tell = silent) -> Reading:
        """Return what is found in the open files; `tell` may raise Cancelled."""
        reading = self._still(buffers) or self._read(buffers, tell)
        self._reading = reading
        return reading

    def _still(self, buffers: Buffers) -> Reading | None:
        """Return the last reading's findings, if nothing that it looked at has changed since."""
        last = self._reading
        if (
            last is None
            or self._project is None
            or last.buffers.texts.keys() != buffers.texts.keys()
        ):
            return None
        found = last.diagnoses
        changed = self._changed()
        if not all(map(self._project.lists, changed)):  # a file may import what it did not before
            return None
        session = last.view.session.still(buffers.texts, changed, found)
        if session is None:
            return None
        self._project = session.project
        self._stamp(session)
        return _reading(session, buffers, found)

    def _read(self, buffers: Buffers, tell: Tell) -> Reading:
        session = self._session(buffers.texts, tell)
        if not session.files:
            return _reading(session, buffers, [])
        try:
            _ = session.project
        finally:
            self._project = session.__dict__.get("project", self._project)
        self._stamp(session)
        return _reading(session, buffers, session.diagnoses())

    def _stamp(self, session: Session) -> None:
        self._stamps = {path: _stamp(path) for path in {*session.project.files, *session.around}}

    def alone(self, reading: Reading, path: Path, tell: Tell = silent) -> Session:
        """Return a session that may change one file only, in the project of a reading."""
        old = reading.view.session
        session = Session(
            (path,), old.settings, old.texts, named=frozenset((path,)),
            around=old.around or old.files, loose=old.loose, tell=tell,
        )  # fmt: skip
        for name in ("project", "notebooks", "catalog"):
            session.__dict__[name] = getattr(old, name)
        return session

    def _session(self, texts: Mapping[Path, str], tell: Tell) -> Session:
        named = tuple(sorted(texts))
        last = self._last
        if last is None or named != self._named:
            last = self._last = _opened(named)
            self._named = named
        session = Session(
            last.files, last.settings, dict(texts), named=last.named,
            around=last.around, loose=last.loose, tell=tell,
        )  # fmt: skip
        if self._project is not None:
            session.base = self._project, self._changed()
        return session

    def _changed(self) -> Collection[Path]:
        """Return the files that are not on disk what they were."""
        return [path for path, stamp in self._stamps.items() if _stamp(path) != stamp]


def _reading(session: Session, buffers: Buffers, found: Sequence[Diagnosis]) -> Reading:
    return Reading(View(session, found, homes=buffers.folders), buffers, found)


def _opened(named: Iterable[Path]) -> Session:
    """Find the projects of some files; one that was never saved is read with what lies beside it."""
    paths = [path if path.is_file() else path.parent for path in named]
    there = [path for path in paths if path.exists()]
    settings = config.load(config.start_of(there or [Path.cwd()]))
    session = Session.open(there, settings)
    session.around = tuple(dict.fromkeys([*session.around, *session.files]))
    session.files = tuple(named)
    session.named = frozenset(named)
    return session


def _stamp(path: Path) -> Stamp:
    try:
        now = os.stat(path)
    except OSError:
        return None
    return now.st_mtime_ns, now.st_size
