"""Attributes that calls set: `setattr(self, name, value)`, `self.__dict__.update(...)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.bindings import Binding
from dlfix.project.syntax import last_name
from dlfix.reach.values import Argument, Bound, Constant, Frame, Value

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

Named = tuple[str, Argument]
_SETTING = frozenset({"setattr", "__setattr__"})


def set_by_call(
    call: ast.Call, names: frozenset[str], frame: Frame, interpreter: Evaluator
) -> Iterator[Named]:
    """Yield the attributes that a call sets on an object that goes by some names."""
    if setting(call) and _is_one(call.args[0], names):
        yield from set_by_name(call, frame, interpreter)
    elif _updates_dict(call, names):
        for argument in call.args:
            yield from _spelled_out(argument, frame, interpreter)
        for keyword in call.keywords:
            if keyword.arg is None:
                yield from _spelled_out(keyword.value, frame, interpreter)
            else:
                yield keyword.arg, Bound(keyword.value, frame)


def may_set(call: ast.Call, names: frozenset[str]) -> bool:
    """Return whether a call may set attributes on an object that goes by some names."""
    return (setting(call) and _is_one(call.args[0], names)) or _updates_dict(call, names)


def setting(call: ast.Call) -> bool:
    """Return whether a call is `setattr(x, name, value)` or `object.__setattr__(x, name, value)`."""
    called = last_name(call.func)
    return called in _SETTING and len(call.args) == 3


def set_by_name(call: ast.Call, frame: Frame, interpreter: Evaluator) -> Iterator[Named]:
    """Yield the names that a `setattr` sets, each with its value."""
    for names, value in _turns(call.args[1], call.args[2], frame, interpreter):
        for name in names:
            if isinstance(name, Constant) and isinstance(name.value, str):
                yield name.value, value


def _turns(
    name: ast.expr, value: ast.expr, frame: Frame, interpreter: Evaluator
) -> Iterator[tuple[list[Value], Argument]]:
    """Yield names and value, for each turn of the loop that gives the name."""
    mine, theirs = _looping(name, frame), _looping(value, frame)
    if mine is None or mine.value is None:
        yield interpreter.values(Bound(name, frame)), Bound(value, frame)
        return
    together = theirs if theirs is not None and theirs.statement is mine.statement else None
    for item in interpreter.each(Bound(mine.value, frame)):
        names = _taken(item, mine, frame, interpreter)
        values = _taken(item, together, frame, interpreter) if together is not None else []
        yield from ((names, one) for one in values)
        if not values:
            yield names, Bound(value, frame)


def _taken(item: Argument, loop: Binding, frame: Frame, interpreter: Evaluator) -> list[Value]:
    """Return what a loop's target takes of one item."""
    assert loop.value is not None
    start = interpreter.reached(item)
    return [r.value for r in interpreter.follow(start, loop.path[1:], loop.value, frame)]


def _looping(node: ast.expr, frame: Frame) -> Binding | None:
    """Return the binding of a name by the nearest loop that it stands in."""
    bindings = frame.scope.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
    loops = {one.statement: one for one in bindings if one.kind == "for"}
    return next((loops[above] for above in frame.module.ancestors(node) if above in loops), None)


def _spelled_out(node: ast.expr, frame: Frame, interpreter: Evaluator) -> Iterator[Named]:
    for container in interpreter.containers(Bound(node, frame)):
        for key, item in container.items:
            if isinstance(key, str):
                yield key, item


def _updates_dict(call: ast.Call, names: frozenset[str]) -> bool:
    """Return whether a call is `x.__dict__.update(...)` or `vars(x).update(...)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "update":
        return False
    match call.func.value:
        case ast.Attribute(attr="__dict__", value=owner):
            return _is_one(owner, names)
        case ast.Call(func=ast.Name(id="vars"), args=[owner]):
            return _is_one(owner, names)
    return False


def _is_one(node: ast.expr, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names
