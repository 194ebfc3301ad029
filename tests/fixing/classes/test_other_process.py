"""Classes that open their handle again themselves where the process is another."""

from __future__ import annotations

import pytest

import dlfix

PROGRAM = """import os
import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None
        self.pid = None

    def _open(self):
        if {test}:
            self.file = h5py.File(self.path, "r")
            self.pid = os.getpid()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        {first}
        return self.file["x"][index]


if __name__ == "__main__":
    rows = Rows("rows.h5")
    print(rows[0])
    for batch in DataLoader(rows, num_workers=2):
        print(batch)
"""
BY_PROCESS = "_file_by_pid"


def fixed(test: str, first: str = "self._open()") -> str:
    program = PROGRAM.format(test=test, first=first)
    return dlfix.fix_text(program, isolated=True).text


@pytest.mark.parametrize(
    "test",
    [
        "self.file is None or self.pid != os.getpid()",
        "os.getpid() != self.pid or not self.file",
    ],
)
def test_one_that_opens_it_in_another_process_only_leaves_it_out_of_its_state(test: str):
    text = fixed(test)
    assert "def __getstate__(self)" in text
    assert BY_PROCESS not in text


@pytest.mark.parametrize(
    ("test", "first"),
    [
        ("self.file is None and self.pid != os.getpid()", "self._open()"),
        ("self.file is None or self.pid == os.getpid()", "self._open()"),
        ("self.file is None or self.pid != os.getpid()", "index and self._open()"),
    ],
    ids=["where it is open", "of this process", "asked for some items"],
)
def test_one_that_may_read_what_another_process_opened_does_not(test: str, first: str):
    text = fixed(test, first)
    reopened = "# __setstate__ reopens it" in text
    assert BY_PROCESS in text or reopened or "def __getstate__" not in text
