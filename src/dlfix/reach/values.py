"""Values: what an expression may stand for, with the place that made it.

A small closed set. Each value knows the node that made it and the frame in which that node is to be
read; `Unknown` is an honest value, and ends a path without a finding.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Union

from dlfix.project.module import Module, Scope
from dlfix.reach.records import record


@record(frozen=True, slots=True)
class Bound:
    """An expression and the frame to read it in: a value not yet worked out.

    `passed` are the places passed on the way to it: where its container was chosen.
    `rounds` are those of the loops around it, where it is read in certain ones only.
    `more` are the items put into it where another container holds it: `options["data"]["f"] = f`.
    """

    node: ast.expr
    frame: Frame
    passed: tuple[Passed, ...] = ()
    rounds: tuple[Passed, ...] = ()
    more: tuple[tuple[object, Argument], ...] = ()


@record(frozen=True, eq=False, slots=True)
class Frame:
    """One activation of a scope. Compared by identity; made by `Interpreter.frame_of`.

    `arguments` maps parameters to what this call passes; None where the callers are to be looked up.
    `owner` is the instance whose method runs, where there is one.
    """

    scope: Scope
    enclosing: Frame | None = None
    arguments: Mapping[str, tuple[Argument, ...]] | None = None
    owner: Value | None = None
    call: ast.Call | None = None
    caller: Frame | None = None

    @property
    def module(self) -> Module:
        """The module whose text this frame's expressions stand in."""
        return self.scope.module

    @property
    def kind(self) -> Kind:
        """What it has in common with other calls of its function on objects of the same class."""
        return kind_of(self.scope, self.owner)


@record(frozen=True, eq=False, slots=True)
class Function:
    """A `def` or a lambda, closed over the frame it was made in."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame  # where it was made
    named: Function | None = None  # whose name `functools.wraps` gave it

    @property
    def module(self) -> Module:
        """The module it is written in."""
        return self.frame.module

    @property
    def bearer(self) -> Function:
        """The function whose name it bears, itself where it has its own."""
        return self if self.named is None else self.named.bearer


@record(frozen=True, eq=False, slots=True)
class Class:
    """A class statement, in the frame it was made in."""

    node: ast.ClassDef
    frame: Frame

    @property
    def module(self) -> Module:
        """The module it is written in."""
        return self.frame.module

    @property
    def name(self) -> str:
        """Its bare name."""
        return self.node.name

    def body_names(self) -> Collection[str]:
        """Return the names its body binds."""
        return self.module.inner_scope(self.node).bindings


@record(frozen=True, eq=False, slots=True)
class Instance:
    """An object of a class of the tree.

    `call` made it, read in `frame`; both None for an instance nobody in view makes (a dataset class
    of a library). Parameters of `__init__` are then unknown but for defaults and annotations.
    """

    cls: Class
    call: ast.Call | None = None
    frame: Frame | None = None
    arguments: Arguments | None = None
    copied: Instance | None = None  # the object that this one is a copy of
    bare: bool = False  # made by `cls.__new__(cls)`: no constructor runs


@record(frozen=True, eq=False, slots=True)
class BoundMethod:
    """A function of a class, bound to an instance (or to the class, for a classmethod)."""

    function: Function
    owner: Value


@record(frozen=True, eq=False, slots=True)
class Partial:
    """`functools.partial(function, ...)`."""

    node: ast.Call
    frame: Frame
    function: Value
    arguments: Arguments


@record(frozen=True, eq=False, slots=True)
class Container:
    """A list, tuple, set, dict or comprehension, and all that is put into it in view.

    `items` are in order; the key is an index, a dict key's constant, or None where not known.
    """

    kind: str  # "list", "tuple", "set", "dict"
    node: ast.expr
    frame: Frame
    items: tuple[tuple[object, Argument], ...] = ()
    is_open: bool = False  # it may hold more than the items in view
    taken: tuple[tuple[object, Argument], ...] = ()  # items that code takes out of it again


@record(frozen=True, slots=True)
class External:
    """Something outside the tree, by its dotted name: `torch.nn.functional.relu`."""

    name: str


@record(frozen=True, eq=False, slots=True)
class ExternalCall:
    """What calling something outside the tree returns: `sqlite3.connect(path)`."""

    name: str
    node: ast.Call
    frame: Frame
    arguments: Arguments


@record(frozen=True, eq=False, slots=True)
class Derived:
    """What hangs from another value: `connection.cursor()`, `file["x"]`, `txn.stat`.

    `how` is the attribute, method or operator that gives it: "cursor", "__getitem__". `key` tells the objects of
    a list apart that a library makes: `train, val = random_split(...)`.
    """

    origin: Value
    how: str
    node: ast.expr
    frame: Frame
    called: bool = False
    key: int | None = None


@record(frozen=True, slots=True)
class ModuleValue:
    """A module object, by its dotted name; `module` where it is in the tree."""

    name: str
    module: Module | None = None


@record(frozen=True, eq=False, slots=True)
class Generator:
    """A generator: a generator expression, or what a generator function returns when called."""

    node: ast.GeneratorExp | ast.Call
    frame: Frame
    function: Function | None = None  # the generator function that was called
    inside: Frame | None = None  # the frame of that call


@record(frozen=True, slots=True)
class Constant:
    """A literal: None, a number, a string ..."""

    value: object


@record(frozen=True, slots=True)
class Member:
    """A member of an enumeration of the tree: what a `Constant` of it holds."""

    cls: Class
    name: str


@record(frozen=True, slots=True)
class Unknown:
    """What cannot be followed, and why, for `dlfix trace`."""

    reason: str = ""
    is_object: bool = False  # whatever it is, it is not None


Value = Union[
    Function, Class, Instance, BoundMethod, Partial, Container, External, ExternalCall, Derived,
    ModuleValue, Generator, Constant, Unknown,
]  # fmt: skip


def part_of(value: Value) -> tuple[ast.AST, int] | None:
    """Return the call that makes a list of objects, and which of them a value is; None where it is no known one."""
    if not isinstance(value, Derived) or value.key is None or value.how != "__getitem__":
        return None
    return (value.origin.node, value.key) if isinstance(value.origin, ExternalCall) else None


def origin_of(value: Value) -> Value:
    """Return what a value hangs from in the end: the file of `file["x"][0]`."""
    while isinstance(value, Derived):
        value = value.origin
    return value


@record(frozen=True, eq=False, slots=True)
class Reached:
    """A value an expression may have, and the places passed on the way to it."""

    value: Value
    steps: tuple[Passed, ...] = ()


@record(frozen=True, slots=True)
class Passed:
    """A place passed on the way to a value: an assignment, an argument, a return.

    `item` is the place in what a loop goes over, where the value is of one round of it. `told` are
    tests further down, and how they came out: in their other branch the value would have been replaced.
    """

    module: Module
    node: ast.AST
    note: str
    item: int | None = None
    told: tuple[tuple[ast.expr, bool], ...] = ()


# A function, and the class of the object whose method runs: calls that share a bound of the work.
Kind = tuple[Scope, Union[Class, None]]

# An argument is an expression of the caller, or a value that is known already.
Argument = Union[Bound, "Value"]


@record(frozen=True, eq=False, slots=True)
class Arguments:
    """The arguments of one call, star arguments already spread where they are spelled out."""

    positional: tuple[Argument, ...] = ()
    keywords: Mapping[str, Argument] = field(default_factory=dict)
    more_positional: bool = False  # a `*args` that could not be followed
    more_keywords: bool = False  # a `**kwargs` that could not be followed
    lacking: Mapping[str, tuple[Passed, ...]] = field(
        default_factory=dict
    )  # keywords, perhaps not passed

    def get(self, index: int | None, name: str | None) -> Argument | None:
        """Return the argument at a position or under a keyword, None if neither was passed."""
        if index is not None and index < len(self.positional):
            return self.positional[index]
        return self.keywords.get(name) if name is not None else None

    def followed_by(self, more: Arguments) -> Arguments:
        """Return these arguments with those of a later call: what calling a partial passes."""
        return Arguments(
            (*self.positional, *more.positional),
            {**self.keywords, **more.keywords},
            self.more_positional or more.more_positional,
            self.more_keywords or more.more_keywords,
            {k: v for k, v in self.lacking.items() if k not in more.keywords}
            | {k: v for k, v in more.lacking.items() if k not in self.keywords},
        )


def kind_of(scope: Scope, owner: Value | None) -> Kind:
    """Return what calls of a function on objects of one class have in common."""
    return scope, owner.cls if isinstance(owner, Instance) else None
