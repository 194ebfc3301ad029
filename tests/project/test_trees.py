"""Walking trees, and keeping what is said of nodes."""

import ast
import typing
from pathlib import Path

from dlfix.project import trees

FILES = (trees.__file__, ast.__file__, typing.__file__)
TREES = [ast.parse(Path(file).read_text(encoding="utf-8")) for file in FILES]
TREE = TREES[0]
SHARED = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
ODD = """
match x:
    case {"a": [1, *rest], **more} | C(d=None) as both: pass
lambda *a, b, c=1, **d: {**d, "k": f"{b!r:>{c}}"}
def f(a, /, *, b): global g; del a[0]; return not a and -b < 1
"""


def test_children_are_those_of_ast_in_the_same_order_but_for_what_trees_share():
    for tree in (*TREES, ast.parse(ODD)):
        for node in ast.walk(tree):
            own = [each for each in ast.iter_child_nodes(node) if not isinstance(each, SHARED)]
            assert trees.children(node) == own


def test_an_answer_is_worked_out_once_for_each_node_and_question():
    asked = []

    @trees.kept
    def about(node, name):
        asked.append((node, name))
        return name

    one, other = TREE.body[:2]
    answers = [about(one, "a"), about(one, "a"), about(one, "b"), about(other, "a")]
    assert answers == ["a", "a", "b", "a"]
    assert asked == [(one, "a"), (one, "b"), (other, "a")]
