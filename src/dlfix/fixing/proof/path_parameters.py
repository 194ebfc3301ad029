"""Which parameters of a constructor name what its object opens: the others may be handed to anybody."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dlfix.fixing.proof.origins import Origins, is_literal
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    parameters,
    self_name,
)

# Tests of a value, which open nothing.
_TESTS = frozenset("isinstance issubclass hasattr callable len bool print".split())
_BY_NAME = frozenset({"setattr", "__setattr__", "__dict__", "vars"})  # set attributes unseen


def path_parameters(
    constructors: Iterable[tuple[Class, Function]], opening: Sequence[ast.stmt], me: str
) -> frozenset[str] | None:
    """Return the parameters from which code opens something; None where that is not known.

    The code is of a method with `me` as its object: it opens what attributes name that the constructors set.
    """
    wanted = _attributes_opened(opening, me)
    methods = list(constructors)
    while wanted is not None:
        named = _named(methods, wanted)
        if named is None or named.attributes <= wanted:
            known = named is not None and wanted <= named.set_here
            return named.parameters if named is not None and known else None
        wanted |= named.attributes
    return None


class _Named(NamedTuple):
    """What the values of some attributes are made of, and the attributes that the constructors set."""

    parameters: frozenset[str]
    attributes: set[str]
    set_here: set[str]


def _named(methods: list[tuple[Class, Function]], wanted: set[str]) -> _Named | None:
    """Return what the constructors make some attributes of; None where that is not known."""
    found, attributes, set_here = set[str](), set[str](), set[str]()
    setting = _setting(methods, wanted)
    for cls, function in methods:
        inside = Origins(function.body, parameters(function))
        own, this = {*parameters(function)[1:]}, self_name(function)
        held = inside.held.get(this, ())
        values = [value for name, value in held if name in wanted]
        set_here |= {name for name, _ in held} | {*cls.values}
        handed_on = [call for call in calls_in(function.body) if _hands_on(call, setting)]
        given = [
            each
            for call in handed_on
            for each in (*call.args, *(k.value for k in call.keywords))
            if dotted(each) != this
        ]
        texts = inside.of(*values, *given)
        if any(last_part(node) in _BY_NAME for node in executed(function.body)):
            return None
        if this in texts or any("." in each and each.partition(".")[0] in own for each in texts):
            return (
                None  # what a method gives, or one of an object's attributes, or of a dict's items
            )
        of_object = [text.split(".") for text in texts if text.startswith(f"{this}.")]
        if any(len(parts) > 2 for parts in of_object):
            return None  # what an attribute of the object holds
        attributes |= {parts[1] for parts in of_object}
        found |= own & texts
    return _Named(frozenset(found), attributes, set_here)


def _setting(methods: list[tuple[Class, Function]], wanted: set[str]) -> set[str]:
    """Return the names of methods that set one of these attributes, or call one that does."""
    found = set[str]()
    while True:
        more = {
            function.name
            for _, function in methods
            for node in executed(function.body)
            if _sets(node, self_name(function), wanted)
            or (isinstance(node, ast.Call) and _hands_on(node, found))
        }
        if more <= found:
            return found
        found |= more


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


def _sets(node: ast.AST, me: str, wanted: set[str]) -> bool:
    return is_attribute(node, me) and node.attr in wanted and isinstance(node.ctx, ast.Store)


def _hands_on(call: ast.Call, setting: set[str]) -> bool:
    """Return whether a call is of a base's constructor, or of a method that sets what is asked."""
    name = last_part(call.func)
    return name in setting or (name == "__init__" and dotted(call.func) != "self.__init__")


__all__ = ["path_parameters"]
