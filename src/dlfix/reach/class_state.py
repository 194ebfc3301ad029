"""What constructors put on their class: pickle leaves it out, and a spawned worker has none of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.trees import summary, walk
from dlfix.reach.crossing import Store
from dlfix.reach.evaluator import Def
from dlfix.reach.methods import methods_of
from dlfix.reach.values import Bound, Class, Frame, Instance

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter


def class_stores(interpreter: Interpreter, instance: Instance) -> Iterator[Store]:
    """Yield the stores on the class that only the parent makes and that a worker's methods read."""
    cls, roles = instance.cls, interpreter.roles
    worker = roles.worker(cls)
    bodies = {name: _bodies(interpreter, cls, name) for name in roles.methods(cls)}
    setting = {
        name
        for name, nodes in bodies.items()
        if name not in worker and any(_sets_elsewhere(node) for _, node in nodes)
    }
    if not setting:
        return
    read = {
        node.attr
        for name in worker & bodies.keys()
        for _, body in bodies[name]
        for node in walk(body)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    for name in sorted(roles.run_by_parent(cls, setting)):
        for base, node in bodies[name]:
            for store in _stores(interpreter, instance, base, node):
                if store.attribute in read:
                    yield store


def _bodies(interpreter: Interpreter, cls: Class, name: str) -> list[tuple[Class, Def]]:
    """Return what a method runs: its own definition, and those of bases as far as each calls the next."""
    found: list[tuple[Class, Def]] = []
    for base in interpreter.instances.mro(cls):
        node = methods_of(base.node).get(name) if isinstance(base, Class) else None
        if isinstance(base, Class) and node is not None:
            found.append((base, node))
            if not _calls_base(node):
                break
    return found


@summary
def _calls_base(node: Def) -> bool:
    """Return whether a method calls another of its name: `super().close()`, `Base.close(self)`."""
    return any(
        isinstance(inner, ast.Attribute)
        and inner.attr == node.name
        and getattr(inner.value, "id", "") != "self"
        for inner in walk(node)
    )


@summary
def _sets_elsewhere(node: ast.AST) -> bool:
    """Return whether a method sets an attribute of anything but `self`."""
    return any(
        isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and getattr(inner.value, "id", "") != "self"
        for inner in walk(node)
    )


def _stores(
    interpreter: Interpreter, instance: Instance, base: Class, method: Def
) -> Iterator[Store]:
    frame = interpreter.frame(base.module.inner_scope(method))
    for node in walk(method):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Attribute) and is_of_class(
                interpreter, instance, target, frame
            ):
                yield Store(
                    target.attr, target, node, Bound(node.value, frame), frame, method=method.name,
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
