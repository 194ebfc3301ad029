"""Handles that the caller opens: closing them, and setting them to None, goes on working."""

import dlfix

PROGRAM = """
import h5py
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, file):
        self.file = file

    def __getitem__(self, index):
        return self.file["signals"][index]

    def close(self):
{close}

def load(path):
    return DataLoader(Signals(h5py.File(path, "r")), num_workers=2)
"""


def fixed(close: str) -> str:
    return dlfix.fix_text(PROGRAM.format(close=close), isolated=True).text


def test_it_can_be_set_to_none():
    text = fixed("        self.file.close()\n        self.file = None\n")
    assert "    @file.setter\n    def file(self, file):" in text


def test_it_is_not_opened_to_be_closed():
    text = fixed("        self.file.close()\n")
    assert "        if os.getpid() in self._file_by_pid:\n            self.file.close()\n" in text
