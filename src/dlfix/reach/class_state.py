"""What constructors put on their class: pickle leaves it out, and a spawned worker has none of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.crossing import Store
from dlfix.reach.values import Bound, Class, Frame, Instance

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter


def class_stores(interpreter: Interpreter, instance: Instance) -> Iterator[Store]:
    """Yield the stores on the class that only the parent makes and that a worker's methods read."""
    sides = interpreter.sides.of(instance.cls)
    methods = interpreter.sides.methods(instance.cls)
    read = {
        node.attr
        for name in sides.worker & set(methods)
        for node in ast.walk(methods[name])
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    for name in sorted(set(methods) & sides.parent - sides.worker):
        for store in _stores(interpreter, instance, name):
            if store.attribute in read:
                yield store


def _stores(interpreter: Interpreter, instance: Instance, name: str) -> Iterator[Store]:
    method = interpreter.instances.method(instance.cls, name)
    if method is None or isinstance(method.node, ast.Lambda):
        return
    frame = interpreter.frame(method.module.inner_scope(method.node))
    for node in ast.walk(method.node):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Attribute) and _is_class(
                interpreter, instance, target, frame
            ):
                yield Store(
                    target.attr, target, node, Bound(node.value, frame), frame, method=name,
                    on_class=True,
                )  # fmt: skip


def _is_class(
    interpreter: Interpreter, instance: Instance, target: ast.Attribute, frame: Frame
) -> bool:
    """Recognize `Clips.x`, `cls.x`, `type(self).x` and `self.__class__.x`."""
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
