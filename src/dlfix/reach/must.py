"""What an expression surely is: every value it may have in the program as it stands, or none.

`Interpreter.evaluate` says what is seen to come to an expression; here it must be all that comes to
it, so that a test can be answered from it. A parameter is known where all calls are in view.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlfix.project.syntax import defaults
from dlfix.project.trees import COMPREHENSIONS
from dlfix.reach.conditions import is_dead
from dlfix.reach.enums import members
from dlfix.reach.instances import is_own
from dlfix.reach.methods import ends_by_itself
from dlfix.reach.narrowing import facts_of, left_by
from dlfix.reach.predicates import truth
from dlfix.reach.surely_objects import is_builtin, is_object, makes_object
from dlfix.reach.texts import OF_TEXT, PARSED, PARSERS
from dlfix.reach.values import (
    Argument,
    Bound,
    BoundMethod,
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
    Partial,
    Reached,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.reach.evaluator import Evaluator

_DISPLAYS = (ast.Lambda, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.JoinedStr)
_DEFINED = ("def", "class", "import")
_MOST = 12
_OBJECT = Unknown("an object", is_object=True)
# What gives an object, whatever its operands are.
_GIVING = (ast.BinOp, ast.Compare, ast.JoinedStr, ast.UnaryOp, *COMPREHENSIONS)


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
        found = self._followed(node, frame)
        return [_OBJECT] if not found and self._is_object(node, frame) else found

    def _is_object(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether an expression surely gives an object, and not None, though not which."""
        if isinstance(node, ast.Name) or (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        ):
            nothing = [Reached(Constant(None))]
            facts = facts_of(node, frame.module)
            return bool(facts) and not left_by(facts, nothing, frame, self.interpreter)
        if not isinstance(node, ast.Call):
            return isinstance(node, _GIVING)
        if _is_of_text(node.func):
            return True
        makers = self.interpreter.values_at(node.func, frame)
        return bool(makers) and all(map(self._makes_object, makers))

    def _makes_object(self, maker: Value) -> bool:
        return isinstance(maker, External) and makes_object(maker.name, self.interpreter.catalog)

    def _followed(self, node: ast.expr, frame: Frame) -> list[Value]:
        if isinstance(node, ast.Constant):
            return [Constant(node.value)]
        if isinstance(node, ast.Name):
            return self._name(node, frame)
        if isinstance(node, ast.NamedExpr):
            return self.values(node.value, frame)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, frame)
        if isinstance(node, ast.IfExp):
            return self._all((Bound(node.body, frame), Bound(node.orelse, frame)))
        if isinstance(node, ast.BoolOp):
            return self._chosen(node, frame)
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

    def _chosen(self, node: ast.BoolOp, frame: Frame) -> list[Value]:
        """Return what `a or b` may be: each part but the last only where it decides the outcome.

        What is not known, but true, is an object.
        """
        decides = isinstance(node.op, ast.Or)
        *parts, last = (self.values(part, frame) for part in node.values)
        if not last or not (decides or all(parts)):
            return []
        found = [each for part in parts for each in part or [_OBJECT]]
        chosen = (each for each in found if truth(each, self.interpreter) is not (not decides))
        return [*chosen, *last]

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
            return found if all(map(_is_builtin, found)) else []
        at: Frame | None = frame
        while at is not None and at.scope is not binder:
            at = at.enclosing
        bindings = binder.bindings.get(node.id, [])
        if at is None or len(bindings) > _MOST or self._is_set_elsewhere(node.id, at):
            return []
        found = []
        for binding in bindings:
            values = self._bound(binding, at)
            if not values:
                return []
            found += values
        return found

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
            return found if len(found) == 1 and _is_sure(found[0]) else []
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
            if is_own(frame.module, node.value):
                return self._methods(owner, node, frame)
        found: list[Value] = []
        for value in self.values(node.value, frame):
            if isinstance(value, (Instance, Class)) and not _is_enumerated(value):
                values = self._methods(value, node, frame)
            elif _has_attributes(value):
                values = self._attribute_of(value, node, frame)
            else:
                return []
            if not values:
                return []
            found += values
        is_one = len(found) == 1 and _is_sure(found[0])
        is_alike = all(isinstance(each, Constant) for each in found) or all(map(_is_code, found))
        return found if is_one or is_alike else []

    def _attribute_of(self, value: Value, node: ast.Attribute, frame: Frame) -> list[Value]:
        return [r.value for r in self.interpreter.attribute(value, node.attr, node, frame)]

    def _methods(self, owner: Value, node: ast.Attribute, frame: Frame) -> list[Value]:
        """Return the methods that an attribute of an object or class is, where no code sets it."""
        if self.interpreter.instances.is_set(node.attr):
            return []
        found = self._attribute_of(owner, node, frame)
        return found if all(map(_is_code, found)) else []

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
        """Return the object that a library makes: what it is, is not known, but it is not None."""
        makers = self.interpreter.values_at(node.func, frame)
        if not makers or not all(map(self._makes_object, makers)):
            return []
        found = self.interpreter.values_at(node, frame)
        return found if all(isinstance(each, (ExternalCall, Partial)) for each in found) else []

    def _returned(self, called: Value, node: ast.Call, frame: Frame) -> list[Value]:
        """Return all that a call of a function of the tree may give; nothing where it may come to its end."""
        function, owner = called, None
        if isinstance(called, BoundMethod):
            function, owner = called.function, called.owner
        code, calls = getattr(function, "node", None), self.interpreter.calls
        if not isinstance(function, Function) or not isinstance(code, ast.FunctionDef):
            return []
        if not ends_by_itself(code) or not all(map(_is_plain, code.decorator_list)):
            return []
        if isinstance(owner, Instance) and owner.call is None:
            return []  # of a class that others may derive from
        given = calls.arguments(node, frame)
        inside = calls.frame_of(function, given, node, frame, owner)
        if inside is None or inside.scope.yields:
            return []
        returned = [r for r in inside.scope.returns if not is_dead(r, inside, self.interpreter)]
        nothing = ast.Constant(None)
        return self._all(Bound(each.value or nothing, inside) for each in returned)

    def _made(self, node: ast.Call | ast.Subscript, frame: Frame) -> list[Value]:
        """Return the objects that calls of classes of the tree make, and members of enumerations."""
        inner = node.func if isinstance(node, ast.Call) else node.value
        makers = self.values(inner, frame)
        if isinstance(node, ast.Call) and len(makers) == 1 and not isinstance(makers[0], Class):
            return self._returned(makers[0], node, frame) or self._of_library(node, frame)
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


def _is_sure(value: Value) -> bool:
    """Return whether a value that a name is bound to is the only one."""
    return isinstance(value, _SURE) or (isinstance(value, External) and is_object(value.name))


def _is_code(value: Value) -> bool:
    return isinstance(value, (Function, Class, BoundMethod))


def _is_plain(decorator: ast.expr) -> bool:
    """Return whether a decorator leaves what a function gives as it is."""
    return isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod")


def _is_builtin(value: Value) -> bool:
    return isinstance(value, External) and is_builtin(value.name)


def _is_of_text(func: ast.expr) -> bool:
    """Return whether a method of texts is called, which gives a text or a list of them: `", ".join(names)`."""
    match func:
        case ast.Attribute(value=ast.Constant(value=str())):
            return True
        case ast.Attribute(attr=method):
            return method in OF_TEXT
    return False


def _has_attributes(value: Value) -> bool:
    """Return whether the attributes of a value are known by their names."""
    of_url = isinstance(value, ExternalCall) and value.name == PARSED
    return of_url or _is_enumerated(value) or isinstance(value, (ModuleValue, External))


def _is_enumerated(value: Value) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, Member)
    return isinstance(value, Class) and any(True for _ in members(value))


def _without_unknown(values: list[Value]) -> list[Value]:
    unknown = (value for value in values if isinstance(value, Unknown) and not value.is_object)
    return [] if any(True for _ in unknown) else values
