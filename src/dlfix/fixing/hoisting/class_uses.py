"""How the function around a local class uses it: it calls it, keeps it to call it later, or derives from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.kept_names import Keeping
from dlfix.project.module import Module, Scope, enclosing_function
from dlfix.project.project import Project
from dlfix.project.syntax import is_super


@dataclass
class ClassUses:
    """The uses of a class that takes what it read around it as arguments."""

    module: Module
    project: Project
    node: ast.ClassDef
    scope: Scope  # that the class is bound in
    calls: list[ast.Call] = field(default_factory=list)
    values: list[ast.Name] = field(default_factory=list)  # kept in a variable, or returned
    of_values: list[ast.Call] = field(default_factory=list)  # calls of these, anywhere
    heirs: list[ast.ClassDef] = field(default_factory=list)
    _followed: set[object] = field(default_factory=set)

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
        for call in self.of_values:
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
        """Note a value that is only called: `cls = First if flag else Second`, `return First`."""
        if not self._is_only_called(self.module, read):
            return False
        self.values.append(read)
        return True

    def _is_only_called(self, module: Module, value: ast.AST) -> bool:
        """Follow a value through variables, and from functions that return it to their calls."""
        while isinstance(above := module.parent(value), ast.IfExp) and value is not above.test:
            value = above
        match module.parent(value):
            case ast.Call(func=func) as call if func is value:
                if call not in self.of_values:
                    self.of_values.append(call)
                return True
            case ast.Assign(targets=[ast.Name() as target]):
                return self._is_variable(module, target)
            case ast.Return() as statement:
                return self._is_returned(module, statement)
        return False

    def _is_variable(self, module: Module, target: ast.Name) -> bool:
        binder = module.scope_of(target).lookup(target.id)
        if binder is None or binder.is_class or target.id in binder.module_globals:
            return False
        if any(each.kind != "assign" or each.path for each in binder.bindings[target.id]):
            return False
        if binder.is_module and self._is_imported(target.id):
            return False
        if (binder, target.id) in self._followed:
            return True
        self._followed.add((binder, target.id))
        return all(self._is_only_called(module, each) for each in self._reads(binder, target.id))

    def _is_imported(self, name: str) -> bool:
        """Return whether another module may have a name of a module."""
        return any(
            alias.name in (name, "*")
            for module in self.project.mentions(name)
            for alias in module.nodes(ast.alias)
        ) or any(module.attributes_by_name.get(name) for module in self.project.mentions(name))

    def _is_returned(self, module: Module, statement: ast.Return) -> bool:
        function = enclosing_function(module, statement)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return False
        if function in self._followed:
            return True
        self._followed.add(function)
        reads = [
            (other, read)
            for other in self.project.mentions(function.name)
            for read in other.nodes_by_name.get(function.name, ())
            if isinstance(read.ctx, ast.Load)
        ]
        if not reads or any(other.aliases_of(function.name) for other, _ in reads):
            return False
        calls = [(other, other.parent(read), read) for other, read in reads]
        return all(
            isinstance(call, ast.Call) and call.func is read and self._is_only_called(other, call)
            for other, call, read in calls
        )


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
