"""The code that runs later than before a fix: what moved, and the functions of the program that it calls."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dlfix.fixing.proof.callees import callees
from dlfix.fixing.proof.changes import ClassChange
from dlfix.fixing.proof.late_code import moved, with_openers
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.special_calls import special_calls
from dlfix.fixing.proof.syntax import Function, executed, parameters
from dlfix.project.module import Module

_MOST = 60  # functions that are followed from one class


class LateCode(NamedTuple):
    """Some code that runs later: that of a function of the program, or what a fix has moved.

    `far` counts the calls between this code and what moved, 0 for the code that moved.
    """

    module: Module
    function: Function
    nodes: Sequence[ast.stmt]
    far: int
    at: int  # the line of the code that moved


def late_code(change: ClassChange) -> Iterator[LateCode]:
    """Yield what runs later than before a fix, what moved first, then what it calls."""
    yield from with_what_it_calls(change.new, _moved(change))


def with_what_it_calls(program: Program, moved: Iterable[LateCode]) -> Iterator[LateCode]:
    """Yield some code, and that of the functions of the program that it calls, nearest first."""
    waiting = deque(moved)
    known = {each.function for each in waiting}
    while waiting:
        late = waiting.popleft()
        yield late
        for module, function, line in _run_by(program, late):
            if function not in known and len(known) < _MOST:
                known.add(function)
                waiting.append(LateCode(module, function, function.body, late.far + 1, line))


def _moved(change: ClassChange) -> Iterator[LateCode]:
    """Yield the code that a fix has moved, that of the methods it made for it included."""
    for owner, function, _ in moved(change):
        for each in with_openers(change, function):
            nodes = change.fresh(each) if each.name == "__setstate__" else each.body
            yield LateCode(owner.module, each, nodes, 0, each.lineno)


def _run_by(program: Program, late: LateCode) -> Iterator[tuple[Module, Function, int]]:
    """Yield the functions that some code calls, each with the line of what moved."""
    origins = Origins(late.nodes, parameters(late.function))
    for node in executed(late.nodes):
        own = [node] if isinstance(node, ast.Call) else []
        for call in (*own, *special_calls(node)):
            line = late.at if late.far else call.lineno
            for callee in callees(program, late.module, call, origins):
                yield callee.module, callee.function, line


__all__ = ["LateCode", "late_code", "with_what_it_calls"]
