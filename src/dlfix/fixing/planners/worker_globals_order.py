"""Whether a name is set before a call is made: part of `worker_globals`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before, lies_in
from dlfix.reach.entry_points import Entries

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis


def set_below(module: Module, name: str, made: ast.Call) -> int:
    """Return the line below a call, in its function, that sets a name again; 0 if none does."""
    function = enclosing_function(module, made)
    return next(
        (
            node.lineno
            for node in module.nodes_by_name.get(name, ())
            if isinstance(node, ast.Name)
            and not isinstance(node.ctx, ast.Load)
            and comes_before(made, node)
            and enclosing_function(module, node) is function
        ),
        0,
    )


def is_before(analysis: Analysis, module: Module, node: ast.expr, made: ast.Call) -> bool:
    """Return whether a node has run whenever a call is made."""
    function = enclosing_function(module, node)
    if function is enclosing_function(module, made):
        if module.statement(node) is module.statement(made):
            return lies_in(node, made)  # an argument; not a name that the statement sets
        return comes_before(node, made)
    ways = Entries.of(analysis).entries(module, made)
    return bool(ways) and all(
        any(
            caller is module
            and enclosing_function(module, call) is function
            and comes_before(node, call)
            for caller, call in way.calls
        )
        for way in ways
    )
