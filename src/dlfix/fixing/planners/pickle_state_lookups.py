"""Plan the `__setstate__` that keeps unpickling from calling `__getattr__`: part of `pickle_state`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned
from dlfix.project.targets import evaluates_generics
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.unpickling import EndlessLookup


@dataclass(frozen=True)
class AddSetstate:
    """Give a class the `__setstate__` that pickle looks for, which stores the attributes."""

    cls: Span
    typed: bool = False


def plan_lookups(findings: Sequence[Finding], analysis: Analysis) -> Iterable[Planned]:
    """Answer for objects that cannot be unpickled: one fix for each class."""
    for finding in findings:
        found: EndlessLookup = finding.evidence
        module = analysis.project.module(found.cls.path)
        plan = AddSetstate(found.cls.span, found.typed and evaluates_generics(module))
        fix = Fix(
            f"Add `__setstate__` to `{found.name}`",
            Applicability.SAFE,
            (Edit(found.cls.path, "pickle_state", plan),),
        )
        yield Planned((finding,), fix)
