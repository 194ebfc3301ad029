"""Paths at which code has found that there is no file yet: what it writes there is no file that is open already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.syntax import dotted, executed, last_part
from dlfix.project.module import Module
from dlfix.project.order import lies_in

_ASKS = frozenset({"os.path.exists", "os.path.isfile", "path.exists", "path.isfile"})
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ASKS_OF_OWNER = frozenset({"exists", "is_file"})


def not_there(module: Module, node: ast.expr, body: list[ast.stmt]) -> set[str]:
    """Return the names of the paths that a body has found to be free before it evaluates a node."""
    return {name for name in _free(module, node) if _is_bound_once(name, body)}


def _free(module: Module, node: ast.expr) -> Iterator[str]:
    child: ast.AST = node
    for above in module.ancestors(node):
        if isinstance(above, ast.If):
            if any(each is child for each in above.body):
                yield from _missing_if(above.test, holds=True)
            elif any(each is child for each in above.orelse):
                yield from _missing_if(above.test, holds=False)
        for block in _blocks(above):
            if any(each is child for each in block):
                yield from _left_behind(block, child)
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return
        child = above


def _left_behind(block: list[ast.stmt], last: ast.AST) -> Iterator[str]:
    """Yield what is free after `if os.path.exists(path): return ...`."""
    for statement in block:
        if statement is last:
            return
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES):
            yield from _missing_if(statement.test, holds=False)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for part in ("body", "orelse", "finalbody"):
        block = getattr(node, part, None)
        if isinstance(block, list):
            yield block


def _missing_if(test: ast.expr, *, holds: bool) -> Iterator[str]:
    """Yield the paths without a file if a test holds, or does not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            yield from _missing_if(inner, holds=not holds)
        case ast.BoolOp(op=op, values=parts) if isinstance(op, ast.And) is holds:
            for part in parts:
                yield from _missing_if(part, holds=holds)
        case ast.Call() if not holds and (path := _asked(test)):
            yield path


def _asked(call: ast.Call) -> str:
    """Return the name of the path of which a call asks whether it is there."""
    match call:
        case ast.Call(func=func, args=[path]) if dotted(func) in _ASKS:
            return dotted(path)
        case ast.Call(func=ast.Attribute(value=path), args=[]):
            return dotted(path) if last_part(call.func) in _ASKS_OF_OWNER else ""
    return ""


def _is_bound_once(name: str, body: list[ast.stmt]) -> bool:
    """Return whether a name means the same path wherever a body reads it."""
    root = name.partition(".")[0]
    stores = [
        node
        for node in executed(body)
        if isinstance(node, (ast.Name, ast.Attribute))
        and not isinstance(node.ctx, ast.Load)
        and dotted(node) in (root, name)
    ]
    nested = [one for one in stores for other in stores if one is not other and lies_in(one, other)]
    return len(stores) - len(nested) <= 1


__all__ = ["not_there"]
