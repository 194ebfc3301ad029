"""Where workers are really started: a loader that is iterated, a process that is started."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.holding import Holding, Passing
from dlfix.project.import_time import is_guard
from dlfix.project.importing import program_of
from dlfix.project.library_names import imported_as
from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before, in_order
from dlfix.project.roots import STANDARD
from dlfix.project.syntax import DEFINITIONS, last_name
from dlfix.project.trees import COMPREHENSIONS, walk
from dlfix.reach.chosen_methods import chosen_for_all
from dlfix.reach.entry_points import Entries, Entry
from dlfix.reach.handed_on import modules_given
from dlfix.reach.values import (
    Bound,
    Class,
    Constant,
    Derived,
    ExternalCall,
    Instance,
)

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project
    from dlfix.reach.crossing import Boundary, Crossing
    from dlfix.reach.evaluator import Reading
    from dlfix.reach.values import Frame, Value

# What takes an iterator of its argument at once, which starts the workers: by its last name.
TAKING = frozenset(
    "accumulate batched cycle deque dropwhile enumerate filter filterfalse frozenset from_iterable groupby islice iter list"
    " map max min next pairwise product set sorted starmap sum takewhile tee tuple zip zip_longest".split()
)
# What does so when it is iterated itself.
LATER = frozenset("chain prefetch progress_bar tqdm track trange".split())
WRAPPERS = TAKING | LATER
_HOMES = frozenset({"builtins", "collections", "itertools", "itertools.chain", "six.moves"})
_AROUND = (ast.Call, ast.keyword, ast.Attribute, ast.IfExp, ast.BoolOp)  # of what is passed on
FITTING = frozenset(
    ["fit", "validate", "test", "predict", "train", "evaluate", "fit_transform", "learn"]
)
_TRAINERS = frozenset(
    f"{package}.{module}Trainer"
    for package in ("pytorch_lightning", "lightning", "lightning.pytorch")
    for module in ("", "trainer.", "trainer.trainer.", "pytorch.")
)
_GOING_THROUGH: tuple[type[ast.AST], ...] = (ast.For, ast.AsyncFor, *COMPREHENSIONS, ast.YieldFrom)
_MOST_GETTING = 12  # modules of which it is asked what they hand a loader on to
FOR_START = frozenset({"initializer", "initargs"})  # what a pool gives each process as it starts
STARTING = frozenset({"start", "train", "evaluate", "predict"})


@dataclass(frozen=True)
class Start:
    """A place that starts the workers of a boundary."""

    boundary: Boundary
    module: Module
    node: ast.expr

    def entries(self, analysis: Reading) -> list[Entry]:
        """Return the top-level statements it is run from."""
        return Entries.of(analysis).entries(self.module, self.node)


_CONTEXTS = ("multiprocessing_context", "start_method", "mp_context", "context")


def method_of(analysis: Reading, boundary: Boundary) -> object:
    """Return the start method that a boundary itself is given, also by the default of an option; None where that is not known."""
    chosen = _chosen(analysis, boundary, _CONTEXTS)
    if not chosen and boundary.row is not None and boundary.row.start_method:
        return boundary.row.start_method
    chosen = chosen or _makers(analysis, boundary)
    methods = {_method(analysis, value) or _default_of_option(analysis, value) for value in chosen}
    return methods.pop() if len(methods) == 1 else None


def _default_of_option(analysis: Reading, value: Value) -> object:
    """Return the default that options of a name have: of `parser.parse_args().start_method`."""
    if not isinstance(value, Derived) or value.called:
        return None
    found = {
        keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        for module in analysis.project.mentions("add_argument")
        for call in module.calls_by_name.get("add_argument", ())
        if value.how in _destinations(call)
        for keyword in call.keywords
        if keyword.arg == "default"
    }
    return found.pop() if len(found) == 1 else None


def _destinations(call: ast.Call) -> set[str]:
    """Return the attributes that an option may be read by: `start_method` for `--start-method`."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "dest")]
    texts = (each.value for each in given if isinstance(each, ast.Constant))
    return {text.lstrip("-").replace("-", "_") for text in texts if isinstance(text, str)}


def only_forks(analysis: Reading, boundary: Boundary, script: Module | None = None) -> bool:
    """Return whether a boundary's start method is fork for certain, which needs no pickling; that of one script, where it is given."""
    chosen = _chosen(analysis, boundary, _CONTEXTS)
    chosen = chosen or [v for v in _makers(analysis, boundary) if _method(analysis, v) is not None]
    if chosen:
        return all(_method(analysis, value) == "fork" for value in chosen)
    return chosen_for_all(analysis, boundary, script) == {"fork"}


def never_forks(analysis: Reading, boundary: Boundary) -> bool:
    """Return whether a boundary's start method is another than fork for certain."""
    others = {"spawn", "forkserver"}
    chosen = _chosen(analysis, boundary, _CONTEXTS)
    chosen += _makers(analysis, boundary)
    if methods := [method for value in chosen if (method := _method(analysis, value)) is not None]:
        return others.issuperset(methods)
    if boundary.row is not None and boundary.row.start_method in others:
        return True
    return bool(chosen_for_all(analysis, boundary) & others)


def pickles_nothing(analysis: Reading, boundary: Boundary) -> bool:
    """Return whether a boundary itself chooses fork: what its processes get is in their memory."""
    if boundary.kind not in ("DataLoader", "Process", "spawn"):
        return False  # a pool pickles functions and items, however it was started
    return _is_forked(analysis, boundary)


def is_inherited(analysis: Reading, crossing: Crossing) -> bool:
    """Return whether a pool of processes that fork gets something as they start, and so pickles none of it."""
    boundary = crossing.boundary
    return (
        boundary.kind in ("Pool", "Executor")
        and given_as(crossing) in FOR_START
        and analysis.once(("forked", boundary), lambda: _is_forked(analysis, boundary))
    )


def given_as(crossing: Crossing) -> str:
    """Return the argument of its boundary that something is part of."""
    line = (crossing, *crossing.above())
    return next((each.edge.name for each in line if each.edge.kind == "argument"), "")


def _is_forked(analysis: Reading, boundary: Boundary) -> bool:
    chosen = _chosen(analysis, boundary, _CONTEXTS)
    chosen = chosen or _makers(analysis, boundary)
    if any(_method(analysis, value) is not None for value in chosen) or boundary.kind == "spawn":
        return bool(chosen) and all(_method(analysis, value) == "fork" for value in chosen)
    if boundary.kind == "Process" and _set_just_before(boundary) == "fork":
        return True
    return only_forks(analysis, boundary) and _is_set_first(analysis, boundary)


def _is_set_first(analysis: Reading, boundary: Boundary) -> bool:
    """Return whether each script that leads to a boundary sets the one start method, whatever happens."""
    if _set_just_before(boundary) is not None:
        return True
    entries = Entries.of(analysis).entries(boundary.frame.module, boundary.node)
    scripts = dict.fromkeys(entry.module for entry in entries)
    return bool(scripts) and all(
        any(_is_at_top(module, call) for call in module.calls_by_name.get("set_start_method", ()))
        for module in scripts
    )


def _is_at_top(module: Module, call: ast.Call) -> bool:
    """Return whether a call is a statement of a module itself, or of its main guard."""
    parent = module.parent(module.statement(call))
    if isinstance(parent, ast.If) and is_guard(parent):
        parent = module.parent(parent)
    return isinstance(parent, ast.Module)


def _set_just_before(boundary: Boundary) -> object:
    """Return the start method that the function which makes a process has set before it."""
    module = boundary.frame.module
    around = enclosing_function(module, boundary.node)
    calls = [
        call
        for call in module.calls_by_name.get("set_start_method", ())
        if around is not None
        and enclosing_function(module, call) is around
        and comes_before(call, boundary.node)
    ]
    if not calls:
        return None
    last = in_order(calls)[-1]
    always = module.parent(module.statement(last)) is around
    first = last.args[0] if last.args else None
    return first.value if always and isinstance(first, ast.Constant) else None


def _chosen(analysis: Reading, boundary: Boundary, names: tuple[str, ...]) -> list[Value]:
    """Return what a boundary is passed as its context or start method."""
    for name in names:
        values = [v for v in analysis.values(boundary.arguments.get(name)) if v != Constant(None)]
        if values:
            return values
    return []


def _makers(analysis: Reading, boundary: Boundary) -> list[Value]:
    """Return the contexts, or pools of one, whose method sends: `context.Process(...)`, `pool.map(...)`."""
    func = getattr(boundary.node, "func", None)
    if boundary.kind == "DataLoader" or not isinstance(func, ast.Attribute):
        return []
    found: list[Value] = []
    for value in (reached.value for reached in analysis.evaluate(func.value, boundary.frame)):
        found.append(value)
        if isinstance(value, ExternalCall):
            found += _context_of(analysis, value)
    return found


def _context_of(analysis: Reading, pool: ExternalCall) -> list[Value]:
    """Return what a pool or executor is made of or with: `context` of `context.Pool()`, `Executor(mp_context=context)`."""
    maker = getattr(pool.node.func, "value", None)
    if pool.name == "multiprocessing.Pool" and maker is not None:
        return [reached.value for reached in analysis.evaluate(maker, pool.frame)]
    row = analysis.interpreter.catalog.boundary(pool.name)
    if row is None or row.kind != "Executor" or not row.context:
        return []
    index = row.parameters.index(row.context) if row.context in row.parameters else None
    given = analysis.values(pool.arguments.get(index, row.context))
    return [value for value in given if value != Constant(None)]


def runs_only_with_fork(module: Module, node: ast.AST) -> bool:
    """Return whether code stands under a test that the start method is fork: `if start_method == "fork":`."""
    child = node
    for above in module.ancestors(node):
        match above:
            case ast.If(test=test, body=body) if child is not test:
                if _is_fork(test, module) is (child in body):
                    return True
        if isinstance(above, DEFINITIONS):
            return False
        child = above
    return False


def _is_fork(test: ast.expr, module: Module) -> bool | None:
    """Return how a test comes out only if the start method is fork; None where it asks for something else."""
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant("fork")]):
            return isinstance(op, ast.Eq)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            held = _is_fork(operand, module)
            return None if held is None else not held
        case ast.BoolOp(op=ast.And(), values=values):
            return True if any(_is_fork(each, module) for each in values) else None
        case ast.Name(id=name):
            bindings = module.scope_of(test).bindings.get(name, ())
            value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
            if isinstance(value, (ast.Compare, ast.UnaryOp, ast.BoolOp)):
                return _is_fork(value, module)
    return None


def _method(analysis: Reading, value: Value) -> object:
    """Return the start method that a value names, or that a context is of; None where it is not known."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, ExternalCall) and value.name.endswith("get_context"):
        first = value.arguments.get(0, "method")
        if isinstance(first, Bound):
            sure = analysis.interpreter.must.values(first.node, first.frame)
            first = sure[0] if len(sure) == 1 else None
        return first.value if isinstance(first, Constant) else None
    return None


def starts_on_import(analysis: Reading) -> Iterator[Start]:
    """Yield the places that start workers and may run on import, for every boundary that may have any."""
    for boundary in analysis.boundaries:
        if boundary.workers is False or not isinstance(boundary.node, ast.Call):
            continue
        if boundary.row is not None and not boundary.row.starts:
            continue
        module = boundary.frame.module
        if boundary.kind in ("Pool", "Executor", "spawn"):
            yield Start(boundary, module, boundary.node)
        elif boundary.kind in ("DataLoader", "Process", "Trainer"):
            yield from _uses(analysis, boundary, module)


def _uses(analysis: Reading, boundary: Boundary, home: Module) -> Iterator[Start]:
    modules = _nearby(analysis, boundary, home)
    entries = Entries.of(analysis)
    starting = [
        (each, _candidates(analysis, each, boundary.kind == "DataLoader")) for each in modules
    ]
    # where nothing of the kind runs on import, it is not asked what the boundary's object goes by
    starting = [(each, rows) for each, rows in starting if rows.may_be_imported(each, entries)]
    passing = analysis.once(("passing", *modules), lambda: Passing(modules))
    holding = Holding(passing).of(home, boundary.node) if starting else Holding(passing)
    for module, candidates in starting:
        for number in candidates.that_may_be(boundary.node, holding):
            node, held = candidates.rows[number]
            if not entries.may_import(module, node):
                candidates.idle.add(number)
            elif any(
                holding.may_be(module, each) and _is_it(analysis, module, each, boundary)
                for each in held
            ):
                yield Start(boundary, module, node)
    yield from _fitted(analysis, boundary, home)


def _fitted(analysis: Reading, boundary: Boundary, home: Module) -> Iterator[Start]:
    """Yield the calls that hand the object whose method makes a loader to Lightning's trainer."""
    owner, method = boundary.frame.owner, boundary.frame.scope.name
    if not isinstance(owner, Instance) or not method.endswith("_dataloader"):
        return
    heirs = analysis.interpreter.instances.subclasses(owner.cls)
    users = (analysis.project.users(cls.module, cls.name) for cls in (owner.cls, *heirs))
    for module in dict.fromkeys([home, *(user for found in users for user in found)]):
        for name in sorted(FITTING):
            for call in module.calls_by_name.get(name, ()):
                if Entries.of(analysis).may_import(module, call) and _fits(
                    analysis, module, call, {owner.cls, *heirs}
                ):
                    yield Start(boundary, module, call)


def _fits(analysis: Reading, module: Module, call: ast.Call, makers: set[Class]) -> bool:
    """Return whether a call is of Lightning's trainer, for an object of one of some classes."""
    if not isinstance(call.func, ast.Attribute):
        return False
    frame = analysis.frame(module.scope_of(call))
    trainers = [reached.value for reached in analysis.evaluate(call.func.value, frame)]
    if not any(isinstance(t, ExternalCall) and t.name in _TRAINERS for t in trainers):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    values = (r.value for each in given for r in analysis.evaluate(each, frame))
    return any(isinstance(value, Instance) and value.cls in makers for value in values)


def _nearby(analysis: Reading, boundary: Boundary, home: Module) -> list[Module]:
    """Return the boundary's module, those it is handed to, and those that mention what makes or holds it."""
    names = {
        above.name for above in home.ancestors(boundary.node) if isinstance(above, DEFINITIONS)
    }
    statement = home.statement(boundary.node)
    if enclosing_function(home, boundary.node) is None and isinstance(statement, ast.Assign):
        names |= {t.id for t in statement.targets if isinstance(t, ast.Name)}
    names -= {"__init__", "main"}
    own = analysis.once(("program", home), lambda: program_of(analysis.project, home))
    getting = [
        module
        for name in sorted(names)
        for module in analysis.project.mentions(name)
        if own is None or module in own
    ]
    modules = dict.fromkeys([home, *_handed_to(analysis, boundary, [home])])
    modules.update(dict.fromkeys(getting))
    if len(modules) <= _MOST_GETTING:
        modules.update(dict.fromkeys(_handed_to(analysis, boundary, [*modules])))
    return [each for each in modules if own is None or each is home or each in own][:50]


def _handed_to(analysis: Reading, boundary: Boundary, homes: list[Module]) -> list[Module]:
    """Return the modules of the functions and classes that are passed a loader in some modules, the first of which makes it."""
    passing = analysis.once(("passing", *homes), lambda: Passing(homes))
    holding = Holding(passing).of(homes[0], boundary.node)
    found: list[Module] = []
    for home in homes:
        uses = [use for name in sorted(holding.names) for use in home.nodes_by_name.get(name, ())]
        made = [boundary.node] if home is homes[0] else []
        given = dict.fromkeys(each for use in (*made, *uses) for each in _around(use, home))
        found += modules_given(given, home, analysis.interpreter)
    return found


def _around(node: ast.AST, module: Module) -> Iterator[ast.AST]:
    """Yield a node and the expressions that pass on what it gives: `tqdm(loader)`, `loader.slice(3)`."""
    yield node
    for above in module.ancestors(node):
        if not isinstance(above, _AROUND):
            return
        if not isinstance(above, ast.keyword):
            yield above


class _Candidates:
    """The expressions of a module that start what they hold, with what that may be, by the names in it."""

    def __init__(self, rows: list[tuple[ast.expr, list[ast.expr]]]) -> None:
        self.rows = rows
        self.idle: set[int] = set()  # those that never run on import
        self._by_name: dict[str, list[int]] = {}
        self._by_call: dict[ast.AST, int] = {}
        for number, (_, held) in enumerate(rows):
            nodes = [node for each in held for node in walk(each)]
            self._by_call.update((node, number) for node in nodes if isinstance(node, ast.Call))
            for name in {last_name(n) for n in nodes}:
                self._by_name.setdefault(name, []).append(number)

    def may_be_imported(self, module: Module, entries: Entries) -> bool:
        """Return whether one of them may run when a module is imported."""
        for number, (node, _) in enumerate(self.rows):
            if number in self.idle:
                continue
            if entries.may_import(module, node):
                return True
            self.idle.add(number)
        return False

    def that_may_be(self, node: ast.AST, holding: Holding) -> list[int]:
        """Return those that may hold what a node makes, in order."""
        if holding.is_anywhere:
            return [number for number in range(len(self.rows)) if number not in self.idle]
        found = {number for name in holding.names for number in self._by_name.get(name, ())}
        if node in self._by_call:
            found.add(self._by_call[node])
        return sorted(found - self.idle)


def _candidates(analysis: Reading, module: Module, is_loader: bool) -> _Candidates:
    return analysis.once(
        ("starting", module, is_loader),
        lambda: _Candidates(list(_starting(analysis.project, module, is_loader))),
    )


def _starting(
    project: Project, module: Module, is_loader: bool
) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    if not is_loader:
        for call in module.calls_of(STARTING):
            if isinstance(call.func, ast.Attribute):
                yield call, [call.func.value]
        return
    for node in module.nodes(*_GOING_THROUGH):
        if isinstance(node, (ast.For, ast.AsyncFor)):
            yield node.iter, _unwrapped(node.iter, project, module)
        elif isinstance(node, COMPREHENSIONS):
            for generator in node.generators:
                yield generator.iter, _unwrapped(generator.iter, project, module)
        elif isinstance(node, ast.YieldFrom):
            yield node.value, _unwrapped(node.value, project, module)
    for call in module.calls_of(TAKING | FITTING):
        if isinstance(call.func, ast.Attribute) and call.func.attr in FITTING:
            yield call, [*call.args, *(k.value for k in call.keywords)]
        elif _takes(call, module):
            yield call, _unwrapped(call, project, module)


def _takes(call: ast.Call, module: Module) -> bool:
    """Return whether a call takes an iterator of what it is passed: `zip(loader, ...)`, `itertools.islice(loader, 3)`."""
    is_name = isinstance(call.func, ast.Name)
    if is_name and module.scope_of(call).lookup(last_name(call.func)) is None:
        return True
    home, _, name = imported_as(module, call.func).rpartition(".")
    return home in _HOMES and name in TAKING


def _unwrapped(node: ast.expr, project: Project, module: Module) -> list[ast.expr]:
    """Return what an iterated expression takes its items from: `loader` of `enumerate(loader)`."""
    if isinstance(node, ast.Call):
        if last_name(node.func) in WRAPPERS:
            return [inner for a in node.args for inner in _unwrapped(a, project, module)]
        if node.args and _is_of_package(node.func, project, module):  # `progressbar(loader, ...)`
            return [node, *_unwrapped(node.args[0], project, module)]
    return [node]


def _is_of_package(func: ast.expr, project: Project, module: Module) -> bool:
    """Return whether a function is imported from a package that neither the project nor Python has."""
    name = imported_as(module, func)
    root, home = name.partition(".")[0], name.rpartition(".")[0]
    own = (project.contains(each, module) for each in {root, home} if each)
    return bool(root) and root not in STANDARD and not any(own)


def _is_it(analysis: Reading, module: Module, node: ast.expr, boundary: Boundary) -> bool:
    """Return whether going through an expression goes through the loader, or starts the object, of a boundary."""
    if isinstance(node, (ast.Constant, ast.JoinedStr, ast.Lambda)):
        return False
    if node is boundary.node:
        return True
    frame = analysis.frame(module.scope_of(node))
    if _holds(analysis, node, frame, boundary):
        return True
    if not isinstance(frame.owner, Instance):
        return False
    # an object that keeps a loader to itself is no caller that is read for its class: each is asked
    made = analysis.interpreter.contexts.of(frame).frames
    return any(_holds(analysis, node, each, boundary) for each in made)


def _holds(analysis: Reading, node: ast.expr, frame: Frame, boundary: Boundary) -> bool:
    """Return whether an expression stands in a frame for what a boundary's call makes."""
    if isinstance(node, ast.Starred):  # `zip(*loaders)`
        items = analysis.interpreter.each(Bound(node.value, frame))
        found = [value for item in items for value in analysis.values(item)]
    else:
        found = [reached.value for reached in analysis.evaluate(node, frame)]
    return any(_goes_through(value, boundary, analysis) for value in found)


def _goes_through(value: Value, boundary: Boundary, analysis: Reading) -> bool:
    """Return whether iterating a value iterates what a boundary's call makes."""
    if isinstance(value, Instance):
        return value.call is boundary.node
    if not isinstance(value, (ExternalCall, Derived)):
        return False
    if value.node is boundary.node:
        return True
    if isinstance(value, Derived):
        loaders = boundary.row.loaders if boundary.row is not None else ()
        gives_one = value.how in loaders or (value.called and "*" in loaders)
        return gives_one and _goes_through(value.origin, boundary, analysis)
    if value.name.rpartition(".")[2] not in LATER:
        return False
    inner = (each for given in value.arguments.positional for each in analysis.values(given))
    return any(_goes_through(each, boundary, analysis) for each in inner)
