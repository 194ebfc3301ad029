"""An instance's state: what pickle would see, worked out by running its constructor abstractly.

The statements of `__init__` (and of what it calls on the instance) are run in order; a later store
replaces an earlier one unless it may not run. Then come the stores of other methods that the parent
may run, and those of code outside. What `__getstate__` drops is left out by the walk, not here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project.bindings import EACH, unpacking
from dlfix.project.syntax import LOOPS, attribute_named, attributes_deleted, callee_name, is_super
from dlfix.project.trees import children, kept, summary, walk
from dlfix.reach.conditions import Surely, outcome
from dlfix.reach.crossing import Store
from dlfix.reach.methods import (
    decorator_kind,
    is_setter,
    self_names,
    stored_on_self,
    takes_instance,
)
from dlfix.reach.predicates import question
from dlfix.reach.records import record
from dlfix.reach.set_by_call import may_set, set_by_call, set_by_template
from dlfix.reach.special_methods import iterated_by, protocol_used
from dlfix.reach.storing import Storing, touched_by, wrappers
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    Class,
    Constant,
    External,
    ExternalCall,
    Frame,
    Function,
    Generator,
    Instance,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Above, Evaluator

Stores = dict[str, list[Store]]
Field = ast.AnnAssign | ast.Assign
_FIELDS = ("field", "ib", "attrib", "Field", "PrivateAttr")
_POST_INITS = ("__post_init__", "__attrs_post_init__", "model_post_init")
_DEEPEST = 24
_MOST_RUNS = 2_000  # of an object's methods: those that call each other have many ways
_WORKER_INFO = (
    "torch.utils.data.get_worker_info",
    "torch.utils.data._utils.worker.get_worker_info",
)
_CONSTRUCTING = frozenset({"__init__", *_POST_INITS, "__setstate__"})
_LEAVING_OUT = frozenset(
    {"__getstate__", "__reduce__", "__reduce_ex__", "__dict__", "delattr", "__delattr__", "vars"}
)
_SIMPLE = frozenset(
    {
        ast.Assign,
        ast.AnnAssign,
        ast.AugAssign,
        ast.Expr,
        ast.Return,
        ast.Assert,
        ast.Raise,
        ast.Delete,
    }
    | {ast.Pass, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Break, ast.Continue}
)
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


@record(frozen=True, eq=False, slots=True)
class Effects:
    """What a statement's own expressions, its blocks apart, may do to an object that goes by some names."""

    calls: tuple[ast.Call, ...]  # of its methods, of a base's, or with it as an argument
    targets: tuple[tuple[str, ast.expr, ast.expr | None, tuple[object, ...]], ...]
    setting: tuple[ast.Call, ...]
    deleted: tuple[str, ...]
    protocols: tuple[str, ...]  # special methods that are called without being named: `self[0]`


class State:
    """Reads the state of one instance."""

    def __init__(self, interpreter: Evaluator, instance: Instance) -> None:
        self.interpreter = interpreter
        self.instance = instance
        self.stores: Stores = {}
        self.passed_on: list[Argument] = []  # what init-only fields hand to `__post_init__`
        self.running: list[ast.AST] = []
        self._runs = 0
        self.method = "__init__"
        self.late = False
        self._returned: list[Stores] = []  # what holds where the method that runs has returned
        self._assumed: dict[tuple[ast.AST, str], bool] = {}  # what a local name of a method holds

    def made(self) -> Stores:
        """Return the stores on each attribute after construction."""
        self._fields()
        if not self.instance.bare:
            self._constructed()
        return self.stores

    def with_later(self, made: Stores, attribute: str | None = None) -> Stores:
        """Return them with those that may come later: of all methods, or of those that may store one attribute."""
        self.stores = {**made}
        storing = self._storing.methods if attribute is None else self._storing.of(attribute)
        self._later(storing - _CONSTRUCTING)
        return self.stores

    def _constructed(self) -> None:
        """Read the stores of what runs while an object is made."""
        new = self.interpreter.instances.method(self.instance.cls, "__new__")
        if new is not None:
            self._run(new, self.method_frame(new))
        init = self.interpreter.instances.method(self.instance.cls, "__init__")
        if init is not None:
            frame = self.constructor_frame(init)
            if frame is not None:
                self._run(init, frame)
        else:
            self._external_init(self.instance.cls, self._arguments(), self.instance.frame)
        for name in _POST_INITS:
            post = self.interpreter.instances.method(self.instance.cls, name)
            if post is not None:
                self._run(post, self._post_frame(post))

    def set_by_any(self, name: str) -> list[Store]:
        """Return the stores on one attribute by any method, whoever calls it."""
        roles = self.interpreter.roles
        for method, node in roles.methods(self.instance.cls).items():
            function = self.interpreter.instances.method(self.instance.cls, method)
            if function is not None and name in stored_on_self(node):
                self._run(function, self.method_frame(function))
        return self.stores.get(name, [])

    def _later(self, storing: frozenset[str]) -> None:
        """Join in what other methods store that the parent runs after construction."""
        roles = self.interpreter.roles
        if not storing:
            return
        self.late = True
        run = {*roles.run_by_parent(self.instance.cls, storing, self.instance)}
        if self.instance.call is None:  # whoever makes it may set its properties
            methods = roles.methods(self.instance.cls)
            run |= {name for name in storing if name in methods and is_setter(methods[name])}
        run -= {
            name
            for name in sorted(run)
            if roles.run_with_constructor(self.instance.cls, name, self.instance)
            or roles.run_with_others(self.instance.cls, name, self.instance)
        }
        for name in sorted(run):
            method = self.interpreter.instances.method(self.instance.cls, name)
            if method is None or not takes_instance(method.node):
                continue
            for run_first in (*wrappers(method, self.interpreter), method):
                before = {**self.stores}
                self._run(run_first, self.method_frame(run_first))
                self.stores = _joined(before, self.stores)
            self._cached(name, method)

    @cached_property
    def _storing(self) -> Storing:
        cls = self.instance.cls
        return self.interpreter.calls.made(
            cls.node, cls.frame, lambda: Storing(self.interpreter, cls), "storing"
        )

    def _cached(self, name: str, method: Function) -> None:
        """A cached property that the parent read is in `__dict__`."""
        node = method.node
        if decorator_kind(node) != "cached_property" or isinstance(node, ast.Lambda):
            return
        frame = self.method_frame(method)
        for returned in frame.scope.returns:
            if returned.value is not None:
                store = Store(
                    name, node, returned, Bound(returned.value, frame), frame, True, name, late=True
                )
                self.stores[name] = [*self.stores.get(name, ()), store]

    def _arguments(self) -> Arguments | None:
        return self.instance.arguments

    def constructor_frame(self, init: Function) -> Frame | None:
        """Return the frame of the constructor's run; None where calls nest too deep."""
        arguments = self._arguments()
        if arguments is None or self.instance.call is None or self.instance.frame is None:
            return self.method_frame(init)
        calls = self.interpreter.calls
        return calls.frame_of(
            init, arguments, self.instance.call, self.instance.frame, self.instance
        )

    def _post_frame(self, post: Function) -> Frame:
        """Return the frame of `__post_init__`, which gets the init-only fields."""
        call, frame = self.instance.call, self.instance.frame
        if call is None or frame is None:
            return self.method_frame(post)
        arguments = Arguments(tuple(self.passed_on))
        made = self.interpreter.calls.frame_of(post, arguments, call, frame, self.instance)
        return made or self.method_frame(post)

    def method_frame(self, method: Function) -> Frame:
        """Return the frame of a method of the instance, whatever calls it."""
        scope = method.module.inner_scope(method.node)
        return self.interpreter.calls.made(
            method.node,
            method.frame,
            lambda: Frame(scope, method.frame, None, self.instance),
            "frame",
            self.instance,
        )

    # Fields of dataclasses and attrs

    def _fields(self) -> None:
        """Store what the constructor made for a dataclass, attrs or named tuple class keeps."""
        self._fill(self.interpreter.instances.mro(self.instance.cls), self._arguments())

    def _fill(
        self, line: list[Class | External | Unknown], arguments: Arguments | None
    ) -> Class | None:
        """Fill the fields of the first class of a line, if its constructor is made from them."""
        classes = [base for base in line if isinstance(base, Class)]
        first = next((b for b in classes if has_fields(b) or "__init__" in b.body_names()), None)
        if first is None or "__init__" in first.body_names():
            return None
        fields = all_fields(classes)
        position = 0
        for name, (node, base) in fields.items():
            is_private = (
                isinstance(node.value, ast.Call) and callee_name(node.value.func) == "PrivateAttr"
            )
            made_by_init = _keyword(node.value, "init") is not False and not is_private
            given = arguments.get(position, name) if arguments and made_by_init else None
            body = self.interpreter.instances.body(base)
            self._field(name, node, body, given)
            if made_by_init and given is None and _may_give_more(arguments):
                self._put_unknown(name, node, body)
            elif made_by_init and arguments is not None and name in arguments.lacking:
                self._put_default(name, node, body)
            position += made_by_init
        return first

    def _put_unknown(self, name: str, node: Field, body: Frame) -> None:
        """Note that a field may be another value than its default: `Options(**vars(args))`."""
        call = self.instance.call
        if isinstance(call, ast.Call):
            given = Unknown("an argument of `*` or `**`")
            self._put(self._store(name, call, node, given, body, sure=False), sure=False)

    def _put_default(self, name: str, node: Field, body: Frame) -> None:
        """Note that a field may keep its default: a dict of options need not have its name."""
        default = self._default(node, body)
        if default is not None and node.value is not None:
            self._put(self._store(name, node.value, node, default, body, sure=False), sure=False)

    def _base_fields(self, above: Above, call: ast.Call, frame: Frame) -> bool:
        """Run `super().__init__(...)` where the constructor above is made from fields."""
        line = self.interpreter.instances.following(above)
        first = self._fill(line, self.interpreter.calls.arguments(call, frame))
        if first is None:
            return False
        for base in line[line.index(first) :]:
            if isinstance(base, Class) and "__post_init__" in base.body_names():
                post = self.interpreter.instances.method(base, "__post_init__")
                if post is not None:
                    self._run(post, self.method_frame(post))
                break
        return True

    def _field(self, name: str, node: Field, body: Frame, given: Argument | None) -> None:
        value = given if given is not None else self._default(node, body)
        if value is None or _keyword(node.value, "converter") is not None:
            return
        if isinstance(node, ast.AnnAssign) and "InitVar" in body.module.segment(node.annotation):
            self.passed_on.append(value)
        else:
            self._put(self._store(name, _target(node), node, value, body))

    def _default(self, node: Field, body: Frame) -> Argument | None:
        value = node.value
        if isinstance(value, ast.Call) and callee_name(value.func) in _FIELDS:
            factory = next(
                (k.value for k in value.keywords if k.arg in ("default_factory", "factory")), None
            )
            if factory is not None:
                return self._made_by(factory, value, body)
            default = next((k.value for k in value.keywords if k.arg == "default"), None)
            return Bound(default, body) if default is not None else None
        return Bound(value, body) if value is not None else None

    def _made_by(self, factory: ast.expr, call: ast.Call, body: Frame) -> Argument:
        for value in self.interpreter.values(Bound(factory, body)):
            for reached in self.interpreter.calls.apply(value, Arguments(), call, body):
                return reached.value
        return Unknown()

    # Running code

    def _run(self, function: Function, frame: Frame) -> None:
        node = function.node
        if node in self.running or isinstance(node, ast.Lambda):
            return
        if len(self.running) > _DEEPEST or self._runs >= _MOST_RUNS:
            self.interpreter.cut()
            return
        self._runs += 1
        self.running.append(node)
        outer, self.method = self.method, node.name
        above, self._returned = self._returned, []
        try:
            self._body(node, frame)
            for stores in self._returned:
                self.stores = _joined(self.stores, stores)
        finally:
            self.method, self._returned = outer, above
            self.running.pop()

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        """Run a method; once for each answer, where several tests ask what one name was set to."""
        name, value = _asked_again(node)
        before, after = {**self.stores}, None
        for held in (True, False) if name else ():
            filled = _empty_where(value, self_names(node), not held) if value is not None else None
            if filled is not None and all(map(_is_emptied, before.get(filled, ()))):
                continue  # it holds nothing as yet
            self.stores = {**before}
            self._assumed[node, name] = held
            self._block(node.body, frame, self_names(node), sure=True)
            after = self.stores if after is None else _joined(after, self.stores)
        if after is None:
            self._block(node.body, frame, self_names(node), sure=True)
        else:
            self.stores = after
            del self._assumed[node, name]

    def _block(
        self, block: list[ast.stmt], frame: Frame, me: frozenset[str], *, sure: bool
    ) -> None:
        for statement in block:
            self._statement(statement, frame, me, sure=sure)

    def _statement(self, node: ast.stmt, frame: Frame, me: frozenset[str], *, sure: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        effects = _effects(node, me)
        for call in effects.calls:
            self._call(call, frame, me, sure=sure)
        for name in effects.protocols:
            self._operate(name, sure=sure)
        for store in self._stores_of(node, effects, frame, me, sure=sure):
            self._put(store, sure=sure)
        self._assume(node, me)
        for name in effects.deleted if sure else ():
            self.stores.pop(name, None)
        if isinstance(node, ast.If):
            self._branches(node, frame, me, sure=sure)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self._block(node.body, frame, me, sure=sure)
        elif isinstance(node, ast.Try):
            self._block(node.body, frame, me, sure=sure)
            for handler in node.handlers:
                self._block(handler.body, frame, me, sure=False)
            self._block(node.orelse, frame, me, sure=sure)
            self._block(node.finalbody, frame, me, sure=sure)
        elif node.__class__ not in _SIMPLE:
            self._nested(node, frame, me)

    def _branches(self, node: ast.If, frame: Frame, me: frozenset[str], *, sure: bool) -> None:
        """Run both branches on copies of the state, then join them; one, where the test is known."""
        if not self._may_change(node, me):
            return
        asks_call = _asks_of_parameters(node.test, frame, self._given)
        held = outcome(node.test, frame, self.interpreter, self._surely(me)) if asks_call else None
        if held is None and frame.module.says("get_worker_info"):
            held = self._in_parent(node.test, frame)
        if held is None:
            held = self._known(node.test)
        if held is not None:
            self._block(node.body if held else node.orelse, frame, me, sure=sure)
            return
        before = {**self.stores}
        self._without(_empty_where(node.test, me, True))
        self._block(node.body, frame, me, sure=sure)
        after_body = self.stores
        self.stores = before
        self._without(_empty_where(node.test, me, False))
        self._block(node.orelse, frame, me, sure=sure)
        self.stores = self._after(after_body, node.body, self.stores, node.orelse)

    def _assume(self, node: ast.stmt, me: frozenset[str]) -> None:
        """Forget what an attribute may hold where a name was set to tell that it holds nothing."""
        if self._assumed and isinstance(node, ast.Assign):
            for target in node.targets:
                held = self._known(target)
                if held is not None:
                    self._without(_empty_where(node.value, me, held))

    def _known(self, test: ast.expr) -> bool | None:
        """Return how a test of a local name comes out in the case that is run."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._known(test.operand)
            return None if inner is None else not inner
        return (
            self._assumed.get((self.running[-1], test.id)) if isinstance(test, ast.Name) else None
        )

    def _in_parent(self, test: ast.expr, frame: Frame) -> bool | None:
        """Return how a test of what `get_worker_info()` gives comes out in the parent, where that is None."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            held = [self._in_parent(each, frame) for each in test.values]
            return False if False in held else None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._in_parent(test.operand, frame)
            return None if inner is None else not inner
        asked = question(test, frame, self.interpreter)
        values = self.interpreter.values_at(asked.subject, frame) if asked is not None else []
        is_info = [
            isinstance(value, ExternalCall) and value.name in _WORKER_INFO for value in values
        ]
        return asked.answer(Constant(None)) if asked and is_info and all(is_info) else None

    def _given(self, node: ast.expr) -> bool:
        """Return whether an attribute holds what the constructor was passed, and nothing else so far."""
        return self._passed(node) is not None

    def _passed(self, node: ast.expr) -> Bound | None:
        """Return the parameter of the constructor that an attribute holds, and nothing else so far."""
        if not isinstance(node, ast.Attribute) or self.method != "__init__":
            return None
        stores = self.stores.get(node.attr, [])
        bound = stores[0].value if len(stores) == 1 and not stores[0].conditional else None
        if not isinstance(bound, Bound) or not isinstance(bound.node, ast.Name):
            return None
        kinds = {b.kind for b in bound.frame.scope.bindings.get(bound.node.id, ())}
        return bound if kinds == {"parameter"} and not stores[0].path else None

    def _surely(self, me: frozenset[str]) -> Surely:
        """Return what says all that an expression is while the constructor runs: no other code has the object yet."""
        must = self.interpreter.must

        def values(node: ast.expr, frame: Frame) -> list[Value]:
            found = must.values(node, frame)
            is_own = isinstance(node, ast.Attribute) and _is_me(node.value, me)
            passed = self._passed(node) if is_own and not found else None
            if passed is None or any(isinstance(e, LOOPS) for e in frame.module.ancestors(node)):
                return found
            return must.values(passed.node, passed.frame)

        return values

    def _after(
        self, one: Stores, body: list[ast.stmt], other: Stores, orelse: list[ast.stmt]
    ) -> Stores:
        """Return what holds after either of two branches; where one returns, its stores are set aside."""
        for stores, block in ((one, body), (other, orelse)):
            if block and isinstance(block[-1], ast.Return):
                self._returned.append(stores)
        if _is_left(orelse):
            return one
        return other if _is_left(body) else _joined(one, other)

    def _may_change(self, node: ast.If, me: frozenset[str]) -> bool:
        """Return whether a branch may store on the instance, or its test tells what one holds."""
        if _empty_where(node.test, me, True) or _empty_where(node.test, me, False):
            return True
        return bool(touched_by(node, me)) or not self._storing.methods.isdisjoint(
            _called_on(node, me)
        )

    def _without(self, attribute: str | None) -> None:
        """Forget what an attribute may hold where it is known to hold nothing."""
        if attribute is not None:
            self.stores.pop(attribute, None)

    def _nested(self, node: ast.stmt, frame: Frame, me: frozenset[str]) -> None:
        for field in _BLOCKS:
            for inner in getattr(node, field, ()):
                if isinstance(inner, ast.stmt):
                    self._statement(inner, frame, me, sure=False)
                else:
                    self._block(inner.body, frame, me, sure=False)

    def _setter(self, attribute: str) -> Function | None:
        """Return the property that takes what is stored, so that nothing lands in `__dict__`."""
        method = self.interpreter.instances.method(self.instance.cls, attribute)
        is_property = method is not None and decorator_kind(method.node) == "property"
        return method if is_property else None

    def _set(self, setter: Function, store: Store, *, sure: bool) -> None:
        """Run the setter of a property on what is stored."""
        value = store.value if store.value is not None and not store.path else Unknown()
        frame = self.interpreter.calls.frame_of(
            setter, Arguments((value,)), store.node, store.frame, self.instance
        )
        if frame is None or len(setter.node.args.args) < 2:
            return
        before = {**self.stores}
        self._run(setter, frame)
        if not sure:
            self.stores = _joined(before, self.stores)

    def _put(self, store: Store, *, sure: bool = True) -> None:
        setter = self._setter(store.attribute)
        if setter is not None:
            self._set(setter, store, sure=sure)
            return
        # Branches share these lists: none is changed, another takes its place.
        so_far = self.stores.get(store.attribute, ())
        if sure:
            self.stores[store.attribute] = [store]
        elif all(store.node is not other.node for other in so_far):
            self.stores[store.attribute] = [*so_far, store]

    def _stores_of(
        self, node: ast.stmt, effects: Effects, frame: Frame, me: frozenset[str], *, sure: bool
    ) -> Iterator[Store]:
        for name, target, value, path in effects.targets:
            bound = Bound(value, frame) if value is not None else None
            yield self._store(name, target, node, bound, frame, path, sure=sure)
        for call in effects.setting:
            for name, given in set_by_call(call, frame, self.interpreter):
                yield self._store(name, call, node, given, frame, sure=sure)
            spelled = set_by_template(call, frame, self.interpreter)
            if spelled is not None and not self._may_leave_out:
                yield self._store(spelled[0], call, node, spelled[1], frame, sure=False)

    @cached_property
    def _may_leave_out(self) -> bool:
        """Return whether code of a class may take away attributes whose names it does not spell out."""
        line = self.interpreter.instances.mro(self.instance.cls)
        return any(_takes_away(base.node) for base in line if isinstance(base, Class))

    def _store(
        self,
        name: str,
        node: ast.expr,
        statement: ast.stmt,
        value: Argument | None,
        frame: Frame,
        path: tuple[object, ...] = (),
        *,
        sure: bool = True,
    ) -> Store:
        """Return what sets an attribute, as what runs now does it."""
        return Store(
            name, node, statement, value, frame, not sure, self.method, self.late, False, path
        )

    # Calls that store on the instance

    def _call(self, call: ast.Call, frame: Frame, me: frozenset[str], *, sure: bool) -> None:
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr == "__init__":
            above = self.interpreter.instances.above(func.value, frame)
            if above is not None and self._base_fields(above, call, frame):
                return
        handed = [a for a in call.args if isinstance(a, ast.Name) and a.id in me]
        is_own = isinstance(func, ast.Attribute) and (
            _is_me(func.value, me)
            or self.interpreter.instances.above(func.value, frame) is not None
        )
        if not (is_own or handed):
            return
        if not handed and self._is_idle(func, me):
            return
        before = None if sure else {**self.stores}
        for reached in self.interpreter.evaluate(func, frame):
            self._called(reached.value, call, frame, bool(is_own), handed)
        if before is not None:
            self.stores = _joined(before, self.stores)

    def _operate(self, name: str, *, sure: bool) -> None:
        """Run the special method that an operation on the instance calls."""
        name = iterated_by(name, self.interpreter.roles.methods(self.instance.cls))
        method = self.interpreter.instances.method(self.instance.cls, name)
        if method is None or name not in self._storing.methods:
            return
        before = None if sure else {**self.stores}
        outer, self.late = self.late, True  # it is the object's own use that opens what it needs
        self._run(method, self.method_frame(method))
        self.late = outer
        if before is not None:
            self.stores = _joined(before, self.stores)

    def _is_idle(self, func: ast.expr, me: frozenset[str]) -> bool:
        """Return whether a method that is called on the instance stores nothing on it."""
        own = isinstance(func, ast.Attribute) and _is_me(func.value, me)
        return own and func.attr not in self._storing.methods  # type: ignore[attr-defined]

    def _called(
        self, value: object, call: ast.Call, frame: Frame, is_own: bool, handed: list[ast.Name]
    ) -> None:
        from dlfix.reach.values import BoundMethod

        calls = self.interpreter.calls
        arguments = calls.arguments(call, frame)
        if isinstance(value, BoundMethod):
            inside = calls.frame_of(value.function, arguments, call, frame, value.owner)
            if inside is not None and value.owner is self.instance:
                self._run(value.function, inside)
        elif isinstance(value, Function) and handed and call.args[0] in handed:
            inside = calls.frame_of(value, arguments, call, frame, None)
            if inside is not None:
                self._run(value, inside)
        elif isinstance(value, External) and value.name.endswith(".__init__"):
            rest = arguments if is_own else Arguments(arguments.positional[1:], arguments.keywords)
            self._external_base(value.name.removesuffix(".__init__"), rest, call, frame)

    def _external_init(self, cls: Class, arguments: Arguments | None, frame: Frame | None) -> None:
        """No class of the tree has a constructor: an external base's is called."""
        if arguments is None or frame is None or self.instance.call is None:
            return
        for base in self.interpreter.instances.mro(cls):
            if isinstance(base, External):
                self._external_base(base.name, arguments, self.instance.call, frame)

    def _external_base(self, name: str, arguments: Arguments, call: ast.Call, frame: Frame) -> None:
        catalog = self.interpreter.catalog
        rows = [row for row in (catalog.dataset(name), catalog.holder(name)) if row is not None]
        row = max(rows, key=lambda each: len(each.parameters), default=None)  # not a whole family
        if row is None:
            return
        for parameter, attribute in row.keeps.items():
            index = row.parameters.index(parameter) if parameter in row.parameters else None
            value = arguments.get(index, parameter)
            statement = frame.module.statement(call)
            for part in self._kept_of(value, attribute) if value is not None else ():
                self._put(self._store(attribute, call, statement, part, frame))

    def _kept_of(self, value: Argument, attribute: str) -> Iterable[Argument]:
        """Return what a base keeps of an argument: itself, or the items of what it goes through."""
        if attribute != "[]" or not any(
            isinstance(each, Generator) for each in self.interpreter.values(value)
        ):
            return [value]
        return self.interpreter.each(value)


@summary
def _takes_away(cls: ast.AST) -> bool:
    """Return whether a class has a state of its own, or reaches into the dict of its attributes."""
    for node in walk(cls):
        match node:
            case ast.FunctionDef(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                if name in _LEAVING_OUT:
                    return True
    return False


def _target(field: Field) -> ast.expr:
    return field.target if isinstance(field, ast.AnnAssign) else field.targets[0]


def _may_give_more(arguments: Arguments | None) -> bool:
    """Return whether a call passes arguments whose names are not known: `Options(**vars(args))`."""
    return arguments is not None and (arguments.more_keywords or arguments.more_positional)


def has_fields(cls: Class) -> bool:
    """Return whether a class's constructor is made from its annotated names."""
    names = {callee_name(_callee(decorator)) for decorator in cls.node.decorator_list}
    if names & {"dataclass", "define", "attrs", "s", "frozen", "mutable"}:
        return True
    return any(callee_name(base) in ("BaseModel", "NamedTuple") for base in cls.node.bases)


def all_fields(classes: list[Class]) -> dict[str, tuple[Field, Class]]:
    """Return the fields of a line of classes by name, in the order of the constructor."""
    found: dict[str, tuple[Field, Class]] = {}
    for base in reversed(classes):
        if has_fields(base):
            found |= {name: (node, base) for name, node in fields_of(base)}
    return found


def fields_of(cls: Class) -> Iterator[tuple[str, Field]]:
    """Yield the fields a class's own body declares."""
    for node in cls.node.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if callee_name(
                func
            ) in ("ib", "attrib"):
                yield name, node
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        if "ClassVar" not in cls.module.segment(node.annotation):
            yield node.target.id, node


@summary
def _called_on(node: ast.AST, me: frozenset[str]) -> frozenset[str]:
    """Return the names of the methods that code calls on an object."""
    return frozenset(
        call.func.attr
        for call in walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and _is_me(call.func.value, me)
    )


def _targets(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None, tuple[object, ...]]]:
    """Yield the targets a statement stores to, with the expression and the unpacking path."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _unpacked(target, node.value, ())
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value, ()
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        yield from _unpacked(node.target, node.iter, (EACH,))
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars is not None:
                yield from _unpacked(item.optional_vars, item.context_expr, ())


def _unpacked(
    target: ast.expr, value: ast.expr, path: tuple[object, ...]
) -> Iterator[tuple[ast.expr, ast.expr, tuple[object, ...]]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element, step in unpacking(target.elts):
            yield from _unpacked(element, value, (*path, step))
    else:
        yield target, value, path


def _own_attribute(target: ast.expr, me: frozenset[str]) -> str | None:
    named = attribute_named(target) if isinstance(target, (ast.Attribute, ast.Subscript)) else None
    return named[1] if named is not None and _is_me(named[0], me) else None


@kept
def _effects(node: ast.stmt, me: frozenset[str]) -> Effects:
    calls = _calls_in(node)
    targets = ((_own_attribute(target, me), target, *more) for target, *more in _targets(node))
    return Effects(
        tuple(call for call in calls if _is_about(call, me)),
        tuple((name, *more) for name, *more in targets if name is not None),  # type: ignore[misc]
        tuple(call for call in calls if may_set(call, me)),
        tuple(name for owner, name in attributes_deleted(node) if _is_me(owner, me)),
        tuple(filter(None, (protocol_used(each, me) for each in _expressions_in(node)))),
    )


def _is_about(call: ast.Call, me: frozenset[str]) -> bool:
    """Return whether a call is of a method of an object or of a base's, or is handed the object."""
    if any(_is_me(argument, me) for argument in call.args):
        return True
    match call.func:
        case ast.Attribute(value=owner):
            return is_super(owner) or _is_me(owner, me)
    return False


@kept
def _calls_in(node: ast.stmt) -> tuple[ast.Call, ...]:
    """Return the calls of a statement's own expressions, inner ones first."""
    return tuple(each for each in _expressions_in(node) if isinstance(each, ast.Call))


@kept
def _expressions_in(node: ast.stmt) -> tuple[ast.AST, ...]:
    """Return a statement and its own expressions, inner ones first: not those of its blocks."""
    found: list[ast.AST] = [node]
    stack: list[ast.AST] = [node]
    while stack:
        here = stack.pop()
        for child in children(here):
            if isinstance(child, (ast.stmt, ast.Lambda, ast.ExceptHandler)):
                continue
            if type(child).__name__ == "match_case":
                continue
            found.append(child)
            stack.append(child)
    return tuple(found[::-1])


def _joined(one: Stores, other: Stores) -> Stores:
    """Return what holds after either of two branches."""
    joined = {**one, **other}
    for name, theirs in other.items():
        mine = one.get(name)
        if mine is not theirs:  # one of the branches has set it
            joined[name] = _either(mine or [], theirs)
    for name in one.keys() - other.keys():
        joined[name] = _either(one[name], [])
    return joined


def _either(mine: list[Store], theirs: list[Store]) -> list[Store]:
    both = [*mine, *(s for s in theirs if all(s.node is not m.node for m in mine))]
    sure = bool(mine) and bool(theirs)
    return both if sure else [replace(store, conditional=True) for store in both]


def _empty_where(test: ast.expr, me: frozenset[str], held: bool) -> str | None:
    """Return the attribute that holds nothing where a test came out so: `self.x is None`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _empty_where(operand, me, not held)
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
            is_none = isinstance(op, (ast.Is, ast.Eq))
            known = isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) and is_none is held
            return _own_attribute(left, me) if known else None
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]):
            return name if not held and _is_me(owner, me) else None
        case ast.Attribute():
            return None if held else _own_attribute(test, me)
    return None


def _asks_of_parameters(test: ast.expr, frame: Frame, given: Callable[[ast.expr], bool]) -> bool:
    """Return whether a test asks of nothing but what a call passes; `given` knows the attributes.

    What objects or modules are set to once is changed by hand: all branches are to work.
    """
    around = frame.scope.node
    own: Collection[str] = ()
    if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        own = self_names(around)
    for name in walk(test):
        if not isinstance(name, ast.Name):
            continue
        binder = frame.scope.lookup(name.id)
        kinds = {b.kind for b in binder.bindings.get(name.id, ())} if binder is not None else set()
        if not kinds <= {"parameter", "def", "class", "import"}:
            return False
        if name.id in own and not _is_given(frame.module.parent(name), given):
            return False
    return True


def _is_given(node: ast.AST | None, given: Callable[[ast.expr], bool]) -> bool:
    return isinstance(node, ast.expr) and given(node)


def _is_left(block: list[ast.stmt]) -> bool:
    """Return whether what follows a block does not run after it; a loop goes on, or is left, with its stores."""
    return bool(block) and isinstance(block[-1], (ast.Return, ast.Raise))


def _is_me(node: ast.expr, me: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in me


@summary
def _asked_again(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
) -> tuple[str, ast.expr | None]:
    """Return the name that a method sets once, to what it asks of its object, and tests several times.

    Where it asks first of all whether an attribute holds something, that is returned too; one test is enough then.
    """
    me = self_names(node)
    first = node.body[1:2] if ast.get_docstring(node, clean=False) is not None else node.body[:1]
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                about = any(
                    isinstance(n, ast.Attribute) and _is_me(n.value, me) for n in walk(value)
                )
                empty = _empty_where(value, me, True) or _empty_where(value, me, False)
                is_first = statement in first and empty is not None
                enough = len(_tests_of(node, name)) > (0 if is_first else 1)
                if about and enough and _is_set_once(node, name):
                    return name, value if is_first else None
    return "", None


def _is_emptied(store: Store) -> bool:
    given = store.value.node if isinstance(store.value, Bound) else None
    for step in store.path:  # `self.path, self.file = path, None`
        parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else []
        given = parts[step] if isinstance(step, int) and step < len(parts) else None
    return isinstance(given, ast.Constant) and given.value is None


def _tests_of(node: ast.AST, name: str) -> list[ast.If]:
    return [each for each in walk(node) if isinstance(each, ast.If) and _is_of(each.test, name)]


def _is_of(test: ast.expr, name: str) -> bool:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return isinstance(test, ast.Name) and test.id == name


def _is_set_once(node: ast.AST, name: str) -> bool:
    named = [each for each in walk(node) if isinstance(each, ast.Name) and each.id == name]
    return sum(not isinstance(each.ctx, ast.Load) for each in named) == 1


def _callee(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _keyword(node: ast.expr | None, name: str) -> object:
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == name:
                known = isinstance(keyword.value, ast.Constant)
                return keyword.value.value if known else keyword.value  # type: ignore[attr-defined]
    return None
