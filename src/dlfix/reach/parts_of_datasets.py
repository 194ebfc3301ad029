"""What a dataset keeps as a part of itself: loaders ask the dataset for its length, not its parts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.syntax import is_attribute_of
from dlfix.reach.correlated import excluded
from dlfix.reach.set_back import is_gone_below

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator
    from dlfix.reach.values import Class, Instance


def length_is_asked(instance: Instance, interpreter: Evaluator) -> bool:
    """Return whether the parent may ask an object for its length, and still has the object when workers start."""
    kept = _kept_as(instance, interpreter)
    if kept is None:
        return True
    name, holder = kept
    modules = dict.fromkeys((holder.module, *interpreter.roles.outside(holder)))
    uses = [(m, each) for m in modules for each in m.attributes_by_name.get(name, ())]
    also = [each for module, use in uses if (each := _also_kept(module, use)) is not None]
    return any(_may_ask(module, use, also, interpreter) for module, use in uses) or any(
        _may_ask(module, use, [], interpreter)
        for module in modules
        for other in also
        for use in module.attributes_by_name.get(_target(other).attr, ())
    )


def _kept_as(instance: Instance, interpreter: Evaluator) -> tuple[str, Class] | None:
    """Return the attribute in which another dataset keeps an object that it makes, and the class of that one."""
    if instance.call is None or instance.frame is None:
        return None
    if interpreter.instances.is_dataset(instance):
        return None
    module = instance.frame.module
    owner = next((a for a in module.ancestors(instance.call) if isinstance(a, ast.ClassDef)), None)
    match module.parent(instance.call):
        case ast.Assign(targets=[ast.Attribute() as target]) if is_attribute_of(target, "self"):
            if owner is None:
                return None
            cls = interpreter.class_value(owner, interpreter.frame_at(module, owner))
            holder = interpreter.instances.anyone(cls)
            return (target.attr, cls) if interpreter.instances.is_dataset(holder) else None
    return None


def _also_kept(module: Module, use: ast.Attribute) -> ast.Assign | None:
    """Return the statement that keeps a part under a second name: `self.rows = self._rows`."""
    match module.parent(use):
        case ast.Assign(targets=[ast.Attribute() as target]) as statement if (
            statement.value is use and is_attribute_of(target, "self")
        ):
            return statement
    return None


def _target(statement: ast.Assign) -> ast.Attribute:
    (target,) = statement.targets
    assert isinstance(target, ast.Attribute)
    return target


def _may_ask(
    module: Module, use: ast.Attribute, also: list[ast.Assign], interpreter: Evaluator
) -> bool:
    """Return whether a use of a part may ask for its length, or hands it to code that may."""
    if not isinstance(use.ctx, ast.Load) or interpreter.roles.only_worker(module, use):
        return False
    match module.parent(use):
        case ast.Subscript() as item if item.value is use:
            return False
        case ast.Attribute():
            return False
        case ast.Assign() if _also_kept(module, use) is not None:
            return False
        case ast.Call(func=ast.Name(id="len")):
            lasts = any(not excluded(each, use, module) for each in also)
            return lasts or not is_gone_below(use, module.statement(use), module, None, interpreter)
    return True
