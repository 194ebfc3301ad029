"""The one road from files to findings and new texts; the command line, editors and callers share it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix import selection, suppression
from dlfix.config import ConfigError, Settings
from dlfix.project.changes import change_between, steps
from dlfix.project.surroundings import around, connected, holds, imported
from dlfix.reach.progress import Tell, silent, told
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.source import notebook
from dlfix.source.discovery import discover
from dlfix.source.text import Position, SourceError, SourceText, contents, decode
from dlfix.source.writing import Change

if TYPE_CHECKING:
    from dlfix.answers import Answer
    from dlfix.catalog.catalog import Catalog
    from dlfix.fixing.outcomes import Choose, Diagnosis
    from dlfix.fixing.plans import Fix, Planned
    from dlfix.fixing.rewriting import Sheets
    from dlfix.project.project import Project
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.extent import Extent

# So much code is parsed only to tell of syntax errors in it, where nothing else asks for it.
SYNTAX_BUDGET = 200_000

# So many places are compared one after the other, in all files that were edited; each is a parse.
_MOST_STEPS = 24

# What a comment that may turn out to be idle has in it.
MARKS = (b"dlfix:", b"DLF")

# A notebook's kernel has no `__main__` that a worker could import.
NOT_IN_NOTEBOOKS = ("DLF301", "DLF302")


@dataclass(frozen=True)
class Outcome:
    """What came of an apply: the files to write, what was done, what is left, what went wrong."""

    changes: tuple[Change, ...]
    before: Mapping[Path, str]
    after: Mapping[Path, str]
    applied: tuple[Planned, ...]
    left: tuple[Diagnosis, ...]
    project: Project
    errors: tuple[str, ...] = ()
    left_before: tuple[
        Diagnosis, ...
    ] = ()  # what is left, with its places in the texts as they were


@dataclass
class Session:
    """Some files under some settings, read once."""

    files: Sequence[Path]
    settings: Settings = field(default_factory=Settings)
    texts: Mapping[Path, str] = field(default_factory=dict)  # in place of what is on disk
    errors: list[SourceError] = field(default_factory=list)
    bugs: list[str] = field(default_factory=list)
    named: frozenset[Path] = frozenset()  # files a person named, always parsed
    around: Sequence[Path] = ()  # the files of the projects that these are part of
    loose: bool = False  # whether some are part of none, so that imports say what else there is
    previews: dict[int, dict[Path, str]] = field(default_factory=dict)
    rewrite_cut_short: bool = False
    rewrite_cut_at: Sequence[Place] = ()
    rewrite_extent: Extent | None = None
    found_hidden: Collection[object] = ()  # what only a `noqa` without codes leaves out
    tell: Tell = silent  # hears how far a reading has come
    # A project that was read before, and which of its files are not on disk what they were.
    base: tuple[Project, Collection[Path]] | None = None
    answers: list[Answer] = field(default_factory=list)  # about its projects, each by itself
    likely: bool = False  # whether rules of what is only likely are asked, as for a trace
    by_parts: bool = False  # whether it is only read through its projects
    noting: bool = True  # whether another reading may be compared with this one, as an editor does

    @classmethod
    def open(cls, paths: Sequence[Path], settings: Settings) -> Session:
        """Find the files under `paths`; raise MissingPath where one is not there."""
        found = discover(
            paths,
            exclude=(*settings.exclude, *settings.extend_exclude),
            gitignore=settings.respect_gitignore,
        )
        named = frozenset(Path(os.path.abspath(path)) for path in paths)
        excluded = selection.excluded(settings)
        files = [path for path in found.files if path in named or not excluded(path)]

        def walk(folders: Sequence[Path]) -> list[Path]:
            inside = discover(
                folders,
                exclude=(*settings.exclude, *settings.extend_exclude),
                gitignore=settings.respect_gitignore,
            )
            return [path for path in inside.files if not excluded(path)]

        wide = around(sorted(named), walk)
        return cls(
            files, settings, errors=list(found.errors), named=named,
            around=wide.files, loose=wide.loose,
        )  # fmt: skip

    # What is read

    @cached_property
    def notebooks(self) -> dict[Path, notebook.Notebook]:
        """The notebooks of the project, as Python texts."""
        books = {}
        for path in self._considered:
            if path.suffix == ".ipynb":
                try:
                    books[path] = notebook.parse(path, self._data(path))
                except SourceError as error:
                    self.errors.append(error)
        return books

    def _data(self, path: Path) -> bytes:
        if path in self.texts:
            return self.texts[path].encode(errors="surrogatepass")
        return contents(path)

    @cached_property
    def project(self) -> Project:
        """The project of these files."""
        from dlfix.project.imports import with_imported
        from dlfix.project.project import Project

        texts = {path: text for path, text in self.texts.items() if path.suffix != ".ipynb"}
        texts.update({path: book.text for path, book in self.notebooks.items()})
        considered = self._considered
        usable = [path for path in considered if path.suffix != ".ipynb" or path in self.notebooks]
        project = (
            Project(usable, texts, noting=self.noting)
            if self.base is None
            else self._renewed(usable, texts)
        )
        if self.loose:
            project = with_imported(project)
        if not self.by_parts:
            self._syntax(project)
        return project

    def _renewed(self, files: Sequence[Path], texts: Mapping[Path, str]) -> Project:
        assert self.base is not None
        before, moved = self.base
        changed = {
            path for path in {*before.texts, *texts} if before.texts.get(path) != texts.get(path)
        }
        return before.renewed(files, texts, changed | {*moved})

    @cached_property
    def _considered(self) -> Sequence[Path]:
        """The files to read: those that imports connect with these, if one of them can lead to a worker."""
        from dlfix.project.project import Project

        files = tuple(dict.fromkeys([*self.files, *self.around]))
        if len(files) == len(self.files):
            return files
        texts = {path: text for path, text in self.texts.items() if path.suffix != ".ipynb"}
        near = set(connected(self.files, Project(files, texts), self.bytes_of))
        words = self.catalog.words
        if not any(holds(self.bytes_of(path) or b"", words) for path in near):
            return self.files
        return tuple(p for p in files if p in near or b"sys.path" in (self.bytes_of(p) or b""))

    def bytes_of(self, path: Path) -> bytes | None:
        """Return a file's bytes; None where it cannot be read."""
        try:
            return self._data(path)
        except SourceError:
            return None

    def _syntax(self, project: Project) -> None:
        budget = SYNTAX_BUDGET
        listed = frozenset(project.files)
        for path in told("reading files", self.files, self.tell):
            source = project.unnoted(path) if path in listed else None
            if source is None:
                continue
            budget -= len(source.data)
            if budget > 0 or path in self.named:
                project.get(path)

    def sizes(self, project: Project) -> list[tuple[Path, int]]:
        """Return the files that decide which are parsed for the sake of syntax errors, and their lengths."""
        found: list[tuple[Path, int]] = []
        budget = SYNTAX_BUDGET
        for path in self.files:
            source = project.unnoted(path)
            if source is not None and budget > 0:
                budget -= len(source.data)
                found.append((path, len(source.data)))
        return found

    @cached_property
    def catalog(self) -> Catalog:
        """What is known of libraries, the configuration's own files included."""
        from dlfix.catalog.catalog import load
        from dlfix.catalog.rows import CatalogError

        files = [file for settings in self.scopes.values() for file in settings.catalog_files()]
        try:
            return load(tuple(files))
        except (CatalogError, OSError) as error:
            raise ConfigError(str(error)) from error

    @cached_property
    def analysis(self) -> Analysis:
        """The reading of the project."""
        from dlfix.reach.analysis import analyze

        return analyze(self.project, self.catalog, self.tell)

    @property
    def cut_short(self) -> bool:
        """Whether reading what crosses ended before everything was followed."""
        read = "analysis" in self.__dict__ and self.analysis.exhausted
        return read or self.rewrite_cut_short or any(one.cut_short for one in self.answers)

    @property
    def cut_at(self) -> tuple[Place, ...]:
        """The boundaries at which it ended, as far as they are known, in order of place."""
        read = self.analysis.cut_at if "analysis" in self.__dict__ else ()
        every = (
            *read,
            *self.rewrite_cut_at,
            *(place for one in self.answers for place in one.cut_at),
        )
        return tuple(sorted(set(every), key=lambda place: (place.path, place.span.start)))

    @property
    def hidden(self) -> int:
        """How many findings only a `# noqa` without codes leaves out."""
        return len(self.found_hidden) + sum(one.hidden for one in self.answers)

    @property
    def extent(self) -> Extent:
        """How much of the project has been followed."""
        from dlfix.reach.extent import Extent

        if self.answers:
            loaders, others, unknown = zip(*(one.extent for one in self.answers), strict=True)
            return Extent(sum(loaders), sum(others), sum(unknown))
        if self.rewrite_extent is not None:
            return self.rewrite_extent
        return self.analysis.extent if "analysis" in self.__dict__ else Extent()

    @cached_property
    def scopes(self) -> dict[Path | None, Settings]:
        """The settings in force for one file or another, by the configuration they are from."""
        scopes = {self.settings.file: self.settings}
        for path in self.files:
            settings = self.settings.of(path)
            scopes.setdefault(settings.file, settings)
        return scopes

    @cached_property
    def rules(self) -> list[type[Rule]]:
        """The rules in force in some file."""
        found = {rule.code: rule for rules in self._rules.values() for rule in rules}
        return [found[code] for code in sorted(found)]

    @cached_property
    def _rules(self) -> dict[Path | None, list[type[Rule]]]:
        return {file: self._selected(settings) for file, settings in self.scopes.items()}

    def _selected(self, settings: Settings) -> list[type[Rule]]:
        from dlfix.rules.registry import all_rules

        return selection.select(all_rules(), settings, likely=self.likely)

    def rules_of(self, path: Path) -> list[type[Rule]]:
        """Return the rules in force in one file."""
        settings = self.settings.of(path)
        if settings.file not in self._rules:  # of a file that was not named
            self._rules[settings.file] = self._selected(settings)
        return self._rules[settings.file]

    def text(self, path: Path) -> str:
        """Return a file's Python text as the analysis reads it; "" where there is none."""
        return self.project.text(path)

    def readable(self, path: Path, text: str) -> str:
        """Return a text as a person wants to see it; row by row the same."""
        book = self.notebooks.get(path)
        return book.readable(text) if book is not None else text

    def still(
        self,
        texts: Mapping[Path, str],
        moved: Collection[Path],
        found: Sequence[Diagnosis],
    ) -> Session | None:
        """Return a session on other texts, and on files that are no longer on disk what they were.

        None if another reading might find something else than what was found here, or elsewhere.
        """
        differing = {p for p in {*self.texts, *texts} if self.texts.get(p) != texts.get(p)}
        differing |= {*moved}
        if self.loose or any(path.suffix == ".ipynb" for path in differing):
            return None
        books = {path: book.text for path, book in self.notebooks.items()}
        plain = {path: text for path, text in texts.items() if path.suffix != ".ipynb"}
        after = after_edits(self.project, {**plain, **books}, differing, found)
        if after is None:
            return None
        project, edits = after
        session = replace(self, texts=dict(texts), previews={}, tell=silent, base=None)
        session.__dict__.update(project=project, notebooks=self.notebooks, catalog=self.catalog)
        if "analysis" in self.__dict__ and not any(edit.moves_rows for edit in edits):
            session.__dict__["analysis"] = self.analysis
        return session

    # What is found

    def part(self, files: Sequence[Path]) -> Session:
        """Return a session on some of the files, which nothing in the others leads to."""
        return Session(files, self.settings, named=self.named, tell=self.tell, noting=self.noting)

    def diagnoses(self) -> list[Diagnosis]:
        """Return what the rules in force find, with fixes and refusals, in order of place."""
        if not self._may_find:
            return []
        from dlfix.fixing import engine

        rules = self.rules
        watch = Watch(self)
        found = engine.inspect(
            self.analysis, rules,
            unsafe=self._allows(None), keep=watch.keep, within=self._changeable,
            errors=self.bugs, tell=self.tell, unfixable=self.unfixable, prefer=self._prefers,
            creates=self._creates,
        )  # fmt: skip
        self.found_hidden = watch.hidden
        found += watch.unused(self.project, rules)
        return sorted(found, key=by_place)

    @cached_property
    def _may_find(self) -> bool:
        """Whether any file names what starts workers, or has a comment of ours."""
        said = self.likely or any(settings.says_codes for settings in self.scopes.values())
        rules = self.rules if said else ()  # an unknown code is an error, whatever there is to find
        from dlfix.rules.registry import may_find

        further = (word for rule in rules for word in rule.words)
        return may_find(self.project, (*self.catalog.words, *MARKS, *further))

    def unreadable(self) -> list[SourceError]:
        """Return the files that could not be used, each once."""
        listed = frozenset(self.files)
        errors = {error.path: error for error in self.project.errors if error.path in listed}
        errors.update(
            {error.path: error for error in self.errors if not self._is_around(error.path)}
        )
        errors.update({error.path: error for one in self.answers for error in one.unreadable})
        return sorted(errors.values(), key=lambda error: error.path)

    def _is_around(self, path: Path) -> bool:
        """Return whether a file is read for the sake of others only."""
        return path not in self.files and path in self.around

    def serious(self) -> list[SourceError]:
        """Return those of them that may hide something: not what nothing that is followed leads to."""
        harmless = {e.path for one in self.answers for e in one.unreadable}
        harmless -= {e.path for one in self.answers for e in one.serious}
        return [
            error
            for error in self.unreadable()
            if error.path not in harmless and (self.settings.strict or self._matters(error))
        ]

    def _matters(self, error: SourceError) -> bool:
        path = error.path
        if path in self.named or path in self.project.imported or path not in self.project.unparsed:
            return True
        return self.project.holds(path, self.catalog.words)

    def preview_all(self, fixes: Sequence[Fix], jobs: int) -> None:
        """Work previews out ahead, in several processes where there are enough of them."""
        from dlfix import previews

        sheets = [
            fix
            for fix in fixes
            if id(fix) not in self.previews
            and not any(isinstance(e.plan, Removal) for e in fix.edits)
        ]
        self.previews.update(previews.make(sheets, self.text, jobs, self.tell))

    def limit_previews(self, fixes: Iterable[Fix]) -> int:
        """Leave out the previews of fixes beyond as many of one file as are shown; say how many."""
        from dlfix import previews

        left_out = previews.too_many(fixes)
        self.previews.update({id(fix): {} for fix in left_out})
        return len(left_out)

    def preview(self, fix: Fix) -> dict[Path, str]:
        """Return the texts that one fix alone makes; none where it cannot be carried out."""
        from dlfix import previews

        if id(fix) in self.previews:
            return self.previews[id(fix)]
        if any(isinstance(edit.plan, Removal) for edit in fix.edits):
            return {
                edit.path: edit.plan.carry_out(self.text(edit.path))
                for edit in fix.edits
                if isinstance(edit.plan, Removal)
            }
        return previews.one(fix, self._sheets)

    @cached_property
    def _sheets(self) -> Sheets:
        from dlfix.fixing.rewriting import Sheets

        return Sheets(self.text)

    # What is rewritten

    def rewrite(
        self,
        *,
        unsafe: bool | None = None,
        choose: Choose | None = None,
    ) -> Outcome:
        """Apply fixes until nothing more can be mended; nothing is written to disk.

        Unsafe ones too where `unsafe`, or where it is None the settings of a file, say so.
        """
        from dlfix.fixing import engine

        done = engine.rewrite(
            self.project, self.catalog, self.rules,
            unsafe=self._allows(unsafe), choose=choose, keep=Watch(self).keep,
            within=self._changeable, tell=self.tell, unfixable=self.unfixable, prefer=self._prefers,
            creates=self._creates,
        )  # fmt: skip
        self.rewrite_cut_short, self.rewrite_cut_at = done.cut_short, done.cut_at
        self.rewrite_extent = done.extent
        texts = dict(done.texts)
        applied, left = list(done.applied), list(done.left)
        self._remove_unused(done.project, texts, applied, choose)
        self._add_ignores([one for one in left if one.ignored], done.project, texts)
        left = [one for one in left if not one.ignored]
        before = {path: self.text(path) for path in texts}
        changes = tuple(self._change(path, text) for path, text in sorted(texts.items()))
        left_before = tuple(one for one in done.left_before if not one.ignored)
        return Outcome(
            changes,
            before,
            texts,
            tuple(applied),
            tuple(left),
            done.project,
            done.errors,
            left_before,
        )

    @property
    def _changeable(self) -> frozenset[Path]:
        """The files that a fix may change."""
        return frozenset(self.files)

    @property
    def _creates(self) -> bool:
        """Whether a fix may make files next to these: a text that is not on disk has nothing next to it."""
        return not self.texts

    def _prefers(self, path: Path) -> str:
        """Return the form that a file's fixes are to have."""
        return self.settings.of(path).prefer

    def _allows(self, unsafe: bool | None) -> bool | Callable[[Finding], bool]:
        """Return which unsafe fixes are taken; the settings of each file decide where it is None."""
        if unsafe is not None:
            return unsafe
        return lambda finding: self.settings.of(finding.place.path).unsafe_fixes

    def unfixable(self, finding: Finding) -> bool:
        """Return whether the settings say that a finding is only reported."""
        return not selection.fixable(finding.rule, self.settings.of(finding.place.path))

    def _remove_unused(
        self,
        project: Project,
        texts: dict[Path, str],
        applied: list[Planned],
        choose: Choose | None,
    ) -> None:
        from dlfix.fixing.engine import find
        from dlfix.fixing.plans import Fix, Planned
        from dlfix.reach.analysis import analyze

        if choose is not None or not Watch.asked(self.rules):
            return
        if next(project.holding(MARKS), None) is None:
            return
        watch = Watch(self)
        find(analyze(project, self.catalog), self.rules, keep=watch.keep, errors=[])
        removed: dict[Path, list[suppression.Removed]] = defaultdict(list)
        for diagnosis in reversed(watch.unused(project, self.rules)):
            fix = diagnosis.outcome
            if not isinstance(fix, Fix):
                continue
            for edit in fix.edits:
                assert isinstance(edit.plan, Removal)
                removed[edit.path].append((edit.plan.suppression, edit.plan.codes))
            applied.append(Planned((diagnosis.finding,), fix))
        for path, pairs in removed.items():
            source = project.source(path)
            text = texts.get(path, source.text if source else "")
            texts[path] = suppression.without_all(text, pairs)

    def _change(self, path: Path, text: str) -> Change:
        if path in self.notebooks:
            book = self.notebooks[path]
            return Change(path, book.data, book.rewritten(text))
        if path in self.texts:
            return Change(
                path, *(one.encode(errors="surrogatepass") for one in (self.texts[path], text))
            )
        if not self.project.knows(path):
            return Change(path, None, text.encode())
        source = self.project.source(path)
        assert source is not None
        return Change(path, source.data, source.encode(text))

    def _say_unwritable(self, path: Path) -> None:
        reason = self.project.module(path).source.unwritable
        if reason is not None:  # what does not parse is reported anyway
            self.errors.append(SourceError(path, None, f"not written: {reason}"))

    def _add_ignores(
        self, diagnoses: Sequence[Diagnosis], project: Project, texts: dict[Path, str]
    ) -> None:
        """Put comments into texts that suppress findings of a project."""
        places: dict[Path, list[tuple[Sequence[int], str]]] = defaultdict(list)
        for one in diagnoses:
            if (place := self._comment_place(one.finding)) is not None:
                places[place[0]].append((place[1], one.finding.code))
        for path, found in places.items():
            text = texts.get(path, project.module(path).text)
            closed = suppression.closed_rows(text)
            rows: dict[int, list[str]] = defaultdict(list)
            for possible, code in found:
                rows[_comment_row(closed, possible)].append(code)
            texts[path] = suppression.add(text, rows)

    def _comment_place(self, finding: Finding) -> tuple[Path, Sequence[int]] | None:
        """Return the file and the rows where a comment suppresses a finding: its object's, or else its boundary's."""
        own, span = frozenset(self.files), finding.place.span
        if finding.place.path in own or not finding.trace:
            return finding.place.path, range(span.start.row, span.end.row + 1)
        boundary = finding.trace[0].place
        rows = (boundary.span.start.row, boundary.span.end.row)
        return (boundary.path, rows) if boundary.path in own else None

    def suppressing(self, finding: Finding) -> tuple[Path, str] | None:
        """Return a file and its text with a comment that suppresses a finding; None where none can stand."""
        place = self._comment_place(finding)
        if finding.code == suppression.OWN or place is None or not _whole(place[0], self.project):
            return None
        path, rows = place
        text = self.text(path)
        row = _comment_row(suppression.closed_rows(text), rows)
        return path, suppression.add(text, {row: [finding.code]})

    def baseline(self) -> tuple[list[Change], int]:
        """Return the changes that suppress every finding of today, and how many there are.

        Comments that suppress nothing are removed, so that DLF900 finds nothing afterwards.
        """
        rows: dict[Path, dict[int, list[str]]] = defaultdict(dict)
        idle: dict[Path, dict[int, set[str]]] = defaultdict(dict)
        closed: dict[Path, frozenset[int]] = {}
        count = 0
        for diagnosis in self.diagnoses():
            place = self._comment_place(diagnosis.finding)
            if place is None:
                continue
            path, possible = place
            if not _whole(path, self.project):
                self._say_unwritable(path)
                continue
            if (plan := _removal(diagnosis)) is not None:
                idle[path].setdefault(possible[0], set()).update(plan.codes)
                continue
            if path not in closed:
                closed[path] = suppression.closed_rows(self.text(path))
            row = _comment_row(closed[path], possible)
            rows[path].setdefault(row, []).append(diagnosis.finding.code)
            count += 1
        return [
            self._change(path, self._suppressed(path, rows[path], idle[path]))
            for path in sorted({*rows, *idle})
        ], count

    def _suppressed(
        self, path: Path, codes: dict[int, list[str]], idle: dict[int, set[str]]
    ) -> str:
        text = suppression.add(self.text(path), codes)
        return suppression.without_idle(text, idle, codes)


@dataclass(frozen=True)
class Edit:
    """How a file's text has changed."""

    path: Path
    old: str
    new: str

    @property
    def moves_rows(self) -> bool:
        """Whether what comes after it is in other rows."""
        return self.old.count("\n") != self.new.count("\n")

    def is_unseen(self, found: Sequence[Diagnosis]) -> bool:
        """Return whether comments, places and imports of what was found are what they were."""
        old, new = (text.encode(errors="surrogatepass") for text in (self.old, self.new))
        if imported(self.path, old) != imported(self.path, new) or self._changes_suppressions:
            return False
        return not self.moves_rows or not any(self.path.name in repr(one) for one in found)

    @property
    def _changes_suppressions(self) -> bool:
        """Whether a comment that may suppress something stands in a row that changed."""
        change = change_between(*map(_rows, (self.old, self.new)))
        if change is None:
            return False
        before, after = map(suppression.read, (self.old, self.new))
        return any(change.first <= row <= change.last for row in before) or any(
            change.first <= row <= change.last_after for row in after
        )


def after_edits(
    project: Project,
    texts: Mapping[Path, str],
    changed: Collection[Path],
    found: Sequence[Diagnosis],
) -> tuple[Project, list[Edit]] | None:
    """Return a project with these texts, and the edits, if nobody would notice them who was told what was found.

    Edits in several places are compared one after the other, each with the text that the one before left.
    """
    at_once = _after_one(project, texts, changed, found)
    if at_once is not None:
        return at_once
    now = project.renewed(project.files, texts, changed)
    between = [
        (path, text) for path in changed for text in steps(project.text(path), now.text(path))
    ]
    if not 0 < len(between) <= _MOST_STEPS:
        return None
    edits: list[Edit] = []
    for path, text in between:
        step = _after_one(project, {**project.texts, path: text}, [path], found)
        if step is None:
            return None
        project = step[0]
        edits += step[1]
    last = _after_one(project, texts, changed, found)
    return None if last is None else (last[0], [*edits, *last[1]])


def _after_one(
    before: Project,
    texts: Mapping[Path, str],
    changed: Collection[Path],
    found: Sequence[Diagnosis],
) -> tuple[Project, list[Edit]] | None:
    after = before.still(before.files, texts, changed)
    if after is None:
        return None
    edits = [Edit(path, before.text(path), after.text(path)) for path in changed]
    return (after, edits) if all(edit.is_unseen(found) for edit in edits) else None


def _rows(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _removal(diagnosis: Diagnosis) -> Removal | None:
    """Return the plan that takes an unused suppression out; None for other findings."""
    edits = getattr(diagnosis.outcome, "edits", ())
    plan = edits[0].plan if edits else None
    return plan if isinstance(plan, Removal) else None


def _comment_row(closed: frozenset[int], rows: Sequence[int]) -> int:
    """Return the first row that can carry a comment."""
    return next((row for row in rows if row not in closed), rows[-1])


def by_place(diagnosis: Diagnosis) -> tuple[Path, Position, Position, str]:
    """Return the key by which diagnoses are sorted."""
    place = diagnosis.finding.place
    return place.path, place.span.start, place.span.end, diagnosis.finding.code


@dataclass(frozen=True)
class Removal:
    """The plan of DLF900's fix: codes, or a whole comment, to take out of a row."""

    suppression: suppression.Suppression
    codes: tuple[str, ...]

    def carry_out(self, text: str) -> str:
        """Return the text without them."""
        return suppression.without(text, self.suppression, self.codes)


class Watch:
    """Leaves out what comments and per-file settings say to leave, and knows which did nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.per_file: dict[Path | None, Callable[[Finding], bool]] = {}
        self.listed = frozenset(session.files)
        # What is excluded is read for others only.
        self.own = session._changeable.union(session.around)
        self.left_out = selection.excluded(session.settings, nested=False)
        self.read: dict[tuple[Path, str], dict[int, list[suppression.Suppression]]] = {}
        self.hidden: set[tuple[str, Place]] = set()  # left out by a `noqa` for all tools alone

    @staticmethod
    def asked(rules: Iterable[type[Rule]]) -> bool:
        """Return whether unused suppressions are to be told."""
        return any(rule.code == "DLF900" for rule in rules)

    def keep(self, finding: Finding, project: Project) -> bool:
        """Return whether a finding stays; its places are in the project's texts."""
        path = finding.place.path
        is_own = path in self.own or not self.session.project.knows(path)  # one that a fix makes
        if not is_own and not self._is_imported(path):
            return False
        if path in self.session.notebooks and finding.code in NOT_IN_NOTEBOOKS:
            return False
        if finding.rule not in self.session.rules_of(path) or not self._kept_in_file(finding):
            return False
        near = list(self._near(finding, project))
        # All are asked, so that each knows whether it is of use.
        covering = [one for one in near if one.covers(finding.code, finding.rule.name)]
        if covering and not any(one.own or one.codes for one in covering):
            self.hidden.add((finding.code, finding.place))
        return not covering

    def _is_imported(self, path: Path) -> bool:
        """Return whether a file belongs to a script without a project because the script imports it."""
        return self.session.loose and not self.left_out(path)

    def _kept_in_file(self, finding: Finding) -> bool:
        settings = self.session.settings.of(finding.place.path)
        if settings.file not in self.per_file:
            self.per_file[settings.file] = selection.per_file(settings)
        return self.per_file[settings.file](finding)

    def _near(self, finding: Finding, project: Project) -> Iterator[suppression.Suppression]:
        """Yield the comments of the file, on the culprit's lines, and on the boundary's first and last.

        What is derived from a resource is a part of the resource's finding: its comment covers both.
        """
        span = finding.place.span
        comments = self._comments(finding.place.path, project)
        yield from (one for each in comments.values() for one in each if one.of_file)
        for row in range(span.start.row, span.end.row + 1):
            outer = row in (span.start.row, span.end.row)
            # A bare comment deep within a long culprit speaks of something else.
            near = [one for one in comments.get(row, []) if not one.of_file]
            yield from (one for one in near if outer or one.codes)
        from dlfix.fixing.derived_findings import origin_rows

        for row in origin_rows(finding):
            yield from (one for one in comments.get(row, []) if not one.of_file and one.codes)
        if finding.trace:
            boundary = finding.trace[0].place
            for row in sorted({boundary.span.start.row, boundary.span.end.row}):
                near = self._comments(boundary.path, project).get(row, [])
                yield from (one for one in near if not one.of_file)

    def _comments(self, path: Path, project: Project) -> dict[int, list[suppression.Suppression]]:
        source = project.unnoted(path)  # who edits around our comments asks for another reading
        text = source.text if source is not None else ""
        if (path, text) not in self.read:
            self.read[path, text] = suppression.read(text)
        return self.read[path, text]

    def unused(self, project: Project, rules: Sequence[type[Rule]]) -> list[Diagnosis]:
        """Return a finding for each comment that left nothing out."""
        if not self.asked(rules):
            return []
        rule = next(rule for rule in rules if rule.code == "DLF900")
        return [
            self._allowed(_idle(rule, path, one, codes))
            for path in project.holding(MARKS)
            if path in self.listed and rule in self.session.rules_of(path) and _whole(path, project)
            for comments in self._comments(path, project).values()
            for one in comments
            if (codes := _told(one, self._known(path)))
        ]

    def _allowed(self, diagnosis: Diagnosis) -> Diagnosis:
        return (
            replace(diagnosis, outcome=None)
            if self.session.unfixable(diagnosis.finding)
            else diagnosis
        )

    def _known(self, path: Path) -> set[str]:
        return {said for rule in self.session.rules_of(path) for said in (rule.code, rule.name)}


def _whole(path: Path, project: Project) -> bool:
    """Return whether all of a file was read, and it can be written."""
    module = project.get(path)
    return module is not None and module.broken is None and module.source.unwritable is None


def _told(one: suppression.Suppression, known: set[str]) -> tuple[str, ...]:
    """Return the idle codes; one of a rule that was not asked may well be needed."""
    from dlfix.rules.registry import all_rules

    exist = {rule.code for rule in all_rules()} | {rule.name for rule in all_rules()}
    return tuple(
        code for code in one.unused(exist)
        if not code or code.upper() in known or code in known or (code.upper() not in exist and code not in exist)
    )  # fmt: skip


def _idle(
    rule: type[Rule], path: Path, one: suppression.Suppression, codes: tuple[str, ...]
) -> Diagnosis:
    from dlfix.fixing.engine import Diagnosis
    from dlfix.fixing.plans import Applicability, Edit, Fix

    named = ", ".join(codes)
    what = f"Unused suppression of {named}" if named else "Unused suppression"
    place = Place(path, one.span)
    whole = len(codes) == len(one.codes) or not named
    message = "Remove the comment" if whole else f"Remove {named} from the comment"
    fix = Fix(message, Applicability.SAFE, (Edit(path, "", Removal(one, codes)),))
    return Diagnosis(Finding(rule, what, place, (Step(place, what),)), fix)


def from_stdin(data: bytes, path: Path, settings: Settings) -> tuple[Session, SourceText]:
    """Return a session on one text that comes from a pipe, under the name it is to have."""
    if path.suffix == ".ipynb":
        notebook.parse(path, data)
        source = SourceText(path, data, data.decode(), "utf-8")
    else:
        source = decode(path, data)
    session = Session((path,), settings, {path: source.text}, named=frozenset((path,)))
    if path.is_file():  # the text belongs to a project, as if the file had been named
        project = Session.open([path], settings)
        session.around, session.loose = project.around, project.loose
    return session, source
