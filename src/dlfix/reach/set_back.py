"""Attributes that code sets from outside for a while: it sets them again, or deletes them, before any worker starts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import Module
from dlfix.project.syntax import attributes_deleted
from dlfix.project.trees import walk

if TYPE_CHECKING:
    from dlfix.reach.crossing import Boundary, Store
    from dlfix.reach.evaluator import Evaluator


def is_set_back(store: Store, boundary: Boundary, interpreter: Evaluator) -> bool:
    """Return whether code below a store sets the attribute again, or deletes it, before anything may start workers."""
    target = store.node
    if not isinstance(target, ast.Attribute):
        return False
    return is_gone_below(target, store.statement, store.frame.module, boundary.node, interpreter)


def is_gone_below(
    target: ast.Attribute,
    above: ast.stmt,
    module: Module,
    boundary: ast.AST | None,
    interpreter: Evaluator,
) -> bool:
    """Return whether code below a statement sets an attribute again, or deletes it, before anything may start workers."""
    for statement in run_below(module, above):
        if any(
            part is boundary or interpreter.roles.may_start_workers(part, module)
            for part in walk(statement)
        ):
            return False
        if ast.unparse(target) in _set_or_deleted(statement):
            return True
    return False


def run_below(module: Module, statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements that surely run after one, of its block and of the `finally` around it, if none leaves."""
    block = module.block_of(statement)
    for each in block[block.index(statement) + 1 :]:
        yield each
        if isinstance(each, ast.Try):
            yield from each.finalbody
        if any(isinstance(part, (ast.Return, ast.Break, ast.Continue)) for part in walk(each)):
            return
    above = module.parent(statement)
    if isinstance(above, ast.Try) and block is above.body:
        yield from above.finalbody


def _set_or_deleted(statement: ast.stmt) -> set[str]:
    """Return the attributes that a statement by itself surely sets to a plain value or deletes, as they are written."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    deleted = {f"{ast.unparse(owner)}.{name}" for owner, name in attributes_deleted(statement)}
    return {*map(ast.unparse, targets), *deleted}


__all__ = ["is_gone_below", "is_set_back", "run_below"]
