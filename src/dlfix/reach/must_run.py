"""Whether code surely runs when the function does that it is part of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.project.import_time import is_guard
from dlfix.project.order import comes_before
from dlfix.project.syntax import LOOPS
from dlfix.project.trees import COMPREHENSIONS
from dlfix.reach.sequence import surely_before

if TYPE_CHECKING:
    from dlfix.project.module import Module

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_LEAVING = (ast.Return, ast.Continue, ast.Break)


def conditions(node: ast.AST, module: Module) -> Iterator[ast.AST]:
    """Yield what a node's run depends on, within its function: tests, loops, handlers, early ends.

    A test before an early end is yielded; one before an error is not, as nothing runs after that.
    """
    child = node
    for above in module.ancestors(node):
        yield from _condition(child, above)
        if isinstance(child, ast.stmt):
            yield from _left_before(child, above)
        if isinstance(above, _SCOPES):
            return
        child = above


def leads_surely(
    here: Sequence[tuple[Module, ast.AST]], there: Sequence[tuple[Module, ast.AST]]
) -> bool:
    """Return whether the last of some calls, each made in the function that the one before runs, has run for sure
    when the last of others runs."""
    for index, ((module, mine), (other, theirs)) in enumerate(zip(here, there, strict=False)):
        if mine is not theirs:
            always = not [*conditions(mine, module)] and comes_before(mine, theirs)
            always = always or surely_before(module.statement(mine), theirs, module)
            below = (each for where, node in here[index + 1 :] for each in conditions(node, where))
            return module is other and always and not any(True for _ in below)
    return False


def _condition(child: ast.AST, above: ast.AST) -> Iterator[ast.AST]:
    match above:
        case ast.If(test=test) if child is not test:
            if not (is_guard(above) and child in above.body):
                yield test
        case ast.IfExp(test=test) | ast.While(test=test) if child is not test:
            yield test
        case ast.For(iter=given) | ast.AsyncFor(iter=given) if child is not given:
            if child not in above.body or not _has_items(given):
                yield given
        case ast.BoolOp(values=values) if child is not values[0]:
            yield values[0]
        case ast.ExceptHandler() | ast.match_case() | ast.Lambda():
            yield above
        case ast.comprehension(iter=given) if child is not given and not _has_items(given):
            yield given
        case _ if isinstance(above, COMPREHENSIONS):
            before = above.generators
            if isinstance(child, ast.comprehension):
                before = before[: before.index(child)]
            for each in before:
                if isinstance(above, ast.GeneratorExp) or not _has_items(each.iter):
                    yield each.iter
                yield from each.ifs
        case ast.Try() if child in above.orelse:
            yield above


def _has_items(given: ast.expr) -> bool:
    """Return whether a loop over this surely has a round: `range(5)`, `("train", "test")`."""
    match given:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return not all(isinstance(each, ast.Starred) for each in elements)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(stop))]):
            return stop > 0
        case ast.Call(
            func=ast.Name(id="range"),
            args=[ast.Constant(value=int(start)), ast.Constant(value=int(stop))],
        ):
            return start < stop
        case ast.Call(func=ast.Name(id="enumerate" | "reversed" | "sorted"), args=[inner, *_]):
            return _has_items(inner)
    return isinstance(given, ast.Constant) and bool(given.value)


def _left_before(statement: ast.stmt, above: ast.AST) -> Iterator[ast.AST]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(above, field, None)
        if isinstance(block, list) and statement in block:
            for earlier in block[: block.index(statement)]:
                yield from (earlier for inner in _run(earlier) if isinstance(inner, _LEAVING))


def _run(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the statements in a statement, but for those of definitions and the loops' own ends."""
    if isinstance(statement, _SCOPES):
        return
    yield statement
    for inner in ast.iter_child_nodes(statement):
        if isinstance(inner, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            for each in _run(inner):  # type: ignore[arg-type]
                is_own = isinstance(statement, LOOPS) and not isinstance(each, ast.Return)
                if not (is_own and isinstance(each, _LEAVING)):
                    yield each
