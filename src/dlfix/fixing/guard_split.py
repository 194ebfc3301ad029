"""Which top-level statements of a script stay at import, and which go under the main guard."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dlfix.fixing.plans import Refused
from dlfix.project.import_time import IMPORTS, ImportTime, Outside, Touched, Unit, is_guard
from dlfix.project.repeatable import once, seeded, sets_up_a_library
from dlfix.project.syntax import DEFINITIONS


@dataclass(frozen=True)
class Division:
    """The units that stay at import and those that move, both in order."""

    stay: tuple[Unit, ...]
    move: tuple[Unit, ...]


def divide(
    tree: ast.Module, worker_reads: Mapping[str, str], outside: Outside = lambda _: Touched()
) -> Division | Refused:
    """Divide a script's top level; `worker_reads` maps names that a worker reads to who reads them.

    What stays: imports, definitions, settings of libraries, and the constants and names that these,
    or a worker, need. All else moves.
    """
    return _Divider(ImportTime(tree, outside), worker_reads).divide()


class _Divider:
    def __init__(self, module: ImportTime, worker_reads: Mapping[str, str]) -> None:
        self.module = module
        self.units = module.units
        self.needed = dict(worker_reads)  # name -> who needs it at import
        self.stay: set[int] = set()

    def divide(self) -> Division | Refused:
        for index, unit in enumerate(self.units):
            if index == 0 and _is_docstring(unit.first):
                self.stay.add(index)
            elif all(self._always_stays(s) for s in unit.statements):
                self._keep(index)
        for step in (self._keep_needed, self._keep_exits):
            refused = step()
            if refused is not None:
                return refused
        self._keep_constants()
        self._keep_texts()
        refused = self._rebound() or self._out_of_turn()
        if refused is not None:
            return refused
        stay = tuple(u for i, u in enumerate(self.units) if i in self.stay)
        move = tuple(u for i, u in enumerate(self.units) if i not in self.stay)
        return (
            Division(stay, move)
            if move
            else Refused("no statement can be moved under a main guard")
        )

    @cached_property
    def _setters(self) -> dict[str, list[int]]:
        setters: dict[str, list[int]] = {}
        for index, unit in enumerate(self.units):
            for name in unit.effects.touches:
                setters.setdefault(name, []).append(index)
        return setters

    def _always_stays(self, statement: ast.stmt) -> bool:
        if isinstance(statement, (*IMPORTS, *DEFINITIONS)):
            return True
        if isinstance(statement, ast.If):
            if is_guard(statement):
                return False
            inner = [*statement.body, *statement.orelse]
            return all(self._always_stays(s) or _is_plain(s) for s in inner) or sets_up_a_library(
                self.module, statement
            )
        if isinstance(statement, ast.Try):
            return all(self._always_stays(s) or _is_plain(s) for s in statement.body) and any(
                isinstance(s, (*IMPORTS, *DEFINITIONS)) for s in statement.body
            )
        return sets_up_a_library(self.module, statement) and not self._works_on_what_moves(
            statement
        )

    def _works_on_what_moves(self, statement: ast.stmt) -> bool:
        """Return whether a statement needs what a worker cannot make again, and need not run in one.

        Code of the project that gets it sets up no library; of the environment a worker has a copy.
        """
        match statement:
            case ast.Expr(value=ast.Call() as call) if self.module.outside(call).is_followed:
                return self._needs_what_runs_once(call)
            case ast.Assign(targets=[ast.Subscript(value=held)]):
                inherited = self.module.full_name(held) == "os.environ"
                return (
                    inherited
                    and self._needs_what_runs_once(statement)
                    and not self._imports_after(statement)
                )
        return False

    def _needs_what_runs_once(self, node: ast.AST) -> bool:
        given = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        setters = (i for name in given for i in self._setters.get(name, ()))
        return any(once(self.module, self.units[i]) is not None for i in setters)

    def _imports_after(self, statement: ast.stmt) -> bool:
        """Return whether modules are imported below a statement, which may read what it sets."""
        indices = (i for i, unit in enumerate(self.units) if statement in unit.statements)
        later = self.units[next(indices, 0) + 1 :]
        nodes = (node for unit in later for each in unit.statements for node in ast.walk(each))
        return any(isinstance(node, IMPORTS) for node in nodes)

    def _keep(self, index: int) -> None:
        """Keep a unit, and note what it needs when it runs."""
        self.stay.add(index)
        unit = self.units[index]
        what = _describe(unit)
        for name in sorted(unit.effects.reads):
            self.needed.setdefault(name, what)
        for definition in self.module.called_definitions(unit.effects.calls):
            for name in sorted(self.module.body_effects(definition).reads):
                self.needed.setdefault(name, what)

    def _keep_needed(self) -> Refused | None:
        done: set[str] = set()
        while open_names := [n for n in self.needed if n not in done]:
            for name in open_names:
                done.add(name)
                for index in self._setters.get(name, []):
                    refused = self._keep_setter(index, name)
                    if refused is not None:
                        return refused
        return None

    def _keep_setter(self, index: int, name: str) -> Refused | None:
        unit = self.units[index]
        if index in self.stay or all(isinstance(each, ast.Delete) for each in unit.statements):
            return None
        if is_guard(unit.first):
            why: str | None = "is already under the main guard"
        else:
            why = once(self.module, unit)
        if why is None:
            self._keep(index)
            return None
        return Refused(
            f"{self.needed[name]} requires {_named(name)} in the worker, but the statement "
            f"that sets it cannot run again in the worker because it {why} (line "
            f"{unit.row})"
        )

    def _keep_exits(self) -> Refused | None:
        """Keep a check that may end the program before something that relies on it."""
        while True:
            before = len(self.stay)
            fragile = [i for i in self.stay if self._may_fail(self.units[i])]
            for index, unit in enumerate(self.units[: max(fragile, default=0)]):
                if index in self.stay or not self.module.exits(unit):
                    continue
                if not isinstance(unit.first, ast.If):
                    last = self.units[max(fragile)]
                    return Refused(
                        f"a statement may end the program (line {unit.row}) before the statement that must "
                        f"run on import (line {last.row})"
                    )
                self._keep(index)
            refused = self._keep_needed()
            if refused is not None or len(self.stay) == before:
                return refused

    def _may_fail(self, unit: Unit) -> bool:
        return not self._always_stays(unit.first) and not _is_plain(unit.first)

    def _keep_constants(self) -> None:
        """Keep constants where they stand: in capitals, read by what stays, or at the top."""
        moving = [u for i, u in enumerate(self.units) if i not in self.stay]
        leading = True
        for index, unit in enumerate(self.units):
            if index in self.stay:
                continue
            touched = set().union(*(u.effects.touches for u in moving if u is not unit))
            free = not touched & (unit.effects.binds | unit.effects.reads)
            if free and self._is_constant(unit, leading) and self._rests_on_what_stays(unit):
                self._keep(index)
                moving.remove(unit)
            else:
                leading = leading and _is_plain(unit.first)

    def _keep_texts(self) -> None:
        """Keep a text that stands alone with the statement below it, which it describes."""
        for index in reversed(range(len(self.units) - 1)):
            if index + 1 in self.stay and _is_docstring(self.units[index].first):
                self.stay.add(index)

    def _is_constant(self, unit: Unit, leading: bool) -> bool:
        names = unit.effects.binds
        if not names or not all(
            isinstance(s, (ast.Assign, ast.AnnAssign)) for s in unit.statements
        ):
            return False
        if all(n.isupper() or n.startswith("__") for n in names):
            return once(self.module, unit) is None
        if not all(_is_plain(s) for s in unit.statements):
            return False
        return leading or bool(names & self._read_by_definitions)

    @cached_property
    def _read_by_definitions(self) -> set[str]:
        definitions = self.module.definitions.values()
        return set().union(*(self.module.body_effects(d).reads for d in definitions))

    def _rests_on_what_stays(self, unit: Unit) -> bool:
        needs = set(unit.effects.reads)
        for definition in self.module.called_definitions(unit.effects.calls):
            needs |= self.module.body_effects(definition).reads
        return all(i in self.stay for name in needs for i in self._setters.get(name, []))

    def _out_of_turn(self) -> Refused | None:
        """Refuse where what moves draws from a generator of random numbers before what stays does."""
        for name in sorted(seeded(self.module)):
            using = [i for i, unit in enumerate(self.units) if name in self._read_by(unit)]
            moved = [index for index in using if index not in self.stay]
            kept = [index for index in using if index in self.stay]
            if moved and kept and moved[0] < kept[-1]:
                return Refused(
                    f"`{name}` gives other numbers (line {self.units[kept[-1]].row}) once a "
                    f"statement above moves below (line {self.units[moved[0]].row})"
                )
        return None

    def _read_by(self, unit: Unit) -> set[str]:
        """Return the names that a unit reads, itself or by the functions that it calls."""
        found = set(unit.effects.reads)
        for definition in self.module.called_definitions(unit.effects.calls):
            found |= self.module.body_effects(definition).reads
        return found

    def _rebound(self) -> Refused | None:
        """Refuse where a name means one thing to what moves and another to what stays after it."""
        for index in sorted(self.stay):
            unit = self.units[index]
            for name in unit.effects.binds:
                earlier = [i for i in self._setters[name] if i < index]
                for moved in range(index):
                    if moved in self.stay or not earlier:
                        continue
                    effects = self.units[moved].effects
                    if name in effects.reads | effects.binds and not isinstance(
                        unit.first, IMPORTS
                    ):
                        return Refused(
                            f"`{name}` is reassigned (line {unit.row}) after a statement "
                            f"that would move below it (line {self.units[moved].row})"
                        )
        return None


def _named(name: str) -> str:
    return f"the state of `{name[:-2]}`" if name.endswith(".*") else f"`{name}`"


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_plain(statement: ast.stmt) -> bool:
    """Return whether a statement gives names literal values, or does nothing."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if not all(isinstance(t, (ast.Name, ast.Tuple)) for t in targets):
        return False
    return statement.value is None or _is_literal(statement.value)


def _is_literal(node: ast.expr) -> bool:
    allowed = (
        ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp, ast.JoinedStr,
        ast.FormattedValue, ast.operator, ast.unaryop, ast.expr_context,
    )  # fmt: skip
    return all(isinstance(n, allowed) for n in ast.walk(node))


def _describe(unit: Unit) -> str:
    if isinstance(unit.first, DEFINITIONS):
        return f"the definition of `{unit.first.name}` (line {unit.row})"
    return f"line {unit.row}"
