from __future__ import annotations

import libcst as cst
import pytest

from dlfix_codemods.tools import conditions


def code(node: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(node)


@pytest.mark.parametrize(
    ("test", "other"),
    [
        ("kind == 'a'", "kind != 'a'"),
        ("kind not in kinds", "kind in kinds"),
        ("path is None", "path is not None"),
        ("not cached", "cached"),
        ("cached", "not cached"),
        ("path.exists()", "not path.exists()"),
        ("a and b", "not (a and b)"),
        ("(a or b)", "not (a or b)"),
        ("size < 1", "not size < 1"),  # of a NaN neither holds
        ("1 < size == 2", "not 1 < size == 2"),
    ],
)
def test_a_test_the_other_way_round(test, other):
    assert code(conditions.negated(cst.parse_expression(test))) == other


@pytest.mark.parametrize(
    ("one", "other", "whole"),
    [
        ("kind != 'a'", "kind != 'b'", "kind not in ('a', 'b')"),
        ("kind != 'a'", "kind not in ('b', 'c')", "kind not in ('a', 'b', 'c')"),
        ("kind != 'a'", "size != 1", "kind != 'a' and size != 1"),
        ("kind != first", "kind != second", "kind != first and kind != second"),
        ("a", "b or c", "a and (b or c)"),
    ],
)
def test_two_tests_in_one(one, other, whole):
    both = conditions.both(cst.parse_expression(one), cst.parse_expression(other))
    assert code(both) == whole
