"""Statements that grew too long for their file: arguments of calls on lines of their own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import libcst as cst

Header = cst.For | cst.With | cst.While | cst.If
HEADERS = (cst.For, cst.With, cst.While, cst.If)


def fitted(
    module: cst.Module,
    line: cst.SimpleStatementLine,
    grown: Collection[cst.CSTNode],
    column: int,
    width: int,
) -> cst.SimpleStatementLine:
    """Return a statement with the calls around what grew laid out, if its one line is too long."""
    if len(line.body) != 1 or not grown:
        return line
    bare = line.with_changes(leading_lines=[], trailing_whitespace=cst.TrailingWhitespace())
    code = module.code_for_node(bare).strip()
    if "\n" in code or column + len(code) <= width:
        return line
    layout = _Layout(module, {id(each) for each in grown}, width - column)
    call = layout.outermost(line.body[0])
    return (
        line
        if call is None
        else cst.ensure_type(
            line.deep_replace(call, layout.split(call, 0)), cst.SimpleStatementLine
        )
    )


def fitted_header(
    module: cst.Module,
    block: Header,
    grown: Collection[cst.CSTNode],
    column: int,
    width: int,
) -> Header:
    """Return a block with the calls of its header laid out, if its one line is too long."""
    bare = block.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), leading_lines=[])
    code = module.code_for_node(bare).partition(" pass\n")[0]
    if "\n" in code or column + len(code) <= width:
        return block
    layout = _Layout(module, {id(each) for each in grown}, width - column)
    for child in block.children:
        call = None if isinstance(child, cst.BaseSuite) else layout.outermost(child)
        if call is not None:
            laid_out = block.deep_replace(call, layout.split(call, 0))
            assert isinstance(laid_out, HEADERS)
            return laid_out
    return block


@dataclass
class _Layout:
    module: cst.Module
    grown: set[int]
    room: int  # columns right of where the statement begins

    def outermost(self, node: cst.CSTNode) -> cst.Call | None:
        """Return the outermost call whose arguments hold what grew, or which is it."""
        if isinstance(node, cst.Call) and (
            id(node) in self.grown or any(self._holds(arg) for arg in node.args)
        ):
            return node
        for child in node.children:
            found = self.outermost(child)
            if found is not None:
                return found
        return None

    def split(self, call: cst.Call, depth: int) -> cst.Call:
        """Return a call with its arguments on a line of their own, or on one each."""
        if not call.args:
            return call
        step = self.module.default_indent
        inner, outer = _newline(step * (depth + 1)), _newline(step * depth)
        last = call.args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        args = [*call.args[:-1], last]
        text = self.module.code_for_node(call.with_changes(func=cst.Name("f"), args=args))[2:-1]
        if len(step) * (depth + 1) + len(text.strip()) <= self.room:
            args[-1] = last.with_changes(whitespace_after_arg=outer)
            return call.with_changes(args=args, whitespace_before_args=inner)
        listed = [self._fitting(each, depth + 1) for each in args]
        if len(listed) == 1:
            listed = [listed[0].with_changes(whitespace_after_arg=outer)]
            return call.with_changes(args=listed, whitespace_before_args=inner)
        comma = cst.Comma(whitespace_after=inner)
        parted = [each.with_changes(comma=comma) for each in listed[:-1]]
        parted.append(listed[-1].with_changes(comma=cst.Comma(whitespace_after=outer)))
        return call.with_changes(args=parted, whitespace_before_args=inner)

    def _fitting(self, arg: cst.Arg, depth: int) -> cst.Arg:
        text = self.module.code_for_node(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT))
        if len(self.module.default_indent) * depth + len(text) < self.room:
            return arg
        call = self.outermost(arg.value)
        if call is None:
            return arg
        return cst.ensure_type(arg.deep_replace(call, self.split(call, depth)), cst.Arg)

    def _holds(self, node: cst.CSTNode) -> bool:
        return id(node) in self.grown or any(self._holds(child) for child in node.children)


def _newline(indent: str) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))
