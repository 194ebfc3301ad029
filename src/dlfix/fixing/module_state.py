"""What a call of another module's code does to module-level state there: reads it, or sets it.

State is named as `module.name`; `module.*` stands for all of it, where code sets names that are not
written out (`globals()[key] = value`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.import_time import ImportTime, Touched
from dlfix.project.repeatable import once_in
from dlfix.project.syntax import MUTATORS, base_name, dotted
from dlfix.reach.values import Bound, BoundMethod, Class, Function, Instance
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.analysis import Analysis

_DEPTH = 4  # how far calls of calls are followed
_DYNAMIC = frozenset({"globals", "setattr", "exec"})


class ModuleState:
    """The state that calls of one module's top level touch in others."""

    def __init__(self, analysis: Analysis, module: Module) -> None:
        self.analysis = analysis
        self.module = module
        self.code = WorkerCode.of(analysis)
        self._touched: dict[ast.Call, Touched] = {}

    def worker_reads(self) -> dict[str, str]:
        """Return the state of other modules that code in workers reads, and who does."""
        found: dict[str, str] = {}
        for read in self.code.global_reads():
            if read.module is not self.module:
                found.setdefault(f"{read.module.name}.{read.name}", read.reader)
                found.setdefault(f"{read.module.name}.*", read.reader)
        for function in self.code.functions.values():
            if function.module is not self.module:
                who = f"`{function.qualname}`"
                found.setdefault(f"{function.module.name}.*", who)
            scope = function.module.inner_scope(function.node)
            for target in self._modules_named(function.module, scope, function.node):
                found.setdefault(f"{target.name}.*", f"`{function.qualname}`")
        return found

    def touched(self, call: ast.Call) -> Touched:
        """Return what a call does to the state of other modules."""
        if call not in self._touched:
            touched = self._touched[call] = Touched()
            self._follow(self.module, call, touched, _DEPTH, set())
            touched.sets |= self._own_names(call, touched.sets)
        return self._touched[call]

    def _own_names(self, call: ast.Call, sets: set[str]) -> set[str]:
        """Return the names of this module that stand for what a call changes."""
        found: set[str] = set()
        base = base_name(call.func)
        imported = base is not None and self.code.home(self.module, base)[0] is not self.module
        if imported and isinstance(call.func, ast.Attribute):
            values = self._values(self.module, call.func)
            found |= {str(base)} if any(isinstance(v, BoundMethod) for v in values) else set()
        for name in self.module.scope.bindings:
            target = self.code.module_named(self.module, self.module.scope, name)
            if target is not None and any(each.startswith(f"{target.name}.") for each in sets):
                found.add(name)
            home, own = self.code.home(self.module, name)
            if home is not self.module and {f"{home.name}.{own}", f"{home.name}.*"} & sets:
                found.add(name)
        return found

    def _values(self, module: Module, node: ast.expr) -> list[object]:
        return list(self.analysis.values(Bound(node, self.analysis.frame(module.scope_of(node)))))

    def _follow(
        self, module: Module, call: ast.Call, touched: Touched, depth: int, seen: set[ast.AST]
    ) -> None:
        for value in self._values(module, call.func):
            function = self._function(value)
            if isinstance(value, BoundMethod):
                self._object_of(module, call, touched.sets)
            if function is None or function.node in seen or isinstance(function.node, ast.Lambda):
                continue
            seen.add(function.node)
            touched.is_followed = True
            where = function.module
            if where is not self.module:
                self._of_body(where, function.node, touched.sets, touched.reads)
                touched.once = touched.once or once_in(ImportTime(where.tree), function.node)
            if depth:
                for inner in _calls_in(function.node):
                    self._follow(where, inner, touched, depth - 1, seen)

    def _function(self, value: object) -> Function | None:
        """Return the function that calling a value runs."""
        if isinstance(value, Function):
            return value
        if isinstance(value, BoundMethod):
            return value.function
        return self.analysis.method(value, "__init__") if isinstance(value, Class) else None

    def _object_of(self, module: Module, call: ast.Call, sets: set[str]) -> None:
        """A method that changes its instance changes the module-level object it is called on."""
        base = base_name(call.func)
        if base is None:
            return
        home, own = self.code.home(module, base)
        if home is not self.module and own in home.scope.bindings:
            sets.add(f"{home.name}.{own}")

    def _of_body(self, module: Module, function: ast.AST, sets: set[str], reads: set[str]) -> None:
        scope = module.inner_scope(function)
        for inner in scope.walk():
            sets |= {f"{module.name}.{name}" for name in inner.globals}
            for name in inner.reads:
                if inner.lookup(name) is module.scope:
                    home, own = self.code.home(module, name)
                    reads.add(f"{home.name}.{own}")
        for target in self._modules_named(module, scope, function):
            reads.add(f"{target.name}.*")
        for name in self._changed_in(module, function):
            if name == "*":
                sets.add(f"{module.name}.*")
            elif scope.lookup(name) is module.scope:
                home, own = self.code.home(module, name)
                sets.add(f"{home.name}.{own}")

    def _changed_in(self, module: Module, function: ast.AST) -> Iterator[str]:
        """Yield the names whose objects a function changes; `*` where it names them by their text."""
        imported = ImportTime(module.tree)
        for node in ast.walk(function):
            if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(
                node.ctx, ast.Load
            ):
                yield base_name(node) or ("*" if "globals()" in ast.unparse(node) else "")
            elif isinstance(node, ast.Call):
                if dotted(node.func) in _DYNAMIC:
                    yield self._set_by_text(module, node)
                elif (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr in MUTATORS
                    and not imported.is_of_imported_module(node.func)
                ):
                    yield base_name(node.func) or ""

    def _set_by_text(self, module: Module, call: ast.Call) -> str:
        """Return the name of the object of which `setattr` sets an attribute; `*` where that may be a module."""
        owner = call.args[0] if dotted(call.func) == "setattr" and call.args else None
        values = self._values(module, owner) if owner is not None else []
        are_objects = bool(values) and all(isinstance(each, Instance) for each in values)
        return (base_name(owner) or "*") if owner is not None and are_objects else "*"

    def _modules_named(self, module: Module, scope: Scope, function: ast.AST) -> Iterator[Module]:
        names = {
            node.value.id
            for node in ast.walk(function)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        for name in sorted(names):
            target = self.code.module_named(module, scope, name)
            if target is not None and target is not self.module:
                yield target


def _calls_in(function: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Call)]
