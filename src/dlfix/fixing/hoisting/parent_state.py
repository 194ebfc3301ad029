"""Callables that ask a library for what only the parent has set up: a spawned worker has no process group.

They worked in a forked worker, a copy of the parent; once they can be pickled, they would fail in a spawned one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.project.trees import walk
from dlfix.reach.values import BoundMethod, Class, Function
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.reading.setting_reads import name_of

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

_SETS_UP = "init"  # what the names of functions start with that give a worker a state of its own


def refuse_asking(value: Value | None, analysis: Analysis) -> None:
    """Refuse a callable that asks for state of the parent, itself or by what it calls."""
    asked: list[tuple[Module, ast.Call]] = []
    for function in WorkerCode.of(analysis).run_by(_nodes(value)):
        for call in _of_parent(function.module, function.node, analysis):
            if (
                name_of(call.func, function.module, analysis)
                .rpartition(".")[2]
                .startswith(_SETS_UP)
            ):
                return
            asked.append((function.module, call))
    if asked:
        module, call = asked[0]
        raise CannotHoist(
            f"`{module.segment(call)}` asks for state that only the parent process has "
            f"({module.path.name}:{call.lineno})"
        )


def _nodes(value: Value | None) -> list[ast.AST]:
    match value:
        case BoundMethod(function=function):
            return [function.node]
        case Function(node=node):
            return [node]
        case Class(node=node):
            return [*node.body]
    return []


def _of_parent(module: Module, node: ast.AST, analysis: Analysis) -> list[ast.Call]:
    """Return the calls in a function that a library answers from what its process has set up."""
    return [
        each
        for each in walk(node)
        if isinstance(each, ast.Call)
        and isinstance(each.func, (ast.Name, ast.Attribute))
        and _is_of_parent(name_of(each.func, module, analysis), analysis)
    ]


def _is_of_parent(name: str, analysis: Analysis) -> bool:
    row = analysis.catalog.function(name) if name else None
    return row is not None and row.of_parent
