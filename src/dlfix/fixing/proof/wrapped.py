"""Objects that a constructor makes of a handle, and keeps: they hold it, and do not survive where it does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import held_by
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.state import opened_when_asked, restored
from dlfix.fixing.proof.syntax import Function, dotted, executed, last_part, self_name


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the attributes that stay in the state, and that a library's class makes of a handle."""
    rows = held_by(change.old, change.constructed_before).rows
    opened = restored(change) | opened_when_asked(change).keys()
    handles = {name for name in (*change.made_lazy, *opened) if f".{name}" in rows}
    for cls, function in change.constructed_after if handles else ():
        for name, handle, call in _wrappers(change, cls, function, handles):
            if name not in handles and f".{name}" not in rows:
                yield change.regression(
                    call,
                    f"`{name}`, which `{last_part(call.func)}` creates from `{handle}` "
                    f"(line {call.lineno}), may hold `{handle}` in the pickled state",
                )
                return


def _wrappers(
    change: ClassChange, cls: Class, function: Function, handles: set[str]
) -> Iterator[tuple[str, str, ast.Call]]:
    """Yield the attributes that a method sets to an object that gets a handle, by its class's name."""
    me = self_name(function)
    owned = {f"{me}.{name}": name for name in handles}
    for node in executed(function.body):
        match node:
            case ast.Assign(targets=targets, value=ast.Call() as call):
                given = [dotted(each) for each in (*call.args, *(k.value for k in call.keywords))]
                handle = next((owned[text] for text in given if text in owned), "")
                is_class = last_part(call.func)[:1].isupper()
                if handle and is_class and change.new.resolve(cls.module, call.func) is None:
                    yield from (
                        (last_part(target), handle, call)
                        for target in targets
                        if isinstance(target, ast.Attribute) and dotted(target.value) == me
                    )


__all__ = ["check"]
