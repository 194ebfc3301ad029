"""What a method does first to an attribute of its object: it reads it, or it sets it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from dlfix.fixing.proof import order
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import Function, dotted, executed, is_attribute, last_part, self_name


class Access(NamedTuple):
    """One access to an attribute, and the method that it stands in."""

    function: Function
    line: int
    reads: bool  # else it sets the attribute


class FirstAccess:
    """Finds the first access to one attribute, in the order in which the code is written."""

    def __init__(self, program: Program, cls: Class, name: str) -> None:
        self.program, self.cls, self.name = program, cls, name
        self.seen: list[Function] = []

    def of(self, owner: Class, function: Function) -> Access | None:
        """Return what a method of the class `owner` does first, itself or by what it calls."""
        if any(function is each for each in self.seen):
            return None
        self.seen.append(function)
        for node in executed(function.body):
            found = self._at(owner, function, node)
            if found is not None:
                return found
        return None

    def _at(self, owner: Class, function: Function, node: ast.AST) -> Access | None:
        me = self_name(function)
        if is_attribute(node, me, self.name):
            return Access(function, node.lineno, isinstance(node.ctx, ast.Load))
        if isinstance(node, ast.Call) and last_part(node.func) in {"hasattr", "getattr"}:
            texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
            if dotted(node.args[0] if node.args else None) == me and self.name in texts:
                return Access(function, node.lineno, reads=True)
        for used in order.used_at(node, me):
            known = order.meant(self.program, self.cls, owner, used)
            found = self.of(*known) if known is not None else None
            if found is not None:
                return found
        return None


def sets_first(program: Program, cls: Class, function: Function, name: str) -> bool:
    """Return whether a method sets an attribute before anything that it runs reads it."""
    found = FirstAccess(program, cls, name).of(cls, function)
    return found is not None and not found.reads


__all__ = ["Access", "FirstAccess", "sets_first"]
