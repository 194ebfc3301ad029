"""Code that looks an attribute up in the `__dict__` of its object, which a property keeps elsewhere now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import is_cached
from dlfix.project.module import enclosing_function


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where code asks `"file" in self.__dict__`, or takes it out there, of what is no longer kept there."""
    for name, getter in change.lazy.items():
        before = change.before.getters.get(name)
        was_there = before is None or is_cached(before)
        if is_cached(getter) or not was_there or any(_looks_up(n, name) for n in ast.walk(getter)):
            continue
        for module in change.new.project.mentions(name):
            for node in module.nodes(ast.Compare, ast.Subscript, ast.Call):
                function = enclosing_function(module, node)
                if _looks_up(node, name) and getattr(function, "name", "") not in STATE:
                    yield change.regression(
                        getter,
                        f"`{name}` is looked up in a `__dict__` ({module.path.name}:{node.lineno}), where "
                        "the new property does not keep it",
                    )
                    return


def _looks_up(node: ast.AST, name: str) -> bool:
    match node:
        case (
            ast.Compare(
                left=ast.Constant(value=asked), ops=[ast.In() | ast.NotIn()], comparators=[held]
            )
            | ast.Subscript(value=held, slice=ast.Constant(value=asked))
            | ast.Call(
                func=ast.Attribute(value=held, attr="get" | "pop" | "setdefault"),
                args=[ast.Constant(value=asked), *_],
            )
        ):
            return asked == name and _is_instance_dict(held)
    return False


def _is_instance_dict(node: ast.expr) -> bool:
    """Return whether an expression is the `__dict__` of something: `self.__dict__`, `vars(rows)`."""
    match node:
        case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[_]):
            return True
    return False


__all__ = ["check"]
