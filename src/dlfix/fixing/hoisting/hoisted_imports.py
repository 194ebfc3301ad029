"""Imports of a function or of the main guard that may stand at module level as well."""

from __future__ import annotations

import ast
import re
import sys

from dlfix.fixing.classes.text import comments_of
from dlfix.fixing.hoisting.captures import guard_of, has_its_line
from dlfix.project.module import Module, Scope

_DEFINITIONS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip

# What tells a linter that the import may stand in a function: at module level nothing asks.
_ABOUT_ITS_PLACE = re.compile(
    r"#\s*(?:pylint:\s*disable=(?:import-outside-toplevel|C0415)|noqa:\s*PLC0415)\s*"
)


def statement_of(module: Module, binder: Scope, name: str) -> ast.stmt | None:
    """Return the import statement that binds a name, if it may go to module level; else None."""
    statements = {each.statement for each in binder.bindings[name]}
    statement = statements.pop()
    if statements or not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return None
    if not has_its_line(module, statement) or any(a.name == "*" for a in statement.names):
        return None
    above, beside = comments_of(module, statement)
    if above or (beside and not _ABOUT_ITS_PLACE.fullmatch(beside)):
        return None
    if binder.is_module:
        return statement if _begins_guard(module, statement) else None
    is_free = not {a.asname or a.name for a in statement.names} & module.scope.bindings.keys()
    is_plain = module.parent(statement) is binder.node
    return statement if is_free and is_plain and _costs_nothing(module, statement) else None


def _begins_guard(module: Module, statement: ast.stmt) -> bool:
    """Return whether only imports and definitions stand above it under the guard: none that it needs."""
    guard = module.parent(statement)
    if not isinstance(guard, ast.If) or guard is not guard_of(module, statement):
        return False
    if statement not in guard.body:
        return False
    return all(isinstance(each, _DEFINITIONS) for each in guard.body[: guard.body.index(statement)])


def _costs_nothing(module: Module, statement: ast.Import | ast.ImportFrom) -> bool:
    """Return whether the module imports the same packages anyway, or they are Python's own."""
    known = {root for each in module.tree.body for root in _roots(each)}
    return _roots(statement) <= known | sys.stdlib_module_names


def _roots(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Import(names=aliases):
            return {each.name.partition(".")[0] for each in aliases}
        case ast.ImportFrom(module=str() as name, level=0):
            return {name.partition(".")[0]}
        case ast.ImportFrom():
            return {""}  # of the project itself: it may import this module
    return set()
