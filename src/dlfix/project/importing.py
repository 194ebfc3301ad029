"""Which modules of the project a module imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from dlfix.project.import_time import IMPORTS

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project

Import = ast.Import | ast.ImportFrom


def imported(project: Project, importer: Module, node: Import) -> Iterator[Module]:
    """Yield the modules of the project that an import statement names."""
    for name in _names(project, importer, node):
        if (module := project.find(name, importer)) is not None:
            yield module


def _names(project: Project, importer: Module, node: Import) -> Iterator[str]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        yield from (package for name in names for package in accumulate(name.split("."), _joined))
        return
    base = node.module or ""
    if node.level:
        base = project.relative(importer, node.level, node.module)
    yield from accumulate(base.split("."), _joined) if base else ()
    yield from (_joined(base, name) if base else name for name in names)


def _joined(package: str, name: str) -> str:
    return f"{package}.{name}"


def comes_with(project: Project, script: Module, wanted: Module) -> bool:
    """Return whether running a script imports a module, itself or through other modules."""
    waiting, seen = [script], {script}
    while waiting:
        module = waiting.pop()
        if module is wanted:
            return True
        for node in module.nodes(*IMPORTS):
            assert isinstance(node, Import)
            new = [each for each in imported(project, module, node) if each not in seen]
            seen.update(new)
            waiting += new
    return False
