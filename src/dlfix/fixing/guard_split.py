"""Which top-level statements of a script stay at import, and which go under the main guard."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from dlfix.fixing.plans import Refused
from dlfix.fixing.script_blocks import Blocks
from dlfix.project.import_time import IMPORTS, ImportTime, Outside, Touched, Unit, is_guard
from dlfix.project.process_settings import (
    for_imports,
    libraries_used,
    may_go_by,
    of_the_parent,
    settings_in,
    settings_made,
)
from dlfix.project.pure import gives_same_values
from dlfix.project.repeatable import once, seeded, sets_up_a_library
from dlfix.project.syntax import DEFINITIONS, base_name


@dataclass(frozen=True)
class Division:
    """The units that stay at import and those that move, both in order."""

    stay: tuple[Unit, ...]
    move: tuple[Unit, ...]


def divide(
    tree: ast.Module,
    text: str,
    worker_reads: Mapping[str, str],
    outside: Outside = lambda _: Touched(),
    is_own: Callable[[str], bool] = lambda _: False,
) -> Division | Refused:
    """Divide a script's top level; `worker_reads` maps names that a worker reads to who reads them.

    `is_own` says whether a dotted name is that of a module of the project.

    What stays: definitions, settings that workers go by, and what these, or a worker, need. Above the
    last of these, and above the first statement that has to move, also imports, constants and other
    settings, unless they stand in a paragraph or a cell that moves. All else moves, in its order.
    """
    return _Divider(ImportTime(tree, outside), text, worker_reads, is_own).divide()


class _Divider:
    def __init__(
        self,
        module: ImportTime,
        text: str,
        worker_reads: Mapping[str, str],
        is_own: Callable[[str], bool],
    ) -> None:
        self.module = module
        self.is_own = is_own
        self.units = module.units
        self.blocks = Blocks(self.units, text)
        # name -> until where, and by whom, it is needed: at import by a unit, or at the end in a worker
        self.needed = {name: (len(self.units), who) for name, who in worker_reads.items()}
        self.stay: set[int] = set()
        self._read: dict[Unit, set[str]] = {}
        self._used: dict[Unit, frozenset[str]] = {}

    def divide(self) -> Division | Refused:
        for index, unit in enumerate(self.units):
            if index == 0 and _is_docstring(unit.first):
                self.stay.add(index)
            elif all(self._always_stays(s) for s in unit.statements):
                self._keep(index)
        for step in (self._keep_needed, self._keep_read, self._keep_above_the_tail):
            refused = step()
            if refused is not None:
                return refused
        self._keep_texts()
        refused = self._keep_exits() or self._rebound() or self._out_of_turn() or self._set_early()
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
        """Return whether a statement stays wherever it stands."""
        if isinstance(statement, IMPORTS):
            return not self._is_only_for_what_moves(statement)
        return (
            isinstance(statement, DEFINITIONS)
            or self._is_conditional_import(statement)
            or (self._sets_up(statement) and not self._is_of_the_parent(statement))
        )

    def _is_conditional_import(self, statement: ast.stmt) -> bool:
        """Return whether a statement imports or defines something under a condition, or where that succeeds."""
        if is_guard(statement):
            return False
        match statement:
            case ast.If(body=body, orelse=orelse):
                inner = [*body, *orelse]
            case ast.Try(body=inner):
                pass
            case _:
                return False
        found = [
            isinstance(each, (*IMPORTS, *DEFINITIONS)) or self._is_conditional_import(each)
            for each in inner
        ]
        return any(found) and all(
            known or gives_same_values(self.module, each)
            for known, each in zip(found, inner, strict=True)
        )

    def _is_only_for_what_moves(self, statement: ast.Import | ast.ImportFrom) -> bool:
        """Return whether no definition uses an import, and it is not made for its effect, as of own code it may be."""
        modules = [each.name for each in statement.names]
        if isinstance(statement, ast.ImportFrom):
            modules = ["." * statement.level + (statement.module or "")]
        if any(each.startswith(".") or self.is_own(each) for each in modules):
            return False
        unit = next(each for each in self.units if statement in each.statements)
        names = unit.effects.binds
        others = (each.effects.reads for each in self.units if each is not unit)
        is_read = bool(names & set().union(*others))
        return is_read and "*" not in names and not names & self._read_by_definitions

    def _sets_up(self, statement: ast.stmt) -> bool:
        """Return whether a statement sets up a library, and gives it nothing that a worker cannot make again."""
        match statement:
            case ast.Expr(value=ast.Call() as call) if self.module.outside(call).is_followed:
                if self._needs_what_runs_once(call):
                    return False  # code of the project that gets such an object sets up no library
        return not is_guard(statement) and sets_up_a_library(self.module, statement)

    def _is_of_the_parent(self, statement: ast.stmt) -> bool:
        """Return whether no worker needs a setting; what own code sets, workers read by the names of its module."""
        match statement:
            case ast.Expr(value=ast.Call() as call) if self.module.outside(call).is_followed:
                return base_name(call.func) in self.module.imports
        return all(of_the_parent(each) for each in settings_made(self.module, statement))

    def _needs_what_runs_once(self, node: ast.AST) -> bool:
        given = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        setters = (i for name in given for i in self._setters.get(name, ()))
        return any(once(self.module, self.units[i]) is not None for i in setters)

    def _keep(self, index: int, until: int | None = None) -> None:
        """Keep a unit, and note what it needs when it runs; what a worker reads may change after that, too."""
        self.stay.add(index)
        until = index if until is None else until
        for name in sorted(self._read_by(self.units[index])):
            if self.needed.get(name, (-1, ""))[0] < until:
                self.needed[name] = until, _describe(self.units[index])

    def _keep_needed(self) -> Refused | None:
        done: dict[str, int] = {}
        while opened := [n for n, (until, _) in self.needed.items() if done.get(n, -1) < until]:
            for name in opened:
                done[name] = self.needed[name][0]
                for index in self._setters.get(name, []):
                    refused = self._keep_setter(index, name) if index < done[name] else None
                    if refused is not None:
                        return refused
        return None

    def _keep_setter(self, index: int, name: str) -> Refused | None:
        unit, until = self.units[index], self.needed[name][0]
        if index in self.stay:
            if not _is_import(unit) and not isinstance(unit.first, DEFINITIONS):
                self._keep(index, until)
            return None
        if all(isinstance(each, ast.Delete) for each in unit.statements):
            return None
        if is_guard(unit.first):
            why: str | None = "is already under the main guard"
        else:
            why = once(self.module, unit)
        if why is None:
            self._keep(index, until)
            return None
        return Refused(
            f"{self.needed[name][1]} requires {_named(name)} in the worker, but the statement "
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
        return not (
            _is_import(unit)
            or self._always_stays(unit.first)
            or self._sets_up(unit.first)
            or gives_same_values(self.module, unit.first)
        )

    def _keep_read(self) -> Refused | None:
        """Keep constants that definitions read, which workers may run."""
        found = {
            i
            for i, unit in enumerate(self.units)
            if self._is_constant(unit) and unit.effects.binds & self._read_by_definitions
        }
        return self._keep_free(found)

    def _keep_above_the_tail(self) -> Refused | None:
        """Keep, in their places, what may stay above the last statement that has to, or the first that cannot."""
        indices = set(range(len(self.units)))
        may_stay = {i for i in indices if self._may_stay(self.units[i])}
        first = min(indices - self.stay - may_stay, default=0)
        tail = max(first, 1 + max(self.stay, default=-1))
        above = {i for i in may_stay if i < tail}
        for index in above - self.stay:
            if _is_import(self.units[index]) and not self._goes_with_its_cell(index, first, above):
                self._keep(index)
        constants = {i for i in above if self._is_constant(self.units[i])}
        refused = self._keep_needed() or self._keep_constants(constants, above - constants)
        for index in sorted(above - self.stay) if refused is None else ():
            if self._is_setting(self.units[index]) and self._may_be_set(index, above):
                self._keep(index)
        return refused or self._keep_needed()

    def _goes_with_its_cell(self, index: int, first: int, above: set[int]) -> bool:
        """Return whether an import below the first statement that moves is in a cell of which nothing else stays."""
        kept = {i for i in self.stay if not _is_import(self.units[i])}
        return self.blocks.has_cells and index > first and self._leaves(index, kept, above)

    def _leaves(self, index: int, kept: set[int], optional: set[int]) -> bool:
        """Return whether a unit that may stay goes with what moves around it."""
        moving = {*range(len(self.units))} - kept - optional
        capital = {i for i in optional if _is_capital(self.units[i])}
        return self.blocks.leaves(index, kept, moving, capital)

    def _may_stay(self, unit: Unit) -> bool:
        return (
            _is_import(unit)
            or _is_docstring(unit.first)
            or self._is_constant(unit)
            or self._is_setting(unit)
        )

    def _is_setting(self, unit: Unit) -> bool:
        return all(self._sets_up(each) for each in unit.statements)

    def _may_be_set(self, index: int, optional: set[int]) -> bool:
        """Return whether a setting stays: what stays below goes by it, or nothing that moves from above it does."""
        names = self._set_by(index)
        if any(i > index and self._is_under(names, self.units[i]) for i in self.stay):
            return True
        settings = {i for i in optional if self._is_setting(self.units[i])}
        if self._leaves(index, self.stay, settings):
            return False
        return self._rests_on(index, self.stay) and not self._goes_by(index)

    def _is_under(self, names: set[str], unit: Unit) -> bool:
        """Return whether a unit that stays may go by settings above it; definitions only name things."""
        if _is_import(unit):
            return any(for_imports(name) for name in names)
        if isinstance(unit.first, DEFINITIONS):
            return False
        return any(may_go_by(name, self._used_by(unit)) for name in names)

    def _set_by(self, index: int) -> set[str]:
        return {n for s in self.units[index].statements for n in settings_made(self.module, s)}

    def _goes_by(self, index: int) -> Unit | None:
        """Return a unit that moves from above a setting, and may do something else once that is made."""
        names = self._set_by(index)
        for above, unit in enumerate(self.units[:index]):
            used = self._used_by(unit) if above not in self.stay else ()
            if any(may_go_by(name, used) for name in names):
                return unit
        return None

    def _used_by(self, unit: Unit) -> frozenset[str]:
        if unit not in self._used:
            self._used[unit] = libraries_used(self.module, unit)
        return self._used[unit]

    def _set_early(self) -> Refused | None:
        """Refuse where a setting that has to stay would be made before what stands above it."""
        for index in sorted(self.stay):
            unit = self.units[index]
            above = self._goes_by(index) if self._is_setting(unit) else None
            if above is not None:
                return Refused(
                    f"the setting must be made on import (line {unit.row}), but a statement above it that "
                    f"may depend on it cannot run on import (line {above.row})"
                )
        return None

    def _keep_free(self, found: set[int]) -> Refused | None:
        """Keep those of some units that nothing which moves changes, or needs as it was."""
        while bound := {i for i in found if not self._is_free(i, found | self.stay)}:
            found -= bound
        return self._keep_all(found)

    def _keep_all(self, found: set[int]) -> Refused | None:
        for index in sorted(found - self.stay):
            self._keep(index)
        return self._keep_needed()

    def _keep_constants(self, found: set[int], neutral: set[int]) -> Refused | None:
        """Keep those of some constants that are free, unless their paragraph or cell moves; so far others may do both."""
        while leaving := {
            i
            for i in found
            if self._leaves(i, self.stay, found | neutral)
            or not (self._is_free(i, found | self.stay) or self._is_of_script(i, found))
        }:
            found -= leaving
        return self._keep_all(found)

    def _is_of_script(self, index: int, found: set[int]) -> bool:
        """Return whether a name is of the script's own code alone, which may change it below, and its paragraph stays."""
        stay = found | self.stay
        beside = {i for i in self.blocks.paragraphs[index] if i in stay and i != index}
        return (
            not self.units[index].effects.touches & self._read_by_definitions
            and self._is_free(index, stay, may_change=True)
            and any(not _is_import(self.units[i]) and self._is_free(i, stay) for i in beside)
        )

    def _is_free(self, index: int, stay: set[int], *, may_change: bool = False) -> bool:
        """Return whether nothing that moves changes a unit's names, or needs them as they were before."""
        unit = self.units[index]
        own = unit.effects.touches
        moving = [(i, each) for i, each in enumerate(self.units) if i not in stay]
        below = unit.effects.reads - own if may_change else own | unit.effects.reads
        return self._rests_on(index, stay) and not any(
            each.effects.touches & (below if i > index else own | unit.effects.reads)
            or (i < index and (self._read_by(each) & own or self._is_made_for(i, unit, stay)))
            for i, each in moving
            if not _is_import(each)
        )

    def _is_made_for(self, index: int, unit: Unit, stay: set[int]) -> bool:
        """Return whether a unit below goes by settings that one which moves makes, and that cannot be made on import."""
        names = {n for s in self.units[index].statements for n in settings_in(self.module, s)}
        if not names or not self._is_under(names, unit):
            return False
        is_setting = self._is_setting(self.units[index]) and self._rests_on(index, stay)
        return not is_setting or self._goes_by(index) is not None

    def _keep_texts(self) -> None:
        """Keep a text that stands alone with the statement below it, which it describes."""
        for index in reversed(range(len(self.units) - 1)):
            if index + 1 in self.stay and _is_docstring(self.units[index].first):
                self.stay.add(index)

    def _is_constant(self, unit: Unit) -> bool:
        """Return whether a unit gives names values that are the same in each process."""
        names = unit.effects.binds
        if is_guard(unit.first):
            return False
        if all(gives_same_values(self.module, each) for each in unit.statements):
            return bool(unit.effects.touches)
        return (
            bool(names)
            and all(isinstance(each, (ast.Assign, ast.AnnAssign)) for each in unit.statements)
            and all(name.isupper() or name.startswith("__") for name in names)
            and once(self.module, unit) is None
        )

    @cached_property
    def _read_by_definitions(self) -> set[str]:
        definitions = self.module.definitions.values()
        return set().union(*(self.module.body_effects(d).reads for d in definitions))

    def _rests_on(self, index: int, stay: set[int]) -> bool:
        """Return whether all above a unit that sets what it reads stays; imports do where they are needed."""
        names = self._read_by(self.units[index])
        setters = {i for name in names for i in self._setters.get(name, []) if i < index}
        return all(i in stay or _is_import(self.units[i]) for i in setters)

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
        if unit not in self._read:
            found = self._read[unit] = set(unit.effects.reads)
            for definition in self.module.called_definitions(unit.effects.calls):
                found |= self.module.body_effects(definition).reads
        return self._read[unit]

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
    if " " in name:
        return name
    return f"the state of `{name[:-2]}`" if name.endswith(".*") else f"`{name}`"


def _is_import(unit: Unit) -> bool:
    return all(isinstance(each, IMPORTS) for each in unit.statements)


def _is_capital(unit: Unit) -> bool:
    names = unit.effects.binds
    return bool(names) and all(name.isupper() for name in names)


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _describe(unit: Unit) -> str:
    if isinstance(unit.first, DEFINITIONS):
        return f"the definition of `{unit.first.name}` (line {unit.row})"
    return f"line {unit.row}"
