"""Code that looks an attribute up in the `__dict__` of its object, which a property keeps elsewhere now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import is_cached
from dlfix.project.module import Module, enclosing_function
from dlfix.project.syntax import attribute_named, attributes_of


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where code asks `"file" in self.__dict__`, or takes it out there, of what is no longer kept there."""
    for name, getter in change.lazy.items():
        before = change.before.getters.get(name)
        was_there = before is None or is_cached(before)
        if is_cached(getter) or not was_there or any(_looks_up(n, name) for n in ast.walk(getter)):
            continue
        found = next(_lookups(change, name), None)
        if found is not None:
            module, node = found
            yield change.regression(
                getter,
                f"`{name}` is looked up in a `__dict__` ({module.path.name}:{node.lineno}), where "
                "the new property does not keep it",
            )


def _lookups(change: ClassChange, name: str) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where code, that of state methods apart, looks an attribute up in a `__dict__`."""
    for module in change.new.project.mentions(name):
        if module.says("__dict__") or module.says("vars("):
            for node in module.nodes(ast.Compare, ast.Subscript, ast.Call):
                function = enclosing_function(module, node)
                if _looks_up(node, name) and getattr(function, "name", "") not in STATE:
                    yield module, node


def _looks_up(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Compare(
            left=ast.Constant(value=asked), ops=[ast.In() | ast.NotIn()], comparators=[held]
        ):
            return asked == name and attributes_of(held) is not None
        case ast.Subscript() | ast.Call(func=ast.Attribute()):
            named = attribute_named(node)
            return named is not None and named[1] == name
    return False


__all__ = ["check"]
