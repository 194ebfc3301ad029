"""Which files there are: paths as a person names them, walked with .gitignore in mind."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.source.text import SourceError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".pyw", ".ipynb")

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
    walk = _Walk(_spec(exclude), gitignore)
    for path in paths:
        walk.take(Path(os.path.abspath(path)), path)
    return Found(tuple(walk.files.values()), tuple(walk.errors))


def _spec(patterns: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


@dataclass
class _Walk:
    exclude: GitIgnoreSpec
    gitignore: bool
    files: dict[str, Path] = field(default_factory=dict)  # by what they really are
    errors: list[SourceError] = field(default_factory=list)

    def take(self, path: Path, named: Path) -> None:
        if path.is_dir():
            rules = _rules_above(path) if self.gitignore else ()
            self._folder(path, path, rules)
        elif path.is_file():
            self._add(path)
        elif path.exists():
            self.errors.append(SourceError(path, None, "not a regular file"))
        elif path.is_symlink():
            self.errors.append(SourceError(path, None, "a symbolic link to nothing"))
        else:
            raise MissingPath(named)

    def _add(self, path: Path) -> None:
        self.files.setdefault(os.path.realpath(path), path)

    def _folder(self, folder: Path, root: Path, rules: tuple[_Rules, ...]) -> None:
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self.errors.append(SourceError(folder, None, error.strerror or str(error)))
            return
        if self.gitignore and any(entry.name == ".gitignore" for entry in entries):
            rules += tuple(_rules_of(folder, folder / ".gitignore"))
        for entry in entries:
            self._entry(entry, root, rules)

    def _entry(self, entry: os.DirEntry[str], root: Path, rules: tuple[_Rules, ...]) -> None:
        path = Path(entry.path)
        folder = entry.is_dir(follow_symlinks=False)
        if not folder and not entry.name.endswith(SUFFIXES):
            return
        shown = path.relative_to(root).as_posix() + ("/" if folder else "")
        if self.exclude.match_file(shown) or _ignored(path, folder, rules):
            return
        if folder:
            self._folder(path, root, rules)
        elif entry.is_file() and (not entry.is_symlink() or _within(path, root)):
            self._add(path)


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
            return verdict
    return False


def _rules_of(base: Path, file: Path) -> Iterator[_Rules]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    yield _Rules(base, _spec(lines))


@functools.lru_cache(maxsize=64)
def _rules_above(folder: Path) -> tuple[_Rules, ...]:
    """Collect the .gitignore files from the top of the git work tree down to above `folder`."""
    top = next((p for p in (folder, *folder.parents) if (p / ".git").exists()), None)
    if top is None:
        return ()
    rules = list(_rules_of(top, top / ".git" / "info" / "exclude"))
    for parent in reversed(folder.parents):
        if parent.is_relative_to(top):
            rules += _rules_of(parent, parent / ".gitignore")
    return tuple(rules)
