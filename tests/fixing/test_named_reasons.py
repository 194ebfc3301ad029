"""What is held back names what has no fix, not what is held back with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self):
        self.first = lambda row: row + 1
        self.second = lambda row: row * 2
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.second(self.first(index))
def main():
    seen = 0
    {collate}
        return batch
    for batch in DataLoader(Rows(), num_workers=2, collate_fn={given}):
        print(batch, seen)
main()
"""
REFUSED = "def collate(batch):\n        nonlocal seen\n        seen += 1"
FIXED = "def collate(batch):\n        print(batch)"


def reasons(folder: Path, collate: str, given: str) -> list[str | None]:
    (folder / "main.py").write_text(PROGRAM.format(collate=collate, given=given))
    found = dlfix.check([folder], isolated=True)
    return [one.refused for one in found if one.code == "DLF101"]


def test_an_argument_without_a_fix_is_named_by_both_lambdas_of_another(tmp_path: Path) -> None:
    found = reasons(tmp_path, REFUSED, "collate")
    assert len(found) == 2
    assert all("`def collate` at main.py:13" in str(one) for one in found)


@pytest.mark.parametrize(("collate", "given"), [(FIXED, "collate"), (REFUSED, "None")])
def test_nothing_is_held_back_where_all_is_fixed_or_sent_without_it(
    tmp_path: Path, collate: str, given: str
) -> None:
    assert reasons(tmp_path, collate, given) == [None, None]


CALLERS = """
import h5py
from torch.utils.data import DataLoader
class Loader:
    def __init__(self, **kwargs):
        self.loader = DataLoader(**kwargs)
def first(file):
    return Loader(
        dataset=[lambda: file],
        collate_fn=lambda rows: rows[0], num_workers=2,
    )
def second(file):
    return Loader(
        dataset=[lambda: file],
        collate_fn=lambda rows: rows[-1], num_workers=2,
    )
def main(names):
    file = h5py.File(names[0])
    print(first(file), second(file), file.keys())
main(["a", "b"])
"""


def test_what_is_in_the_way_is_an_argument_of_the_same_caller(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(CALLERS)
    found = dlfix.check([tmp_path], isolated=True)
    told = {one.row: str(one.refused) for one in found if one.row in (10, 15)}
    assert {row: f"main.py:{row - 1} " in f"{why} " for row, why in told.items()} == {
        10: True,
        15: True,
    }, told


def test_a_resource_within_another_object_that_a_class_stores_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("""
from itertools import chain
from torch.utils.data import DataLoader, IterableDataset
def read(name):
    for line in open(name):
        yield line
class Rows(IterableDataset):
    def __init__(self, names):
        self.lines = chain(*[read(each) for each in names])
    def __iter__(self):
        return self.lines
for row in DataLoader(Rows(["a"]), num_workers=2):
    print(row)
""")
    found = dlfix.check([tmp_path], isolated=True)
    reasons = [str(one.refused) for one in found if one.code == "DLF206"]
    assert reasons == ["`lines` stores another object, which holds the resource (main.py:9)"]
