"""What an exit stack enters is what it gives, wherever the stack comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ROWS = """\
import contextlib
from torch.utils.data import DataLoader, Dataset
class Stack:
    def enter_context(self, item):
        return None
class Rows(Dataset):
    def __init__(self, path, stack):
        self.stacks = {{}}
        {made}
    @property
    def stack(self):
        return self.stacks.get("mine")
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return self.file.readline()
def main(path, stack):
    DataLoader(Rows(path, {stack}), num_workers=2)
"""
FILE = "self.file = {}.enter_context(open(path))"

PROGRAMS = [
    program("given", ROWS.format(made=FILE.format("stack") + "  # !DLF201", stack="stack")),
    program("a property", ROWS.format(made=FILE.format("self.stack") + "  # !DLF201", stack="1")),
    program("of a class", ROWS.format(made=FILE.format("stack"), stack="Stack()")),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
