"""Lists, dicts and other containers that get a function's value: where they come from, and who else has them."""

from __future__ import annotations

import ast

from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.flow_fields import Fields
from dlfix.fixing.proof.syntax import COMPREHENSIONS, FUNCTIONS, last_part
from dlfix.project.bindings import Binding
from dlfix.project.module import Module
from dlfix.project.order import comes_before

HOLDERS = (ast.List, ast.Tuple, ast.Set, ast.Starred, ast.BinOp, ast.BoolOp)
_FRESH = (*HOLDERS, *COMPREHENSIONS, ast.Dict, ast.Constant)
# Methods of a container that give what it holds.
GIVES = frozenset(
    "get pop popitem popleft values items keys copy setdefault __getitem__ __iter__ elements union".split()
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Containers(Fields):
    """Follows what a value is put into."""

    def put_into(self, module: Module, holder: ast.expr) -> bool:
        """Follow a container that was given the value: by its own names, and those of what it was taken from."""
        if holder in self.met:
            return True
        self.met.add(holder)
        match holder:
            case ast.Name(id=name):
                return self._put_into_variable(module, holder, name)
            case ast.Attribute():
                return self.kept_by(module, holder)
            case ast.Subscript(value=held):
                return self.put_into(module, held)
            case ast.Call(func=ast.Attribute(value=held, attr=attr)) if attr in GIVES - {"copy"}:
                return self.put_into(module, held)
            case ast.Call():
                return self._put_into_result(module, holder)
            case ast.IfExp(body=body, orelse=orelse):
                return self.put_into(module, body) and self.put_into(module, orelse)
            case ast.BoolOp(values=values):
                return all(self.put_into(module, each) for each in values)
        return isinstance(holder, _FRESH)

    def _put_into_variable(self, module: Module, holder: ast.Name, name: str) -> bool:
        scope = module.scope_of(holder).lookup(name)
        if scope is None:
            return False
        if scope.is_class:
            return self.kept(name, self.program.class_at(module, scope.node))
        self.note(module, name, is_global=scope.is_module)
        for inner in scope.walk():
            if inner.lookup(name) is scope:
                for read in inner.reads.get(name, ()):
                    if read is not holder and _may_follow(module, holder, read):
                        self.add(module, read)
        if scope.is_module and not self.follow_imports(module, name):
            return False
        bindings = scope.bindings.get(name, ())
        return all(self._is_followed(module, holder, each) for each in bindings)

    def _is_followed(self, module: Module, holder: ast.Name, binding: Binding) -> bool:
        """Follow where a variable has its container from."""
        if binding.kind == "parameter":
            return self._taken_from_callers(module, holder)
        if binding.kind in ("assign", "annotated", "walrus", "for", "augmented"):
            if binding.value is None or binding.kind == "augmented":
                return True
            return self.put_into(module, binding.value)
        return binding.kind in ("delete", "except")

    def _taken_from_callers(self, module: Module, holder: ast.Name) -> bool:
        function = self.program.enclosing(module, holder)
        if not isinstance(function, FUNCTIONS):
            return False
        rest = (function.args.vararg, function.args.kwarg)
        if any(each is not None and each.arg == holder.id for each in rest):
            return True
        if self.program.class_of_self(module, holder) is not None:
            return False  # a container of the program's own
        passed = passed_for(self.program, module, holder)
        return all(self.put_into(home, value) for home, _, value in passed)

    def _put_into_result(self, module: Module, call: ast.Call) -> bool:
        """Follow a container that a call gives: one that is new, or what a function of the project returns."""
        if last_part(call.func) in ("vars", "globals", "locals"):
            return False
        cls = self.program.class_of(module, call.func)
        if cls is not None:
            return "__setitem__" not in cls.methods
        found = self.program.function_of(module, call.func)
        if found is None:
            return True
        home, function = found
        given = [n.value for n in ast.walk(function) if isinstance(n, (ast.Return, ast.Yield))]
        return all(self.put_into(home, each) for each in given if each is not None)


def _may_follow(module: Module, stored: ast.Name, read: ast.Name) -> bool:
    """Return whether a variable may be read after a place with the value that it has there."""
    if module.scope_of(read) is not module.scope_of(stored) or not comes_before(read, stored):
        return True
    around = set(module.ancestors(read))
    loops = [
        each for each in module.ancestors(stored) if each in around and isinstance(each, _LOOPS)
    ]
    return not all(any(_binds_anew(s, read) for s in loop.body) for loop in loops)


def _binds_anew(statement: ast.stmt, read: ast.Name) -> bool:
    """Return whether a statement gives a variable another value before a read, which holds nothing of the old one."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == read.id:
            kept = any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value))
            return not kept and comes_before(statement, read)
    return False
