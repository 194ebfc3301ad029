"""Handles that are to move, what moving them comes to, and why one cannot be moved."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dlfix.fixing.classes.facts import (
    StoreSite,
)
from dlfix.fixing.classes.plans import Exchange, Insert, Within


class Refusal(Exception):
    """Why something cannot be moved: one clause."""


class NotLazily(Refusal):
    """Why something cannot be opened later, though it may well be opened again."""


@dataclass(frozen=True)
class Handle:
    """An attribute to be made lazy, and what is known of what it holds."""

    attribute: str
    site: StoreSite
    close: str = ""
    enters: bool = False  # a `with` of the handle itself closes it
    configure: tuple[str, ...] = ()
    position: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()  # methods that give what hangs from it: cursors, groups
    iterates: bool = False
    closed_by_parent: bool = False
    reads_on: bool = True  # made of another handle, it goes on reading where that one stands
    inherited: bool = False  # a forked process may go on using its parent's
    only_read: bool = False  # where it crosses it is open for reading, whatever methods there are
    opens: bool = True  # it is opened from data; False where it hangs from another handle
    type: str = ""
    name: str = ""  # the constructor's dotted name
    error: str = ""
    container: str = (
        ""  # "list" or "dict" where the attribute holds several handles, "list of tuple"
    )


@dataclass
class Moved:
    """What a method's openings become."""

    bodies: dict[str, str] = field(default_factory=dict)
    branching: set[str] = field(default_factory=set)  # bodies with several ways out
    exchanges: list[Exchange] = field(default_factory=list)
    inserts: list[Insert] = field(default_factory=list)
    withins: list[Within] = field(default_factory=list)
    gone: set[ast.AST] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)  # local name -> attribute made for it
