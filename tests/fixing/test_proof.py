from pathlib import Path

import pytest

from dlfix.fixing import proof
from dlfix.rules.base import Finding, Place
from dlfix.source.text import Position, Span
from tests.fixing.fakes import BadName

PATH = Path("/a.py")


def rows(first, last=None):
    return [Span(Position(first, 0), Position(last or first, 99))]


def broken(before, after, spans):
    return proof.broken(PATH, before, after, spans)


HOLDS = {
    "the touched statement changes": ("a = 1\nb = 2\n", "a = 3\nb = 2\n", rows(1)),
    "a new statement stands above": ("a = 1\nb = 2\n", "new = 0\na = new\nb = 2\n", rows(1)),
    "an import is added": ("import b\nx = 1\n", "import a\nimport b\nx = 2\n", rows(2)),
    "a name joins an import": (
        "from a import b\nx = 1\n",
        "from a import b, c\nx = c\n",
        rows(2),
    ),
    "a whole class is touched through its method": (
        "class C:\n    def f(self):\n        return 1\n",
        "class C:\n    def f(self):\n        return 2\n",
        rows(3),
    ),
    "a decorator's line belongs to the function": (
        "@old\ndef f(): ...\n",
        "@new\ndef f(): ...\n",
        rows(1),
    ),
    "a comment moves with its code": (
        "def f():\n    return g(lambda: 1)  # why\n",
        "def _h():\n    return 1  # why\n\n\ndef f():\n    return g(_h)\n",
        rows(2),
    ),
    "a comment to a linter goes with its line": (
        "f = lambda: 1  # noqa: E731\n",
        "def f():\n    return 1\n",
        rows(1),
    ),
    "blank lines between statements may change": ("a = 1\n\n\nb = 2\n", "a = 1\nb = 3\n", rows(4)),
    "a touched statement goes": ("a = 1\nb = 2\n", "b = 2\n", rows(1)),
}


@pytest.mark.parametrize("case", HOLDS.values(), ids=HOLDS)
def test_it_holds_where(case):
    assert broken(*case) is None


FAILS = {
    "does not compile": ("a = 1\n", "a = (\n", rows(1)),
    "does not compile: 'return'": ("a = 1\n", "return 1\n", rows(1)),
    "a statement outside the fix would change (line 2)": (
        "a = 1\nb = 2\n",
        "a = 3\nb = 4\n",
        rows(1),
    ),
    "statement outside the fix would change (line 2)": (
        "a = 1\nb = 'x'\n",
        'a = 3\nb = "x"\n',
        rows(1),
    ),
    "outside the fix would change (line 2)": (
        "a = 1\nb = 2\nc = 3\n",
        "b = 2\na = 1\nc = 4\n",
        rows(3),
    ),
    "the import of `a` would be removed (line 1)": (
        "import a\nx = 1\n",
        "import b\nx = 2\n",
        rows(2),
    ),
    "the import of `c` would be removed (line 1)": (
        "from a import b as c\nx = 1\n",
        "from a import b\nx = 2\n",
        rows(2),
    ),
    "the comment would be lost (line 2)": (
        "f(\n    # why\n    lambda: 1,\n)\n",
        "f(_g)\n",
        rows(1, 4),
    ),
}


@pytest.mark.parametrize(("reason", "case"), FAILS.items(), ids=FAILS)
def test_it_is_told_that_it(reason, case):
    assert reason in broken(*case)


def finding(row, rule=BadName, path=PATH):
    span = Span(Position(row, 0), Position(row, 1))
    return Finding(rule, "`x`", Place(path, span), ())


class Other(BadName):
    code = "DLF902"


def test_a_finding_that_went_is_proof():
    one, other = finding(1), finding(2)
    assert proof.unproved([one, other], [one], [finding(7)]) is None


def test_one_that_went_with_another_is_no_harm():
    one, other = finding(1), finding(2)
    assert proof.unproved([one, other], [one], []) is None


def test_a_finding_that_stays_is_told():
    assert "would remain" in proof.unproved([finding(1)], [finding(1)], [finding(3)])


def test_a_finding_of_another_kind_is_told():
    reason = proof.unproved([finding(1)], [finding(1)], [finding(3, Other)])
    assert reason == "DLF902 would be reported instead (`x`)"


def test_a_finding_in_another_file_is_told():
    came = finding(3, path=Path("/b.py"))
    assert "instead in b.py (`x`)" in proof.unproved([finding(1)], [finding(1)], [came])
