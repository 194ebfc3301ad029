"""What `isinstance` tells of a name: in a branch that asks, and after one that left."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from dlfix.project.trees import walk
from dlfix.reach.values import Class, Container, External, Frame, Instance, Reached, Unknown, Value

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
Known = tuple[ast.Call, bool]  # a call of `isinstance`, and what it gave


def narrowed(
    name: ast.Name, found: list[Reached], frame: Frame, interpreter: Interpreter
) -> list[Reached]:
    """Return the values a name may still have where it stands."""
    if not any(isinstance(reached.value, Instance) for reached in found):
        return found
    for call, held in _known(name, frame):
        classes = _classes(call.args[1], frame, interpreter)
        if classes:
            found = [r for r in found if _is_one(r.value, classes, interpreter) in (held, None)]
    return found


def _known(name: ast.Name, frame: Frame) -> Iterator[Known]:
    """Yield the questions whose answer is known where a name stands."""
    child: ast.AST = name
    for above in frame.module.ancestors(name):
        if isinstance(above, (ast.If, ast.IfExp)) and child is not above.test:
            body = above.body if isinstance(above.body, list) else [above.body]
            yield from _asked(above.test, child in body, name)
        if isinstance(child, ast.stmt):
            yield from _left_before(child, above, name)
        if isinstance(above, _SCOPES):
            return
        child = above


def _left_before(child: ast.stmt, above: ast.AST, name: ast.Name) -> Iterator[Known]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(above, field, None)
        if not isinstance(block, list) or child not in block:
            continue
        for statement in reversed(block[: block.index(child)]):
            if name.id in _bound_in(statement):
                return
            if isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVING):
                yield from _asked(statement.test, False, name)


@lru_cache(maxsize=65_536)
def _bound_in(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement, or one within it, gives another value."""
    return frozenset(
        node.id
        for node in walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _asked(test: ast.expr, held: bool, name: ast.Name) -> Iterator[Known]:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _asked(operand, not held, name)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is held:
            for value in values:
                yield from _asked(value, held, name)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), _]):
            if asked == name.id:
                yield test, held


def _classes(node: ast.expr, frame: Frame, interpreter: Interpreter) -> list[Value]:
    """Return the classes asked for; none where one of them is not known."""
    found: list[Value] = []
    for reached in interpreter.evaluate(node, frame):
        value = reached.value
        if isinstance(value, Container):
            for _, item in value.items:
                found += interpreter.values(item)
        else:
            found.append(value)
    return found if all(isinstance(each, (Class, External)) for each in found) else []


def _is_one(value: Value, classes: list[Value], interpreter: Interpreter) -> bool | None:
    if not isinstance(value, Instance):
        return None
    line = interpreter.instances.mro(value.cls)
    if any(base is each or base == each for base in line for each in classes):
        return True
    unsure = any(isinstance(base, Unknown) for base in line)
    outside = any(isinstance(base, External) for base in line)
    return None if unsure or (outside and any(isinstance(c, External) for c in classes)) else False
