"""What a constructor does besides setting up its object, once more where `__reduce__` calls it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.made_by_factory import maker_of
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    MUTATING,
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    last_part,
    targets_of,
)
from dlfix.project.module import Module

_TELLING = frozenset("print write debug info warning warn error exception critical log".split())
_FAR = 3  # how many calls are followed


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what the constructors of a class with a new `__reduce__` change outside of the object."""
    reducing = change.after.methods.get("__reduce__")
    if reducing is None or "__reduce__" in change.before.methods or maker_of(change) is not None:
        return
    for cls in (change.after, *change.new.heirs(change.after)):
        for owner, function in order.construction(change.new, cls):
            found = _effect(change.new, owner.module, function, _FAR)
            if found is not None:
                text = ast.unparse(found).splitlines()[0]
                reason = f"unpickling runs the constructor again, and so `{text}` (line {function.lineno})"
                yield change.regression(reducing, reason)
                return


def _effect(program: Program, module: Module, function: Function, far: int) -> ast.AST | None:
    """Return what a function, or one that it calls, does that others see."""
    own = bound_in(function) - _declared(function)
    for node in executed(function.body):
        if any(_is_of_others(target, own) for target in targets_of(node)):
            return node
        if isinstance(node, ast.Call) and _is_seen(node, own):
            return node
    for call in calls_in(function.body) if far else ():
        known = program.function_of(module, call.func)
        if known is not None and known[1] is not function:
            found = _effect(program, *known, far - 1)
            if found is not None:
                return call
    return None


def _declared(function: Function) -> set[str]:
    return {
        name
        for node in executed(function.body)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }


def _is_of_others(target: ast.expr, own: frozenset[str] | set[str]) -> bool:
    """Return whether a target is no local name, and nothing that a local name has."""
    match target:
        case ast.Name(id=name):
            return name not in own
        case ast.Attribute(value=ast.Attribute(attr="__class__")) | ast.Attribute(value=ast.Call()):
            return True  # `type(self).count += 1`
        case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
            return _is_of_others(inner, own)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_is_of_others(part, own) for part in parts)
    return False


def _is_seen(call: ast.Call, own: frozenset[str] | set[str]) -> bool:
    """Return whether a call changes what is not the function's own, takes the next of it, or tells something."""
    root = dotted(call.func).partition(".")[0]
    if isinstance(call.func, ast.Name):
        given = [dotted(each).partition(".")[0] for each in call.args]
        takes = call.func.id == "next" and any(name and name not in own for name in given)
        return takes or call.func.id == "print"
    changes = last_part(call.func) in MUTATING or last_part(call.func) in _TELLING
    return changes and bool(root) and root not in own


__all__ = ["check"]
