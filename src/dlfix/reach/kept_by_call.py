"""What calls of methods keep in objects of libraries: hooks of a module, a transform that is set later."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import is_name
from dlfix.project.trees import walk
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Derived,
    External,
    ExternalCall,
    Function,
    Instance,
    Partial,
    Value,
    origin_of,
)

if TYPE_CHECKING:
    from dlfix.catalog import Catalog
    from dlfix.catalog.rows import HolderRow, MethodRow
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

Kept = tuple[str, Argument]
_ADD_ARGUMENT = "argparse.ArgumentParser.add_argument"
_NETS = "torch.nn"
_FILE_TYPE = "argparse.FileType"


class KeptByCall:
    """Finds the calls of methods that the catalogue knows to keep what they are passed."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._by_module: dict[tuple[Module, str], dict[ast.AST, list[Kept]]] = {}

    @property
    def catalog(self) -> Catalog:
        """The catalogue that the rows are from."""
        return self.interpreter.catalog

    def by(self, value: Value, modules: Iterable[Module]) -> Iterator[Kept]:
        """Yield what calls in some modules keep in an object, with the name it is kept under."""
        nodes = self._nodes(value)
        packages = [package for package in self._packages if nodes and self._is_of(package, value)]
        for module in dict.fromkeys([*modules, *self._hooking(value)]):
            for package in packages:
                kept = self._in(module, package)
                for node in nodes:
                    yield from kept.get(node, ())

    @cached_property
    def _packages(self) -> list[str]:
        """The packages whose objects have methods that keep what they are passed."""
        rows = (row for rows in self.catalog.methods.values() for row in rows if not row.gives)
        return [*dict.fromkeys(row.of for row in rows)]

    def _hooking(self, value: Value) -> Iterator[Module]:
        """Yield the modules whose code hangs hooks on networks, of which this is one."""
        for name, row in self._of_nets.items():
            if not self._is_of(row.of, value):
                return  # all are of the same library
            yield from self.interpreter.project.mentions(name)

    @cached_property
    def _of_nets(self) -> dict[str, MethodRow]:
        """The methods that hang something on a network."""
        methods = self.catalog.methods.items()
        return {name: row for name, rows in methods for row in rows if row.of == _NETS}

    def chained(self, value: Derived) -> tuple[list[Kept], bool]:
        """Return what a method's result keeps of its arguments, and whether it keeps the object."""
        for row in self.catalog.methods.get(value.how, ()):
            if row.gives == "chain" and self._is_of(row.of, value.origin):
                return list(_kept(row, self._arguments(value))), True
        if not self.is_pipeline(value):
            return [], False
        given = self._arguments(value)
        passed = [*given.positional, *given.keywords.values(), *self._under_any_name(value)]
        return [(value.how, each) for each in passed if self._is_callable(each)], True

    def is_pipeline(self, value: Derived) -> bool:
        """Return whether a value is what such a method gives."""
        return value.called and self.goes_on(origin_of(value), value.how)

    def goes_on(self, root: Value, method: str) -> bool:
        """Return whether a method of an object gives one that keeps it, and the functions that it is passed."""
        return any(not {method, "*"}.isdisjoint(row.chains) for row in self._holders(root))

    def _holders(self, value: Value) -> Iterator[HolderRow]:
        """Yield the rows of what an object keeps: of the call that made it, or of its bases of libraries."""
        names = [value.name] if isinstance(value, ExternalCall) else []
        if isinstance(value, Instance):
            names = [base.name for base in self.interpreter.instances.outside_bases(value.cls)]
        yield from filter(None, map(self.catalog.holder, names))

    def _arguments(self, value: Derived) -> Arguments:
        if not isinstance(value.node, ast.Call):
            return Arguments()
        return self.interpreter.calls.arguments(value.node, value.frame)

    def _under_any_name(self, value: Derived) -> Iterator[Argument]:
        """Yield what a call passes by a `**` mapping under keys that are not known."""
        for keyword in value.node.keywords if isinstance(value.node, ast.Call) else ():
            if keyword.arg is None:
                for mapping in self.interpreter.containers(Bound(keyword.value, value.frame)):
                    yield from (item for key, item in mapping.items if not isinstance(key, str))

    def _is_callable(self, argument: Argument) -> bool:
        """Return whether an argument may be a function, or an object that keeps some."""
        callables = (Function, Partial, BoundMethod, Instance)
        return any(
            isinstance(value, callables) or any(True for _ in self._holders(origin_of(value)))
            for value in self.interpreter.values(argument)
        )

    def _in(self, module: Module, package: str) -> dict[ast.AST, list[Kept]]:
        """Return what the calls of a module keep in objects of a package, by the node that made the object."""
        key = (module, package)
        if key not in self._by_module:
            found: dict[ast.AST, list[Kept]] = {}
            self._by_module[key] = found
            for name, rows in self.catalog.methods.items():
                of_package = [row for row in rows if row.of == package]
                for call in module.calls_by_name.get(name, ()) if of_package else ():
                    for node, kept in self._of_call(call, module, of_package):
                        found.setdefault(node, []).append(kept)
        return self._by_module[key]

    def _of_call(
        self, call: ast.Call, module: Module, rows: list[MethodRow]
    ) -> Iterator[tuple[ast.AST, Kept]]:
        if not isinstance(call.func, ast.Attribute):
            return
        if self.interpreter.roles.only_worker(module, call):
            return
        if any(row.of == _NETS for row in rows) and _is_taken_off(module, call):
            return
        frame = self.interpreter.frame_at(module, call)
        for value in self.interpreter.values_at(call.func.value, frame):
            for row in rows:
                if not row.gives and self._is_of(row.of, value):
                    given = self.interpreter.calls.arguments(call, frame)
                    kept = [*_kept(row, given), *self._option(row, given)]
                    for node in self._nodes(value)[:1]:
                        yield from ((node, each) for each in kept)

    def _option(self, row: MethodRow, given: Arguments) -> Iterator[Kept]:
        """Yield the files, classes and functions that an option of a parser stands for, under its name.

        `add_argument("--data", choices=dict(birds=Birds), default=Birds, action=LookUp)`
        """
        name = self._dest(given) if row.name == _ADD_ARGUMENT else ""
        if not name:
            return
        for opener in self.interpreter.values(given.keywords.get("type")):
            if isinstance(opener, ExternalCall) and opener.name == _FILE_TYPE:
                yield name, Derived(opener, "__call__", opener.node, opener.frame, called=True)
        default, choices = given.keywords.get("default"), given.keywords.get("choices")
        if default is None:
            return
        yield from [(name, default)] if self._names_code(default) else []
        for container in self.interpreter.containers(choices) if choices is not None else ():
            items = [item for _, item in container.items] if container.kind == "dict" else []
            yield from ((name, item) for item in items if self._names_code(item))

    def _dest(self, given: Arguments) -> str:
        """Return the name that a parser gives an option."""
        flags = [given.keywords.get("dest"), *given.positional]
        texts = [
            value.value
            for flag in flags
            if flag is not None
            for value in self.interpreter.values(flag)
            if isinstance(value, Constant) and isinstance(value.value, str)
        ]
        long = [text for text in texts if text.startswith("--") or not text.startswith("-")]
        return long[0].lstrip("-").replace("-", "_") if long else ""

    def _names_code(self, argument: Argument) -> bool:
        found = self.interpreter.values(argument)
        return bool(found) and all(isinstance(value, (Class, Function)) for value in found)

    def _nodes(self, value: Value) -> list[ast.AST]:
        """Return the places that stand for an object: its call, and the classes of an object of the tree."""
        if isinstance(value, Derived) and self.is_pipeline(value):
            return [value.node]  # no other that goes on from the same one
        root = origin_of(value)
        if isinstance(root, ExternalCall):
            return [root.node]
        if not isinstance(root, Instance):
            return []
        line = self.interpreter.instances.mro(root.cls)
        made: list[ast.AST] = [root.call] if root.call is not None else []
        return [*made, *(base.node for base in line if isinstance(base, Class))]

    def _is_of(self, package: str, value: Value) -> bool:
        """Return whether an object is one that a package makes, or derives from its classes."""
        root = origin_of(value)
        if isinstance(root, Instance):
            line = self.interpreter.instances.mro(root.cls)
            return any(isinstance(base, External) and _is_in(base.name, package) for base in line)
        return isinstance(root, ExternalCall) and _is_in(root.name, package)


def _is_taken_off(module: Module, call: ast.Call) -> bool:
    """Return whether the function that hangs a hook on a network takes it off itself, by the handle that it got."""
    above = module.statement(call)
    held = {each.id for each in ast.walk(above) if isinstance(each, ast.Name)}
    around = enclosing_function(module, call)
    for node in walk(around) if around is not None else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="remove"), args=[]):
                loops = (each for each in module.ancestors(node) if isinstance(each, ast.For))
                sources = (each.iter for each in loops if is_name(each.target, name))
                if name in held or any(getattr(each, "id", "") in held for each in sources):
                    return True
    return False


def _kept(row: MethodRow, given: Arguments) -> Iterator[Kept]:
    for index, name in enumerate(row.parameters):
        argument = given.get(index, name)
        if argument is not None and name in row.keeps:
            yield row.keeps[name], argument
    for name, argument in given.keywords.items():
        if row.keywords:
            yield name, argument
        elif name in row.keeps and name not in row.parameters:
            yield row.keeps[name], argument


def _is_in(name: str, package: str) -> bool:
    return name.startswith(f"{package}.")


__all__ = ["Bound", "KeptByCall"]
