"""Items that the parent takes of a dataset before workers start: what they open in objects of the dataset stays open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

_READER = """\
--- data.py
import h5py
from torch.utils.data import Dataset
class Reader:
    def __init__(self, path):
        self.path, self.file = path, None
    def open(self):
        if self.file is None:
            self.file = h5py.File(self.path)  # {mark}
        return self.file
    def read(self, i):
        return self.open()["x"][i]
class Rows(Dataset):
    def __init__(self, paths):
        self.readers = {{path: Reader(path) for path in paths}}
        self.paths = paths
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return self.readers[self.paths[i]].read(i)
--- shapes.py
class Shapes:
    @classmethod
    def of(cls, rows):
        return cls(), rows[0].shape
    @classmethod
    def count(cls, rows):
        return len(rows)
def show(rows):
    print(rows[0])
def size(rows):
    return len(rows)
--- main.py
import torch
from torch.utils.data import DataLoader
from data import Rows
from shapes import Shapes, show, size
def main():
    rows = Rows(["a", "b"])
    {before}
    for batch in DataLoader(rows, num_workers=2):
        print(batch)
    {after}
if __name__ == "__main__":
    main()
"""


def _case(what, before="pass", after="pass", *, found=False):
    mark = "!DLF203" if found else "nothing"
    return program(what, _READER.format(before=before, after=after, mark=mark))


@pytest.mark.parametrize(
    "case",
    [
        _case("in the same function", "print(rows[0])", found=True),
        _case("by a function of another module", "show(rows)", found=True),
        _case("by a class method of another module", "print(Shapes.of(rows))", found=True),
        _case("out of a dict", "sets = {'a': rows}; print(sets['a'][0])", found=True),
        _case(
            "out of a dict filled later", "sets = {}; sets['a'] = rows; sets['a'][0]", found=True
        ),
        _case("out of a list", "sets = [rows]; print(sets[0][0])", found=True),
        _case("of something else in a dict", "sets = {'a': rows, 'b': [1]}; print(sets['b'][0])"),
        _case("out of a dict once they are done", "s = {'a': rows}", "print(s['a'][0])"),
        _case("by nobody"),
        _case("once workers are done", after="print(rows[0])"),
        _case("by a function of another module once they are done", "size(rows)", "show(rows)"),
        _case("a class method asks for something else", "print(Shapes.count(rows))"),
    ],
)
def test_items_taken_by_the_parent(tmp_path: Path, case: str) -> None:
    check(tmp_path, case)
