"""Dispatch tables: dicts from which code takes whichever entry it is asked for."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import TYPE_CHECKING

from dlfix.project.syntax import dotted
from dlfix.reach.labels import node_of

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.rules.base import Finding


def table_of(finding: Finding) -> Hashable | None:
    """Return what stands for the table that a culprit is an entry of, where it is written as one."""
    for way in finding.ways:
        made = node_of(way[-1].value)
        if made is not None:
            return _written_in(*made)
    return None


def _written_in(node: ast.AST, module: Module) -> Hashable | None:
    """Return the table that a culprit is an entry of: `TABLE = {"a": node}`, `TABLE["a"] = node`, `@register`."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return _registered_in(node, module)
    if not isinstance(node, ast.expr):
        return None
    display: ast.AST = node
    for above in module.ancestors(node):
        match above:
            case ast.Dict():
                display = above
            case ast.Assign(targets=[ast.Subscript(value=table)], value=value) if value is node:
                return module.path, ast.unparse(table)
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=value)
            ) if value is display and value is not node:
                return module.path, ast.unparse(target)
            case ast.stmt() | ast.Lambda():
                break
    return display if display is not node else None


def _registered_in(node: ast.FunctionDef | ast.AsyncFunctionDef, module: Module) -> Hashable | None:
    """Return what stands for the table in which decorators of the program register a function: `@register("a")`."""
    for each in node.decorator_list:
        called = each.func if isinstance(each, ast.Call) else each
        root = dotted(called).partition(".")[0]
        scope = module.scope_of(node).lookup(root) if root else None
        bindings = scope.bindings.get(root, ()) if scope is not None else ()
        if bindings and all(binding.kind != "import" for binding in bindings):
            return module.path, dotted(called)
    return None
