"""How the function around a local class uses it: it calls it, keeps it to call it later, or derives from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.kept_names import Keeping
from dlfix.project.module import Module, Scope
from dlfix.project.syntax import is_super


@dataclass
class ClassUses:
    """The uses of a class that takes what it read around it as arguments."""

    module: Module
    node: ast.ClassDef
    scope: Scope  # that the class is bound in
    calls: list[ast.Call] = field(default_factory=list)
    values: list[ast.Name] = field(default_factory=list)  # kept in a variable
    of_variables: list[ast.Call] = field(default_factory=list)  # calls of these
    heirs: list[ast.ClassDef] = field(default_factory=list)

    def __post_init__(self) -> None:
        own = {id(each) for each in ast.walk(self.node)}
        for read in self._reads(self.scope, self.node.name):
            parent = self.module.parent(read)
            if id(read) in own and is_super(parent):
                continue
            if isinstance(parent, ast.Call) and parent.func is read:
                if id(read) in own:
                    raise CannotHoist(f"the class creates instances of itself (line {read.lineno})")
                self.calls.append(parent)
            elif id(read) in own or not (self._is_derived(read) or self._is_kept(read)):
                raise CannotHoist(
                    f"the class `{self.node.name}` reads names of the enclosing function "
                    f"and is used other than by a call (line {read.lineno})"
                )

    def check(self, names: Sequence[str], keeping: Keeping) -> None:
        """See that what is kept in a variable can be a partial that holds some names; raise CannotHoist."""
        for read in self.values:
            for name in names:
                keeping.refuse_changing(name)
                keeping.check_bound(name, read)
        for call in self.of_variables:
            if any(each.arg in (None, *names) for each in call.keywords):
                raise CannotHoist(
                    f"the class `{self.node.name}` may get `{names[0]}` twice (line {call.lineno})"
                )

    def _reads(self, scope: Scope, name: str) -> Iterator[ast.Name]:
        for each in scope.walk():
            if each.lookup(name) is scope:
                yield from each.reads.get(name, ())

    def _is_derived(self, read: ast.Name) -> bool:
        """Note a class beside this one that derives from it alone."""
        heir = self.module.parent(read)
        if not isinstance(heir, ast.ClassDef) or heir.bases != [read] or heir.keywords:
            return False
        if heir.decorator_list or self.module.scope_of(heir) is not self.scope:
            return False
        self.heirs.append(heir)
        return True

    def _is_kept(self, read: ast.Name) -> bool:
        """Note a value of a local variable that is only called: `cls = First if flag else Second`."""
        value: ast.AST = read
        while isinstance(above := self.module.parent(value), ast.IfExp) and value is not above.test:
            value = above
        match self.module.parent(value):
            case ast.Assign(targets=[ast.Name(id=name) as target]):
                binder = self.module.scope_of(target).lookup(name)
            case _:
                return False
        if binder is None or not binder.is_function:
            return False
        if any(each.kind != "assign" or each.path for each in binder.bindings[name]):
            return False
        for each in self._reads(binder, name):
            call = self.module.parent(each)
            if not isinstance(call, ast.Call) or call.func is not each:
                return False
            if call not in self.of_variables:
                self.of_variables.append(call)
        self.values.append(read)
        return True


def passing_on(node: ast.ClassDef, init: ast.FunctionDef) -> ast.Call:
    """Return the call by which an `__init__` sets up its base; raise CannotHoist unless there is one."""
    calls = [each for each in ast.walk(node) if _sets_up_base(each)]
    for statement in init.body:
        if isinstance(statement, ast.Expr) and [statement.value] == calls:
            assert isinstance(statement.value, ast.Call)
            return statement.value
    raise CannotHoist(
        f"the `__init__` of `{node.name}` does not call that of its base once (line {init.lineno})"
    )


def _sets_up_base(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=above, attr="__init__")):
            return is_super(above)
    return False


__all__ = ["ClassUses", "passing_on"]
