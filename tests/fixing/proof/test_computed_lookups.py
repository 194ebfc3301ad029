"""A cached handle is not opened by code that looks attributes up by names that it computes."""

from __future__ import annotations

import pytest

from tests.fixing.proof.test_observers import opened

PROGRAMS = {
    "hasattr": ("print([hasattr(rows, name) for name in names])", True),
    "getattr": ("print([getattr(rows, name, None) for name in names])", True),
    "a constant": ("print(hasattr(rows, 'scale'))", False),
    "another object": ("print([hasattr(options, name) for name in names])", False),
    "one of other names": ("print([getattr(rows, name) for name in ('scale', 'size')])", False),
    "one of some names": ("print([getattr(rows, name) for name in ('scale', 'file')])", True),
    "a list of other names": (
        "def f():\n    wanted = ['scale']\n    for name in wanted:\n        print(getattr(rows, name))",
        False,
    ),
    "a list that is filled": (
        "def f():\n    wanted = ['scale']\n    wanted.append(names[0])\n"
        "    for name in wanted:\n        print(getattr(rows, name))",
        True,
    ),
    "a name that is set to another": (
        "for name in ['scale']:\n    name = names[0]\n    print(getattr(rows, name))",
        True,
    ),
    "a part of each": ("print([getattr(rows, name) for name, _ in [('file', 1)]])", True),
    "among others": ("for each in [rows, options]:\n    print(hasattr(each, names[0]))", True),
    "in a dataset of datasets": (
        "both = ConcatDataset([rows])\nfor each in both.datasets:\n    print(hasattr(each, names[0]))",
        True,
    ),
}


@pytest.mark.parametrize(("line", "refused"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_looked_up_by_a_computed_name(line, refused):
    reasons = opened(program=f"rows = Rows('a')\n{line}\n")
    assert refused == any("looked up by a computed name" in each for each in reasons)


WRAPPER = """
class Wrapper:
    def __init__(self, rows):
        self.rows = rows

    def {asked}(self, name):
        {name}
        return getattr(self.rows, {by})

rows = Rows("a")
{line}
"""
PASSED_ON = {
    "spelled out": ({"line": "wrapped = Wrapper(rows)\nprint(wrapped.scale)"}, False),
    "all of it": (
        {"line": "wrapped = Wrapper(rows)\nprint([getattr(wrapped, n) for n in names])"},
        True,
    ),
    "of another": (
        {"line": "wrapped = Wrapper(rows)\nprint([getattr(options, n) for n in names])"},
        False,
    ),
    "under another name": ({"name": "name = TABLE[name]"}, True),
    "under more than the name": ({"by": "'_' + name"}, True),
    "by another method": ({"asked": "get"}, True),
    "by an heir": (
        {
            "line": "class Heir(Wrapper):\n    def __init__(self, rows):\n        Wrapper.__init__(self, rows)\n\nheir = Heir(rows)\nprint([hasattr(heir, n) for n in names])"
        },
        True,
    ),
}


@pytest.mark.parametrize(("parts", "refused"), PASSED_ON.values(), ids=PASSED_ON)
def test_an_object_that_passes_on_what_it_is_asked_for(parts, refused):
    named = {
        "asked": "__getattr__",
        "name": "pass",
        "by": "name",
        "line": "wrapped = Wrapper(rows)",
    }
    reasons = opened(program=WRAPPER.format(**named | parts))
    assert refused == any("looked up by a computed name" in each for each in reasons)
