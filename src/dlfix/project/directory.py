"""Where a program changes its working directory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.import_time import is_guard
from dlfix.project.library_names import imported_as, uses
from dlfix.project.module import is_test
from dlfix.project.roots import STANDARD
from dlfix.project.syntax import DEFINITIONS, dotted
from dlfix.project.trees import walk

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project


# What changes it, whatever it is imported as.
_CHANGES = ("os.chdir", "os.fchdir", "contextlib.chdir")


def changes_of_directory(project: Project) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what is called, or handed on, that changes the working directory while a program runs.

    Tests and packaging scripts are other programs. What a script does before it imports anything comes before all else.
    """
    for module, node in (*_calls(project), *_uses(project)):
        if not (is_test(module) or _packages(module) or _comes_first(module, node)):
            yield module, node


def changes_for_certain(module: Module, node: ast.expr) -> bool:
    """Return whether what changes the directory is of Python: a method `chdir` may be of a file server."""
    return imported_as(module, node) in _CHANGES or dotted(node) in ("os.chdir", "chdir")


def _calls(project: Project) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what is called by the name itself, of whatever object: `folder.chdir()`."""
    for module in project.mentions("chdir"):
        yield from ((module, call.func) for call in module.calls_by_name.get("chdir", ()))


def _uses(project: Project) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where code names what changes the directory, also without a call: `go = os.chdir`."""
    for full in _CHANGES:
        yield from uses(project, full)


def _packages(module: Module) -> bool:
    """Return whether a file is a packaging script: it imports setuptools or distutils."""
    return any(
        name.partition(".")[0] in ("setuptools", "distutils")
        for statement in module.tree.body
        for name in _names_imported(statement)
    )


def _comes_first(module: Module, used: ast.expr) -> bool:
    """Return whether a script calls this before it has imported or defined anything that opens files."""
    call = module.parent(used)
    if not isinstance(call, ast.Call) or call.func is not used:
        return False  # whoever is handed it may call it at any time
    statements = module.tree.body
    for each in statements:
        if is_guard(each) and isinstance(each, ast.If):
            statements = [*statements[: statements.index(each)], *each.body]
            break
    for statement in statements:
        if any(used is node for node in walk(statement)):
            return not isinstance(statement, DEFINITIONS)
        if isinstance(statement, DEFINITIONS) or _imports_others(statement):
            return False
    return False


def _imports_others(statement: ast.stmt) -> bool:
    """Return whether a statement imports a module that is not of Python itself."""
    return any(name.partition(".")[0] not in STANDARD for name in _names_imported(statement))


def _names_imported(statement: ast.stmt) -> list[str]:
    """Return the modules that a statement imports; an empty name stands for a relative one."""
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or "" if not statement.level else ""]
    return [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
