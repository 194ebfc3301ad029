"""Plan what classes lack to be unpickled, or to be used in `with`: part of `pickle_state`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.project.targets import evaluates_generics
from dlfix.rules.dlf209_unpicklable_exception import Lost
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.context_managers import HelperClass
    from dlfix.rules.reading.exceptions import Constructor


@dataclass(frozen=True)
class AddReduce:
    """Give an exception class a `__reduce__` that hands its arguments on.

    `positional` and `keywords` are the expressions that give the arguments back; `keep` are the
    parameters that `__init__` must store first, with the attribute each is stored as.
    """

    cls: Span
    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()
    keep: tuple[tuple[str, str], ...] = ()
    typed: bool = False


@dataclass(frozen=True)
class AddContextManager:
    """Give a class the methods that `with` calls; leaving closes it by the method `close`."""

    cls: Span
    name: str
    close: str
    enter: bool = True
    exit: bool = True
    typed: bool = False


def plan_exceptions(findings: Sequence[Finding], analysis: Analysis) -> Iterable[Planned]:
    """Answer for findings of DLF209: one fix for each class, however often it is raised."""
    for group in _by_class(findings):
        evidence = group[0].evidence
        if isinstance(evidence, Lost):
            yield Planned(tuple(group), Refused(_why_lost(evidence)))
        else:
            yield Planned(tuple(group), _reduce_fix(evidence, analysis))


def _why_lost(lost: Lost) -> str:
    row = lost.place.span.start.row
    return (
        f"torch recreates `{lost.name}` with a single string argument "
        f"({lost.place.path.name}:{row})"
    )


def plan_context_managers(findings: Sequence[Finding], analysis: Analysis) -> Iterable[Planned]:
    """Answer for findings of DLF208: one fix for each class, however often it is used."""
    for group in _by_class(findings):
        yield Planned(tuple(group), _context_manager_fix(group[0].evidence))


def _by_class(findings: Sequence[Finding]) -> list[list[Finding]]:
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.evidence.place, []).append(finding)
    return list(groups.values())


def _reduce_fix(culprit: Constructor, analysis: Analysis) -> Fix | Refused:
    edits = []
    for constructor in (culprit, *culprit.heirs):
        plan = reduce_plan(constructor)
        if isinstance(plan, Refused):
            return plan
        if plan.typed and not evaluates_generics(analysis.project.module(constructor.place.path)):
            plan = replace(plan, typed=False)
        edits.append(Edit(constructor.place.path, "pickle_state", plan))
    return Fix(
        f"Add `__reduce__` to `{culprit.name}` to pickle its arguments",
        Applicability.SAFE,
        tuple(edits),
    )


def reduce_plan(constructor: Constructor) -> AddReduce | Refused:
    """Plan `__reduce__` for one class, or say which argument cannot be had back."""
    row = constructor.place.span.start.row
    if constructor.lost:
        return Refused(
            f"`{constructor.lost}` of `{constructor.name}` is not stored unchanged (line {row})"
        )
    if constructor.slots and constructor.unkept:
        return Refused(
            f"`{constructor.name}` has `__slots__`, which do not contain "
            f"`{constructor.unkept[0][0]}` (line {row})"
        )
    return AddReduce(
        cls=constructor.place.span,
        positional=constructor.positional,
        keywords=constructor.keywords,
        keep=constructor.unkept,
        typed=constructor.typed,
    )


def _context_manager_fix(helper: HelperClass) -> Fix | Refused:
    if helper.close is None:
        row = helper.place.span.start.row
        return Refused(f"`{helper.name}` has no method that closes it (line {row})")
    missing = [
        name for name, lacks in (("__enter__", helper.enter), ("__exit__", helper.exit)) if lacks
    ]
    plan = AddContextManager(
        helper.place.span, helper.name, helper.close, helper.enter, helper.exit, helper.typed
    )
    return Fix(
        f"Add {' and '.join(f'`{name}`' for name in missing)} to `{helper.name}`",
        Applicability.UNSAFE,
        (Edit(helper.place.path, "pickle_state", plan),),
        why_unsafe=f"exiting the `with` statement now calls `{helper.close}()`",
    )
