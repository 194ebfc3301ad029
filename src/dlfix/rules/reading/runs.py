"""Which calls of a function the parent surely makes before workers start, and which the workers make.

Both are followed from above, frame by frame, so that it is known with what each call is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before, in_order, lies_in
from dlfix.project.trees import COMPREHENSIONS, walk
from dlfix.reach.calls import ANYTHING
from dlfix.reach.correlated import is_set_again
from dlfix.reach.entry_points import Entries
from dlfix.reach.methods import decorator_kind
from dlfix.reach.must_run import conditions
from dlfix.reach.special_methods import iterated_by
from dlfix.reach.values import Arguments, Bound, BoundMethod, Class, Function, Instance
from dlfix.reach.worker_code import entry_methods
from dlfix.rules.base import Step

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.values import Argument, Frame, Value

Code = ast.FunctionDef | ast.AsyncFunctionDef
Key = tuple[object, ...]  # where each argument of a call comes from
Run = tuple[ast.expr, Function, Arguments, "Value | None"]

_DEPTH = 6
_MOST = 200  # how many functions may lead to one
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip
_BUILTINS = {"len": "__len__", "next": "__next__"}
_ITERATING = frozenset({"list", "tuple", "set", "sorted"})
# What gives the same path in another type.
SAME_PATH = frozenset({"pathlib.Path", "str", "os.fspath"})
_PURE = ("os.path.", "pathlib.", "str", "os.fspath", "int")


@dataclass(frozen=True)
class FoundCall:
    """One call of the function that is asked for, and the places passed on the way to it."""

    key: Key | None  # None where an argument is not known
    steps: tuple[Step, ...]


class Runs:
    """Follows code of the parent, and of workers, down to the calls of one function."""

    def __init__(
        self,
        module: Module,
        goal: Code,
        boundary: Boundary,
        analysis: Analysis,
        telling: frozenset[str] | None = None,
    ) -> None:
        """Follow calls of `goal`; those are alike that pass the same for the parameters `telling`, or for all."""
        self.goal = goal
        self.telling = telling
        self.paths_are_texts = False  # `Path(x)` and `x` are one to the function
        self.boundary = boundary
        self.analysis = analysis
        self._leading = _leading(module, goal, analysis)
        self._known_below: dict[tuple[Frame, bool, int], list[FoundCall]] = {}

    def of_workers(self) -> Iterator[FoundCall]:
        """Yield the calls that code in a worker may make, on the objects that cross."""
        for crossing in self.analysis.crossings:
            if crossing.boundary is not self.boundary or crossing.edge.kind == "returned":
                continue
            for function, owner in self._entered_by(crossing.value):
                if function.node is self.goal:
                    yield FoundCall(None, ())
                frame = self.analysis.interpreter.calls.of_anything(function, owner)
                yield from self._below(frame, surely=False)

    def _entered_by(self, value: Value) -> Iterator[tuple[Function, Value | None]]:
        if isinstance(value, Function):
            yield value, None
        elif isinstance(value, BoundMethod):
            yield value.function, value.owner
        elif isinstance(value, Instance):
            for name in sorted(entry_methods(self.analysis, value.cls)):
                method = self.analysis.method(value.cls, name)
                if method is not None and method.node in self._leading:
                    yield method, value

    def of_parent(self) -> Iterator[FoundCall]:
        """Yield the calls that the parent surely makes before the boundary, in its own frames."""
        boundary = self.boundary
        yield from self._before(boundary.node, boundary.frame)
        yield from self._constructors()
        entries = Entries.of(self.analysis).entries(boundary.frame.module, boundary.node)
        for module, call in entries[0].calls if len(entries) == 1 else ():
            frame = self.analysis.frame(module.scope_of(call))
            yield from self._before(call, frame)

    def _constructors(self) -> Iterator[FoundCall]:
        """Yield the calls that constructors make: of the objects that cross, and of the one that starts the workers."""
        crossings = self.analysis.crossings
        made = [each.value for each in crossings if each.boundary is self.boundary]
        for value in dict.fromkeys((*made, self.boundary.frame.owner)):
            init = (
                self.analysis.method(value.cls, "__init__") if isinstance(value, Instance) else None
            )
            if init is None or init.node not in self._leading or not isinstance(value, Instance):
                continue
            if value.call is not None and value.frame is not None:
                run = (value.call, init, value.arguments or Arguments(), value)
                yield from self._within(run, value.frame, surely=True)
            elif value is self.boundary.frame.owner:  # whoever makes it
                yield from self._below(
                    self.analysis.frame(init.module.inner_scope(init.node)), surely=True
                )

    def _before(self, end: ast.AST, frame: Frame) -> Iterator[FoundCall]:
        module = frame.module
        again = {above for above in module.ancestors(end) if isinstance(above, _LOOPS)}
        for node, at in self._own_nodes(frame):
            if _is_left_of(node, end) and again.isdisjoint(module.ancestors(node)):
                yield from self._from(node, at, surely=True)

    def _below(self, frame: Frame, *, surely: bool, depth: int = _DEPTH) -> list[FoundCall]:
        """Return the calls that running a frame's code makes, one of those that pass the same."""
        asked = (frame, surely, depth)
        if asked not in self._known_below:
            self._known_below[
                asked
            ] = []  # of a function that calls itself, while it is gone through
            found: dict[Key | None, FoundCall] = {}
            ends = frame.scope.yields if surely else []
            for node, at in self._own_nodes(frame):
                if not ends or comes_before(node, in_order(ends)[0]):
                    for each in self._from(node, at, surely=surely, depth=depth):
                        found.setdefault(each.key, each)
            self._known_below[asked] = [*found.values()]
        return self._known_below[asked]

    def _from(
        self, node: ast.expr, frame: Frame, *, surely: bool, depth: int = _DEPTH
    ) -> Iterator[FoundCall]:
        if surely and not _is_sure(node, frame):
            return
        for run in self._run_by(node, frame, surely=surely):
            yield from self._within(run, frame, surely=surely, depth=depth)

    def _within(
        self, run: Run, frame: Frame, *, surely: bool, depth: int = _DEPTH
    ) -> Iterator[FoundCall]:
        node, function, arguments, owner = run
        note = "called here" if isinstance(node, ast.Call) else "used here"
        step = Step(frame.module.place(node), _shown(node), note)
        if function.node is self.goal:
            step = replace(step, note="the parent opens it here")
            yield FoundCall(self._key(arguments, owner), (step,))
            return
        calls = self.analysis.interpreter.calls
        inside = calls.frame_of(function, arguments, node, frame, owner) if depth else None
        for found in self._below(inside, surely=surely, depth=depth - 1) if inside else ():
            yield replace(found, steps=(step, *found.steps))

    def _own_nodes(self, frame: Frame) -> Iterator[tuple[ast.expr, Frame]]:
        """Yield the expressions that running a frame's code evaluates, those of comprehensions in their own frames."""
        scope, module = frame.scope, frame.module
        body = getattr(scope.node, "body", [])
        if isinstance(scope.node, COMPREHENSIONS):
            body = [scope.node]
        statements: list[ast.AST] = body if isinstance(body, list) else [body]
        for statement in statements:
            for node in walk(statement):
                if not isinstance(node, ast.expr) or module.scope_of(node) is not scope:
                    continue
                yield node, frame
                if isinstance(node, COMPREHENSIONS):
                    yield from self._own_nodes(self.analysis.interpreter.inner(node, frame))

    # What an expression runs

    def _run_by(self, node: ast.expr, frame: Frame, *, surely: bool) -> Iterator[Run]:
        """Yield the functions that an expression runs, of those that may lead to the goal."""
        calls = self.analysis.interpreter.calls
        most = 1 if surely else _MOST
        if isinstance(node, ast.Call):
            callees = self._values(node.func, frame)
            for callee in callees if len(callees) <= most else ():
                for function, owner in self._called(callee, node, frame):
                    yield node, function, calls.arguments(node, frame), owner
        for used, name in _protocols(node, frame.module):
            values = self._values(used, frame)
            for value in values if len(values) <= most else ():
                method = self._method(value, name)
                if method is not None:
                    yield node, method, ANYTHING, value

    def _values(self, node: ast.expr, frame: Frame) -> list[Value]:
        return [reached.value for reached in self.analysis.evaluate(node, frame)]

    def _called(
        self, callee: Value, node: ast.Call, frame: Frame
    ) -> Iterator[tuple[Function, Value | None]]:
        if isinstance(callee, Function) and callee.node in self._leading:
            yield callee, None
        elif isinstance(callee, BoundMethod) and callee.function.node in self._leading:
            yield callee.function, callee.owner
        elif isinstance(callee, Class):
            init = self.analysis.method(callee, "__init__")
            if init is not None and init.node in self._leading:
                yield from ((init, made) for made in self._values(node, frame))

    def _method(self, value: Value, name: str) -> Function | None:
        if not isinstance(value, Instance):
            return None
        methods = self.analysis.interpreter.roles.methods(value.cls)
        name = iterated_by(name, methods)
        if methods.get(name) not in self._leading:
            return None
        if not name.startswith("__") and not decorator_kind(methods[name]).endswith("property"):
            return None
        return self.analysis.method(value.cls, name)

    # What a call is made with

    def _key(self, arguments: Arguments, owner: Value | None) -> Key | None:
        if arguments.more_positional or arguments.more_keywords:
            return None
        given: list[object] = [] if owner is None else [("object", self._known(owner))]
        given += [self._origin(each) for each in self._telling(arguments.positional, owner)]
        given += [
            (name, self._origin(each))
            for name, each in sorted(arguments.keywords.items())
            if self.telling is None or name in self.telling
        ]
        return None if _is_unknown(given) else tuple(given)

    def _telling(self, given: Sequence[Argument], owner: Value | None) -> Iterator[Argument]:
        """Yield the positional arguments that tell calls apart."""
        names = [each.arg for each in (*self.goal.args.posonlyargs, *self.goal.args.args)]
        names = names[1:] if owner is not None else names
        for place, argument in enumerate(given):
            name = names[place] if place < len(names) else ""
            if self.telling is None or not name or name in self.telling:
                yield argument

    def _known(self, owner: Value) -> Value | None:
        """Return an object if it is one: not any of its class, nor one of those that a loop makes."""
        if not isinstance(owner, Instance):
            return owner
        if owner.call is None or owner.frame is None or owner.copied is not None:
            return None
        module = owner.frame.module
        around = set(module.ancestors(owner.call)) - set(module.ancestors(self.boundary.node))
        return None if any(isinstance(above, _LOOPS) for above in around) else owner

    def _origin(self, argument: Argument | None, depth: int = _DEPTH) -> object:
        """Return where an argument comes from; None where that is not known."""
        if not isinstance(argument, Bound) or argument.passed or not depth:
            return None
        node, frame = argument.node, argument.frame
        match node:
            case ast.Constant(value=value):
                return ("constant", value)
            case ast.Name():
                return self._of_name(node, frame, depth)
            case ast.Attribute():
                return self._of_attribute(node, frame, depth)
            case ast.Call(func=func, args=[_, *_] as args, keywords=[]):
                names = [getattr(each, "name", "") for each in self._values(func, frame)]
                if len(names) != 1 or not names[0].removeprefix("builtins.").startswith(_PURE):
                    return None
                if self.paths_are_texts and len(args) == 1 and names[0] in SAME_PATH:
                    return self._origin(Bound(args[0], frame), depth - 1)
                return self._together(names[0], args, frame, depth)
            case ast.BinOp(left=left, op=op, right=right):
                return self._together(type(op).__name__, [left, right], frame, depth)
        return None

    def _together(self, name: str, parts: list[ast.expr], frame: Frame, depth: int) -> object:
        found = [self._origin(Bound(part, frame), depth - 1) for part in parts]
        return None if None in found else (name, *found)

    def _of_name(self, node: ast.Name, frame: Frame, depth: int) -> object:
        binder = frame.scope.lookup(node.id)
        bindings = binder.bindings.get(node.id, ()) if binder is not None else ()
        if binder is None or len(bindings) != 1:
            return None
        binding = bindings[0]
        entered = binder is frame.scope and frame.arguments is not None
        if not entered:  # one variable, whatever it holds
            return None if isinstance(binding.statement, _LOOPS) else (binder, node.id)
        if binding.kind == "parameter":
            return self._of_parameter(node.id, frame, depth)
        if binding.value is None or binding.path:
            return None
        return self._origin(Bound(binding.value, frame), depth - 1)

    def _of_parameter(self, name: str, frame: Frame, depth: int) -> object:
        """Return where a parameter's value comes from; of a constructor that runs once it is an origin itself."""
        given = frame.arguments.get(name, ()) if frame.arguments else ()
        found = self._origin(given[0], depth - 1) if len(given) == 1 else None
        is_init = getattr(frame.scope.node, "name", "") == "__init__"
        runs_once = is_init and isinstance(frame.owner, Instance) and self._known(frame.owner)
        return found or (("parameter", frame.owner, name) if runs_once else None)

    def _of_attribute(self, node: ast.Attribute, frame: Frame, depth: int) -> object:
        owner = frame.owner
        if isinstance(node.value, ast.Name) and isinstance(owner, Instance) and self._known(owner):
            stored = self.analysis.interpreter.instances.only_store(owner, node, frame)
            if stored is not None:
                return self._origin(stored, depth - 1) or ("attribute", owner, node.attr)
        inner = self._origin(Bound(node.value, frame), depth - 1)
        if inner is None or is_set_again(node.attr, frame.module):
            return None
        return (inner, node.attr)


def _leading(module: Module, goal: Code, analysis: Analysis) -> set[ast.AST]:
    """Return the functions that may run another by the names in them, that one included."""
    found: set[ast.AST] = set()
    waiting: list[tuple[Module, Code]] = [(module, goal)]
    while waiting and len(found) < _MOST:
        module, function = waiting.pop()
        if function in found:
            continue
        found.add(function)
        owner = module.parent(function)
        made = isinstance(owner, ast.ClassDef) and function.name == "__init__"
        name = owner.name if made and isinstance(owner, ast.ClassDef) else function.name
        for user in analysis.project.users(module, name):
            for node in user.nodes_by_name.get(name, ()):
                around = enclosing_function(user, node)
                if isinstance(around, Code):
                    waiting.append((user, around))
    return found


def _is_sure(node: ast.expr, frame: Frame) -> bool:
    return next(conditions(node, frame.module), None) is None


def _is_left_of(node: ast.expr, end: ast.AST) -> bool:
    """Return whether a node is evaluated before another one is: above it, or in it as an argument."""
    return node is not end and (comes_before(node, end) or lies_in(node, end))


def _protocols(node: ast.expr, module: Module) -> Iterator[tuple[ast.expr, str]]:
    """Yield the objects of which an expression runs a method that it does not call by name."""
    above = module.parent(node)
    if isinstance(above, ast.For) and above.iter is node:
        yield node, "__iter__"
    match node:
        case ast.Subscript(value=value, ctx=ast.Load()):
            yield value, "__getitem__"
        case ast.Attribute(value=value, attr=attr, ctx=ast.Load()) if not _is_called(node, module):
            yield value, attr
        case ast.Call(
            func=ast.Name(id="next"), args=[ast.Call(func=ast.Name(id="iter"), args=[it])]
        ):
            yield it, "__iter__"
        case ast.Call(func=ast.Name(id=name), args=[value, *_]) if name in _BUILTINS:
            yield value, _BUILTINS[name]
        case ast.Call(func=ast.Name(id=name), args=[value, *_]) if name in _ITERATING:
            yield value, "__iter__"


def _is_called(node: ast.AST, module: Module) -> bool:
    above = module.parent(node)
    return isinstance(above, ast.Call) and above.func is node


def _shown(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return f"{ast.unparse(node.func)}(...)"
    return ast.unparse(node)


def _is_unknown(given: list[object]) -> bool:
    return any(each is None or (isinstance(each, tuple) and each[-1] is None) for each in given)


__all__ = ["SAME_PATH", "FoundCall", "Runs"]
