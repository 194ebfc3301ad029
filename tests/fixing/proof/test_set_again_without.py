"""A handle that the constructor configures, and that a method sets again; and what a new property calls."""

from __future__ import annotations

from tests.fixing.proof.pairs import worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row

    def reopen(self, path):
        self.path = path
        self.db = sqlite3.connect(path)
        {again}

    def __getitem__(self, i):
        return self.db.execute("SELECT value FROM rows WHERE id = ?", (i,)).fetchone()["value"]
"""
AFTER = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._db_by_pid = {{}}
        self.db.row_factory = sqlite3.Row

    @property
    def db(self):
        pid = os.getpid()
        if pid not in self._db_by_pid:
            db = sqlite3.connect(self.path)
            db.row_factory = sqlite3.Row
            self._db_by_pid[pid] = db
        return self._db_by_pid[pid]

    @db.setter
    def db(self, db):
        self._db_by_pid[os.getpid()] = db

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {{}}
        return state

    def reopen(self, path):
        self.path = path
        self.db = sqlite3.connect(path)
        {again}

    def __getitem__(self, i):
        return self.db.execute("SELECT value FROM rows WHERE id = ?", (i,)).fetchone()["value"]
"""


def configured(again):
    found = worse(BEFORE.format(again=again), AFTER.format(again=again))
    return [each for each in found if "not all that the constructor sets" in each]


def test_what_a_method_sets_again_plainly_is_not_configured_in_workers():
    assert configured("pass")


def test_what_a_method_sets_again_in_the_same_way_is_configured():
    assert not configured("self.db.row_factory = sqlite3.Row")


PARTS = """
class Parts:
    def __init__(self, path):
        self.file = h5py.File(path, "r")


class Rows(Dataset):
    def __init__(self, path):
        {first}
        self.parts = Parts(path)
        {opened}
{opener}
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("{gone}", None)
        {emptied}
        return state

    def __getitem__(self, i):
        return self.values[i]
"""
OPENER = """
    def _open_values(self):
        self.values = self.parts.file["values"]

    @property
    def values(self):
        if os.getpid() not in self._values_by_pid:
            self._open_values()
        return self._values_by_pid[os.getpid()]

    @values.setter
    def values(self, values):
        self._values_by_pid[os.getpid()] = values
"""


def through_what_is_gone(gone):
    plain = {"first": "pass", "opened": 'self.values = self.parts.file["values"]', "opener": ""}
    before = PARTS.format(gone=gone, emptied="pass", **plain)
    after = PARTS.format(
        gone=gone,
        first="self._values_by_pid = {}",
        opened="self._open_values()",
        opener=OPENER,
        emptied='state["_values_by_pid"] = {}',
    )
    return [each for each in worse(before, after) if "`parts`" in each]


def test_a_method_of_a_property_does_not_read_what_left_the_state():
    assert through_what_is_gone("parts")


def test_a_method_of_a_property_reads_what_is_in_the_state():
    assert not through_what_is_gone("other")
