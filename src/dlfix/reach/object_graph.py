"""The walk over what crosses: from a boundary's arguments to every value that hangs from them.

It knows how things hang together, and nothing of what is wrong with them.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from dlfix.catalog import BoundaryRow, HolderRow
from dlfix.project.module import Module, enclosing_function, is_test
from dlfix.project.order import lies_in
from dlfix.project.syntax import attribute_named, is_name
from dlfix.project.trees import walk
from dlfix.reach.callers import UNSAID
from dlfix.reach.callers_choice import never_shipped
from dlfix.reach.calls import class_of
from dlfix.reach.cleared import Cleared
from dlfix.reach.copied_entries import is_computed
from dlfix.reach.correlated import agree, choices
from dlfix.reach.crossing import Boundary, Crossing, Edge, Store, branches_of
from dlfix.reach.dict_keys import KEY, unknown_keys
from dlfix.reach.handed_on import handed_to
from dlfix.reach.instances import is_left_empty, left_empty, sets_on_others
from dlfix.reach.labels import label, node_of, short
from dlfix.reach.layers import MAKE_NETS
from dlfix.reach.methods import calls_super, cleared_by, emptied_before_state
from dlfix.reach.opposite_branches import runs_opposite, set_beside
from dlfix.reach.pickle_protocol import Handed, Texts, read_getstate, read_reduce
from dlfix.reach.removed_again import RemovedAgain
from dlfix.reach.replaced_items import left_when_sent
from dlfix.reach.replaced_start import set_where_none_starts, told_to_start_none
from dlfix.reach.sequence import is_before_all_uses, is_used_up, place_in, surely_after
from dlfix.reach.set_back import is_set_back
from dlfix.reach.set_by_callers import set_by_callers
from dlfix.reach.signatures import GUESSED, can_be
from dlfix.reach.steps import Step
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    ExternalCall,
    Function,
    Generator,
    Instance,
    Member,
    ModuleValue,
    Partial,
    Passed,
    Reached,
    Unknown,
    Value,
    origin_of,
)
from dlfix.reach.without_workers import runs_without_workers

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Item
    from dlfix.reach.interpreter import Interpreter

_DEEPEST = 80
_MOST_FILLING = 24  # modules that may set an attribute which a class leaves None
_FRAMED = (Function, Instance, Partial, Container, ExternalCall, Derived, Generator)
_MOST = 8_000  # values walked from one boundary
_CALLEES = frozenset({"collate_fn", "worker_init_fn", "target", "func", "fn", "initializer"})
_ITERATORS = frozenset({"itertools.cycle", "itertools.islice"})
_STATE = frozenset({"__getstate__", "__reduce__", "__reduce_ex__"})
_REDUCERS = ("__reduce_ex__", "__reduce__")

Child = tuple[Edge, Reached]


class Walk:
    """Walks the object graphs that boundaries ship."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.spent = 0
        self._is_removed = RemovedAgain(interpreter)
        self._met: dict[Value, Crossing] = {}
        self._starting: dict[Boundary, list[Mapping[object, object]]] = {}
        self._waiting: deque[tuple[Crossing, frozenset[Value]]] = deque()

    def from_boundary(self, boundary: Boundary) -> Crossing:
        """Return the tree of all that crosses at a boundary; its root stands for the call.

        The nearest is come to first, so that a path is a short one. What hangs from an object is
        followed once, as pickle does, however many paths lead to it.
        """
        module = boundary.frame.module
        place = module.place(boundary.node)
        head = f"class {boundary.node.name}" if isinstance(boundary.node, ast.ClassDef) else None
        step = Step(place, head or short(module, boundary.node))
        root = Crossing(Unknown("boundary"), Edge("boundary"), boundary, None, (step,), [])
        with self.interpreter.allowance(place):
            for edge, reached in self._arguments(boundary):
                self._meet(root, edge, reached, frozenset())
            while self._waiting and self.spent < _MOST:
                self._follow(*self._waiting.popleft())
            self.interpreter.cut(when=self.spent >= _MOST)
        return root

    def _arguments(self, boundary: Boundary) -> Iterator[Child]:
        if boundary.value is not None:
            yield Edge("argument", "self"), Reached(boundary.value)
        row = boundary.row
        if row is None:
            return
        for store in self._set_later(boundary):
            if store.attribute in row.crosses:
                for reached in self.interpreter.instances.stored(store):
                    yield Edge("argument", store.attribute), reached
        for name, argument in boundary.arguments.items():
            bare = name.partition("[")[0]
            gathered = row.keywords and bare not in row.parameters and row.keywords in row.crosses
            if bare in row.crosses or gathered:
                never = never_shipped(argument, boundary, self.interpreter)
                for reached in self._that_fit(bare, self._passed(argument)):
                    if reached.value not in never:
                        yield Edge("argument", bare), reached
            elif bare in row.items:
                yield from self._each(name, argument)

    def _passed(self, argument: Argument) -> Iterator[Reached]:
        """Yield what an argument may be, with the branch that it is put into a mapping in: `options[x] = y`."""
        for reached in self.interpreter.reached(argument):
            if isinstance(argument, Bound):
                put = Passed(argument.frame.module, argument.node, "")
                yield Reached(reached.value, (*reached.steps, put))
            else:
                yield reached

    def _that_fit(self, name: str, found: Iterable[Reached]) -> Iterator[Reached]:
        """Yield what an argument may be: of several classes that one call may name, the datasets."""
        every = [each for each in found if can_be(name, each, self.interpreter)]
        serves = self.interpreter.instances.serves_samples
        datasets = [r.value for r in every if isinstance(r.value, Instance) and serves(r.value)]
        calls = {each.call for each in datasets} - {None} if name == "dataset" else set()
        for reached in every:
            value = reached.value
            if not isinstance(value, Instance) or value.call not in calls or value in datasets:
                yield reached

    def _set_later(self, boundary: Boundary) -> list[Store]:
        """Return what code sets on a loader once it is made: `loader.collate_fn = ...`."""
        if boundary.kind != "DataLoader":
            return []
        return self.interpreter.instances.set_on(boundary.node, boundary.frame.module)

    def _each(self, name: str, argument: Argument) -> Iterator[Child]:
        for item in self.interpreter.each(argument):
            for reached in self.interpreter.reached(item):
                yield Edge("item", name), reached

    # The graph

    def _meet(
        self, parent: Crossing, edge: Edge, reached: Reached, above: frozenset[Value]
    ) -> None:
        value = reached.value
        if isinstance(value, Constant) and isinstance(value.value, Member):
            edge, reached = Edge("class"), Reached(value.value.cls)  # pickle names its enumeration
            value = reached.value
        if isinstance(value, Constant) or value in above:
            return
        makers = self.interpreter.instances.registered_makers
        is_module = isinstance(value, ModuleValue) and "types.ModuleType" in makers
        if is_module or (isinstance(value, ExternalCall) and value.name in makers):
            return  # copyreg pickles it
        made = node_of(value)
        if made and not self._may_meet(value, made[1], parent):
            return
        if len(above) > _DEEPEST:
            self.interpreter.cut()
            return
        boundary = parent.boundary
        without = self._is_without(edge, reached, boundary)
        if without or _is_elsewhere(reached, boundary) or self._is_made_without(value, boundary):
            return
        if self.spent >= _MOST:
            self.interpreter.cut()
            return
        self.spent += 1
        path = (*parent.path, *self._steps(parent, edge, reached))
        same = self._met.get(value)
        crossing = Crossing(value, edge, parent.boundary, parent, path, [], reached.steps, same)
        parent.children.append(crossing)
        if same is None:
            self._met[value] = crossing
            self._waiting.append((crossing, above | {value}))

    def _may_meet(self, value: Value, maker: Module, parent: Crossing) -> bool:
        """Return whether what a module makes may be in a program that has the boundary.

        What a test makes comes to the loaders of that test: it says nothing of those out of view, nor of
        objects that other code makes.
        """
        boundary, holder = parent.boundary, _holder(parent)
        home = boundary.frame.module
        out_of_view = boundary.kind == "dataset" or (
            holder is not None and not _is_for_test(holder)
        )
        if out_of_view and not is_test(home) and (is_test(maker) or _is_for_test(value)):
            return False
        programs = self.interpreter.programs
        if isinstance(value, Instance) and not programs.may_send(value, home, boundary.node):
            return False
        written = (maker, value.cls.module) if isinstance(value, Instance) else (maker,)
        return all(
            programs.share(each, home) and programs.may_run(each, home, boundary.node)
            for each in dict.fromkeys(written)
        )

    def _is_without(self, edge: Edge, reached: Reached, boundary: Boundary) -> bool:
        """Return whether a value is only chosen, or kept, where no workers are started."""
        if boundary not in self._starting:
            self._starting[boundary] = self._counts(boundary)
        counts, steps = self._starting[boundary], reached.steps
        if edge.store is not None:
            steps = (*steps, Passed(edge.store.frame.module, edge.store.statement, ""))
        if not counts or not steps:
            return False
        chosen = choices(steps)
        return not any(agree(count, chosen) for count in counts)

    def _is_made_without(self, value: Value, boundary: Boundary) -> bool:
        """Return whether a value is only made where no workers are started."""
        frame = value.frame if isinstance(value, _FRAMED) else None
        node = value.call if isinstance(value, Instance) else getattr(value, "node", None)
        if frame is None or node is None:
            return False
        return runs_without_workers(node, frame, boundary, self.interpreter)

    def _counts(self, boundary: Boundary) -> list[Mapping[object, object]]:
        """Return what is decided for each number of workers that starts some; none if one is always so."""
        row, here = boundary.row, Passed(boundary.frame.module, boundary.node, "")
        if row is not None and not row.workers:
            starts = [*self._started(boundary)] or [here]
            counts = [choices([start, here]) for start in starts]
            return counts if all(counts) else []
        counts = [
            choices((*reached.steps, here))
            for name, argument in boundary.arguments.items()
            if row is not None and name.partition("[")[0] == row.workers
            for reached in self._passed(argument)
            if not isinstance(reached.value, Constant) or reached.value.value not in row.no_workers
        ]
        return counts if all(counts) else []

    def _started(self, boundary: Boundary) -> Iterator[Passed]:
        """Yield the calls next to a boundary that start the process it makes: `process.start()`."""
        module = boundary.frame.module
        around = enclosing_function(module, boundary.node)
        if boundary.kind != "Process":
            return
        for call in module.calls_by_name.get("start", ()):
            if enclosing_function(module, call) is not around:
                continue
            owner = getattr(call.func, "value", call.func)
            made = self.interpreter.values_at(owner, self.interpreter.frame_at(module, call))
            if any(boundary.node in (node_of(each) or ()) for each in made):
                yield Passed(module, call, "started")

    def _follow(self, crossing: Crossing, above: frozenset[Value]) -> None:
        value = crossing.value
        hanging = chain(
            self._of_kept_items(value, crossing)
            if isinstance(value, Container)
            else self.children(value, crossing.boundary),
            self._bound_to(crossing),
            self._wrapped(crossing),
        )
        for edge, child in _without_alternatives(hanging, above - {value}):
            self._meet(crossing, edge, child, above)
            if self.spent >= _MOST:
                return

    def children(self, value: Value, boundary: Boundary) -> Iterable[Child]:
        """Return what hangs from a value, as pickle would find it."""
        if isinstance(value, Instance):
            held = self.interpreter.filled.container(value)
            return chain(
                self._of_instance(value, boundary),
                self._of_items(held.items) if held is not None else (),
                self._by_calls(value, boundary),
            )
        if isinstance(value, Container):
            return self._of_items(value.items)
        if isinstance(value, Partial):
            return self._of_partial(value)
        if isinstance(value, BoundMethod):
            return [(Edge("self"), Reached(value.owner))]
        if isinstance(value, ExternalCall):
            return chain(
                self._still_held(value, boundary),
                self._by_calls(value, boundary),
                self._set_on(value, boundary),
                self._put_in(value, boundary),
            )
        return self._of_derived(value, boundary) if isinstance(value, Derived) else []

    def _of_derived(self, value: Derived, boundary: Boundary) -> Iterable[Child]:
        origin = value.origin
        made_by = class_of(value)
        if made_by is not None:
            return [(Edge("class"), Reached(made_by))]
        if isinstance(origin, ExternalCall):
            row = self.interpreter.catalog.holder(origin.name)
            if row is not None and row.gives == "list":
                return self._of_part(value, origin, boundary)
        kept, keeps_origin = self.interpreter.kept_by_call.chained(value)
        found = [*self._each_kept(kept), *(self._set_on(value, boundary) if value.called else ())]
        if not keeps_origin:
            return found
        if self.interpreter.kept_by_call.is_pipeline(value):
            found += self._by_calls(value, boundary)
        anew = {edge.name for edge, _ in found if edge.store is not None}
        anew |= set_by_callers(value, self.interpreter) if value.called else set()
        kept_before = (each for each in self.children(origin, boundary) if each[0].name not in anew)
        return chain(found, kept_before)

    def _of_part(self, value: Derived, whole: ExternalCall, boundary: Boundary) -> Iterator[Child]:
        """Yield what one of a list of objects keeps, which a library's call makes, and what code sets on it."""
        near = dict.fromkeys([boundary.frame.module, whole.frame.module])
        stores = [
            store
            for store in self.interpreter.set_on_results.stores(value, near)
            if self._is_there(store, boundary, whole.node)
        ]
        last = {each.attribute: each for each in stores if _replaces(each, whole, boundary)}
        for edge, child in self._of_holder(whole):
            if edge.name not in last:
                yield edge, child
        for store in stores:
            if stores.index(store) >= stores.index(last.get(store.attribute, store)):
                yield from self._stored(store)

    def _bound_to(self, crossing: Crossing) -> Iterator[Child]:
        """Yield the handle that a method belongs to, where only the method is kept: `ZipFile(p).read`."""
        value = crossing.value
        if (
            isinstance(value, Derived)
            and not value.called
            and isinstance(value.origin, ExternalCall)
        ):
            row = self.interpreter.catalog.resource(value.origin.name)
            if row is not None and row.hangs(value.how) is None and _is_callee(crossing):
                yield Edge("self"), Reached(value.origin)

    def _wrapped(self, crossing: Crossing) -> Iterator[Child]:
        """Yield the datasets that an unknown library wraps in what is a loader's dataset."""
        wrapper = _wrapper(crossing)
        if wrapper is None or self.interpreter.catalog.knows(wrapper.name):
            return
        given = wrapper.arguments
        for name, argument in [*enumerate(given.positional), *given.keywords.items()]:
            for reached in self.interpreter.reached(argument):
                if self.interpreter.instances.serves_samples(reached.value):
                    yield Edge("kept", str(name)), reached

    def _by_calls(self, value: Value, boundary: Boundary) -> Iterator[Child]:
        """Yield what methods called on an object keep in it: `net.register_forward_hook(f)`."""
        made = node_of(value)
        modules = [boundary.frame.module, *([made[1]] if made is not None else ())]
        if isinstance(value, Instance):
            line = self.interpreter.instances.mro(value.cls)
            modules += [base.module for base in line if isinstance(base, Class)]
        return self._each_kept(self.interpreter.kept_by_call.by(value, modules))

    def _still_held(self, value: ExternalCall, boundary: Boundary) -> Iterator[Child]:
        """Yield what an object of a library was given, but for what code replaces before it is sent."""
        module = value.frame.module
        replaced = {
            store.attribute
            for store in self.interpreter.instances.set_on(value.node, module)
            if (_replaces(store, value, boundary) or _freezes(store, boundary))
            and not value.name.startswith("torchvision.")  # it keeps a second one in `transforms`
        }
        for edge, child in self._of_holder(value):
            if edge.name not in replaced:
                yield edge, child

    def _set_on(self, value: ExternalCall | Derived, boundary: Boundary) -> Iterator[Child]:
        """Yield what code sets on an object of a library: `data.get_labels = f`."""
        near = [
            boundary.frame.module,
            value.frame.module,
            *handed_to(value.node, value.frame.module, self.interpreter),
        ]
        root = origin_of(value)
        if isinstance(root, ExternalCall) and root.name.startswith(MAKE_NETS):
            near += self.interpreter.project.setters("forward")  # code that patches networks
        for module in dict.fromkeys(near):
            for store in self.interpreter.instances.set_on(value.node, module):
                if self._is_there(store, boundary, value.node):
                    yield from self._stored(store)

    def _put_in(self, value: ExternalCall, boundary: Boundary) -> Iterator[Child]:
        """Yield what code puts into what an object of a library keeps: `concat.datasets.append(part)`."""
        row = self.interpreter.catalog.holder(value.name)
        for name in dict.fromkeys(row.keeps.values()) if row is not None else ():
            for module in dict.fromkeys([boundary.frame.module, value.frame.module]):
                for node, (_, item) in self.interpreter.displays.put_outside(name, value, module):
                    if not surely_after(module.statement(node), boundary.node, module):
                        yield from self._each_kept([(name, item)])

    def _each_kept(self, kept: Iterable[tuple[str, Argument]]) -> Iterator[Child]:
        for name, argument in kept:
            for reached in self.interpreter.reached(argument):
                yield Edge("kept", name), reached

    def _of_kept_items(self, container: Container, crossing: Crossing) -> Iterator[Child]:
        """Yield the items of a container but for those that code takes out before it is sent."""
        for key, item in left_when_sent(container, crossing):
            for edge, child in self._of_items([(key, item)]):
                if not self._is_removed(container, child, key, crossing.boundary):
                    yield edge, child
        yield from self._of_keys(container)

    def _of_items(self, items: Iterable[Item]) -> Iterator[Child]:
        for key, item in items:
            unnamed = key is None or isinstance(key, slice) or is_computed(item)
            for reached in self.interpreter.reached(item):
                yield Edge("item", "" if unnamed else repr(key)), reached

    def _of_keys(self, container: Container) -> Iterator[Child]:
        for key in unknown_keys(container):
            for reached in self.interpreter.reached(key):
                yield Edge("item", KEY), reached

    def _of_partial(self, value: Partial) -> Iterator[Child]:
        yield Edge("function"), Reached(value.function)
        yield from self._of_arguments(value.arguments)

    def _of_arguments(self, arguments: Arguments) -> Iterator[Child]:
        for index, argument in enumerate(arguments.positional):
            for reached in self.interpreter.reached(argument):
                yield Edge("bound", str(index)), reached
        for name, argument in arguments.keywords.items():
            for reached in self.interpreter.reached(argument):
                yield Edge("bound", name), reached

    def _of_holder(self, value: ExternalCall) -> Iterator[Child]:
        row = self.interpreter.catalog.holder(value.name)
        if row is None:
            return
        if value.name == "collections.defaultdict":
            displays = self.interpreter.displays
            for _, item in displays.settled([*displays.added(value.node, value.frame)]):
                for reached in self.interpreter.reached(item):
                    yield Edge("item"), reached
        arguments = value.arguments
        for index, argument in enumerate(arguments.positional):
            name = row.parameters[index] if index < len(row.parameters) else row.star
            for child in self._kept(row, name, argument):
                yield self._iterated(child, value) if value.name in _ITERATORS else child
        for name, argument in arguments.keywords.items():
            known = name in row.keeps
            yield from self._kept(row, name if known else row.keywords, argument)

    def _iterated(self, child: Child, value: ExternalCall) -> Child:
        """Return the iterator that is kept of what is iterated: of a loader it cannot be pickled."""
        edge, reached = child
        made = reached.value
        row = (
            self.interpreter.catalog.resource(made.name) if isinstance(made, ExternalCall) else None
        )
        if not isinstance(made, ExternalCall) or row is None or row.hangs("iter") is None:
            return child
        iterator = self.interpreter.calls.made(
            value.node, value.frame, lambda: Derived(made, "iter", value.node, value.frame), made
        )
        return edge, Reached(iterator, reached.steps)

    def _kept(self, row: HolderRow, name: str, argument: Argument) -> Iterator[Child]:
        if name not in row.keeps or name in row.calls:
            return
        for reached in self.interpreter.reached(argument):
            if name in row.lists and isinstance(reached.value, Generator):
                for item in self.interpreter.calls.generated(reached.value):
                    for one in self.interpreter.reached(item):
                        yield Edge("kept", row.keeps[name]), one
            else:
                yield Edge("kept", row.keeps[name]), reached

    # Instances

    def _of_instance(self, instance: Instance, boundary: Boundary) -> Iterator[Child]:
        instances = self.interpreter.instances
        by_its_class = [(Edge("class"), Reached(instance.cls))]
        if instance.cls in instances.registered:
            yield (
                Edge("state"),
                Reached(Unknown("the result of a function registered with copyreg")),
            )
            return
        for name in _REDUCERS:
            method = instances.method(instance.cls, name)
            if method is None:
                continue
            assert isinstance(method.node, (ast.FunctionDef, ast.AsyncFunctionDef))
            handed = read_reduce(method.node)
            if handed.as_usual:
                continue  # `object` asks the next one
            if not handed.of_class and handed.values:
                by_its_class = []
            if handed.asks_state:
                yield from self._handed_values(instance, method, handed.values)
                break
            yield from by_its_class
            if handed.everything:
                yield from self._attributes(instance, boundary, handed)
            yield from self._handed_values(instance, method, handed.values)
            return
        yield from by_its_class
        getstate = instances.method(instance.cls, "__getstate__") or self._assigned(instance.cls)
        if getstate is None and instances.given(instance.cls, _STATE):
            yield (
                Edge("state"),
                Reached(Unknown("the result of a `__getstate__` that is not a `def`")),
            )
            return
        if getstate is None:
            yield from self._attributes(instance, boundary, Handed())
            return
        handed = self._state(instance, instance.cls, getstate)
        if not handed.known:
            yield Edge("state"), Reached(Unknown("what `__getstate__` returns"))
            return
        if handed.everything:
            yield from self._attributes(instance, boundary, handed)
        yield from self._handed_values(instance, getstate, handed.values)

    def _assigned(self, cls: Class) -> Function | None:
        """Return the one function that a class's body gives the name, or code that gets the class.

        That is `__getstate__ = without_lock`, and `cls.__getstate__ = without_lock` in a decorator.
        """
        instances = self.interpreter.instances
        for base in instances.mro(cls):
            if isinstance(base, Class) and "__getstate__" in base.body_names():
                found = self.interpreter.name("__getstate__", instances.body(base), None)
                values = [reached.value for reached in found]
                return _plain(values[0]) if len(values) == 1 else None
        return _plain(instances.put_there(cls, "__getstate__"))

    def _state(self, instance: Instance, cls: Class, getstate: Function) -> Handed:
        """Read `__getstate__`, and those of bases it builds on by `super()`."""
        instances = self.interpreter.instances
        handed = read_getstate(getstate, self._texts_in(getstate, instance))
        for name in emptied_before_state(getstate.node)[1]:
            method = instances.method(cls, name)
            handed.dropped |= cleared_by(method.node) if method is not None else set()
        defining = instances.defining(cls, "__getstate__")
        if calls_super(getstate.node) and defining is not None:
            line = instances.mro(cls)
            for base in line[line.index(defining) + 1 :]:
                if isinstance(base, Class) and "__getstate__" in base.body_names():
                    above = instances.method(base, "__getstate__")
                    if above is not None:
                        further = self._state(instance, base, above)
                        handed.dropped |= further.dropped
                        handed.prefixes |= further.prefixes
                        handed.known = handed.known and further.known
                    break
        return handed

    def _texts_in(self, method: Function, instance: Instance) -> Texts:
        """Return what says which texts an expression of a method may be, None where it may be any."""
        frame = self.interpreter.calls.frame_of(
            method, Arguments(), method.node, method.frame, instance
        )

        def texts(node: ast.expr) -> set[str] | None:
            values = [] if frame is None else self.interpreter.values_at(node, frame)
            known = [
                v.value for v in values if isinstance(v, Constant) and isinstance(v.value, str)
            ]
            return {*known} if known and len(known) == len(values) else None

        return texts

    def _handed_values(
        self, instance: Instance, method: Function, values: list[ast.expr]
    ) -> Iterator[Child]:
        frame = self.interpreter.calls.frame_of(
            method, Arguments(), method.node, method.frame, instance
        )
        if frame is None:
            return
        for node in values:
            for reached in self.interpreter.evaluate(node, frame):
                yield Edge("state"), reached

    def _attributes(
        self, instance: Instance, boundary: Boundary, handed: Handed
    ) -> Iterator[Child]:
        modules = self._outside_modules(instance, boundary)
        outside = [
            store
            for store in self.interpreter.instances.outside_stores(instance, modules)
            if self._is_there(store, boundary, instance.call)
        ]
        replaced: dict[str, Store] = {
            store.attribute: store
            for store in outside
            if self._surely_replaces(store, instance, boundary)
        }
        cleared = Cleared(instance, boundary, self.interpreter)
        emptied = frozenset(cleared.names())
        for name, stores in self.interpreter.instances.stores(instance).items():
            if not handed.drops(name) and name not in replaced:
                for store in stores:
                    kept = None if name in emptied else store
                    if store.late:
                        kept = cleared.what_lasts(store)
                    if kept is not None and self._sent(kept, instance, boundary):
                        for edge, reached in self._stored(kept):
                            told = reached.value, instance, boundary, self.interpreter
                            if not told_to_start_none(*told):
                                yield edge, reached
        for store in outside:
            last = replaced.get(store.attribute, store)
            if not handed.drops(store.attribute) and outside.index(store) >= outside.index(last):
                yield from self._stored(store)

    def _is_there(self, store: Store, boundary: Boundary, made: ast.AST | None) -> bool:
        """Return whether what code sets from outside, on what a call makes, may be there when workers are started."""
        module, statement = store.frame.module, store.statement
        if (
            made in module.parents
            and module.scope_of(made) is module.scope_of(statement)
            and boundary.node in module.parents
            and is_used_up(boundary.node, statement, module)
        ):
            return False
        if runs_opposite(statement, module, boundary, self.interpreter.project):
            return False
        return not is_set_back(store, boundary, self.interpreter)

    def _surely_replaces(self, store: Store, instance: Instance, boundary: Boundary) -> bool:
        """Return whether code sets an attribute after the object is made and before it crosses."""
        module, named = store.frame.module, attribute_named(store.node)
        block = getattr(module.parent(store.statement), "body", [])
        if named is None or store.statement not in block:
            return False
        if len(self.interpreter.evaluate(named[0], store.frame)) != 1:
            return False
        here = boundary.frame.module is module
        is_loader = here and boundary.kind == "DataLoader"
        if is_loader and is_before_all_uses(store.statement, boundary.node, module):
            return True
        replacing, made = block.index(store.statement), place_in(block, module, instance.call)
        if here and module.scope_of(boundary.node) is module.scope_of(store.statement):
            crossing = place_in(block, module, boundary.node)
            if crossing is None or replacing > crossing:
                return False
            return made is None or (made <= replacing and made < crossing)
        if made is None or made > replacing:
            return False
        return _is_kept_back(named[0], block[made:replacing], module)

    def _outside_modules(self, instance: Instance, boundary: Boundary) -> list[Module]:
        modules = [boundary.frame.module]
        if instance.frame is not None:
            home = instance.frame.module
            modules.append(home)
            if instance.call is not None:
                modules += handed_to(instance.call, home, self.interpreter)
        for name, stores in self.interpreter.instances.stores(instance).items():
            if all(map(is_left_empty, stores)):
                modules += self._filling_modules(name)
        for base in self.interpreter.instances.mro(instance.cls):
            for name in left_empty(base.node) if isinstance(base, Class) else ():
                modules += self._filling_modules(name)
        return list(dict.fromkeys(modules))

    def _filling_modules(self, name: str) -> list[Module]:
        """Return the modules that set an attribute which its class leaves None for others to fill."""
        found = self.interpreter.project.mentions(name)
        if len(found) > _MOST_FILLING:
            return []
        return [each for each in found if sets_on_others(each, name)]

    def _sent(self, store: Store, instance: Instance, boundary: Boundary) -> bool:
        """Return whether what a method stores is there when workers are started."""
        if runs_without_workers(store.statement, store.frame, boundary, self.interpreter):
            return False
        beside = set_beside(store, instance, boundary, self.interpreter)
        return not beside and not set_where_none_starts(store, instance, boundary, self.interpreter)

    def _stored(self, store: Store) -> Iterator[Child]:
        for reached in self.interpreter.instances.stored(store):
            yield Edge("attribute", store.attribute, store), reached

    # Paths

    def _steps(self, parent: Crossing, edge: Edge, reached: Reached) -> Iterator[Step]:
        """Yield the lines of one edge: where it hangs, and where the value was made."""
        value = reached.value
        made = node_of(value)
        if edge.kind == "attribute" and edge.store is not None:
            yield from self._attribute_steps(edge.store, edge.name, reached)
            return
        prefix = _prefix(edge)
        if made is not None:
            node, module = made
            yield Step(module.place(node), f"{prefix}{label(value)}", _note(reached.steps))
        else:
            yield Step(parent.path[-1].place, f"{prefix}{label(value)}")

    def _attribute_steps(self, store: Store, name: str, reached: Reached) -> Iterator[Step]:
        module = store.frame.module
        made = node_of(reached.value)
        if made is not None and made[1] is module and lies_in(made[0], store.statement):
            yield Step(module.place(made[0]), f".{name}  {label(reached.value)}")
            return
        yield Step(module.place(store.node), f".{name}", _from_argument(store))
        if made is not None:
            yield Step(made[1].place(made[0]), label(reached.value), "")


def _plain(value: Value | None) -> Function | None:
    """Return a function that is a `def` and says all by itself; None for any other value."""
    if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
        return None
    return None if _closes_over(value) else value


def _closes_over(function: Function) -> bool:
    """Return whether a function reads names of a function around it."""
    own = list(function.module.inner_scope(function.node).walk())
    read = (scope.lookup(name) for scope in own for name in scope.reads)
    return any(found is not None and found.is_function and found not in own for found in read)


def _is_callee(crossing: Crossing) -> bool:
    """Return whether what crosses is there to be called: by a partial, a loader, or `self.read(...)`."""
    edge, parent = crossing.edge, crossing.parent
    if edge.kind == "argument":
        return edge.name in _CALLEES
    above = parent.value if parent is not None else None
    if edge.kind == "attribute" and isinstance(above, Instance):
        calls = above.cls.module.calls_by_name.get(edge.name, ())
        return any(getattr(getattr(c.func, "value", None), "id", "") == "self" for c in calls)
    return edge.kind == "function"


def _wrapper(crossing: Crossing) -> ExternalCall | None:
    """Return the call of a library that makes a loader's dataset: of a class, or of a split."""
    value, edge = crossing.value, crossing.edge
    part_of = isinstance(value, Derived) and value.how == "__getitem__"
    made = value.origin if isinstance(value, Derived) and part_of else value
    if not isinstance(made, ExternalCall) or (edge.kind, edge.name) != ("argument", "dataset"):
        return None
    name = made.name.rpartition(".")[2]
    if part_of:
        return made if "split" in name.split("_") else None
    return made if name[:1].isupper() else None


def _holder(crossing: Crossing | None) -> Instance | None:
    """Return the nearest object around what crosses that a call in view makes."""
    while crossing is not None:
        if isinstance(crossing.value, Instance) and crossing.value.call is not None:
            return crossing.value
        crossing = crossing.parent
    return None


def _is_for_test(value: Value) -> bool:
    """Return whether a test has led to the call that makes an object."""
    frame = value.frame if isinstance(value, Instance) and value.call is not None else None
    while frame is not None:
        if is_test(frame.module):
            return True
        frame = frame.caller
    return False


def _is_elsewhere(reached: Reached, boundary: Boundary) -> bool:
    """Return whether a value comes from a branch in which the boundary's callee ships nothing."""
    return bool(boundary.elsewhere) and not boundary.elsewhere.isdisjoint(
        branches_of(reached.steps)
    )


def _replaces(store: Store, value: ExternalCall, boundary: Boundary) -> bool:
    """Return whether a statement after the one that makes an object surely sets an attribute of it.

    It is in the same block, and not below the boundary.
    """
    module = store.frame.module
    block = getattr(module.parent(store.statement), "body", [])
    made = place_in(block, module, value.node)
    sent = place_in(block, module, boundary.node)
    if made is None or store.statement not in block:
        return False
    here = block.index(store.statement)
    return made < here and (sent is None or here < sent)


def _freezes(store: Store, boundary: Boundary) -> bool:
    """Return whether another function ends what a `defaultdict` adds by itself: it does so before that is sent."""
    module = store.frame.module
    if enclosing_function(module, store.statement) is enclosing_function(module, boundary.node):
        return False
    given = store.value.node if isinstance(store.value, Bound) else None
    is_none = isinstance(given, ast.Constant) and given.value is None
    return store.attribute == "default_factory" and is_none


def _without_alternatives(children: Iterable[Child], above: frozenset[Value]) -> Iterable[Child]:
    """Leave out what an attribute holds in place of the very object that the path came through."""
    classes = {value.cls for value in above if isinstance(value, Instance)}
    if not classes:
        return children
    children = list(children)
    taken = {
        edge.name: edge.store
        for edge, child in children
        if edge.kind == "attribute"
        and isinstance(child.value, Instance)
        and child.value.cls in classes
    }
    return [
        (edge, child)
        for edge, child in children
        if edge.kind != "attribute" or taken.get(edge.name, edge.store) is edge.store
    ]


def _is_kept_back(name: ast.expr, statements: list[ast.stmt], module: Module) -> bool:
    """Return whether code makes an object, gives it a local name, and does nothing with it but set and read attributes."""
    match statements:
        case [ast.Assign(targets=[ast.Name(id=made)]), *others] if is_name(name, made):
            uses = (node for each in others for node in walk(each) if is_name(node, made))
            return all(_is_attribute_of(module.parent(use), module) for use in uses)
    return False


def _is_attribute_of(node: ast.AST | None, module: Module) -> bool:
    """Return whether a node is an attribute that is set or read, but not called."""
    above = module.parent(node) if isinstance(node, ast.Attribute) else None
    return above is not None and not (isinstance(above, ast.Call) and above.func is node)


def _prefix(edge: Edge) -> str:
    if edge.kind == "argument":
        return f"{edge.name}  "
    if edge.kind == "item":
        return f"[{edge.name}] " if edge.name else ""
    if edge.kind in ("kept", "bound"):
        return f".{edge.name}  " if not edge.name.isdigit() else f"argument {edge.name}  "
    return {"function": "function  ", "self": "self  ", "class": "class  "}.get(edge.kind, "")


def _note(steps: tuple[Passed, ...]) -> str:
    return next((step.note for step in steps if step.note not in ("", UNSAID, GUESSED)), "")


def _from_argument(store: Store) -> str:
    bound = store.value
    if isinstance(bound, Bound) and isinstance(bound.node, ast.Name):
        binder = bound.frame.scope.bindings.get(bound.node.id, [])
        if any(binding.kind == "parameter" for binding in binder):
            return f"set from the argument `{bound.node.id}`"
    return ""


__all__ = ["BoundaryRow", "Walk"]
