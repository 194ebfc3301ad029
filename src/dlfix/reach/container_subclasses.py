"""Objects that are a list or dict besides what they are: what their methods and other code put into them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import Module
from dlfix.project.syntax import is_super
from dlfix.project.trees import walk
from dlfix.reach.access_paths import Addition, added_to, put_by
from dlfix.reach.values import (
    Arguments,
    Class,
    Container,
    External,
    ExternalCall,
    Frame,
    Instance,
    Value,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator, Item

_KINDS = {
    "list": "list", "set": "set", "dict": "dict", "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict", "collections.deque": "list",
}  # fmt: skip
_MAPPINGS = frozenset({"collections.defaultdict", "collections.UserDict", "types.MappingProxyType"})
_MAKERS = frozenset({"__init__", "__missing__"})
_GIVING = frozenset({"__getattr__", "__getattribute__"})


class Filled:
    """Reads an object as the container that it also is: of a class of the tree, or a `defaultdict`."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._made: dict[Value, Container | None] = {}
        self._kinds: dict[Class, str | None] = {}

    def kind(self, cls: Class) -> str | None:
        """Return the kind of container that objects of a class are."""
        if cls not in self._kinds:
            line = self.interpreter.instances.mro(cls)
            names = [
                base.name.removeprefix("builtins.") for base in line if isinstance(base, External)
            ]
            self._kinds[cls] = next((_KINDS[name] for name in names if name in _KINDS), None)
        return self._kinds[cls]

    def container(self, instance: Instance) -> Container | None:
        """Return what an object holds as a list or dict; None where it is none, or nobody makes it."""
        kind = self.kind(instance.cls)
        if kind is None or instance.call is None or instance.frame is None:
            return None
        if instance not in self._made:
            self._made[instance] = None  # while it is filled
            items = tuple(
                self.interpreter.displays.settled(
                    [*self._items(instance, kind, instance.call, instance.frame)]
                )
            )
            made = Container(kind, instance.call, instance.frame, items, True)
            self._made[instance] = made
        return self._made[instance]

    def of_call(self, value: Value) -> Container | None:
        """Return what a mapping of the library holds: of a `defaultdict` what is put into it, not what its factory makes."""
        if not isinstance(value, ExternalCall) or value.name not in _MAPPINGS:
            return None
        if value not in self._made:
            self._made[value] = None  # while it is filled
            displays = self.interpreter.displays
            given = dict(value.arguments.keywords)
            given.pop("default_factory", None)
            of_defaults = value.name == "collections.defaultdict"
            filled = Arguments(value.arguments.positional[of_defaults:], given)
            items = displays.settled(
                [*self._given("dict", filled), *displays.added(value.node, value.frame)]
            )
            self._made[value] = Container("dict", value.node, value.frame, tuple(items), True)
        return self._made[value]

    def has_items_as_attributes(self, cls: Class) -> bool:
        """Return whether `x.name` reads `x["name"]`: `__getattr__ = dict.__getitem__`."""
        if self.kind(cls) != "dict":
            return False
        line = [base for base in self.interpreter.instances.mro(cls) if isinstance(base, Class)]
        return any(_GIVING & {*base.body_names()} or _is_own_dict(base.node) for base in line)

    def _items(self, instance: Instance, kind: str, call: ast.Call, frame: Frame) -> Iterator[Item]:
        if instance.copied is not None:
            original = self.container(instance.copied)
            yield from original.items if original is not None else ()
        else:
            init = self.interpreter.instances.method(instance.cls, "__init__")
            if init is None:
                yield from self._given(kind, instance.arguments or Arguments())
            yield from self._put_by_methods(instance, kind)
        yield from self.interpreter.displays.added(call, frame)

    def _given(self, kind: str, arguments: Arguments) -> Iterator[Item]:
        """Yield what the constructor of a list or dict takes in."""
        first = arguments.get(0, None)
        if first is not None and kind != "dict":
            yield from ((None, item) for item in self.interpreter.each(first))
        elif first is not None:
            for container in self.interpreter.containers(first):
                yield from container.items if container.kind == "dict" else ()
        yield from arguments.keywords.items()

    def _put_by_methods(self, instance: Instance, kind: str) -> Iterator[Item]:
        """Yield what methods put into their own object: the constructor, `__missing__`, a decorator's."""
        instances, roles = self.interpreter.instances, self.interpreter.roles
        for base in instances.mro(instance.cls):
            if not isinstance(base, Class):
                continue
            body = instances.body(base)
            for name, node in roles.methods(instance.cls).items():
                if node not in base.node.body:
                    continue
                if name not in _MAKERS:
                    frame = self._frame(instance, name, body, node)
                    yield from self.interpreter.displays.put_by_method(node, body, frame)
                    continue
                me = node.args.args[0].arg if node.args.args else ""
                added = list(_own_additions(base.module, me, node))
                calls = list(_base_calls(node))
                if not (added or calls):
                    continue
                frame = self._frame(instance, name, body, node)
                for each in added:
                    yield from self.interpreter.displays.put(each, frame)
                for call in calls:
                    given = self.interpreter.calls.arguments(call, frame)
                    rest = _without_self(given, call)
                    yield from self._given(kind, rest)

    def _frame(self, instance: Instance, name: str, body: Frame, node: ast.AST) -> Frame:
        from dlfix.reach.instance_state import State

        init = self.interpreter.instances.method(instance.cls, name)
        if name == "__init__" and init is not None and init.node is node:
            found = State(self.interpreter, instance).constructor_frame(init)
            if found is not None:
                return found
        scope = body.module.inner_scope(node)
        return self.interpreter.calls.made(
            node, body, lambda: Frame(scope, body, None, instance), "frame", instance
        )


def _own_additions(module: Module, me: str, method: ast.AST) -> Iterator[Addition]:
    """Yield what a method puts into its own object: `self.append(f)`, `super().__setitem__(k, f)`."""
    for added in added_to(("", me), module):
        if method in module.ancestors(added.node):
            yield added
    for call in walk(method):
        if isinstance(call, ast.Call) and _is_of_base(call.func):
            assert isinstance(call.func, ast.Attribute)
            if call.func.attr == "__setitem__" and len(call.args) > 1:
                yield Addition(call, None, call.args[1])
            else:
                put = put_by(call, call.func.attr)
                yield from (Addition(call, key, value) for key, value in put)


def _base_calls(method: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of the base's constructor: `super().__init__(items)`, `dict.__init__(self, d)`."""
    for call in walk(method):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            named = isinstance(call.func.value, ast.Name) and call.func.value.id in _KINDS
            if call.func.attr == "__init__" and (named or _is_of_base(call.func)):
                yield call


def _is_of_base(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and is_super(func.value)


def _without_self(given: Arguments, call: ast.Call) -> Arguments:
    if isinstance(call.func, ast.Attribute) and not is_super(call.func.value):
        return Arguments(given.positional[1:], given.keywords)
    return given


def _is_own_dict(node: ast.ClassDef) -> bool:
    """Return whether a class's objects are their own `__dict__`: `self.__dict__ = self`."""
    for inner in walk(node):
        match inner:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=one), attr="__dict__")],
                value=ast.Name(id=other),
            ) if one == other:
                return True
    return False
