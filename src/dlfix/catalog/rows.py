"""What a row of the catalogue holds: one frozen dataclass for each kind of table.

They are the one definition: pydantic validates users' rows against them, and catalog.schema.json is generated from them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, ClassVar, Final, Literal

from dlfix.validation import STRICT, Invalid, validated


class CatalogError(Exception):
    """A catalogue file is wrong; the message names the file and the row."""


class _Missing(Enum):
    """What an argument may be besides a constant."""

    ABSENT = "absent"
    UNKNOWN = "unknown"
    PERHAPS = "perhaps"


ABSENT: Final = _Missing.ABSENT
"""The argument is not passed."""
UNKNOWN: Final = _Missing.UNKNOWN
"""The argument is passed, but its value is not known."""
PERHAPS: Final = _Missing.PERHAPS
"""It is not known whether the argument is passed: `**options`."""


class Tail(str):
    """The end of a text whose start is not known: `".npz"` of `os.path.join(root, name + ".npz")`."""

    __slots__ = ()


class OneOf(tuple[object, ...]):
    """The constants of which an argument is one: a dict's item that is set to another path later."""

    __slots__ = ()


# How the reader of a call answers for the argument at a position, or under a name.
ReadArgument = Callable[["int | None", str], object]


@dataclass(frozen=True, slots=True)
class _Named:
    __pydantic_config__: ClassVar[Any] = STRICT

    name: str = field(metadata={"min_length": 1})
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundaryRow(_Named):
    """A call that ships objects to another process, or makes an object whose methods do.

    `parameters` are those that may be passed by position, in order, without `self`. `crosses` names
    what is pickled as it is, `items` those whose items are pickled one by one (`Pool.map`'s
    iterable, which may be a generator). `star` and `keywords` name the parameters that gather the
    rest of the arguments; they cross where `crosses` or `items` has them.
    """

    kind: str = (
        ""  # "DataLoader", "Process", "Pool", "Executor", "spawn", "context", "Trainer", "Queue"
    )
    parameters: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    star: str = ""  # what gathers further positional arguments
    keywords: str = ""  # what gathers further keyword arguments
    workers: str = ""  # the parameter that counts the workers; "" where there always is a process
    workers_in: str = ""  # `workers` is read from the call that this parameter holds
    no_workers: tuple[int, ...] = (0,)  # values of `workers` with which no process is started
    default_workers: int | None = None  # what `workers` is when absent
    context: str = ""  # the parameter that chooses the start method or the context
    start_method: str = ""  # the start method when `context` is absent, where it is fixed
    results: bool = False  # what the function returns is pickled back
    returns: tuple[str, ...] = ()  # of `crosses`: those whose result is pickled back
    self_crosses: bool = False  # an instance of a subclass crosses with all that is set on it
    type: str = ""  # what the call gives; its methods are rows named `<type>.<method>`
    # Attributes and methods of what it gives by which one iterates its loader; "*" for any method.
    loaders: tuple[str, ...] = ()
    starts: bool = True  # the call starts processes; False where only its methods do
    through: str = ""  # the parameter that holds the pool; it ships nothing where that is no row's
    own_options: bool = (
        False  # it reads its options itself: what torch's loader refuses may be fine
    )
    note: str = ""

    def position(self, parameter: str) -> int | None:
        """Return where a parameter stands among the positional ones, None if it is keyword-only."""
        return self.parameters.index(parameter) if parameter in self.parameters else None


@dataclass(frozen=True, slots=True)
class DatasetRow(_Named):
    """A base class that marks a class as one that workers are taken to get."""

    style: Literal["map", "iterable"] = "map"
    parameters: tuple[str, ...] = ()  # of the base's own constructor
    keeps: Mapping[str, str] = field(default_factory=dict)  # parameter -> attribute
    note: str = ""


@dataclass(frozen=True, slots=True)
class HolderRow(_Named):
    """A callable that keeps arguments in the pickled state of what it returns.

    `keeps` maps parameters to the attribute they hang under; of those in `lists` it keeps a list of
    its own, so that a generator does not cross but what it gives does. `star` gathers further positional arguments, `keywords` further
    keyword arguments. `drops` are values of parameters that are not kept.
    """

    parameters: tuple[str, ...] = ()
    keeps: Mapping[str, str] = field(default_factory=dict)
    star: str = ""
    keywords: str = ""
    gives: str = ""  # "list" where the call returns a list of such objects
    lists: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()  # parameters that are called at once, in the parent; not kept
    chains: tuple[str, ...] = ()  # methods that give an object which keeps it and their functions
    own_length: bool = False  # what it returns has a length without asking what it keeps
    shares: tuple[str, ...] = ()  # methods that give each worker its share; "*": the object does
    type: str = ""
    note: str = ""

    def position(self, parameter: str) -> int | None:
        """Return where a parameter stands among the positional ones, None if it is keyword-only."""
        return self.parameters.index(parameter) if parameter in self.parameters else None


@dataclass(frozen=True, slots=True)
class MethodRow(_Named):
    """A method that keeps arguments: in its object, or in what it `gives` ("chain"), which keeps both.

    One that `makes` a resource is known by its bare name, which no other library uses.
    """

    of: str = ""  # the package that makes such objects, or their bases
    parameters: tuple[str, ...] = ()
    keeps: Mapping[str, str] = field(default_factory=dict)  # parameter -> attribute
    keywords: str = ""  # the attribute that all keyword arguments hang under
    gives: Literal["", "chain"] = ""
    makes: str = ""  # the name of a resource
    note: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """What of a resource's row is otherwise when an argument has a certain value.

    It holds if the argument `parameter` (at `position`) is a constant that `matches` (a regular
    expression, searched in `str(value)`), or is absent and `absent` is set, or its value is used in
    one of the ways `uses` names (attributes, or "with").
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    parameter: str = ""
    position: int | None = None
    matches: str = ""
    absent: bool = False
    unknown: bool = False  # holds, too, when the value is not known
    uses: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, read: ReadArgument, uses: frozenset[str]) -> bool:
        """Say whether a call with these arguments, whose result is used so, is this variant."""
        if self.uses and not uses.isdisjoint(self.uses):
            return True
        if not self.parameter:
            return False
        value = read(self.position, self.parameter)
        if isinstance(value, OneOf):
            each = {self._holds_for(one) for one in value}
            return each.pop() if len(each) == 1 else self.unknown
        return self._holds_for(value)

    def _holds_for(self, value: object) -> bool:
        if value is ABSENT:
            return self.absent
        if value is UNKNOWN or value is PERHAPS:
            return value is UNKNOWN and self.unknown
        if isinstance(value, Tail) and ("^" in self.matches or not self.matches.endswith("$")):
            return self.unknown
        return bool(self.matches) and re.search(self.matches, str(value)) is not None


@dataclass(frozen=True, slots=True)
class ResourceRow(_Named):
    """What opens a handle, or makes an object that cannot cross, or not safely.

    `kind` chooses the rule: "resource" (DLF201, 202), "sync" (DLF204), "state" (DLF206), "random"
    (DLF503), "memmap" (DLF601), "plain" (data: no finding). `action` says what a fix may do: "lazy"
    (each process opens its own), "drop" (a new, empty one has the same meaning), "copy" (one in the
    same state is made of what `saved` gives, by the expression `restored`), "report".

    `derived` maps what is done to the object ("cursor", "attrs", "[]" for any key, "[str]" for a
    constant text, "[:]" for a slice, "[*]" for an item of it, "iter" for `iter(x)`, "__call__" for
    a call of it, "." for any other attribute that is not called) to the type of what comes of it
    and hangs from it; that type has a row of its own, `[[type]]`. What is neither in `derived` nor
    in `plain` is not known. The `note` of what is only reported is the reason that a user reads.
    """

    library: str = ""
    type: str = ""
    format: str = ""  # of the files that it opens: nothing else can be opened so
    kind: Literal["resource", "sync", "state", "random", "memmap", "plain"] = "resource"
    # "empty": it is pickled without what was put into it
    pickles: Literal["error", "ok", "load-error", "empty", "start-only", "unknown"] = "error"
    error: str = ""
    # From that version on; where `pickles` is "ok", it only fails from then on.
    error_by_python: Mapping[str, str] = field(default_factory=dict)
    fork: Literal["", "safe", "unsafe", "once-used", "offset", "hangs", "copied"] = ""
    fork_why: str = ""
    remote: bool = False  # it connects to a service, and opens no file that a program writes
    connects_later: bool = False  # nothing is shared under fork before its first use
    connects: tuple[str, ...] = ()  # the methods by which it then connects
    ends_by_number: bool = False  # a forked process can still end it, by its process id
    action: Literal["lazy", "drop", "copy", "report"] = "report"
    saved: str = ""  # the calls that give the state, which can be pickled: `get_state().numpy()`
    restored: str = ""  # the expression that makes an object of `{}`, the saved state
    verdict: str = ""
    close: str = ""  # the method, or a dotted function that takes the handle
    value: bool = False  # the name is the object itself, not what makes one: `sys.stdout`
    enters: bool = False  # a `with` of the object itself closes it
    closed_by_parent: bool = False  # a child cannot open while the parent still holds one
    closed_crosses: bool = False  # once closed, it can be pickled and has nothing to share
    derived: Mapping[str, str] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    configure: tuple[str, ...] = ()  # methods and attributes that configure the handle
    position: tuple[str, ...] = ()  # methods whose result depends on an offset the handle keeps
    write: tuple[str, ...] = ()  # methods that write through the handle
    creates: str = (
        ""  # opening it makes the file where there is none, unless the call has a match of this
    )
    iterates: bool = False  # iterating it moves its position
    modes: tuple[Variant, ...] = ()
    measured: bool = False
    note: str = ""

    @property
    def fails(self) -> bool:
        """Whether it does not come to a worker as it was, by this Python."""
        newly = self.pickles == "ok" and bool(self.error_on(sys.version_info[:2]))
        return newly or self.pickles in ("error", "load-error", "empty")

    @property
    def fork_unsafe(self) -> bool:
        """Whether a forked process must not go on using it, even if the parent never did."""
        return self.fork in ("unsafe", "offset", "hangs")

    @property
    def constructor(self) -> str:
        """The name without the variant in brackets that a row may carry."""
        return self.name.partition("(")[0]

    def variant(self, read: ReadArgument, uses: frozenset[str] = frozenset()) -> ResourceRow:
        """Return the row as it is for a call with these arguments and these uses of its result."""
        for mode in self.modes:
            if mode.holds(read, uses):
                return replace(self, modes=(), **mode.changes)
        return self

    def on(self, python: tuple[int, int]) -> ResourceRow:
        """Return the row as it is on a version of Python."""
        if not self.error_by_python:
            return self
        error = self.error_on(python)
        pickles = "error" if self.pickles == "ok" and error else self.pickles
        return replace(self, pickles=pickles, error=error, error_by_python={})

    def error_on(self, python: tuple[int, int]) -> str:
        """Return the error as this version of Python words it."""
        since = [v for v in self.error_by_python if tuple(map(int, v.split("."))) <= python]
        newest = max(since, key=lambda v: tuple(map(int, v.split("."))), default=None)
        return self.error if newest is None else self.error_by_python[newest]

    def hangs(self, how: str, key: object = None) -> str | None:
        """Return the type of what `how` gives where that hangs from the handle, else None.

        `how` is an attribute or method, "__getitem__" (then `key` is the constant key, if any), or
        "__iter__" (then what is meant is an item).
        """
        if how == "__getitem__":
            if isinstance(key, slice) and "[:]" in self.derived:
                return self.derived["[:]"]
            by_key = self.derived.get("[str]") if isinstance(key, str) else None
            return by_key or self.derived.get("[]")
        return self.derived.get("[*]" if how == "__iter__" else how)


@dataclass(frozen=True, slots=True)
class CallableRow(_Named):
    """A public callable that cannot be pickled by its name, or carries more than its name.

    `problem` is "reference" (cannot be pickled) or "hidden-random" (a bound method of a generator
    that is hidden in the module: pickled, it carries a copy of the generator).
    """

    library: str = ""
    problem: Literal["reference", "hidden-random"] = "reference"
    error: str = ""
    use: str = ""  # what to write instead
    note: str = ""


@dataclass(frozen=True, slots=True)
class FunctionRow(_Named):
    """What a function does with the files whose paths it gets: one without a row may change them.

    `files` are the parameters that name what it "writes"; all, if it has none. A name that ends with `.*` is of all
    that is in a module, at any depth, and has no row of its own.
    """

    does: Literal["nothing", "reads", "writes"] = "reads"
    parameters: tuple[str, ...] = ()  # those that may be passed by position, in order
    files: tuple[str, ...] = ()
    format: str = ""  # of what it "writes", where it is always the same
    of_object: bool = False  # a method: known by its bare name, whatever its object is
    of_process: bool = (
        False  # what it gives is known to the process that set it up, not to its workers
    )
    of_parent: bool = False  # and a worker that is not a copy of that process has nothing of it
    goes_on: bool = False  # it handles errors of its block, or of the function that it gets
    environment: tuple[str, ...] = ()  # what the names of the variables start with that it reads
    later: bool = False  # what it makes goes on to write, whatever code runs then
    asks: bool = False  # what it gives depends on which files there are
    locks: bool = False  # other processes wait for what it holds, or fail
    note: str = ""


@dataclass(frozen=True, slots=True)
class SettingRow(_Named):
    """A setting of a library that holds for one process: an attribute that is set, or a function that is called.

    `read_by` are the names by which code goes by it; one that ends with `.*` is of all that is in an object, and
    `decimal.Decimal().sqrt` is a method of what a call gives. A call that passes one of `unless`, a keyword or
    `keyword=value`, or none of `needs`, does not. `of_floats` do so for floats of Python alone. With `handles`, only code does
    that handles one of these exceptions, and calls one of `read_by`, if there are any.
    """

    read_by: tuple[str, ...] = ()
    opening: tuple[
        str, ...
    ] = ()  # what goes by it as well where it opens something, as a late opening does
    of_floats: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    own: tuple[str, ...] = ()  # what gives code a setting of its own, such as a context manager
    default: tuple[str, ...] = ()  # the arguments and values that change nothing
    given: tuple[str, ...] = ()  # the arguments of which a call must have one to make it
    is_keyed: bool = False  # the first argument of both calls is the name of what is registered
    for_some: bool = False  # not all that `read_by` take needs it
    is_once: bool = False  # it raises where it was made before, as in a copy of the parent
    error: str = ""  # what a process gets that has not made it
    again: str = ""  # what makes it in a worker, where that is not the parent's own statement
    imports: tuple[str, ...] = ()  # modules that `again` names
    note: str = ""


@dataclass(frozen=True, slots=True)
class NamingRow(_Named):
    """A call that names what it makes after functions that it is given: in a list, or in a dict of lists."""

    of: str = ""  # the package that makes the objects whose method it is
    parameters: tuple[str, ...] = ()  # those that may be passed by position, in order
    functions: tuple[str, ...] = ()  # those that take functions
    note: str = ""


Row = (
    BoundaryRow
    | DatasetRow
    | HolderRow
    | MethodRow
    | ResourceRow
    | CallableRow
    | FunctionRow
    | SettingRow
    | NamingRow
)
TABLES: Final[Mapping[str, type[Row]]] = {
    "boundary": BoundaryRow,
    "dataset": DatasetRow,
    "holder": HolderRow,
    "method": MethodRow,
    "resource": ResourceRow,
    "type": ResourceRow,
    "callable": CallableRow,
    "function": FunctionRow,
    "setting": SettingRow,
    "naming": NamingRow,
}


def row_from(table: str, data: Mapping[str, Any]) -> Row:
    """Make a row of a table's data that is valid, such as that of dlfix's own files."""
    values = _frozen_all(data)
    if "modes" in values:
        values["modes"] = tuple(_variant(mode) for mode in values["modes"])
    return TABLES[table](**values)


def checked_row(table: str, data: Mapping[str, Any]) -> Row:
    """Make a row of a table's data; a `CatalogError` says in a few words what is wrong with it."""
    try:
        _validate(TABLES[table], data)
    except Invalid as error:
        raise CatalogError(str(error)) from None
    row = row_from(table, data)
    if lacking := _lacking(table, row):
        raise CatalogError(lacking)
    return row


def _validate(definition: type[Any], data: Mapping[str, Any]) -> None:
    modes = data.get("modes", [])
    divided = [_divided(mode) for mode in modes] if _are_tables(modes) else modes
    validated(definition, {**data, "modes": divided} if "modes" in data else data)
    for mode in divided:
        validated(definition, {"name": data["name"], **mode["changes"]})
        try:
            re.compile(mode.get("matches", ""))
        except re.error as error:
            raise Invalid(f"`matches` is not a valid regular expression: {error}") from None


def _are_tables(modes: object) -> bool:
    return isinstance(modes, list) and all(isinstance(mode, dict) for mode in modes)


def _lacking(table: str, row: Row) -> str:
    """Return what a row lacks without which it would say nothing; empty where it is whole."""
    needed: tuple[str, ...] = ()
    if isinstance(row, BoundaryRow):
        needed = ("crosses", "items", "self_crosses", "type")
    elif isinstance(row, HolderRow):
        needed = ("keeps", "star", "keywords", "calls", "type", "gives")
    elif isinstance(row, SettingRow):
        needed = ("read_by", "handles")
    elif isinstance(row, NamingRow):
        needed = ("functions",)
    elif isinstance(row, CallableRow) and row.problem == "reference":
        needed = ("error",)
    elif table == "resource" and isinstance(row, ResourceRow) and row.pickles == "error":
        needed = ("error", "error_by_python", "fork", "type", "modes")
    if not needed or any(getattr(row, name) for name in needed):
        return ""
    *others, last = (f"`{name}`" for name in needed)
    return f"{', '.join(others)} or {last} is missing" if others else f"{last} is missing"


def _variant(mode: Mapping[str, Any]) -> Variant:
    own = _divided(mode)
    return Variant(**_frozen_all({**own, "changes": _frozen_all(own["changes"])}))


def _divided(mode: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a mode says of itself, and under `changes` what it says of its row."""
    own = {key: value for key, value in mode.items() if key in _OF_VARIANT}
    return {**own, "changes": {key: mode[key] for key in mode.keys() - own.keys()}}


def _frozen_all(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}


_OF_VARIANT: Final = {one.name for one in fields(Variant)} - {"changes"}
