"""Who makes an object through another name: a variable, a parameter or a registry that holds its class."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dlfix.fixing.proof.syntax import Function, last_part
from dlfix.project.holding import Holding, Passing

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project

_ASKING = frozenset({"isinstance", "issubclass", "super"})
_MOST_MODULES = 24  # a name in more modules than these is too common to follow
_MOST_NAMES = 40  # beyond, names say nothing: a program in which any name may hold any class
_ROUNDS = 3  # a registry of registries


def made_through(
    project: Project, home: Module, cls: ast.ClassDef, hooks: Mapping[Function, Module]
) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls of what may hold a class, other than by its own name.

    `hooks` are the methods of its bases that get each class that derives from them, with their modules.
    """
    modules = dict.fromkeys([home, *project.mentions(cls.name), *hooks.values()])
    takers = [last_part(d.func if isinstance(d, ast.Call) else d) for d in cls.decorator_list]
    for name in takers:
        taking = project.mentions(name)
        if len(taking) <= _MOST_MODULES:
            modules.update(dict.fromkeys(taking))
    if len(modules) > _MOST_MODULES:
        return
    holding = _holding(modules, cls, hooks)
    for _ in range(_ROUNDS):
        more = _keeping(project, holding)
        if modules.keys() >= more.keys() or len(modules.keys() | more) > _MOST_MODULES:
            break
        modules.update(more)
        holding = _holding(modules, cls, hooks)
    for module in modules if holding.names else ():
        for call in module.nodes(ast.Call):
            if last_part(call.func) != cls.name and holding.gives(call.func):
                yield module, call


def _holding(
    modules: dict[Module, None], cls: ast.ClassDef, hooks: Mapping[Function, Module]
) -> Holding:
    passing = Passing(list(modules), results=False, scoped=True)
    holding = Holding(passing, most=_MOST_NAMES).of_class(cls, hooks)
    for module in modules:
        for node in module.nodes_by_name.get(cls.name, ()):
            if isinstance(node.ctx, ast.Load) and not _is_plain_use(module, node):
                holding.of(module, node)
    return holding


def _is_plain_use(module: Module, node: ast.expr) -> bool:
    """Return whether a class is called, asked about, derived from or annotated with, not handed on."""
    parent = module.parent(node)
    if isinstance(parent, ast.Call):
        return parent.func is node or last_part(parent.func) in _ASKING
    return isinstance(parent, (ast.Attribute, ast.ClassDef, ast.arg, ast.AnnAssign))


def _keeping(project: Project, holding: Holding) -> dict[Module, None]:
    """Return the modules that mention a name of a module or class that holds one."""
    kept = {
        name
        for module in holding.passing.modules
        for scope in (module.scope, *(module.inner_scope(each) for each in module.classes))
        for name in holding.names & scope.bindings.keys()
    }
    return dict.fromkeys(each for name in kept for each in project.mentions(name))


__all__ = ["made_through"]
