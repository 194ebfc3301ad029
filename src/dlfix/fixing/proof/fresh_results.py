"""Whose a handle is that new code closes: what a function keeps, it gives to others as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order
from dlfix.fixing.proof.callees import Callee, callees
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    Function,
    bound_in,
    chosen,
    dotted,
    executed,
    last_part,
    own_nodes,
    parameters,
)
from dlfix.project.module import Module
from dlfix.project.trees import kept

# Decorators of others that give what the function gives, each time anew.
_TRANSPARENT = frozenset(
    "staticmethod classmethod abstractmethod override final wraps contextmanager no_grad inference_mode typechecked"
    " beartype jaxtyped deprecated retry".split()
)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what a new statement closes, or opens in each process, that its opener may have given before."""
    results = _Results(change.new)
    for function in change.after.functions:
        origins = Origins(function.body, parameters(function))
        for call in _closed(change.fresh(function), origins):
            yield from results.complaint(change, call, change.after.module, origins)
    for name, getter in change.made_lazy.items():
        if change.keyed(name):
            for owner, opener in order.reached(change.new, change.after, (getter.name,)):
                origins = Origins(opener.body, parameters(opener))
                for call in _given_out(opener):
                    yield from results.complaint(change, call, owner.module, origins)


def _given_out(opener: Function) -> Iterator[ast.Call]:
    """Yield the calls whose results a method keeps in an attribute or an item, or returns."""
    for node in executed(opener.body):
        match node:
            case ast.Assign(targets=targets, value=ast.Call() as made):
                if any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in targets):
                    yield made
            case ast.Return(value=ast.Call() as made):
                yield made


def _closed(new: list[ast.stmt], origins: Origins) -> list[ast.Call]:
    """Return the calls whose results some statements close: by a `with`, or by a call of `close`."""
    closed: list[ast.expr] = []
    for statement in new:
        for node in own_nodes(statement):
            match node:
                case ast.withitem(context_expr=opened):
                    closed.append(opened)
                case ast.Call(func=ast.Attribute(attr="enter_context"), args=[opened]):
                    closed.append(opened)
                case ast.Call(func=ast.Attribute(value=ast.Name() as handle, attr="close")):
                    closed.append(handle)
    values = [each for one in closed for each in (one, *origins.values(one))]
    inner = [
        each
        for call in values
        if isinstance(call, ast.Call) and last_part(call.func) == "closing"
        for each in call.args
    ]
    return [call for call in (*values, *inner) if isinstance(call, ast.Call)]


@kept
def _top(tree: ast.Module) -> Origins:
    return Origins(tree.body)


class _Results:
    """Says which functions of a program may return what they, or others, keep."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._keepers: dict[Function, bool] = {}

    def complaint(
        self, change: ClassChange, call: ast.Call, module: Module, origins: Origins
    ) -> Iterator[Regression]:
        """Yield what is wrong with closing, or keeping for one process, what a call returns."""
        keeper = self.kept_by(module, call, origins)
        if keeper:
            reason = f"`{keeper}` may keep what it returns, and give it to others as well"
            yield change.regression(call, reason)

    def kept_by(self, module: Module, call: ast.Call, origins: Origins) -> str:
        """Return the function that keeps the result of a call; nothing where each call makes one anew."""
        if self._is_made_by_call(module, call.func):
            return dotted(call.func)
        run = [*callees(self.program, module, call, origins), *self._of_object(module, call)]
        for callee in run:
            if not callee.takes and callee.function.name != last_part(call.func):
                continue  # a method that a base may run beside
            if self._keeps(callee):
                return callee.function.name
        return ""

    def _of_object(self, module: Module, call: ast.Call) -> Iterator[Callee]:
        """Yield the method that a call runs of an object that its module keeps: `FILES = Files()`, `FILES.open(path)`."""
        match call.func:
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                for made in _top(module.tree).made.get(owner, ()):
                    cls = self.program.class_of(module, getattr(made, "func", made))
                    found = self.program.method(cls, name) if cls is not None else None
                    if found is not None:
                        yield Callee(found[0].module, found[1], parameters(found[1])[1:])

    def _is_made_by_call(self, module: Module, func: ast.expr) -> bool:
        """Return whether modules bind a name to what another call made: `read = lru_cache(_read)`."""
        if not isinstance(func, ast.Name) or self.program.resolve(module, func) is not None:
            return False
        around = self.program.enclosing(module, func)
        if around is not None and func.id in bound_in(around):
            return False
        homes = (module, *self.program.project.mentions(func.id))
        made = (value for home in homes for value in _top(home.tree).made.get(func.id, ()))
        return any(
            isinstance(each, ast.Call) and last_part(each.func) != "partial" for each in made
        )

    def _keeps(self, callee: Callee) -> bool:
        """Return whether a function may return what it, or a decorator of it, keeps."""
        function = callee.function
        if function.name == "__init__":
            return False  # each object is a new one
        if function not in self._keepers:
            self._keepers[function] = False  # one that calls itself
            self._keepers[function] = self._may_keep(callee)
        return self._keepers[function]

    def _may_keep(self, callee: Callee) -> bool:
        function = callee.function
        if not all(self._is_transparent(callee.module, each) for each in function.decorator_list):
            return True
        origins = Origins(function.body, parameters(function))
        return not all(
            self._is_new(callee, value, origins)
            for node in executed(function.body)
            if isinstance(node, ast.Return)
            for value in chosen(node.value)
        )

    def _is_transparent(self, module: Module, decorator: ast.expr) -> bool:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if self.program.function_of(module, called) is not None:
            return True  # the function that it puts in the place of this one is looked at, too
        return last_part(called) in _TRANSPARENT

    def _is_new(self, callee: Callee, value: ast.expr, origins: Origins) -> bool:
        """Return whether a value that a function returns is made by this call, and kept nowhere."""
        match value:
            case ast.Call():
                return not self.kept_by(callee.module, value, origins) and not _is_looked_up(value)
            case ast.Name(id=name):
                return self._is_new_name(callee, name, origins)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return all(self._is_new(callee, each, origins) for each in parts)
            case ast.Attribute() | ast.Subscript() | ast.NamedExpr():
                return False
        return True

    def _is_new_name(self, callee: Callee, name: str, origins: Origins) -> bool:
        if name in parameters(callee.function) or name not in bound_in(callee.function):
            return callee.is_local  # what a decorator was given
        values = origins.made.get(name, [])
        parts = [part for value in values for part in chosen(value)]
        return (
            not _is_stored(callee.function, name)
            and all(not isinstance(part, ast.Name) or part.id != name for part in parts)
            and all(self._is_new(callee, part, origins) for part in parts)
        )


def _is_looked_up(call: ast.Call) -> bool:
    """Return whether a call takes an item of a table: `FILES.get(path)`, `files.setdefault(path, file)`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"get", "setdefault"}


def _is_stored(function: Function, name: str) -> bool:
    """Return whether a function puts what a name holds where others find it."""
    for node in executed(function.body):
        match node:
            case ast.Assign(targets=targets, value=value):
                here = any(isinstance(t, ast.Name) and t.id == name for t in targets)
                beyond = any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in targets)
                is_it = isinstance(value, ast.Name) and value.id == name
                if beyond and (here or is_it):
                    return True
            case ast.Call(func=ast.Attribute(attr="append" | "add" | "setdefault"), args=args):
                if any(isinstance(each, ast.Name) and each.id == name for each in args):
                    return True
            case ast.Global(names=names):
                if name in names:
                    return True
    return False


__all__ = ["check"]
