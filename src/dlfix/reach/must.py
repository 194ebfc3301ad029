"""What an expression surely is: every value it may have in the program as it stands, or none.

`Interpreter.evaluate` says what is seen to come to an expression; here it must be all that comes to
it, so that a test can be answered from it. A parameter is known where all calls are in view.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlfix.project.syntax import defaults
from dlfix.reach.enums import members
from dlfix.reach.predicates import is_builtin
from dlfix.reach.texts import OF_TEXT, PARSED, PARSERS
from dlfix.reach.values import (
    Argument,
    Bound,
    Class,
    Constant,
    Container,
    External,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Member,
    ModuleValue,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.reach.evaluator import Evaluator

_DISPLAYS = (ast.Lambda, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.JoinedStr)
_DEFINED = ("def", "class", "import")
_MOST = 12


class MustEvaluator:
    """Works out sure values."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._known: dict[tuple[ast.expr, Frame], list[Value]] = {}

    def values(self, node: ast.expr, frame: Frame) -> list[Value]:
        """Return all that an expression may be; nothing where that is not known."""
        key = (node, frame)
        if key not in self._known:
            self._known[key] = []  # a cycle is not known
            self._known[key] = self._values(node, frame)
        return self._known[key]

    def _values(self, node: ast.expr, frame: Frame) -> list[Value]:
        if isinstance(node, ast.Constant):
            return [Constant(node.value)]
        if isinstance(node, ast.Name):
            return self._name(node, frame)
        if isinstance(node, ast.NamedExpr):
            return self.values(node.value, frame)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, frame)
        if isinstance(node, _DISPLAYS):
            return _without_unknown(self.interpreter.values_at(node, frame))
        if isinstance(node, (ast.Call, ast.Subscript)):
            return (
                self._of_text(node, frame)
                or self._of_lacking(node, frame)
                or self._dict_of(node, frame)
                or self._made(node, frame)
            )
        return []

    def constants_in(self, holder: Value) -> list[object] | None:
        """Return the constants that a container of constants, or an enumeration, holds."""
        if not isinstance(holder, Container):
            return None
        if holder.kind == "dict":
            keys = [key for key, _ in holder.items]
            return None if None in keys else keys
        held = [value for _, item in holder.items for value in self.interpreter.values(item)]
        known = [value.value for value in held if isinstance(value, Constant)]
        return known if len(known) == len(held) else None

    # Names

    def _name(self, node: ast.Name, frame: Frame) -> list[Value]:
        binder = frame.scope.lookup(node.id)
        if binder is None:
            found = self.interpreter.values_at(node, frame)
            return found if all(is_builtin(value) for value in found) else []
        at: Frame | None = frame
        while at is not None and at.scope is not binder:
            at = at.enclosing
        bindings = binder.bindings.get(node.id, [])
        if at is None or len(bindings) != 1 or self._is_set_elsewhere(node.id, at):
            return []
        return self._bound(bindings[0], at)

    def _is_set_elsewhere(self, name: str, frame: Frame) -> bool:
        """Return whether other scopes or modules give a name a value too."""
        scope = frame.scope
        if scope.is_module:
            others = self.interpreter.modules.set_elsewhere(scope.module, name)
            return name in scope.module_globals or any(True for _ in others)
        return any(name in inner.nonlocals for inner in scope.walk())

    def _bound(self, binding: Binding, frame: Frame) -> list[Value]:
        if binding.kind == "parameter":
            return self._parameter(binding.name, frame)
        if binding.kind in _DEFINED:
            found = [r.value for r in self.interpreter.binding(binding, frame)]
            return found if len(found) == 1 and isinstance(found[0], _SURE) else []
        if binding.kind not in ("assign", "annotated") or not binding.value:
            return []
        found = self.values(binding.value, frame)
        for step in binding.path:
            found = [part for value in found for part in self._part(value, step)]
        return found

    def _part(self, value: Value, step: object) -> list[Value]:
        """Return what unpacking takes of a text's parts, or of a display; nothing where it may be more."""
        if not isinstance(value, Container) or value.is_open or value.kind not in ("list", "tuple"):
            return []
        return [part for key, item in value.items if key == step for part in self._all((item,))]

    def _parameter(self, name: str, frame: Frame) -> list[Value]:
        if frame.arguments is not None:
            return self._all(frame.arguments.get(name, ()))
        calls = self.interpreter.callers.all_of(frame) or []
        default = defaults(frame.scope.node.args).get(name)  # type: ignore[attr-defined]
        if default is not None and all(_is_default(given.get(name), default) for given in calls):
            return []  # nobody passes it yet
        found: list[Value] = []
        for given in calls:
            values = self._all(given.get(name, ()))
            if not values:
                return []
            found += values
        known = list(dict.fromkeys(found))
        return known if len(known) <= _MOST else []

    def _all(self, arguments: Iterable[Argument]) -> list[Value]:
        """Return all that some arguments may be; nothing where one of them is not known."""
        found: list[Value] = []
        for argument in arguments:
            if isinstance(argument, Bound):
                values = self.values(argument.node, argument.frame)
            else:
                values = _without_unknown([argument])
            if not values:
                return []
            found += values
        return found

    # Attributes, calls

    def _attribute(self, node: ast.Attribute, frame: Frame) -> list[Value]:
        owner = frame.owner
        if isinstance(node.value, ast.Name) and isinstance(owner, Instance):
            stored = self.interpreter.instances.only_store(owner, node, frame)
            if stored is not None:
                return self.values(stored.node, stored.frame)
        found: list[Value] = []
        for value in self.values(node.value, frame):
            of_url = isinstance(value, ExternalCall) and value.name == PARSED
            if not (of_url or _is_enumerated(value) or isinstance(value, ModuleValue)):
                return []
            found += [r.value for r in self.interpreter.attribute(value, node.attr, node, frame)]
        is_one = len(found) == 1 and isinstance(found[0], _SURE)
        return found if is_one or all(isinstance(each, Constant) for each in found) else []

    def _of_text(self, node: ast.Call | ast.Subscript, frame: Frame) -> list[Value]:
        """Return what a method of texts, or a function of URLs, gives of texts that are all known."""
        if not isinstance(node, ast.Call) or node.keywords:
            return []
        parts = [self.values(each, frame) for each in node.args]
        if isinstance(node.func, ast.Attribute) and node.func.attr in OF_TEXT:
            parts.append(self.values(node.func.value, frame))
        elif not any(
            isinstance(value, External) and value.name in PARSERS
            for value in self.interpreter.values_at(node.func, frame)
        ):
            return []
        if not all(parts) or any(not isinstance(v, Constant) for part in parts for v in part):
            return []
        return _without_unknown(self.interpreter.values_at(node, frame))

    def _of_lacking(self, node: ast.Call | ast.Subscript, frame: Frame) -> list[Value]:
        """Return what `get` gives of dicts that lack the key; what they have is changed by hand."""
        match node:
            case ast.Call(
                func=ast.Attribute(value=holder, attr="get"),
                args=[ast.Constant(value=key), *default],
                keywords=[],
            ) if len(default) <= 1:
                found = self.values(holder, frame)
                if not found or not all(_lacks(each, key) for each in found):
                    return []
                return self.values(default[0], frame) if default else [Constant(None)]
        return []

    def _dict_of(self, node: ast.Call | ast.Subscript, frame: Frame) -> list[Value]:
        """Return the dict that `dict(...)` makes."""
        if not isinstance(node, ast.Call) or not (
            isinstance(node.func, ast.Name) and node.func.id == "dict"
        ):
            return []
        found = self.interpreter.values_at(node, frame)
        return found if all(isinstance(each, Container) for each in found) else []

    def _of_library(self, node: ast.Call, frame: Frame) -> list[Value]:
        """Return the object that a class of a library makes: what it is, is not known, but it is not None."""
        makers = self.interpreter.values_at(node.func, frame)
        if not makers or not all(_is_class_of_library(each) for each in makers):
            return []
        found = self.interpreter.values_at(node, frame)
        return found if all(isinstance(each, ExternalCall) for each in found) else []

    def _made(self, node: ast.Call | ast.Subscript, frame: Frame) -> list[Value]:
        """Return the objects that calls of classes of the tree make, and members of enumerations."""
        inner = node.func if isinstance(node, ast.Call) else node.value
        makers = self.values(inner, frame)
        if not makers and isinstance(node, ast.Call):
            return self._of_library(node, frame)
        if not makers or not all(isinstance(value, Class) for value in makers):
            return []
        given = (
            [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
        )
        found = self.interpreter.values_at(node, frame)
        if any(isinstance(value, Constant) for value in found) and not all(
            self.values(each, frame) for each in given
        ):
            return []
        return found if all(isinstance(each, (Instance, Constant)) for each in found) else []


def _is_default(given: tuple[Argument, ...] | None, default: ast.expr) -> bool:
    return bool(given) and all(isinstance(g, Bound) and g.node is default for g in given or ())


_SURE = (Function, Class, Constant, ModuleValue)


def _lacks(holder: Value, key: object) -> bool:
    """Return whether a dict, all of whose keys are known, does not have one."""
    if not isinstance(holder, Container) or holder.kind != "dict" or holder.is_open:
        return False
    keys = [each for each, _ in holder.items]
    return None not in keys and key not in keys


def _is_class_of_library(value: Value) -> bool:
    """Return whether a name that is imported is spelled like a class's."""
    module, _, name = value.name.rpartition(".") if isinstance(value, External) else ("", "", "")
    return bool(module) and name[:1].isupper()


def _is_enumerated(value: Value) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, Member)
    return isinstance(value, Class) and any(True for _ in members(value))


def _without_unknown(values: list[Value]) -> list[Value]:
    return [] if any(isinstance(value, Unknown) for value in values) else values
