"""Which modules of the project a module imports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from dlfix.project.import_time import IMPORTS

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project

Import = ast.Import | ast.ImportFrom
_MOST = 400  # modules that are gone through
# What imports modules whose names are not written in an import statement.
_DYNAMIC = ("import_module", "__import__", "iter_modules", "walk_packages", "exec_module", "runpy")


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
    return any(module is wanted for module in _reached([script], partial(_imported_by, project)))


def together(project: Project, module: Module) -> frozenset[Module] | None:
    """Return the modules that some program imports beside one; None where any may be.

    A program is a file that no other imports, with all that it imports.
    """
    programs = _reached([module], partial(_importing, project))
    found: set[Module] = set()
    for each in _reached(list(programs), partial(_imported_by, project)):
        found.add(each)
        if len(found) > _MOST or any(map(each.says, _DYNAMIC)):
            return None
    return frozenset(found)


def _reached(
    start: list[Module], following: Callable[[Module], Iterator[Module]]
) -> Iterator[Module]:
    waiting, seen = start, set(start)
    while waiting:
        module = waiting.pop()
        yield module
        new = [each for each in dict.fromkeys(following(module)) if each not in seen]
        seen.update(new)
        waiting += new


def _imported_by(project: Project, module: Module) -> Iterator[Module]:
    return (each for node in _imports(module) for each in imported(project, module, node))


def _importing(project: Project, module: Module) -> Iterator[Module]:
    for other in project.mentions(module.name.rpartition(".")[2]):
        if module in _imported_by(project, other):
            yield other


def _imports(module: Module) -> Iterator[Import]:
    for node in module.nodes(*IMPORTS):
        assert isinstance(node, Import)
        yield node
