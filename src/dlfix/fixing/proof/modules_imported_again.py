"""Modules that a worker imports by name: what code has set in them since their import, it does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import modules_meant
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.passed_values import argument
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    Function,
    executed,
    own_targets,
    parameters,
    self_name,
    stored_names,
)
from dlfix.fixing.proof.writes import changes_in_place
from dlfix.project.module import Module
from dlfix.project.order import in_order


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the attributes that `__setstate__` sets to a module in which code sets something while the program runs."""
    restoring = change.after.methods.get("__setstate__")
    for statement in change.fresh(restoring) if restoring is not None else ():
        for name in own_targets(statement, self_name(restoring)) if restoring is not None else ():
            for module in _modules_kept(change, name):
                found = change.new.kept(_SetLater).of(module)
                if found is not None:
                    what, home, node = found
                    yield change.regression(
                        statement,
                        f"`{name}` is the module `{module.name}`, and `{what}` of it is set while the program runs "
                        f"({home.path.name}:{getattr(node, 'lineno', 1)}), which a worker that imports it does not see",
                    )
                    return


def _modules_kept(change: ClassChange, name: str) -> Iterator[Module]:
    """Yield the modules of the project that the constructor keeps as an attribute, or in a list or dict there."""
    for cls, function in change.constructed_before:
        for node in executed(function.body):
            value = getattr(node, "value", None)
            if isinstance(value, ast.expr) and name in own_targets(node, self_name(function)):
                for home, part in _given(change, cls.module, function, value):
                    found = modules_meant.meant(change.old, home, part)
                    yield from (change.new.project.get(each.path) or each for each in found if each)


def _given(
    change: ClassChange, module: Module, function: Function, value: ast.expr
) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what a value holds; for a parameter of the constructor, what its callers pass."""
    for part in _parts(value):
        yield module, part
        if isinstance(part, ast.Name) and part.id in parameters(function):
            for home, call in change.old.constructions(change.before):
                for passed in argument(function, call, part.id) or ():
                    yield from ((home, each) for each in _parts(passed))


def _parts(value: ast.expr) -> list[ast.expr]:
    """Return what a value is, or what a display holds."""
    match value:
        case ast.Dict(values=items) | ast.List(elts=items) | ast.Tuple(elts=items):
            return [part for item in items for part in _parts(item)]
    return [value]


class _SetLater:
    """Knows of each module what code sets in it once it has been imported."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[Module, tuple[str, Module, ast.AST] | None] = {}

    def of(self, module: Module) -> tuple[str, Module, ast.AST] | None:
        """Return a name of a module that is set later, and where; None where there is none."""
        if module not in self._known:
            self._known[module] = next(self._set(module), None)
        return self._known[module]

    def _set(self, module: Module) -> Iterator[tuple[str, Module, ast.AST]]:
        for declared in module.nodes(ast.Global):
            function = self.program.enclosing(module, declared)
            for name in declared.names if function is not None else ():
                if function is not None and self._is_run(function) and _sets_first(function, name):
                    yield name, module, declared
        for name in stored_names(module.tree.body):
            yield from self._from_outside(module, name)
            for node in module.nodes_by_name.get(name, ()):
                around = self.program.enclosing(module, node)
                is_changed = around is not None and changes_in_place(module, node)
                if is_changed and self._is_run(around) and _reads_once(around, name):
                    yield name, module, node
        yield from self._by_computed_names(module)

    def _is_run(self, function: Function | None) -> bool:
        """Return whether anything calls a function."""
        return function is not None and bool(self.program.calls_of(function))

    def _from_outside(self, module: Module, name: str) -> Iterator[tuple[str, Module, ast.AST]]:
        for other in self.program.project.setting(name, module):
            for node in other.nodes(ast.Attribute):
                is_set = node.attr == name and not isinstance(node.ctx, ast.Load)
                if (
                    is_set
                    and self.program.runs_later(other, node)
                    and self._is(other, node.value, module)
                ):
                    yield name, other, node

    def _by_computed_names(self, module: Module) -> Iterator[tuple[str, Module, ast.AST]]:
        for other in self.program.project.mentions(module.name.rpartition(".")[2]):
            for call in other.calls_by_name.get("setattr", ()):
                if (
                    call.args
                    and self.program.runs_later(other, call)
                    and self._is(other, call.args[0], module)
                ):
                    yield ast.unparse(call.args[1]) if call.args[1:] else "*", other, call

    def _is(self, module: Module, node: ast.expr, wanted: Module) -> bool:
        found = modules_meant.meant(self.program, module, node)
        return any(each is not None and each.path == wanted.path for each in found)


def _sets_first(function: Function, name: str) -> bool:
    """Return whether a function sets a global name before it looks at it, unlike what fills a cache."""
    nodes = in_order(n for n in executed(function.body) if isinstance(n, ast.Name) and n.id == name)
    return bool(nodes) and not isinstance(nodes[0].ctx, ast.Load)


def _reads_once(function: Function | None, name: str) -> bool:
    """Return whether a function names what it changes in place there alone."""
    nodes = executed(function.body) if function is not None else ()
    return sum(isinstance(n, ast.Name) and n.id == name for n in nodes) == 1


__all__ = ["check"]
