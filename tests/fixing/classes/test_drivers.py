"""A forked worker's file of HDF5 shares the descriptor of the parent's: drivers that read from its offset are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
{library}
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = {opener}

    def __len__(self):
        return len(self.file["rows"])

    def __getitem__(self, index):
        return self.file["rows"][index]

if __name__ == "__main__":
    DataLoader(Rows("a.h5"), num_workers=2)
"""
SHARED = "the driver reads from an offset that forked workers share (main.py:8)"


@pytest.mark.parametrize(
    ("library", "opener", "refused"),
    [
        ("import h5py", 'h5py.File(path, "r", driver="stdio")', SHARED),
        ("import h5py", 'h5py.File(path, "r", driver="sec2")', None),
        ("import tables", 'tables.open_file(path, driver="H5FD_STDIO")', SHARED),
        ("import tables", "tables.open_file(path)", None),
    ],
)
def test_a_driver_that_seeks_is_refused(
    tmp_path: Path, library: str, opener: str, refused: str | None
) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(library=library, opener=opener))
    findings = dlfix.check([tmp_path], isolated=True)
    assert {each.refused for each in findings} == {refused}
