"""Tables in which an object keeps its own methods: `self.handlers = {"stop": self.stop}`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.syntax import first_parameter, is_attribute_of, is_name
from dlfix.project.trees import summary, walk
from dlfix.reach.evaluator import Def


@summary
def filled(node: Def) -> dict[str, frozenset[str]]:
    """Return the attributes that a method only puts into tables of its object, by table.

    A method that is put there runs where the table is read.
    """
    me, found = first_parameter(node), dict[str, set[ast.Attribute]]()
    for statement in walk(node):
        for table, value in _entered(statement, me):
            found.setdefault(table, set()).update(_leaves(value, me))
    entries = {inner for each in found.values() for inner in each}
    others = {
        inner.attr for inner in walk(node)
        if isinstance(inner, ast.Attribute) and is_name(inner.value, me) and inner not in entries
    }  # fmt: skip
    return {table: frozenset(i.attr for i in each) - others for table, each in found.items()}


@summary
def read(node: Def) -> frozenset[str]:
    """Return the attributes that a method reads on its own object, except to put something in."""
    me = first_parameter(node)
    tables = {_table_of(each) for each in walk(node) if next(_entered(each, me), None) is not None}
    return frozenset(
        inner.attr for inner in walk(node)
        if isinstance(inner, ast.Attribute) and is_name(inner.value, me)
        and isinstance(inner.ctx, ast.Load) and inner not in tables
    )  # fmt: skip


def _table_of(statement: ast.AST) -> ast.expr | None:
    """Return the table that a statement puts something into."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=table)]):
            return table
        case ast.Assign(targets=[table]) | ast.AnnAssign(target=table):
            return table
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=table, attr="update" | "append" | "extend"))
        ):
            return table
    return None


def _entered(statement: ast.AST, me: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield the tables of its own object that a statement fills, each with what it puts there."""
    table = _table_of(statement)
    if not is_attribute_of(table, me):
        return
    match statement:
        case ast.Assign(targets=[ast.Subscript()], value=value):
            yield table.attr, value
        case ast.Assign(value=ast.Dict() | ast.List() | ast.Tuple() as value):
            yield table.attr, value
        case ast.AnnAssign(value=ast.Dict() | ast.List() | ast.Tuple() as value):
            yield table.attr, value
        case ast.Expr(value=ast.Call(args=values, keywords=keywords)):
            yield from ((table.attr, each) for each in values)
            yield from ((table.attr, each.value) for each in keywords)


def _leaves(value: ast.expr, me: str) -> Iterator[ast.Attribute]:
    """Yield the attributes of an object among the items of a display, and of those in it."""
    match value:
        case ast.Dict(values=items) | ast.List(elts=items) | ast.Tuple(elts=items):
            for item in items:
                yield from _leaves(item, me)
        case ast.Attribute() if is_name(value.value, me):
            yield value
