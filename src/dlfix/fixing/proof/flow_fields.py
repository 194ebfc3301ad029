"""Names, attributes and keys that have a function's value, and the places where these are read."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TypeAlias

from dlfix.fixing.proof.asked_attributes import BARE, has_other_attributes
from dlfix.fixing.proof.changes import attributes_set
from dlfix.fixing.proof.flow_targets import Targets, annotated, annotation
from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import last_part, within
from dlfix.project.holding import ANYWHERE
from dlfix.project.module import Module
from dlfix.project.syntax import attributes_of

_OF_DATASETS = frozenset({"__getitem__", "__iter__", "__getattr__"})
_BARE = frozenset({"object", "ABC", "Generic", "Protocol"})

Place: TypeAlias = tuple[Module, ast.AST]


class Fields:
    """The places of one value, and the names that lead to it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.targets = Targets(program)
        self.anywhere: set[str] = set()
        self.variables: set[tuple[Path, str]] = set()
        self.keys: set[str] = set()  # under which dicts hold it
        self.has_other_keys = False  # so that `**options` may pass it for any parameter
        self.places: list[Place] = []
        self.met: set[object] = set()
        self._items: list[tuple[str, Module, ast.AST]] = []  # what is read under other keys
        self._families: dict[Class, list[Class]] = {}

    def add(self, module: Module, node: ast.AST) -> None:
        """Note a place that the value reaches."""
        if node not in self.met:
            self.met.add(node)
            self.places.append((module, node))

    def read(self, module: Module, node: ast.AST, name: str) -> bool:
        """Follow the reads of a name, as the scope of a node sees it."""
        scope = module.scope_of(node).lookup(name)
        if scope is None:
            return False
        if scope.is_class:
            return self.kept(name, self.program.class_at(module, scope.node))
        if (scope, name) in self.met:
            return True
        self.met.add((scope, name))
        self.note(module, name, is_global=scope.is_module)
        for inner in scope.walk():
            if inner.lookup(name) is scope:
                for read in inner.reads.get(name, ()):
                    self.add(module, read)
        return not scope.is_module or self.follow_imports(module, name)

    def note(self, module: Module, name: str, *, is_global: bool) -> None:
        """Note a variable by which code comes to the value."""
        if is_global:
            self.anywhere.add(name)
        else:
            self.variables.add((module.path, name))

    def follow_imports(self, home: Module, name: str) -> bool:
        """Follow a name of a module into those that import it; False where one of them imports all names."""
        for module in self.program.project.mentions(name):
            if module is home:
                continue
            imports = module.nodes(ast.ImportFrom)
            for statement in imports:
                bound = [each.asname or name for each in statement.names if each.name == name]
                if not all(self.read(module, statement, each) for each in bound):
                    return False
            if any(alias.name == "*" for each in imports for alias in each.names):
                return False
            for node in module.nodes_by_name.get(name, ()):
                if isinstance(node, ast.Attribute) and _is_of_module(module, node):
                    self.add(module, node)
        return True

    def kept_by(self, module: Module, kept: ast.Attribute) -> bool:
        """Follow an attribute that is set to the value."""
        cls = self.program.class_of_self(module, kept.value)
        made = self.targets.made(module, kept.value)
        if cls is None and len(made) == 1:
            cls = made[0]
        if kept.attr != "__dict__":
            return self.kept(kept.attr, cls)
        return not self.has_other_keys and all(self.kept(each, cls) for each in sorted(self.keys))

    def kept(self, name: str, cls: Class | None, *, by_library: bool = False) -> bool:
        """Follow what is read under an attribute's name, of objects of a class, of a library's classes, or of any."""
        if (name, cls, by_library) in self.met:
            return True
        self.met.add((name, cls, by_library))
        self.anywhere.add(name)
        self._read_by_text(name, cls)
        self._read_by_key(name, cls)
        for module in self.program.project.mentions(name):
            for node in module.nodes_by_name.get(name, ()):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Load)
                    and not _is_of_module(module, node)
                    and self._may_be_of(module, node.value, cls, by_library=by_library)
                ):
                    self.add(module, node)
        return True

    def _may_be_of(
        self, module: Module, owner: ast.expr, cls: Class | None, *, by_library: bool = False
    ) -> bool:
        """Return whether an expression may be an object of a class, or the class; without one, any or a library's."""
        own = self.program.class_of_self(module, whose_class(owner) or owner)
        own = own or self.program.class_of(module, owner) or annotated(self.program, module, owner)
        if own is not None:
            if self.program.method(own, "__getattr__") is not None:
                return True  # it may give what another object has
            if cls is not None:
                return own in self._family(cls)
            return not by_library or bool(set(self.program.unknown_bases(own)) - BARE)
        if cls is None:
            return True
        return not self._is_seen_to_be_other(module, owner, cls) and self._goes_by(owner, cls)

    def _is_seen_to_be_other(self, module: Module, owner: ast.expr, cls: Class) -> bool:
        """Return whether an expression is surely an object of another class, by what makes it or is asked of it."""
        made = self.targets.made(module, owner)
        known = [each for each in made if each and not self.program.method(each, "__getattr__")]
        if made and len(known) == len(made) and not set(made) & set(self._family(cls)):
            return True
        if last_part(owner) == "dataset" and not self._has_items(cls):
            return True
        return self._is_of_other_library(module, owner, cls) or has_other_attributes(
            self.program, module, owner, [cls, *self.program.heirs(cls)]
        )

    def _goes_by(self, owner: ast.expr, cls: Class) -> bool:
        """Return whether a part of an expression is a name that an object of a class comes to."""
        given = self.program.given_names(cls)
        if not given or ANYWHERE in given:
            return True
        names = given | {each.name for each in self._family(cls)} | {"dataset"}
        return any(last_part(each) in names for each in within(owner))

    def _has_items(self, cls: Class) -> bool:
        """Return whether a loader can take objects of a class for its dataset."""
        methods = {name for each in self._family(cls) for name in each.methods}
        return bool(methods & _OF_DATASETS or set(self.program.unknown_bases(cls)) - _BARE)

    def _is_seen_to_be(self, module: Module, owner: ast.expr, cls: Class) -> bool:
        """Return whether an expression may be an object of a class, which comes to names that are known."""
        own = self.program.class_of_self(module, owner)
        is_anybodys = ANYWHERE in self.program.given_names(cls)
        return (own is not None or not is_anybodys) and self._may_be_of(module, owner, cls)

    def _family(self, cls: Class) -> list[Class]:
        if cls not in self._families:
            self._families[cls] = self.program.family(cls)
        return self._families[cls]

    def _is_of_other_library(self, module: Module, owner: ast.expr, cls: Class) -> bool:
        """Return whether a parameter is annotated as an object of a library, of whose classes none is a base of a class."""
        named = annotation(module, owner)
        if named is None or not self.program.is_of_library(module, named):
            return False
        bases = set(self.program.unknown_bases(cls))
        return bases <= BARE and last_part(named) not in bases | {"Any", "object"}

    def _read_by_text(self, name: str, cls: Class | None) -> None:
        """Follow what `getattr` gives for an attribute's name, or for one that is computed."""
        for module in self.program.project.mentions(name):
            for call in module.calls_by_name.get("getattr", ()):
                asked = call.args[1] if len(call.args) > 1 else None
                if isinstance(asked, ast.Constant) and asked.value == name:
                    self.add(module, call)
        for module in self.program.project.mentions("getattr") if cls is not None else ():
            for call in module.calls_by_name.get("getattr", ()):
                if cls is not None and len(call.args) > 1 and isinstance(call.func, ast.Name):
                    computed = not isinstance(call.args[1], ast.Constant)
                    if computed and self._is_seen_to_be(module, call.args[0], cls):
                        self.add(module, call)

    def _read_by_key(self, name: str, cls: Class | None) -> None:
        """Follow what is read of the dict of an object that may have the attribute."""
        holders = [cls] if cls is not None else self._setting(name)
        for word in ("__dict__", "vars") if holders else ():
            for module in self.program.project.mentions(word):
                for node in module.nodes_by_name.get(word, ()):
                    held = node if word == "__dict__" else module.parent(node)
                    owner = attributes_of(held)
                    if (
                        held is not None
                        and owner is not None
                        and any(self._is_seen_to_be(module, owner, each) for each in holders)
                        and not self._are_others(module, owner, holders)
                    ):
                        self._add_of_dict(module, held, name)

    def _are_others(self, module: Module, owner: ast.expr, classes: list[Class]) -> bool:
        """Return whether all that an expression may hold is known, and no object of some classes."""
        family = [one for each in classes for one in self._family(each)]
        return OtherObjects(self.program, family).are_others(module, owner)

    def _setting(self, name: str) -> list[Class]:
        """Return the classes whose methods set an attribute."""
        return [
            cls
            for home in self.program.project.mentions(name)
            if name in home.stores_by_name
            for cls in self.program.classes(home)
            if name in attributes_set(cls)
        ]

    def _add_of_dict(self, module: Module, held: ast.AST, name: str) -> None:
        """Follow an item of the dict, by the name or a key that is computed, and those of a loop."""
        match module.parent(held):
            case ast.Attribute(attr="values" | "items") as method:
                call = module.parent(method)
                if call is not None and _is_iterated(module, call):
                    self.add(module, call)
            case ast.Attribute(attr="get" | "pop") as method:
                call = module.parent(method)
                if isinstance(call, ast.Call) and _may_be(call.args[:1], name):
                    self.add(module, call)
            case ast.Subscript(slice=key) as item if item.value is held and _may_be([key], name):
                self.add(module, item)

    def note_key(self, key: ast.expr | None) -> None:
        """Note the key under which a dict holds the value; None where it unpacks another dict."""
        match key:
            case ast.Constant(value=str() as text):
                self.anywhere.add(text)
                self.keys.add(text)
            case ast.expr():
                self.has_other_keys = True
        for text, module, item in self._items:
            if self._may_be_under(text):
                self.add(module, item)

    def _may_be_under(self, key: str) -> bool:
        return self.has_other_keys or not self.keys or key in self.keys

    def take_item(self, module: Module, item: ast.AST, key: ast.expr | None) -> None:
        """Note an item of what holds the value, unless it is under a key that the value is not under."""
        if (
            not isinstance(key, ast.Constant)
            or not isinstance(key.value, str)
            or self._may_be_under(key.value)
        ):
            self.add(module, item)
        else:
            self._items.append((key.value, module, item))


def _is_iterated(module: Module, source: ast.AST) -> bool:
    return getattr(module.parent(source), "iter", None) is source


def _may_be(keys: list[ast.expr], name: str) -> bool:
    return any(not isinstance(each, ast.Constant) or each.value == name for each in keys)


def _is_of_module(module: Module, node: ast.Attribute) -> bool:
    """Return whether an attribute is one of an imported module: `torchvision.transforms`."""
    if not isinstance(node.value, ast.Name):
        return False
    scope = module.scope_of(node.value).lookup(node.value.id)
    bindings = scope.bindings.get(node.value.id, []) if scope is not None else []
    return bool(bindings) and all(isinstance(b.statement, ast.Import) for b in bindings)
