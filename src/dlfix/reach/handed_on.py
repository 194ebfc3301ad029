"""The modules of the functions that an object is passed to where it is made: they may set attributes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.values import BoundMethod, Class, Function

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator
    from dlfix.reach.values import Derived, ExternalCall

_MOST_MODULES = 12


def handed_to(value: ExternalCall | Derived, interpreter: Evaluator) -> list[Module]:
    """Return the modules, others than its own, whose functions get an object: `finish(parser.parse_args())`."""
    home = value.frame.module
    if value.node not in home.parents:  # a decorator's call, which is not written as one
        return []
    found: dict[Module, None] = {}
    for node in (value.node, *_named(value.node, home)):
        call = _given_to(node, home)
        if call is None or not _may_be_elsewhere(call.func, home):
            continue
        for function in interpreter.values_at(call.func, interpreter.frame_at(home, call)):
            function = function.function if isinstance(function, BoundMethod) else function
            if isinstance(function, (Function, Class)) and function.module is not home:
                found[function.module] = None
    interpreter.cut_short |= len(found) > _MOST_MODULES
    return list(found)[:_MOST_MODULES]


def _named(node: ast.AST, module: Module) -> Iterator[ast.Name]:
    """Yield the uses of the names that are bound to what a node makes, also through a call that gives it back."""
    statement = module.statement(node)
    if isinstance(statement, ast.Assign):
        scope = module.scope_of(node)
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield from scope.reads.get(target.id, ())


def _given_to(node: ast.AST, module: Module) -> ast.Call | None:
    """Return the call that a node is an argument of."""
    parent = module.parent(node)
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    return call if isinstance(call, ast.Call) and call.func is not node else None


def _may_be_elsewhere(func: ast.expr, module: Module) -> bool:
    if not isinstance(func, ast.Name):
        return True
    return any(each.kind == "import" for each in module.scope.bindings.get(func.id, ()))
