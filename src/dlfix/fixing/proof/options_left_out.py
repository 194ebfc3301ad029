"""Options that leave the state of the object that keeps them: no code that a worker may run reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.syntax import Function, calls_in, executed, is_attribute, self_name, within
from dlfix.project.module import Module

_MOST = 200  # functions that a worker may run
_MOST_MODULES = 24


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the options that `__getstate__` leaves out now, and that a worker may read."""
    getstate = change.after.methods.get("__getstate__")
    left = dict(_left_out(change, getstate)) if getstate is not None else {}
    if not left or getstate is None:
        return
    run = _run_by_workers(change)
    if not run:
        yield change.regression(getstate, "what workers call of the object is not known")
    for module, function in run:
        for node in within(function.body):
            name = _named(node)
            if name in left:
                yield change.regression(
                    left[name],
                    f"a worker may read `{name}` of the options "
                    f"({module.path.name}:{getattr(node, 'lineno', 1)}), which leaves the state",
                )
                return


def _left_out(change: ClassChange, getstate: Function) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names in `{k: v for k, v in vars(self.opt).items() if k != "log"}`."""
    me = self_name(getstate)
    for node in executed(change.fresh(getstate)):
        match node:
            case ast.DictComp(
                generators=[
                    ast.comprehension(
                        iter=ast.Call(
                            func=ast.Attribute(
                                value=ast.Call(func=ast.Name(id="vars"), args=[held]), attr="items"
                            )
                        ),
                        ifs=[ast.Compare(comparators=[names])],
                    )
                ]
            ) if is_attribute(held, me):
                for each in ast.walk(names):
                    if isinstance(each, ast.Constant) and isinstance(each.value, str):
                        yield each.value, node


def _named(node: ast.AST) -> str:
    """Return the attribute or the text that a node is."""
    if isinstance(node, ast.Attribute):
        return node.attr
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""


def _run_by_workers(change: ClassChange) -> list[tuple[Module, Function]]:
    """Return the functions that workers may run once they have the object, methods of any object by their name."""
    program = change.new
    found: dict[int, tuple[Module, Function]] = {}
    waiting = [
        (cls.module, function)
        for each in (change.after, *program.heirs(change.after))
        for cls, function in order.reached(program, each, order.IN_WORKERS)
    ]
    while waiting and len(found) < _MOST:
        module, function = waiting.pop()
        if id(function) in found:
            continue
        found[id(function)] = module, function
        for call in calls_in(function.body):
            known = program.function_of(module, call.func)
            if known is not None:
                waiting.append(known)
            elif isinstance(call.func, ast.Attribute):
                waiting += _methods(change, call.func.attr)
    return [*found.values()]


def _methods(change: ClassChange, name: str) -> Iterator[tuple[Module, Function]]:
    for module in change.new.project.mentions(name)[:_MOST_MODULES]:
        for cls in change.new.classes(module):
            if name in cls.methods:
                yield module, cls.methods[name]


__all__ = ["check"]
