"""Enumerations of the tree: their members, by name and by value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.values import Bound, Class, Constant, External, Member

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_PLAIN = frozenset({"str", "int", "builtins.str", "builtins.int"})


def is_enum(cls: Class, interpreter: Evaluator) -> bool:
    """Return whether a class is an enumeration."""
    return any(_is_enum_base(base) for base in interpreter.instances.mro(cls))


def members(cls: Class) -> Iterator[tuple[str, ast.expr]]:
    """Yield the members that an enumeration's body writes, each with the expression of its value."""
    for statement in cls.node.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name) and not target.id.startswith("_"):
                    yield target.id, statement.value


def value_of(member: Member, interpreter: Evaluator) -> Constant | None:
    """Return the value of a member, where it is a constant."""
    body = interpreter.instances.body(member.cls)
    for name, node in members(member.cls):
        if name == member.name:
            found = interpreter.values(Bound(node, body))
            if len(found) == 1 and isinstance(found[0], Constant):
                return found[0]
    return None


def by_value(cls: Class, value: object, interpreter: Evaluator) -> Constant | None:
    """Return the member that `Enum(value)` gives."""
    if isinstance(value, Member) and value.cls is cls:
        return Constant(value)
    for name, _ in members(cls):
        member = Member(cls, name)
        known = value_of(member, interpreter)
        if known is not None and known.value == value:
            return Constant(member)
    return None


def plain(value: object, interpreter: Evaluator) -> object:
    """Return what a constant is compared as: a member's value, where a text or number is mixed in."""
    if not isinstance(value, Member):
        return value
    line = interpreter.instances.mro(value.cls)
    if not any(isinstance(base, External) and _is_plain_base(base) for base in line):
        return value
    known = value_of(value, interpreter)
    return known.value if known is not None else value


def _is_enum_base(base: object) -> bool:
    if not isinstance(base, External):
        return False
    package, _, name = base.name.rpartition(".")
    return package == "enum" and name in _ENUMS


def _is_plain_base(base: External) -> bool:
    return base.name in _PLAIN or base.name in ("enum.IntEnum", "enum.StrEnum", "enum.IntFlag")
