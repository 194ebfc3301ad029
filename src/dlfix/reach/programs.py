"""Which modules are of one program: a test and a training script that it does not import are two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import is_test
from dlfix.source.notebook import is_notebook

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

_MOST = 300  # modules that a test imports; beyond, it is taken to import any


class Programs:
    """Decides whether a value that a test or notebook makes may come to another module's code."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._imported: dict[Module, frozenset[Module] | None] = {}

    def share(self, maker: Module, user: Module) -> bool:
        """Return whether one program may run code of both modules."""
        if maker is user or not (is_test(maker) or is_notebook(maker.path)):
            return True
        reached = self._reached(maker)
        return reached is None or user in reached

    def _reached(self, module: Module) -> frozenset[Module] | None:
        """Return the modules that a program's entry imports, directly or not; None for too many."""
        if module not in self._imported:
            found: dict[Module, None] = {module: None}
            pending = [module]
            while pending and len(found) <= _MOST:
                fresh = [m for m in self._imports(pending.pop()) if m not in found]
                found |= dict.fromkeys(fresh)
                pending += fresh
            self._imported[module] = None if len(found) > _MOST else frozenset(found)
        return self._imported[module]

    def _imports(self, module: Module) -> Iterator[Module]:
        project = self.interpreter.project
        for name in _dotted(module, project.relative):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                found = project.find(".".join(parts[:end]), module)
                if found is not None:
                    yield found


def _dotted(module: Module, relative: object) -> Iterator[str]:
    """Yield the dotted names that a module's statements import; any name may be a submodule."""
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = relative(module, node.level, node.module) if node.level else node.module or ""  # type: ignore[operator]
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
