"""Where objects of a class are made, and which calls lead there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange
from dlfix.fixing.proof.order import CONSTRUCTORS
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import Function
from dlfix.project.module import Module

_FAR = 3  # how many callers are followed


def leading_to(change: ClassChange, far: int = _FAR) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what is called where an object is made, and by calls that lead to such a place, nearest first."""
    classes: list[Class] = [change.after, *change.new.heirs(change.after)]
    seen: set[str] = set()
    names = {cls.name for cls in classes}
    for step in range(far):
        callers: set[str] = set()
        for module, node in _calling(change, names - seen, [] if step else classes):
            yield module, node
            function = change.new.enclosing(module, node)
            if function is not None and not function.name.startswith("test"):
                callers.add(_called_as(module, function))
        seen |= names
        names = callers - {"main", "__main__"}


def _calling(
    change: ClassChange, names: set[str], classes: list[Class]
) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what is called by one of these names, or makes an object of a class through another."""
    for name in names:
        for module in change.new.project.mentions(name):
            for node in module.nodes_by_name.get(name, ()):
                handed_on = passed_to(module, node) is not None and _names_one(change, module, node)
                if call_of(module, node) is not None or handed_on:
                    yield module, node
    for cls in classes:
        for module, call in change.new.constructions(cls):
            yield module, call.func


def _names_one(change: ClassChange, module: Module, node: ast.expr) -> bool:
    """Return whether an expression names the class, or one that derives from it."""
    return change.new.class_of(module, node) in (change.after, *change.new.heirs(change.after))


def _called_as(module: Module, function: Function) -> str:
    owner = module.parent(function)
    if function.name in CONSTRUCTORS and isinstance(owner, ast.ClassDef):
        return owner.name
    return function.name


def call_of(module: Module, node: ast.AST) -> ast.Call | None:
    """Return the call of which an expression is the callee."""
    parent = module.parent(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else None


def passed_to(module: Module, node: ast.AST) -> ast.Call | None:
    """Return the call that a class or function is handed, which may call it: `pool.submit(Rows, path)`."""
    parent = module.parent(node)
    return parent if isinstance(parent, ast.Call) and node in parent.args else None


__all__ = ["call_of", "leading_to", "passed_to"]
