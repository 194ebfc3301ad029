"""Statements that grew too long for their file: arguments of calls on lines of their own."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass, fields

import libcst as cst

from dlfix.source.lines import bare

Header = cst.For | cst.With | cst.While | cst.If
HEADERS = (cst.For, cst.With, cst.While, cst.If)
Statement = cst.SimpleStatementLine | Header


def fitted(
    module: cst.Module,
    statement: Statement,
    grown: Collection[cst.CSTNode],
    column: int,
    width: int,
) -> Statement:
    """Return a statement with the calls around what grew laid out, where a line is too long."""
    layout = _Layout(module, width - column)
    for node in grown:
        while True:
            changed = layout.parted(statement, node)
            if changed is None:
                break
            statement = changed
    return statement


@dataclass
class _Layout:
    module: cst.Module
    room: int  # columns right of where the statement begins

    def parted(self, statement: Statement, node: cst.CSTNode) -> Statement | None:
        """Return a statement with one call around a node laid out; None where the node fits."""
        path = _path(_header(statement), node)
        chain = _calls(path)
        line = self._long_line(statement, node) if path else None
        if line is None or not chain:
            return None
        indent = line[: len(line) - len(line.lstrip())]
        single = next((each for each in chain if "\n" not in self._code(each)), None)
        above = chain[: chain.index(single)] if single is not None else chain
        if above and _is_hugged(above[-1]):
            return _replaced(statement, path, above[-1], _one_each(above[-1]))
        if single is None or not single.args:
            return None
        return _replaced(statement, path, single, self._split(single, indent))

    def _long_line(self, statement: Statement, node: cst.CSTNode) -> str | None:
        """Return the line that a node stands on, if that is too long."""
        text = self._code(node)
        lines = bare(self._code(_header(statement)))
        if "\n" in text:
            own = bare(text) if isinstance(node, cst.Call) and _is_hugged(node) else []
            return next((each for each in lines if each in own and len(each) > self.room), None)
        return next((each for each in lines if text in each and len(each) > self.room), None)

    def _split(self, call: cst.Call, indent: str) -> cst.Call:
        """Return a call with its arguments on a line of their own, or on one each."""
        inner, outer = _newline(indent + self.module.default_indent), _newline(indent)
        last = call.args[-1].with_changes(
            comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=outer
        )
        whole = call.with_changes(args=[*call.args[:-1], last], whitespace_before_args=inner)
        text = bare(self._code(whole))[1]
        return whole if len(text) <= self.room or len(call.args) == 1 else _one_each(whole)

    def _code(self, node: cst.CSTNode) -> str:
        return self.module.code_for_node(node)


def _header(statement: Statement) -> Statement:
    """Return a statement less its comments and body."""
    if isinstance(statement, cst.SimpleStatementLine):
        return statement.with_changes(
            leading_lines=[], trailing_whitespace=cst.TrailingWhitespace()
        )
    body = cst.SimpleStatementSuite([], leading_whitespace=cst.SimpleWhitespace(""))
    bare = statement.with_changes(leading_lines=[], body=body)
    return bare if isinstance(bare, cst.With) else bare.with_changes(orelse=None)


def _path(node: cst.CSTNode, target: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the nodes from one down to another within it, both counted; none if it is not there."""
    if node is target:
        return [node]
    for child in node.children:
        below = _path(child, target)
        if below:
            return [node, *below]
    return []


def _calls(path: list[cst.CSTNode]) -> list[cst.Call]:
    """Return the calls on a path whose arguments lead on, and what it ends with."""
    pairs = itertools.zip_longest(path, path[1:])
    return [each for each, below in pairs if isinstance(each, cst.Call) and below is not each.func]


def _replaced(
    statement: Statement, path: list[cst.CSTNode], old: cst.Call, new: cst.Call
) -> Statement:
    """Return a statement with a call on a path replaced, all else the very same nodes."""
    changed: cst.CSTNode = new
    at = path.index(old)
    for child, parent in zip(path[at:0:-1], [*path[at - 1 : 0 : -1], statement], strict=True):
        changed = _with_child(parent, child, changed)
    assert isinstance(changed, (cst.SimpleStatementLine, *HEADERS))
    return changed


def _with_child(parent: cst.CSTNode, old: cst.CSTNode, new: cst.CSTNode) -> cst.CSTNode:
    for each in fields(parent):
        value = getattr(parent, each.name)
        if value is old:
            return parent.with_changes(**{each.name: new})
        if isinstance(value, (list, tuple)) and any(item is old for item in value):
            items = [new if item is old else item for item in value]
            return parent.with_changes(**{each.name: items})
    return parent


def _is_hugged(call: cst.Call) -> bool:
    """Return whether a call has several arguments on one line between its parentheses' lines."""
    if len(call.args) < 2 or not isinstance(
        call.whitespace_before_args, cst.ParenthesizedWhitespace
    ):
        return False
    commas = [each.comma for each in call.args[:-1]]
    return all(
        isinstance(each, cst.Comma) and isinstance(each.whitespace_after, cst.SimpleWhitespace)
        for each in commas
    )


def _one_each(call: cst.Call) -> cst.Call:
    """Return a call with each argument on a line of its own, and a comma behind the last."""
    last = call.args[-1]
    outer = last.whitespace_after_arg
    if isinstance(last.comma, cst.Comma):
        outer = last.comma.whitespace_after
    comma = cst.Comma(whitespace_after=call.whitespace_before_args)
    end = last.with_changes(
        comma=cst.Comma(whitespace_after=outer), whitespace_after_arg=cst.SimpleWhitespace("")
    )
    return call.with_changes(
        args=[*(each.with_changes(comma=comma) for each in call.args[:-1]), end]
    )


def _newline(indent: str) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))
