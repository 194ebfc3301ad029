"""Which fixes can be carried out in one round."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dlfix.fixing.lines import spans_of
from dlfix.fixing.plans import Edit, Fix, Planned
from dlfix.source.text import Span


def compatible(candidates: Iterable[tuple[Planned, Fix]]) -> list[tuple[Planned, Fix]]:
    """Return the fixes, in order, that do not get in each other's way.

    In one round a file belongs to one codemod, whose planner knew of all its fixes there; places
    may lie within each other, but not cross, and no place is one of two kinds of plans: both may add the
    same method to a class. What is left out is planned again in the next round.
    """
    chosen: list[tuple[Planned, Fix]] = []
    owners: dict[Path, str] = {}
    taken: dict[Path, list[tuple[Span, type]]] = {}
    for planned, fix in candidates:
        if not all(_fits(edit, owners, taken) for edit in fix.edits):
            continue
        chosen.append((planned, fix))
        for edit in fix.edits:
            owners[edit.path] = edit.codemod
            places = taken.setdefault(edit.path, [])
            places += [(span, type(edit.plan)) for span in spans_of(edit.plan)]
    return chosen


def _fits(edit: Edit, owners: dict[Path, str], taken: dict[Path, list[tuple[Span, type]]]) -> bool:
    if owners.get(edit.path, edit.codemod) != edit.codemod:
        return False
    return not any(
        crosses(one, other) or (one == other and kind is not type(edit.plan))
        for one in spans_of(edit.plan)
        for other, kind in taken.get(edit.path, ())
    )


def crosses(one: Span, other: Span) -> bool:
    """Return whether two spans overlap without one lying within the other."""
    apart = one.end <= other.start or other.end <= one.start
    return not (apart or one.contains(other) or other.contains(one))
