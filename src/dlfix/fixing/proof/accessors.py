"""The functions that setting, deleting or reading an attribute runs: of properties, and of descriptors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.callees import Callee, CallOf
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, dotted, last_part, parameters, targets_of
from dlfix.project.module import Module

_BY_DECORATOR = {"setter": "set", "deleter": "delete"}
_BY_METHOD = {"__get__": "get", "__set__": "set", "__delete__": "delete"}
_OF_PROPERTY = dict(enumerate(("get", "set", "delete"))) | {
    "fget": "get",
    "fset": "set",
    "fdel": "delete",
}
_BY_FUNCTION = {"getattr": "get", "setattr": "set", "delattr": "delete"}


class Accessors:
    """The functions of a program behind attributes, by what is done to which attribute."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._by_name: dict[tuple[str, str], list[Callee]] = {}
        for module in _mentioning(program, *_BY_DECORATOR, "property"):
            for cls in program.classes(module):
                self._add_properties(cls)
        for module in _mentioning(program, *_BY_METHOD):
            for cls in program.classes(module):
                if _BY_METHOD.keys() & cls.methods.keys():
                    self._add_descriptors(cls)

    def run_by(self, node: ast.AST) -> Iterator[CallOf]:
        """Yield calls of the functions that a node may run so."""
        for how, owner, name, value in _accesses(node):
            for callee in self._by_name.get((how, name), ()):
                func = ast.copy_location(ast.Attribute(owner, name, ast.Load()), node)
                given = [owner, *([value] if value is not None else [])]
                call = ast.copy_location(CallOf(func, given, []), node)
                call.callee = callee
                yield call

    def _add(self, how: str, name: str, module: Module, function: Function, skipped: int) -> None:
        callee = Callee(module, function, parameters(function)[skipped:])
        self._by_name.setdefault((how, name), []).append(callee)

    def _add_properties(self, cls: Class) -> None:
        for function in cls.functions:
            for each in function.decorator_list:
                if last_part(each) in _BY_DECORATOR:
                    self._add(
                        _BY_DECORATOR[last_part(each)], function.name, cls.module, function, 0
                    )
        for name, value in cls.values.items():
            if isinstance(value, ast.Call) and last_part(value.func) == "property":
                for how, function in _of_property(cls, value):
                    self._add(how, name, cls.module, function, 0)

    def _add_descriptors(self, descriptor: Class) -> None:
        """Note the class attributes that are objects of a class of descriptors, or of one that derives from it."""
        for kind in (descriptor, *self.program.heirs(descriptor)):
            for module in self.program.project.mentions(kind.name):
                for cls in self.program.classes(module):
                    for name, value in cls.values.items():
                        called = value.func if isinstance(value, ast.Call) else None
                        if called is not None and self.program.class_of(module, called) is kind:
                            self._add_methods(descriptor, name)

    def _add_methods(self, descriptor: Class, name: str) -> None:
        for method, how in _BY_METHOD.items():
            if method in descriptor.methods:
                self._add(how, name, descriptor.module, descriptor.methods[method], 1)


def _mentioning(program: Program, *words: str) -> list[Module]:
    return [*dict.fromkeys(each for word in words for each in program.project.mentions(word))]


def _of_property(cls: Class, made: ast.Call) -> Iterator[tuple[str, Function]]:
    """Yield the functions of a class that `property(get, set)` is made of."""
    given = [*enumerate(made.args), *((each.arg, each.value) for each in made.keywords)]
    for place, value in given:
        function = cls.methods.get(dotted(value))
        if place in _OF_PROPERTY and isinstance(function, FUNCTIONS):
            yield _OF_PROPERTY[place], function


def _accesses(node: ast.AST) -> Iterator[tuple[str, ast.expr, str, ast.expr | None]]:
    """Yield what running a node itself does to which attribute, and the value that it sets."""
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Load()):
            yield "get", owner, name, None
        case ast.Delete(targets=targets):
            for each in targets:
                if isinstance(each, ast.Attribute):
                    yield "delete", each.value, each.attr, None
        case ast.Call(
            func=ast.Name(id=called), args=[owner, ast.Constant(value=str() as name), *rest]
        ):
            if called in _BY_FUNCTION:
                yield (
                    _BY_FUNCTION[called],
                    owner,
                    name,
                    rest[0] if called == "setattr" and rest else None,
                )
        case ast.stmt():
            value = getattr(node, "value", None) or getattr(node, "iter", None)
            for each in targets_of(node):
                if isinstance(each, ast.Attribute):
                    yield "set", each.value, each.attr, value


__all__ = ["Accessors"]
