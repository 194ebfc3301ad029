"""The names under which code calls what it was handed: a pool's `map` that a function returns, yields or takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlfix.project.holding import enclosing_name, parameters_at
from dlfix.project.module import Module
from dlfix.project.syntax import defaults, last_name

if TYPE_CHECKING:
    from dlfix.project.project import Project

_CHOOSING = (ast.IfExp, ast.BoolOp)
Names = dict[Module, set[str]]


def names_handed_on(project: Project, modules: Iterable[Module], names: set[str]) -> Names:
    """Return, module by module, the parameters and local names that may stand for one of these callables."""
    found: Names = {}
    givers: set[str] = set()
    for module in modules:
        for name in names:
            for node in module.nodes_by_name.get(name, ()):
                givers |= {*_givers(module, node)}
                for where, handed in _takers(project, module, node):
                    found.setdefault(where, set()).add(handed)
    for giver in sorted(givers):
        for module in project.mentions(giver):
            found.setdefault(module, set()).update(_bound_to(module, giver))
    return found


def _chosen(module: Module, node: ast.expr) -> tuple[ast.expr, ast.AST | None]:
    """Return the whole of `a if x else b` around a value, and what that stands in."""
    parent = module.parent(node)
    while isinstance(parent, _CHOOSING):
        node, parent = parent, module.parent(parent)
    return node, parent


def _givers(module: Module, node: ast.expr) -> Iterator[str]:
    """Yield the function that returns or yields a callable."""
    node, parent = _chosen(module, node)
    if isinstance(parent, (ast.Return, ast.Yield)):
        yield enclosing_name(module, node)


def _takers(project: Project, module: Module, node: ast.expr) -> Iterator[tuple[Module, str]]:
    """Yield the parameters that a callable is passed to, or is the default of."""
    node, parent = _chosen(module, node)
    if isinstance(parent, ast.arguments):
        yield from ((module, name) for name in _parameters_with_default(parent, node))
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or node is call.func:
        return
    called = last_name(call.func)
    for other in project.mentions(called) if called and project.defines(called) else ():
        for function in other.functions_by_name.get(called, ()):
            if isinstance(parent, ast.keyword):
                args = function.args
                known = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
                yield from ((other, name) for name in known & {parent.arg})
            else:
                yield from ((other, n) for n in parameters_at(function, call.args.index(node)))


def _parameters_with_default(arguments: ast.arguments, default: ast.expr) -> Iterator[str]:
    yield from (name for name, value in defaults(arguments).items() if value is default)


def _bound_to(module: Module, giver: str) -> Iterator[str]:
    """Yield the local names that a module binds to what a function gives."""
    for call in module.calls_by_name.get(giver, ()):
        parent = module.parent(call)
        targets = getattr(parent, "targets", [getattr(parent, "target", None)])
        targets = [*targets, getattr(parent, "optional_vars", None)]
        yield from (each.id for each in targets if isinstance(each, ast.Name))


__all__ = ["names_handed_on"]
