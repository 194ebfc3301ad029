"""Parent or worker: in which process a method of a class that reaches workers runs.

A worker runs `__getitem__`, `__iter__`, `__call__` and what they call. The parent runs the
constructor, `__len__` (the samplers ask for it once the workers have started), and whatever code
outside the class calls.
"""

from __future__ import annotations

import ast
import builtins
import io
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.catalog import BoundaryRow
from dlfix.project import scan
from dlfix.project.bodies import Named
from dlfix.project.module import Module
from dlfix.project.syntax import (
    LOG_METHODS,
    decorators,
    first_parameter,
    is_attribute_of,
    is_name,
    is_none,
    is_super,
    last_name,
)
from dlfix.project.trees import children, kept, summary, walk
from dlfix.reach import handler_tables
from dlfix.reach.after_workers import runs_after_all_workers
from dlfix.reach.constructions import may_be_made
from dlfix.reach.evaluator import Def, Roles
from dlfix.reach.methods import (
    PROPERTIES,
    decorator_kind,
    handed_to_workers,
    methods_of,
    stored_on_self,
)
from dlfix.reach.parts_of_datasets import length_is_asked
from dlfix.reach.special_methods import (
    GIVING_ITEMS,
    PROTOCOLS,
    WORKER,
    iterated_by,
    protocol_used,
)
from dlfix.reach.values import (
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Function,
    Instance,
    ModuleValue,
    Unknown,
    Value,
)
from dlfix.reach.without_workers import runs_beside_no_workers

if TYPE_CHECKING:
    from dlfix.reach.boundaries import Boundaries
    from dlfix.reach.evaluator import Evaluator

# Names that say little of whose method is called.
_COMMON = frozenset(
    name
    for kind in (dict, list, set, str, bytes, io.TextIOWrapper, threading.Thread)
    for name in dir(kind)
)
PARENT = ("__init__", "__post_init__", "__attrs_post_init__", "model_post_init", "__len__")
_PROCESSES = ("Process", "Pool", "Executor", "spawn")
_DEEPEST = 1  # what hands a function on to processes is read, no further
_OUTSIDE_MODULES = 400
_MOST_DEFINING = 4  # files whose functions of a name are asked whether they start workers
_MOST_CALLED = 12  # functions that one statement runs which are asked whether they start workers
_FURTHER_MODULES = 24  # that name a method, but not its class
_SHOWING = frozenset({"__repr__", "__str__", "__format__"})
_SHOW = frozenset("print str repr format".split())
_OTHERS = (Instance, Class, Container, Constant, External, Function, ModuleValue)


@dataclass
class _Called:
    """Of which objects the parent's code calls a method, as far as it was asked."""

    is_named: bool  # whether any call may be of it: so it is while they are looked at
    others: Iterator[list[Value]]
    found: list[list[Value]] = field(default_factory=list)
    is_asked: bool = False


class RoleReader:
    """Works out the process roles of classes."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._sides: dict[Class, Roles] = {}
        self._called: dict[tuple[Class, str], _Called] = {}
        self._methods: dict[Class, dict[str, Def]] = {}
        self._uses: dict[Class, dict[str, set[str]]] = {}
        self._worker: dict[Class, frozenset[str]] = {}
        rows = interpreter.catalog.rows("boundary")
        self._targets: dict[Def, bool] = {}
        self._beside_none: dict[ast.AST, bool] = {}
        self._idle_managers: dict[Class, tuple[dict[str, Def], frozenset[str]]] = {}
        self._counts = frozenset(row.workers for row in rows if isinstance(row, BoundaryRow))

    @cached_property
    def _finder(self) -> Boundaries:
        from dlfix.reach.boundaries import Boundaries

        return Boundaries(self.interpreter)

    def of(self, cls: Class) -> Roles:
        """Return the process roles of a class's methods."""
        if cls not in self._sides:
            self._sides[cls] = self._divided(cls, frozenset())  # while callers are looked for
            called = self._called_outside(cls, self.methods(cls).keys())
            called |= self.interpreter.items_taken.by(cls)
            self._sides[cls] = self._divided(cls, called)
        return self._sides[cls]

    def _divided(self, cls: Class, called: frozenset[str]) -> Roles:
        methods = self.methods(cls)
        parent = closure((n for n in methods if n in PARENT or n in called), self.uses(cls))
        return Roles(frozenset(parent), self.worker(cls), called)

    def worker(self, cls: Class) -> frozenset[str]:
        """Return the methods of a class that run in a worker."""
        if cls in self._worker:
            return self._worker[cls]
        methods = self.methods(cls)
        handed = {name for node in methods.values() for name in handed_to_workers(node)}
        entries = {*WORKER, *handed, *(["run"] if self.is_process(cls) else [])}
        found = frozenset(closure(sorted(entries & methods.keys()), self.uses(cls)))
        if self.interpreter.instances.settled:
            self._worker[cls] = found
        return found

    def is_process(self, cls: Class) -> bool:
        """Return whether the objects of a class are processes, which run their `run` themselves."""
        rows = (
            self.interpreter.catalog.boundary(base.name)
            for base in self.interpreter.instances.outside_bases(cls)
        )
        return any(row is not None and row.self_crosses for row in rows)

    def may_start_by(self, cls: Class, method: str) -> bool:
        """Return whether a process may be started that is only constructed, and of which code calls one method."""
        methods = self.methods(cls)
        run = closure(["__init__", method], self.uses(cls)) & methods.keys()
        return method not in methods or any(
            "start" in used_on_self(methods[name]) or _hands_itself_on(methods[name], methods)
            for name in run
        )

    def run_by_parent(
        self, cls: Class, wanted: AbstractSet[str], instance: Instance | None = None
    ) -> AbstractSet[str]:
        """Return those of some methods that the parent runs, on one object where it is given."""
        uses = self._uses_that_last(cls)
        entries = self.methods(cls).keys() & {*PARENT}
        if "__len__" in entries and instance is not None:
            entries -= set() if length_is_asked(instance, self.interpreter) else {"__len__"}
        found = wanted & closure(entries, uses)
        if not wanted <= found:  # who calls what leads to no other is not asked
            called = self._called_outside(cls, leading(wanted - found, uses), instance)
            found |= wanted & closure(called, uses)
        found -= self._restoring(cls) if found else frozenset()
        for taking in GIVING_ITEMS:
            by_item = (wanted - found) & closure([taking], uses)
            if by_item and self.interpreter.items_taken.are_taken(cls, taking, instance):
                found |= by_item
        return found

    def _uses_that_last(self, cls: Class) -> dict[str, set[str]]:
        """Return what methods use, but for context managers around code that starts no workers.

        What these call is only to be seen in order: they close again what they have opened.
        """
        uses = self.uses(cls)
        managers = self._managers(cls)
        if not managers:
            return uses
        return {name: set() if name in managers else used for name, used in uses.items()}

    def _restoring(self, cls: Class) -> frozenset[str]:
        """Return the context managers of a class that set again what they have set, around code that starts no workers."""
        methods = self.methods(cls)
        return frozenset(name for name in self._managers(cls) if _restores(methods[name]))

    def _managers(self, cls: Class) -> frozenset[str]:
        """Return the context managers of a class that surround no code which starts workers."""
        methods = self.methods(cls)
        known = self._idle_managers.get(cls)
        if known is None or known[0] is not methods:  # these may be read anew
            found = frozenset(
                name
                for name, node in methods.items()
                if _is_context_manager(node) and not self._surrounds_loops(cls, name)
            )
            known = self._idle_managers[cls] = methods, found
        return known[1]

    def _surrounds_loops(self, cls: Class, name: str) -> bool:
        """Return whether code that a context manager surrounds may start workers."""
        return any(
            self.may_start_workers(part, module)
            for module in self.outside(cls)
            if module.may(scan.may_call, name)
            for block in module.nodes(ast.With)
            if any(_is_call_of(item.context_expr, name) for item in block.items)
            for statement in block.body
            for part in walk(statement)
        )

    def may_start_workers(
        self, node: ast.AST, module: Module, seen: set[ast.AST] | None = None
    ) -> bool:
        """Return whether a loop or a call may start workers: it passes a number of them, or runs code of the tree that may.

        `seen` are the functions and classes whose code is asked already.
        """
        match node:
            case (
                ast.For(iter=source) | ast.comprehension(iter=source) | ast.YieldFrom(value=source)
            ):
                sliced = isinstance(source, ast.Subscript) and isinstance(source.slice, ast.Slice)
                return not sliced and not isinstance(source, (ast.Call, ast.List, ast.Tuple))
            case ast.Call(keywords=keywords):
                given = {keyword.arg for keyword in keywords}
                if None in given or not given.isdisjoint(self._counts):
                    return True
                if not self.interpreter.project.defines(last_name(node.func)):
                    return False
                if seen is not None:  # what is called in turn is known by its name alone
                    return self._named_may_start(last_name(node.func), seen)
                return any(
                    self._may_start(each, node)
                    for each in self._values_of(module, node.func) or [Unknown()]
                )
        return False

    def _may_start(self, called: Value, call: ast.Call) -> bool:
        """Return whether a call may start workers: one of a library, where it passes anything by name."""
        match called:
            case Derived() | External() | ExternalCall():
                return bool(call.keywords)
            case BoundMethod(function=Function() as function) | (Function() as function):
                return self._body_may_start(function.node, function.module, set())
            case Unknown() if isinstance(call.func, ast.Attribute):
                return self._named_may_start(call.func.attr, set())
        return True

    def _body_may_start(self, function: ast.AST, module: Module, seen: set[ast.AST]) -> bool:
        if function in seen:
            return False
        seen.add(function)
        return len(seen) > _MOST_CALLED or any(
            self.may_start_workers(part, module, seen) for part in walk(function)
        )

    def _named_may_start(self, name: str, seen: set[ast.AST]) -> bool:
        """Return whether a function of a name may start workers, whichever of the tree's it is."""
        found = [
            (method, module)
            for module in self.interpreter.project.defining(name, _MOST_DEFINING)
            for method in module.functions_by_name.get(name, (None,))
        ]
        return not found or any(
            method is None or self._body_may_start(method, module, seen) for method, module in found
        )

    def only_in_constructor(self, cls: Class, name: str, instance: Instance) -> bool:
        """Return whether of the parent's code nothing but the constructor runs a method."""
        entries = self.leading_to(cls, name) - {"__init__"}
        if entries & self.methods(cls).keys() & {*PARENT}:
            return False
        if self._called_outside(cls, entries, instance):
            return False
        return not entries & self.interpreter.items_taken.by(cls, instance)

    def run_with_constructor(self, cls: Class, name: str, instance: Instance) -> bool:
        """Return whether a method of an object only runs where its constructor calls it."""
        methods = self.methods(cls)
        return (
            not decorator_kind(methods[name])
            and self.only_in_constructor(cls, name, instance)
            and all(_only_calls(node, name) for node in methods.values())
        )

    def run_with_others(self, cls: Class, name: str, instance: Instance) -> bool:
        """Return whether a method of an object only runs where other methods of it call it."""
        methods = self.methods(cls)
        return (
            not name.startswith("__")
            and not self._called_outside(cls, {name}, instance)
            and not decorator_kind(methods[name])
            and all(
                _only_calls(node, name) and not _is_seen_between(node, methods)
                for node in methods.values()
                if name in used_on_self(node)
            )
        )

    def leading_to(self, cls: Class, name: str) -> set[str]:
        """Return the methods of a class that run one of them, that one included."""
        return leading({name}, self.uses(cls))

    def may_run_in_parent(self, cls: Class, name: str) -> bool:
        """Return whether the parent may run a method: not if only code of workers is seen to call it."""
        if self.run_by_parent(cls, {name}):
            return True
        if name in self.worker(cls) or self._called_by_workers(cls, name):
            return False
        leading = self.leading_to(cls, name)
        if any(self._is_handed_on(cls, each) for each in leading):
            return False
        return not self.is_process(cls) or not self._called_on_siblings(cls, leading)

    def _called_on_siblings(self, cls: Class, names: set[str]) -> bool:
        """Return whether code calls some inherited methods, and each time on objects of other classes."""
        own, methods = self._own(cls), self.methods(cls)
        return any(
            isinstance(owner, Instance) and self.methods(owner.cls).get(name) is methods[name]
            for name in sorted(names & methods.keys())
            for module in self.outside(cls)
            for call in module.calls_by_name.get(name, ())
            if isinstance(call.func, ast.Attribute) and not _inside(module, call, own)
            for owner in self._owners(module, call)
        )

    def _called_by_workers(self, cls: Class, name: str) -> bool:
        own = self._own(cls)
        return any(
            isinstance(call.func, ast.Attribute)
            and not _inside(module, call, own)
            and self.in_worker(module, call)
            and any(self._is_related(cls, each) for each in self._owners(module, call))
            for module in self.outside(cls)
            for call in module.calls_by_name.get(name, ())
        )

    def uses(self, cls: Class) -> dict[str, set[str]]:
        """Return which methods each method of a class uses on its own object."""
        if cls in self._uses:
            return self._uses[cls]
        found = self._used(cls)
        if self.interpreter.instances.settled:
            self._uses[cls] = found
        return found

    def _used(self, cls: Class) -> dict[str, set[str]]:
        methods = self.methods(cls)
        found = {
            name: {
                iterated_by(used, methods)
                for used in used_on_self(node) - handed_to_workers(node)
                if used in methods or used in PROTOCOLS
            }
            for name, node in methods.items()
        }
        if "__getattr__" in methods:
            for name in self._asking(cls, methods):
                found[name].add("__getattr__")
        for name, node in self._with_overridden(cls):
            for table, entries in handler_tables.filled(node).items():
                if methods[name] is node:
                    found[name] -= entries
                for reader, reading in methods.items():
                    if table in handler_tables.read(reading):
                        found[reader] |= entries & methods.keys()
        return found

    def _with_overridden(self, cls: Class) -> Iterator[tuple[str, Def]]:
        """Yield the methods of a class and of its bases, also those that another replaces."""
        for base in self.interpreter.instances.mro(cls):
            if isinstance(base, Class):
                yield from methods_of(base.node).items()

    def _asking(self, cls: Class, methods: dict[str, Def]) -> Iterator[str]:
        """Yield the methods that read what only `__getattr__` gives."""
        given = {*methods}
        for base in self._line(cls):
            given |= {*base.body_names()} if isinstance(base, Class) else set()
        for name, node in methods.items():
            given |= stored_on_self(node) if name != "__getattr__" else set()
        for name, node in methods.items():
            if name != "__getattr__" and used_on_self(node) - given - PROTOCOLS:
                yield name

    def hands_on(self, cls: Class, method: str, *, whole: bool = False) -> bool:
        """Return whether a method, or one it uses, passes parts of its object, or the `whole` of it, to other code."""
        methods = self.methods(cls)
        used = closure([method], self.uses(cls)) & methods.keys()
        if whole:
            return any(_gives_itself_away(methods[name], methods.keys()) for name in used)
        return any(_hands_on(methods[name]) for name in used)

    def in_worker(self, module: Module, node: ast.AST) -> bool:
        """Return whether only workers run a node, by where it stands."""
        return self._in_worker_code(module, node) or self.only_worker(module, node)

    def _in_worker_code(self, module: Module, node: ast.AST) -> bool:
        """Return whether code is a worker's by where it stands: an entry method, or what starts there."""
        for above in module.ancestors(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names = {a.arg for a in above.args.args}
                if above.name in WORKER or "worker" in above.name or "worker_id" in names:
                    return True
                return above.name in _started_in_workers(module) or self._is_target(module, above)
        return False

    def _is_in_item(self, module: Module, node: ast.AST) -> bool:
        """Return whether a node is part of a `__getitem__` or `__iter__` that the parent runs, too: `dataset[0]`."""
        method = next((each for each in module.ancestors(node) if isinstance(each, Def)), None)
        above = module.parent(method) if method is not None else None
        name = getattr(method, "name", "")
        if name not in GIVING_ITEMS or not isinstance(above, ast.ClassDef):
            return False
        cls = self.interpreter.class_value(above, self.interpreter.frame_at(module, above))
        return self.interpreter.items_taken.are_taken(cls, name)

    def _is_target(self, module: Module, function: Def) -> bool:
        """Return whether a function is only handed to processes and pools: no code in view calls it."""
        if function not in self._targets:
            self._targets[function] = False  # while its users are looked at
            self._targets[function] = self._is_handed_over(module, function.name)
        return self._targets[function]

    def _is_handed_over(self, module: Module, name: str) -> bool:
        project = self.interpreter.project
        if project.is_called(module, name):
            return False
        others = (user for user in project.users(module, name) if user is not module)
        return any(self._starts(user, name) for user in (module, *others))

    def _starts(self, module: Module, name: str) -> bool:
        """Return whether code of a module hands a function of this name to a process or pool."""
        return any(True for _ in self._starting(module, name))

    def _starting(self, module: Module, name: str) -> Iterator[ast.Call]:
        """Yield the calls of a module that hand what has this name to a process or pool."""
        for call in _calls_with(module).get(name, ()):
            taking, given = _around_partials(module, call, name)
            if given is not None and self._is_process_given(taking, given, module, _DEEPEST):
                yield call

    def _is_process_given(
        self, call: ast.Call, given: ast.expr, module: Module, depth: int
    ) -> bool:
        """Return whether a call hands an argument to a process or pool, itself or by what it calls."""
        values = self.interpreter.values_at(call.func, self.interpreter.frame_at(module, call))
        rows = [self._finder.row_of(value) for value in values]
        if any(row is not None and row.kind in _PROCESSES for row in rows):
            return True
        return depth > 0 and any(self._passes_on(v, call, given, depth) for v in values)

    def _passes_on(self, callee: Value, call: ast.Call, given: ast.expr, depth: int) -> bool:
        """Return whether a function, or the constructor of a class, only hands an argument to processes."""
        called: Value | None = callee
        if isinstance(callee, Class):
            called = self.interpreter.instances.method(callee, "__init__")
        if not isinstance(called, Function) or not isinstance(called.node, Def):
            return False
        name = _parameter_for(called.node, call, given, skipped=isinstance(callee, Class))
        scope = called.module.inner_scope(called.node)
        if len(scope.bindings.get(name, ())) != 1:
            return False
        reads = [
            read
            for each in scope.walk()
            if each.lookup(name) is scope
            for read in each.reads.get(name, ())
        ]
        return bool(reads) and all(
            (above := _call_taking(called.module, read)) is not None
            and self._is_process_given(above, read, called.module, depth - 1)
            for read in reads
        )

    def _is_handed_on(self, cls: Class, name: str) -> bool:
        """Return whether code hands a method of such an object to a process: `Process(target=server.run)`."""
        return any(
            isinstance(given, ast.Attribute)
            and given.attr == name
            and any(self._is_related(cls, each) for each in self._values_of(module, given.value))
            for module in self.outside(cls)
            for call in self._starting(module, name)
            for given in _given(call)
        )

    def only_worker(self, module: Module, node: ast.AST) -> bool:
        """Return whether a node is in a method that only workers run."""
        method: ast.AST = node
        for above in module.ancestors(node):
            if isinstance(above, ast.ClassDef):
                if not isinstance(method, Def):
                    return False
                frame = self.interpreter.frame_at(module, above)
                cls = self.interpreter.class_value(above, frame)
                return method.name in self.worker(cls) and not self.run_by_parent(
                    cls, {method.name}
                )
            method = above
        return False

    def methods(self, cls: Class) -> dict[str, Def]:
        """Return a class's methods by name, inherited ones included."""
        if cls not in self._methods:
            found: dict[str, Def] = {}
            for base in reversed(self.interpreter.instances.mro(cls)):
                if isinstance(base, Class):
                    found |= methods_of(base.node)
            if not self.interpreter.instances.settled:
                return found
            self._methods[cls] = found
        return self._methods[cls]

    def _called_outside(
        self, cls: Class, names: Iterable[str], instance: Instance | None = None
    ) -> frozenset[str]:
        """Return those of some methods that code outside the class calls, in modules that mention it."""
        asked = sorted(self.methods(cls).keys() & {*names})
        return frozenset(name for name in asked if self._is_called(cls, name, instance))

    def _is_called(self, cls: Class, name: str, instance: Instance | None) -> bool:
        """Return whether the parent's code calls a method, of one object where it is given."""
        key = (cls, name)
        if key not in self._called:
            calls = list(self._calls_outside(cls, name, self.outside(cls)))
            self._called[key] = _Called(bool(calls), self._calls_by_parent(cls, name, calls))
        called = self._called[key]
        if any(may_be(instance, owners) for owners in called.found):
            return True
        if called.is_asked:
            return called.is_named
        called.is_asked = True
        try:
            for owners in called.others:  # no further than to the first that counts
                called.found.append(owners)
                if may_be(instance, owners):
                    return True
        except BaseException:
            del self._called[key]
            raise
        finally:
            called.is_asked = False
            self.interpreter.kept_if_fed(self._called, key)
        return False

    def _calls_by_parent(
        self, cls: Class, name: str, calls: Iterable[tuple[Module, ast.Call]]
    ) -> Iterator[list[Value]]:
        """Yield for each call of a method by the parent's code on what it is; an empty list is anything."""
        for module, call in calls:
            owners = self._called_on(cls, module, call)
            if owners is not None:
                yield owners
        for module, call in self._calls_out_of_sight(cls, name):
            if owners := self._called_on(cls, module, call):
                yield owners
        if name == "__enter__" and (entered := self._entered(cls)):
            yield entered
        yield from self._read_by_parent(cls, name)
        yield from self._shown_by_parent(cls, name)

    def _entered(self, cls: Class) -> list[Value]:
        """Return the objects of a class that `with` enters, and whose name its body uses."""
        found: list[Value] = []
        for module in self.outside(cls) if "__enter__" in self.methods(cls) else ():
            for block in module.nodes(ast.With):
                if self._runs_beside_none(block, module):
                    continue
                for item in block.items:
                    name = item.optional_vars or item.context_expr
                    if isinstance(name, ast.Name) and _body_uses(block, name.id):
                        frame = self.interpreter.frame_at(module, block)
                        values = self.interpreter.values_at(item.context_expr, frame)
                        found += [v for v in values if self._is_related(cls, v)]
        return found

    def _calls_out_of_sight(self, cls: Class, name: str) -> Iterator[tuple[Module, ast.Call]]:
        """Yield such calls where the class is not named: of an object that other code has handed there."""
        if name in _COMMON or not may_be_made(cls, self.outside(cls)):
            return
        outside = self.outside(cls)
        others = [m for m in self.interpreter.project.mentions(name) if m not in outside]
        self.interpreter.cut(when=len(others) > _FURTHER_MODULES)
        yield from self._calls_outside(cls, name, others[:_FURTHER_MODULES])

    def _calls_outside(
        self, cls: Class, name: str, modules: Iterable[Module]
    ) -> Iterator[tuple[Module, ast.Call]]:
        """Yield the calls outside a class that are written with the name of one of its methods."""
        own = self._own(cls)
        for module in modules if name not in WORKER else ():
            for call in module.table(_calls_on_others, scan.may_call_on).get(name, ()):
                if _inside(module, call, own):
                    continue
                if not self._in_worker_code(module, call) or self._is_in_item(module, call):
                    yield module, call

    def _read_by_parent(self, cls: Class, name: str) -> Iterator[list[Value]]:
        """Yield the objects, seen to be of a class, of which the parent's code reads a property that fills them."""
        own = self._own(cls)
        for module in self.outside(cls) if self._is_filling_property(cls, name) else ():
            for node in module.attributes_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                    continue
                if _is_own(node.value) or _inside(module, node, own):
                    continue
                if self.in_worker(module, node):
                    continue
                values = self._values_of(module, node.value)
                if related := [each for each in values if self._is_related(cls, each)]:
                    yield related

    def _is_filling_property(self, cls: Class, name: str) -> bool:
        """Return whether a property keeps something on its object, or reads one that does."""
        is_property = decorator_kind(self.methods(cls)[name]) in PROPERTIES
        return is_property and self._fills(cls, name)

    def _shown_by_parent(self, cls: Class, name: str) -> Iterator[list[Value]]:
        """Yield the objects of a class that the parent's code prints or formats, by a method that fills them."""
        if name not in _SHOWING or not self._fills(cls, name):
            return
        own = self._own(cls)
        for module in self.outside(cls):
            for node in module.table(_shown).get("", ()):
                if _is_own(node) or _inside(module, node, own):
                    continue
                if self.in_worker(module, node):
                    continue
                if runs_after_all_workers(node, module):
                    continue
                if self._runs_beside_none(node, module):
                    continue
                values = self._values_of(module, node)
                if related := [each for each in values if self._is_related(cls, each)]:
                    yield related

    def _fills(self, cls: Class, name: str) -> bool:
        """Return whether a method keeps something on its object, or uses one that does."""
        methods = self.methods(cls)
        return any(
            decorator_kind(methods[each]) == "cached_property"
            or (each != "__init__" and stored_on_self(methods[each]))
            for each in closure([name], self.uses(cls)) & methods.keys()
        )

    def _called_on(self, cls: Class, module: Module, call: ast.Call) -> list[Value] | None:
        """Return the objects of a class that a call of the parent is of, none where it is of others.

        Where nobody knows whose method it is, the name decides: `x.load_index()` may be the
        class's own, `x.get()` may be anything.
        """
        if (
            self.only_worker(module, call)
            or runs_after_all_workers(call, module)
            or self._runs_beside_none(call, module)
            or self._is_undone(cls, module, call)
        ):
            return None
        owners = self._owners(module, call)
        related = [value for value in owners if self._is_related(cls, value)]
        is_known = bool(owners) and all(self._is_known(value) for value in owners)
        if related:
            return related if is_known else []
        assert isinstance(call.func, ast.Attribute)
        return None if is_known or call.func.attr in _COMMON else []

    def _is_undone(self, cls: Class, module: Module, call: ast.Call) -> bool:
        """Return whether a later statement of the same block resets what a call sets, and no worker starts in between."""
        assert isinstance(call.func, ast.Attribute)
        statement, methods = module.parent(call), self.methods(cls)
        owner = ast.unparse(call.func.value)
        sets = self._set_by(call.func.attr, methods, cls)
        if not isinstance(statement, ast.Expr) or not sets:
            return False
        for below in module.below(statement):
            match below:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=name))) if (
                    ast.unparse(held) == owner and sets <= _reset_by(methods.get(name))
                ):
                    return True
            if any(
                self._may_begin(part, owner, module) or _binds(part, owner) for part in walk(below)
            ):
                return False
        return False

    def _may_begin(self, node: ast.AST, owner: str, module: Module) -> bool:
        """Return whether code may start workers; not where it goes through an item of the object itself."""
        match node:
            case (
                ast.For(iter=ast.Subscript(value=held))
                | ast.comprehension(iter=ast.Subscript(value=held))
            ):
                return ast.unparse(held) != owner
        return self.may_start_workers(node, module)

    def _set_by(self, name: str, methods: Mapping[str, Def], cls: Class) -> frozenset[str]:
        """Return the attributes that a method sets, itself or by others of its object."""
        run = closure([name], self.uses(cls)) & methods.keys() if name in methods else ()
        return frozenset(each for method in run for each in stored_on_self(methods[method]))

    def _is_known(self, value: Value) -> bool:
        """Return whether it is seen what a value is; what a library's call gives may be anything else."""
        if isinstance(value, ExternalCall):
            return self.interpreter.catalog.resource(value.name) is not None
        return isinstance(value, _OTHERS)

    def starts_none(self, name: ast.expr, used: ast.AST | None, module: Module) -> bool:
        """Return whether no worker starts after a use of a local object, or beside it."""
        return runs_after_all_workers(name, module) or (
            used is not None and self._runs_beside_none(used, module)
        )

    def _runs_beside_none(self, node: ast.AST, module: Module) -> bool:
        """Return what `runs_beside_no_workers` does; each class that may own a method asks it of the same call."""
        return self.interpreter.whole(
            self._beside_none,
            node,
            lambda: runs_beside_no_workers(node, module, self._counts, self.interpreter),
        )

    def _owners(self, module: Module, call: ast.Call) -> list[Value]:
        assert isinstance(call.func, ast.Attribute)
        return self._values_of(module, call.func.value)

    def _values_of(self, module: Module, node: ast.expr) -> list[Value]:
        return self.interpreter.values_at(node, self.interpreter.frame_at(module, node))

    def _is_related(self, cls: Class, value: Value) -> bool:
        """Return whether a value is a class, or an object of one, that derives from a class or the reverse."""
        other = value.cls if isinstance(value, Instance) else value
        return isinstance(other, Class) and (cls in self._line(other) or other in self._line(cls))

    def _own(self, cls: Class) -> set[ast.ClassDef]:
        return {base.node for base in self._line(cls) if isinstance(base, Class)}

    def _line(self, cls: Class) -> list[Class | External | Unknown]:
        return self.interpreter.instances.mro(cls)

    def outside(self, cls: Class) -> list[Module]:
        """Return the modules in which code may use objects of a class."""
        mentioning = self.interpreter.project.users(cls.module, cls.name)
        if cls.module not in mentioning:
            mentioning = [cls.module, *mentioning]
        self.interpreter.cut(when=len(mentioning) > _OUTSIDE_MODULES)
        return mentioning[:_OUTSIDE_MODULES]

    def is_managed(self, module: Module, node: ast.Name, cls: Class) -> bool:
        """Return whether a context manager of an object is around its use, or gives it: `with rows.session(): rows[0]`."""
        managers = self._managers(cls)
        return any(
            _is_call_of(item.context_expr, name) and _is_named(item, node.id)
            for above in (module.ancestors(node) if managers else ())
            if isinstance(above, ast.With)
            for item in above.items
            for name in managers
        )


def _body_uses(block: ast.With, name: str) -> bool:
    """Return whether the body of a `with` passes a name to a call, or calls a method of it."""
    return any(
        isinstance(part, ast.Name) and part.id == name
        for statement in block.body
        for call in walk(statement)
        if isinstance(call, ast.Call)
        for part in (
            getattr(call.func, "value", None),
            *call.args,
            *(each.value for each in call.keywords),
        )
    )


def may_be(instance: Instance | None, owners: list[Value]) -> bool:
    """Return whether an object may be one of those that a call is of; none at all is any."""
    return (
        instance is None
        or not owners
        or any(
            not isinstance(value, Instance)
            or None in (value.call, instance.call)
            or (value.call is instance.call and _made_in_one_call(value, instance))
            for value in owners
        )
    )


def _made_in_one_call(one: Instance, other: Instance) -> bool:
    """Return whether the function that makes two objects, `Recorder.of(...)`, may be called once for both."""
    here, there = one.frame, other.frame
    while here is not None and there is not None and here is not there:
        if None in (here.call, there.call):
            return True  # any caller
        if here.call is not there.call:
            return False
        here, there = here.caller, there.caller
    return True


def _calls_on_others(module: Module) -> dict[str, list[ast.Call]]:
    """Return the calls of methods by name, but for those of a method's own object."""
    found: dict[str, list[ast.Call]] = {}
    for call in module.calls:
        if isinstance(call.func, ast.Attribute) and not _is_own(call.func.value):
            found.setdefault(call.func.attr, []).append(call)
    return found


def _shown(module: Module) -> dict[str, list[ast.expr]]:
    """Return the expressions of which a module prints or formats the values, all under one key."""
    found: list[ast.expr] = []
    for call in module.calls:
        match call.func:
            case ast.Name(id=name) if name in _SHOW:
                found += call.args
            case ast.Attribute(attr=name) if name in LOG_METHODS or name == "format":
                found += call.args
    found += [each.value for each in module.nodes(ast.FormattedValue)]
    for each in module.nodes(ast.BinOp):
        if isinstance(each.op, ast.Mod) and isinstance(each.left, (ast.Constant, ast.JoinedStr)):
            found += each.right.elts if isinstance(each.right, ast.Tuple) else [each.right]
    return {"": found}


def _is_own(owner: ast.expr) -> bool:
    """Return whether a method's own object is meant; `super().x()` of a subclass may be a worker's."""
    return _id(owner.func if isinstance(owner, ast.Call) else owner) in ("self", "cls", "super")


def _started_in_workers_of(module: Module) -> frozenset[str]:
    return frozenset(
        keyword.value.id
        for keyword in module.of_kind(ast.keyword)
        if keyword.arg in ("worker_init_fn", "initializer") and isinstance(keyword.value, ast.Name)
    )


def _calls_with(module: Module) -> Named[str, ast.Call]:
    """Return the calls of a module by the names they get first, or under a keyword."""
    return module.table(_given_names, scan.may_give)


def _given_names(module: Module) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for call in module.calls:
        for name in dict.fromkeys(last_name(each) for each in _given(call)):
            found.setdefault(name, []).append(call)
    return found


def _around_partials(module: Module, call: ast.Call, name: str) -> tuple[ast.Call, ast.expr | None]:
    """Return the call that takes what has a name, also in a partial, and what that is there."""
    given = next((each for each in _given(call) if last_name(each) == name), None)
    if last_name(call.func) == "partial" and given is not None and given in call.args:
        above = _call_taking(module, call)
        return (above, call) if above is not None else (call, None)
    return call, given


def _call_taking(module: Module, node: ast.expr) -> ast.Call | None:
    """Return the call that an expression is an argument of."""
    above = module.parent(node)
    if isinstance(above, ast.keyword):
        above = module.parent(above)
        return above if isinstance(above, ast.Call) else None
    return above if isinstance(above, ast.Call) and node in above.args else None


def _parameter_for(function: Def, call: ast.Call, given: ast.expr, *, skipped: bool) -> str:
    """Return the parameter that gets an argument of a call; empty where that is not clear."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if any(isinstance(each, ast.Starred) for each in call.args):
        return ""
    by_place = zip(names[1 if skipped else 0 :], call.args, strict=False)
    by_name = ((keyword.arg or "", keyword.value) for keyword in call.keywords)
    return next((name for name, value in (*by_place, *by_name) if value is given), "")


def _given(call: ast.Call) -> list[ast.expr]:
    """Return what a call passes first, or under a keyword."""
    named = (keyword.value for keyword in call.keywords if keyword.arg is not None)
    return [*call.args[:1], *named]


def _started_in_workers(module: Module) -> frozenset[str]:
    """Return the names of the functions that a module gives to loaders and pools, to start workers with."""
    return module.answer(_started_in_workers_of)


def _inside(module: Module, node: ast.AST, classes: set[ast.ClassDef]) -> bool:
    return any(above in classes for above in module.ancestors(node))


@summary
def used_on_self(node: Def) -> frozenset[str]:
    """Return the attributes a method reads on its own object, and the protocols it uses on it."""
    return frozenset(_uses(node, first_parameter(node)))


@kept
def _only_calls(node: Def, name: str) -> bool:
    """Return whether a method does nothing with another of its object but call it, itself and at once."""
    if name not in used_on_self(node):
        return True
    called = {
        inner.func
        for statement in node.body
        for inner in _run_at_once(statement)
        if isinstance(inner, ast.Call)
    }
    return all(
        inner in called
        for inner in walk(node)
        if isinstance(inner, ast.Attribute) and inner.attr == name
    )


def _run_at_once(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those below it, but for what definitions and lambdas leave for later."""
    yield node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        for child in children(node):
            yield from _run_at_once(child)


@summary
def _hands_on(node: Def) -> bool:
    """Return whether a method passes its object, or a part of it, to code that is no builtin."""
    names = _names_of_parts(node)
    return any(_is_part(given, names) for given in _handed(node))


def _names_of_parts(node: Def) -> set[str]:
    """Return the names of a method's object and of its parts: `for row in self.rows`."""
    names = {first_parameter(node)}
    for inner in walk(node):
        match inner:
            case ast.For(target=target, iter=given) | ast.comprehension(target=target, iter=given):
                pass
            case ast.Assign(targets=[ast.Name() as target], value=given):
                pass
            case _:
                continue
        if isinstance(target, ast.Name) and _is_part(given, names):
            names.add(target.id)
    return names


def _is_part(given: ast.expr, names: AbstractSet[str]) -> bool:
    """Return whether an expression is a named object, an attribute or item of it, or a display with one."""
    match given:
        case ast.Name(id=name):
            return name in names
        case ast.Attribute(value=owner) | ast.Subscript(value=owner) | ast.Starred(value=owner):
            return _is_part(owner, names)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Dict(values=items):
            return any(_is_part(item, names) for item in items)
    return False


def _is_seen_between(node: Def, methods: Collection[str]) -> bool:
    """Return whether other code may run, and see the object, between two calls that a method makes.

    It yields, hands its object or a method of it on, or goes through something that it keeps: a loader.
    """
    me = first_parameter(node)
    for inner in walk(node):
        match inner:
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                return True
            case ast.For(iter=source) | ast.comprehension(iter=source):
                if is_attribute_of(source, me):
                    return True
    return _hands_itself_on(node, methods)


def _hands_itself_on(node: Def, methods: Collection[str]) -> bool:
    """Return whether a method passes its object, or a method of it, to code that is no builtin."""
    me = first_parameter(node)
    return any(
        is_name(given, me) or (is_attribute_of(given, me) and given.attr in methods)
        for given in _handed(node)
    )


def _gives_itself_away(node: Def, methods: Collection[str]) -> bool:
    """Return whether a method hands its object on, returns or keeps it, or makes a function that holds it."""
    me = first_parameter(node)
    if _hands_itself_on(node, methods):
        return True
    for inner in walk(node):
        kept: Iterable[ast.AST | None] = ()
        match inner:
            case ast.Assign(value=value) | ast.Return(value=value) | ast.Yield(value=value):
                kept = [value]
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                kept = items
            case ast.Dict(values=items):
                kept = items
            case ast.Lambda() | ast.FunctionDef() if inner is not node:
                kept = walk(inner)
        if any(_is_object_or_method(each, me, methods) for each in kept):
            return True
    return False


def _is_object_or_method(node: ast.AST | None, me: str, methods: Collection[str]) -> bool:
    return is_name(node, me) or (is_attribute_of(node, me) and node.attr in methods)


@summary
def passes_on(node: Def) -> bool:
    """Return whether a function passes one of its parameters to code that is no builtin."""
    given = node.args
    names = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return any(_id(each) in names for each in _handed(node))


def _handed(node: Def) -> Iterator[ast.expr]:
    """Yield what the calls in a function pass to code that is no builtin, nor its own class."""
    for call in walk(node):
        if isinstance(call, ast.Call) and not _is_own_maker(call.func):
            yield from call.args
            yield from (keyword.value for keyword in call.keywords)


def _is_own_maker(func: ast.expr) -> bool:
    """Return whether a callee is a builtin, or makes an object of the class: `cls.of(...)`."""
    owner = func.value if isinstance(func, ast.Attribute) else func
    match owner:
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            return True
    return is_name(owner, "cls") or hasattr(builtins, _id(func))


def _uses(node: Def, me: str) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.Attribute):
            if is_attribute_of(inner, me) or is_super(inner.value):
                yield inner.attr
        elif (used := protocol_used(inner, frozenset({me}))) is not None:
            yield used


def _is_context_manager(node: Def) -> bool:
    return "contextmanager" in decorators(node)


def _restores(node: Def) -> bool:
    """Return whether a context manager sets all attributes again, in the end, that it sets for a `with` block."""
    tried = [each for each in node.body if isinstance(each, ast.Try)]
    if not tried or not any(isinstance(each, ast.Yield) for each in walk(tried[-1])):
        return False
    last = tried[-1]
    others = [each for each in node.body if each is not last]
    set_for_a_while = [*others, *last.body, *last.handlers, *last.orelse]
    set_again = {name for each in last.finalbody for name in _set_by(each)}
    return {name for each in set_for_a_while for name in _set_by(each)} <= set_again


def _set_by(statement: ast.AST) -> Iterator[str]:
    """Yield the attributes of its object that a statement of a method sets; for a name that is not known, its text."""
    for node in walk(statement):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(func=ast.Name(id="setattr"), args=[_, name, _]):
                yield str(name.value) if isinstance(name, ast.Constant) else ast.unparse(name)


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == name


def _is_named(item: ast.withitem, name: str) -> bool:
    """Return whether a name is what an item of a `with` calls a method of, or what the item binds."""
    owner = getattr(item.context_expr, "func", item.context_expr)
    bound = item.optional_vars
    return is_name(getattr(owner, "value", owner), name) or (
        bound is not None and is_name(bound, name)
    )


def closure(entries: Iterable[str], calls: dict[str, set[str]]) -> set[str]:
    """Return the methods that some run, by which method uses which, those included."""
    reached: set[str] = set()
    pending = list(entries)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += calls.get(name, ())
    return reached


def leading(names: AbstractSet[str], calls: Mapping[str, AbstractSet[str]]) -> set[str]:
    """Return the methods that run one of some, by which method uses which, those included."""
    found = {*names}
    while more := {n for n, used in calls.items() if n not in found and used & found}:
        found |= more
    return found


def _id(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


__all__ = ["PARENT", "RoleReader", "Roles"]


def _binds(node: ast.AST, owner: str) -> bool:
    """Return whether a node binds the name by which an object goes, or that it hangs from."""
    stored = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    return stored and owner.partition(".")[0] == node.id  # type: ignore[attr-defined]


def _reset_by(method: Def | None) -> frozenset[str]:
    """Return the attributes that a method sets to None on its object: in any case, or where they are set."""
    if method is None or isinstance(method, ast.Lambda):
        return frozenset()
    return frozenset(_resets(method.body, first_parameter(method) or ""))


def _resets(body: list[ast.stmt], me: str) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.Assign(targets=targets, value=value) if is_none(value):
                yield from (each.attr for each in targets if is_attribute_of(each, me))
            case ast.If(test=test, body=inner, orelse=[]):
                asked = {each.attr for each in walk(test) if is_attribute_of(each, me)}
                yield from asked.intersection(_resets(inner, me))
            case ast.With(body=inner) | ast.Try(body=inner):
                yield from _resets(inner, me)
                yield from _resets(getattr(statement, "finalbody", []), me)
