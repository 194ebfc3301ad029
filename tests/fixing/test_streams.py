"""Generators that a dataset keeps: each process makes its own only where the parent takes nothing from them."""

import textwrap

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader, IterableDataset

def numbers(n):
    for x in range(n):
        yield x

class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n
        self.items = {made}

    def __iter__(self):
        yield from self.items

    {more}

def evaluate(data):
    return [x for x in data]

def main(workers):
    {main}
"""
LOADED = "for batch in DataLoader(stream, num_workers=workers):\n    print(batch)"
CASES = {
    "at once": ("", "print(list(DataLoader(Stream(4), num_workers=workers)))", True),
    "by a name": ("", f"stream = Stream(4)\n{LOADED}", True),
    "a loader asked for its length": (
        "",
        "loader = DataLoader(Stream(4), num_workers=workers)\nprint(len(loader.dataset))",
        True,
    ),
    "an item": ("", f"stream = Stream(4)\nprint(next(iter(stream)))\n{LOADED}", False),
    "a loop": ("", f"stream = Stream(4)\nfor x in stream:\n    break\n{LOADED}", False),
    "a function": ("", f"stream = Stream(4)\nprint(evaluate(stream))\n{LOADED}", False),
    "another loader": ("", f"stream = Stream(4)\nprint(list(DataLoader(stream)))\n{LOADED}", False),
    "loaders in a loop": (
        "",
        f"stream = Stream(4)\nfor workers in (0, 2):\n{textwrap.indent(LOADED, '    ')}",
        False,
    ),
    "by the loader": (
        "",
        "loader = DataLoader(Stream(4), num_workers=workers)\nprint(next(iter(loader.dataset)))",
        False,
    ),
    "a method": ("def peek(self):\n        return next(self.items)", f"stream = Stream(4)\n{LOADED}", False),
    "kept by another": ("", "DataLoader([Stream(4)], num_workers=workers)", False),
}  # fmt: skip


def fixed(tmp_path, *, more="", main="", made="numbers(n)"):
    text = PROGRAM.format(made=made, more=more, main=main.replace("\n", "\n    "))
    (tmp_path / "main.py").write_text(text)
    findings = dlfix.check([tmp_path], isolated=True)
    return next(finding for finding in findings if finding.code == "DLF206").fix


@pytest.mark.parametrize(("more", "main", "is_fixed"), CASES.values(), ids=CASES)
def test_a_worker_makes_its_own_where_nothing_is_taken_in_the_parent(
    tmp_path, more, main, is_fixed
):
    assert (fixed(tmp_path, more=more, main=main) is not None) == is_fixed


@pytest.mark.parametrize(
    ("made", "is_fixed"),
    [
        ("(x for x in numbers(n))", True),
        ("[numbers(n)]", False),
        ("numbers(next(numbers(n)))", True),
    ],
)
def test_it_is_made_by_what_the_constructor_made_it_by(tmp_path, made, is_fixed):
    fix = fixed(tmp_path, main=f"stream = Stream(4)\n{LOADED}", made=made)
    assert (fix is not None) == is_fixed
