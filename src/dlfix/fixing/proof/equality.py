"""Where a program may compare objects of a class, and which fields a generated `__eq__` compares."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange
from dlfix.fixing.proof.objects import may_go_by
from dlfix.fixing.proof.program import Class
from dlfix.project.holding import ANYWHERE
from dlfix.project.module import Module

_COMPARES = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
# Methods of lists that compare their argument with each item.
_OF_LISTS = ("index", "count", "remove")


def field_options(field: ast.AnnAssign) -> dict[str | None, object]:
    """Return what a declaration says of a field by constants: `field(init=False)`."""
    given = field.value.keywords if isinstance(field.value, ast.Call) else []
    return {k.arg: k.value.value for k in given if isinstance(k.value, ast.Constant)}


def compares_field(cls: Class, field: ast.AnnAssign) -> bool:
    """Return whether the `__eq__` that a dataclass gets compares a field."""
    options = field_options(field)
    if "__eq__" in cls.methods or options.get("compare", options.get("eq")) is False:
        return False
    return not any(
        keyword.arg == "eq"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is False
        for decorator in cls.node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
    )


def equality_questions(change: ClassChange) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where code may ask whether an object of a class equals another."""
    family, project = change.new.family(change.after), change.new.project
    names = {each.name for each in family} | (change.new.given_names(change.after) - {ANYWHERE})
    modules = {
        each: None for name in (*sorted(names), *_OF_LISTS) for each in project.mentions(name)
    }
    for module in modules:
        for node, compared in _compared(module):
            if any(may_go_by(change, module, _whole(each), family) for each in compared):
                yield module, node


def _whole(node: ast.expr) -> ast.expr:
    """Return what an item is of: `rows.shards` for `rows.shards[1]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _compared(module: Module) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """Yield what compares values that are no constants, with these."""
    for node in module.nodes(ast.Compare):
        sides = [node.left, *node.comparators]
        is_known = any(isinstance(each, ast.Constant) for each in sides)
        if not is_known and any(isinstance(each, _COMPARES) for each in node.ops):
            yield node, sides
    for name in _OF_LISTS:
        for call in module.calls_by_name.get(name, ()):
            yield call, [each for each in call.args if not isinstance(each, ast.Constant)]


__all__ = ["compares_field", "equality_questions", "field_options"]
