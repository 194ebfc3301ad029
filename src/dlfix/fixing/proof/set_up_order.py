"""What a constructor asks a handle before it sets it up: a handle that is opened later is set up at once."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import Held, held_by, operations, said_first, used_for
from dlfix.fixing.proof.syntax import last_part, own_nodes

_Event: TypeAlias = tuple[str, str]  # a method or attribute, and the constant that it is passed
# What says whether a handle is open, and what it is of, says so however it is set up.
_SAME = frozenset("isOpened is_open closed open filename name path mode close release".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the handles that a constructor asked something before it set them up, and asks it after that now."""
    if not change.made_lazy:
        return
    held = held_by(change.old, change.constructed_before)
    before = [each for step in order.steps(change.old, change.before) for each in _events(step)]
    after = [each for step in order.steps(change.new, change.after) for _, each in _events(step)]
    for name, getter in change.made_lazy.items():
        uses, settings = _done_to(change, held, f".{name}")
        turned = _pairs(before, uses, settings) - _pairs(before, settings, uses, turned=True)
        for use, setting in sorted(turned):
            now = [each for each in after if each in (use, setting)]
            if now[:1] == [setting] and use in now and setting not in now[now.index(use) :]:
                yield change.regression(
                    getter,
                    f"the constructor used `{use[0]}` of `{name}` before it set up `{setting[0]}`, "
                    f"but `{setting[0]}` is set up first now (line {getter.lineno})",
                )
                return


def _done_to(change: ClassChange, held: Held, handle: str) -> tuple[set[int], set[int]]:
    """Return the nodes by which construction asks a handle for something, and those that set it up."""
    uses, settings = set(), set()
    for cls, function in change.constructed_before:
        for operation in operations(change.old, cls, function, held, handle):
            if operation.configures and operation.node is not None:
                settings.add(id(_named(operation.node)))
        uses |= {id(_named(n)) for n in used_for(change.old, cls, function, held, handle)}
    return uses - settings, settings


def _named(node: ast.AST) -> ast.AST:
    """Return the node that names what is called; another node as it is."""
    called = node.func if isinstance(node, ast.Call) else None
    return called if isinstance(called, ast.Attribute) else node


def _events(step: Sequence[order.Site]) -> Iterator[tuple[ast.AST, _Event]]:
    """Yield what a statement of a constructor may do to a handle, each with the node that names it."""
    nodes = list(own_nodes(step[-1][1]))
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        match node:
            case ast.Attribute(attr=name):
                call = calls.get(id(node))
                yield node, (name, said_first(call) if call is not None else "")
            case ast.Subscript(slice=key):
                yield node, ("[]", repr(key.value) if isinstance(key, ast.Constant) else "")
            case ast.Call(func=func) if not isinstance(func, ast.Attribute):
                yield node, (last_part(func), "")


def _pairs(
    events: Sequence[tuple[ast.AST, _Event]],
    first: Collection[int],
    second: Collection[int],
    *,
    turned: bool = False,
) -> set[tuple[_Event, _Event]]:
    """Return what some nodes do before what others do, each with it; the later one first, `turned`."""
    found: set[tuple[_Event, _Event]] = set()
    earlier: list[_Event] = []
    for node, event in events:
        if id(node) in second:
            found |= {(event, each) if turned else (each, event) for each in earlier}
        if id(node) in first and event[0] not in _SAME:
            earlier.append(event)
    return found


__all__ = ["check"]
