"""What constructors put on their class: pickle leaves it out, and a spawned worker has none of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.trees import summary, walk
from dlfix.reach.crossing import Store
from dlfix.reach.values import Bound, Class, Frame, Instance

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter


def class_stores(interpreter: Interpreter, instance: Instance) -> Iterator[Store]:
    """Yield the stores on the class that only the parent makes and that a worker's methods read."""
    cls, roles = instance.cls, interpreter.roles
    methods, worker = roles.methods(cls), roles.worker(cls)
    setting = {n for n, node in methods.items() if n not in worker and _sets_elsewhere(node)}
    if not setting:
        return
    read = {
        node.attr
        for name in worker & set(methods)
        for node in walk(methods[name])
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    for name in sorted(roles.run_by_parent(cls, setting)):
        for store in _stores(interpreter, instance, name):
            if store.attribute in read:
                yield store


@summary
def _sets_elsewhere(node: ast.AST) -> bool:
    """Return whether a method sets an attribute of anything but `self`."""
    return any(
        isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and getattr(inner.value, "id", "") != "self"
        for inner in walk(node)
    )


def _stores(interpreter: Interpreter, instance: Instance, name: str) -> Iterator[Store]:
    method = interpreter.instances.method(instance.cls, name)
    if method is None or isinstance(method.node, ast.Lambda):
        return
    frame = interpreter.frame(method.module.inner_scope(method.node))
    for node in walk(method.node):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Attribute) and is_of_class(
                interpreter, instance, target, frame
            ):
                yield Store(
                    target.attr, target, node, Bound(node.value, frame), frame, method=name,
                    on_class=True,
                )  # fmt: skip


def is_of_class(
    interpreter: Interpreter, instance: Instance, target: ast.Attribute, frame: Frame
) -> bool:
    """Return whether an attribute is one of an object's class: `Clips.x`, `cls.x`, `type(self).x`."""
    owner = target.value
    if isinstance(owner, ast.Call):
        return getattr(owner.func, "id", "") == "type"
    if isinstance(owner, ast.Attribute):
        return owner.attr == "__class__"
    if not isinstance(owner, ast.Name):
        return False
    line = {
        base.node for base in interpreter.instances.mro(instance.cls) if isinstance(base, Class)
    }
    return any(
        isinstance(reached.value, Class) and reached.value.node in line
        for reached in interpreter.evaluate(owner, frame)
    )
