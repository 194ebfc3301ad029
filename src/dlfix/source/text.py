"""The text of a source file, and places in it."""

from __future__ import annotations

import codecs
import io
import os
import stat
import tokenize
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dlfix.source import seen
from dlfix.source.printable import visible

MOST = 64 << 20  # bytes of a file that are read
# Every edit is ASCII, and so is what an escape is made of: an encoding that gives back other bytes
# for these may change bytes outside an edit, too.
_PROBE = "".join(map(chr, range(32, 127))) + "\t\n\r\\x41\\u0041\\N{BULLET}+AGE-~{"
_SURE = ("utf-8", "utf-8-sig", "ascii", "iso-8859-1")
_NO_TEXT = ("punycode", "idna")  # of domain names, and quadratic


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """A place in a text: row counted from 1, column from 0 in characters, as LibCST counts."""

    row: int
    column: int


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A stretch of text from `start` up to, not including, `end`."""

    start: Position
    end: Position

    def contains(self, other: Span) -> bool:
        """Return whether `other` lies within this span."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of code in a file."""

    path: Path
    span: Span


class SourceError(Exception):
    """A file that cannot be read, decoded or parsed: its path, row (or None) and reason."""

    def __init__(self, path: Path, row: int | None, reason: str) -> None:
        super().__init__(path, row, reason)
        self.path = path
        self.row = row
        self.reason = reason

    def __str__(self) -> str:
        place = f"{self.path}:{self.row}" if self.row else str(self.path)
        return visible(f"{place}: {self.reason}")


class SourceText:
    """A file's bytes and the text they stand for; newlines are kept as they are.

    Without a text it is decoded when somebody asks for it: of most files nobody does.
    """

    __slots__ = ("_text", "data", "encoding", "path")

    def __init__(self, path: Path, data: bytes, text: str | None, encoding: str) -> None:
        self.path, self.data, self.encoding = path, data, encoding
        self._text = text

    @property
    def text(self) -> str:
        """What the bytes stand for."""
        if self._text is None:
            self._text = _decoded(self.data, self.encoding)
        return self._text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SourceText):
            return NotImplemented
        same = self.path == other.path and self.encoding == other.encoding
        return same and self.data == other.data

    def __hash__(self) -> int:
        return hash((self.path, self.data, self.encoding))

    @property
    def unwritable(self) -> str | None:
        """Why no rewritten text can be written back; None where it can."""
        if self.encoding in _SURE:
            return None
        if _keeps_ascii(self.encoding) and self.text.encode(self.encoding, "ignore") == self.data:
            return None
        return (
            "the file is not byte-identical after decoding and encoding it as "
            f"{visible(self.encoding)}"
        )

    def encode(self, text: str) -> bytes:
        """Return `text` as bytes in this file's encoding, byte-order mark included.

        Raise SourceError where they would not stand for `text`.
        """
        reason = self.unwritable
        try:
            data = text.encode(self.encoding) if reason is None else b""
        except UnicodeEncodeError:
            reason = f"the fix contains characters that cannot be encoded as {self.encoding}"
        if reason is not None:
            raise SourceError(self.path, None, f"not written: {reason}")
        return data


@cache
def _keeps_ascii(encoding: str) -> bool:
    data = _PROBE.encode("ascii")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            return data.decode(encoding) == _PROBE and _PROBE.encode(encoding) == data
    except ValueError:
        return False


def decode(path: Path, data: bytes) -> SourceText:
    """Decode as Python does (PEP 263); raise SourceError where Python would refuse."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = _decoded(data, encoding) if _is_of_text(encoding) else None
    except SyntaxError as error:
        raise _undecodable(path, data, str(error.msg)) from error
    except UnicodeDecodeError as error:
        raise _at(path, data, error) from error
    except Exception as error:  # a codec may raise anything
        raise _undecodable(path, data, f"cannot be decoded: {error}") from error
    if text is None:
        raise _undecodable(path, data, f"unknown source encoding {encoding}")
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(path, row, "does not parse: it contains a null byte")
    return SourceText(path, data, None, encoding)


def _decoded(data: bytes, encoding: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return data.decode(encoding)


def _is_of_text(encoding: str) -> bool:
    known = codecs.lookup(encoding)
    return known._is_text_encoding and known.name not in _NO_TEXT


def _undecodable(path: Path, data: bytes, reason: str) -> SourceError:
    """Return the error of a file whose first two lines name no encoding that fits."""
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if b"coding" not in data[: error.start]:
            return _at(path, data, error)
    row = next((row for row, line in enumerate(data.split(b"\n")[:2], 1) if b"coding" in line), 1)
    return SourceError(path, row, reason)


def _at(path: Path, data: bytes, error: UnicodeDecodeError) -> SourceError:
    row = data.count(b"\n", 0, error.start) + 1
    return SourceError(path, row, f"not {error.encoding}: {error.reason}")


def read(path: Path) -> SourceText:
    """Read and decode a file; raise SourceError where that fails."""
    return decode(path, contents(path))


def contents(path: Path, most: int = MOST) -> bytes:
    """Return the bytes of a regular file; raise SourceError for anything else, at once.

    A pipe or a device may have no end, or nobody who writes to it.
    """
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            raise SourceError(path, None, "not a regular file")
        data = _regular(path, most + 1)
    except (OSError, ValueError) as error:
        seen.missed(path)
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(path, None, reason) from error
    if data is None:
        raise SourceError(path, None, "not a regular file")
    seen.read(path, about, data)
    if len(data) > most:
        raise SourceError(path, None, f"larger than {most >> 20} MB; skipped")
    return data


def _regular(path: Path, most: int) -> bytes | None:
    """Read what is a regular file once it is open; None where it is none any more."""
    flags = ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
    descriptor = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            return None
        # A buffer of the limit, cut down, leaves a memory map for each file; a process may have 65,530.
        data = file.read(min(about.st_size + 1, most))
        return data if len(data) <= about.st_size else data + file.read(most - len(data))
