"""Walking trees, and keeping what is said of nodes."""

import ast
from pathlib import Path

from dlfix.project import trees

TREE = ast.parse(Path(trees.__file__).read_text(encoding="utf-8"))


def test_children_are_those_of_ast_in_the_same_order():
    for node in ast.walk(TREE):
        assert trees.children(node) == list(ast.iter_child_nodes(node))


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
