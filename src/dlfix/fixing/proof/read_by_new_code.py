"""What leaves the state of one class, and a property that another class gets by the same fixes reads in a worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.program import is_getter
from dlfix.fixing.proof.state import dropped, restored
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, self_name
from dlfix.project.module import Module
from dlfix.project.trees import said


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the attributes that are not in the state any more, nor opened anew, and that new properties of others read."""
    opened = change.after.getters.keys() | restored(change)
    for name, node in dropped(change).items():
        reader = next(_readers(change, name), None) if name not in opened else None
        if reader is not None:
            module, read = reader
            yield change.regression(
                node,
                f"`{name}` leaves the state, but a worker reads it by the new property at "
                f"{module.path.name}:{read.lineno}",
            )
            return


def _readers(change: ClassChange, name: str) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yield where new properties of other classes read an attribute of what may be an object of the class."""
    classes = [change.after, *change.new.heirs(change.after)]
    own = {id(function) for each in change.new.family(change.after) for function in each.functions}
    for module in change.new.project.mentions(name):
        for node in module.attributes_by_name.get(name, ()):
            function = next((a for a in module.ancestors(node) if isinstance(a, FUNCTIONS)), None)
            if function is None or id(function) in own or not is_getter(function):
                continue
            is_self = isinstance(node.value, ast.Name) and node.value.id == self_name(function)
            if is_self or not _is_new(change, module, function):
                continue
            if may_be_object(change, module, node.value, classes):
                yield module, node


def _is_new(change: ClassChange, module: Module, function: Function) -> bool:
    """Return whether the program before has no such function in the same module and class."""
    owner = getattr(module.parent(function), "name", "")
    if not change.old.project.knows(module.path):
        return True
    before = change.old.project.module(module.path)
    return not any(
        getattr(before.parent(each), "name", "") == owner and said(each) == said(function)
        for each in before.functions_by_name.get(function.name, ())
    )


__all__ = ["check"]
