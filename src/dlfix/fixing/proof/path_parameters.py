"""Which parameters of a constructor name what its object opens: the others may be handed to anybody."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from dlfix.fixing.proof.origins import Origins, is_literal
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    last_part,
    parameters,
    self_name,
)

# Tests of a value, which open nothing.
_TESTS = frozenset("isinstance issubclass hasattr callable len bool print".split())


def path_parameters(
    constructors: Iterable[tuple[Class, Function]], opening: Sequence[ast.stmt], me: str
) -> frozenset[str] | None:
    """Return the parameters from which code opens something; None where that is not known.

    The code is of a method with `me` as its object: it opens what attributes name that the constructors set.
    """
    wanted = _attributes_opened(opening, me)
    if wanted is None:
        return None
    found, set_here = set[str](), set[str]()
    for cls, function in constructors:
        inside = Origins(function.body, parameters(function))
        own, this = {*parameters(function)[1:]}, self_name(function)
        values = [value for name, value in inside.held.get(this, ()) if name in wanted]
        set_here |= {name for name, _ in inside.held.get(this, ())} | {*cls.values}
        handed_up = [call for call in calls_in(function.body) if _is_of_base(call)]
        given = [
            each
            for call in handed_up
            for each in (*call.args, *(k.value for k in call.keywords))
            if dotted(each) != this
        ]
        texts = inside.of(*values, *given)
        if this in texts or any(
            text.startswith(f"{this}.") and text.count(".") > 1 for text in texts
        ):
            return None  # what a method of the object gives, or what an attribute of it holds
        wanted |= {text.split(".")[1] for text in texts if text.startswith(f"{this}.")}
        if any("." in text and text.partition(".")[0] in own for text in texts):
            return None  # one of an object's attributes, or of a dict's items
        found |= own & texts
    return frozenset(found) if wanted <= set_here else None


def _attributes_opened(opening: Sequence[ast.stmt], me: str) -> set[str] | None:
    """Return the attributes of the object that name what code opens; None where something else does."""
    inside = Origins(opening)
    given = [
        each
        for node in executed(opening)
        if isinstance(node, ast.Call) and dotted(node.func) not in _TESTS
        for each in (*node.args, *(k.value for k in node.keywords))
    ]
    texts = {text for text in inside.of(*given) if not is_literal(text)}
    own = {text for text in texts if text.partition(".")[0] == me}
    if texts - own - inside.made.keys() or me in own:
        return None
    return {text.split(".")[1] for text in own}


def _is_of_base(call: ast.Call) -> bool:
    """Return whether a call is of a base's constructor: `super().__init__(path)`, `Base.__init__(self, path)`."""
    return last_part(call.func) == "__init__" and dotted(call.func) != "self.__init__"


__all__ = ["path_parameters"]
