"""Modules of which others get names that they do not import one by one: a new one takes the place of what these meant."""

from __future__ import annotations

import ast

from dlfix.project.module import Module
from dlfix.project.project import Project


def may_replace(project: Project, module: Module, name: str) -> bool:
    """Return whether a new name of a module may come to code that means something else by it."""
    mentioning = project.mentions(name)
    starred = any(other is not module for other in mentioning) and any(
        _imports_all(project, other, module) for other in _others(project, module)
    )
    return module.exports(name) and (starred or any(_looks_up(other, name) for other in mentioning))


def _looks_up(module: Module, name: str) -> bool:
    """Return whether code spells a name as a text, and asks something for names: `getattr(hooks, "finish", None)`."""
    asks = any(module.calls_by_name.get(each) for each in ("getattr", "hasattr"))
    return asks and any(each.value == name for each in module.of_kind(ast.Constant))


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
