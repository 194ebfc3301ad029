"""Which names may hold what an expression makes, told by how names are written, scopes left aside."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.project.import_time import FUNCTIONS
from dlfix.project.module import Module
from dlfix.project.trees import walk

# What may be its operand, or hold it.
_PASSING = (
    ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set, ast.Starred, ast.Await, ast.DictComp,
    ast.ListComp, ast.GeneratorExp, ast.Subscript, ast.Lambda,
)  # fmt: skip
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Holding:
    """The variables, attributes, parameters and functions of some modules that may give a value."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.names: set[str] = set()
        self._functions: dict[str, list[Definition]] = {}
        self._made: set[str] = set()  # names that are a class's, and no function's of its module
        for module in modules:
            functions = module.functions_by_name
            for name, found in functions.items():
                self._functions.setdefault(name, []).extend(found)
            self._made |= {cls.name for cls in module.classes} - functions.keys()
        self._node: ast.AST | None = None
        self._anywhere = False

    def of(self, module: Module, node: ast.AST) -> Holding:
        """Take in the names that what a node makes may come to."""
        self._node = node
        pending = list(self._given(module, node))
        while pending:
            name = pending.pop()
            if name not in self.names:
                self.names.add(name)
                for each in self.modules:
                    for use in each.nodes_by_name.get(name, ()):
                        pending += self._given(each, use)
        return self

    def may_be(self, node: ast.expr) -> bool:
        """Tell whether an expression may stand for it, or hold it."""
        return self._anywhere or any(
            each is self._node or getattr(each, "id", getattr(each, "attr", None)) in self.names
            for each in walk(node)
        )

    def _given(self, module: Module, node: ast.AST) -> Iterator[str]:
        """Yield the names that a value goes on to, from where it stands."""
        child, parent = node, module.parent(node)
        while parent is not None:
            if isinstance(parent, ast.Call) and child is not parent.func:
                yield from self._parameters(parent, child)
            elif isinstance(parent, ast.keyword):
                yield parent.arg or ""
            elif isinstance(parent, (ast.Return, ast.Yield, ast.YieldFrom)):
                yield enclosing_name(module, parent)
                return
            elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                if child is parent.value:
                    yield from _written(parent)
                return
            elif isinstance(parent, ast.withitem):
                yield from _names(parent.optional_vars)
                return
            elif isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
                if child is parent.iter:  # it may be a list that holds it
                    yield from _names(parent.target)
                return
            elif isinstance(parent, ast.Dict):
                yield from (str(key.value) for key in parent.keys if isinstance(key, ast.Constant))
            elif not (isinstance(parent, (ast.Call, *_PASSING)) or _is_method(module, parent)):
                return
            child, parent = parent, module.parent(parent)

    def _parameters(self, call: ast.Call, argument: ast.AST) -> Iterator[str]:
        """Yield the parameters that a positional argument may come to, and what keeps it then."""
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if isinstance(call.func, ast.Attribute):
            yield from _names(call.func.value)  # `loaders.append(...)`
        if name == "setattr":
            yield from (str(a.value) for a in call.args if isinstance(a, ast.Constant))
        if argument not in call.args:
            return
        index = call.args.index(argument)
        if name in self._made:
            self._anywhere = True  # a data class: its fields are not looked up
        for function in self._functions.get(name, ()):
            yield from parameters_at(function, index)


def parameters_at(function: Definition, index: int) -> Iterator[str]:
    """Yield the parameter that takes a positional argument, the object aside, and what gathers the rest."""
    found = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    own = index + (found[:1] in (["self"], ["cls"]))
    yield from found[own : own + 1]
    if function.args.vararg is not None:
        yield function.args.vararg.arg


def _is_method(module: Module, node: ast.AST) -> bool:
    """Tell whether a node is the method of a call: `loaders.values()` may give what they hold."""
    above = module.parent(node)
    return isinstance(node, ast.Attribute) and isinstance(above, ast.Call) and above.func is node


def _written(
    statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr,
) -> Iterator[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        yield from _names(target)


def _names(target: ast.expr | None) -> Iterator[str]:
    """Yield what a target is written as: of `a.b`, `a.b[0]` the attribute."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute):
        yield target.attr
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from _names(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _names(element)


def enclosing_name(module: Module, node: ast.AST) -> str:
    """Return the name of the function around a node; empty where there is none."""
    above = (each for each in module.ancestors(node) if isinstance(each, FUNCTIONS))
    return next((each.name for each in above), "")
