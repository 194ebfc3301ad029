"""What applies have written, kept in the user's state directory so that it can be taken back.

A tree has a folder there, named by a hash of its real path, and in it an entry for each apply. An
entry is written before the first file is, as `NUMBER.open`; when the last one is, it becomes
`NUMBER.json`. One that is still open under the lock is of a process that died: it becomes
`NUMBER.part`, reduced to what was written. Nothing is read from the tree but the files themselves.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from dlfix.source.folders import HELD, Folder, below
from dlfix.source.writing import Target, new_token, temporary_prefix

VERSION = 2
KEPT = 20  # applies of a tree
PATIENCE = 60.0  # seconds to wait for another dlfix
_ENTRY = re.compile(r"(\d{8})\.(json|open|part)")


class NoJournal(Exception):
    """Nothing can be kept in the state directory; the message says why."""


class Busy(Exception):
    """Another dlfix writes, and has not ended in time."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that an apply wrote: where, what it held, and a hash of what it holds since.

    `before` is None for a file that the apply created.
    """

    parts: tuple[str, ...]
    before: bytes | None
    after: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One apply."""

    number: int
    kind: str  # json: done; part: interrupted; open: being written
    command: str
    made: float  # seconds since 1970
    token: str
    files: tuple[File, ...]

    @property
    def name(self) -> str:
        """The entry's file."""
        return f"{self.number:08}.{self.kind}"


def digest(data: bytes) -> str:
    """Return what stands for the bytes of a file."""
    return hashlib.sha256(data).hexdigest()


def state_folder() -> Path:
    """Return where this user's programs keep their state, and dlfix in it."""
    said = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(said):
        return Path(said, "dlfix")
    try:
        home = Path.home()
    except RuntimeError as error:
        raise NoJournal("the home directory cannot be determined") from error
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"), "dlfix", "state")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "dlfix"
    return home / ".local" / "state" / "dlfix"


@dataclass(frozen=True)
class Journal:
    """The applies in one tree; open while the lock is held."""

    tree: Path
    folder: Folder

    def entries(self) -> list[Entry]:
        """Return all entries, the newest first."""
        found = filter(None, map(_ENTRY.fullmatch, self.folder.names()))
        names = sorted((match.group() for match in found), reverse=True)
        return [self._read(name) for name in names]

    def begin(self, command: str, targets: Sequence[Target]) -> Entry:
        """Keep what is needed to take these changes back, before the first is made."""
        numbers = [entry.number for entry in self.entries()]
        files = tuple(
            File(
                target.path.relative_to(self.tree).parts,
                target.change.before,
                digest(target.change.after or b""),
            )
            for target in targets
        )
        number = max(numbers, default=0) + 1
        entry = Entry(number, "open", command, time.time(), new_token(), files)
        self._write(entry)
        return entry

    def reopen(self, entry: Entry) -> Entry:
        """Mark an entry as one that is being worked on."""
        return self._become(entry, "open")

    def finish(self, entry: Entry, files: Sequence[File] | None = None) -> None:
        """Mark an entry as done, with these files if not all; without files it is dropped."""
        files = entry.files if files is None else tuple(files)
        if not files:
            self.drop(entry)
            return
        if files != entry.files:
            entry = replace(entry, files=files)
            self._write(entry)
        self._become(entry, "json")

    def drop(self, entry: Entry) -> None:
        """Forget an entry."""
        with _kept_for(self.folder.path):
            self.folder.remove(entry.name)
            self.folder.sync()

    def forget_oldest(self) -> None:
        """Keep the last applies only."""
        for entry in self.entries()[KEPT:]:
            self.drop(entry)

    def recover(self) -> None:
        """Put in order what a process left that died: temporary files, and its entry."""
        for name in self.folder.names():
            if name.endswith(".new"):
                self.folder.remove(name)
        unfinished = [entry for entry in self.entries() if entry.kind == "open"]
        folders = {file.parts[:-1] for entry in unfinished for file in entry.files}
        marks = tuple(temporary_prefix(entry.token) for entry in unfinished)
        for parts in folders:
            with contextlib.suppress(OSError), below(self.tree, parts) as folder:
                for name in folder.names():
                    if name.startswith(marks):
                        folder.remove(name)
        for entry in unfinished:
            self._close(entry)

    def _close(self, entry: Entry) -> None:
        """Reduce an interrupted entry to what was written."""
        left = tuple(file for file in entry.files if self.now(file) != file.before)
        if not left:
            self.drop(entry)
            return
        if left != entry.files:
            entry = replace(entry, files=left)
            self._write(entry)
        self._become(entry, "part")

    def now(self, file: File) -> bytes | None:
        """Return what a file holds; None where it is no regular file of the tree."""
        try:
            with below(self.tree, file.parts[:-1]) as folder:
                return folder.read(file.parts[-1])
        except OSError:
            return None

    def _become(self, entry: Entry, kind: str) -> Entry:
        fresh = replace(entry, kind=kind)
        with _kept_for(self.folder.path):
            self.folder.replace(entry.name, fresh.name)
            self.folder.sync()
        return fresh

    def _write(self, entry: Entry) -> None:
        data = json.dumps(_as_data(entry, self.tree)).encode()
        fresh = f"{entry.number:08}.new"
        with _kept_for(self.folder.path):
            self.folder.remove(fresh)
            with open(self.folder.create(fresh), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self.folder.replace(fresh, entry.name)
            self.folder.sync()

    def _read(self, name: str) -> Entry:
        with _kept_for(self.folder.path):
            data = self.folder.read(name)
        try:
            return _from_data(name, json.loads(data), self.tree)
        except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
            raise NoJournal(f"{self.folder.path / name}: the file is damaged") from error


def exists(tree: Path) -> bool:
    """Return whether anything is kept of a tree."""
    return os.path.lexists(state_folder() / _key(tree))


@contextlib.contextmanager
def opened(tree: Path, say: Callable[[str], None] = lambda note: None) -> Iterator[Journal]:
    """Open the journal of a tree, given by its real path; one process at a time, the others wait."""
    state = state_folder()
    with contextlib.ExitStack() as stack:
        with _kept_for(state):
            os.makedirs(state, mode=0o700, exist_ok=True)
            top = stack.enter_context(below(state.parent, (state.name,)))
            _refuse_foreign(top)
            lock = top.lockable("lock")
        stack.callback(os.close, lock)
        _lock(lock, say)
        with _kept_for(state):
            top.make(_key(tree))
            folder = stack.enter_context(below(state.parent, (state.name, _key(tree))))
            _refuse_foreign(folder)
        journal = Journal(tree, folder)
        journal.recover()
        yield journal


def _key(tree: Path) -> str:
    return hashlib.sha256(os.fsencode(tree)).hexdigest()[:32]


@contextlib.contextmanager
def _kept_for(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NoJournal(f"{place}: {error.strerror or error}") from error


def _refuse_foreign(folder: Folder) -> None:
    if not HELD or folder.descriptor is None:
        return
    now = os.fstat(folder.descriptor)
    if now.st_uid != os.geteuid():
        raise NoJournal(f"{folder.path}: the folder belongs to another user")
    if now.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise NoJournal(f"{folder.path}: the folder is writable by other users")
    if stat.S_IMODE(now.st_mode) & 0o077:
        os.fchmod(folder.descriptor, 0o700)


def _lock(descriptor: int, say: Callable[[str], None]) -> None:
    end = time.monotonic() + PATIENCE
    waiting = False
    while not _locked(descriptor):
        if not waiting:
            waiting = True
            say("waiting for another dlfix process that is writing files")
        if time.monotonic() > end:
            raise Busy(
                "another dlfix process is still writing files after a minute; no file was changed"
            )
        time.sleep(0.05)


def _locked(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return _locked_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise NoJournal(f"the state directory cannot be locked: {error.strerror}") from error
    return True


def _locked_on_windows(descriptor: int) -> bool:
    import importlib

    msvcrt: Any = importlib.import_module("msvcrt")
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def _as_data(entry: Entry, tree: Path) -> dict[str, Any]:
    return {
        "version": VERSION,
        "tree": str(tree),
        "command": entry.command,
        "made": entry.made,
        "token": entry.token,
        "files": [
            {
                "path": "/".join(file.parts),
                "before": _packed(file.before),
                "before_hash": digest(file.before or b""),
                "after_hash": file.after,
            }
            for file in entry.files
        ],
    }


def _from_data(name: str, data: dict[str, Any], tree: Path) -> Entry:
    if data["version"] != VERSION or data["tree"] != str(tree):
        raise ValueError("written by a different version or for a different project")
    number, _, kind = name.partition(".")
    token = data["token"]
    if not re.fullmatch("[0-9a-f]{16}", token):
        raise ValueError("an invalid token")
    files = tuple(map(_file, data["files"]))
    return Entry(int(number), kind, str(data["command"]), float(data["made"]), token, files)


def _packed(data: bytes | None) -> str | None:
    return None if data is None else base64.b85encode(zlib.compress(data)).decode()


def _file(row: dict[str, Any]) -> File:
    said = row["before"]
    before = None if said is None else zlib.decompress(base64.b85decode(said))
    if digest(before or b"") != row["before_hash"] or not re.fullmatch(
        "[0-9a-f]{64}", row["after_hash"]
    ):
        raise ValueError("the hash does not match")
    return File(inside(row["path"]), before, row["after_hash"])


def inside(path: str) -> tuple[str, ...]:
    """Return the parts of a relative path; raise ValueError where it could leave its tree."""
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or "\0" in part for part in parts)
    foreign = os.name == "nt" and any(set(part) & set("\\:") for part in parts)
    if odd or foreign or PurePosixPath(path).is_absolute():
        raise ValueError(f"{path}: the path is outside the project")
    return tuple(parts)
