"""The other direction: who calls this function, and what they pass."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from dlfix.project.module import Module, Scope
from dlfix.project.syntax import callee_name, decorators, defaults, last_name
from dlfix.project.trees import summary, walk
from dlfix.reach.constructions import names_type
from dlfix.reach.methods import PROPERTIES, decorator_kind, methods_of, takes_instance
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Container,
    Derived,
    Frame,
    Function,
    Instance,
    Partial,
    Passed,
    Reached,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

_MOST_CALLERS = 96
_MOST_USES = 12  # of a function, for all its calls to be looked at
_HIGHEST = 5  # how many calls up a parameter is followed
_UNKNOWN = Unknown()
UNSAID = "unless others pass something else"  # the note of what only a default, or a test, says
_ARRAYS = frozenset({"Tensor", "LongTensor", "FloatTensor", "BoolTensor", "ndarray", "NDArray"})
_AROUND_ARRAYS = frozenset({"torch", "np", "numpy", "npt", "typing", "Optional", "Union", "None"})


class _Decorator(NamedTuple):
    """A decorator, by its place among those of a definition."""

    decorated: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    place: int
    decorator: ast.expr
    where: Frame


@summary
def _called_in(node: ast.ClassDef) -> frozenset[str]:
    """Return the last names of what a class calls."""
    return frozenset(last_name(each.func) for each in walk(node) if isinstance(each, ast.Call))


class Callers:
    """Finds the calls of a function by a search for its name, and reads their arguments."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._calls: dict[tuple[ast.AST, str | None], list[tuple[ast.Call, Frame]]] = {}
        self._applications: dict[ast.AST, list[Frame]] = {}
        self._decorated: dict[ast.AST, list[tuple[Value, Value | None]]] = {}
        self._all: dict[
            tuple[ast.AST, str | None], list[Mapping[str, tuple[Argument, ...]]] | None
        ] = {}
        self._height = 0

    def parameter(self, name: str, node: ast.arg, frame: Frame) -> Iterator[Reached]:
        """Yield what a parameter gets, over all callers in view, its default and its annotation."""
        function = frame.scope.node
        assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if frame.owner is not None and _is_self(function, name, frame):
            if getattr(function, "name", "") == "__init_subclass__":
                yield from self._subclasses(frame.owner)
                return
            instances = self.interpreter.instances
            if isinstance(frame.owner, Instance) and instances.is_metaclass(frame.owner.cls):
                yield from map(Reached, instances.made_by(frame.owner.cls))
                return
            of_class = isinstance(frame.owner, Instance) and not takes_instance(function)
            yield Reached(frame.owner.cls if of_class else frame.owner)  # type: ignore[union-attr]
            return
        found = said = False
        if self._height < _HIGHEST and not _is_data(node.annotation):
            self._height += 1
            try:
                for reached in self._passed(name, node, function, frame):
                    found = True
                    said = said or not is_unsaid(reached, node)
                    yield reached
            finally:
                self._height -= 1
        default = defaults(function.args).get(name)
        if default is not None and not said:
            unsaid = Passed(frame.module, node, UNSAID)
            for reached in self.interpreter.evaluate(default, frame.enclosing or frame):
                yield Reached(reached.value, (*reached.steps, unsaid))
        if not found:
            yield from self._annotated(node, frame)

    def _subclasses(self, owner: Value) -> Iterator[Reached]:
        """Yield the classes that `__init_subclass__` is called with."""
        if isinstance(owner, Instance):
            for cls in self.interpreter.instances.subclasses(owner.cls):
                yield Reached(cls)

    def _passed(
        self, name: str, node: ast.arg, function: ast.AST, frame: Frame
    ) -> Iterator[Reached]:
        notes = [Passed(frame.module, node, f"passed as `{name}`")]
        given = [
            Arguments((value,))
            for value, owner in self.decorated(frame)
            if not _are_two(owner, frame.owner)
        ]
        calls = [
            (call, self._on_same_object(call, caller, frame))
            for call, caller in self.of(frame)
            if not self._is_passing(call, caller, frame)
            and not self._is_of_another(call, caller, frame)
            and not self._is_tried(caller, frame)
        ]
        given += [self.interpreter.calls.arguments(call, caller) for call, caller in calls]
        if calls and not any(self._speaks(caller, frame) for _, caller in calls):
            notes.append(Passed(frame.module, node, UNSAID))
            given = [replace(one, more_keywords=True) for one in given]
        for arguments in given:
            for argument in self._argument(name, function, arguments, frame):
                for reached in self.interpreter.reached(argument):
                    yield Reached(reached.value, (*reached.steps, *notes))

    def _on_same_object(self, call: ast.Call, caller: Frame, frame: Frame) -> Frame:
        """Return the frame of a caller for the object, or the heir, that a method is called on: `self.add(x)`."""
        owner, func = frame.owner, call.func
        if not isinstance(owner, Instance) or owner == caller.owner:
            return caller
        body: Frame | None = caller
        while body is not None and not body.scope.is_class:
            body = body.enclosing
        if body is None or not isinstance(func, ast.Attribute):
            return caller
        instances = self.interpreter.instances
        line = [base.node for base in instances.mro(owner.cls) if isinstance(base, Class)]
        anyone = caller.owner
        if body.scope.node not in line or not isinstance(anyone, Instance) or anyone.call:
            return caller
        if self.interpreter.values_at(func.value, caller) != [anyone]:
            return caller
        return self.interpreter.displays.owned(caller.scope, body, frame)

    def _is_tried(self, caller: Frame, frame: Frame) -> bool:
        """Return whether a test makes a dataset of a library: what it passes reaches its own loaders."""
        owner = frame.owner
        if not isinstance(owner, Instance) or owner.call is not None:
            return False
        return self.interpreter.instances.is_dataset(owner) and not self._speaks(caller, frame)

    def _speaks(self, caller: Frame, frame: Frame) -> bool:
        return self.interpreter.audience.speaks(caller.module, frame.module)

    def _is_of_another(self, call: ast.Call, caller: Frame, frame: Frame) -> bool:
        """Return whether a call is of a method of another object than the one whose method runs."""
        if not isinstance(frame.owner, Instance) or frame.owner.call is None:
            return False
        callees = self.interpreter.values_at(call.func, caller)
        owners = [callee.owner for callee in callees if isinstance(callee, BoundMethod)]
        # what a base of a library may have under the name is no method of the project
        if not owners or not all(isinstance(each, (BoundMethod, Derived)) for each in callees):
            return False
        line = self.interpreter.instances.mro(frame.owner.cls)
        return all(_are_two(owner, frame.owner) or _is_of_no_class(owner, line) for owner in owners)

    def _is_passing(self, call: ast.Call, caller: Frame, frame: Frame) -> bool:
        """Return whether an object that a call makes goes nowhere from there, or only in a worker."""
        owner = frame.owner
        if getattr(frame.scope.node, "name", "") != "__init__":
            return False
        if self.interpreter.roles.only_worker(caller.module, call):
            return True
        return (
            isinstance(owner, Instance)
            and not self._ships_itself(owner.cls)
            and self.interpreter.escape.stays(caller.module, call, owner.cls)
        )

    def _ships_itself(self, cls: Class) -> bool:
        """Return whether a method of a class names what ships objects: `Trainer(context).run()` starts processes."""
        return any(
            not self._shipping.isdisjoint(_called_in(base.node))
            for base in self.interpreter.instances.mro(cls)
            if isinstance(base, Class)
        )

    @cached_property
    def _shipping(self) -> frozenset[str]:
        """The names of the classes that ship objects, and of those whose objects do."""
        rows = self.interpreter.catalog.rows("boundary")
        dotted = (name for row in rows for name in (row.name, *getattr(row, "aliases", ())))
        names = (name.rpartition(".")[2] for name in dotted)
        return frozenset(name for name in names if name[:1].isupper())

    def _argument(
        self, name: str, function: ast.AST, arguments: Arguments, frame: Frame
    ) -> tuple[Argument, ...]:
        assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        value = Function(function, frame.enclosing or frame)
        owner = frame.owner if _has_self(function, frame) else None
        return self.interpreter.calls.bind(value, arguments, owner).get(name, ())

    def _annotated(self, node: ast.arg, frame: Frame) -> Iterator[Reached]:
        for cls in self.annotation(node.annotation, frame):
            yield Reached(self.interpreter.instances.anyone(cls))
            return
        yield Reached(_UNKNOWN)

    def annotation(self, annotation: ast.expr | None, frame: Frame) -> list[Class]:
        """Return the classes of the tree that an annotation names."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = _parsed(annotation.value, annotation)
        if not isinstance(annotation, (ast.Name, ast.Attribute)):
            return []
        outside = frame.enclosing or frame
        found = self.interpreter.evaluate(annotation, outside)
        return [r.value for r in found if isinstance(r.value, Class)]

    def of(self, frame: Frame) -> list[tuple[ast.Call, Frame]]:
        """Return the calls, in view, of the function whose frame this is."""
        node = frame.scope.node
        key = (node, self._called_by(node, frame))
        if key not in self._calls:
            self._calls[key] = []  # while it is worked out, a cycle finds none
            found = list(islice(self._search(node, frame), _MOST_CALLERS + 1))
            self.interpreter.cut(when=len(found) > _MOST_CALLERS)
            self._calls[key] = found[:_MOST_CALLERS]
        return self._calls[key]

    def _search(self, node: ast.AST, frame: Frame) -> Iterator[tuple[ast.Call, Frame]]:
        name = self._called_by(node, frame)
        if name is None:
            return
        for module in self._modules(frame, name, self.interpreter.project.callers):
            for call in self.named(module, name):
                caller = self.interpreter.frame_at(module, call)
                if caller.scope.node is not node and self._calls_it(call, caller, node, frame):
                    yield call, caller
            for call in self._under_other_names(module, name):
                caller = self.interpreter.frame_at(module, call)
                if self._calls_it(call, caller, node, frame):
                    yield call, caller
        if frame.scope.parent is not None and frame.scope.parent.parent is None:
            yield from self._out_of_registry(node, frame)
        if isinstance(frame.owner, Instance):
            if getattr(node, "name", "") == "__init__":
                yield from self._from_heirs(node, frame, frame.owner.cls)
            else:
                yield from self._by_computed_name(node, frame, name)

    def _by_computed_name(
        self, node: ast.AST, frame: Frame, name: str
    ) -> Iterator[tuple[ast.Call, Frame]]:
        """Yield the calls that compute a method's name where it is written, too: `getattr(callback, event)(self)`."""
        project = self.interpreter.project
        for module in project.mentions(name):
            for computed in module.calls_by_name.get("getattr", ()):
                call = module.parent(computed)
                if not isinstance(call, ast.Call) or call.func is not computed:
                    continue
                caller = self.interpreter.frame_at(module, call)
                if self._calls_it(call, caller, node, frame):
                    yield call, caller

    def _out_of_registry(self, node: ast.AST, frame: Frame) -> Iterator[tuple[ast.Call, Frame]]:
        """Yield the calls of a module's function by what a dict keeps of it: `RECIPES[name](builder)`."""
        for home in self._registering(node, frame):
            for registry in home.answer(_dicts_of):
                for module in dict.fromkeys(
                    (home, *self.interpreter.project.users(home, registry))
                ):
                    for call in _calls_of_items(registry, module):
                        caller = self.interpreter.frame_at(module, call)
                        if self._calls_it(call, caller, node, frame):
                            yield from ((call, at) for at in self._told_apart(call, caller, node))

    def _told_apart(self, call: ast.Call, caller: Frame, node: ast.AST) -> Sequence[Frame]:
        """Return the frames of a call that looks a function up: for those callers of its own for which it may be that one."""
        contexts = self.interpreter.contexts.of(caller)
        others = [contexts.other] if contexts.other is not None else []
        found = [at for at in contexts.frames if self._may_be(call.func, at, node)]
        return [*found, *others] if len(found) < len(contexts.frames) else [caller]

    def _may_be(self, func: ast.expr, frame: Frame, node: ast.AST) -> bool:
        """Return whether what an expression gives in a frame may be a function, or is not known."""
        values = self.interpreter.values_at(func, frame)
        return not values or any(
            not isinstance(value, Function) or value.node is node for value in values
        )

    def _registering(self, node: ast.AST, frame: Frame) -> Iterator[Module]:
        """Yield the modules whose dicts may keep a function: its own, where it is named in one, and its decorators'."""
        module = frame.module
        uses = module.nodes_by_name.get(getattr(node, "name", ""), ())
        if any(isinstance(module.parent(use), ast.Dict) for use in uses):
            yield module
        for decorator in getattr(node, "decorator_list", ()):
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            for value in self.interpreter.values_at(func, frame.enclosing or frame):
                if isinstance(value, Function):
                    yield value.module

    def _under_other_names(self, module: Module, name: str) -> Iterator[ast.Call]:
        """Yield the calls by a name that a parser's defaults give: `set_defaults(run=train)`."""
        for call in module.calls_by_name.get("set_defaults", ()):
            for keyword in call.keywords:
                if keyword.arg is not None and getattr(keyword.value, "id", "") == name:
                    yield from self.named(module, keyword.arg)

    def _from_heirs(
        self, node: ast.AST, frame: Frame, cls: Class
    ) -> Iterator[tuple[ast.Call, Frame]]:
        """Yield the calls of a constructor by those of subclasses: `super().__init__(...)`."""
        for heir in self.interpreter.instances.subclasses(cls):
            init = methods_of(heir.node).get("__init__")
            for call in heir.module.calls_by_name.get("__init__", ()):
                if init is not None and init in heir.module.ancestors(call):
                    caller = self.interpreter.frame_at(heir.module, call)
                    if self._calls_it(call, caller, node, frame):
                        yield call, caller

    def all_of(self, frame: Frame) -> list[Mapping[str, tuple[Argument, ...]]] | None:
        """Return what each call passes to a function, where all its calls are in view; else None."""
        node = frame.scope.node
        key = (node, self._called_by(node, frame))
        if key not in self._all:
            self._all[key] = None
            self._all[key] = self._every(node, frame)
        return self._all[key]

    def _every(
        self, node: ast.AST, frame: Frame
    ) -> list[Mapping[str, tuple[Argument, ...]]] | None:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.decorator_list:
            return None
        name = self._called_by(node, frame)
        if name is None or self.interpreter.project.spread(name) > _MOST_USES:
            return None
        uses = self._uses(name, frame)
        if not 0 < len(uses) <= _MOST_USES or not all(map(_is_called, uses, uses.values())):
            return None
        audience = self.interpreter.audience
        if not any(audience.speaks(module, frame.module) for module in uses.values()):
            return None
        calls = self.of(frame)
        if len(calls) < len(uses):
            return None
        value = Function(node, frame.enclosing or frame)
        owner = frame.owner if _has_self(node, frame) else None
        made = self.interpreter.calls
        return [made.bind(value, made.arguments(call, at), owner) for call, at in calls]

    def _uses(self, name: str, frame: Frame) -> dict[ast.expr, Module]:
        """Return the places where a function, or the class it makes objects of, is named."""
        return {
            use: module
            for module in self._modules(frame, name, self.interpreter.project.users)
            for written in (name, *module.aliases_of(name))
            for use in module.nodes_by_name.get(written, ())
            if isinstance(use.ctx, ast.Load) and not names_type(use, module)
        }

    def decorated(self, frame: Frame) -> list[tuple[Value, Value | None]]:
        """Return what the function of a frame is applied to by `@`, and whose method it is then."""
        node = frame.scope.node
        if node not in self._decorated:
            self._decorated[node] = []
            self._decorated[node] = [*islice(self._decorations(node, frame), _MOST_CALLERS)]
        return self._decorated[node]

    def applications(self, frame: Frame) -> list[Frame]:
        """Return the frames of a function, one for each that it decorates, where nothing else calls it."""
        node = frame.scope.node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return []
        if node not in self._applications:
            self._applications[node] = []
            found = [*islice(self._applied_in(node, frame), _MOST_CALLERS)]
            alone = bool(found) and None not in found and not self.of(frame)
            self._applications[node] = [at for at in found if at is not None] if alone else []
        return self._applications[node]

    def _applied_in(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame
    ) -> Iterator[Frame | None]:
        calls = self.interpreter.calls
        for each in self._decorators(node, frame):
            call = calls.application(each.decorator, each.where)
            for function, owner in self._applied(each.decorator, each.where, node):
                for value in self._below(each.decorated, each.place, each.where):
                    yield calls.frame_of(function, Arguments((value,)), call, each.where, owner)

    def _decorations(self, node: ast.AST, frame: Frame) -> Iterator[tuple[Value, Value | None]]:
        for each in self._decorators(node, frame):
            for _, owner in self._applied(each.decorator, each.where, node):
                for value in self._below(each.decorated, each.place, each.where):
                    yield value, owner

    def _decorators(self, node: ast.AST, frame: Frame) -> Iterator[_Decorator]:
        """Yield the decorators that may be a function, with what they decorate."""
        for scope in _written_as(frame.scope):
            # What is defined in a function is what a call of that gives, if nothing else calls it first.
            called = scope is not frame.scope and not getattr(scope.node, "decorator_list", ())
            for module in self._decorating(scope, scope.name, called=called):
                for decorated in module.decorated:
                    for index, decorator in enumerate(decorated.decorator_list):
                        if callee_name(decorator) != scope.name:
                            continue
                        if called and not isinstance(decorator, ast.Call):
                            continue
                        where = self.interpreter.frame_at(module, decorated)
                        yield _Decorator(decorated, index, decorator, where)

    def _below(
        self,
        decorated: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        index: int,
        frame: Frame,
    ) -> Iterator[Value]:
        """Yield what a decorator is applied to: what those below it made of the function."""
        calls = self.interpreter.calls
        found = [Reached(calls.defined(decorated, frame))]
        for decorator in reversed(decorated.decorator_list[index + 1 :]):
            found = [made for one in found for made in calls.decorate(decorator, one, frame)]
        yield from (each.value for each in found)

    def _applied(
        self, decorator: ast.expr, where: Frame, node: ast.AST
    ) -> Iterator[tuple[Function, Value | None]]:
        """Yield what a decorator is where it is a certain function, and whose method then."""
        for value in self.interpreter.values_at(decorator, where):
            function = value.function if isinstance(value, BoundMethod) else value
            if isinstance(function, Function) and function.node is node:
                owner = value.owner if isinstance(value, BoundMethod) else function.frame.owner
                yield function, owner
                return

    def _modules(
        self, frame: Frame, name: str, among: Callable[[Module, str], list[Module]]
    ) -> list[Module]:
        """Return the modules that may name a function, or call it; a local one only its own."""
        scope, owner = frame.scope, frame.owner
        if scope.name == "__init__" and isinstance(owner, Instance):
            return among(owner.cls.module, name)
        if scope.parent is not None and scope.parent.is_function:
            return [scope.module]
        return among(scope.module, name)

    def _decorating(self, scope: Scope, name: str, *, called: bool) -> list[Module]:
        """Return the modules where a function may be applied by `@name`, or by `@name(...)` alone."""
        project = self.interpreter.project
        if scope.parent is not None and scope.parent.is_function:
            path = scope.module.path
            return [scope.module] if project.decorates(path, name, called=called) else []
        return project.decorating(name, called=called)

    def _called_by(self, node: ast.AST, frame: Frame) -> str | None:
        """Return the name calls of a function carry: its own, or its class's for `__init__`.

        None for a lambda, and for a property, which nobody calls.
        """
        name = getattr(node, "name", None)
        if decorator_kind(node) in PROPERTIES:
            return None
        if name == "__init__" and frame.enclosing is not None and frame.enclosing.scope.is_class:
            made = frame.owner.cls if isinstance(frame.owner, Instance) else None
            return made.name if made is not None else frame.enclosing.scope.name
        return name

    def named(self, module: Module, name: str) -> list[ast.Call]:
        """Return the calls in a module whose callee is written with this name."""
        aliases = [name, *module.aliases_of(name)]
        return [call for alias in aliases for call in module.calls_by_name.get(alias, ())]

    def _calls_it(self, call: ast.Call, caller: Frame, node: ast.AST, frame: Frame) -> bool:
        for reached in self.interpreter.evaluate(call.func, caller):
            value = reached.value
            if isinstance(value, Partial):
                value = value.function
            if isinstance(value, BoundMethod):
                value = value.function
            if isinstance(value, Function) and value.node is node:
                return True
            if isinstance(value, Class) and self._initializes(value, node):
                return True
        return False

    def _initializes(self, cls: Class, node: ast.AST) -> bool:
        method = self.interpreter.instances.method(cls, "__init__")
        return method is not None and method.node is node


def _dicts_of(module: Module) -> tuple[str, ...]:
    """Return the names that a module gives dicts."""
    return tuple(
        dict.fromkeys(
            target.id
            for statement in module.tree.body
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and _is_dict(statement.value)
            for target in getattr(statement, "targets", None) or [statement.target]  # type: ignore[union-attr]
            if isinstance(target, ast.Name)
        )
    )


def _is_dict(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Dict) or (
        isinstance(node, ast.Call) and last_name(node.func) == "dict"
    )


def _calls_of_items(registry: str, module: Module) -> Iterator[ast.Call]:
    """Yield the calls of what a dict of a name holds: `RECIPES[name](...)`, `recipes.RECIPES.get(name)(...)`."""
    uses = (module.nodes_by_name.get(registry, ()), module.attributes_by_name.get(registry, ()))
    for use in chain(*uses):
        item = module.parent(use)
        if isinstance(item, ast.Attribute) and item.attr == "get":
            item = module.parent(item)
        call = module.parent(item) if item is not None else None
        if isinstance(call, ast.Call) and call.func is item:
            yield call


def is_unsaid(reached: Reached, parameter: ast.arg | None = None) -> bool:
    """Return whether nobody but a default, or a test of a library, says what is passed."""
    return any(
        passed.note == UNSAID and (parameter is None or passed.node is parameter)
        for passed in reached.steps
    )


def _is_data(annotation: ast.expr | None) -> bool:
    """Return whether an annotation says that a parameter is plain numbers, which always cross."""
    if annotation is None:
        return False
    words = set(re.findall(r"\w+", ast.unparse(annotation)))
    return bool(words & _ARRAYS) and words <= _ARRAYS | _AROUND_ARRAYS


def _are_two(one: Value | None, other: Value | None) -> bool:
    """Return whether two values are surely different objects: made by different calls."""
    if not isinstance(one, Instance) or not isinstance(other, Instance):
        return False
    return one.call is not other.call and None not in (one.call, other.call)


def _is_of_no_class(value: Value | None, line: Sequence[Value]) -> bool:
    """Return whether a value is surely no object of a class with these bases: it is of another class."""
    return isinstance(value, Instance) and value.cls not in line


def _is_called(node: ast.expr, module: Module) -> bool:
    parent = module.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _written_as(scope: Scope) -> Iterator[Scope]:
    """Yield the functions whose name a decorator may have: itself, and what may return it."""
    at: Scope | None = scope
    while at is not None and isinstance(at.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield at
        at = at.parent


def _has_self(function: ast.AST, frame: Frame) -> bool:
    if frame.enclosing is None or not frame.enclosing.scope.is_class:
        return False
    return "staticmethod" not in decorators(function)


def _is_self(function: ast.AST, name: str, frame: Frame) -> bool:
    if not _has_self(function, frame):
        return False
    arguments = function.args  # type: ignore[attr-defined]
    first = next(iter((*arguments.posonlyargs, *arguments.args)), None)
    return first is not None and first.arg == name


def _parsed(text: str, at: ast.expr) -> ast.expr | None:
    try:
        return ast.copy_location(ast.parse(text, mode="eval").body, at)
    except SyntaxError:
        return None


__all__ = ["Bound", "Callers", "Container", "Instance"]
