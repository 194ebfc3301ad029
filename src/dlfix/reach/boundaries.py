"""Finding boundaries: the calls, and the dataset classes, through which objects come to workers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeGuard

from dlfix.catalog import BoundaryRow, Catalog
from dlfix.project import scan
from dlfix.project.module import Module
from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.callers import is_unsaid
from dlfix.reach.conditions import is_dead
from dlfix.reach.crossing import Boundary, Branch, branches_of
from dlfix.reach.forwarded_calls import names_handed_on
from dlfix.reach.methods import calls_base
from dlfix.reach.named_elsewhere import INSTANTIATE
from dlfix.reach.predicates import agreed
from dlfix.reach.progress import Tell, silent, told
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Derived,
    External,
    ExternalCall,
    Frame,
    Instance,
    ModuleValue,
    Partial,
    Reached,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator


_OWN = ("self", "cls")
_SHIPPING = ("loader", "process", "pool", "executor", "context", "ctx")  # in names of what ships
_SUPER = "super of "  # and the name of the class


class Boundaries:
    """Looks through the files that mention a boundary's or a dataset's name."""

    def __init__(self, interpreter: Evaluator, tell: Tell = silent) -> None:
        self.interpreter = interpreter
        self._tell = tell
        self.catalog = interpreter.catalog
        rows = [row for row in self.catalog.rows("boundary") if isinstance(row, BoundaryRow)]
        self._names = {name for row in rows for name in _last_names(row)}
        self._kinds = {row.name: row for row in rows}
        self._members: AbstractSet[str] = frozenset()  # other names of loaders and processes
        self.idle: list[Boundary] = []  # boundaries as they are for callers that ask for no workers

    @cached_property
    def modules(self) -> list[Module]:
        """Return the modules worth reading: their code may use a word of the catalogue."""
        project = self.interpreter.project
        found = (project.get(path) for path in project.using(self.catalog.words))
        return [module for module in found if module is not None]

    def calls(self) -> Iterator[Boundary]:
        """Yield every call that ships objects to another process."""
        seen: set[ast.AST] = set()
        modules = self.modules
        own = self._names - self._methods_of_none()
        names = own | self._subclasses(modules) | self._bound_partials(modules)
        users = [*modules, *self._users(names - self._names)]
        self._members = self._exported(list(dict.fromkeys(users)), names)
        names |= self._members
        if self.interpreter.named_elsewhere.names_loaders:
            names |= {name.rpartition(".")[2] for name in INSTANTIATE}
        handed = names_handed_on(self.interpreter.project, modules, names)
        methods = self._methods_of_pools(modules)
        users += self._users(names - self._names)
        users += [
            module
            for module in self._users(methods)
            if any(module.may(scan.may_call_on, method) for method in methods)
        ]
        pending = list(dict.fromkeys([*users, *handed]))
        for module in told("looking for loaders", pending, self._tell):
            here = names | _aliases(module, names) | handed.get(module, set())
            for call in self._candidates(module, here):
                if call not in seen:
                    seen.add(call)
                    yield from self._boundary(call, module, handed.get(module, frozenset()))
            yield from self._partials(module, here, seen)
            yield from self._stores(module)

    def _stores(self, module: Module) -> Iterator[Boundary]:
        """Yield what assignments send to a manager that their module makes or names: `shared[key] = value`."""
        if not any(map(module.says, self._stored_into)):
            return
        for value, targets in _assignments(module):
            for target in targets if not isinstance(value, ast.Constant) else ():
                if value is None or not _may_be_sent(target):
                    continue
                frame = self.interpreter.frame_at(module, target)
                method = "__setitem__" if isinstance(target, ast.Subscript) else "__setattr__"
                rows = (
                    self.catalog.boundary(f"{self._type_of(held)}.{method}")
                    for held in self.interpreter.values_at(target.value, frame)
                )
                row = next(filter(None, rows), None)
                if row is not None and not is_dead(target, frame, self.interpreter):
                    sent: dict[str, Argument] = {"value": Bound(value, frame)}
                    yield Boundary(row.kind, target, frame, sent, True, None, row)

    @cached_property
    def _stored_into(self) -> list[str]:
        """The names of what makes objects of another process to which assignments send, where a file names one."""
        types = {owner for owner, method in self._methods() if method.startswith("__set")}
        if types.isdisjoint(self._made_types):
            return []
        makers = {row.name.rpartition(".")[0] for row in self._kinds.values() if row.type in types}
        rows = [row for row in self._kinds.values() if row.type in makers]
        return sorted({name for row in rows for name in _last_names(row)})

    def _candidates(self, module: Module, names: AbstractSet[str]) -> list[ast.Call]:
        """Return the calls that are written with one of some names, or run a constructor of a boundary."""
        table = module.table(_calls_by_last_name)
        keys = [*names, _SUPER]
        for name in dict.fromkeys(node.name for node in module.classes):
            if f"{_SUPER}{name}" in table and self._may_derive(name, module):
                keys.append(f"{_SUPER}{name}")
        found = {
            call: None
            for key in keys
            for call in table.get(key, ())
            if self._may_copy(call, module)
        }
        return module.in_order(found)

    def _may_copy(self, call: ast.Call, module: Module) -> bool:
        """Return whether a call of another object's class, `type(x)(...)`, looks like one that ships: by what it passes, or by `x`."""
        copied = _copied(call.func)
        if copied is None or (copied in _OWN and _class_around(call, module)):
            return True
        given = {keyword.arg for keyword in call.keywords}
        return not given.isdisjoint(self._options) or any(
            word in copied.lower() for word in _SHIPPING
        )

    @cached_property
    def _options(self) -> frozenset[str]:
        return frozenset(name for row in self._kinds.values() for name in row.parameters)

    def _may_derive(self, name: str, module: Module) -> bool:
        """Return whether a class of a name may derive from a boundary."""
        classes = (self._class(node, module) for node in module.classes if node.name == name)
        return any(
            not isinstance(base, Class)
            and not (isinstance(base, External) and self.catalog.boundary(base.name) is None)
            for cls in classes
            for base in self.interpreter.instances.mro(cls)
        )

    def _subclasses(self, modules: list[Module]) -> set[str]:
        """Return the names of classes of the tree that derive from a loader, through any of its classes."""
        found: set[str] = set()
        names: AbstractSet[str] = self._names
        while modules:
            fresh = {
                node.name
                for module in modules
                for node in module.classes
                if node.name not in found
                and any(_mentions(base, names) for base in node.bases)
                and self._loader_base(self._class(node, module)) is not None
            }
            found |= fresh
            names, modules = fresh, list(dict.fromkeys(self._users(fresh)))
        return found

    def _bound_partials(self, modules: list[Module]) -> set[str]:
        """Return the names that modules give to `partial(DataLoader, ...)`."""
        return {
            target.id
            for module in modules
            for call in module.calls_by_name.get("partial", ())
            if call.args and _called_one_of(call.args[0], self._names)
            for target in getattr(module.parent(call), "targets", ())
            if isinstance(target, ast.Name)
        }

    def _methods_of_pools(self, modules: list[Module]) -> set[str]:
        """Return the methods by which other modules may send to pools and executors that some modules make."""
        made = {
            row.type
            for row in self._kinds.values()
            if row.kind in ("Pool", "Executor")
            and any(name in module.calls_by_name for name in _last_names(row) for module in modules)
        }
        return {method for owner, method in self._methods() if owner in made}

    def _methods_of_none(self) -> set[str]:
        """Return the methods of objects that no file names the maker of: `submit` without an executor."""
        named = self._made_types
        makers = {row.type for row in self._kinds.values() if row.type}
        missing = makers - named
        absent = {method for owner, method in self._methods() if owner in missing}
        return absent - {
            name
            for row in self._kinds.values()
            for name in _last_names(row)
            if row.name.rpartition(".")[0] not in missing
        }

    @cached_property
    def _made_types(self) -> set[str]:
        """The types of which files name a maker; of a method that makes one, what has it too: `Manager().list()`."""
        mentions = self.interpreter.project.mentions
        types = {row.type for row in self._kinds.values() if row.type}
        naming = [
            row for row in self._kinds.values() if row.type and any(map(mentions, _last_names(row)))
        ]
        found: set[str] = set()
        while (
            fresh := {
                row.type
                for row in naming
                if (owner := row.name.rpartition(".")[0]) not in types or owner in found
            }
            - found
        ):
            found |= fresh
        return found

    def _methods(self) -> Iterator[tuple[str, str]]:
        """Yield the methods that ship objects, each after the type that has it."""
        makers = {row.type for row in self._kinds.values()}
        for name in self._kinds:
            owner, _, method = name.rpartition(".")
            if owner in makers:
                yield owner, method

    def _exported(self, modules: list[Module], names: set[str]) -> set[str]:
        """Return the names that other modules may know a loader under: `DataLoader as Loader`, `self.kind`."""
        found: set[str] = set()
        looked: set[Module] = set()
        while modules := [module for module in modules if module not in looked]:
            looked |= {*modules}
            fresh = {
                name
                for module in modules
                for name in _aliases(module, names | found) - names - found
                if _is_kept(name, module)
            }
            found |= fresh
            modules = [*self._users(fresh)]
        return found

    def _users(self, names: set[str]) -> Iterator[Module]:
        for name in sorted(names):
            yield from self.interpreter.project.mentions(name)

    def _class(self, node: ast.ClassDef, module: Module) -> Class:
        return self.interpreter.class_value(node, self.interpreter.frame_at(module, node))

    def _loader_base(self, cls: Class) -> BoundaryRow | None:
        for base in self.interpreter.instances.outside_bases(cls):
            row = self.catalog.boundary(base.name)
            if row is not None and row.kind in ("DataLoader", "Process", "Trainer"):
                return row
        return None

    def _boundary(
        self, call: ast.Call, module: Module, handed: AbstractSet[str]
    ) -> Iterator[Boundary]:
        frame = self.interpreter.frame_at(module, call)
        found = list(self._boundary_in(call, frame))
        if not found and _last_name(call) in handed:  # an object keeps it: `self.run(job)`
            contexts = self.interpreter.contexts.of(frame).frames
            ways = (list(self._boundary_in(call, at)) for at in contexts if at is not frame)
            found = next(filter(None, ways), [])
        if (
            not found and _last_name(call) in self._members
        ):  # subclasses may say which: `self.KIND()`
            for inherited in self.interpreter.contexts.inherited(frame):
                found += self._boundary_in(call, inherited) if inherited is not frame else []
        yield from found

    def _boundary_in(self, call: ast.Call, frame: Frame) -> Iterator[Boundary]:
        # most calls of a pool's `apply` or `map` are something else's
        callees = self.interpreter.evaluate(call.func, frame)
        shipping = [one for one in callees if self._ships_or_instantiates(one.value)]
        others = [one for one in callees if one not in shipping]
        for reached in shipping:
            arguments = self.interpreter.calls.arguments(call, frame)
            row, merged, value = self._row(reached.value, arguments, call, frame)
            if row is not None and is_dead(call, frame, self.interpreter):
                return
            if row is not None:
                made = self._made(row, call, frame, merged, value)
                made = replace(made, elsewhere=_branches(others) - _branches(shipping))
                yield self._in_contexts(made, reached.value)
                return

    def _in_contexts(self, boundary: Boundary, callee: Value) -> Boundary:
        """Return a boundary with what its callers, and subclasses of its class, pass to it."""
        assert isinstance(boundary.node, ast.Call)
        parts: list[Boundary] = []
        for frame in self.interpreter.contexts.inherited(boundary.frame):
            same = frame is boundary.frame
            one = boundary if same else self._read(callee, boundary.node, frame)
            parts += self._kept(one, callee, frame) if one is not None else []
        if parts == [boundary]:
            return boundary
        together: dict[str, Argument] = {}
        for index, one in enumerate(parts):
            for name, argument in one.arguments.items():
                together[f"{name}[{index}]" if name in together else name] = argument
        workers = agreed([one.workers for one in parts]) if parts else False
        return replace(boundary, arguments=together or boundary.arguments, workers=workers)

    def _kept(self, boundary: Boundary, callee: Value, frame: Frame) -> list[Boundary]:
        """Return a boundary as it is for those callers that may start workers.

        What they call may differ as well: some pass a context of their own, whose `Process` starts none.
        """
        if boundary.workers is False:
            self.idle.append(boundary)
            return []
        call = boundary.node
        assert isinstance(call, ast.Call)
        is_sure = all(
            map(self._ships_or_instantiates, self.interpreter.values_at(call.func, frame))
        )
        is_spread = self._is_spread(call, frame)
        if is_sure and not is_spread and not self._may_start_none(boundary):
            return [boundary]
        contexts = self.interpreter.contexts.of(frame)
        read = [
            self._read(callee, call, at) if is_sure or self._may_ship(call, at) else None
            for at in contexts.frames
        ]
        kept = [one for one in read if one is not None and one.workers is not False]
        self.idle += [one for one in read if one is not None and one.workers is False]
        if not contexts.frames or (len(kept) == len(contexts.frames) and not is_spread):
            return [boundary]
        if contexts.other is not None:
            others = self._read(callee, call, contexts.other)
            kept += [others] if others is not None else []
        return kept

    def _is_spread(self, call: ast.Call, frame: Frame) -> bool:
        """Return whether callers pass on by `*args` what is only known for each of them."""
        starred = any(isinstance(each, ast.Starred) for each in call.args)
        return starred and self.interpreter.calls.arguments(call, frame).more_positional

    def _may_ship(self, call: ast.Call, frame: Frame) -> bool:
        """Return whether what a call calls in a frame may be something that ships objects."""
        callees = self.interpreter.values_at(call.func, frame)
        return not callees or any(map(self._ships_or_instantiates, callees))

    def _ships_or_instantiates(self, callee: Value) -> bool:
        return self._ships(callee) or _instantiates(callee)

    def _read(self, callee: Value, call: ast.Call, frame: Frame) -> Boundary | None:
        arguments = self.interpreter.calls.arguments(call, frame)
        row, merged, value = self._row(callee, arguments, call, frame)
        return self._made(row, call, frame, merged, value) if row is not None else None

    def _may_start_none(self, boundary: Boundary) -> bool:
        """Return whether some caller is seen to ask for no workers, or may leave their number out."""
        row = boundary.row
        argument = boundary.arguments.get(row.workers) if row is not None and row.workers else None
        if row is not None and row.workers and _comes_by_mapping(boundary.node, row.workers):
            return row.default_workers in row.no_workers
        return row is not None and any(
            isinstance(value, Constant) and value.value in row.no_workers
            for value in self.interpreter.values(argument)
        )

    def _ships(self, callee: Value) -> bool:
        """Return whether calling a value ships objects, whatever it is called with."""
        return self.row_of(callee) is not None

    def row_of(self, callee: Value) -> BoundaryRow | None:
        """Return the row of what calling a value ships; None where it ships nothing."""
        if isinstance(callee, Partial):
            return self.row_of(callee.function)
        if isinstance(callee, External):
            return self.catalog.boundary(callee.name.removesuffix(".__init__"))
        if isinstance(callee, ModuleValue):
            return self.catalog.boundary(callee.name)
        if isinstance(callee, Derived):
            return self._method_row(callee)
        return self._loader_base(callee) if isinstance(callee, Class) else None

    def _starts_none(self, cls: Class) -> bool:
        """Return whether the `start` of a class of processes runs all itself: it neither calls the base's nor a `Popen`."""
        start = self.interpreter.instances.method(cls, "start")
        if start is None:
            return False
        return not any(
            "popen" in str(last_name(node)).lower() or _is_start_of_base(node)
            for node in walk(start.node)
        )

    def _row(
        self, callee: Value, arguments: Arguments, call: ast.Call, frame: Frame
    ) -> tuple[BoundaryRow | None, Arguments, Value | None]:
        if isinstance(callee, Partial):
            row, merged, value = self._row(callee.function, callee.arguments, call, frame)
            positional = (*merged.positional, *arguments.positional)
            both = Arguments(positional, {**merged.keywords, **arguments.keywords})
            return row, both, value
        if _instantiates(callee):
            return self._instantiated(arguments, call, frame)
        if isinstance(callee, External):
            row = self.catalog.boundary(callee.name.removesuffix(".__init__"))
            if row is not None and callee.name.endswith(".__init__") and not _is_super(call):
                arguments = Arguments(arguments.positional[1:], arguments.keywords)
            return row, arguments, None
        if isinstance(callee, ModuleValue):
            return self.catalog.boundary(callee.name), arguments, None
        if isinstance(callee, Derived):
            row = self._method_row(callee)
            if row is not None and row.through and not self._goes_to_a_pool(row, arguments):
                return None, arguments, None
            return row, self._with_kept(callee, row, arguments), None
        if isinstance(callee, Class):
            return self._subclass(callee, arguments, call, frame)
        return None, arguments, None

    def _instantiated(
        self, arguments: Arguments, call: ast.Call, frame: Frame
    ) -> tuple[BoundaryRow | None, Arguments, Value | None]:
        """Return the row of the loader that a YAML file names."""
        targets = self.interpreter.named_elsewhere.fitting(arguments, call, frame)
        for callee, given, is_partial in targets:
            if not is_partial and self._ships(callee):
                return self._row(callee, given, call, frame)
        return None, arguments, None

    def _method_row(self, method: Derived) -> BoundaryRow | None:
        """Return the row of a method of a context, pool or executor: `get_context().Pool().map`."""
        origin = method.origin
        if isinstance(origin, Derived) and not origin.called and origin.how == "__getitem__":
            origin = origin.origin  # an end of a pipe: `mine, theirs = Pipe()`
        owner = self._type_of(origin)
        return self.catalog.boundary(f"{owner}.{method.how}") if owner else None

    def _type_of(self, made: Value) -> str:
        """Return the type of what a call of a row's gives; empty for other values."""
        row = None
        if isinstance(made, ExternalCall):
            row = self.catalog.boundary(made.name)
        elif isinstance(made, Derived) and made.called:
            row = self._method_row(made)
        return row.type if row is not None else ""

    def _goes_to_a_pool(self, row: BoundaryRow, arguments: Arguments) -> bool:
        """Return whether a call is passed a pool of processes to send to: `loop.run_in_executor(pool, f)`."""
        passed = arguments.get(row.position(row.through), row.through)
        return any(
            isinstance(each, ExternalCall)
            and (pool := self.catalog.boundary(each.name)) is not None
            and pool.kind == row.kind
            for each in self.interpreter.values(passed)
        )

    def _with_kept(
        self, method: Derived, row: BoundaryRow | None, arguments: Arguments
    ) -> Arguments:
        """Return the arguments of a method, with what its object was made with and the method sends."""
        made = method.origin
        above = self.catalog.boundary(made.name) if isinstance(made, ExternalCall) else None
        if row is None or above is None or not isinstance(made, ExternalCall):
            return arguments
        given = dict(zip(above.parameters, made.arguments.positional, strict=False))
        given.update(made.arguments.keywords)
        sent = set(row.crosses) - set(row.parameters)
        kept = {name: each for name, each in given.items() if name in sent}
        return Arguments(
            arguments.positional,
            {**kept, **arguments.keywords},
            arguments.more_positional,
            arguments.more_keywords,
        )

    def _subclass(
        self, cls: Class, arguments: Arguments, call: ast.Call, frame: Frame
    ) -> tuple[BoundaryRow | None, Arguments, Value | None]:
        row = self._loader_base(cls)
        if row is None or (row.kind == "Process" and self._starts_none(cls)):
            return None, arguments, None
        method = _called_at_once(call, frame.module) if row.self_crosses else None
        if method is not None and not self.interpreter.roles.may_start_by(cls, method):
            return None, arguments, None
        instance = Instance(cls, call, frame, arguments)
        init = self.interpreter.instances.method(cls, "__init__")
        if row.self_crosses:
            made = self.interpreter.calls.made(call, frame, lambda: instance, cls)
            return row, arguments if init is None else Arguments(), made
        if init is None:
            return row, arguments, None
        if calls_base(init, "__init__"):
            return None, arguments, None  # its own call of the base is the boundary
        return self.catalog.boundary(f"{cls.module.name}.{cls.name}"), arguments, None

    def _made(
        self, row: BoundaryRow, call: ast.Call, frame: Frame, given: Arguments, value: Value | None
    ) -> Boundary:
        arguments: dict[str, Argument] = {}
        for index, argument in enumerate(given.positional):
            name = row.parameters[index] if index < len(row.parameters) else row.star
            if name:
                arguments[name if name not in arguments else f"{name}[{index}]"] = argument
        arguments.update(given.keywords)
        unsure = given.more_positional or given.more_keywords
        workers = self._workers(row, arguments, unsure)
        return Boundary(row.kind, call, frame, arguments, workers, value, row)

    def _workers(
        self, row: BoundaryRow, arguments: dict[str, Argument], unsure: bool
    ) -> bool | None:
        if not row.workers:
            return True
        if row.workers_in:
            return self._workers_in(row, arguments)
        given = [a for name, a in arguments.items() if name.partition("[")[0] == row.workers]
        if not given:
            if row.default_workers is None or unsure:
                return None
            return row.default_workers not in row.no_workers
        counts = [reached for argument in given for reached in self.interpreter.reached(argument)]
        known = [r.value.value for r in counts if isinstance(r.value, Constant)]
        if len(known) < len(counts) or not known or any(map(is_unsaid, counts)):
            return True if any(k not in row.no_workers for k in known) else None
        started = [k not in row.no_workers for k in known]
        if not any(started) and any(self._is_given_otherwise(each, row) for each in given):
            return None
        if not any(started) and any(
            self._is_set_otherwise(*each, row) for each in _read(given, counts)
        ):
            return None
        return started[0] if all(s == started[0] for s in started) else None

    def _is_given_otherwise(self, count: Argument, row: BoundaryRow) -> bool:
        """Return whether a number is a field's default, of an object that other code makes with a number."""
        if not isinstance(count, Bound) or not isinstance(count.node, ast.Attribute):
            return False
        option = count.node.attr
        owners = {
            each.cls
            for each in self.interpreter.values_at(count.node.value, count.frame)
            if isinstance(each, Instance) and each.call is None
        }
        with_field = {cls for cls in owners if option in self.interpreter.instances.fields(cls)}
        return bool(with_field) and any(
            keyword.arg == option
            and getattr(keyword.value, "value", None) not in row.no_workers
            and with_field & {*self._classes_called(module, call)}
            for module in self.interpreter.project.mentions(option)
            for call in module.calls
            for keyword in call.keywords
        )

    def _is_set_otherwise(self, module: Module, read: ast.Attribute, row: BoundaryRow) -> bool:
        """Return whether other code sets a number on such an object: `config.workers = args.workers`."""
        return any(
            getattr(value, "value", None) not in row.no_workers
            for value in self.interpreter.instances.values_set_elsewhere(module, read)
        )

    def _classes_called(self, module: Module, call: ast.Call) -> Iterator[Class]:
        """Yield the class that a call makes an object of, and its bases."""
        for value in self.interpreter.values_at(call.func, self.interpreter.frame_at(module, call)):
            if isinstance(value, Class):
                bases = self.interpreter.instances.mro(value)
                yield from (each for each in bases if isinstance(each, Class))

    def _workers_in(self, row: BoundaryRow, arguments: dict[str, Argument]) -> bool | None:
        for value in self.interpreter.values(arguments.get(row.workers_in)):
            if isinstance(value, ExternalCall):
                given = value.arguments.get(None, row.workers)
                if given is None:
                    return False
                known = [v for v in self.interpreter.values(given) if isinstance(v, Constant)]
                return bool(known[0].value) if len(known) == 1 else None
        return None

    def _partials(self, module: Module, names: set[str], seen: set[ast.AST]) -> Iterator[Boundary]:
        """Yield `partial(DataLoader, collate_fn=...)`, and `pipe.iter(DataLoader, ...)` of a library: what it binds will cross."""
        for call in module.calls if any(map(module.says, names)) else ():
            if not call.args or call in seen or not _called_one_of(call.args[0], names):
                continue
            frame = self.interpreter.frame_at(module, call)
            if last_name(call.func) != "partial":
                yield from self._called_out_of_view(call, frame)
                continue
            for reached in self.interpreter.evaluate(call, frame):
                value = reached.value
                if not isinstance(value, Partial) or not isinstance(value.function, External):
                    continue
                row = self.catalog.boundary(value.function.name)
                if row is not None:
                    yield self._made(row, call, frame, value.arguments, None)

    def _called_out_of_view(self, call: ast.Call, frame: Frame) -> Iterator[Boundary]:
        """Yield a loader that code out of view makes of what a call passes with it, workers among that."""
        given = self.interpreter.calls.arguments(call, frame)
        callees = self.interpreter.values_at(call.func, frame)
        if not given.positional or not all(is_out_of_view(each, self.catalog) for each in callees):
            return
        rest = Arguments(given.positional[1:], given.keywords)
        for value in self.interpreter.values(given.positional[0]):
            row = self.catalog.boundary(value.name) if isinstance(value, External) else None
            if row is not None and row.workers and row.workers in rest.keywords:
                made = self._made(row, call, frame, rest, None)
                if made.workers and not is_dead(call, frame, self.interpreter):
                    yield made

    # Dataset classes

    def dataset_classes(self) -> Iterator[Class]:
        """Yield the classes of the tree that derive from a dataset of the catalogue."""
        found: dict[ast.ClassDef, Class] = {}
        modules = self.modules
        names = {row.name.rpartition(".")[2] for row in self.catalog.rows("dataset")}
        while modules:
            fresh: set[str] = set()
            for module in modules:
                for node in module.deriving_classes:
                    if node in found or not any(_mentions(base, names) for base in node.bases):
                        continue
                    cls = self._class(node, module)
                    if self.is_dataset(cls):
                        found[node] = cls
                        fresh.add(node.name)
            names = fresh
            modules = list(dict.fromkeys(self._users(fresh)))
        yield from found.values()

    def is_dataset(self, cls: Class) -> bool:
        """Return whether a class derives from a dataset of the catalogue."""
        return any(
            self.catalog.dataset(base.name) is not None
            for base in self.interpreter.instances.outside_bases(cls)
        )


def is_out_of_view(callee: Value, catalog: Catalog) -> bool:
    """Return whether nothing is known of a callee: neither its code nor a row of the catalogue."""
    if isinstance(callee, (External, ExternalCall)):
        return not catalog.knows(callee.name)
    if isinstance(callee, Derived):
        return is_out_of_view(callee.origin, catalog)
    return isinstance(callee, Unknown)


def _may_be_sent(target: ast.expr) -> TypeGuard[ast.Subscript | ast.Attribute]:
    """Return whether an assignment may be to an object that is not the method's own."""
    if not isinstance(target, (ast.Subscript, ast.Attribute)):
        return False
    return not (isinstance(target.value, ast.Name) and target.value.id in _OWN)


def _called_at_once(call: ast.Call, module: Module) -> str | None:
    """Return the method that code calls on an object which it does not keep: `Job(path).run()`."""
    method = module.parent(call)
    if not isinstance(method, ast.Attribute):
        return None
    above = module.parent(method)
    return method.attr if isinstance(above, ast.Call) and above.func is method else None


def _is_start_of_base(node: ast.AST) -> bool:
    """Return whether a node names the `start` of a class: `super().start`, `Process.start`."""
    if not isinstance(node, ast.Attribute) or node.attr != "start":
        return False
    owner = node.value.func if isinstance(node.value, ast.Call) else node.value
    name = last_name(owner)
    return name == "super" or name[:1].isupper()


def _instantiates(callee: Value) -> bool:
    return isinstance(callee, External) and callee.name in INSTANTIATE


def _last_names(row: BoundaryRow) -> set[str]:
    return {name.rpartition(".")[2] for name in (row.name, *row.aliases)}


def _read(
    given: list[Argument], counts: Iterable[Reached]
) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yield the attributes that a number was read from, on its way to the call."""
    places: list[tuple[Module, ast.AST]] = [
        (one.frame.module, one.node) for one in given if isinstance(one, Bound)
    ]
    places += [(step.module, step.node) for one in counts for step in one.steps]
    for module, node in places:
        if isinstance(node, ast.Attribute):
            yield module, node


def _branches(callees: list[Reached]) -> frozenset[Branch]:
    return frozenset(branch for one in callees for branch in branches_of(one.steps))


def _aliases(module: Module, names: set[str]) -> set[str]:
    """Return the names a module gives to things that are called one of these."""
    return module.answer(_aliases_of, frozenset(names))


def _aliases_of(module: Module, names: frozenset[str]) -> set[str]:
    imported = {a.asname for a in module.nodes(ast.alias) if a.name in names and a.asname}
    named = names | imported
    tables = _assigned(module, lambda value: _is_table(value, named))
    taken = _assigned(module, lambda value: _is_taken_from(value, tables | names))
    known = named | taken
    assigned = _assigned(
        module,
        lambda value: (
            isinstance(value, (ast.Name, ast.Attribute, ast.IfExp, ast.BoolOp))
            and any(_called_one_of(inner, known) for inner in walk(value))
        ),
    )
    return imported | tables | taken | assigned


def _assigned(module: Module, gives: Callable[[ast.expr], bool]) -> set[str]:
    """Return the names to which a module assigns some values."""
    return {
        name
        for value, targets in _assignments(module)
        if value is not None and gives(value)
        for name in map(last_name, targets)
        if name
    }


def _is_table(value: ast.expr, names: AbstractSet[str]) -> bool:
    """Return whether a dict has one of some things under a key: `{None: DataLoader}`."""
    return isinstance(value, ast.Dict) and any(_called_one_of(each, names) for each in value.values)


def _is_taken_from(value: ast.expr, tables: AbstractSet[str]) -> bool:
    """Return whether a value is an entry of a table."""
    table = _table_of(value)
    return table is not None and _called_one_of(table, tables)


def _table_of(value: ast.expr) -> ast.expr | None:
    """Return what an entry is taken from: `LOADERS[kind]`, `LOADERS.get(kind)`."""
    match value:
        case ast.Subscript(value=table):
            return table
        case ast.Call(func=ast.Attribute(value=table, attr="get" | "pop")):
            return table
    return None


def _assignments(module: Module) -> Iterator[tuple[ast.expr | None, list[ast.expr]]]:
    for node in module.nodes(ast.Assign):
        yield node.value, node.targets
    for annotated in module.nodes(ast.AnnAssign):
        yield annotated.value, [annotated.target]


def _is_kept(name: str, module: Module) -> bool:
    """Return whether a name is a module's, a class's or an object's attribute, and no local name alone."""
    return (
        name in module.scope.bindings
        or name in module.stores_by_name
        or any(name in module.inner_scope(node).bindings for node in module.classes)
    )


def _called_one_of(node: ast.AST, names: AbstractSet[str]) -> bool:
    return getattr(node, "id", getattr(node, "attr", None)) in names


def _calls_by_last_name(module: Module) -> dict[str, list[ast.Call]]:
    """Return the calls by name; those of `super().__init__` and `cls` by their class, for what it derives from."""
    found: dict[str, list[ast.Call]] = {}
    for call in module.calls:
        above = (
            _is_super(call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "__init__"
        )
        if above or _copied(call.func) is not None:
            found.setdefault(f"{_SUPER}{_class_around(call, module)}", []).append(call)
        if not above:  # `cls` may be a local name as well: `cls = LOADERS[kind]`
            found.setdefault(_last_name(call), []).append(call)
    return found


def _class_around(call: ast.Call, module: Module) -> str:
    """Return the name of the class in which a call stands; none outside of classes."""
    classes = (above.name for above in module.ancestors(call) if isinstance(above, ast.ClassDef))
    return next(classes, "")


def _copied(func: ast.expr) -> str | None:
    """Return the object of whose class one more is made: `cls(...)`, `type(self)(...)`, `x.__class__(...)`."""
    match func:
        case ast.Name(id="cls"):
            return "cls"
        case ast.Attribute(value=ast.Name(id=name), attr="__class__"):
            return name
        case ast.Call(func=ast.Name(id="type"), args=[ast.Name(id=name)]):
            return name
    return None


def _comes_by_mapping(call: ast.AST, option: str) -> bool:
    """Return whether a call does not name an option, which `**kwargs` may hold."""
    names = [keyword.arg for keyword in getattr(call, "keywords", ())]
    return None in names and option not in names


def _last_name(call: ast.Call) -> str:
    func = call.func
    if isinstance(func, ast.Name):
        return func.id
    if isinstance(func, ast.Attribute):
        if func.attr == "__init__":
            return _base_name(func.value)
        return func.attr
    table = _table_of(func)
    return (last_name(table) or "") if table is not None else ""


def _base_name(node: ast.expr) -> str:
    """Return the class's name in `DataLoader.__init__(...)`; `super()` stands for a loader."""
    if isinstance(node, ast.Call):
        return "DataLoader"
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _is_super(call: ast.Call) -> bool:
    func = call.func
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call)


def _mentions(node: ast.expr, names: AbstractSet[str]) -> bool:
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        return True if node.id in names else node.id not in ("object", "ABC", "Module")
    return isinstance(node, ast.Attribute) and (node.attr in names)


__all__ = ["BoundMethod", "Boundaries"]
