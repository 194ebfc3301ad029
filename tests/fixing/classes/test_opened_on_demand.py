"""Handles that a method opens where it finds them not open, once a hook of a base's constructor left them empty."""

import ast

import pytest

import dlfix

PROGRAM = """
import sqlite3
from torch.utils.data import DataLoader, Dataset


class Events(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self._initialise()
        self.columns = [each for each in ("energy", "charge") if self.has(each)]

    def has(self, column):
        try:
            self._query(column, 0)
        except sqlite3.OperationalError:
            return False
        return True

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return [self._query(column, i) for column in self.columns]


class SQLiteEvents(Events):
    def _initialise(self):
        self._all = []
        self._all_open = False
        self._conn = None
        self._current = None

    def _query(self, column, i):
        self._connect(i)
        return self._conn.execute(f"SELECT {column} FROM t").fetchone()

    def _connect(self, i):
        if self._conn is None:
            if not self._all_open:
                self._all = []
                for path in self.paths:
                    self._all.append(sqlite3.connect(path))
                self._all_open = True
            self._conn = self._all[i]
        if self._current != i:
            self._conn = self._all[i]
            self._current = i


def load(paths):
    return DataLoader(SQLiteEvents(paths), num_workers=2)
"""


def fixed(*changes):
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return dlfix.fix_text(text, isolated=True)


def in_the_class(result):
    classes = [n for n in ast.parse(result.text).body if isinstance(n, ast.ClassDef)]
    return ast.unparse(classes[-1])


def test_all_that_tell_whether_it_is_open_are_held_by_process():
    after = in_the_class(fixed())
    for name in ("_conn", "_all", "_all_open"):
        assert f"state['{name}_by_pid'] = {{}}" in after
    assert "_current_by_pid" not in after


def test_a_property_with_a_deleter_takes_what_is_stored():
    closing = "    def close(self):\n        del self._conn\n        self._conn = None\n\n    def _connect"
    result = fixed(("    def _connect", closing))
    assert "@_conn.deleter" in result.text
    assert not result.left


DANGEROUS = {
    "a worker reads it without opening": [
        ("        self._connect(i)\n        return", "        return"),
        ("self._initialise()", "self._initialise()\n        self._connect(0)"),
    ],
    "opened whatever is open": [
        (
            "        if self._conn is None:\n            if not",
            "        if True:\n            if not",
        ),
        ("if not self._all_open:", "if True:"),
    ],
    "only another item is asked for": [
        (
            "if self._conn is None:\n            if not self._all_open:",
            "if self._current != i:\n            if self._current is None:",
        ),
    ],
    "set up by the base": [
        ("self.columns = [", "self._conn.row_factory = sqlite3.Row\n        self.columns = ["),
    ],
    "a table of the connection": [
        (
            "self.columns = [",
            "self._conn.execute('CREATE TEMP TABLE u (x)')\n        self.columns = [",
        ),
    ],
    "counts what it opens": [
        (
            "self._all.append(sqlite3.connect(path))",
            "self._all.append(sqlite3.connect(path))\n                    self.opened.append(path)",
        ),
        (
            "        self._current = None\n",
            "        self._current = None\n        self.opened = []\n",
        ),
        ("return len(self.paths)", "return len(self.opened)"),
    ],
    "a flag that something else sets back": [
        ("        self._all_open = False\n", "        self._all_open = True\n"),
        ("self._initialise()", "self._initialise()\n        self._all_open = False"),
    ],
    "a flag that the base sets": [
        (
            "self._initialise()",
            "self._initialise()\n        self._connect(0)\n        self._all_open = True",
        ),
    ],
    "a flag of the base that must hold as well": [
        ("if self._conn is None:", "if self._conn is None and not self.ready:"),
        ("self._initialise()", "self.ready = False\n        self._initialise()"),
        ("self.has(each)]", "self.has(each)]\n        self.ready = True"),
    ],
    "the paths grow": [
        ("self.has(each)]", "self.has(each)]\n        self.paths.append('more.db')"),
    ],
    "a file per process": [
        ("sqlite3.connect(path)", "sqlite3.connect(self.prefix + path)"),
        (
            "        self._current = None\n",
            "        self._current = None\n        self.prefix = ''\n",
        ),
        (
            "        if self._current != i:",
            "        self.prefix = 'next'\n        if self._current != i:",
        ),
    ],
    "the hook opens one": [
        ("        self._conn = None\n", "        self._conn = sqlite3.connect(self.paths[0])\n"),
    ],
    "the paths change": [
        (
            "self.has(each)]",
            "self.has(each)]\n        self.paths = [each + '-wal' for each in paths]",
        ),
    ],
}


@pytest.mark.parametrize("changes", DANGEROUS.values(), ids=DANGEROUS)
def test_dangerous_neighbours_stay(changes):
    result = fixed(*changes)
    assert "_by_pid" not in result.text
    assert "__getstate__" not in result.text
    assert {each.code for each in result.left} == {"DLF201"}
