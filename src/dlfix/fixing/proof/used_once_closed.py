"""Uses of a closed handle whose error is handled: a process that never opened it would open it instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.exit_stacks import CALLING, ENTERING
from dlfix.fixing.proof.objects import may_go_by
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.state import dropped
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
from dlfix.project.order import comes_before, lies_in

_ELSEWHERE = frozenset("KeyboardInterrupt StopIteration ImportError GeneratorExit".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the code that closes an object, and then handles the error that a use of it raises."""
    back = change.after.methods.get("__setstate__")
    again = dict.fromkeys(dropped(change), back) if back is not None else {}
    for name, getter in {**again, **change.made_lazy}.items():
        closers = {
            each.name
            for cls in change.new.family(change.after)
            for each in cls.functions
            if _closes(each, name)
        }
        closed = [*_closed(change, closers), *_closed_by_others(change, name)]
        for module, closing, owner in closed:
            # A state pair leaves the parent its closed handle; only what a worker runs sees another.
            handler = _handled(change, module, closing, owner) if name not in again else None
            if handler is None and _is_used_below(change, module, closing, owner):
                module, handler = _handled_by_class(change, name)
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
            for node in module.attributes_by_name.get(name, ()):
                place = _calling(module, node)
                if place is not None and may_go_by(change, module, node.value, family):
                    yield module, place, node.value
    if "__exit__" not in closers:
        return
    for cls in family:
        for module in change.new.project.mentions(cls.name):
            for item in module.nodes(ast.withitem):
                held = item.optional_vars or item.context_expr
                block = module.parent(item)
                if block is not None and may_go_by(change, module, held, family):
                    yield module, block, held


def _calling(module: Module, method: ast.expr) -> ast.AST | None:
    """Return what calls a method: at once, or a stack once it ends."""
    above = module.parent(method)
    if not isinstance(above, ast.Call):
        return None
    return above if above.func is method or last_part(above.func) in CALLING else None


def _closed_by_others(change: ClassChange, name: str) -> Iterator[tuple[Module, ast.AST, ast.expr]]:
    """Yield where code outside closes the handle itself, at once or by what it hands on, and the object."""
    family = change.new.family(change.after)
    for module in change.new.project.mentions(name):
        for node in module.attributes_by_name.get(name, ()):
            own = change.new.class_of_self(module, node.value)
            if own not in family and may_go_by(change, module, node.value, family):
                place = _closing(module, node)
                if place is not None:
                    yield module, place, node.value


def _closing(module: Module, handle: ast.expr) -> ast.AST | None:
    """Return what closes a handle: `x.file.close()`, `with x.file`, a stack that enters it or calls its `close`."""
    above = module.parent(handle)
    match above:
        case ast.Attribute(attr="close"):
            return module.statement(above)
        case ast.withitem():
            return module.parent(above)
        case ast.Call(func=ast.Attribute(attr=name)) if name in ENTERING:
            return module.statement(above)
    return None


def _is_used_below(change: ClassChange, module: Module, closing: ast.AST, owner: ast.expr) -> bool:
    """Return whether code below the place that closes an object goes on with it, or with what holds it."""
    body = change.new.body_around(module, closing)
    origins = Origins(body)
    return any(
        isinstance(node, ast.expr)
        and not isinstance(getattr(node, "ctx", None), ast.Store)
        and comes_before(closing, node)
        and not lies_in(node, closing)
        and dotted(owner) in origins.of(node)
        for node in executed(body)
    )


def _handled_by_class(change: ClassChange, name: str) -> tuple[Module, ast.ExceptHandler | None]:
    """Return a handler around a use of the handle in the class's own methods, and its module."""
    for cls in change.new.family(change.after):
        for function in cls.functions:
            for node in executed(function.body):
                if not isinstance(node, ast.Try):
                    continue
                me = self_name(function)
                if any(is_attribute(each, me, name) for each in executed(node.body)):
                    handler = _handler_that_continues(node)
                    if handler is not None:
                        return cls.module, handler
    return change.after.module, None


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
        handler = _handler_that_continues(node)
        if handler is not None:
            return handler
    return None


def _handler_that_continues(node: ast.Try) -> ast.ExceptHandler | None:
    """Return the first handler that may take the error of a closed handle, and goes on."""
    for handler in node.handlers:
        named = list(ast.walk(handler.type)) if handler.type else []
        kinds = [last_part(n) for n in named if isinstance(n, (ast.Name, ast.Attribute))] or [""]
        waits = any(kind not in _ELSEWHERE for kind in kinds)
        if waits and not ends_here(handler.body):
            return handler
    return None


__all__ = ["check"]
