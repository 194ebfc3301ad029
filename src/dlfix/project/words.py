"""The words of one text, as a set that takes little room: a program has many texts with hundreds of words each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet


class Words(AbstractSet[bytes]):
    """A set that is kept as a sorted tuple: a table to look words up in has eight times its size."""

    __slots__ = ("_sorted",)

    def __init__(self, words: Iterable[bytes] = ()) -> None:
        self._sorted = tuple(sorted({*words}))

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, bytes):
            return False
        at = bisect_left(self._sorted, word)
        return at < len(self._sorted) and self._sorted[at] == word

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._sorted)

    def __len__(self) -> int:
        return len(self._sorted)
