"""What a value is made of: the names and attributes that its expression goes back to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.proof.syntax import dotted, executed, stored_names


class Origins:
    """Follows the names of one body back through its assignments."""

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self.made: dict[str, list[ast.expr]] = {}
        for node in executed(body):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for name in stored_names(node):
                    self.made.setdefault(name, []).append(node.value)
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                for item in node.items:
                    for name in stored_names(item.optional_vars or []):
                        self.made.setdefault(name, []).append(item.context_expr)

    def of(self, *values: ast.AST | None) -> set[str]:
        """Return all names and attributes that values are made of, at any distance."""
        found: set[str] = set()
        waiting = [text for value in values if value is not None for text in _leaves(value)]
        while waiting:
            text = waiting.pop()
            if text in found:
                continue
            found.add(text)
            root, _, attribute = text.partition(".")
            for value in self.made.get(root, []):
                given = _given(value) if attribute and isinstance(value, ast.Call) else [value]
                waiting += [leaf for part in given for leaf in _leaves(part)]
        return found


def _given(call: ast.Call) -> list[ast.expr]:
    """Return what an attribute of the result may be made of: the arguments, not the owner."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _leaves(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes in an expression; not the functions it calls."""
    if isinstance(node, (ast.Name, ast.Attribute)) and dotted(node):
        yield dotted(node)
        return
    if isinstance(node, ast.Call):
        parts = _given(node)
        if isinstance(node.func, ast.Attribute):
            parts.append(node.func.value)
        for part in parts:
            yield from _leaves(part)
        return
    for child in ast.iter_child_nodes(node):
        yield from _leaves(child)
