"""The facts of one file: its syntax as columns of numbers, and the tables these point into.

A node is a number: its place in a walk that takes each node before its children, and the children
in the order in which Python evaluates them (an assignment's value before its targets, a default
before the body, the first iterable of a comprehension before its target). Three consequences:

- the nodes within `n` are `range(n, ends[n])`, the first child of `n` is `n + 1`, and the next
  sibling of a child `c` is `ends[c]`;
- of two nodes of which none holds the other, the lower one is evaluated first, where no jump
  lies between; of two nested ones, the inner one (`FileFacts.completes_before`);
- the code of a scope is one range (`names.Scope`).

Columns, one item a node: `kinds` and `roles` (bytes: a `Kind`, a `Role` in the parent), `parents` and
`ends` (node numbers), `data` (an index into `symbols` or `literals`, by kind), `starts` and `stops`
(places in the text, in characters). About 22 bytes a node; a file has 7 nodes in 100 bytes of code.

What a kind's `data` is:

- a symbol: the name of NAME, ATTRIBUTE, PARAMETER, FUNCTION, CLASS, KEYWORD, HANDLER, MATCH_AS ...; the
  operator of BINARY, UNARY, AUG_ASSIGN ("+", "not"), and those of COMPARE, joined with a space
  ("is not" is written "is-not");
- a literal: the value of CONSTANT and MATCH_SINGLETON;
- for ALIAS, an index into `imports`;
- otherwise 0. Symbol 0 is the empty text (a `**` keyword, a handler without a name), and literal 0 is
  `OMITTED`, which stands for a docstring or a text longer than `build.LONGEST_TEXT`.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Final, NamedTuple

NOTHING: Final = -1  # in place of a node, where there is none


class Kind(IntEnum):
    """What a node is. STORE and DELETE forms are targets; a name is read, set or deleted."""

    MODULE = 1
    # Statements
    FUNCTION = auto()
    ASYNC_FUNCTION = auto()
    CLASS = auto()
    RETURN = auto()
    DELETE = auto()
    ASSIGN = auto()
    TYPE_ALIAS = auto()
    AUG_ASSIGN = auto()
    ANN_ASSIGN = auto()
    FOR = auto()
    ASYNC_FOR = auto()
    WHILE = auto()
    IF = auto()
    WITH = auto()
    ASYNC_WITH = auto()
    MATCH = auto()
    RAISE = auto()
    TRY = auto()
    TRY_STAR = auto()
    ASSERT = auto()
    IMPORT = auto()
    IMPORT_FROM = auto()
    GLOBAL = auto()
    NONLOCAL = auto()
    EXPR = auto()
    PASS = auto()
    BREAK = auto()
    CONTINUE = auto()
    # Parts of statements
    HANDLER = auto()
    CASE = auto()
    WITH_ITEM = auto()
    ALIAS = auto()
    DECLARED = auto()  # one name of `global` or `nonlocal`
    PARAMETER = auto()
    TYPE_PARAMETER = auto()
    KEYWORD = auto()
    CLAUSE = auto()  # one `for ... in ... if ...` of a comprehension
    ASYNC_CLAUSE = auto()
    # Patterns
    MATCH_VALUE = auto()
    MATCH_SINGLETON = auto()
    MATCH_SEQUENCE = auto()
    MATCH_MAPPING = auto()
    MATCH_CLASS = auto()
    MATCH_STAR = auto()
    MATCH_AS = auto()
    MATCH_OR = auto()
    MATCH_REST = auto()  # `**rest` of a mapping pattern
    # Expressions
    AND = auto()
    OR = auto()
    NAMED = auto()
    BINARY = auto()
    UNARY = auto()
    LAMBDA = auto()
    IF_EXPRESSION = auto()
    DICT = auto()
    SET = auto()
    LIST_COMPREHENSION = auto()
    SET_COMPREHENSION = auto()
    DICT_COMPREHENSION = auto()
    GENERATOR = auto()
    AWAIT = auto()
    YIELD = auto()
    YIELD_FROM = auto()
    COMPARE = auto()
    CALL = auto()
    FORMATTED = auto()
    JOINED = auto()
    CONSTANT = auto()
    SLICE = auto()
    OTHER = auto()  # syntax newer than this code
    # Each with its forms for being read, set and deleted, in this order
    NAME = auto()
    NAME_STORE = auto()
    NAME_DELETE = auto()
    ATTRIBUTE = auto()
    ATTRIBUTE_STORE = auto()
    ATTRIBUTE_DELETE = auto()
    SUBSCRIPT = auto()
    SUBSCRIPT_STORE = auto()
    SUBSCRIPT_DELETE = auto()
    STARRED = auto()
    STARRED_STORE = auto()
    STARRED_DELETE = auto()
    LIST = auto()
    LIST_STORE = auto()
    LIST_DELETE = auto()
    TUPLE = auto()
    TUPLE_STORE = auto()
    TUPLE_DELETE = auto()


class Role(IntEnum):
    """What a node is to its parent."""

    ROOT = 0
    BODY = auto()  # also the body of a lambda, and of an if-expression
    ORELSE = auto()
    FINALBODY = auto()
    HANDLERS = auto()
    CASES = auto()
    TARGET = auto()
    VALUE = auto()  # of an assignment, return, attribute, subscript, keyword, dict item ...
    TEST = auto()  # of if, while, assert, an if-expression
    ITER = auto()
    CONTEXT = auto()  # of a with item
    SUBJECT = auto()
    PATTERN = auto()
    GUARD = auto()
    DECORATOR = auto()
    PARAMETER = auto()  # of a def or lambda; positional or keyword
    POSITIONAL_ONLY = auto()
    REST = auto()  # *args; also `**rest` of a pattern
    KEYWORD_ONLY = auto()
    KEYWORD_REST = auto()  # **kwargs
    DEFAULT = auto()
    ANNOTATION = auto()
    RETURNS = auto()
    TYPE_PARAMETER = auto()
    BOUND = auto()
    BASE = auto()
    KEYWORD = auto()
    FUNC = auto()
    ARGUMENT = auto()
    OPERAND = auto()  # of an operator, in order
    ELEMENT = auto()  # of a list, tuple, set, and of a comprehension
    KEY = auto()
    INDEX = auto()  # what stands in the brackets of a subscript
    LOWER = auto()
    UPPER = auto()
    STEP = auto()
    CLAUSE = auto()
    CONDITION = auto()  # an `if` of a comprehension
    ITEM = auto()  # of a with statement
    TYPE = auto()  # of a handler
    EXCEPTION = auto()
    CAUSE = auto()
    MESSAGE = auto()
    NAME = auto()  # of an import, global, nonlocal
    PART = auto()  # of an f-string
    SPEC = auto()  # the format of a part
    CLASS = auto()  # of a class pattern


FUNCTIONS = frozenset({Kind.FUNCTION, Kind.ASYNC_FUNCTION})
SCOPED = FUNCTIONS | {Kind.LAMBDA, Kind.CLASS}
EAGER_COMPREHENSIONS = frozenset(
    {Kind.LIST_COMPREHENSION, Kind.SET_COMPREHENSION, Kind.DICT_COMPREHENSION}
)
COMPREHENSIONS = EAGER_COMPREHENSIONS | {Kind.GENERATOR}
LOOPS = frozenset({Kind.FOR, Kind.ASYNC_FOR, Kind.WHILE})
_FIRST_STATEMENT, _LAST_STATEMENT = int(Kind.FUNCTION), int(Kind.CONTINUE)


class Omitted:
    """The one value that stands for a text that is not kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = Omitted()


class Mark(IntEnum):
    """How a file uses a symbol: bits of `Summary.marks`."""

    READ = 1  # a name that is read
    BOUND = 2  # a name that is set, deleted, a parameter, an import's local name
    DEFINED = 4  # a def or class
    ATTRIBUTE = 8  # an attribute that is read
    ATTRIBUTE_SET = 16  # an attribute that is set or deleted
    CALLED = 32  # the last part of what is called
    KEYWORD = 64  # a keyword argument
    DECORATES = 128  # the last part of a decorator, called or not
    BASE = 256  # the last part of a base class, generic or not
    IMPORTED = 512  # a part of a module's name, or a name that is imported
    TEXT = 1024  # a literal text that is an identifier: `setattr(x, "name", ...)`
    DECLARED = 2048  # named by `global` or `nonlocal`


class Import(NamedTuple):
    """One name of an import: `import module as local`, `from ..module import name as local`.

    `name` is empty for a plain import, and `*` for a star import, whose `local` is empty.
    """

    module: str
    level: int
    name: str
    local: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What the index of a project needs of a file: which names it has, and what for.

    `marks` has one item a symbol (bits of `Mark`).
    """

    digest: str
    symbols: tuple[str, ...]
    marks: array[int]
    imports: tuple[Import, ...]

    def marked(self, mark: int) -> Iterator[str]:
        """Yield the symbols that are used in one of these ways."""
        for symbol, found in zip(self.symbols, self.marks, strict=True):
            if found & mark:
                yield symbol


class Span(NamedTuple):
    """A stretch of text: rows from 1, columns from 0, in characters."""

    row: int
    column: int
    end_row: int
    end_column: int


@dataclass(frozen=True, slots=True, eq=False)
class FileFacts:
    """One file's syntax. Two of the same digest are the same."""

    summary: Summary
    literals: tuple[object, ...]
    line_starts: array[int]
    kinds: bytes
    roles: bytes
    parents: array[int]
    ends: array[int]
    data: array[int]
    starts: array[int]
    stops: array[int]

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        return f"FileFacts({self.digest[:8]}, {len(self)} nodes)"

    @property
    def digest(self) -> str:
        """The hash of the file's bytes."""
        return self.summary.digest

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names and operators of the file."""
        return self.summary.symbols

    # What a node is

    def kind(self, node: int) -> Kind:
        """Return what a node is."""
        return Kind(self.kinds[node])

    def role(self, node: int) -> Role:
        """Return what a node is to its parent."""
        return Role(self.roles[node])

    def symbol(self, node: int) -> str:
        """Return a node's name or operator; empty where it has none."""
        return self.summary.symbols[self.data[node]]

    def literal(self, node: int) -> object:
        """Return a constant's value; `OMITTED` for a text that is not kept."""
        return self.literals[self.data[node]]

    def imported(self, node: int) -> Import:
        """Return what an ALIAS imports."""
        return self.summary.imports[self.data[node]]

    # Down

    def children(self, node: int) -> Iterator[int]:
        """Yield a node's children, in order of evaluation."""
        ends = self.ends
        child, end = node + 1, ends[node]
        while child < end:
            yield child
            child = ends[child]

    def child(self, node: int, role: int) -> int:
        """Return the first child with a role, or NOTHING."""
        roles, ends = self.roles, self.ends
        child, end = node + 1, ends[node]
        while child < end:
            if roles[child] == role:
                return child
            child = ends[child]
        return NOTHING

    def parts(self, node: int, role: int) -> list[int]:
        """Return all children with a role."""
        roles = self.roles
        return [child for child in self.children(node) if roles[child] == role]

    def within(self, node: int) -> range:
        """Return a node and all that is in it."""
        return range(node, self.ends[node])

    def contains(self, outer: int, inner: int) -> bool:
        """Return whether a node is another, or holds it."""
        return outer <= inner < self.ends[outer]

    def nodes(self, *kinds: int, within: int = 0) -> Iterator[int]:
        """Yield the nodes of some kinds that are in a node, in order."""
        pattern = re.compile(b"[%s]" % b"".join(b"\\x%02x" % kind for kind in kinds))
        for match in pattern.finditer(self.kinds, within, self.ends[within]):
            yield match.start()

    # Up

    def parent(self, node: int) -> int:
        """Return a node's parent; NOTHING for the module."""
        return self.parents[node] if node else NOTHING

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield a node's parents, nearest first."""
        parents = self.parents
        while node:
            node = parents[node]
            yield node

    def statement(self, node: int) -> int:
        """Return the innermost statement a node is part of; 0 for the module."""
        kinds, parents = self.kinds, self.parents
        while node and not _FIRST_STATEMENT <= kinds[node] <= _LAST_STATEMENT:
            node = parents[node]
        return node

    def function(self, node: int) -> int:
        """Return the def, lambda or class that a node stands in, or 0 for the module."""
        for above in self.ancestors(node):
            if self.kinds[above] in SCOPED:
                return above
        return 0

    def completes_before(self, first: int, second: int) -> bool:
        """Return whether, in code without jumps, one node is evaluated before another.

        An inner node is evaluated before the one it is part of.
        """
        ends = self.ends
        if first < second:
            return ends[first] <= second
        return first != second and first < ends[second]

    # Text

    def dotted(self, node: int) -> str | None:
        """Return a chain of attributes as it is written, `a.b.c`; None for anything else."""
        parts: list[str] = []
        while Kind.ATTRIBUTE <= self.kinds[node] <= Kind.ATTRIBUTE_DELETE:
            parts.append(self.symbol(node))
            node += 1  # an attribute's only child
        if not Kind.NAME <= self.kinds[node] <= Kind.NAME_DELETE:
            return None
        parts.append(self.symbol(node))
        return ".".join(reversed(parts))

    def last_name(self, node: int) -> str:
        """Return what a name or attribute ends in; of `f(x)` and `C[int]` that of `f` and `C`."""
        while self.kinds[node] in (Kind.CALL, Kind.SUBSCRIPT):
            node += 1  # what is called, or subscripted, comes first
        is_named = Kind.NAME <= self.kinds[node] <= Kind.ATTRIBUTE_DELETE
        return self.symbol(node) if is_named else ""

    def row(self, node: int) -> int:
        """Return the line a node starts on, from 1."""
        return bisect_right(self.line_starts, self.starts[node])

    def span(self, node: int) -> Span:
        """Return where a node stands."""
        lines = self.line_starts
        start, stop = self.starts[node], self.stops[node]
        row, end_row = bisect_right(lines, start), bisect_right(lines, stop)
        return Span(row, start - lines[row - 1], end_row, stop - lines[end_row - 1])

    def segment(self, node: int, text: str) -> str:
        """Return the text of a node, from the text of the file."""
        return text[self.starts[node] : self.stops[node]]
