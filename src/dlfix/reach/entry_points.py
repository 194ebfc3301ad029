"""From where code is run: the calls that lead to a function, back to a module's top level."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.import_time import IMPORTS, in_main_only, main_branch
from dlfix.project.importing import comes_with, may_come_with
from dlfix.project.module import enclosing_function
from dlfix.project.order import end, lies_in, start
from dlfix.project.syntax import DEFINITIONS, LOOPS, last_name
from dlfix.project.trees import walk
from dlfix.reach.methods import methods_of
from dlfix.reach.steps import Step
from dlfix.reach.values import BoundMethod, Class, Function, Partial

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.evaluator import Reading
    from dlfix.reach.values import Value

DEPTH = 8
MOST_CALLS = 400  # how many calls of one name are looked at
COMMANDS = ("command", "main", "group", "entrypoint")

Code = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Calls = tuple[tuple["Module", ast.Call], ...]


@dataclass(frozen=True)
class Entry:
    """A top-level statement that some code runs from, and the calls in between.

    `kind` is "import" (it runs whenever the module is imported), or "parent" (only in the process that
    was started: under the main guard, or in a command's function that nothing calls).
    """

    kind: str
    module: Module
    statement: ast.stmt
    steps: tuple[Step, ...]
    calls: tuple[tuple[Module, ast.Call], ...] = ()  # from the top level to the code, as the steps
    decorated: str = ""  # what is passed to the code's function, where it decorates: `@register`


class Entries:
    """Looks up who calls what, on demand."""

    def __init__(self, analysis: Reading) -> None:
        self.analysis = analysis
        self._entries: dict[ast.AST, list[Entry]] = {}
        self._calls: dict[ast.AST, Calls] = {}  # of each function
        self._never_imported: set[ast.AST] = set()  # functions
        self._imported: set[ast.AST] = set()  # functions that may run on import, by names alone
        self._around: dict[ast.AST, Code | None] = {}  # the function around a node

    @classmethod
    def of(cls, analysis: Reading) -> Entries:
        """Return the one that belongs to an analysis."""
        return analysis.once(cls.__name__, lambda: cls(analysis))

    def entries(self, module: Module, node: ast.AST) -> list[Entry]:
        """Return the top-level statements that a node is run from."""
        if node in self._entries:
            return self._entries[node]
        found = list(self._climb(module, node, (), frozenset()))
        if self.analysis.interpreter.is_settled:
            self._entries[node] = found
        return found

    def entries_in(self, scripts: Collection[Module], module: Module, node: ast.AST) -> list[Entry]:
        """Return those of them that are in some modules."""
        if not scripts or not self._may_come_from(scripts, module, node):
            return []
        return [entry for entry in self.entries(module, node) if entry.module in scripts]

    def _may_come_from(self, scripts: Collection[Module], module: Module, node: ast.AST) -> bool:
        """Return by names alone whether some modules may run a node."""
        callers = self.analysis.project.callers
        return any(
            caller in scripts
            and (
                function is None or (not isinstance(function, ast.Lambda) and _is_command(function))
            )
            for caller, _, function in self._leading_to(module, node, callers)
        )

    def may_import(self, module: Module, node: ast.AST) -> bool:
        """Return by names alone whether a node may run when a module is imported."""
        passed: dict[ast.AST, None] = {}  # the first is the function around the node
        callers = self.analysis.project.callers_read
        idle = self._never_imported
        for caller, call, function in self._leading_to(module, node, callers, idle):
            if call is None:
                return True
            if function in self._imported or (function is None and _runs_on_import(caller, call)):
                self._imported.update(list(passed)[:1])
                return True
            if function is not None:
                passed[function] = None
        self._never_imported |= passed.keys()
        return False

    def _leading_to(
        self,
        module: Module,
        node: ast.AST,
        callers: Callable[[Module, str], list[Module] | None],
        idle: Collection[ast.AST] = (),
    ) -> Iterator[tuple[Module, ast.AST | None, Code | None]]:
        """Yield a node and, by names alone, the calls that lead to it, each with the function around it.

        None stands for calls in files that have not been parsed. Who calls an idle function is not asked.
        """
        waiting: list[tuple[Module, ast.AST]] = [(module, node)]
        seen: set[ast.AST] = set()
        while waiting:
            module, node = waiting.pop()
            if node not in self._around:
                self._around[node] = enclosing_function(module, node)
            function = self._around[node]
            yield module, node, function
            if function is None or isinstance(function, ast.Lambda) or function in seen:
                continue
            seen.add(function)
            if function in idle:
                continue
            for name in _called_as(module, function):
                found = callers(module, name)
                if found is None:
                    yield module, None, function
                    return
                for caller in found:
                    waiting += ((caller, call) for call in caller.calls_by_name.get(name, ()))

    def _climb(
        self, module: Module, node: ast.AST, calls: Calls, seen: frozenset[ast.AST]
    ) -> Iterator[Entry]:
        function = enclosing_function(module, node)
        if function is None:
            statement = top_level_statement(module, node)
            if not isinstance(statement, IMPORTS):
                main = in_main_only((node, *module.ancestors(node)))
                kind = "parent" if main else "import"
                yield _entry(kind, module, statement, calls)
            return
        if isinstance(function, ast.Lambda) or function in seen or len(seen) >= DEPTH:
            return
        called = False
        for caller, call in self._calls_of(module, function):
            called = True
            yield from self._climb(caller, call, ((caller, call), *calls), seen | {function})
        factory = _returning(module, function)
        if not called and factory is not None:
            for caller, call in self._calls_of(module, factory):
                if _calls_result(caller, call):
                    called = True
                    yield from self._climb(
                        caller, call, ((caller, call), *calls), seen | {function}
                    )
        for user, decorator, name in self._decorated_by(module, function):
            called = True
            for entry in self._climb(user, decorator, calls, seen | {function}):
                yield entry if calls else replace(entry, decorated=name)
        if not called and _is_command(function):
            yield _entry("parent", module, top_level_statement(module, function), calls)

    def _calls_of(
        self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Sequence[tuple[Module, ast.Call]]:
        """Return the calls that run a function: many paths lead through one."""
        if function in self._calls:
            return self._calls[function]
        found = tuple(self.calls_of(module, function))
        if self.analysis.interpreter.is_settled:
            self._calls[function] = found
        return found

    def calls_of(
        self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Iterator[tuple[Module, ast.Call]]:
        """Yield the calls that run a function, in the modules that mention it."""
        names = _called_as(module, function)
        written = itertools.chain(
            *(self._written(module, name) for name in names), self._by_heirs(module, function)
        )
        for caller, call in itertools.islice(written, MOST_CALLS):
            if any(runs(v, function, self.analysis) for v in self._values(caller, call.func)):
                yield caller, call

    def _decorated_by(
        self, module: Module, function: Code
    ) -> Iterator[tuple[Module, ast.expr, str]]:
        """Yield where a function decorates another by its bare name, with the name of that one."""
        name = getattr(function, "name", "")
        for user in self.analysis.project.decorating(name):
            for node in user.nodes_by_name.get(name, ()):
                above = user.parent(node)
                if node in getattr(above, "decorator_list", ()) and any(
                    runs(v, function, self.analysis) for v in self._values(user, node)
                ):
                    yield user, node, above.name  # type: ignore[union-attr]

    def _written(self, module: Module, name: str) -> Calls:
        callers = self.analysis.project.callers(module, name)
        return tuple((each, call) for each in callers for call in each.calls_by_name.get(name, ()))

    def _by_heirs(
        self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Iterator[tuple[Module, ast.Call]]:
        """Yield the calls that may run a constructor for a subclass: `super().__init__()`, and those that make one."""
        owner = module.parent(function)
        if function.name != "__init__" or not isinstance(owner, ast.ClassDef):
            return
        interpreter = self.analysis.interpreter
        cls = interpreter.class_value(owner, self.analysis.frame(module.scope_of(owner)))
        for heir in interpreter.instances.subclasses(cls):
            own = methods_of(heir.node).get("__init__")
            if own is None:
                yield from self._written(heir.module, heir.name)
                continue
            for call in walk(own):
                if isinstance(call, ast.Call) and last_name(call.func) == "__init__":
                    yield heir.module, call

    def _values(self, module: Module, node: ast.expr) -> Iterator[Value]:
        frame = self.analysis.frame(module.scope_of(node))
        for reached in self.analysis.evaluate(node, frame):
            yield reached.value


def _returning(module: Module, function: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the function that makes a function and returns it: a factory of decorators, for one."""
    factory = module.parent(function)
    if not isinstance(factory, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    name = getattr(function, "name", "")
    returned = (each.value for each in factory.body if isinstance(each, ast.Return))
    return factory if any(getattr(each, "id", "") == name for each in returned) else None


def _calls_result(module: Module, call: ast.Call) -> bool:
    """Return whether what a call returns is called at once: it decorates, or stands before arguments."""
    above = module.parent(call)
    return getattr(above, "func", None) is call or call in getattr(above, "decorator_list", ())


def _called_as(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Return the names that calls of a function carry: its class's for a constructor, and those of its partials."""
    owner = module.parent(function)
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        return (owner.name,)
    return (function.name, *_other_names(module, function.name))


def _other_names(module: Module, name: str) -> Iterator[str]:
    """Yield the names that a module binds a function to as well: `train = partial(run, train=True)`."""
    for node in module.nodes_by_name.get(name, ()):
        bound: ast.AST = node
        above = module.parent(node)
        if isinstance(above, ast.Call) and last_name(above.func) == "partial":
            bound, above = above, module.parent(above) if node in above.args[:1] else None
        if isinstance(above, ast.Assign) and above.value is bound:
            yield from (each.id for each in above.targets if isinstance(each, ast.Name))


def _runs_on_import(module: Module, node: ast.AST) -> bool:
    """Return whether a node, in no function, runs wherever its module is imported."""
    is_import = isinstance(top_level_statement(module, node), IMPORTS)
    return not is_import and not in_main_only((node, *module.ancestors(node)))


def _entry(kind: str, module: Module, statement: ast.stmt, calls: Calls) -> Entry:
    steps = tuple(
        Step(caller.place(call), f"{last_name(call.func)}(...)", "called here")
        for caller, call in calls
    )
    return Entry(kind, module, statement, steps, calls)


def runs(value: Value, function: ast.AST, analysis: Reading) -> bool:
    """Return whether calling a value runs a function."""
    if isinstance(value, Partial):
        return runs(value.function, function, analysis)
    if isinstance(value, Function):
        return value.node is function
    if isinstance(value, BoundMethod):
        return value.function.node is function
    if isinstance(value, Class):
        init = analysis.method(value, "__init__")
        return init is not None and init.node is function
    return False


def may_belong(analysis: Reading, boundary: Boundary, script: Module) -> bool:
    """Return whether a boundary may be come to from a script; not where others are seen to do so."""
    if isinstance(boundary.node, ast.ClassDef):
        return True
    entries = Entries.of(analysis).entries(boundary.frame.module, boundary.node)
    if not entries:
        return may_come_with(analysis.project, script, boundary.frame.module)
    return any(
        entry.module is script
        or (entry.kind == "import" and comes_with(analysis.project, script, entry.module))
        for entry in entries
    )


def runs_with(analysis: Reading, boundary: Boundary, entry: Entry) -> bool:
    """Return whether the program that comes to a boundary may run, or import, what an entry runs."""
    if entry.kind != "import" or isinstance(boundary.node, ast.ClassDef):
        return may_belong(analysis, boundary, entry.module)
    entries = Entries.of(analysis).entries(boundary.frame.module, boundary.node)
    scripts = {each.module for each in entries}
    return not scripts or any(comes_with(analysis.project, each, entry.module) for each in scripts)


def leads_to(analysis: Reading, boundary: Boundary, script: Module) -> bool:
    """Return whether a script is seen to come to a boundary: by calls, or by the class whose method a library calls."""
    module = boundary.frame.module
    entries = Entries.of(analysis).entries(module, boundary.node)
    if any(entry.module is script for entry in entries):
        return True
    around = (each for each in module.ancestors(boundary.node) if isinstance(each, ast.ClassDef))
    node = next(around, None)
    if entries or node is None:
        return False
    interpreter = analysis.interpreter
    cls = interpreter.class_value(node, interpreter.frame_at(module, node))
    classes = (cls, *interpreter.instances.subclasses(cls))
    return any(
        script.nodes_by_name.get(name)
        for each in classes
        for name in (each.name, *script.aliases_of(each.name))
    )


def is_before(
    one: Entry, node: ast.AST, other: Entry, other_module: Module, other_node: ast.AST
) -> bool:
    """Return whether a node, run from one entry, is never run after another that is run from its own."""
    parted = _parted(one, node, other, other_module, other_node)
    if parted is None or one.module is not other.module:
        return False
    module, mine, theirs = parted
    again = set(_repeating(module, theirs))
    is_above = start(mine) <= end(theirs)
    return is_above and again.isdisjoint(module.ancestors(mine))


def ends_before(
    one: Entry, node: ast.AST, other: Entry, other_module: Module, other_node: ast.AST
) -> bool:
    """Return whether a function is left once a node has run from one entry, and another one never runs from its own."""
    parted = _parted(one, node, other, other_module, other_node)
    if parted is None or one.module is not other.module:
        return False
    module, mine, theirs = parted
    return _ends_before(mine, theirs, module)


def _parted(
    one: Entry, node: ast.AST, other: Entry, other_module: Module, other_node: ast.AST
) -> tuple[Module, ast.AST, ast.AST] | None:
    """Return where the ways to two nodes part, with the next step of each; None where one leads to the other."""
    here = [one.statement, *(call for _, call in one.calls), node]
    there = [other.statement, *(call for _, call in other.calls), other_node]
    modules = [other.module, *(module for module, _ in other.calls), other_module]
    for module, mine, theirs in zip(modules, here, there, strict=False):
        if mine is not theirs:
            return module, mine, theirs
    return None


def _ends_before(one: ast.AST, other: ast.AST, module: Module) -> bool:
    """Return whether code leaves its function once it has run a node, and does not come to another one below."""
    child: ast.AST | None = module.statement(one)
    while isinstance(child, ast.stmt) and not isinstance(child, DEFINITIONS):
        if any(lies_in(other, each) for each in module.block_of(child)):
            return False
        if any(isinstance(each, ast.Return) for each in (child, *module.below(child))):
            return True
        child = module.parent(child)
    return False


def _repeating(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    """Yield the loops that run a node each time round; what a `for` iterates over is evaluated once."""
    child = node
    for above in module.ancestors(node):
        if isinstance(above, LOOPS) and child is not getattr(above, "iter", None):
            yield above
        child = above


def top_level_statement(module: Module, node: ast.AST) -> ast.stmt:
    """Return the statement of the module's top level that a node is part of."""
    for above in (node, *module.ancestors(node)):
        if module.parent(above) is module.tree:
            assert isinstance(above, ast.stmt)
            return above
    raise LookupError("the node is not part of the module")


def under_guard(module: Module, node: ast.AST) -> ast.stmt | None:
    """Return the main guard, or other test of the module's name, of which a node stands in the main process's branch."""
    statement = top_level_statement(module, node)
    branch = main_branch(statement, module.tree)
    if branch is None or enclosing_function(module, node) is not None:
        return None
    above = [node, *module.ancestors(node)]
    return statement if any(each in above for each in branch) else None


def _is_command(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if function.name == "main":
        return True
    decorators = [ast.unparse(d).partition("(")[0] for d in function.decorator_list]
    return any(d.rpartition(".")[2] in COMMANDS for d in decorators)
