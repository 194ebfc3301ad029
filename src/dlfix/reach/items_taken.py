"""Whether the parent itself takes items of a dataset, `rows[0]`, or goes through a stream: what gives these runs there too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from dlfix.project.module import Module, Scope
from dlfix.project.syntax import last_name
from dlfix.reach.constructions import may_be_made
from dlfix.reach.evaluator import Evaluator
from dlfix.reach.handed_on import functions_given, named
from dlfix.reach.methods import methods_of
from dlfix.reach.special_methods import GIVING_ITEMS, ITERATING, WORKER
from dlfix.reach.values import Class, Function, Instance


class ItemsTaken:
    """Answers for classes; each is looked for in the modules that name it, and in functions that get an object."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._taken: dict[tuple[Class, str], bool] = {}

    def by(self, cls: Class) -> frozenset[str]:
        """Return which of `__getitem__` and `__iter__` the parent runs by taking items."""
        return frozenset(method for method in GIVING_ITEMS if self.are_taken(cls, method))

    def are_taken(self, cls: Class, method: str) -> bool:
        """Return whether code of the parent takes items of an object that goes to workers, by one special method."""
        key = (cls, method)
        if key not in self._taken:
            self._taken[key] = False  # while it is looked for
            self._taken[key] = self._looked_for(cls, method)
            if not self._taken[key]:
                self.interpreter.kept_if_fed(self._taken, key)
        return self._taken[key]

    def _looked_for(self, cls: Class, method: str) -> bool:
        outside = self.interpreter.roles.outside(cls)
        if method not in self.interpreter.roles.methods(cls) or not may_be_made(cls, outside):
            return False
        own = {base.node for base in self._line(cls) if isinstance(base, Class)}
        return any(
            self._are_taken_in(module, cls, method, own) for module in outside
        ) or self._are_taken_by_others(cls, method, outside)

    def _are_taken_in(
        self, module: Module, cls: Class, method: str, own: AbstractSet[ast.ClassDef]
    ) -> bool:
        """Return whether code of a module, outside the class, takes items of an object that escapes from there."""
        line = {getattr(base, "name", "").rpartition(".")[2] for base in self._line(cls)}
        for node in self._taking_before_workers(module, cls, method):
            if any(above in own for above in module.ancestors(node)):
                continue
            is_item = isinstance(module.parent(node), ast.Subscript)
            scope = self.interpreter.frame_at(module, node).scope
            if _may_hold(node.id, scope, line, passed=is_item) and any(
                self.interpreter.escape.escapes(module, value)
                for value in self._objects(node, module, cls)
            ):
                return True
        return False

    def _are_taken_by_others(self, cls: Class, method: str, outside: list[Module]) -> bool:
        """Return whether a function that gets an object, where it is made, takes items of it before workers have run."""
        for module in outside:
            for call in module.calls_by_name.get(cls.name, ()):
                uses = [
                    each
                    for each in (call, *named(call, module))
                    if self._is_before_workers(each, module)
                ]
                for given in functions_given(uses, module, self.interpreter):
                    if self._takes(given, cls, method):
                        return True
        return False

    def _takes(self, function: Function | Class, cls: Class, method: str) -> bool:
        """Return whether a function, or a class's constructor, takes items of an object of a class."""
        init = methods_of(function.node).get("__init__") if isinstance(function, Class) else None
        code = init or function.node
        module = function.module
        return any(
            code in module.ancestors(node) and any(True for _ in self._objects(node, module, cls))
            for node in self._taking_before_workers(module, cls, method)
        )

    def _taking_before_workers(self, module: Module, cls: Class, method: str) -> Iterator[ast.Name]:
        """Yield the names whose items code takes while workers may start later, and see what that has opened."""
        roles = self.interpreter.roles
        for node in self._taking(module, cls, method):
            if self._is_before_workers(node, module) and not roles.is_managed(module, node, cls):
                yield node

    def _taking(self, module: Module, cls: Class, method: str) -> Iterator[ast.Name]:
        """Yield the names whose items code takes by a method: `dataset[0]`, and `for one in dataset`."""
        if method == "__getitem__":
            for node in module.nodes(ast.Subscript):
                if isinstance(node.value, ast.Name) and _may_take_item(node):
                    yield node.value
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

    def _objects(self, node: ast.Name, module: Module, cls: Class) -> Iterator[Instance]:
        """Yield the objects of a class that a name may hold."""
        for value in self.interpreter.values_at(node, self.interpreter.frame_at(module, node)):
            if isinstance(value, Instance) and value.cls is cls:
                yield value

    def _is_before_workers(self, node: ast.expr, module: Module) -> bool:
        return not self.interpreter.roles.starts_none(node, node, module)

    def _line(self, cls: Class) -> list[object]:
        return [*self.interpreter.instances.mro(cls)]


def _iterated(node: ast.expr) -> Iterator[ast.Name]:
    """Yield the name that is iterated, also in `enumerate(name)`."""
    if isinstance(node, ast.Call) and last_name(node.func) in ITERATING and node.args:
        node = node.args[0]
    if isinstance(node, ast.Name):
        yield node


def _may_take_item(node: ast.Subscript) -> bool:
    """Return whether a subscript may be `dataset[0]`: of a name, and neither a slice nor a text."""
    if not isinstance(node.ctx, ast.Load) or not isinstance(node.value, ast.Name):
        return False
    if isinstance(node.slice, ast.Constant):
        return isinstance(node.slice.value, int)
    return not isinstance(node.slice, (ast.Slice, ast.Tuple))


def _may_hold(name: str, scope: Scope, line: set[str], *, passed: bool) -> bool:
    """Return whether a name may hold an object of a class, by how it is bound; `line` names its bases.

    What a call of a plain function or class gives may, and, if asked, what a function is passed
    that is no worker's method; an annotation is taken at its word.
    """
    binder = scope.lookup(name)
    if binder is None:
        return False
    in_worker = binder.parent is not None and binder.parent.is_class and binder.name in WORKER
    for binding in binder.bindings.get(name, ()):
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


def _words(annotation: ast.expr) -> set[str]:
    """Return the names an annotation is written with, as a text too."""
    return set(re.findall(r"\w+", ast.unparse(annotation)))
