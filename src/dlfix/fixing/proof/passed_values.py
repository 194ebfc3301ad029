"""What a method reads, as the arguments that its caller, and whoever made its object, pass for it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dlfix.fixing.proof.origins import Origins, is_literal, spelled
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    dotted,
    is_attribute,
    last_part,
    parameters,
    self_name,
    stored_names,
    within,
)
from dlfix.project.module import Module
from dlfix.project.syntax import defaults


class Given:
    """Follows the names of a method back to a call of it, and to the calls that made its object."""

    def __init__(
        self, home: Module, function: Function, call: ast.Call, made: list[ast.Call]
    ) -> None:
        self.home, self.function, self.call, self.made = home, function, call, made

    def of(self, texts: Iterable[str]) -> list[ast.expr] | None:
        """Return the arguments that some names go back to; None where one goes back to something else."""
        found: list[ast.expr] = []
        for text in texts:
            passed = [] if is_literal(text) else self._of(text)
            if passed is None:
                return None
            found += passed
        return found

    def _of(self, text: str) -> list[ast.expr] | None:
        root, _, rest = text.partition(".")
        if root == self_name(self.function):
            return self._of_attribute(rest.partition(".")[0])
        if root in parameters(self.function):
            return _part_of(argument(self.function, self.call, root), rest)
        imports = [*self.home.nodes(ast.Import), *self.home.nodes(ast.ImportFrom)]
        local = stored_names(self.function.body) | stored_names(imports)
        return [] if root in local else None

    def _of_attribute(self, name: str) -> list[ast.expr] | None:
        """Return what was passed for an attribute that the constructor alone sets."""
        cls = self.home.parent(self.function)
        methods = [each for each in getattr(cls, "body", ()) if isinstance(each, FUNCTIONS)]
        init = next((each for each in methods if each.name == "__init__"), None)
        stores = [
            (method, node)
            for method in methods
            for node in within(method)
            if is_attribute(node, self_name(method), name) and not isinstance(node.ctx, ast.Load)
        ]
        own = self.made and {last_part(call.func) for call in self.made} == {
            getattr(cls, "name", "")
        }
        if init is None or not own or {method for method, _ in stores} != {init}:
            return None
        origins = Origins(init.body)
        found: list[ast.expr] = []
        for _, node in stores:
            above = self.home.parent(node)
            if not isinstance(above, ast.Assign):
                return None
            for text in origins.of(above.value):
                passed = [spelled(text)] if is_literal(text) else self._passed_to(init, text)
                if passed is None:
                    return None
                found += passed
        return found

    def _passed_to(self, init: Function, text: str) -> list[ast.expr] | None:
        root, _, rest = text.partition(".")
        if root == self_name(init) or root not in parameters(init):
            return [] if root in stored_names(init.body) else None
        found: list[ast.expr] = []
        for call in self.made:
            passed = _part_of(argument(init, call, root), rest)
            if passed is None:
                return None
            found += passed
        return found


def _part_of(passed: list[ast.expr] | None, rest: str) -> list[ast.expr] | None:
    """Return what a method reads of what is passed: `options.path`, where that is passed by its name."""
    for name in rest.split(".") if rest else ():
        passed = [
            ast.copy_location(ast.Attribute(each, name, ast.Load()), each) if dotted(each) else each
            for each in passed or ()
        ] or passed
    return passed


def argument(function: Function, call: ast.Call, name: str) -> list[ast.expr] | None:
    """Return what a call of a method passes for a parameter, or its default; None if not known."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        return None
    positional = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][1:]
    passed = defaults(function.args) | dict(zip(positional, call.args, strict=False))
    passed |= {keyword.arg or "": keyword.value for keyword in call.keywords}
    return [passed[name]] if name in passed else None
