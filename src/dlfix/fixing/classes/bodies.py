"""The body that opens a handle: its expression, what sets it up, and what stands around it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.branching import Branching
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.statements import only_raises
from dlfix.fixing.classes.text import bound_within, comments_of, indented, names_in, shifted

INDENT = "    "


class Bodies(Branching):
    """Writes the bodies."""

    def _body(self, attribute: str, handle: Handle, settings: Sequence[ast.stmt]) -> str:
        if attribute in self.steps:
            return self._stepwise(attribute, [*self.steps[attribute], *settings])
        value = self.value_of(attribute)
        compounds = self._compounds(self.definitions[attribute])
        withs = [each for each in compounds if isinstance(each, (ast.With, ast.AsyncWith))]
        self.bound_around = bound_within(ast.Module([*withs], [])) if withs else set()
        self._refuse_entered(value)
        if self._may_be_none(attribute):
            self.exits[attribute] = self._exits_before(attribute)
        docs = self._comments(attribute, settings)
        returning = self._returning(attribute)
        moves = [value, *settings, *(each.test for each in compounds if isinstance(each, ast.If))]
        moves += [item.context_expr for each in withs for item in each.items]
        before = [*returning, *self._locals_first(attribute, moves)]
        if returning:
            self.moved.branching.add(attribute)
        if self._branches(attribute, compounds):
            self.moved.branching.add(attribute)
            return "\n".join([*before, *self._branching(attribute, compounds, docs)])
        return "\n".join([*before, self._wrapped(attribute, compounds, value, settings, docs)])

    def _stepwise(self, attribute: str, steps: Sequence[ast.stmt]) -> str:
        """Return a body that makes a value in several statements."""
        local = next(name for name, alias in self.alias.items() if alias == attribute)
        parts = self._locals_first(attribute, steps)
        for step in steps:
            above, beside = comments_of(self.module, step)
            text = self._text(attribute, step, local)
            parts += [*above, f"{text}  {beside}" if beside else text]
        above, beside = comments_of(self.module, self.handles[attribute].site.statement)
        returned = f"return {local}"
        return "\n".join([*parts, *above, f"{returned}  {beside}" if beside else returned])

    def _refuse_entered(self, value: ast.expr) -> None:
        """Refuse what the end of a `with` closes."""
        for each in ast.walk(value):
            match each:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="enter_context")):
                    if name in self.bound_around:
                        raise Refusal(f"`{name}` closes the resource ({self.facts.line(each)})")

    def _wrapped(
        self,
        attribute: str,
        compounds: Sequence[ast.stmt],
        value: ast.expr,
        settings: Sequence[ast.stmt],
        docs: Sequence[str],
    ) -> str:
        tried = next((each for each in compounds if isinstance(each, ast.Try)), None)
        if len(compounds) == 1 and tried is not None:
            later = [each for each in settings if not self._within(each, set(tried.body))]
            if later and all(only_raises(each.body) for each in tried.handlers):
                return self._set_up_later(attribute, tried, value, settings, later, docs)
        text = "\n".join([*docs, self._opened(attribute, value, settings)])
        for compound in compounds:
            if isinstance(compound, (ast.With, ast.AsyncWith)):
                items = ", ".join(self._with_item(attribute, each) for each in compound.items)
                text = f"with {items}:\n" + indented(text, INDENT)
                self.moved.branching.add(attribute)
            elif isinstance(compound, ast.Try):
                text = self._tried(attribute, compound, text)
                self.moved.branching.add(attribute)
        return text

    def _set_up_later(
        self,
        attribute: str,
        compound: ast.Try,
        value: ast.expr,
        settings: Sequence[ast.stmt],
        later: Sequence[ast.stmt],
        docs: Sequence[str],
    ) -> str:
        """Open within a `try`, and set up below it what was set up there."""
        parts = self._opened_parts(attribute, value, settings)
        inside = 1 + len(settings) - len(later)
        text = self._tried(attribute, compound, "\n".join([*docs, *parts[:inside]]))
        return "\n".join([text, *parts[inside:]])

    def _with_item(self, attribute: str, item: ast.withitem) -> str:
        text = self._text(attribute, item.context_expr)
        if item.optional_vars is None:
            return text
        return f"{text} as {self.module.segment(item.optional_vars)}"

    def _tried(self, attribute: str, compound: ast.Try, text: str) -> str:
        if compound.finalbody or not self.moved.gone.issuperset(compound.orelse):
            raise Refusal(
                "the resource is opened in a `try` statement with `else` or `finally` "
                f"({self.facts.line(compound)})"
            )
        returned: dict[ast.AST, str] = {}
        for handler in compound.handlers:
            returned.update(self._returned_instead(attribute, handler))
            given = {inner for each in returned for inner in ast.walk(each)}
            if any(
                isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
                for each in ast.walk(handler)
                if each not in given
            ):
                raise Refusal(
                    "the `except` clause of the `try` statement that opens the resource also sets other attributes "
                    f"({self.facts.line(handler)})"
                )
        handlers = [self._text(attribute, each, more=returned) for each in compound.handlers]
        return "\n".join(["try:", indented(text, INDENT), *handlers])

    def _returned_instead(
        self, attribute: str, handler: ast.ExceptHandler
    ) -> Iterator[tuple[ast.AST, str]]:
        """Yield the last statement of a handler as a `return`, where it sets the attribute itself."""
        last = handler.body[-1]
        for site in self.facts.stores[attribute]:
            if site.statement is last and site.value is not None:
                self.moved.gone.add(last)
                yield last, f"return {self._text(attribute, site.value)}"

    def _opened(self, attribute: str, value: ast.expr, settings: Sequence[ast.stmt]) -> str:
        if settings:
            return "\n".join(self._opened_parts(attribute, value, settings))
        begin = self.module.span(value).start.column - self._indent_of(value)
        return self._returned(attribute, value, self._text(attribute, value), begin)

    def _opened_parts(
        self, attribute: str, value: ast.expr, settings: Sequence[ast.stmt]
    ) -> list[str]:
        """Return what opens a handle, what sets it up, and the `return`."""
        begin = self.module.span(value).start.column
        base = self._indent_of(value)
        text = self._text(attribute, value)
        local = self._local_for(attribute, [value, *settings])
        parts = [f"{local} = " + shifted(text, len(local) + 3 - (begin - base), begin - base)]
        for statement in settings:
            above, beside = comments_of(self.module, statement)
            setting = self._text(attribute, statement, local)
            parts.append("\n".join([*above, f"{setting}  {beside}" if beside else setting]))
        return [*parts, f"return {local}"]

    def _returned(self, attribute: str, value: ast.expr, text: str, column: int) -> str:
        beside = comments_of(self.module, self.definitions[attribute])[1]
        if attribute in self.walrus:
            beside = ""
        returned = "return " + shifted(text, len("return ") - column, column)
        return f"{returned}  {beside}" if beside else returned

    def _comments(self, attribute: str, settings: Sequence[ast.stmt]) -> list[str]:
        if attribute in self.walrus:
            return []
        definition = self.definitions[attribute]
        above, beside = comments_of(self.module, definition)
        site = self.handles[attribute].site.statement
        if site is not definition:
            more, end = comments_of(self.module, site)
            above += [*more, end] if end else more
        return [*above, beside] if settings and beside else above

    def _local_for(self, attribute: str, nodes: Sequence[ast.AST]) -> str:
        for name, alias in self.alias.items():
            if alias == attribute:
                return name
        name = attribute.lstrip("_")
        used = names_in(nodes) | {*self.module.scope.bindings, *dir(builtins)}
        return name if name.isidentifier() and name not in used else "opened"
