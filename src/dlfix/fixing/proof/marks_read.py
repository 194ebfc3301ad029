"""New `__setstate__` methods that read an attribute while it holds no more than a mark that it was set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import state
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.syntax import Function, executed, own_attributes, self_name
from dlfix.project.order import comes_before
from dlfix.project.syntax import attribute_named


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where an attribute is read of which the state only says that it was set, before it is set again."""
    restoring = change.after.methods.get("__setstate__")
    if restoring is None or not change.fresh(restoring):
        return
    for name in state.marked(change):
        read = _read_as_mark(restoring, name)
        if read is not None:
            yield change.regression(
                read,
                f"`{name}` is read (line {read.lineno}) where the instance is unpickled, when it only "
                "says whether it was set",
            )


def _read_as_mark(restoring: Function, name: str) -> ast.Attribute | None:
    """Return where a method reads an attribute other than to ask for its mark, before it removes or replaces that."""
    asked = {each for node in executed(restoring.body) for each in _test_of(node)}
    ends = [*_replaced(restoring, name)]
    for node in own_attributes(restoring, ast.Load):
        if node.attr != name or node in asked:
            continue
        if not any(comes_before(end, node) and node not in ast.walk(end) for end in ends):
            return node
    return None


def _test_of(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.If, ast.IfExp)):
        yield from ast.walk(node.test)


def _replaced(restoring: Function, name: str) -> Iterator[ast.AST]:
    """Yield what takes a mark out of the object, or puts something else in its place."""
    for node in executed(restoring.body):
        match node:
            case ast.Assign(targets=targets) if any(_is_of(restoring, t, name) for t in targets):
                yield node
            case ast.Call(func=ast.Attribute(attr="pop"), args=[ast.Constant(value=key), *_]):
                if key == name:
                    yield node
            case ast.Delete(targets=targets):
                yield from (each for each in targets if _is_of(restoring, each, name))


def _is_of(restoring: Function, target: ast.expr, name: str) -> bool:
    owner = self_name(restoring)
    if isinstance(target, ast.Attribute):
        return target.attr == name
    named = attribute_named(target)
    return named is not None and named[1] == name and ast.unparse(named[0]) == owner


__all__ = ["check"]
