"""What is wrong after several fixes were carried out together, and which of them is at fault."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from dlfix.fixing.derived_findings import origin_rows
from dlfix.fixing.lines import LineMap, spans_of
from dlfix.fixing.plans import Fix, Planned
from dlfix.rules.base import Finding

if TYPE_CHECKING:
    from dlfix.source.text import Position

Pick = Callable[[Finding], "Finding | None"]
_LINE = re.compile(r" \((?:line |(?P<name>[^\s():]+):)(?P<row>\d+)(?P<old> before the fix)?\)")


@dataclass(frozen=True)
class Complaint:
    """Something that is wrong, and the numbers of the fixes that may be at fault."""

    reason: str
    suspects: frozenset[int]


class Matched:
    """Findings before and after a rewrite: which of the new ones are old ones."""

    def __init__(
        self,
        before: Sequence[Finding],
        fixed: Iterable[Finding],
        after: Sequence[Finding],
        maps: Mapping[Path, LineMap],
        homes: Mapping[Path, Path] = MappingProxyType({}),
    ) -> None:
        self._maps, self._homes = maps, homes  # of files that are made: next to which
        self._fixed = {id(finding) for finding in fixed}
        self.old: dict[int, Finding] = {}  # by the id of the new one
        self.still_there: list[Finding] = []  # fixed ones, as they were before
        self.fresh: list[Finding] = []
        self._free: dict[tuple[str, Path], dict[int, Finding]] = defaultdict(dict)
        for finding in before:
            self._free[_kind(finding)][id(finding)] = finding
        rest = self._pass(after, self._same_place)
        rest = self._pass(rest, self._same_message)
        rest = self._pass(rest, self._any_left)
        self.fresh = self._pass(rest, self._moved)
        self.gone = [
            old
            for group in self._free.values()
            for old in group.values()
            if id(old) not in self._fixed
        ]
        kinds = {_kind(finding) for finding in before if id(finding) in self._fixed}
        self.instead = [finding for finding in self.fresh if _kind(finding) not in kinds]

    def go_on(self, new: Finding, old: Finding) -> None:
        """Take a fresh finding as an old one that was fixed in part."""
        self.old[id(new)] = old
        self.fresh = [finding for finding in self.fresh if finding is not new]
        self.instead = [finding for finding in self.instead if finding is not new]

    def _pass(self, after: Iterable[Finding], find: Pick) -> list[Finding]:
        """Match what `find` finds a partner for; return the rest."""
        rest = []
        for finding in after:
            old = find(finding)
            if old is None:
                rest.append(finding)
                continue
            del self._free[_kind(old)][id(old)]
            self.old[id(finding)] = old
            if id(old) in self._fixed:
                self.still_there.append(old)
        return rest

    def _same_place(self, finding: Finding) -> Finding | None:
        start = finding.place.span.start
        return self._at.get((*_kind(finding), start))

    @cached_property
    def _at(self) -> dict[tuple[str, Path, Position], Finding]:
        """The old findings by where they are in the new texts."""
        found = {}
        for (code, path), group in self._free.items():
            lines = self._maps.get(path)
            for old in group.values():
                start = old.place.span.start
                place = lines.position(start) if lines is not None else start
                if place is not None:
                    found[code, path, place] = old
        return found

    def _same_message(self, finding: Finding) -> Finding | None:
        free = self._unfixed(finding)
        return next((old for old in free if old.message == finding.message), None)

    def _any_left(self, finding: Finding) -> Finding | None:
        return next(self._unfixed(finding), None)

    def _moved(self, finding: Finding) -> Finding | None:
        """Return an old finding that moved to a module next to its file, with the code that it is about."""
        home = self._homes.get(finding.place.path)
        old = self._free.get((finding.code, home), {}) if home is not None else {}
        alike = (each for each in old.values() if id(each) not in self._fixed)
        return next((each for each in alike if each.message == finding.message), None)

    def _unfixed(self, finding: Finding) -> Iterator[Finding]:
        free = self._free[_kind(finding)].values()
        return (old for old in free if id(old) not in self._fixed)


def _kind(finding: Finding) -> tuple[str, Path]:
    return finding.code, finding.place.path


def lines_before(reason: str, path: Path, maps: Mapping[Path, LineMap]) -> str:
    """Return a reason that names lines of texts with those of the texts before; a line that is new is left out."""

    def name_line(found: re.Match[str]) -> str:
        name = found["name"] or path.name
        home = path if not found["name"] else _named(name, maps)
        row: int | None = int(found["row"])
        if home is None:
            return found[0]
        if home in maps and row is not None and not found["old"]:
            row = maps[home].row_before(row)
        return "" if row is None else f" ({name}:{row})"

    return _LINE.sub(name_line, reason)


def _named(name: str, paths: Iterable[Path]) -> Path | None:
    """Return the file that a reason means by a name, which may begin with folders."""
    return next((path for path in paths if f"/{path.as_posix()}".endswith(f"/{name}")), None)


class Attribution:
    """Says which of the fixes of a batch touch a place."""

    def __init__(self, batch: Sequence[tuple[Planned, Fix]], maps: Mapping[Path, LineMap]) -> None:
        self._batch = batch
        self._maps = maps
        self._all = frozenset(range(len(batch)))
        self._by_path: dict[Path, dict[int, list[tuple[int, int]]]] = defaultdict(dict)
        self._fixing: dict[int, int] = {}  # the fix of each finding, by its id
        for number, (planned, fix) in enumerate(batch):
            self._note(number, planned, fix)

    def _note(self, number: int, planned: Planned, fix: Fix) -> None:
        for edit in fix.edits:
            rows = self._by_path[edit.path].setdefault(number, [])
            rows += {(span.start.row, span.end.row) for span in spans_of(edit.plan)}
        for finding in planned.findings:
            self._fixing[id(finding)] = number
            span = finding.place.span
            if number in self._by_path[finding.place.path]:
                self._by_path[finding.place.path][number].append((span.start.row, span.end.row))

    def as_before(self, reason: str, path: Path) -> str:
        """Return a reason with lines of the texts before; a line that a fix wrote is left out."""
        return lines_before(reason, path, self._maps)

    @property
    def everything(self) -> frozenset[int]:
        """All fixes of the batch."""
        return self._all

    def of_file(self, path: Path) -> frozenset[int]:
        """Return the fixes that edit a file; all where none does."""
        return frozenset(self._by_path[path]) or self._all

    def of_finding(self, old: Finding) -> frozenset[int]:
        """Return the fix that was to fix a finding."""
        return frozenset((self._fixing[id(old)],))

    def of_gone(self, old: Finding) -> int:
        """Return the fix that took a finding along: one for the same object, else one nearby."""
        row = old.place.span.start.row
        alike = (number for number, (planned, _) in enumerate(self._batch)
                 if any(old.objects & finding.objects for finding in planned.findings))  # fmt: skip
        return next(alike, min(self.of_lines(old.place.path, row, row)))

    def explains(self, old: Finding) -> bool:
        """Return whether a fix changes a line on the path of a finding, or is of the same object."""
        places = (old.place, *(step.place for step in old.trace))
        return any(
            self._touching(each.path, each.span.start.row, each.span.end.row) for each in places
        ) or any(
            old.objects & each.objects for planned, _ in self._batch for each in planned.findings
        )

    def strands(self, old: Finding) -> bool:
        """Return whether what is derived from a handle is no longer reported though the line that makes it is as it was.

        The handle has left the state, and what was made of it has not.
        """
        lines = self._maps.get(old.place.path)
        is_kept = lines is None or lines.position(old.place.span.start) is not None
        return is_kept and any(origin_rows(old))

    def is_set_again(self, old: Finding) -> bool:
        """Return whether a fix of a handle took along what only the parent sets: each process sets it when it opens."""
        planned, _ = self._batch[self.of_gone(old)]
        handles = [each for each in planned.findings if each.code.startswith("DLF2")]
        is_handle = any(each.place.span.start.row == old.place.span.start.row for each in handles)
        return old.code == "DLF303" and bool(handles) and not is_handle

    def of_row(self, path: Path, row: int) -> frozenset[int]:
        """Return the fixes that changed a row of a new text: none where it is as it was."""
        lines = self._maps.get(path)
        hunk = lines.hunk_at(row) if lines is not None else None
        if hunk is None:
            return frozenset()
        return self._touching(path, hunk.first - 1, hunk.last + 1)

    def of_lines(self, path: Path, first: int, last: int) -> frozenset[int]:
        """Return the fixes whose places lie in a stretch of the old text, else those of the file."""
        return self._touching(path, first, last) or self.of_file(path)

    def _touching(self, path: Path, first: int, last: int) -> frozenset[int]:
        return frozenset(
            number
            for number, rows in self._by_path[path].items()
            if any(start <= last and first <= end for start, end in rows)
        )

    def of_new(self, finding: Finding) -> frozenset[int]:
        """Return the fixes that may have brought a new finding.

        Those that changed its line; else those that changed a line on its path; else those of the
        files it passes; else all.
        """
        steps = [finding.place, *(step.place for step in reversed(finding.trace))]
        for place in steps:
            found = self.of_row(place.path, place.span.start.row)
            if found:
                return found
        files = {place.path for place in steps} & self._by_path.keys()
        return frozenset(n for path in files for n in self._by_path[path]) or self._all


def complaints(matched: Matched, attribution: Attribution) -> Iterator[Complaint]:
    """Yield what is wrong with the findings after a rewrite."""
    for old in matched.still_there:
        reason = f"{old.code} would remain ({old.message})"
        yield Complaint(reason, attribution.of_finding(old))
    for old in filter(attribution.is_set_again, matched.gone):
        reason = f"each process would initialize what only the parent sets ({old.message})"
        yield Complaint(reason, frozenset((attribution.of_gone(old),)))
    for old in matched.gone:
        if old.code == "DLF503":  # a generator that leaves the state is made of the same seed again
            where = f"{old.place.path.name}:{old.place.span.start.row}"
            reason = f"each worker would still draw the same numbers ({where})"
            yield Complaint(reason, frozenset((attribution.of_gone(old),)))
        elif attribution.strands(old):
            reason = f"{old.code} would remain ({old.message})"
            yield Complaint(reason, frozenset((attribution.of_gone(old),)))
        elif not attribution.explains(old):  # the analysis went astray: the cause is still there
            reason = f"{old.code} would no longer be reported, but nothing on its path changes ({old.message})"
            yield Complaint(reason, frozenset((attribution.of_gone(old),)))
    for new in matched.fresh:
        how = "be reported instead" if any(new is one for one in matched.instead) else "remain"
        yield Complaint(f"{new.code} would {how} ({new.message})", attribution.of_new(new))
