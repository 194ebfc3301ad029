"""What a rule is, and what it finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from dlfix.reach.steps import Step
from dlfix.source.text import Place

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

# "likely": whether it comes to a worker is not known; such a rule is off unless it is selected by name.
Severity = Literal["error", "warning", "likely"]


@dataclass(frozen=True)
class Finding:
    """An object that cannot be sent to a worker or not be used there, and its trace."""

    rule: type[Rule]
    message: str  # one line, no full stop, names the object: "Lambda is sent to ..."
    place: Place  # the object
    trace: tuple[Step, ...]  # from the boundary to the object; both included
    error: str = ""  # what Python or torch would print, where that is known
    evidence: Any = field(default=None, compare=False, repr=False)  # what the planner reads
    ways: frozenset[tuple[Crossing, ...]] = field(default=frozenset(), compare=False, repr=False)
    # From each object that is sent to the culprit in it; see `blocks`.
    brings: frozenset[Path] = field(default=frozenset(), compare=False, repr=False)
    # The files that run along with its own in each worker, and where the same is found.

    @property
    def objects(self) -> frozenset[Crossing]:
        """The objects that are sent and hold the culprit."""
        return frozenset(way[0] for way in self.ways)

    @property
    def code(self) -> str:
        """The rule's code, as `DLF101`."""
        return self.rule.code

    @property
    def label(self) -> str:
        """What the trace calls the object; it may go on to what the object belongs to."""
        here = (step.label for step in self.trace if step.place == self.place)
        return next(here, self.trace[-1].label if self.trace else "")


class Rule(ABC):
    """A rule: its docstring is its page.

    The docstring has, in this order, the headings `## What it does`, `## The error you see`,
    `## Example`, `## Use instead`, `## Fix safety`, `## How to turn it off`; its first line is the
    summary that lists show. A rule is found by living in `dlfix.rules`, or by an entry point of the
    group `dlfix.rules`. `valid` and `invalid` are programs without and with findings, for
    `dlfix rules test`.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    codemods: ClassVar[tuple[str, ...]] = ()  # entry-point names, the usual one first
    needs_evidence: ClassVar[bool] = False  # whether findings without evidence are only reported
    valid: ClassVar[tuple[str, ...]] = ()
    invalid: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[tuple[bytes, ...]] = ()  # what it starts at, beside loaders and datasets
    blocks: ClassVar[bool] = False  # whether the object sent cannot be pickled because of it
    costs_late: ClassVar[bool] = False  # whether it only matters once the object sent has arrived
    shows_late: ClassVar[bool] = (
        False  # whether its effect is silent, and only there once the object can be sent
    )

    @abstractmethod
    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield what this rule finds; the same culprit may come by several paths."""


__all__ = ["Finding", "Place", "Rule", "Severity", "Step"]
