"""Which names may hold what an expression makes, told by how names are written, scopes left aside."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.project.module import Module
from dlfix.project.syntax import FUNCTIONS, callee_name, positional
from dlfix.project.trees import walk

# What may be its operand, or hold it.
_PASSING = (
    ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set, ast.Starred, ast.Await, ast.DictComp,
    ast.ListComp, ast.GeneratorExp, ast.Subscript, ast.Lambda,
)  # fmt: skip
ANYWHERE = "\0"  # stands among names for all of them
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Passing:
    """Where the values of some modules go on to, by names; what is found of a name serves every question.

    With `results` also those that may give what a call of a value returns.
    """

    def __init__(self, modules: Sequence[Module], *, results: bool = True) -> None:
        self.modules, self._results = modules, results
        self.functions: dict[str, list[Definition]] = {}
        self._made: set[str] = set()  # names that are a class's, and no function's of its module
        self._found: dict[str, frozenset[str]] = {}
        for module in modules:
            functions = module.functions_by_name
            for name, found in functions.items():
                self.functions.setdefault(name, []).extend(found)
            self._made |= {cls.name for cls in module.classes} - functions.keys()

    def from_name(self, name: str) -> frozenset[str]:
        """Return the names that what a name holds goes on to."""
        if name not in self._found:
            self._found[name] = frozenset(
                given
                for module in self.modules
                for use in module.nodes_by_name.get(name, ())
                for given in self.from_node(module, use)
            )
        return self._found[name]

    def from_node(self, module: Module, node: ast.AST) -> Iterator[str]:
        """Yield the names that a value goes on to, from where it stands."""
        child, parent = node, module.parent(node)
        while parent is not None:
            if isinstance(parent, ast.Call) and child is not parent.func:
                yield from self._parameters(parent, child)
            elif (
                isinstance(parent, ast.Call) and not self._results and not _is_method(module, child)
            ):
                return
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
        name = callee_name(call)
        if isinstance(call.func, ast.Attribute):
            yield from _names(call.func.value)  # `loaders.append(...)`
        if name == "setattr":
            yield from (str(a.value) for a in call.args if isinstance(a, ast.Constant))
        if argument not in call.args:
            return
        index = call.args.index(argument)
        if name in self._made:
            yield ANYWHERE  # a data class: its fields are not looked up
        for function in self.functions.get(name, ()):
            yield from parameters_at(function, index)


class Holding:
    """The variables, attributes, parameters and functions that may give a value."""

    def __init__(self, passing: Passing) -> None:
        self.passing = passing
        self.names: set[str] = set()
        self._node: ast.AST | None = None

    def of(self, module: Module, node: ast.AST) -> Holding:
        """Take in the names that what a node makes may come to."""
        self._node = node
        return self._take(list(self.passing.from_node(module, node)))

    def of_definition(self, definition: ast.ClassDef | Definition) -> Holding:
        """Take in the names that a class or function comes to by its decorators and its bases."""
        pending = [
            parameter
            for decorator in definition.decorator_list
            for function in self._decorating(decorator)
            for parameter in _first_given(function)
        ]
        if isinstance(definition, ast.ClassDef) and definition.bases:
            for function in self.passing.functions.get("__init_subclass__", ()):
                pending += [each.arg for each in function.args.args[:1]]
        return self._take(pending)

    def _decorating(self, decorator: ast.expr) -> Iterator[Definition]:
        """Yield the functions that are given what a decorator stands over: of a factory those within."""
        is_factory = isinstance(decorator, ast.Call)
        for function in self.passing.functions.get(callee_name(decorator), ()):
            for each in walk(function) if is_factory else [function]:
                if isinstance(each, FUNCTIONS) and not (is_factory and each is function):
                    yield each

    def _take(self, pending: list[str]) -> Holding:
        while pending:
            name = pending.pop()
            if name not in self.names:
                self.names.add(name)
                pending += self.passing.from_name(name)
        return self

    @property
    def is_anywhere(self) -> bool:
        """Whether it may be held by anything."""
        return ANYWHERE in self.names

    def may_be(self, node: ast.expr) -> bool:
        """Return whether an expression may stand for it, or hold it."""
        return self.is_anywhere or any(
            each is self._node or getattr(each, "id", getattr(each, "attr", None)) in self.names
            for each in walk(node)
        )

    def gives(self, called: ast.expr) -> bool:
        """Return whether what is called may be the value: a name or an item, no method of one."""
        match called:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in self.names
            case ast.Subscript(value=held):
                return self.gives(held)
            case ast.Call(func=ast.Attribute(value=held)):
                return self.gives(held)
            case ast.Call(func=given):
                return self.gives(given)
        return False


def _first_given(function: Definition) -> list[str]:
    """Return the first parameter, and the second of what may be a method."""
    found = positional(function)
    return found[: 1 + (found[:1] in (["self"], ["cls"]))]


def parameters_at(function: Definition, index: int) -> Iterator[str]:
    """Yield the parameter that takes a positional argument, the object aside, and what gathers the rest."""
    found = positional(function)
    own = index + (found[:1] in (["self"], ["cls"]))
    yield from found[own : own + 1]
    if function.args.vararg is not None:
        yield function.args.vararg.arg


def _is_method(module: Module, node: ast.AST) -> bool:
    """Return whether a node is the method of a call: `loaders.values()` may give what they hold."""
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
