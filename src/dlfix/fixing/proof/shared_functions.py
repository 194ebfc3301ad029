"""Functions that each call made anew: what is done to one is done to all once they are one, and a partial binds no object."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, last_part
from dlfix.fixing.proof.value_flow import Place, changes_of

Callable_: TypeAlias = Function | ast.Lambda


def check(
    change: FileChange, gone: Sequence[Callable_], partials: Iterable[ast.Call]
) -> Iterator[Regression]:
    """Yield what code does to functions that moved, which it can no longer do to each of them."""
    moved = {last_part(call.args[0]).strip("_") for call in partials if call.args}
    for function in gone:
        name = getattr(function, "name", "")
        becomes_partial = bool(moved) and (not name or name.strip("_") in moved)
        around = _around(change, function)
        changes = changes_of(change.old, change.before, function)
        if becomes_partial:
            what = "becomes a method of a class, but a partial is not bound"
            yield from _reasons(change, function, changes.bound, what)
        elif around is not None:
            for places, what in (
                (changes.marked, "gets an attribute"),
                (changes.compared, "is compared"),
            ):
                # What the function around does moves with it, or is seen there.
                elsewhere = [each for each in places if around not in {*each[0].ancestors(each[1])}]
                what += ", but all calls now share one function"
                yield from _reasons(change, function, elsewhere, what)


def _around(change: FileChange, function: Callable_) -> Function | None:
    above = change.before.ancestors(function)
    return next((each for each in above if isinstance(each, FUNCTIONS)), None)


def _reasons(
    change: FileChange, function: Callable_, places: Iterable[Place], what: str
) -> Iterator[Regression]:
    name = getattr(function, "name", "<lambda>")
    for module, node in places:
        where = f"{module.path.name}:{getattr(node, 'lineno', 1)}"
        yield change.regression(name, 1, f"`{name}` {what} ({where})")


__all__ = ["check"]
