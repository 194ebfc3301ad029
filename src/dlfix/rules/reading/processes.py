"""Processes that an object keeps while they run: the object cannot be sent to the next one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.catalog import ResourceRow
from dlfix.reach.labels import node_of

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

RUNNING = ResourceRow(
    "multiprocessing.Process",
    kind="sync",
    error="TypeError: cannot pickle 'weakref.ReferenceType' object",
    action="report",
    note="a running process belongs to the process that started it",
)
_AGAIN = (
    ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def running(crossing: Crossing, analysis: Analysis) -> ResourceRow | None:
    """Return the row of a process that runs when what keeps it is sent to another one."""
    made = node_of(crossing.value)
    if made is None or made[0] not in analysis.once(running, lambda: _processes(analysis)):
        return None
    node, module = made
    if not _is_kept(crossing) or not _starts_what_it_makes(module, node):
        return None
    if node is crossing.boundary.node:
        return RUNNING if _runs_again(module, node) else None
    return RUNNING if _is_made_with_its_owner(crossing) else None


def _processes(analysis: Analysis) -> frozenset[ast.AST]:
    return frozenset(each.node for each in analysis.boundaries if each.kind == "Process")


def _is_kept(crossing: Crossing) -> bool:
    """Return whether an attribute keeps it: what is passed as an argument is not started yet."""
    return any(each.edge.kind == "attribute" for each in (crossing, *crossing.above()))


def _is_made_with_its_owner(crossing: Crossing) -> bool:
    stores = (each.edge.store for each in (crossing, *crossing.above()))
    return not any(store is not None and store.late for store in stores)


def _runs_again(module: Module, node: ast.AST) -> bool:
    """Return whether a function makes several, one after the other."""
    for above in module.ancestors(node):
        if isinstance(above, _AGAIN):
            return True
        if isinstance(above, _DEFINITIONS):
            return False
    return False


def _starts_what_it_makes(module: Module, node: ast.AST) -> bool:
    """Return whether the code around a process calls `start()` of something."""
    around = next((a for a in module.ancestors(node) if isinstance(a, _DEFINITIONS)), module.tree)
    return any(
        isinstance(each, ast.Attribute) and each.attr == "start" for each in ast.walk(around)
    )


__all__ = ["running"]
