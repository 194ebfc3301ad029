"""What comes first is asked by place, not by row: `a = 1; f()` has an order too."""

import ast
from pathlib import Path

import pytest

import dlfix
import dlfix_codemods
from dlfix.project import order

# These deal with text: how lines are divided, moved, shown or joined.
OF_TEXT = {
    "facts/build.py",
    "fixing/proof/put_back.py",
    "project/import_time.py",
    "project/order.py",
    "project/unseen.py",
    "source/notebook.py",
}
PACKAGES = [Path(package.__path__[0]) for package in (dlfix, dlfix_codemods)]
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ORDERING = {"sorted", "sort", "min", "max", "range"}


@pytest.fixture
def nodes():
    body = ast.parse("a = 1; b = (\n    2\n); c = 3\nd = 4\n").body
    return {node.targets[0].id: node for node in body}


def test_statements_on_one_line_have_an_order(nodes):
    assert order.comes_before(nodes["a"], nodes["b"])
    assert order.comes_before(nodes["b"], nodes["c"])
    assert not order.comes_before(nodes["c"], nodes["b"])
    assert not order.comes_before(nodes["a"], nodes["a"])


def test_a_part_lies_in_the_whole_and_neither_comes_before_the_other(nodes):
    whole, part = nodes["b"], nodes["b"].value
    assert order.lies_in(part, whole)
    assert not order.lies_in(whole, part)
    assert not order.lies_in(nodes["c"], whole)
    assert order.begins_before(whole, part)
    assert not order.comes_before(whole, part)


def test_nodes_are_sorted_by_place(nodes):
    assert order.in_order([nodes[name] for name in "dcab"]) == [nodes[name] for name in "abcd"]


def by_row(tree):
    """Yield the lines of code that decide something by comparing rows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            ordered = any(isinstance(op, (*_ORDERED, ast.In, ast.NotIn)) for op in node.ops)
            asks = ordered and any(map(is_row, (node.left, *node.comparators)))
        elif isinstance(node, ast.Call) and name_of(node.func) in _ORDERING:
            asks = any(is_row(part) for part in ast.walk(node))
        else:
            asks = False
        if asks:
            yield node.lineno


def name_of(func):
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def is_row(node):
    match node:
        case ast.Attribute(attr="lineno" | "end_lineno"):
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]):
            return name in ("lineno", "end_lineno")
    return False


@pytest.mark.parametrize(
    "text",
    [
        "before = one.lineno < other.lineno",
        "before = getattr(one, 'end_lineno', 0) <= row",
        "nodes.sort(key=lambda node: node.lineno)",
        "last = max(nodes, key=lambda node: (node.lineno, node.col_offset))",
        "inside = node.lineno in range(first.lineno, last.lineno)",
    ],
)
def test_a_comparison_of_rows_is_seen(text):
    assert set(by_row(ast.parse(text))) == {1}


@pytest.mark.parametrize("text", ["f'line {node.lineno}'", "row = lines[node.lineno - 1]"])
def test_a_row_may_be_shown(text):
    assert not list(by_row(ast.parse(text)))


def test_no_comparison_of_rows_decides_anything():
    found = [
        f"{path.relative_to(package)}:{row}"
        for package in PACKAGES
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).as_posix() not in OF_TEXT and "runtime" not in path.parts
        for row in by_row(ast.parse(path.read_bytes()))
    ]
    assert found == []
