"""Mapped files: each process maps a file for itself only where nothing was assigned to the array in memory."""

import pytest

import dlfix

PROGRAM = """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.data = {mapped}

    def __getitem__(self, index):
        return self.data[index]

def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""
IN_MEMORY = "stays in memory, not in the file"


@pytest.mark.parametrize(
    ("mapped", "reason"),
    [
        ("np.memmap(path, mode='r')", None),
        ("np.memmap(path, mode='r').reshape(-1, 4)", None),
        ("np.memmap(path, mode='c')", IN_MEMORY),
        ("np.memmap(path, mode='c').reshape(-1, 4)", IN_MEMORY),
        ("np.memmap(path, mode='c')[4:]", IN_MEMORY),
        ("np.load(path, mmap_mode='c')", IN_MEMORY),
        ("np.load(path, mmap_mode='r')", None),
        ("np.memmap(path, mode='r+').reshape(-1, 4)", "mapped for writing"),
    ],
)
def test_a_map_is_opened_again_where_the_file_has_what_the_array_shows(tmp_path, mapped, reason):
    (tmp_path / "main.py").write_text(PROGRAM.format(mapped=mapped))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF601"
    assert (finding.fix is None) == (reason is not None)
    assert (reason or "") in (finding.refused or "")
