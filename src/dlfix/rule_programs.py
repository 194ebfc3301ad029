"""Run the programs that a rule declares: `valid` has no finding, `invalid` has one."""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dlfix.config import Settings
from dlfix.rules.base import Rule
from dlfix.rules.registry import all_rules, modules_of


@dataclass(frozen=True)
class Failure:
    """A program that a rule judges in another way than it declares."""

    code: str
    kind: str  # "valid" or "invalid"
    number: int
    found: tuple[str, ...]  # the messages of the findings, for a valid program

    def __str__(self) -> str:
        if self.kind == "invalid":
            return f"{self.code}: invalid program {self.number} has no finding"
        return f"{self.code}: valid program {self.number} has a finding: {self.found[0]}"


def rules_of(package: str) -> list[type[Rule]]:
    """Return the rules that a package defines, by the name it is imported or installed by."""
    homes = {package, *modules_of(package)}
    return [
        rule
        for rule in all_rules()
        if any(f"{rule.__module__}.".startswith(f"{home}.") for home in homes)
    ]


def failures(rule: type[Rule]) -> Iterator[Failure]:
    """Yield the programs of a rule that fail."""
    for number, program in enumerate(rule.valid, 1):
        found = _messages(rule, program)
        if found:
            yield Failure(rule.code, "valid", number, found)
    for number, program in enumerate(rule.invalid, 1):
        if not _messages(rule, program):
            yield Failure(rule.code, "invalid", number, ())


def _messages(rule: type[Rule], program: str) -> tuple[str, ...]:
    from dlfix.session import Session

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "main.py"
        path.write_text(textwrap.dedent(program), encoding="utf-8")
        session = Session.open([path], Settings(select=(rule.code,), root=path.parent))
        return tuple(one.finding.message for one in session.diagnoses())
