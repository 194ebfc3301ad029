"""Objects that go nowhere: used where they are made, and handed to nobody."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from dlfix.project.import_time import in_main_only
from dlfix.project.syntax import positional
from dlfix.reach.methods import decorator_kind
from dlfix.reach.process_roles import passes_on
from dlfix.reach.values import Class, External, Function, Instance, Value

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.evaluator import Evaluator

_AT_ONCE = (ast.ListComp, ast.SetComp, ast.DictComp)
_KEEPING = frozenset({"map", "filter", "zip", "enumerate", "reversed", "setattr"})


class Escape:
    """Tells of the object that a call makes whether the code around it keeps it to itself.

    `whole` asks for the object alone: its methods may pass on what it holds. `sending` does so as well, of one
    method: the object stays as long as no code runs that method on it.
    """

    def __init__(self, interpreter: Evaluator, *, whole: bool = False, sending: str = "") -> None:
        self.interpreter = interpreter
        self.whole = whole or bool(sending)
        self.sending = sending
        self._known: dict[tuple[ast.Call, Class], bool] = {}
        self._asked: set[ast.Call] = set()

    def stays(self, module: Module, call: ast.Call, cls: Class) -> bool:
        """Return whether an object of a class goes nowhere from the call that makes it."""
        key = (call, cls)
        if key not in self._known:
            self._known[key] = not self._ships(cls) and self._is_kept(module, call, cls)
        return self._known[key]

    def stays_under(self, name: ast.Name, module: Module, cls: Class) -> bool:
        """Return whether an object of a class goes nowhere from a name of a function, which a call gives it."""
        scope = module.scope_of(name)
        bindings = scope.bindings.get(name.id, ())
        made = scope.is_function and len(bindings) == 1 and isinstance(bindings[0].value, ast.Call)
        return made and not self._ships(cls) and self._is_kept_under(name.id, module, name, cls)

    def _ships(self, cls: Class) -> bool:
        """Return whether making an object of a class may send what it is given to workers."""
        if self.sending:
            return self._may_send(cls, "__init__")
        instances, catalog = self.interpreter.instances, self.interpreter.catalog
        if instances.is_dataset(instances.anyone(cls)):
            return False
        if any(
            isinstance(base, External) and catalog.boundary(base.name) is not None
            for base in instances.mro(cls)
        ):
            return True
        init = self.interpreter.roles.methods(cls).get("__init__")
        return init is not None and (
            passes_on(init) or self.interpreter.roles.hands_on(cls, "__init__")
        )

    def _may_send(self, cls: Class, method: str) -> bool:
        """Return whether a method of an object may pass it on, or run the one method that is asked about."""
        roles = self.interpreter.roles
        if self.sending:
            leading = roles.leading_to(cls, self.sending)
            # what an operator or a library's base runs is not seen where the object is used
            if method in leading or any(each.startswith("__") for each in leading):
                return True
        return roles.hands_on(cls, method, whole=self.whole)

    def escapes(self, module: Module, value: Value) -> bool:
        """Return whether an object that a module's code makes may go elsewhere."""
        if not isinstance(value, Instance) or value.call is None or value.frame is None:
            return True
        return value.frame.module is not module or not self.stays(module, value.call, value.cls)

    def _is_kept(self, module: Module, node: ast.expr, cls: Class) -> bool:
        """Return whether a use of an object hands it to nobody."""
        match module.parent(node):
            case ast.Attribute() as attribute:
                if self._is_bound(attribute, module, cls):
                    return False  # the method takes its object along: `pool.submit(rows.count)`
                if self._goes_on(attribute.attr, cls):
                    return False  # what it gives keeps the object: `rows.shuffle(100)`
                return not self._may_send(cls, attribute.attr)
            case ast.Call(func=ast.Name(id=name)) if hasattr(builtins, name):
                return name not in _KEEPING and not (self.sending and name == "getattr")
            case ast.Call() as call if node in call.args:
                return self._is_kept_by(call, call.args.index(node), module, cls)
            case ast.Subscript(value=owner):
                return owner is node
            case ast.Expr() | ast.Compare() | ast.UnaryOp() | ast.Assert():
                return True
            case ast.For(iter=items) | ast.comprehension(iter=items):
                return items is node
            case ast.If() | ast.While():
                return True
            case ast.Assign(targets=[ast.Name(id=name)]):
                return self._is_kept_under(name, module, node, cls)
            case ast.Tuple() as pair:
                name = _unpacked_to(node, pair, module.parent(pair))
                return bool(name) and self._is_kept_under(name, module, node, cls)
        return False

    def _goes_on(self, method: str, cls: Class) -> bool:
        anyone = self.interpreter.instances.anyone(cls)
        own = method in self.interpreter.roles.methods(cls)
        return not own and self.interpreter.kept_by_call.goes_on(anyone, method)

    def _is_bound(self, attribute: ast.Attribute, module: Module, cls: Class) -> bool:
        """Return whether a method of an object is taken as a value, not called."""
        method = self.interpreter.roles.methods(cls).get(attribute.attr)
        parent = module.parent(attribute)
        is_called = isinstance(parent, ast.Call) and parent.func is attribute
        return method is not None and not decorator_kind(method) and not is_called

    def _is_kept_by(self, call: ast.Call, index: int, module: Module, cls: Class) -> bool:
        """Return whether a function, or constructor, of the tree hands an argument to nobody."""
        if any(isinstance(argument, ast.Starred) for argument in call.args) or call in self._asked:
            return False
        frame = self.interpreter.frame_at(module, call)
        values = self.interpreter.values_at(call.func, frame)
        called = values[0] if len(values) == 1 else None
        if isinstance(called, Class):
            called = self.interpreter.instances.method(called, "__init__")
            index += 1
        if not isinstance(called, Function) or isinstance(called.node, ast.Lambda):
            return False
        names = positional(called.node)
        if index >= len(names):
            return False
        self._asked.add(call)
        try:
            return self._is_kept_as(names[index], called.module.inner_scope(called.node), cls)
        finally:
            self._asked.discard(call)

    def _is_kept_as(self, name: str, scope: Scope, cls: Class) -> bool:
        """Return whether code of a function hands what a parameter holds to nobody, now or later."""
        for inner in scope.walk():
            reads = inner.reads.get(name, ()) if inner.lookup(name) is scope else ()
            at_once = inner is scope or isinstance(inner.node, _AT_ONCE)
            if not all(at_once and self._is_kept(scope.module, use, cls) for use in reads):
                return False
        return True

    def _is_kept_under(self, name: str, module: Module, node: ast.expr, cls: Class) -> bool:
        """Return whether every use of a local name hands what it holds to nobody."""
        scope = module.scope_of(node)
        binder = scope.lookup(name)
        if binder is not scope or (scope.is_module and self._is_shared(module, name, node)):
            return False
        uses = [
            read for inner in scope.walk() for read in inner.reads.get(name, ())
            if inner.lookup(name) is scope
        ]  # fmt: skip
        return all(self._is_kept(module, use, cls) for use in uses)

    def _is_shared(self, module: Module, name: str, node: ast.expr) -> bool:
        """Return whether another module may read a name that a module binds."""
        if in_main_only((node, *module.ancestors(node))):
            return False
        users = self.interpreter.project.users(module, name)
        return any(user is not module for user in users)


def _unpacked_to(node: ast.expr, pair: ast.Tuple, around: ast.AST | None) -> str:
    """Return the name that an assignment of several values at once gives one of them: `a, b = A(), B()`."""
    match around:
        case ast.Assign(targets=[ast.Tuple(elts=targets)]) if len(targets) == len(pair.elts):
            target = targets[pair.elts.index(node)]
            unpacked = any(isinstance(each, ast.Starred) for each in (*targets, *pair.elts))
            return target.id if isinstance(target, ast.Name) and not unpacked else ""
    return ""
