"""What methods put on an object after it is made, with what they are passed: `data.set_transform(f)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

HEAD = """\
import copy, os, sqlite3
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self.transform = None
    def __len__(self): return 4
    def __getitem__(self, i):
        return i if self.transform is None else self.transform(i)
    def set_transform(self, transform):
        self.transform = transform
    def reset(self):
        self.transform = None
    def with_transform(self, transform):
        new = copy.copy(self)
        new.transform = transform
        return new

def prepare(rows, transform):
    rows.set_transform(transform)

def main():
    rows = Rows()
"""
ALIGNED = (
    HEAD[: HEAD.index("def prepare")]
    + """\
class Aligned(Rows):
    def initialize(self, options):
        self.options = options
        self.transform = lambda x: x * options  {}

def main():
    rows = Aligned()
    rows.initialize(3)
"""
)
READ = "    for batch in DataLoader(rows, num_workers=2): print(batch)\n"


def program(sentence: str, *lines: str) -> object:
    body = "".join(f"    {line}\n" for line in lines)
    return pytest.param(HEAD + body + READ, id=sentence)


@pytest.mark.parametrize(
    "text",
    [
        program("once", "rows.set_transform(lambda x: x)  # !DLF101"),
        program("last", "rows.set_transform(str)", "rows.set_transform(lambda x: x)  # !DLF101"),
        program("after a reset", "rows.reset()", "rows.set_transform(lambda x: x)  # !DLF101"),
        program(
            "perhaps", "rows.set_transform(str)",
            "if os.environ.get('A'): rows.set_transform(lambda x: x)  # !DLF101",
        ),
        program("by a function", "prepare(rows, lambda x: x)  # !DLF101"),
        pytest.param(ALIGNED.format("# !DLF101") + READ, id="made in it"),
        program("by the copy that it gives", "rows = rows.with_transform(lambda x: x)  # !DLF101"),
        program(
            "on one of two objects", "other = Rows()", "rows.set_transform(lambda x: x)  # !DLF101",
            "other.set_transform(str)",
        ),
    ],
)  # fmt: skip
def test_what_a_method_was_passed_is_sent(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        program("None comes last", "rows.set_transform(lambda x: x)", "rows.set_transform(None)"),
        program("another comes last", "rows.set_transform(lambda x: x)", "rows.set_transform(str)"),
        program("it is reset", "rows.set_transform(lambda x: x)", "rows.reset()"),
        program("a function sets another", "rows.set_transform(lambda x: x)", "prepare(rows, str)"),
        pytest.param(ALIGNED.format("") + "    rows.reset()\n" + READ, id="it is reset again"),
        program(
            "the other object has it", "other = Rows()", "rows.set_transform(str)",
            "other.set_transform(lambda x: x)",
        ),
        program("the copy has it", "other = rows.with_transform(lambda x: x)"),
    ],
)  # fmt: skip
def test_what_is_replaced_by_then_is_not_sent(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


IN_MEMORY = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Listed:
    def __init__(self, rows): self.rows = rows
    def all(self): return self.rows
class Wrapped:
    def __init__(self, reader): self.reader = reader
class Reader:
    def __init__(self, path): self.db = sqlite3.connect(path){mark}
    def all(self): return self.db.execute("SELECT 1").fetchall()
    def close(self): self.db.close()
class Answers(Dataset):
    def __init__(self, path): self.reader = Reader(path)
    def in_memory(self):
        rows = self.reader.all()
        self.reader.close()
        self.reader = Listed(rows)
        return self
    def wrapped(self):
        self.reader = Wrapped(self.reader)
        return self
    def __getitem__(self, index): return self.reader.all()[index]
def main(path):
    DataLoader(Answers(path){call}, num_workers=2)
"""


@pytest.mark.parametrize(
    ("call", "mark"),
    [
        (".in_memory()", ""),
        ("", "  # !DLF201"),
        (".wrapped()", "  # !DLF201"),
    ],
)
def test_a_method_replaces_what_the_constructor_kept(tmp_path: Path, call: str, mark: str) -> None:
    check(tmp_path, IN_MEMORY.format(call=call, mark=mark))
