"""A cached property keeps what its first read gives: by then, all that it is computed from is there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dlfix.facts import sites
from dlfix.facts.build import facts_of
from dlfix.facts.cfg import graph_of
from dlfix.facts.model import FUNCTIONS, NOTHING, FileFacts, Kind
from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.syntax import MUTATING, Function, executed, is_attribute, self_name

_Direct = Callable[[FileFacts, int, str], Iterator[tuple[int, str]]]


class _Access(NamedTuple):
    """A place in a method where an attribute is used: itself, or by a method that is called there."""

    node: int
    name: str


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what construction still fills after a property that is computed from it may have been read."""
    inputs = {name: _inputs(change, getter) for name, getter in change.made_lazy.items()}
    if not any(inputs.values()):
        return
    facts = facts_of(change.file.after.source)
    for owner, function in change.constructed_after:
        if owner.module is change.file.after and function.name not in inputs:
            yield from _of(change, facts, function, inputs)


def _inputs(change: ClassChange, getter: Function) -> frozenset[str]:
    """Return the plain attributes that a property reads, also through other properties and methods."""
    run = order.reached(change.new, change.after, (getter.name,))
    read = {name for cls, function in run for name in order.called_on_self(cls, function)}
    setters = [change.after.setters[f.name] for _, f in run if f.name in change.after.setters]
    kept = {name for function in (*(f for _, f in run), *setters) for name in _changed(function)}
    return frozenset(read - kept - set(change.after.methods) - set(change.after.getters))


def _changed(function: Function) -> Iterator[str]:
    """Yield the attributes that a method sets, or where it puts items: what a property keeps."""
    this = self_name(function)
    for node in executed(function.body):
        target = node.value if isinstance(node, ast.Subscript) else node
        stored = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(
            node.ctx, ast.Store
        )
        if stored and isinstance(target, ast.Attribute) and is_attribute(target, this):
            yield target.attr


def _of(
    change: ClassChange, facts: FileFacts, function: Function, inputs: dict[str, frozenset[str]]
) -> Iterator[Regression]:
    root = _node_of(facts, function)
    if root == NOTHING:
        return
    graph = graph_of(facts, root)
    filled = frozenset().union(*inputs.values())
    reads = [*_accesses(change, facts, function, frozenset(inputs), _reads)]
    writes = [*_accesses(change, facts, function, filled, _writes)]
    for read in reads:
        for write in writes:
            if write.name not in inputs[read.name] or write.node == read.node:
                continue
            if graph.may_follow(read.node, write.node):
                yield change.regression(
                    facts.row(read.node),
                    f"`{read.name}` is computed from `{write.name}` when it is first read"
                    f" (line {facts.row(read.node)}), and line {facts.row(write.node)} changes that later",
                )
                return


def _node_of(facts: FileFacts, function: Function) -> int:
    """Return the node of a method in its file's facts."""
    line = function.lineno
    named = (n for n in facts.nodes(*FUNCTIONS) if facts.symbol(n) == function.name)
    return next((n for n in named if facts.row(n) <= line <= facts.row(n + 1)), NOTHING)


def _accesses(
    change: ClassChange,
    facts: FileFacts,
    function: Function,
    names: frozenset[str],
    direct: _Direct,
) -> Iterator[_Access]:
    """Yield the direct accesses in a method, and the calls of methods that have some."""
    this, root = self_name(function), _node_of(facts, function)
    for node, name in direct(facts, root, this):
        if name in names:
            yield _Access(node, name)
    for node in facts.nodes(Kind.CALL, within=root):
        func = node + 1
        if facts.kinds[func] != Kind.ATTRIBUTE or facts.dotted(func + 1) != this:
            continue
        for cls, method in order.reached(change.new, change.after, (facts.symbol(func),)):
            body = _node_of(facts, method) if cls.module is change.file.after else NOTHING
            if body == NOTHING or method.name in change.after.getters:
                continue
            for name in names & {name for _, name in direct(facts, body, self_name(method))}:
                yield _Access(node, name)


def _reads(facts: FileFacts, root: int, this: str) -> Iterator[tuple[int, str]]:
    for node in facts.nodes(Kind.ATTRIBUTE, within=root):
        if facts.dotted(node + 1) == this:
            yield node, facts.symbol(node)


def _writes(facts: FileFacts, root: int, this: str) -> Iterator[tuple[int, str]]:
    """Yield where attributes are set, or what they hold is changed in place."""
    for write in sites.attribute_writes(facts, root):
        if facts.dotted(write.object) == this:
            yield write.node, write.name
    for item in sites.item_writes(facts, root):
        yield from _held(facts, item.object, item.node, this)
    for node in facts.nodes(Kind.CALL, within=root):
        func = node + 1
        if facts.kinds[func] == Kind.ATTRIBUTE and facts.symbol(func) in MUTATING:
            yield from _held(facts, func + 1, node, this)


def _held(facts: FileFacts, held: int, node: int, this: str) -> Iterator[tuple[int, str]]:
    if facts.kinds[held] == Kind.ATTRIBUTE and facts.dotted(held + 1) == this:
        yield node, facts.symbol(held)


__all__ = ["check"]
