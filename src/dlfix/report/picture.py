"""The objects sent at a boundary as a picture: where the boxes and lines of the tree are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from dlfix.report.tree import Node

ROW, INDENT, CHARACTER = 34, 26, 7.4
MARGIN = 10


@dataclass(frozen=True)
class Box:
    """One object in the tree."""

    node: Node
    depth: int
    at: int  # which row it is in
    number: int | None  # of its finding on the page

    @property
    def kind(self) -> str:
        """How it is drawn: "bad" with a finding, "top" at the boundary, else "fine"."""
        return "bad" if self.node.entries else "top" if self.depth == 0 else "fine"

    @property
    def codes(self) -> str:
        """The codes of its findings."""
        return " ".join(dict.fromkeys(entry.code for entry in self.node.entries))

    @property
    def place(self) -> str:
        """The file and the line, without the folder."""
        return f"{self.node.spot.path.name}:{self.node.spot.row}"

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
        parts = (self.node.step.label, self.place, self.codes)
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
    boxes = tuple(
        Box(node, depth, at, next((numbers[id(e)] for e in node.entries if id(e) in numbers), None))
        for at, (node, depth) in enumerate(_rows(root, 0))
    )
    return Picture(root, boxes, tuple(_lines(boxes)))


def _rows(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from _rows(child, depth + 1)


def _lines(boxes: tuple[Box, ...]) -> Iterator[Line]:
    above: dict[int, int] = {}  # the row of the last box at each depth
    for box in boxes:
        if box.depth:
            parent = above[box.depth - 1]
            yield Line(
                box.x - INDENT + 12,
                (parent + 1) * ROW - 4,
                box.at * ROW + ROW / 2,
                INDENT - 12,
                any(node.entries for node in box.node.walk()),
            )
        above[box.depth] = box.at
