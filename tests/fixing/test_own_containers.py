"""What a list or dict of a project's own class holds is no resource of the class that keeps the list or dict."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import zipfile
from torch.utils.data import DataLoader, Dataset
{container}
class Rows(Dataset):
    def __init__(self, path):
        self.archives = {make}
        self.names = self.archives{first}.namelist()
    def __getitem__(self, i): return self.archives{first}.read(self.names[i])
if __name__ == "__main__":
    DataLoader(Rows("a"), num_workers=2)
"""
MISSING = """class Archives(dict):
    def __missing__(self, path):
        self[path] = zipfile.ZipFile(path)
        return self[path]
"""
LISTED = """class Archives(list):
    def __init__(self, *paths):
        super().__init__(zipfile.ZipFile(path) for path in paths)
"""
LOADED = """class Archives(dict):
    def load(self, path):
        self[path] = zipfile.ZipFile(path)
        return self[path]
"""
OWN = {
    "a dict that opens what it lacks": (MISSING, "Archives()", '["a"]'),
    "a list that opens what it is made of": (LISTED, "Archives('a', 'b')", "[0]"),
    "a dict that a method fills": (LOADED, "Archives()", '.load("a")'),
}


@pytest.mark.parametrize(("container", "make", "first"), OWN.values(), ids=OWN)
def test_it_is_refused(container: str, make: str, first: str, tmp_path: Path) -> None:
    text = PROGRAM.format(container=container, make=make, first=first)
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    (one,) = dlfix.check([tmp_path], isolated=True)
    assert one.fix is None
    assert one.refused is not None
    assert "an item of a `Archives` object (main.py:" in one.refused


def test_a_plain_dict_is_fixed(tmp_path: Path) -> None:
    text = PROGRAM.format(container="", make='{"a": zipfile.ZipFile(path)}', first='["a"]')
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    (one,) = dlfix.check([tmp_path], isolated=True)
    assert one.fix is not None


HANGING = """
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)
        self.tables = {make}
        if path:
            self.db.create_collation("back", max)
        self.first = self[0]
    def __getitem__(self, i):
        return {read}.execute("SELECT 1").fetchone(), self.db.execute("SELECT 2").fetchone()
if __name__ == "__main__":
    DataLoader(Rows("a"), num_workers=2)
"""


@pytest.mark.parametrize(
    ("make", "read"),
    [("{'main': self.db}", "self.tables['main']"), ("[self.db]", "self.tables[0]")],
    ids=["dict", "list"],
)
def test_a_container_of_a_handle_that_is_closed_is_not_closed_itself(make: str, read: str) -> None:
    text = dlfix.fix_text(HANGING.format(make=make, read=read), isolated=True).text
    assert "self.db.close()" in text
    assert "tables.close()" not in text
