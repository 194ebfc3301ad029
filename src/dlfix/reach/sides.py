"""Parent or worker: in which process a method of a class that reaches workers runs.

A worker runs `__getitem__`, `__iter__`, `__call__` and what they call. The parent runs the
constructor, `__len__` (the samplers ask for it once the workers have started), and whatever code
outside the class calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.module import Module
from dlfix.reach.values import Class, Instance

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter

WORKER = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "forward")
PARENT = ("__init__", "__post_init__", "__attrs_post_init__", "__len__")
_OUTSIDE_MODULES = 12
Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Sides:
    """The methods of a class that run in the parent, and those that run in a worker."""

    parent: frozenset[str]
    worker: frozenset[str]
    called: frozenset[str]  # of the parent's: those that code outside the class calls


class SideReader:
    """Works out the sides of classes."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self._sides: dict[Class, Sides] = {}

    def of(self, cls: Class) -> Sides:
        """Return the sides of a class's methods."""
        if cls not in self._sides:
            self._sides[cls] = self._read(cls, own_only=True)  # while callers are looked for
            self._sides[cls] = self._read(cls)
        return self._sides[cls]

    def _read(self, cls: Class, own_only: bool = False) -> Sides:
        methods = self.methods(cls)
        calls = {name: set(_used_on_self(node, methods)) for name, node in methods.items()}
        worker = _closure((n for n in WORKER if n in methods), calls)
        called = frozenset(() if own_only else self._called_outside(cls, methods))
        parent = _closure((n for n in methods if n in PARENT or n in called), calls)
        return Sides(frozenset(parent), frozenset(worker), called)

    def only_worker(self, module: Module, node: ast.AST) -> bool:
        """Tell whether a node is in a method that only workers run."""
        method: ast.AST = node
        for above in module.ancestors(node):
            if isinstance(above, ast.ClassDef):
                if not isinstance(method, Def):
                    return False
                frame = self.interpreter.frame_at(module, above)
                sides = self.of(self.interpreter.class_value(above, frame))
                return method.name in sides.worker - sides.parent
            method = above
        return False

    def methods(self, cls: Class) -> dict[str, Def]:
        """Return a class's methods by name, inherited ones included."""
        found: dict[str, Def] = {}
        for base in reversed(self.interpreter.instances.mro(cls)):
            if isinstance(base, Class):
                found |= {
                    node.name: node
                    for node in base.node.body
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                }
        return found

    def _called_outside(self, cls: Class, methods: dict[str, Def]) -> Iterator[str]:
        """Yield the methods that code outside the class calls, in modules that mention it."""
        own = {base.node for base in self.interpreter.instances.mro(cls) if isinstance(base, Class)}
        mentioning = self.interpreter.project.users(cls.module, cls.name)
        if not mentioning or cls.module not in mentioning:
            mentioning = [cls.module, *mentioning]
        for module in mentioning[:_OUTSIDE_MODULES]:
            for name in _called_in(module, methods, own):
                if name not in WORKER:
                    yield name
            if "__getitem__" in methods and self._indexed_in(module, cls, own):
                yield "__getitem__"

    def _indexed_in(self, module: Module, cls: Class, own: set[ast.ClassDef]) -> bool:
        """Tell whether code of the parent reads an item: `dataset[0]`."""
        for node in module.nodes(ast.Subscript):
            if not isinstance(node.ctx, ast.Load):
                continue
            if not isinstance(node.value, ast.Name) or _inside(module, node, own):
                continue
            frame = self.interpreter.frame_at(module, node)
            if frame.scope.lookup(node.value.id) is None:
                continue
            values = self.interpreter.evaluate(node.value, frame)
            if any(isinstance(r.value, Instance) and r.value.cls is cls for r in values):
                return True
        return False


def _called_in(module: Module, methods: Iterable[str], own: set[ast.ClassDef]) -> Iterator[str]:
    names = set(methods)
    for call in module.calls:
        func = call.func
        if (
            isinstance(func, ast.Attribute)
            and func.attr in names
            and not _inside(module, call, own)
        ):
            if isinstance(func.value, ast.Name) and func.value.id in ("self", "cls"):
                continue
            if not _in_worker_code(module, call):
                yield func.attr


def _in_worker_code(module: Module, node: ast.AST) -> bool:
    """Tell whether code is a worker's by where it stands: an entry method, or a worker_init_fn."""
    for above in module.ancestors(node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = {a.arg for a in above.args.args}
            return above.name in WORKER or "worker" in above.name or "worker_id" in names
    return False


def _inside(module: Module, node: ast.AST, classes: set[ast.ClassDef]) -> bool:
    return any(above in classes for above in module.ancestors(node))


def _used_on_self(node: Def, methods: dict[str, Def]) -> Iterator[str]:
    """Yield the methods that a method uses on its own object, properties and protocols included."""
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    me = first.arg if first is not None else ""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in methods:
            if (isinstance(inner.value, ast.Name) and inner.value.id == me) or (
                isinstance(inner.value, ast.Call) and _name(inner.value.func) == "super"
            ):
                yield inner.attr
        elif isinstance(inner, ast.Subscript) and _name(inner.value) == me:
            yield "__getitem__"
        elif isinstance(inner, ast.Call) and inner.args and _name(inner.args[0]) == me:
            protocol = {"len": "__len__", "iter": "__iter__", "next": "__next__"}
            used = protocol.get(_name(inner.func))
            if used is not None:
                yield used


def _closure(entries: Iterable[str], calls: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    pending = list(entries)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += calls.get(name, ())
    return reached


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


__all__ = ["PARENT", "WORKER", "SideReader", "Sides"]
