"""Attributes that calls set: `setattr(self, name, value)`, `self.__dict__.update(...)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.bindings import Binding
from dlfix.project.syntax import attribute_named, attribute_of, attributes_of, last_name
from dlfix.reach.copied_entries import rounds
from dlfix.reach.values import Argument, Bound, Constant, Frame, Value

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

Named = tuple[str, Argument]
_SETTING = frozenset({"setattr", "__setattr__"})


def set_by_call(call: ast.Call, frame: Frame, interpreter: Evaluator) -> Iterator[Named]:
    """Yield the attributes that a call sets on the object that it is about."""
    if setting(call):
        yield from set_by_name(call, frame, interpreter)
        return
    named = attribute_named(call)
    if named is not None:
        yield from [(named[1], Bound(each, frame)) for each in call.args[1:2]]
        return
    for argument in call.args:
        yield from _spelled_out(argument, frame, interpreter)
    for keyword in call.keywords:
        if keyword.arg is None:
            yield from _spelled_out(keyword.value, frame, interpreter)
        else:
            yield keyword.arg, Bound(keyword.value, frame)


def owner_set(call: ast.Call) -> ast.expr | None:
    """Return the object on which a call sets attributes, itself or in its `__dict__`."""
    if setting(call):
        return call.args[0]
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("update", "setdefault"):
        return attributes_of(call.func.value)
    return None


def may_set(call: ast.Call, names: frozenset[str]) -> bool:
    """Return whether a call may set attributes on an object that goes by some names."""
    owner = owner_set(call)
    return isinstance(owner, ast.Name) and owner.id in names


def setting(call: ast.Call) -> bool:
    """Return whether a call is `setattr(x, name, value)` or `object.__setattr__(x, name, value)`."""
    called = last_name(call.func)
    return called in _SETTING and len(call.args) == 3


def set_by_name(call: ast.Call, frame: Frame, interpreter: Evaluator) -> Iterator[Named]:
    """Yield the names that a `setattr` sets, each with its value."""
    for names, value in _turns(call.args[1], call.args[2], frame, interpreter):
        for name in names:
            if isinstance(name, Constant) and isinstance(name.value, str):
                yield attribute_of(name.value), value


def names_set(call: ast.Call, frame: Frame, interpreter: Evaluator) -> Iterator[list[Value]]:
    """Yield what the name that a `setattr` sets may be, for each turn of the loop that gives it."""
    for names, _ in _turns(call.args[1], call.args[2], frame, interpreter):
        yield names


def set_by_template(call: ast.Call, frame: Frame, interpreter: Evaluator) -> Named | None:
    """Return what a `setattr` sets whose name is known in part, under the name as it is spelled: `get_{column}`.

    No attribute that code names can be meant by it, for it is no identifier.
    """
    if not setting(call):
        return None
    if any(isinstance(each, Constant) for each in interpreter.values_at(call.args[1], frame)):
        return None
    spelled = call.args[1]
    if isinstance(spelled, ast.Name):
        bindings = frame.scope.bindings.get(spelled.id, ())
        values = [each.value for each in bindings if not each.path]
        spelled = values[0] if len(values) == 1 and values[0] is not None else spelled
    if not isinstance(spelled, ast.JoinedStr):
        return None
    parts = [each.value if isinstance(each, ast.Constant) else each for each in spelled.values]
    if not any(isinstance(part, str) and part.isidentifier() for part in parts):
        return None
    name = ast.unparse(spelled)[2:-1]
    return name, Bound(call.args[2], frame)


def _turns(
    name: ast.expr, value: ast.expr, frame: Frame, interpreter: Evaluator
) -> Iterator[tuple[list[Value], Argument]]:
    """Yield names and value, for each turn of the loop that gives the name."""
    mine, theirs = _looping(name, frame), _looping(value, frame)
    if mine is None or mine.value is None:
        for reached in interpreter.reached(Bound(name, frame)):
            yield [reached.value], Bound(value, frame, (), rounds(reached))
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
                yield attribute_of(key), item
