"""How a text ends that is put together: `".npz"` of `os.path.join(root, name + ".npz")`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from dlfix.reach.values import Bound, Frame

_PATTERNS = frozenset({"glob", "iglob", "rglob"})
_SAME_ITEMS = frozenset({"sorted", "list", "tuple", "set", "reversed", "iter"})
_FAR = 12  # names that are followed one after another


def ending_of(text: Bound) -> str | None:
    """Return how a text ends; None where that is not known."""
    return _ending(text.node, text.frame, _FAR)


def _ending(node: ast.expr, frame: Frame, far: int) -> str | None:
    match node:
        case ast.Constant(value=str() as whole):
            return whole
        case ast.BinOp(op=ast.Add() | ast.Div(), right=right):
            return _ending(right, frame, far)
        case ast.BinOp(op=ast.Mod(), left=left):
            text = _ending(left, frame, far)
            return text.rpartition("%")[2][1:] if text else None
        case ast.JoinedStr(values=[*_, last]):
            return _ending(last, frame, far)
        case ast.Call(func=ast.Attribute(attr="join" | "joinpath"), args=[*_, last]):
            return _ending(last, frame, far)
        case ast.Call(func=ast.Name(id="str" | "Path"), args=[*_, last]):
            return _ending(last, frame, far)
        case ast.Name():
            return _of_name(node, frame, far, _ending)
    return None


def _of_each(node: ast.expr, frame: Frame, far: int) -> str | None:
    """Return how the texts end that something gives when it is gone through: files by a pattern."""
    match node:
        case ast.Name():
            return _of_name(node, frame, far, _of_each)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]):
            if name in _PATTERNS:
                return _ending(first, frame, far)
            return _of_each(first, frame, far) if name in _SAME_ITEMS else None
    return None


def _of_name(
    node: ast.Name, frame: Frame, far: int, read: Callable[[ast.expr, Frame, int], str | None]
) -> str | None:
    """Follow a name to what it is bound to, or to what the call at hand passes for it."""
    scope = frame.scope.lookup(node.id)
    bindings = scope.bindings.get(node.id, []) if scope is not None else []
    if len(bindings) != 1 or not far:
        return None
    while frame.scope is not scope and frame.enclosing is not None:
        frame = frame.enclosing
    (binding,) = bindings
    if binding.value is None:
        passed = (frame.arguments or {}).get(node.id, ())
        given = passed[0] if len(passed) == 1 else None
        return read(given.node, given.frame, far - 1) if isinstance(given, Bound) else None
    if not binding.path:
        return read(binding.value, frame, far - 1)
    if binding.path == ("each",) and read is _ending:
        return _of_each(binding.value, frame, far - 1)
    return None
