"""What the parent sets on a class while it runs: processes that start by spawn do not have it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.late_code import used_on_self
from dlfix.fixing.proof.parent_code import ParentCode
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import Function, dotted, last_part, self_name
from dlfix.project.module import Module

_COLLECTIONS = frozenset(
    "dict list set defaultdict OrderedDict deque Counter WeakValueDictionary".split()
)
_RECORDS = frozenset(
    "BaseModel BaseSettings SQLModel Struct".split()
)  # whose fields are no class attributes


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what workers read of a class that only the parent has set, once objects can be sent."""
    had = {each.name for each in change.before.functions}
    if not any(
        each.name in order.STATE and each.name not in had for each in change.after.functions
    ):
        return
    lineage = change.new.lineage(change.after)
    run = [function for _, function in order.reached(change.new, change.after, order.IN_WORKERS)]
    yield from of_parent(change, lineage, change.new.family(change.after), run)


def of_parent(
    change: ClassChange, lineage: tuple[Class, ...], family: list[Class], run: list[Function]
) -> Iterator[Regression]:
    """Yield what some methods, which workers run, read of classes that only the parent has set."""
    own = {name for cls in lineage for name in attributes_set(cls)}
    used = {name for function in run for name in used_on_self(function)}
    read = (used | {function.name for function in run}) - own
    parent = ParentCode(change.new)
    for module, function, node, name in _set_on(change, lineage):
        if name in read and _is_of_parent(change, parent, module, function, lineage):
            yield change.regression(
                change.after.node,
                f"`{name}` is set on the class by the parent alone ({module.path.name}:{node.lineno}), so "
                "spawned workers do not have it",
            )
            return
    yield from _filled_by_parent(change, parent, lineage, family, run, read)


def _filled_by_parent(
    change: ClassChange,
    parent: ParentCode,
    lineage: tuple[Class, ...],
    family: list[Class],
    run: list[Function],
    read: set[str],
) -> Iterator[Regression]:
    """Yield a table of the class that workers look into and only code of the parent, the constructor too, fills."""
    for name in sorted(read & {name for cls in lineage for name in _tables(cls)}):
        readers = [function for function in run if name in used_on_self(function)]
        filling = list(writes.content(change.new, family, name))
        if not readers or any(write.function in readers for write in filling):
            continue  # a worker fills it for itself
        for write in filling:
            function = write.function
            if function is None or not parent.runs(write.module, function):
                continue
            yield change.regression(
                change.after.node,
                f"`{name}` is a table of the class that the parent alone fills "
                f"({write.module.path.name}:{write.line}), so spawned workers find nothing in it",
            )
            return


def _tables(cls: Class) -> Iterator[str]:
    """Yield the names of a class's own collections, which all its objects share: fields are each object's own."""
    if any(last_part(base) in _RECORDS for base in cls.node.bases):
        return
    for name, value in cls.values.items():
        called = last_part(value.func) if isinstance(value, ast.Call) else ""
        if isinstance(value, (ast.Dict, ast.List, ast.Set)) or called in _COLLECTIONS:
            yield name


def _is_of_parent(
    change: ClassChange,
    parent: ParentCode,
    module: Module,
    function: Function,
    lineage: tuple[Class, ...],
) -> bool:
    """Return whether only the parent runs a function, and not while a module is imported."""
    if function.name in (*order.IN_WORKERS, *order.STATE) or not parent.runs(module, function):
        return False
    calls = list(change.new.calls_of(function))
    return bool(calls) and all(change.new.runs_later(home, call) for home, call in calls)


def _set_on(
    change: ClassChange, lineage: tuple[Class, ...]
) -> Iterator[tuple[Module, Function, ast.expr, str]]:
    """Yield where functions set an attribute of one of some classes: tests that do so send nothing, or failed before."""
    mentions = (m for cls in lineage for m in change.new.project.mentions(cls.name))
    modules = (module for module in mentions if not module.is_test)
    for module in dict.fromkeys(modules):
        for node in module.nodes(ast.Attribute):
            function = change.new.enclosing(module, node)
            if function is None or not isinstance(node.ctx, ast.Store):
                continue
            if _names_class(change, module, function, node.value, lineage):
                yield module, function, node, node.attr
        for call in module.calls_by_name.get("setattr", ()):
            function = change.new.enclosing(module, call)
            named = call.args[1] if len(call.args) > 1 else None
            if function is None or not isinstance(named, ast.Constant):
                continue
            if _names_class(change, module, function, call.args[0], lineage):
                yield module, function, call, str(named.value)


def _names_class(
    change: ClassChange,
    module: Module,
    function: Function,
    node: ast.expr,
    lineage: tuple[Class, ...],
) -> bool:
    decorated = any(last_part(each) == "classmethod" for each in function.decorator_list)
    if decorated and dotted(node) == self_name(function):
        owner = module.parent(function)
        return any(owner is each.node for each in lineage)
    return change.new.class_of(module, node) in lineage


__all__ = ["check", "of_parent"]
