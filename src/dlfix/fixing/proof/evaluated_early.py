"""Values that are kept for later, and that a method evaluated under a condition only: without it, that may raise."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import TypeAlias

from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    Function,
    is_attribute,
    own_targets,
    positive,
    self_name,
)
from dlfix.project.trees import said

Conditions: TypeAlias = frozenset[tuple[str, str]]
_EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what is kept under fewer conditions than it was evaluated: `options["path"]` where no file was opened."""
    had = {name for each in change.old.lineage(change.before) for name in attributes_set(each)}
    for name, function in change.after.methods.items():
        old = change.before.methods.get(name)
        if old is None or said(old) == said(function):
            continue
        before, me = _evaluated(old.body), self_name(function)
        as_before = _AsBefore(function, me, had)
        body = [as_before.visit(copy.deepcopy(each)) for each in function.body]
        for statement, conditions in _in_block(body, frozenset()):
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or had.issuperset(
                own_targets(statement, me)
            ):
                continue
            for node, inner in _in_node(statement, conditions):
                known = before.get(ast.unparse(node)) if _may_raise(node, me) else None
                if known and not any(each <= inner for each in known):
                    yield change.regression(
                        statement,
                        f"`{ast.unparse(node)}` was only evaluated under a condition "
                        f"(line {statement.lineno})",
                    )
                    return


class _AsBefore(ast.NodeTransformer):
    """Writes what a new attribute was given, once, in the place of the attribute: conditions read as before."""

    def __init__(self, function: Function, me: str, had: set[str]) -> None:
        self._me = me
        given: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for name in own_targets(node, me):
                    given.setdefault(name, []).append(node.value)
        self._kept = {
            name: values[0]
            for name, values in given.items()
            if name not in had and len(values) == 1
        }

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Write the value of a new attribute that is read."""
        if is_attribute(node, self._me) and isinstance(node.ctx, ast.Load):
            return self._kept.get(node.attr, node)
        self.generic_visit(node)
        return node


def _evaluated(body: list[ast.stmt]) -> dict[str, set[Conditions]]:
    """Return under which conditions code evaluates each expression, by its text."""
    found: dict[str, set[Conditions]] = {}
    for node, conditions in _in_block(body, frozenset()):
        if _may_raise(node):
            found.setdefault(ast.unparse(node), set()).add(conditions)
    for known in found.values():
        while more := _by_either(known) - known:
            known |= more
    return found


def _by_either(known: set[Conditions]) -> set[Conditions]:
    """Return the conditions of what is evaluated in both branches of one more."""
    return {
        conditions - {("holds", said)}
        for conditions in known
        for how, said in conditions
        if how == "holds" and conditions - {("holds", said)} | {("fails", said)} in known
    }


def _may_raise(node: ast.AST, me: str = "") -> bool:
    """Return whether an expression calls, or asks another object for something that it may not have."""
    is_read = isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Call) or (is_read and not is_attribute(node, me))


def _in_block(body: list[ast.stmt], conditions: Conditions) -> Iterator[tuple[ast.AST, Conditions]]:
    """Yield what the statements of a block evaluate, with the conditions under which they do."""
    for statement in body:
        yield from _in_node(statement, conditions)
        if isinstance(statement, ast.If) and _may_exit(statement):
            conditions |= {("past", _said(statement.test))}


def _in_node(node: ast.AST, conditions: Conditions) -> Iterator[tuple[ast.AST, Conditions]]:
    if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.Lambda, ast.ClassDef)):
        return  # items have names of their own
    yield node, conditions
    parts = dict(ast.iter_fields(node))
    for name, condition in _conditional(node):
        part = parts.pop(name)
        inner = conditions | {condition}
        if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
            yield from _in_block(part, inner)
        else:
            for each in part if isinstance(part, list) else [part]:
                yield from _in_node(each, inner)
    for part in parts.values():
        if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
            yield from _in_block(part, conditions)
            continue
        for each in part if isinstance(part, list) else [part]:
            if isinstance(each, ast.AST):
                yield from _in_node(each, conditions)


def _conditional(node: ast.AST) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the parts of a node that are not evaluated each time, or of which an error is handled, and by what."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            asked, holds = positive(test)
            yield "body", ("holds" if holds else "fails", _said(asked))
            yield "orelse", ("fails" if holds else "holds", _said(asked))
        case ast.While(test=asked) | ast.For(iter=asked) | ast.AsyncFor(iter=asked):
            yield "body", ("entered", _said(asked))
        case ast.Try(handlers=handlers) if handlers:
            yield "body", ("handled", "; ".join(_said(each.type) for each in handlers))
            yield "handlers", ("raised", "")


def _may_exit(node: ast.If) -> bool:
    return any(isinstance(each, _EXITS) for block in (node.body, node.orelse) for each in block)


def _said(test: ast.expr | None) -> str:
    """Return the text of a condition: an attribute of the object may be a local variable now."""
    return ast.unparse(test).replace("self.", "") if test is not None else ""


__all__ = ["check"]
