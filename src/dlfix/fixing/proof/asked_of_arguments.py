"""What the constructor asks of an argument since the rewrite: each caller must pass what can answer.

A handle that is passed in says how to open it again (`file.filename`); an array that another caller passes does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.passed_values import argument
from dlfix.fixing.proof.syntax import Function, dotted, executed, last_part, parameters
from dlfix.fixing.proof.writes import values_of
from dlfix.project.module import Module
from dlfix.project.trees import said

_DEEP = 6  # how far a value is followed back


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the arguments that are asked for more than before, and that callers pass in several kinds."""
    init = change.after.methods.get("__init__")
    if init is None:
        return
    for name, line in _asked(change, init).items():
        kinds: dict[str, str] = {}
        for module, call in change.new.constructions(change.after):
            for passed in argument(init, call, name) or ():
                place = f"{module.path.name}:{call.lineno}"
                for kind in _kinds(change, module, passed):
                    kinds.setdefault(kind, place)
        if len(kinds) > 1:
            yield change.regression(
                line,
                f"the constructor asks `{name}` for attributes that it did not need before, and callers pass "
                f"different kinds of objects ({', '.join(sorted(set(kinds.values())))})",
            )


def _asked(change: ClassChange, init: Function) -> dict[str, int]:
    """Return the parameters of which new statements read an attribute, each with the first line."""
    found: dict[str, int] = {}
    for statement in change.fresh(init):
        for node in executed(statement):
            if isinstance(node, ast.Attribute) and dotted(node.value) in parameters(init)[1:]:
                found.setdefault(dotted(node.value), node.lineno)
    before = change.before.methods.get("__init__")
    known = {
        dotted(node.value)
        for node in (executed(before.body) if before is not None else ())
        if isinstance(node, ast.Attribute)
    }
    return {name: line for name, line in found.items() if name not in known}


def _kinds(change: ClassChange, module: Module, node: ast.expr, depth: int = 0) -> Iterator[str]:
    """Yield words for what makes a value: the function that is called, and parts of what it gives."""
    match node:
        case ast.Constant(value=None):
            return
        case ast.IfExp(body=one, orelse=other):
            yield from _kinds(change, module, one, depth)
            yield from _kinds(change, module, other, depth)
            return
        case ast.Subscript(value=base):
            yield from (f"{kind}[]" for kind in _kinds(change, module, base, depth))
            return
        case ast.Call(func=func):
            yield f"{last_part(func)}()"
            return
        case ast.Name(id=name) if depth < _DEEP:
            values = values_of(change.new, module, node, name)
            for value in values:
                yield from _kinds(change, module, value, depth + 1)
            if values:
                return
    yield said(node)


__all__ = ["check"]
