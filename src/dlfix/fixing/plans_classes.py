"""Plans of `module_level_classes`: which classes move above what needs them."""

from __future__ import annotations

from dataclasses import dataclass

from dlfix.fixing.plans_notebooks import Imported
from dlfix.source.text import Span


@dataclass(frozen=True)
class ClassMove:
    """A class statement, or `P = namedtuple(...)`, that goes to module level.

    `source` is the statement, or (with `extracted`) a call whose place the name takes. `stay` are statements
    of the class body that stay behind, `leave` those that go.
    """

    source: Span
    name: str
    near: Span
    extracted: bool = False
    stay: tuple[Span, ...] = ()
    leave: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Rename:
    """A name that is written otherwise now: of the class, in a string, or `self.x` for `x`."""

    span: Span
    text: str


@dataclass(frozen=True)
class AlsoBound:
    """A name that the value of an assignment is bound to as well."""

    assignment: Span
    name: str


@dataclass(frozen=True)
class NewParameters:
    """Parameters an `__init__` takes for names that its class read around it.

    `init` is the `__init__`, or the class that has none and gets one; `kept` are the parameters that
    methods read, each with the attribute it is kept as. `forwards` are parameters that a new `__init__` passes
    on to the inherited one, and `to_base` those of `names` that this takes too.
    """

    init: Span
    names: tuple[str, ...]
    by_keyword: bool
    kept: tuple[tuple[str, str], ...] = ()
    forwards: tuple[str, ...] = ()
    to_base: tuple[str, ...] = ()


@dataclass(frozen=True)
class NewArguments:
    """What a constructor call passes besides."""

    call: Span
    names: tuple[str, ...]
    by_keyword: bool
    values: tuple[tuple[str, str], ...] = ()  # what is passed for a name, where it is another


@dataclass(frozen=True)
class NewPartial:
    """A name of a class that is kept to be called later, and holds what the class takes besides."""

    name: Span
    names: tuple[str, ...]


@dataclass(frozen=True)
class HelperMove:
    """A local function that only one class calls: it goes into that class as a method."""

    source: Span
    cls: Span
    name: str


@dataclass(frozen=True)
class InnerImport:
    """An import that a method makes for itself, as the function around its class did."""

    method: Span
    text: str


@dataclass(frozen=True)
class LostDefault:
    """A parameter of an `__init__` whose default is a name of the function around the class."""

    init: Span
    name: str


@dataclass(frozen=True)
class InsteadOf:
    """A statement of a function, and the import that takes its place; nothing where the text is empty."""

    statement: Span
    text: str


@dataclass(frozen=True)
class ClassesPlan:
    """All that one fix does to one file."""

    moves: tuple[ClassMove, ...] = ()
    renames: tuple[Rename, ...] = ()
    parameters: tuple[NewParameters, ...] = ()
    arguments: tuple[NewArguments, ...] = ()
    helpers: tuple[HelperMove, ...] = ()
    imports: tuple[Span, ...] = ()  # statements that go to module level
    inner: tuple[InnerImport, ...] = ()
    partials: tuple[NewPartial, ...] = ()
    width: int = 0  # of a line that gets a partial
    bound: tuple[AlsoBound, ...] = ()
    named: tuple[
        Span, ...
    ] = ()  # `Point = make("Point")`, which `Point.__module__ = __name__` follows
    required: tuple[LostDefault, ...] = ()
    leaves: bool = False  # the classes go to another module, by a `ClassModulePlan`
    instead: tuple[InsteadOf, ...] = ()


@dataclass(frozen=True)
class FactoryPlan:
    """What lets the objects of a local class be pickled: they name the arguments of the function that made it.

    `maker` is the new function that unpickling calls with these; `local` is what it calls the class, and
    `gives` the annotation of what `__reduce__` returns, where the function has one.
    """

    function: Span
    cls: Span
    maker: str
    names: tuple[str, ...]
    state: str
    local: str
    gives: str = ""


class Carried:
    """The plan of the file that classes leave, and its text: its places are none of the module that takes them."""

    def __init__(self, text: str, plan: ClassesPlan) -> None:
        self.text, self.plan = text, plan

    def __repr__(self) -> str:
        return repr(self.plan)


@dataclass(frozen=True)
class ClassModulePlan:
    """What a module beside a file gets: the classes that leave it, with the imports that they need."""

    title: str  # the docstring of a new module
    imports: tuple[Imported, ...]
    future: tuple[str, ...]
    carried: Carried
