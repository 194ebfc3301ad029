"""What is worked out when somebody asks for it, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class Lazily(Generic[T]):
    """The items of an iterator, gone through once and only as far as somebody asked, and kept."""

    def __init__(self, items: Iterable[T]) -> None:
        self._met: list[T] = []
        self._known: set[T] = set()
        self._rest = iter(items)

    def __contains__(self, wanted: T) -> bool:
        return wanted in self._known or any(each == wanted for each in self._more())

    def __iter__(self) -> Iterator[T]:
        number = 0
        while number < len(self._met) or any(True for _ in self._more()):
            yield self._met[number]
            number += 1

    def _more(self) -> Iterator[T]:
        for item in self._rest:
            self._met.append(item)
            self._known.add(item)
            yield item


class Each(Mapping[str, V]):
    """What a function says of each of some things, by the things' texts; nothing of it is kept."""

    def __init__(self, things: Iterable[T], work_out: Callable[[T], V]) -> None:
        self._things = {str(thing): thing for thing in things}
        self._work_out: Callable[[Any], V] = work_out

    def __getitem__(self, name: str) -> V:
        return self._work_out(self._things[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)
