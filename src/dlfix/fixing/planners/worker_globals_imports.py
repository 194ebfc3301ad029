"""Modules that only the parent imports, taken for a setting that workers lack: they import them, too."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.reach.entry_points import Entries
from dlfix.reach.global_state import Use
from dlfix.rules.dlf303_global_set_in_main import SetByParentImport
from dlfix.rules.reading.library_settings import SetInLibrary

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

_QUIET = "  # noqa: F401"  # the name that the import binds is not used there


def importing(finding: Finding, analysis: Analysis) -> Finding | None:
    """Return a finding whose setting is what imports a module in the parent; None where that is not known."""
    found = finding.evidence
    assert isinstance(found, SetByParentImport)
    module, node = found.imported.module, found.imported.node
    ways = Entries.of(analysis).entries(module, node)
    entry = next((each for each in ways if each.kind == "parent"), None)
    if entry is None or not isinstance(node, (ast.Import, ast.ImportFrom, ast.expr)):
        return None
    use = Use(module, node)  # type: ignore[arg-type]  # a statement has a place, too
    name, read = found.entry.module.name, found.read.node
    setting = SetInLibrary(name, None, found.read.function, read, use, entry)
    return replace(finding, evidence=setting)


def imported_again(write: Use, module: Module) -> str:
    """Return the line that imports in a worker what a statement imports in the parent; empty for a call."""
    node = write.node
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return ""
    is_relative = isinstance(node, ast.ImportFrom) and node.level > 0
    return "" if is_relative and write.module is not module else ast.unparse(node) + _QUIET
