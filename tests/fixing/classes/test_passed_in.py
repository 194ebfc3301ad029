"""Handles that the caller opens: closing them, and setting them to None, goes on working."""

import pytest

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


CLICKS = """
import {library}
from torch.utils.data import DataLoader, Dataset


class Clicks(Dataset):
    def __init__(self, con, days):
        self.con = con
        self.ids = con.execute({query}, days).fetchall()

    def __getitem__(self, index):
        return self.con.execute("SELECT price FROM clicks WHERE id = ?", self.ids[index]).fetchone()


def load(days):
    con = {library}.connect("clicks.db")
    return DataLoader(Clicks(con, days), num_workers=2)
"""


@pytest.mark.parametrize(
    ("query", "is_asked"),
    [
        ("f'SELECT id FROM clicks WHERE day IN ({marks(days)})'", True),
        ("'SELECT id FROM clicks WHERE day IN (' + marks(days) + ')'", True),
        ("'select id from clicks where day in (%s)' % marks(days)", True),
        ("'SELECT id FROM clicks WHERE day IN ({})'.format(marks(days))", True),
        ("f'{marks(days)}SELECT id FROM clicks'", False),
        ("f'CREATE TEMP TABLE {marks(days)} AS SELECT id FROM clicks'", False),
        ("marks(days)", False),
    ],
)
def test_a_query_is_known_by_how_it_begins(query, is_asked):
    text = CLICKS.format(library="sqlite3", query=query)
    fixed = dlfix.fix_text(text, unsafe=True, isolated=True).text
    assert ("sqlite3.connect(self._con_path)" in fixed) is is_asked


def test_the_reason_says_what_would_let_a_worker_open_it(tmp_path):
    path = tmp_path / "main.py"
    text = CLICKS.format(library="duckdb", query="'SELECT id FROM clicks'")
    path.write_text(text.replace('"clicks.db"', '"clicks.db", read_only=True'))
    [finding] = dlfix.check([path], isolated=True)
    assert finding.refused == (
        "the resource does not record what `duckdb.connect` opened it with: pass that to `Clicks`, "
        "and open it there (main.py:16)"
    )


@pytest.mark.parametrize(
    ("check", "may_be_none"),
    [
        ("pass", True),
        ("assert file is not None", False),
        ("if file is None: raise ValueError('no file')", False),
        ("if not file: raise ValueError('no file')", False),
        ("if file is None: print('no file')", True),
    ],
)
def test_a_handle_that_may_not_be_left_out_is_not_asked_for(check, may_be_none):
    text = PROGRAM.replace("file):\n", f"file=None):\n        {check}\n", 1)
    fixed = dlfix.fix_text(text.format(close="        pass\n"), unsafe=True, isolated=True).text
    assert ("is not None else None" in fixed) is may_be_none
    assert "_file_by_pid" in fixed
