"""What code asks of a handle once it is closed: a process that never opened it closes nothing now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    same,
    self_name,
    statements,
    within,
)
from dlfix.project.module import Module
from dlfix.project.syntax import is_none
from dlfix.project.trees import said

_ASKS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.If, ast.IfExp, ast.While, ast.Assert, ast.Call)


_CLOSING = frozenset(
    "close __exit__ munmap shutdown stop join terminate release cancel quit disconnect".split()
)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what is closed too early, and what a method takes away only where it was opened."""
    yield from _left_in_a_stack(change)
    yield from _returns_nothing_now(change)
    yield from _left_undone(change)
    yield from _given_away(change)
    yield from _closed_when_made(change)
    for name in change.made_lazy:
        yield from _asked_whether_closed(change, name)
        for function in change.after.functions:
            before = change.before.methods.get(function.name)
            if function.name in STATE or before is None or same(before, function):
                continue
            if not _takes_away(before, name) or not _only_if_opened(function, name):
                continue
            for module, line in _asked(change, name):
                yield change.regression(
                    function,
                    f"code reads `{name}` ({module.path.name}:{line}), which may reopen it "
                    f"after `{function.name}`",
                )
                return


def _closed_when_made(change: ClassChange) -> Iterator[Regression]:
    """Yield a handle that the constructor closed, and a property opens again."""
    for _, function in change.constructed_before:
        me = self_name(function)
        for statement in function.body:
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=closes))):
                    name = getattr(held, "attr", "")
                    closed = closes in _CLOSING and is_attribute(held, me)
                    if (
                        closed
                        and name in change.made_lazy
                        and not _is_set_below(function, statement, name)
                    ):
                        yield change.regression(
                            change.made_lazy[name],
                            f"`{function.name}` closes `{name}` (line {statement.lineno} before the fix), "
                            "but the property reopens it",
                        )
                        return


def _is_set_below(function: Function, statement: ast.stmt, name: str) -> bool:
    below = function.body[function.body.index(statement) + 1 :]
    me = self_name(function)
    return any(
        is_attribute(node, me, name) and not isinstance(node.ctx, ast.Load)
        for node in executed(below)
    )


def _returns_nothing_now(change: ClassChange) -> Iterator[Regression]:
    """Yield methods that returned a value on every path, and have a path without one now."""
    answering = {_header(function) for function in change.before.functions if _answers(function)}
    for function in change.after.functions:
        if _header(function) in answering and _completes(function.body):
            yield change.regression(
                function, f"`{function.name}` returns None if the resource is not open"
            )


def _left_undone(change: ClassChange) -> Iterator[Regression]:
    """Yield what a method did for each object, and now only does where this process opened the handle."""
    for function in change.after.functions if change.made_lazy else ():
        known = {said(s) for f in change.before.functions for s in statements(f.body)}
        for block in _opened_blocks(function) if function.name not in change.lazy else ():
            if said(block) in known or any(block in each.body for each in _opened_blocks(function)):
                continue
            excused = _where_closing_fails(change, function, block)
            for statement in statements(block.body):
                if statement in excused:
                    continue
                if said(statement) in known and _is_noticed(change, function, statement):
                    yield change.regression(
                        statement,
                        f"`{ast.unparse(statement)}` no longer runs where the resource was never "
                        f"opened (line {statement.lineno})",
                    )
                    return


def _where_closing_fails(change: ClassChange, function: Function, block: ast.If) -> list[ast.stmt]:
    """Return what runs only if a handle cannot be closed, which one that is not open needs not be."""
    return [
        statement
        for each in statements(block.body)
        if isinstance(each, ast.Try)
        and all(_closes_lazy(change, function, inner) for inner in each.body)
        for handler in each.handlers
        for statement in statements(handler.body)
    ]


def _closes_lazy(change: ClassChange, function: Function, statement: ast.stmt) -> bool:
    """Return whether a statement closes what each process opens now, or sets an attribute to None."""
    me = self_name(function)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=name))):
            is_lazy = any(is_attribute(held, me, each) for each in change.made_lazy)
            return is_lazy and name in _CLOSING
        case ast.Assign(targets=targets, value=value):
            return is_none(value) and all(is_attribute(each, me) for each in targets)
    return isinstance(statement, ast.Pass)


def _is_noticed(change: ClassChange, function: Function, statement: ast.stmt) -> bool:
    """Return whether a statement does more to others than use or take away an attribute of the object."""
    me = self_name(function)
    match statement:
        case ast.Expr(value=ast.Call(func=func) as call):
            is_own = _is_of_object(func, me) or _is_of_item(change, func, me)
            return not is_own and last_part(call.func) not in _CLOSING
        case ast.Assign(targets=targets):
            return not all(isinstance(t, ast.Name) or is_attribute(t, me) for t in targets)
        case ast.AugAssign() | ast.Raise():
            return True
    return False


def _is_of_object(func: ast.expr, me: str) -> bool:
    return dotted(func).startswith(f"{me}.")


def _is_of_item(change: ClassChange, func: ast.expr, me: str) -> bool:
    """Return whether a method is of an item of what each process opens now: `self.maps[name].flush()`."""
    match func:
        case ast.Attribute(value=ast.Subscript(value=held)):
            return any(is_attribute(held, me, name) for name in change.made_lazy)
    return False


def _given_away(change: ClassChange) -> Iterator[Regression]:
    """Yield where the constructor gave away a method of a handle, which is of one that is closed at once now."""
    for name, getter in change.made_lazy.items():
        kept = change.keyed(name) and not any(
            isinstance(node, ast.Attribute) and node.attr == "clear"
            for _, function in change.constructed_after
            for node in executed(function.body)
        )
        for cls, function in () if kept else change.constructed_before:
            for call in calls_in(function.body):
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                if any(
                    isinstance(each, ast.Attribute)
                    and is_attribute(each.value, self_name(function), name)
                    and each.attr in _CLOSING
                    for each in given
                ):
                    yield change.regression(
                        getter,
                        f"`{dotted(call.func)}` gets a method of `{name}` "
                        f"({cls.module.path.name}:{call.lineno} before the fix), but each process "
                        "would open another",
                    )
                    return


def _header(function: Function) -> tuple[str, ...]:
    """Return the name of a method and its decorators, which tell a getter from a setter."""
    return (function.name, *(said(each) for each in function.decorator_list))


def _answers(function: Function) -> bool:
    """Return whether a method returns a value on every path."""
    returned = (n for n in executed(function.body) if isinstance(n, ast.Return) and n.value)
    return not _completes(function.body) and any(returned)


def _completes(body: list[ast.stmt]) -> bool:
    """Return whether control may reach the end of a body."""
    return all(_may_complete(statement) for statement in body)


def _may_complete(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Raise():
            return False
        case ast.If(body=body, orelse=orelse):
            return _completes(body) or _completes(orelse)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return _completes(body)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
            handled = any(_completes(handler.body) for handler in handlers)
            return _completes(last) and (_completes([*body, *orelse]) or handled)
    return True


def _asked_whether_closed(change: ClassChange, name: str) -> Iterator[Regression]:
    """Yield where code reads `closed` of a handle that a process which never opened it does not close."""
    if not any(_closes(function, name) for function in change.before.functions):
        return
    for function in change.after.functions:
        me = self_name(function)
        guarded = {
            id(n) for block in _opened_blocks(function) for n in within([block.test, *block.body])
        }
        for node in executed(function.body):
            match node:
                case ast.Attribute(value=held, attr="closed", ctx=ast.Load()) if (
                    is_attribute(held, me, name) and id(node) not in guarded
                ):
                    yield change.regression(
                        node,
                        f"`{name}.closed` is read (line {node.lineno}), which may now open `{name}`",
                    )
                    return


def _closes(function: Function, name: str) -> bool:
    """Return whether a method closes the handle of an attribute."""
    return any(
        last_part(call.func) == "close"
        and is_attribute(getattr(call.func, "value", None), self_name(function), name)
        for call in calls_in(function.body)
    )


def _opened_blocks(function: Function) -> Iterator[ast.If]:
    """Yield the blocks that run only if this process has opened something."""
    for node in executed(function.body):
        if isinstance(node, ast.If):
            text = said(node.test)
            if "getpid" in text or "__dict__" in text:
                yield node


def _left_in_a_stack(change: ClassChange) -> Iterator[Regression]:
    """Yield what stays on the object though the stack it was entered in ends with the constructor."""
    for _, function in change.constructed_after:
        for node in change.fresh(function):
            stacks = {
                last_part(i.optional_vars) for i in getattr(node, "items", ()) if i.optional_vars
            }
            for inner in executed(node) if stacks else ():
                match inner:
                    case ast.Assign(
                        targets=[ast.Attribute(attr=name), *_],
                        value=ast.Call(func=ast.Attribute(value=stack, attr="enter_context")),
                    ) if last_part(stack) in stacks:
                        yield change.regression(
                            inner,
                            f"the exit stack closes `{name}` when the constructor returns "
                            f"(line {inner.lineno})",
                        )
                        return


def _takes_away(function: Function, name: str) -> bool:
    """Return whether a method deletes an attribute, or sets it to None."""
    me = self_name(function)
    for node in executed(function.body):
        match node:
            case (
                ast.Assign(targets=targets, value=ast.Constant(value=None))
                | ast.Delete(targets=targets)
            ):
                if any(is_attribute(target, me, name) for target in targets):
                    return True
    return False


def _only_if_opened(function: Function, name: str) -> bool:
    """Return whether a method takes an attribute away under a test of what this process opened."""
    return any(_takes_away_in(block, function, name) for block in _opened_blocks(function))


def _takes_away_in(block: ast.If, function: Function, name: str) -> bool:
    return any(
        is_attribute(node, self_name(function), name) and not isinstance(node.ctx, ast.Load)
        for node in executed(block.body)
    )


def _asked(change: ClassChange, name: str) -> Iterator[tuple[Module, int]]:
    """Yield where code outside the class asks whether an attribute is there, or what it is."""
    own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
    for module in change.new.project.mentions(name):
        for node in module.attributes_by_name.get(name, ()):
            asks = isinstance(module.parent(node), _ASKS) and isinstance(node.ctx, ast.Load)
            called = module.parent(node)
            if isinstance(called, ast.Call) and called.func is node:
                continue
            if asks and id(node) not in own and dotted(node.value) not in ("self", "cls"):
                yield module, node.lineno
        for call in [
            *module.calls_by_name.get("hasattr", ()),
            *module.calls_by_name.get("getattr", ()),
        ]:
            texts = [a.value for a in call.args[1:2] if isinstance(a, ast.Constant)]
            if texts == [name] and id(call) not in own and last_part(call.args[0]) != "self":
                yield module, call.lineno


__all__ = ["check"]
