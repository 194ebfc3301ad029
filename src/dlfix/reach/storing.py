"""Which attributes each method of a class may store on its object, by itself and by all that it calls on it.

A reader of one attribute asks no more than who runs the methods that may store that one.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TypeAlias

from dlfix.project.syntax import attribute_named, is_super
from dlfix.project.trees import summary, walk
from dlfix.reach.evaluator import Def, Evaluator
from dlfix.reach.methods import decorator_kind, methods_of, self_names
from dlfix.reach.process_roles import closure
from dlfix.reach.records import record
from dlfix.reach.values import Class, Function, Reached

Names: TypeAlias = frozenset[str]

# What stores nothing on what it is handed, or only what a name that it is handed says.
_SETS_NOTHING = frozenset(dir(builtins)) - {"eval", "exec", "filter", "map", "sorted", "vars"}
_DECORATORS_OF_PYTHON = frozenset({"property", "staticmethod", "classmethod", "cached_property"})
_ANYTHING = ("__init__", "__new__", "__setattr__", "__setstate__")  # of a base out of view, too


@record(frozen=True, slots=True)
class Touched:
    """What some code may store on an object: by name, by methods of its bases, or anything."""

    names: Names = frozenset()
    above: Names = frozenset()  # the methods of bases that it calls
    anything: bool = False

    def __bool__(self) -> bool:
        return bool(self.names or self.above or self.anything)

    def __or__(self, other: Touched) -> Touched:
        anything = self.anything or other.anything
        return Touched(self.names | other.names, self.above | other.above, anything)


class Storing:
    """What the methods of one class store; `methods` are those that store anything."""

    def __init__(self, interpreter: Evaluator, cls: Class) -> None:
        self.interpreter = interpreter
        self.cls = cls
        roles = interpreter.roles
        own: dict[str, Touched] = {name: Touched() for name in roles.methods(cls)}
        for base in interpreter.instances.mro(cls):
            for name, node in methods_of(base.node).items() if isinstance(base, Class) else ():
                own[name] = own[name] | self._by(name, node)
        uses = roles.uses(cls)
        leading = {
            name: (uses.get(name, set()) | touched.above | touched.names) & own.keys()
            for name, touched in own.items()
        }
        self._stored = {
            name: [own[each] for each in closure([name], leading) if own[each]] for name in own
        }
        self.methods: Names = frozenset(name for name, parts in self._stored.items() if parts)

    def of(self, attribute: str) -> Names:
        """Return the methods that may store an attribute."""
        return frozenset(
            name
            for name, parts in self._stored.items()
            if any(part.anything or attribute in part.names for part in parts)
        )

    def _by(self, name: str, node: Def) -> Touched:
        """Return what a method stores on its object, itself or by what a decorator makes of it."""
        kept = frozenset({name}) if decorator_kind(node) == "cached_property" else frozenset()
        touched = touched_by(node, self_names(node)) | Touched(kept)
        method = self.interpreter.instances.method(self.cls, name) if node.decorator_list else None
        for each in wrappers(method, self.interpreter) if method is not None else ():
            if touched_by(each.node, self_names(each.node)):  # type: ignore[arg-type]
                return Touched(anything=True)
        return touched


def wrappers(method: Function, interpreter: Evaluator) -> Iterator[Function]:
    """Yield the functions that decorators of the tree put in a method's place."""
    for decorator in getattr(method.node, "decorator_list", ()):
        if not isinstance(decorator, ast.Name) or decorator.id in _DECORATORS_OF_PYTHON:
            continue
        for reached in interpreter.calls.decorate(decorator, Reached(method), method.frame):
            made = reached.value
            is_def = isinstance(made, Function) and isinstance(made.node, ast.FunctionDef)
            if is_def and made.node is not method.node:  # type: ignore[union-attr]
                yield made  # type: ignore[misc]


@summary
def touched_by(node: ast.AST, me: frozenset[str]) -> Touched:
    """Return what code may store on an object: itself, by a base, or by what it hands it to."""
    names: set[str] = set()
    above: set[str] = set()
    of_bases: set[ast.AST] = set()
    anything = False
    for inner in walk(node):
        if isinstance(inner, ast.Attribute):
            if is_super(inner.value) and inner.attr not in _ANYTHING:
                above.add(inner.attr)
                of_bases.add(inner.value)
            stores = not isinstance(inner.ctx, ast.Load) or inner.attr == "__dict__"
            if stores and _is_me(inner.value, me):
                anything |= inner.attr == "__dict__"
                names.add(inner.attr)
        elif isinstance(inner, ast.Call):
            if is_super(inner):
                anything |= inner not in of_bases
            elif any(_is_me(argument, me) for argument in inner.args):
                named = attribute_named(inner)
                names |= {named[1]} if named is not None else set()
                anything |= named is None and not _sets_nothing(inner)
    return Touched(frozenset(names), frozenset(above), anything)


def _sets_nothing(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Name) or call.func.id not in _SETS_NOTHING:
        return False
    return call.func.id not in ("setattr", "delattr")  # of a name that is not known


def _is_me(node: ast.expr, me: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in me
