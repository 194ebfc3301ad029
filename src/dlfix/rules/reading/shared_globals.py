"""Handles that the parent opens in the globals of a module, and that forked workers go on using."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.library_names import imported_as
from dlfix.project.module import enclosing_function
from dlfix.project.order import lies_in
from dlfix.project.syntax import last_name, parameters
from dlfix.project.trees import walk
from dlfix.reach.class_state import is_of_class
from dlfix.reach.correlated import tests_around
from dlfix.reach.entry_points import Entries, is_before
from dlfix.reach.global_state import GlobalName, Use, method_called
from dlfix.reach.instances import is_own
from dlfix.reach.methods import stored_names
from dlfix.reach.must_run import conditions
from dlfix.reach.starts import never_forks
from dlfix.reach.values import Bound, Class, Container, Derived, ExternalCall, Instance
from dlfix.reach.worker_code import GlobalRead, WorkerCode, WorkerFunction
from dlfix.rules.base import Step
from dlfix.rules.reading.handles import row_of
from dlfix.rules.reading.runs import SAME_PATH, Runs

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.values import Argument, Value

Made = ExternalCall | Derived
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

# A module with one of these words may keep a handle for each process, open it again in a child, or read
# at positions that no other process moves.
_OWN_IN_EACH = (
    "getpid",
    "register_at_fork",
    "get_worker_info",
    "current_process",
    "parent_process",
    "pread",
)
_CLOSING = frozenset(
    {"close", "clear", "pop", "popitem", "release", "disconnect", "shutdown", "quit", "cache_clear"}
)
_CACHES = frozenset({"cache", "lru_cache"})
_NO_NAMES: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SharedHandle:
    """A handle in a module's globals, who uses it in a worker, and how the parent opens it before."""

    name: str  # the global that leads to it
    handle: Made
    function: WorkerFunction
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class _Held:
    """A handle, and the expression that opens it: it, or the call of the class that keeps it."""

    handle: Made
    node: ast.expr
    module: Module
    keyed: bool = False  # it is one of several, each under a key


def shared_handles(analysis: Analysis) -> Iterator[SharedHandle]:
    """Yield the handles of module globals that the parent surely opens and that forked workers use."""
    yield from _in_names(analysis)
    yield from _in_cached_functions(analysis)
    yield from _on_classes(analysis)


def _in_names(analysis: Analysis) -> Iterator[SharedHandle]:
    code = WorkerCode.of(analysis)
    seen: set[tuple[object, ...]] = set()
    for read in code.global_reads():
        name = GlobalName(analysis, read.module, read.name)
        key = (read.module, read.name, read.function.crossing.boundary)
        if key in seen or name.is_definition or _keeps_apart(read.module):
            continue
        seen.add(key)
        if not _is_imported_at_top(read.node, read.function.module):
            continue
        if _is_set_by_workers(name):
            continue
        boundary = read.function.crossing.boundary
        for held in _held_by(name, analysis):
            steps = _opened_before(held, boundary, analysis)
            if steps is not None and not _is_dropped(name, boundary):
                yield SharedHandle(read.name, held.handle, read.function, steps)
                break
        yield from _connected(name, read, analysis)


def _connected(name: GlobalName, read: GlobalRead, analysis: Analysis) -> Iterator[SharedHandle]:
    """Yield a client that a global is, if the parent surely connects by it: `engine.connect()`."""
    boundary = read.function.crossing.boundary
    for reached in analysis.interpreter.global_name(name.module, name.name):
        made = reached.value
        row = row_of(made, analysis) if isinstance(made, ExternalCall) else None
        if not isinstance(made, ExternalCall) or row is None:
            continue
        if not row.connects or not row.fork_unsafe:
            continue
        called = [_method_called(use) for use in name.reads()]
        if any(method == row.close for method, _ in called):
            continue  # also in workers, which then open connections of their own
        held = _Held(made, made.node, made.frame.module)
        opened = _opened_before(held, boundary, analysis)
        used = (
            _runs_before(use.module, call, boundary, analysis, "the parent connects here")
            for use, (method, call) in zip(name.reads(), called, strict=True)
            if call is not None and method in row.connects
        )
        steps = next((each for each in used if each is not None), None)
        if opened is not None and steps is not None:
            yield SharedHandle(read.name, made, read.function, (*opened, *steps))


def _method_called(use: Use) -> tuple[str, ast.Call | None]:
    """Return which method of what a use names is called, and the call."""
    call = method_called(use.module, use.node)
    return (last_name(call.func), call) if call is not None else ("", None)


def _in_cached_functions(analysis: Analysis) -> Iterator[SharedHandle]:
    """Yield what functions give that keep their results: `@functools.lru_cache`."""
    for function in list(WorkerCode.of(analysis).functions.values()):
        node, module = function.node, function.module
        if not isinstance(node, FunctionNode) or not _is_cached(node) or _keeps_apart(module):
            continue
        name = GlobalName(analysis, module, node.name)
        boundary = function.crossing.boundary
        for held in _returned(node, module, analysis):
            steps = _opened_before(held, boundary, analysis)
            if steps is not None and not _is_dropped(name, boundary):
                yield SharedHandle(node.name, held.handle, function, steps)
                break


def _on_classes(analysis: Analysis) -> Iterator[SharedHandle]:
    """Yield what methods keep on their class where it is not there yet: `cls.db = connect()`."""
    for function in list(WorkerCode.of(analysis).functions.values()):
        node, module = function.node, function.module
        if not isinstance(module.parent(node), ast.ClassDef) or _keeps_apart(module):
            continue
        for target, statement in _kept_on_class(node, module, analysis):
            value = analysis.evaluate(statement.value, analysis.frame(module.inner_scope(node)))
            made = [one.value for one in value if _is_unsafe(one.value, analysis)]
            if not made or not isinstance(made[0], Made) or not _stays(target, module, analysis):
                continue
            runs = Runs(module, node, function.crossing.boundary, analysis)  # type: ignore[arg-type]
            steps = _opened_by_use(runs, keyed=True)
            if steps is not None and not never_forks(analysis, function.crossing.boundary):
                owner = getattr(module.parent(node), "name", "")
                yield SharedHandle(f"{owner}.{target.attr}", made[0], function, steps)


def _kept_on_class(
    node: ast.AST, module: Module, analysis: Analysis
) -> Iterator[tuple[ast.Attribute, ast.Assign]]:
    """Yield the attributes of its class that a method sets, or puts an item in, where they hold nothing."""
    frame = analysis.frame(module.inner_scope(node))
    for statement in (each for each in walk(node) if isinstance(each, ast.Assign)):
        for target in statement.targets:
            held = target.value if isinstance(target, ast.Subscript) else target
            if not isinstance(held, ast.Attribute):
                continue
            asked = [_asks_for(t, held.attr, module) for t in conditions(statement, module)]
            owner = frame.owner if asked and all(asked) else None
            if not isinstance(owner, Instance):
                continue
            by_class = is_of_class(analysis.interpreter, owner, held, frame)
            if by_class or (held is not target and _is_only_on_class(held, owner, analysis)):
                yield held, statement


def _is_only_on_class(held: ast.Attribute, owner: Instance, analysis: Analysis) -> bool:
    """Return whether `self.x` is the `x` of the class: its body binds it, and no method sets it."""
    line = [base for base in analysis.mro(owner.cls) if isinstance(base, Class)]
    return (
        is_own(owner.cls.module, held.value)
        and any(held.attr in base.body_names() for base in line)
        and not any(held.attr in stored_names(base.node) for base in line)
    )


def _asks_for(test: ast.AST, attribute: str, module: Module) -> bool:
    """Return whether a test, or the code that a handler is for, asks what an attribute holds."""
    above = module.parent(test)
    if isinstance(test, ast.ExceptHandler) and isinstance(above, ast.Try):
        asked: list[ast.AST] = [*above.body]
    else:
        first = test.test if isinstance(test, ast.If) else test  # an `if` that ends the function
        asked = [first, *_looked_up(first, module)]
    return any(_is_read(node, attribute) for each in asked for node in walk(each))


def _looked_up(test: ast.AST, module: Module) -> Iterator[ast.expr]:
    """Yield what locals of a test are bound to that may hold nothing: `f = cls.files.get(key)`."""
    if any(isinstance(node, ast.Constant) and node.value is not None for node in walk(test)):
        return
    for name in walk(test):
        scope = module.scope_of(name) if isinstance(name, ast.Name) else None
        for binding in scope.bindings.get(name.id, ()) if scope is not None else ():  # type: ignore[attr-defined]
            match binding.value:
                case ast.Attribute() | ast.Call(func=ast.Attribute(attr="get")) as value:
                    yield value


def _is_read(node: ast.AST, attribute: str) -> bool:
    if isinstance(node, ast.Constant):  # `hasattr(cls, "db")`
        return node.value == attribute
    return isinstance(node, ast.Attribute) and node.attr == attribute


def _stays(target: ast.Attribute, module: Module, analysis: Analysis) -> bool:
    """Return whether no code that may know the class sets the attribute too, or closes what it holds."""
    cls = next(each for each in module.ancestors(target) if isinstance(each, ast.ClassDef))
    for user in dict.fromkeys((module, *analysis.project.users(module, cls.name))):
        for each in user.attributes_by_name.get(target.attr, ()):
            sets = each is not target and not isinstance(each.ctx, ast.Load)
            if sets or _takes_out(each, user):
                return False
    return True


def _takes_out(held: ast.AST, module: Module) -> bool:
    """Return whether code closes what an attribute holds, or takes it out, one or all."""
    above = module.parent(held)
    if isinstance(above, ast.Subscript):
        closing = module.parent(above)
        is_closed = isinstance(closing, ast.Attribute) and closing.attr in _CLOSING
        return is_closed or isinstance(above.ctx, ast.Del)
    statement = module.statement(held)
    if isinstance(statement, ast.For) and lies_in(held, statement.iter):
        parts = (part for each in statement.body for part in walk(each))
        return any(isinstance(part, ast.Attribute) and part.attr in _CLOSING for part in parts)
    return isinstance(above, ast.Attribute) and above.attr in _CLOSING


def _is_cached(node: FunctionNode) -> bool:
    funcs = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(ast.unparse(func).rpartition(".")[2] in _CACHES for func in funcs)


def _returned(node: FunctionNode, module: Module, analysis: Analysis) -> Iterator[_Held]:
    scope = module.inner_scope(node)
    frame = analysis.frame(scope)
    for returned in scope.returns:
        for reached in analysis.evaluate(returned.value, frame) if returned.value else ():
            yield from _unsafe(reached.value, analysis, keyed=True)


def _keeps_apart(module: Module) -> bool:
    return any(module.says(word) for word in _OWN_IN_EACH)


def _is_imported_at_top(node: ast.AST, module: Module) -> bool:
    """Return whether the name leads to a module that is imported as soon as the worker's is."""
    name = node.value if isinstance(node, ast.Attribute) else node
    return isinstance(name, ast.Name) and module.scope_of(name).lookup(name.id) is module.scope


# What a name holds


def _held_by(name: GlobalName, analysis: Analysis) -> Iterator[_Held]:
    """Yield the handles that a global is, or keeps as items, themselves or in objects."""
    for reached in analysis.interpreter.global_name(name.module, name.name):
        value = reached.value
        if not isinstance(value, Container):
            for held in _unsafe(value, analysis):
                yield _as_stored(held, _rebound_to(name, held.handle, analysis))
            continue
        for _, item in value.items:
            for each in analysis.values(item):
                for held in _unsafe(each, analysis, keyed=True):
                    yield _as_stored(held, item)


def _as_stored(held: _Held, stored: Argument | None) -> _Held:
    """Return a handle as opened where it is stored, if the function that opens it only returns it."""
    if not isinstance(stored, Bound):
        return held
    module = stored.frame.module
    around = enclosing_function(module, stored.node)
    if around is None or around is enclosing_function(held.module, held.node):
        return held
    return replace(held, node=stored.node, module=module)


def _rebound_to(name: GlobalName, handle: Made, analysis: Analysis) -> Bound | None:
    """Return the expression by which a function gives a global its handle: `global db; db = connect()`."""
    for binding in name.module.scope.module_globals.get(name.name, ()):
        if binding.value is not None and not binding.path:
            frame = analysis.interpreter.frame_at(name.module, binding.node)
            if handle in analysis.interpreter.values_at(binding.value, frame):
                return Bound(binding.value, frame)
    return None


def _unsafe(value: Value, analysis: Analysis, *, keyed: bool = False) -> Iterator[_Held]:
    """Yield the handles that a value is, or keeps, and that no forked process may go on using."""
    if isinstance(value, Made) and _is_unsafe(value, analysis):
        yield _Held(value, value.node, value.frame.module, keyed)
    elif isinstance(value, Instance) and value.call is not None and value.frame is not None:
        for handle in _kept_by(value, analysis):
            yield _Held(handle, value.call, value.frame.module, keyed)


def _kept_by(value: Instance, analysis: Analysis) -> Iterator[Made]:
    """Yield the handles that an object's constructor keeps, and that a worker's method of it uses."""
    names = _called_in_workers(value, analysis)
    methods = analysis.interpreter.roles.methods(value.cls)
    if names & {"close", "__getstate__", "__enter__"}:
        return
    used = {
        node.attr
        for name in names
        for node in walk(methods[name])
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    for attribute, stores in analysis.stores(value).items() if used else ():
        if attribute not in used or len(stores) != 1 or stores[0].late or stores[0].conditional:
            continue
        for kept in analysis.stored(stores[0]):
            if isinstance(kept, Made) and _is_unsafe(kept, analysis):
                yield kept


def _called_in_workers(value: Instance, analysis: Analysis) -> set[str]:
    functions = WorkerCode.of(analysis).functions
    methods = analysis.interpreter.roles.methods(value.cls)
    return {name for name, node in methods.items() if node in functions}


def _is_unsafe(value: Value, analysis: Analysis) -> bool:
    row = row_of(value, analysis)
    return (
        row is not None
        and row.kind == "resource"
        and row.action == "lazy"
        and row.fork_unsafe
        and not row.connects_later
    )


def _is_set_by_workers(name: GlobalName) -> bool:
    """Return whether workers put handles of their own there, or it is closed where it is opened."""
    return any(
        binding.kind == "with" for binding in name.module.scope.bindings.get(name.name, ())
    ) or any(
        name.worker_writer(write) is not None and not _only_if_missing(write, name.name)
        for write in name.writes()
    )


def _only_if_missing(write: Use, name: str) -> bool:
    return any(
        node.id == name
        for test, _ in tests_around(write.node, write.module)
        for node in _asked_about(test, write.module)
    )


def _asked_about(test: ast.AST, module: Module) -> Iterator[ast.Name]:
    """Yield the names of a test; for a local that may hold nothing also where it comes from.

    `f = cache.get(key)` and then `if f is None` asks whether the cache holds something.
    """
    names = [node for node in walk(test) if isinstance(node, ast.Name)]
    yield from names
    if len(names) != 1 or any(
        isinstance(node, ast.Constant) and node.value is not None for node in walk(test)
    ):
        return
    scope = module.scope_of(names[0]).lookup(names[0].id)
    if scope is None or scope is module.scope:
        return
    for binding in scope.bindings.get(names[0].id, ()):
        match binding.value:
            case ast.Call(func=ast.Attribute(value=ast.Name() as held, attr="get")):
                yield held
            case ast.Name() as held:
                yield held


def _is_dropped(name: GlobalName, boundary: Boundary) -> bool:
    """Return whether the parent may close it, or forget it, before the workers start."""
    starts = Entries.of(name.analysis).entries(boundary.frame.module, boundary.node)
    for use, _ in name.uses:
        if not _drops(use) or name.worker_writer(use) is not None:
            continue
        for entry in name.entries(use):
            if not starts or not all(
                is_before(start, boundary.node, entry, use.module, use.node) for start in starts
            ):
                return True
    return False


def _drops(use: Use) -> bool:
    if isinstance(use.node.ctx, ast.Del):  # type: ignore[attr-defined]
        return True
    statement = use.module.statement(use.node)
    above = use.module.parent(use.node)
    if use.rebinds and enclosing_function(use.module, use.node) is not None:
        value = getattr(statement, "value", None)
        return isinstance(value, ast.Constant) and value.value is None
    if isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Del):
        return True
    return isinstance(above, ast.Attribute) and above.attr in _CLOSING


# When the parent opens it


def _opened_before(held: _Held, boundary: Boundary, analysis: Analysis) -> tuple[Step, ...] | None:
    """Return how the parent surely opens a handle before the workers start; None where it may not."""
    if never_forks(analysis, boundary):
        return None
    module = held.module
    around = enclosing_function(module, held.node)
    if around is None:
        return _at_top_level(held, boundary, analysis)
    telling, by_key = None, _NO_NAMES
    if held.keyed and isinstance(around, FunctionNode):
        telling = _telling(module, around, held.node)
        by_key = telling or _by_parameters(module, around)
    if any(
        _asks_more(test, module) and not _asks_by(by_key, test, module)
        for test in conditions(held.node, module)
    ):
        return None
    if not held.keyed and _is_in_constructor(module, held.node, boundary, analysis):
        return ()
    owner = module.parent(around)
    if isinstance(around, ast.Lambda) or not isinstance(owner, (ast.Module, ast.ClassDef)):
        return None
    by_name = isinstance(owner, ast.Module) and not held.keyed
    for caller, call in Entries.of(analysis).calls_of(module, around) if by_name else ():
        if (steps := _runs_before(caller, call, boundary, analysis)) is not None:
            return steps
    runs = Runs(module, around, boundary, analysis, telling)
    runs.paths_are_texts = _makes_paths(module, around, telling or _NO_NAMES)
    return _opened_by_use(runs, keyed=held.keyed)


def _telling(module: Module, function: FunctionNode, node: ast.expr) -> frozenset[str] | None:
    """Return the parameters that say under which key a handle is kept; None where that may be any."""
    statement = module.statement(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    match targets:
        case [ast.Subscript(slice=key)]:
            names = {each.id for each in walk(key) if isinstance(each, ast.Name)}
            if names and names <= _by_parameters(module, function):
                return frozenset(names)
    return None


def _by_parameters(module: Module, function: FunctionNode) -> frozenset[str]:
    """Return the parameters that hold what a call passes, or what their own value alone makes: `p = Path(p)`."""
    again: dict[str, list[ast.expr | None]] = {}
    for name, bindings in module.inner_scope(function).bindings.items():
        made = [each.value if not each.path else None for each in bindings]
        again[name] = [value for each, value in zip(bindings, made, strict=True)
                       if each.kind != "parameter"]  # fmt: skip
    return frozenset(
        name
        for name in parameters(function)
        if all(
            value is not None and _names(value, module) <= {name} for value in again.get(name, ())
        )
    )


def _makes_paths(module: Module, function: FunctionNode, names: frozenset[str]) -> bool:
    """Return whether a function makes a path, or a text, of each of these parameters first: `p = Path(p)`."""
    bindings = module.inner_scope(function).bindings
    return bool(names) and all(
        any(
            isinstance(each.value, ast.Call)
            and (imported_as(module, each.value.func) or ast.unparse(each.value.func)) in SAME_PATH
            for each in bindings.get(name, ())
        )
        for name in names
    )


def _names(node: ast.AST, module: Module) -> set[str]:
    """Return the names in an expression but for those that its module imports, or Python has."""
    found = {each for each in walk(node) if isinstance(each, ast.Name)}
    return {each.id for each in found if not _is_given(each, module)}


def _is_given(name: ast.Name, module: Module) -> bool:
    binder = module.scope_of(name).lookup(name.id)
    if binder is None:
        return True
    return {binding.kind for binding in binder.bindings.get(name.id, ())} == {"import"}


def _asks_by(names: frozenset[str], test: ast.AST, module: Module) -> bool:
    """Return whether a test asks only for parameters, so that it says the same for calls that pass the same."""
    asked = test.test if isinstance(test, ast.If) else test
    return isinstance(asked, ast.expr) and _names(asked, module) <= names


def _opened_by_use(runs: Runs, *, keyed: bool) -> tuple[Step, ...] | None:
    """Return how the parent surely opens what workers use by the same key, from its uses of objects."""
    wanted = {found.key for found in runs.of_workers()} - {None} if keyed else set()
    if keyed and not wanted:
        return None
    return next((f.steps for f in runs.of_parent() if not keyed or f.key in wanted), None)


def _asks_more(test: ast.AST, module: Module) -> bool:
    """Return whether a test asks for more than whether a global holds something already."""
    asks = isinstance(test, (ast.Compare, ast.Name, ast.UnaryOp, ast.If))
    # An `if` ends the function where there is one: `if f is not None: return f`.
    asked = test.test if isinstance(test, ast.If) else test
    return not asks or not any(
        module.scope_of(node).lookup(node.id) is module.scope
        for node in _asked_about(asked, module)
    )


def _at_top_level(held: _Held, boundary: Boundary, analysis: Analysis) -> tuple[Step, ...] | None:
    if next(conditions(held.node, held.module), None) is not None:
        return None
    entries = Entries.of(analysis).entries(held.module, held.node)
    if all(entry.kind == "import" for entry in entries):
        return ()
    starts = Entries.of(analysis).entries(boundary.frame.module, boundary.node)
    is_first = starts and all(
        is_before(entry, held.node, start, boundary.frame.module, boundary.node)
        for entry in entries
        for start in starts
    )
    return () if is_first else None


def _runs_before(
    module: Module,
    call: ast.Call,
    boundary: Boundary,
    analysis: Analysis,
    note: str = "the parent opens it here",
) -> tuple[Step, ...] | None:
    """Return how a call is run by the parent for certain, before the workers of a boundary start."""
    if next(conditions(call, module), None) is not None:
        return None
    step = Step(module.place(call), f"{ast.unparse(call.func)}(...)", note)
    if _is_in_constructor(module, call, boundary, analysis):
        return (step,)
    starts = Entries.of(analysis).entries(boundary.frame.module, boundary.node)
    code = WorkerCode.of(analysis)
    for entry in Entries.of(analysis).entries(module, call) if starts else ():
        chain = [*entry.calls, (module, call)]
        if any(code.runs(*each) is not None for each in chain):
            continue
        if any(next(conditions(node, where), None) is not None for where, node in chain):
            continue
        if all(is_before(entry, call, start, boundary.frame.module, boundary.node)
               for start in starts):  # fmt: skip
            return (*entry.steps, step)
    return None


def _is_in_constructor(
    module: Module, node: ast.AST, boundary: Boundary, analysis: Analysis
) -> bool:
    """Return whether a node is in the constructor of an object that crosses at a boundary."""
    function = enclosing_function(module, node)
    cls = module.parent(function) if function is not None else None
    if getattr(function, "name", "") != "__init__" or not isinstance(cls, ast.ClassDef):
        return False
    for crossing in analysis.crossings:
        value = crossing.value
        if crossing.boundary is boundary and isinstance(value, Instance):
            init = analysis.method(value.cls, "__init__")
            if init is not None and init.node is function:
                return True
    return False


__all__ = ["SharedHandle", "shared_handles"]
