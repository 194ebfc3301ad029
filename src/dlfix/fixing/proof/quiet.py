"""Calls and bodies that remove no file and keep no path for others, whatever files they are asked about."""

from __future__ import annotations

import ast
from typing import TypeAlias

from dlfix.fixing.proof.at_stake import (
    changes_files,
    ends_temporary,
    files_at_stake,
    given_to_library,
    hands_on_a_remover,
    imports_of,
    is_class_of,
    is_shared,
    spelled_out,
    used_as_no_paths,
    writers_used,
)
from dlfix.fixing.proof.callees import Callee, callees
from dlfix.fixing.proof.commands import runs_command
from dlfix.fixing.proof.indirect_calls import comes_to, is_unknown
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.outliving import FILLING
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.special_calls import Implied
from dlfix.fixing.proof.steps import AT_THE_END, Body, Step, Steps
from dlfix.fixing.proof.syntax import Function, bound_in, dotted, last_part
from dlfix.project.module import Module

Asked: TypeAlias = "tuple[Origins, ast.Call, int]"


class Quiet:
    """Knows these of one program: what it says does not depend on the object that is asked about."""

    def __init__(self, program: Program) -> None:
        self.program, self.steps = program, program.kept(Steps)
        self._bodies: dict[tuple[Body, int], bool] = {}
        self._calls: dict[Asked, bool] = {}
        self._called: dict[Body, frozenset[str]] = {}

    def body(self, callee: Callee, call: ast.Call, far: int) -> bool:
        """Return whether a function that a call runs is quiet, and all that it runs, to some distance."""
        key = callee.module, callee.function, callee.is_local
        if any(name in self._names_called(key) for name, _ in callee.passed(call)):
            return False  # it may call what it is given
        if (key, far) not in self._bodies:
            self._bodies[key, far] = self._is_quiet(key, far)
        return self._bodies[key, far]

    def _is_quiet(self, body: Body, far: int) -> bool:
        module, function, is_local = body
        origins = self.steps.origins(module, function, is_local=is_local)
        return all(
            self._step(module, function, step, origins, far)
            for _, led in self.steps.of(module, function, is_local=is_local)
            for step in led
        )

    def _names_called(self, body: Body) -> frozenset[str]:
        if body not in self._called:
            module, function, is_local = body
            self._called[body] = frozenset(
                step.func.id
                for _, led in self.steps.of(module, function, is_local=is_local)
                for step in led
                if isinstance(step, ast.Call) and isinstance(step.func, ast.Name)
            )
        return self._called[body]

    def _step(
        self, module: Module, function: Function | None, step: Step, origins: Origins, far: int
    ) -> bool:
        """Return whether a step removes nothing, and keeps nothing where others find it."""
        if isinstance(step, ast.Assign):
            return not any(is_shared(self.program, module, each) for each in step.targets)
        return not self._keeps(module, function, step) and self.call(module, step, origins, far)

    def _keeps(self, module: Module, function: Function | None, call: ast.Call) -> bool:
        """Return whether a call may give something to a class, or add it to a global list."""
        if isinstance(call, Implied) or not isinstance(call.func, ast.Attribute):
            return False
        owner, name = call.func.value, call.func.attr
        if name in FILLING and isinstance(owner, ast.Name):
            around = self.program.enclosing(module, call)
            if around is not function or around is None or owner.id not in bound_in(around):
                return True
        return is_class_of(self.program, module, owner)

    def call(self, module: Module, call: ast.Call, origins: Origins, far: int) -> bool:
        """Return whether a call removes nothing, and nothing that it runs does, to some distance."""
        if isinstance(call.func, ast.Name) and call.func.id in origins.passed:
            return False
        key = origins.whole, call, far
        if key not in self._calls:
            self._calls[key] = self._removes_nothing(module, call, origins.whole, far)
        return self._calls[key]

    def _removes_nothing(self, module: Module, call: ast.Call, origins: Origins, far: int) -> bool:
        if last_part(call.func) == "finalize":
            return False  # it stands for another call
        if not isinstance(call, Implied) and self._may_remove(module, call, origins):
            return False
        if self._changes_by_method(module, call, origins):
            return False
        if far == 0 or last_part(call.func) in AT_THE_END:
            return True
        return (
            not any(True for _ in comes_to(self.program, module, call, origins))
            and not self._may_be_remover(module, call)
            and all(
                self.body(callee, call, far - 1)
                for callee in callees(self.program, module, call, origins)
            )
        )

    def _may_remove(self, module: Module, written: ast.Call, origins: Origins) -> bool:
        """Return whether a call itself may remove or change some file."""
        call = spelled_out(written, imports_of(module.tree))
        if runs_command(call) or ends_temporary(call, origins):
            return True
        if files_at_stake(self.program, module, written, origins):
            return True
        if any(True for _ in writers_used(module, written, origins)):
            return True
        given = given_to_library(self.program, module, written)
        others = used_as_no_paths(self.program.enclosing(module, written) or module.tree)
        changed = origins.paths(*(each for each in given if dotted(each) not in others))
        return not changed <= imports_of(module.tree).imports.keys()

    def _changes_by_method(self, module: Module, call: ast.Call, origins: Origins) -> bool:
        """Return whether a method that a call may run changes files itself."""
        if not isinstance(call.func, ast.Attribute):
            return False
        made_by = origins.some_calls if isinstance(call, Implied) else origins.calls
        run = [*self.steps.methods_run(module, call, made_by(call.func.value))]
        methods = [*run, *self.steps.run_on_self(run, None)]
        return any(changes_files(function) for _, function in methods)

    def _may_be_remover(self, module: Module, call: ast.Call) -> bool:
        return is_unknown(self.program, module, call.func) and self.program.kept(hands_on_a_remover)


__all__ = ["Quiet"]
