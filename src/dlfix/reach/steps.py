"""The lines of a path, which findings have, too: what a run without findings loads."""

from __future__ import annotations

from dataclasses import dataclass

from dlfix.source.text import Place


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a finding's path: a place, and what happens there."""

    place: Place
    label: str  # what is there: "dataset  Clips(...)", ".transform", "[1] lambda"
    note: str = ""  # said beside it in dim: "set from the argument `transform`"
