"""Where two texts differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_MOST_PLACES = 12  # of an edit that is compared place by place: each is a parse of the file
_MOST_ROWS = 2_000  # between the first place and the last


@dataclass(frozen=True)
class Change:
    """The rows in which two texts differ: the first one, the last ones, and how far what follows moved."""

    first: int
    last: int  # before the first where there are none
    last_after: int

    @property
    def shift(self) -> int:
        """By how many rows what comes after it moved."""
        return self.last_after - self.last

    def touches(self, first: int, last: int) -> bool:
        """Return whether it is in some rows, or between two of them."""
        if self.last < self.first:
            return first < self.first <= last
        return first <= self.last and self.first <= last

    def follows(self, row: int) -> bool:
        """Return whether rows were put in right after one."""
        return self.last < self.first == row + 1

    def moved(self, row: int) -> int:
        """Return where a row is that it is not in."""
        return row if row < self.first else row + self.shift


def change_between(old: Sequence[str], new: Sequence[str]) -> Change | None:
    """Return the rows in which two texts differ; None where they are alike."""
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    if start == len(old) == len(new):
        return None
    most -= start
    end = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return Change(start + 1, len(old) - end, len(new) - end)


def steps(old: str, new: str) -> list[str]:
    """Return the texts that lie between two, which differ in several places: each has one place more of the new one."""
    olds, news = old.splitlines(keepends=True), new.splitlines(keepends=True)
    change = change_between(olds, news)
    if change is None or max(change.last, change.last_after) - change.first > _MOST_ROWS:
        return []
    start, end = change.first - 1, change.last
    before, after = olds[start:end], news[start : change.last_after]
    matches = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    places = [place for kind, *place in matches if kind != "equal"]
    if len(places) > _MOST_PLACES:
        return []
    head, tail = olds[:start], olds[end:]
    return [
        "".join((*head, *after[:new_end], *before[old_end:], *tail))
        for _, old_end, _, new_end in places[:-1]
    ]
