"""Bound methods that send their whole object: static methods, and partials that hold the attributes they read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dlfix.fixing import naming
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.inherited_init import called_by_constructors
from dlfix.fixing.hoisting.instances import member_of
from dlfix.fixing.hoisting.line_width import width_of
from dlfix.fixing.hoisting.private_methods import KNOWN_BASES
from dlfix.fixing.plans_callables import CallablesPlan, Expression, Hoist, Parameter, Use
from dlfix.project.syntax import first_parameter
from dlfix.reach.values import Bound, BoundMethod, Class, External, Function, Instance, Unknown

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Value

# Methods that let an object send something else than its attributes, or read others.
_OF_STATE = frozenset(
    "__getstate__ __setstate__ __reduce__ __reduce_ex__ __getattr__ __getattribute__ __getnewargs__"
    " __getnewargs_ex__".split()
)
_OF_OBJECT = ("super", "__class__", "locals", "vars", "eval", "exec")
_OF_METHODS = ("__self__", "__func__")
SetAgain = Callable[["Module", ast.ClassDef, str], str]


def sent_by(crossing: Crossing) -> tuple[BoundMethod, Crossing] | None:
    """Return the method as whose object something crosses, and what crosses of that object."""
    below = crossing
    for above in crossing.above():
        if isinstance(above.value, BoundMethod):
            return None
        owner = above.parent
        if owner is not None and isinstance(owner.value, BoundMethod):
            of_object = isinstance(above.value, Instance) and above.value is owner.value.owner
            return (owner.value, below) if of_object else None
        below = above
    return None


@dataclass
class StaticMethod:
    """A method on its way to a static one."""

    analysis: Analysis
    method: BoundMethod
    set_again: SetAgain
    taken: dict[str, str] = field(default_factory=dict)  # parameters, by attribute

    @property
    def module(self) -> Module:
        """The file that it is in."""
        return self.method.function.module

    def plan(self, line: Sequence[Value], below: Crossing) -> CallablesPlan:
        """Plan its new signature, and what stands for it; raise CannotHoist where it needs its object."""
        node, owner = self._checked(line)
        uses = list(self._attributes(node, owner))
        if below.edge.name in self.taken:
            raise CannotHoist(f"`{node.name}` uses `{below.edge.name}` (line {node.lineno})")
        uses += [self._use(read, node, owner, line) for read in self._reads(node, line)]
        span = self.module.span(node)
        hoist = Hoist(
            span,
            node.name,
            "stays",
            span,
            parameters=tuple(Parameter(name) for name in self.taken.values()),
            without=(first_parameter(node),),
            decorator="staticmethod",
        )
        return CallablesPlan((hoist,), tuple(uses), width=width_of(self.module))

    def _checked(self, line: Sequence[Value]) -> tuple[ast.FunctionDef, ast.ClassDef]:
        """Return the method and its class, if both are plain."""
        node = self.method.function.node
        owner = self.module.parent(node)
        if not isinstance(node, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
            raise CannotHoist("the method is not defined by a `def` statement of a class")
        where = f"(line {node.lineno})"
        if node.decorator_list or node.args.kwarg or not first_parameter(node):
            raise CannotHoist(f"`{node.name}` is decorated or takes any keyword {where}")
        for each in line:
            if isinstance(each, Class):
                self._check_class(node, owner, each)
            elif not isinstance(each, External) or each.name not in KNOWN_BASES:
                raise CannotHoist(f"`{owner.name}` has a base class outside the project {where}")
        for word in _OF_METHODS:
            if self.analysis.project.mentions(word):
                raise CannotHoist(f"`{word}` is read, which a static method lacks {where}")
        for module in self.analysis.project.mentions(node.name):
            if module.says(f'"{node.name}"') or module.says(f"'{node.name}'"):
                raise CannotHoist(f"a text has its name ({module.path.name})")
        return node, owner

    def _check_class(self, node: ast.FunctionDef, owner: ast.ClassDef, cls: Class) -> None:
        inner = cls.module.inner_scope(cls.node).bindings
        also = sorted(_OF_STATE & inner.keys())
        if node.name in inner and (cls.node is not owner or len(inner[node.name]) > 1):
            raise CannotHoist(f"`{cls.node.name}` also defines `{node.name}` (line {node.lineno})")
        if also:
            raise CannotHoist(f"`{cls.node.name}` defines `{also[0]}` (line {cls.node.lineno})")
        if cls.node.keywords or cls.node.decorator_list:
            raise CannotHoist(f"`{cls.node.name}` is decorated (line {cls.node.lineno})")

    # What the method reads

    def _attributes(self, node: ast.FunctionDef, owner: ast.ClassDef) -> Iterator[Use]:
        """Yield what is written for each attribute that the method reads of its object."""
        first, scope = first_parameter(node), self.module.inner_scope(node)
        inside = {name for each in scope.walk() for name in (*each.bindings, *each.reads)}
        for word in _OF_OBJECT:
            if word in inside:
                raise CannotHoist(f"`{node.name}` uses `{word}` (line {node.lineno})")
        if len(scope.bindings[first]) > 1:
            raise CannotHoist(f"`{first}` is reassigned (line {node.lineno})")
        for each in scope.walk():
            for read in each.reads.get(first, ()) if each.lookup(first) is scope else ():
                attribute = self.module.parent(read)
                if not isinstance(attribute, ast.Attribute):
                    raise CannotHoist(f"`{node.name}` uses `{first}` (line {read.lineno})")
                self._check_attribute(node, owner, attribute)
                if attribute.attr not in self.taken:
                    wanted = attribute.attr.lstrip("_")
                    self.taken[attribute.attr] = naming.free_name(
                        wanted, inside | {*self.taken.values()}
                    )
                name = self.taken[attribute.attr]
                yield Use(self.module.span(attribute), Expression(name))

    def _check_attribute(
        self, node: ast.FunctionDef, owner: ast.ClassDef, attribute: ast.Attribute
    ) -> None:
        where = f"`{node.name}` reads `{ast.unparse(attribute)}` (line {attribute.lineno})"
        if not isinstance(attribute.ctx, ast.Load) or attribute.attr.startswith("__"):
            raise CannotHoist(
                f"`{node.name}` sets `{ast.unparse(attribute)}` (line {attribute.lineno})"
            )
        if member_of(owner, attribute.attr) != "attribute" or not _is_set(owner, attribute.attr):
            raise CannotHoist(f"{where}, which the constructor may not set")
        why = self.set_again(self.module, owner, attribute.attr)
        if why:
            raise CannotHoist(f"{where}, but {why}")

    # Who uses the method

    def _reads(self, node: ast.FunctionDef, line: Sequence[Value]) -> Iterator[ast.Attribute]:
        """Yield where code names the method; raise CannotHoist where that may be one of another object."""
        for module in self.analysis.project.mentions(node.name):
            for read in module.attributes_by_name.get(node.name, ()):
                values = self.analysis.values(
                    Bound(read, self.analysis.frame(module.scope_of(read)))
                )
                own = [each for each in values if _function(each) is node]
                if values and not own and not any(isinstance(each, Unknown) for each in values):
                    continue
                if module is not self.module or not self._is_own(read, node):
                    raise CannotHoist(
                        f"`{ast.unparse(read)}` may be the method ({module.path.name}:{read.lineno})"
                    )
                yield read

    def _is_own(self, read: ast.Attribute, node: ast.FunctionDef) -> bool:
        """Return whether a read is by the object of a method of the same class."""
        method = self._method_around(read, node)
        return isinstance(read.ctx, ast.Load) and method is not None

    def _method_around(self, read: ast.Attribute, node: ast.FunctionDef) -> ast.FunctionDef | None:
        if not isinstance(read.value, ast.Name):
            return None
        binder = self.module.scope_of(read).lookup(read.value.id)
        around = binder.node if binder is not None else None
        if not isinstance(around, ast.FunctionDef) or around.decorator_list:
            return None
        own = self.module.parent(around) is self.module.parent(node)
        single = binder is not None and len(binder.bindings[read.value.id]) == 1
        return around if own and single and first_parameter(around) == read.value.id else None

    def _use(
        self,
        read: ast.Attribute,
        node: ast.FunctionDef,
        owner: ast.ClassDef,
        line: Sequence[Value],
    ) -> Use:
        around = self._method_around(read, node)
        assert around is not None
        call = self.module.parent(read)
        called = isinstance(call, ast.Call) and call.func is read
        if not called and around.name in {"__init__", *called_by_constructors(line)}:
            raise CannotHoist(
                f"a constructor may use `{node.name}` before it sets what that reads (line {read.lineno})"
            )
        given = (
            [each.arg for each in call.keywords] if isinstance(call, ast.Call) and called else []
        )
        if any(each is None or each in self.taken.values() for each in given):
            raise CannotHoist(f"`{node.name}` is called with any keyword (line {read.lineno})")
        text = ast.unparse(read)
        first = ast.unparse(read.value)
        keywords = tuple((name, f"{first}.{attr}") for attr, name in self.taken.items())
        return Use(self.module.span(read), Expression(text, keywords=keywords))


def _function(value: Value) -> ast.AST | None:
    function = value.function if isinstance(value, BoundMethod) else value
    return function.node if isinstance(function, Function) else None


def _is_set(owner: ast.ClassDef, attribute: str) -> bool:
    """Return whether a statement of a constructor itself sets an attribute, or one of the class body."""
    init = next(
        (e for e in owner.body if isinstance(e, ast.FunctionDef) and e.name == "__init__"), None
    )
    first = first_parameter(init) if init is not None else ""
    for statement in (*owner.body, *(init.body if init is not None else ())):
        match statement:
            case ast.Assign(targets=targets):
                pass
            case ast.AnnAssign(target=target, value=ast.expr()):
                targets = [target]
            case _:
                continue
        for each in targets:
            match each:
                case ast.Name(id=name) if statement in owner.body:
                    if name == attribute:
                        return True
                case ast.Attribute(value=ast.Name(id=name), attr=attr):
                    if (name, attr) == (first, attribute):
                        return True
    return False


__all__ = ["StaticMethod", "sent_by"]
