"""Writing files so that each is whole at any moment, the old or the new."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dlfix.source.text import SourceError


@dataclass(frozen=True, slots=True)
class Change:
    """A file's bytes as they were read, and as they are to be."""

    path: Path
    before: bytes
    after: bytes


def write(changes: Sequence[Change]) -> None:
    """Write all changes, or none where one of them cannot be; raise SourceError then.

    Everything that can fail is done first: each new text lies on disk beside its file before the
    first one takes its place.
    """
    with contextlib.ExitStack() as stack:
        ready = [(change, stack.enter_context(_beside(change))) for change in changes]
        for change, _ in ready:
            refuse_changed(change)
        for change, temporary in ready:
            try:
                os.replace(temporary, os.path.realpath(change.path))
            except OSError as error:
                raise SourceError(change.path, None, error.strerror or str(error)) from error
            _sync_folder(temporary.parent)


def refuse_changed(change: Change) -> None:
    """Raise SourceError unless the file still holds what was read."""
    try:
        now = change.path.read_bytes()
    except OSError as error:
        raise SourceError(change.path, None, error.strerror or str(error)) from error
    if now != change.before:
        raise SourceError(change.path, None, "changed on disk since it was read; not written")


@contextlib.contextmanager
def _beside(change: Change) -> Iterator[Path]:
    """Make the temporary file; it is gone at the end, by the rename or because something failed."""
    target = Path(os.path.realpath(change.path))
    name = ""
    try:
        now = target.stat()
        if not os.access(target, os.W_OK):  # a rename would get round it: the user's wish counts
            raise SourceError(change.path, None, "read-only; not written")
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".dlfix", dir=target.parent
        )
        with open(handle, "wb") as file:
            file.write(change.after)
            file.flush()
            _keep_owner(file.fileno(), name, now)
            os.fsync(file.fileno())
        _keep_attributes(target, name)
        yield Path(name)
    except OSError as error:
        raise SourceError(change.path, None, error.strerror or str(error)) from error
    finally:
        if name:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)


def _keep_owner(descriptor: int, name: str, now: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (now.st_uid, now.st_gid):
            os.fchown(descriptor, now.st_uid, now.st_gid)
    # After the owner: changing it may clear mode bits.
    os.chmod(name, stat.S_IMODE(now.st_mode))


def _keep_attributes(target: Path, name: str) -> None:
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(target):
            os.setxattr(name, attribute, os.getxattr(target, attribute))


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # Windows cannot open a folder
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
