"""Move what opens an attribute out of the method that opens it, into a body of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from dlfix.fixing.classes.handles import Moved, Refusal
from dlfix.fixing.classes.left_in_method import Leaving
from dlfix.fixing.classes.text import stored_in


class Mover(Leaving):
    """Works out, for the handles that one method opens, their bodies and what stays behind."""

    def run(self, leading: Mapping[str, str]) -> Moved:
        """Move all handles; `leading` are statements to put where each was opened."""
        for attribute, handle in self.handles.items():
            self._find_alias(attribute, handle)
        settings = {name: self._settings(name) for name in self.handles}
        for name, statements in settings.items():
            self.moved.gone.update(statements)
            self.moved.gone.add(self.handles[name].site.statement)
            self.moved.gone.update([self.definitions[name], *self.steps.get(name, [])])
        for name, handle in self.handles.items():
            self.moved.bodies[name] = self._body(name, handle, settings[name])
        for name in self.handles:
            self._leave(name, settings[name], leading.get(name, ""))
        return self.moved

    def opening(self, attribute: str) -> str:
        """Return the body that opens one attribute alone."""
        self._find_alias(attribute, self.handles[attribute])
        self.moved.gone.add(self.definitions[attribute])
        body = self._body(attribute, self.handles[attribute], [])
        return "\n".join([*self.saves.get(f"import {attribute}", []), body])

    def expression(self, attribute: str) -> tuple[list[str], list[str]]:
        """Return statements that set an attribute anew, and what must be kept for them."""
        self._find_alias(attribute, self.handles[attribute])
        value = self.value_of(attribute)
        if isinstance(value, ast.Name) and self._is_parameter(value.id):
            raise Refusal(f"the resource is passed in ({self.facts.line(value)})")
        before = len(self.saves.get(attribute, []))
        self.remade = value
        text = self._text(attribute, value)
        settings = self._settings_left(attribute)
        imports = self.saves.get(f"import {attribute}", [])
        lines = [*imports, self.facts.setting(attribute, text), *settings]
        return lines, self.saves.get(attribute, [])[before:]

    def again(self, attribute: str, *, in_branches: bool = False) -> tuple[str, list[str]]:
        """Return the body that opens an attribute again, and what must be kept for it.

        The statements that open it stay where they are; `evaluated` says what they read now, as a
        call that gave a kept value is not repeated.
        """
        handle = self.handles[attribute]
        self._find_alias(attribute, handle)
        definition = self.definitions[attribute]
        around = [
            each
            for each in self._compounds(definition)
            if not (in_branches and isinstance(each, ast.If))
        ]
        if around or attribute in self.walrus or attribute in self.steps:
            raise Refusal(
                f"the resource is opened inside a compound statement ({self.facts.line(definition)})"
            )
        value = self._own_part(attribute)
        if isinstance(value, ast.Name) and self._is_parameter(value.id):
            raise Refusal(f"the resource is passed in ({self.facts.line(value)})")
        settings = self._settings(attribute)
        self._refuse_compound(settings)
        before = len(self.saves.get(attribute, []))
        body = self._opened(attribute, value, settings)
        imports = self.saves.get(f"import {attribute}", [])
        return "\n".join([*imports, body]), self.saves.get(attribute, [])[before:]

    def _refuse_compound(self, settings: Iterable[ast.stmt]) -> None:
        """Refuse settings that stand in another statement: only an opening as a slice takes that along."""
        for each in settings:
            above = self._compounds(each)
            if above:
                branches = any(isinstance(one, ast.If) for one in above)
                how = "conditionally" if branches else "inside a compound statement"
                raise Refusal(f"the resource is configured {how} ({self.facts.line(each)})")

    def _own_part(self, attribute: str) -> ast.expr:
        """Return what opens an attribute, without the caller's exit stack, which closes the parent's alone."""
        value = self.value_of(attribute)
        match value:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=stack), attr="enter_context"), args=[opened]
            ) if self._is_parameter(stack) and self.handles[attribute].enters:
                return opened
        return value

    def _settings_left(self, attribute: str) -> list[str]:
        """Return the statements that set up an attribute once it is made: they run anew as well."""
        handle = self.handles[attribute]
        lines = []
        for statement in self._later(handle.site.statement):
            one_by_one = self._sets_up_items(statement, attribute)
            if not one_by_one and not self._configures(statement, attribute, handle):
                continue
            self._refuse_compound([statement])
            lines.append(self._text(attribute, statement))
        return lines

    def rendered(self, attribute: str, node: ast.expr, changes: Mapping[ast.AST, str]) -> str:
        """Return a node's text in the body of `attribute`, some parts exchanged besides."""
        return self._text(attribute, node, more=changes)

    def statement(self, attribute: str, node: ast.stmt, local: str) -> str:
        """Return a statement that fills `attribute`, held under a local name meanwhile."""
        value = self.handles[attribute].site.value
        if isinstance(value, ast.Name):
            self.alias[value.id] = attribute
        self.bound_around = stored_in([node])
        return self._text(attribute, node, local)
