"""Where a program changes its working directory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.import_time import is_guard
from dlfix.project.module import is_test
from dlfix.project.roots import STANDARD
from dlfix.project.syntax import DEFINITIONS
from dlfix.project.trees import walk

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project


def changes_of_directory(project: Project) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that change the working directory while a program runs.

    Tests and packaging scripts are other programs. What a script does before it imports anything comes before all else.
    """
    for module in project.mentions("chdir"):
        calls = module.calls_by_name.get("chdir", ())
        if not calls or is_test(module) or _packages(module):
            continue
        for call in calls:
            if not _comes_first(module, call):
                yield module, call


def _packages(module: Module) -> bool:
    """Return whether a file is a packaging script: it imports setuptools or distutils."""
    return any(
        name.partition(".")[0] in ("setuptools", "distutils")
        for statement in module.tree.body
        for name in _names_imported(statement)
    )


def _comes_first(module: Module, call: ast.Call) -> bool:
    """Return whether a script calls this before it has imported or defined anything that opens files."""
    statements = module.tree.body
    for each in statements:
        if is_guard(each) and isinstance(each, ast.If):
            statements = [*statements[: statements.index(each)], *each.body]
            break
    for statement in statements:
        if any(call is node for node in walk(statement)):
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
