"""How a test comes out, where constants tell: so that code which a call does not run is not read."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlfix.reach.values import Class, Constant, Frame, Function, Value

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter

_COMPARING: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: lambda one, other: one is other,
    ast.IsNot: lambda one, other: one is not other,
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)


def outcome(test: ast.expr, frame: Frame, interpreter: Interpreter) -> bool | None:
    """Tell how a test of names and constants comes out in a call; None where that is not known."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            held = outcome(operand, frame, interpreter)
            return None if held is None else not held
        case ast.BoolOp(op=op, values=values):
            deciding = isinstance(op, ast.Or)
            parts = [outcome(value, frame, interpreter) for value in values]
            if deciding in parts:
                return deciding
            return None if None in parts else not deciding
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARING:
            return _compared(left, _COMPARING[type(op)], right, frame, interpreter)
        case ast.Name() | ast.Constant():
            return _agreed([truth(value) for value in _plain(test, frame, interpreter)])
    return None


def is_dead(node: ast.AST, frame: Frame, interpreter: Interpreter) -> bool:
    """Tell whether a node stands in a branch that a call of its function does not take."""
    if not frame.arguments:
        return False
    child = node
    for above in frame.module.ancestors(node):
        if isinstance(above, ast.If) and child is not above.test:
            held = outcome(above.test, frame, interpreter)
            if held is not None and held is not (child in above.body):
                return True
        if isinstance(child, ast.stmt) and _has_left(child, above, frame, interpreter):
            return True
        if isinstance(above, _SCOPES):
            return False
        child = above
    return False


def _has_left(child: ast.stmt, above: ast.AST, frame: Frame, interpreter: Interpreter) -> bool:
    """Tell whether a call has returned before it comes to a statement of a block."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(above, field, None)
        if isinstance(block, list) and child in block:
            return any(
                isinstance(each, ast.If)
                and isinstance(each.body[-1], (ast.Return, ast.Raise))
                and outcome(each.test, frame, interpreter) is True
                for each in block[: block.index(child)]
            )
    return False


def _compared(
    left: ast.expr,
    compare: Callable[[object, object], bool],
    right: ast.expr,
    frame: Frame,
    interpreter: Interpreter,
) -> bool | None:
    mine, theirs = _plain(left, frame, interpreter), _plain(right, frame, interpreter)
    found: list[bool | None] = []
    for one in mine:
        for other in theirs:
            known = isinstance(one, Constant) and isinstance(other, Constant)
            found.append(compare(one.value, other.value) if known else None)  # type: ignore[union-attr]
    return _agreed(found)


def _plain(node: ast.expr, frame: Frame, interpreter: Interpreter) -> list[Value]:
    """Return what a constant, or a parameter that nothing else binds, may be."""
    if isinstance(node, ast.Constant):
        return [Constant(node.value)]
    if not isinstance(node, ast.Name) or not frame.arguments:
        return []
    bindings = frame.scope.bindings.get(node.id, ())
    if len(bindings) != 1 or bindings[0].kind != "parameter":
        return []
    return [value for one in frame.arguments.get(node.id, ()) for value in interpreter.values(one)]


def _agreed(found: list[bool | None]) -> bool | None:
    return found[0] if found and all(each is found[0] for each in found) else None


def truth(value: Value) -> bool | None:
    """Tell whether a value counts as true; None where that is not known."""
    if isinstance(value, Constant):
        return bool(value.value)
    return True if isinstance(value, (Function, Class)) else None
