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
