"""What methods read around their class: kept by the instance once the class has moved."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dlfix.fixing import naming
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.lifetime import is_bound_before, may_run_after
from dlfix.project.module import Module, Scope
from dlfix.project.order import comes_before
from dlfix.project.syntax import decorators, first_parameter

_KEPT = ("assign", "annotated", "parameter")  # what has one value that an instance can keep


@dataclass
class Keeping:
    """The names of what is around a class that its instances have to keep."""

    module: Module
    node: ast.ClassDef
    init: ast.FunctionDef | None
    taken: set[str] = field(default_factory=set)  # attributes of its bases
    private: bool = False  # whether bases may have attributes that are not in view
    attributes: dict[str, str] = field(default_factory=dict)  # by name
    reads: dict[ast.Name, str] = field(default_factory=dict)  # what is written for each
    helpers: dict[ast.FunctionDef, str] = field(default_factory=dict)  # they become methods: names
    called: dict[str, str] = field(default_factory=dict)  # names that parameters cannot have

    def keep(self, name: str, reads: list[ast.Name]) -> None:
        """Let methods read a name from the instance; raise CannotHoist where they cannot."""
        for read in reads:
            method = self._method(read)
            if method is not None and method is self.init:
                self._check_init(name, read)
            else:
                self._keep(name, read, method)

    def call(self, helper: ast.FunctionDef, name: str, reads: list[ast.Name]) -> None:
        """Let methods call a local function as the method that it becomes."""
        taken = {each.attr for each in ast.walk(self.node) if isinstance(each, ast.Attribute)}
        taken |= self.module.inner_scope(self.node).bindings.keys() | set(self.helpers.values())
        wanted = name if name.startswith("_") else f"_{name}"
        if wanted in taken or wanted.startswith("__"):
            raise CannotHoist(
                f"the class `{self.node.name}` calls `{name}` of the enclosing function and also has "
                f"an attribute `{wanted}`"
            )
        self.helpers[helper] = wanted
        for read in reads:
            method = self._method(read)
            first = self._instance(read, method)
            if not first or (method is self.init and self.sets_up_base_later(read)):
                raise CannotHoist(
                    f"the class `{self.node.name}` calls `{name}` of the enclosing "
                    f"function where no instance is available (line {read.lineno})"
                )
            self.reads[read] = f"{first}.{wanted}"

    def check(self, call: ast.Call) -> None:
        """See that a call can make an instance with what it is to keep."""
        for name in self.attributes:
            self.check_bound(name, call)

    def check_bound(self, name: str, point: ast.expr) -> None:
        """See that a name around the class surely has its value at some point."""
        binder = self.module.scope_of(self.node).lookup(name)
        if self.module.scope_of(point).lookup(name) is not binder:
            raise CannotHoist(f"`{name}` means something else (line {point.lineno})")
        if binder is not None and not is_bound_before(self.module, binder, name, point):
            raise CannotHoist(f"`{name}` may not be assigned yet (line {point.lineno})")

    def refuse_changing(self, name: str) -> None:
        """Refuse a name around the class that may get another value."""
        where = f"the class `{self.node.name}` reads `{name}` of the enclosing function"
        self._refuse_rebound(name, self.module.scope_of(self.node).lookup(name), where)

    def unpassed(self, names: Iterable[str], calls: list[ast.Call]) -> Iterator[str]:
        """Yield the names that calls do not pass for a parameter of that name already."""
        own = set(_parameters(self.init)) if self.init is not None else set()
        names = list(names)
        self._refuse_called_alike(own | {*names})
        for name in names:
            if name not in own:
                yield name
            elif not all(_passes_as_it_is(name, self.init, call) for call in calls):
                raise CannotHoist(
                    f"the class `{self.node.name}` reads `{name}` of the enclosing function, but its "
                    f"`__init__` has a parameter of that name (line {self.node.lineno})"
                )

    def _refuse_called_alike(self, names: set[str]) -> None:
        taken = sorted(names & {*self.called.values()})
        if taken:
            raise CannotHoist(
                f"the class `{self.node.name}` reads the instance of the enclosing method, and `{taken[0]}` "
                f"is the name of something else (line {self.node.lineno})"
            )

    def reading(self) -> list[str]:
        """Return the methods that read what the instance keeps, or call a helper."""
        methods = [self._method(read) for read in self.reads]
        return list(dict.fromkeys(each.name for each in methods if each not in (None, self.init)))

    def _check_init(self, name: str, read: ast.Name) -> None:
        assert self.init is not None
        inner = self.module.inner_scope(self.init)
        if name in inner.bindings or self.module.scope_of(read) is not inner:
            raise CannotHoist(
                f"`{name}` is read in a function inside `__init__` (line {read.lineno})"
            )
        called = self.called.get(name)
        if called is not None and (called in inner.bindings or called in inner.reads):
            raise CannotHoist(f"`{called}` means something else in `__init__` (line {read.lineno})")
        if called is not None:
            self.reads[read] = called

    def _keep(self, name: str, read: ast.Name, method: ast.FunctionDef | None) -> None:
        where = f"the class `{self.node.name}` reads `{name}` of the enclosing function"
        if method is None or self.node.decorator_list or self.node.keywords:
            raise CannotHoist(f"{where} (line {read.lineno})")
        first = self._instance(read, method)
        if not first:
            raise CannotHoist(f"{where}, where no instance is available (line {read.lineno})")
        self._refuse_rebound(name, self.module.scope_of(read).lookup(name), where)
        called = self.called.get(name, name)
        attribute = self.attributes.setdefault(name, self._attribute(called))
        self.reads[read] = f"{first}.{attribute}"

    def sets_up_base_later(self, read: ast.Name) -> bool:
        """Return whether `__init__` calls that of its base below a read: what is kept is set there."""
        assert self.init is not None
        return any(
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr == "__init__"
            and not comes_before(each, read)
            for each in ast.walk(self.init)
        )

    def _instance(self, read: ast.Name, method: ast.FunctionDef | None) -> str:
        """Return what the instance is called where a read stands; empty where there is none."""
        if method is None:
            return ""
        scope = self.module.scope_of(read)
        if method in self.helpers:
            binder = scope.lookup("self")
            around = self.module.scope_of(self.node).lookup("self")
            is_kept = "self" in self.called and binder is around
            return "self" if binder is None or is_kept else ""
        first = _first_parameter(method)
        own = scope.lookup(first) is self.module.inner_scope(method)
        return first if first and own else ""

    def _refuse_rebound(self, name: str, binder: Scope | None, where: str) -> None:
        bindings = binder.bindings[name] if binder is not None else []
        for each in bindings:
            assert binder is not None
            again = may_run_after(self.module, binder, each.node, self.node)
            if again or each.kind not in _KEPT:
                line = getattr(each.node, "lineno", 0)
                raise CannotHoist(f"{where}, which may change (line {line})")
        if binder is not None and any(name in each.nonlocals for each in binder.walk()):
            raise CannotHoist(f"{where}, which another function assigns with `nonlocal`")

    def _method(self, read: ast.Name) -> ast.FunctionDef | None:
        """Return the method whose body a read is in."""
        scope: Scope | None = self.module.scope_of(read)
        while scope is not None:
            node = scope.node
            if isinstance(node, ast.FunctionDef) and (
                node in self.node.body or node in self.helpers
            ):
                return node
            scope = scope.parent
        return None

    def _attribute(self, name: str) -> str:
        taken = {
            each.attr for each in ast.walk(self.module.tree) if isinstance(each, ast.Attribute)
        }
        taken |= self.module.inner_scope(self.node).bindings.keys() | self.taken
        for attribute in (f"_{name}",) if self.private else (name, f"_{name}"):
            if attribute not in taken and not attribute.startswith("__"):
                return attribute
        raise CannotHoist(
            f"the class `{self.node.name}` reads `{name}` of the enclosing function, but the file "
            f"already uses the attribute names `{name}` and `_{name}`"
        )


def instance_around(module: Module, node: ast.ClassDef, captured: Iterable[str]) -> dict[str, str]:
    """Return what parameter the instance is passed for whose method makes a class: `self` is taken in that."""
    binder = module.scope_of(node).lookup("self") if "self" in captured else None
    method = binder.node if binder is not None else None
    owner = module.parent(method) if isinstance(method, ast.FunctionDef) else None
    if not isinstance(owner, ast.ClassDef) or not isinstance(method, ast.FunctionDef):
        return {}
    is_instance = _first_parameter(method) == "self"
    return {"self": naming.snake(owner.name)} if is_instance else {}


def _parameters(init: ast.FunctionDef) -> list[str]:
    """Return the parameters of a constructor, those by position first, without the instance."""
    positional = [*init.args.posonlyargs, *init.args.args][1:]
    more = filter(None, (init.args.vararg, init.args.kwarg))
    return [each.arg for each in (*positional, *init.args.kwonlyargs, *more)]


def _passes_as_it_is(name: str, init: ast.FunctionDef | None, call: ast.Call) -> bool:
    """Return whether a call passes a name for the parameter that is called the same, which keeps its value."""
    if init is None or any(isinstance(each, ast.Starred) for each in call.args):
        return False
    if any(isinstance(n, ast.Name) and n.id == name and _is_stored(n) for n in ast.walk(init)):
        return False
    passed = dict(zip(_parameters(init), call.args, strict=False))
    passed |= {each.arg: each.value for each in call.keywords if each.arg}
    value = passed.get(name)
    return isinstance(value, ast.Name) and value.id == name


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, (ast.Store, ast.Del))


def _first_parameter(method: ast.FunctionDef) -> str:
    """Return what a method calls its instance; empty where it is given none."""
    none = decorators(method) & {"staticmethod", "classmethod"} or method.name == "__new__"
    return "" if none else first_parameter(method)
