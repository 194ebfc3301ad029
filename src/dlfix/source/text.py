"""The text of a source file, and places in it."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path


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
        """Tell whether `other` lies within this span."""
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
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's bytes and the text they stand for; newlines are kept as they are."""

    path: Path
    data: bytes
    text: str
    encoding: str

    def encode(self, text: str) -> bytes:
        """Return `text` as bytes in this file's encoding, byte-order mark included."""
        return text.encode(self.encoding)


def decode(path: Path, data: bytes) -> SourceText:
    """Decode as Python does (PEP 263); raise SourceError where Python would refuse."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except SyntaxError as error:
        raise _undecodable(path, data, str(error.msg)) from error
    except UnicodeDecodeError as error:
        raise _at(path, data, error) from error
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(path, row, "does not parse: it holds a null byte")
    return SourceText(path, data, text, encoding)


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
    try:
        return decode(path, path.read_bytes())
    except OSError as error:
        raise SourceError(path, None, error.strerror or str(error)) from error
