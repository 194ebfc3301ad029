"""What runs before what in one function: statements of a block, and places further in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import LOOPS

if TYPE_CHECKING:
    from dlfix.project.module import Module

_ITERATING = (ast.For, ast.comprehension)


def surely_before(statement: ast.stmt, node: ast.AST, module: Module) -> bool:
    """Return whether a statement has run, for sure, when a later place of its own block is come to."""
    if module.scope_of(statement) is not module.scope_of(node):
        return False
    block, place = beside(statement, node, module)
    return place is not None and block.index(statement) < place


def surely_after(statement: ast.stmt, node: ast.AST, module: Module) -> bool:
    """Return whether a statement runs after a place, and that not again after the statement."""
    if module.scope_of(statement) is not module.scope_of(node):
        return False
    block, place = beside(statement, node, module)
    return place is not None and place < block.index(statement) and not _repeats(statement, module)


def beside(statement: ast.stmt, node: ast.AST, module: Module) -> tuple[list[ast.stmt], int | None]:
    """Return the block that a statement is of, and the place in it of the one that a node is part of."""
    block = module.block_of(statement)
    return block, place_in(block, module, node)


def place_in(block: list[ast.stmt], module: Module, node: ast.AST | None) -> int | None:
    """Return the place in a block of the statement that a node is part of."""
    above = [node, *module.ancestors(node)] if node is not None else []
    return next((index for index, one in enumerate(block) if one in above), None)


def _repeats(statement: ast.stmt, module: Module) -> bool:
    """Return whether a loop of its function runs a statement more than once."""
    scope = module.scope_of(statement)
    for above in module.ancestors(statement):
        if above is scope.node:
            return False
        if isinstance(above, LOOPS):
            return True
    return False


def is_used_up(made: ast.AST, statement: ast.stmt, module: Module) -> bool:
    """Return whether a loader is only gone through, each time before a statement: `for batch in DataLoader(...)`."""
    uses = list(_uses(made, module))
    return bool(uses) and all(
        isinstance(module.parent(use), _ITERATING) and surely_after(statement, use, module)
        for use in uses
    )


def is_before_all_uses(statement: ast.stmt, made: ast.AST, module: Module) -> bool:
    """Return whether a statement runs, for sure, before each use of a loader that may go through it."""
    uses = [use for use in _uses(made, module) if use is not made and not _only_asks(use, module)]
    return bool(uses) and all(surely_before(statement, use, module) for use in uses)


def _only_asks(use: ast.AST, module: Module) -> bool:
    """Return whether a use of a loader reads a part of it, or its length."""
    above = module.parent(use)
    return isinstance(above, ast.Attribute) or (
        isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "len"
    )


def _uses(made: ast.AST, module: Module) -> Iterator[ast.AST]:
    """Yield where what a call makes is used: there, or by the one local name that it gets."""
    match module.parent(made):
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = module.scope_of(made)
            inner = (each for each in scope.walk() if each is not scope)
            known = scope.is_function and len(scope.bindings.get(name, ())) == 1
            if known and not any(name in each.reads for each in inner):
                yield from scope.reads.get(name, ())
        case _:
            yield made
