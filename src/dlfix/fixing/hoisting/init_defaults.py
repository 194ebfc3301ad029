"""Defaults of a local class's `__init__` that are names of the function around it: its callers pass them once it has moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.class_uses import ClassUses
from dlfix.fixing.hoisting.kept_names import Keeping
from dlfix.project.module import Module
from dlfix.project.syntax import defaults, positional


@dataclass
class InitDefaults:
    """The parameters `transform=transform` of a constructor."""

    module: Module
    node: ast.ClassDef
    init: ast.FunctionDef | None

    def take(self, captured: dict[str, list[ast.Name]], keeping: Keeping) -> list[str]:
        """Take the reads that such defaults are out of what is captured; return the parameters."""
        found = [name for name in captured if self._is_default(name, captured[name])]
        if not found or self.init is None:
            return []
        self._refuse_out_of_order(self.init, found)
        for name in found:
            keeping.refuse_changing(name)
            del captured[name]
        return found

    def _is_default(self, name: str, reads: Sequence[ast.Name]) -> bool:
        """Return whether all that reads a name around the class is the default of the parameter of that name."""
        given = defaults(self.init.args) if self.init is not None else {}
        return name in given and len(reads) == 1 and given[name] is reads[0]

    def _refuse_out_of_order(self, init: ast.FunctionDef, found: Sequence[str]) -> None:
        """Refuse where a parameter that keeps its default stands before one that loses it."""
        given = defaults(init.args)
        listed = [name for name in positional(init) if name in given]
        kept = next((at for at, name in enumerate(listed) if name not in found), len(listed))
        if any(name in found for name in listed[kept:]):
            raise CannotHoist(
                f"the `__init__` of `{self.node.name}` has a default after that of `{found[0]}` "
                f"(line {init.lineno})"
            )


def left_out(
    init: ast.FunctionDef, names: Sequence[str], uses: ClassUses
) -> Iterator[tuple[ast.Call, list[str]]]:
    """Yield the constructor calls that leave parameters out, each with those; refuse other uses of the class."""
    if uses.values or uses.heirs:
        raise CannotHoist(
            f"a default of the `__init__` is a name of the enclosing function, and `{uses.node.name}` "
            f"is used other than by a call (line {init.lineno})"
        )
    taken = positional(init)[1:]
    for call in uses.calls:
        if any(isinstance(each, ast.Starred) for each in call.args) or any(
            each.arg is None for each in call.keywords
        ):
            raise CannotHoist(
                f"it is not known which arguments `{uses.node.name}` gets (line {call.lineno})"
            )
        passed = {*taken[: len(call.args)], *(each.arg for each in call.keywords)}
        missing = [name for name in names if name not in passed]
        if missing:
            yield call, missing


__all__ = ["InitDefaults", "left_out"]
