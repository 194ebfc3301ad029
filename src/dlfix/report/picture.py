"""What crosses a boundary as a picture: a tree in SVG, the culprits marked."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping

from dlfix.report.tree import Node
from dlfix.source.printable import visible

ROW, INDENT, CHARACTER = 34, 26, 7.4
MARGIN = 10


def draw(root: Node, numbers: Mapping[int, int]) -> str:
    """Return the tree below a boundary; `numbers` are those of the findings on the page."""
    rows = list(_rows(root, 0))
    width = max(MARGIN * 2 + depth * INDENT + _width(node) for node, depth in rows)
    height = len(rows) * ROW + MARGIN
    shapes = [
        *_lines(rows),
        *(_box(node, depth, at, numbers) for at, (node, depth) in enumerate(rows)),
    ]
    label = html.escape(f"What is sent to the workers at {root.spot.shown}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
        f'width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}">'
        f"{''.join(shapes)}</svg>"
    )


def _rows(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from _rows(child, depth + 1)


def _told(node: Node) -> tuple[str, str, str]:
    codes = " ".join(dict.fromkeys(entry.code for entry in node.entries))
    place = visible(f"{node.spot.path.name}:{node.spot.row}")
    return visible(node.step.label), place, codes


def _width(node: Node) -> float:
    return CHARACTER * sum(len(part) + 3 for part in _told(node) if part) + 24


def _lines(rows: list[tuple[Node, int]]) -> Iterator[str]:
    """Draw from each node down to its children."""
    last: dict[int, int] = {}
    for at, (node, depth) in enumerate(rows):
        if depth:
            x = MARGIN + (depth - 1) * INDENT + 12
            bad = ' class="bad"' if any(one.entries for one in node.walk()) else ""
            top = last[depth - 1] * ROW + ROW - 4
            yield f'<path{bad} d="M{x} {top}V{at * ROW + ROW / 2}h{INDENT - 12}"/>'
        last[depth] = at


def _box(node: Node, depth: int, at: int, numbers: Mapping[int, int]) -> str:
    label, place, codes = _told(node)
    x, y = MARGIN + depth * INDENT, at * ROW + 4
    kind = "bad" if node.entries else "top" if depth == 0 else "fine"
    text = (
        f'<tspan class="label">{html.escape(label)}</tspan>'
        + (f'<tspan class="code" dx="12">{codes}</tspan>' if codes else "")
        + f'<tspan class="place" dx="12">{html.escape(place)}</tspan>'
    )
    drawn = (
        f"<title>{html.escape(visible(node.step.note) or node.spot.shown)}</title>"
        f'<rect x="{x}" y="{y}" width="{_width(node):.0f}" height="{ROW - 8}" rx="6"/>'
        f'<text x="{x + 10}" y="{y + 17.5}">{text}</text>'
    )
    number = next((numbers[id(one)] for one in node.entries if id(one) in numbers), None)
    if number is not None:
        drawn = f'<a href="#finding-{number}">{drawn}</a>'
    return f'<g class="{kind}">{drawn}</g>'
