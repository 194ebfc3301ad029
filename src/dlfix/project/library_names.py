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


__all__ = ["imported_as", "uses"]
