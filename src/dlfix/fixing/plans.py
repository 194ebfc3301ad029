"""What is to be rewritten: plans, the fixes made of them, and refusals.

A planner (`dlfix.fixing.planners.<codemod>`) turns findings into plans by reading facts (`ast`);
a codemod (`dlfix_codemods.<codemod>`) carries a plan out on a LibCST module. Plans are data: spans
and names, never trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding


class Applicability(str, Enum):
    """Whether a fix may be applied unasked."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Plan(Protocol):
    """What one codemod is to do to one module: a frozen dataclass of spans, names and flags."""


@dataclass(frozen=True)
class Edit:
    """One codemod's work on one file."""

    path: Path
    codemod: str  # entry-point name in the group `dlfix.codemods`
    plan: Plan
    beside: Path | None = None  # the file next to which this one is made


@dataclass(frozen=True)
class Fix:
    """A set of edits that mends some findings; all of them are applied, or none is."""

    message: str  # imperative: "Move the lambda to module level as `_collate_fn`"
    applicability: Applicability
    edits: tuple[Edit, ...]
    why_unsafe: str = ""  # one clause, for an unsafe fix: what may change
    form: Literal["", "lazy", "held", "sliced", "state", "where_open", "at_position", "holder"] = (
        ""  # of several forms, which one this is
    )
    remains: str = ""  # one clause: what a process may still share with its parent
    instead: Fix | None = None  # the form to try where this one is not accepted

    @property
    def forms(self) -> tuple[Fix, ...]:
        """This fix and those to try instead, in order."""
        return (self,) if self.instead is None else (self, *self.instead.forms)


@dataclass(frozen=True)
class Refused:
    """Why there is no fix: one clause that names the line where there is one."""

    reason: str


def in_file(reason: str, path: Path) -> str:
    """Return a reason whose lines are those of a file, which is named."""
    return re.sub(r"\(line (\d+)\)", lambda line: f"({path.name}:{line[1]})", reason)


@dataclass(frozen=True)
class Planned:
    """The outcome for findings that one fix solves together (or one reason refuses)."""

    findings: tuple[Finding, ...]
    outcome: Fix | Refused


class Planner(Protocol):
    """A planner module has one function `plan` of this shape.

    It is given all open findings whose rule names its codemod, in order of place, and answers for
    each of them exactly once.
    """

    def __call__(self, findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
        """Answer for each finding once."""
