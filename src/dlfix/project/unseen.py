"""Edits that nothing would notice that was asked of a module before."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from dlfix.project.changes import Change, change_between
from dlfix.project.module import Module
from dlfix.project.order import first_row
from dlfix.project.trees import summaries

_BLOCKS = ("body", "handlers", "orelse", "finalbody")


def unseen(old: Module, new: Module) -> Change | None:
    """Return how one text of a module differs from another, if whoever asked the one would not notice.

    The rest is the same statement by statement, and no name or kind of node that was asked for is
    in what is new. The new module then knows what was asked of the old one.
    """
    if old.is_text_seen or old.broken is not None or new.broken is not None:
        return None
    change = change_between(*(module.unnoted_lines for module in (old, new)))
    if change is None or len(old.bodies.of) != len(new.bodies.of):
        return None
    found = _Comparison(change, old, new)
    with old.bodies.on_behalf_of_nobody(), new.bodies.on_behalf_of_nobody():
        alike = found.of_blocks(old.tree.body, new.tree.body)
        within = found.functions or found.is_comment or _says_nothing(change, old, new)
        if not alike or not within:
            return None
    if len(found.functions) > 1:
        return None
    if any(summaries(one) != summaries(other, like=one) for one, other in found.around):
        return None
    return change if _same_answers(old, new, found.functions) else None


class _Comparison:
    """Compares the statements around a change; finds the function that it is in."""

    def __init__(self, change: Change, old: Module, new: Module) -> None:
        self.change, self.old, self.new = change, old, new
        self.functions: list[tuple[Any, Any]] = []
        self.is_comment = False
        self.around: list[tuple[Any, Any]] = [(old.tree, new.tree)]

    def of_blocks(self, olds: list[Any], news: list[Any]) -> bool:
        """Return whether two blocks are alike but for the body of one function."""
        return len(olds) == len(news) and all(map(self._of_nodes, olds, news))

    def _of_nodes(self, old: Any, new: Any) -> bool:
        if type(old) is not type(new) or first_row(new) != self.change.moved(first_row(old)):
            return False
        if old.col_offset != new.col_offset:
            return False
        if not self.change.touches(first_row(old), old.end_lineno):
            end = self.change.moved(old.end_lineno), old.end_col_offset
            if end == (new.end_lineno, new.end_col_offset):
                return True
            if not self.change.follows(old.end_lineno):
                return False
        if not getattr(old, "body", None) or isinstance(old, ast.Match):
            return self._is_behind(old, new)
        if not (self._is_below_head(old, self.old) and self._is_below_head(new, self.new)):
            return False
        self.around.append((old, new))
        body = self.old.bodies.of.get(old)
        if body is not None and not body.seen and self._is_within(old, new):
            self.functions.append((old, new))
            return True
        blocks = [name for name in _BLOCKS if hasattr(old, name)]
        return all(self.of_blocks(getattr(old, name), getattr(new, name)) for name in blocks)

    def _is_behind(self, old: Any, new: Any) -> bool:
        """Return whether only the comment behind a statement is another."""
        row = self.change.first
        if not row == self.change.last == self.change.last_after == old.end_lineno:
            return False
        self.is_comment = ast.dump(old, include_attributes=True) == ast.dump(
            new, include_attributes=True
        )
        return self.is_comment

    def _is_below_head(self, node: Any, module: Module) -> bool:
        """Return whether the change is below what comes before a block."""
        first = node.body[0]
        head = module.unnoted_lines[first.lineno - 1].encode()[: first.col_offset]
        return self.change.first >= first_row(first) and not head.strip()

    def _is_within(self, old: Any, new: Any) -> bool:
        """Return whether all of the change is in a function, before and after."""
        was = self.change.last <= old.end_lineno
        return bool(was and self.change.last_after <= new.end_lineno)


def _says_nothing(change: Change, old: Module, new: Module) -> bool:
    """Return whether all that changed are comments and blank lines."""
    rows = (
        *old.unnoted_lines[change.first - 1 : change.last],
        *new.unnoted_lines[change.first - 1 : change.last_after],
    )
    return all(not row.strip() or row.lstrip().startswith("#") for row in rows)


def _same_answers(old: Module, new: Module, functions: list[tuple[Any, Any]]) -> bool:
    """Return whether what was asked of a module gets the same answers, and hand on what was asked."""
    for _, other in functions:
        inside = {type(node) for node in _within(new, other)}
        if not inside.isdisjoint(old.kinds):
            return False
    wanted = {other for _, other in functions}
    for build, named in old.tables.items():
        table = new.table(build)
        rows = (row for key in named.asked for row in table.rows.get(key, ()))
        if any(new.bodies.function_around(row) in wanted for row in rows):
            return False
        if any((key in table.rows) is not there for key, there in named.there.items()):
            return False
        table.asked |= named.asked
        table.there.update(named.there)
    if any(new.answer(*key) != answer for key, answer in old.answers.items()):
        return False
    _hand_on_summaries(old, new)
    new.kinds |= old.kinds
    for before, after in zip(old.bodies.of.values(), new.bodies.of.values(), strict=True):
        after.seen = before.seen
    return True


def _hand_on_summaries(old: Module, new: Module) -> None:
    """Let the nodes around bodies know what was said of them."""
    for one, other in zip(old.bodies.of, new.bodies.of, strict=True):
        for before, after in zip(_upward(old, one), _upward(new, other), strict=True):
            if said := summaries(before):
                after._said = said  # type: ignore[attr-defined]


def _upward(module: Module, node: ast.AST) -> list[ast.AST]:
    return [node, *module.ancestors(node)]


def _within(module: Module, function: Any) -> Iterator[ast.AST]:
    with module.bodies.on_behalf_of_nobody():
        inside = module.within(function)
    head = {function, *(node for part in _head(function) for node in module.within(part))}
    return (node for node in inside if node not in head)


def _head(function: Any) -> list[ast.AST]:
    return [function.args, *function.decorator_list, *filter(None, [function.returns])]
