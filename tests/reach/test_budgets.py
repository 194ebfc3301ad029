"""What is large, deep or goes in circles ends, and what was cut short is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.reach import interpreter, object_graph
from dlfix.reach.process_roles import RoleReader
from dlfix.reach.values import Class
from dlfix.report.text import summary
from dlfix.report.view import View
from dlfix.session import Session
from tests.reach.paths import analysis_of, paths

LOADER = "from torch.utils.data import DataLoader\n"
LOAD = "\nDataLoader([], collate_fn=f, num_workers=2)\n"


def chain(n: int) -> str:
    """Return functions each of which calls the next twice: 2**n ways lead to the end."""
    steps = [f"def f{i}(x): return [f{i + 1}(x), f{i + 1}((x, {i}))]" for i in range(n)]
    return "\n".join([*steps, f"def f{n}(x): return x", "f = f0(1)"])


PROGRAMS = {
    "nested calls": "def g(x): return x\nf = " + "g(" * 80 + "lambda b: b" + ")" * 80,
    "a long sum": "f = " + " + ".join("1" for _ in range(900)),
    "a long elif chain": "import sys\nf = 1\nif sys: pass\n"
    + "".join(f"elif sys == {i}: f = {i}\n" for i in range(300)),
    "functions that call each other": "def a(n): return b(n)\ndef b(n): return a(n)\nf = a(1)",
    "a function that calls itself twice": "def a(n): return [a(n - 1), a((n, n))]\nf = a(1)",
    "calls that fan out": chain(24),
    "a class that is its own base": "class A(A): pass\nclass B(C): pass\nclass C(B): pass\nf = B()",
    "an object made of itself": "class A:\n    def __init__(self): self.a = A()\nf = A()",
    "a list put into itself": "x = []\nx.append(x)\nx.append(lambda b: b)\nf = x",
    "names bound by each other": "while 1:\n    a = b\n    b = a\nf = a",
    "a decorator that decorates itself": "@f\ndef f(g): return f(g)",
    "a parameter passed on in a circle": "def a(f): b(f)\ndef b(f):\n    a(f)\n    DataLoader(f)",
    "a generic of itself": "from typing import List\nclass A(List['A']): pass\nf = A()",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_it_ends_within_the_allowance(program: str, tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    paths(analysis)
    spent = analysis.interpreter.spent
    assert spent <= 2 * interpreter.ALLOWANCE
    assert len(analysis.boundaries) >= 1


def test_nested_calls_are_followed_to_a_depth(tmp_path: Path) -> None:
    program = "def g(x): return x\nf = " + "g(" * 4 + "lambda b: b" + ")" * 4
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    assert paths(analysis) == {"collate_fn lambda"}


def test_modules_that_import_each_other_by_star_end(tmp_path: Path) -> None:
    program = f"""
# file: main.py
{LOADER}
from one import *
{LOAD}
# file: one.py
from two import *
# file: two.py
from one import *
from three import *
# file: three.py
f = lambda b: b
"""
    assert paths(analysis_of(tmp_path, program)) == {"collate_fn lambda"}


def test_a_literal_of_ten_thousand_is_cut_and_told(tmp_path: Path) -> None:
    items = ", ".join("len" for _ in range(10_000))
    analysis = analysis_of(tmp_path, f"{LOADER}f = [{items}]\n{LOAD}", prelude="")
    assert len(analysis.crossings) <= object_graph._MOST
    assert analysis.exhausted


def test_a_literal_of_ten_thousand_numbers_is_not_cut(tmp_path: Path) -> None:
    items = ", ".join(f"{i}: {i}" for i in range(10_000))
    program = (
        f"{LOADER}f = {{{items}}}\ndef g(b): return b\nDataLoader(f, collate_fn=g, num_workers=2)"
    )
    analysis = analysis_of(tmp_path, program, prelude="")
    assert paths(analysis) == {"collate_fn def g"}
    assert not analysis.exhausted


def test_one_boundary_does_not_starve_the_next(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(interpreter, "ALLOWANCE", 200)
    program = f"{LOADER}{chain(24)}\n{LOAD}\nDataLoader([], collate_fn=lambda b: b, num_workers=2)"
    analysis = analysis_of(tmp_path, program, prelude="")
    assert "collate_fn lambda" in paths(analysis)
    assert analysis.exhausted
    (cut,) = analysis.cut_at
    assert cut == analysis.boundaries[0].frame.module.place(analysis.boundaries[0].node)


def test_what_starves_is_asked_once_and_again_when_there_is_more(tmp_path, monkeypatch) -> None:
    asked: list[Class] = []
    outside = RoleReader._calls_outside
    monkeypatch.setattr(
        RoleReader,
        "_calls_outside",
        lambda self, cls, name, modules: asked.append(cls) or outside(self, cls, name, modules),
    )
    program = """
class Row:
    def fill(self): self.x = lambda b: b
def use(): Row().fill()
f = Row()
"""
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    reader = analysis.interpreter
    [row] = reader.values(analysis.boundaries[0].arguments["collate_fn"])
    sides = RoleReader(reader)
    asked.clear()
    with reader.allowance():
        reader.spent += interpreter.ALLOWANCE
        for _ in range(10):
            assert sides.run_by_parent(row.cls, {"fill"}) == {"fill"}
    assert asked.count(row.cls) == 1
    for _ in range(10):
        assert sides.run_by_parent(row.cls, {"fill"}) == {"fill"}
    assert asked.count(row.cls) == 2


def test_a_small_program_is_read_whole(tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, "DataLoader([], collate_fn=lambda b: b, num_workers=2)")
    assert paths(analysis) == {"collate_fn lambda"}
    assert not analysis.exhausted


def test_files_with_no_word_of_it_are_not_parsed(tmp_path: Path) -> None:
    program = (
        f"# file: main.py\n{LOADER}f = len\n{LOAD}\n# file: other.py\nclass DataLoaders: pass\n"
    )
    analysis = analysis_of(tmp_path, program)
    paths(analysis)
    assert analysis.project.parsed == 1


def test_the_fiftieth_of_many_lambdas_is_found(tmp_path: Path) -> None:
    branches = "".join(f"    if x == {i}: return lambda b: {i}\n" for i in range(50))
    program = f"def make(x):\n{branches}f = make(input())"
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    lambdas = [c for c in analysis.crossings if c.edge.name == "collate_fn"]
    assert len([c for c in lambdas if "lambda" in c.path[-1].label]) == 50
    assert not analysis.exhausted


def test_a_class_deep_below_the_one_that_keeps_is_followed(tmp_path: Path) -> None:
    bases = "class A0:\n    def __init__(self): self.f = lambda b: b\n"
    for i in range(1, 12):
        bases += f"class A{i}(A{i - 1}):\n    def __init__(self): super().__init__()\n"
    analysis = analysis_of(tmp_path, LOADER + bases + "f = A11()" + LOAD, prelude="")
    assert paths(analysis) == {"collate_fn.f lambda"}
    assert not analysis.exhausted


def test_more_values_than_are_followed_are_told(tmp_path: Path) -> None:
    branches = "".join(f"    if x == {i}: return lambda b: {i}\n" for i in range(150))
    program = f"def make(x):\n{branches}f = make(input())"
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    assert analysis.crossings
    assert analysis.exhausted


def test_more_callers_than_are_followed_are_told(tmp_path: Path) -> None:
    calls = "".join(f"make(lambda b: {i})\n" for i in range(150))
    program = f"def make(f): DataLoader([], collate_fn=f, num_workers=2)\n{calls}f = 1"
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    assert analysis.crossings
    assert analysis.exhausted


LOADERS = """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self): self.rows = [1]
def main():
    DataLoader(Rows(), num_workers=2, collate_fn=print)
    DataLoader(Rows(), num_workers=0)
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n", "No problems found (1 file, 0 loaders followed)."),
        (LOADERS, "No problems found (1 file, 1 loader followed)."),
        (
            LOADERS + "    DataLoader(wanted(), num_workers=2)\ndef wanted(x=None): return x.y\n",
            "No problems found (1 file, 2 loaders followed, 1 object unknown).",
        ),
        (
            LOADERS + "class More(Rows): pass\nclass Other(Dataset): pass\n",
            "No problems found (1 file, 1 loader and 2 other boundaries followed).",
        ),
    ],
)
def test_a_summary_says_how_much_was_followed(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    session = Session.open([path], Settings())
    assert summary(View(session, session.diagnoses()), 1).plain == words


def test_a_long_line_of_constructors_is_followed(tmp_path: Path) -> None:
    classes = "".join(
        f"class C{i}:\n    def __init__(self, f): self.inner = C{i - 1}(f)\n" for i in range(1, 31)
    )
    program = f"class C0:\n    def __init__(self, f): self.f = f\n{classes}f = C30(lambda b: b)"
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    assert paths(analysis) == {"collate_fn" + ".inner" * 30 + ".f lambda"}
    assert not analysis.exhausted


def test_methods_that_call_each_other_are_run_a_bounded_number_of_times(tmp_path: Path) -> None:
    steps = (
        f"    def m{i}(self, a):\n        self.at = a\n"
        + "".join(
            f"        if self.at > {j}: self.m{(i + j) % 24}(self.at + {j})\n" for j in (1, 2, 3)
        )
        for i in range(24)
    )
    program = (
        "class Parser:\n    def __init__(self):\n        self.m0(1)\n"
        + "".join(steps)
        + "f = Parser()"
    )
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    paths(analysis)
    assert analysis.interpreter.cut_short


KINDS = "".join(
    f"class D{i}(Base):\n    def load(self): self.features = [lambda b: {i}]\n" for i in range(12)
)
BASE = (
    "class Base(Dataset):\n    def __init__(self, a):\n"
    + "".join(f"        self.a{i} = a\n" for i in range(100))
    + "        self.load()\n"
)
SENT = "".join(f"DataLoader(D{i}(1), num_workers=2)\n" for i in range(12))


def test_a_long_constructor_is_followed_for_each_class_that_inherits_it(tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, BASE + KINDS + SENT)
    assert sum("lambda" in each.path[-1].label for each in analysis.crossings) == 12
    assert not analysis.exhausted


def test_what_constructors_set_is_followed_beyond_the_calls_that_are_told_apart(
    tmp_path: Path,
) -> None:
    sent = "".join(f"DataLoader(D0({i}), num_workers=2)\n" for i in range(40))
    analysis = analysis_of(tmp_path, BASE + KINDS.partition("class D1(")[0] + sent)
    assert sum("lambda" in each.path[-1].label for each in analysis.crossings) == 40
    assert analysis.exhausted


def test_more_calls_than_are_told_apart_are_told(tmp_path: Path) -> None:
    lines = "".join(f"    x = x + {i}\n" for i in range(20))
    calls = ", ".join("same(1)" for _ in range(100))
    program = f"def same(x):\n{lines}    return x\nf = [{calls}]"
    analysis = analysis_of(tmp_path, LOADER + program + LOAD, prelude="")
    paths(analysis)
    assert analysis.exhausted
