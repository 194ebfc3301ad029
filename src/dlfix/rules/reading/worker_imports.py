"""Modules that only the parent imports, by a statement of `main()` or under the main guard.

What they do when they are imported, workers lack: a plugin that enters itself in a table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project.import_time import in_main_only
from dlfix.project.importing import imported_with, imports_of, imports_unknown
from dlfix.project.module import enclosing_function
from dlfix.reach.dynamic import known_start
from dlfix.reach.entry_points import Entries
from dlfix.reach.labels import node_of
from dlfix.reach.values import Instance
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.entry_points import Entry


_IMPORTING = ("import_module", "__import__")


@dataclass(frozen=True)
class ParentImport:
    """A statement, or call, by which only the parent imports a module."""

    module: Module
    node: ast.AST


class WorkerImports:
    """The modules that spawned workers of one boundary import."""

    def __init__(self, analysis: Analysis, boundary: Boundary) -> None:
        self.analysis = analysis
        self.boundary = boundary
        self._code = WorkerCode.of_boundary(analysis, boundary)

    @classmethod
    def of(cls, analysis: Analysis, boundary: Boundary) -> WorkerImports:
        """Return the one of a boundary."""
        known: dict[ast.AST, WorkerImports] = analysis.once(cls.__name__, dict)
        if boundary.node not in known:
            known[boundary.node] = cls(analysis, boundary)
        return known[boundary.node]

    def only_by_parent(self, entry: Entry) -> ParentImport | None:
        """Return what imports the module of an entry, where it is imported in the parent and in no worker."""
        modules = self.modules
        if entry.kind != "import" or not modules or entry.module in modules:
            return None
        written = (
            ParentImport(module, node)
            for module in modules
            for node, target in imports_of(self.analysis.project, module)
            if target not in modules
            and entry.module in imported_with(self.analysis.project, target)
            and self._is_of_parent(module, node)
        )
        return next(written, None) or self.by_name_in_text(entry)

    def by_name_in_text(self, entry: Entry) -> ParentImport | None:
        """Return what imports a module in the parent by a name that is worked out, such as one of a configuration.

        No module imports it; and a text of the module that works the name out has its name, or only the part below
        a package is worked out.
        """
        project, wanted = self.analysis.project, entry.module
        if entry.kind != "import" or not any(map(project.mentions, _IMPORTING)):
            return None
        modules = self.modules
        for module in modules if wanted not in modules else ():
            named = _has_in_text(module, wanted.name)
            package = wanted.name.rpartition(".")[0]
            uses = (
                each
                for each in imports_unknown(module)
                if named or (package and _package_imported(module, each) == package)
            )
            use = next((each for each in uses if self._is_of_parent(module, each)), None)
            if use is not None and not any(
                target is wanted
                for other in project.mentions(wanted.name.rpartition(".")[2])
                for _, target in imports_of(project, other)
            ):
                return ParentImport(module, use)
        return None

    def _is_of_parent(self, module: Module, node: ast.AST) -> bool:
        """Return whether the program that comes to the boundary runs an import, and from its main process alone."""
        scripts = {entry.module for entry in self._entries}
        if enclosing_function(module, node) is None:
            return module in scripts
        entries = Entries.of(self.analysis).entries(module, node)
        return any(entry.kind == "parent" and entry.module in scripts for entry in entries)

    @cached_property
    def _entries(self) -> list[Entry]:
        boundary = self.boundary
        return Entries.of(self.analysis).entries(boundary.frame.module, boundary.node)

    @cached_property
    def modules(self) -> dict[Module, None]:
        """The modules; none where that is not known, as where names of modules are worked out in workers."""
        if not self._entries or any(entry.kind == "import" for entry in self._entries):
            return {}
        found = dict.fromkeys(self._first())
        waiting = [*found]
        while waiting:
            module = waiting.pop()
            if any(self._is_run(module, use) for use in imports_unknown(module)):
                return {}
            new = [each for each in dict.fromkeys(self._imported(module)) if each not in found]
            found |= dict.fromkeys(new)
            waiting += new
        return found

    def _first(self) -> Iterator[Module]:
        """Yield the scripts, which workers import, and the modules of what is sent to them."""
        yield from (entry.module for entry in self._entries)
        for crossing in self.analysis.crossings:
            value = crossing.value
            if crossing.boundary.node is not self.boundary.node:
                continue
            made = node_of(value.cls if isinstance(value, Instance) else value)
            yield from [made[1]] if made is not None else []
        yield from (each.module for each in self._code.functions.values())

    def _imported(self, module: Module) -> Iterator[Module]:
        for node, target in imports_of(self.analysis.project, module):
            if self._is_run(module, node):
                yield target

    def _is_run(self, module: Module, node: ast.AST) -> bool:
        """Return whether workers run a node of a module that they import: at the top level, or in a function."""
        if enclosing_function(module, node) is None:
            return not in_main_only((node, *module.ancestors(node)))
        if self._code.runs(module, node) is not None:
            return True
        entries = Entries.of(self.analysis)
        return entries.may_import(module, node) and any(
            entry.kind == "import" for entry in entries.entries(module, node)
        )


def _package_imported(module: Module, use: ast.AST) -> str:
    """Return the package of which any module may be imported: `det.plugins` for `import_module(f"det.plugins.{name}")`."""
    call = module.parent(use)
    if not isinstance(call, ast.Call) or call.func is not use or not call.args:
        return ""
    start = known_start(call.args[0], module)
    is_relative = start.startswith(".") and len(call.args) + len(call.keywords) > 1
    return f"{module.name if is_relative else ''}{start}".rpartition(".")[0]


def _has_in_text(module: Module, name: str) -> bool:
    """Return whether a text of a module has a name, such as a configuration in JSON."""
    if not module.says(name.rpartition(".")[2]):
        return False
    whole = re.compile(rf"""(?<![\w.]){re.escape(name)}(?![\w.])(?!["']\s*:)""")
    return any(
        isinstance(each.value, str)
        and not (each.value == name and _is_asked_for(module, each))
        and whole.search(each.value)
        for each in module.nodes(ast.Constant)
    )


def _is_asked_for(module: Module, node: ast.AST) -> bool:
    """Return whether a text is a key, or the argument of a call: the name of something else."""
    return isinstance(module.parent(node), (ast.Subscript, ast.Call))


__all__ = ["ParentImport", "WorkerImports"]
