"""Modules of which others import all public names: a new one takes the place of what these meant by it."""

from __future__ import annotations

import ast

from dlfix.project.module import Module
from dlfix.project.project import Project


def may_replace(project: Project, module: Module, name: str) -> bool:
    """Return whether a new name of a module may come to code that means something else by it."""
    return (
        module.exports(name)
        and any(other is not module for other in project.mentions(name))
        and any(_imports_all(project, other, module) for other in _others(project, module))
    )


def _others(project: Project, module: Module) -> list[Module]:
    return [each for each in project.mentions(module.name.rpartition(".")[2]) if each is not module]


def _imports_all(project: Project, importer: Module, module: Module) -> bool:
    for node in importer.nodes(ast.ImportFrom):
        if node.names[0].name == "*":
            origin = node.module or ""
            if node.level:
                origin = project.relative(importer, node.level, node.module)
            if project.find(origin, importer) is module:
                return True
    return False


__all__ = ["may_replace"]
