"""A module of a package that is called like a library does not hide it, unless programs start beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.session import Session

STORE = """
import lmdb
from torch.utils.data import DataLoader, Dataset

class Store(Dataset):
    def __init__(self, path):
        self.env = lmdb.open(path)
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return self.env.begin().get(b"x")

def loader(path):
    return DataLoader(Store(path), num_workers=2)
"""


@pytest.mark.parametrize(("is_package", "codes"), [(True, ["DLF201"]), (False, [])])
def test_a_file_called_like_a_library(tmp_path: Path, is_package: bool, codes: list[str]) -> None:
    package = tmp_path / "pkg" / "caches"
    package.mkdir(parents=True)
    (package / "store.py").write_text(STORE)
    (package / "lmdb.py").write_text("def open(path): return {}\n")
    for folder in (package, package.parent) if is_package else ():
        (folder / "__init__.py").write_text("")
    found = Session.open([tmp_path], Settings()).diagnoses()
    assert [each.finding.code for each in found] == codes
