"""Functions that each call made anew: what is done to one is done to all once they are one, a partial binds no object, and libraries go by names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.flow_targets import Targets
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, last_part
from dlfix.fixing.proof.value_flow import Place, changes_of
from dlfix.project.module import Module

_SHARED = "but all calls now share one function"
_MAKERS = frozenset("dict list set tuple defaultdict deque partial".split())
_FAR = 4  # assignments within one call of the function around

Callable_: TypeAlias = Function | ast.Lambda


def check(
    change: FileChange, gone: Sequence[Callable_], partials: Iterable[ast.Call]
) -> Iterator[Regression]:
    """Yield what code does to functions that moved, which it can no longer do to each of them."""
    moved = {last_part(call.args[0]).strip("_") for call in partials if call.args}
    for function in gone:
        name = getattr(function, "name", "")
        becomes_partial = bool(moved) and (not name or name.strip("_") in moved)
        around = _around(change, function)
        changes = changes_of(change.old, change.before, function)
        if not _keeps_name(change, function):
            what = "names a result of a library, but gets another name"
            yield from _reasons(change, function, changes.named, what)
        if becomes_partial:
            what = "becomes a method of a class, but a partial is not bound"
            yield from _reasons(change, function, changes.bound, what)
        elif around is not None:
            # What the function around does moves with it, or is seen there.
            marked = [each for each in changes.marked if not _is_inside(each, around)]
            yield from _reasons(change, function, marked, f"gets an attribute, {_SHARED}")
            told = [
                each
                for each in changes.compared
                if not _is_inside(each, around) or _outlives(change, *each)
            ]
            yield from _reasons(change, function, told, f"is distinguished from others, {_SHARED}")


def _keeps_name(change: FileChange, function: Callable_) -> bool:
    """Return whether a function of the module goes by the name of one that moved."""
    name = getattr(function, "name", "")
    return name in change.after.scope.bindings and name not in change.before.scope.bindings


def _is_inside(place: Place, around: Function) -> bool:
    return around in {*place[0].ancestors(place[1])}


def _outlives(change: FileChange, module: Module, node: ast.AST) -> bool:
    """Return whether what tells a function from others is there from one call of the function around to the next."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return any(_is_from_outside(module, each) for each in (left, *others))
        case ast.Subscript(value=table):
            return _is_from_outside(module, table)
        case ast.Call(func=ast.Attribute(value=table, attr="setdefault" | "add")):
            return _is_from_outside(module, table)
        case ast.Call(func=func):
            return bool(Targets(change.old).cached(module, func))
    return False


def _is_from_outside(module: Module, held: ast.expr, far: int = _FAR) -> bool:
    """Return whether an expression is of an object that a call of the function did not make itself."""
    while isinstance(held, ast.Subscript):
        held = held.value
    if isinstance(held, ast.Call):
        name = last_part(held.func)
        return not (name[:1].isupper() or name in _MAKERS)
    if not isinstance(held, ast.Name):
        return isinstance(held, ast.Attribute)
    scope = module.scope_of(held).lookup(held.id)
    if scope is None or not scope.is_function or not far:
        return True
    return not all(
        each.kind == "def"
        or (each.value is not None and not _is_from_outside(module, each.value, far - 1))
        for each in scope.bindings.get(held.id, ())
    )


def _around(change: FileChange, function: Callable_) -> Function | None:
    above = change.before.ancestors(function)
    return next((each for each in above if isinstance(each, FUNCTIONS)), None)


def _reasons(
    change: FileChange, function: Callable_, places: Iterable[Place], what: str
) -> Iterator[Regression]:
    name = getattr(function, "name", "<lambda>")
    for module, node in places:
        where = f"{module.path.name}:{getattr(node, 'lineno', 1)}"
        yield change.regression(name, 1, f"`{name}` {what} ({where})")


__all__ = ["check"]
