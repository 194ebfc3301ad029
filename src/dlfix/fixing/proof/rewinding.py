"""Whether a method goes to a place of its own in a stream before it reads, on each of its ways."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    Function,
    dotted,
    executed,
    is_attribute,
    self_name,
)

_REWINDS = frozenset("seek rewind reset set execute executemany".split())
_FAR = 3  # methods that methods call


class _Way(NamedTuple):
    """What code does first to a handle: read it on some way, go to a place on all ways."""

    reads: bool
    goes: bool


_NOTHING = _Way(reads=False, goes=False)
_READS = _Way(reads=True, goes=False)
_GOES = _Way(reads=False, goes=True)


class Rewinding:
    """Reads the methods of one class."""

    def __init__(self, program: Program, cls: Class, name: str, *, holds_several: bool) -> None:
        self.program, self.cls, self.name = program, cls, name
        self.holds_several = holds_several  # an item is a handle

    def comes_first(self, function: Function, names: Iterable[str]) -> bool:
        """Return whether no way through a method reads the handle, known by these names, where it stands."""
        return not self._block(function.body, function, frozenset(names), _FAR).reads

    def _block(
        self, block: Iterable[ast.stmt], function: Function, names: frozenset[str], far: int
    ) -> _Way:
        for statement in block:
            item = self._item_named(statement, names)
            if item:
                names |= {item}
                continue
            way = self._statement(statement, function, names, far)
            if way != _NOTHING:
                return way
        return _NOTHING

    def _item_named(self, statement: ast.stmt, names: frozenset[str]) -> str:
        """Return the name that a statement gives to one of several handles: `file = self.files[number]`."""
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Subscript(value=value, slice=key),
            ) if self.holds_several and dotted(value) in names:
                return "" if _reads_any(key, names) else name
        return ""

    def _statement(
        self, statement: ast.stmt, function: Function, names: frozenset[str], far: int
    ) -> _Way:
        if _gives_a_name(statement, names):
            return _NOTHING
        first = self._expressions(_own(statement), function, names, far)
        if first != _NOTHING:
            return first
        ways = [self._block(each, function, names, far) for each in _blocks(statement)]
        reads = any(way.reads for way in ways)
        sure = isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)) and ways[0].goes
        both = isinstance(statement, ast.If) and len(ways) > 1 and all(way.goes for way in ways)
        return _Way(reads, goes=not reads and (sure or both))

    def _expressions(
        self, nodes: Iterable[ast.AST], function: Function, names: frozenset[str], far: int
    ) -> _Way:
        run = list(executed(nodes))
        taken = () if self.holds_several else run
        items = {id(each.value) for each in taken if isinstance(each, ast.Subscript)}
        for node in run:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _REWINDS and not self._is_own(node, function):
                    return _READS if _is_relative(node) else _GOES
                way = self._called(node, function, far)
                if way != _NOTHING:
                    return way
            elif isinstance(node, ast.expr) and dotted(node) in names and id(node) not in items:
                return _READS  # an item is not read where the stream stands
        return _NOTHING

    def _is_own(self, call: ast.Call, function: Function) -> bool:
        """Return whether a call is of a method of the object itself."""
        return is_attribute(call.func, self_name(function))

    def _called(self, call: ast.Call, function: Function, far: int) -> _Way:
        """Return what a method of the object itself does first."""
        if not far or not isinstance(call.func, ast.Attribute) or not self._is_own(call, function):
            return _NOTHING
        known = self.program.method(self.cls, call.func.attr)
        if known is None:
            return _NOTHING
        names = frozenset({f"{self_name(known[1])}.{self.name}"})
        return self._block(known[1].body, known[1], names, far - 1)


def _reads_any(key: ast.expr, names: frozenset[str]) -> bool:
    """Return whether an index reads a handle: not where it only asks how many there are."""
    nodes = list(ast.walk(key))
    counted = [n.args for n in nodes if isinstance(n, ast.Call) and dotted(n.func) == "len"]
    asked = {id(each) for given in counted for each in given}
    return any(dotted(each) in names and id(each) not in asked for each in nodes)


def _gives_a_name(statement: ast.stmt, names: frozenset[str]) -> bool:
    """Return whether a statement only gives a handle another name: `file = self.opened()`."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func, args=[], keywords=[])):
            return f"{dotted(func)}()" in names
        case ast.Assign(targets=[ast.Name()], value=value):
            return dotted(value) in names
    return False


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions of a statement itself, its blocks left out."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield child


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    blocks = [getattr(statement, field, []) for field in ("body", "orelse", "finalbody")]
    parts = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    return [block for block in [*blocks, *(part.body for part in parts)] if block]


def _is_relative(call: ast.Call) -> bool:
    """Return whether a seek counts from where the stream stands."""
    whence = call.args[1] if len(call.args) > 1 else None
    return whence is not None and ast.unparse(whence).rpartition(".")[2] in ("1", "SEEK_CUR")


__all__ = ["Rewinding"]
