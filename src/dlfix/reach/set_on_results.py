"""Attributes that code sets on what libraries make and keep: `subset.dataset = copy`, `train.dataset.transform = f`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlfix.project.syntax import is_name
from dlfix.project.trees import walk
from dlfix.reach.instances import Made, attribute_targets, is_own
from dlfix.reach.sequence import beside, surely_after, surely_before
from dlfix.reach.values import Argument, Derived, ExternalCall, Frame, Instance, Reached, part_of

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.crossing import Store
    from dlfix.reach.evaluator import Evaluator


class SetOnResults:
    """Finds what attributes of such objects are, where code in view has set them."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter

    def stores(self, value: ExternalCall | Derived, modules: Iterable[Module]) -> list[Store]:
        """Return the stores that modules make on an object that a library's call makes, or is a part of."""
        set_on = self.interpreter.instances.set_on
        part = part_of(value)
        made: list[Made] = [value.node] if part is None else [part[0], part]
        return [each for module in modules for one in made for each in set_on(one, module)]

    def kept(
        self,
        value: ExternalCall | Derived,
        name: str,
        given: list[Argument],
        node: ast.expr,
        frame: Frame,
    ) -> list[Reached]:
        """Return what an object keeps under a name: what it was given, and what code has set there by then."""
        module = frame.module
        stores = [
            store
            for store in (self.stores(value, [module]) if self._is_set(name, frame) else ())
            if store.attribute == name and not surely_after(store.statement, node, module)
        ]
        sure = [each for each in stores if surely_before(each.statement, node, module)]
        if sure:
            stores = stores[stores.index(sure[-1]) :]
        kept = [] if sure else [one for each in given for one in self.interpreter.reached(each)]
        return kept + [one for store in stores for one in self.interpreter.instances.stored(store)]

    def _is_set(self, name: str, frame: Frame) -> bool:
        """Return whether a module sets an attribute by a name at all."""
        found = frame.module.attributes_by_name.get(name, ())
        return any(isinstance(each.ctx, ast.Store) for each in found)

    def here(
        self, owners: Iterable[Reached], node: ast.Attribute, frame: Frame
    ) -> tuple[Reached, ...]:
        """Return what the code above a place has surely set the attribute to, of an object of the tree; else none."""
        if is_name(node.value, "self") or not isinstance(node.ctx, ast.Load):
            return ()
        if not self._is_set(node.attr, frame):
            return ()
        last = _last_set(node, frame.module)
        if last is None or not all(self._is_plain(each, node.attr) for each in owners):
            return ()
        return self.interpreter.evaluate(last.value, frame)

    def _is_plain(self, owner: Reached, name: str) -> bool:
        """Return whether an object keeps what is set: no property of its class takes it."""
        value = owner.value
        method = self.interpreter.instances.method
        return isinstance(value, Instance) and method(value.cls, name) is None


def _last_set(read: ast.Attribute, module: Module) -> ast.Assign | None:
    """Return the statement above a place that surely gave what is read there its value: `part.data.f = g`.

    None of the objects on the way to the attribute is another one by then.
    """
    targets = [
        (t, s) for t, s in attribute_targets(module, read.attr) if not is_own(module, t.value)
    ]
    if not targets:
        return None
    text = ast.unparse(read)
    before = [
        statement
        for target, statement in targets
        if ast.unparse(target) == text and surely_before(statement, read, module)
    ]
    last = before[-1] if before else None
    return None if last is None or _is_moved(last, read, module) else last


def _is_moved(statement: ast.stmt, read: ast.Attribute, module: Module) -> bool:
    """Return whether code between a statement and a place may put another object in the path that is read."""
    block, place = beside(statement, read, module)
    attributes, root = _path(read)
    return not root or any(
        _is_stored(part, root, attributes)
        for between in block[block.index(statement) + 1 : place]
        for part in walk(between)
    )


def _is_stored(node: ast.AST, root: str, attributes: set[str]) -> bool:
    """Return whether a node gives another value to a name, or to an attribute of some names of anything."""
    if isinstance(node, ast.Name):
        return node.id == root and not isinstance(node.ctx, ast.Load)
    in_path = isinstance(node, ast.Attribute) and node.attr in attributes
    return in_path and not isinstance(node.ctx, ast.Load)  # type: ignore[attr-defined]


def _path(node: ast.expr) -> tuple[set[str], str]:
    """Return the attributes of a path and the name that it begins with; "" where it begins otherwise."""
    attributes = set()
    while isinstance(node, ast.Attribute):
        attributes.add(node.attr)
        node = node.value
    return attributes, node.id if isinstance(node, ast.Name) else ""
