"""Diagnoses with their places worked out, as every format wants them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.lines import alike
from dlfix.fixing.plans import Applicability, Fix, Refused
from dlfix.source.lines import split
from dlfix.source.printable import visible
from dlfix.source.text import Place, Position

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Diagnosis
    from dlfix.project.project import Project
    from dlfix.session import Session

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


_LINE = re.compile(r"\(line (\d+)\)")
_IN_NOTEBOOK = re.compile(r"(?P<name>[^\s()/]+\.ipynb):(?P<row>\d+)")


@dataclass(frozen=True)
class Spot:
    """A place as it is told: rows and columns from 1, in a notebook those of the cell."""

    path: Path
    cell: int | None
    row: int
    column: int
    end_row: int
    end_column: int
    label: str = ""
    note: str = ""
    home: Path | None = field(default=None, compare=False)  # None: the working directory

    @property
    def shown(self) -> str:
        """The path from the home folder and the row: `train.py:67`."""
        return f"{self.file}:{self.row}"

    @property
    def file(self) -> str:
        """The path from the home folder, and the cell where there is one."""
        name = shown(self.path, self.home)
        return name if self.cell is None else f"{name}:cell {self.cell}"


@dataclass(frozen=True)
class TextEdit:
    """A stretch of a file and what takes its place; rows and columns from 1."""

    path: Path
    cell: int | None
    row: int
    column: int
    end_row: int
    end_column: int
    content: str


def relative(path: Path, home: Path | None = None) -> str:
    """Return a path from a folder (the working directory) where it lies below it, else the whole."""
    here = home or Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def shown(path: Path, home: Path | None = None) -> str:
    """Return that path for people: what is no letter of a name is shown as an escape."""
    return visible(relative(path, home))


def page_address(code: str) -> str | None:
    """Return where a rule's page is, below the documentation that the package names as its own."""
    home = _documentation()
    return f"{home}/rules/{code}/" if home else None


def changed(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the stretches in which two texts differ: first and end, before and after."""
    at, there = 0, 0
    for one, other, size in [*alike(old, new), (len(old), len(new), 0)]:
        if one > at or other > there:
            yield at, one, there, other
        at, there = one + size, other + size


@functools.cache
def _documentation() -> str | None:
    from importlib import metadata

    try:
        said = metadata.metadata("dlfix").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    addresses = dict(one.split(", ", 1) for one in said)
    return addresses.get("Documentation", "").rstrip("/") or None


class Entry:
    """One diagnosis, ready to be told."""

    def __init__(self, diagnosis: Diagnosis, view: View, number: int) -> None:
        self.number = number
        self.finding = diagnosis.finding
        self.outcome = diagnosis.outcome
        self.declined = diagnosis.declined
        self._also = diagnosis.also
        self.rule = self.finding.rule
        self.code = self.finding.code
        self.name = self.rule.name
        self.severity = self.rule.severity
        self.error = self.finding.error
        self.path = self.finding.place.path
        self.view = view

    @cached_property
    def message(self) -> str:
        """What is wrong, in a sentence."""
        return self.view.by_cell(self.finding.message)

    @cached_property
    def spot(self) -> Spot:
        """The culprit."""
        return self.view.spot(self.finding.place)

    @cached_property
    def trace(self) -> tuple[Spot, ...]:
        """The path, from the boundary to the culprit."""
        return tuple(
            self.view.spot(step.place, step.label, step.note) for step in self.finding.trace
        )

    @cached_property
    def also(self) -> tuple[Spot, ...]:
        """The further places of the same object: what is derived from it and kept."""
        return tuple(self.view.spot(one.place, one.label or one.message) for one in self._also)

    @property
    def fix(self) -> Fix | None:
        """The fix, if there is one."""
        return self.outcome if isinstance(self.outcome, Fix) else None

    @property
    def shown_at(self) -> int:
        """The number, from 1, of the finding at which the fix is shown: the first of those that share it."""
        return self.view.first_of_fix.get(id(self.fix), self.number)

    @property
    def shows_fix(self) -> bool:
        """Whether the fix is shown at this finding."""
        return self.fix is not None and self.shown_at == self.number

    @cached_property
    def refused(self) -> str | None:
        """Why there is no fix, where dlfix knows; a line without a file is one of the object's file."""
        if not isinstance(self.outcome, Refused):
            return None
        return _LINE.sub(self._in_file, self.view.by_cell(self.outcome.reason))

    def _in_file(self, line: re.Match[str]) -> str:
        return f"({self.view.named(self.path, int(line[1]))})"

    @property
    def safe(self) -> bool:
        """Whether `dlfix apply` takes the fix unasked."""
        return self.fix is not None and self.fix.applicability is Applicability.SAFE

    @cached_property
    def texts(self) -> dict[Path, tuple[str, str]]:
        """What the fix alone makes of which texts."""
        made = self.view.session.preview(self.fix) if self.fix else {}
        return {path: (self.view.text(path), text) for path, text in made.items()}

    @cached_property
    def edits(self) -> tuple[TextEdit, ...]:
        """The fix alone, as edits."""
        return tuple(
            edit
            for path, (before, after) in self.texts.items()
            for edit in self.view.edits(path, before, after)
        )

    @property
    def url(self) -> str | None:
        """Where the rule's page is published, if it is."""
        return page_address(self.code)


class View:
    """Texts and places of one reading of a session's files."""

    def __init__(
        self,
        session: Session,
        diagnoses: Sequence[Diagnosis],
        project: Project | None = None,
        homes: Sequence[Path] = (),
    ) -> None:
        self.session = session
        self._homes = sorted(homes, key=lambda home: len(home.parts), reverse=True)
        self.project = project or session.project
        self.entries = [Entry(each, self, number) for number, each in enumerate(diagnoses, 1)]
        self._lines: dict[Path, list[str]] = {}

    @cached_property
    def fixes(self) -> list[Fix]:
        """The fixes, each once."""
        return list({id(entry.fix): entry.fix for entry in self.entries if entry.fix}.values())

    @cached_property
    def first_of_fix(self) -> dict[int, int]:
        """The number of the first finding of each fix, by its identity."""
        first: dict[int, int] = {}
        for entry in self.entries:
            if entry.fix:
                first.setdefault(id(entry.fix), entry.number)
        return first

    @cached_property
    def analysis(self) -> Analysis:
        """What crosses in these texts: the session's, or those after an apply."""
        from dlfix.reach.analysis import analyze

        if self.project is self.session.project:
            return self.session.analysis
        return analyze(self.project, self.session.catalog, self.session.tell)

    def text(self, path: Path) -> str:
        """Return the text of a file."""
        return self.project.text(path)

    def lines(self, path: Path) -> list[str]:
        """Return the lines of a file as they are shown, split as Python splits them."""
        if path not in self._lines:
            text = self.session.readable(path, self.text(path))
            self._lines[path] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines[path]

    def sheets(self, path: Path, before: str, after: str) -> Iterator[tuple[str, str, str]]:
        """Yield name, old and new text of a file, or of each cell of a notebook that changes."""
        book = self.session.notebooks.get(path)
        if book is None:
            yield shown(path), before, after
            return
        for cell, old, new in book.changed(before, after):
            yield f"{shown(path)}:cell {cell}", old, new

    def locate(self, path: Path, position: Position) -> tuple[int | None, int, int]:
        """Return the notebook cell (None in a module), the row and the column, from 1."""
        book = self.session.notebooks.get(path)
        if book is None:
            return None, position.row, position.column + 1
        cell, row = book.locate(self.text(path), position.row)
        return cell, row, position.column + 1

    def named(self, path: Path, row: int) -> str:
        """Return a line of a file by the file's name, and in a notebook by its cell."""
        cell, row, _ = self.locate(path, Position(row, 0))
        within = "" if cell is None else f":cell {cell}"
        return f"{visible(path.name)}{within}:{row}"

    def by_cell(self, told: str) -> str:
        """Return a sentence in which the lines of notebooks are counted from their cells."""
        return _IN_NOTEBOOK.sub(self._in_cell, told) if ".ipynb:" in told else told

    def _in_cell(self, said: re.Match[str]) -> str:
        books = [path for path in self.session.notebooks if path.name == said["name"]]
        return self.named(books[0], int(said["row"])) if len(books) == 1 else said[0]

    def spot(self, place: Place, label: str = "", note: str = "") -> Spot:
        """Work a place out."""
        cell, row, column = self.locate(place.path, place.span.start)
        _, end_row, end_column = self.locate(place.path, place.span.end)
        home = next((each for each in self._homes if place.path.is_relative_to(each)), None)
        return Spot(place.path, cell, row, column, end_row, end_column, label, note, home)

    def edits(self, path: Path, before: str, after: str) -> Iterator[TextEdit]:
        """Yield the edits that make `after` of `before`, by whole lines of a file or of its cells."""
        book = self.session.notebooks.get(path)
        if book is None:
            yield from _edits(path, None, before, after)
            return
        for cell, old, new in book.changed(before, after):
            yield from _edits(path, cell, old, new)


def _edits(path: Path, cell: int | None, before: str, after: str) -> Iterator[TextEdit]:
    old, new = split(before), split(after)
    for start, end, new_start, new_end in changed(old, new):
        first, last = Position(start + 1, 0), Position(end + 1, 0)
        content = "".join(new[new_start:new_end])
        if end == len(old) and old and not old[-1].endswith(("\n", "\r")):
            last = Position(end, len(old[-1]))
            if start == end:
                first = last
                content = ("\r\n" if "\r" in before else "\n") + content
        yield TextEdit(path, cell, first.row, first.column + 1, last.row, last.column + 1, content)
