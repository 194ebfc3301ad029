"""Objects of the tree's classes: their bases, methods and attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from dlfix.project import scan
from dlfix.project.module import Module, enclosing_function
from dlfix.project.syntax import (
    LOOPS,
    attribute_named,
    attributes_of,
    is_attribute_of,
    is_private,
    is_super,
    key_of,
)
from dlfix.project.trees import summary
from dlfix.reach.conditions import is_dead
from dlfix.reach.constructions import may_be_made
from dlfix.reach.correlated import excluded, replaced_unless, tests_around
from dlfix.reach.crossing import Store
from dlfix.reach.enums import is_enum, members
from dlfix.reach.evaluator import Above, Base
from dlfix.reach.instance_state import State, Stores, all_fields
from dlfix.reach.layers import with_its_nets
from dlfix.reach.methods import (
    PROPERTIES,
    annotated_names,
    decorator_kind,
    methods_of,
    stored_names,
)
from dlfix.reach.sequence import surely_after
from dlfix.reach.set_by_call import owner_set, set_by_call, setting
from dlfix.reach.values import (
    Argument,
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
    Instance,
    Member,
    Passed,
    Reached,
    Unknown,
    Value,
    part_of,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

T = TypeVar("T")
_MOST_OWNERS = 8  # objects of one class that are told apart where they set what others keep
_OWN = ("self", "cls")  # what a method's first parameter is usually called
_UNKNOWN = Unknown()
MOST_SUBCLASSES = 48
_METACLASSES = frozenset({"type", "builtins.type", "abc.ABCMeta", "enum.EnumMeta"})
_REDUCTIONS = ("multiprocessing.reduction", "torch.multiprocessing.reductions")
# What tells the pickler of processes how to pickle a type: a word of the text, the last name of the call, its full names.
_REGISTERING = (
    ("copyreg", "pickle", frozenset({External("copyreg.pickle")})),
    *(
        (
            word,
            "register",
            frozenset({External(f"{library}.{name}") for library in _REDUCTIONS for name in names}),
        )
        for word, names in (
            ("ForkingPickler", ("ForkingPickler.register",)),
            ("reduction", ("register",)),
        )
    ),
)
_OF_DATASETS = frozenset({"__getitem__", "__add__", "__init_subclass__", "__class_getitem__"})
_RUN_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_BODIES = ("body", "orelse", "finalbody")
# What stands for an object: its call or its class; of a list that a call makes, the call and the place in it.
Made = ast.AST | tuple[ast.AST, int]
Setting = ast.Attribute | ast.Call  # what sets an attribute: a target, or a call of setattr


def _bound_to(node: ast.expr, frame: Frame) -> ast.expr | None:
    """Return what the module binds a name to, if it does so once; any other expression as it is."""
    if not isinstance(node, ast.Name):
        return node
    bindings = frame.module.scope.bindings.get(node.id, [])
    return bindings[0].value if len(bindings) == 1 else None


class Instances:
    """Looks up what hangs from classes and instances."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._mro: dict[Class, list[Base]] = {}
        self._unfollowed: dict[Class, list[Base]] = {}  # of these, those outside the tree
        self._lining_up = 0
        self._methods: dict[tuple[Class, str], Function | None] = {}
        self._subclasses: dict[Class, list[Class]] = {}
        self._set_at: dict[tuple[str, Class], Replayed[tuple[Module, Setting]]] = {}
        self._is_set_by_any: dict[str, bool] = {}
        self._only: dict[tuple[Instance, str], Bound | None] = {}
        self._anyone: dict[Class, Instance] = {}
        self._by_any: dict[tuple[Instance, str], list[Store]] = {}
        self._constructed: dict[Instance, Stores] = {}
        self._being_made: set[Instance] = set()
        self._on: dict[tuple[Instance, str], list[Store]] = {}
        self._states: dict[Instance, Stores] = {}
        self._outside: dict[Module, dict[Made, list[Store]]] = {}

    def anyone(self, cls: Class) -> Instance:
        """Return the instance of a class that nobody in view makes."""
        if cls not in self._anyone:
            self._anyone[cls] = Instance(cls)
        return self._anyone[cls]

    # Classes

    def mro(self, cls: Class) -> list[Base]:
        """Return a class and its bases in lookup order (depth first, later duplicates win)."""
        if cls not in self._mro:
            self._mro[cls] = [cls]  # a class among its own bases ends here
            self._unfollowed[cls] = []
            self._lining_up += 1
            found: list[Base] = [cls]
            unfollowed: list[Base] = []
            for base in cls.node.bases:
                line = self._base(base, cls)
                found += line
                first = line[0]
                unfollowed += self._unfollowed[first] if isinstance(first, Class) else line
            self._mro[cls] = _last_of_each(found)
            self._unfollowed[cls] = _last_of_each(unfollowed)
            self._lining_up -= 1
        return self._mro[cls]

    def outside_bases(self, cls: Class) -> list[External]:
        """Return the bases of a class that are of libraries, without a look at the others."""
        self.mro(cls)
        return [base for base in self._unfollowed[cls] if isinstance(base, External)]

    def subclasses(self, cls: Class) -> list[Class]:
        """Return the classes in view that derive from a class."""
        if cls not in self._subclasses:
            self._subclasses[cls] = []
            found = list(dict.fromkeys(self._deriving(cls)))
            self.interpreter.cut(when=len(found) > MOST_SUBCLASSES)
            self._subclasses[cls] = found[:MOST_SUBCLASSES]
        return self._subclasses[cls]

    def is_made(self, cls: Class) -> bool:
        """Return whether code in view is written to make objects of a class."""
        callers = self.interpreter.callers
        users = self.interpreter.project.users(cls.module, cls.name)
        return any(callers.named(module, cls.name) for module in users)

    def may_be_made(self, cls: Class) -> bool:
        """Return whether code in view uses a class as a value: a registry may make objects of it."""
        users = self.interpreter.project.users(cls.module, cls.name)
        return may_be_made(cls, dict.fromkeys((cls.module, *users)))

    def _deriving(self, cls: Class) -> Iterator[Class]:
        for module in self.interpreter.project.users(cls.module, cls.name):
            for node in module.deriving(cls.name):
                found = self.interpreter.class_value(node, self.interpreter.frame_at(module, node))
                if found is not cls and cls in self.mro(found):
                    yield found
                    yield from self.subclasses(found)

    def metaclass(self, cls: Class) -> Class | None:
        """Return the class of the tree that a class, or a base of it, names as its metaclass."""
        for base in self.mro(cls):
            for keyword in base.node.keywords if isinstance(base, Class) else ():
                if keyword.arg == "metaclass":
                    values = self.interpreter.values_at(keyword.value, base.frame)  # type: ignore[union-attr]
                    return next((value for value in values if isinstance(value, Class)), None)
        return None

    def made_by(self, metaclass: Class) -> list[Class]:
        """Return the classes in view that a metaclass makes."""
        found: list[Class] = []
        for module in self.interpreter.project.users(metaclass.module, metaclass.name):
            for node in module.classes:
                if any(keyword.arg == "metaclass" for keyword in node.keywords):
                    cls = self.interpreter.class_value(
                        node, self.interpreter.frame_at(module, node)
                    )
                    found += (
                        [cls, *self.subclasses(cls)] if self.metaclass(cls) is metaclass else []
                    )
        return found

    def is_metaclass(self, cls: Class) -> bool:
        """Return whether the objects of a class are classes."""
        return any(base.name in _METACLASSES for base in self.outside_bases(cls))

    @cached_property
    def registered(self) -> list[Class]:
        """The classes whose objects a function takes apart that is given to `copyreg.pickle`, or to the pickler of processes."""
        values = (
            value
            for given, frame in self._given_to_picklers()
            for value in self.interpreter.values_at(given, frame)
        )
        return [value for value in values if isinstance(value, Class)]

    @cached_property
    def registered_makers(self) -> frozenset[str]:
        """The types given to `copyreg.pickle` and the like, and what makes objects of them: `type(threading.Lock())`."""
        found = set()
        for given, frame in self._given_to_picklers():
            values = self.interpreter.values_at(given, frame)
            found |= {each.name for each in values if isinstance(each, External)}
            match _bound_to(given, frame):
                case ast.Call(func=ast.Name(id="type"), args=[made]):
                    values = self.interpreter.values_at(made, frame)
                    found |= {each.name for each in values if isinstance(each, ExternalCall)}
        return frozenset(found)

    def _given_to_picklers(self) -> Iterator[tuple[ast.expr, Frame]]:
        for word, method, names in _REGISTERING:
            for module in self.interpreter.project.mentions(word):
                for call in module.calls_by_name.get(method, ()):
                    frame = self.interpreter.frame_at(module, call)
                    called = self.interpreter.values_at(call.func, frame)
                    if call.args and not names.isdisjoint(called):
                        yield call.args[0], frame

    @property
    def settled(self) -> bool:
        """Whether no MRO is being worked out, so that what is read of one may be remembered."""
        return not self._lining_up

    def _base(self, base: ast.expr, cls: Class) -> list[Base]:
        values = [reached.value for reached in self.interpreter.evaluate(base, cls.frame)]
        for value in sorted(values, key=lambda each: not self._is_known_base(each)):
            if isinstance(value, Class):
                return list(self.mro(value))
            if isinstance(value, (External, Unknown)):
                return [value]
            if isinstance(value, ExternalCall):
                return [External(value.name)]
            if isinstance(value, Derived) and isinstance(value.origin, ExternalCall):
                row = self.interpreter.catalog.boundary(value.origin.name)
                return [External(f"{row.type}.{value.how}")] if row is not None else [_UNKNOWN]
        return [_UNKNOWN]

    def _is_known_base(self, value: Value) -> bool:
        """Return whether a base is of the catalogue: what stands in for a missing library is not."""
        name = getattr(value, "name", "") if isinstance(value, External) else ""
        catalog = self.interpreter.catalog
        return catalog.dataset(name) is not None or catalog.boundary(name) is not None

    def is_dataset(self, value: Value) -> bool:
        """Return whether a value is an object of a class that derives from a dataset."""
        return isinstance(value, Instance) and any(
            self.interpreter.catalog.dataset(base.name) is not None
            for base in self.outside_bases(value.cls)
        )

    def serves_samples(self, value: Value) -> bool:
        """Return whether an object can be a loader's dataset: by its base, or by what it can do."""
        return self.is_dataset(value) or (
            isinstance(value, Instance)
            and all(self.method(value.cls, name) for name in ("__getitem__", "__len__"))
        )

    def body(self, cls: Class) -> Frame:
        """Return the frame of a class's body."""
        return self.interpreter.inner(cls.node, cls.frame)

    def method(self, cls: Class, name: str) -> Function | None:
        """Return a method by name, own or inherited, as it is written."""
        key = (cls, name)
        if key in self._methods:
            return self._methods[key]
        found = self._first_method(self.mro(cls), name)
        if self.settled:
            self._methods[key] = found
        return found

    def _first_method(self, line: list[Base], name: str) -> Function | None:
        for base in line:
            if isinstance(base, Class):
                node = methods_of(base.node).get(name)
                if node is not None:
                    return self._function(node, base)
        return None

    def given(self, cls: Class, names: frozenset[str]) -> bool:
        """Return whether a class gets one of some methods by assignment, or from a decorator."""
        for base in self.mro(cls):
            if not isinstance(base, Class):
                continue
            assigned = names & {*base.body_names()} - methods_of(base.node).keys()
            if assigned or any(self._set_from_outside(base, n) for n in names):
                return True
        return False

    def put_there(self, cls: Class, name: str) -> Function | None:
        """Return the one function that code outside its body puts on a class as a method."""
        for base in self.mro(cls):
            places = self._set_from_outside(base, name) if isinstance(base, Class) else []
            found = [
                value
                for module, target in places
                if isinstance(statement := module.parent(target), ast.Assign)
                for value in self.interpreter.values_at(
                    statement.value, self.interpreter.frame_at(module, target)
                )
            ]
            if places:
                one = found[0] if len(places) == len(found) == 1 else None
                return one if isinstance(one, Function) else None
        return None

    def _set_from_outside(self, cls: Class, name: str) -> list[tuple[Module, ast.Attribute]]:
        """Return where code sets a name on a class: `Data.name = f`, or in a decorator of it."""
        project = self.interpreter.project
        return [
            (module, target)
            for module in (project.setters(name) if project.sets(name) else ())
            for target in module.stores_by_name.get(name, ())
            if isinstance(target.ctx, ast.Store)
            and cls
            in self.interpreter.values_at(target.value, self.interpreter.frame_at(module, target))
        ]

    def defining(self, cls: Class, name: str) -> Class | None:
        """Return the class of the MRO that defines a method."""
        method = self.method(cls, name)
        return next(
            (b for b in self.mro(cls) if isinstance(b, Class) and method is not None
             and method.node in b.node.body),
            None,
        )  # fmt: skip

    def fields(self, cls: Class) -> list[str]:
        """Return the names of a dataclass's fields, in the order of the constructor."""
        return [*all_fields([base for base in self.mro(cls) if isinstance(base, Class)])]

    def stands_in(self, cls: Class) -> bool:
        """Return whether a class's objects only say that something is missing: `__getattr__` raises."""
        method = self.method(cls, "__getattr__")
        if method is None or isinstance(method.node, ast.Lambda):
            return False
        scope = method.module.inner_scope(method.node)
        return isinstance(method.node.body[-1], ast.Raise) and not scope.returns

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, cls: Class) -> Function:
        body = self.body(cls)
        return self.interpreter.calls.made(node, body, lambda: Function(node, body))

    # Attributes

    def attribute(
        self, instance: Instance, name: str, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        """Yield what `instance.name` may be: what is stored on it, else what its class gives."""
        if not self._is_stored(instance.cls, name):
            held = self._item_as_attribute(instance, name)
            if held is not None:
                yield from self.interpreter.item(held, name, node, frame)
            else:
                yield from self.class_attribute(instance.cls, name, instance, node, frame)
            return
        stores = self.stores_on(instance, name)
        if not stores or self._is_for_framework(instance, stores):
            stores = [*stores, *self._set_by_any(instance, name)]
        so_far = [s for s in stores if not _is_set_later(s.statement, s.frame, node, frame)]
        if len(so_far) > 1:
            so_far = [s for s in so_far if not _is_in_other_branch(s, node, frame)]
        if stores and not so_far:
            yield from self._set_before(instance, stores[0], node, frame)
            return
        for store in so_far:
            yield from _as_decided(self.stored(store), store, so_far)
        wrapping = [s for s in so_far if s.method != "__init__" and _is_set_after(s, node, frame)]
        for store in wrapping[:1]:
            yield from self._set_around(instance, store)
        if not stores:
            yield from self._not_its_own(instance, name, node, frame)

    def _is_for_framework(self, instance: Instance, stores: list[Store]) -> bool:
        """Return whether constructors only leave an attribute None, for methods that a library may call: `setup`."""
        is_empty = all(store.method == "__init__" and is_left_empty(store) for store in stores)
        return is_empty and bool(self.outside_bases(instance.cls))

    def _not_its_own(
        self, instance: Instance, name: str, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        """Yield what an attribute is that no method stores: what other code sets, or the class gives."""
        modules = [instance.frame.module, frame.module] if instance.frame is not None else []
        modules += self._setting_shared(instance, name)
        outside = self.outside_stores(instance, dict.fromkeys(modules))
        found = [store for store in outside if store.attribute == name]
        for store in found:
            yield from self.stored(store)
        held = self._item_as_attribute(instance, name)
        if held is not None:
            yield from self.interpreter.item(held, name, node, frame)
        elif not found:
            yield from self.class_attribute(instance.cls, name, instance, node, frame)

    def _setting_shared(self, instance: Instance, name: str) -> Iterator[Module]:
        """Yield the modules that may set an attribute on an object that a module keeps: `shared.options.path = ...`."""
        at = instance.frame
        if at is None or not at.scope.is_module or instance.call is None:
            return
        match at.module.parent(instance.call):
            case ast.Assign(targets=[ast.Name(id=kept)]):
                for module in self.interpreter.project.setters(name):
                    if module.says(kept):
                        yield module

    def _item_as_attribute(self, instance: Instance, name: str) -> Container | None:
        """Return the dict that an object is, where an attribute is an item of it."""
        filled = self.interpreter.filled
        if name.startswith("__") or not filled.has_items_as_attributes(instance.cls):
            return None
        if any(isinstance(b, Class) and name in b.body_names() for b in self.mro(instance.cls)):
            return None
        return filled.container(instance)

    def _set_before(
        self, instance: Instance, store: Store, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        """Yield what an attribute is before a constructor sets it last: what it was set to, or what the class gives."""
        init, name, found = store.frame, store.attribute, False
        for target, statement in attribute_targets(init.module, name):
            if init.scope.node not in init.module.ancestors(target):
                continue
            if not _is_set_later(statement, init, node, frame):
                found = True
                yield from self.interpreter.evaluate(statement.value, init)
        if found:
            return
        line = [base.node for base in self.mro(instance.cls) if isinstance(base, Class)]
        if any(name in stored_names(each) for each in line if init.scope.node not in each.body):
            yield Reached(_UNKNOWN)
        else:
            yield from self.class_attribute(instance.cls, name, instance, node, frame)

    def _set_around(self, instance: Instance, last: Store) -> Iterator[Reached]:
        """Yield what an attribute was before a method put another object around it: `self.rows = Subset(self.rows, part)`."""
        for base in self.mro(instance.cls):
            if not isinstance(base, Class):
                continue
            for target, statement in attribute_targets(base.module, last.attribute):
                method = enclosing_function(base.module, target)
                function = self.method(base, getattr(method, "name", ""))
                if function is None or function.node is not method or statement is last.statement:
                    continue
                own = method is last.frame.scope.node
                if own and _comes_later(statement, last.frame, last.statement, last.frame):
                    continue
                at = last.frame if own else State(self.interpreter, instance).method_frame(function)
                if not isinstance(statement.value, ast.Constant):
                    yield from self.interpreter.evaluate(statement.value, at)

    def _is_stored(self, cls: Class, name: str) -> bool:
        """Return whether code may put anything on objects of a class by a name, as it is written."""
        line = [base for base in self.mro(cls) if isinstance(base, Class)]
        if any(name in methods_of(base.node) for base in line):
            return any(name in stored_names(base.node) for base in line)
        return (
            self.interpreter.project.sets(name)
            or any(name in base.body_names() for base in line)
            or any(name in annotated_names(base.node) for base in line)
            or self.interpreter.catalog.keeps(name)
        )

    def _set_by_any(self, instance: Instance, name: str) -> list[Store]:
        """Return the stores of methods that nobody in view calls: a framework does (`setup`)."""
        if any(
            isinstance(base, Class) and name in base.body_names() for base in self.mro(instance.cls)
        ):
            return []
        key = (instance, name)
        if key not in self._by_any:
            self._by_any[key] = []
            self._by_any[key] = State(self.interpreter, instance).set_by_any(name)
        return self._by_any[key]

    def stored(self, store: Store) -> Iterable[Reached]:
        """Return what a store puts on the attribute."""
        if isinstance(store.value, Bound):
            bound = store.value
            start = self.interpreter.reached(bound)
            return self.interpreter.follow(start, store.path, bound.node, bound.frame)
        if store.value is None:
            return [Reached(_UNKNOWN)]
        return [Reached(store.value)]

    def class_attribute(
        self, cls: Class, name: str, owner: Value, node: ast.expr, frame: Frame, after: bool = False
    ) -> Iterator[Reached]:
        """Yield what a class gives for a name, bound to `owner`; `after` skips the class itself."""
        line = self.mro(cls)[1 if after else 0 :]
        if is_private(name) and isinstance(node, ast.Attribute):
            line = _mangled_alike(line, name, node, frame)
        metaclass = self.metaclass(cls) if isinstance(owner, Class) else None
        own = any(isinstance(base, Class) and name in base.body_names() for base in line)
        if metaclass is None or own:
            yield from self._looked_up(line, name, owner, node, frame)
        elif name in metaclass.body_names():
            yield from self._class_member(metaclass, name, owner, node, frame)
        else:
            yield from self._set_by_metaclass(metaclass, name)

    def _set_by_metaclass(self, metaclass: Class, name: str) -> Iterator[Reached]:
        """Yield what a metaclass's methods set on the classes it makes: `cls.known = {}`."""
        found = [
            (target, statement)
            for target, statement in attribute_targets(metaclass.module, name)
            if metaclass.node in metaclass.module.ancestors(target)
        ]
        for target, statement in found:
            frame = self.interpreter.frame_at(metaclass.module, target)
            yield from self.interpreter.evaluate(statement.value, frame)
        if not found:
            yield Reached(_UNKNOWN)

    def _looked_up(
        self,
        line: list[Base],
        name: str,
        owner: Value,
        node: ast.expr,
        frame: Frame,
    ) -> Iterator[Reached]:
        """Yield what the first class of a line that has a name gives for it."""
        for index, base in enumerate(line):
            if isinstance(base, Class):
                if name in base.body_names():
                    yield from self._class_member(base, name, owner, node, frame)
                    return
            elif isinstance(base, External) and self._external_has(base, name, line[index + 1 :]):
                yield Reached(External(f"{base.name}.{name}"))
                return
        yield Reached(_UNKNOWN)

    def _external_has(self, base: External, name: str, rest: list[Base]) -> bool:
        """Return whether a base out of view may have a name, rather than a class of the tree after it."""
        if base.name in ("object", "abc.ABC", "typing.Generic", "typing.Protocol"):
            return False
        further = any(isinstance(each, Class) and name in each.body_names() for each in rest)
        catalog = self.interpreter.catalog
        is_unknown = not catalog.knows(base.name) and not name.startswith("__")
        has_few = is_unknown or catalog.dataset(base.name) is not None
        return not (further and has_few and name not in _OF_DATASETS)

    def _class_member(
        self, base: Class, name: str, owner: Value, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        body = self.body(base)
        if is_enum(base, self.interpreter) and any(name == each for each, _ in members(base)):
            yield Reached(Constant(Member(base, name)))
            return
        for reached in self.interpreter.name(name, body, None):
            value = reached.value
            if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
                if isinstance(value, Function) and self._is_static(base, name):
                    yield reached
                elif isinstance(value, Function) and isinstance(owner, Instance):
                    yield Reached(self.bound(value, owner))
                else:
                    yield reached
                continue
            yield from self._method_value(value, owner, node, frame, reached)
        yield from self._set_on_class(base, name)

    def _set_on_class(self, base: Class, name: str) -> Iterator[Reached]:
        """Yield what code of a class's module sets on the class: `cls.made = ...`, `Data.made = ...`."""
        module = base.module
        for target, statement in attribute_targets(module, name):
            if isinstance(target.value, ast.Name):
                within = base.node in module.ancestors(target) and target.value.id == "cls"
                if within or target.value.id == base.name:
                    frame = self.interpreter.frame_at(module, target)
                    if base in self.interpreter.values_at(target.value, frame):
                        yield from self.interpreter.evaluate(statement.value, frame)
        for call in module.calls_by_name.get("setattr", ()):
            if setting(call) and getattr(call.args[0], "id", "") == base.name:
                yield from self._set_by_name(call, name, self.interpreter.frame_at(module, call))

    def _set_by_name(self, call: ast.Call, name: str, frame: Frame) -> Iterator[Reached]:
        """Yield what a `setattr` may set an attribute to; unknown where it computes the name."""
        names = self.interpreter.values(Bound(call.args[1], frame))
        if Constant(name) in names:
            yield from self.interpreter.evaluate(call.args[2], frame)
        elif not all(isinstance(each, Constant) for each in names):
            yield Reached(_UNKNOWN)

    def _is_static(self, base: Class, name: str) -> bool:
        for binding in base.frame.module.inner_scope(base.node).bindings.get(name, []):
            value = binding.value
            if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "staticmethod":
                return True
        return False

    def _method_value(
        self, function: Function, owner: Value, node: ast.expr, frame: Frame, reached: Reached
    ) -> Iterator[Reached]:
        kind = decorator_kind(function.node)
        if kind == "staticmethod":
            yield reached
        elif kind == "classmethod":
            cls = owner.cls if isinstance(owner, Instance) else owner
            yield Reached(self.bound(function, cls))
        elif isinstance(owner, (Instance, Constant)) and kind in PROPERTIES:
            yield from self.interpreter.calls.run(function, None, node, frame, owner=owner)
        elif isinstance(owner, (Instance, Constant)):
            yield Reached(self.bound(function, owner))
        else:
            yield reached

    def bound(self, function: Function, owner: Value) -> BoundMethod:
        """Return a function of a class as the method of an object: the same one each time."""
        made = self.interpreter.calls.made
        return made(
            function.node, function.frame, lambda: BoundMethod(function, owner), "bound", owner
        )

    def member_attribute(
        self, owner: Constant, name: str, node: ast.expr, frame: Frame
    ) -> Iterable[Reached]:
        """Return what `Enum.member.name` may be."""
        member = owner.value
        assert isinstance(member, Member)
        if name == "name":
            return [Reached(Constant(member.name))]
        if name == "value":
            body = self.body(member.cls)
            return [
                reached
                for each, value in members(member.cls)
                if each == member.name
                for reached in self.interpreter.evaluate(value, body)
            ]
        return self.class_attribute(member.cls, name, owner, node, frame)

    def only_store(self, owner: Instance, node: ast.Attribute, frame: Frame) -> Bound | None:
        """Return what `self.x` is set to, where nothing but one statement of an `__init__` sets it."""
        if self.interpreter.values_at(node.value, frame) != [owner]:
            return None
        key = (owner, node.attr)
        if key not in self._only:
            self._only[key] = None
            self._only[key] = self._only_in_init(owner, node.attr)
        return self._only[key]

    def _only_in_init(self, owner: Instance, name: str) -> Bound | None:
        for init, frame in self._constructors(owner):
            once = _sets_once(init.node, name)
            if once is not None:
                first = Bound(once[1], frame)
                return first if self._is_alone(once[0], name, first, owner) else None
        return None

    def _is_alone(self, store: ast.expr, name: str, first: Bound, owner: Instance) -> bool:
        """Return whether no other place sets an attribute of an object that has its first value."""
        return not any(
            (module is not first.frame.module or target is not store)
            and self._may_set(module, target, owner)
            and not self._is_for_others(module, target, name, first)
            for module, target in self._setting(name, owner.cls)
        )

    def _is_for_others(self, module: Module, target: Setting, name: str, first: Bound) -> bool:
        """Return whether a store stands where the attribute has another value: under `if self.kind == "auto"`."""

        def surely(asked: ast.expr, frame: Frame) -> list[Value]:
            own = is_attribute_of(asked, "self") and asked.attr == name
            return self.interpreter.must.values(first.node, first.frame) if own else []

        frame = self.interpreter.frame_at(module, target)
        return is_attribute_of(target, "self") and is_dead(target, frame, self.interpreter, surely)

    def _constructors(self, owner: Instance) -> Iterator[tuple[Function, Frame]]:
        """Yield the constructors that surely run for an object: the class's own, and those it calls by `super()`."""
        init = self.method(owner.cls, "__init__")
        frame = State(self.interpreter, owner).constructor_frame(init) if init is not None else None
        while init is not None and frame is not None:
            yield init, frame
            call = _next_constructor(init.node)
            found = self.interpreter.values_at(call.func, frame) if call is not None else []
            above = found[0] if len(found) == 1 else None
            if call is None or not isinstance(above, BoundMethod) or above.owner is not owner:
                return
            init = above.function
            calls = self.interpreter.calls
            frame = calls.frame_of(init, calls.arguments(call, frame), call, frame, owner)

    def is_set(self, name: str) -> bool:
        """Return whether code in view sets an attribute by a name, on whatever object."""
        if name not in self._is_set_by_any:
            places = _places_setting(name, self.interpreter.project.setters(name))
            self._is_set_by_any[name] = next(places, None) is not None
        return self._is_set_by_any[name]

    def _setting(self, name: str, cls: Class) -> Replayed[tuple[Module, Setting]]:
        """Return the places that set an attribute by a name, on what may be of a class."""
        key = (name, cls)
        if key not in self._set_at:
            deriving = self.subclasses(cls)
            line = [*self.mro(cls), *deriving]
            names = {base.name for base in line if isinstance(base, Class)}
            every = len(deriving) < MOST_SUBCLASSES
            setters = self.interpreter.project.setters(name, names, all_named=every)
            self._set_at[key] = Replayed(_places_setting(name, setters))
        return self._set_at[key]

    def _may_set(self, module: Module, target: Setting, owner: Instance) -> bool:
        """Return whether a store may be on an object: not where another class's method stores."""
        if (
            isinstance(target, ast.Call)
            or not isinstance(target.value, ast.Name)
            or target.value.id != "self"
        ):
            return True
        for above in module.ancestors(target):
            if isinstance(above, ast.ClassDef):
                frame = self.interpreter.frame_at(module, above)
                other = self.interpreter.class_value(above, frame)
                return other in self.mro(owner.cls) or owner.cls in self.mro(other)
        return True

    # super()

    def above(self, node: ast.expr, frame: Frame) -> Above | None:
        """Return what `super()` stands for where an expression is that call."""
        if not is_super(node):
            return None
        at: Frame | None = frame
        while at is not None and not (at.enclosing is not None and at.enclosing.scope.is_class):
            at = at.enclosing
        if at is None or at.owner is None or at.enclosing is None:
            return None
        body = at.enclosing
        return Above(at.owner, self.interpreter.class_value(body.scope.node, body.enclosing))

    def following(self, above: Above) -> list[Base]:
        """Return the bases that `super()` looks through."""
        owner_class = above.owner.cls if isinstance(above.owner, Instance) else above.cls
        line = self.mro(owner_class)
        return line[line.index(above.cls) + 1 :] if above.cls in line else self.mro(above.cls)[1:]

    def super_attribute(
        self, above: Above, name: str, node: ast.expr, frame: Frame
    ) -> Iterator[Reached]:
        """Yield what `super().name` is: looked up in the owner's bases, after the class itself."""
        yield from self._looked_up(self.following(above), name, above.owner, node, frame)

    # State

    def stores(self, instance: Instance) -> Stores:
        """Return every attribute that pickle would see on an instance, with what is stored."""
        if instance not in self._states:
            self._states[instance] = {}  # while it is worked out, it is empty
            self._states[instance] = (
                self.stores(instance.copied)
                if instance.copied is not None
                else State(self.interpreter, instance).with_later(self._made(instance))
            )
            self.interpreter.kept_if_fed(self._states, instance)
        return self._states[instance]

    def stores_on(self, instance: Instance, name: str) -> list[Store]:
        """Return what is stored on one attribute of an instance: who sets others is not asked."""
        if instance.copied is not None:
            return self.stores_on(instance.copied, name)
        if instance in self._being_made:
            return []
        key = (instance, name)
        if key not in self._on:
            made = self._made(instance)
            self._on[key] = made.get(name, [])  # while it is worked out, what construction leaves
            self._on[key] = State(self.interpreter, instance).with_later(made, name).get(name, [])
            self.interpreter.kept_if_fed(self._on, key)
        return self._on[key]

    def _made(self, instance: Instance) -> Stores:
        """Return what is stored on each attribute of an instance when it is constructed."""
        if instance in self._being_made:
            return {}
        if instance not in self._constructed:
            self._being_made.add(instance)
            try:
                self._constructed[instance] = State(self.interpreter, instance).made()
            finally:
                self._being_made.discard(instance)
            self.interpreter.kept_if_fed(self._constructed, instance)
        return self._constructed[instance]

    # What code outside sets

    def outside_stores(self, instance: Instance, modules: Iterable[Module]) -> Iterator[Store]:
        """Yield the stores that code outside the class makes on an instance: `ds.x = ...`."""
        modules = list(modules)
        if instance.copied is not None:
            for store in self.outside_stores(instance.copied, modules):
                if not self._is_copied_before(store, instance):
                    yield store
        made = next(makers(instance), None)
        if made is not None:
            for module in modules:
                yield from self.set_on(made, module)

    def _is_copied_before(self, store: Store, copy: Instance) -> bool:
        """Return whether code sets an attribute of the original when the copy is made already."""
        module = store.frame.module
        here = copy.frame is not None and copy.frame.module is module
        return here and copy.call is not None and surely_after(store.statement, copy.call, module)

    def set_on(self, made: Made, module: Module) -> list[Store]:
        """Return the stores that a module's code makes on what a call, or a class, made."""
        return self._set_in(module).get(made, [])

    def _set_in(self, module: Module) -> dict[Made, list[Store]]:
        """Return the stores that a module's code makes on instances, by the call and the class that made them."""
        if module in self._outside:
            return self._outside[module]
        # What is set on `x` is known when `x.y` is looked up, the owner of another attribute.
        found = self._outside[module] = {}
        places = [*_set_on(module)]
        order: dict[ast.AST, int] = {target: index for index, (_, target, _) in enumerate(places)}
        for owner, target, statement in sorted(places, key=lambda each: _depth(each[0])):
            if is_own(module, owner):
                continue
            if self.interpreter.roles.only_worker(module, target):
                continue
            for frame in self._frames_of(owner, self.interpreter.frame_at(module, target), module):
                stores = [
                    Store(name, target, statement, value, frame, conditional=True, method="")
                    for name, value in self._given(target, statement, frame)
                ]
                for reached in self.interpreter.evaluate(owner, frame):
                    if stores and self._is_kept_in(owner, reached.value, module):
                        continue
                    part = part_of(reached.value)
                    for made in (*makers(reached.value), *([part] if part is not None else ())):
                        found.setdefault(made, []).extend(stores)
        for made in found:
            found[made].sort(key=lambda store: order[store.node])
        self.interpreter.kept_if_fed(self._outside, module)
        return found

    def _frames_of(self, owner: ast.expr, frame: Frame, module: Module) -> Sequence[Frame]:
        """Return the frames in which an owner is known: of each object where one keeps it, `self.rows.transform = f`."""
        if not isinstance(owner, ast.Attribute) or not is_own(module, owner.value):
            return [frame]
        values = self.interpreter.values_at(owner, frame)
        if not all(isinstance(value, Unknown) for value in values):
            return [frame]
        frames = self.interpreter.contexts.of(frame).frames
        return frames[:_MOST_OWNERS] or [frame]

    def values_set_elsewhere(self, module: Module, read: ast.Attribute) -> Iterator[ast.expr]:
        """Yield what other code sets an attribute to, of an object that an expression reads it of."""
        own = self._made_at(module, read.value)
        for setter in self.interpreter.project.setters(read.attr) if own else ():
            for target, statement in attribute_targets(setter, read.attr):
                if not is_own(setter, target.value) and own & self._made_at(setter, target.value):
                    yield statement.value

    def _made_at(self, module: Module, node: ast.expr) -> set[ast.AST]:
        values = self.interpreter.values_at(node, self.interpreter.frame_at(module, node))
        return {made for value in values for made in makers(value)}

    def _is_kept_in(self, owner: ast.expr, value: Value, module: Module) -> bool:
        """Return whether a function keeps an object to itself: its factory makes others for the rest."""
        return (
            isinstance(owner, ast.Name)
            and isinstance(value, Instance)
            and self.interpreter.escape.stays_under(owner, module, value.cls)
        )

    def _given(
        self, target: ast.expr, statement: ast.stmt, frame: Frame
    ) -> Iterator[tuple[str, Argument]]:
        """Yield the names that one place sets, with what it gives them."""
        named = attribute_named(target)
        if isinstance(target, ast.Call):
            yield from set_by_call(target, frame, self.interpreter)
        elif isinstance(statement, ast.Assign) and named is not None:
            yield named[1], Bound(statement.value, frame)


class Replayed(Generic[T]):
    """What an iterator gives, taken from it once, when it is first asked for."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self._taken: list[T] = []

    def __iter__(self) -> Iterator[T]:
        at = 0
        while at < len(self._taken) or self._take():
            yield self._taken[at]
            at += 1

    def _take(self) -> bool:
        found = next(self._source, None)
        if found is not None:
            self._taken.append(found)
        return found is not None


def _places_setting(name: str, modules: Iterable[Module]) -> Iterator[tuple[Module, Setting]]:
    """Yield where modules set an attribute by a name."""
    for module in modules:
        for target in module.stores_by_name.get(name, ()):
            yield module, target
        for call in module.calls_by_name.get("setattr", ()):
            if setting(call) and getattr(call.args[1], "value", name) == name:
                yield module, call


def is_left_empty(store: Store) -> bool:
    """Return whether a class sets an attribute to None, as one does that others fill."""
    node = store.value.node if isinstance(store.value, Bound) else None
    return isinstance(node, ast.Constant) and node.value is None


def is_own(module: Module, owner: ast.expr) -> bool:
    """Return whether a method's own object is meant, by its usual name: no local variable of that name."""
    if not isinstance(owner, ast.Name) or owner.id not in _OWN:
        return False
    return all(
        each.kind == "parameter" for each in module.scope_of(owner).bindings.get(owner.id, ())
    )


def _set_on(module: Module) -> Iterator[tuple[ast.expr, ast.expr, ast.stmt]]:
    """Yield where a module sets attributes: on what, the place, and its statement.

    Not on `self` or `cls`, but where these are other things than parameters.
    """
    kind = "all" if module.answer(_rebinds_own) else "others'"
    for target, statement in module.table(_targets_by_owner).get(kind, ()):
        yield target.value, target, statement
    for name in ("setattr", "__setattr__"):
        for call in module.calls_by_name.get(name, ()):
            if setting(call):
                yield call.args[0], call, module.statement(call)
    if module.says("__dict__") or module.says("vars("):
        for owner, place in module.table(_set_by_key).get("set", ()):
            yield owner, place, module.statement(place)


def _set_by_key(module: Module) -> dict[str, list[tuple[ast.expr, ast.expr]]]:
    """Return the places that set attributes in the dict of an object, each with the object."""
    targets = [each for node in module.of_kind(ast.Assign) for each in node.targets]
    by_item = [
        (attributes_of(each.value), each) for each in targets if isinstance(each, ast.Subscript)
    ]
    by_call = [(owner_set(call), call) for call in module.of_kind(ast.Call) if not setting(call)]
    return {"set": [(owner, each) for owner, each in (*by_item, *by_call) if owner is not None]}


def _depth(owner: ast.expr) -> int:
    """Return how many attributes lead to an object."""
    return 1 + _depth(owner.value) if isinstance(owner, ast.Attribute) else 0


def makers(value: Value) -> Iterator[ast.AST]:
    """Yield the call that made an object, and its class: `self` stands for all that a class makes.

    A layer of a network is made with it.
    """
    for one in with_its_nets(value):
        yield from (made for made in (_made_by(one), _class_node(one)) if made is not None)


def _made_by(value: Value) -> ast.AST | None:
    """Return the call that made an object of the tree, or one of a library."""
    if isinstance(value, Instance):
        return value.call
    if isinstance(value, Derived):
        return value.node if value.called else None
    return value.node if isinstance(value, ExternalCall) else None


def _class_node(value: Value) -> ast.AST | None:
    return value.cls.node if isinstance(value, Instance) and isinstance(value.cls, Class) else None


def attribute_targets(module: Module, name: str) -> list[tuple[ast.Attribute, ast.Assign]]:
    """Return the attributes of a name that plain assignments of a module set."""
    return module.table(_targets_by_name, scan.may_store).get(name, [])


@summary
def left_empty(node: ast.AST) -> tuple[str, ...]:
    """Return the attributes that a class statement sets to None, for others to fill."""
    found = []
    for statement in getattr(node, "body", ()):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                found.append(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=None)):
                found.append(name)
    return tuple(found)


def sets_on_others(module: Module, name: str) -> bool:
    """Return whether a module sets an attribute of something else than `self`."""
    return any(not is_own(module, target.value) for target, _ in attribute_targets(module, name))


def _set_attributes(module: Module) -> Iterator[tuple[ast.Attribute, ast.Assign]]:
    for node in module.nodes(ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                yield target, node


def _targets_by_owner(module: Module) -> dict[str, list[tuple[ast.Attribute, ast.Assign]]]:
    found = [*_set_attributes(module)]
    others = [one for one in found if getattr(one[0].value, "id", "") not in _OWN]
    return {"all": found, "others'": others}


def _rebinds_own(module: Module) -> bool:
    """Return whether `self` or `cls` may be bound to something else than an argument."""
    named = (node for name in _OWN for node in module.nodes_by_name.get(name, ()))
    return any(isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) for node in named)


def _targets_by_name(module: Module) -> dict[str, list[tuple[ast.Attribute, ast.Assign]]]:
    found: dict[str, list[tuple[ast.Attribute, ast.Assign]]] = {}
    for target, node in _set_attributes(module):
        found.setdefault(target.attr, []).append((target, node))
    return found


def _mangled_alike(line: list[Base], name: str, read: ast.AST, frame: Frame) -> list[Base]:
    """Return the classes of a line in which a class-private name is the one that a place reads."""
    around = frame.module.ancestors(read)
    within = next((each.name for each in around if isinstance(each, ast.ClassDef)), None)
    if within is None:
        return line
    key = key_of(name, within)
    return [b for b in line if isinstance(b, Class) and key_of(name, b.node.name) == key]


def _is_set_after(store: Store, read: ast.AST, frame: Frame) -> bool:
    """Return whether a method that is no constructor stores only after the place that reads."""
    return _comes_later(store.statement, store.frame, read, frame)


def _is_set_later(statement: ast.stmt, at: Frame, read: ast.AST, frame: Frame) -> bool:
    """Return whether a constructor comes to a statement only after the place that reads."""
    return at.scope.name == "__init__" and _comes_later(statement, at, read, frame)


def _comes_later(statement: ast.stmt, at: Frame, read: ast.AST, frame: Frame) -> bool:
    """Return whether a function comes to a statement only after the place that reads."""
    module, init = at.module, at.scope.node
    if frame.module is not module:
        return False
    above_read = [read, *_within(module, read, init)]
    if above_read[-1] is not init:
        return False
    above = [statement, *_within(module, statement, init)]
    shared = next((each for each in above if each in above_read), read)
    around = _within(module, shared, init)
    if shared is read or any(isinstance(one, LOOPS) for one in (shared, *around)):
        return False
    if shared is statement:  # `self.f = cached(self.f)`: it is set to what it has been made of
        return isinstance(statement, (ast.Assign, ast.AnnAssign))
    one, other = above_read[above_read.index(shared) - 1], above[above.index(shared) - 1]
    block = next((b for f in _BODIES if one in (b := getattr(shared, f, None) or [])), [])
    return other in block and block.index(other) > block.index(one)


def _as_decided(found: Iterable[Reached], store: Store, stores: list[Store]) -> Iterator[Reached]:
    """Yield what a constructor stores, with how the tests came out by which it stores this of several values."""
    if len(stores) == 1 or any(each.method != "__init__" for each in stores):
        yield from found
        return
    module, statement = store.frame.module, store.statement
    others = [each.statement for each in stores if not isinstance(each.statement, ast.AugAssign)]
    told = replaced_unless(statement, others, None, module)
    is_chosen = bool(told or tests_around(statement, module))
    chosen = (Passed(module, statement, "", told=told),) if is_chosen else ()
    for reached in found:
        yield Reached(reached.value, (*reached.steps, *chosen))


def _is_in_other_branch(store: Store, read: ast.AST, frame: Frame) -> bool:
    """Return whether a method stores only where the test that the read is under comes out otherwise."""
    same = store.frame.module is frame.module and store.frame.scope.name == "__init__"
    return same and excluded(store.statement, read, frame.module)


def _within(module: Module, node: ast.AST, function: ast.AST) -> Iterator[ast.AST]:
    """Yield what is around a node, up to the function it is run by; none where it is run by another."""
    for above in module.ancestors(node):
        yield above
        if above is function or isinstance(above, _RUN_LATER):
            return


def _last_of_each(
    found: list[Base],
) -> list[Base]:
    return [*dict.fromkeys(reversed(found))][::-1]


__all__ = ["Derived", "Instances"]


def _next_constructor(init: ast.AST) -> ast.Call | None:
    """Return the `super().__init__(...)` in the block of a constructor."""
    for statement in getattr(init, "body", ()):
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=above, attr="__init__")) as call
            ) if is_super(above):
                return call
    return None


def _sets_once(init: ast.AST, name: str) -> tuple[ast.expr, ast.expr] | None:
    """Return the target and the value by which a constructor's own block sets an attribute, if it does once."""
    found = [
        (target, value)
        for statement in getattr(init, "body", ())
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for target, value in _one_by_one(_targets(statement), statement.value)
        if getattr(target, "attr", "") == name
    ]
    return found[0] if len(found) == 1 else None


def _one_by_one(targets: list[ast.expr], value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target with its own value: `self.a, self.b = a, b`."""
    for target in targets:
        match target, value:
            case ast.Tuple(elts=parts), ast.Tuple(elts=values) if len(parts) == len(values):
                if not any(isinstance(each, ast.Starred) for each in (*parts, *values)):
                    yield from zip(parts, values, strict=True)
            case _:
                yield target, value


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]
