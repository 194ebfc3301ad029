"""Handles that code sets up once their object is made: what another process opens again is not."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order, positions, writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import (
    Body,
    Held,
    Operation,
    attribute_by_name,
    held_by,
    operations_on,
    owned_text,
    returned,
)
from dlfix.fixing.proof.late_code import used_on_self
from dlfix.fixing.proof.objects import may_be_object, may_go_by
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.parent_code import ParentCode
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.repeated import run_again
from dlfix.fixing.proof.state import dropped, opened_when_asked, positions_sent, restored
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    own_targets,
    same,
    self_name,
    within,
)
from dlfix.project.module import Module
from dlfix.project.syntax import is_none
from dlfix.project.trees import said

# Made by what cannot be followed: each call that is made for its effect counts.
_OF_MOCKS = frozenset({"return_value", "side_effect"})  # what a test puts in its place
_UNKNOWN = ResourceRow("?")
_CLOSERS = frozenset("close __exit__ __del__ shutdown stop release teardown".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the handles that the caller sets up, or a method that workers do not run."""
    made = held_by(change.old, change.constructed_before)
    rows = _rows(change, made)
    parent = ParentCode(change.new)
    again = restored(change)
    own = change.made_lazy.keys() | dropped(change).keys()
    opened = dict.fromkeys(again, change.after.methods.get("__setstate__")) | change.made_lazy
    opened |= {name: each[0] for name, each in _opened_by_workers(change).items()}
    for name, opener in opened.items():
        row = rows.get(f".{name}", _UNKNOWN if name in own else None)
        if row is None or opener is None:
            continue
        held = Held(rows, made.origins)
        in_constructor = f".{name}" in made.rows or (row is _UNKNOWN and _is_set(change, name))
        by_constructor = in_constructor and row.kind not in ("sync", "random")
        reason = next(_reasons(change, parent, held, name, opener, by_constructor), None)
        if reason is not None:
            yield change.regression(opener, reason)
            return


def _opened_by_workers(change: ClassChange) -> dict[str, list[Function]]:
    """Return what a worker finds missing, with the methods that open such a one, if workers may run one of them."""
    found = opened_when_asked(change)
    parent = ParentCode(change.new, surely=True) if found else None
    own = {id(f) for _, f in parent.methods(change.after)} if parent is not None else set()
    return {name: each for name, each in found.items() if not {id(f) for f in each} <= own}


def _is_set(change: ClassChange, name: str) -> bool:
    """Return whether the constructor set an attribute."""
    return any(
        node.attr == name
        for _, function in change.constructed_before
        for node in own_attributes(function, ast.Store)
    )


def _rows(change: ClassChange, made: Held) -> dict[str, ResourceRow]:
    """Return what attributes hold: set by the constructor, by what runs again, or later by any method."""
    before = [change.old.method(change.before, function.name) for _, function in run_again(change)]
    rows = held_by(change.old, [each for each in before if each is not None]).rows | made.rows
    by_any = held_by(change.old, [(change.before, f) for f in change.before.functions]).rows
    late = {
        f".{name}"
        for name in (*change.started_empty, *opened_when_asked(change), *restored(change))
    }
    return rows | {name: by_any[name] for name in late & by_any.keys() - rows.keys()}


def _reasons(
    change: ClassChange,
    parent: ParentCode,
    held: Held,
    name: str,
    opener: Function,
    by_constructor: bool,
) -> Iterator[str]:
    """Yield why a handle that a worker opens is not the one that it had."""
    opened_late = _is_opened_late(change, name)
    if by_constructor and not opened_late:
        for home, function, line in _set_again(change, parent, name, opener):
            yield (
                f"`{function.name}` reassigns `{name}` ({home.path.name}:{line}), but a "
                "worker would reopen the resource that the constructor opened"
            )
        for write in _set_from_outside(change, name):
            yield (
                f"`{name}` is set outside the class "
                f"({write.module.path.name}:{write.line}), but a worker would reopen the "
                "resource that the constructor opened"
            )
    row = held.rows.get(f".{name}", _UNKNOWN)
    done = list(_operations(change, parent, name, row, opener))
    for module, operation in done:
        if not operation.configures or operation.name in _OF_MOCKS:
            continue
        at = f"({module.path.name}:{operation.line})"
        if operation.name == "__delitem__":
            yield f"an item of `{name}` is deleted {at}, but a worker reopens it"
        else:
            yield (
                f"`{name}` is set up with `{operation.name}` {at}, but a worker opens `{name}` "
                "without this setup"
            )
    moved = [] if name in positions_sent(change) else done
    if moved and (by_constructor or opened_late) and _is_read_on(change, parent, held, name):
        module, operation = moved[0]
        yield (
            f"the position of `{name}` is moved with `{operation.name}` "
            f"({module.path.name}:{operation.line}), but the resource that a worker opens "
            "starts at the beginning"
        )


def _is_opened_late(change: ClassChange, name: str) -> bool:
    """Return whether methods open a handle in each process, where they find that it is not open."""
    return name in change.started_empty or name in opened_when_asked(change)


def _is_read_on(change: ClassChange, parent: ParentCode, held: Held, name: str) -> bool:
    """Return whether other code than the parent's reads a handle where it stands, or asks where that is."""
    own = [function for _, function in parent.methods(change.after)]
    return positions.reads_on(change, held, name, apart=own) is not None or positions.read_outside(
        change, name
    )


def _set_again(
    change: ClassChange, parent: ParentCode, name: str, opener: Function
) -> Iterator[tuple[Module, Function, int]]:
    """Yield the methods of the parent that open another resource, which nothing tells a worker of.

    One that nobody calls yet counts where it also sets what workers read: `self.is_loaded = True`.
    """
    opening = [f for _, f in order.reached(change.new, change.after, (opener.name,))]
    asked = {used for function in opening for used in used_on_self(function)}
    made = [*_made_by(opening, name)]
    in_workers = [f for _, f in order.reached(change.new, change.after, order.IN_WORKERS)]
    asks = any(_asks_for_none(function, name) for function in in_workers)
    by_workers = {used for function in in_workers for used in used_on_self(function)}
    uncalled = [
        (cls, function)
        for cls, function in parent.uncalled(change.after)
        if by_workers & {n.attr for n in own_attributes(function, ast.Store)} - {name}
    ]
    for cls, function in (*parent.methods(change.after), *uncalled):
        me = self_name(function)
        may_reset = asks and function.name not in _CLOSERS
        stored = {node.attr: node for node in own_attributes(function, ast.Store)}
        opens = any(
            isinstance(node, ast.Assign)
            and (any(calls_in([node.value])) or (may_reset and is_none(node.value)))
            and name in own_targets(node, me)
            and not any(same(node.value, each) for each in made)
            for node in executed(function.body)
        )
        if opens and function.name not in change.lazy and not (stored.keys() - {name}) & asked:
            yield cls.module, function, stored[name].lineno


def _made_by(opening: Iterable[Function], name: str) -> Iterator[ast.expr]:
    """Yield what a worker opens an attribute as."""
    for function in opening:
        for node in executed(function.body):
            match node:
                case ast.Return(value=ast.expr() as value):
                    yield value
                case ast.Assign(value=value) if name in own_targets(node, self_name(function)):
                    yield value


def _set_from_outside(change: ClassChange, name: str) -> Iterator[writes.Write]:
    """Yield where other code puts another resource into the attribute of an object."""
    family = change.new.family(change.after)
    own = {id(node) for cls in family for node in within(cls.node)}
    for write in writes.outside(change.new, family, name):
        owner = writes.owner_of(write.node)
        if (
            id(write.node) in own
            or owner is None
            or (isinstance(write.node, ast.Attribute) and isinstance(write.node.ctx, ast.Del))
        ):
            continue
        if may_be_object(change, write.module, owner, family):
            yield write


def _asks_for_none(function: Function, name: str) -> bool:
    """Return whether a method compares an attribute with None."""
    return any(
        isinstance(node, ast.Compare)
        and is_attribute(node.left, self_name(function), name)
        and any(is_none(each) for each in node.comparators)
        for node in executed(function.body)
    )


def _operations(
    change: ClassChange, parent: ParentCode, name: str, row: ResourceRow, opener: Function
) -> Iterator[tuple[Module, Operation]]:
    """Yield what only the parent does to a handle once its object is made."""
    family = change.new.family(change.after)
    own = {id(function) for cls in family for function in cls.functions}
    givers = [f.name for cls in family for f in cls.functions if name in returned(f)]
    inside = dict.fromkeys([f".{name}", *(f".{each}()" for each in givers)], row)
    opened_late = _is_opened_late(change, name)
    by_worker = [f for _, f in order.reached(change.new, change.after, (opener.name,))]
    done = {_said(call) for call in calls_in(opener.body)}
    for cls, function in parent.methods(change.after):
        sets = any(n.attr == name for n in own_attributes(function, ast.Store))
        if sets and (opened_late or any(function is each for each in by_worker)):
            continue  # what opens it may set it up as well
        closing = [call for call in calls_in(function.body) if last_part(call.func) in _CLOSERS]
        if any(_is_of(call, self_name(function), name) for call in closing):
            continue  # nothing is left of what it closes
        for operation in operations_on(change.new, cls.module, function, inside):
            if closing and operation.name == "clear":  # of a dict of handles
                continue
            if not (sets and _said(operation.node) in done):  # the opener does it, too
                yield cls.module, operation
    for called in dict.fromkeys([name, *givers]):
        given = "" if called == name else "()"
        for module, body in _using(change, called):
            around = None if isinstance(body, ast.Module) else body
            if id(body) in own or not parent.runs(module, around):
                continue
            handles = [f"{each}{given}" for each in _handles(change, family, module, body, called)]
            for operation in operations_on(change.new, module, body, dict.fromkeys(handles, row)):
                if not _is_of_tensors(operation, name, row):
                    yield module, operation


def _is_of(call: ast.Call, me: str, name: str) -> bool:
    """Return whether a call is of a method of an attribute: `self.env.close()`."""
    return isinstance(call.func, ast.Attribute) and is_attribute(call.func.value, me, name)


def _said(call: ast.expr | None) -> str:
    """Return which method a call calls, and with what; empty where it is no call."""
    if not isinstance(call, ast.Call):
        return ""
    given = ", ".join(said(each) for each in (*call.args, *call.keywords))
    return f"{last_part(call.func)}({given})"


def _is_of_tensors(operation: Operation, attribute: str, row: ResourceRow) -> bool:
    """Return whether only tensors have a method, as torch names those that change one: `weight.data.fill_(0)`."""
    known = row is not _UNKNOWN and not row.name.startswith("torch.")
    named = operation.name.endswith("_") and not operation.name.startswith("_")
    return named and (known or attribute == "data")


def _using(change: ClassChange, name: str) -> Iterator[tuple[Module, Body]]:
    """Yield the code that names an attribute, each function once."""
    for module in change.new.project.mentions(name):
        for body in {id(body): body for body in _bodies(module, name)}.values():
            yield module, body


def _bodies(module: Module, name: str) -> Iterator[Body]:
    """Yield the functions of a module, or the module itself, that name an attribute."""
    for node in _naming(module, name):
        yield next((a for a in module.ancestors(node) if isinstance(a, FUNCTIONS)), module.tree)


def _naming(module: Module, name: str) -> Iterator[ast.AST]:
    """Yield where a module reads an attribute by its name, written or as text."""
    yield from module.attributes_by_name.get(name, ())
    for call in module.calls_by_name.get("getattr", ()):
        if any(isinstance(a, ast.Constant) and a.value == name for a in call.args[1:2]):
            yield call


def _handles(
    change: ClassChange,
    family: list[Class],
    module: Module,
    body: Body,
    name: str,
) -> Iterator[str]:
    """Yield what a body calls the handle of an object that may be of the class."""
    me = self_name(body) if isinstance(body, FUNCTIONS) else ""
    origins = Origins(body.body)
    for each in executed(body.body):
        node = attribute_by_name(each) or each
        if not isinstance(node, ast.Attribute) or node.attr != name:
            continue
        owner = dotted(node.value) or owned_text(node).removesuffix(f".{name}")
        made = [change.new.class_of(module, each) for each in origins.called(owner)]
        others = made and all(each is not None and each not in family for each in made)
        imported = any(
            isinstance(each.node, ast.alias) for each in module.scope.bindings.get(owner, ())
        )
        if not owner or others or imported:
            continue
        if owner == me and isinstance(module.parent(body), ast.ClassDef):
            continue  # its own attribute of that name
        if not may_go_by(change, module, node.value, family):
            continue
        first, dot, rest = owner.partition(".")
        yield f"{dot}{rest}.{name}" if first == me else f"{owner}.{name}"


__all__ = ["check"]
