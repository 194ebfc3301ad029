"""Where an `__iter__` takes its samples from, and whether each comes from one item of a source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.syntax import MUTATORS, Function, callee_name
from dlfix.project.trees import walk
from dlfix.rules.base import Place

if TYPE_CHECKING:
    from dlfix.project.module import Module


_CHANGING = MUTATORS | {"write", "put", "push", "send", "feed"}
_ORDERING = frozenset({"shuffle", "permutation", "randperm", "sample", "permuted"})
_PARTING = frozenset({"split", "splitlines", "items", "keys", "values", "tolist", "strip"})
_DRAWING = frozenset(
    {"random", "rand", "randn", "randint", "randrange", "choice", "choices", "uniform", "normal"}
    | {"gauss", "integers", "multinomial", "standard_normal", "rand_like", "randn_like", "bytes"}
    | {"randint_like", "bernoulli", "poisson", "exponential", "beta", "betavariate", "lognormal"}
    | {"expovariate", "normalvariate", "triangular", "random_sample", "dirichlet", "binomial"}
    | {"getrandbits", "urandom", "uuid4", "token_hex"}
)


@dataclass(frozen=True)
class Stream:
    """An `__iter__` that yields the same in every worker."""

    place: Place
    module: Module
    cls: ast.ClassDef
    function: Function
    refused: str = ""


@dataclass(frozen=True)
class Source:
    """What a share is taken of: `replaced` becomes a slice of `source`."""

    above: ast.stmt
    replaced: ast.expr
    source: ast.expr


def draws(tree: ast.AST) -> bool:
    """Return whether code makes samples of random numbers: each worker is to draw its own."""
    return bool(_called(tree) & _DRAWING)


def ordering(tree: ast.AST) -> ast.Call | None:
    """Return a call that puts samples in an order drawn anew."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and callee_name(node) in _ORDERING:
            return node
    return None


def _called(tree: ast.AST) -> set[str]:
    return {callee_name(node) for node in walk(tree) if isinstance(node, ast.Call)}


def is_its_own_iterator(function: Function) -> bool:
    """Return whether `__iter__` returns its own object."""
    me = function.args.args[0].arg if function.args.args else "self"
    return any(
        isinstance(each.value, ast.Name) and each.value.id == me for each in _returns(function)
    )


def sources(function: Function) -> list[ast.expr]:
    """Return every expression whose items a function goes through or hands out."""
    found: list[ast.expr] = []
    for node in _own(function):
        match node:
            case (
                ast.For(iter=source) | ast.comprehension(iter=source) | ast.YieldFrom(value=source)
            ):
                found.append(source)
            case ast.Call(func=ast.Name(id="next"), args=[source, *_]):
                found.append(source)
            case ast.Return(value=ast.expr() as source) if not _is_generator(function):
                found.append(source)
    return found


def only_of_items(function: Function) -> set[ast.Call]:
    """Return the calls that make of an item of a loop what is yielded: they lead to no source and decide nothing."""
    items = _items(function)
    telling = sources(function) + _tests(function)
    leading = _leading(function, {name for each in telling for name in _loaded(each)})
    found: set[ast.Call] = set()
    for node in _own(function):
        match node:
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                names = _bound_names(node)
                made = node.value if names and not names & leading else None
            case ast.Yield(value=made):
                pass
            case _:
                continue
        calls = [each for each in _own(made) if isinstance(each, ast.Call)] if made else []
        found.update(each for each in calls if any(_loaded(g) & items for g in _given(each)))
    return found - {node for each in telling for node in walk(each) if isinstance(node, ast.Call)}


def _items(function: Function) -> set[str]:
    """Return the names that stand for an item of a loop, or for what is made of one."""
    found: set[str] = set()
    for node in _own(function):
        if isinstance(node, ast.For | ast.comprehension):
            found |= _stored(node.target)
    bindings = _bindings(function)
    while more := {n for value, names in bindings if _loaded(value) & found for n in names} - found:
        found |= more
    return found


def _leading(function: Function, names: set[str]) -> set[str]:
    """Return these names and those that they are made of."""
    bindings, found = _bindings(function), set(names)
    while more := {n for value, to in bindings if to & found for n in _loaded(value)} - found:
        found |= more
    return found


def _bindings(function: Function) -> list[tuple[ast.expr, set[str]]]:
    """Return each value that names are bound to, and the names."""
    found: list[tuple[ast.expr, set[str]]] = []
    for node in _own(function):
        match node:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                found.append((value, _stored(node)))
            case ast.AugAssign(value=value) | ast.NamedExpr(value=value):
                found.append((value, _stored(node.target)))
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                found.append((value, _stored(target)))
    return found


def _bound_names(statement: ast.Assign | ast.AnnAssign) -> set[str]:
    """Return the names that a statement binds; none if it sets anything else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if any(isinstance(n, ast.Attribute | ast.Subscript) for each in targets for n in walk(each)):
        return set()
    return {name for each in targets for name in _stored(each)}


def _tests(function: Function) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in _own(function):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                found.append(test)
            case ast.Assert(test=test) | ast.Match(subject=test):
                found.append(test)
            case ast.comprehension(ifs=tests):
                found += tests
    return found


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _loaded(tree: ast.AST) -> set[str]:
    names = (node for node in walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}


def opened(function: Function, name: str) -> ast.expr | None:
    """Return what a name that is bound once, by `with`, stands for."""
    found: list[ast.expr] = []
    for node in _own(function):
        match node:
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=bound)) if (
                bound == name
            ):
                found.append(value)
            case ast.Name(id=bound, ctx=ast.Store()) if bound == name:
                found.append(node)
    return found[0] if len(found) == 2 and not isinstance(found[0], ast.Name) else None


def taken_from(function: Function, source: ast.expr) -> ast.expr | None:
    """Return what a loop goes through whose item a source is a part of: `line.split()`."""
    match source:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if (
            method in _PARTING
        ):
            loops = [node for node in _own(function) if isinstance(node, ast.For)]
            found = [each.iter for each in loops if name in _stored(each.target)]
            return found[0] if len(found) == 1 else None
    return None


def shape(function: Function) -> Source | str | None:
    """Return the source to take shares of, None to share what is yielded, or why neither can be."""
    if isinstance(function, ast.AsyncFunctionDef):
        return f"the method is asynchronous (line {function.lineno})"
    if function.decorator_list:
        return f"`__iter__` is decorated (line {function.lineno})"
    if is_its_own_iterator(function):
        return f"the object is its own iterator (line {function.lineno})"
    if _is_generator(function):
        return _source_of_generator(function)
    returns = [each for each in _returns(function) if each.value is not None]
    if len(returns) != 1:
        return None
    return _source_of_return(function, returns[0])


def _source_of_return(function: Function, statement: ast.Return) -> Source | None:
    if statement not in function.body:
        return None
    value = statement.value
    assert value is not None
    return Source(statement, *_peeled(value))


def _peeled(value: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Return what becomes a slice, and of what: the innermost source that keeps samples as they are."""
    match value:
        case ast.Call(func=ast.Name("iter"), args=[source], keywords=[]):
            inner = _peeled(source) if isinstance(source, ast.Call | ast.GeneratorExp) else None
            if inner is not None and inner[0] is not source:
                return inner
            return value, source
        case ast.Call(func=ast.Name("map"), args=[_, source], keywords=[]):
            return source, source
        case ast.GeneratorExp(generators=[first, *_]):
            return first.iter, first.iter
    return value, value


def _source_of_generator(function: Function) -> Source | None:
    holding = [statement for statement in function.body if _yields(statement)]
    if len(holding) != 1:
        return None
    above = statement = holding[0]
    while isinstance(statement, ast.With) and len(statement.body) == 1:
        statement = statement.body[0]
    match statement:
        case ast.For(iter=source, orelse=[]) if is_stateless(statement, function):
            return Source(above, source, source)
        case ast.Expr(value=ast.YieldFrom(value=source)):
            return Source(above, *_peeled(source))
    return None


def is_stateless(loop: ast.For, function: Function) -> bool:
    """Return whether what one turn of a loop yields depends on no other turn."""
    bound = _stored(loop)
    for node in walk(loop):
        match node:
            case ast.AugAssign() | ast.Break() | ast.Return() | ast.Global() | ast.Nonlocal():
                return False
            case (
                ast.Attribute(ctx=ast.Store())
                | ast.Subscript(ctx=ast.Store(), value=ast.Attribute())
            ):
                return False
            case ast.Subscript(ctx=ast.Store(), value=ast.Name(id=name)) if name not in bound:
                return False
            case ast.Call(func=ast.Attribute(value=holder, attr=name)) if name in _CHANGING:
                if not (isinstance(holder, ast.Name) and holder.id in bound):
                    return False
            case ast.Call(func=ast.Name("next")):
                return False
    return not _carried(loop, bound)


def _carried(loop: ast.For, bound: set[str]) -> bool:
    """Return whether a name keeps what an earlier turn gave it: it is read before it is set."""
    known = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    for statement in loop.body:
        read = {
            node.id
            for node in walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        stored = _stored(statement)
        inner = stored if isinstance(statement, ast.For | ast.With) else set()
        inner = inner | _comprehension_names(statement)
        if (read & bound) - known - inner:
            return True
        if isinstance(statement, ast.If | ast.While | ast.Try) and stored - known:
            return True
        known |= stored
    return False


def _comprehension_names(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.comprehension):
            found |= _stored(node.target)
    return found


def _stored(tree: ast.AST) -> set[str]:
    return {
        node.id
        for node in walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _is_generator(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function))


def _yields(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(tree))


def _returns(function: Function) -> list[ast.Return]:
    return [node for node in _own(function) if isinstance(node, ast.Return)]


def _own(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree, but into no function that it defines."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
            yield from _own(child)
