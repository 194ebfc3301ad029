"""What the files of a project import, however far, as long as it lies in the same tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.module import Module
from dlfix.project.project import Project

MOST = 1_000_000  # bytes of modules that are followed to, the nearest first


def with_imported(project: Project) -> Project:
    """Return the project with the modules that its files import among its files."""
    paths = list(project.files)
    seen = set(paths)
    left = MOST
    for path in paths:
        module = project.get(path)
        if module is None:
            continue
        for found in _imported(project, module):
            if found.path not in seen and left > 0:
                seen.add(found.path)
                paths.append(found.path)
                left -= len(found.source.data)
        if left <= 0:
            break
    return project if len(paths) == len(project.files) else project.with_files(paths)


def _imported(project: Project, module: Module) -> Iterator[Module]:
    nodes: list[ast.Import | ast.ImportFrom] = [
        *module.nodes(ast.Import),
        *module.nodes(ast.ImportFrom),
    ]
    for node in nodes:
        for dotted in _names(project, module, node):
            found = project.find(dotted, module)
            if found is not None:
                yield found


def _names(project: Project, module: Module, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the dotted names of what an import may lead to: modules, and names in them."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = project.relative(module, node.level, node.module) if node.level else node.module or ""
    yield base
    yield from (f"{base}.{alias.name}" for alias in node.names)
