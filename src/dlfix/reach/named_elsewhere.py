"""What code makes of names in other files: `hydra.utils.instantiate(cfg.data)`, entry points."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project import declared
from dlfix.project.declared import EntryPoint, Target
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    Constant,
    Derived,
    ExternalCall,
    Frame,
    ModuleValue,
    Partial,
    Reached,
    Unknown,
    Value,
    origin_of,
)

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

INSTANTIATE = frozenset({"hydra.utils.instantiate", "hydra.utils.call"})
ENTRY_POINTS = frozenset(
    {
        "importlib.metadata.entry_points",
        "importlib_metadata.entry_points",
        "pkg_resources.iter_entry_points",
    }
)
_MOST = 64  # objects that one call may make
_PLAIN = re.compile(r"^(?:cfg|config|conf)_|_(?:cfg|config|conf)$")


class NamedElsewhere:
    """Looks up the objects that configuration and packaging files name."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter

    def instantiated(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        """Yield what `instantiate(setting)` makes of the YAML targets that fit."""
        for callee, own, is_partial in self.fitting(arguments, node, frame):
            yield from self._result(callee, own, node, frame, is_partial=is_partial)
        yield Reached(Unknown())

    def fitting(
        self, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> Iterator[tuple[Value, Arguments, bool]]:
        """Yield each YAML target that fits a setting, what it is called with, and whether that is a partial."""
        given = Arguments(
            arguments.positional[1:],
            {name: one for name, one in arguments.keywords.items() if not name.startswith("_")},
        )
        key = _key(arguments.get(0, "config"))
        fitting = [each for each in self._targets if key in each.keys]
        self.interpreter.cut(when=len(fitting) > _MOST)
        for target in fitting[:_MOST]:
            for callee in self._named(*_split(target.name), node, frame):
                own = Arguments((), self._arguments(target, node, frame)).followed_by(given)
                yield callee, own, target.is_partial

    @cached_property
    def names_loaders(self) -> bool:
        """Whether code that makes objects of YAML files may make something that starts workers."""
        project, catalog = self.interpreter.project, self.interpreter.catalog
        is_used = any(project.using([b"hydra"]))
        return is_used and any(catalog.boundary(each.name) for each in self._targets)

    @cached_property
    def _targets(self) -> list[Target]:
        return list(declared.targets(self.interpreter.project.root, self.interpreter.cut))

    def names_for(self, name: ast.expr, frame: Frame) -> frozenset[str]:
        """Return the names that configuration files give for the setting that an expression reads."""
        key = _key(Bound(name, frame))
        return self._names.get(key, frozenset()) if key is not None else frozenset()

    @cached_property
    def _names(self) -> dict[str, frozenset[str]]:
        return declared.names_by_key(self.interpreter.project.root)

    def _result(
        self, callee: Value, own: Arguments, node: ast.Call, frame: Frame, *, is_partial: bool
    ) -> Iterator[Reached]:
        calls = self.interpreter.calls
        if is_partial:
            made = calls.made(node, frame, lambda: Partial(node, frame, callee, own), callee)
            yield Reached(made)
        else:
            yield from calls.apply(callee, own, node, frame)

    def _arguments(self, target: Target, node: ast.Call, frame: Frame) -> dict[str, Argument]:
        """Return what a target is given: plain values, and targets made before it."""
        found: dict[str, Argument] = {}
        for name, one in target.arguments:
            if isinstance(one, Target):
                values = list(self._made(one, node, frame))
                found[name] = values[0] if values else Unknown()
            else:
                found[name] = Constant(one)
        return found

    def _made(self, target: Target, node: ast.Call, frame: Frame) -> Iterator[Value]:
        for callee in self._named(*_split(target.name), node, frame):
            own = Arguments((), self._arguments(target, node, frame))
            found = self._result(callee, own, node, frame, is_partial=target.is_partial)
            yield from (reached.value for reached in found)

    def loaded(self, value: Derived, frame: Frame) -> Iterator[Reached]:
        """Yield what `entry_point.load()` may give."""
        groups = set(self._texts(value))
        for entry in self._entry_points(frame.module):
            if entry.group in groups:
                for found in self._named(entry.module, entry.attribute, value.node, frame):
                    yield Reached(found)
        yield Reached(Unknown())

    def _entry_points(self, module: Module) -> Iterator[EntryPoint]:
        for folder in module.path.parents:
            yield from declared.entry_points(folder)
            if folder == self.interpreter.project.root:
                return

    def _texts(self, value: Value) -> Iterator[str]:
        """Yield the texts that entry points are chosen by, on the way to one of them."""
        while isinstance(value, Derived):
            yield from (n.value for n in ast.walk(value.node) if _is_text(n))  # type: ignore[attr-defined]
            value = value.origin
        if isinstance(value, ExternalCall):
            for one in self.interpreter.values(value.arguments.get(0, "group")):
                if isinstance(one, Constant) and isinstance(one.value, str):
                    yield one.value

    def _named(self, dotted: str, name: str, node: ast.expr, frame: Frame) -> Iterator[Value]:
        """Yield what an attribute of a module is, as far as it is known."""
        module = self.interpreter.project.find(dotted, frame.module)
        value = ModuleValue(dotted, module)
        for reached in self.interpreter.attribute(value, name, node, frame):
            if not isinstance(reached.value, Unknown):
                yield reached.value


def is_entry_point(value: Value) -> bool:
    """Return whether a value is what `entry_points(...)` gives, or an item of it."""
    value = origin_of(value)
    return isinstance(value, ExternalCall) and value.name in ENTRY_POINTS


def _key(argument: Argument | None) -> str | None:
    """Return the key of the setting that an expression reads: `data` of `cfg.data`, of `data_cfg`."""
    node = argument.node if isinstance(argument, Bound) else None
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return node.slice.value if _is_text(node.slice) else None  # type: ignore[attr-defined]
    match node:  # `config.get("data")`
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
            return key
    if not isinstance(node, ast.Name) or not isinstance(argument, Bound):
        return None
    passed = (argument.frame.arguments or {}).get(node.id, ())
    if len(passed) == 1 and (found := _key(passed[0])) is not None:
        return found
    return _PLAIN.sub("", node.id)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _split(dotted: str) -> tuple[str, str]:
    module, _, name = dotted.rpartition(".")
    return module, name
