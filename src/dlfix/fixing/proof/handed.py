"""Functions that are only handed to libraries: by which names a program could ask something of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS, last_part, within
from dlfix.project.module import Module

# Modules whose calls give something that holds the function, or ask it themselves.
_PASSES_ON = frozenset(
    {"functools", "inspect", "builtins", "types", "operator", "itertools", "toolz"}
)
_HOLDERS = (ast.List, ast.Tuple, ast.Starred)


def known_as(program: Program, module: Module, functions: Iterable[ast.AST]) -> set[str] | None:
    """Return the names by which code could come to some functions; None where it could be any name."""
    found: set[str] = set()
    for function in functions:
        uses = _uses(module, function)
        if isinstance(function, ast.ClassDef) or not uses:
            return None
        found.add(getattr(function, "name", "<lambda>"))
        for use in uses:
            keyword = _handed_to_library(program, module, use)
            if keyword is None:
                return None
            found.add(keyword)
    return found


def is_about(module: Module, node: ast.AST, names: set[str] | None) -> bool:
    """Tell whether what a node asks may be asked of something that goes by one of some names."""
    if names is None:
        return True
    asked: ast.AST = node
    for above in module.ancestors(node):
        if isinstance(above, (ast.stmt, ast.Lambda)):
            break
        asked = above
        if isinstance(above, (ast.Call, ast.Compare)):
            break
    words = {last_part(n) for n in within(asked) if isinstance(n, (ast.Name, ast.Attribute))}
    return not words.isdisjoint(names)


def _uses(module: Module, function: ast.AST) -> list[ast.AST]:
    """Return where a function's value is taken: a lambda itself, or each read of a name."""
    if isinstance(function, ast.Lambda):
        return [function]
    if not isinstance(function, FUNCTIONS) or function.decorator_list:
        return []
    scope = module.scope_of(function)
    if len(scope.bindings.get(function.name, ())) != 1:
        return []
    return [
        read
        for inner in scope.walk()
        if inner.lookup(function.name) is scope
        for read in inner.reads.get(function.name, ())
    ]


def _handed_to_library(program: Program, module: Module, use: ast.AST) -> str | None:
    """Return the keyword under which a library gets a function, or an empty text; None where none does."""
    parent, keyword = module.parent(use), ""
    while isinstance(parent, (ast.keyword, *_HOLDERS)):
        keyword = parent.arg or keyword if isinstance(parent, ast.keyword) else keyword
        use, parent = parent, module.parent(parent)
    if not isinstance(parent, ast.Call):
        return None
    if parent.func is use:
        return ""  # it is called
    return keyword if _is_of_library(program, module, parent.func) else None


def _is_of_library(program: Program, module: Module, func: ast.expr) -> bool:
    root = func
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or program.resolve(module, func) is not None:
        return False
    scope = module.scope_of(root).lookup(root.id)
    bindings = scope.bindings.get(root.id, []) if scope is not None else []
    origins = {_origin(each.statement, root.id) for each in bindings}
    return bool(origins) and all(
        origin and origin not in _PASSES_ON and program.project.find(origin, module) is None
        for origin in origins
    )


def _origin(statement: ast.AST, name: str) -> str:
    """Return the package from which a statement imports a name; empty where it does not."""
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").partition(".")[0] if not statement.level else ""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                return alias.name.partition(".")[0]
    return ""


__all__ = ["is_about", "known_as"]
