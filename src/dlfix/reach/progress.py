"""How far a reading has come, for whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

# What is being done, how much of it is done, and how much there is.
Tell = Callable[[str, int, int], None]

T = TypeVar("T")


def silent(what: str, done: int, total: int) -> None:
    """Report to nobody."""


def told(what: str, items: Sequence[T], tell: Tell) -> Iterator[T]:
    """Yield the items, telling before each how many are done."""
    for done, item in enumerate(items):
        tell(what, done, len(items))
        yield item
