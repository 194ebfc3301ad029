"""What comes of findings and fixes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dlfix.fixing.plans import Fix, Planned, Refused
from dlfix.rules.base import Finding
from dlfix.source.text import Place

if TYPE_CHECKING:
    from dlfix.project.project import Project
    from dlfix.reach.extent import Extent


class Choice(Enum):
    """What a person wants of a proved fix."""

    APPLY = "apply"
    LEAVE = "leave"
    IGNORE = "ignore"  # leave it, and suppress its findings with a comment


@dataclass(frozen=True)
class Edited:
    """The texts that a person wants instead of those of a fix."""

    texts: Mapping[Path, str]


@dataclass(frozen=True)
class Diagnosis:
    """A finding, and what can be done about it: a fix, a reason against one, or nothing known."""

    finding: Finding
    outcome: Fix | Refused | None
    declined: bool = False  # whether a person was offered the fix, and said no
    ignored: bool = False  # and wants a comment that suppresses the finding
    also: tuple[Finding, ...] = ()  # the findings of what is derived from this one's object


@dataclass(frozen=True)
class Proposal:
    """A proved fix that waits for a yes: what it fixes, and the texts it makes of which."""

    findings: tuple[Finding, ...]
    fix: Fix
    before: Mapping[Path, str]
    after: Mapping[Path, str]
    waiting: int = 1  # fixes that wait, this one included; others may come up or drop out
    problem: str = ""  # why the text that a person made of it is not accepted


@dataclass(frozen=True)
class Rewritten:
    """What came of a rewrite: new texts of the files that change, and what is left.

    The findings of `applied` have their places in the texts as they were, those of `left` in the
    new ones.
    """

    project: Project
    texts: Mapping[Path, str]
    applied: tuple[Planned, ...]
    left: tuple[Diagnosis, ...]
    errors: tuple[str, ...] = ()  # dlfix's own mistakes, one line each
    cut_short: bool = False  # whether a reading ended before everything was followed
    cut_at: tuple[Place, ...] = ()  # the boundaries at which it ended, as far as they are known
    extent: Extent | None = None  # how much was followed at first
    first: Mapping[int, Finding] = field(
        default_factory=dict
    )  # those of `left` as they were, by id

    @property
    def left_before(self) -> tuple[Diagnosis, ...]:
        """What is left, with its places in the texts as they were."""
        return tuple(replace(each, finding=self._before(each.finding),
                             also=tuple(map(self._before, each.also))) for each in self.left)  # fmt: skip

    def _before(self, finding: Finding) -> Finding:
        return self.first.get(id(finding), finding)


Choose: TypeAlias = Callable[[Proposal], Choice | Edited]
