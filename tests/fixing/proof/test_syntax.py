from __future__ import annotations

import ast

import pytest

from dlfix.fixing.proof.syntax import ends_here, seeing


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


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("raise", True),
        ("log()\nraise Other() from error", True),
        ("sys.exit(1)", True),
        ("if known:\n    raise Other()\nelse:\n    raise", True),
        ("if known:\n    raise Other()\nelif more:\n    raise\nelse:\n    sys.exit(1)", True),
        ("if known:\n    raise Other()", False),
        ("if known:\n    raise Other()\nelse:\n    count()", False),
        ("if known:\n    return 0\nraise", False),
        ("if known:\n    continue\nraise", False),
        ("return 0", False),
    ],
)
def test_a_block_ends_with_an_error_if_each_branch_does(text: str, ends: bool):
    assert ends_here(ast.parse(text).body) is ends
