"""Which parameters of a constructor name what its object opens: the others may be handed to anybody."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dlfix.fixing.proof.origins import Origins, is_literal, origins_in
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
_TESTS = frozenset("isinstance issubclass hasattr callable len bool print super type id".split())
# Functions of these put nothing of what they are given into another of it.
_LIBRARY = sys.stdlib_module_names - {"heapq", "bisect", "operator", "functools"}
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
        inside = origins_in(function)
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
        texts = _made_of(function, inside, [*values, *given], {f"{this}.{each}" for each in wanted})
        if _is_set_elsewhere(function, setting):
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


def _is_set_elsewhere(function: Function, setting: set[str]) -> bool:
    """Return whether a method sets attributes by a computed name, or hands its object to other code."""
    this = self_name(function)
    return any(
        last_part(node) in _BY_NAME
        or (
            isinstance(node, ast.Call)
            and dotted(node.func) not in _TESTS
            and not _hands_on(node, setting)
            and any(
                dotted(each) == this for each in (*node.args, *(k.value for k in node.keywords))
            )
        )
        for node in executed(function.body)
    )


def _made_of(
    function: Function, inside: Origins, values: list[ast.expr], attributes: set[str]
) -> set[str]:
    """Return what values are made of, with what is put into them, or into some attributes, on the way."""
    this = self_name(function)
    texts = inside.of(*values)
    while True:
        put = [*_put_into(function, (texts | attributes) - {this})]
        more = inside.of(*values, *put) - {this}
        if more <= texts:
            return texts
        texts |= more


def _put_into(function: Function, known: set[str]) -> Iterator[ast.expr]:
    """Yield what code stores in what goes by these names, or hands over together with it."""
    for node in executed(function.body):
        match node:
            case ast.Assign(targets=targets, value=value):
                if any(_is_part_of(target, known) for target in targets):
                    yield value
            case ast.AugAssign(target=target, value=value):
                if _is_part_of(target, known):
                    yield value
            case ast.Call(func=func) if dotted(func) not in _TESTS:
                given = [*node.args, *(k.value for k in node.keywords)]
                owner = [func.value] if isinstance(func, ast.Attribute) else []
                is_known = dotted(func).partition(".")[0] in _LIBRARY
                if any(_leads_to(each, known) for each in [*owner, *(() if is_known else given)]):
                    yield from given


def _is_part_of(target: ast.expr, known: set[str]) -> bool:
    """Return whether a target is an item or an attribute of what goes by one of these names."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_is_part_of(each, known) for each in target.elts)
    is_part = isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred))
    return is_part and _leads_to(target.value, known)  # type: ignore[attr-defined]


def _leads_to(node: ast.expr, known: set[str]) -> bool:
    """Return whether an expression is what goes by one of these names, or a part of it."""
    while dotted(node) not in known:
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return False
    return True


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
