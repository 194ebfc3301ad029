"""Notebooks: their code cells as one Python text, and back, with all else kept to the byte."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

from dlfix.source.lines import bare, split
from dlfix.source.text import SourceError

MARK = "__dlfix_cell__"
MAGIC = "pass  # dlfix-magic"
SPACE = re.compile(r"[ \t\r\n]*")
# Cell magics whose body is Python all the same.
PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun")
_COMMAND = re.compile(r"\s*(?:cat|cd|conda|cp|ls|mkdir|mv|pip|rm|rmdir)[ \t]+[^\s=]")
_MAGIC_LINE = re.compile(r"^[ \t]*(?:[%!?]|[\w.]+\?{1,2}\s*$|[\w, ]+=\s*[%!](?!=))")


def is_notebook(path: Path) -> bool:
    """Return whether a file is a notebook, by its name."""
    return path.suffix == ".ipynb"


@dataclass(frozen=True)
class Cell:
    """A code cell: its number among all cells from 1, its text, and where its source stands."""

    number: int
    text: str
    start: int  # of the value of "source" in the notebook's text
    end: int


@dataclass(frozen=True)
class Notebook:
    """A notebook and the Python text its cells make."""

    path: Path
    data: bytes
    json: str
    cells: tuple[Cell, ...]
    magics: tuple[str, ...]
    text: str

    def locate(self, text: str, row: int) -> tuple[int | None, int]:
        """Return the cell and the row in it of a row of `text`, the joined one or a rewritten one."""
        number = self.cells[0].number if self.cells else None
        first = 1
        for at, line in enumerate(split(text)[:row], 1):
            if line.startswith(f"{MARK}("):
                number, first = int(line.rstrip()[len(MARK) + 1 : -1]), at + 1
        return number, max(1, row - first + 1)

    def rewritten(self, text: str) -> bytes:
        """Return the notebook's bytes with its cells as in the rewritten `text`."""
        made = self.json
        for cell, new in reversed(list(zip(self.cells, self._split(text), strict=True))):
            if new != cell.text:
                value = _like(made[cell.start : cell.end], new, _margin(made, cell.start))
                made = made[: cell.start] + value + made[cell.end :]
        return made.encode(_encoding(self.data))

    def readable(self, text: str) -> str:
        """Return a joined text as a person wants to see it: magics back, cells named in comments."""
        lines = [
            f"# %% cell {line.rstrip()[len(MARK) + 1 : -1]}\n"
            if line.startswith(f"{MARK}(")
            else self._unmasked(line)
            for line in split(text)
        ]
        return "".join(lines)

    def changed(self, before: str, after: str) -> Iterator[tuple[int, str, str]]:
        """Yield number, old and new source of each cell in which two joined texts differ."""
        for cell, old, new in zip(self.cells, self._split(before), self._split(after), strict=True):
            if old != new:
                yield cell.number, old, new

    def _split(self, text: str) -> list[str]:
        pieces: list[list[str]] = [[]]
        for line in split(text):
            if line.startswith(f"{MARK}("):
                pieces.append([])
            else:
                pieces[-1].append(self._unmasked(line))
        if len(pieces) != len(self.cells):
            raise SourceError(self.path, None, "the fix would span several cells of the notebook")
        return [
            self._ended(cell, "".join(piece))
            for cell, piece in zip(self.cells, pieces, strict=True)
        ]

    @staticmethod
    def _ended(cell: Cell, text: str) -> str:
        """Give a cell the ending it had: most have no newline after their last line."""
        return text if cell.text.endswith("\n") else text.rstrip("\n")

    def _unmasked(self, line: str) -> str:
        match = re.match(rf"\s*{re.escape(MAGIC)} (\d+)$", line.rstrip("\r\n"))
        return self.magics[int(match[1])] + "\n" if match else line


def _encoding(data: bytes) -> str:
    return "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"


def parse(path: Path, data: bytes) -> Notebook:
    """Read a notebook; raise SourceError where it is none."""
    try:
        text = data.decode(_encoding(data))
        sources = list(_sources(text))
    except UnicodeDecodeError as error:
        raise SourceError(path, data.count(b"\n", 0, error.start) + 1, "not utf-8") from error
    except RecursionError as error:
        raise SourceError(path, None, "not a notebook: nested too deeply") from error
    except (ValueError, StopIteration) as error:
        row = getattr(error, "lineno", None)
        raise SourceError(path, row, f"not a notebook: {error}") from error
    return _joined(path, data, text, sources)


def _joined(
    path: Path, data: bytes, text: str, sources: list[tuple[int, str, int, int]]
) -> Notebook:
    cells: list[Cell] = []
    lines: list[str] = []
    magics: list[str] = []
    for number, source, start, end in sources:
        if source.startswith("%%") and not source.startswith(PYTHON_CELLS):
            continue
        if cells:
            lines.append(f"{MARK}({number})\n")
        cells.append(Cell(number, source, start, end))
        lines += _masked(source, magics)
    return Notebook(path, data, text, tuple(cells), tuple(magics), "".join(lines))


def _masked(source: str, magics: list[str]) -> Iterator[str]:
    """Yield a cell's lines, each magic as a `pass` that knows which it was."""
    depth = _Depth()
    indent: str | None = None  # of a magic that goes on in the next line
    for line in bare(source):
        if indent is not None or (not depth.inside and _is_magic(line)):
            margin = line[: len(line) - len(line.lstrip())] if indent is None else indent
            yield f"{margin}{MAGIC} {len(magics)}\n"
            magics.append(line)
            indent = margin if line.rstrip().endswith("\\") else None
            continue
        depth.feed(line)
        yield line + "\n"


def _is_magic(line: str) -> bool:
    """Return whether IPython reads a line as a command: with a mark, or one of those that need none."""
    if _MAGIC_LINE.match(line):
        return True
    if not _COMMAND.match(line):
        return False
    try:
        ast.parse(line.strip())
    except (SyntaxError, ValueError):
        return True
    return False


class _Depth:
    """Decides whether a line starts within brackets or a triple-quoted string."""

    _TOKEN = re.compile(r"\\.|#.*|\"\"\"|'''|\"|'|[(\[{]|[)\]}]", re.DOTALL)

    def __init__(self) -> None:
        self.brackets = 0
        self.quote = ""

    @property
    def inside(self) -> bool:
        return bool(self.brackets or self.quote)

    def feed(self, line: str) -> None:
        for token in self._TOKEN.findall(line):
            if self.quote:
                self.quote = "" if token == self.quote else self.quote
            elif token[0] in "\"'":
                self.quote = token
            elif token[0] == "#":
                break
            elif token in "([{":
                self.brackets += 1
            elif token in ")]}":
                self.brackets = max(0, self.brackets - 1)
        if len(self.quote) == 1:
            self.quote = ""


# JSON with places


def _sources(text: str) -> Iterator[tuple[int, str, int, int]]:
    """Yield number, text and place of each code cell's source."""
    at = _skip(text, 0)
    top = {key: (start, end) for key, start, end in _members(text, at)}
    if "cells" not in top:
        raise ValueError("the notebook has no `cells`")
    if not _is_python(text, top):
        return
    start, _ = top["cells"]
    for number, cell in enumerate(_items(text, start), 1):
        members = {key: (begin, end) for key, begin, end in _members(text, cell)}
        if "source" not in members or "cell_type" not in members:
            continue
        if _value(text, members["cell_type"]) == "code":
            value = _value(text, members["source"])
            lines = [value] if isinstance(value, str) else value
            if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
                raise ValueError(
                    f"the source of cell {number} is neither a string nor a list of strings"
                )
            source = "".join(lines)
            if MARK in source or MAGIC in source:
                raise ValueError(f"cell {number} contains a marker that is reserved by dlfix")
            yield number, source, *members["source"]


def _is_python(text: str, top: dict[str, tuple[int, int]]) -> bool:
    metadata = _value(text, top["metadata"]) if "metadata" in top else None
    language = _named(metadata, "language_info", "name")
    language = language or _named(metadata, "kernelspec", "language") or "python"
    return language.lower() in ("python", "ipython")


def _named(metadata: object, table: str, key: str) -> str:
    """Return a text of a table of the metadata; "" where either is something else, or not there."""
    inner = metadata.get(table) if isinstance(metadata, dict) else None
    value = inner.get(key) if isinstance(inner, dict) else None
    return value if isinstance(value, str) else ""


def _value(text: str, place: tuple[int, int]) -> Any:
    return json.loads(text[place[0] : place[1]])


def _skip(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    assert match is not None
    return match.end()


def _end_of(text: str, at: int) -> int:
    return JSONDecoder().raw_decode(text, at)[1]


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield key, start and end of the value of each member of the object that starts at `at`."""
    if text[at : at + 1] != "{":
        raise ValueError("not a JSON object")
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = scanstring(text, at + 1, True)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("a key without a value")
        start = _skip(text, at + 1)
        end = _end_of(text, start)
        yield key, start, end
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    if text[at : at + 1] != "}":
        raise ValueError("an object that is not closed")


def _items(text: str, at: int) -> Iterator[int]:
    """Yield where each item of the array that starts at `at` starts."""
    if text[at : at + 1] != "[":
        raise ValueError("`cells` of the notebook is not a list")
    at = _skip(text, at + 1)
    while text[at : at + 1] not in ("]", ""):
        yield at
        at = _skip(text, _end_of(text, at))
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)


def _margin(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _like(old: str, new: str, margin: str) -> str:
    """Return `new` as JSON, written as `old` is: a string or a list, spaced and escaped alike."""
    ascii_only = old.isascii() and "\\u" in old
    if old.startswith('"'):
        return json.dumps(new, ensure_ascii=ascii_only)
    kept = _raw_strings(old)
    lines = [kept.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in split(new)]
    if not lines:
        return "[]"
    if "\n" not in old and kept:
        return "[" + ", ".join(lines) + "]"
    newline = "\r\n" if "\r\n" in old else "\n"
    match = re.match(r"\[\s*\n([ \t]*)", old)
    inner = match[1] if match else margin + " "
    return (
        f"[{newline}" + f",{newline}".join(inner + line for line in lines) + f"{newline}{margin}]"
    )


def _raw_strings(old: str) -> dict[str, str]:
    raw = {}
    for at in _items(old, 0):
        value, end = JSONDecoder().raw_decode(old, at)
        raw[value] = old[at:end]
    return raw
