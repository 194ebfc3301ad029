"""Plan the smallest copy that keeps a sample from being changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.rules.reading.names import free_attribute, words
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.samples import Changed

CODEMOD = "copy_sample"
_WHY = "samples no longer keep the changes of earlier reads"


@dataclass(frozen=True)
class CopySample:
    """Copy the value of an expression: "dict", "list", "clone", "copy", "shallow" or "deep".

    `of` is what the expression makes a copy of that is not deep enough: the new one takes its place.
    """

    value: Span
    form: str
    of: Span | None = None


@dataclass(frozen=True)
class BindCopy:
    """Bind a copy to a name above a statement, and use it for an expression wherever it stands.

    Without uses it is a copy of what the name stands for.
    """

    before: Span
    uses: tuple[Span, ...]
    name: str
    form: str


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for findings of DLF502: one copy for each sample that is changed."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.evidence.source_place, []).append(finding)
    for group in groups.values():
        yield Planned(tuple(group), _outcome([finding.evidence for finding in group]))


def _outcome(changes: Sequence[Changed]) -> Fix | Refused:
    first = changes[0]
    if first.refused:
        return Refused(first.refused)
    form = _deepest([change.form for change in changes])
    if first.shallow is not None:
        copied = first.module.span(first.source)
        edit: CopySample | BindCopy = CopySample(first.module.span(first.shallow), "deep", copied)
    elif first.before is not None:
        name = _name(first)
        uses = tuple(first.module.span(use) for use in first.uses)
        edit = BindCopy(first.module.span(first.before), uses, name, form)
    else:
        edit = CopySample(first.module.span(first.source), form)
    return Fix(
        "Copy the sample before modifying it",
        Applicability.UNSAFE,
        (Edit(first.module.path, CODEMOD, edit),),
        why_unsafe=_WHY,
    )


def _name(change: Changed) -> str:
    if isinstance(change.source, ast.Name):
        return change.source.id
    return free_attribute("sample", words(change.function))


def _deepest(forms: Sequence[str]) -> str:
    if "deep" in forms or len(set(forms)) > 1:
        return "deep"
    return forms[0]
