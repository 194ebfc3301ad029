"""What stays behind in the method that opened."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dlfix.fixing.classes.bodies import Bodies
from dlfix.fixing.classes.facts import (
    is_self_attribute,
)
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.plans import Exchange, Insert
from dlfix.fixing.classes.text import names_in


class Leaving(Bodies):
    """Writes what takes the place of the statements that moved."""

    def _leave(self, attribute: str, settings: Sequence[ast.stmt], leading: str) -> None:
        imports = self.saves.get(f"import {attribute}", [])
        if imports:
            self.moved.bodies[attribute] = "\n".join([*imports, self.moved.bodies[attribute]])
        stay = self.saves.get(attribute, []) + ([leading] if leading else [])
        definition = self.definitions[attribute]
        site = self.handles[attribute].site.statement
        self._leave_definition(attribute, definition, stay)
        if site is not definition:
            self._exchange(site, "", takes_comments=True)
        for statement in (*settings, *self.steps.get(attribute, [])[1:]):
            self._exchange(statement, "", takes_comments=True)

    def _leave_definition(self, attribute: str, definition: ast.stmt, stay: list[str]) -> None:
        compounds = self._compounds(definition)
        if attribute in self.walrus:
            self._leave_walrus(attribute, stay)
            return
        if self.exits.get(attribute) and stay:
            self._leave_before_exits(attribute, stay)
            stay = []
        elif compounds and stay:
            inside = self._saved_inside(attribute, definition)
            stay = [each for each in stay if each not in inside]
            outer = self.module.span(compounds[-1])
            if stay:
                self.moved.inserts.append(Insert(outer, "\n".join(stay), before=True))
            stay = inside
        rest = self._remaining(attribute, definition)
        self._exchange(definition, "\n".join([*stay, *rest]), takes_comments=True)

    def _leave_before_exits(self, attribute: str, stay: list[str]) -> None:
        """Keep values before the method may return: what opens reads them whether it did or not."""
        first = self.exits[attribute][0]
        before = {*self._run_before(first)}
        for name in sorted(names_in([ast.parse(line) for line in stay])):
            for binding in self.scope.bindings.get(name, []):
                if binding.kind != "parameter" and not self._within(binding.node, before):
                    where = self.facts.line(first)
                    raise Refusal(f"the method may return before `{name}` is set ({where})")
        self.moved.inserts.append(Insert(self.module.span(first), "\n".join(stay), before=True))

    def _leave_walrus(self, attribute: str, stay: list[str]) -> None:
        walrus = self.walrus[attribute]
        statement = self.definitions[attribute]
        self.moved.gone.discard(statement)
        if stay:
            self.moved.inserts.append(
                Insert(self.module.span(statement), "\n".join(stay), before=True)
            )
        assert isinstance(walrus.target, ast.Name)
        read = f"{self.me}.{attribute}"
        if self._still_read(walrus.target.id):
            read = f"({walrus.target.id} := {read})"
        self.moved.exchanges.append(Exchange(self.module.span(walrus), read, "expression"))

    def _remaining(self, attribute: str, definition: ast.stmt) -> list[str]:
        """Return what a statement goes on doing once the opening has left it."""
        read = f"{self.me}.{attribute}"
        if not isinstance(definition, ast.Assign):
            return self._alias_left(definition, read)
        lines = []
        for target in definition.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                lines += self._unpacked_rest(attribute, definition, target)
            elif isinstance(target, ast.Name):
                if self._still_read(target.id):
                    lines.append(f"{target.id} = {read}")
            elif target is not self.handles[attribute].site.target and not self._stands_for(
                target, attribute
            ):
                raise Refusal(f"the resource is stored twice ({self.facts.line(definition)})")
        return lines

    def _alias_left(self, definition: ast.stmt, read: str) -> list[str]:
        target = getattr(definition, "target", None)
        if isinstance(target, ast.Name) and self._still_read(target.id):
            return [f"{target.id} = {read}"]
        return []

    def _unpacked_rest(
        self, attribute: str, definition: ast.Assign, targets: ast.Tuple | ast.List
    ) -> list[str]:
        values = definition.value
        if not isinstance(values, (ast.Tuple, ast.List)):
            raise Refusal(
                "the resource is unpacked from a value that is not a tuple or list "
                f"({self.facts.line(definition)})"
            )
        lines = []
        for target, value in zip(targets.elts, values.elts, strict=True):
            if is_self_attribute(target, self.me) and target.attr in self.handles:
                continue
            lines.append(f"{self.module.segment(target)} = {self.module.segment(value)}")
        return lines if attribute == self._first_of(definition) else []

    def _first_of(self, definition: ast.stmt) -> str:
        return next(name for name in self.handles if self.definitions[name] is definition)

    def _still_read(self, name: str) -> bool:
        return any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and not self._within(node, self.moved.gone)
            for node in ast.walk(self.method)
        )
