"""Code that runs only where dill or cloudpickle is there, which pickle a lambda by its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import DEFINITIONS, dotted, last_name
from dlfix.project.trees import kept, walk

if TYPE_CHECKING:
    from dlfix.project.module import Module

_PARTS = re.compile("[A-Z]?[a-z]+|[A-Z]+")  # of `skipIfNoDill`, `HAS_DILL`
_WORDS = ("dill", "DILL", "Dill", "cloudpickle", "CLOUDPICKLE", "CloudPickle")
_SKIPS = frozenset({"importorskip", "skip"})
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@kept
def is_left_to_another(node: ast.AST, module: Module) -> bool:
    """Return whether a node is evaluated only where the program has found another pickler than that of Python."""
    if not any(module.says(word) for word in _WORDS):
        return False
    child = node
    for above in module.ancestors(node):
        if any(_asks_for_one(test, holds=holds) for test, holds in _conditions(child, above)):
            return True
        decorators = above.decorator_list if isinstance(above, DEFINITIONS) else []
        if any(map(_names_one, decorators)):
            return True
        child = above
    return False


def _conditions(child: ast.AST, above: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests that decide whether a part of a node is come to, each with how it must come out."""
    match above:
        case ast.IfExp(test=test, body=body, orelse=orelse) if child in (body, orelse):
            yield test, child is body
        case ast.If(test=test, body=body, orelse=orelse) if child in body or child in orelse:
            yield test, child in body
    for block in (getattr(above, name, None) for name in ("body", "orelse", "finalbody")):
        if isinstance(block, list) and child in block:
            for earlier in block[: block.index(child)]:
                yield from _left_by(earlier)


def _left_by(statement: ast.stmt) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what holds below a statement that may leave: `if not HAS_DILL: return`, `importorskip("dill")`."""
    match statement:
        case ast.If(test=test, body=[*_, last], orelse=[]) if _leaves(last):
            yield test, False
        case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
            if last_name(call.func) == "importorskip":
                yield call, True


def _leaves(statement: ast.stmt) -> bool:
    skips = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return isinstance(statement, _LEAVES) or (
        skips and last_name(statement.value.func) in _SKIPS | {"skipTest"}  # type: ignore[attr-defined]
    )


def _asks_for_one(test: ast.expr, *, holds: bool) -> bool:
    """Return whether a test that comes out so has found such a pickler."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _asks_for_one(inner, holds=not holds)
        case ast.BoolOp(op=op, values=parts):
            each = [_asks_for_one(part, holds=holds) for part in parts]
            return any(each) if isinstance(op, ast.And) is holds else all(each)
        case ast.Compare(ops=[ast.Is() | ast.NotEq()]):
            return not holds and _names_one(test)
    return holds and _names_one(test)


def _names_one(node: ast.expr) -> bool:
    """Return whether an expression has dill or cloudpickle in a name or a text: `HAS_DILL`, `"dill"`."""
    words = (
        each.value if isinstance(each, ast.Constant) else dotted(each)
        for each in walk(node)
        if isinstance(each, (ast.Constant, ast.Name, ast.Attribute))
    )
    return any(isinstance(word, str) and _is_name_of_one(word) for word in words)


def _is_name_of_one(word: str) -> bool:
    return "dill" in map(str.lower, _PARTS.findall(word)) or "cloudpickle" in word.lower()


__all__ = ["is_left_to_another"]
