"""What tests tell of a name or attribute: in a branch that asks, and after one that left."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.project.syntax import LOOPS
from dlfix.project.trees import kept, summary, walk
from dlfix.reach.predicates import question
from dlfix.reach.values import Constant, Frame, Reached, Unknown

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
Subject = ast.Name | ast.Attribute
Fact = tuple[ast.expr, bool]  # a test without `not`, `and`, `or`, and how it came out


def narrowed(
    node: Subject, found: list[Reached], frame: Frame, interpreter: Evaluator
) -> list[Reached]:
    """Return the values a name or attribute may still have where it stands."""
    facts = facts_of(node, frame.module)
    if not facts or all(isinstance(reached.value, (Constant, Unknown)) for reached in found):
        return found
    return left_by(facts, found, frame, interpreter)


def is_asked(binding: Binding, module: Module) -> bool:
    """Return whether a binding is under a test of what its name was before."""
    return bool(_asked_above(binding.statement, module, binding.name))


@kept
def _asked_above(statement: ast.AST, module: Module, name: str) -> tuple[Fact, ...]:
    """Return what is known of a name where the test right above a statement came out otherwise."""
    above = module.parent(statement)
    if not isinstance(above, ast.If):
        return ()
    return tuple(_asked(above.test, statement not in above.body, ast.Name(name, ast.Load())))


def passed_over(
    binding: Binding,
    later: Sequence[Binding],
    found: list[Reached],
    frame: Frame,
    interp: Evaluator,
) -> list[Reached]:
    """Return what a binding may still give where later ones, under tests, did not take its place."""
    for each in later:
        above = frame.module.parent(each.statement)
        if above is not frame.module.parent(binding.statement):
            facts = _asked_above(each.statement, frame.module, binding.name)
            found = left_by(facts, found, frame, interp)
    return found


def is_never_taken(
    binding: Binding, before: list[Reached], frame: Frame, interpreter: Evaluator
) -> bool:
    """Return whether a test right above a binding is false for all that its name was before: `if isinstance(x, list)`."""
    above = frame.module.parent(binding.statement)
    if not before or not isinstance(above, ast.If):
        return False
    name = ast.Name(binding.name, ast.Load())
    facts = list(_asked(above.test, binding.statement in above.body, name))
    return bool(facts) and not left_by(facts, before, frame, interpreter)


def left_by(
    facts: Sequence[Fact], found: list[Reached], frame: Frame, interpreter: Evaluator
) -> list[Reached]:
    """Return those values for which the outcome of no test is known to be another one."""
    for test, held in facts:
        asked = question(test, frame, interpreter)
        if asked is not None:
            found = [one for one in found if asked.answer(one.value) in (held, None)]
    return found


@kept
def facts_of(node: Subject, module: Module) -> list[Fact]:
    """Return the tests of a name or attribute whose outcome is known where it stands."""
    found: list[Fact] = []
    child: ast.AST = node
    for above in module.ancestors(node):
        if isinstance(child, ast.stmt) and not _before(child, above, node, module, found):
            return found
        if isinstance(above, (ast.If, ast.IfExp)) and child is not above.test:
            body = above.body if isinstance(above.body, list) else [above.body]
            found += _asked(above.test, child in body, node)
        elif isinstance(above, ast.BoolOp):
            for value in above.values[: above.values.index(child)]:  # type: ignore[arg-type]
                found += _asked(value, isinstance(above.op, ast.And), node)
        elif isinstance(above, ast.comprehension):
            found += _filtered(above, child, node)
        elif isinstance(above, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for generator in above.generators:
                if child is not generator:
                    found += _filtered(generator, child, node)
        if isinstance(above, _SCOPES) or (
            isinstance(above, LOOPS)
            and _binds(above, node, module, module.bodies.function_around(above) is not None)
        ):
            return found
        child = above
    return found


def _filtered(generator: ast.comprehension, child: ast.AST, node: Subject) -> Iterator[Fact]:
    for condition in generator.ifs:
        if condition is child:
            return
        yield from _asked(condition, True, node)


def _before(
    child: ast.stmt, above: ast.AST, node: Subject, module: Module, found: list[Fact]
) -> bool:
    """Add what the statements before one tell; tell whether none of them gives another value."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(above, field, None)
        if not isinstance(block, list) or child not in block:
            continue
        in_function = module.bodies.function_around(child) is not None
        for statement in reversed(block[: block.index(child)]):
            if _binds(statement, node, module, in_function):
                return False
            if isinstance(statement, ast.Assert):
                found += _asked(statement.test, True, node)
            elif isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVING):
                found += _asked(statement.test, False, node)
    return True


def _binds(statement: ast.AST, node: Subject, module: Module, in_function: bool) -> bool:
    name = node.id if isinstance(node, ast.Name) else f".{node.attr}"
    owner = node.value.id if isinstance(node, ast.Attribute) else name  # type: ignore[attr-defined]
    if in_function:
        return not _bound_in(statement).isdisjoint((name, owner))
    places = (place for each in {name, owner} for place in module.table(_binding).get(each, ()))
    return any(statement in module.ancestors(place) for place in places)


def _binding(module: Module) -> dict[str, list[ast.Name | ast.Attribute]]:
    """Return the places of a module that set a name, or an attribute with a dot."""
    found: dict[str, list[ast.Name | ast.Attribute]] = {}
    for name in module.of_kind(ast.Name):
        if isinstance(name.ctx, (ast.Store, ast.Del)):
            found.setdefault(name.id, []).append(name)
    for attribute in module.of_kind(ast.Attribute):
        if isinstance(attribute.ctx, (ast.Store, ast.Del)):
            found.setdefault(f".{attribute.attr}", []).append(attribute)
    return found


@summary
def _bound_in(statement: ast.AST) -> frozenset[str]:
    """Return the names, and the attributes with a dot, that code in a statement sets."""
    found = set()
    for node in walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(f".{node.attr}")
    return frozenset(found)


def _asked(test: ast.expr, held: bool, node: Subject) -> Iterator[Fact]:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _asked(operand, not held, node)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) is held:
                for value in values:
                    yield from _asked(value, held, node)
            elif all(any(_asked(value, True, node)) for value in values):
                yield test, held
        case ast.Call(func=ast.Name(id="isinstance" | "callable" | "hasattr"), args=[asked, *_]):
            if _is_same(asked, node):
                yield test, held
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            asked = right if isinstance(left, ast.Constant) else left
            if _is_same(asked, node) or _is_same(_named(asked), node):
                yield test, held
        case ast.Name() | ast.Attribute() if _is_same(test, node):
            yield test, held


def _named(asked: ast.expr) -> ast.expr:
    """Return what bears the name that an expression reads: `f` of `f.__name__`."""
    match asked:
        case ast.Attribute(value=bearer, attr="__name__" | "__qualname__"):
            return bearer
    return asked


def _is_same(asked: ast.expr, node: Subject) -> bool:
    if isinstance(node, ast.Name):
        return isinstance(asked, ast.Name) and asked.id == node.id
    return (
        isinstance(asked, ast.Attribute)
        and asked.attr == node.attr
        and isinstance(asked.value, ast.Name)
        and isinstance(node.value, ast.Name)
        and asked.value.id == node.value.id
    )
