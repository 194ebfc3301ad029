"""Names that each process gives values in the order of a set of its own, and that workers may read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    executed,
    last_part,
    stored_names,
    within,
)

_SETS = frozenset({"set", "frozenset"})
_SORTED = frozenset("sorted len min max sum any all".split()) | _SETS
_LISTED = frozenset(
    "list tuple enumerate zip map filter iter dict fromkeys join array tensor".split()
)
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def check(change: FileChange, at_import: Sequence[ast.stmt]) -> Iterator[Regression]:
    """Yield names that import makes of a set's items in their order, and that a function or class reads."""
    lines = [each for each in at_import if not isinstance(each, _DEFINITIONS)]
    sets = {
        name
        for each in lines
        if isinstance(each, (ast.Assign, ast.AnnAssign)) and _is_set(each.value, set())
        for name in stored_names(each)
    }
    ordered: set[str] = set()
    for each in lines:
        if _is_listed(each, sets) or _names(each) & ordered:
            ordered |= stored_names(each)
    for definition in (each for each in at_import if isinstance(each, _DEFINITIONS)):
        for name in sorted(_names(definition) & ordered):
            yield change.regression(
                name,
                definition,
                f"`{name}` is in the order of a set, which is another in each process, and a worker may read it "
                f"(line {definition.lineno})",
            )
            return


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in within(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _is_set(node: ast.AST | None, names: set[str]) -> bool:
    match node:
        case ast.Set(elts=items):
            return any(
                not isinstance(each, ast.Constant) or isinstance(each.value, str) for each in items
            )
        case ast.SetComp():
            return True
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right):
            return _is_set(left, names) or _is_set(right, names)
        case ast.Call(func=func, args=args):
            is_of_range = any(
                isinstance(a, ast.Call) and last_part(a.func) == "range" for a in args
            )
            return last_part(func) in _SETS and not is_of_range
    return False


def _is_listed(node: ast.AST, sets: set[str]) -> bool:
    """Return whether code goes through a set, whose order what it makes has."""
    passed = {
        id(argument)
        for call in executed(node)
        if isinstance(call, ast.Call) and last_part(call.func) in _SORTED
        for argument in call.args
    }
    for each in executed(node):
        if id(each) in passed:
            continue
        gone_through: list[ast.expr] = []
        if isinstance(each, ast.Call) and last_part(each.func) in _LISTED:
            gone_through = each.args
        elif isinstance(each, COMPREHENSIONS) and not isinstance(each, ast.SetComp):
            gone_through = [part.iter for part in each.generators]
        elif isinstance(each, ast.For):
            gone_through = [each.iter]
        if any(_is_set(part, sets) for part in gone_through):
            return True
    return False


__all__ = ["check"]
