"""For each boundary the tree of what crosses, good and bad."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from dlfix.report.text import Branch, branches
from dlfix.report.view import Entry, Spot, View
from dlfix.rules.base import Place, Step
from dlfix.source.printable import encodable_data


@dataclass
class Node:
    """One value that crosses: what it is, where it stands, and what is wrong with it."""

    step: Step
    spot: Spot
    entries: list[Entry] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    told_elsewhere: bool = False  # it hangs nearer, too, where all below it stands

    def child(self, step: Step, view: View) -> Node:
        """Return the child at a step, made where it is not there yet."""
        for node in self.children:
            if node.step == step:
                return node
        node = Node(step, view.spot(step.place, step.label, step.note))
        self.children.append(node)
        return node

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def boundaries(view: View) -> list[Node]:
    """Return the boundaries in order of place, each with all that crosses it."""
    roots: dict[Place, Node] = {}
    for crossing in view.analysis.crossings:
        if crossing.edge.kind != "class":  # said by the object; a bad class comes by its finding
            node = _grow(roots, crossing.path, view)
            node.told_elsewhere = crossing.same is not None and bool(crossing.same.children)
    for entry in view.entries:
        if len(entry.finding.trace) > 1:
            _grow(roots, entry.finding.trace, view).entries.append(entry)
    return sorted(roots.values(), key=lambda node: (node.spot.path, node.spot.row))


def _grow(roots: dict[Place, Node], path: Iterable[Step], view: View) -> Node:
    steps = iter(path)
    first = next(steps)
    node = roots.setdefault(
        first.place, Node(first, view.spot(first.place, first.label, first.note))
    )
    for step in steps:
        node = node.child(step, view)
    return node


def as_text(root: Node, width: int | None = None) -> Text:
    """Return a tree for a terminal."""
    return branches(list(_branches(root, "", "")), width)


def _branches(node: Node, guides: str, below: str) -> Iterator[Branch]:
    is_good = not any(below_it.entries for below_it in node.walk())
    style = "bold red" if node.entries else "" if guides else "bold"
    if is_good and guides:
        style = "dim"
    marks = ", ".join(f"{entry.code} {entry.name}" for entry in node.entries)
    if node.told_elsewhere and not node.children:
        marks = ", ".join(filter(None, (marks, "again")))
    yield Branch(guides, node.spot, style, marks)
    for child in node.children:
        end = child is node.children[-1]
        yield from _branches(
            child, below + ("└─ " if end else "├─ "), below + ("   " if end else "│  ")
        )


def as_json(roots: Iterable[Node]) -> str:
    """Return the trees as JSON."""
    return json.dumps(encodable_data([_object(root) for root in roots]), indent=2) + "\n"


def _object(node: Node) -> dict[str, Any]:
    return {
        "label": node.step.label,
        "note": node.step.note,
        "filename": str(node.spot.path),
        "cell": node.spot.cell,
        "row": node.spot.row,
        "column": node.spot.column,
        "findings": [{"code": one.code, "message": one.message} for one in node.entries],
        "children": [_object(child) for child in node.children],
    }
