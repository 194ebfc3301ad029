"""Handles that another process opens again where they stand: what `tell` says there goes with the state."""

from __future__ import annotations

import ast

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.handles import Refusal
from dlfix.project.importing import together
from dlfix.project.project import Project

_TEXT = "_io.TextIOWrapper"
# What goes through a file, or gives it another name by which code may.
_TAKING = (
    ast.For,
    ast.comprehension,
    ast.YieldFrom,
    ast.Call,
    ast.Assign,
    ast.Return,
    ast.NamedExpr,
)
_TELLING = frozenset(("seek", "tell"))


def refuse_without_position(culprit: Culprit, project: Project) -> None:
    """Refuse a handle that cannot be asked where it stands: a text that is read line by line, or one that is closed."""
    facts, row, where = culprit.facts, culprit.row, culprit.facts.line(culprit.site.statement)
    if row is None or not row.position or not {*row.position} >= _TELLING:
        raise Refusal(f"the resource does not tell its position ({where})")
    if facts.stores[culprit.attribute] != [culprit.site]:
        raise Refusal(f"the resource is not open at all times ({where})")
    if row.type == _TEXT and _is_iterated(culprit, project):
        raise Refusal(f"the resource tells no position while it is iterated ({where})")


def _is_iterated(culprit: Culprit, project: Project) -> bool:
    """Return whether code goes through what an attribute of the name holds, or hands it to what may."""
    name, beside = culprit.attribute, together(project, culprit.facts.module)
    return any(
        isinstance(held, ast.Attribute) and held.attr == name
        for module in project.mentions(name)
        if beside is None or module in beside
        for node in module.nodes(*_TAKING)
        for held in _gone_through(node)
    )


def _gone_through(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.For(iter=held) | ast.comprehension(iter=held):
            return [held]
        case (
            ast.Assign(value=ast.expr() as held)
            | ast.Return(value=ast.expr() as held)
            | ast.NamedExpr(value=held)
            | ast.YieldFrom(value=held)
        ):
            return [held]
        case ast.Call(args=args, keywords=keywords):
            return [*args, *(each.value for each in keywords)]
    return []
