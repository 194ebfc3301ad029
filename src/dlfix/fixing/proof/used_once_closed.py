"""Uses of a closed handle whose error is handled: a process that never opened it would open it instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.objects import may_go_by
from dlfix.fixing.proof.syntax import (
    Function,
    dotted,
    ends_here,
    executed,
    is_attribute,
    last_part,
    self_name,
)
from dlfix.project.module import Module
from dlfix.project.order import comes_before

_ELSEWHERE = frozenset("KeyboardInterrupt StopIteration ImportError GeneratorExit".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the code that closes an object, and then handles the error that a use of it raises."""
    for name, getter in change.made_lazy.items():
        closers = {
            each.name
            for cls in change.new.family(change.after)
            for each in cls.functions
            if _closes(each, name)
        }
        for module, closing, owner in _closed(change, closers):
            handler = _handled(change, module, closing, owner)
            if handler is not None:
                yield change.regression(
                    getter,
                    f"the error of a closed `{name}` is handled ({module.path.name}:{handler.lineno}), but a "
                    "process that has not opened it opens it",
                )
                return


def _closes(function: Function, name: str) -> bool:
    """Return whether a method closes a handle of its object."""
    me = self_name(function)
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "close"
        and is_attribute(node.func.value, me, name)
        for node in executed(function.body)
    )


def _closed(change: ClassChange, closers: set[str]) -> Iterator[tuple[Module, ast.AST, ast.expr]]:
    """Yield where code outside closes what may be an object of the class, and the object."""
    family = change.new.family(change.after)
    for name in sorted(closers):
        for module in change.new.project.mentions(name):
            for call in module.calls_by_name.get(name, ()):
                owner = call.func.value if isinstance(call.func, ast.Attribute) else None
                if owner is not None and may_go_by(change, module, owner, family):
                    yield module, call, owner
    if "__exit__" not in closers:
        return
    for cls in family:
        for module in change.new.project.mentions(cls.name):
            for item in module.nodes(ast.withitem):
                held = item.optional_vars or item.context_expr
                block = module.parent(item)
                if block is not None and may_go_by(change, module, held, family):
                    yield module, block, held


def _handled(
    change: ClassChange, module: Module, closing: ast.AST, owner: ast.expr
) -> ast.ExceptHandler | None:
    """Return a handler around a use of an object, below the place that closes it."""
    for node in executed(change.new.body_around(module, closing)):
        if not isinstance(node, ast.Try) or not comes_before(closing, node):
            continue
        used = any(dotted(each) == dotted(owner) for each in executed(node.body))
        if any(each is closing for each in executed(node)) or not used:
            continue
        for handler in node.handlers:
            kinds = [last_part(n) for n in ast.walk(handler.type)] if handler.type else [""]
            waits = any(kind not in _ELSEWHERE for kind in kinds)
            if waits and not ends_here(handler.body):
                return handler
    return None


__all__ = ["check"]
