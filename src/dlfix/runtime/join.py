"""Joins what was seen at run time with what reading the sources finds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.runtime.explain import ALIKE, HANDLES, reads
from dlfix.runtime.messages import meanings
from dlfix.runtime.probe import Culprit, Line

if TYPE_CHECKING:
    from dlfix.rules.base import Finding

STAGES = {
    "fetch": "DLF303",
    "main": "DLF301",
    "return": "DLF207",
    "alike": "DLF503",
    "stream": "DLF501",
}


@dataclass(frozen=True, slots=True)
class Joined:
    """A culprit, with the rule that is about it and the static finding that fits, if any."""

    culprit: Culprit
    code: str
    line: Line | None
    finding: Finding | None = None


def join(culprits: Sequence[Culprit], findings: Sequence[Finding] = ()) -> list[Joined]:
    """Give each culprit its rule's code, and the static finding of the same thing."""
    return [_joined(culprit, findings) for culprit in culprits]


def _joined(culprit: Culprit, findings: Sequence[Finding]) -> Joined:
    code = code_of(culprit)
    finding = matching(culprit, code, findings)
    if finding is None:
        return Joined(culprit, code, culprit.line)
    made = Line(Path(finding.place.path), finding.place.span.start.row)
    line = made if culprit.line is None or goes_through(finding, culprit.line) else culprit.line
    return Joined(culprit, finding.code, line, finding)


def code_of(culprit: Culprit) -> str:
    """Return the rule that a culprit's error belongs to."""
    found = meanings(f"{culprit.error}: {culprit.message}")
    if found and found[0].code:
        if culprit.when and found[0].code == "DLF201":
            return "DLF203"
        return found[0].code
    return STAGES.get(culprit.stage, "")


def matching(culprit: Culprit, code: str, findings: Sequence[Finding]) -> Finding | None:
    """Return the finding at the culprit's line, else of its attribute and rule, else of its rule.

    The last two are for what a worker raised: where it reads what is missing is not where that is
    set, but the line may name it.
    """
    at = [f for f in findings if culprit.line and is_at(f, culprit.line)]
    same = [f for f in findings if _is_alike(f.code, code) and _names(f, culprit.attribute)]
    same.sort(key=lambda f: culprit.line is None or not goes_through(f, culprit.line))
    if culprit.stage not in ("pickle", "alike"):
        same += [f for f in findings if f.code == code]
        at_line = culprit.line
        same += [f for f in findings if at_line and reads(at_line.path, at_line.row, f)]
    return next(iter([*at, *same]), None)


def _is_alike(code: str, other: str) -> bool:
    return code == other or any({code, other} <= alike for alike in (ALIKE, HANDLES))


def is_at(finding: Finding, line: Line) -> bool:
    """Return whether a finding's culprit covers a line."""
    span = finding.place.span
    same = Path(finding.place.path).resolve() == line.path.resolve()
    return same and span.start.row <= line.row <= span.end.row


def goes_through(finding: Finding, line: Line) -> bool:
    """Return whether a line is on a finding's path, above the culprit itself."""
    steps = [(Path(step.place.path).resolve(), step.place.span.start.row) for step in finding.trace]
    return not is_at(finding, line) and (line.path.resolve(), line.row) in steps


def _names(finding: Finding, attribute: str) -> bool:
    if not attribute:
        return False
    word = re.compile(rf"\b{re.escape(attribute)}\b")
    return any(word.search(text) for text in [finding.message, *(s.label for s in finding.trace)])
