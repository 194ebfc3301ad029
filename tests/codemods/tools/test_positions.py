"""Nodes are found where `ast` says they are."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from dlfix.source.text import Position, Span
from dlfix_codemods.tools import positions

SOURCE = """\
@deco
def f(a, *b: int, c=lambda q: (q, 1)) -> int:
    x = [i for i in (1, 2)]; y = 3
    return g(i for i in x)

class A(B):
    z = ((4, 5))
    async def m(self): return {**self.d}[0]

if a:
    print(f(1)(2), key=lambda: 0)
else:
    t = 1, 2
"""


def span_of(node: ast.AST) -> Span:
    return Span(
        Position(node.lineno, node.col_offset), Position(node.end_lineno, node.end_col_offset)
    )


def test_every_expression_and_statement_of_ast_is_found() -> None:
    module = cst.parse_module(SOURCE)
    nodes = [n for n in ast.walk(ast.parse(SOURCE)) if isinstance(n, ast.expr | ast.stmt)]
    found = positions.find(module, [span_of(node) for node in nodes])
    for node in nodes:
        text = module.code_for_node(found[span_of(node)]).strip("(); \n")
        assert text.startswith("@") or text in (ast.get_source_segment(SOURCE, node) or "")


def test_an_expression_is_taken_before_the_statement_it_fills() -> None:
    module = cst.parse_module("f(x)\n")
    span = Span(Position(1, 0), Position(1, 4))
    assert isinstance(positions.find(module, [span])[span], cst.Call)


def test_a_kind_narrows_the_choice() -> None:
    module = cst.parse_module("f(x)\n")
    span = Span(Position(1, 0), Position(1, 4))
    kind = cst.SimpleStatementLine
    assert isinstance(positions.find(module, [span], kind)[span], cst.SimpleStatementLine)


def test_the_node_is_the_one_in_the_tree() -> None:
    module = cst.parse_module("f(x)\n")
    span = Span(Position(1, 2), Position(1, 3))
    node = positions.find(module, [span], cst.Name)[span]
    changed = module.with_deep_changes(node, value="y")
    assert changed.code == "f(y)\n"


def test_a_span_without_a_node_is_told() -> None:
    with pytest.raises(positions.NotFoundError):
        positions.find(cst.parse_module("f(x)\n"), [Span(Position(1, 1), Position(1, 3))])
