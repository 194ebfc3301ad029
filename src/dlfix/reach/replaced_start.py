"""Objects that replace their own `start`: a process that does all itself where it is told to starts no worker.

What is set beside that is not sent: `if not options.parallel: self.start = lambda: None`. Nor are options that say so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.correlated import tests_around
from dlfix.reach.predicates import agreed, question
from dlfix.reach.sequence import beside, place_in
from dlfix.reach.values import Bound, BoundMethod, Constant, Function, Instance, Value

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.crossing import Boundary, Store
    from dlfix.reach.interpreter import Interpreter


def set_where_none_starts(
    store: Store, instance: Instance, boundary: Boundary, interpreter: Interpreter
) -> bool:
    """Return whether a statement sets an attribute only where another one of its block replaces `start`."""
    return any(
        store.frame.scope is start.frame.scope
        and beside(start.statement, store.statement, store.frame.module)[1] is not None
        for start in _replacing(instance, boundary, interpreter)
    )


def told_to_start_none(
    value: Value, instance: Instance, boundary: Boundary, interpreter: Interpreter
) -> bool:
    """Return whether an object is set, before it is passed on, to what makes the one that gets it replace `start`."""
    return isinstance(value, Instance) and any(
        _is_told(value, start, interpreter) for start in _replacing(instance, boundary, interpreter)
    )


def _replacing(instance: Instance, boundary: Boundary, interpreter: Interpreter) -> Iterator[Store]:
    """Yield the statements that set `start` of the object at a boundary to what starts no process."""
    if boundary.kind != "Process" or boundary.value is not instance:
        return
    for store in interpreter.instances.stores(instance).get("start", ()):
        values = [reached.value for reached in interpreter.instances.stored(store)]
        if values and all(_starts_none(value) for value in values):
            yield store


def _starts_none(value: Value) -> bool:
    """Return whether a function calls no `start`, nor what it may have been given as one."""
    function = value.function if isinstance(value, BoundMethod) else value
    if not isinstance(function, Function):
        return False
    scope = function.module.inner_scope(function.node)
    for node in walk(function.node):
        name = str(last_name(node)) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        if name == "start" or "popen" in name.lower():
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            binder = scope.lookup(node.func.id)
            if binder is not None and binder.is_function:
                return False
    return True


def _is_told(value: Instance, start: Store, interpreter: Interpreter) -> bool:
    tests = tests_around(start.statement, start.frame.module)
    return bool(tests) and all(
        _answer(test, value, start, interpreter) is held for test, held in tests
    )


def _answer(test: ast.expr, value: Instance, start: Store, interpreter: Interpreter) -> bool | None:
    """Return how a test of an attribute comes out where it is asked of one object; None where that is not known."""
    asked = question(test, start.frame, interpreter)
    if asked is None or not isinstance(asked.subject, ast.Attribute):
        return None
    if value not in interpreter.values_at(asked.subject.value, start.frame):
        return None
    held = _set_before_passed(value, asked.subject.attr, interpreter)
    return agreed([asked.answer(each) for each in held])


def _set_before_passed(value: Instance, name: str, interpreter: Interpreter) -> list[Value]:
    """Return what the code that makes an object sets an attribute to for good, before it does anything else with it."""
    instances, made = interpreter.instances, value.frame
    if made is None or any(each.late for each in instances.stores(value).get(name, ())):
        return []
    setters = interpreter.project.setters(name)
    stores = [s for s in instances.outside_stores(value, setters) if s.attribute == name]
    if not stores or any(each.frame.module is not made.module for each in stores):
        return []
    module, last = made.module, stores[-1]
    block, first = beside(last.statement, value.call, module) if value.call else ([], None)
    places = [place_in(block, module, each.statement) for each in stores]
    end = block.index(last.statement) if block else 0
    if first is None or any(at is None or at > end for at in places):
        return []
    if not _is_handed_to_nobody(block[first : end + 1], module) or not isinstance(
        last.value, Bound
    ):
        return []
    known = interpreter.must.values(last.value.node, last.value.frame)
    return known if all(isinstance(each, Constant) for each in known) else []


def _is_handed_to_nobody(statements: list[ast.stmt], module: Module) -> bool:
    """Return whether code makes an object, gives it a local name, and hands it to nobody: it uses its attributes and methods."""
    match statements:
        case [ast.Assign(targets=[ast.Name(id=made)]), *others]:
            uses = (node for each in others for node in walk(each) if isinstance(node, ast.Name))
            return all(
                isinstance(module.parent(use), ast.Attribute) for use in uses if use.id == made
            )
    return False
