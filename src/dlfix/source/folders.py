"""Folders held open: a link that takes a name's place does not lead out of them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Windows has no descriptors of folders; there, names are looked at before they are used.
HELD = os.name == "posix" and {os.open, os.rename, os.unlink, os.mkdir} <= os.supports_dir_fd

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_DATA = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | _NO_LINK


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder."""

    path: Path
    descriptor: int | None

    def _at(self, name: str) -> tuple[Any, dict[str, Any]]:
        if self.descriptor is None:
            return self.path / name, {}
        return name, {"dir_fd": self.descriptor}

    def read(self, name: str) -> bytes:
        """Return the bytes of a regular file."""
        with self.opened(name) as descriptor, open(descriptor, "rb", closefd=False) as file:
            return file.read()

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[int]:
        """Open a regular file to read; neither a link, nor a device, nor a pipe."""
        place, where = self._at(name)
        if self.descriptor is None:
            _refuse_link(place)
        # Non-blocking: opening a pipe would wait for its other end.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _DATA
        descriptor = os.open(place, flags, **where)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            yield descriptor
        finally:
            os.close(descriptor)

    def create(self, name: str, mode: int = 0o600) -> int:
        """Make a file, by default one that only this user can read; return its descriptor."""
        place, where = self._at(name)
        return os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _DATA, mode, **where)

    def lockable(self, name: str) -> int:
        """Open a file to lock it, making it where there is none; return its descriptor."""
        place, where = self._at(name)
        return os.open(place, os.O_RDWR | os.O_CREAT | _DATA, 0o600, **where)

    def make(self, name: str) -> None:
        """Make a folder that only this user can enter, unless it is there."""
        place, where = self._at(name)
        with contextlib.suppress(FileExistsError):
            os.mkdir(place, 0o700, **where)

    def replace(self, name: str, other: str) -> None:
        """Let one file take the place of another, in one step."""
        if self.descriptor is None:
            os.replace(self.path / name, self.path / other)
        else:
            where = {"src_dir_fd": self.descriptor, "dst_dir_fd": self.descriptor}
            os.replace(name, other, **where)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        place, where = self._at(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place, **where)

    def about(self, name: str) -> os.stat_result:
        """Return what `lstat` says of a name."""
        place, where = self._at(name)
        return os.stat(place, follow_symlinks=False, **where)

    def touch(self, name: str) -> None:
        """Set the times of a file to now."""
        place, where = self._at(name)
        os.utime(place, **where)

    def names(self) -> list[str]:
        """Return the names in the folder."""
        return os.listdir(self.path if self.descriptor is None else self.descriptor)

    def sync(self) -> None:
        """Write the names of the folder to disk, so that they are there after a crash."""
        if self.descriptor is not None:
            with contextlib.suppress(OSError):
                os.fsync(self.descriptor)


@contextlib.contextmanager
def below(root: Path, parts: Sequence[str] = ()) -> Iterator[Folder]:
    """Open `root`, and from it step by step a folder below; a link on the way is an OSError."""
    path = root.joinpath(*parts)
    if not HELD:
        for depth in range(len(parts)):
            _refuse_link(root.joinpath(*parts[: depth + 1]))
        yield Folder(path, None)
        return
    descriptor = os.open(root, _FOLDER)
    try:
        for part in parts:
            inner = os.open(part, _FOLDER | _NO_LINK, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
