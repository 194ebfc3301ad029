"""Definitions that a plan does not name rest."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest

from dlfix.fixing.rewriting import Sheet
from dlfix.fixing.untouched import awake_at, rested
from dlfix.source.text import Position, Span
from dlfix_codemods.tools import positions

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
    with awake_at(module, [span]):
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


@pytest.mark.parametrize(
    "text", [TEXT, TEXT + "\n", "# first\n\n" + TEXT, TEXT.replace("\n", "\r\n")]
)
def test_what_is_awake_and_each_statement_have_the_places_they_have_among_others(text):
    plain = cst.parse_module(text)
    module = rested(plain)
    row = text.splitlines().index("    return bad") + 1
    with awake_at(module, [Span(Position(row, 4), Position(row, 14))]):
        placed = positions.all_spans(module)
    expected = positions.all_spans(plain)
    for resting, usual in zip(module.body, plain.body, strict=True):
        assert placed[resting] == expected[usual]
    inner, outer = module.body[1].body.body[0], plain.body[1].body.body[0]
    assert placed[inner] == expected[outer]
    assert module.body[2].body not in placed
    assert len(placed) < len(expected)


def test_places_of_what_was_visited_anew_are_not_those_of_what_rested_before():
    module = rested(cst.parse_module(TEXT))
    with awake_at(module, [Span(Position(6, 4), Position(6, 14))]):
        positions.all_spans(module)
    assert module.body[2].body in positions.all_spans(module)


def test_what_a_rewrite_made_anew_rests_the_next_time():
    text = "".join(f"class C{n}:\n    x = bad\n\n\n" for n in range(5))
    sheet = Sheet(text)
    for row in range(2, 20, 4):
        place = Span(Position(row, 0), Position(row, 1))
        sheet.carry_out(lambda module, _: module.visit(Rename()), place)
        assert all(rested(sheet.module).body[n] is each for n, each in enumerate(sheet.module.body))
    assert sheet.text == text.replace("bad", "good")


def test_what_is_rendered_with_another_indentation_is_rendered_again():
    module = rested(cst.parse_module("def f():\n    pass\n"))
    assert module.code == "def f():\n    pass\n"
    function = module.body[0]
    inside = cst.If(cst.Name("x"), cst.IndentedBlock([function]))
    assert cst.Module([inside]).code == "if x:\n    def f():\n        pass\n"
