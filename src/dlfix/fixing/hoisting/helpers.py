"""Local functions that only one local class calls: they move with it, as its methods."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dlfix.project.module import Module, Scope
from dlfix.project.order import begins_before
from dlfix.project.syntax import defaults, is_private


@dataclass
class Helpers:
    """The local functions that become methods of a class, and what they read around them."""

    module: Module
    node: ast.ClassDef
    scope: Scope  # that the class is bound in
    reads: dict[ast.FunctionDef, list[ast.Name]] = field(default_factory=dict)
    captured: dict[str, list[ast.Name]] = field(default_factory=dict)

    def take(self, binder: Scope, read: ast.Name) -> bool:
        """Take a read of a local function that can become a method; tell whether it can."""
        bindings = binder.bindings[read.id]
        function = bindings[0].node
        if binder is not self.scope or len(bindings) != 1 or bindings[0].kind != "def":
            return False
        if not isinstance(function, ast.FunctionDef):
            return False
        if function not in self.reads:
            if not self._becomes_method(function):
                return False
            self.reads[function] = []
            self._follow(function)
        self.reads[function].append(read)
        return True

    def _becomes_method(self, function: ast.FunctionDef) -> bool:
        """Return whether only the class, and functions that move with it, read a function."""
        if function.decorator_list or begins_before(self.node, function):
            return False
        names = (each for each in ast.walk(function) if isinstance(each, ast.Attribute))
        if any(is_private(each.attr) for each in names):
            return False  # it means another attribute in another class
        inner = self.module.inner_scope(function)
        if any(each.nonlocals for each in inner.walk()) or _gives_defaults(function):
            return False
        within = {*self.module.inner_scope(self.node).walk(), *inner.walk()}
        within |= {e for helper in self.reads for e in self.module.inner_scope(helper).walk()}
        return all(
            each in within
            for each in self.scope.walk()
            if each.reads.get(function.name) and each.lookup(function.name) is self.scope
        )

    def _follow(self, function: ast.FunctionDef) -> None:
        """Take what a function reads around it."""
        inner = self.module.inner_scope(function)
        within = set(inner.walk())
        for each in within:
            for name, reads in each.reads.items():
                binder = each.lookup(name)
                if binder is None or binder.is_module or binder in within:
                    continue
                for read in reads:
                    if not self.take(binder, read):
                        self.captured.setdefault(name, []).append(read)


def _gives_defaults(function: ast.FunctionDef) -> bool:
    """Return whether a default or an annotation is evaluated where the function stands."""
    arguments = function.args
    annotated = [each.annotation for each in ast.walk(arguments) if isinstance(each, ast.arg)]
    given = defaults(arguments)
    return any(not _is_fixed(function, name, given[name]) for name in given) or any(
        isinstance(each, ast.Name) and each.id == function.name for each in annotated
    )


def _is_fixed(function: ast.FunctionDef, name: str, default: ast.expr) -> bool:
    """Return whether a default is the same in each call of the function around: an empty container that is only read."""
    match default:
        case ast.Constant():
            return True
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return all(_is_read(each) for each in _uses(function, name))
    return False


def _uses(function: ast.FunctionDef, name: str) -> list[tuple[ast.AST, ast.AST]]:
    """Return where a parameter is named, with what that is part of."""
    return [
        (each, above)
        for above in ast.walk(function)
        for each in ast.iter_child_nodes(above)
        if isinstance(each, ast.Name) and each.id == name
    ]


def _is_read(use: tuple[ast.AST, ast.AST]) -> bool:
    node, above = use
    match above:
        case ast.Subscript(ctx=ast.Load(), value=value):
            return value is node
        case ast.Attribute(attr="items" | "keys" | "values" | "get"):
            return True
    return False
