"""Statements inside functions: found, and others put above them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import libcst as cst

from dlfix.source.text import Span
from dlfix_codemods.tools import classes, positions

_CONTINUED = re.compile(r"\\\r?\n")


def statement_at(module: cst.Module, span: Span) -> cst.BaseStatement:
    """Return the statement at a span: a line or a compound statement."""
    kinds = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
    return cast(cst.BaseStatement, positions.find(module, [span], kinds)[span])


def replaced(
    module: cst.Module,
    nodes: Mapping[cst.CSTNode, cst.CSTNode],
    above: cst.BaseStatement,
    statements: Sequence[cst.BaseStatement],
) -> cst.Module:
    """Replace nodes by others, and put statements above one; its comments stay on top of them."""
    return module.visit(_Replacing(nodes, above, statements))


class Deeper(cst.CSTTransformer):
    """Indents lines that a backslash continues by one more step, as a new block does the others."""

    def __init__(self, step: str) -> None:
        self.step = step

    def leave_SimpleWhitespace(
        self, original_node: cst.SimpleWhitespace, updated_node: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        """Indent what follows each backslash."""
        value = _CONTINUED.sub(rf"\g<0>{self.step}", updated_node.value)
        return updated_node.with_changes(value=value)


class _Replacing(cst.CSTTransformer):
    def __init__(
        self,
        nodes: Mapping[cst.CSTNode, cst.CSTNode],
        above: cst.BaseStatement,
        statements: Sequence[cst.BaseStatement],
    ) -> None:
        super().__init__()
        self._nodes, self._above, self._statements = nodes, above, statements

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> Any:
        if original_node in self._nodes:
            return self._nodes[original_node].deep_clone()
        left = super().on_leave(original_node, updated_node)
        if original_node is not self._above:
            return left
        return cst.FlattenSentinel(placed_above(cast(cst.BaseStatement, left), self._statements))


def placed_above(
    statement: cst.BaseStatement, statements: Iterable[cst.BaseStatement]
) -> list[cst.BaseStatement]:
    """Return the statements, then the one they go above; blank lines above it move to the first."""
    first, *others = statements
    lines = list(classes.leading_lines(statement))
    cut = next((i for i, line in enumerate(lines) if line.comment), len(lines))
    first = first.with_changes(leading_lines=lines[:cut])
    return [first, *others, statement.with_changes(leading_lines=lines[cut:])]
