"""How a class that opens lazily knows whether it is open, and who opens it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from dlfix.fixing.classes.closing import is_closer
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.loops import grows, is_empty
from dlfix.fixing.classes.plans import Exchange
from dlfix.project.module import Module
from dlfix.project.order import comes_before
from dlfix.project.syntax import attributes_of, is_name

WORKERS = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__")


def waiting_for(module: Module, node: ast.AST) -> ast.ExceptHandler | None:
    """Return what handles the AttributeError of a read; None where nothing does."""
    inner = node
    for each in module.ancestors(node):
        if isinstance(each, ast.Try) and inner in each.body:
            for handler in each.handlers:
                if handler.type is not None and "AttributeError" in ast.unparse(handler.type):
                    return handler
            return None
        inner = each
    return None


def is_set_where_absent(facts: ClassFacts, site: StoreSite) -> bool:
    """Return whether a method sets an attribute only where it finds that the object has none yet."""
    handlers = (
        waiting_for(facts.module, node)
        for method, node in facts.reads.get(site.attribute, [])
        if method is site.method
    )
    if any(handler is not None and site.statement in handler.body for handler in handlers):
        return True
    guard = facts.module.parent(site.statement)
    asked = _found_absent(guard.test) if isinstance(guard, ast.If) else None
    own = asked == (self_name(site.method), site.attribute)
    return own and isinstance(guard, ast.If) and site.statement in guard.body


def _found_absent(test: ast.expr) -> tuple[str, object] | None:
    """Return the object and the name of what a test finds to be missing from it."""
    match test:
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(
                func=ast.Name(id="hasattr"), args=[ast.Name(id=owner), ast.Constant(value=name)]
            ),
        ):
            return owner, name
        case ast.Compare(left=ast.Constant(value=name), ops=[ast.NotIn()], comparators=[where]):
            of = attributes_of(where)
            return (of.id, name) if isinstance(of, ast.Name) else None
    return None


def set_up(sites: Sequence[StoreSite], only_started: frozenset[str]) -> list[StoreSite]:
    """Return the stores by which constructors, or the methods that only these run, give an attribute its first value."""
    return [each for each in sites if each.method.name in {*STARTS, *only_started}]


class Protocol:
    """Knows the questions that the methods of a class ask about some attributes."""

    def __init__(
        self, facts: ClassFacts, names: list[str], only_started: frozenset[str] = frozenset()
    ) -> None:
        self.facts = facts
        self.module = facts.module
        self.names = [name for name in names if name not in facts.methods]
        self.only_started = only_started  # what constructors, of bases too, run once

    # -- an attribute that is not there until it is open

    def is_absent(self, name: str) -> bool:
        """Return whether a method waits for an AttributeError, or looks into `__dict__`."""
        started = any(
            s.method.name in self.facts.started and not is_set_where_absent(self.facts, s)
            for s in self.facts.stores.get(name, [])
        )
        if started:
            return False
        reads = self.facts.reads.get(name, [])
        return any(waiting_for(self.module, node) is not None for _, node in reads) or bool(
            list(self._lookups(name))
        )

    def exchanges(self, name: str) -> Iterator[Exchange]:
        """Ask with `hasattr` where a method looked into `__dict__`."""
        for node, text in self._lookups(name):
            yield Exchange(self.module.span(node), text, "expression")

    def _lookups(self, name: str) -> Iterator[tuple[ast.AST, str]]:
        for method in self.facts.all_methods:
            me = self_name(method)
            for node in ast.walk(method):
                match node:
                    case ast.Compare(
                        left=ast.Constant(value=value), ops=[op], comparators=[where]
                    ) if value == name and _is_dict_of(where, me):
                        asked = f'hasattr({me}, "{name}")'
                        yield node, f"not {asked}" if isinstance(op, ast.NotIn) else asked
                    case ast.Call(
                        func=ast.Attribute(value=where, attr="get"),
                        args=[ast.Constant(value=value)],
                    ) if value == name and _is_dict_of(where, me):
                        yield node, f'getattr({me}, "{name}", None)'

    # -- flags

    def flags(self, names: list[str]) -> dict[str, StoreSite]:
        """Return the attributes that tell whether others are open, with where each starts."""
        filling = {
            method
            for name in names
            for method, node in self.facts.reads.get(name, [])
            if grows(self.facts, node)
        }
        openers = filling | {
            site.method
            for name in names
            for site in self.facts.stores.get(name, [])
            if site.method.name not in STARTS and not site.resets
        }
        opening = filling | {
            site.method
            for name in names
            for site in self.facts.stores.get(name, [])
            if self._opens(site)
        }
        found = {}
        for flag, sites in self.facts.stores.items():
            starts = [each for each in sites if each.method.name in STARTS] or [
                each for each in set_up(sites, self.only_started) if each.method not in opening
            ]
            if flag in names or len(starts) != 1 or not _is_flag(starts[0].value):
                continue
            set_ = [each for each in sites if each.method in openers and _is_flag(each.value)]
            if set_ and self._is_tested(flag) and _is_alone(starts[0].statement):
                found[flag] = starts[0]
        return found

    def _is_tested(self, flag: str) -> bool:
        return any(
            isinstance(each, (ast.If, ast.IfExp, ast.While)) and node in ast.walk(each.test)
            for _, node in self.facts.reads.get(flag, [])
            for each in self.module.ancestors(node)
        )

    # -- what is opened on demand

    def opens_on_demand(self) -> bool:
        """Return whether constructors leave all empty, and each opening comes below a question if it is needed."""
        flags = {*self.flags(self.names), *self.names}
        openings: list[tuple[Method, ast.stmt]] = []
        for name in self.names:
            sites = self.facts.stores.get(name, [])
            first = set_up(sites, self.only_started)
            if not first or not all(each.resets or is_empty(each.value) for each in first):
                return False
            openings += [(each.method, each.statement) for each in sites if self._opens(each)]
            openings += [
                (method, self.module.statement(node))
                for method, node in self.facts.reads.get(name, [])
                if grows(self.facts, node)
            ]
        return bool(openings) and all(self._asks(*each, flags) for each in openings)

    def _opens(self, site: StoreSite) -> bool:
        """Return whether a store puts something new in: nothing empty, and no part of another of the attributes."""
        if site.value is None or site.resets or is_empty(site.value):
            return False
        me = self_name(site.method)
        return not any(
            is_self_attribute(node, me) and node.attr in self.names for node in ast.walk(site.value)
        )

    def _asks(self, method: Method, statement: ast.stmt, names: set[str]) -> bool:
        """Return whether a statement runs only after one of some attributes was asked: around it, or where the method may end."""
        me = self_name(method)
        above = list(self.module.ancestors(statement))
        asked = [each for each in above[: above.index(method)] if isinstance(each, ast.If)]
        asked += [
            each
            for each in method.body
            if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Return)
            if comes_before(each, statement)
        ]
        return any(
            is_self_attribute(node, me) and node.attr in names
            for each in asked
            for node in ast.walk(each.test)
        )

    # -- who opens

    @cached_property
    def parent_only(self) -> Method | None:
        """Return the method that opens, if no method that a worker runs leads to it."""
        openers = {
            site.method
            for name in self.names
            for site in self.facts.stores.get(name, [])
            if not site.resets and site.value is not None and not _starts_empty(site)
        }
        if len(openers) != 1:
            return None
        opener = openers.pop()
        if opener.name in STARTS or self._is_started(opener):
            return None
        reads = [m for name in self.names for m, _ in self.facts.reads.get(name, [])]
        users = {each.name for each in reads if not is_closer(each)} - {opener.name}
        if not users:
            return None
        led = any(
            opener.name in self.facts.reached([user]) or self.facts.is_property(opener.name)
            for user in users
        )
        return None if led else opener

    def _is_started(self, opener: Method) -> bool:
        return opener.name in self.facts.started or opener.name in WORKERS


def _starts_empty(site: StoreSite) -> bool:
    return site.method.name in STARTS and isinstance(site.value, (ast.Dict, ast.List, ast.Constant))


def _is_alone(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Assign, ast.AnnAssign)) and (
        len(getattr(statement, "targets", [None])) == 1
    )


def _is_flag(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, (bool, int))


def _is_dict_of(node: ast.expr, me: str) -> bool:
    return is_name(attributes_of(node), me)
