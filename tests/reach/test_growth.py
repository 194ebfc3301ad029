"""How the work grows with a program, in calls of functions: what a clock says depends on the machine."""

import cProfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from dlfix.config import Settings
from dlfix.fixing.proof.removing_calls import Removals
from dlfix.session import Session

T = TypeVar("T")

HEAD = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.transform(index)


"""


def each(text: str, count: int, gap: str = "\n\n") -> str:
    return gap.join(text.replace("@", str(number)) for number in range(count)) + gap


def run(rows: str) -> str:
    return (
        f"def main():\n    for batch in DataLoader({rows}, num_workers=2):\n        print(batch)\n"
    )


FINDING = (
    "def main_@(k):\n    for batch in DataLoader(Rows(None), num_workers=2,"
    " collate_fn=lambda batch: (batch, k)):\n        print(batch)\n"
)
SUBCLASS = "class C@(Base):\n    def get(self):\n        return self.db\n"
HANDLE = (
    "class H@(Rows):\n    def __init__(self, path):\n        super().__init__(None)\n"
    "        self.db = sqlite3.connect(path)\n"
)
BASE = (
    "class Base(Rows):\n    def __init__(self, path):\n        super().__init__(None)\n"
    "        self.db = sqlite3.connect(path)\n\n\n"
)


def recursive(count: int) -> str:
    """Functions each of which calls the next one and another one, in a circle."""
    return "".join(
        f"def f{i}(x):\n    return f{(i + 1) % count}(x) + f{(i * 7 + 3) % count}(x)\n\n\n"
        for i in range(count)
    )


PROGRAMS = {
    "findings": lambda n: each(FINDING, n),
    "lambdas in one list": lambda n: run(f"Rows(Compose([{each('lambda x: x + @', n, ', ')}]))"),
    "subclasses": lambda n: BASE + each(SUBCLASS, n) + run("C0('x')"),
    "subclasses with handles": lambda n: (
        each(HANDLE, n) + "def main(path):\n" + each("    print(DataLoader(H@(path), num_workers=2))", n, "\n")
    ),
    "functions that call each other": lambda n: recursive(4 * n // 3 + 6) + run("Rows(lambda x: f0(x))"),
    "statements": lambda n: each("x@ = len([@])", n, "\n") + run("Rows(lambda x: x0)"),
    "branches": lambda n: (
        "def pick(k):\n" + each("    if k == @:\n        return lambda x: x + @", n, "\n")
        + "    return None\n\n\n" + run("Rows(pick(input()))")
    ),
    "a chain of elif": lambda n: (
        "def pick(k):\n    if k == -1:\n        t = lambda x: x\n"
        + each("    elif k == @:\n        t = lambda x: x + @", n, "\n")
        + "    return t\n\n\n" + run("Rows(pick(input()))")
    ),
    "names set again and again": lambda n: (
        "def main(k):\n    t = None\n"
        + each("    if k == @:\n        t = Compose([t, lambda x: x + @])", n, "\n")
        + "    for batch in DataLoader(Rows(t), num_workers=2):\n        print(batch)\n"
    ),
    "one variable of the module set again": lambda n: (
        each("x = len([@])\nprint(x, x, x)", n, "\n") + BASE + run("Base('x')")
    ),
    "numbers in one list": lambda n: each("x@ = [1, 2, 3, 4, 5, 6, 7, 8]", n, "\n") + run("Rows(lambda x: x0)"),
}  # fmt: skip


def calls(folder: Path, text: str) -> int:
    """Count the function calls of a rewrite, those of C functions included."""
    session = opened(folder, text)
    counted, outcome = counting(lambda: session.rewrite(unsafe=True))
    assert outcome.changes
    return counted


def opened(folder: Path, text: str) -> Session:
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "main.py").write_text(HEAD + text)
    return Session.open([folder], Settings())


def counting(work: Callable[[], T]) -> tuple[int, T]:
    """Count with a profiler in C: a callback in Python takes longer than the calls it counts."""
    profiler = cProfile.Profile()
    result = profiler.runcall(work)
    return sum(entry.callcount for entry in profiler.getstats()), result


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_work_grows_as_the_program_does(program, tmp_path):
    calls(tmp_path / "first", program(1))  # imports, and what is read once
    few, some, many = (calls(tmp_path / str(n), program(n)) for n in (2, 8, 20))
    # Twice as much more for twice as many more; it would be four times if it grew with the square.
    assert many - some < 2.6 * (some - few)


@pytest.mark.parametrize("base", ["Base", "C@-"], ids=["beside each other", "in a line"])
def test_more_subclasses_than_are_compared_cost_no_more_each(base, tmp_path):
    """Each class of a family is compared with each: of a large one nothing is rewritten, and that is said."""

    def check(count):
        classes = "".join(
            f"class C{n}({base.replace('@-', str(n - 1)) if n else 'Base'}):\n    x{n} = {n}\n\n\n"
            for n in range(count)
        )
        session = opened(tmp_path / str(count), BASE + classes + run(f"C{count - 1}('x')"))
        counted, (found,) = counting(session.diagnoses)
        assert "48 or more subclasses" in found.outcome.reason
        return counted

    check(49)
    few, some, many = (check(count) for count in (50, 100, 200))
    assert many - some < 2.6 * (some - few)


@pytest.mark.parametrize("depth", [1, 3])
def test_the_work_grows_as_the_number_of_files_does(depth, tmp_path):
    def tree(count):
        for number in range(count):
            folder = tmp_path.joinpath(str(count), *[f"d{number % 4}"] * depth)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"m{number}.py").write_text(f"def f{number}(x):\n    return x\n")
        return calls(tmp_path / str(count), run("Rows(lambda x: x)"))

    tree(2)
    few, some, many = (tree(count) for count in (10, 40, 100))
    assert many - some < 2.2 * (some - few)


def test_the_work_grows_as_the_number_of_files_with_findings_does(tmp_path):
    reader = (
        "class Reader@(Dataset):\n    def __init__(self, path):\n        self.path = path\n"
        "        self.db = sqlite3.connect(path)  # opened early\n\n"
        "    def __getitem__(self, index):\n        return self.db.execute('select ?', (index,))\n\n\n"
    )

    def tree(count):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count - 1):
            text = (HEAD + reader).replace("@", str(number)) + run(f"Reader{number}('x')")
            (folder / f"m{number}.py").write_text(text)
        return calls(folder, run("Rows(lambda x: x)"))

    tree(1)
    few, some, many = (tree(count) for count in (2, 6, 14))
    assert many - some < 2.4 * (some - few)


def test_only_bodies_that_may_remove_files_are_followed_after_a_construction(tmp_path, monkeypatch):
    followed: list[str] = []
    in_body = Removals._in_body

    def noting(self, callee, *rest):
        followed.append(callee.function.name)
        return in_body(self, callee, *rest)

    monkeypatch.setattr(Removals, "_in_body", noting)
    steps = each("def step_@(x):\n    return step_0(len(x) + @)\n", 40)
    tidy = "def tidy(path):\n    os.remove(path)\n\n\ndef leads(path):\n    tidy(path)\n\n\n"
    reader = (
        "class Reader(Rows):\n    def __init__(self, path):\n        self.db = sqlite3.connect(path)\n\n"
        "    def __getitem__(self, index):\n        return self.db.execute('select 1')\n\n\n"
    )
    main = (
        "def main(other):\n    rows = Reader('x')\n    leads(other)\n"
        + each("    step_@(other)", 40, "\n")
        + "    return DataLoader(rows, num_workers=2)\n"
    )
    session = opened(tmp_path / "program", f"import os\n{steps}{tidy}{reader}{main}")
    assert session.rewrite(unsafe=True).changes
    assert {*followed} == {"leads", "tidy"}
