"""One reading of a project: its boundaries, and all that crosses them. What rules and planners see."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any, TypeVar, cast

from dlfix.catalog import Catalog
from dlfix.project.module import Module, Scope, enclosing_function, is_test
from dlfix.project.project import Project
from dlfix.project.roots import STANDARD
from dlfix.reach.boundaries import Boundaries
from dlfix.reach.class_state import class_stores
from dlfix.reach.conditions import is_dead
from dlfix.reach.crossing import Boundary, Crossing, Store
from dlfix.reach.escape import Escape
from dlfix.reach.evaluator import Roles
from dlfix.reach.extent import Extent
from dlfix.reach.interpreter import Interpreter
from dlfix.reach.object_graph import Walk
from dlfix.reach.progress import Tell, silent, told
from dlfix.reach.starts import is_inherited, pickles_nothing
from dlfix.reach.values import (
    Argument,
    Class,
    External,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Reached,
    Value,
)
from dlfix.reach.values import Unknown as Unknown
from dlfix.source.notebook import is_notebook
from dlfix.source.text import Place

T = TypeVar("T")
_ASKING = frozenset({"isinstance", "super"})
_LOADING = frozenset({"DataLoader", "Trainer"})
_RECURSION = 8_000  # long sums and `elif` chains are deep trees


class Analysis:
    """Everything that is worked out of a project, when it is first asked for."""

    def __init__(self, project: Project, catalog: Catalog, tell: Tell = silent) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        self.project = project
        self.catalog = catalog
        self.interpreter = Interpreter(project, catalog)
        self._tell = tell
        self._finder = Boundaries(self.interpreter, tell)
        self._trees: dict[Boundary, Crossing] = {}
        self._once: dict[Hashable, Any] = {}

    def once(self, what: Hashable, work_out: Callable[[], T]) -> T:
        """Return what is worked out of this reading by whoever asks for it first."""
        if what not in self._once:
            self._once[what] = work_out()
        return cast("T", self._once[what])

    @property
    def exhausted(self) -> bool:
        """Whether the budget was spent before everything was followed."""
        return self.interpreter.exhausted

    @property
    def cut_at(self) -> tuple[Place, ...]:
        """The boundaries that were not followed to their ends, as far as known."""
        return tuple(self.interpreter.cut_at)

    # What crosses

    @cached_property
    def boundaries(self) -> list[Boundary]:
        """All boundary calls, and the dataset classes that a loader out of view is taken to get."""
        calls = list(self._finder.calls())
        return [*calls, *self._class_roots(calls)]

    @cached_property
    def trees(self) -> list[Crossing]:
        """For each boundary that starts workers, or may, the tree of all that crosses it."""
        boundaries = told("following objects", self.boundaries, self._tell)
        return [self._tree(b) for b in boundaries if b.workers is not False]

    def _tree(self, boundary: Boundary) -> Crossing:
        if boundary not in self._trees:
            self._trees[boundary] = Walk(self.interpreter).from_boundary(boundary)
        return self._trees[boundary]

    @cached_property
    def crossings(self) -> list[Crossing]:
        """All values that cross, trees flattened, each after what it hangs from."""
        found: list[Crossing] = []
        pending = list(self.trees)[::-1]
        while pending:
            crossing = pending.pop()
            if crossing.parent is not None:
                found.append(crossing)
            pending += reversed(crossing.children)
        return found

    @property
    def extent(self) -> Extent:
        """How much has been followed; nothing where no rule asked for what crosses."""
        if "crossings" not in self.__dict__:
            return Extent()
        kinds = [b.kind == "DataLoader" for b in self.boundaries if b.workers is not False]
        unknown = {
            (crossing.path[-1].place, crossing.edge.name)
            for crossing in self.crossings
            if (isinstance(crossing.value, Unknown) and not _is_index(crossing))
            or self._is_made_out_of_view(crossing)
        }
        return Extent(kinds.count(True), kinds.count(False), len(unknown))

    def _is_made_out_of_view(self, crossing: Crossing) -> bool:
        """Return whether a loader's dataset is the result of a call of a library that no row tells of."""
        value, edge = crossing.value, crossing.edge
        if not isinstance(value, ExternalCall) or (edge.kind, edge.name) != ("argument", "dataset"):
            return False
        package, dot, _ = value.name.partition(".")
        known = self.catalog.libraries
        return bool(dot) and package not in STANDARD and package not in known

    @cached_property
    def pickled(self) -> list[Crossing]:
        """Those of them that are pickled: all but what processes get that fork for certain."""
        forked = {b for b in self.boundaries if pickles_nothing(self, b)}
        return [
            crossing
            for crossing in self.crossings
            if crossing.boundary not in forked and not is_inherited(self, crossing)
        ]

    def datasets(self) -> list[tuple[Instance, Crossing]]:
        """Return the instances that reach workers as datasets (as a loader's or of a class root)."""
        found = []
        for crossing in self.crossings:
            value, edge = crossing.value, crossing.edge
            if isinstance(value, Instance) and (
                (
                    edge.kind == "argument"
                    and edge.name in ("dataset", "self", "train_dataset", "eval_dataset")
                )
                or self._finder.is_dataset(value.cls)
            ):
                found.append((value, crossing))
        return found

    def is_dataset(self, cls: Class) -> bool:
        """Return whether a class derives from a dataset of the catalogue."""
        return self._finder.is_dataset(cls)

    def _class_roots(self, calls: list[Boundary]) -> Iterator[Boundary]:
        """Yield a root for each dataset class that no loader in view takes."""
        taken = self._taken([*calls, *self._finder.idle])
        for cls in self._finder.dataset_classes():
            if cls.node in taken or cls.module.path not in self.project.files:
                continue
            if is_test(cls.module):  # no library: whoever takes its datasets is in view
                continue
            if self._is_kept_to_its_program(cls) or self._is_beside_idle_loaders(cls, calls):
                continue
            if self._is_defined_in_vain(cls):
                continue
            instance = self.interpreter.instances.anyone(cls)
            yield Boundary("dataset", cls.node, cls.frame, {}, None, instance)

    def _is_kept_to_its_program(self, cls: Class) -> bool:
        """Return whether a class is of no library, and all objects of it are used where they are made."""
        module, interpreter = cls.module, self.interpreter
        if interpreter.instances.subclasses(cls):
            return False
        if is_notebook(module.path):  # nobody can import it
            return _only_makes(module, cls) and self._stay(cls, [module])
        users = dict.fromkeys([module, *self.project.users(module, cls.name)])
        if len(users) == 1 and not module.says("__main__"):
            return False
        if len(users) > 1 and (
            interpreter.audience.is_library(module) or not all(_only_makes(u, cls) for u in users)
        ):
            return False
        return self._is_made(cls, users) and self._stay(cls, users)

    def _is_defined_in_vain(self, cls: Class) -> bool:
        """Return whether a class is defined by a function of a program that is called in branches alone which are not taken."""
        module, interpreter = cls.module, self.interpreter
        around = enclosing_function(module, cls.node)
        if around is None or interpreter.audience.is_library(module):
            return False
        name = getattr(around, "name", "")
        users = dict.fromkeys([module, *self.project.users(module, name)])
        calls = [(user, each) for user in users for each in interpreter.callers.named(user, name)]
        return bool(calls) and all(self._is_never_made(user, each) for user, each in calls)

    def _is_never_made(self, module: Module, call: ast.Call) -> bool:
        """Return whether no caller in view takes the branch of a call, and all callers are in view."""
        frame = self.interpreter.frame_at(module, call)
        context = self.interpreter.contexts.of(frame)
        frames = context.frames or (frame,)
        return context.other is None and all(
            is_dead(call, each, self.interpreter) for each in frames
        )

    def _stay(self, cls: Class, users: Iterable[Module]) -> bool:
        """Return whether all objects that some modules make of a class are used where they are made."""
        named = self.interpreter.callers.named
        return all(
            self._whole.stays(user, call, cls) for user in users for call in named(user, cls.name)
        )

    def _is_made(self, cls: Class, users: Iterable[Module]) -> bool:
        return any(self.interpreter.callers.named(user, cls.name) for user in users)

    def _is_beside_idle_loaders(self, cls: Class, calls: list[Boundary]) -> bool:
        """Return whether a class is of a program that makes objects of it, and in which no loader has workers."""
        audience = self.interpreter.audience
        loaders = [each for each in (*calls, *self._finder.idle) if each.kind in _LOADING]
        if audience.is_library(cls.module) or any(each.workers is not False for each in loaders):
            return False
        users = dict.fromkeys([cls.module, *self.project.users(cls.module, cls.name)])
        speaking = [user for user in users if audience.speaks(user, cls.module)]
        return self._is_made(cls, speaking) and any(
            audience.speaks(each.frame.module, cls.module) for each in loaders
        )

    @cached_property
    def _whole(self) -> Escape:
        """What tells whether an object goes elsewhere itself."""
        return Escape(self.interpreter, whole=True)

    def _taken(self, calls: list[Boundary]) -> set[ast.ClassDef]:
        """Return the classes whose instances a loader in view takes, itself or inside another."""
        taken: set[ast.ClassDef] = set()
        for boundary in told("following objects", calls, self._tell):
            if boundary.kind not in _LOADING:
                continue
            pending = [self._tree(boundary)]
            while pending:
                crossing = pending.pop()
                pending += crossing.children
                if isinstance(crossing.value, Instance) and (
                    crossing.value.frame is not None or _is_its_own(crossing)
                ):
                    line = [
                        base for base in self.mro(crossing.value.cls) if isinstance(base, Class)
                    ]
                    made = crossing.value.frame or boundary.frame
                    users = (boundary.frame.module, made.module)
                    taken |= {base.node for base in line if self._speak(users, base)}
        return taken

    def _speak(self, users: tuple[Module, ...], cls: Class) -> bool:
        audience = self.interpreter.audience
        return all(audience.speaks(user, cls.module) for user in users)

    # What an expression may be

    def evaluate(self, node: ast.expr, frame: Frame) -> tuple[Reached, ...]:
        """Return what an expression may stand for in a frame."""
        return self.interpreter.evaluate(node, frame)

    def values(self, argument: Argument | None) -> list[Value]:
        """Return what an argument may be."""
        return self.interpreter.values(argument)

    def frame(self, scope: Scope) -> Frame:
        """Return the frame of a scope whose callers are to be looked up."""
        return self.interpreter.frame(scope)

    # Classes

    def mro(self, cls: Class) -> list[Class | External | Unknown]:
        """Return a class and its bases in lookup order."""
        return self.interpreter.instances.mro(cls)

    def bases_at(
        self, module: Module
    ) -> Callable[[ast.ClassDef], list[Class | External | Unknown]]:
        """Return what gives a class statement of a module, and its bases, in lookup order."""
        make = self.interpreter.class_value
        return lambda node: self.mro(make(node, self.interpreter.frame_at(module, node)))

    def method(self, cls: Class, name: str) -> Function | None:
        """Return a method by name, own or inherited."""
        return self.interpreter.instances.method(cls, name)

    def stores(self, instance: Instance) -> dict[str, list[Store]]:
        """Return what is stored on each attribute of an instance when it crosses."""
        return self.interpreter.instances.stores(instance)

    def class_stores(self, instance: Instance) -> list[Store]:
        """Return what only the parent sets on an object's class, and a worker's methods read."""
        return list(class_stores(self.interpreter, instance))

    def stored(self, store: Store) -> list[Value]:
        """Return what a store puts on its attribute."""
        return [reached.value for reached in self.interpreter.instances.stored(store)]

    def sides(self, cls: Class) -> Roles:
        """Return which methods of a class run in the parent, and which in a worker."""
        return self.interpreter.roles.of(cls)


def analyze(project: Project, catalog: Catalog, tell: Tell = silent) -> Analysis:
    """Return the reading of a project; it is done as far as it is looked at.

    `tell` hears how far it has come.
    """
    return Analysis(project, catalog, tell)


def _is_its_own(crossing: Crossing) -> bool:
    """Return whether a class's own method returns the loader of its object: `return DataLoader(self)`."""
    boundary, above = crossing.boundary, crossing.parent
    statement = boundary.frame.module.statement(boundary.node)
    direct = above is not None and above.parent is None
    return direct and isinstance(statement, ast.Return) and statement.value is boundary.node


def _is_index(crossing: Crossing) -> bool:
    """Return whether a value is what a sampler gives to a worker: numbers, whatever the sampler is."""
    is_loader = crossing.boundary.kind == "DataLoader"
    above = crossing.parent
    return is_loader and crossing.edge.kind == "item" and above is not None and above.parent is None


def _only_makes(user: Module, cls: Class) -> bool:
    """Return whether all that a module does with a class is to make objects of it, or to ask about them."""
    if user is cls.module and isinstance(cls.node, ast.ClassDef) and cls.node.decorator_list:
        return False
    names = [cls.name, *user.aliases_of(cls.name)]
    uses = [node for name in names for node in user.nodes_by_name.get(name, ())]
    return all(
        isinstance(call := user.parent(node), ast.Call)
        and (call.func is node or (isinstance(call.func, ast.Name) and call.func.id in _ASKING))
        for node in uses
    )
