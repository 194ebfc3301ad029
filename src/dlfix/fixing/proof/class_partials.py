"""Classes that are partials where they are kept, or returned: code that only calls them sees no difference."""

from __future__ import annotations

import ast

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.value_flow import places_of
from dlfix.project.module import Module


def used_otherwise(program: Program, module: Module, partial: ast.Call) -> ast.AST | None:
    """Return where a partial may be used other than by a call; itself where it goes on unseen."""
    places = places_of(program, module, partial)
    if places is None:
        return partial
    return next((node for home, node in places if not _only_goes_on(home, node)), None)


def _only_goes_on(module: Module, node: ast.AST) -> bool:
    """Return whether an expression is called, returned, or bound to names of a module or function."""
    while isinstance(above := module.parent(node), ast.IfExp) and node is not above.test:
        node = above
    match module.parent(node):
        case ast.Call(func=func):
            return func is node
        case ast.Assign(targets=targets):
            return all(isinstance(each, ast.Name) for each in targets)
        case ast.Return():
            return True
    return False


__all__ = ["used_otherwise"]
