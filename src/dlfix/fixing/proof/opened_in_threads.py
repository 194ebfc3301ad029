"""Threads of one process that may open at once what a process must not hold twice."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.catalog import load
from dlfix.fixing.proof import order
from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.syntax import Function, calls_in, last_part, within
from dlfix.project.module import Module

_STARTING = frozenset("Thread ThreadPool ThreadPoolExecutor to_thread run_in_executor".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that threads may open twice: no lock is taken, and the library refuses the second."""
    for name, getter in change.made_lazy.items():
        place = next(_threads(change), None) if _is_held_once(change, getter) else None
        if place is not None:
            yield change.regression(
                getter, f"threads ({place}) may open `{name}` twice at the same time"
            )


def _is_held_once(change: ClassChange, getter: Function) -> bool:
    """Return whether a property opens what no process may hold twice."""
    for owner, opener in order.reached(change.new, change.after, (getter.name,)):
        helpers = (change.new.function_of(owner.module, c.func) for c in calls_in(opener.body))
        bodies = [(owner.module, opener), *(each for each in helpers if each is not None)]
        for module, function in bodies:
            for call in calls_in(function.body):
                row = load().resource(imports_of(module.tree).full_name(call.func))
                if row is not None and row.closed_by_parent:
                    return True
    return False


def _threads(change: ClassChange) -> Iterator[str]:
    """Yield where the classes of a family, or code that makes objects of them, start threads."""
    for cls in change.new.family(change.after):
        yield from _started(cls.module, within(cls.node))
        for module, call in change.new.constructions(cls):
            yield from _started(module, within(change.new.body_around(module, call)))


def _started(module: Module, nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and last_part(node.func) in _STARTING:
            yield f"{module.path.name}:{node.lineno}"


__all__ = ["check"]
