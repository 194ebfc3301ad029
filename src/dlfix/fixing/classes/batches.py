"""Fixes for many classes: classes that derive from one another are fixed together."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import ClassFacts
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.hierarchy import family_of
from dlfix.fixing.classes.plans import ClassPlan
from dlfix.fixing.classes.subclass_state import with_heirs
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.reach.instances import MOST_SUBCLASSES

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

Group = list[tuple["Finding", Culprit]]
Cluster = list[tuple[Group, list[object]]]
OtherForm = Literal["held", "sliced", "state", "where_open", "at_position"]
PlanClass = Callable[[Sequence[Culprit], frozenset[str]], ClassPlan]


def fixes(
    groups: Sequence[Group],
    analysis: Analysis,
    codemod: str,
    verb: str,
    plan_class: PlanClass,
    plan_instead: Sequence[tuple[OtherForm, PlanClass]] = (),
) -> Iterator[Planned]:
    """Yield one outcome for each class, or for classes that build on one another.

    `plan_class` is told which state methods the bases get in the same fix. `plan_instead` plan the
    forms to try where the first is not accepted: all classes of a cluster have one, or none.
    """
    entries: Cluster = []
    for group in groups:
        facts = group[0][1].facts
        family = family_of(analysis, facts)
        if family.is_large:
            yield Planned(tuple(finding for finding, _ in group), _crowded(facts))
        else:
            entries.append((group, [base.node for base in family.bases]))
    for cluster in _clusters(entries):
        planned: list[_One] = []
        for one in _plans(cluster, plan_class):
            if isinstance(one.plan, Refusal):
                yield Planned(one.findings, Refused(str(one.plan)))
            else:
                planned.append(one)
        if not planned:
            continue
        fix = _fix(planned, analysis, codemod, verb, "lazy")
        instead: Fix | None = None
        for form, plan_other in reversed(plan_instead):
            others = list(_plans([(one.group, one.bases) for one in planned], plan_other))
            if any(isinstance(one.plan, Refusal) for one in others):
                continue
            other = _fix(others, analysis, codemod, verb, form)
            if other.edits != fix.edits:
                instead = replace(other, instead=instead)
        findings = (finding for one in planned for finding in one.findings)
        yield Planned(tuple(findings), replace(fix, instead=instead))


@dataclass(frozen=True)
class _One:
    """What was found in one class of a cluster, and the plan for it or why there is none."""

    group: Group
    bases: list[object]
    plan: ClassPlan | Refusal

    @property
    def facts(self) -> ClassFacts:
        return self.group[0][1].facts

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding, _ in self.group)


def _plans(cluster: Cluster, plan_class: PlanClass) -> Iterator[_One]:
    """Plan each class of a cluster, bases first: it is told which state methods these get."""
    made: dict[object, frozenset[str]] = {}
    for group, bases in cluster:
        inherited = frozenset().union(*(made.get(base, frozenset()) for base in bases))
        facts = group[0][1].facts
        try:
            plan = plan_class([culprit for _, culprit in group], inherited)
            _refuse_joined(plan, facts)
        except Refusal as refusal:
            yield _One(group, bases, refusal)
            continue
        made[facts.node] = inherited | _methods_made(plan)
        yield _One(group, bases, plan)


def _fix(
    planned: Sequence[_One],
    analysis: Analysis,
    codemod: str,
    verb: str,
    form: Literal["lazy"] | OtherForm,
) -> Fix:
    plans = [(one.facts, one.plan) for one in planned if isinstance(one.plan, ClassPlan)]
    by_clause: dict[str, list[str]] = {}  # what remains is said once of all classes
    for one in planned:
        if isinstance(one.plan, ClassPlan):
            by_clause.setdefault(one.plan.remains, []).append(_told(one.group, one.plan, verb))
    told = [
        "; ".join(each) + (f" ({clause})" if clause else "") for clause, each in by_clause.items()
    ]
    edits = [Edit(facts.module.path, codemod, plan) for facts, plan in with_heirs(plans, analysis)]
    remains = next((plan.remains for _, plan in plans if plan.remains), "")
    return Fix("; ".join(told), Applicability.SAFE, tuple(edits), form=form, remains=remains)


def _told(group: Group, plan: ClassPlan, verb: str) -> str:
    left = _only_left(plan)
    names = _names(group)
    if left and not plan.verb and plan.state is not None:
        names += [each.name for each in plan.state.drops if not each.code]
    listed = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
    return (plan.verb or left or verb).format(names=listed, cls=group[0][1].facts.node.name)


def _only_left(plan: ClassPlan) -> str:
    """Return the words for a plan that opens nothing in other processes; empty for one that does."""
    state = plan.state
    if plan.lazies or state is None or state.restores:
        return ""
    return "Remove {names} from the pickled state of `{cls}`"


def _refuse_joined(plan: ClassPlan, facts: ClassFacts) -> None:
    """Refuse to rewrite a statement that shares its line with others: `a = 1; b = 2`."""
    spans = [each.span for each in plan.exchanges if each.kind == "statement"]
    spans += [each.span for each in plan.inserts]
    spans += [span for each in plan.withins for span in (each.first, each.last)]
    rows = {row for span in spans for row in (span.start.row, span.end.row)}
    for node in ast.walk(facts.node):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, [])
            for first, second in itertools.pairwise(block) if isinstance(block, list) else ():
                row = facts.module.span(second).start.row
                if first.end_lineno == row and row in rows:
                    raise Refusal(
                        "the statement is on the same line as another statement "
                        f"({facts.line(second)})"
                    )


def _names(group: Group) -> list[str]:
    return list(dict.fromkeys(culprit.attribute for _, culprit in group))


def _methods_made(plan: ClassPlan) -> frozenset[str]:
    if plan.state is None:
        return frozenset()
    names = set()
    if plan.state.drops:
        names.add("__getstate__")
    if plan.state.restores:
        names.add("__setstate__")
    return frozenset(names)


def _crowded(facts: ClassFacts) -> Refused:
    return Refused(f"the class has {MOST_SUBCLASSES} or more subclasses ({facts.line(facts.node)})")


def _clusters(entries: Cluster) -> list[Cluster]:
    """Part groups into clusters of related classes, bases before heirs."""
    clusters: list[Cluster] = []
    for entry in sorted(entries, key=lambda each: len(each[1])):
        bases = entry[1]
        home = next((c for c in clusters if any(_node(g) in bases for g, _ in c)), None)
        if home is None:
            clusters.append([(entry[0], list(bases))])
        else:
            home.append((entry[0], list(bases)))
    return clusters


def _node(group: Group) -> object:
    return group[0][1].facts.node
