"""A class that a function of another module makes says where it is bound."""

import pytest

from tests.fixing.proof.pairs import worse

MADE = 'Point = make("Point", ["x", "y"])\n'
NAMED = "Point.__module__ = __name__\n"


def test_it_is_bound_by_its_name():
    assert worse(MADE, MADE + NAMED) == []


@pytest.mark.parametrize(
    "text",
    [
        'Point = make("Other", ["x", "y"])\n',
        MADE + 'Point = make("Point", ["x"])\n',
        MADE + "print(Point)\n",
        MADE + "def again():\n    global Point\n    Point = None\n",
        "for each in (1, 2):\n    " + MADE,
    ],
)
def test_it_is_not_found_there(text):
    assert any("not bound once" in reason for reason in worse(text, text + NAMED))


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("print(type(row).__module__)\n", True),
        ("print(getattr(row, '__module__'))\n", True),
        ("print(type(row).__module__ == 'numpy')\n", False),
    ],
)
def test_code_may_ask_for_the_module(text, is_asked):
    reasons = worse(MADE, MADE + NAMED, other=f"def show(row):\n    {text}")
    assert is_asked == any("`__module__` is read" in reason for reason in reasons)
