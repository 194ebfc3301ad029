"""Several plans of one codemod for one file joined into one, so that the file is rewritten once."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.fixing.plans import Plan


def joined(plans: Sequence[Plan]) -> Iterator[tuple[Plan, list[int]]]:
    """Yield plans that do what `plans` do, in turn, with the numbers of those each stands for.

    A plan that is nothing but lists of things to do (every field a tuple, or equal in all) takes up
    others of its kind, unless they change the same place or one within it: these follow by
    themselves.
    """
    taken: dict[object, _Taken] = {}
    alone: list[tuple[Plan, list[int]]] = []
    for number, plan in enumerate(plans):
        kind = _kind(plan)
        if kind is None or not taken.setdefault(kind, _Taken()).takes(plan, number):
            alone.append((plan, [number]))
    for one in taken.values():
        yield one.plan(), one.numbers
    yield from alone


def _kind(plan: Any) -> object:
    """Return what plans must share to be joined; None where a plan cannot be."""
    if not dataclasses.is_dataclass(plan):
        return None
    values = [(field.name, getattr(plan, field.name)) for field in dataclasses.fields(plan)]
    lists = [value for _, value in values if isinstance(value, tuple)]
    others = [(name, value) for name, value in values if not isinstance(value, tuple)]
    if not lists or not all(map(_things, lists)):
        return None
    kind = (type(plan), *others)
    try:
        hash(kind)
    except TypeError:
        return None
    return kind


def _things(value: tuple[Any, ...]) -> bool:
    return all(dataclasses.is_dataclass(item) and not isinstance(item, Span) for item in value)


class _Taken:
    """Plans of one kind, and the places they change."""

    def __init__(self) -> None:
        self.plans: list[Any] = []
        self.numbers: list[int] = []
        self._places: list[Span] = []  # apart from each other, in order

    def takes(self, plan: Any, number: int) -> bool:
        """Take a plan up; tell whether that could be done."""
        outer = _outermost(_places(plan))
        if any(self._meets(span) for span in outer):
            return False
        for span in outer:
            insort(self._places, span)
        self.plans.append(plan)
        self.numbers.append(number)
        return True

    def _meets(self, span: Span) -> bool:
        index = bisect_left(self._places, span)
        return any(
            one.start < span.end and span.start < one.end
            for one in self._places[max(0, index - 1) : index + 1]
        )

    def plan(self) -> Any:
        """Return the one plan."""
        first = self.plans[0]
        if len(self.plans) == 1:
            return first
        lists = {
            field.name: tuple(
                dict.fromkeys(item for plan in self.plans for item in getattr(plan, field.name))
            )
            for field in dataclasses.fields(first)
            if isinstance(getattr(first, field.name), tuple)
        }
        return dataclasses.replace(first, **lists)


def _places(plan: Any) -> Iterator[Span]:
    """Yield the places a plan changes: of each thing to do, the one it begins with."""
    for field in dataclasses.fields(plan):
        value = getattr(plan, field.name)
        for item in value if isinstance(value, tuple) else ():
            first = getattr(item, dataclasses.fields(item)[0].name)
            if isinstance(first, Span):
                yield first


def _outermost(spans: Iterator[Span]) -> list[Span]:
    """Return the spans that lie in no other."""
    found: list[Span] = []
    for span in sorted(set(spans), key=lambda each: (each.start, -each.end.row, -each.end.column)):
        if not found or not found[-1].contains(span):
            found.append(span)
    return found
