"""Calls: what calling a value gives, arguments to parameters, and the builtins that hand values on."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeGuard, cast

from dlfix.project.syntax import defaults, last_name
from dlfix.project.trees import kept, walk
from dlfix.reach.access_paths import added_to
from dlfix.reach.conditions import is_dead
from dlfix.reach.copied_entries import at_call, lacked, with_steps
from dlfix.reach.described import DESCRIBING, described
from dlfix.reach.enums import by_value, is_enum
from dlfix.reach.layers import LAYERS, MAKE_NETS, OF_NET, gives_layers
from dlfix.reach.methods import always_raises
from dlfix.reach.named_elsewhere import INSTANTIATE, is_entry_point
from dlfix.reach.texts import OF_TEXT, PARSERS, by_method, parsed
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Frame,
    Function,
    Generator,
    Instance,
    Kind,
    ModuleValue,
    Partial,
    Passed,
    Reached,
    Unknown,
    Value,
    kind_of,
    origin_of,
)

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.evaluator import Evaluator, V

_UNKNOWN = Unknown()
_DEEPEST_CALLS = 40
_MOST_REDUCED = 4
_REPLACING = frozenset({"dataclasses.replace", "attr.evolve", "attrs.evolve", "copy.replace"})
_MOST_FRAMES = 64  # of one function on one object; further calls are read as one
# Evaluations in a function's own code, for all its calls on objects of a class; likewise.
_MOST_WORK = 512
_FEWEST_FRAMES = 16  # of one function for the objects of a class, however long its code is
ANYTHING = Arguments(more_positional=True, more_keywords=True)

_SEQUENCES = {
    "list": "list", "tuple": "tuple", "set": "set", "frozenset": "set", "sorted": "list",
    "collections.deque": "list",
}  # fmt: skip
_NESTED_OBJECTS = 4  # objects of a class that its constructor makes, in one another
SCRIPTING = frozenset({"torch.jit.script"})  # also as a decorator: what it makes has no name
_COPIES = frozenset({"copy.copy", "copy.deepcopy"})
_SAME = frozenset({"contextlib.closing", "contextlib.nullcontext"})
_SECOND = frozenset({"typing.cast", "typing_extensions.cast"})
_WRAPPERS = frozenset({"staticmethod", "classmethod", "property", "functools.cached_property"})
_CLASS_MAKERS = frozenset(
    {"collections.namedtuple", "typing.NamedTuple", "dataclasses.make_dataclass",
     "types.new_class"}
)  # fmt: skip
_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})
_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_CALLED = (Function, BoundMethod, Class, Partial, Instance, External)
_DICTS = frozenset({"dict", "collections.OrderedDict"})
_IMPORTERS = frozenset({"importlib.import_module", "__import__"})
# Methods of `torch.nn.Module` that give back the very module.
_FLUENT = frozenset(
    {"eval", "train", "to", "cuda", "cpu", "float", "half", "double", "requires_grad_", "apply"}
)
_ENTERS_OTHER = frozenset({"tempfile.TemporaryDirectory"})
_PATHS = frozenset({"pathlib.Path", "pathlib.PosixPath", "pathlib.PurePath"})
_GIVING_ONE = ("get", "pop", "setdefault")
_OF_DICT = frozenset({"items", "values", "keys"})


class Calls:
    """Works out calls, and makes each value once for the place and frame that make it."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._made: dict[tuple[object, ...], object] = {}
        self._spread_out: dict[tuple[ast.Call, Frame], Arguments] = {}
        self._replaced_ones: set[Instance] = set()  # what `dataclasses.replace` made
        self._frames: dict[tuple[object, ...], Frame] = {}
        self._times: Counter[tuple[Function, Value | None]] = Counter()
        self._activations: Counter[Kind] = Counter()
        self._yielding: set[Scope] = set()  # generators whose items are being worked out

    def made(self, node: ast.AST, frame: Frame, make: Callable[[], V], *more: object) -> V:
        """Return the value a node makes in a frame: the same one each time."""
        key = (node, frame, *more)
        if key not in self._made:
            self._made[key] = make()
        return cast("V", self._made[key])

    def defined(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, frame: Frame
    ) -> Function | Class:
        """Return the function or class a statement makes, before it is decorated."""
        if isinstance(node, ast.ClassDef):
            return self.interpreter.class_value(node, frame)
        return self.made(node, frame, lambda: Function(node, frame))

    # Arguments

    def arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        """Return a call's arguments, star arguments spread where they can be followed."""
        if not _spreads(node):
            return self._given(node, frame)
        # Each parameter of what is called asks for them.
        key = (node, frame)
        return self.interpreter.whole(self._spread_out, key, lambda: self._given(node, frame))

    def _given(self, node: ast.Call, frame: Frame) -> Arguments:
        positional: list[Argument] = []
        keywords: dict[str, Argument] = {}
        lacking: dict[str, tuple[Passed, ...]] = {}
        more = more_keywords = False
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                spread = self._spread(Bound(argument.value, frame))
                more = more or spread is None
                positional += spread or ()
            else:
                positional.append(Bound(argument, frame))
        for keyword in node.keywords:
            if keyword.arg is not None:
                keywords[keyword.arg] = Bound(keyword.value, frame)
            else:
                spread_keywords = Bound(keyword.value, frame)
                given = self._spread_keywords(spread_keywords, node, frame)
                more_keywords = more_keywords or self.interpreter.displays.is_open(spread_keywords)
                gone = set(_taken_out(keyword.value, node, frame.module)) if given else set()
                keywords.update({k: v for k, v in (given or {}).items() if k not in gone})
                mappings = self._containers(spread_keywords) if given else []
                lacking.update(lacked(mappings, node, frame, self.interpreter))
        return Arguments(tuple(positional), keywords, more, more_keywords, lacking)

    def _spread(self, argument: Argument) -> list[Argument] | None:
        containers = self.interpreter.containers(argument)
        if len(containers) != 1 or containers[0].kind not in ("list", "tuple"):
            return None
        return [item for _, item in containers[0].items]

    def _spread_keywords(
        self, argument: Argument, node: ast.Call, frame: Frame
    ) -> dict[str, Argument] | None:
        given: dict[str, Argument] = {}
        known = False
        for container, steps in self._containers(argument):
            known = known or all(isinstance(key, str) for key, _ in container.items)
            for key, one in at_call(container.items, node, frame):
                if not isinstance(key, str):
                    continue
                item = with_steps(one, steps)  # another value is told apart by a number
                if given.setdefault(key, item) != item:
                    other = f"{key}[" if steps else _other(key)
                    given[f"{other}{len(given)}]"] = item
        for name, item in at_call(self._put_by_name(argument), node, frame):
            if isinstance(name, str):
                known = True
                given.setdefault(name, item)
        return given if known else (given or None)

    def _containers(self, argument: Argument) -> list[tuple[Container, tuple[Passed, ...]]]:
        """Return the containers an argument may be; of several, with how each was chosen."""
        found = [
            (reached.value, reached.steps)
            for reached in self.interpreter.reached(argument)
            if isinstance(reached.value, Container)
        ]
        return found if len(found) > 1 else [(container, ()) for container, _ in found]

    def _put_by_name(self, argument: Argument) -> Iterable[tuple[object, Argument]]:
        """Return what is put into a mapping under the name, or attribute, that is spread."""
        if not isinstance(argument, Bound):
            return ()
        return self.interpreter.displays.put_under(argument.node, argument.frame)

    def bind(
        self, function: Function, arguments: Arguments, owner: Value | None
    ) -> Mapping[str, tuple[Argument, ...]]:
        """Return what each parameter of a function gets, defaults included."""
        signature = function.node.args
        names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
        bound: dict[str, tuple[Argument, ...]] = {}
        positional = list(arguments.positional)
        if owner is not None and names:
            bound[names[0]] = (owner,)
            names = names[1:]
        for name, argument in zip(names, positional, strict=False):
            bound[name] = (argument,)
        if signature.vararg is not None:
            bound[signature.vararg.arg] = (self._rest(function, positional[len(names) :]),)
        others = {**arguments.keywords}
        for name in (*names, *(a.arg for a in signature.kwonlyargs)):
            if name in others:
                several = [key for key in others if key == name or key.startswith(f"{name}[")]
                bound[name] = tuple(others.pop(key) for key in several)
        if signature.kwarg is not None:
            bound[signature.kwarg.arg] = (
                self._named_rest(function, others, arguments.more_keywords),
            )
        self._fill(function, bound, arguments)
        return bound

    def _rest(self, function: Function, positional: list[Argument]) -> Container:
        node = _a_node(function)
        return Container("tuple", node, function.frame, tuple(enumerate(positional)))

    def _named_rest(
        self, function: Function, keywords: Mapping[str, Argument], more: bool
    ) -> Container:
        return Container("dict", _a_node(function), function.frame, tuple(keywords.items()), more)

    def _fill(
        self, function: Function, bound: dict[str, tuple[Argument, ...]], arguments: Arguments
    ) -> None:
        unsure = arguments.more_positional or arguments.more_keywords
        for name, default in defaults(function.node.args).items():
            if name not in bound:
                bound[name] = (Bound(default, function.frame), *((_UNKNOWN,) if unsure else ()))
            elif name in arguments.lacking:
                left = with_steps(Bound(default, function.frame), arguments.lacking[name])
                bound[name] = (*bound[name], left)

    # Calls

    def evaluate(self, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        """Yield what a call may return."""
        interpreter = self.interpreter
        if isinstance(node.func, ast.Attribute):
            yield from self._method_call(node, node.func, frame)
            return
        for callee in interpreter.evaluate(node.func, frame):
            yield from self.call(callee.value, node, frame)

    def _method_call(self, node: ast.Call, func: ast.Attribute, frame: Frame) -> Iterator[Reached]:
        interpreter = self.interpreter
        if interpreter.instances.above(func.value, frame) is None:
            if func.attr == "__new__" and (bare := self._bare(node, frame)):
                yield from map(Reached, bare)
                return
            owners = list(interpreter.evaluate(func.value, frame))
            own = any(isinstance(each.value, Instance) for each in owners)
            if func.attr == "enter_context" and not own:  # of a stack, wherever that comes from
                yield from self._entered_by_stack(node, frame)
                return
            for reached in owners:
                value = reached.value
                if isinstance(value, Generator) and func.attr == "__iter__":
                    yield reached
                    continue
                if isinstance(value, Container):
                    yield from self._container_method(value, func.attr, node, frame)
                    continue
                mapping = interpreter.filled.of_call(value)
                if mapping is not None and mapping.items and func.attr in _GIVING_ONE:
                    yield from self._container_method(mapping, func.attr, node, frame)
                    continue
                text = value.value if isinstance(value, Constant) else None
                if isinstance(text, str) and func.attr in OF_TEXT:
                    yield Reached(by_method(text, node, frame, interpreter))
                    continue
                made = self._made_by_method(value, func.attr, node, frame)
                if made is not None:
                    yield Reached(made)
                    continue
                if isinstance(value, Class) and func.attr == "__subclasses__":
                    heirs = self.interpreter.instances.subclasses(value)
                    yield Reached(self._new("list", enumerate(heirs), node, frame))
                    continue
                for callee in interpreter.attribute(value, func.attr, func, frame):
                    if self._gives_itself(value, callee.value, func.attr):
                        yield reached
                    elif self._is_chained(value, callee.value, func.attr):
                        yield Reached(self._pipeline(value, func.attr, node, frame))
                    else:
                        yield from self.call(callee.value, node, frame)
            return
        for callee in interpreter.evaluate(func, frame):
            yield from self.call(callee.value, node, frame)

    def _made_by_method(
        self, value: Value, name: str, node: ast.Call, frame: Frame
    ) -> ExternalCall | None:
        """Return what a method makes that is known by its name, on an object that is not of the tree."""
        if not isinstance(value, (Unknown, ExternalCall, Derived)):
            return None
        made = self.interpreter.catalog.makers.get(name)
        if made is None or self.interpreter.project.defines(name):
            return None
        return self.external_call(made, self.arguments(node, frame), node, frame)

    def call(self, callee: Value, node: ast.Call, frame: Frame) -> Iterable[Reached]:
        """Return what calling a value with a call's arguments gives."""
        return self.apply(callee, self.arguments(node, frame), node, frame)

    def apply(
        self, callee: Value, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> Iterable[Reached]:
        """Return what calling a value with these arguments gives."""
        if isinstance(callee, Function):
            return self.run(callee, arguments, node, frame)
        if isinstance(callee, BoundMethod):
            return self.run(callee.function, arguments, node, frame, owner=callee.owner)
        if isinstance(callee, Class):
            if self.interpreter.instances.stands_in(callee):
                return [Reached(Unknown("a fallback for a missing dependency"))]
            if is_enum(callee, self.interpreter):
                return [Reached(value) for value in self._members(callee, arguments)]
            return [Reached(self._object_of(callee, arguments, node, frame))]
        if isinstance(callee, Partial):
            merged = callee.arguments.followed_by(arguments)
            return self.apply(callee.function, merged, node, frame)
        if isinstance(callee, Instance):
            method = self.interpreter.instances.method(callee.cls, "__call__")
            if method is not None:
                return self.run(method, arguments, node, frame, owner=callee)
        if isinstance(callee, External):
            return self.external(callee.name, arguments, node, frame)
        if isinstance(callee, Derived):
            return self._derived_call(callee, node, frame)
        if isinstance(callee, ExternalCall) and callee.name in _CACHES:
            return self._by_cache(callee, arguments, node, frame)
        if isinstance(callee, ExternalCall) and (
            makes_class(callee) or self._is_called(callee.name)
        ):
            made = Derived(callee, "__call__", node, frame, called=True)
            return [Reached(self.made(node, frame, lambda: made, callee))]
        return [Reached(_UNKNOWN)]

    def _by_cache(
        self, cache: ExternalCall, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> Iterator[Reached]:
        """Yield what calling a cache gives: what the function in it returns, or a cache where it gets one only now."""
        functions = [*self._cached(cache, set())]
        for function in functions:
            yield from self.apply(function, arguments, node, frame)
        if not functions and arguments.positional:
            yield Reached(self.external_call(cache.name, arguments, node, frame))
        elif not functions:
            yield Reached(_UNKNOWN)

    def _cached(self, cache: ExternalCall, met: set[Value]) -> Iterator[Value]:
        """Yield the functions that a cache calls; none where it has only its options: `lru_cache(8)`."""
        met.add(cache)
        for value in self.interpreter.values(cache.arguments.get(0, "user_function")):
            if not isinstance(value, ExternalCall) or value.name not in _CACHES:
                if isinstance(value, _CALLED):
                    yield value
            elif value not in met:
                yield from self._cached(value, met)

    def _gives_itself(self, value: Value, method: Value, name: str) -> bool:
        is_module = isinstance(value, ModuleValue)  # of Python: `lightgbm.train(...)`
        if name not in _FLUENT or is_module:
            return False
        is_net = isinstance(value, ExternalCall) and value.name.startswith(MAKE_NETS)
        return isinstance(method, External) or (is_net and isinstance(method, Derived))

    def _is_chained(self, value: Value, method: Value, name: str) -> bool:
        """Return whether a library's method gives a pipeline that goes on from an object of the tree: `rows.map(f)`."""
        return (
            isinstance(value, Instance)
            and isinstance(method, External)
            and self.interpreter.kept_by_call.goes_on(value, name)
        )

    def _pipeline(self, value: Value, method: str, node: ast.Call, frame: Frame) -> Value:
        return self.made(node, frame, lambda: Derived(value, method, node, frame, True), value)

    def _is_called(self, name: str) -> bool:
        """Return whether what this external callable gives is there to be called itself."""
        row = self.interpreter.catalog.resource(name)
        is_layer = name.startswith("torch.nn.") and name.rpartition(".")[2][:1].isupper()
        return is_layer or (row is not None and "__call__" in row.derived)

    def _members(self, cls: Class, arguments: Arguments) -> list[Value]:
        """Return the members that `Enum(value)` may give."""
        found: list[Value] = []
        for value in self.interpreter.values(arguments.get(0, "value")):
            known = isinstance(value, Constant)
            member = by_value(cls, value.value, self.interpreter) if known else None  # type: ignore[union-attr]
            found.append(member or _UNKNOWN)
        return found

    def _object_of(self, cls: Class, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
        init = self.interpreter.instances.method(cls, "__init__")
        if init is not None and not isinstance(init.node, ast.Lambda) and always_raises(init.node):
            return _UNKNOWN  # what stands in for a library that is not there
        return self.made(node, frame, lambda: Instance(cls, node, frame, arguments), cls)

    def _bare(self, node: ast.Call, frame: Frame) -> list[Value]:
        """Return the objects that `cls.__new__(cls)` makes: their attributes are set from outside."""
        if frame.scope.name == "__new__" or not node.args:
            return []
        made = self.interpreter.values(Bound(node.args[0], frame))
        return [self._unmade(cls, node, frame) for cls in made if isinstance(cls, Class)]

    def _unmade(self, cls: Class, node: ast.Call, frame: Frame) -> Instance:
        return self.made(node, frame, lambda: Instance(cls, node, frame, bare=True), cls)

    def _entered_by_stack(self, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        """Yield what an exit stack gives of what it enters."""
        for argument in node.args[:1]:
            for value in self.interpreter.values(Bound(argument, frame)):
                yield from self.entered(value, argument, frame)

    def _derived_call(self, callee: Derived, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        if callee.how == "enter_context":
            yield from self._entered_by_stack(node, frame)
            return
        origin = callee.origin
        if callee.how == "load" and is_entry_point(origin):
            yield from self.interpreter.named_elsewhere.loaded(callee, frame)
            return
        known = self._of_context(callee)
        if known is not None:
            yield Reached(self.external_call(known, self.arguments(node, frame), node, frame))
            return
        made = self.made(
            node, frame, lambda: Derived(origin, callee.how, node, frame, called=True), origin
        )
        yield Reached(made)

    def _of_context(self, callee: Derived) -> str | None:
        """Return the name of a context's own class: `get_context("spawn").Pool`."""
        catalog, origin = self.interpreter.catalog, callee.origin
        row = catalog.boundary(origin.name) if isinstance(origin, ExternalCall) else None
        if row is None or row.kind != "context":
            return None
        name = catalog.boundary(f"{row.type}.{callee.how}")
        made = name or catalog.resource(f"multiprocessing.{callee.how}")
        return made.name if made is not None else None

    def _method_of(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        """Yield what `types.MethodType(function, object)` gives: pickle asks the object for the name of the function."""
        functions = self.interpreter.values(arguments.get(0, "function"))
        for owner in self.interpreter.values(arguments.get(1, "instance")):
            known = [each for each in functions if self._has_method(owner, each)]
            for function in known:
                yield Reached(self.interpreter.instances.bound(function, owner))  # type: ignore[arg-type]
            for function in () if known else functions:
                if _is_named_by_other(function) and not isinstance(owner, Instance):
                    yield Reached(_UNKNOWN)
                else:
                    yield Reached(self.external_call("types.MethodType", arguments, node, frame))

    def _has_method(self, owner: Value, function: Value) -> bool:
        """Return whether an object has a method of the name that a function bears."""
        if not isinstance(function, Function) or not isinstance(owner, Instance):
            return False
        name = _name_of(function.bearer)
        return self.interpreter.instances.method(owner.cls, name) is not None

    def run(
        self,
        function: Function,
        arguments: Arguments | None,
        node: ast.AST,
        frame: Frame,
        owner: Value | None = None,
    ) -> Iterator[Reached]:
        """Yield what a function returns when called so."""
        arguments = arguments or Arguments()
        inside = self.frame_of(function, arguments, node, frame, owner)
        if inside is None:
            yield Reached(_UNKNOWN)
            return
        if isinstance(function.node, ast.Lambda):
            yield from self.interpreter.evaluate(function.node.body, inside)
            return
        scope = inside.scope
        if scope.yields or isinstance(function.node, ast.AsyncFunctionDef):
            yield self._suspended(function, node, frame, inside)
            return
        for returned in scope.returns:
            if returned.value is None or is_dead(returned, inside, self.interpreter):
                continue
            note = Passed(inside.module, returned, f"returned by `{function.node.name}`")
            for reached in self.interpreter.evaluate(returned.value, inside):
                yield Reached(reached.value, (*reached.steps, note))
        if not scope.returns:
            yield Reached(Constant(None))

    def _suspended(self, function: Function, node: ast.AST, frame: Frame, inside: Frame) -> Reached:
        if isinstance(function.node, ast.AsyncFunctionDef) or not isinstance(node, ast.Call):
            return Reached(_UNKNOWN)
        made = Generator(node, frame, function, inside)
        return Reached(self.made(node, frame, lambda: made, function, inside))

    def frame_of(
        self,
        function: Function,
        arguments: Arguments,
        node: ast.AST,
        caller: Frame,
        owner: Value | None,
    ) -> Frame | None:
        """Return the frame of one call of a function; None where calls nest too deep."""
        scope = function.module.inner_scope(function.node)
        key = (scope, node, caller, owner, function)
        if key not in self._frames:
            if _recurs(scope, caller):
                return self._further(function, owner)
            if _depth(caller) > _DEEPEST_CALLS:
                self.interpreter.cut(when=bool(arguments.positional or arguments.keywords))
                return self._further(function, owner)
            self._frames[key] = self._activation(function, arguments, node, caller, owner)
        return self._frames[key]

    def _activation(
        self,
        function: Function,
        arguments: Arguments,
        node: ast.AST,
        caller: Frame,
        owner: Value | None,
    ) -> Frame:
        """Return a new frame; of a function that has many already, the one for all further calls."""
        held = owner if owner is not None else function.frame.owner
        kind = kind_of(function.module.inner_scope(function.node), held)
        self._times[function, owner] += 1
        self._activations[kind] += 1
        work = self.interpreter.work[kind] if self._activations[kind] > _FEWEST_FRAMES else 0
        if self._times[function, owner] <= _MOST_FRAMES and work <= _MOST_WORK:
            call = node if isinstance(node, ast.Call) else None
            return self._frame(function, arguments, owner, call, caller)
        self.interpreter.cut(when=bool(arguments.positional or arguments.keywords))
        if work > 2 * _MOST_WORK and isinstance(owner, Instance):
            owner = self._standing_for(owner, function)
        return self._further(function, owner)

    def _standing_for(self, owner: Instance, function: Function) -> Instance:
        """Return the object on which further calls are read: what a constructor sets is asked of each."""
        is_constructor = getattr(function.node, "name", "") == "__init__"
        return owner if is_constructor else self.interpreter.instances.anyone(owner.cls)

    def _frame(
        self,
        function: Function,
        arguments: Arguments,
        owner: Value | None,
        call: ast.Call | None,
        caller: Frame,
    ) -> Frame:
        scope = function.module.inner_scope(function.node)
        held = owner if owner is not None else function.frame.owner
        return Frame(
            scope, function.frame, self.bind(function, arguments, owner), held, call, caller
        )

    def _further(self, function: Function, owner: Value | None) -> Frame:
        """Return the one frame for calls within a function's own call, and beyond many."""
        return self.made(
            function.node, function.frame, lambda: self.of_anything(function, owner), "any", owner
        )

    def of_anything(self, function: Function, owner: Value | None) -> Frame:
        """Return a frame of a function whose parameters may be anything."""
        return self._frame(function, ANYTHING, owner, None, function.frame)

    # Decorators

    def decorate(self, decorator: ast.expr, one: Reached, frame: Frame) -> Iterator[Reached]:
        """Yield what applying a decorator to a value gives."""
        for reached in self.interpreter.evaluate(decorator, frame):
            value = reached.value
            if isinstance(value, (Function, Class, Partial, BoundMethod, Instance)):
                node = self.application(decorator, frame)
                yield from self.apply(value, Arguments((one.value,)), node, frame)
            elif isinstance(value, ExternalCall) and value.name == "functools.wraps":
                yield from self._wrapped(value, one)
            elif isinstance(value, External) and self._keeps_decorated(value):
                named: list[ast.expr] = [
                    ast.Name(getattr(getattr(one.value, "node", None), "name", ""))
                ]
                call = ast.copy_location(ast.Call(decorator, named, []), decorator)
                node = self.made(decorator, frame, lambda call=call: call, "decorator")  # type: ignore[misc]
                yield Reached(
                    self.external_call(value.name, Arguments((one.value,)), node, frame), one.steps
                )
            else:
                yield one  # taken to leave the function findable by its name

    def application(self, decorator: ast.expr, frame: Frame) -> ast.Call:
        """Return the call that a decorator stands for."""
        call = ast.copy_location(ast.Call(decorator, [], []), decorator)
        return self.made(decorator, frame, lambda: call, "decorator")

    def _keeps_decorated(self, decorator: External) -> bool:
        """Return whether a decorator of a library gives an object that keeps what it decorates: `np.vectorize`."""
        row = self.interpreter.catalog.holder(decorator.name)
        keeps = row is not None and row.parameters[:1] and row.parameters[0] in row.keeps
        return decorator.name in SCRIPTING or bool(keeps)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Function:
        """Return the function a `def` makes, with the name that later statements give it."""
        function = self.made(node, frame, lambda: Function(node, frame))
        if not frame.scope.is_function:
            return function
        for wrapped in _naming(node, frame):
            for value in self.interpreter.values(Bound(wrapped, frame)):
                named = value.function if isinstance(value, BoundMethod) else value
                if isinstance(named, Function) and named is not function:
                    return self._bearing(function, named)
        return function

    def _bearing(self, function: Function, named: Function) -> Function:
        """Return a function under the name of another."""
        return self.made(
            function.node,
            function.frame,
            lambda: Function(function.node, function.frame, named),
            named,
        )

    def _wrapped(self, wraps: ExternalCall, one: Reached) -> Iterator[Reached]:
        """Yield a function under the name of each function that it may wrap; under its own, where none is known."""
        inner, named = one.value, dict[Function, None]()
        if isinstance(inner, Function):
            for value in self.interpreter.values(wraps.arguments.get(0, "wrapped")):
                if isinstance(value, (Function, BoundMethod)):
                    named[value if isinstance(value, Function) else value.function] = None
            yield from (Reached(self._bearing(inner, each)) for each in named)
        if not named:
            yield one

    def kept_under(self, value: Value, name: str) -> Iterator[Argument]:
        """Yield what an object of a library keeps under a name: `Subset(data, ...).dataset`."""
        if isinstance(value, Derived) and value.how == "__getitem__":
            value = value.origin
            if not isinstance(value, ExternalCall) or not self.gives_list(value):
                return
        if not isinstance(value, ExternalCall):
            return
        row = self.interpreter.catalog.holder(value.name)
        for parameter, attribute in row.keeps.items() if row is not None else ():
            if attribute == name and row is not None and parameter not in row.calls:
                given = value.arguments.get(row.position(parameter), parameter)
                if given is not None:
                    yield given
        yield from self._loaded(value, name)

    def _loaded(self, loader: ExternalCall, name: str) -> Iterator[Argument]:
        """Yield the dataset of a loader, under the name of its parameter."""
        row = self.interpreter.catalog.boundary(loader.name) if name == "dataset" else None
        if row is not None and row.kind == "DataLoader" and name in row.parameters:
            given = loader.arguments.get(row.parameters.index(name), name)
            if given is not None:
                yield given

    def gives_list(self, value: ExternalCall) -> bool:
        """Return whether a library's call makes a list of the objects that its row describes."""
        row = self.interpreter.catalog.holder(value.name)
        return row is not None and row.gives == "list"

    # What the standard library hands on

    def external(
        self, name: str, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> Iterable[Reached]:
        """Return what calling something outside the tree gives."""
        first = arguments.get(0, None)
        name = name.removeprefix("builtins.")
        if name in ("functools.partial", "functools.partialmethod") and first is not None:
            return self._partial(arguments, node, frame)
        if name in _WRAPPERS and first is not None:
            return self.interpreter.reached(first)
        if name == "types.MethodType":
            return self._method_of(arguments, node, frame)
        if name in _SECOND:
            return self.interpreter.reached(arguments.get(1, "val"))
        if name in _COPIES and first is not None:
            return [self._copied(one, node, frame) for one in self.interpreter.reached(first)]
        if name in _SAME and first is not None:
            return self.interpreter.reached(first)
        if name in _SEQUENCES and first is not None and self._listed(first):
            return [Reached(self._sequence(_SEQUENCES[name], first, node, frame))]
        if name in _SEQUENCES and first is None:
            return [Reached(self._new(_SEQUENCES[name], (), node, frame))]
        if name in _DICTS:
            return [Reached(self._dict(arguments, node, frame))]
        if name == "dict.fromkeys" and first is not None:
            return [Reached(self._from_keys(first, arguments.get(1, "value"), node, frame))]
        if name == "collections.ChainMap":
            return [Reached(self._chained(arguments, node, frame))]
        if name in _REPLACING and first is not None:
            return self._replaced(first, arguments, node, frame)
        if name == "next" and first is not None:
            return [
                r for item in self.interpreter.each(first) for r in self.interpreter.reached(item)
            ]
        if name == "iter" and first is not None and len(arguments.positional) == 1:
            return self._iterators(first, arguments, node, frame)
        if name == "functools.reduce":
            return self._reduced(arguments, node, frame)
        if name == "getattr":
            return self._getattr(arguments, node, frame)
        if name == "eval" and node.args and len(node.args) == 1:
            return self.interpreter.members.spelled(node, frame)
        if name == "type" and first is not None and len(arguments.positional) == 1:
            classes = [v.cls for v in self.interpreter.values(first) if isinstance(v, Instance)]
            if classes:
                return [Reached(cls) for cls in dict.fromkeys(classes)]
        if name == "vars" and first is not None:
            modules = [v for v in self.interpreter.values(first) if isinstance(v, ModuleValue)]
            if modules:
                return [Reached(module) for module in modules]
        if name in DESCRIBING and first is not None:
            found = described(name, first, node, frame, self.interpreter)
            if found:
                return found
        if name in _IMPORTERS:
            return self._imported(first, frame)
        if name in PARSERS:
            return parsed(name, arguments, node, frame, self.interpreter)
        if name in INSTANTIATE:
            return self.interpreter.named_elsewhere.instantiated(arguments, node, frame)
        return [Reached(self.external_call(name, arguments, node, frame))]

    def _iterators(
        self, argument: Argument, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> Iterator[Reached]:
        """Yield what `iter(...)` gives: a generator is its own iterator."""
        others = False
        for reached in self.interpreter.reached(argument):
            value = reached.value
            own = isinstance(value, Instance) and self.interpreter.instances.method(
                value.cls, "__iter__"
            )
            if isinstance(value, Generator):
                yield reached
            elif own:
                yield from self.run(own, None, node, frame, value)
            else:
                others = True
        if others:
            yield Reached(self.external_call("iter", arguments, node, frame))

    def external_call(
        self, name: str, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> ExternalCall:
        """Return the value a call of something outside the tree makes."""
        return self.made(node, frame, lambda: ExternalCall(name, node, frame, arguments), name)

    def _copied(self, one: Reached, node: ast.Call, frame: Frame) -> Reached:
        """Return a copy of an object, where code sets attributes of it: the original has them not."""
        value = one.value
        if not isinstance(value, Instance) or frame.module.parent(node) is None:
            return one
        if value.copied is not None or not _is_set_on(node, frame.module):
            return one
        copy = Instance(value.cls, node, frame, value.arguments, value)
        return Reached(self.made(node, frame, lambda: copy, "copy", value), one.steps)

    def _listed(self, argument: Argument) -> bool:
        known = (Container, Generator, ExternalCall, Derived)
        return any(isinstance(value, known) for value in self.interpreter.values(argument))

    def _sequence(self, kind: str, argument: Argument, node: ast.Call, frame: Frame) -> Container:
        items = [(None, item) for item in self.interpreter.each(argument)]
        for container in self.interpreter.containers(argument):
            if container.kind != "dict" and kind in ("list", "tuple"):
                items = list(container.items)  # type: ignore[arg-type]
        return self._new(kind, items, node, frame)

    def _new(
        self,
        kind: str,
        items: Iterable[tuple[object, Argument]],
        node: ast.Call,
        frame: Frame,
    ) -> Container:
        return self.interpreter.displays.new(kind, items, node, frame)

    def _dict(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Container:
        items: list[tuple[object, Argument]] = []
        first = arguments.get(0, None)
        is_open = arguments.more_keywords or arguments.more_positional
        if first is not None:
            is_open = is_open or self.interpreter.displays.is_open(first)
            for value in self.interpreter.values(first):
                if isinstance(value, Container) and value.kind == "dict":
                    items += [item for item in value.items if item[0] not in arguments.keywords]
                else:
                    items += self._pairs(value, first)
        items += arguments.keywords.items()
        return self.interpreter.displays.new("dict", items, node, frame, is_open=is_open)

    def _from_keys(
        self, keys: Argument, value: Argument | None, node: ast.Call, frame: Frame
    ) -> Container:
        """Return the dict that has one value under all keys."""
        known = [
            one for each in self.interpreter.each(keys) for one in self.interpreter.values(each)
        ]
        names = [each.value if isinstance(each, Constant) else None for each in known] or [None]
        items = [(name, value or Constant(None)) for name in dict.fromkeys(names)]
        return self.interpreter.displays.new("dict", items, node, frame, is_open=None in names)

    def _chained(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Container:
        """Return the dict that a `ChainMap` reads as: of a key, the first mapping that surely holds it is the last asked."""
        items: list[tuple[object, Argument]] = []
        settled: set[object] = set()
        is_open = arguments.more_positional
        for argument in arguments.positional:
            held = self.interpreter.containers(argument)
            is_open = is_open or self.interpreter.displays.is_open(argument) or not held
            found = [item for each in held for item in each.items if item[0] not in settled]
            items += found
            if len(held) == 1:
                settled |= {key for key, _ in found}
        return self.interpreter.displays.new("dict", items, node, frame, is_open=is_open)

    def _pairs(self, value: Value, argument: Argument) -> list[tuple[object, Argument]]:
        """Return the items that a dict takes from pairs: `dict(zip(names, values))`."""
        pairs: list[tuple[object, Argument]] = []
        node, frame = (
            (argument.node, argument.frame) if isinstance(argument, Bound) else (None, None)
        )
        for item in self.interpreter.items(value, node, frame):
            for pair in self.interpreter.containers(item):
                pairs += self.interpreter.displays.pair(pair)
        return pairs

    def _partial(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        rest = Arguments(
            arguments.positional[1:],
            arguments.keywords,
            arguments.more_positional,
            arguments.more_keywords,
            arguments.lacking,
        )
        for reached in self.interpreter.reached(arguments.get(0, "func")):
            function = reached.value
            partial = self.made(
                node,
                frame,
                lambda f=function: Partial(node, frame, f, rest),  # type: ignore[misc]
                function,
            )
            yield Reached(partial, reached.steps)

    def _replaced(
        self, first: Argument, arguments: Arguments, node: ast.Call, frame: Frame
    ) -> Iterator[Reached]:
        """Yield the object that `dataclasses.replace(object, field=...)` makes."""
        for value in self.interpreter.values(first):
            if not isinstance(value, Instance):
                yield Reached(_UNKNOWN)
                continue
            given = value.arguments or ANYTHING
            names = self.interpreter.instances.fields(value.cls)
            keywords = dict(zip(names, given.positional, strict=False))
            merged = Arguments((), {**keywords, **given.keywords, **arguments.keywords})
            made = self.made(
                node,
                frame,
                lambda c=value.cls, m=merged: Instance(c, node, frame, m),  # type: ignore[misc]
                # each object is made another of; of one that was made so, the same: a loop has an end
                value.cls if value in self._replaced_ones else value,
            )
            self._replaced_ones.add(made)
            yield Reached(made)

    def _reduced(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        """Yield what the last call gives that `functools.reduce` makes."""
        rest, items = arguments.get(2, "initial"), arguments.get(1, None)
        given = self.interpreter.each(items) if items is not None else []
        seen = given[:_MOST_REDUCED]
        for first in seen if rest is None else [rest]:
            yield from self.interpreter.reached(first)
        for function in self.interpreter.values(arguments.get(0, None)):
            for item in seen:  # which of them comes first is not known
                pair = Arguments((item if rest is None else rest, item))
                yield from self.apply(function, pair, node, frame)

    def _getattr(self, arguments: Arguments, node: ast.Call, frame: Frame) -> Iterator[Reached]:
        name = arguments.get(1, None)
        for value in self.interpreter.values(arguments.get(0, None)):
            if isinstance(name, Bound):
                yield from self.interpreter.members.named_by(value, name.node, node, name.frame)
            elif isinstance(name, Constant) and isinstance(name.value, str):
                yield from self.interpreter.attribute(value, name.value, node, frame)
            else:
                yield Reached(_UNKNOWN)
        yield from self.interpreter.reached(arguments.get(2, None))

    def _imported(self, argument: Argument | None, frame: Frame) -> Iterator[Reached]:
        for value in self.interpreter.values(argument):
            if isinstance(value, Constant) and isinstance(value.value, str):
                found = self.interpreter.project.find(value.value, frame.module)
                yield Reached(ModuleValue(value.value, found))
            else:
                yield from self.interpreter.members.modules(argument, frame)

    # Containers and iteration

    def _container_method(
        self, value: Container, name: str, node: ast.Call, frame: Frame
    ) -> Iterator[Reached]:
        if name == "copy":
            yield Reached(self.interpreter.displays.copy(value, node, frame))
        elif name in _GIVING_ONE and node.args:
            whole = value if name != "pop" else replace(value, items=(*value.items, *value.taken))
            for key, rounds in self.interpreter.keys(node.args[0], value, frame):
                for found in self.interpreter.item(whole, key, node, frame):
                    yield Reached(found.value, (*found.steps, *rounds))
            if len(node.args) > 1:
                yield from self.interpreter.evaluate(node.args[1], frame)
        elif value.kind == "dict" and name in _OF_DICT:
            made = self.made(node, frame, lambda: Derived(value, name, node, frame, True), value)
            yield Reached(made)
        else:
            yield Reached(_UNKNOWN)

    def iterated(
        self, value: ExternalCall | Derived, node: ast.expr | None, frame: Frame | None
    ) -> list[Argument]:
        """Return what iterating something that is no container of ours may give."""
        if isinstance(value, Derived) and isinstance(value.origin, Container):
            return self._of_dict(value.origin, value)
        if isinstance(value, Derived) and value.how in _OF_DICT and value.called:
            mapping = self.interpreter.filled.of_call(value.origin)
            if mapping is not None and mapping.items:
                return self._of_dict(mapping, value)
        if isinstance(value, Derived) and gives_layers(value):
            return [self._layer(value)]
        if isinstance(value, ExternalCall) and value.name in OF_NET:
            return self._layers_of_own(value)
        if is_entry_point(value) or (isinstance(value, Derived) and _gives_paths(value)):
            return [self.made(value.node, value.frame, lambda: _item(value), "item", value)]
        if isinstance(value, Derived) and self._is_of_handle(value):
            return self._of_handle(value)
        if isinstance(value, Derived) and value.how in _OF_DICT and value.called:
            return [Unknown()]
        if isinstance(value, ExternalCall):
            return self._by_builtin(value)
        return [_UNKNOWN]

    def _layer(self, value: Derived) -> Argument:
        """Return what iterating the layers of a network gives, with its name where that is asked for."""
        layer = self.made(value.node, value.frame, lambda: _item(value), "item", value)
        return layer if value.how in LAYERS else self._tuple(value, (_UNKNOWN, layer))

    def _layers_of_own(self, value: ExternalCall) -> list[Argument]:
        """Return the layers of an object of the tree whose base has the method: `for layer in self.modules()`."""
        how = value.name.rpartition(".")[2]
        func = value.node.func
        owners = (
            self.interpreter.values_at(func.value, value.frame)
            if isinstance(func, ast.Attribute)
            else []
        )
        asked = [
            self.made(value.node, value.frame, partial(_called, owner, how, value), how, owner)
            for owner in owners
            if isinstance(owner, Instance)
        ]
        return [self._layer(each) for each in asked] or [_UNKNOWN]

    def _is_of_handle(self, value: Derived) -> bool:
        """Return whether a value hangs from a handle, whose row says what it gives."""
        root = origin_of(value)
        row = self.interpreter.catalog.resource(getattr(root, "name", ""))
        return row is not None and row.kind == "resource" and isinstance(root, ExternalCall)

    def _of_handle(self, value: Derived) -> list[Argument]:
        """Return what iterating gives that hangs from a handle: `file.values()`, `connection.execute(query)`."""
        pairs = value.how == "items" and value.called
        view = replace(value, how="values") if pairs else value
        item = self.made(value.node, value.frame, lambda: _item(view), "item", value)
        return [self._tuple(value, (_UNKNOWN, item))] if pairs else [item]

    def _of_dict(self, container: Container, view: Derived) -> list[Argument]:
        if view.how == "keys":
            return [Constant(key) for key, _ in container.items if key is not None]
        if view.how == "values":
            return [item for _, item in container.items]
        if view.how == "items":
            return [self._tuple(view, (Constant(key), item)) for key, item in container.items]
        return [_UNKNOWN]

    def _tuple(self, at: ExternalCall | Derived, items: Iterable[Argument]) -> Container:
        return Container("tuple", at.node, at.frame, tuple(enumerate(items)))

    def _by_builtin(self, value: ExternalCall) -> list[Argument]:
        given = value.arguments.positional
        if value.name == "enumerate" and given:
            return [
                self._tuple(value, (_UNKNOWN, item)) for item in self.interpreter.each(given[0])
            ]
        if value.name in ("zip", "itertools.zip_longest"):
            columns = self._as_long([self.interpreter.each(one) for one in given])
            if len({len(column) for column in columns}) == 1 and len(columns[0]) > 1:
                return [self._tuple(value, row) for row in zip(*columns, strict=True)]
            return [self._tuple(value, [self._either(value, column) for column in columns])]
        if value.name == "itertools.product":
            return self._combined(value)
        if value.name == "itertools.repeat" and given:
            return [given[0]]
        if value.name == "itertools.islice" and given:
            return self.interpreter.each(given[0])
        if value.name in ("reversed", "filter", "iter", "itertools.chain", "itertools.cycle"):
            return [item for one in given for item in self.interpreter.each(one)]
        if value.name == "itertools.chain.from_iterable" and given:
            parts = self.interpreter.each(given[0])
            return [item for part in parts for item in self.interpreter.each(part)]
        if value.name == "map" and len(given) > 1:
            return self._mapped(value)
        if value.name in self.interpreter.catalog.makers.values():
            return [self.made(value.node, value.frame, lambda: _item(value), "item", value)]
        row = self.interpreter.catalog.holder(value.name)
        if row is not None and row.gives == "list":
            return [value]
        return [_UNKNOWN]

    def _as_long(self, columns: list[list[Argument]]) -> list[list[Argument]]:
        """Return columns of which those that nobody has seen are as long as the others."""
        most = max(map(len, columns), default=0)
        return [column * most if self._is_unseen(column) else column for column in columns]

    def _is_unseen(self, column: list[Argument]) -> bool:
        """Return whether one item stands for all that may come: of something unknown, or of a library."""
        return len(column) == 1 and all(
            isinstance(each, (Unknown, Derived)) for each in self.interpreter.values(column[0])
        )

    def _combined(self, value: ExternalCall) -> list[Argument]:
        """Return as many items of a product as show each item of what it combines."""
        given = value.arguments
        columns = [self.interpreter.each(one) for one in given.positional]
        if not all(columns) or given.keywords or given.more_positional:
            return [_UNKNOWN]
        most = max(map(len, columns), default=0)
        return [
            self._tuple(value, (column[turn % len(column)] for column in columns))
            for turn in range(most)
        ]

    def _either(self, at: ExternalCall, items: list[Argument]) -> Argument:
        return items[0] if len(items) == 1 else _UNKNOWN

    def _mapped(self, value: ExternalCall) -> list[Argument]:
        found: list[Argument] = []
        for function in self.interpreter.values(value.arguments.positional[0]):
            for item in self.interpreter.each(value.arguments.positional[1]):
                reached = self.apply(function, Arguments((item,)), value.node, value.frame)
                found += [one.value for one in reached]
        return found

    def generated(self, value: Generator) -> list[Argument]:
        """Return what a generator may yield."""
        if isinstance(value.node, ast.GeneratorExp):
            inner = self.interpreter.inner(value.node, value.frame)
            return [Bound(value.node.elt, inner)]
        return self._yielded(value.inside) if value.inside is not None else [_UNKNOWN]

    def iterated_by(self, iterator: Function, owner: Instance) -> list[Argument]:
        """Return what iterating an object may give, by its `__iter__`."""
        node, frame = iterator.node, iterator.frame
        inside = self.frame_of(iterator, Arguments(), node, frame, owner)
        if inside is None:
            return [_UNKNOWN]
        if inside.scope.yields:
            return self._yielded(inside)
        given = (each.value for each in self.run(iterator, None, node, frame, owner))
        given_on = (value for value in given if value is not owner)
        return [item for value in given_on for item in self.interpreter.items(value, None, None)]

    def _yielded(self, inside: Frame) -> list[Argument]:
        if inside.scope in self._yielding:  # what it yields of its own items is among them
            return []
        found: list[Argument] = []
        self._yielding.add(inside.scope)
        try:
            for node in inside.scope.yields:
                if isinstance(node, ast.YieldFrom):
                    found += self.interpreter.each(Bound(node.value, inside))
                elif node.value is not None:
                    found.append(Bound(node.value, inside))
        finally:
            self._yielding.discard(inside.scope)
        return found

    def entered(self, value: Value, node: ast.expr, frame: Frame) -> list[Reached]:
        """Return what `with value as name` binds."""
        if isinstance(value, ExternalCall):
            return [Reached(value if self._enters_itself(value) else _UNKNOWN)]
        if isinstance(value, Generator) and value.function is not None:
            return [r for one in self.generated(value) for r in self.interpreter.reached(one)]
        if isinstance(value, Instance):
            enter = self.interpreter.instances.method(value.cls, "__enter__")
            if enter is not None:
                return list(self.run(enter, None, node, frame, value))
        return [Reached(value)]

    def _enters_itself(self, value: ExternalCall) -> bool:
        """Return whether `with` binds the very object: so do handles, pools and locks."""
        if value.name in _ENTERS_OTHER:
            return False
        catalog = self.interpreter.catalog
        return catalog.resource(value.name) is not None or catalog.boundary(value.name) is not None


def _other(name: str) -> str:
    """Return how the names begin of further values that one mapping may hold under a key."""
    return f"{name}[or "


def _gives_paths(value: Derived) -> bool:
    """Return whether iterating a value gives paths: `Path(folder).glob("*")`."""
    origin = origin_of(value)
    is_path = isinstance(origin, ExternalCall) and origin.name in _PATHS
    return value.called and is_path and value.how in ("glob", "rglob", "iterdir")


def _called(owner: Value, method: str, at: ExternalCall) -> Derived:
    return Derived(owner, method, at.node, at.frame, called=True)


def _item(value: Derived | ExternalCall) -> Derived:
    return Derived(value, "__iter__", value.node, value.frame)


def _is_named_by_other(value: Value) -> bool:
    """Return whether `functools.wraps` gives a function its name, also where it is not seen which."""
    decorators = getattr(value.node, "decorator_list", ()) if isinstance(value, Function) else ()
    given = isinstance(value, Function) and value.named is not None
    return given or any(
        isinstance(d, ast.Call) and last_name(d.func) == "wraps" for d in decorators
    )


def _name_of(function: Function) -> str:
    return str(getattr(function.node, "name", ""))


def makes_class(value: Value) -> TypeGuard[ExternalCall]:
    """Return whether a call makes a class: `namedtuple("P", "x y")`, `type(name, bases, names)`."""
    if not isinstance(value, ExternalCall):
        return False
    is_type = value.name == "type" and len(value.arguments.positional) == 3
    return is_type or value.name in _CLASS_MAKERS or value.name in _ENUMS


def is_member(value: Derived) -> bool:
    """Return whether a value is a member of an enumeration that a call makes: `Color.RED`, `Color["RED"]`."""
    return is_enumeration(value.origin) and (not value.called or value.how == "__getitem__")


def is_enumeration(made: Value) -> bool:
    """Return whether a call makes an enumeration: `Enum("Color", "RED GREEN")`."""
    return isinstance(made, ExternalCall) and made.name in _ENUMS


def class_of(value: Value) -> ExternalCall | None:
    """Return the class of an object, where a call makes it: of `Point(1, 2)`, `Point._make(pair)`, `Color.RED`."""
    if not isinstance(value, Derived) or not makes_class(value.origin):
        return None
    is_made = value.called and value.how in ("__call__", "_make")
    return value.origin if is_made or is_member(value) else None


@kept
def _spreads(node: ast.Call) -> bool:
    """Return whether a call has star arguments."""
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    return starred or any(keyword.arg is None for keyword in node.keywords)


def _taken_out(container: ast.expr, call: ast.Call, module: Module) -> Iterator[str]:
    """Yield the keys that statements before a call take out of a dict that it spreads."""
    child: ast.AST = call
    for above in module.ancestors(call):
        block = getattr(above, "body", None)
        if isinstance(block, list) and child in block:
            for statement in block[: block.index(child)]:
                yield from _removed(statement, ast.unparse(container))
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        child = above


def _removed(statement: ast.stmt, container: str) -> Iterator[str]:
    """Yield the keys that a plain statement takes out: `del d["k"]`, `x = d.pop("k")`."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Delete)):
        return
    for node in walk(statement):
        match node:
            case (
                ast.Subscript(value=held, slice=ast.Constant(value=str(key)), ctx=ast.Del())
                | ast.Call(
                    func=ast.Attribute(value=held, attr="pop"),
                    args=[ast.Constant(value=str(key)), *_],
                )
            ) if ast.unparse(held) == container:
                yield key


def _is_set_on(node: ast.Call, module: Module) -> bool:
    """Return whether code sets attributes or items of what a call's result is bound to: a name, or any `part.dataset`."""
    parent = module.parent(node)
    names = {_last_name(target) for target in getattr(parent, "targets", ())} - {None}
    return any(
        isinstance(target, ast.Attribute) and _last_name(target.value) in names
        for assign in (module.nodes(ast.Assign) if names else ())
        for target in assign.targets
    ) or any(any(True for _ in added_to(("", name), module)) for name in names if name is not None)


def _last_name(target: ast.expr) -> str | None:
    """Return a name, or that of an attribute of anything, after a dot."""
    if isinstance(target, ast.Attribute):
        return f".{target.attr}"
    return target.id if isinstance(target, ast.Name) else None


def _naming(node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Iterator[ast.expr]:
    """Yield the functions whose name the statements after a `def` give it."""
    block = getattr(frame.module.parent(node), "body", [])
    for statement in block[block.index(node) + 1 :] if node in block else ():
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=name), attr="__qualname__")],
                value=ast.Attribute(value=wrapped, attr="__qualname__"),
            ) if name == node.name:
                yield wrapped
            case ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="update_wrapper") | ast.Attribute(attr="update_wrapper"),
                    args=[ast.Name(id=name), wrapped, *_],
                )
            ) if name == node.name:
                yield wrapped


def _a_node(function: Function) -> ast.expr:
    node = function.node
    return node if isinstance(node, ast.Lambda) else ast.copy_location(ast.Constant(None), node)


def _depth(frame: Frame | None) -> int:
    """Return how deep a frame's calls nest; a line of constructors of one object is one call."""
    depth = 0
    while frame is not None and frame.caller is not None:
        depth += not _goes_on(frame, frame.caller)
        frame = frame.caller
    return depth


def _goes_on(frame: Frame, caller: Frame) -> bool:
    names = (frame.scope.name, caller.scope.name)
    return names == ("__init__", "__init__") and frame.owner is caller.owner


def _recurs(scope: Scope, frame: Frame | None) -> bool:
    """Return whether a function is already running further up, but for objects in one another.

    A constructor may make an object of its class, and call the function that makes it: `build(config)` in a registry.
    """
    left = _NESTED_OBJECTS
    makes_part = scope.name == "__init__"
    while frame is not None:
        makes_part = makes_part or frame.scope.name == "__init__"
        if frame.scope is scope:
            left -= 1
            if not left or not makes_part:
                return True
        frame = frame.caller
    return False
