"""Where statements stand: in which class, and in which branch."""

from __future__ import annotations

import ast

from dlfix.project.module import Module, Scope


def has_fields(owner: ast.AST) -> bool:
    """Return whether annotated names of a class may be fields, and what they are set to a default."""
    return isinstance(owner, ast.ClassDef) and bool(owner.decorator_list or owner.bases)


def is_top(scope: Scope) -> bool:
    """Return whether a class can be found by its name: no function around it."""
    above = scope.parent
    while above is not None:
        if above.is_function:
            return False
        above = above.parent
    return True


def are_alternatives(module: Module, one: ast.AST, others: list[ast.AST]) -> bool:
    """Return whether only one of these statements runs: branches of one `if` or `try`."""
    for other in others:
        mine = [one, *module.ancestors(one)]
        theirs = [other, *module.ancestors(other)]
        common = next(each for each in mine if each in theirs)
        if not isinstance(common, (ast.If, ast.Try)):
            return False
        if _branch(common, mine) == _branch(common, theirs):
            return False
    return True


def _branch(common: ast.If | ast.Try, chain: list[ast.AST]) -> str:
    child = chain[chain.index(common) - 1]
    return "body" if child in common.body else "else"
