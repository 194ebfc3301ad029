"""What a derived class has in the place of a property that an opening reads is read later as well."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import h5py
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, root):
        self.root = root
        self._file = h5py.File(self.location, "r")

    @property
    def location(self):
        return self.root + "/all.h5"

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self._file["x"][index]


class Fold(Table):
    fold = 0

    def __init__(self, root, fold):
        super().__init__(root)
        self.fold = fold

    {override}


def load(root):
    return DataLoader(Fold(root, 1), num_workers=2)
"""


@pytest.mark.parametrize(
    ("override", "is_refused"),
    [
        ("", False),
        ("@property\n    def location(self):\n        return self.root + '/fold.h5'", False),
        ("@property\n    def location(self):\n        return self.root + f'/{self.fold}.h5'", True),
        ("@property\n    def other(self):\n        return self.root + f'/{self.fold}.h5'", False),
    ],
)
def test_an_overriding_property_reads_what_is_set_later(
    tmp_path: Path, override: str, is_refused: bool
) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.replace("{override}", override), encoding="utf-8")
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF201"
    assert ("`fold` is read later" in (finding.refused or "")) is is_refused
    assert (finding.fix is None) is is_refused
