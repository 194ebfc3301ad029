"""Whether the parent itself takes items of a dataset, `rows[0]`, or goes through a stream: what gives these runs there too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from dlfix.project.module import Module, Scope
from dlfix.project.order import comes_before
from dlfix.project.syntax import LOOPS, last_name
from dlfix.reach.constructions import may_be_made
from dlfix.reach.evaluator import Evaluator
from dlfix.reach.handed_on import functions_given, named
from dlfix.reach.methods import methods_of
from dlfix.reach.process_roles import may_be
from dlfix.reach.special_methods import GIVING_ITEMS, ITERATING, WORKER
from dlfix.reach.values import Class, Function, Instance

_DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.DictComp, ast.ListComp)


@dataclass
class _Taken:
    """Of which objects of a class code takes items, as far as it was asked."""

    others: Iterator[Instance]
    found: list[Instance] = field(default_factory=list)
    is_asked: bool = False


class ItemsTaken:
    """Answers for classes and objects; they are looked for in the modules that name a class, and in functions that get one."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._taken: dict[tuple[Class, str], _Taken] = {}
        self._parts: dict[Module, dict[Scope, list[ast.AST]]] = {}

    def by(self, cls: Class, instance: Instance | None = None) -> frozenset[str]:
        """Return which of `__getitem__` and `__iter__` the parent runs by taking items."""
        return frozenset(each for each in GIVING_ITEMS if self.are_taken(cls, each, instance))

    def are_taken(self, cls: Class, method: str, instance: Instance | None = None) -> bool:
        """Return whether code of the parent takes items, by one special method, of an object that goes to workers."""
        key = (cls, method)
        if key not in self._taken:
            self._taken[key] = _Taken(self._owners(cls, method))
        taken = self._taken[key]
        if any(_may_be_it(instance, owner, method) for owner in taken.found):
            return True
        if taken.is_asked:
            return False  # while it is looked for
        taken.is_asked = True
        try:
            for owner in taken.others:  # no further than to the first that counts
                taken.found.append(owner)
                if _may_be_it(instance, owner, method):
                    return True
        except BaseException:
            del self._taken[key]
            raise
        finally:
            taken.is_asked = False
            self.interpreter.kept_if_fed(self._taken, key)
        return False

    def _owners(self, cls: Class, method: str) -> Iterator[Instance]:
        outside = self.interpreter.roles.outside(cls)
        if method not in self.interpreter.roles.methods(cls) or not may_be_made(cls, outside):
            return
        own = {base.node for base in self._line(cls) if isinstance(base, Class)}
        for module in outside:
            yield from self._taken_in(module, cls, method, own)
        for module in outside:
            yield from self._taken_by_others(module, cls, method)

    def _taken_in(
        self, module: Module, cls: Class, method: str, own: AbstractSet[ast.ClassDef]
    ) -> Iterator[Instance]:
        """Yield the objects of which code of a module, outside the class, takes items, and which escape from there."""
        line = {getattr(base, "name", "").rpartition(".")[2] for base in self._line(cls)}
        for node in self._taking_before_workers(module, cls, method):
            if any(above in own for above in module.ancestors(node)):
                continue
            is_item = isinstance(module.parent(node), ast.Subscript)
            scope = self.interpreter.frame_at(module, node).scope
            if _may_hold(node, scope, line, passed=is_item):
                for value in self._objects(node, module, cls):
                    if self.interpreter.escape.escapes(module, value):
                        yield value

    def _taken_by_others(self, module: Module, cls: Class, method: str) -> Iterator[Instance]:
        """Yield the objects that a module makes, and hands to a function which takes items before workers have run."""
        for call in module.calls_by_name.get(cls.name, ()):
            uses = [
                each
                for each in (call, *named(call, module))
                if self._is_before_workers(each, module)
            ]
            for given in functions_given(uses, module, self.interpreter):
                yield from (o for o in self._taken_by(given, cls, method) if o.call in (call, None))

    def _taken_by(self, function: Function | Class, cls: Class, method: str) -> Iterator[Instance]:
        """Yield the objects of a class of which a function, or a class's constructor, takes items."""
        init = methods_of(function.node).get("__init__") if isinstance(function, Class) else None
        code = init or function.node
        module = function.module
        for node in self._taking_before_workers(module, cls, method):
            if code in module.ancestors(node):
                yield from self._objects(node, module, cls)

    def _taking_before_workers(
        self, module: Module, cls: Class, method: str
    ) -> Iterator[ast.Name | ast.Subscript]:
        """Yield what code takes items of while workers may start later, and see what that has opened."""
        roles = self.interpreter.roles
        for node in self._taking(module, cls, method):
            whole = node.value if isinstance(node, ast.Subscript) else node
            managed = isinstance(whole, ast.Name) and roles.is_managed(module, whole, cls)
            later = node is whole or self._starts_later(node, module)
            if later and self._is_before_workers(whole, module) and not managed:
                yield node

    def _taking(
        self, module: Module, cls: Class, method: str
    ) -> Iterator[ast.Name | ast.Subscript]:
        """Yield what code takes items of: `dataset[0]`, `datasets["train"][0]`, and `for one in dataset`."""
        if method == "__getitem__":
            for node in module.nodes(ast.Subscript):
                if _may_take_item(node):
                    yield node.value  # type: ignore[misc]
            if "__iter__" in self.interpreter.roles.methods(cls):
                return
        loops: list[ast.For | ast.comprehension] = [
            *module.nodes(ast.For), *module.nodes(ast.comprehension)
        ]  # fmt: skip
        for loop in loops:
            yield from _iterated(loop.iter)
        for name in ITERATING:
            for call in module.calls_by_name.get(name, ()):
                yield from _iterated(call)

    def _objects(self, node: ast.expr, module: Module, cls: Class) -> Iterator[Instance]:
        """Yield the objects of a class that an expression may give."""
        for value in self.interpreter.values_at(node, self.interpreter.frame_at(module, node)):
            if isinstance(value, Instance) and value.cls is cls:
                yield value

    def _is_before_workers(self, node: ast.expr, module: Module) -> bool:
        return not self.interpreter.roles.starts_none(node, node, module)

    def _starts_later(self, node: ast.expr, module: Module) -> bool:
        """Return whether code of the same function may start workers further down, or in the next round of a loop."""
        scope = module.scope_of(node)
        around = {each for each in module.ancestors(node) if isinstance(each, LOOPS)}
        return any(
            (comes_before(node, part) or not around.isdisjoint(module.ancestors(part)))
            and self.interpreter.roles.may_start_workers(part, module)
            for part in self._parts_of(scope, module)
            if part not in around
        )

    def _parts_of(self, scope: Scope, module: Module) -> list[ast.AST]:
        """Return the loops and calls of a function's own code, or of a module's."""
        if module not in self._parts:
            found = self._parts[module] = {}
            for part in module.nodes(ast.For, ast.comprehension, ast.Call):
                found.setdefault(module.scope_of(part), []).append(part)
        return self._parts[module].get(scope, [])

    def _line(self, cls: Class) -> list[object]:
        return [*self.interpreter.instances.mro(cls)]


def _may_be_it(instance: Instance | None, owner: Instance, method: str) -> bool:
    """Return whether an object may be one whose items are taken; of streams the very one, as few are gone through twice."""
    is_told = instance is not None and instance.call is not None
    return (is_told or method != "__iter__") and may_be(instance, [owner])


def _iterated(node: ast.expr) -> Iterator[ast.Name]:
    """Yield the name that is iterated, also in `enumerate(name)`."""
    if isinstance(node, ast.Call) and last_name(node.func) in ITERATING and node.args:
        node = node.args[0]
    if isinstance(node, ast.Name):
        yield node


def _may_take_item(node: ast.Subscript) -> bool:
    """Return whether a subscript may be `dataset[0]`: of a name or an item of one, and neither a slice nor a text."""
    held = node.value.value if isinstance(node.value, ast.Subscript) else node.value
    if not isinstance(node.ctx, ast.Load) or not isinstance(held, ast.Name):
        return False
    if isinstance(node.slice, ast.Constant):
        return isinstance(node.slice.value, int)
    return not isinstance(node.slice, (ast.Slice, ast.Tuple))


def _may_hold(
    node: ast.Name | ast.Subscript, scope: Scope, line: set[str], *, passed: bool
) -> bool:
    """Return whether a name, or an item of what it holds, may be an object of a class; `line` names its bases.

    What a call of a plain function or class gives may, and, if asked, what a function is passed
    that is no worker's method; an annotation is taken at its word.
    """
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and _may_hold_many(node.value.id, scope)
    binder = scope.lookup(node.id)
    if binder is None:
        return False
    in_worker = binder.parent is not None and binder.parent.is_class and binder.name in WORKER
    for binding in binder.bindings.get(node.id, ()):
        if binding.kind == "parameter":
            annotation = getattr(binding.node, "annotation", None)
            if passed and not in_worker and (annotation is None or line & _words(annotation)):
                return True
        elif isinstance(binding.value, ast.Call):
            func = binding.value.func
            owner = func.value if isinstance(func, ast.Attribute) else func
            if isinstance(owner, ast.Name) and owner.id not in ("self", "cls"):
                return True
    return False


def _may_hold_many(name: str, scope: Scope) -> bool:
    """Return whether a name may hold a container of objects, by how it is bound."""
    binder = scope.lookup(name)
    bindings = binder.bindings.get(name, ()) if binder is not None else ()
    return any(isinstance(each.value, (*_DISPLAYS, ast.Call)) for each in bindings)


def _words(annotation: ast.expr) -> set[str]:
    """Return the names an annotation is written with, as a text too."""
    return set(re.findall(r"\w+", ast.unparse(annotation)))
