"""What code sets on an object for a while is not sent; what it leaves there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ROWS = """\
import contextlib
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self):
        self.change = None
    @contextlib.contextmanager
    def using(self, **settings):
        before = {name: getattr(self, name) for name in settings}
        for name, value in settings.items():
            setattr(self, name, value)
        try:
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)
    @contextlib.contextmanager
    def keeping(self, change):
        self.change = change
        try:
            yield self
        finally:
            print("done")
    @contextlib.contextmanager
    def trying(self, change):
        before = self.change
        try:
            self.change = change
            yield self
        finally:
            print(before)
    @contextlib.contextmanager
    def trying_for_a_while(self, change):
        before = self.change
        try:
            self.change = change
            yield self
        finally:
            self.change = before
    def __len__(self): return 3
    def __getitem__(self, index): return index
def count(rows):
    seen = []
"""
LOAD = """
def main(path):
    rows = Rows()
    count(rows)
    for batch in DataLoader(rows, num_workers=2): print(batch)
"""
SET, FOUND = "rows.change = lambda x: x", "rows.change = lambda x: x  # !DLF101"
USED = "total = sum(rows[i] for i in range(len(rows)))"


def counting(title, *lines):
    return program(title, ROWS + "".join(f"    {line}\n" for line in lines) + LOAD)


def within(title, manager, body, found=""):
    text = f"    with rows.{manager}(change=lambda x: x):{found}\n        {body}\n"
    return program(title, ROWS + text + LOAD)


PROGRAMS = [
    counting("set back", SET, USED, "rows.change = None"),
    counting("deleted", SET, USED, "del rows.change"),
    counting(
        "set back at the end", SET, "try:", f"    {USED}", "finally:", "    rows.change = None"
    ),
    counting("left", FOUND, USED),
    counting("set back in a branch", FOUND, USED, "if total: rows.change = None"),
    counting("perhaps left", FOUND, "if seen: return", "rows.change = None"),
    counting("another is set back", FOUND, USED, "seen.change = None"),
    counting("sent before", "rows.change = 1", FOUND, "main(rows)", "rows.change = None"),
    within("a context manager that sets back", "using", USED),
    within("one that does not", "keeping", USED, "  # !DLF101"),
    within("one that sets within its try", "trying", USED, "  # !DLF101"),
    within("one that sets within its try and back", "trying_for_a_while", USED),
    counting("set back by what starts workers", FOUND, "rows.change = main(rows)"),
    within("around a loader", "using", "list(DataLoader(rows, num_workers=2))", "  # !DLF101"),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)


PATCHED = """\
import torch
from torch.utils.data import DataLoader

class Batch:
    def to(self, device):
        return self

def main():
    net = torch.nn.Linear(1, 1)
    forward = net.forward
    net.forward = lambda x: x{mark}
    net(torch.zeros(1).to("cpu"))
    {after}
    for batch in DataLoader([1, 2], collate_fn=net, num_workers=2):
        print(batch)
"""


@pytest.mark.parametrize(
    ("after", "mark"), [("net.forward = forward", ""), ("print(forward)", "  # !DLF101")]
)
def test_what_is_set_on_an_object_of_a_library_for_a_while(
    tmp_path: Path, after: str, mark: str
) -> None:
    check(tmp_path, PATCHED.format(after=after, mark=mark))
