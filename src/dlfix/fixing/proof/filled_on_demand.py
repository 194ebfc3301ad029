"""Methods that open what they find not open, of which construction ran one: in a worker they run again, on what was read then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late_code import with_openers
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.state import dropped, left_out_already, restored
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    own_nodes,
    own_targets,
    self_name,
    statements,
    stored_names,
)
from dlfix.project.module import Module
from dlfix.project.order import comes_before
from dlfix.project.syntax import ADDING, MUTATORS


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what such a method reads, asks or changes that is not in a worker what it was in the parent."""
    filled = _filled(change)
    openers = _openers(change, filled) if filled else []
    if not openers:
        return
    yield from _flags(change, filled, openers)
    for owner, function in openers:
        yield from _inputs(change, filled, openers, (owner, function))
        yield from _changes(change, filled, openers, (owner, function))


def _filled(change: ClassChange) -> dict[str, ast.expr | None]:
    """Return the attributes that each process finds empty and methods fill, with what it finds in their place."""
    found: dict[str, ast.expr | None] = {}
    for name, getter in change.made_lazy.items():
        if change.keyed(name) and _opens_nothing(change, getter):
            found[name] = _default(getter)
    getstate = change.after.methods.get("__getstate__")
    for name in dropped(change).keys() - _opened_by_state(change):
        found[name] = _left(getstate, name) if getstate is not None else None
    return found | dict.fromkeys(left_out_already(change))


def _opened_by_state(change: ClassChange) -> set[str]:
    """Return the attributes that `__setstate__` sets to more than an empty value."""
    setting = change.after.methods.get("__setstate__")
    fresh = change.fresh(setting) if setting is not None else []
    me = self_name(setting) if setting is not None else ""
    empty = {
        name
        for each in fresh
        if isinstance(each, (ast.Assign, ast.AnnAssign)) and each.value is not None
        for name in own_targets(each, me)
        if _is_empty(each.value)
    }
    return restored(change) - empty


def _opens_nothing(change: ClassChange, getter: Function) -> bool:
    """Return whether a property, with the new methods that it calls, only looks into what is kept by process."""
    own = with_openers(change, getter)
    known = {"getpid", "get", "setdefault", "list", "dict", *(each.name for each in own)}
    return all(last_part(call.func) in known for each in own for call in calls_in(each.body))


def _default(getter: Function) -> ast.expr | None:
    """Return what a property gives in a process that has set nothing: the second argument of `get`."""
    last = getter.body[-1]
    call = last.value if isinstance(last, ast.Return) else None
    return call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None


def _left(getstate: Function, name: str) -> ast.expr | None:
    """Return what the state has in the place of an attribute."""
    for node in executed(getstate.body):
        match node:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=key))], value=value
            ) if key == name:
                return value
    return None


def _openers(
    change: ClassChange, filled: dict[str, ast.expr | None]
) -> list[tuple[Class, Function]]:
    """Return the methods that fill some attributes and that construction ran, but not alone."""
    late = change.late_before
    return [
        (owner, function)
        for owner, function in change.constructed_after
        if function.name in late
        and function.name not in change.lazy
        and any(True for _ in _openings(function, filled))
    ]


def _openings(function: Function, filled: dict[str, ast.expr | None]) -> Iterator[ast.stmt]:
    """Yield the statements of a method that put something new into one of some attributes."""
    me = self_name(function)
    for statement in statements(function.body):
        stored = {*own_targets(statement, me)} & filled.keys()
        value = getattr(statement, "value", None)
        if (
            stored and value is not None and not _is_empty(value) and not _reads(value, me, filled)
        ) or any(_grows(node, me, filled) for node in own_nodes(statement)):
            yield statement


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is None or isinstance(value.value, (bool, int))
    return not [*ast.iter_child_nodes(value)][1:] and isinstance(
        value, (ast.List, ast.Dict, ast.Tuple)
    )


def _reads(node: ast.AST, me: str, names: dict[str, ast.expr | None]) -> bool:
    return any(is_attribute(n, me) and n.attr in names for n in executed(node))


def _grows(node: ast.AST, me: str, filled: dict[str, ast.expr | None]) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr=changes)):
            return changes in ADDING and is_attribute(held, me) and held.attr in filled
        case ast.Subscript(value=ast.Attribute() as held, ctx=ast.Store()):
            return is_attribute(held, me) and held.attr in filled
    return False


# What tells whether it is open


def _flags(
    change: ClassChange,
    filled: dict[str, ast.expr | None],
    openers: Sequence[tuple[Class, Function]],
) -> Iterator[Regression]:
    """Yield a flag that code other than the openers sets to something else than what a worker finds."""
    family = change.new.family(change.after)
    setting = [function for _, function in openers]
    for name, found in filled.items():
        if not isinstance(found, ast.Constant) or found.value is None:
            continue
        for write in [
            *writes.in_family(change.new, family, name),
            *writes.outside(change.new, family, name),
        ]:
            if any(write.function is each for each in setting):
                continue
            if write.function is None or write.function.name in change.lazy:
                continue
            value = getattr(write.module.statement(write.node), "value", None)
            if not (isinstance(value, ast.Constant) and value.value is found.value):
                yield change.regression(
                    change.after.node,
                    f"`{name}` is set ({write.module.path.name}:{write.line}), but a worker finds "
                    f"`{ast.unparse(found)}`",
                )
                return


# What they read


def _inputs(
    change: ClassChange,
    filled: dict[str, ast.expr | None],
    openers: Sequence[tuple[Class, Function]],
    opener: tuple[Class, Function],
) -> Iterator[Regression]:
    """Yield an attribute that decides what is opened, and that may have been set again since the parent opened."""
    owner, function = opener
    me = self_name(function)
    for node in _deciding(owner.module, function, filled):
        for read in executed(node):
            if not is_attribute(read, me) or read.attr in filled or read.attr in owner.methods:
                continue
            if isinstance(read.ctx, ast.Load):
                where = _set_since(change, openers, function, read.attr)
                if where:
                    yield change.regression(
                        read,
                        f"a worker opens by `{read.attr}` what the constructor had opened, and `{read.attr}` "
                        f"may have changed since ({where})",
                    )
                    return


def _deciding(
    module: Module, function: Function, filled: dict[str, ast.expr | None]
) -> list[ast.AST]:
    """Return what decides what a method opens: the openings, what their local names are, and the tests before them.

    A test that asks for what is open holds wherever that is not; of several that must hold, each is one.
    """
    me = self_name(function)
    found: list[ast.AST] = [*_openings(function, filled)]
    for each in found:  # grows while it is read
        names = {n.id for n in executed(each) if isinstance(n, ast.Name)} - {me}
        parts: list[ast.AST] = [
            statement
            for statement in statements(function.body)
            if isinstance(statement, (ast.Assign, ast.AnnAssign))
            and stored_names(statement) & names
        ]
        if isinstance(each, ast.stmt):
            tests = [part for test in _tests(module, function, each) for part in _together(test)]
            parts += [test for test in tests if not _reads(test, me, filled)]
            parts += _headers(module, function, each)
        found += [part for part in parts if part not in found]
    return found


def _above(module: Module, function: Function, statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the statements of a method that hold another one."""
    for above in module.ancestors(statement):
        if above is function:
            return
        yield above


def _tests(module: Module, function: Function, statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield what is asked before a statement runs: around it, or where the method ends above it."""
    for above in _above(module, function, statement):
        if isinstance(above, (ast.If, ast.While)):
            yield above.test
    for each in statements(function.body):
        ends = isinstance(each, ast.If) and isinstance(each.body[-1], (ast.Return, ast.Raise))
        if isinstance(each, ast.If) and ends and comes_before(each, statement):
            yield each.test


def _headers(module: Module, function: Function, statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what the loops around a statement go through, and what it is done with."""
    for above in _above(module, function, statement):
        if isinstance(above, (ast.For, ast.AsyncFor)):
            yield above.iter
        elif isinstance(above, (ast.With, ast.AsyncWith)):
            yield from (item.context_expr for item in above.items)


def _together(test: ast.expr) -> list[ast.expr]:
    """Return the tests of which each may decide alone."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for each in test.values for part in _together(each)]
    return [test]


def _set_since(
    change: ClassChange,
    openers: Sequence[tuple[Class, Function]],
    function: Function,
    name: str,
) -> str:
    """Say where an attribute is set that may have been another one when construction opened."""
    family = change.new.family(change.after)
    inside = [*writes.in_family(change.new, family, name)]
    content = [*writes.content(change.new, family, name)]
    for write in (*writes.outside(change.new, family, name), *content):
        if write.cls is None or write.function is None:
            return _place(write)
    once = len({id(each.node) for each in inside}) < 2 and name not in change.after.values
    if once and not content:
        return ""
    homes = {id(each.function): each for each in (*inside, *content)}
    for write in homes.values():
        if len(homes) > 1 or write.function is function or not _is_before(change, openers, write):
            return _place(write)
    return ""


def _is_before(
    change: ClassChange, openers: Sequence[tuple[Class, Function]], write: writes.Write
) -> bool:
    """Return whether a method that construction alone runs has ended by the time that anything opens."""
    made = any(write.function is each for _, each in change.constructed_after)
    if not made or write.function is None or write.function.name in change.late_before:
        return False
    led = order.reached(change.new, change.after, (write.function.name,))
    return not any(one is opener for _, one in led for _, opener in openers)


def _place(write: writes.Write) -> str:
    return f"{write.module.path.name}:{write.line}"


# What they leave behind


def _changes(
    change: ClassChange,
    filled: dict[str, ast.expr | None],
    openers: Sequence[tuple[Class, Function]],
    opener: tuple[Class, Function],
) -> Iterator[Regression]:
    """Yield what such a method adds to once more, and other methods read."""
    owner, function = opener
    me = self_name(function)
    others = [
        each
        for cls in change.new.family(change.after)
        for each in cls.functions
        if not any(each is one for _, one in openers) and each.name not in order.CONSTRUCTORS
    ]
    afresh = {name for node in executed(function.body) for name in own_targets(node, me)}
    for node in executed(function.body):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr=changes)):
                if changes not in MUTATORS or held.attr in afresh:
                    continue
            case ast.AugAssign(target=ast.Attribute() as held):
                pass
            case _:
                continue
        if not is_attribute(held, me) or held.attr in filled:
            continue
        if any(n.attr == held.attr for each in others for n in own_attributes(each, ast.Load)):
            yield change.regression(
                held,
                f"`{function.name}` runs again in a worker, and changes `{held.attr}` once more "
                f"({owner.module.path.name}:{held.lineno})",
            )
            return


__all__ = ["check"]
