"""One page to look at: an overview, what crosses each boundary as a picture, each fix as a diff.

Self-contained: no script, style or picture comes from elsewhere.
"""

from __future__ import annotations

import functools
import html
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix import __version__
from dlfix.report import picture, tree
from dlfix.report.diff import Side, hunks
from dlfix.report.text import plural
from dlfix.report.view import Entry, Spot, View
from dlfix.source.printable import visible_block

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from dlfix.session import Outcome

FEW = 4  # so many findings get a list, so many good boundaries are folded

# Of Pygments' kinds of tokens, those that have a color in the page; "Token.Keyword.Constant" is one of the third.
_COLORED = (
    ("Token.Comment", "c"), ("Token.Literal.String", "s"), ("Token.Keyword", "k"),
    ("Token.Operator.Word", "k"), ("Token.Literal.Number", "n"),
)  # fmt: skip


def render(view: View, outcome: Outcome | None = None) -> str:
    """Return the page; with what was rewritten, if something was."""
    page = resources.files("dlfix.report").joinpath("page.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": _title(view, outcome),
        "OVERVIEW": "".join(_overview(view, outcome)),
        "REWRITTEN": "".join(_rewritten(view, outcome)) if outcome else "",
        "CONTENTS": "".join(_contents(view)),
        "BOUNDARIES": "".join(_boundaries(view)),
        "FINDINGS": "".join(_findings(view)),
        "TROUBLES": "".join(_troubles(view)),
        "VERSION": __version__,
    }
    # In one pass, so that nothing in a file's text is taken for a mark.
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda match: parts[match[1]], page)


def _esc(text: object) -> str:
    return html.escape(visible_block(str(text)))


def _title(view: View, outcome: Outcome | None) -> str:
    if outcome and outcome.changes:
        left = f", {plural(len(view.entries), 'finding')} left" if view.entries else ""
        return f"{plural(len(outcome.changes), 'file')} rewritten{left}"
    if not view.entries:
        return "No problems found"
    places = len({entry.path for entry in view.entries})
    return f"{plural(len(view.entries), 'finding')} in {plural(places, 'file')}"


def _overview(view: View, outcome: Outcome | None) -> Iterator[str]:
    entries = view.entries
    safe = sum(entry.safe for entry in entries)
    unsafe = sum(entry.fix is not None for entry in entries) - safe
    tiles = [
        (len(view.session.files), "files checked", ""),
        (len(outcome.applied) if outcome else 0, "fixed", "good"),
        (sum(entry.severity == "error" for entry in entries), "errors", "bad"),
        (sum(entry.severity == "warning" for entry in entries), "warnings", "warn"),
        (safe, "safe fixes", "good"),
        (unsafe, "unsafe fixes", "warn"),
        (sum(entry.refused is not None for entry in entries), "refused", ""),
    ]
    for count, what, kind in tiles:
        if count or what == "files checked":
            yield f'<div class="tile {kind}"><b>{count}</b><span>{what}</span></div>'
    for rule, count in Counter(entry.rule for entry in entries).most_common():
        yield (
            f'<div class="tile rule"><b>{count}</b><span><code>{rule.code}</code> '
            f"{_esc(rule.name)}</span></div>"
        )


def _rewritten(view: View, outcome: Outcome) -> Iterator[str]:
    if not outcome.changes:
        return
    yield '<section id="rewritten"><h2>Rewritten</h2><ul class="done">'
    first = View(view.session, [])
    for planned in outcome.applied:
        finding = planned.findings[0]
        spot = first.spot(finding.place)
        told = getattr(planned.outcome, "message", "")
        yield f"<li><code>{finding.code}</code> {_ticks(told)} <span class=at>{_esc(spot.shown)}</span></li>"
    yield "</ul>"
    for path, after in outcome.after.items():
        yield _diff(view, path, outcome.before[path], after)
    yield "</section>"


def _contents(view: View) -> Iterator[str]:
    if len(view.entries) < FEW:
        return
    yield '<nav aria-label="Findings"><ol>'
    for number, entry in enumerate(view.entries, 1):
        state = "safe" if entry.safe else "unsafe" if entry.fix else "no fix"
        yield (
            f'<li class="{entry.severity}"><a href="#finding-{number}"><code>{entry.code}</code> '
            f"<span>{_ticks(entry.message)}</span></a> "
            f'<span class="at">{_esc(entry.spot.shown)} &middot; {state}</span></li>'
        )
    yield "</ol></nav>"


def _boundaries(view: View) -> Iterator[str]:
    roots = tree.boundaries(view)
    if not roots:
        return
    numbers = {id(entry): number for number, entry in enumerate(view.entries, 1)}
    culprits = [sum(len(node.entries) for node in root.walk()) for root in roots]
    bad = [_boundary(root, n, numbers) for root, n in zip(roots, culprits, strict=True) if n]
    good = [_boundary(root, n, numbers) for root, n in zip(roots, culprits, strict=True) if not n]
    yield '<section id="boundaries"><h2>Objects sent to the workers</h2>'
    yield from bad
    if bad and len(good) >= FEW:
        yield f"<details><summary>{len(good)} more without problems</summary>"
        yield from (*good, "</details>")
    else:
        yield from good
    yield "</section>"


def _boundary(root: tree.Node, culprits: int, numbers: dict[int, int]) -> str:
    state = (
        f'<em class="bad">{plural(culprits, "problem")}</em>'
        if culprits
        else '<em class="good">no problems</em>'
    )
    return (
        f"<figure><figcaption><code>{_esc(root.step.label)}</code> "
        f'<span class="at">{_esc(root.spot.shown)}</span> {state}</figcaption>'
        f'<div class="scroll" tabindex="0">{picture.draw(root, numbers)}</div></figure>'
    )


def _findings(view: View) -> Iterator[str]:
    if not view.entries:
        return
    yield '<section id="findings"><h2>Findings</h2>'
    shown: dict[int, int] = {}  # the finding at which each fix is shown
    for number, entry in enumerate(view.entries, 1):
        first = shown.setdefault(id(entry.fix), number) if entry.fix else number
        yield _finding(entry, number, first)
    yield "</section>"


def _finding(entry: Entry, number: int, first: int) -> str:
    anchor = f"finding-{number}"
    steps = "".join(
        _step(spot, index == len(entry.trace) - 1) for index, spot in enumerate(entry.trace)
    )
    error = (
        f'<p class="said"><span>error</span><code>{_esc(entry.error)}</code></p>'
        if entry.error
        else ""
    )
    return (
        f'<article id="{anchor}" class="{entry.severity}" tabindex="-1">'
        f'<h3><a href="#{anchor}"><code>{entry.code}</code></a> {_ticks(entry.message)}</h3>'
        f'<p class="at">{_esc(entry.spot.file)}:{entry.spot.row}:{entry.spot.column} '
        f"&middot; {_esc(entry.name)}</p>"
        f'<ol class="path">{steps}</ol>{_code(entry)}{_also(entry)}{error}{_fix(entry, first if first != number else 0)}</article>'
    )


def _also(entry: Entry) -> str:
    """Return the further places of the same object."""
    if not entry.also:
        return ""
    places = ", ".join(
        f'<code>{_esc(spot.label)}</code> <span class="at">{_esc(spot.shown)}</span>'
        for spot in entry.also
    )
    return f'<p class="said"><span>also</span>{places}</p>'


def _step(spot: Spot, culprit: bool) -> str:
    kind = ' class="object"' if culprit else ""
    note = f" <i>{_ticks(spot.note)}</i>" if spot.note else ""
    return f'<li{kind}><code>{_esc(spot.label)}</code> <span class="at">{_esc(spot.shown)}</span>{note}</li>'


def _code(entry: Entry) -> str:
    span = entry.finding.place.span
    lines = entry.view.lines(entry.path)
    shift = entry.spot.row - span.start.row
    start, end = max(1, span.start.row - 2, 1 - shift), min(len(lines), span.end.row + 2)
    rows = []
    for row in range(start, end + 1):
        line = lines[row - 1]
        within = span.start.row <= row <= span.end.row
        begin = span.start.column if row == span.start.row else len(line) - len(line.lstrip())
        finish = span.end.column if row == span.end.row else len(line)
        marked = (
            f"{_colour(line[:begin])}<mark>{_colour(line[begin:finish])}</mark>{_colour(line[finish:])}"
            if within and line.strip()
            else _colour(line)
        )
        rows.append(
            f'<tr><td class="no">{row + shift}</td><td><pre>{marked or " "}</pre></td></tr>'
        )
    return f'<div class="scroll" tabindex="0"><table class="code">{"".join(rows)}</table></div>'


def _fix(entry: Entry, shown_at: int) -> str:
    fix = entry.fix
    if fix is None:
        why = (
            f"No fix: {_ticks(entry.refused)}."
            if entry.refused
            else "This finding has no automatic fix."
        )
        return f'<p class="fix none">{why}</p>'
    kind = "safe" if entry.safe else "unsafe"
    flag = "dlfix apply" if entry.safe else "dlfix apply --unsafe-fixes"
    why = f" &mdash; {_ticks(fix.why_unsafe)}" if fix.why_unsafe else ""
    head = (
        f'<p class="fix {kind}"><b>{kind} fix</b> {_ticks(fix.message)}{why} <kbd>{flag}</kbd></p>'
    )
    if shown_at:
        return f'{head}<p class="at">The same fix as of <a href="#finding-{shown_at}">finding {shown_at}</a>.</p>'
    diffs = "".join(
        _diff(entry.view, path, before, after) for path, (before, after) in entry.texts.items()
    )
    return head + diffs


def _diff(view: View, path: Path, before: str, after: str) -> str:
    return "".join(_sheet(*sheet) for sheet in view.sheets(path, before, after))


def _sheet(name: str, before: str, after: str) -> str:
    rows = []
    order = 0
    for number, hunk in enumerate(hunks(before, after)):
        if number:
            rows.append(f'<tr class="gap"><td colspan="4" style="order:{order}">&#8943;</td></tr>')
        for left, right in hunk:
            changed = any(side is None or side[2] for side in (left, right))
            # One below the other, on a narrow screen, what goes comes before what takes its place.
            order += not changed
            rows.append(f"<tr>{_half(left, 'del', order)}{_half(right, 'ins', order + 1)}</tr>")
            order += 2 * (not changed)
        order += 2
    return (
        f'<details open class="diff"><summary>{_esc(name)}</summary>'
        f'<div class="scroll" tabindex="0"><table class="code sides"><col class="no"><col><col class="no"><col>{"".join(rows)}</table></div></details>'
    )


def _half(side: Side, kind: str, order: int) -> str:
    if side is None:
        return '<td class="no none"></td><td class="none"></td>'
    row, code, changed = side
    style = f' class="{kind}"' if changed else ""
    margin = len(code) - len(code.lstrip())
    return (
        f'<td class="no" style="order:{order}">{row}</td><td{style} style="order:{order}">'
        f'<pre style="--in:{margin}">{_colour(code) or " "}</pre></td>'
    )


@functools.cache
def _lexer() -> Lexer:
    from pygments.lexers.python import PythonLexer

    return PythonLexer(stripnl=False, ensurenl=False)


def _colour(code: str) -> str:
    """Return a line of code with its tokens in color."""
    tokens = ((_color_of(str(kind)), text) for kind, text in _lexer().get_tokens(code))
    return "".join(
        _colored(color, "".join(text for _, text in some))
        for color, some in itertools.groupby(tokens, key=lambda token: token[0])
    )


def _color_of(kind: str) -> str:
    return next((css for prefix, css in _COLORED if f"{kind}.".startswith(f"{prefix}.")), "")


def _colored(color: str, text: str) -> str:
    return f'<span class="{color}">{_esc(text)}</span>' if color else _esc(text)


def _ticks(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _esc(text))


def _troubles(view: View) -> Iterator[str]:
    errors = view.session.unreadable()
    if errors:
        yield '<section id="troubles"><h2>Files with errors</h2><ul>'
        yield from (f"<li><code>{_esc(error)}</code></li>" for error in errors)
        yield "</ul></section>"
