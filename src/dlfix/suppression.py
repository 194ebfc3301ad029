"""Suppression comments: `# dlfix: ignore[DLF101]`, `# dlfix: ignore-file[DLF101]`, `# noqa: DLF101`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dlfix.source.lines import split
from dlfix.source.text import Position, Span

COMMENT = re.compile(
    r"#\s*(?:dlfix:\s*ignore(?P<file>-file(?![\w-]))?(?![\w-])(?P<own>\[[^\]\n]*\])?|noqa(?![\w-])(?P<noqa>:[ \t]*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)?)",
    re.IGNORECASE,
)
OWN, OWN_NAME = "DLF900", "unused-suppression"
CODE = re.compile(r"[A-Za-z]+[0-9]+|[a-z]+(?:-[a-z]+)+")


@dataclass(eq=False)
class Suppression:
    """One comment: the codes it names (none: all), and those that it left out."""

    span: Span
    own: bool  # `dlfix: ignore`, not `noqa`
    codes: tuple[str, ...]
    of_file: bool = False  # `ignore-file`: it speaks of the whole file
    used: set[str] = field(default_factory=set)

    def covers(self, code: str, name: str) -> bool:
        """Return whether it speaks of this rule; note that it did."""
        said = next((one for one in self.codes if one.upper() == code or one == name), None)
        if self.codes and said is None:
            return False
        self.used.add(said or "")
        return True

    def unused(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return the codes of dlfix's that left nothing out; ("",) for an idle bare comment."""
        if not self.codes:
            return ("",) if self.own and not self.used else ()
        names = set(known)
        idle = tuple(
            code for code in self.codes
            if code not in self.used and (self.own or code.upper() in names)
        )  # fmt: skip
        of_its_own = tuple(code for code in idle if code.upper() == OWN or code == OWN_NAME)
        # A comment may suppress the finding that it is idle itself; then that is what it does.
        return idle if not of_its_own or idle == of_its_own else ()


def read(text: str) -> dict[int, list[Suppression]]:
    """Return the suppressions of a text by row."""
    if "dlfix:" not in text and "noqa" not in text.lower():
        return {}
    found: dict[int, list[Suppression]] = {}
    for row, column, comment in _comments(text):
        for match in COMMENT.finditer(comment):
            found.setdefault(row, []).append(_suppression(row, column, match))
    return found


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    for token in _tokens(text):
        if token.type == tokenize.COMMENT:
            yield *token.start, token.string


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a text, up to where it has none."""
    # A backslash before a lone carriage return goes on for Python, and for `tokenize` it does not.
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        yield from tokenize.generate_tokens(io.StringIO(lines).readline)
    except (tokenize.TokenError, SyntaxError):
        return


def _suppression(row: int, column: int, match: re.Match[str]) -> Suppression:
    span = Span(Position(row, column + match.start()), Position(row, column + match.end()))
    own = match["noqa"] is None and "noqa" not in match[0].lower()
    said = match["own"] if own else match["noqa"]
    return Suppression(span, own, tuple(CODE.findall(said or "")), match["file"] is not None)


def closed_rows(text: str) -> frozenset[int]:
    """Return the rows that cannot end with a comment: within a text, or continued by `\\`."""
    rows = {row for row, line in enumerate(split(text), 1) if line.rstrip().endswith("\\")}
    open_at: list[int] = []  # where texts with fields in them begin (Python 3.12)
    for token in _tokens(text):
        kind = tokenize.tok_name[token.type]
        if kind.endswith("STRING_START"):
            open_at.append(token.start[0])
        elif kind.endswith("STRING_END") and open_at:
            rows.update(range(open_at.pop(), token.end[0]))
        elif token.type == tokenize.STRING:
            rows.update(range(token.start[0], token.end[0]))
    return frozenset(rows)


Removed = tuple[Suppression, tuple[str, ...]]


def without(text: str, suppression: Suppression, codes: tuple[str, ...]) -> str:
    """Return the text with these codes, or the whole comment, taken out."""
    return without_all(text, [(suppression, codes)])


def without_all(text: str, removed: Iterable[Removed]) -> str:
    """Return the text with codes, or whole comments, taken out; each of another comment."""
    lines = split(text)
    for one, codes in sorted(removed, key=lambda pair: pair[0].span.start, reverse=True):
        _take_out(lines, one, codes)
    return "".join(lines)


def _take_out(lines: list[str], suppression: Suppression, codes: tuple[str, ...]) -> None:
    start, end = suppression.span.start, suppression.span.end
    line = lines[start.row - 1]
    left = [code for code in suppression.codes if code not in codes]
    head, tail = line[: start.column], line[end.column :]
    if left:
        joined = ", ".join(left)
        own = f"# dlfix: ignore{'-file' * suppression.of_file}[{joined}]"
        lines[start.row - 1] = head + (own if suppression.own else f"# noqa: {joined}") + tail
        return
    kept = tail.strip()
    if kept and not kept.startswith("#"):
        tail = "# " + tail.lstrip()
    elif kept:
        tail = tail.lstrip(" \t")
    else:
        head = head.rstrip()
        tail = tail.lstrip(" \t")
    lines[start.row - 1] = head + tail if (head + tail).strip() else ""


def _is_of_line(one: Suppression) -> bool:
    """Return whether more codes can be written into a comment."""
    return one.own and bool(one.codes) and not one.of_file


def add(text: str, codes_by_row: dict[int, list[str]]) -> str:
    """Return the text with comments that leave these findings out, merged into those there are."""
    lines = split(text)
    there = read(text)
    for row, codes in codes_by_row.items():
        line = lines[row - 1]
        body = line.rstrip("\r\n")
        ending = line[len(body) :]
        own = next((one for one in there.get(row, []) if _is_of_line(one)), None)
        if own is None:
            joined = ", ".join(sorted(set(codes)))
            lines[row - 1] = f"{body.rstrip()}  # dlfix: ignore[{joined}]{ending}"
            continue
        joined = ", ".join([*own.codes, *sorted(set(codes) - set(own.codes))])
        head, tail = body[: own.span.start.column], body[own.span.end.column :]
        lines[row - 1] = f"{head}# dlfix: ignore[{joined}]{tail}{ending}"
    return "".join(lines)


def without_idle(text: str, idle: dict[int, set[str]], added: dict[int, list[str]]) -> str:
    """Return a text to which `add` has added codes without the codes that were idle before."""
    there = read(text)
    return without_all(
        text,
        [
            (one, codes)
            for row, said in idle.items()
            for one in there.get(row, [])
            if (codes := tuple(c for c in one.codes or ("",) if c in said - {*added.get(row, ())}))
        ],
    )
