"""Calls of libraries that read the environment, and run later than before: the program may have changed it by then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog import load
from dlfix.fixing.proof.before_construction import BeforeConstruction
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.environment import EnvironmentChange, environment_changes
from dlfix.fixing.proof.late_calls import LateCode, late_code
from dlfix.fixing.proof.syntax import calls_in, is_attribute, self_name, values_set
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield a late call that reads variables which the program sets, not only before it makes objects."""
    changes: list[EnvironmentChange] | None = None
    for late, call, prefixes in _reading(change):
        if changes is None:
            changes = list(_at_other_times(change))
        for each in changes:
            if each.is_of(prefixes):
                yield change.regression(
                    late.at,
                    f"`{ast.unparse(call.func)}` reads the environment later than before the fix (line {late.at}), "
                    f"when it may have changed ({each.module.path.name}:{each.node.lineno})",
                )
                return


def _reading(change: ClassChange) -> Iterator[tuple[LateCode, ast.Call, tuple[str, ...]]]:
    """Yield the late calls that read the environment, with what the names of the variables start with."""
    for late in late_code(change):
        for call in calls_in(late.nodes):
            for name in _names_of(change, late, call.func):
                row = load().function(name) if name else None
                if row is not None and row.environment:
                    yield late, call, row.environment


def _at_other_times(change: ClassChange) -> Iterator[EnvironmentChange]:
    """Yield the changes of the environment that may come after an object was made."""
    before = BeforeConstruction(change)
    for each in environment_changes(change.new.project):
        if not before.has(each.module, each.node):
            yield each


def _names_of(change: ClassChange, late: LateCode, func: ast.expr) -> Iterator[str]:
    """Yield the full name of what is called, or of what made the object whose method it is."""
    yield imported_as(late.module, func)
    if not isinstance(func, ast.Attribute):
        return
    owner = func.value
    made: list[ast.expr] = []
    if is_attribute(owner, self_name(late.function)):
        made = [v for _, f in change.constructed_after for v in values_set(f, owner.attr)]
    elif isinstance(owner, ast.Name):
        made = _bound_to(late.module, owner)
    for value in made:
        if isinstance(value, ast.Call):
            yield imported_as(late.module, value.func)


def _bound_to(module: Module, name: ast.Name) -> list[ast.expr]:
    """Return what a name stands for that is no local name of the function."""
    scope = module.scope_of(name).lookup(name.id)
    bound = scope.bindings.get(name.id, ()) if scope is not None else ()
    return [each.value for each in bound if each.value is not None]


__all__ = ["check"]
