"""Tensors that code puts into shared memory: what one worker writes into them, all are to see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.trees import walk
from dlfix.reach.values import Class, Instance

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

_SHARES = "share_memory_"


def shared_attributes(analysis: Analysis, instance: Instance) -> frozenset[str]:
    """Return the attributes of an object whose tensors, or some of them, are put into shared memory."""
    line = {base.node for base in analysis.mro(instance.cls) if isinstance(base, Class)}
    return analysis.once(
        (shared_attributes, instance.cls), lambda: frozenset(_shared(analysis, line))
    )


def _shared(analysis: Analysis, line: set[ast.ClassDef]) -> Iterator[str]:
    for module in analysis.project.mentions(_SHARES):
        for call in module.calls_by_name.get(_SHARES, ()):
            around = [each for each in module.ancestors(call) if isinstance(each, ast.ClassDef)]
            if isinstance(call.func, ast.Attribute) and (not around or line & {*around}):
                yield from _kept_under(module, call, call.func.value)


def _kept_under(module: Module, call: ast.Call, tensor: ast.expr) -> Iterator[str]:
    """Yield the attributes that a tensor is taken from, or is put under."""
    yield from _set_by(module.statement(call))
    tensor = _whole(tensor)
    if isinstance(tensor, ast.Attribute):
        yield tensor.attr
    function = enclosing_function(module, call)
    if not isinstance(tensor, ast.Name) or function is None:
        return
    for node in walk(function):
        match node:
            case (
                ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source)
            ):
                if _names(target, tensor.id):
                    yield from (e.attr for e in walk(source) if isinstance(e, ast.Attribute))
            case ast.Assign(value=value) | ast.AugAssign(value=value) if _names(value, tensor.id):
                yield from _set_by(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == tensor.id:
                taken = _whole(value)
                yield from [taken.attr] if isinstance(taken, ast.Attribute) else []
            case ast.Call(func=ast.Attribute(value=holder), args=[*_, ast.Name(id=name)]):
                holder = _whole(holder)
                if name == tensor.id and isinstance(holder, ast.Attribute):
                    yield holder.attr


def _set_by(statement: ast.AST) -> Iterator[str]:
    """Yield the attributes that an assignment sets, or sets an item of."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    for target in targets if isinstance(statement, (ast.Assign, ast.AugAssign)) else ():
        whole = _whole(target)
        if isinstance(whole, ast.Attribute):
            yield whole.attr


def _whole(node: ast.expr) -> ast.expr:
    """Return what an item is of: `self.rows` of `self.rows[0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in walk(node))


__all__ = ["shared_attributes"]
