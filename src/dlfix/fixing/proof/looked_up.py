"""What a constructor looks up in a handle that it opens may be missing: the error is raised while the object is made."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    own_targets,
    self_name,
    statements,
    targets_of,
)

_NEVER_FAILS = frozenset({"get"})


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what a constructor no longer looks up, though it still opens the handle: the error would come later."""
    if not change.made_lazy:
        return
    made = [f for _, f in change.constructed_after if f.name not in change.lazy]
    known = {text for f in made for node in executed(f.body) if (text := _looked_up(node))}
    opens = {dotted(call.func) for f in made for call in calls_in(f.body)}
    for _, function in change.constructed_before:
        handles = _spelled(function, change.made_lazy.keys())
        stores = [s for s in statements(function.body) if handles & {*map(dotted, targets_of(s))}]
        if opens.isdisjoint(dotted(call.func) for each in stores for call in calls_in(each)):
            continue
        for statement in stores:
            value: ast.expr | None = getattr(statement, "value", None)
            if value is not None and not known.issuperset(_lookups(value, handles)):
                yield change.regression(
                    change.after.node,
                    f"`{ast.unparse(value)}` is evaluated later, where it may raise (line {statement.lineno})",
                )


def _spelled(function: Function, names: Collection[str]) -> set[str]:
    """Return how a method spells some attributes: as such, and by local names that are set to the same."""
    owner = self_name(function)
    found = {f"{owner}.{name}" for name in names}
    for statement in statements(function.body):
        if any(name in names for name in own_targets(statement, owner)):
            same = [*targets_of(statement), getattr(statement, "value", None)]
            found |= {each.id for each in same if isinstance(each, ast.Name)}
    return found


def _lookups(value: ast.expr, handles: Collection[str]) -> Iterator[str]:
    """Yield what an expression looks up in a handle."""
    for node in executed(value):
        text, part = _looked_up(node), node
        while text and isinstance(part, (ast.Subscript, ast.Call, ast.Attribute)):
            part = part.func if isinstance(part, ast.Call) else part.value
            if dotted(part) in handles:
                yield text
                break


def _looked_up(node: ast.AST) -> str:
    """Return the text of a key, or of a call with arguments, by which code asks for a part of something."""
    match node:
        case ast.Subscript(slice=key, ctx=ast.Load()) if not isinstance(key, ast.Slice):
            return ast.unparse(key).replace("self.", "")
        case ast.Call(func=ast.Attribute(attr=name), args=[_, *_]) if name not in _NEVER_FAILS:
            return f"{name}({', '.join(map(ast.unparse, node.args))})".replace("self.", "")
    return ""


__all__ = ["check"]
