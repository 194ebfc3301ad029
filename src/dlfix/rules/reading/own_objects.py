"""Objects that a function gives of which each process has its own: `Config.get().rate = rate` is seen by the parent alone.

The function gives what a module, class or cache keeps for it. A spawned worker makes that anew, with the values of an import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import ADDING, MUTATORS, first_parameter, is_attribute_of, last_name
from dlfix.project.trees import walk
from dlfix.reach.entry_points import Entry
from dlfix.reach.global_state import Use
from dlfix.reach.starts import only_forks
from dlfix.reach.values import BoundMethod, Class, Container, Function, Instance, Value
from dlfix.reach.worker_code import WorkerCode, WorkerFunction
from dlfix.rules.reading.lacking import set_before
from dlfix.rules.reading.lazy_defaults import asks_for_none

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

_CACHES = frozenset({"cache", "lru_cache"})
_KEEPING = ("__new__", "__call__")
Def = ast.FunctionDef | ast.AsyncFunctionDef
Part = tuple[type, object]  # an attribute or item, by its name or key


@dataclass(frozen=True)
class SetOnOwn:
    """A part of such an object, the place in a worker that reads it, and the parent's that sets it."""

    title: str  # `Config.get().rate`
    function: WorkerFunction
    read: ast.expr
    write: Use
    entry: Entry

    @property
    def crossing(self) -> Crossing:
        """What brings the function that reads the part to the workers."""
        return self.function.crossing


def set_on_own_objects(analysis: Analysis) -> Iterator[SetOnOwn]:
    """Yield the parts of objects that a function gives which workers read and only the parent sets."""
    seen: set[tuple[ast.AST, Part]] = set()
    for function in list(WorkerCode.of(analysis).functions.values()):
        boundary = function.crossing.boundary
        if boundary.kind == "dataset" or only_forks(analysis, boundary):
            continue
        for call, node in _given_in(function):
            for part, read, reader in _parts_read(function, call, node, analysis):
                giver = _giver(function.module, call, analysis)
                if giver is None or (giver, part) in seen:
                    continue
                seen.add((giver, part))
                yield from _set_by_parent(giver, part, read, call, reader, function, analysis)


def _given_in(function: WorkerFunction) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield the calls whose result a function uses, each with what stands for the result: also a name of the module."""
    module = function.module
    for node in walk(function.node):
        if isinstance(node, ast.Call):
            yield from ((node, each) for each in _standing_for(module, node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            bindings = module.scope.bindings.get(node.id, ())
            is_global = module.scope_of(node).lookup(node.id) is module.scope
            if is_global and len(bindings) == 1 and isinstance(bindings[0].value, ast.Call):
                yield bindings[0].value, node


def _standing_for(module: Module, call: ast.Call) -> Iterator[ast.expr]:
    """Yield a call, and the reads of the one name that its function gives what it returns."""
    yield call
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = module.scope_of(call)
            if len(scope.bindings.get(name, ())) == 1:
                for inner in scope.walk():
                    if inner.lookup(name) is scope:
                        yield from inner.reads.get(name, ())


def _part(module: Module, node: ast.expr) -> Part | None:
    """Return the part of an object that is read or set where it is named; None for a method of it."""
    above = module.parent(node)
    match above:
        case ast.Subscript(slice=ast.Constant(value=key)) if above.value is node:
            return ast.Subscript, key
        case ast.Attribute(attr=name) if above.value is node:
            call = module.parent(above)
            if not isinstance(call, ast.Call) or call.func is not above:
                return ast.Attribute, name
            if name == "get" and call.args and isinstance(call.args[0], ast.Constant):
                return ast.Subscript, call.args[0].value
    return None


def _parts_read(
    function: WorkerFunction, call: ast.Call, node: ast.expr, analysis: Analysis
) -> Iterator[tuple[Part, ast.expr, WorkerFunction]]:
    """Yield the parts of an object that are read where it is named, or by its method that is called there."""
    part = _part(function.module, node)
    if part is not None:
        yield part, node, function
        return
    code = WorkerCode.of(analysis)
    method = _method_called(function.module, call, node, analysis)
    reader = code.functions.get(method.node) if method is not None else None
    if method is None or reader is None:
        return
    me = first_parameter(method.node)
    for each in walk(method.node):
        if is_attribute_of(each, me) and isinstance(each.ctx, ast.Load):
            yield (ast.Attribute, each.attr), each, reader


def _method_called(
    module: Module, call: ast.Call, node: ast.expr, analysis: Analysis
) -> Function | None:
    """Return the method that is called on what a call gives, where it is named."""
    above = module.parent(node)
    if not isinstance(above, ast.Attribute) or above.value is not node:
        return None
    made = module.parent(above)
    if not isinstance(made, ast.Call) or made.func is not above:
        return None
    found = analysis.evaluate(call, analysis.frame(module.scope_of(call)))
    classes = {each.value.cls for each in found if isinstance(each.value, Instance)}
    method = analysis.method(classes.pop(), above.attr) if len(classes) == 1 else None
    return method if method is not None and isinstance(method.node, Def) else None


# What gives the object


def _giver(module: Module, call: ast.Call, analysis: Analysis) -> ast.AST | None:
    """Return the function, or class, that gives one kept object to all that call it."""
    frame = analysis.frame(module.scope_of(call))
    values = [each.value for each in analysis.evaluate(call.func, frame)]
    value = values[0] if len(values) == 1 else None
    if isinstance(value, Class):
        return value.node if _is_made_once(value, analysis) else None
    function = value.function if isinstance(value, BoundMethod) else value
    if isinstance(function, Function) and isinstance(function.node, Def):
        return function.node if _keeps(function.module, function.node) else None
    if call.args or call.keywords:
        return None
    return _cached(values, call, module, analysis)


def _cached(
    values: list[Value], call: ast.Call, module: Module, analysis: Analysis
) -> ast.AST | None:
    """Return the function without parameters whose result a cache keeps."""
    name = last_name(call.func)
    for each in dict.fromkeys([module, *analysis.project.mentions(name)]):
        for binding in each.scope.bindings.get(name, ()):
            node = binding.node
            if isinstance(node, ast.FunctionDef) and _is_cached(node) and not node.args.args:
                return node
    return None


def _is_cached(node: ast.FunctionDef) -> bool:
    names = (
        last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list
    )
    return any(name in _CACHES for name in names)


def _is_made_once(cls: Class, analysis: Analysis) -> bool:
    """Return whether a class, or its metaclass, keeps the one object that it makes."""
    metaclass = analysis.interpreter.instances.metaclass(cls)
    for owner, name in zip((cls, metaclass), _KEEPING, strict=True):
        method = analysis.method(owner, name) if owner is not None else None
        if method is not None and isinstance(method.node, Def):
            return _keeps(method.module, method.node)
    return False


def _keeps(module: Module, node: Def) -> bool:
    """Return whether a function returns what its module or class keeps: set before, or here if there is none."""
    if isinstance(node, ast.FunctionDef) and _is_cached(node):
        return not node.args.args
    returned = [each.value for each in walk(node) if isinstance(each, ast.Return)]
    texts = {ast.unparse(each) for each in returned if each is not None}
    if len(texts) != 1 or None in returned or not returned:
        return False
    kept, text = returned[0], texts.pop()
    asked = [n for n in walk(node) if isinstance(n, ast.If) and asks_for_none(n.test, text)]
    if isinstance(kept, ast.Name):
        if module.inner_scope(node).lookup(kept.id) is not module.scope:
            return False
        values = [b.value for b in module.scope.bindings.get(kept.id, ()) if b.kind == "assign"]
        is_none = any(isinstance(v, ast.Constant) and v.value is None for v in values)
        return bool(asked) or (bool(values) and not is_none)
    return bool(asked) and _is_of_class(kept, module, node)


def _is_of_class(kept: ast.expr | None, module: Module, node: Def) -> bool:
    """Return whether an expression is an attribute of the class, or an item of one."""
    kept = kept.value if isinstance(kept, ast.Subscript) else kept
    owner = kept.value if isinstance(kept, ast.Attribute) else None
    above = module.parent(node)
    names = {"cls", above.name if isinstance(above, ast.ClassDef) else "cls"}
    return isinstance(owner, ast.Name) and owner.id in names


# What sets its parts


def _set_by_parent(
    giver: ast.AST,
    part: Part,
    read: ast.expr,
    call: ast.Call,
    reader: WorkerFunction,
    function: WorkerFunction,
    analysis: Analysis,
) -> Iterator[SetOnOwn]:
    code = WorkerCode.of(analysis)
    writes = list(_writes(giver, part, call, function, analysis))
    if any(code.runs(each.module, each.node) is not None for each in writes):
        return
    if any(_sets(each.node, part) for each in code.functions.values()):
        return
    found = set_before(analysis, reader, writes)
    for use, entry in found[1][:1] if found is not None else ():
        kind, name = part
        text = ast.unparse(call)
        title = f"{text}.{name}" if kind is ast.Attribute else f"{text}[{name!r}]"
        yield SetOnOwn(title, reader, read, use, entry)


def _sets(function: ast.AST, part: Part) -> bool:
    """Return whether a function that is no constructor sets a part of that name on anything, or adds to it."""
    kind, name = part
    return (
        kind is ast.Attribute
        and getattr(function, "name", "") not in ("__init__", "__new__")
        and any(_is_changed(node, str(name)) for node in walk(function))
    )


def _is_changed(node: ast.AST, name: str) -> bool:
    """Return whether a node sets an attribute of a name, an item of it, or calls a method that changes it."""
    match node:
        case ast.Attribute(attr=attr, ctx=ast.Store() | ast.Del()):
            return attr == name
        case ast.Subscript(value=ast.Attribute(attr=attr), ctx=ast.Store() | ast.Del()):
            return attr == name
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=attr), attr=method)):
            return attr == name and method in MUTATORS
    return False


def _fills(method: Function, part: Part) -> bool:
    """Return whether a method gives its object more in a part than a new one has."""
    kind, name = part
    me = first_parameter(method.node)
    for node in walk(method.node) if kind is ast.Attribute else ():
        match node:
            case ast.Attribute(attr=attr, ctx=ast.Store()) if attr == name:
                value = getattr(method.module.statement(node), "value", None)
                if is_attribute_of(node, me) and not _is_empty(value):
                    return True
            case ast.Subscript(value=ast.Attribute(attr=attr) as of, ctx=ast.Store()):
                if attr == name and is_attribute_of(of, me):
                    return True
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=attr) as of, attr=called)):
                if attr == name and is_attribute_of(of, me) and called in ADDING:
                    return True
    return False


def _is_empty(value: ast.expr | None) -> bool:
    """Return whether a value is a constant, or a table without entries, as a new object may have."""
    match value:
        case None | ast.Constant() | ast.Dict(keys=[]) | ast.List(elts=[]) | ast.Tuple(elts=[]):
            return True
        case ast.Call(args=[], keywords=[]):
            return True
    return False


def _writes(
    giver: ast.AST, part: Part, call: ast.Call, function: WorkerFunction, analysis: Analysis
) -> Iterator[Use]:
    """Yield where code sets a part of what a call gives to something else than it has from the start."""
    name = last_name(call.func)
    defaults = _defaults(part, call, function.module, analysis)
    for module in dict.fromkeys([function.module, *analysis.project.mentions(name)]):
        for other in module.calls_by_name.get(name, ()):
            for node in _standing_for(module, other):
                above = module.parent(node)
                if not isinstance(above, (ast.Attribute, ast.Subscript)):
                    continue
                method = _method_called(module, other, node, analysis)
                if method is not None:
                    if _fills(method, part) and _giver(module, other, analysis) is giver:
                        yield Use(module, above)
                    continue
                if not isinstance(above.ctx, ast.Store) or _part(module, node) != part:
                    continue
                value = getattr(module.statement(node), "value", None)
                if value is None or ast.dump(value) in defaults:
                    continue
                if _giver(module, other, analysis) is giver:
                    yield Use(module, above)


def _defaults(part: Part, call: ast.Call, module: Module, analysis: Analysis) -> set[str]:
    """Return what a part may have from the start, as text."""
    found: set[str] = set()
    kind, name = part
    for each in analysis.evaluate(call, analysis.frame(module.scope_of(call))):
        value = each.value
        if isinstance(value, Instance) and kind is ast.Attribute:
            stores = analysis.interpreter.instances.stores(value).get(str(name), ())
            own = [s for s in stores if enclosing_function(s.frame.module, s.statement) is not None]
            nodes = [getattr(store.value, "node", None) for store in own if not store.late]
        elif isinstance(value, Container):
            nodes = [getattr(item, "node", None) for key, item in value.items if key == name][:1]
        else:
            nodes = []
        found |= {ast.dump(node) for node in nodes if isinstance(node, ast.Constant)}
    return found


__all__ = ["SetOnOwn", "set_on_own_objects"]
