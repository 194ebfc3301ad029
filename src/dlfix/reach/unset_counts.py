"""Options that nobody sets: a number of workers, or a switch, left at its default or out of `**kwargs`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import defaults
from dlfix.reach.correlated import tests_around
from dlfix.reach.entry_points import Entries
from dlfix.reach.predicates import question
from dlfix.reach.values import Bound, Constant

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.entry_points import Entry
    from dlfix.reach.starts import Start


def is_left_at_none(analysis: Analysis, boundary: Boundary, script: Module) -> bool:
    """Return whether a script never says a boundary's number of workers, and its default is none.

    The number is read from an object that is not followed (`self.config.num_workers`). It counts as
    left at its default where the classes of the tree that have such an option say none.
    """
    row = boundary.row
    count = boundary.arguments.get(row.workers) if row is not None and row.workers else None
    if row is None or boundary.workers is not None or not isinstance(count, Bound):
        return False
    if not isinstance(count.node, ast.Attribute):
        return False
    name = count.node.attr
    modules = analysis.project.mentions(name)
    if script in modules:
        return False
    defaults = [default for module in modules for default in module.answer(_defaults, name)]
    return bool(defaults) and all(default in row.no_workers for default in defaults)


def is_left_out(analysis: Analysis, boundary: Boundary, script: Module) -> bool:
    """Return whether the number of workers may only come by `**kwargs`, and a script passes none.

    No call on the way from the script to the loader passes one, or a mapping that is not followed.
    """
    row, node, module = boundary.row, boundary.node, boundary.frame.module
    if row is None or not row.workers or boundary.workers is not None:
        return False
    if row.workers in boundary.arguments or not isinstance(node, ast.Call):
        return False
    given = _Given(analysis, row.workers)
    if not given.follow(module, node):
        return False
    ways = [e for e in Entries.of(analysis).entries(module, node) if e.module is script]
    passed = {call for way in ways for _, call in way.calls}
    return bool(ways) and passed.isdisjoint(given.calls)


def is_switched_off(analysis: Analysis, start: Start, entry: Entry) -> bool:
    """Return whether the calls from a script to a start pass what makes a test on the way come out against it.

    That is `if parallel: Pool(...)`, where no call passes `parallel` and its default is False.
    """
    way = [*entry.calls, (start.module, start.node)]
    for level in range(1, len(way)):
        module, node = way[level]
        frame = analysis.frame(module.scope_of(node))
        for test, held in tests_around(node, module):
            asked = question(test, frame, analysis.interpreter)
            if asked is None or not isinstance(asked.subject, ast.Name):
                continue
            passed = _passed_on(asked.subject.id, way[: level + 1])
            if passed is not None and asked.answer(passed) is (not held):
                return True
    return False


def _passed_on(name: str, way: Sequence[tuple[Module, ast.expr]]) -> Constant | None:
    """Return the constant that a chain of calls passes for a parameter of the function that it leads to."""
    if len(way) < 2:
        return None
    (module, node), (_, call) = way[-1], way[-2]
    function = enclosing_function(module, node)
    if not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Call):
        return None
    bindings = module.inner_scope(function).bindings.get(name, ())
    if [each.kind for each in bindings] != ["parameter"]:
        return None
    given = _given_to(
        function, name, call, is_method=isinstance(module.parent(function), ast.ClassDef)
    )
    if isinstance(given, ast.Name):
        return _passed_on(given.id, way[:-1])
    return Constant(given.value) if isinstance(given, ast.Constant) else None


def _given_to(
    function: ast.FunctionDef, name: str, call: ast.Call, *, is_method: bool
) -> ast.expr | None:
    """Return the argument of a call for a parameter, or its default; None where that is not known."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in named:
        return named[name]
    if None in named or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    signature = function.args
    places = [each.arg for each in (*signature.posonlyargs, *signature.args)]
    if is_method and (function.decorator_list or not places):
        return None
    places = places[1:] if is_method else places
    if name in places[: len(call.args)]:
        return call.args[places.index(name)]
    return defaults(signature).get(name)


class _Given:
    """The calls that give an option that functions pass on by `**kwargs`."""

    def __init__(self, analysis: Analysis, option: str) -> None:
        self.analysis = analysis
        self.option = option
        self.calls: set[ast.Call] = set()
        self._met: set[ast.AST] = set()

    def follow(self, module: Module, call: ast.Call) -> bool:
        """Follow the mappings of a call to who fills them; False where it is not known who does."""
        spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
        return bool(spread) and all(self._of_mapping(module, call, node) for node in spread)

    def _of_mapping(self, module: Module, call: ast.Call, node: ast.expr) -> bool:
        function = enclosing_function(module, call)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if not _is_only_passed_on(module, function, node):
            return False
        if function not in self._met:
            self._met.add(function)
            for where, caller in Entries.of(self.analysis).calls_of(module, function):
                self._note(where, caller)
        return True

    def _note(self, module: Module, call: ast.Call) -> None:
        names = [keyword.arg for keyword in call.keywords]
        if self.option in names or (None in names and not self.follow(module, call)):
            self.calls.add(call)


def _is_only_passed_on(
    module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.expr
) -> bool:
    """Return whether a mapping is a function's `**kwargs`, which it spreads into calls and nothing else."""
    rest = function.args.kwarg
    if rest is None or not isinstance(node, ast.Name) or node.id != rest.arg:
        return False
    scope = module.inner_scope(function)
    uses = [each for inner in scope.walk() for each in inner.reads.get(rest.arg, ())]
    spread = all(getattr(module.parent(each), "arg", "") is None for each in uses)
    return spread and len(scope.bindings[rest.arg]) == 1


def _defaults(module: Module, option: str) -> tuple[object, ...]:
    """Return the defaults that the classes of a module give an option; None for what is no constant."""
    fields = [
        field.value
        for cls in module.nodes(ast.ClassDef)
        for field in cls.body
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and field.target.id == option
    ]
    return tuple(getattr(_default(field), "value", None) for field in fields)


def _default(value: ast.expr | None) -> ast.expr | None:
    """Return what `field(default=...)` gives, or the value itself."""
    if not isinstance(value, ast.Call):
        return value
    return next((k.value for k in value.keywords if k.arg == "default"), None)
