"""Facts on disk: one file an entry, named after the content it is about.

An entry is named by the hash of the file that it is about, in a folder named after the format, the Python
version and the dlfix version: what an older one wrote is never read. It has a header and two parts,
the summary and the syntax, each compressed and with a checksum of its own, so that the index of a
project reads little. A part is JSON (names, literals, imports) and plain columns of numbers: nothing
in it can run code. An entry that is damaged, foreign or not consistent counts as missing.

Writing goes to a temporary file that is renamed, so that processes never see half an entry. A store that
cannot be written (no such folder, no rights, a full disk) works as an empty one. `trim` removes the
entries that have not been read for longest.
"""

from __future__ import annotations

import json
import os
import re
import struct
import sys
import threading
import zlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from operator import lt
from pathlib import Path
from typing import Any, TypeVar

from dlfix import __version__
from dlfix.facts.model import OMITTED, FileFacts, Import, Kind, Role, Summary

FORMAT = 1  # raised with every change of the model or of what an entry looks like
LIMIT = 1 << 30  # bytes that a store may hold
_MAGIC = b"dlfixfct"
_HEADER = struct.Struct("<8sHBBI16sI16s")  # magic, format, Python, two lengths with checksums
_MOST = 1 << 28  # bytes of a part, unpacked: no source is that long
_DAY = 86_400
_OWN_FOLDER = re.compile(r"facts-\d+-\d+\.\d+-.+")
_OWN = re.compile(r"[0-9a-f]{16,}|\.[0-9a-f]{16,}\.\d+\.\d+")
T = TypeVar("T")


class Store:
    """A store in a folder; without one it is empty and stays so."""

    def __init__(self, directory: Path | None, limit: int = LIMIT) -> None:
        python = f"{sys.version_info[0]}.{sys.version_info[1]}"
        self.directory = directory
        self.limit = limit
        self._folder = directory / f"facts-{FORMAT}-{python}-{__version__}" if directory else None
        self._writable = True

    def get(self, digest: str) -> FileFacts | None:
        """Return the facts of a file by the hash of its bytes; None if they are not here."""
        data = self._read(digest)
        return None if data is None else self._checked(digest, lambda: _unpack(digest, data))

    def summary(self, digest: str) -> Summary | None:
        """Return only what an index needs."""
        data = self._read(digest)
        return None if data is None else self._checked(digest, lambda: _summary(digest, data))

    def put(self, facts: FileFacts) -> None:
        """Keep the facts of a file, if that can be done."""
        path = self._path(facts.digest)
        if path is None or not self._writable:
            return
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(_pack(facts))
            temporary.replace(path)
        except OSError:
            self._writable = False  # the next one would fail too
            with suppress(OSError):
                temporary.unlink()

    def trim(self) -> None:
        """Remove what other versions wrote, what killed writers left, and the oldest beyond the limit."""
        if self.directory is None:
            return
        found: list[tuple[float, int, Path]] = []
        for path in _files(self.directory):
            with suppress(OSError):
                stat = path.stat()
                found.append((stat.st_mtime, stat.st_size, path))
        newest = max((when for when, _, _ in found), default=0.0)
        kept = 0
        for when, size, path in sorted(found, reverse=True):
            kept += size
            is_left = path.name.startswith(".") and when < newest - _DAY
            if kept > self.limit or is_left:
                with suppress(OSError):
                    path.unlink()

    def clear(self) -> None:
        """Remove all entries."""
        for path in _files(self.directory) if self.directory is not None else ():
            with suppress(OSError):
                path.unlink()

    def _path(self, digest: str) -> Path | None:
        return None if self._folder is None else self._folder / digest[:2] / digest

    def _read(self, digest: str) -> bytes | None:
        path = self._path(digest)
        if path is None:
            return None
        try:
            return path.read_bytes()
        except OSError:
            return None

    def _checked(self, digest: str, unpack: Callable[[], T | None]) -> T | None:
        """Unpack an entry; remove one that cannot be."""
        try:
            found = unpack()
        except (ValueError, TypeError, LookupError, OverflowError, struct.error, zlib.error):
            found = None
        except (RecursionError, MemoryError):
            found = None
        path = self._path(digest)
        if path is not None:
            with suppress(OSError):
                if found is None:
                    path.unlink()
        return found


def _files(directory: Path) -> Iterator[Path]:
    """Yield the entries of all versions, and temporary files; nothing of anybody else's."""
    for folder, _, names in os.walk(directory):
        if _OWN_FOLDER.fullmatch(Path(folder).parent.name):
            yield from (Path(folder) / name for name in names if _OWN.fullmatch(name))


# Entries


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def _pack(facts: FileFacts) -> bytes:
    summary = facts.summary
    first = _part(
        [summary.digest, "\n".join(summary.symbols), [list(each) for each in summary.imports]],
        summary.marks,
    )
    columns = (facts.parents, facts.ends, facts.data, facts.starts, facts.stops, facts.line_starts)
    literals = [_encoded(value) for value in facts.literals[1:]]
    second = _part([summary.digest, literals], facts.kinds, facts.roles, *columns)
    python = sys.version_info[:2]
    sums = (len(first), _checksum(first), len(second), _checksum(second))
    return _HEADER.pack(_MAGIC, FORMAT, *python, *sums) + first + second


def _part(table: list[Any], *columns: array[int] | bytes) -> bytes:
    """Return a part: the length of the table, the table, and for each column its length and items."""
    text = json.dumps(table, separators=(",", ":")).encode()
    pieces = [struct.pack("<I", len(text)), text]
    for column in columns:
        data = column if isinstance(column, bytes) else _planes(column)
        pieces += [struct.pack("<I", len(data)), data]
    return zlib.compress(b"".join(pieces), 1)


def _planes(column: array[int]) -> bytes:
    """Return the lowest bytes of all items, then the next ones: the higher ones are mostly zero."""
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    data, size = column.tobytes(), column.itemsize
    return b"".join(data[index::size] for index in range(size))


def _opened(data: bytes, number: int) -> tuple[list[Any], list[bytes]]:
    """Return the table and the columns of a part; raise ValueError where it is not sound."""
    header = _HEADER.unpack_from(data)
    if header[:4] != (_MAGIC, FORMAT, *sys.version_info[:2]):
        raise ValueError("foreign")
    start = _HEADER.size + (header[4] if number else 0)
    length, checksum = header[4 + 2 * number : 6 + 2 * number]
    part = data[start : start + length]
    if len(part) != length or _checksum(part) != checksum:
        raise ValueError("damaged")
    unpacker = zlib.decompressobj()
    plain = unpacker.decompress(part, _MOST)
    if not unpacker.eof:
        raise ValueError("too long")
    pieces: list[bytes] = []
    at = 0
    while at < len(plain):
        (size,) = struct.unpack_from("<I", plain, at)
        pieces.append(plain[at + 4 : at + 4 + size])
        at += 4 + size
    return json.loads(pieces[0]), pieces[1:]


def _summary(digest: str, data: bytes) -> Summary:
    (own, names, rows), (marks,) = _opened(data, 0)
    symbols = tuple(map(sys.intern, names.split("\n")))
    summary = Summary(digest, symbols, _numbers("H", marks), tuple(map(Import._make, rows)))
    if own != digest or len(summary.marks) != len(symbols):
        raise ValueError("the entry does not match the file")
    return summary


def _unpack(digest: str, data: bytes) -> FileFacts:
    summary = _summary(digest, data)
    (own, rows), (kinds, roles, *columns) = _opened(data, 1)
    parents, ends, payload, starts, stops, lines = (_numbers("I", column) for column in columns)
    literals = (OMITTED, *(_decoded(*row) for row in rows))
    facts = FileFacts(
        summary, literals, lines, kinds, roles, parents, ends, payload, starts, stops
    )  # fmt: skip
    if own != digest or not _is_consistent(facts):
        raise ValueError("the entry does not match the file")
    return facts


def _numbers(code: str, planes: bytes) -> array[int]:
    column = array(code)
    size = column.itemsize
    length, rest = divmod(len(planes), size)
    if rest:
        raise ValueError("not whole")
    data = bytearray(len(planes))
    for index in range(size):
        data[index::size] = planes[index * length : (index + 1) * length]
    column.frombytes(data)
    if sys.byteorder == "big":
        column.byteswap()
    return column


_KINDS, _ROLES = (bytes(sorted(found)) for found in (Kind, Role))


def _is_consistent(facts: FileFacts) -> bool:
    """Return whether columns are of one length, and numbers point to what there is."""
    size = len(facts.kinds)
    columns = (facts.roles, facts.parents, facts.ends, facts.data, facts.starts, facts.stops)
    if not size or any(len(column) != size for column in columns):
        return False
    tables = (len(facts.symbols), len(facts.literals), len(facts.summary.imports))
    return (
        not facts.kinds.translate(None, _KINDS)
        and not facts.roles.translate(None, _ROLES)
        and max(facts.data) < max(tables)
        and facts.parents[0] == 0
        and facts.ends[0] == size
        and all(map(lt, facts.parents[1:], range(1, size)))
        and all(map(lt, range(size), facts.ends))
    )


# Literals, as JSON


def _encoded(value: object) -> list[Any]:
    if value is None or value is ... or isinstance(value, bool):
        return ["n", str(value)]
    if isinstance(value, str):
        return ["s", value]
    if isinstance(value, int):
        return ["i", hex(value)]
    if isinstance(value, float):
        return ["f", value.hex()]
    if isinstance(value, complex):
        return ["c", value.real.hex(), value.imag.hex()]
    assert isinstance(value, bytes)
    return ["b", value.hex()]


_NAMED = {"None": None, "True": True, "False": False, "Ellipsis": ...}
_DECODERS: dict[str, Callable[..., object]] = {
    "n": _NAMED.__getitem__,
    "s": sys.intern,
    "i": lambda text: int(text, 16),
    "f": float.fromhex,
    "c": lambda real, imaginary: complex(float.fromhex(real), float.fromhex(imaginary)),
    "b": bytes.fromhex,
}


def _decoded(kind: str, *parts: str) -> object:
    return _DECODERS[kind](*parts)
