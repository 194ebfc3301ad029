"""Which files have changes that git was not told of: read from git's index, without running git.

A checkout's `.git/config` may name programs for git to run (fsmonitor, filters, textconv), so git is not
asked. What cannot be told (an index of another format, SHA-256 names) counts as nothing to say.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from dlfix.source.folders import below
from dlfix.source.writing import Change

HEAD = struct.Struct(">4sLL")
ENTRY = struct.Struct(">40x20sH")  # times, numbers, mode and size are passed over
EXTENDED, NAMED = 0x4000, 0x0FFF
LONGEST = 1 << 12  # bytes of a path
MOST = 1 << 28  # bytes of an index


def uncommitted(changes: Iterable[Change]) -> list[Path]:
    """Return the files whose text, as it was read, is not the one that git keeps in its index."""
    trees: dict[Path, dict[bytes, Change]] = {}
    for change in changes:
        path = change.path.resolve()
        top = next((folder for folder in path.parents if (folder / ".git").exists()), None)
        if top is not None:
            inner = path.relative_to(top).as_posix().encode(errors="surrogateescape")
            trees.setdefault(top, {})[inner] = change
    return [
        change.path
        for top, asked in trees.items()
        for inner, kept in _index(top, asked).items()
        if kept not in _names((change := asked[inner]).before or b"")
    ]


def _names(data: bytes) -> set[bytes]:
    """Return the names git may give a text; it may keep CRLF as LF."""
    texts = {data, data.replace(b"\r\n", b"\n")}
    return {
        hashlib.sha1(b"blob %d\0" % len(text) + text, usedforsecurity=False).digest()
        for text in texts
    }


def _index(top: Path, asked: Container[bytes]) -> dict[bytes, bytes]:
    """Return the names of the texts that git keeps of these files; {} where that cannot be told."""
    try:
        folder = _git_folder(top)
        if re.search(rb"objectformat\s*=\s*sha256", _read(folder, "config"), re.IGNORECASE):
            return {}
        return {path: blob for path, blob in _entries(_read(folder, "index")) if path in asked}
    except (OSError, ValueError, IndexError, struct.error):
        return {}


def _git_folder(top: Path) -> Path:
    git = top / ".git"
    if git.is_dir():
        return git
    said = _read(top, ".git").decode()  # of a linked work tree or a submodule
    if not said.startswith("gitdir: "):
        raise ValueError(said)
    return top / said[len("gitdir: ") :].strip()


def _read(folder: Path, name: str) -> bytes:
    with below(folder) as place:
        if name not in place.names():
            return b""
        with place.opened(name) as descriptor, open(descriptor, "rb", closefd=False) as file:
            if os.fstat(descriptor).st_size > MOST:
                raise ValueError(name)
            return file.read()


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    signature, version, count = HEAD.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(version)
    place, path = HEAD.size, b""
    for _ in range(count):
        start = place
        blob, flags = ENTRY.unpack_from(data, place)
        place += ENTRY.size + (2 if flags & EXTENDED else 0)
        if version == 4:  # each path is told by how it differs from the one before
            dropped, place = _number(data, place)
            end = data.index(0, place)
            path = path[: len(path) - dropped] + data[place:end]
            place = end + 1
        else:
            end = data.index(0, place)
            path = data[place:end]
            place = start + (end - start + 8) // 8 * 8
        if len(path) > LONGEST:  # each may hold all before it: a small index would fill the memory
            raise ValueError(len(path))
        yield path, blob


def _number(data: bytes, place: int) -> tuple[int, int]:
    value = data[place] & 0x7F
    while data[place] & 0x80 and value <= LONGEST:
        place += 1
        value = ((value + 1) << 7) | (data[place] & 0x7F)
    return value, place + 1
