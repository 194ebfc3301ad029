"""The bodies of functions, which note whether anybody looked at them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar, overload

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")
T = TypeVar("T")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Looking:
    """Which bodies are looked at to work something out; `at` is None where that is for good."""

    def __init__(self) -> None:
        self.at: dict[int, Body] | None = None

    @contextmanager
    def apart(self) -> Iterator[dict[int, Body]]:
        """Collect what is looked at meanwhile, instead of noting it."""
        outer, looked = self.at, dict[int, Body]()
        self.at = looked
        try:
            yield looked
        finally:
            self.at = outer


LOOKING = Looking()


class Body(list[ast.stmt]):
    """The statements of a function.

    `seen` says whether they were asked for. It is never taken back: what is kept in the nodes of a
    tree outlives the reading that worked it out.
    """

    seen: bool = False

    def look(self) -> None:
        """Note that somebody looks at them: for good, or in what is being worked out."""
        looked = LOOKING.at
        if looked is None:
            self.seen = True
        else:
            looked[id(self)] = self

    def __iter__(self) -> Iterator[ast.stmt]:
        self.look()
        return super().__iter__()

    def __reversed__(self) -> Iterator[ast.stmt]:
        self.look()
        return super().__reversed__()

    def __getitem__(self, index: Any) -> Any:
        self.look()
        return super().__getitem__(index)

    def __len__(self) -> int:
        self.look()
        return super().__len__()

    def __contains__(self, node: object) -> bool:
        self.look()
        return super().__contains__(node)

    def __add__(self, other: Any) -> Any:
        return [*self, *other]

    def __radd__(self, other: Any) -> Any:
        return [*other, *self]

    def __eq__(self, other: object) -> bool:
        return [*self] == other

    def __ne__(self, other: object) -> bool:
        return [*self] != other

    __hash__ = None

    def copy(self) -> list[ast.stmt]:
        """Return a list of them."""
        return [*self]

    def index(self, *asked: Any) -> int:
        """Return where a statement is."""
        self.look()
        return super().index(*asked)

    def count(self, node: Any) -> int:
        """Return how often a statement is there."""
        self.look()
        return super().count(node)


class Named(Mapping[K, list[R]]):
    """Nodes of a module (or rows of data that begin with one) by something; what was asked for is noted."""

    def __init__(
        self,
        build: Callable[[], dict[K, list[R]]],
        bodies: Callable[[], Bodies],
        may_have: Callable[[str], bool] | None = None,
    ) -> None:
        self._build, self._find_bodies, self._may_have = build, bodies, may_have
        self.asked: set[K] = set()
        self.there: dict[object, bool] = {}  # the keys of which was asked whether they are there
        self._around: dict[
            object, tuple[Body, ...]
        ] = {}  # the bodies in which the nodes of a key are

    @cached_property
    def rows(self) -> dict[K, list[R]]:
        """All rows by their keys, for those who note themselves what they take."""
        with self._bodies.on_behalf_of_nobody():
            return self._build()

    @cached_property
    def _bodies(self) -> Bodies:
        return self._find_bodies()

    def _is_ruled_out(self, key: object) -> bool:
        """Return whether the text alone says that there is nothing by a key."""
        if self._may_have is None or not isinstance(key, str):
            return False
        return not self._may_have(key)

    def __getitem__(self, key: K) -> list[R]:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    @overload
    def get(self, key: K, /) -> list[R] | None: ...
    @overload
    def get(self, key: K, /, default: list[R] | T) -> list[R] | T: ...
    def get(self, key: K, /, default: Any = None) -> Any:
        """Return what there is by a key."""
        if self._is_ruled_out(key):
            return default
        found = self.rows.get(key) if self._bodies.is_quiet else self._noted(key)
        return default if found is None else found

    def _noted(self, key: K) -> list[R] | None:
        self.asked.add(key)
        found = self.rows.get(key)
        if found:
            around = self._around.get(key)
            if around is None:
                around = self._bodies.around(found)
                if self._bodies.parents:
                    self._around[key] = around
            for body in around:
                body.look()
        return found

    def __contains__(self, key: object) -> bool:
        if self._is_ruled_out(key):
            return False
        if not self._bodies.is_quiet:
            self.there[key] = key in self.rows
        return key in self.rows

    def __iter__(self) -> Iterator[K]:
        self._bodies.all_seen()
        return iter(self.rows)

    def __len__(self) -> int:
        self._bodies.all_seen()
        return len(self.rows)


class Parents(dict[ast.AST, ast.AST]):
    """The parent of each node of a module; who goes through all of them has seen everything."""

    def __init__(self, bodies: Bodies) -> None:
        super().__init__()
        self._bodies = bodies

    def __iter__(self) -> Iterator[ast.AST]:
        self._bodies.all_seen()
        return super().__iter__()

    def keys(self) -> Any:
        """Return all nodes that have a parent."""
        self._bodies.all_seen()
        return super().keys()

    def values(self) -> Any:
        """Return all nodes that are a parent."""
        self._bodies.all_seen()
        return super().values()

    def items(self) -> Any:
        """Return all nodes with their parents."""
        self._bodies.all_seen()
        return super().items()


_UNNOTED = Body()


class Bodies:
    """The bodies of a module's outermost functions; without `noting` they stay plain lists."""

    def __init__(self, tree: ast.Module, *, noting: bool = True) -> None:
        self.of: dict[ast.AST, Body] = {}
        self.is_quiet = not noting
        for function in _outermost(tree.body):
            self.of[function] = _UNNOTED
            if noting:
                function.body = self.of[function] = Body(function.body)
        self.parents: dict[ast.AST, ast.AST] = {}  # given by the module once they are known

    @contextmanager
    def on_behalf_of_nobody(self) -> Iterator[None]:
        """Look at everything without its being noted: who gets something of it notes that."""
        outer, self.is_quiet = self.is_quiet, True
        try:
            with LOOKING.apart():
                yield
        finally:
            self.is_quiet = outer

    def all_seen(self) -> None:
        """Note that somebody looked at everything."""
        if self.is_quiet:
            return
        for body in self.of.values():
            body.look()

    def noted(self, rows: Iterable[Any]) -> None:
        """Note that somebody looked at nodes, wherever they are."""
        if self.is_quiet:
            return
        for body in self.around(rows):
            body.look()

    def around(self, rows: Iterable[Any]) -> tuple[Body, ...]:
        """Return the bodies of outermost functions that nodes are in, each once."""
        functions = dict.fromkeys(map(self.function_around, rows))
        return tuple(self.of[function] for function in functions if function is not None)

    def function_around(self, row: Any) -> ast.AST | None:
        """Return the outermost function in whose body a node is, or the node that a row of data begins with."""
        parents = self.parents
        child: ast.AST = row[0] if isinstance(row, tuple) else row
        assert isinstance(child, ast.AST), row
        above = parents.get(child)
        while above is not None:
            if isinstance(child, ast.stmt) and above in self.of:
                return above
            child, above = above, parents.get(above)
        return None


def _outermost(statements: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    pending: list[Any] = statements[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, FUNCTIONS):
            yield node
            continue
        for block in _BLOCKS:
            found = getattr(node, block, None)
            if isinstance(found, list):
                pending += found[::-1]
