"""Handles that a constructor sets by a name in quotes: in the object's `__dict__`, or past its `__setattr__`."""

import pytest

import dlfix

PROGRAM = """
import sqlite3
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        {sets}

    def __getitem__(self, index):
        return self.db.execute("SELECT x FROM rows WHERE id = ?", (index,)).fetchone()


def load(path):
    rows = Rows(path)
    {then}
    return DataLoader(rows, num_workers=2)
"""
WAYS = (
    'self.__dict__["db"] = sqlite3.connect(path)',
    'vars(self)["db"] = sqlite3.connect(path)',
    'object.__setattr__(self, "db", sqlite3.connect(path))',
    'setattr(self, "db", sqlite3.connect(path))',
)


def fixed(sets: str, then: str = "pass") -> str:
    result = dlfix.fix_text(PROGRAM.format(sets=sets, then=then), isolated=True)
    return result.text if result.changed else ""


@pytest.mark.parametrize("sets", WAYS)
def test_it_is_opened_lazily(sets):
    text = fixed(sets)
    assert "    def db(self):\n        return sqlite3.connect(self.path)\n" in text
    assert sets not in text


@pytest.mark.parametrize("sets", WAYS)
def test_another_handle_that_code_puts_in_its_place_by_a_computed_name_is_not_lost(sets):
    assert (
        fixed(sets, 'for name in ("db",):\n        setattr(rows, name, sqlite3.connect("b"))') == ""
    )
