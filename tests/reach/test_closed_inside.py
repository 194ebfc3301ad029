"""A handle of an object that another one makes and keeps: closed again by a method of the outer one, or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

ROWS = """\
from torch.utils.data import DataLoader, Dataset
class Lazy:
    def __init__(self, path):
        self.path = path
        self.file = None
    def get(self, size):
        if self.file is None:
            self.file = open(self.path)  # OPENED
        return self.file.read(size)
    def __len__(self):
        return len(self.get(3))
    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None
class Rows(Dataset):
    def __init__(self, path):
        self.lazy = Lazy(path)
    def close(self):
        self.lazy.close()
    def again(self):
        self.lazy.close()
        return self.lazy.get(1)
    def size(self):
        return len(self.lazy)
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return self.lazy.get(1)
def first(rows):
    item = rows[0]
    rows.close()
    return item
def main():
    rows = Rows("a")
    {body}
    for batch in DataLoader(rows, num_workers=2):
        print(batch)
if __name__ == "__main__": main()
"""
CLOSED = ("first(rows)", "rows[0]; rows.close()", "rows[0]; rows.close(); len(rows)")
OPEN = (
    "rows[0]",
    "rows.close(); rows[0]",
    "first(rows); rows[0]",
    "rows[0]; rows.close(); rows.size()",
    "rows.again()",
    "rows[0]; Rows('b').close()",
    "rows[0]; rows.lazy.close() if print() else None",
)


@pytest.mark.parametrize("body", CLOSED)
def test_what_is_closed_is_not_reported(body: str, tmp_path: Path) -> None:
    check(tmp_path, ROWS.replace("{body}", body))


@pytest.mark.parametrize("body", OPEN)
def test_what_is_open_is_reported(body: str, tmp_path: Path) -> None:
    check(tmp_path, ROWS.replace("{body}", body).replace("# OPENED", "# !DLF203"))
