"""Attributes of classes that only the parent sets, and that code in workers reads: `Config.rate = rate`.

A container of a class that only the parent fills (`Files.opened[path] = file`) counts too, if a worker takes an item of
it: an import leaves it empty.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.syntax import first_parameter, is_attribute_of
from dlfix.project.trees import walk
from dlfix.reach.computed_names import computed_writes, is_written_out, sets_on_classes
from dlfix.reach.entry_points import Entry
from dlfix.reach.global_state import Use, changes
from dlfix.reach.methods import decorator_kind, stored_on_self, takes_instance
from dlfix.reach.starts import only_forks
from dlfix.reach.values import Class, Instance
from dlfix.reach.worker_code import WorkerCode, WorkerFunction
from dlfix.rules.reading.lacking import set_before
from dlfix.rules.reading.lazy_defaults import without_defaults

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing


@dataclass(frozen=True)
class SetOnClass:
    """An attribute of a class, the place in a worker that reads it, and the parent's that sets it."""

    cls: Class
    name: str  # `Config.rate`
    function: WorkerFunction
    read: ast.Attribute
    write: Use
    entry: Entry
    has_default: bool  # a worker finds the value of the class statement
    is_plain: bool = False  # that value is a literal
    beside: tuple[SetOnClass, ...] = ()  # other attributes that the same statement sets

    @property
    def crossing(self) -> Crossing:
        """What brings the function that reads the attribute to the workers."""
        return self.function.crossing

    @property
    def title(self) -> str:
        """What the attribute is called in messages."""
        return self.name

    @property
    def all(self) -> tuple[SetOnClass, ...]:
        """What one statement sets: this attribute."""
        return (self, *self.beside)


def set_on_classes(analysis: Analysis) -> Iterator[SetOnClass]:
    """Yield the attributes of classes that workers read and only the parent sets, those of one place together."""
    places: dict[ast.AST, list[SetOnClass]] = {}
    for found in (*_replaced_methods(analysis), *_attributes(analysis)):
        places.setdefault(found.write.node, []).append(found)
    for first, *others in places.values():
        yield replace(first, beside=tuple(others))


def _attributes(analysis: Analysis) -> Iterator[SetOnClass]:
    seen: set[tuple[ast.AST, str]] = set()
    for function in list(WorkerCode.of(analysis).functions.values()):
        boundary = function.crossing.boundary
        if boundary.kind == "dataset" or only_forks(analysis, boundary):
            continue
        for node in walk(function.node):
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            for cls in _classes(node, function, analysis):
                if (cls.node, node.attr) not in seen:
                    seen.add((cls.node, node.attr))
                    writes = [
                        *_writes(cls, node.attr, analysis),
                        *_fills(cls, node, function, analysis),
                    ]
                    yield from _set_by_parent(cls, node, function, writes, analysis)


def _replaced_methods(analysis: Analysis) -> Iterator[SetOnClass]:
    """Yield the methods that workers call and only the parent puts others in the place of: `Reader.pick = picked`."""
    functions = list(WorkerCode.of(analysis).functions.values())
    for function in functions:
        above, name = function.module.parent(function.node), getattr(function.node, "name", "")
        if not isinstance(above, ast.ClassDef) or not analysis.project.sets(name):
            continue
        if function.crossing.boundary.kind == "dataset" or only_forks(
            analysis, function.crossing.boundary
        ):
            continue
        module = function.module
        cls = analysis.interpreter.class_value(above, analysis.frame(module.scope_of(above)))
        writes = list(_writes(cls, name, analysis))
        called = (
            (each, node)
            for each in (functions if writes else ())
            for node in walk(each.node)
            if isinstance(node, ast.Attribute) and node.attr == name
        )
        caller, node = next(called, (function, None))
        if node is not None:
            yield from _set_by_parent(cls, node, caller, writes, analysis)


def _classes(node: ast.Attribute, function: WorkerFunction, analysis: Analysis) -> Iterator[Class]:
    """Yield the class whose attribute is read: by its name, or by an object that has none of its own."""
    module = function.module
    above = module.parent(function.node)
    is_own = is_attribute_of(node, first_parameter(function.node))
    of_class = decorator_kind(function.node) == "classmethod"
    if isinstance(above, ast.ClassDef) and is_own and (of_class or takes_instance(function.node)):
        if _may_be_set(node, module, analysis):
            cls = analysis.interpreter.class_value(above, analysis.frame(module.scope_of(above)))
            for each in dict.fromkeys((cls, _class_sent(function, cls, analysis))):
                if _default(each, node.attr, analysis) is not None and not _is_stored(
                    each, node.attr, analysis
                ):
                    yield each
        return
    if _may_be_set(node, module, analysis):
        code = WorkerCode.of(analysis)
        yield from (v for v in code.stands_for(module, node.value) if isinstance(v, Class))


def _may_be_set(node: ast.Attribute, module: Module, analysis: Analysis) -> bool:
    """Return whether any code may set an attribute of this name, or fill what it holds."""
    return (
        analysis.project.sets(node.attr) or _takes_item(module, node) or sets_on_classes(analysis)
    )


def _class_sent(function: WorkerFunction, cls: Class, analysis: Analysis) -> Class:
    """Return the class of the object that runs a method in workers: one that derives from the method's."""
    value = function.crossing.value
    if isinstance(value, Instance) and any(
        isinstance(each, Class) and each.node is cls.node for each in analysis.mro(value.cls)
    ):
        return value.cls
    return cls


def _default(cls: Class, name: str, analysis: Analysis) -> ast.expr | None:
    """Return the value that a class statement gives an attribute."""
    for base in analysis.mro(cls):
        if isinstance(base, Class):
            bindings = base.module.inner_scope(base.node).bindings.get(name, ())
            values = [b.value for b in bindings if b.kind not in ("def", "class", "import")]
            if bindings:
                return values[-1] if values else None
    return None


def _is_stored(cls: Class, name: str, analysis: Analysis) -> bool:
    methods = analysis.interpreter.roles.methods(cls)
    return any(takes_instance(each) and name in stored_on_self(each) for each in methods.values())


def _set_by_parent(
    cls: Class,
    node: ast.Attribute,
    function: WorkerFunction,
    writes: list[Use],
    analysis: Analysis,
) -> Iterator[SetOnClass]:
    writes = without_defaults(writes, WorkerCode.of(analysis))
    found = set_before(analysis, function, writes) if writes else None
    if found is None:
        return
    function, before = found
    default = _default(cls, node.attr, analysis)
    for use, entry in before:
        if not (use.rebinds and _says(use, default)):
            name = f"{cls.name}.{node.attr}"
            is_there = default is not None or analysis.method(cls, node.attr) is not None
            is_plain = is_written_out(default)
            yield SetOnClass(cls, name, function, node, use, entry, is_there, is_plain)
            return


def _writes(cls: Class, name: str, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that set an attribute on a class, or on one it derives from."""
    line = {base.node for base in analysis.mro(cls) if isinstance(base, Class)}
    modules = [cls.module, *analysis.project.setting(name, cls.module)]
    for module in dict.fromkeys(modules):
        for target in module.stores_by_name.get(name, ()):
            if not isinstance(target.ctx, ast.Store):
                continue
            if not isinstance(target.value, (ast.Name, ast.Attribute, ast.Call)):
                continue
            owners = analysis.evaluate(target.value, analysis.frame(module.scope_of(target)))
            values = [reached.value for reached in owners]
            if any(isinstance(v, Class) and v.node in line for v in values):
                yield Use(module, target, rebinds=True)
    yield from _computed(line, name, analysis)


def _computed(line: set[ast.ClassDef], name: str, analysis: Analysis) -> Iterator[Use]:
    """Yield the code that sets an attribute on a class without spelling it: `setattr(Config, key, value)`."""
    for node in line:
        for write in computed_writes(analysis, node):
            if write.may_set(name, analysis):
                yield Use(write.where, write.node, True, write.owner, name in write.names)


def _fills(
    cls: Class, read: ast.Attribute, function: WorkerFunction, analysis: Analysis
) -> list[Use]:
    """Return the places that fill a container of a class, of which a worker takes an item; none if others may."""
    default = _default(cls, read.attr, analysis)
    if default is None or not _is_empty(default) or not _only_takes_items(read, function):
        return []
    found = []
    for module in dict.fromkeys((cls.module, *analysis.project.users(cls.module, cls.name))):
        for node in module.nodes_by_name.get(read.attr, ()):
            if isinstance(node.ctx, ast.Load) and not _is_asked(module, node):
                if not isinstance(node, ast.Attribute) or not changes(module, node):
                    return []
                found.append(Use(module, node))
    return found if all(_is_of(cls, use, analysis) for use in found) else []


def _is_of(cls: Class, use: Use, analysis: Analysis) -> bool:
    """Return whether a use is one of a class, or of an object of it, and of nothing else."""
    assert isinstance(use.node, ast.Attribute)
    line = {base.node for base in analysis.mro(cls) if isinstance(base, Class)}
    frame = analysis.frame(use.module.scope_of(use.node))
    owners = [reached.value for reached in analysis.evaluate(use.node.value, frame)]
    classes = [v.cls if isinstance(v, Instance) else v for v in owners]
    return bool(classes) and all(isinstance(c, Class) and c.node in line for c in classes)


def _is_empty(node: ast.expr) -> bool:
    match node:
        case ast.Dict(keys=parts) | ast.List(elts=parts):
            return not parts
        case ast.Call(func=ast.Name(id="dict" | "list"), args=[], keywords=[]):
            return True
    return False


def _only_takes_items(read: ast.Attribute, function: WorkerFunction) -> bool:
    """Return whether a function takes items of a container without a question whether they are there."""
    named = [node for node in walk(function.node) if getattr(node, "attr", "") == read.attr]
    tried = any(isinstance(node, ast.Try) for node in walk(function.node))
    return not tried and all(
        isinstance(node, ast.Attribute) and _takes_item(function.module, node) for node in named
    )


def _takes_item(module: Module, node: ast.expr) -> bool:
    parent = module.parent(node)
    return (
        isinstance(parent, ast.Subscript)
        and parent.value is node
        and isinstance(parent.ctx, ast.Load)
        and not changes(module, node)
    )


def _is_asked(module: Module, node: ast.expr) -> bool:
    """Return whether a container is only asked for its items where it is named."""
    parent = module.parent(node)
    above = module.parent(parent) if parent is not None else None
    match parent, above:
        case ast.Attribute(attr="get" | "keys" | "values" | "items"), ast.Call(func=func):
            return func is parent
        case ast.Call(func=ast.Name(id="len" | "sorted" | "list" | "bool" | "print")), _:
            return True
        case ast.Compare(ops=[ast.In() | ast.NotIn()]), _:
            return True
    return _takes_item(module, node)


def _says(use: Use, default: ast.expr | None) -> bool:
    """Return whether an assignment sets what the class statement says."""
    value = getattr(use.module.statement(use.node), "value", None)
    return value is not None and default is not None and ast.dump(value) == ast.dump(default)
