"""Correlated branches: what one branch sets is not there in the opposite branch of the same test."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.trees import kept, walk

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.scopes import Scope

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.expr_context, ast.cmpop)


def excluded(statement: ast.AST, use: ast.AST, module: Module) -> bool:
    """Tell whether a statement has not run where a use stands: their tests come out differently."""
    asked = {text: held for test, text, held in _tests(use, module) if _is_stable(test, module)}
    if not asked:
        return False
    return any(asked.get(text, held) is not held for _, text, held in _tests(statement, module))


def _tests(node: ast.AST, module: Module) -> Iterator[tuple[ast.expr, str, bool]]:
    """Yield the tests of the branches that a node stands in, without `not`, and how they came out."""
    child = node
    for above in module.ancestors(node):
        if isinstance(above, ast.If) and child is not above.test:
            test, held = above.test, child in above.body
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, held = test.operand, not held
            yield test, _text(test), held
        if isinstance(above, _SCOPES):
            return
        child = above


@kept
def _text(test: ast.expr) -> str:
    return ast.dump(test)


def _is_stable(test: ast.expr, module: Module) -> bool:
    """Tell whether a test comes out the same each time: of names that are bound once, in no loop."""
    if not all(isinstance(each, _PLAIN) for each in walk(test)):
        return False
    scope = module.scope_of(test)
    names = [each for each in walk(test) if isinstance(each, ast.Name)]
    attributes = [each.attr for each in walk(test) if isinstance(each, ast.Attribute)]
    return (
        bool(names)
        and all(_is_bound_once(name.id, scope, module) for name in names)
        and not any(_is_set(attribute, module) for attribute in attributes)
    )


def _is_bound_once(name: str, scope: Scope, module: Module) -> bool:
    binder = scope.lookup(name)
    bindings = binder.bindings.get(name, []) if binder is not None else []
    if binder is None or len(bindings) != 1 or name in binder.module_globals:
        return False
    if bindings[0].kind in ("parameter", "import"):
        return True
    for above in module.ancestors(bindings[0].statement):
        if isinstance(above, _LOOPS):
            return False
        if isinstance(above, _SCOPES):
            break
    return True


def _is_set(attribute: str, module: Module) -> bool:
    """Tell whether code of a module sets an attribute by a name more than once."""
    stores = [
        node
        for node in module.nodes_by_name.get(attribute, ())
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]
    return len(stores) > 1
