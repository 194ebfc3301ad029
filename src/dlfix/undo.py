"""Writing what an apply makes, so that it can be taken back; and taking it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dlfix import journal
from dlfix.journal import Busy, Entry, File, Journal, NoJournal
from dlfix.source.text import SourceError
from dlfix.source.writing import Change, PartlyWritten, Target, resolve, write

Say = Callable[[str], None]


class NothingToUndo(Exception):
    """There is no apply to take back; the message says why."""


def home(start: Path) -> Path:
    """Return the root of the project that a folder is in; the folder itself where none is marked."""
    for marks in ((".git",), ("dlfix.toml", "pyproject.toml")):
        for folder in (start, *start.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    return start


# Writing


@dataclass(frozen=True)
class Written:
    """What came of writing."""

    paths: frozenset[Path] = frozenset()  # what was rewritten, as the changes name it
    error: SourceError | None = None
    undoable: bool = False


def record(
    changes: Sequence[Change], named: Sequence[Path], say: Say, command: str = "apply"
) -> Written:
    """Write changes and note them in the journal; files only below the project or what was named."""
    if not changes:
        return Written()
    start = Path.cwd()
    within = [home(start), *(path if path.is_dir() else path.parent for path in named)]
    try:
        targets = [resolve(change, within) for change in changes]
    except SourceError as error:
        return Written(error=error)
    tree = _tree(targets, start)
    try:
        with journal.opened(tree, say) as kept:
            return _record(kept, [_from(tree, target) for target in targets], say, command)
    except Busy as error:
        return Written(error=SourceError(tree, None, str(error)))
    except NoJournal as error:
        say(f"{error}; `dlfix undo` cannot undo this apply")
        return _write(targets, "", say, undoable=False)


def _tree(targets: Sequence[Target], start: Path) -> Path:
    """Return the folder whose journal notes the changes: the project, if it holds them all."""
    project = Path(os.path.realpath(home(start)))
    if all(target.path.is_relative_to(project) for target in targets):
        return project
    return home(Path(os.path.commonpath([target.path.parent for target in targets])))


def _from(tree: Path, target: Target) -> Target:
    return Target(target.change, tree, target.path.relative_to(tree).parts)


def _record(kept: Journal, targets: Sequence[Target], say: Say, command: str) -> Written:
    entry = kept.begin(command, targets)
    try:
        written = _write(targets, entry.token, say, undoable=True)
    except BaseException:
        kept.recover()
        raise
    files = [
        file
        for file, target in zip(entry.files, targets, strict=True)
        if target.change.path in written.paths
    ]
    try:
        kept.finish(entry, files)
        kept.forget_oldest()
    except NoJournal as error:
        say(f"{error}; `dlfix undo` will treat this apply as interrupted")
    return written


def _write(targets: Sequence[Target], token: str, say: Say, *, undoable: bool) -> Written:
    try:
        write(targets, token, say)
    except PartlyWritten as error:
        done = frozenset(target.change.path for target in error.written)
        return Written(done, error, undoable and bool(done))
    except SourceError as error:
        return Written(error=error)
    return Written(frozenset(target.change.path for target in targets), None, undoable)


def wrote(start: Path, say: Say) -> frozenset[str]:
    """Return hashes of the texts that earlier applies gave the files of a project."""
    tree = Path(os.path.realpath(home(start)))
    try:
        if not journal.exists(tree):
            return frozenset()
        with journal.opened(tree, say) as kept:
            return frozenset(file.after for entry in kept.entries() for file in entry.files)
    except (NoJournal, Busy):
        return frozenset()


# Taking back


@dataclass
class Undoing:
    """What taking back the last apply does."""

    tree: Path
    entry: Entry
    targets: list[Target] = field(default_factory=list)
    edited: list[Path] = field(default_factory=list)  # changed since, and left as they are
    outside: int = 0  # files of that apply that are not asked for
    settled: dict[int, list[File]] = field(default_factory=dict)  # by entry: as before, then


def undo(start: Path, *, everything: bool = False, say: Say = lambda note: None) -> Undoing:
    """Put back the last apply, below `start` or with `everything` in the whole project."""
    with _journal(start, everything, say) as (kept, scope):
        group = _last(kept, scope)
        plan = _plan(kept, group, scope)
        if plan.targets:
            _put_back(kept, group, plan, say)
        elif plan.edited:
            names = ", ".join(map(str, plan.edited))
            raise NothingToUndo(
                f"changed since the last apply, not restored: {names} (`dlfix undo --forget` removes "
                "that apply from the list)"
            )
        else:
            _settle(kept, group, plan)
        return plan


def preview(start: Path, *, everything: bool = False, say: Say = lambda note: None) -> Undoing:
    """Return what `undo` would do."""
    with _journal(start, everything, say) as (kept, scope):
        return _plan(kept, _last(kept, scope), scope)


def forget(start: Path, *, everything: bool = False, say: Say = lambda note: None) -> Undoing:
    """Drop the last apply from the journal; the files stay as they are."""
    with _journal(start, everything, say) as (kept, scope):
        group = _last(kept, scope)
        plan = _plan(kept, group, scope)
        for entry in group:
            left = [file for file in entry.files if not _within(file, scope)]
            kept.finish(entry, left)
        return plan


def applies(
    start: Path, *, everything: bool = False, say: Say = lambda note: None
) -> list[tuple[Entry, list[Path]]]:
    """Return the applies that can be taken back, the newest first, with their files."""
    with _journal(start, everything, say) as (kept, scope):
        return [
            (entry, [kept.tree.joinpath(*file.parts) for file in files])
            for entry in kept.entries()
            if (files := [file for file in entry.files if _within(file, scope)])
        ]


@contextmanager
def _journal(start: Path, everything: bool, say: Say) -> Iterator[tuple[Journal, tuple[str, ...]]]:
    """Open the nearest journal that has something at or below `start`, and give the scope in it."""
    start = Path(os.path.realpath(start))
    try:
        for tree in (start, *start.parents):
            if not journal.exists(tree):
                continue
            with journal.opened(tree, say) as kept:
                scope = () if everything else start.relative_to(tree).parts
                if any(_within(file, scope) for entry in kept.entries() for file in entry.files):
                    yield kept, scope
                    return
    except (NoJournal, Busy) as error:
        raise NothingToUndo(str(error)) from error
    raise NothingToUndo("nothing to undo in this folder")


def _within(file: File, scope: tuple[str, ...]) -> bool:
    return file.parts[: len(scope)] == scope


def _last(kept: Journal, scope: tuple[str, ...]) -> list[Entry]:
    """Return the last apply, and those before it that it went on with after they were killed."""
    group: list[Entry] = []
    for entry in kept.entries():
        if not any(_within(file, scope) for file in entry.files):
            continue
        if group and entry.kind != "part":
            break
        group.append(entry)
    return group


def _plan(kept: Journal, group: Sequence[Entry], scope: tuple[str, ...]) -> Undoing:
    plan = Undoing(kept.tree, group[0])
    now: dict[tuple[str, ...], bytes | None] = {}
    then: dict[tuple[str, ...], bytes | None] = {}
    edited: set[tuple[str, ...]] = set()
    for entry in group:
        for file in entry.files:
            parts = file.parts
            if not _within(file, scope):
                plan.outside += 1
                continue
            if parts in edited:
                continue
            if parts not in now:
                now[parts] = kept.now(file)
            if not _is_ours(then.get(parts, now[parts]), file):
                edited.add(parts)
                continue
            then[parts] = file.before
            plan.settled.setdefault(entry.number, []).append(file)
    for parts, data in sorted(then.items()):
        if now[parts] is not None and now[parts] != data:
            change = Change(kept.tree.joinpath(*parts), now[parts], data)
            plan.targets.append(Target(change, kept.tree, parts))
    plan.edited = [kept.tree.joinpath(*parts) for parts in sorted(edited)]
    return plan


def _is_ours(holds: bytes | None, file: File) -> bool:
    """Return whether a file holds what it held before an apply, or what the apply wrote."""
    return holds == file.before or (holds is not None and journal.digest(holds) == file.after)


def _put_back(kept: Journal, group: Sequence[Entry], plan: Undoing, say: Say) -> None:
    group = [kept.reopen(entry) for entry in group]
    try:
        write(plan.targets, group[0].token, say)
    except PartlyWritten as error:
        done = {target.parts for target in error.written}
        undone = {target.parts for target in plan.targets} - done
        for files in plan.settled.values():
            files[:] = [file for file in files if file.parts not in undone]
        _settle(kept, group, plan)
        raise
    except SourceError:
        plan.settled.clear()
        _settle(kept, group, plan)
        raise
    except BaseException:
        kept.recover()
        raise
    _settle(kept, group, plan)


def _settle(kept: Journal, group: Sequence[Entry], plan: Undoing) -> None:
    """Keep of each apply what was not put back."""
    for entry in group:
        done = plan.settled.get(entry.number, [])
        kept.finish(entry, [file for file in entry.files if file not in done])
