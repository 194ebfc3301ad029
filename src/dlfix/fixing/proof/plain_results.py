"""Calls whose result is a plain value: a number, a text, or several; nothing that they were given is kept by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    Function,
    bound_in,
    executed,
    last_part,
    parameters,
)
from dlfix.project.module import Module

_MAKE_PLAIN = frozenset(
    "len int float str bool bytes repr ascii hash hex id ord chr round isinstance print callable".split()
)
_OF_PLAIN = frozenset("sum min max sorted list tuple set frozenset abs".split())
_ASKED = frozenset({"item", "hexdigest", "digest", "tolist", "tobytes"})
_READS = frozenset({"copy", "count", "index", "sort", "reverse"})
_PROPERTIES = frozenset({"property", "cached_property"})
_KINDS = frozenset("int float complex str bytes bool list dict tuple set frozenset".split())
_FAR = 4  # calls of own functions that are followed


class PlainResults:
    """Asks of calls whether they give plain values alone."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[ast.AST, bool] = {}

    def gives(self, module: Module, call: ast.Call, far: int = _FAR) -> bool:
        """Return whether a call gives plain values, whatever it is given."""
        name = last_part(call.func)
        if isinstance(call.func, ast.Attribute) and name in _ASKED:
            return True
        found = self.program.function_of(module, call.func)
        if found is not None:
            return far > 0 and self._function_gives(*found, far - 1)
        return isinstance(call.func, ast.Name) and name in _MAKE_PLAIN

    def property_gives(self, module: Module, function: Function) -> bool:
        """Return whether a property gives plain values, which nobody can call: by its annotation or by what it returns."""
        over = [last_part(each) for each in function.decorator_list]
        if len(over) != 1 or over[0] not in _PROPERTIES:
            return False
        return _is_plain_kind(module, function.returns) or self._body_gives(module, function, _FAR)

    def _function_gives(self, module: Module, function: Function, far: int) -> bool:
        if function not in self._known:
            self._known[function] = True  # one that calls itself gives what its other ways give
            self._known[function] = not function.decorator_list and self._body_gives(
                module, function, far
            )
        return self._known[function]

    def _body_gives(self, module: Module, function: Function, far: int) -> bool:
        nodes = list(executed(function.body))
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes):
            return False
        values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
        names: dict[str, bool] = {}
        return all(self._is_plain(module, function, each, names, far) for each in values)

    def _is_plain(
        self, module: Module, function: Function, node: ast.expr, names: dict[str, bool], far: int
    ) -> bool:
        def plain(each: ast.expr) -> bool:
            return self._is_plain(module, function, each, names, far)

        match node:
            case ast.Constant() | ast.Compare() | ast.JoinedStr():
                return True
            case ast.BinOp(left=one, right=other):
                return plain(one) and plain(other)
            case ast.UnaryOp(operand=operand):
                return plain(operand)
            case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                return all(map(plain, parts))
            case ast.Dict(keys=keys, values=values):
                return all(key is not None for key in keys) and all(map(plain, values))
            case ast.IfExp(body=one, orelse=other):
                return plain(one) and plain(other)
            case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each) | ast.SetComp(elt=each):
                return plain(each)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _OF_PLAIN:
                return name not in bound_in(function) and all(map(plain, args))
            case ast.Call():
                return self.gives(module, node, far)
            case ast.Name(id=name):
                if name not in names:
                    names[name] = True  # `total = total + 1`
                    names[name] = self._is_bound_plainly(module, function, name, names, far)
                return names[name]
        return False

    def _is_bound_plainly(
        self, module: Module, function: Function, name: str, names: dict[str, bool], far: int
    ) -> bool:
        if name in parameters(function) or name not in bound_in(function):
            return False
        return all(
            value is not None and self._is_plain(module, function, value, names, far)
            for value in _bindings(function, name)
        )


def _is_plain_kind(module: Module, annotation: ast.expr | None) -> bool:
    """Return whether an annotation is of a builtin class of data: `float`, `list[str]`, `"int"`."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    match annotation:
        case ast.Constant(value=str() as text):
            return text in _KINDS
        case ast.Name(id=name) if name in _KINDS:
            return module.scope_of(annotation).lookup(name) is None
    return False


def _bindings(function: Function, name: str) -> Iterator[ast.expr | None]:
    """Yield the values that a name gets, and what a list of that name is filled with; None for one that is not seen."""
    stores, known = 0, 0
    for node in executed(function.body):
        match node:
            case ast.Name(id=target, ctx=ast.Store() | ast.Del()) if target == name:
                stores += 1
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                known += 1
                yield value
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                known += 1
                yield value or ast.Constant(None)
            case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
                known += 1
                yield value
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr), args=args):
                if owner == name and attr not in _READS:
                    yield args[0] if attr in ("append", "extend", "add") and args else None
            case ast.Subscript(value=ast.Name(id=owner), ctx=ast.Store()) if owner == name:
                yield None
            case _ if name in (getattr(node, "name", ""), getattr(node, "asname", "")):
                stores += 1  # a function, an import, an error
    if stores != known or not stores:
        yield None
