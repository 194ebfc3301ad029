"""Plans of `module_level_callables`: which functions move where, and what stands in their stead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dlfix.source.text import Span

Where = Literal["module", "method", "here", "stays", "gone"]


@dataclass(frozen=True)
class Expression:
    """A function by its name; with arguments, `functools.partial` of it and them."""

    function: str
    positional: tuple[Written, ...] = ()
    keywords: tuple[tuple[str, Written], ...] = ()
    wrapped: str = ""  # what `functools.update_wrapper` makes it look like

    @property
    def binds(self) -> bool:
        """Whether anything is bound."""
        return bool(self.positional or self.keywords)


Written = str | Expression  # a str is written as it is


@dataclass(frozen=True)
class Use:
    """An expression that changes; where it is called, keywords to bind join the call's own."""

    span: Span
    becomes: Expression


@dataclass(frozen=True)
class Parameter:
    """A parameter that takes what was captured."""

    name: str
    annotation: str = ""


@dataclass(frozen=True)
class Hoist:
    """A lambda or local function that becomes a named function elsewhere.

    `where` is "module" (above the top-level statement that holds `near`), "method" (below the
    method at `near`), "here" (a def in the place of `f = lambda ...`), "stays" (a def that takes more
    parameters) or "gone" (an equal one moves).
    """

    source: Span
    name: str
    where: Where
    near: Span
    assignment: Span | None = None  # `f = lambda ...`, where the source is its value
    parameters: tuple[Parameter, ...] = ()
    positional: bool = False  # whether `parameters` come first, else they are keyword-only
    marked: bool = False  # whether those that come first are positional-only
    without: tuple[str, ...] = ()  # own parameters that leave: their default is bound instead
    followers: tuple[Span, ...] = ()  # statements that move with it, and stand below it
    first: str = ""  # a first parameter to add: `self`, `cls`
    decorator: str = ""  # `staticmethod`, `classmethod`
    imports: tuple[str, ...] = ()  # statements its body needs first
    leaves: Expression | None = None  # what its old name is set to where it stood
    types: tuple[str, ...] = ()  # of its parameters and of what it returns, from `f: Callable[...]`
    keeps_name: bool = False  # whether `__name__` of what its old name is set to is set as well
    bare: bool = False  # whether its decorators stay behind


@dataclass(frozen=True)
class Definition:
    """A new function, by its text, above the top-level statement that holds `near`."""

    text: str
    near: Span


@dataclass(frozen=True)
class Wraps:
    """A decorator's inner function that is to get `functools.wraps(function)`."""

    inner: Span
    function: str


@dataclass(frozen=True)
class CallablesPlan:
    """All that one fix does to one file."""

    hoists: tuple[Hoist, ...] = ()
    uses: tuple[Use, ...] = ()
    definitions: tuple[Definition, ...] = ()
    wraps: tuple[Wraps, ...] = ()
    width: int = 88  # how long a line of the file may be
