"""The calls of special methods, and of properties, that syntax makes, as calls: `a | b` as `a.__or__(b)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.implied_calls import implied
from dlfix.fixing.proof.program import is_getter
from dlfix.fixing.proof.syntax import COMPREHENSIONS, Function
from dlfix.project.trees import kept

_OPERATES = (ast.BinOp, ast.AugAssign, ast.Compare, ast.Subscript)


class Implied(ast.Call):
    """A call that no call expression makes."""


@kept
def special_calls(node: ast.AST) -> tuple[ast.Call, ...]:
    """Return the calls of special methods, and of properties, that running a node makes itself, and those at its end."""
    asked = [each for part in _parts(node) for each in (*implied(part), *_more(part))]
    return (
        *(
            special_call(node, name, held, _given(node, held))
            for name, held in asked
            if name != "__call__"
        ),
        *(special_call(node, method, owner, given) for method, owner, given in _of_targets(node)),
    )


def may_be_run_by(method: Function, call: ast.Call) -> bool:
    """Return whether a method may run as a call says: where an attribute is only read, a property alone."""
    special = method.name.startswith("__") and method.name.endswith("__")
    return not isinstance(call, Implied) or special or is_getter(method)


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return a node and those parts of it that have no place of their own."""
    match node:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [node, *items]
        case ast.withitem() | ast.comprehension():
            return []
    return [node, *node.generators] if isinstance(node, COMPREHENSIONS) else [node]


def _more(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the methods that run in turn, or where a node waits, and the property that it may read."""
    match node:
        case ast.For(iter=held) | ast.comprehension(iter=held):
            yield "__next__", held
        case ast.AsyncFor(iter=held):
            yield from (("__aiter__", held), ("__anext__", held))
        case ast.AsyncWith(items=items):
            for each in items:
                yield from (("__aenter__", each.context_expr), ("__aexit__", each.context_expr))
        case ast.Starred(value=held) | ast.YieldFrom(value=held):
            yield "__next__", held
        case ast.Await(value=held):
            yield "__await__", held
        case ast.Attribute(value=held, attr=name, ctx=ast.Load()):
            yield from ((name, held), ("__getattr__", held))


def _of_targets(node: ast.AST) -> Iterator[tuple[str, ast.expr, tuple[ast.expr, ...]]]:
    """Yield the methods that run where an item or an attribute is set or deleted."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                match target:
                    case ast.Subscript(value=held, slice=key):
                        yield "__setitem__", held, (key, value)
                    case ast.Attribute(value=held, attr=name):
                        yield "__setattr__", held, (ast.Constant(name), value)
        case ast.Delete(targets=targets):
            for target in targets:
                if isinstance(target, ast.Attribute):
                    yield "__delattr__", target.value, (ast.Constant(target.attr),)


def _given(node: ast.AST, owner: ast.expr) -> tuple[ast.expr, ...]:
    """Return what a method of one operand gets: the others."""
    children = ast.iter_child_nodes(node) if isinstance(node, _OPERATES) else ()
    return tuple(each for each in children if isinstance(each, ast.expr) and each is not owner)


def special_call(
    node: ast.AST, method: str, owner: ast.expr, given: tuple[ast.expr, ...] = ()
) -> Implied:
    """Return the call of a special method that running a node makes."""
    # What a block asks first comes before the block, and all else at its end.
    first = isinstance(node, (ast.If, ast.IfExp)) or method.endswith("enter__")
    place = owner if first else node
    func = ast.copy_location(ast.Attribute(owner, method, ast.Load()), place)
    return ast.copy_location(Implied(func, [*given], []), place)


__all__ = ["Implied", "may_be_run_by", "special_call", "special_calls"]
