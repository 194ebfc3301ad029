"""Hooks of layers: torch numbers those of a process from zero, so that one of a worker takes the place of one that was sent."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.callables import Moved
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import calls_in, dotted, last_part
from dlfix.project.module import Module


def check(change: FileChange) -> Iterator[Regression]:
    """Yield the hooks that can be sent now, where code registers another of the kind for a while."""
    names = Moved(change).new_names
    for call in change.after.calls if names else ():
        method = last_part(call.func)
        if _registers(method) and any(_names_one(each, names) for each in call.args):
            found = next(_for_a_while(change, method), None)
            if found is not None:
                module, other = found
                yield change.regression(
                    method,
                    call,
                    f"a worker that calls `{method}` as well ({module.path.name}:{other.lineno}) would replace the hook",
                )
                return


def _registers(method: str) -> bool:
    return method.startswith("register_") and method.endswith("hook")


def _names_one(node: ast.expr, names: set[str]) -> bool:
    """Return whether an argument is one of some functions, or a partial over one."""
    if isinstance(node, ast.Call) and last_part(node.func) == "partial":
        return any(_names_one(each, names) for each in node.args[:1])
    return dotted(node) in names


def _for_a_while(change: FileChange, method: str) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that register a hook in a function which takes one away again."""
    for module in change.new.project.mentions(method):
        for call in module.calls_by_name.get(method, ()):
            function = change.new.enclosing(module, call)
            body = function.body if function is not None else []
            if any(last_part(each.func) == "remove" for each in calls_in(body)):
                yield module, call


__all__ = ["check"]
