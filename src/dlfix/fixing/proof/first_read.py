"""A cached property keeps what its first read gives: by then, all that it is computed from is there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dlfix.facts import sites
from dlfix.facts.cfg import Graph, graph_of
from dlfix.facts.flow import Flow
from dlfix.facts.model import NOTHING, FileFacts, Kind, Role
from dlfix.facts.names import Names
from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.evaluated_after import node_of
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.program import is_cached
from dlfix.fixing.proof.syntax import MUTATING, Function, executed, is_attribute, self_name

_Direct = Callable[[FileFacts, int, str], Iterator[tuple[int, str]]]


class _Access(NamedTuple):
    """A place in a method where an attribute is used: itself, or by a method that is called there."""

    node: int
    name: str


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what a property's first read may find incomplete, or not set at all."""
    if not change.made_lazy:
        return
    facts = change.file.facts
    yield from _may_stay_unset(change, facts)
    yield from _constructed_again(change)
    inputs = {name: _inputs(change, getter) for name, getter in change.made_lazy.items()}
    kept = frozenset(change.new_attributes) - set(change.after.methods) - set(inputs)
    inputs |= {name: frozenset({name}) for name in kept}
    for owner, function in change.constructed_after:
        if owner.module is change.file.after and function.name not in change.made_lazy:
            yield from _of(change, facts, function, inputs)


def _within(facts: FileFacts, read: _Access, write: _Access) -> bool:
    """Return whether a read is a part of a write: the list of `self.paths.append(path)`."""
    return facts.contains(write.node, read.node)


def _is_counted(facts: FileFacts, read: _Access) -> bool:
    """Return whether a read asks what is there by now: `len(self.paths)`, `name in self.paths`."""
    parent = facts.parent(read.node)
    if facts.kinds[parent] == Kind.COMPARE and facts.symbol(parent) in ("in", "not-in"):
        return True
    return facts.kinds[parent] == Kind.CALL and facts.dotted(parent + 1) == "len"


def _fills(facts: FileFacts, read: _Access, writes: Sequence[_Access]) -> bool:
    """Return whether a read is of what is filled there: it asks for nothing that is in it."""
    return any(each.name == read.name and _within(facts, read, each) for each in writes)


def _is_the_last(
    facts: FileFacts, flow: Flow, graph: Graph, read: _Access, writes: Sequence[_Access]
) -> bool:
    """Return whether a read is of the item that was put in just before: `self.paths[name]`."""
    item = facts.parent(read.node)
    if facts.kinds[item] != Kind.SUBSCRIPT or item + 1 != read.node:
        return False
    key = facts.child(item, Role.INDEX)
    for write in writes:
        if write.name != read.name or not graph.dominates(write.node, item):
            continue
        if facts.kinds[write.node] == Kind.SUBSCRIPT_STORE:
            if _is_same(facts, flow, facts.child(write.node, Role.INDEX), key):
                return True
        elif facts.kinds[write.node] == Kind.CALL and facts.last_name(write.node + 1) == "append":
            return _is_minus_one(facts, key)
    return False


def _is_minus_one(facts: FileFacts, node: int) -> bool:
    negative = facts.kinds[node] == Kind.UNARY and facts.symbol(node) == "-"
    return negative and facts.kinds[node + 1] == Kind.CONSTANT and facts.literal(node + 1) == 1


def _is_same(facts: FileFacts, flow: Flow, first: int, second: int) -> bool:
    """Return whether two names have one value, or two literals."""
    if facts.kinds[first] != facts.kinds[second]:
        return False
    if facts.kinds[first] == Kind.CONSTANT:
        return facts.literal(first) == facts.literal(second)
    if facts.kinds[first] != Kind.NAME or facts.symbol(first) != facts.symbol(second):
        return False
    return flow.reaching(first) == flow.reaching(second)


def _may_stay_unset(change: ClassChange, facts: FileFacts) -> Iterator[Regression]:
    """Yield the attributes kept by process whose opener has a way to its end that does not set them."""
    for name, getter in change.made_lazy.items():
        opener = _opener(change, getter) if change.keyed(name) else None
        root = node_of(facts, opener) if opener is not None else NOTHING
        if opener is None or root == NOTHING:
            continue
        this = self_name(opener)
        kept = {name, *_changed(getter), *_stored_by(change, name)}
        sets = {n for n, written in _writes(facts, root, this) if written in kept}
        graph = graph_of(facts, root)
        asked = {node for node, read in _reads(facts, root, this) if read in kept}
        tests = {test for node in sets for test, _ in graph.guards(node)}
        of_others = [t for t in tests if not any(facts.contains(t, node) for node in asked)]
        placed = {block for node in sets for block in graph.blocks(node)}
        if of_others and graph.exit in graph.reached_from((graph.entry,), placed):
            yield change.regression(
                getter,
                f"`{opener.name}` may return without setting `{name}` (line {opener.lineno})",
            )


def _constructed_again(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that keep what they gave when the constructor is called again."""
    read = {name for cls, f in change.constructed_after for name in order.called_on_self(cls, f)}
    kept = [
        name
        for name, getter in sorted(change.made_lazy.items())
        if not change.keyed(name) and (name in read or is_cached(getter))
    ]
    classes = [change.after, *change.new.heirs(change.after)]
    for module in change.new.project.mentions("__init__") if kept else ():
        for call in module.calls_by_name.get("__init__", ()):
            around = change.new.enclosing(module, call)
            if around is not None and around.name in order.CONSTRUCTORS:
                continue
            of = call.func.value if isinstance(call.func, ast.Attribute) else call.func
            if change.new.class_of(module, of) in classes or may_be_object(
                change, module, of, classes
            ):
                yield change.regression(
                    change.made_lazy[kept[0]],
                    f"`__init__` is called again ({module.path.name}:{call.lineno}), but `{kept[0]}` "
                    "would stay what it was",
                )
                return


def _opener(change: ClassChange, getter: Function) -> Function | None:
    """Return the method that a property calls to fill what it then reads."""
    this = self_name(getter)
    for node in executed(getter.body):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if is_attribute(called, this):
                return change.after.methods.get(called.attr)
    return None


def _stored_by(change: ClassChange, name: str) -> Iterator[str]:
    setter = change.after.setters.get(name)
    if setter is not None:
        yield from _changed(setter)


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
        if stored and is_attribute(target, this):
            yield target.attr


def _of(
    change: ClassChange, facts: FileFacts, function: Function, inputs: dict[str, frozenset[str]]
) -> Iterator[Regression]:
    root = node_of(facts, function)
    if root == NOTHING:
        return
    graph = graph_of(facts, root)
    filled = frozenset().union(*inputs.values())
    reads = [*_accesses(change, facts, function, frozenset(inputs), _reads)]
    writes = [*_accesses(change, facts, function, filled, _writes)]
    flow = Flow(Names(facts))
    stored = list(_set_here(change, facts, function))
    for read in reads:
        if any(s.name == read.name and graph.dominates(s.node, read.node) for s in stored):
            continue  # the property finds what was set, and computes nothing
        plain = read.name not in change.made_lazy
        if plain and (_is_counted(facts, read) or _fills(facts, read, writes)):
            continue
        if plain and _is_the_last(facts, flow, graph, read, writes):
            continue
        for write in writes:
            if write.name not in inputs[read.name] or _within(facts, read, write):
                continue
            if graph.may_follow(read.node, write.node):
                yield change.regression(facts.row(read.node), _why(facts, read, write))
                return


def _set_here(change: ClassChange, facts: FileFacts, function: Function) -> Iterator[_Access]:
    """Yield where a method sets an attribute that is kept by process."""
    this, root = self_name(function), node_of(facts, function)
    for write in sites.attribute_writes(facts, root):
        kept = write.name in change.after.setters and change.keyed(write.name)
        if kept and facts.dotted(write.object) == this:
            yield _Access(write.node, write.name)


def _why(facts: FileFacts, read: _Access, write: _Access) -> str:
    rows = facts.row(read.node), facts.row(write.node)
    if read.name == write.name:
        return f"`{read.name}` is read (line {rows[0]}) before it is complete (line {rows[1]})"
    return (
        f"`{read.name}` is computed from `{write.name}` when it is first read (line "
        f"{rows[0]}), before line {rows[1]} changes `{write.name}`"
    )


def _accesses(
    change: ClassChange,
    facts: FileFacts,
    function: Function,
    names: frozenset[str],
    direct: _Direct,
) -> Iterator[_Access]:
    """Yield the direct accesses in a method, and the calls of methods that have some."""
    this, root = self_name(function), node_of(facts, function)
    for node, name in direct(facts, root, this):
        if name in names:
            yield _Access(node, name)
    for node in facts.nodes(Kind.CALL, within=root):
        func = node + 1
        if facts.kinds[func] != Kind.ATTRIBUTE or facts.dotted(func + 1) != this:
            continue
        for cls, method in order.reached(change.new, change.after, (facts.symbol(func),)):
            body = node_of(facts, method) if cls.module is change.file.after else NOTHING
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
