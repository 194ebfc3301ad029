"""What generators yield of what a call passes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "what a method that is a generator yields of what one call passes it",
        """
        from copy import copy
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, key): self.key = key
            def __getitem__(self, i): return i
        class Folds:
            def __init__(self, count): self.count = count
            def split(self, rows, **more):
                for _ in range(self.count):
                    train = copy(rows)
                    train.more = more
                    yield train, copy(rows)
        def inspect(folds):
            for train, test in folds.split(Rows(lambda x: x)): print(len(train), len(test))
        if __name__ == "__main__":
            folds = Folds(5)
            inspect(folds)
            for number, (train, test) in enumerate(folds.split(Rows(lambda x: x))): # !DLF101
                DataLoader(train, num_workers=2)
            for train, test in folds.split(Rows(str), collate=lambda b: b): # !DLF101
                DataLoader(test, num_workers=2)
                DataLoader(train, num_workers=2)
        """,
    ),
    program(
        "what a partial of a generator binds",
        """
        import functools
        from torch.utils.data import DataLoader
        def pairs(first, second):
            yield first
            yield second
        if __name__ == "__main__":
            made = functools.partial(pairs, lambda b: b) # !DLF101
            for collate in made(list): DataLoader([1], collate_fn=collate, num_workers=2)
            for collate in pairs(list, tuple): DataLoader([1], collate_fn=collate, num_workers=2)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)


def test_generators_that_go_round_by_each_other_come_to_an_end(tmp_path: Path) -> None:
    text = """\
import multiprocessing
def work(item): return item
def parts(tree):
    if len(tree) > 1: return within(tree)
def within(tree):
    yield lambda: tree  # !DLF101
    for each in tree:
        yield from parts(each)
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        pool.map(work, parts([[1], [2]]))
"""
    check(tmp_path, text)
