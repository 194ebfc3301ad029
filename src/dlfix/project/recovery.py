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
_COMPOUND = re.compile(
    r"@|(?:async\s+)?(?:class|def|if|elif|else|for|while|try|except|finally|with)\b"
)
_DEFINES = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_BINDS = re.compile(
    r"\b(?:def|class|as|for|global)\s+(\w+)|\b(\w+)\b\s*(?::[^=\n]{0,200})?(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)"
    r"|\b(?:import|,)\s*(?:\(\s*)?(\w+)"
)  # fmt: skip
_LIST = re.compile(r"[\w\s,.*()]+(?:=(?!=))?")  # `a, b =`, and `a, b in` somewhere in it
_IN = re.compile(r"\bin\b")
_LISTED = re.compile(r"\b(\w+)\b\s*,")
_GLOBAL = re.compile(r"\bglobal\s+(\w+(?:\s*,\s*\w+)*)")
_TOKEN = re.compile(r"\\.|#.*|\"\"\"|'''|\"|'|[(\[{]|[)\]}]")


@dataclass(frozen=True)
class Recovered:
    """The text without what does not parse, row by row the same, and how many statements are cut."""

    text: str
    tree: ast.Module
    cut: int


def recover(text: str) -> Recovered | None:
    """Cut out the statements that do not parse, those within others singly; None if too little is left.

    The names that they bind become unknown, so that nothing is taken for what is no longer there.
    """
    lines = split(text)
    rest = _Rest(MOST_READINGS * len(lines))
    left = "".join(rest.of(lines))
    if rest.is_over or not (rest.cut and rest.whole):
        return None
    try:
        return Recovered(left, _tree(left), rest.cut)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Rest:
    """Leaves statements out, and counts."""

    def __init__(self, readings: int) -> None:
        self.readings = readings  # of lines, that may still be made
        self.cut = 0
        self.whole = 0

    @property
    def is_over(self) -> bool:
        return self.cut > MOST_CUT or self.readings < 0

    def of(self, lines: list[str], *, in_class: bool = False) -> list[str]:
        """Return as many lines, those of statements that do not parse replaced."""
        kept = list(lines)
        at = _next(lines, 0)
        while at < len(lines) and not self.is_over:
            end = _end(lines, at)
            self.readings -= end - at
            if not _parses(lines, at, end):
                end = min(end, _end(lines, at, trusting=False))
                kept[at:end] = self._left(lines[at:end], in_class)
            else:
                self.whole += 1
            at = end
        return kept

    def _left(self, lines: list[str], in_class: bool) -> list[str]:
        if _parses(lines, 0, len(lines)):
            self.whole += 1
            return lines
        inside = self._compound(lines, in_class)
        if inside is not None:
            return inside
        self.cut += 1
        return _unknown(lines, in_class)

    def _compound(self, lines: list[str], in_class: bool) -> list[str] | None:
        """Return a compound statement without what does not parse within; None where that is not all."""
        before = self.cut, self.whole
        found: list[str] = []
        for head, body in _clauses(lines):
            begins = next((line for line in head if not line.startswith("@")), "")
            holds_methods = begins.startswith("class ") or (in_class and not _DEFINES.match(begins))
            found += [*head, *self._indented(body, holds_methods)]
        if found and _parses(found, 0, len(found)):
            return found
        self.cut, self.whole = before
        return None

    def _indented(self, body: list[str], in_class: bool) -> list[str]:
        margin = next((line for line in body if line.strip() and line[0] in " \t"), "")
        margin = margin[: len(margin) - len(margin.lstrip(" \t"))]
        if not margin:
            return body
        inside = [line.removeprefix(margin) for line in body]
        kept = self.of(inside, in_class=in_class)
        return [
            old if new is its else margin + new if new.strip() else new
            for old, its, new in zip(body, inside, kept, strict=True)
        ]


def _clauses(lines: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the head and the body of each clause of a compound statement; none where this is none."""
    found: list[tuple[list[str], list[str]]] = []
    at = 0
    while at < len(lines):
        body = _head(lines, at)
        if not body:
            return []
        end = _next_clause(lines, body)
        found.append((lines[at:body], lines[body:end]))
        at = end
    return found


def _head(lines: list[str], start: int) -> int:
    """Return the row behind the head of a clause, decorators included; 0 where none begins."""
    brackets, quote = 0, ""
    if not _COMPOUND.match(lines[start]):
        return 0
    for row in range(start, len(lines)):
        line = lines[row]
        brackets, quote = _state(line, brackets, quote)
        if not brackets and not quote and line.partition("#")[0].rstrip().endswith(":"):
            return row + 1
    return 0


def _next_clause(lines: list[str], start: int) -> int:
    """Return the row at which the next clause of a statement begins."""
    brackets, quote = 0, ""
    for row in range(start, len(lines)):
        if not brackets and not quote and _CONTINUES.match(lines[row]):
            return row
        brackets, quote = _state(lines[row], brackets, quote)
    return len(lines)


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


def _end(lines: list[str], start: int, *, trusting: bool = True) -> int:
    """Return the row behind the statement that begins at a row, decorators included.

    Without trust in its brackets and texts, it ends where one begins at the margin again.
    """
    brackets, quote = 0, ""
    decorates = False
    for row in range(start, len(lines)):
        line = lines[row]
        if brackets and not quote and row > start and _KEYWORD.match(line):
            return row  # they were never closed
        if not trusting:
            brackets = 0
            quote = "" if _SURELY.match(line) else quote
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


def _unknown(lines: list[str], in_class: bool) -> list[str]:
    """Return as many lines that bind the names of a statement to what nobody knows."""
    text = "".join(lines)
    method = _DEFINES.match(text) if in_class and not text.startswith("class") else None
    names = dict.fromkeys(name for name in _bound(text) if _is_name(name))
    endings = [line[len(line.rstrip("\r\n")) :] for line in lines]
    values = "".join(f"{name} = " for name in names)
    made = f"{values}{UNKNOWN}"
    if method is not None and _is_name(method[1]):
        made = f"def {method[1]}(*args, **kwargs): return {UNKNOWN}"
    return [made + endings[0], *endings[1:]]


def _bound(text: str) -> list[str]:
    body = text[_after_decorators(text) :]
    defined = _DEFINES.match(body)
    if defined is not None:
        listed = ",".join(_GLOBAL.findall(body)).split(",")
        return [defined[1], *(name.strip() for name in listed)]
    return [name for found in _BINDS.findall(body) for name in found if name] + _targets(body)


def _targets(body: str) -> list[str]:
    """Return the names before a comma in what is assigned to, or gone through."""
    found: list[str] = []
    for run in _LIST.finditer(body):
        if run[0].endswith("="):
            end = run.end()
        else:
            end = max((one.end() for one in _IN.finditer(body, *run.span())), default=run.start())
        found += _LISTED.findall(body, run.start(), end)
    return found


def _after_decorators(text: str) -> int:
    found = re.search(r"^(?!@|\s|#)", text, re.MULTILINE) if text.startswith("@") else None
    return found.start() if found else 0


def _is_name(word: str) -> bool:
    return word.isidentifier() and not keyword.iskeyword(word)
