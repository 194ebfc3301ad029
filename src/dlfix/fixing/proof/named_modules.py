"""Classes that say where they are: the module binds them by their name, and no code asks where they were."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.fixing.proof import kept_names
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.project.module import Module
from dlfix.project.trees import said

if TYPE_CHECKING:
    from dlfix.project.project import Project


def check(change: FileChange) -> Iterator[Regression]:
    """Yield what a new `Point.__module__ = __name__` changes for other code, or does not achieve."""
    had = {said(each) for each in change.before.tree.body}
    for statement in change.after.tree.body:
        name = _named(statement)
        if not name or said(statement) in had:
            continue
        if not _is_bound(change.after, name, statement):
            yield change.regression(
                name, statement, f"`{name}` is not bound once by its name (line {statement.lineno})"
            )
        homes = frozenset({change.after.path.stem, "__main__"})
        asked = next(questions(change.new.project, homes), None)
        if asked is not None:
            module, line = asked
            yield change.regression(
                name,
                statement,
                f"`__module__` is read ({module.path.name}:{line}), which is another for `{name}` now "
                f"(line {statement.lineno})",
            )


def _named(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=name), attr="__module__")],
            value=ast.Name(id="__name__"),
        ):
            return name
    return ""


def _is_bound(module: Module, name: str, statement: ast.stmt) -> bool:
    """Return whether the statement above binds a class that a call made under this name, and no other does."""
    body = module.tree.body
    above = body[body.index(statement) - 1] if body.index(statement) else None
    stored = [
        each
        for each in module.nodes_by_name.get(name, ())
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    ]
    match above:
        case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as call):
            texts = [*call.args, *(each.value for each in call.keywords)]
            said = any(isinstance(each, ast.Constant) and each.value == name for each in texts)
            return said and stored == [target]
    return False


def questions(project: Project, homes: frozenset[str]) -> Iterator[tuple[Module, int]]:
    """Yield where code reads the module of a class."""
    for module in project.mentions("__module__"):
        if module.says('"__module__"') or module.says("'__module__'"):
            yield module, 1
        for node in module.attributes_by_name.get("__module__", ()):
            asks = isinstance(node.ctx, ast.Load)
            if asks and not kept_names.only_compared(module, node, homes):
                yield module, node.lineno


__all__ = ["check", "questions"]
