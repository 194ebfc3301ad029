"""The plan for one class: what is opened lazily, and what stays out of the pickled state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dlfix.source.text import Span

# Why a process lets go of what a fork handed down before it opens its own.
ALONE = "# no process can open its own while it holds its parent's"


@dataclass(frozen=True)
class Exchange:
    """Source that takes the place of a statement or an expression.

    An empty text takes a statement out. `takes_comments` says that the comments above and beside
    the statement go with it (they stand in a `Lazy.body` then).
    """

    span: Span
    becomes: str = ""
    kind: Literal["statement", "expression"] = "statement"
    takes_comments: bool = False


@dataclass(frozen=True)
class Insert:
    """Statements that follow the statement at `span`, or stand above it."""

    span: Span
    text: str
    before: bool = False


@dataclass(frozen=True)
class Within:
    """Statements of one block, `first` to `last`, that come to stand in a `with`."""

    first: Span
    last: Span
    heads: str  # those in lines of their own are nested
    before: str = ""  # statements above the `with`
    inside: str = ""  # statements that begin its body


@dataclass(frozen=True)
class Lazy:
    """An attribute that each process opens for itself when it first reads it.

    `body` are the statements that open it; the last one, or each of several, is a `return`. An empty
    body means that other code opens it, and None is read until then. `kept_in` is the attribute that
    holds what each process opened, by process id; empty for a `functools.cached_property`.
    """

    name: str
    body: str = ""
    annotation: str = ""
    kept_in: str = ""
    settable: bool = False
    deletable: bool = False
    opener: str = ""  # the method that holds a body with several ways out
    alone: bool = False  # a process has it open once: one that a fork handed down goes first
    releases: tuple[str, ...] = ()  # statements that let go of plain attributes made from it
    self_name: str = "self"
    calls: str = ""  # what opens it by setting it, in a process that has not
    docstring: str = ""  # its source, quotes included
    item: bool = False  # a plain property: the body reads it from what was opened together
    default: str = "None"  # what is read until other code opens it; empty for an AttributeError
    undeclared: bool = False  # no `__init__` makes `kept_in`: it is made when first needed


@dataclass(frozen=True)
class Drop:
    """An attribute that leaves the pickled state; `becomes` is left in its place, if anything."""

    name: str
    becomes: str = ""
    why: str = ""
    code: str = ""  # statements over `self` and `state` to run instead


@dataclass(frozen=True)
class State:
    """What `__getstate__` leaves behind, and what `__setstate__` makes anew."""

    drops: tuple[Drop, ...] = ()
    restores: tuple[str, ...] = ()  # statements over `self`
    getstate: Literal["none", "own", "inherited", "reduce"] = "none"
    setstate: Literal["none", "own", "inherited"] = "none"
    called: str = "__getstate__"  # the name of the method of its own that pickle calls by this one
    slots: tuple[str, ...] = ()  # attributes kept in slots
    has_dict: bool = False  # whether there is a `__dict__` beside the slots
    typed: bool = False
    looks_up: bool = False  # a `__getattr__` would be asked for `__setstate__`: there must be one


@dataclass(frozen=True)
class ClassPlan:
    """All that changes in one class."""

    cls: Span
    exchanges: tuple[Exchange, ...] = ()
    inserts: tuple[Insert, ...] = ()
    withins: tuple[Within, ...] = ()
    lazies: tuple[Lazy, ...] = ()
    state: State | None = None
    after: str = "__init__"  # the method that new ones stand below
    imports: tuple[str, ...] = ()
    verb: str = ""  # what it does, where its planner usually does something else
    remains: str = ""  # what the fix leaves as it was, for its message
