"""Functions of one name: what they are called where a decorator keeps them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.hoisting.rebinding import name_of_registered
from dlfix.project.project import Project

PROGRAM = """
{decorator}
def _(value): return value
{below}
@register("last")
def _(value): return value
"""
NAMED = {
    "by the text of its decorator": ('@register("Plus-One")', "", "_plus_one"),
    "by a text that begins with a digit": ('@register("2d")', "", "_2d"),
    "by no text": ("@register", "", ""),
    "by a number": ("@register(1)", "", ""),
    "where code reads the name": ('@register("one")', "print(_)", ""),
    "where a function reads the name": ('@register("one")', "def f(): return _(1)", ""),
    "where a function has such a name of its own": (
        '@register("one")',
        "def f(): return [_ for _ in range(2)]",
        "_one",
    ),
    "where the name stands for a value": ('@register("one")', "_ = 1", ""),
    "where it is set in a branch": ('@register("one")', "if register:\n    def _(value): ...", ""),
}


@pytest.mark.parametrize(("decorator", "below", "name"), NAMED.values(), ids=NAMED)
def test_the_name(decorator: str, below: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "steps.py"
    path.write_text(PROGRAM.format(decorator=decorator, below=below), encoding="utf-8")
    module = Project([path]).module(path)
    first, *_, last = module.tree.body
    assert isinstance(first, ast.FunctionDef)
    assert isinstance(last, ast.FunctionDef)
    assert name_of_registered(module, first) == name
    assert not name_of_registered(module, last)


def test_a_key_that_is_no_identifier_gives_no_name(tmp_path: Path) -> None:
    path = tmp_path / "steps.py"
    program = PROGRAM.format(decorator='@register("2d")', below="").replace("def _", "def step")
    path.write_text(program, encoding="utf-8")
    module = Project([path]).module(path)
    first = next(each for each in module.tree.body if isinstance(each, ast.FunctionDef))
    assert not name_of_registered(module, first)
