"""Branches of which one run of a body takes only one."""

from __future__ import annotations

import ast

from dlfix.fixing.proof.syntax import FUNCTIONS
from dlfix.project.module import Module

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def are_exclusive(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Return whether one run of the body around two nodes comes to one of them only, on no turn of a loop to the other."""
    branch: dict[ast.AST, ast.AST] = {}  # the part of each statement around `one` that has it
    child = one
    for above in module.ancestors(one):
        branch[above] = child
        child = above
    apart, child = False, other
    for above in module.ancestors(other):
        if isinstance(above, FUNCTIONS):
            break
        if above in branch and branch[above] is not child:
            apart |= _part(above, child) * _part(above, branch[above]) == -1
        elif apart and isinstance(above, _LOOPS):
            return False
        child = above
    return apart


def _part(statement: ast.AST, child: ast.AST) -> int:
    """Return which of two branches of an `if` a statement stands in: 1, or -1 for `else`; 0 for neither."""
    if not isinstance(statement, ast.If):
        return 0
    return (child in statement.body) - (child in statement.orelse)


__all__ = ["are_exclusive"]
