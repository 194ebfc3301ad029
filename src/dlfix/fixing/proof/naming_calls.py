"""Calls of libraries that name what they make after the functions in a list: the columns of `frame.agg([spread])`."""

from __future__ import annotations

import ast
from functools import cache

from dlfix.catalog import NamingRow, load
from dlfix.fixing.proof.flow_targets import Targets
from dlfix.fixing.proof.syntax import last_part
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module


def names_by(
    targets: Targets, module: Module, call: ast.Call, given: ast.AST, keyword: str
) -> bool:
    """Return whether a call goes by the names of the functions that one of its arguments may hold."""
    if last_part(call.func) not in _words() or _are_pairs(given):
        return False
    return any(_takes(row, call, given, keyword) for row in _rows(targets, module, call.func))


@cache
def _words() -> frozenset[str]:
    """Return the last names of all such calls."""
    rows = [*load().rows("naming")]
    return frozenset(n.rpartition(".")[2] for row in rows for n in (row.name, *row.aliases))


def _rows(targets: Targets, module: Module, func: ast.expr) -> list[NamingRow]:
    """Return the rows of what a call may run: a library's function, or a method that the project does not have."""
    named = isinstance(func, (ast.Name, ast.Attribute))
    known = load().naming(ImportTime(module.tree).full_name(func)) if named else None
    if known is not None:
        return [known]
    if not isinstance(func, ast.Attribute) or not targets.is_nobodys(module, func):
        return []
    rows = load().naming_methods.get(func.attr, [])
    return [row for row in rows if any(targets.program.project.mentions(row.of))]


def _are_pairs(given: ast.AST) -> bool:
    """Return whether an argument has a name of its own for each function: `[("spread", f)]`."""
    items = given.elts if isinstance(given, ast.List) else [given]
    return all(isinstance(each, (ast.Tuple, ast.Constant)) for each in items)


def _takes(row: NamingRow, call: ast.Call, given: ast.AST, keyword: str) -> bool:
    if keyword:
        return keyword in row.functions
    if given not in call.args or any(isinstance(each, ast.Starred) for each in call.args):
        return isinstance(given, (ast.Starred, ast.keyword))
    index = call.args.index(given)
    return index < len(row.parameters) and row.parameters[index] in row.functions


__all__ = ["names_by"]
