"""What a method does with the attributes of its object, and in which order, apart from all else in it.

Two texts of a method with the same accesses set, read and delete the same attributes under the same statements: nothing
can be unset after one that was set after the other. A local function moved out of a method is the usual case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, is_attribute, self_name, within
from dlfix.project.trees import children, kept

Shape: TypeAlias = "tuple[str | Shape, ...]"

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Pass)
_CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
_STEPS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_BLOCKS = frozenset({"body", "orelse", "handlers", "finalbody", "cases"})
_NOT_ASKED = frozenset({"value", "exc", "cause", "targets"})  # of `return`, `raise`, `del`


def keeps(before: Class, after: Class) -> bool:
    """Return whether all methods of a class access its attributes as before, and its body is the same but for methods."""
    return _class_body(before) == _class_body(after)


def _class_body(cls: Class) -> list[Shape | str]:
    node = cls.node
    head = [ast.dump(each) for each in (*node.bases, *node.keywords, *node.decorator_list)]
    return head + [
        _accesses(each) if isinstance(each, FUNCTIONS) else ast.dump(each) for each in node.body
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
    nodes = list(within(function.body))
    named = sum(isinstance(node, ast.Name) and node.id == owner for node in nodes)
    return named > sum(is_attribute(node, owner) for node in nodes) or any(
        isinstance(node, ast.Name) and node.id == "super" for node in nodes
    )


def _within(nodes: Iterable[ast.AST], owner: str) -> Shape:
    return tuple(shape for node in nodes if (shape := _shape(node, owner)))


def _shape(node: ast.AST, owner: str) -> Shape:
    """Return the accesses in a piece of code; empty where it has none and does not change what runs next."""
    if is_attribute(node, owner):
        return (type(node.ctx).__name__, node.attr)
    if isinstance(node, (*_SCOPES, *_CONDITIONAL)):
        return (ast.dump(node),) if _within(children(node), owner) else ()
    if isinstance(node, _STEPS) and not isinstance(node, _SIMPLE):
        return (type(node).__name__, *_header(node), *_blocks(node, owner))
    return _within(children(node), owner)


def _header(node: ast.AST) -> Iterator[str]:
    """Yield the words by which a statement decides what runs next."""
    for field, value in ast.iter_fields(node):
        if field not in _BLOCKS | _NOT_ASKED:
            yield f"{field} {[ast.dump(v) if isinstance(v, ast.AST) else v for v in _listed(value)]}"


def _blocks(node: ast.AST, owner: str) -> Iterator[Shape]:
    """Yield the accesses in each block of a statement, and in what it returns, raises or deletes."""
    for field, value in ast.iter_fields(node):
        if field in _BLOCKS | _NOT_ASKED:
            yield _within((each for each in _listed(value) if each is not None), owner)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]
