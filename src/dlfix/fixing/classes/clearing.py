"""What is left empty once the openings have moved is taken out: blocks, helpers, fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.classes.facts import (
    Method,
)
from dlfix.fixing.classes.forms import Forms
from dlfix.fixing.classes.handles import NotLazily, Refusal
from dlfix.fixing.classes.plans import Exchange, Insert
from dlfix.source.text import Span


class Clearing(Forms):
    """Collects the edits of all methods."""

    def _edits(self) -> tuple[list[Exchange], list[Insert]]:
        exchanges: list[Exchange] = []
        inserts: list[Insert] = []
        for moved in self.work.moved.values():
            exchanges += moved.exchanges
            inserts += moved.inserts
        exchanges += self._resets_gone()
        exchanges += self._fields_gone()
        kept = [each for moved in self.work.moved.values() for each in moved.kept.values() if each]
        exchanges += self._slots_changed(kept)
        return self._emptied(exchanges), inserts

    def _resets_gone(self) -> Iterator[Exchange]:
        """Take out what set the attributes to None before they were opened."""
        for name, handle in self.handles.items():
            for site in self.facts.stores[name]:
                if site is handle.site or site.statement in self.work.gone:
                    continue
                if site.resets and site.method.name in self.facts.started:
                    self.work.gone.add(site.statement)
                    yield Exchange(self.module.span(site.statement))

    def _fields_gone(self) -> Iterator[Exchange]:
        """Take out the fields of a dataclass that declared the attributes."""
        for name in self.handles:
            field_ = self.facts.fields.get(name)
            if field_ is None:
                continue
            value = field_.value
            by_init = value is not None and "init=False" not in ast.unparse(value)
            resets = isinstance(value, ast.Constant) and value.value is None
            if self._is_dataclass() and (value is None or by_init):
                raise NotLazily(
                    f"the resource is a dataclass field that `__init__` accepts ({self.facts.line(field_)})"
                )
            if value is not None and by_init and not resets:
                raise Refusal(
                    "the class body sets a default value for the attribute "
                    f"({self.facts.line(field_)})"
                )
            yield Exchange(self.module.span(field_))

    def _is_dataclass(self) -> bool:
        return any("dataclass" in ast.unparse(each) for each in self.facts.node.decorator_list)

    def _emptied(self, exchanges: list[Exchange]) -> list[Exchange]:
        """Take out whole blocks and helper methods that have nothing left to do."""
        removed = {each.span for each in exchanges if not each.becomes}
        for method in list(self.work.moved):
            for statement in method.body:
                self._empty_compound(statement, removed, exchanges)
            if method.name != "__init__" and self._is_empty(method.body, removed):
                exchanges = self._without_method(method, exchanges)
        return exchanges

    def _empty_compound(
        self, statement: ast.stmt, removed: set[Span], exchanges: list[Exchange]
    ) -> None:
        if not isinstance(statement, (ast.If, ast.With, ast.Try)):
            return
        blocks = [statement.body, getattr(statement, "orelse", [])]
        for block in blocks:
            for each in block:
                self._empty_compound(each, removed, exchanges)
        if all(self.module.span(each) in removed for block in blocks for each in block):
            span = self.module.span(statement)
            exchanges.append(Exchange(span, takes_comments=False))
            removed.add(span)

    def _is_empty(self, body: list[ast.stmt], removed: set[Span]) -> bool:
        rest = body[1:] if ast.get_docstring(_function(body)) is not None else body
        return all(
            isinstance(each, (ast.Import, ast.ImportFrom, ast.Pass))
            or self.module.span(each) in removed
            for each in rest
        )

    def _without_method(self, method: Method, exchanges: list[Exchange]) -> list[Exchange]:
        calls = self._calls_of(method)
        if calls is None:
            return exchanges
        span = self.module.span(method)
        kept = [each for each in exchanges if not span.contains(each.span)]
        kept.append(Exchange(span, takes_comments=False))
        self.work.gone.add(method)
        return kept + [Exchange(self.module.span(each)) for each in calls]

    def _calls_of(self, method: Method) -> list[ast.stmt] | None:
        """Return the statements that only call a method; None if it is used otherwise."""
        uses = self.facts.reads.get(method.name, [])
        statements = []
        for user, node in uses:
            statement = self.module.statement(node)
            is_call = (
                isinstance(statement, ast.Expr) and self.module.parent(node) is statement.value
            )
            if not is_call or user.name not in self.facts.started:
                return None
            statements.append(statement)
        if ast.get_docstring(method) is not None:
            return None
        return statements


def _function(body: list[ast.stmt]) -> ast.FunctionDef:
    function = ast.parse("def f(): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return function
