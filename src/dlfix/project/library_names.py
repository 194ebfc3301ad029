"""By which names the code of a project uses something of a library."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import dotted

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project


def uses(project: Project, full: str) -> Iterator[tuple[Module, ast.Name | ast.Attribute]]:
    """Yield where code names something of a library, such as `os.chdir`: by whatever name imports give it."""
    last = full.rpartition(".")[2]
    for module in project.mentions(last):
        for name in (last, *sorted(module.aliases_of(last))):
            for node in module.nodes_by_name.get(name, ()):
                if imported_as(module, node) == full:
                    yield module, node


def imported_as(module: Module, node: ast.expr) -> str:
    """Return the dotted name that a name or an attribute has by an import; empty where its first name has none."""
    first, dot, rest = dotted(node).partition(".")
    scope = module.scope_of(node).lookup(first) if first else None
    for binding in scope.bindings.get(first, ()) if scope is not None else ():
        match binding.statement, binding.node:
            case ast.Import(), ast.alias(name=name, asname=asname):
                return (name if asname else first) + dot + rest
            case ast.ImportFrom(module=origin, level=level), ast.alias(name=name):
                return f"{'.' * level}{origin or ''}.{name}{dot}{rest}"
    return ""


def same_whenever(module: Module, call: ast.Call) -> bool:
    """Return whether a call does nothing, and gives the same, whenever it is made: by what is known of its name."""
    name = imported_as(module, call.func)
    if name:
        return name.partition(".")[0] in _SAME_MODULES
    if isinstance(call.func, ast.Attribute):  # `"a b".split()`
        return isinstance(call.func.value, ast.Constant)
    is_bound = isinstance(call.func, ast.Name) and module.scope_of(call).lookup(call.func.id)
    return not is_bound and getattr(call.func, "id", "") in _SAME_BUILTINS


# What makes values, fields and types, from its arguments alone.
_SAME_MODULES = frozenset(
    "abc attr attrs collections ctypes dataclasses decimal enum fractions functools itertools math operator pathlib"
    " pydantic re string struct types typing typing_extensions".split()
)
_SAME_BUILTINS = frozenset(
    "abs all any bool bytes chr classmethod complex dict divmod enumerate filter float frozenset int len list map max min"
    " object ord pow property range repr reversed round set slice sorted staticmethod str sum super tuple type zip".split()
)

__all__ = ["imported_as", "same_whenever", "uses"]
