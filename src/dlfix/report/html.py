"""One page to look at: an overview, the objects sent at each boundary as a picture, each fix as a diff.

`page.html` is its template. The page is self-contained: no script, style or picture comes from elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from dlfix import __version__
from dlfix.report import picture, tree
from dlfix.report.diff import Side, hunks
from dlfix.report.text import plural, touched
from dlfix.report.view import Entry, View
from dlfix.source.printable import visible_block

if TYPE_CHECKING:
    from dlfix.session import Outcome

FEW = 4  # so many findings get a list, so many boundaries without problems are folded
GAP = (None, None)  # the row of a diff between two hunks


@dataclass(frozen=True)
class Row:
    """A row of a diff; one below the other, on a narrow screen, `order` puts removed lines before added ones."""

    left: Side
    right: Side
    order: int

    @property
    def is_gap(self) -> bool:
        """Whether it stands for unchanged lines that are not shown."""
        return (self.left, self.right) == GAP


@dataclass(frozen=True)
class CodeLine:
    """A line of an excerpt, in three parts: the second one is marked."""

    number: int
    before: str
    marked: str
    after: str


def render(view: View, outcome: Outcome | None = None) -> str:
    """Return the page; with what was rewritten, if something was."""
    template = resources.files("dlfix.report").joinpath("page.html").read_text(encoding="utf-8")
    numbers = {id(entry): entry.number for entry in view.entries}
    pictures = [picture.of(root, numbers) for root in tree.boundaries(view)]
    first = View(view.session, [])  # the files as they were
    return (
        _environment()
        .from_string(template)
        .render(
            title=_title(view, outcome),
            tiles=[tile for tile in _tiles(view, outcome) if tile[0] or tile[1] == "files checked"],
            rules=_rules(view),
            outcome=outcome,
            spot=lambda finding: first.spot(finding.place),
            entries=view.entries,
            few=FEW,
            bad=[one for one in pictures if one.problems],
            good=[one for one in pictures if not one.problems],
            excerpt=excerpt,
            sheets=partial(_sheets, view),
            errors=view.session.unreadable(),
            version=__version__,
        )
    )


def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    environment.filters |= {"code": _coloring(), "ticks": _ticks, "plural": plural}
    return environment


def _printable(value: Any) -> Any:
    """Return what is put into the page with control characters as escapes."""
    return visible_block(value) if type(value) is str else value


def _ticks(text: str) -> Markup:
    """Return a message whose words in backticks are code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(visible_block(text)))))


def _coloring() -> Callable[[str], Markup]:
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    formatter: HtmlFormatter[str] = HtmlFormatter(nowrap=True)

    def colored(code: str) -> Markup:
        return Markup(highlight(visible_block(code), lexer, formatter).rstrip("\n"))

    return colored


def _title(view: View, outcome: Outcome | None) -> str:
    if outcome and outcome.changes:
        left = f", {plural(len(view.entries), 'finding')} left" if view.entries else ""
        created = sum(change.before is None for change in outcome.changes)
        return f"{touched(len(outcome.changes) - created, created)}{left}"
    if not view.entries:
        return "Not checked to the end" if view.session.bugs else "No problems found"
    places = len({entry.path for entry in view.entries})
    return f"{plural(len(view.entries), 'finding')} in {plural(places, 'file')}"


def _tiles(view: View, outcome: Outcome | None) -> list[tuple[int, str, str]]:
    entries = view.entries
    safe = sum(entry.safe for entry in entries)
    return [
        (len(view.session.files), "files checked", ""),
        (len(outcome.applied) if outcome else 0, "fixed", "good"),
        (sum(entry.severity == "error" for entry in entries), "errors", "bad"),
        (sum(entry.severity == "warning" for entry in entries), "warnings", "warn"),
        (sum(entry.severity == "likely" for entry in entries), "likely", "warn"),
        (safe, "safe fixes", "good"),
        (sum(entry.fix is not None for entry in entries) - safe, "unsafe fixes", "warn"),
        (sum(entry.refused is not None for entry in entries), "refused", ""),
    ]


def _rules(view: View) -> list[tuple[Any, int]]:
    return Counter(entry.rule for entry in view.entries).most_common()


def excerpt(entry: Entry) -> Iterator[CodeLine]:
    """Yield the lines of a finding's object, with some around."""
    span = entry.finding.place.span
    lines = entry.view.lines(entry.path)
    shift = entry.spot.row - span.start.row
    for row in range(max(1, span.start.row - 2, 1 - shift), min(len(lines), span.end.row + 2) + 1):
        line = lines[row - 1]
        if not span.start.row <= row <= span.end.row:
            yield CodeLine(row + shift, line, "", "")
            continue
        start = span.start.column if row == span.start.row else len(line) - len(line.lstrip())
        end = span.end.column if row == span.end.row else len(line)
        yield CodeLine(row + shift, line[:start], line[start:end], line[end:])


def _sheets(view: View, path: Path, before: str, after: str) -> Iterator[tuple[str, list[Row]]]:
    for name, old, new in view.sheets(path, before, after):
        yield name, list(rows(old, new))


def rows(before: str, after: str) -> Iterator[Row]:
    """Yield the rows of a diff; a block of changed rows has one `order`."""
    block, in_change = 0, False
    for number, hunk in enumerate(hunks(before, after)):
        for pair in [GAP, *hunk] if number else hunk:
            changed = pair != GAP and any(side is None or side[2] for side in pair)
            block += not (changed and in_change)
            in_change = changed
            yield Row(*pair, order=2 * block)
