"""Attributes of a local class whose values are read around it: its instances keep them once it has moved."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from dlfix.fixing.hoisting.captures import CannotHoist, has_its_line
from dlfix.fixing.hoisting.inherited_init import attributes_of_bases, has_state_unseen
from dlfix.fixing.hoisting.kept_names import Keeping
from dlfix.project.library_names import same_whenever
from dlfix.project.module import Module, Scope
from dlfix.project.project import Project
from dlfix.project.syntax import callee_name, first_parameter, last_name
from dlfix.reach.evaluator import Base
from dlfix.source.text import Span

Statement = ast.Assign | ast.AnnAssign
# Bases whose classes may have an attribute of an instance for one of the class.
_PLAIN = ("", "object", "Sampler", "Thread", "Process")


@dataclass
class ClassValues:
    """The statements of a class body that read local names; calls may be delayed, reads may not.

    What more than names is evaluated stays where the class stood, as a local variable.
    """

    module: Module
    project: Project
    node: ast.ClassDef
    scope: Scope  # that the class is bound in
    line: Sequence[Base] = ()  # the class and its bases
    stay: list[Span] = field(default_factory=list)
    leave: list[Span] = field(default_factory=list)  # `size = n`: `n` is passed
    variables: dict[str, str] = field(default_factory=dict)  # attributes, by what is passed

    @property
    def is_of_its_time(self) -> bool:
        """Whether a value of the body may be another, or do something, where it is made on import."""
        return bool(self._statements({}))

    def take(self, captured: dict[str, list[ast.Name]], keeping: Keeping) -> None:
        """Take the reads that such statements make out of what is captured; raise CannotHoist."""
        for statement in self._statements(captured):
            attribute, value = _target(statement), statement.value
            self._check(statement, attribute, keeping)
            span = self.module.span(statement)
            kept = isinstance(value, ast.Name) and value.id in keeping.attributes
            if isinstance(value, ast.Name) and not (kept or self._has_comment(statement)):
                self.leave.append(span)
                keeping.attributes[value.id] = attribute
            else:
                self._check_free(attribute, statement)
                self.stay.append(span)
                self.variables[attribute] = attribute  # as where two attributes have one value
            inside = {id(each) for each in ast.walk(statement)}
            for name in list(captured):
                captured[name] = [each for each in captured[name] if id(each) not in inside]
                passed = name in keeping.attributes
                if not captured[name] and not passed:
                    del captured[name]

    def _statements(self, captured: dict[str, list[ast.Name]]) -> list[Statement]:
        reads = {id(each) for listed in captured.values() for each in listed}
        return [
            each
            for each in self.node.body
            if isinstance(each, (ast.Assign, ast.AnnAssign))
            and _target(each)
            and (any(id(inner) in reads for inner in ast.walk(each)) or self._is_of_its_time(each))
        ]

    def _is_of_its_time(self, statement: Statement) -> bool:
        """Return whether a value may be another, or do something, where it is made on import."""
        if self.scope.is_module or _may_be_bound(statement.value):
            return False
        calls = (each for each in ast.walk(statement) if isinstance(each, ast.Call))
        return any(not same_whenever(self.module, call) for call in calls)

    def _check(self, statement: Statement, attribute: str, keeping: Keeping) -> None:
        """See that only instances read the attribute, through `self`."""
        inner = self.module.inner_scope(self.node)
        where = f"`{self.node.name}.{attribute}` (line {statement.lineno})"
        if self.node.decorator_list or self.node.keywords or "__slots__" in inner.bindings:
            raise CannotHoist(f"{where} may be used when the class is created")
        if len(inner.bindings[attribute]) > 1 or inner.reads.get(attribute):
            raise CannotHoist(f"the class body also uses {where}")
        bases = {last_name(each) for each in self.node.bases}
        plain = all(base in _PLAIN or base.endswith("Dataset") for base in bases) or (
            not has_state_unseen(self.line) and attribute not in attributes_of_bases(self.line)
        )
        if not plain or _may_be_bound(statement.value) or attribute.startswith("__"):
            raise CannotHoist(f"{where} may mean something else as an attribute of an instance")
        if not has_its_line(self.module, statement):
            raise CannotHoist(f"{where} is set on a line with other statements")
        for module in self.project.mentions(attribute):
            for other in module.nodes(ast.ClassDef):
                defines = attribute in module.inner_scope(other).bindings and other is not self.node
                if defines and (other.name in bases or module is self.module):
                    raise CannotHoist(f"{where} is also an attribute of the class `{other.name}`")
            for read in module.attributes_by_name.get(attribute, ()):
                if not self._is_of_instance(module, read, keeping, bases):
                    raise CannotHoist(
                        f"{where} may be read from the class ({module.path.name}:{read.lineno})"
                    )

    def _is_of_instance(
        self, module: Module, read: ast.Attribute, keeping: Keeping, bases: set[str]
    ) -> bool:
        owner, call = read.value, module.parent(read)
        if isinstance(call, ast.Call) and call.func is read:
            return False  # a function of the class is called with the instance
        if isinstance(owner, ast.Call) or last_name(owner) in ("cls", "__class__", self.node.name):
            return False
        around = [each for each in module.ancestors(read) if isinstance(each, ast.ClassDef)]
        if around and around[0] is not self.node and around[0].name in bases:
            return False  # perhaps the constructor of a base, before the instance keeps it
        method = next(
            (each for each in module.ancestors(read) if isinstance(each, ast.FunctionDef)), None
        )
        if method is None or method is not keeping.init or last_name(owner) != _first(method):
            return True
        return isinstance(owner, ast.Name) and not keeping.sets_up_base_later(owner)

    def _check_free(self, name: str, statement: Statement) -> None:
        """See that the function can have a variable of the attribute's name."""
        for scope in self.module.scope.walk():
            if scope is self.scope or self.scope in _above(scope):
                own = scope is self.module.inner_scope(self.node)
                if (name in scope.bindings and not own) or (name in scope.reads and not own):
                    raise CannotHoist(
                        f"the enclosing function also uses the name `{name}` (line {statement.lineno})"
                    )

    def _has_comment(self, statement: Statement) -> bool:
        row = statement.lineno
        above = self.module.lines[row - 2].lstrip() if row > 1 else ""
        return above.startswith("#") or "#" in self.module.lines[row - 1]


def _may_be_bound(value: ast.expr | None) -> bool:
    """Return whether a value may be a descriptor: `property(...)`, a lambda."""
    name = callee_name(value) if isinstance(value, ast.Call) else ""
    wraps = name.endswith(("property", "method")) or name.startswith("partial")
    return wraps or isinstance(value, ast.Lambda)


def _target(statement: Statement) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return name
    return ""


def _first(method: ast.FunctionDef) -> str:
    return first_parameter(method)


def _above(scope: Scope) -> list[Scope]:
    found = []
    above = scope.parent
    while above is not None:
        found.append(above)
        above = above.parent
    return found


__all__ = ["ClassValues"]
