"""What a method does with the attributes of its object, and in which order, apart from all else in it.

Two texts of a method with the same accesses set, read and delete the same attributes under the same statements: nothing
can be unset after one that was set after the other. A local function moved out of a method is the usual case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeAlias

from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, is_attribute, self_name, within
from dlfix.project.trees import children, kept

Shape: TypeAlias = "tuple[str | Shape, ...]"

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Pass)
_CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.comprehension)
_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)


def keeps(before: Class, after: Class) -> bool:
    """Return whether all methods of a class access its attributes as before, and its body is the same but for methods."""
    return _class_body(before) == _class_body(after)


def _class_body(cls: Class) -> list[Shape | str]:
    return [
        _accesses(each) if isinstance(each, FUNCTIONS) else ast.dump(each) for each in cls.node.body
    ]


@kept
def _accesses(function: Function) -> Shape:
    """Return the accesses of a method, in the order of the text and below the statements that hold them."""
    owner = self_name(function)
    if function.name in STATE or _hands_on(function, owner):
        return (ast.dump(function),)
    head = (ast.dump(function.args), *map(ast.dump, function.decorator_list))
    return (function.name, *head, *_within(function.body, owner))


def _hands_on(function: Function, owner: str) -> bool:
    """Return whether a method does more with its object than name its attributes: who gets it may set any."""
    named = sum(isinstance(node, ast.Name) and node.id == owner for node in within(function.body))
    return named > sum(is_attribute(node, owner) for node in within(function.body))


def _within(nodes: Iterable[ast.AST], owner: str) -> Shape:
    return tuple(shape for node in nodes if (shape := _shape(node, owner)))


def _shape(node: ast.AST, owner: str) -> Shape:
    """Return the accesses in a piece of code; empty where it has none and does not change what runs next."""
    if is_attribute(node, owner):
        return (type(node.ctx).__name__, node.attr)
    inner = _within(children(node), owner)
    if isinstance(node, _SCOPES) and inner:
        return (ast.dump(node),)
    if isinstance(node, ast.stmt) and not isinstance(node, (*_SIMPLE, *_SCOPES)):
        return (_flow(node), *inner)
    return (type(node).__name__, *inner) if inner and isinstance(node, _CONDITIONAL) else inner


def _flow(node: ast.stmt) -> str:
    """Return the words by which a statement decides what runs next."""
    test = getattr(node, "test", None)
    return f"{type(node).__name__} {ast.dump(test) if test is not None else ''}"
