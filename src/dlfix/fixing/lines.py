"""Where the lines of a text are after a rewrite, and plans carried along with them."""

from __future__ import annotations

import dataclasses
import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from dlfix.source.text import Position, Span

T = TypeVar("T")


class Hunk(NamedTuple):
    """A stretch that changed: its first and last row before and after; the last is less in an empty one."""

    first: int
    last: int
    new_first: int
    new_last: int


class LineMap:
    """Maps rows of a text to rows of what it became; rows that changed have no image."""

    def __init__(self, before: str, after: str) -> None:
        self._rows: dict[int, int] = {}
        self._hunks: list[Hunk] = []
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        for block in alike(old, new):
            self._record(*block)
        self._note_hunks(len(old), len(new))

    def _note_hunks(self, old: int, new: int) -> None:
        above = (0, 0)
        for pair in [*self._rows.items(), (old + 1, new + 1)]:
            hunk = Hunk(above[0] + 1, pair[0] - 1, above[1] + 1, pair[1] - 1)
            if hunk.last >= hunk.first or hunk.new_last >= hunk.new_first:
                self._hunks.append(hunk)
            above = pair

    def hunk_at(self, row: int) -> Hunk | None:
        """Return the changed stretch in which a row of the new text lies."""
        return next((one for one in self._hunks if one.new_first <= row <= one.new_last), None)

    def _record(self, old: int, new: int, size: int) -> None:
        for offset in range(1, size + 1):
            self._rows[old + offset] = new + offset

    def row(self, row: int) -> int | None:
        """Return the row a row has become, None where its text changed."""
        return self._rows.get(row)

    def row_before(self, row: int) -> int | None:
        """Return the row that a row of the new text was, or the first it replaces; None if it is new."""
        hunk = self.hunk_at(row)
        if hunk is not None and hunk.first <= hunk.last:
            return hunk.first
        return self._rows_before.get(row)

    @cached_property
    def _rows_before(self) -> dict[int, int]:
        return {new: old for old, new in self._rows.items()}

    def position(self, position: Position) -> Position | None:
        """Return where a position is now, None where its row changed."""
        row = self.row(position.row)
        return None if row is None else Position(row, position.column)


def alike(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the stretches that two texts share: where each begins in them, and how long it is.

    Lines that both have once hold the comparison together, so that it is nearly linear; only what
    lies between them is compared in full.
    """
    at, there = 0, 0
    for one, other in [*_anchors(old, new), (len(old), len(new))]:
        yield from _between(old[at:one], new[there:other], at, there)
        if one < len(old):
            yield one, other, 1
        at, there = one + 1, other + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the most lines that both texts have once, and in the same order, as places in them."""
    once = {line for line, times in Counter(old).items() if times == 1}
    there = {line: index for index, line in enumerate(new) if line in once}
    repeated = {line for line, times in Counter(new).items() if times > 1}
    pairs = [
        (index, there[line])
        for index, line in enumerate(old)
        if line in there and line not in repeated
    ]
    ends: list[int] = []  # of the best rising rows of each length, the last place
    last: list[int] = []  # the pair that each of these ends with
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    chain = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _between(
    old: Sequence[str], new: Sequence[str], at: int, there: int
) -> Iterator[tuple[int, int, int]]:
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    yield at, there, head
    inner, made = old[head : len(old) - tail], new[head : len(new) - tail]
    if inner and made:
        for block in difflib.SequenceMatcher(
            None, inner, made, autojunk=False
        ).get_matching_blocks():
            yield at + head + block.a, there + head + block.b, block.size
    yield at + len(old) - tail, there + len(new) - tail, tail


def common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines two texts begin with alike."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


class Moved(Exception):
    """A plan's place is not what it was when the plan was made."""


def moved(plan: T, lines: LineMap) -> T:
    """Return a plan with all its places carried along; raise Moved where one of them changed."""
    return _moved(plan, lines)  # type: ignore[no-any-return]


def _moved(value: Any, lines: LineMap) -> Any:
    if isinstance(value, Position):
        place = lines.position(value)
        if place is None:
            raise Moved
        return place
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(
            value, **{name: _moved(getattr(value, name), lines) for name in fields}
        )
    if isinstance(value, (tuple, list, set, frozenset)):
        items = [_moved(item, lines) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, Mapping):
        return {_moved(key, lines): _moved(item, lines) for key, item in value.items()}
    return value


def spans_of(value: Any) -> Iterator[Span]:
    """Yield every span a plan holds."""
    if isinstance(value, Span):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from spans_of(getattr(value, field.name))
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from spans_of(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from spans_of(key)
            yield from spans_of(item)
