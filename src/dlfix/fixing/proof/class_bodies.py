"""Bodies of classes that are at module level now: their calls run on import, not when the function around them did."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import executed
from dlfix.project.library_names import same_whenever
from dlfix.project.module import Module


def check(change: FileChange) -> Iterator[Regression]:
    """Yield the calls in the bodies of moved classes that may give something else, or do something, on import."""
    had = {node.name for node in _at_top(change.before)}
    for cls in _at_top(change.after):
        if cls.name in had:
            continue
        for call in _calls(cls):
            if not same_whenever(change.after, call):
                yield change.regression(
                    cls.name,
                    call,
                    f"`{ast.unparse(call.func)}` in the body of `{cls.name}` is called on import "
                    f"(line {call.lineno}), not when the enclosing code runs",
                )
                break


def _at_top(module: Module) -> list[ast.ClassDef]:
    found = module.of_kind(ast.ClassDef)
    return [
        node for node in found if module.scope_of(node).is_module and not _is_guarded(module, node)
    ]


def _is_guarded(module: Module, node: ast.ClassDef) -> bool:
    return any(isinstance(above, ast.If) for above in module.ancestors(node))


def _calls(cls: ast.ClassDef) -> Iterator[ast.Call]:
    for statement in cls.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            yield from (node for node in executed([statement]) if isinstance(node, ast.Call))


__all__ = ["check"]
