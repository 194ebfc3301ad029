"""Statements that belong to a local function: they set its attributes, or register others with it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dlfix.fixing.hoisting.captures import CannotHoist, Draft, Drafts, has_its_line, is_fixed
from dlfix.project.module import Module, Scope
from dlfix.project.order import begins_before, in_order
from dlfix.project.syntax import FUNCTIONS


def followers_of(draft: Draft, drafts: Drafts, reads: Iterable[ast.Name]) -> list[ast.stmt]:
    """Return what has to move with a function that captures nothing, in order.

    `reads` is where its name is read. Raise CannotHoist where something cannot move: a function is
    moved with all that belongs to it, or stays.
    """
    found: list[ast.stmt] = []
    for read in reads:
        statement = _statement_of(draft.module, read)
        if statement is None or statement in found:
            continue
        why = _obstacle(draft, drafts, statement)
        if why:
            raise CannotHoist(
                f"a statement that belongs to {draft.what} cannot be moved with it: {why} "
                f"(line {statement.lineno})"
            )
        found.append(statement)
    return in_order(found)


def _statement_of(module: Module, read: ast.Name) -> ast.stmt | None:
    """Return the statement that changes a function by a read of its name; None for other reads."""
    attribute = module.parent(read)
    if not isinstance(attribute, ast.Attribute):
        return None
    statement = module.statement(attribute)
    if not isinstance(attribute.ctx, ast.Load):
        return statement
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            within = [each for root in statement.decorator_list for each in ast.walk(root)]
            return statement if attribute in within else None
        case ast.Expr(value=ast.Call(func=func)) if func is attribute:
            return statement if attribute.attr in ("register", "update", "setdefault") else None
    return None


def _obstacle(draft: Draft, drafts: Drafts, statement: ast.stmt) -> str:
    """Return why a statement cannot move; empty where it can."""
    module = draft.module
    beside = module.statement(draft.node)
    if draft.captures or draft.instance:
        return f"{draft.what} captures names of the enclosing function"
    block = module.parent(beside)
    if module.parent(statement) is not block or begins_before(statement, beside):
        return "the statement may not always run"
    if isinstance(statement, FUNCTIONS):
        return _obstacle_of_function(draft, drafts, statement)
    if not has_its_line(module, statement):
        return "the statement is on the same line as another statement"
    match statement:
        case ast.Assign(targets=[ast.Attribute()], value=value):
            given = [value]
        case ast.Expr(value=ast.Call(args=args, keywords=keywords)):
            given = [*args, *(each.value for each in keywords)]
        case _:
            return "this kind of statement is not supported"
    scope = module.scope_of(statement)
    if not all(is_fixed(module, scope, each, statement) for each in given):
        return "the value may differ at module level"
    return ""


def _obstacle_of_function(
    draft: Draft, drafts: Drafts, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> str:
    module = draft.module
    scope = module.scope_of(function)
    walked = [each for root in function.decorator_list for each in ast.walk(root)]
    names = [each for each in walked if isinstance(each, ast.Name) and each.id != draft.name]
    local = [each.id for each in names if not _is_outside(scope, each.id)]
    if local:
        return f"its decorator reads `{local[0]}`"
    own = drafts.draft(function, decorated=False)
    if own.captures or own.instance or own.siblings.keys() - {draft.name, function.name}:
        return f"`{function.name}` captures names of the enclosing function"
    read = scope.reads.get(function.name) or function.name in module.scope.bindings
    return f"`{function.name}` is also used elsewhere" if read else ""


def _is_outside(scope: Scope, name: str) -> bool:
    binder = scope.lookup(name)
    return binder is None or binder.is_module
