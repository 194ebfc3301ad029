"""What a run looks at on disk, so that a later run can tell whether it would see the same.

Three kinds of things are noted while somebody watches: the files that are read, with what `stat` says of them; the
folders that are listed; and the answers to single questions ("is this a file?") that no listing gives.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

# Nothing else in a folder decides what is read; a question about another name is noted by itself.
SUFFIXES = (".py", ".pyw", ".ipynb")
NAMES = frozenset({
    ".git", ".gitignore", "dlfix.toml", "pyproject.toml", "setup.cfg", "ruff.toml", ".ruff.toml",
    ".flake8", "tox.ini",
})  # fmt: skip
_NEVER = "__pycache__"  # comes and goes with every run of a program
_YOUNG = 2_000_000_000  # ns: a file may change again without a change of its times

_QUESTIONS: dict[str, Callable[[str | Path], bool]] = {
    "file": os.path.isfile,
    "folder": os.path.isdir,
    "any": os.path.exists,
}


@dataclass
class Seen:
    """What was looked at since `watch`."""

    files: dict[str, list[Any]] = field(default_factory=dict)
    folders: dict[str, dict[str, str]] = field(default_factory=dict)
    answers: dict[tuple[str, str], bool] = field(default_factory=dict)
    steady: bool = True  # nothing changed meanwhile, and all that is there could be read
    parts: list[dict[str, Any]] = field(default_factory=list)  # what others saw, as data

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data, without the answers that a listing gives."""
        answers = dict.fromkeys(
            (path, question, True) if answer else (*_shortest(path, question), False)
            for (path, question), answer in self.answers.items()
            if not self._is_listed(path, question, answer)
        )
        folders = {path: _digest(names) for path, names in self.folders.items()}
        files = dict(self.files)
        for part in self.parts:
            files.update(part["files"])
            folders.update(part["folders"])
            answers.update(dict.fromkeys(map(tuple, part["answers"])))
        return {"files": files, "folders": folders, "answers": list(answers)}

    def take(self, data: dict[str, Any], steady: bool = True) -> None:
        """Take in what was seen for a part of the work."""
        both = self.files.keys() & data["files"].keys()
        same = all(self.files[path][:-1] == data["files"][path][:-1] for path in both)
        self.steady = self.steady and steady and same
        self.parts.append(data)

    def _is_listed(self, path: str, question: str, answer: bool) -> bool:
        folder, name = os.path.split(path)
        kind = self.folders.get(folder, {}).get(name)
        if answer:
            return kind == {"file": "f", "folder": "d"}.get(question, kind) and kind in ("f", "d")
        return (_counts(name) or question == "folder") and self._is_absent(path)

    def _is_absent(self, path: str) -> bool:
        """Return whether a listing shows that there is nothing, or no folder above it."""
        folder, name = os.path.split(path)
        if folder in self.folders:
            return name not in self.folders[folder] and name != _NEVER
        return folder != path and self._is_absent(folder)


def _shortest(path: str, question: str) -> tuple[str, str]:
    """Return the question with the same answer, no, that answers for most: no such folder, no file in it."""
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder) and not os.path.exists(folder):
        path, question = folder, "any"
        folder = os.path.dirname(folder)
    return path, question


_watched: Seen | None = None


def watch() -> Seen:
    """Note from now on, and nothing of before."""
    global _watched
    _watched = Seen()
    return _watched


@contextlib.contextmanager
def apart() -> Iterator[Seen]:
    """Note what is looked at meanwhile by itself; `Seen.take` adds it to the rest."""
    global _watched
    outer = _watched
    _watched = Seen()
    try:
        yield _watched
    finally:
        _watched = outer


def watched() -> Seen | None:
    """Return what has been noted; None where nobody watches."""
    return _watched


def is_file(path: str | Path) -> bool:
    """Return whether there is a file."""
    return _asked(path, "file")


def is_dir(path: str | Path) -> bool:
    """Return whether there is a folder."""
    return _asked(path, "folder")


def exists(path: Path) -> bool:
    """Return whether there is anything."""
    return _asked(path, "any")


def _asked(path: str | Path, question: str) -> bool:
    answer = _QUESTIONS[question](path)
    if _watched is not None:
        before = _watched.answers.setdefault((str(path), question), answer)
        _watched.steady = _watched.steady and before == answer
    return answer


def read(path: Path, about: os.stat_result, data: bytes) -> None:
    """Note a file that was read; `about` is from before."""
    if _watched is None:
        return
    stamp = [*_stamp(about), _hash(data) if _is_young(about) else ""]
    before = _watched.files.setdefault(str(path), stamp)
    _watched.steady = _watched.steady and before[:-1] == stamp[:-1]


def missed(path: Path) -> None:
    """Note a file that could not be read."""
    if _watched is not None and _asked(path, "any"):
        _watched.steady = False


def listed(folder: Path, entries: Iterable[os.DirEntry[str]] | None) -> None:
    """Note what is in a folder; None: it cannot be told."""
    if _watched is None:
        return
    if entries is None:
        _watched.steady = False
        return
    names = _kinds(entries)
    before = _watched.folders.setdefault(str(folder), names)
    _watched.steady = _watched.steady and before == names


def is_unchanged(data: dict[str, Any]) -> bool:
    """Return whether all is as it was noted; raise ValueError, TypeError or LookupError for other data."""
    return changed(data) == []


def changed(data: dict[str, Any]) -> list[str] | None:
    """Return the files that are there and have changed; None where anything else is not as it was noted."""
    try:
        same = all(
            _QUESTIONS[question](path) is answer for path, question, answer in data["answers"]
        ) and all(_listing(path) == digest for path, digest in data["folders"].items())
        if not same:
            return None
        return [path for path, stamp in data["files"].items() if not _is_same(path, stamp)]
    except OSError:
        return None


def with_changes(data: dict[str, Any], again: dict[str, Any]) -> dict[str, Any]:
    """Return what was noted, with what was noted of some files again."""
    answers = dict.fromkeys(map(tuple, [*data["answers"], *again["answers"]]))
    return {
        "files": {**data["files"], **again["files"]},
        "folders": {**data["folders"], **again["folders"]},
        "answers": [*answers],
    }


def _is_same(path: str, stamp: list[Any]) -> bool:
    *numbers, digest = stamp
    if _stamp(os.stat(path)) != numbers:
        return False
    return not digest or _hash(Path(path).read_bytes()) == digest


def _listing(folder: str) -> str:
    with os.scandir(folder) as entries:
        return _digest(_kinds(entries))


def _kinds(entries: Iterable[os.DirEntry[str]]) -> dict[str, str]:
    """Return what is in a folder, of what counts: f a file, d a folder, other text a link's end."""
    found = {}
    for entry in entries:
        name = entry.name
        if entry.is_symlink():
            found[name] = _end_of(entry.path)
        elif entry.is_dir(follow_symlinks=False):
            if name != _NEVER:
                found[name] = "d"
        elif _counts(name):
            found[name] = "f" if entry.is_file(follow_symlinks=False) else "?"
    return found


def _end_of(link: str) -> str:
    """Return where a link leads, and whether to a file; nothing of a link through what cannot be read."""
    try:
        return f"{os.path.realpath(link)} {os.path.isfile(link)}"
    except OSError:
        return ""


def _counts(name: str) -> bool:
    return name.endswith(SUFFIXES) or name in NAMES


def _digest(names: dict[str, str]) -> str:
    rows = "\0".join(f"{kind}/{name}" for name, kind in sorted(names.items()))
    return _hash(rows.encode(errors="surrogatepass"))


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _stamp(about: os.stat_result) -> list[int]:
    return [
        about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino, stat.S_IFMT(about.st_mode)
    ]  # fmt: skip


def _is_young(about: os.stat_result) -> bool:
    return time.time_ns() - max(about.st_mtime_ns, about.st_ctime_ns) < _YOUNG
