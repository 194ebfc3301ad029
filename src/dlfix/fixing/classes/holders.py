"""What hangs from an attribute that leaves the state: it is sent no more, whatever its own class does with it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.fixing.classes.batches import fixes
from dlfix.fixing.classes.evidence import Culprit, OpenedIn, culprit_of
from dlfix.fixing.classes.facts import ClassFacts
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.hierarchy import surroundings
from dlfix.fixing.classes.parent_only import plan_for_parent
from dlfix.fixing.classes.plans import ClassPlan
from dlfix.fixing.plans import Fix, Planned, Refused
from dlfix.reach.crossing import Crossing
from dlfix.reach.values import Instance

if TYPE_CHECKING:
    from dlfix.fixing.whole_or_nothing import Way
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

_VERB = "Remove {names} from the pickled state of `{cls}`"
Read = tuple["Finding", Culprit]
_Place = tuple[ast.ClassDef, str]  # a class, and an attribute of its objects


def joined_with_holders(read: Sequence[Read]) -> list[Read]:
    """Let what is sent only as a part of another finding's object be mended with that: it leaves the state whole."""
    holders = [
        (finding, culprit, {_place_of(way[-1]) for way in finding.ways})
        for finding, culprit in read
        if isinstance(culprit.value, Instance) and not culprit.on_class
    ]

    def outermost(finding: Finding, own: Culprit) -> Culprit:
        found = [
            (len(_above(finding)) - len(_above(other)), culprit)
            for other, culprit, places in holders
            if other is not finding and _all_pass(finding.ways, places - {None})
        ]
        return max(found, key=lambda each: each[0])[1] if found else own

    return [(finding, outermost(finding, culprit)) for finding, culprit in read]


def without_holders(
    planned: Iterable[Planned], analysis: Analysis, codemod: str
) -> Iterator[Planned]:
    """Try, where there is no fix or it is not accepted, to leave out what only the parent uses and holds the culprit."""
    classes: dict[ast.ClassDef, ClassFacts] = {}
    groups: dict[_Place, list[tuple[Planned, list[Read]]]] = {}
    for each in planned:
        culprit = _holder_for_parent(each.findings, analysis, classes)
        if culprit is None:
            yield each
            continue
        read = [(finding, culprit) for finding in each.findings]
        if isinstance(each.outcome, Refused):
            place = (culprit.facts.node, culprit.attribute)
            groups.setdefault(place, []).append((each, read))
        else:
            other = _fix_without(read, analysis, codemod)
            last = each.outcome if other is None else _with_last(each.outcome, other)
            yield replace(each, outcome=last)
    for group in groups.values():
        fix = _fix_without([one for _, read in group for one in read], analysis, codemod)
        if fix is None:
            yield from (each for each, _ in group)
        else:
            yield Planned(tuple(f for each, _ in group for f in each.findings), fix)


def _fix_without(read: list[Read], analysis: Analysis, codemod: str) -> Fix | None:
    """Return the fix that leaves an attribute out of the state; None where there is none."""

    def plan_one(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        plan = _plan(group[0], analysis, inherited)
        if plan is None:
            raise Refusal("a worker may use it")
        return plan

    outcomes = [each.outcome for each in fixes([read], analysis, codemod, _VERB, plan_one)]
    fix = outcomes[0] if len(outcomes) == 1 else None
    return replace(fix, form="holder") if isinstance(fix, Fix) else None


def _with_last(fix: Fix, other: Fix) -> Fix:
    """Return a fix with another form to try after all others."""
    rest = other if fix.instead is None else _with_last(fix.instead, other)
    return replace(fix, instead=rest)


def _holder_for_parent(
    findings: Sequence[Finding], analysis: Analysis, classes: dict[ast.ClassDef, ClassFacts]
) -> Culprit | None:
    """Return the nearest attribute that only the parent uses, and from which all of the findings hang."""
    ways = [way for finding in findings for way in finding.ways]
    if not ways or not all(finding.ways for finding in findings):
        return None
    for above in _above(findings[0])[1:]:
        place = _place_of(above)
        if place is None or not isinstance(above.value, Instance) or not _all_pass(ways, {place}):
            continue
        try:
            culprit = culprit_of(findings[0], above, analysis, classes)
        except Refusal:
            continue
        if culprit.is_passed_in or culprit.on_class:
            continue
        if _plan(culprit, analysis, frozenset()) is not None:
            return culprit
    return None


def _plan(culprit: Culprit, analysis: Analysis, inherited: frozenset[str]) -> ClassPlan | None:
    opened = OpenedIn(analysis, culprit.frame)
    around = surroundings(
        analysis, culprit.facts, {culprit.attribute}, set(culprit.holders), opened
    )
    around = replace(around, inherited=around.inherited | inherited)
    return plan_for_parent([culprit], around)


def _above(finding: Finding) -> list[Crossing]:
    """Return the attributes that a culprit is, and hangs from, nearest first."""
    crossing = finding.evidence if isinstance(finding.evidence, Crossing) else None
    chain = [crossing, *crossing.above()] if crossing is not None else []
    return [each for each in chain if each.edge.kind == "attribute"]


def _place_of(crossing: Crossing) -> _Place | None:
    """Return the class, and the attribute of its objects, that a value is set to."""
    store = crossing.edge.store
    if crossing.edge.kind != "attribute" or store is None or store.on_class:
        return None
    above = store.frame.module.ancestors(store.statement)
    node = next((each for each in above if isinstance(each, ast.ClassDef)), None)
    return (node, store.attribute) if node is not None else None


def _all_pass(ways: Iterable[Way], places: Iterable[_Place | None]) -> bool:
    """Return whether each of some ways leads through an attribute of these, and on from there."""
    found = list(ways)
    known = set(places)
    return bool(found) and all(any(_place_of(each) in known for each in w[:-1]) for w in found)


__all__ = ["joined_with_holders", "without_holders"]
