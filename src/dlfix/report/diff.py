"""Diffs: patch bytes that git takes, and coloured ones for people."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import AnyStr, Union

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dlfix.report.text import highlighted
from dlfix.report.view import View, relative
from dlfix.source.lines import bare
from dlfix.source.notebook import parse
from dlfix.source.printable import patch_name
from dlfix.source.writing import Change

NO_NEWLINE = b"\n\\ No newline at end of file\n"
SIGNS = {"+": "bold green", "-": "bold red"}


@dataclass(frozen=True)
class Palette:
    """What changed lines look like: their code's colours go with the ground they stand on."""

    theme: str
    grounds: Mapping[str, str]


DARK = Palette("monokai", {"+": "#12301f", "-": "#3a1a1d"})
LIGHT = Palette("friendly", {"+": "#dafbe1", "-": "#ffebe9"})
WIDE = 120  # columns from which two sides fit beside each other
_MOST_PRECISE = 1_500  # lines: where more differ, frequent ones are not matched, for time
Part = tuple[str, int, int, int, int]  # tag, rows before (from, to), rows after (from, to)


def patch(changes: Iterable[Change], view: View) -> bytes:
    """Return a patch in the files' own bytes, as `git apply` wants it."""
    return b"".join(_cells(change, view) + _patch(change) for change in changes)


def _cells(change: Change, view: View) -> bytes:
    """Return what changes in a notebook's cells as comments, which `git apply` passes over."""
    book = view.session.notebooks.get(change.path)
    if book is None or change.after is None:
        return b""
    after = parse(change.path, change.after)
    lines = [
        line
        for name, old, new in view.sheets(change.path, book.text, after.text)
        for line in unified(name, old, new).plain.splitlines()
    ]
    return "".join(f"# {line}\n" for line in lines).encode(errors="surrogatepass")


def _patch(change: Change) -> bytes:
    # A file elsewhere is named from the root, as git does: `patch -p1 -d /` takes it.
    name = relative(change.path).replace("\\", "/").lstrip("/")
    tab = b"\t" if " " in name else b""  # where the name ends
    old, new = (patch_name(side, name) + tab for side in "ab")
    before, after = (_lines(data or b"") for data in (change.before, change.after))
    old = b"/dev/null" if change.before is None else old
    new = b"/dev/null" if change.after is None else new
    head = (b"--- " + old + b"\n", b"+++ " + new + b"\n")
    body = [
        line
        for group in _groups(before, after, context=3)
        for line in (
            _span(group).encode() + b"\n",
            *(sign.encode() + line for sign, line in _marked(group, before, after)),
        )
    ]
    lines = (*head, *body) if body else ()
    return b"".join(line if line.endswith(b"\n") else line + NO_NEWLINE for line in lines)


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def show(out: Console, name: str, before: str, after: str, *, wide: bool) -> None:
    """Print a diff of one file, or cell: beside each other where there is room, else unified."""
    if wide:
        out.print(side_by_side(name, before, after), "")
    else:
        out.print(unified(name, before, after, width=out.width), soft_wrap=True)


def unified(name: str, before: str, after: str, *, width: int = 0, context: int = 3) -> Text:
    """Return a coloured unified diff of one file, or cell; changed lines are a band."""
    old, new = bare(before), bare(after)
    text = Text(no_wrap=True)
    text.append(f"--- {name}\n", style="bold red")
    text.append(f"+++ {name}\n", style="bold green")
    lines = [
        line
        for group in _groups(old, new, context)
        for line in (_span(group), *(sign + line for sign, line in _marked(group, old, new)))
    ]
    longest = max((Text(line).cell_len for line in lines if line[:1] in SIGNS), default=0)
    for line in lines:
        text.append(_coloured(line, min(longest, width - 1))).append("\n")
    return text


def _coloured(line: str, width: int) -> Text:
    if line.startswith("@@"):
        return Text(line, style="cyan")
    sign, code = line[:1], line[1:]
    if sign not in SIGNS:
        return Text().append(sign).append(highlighted(code))
    body = _changed(sign, code)
    body.pad_right(max(0, width - 1 - body.cell_len))
    return Text().append(sign, style=SIGNS[sign]).append(body)


def _changed(sign: str, code: str) -> Text:
    """Return a changed line's code in colours that can be read on its ground."""
    from rich.syntax import Syntax

    look = _palette()
    ground = look.grounds[sign]
    text = Syntax("", "python", theme=look.theme, background_color=ground).highlight(code)
    text.rstrip()
    text.no_wrap = True
    return text


def _palette() -> Palette:
    """Return the palette of the terminal; dark unless it says that its own ground is light."""
    ground = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if ground in ("7", "15") else DARK


def side_by_side(name: str, before: str, after: str, *, context: int = 3) -> RenderableType:
    """Return the two versions beside each other, changed rows only with some around."""
    table = Table(box=None, expand=True, padding=(0, 1), show_header=True, header_style="bold")
    for title, style in ((name, "red"), ("after", "green")):
        table.add_column("", justify="right", style="dim", no_wrap=True, width=4)
        table.add_column(Text(title, style=style), ratio=1, overflow="fold")
    for number, hunk in enumerate(hunks(before, after, context)):
        if number:
            table.add_row("", Text("⋯", style="dim"), "", Text("⋯", style="dim"))
        for left, right in hunk:
            table.add_row(*_half(left, "-"), *_half(right, "+"))
    return table


Side = Union[tuple[int, str, bool], None]  # noqa: UP007 - row, code, whether it is changed


def _half(side: Side, sign: str) -> tuple[str, RenderableType]:
    if side is None:
        return "", ""
    row, code, changed = side
    text = _changed(sign, code) if changed else highlighted(code)
    text.no_wrap = False
    ground = f"on {_palette().grounds[sign]}"
    return str(row), Padding(text, style=ground) if changed else text


def hunks(before: str, after: str, context: int = 3) -> Iterator[list[tuple[Side, Side]]]:
    """Yield rows of both sides, paired, hunk by hunk."""
    old, new = bare(before), bare(after)
    for group in _groups(old, new, context):
        rows: list[tuple[Side, Side]] = []
        for tag, a1, a2, b1, b2 in group:
            removed = _rows(old, a1, a2, tag != "equal")
            added = _rows(new, b1, b2, tag != "equal")
            count = max(len(removed), len(added))
            rows += zip(_padded(removed, count), _padded(added, count), strict=True)
        yield rows


def _groups(
    before: Sequence[AnyStr], after: Sequence[AnyStr], context: int
) -> Iterator[list[Part]]:
    """Yield the parts of each hunk: what changed, and some equal lines around it."""
    group: list[Part] = []
    for tag, a1, a2, b1, b2 in _parts(before, after):
        far = tag == "equal" and (len(group) < 2 or a2 - a1 > 2 * context)
        if not far:
            group.append((tag, a1, a2, b1, b2))
            continue
        if len(group) > 1:
            yield _ended([*group, (tag, a1, a2, b1, b2)], context)
        group = [(tag, max(a1, a2 - context), a2, max(b1, b2 - context), b2)]
    if len(group) > 1:
        yield _ended(group, context)


def _ended(group: Sequence[Part], context: int) -> list[Part]:
    """Return a hunk whose last part, which is equal, has no more lines than wanted."""
    *parts, (tag, a1, a2, b1, b2) = group
    return [*parts, (tag, a1, min(a2, a1 + context), b1, min(b2, b1 + context))]


def _parts(before: Sequence[AnyStr], after: Sequence[AnyStr]) -> Iterator[Part]:
    """Yield what is equal, first and last, and what differs between."""
    # What both begin and end with is not compared: a diff of one line in a long file took a second.
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    # Frequent lines, as empty ones, match too: else they are shown as removed and added again.
    junk = max(len(old), len(new)) > _MOST_PRECISE
    yield ("equal", 0, first, 0, first)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=junk)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        yield (tag, a1 + first, a2 + first, b1 + first, b2 + first)
    yield ("equal", len(before) - last, len(before), len(after) - last, len(after))


def _span(group: Sequence[Part]) -> str:
    """Return the line that says which rows a hunk is about."""
    _, old, _, new, _ = group[0]
    _, _, old_end, _, new_end = group[-1]
    return f"@@ -{_range(old, old_end)} +{_range(new, new_end)} @@"


def _range(start: int, end: int) -> str:
    count = end - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _marked(
    group: Iterable[Part], before: Sequence[AnyStr], after: Sequence[AnyStr]
) -> Iterator[tuple[str, AnyStr]]:
    """Yield the lines of a hunk, each with its sign."""
    for tag, a1, a2, b1, b2 in group:
        is_equal = tag == "equal"
        yield from ((" " if is_equal else "-", line) for line in before[a1:a2])
        yield from (("+", line) for line in (() if is_equal else after[b1:b2]))


def _common(one: Sequence[AnyStr], other: Sequence[AnyStr]) -> int:
    """Return how many lines two texts have in common before they first differ."""
    pairs = zip(one, other)  # noqa: B905
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _rows(lines: Sequence[str], start: int, end: int, changed: bool) -> list[Side]:
    return [(row + 1, lines[row], changed) for row in range(start, end)]


def _padded(rows: list[Side], count: int) -> list[Side]:
    return rows + [None] * (count - len(rows))
