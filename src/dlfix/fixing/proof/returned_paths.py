"""What a function of the program makes of its arguments: a path that comes back is made of what is returned, not of all it is given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from dlfix.fixing.proof.flow_targets import TAKES
from dlfix.fixing.proof.origins import Origins, base_of, is_literal
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import Function, bound_in, dotted, executed, parameters
from dlfix.project.module import Module
from dlfix.project.syntax import defaults

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MOST_METHODS = 6  # of one name
_CONTAINERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "OrderedDict"})


class Returned:
    """Follows calls of functions to what these return, in the names of the code that calls."""

    def __init__(self, program: Program, origins: Callable[[Module, Function], Origins]) -> None:
        self.program, self._origins = program, origins
        self._asked: set[Function] = set()  # whose results are being followed

    def of(
        self, module: Module, call: ast.Call, place: int | None
    ) -> list[tuple[ast.expr, str]] | None:
        """Return the arguments that the result of a call may be made of, each with the attribute that is; None if not known.

        `place` is the item of the tuple that it gives.
        """
        found = self.program.function_of(module, call.func)
        if found is None:
            return self._of_methods(call, place)
        home, function = found
        texts = self._texts(home, function, place)
        is_method = isinstance(home.parent(function), ast.ClassDef)
        if texts is None or is_method or self._is_seen_in_part(home, function, texts):
            return None
        return _passed(parameters(function), function, call, texts)

    def _of_methods(self, call: ast.Call, place: int | None) -> list[tuple[ast.expr, str]] | None:
        """Return what the call itself names, and what methods by its name return: of attributes of the object, too."""
        if not isinstance(call.func, ast.Attribute):
            return None
        found: list[tuple[ast.expr, str]] = []
        for home, function in methods_named(self.program, call.func.attr):
            texts = self._texts(home, function, place)
            me, *names = parameters(function) or [""]
            for text in texts or ():
                root, _, rest = text.partition(".")
                found += [(call.func.value, rest)] if root == me and rest else []
            found += _passed(names, function, call, texts or set()) or []
        given = [*call.args, *(each.value for each in call.keywords)]
        return [*((each, "") for each in (call.func, *given)), *found] if found else None

    def _texts(self, module: Module, function: Function, place: int | None) -> set[str] | None:
        """Return what a function's result is made of, in its own names; None where that is not seen."""
        if not isinstance(function, ast.FunctionDef) or function in self._asked:
            return None
        returned = _returns(module, function)
        if returned is None:
            return None
        self._asked.add(function)
        try:
            texts = [self._origins(module, function).of(_item(each, place)) for each in returned]
        finally:
            self._asked.discard(function)
        return set().union(*texts) if all(texts) else None

    def _is_seen_in_part(self, module: Module, function: Function, texts: set[str]) -> bool:
        """Return whether something else may be in what is returned: of a global name, or put into a list there."""
        names = {base_of(each).partition(".")[0] for each in texts if not is_literal(each)}
        bindings = module.inner_scope(function).bindings
        outside = names - bound_in(function)
        if not all(self._is_of_library(module, each) for each in outside):
            return True
        return any(
            each.kind not in ("assign", "annotated", "parameter", "augmented", "for", "with")
            for name in names - outside
            for each in bindings.get(name, ())
        ) or _are_filled(function, names - {*parameters(function)})

    def _is_of_library(self, module: Module, name: str) -> bool:
        bindings = module.scope.bindings.get(name, ())
        return bool(bindings) and all(
            each.kind == "import" and self.program.is_from_library(module, each.statement)
            for each in bindings
        )


def methods_named(program: Program, name: str) -> list[tuple[Module, Function]]:
    """Return the methods that classes of the program have by a name; none where there are too many to tell."""
    found = [
        (module, each)
        for module in program.project.mentions(name)
        for each in module.functions_by_name.get(name, ())
        if isinstance(module.parent(each), ast.ClassDef)
    ]
    return found if len(found) <= _MOST_METHODS else []


def _returns(module: Module, function: ast.FunctionDef) -> list[ast.expr] | None:
    """Return what a plain function returns; None for others, and for one that may end without."""
    scope = module.inner_scope(function)
    values = [each.value for each in scope.returns if each.value is not None]
    if function.decorator_list or scope.yields or scope.globals or scope.nonlocals:
        return None
    return values if values and len(values) == len(scope.returns) else None


def _item(value: ast.expr, place: int | None) -> ast.expr:
    """Return the item of a tuple that is written out; else the whole."""
    items = value.elts if isinstance(value, ast.Tuple) and place is not None else []
    if any(isinstance(each, ast.Starred) for each in items):
        return value
    return items[place] if place is not None and place < len(items) else value


def _are_filled(function: Function, names: Iterable[str]) -> bool:
    """Return whether a function puts something into what some of its names hold, or hands a container on."""
    names = {*names}
    made = {
        target.id
        for node in executed(function.body)
        if isinstance(node, ast.Assign) and _is_container(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in executed(function.body):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                if name in names and method in TAKES:
                    return True
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()) if name in names:
                return True
            case ast.Call(args=given):
                handed = {each.id for each in given if isinstance(each, ast.Name)}
                if handed & names & made:
                    return True
    return False


def _is_container(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return dotted(value.func).rpartition(".")[2] in _CONTAINERS
    return isinstance(value, _DISPLAYS)


def _passed(
    names: list[str], function: Function, call: ast.Call, texts: set[str]
) -> list[tuple[ast.expr, str]] | None:
    """Return what a call passes for those parameters that some texts are of; None where that is not seen."""
    given = function.args
    if any(isinstance(each, ast.Starred) for each in call.args) or given.vararg or given.kwarg:
        return None
    if any(each.arg is None for each in call.keywords) or len(call.args) > len(names):
        return None
    passed = {**defaults(given), **dict(zip(names, call.args, strict=False))}
    passed |= {each.arg: each.value for each in call.keywords if each.arg}
    roots = [each.partition(".") for each in texts if not is_literal(each)]
    return [(passed[root], rest) for root, _, rest in sorted(roots) if root in passed] or None


__all__ = ["Returned", "methods_named"]
