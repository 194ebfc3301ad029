"""What code takes out of a container again, on all paths, before anything else can get at it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.library_names import imported_as
from dlfix.project.trees import summary, walk

if TYPE_CHECKING:
    from dlfix.project.module import Module

ALL = object()
LAST = object()
OWN = object()  # what this process has put in under its id
_PLAIN = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Delete)
_UNSURE = (
    ast.IfExp,
    ast.BoolOp,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


@dataclass(frozen=True)
class Removal:
    """A statement of a block that takes items out: those under a key, the last one, or all."""

    index: int
    key: object


@dataclass(frozen=True)
class Block:
    """The statements after the one that makes a container, and what they take out of it."""

    module: Module
    statements: list[ast.stmt]
    names: frozenset[str]  # what the container goes by
    removals: tuple[Removal, ...]

    def place_of(self, node: ast.AST) -> int | None:
        """Return the place of the statement that a node is part of."""
        around = {node, *self.module.ancestors(node)}
        return next((i for i, each in enumerate(self.statements) if each in around), None)

    def keeps_to_itself(self, start: int, end: int) -> bool:
        """Return whether statements hand neither the container nor what holds it to other code."""
        owners = {name.partition(".")[0] for name in self.names}
        for statement in self.statements[start:end]:
            for node in walk(statement):
                whole = isinstance(node, (ast.Name, ast.Attribute)) and _text(node) in self.names
                is_owner = isinstance(node, ast.Name) and node.id in owners
                if (whole or is_owner) and not self._is_read_only(node):
                    return False
        return True

    def _is_read_only(self, node: ast.AST) -> bool:
        parent = self.module.parent(node)
        if isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node:
            return True
        if isinstance(parent, ast.Call):
            return getattr(parent.func, "id", "") in ("len", "bool", "print")
        return isinstance(parent, (ast.Assign, ast.AnnAssign)) and node is not parent.value

    def calls_after(self, index: int) -> set[str]:
        """Return the methods that statements after one use on their own object."""
        return {name for each in self.statements[index + 1 :] for name in _used_in(each)}


Run = Callable[[ast.stmt], Iterable[ast.stmt]]  # the statements that one surely runs by a call


def block_around(
    node: ast.AST, targets: list[ast.expr], module: Module, run: Run | None = None
) -> Block | None:
    """Return the block in which a container is made, if statements of it take something out again."""
    names = {_text(target) for target in targets if _is_plain(target)}
    statement = module.statement(node)
    block = getattr(module.parent(statement), "body", [])
    if not names or not isinstance(block, list) or statement not in block:
        return None
    removals = tuple(
        Removal(index, key)
        for index, statement in enumerate(block)
        for each in (statement, *(run(statement) if run is not None else ()))
        for key in _keys(each, names, module)
    )
    return Block(module, block, frozenset(names), removals) if removals else None


def is_process_id(node: ast.AST, module: Module) -> bool:
    """Return whether an expression is `os.getpid()`, or a name that a function gives to nothing else."""
    if isinstance(node, ast.Name):
        scope = module.scope_of(node)
        bindings = scope.bindings.get(node.id, []) if scope.is_function else []
        value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return value is not None and not bindings[0].path and is_process_id(value, module)
    return isinstance(node, ast.Call) and imported_as(module, node.func) == "os.getpid"


def pops_its_own(statement: ast.stmt, names: set[str], module: Module) -> bool:
    """Return whether a statement surely takes out what this process put in: `held.pop(os.getpid())`."""
    if any(isinstance(node, _UNSURE) for node in walk(statement)):
        return False
    return any(
        _text(held) in names and is_process_id(key, module) for held, key in _keyed(statement)
    )


def _keyed(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the containers out of which a statement takes something under a key, each with the key."""
    for node in walk(statement):
        match node:
            case ast.Subscript(value=holder, slice=key, ctx=ast.Del()):
                yield holder, key
            case ast.Call(func=ast.Attribute(value=holder, attr="pop"), args=[key, *_]):
                yield holder, key


def _keys(statement: ast.stmt, names: set[str], module: Module) -> Iterator[object]:
    if isinstance(statement, _PLAIN):
        yield from taken(statement, names)
        if pops_its_own(statement, names, module):
            yield OWN
    elif isinstance(statement, ast.While) and _empties(statement, names):
        yield ALL


def _empties(loop: ast.While, names: set[str]) -> bool:
    """Return whether a loop takes items out until none is left: `while files: files.pop()`."""
    keys = [key for each in loop.body for key in taken(each, names)]
    return _text(loop.test) in names and any(key in (LAST, ALL) for key in keys)


def taken(statement: ast.stmt, names: set[str]) -> Iterator[object]:
    """Yield the keys that a statement surely takes out of what goes by some names."""
    if any(isinstance(node, _UNSURE) for node in walk(statement)):
        return
    for node in walk(statement):
        match node:
            case ast.Subscript(value=holder, slice=ast.Constant(value=key), ctx=ast.Del()):
                yield from [key] if _text(holder) in names else []
            case ast.Call(func=ast.Attribute(value=holder, attr="clear"), args=[]):
                yield from [ALL] if _text(holder) in names else []
            case ast.Call(func=ast.Attribute(value=holder, attr="pop" | "popitem"), args=[]):
                yield from [LAST] if _text(holder) in names else []
            case ast.Call(
                func=ast.Attribute(value=holder, attr="pop"), args=[ast.Constant(value=key), *_]
            ):
                yield from [key] if _text(holder) in names else []


def _is_plain(node: ast.expr) -> bool:
    """Return whether an expression is a name, or an attribute of one."""
    owner = node.value if isinstance(node, ast.Attribute) else node
    return isinstance(owner, ast.Name)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


@summary
def _used_in(statement: ast.stmt) -> frozenset[str]:
    """Return the names of attributes that a statement reads of `self`."""
    return frozenset(
        node.attr
        for node in walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
