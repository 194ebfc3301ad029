"""Small questions about syntax that all parts of the proof ask."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias, TypeGuard

from dlfix.project import syntax
from dlfix.project.trees import children, kept, said

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

ADDING = syntax.ADDING
MUTATING = (syntax.MUTATORS | {"rotate", "write"}) - {"register"}
dotted = syntax.dotted
last_part = syntax.last_name
parameters = syntax.parameters


def self_name(function: Function) -> str:
    """Return what a method calls its object; empty where it gets none, as a static one."""
    for each in getattr(function, "decorator_list", ()):
        if isinstance(each, ast.Name) and each.id == "staticmethod":
            return ""
    return syntax.first_parameter(function)


_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.IsNot: ast.Is,
    ast.NotEq: ast.Eq,
    ast.NotIn: ast.In,
}


def within(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield nodes and all that is in them, in source order, functions inside included."""
    stack = [nodes] if isinstance(nodes, ast.AST) else list(nodes)[::-1]
    while stack:
        node = stack.pop()
        yield node
        stack += children(node)[::-1]


def seeing(nodes: Iterable[ast.AST], name: str) -> Iterator[ast.AST]:
    """Yield nodes and all in them that means the same by a name: not functions with a parameter of it."""
    stack = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        yield node
        is_hidden = isinstance(node, (*FUNCTIONS, ast.Lambda)) and name in parameters(node)
        stack += (_run_with(node) if is_hidden else children(node))[::-1]


def executed(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield nodes and all that runs with them: not the bodies of functions inside."""
    for node in [nodes] if isinstance(nodes, ast.AST) else list(nodes):
        yield from _executed(node)


@kept
def _executed(root: ast.AST) -> tuple[ast.AST, ...]:
    found = []
    stack = [root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack += _run_with(node)[::-1]
    return tuple(found)


def _run_with(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, FUNCTIONS):
        return [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    if isinstance(node, ast.Lambda):
        return [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    return children(node)


def chosen(value: ast.expr | None) -> list[ast.expr]:
    """Return the expressions of which one is the value: `a if test else b`, `a or b`."""
    match value:
        case ast.IfExp(body=body, orelse=orelse):
            return [*chosen(body), *chosen(orelse)]
        case ast.BoolOp(values=values):
            return [each for value in values for each in chosen(value)]
        case None:
            return []
    return [value]


def is_attribute(
    node: ast.AST | None, owner: str, name: str | None = None
) -> TypeGuard[ast.Attribute]:
    """Return whether a node is `owner.name` (any name without one)."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == owner
        and (name is None or node.attr == name)
    )


def own_attributes(
    function: Function, context: type[ast.expr_context] = ast.expr_context
) -> Iterator[ast.Attribute]:
    """Yield where a method reads, sets and deletes attributes of its object, or does one of these.

    What is set by its name is yielded as if it were spelled.
    """
    owner = self_name(function)
    for node in executed(function.body):
        if is_attribute(node, owner) and isinstance(node.ctx, context):
            yield node
        elif issubclass(ast.Store, context) and (name := named_target(node, owner)):
            spelled = ast.Attribute(ast.Name(owner, ast.Load()), name, ast.Store())
            yield ast.copy_location(spelled, node)


def named_target(node: ast.AST, owner: str) -> str:
    """Return the attribute of an object that a node sets by its name; empty where it sets none."""
    found = syntax.set_by_name(node)
    return found.name if found is not None and syntax.is_name(found.owner, owner) else ""


def calls_in(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield the calls that running nodes make."""
    return (node for node in executed(nodes) if isinstance(node, ast.Call))


def called_in(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Return the last names of what running nodes call."""
    return {last_part(call.func) for call in calls_in(nodes)}


def targets_of(node: ast.AST) -> list[ast.expr]:
    """Return what an assignment sets."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        return [node.target]
    return []


def own_targets(node: ast.AST, owner: str) -> list[str]:
    """Return the attributes of an object that an assignment sets."""
    by_name = named_target(node, owner)
    spelled = [target.attr for target in targets_of(node) if is_attribute(target, owner)]
    return [by_name, *spelled] if by_name else spelled


def values_set(function: Function, name: str) -> Iterator[ast.expr]:
    """Yield what a method sets an attribute of its object to."""
    for node in executed(function.body):
        by_name = syntax.set_by_name(node)
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        value = by_name.value if by_name is not None else value
        if value is not None and name in own_targets(node, self_name(function)):
            yield value


def stored_names(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Return the names that running nodes binds, those of comprehensions left out."""
    bound: set[str] = set()
    for node in executed(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        elif (isinstance(node, ast.ExceptHandler) and node.name) or (
            isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name
        ):
            bound.add(node.name)
    return bound


@kept
def bound_in(function: Function | ast.Lambda) -> frozenset[str]:
    """Return the local names of a function."""
    body = function.body if isinstance(function.body, list) else [function.body]
    declared = {
        name
        for node in executed(body)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
    return frozenset((stored_names(body) | set(parameters(function))) - declared)


def free_names(function: Function | ast.Lambda) -> dict[str, int]:
    """Return the names a function reads that are not its own, with the first line of each."""
    own = bound_in(function)
    body = function.body if isinstance(function.body, list) else [function.body]
    free: dict[str, int] = {}
    for node in executed(body):
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            for name, line in free_names(node).items():
                free.setdefault(name, line)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            free.setdefault(node.id, node.lineno)
    return {name: line for name, line in free.items() if name not in own}


def strings(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[str]:
    """Yield the literal texts in nodes."""
    for node in within(nodes):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def same(one: ast.AST | None, other: ast.AST | None) -> bool:
    """Return whether two nodes are the same code."""
    if one is None or other is None:
        return one is other
    return said(one) == said(other)


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what a statement itself runs, without the statements in it."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler)):
            yield from executed(child)


def header(statement: ast.stmt) -> str:
    """Return what a statement is without the statements in it."""
    fields = []
    for name, value in ast.iter_fields(statement):
        nested = isinstance(value, list) and any(
            isinstance(each, (ast.stmt, ast.ExceptHandler, ast.match_case)) for each in value
        )
        if not nested:
            fields.append(f"{name}={_dumped(value)}")
    return f"{type(statement).__name__}({', '.join(fields)})"


def _dumped(value: object) -> str:
    if isinstance(value, ast.AST):
        return said(value)
    return "[" + ", ".join(map(_dumped, value)) + "]" if isinstance(value, list) else repr(value)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those in them, not those of functions and classes inside."""
    for node in executed(body):
        if isinstance(node, ast.stmt):
            yield node


def positive(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return a condition without negations, and whether it is asked that it holds: `x is None`, False for `x is not None`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            asked, holds = positive(operand)
            return asked, not holds
        case ast.Compare(ops=[op]) if type(op) in _OPPOSITES:
            return ast.Compare(test.left, [_OPPOSITES[type(op)]()], test.comparators), False
    return test, True


def ends_here(body: list[ast.stmt]) -> bool:
    """Return whether a block surely ends the function or the program with an error, whichever branch it takes."""
    if not body or any(
        isinstance(n, (ast.Return, ast.Break, ast.Continue)) for n in executed(body)
    ):
        return False
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    if isinstance(last, ast.If):
        return ends_here(last.body) and ends_here(last.orelse)
    called = last.value if isinstance(last, ast.Expr) else None
    return isinstance(called, ast.Call) and last_part(called.func) in {
        "exit",
        "_exit",
        "abort",
        "fail",
    }
