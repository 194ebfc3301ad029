"""One codemod on one file, with nothing else in view: what LibCST's own runner does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Fix

if TYPE_CHECKING:
    from dlfix.fixing.plans import Plan


def plans_for(path: Path, code: str, codemod: str, *, unsafe: bool = False) -> Iterator[Plan]:
    """Yield the plans of one codemod for one file that stands alone, in order of place.

    Every plan is made for `code` as it is; a caller that carries out several takes each along
    with `dlfix.fixing.lines.moved`.
    """
    from dlfix.catalog import load
    from dlfix.fixing import engine
    from dlfix.project.project import Project
    from dlfix.reach.analysis import analyze
    from dlfix.rules.registry import all_rules

    path = path.resolve()
    analysis = analyze(Project([path], texts={path: code}), load())
    rules = [rule for rule in all_rules() if codemod in rule.codemods]
    for planned in engine.plan(engine.find(analysis, rules, keep=None, errors=[]), analysis):
        fix = planned.outcome
        if not isinstance(fix, Fix) or not (unsafe or fix.applicability is Applicability.SAFE):
            continue
        if all(edit.codemod == codemod and edit.path == path for edit in fix.edits):
            yield from (edit.plan for edit in fix.edits)
