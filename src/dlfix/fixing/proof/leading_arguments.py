"""Which arguments of a call name the files of what it makes: those that a backward slice of the function leads to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlfix.fixing.proof.origins import Origins, is_literal
from dlfix.fixing.proof.syntax import (
    Function,
    bound_in,
    last_part,
    parameters,
    self_name,
    stored_names,
)
from dlfix.project.module import Module
from dlfix.project.syntax import positional


class Led(NamedTuple):
    """A function that makes an object, and the parameters by which its files are named; None: maybe by any."""

    function: Function
    owner: str  # the class of a method
    by: frozenset[str] | None

    def arguments(self, call: ast.Call) -> list[ast.expr] | None:
        """Return what a call of the function gives these parameters; None where any argument may be it."""
        is_constructor = self.function.name == "__init__" and bool(self.owner)
        unpacked = any(isinstance(each, ast.Starred) for each in call.args)
        name = self.owner if is_constructor else self.function.name
        if self.by is None or unpacked or last_part(call.func) != name:
            return None
        return [value for name, value in self._passed(call) if not name or name in self.by]

    def _passed(self, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """Yield the arguments with the parameters that get them; with no name what may be several."""
        taken = self.function.args
        skipped = 1 if self.owner and self_name(self.function) else 0
        places = positional(self.function)[skipped:]
        rest = taken.vararg.arg if taken.vararg is not None else ""
        others = taken.kwarg.arg if taken.kwarg is not None else ""
        named = {*parameters(self.function)}
        for place, value in enumerate(call.args):
            yield (places[place] if place < len(places) else rest), value
        for each in call.keywords:
            yield (each.arg if each.arg in named else others) or "", each.value


def led_to(module: Module, function: Function, naming: list[ast.expr], origins: Origins) -> Led:
    """Return by which parameters of a function what some expressions in it name is known."""
    owner = module.parent(function)
    roots = {text.partition(".")[0] for text in origins.of(*naming) if not is_literal(text)}
    taken, local = {*parameters(function)}, bound_in(function)
    is_known = self_name(function) not in roots if isinstance(owner, ast.ClassDef) else True
    is_known = is_known and roots <= local | _imported(module)
    name = owner.name if isinstance(owner, ast.ClassDef) else ""
    return Led(function, name, frozenset(roots & taken) if is_known else None)


def _imported(module: Module) -> set[str]:
    return stored_names([*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)])


__all__ = ["Led", "led_to"]
