"""Whole or nothing: no fix where the object it belongs to would still not reach the workers.

An object that is sent (one value of one argument of one boundary) is pickled as a whole, and the arguments
of a boundary are pickled together. Two findings *block the same object* when both make this pickling fail.
A finding of which each object is blocked by another that is not fixed, or goes together with an argument
each value of which is blocked, gains nothing from its own fix: the fix is held back, and the reason names
the other. A culprit that is sent in several objects is fixed if one of them is whole then.

What is wrong without an error (a shared generator, a handle that must not cross a fork) is independent
of what fails: such findings block nothing and are not held back. One kind is hidden by an error: workers
that read another value than the parent, once the object arrives. It blocks what fails, as a program that
stops is better than one that is silently wrong, and is not held back itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.reach.crossing import Crossing
from dlfix.rules.base import Finding
from dlfix.source.text import Position

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


def objects_of(finding: Finding, analysis: Analysis) -> frozenset[object]:
    """Return the objects that cannot be sent because of a finding: all that hold the culprit."""
    crossing = _crossing(finding)
    if crossing is None:
        return frozenset()
    fails = finding.rule.blocks and (finding.error or _is_missing_in_workers(crossing))
    if not (fails or finding.rule.shows_late):
        return frozenset()
    repeated = analysis.once(objects_of, lambda: _repeated(analysis))
    found: set[object] = set()
    met: set[Crossing] = set()
    waiting = [crossing]
    for each in waiting:  # grows while it is read
        at = each
        while at.parent is not None and at.parent.parent is not None:
            if at in repeated and at not in met:
                met.add(at)
                waiting += repeated[at]
            at = at.parent
        if at in repeated and at not in met:
            met.add(at)
            waiting += repeated[at]
        found.add(at)
    return frozenset(found)


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
        self._hopeless = hopeless
        for finding in sorted(findings, key=lambda each: not hopeless(each)):
            if finding.objects and not fixed(finding):
                for sent in finding.objects:
                    self._blockers.setdefault(sent, []).append(finding)

    def blocker(self, finding: Finding) -> Finding | None:
        """Return what makes a finding's own fix useless; None where the fix makes an object whole."""
        found: list[Finding] = []
        for sent in () if finding.rule.shows_late else finding.objects:
            other = self._other(sent, finding)
            if other is None:
                return None
            found.append(other)
        if not found:
            return None
        return min(found, key=lambda each: (not self._hopeless(each), _place(each)))

    def _other(self, sent: object, finding: Finding) -> Finding | None:
        """Return what else is in the way of an object, or of an argument that goes together with it."""
        own = next(
            (
                one
                for one in self._blockers.get(sent, ())
                if one is not finding and not _instead(one, finding, sent)
            ),
            None,
        )
        if own is not None or not isinstance(sent, Crossing) or sent.parent is None:
            return own
        beside: dict[str, list[Finding | None]] = {}
        for each in sent.parent.children:
            if _argument(each) != _argument(sent):
                others = (one for one in self._blockers.get(each, ()) if one is not finding)
                beside.setdefault(_argument(each), []).append(next(others, None))
        blocked = [found for found in beside.values() if None not in found]
        return blocked[0][0] if blocked else None


def _instead(one: Finding, other: Finding, sent: object) -> bool:
    """Return whether an object holds the culprit of one finding instead of the other's: in the same attribute."""
    for mine, theirs in zip(_way(one, sent), _way(other, sent), strict=False):
        if mine is not theirs:
            edges = mine.edge, theirs.edge
            return edges[0].name == edges[1].name and all(
                e.kind in ("attribute", "kept") for e in edges
            )
    return False


def _way(finding: Finding, sent: object) -> list[Crossing]:
    """Return what leads from an object that is sent to a culprit in it, which hangs there alone."""
    crossing = _crossing(finding)
    chain = [crossing, *crossing.above()] if crossing is not None else []
    inside = chain[: chain.index(sent)] if sent in chain else []
    return [] if any(each.same is not None for each in inside) else inside[::-1]


def _crossing(finding: Finding) -> Crossing | None:
    crossing = getattr(finding.evidence, "crossing", finding.evidence)
    return crossing if isinstance(crossing, Crossing) else None


def _argument(sent: Crossing) -> str:
    """Return which argument an object is a value of: those of several callers have numbers."""
    return sent.edge.name.partition("[")[0]


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


def in_the_way(finding: Finding) -> str:
    """Say what another finding's fix would come to without this one's."""
    if finding.rule.shows_late:
        return f"{what(finding)} is not fixed: the workers would silently read a different value"
    return f"{what(finding)} would still fail"
