"""What is read of the result of a call where it is kept: an archive is read by name, an array is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.import_time import FUNCTIONS, dotted
from dlfix.project.trees import walk
from dlfix.reach.values import ExternalCall

_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


def uses_of(value: ExternalCall) -> frozenset[str]:
    """Return the attributes read of a call's result where it is used on the spot."""
    module = value.frame.module
    parent, among = module.parent(value.node), False
    if isinstance(parent, ast.withitem):
        return frozenset({"with"})
    if isinstance(parent, _DISPLAYS):
        parent, among = module.parent(parent), True
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return frozenset()
    target = parent.targets[0]
    if isinstance(target, ast.Subscript):
        target, among = target.value, True
    root: ast.AST | None = module.scope_of(parent).node
    if isinstance(target, ast.Attribute):
        root = next((n for n in module.ancestors(parent) if isinstance(n, ast.ClassDef)), root)
    if root is None or not dotted(target):
        return frozenset()
    functions: list[ast.AST] = [n for n in walk(root) if isinstance(n, FUNCTIONS)]
    return frozenset(
        each
        for function in functions or [root]
        for each in _Standing(function, dotted(target), among).uses()
    )


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
        """Yield the attributes read of the value, and `[str]` where it is read by name."""
        for node in walk(self.root):
            match node:
                case ast.Attribute(value=value, attr=name) if self._is_it(value):
                    yield name
                case ast.Subscript(value=value, slice=ast.Constant(value=str())):
                    if self._is_it(value):
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
