"""How the result of a call is used where it is kept: an archive is read by name, an array is not."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from dlfix.project.module import Module
from dlfix.project.syntax import FUNCTIONS, dotted, last_name
from dlfix.project.trees import kept, walk
from dlfix.reach.values import Derived, ExternalCall, Frame

_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


Line = Callable[[Frame], Sequence[ast.ClassDef]]
"""The class of the object whose method a frame is, and its bases."""


def uses_of(value: ExternalCall, line: Line) -> frozenset[str]:
    """Return the attributes read of a call's result where it is used, also by who calls a function that returns it."""
    found = _uses(value.node, value.frame, line)  # an archive lets nobody set its items
    return found - {"[str]"} if "[]=" in found else found


def uses_of_part(value: Derived, line: Line) -> frozenset[str]:
    """Return the attributes read of a part of a handle where it is kept, and of the parts of that part."""
    if not isinstance(value.node, ast.expr):
        return frozenset()
    module = value.frame.module
    own = _uses(value.node, value.frame, line)
    target = _target(module.parent(value.node))
    below = _of_target(target, module, True, line(value.frame))
    return frozenset() if "[]=" in own | below else own | below


def _uses(call: ast.expr, frame: Frame, line: Line) -> frozenset[str]:
    module, classes = frame.module, line(frame)
    parent, among = module.parent(call), False
    if isinstance(parent, ast.Call) and last_name(parent.func) == "enter_context":
        return _uses(parent, frame, line)
    if isinstance(parent, ast.Return) and frame.call is not None and frame.caller is not None:
        return _uses(frame.call, frame.caller, line)
    if isinstance(parent, ast.withitem):
        named = parent.optional_vars
        return frozenset({"with"}) | _of_target(named, module, False, classes)
    display = parent if isinstance(parent, _DISPLAYS) else None
    target = _target(parent if display is None else module.parent(display))
    if display is not None:
        own = _unpacked(display, call, target)
        target, among = (own, False) if own is not None else (target, True)
    if isinstance(target, ast.Subscript):
        target, among = target.value, True
    found = _of_target(target, module, among, classes)
    if isinstance(target, ast.Name):
        for name in _kept_on(_functions(target, module, ()), target.id, module):
            found |= _uses(name, frame, line)
    return found


def _of_target(
    target: ast.expr | None, module: Module, among: bool, classes: Sequence[ast.ClassDef]
) -> frozenset[str]:
    if target is None or not dotted(target):
        return frozenset()
    each = (_uses_in(root, dotted(target), among) for root in _functions(target, module, classes))
    return frozenset().union(*each)


def _target(statement: ast.AST | None) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return target
    return None


def _unpacked(display: ast.expr, value: ast.expr, target: ast.expr | None) -> ast.expr | None:
    """Return what takes a value of a display that is unpacked: `self.file, self.unit = open(path), 1`."""
    pairs = (ast.Tuple, ast.List)
    if not isinstance(display, pairs) or not isinstance(target, pairs):
        return None
    starred = any(isinstance(each, ast.Starred) for each in (*display.elts, *target.elts))
    if starred or len(display.elts) != len(target.elts):
        return None
    return target.elts[display.elts.index(value)]


def _functions(target: ast.expr, module: Module, classes: Sequence[ast.ClassDef]) -> list[ast.AST]:
    """Return the functions that may use what is bound: of the class and its bases where it is an attribute."""
    root: ast.AST = module.scope_of(target).node
    roots = [root]
    if isinstance(target, ast.Attribute):
        root = next((n for n in module.ancestors(target) if isinstance(n, ast.ClassDef)), root)
        roots = [root, *(each for each in classes if each is not root)]
    return [n for each in roots for n in _functions_in(each)] or [root]


@kept
def _functions_in(root: ast.AST) -> tuple[ast.AST, ...]:
    """Return the functions in a node, itself included."""
    return tuple(node for node in walk(root) if isinstance(node, FUNCTIONS))


@kept
def _uses_in(root: ast.AST, wanted: str, among: bool) -> frozenset[str]:
    return frozenset(_Standing(root, wanted, among).uses())


def _kept_on(functions: list[ast.AST], name: str, module: Module) -> Iterator[ast.Name]:
    """Yield where functions keep what a local name stands for as an attribute."""
    for node in (each for function in functions for each in _names_in(function).get(name, ())):
        if isinstance(_target(module.parent(node)), ast.Attribute):
            yield node


@kept
def _names_in(function: ast.AST) -> dict[str, list[ast.Name]]:
    """Return where names are read in a function, by name."""
    found: dict[str, list[ast.Name]] = {}
    for node in walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, []).append(node)
    return found


def _is_text(node: ast.expr) -> bool:
    """Return whether an index is a text for certain: a name of an archive's member."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr() | ast.Call(func=ast.Name(id="str")):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod()):
            return _is_text(left)
        case ast.Call(func=ast.Attribute(value=owner, attr="format")):
            return _is_text(owner)
    return False


class _Standing:
    """What stands for a value in one function: a name, or with `among` the items of one."""

    def __init__(self, root: ast.AST, wanted: str, among: bool) -> None:
        self.root, self.wanted, self.among = root, wanted, among
        self.names: set[str] = set()
        for node in walk(root):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_it(value):
                    self.names.add(name)
                case (
                    ast.For(target=target, iter=gone_through)
                    | ast.comprehension(target=target, iter=gone_through)
                ) if among and self._is_all(gone_through):
                    self.names |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}

    def uses(self) -> Iterator[str]:
        """Yield the attributes used of the value, `name=what` where one is set, `[str]` where it is read by name.

        `[]=` where an item is set or taken out, as only a dict lets one.
        """
        for node in walk(self.root):
            match node:
                case ast.Assign(targets=[ast.Attribute(value=value, attr=name)], value=given) if (
                    self._is_it(value)
                ):
                    yield f"{name}={dotted(given)}"
                case ast.Attribute(value=value, attr=name) if self._is_it(value):
                    yield name
                case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()) if self._is_it(value):
                    yield "[]="
                case ast.Subscript(value=value, slice=key) if _is_text(key) and self._is_it(value):
                    yield "[str]"

    def _is_it(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name) and node.id in self.names:
            return True
        if not self.among:
            return dotted(node) == self.wanted
        match node:
            case (
                ast.Subscript(value=held)
                | ast.Call(func=ast.Attribute(value=held, attr="pop" | "get"))
            ):
                return dotted(held) == self.wanted
        return False

    def _is_all(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=ast.Name(), args=[*given]):
                return any(self._is_all(each) for each in given)
            case ast.Call(func=ast.Attribute(value=held, attr="values" | "items")):
                return dotted(held) == self.wanted
        return dotted(node) == self.wanted
