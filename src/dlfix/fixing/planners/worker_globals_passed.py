"""A parameter that is a global of its module: each call of its function passes that global, under the same name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.syntax import FUNCTIONS, positional
from dlfix.reach.entry_points import Entries
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.analysis import Analysis


def is_the_global(analysis: Analysis, module: Module, node: ast.AST, name: str) -> bool:
    """Return whether a name at a node has the value of the module's global, or is a parameter that every call passes it for."""
    scope = module.scope_of(node).lookup(name)
    if scope is module.scope:
        return True
    if scope is None or not isinstance(scope.node, FUNCTIONS):
        return False
    function = scope.node
    if not _is_plain_parameter(scope, name) or not _is_set_once(module.scope, name):
        return False
    if module.parent(function) is not module.tree or function.decorator_list:
        return False
    calls = [*Entries.of(analysis).calls_of(module, function)]
    return (
        bool(calls)
        and _is_only_called(analysis, module, function.name, {call.func for _, call in calls})
        and all(home is module and _passes(module, call, function, name) for home, call in calls)
    )


def _is_plain_parameter(scope: Scope, name: str) -> bool:
    bindings = scope.bindings.get(name, ())
    return [each.kind for each in bindings] == ["parameter"] and not any(
        name in inner.nonlocals for inner in scope.walk()
    )


def _is_set_once(scope: Scope, name: str) -> bool:
    """Return whether one statement sets a global: a parameter keeps what it was when the call was made."""
    return len([*scope.bindings.get(name, ()), *scope.module_globals.get(name, ())]) == 1


def _is_only_called(analysis: Analysis, module: Module, name: str, known: set[ast.expr]) -> bool:
    """Return whether code does nothing with a function but call it: what is kept may be called with anything."""
    code = WorkerCode.of(analysis)
    homes = [
        each
        for each in analysis.project.users(module, name)
        if (each is not module and (each.aliases_of(name) or name not in each.scope.bindings))
        or code.home(each, name) == (module, name)
    ]
    return not any(
        isinstance(node.ctx, ast.Load) and node not in known
        for each in dict.fromkeys((module, *homes))
        for node in each.nodes_by_name.get(name, ())
    )


def _passes(
    module: Module, call: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
) -> bool:
    """Return whether a call passes the global of a name for the parameter of that name."""
    if any(isinstance(each, ast.Starred) for each in call.args):
        return False
    given = dict(zip(positional(function), call.args, strict=False))
    given |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    value = given.get(name)
    return (
        isinstance(value, ast.Name)
        and value.id == name
        and module.scope_of(value).lookup(name) is module.scope
    )
