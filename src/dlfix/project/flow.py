"""Which bindings of a name a use can see: reaching definitions over structured code.

Exact for straight lines, branches, `with` and `try`; a loop is taken to run any number of times.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dlfix.project.bindings import Binding
from dlfix.project.module import Module, Scope
from dlfix.project.order import begins_before
from dlfix.project.syntax import LOOPS, is_name
from dlfix.project.trees import kept

_LEAVING = (ast.Return, ast.Raise)


@dataclass(frozen=True, slots=True)
class _Level:
    """One step down the blocks: a statement's place in a list of its parent's."""

    owner: ast.AST
    field: str
    index: int


def levels(module: Module, node: ast.AST, root: ast.AST) -> list[_Level]:
    """Return the blocks from `root` down to the statement that `node` is part of."""
    found: list[_Level] = []
    child = node
    for parent in module.ancestors(node):
        level = _level(parent, child)
        if level is not None:
            found.append(level)
        if parent is root:
            break
        child = parent
    return found[::-1]


def _level(parent: ast.AST, child: ast.AST) -> _Level | None:
    if (
        not isinstance(child, (ast.stmt, ast.ExceptHandler))
        and type(child).__name__ != "match_case"
    ):
        return None
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and child in block:
            return _Level(parent, field, block.index(child))
    return None


@kept
def reaching(scope: Scope, name: str, use: ast.AST | None) -> tuple[Binding, ...]:
    """Return the bindings of a name in a scope that a use can see, the nearest first.

    With `use` None, those that hold when the scope's code has run to its end.
    """
    module, root, bindings = scope.module, scope.node, scope.bindings.get(name, ())
    place = levels(module, use, root) if use is not None else []
    loops = [level.owner for level in place if isinstance(level.owner, LOOPS)]
    covered = _Covered()
    found: list[Binding] = []
    for binding in reversed(bindings):
        if binding.kind == "parameter" or binding.statement is root:
            found.append(binding)
            continue
        at = levels(module, binding.statement, root)
        if not at:
            found.append(binding)
            continue
        if not _before(module, binding, at, place, use):
            around = [level.owner for level in at if level.owner in loops]
            if around and not any(
                _sets_first(loop, name, place) or _binds_first(scope, name, loop, place, use)
                for loop in around
            ):
                found.append(binding)  # round the loop
            continue
        if exclusive(at, place) or (use is not None and _gone(at, place)):
            continue
        found.append(binding)
        if binding.kind != "augmented" and covered.add(at, place):
            break
    return tuple(binding for binding in found if binding.kind != "delete")


def _sets_first(loop: ast.AST, name: str, place: list[_Level]) -> bool:
    """Return whether each round of a loop sets a name before it comes to a place in its body."""
    inside = any(level.owner is loop and level.field == "body" for level in place)
    target = loop.target if inside and isinstance(loop, (ast.For, ast.AsyncFor)) else None
    return target is not None and any(is_name(each, name) for each in ast.walk(target))


def _binds_first(
    scope: Scope, name: str, loop: ast.AST, place: list[_Level], use: ast.AST | None
) -> bool:
    """Return whether the statements of a loop surely bind a name, in each round, before they come to a place."""
    module, covered = scope.module, _Covered()
    for binding in reversed(scope.bindings.get(name, ())):
        at = levels(module, binding.statement, scope.node)
        in_body = any(each.owner is loop and each.field == "body" for each in at)
        if not in_body or binding.kind == "augmented":
            continue
        reaches = _before(module, binding, at, place, use) and not exclusive(at, place)
        if reaches and not _gone(at, place) and covered.add(at, place):
            return True
    return False


def _before(
    module: Module, binding: Binding, at: list[_Level], place: list[_Level], use: ast.AST | None
) -> bool:
    if use is None:
        return True
    statement = binding.statement
    if statement is use or statement in module.ancestors(use):
        return _binds_inside(module, binding, use)
    for mine, theirs in zip(at, place, strict=False):
        if mine.owner is not theirs.owner or mine.field != theirs.field:
            return begins_before(statement, use)
        if mine.index != theirs.index:
            return mine.index < theirs.index
    return begins_before(binding.node, use)


def _binds_inside(module: Module, binding: Binding, use: ast.AST) -> bool:
    """Return whether the use, part of the binding statement itself, comes after the binding."""
    if binding.kind in ("for", "with", "except", "match"):
        if binding.kind == "for" and isinstance(binding.statement, (ast.For, ast.AsyncFor)):
            return not _within(module, use, binding.statement.iter)
        return begins_before(binding.node, use)
    if binding.kind == "walrus":
        return begins_before(binding.node, use)
    return False


def _within(module: Module, node: ast.AST, outer: ast.AST) -> bool:
    return node is outer or outer in module.ancestors(node)


def exclusive(at: list[_Level], place: list[_Level]) -> bool:
    """Return whether two places lie in branches of which only one runs."""
    for mine, theirs in zip(at, place, strict=False):
        if mine.owner is not theirs.owner:
            return False
        if mine.field != theirs.field:
            return isinstance(mine.owner, ast.If)
        if mine.index != theirs.index:
            return mine.field == "cases" or mine.field == "handlers"
    return False


class _Covered:
    """Tells when the bindings seen so far are sure to have run before the use."""

    def __init__(self) -> None:
        self.branches: set[tuple[ast.AST, str]] = set()

    def add(self, at: list[_Level], place: list[_Level]) -> bool:
        extra = [one for one in at[_shared(at, place) :] if not _transparent(one, place)]
        for level in reversed(extra):
            if not isinstance(level.owner, ast.If):
                return False
            self.branches.add((level.owner, level.field))
            self.branches |= {(level.owner, field) for field in _leaving(level.owner)}
            if not {"body", "orelse"} <= {f for o, f in self.branches if o is level.owner}:
                return False
        return True


def _shared(at: list[_Level], place: list[_Level]) -> int:
    """Return how many levels two places share, the list they part in included."""
    count = 0
    for mine, theirs in zip(at, place, strict=False):
        if mine.owner is not theirs.owner or mine.field != theirs.field:
            break
        count += 1
        if mine.index != theirs.index:
            break
    return count or 1


def _gone(at: list[_Level], place: list[_Level]) -> bool:
    """Return whether code leaves the scope between a binding and a use that comes after."""
    for level in reversed(at[_shared(at, place) :]):
        if isinstance(level.owner, ast.Try) and level.field == "body":
            return False
        if isinstance(getattr(level.owner, level.field)[-1], _LEAVING):
            return True
    return False


def _leaving(branches: ast.If) -> Iterator[str]:
    """Yield the branches of an `if` after which nothing below it runs."""
    for field in ("body", "orelse"):
        block = getattr(branches, field)
        if block and isinstance(block[-1], _LEAVING):
            yield field


def _transparent(level: _Level, place: list[_Level]) -> bool:
    """Return whether a block has surely run when a place is come to."""
    if isinstance(level.owner, (ast.With, ast.AsyncWith)):
        return True
    if not isinstance(level.owner, ast.Try) or level.field not in ("body", "finalbody"):
        return False
    return all(one.owner is not level.owner or one.field == "orelse" for one in place)
