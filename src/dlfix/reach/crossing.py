"""What crosses: boundaries, and the values that hang from their arguments, each with its path."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog import BoundaryRow
from dlfix.reach.records import record
from dlfix.reach.steps import Step
from dlfix.reach.values import Bound, Frame, Passed, Value


@record(frozen=True, eq=False, slots=True)
class Store:
    """A statement that sets an attribute of an instance: `self.x = ...`, `ds.x = ...`."""

    attribute: str
    node: ast.AST  # the target (`self.x`), or the call of setattr
    statement: ast.stmt
    value: (
        Bound | Value | None
    )  # None where the value can't be named (a loop's item, an unpacked one)
    frame: Frame
    conditional: bool = False
    method: str = "__init__"  # the method (or, outside the class, "") in which it stands
    late: bool = False  # set after construction, by a method that the parent runs
    on_class: bool = False  # set on the class, which is not pickled
    path: tuple[object, ...] = ()  # unpacking steps from the value to the attribute


@record(frozen=True, eq=False, slots=True)
class Edge:
    """How a value hangs from the one above it.

    `kind` is "argument" (of the boundary), "attribute", "item", "function" or "bound" (of a partial),
    "self" (of a bound method), "class" (of an instance), "kept" (by an external holder), "state" (what
    `__getstate__` or `__reduce__` hands over), "returned" (on its way back from a worker).
    """

    kind: str
    name: str = ""
    store: Store | None = None


@record(frozen=True, eq=False, slots=True)
class Crossing:
    """A value that reaches a worker (or comes back), how it hangs, and the whole path."""

    value: Value
    edge: Edge
    boundary: Boundary
    parent: Crossing | None
    path: tuple[Step, ...]
    children: list[Crossing]
    passed: tuple[Passed, ...] = ()  # the places passed on the way to the value
    same: Crossing | None = None  # where the very object hangs nearer, with what hangs from it

    def above(self) -> Iterator[Crossing]:
        """Yield the crossings this one hangs from, nearest first."""
        crossing = self.parent
        while crossing is not None:
            yield crossing
            crossing = crossing.parent


Branch = tuple[ast.If, bool]  # a test, and how it came out


def branches_of(steps: tuple[Passed, ...]) -> Iterator[Branch]:
    """Yield the branches in which the places lie that were passed on the way to a value."""
    for passed in steps:
        child = passed.node
        for above in passed.module.ancestors(child):
            if isinstance(above, ast.If) and child is not above.test:
                yield above, child in above.body
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                break
            child = above


@record(frozen=True, eq=False, slots=True)
class Boundary:
    """A call or assignment that ships objects to another process, or a class that a worker is taken to get.

    `kind` is a row's name in `catalog/boundaries.toml` ("DataLoader", "Process", ...), or "dataset"
    for a dataset class with no loader in view. `arguments` maps the callee's parameter names to what
    is passed; `workers` is False where it is certain that no process is started.
    """

    kind: str
    node: ast.Call | ast.Subscript | ast.Attribute | ast.ClassDef
    frame: Frame
    arguments: dict[str, Bound | Value]
    workers: bool | None  # True, False, or None where it depends
    value: Value | None = None  # the instance, for a dataset class or a Process subclass
    row: BoundaryRow | None = None  # of the catalogue; None for a dataset class
    elsewhere: frozenset[Branch] = (
        frozenset()
    )  # those in which the callee is one that ships nothing

    @property
    def is_message(self) -> bool:
        """Whether it puts an object into a queue: it is pickled, but which process takes it out is not known."""
        return self.kind == "Queue"
