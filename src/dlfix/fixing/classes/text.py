"""Source text on the move: a node's text with parts exchanged, and the comments that belong to it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Mapping

from dlfix.project.module import Module
from dlfix.source.text import Position


def render(module: Module, node: ast.AST, changes: Mapping[ast.AST, str]) -> str:
    """Return a node's text with the nodes in `changes` exchanged, dedented."""
    text = module.segment(node)
    start = module.span(node).start
    for old, new in sorted(changes.items(), key=lambda item: _place(module, item[0]), reverse=True):
        text = _exchanged(module, text, start, old, new)
    return dedented(text, _indent_of(module, start.row))


def dedented(text: str, indent: str) -> str:
    """Take an indentation from all lines but the first; lines in long strings stay."""
    first, *others = text.split("\n")
    if not others or '"""' in text or "'''" in text:
        return text
    return "\n".join([first, *(line.removeprefix(indent) for line in others)])


def shifted(text: str, by: int, offset: int = 0) -> str:
    """Move lines that are aligned with a bracket of the first line, where that line moved.

    `offset` is the column, in its line, at which the text begins.
    """
    first, *others = text.split("\n")
    if not others or not by or '"""' in text or "'''" in text:
        return text
    return "\n".join([first, *(_aligned(line, first, by, offset) for line in others)])


# What a comment says that is true in a constructor alone.
_OF_THE_CONSTRUCTOR = re.compile(
    r"\b(?:(?:at|on|during|upon|in) (?:__init__|init(?:iali[sz]\w+)?|construct\w+|start-?up)|up[- ]?front)\b",
    re.IGNORECASE,
)


def comments_of(module: Module, statement: ast.stmt) -> tuple[list[str], str]:
    """Return the comment lines right above a statement, and the comment beside it, as far as they move with it."""
    return _comments_at(module, statement) if comments_move(module, statement) else ([], "")


def comments_move(module: Module, statement: ast.stmt) -> bool:
    """Return whether the comments at a statement are as true where it moves to."""
    above, beside = _comments_at(module, statement)
    return not _OF_THE_CONSTRUCTOR.search(" ".join([*above, beside]))


def _comments_at(module: Module, statement: ast.stmt) -> tuple[list[str], str]:
    span = module.span(statement)
    indent = _indent_of(module, span.start.row)
    above: list[str] = []
    for row in range(span.start.row - 1, 0, -1):
        line = module.lines[row - 1]
        if not line.strip().startswith("#") or not line.startswith(indent):
            break
        above.insert(0, line.removeprefix(indent).rstrip())
    if _is_below_a_block(
        module, span.start.row, indent
    ):  # whose footer the comments indented further are
        deeper = [number for number, line in enumerate(above, 1) if not line.startswith("#")]
        above = above[max(deeper, default=0) :]
    beside = module.lines[span.end.row - 1][span.end.column :].strip()
    return above, beside if beside.startswith("#") else ""


_OPPOSITE = {
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in", ast.Eq: "!=", ast.NotEq: "==",
}  # fmt: skip


def negated(test: str) -> str:
    """Return the opposite of a test."""
    match ast.parse(test, mode="eval").body:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.get_source_segment(test, operand) or ast.unparse(operand)
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant() as right]) if (
            type(op) in _OPPOSITE
        ):
            parts = (ast.get_source_segment(test, each) or "" for each in (left, right))
            return f" {_OPPOSITE[type(op)]} ".join(parts)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            return f"not {test}"
    return f"not ({test})"


def indented(text: str, indent: str) -> str:
    """Indent every line that is not empty."""
    if '"""' in text or "'''" in text:
        first, *others = text.split("\n")
        return "\n".join([indent + first, *others]) if others else indent + first
    return textwrap.indent(text, indent)


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Return every name that is read or bound below some nodes."""
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def stored_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Return every name that is bound below some nodes."""
    stored = (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in stored if isinstance(each.ctx, ast.Store)}


def bound_within(node: ast.AST) -> set[str]:
    """Return the names that comprehensions and lambdas inside a node bind."""
    names: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.comprehension):
            names |= names_in([each.target])
        elif isinstance(each, ast.Lambda):
            arguments = each.args
            names |= {
                a.arg for a in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs)
            }
        elif isinstance(each, (ast.For, ast.AsyncFor)):
            names |= names_in([each.target])
        elif isinstance(each, ast.withitem) and each.optional_vars is not None:
            names |= names_in([each.optional_vars])
        elif isinstance(each, ast.ExceptHandler) and each.name:
            names.add(each.name)
    return names


def _place(module: Module, node: ast.AST) -> Position:
    return module.span(node).start


def _exchanged(module: Module, text: str, start: Position, old: ast.AST, new: str) -> str:
    begin = _offset(text, start, module.span(old).start)
    end = _offset(text, start, module.span(old).end)
    if isinstance(old, ast.Name) and text[begin:end] != old.id:
        return _in_braces(text, old.id, new)
    return text[:begin] + new + text[end:]


def _in_braces(text: str, name: str, new: str) -> str:
    """Exchange a name in the fields of format strings, whose places Python 3.11 does not know."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    return re.sub(r"\{[^{}]*\}", lambda field: pattern.sub(new, field[0]), text)


def _offset(text: str, start: Position, place: Position) -> int:
    if place.row == start.row:
        return place.column - start.column
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[: place.row - start.row])
    return before + place.column


def _indent_of(module: Module, row: int) -> str:
    line = module.lines[row - 1]
    return line[: len(line) - len(line.lstrip())]


def _is_below_a_block(module: Module, row: int, indent: str) -> bool:
    """Return whether the last line of code above a row is indented further."""
    lines = (line for line in reversed(module.lines[: row - 1]))
    code = (line for line in lines if line.strip() and not line.strip().startswith("#"))
    return next(code, "").startswith((f"{indent} ", f"{indent}\t"))


def _aligned(line: str, first: str, by: int, offset: int) -> str:
    column = len(line) - len(line.lstrip(" "))
    if not 0 < column - offset <= len(first) or first[column - offset - 1] not in "([{":
        return line
    return " " * max(0, column + by) + line.lstrip(" ")
