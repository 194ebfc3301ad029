"""Classes that are kept in a variable as partials: code that only calls them sees no difference."""

from __future__ import annotations

import ast

from dlfix.fixing.proof.syntax import FUNCTIONS
from dlfix.project.module import Module


def used_otherwise(module: Module, partial: ast.Call) -> ast.expr | None:
    """Return where a partial may be used other than by a call; itself where it is in no variable of a function."""
    value: ast.AST = partial
    while isinstance(above := module.parent(value), ast.IfExp) and value is not above.test:
        value = above
    around = next((each for each in module.ancestors(partial) if isinstance(each, FUNCTIONS)), None)
    statement = module.parent(value)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if around is not None:
            return _not_called(module, around, name) if _is_own(around, name) else partial
    return partial


def _is_own(function: ast.AST, name: str) -> bool:
    """Return whether a name of a function is of that function alone."""
    declared = (each for each in ast.walk(function) if isinstance(each, (ast.Global, ast.Nonlocal)))
    return not any(name in each.names for each in declared)


def _not_called(module: Module, function: ast.AST, name: str) -> ast.expr | None:
    for each in ast.walk(function):
        if isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Store):
            call = module.parent(each)
            if not isinstance(call, ast.Call) or call.func is not each:
                return each
    return None


__all__ = ["used_otherwise"]
