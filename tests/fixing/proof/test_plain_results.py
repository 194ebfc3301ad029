"""What a function gives is plain where no way out of it gives an object that it was given."""

import ast
import textwrap
from pathlib import Path

import pytest

from dlfix.fixing.proof.plain_results import PlainResults
from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project

MAIN = Path("/program/main.py")


def gives(body, call="f(rows)"):
    text = (
        "def f(rows):\n" + textwrap.indent(textwrap.dedent(body), "    ") + f"\n\nresult = {call}\n"
    )
    project = Project([MAIN], {MAIN: text})
    module = project.get(MAIN)
    made = next(n for n in module.nodes(ast.Call) if ast.unparse(n) == call)
    return PlainResults(Program(project)).gives(module, made)


@pytest.mark.parametrize(
    "body",
    [
        "print(rows)",
        "return len(rows)",
        "return sum(int(row) for row in rows)",
        "total = 0\nfor row in rows:\n    total += row.item()\nreturn total / len(rows), 'done'",
        "found = []\nfor row in rows:\n    found.append(float(row))\nreturn found",
        "return f(rows[1:])",
        "return {'n': len(rows), 'ok': rows is not None}",
    ],
)
def test_plain(body):
    assert gives(body)


@pytest.mark.parametrize(
    "body",
    [
        "return rows",
        "yield rows",
        "return list(rows)",
        "return sum(rows, [])",
        "found = []\nfor row in rows:\n    found.append(row)\nreturn found",
        "found = [0]\nfound[0] = rows\nreturn found",
        "for row in rows:\n    pass\nreturn row",
        "def g():\n    return rows\nreturn g",
        "n = 1\nif rows:\n    n = rows\nreturn n",
        "return unknown(rows)",
    ],
)
def test_not_plain(body):
    assert not gives(body)


def test_a_library_function_may_keep_what_it_is_given():
    assert not gives("return 1", "g(rows)")
