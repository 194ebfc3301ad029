"""Where a program sets variables of its environment, and which: constants, or any."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from dlfix.fixing.proof.syntax import dotted, last_part
from dlfix.project.library_names import imported_as, uses
from dlfix.project.module import Module, is_test
from dlfix.project.project import Project

_ENVIRONMENT = ("os.environ", "os.environb")
_READS = (*_ENVIRONMENT, "os.getenv", "os.getenvb")
# What sets or removes the variable that the first argument names.
_OF_ONE = frozenset("setdefault pop __setitem__ __delitem__ setenv delenv putenv unsetenv".split())
_OF_ALL = frozenset({"clear", "popitem"})
_FUNCTIONS = ("os.putenv", "os.unsetenv", "dotenv.load_dotenv")


class EnvironmentChange(NamedTuple):
    """A place that sets or removes variables of the environment; `names` is None where these are not known."""

    module: Module
    node: ast.expr
    names: frozenset[str] | None

    def is_of(self, prefixes: Collection[str]) -> bool:
        """Return whether a variable may be changed whose name starts with one of these."""
        if self.names is None:
            return bool(prefixes)
        return any(name.upper().startswith(tuple(prefixes)) for name in self.names)


def reads_environment(module: Module, node: ast.AST) -> bool:
    """Return whether a name or an attribute is the environment, or what reads it."""
    if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv"):
        return True
    return isinstance(node, ast.Name) and imported_as(module, node) in _READS


def environment_changes(project: Project) -> Iterator[EnvironmentChange]:
    """Yield where a program changes its environment; tests are other programs."""
    for module, node in _named(project):
        for each in _standing_for(module, node):
            yield from _of_mapping(module, each)
    for full in _FUNCTIONS:
        for module, node in uses(project, full):
            yield from _of_function(module, node)
    for name in ("setenv", "delenv"):
        for module in project.mentions(name):
            for node in module.attributes_by_name.get(name, ()):
                yield from _of_function(module, node)
    for module in project.mentions("dict"):
        for call in module.calls_by_name.get("dict", ()):
            if not is_test(module) and _is_text(call.args[:1], "os.environ"):
                yield EnvironmentChange(module, call, _names_of(module, call.args[1:], call))


def _named(project: Project) -> Iterator[tuple[Module, ast.expr]]:
    for full in _ENVIRONMENT:
        yield from ((module, node) for module, node in uses(project, full) if not is_test(module))


def _standing_for(module: Module, node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, and the names of the same function that hold it: `variables = os.environ`."""
    yield node
    match module.parent(node):
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            scope = module.scope_of(node).lookup(name)
            for each in module.nodes_by_name.get(name, ()):
                if isinstance(each, ast.Name) and module.scope_of(each).lookup(name) is scope:
                    yield each


def _of_mapping(module: Module, node: ast.expr) -> Iterator[EnvironmentChange]:
    """Yield what the expression around the environment does to it."""
    parent = module.parent(node)
    above = module.parent(parent) if parent is not None else None
    match parent:
        case ast.Subscript(value=value, slice=key, ctx=ast.Store() | ast.Del()) if value is node:
            yield EnvironmentChange(module, node, _name_of(module, key))
        case ast.AugAssign(target=target, value=value) if target is node:
            yield EnvironmentChange(module, node, _keys_of(module, value))
        case ast.Attribute(attr=method) if isinstance(above, ast.Call) and above.func is parent:
            yield from _of_method(module, above, method)
        case ast.Call(args=[first, *rest]) if first is node and last_part(parent.func) == "dict":
            if dotted(parent.func) != "dict":  # `mock.patch.dict(os.environ, {...})`
                yield EnvironmentChange(module, parent, _names_of(module, rest, parent))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield EnvironmentChange(module, node, None)


def _of_method(module: Module, call: ast.Call, method: str) -> Iterator[EnvironmentChange]:
    if method in _OF_ONE:
        names = _name_of(module, call.args[0]) if call.args else None
        yield EnvironmentChange(module, call, names)
    elif method in _OF_ALL:
        yield EnvironmentChange(module, call, None)
    elif method in ("update", "__ior__"):
        yield EnvironmentChange(module, call, _names_of(module, call.args, call))


def _of_function(module: Module, node: ast.expr) -> Iterator[EnvironmentChange]:
    """Yield what a function changes that is called, or handed on, by its name."""
    call = module.parent(node)
    if is_test(module):
        return
    is_called = isinstance(call, ast.Call) and call.func is node
    args = call.args if isinstance(call, ast.Call) and is_called else []
    of_one = bool(args) and not imported_as(module, node).startswith("dotenv.")
    names = _name_of(module, args[0]) if of_one else None
    yield EnvironmentChange(module, node, names)


def _names_of(module: Module, given: Iterable[ast.expr], call: ast.Call) -> frozenset[str] | None:
    """Return the names of what a call passes as mappings and by keyword."""
    known = [_keys_of(module, each) for each in given]
    if None in known or any(each.arg is None for each in call.keywords):
        return None
    named = (each.arg for each in call.keywords if each.arg is not None)
    return frozenset({*named, *(name for names in known for name in names or ())})


def _keys_of(module: Module, value: ast.expr) -> frozenset[str] | None:
    """Return the names that a mapping has; None where it is not written there."""
    match value:
        case ast.Dict(keys=keys):
            names = [_name_of(module, each) if each is not None else None for each in keys]
            return None if None in names else frozenset().union(*(n for n in names if n))
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            return (
                frozenset(k.arg for k in keywords if k.arg)
                if all(k.arg for k in keywords)
                else None
            )
    return None


def _name_of(module: Module, key: ast.expr) -> frozenset[str] | None:
    """Return a variable's name as it is written, also by a constant of the module; None where it may be any."""
    if isinstance(key, ast.Name):
        bound = module.scope.bindings.get(key.id, [])
        outer = module.scope_of(key).lookup(key.id) is module.scope
        values = [each.value for each in bound] if outer else []
        key = values[0] if len(values) == 1 and values[0] is not None else key
    match key:
        case ast.Constant(value=str(name)):
            return frozenset({name})
        case ast.Constant(value=bytes(name)):
            return frozenset({name.decode()})
    return None


def _is_text(given: list[ast.expr], text: str) -> bool:
    return any(isinstance(each, ast.Constant) and each.value == text for each in given)


__all__ = ["EnvironmentChange", "environment_changes", "reads_environment"]
