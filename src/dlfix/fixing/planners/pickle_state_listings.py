"""Plans for iterators over the names of files: the object keeps a list of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dlfix.fixing.classes.batches import Group, fixes
from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.hierarchy import family_of
from dlfix.fixing.classes.plans import ClassPlan, Exchange
from dlfix.fixing.classes.streams import goes_through
from dlfix.fixing.plans import Applicability, Fix, Planned
from dlfix.project.module import Module
from dlfix.reach.analysis import Analysis

_LISTING = frozenset({"glob.iglob", "pathlib.Path.glob"})  # rows of the catalogue
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def is_listing(culprit: Culprit) -> bool:
    """Return whether an attribute holds an iterator over the files of a folder."""
    row = culprit.row
    return row is not None and row.name in _LISTING and not culprit.container


def plan_listings(groups: Sequence[Group], analysis: Analysis, codemod: str) -> Iterator[Planned]:
    """Yield a fix for each class: unsafe where a second loop may find all items again."""
    again: set[str] = set()  # the classes in which one may

    def plan_class(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        if not all(_is_looped_over_once(each, analysis) for each in group):
            again.add(group[0].facts.node.name)
        return ClassPlan(
            cls=group[0].facts.module.span(group[0].facts.node),
            exchanges=tuple(_as_list(each, analysis) for each in group),
        )

    for planned in fixes(
        groups, analysis, codemod, "Store {names} of `{cls}` as lists", plan_class
    ):
        fix = planned.outcome
        if isinstance(fix, Fix) and again:
            why = "a second loop over the list iterates over all items again"
            fix = replace(fix, applicability=Applicability.UNSAFE, why_unsafe=why)
        yield Planned(planned.findings, fix)


def _as_list(culprit: Culprit, analysis: Analysis) -> Exchange:
    facts, value = culprit.facts, culprit.site.value
    where = facts.line(culprit.site.statement)
    if not isinstance(value, ast.Call):
        raise Refusal(
            f"the position of an iterator is lost; store a list of its items instead ({where})"
        )
    for module, node in _reads(culprit, analysis):
        if not goes_through(module, node):
            line = f"{module.path.name}:{node.lineno}"
            raise Refusal(f"the iterator is used other than in a loop ({line})")
    return Exchange(facts.module.span(value), f"list({facts.module.segment(value)})", "expression")


def _is_looped_over_once(culprit: Culprit, analysis: Analysis) -> bool:
    """Return whether the constructor alone reads an attribute, in one place that runs once."""
    constructor = culprit.facts.methods.get("__init__")
    reads = list(_reads(culprit, analysis))
    return len(reads) == 1 and all(
        constructor in [*module.ancestors(node)] and _runs_once(module, node)
        for module, node in reads
    )


def _runs_once(module: Module, node: ast.AST) -> bool:
    """Return whether no loop of a method runs a node again; what a loop iterates over is evaluated once."""
    child = node
    for above in module.ancestors(node):
        if isinstance(above, (*_LOOPS, ast.While)) and child is not getattr(above, "iter", None):
            return False
        if child in getattr(above, "generators", ())[1:]:
            return False
        child = above
    return True


def _reads(culprit: Culprit, analysis: Analysis) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yield where an attribute of this name is read, but for the own ones of unrelated classes."""
    family = family_of(analysis, culprit.facts)
    related = {each.node for each in (family.facts, *family.bases, *family.heirs)}
    for module in analysis.project.mentions(culprit.attribute):
        for node in module.attributes_by_name.get(culprit.attribute, ()):
            around = (each for each in module.ancestors(node) if isinstance(each, ast.ClassDef))
            own = getattr(node.value, "id", "") == "self"
            if isinstance(node.ctx, ast.Load) and not (own and next(around, None) not in related):
                yield module, node
