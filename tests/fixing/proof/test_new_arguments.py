"""Classes that moved out of a function, and the calls that make their objects."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.new_arguments import missing
from dlfix.project.module import Module
from dlfix.source.text import SourceText

MOVED = "class Part:\n    def __init__(self, cut, *, size):\n        self.cut, self.size = cut, size\n\n"


@pytest.mark.parametrize(
    ("code", "lacking"),
    [
        ("def make(cut):\n    return Part(cut)\n", ["size"]),
        ("def make(cut):\n    return Part(cut, size=2)\n", []),
        ("class More(Part):\n    pass\n\nmore = More(1)\n", ["size"]),
        (
            "def make(cut):\n    class Part:\n        def __init__(self, cut):\n            self.cut = cut\n"
            "    return Part(cut)\n",
            [],
        ),
        ("def make(Part):\n    return Part(1)\n", []),
    ],
)
def test_calls_of_another_class_of_that_name_lack_nothing(code, lacking):
    text = MOVED + code
    module = Module(SourceText(Path("/m.py"), text.encode(), text, "utf-8"), "m")
    moved = module.tree.body[0]
    assert isinstance(moved, ast.ClassDef)
    assert [name for _, name in missing(module, moved)] == lacking
