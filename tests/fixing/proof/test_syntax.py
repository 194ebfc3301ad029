from __future__ import annotations

import ast

import pytest

from dlfix.fixing.proof.syntax import seeing


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("self.a = 1", {"a"}),
        ("def inner():\n    self.a = 1", {"a"}),
        ("def inner(self):\n    self.a = 1", set()),
        ("class Inner:\n    def __init__(self):\n        self.a = 1\nself.b = 2", {"b"}),
        ("def inner(self=self.a):\n    self.b = 1", {"a"}),
        ("f = lambda self: self.a", set()),
        ("f = lambda: self.a", {"a"}),
    ],
)
def test_a_function_with_a_parameter_of_a_name_means_another(text: str, names: set[str]):
    nodes = seeing(ast.parse(text).body, "self")
    assert {node.attr for node in nodes if isinstance(node, ast.Attribute)} == names
