"""Findings for people: the code, the culprit underlined, the path to it, the error, the fix."""

from __future__ import annotations

import functools
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from dlfix.report.view import Entry, Spot, View
from dlfix.source.printable import visible, visible_code
from dlfix.source.text import Position

if TYPE_CHECKING:
    from rich.syntax import ANSISyntaxTheme

STYLES = {"error": "bold red", "warning": "bold yellow", "likely": "bold cyan"}
WIDTH = 80
MOST_ROWS = 6  # of a culprit that are shown


def render(view: View, width: int | None = None) -> Iterator[Text]:
    """Yield a block for each finding; lines that can be shortened fit the width."""
    for entry in view.entries:
        yield block(entry, width)


def block(entry: Entry, width: int | None = None) -> Text:
    """Return everything about one finding."""
    parts = [headline(entry, width), frame(entry, width)]
    if len(entry.trace) > 1:
        parts.append(path_tree(entry.trace, width))
    parts.append(verdict(entry, width))
    return Text("\n").join(part for part in parts if part.plain) + Text("\n")


def headline(entry: Entry, width: int | None = None) -> Text:
    """Return code, name and message on one line, the place on the next."""
    text = Text()
    text.append(entry.code, style=STYLES[entry.severity])
    text.append(f" {wrapped(entry.message, 7, width)}\n", style="bold")
    text.append("  --> ", style="blue")
    text.append(f"{entry.spot.file}:{entry.spot.row}:{entry.spot.column}")
    return text


# The code frame


def frame(entry: Entry, room: int | None = None) -> Text:
    """Return the culprit's lines with a line around, the culprit underlined."""
    spot = entry.spot
    lines = entry.view.lines(entry.path)
    first = entry.finding.place.span.start.row
    last = min(entry.finding.place.span.end.row, first + MOST_ROWS - 1)
    shift = spot.row - first  # a notebook's rows are counted from its cell
    rows = range(max(1, first - 1, 1 - shift), min(len(lines), last + 1) + 1)
    width = len(str(rows.stop + shift))
    shown = _cut_margin([visible_code(lines[row - 1]) for row in rows])
    text = Text().append(" " * width + " |\n", style="blue")
    for row, (line, margin) in zip(rows, shown, strict=True):
        if not first <= row <= last and (not line.strip() or not _is_in_cell(entry, row)):
            continue
        text.append(f"{row + shift:>{width}} | ", style="blue")
        if room is not None and not first <= row <= last:
            line = _shortened(line, room - width - 3)
        text.append(highlighted(line)).append("\n")
        if row == first:
            text.append(_underline(entry, lines[row - 1], margin, width))
    return text.append(" " * width + " |", style="blue")


def _is_in_cell(entry: Entry, row: int) -> bool:
    """Return whether a row is in the culprit's cell; always so in a module."""
    return entry.view.locate(entry.path, Position(row, 0))[0] == entry.spot.cell


def _shortened(line: str, room: int) -> str:
    return line if len(line) <= room else line[: room - 1] + "…"


def _cut_margin(lines: list[str]) -> list[tuple[str, int]]:
    """Take the indentation that all lines share off each; say how much that was."""
    margins = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = max(0, min(margins, default=0) - 4) if margins else 0
    return [(line[margin:], margin) for line in lines]


def _underline(entry: Entry, line: str, margin: int, width: int) -> Text:
    """Mark the culprit below its first line, to that line's end where it goes on."""
    span = entry.finding.place.span
    begin = span.start.column
    end = span.end.column if span.end.row == span.start.row else len(line.rstrip())
    before = Text(visible_code(line[:begin])).cell_len - margin
    upto = Text(visible_code(line[:end])).cell_len - margin
    text = Text().append(" " * width + " | ", style="blue").append(" " * max(0, before))
    return text.append("^" * max(1, upto - before) + "\n", style=STYLES[entry.severity])


def highlighted(code: str) -> Text:
    """Return code coloured as Python."""
    from rich.syntax import Syntax

    text = Syntax("", "python", theme=_theme(), background_color="default").highlight(code)
    text.rstrip()
    text.no_wrap = True
    return text


@functools.cache
def _theme() -> ANSISyntaxTheme:
    from pygments.token import Name
    from rich.style import Style
    from rich.syntax import ANSI_DARK, ANSISyntaxTheme

    # Underlined names of modules would look like culprits.
    return ANSISyntaxTheme({**ANSI_DARK, Name.Namespace: Style(color="cyan")})


# The path


@dataclass(frozen=True)
class Branch:
    """One line of a tree: its guides, what stands there, and where."""

    guides: str
    spot: Spot
    style: str = ""
    marks: str = ""


def path_tree(trace: Sequence[Spot], width: int | None = None) -> Text:
    """Return the path as a tree with one branch, the culprit at its end."""
    last = len(trace) - 1
    return branches([
        Branch("   " * (depth - 1) + "└─ " if depth else "", spot, "bold red" if depth == last else "")
        for depth, spot in enumerate(trace)
    ], width)  # fmt: skip


def branches(rows: Sequence[Branch], width: int | None = None) -> Text:
    """Return a tree, places and notes in columns of their own.

    What does not fit the width goes to a line of its own below.
    """
    named = [visible(row.spot.label) for row in rows]
    labels = [2 + Text(row.guides + label).cell_len for row, label in zip(rows, named, strict=True)]
    column = min(max(labels), 46) + 2
    places = column + min(max(len(row.spot.shown) for row in rows), 32) + 2
    lines: list[Text] = []
    for row, label, below in zip(rows, named, [*rows[1:], None], strict=True):
        line = Text("  ").append(row.guides, style="dim").append(label, style=row.style)
        for told, style, at in (
            (row.spot.shown, "cyan", column),
            (visible(row.spot.note), "dim italic", places),
            (row.marks, "bold red", places),
        ):
            if not told:
                continue
            gap = max(2, at - line.cell_len)
            if width is not None and line.cell_len + gap + len(told) > width:
                lines.append(line)
                line = Text("  ").append(_continued(row, below), style="dim")
                gap = 2
            line.append(" " * gap).append(told, style=style)
        lines.append(line)
    return Text("\n").join(lines)


def _continued(row: Branch, below: Branch | None) -> str:
    """Return the guides of a row's second line."""
    goes_on = below is not None and len(below.guides) > len(row.guides)
    return row.guides.replace("├─", "│ ").replace("└─", "  ") + ("│ " if goes_on else "  ")


# What Python says, and what dlfix can do


def verdict(entry: Entry, width: int | None = None) -> Text:
    """Return the error a person would see, and the fix or why there is none."""
    told: list[tuple[str, str, str]] = []
    fix = entry.fix
    if entry.error:
        told.append(("error:", entry.error, "red"))
    if entry.also:
        places = (f"`{' '.join(spot.label.split())}` ({spot.shown})" for spot in entry.also)
        told.insert(0, ("also:", ", ".join(places), ""))
    if fix is not None:
        told.append(("fix:", fix.message, "green" if entry.safe else "yellow"))
        if not entry.safe:
            why = f"{fix.why_unsafe}; " if fix.why_unsafe else ""
            told.append(("unsafe:", f"{why}apply it with --unsafe-fixes", "yellow"))
    elif entry.refused:
        told.append(("no fix:", entry.refused, ""))
    return Text("\n").join(_told(*one, width) for one in told)


def _told(head: str, message: str, style: str, width: int | None) -> Text:
    text = Text().append(f"  {head:<7} ", style="dim")
    return text.append(wrapped(message, 10, width), style=style)


def wrapped(message: str, indent: int, width: int | None) -> str:
    """Return a message broken at 80 columns, all but its first line indented; whole without a width."""
    text = visible(" ".join(message.split()))
    if width is None:
        return text
    lines = textwrap.wrap(
        text, min(WIDTH, width) - indent, break_long_words=False, break_on_hyphens=False
    )
    return ("\n" + " " * indent).join(lines)


# Sums


def plural(count: int, word: str) -> str:
    """Return `1 file`, `2 files`."""
    ending = "" if count == 1 else "es" if word.endswith("x") else "s"
    return f"{count} {word}{ending}"


def touched(rewritten: int, created: int, *, would: bool = False) -> str:
    """Return `2 files rewritten`, `1 file rewritten, 1 file created`, `1 file would be rewritten`."""
    verb = "would be " if would else ""
    parts = [f"{plural(rewritten, 'file')} {verb}rewritten"]
    if created:
        parts.append(f"{plural(created, 'file')} {verb}created")
    return ", ".join(parts)


def summary(view: View, files: int) -> Text:
    """Return how much was found and what can be done about it."""
    entries = view.entries
    if not entries and view.session.bugs:
        failed = ("Not checked to the end", "bold red")
        return Text.assemble(failed, f" ({_extent(view, files)}): see the errors.")
    if not entries:
        return Text.assemble(("No problems found", "bold green"), f" ({_extent(view, files)}).")
    places = len({entry.path for entry in entries})
    text = Text(
        f"Found {plural(len(entries), 'finding')} in {plural(places, 'file')}.", style="bold"
    )
    safe = sum(entry.safe for entry in entries)
    unsafe = sum(entry.fix is not None for entry in entries) - safe
    if safe:
        text.append(f" {safe} fixable with `dlfix apply`", style="not bold")
        text.append(f", {unsafe} more with `--unsafe-fixes`." if unsafe else ".", style="not bold")
    elif unsafe:
        text.append(f" {unsafe} fixable with `dlfix apply --unsafe-fixes`.", style="not bold")
    return text


def _extent(view: View, files: int) -> str:
    """Return how much a result without findings rests on: `41 files, 3 loaders followed, 2 objects unknown`."""
    extent = view.session.extent
    parts = [plural(files, "file")]
    if unread := len(view.session.unreadable()):
        parts.append(f"{unread} with errors")
    followed = [plural(extent.loaders, "loader")] if extent.loaders or not extent.others else []
    if extent.others:
        word = "boundary" if extent.others == 1 else "boundaries"
        followed.append(f"{extent.others} {'other ' if followed else ''}{word}")
    parts.append(" and ".join(followed) + " followed")
    if extent.unknown:
        parts.append(f"{plural(extent.unknown, 'object')} unknown")
    if view.session.cut_short:
        parts.append("some objects too large to be analyzed completely")
    return ", ".join(parts)


def statistics(view: View) -> Text:
    """Return how often each rule speaks, the most frequent first."""
    counts = Counter(entry.rule for entry in view.entries)
    fixable = Counter(entry.rule for entry in view.entries if entry.fix)
    width = len(str(max(counts.values(), default=0)))
    lines = []
    for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0].code)):
        star = "[*]" if fixable[rule] else "[ ]"
        line = Text(f"{count:>{width}}  ")
        line.append(rule.code, style=STYLES[rule.severity]).append(f"  {star}  ", style="cyan")
        lines.append(line.append(rule.name))
    return Text("\n").join(lines)


# After an apply


def applied(
    view: View, done: Iterable[tuple[str, str, str]], *, would: bool, width: int | None = None
) -> Text:
    """Return what was fixed, what was refused and why, and what still needs a person.

    `done` has code, message and place of each fix that was carried out.
    """
    sections: list[Text] = []
    made = list(done)
    if made:
        sections.append(_section("Would fix" if would else "Fixed", "bold green", made, width))
    unsafe = [e for e in view.entries if e.fix and not e.safe and not e.declined]
    if unsafe:
        rows = [
            (e.code, _with(e.fix.message if e.fix else "", e.fix.why_unsafe if e.fix else ""), e.spot.shown)
            for e in unsafe
        ]  # fmt: skip
        title = "Not applied: unsafe (use --unsafe-fixes)"
        sections.append(_section(title, "bold yellow", rows, width))
    left = [entry for entry in view.entries if entry.fix and (entry.safe or entry.declined)]
    if left:
        rows = [(e.code, e.fix.message if e.fix else "", e.spot.shown) for e in left]
        sections.append(_section("Not applied", "bold yellow", rows, width))
    refused = [entry for entry in view.entries if entry.refused]
    if refused:
        rows = [(e.code, _with(e.message, e.refused or ""), e.spot.shown) for e in refused]
        sections.append(_section("Refused", "bold red", rows, width))
    person = [entry for entry in view.entries if entry.outcome is None]
    if person:
        rows = [(e.code, e.message, e.spot.shown) for e in person]
        sections.append(_section("No automatic fix", "bold red", rows, width))
    return Text("\n").join(sections)


def _with(message: str, why: str) -> str:
    return f"{message}\n{why}" if why else message


def _section(
    title: str, style: str, rows: Sequence[tuple[str, str, str]], width: int | None
) -> Text:
    """Return rows of code, message and place; the places of equal ones side by side."""
    text = Text().append(f"{title} ({len(rows)})\n", style=style)
    places: dict[tuple[str, str], list[str]] = {}
    for code, message, place in rows:
        places.setdefault((code, message), []).append(place)
    for (code, message), where in places.items():
        first, _, rest = message.partition("\n")
        text.append(f"  {code}  {wrapped(first, 10, width)}\n")
        if rest:
            text.append(f"          {wrapped(rest, 10, width)}\n", style="dim")
        text.append(f"          {wrapped(', '.join(where), 10, width)}\n", style="cyan")
    return text
