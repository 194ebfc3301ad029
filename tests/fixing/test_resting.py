"""Definitions that a plan does not name rest."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest

from dlfix.fixing.resting import awake_at, rested
from dlfix.source.text import Position, Span

TEXT = "import a\n\n\n@a.b\ndef f():\n    return bad\n\n\n# why\nclass C:\n    x = bad\n\n\ny = bad"


class Rename(cst.CSTTransformer):
    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return (
            updated_node.with_changes(value="good")
            if original_node.value == "bad"
            else original_node
        )


def renamed(row: int, prepare: Callable[[cst.Module], cst.Module] = lambda module: module) -> str:
    module = rested(cst.parse_module(TEXT))
    span = Span(Position(row, 0), Position(row, 1))
    with awake_at(module, [span], [1, 6, 11, 14]):
        return prepare(module).visit(Rename()).code


def test_a_module_whose_definitions_can_rest_has_the_same_text():
    module = rested(cst.parse_module(TEXT))
    assert module.code == module.code == TEXT


@pytest.mark.parametrize(("row", "kept"), [(6, "x = bad"), (4, "x = bad"), (11, "return bad")])
def test_only_the_definition_that_is_named_is_visited_and_all_else_at_module_level(row, kept):
    text = renamed(row)
    assert text.count("bad") == 1
    assert kept in text
    assert text.endswith("y = good")


def test_a_definition_is_still_awake_after_its_leading_lines_changed():
    def prepare(module: cst.Module) -> cst.Module:
        first, function, *rest = module.body
        return module.with_changes(body=[first, function.with_changes(leading_lines=[]), *rest])

    assert "return good" in renamed(6, prepare)


def test_a_definition_is_still_awake_in_a_copy():
    text = renamed(6, lambda module: module.deep_clone())
    assert "return good" in text
    assert "x = bad" in text


def test_what_is_rendered_with_another_indentation_is_rendered_again():
    module = rested(cst.parse_module("def f():\n    pass\n"))
    assert module.code == "def f():\n    pass\n"
    function = module.body[0]
    inside = cst.If(cst.Name("x"), cst.IndentedBlock([function]))
    assert cst.Module([inside]).code == "if x:\n    def f():\n        pass\n"
