"""Attributes that hold nothing any more when their object crosses: a method that ran before emptied them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project.module import Module, Scope, enclosing_function
from dlfix.project.order import comes_before, lies_in
from dlfix.project.syntax import attributes_deleted, is_name, last_name
from dlfix.project.trees import COMPREHENSIONS, summary, walk
from dlfix.reach.access_paths import ADDING
from dlfix.reach.crossing import Boundary, Store
from dlfix.reach.methods import called_last, cleared_by, replaced_by
from dlfix.reach.sequence import place_in
from dlfix.reach.values import Bound, BoundMethod, Class, External, Frame, Function, Instance, Value

if TYPE_CHECKING:
    from dlfix.reach.interpreter import Interpreter

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PERHAPS = (ast.Lambda, ast.IfExp, ast.BoolOp, *COMPREHENSIONS)
_PUTTING = frozenset({*ADDING, "update", "extend"})
_BY_SYNTAX = frozenset({"__getitem__", "__len__"})
_MOST_CALLS = 3  # from the function that makes an object to the one that sends it
_DEEPEST = 1  # calls in the function that a statement calls are read, no further


@dataclass(frozen=True)
class Emptied:
    """An attribute that a call of a method of the object empties, or sets to another value."""

    attribute: str
    method: str
    call: ast.Call
    frame: Frame  # that of the call


@dataclass(frozen=True)
class Last:
    """What empties an attribute last, of an object that `made` binds to `name`."""

    made: ast.Assign
    name: str
    call: ast.Call  # in the function that makes the object
    by: Emptied


@dataclass(frozen=True)
class Way:
    """How code gets to a boundary: `sending` in its text, and what that calls on the way."""

    module: Module
    sending: ast.AST  # the boundary, or a call that leads to it
    leading: tuple[ast.AST, ...]  # the boundary and all calls that lead to it
    frames: tuple[Frame, ...] = ()  # of the functions that are called
    scope: Scope | None = None  # that of `sending`, if it is a call

    def called(self, call: ast.Call, caller: Frame, inside: Frame) -> Way:
        """Return the longer way by a call in a frame, which runs the function of another."""
        leading, frames = (*self.leading, call), (*self.frames, inside)
        return Way(caller.module, call, leading, frames, caller.scope)


class Cleared:
    """Reads the statements that surely run before one object crosses at one boundary."""

    def __init__(self, instance: Instance, boundary: Boundary, interpreter: Interpreter) -> None:
        self.instance = instance
        self.boundary = boundary
        self.interpreter = interpreter
        self._closers: dict[Module, set[str]] = {}

    def names(self) -> Iterator[str]:
        """Yield the attributes that are emptied."""
        for name in dict.fromkeys((*self._once_made(), *self._where_it_crosses())):
            if not self._is_filled_again(name):
                yield name

    def what_lasts(self, store: Store) -> Store | None:
        """Return what a method puts on an attribute as the object crosses; None where it is empty again.

        Code that follows what surely emptied or set it last must not run that method. Where the very method is what
        set it last, it holds what that call was passed.
        """
        emptied = self._last_emptied(store.attribute)
        if emptied is None:
            return store
        filling = self._leading_to({store.method})
        is_last = self._are_not_run_after(emptied, filling)
        if emptied.by.method == store.method:
            return self._set_by(emptied.by, store) if is_last else store
        return None if is_last else store

    def _last_emptied(self, attribute: str) -> Last | None:
        """Return what surely empties an attribute last, of an object that one function makes and sends, itself or by a call."""
        call, frame = self._outermost.call, self._outermost.frame
        module, sending = self._way.module, self._way.sending
        if call is None or frame is None or frame.module is not module:
            return None
        match module.statement(call):
            case ast.Assign(targets=[ast.Name(id=name)], value=value) as made if value is call:
                pass
            case _:
                return None
        emptied = [
            Last(made, name, *each)
            for statement in _run_between(module, made, sending)
            for each in self._emptying_calls(statement, name, attribute)
        ]
        return emptied[-1] if emptied else None

    def _are_not_run_after(self, last: Last, filling: AbstractSet[str]) -> bool:
        """Return whether code that follows what emptied an attribute runs none of some methods."""
        module = self._way.module
        around = enclosing_function(module, last.made) or module.tree
        own = [
            node
            for node in walk(around)
            if is_name(node, last.name)
            and comes_before(last.call, node)
            and not lies_in(node, last.call)
        ]
        uses = [*((module, node) for node in own), *self._uses_on_the_way()]
        return all(
            isinstance(node.ctx, ast.Load) and self._leaves_empty(node, where, filling)
            for where, node in uses
        )

    def _uses_on_the_way(self) -> Iterator[tuple[Module, ast.Name]]:
        """Yield the names that the object has in the functions which are called until it crosses."""
        for frame in self._way.frames:
            for node in walk(frame.scope.node):
                if isinstance(node, ast.Name) and any(
                    map(self._is_it, self._values(frame.module, node))
                ):
                    yield frame.module, node

    def _is_filled_again(self, attribute: str) -> bool:
        """Return whether code that follows what emptied a container may run a method that puts something in."""
        emptied = self._last_emptied(attribute)
        if emptied is None:
            return False
        methods = self.interpreter.roles.methods(self.instance.cls)
        filling = {name for name, node in methods.items() if attribute in _puts_into(node)}
        return not self._are_not_run_after(emptied, self._leading_to(filling))

    @cached_property
    def _around(self) -> list[Instance]:
        """The object, and those in whose constructors it is made, the outermost last."""
        found = [self.instance]
        while (frame := found[-1].frame) is not None and isinstance(frame.owner, Instance):
            if frame.owner in found or frame.scope.name != "__init__":
                break
            found.append(frame.owner)
        return found

    @property
    def _outermost(self) -> Instance:
        return self._around[-1]

    @cached_property
    def _way(self) -> Way:
        """The way to the boundary from the function that makes the object, where one call there leads to it."""
        here = Way(self.boundary.frame.module, self.boundary.node, (self.boundary.node,))
        made = self._outermost.frame
        if made is None or made.scope is self.boundary.frame.scope:
            return here
        ways = [
            way
            for way in self._ways(self.boundary.frame, here, _MOST_CALLS)
            if way.scope is made.scope
        ]
        return ways[0] if len({way.sending for way in ways}) == 1 else here

    def _ways(self, frame: Frame, way: Way, depth: int) -> Iterator[Way]:
        """Yield the ways to a boundary by the calls that lead to a frame."""
        for each in self.interpreter.contexts.of(frame).frames or (frame,):
            if depth and each.call is not None and each.caller is not None:
                longer = way.called(each.call, each.caller, frame)
                yield longer
                yield from self._ways(each.caller, longer, depth - 1)

    def _leading_to(self, methods: AbstractSet[str]) -> AbstractSet[str]:
        """Return the methods of the outermost object that may lead to some of the object's."""
        roles = self.interpreter.roles
        for each in self._around:
            if each is not self.instance:
                own = roles.methods(each.cls)
                special = any(each.startswith("__") for each in methods - _BY_SYNTAX)
                methods = {n for n, node in own.items() if special or methods & _names_read(node)}
            methods = {lead for name in methods for lead in roles.leading_to(each.cls, name)}
        return methods

    def _set_by(self, by: Emptied, store: Store) -> Store:
        """Return a store of a method as one call of the method makes it."""
        calls = self.interpreter.calls
        method = self.interpreter.instances.method(self.instance.cls, store.method)
        if method is None or not isinstance(store.value, Bound):
            return store
        given = calls.arguments(by.call, by.frame)
        inside = calls.frame_of(method, given, by.call, by.frame, self.instance)
        if inside is None or inside.scope is not store.value.frame.scope:
            return store
        return replace(store, value=Bound(store.value.node, inside), frame=inside)

    def _emptying_calls(
        self, statement: ast.stmt, name: str, attribute: str
    ) -> Iterator[tuple[ast.Call, Emptied]]:
        """Yield the calls of a statement that surely empty an attribute of the object of a name, and how."""
        module = self._way.module
        for call in _calls_of(statement):
            of = call.func.value if isinstance(call.func, ast.Attribute) else None
            frame = self.interpreter.frame_at(module, call)
            is_own = is_name(of, name) and len(self._around) == 1
            if is_own and attribute in self._emptied_by(last_name(call.func)):
                yield call, Emptied(attribute, last_name(call.func), call, frame)
            elif any(is_name(node, name) for node in (*self._asked(of), *call.args)):
                found = self._emptied_by_call(call, frame, _DEEPEST + len(self._around) - 1)
                inner = [each for each in found if each.attribute == attribute]
                yield from ((call, each) for each in inner[-1:])

    def _asked(self, of: ast.expr | None) -> list[ast.expr | None]:
        """Return the object whose method is called, where that is one around the object."""
        return [of] if len(self._around) > 1 else []

    def _leaves_empty(self, node: ast.Name, module: Module, filling: AbstractSet[str]) -> bool:
        """Return whether a use of the object by its name fills nothing that is then sent."""
        if any(lies_in(node, each) for each in self._way.leading):
            return True
        above = module.parent(node)
        match above:
            case ast.Attribute(attr=method) if above.value is node:
                used = method
            case ast.Subscript() if above.value is node:
                used = "__getitem__"
            case ast.Call(func=ast.Name(id="len")):
                used = "__len__"
            case _:
                return False
        used_by = module.parent(above) if isinstance(above, ast.Attribute) else above
        return used not in filling or self.interpreter.roles.starts_none(node, used_by, module)

    def _once_made(self) -> Iterator[str]:
        """Yield what is emptied of the new object: `Rows(path).closed()`, `data = Rows(path); data.close()`."""
        call, frame = self.instance.call, self.instance.frame
        if call is None or frame is None or call not in frame.module.parents:
            return
        module = frame.module
        for name in _chained(module, call):
            yield from self._emptied_by(name)
        for statement in self._following(module, call):
            for owner, names in self._emptied_in(statement):
                values = self._values(module, owner)
                if values and all(map(self._is_it, values)):
                    yield from names
            yield from self._emptied_by_called(statement, module)

    def _following(self, module: Module, call: ast.AST) -> Iterable[ast.stmt]:
        """Return the statements that run once the object is made, and before it crosses."""
        made = module.statement(call)
        if module is self._way.module:
            between = _run_between(module, made, self._way.sending)
            if between:
                return between
        return () if self._sends_itself() else _till_handed_on(module, made)

    def _sends_itself(self) -> bool:
        """Return whether methods of the object may be what sends it."""
        line = self.interpreter.instances.mro(self.instance.cls)
        classes = [each for each in line if not isinstance(each, External)]
        return any(
            not isinstance(cls, Class) or _hands_on(cls) or self._is_in(cls) for cls in classes
        )

    def _is_in(self, cls: Class) -> bool:
        """Return whether the boundary is in a method of a class."""
        return cls.module is self.boundary.frame.module and lies_in(self.boundary.node, cls.node)

    def _where_it_crosses(self) -> Iterator[str]:
        """Yield what is emptied of the object that is sent, in the code before the boundary."""
        module, node = self.boundary.frame.module, self.boundary.node
        sent = {each.id for each in _given(node) if isinstance(each, ast.Name)}
        for statement in _run_before(module, node):
            for owner, names in self._emptied_in(statement):
                given = owner.id in sent and not _is_bound_after(module, statement, owner)
                if given and any(map(self._is_it, self._values(module, owner))):
                    yield from names
            yield from self._emptied_by_called(statement, module)

    def _emptied_by_called(self, statement: ast.stmt, module: Module) -> Iterator[str]:
        """Yield what a statement empties by other code: `finish(rows)`, `self.rows.close()`, `owner.done()`."""
        call = getattr(statement, "value", None)
        if self._emptying and isinstance(call, ast.Call):
            frame = self.interpreter.frame_at(module, call)
            for each in self._emptied_by_call(call, frame, _DEEPEST):
                yield each.attribute

    def _emptied_by_call(self, call: ast.Call, frame: Frame, depth: int) -> Iterator[Emptied]:
        """Yield what a call, made for sure, empties of the object."""
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in self._emptying:
            is_one = isinstance(func.value, (ast.Name, ast.Attribute))  # no item of several
            owners = self.interpreter.values_at(func.value, frame) if is_one else []
            if owners and all(map(self._is_it, owners)):
                for attribute in sorted(self._emptied_by(func.attr)):
                    yield Emptied(attribute, func.attr, call, frame)
                return
        if not depth or last_name(func) not in self._closing(frame.module):
            return
        callees = self.interpreter.values_at(func, frame)
        callee = callees[0] if len(callees) == 1 else None
        owner = callee.owner if isinstance(callee, BoundMethod) else None
        function = callee.function if isinstance(callee, BoundMethod) else callee
        if not isinstance(function, Function) or not self._may_empty(function):
            return
        calls = self.interpreter.calls
        inside = calls.frame_of(function, calls.arguments(call, frame), call, frame, owner)
        if inside is not None:
            for inner in _surely_called(function.node):
                if len(self._around) == 1 or _is_last_use(inner, function.node):
                    yield from self._emptied_by_call(inner, inside, depth - 1)

    @cached_property
    def _emptying(self) -> frozenset[str]:
        """The methods of the object that empty an attribute."""
        methods = self.interpreter.roles.methods(self.instance.cls)
        return frozenset(name for name in methods if self._emptied_by(name))

    def _closing(self, module: Module) -> set[str]:
        """Return the names of the functions, near the code or the class, that call a method which empties."""
        if module not in self._closers:
            self._closers[module] = {
                above.name
                for near in (module, self.instance.cls.module)
                for name in self._emptying
                for node in near.attributes_by_name.get(name, ())
                for above in near.ancestors(node)
                if isinstance(above, _DEFINITIONS)
            }
        return self._closers[module]

    def _may_empty(self, function: Function) -> bool:
        return any(
            isinstance(node, ast.Attribute) and node.attr in self._emptying
            for node in walk(function.node)
        )

    def _values(self, module: Module, name: ast.Name) -> list[Value]:
        return self.interpreter.values_at(name, self.interpreter.frame_at(module, name))

    def _is_it(self, value: Value) -> bool:
        """Return whether a value is the object, whoever called the function that makes it."""
        made = value.call if isinstance(value, Instance) else None
        return value == self.instance or (made is not None and made is self.instance.call)

    def _emptied_in(self, statement: ast.stmt) -> Iterator[tuple[ast.Name, Iterable[str]]]:
        """Yield what a statement by itself empties, each with the name of the object."""
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr=method))
            ):
                yield owner, self._emptied_by(method)
        for of, name in attributes_deleted(statement):
            if isinstance(of, ast.Name):
                yield of, [name]

    def _emptied_by(self, name: str) -> frozenset[str]:
        """Return the attributes that a method of the object empties, itself or by the method that it calls last."""
        method = self.interpreter.instances.method(self.instance.cls, name)
        if method is None:
            return frozenset()
        own = cleared_by(method.node) | replaced_by(method.node)
        last = self.interpreter.instances.method(self.instance.cls, called_last(method.node))
        return own if last is None else own | cleared_by(last.node) | replaced_by(last.node)


@summary
def _names_read(node: ast.AST) -> frozenset[str]:
    """Return the attributes that a method reads, of whatever object, and what it may call by the syntax."""
    nodes = [*walk(node)]
    read = {inner.attr for inner in nodes if isinstance(inner, ast.Attribute)}
    read |= {"__getitem__" for inner in nodes if isinstance(inner, ast.Subscript)}
    return frozenset(read | {"__len__" for inner in nodes if is_name(inner, "len")})


def _is_last_use(call: ast.Call, function: ast.AST) -> bool:
    """Return whether a function does nothing more with what it was given once it has made a call."""
    arguments = getattr(function, "args", None)
    given = {each.arg for each in walk(arguments) if isinstance(each, ast.arg)} if arguments else ()
    return not any(
        isinstance(node, ast.Name)
        and node.id in given
        and comes_before(call, node)
        and not lies_in(node, call)
        for node in walk(function)
    )


@summary
def _puts_into(node: ast.AST) -> frozenset[str]:
    """Return the attributes of its object, containers, that a method puts something into."""
    return frozenset(
        owner.attr
        for inner in walk(node)
        for owner in [_put_into(inner)]
        if isinstance(owner, ast.Attribute) and is_name(owner.value, "self")
    )


def _put_into(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Subscript(value=owner, ctx=ast.Store()):
            return owner
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in _PUTTING:
            return owner
    return None


def _calls_of(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that a statement surely makes: of a block, only a loop's first."""
    if isinstance(node, ast.For):
        yield from _calls_of(node.iter)
    if isinstance(node, _PERHAPS) or hasattr(node, "body"):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _calls_of(child)


def _surely_called(function: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that are statements of a function and that each call of it makes."""
    for statement in _flat(
        getattr(function, "body", []) if isinstance(function, _DEFINITIONS) else []
    ):
        if any(isinstance(node, (ast.Return, ast.Yield)) for node in walk(statement)):
            yield from _called_at_the_end(statement)
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement.value


def _called_at_the_end(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls that are statements of the `finally` of a `try`, which runs however that ends."""
    for each in statement.finalbody if isinstance(statement, ast.Try) else ():
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            yield each.value


def _chained(module: Module, call: ast.AST) -> Iterator[str]:
    """Yield the methods that are called on what a call makes, one on the result of the other."""
    while True:
        match module.parent(call):
            case ast.Attribute(value=made, attr=name) as method if made is call:
                above = module.parent(method)
            case _:
                return
        if not isinstance(above, ast.Call) or above.func is not method:
            return
        yield name
        call = above


def _run_between(module: Module, made: ast.stmt, node: ast.AST) -> list[ast.stmt]:
    """Return the statements that surely run after one and before a node; none where it is not below."""
    found: list[ast.stmt] = []
    while True:
        parent = module.parent(made)
        block = getattr(parent, "body", [])
        if made not in block:
            return []
        last = place_in(block, module, node)
        found += _flat(block[block.index(made) + 1 : last])
        if last is not None:
            return found if last > block.index(made) else []
        if not isinstance(parent, (ast.With, ast.AsyncWith)):
            return []
        made = parent


def _run_before(module: Module, node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements that surely run before a node, in its function or at the top of its module."""
    for each in (node, *module.ancestors(node)):
        if isinstance(each, (*_DEFINITIONS, ast.Lambda, ast.ClassDef)):
            return
        above = module.parent(each)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and each in block:
                yield from _flat(block[: block.index(each)])


def _till_handed_on(module: Module, made: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements after one that makes an object, till other code gets it."""
    held = {ast.unparse(each) for each in getattr(made, "targets", ()) if _is_held(each)}
    block = getattr(module.parent(made), "body", [])
    if not held or made not in block:
        return
    for statement in _flat(block[block.index(made) + 1 :]):
        if any(_is_handing(node, held, module) for node in walk(statement)):
            return
        yield statement


def _is_held(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Attribute) and is_name(target.value, "self")
    )


def _is_handing(node: ast.AST, held: set[str], module: Module) -> bool:
    """Return whether a node hands on what is held, or the object that holds it, or calls a method of that."""
    above = module.parent(node)
    if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in held:
        return not isinstance(above, ast.Attribute)
    if not is_name(node, "self") or not any(name.startswith("self.") for name in held):
        return False
    call = module.parent(above) if isinstance(above, ast.Attribute) else None
    return call is None or (isinstance(call, ast.Call) and call.func is above)


def _flat(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block and, in place of each `with`, those of its body; a `finally` runs as well."""
    for each in block:
        if isinstance(each, (ast.With, ast.AsyncWith)):
            yield from _flat(each.body)
        else:
            yield each
            yield from _flat(each.finalbody) if isinstance(each, ast.Try) else ()


def _given(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of what a boundary's call is given."""
    for each in [*node.args, *node.keywords] if isinstance(node, ast.Call) else []:
        yield from walk(each)


def _is_bound_after(module: Module, statement: ast.stmt, name: ast.Name) -> bool:
    """Return whether a name is bound after a statement: to another object, it may be."""
    function = enclosing_function(module, statement) or module.tree
    return any(
        is_name(node, name.id)
        and not isinstance(node.ctx, ast.Load)
        and comes_before(statement, node)
        for node in walk(function)
    )


def _hands_on(cls: Class) -> bool:
    """Return whether methods of a class pass their object, or a method of it, to other code."""
    defined = (each for each in cls.node.body if isinstance(each, _DEFINITIONS))
    methods = {each.name for each in defined if not each.decorator_list}
    uses = (node for node in walk(cls.node) if is_name(node, "self"))
    return any(_is_handed_on(cls.module, node, methods) for node in uses)


def _is_handed_on(module: Module, node: ast.AST, methods: set[str]) -> bool:
    parent = module.parent(node)
    if not isinstance(parent, ast.Attribute):
        return not isinstance(parent, ast.Return)
    call = module.parent(parent)
    called = isinstance(call, ast.Call) and call.func is parent
    return parent.attr in methods and not called
