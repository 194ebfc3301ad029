"""Which of two nodes of one file comes first, to the character: `a = 1; f()` are two places on one line.

Where no loop leads back, what comes first is evaluated first. `flow` and `facts.flow` say what reaches what through
branches and loops. No other module compares rows: a row is what is printed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N", bound=ast.AST)
Place = tuple[int, int]


def start(node: ast.AST) -> Place:
    """Return where a node begins; the beginning of the file where it has no place of its own."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def end(node: ast.AST) -> Place:
    """Return where a node ends."""
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def begins_before(one: ast.AST, other: ast.AST) -> bool:
    """Return whether a node begins before another does; it may have the other in it."""
    return start(one) < start(other)


def comes_before(one: ast.AST, other: ast.AST) -> bool:
    """Return whether a node ends before another begins."""
    return end(one) <= start(other)


def lies_in(inner: ast.AST, outer: ast.AST) -> bool:
    """Return whether the text of a node is part of that of another, or the same."""
    return start(outer) <= start(inner) and end(inner) <= end(outer)


def in_order(nodes: Iterable[N]) -> list[N]:
    """Return nodes in the order in which they begin."""
    return sorted(nodes, key=start)


def first_row(statement: ast.stmt) -> int:
    """Return the row that a statement begins on, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])
