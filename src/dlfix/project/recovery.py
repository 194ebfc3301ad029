"""What is left of a text that does not parse, once the statements at fault are cut out."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from dataclasses import dataclass

from dlfix.source.lines import split

MOST_CUT = 500  # statements: beyond, it is not a Python text
MOST_READINGS = 20  # of each line, on average
UNKNOWN = "__dlfix_cut__ - 0"  # what the names that a cut statement binds stand for

_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b")
_BEGINS = re.compile(r"[^\s#)\]}\\]")
_KEYWORD = re.compile(r"(?:def|class|import|return|with|while|try)\b")  # never within brackets
# No line within brackets or a text begins like that, as a rule: reading starts afresh there.
_SURELY = re.compile(
    r"(?:@\w|(?:async\s+)?def\s|class\s|import\s|from\s+[\w.]+\s+import\s|if\s+__name__\b|__dlfix_cell__\()"
)
_DEFINES = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_BINDS = re.compile(
    r"\b(?:def|class|as|for|global)\s+(\w+)|(\w+)\s*(?::[^=\n]{0,200})?(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)"
    r"|(\w+)\s*(?=,[\w\s,.*()]*(?:=(?!=)|\bin\b))|\b(?:import|,)\s*\(?\s*(\w+)"
)  # fmt: skip
_GLOBAL = re.compile(r"\bglobal\s+(\w+(?:\s*,\s*\w+)*)")
_TOKEN = re.compile(r"\\.|#.*|\"\"\"|'''|\"|'|[(\[{]|[)\]}]")


@dataclass(frozen=True)
class Recovered:
    """The text without what does not parse, row by row the same, and how many statements are cut."""

    text: str
    tree: ast.Module
    cut: int


def recover(text: str) -> Recovered | None:
    """Cut out the top-level statements that do not parse; None where too little would be left.

    The names that they bind become unknown, so that nothing is taken for what is no longer there.
    """
    lines = split(text)
    kept = list(lines)
    cut = whole = readings = 0
    at = _next(lines, 0)
    while at < len(lines):
        end = _end(lines, at)
        readings += end - at
        parses = _parses(lines, at, end)
        if not parses:
            end = next((i for i in range(at + 1, end) if _SURELY.match(lines[i])), end)
            parses = _parses(lines, at, end)
        if parses:
            whole += 1
        else:
            cut += 1
            kept[at:end] = _unknown(lines[at:end])
        if cut > MOST_CUT or readings > MOST_READINGS * len(lines):
            return None
        at = end
    left = "".join(kept)
    if not (cut and whole):
        return None
    try:
        return Recovered(left, _tree(left), cut)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _parses(lines: list[str], start: int, end: int) -> bool:
    try:
        _tree("".join(lines[start:end]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _next(lines: list[str], start: int) -> int:
    """Return the first row from `start` on at which a statement may begin."""
    rows = (i for i in range(start, len(lines)) if lines[i].strip() and lines[i][0] != "#")
    return next(rows, len(lines))


def _end(lines: list[str], start: int) -> int:
    """Return the row behind the top-level statement that begins at a row, decorators included."""
    brackets, quote = 0, ""
    decorates = False
    for row in range(start, len(lines)):
        line = lines[row]
        if brackets and not quote and row > start and _KEYWORD.match(line):
            return row  # they were never closed
        fresh = not brackets and not quote
        starts = fresh and row > start and _BEGINS.match(line) and not _CONTINUES.match(line)
        if starts and not decorates and not lines[row - 1].rstrip("\r\n").endswith("\\"):
            return row
        if fresh and _BEGINS.match(line):
            decorates = line.startswith("@")
        brackets, quote = _state(line, brackets, quote)
    return len(lines)


def _state(line: str, brackets: int, quote: str) -> tuple[int, str]:
    """Return how many brackets and which text are open after a line."""
    for token in _TOKEN.findall(line):
        if quote:
            quote = "" if token == quote else quote
        elif token[0] in "\"'":
            quote = token
        elif token[0] == "#":
            break
        elif token in "([{":
            brackets += 1
        elif token in ")]}":
            brackets = max(0, brackets - 1)
    ended = len(quote) == 1 and not line.rstrip("\r\n").endswith("\\")
    return brackets, "" if ended else quote


def _unknown(lines: list[str]) -> list[str]:
    """Return as many lines that bind the names of a statement to what nobody knows."""
    text = "".join(lines)
    names = dict.fromkeys(name for name in _bound(text) if _is_name(name))
    endings = [line[len(line.rstrip("\r\n")) :] for line in lines]
    values = "".join(f"{name} = " for name in names)
    return [f"{values}{UNKNOWN}{endings[0]}", *endings[1:]]


def _bound(text: str) -> list[str]:
    body = text[_after_decorators(text) :]
    defined = _DEFINES.match(body)
    if defined is not None:
        listed = ",".join(_GLOBAL.findall(body)).split(",")
        return [defined[1], *(name.strip() for name in listed)]
    return [name for found in _BINDS.findall(body) for name in found if name]


def _after_decorators(text: str) -> int:
    found = re.search(r"^(?!@|\s|#)", text, re.MULTILINE) if text.startswith("@") else None
    return found.start() if found else 0


def _is_name(word: str) -> bool:
    return word.isidentifier() and not keyword.iskeyword(word)
