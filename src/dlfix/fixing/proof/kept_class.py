"""What code does with a class that a call gives: it makes objects of it, or reads what it has; the rest is told."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import dotted
from dlfix.fixing.proof.value_flow import places_of
from dlfix.fixing.proof.writes import changes_in_place
from dlfix.project.module import Module

Place: TypeAlias = "tuple[Module, ast.expr]"
_CHANGING = frozenset({"register", "mro"})
_SHOWN = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})


def uses_of(program: Program, home: Module, name: str) -> Iterator[Place]:
    """Yield where a name of a module is read or set, in the module or in others; also where that may be so."""
    for module in program.project.mentions(name):
        for written in {name, *module.aliases_of(name)}:
            for node in module.nodes_by_name.get(written, ()):
                if _may_be(program, home, module, node):
                    yield module, node


def _may_be(program: Program, home: Module, module: Module, node: ast.Name | ast.Attribute) -> bool:
    if isinstance(node, ast.Attribute):
        of_self = program.class_of_self(module, node.value) is not None
        return not of_self and not program.is_of_library(module, node)
    scope = module.scope_of(node).lookup(node.id)
    if scope is None:
        return any(alias.name == "*" for alias in module.nodes(ast.alias))
    if scope is home.scope:
        return True
    imports = [each for each in scope.bindings.get(node.id, ()) if each.kind == "import"]
    return any(not program.is_from_library(module, each.statement) for each in imports)


def strays(program: Program, module: Module, made: ast.expr) -> Iterator[tuple[Module, ast.AST]]:
    """Yield where a class that an expression gives is used otherwise, or goes on where nobody sees it."""
    places = places_of(program, module, made)
    if places is None:
        yield module, made
    for home, node in places or ():
        if isinstance(node, ast.expr) and not _is_plain(program, home, node):
            yield home, node


def _is_plain(program: Program, module: Module, node: ast.expr) -> bool:
    """Return whether a place calls a class, reads an attribute of it, or hands it on to code of the program."""
    above = module.parent(node)
    match above:
        case ast.Attribute(attr=name, ctx=ast.Load()):
            is_shown = not name.startswith("__") or name in _SHOWN
            return is_shown and name not in _CHANGING and not changes_in_place(module, above)
        case ast.Assign(value=value, targets=[ast.Name()]):
            return value is node
        case ast.IfExp(test=test):
            return test is not node
        case ast.keyword():
            above = module.parent(above)
        case ast.Return() | ast.Expr():
            return True
    if not isinstance(above, ast.Call):
        return False
    is_builtin = isinstance(above.func, ast.Name) and not program.bound(module, dotted(above.func))
    handed_on = not is_builtin and not program.is_of_library(module, above.func)
    return above.func is node or handed_on


__all__ = ["Place", "strays", "uses_of"]
