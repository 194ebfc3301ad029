"""Whole or nothing: no fix where the object it belongs to would still not reach the workers.

An object that is sent (one value of one argument of one boundary) is pickled as a whole, and the arguments
of a boundary are pickled together. Two findings *block the same object* when both make this pickling fail.
A finding of which each object is blocked by another that is not fixed, or goes together with an argument
each value of which is blocked, gains nothing from its own fix: the fix is held back, and the reason names
the other. So does an entry of a dispatch table of which another entry is not fixed. A culprit that is sent in several objects is fixed if one of them is whole then.

What is wrong without an error (a shared generator, a handle that must not cross a fork) is independent
of what fails: such findings block nothing and are not held back. One kind is hidden by an error: workers
that read another value than the parent, once the object arrives. It blocks what fails, as a program that
stops is better than one that is silently wrong, and is not held back itself. Another only costs something
once the object arrives: it is held back, and blocks nothing.

A script that starts workers on import fails as long as a module that it imports does so as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.tables import table_of
from dlfix.reach.crossing import Crossing
from dlfix.reach.values import Container, Unknown
from dlfix.rules.base import Finding
from dlfix.source.text import Position

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


Way = tuple[Crossing, ...]  # from an object that is sent to a culprit in it
_MOST_WAYS = 64


def ways_of(finding: Finding, analysis: Analysis) -> frozenset[Way]:
    """Return what leads to a culprit from each object that cannot be sent because of it."""
    crossing = _crossing(finding)
    if crossing is None:
        return frozenset()
    fails = finding.rule.blocks and (finding.error or _is_missing_in_workers(crossing))
    if not (fails or finding.rule.shows_late or finding.rule.costs_late):
        return frozenset()
    repeated = analysis.once(ways_of, lambda: _repeated(analysis))
    found = _ways_to(crossing, repeated)
    if found is None:  # too many to follow: only where they begin is known
        return frozenset((sent,) for sent in _objects_with(crossing, repeated))
    return frozenset(found)


def _ways_to(culprit: Crossing, repeated: dict[Crossing, list[Crossing]]) -> list[Way] | None:
    """Return the ways to a culprit, also through objects that several others share; None if too many."""
    found: list[Way] = []
    waiting: list[Way] = [(culprit,)]
    while waiting:
        chain = waiting.pop()
        for place in (chain[-1], *repeated.get(chain[-1], ())):
            way, above = (*chain[:-1], place), place.parent
            if above is None or above.parent is None:
                found.append(way[::-1])
            elif above not in chain:
                waiting.append((*way, above))
        if len(found) + len(waiting) > _MOST_WAYS:
            return None
    return found


def _objects_with(culprit: Crossing, repeated: dict[Crossing, list[Crossing]]) -> set[Crossing]:
    found: set[Crossing] = set()
    met: set[Crossing] = set()
    waiting = [culprit]
    for at in waiting:  # grows while it is read
        while True:
            if at not in met:
                met.add(at)
                waiting += repeated.get(at, ())
            if at.parent is None or at.parent.parent is None:
                break
            at = at.parent
        found.add(at)
    return found


def _is_missing_in_workers(crossing: Crossing) -> bool:
    """Return whether the parent alone keeps something on a class: it pickles, and a worker fails later."""
    store = crossing.edge.store
    return store is not None and store.on_class


def _repeated(analysis: Analysis) -> dict[Crossing, list[Crossing]]:
    """Return where else each object hangs that several others share."""
    found: dict[Crossing, list[Crossing]] = {}
    for crossing in analysis.crossings:
        if crossing.same is not None:
            found.setdefault(crossing.same, []).append(crossing)
    return found


class Ways:
    """What is in the way of each object: the findings that are not fixed, those without a fix first."""

    def __init__(
        self,
        findings: Iterable[Finding],
        fixed: Callable[[Finding], bool],
        hopeless: Callable[[Finding], bool] = lambda _: False,
    ) -> None:
        self._blockers: dict[object, list[Finding]] = {}
        self._entries: dict[Hashable, list[Finding]] = {}  # of tables
        self._started: dict[tuple[Path, str], Finding] = {}  # by file and rule
        self._hopeless = hopeless
        for finding in sorted(findings, key=lambda each: not hopeless(each)):
            if finding.objects and not finding.rule.costs_late and not fixed(finding):
                for sent in finding.objects:
                    self._blockers.setdefault(sent, []).append(finding)
                self._entries.setdefault(table_of(finding), []).append(finding)
            if not fixed(finding):
                self._started[finding.place.path, finding.code] = finding

    def blocker(self, finding: Finding) -> Finding | None:
        """Return what makes a finding's own fix useless; None where the fix makes an object whole."""
        for path in sorted(finding.brings):
            if (path, finding.code) in self._started:
                return self._started[path, finding.code]
        found: list[Finding] = []
        for sent in () if finding.rule.shows_late else finding.objects:
            other = self._other(sent, finding)
            if other is None:
                return self._of_its_table(finding)
            found.append(other)
        entry = self._of_its_table(finding) if found else None
        found += [entry] if entry is not None else []
        return min(found, key=lambda each: (not self._hopeless(each), _place(each)), default=None)

    def _of_its_table(self, finding: Finding) -> Finding | None:
        """Return another entry of the table that a culprit is an entry of: code takes any of them."""
        table = table_of(finding)
        others = self._entries.get(table, ()) if table is not None else ()
        return next((each for each in others if each is not finding), None)

    def _inside(self, sent: object, finding: Finding) -> Finding | None:
        """Return what else is in an object whichever way the culprit hangs there."""
        found: list[Finding] = []
        others = [one for one in self._blockers.get(sent, ()) if one is not finding]
        for way in _ways(finding, sent):
            blocking = next((one for one in others if _is_beside(one, way)), None)
            if blocking is None:
                return None
            found.append(blocking)
        return self._first(found)

    def _other(self, sent: object, finding: Finding) -> Finding | None:
        """Return what else is in the way of an object, or of an argument that goes together with it.

        What has no fix comes first: what is itself held back by another is no reason to name.
        """
        inside = self._inside(sent, finding)
        found = [inside] if inside is not None else []
        if isinstance(sent, Crossing) and sent.parent is not None:
            found += self._beside(sent, sent.parent, finding)
        return self._first(found)

    def _beside(self, sent: Crossing, boundary: Crossing, finding: Finding) -> list[Finding]:
        """Return what is in the way of each other argument of which no known value is whole: of the same caller's, if it has one."""
        passing = _passing(sent)
        known = {_argument(each) for each in boundary.children if _is_known(each)}
        beside: dict[str, list[tuple[bool, Finding | None]]] = {}
        for each in boundary.children:
            if _argument(each) in known and not _is_known(each):
                continue  # what others may pass is no reason to do half of it for those seen
            if _argument(each) != _argument(sent):
                others = (one for one in self._blockers.get(each, ()) if one is not finding)
                of_caller = not passing.isdisjoint(_passing(each))
                beside.setdefault(_argument(each), []).append((of_caller, next(others, None)))
        found: list[Finding] = []
        for values in beside.values():
            blocking = [(own, one) for own, one in values if one is not None]
            if len(blocking) == len(values):
                found += [one for own, one in blocking if own] or [one for _, one in blocking]
        return found

    def _first(self, found: list[Finding]) -> Finding | None:
        """Return the first that has no fix, else the first."""
        return min(found, key=lambda each: not self._hopeless(each), default=None)


def _is_beside(finding: Finding, way: Way) -> bool:
    """Return whether an object that has something on a way may have a finding's culprit too."""
    return any(not _instead(way, other) for other in _ways(finding, way[0]))


def _instead(way: Way, other: Way) -> bool:
    """Return whether an object holds what one way leads to instead of the other's: in the same place.

    They part below the last object that is on both, wherever each of them comes to it. Where one of them
    ends there, what it leads to holds the other's, or is the same. An object that was put into a list may
    be there several times, with another value each time.
    """
    places = {each.same or each: index for index, each in enumerate(other)}
    for index in reversed(range(len(way))):
        shared = places.get(way[index].same or way[index])
        if shared is not None:
            if any(map(_is_one_of_several, way[: index + 1])):
                return False
            parted = (*way[index + 1 : index + 2], *other[shared + 1 : shared + 2])
            kept = [each.edge.name for each in parted if _holds_one(each)]
            return len(kept) == 2 and kept[0] == kept[1]
    return False


def _holds_one(part: Crossing) -> bool:
    """Return whether an object holds one value where a part hangs: in an attribute, or at a place of a tuple."""
    if part.edge.kind == "item":
        above = part.parent.value if part.parent is not None else None
        return bool(part.edge.name) and isinstance(above, Container) and above.kind == "tuple"
    return part.edge.kind in ("attribute", "kept")


def _is_one_of_several(part: Crossing) -> bool:
    """Return whether an object hangs where code puts any number of them: `steps.append((f, n))`."""
    return part.edge.kind == "item" and not part.edge.name


def _ways(finding: Finding, sent: object) -> list[Way]:
    return [way for way in finding.ways if way[0] is sent]


def _crossing(finding: Finding) -> Crossing | None:
    crossing = getattr(finding.evidence, "crossing", finding.evidence)
    return crossing if isinstance(crossing, Crossing) else None


def _is_known(sent: Crossing) -> bool:
    return not isinstance(sent.value, Unknown)


def _argument(sent: Crossing) -> str:
    """Return which argument an object is a value of: those of several callers have numbers."""
    return sent.edge.name.partition("[")[0]


def _passing(sent: Crossing) -> set[ast.Call]:
    """Return the calls that pass an argument on its way to a boundary."""
    above = (
        next(
            (one for one in each.module.ancestors(each.node) if not isinstance(one, ast.keyword)),
            None,
        )
        for each in sent.passed
    )
    return {each for each in above if isinstance(each, ast.Call)}


def _place(finding: Finding) -> tuple[Path, Position]:
    return finding.place.path, finding.place.span.start


def what(finding: Finding) -> str:
    """Return the words for what is in the way: what it is, and where."""
    place = finding.place
    at = f"{place.path.name}:{place.span.start.row}"
    if finding.rule.shows_late:
        return f"{finding.code} at {at}"
    label = finding.label.split("  ")[-1] or finding.rule.name
    return f"`{label}` at {at}"


def in_the_way(finding: Finding, of: Finding) -> str:
    """Say what another finding's fix would come to without this one's."""
    if finding.place.path in of.brings:
        at = f"{finding.place.path.name}:{finding.place.span.start.row}"
        return f"{at}, which runs on import of the script, would still start workers"
    if finding.rule.shows_late:
        return f"{what(finding)} is not fixed: the workers would silently read a different value"
    return f"{what(finding)} would still fail"
