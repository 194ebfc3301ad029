"""Which files there are: paths as a person names them, walked with .gitignore in mind."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.source import seen
from dlfix.source.text import SourceError, contents

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = seen.SUFFIXES
MOST = 1 << 20  # bytes of a .gitignore that are read
_NAME = re.compile(r"[\w.-]*[\w-]", re.ASCII)  # a pattern that has no more to it

EXCLUDED = (
    ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "build", "dist",
    "node_modules", "site-packages", "venv",
)  # fmt: skip


class MissingPath(Exception):
    """A path that a person named does not exist."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no such file or directory")


@dataclass(frozen=True)
class Found:
    """The Python files under some paths, and what could not be looked into."""

    files: tuple[Path, ...]
    errors: tuple[SourceError, ...] = ()


def discover(
    paths: Sequence[Path], *, exclude: Sequence[str] = EXCLUDED, gitignore: bool = True
) -> Found:
    """Return the Python files that `paths` name or hold, absolute, each once, in order.

    A file that is named is taken whatever it is called. Symbolic links to folders are not followed,
    those to files only where they stay below the path that was named.
    """
    walk = _Walk(Patterns(exclude), gitignore)
    for path in paths:
        walk.take(Path(os.path.abspath(path)), path)
    return Found(tuple(walk.files.values()), tuple(walk.errors))


class Patterns:
    """Patterns as .gitignore has them, of paths that are written with `/`, folders with one at the end."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._names = frozenset(lines)
        self._are_names = all(_NAME.fullmatch(line) for line in lines)
        self._spec = None if self._are_names else _spec(lines)

    def match_file(self, shown: str) -> bool:
        """Return whether they match a path; names alone match each part of it."""
        if self._spec is None:
            return not self._names.isdisjoint(shown.split("/"))
        return self._spec.match_file(shown)


def _spec(patterns: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # takes as long as all else to check a small project

    from dlfix.source.wildcards import in_one_try

    spec = GitIgnoreSpec.from_lines(patterns)
    for pattern in spec.patterns:
        if pattern.regex is not None:
            pattern.regex = in_one_try(pattern.regex)
    return spec


def is_pattern(line: str) -> bool:
    """Return whether a line is a pattern that can be used."""
    try:
        _spec([line])
    except (ValueError, re.error):
        return False
    return True


@dataclass
class _Walk:
    exclude: Patterns
    gitignore: bool
    files: dict[str, Path] = field(default_factory=dict)  # by what they really are
    errors: list[SourceError] = field(default_factory=list)

    def take(self, path: Path, named: Path) -> None:
        # Of `os.path`: a name that is too long, or may not be looked at, is not there.
        if seen.is_dir(path):
            rules = _rules_above(path) if self.gitignore else ()
            self._folder(path, path, rules)
        elif seen.is_file(path):
            self._add(path)
        elif seen.exists(path):
            self.errors.append(SourceError(path, None, "not a regular file"))
        elif os.path.islink(path):
            self.errors.append(SourceError(path, None, "a broken symbolic link"))
        else:
            raise MissingPath(named)

    def _add(self, path: Path) -> None:
        self.files.setdefault(os.path.realpath(path), path)

    def _folder(self, folder: Path, root: Path, rules: tuple[_Rules, ...]) -> None:
        """Take what a folder holds, depth first; a stack, as folders may lie deeper than calls."""
        pending = [iter(self._entries(folder, root, rules))]
        while pending:
            inner = next(pending[-1], None)
            if inner is None:
                pending.pop()
            elif inner[1] is None:
                self._add(inner[0])
            else:
                pending.append(iter(self._entries(inner[0], root, inner[1])))

    def _entries(
        self, folder: Path, root: Path, rules: tuple[_Rules, ...]
    ) -> Iterator[tuple[Path, tuple[_Rules, ...] | None]]:
        """Yield a folder's files, and its folders with the rules that hold there."""
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            seen.listed(folder, None)
            self.errors.append(SourceError(folder, None, error.strerror or str(error)))
            return
        seen.listed(folder, entries)
        if self.gitignore and any(entry.name == ".gitignore" for entry in entries):
            rules += tuple(_rules_of(folder, folder / ".gitignore"))
        for entry in entries:
            try:
                taken = self._taken(entry, root, rules)
            except OSError:  # links in a circle, or gone since
                continue
            if taken:
                is_folder = entry.is_dir(follow_symlinks=False)
                yield Path(entry.path), rules if is_folder else None

    def _taken(self, entry: os.DirEntry[str], root: Path, rules: tuple[_Rules, ...]) -> bool:
        path = Path(entry.path)
        folder = entry.is_dir(follow_symlinks=False)
        if not folder and not entry.name.endswith(SUFFIXES):
            return False
        shown = path.relative_to(root).as_posix() + ("/" if folder else "")
        if self.exclude.match_file(shown) or _ignored(path, folder, rules):
            return False
        return folder or (entry.is_file() and (not entry.is_symlink() or _within(path, root)))


def _within(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


@dataclass(frozen=True)
class _Rules:
    """One .gitignore: patterns that hold below a folder."""

    base: Path
    spec: GitIgnoreSpec


def _ignored(path: Path, folder: bool, rules: Sequence[_Rules]) -> bool:
    """Tell as git would: the deepest file that has a say wins, and in it the last line."""
    for one in reversed(rules):
        shown = path.relative_to(one.base).as_posix() + ("/" if folder else "")
        verdict = one.spec.check_file(shown).include
        if verdict is not None:
            return verdict and not (folder and _is_taken_in_again(one.spec, shown))
    return False


def _is_taken_in_again(spec: GitIgnoreSpec, folder: str) -> bool:
    """Return whether the last pattern for a folder itself takes it in: `!*/` below `*`, which pathspec ranks lower."""
    for pattern in reversed(spec.patterns):
        regex = pattern.regex if pattern.include is not None else None
        for match in regex.finditer(folder) if regex is not None else ():
            end = match.groupdict().get("ps_d") and match.end("ps_d")
            if not end or end == len(folder):
                return not pattern.include
    return False


def _rules_of(base: Path, file: Path) -> Iterator[_Rules]:
    """Yield the rules of a file, if it can be read; git passes over lines that are no patterns, too."""
    try:
        lines = contents(file, MOST).decode("utf-8", "replace").splitlines()
    except SourceError:
        return
    try:
        yield _Rules(base, _spec(lines))
    except (ValueError, re.error):
        yield _Rules(base, _spec([line for line in lines if is_pattern(line)]))


def _rules_above(folder: Path) -> tuple[_Rules, ...]:
    """Collect the .gitignore files from the top of the git work tree down to above `folder`."""
    top = next((p for p in (folder, *folder.parents) if seen.exists(p / ".git")), None)
    if top is None:
        return ()
    rules = list(_rules_of(top, top / ".git" / "info" / "exclude"))
    for parent in reversed(folder.parents):
        if parent.is_relative_to(top):
            rules += _rules_of(parent, parent / ".gitignore")
    return tuple(rules)
