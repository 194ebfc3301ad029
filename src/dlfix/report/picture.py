"""The objects sent at a boundary as a picture: where the boxes and lines of the tree are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

from dlfix.report.tree import Node

Row = tuple[Node | None, int, int]  # an object, or how many are folded, and its depth

ROW, INDENT, CHARACTER = 34, 26, 7.4
MARGIN = 10
WHOLE = 12  # a tree of so many objects is shown without folding


@dataclass(frozen=True)
class Box:
    """One object in the tree, or those without findings that are not shown."""

    node: Node | None
    hidden: int
    depth: int
    at: int  # which row it is in
    number: int | None  # of its finding on the page

    @property
    def kind(self) -> str:
        """How it is drawn: "bad" with a finding, "top" at the boundary, "rest", else "fine"."""
        if self.node is None:
            return "rest"
        return "bad" if self.node.entries else "top" if self.depth == 0 else "fine"

    @property
    def label(self) -> str:
        """What the object is."""
        return f"{self.hidden} more without problems" if self.node is None else self.node.step.label

    @property
    def title(self) -> str:
        """What is shown of it under the pointer."""
        return "" if self.node is None else self.node.step.note or self.node.spot.shown

    @property
    def codes(self) -> str:
        """The codes of its findings."""
        entries = () if self.node is None else self.node.entries
        return " ".join(dict.fromkeys(entry.code for entry in entries))

    @property
    def place(self) -> str:
        """The file and the line, without the folder."""
        return "" if self.node is None else f"{self.node.spot.path.name}:{self.node.spot.row}"

    @property
    def x(self) -> int:
        """Its left edge."""
        return MARGIN + self.depth * INDENT

    @property
    def y(self) -> int:
        """Its upper edge."""
        return self.at * ROW + 4

    @property
    def height(self) -> int:
        """Its height."""
        return ROW - 8

    @cached_property
    def width(self) -> int:
        """The width that its text needs."""
        parts = (self.label, self.place, self.codes)
        return round(CHARACTER * sum(len(part) + 3 for part in parts if part) + 24)


@dataclass(frozen=True)
class Line:
    """From an object down to one that it holds."""

    x: int
    top: int
    bottom: float
    length: int
    leads_to_finding: bool


@dataclass(frozen=True)
class Picture:
    """The tree below a boundary."""

    root: Node
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    whole: Picture | None = None  # with all objects, where some are folded

    @property
    def problems(self) -> int:
        """How many findings there are in it."""
        return sum(len(node.entries) for node in self.root.walk())

    @property
    def width(self) -> int:
        """The width of the whole."""
        return max(box.x + box.width for box in self.boxes) + MARGIN

    @property
    def height(self) -> int:
        """The height of the whole."""
        return len(self.boxes) * ROW + MARGIN


def of(root: Node, numbers: Mapping[int, int]) -> Picture:
    """Return the picture of the tree below a boundary; `numbers` are those of the findings on the page."""
    whole = _drawn(root, _rows(root, 0), numbers)
    if len(whole.boxes) <= WHOLE:
        return whole
    return replace(_drawn(root, _folded(root, 0), numbers), whole=whole)


def _drawn(root: Node, rows: Iterator[Row], numbers: Mapping[int, int]) -> Picture:
    boxes = []
    for at, (node, hidden, depth) in enumerate(rows):
        entries = node.entries if node is not None else ()
        number = next((numbers[id(e)] for e in entries if id(e) in numbers), None)
        boxes.append(Box(node, hidden, depth, at, number))
    return Picture(root, tuple(boxes), tuple(_lines(boxes)))


def _rows(node: Node, depth: int) -> Iterator[Row]:
    yield node, 0, depth
    for child in node.children:
        yield from _rows(child, depth + 1)


def _folded(node: Node, depth: int) -> Iterator[Row]:
    """Yield the objects that lead to a finding; of a tree without one, the first two levels."""
    yield node, 0, depth
    is_clean = not _leads_to_finding(node)
    shown = [depth == 0 if is_clean else _leads_to_finding(child) for child in node.children]
    for child in compress(node.children, shown):
        yield from _folded(child, depth + 1)
    others = [child for child, is_shown in zip(node.children, shown, strict=True) if not is_shown]
    hidden = sum(sum(1 for _ in child.walk()) for child in others)
    if hidden == 1:
        yield others[0], 0, depth + 1
    elif hidden:
        yield None, hidden, depth + 1


def _leads_to_finding(node: Node) -> bool:
    return any(one.entries for one in node.walk())


def _lines(boxes: Sequence[Box]) -> Iterator[Line]:
    above: dict[int, int] = {}  # the row of the last box at each depth
    for box in boxes:
        if box.depth:
            parent = above[box.depth - 1]
            yield Line(
                box.x - INDENT + 12,
                (parent + 1) * ROW - 4,
                box.at * ROW + ROW / 2,
                INDENT - 12,
                box.node is not None and _leads_to_finding(box.node),
            )
        above[box.depth] = box.at
