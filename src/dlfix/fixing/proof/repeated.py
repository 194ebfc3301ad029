"""What `__setstate__` or a property runs again: a method that opens a handle may set more, or was passed more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late_code import used_on_self
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.state import dropped, opened_when_asked, restored
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    executed,
    is_attribute,
    last_part,
    own_targets,
    parameters,
    self_name,
)
from dlfix.project.syntax import MUTATORS

# What gives the same again for the same arguments.
_SAME_AGAIN = frozenset(
    "len sorted list tuple set dict frozenset range enumerate zip int float str bool min max sum abs round".split()
)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the methods that `__setstate__` or a new property calls again, and that then do something else."""
    yield from _by_state(change)
    yield from _by_properties(change)
    yield from _derived_late(change)
    yield from _configured_late(change)


def _derived_late(change: ClassChange) -> Iterator[Regression]:
    """Yield what was made of a handle in the constructor, and would be made of one that a method sets later."""
    setting = [
        (function, {name for node in executed(function.body) for name in _set_by(node, function)})
        for function in _run_later(change)
    ]
    opened = change.made_lazy.keys() | restored(change) | opened_when_asked(change).keys()
    for _, function in change.constructed_before:
        me = self_name(function)
        for node in executed(function.body):
            read = {each.attr for each in executed(node) if is_attribute(each, me)} & opened
            for name in {*_set_by(node, function)} & opened:
                sources = read - {name}
                later = next((f for f, n in setting if sources & n and name not in n), None)
                if later is not None:
                    reason = (
                        f"`{later.name}` sets what `{name}` was made of again, but not `{name}`"
                    )
                    yield change.regression(change.after.node, reason)
                    return


def _configured_late(change: ClassChange) -> Iterator[Regression]:
    """Yield a handle that the constructor configures, and that a method sets again without that."""
    made = [function for _, function in change.constructed_before]
    later = _run_later(change)
    for name in change.made_lazy.keys() | restored(change):
        wanted = {text for function in made for text in _configuring(function, name)}
        for function in later if wanted else ():
            is_set = any(name in _set_by(node, function) for node in executed(function.body))
            if is_set and not wanted <= {*_configuring(function, name)}:
                reason = f"`{function.name}` sets `{name}` again, but not all that the constructor sets of it"
                yield change.regression(change.after.node, reason)
                return


def _run_later(change: ClassChange) -> list[Function]:
    """Return the methods that no constructor runs."""
    made = [function for _, function in change.constructed_before]
    return [
        function
        for cls in change.old.lineage(change.before)
        for function in cls.functions
        if not any(function is each for each in made)
    ]


def _configuring(function: Function, name: str) -> Iterator[str]:
    """Yield, as text, the statements that set something of a handle, or call it for that alone."""
    me = self_name(function)
    locals_ = {
        node.value.id
        for node in executed(function.body)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Name)
        and name in own_targets(node, me)
    }
    for node in executed(function.body):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=handle)]):
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=handle, attr=attr))):
                if attr == "close":
                    continue
            case _:
                continue
        if is_attribute(handle, me, name) or (
            isinstance(handle, ast.Name) and handle.id in locals_
        ):
            yield ast.unparse(node).replace(ast.unparse(handle), "HANDLE", 1)


def _set_by(node: ast.AST, function: Function) -> list[str]:
    """Return the attributes that a statement sets to a value: nothing where that is None."""
    is_set = isinstance(node, (ast.Assign, ast.AnnAssign))
    is_none = isinstance(getattr(node, "value", None), ast.Constant)
    return own_targets(node, self_name(function)) if is_set and not is_none else []


def _by_properties(change: ClassChange) -> Iterator[Regression]:
    """Yield the methods that a new property calls without the arguments that the constructor passed."""
    for getter in change.made_lazy.values():
        for call in calls_in(getter.body):
            function = _own_method(change, getter, call)
            why = _with_arguments(change, function) if function and not _passes(call) else ""
            if why and function is not None:
                reason = f"the new property calls `{function.name}` again, {why}"
                yield change.regression(getter, reason)
                return
        called = tuple(order.called_on_self(change.after, getter))
        for _, function in order.reached(change.new, change.after, called):
            is_old = change.old.method(change.before, function.name) is not None
            why = _counts(change, function) if is_old else ""
            if why:
                reason = f"the new property runs `{function.name}` again, {why}"
                yield change.regression(getter, reason)
                return


def _counts(change: ClassChange, opener: Function) -> str:
    """Say where an opener, or that of a subclass, changes once more what other methods read later."""
    for cls in (change.after, *change.new.heirs(change.after)):
        again = order.reached(change.new, cls, (opener.name,))
        made = [function for _, function in order.construction(change.new, cls)]
        apart = [*made, *(function for _, function in again)]
        entries = tuple(
            function.name
            for each in change.new.lineage(cls)
            for function in each.functions
            if not any(function is one for one in apart)
        )
        later = [each for each in order.reached(change.new, cls, entries) if each not in again]
        read = {name for _, function in later for name in used_on_self(function)}
        for owner, function in again:
            for name, node in _changed_content(function):
                if name in read:
                    return f"which changes `{name}` again ({owner.module.path.name}:{node.lineno})"
    return ""


def _changed_content(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes whose content a method adds to or takes from, with the place."""
    me = self_name(function)
    for node in executed(function.body):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr=changes)):
                if changes in MUTATORS and is_attribute(held, me):
                    yield held.attr, node
            case ast.AugAssign(target=ast.Attribute() as held) if is_attribute(held, me):
                yield held.attr, held


def _own_method(change: ClassChange, getter: Function, call: ast.Call) -> Function | None:
    """Return the method, one that the class had, that a call of its object runs."""
    if not is_attribute(call.func, self_name(getter)) or not isinstance(call.func, ast.Attribute):
        return None
    if change.old.method(change.before, call.func.attr) is None:
        return None
    found = change.new.method(change.after, call.func.attr)
    return found[1] if found is not None else None


def _passes(call: ast.Call) -> bool:
    return bool(call.args or call.keywords)


def _by_state(change: ClassChange) -> Iterator[Regression]:
    """Yield the methods that `__setstate__` calls and that do more than open what the state leaves out."""
    restoring = change.after.methods.get("__setstate__")
    for owner, function in run_again(change):
        why = (
            _with_arguments(change, function)
            or _sets_more(change, owner, function)
            or _counts(change, function)
        )
        if why and restoring is not None:
            yield change.regression(
                restoring,
                f"`__setstate__` calls `{function.name}` again, {why}",
            )
            return


def run_again(change: ClassChange) -> list[tuple[Class, Function]]:
    """Return the methods that the class had and that a new `__setstate__` calls, with those that they call."""
    restoring = change.after.methods.get("__setstate__")
    if restoring is None:
        return []
    called = [
        call.func.attr
        for call in calls_in(change.fresh(restoring))
        if is_attribute(call.func, self_name(restoring))
        and change.old.method(change.before, call.func.attr) is not None
    ]
    return order.reached(change.new, change.after, tuple(called))


def _with_arguments(change: ClassChange, function: Function) -> str:
    """Say where a method that is called without arguments was given some."""
    if len(parameters(function)) < 2:
        return ""
    family = change.new.family(change.after)
    for module, call in change.new.calls_of(function):
        if not _passes(call) or not isinstance(call.func, ast.Attribute):
            continue
        if writes.may_be(change.new, module, call.func.value, family):
            return f"which was called with arguments ({module.path.name}:{call.lineno})"
    return ""


def _sets_more(change: ClassChange, owner: Class, function: Function) -> str:
    """Say which attribute a method sets that may be another one by then."""
    gone, me = {*dropped(change), *change.lazy}, self_name(function)
    for node in executed(function.body):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            continue
        for name in (each for each in own_targets(node, me) if each not in gone):
            again = not isinstance(node, ast.AugAssign) and _is_same(node.value, gone, me)
            if not again or _is_set_elsewhere(change, function, name):
                return f"which sets `{name}` again ({owner.module.path.name}:{node.lineno})"
    return ""


def _is_same(value: ast.expr | None, gone: set[str], me: str) -> bool:
    """Return whether an expression gives the same again: what it calls is of the handle, or only computes."""
    for node in executed(value) if value is not None else ():
        if isinstance(node, ast.Call) and last_part(node.func) not in _SAME_AGAIN:
            root = node.func
            while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
                if is_attribute(root, me) and root.attr in gone:
                    break
                root = root.func if isinstance(root, ast.Call) else root.value
            if not isinstance(root, ast.Attribute):
                return False
    return True


def _is_set_elsewhere(change: ClassChange, function: Function, name: str) -> bool:
    """Return whether code sets an attribute once the object is made, or changes what it holds."""
    family = change.new.family(change.after)
    made = [f for _, f in order.construction(change.new, change.after)]
    inside = (
        write
        for write in writes.in_family(change.new, family, name)
        if write.function is not function and not any(write.function is f for f in made)
    )
    outside = writes.outside(change.new, family, name)
    return any(
        True for each in (inside, outside, writes.content(change.new, family, name)) for _ in each
    )


__all__ = ["check", "run_again"]
