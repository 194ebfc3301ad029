"""Set above the main guard what each process computes alike: part of `worker_globals`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting.captures import has_its_line
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned
from dlfix.fixing.script_blocks import Blocks
from dlfix.project.import_time import ImportTime, Unit, is_guard
from dlfix.project.process_settings import libraries_used, may_go_by, settings_in
from dlfix.project.pure import gives_same_values
from dlfix.reach.global_state import GlobalName
from dlfix.rules.dlf303_global_set_in_main import SetInParent
from dlfix.rules.reading.overridden import merged_into
from dlfix.rules.reading.registered import changed_by_methods
from dlfix.source.lines import bare
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

_LOOKUPS = ("globals", "vars", "locals", "exec", "eval")


@dataclass(frozen=True)
class AboveGuardPlan:
    """Statements of a guard that go above it, in order."""

    guard: Span
    statements: tuple[Span, ...]


def above_the_guard(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Yield the fixes of names to which a guard gives constants, one a module; the other findings are left."""
    groups: dict[Module, list[Finding]] = {}
    for finding in findings:
        if isinstance(finding.evidence, SetInParent):
            groups.setdefault(finding.evidence.name.module, []).append(finding)
    for module, group in groups.items():
        guard = _guard_of(module)
        if guard is None or _is_looked_into(module, analysis):
            continue
        code = _Guarded(module, guard, analysis)
        needed = {finding: code.needed(finding) for finding in group}
        fixed = [finding for finding, units in needed.items() if units]
        moving = code.with_their_blocks({i for each in needed.values() for i in each})
        if fixed and len(moving) < len(code.inside):
            yield Planned(
                tuple(fixed), _fix(module, guard, [code.units[i] for i in sorted(moving)])
            )


def _fix(module: Module, guard: ast.If, units: Sequence[Unit]) -> Fix:
    spans = tuple(module.span(unit.first) for unit in units)
    names = ", ".join(f"`{name}`" for unit in units for name in sorted(unit.effects.binds))
    plan = AboveGuardPlan(module.span(guard), spans)
    edit = Edit(module.path, "worker_globals", plan)
    return Fix(f"Set {names} above the main guard", Applicability.SAFE, (edit,))


def _guard_of(module: Module) -> ast.If | None:
    """Return the only guard of a module, if it is a block of its own lines without an `else`."""
    guards = [each for each in module.tree.body if isinstance(each, ast.If) and is_guard(each)]
    if len(guards) != 1 or guards[0].orelse:
        return None
    return guards[0] if has_its_line(module, guards[0].body[0]) else None


def _is_looked_into(module: Module, analysis: Analysis) -> bool:
    """Return whether code may ask for names of the module that it does not spell, or imports all of them."""
    if any(module.calls_by_name.get(name) for name in _LOOKUPS):
        return True
    stem = module.name.rpartition(".")[2]
    return any(
        each.module is not None and each.module.rpartition(".")[2] == stem
        for other in analysis.project.mentions(stem)
        for each in other.nodes(ast.ImportFrom)
        if isinstance(each, ast.ImportFrom) and any(alias.name == "*" for alias in each.names)
    )


class _Guarded:
    """The statements of a module with those of its guard in the guard's place."""

    def __init__(self, module: Module, guard: ast.If, analysis: Analysis) -> None:
        self.module = module
        self.analysis = analysis
        at = module.tree.body.index(guard)
        body = [*module.tree.body[:at], *guard.body, *module.tree.body[at + 1 :]]
        self.code = ImportTime(ast.Module(body, []))
        self.units = self.code.units
        inside = [i for i, unit in enumerate(self.units) if unit.first in guard.body]
        self.inside = range(inside[0], inside[-1] + 1)

    @cached_property
    def _touched_by_definitions(self) -> set[str]:
        definitions = self.code.definitions.values()
        return set().union(*(self.code.body_effects(each).touches for each in definitions))

    @cached_property
    def _read_by_definitions(self) -> set[str]:
        definitions = self.code.definitions.values()
        return set().union(*(self.code.body_effects(each).reads for each in definitions))

    def needed(self, finding: Finding) -> set[int]:
        """Return the units to set above the guard so that workers have what a finding is about; empty if one cannot be."""
        found: set[int] = set()
        for evidence in finding.evidence.all:
            units = self._setting(evidence.name.name) if self._is_set_once(evidence) else None
            if not units:
                return set()
            found |= units
        return found

    def _is_set_once(self, evidence: SetInParent) -> bool:
        name = evidence.name
        is_here = evidence.write.module is self.module and not evidence.added
        return is_here and name.name not in dir(builtins) and _is_constant(name)

    def _setting(self, name: str) -> set[int] | None:
        """Return the units of the guard that set a name and what it is made of; None where one cannot go above it."""
        found: set[int] = set()
        names = [name]
        while names:
            for index in self._setters(names.pop()):
                if index in found or index < self.inside.start:
                    continue
                if not self._may_stand_above(index):
                    return None
                found.add(index)
                names += self.units[index].effects.reads
        return found

    def _setters(self, name: str) -> list[int]:
        return [i for i, unit in enumerate(self.units) if name in unit.effects.touches]

    def _may_stand_above(self, index: int) -> bool:
        """Return whether a unit of the guard gives names, once for all, what each process computes alike."""
        unit = self.units[index]
        return (
            index in self.inside
            and len(unit.statements) == 1
            and isinstance(unit.first, (ast.Assign, ast.AnnAssign))
            and bool(unit.effects.binds)
            and not unit.effects.mutates
            and gives_same_values(self.code, unit.first)
            and not self._is_continued(unit)
            and not any(self._is_own_or_set(node) for node in ast.walk(unit.first))
            and all(self._setters(name) == [index] for name in unit.effects.binds)
            and all(self._is_known(name) for name in unit.effects.reads)
            and not (unit.effects.binds | unit.effects.reads) & self._touched_by_definitions
            and all(
                _is_constant(GlobalName(self.analysis, self.module, name))
                for name in unit.effects.binds
            )
            and not self._goes_by_others(index)
        )

    def _is_own_or_set(self, node: ast.AST) -> bool:
        """Return whether a node names a function of the module, or is a set, whose order is another in each process."""
        is_own = isinstance(node, ast.Name) and node.id in {
            *self.code.definitions,
            "set",
            "frozenset",
        }
        return is_own or isinstance(node, (ast.Set, ast.SetComp))

    def _is_known(self, name: str) -> bool:
        return "." in name or name in dir(builtins) or bool(self._setters(name))

    def _is_continued(self, unit: Unit) -> bool:
        lines = bare(self.module.text)[unit.row - 1 : unit.first.end_lineno]
        return any(line.endswith("\\") for line in lines)

    def _goes_by_others(self, index: int) -> bool:
        """Return whether a unit may go by settings that the guard makes before it."""
        used = libraries_used(self.code, self.units[index])
        above = [self.units[i] for i in range(self.inside.start, index)]
        made = (
            name
            for unit in above
            for each in unit.statements
            for name in settings_in(self.code, each)
        )
        return bool(used) and any(may_go_by(name, used) for name in made)

    def with_their_blocks(self, units: set[int]) -> set[int]:
        """Return some units with those of their paragraphs whose names functions and classes read, too."""
        paragraphs = Blocks(self.units, self.module.text).paragraphs
        found = set(units)
        for index in {i for each in units for i in paragraphs[each]} - units:
            if self.units[index].effects.binds & self._read_by_definitions:
                names = self.units[index].effects.binds
                more = [self._setting(name) for name in names]
                found |= {i for each in more if each is not None for i in each}
        return found


def _is_constant(name: GlobalName) -> bool:
    """Return whether one place sets a name, and nothing changes what it holds."""
    writes = name.writes()
    return len(writes) == 1 and not any(changed_by_methods(name)) and not any(merged_into(name))


__all__ = ["AboveGuardPlan", "above_the_guard"]
