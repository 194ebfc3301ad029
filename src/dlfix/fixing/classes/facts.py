"""Facts of one class: where its methods store, read and close an attribute of `self`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dlfix.project.module import Module
from dlfix.project.order import comes_before
from dlfix.project.syntax import (
    callee_name,
    decorators,
    first_parameter,
    is_attribute_of,
    is_name,
    set_by_name,
)
from dlfix.project.trees import kept, walk

Method = ast.FunctionDef | ast.AsyncFunctionDef
STARTS = ("__init__", "__post_init__", "__attrs_post_init__", "__new__")
_NO_HANDLES = frozenset("str bytes int float bool list tuple dict set".split())
CLOSERS = ("__del__", "__exit__", "close", "release", "shutdown", "cleanup", "stop", "teardown")
_ASK_WHAT_IT_IS = frozenset({"type", "id", "isinstance", "super"})


@dataclass(frozen=True, eq=False)
class StoreSite:
    """One statement that sets `self.<attribute>`, and the expression it is set to, if any."""

    attribute: str
    method: Method
    statement: ast.stmt
    target: ast.AST
    value: ast.expr | None
    annotation: ast.expr | None = None

    @property
    def resets(self) -> bool:
        """Whether it sets the attribute to None."""
        return isinstance(self.value, ast.Constant) and self.value.value is None


class ClassFacts:
    """A class statement and what its own methods do with `self`."""

    def __init__(self, module: Module, node: ast.ClassDef) -> None:
        self.module = module
        self.node = node

    @cached_property
    def methods(self) -> dict[str, Method]:
        """The methods by name; of several of a name (a property and its setter) the first."""
        methods: dict[str, Method] = {}
        for statement in self.node.body:
            if isinstance(statement, Method):
                methods.setdefault(statement.name, statement)
        return methods

    def state_method(self, name: str) -> Method | None:
        """Return the method that pickle calls by a name, also where the class gives a method that name: `__getstate__ = state`."""
        return self.methods.get(name) or self.named_by_assignment(name)

    def named_by_assignment(self, name: str) -> Method | None:
        """Return the plain method that the class body assigns to a name, where nothing else names that method."""
        field = self.fields.get(name)
        if not isinstance(field, ast.Assign) or not isinstance(field.value, ast.Name):
            return None
        method = self.methods.get(field.value.id)
        if method is None or method.decorator_list or not comes_before(method, field):
            return None
        return method if self.module.nodes_by_name[method.name] == [field.value] else None

    @property
    def is_frozen(self) -> bool:
        """Whether objects refuse assignments: of a dataclass or an attrs class that is frozen."""
        return any(
            "frozen=True" in ast.unparse(each) or callee_name(each) == "frozen"
            for each in self.node.decorator_list
        )

    def imported_as(self, library: str) -> str:
        """Return the name that the module gives to a library: "np" for `import numpy as np`; "" if it imports none."""
        for name, bindings in self.module.scope.bindings.items():
            for each in bindings:
                alias = each.node if isinstance(each.statement, ast.Import) else None
                if isinstance(alias, ast.alias) and alias.name == library:
                    return name
        return ""

    def setting(self, attribute: str, value: str) -> str:
        """Return the statement of a method that sets an attribute."""
        if self.is_frozen:
            return f'object.__setattr__(self, "{attribute}", {value})'
        return f"self.{attribute} = {value}"

    @cached_property
    def all_methods(self) -> list[Method]:
        """All methods, in order."""
        return [each for each in self.node.body if isinstance(each, Method)]

    @cached_property
    def stores(self) -> dict[str, list[StoreSite]]:
        """Every store to an attribute of `self`, by attribute, in source order."""
        found: dict[str, list[StoreSite]] = {}
        for method in self.all_methods:
            for site in _stores_in(self.module, method):
                found.setdefault(site.attribute, []).append(site)
        return found

    @cached_property
    def reads(self) -> dict[str, list[tuple[Method, ast.AST]]]:
        """Every read of `self.<attribute>`, by attribute."""
        found: dict[str, list[tuple[Method, ast.AST]]] = {}
        for method in self.all_methods:
            me = self_name(method)
            for node in ast.walk(method):
                if is_self_attribute(node, me) and isinstance(node.ctx, ast.Load):
                    found.setdefault(node.attr, []).append((method, node))
        return found

    @cached_property
    def names(self) -> set[str]:
        """Every attribute name in use on `self`, and every name of the class body."""
        names = {node.attr for node in ast.walk(self.node) if isinstance(node, ast.Attribute)}
        return names | set(self.methods) | self.fields.keys()

    @cached_property
    def fields(self) -> dict[str, ast.AnnAssign | ast.Assign]:
        """Names bound in the class body: class attributes and fields."""
        fields: dict[str, ast.AnnAssign | ast.Assign] = {}
        for statement in self.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                fields[statement.target.id] = statement
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        fields[target.id] = statement
        return fields

    @property
    def slots(self) -> list[str] | None:
        """What `__slots__` names; None where there is no such line, or one that cannot be read."""
        statement = self.fields.get("__slots__")
        if statement is None or statement.value is None:
            return None
        try:
            value = ast.literal_eval(statement.value)
        except ValueError:
            return None
        return [value] if isinstance(value, str) else list(value)

    @property
    def is_typed(self) -> bool:
        """Whether its methods say what they take or give."""
        start = self.methods.get("__init__")
        methods = [start] if start is not None else self.all_methods
        return any(method.returns is not None for method in methods) or any(
            argument.annotation is not None for method in methods for argument in method.args.args
        )

    @cached_property
    def started(self) -> set[str]:
        """The methods that run while an instance is made: `__init__` and what it calls."""
        return self.reached(name for name in STARTS if name in self.methods)

    def reached(self, names: Iterator[str] | Sequence[str]) -> set[str]:
        """Return the methods of this class that some of its methods run, themselves included."""
        found: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name in found or name not in self.methods:
                continue
            found.add(name)
            todo += self_names_used(self.methods[name])
        return found

    def is_property(self, name: str) -> bool:
        """Return whether a method is read like an attribute."""
        method = self.methods.get(name)
        return method is not None and any(
            "property" in ast.unparse(decorator) for decorator in method.decorator_list
        )

    def written(self, annotation: ast.expr) -> str:
        """Return the text of a handle's annotation; empty where it names what only a function binds, or no handle."""
        names = (each for each in ast.walk(annotation) if isinstance(each, ast.Name))
        scopes = [self.module.scope_of(each).lookup(each.id) for each in names]
        local = any(scope is not None and scope.is_function for scope in scopes)
        if isinstance(annotation, ast.Name) and annotation.id in _NO_HANDLES:
            return ""  # it is wrong
        return "" if local else self.module.segment(annotation)

    def line(self, node: ast.AST) -> str:
        """Return how a message names a line of this class' file."""
        return f"{self.module.path.name}:{getattr(node, 'lineno', 1)}"


def started_sites(facts: ClassFacts, attribute: str) -> list[StoreSite]:
    """Return the stores that give an attribute a value while the instance is made."""
    return [
        site
        for site in facts.stores.get(attribute, [])
        if site.method.name in facts.started and not site.resets
    ]


is_self_attribute = is_attribute_of


def self_name(method: Method) -> str:
    """Return what a method calls its instance; empty for a static method."""
    return "" if "staticmethod" in decorators(method) else first_parameter(method)


def self_names_used(method: Method) -> list[str]:
    """Return the attributes and methods of `self` that a method uses, operators included."""
    return names_used(method, self_name(method))


def names_used(code: ast.AST, me: str) -> list[str]:
    """Return the attributes and methods of `self` that some code uses, operators included."""
    return [*_names_used(code, me)]


@kept
def _names_used(code: ast.AST, me: str) -> tuple[str, ...]:
    used: list[str] = []
    for node in walk(code):
        if is_self_attribute(node, me):
            used.append(node.attr)
        else:
            used += operators(node, me)
    return tuple(used)


def whole_uses(facts: ClassFacts, method: Method) -> Iterator[ast.Name]:
    """Yield where a method uses its object otherwise than for an attribute: it passes it on, or keeps it."""
    me = self_name(method)
    for node in ast.walk(method):
        if not isinstance(node, ast.Name) or node.id != me or not isinstance(node.ctx, ast.Load):
            continue
        match facts.module.parent(node):
            case ast.Attribute():
                pass
            case ast.Call(func=ast.Name(id=asked)) if asked in _ASK_WHAT_IT_IS:
                pass
            case _:
                yield node


def operators(node: ast.AST, me: str) -> list[str]:
    """Return the special methods of `self` that a node runs without naming them."""
    match node:
        case ast.Subscript(value=ast.Name(id=name)) if name == me:
            return ["__getitem__"]
        case ast.Call(
            func=ast.Name(id=("len" | "iter" | "next") as call), args=[ast.Name(id=name), *_]
        ):
            return [f"__{call}__"] if name == me else []
        case ast.Call(func=ast.Name(id=name)) if name == me:
            return ["__call__"]
        case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
            return ["__iter__", "__getitem__"] if name == me else []
    return []


def _stores_in(module: Module, method: Method) -> Iterator[StoreSite]:
    me = self_name(method)
    if not me:
        return
    for node in ast.walk(method):
        if is_self_attribute(node, me) and isinstance(node.ctx, (ast.Store, ast.Del)):
            statement = module.statement(node)
            yield StoreSite(node.attr, method, statement, node, *_value_of(module, statement, node))
        else:
            by_name = set_by_name(node)
            if by_name is not None and is_name(by_name.owner, me):
                statement = module.statement(node)
                yield StoreSite(by_name.name, method, statement, by_name.target, by_name.value)


def _value_of(
    module: Module, statement: ast.stmt, target: ast.AST
) -> tuple[ast.expr | None, ast.expr | None]:
    if isinstance(statement, ast.Assign):
        for each in statement.targets:
            if each is target:
                return statement.value, None
            if isinstance(each, (ast.Tuple, ast.List)) and target in each.elts:
                return _item(statement.value, each, target), None
    if isinstance(statement, ast.AnnAssign):
        return statement.value, statement.annotation
    return None, None


def _item(value: ast.expr, targets: ast.Tuple | ast.List, target: ast.AST) -> ast.expr | None:
    """Return the item of a literal tuple that one of as many targets takes."""
    if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(targets.elts):
        return None
    if any(isinstance(each, ast.Starred) for each in (*value.elts, *targets.elts)):
        return None
    return value.elts[targets.elts.index(target)]  # type: ignore[arg-type]
