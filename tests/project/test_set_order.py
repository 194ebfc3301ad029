"""Which code goes by the order of a set."""

import ast

import pytest

from dlfix.project.set_order import uses_of_order


@pytest.mark.parametrize(
    "source",
    [
        "list(set(text))",
        "tuple({'a', 'b'})",
        "[x for x in set(text)]",
        "{x: i for i, x in enumerate(set(text))}",
        "for x in {y.name for y in rows}: print(x)",
        "names = set(text)\n[*names]",
        "a, b = {'x', 'y'}",
        "''.join(set(a) | set(b))",
        "list(a.keys() & b.keys())",
        "list(set(a).union(b))",
        "set(text).pop()",
        "def unique(x):\n    return set(x)\nlist(unique(text))",
        "sorted(enumerate(set(text)))[0] + list(set(text))[0]",
        "sorted([x for x in enumerate(set(text))])",
    ],
)
def test_code_goes_through_a_set(source):
    assert uses_of_order(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "sorted(set(text))",
        "sorted(list(set(text)))",
        "len(set(text))",
        "sum(len(x) for x in set(text))",
        "{x.lower() for x in set(text)}",
        "'a' in {'a', 'b'}",
        "list({1, 2, 3})",
        "list(set(range(4)))",
        "names = set(text)\nnames.add('x')",
        "[x for x in rows if x in set(text)]",
        "list(rows)",
    ],
)
def test_code_does_not_depend_on_the_order(source):
    assert not uses_of_order(ast.parse(source))
