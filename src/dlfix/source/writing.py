"""Writing files so that each is whole at any moment, the old or the new."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dlfix import signals
from dlfix.source.folders import Folder, below
from dlfix.source.text import SourceError


@dataclass(frozen=True, slots=True)
class Change:
    """A file's bytes as they were read, and as they are to be; None where there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Target:
    """A change, and where it is written: a file below a folder, without a link on the way."""

    change: Change
    root: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file itself, where the change's path may be a link to it."""
        return self.root.joinpath(*self.parts)

    @contextlib.contextmanager
    def folder(self) -> Iterator[Folder]:
        """Open the folder of the file; an OSError on the way becomes a SourceError."""
        try:
            with below(self.root, self.parts[:-1]) as folder:
                yield folder
        except OSError as error:
            raise SourceError(self.change.path, None, _reason(error)) from error

    def refuse_changed(self, folder: Folder) -> None:
        """Raise SourceError unless the file still holds what was read."""
        if self.change.before is None:
            if self.parts[-1] in folder.names():
                raise SourceError(self.change.path, None, "the file already exists; not written")
        elif folder.read(self.parts[-1]) != self.change.before:
            reason = "changed on disk since it was read; not written"
            raise SourceError(self.change.path, None, reason)


class PartlyWritten(SourceError):
    """Writing ended halfway; `written` has taken its place, the rest is as it was."""

    def __init__(self, error: SourceError, written: Sequence[Target]) -> None:
        super().__init__(error.path, error.row, error.reason)
        self.written = tuple(written)


def resolve(change: Change, within: Sequence[Path] = ()) -> Target:
    """Follow the links to a change's file; raise SourceError where they lead out of `within`."""
    real = Path(os.path.realpath(change.path))
    roots = [Path(os.path.realpath(root)) for root in within] or [real.parent]
    for root in roots:
        if real != root and real.is_relative_to(root):
            return Target(change, root, real.relative_to(root).parts)
    reason = f"a symbolic link to {real}, which is outside the project; not written"
    raise SourceError(change.path, None, reason)


def write_named(path: Path, text: str) -> None:
    """Write a file that the user named, but not through a link that a checkout put in its place."""
    here = os.getcwd()
    real = os.path.realpath(path)
    is_below = Path(os.path.abspath(path)).is_relative_to(here)
    if is_below and not Path(real).is_relative_to(os.path.realpath(here)):
        reason = f"a symbolic link to {real}, which is outside the working directory; not written"
        raise SourceError(path, None, reason)
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise SourceError(path, None, error.strerror or str(error)) from error


def temporary(token: str, number: int) -> str:
    """Return the name of the temporary file for the change of this number in a run."""
    return f"{temporary_prefix(token)}{number}.tmp"


def temporary_prefix(token: str) -> str:
    """Return how the names of a run's temporary files begin."""
    return f".dlfix-{token}-"


def new_token() -> str:
    """Return what marks the temporary files of a run."""
    return secrets.token_hex(8)


def write(
    targets: Sequence[Target | Change],
    token: str = "",
    say: Callable[[str], None] = lambda note: None,
) -> None:
    """Write all changes, or none where that can be known beforehand; raise SourceError then.

    Everything that can fail is done first: each new text lies on disk beside its file before the
    first one takes its place. Each file is compared once more right before its new text does.
    What else should be known is said.
    """
    places = [one if isinstance(one, Target) else resolve(one) for one in targets]
    token = token or new_token()
    written: list[Target] = []
    with signals.raised(), contextlib.ExitStack() as stack:
        for number, target in enumerate(places):
            stack.enter_context(_beside(target, temporary(token, number), say))
        try:
            for number, target in enumerate(places):
                with target.folder() as folder:
                    target.refuse_changed(folder)
                    if target.change.after is None:
                        folder.remove(target.parts[-1])
                    else:
                        folder.replace(temporary(token, number), target.parts[-1])
                    written.append(target)
                    folder.sync()
        except SourceError as error:
            raise PartlyWritten(error, written) from error


@contextlib.contextmanager
def _beside(target: Target, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Make the temporary file; it is gone at the end, by the rename or because something failed."""
    try:
        with target.folder() as folder:
            target.refuse_changed(folder)
            if target.change.before is None:
                _create_new(target.change.after or b"", folder, name)
            elif target.change.after is not None:
                _create(target, target.change.after, folder, name, say)
        yield
    finally:
        with contextlib.suppress(SourceError), target.folder() as folder:
            folder.remove(name)


def _create_new(data: bytes, folder: Folder, name: str) -> None:
    with open(folder.create(name, mode=0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _create(
    target: Target, data: bytes, folder: Folder, name: str, say: Callable[[str], None]
) -> None:
    path = target.path
    # A rename would get round both: the user's wish counts.
    if not os.access(path, os.W_OK):
        raise SourceError(target.change.path, None, "read-only; not written")
    with folder.opened(target.parts[-1]) as old, open(folder.create(name), "wb") as file:
        now = os.fstat(old)
        if now.st_nlink > 1:
            say(
                f"{target.change.path}: the file has other hard links, which still refer "
                "to the old content"
            )
        file.write(data)
        file.flush()
        _keep_owner(target, file.fileno(), now)
        _keep_mode(folder, name, file.fileno(), now)
        _keep_attributes(old, file.fileno())
        os.fsync(file.fileno())


def _keep_owner(target: Target, descriptor: int, now: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) == (now.st_uid, now.st_gid):
        return
    try:
        os.fchown(descriptor, now.st_uid, now.st_gid)
    except PermissionError as error:
        reason = "the owner and group cannot be preserved; not written"
        raise SourceError(target.change.path, None, reason) from error


def _keep_mode(folder: Folder, name: str, descriptor: int, now: os.stat_result) -> None:
    # After the owner: changing it may clear mode bits.
    mode = stat.S_IMODE(now.st_mode)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    else:
        os.chmod(folder.path / name, mode)


def _keep_attributes(old: int, new: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(old):
            with contextlib.suppress(OSError):
                os.setxattr(new, attribute, os.getxattr(old, attribute))


def _reason(error: OSError) -> str:
    # Linux says ENOTDIR of a link in the place of a folder.
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "the file or a parent folder was replaced by a symbolic link; not written"
    return error.strerror or str(error)
