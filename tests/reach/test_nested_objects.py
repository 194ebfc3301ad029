"""Objects whose constructor makes others of their class, from lists in lists: what lies deepest is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

STEPS = """\
from torch.utils.data import DataLoader, Dataset
class Compose:
    def __init__(self, steps):
        self.steps = []
        for step in steps:
            if isinstance(step, (list, tuple)):
                step = Compose(step)
            self.steps.append(step)
class OneOf:
    def __init__(self, *branches):
        self.branches = [Compose(b) if isinstance(b, list) else b for b in branches]
class Scale:
    def __init__(self, by): self.by = by
class Rows(Dataset):
    def __init__(self, change): self.change = change
    def __getitem__(self, index): return self.change(index)
def main():
    change = {}
    DataLoader(Rows(change), num_workers=2)
"""


def nested(title, made, found="  # !DLF101"):
    return program(title, STEPS.format(made + found))


PROGRAMS = [
    nested("a list", "Compose([Scale(1), lambda x: x])"),
    nested("a list in a list", "Compose([Scale(1), [lambda x: x]])"),
    nested("three deep", "Compose([Scale(1), (Scale(2), [lambda x: x])])"),
    nested("by another class", "Compose([[OneOf([Scale(2), [lambda x: x]], Scale(3)), [len]]])"),
    nested("nothing", "Compose([Scale(1), [OneOf([Scale(2), [len]], Scale(3))]])", ""),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
