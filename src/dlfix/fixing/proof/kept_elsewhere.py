"""Handles that another object keeps as well: what opens each process's own for one leaves them with the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.handling import held_by
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.sharing import read_outside
from dlfix.fixing.proof.state import dropped, restored
from dlfix.fixing.proof.syntax import (
    is_attribute,
    last_part,
    parameters,
    self_name,
    values_set,
    within,
)
from dlfix.project.module import Module

_KEEPING = frozenset(
    {"iter", "map", "filter", "partial"}
)  # what they make holds the functions they get
_PARTS = (ast.Tuple, ast.List, ast.Dict, ast.IfExp, ast.Starred)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the attributes opened when asked that other code keeps in an attribute: `self.rows = base.rows`."""
    own = {id(node) for cls in change.new.family(change.after) for node in within(cls.node)}
    for name, getter in change.made_lazy.items():
        for module, node in read_outside(change, name, own):
            if _is_kept(change.new, module, node):
                yield change.regression(
                    getter,
                    f"another object keeps `{name}` of this one "
                    f"({module.path.name}:{node.lineno}), and is sent with it",
                )
                return
    yield from _transactions(change, own)
    yield from _methods(change)


def _methods(change: ClassChange) -> Iterator[Regression]:
    """Yield what is still sent with a method of a handle that is not: `self.lines = iter(self.file.readline, "")`."""
    gone = {*dropped(change), *change.lazy}
    for _, function in change.constructed_after:
        for kept in sorted(attributes_set(change.after).keys() - gone):
            for value in values_set(function, kept):
                for node in _held_in(value):
                    handle, me = node.value, self_name(function)
                    if is_attribute(handle, me) and handle.attr in gone:
                        yield change.regression(
                            node,
                            f"`{kept}` keeps `{ast.unparse(node)}` (line {node.lineno}), and is sent with it",
                        )
                        return


def _held_in(value: ast.expr) -> list[ast.Attribute]:
    """Return the attributes that are given to the iterator or partial which a value is."""
    made = isinstance(value, ast.Call) and last_part(value.func) in _KEEPING
    parts = value.args if isinstance(value, ast.Call) and made else []
    return [each for each in parts if isinstance(each, ast.Attribute)]


def _transactions(change: ClassChange, own: set[int]) -> Iterator[Regression]:
    """Yield the connections that another object keeps, and may change by: a new one does not see that before a commit."""
    rows = held_by(change.old, change.constructed_before).rows
    for name in sorted(restored(change) - change.made_lazy.keys()):
        row = rows.get(f".{name}")
        if row is None or "commit" not in row.write:
            continue
        for module, node in read_outside(change, name, own):
            if _is_kept(change.new, module, node):
                yield change.regression(
                    change.after.node,
                    f"another object keeps `{name}` ({module.path.name}:{node.lineno}), and a worker's connection "
                    "would not see what is not committed",
                )
                return


def _is_kept(program: Program, module: Module, node: ast.expr) -> bool:
    """Return whether a value is stored in an attribute, or given to an object that stores it in one."""
    value: ast.AST = node
    above = module.parent(node)
    while isinstance(above, _PARTS):
        value, above = above, module.parent(above)
    match above:
        case ast.Assign(targets=targets) if above.value is value:
            return any(isinstance(each, ast.Attribute) for each in targets)
        case ast.AnnAssign(target=ast.Attribute()):
            return above.value is value
        case ast.Call(args=given) if value in given:
            return _stores(program, module, above, given.index(value), "")
        case ast.keyword(arg=str() as name):
            call = module.parent(above)
            return isinstance(call, ast.Call) and _stores(program, module, call, -1, name)
    return False


def _stores(program: Program, module: Module, call: ast.Call, place: int, name: str) -> bool:
    """Return whether a call makes an object that stores an argument, given by its place or its name, as it is."""
    made = program.class_of(module, call.func)
    found = program.method(made, "__init__") if made is not None else None
    if found is None:
        return False
    names = parameters(found[1])[1:]
    wanted = name or (names[place] if place < len(names) else "")
    return any(
        isinstance(value, ast.Name) and value.id == wanted
        for attribute in {n.attr for n in ast.walk(found[1]) if isinstance(n, ast.Attribute)}
        for value in values_set(found[1], attribute)
    )


__all__ = ["check"]
