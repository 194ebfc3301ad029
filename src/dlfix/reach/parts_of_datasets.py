"""What a dataset keeps as a part of itself: loaders ask the dataset for its length, not its parts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.import_time import in_main_only
from dlfix.project.syntax import is_attribute_of, positional
from dlfix.reach.correlated import excluded
from dlfix.reach.set_back import is_gone_below
from dlfix.reach.values import Class, External, Function, Instance

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator
    from dlfix.reach.values import Value


def length_is_asked(instance: Instance, interpreter: Evaluator) -> bool:
    """Return whether the parent may ask an object for its length, and still has the object when workers start."""
    kept = _kept_as(instance, interpreter)
    if kept is not None:
        name, holder = kept
        heirs = interpreter.instances.subclasses(holder)
        return _is_asked_as(name, holder, heirs, interpreter)
    return not _is_only_wrapped(instance, interpreter)


def _is_asked_as(name: str, holder: Class, heirs: list[Class], interpreter: Evaluator) -> bool:
    """Return whether the parent may ask for the length of what objects of a class, or an heir, keep in an attribute."""
    modules = dict.fromkeys((holder.module, *interpreter.roles.outside(holder)))
    line = [
        each.node
        for each in (*interpreter.instances.mro(holder), *heirs)
        if isinstance(each, Class)
    ]
    uses = [
        (module, each)
        for module in modules
        for each in module.attributes_by_name.get(name, ())
        if not _is_of_another(module, each, line)
    ]
    also = [each for module, use in uses if (each := _also_kept(module, use)) is not None]
    return any(_may_ask(module, use, also, interpreter) for module, use in uses) or any(
        _may_ask(module, use, [], interpreter)
        for module in modules
        for other in also
        for use in module.attributes_by_name.get(_target(other).attr, ())
    )


def _is_of_another(module: Module, use: ast.Attribute, line: list[ast.ClassDef]) -> bool:
    """Return whether a method of another class than some asks its own object for an attribute."""
    if not is_attribute_of(use, "self"):
        return False
    around = next((a for a in module.ancestors(use) if isinstance(a, ast.ClassDef)), None)
    return around is not None and around not in line


def _kept_as(instance: Instance, interpreter: Evaluator) -> tuple[str, Class] | None:
    """Return the attribute in which another dataset keeps an object that it makes, and the class of that one."""
    if instance.call is None or instance.frame is None:
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


def _is_only_wrapped(instance: Instance, interpreter: Evaluator) -> bool:
    """Return whether all that code does with an object is to wrap it into what has a length of its own."""
    if instance.call is None or instance.frame is None:
        return False
    module, call = instance.frame.module, instance.call
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = module.scope_of(call)
            if len(scope.bindings.get(name, ())) != 1 or _is_shared(
                name, call, module, interpreter
            ):
                return False
            uses: list[ast.expr] = [
                read for inner in scope.walk() for read in inner.reads.get(name, ())
                if inner.lookup(name) is scope
            ]  # fmt: skip
        case _:
            uses = [call]
    wrapped = bool(uses) and all(_is_wrapped(module, use, interpreter) for use in uses)
    return wrapped and not _is_asked_through(instance, module, interpreter)


def _is_asked_through(instance: Instance, module: Module, interpreter: Evaluator) -> bool:
    """Return whether code asks what is wrapped for its length: `len(subset.dataset)`."""
    return any(
        isinstance(value, Instance) and value.call is instance.call
        for call in module.calls_by_name.get("len", ())
        for given in call.args
        if isinstance(given, ast.Attribute)
        for value in interpreter.values_at(given, interpreter.frame_at(module, call))
    )


def _is_shared(name: str, made: ast.AST, module: Module, interpreter: Evaluator) -> bool:
    """Return whether another module may read a name that a module binds."""
    if module.scope_of(made).is_function or in_main_only((made, *module.ancestors(made))):
        return False
    return any(user is not module for user in interpreter.project.users(module, name))


def _is_wrapped(module: Module, use: ast.expr, interpreter: Evaluator) -> bool:
    """Return whether a use wraps an object into what does not ask it for its length, or reads a part of it."""
    above = module.parent(use)
    passed = module.parent(above) if isinstance(above, ast.keyword) else above
    if isinstance(above, (ast.Attribute, ast.Subscript)):
        return above.value is use
    if not isinstance(passed, ast.Call) or passed.func is use:
        return False
    called = interpreter.values_at(passed.func, interpreter.frame_at(module, passed))
    return bool(called) and all(_wraps(each, passed, use, interpreter) for each in called)


def _wraps(called: Value, call: ast.Call, use: ast.expr, interpreter: Evaluator) -> bool:
    """Return whether a call makes an object around an argument, whose length it does not ask for."""
    if isinstance(called, External):
        row = interpreter.catalog.holder(called.name)
        return row is not None and row.own_length
    if not isinstance(called, Class):
        return False
    init = interpreter.instances.method(called, "__init__")
    if init is None:
        outside = interpreter.instances.outside_bases(called)
        return bool(outside) and all(_wraps(each, call, use, interpreter) for each in outside)
    attribute = _kept_by(init, _parameter(init, call, use))
    return bool(attribute) and not _is_asked_as(attribute, called, [], interpreter)


def _parameter(init: Function, call: ast.Call, use: ast.expr) -> str:
    """Return the parameter of a constructor that gets an argument of a call."""
    names = positional(init.node)[1:]
    if any(isinstance(each, ast.Starred) for each in call.args):
        return ""
    if use in call.args:
        index = call.args.index(use)
        return names[index] if index < len(names) else ""
    return next((each.arg or "" for each in call.keywords if each.value is use), "")


def _kept_by(init: Function, parameter: str) -> str:
    """Return the attribute that a constructor keeps a parameter in, if it does nothing else with it."""
    scope = init.module.inner_scope(init.node)
    reads = [
        read for inner in scope.walk() for read in inner.reads.get(parameter, ())
        if inner.lookup(parameter) is scope
    ]  # fmt: skip
    match [init.module.parent(read) for read in reads]:
        case [ast.Assign(targets=[ast.Attribute(attr=name) as target])] if is_attribute_of(
            target, "self"
        ):
            return name
    return ""


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
