"""A property that has a setter is read in workers by its getter."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import sqlite3
from torch.utils.data import DataLoader, Dataset

class Points(Dataset):
    def __init__(self, path):
        self.path, self._db = path, None

    @property
    def db(self):
        if self._db is None:
            self._db = sqlite3.connect(self.path, detect_types=sqlite3.PARSE_DECLTYPES)
        return self._db
    {setter}
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.db.execute("select place from points").fetchone()[0]

def main():
    sqlite3.register_converter("point", bytes.split)
    print(*DataLoader(Points("a.db"), num_workers=2))

if __name__ == "__main__":
    main()
"""
SETTER = """
    @db.setter
    def db(self, db):
        self._db = db
"""


@pytest.mark.parametrize("setter", ["", SETTER])
def test_what_a_getter_reads_in_a_worker_is_set_there(tmp_path: Path, setter: str) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.replace("{setter}", setter), encoding="utf-8")
    assert [each.code for each in dlfix.check([tmp_path], isolated=True)] == ["DLF303"]
