"""What the parent keeps on a class is not there in a worker that does not fork."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.rules.dlf201_eager_resource import EagerResource
from tests.reach.paths import analysis_of

DATA = """
class Rows(Dataset):
    _db = None
    def __init__(self, path):
        self.path = path
        {store}
    def _open(self):
        if Rows._db is None:
            Rows._db = sqlite3.connect(self.path)
    def __getitem__(self, i):
        {read}
DataLoader(Rows("x"), num_workers=2)
"""


@pytest.mark.parametrize(
    ("store", "read", "found"),
    [
        ("Rows._db = sqlite3.connect(path)", "return self._db", True),
        ("type(self)._db = sqlite3.connect(path)", "return Rows._db", True),
        ("self.__class__._db = sqlite3.connect(path)", "return self._db", True),
        ("if Rows._db is None: Rows._db = sqlite3.connect(path)", "return self._db", True),
        ("Rows._db = 3", "return self._db", False),
        ("Rows._db = sqlite3.connect(path)", "return i", False),
        ("self._open()", "self._open()", False),
        ("Other._db = sqlite3.connect(path)", "return self._db", False),
    ],
)
def test_a_handle_on_the_class(store: str, read: str, found: bool, tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, DATA.format(store=store, read=read))
    messages = [finding.message for finding in EagerResource().check(analysis)]
    assert [("stored on the class" in message) for message in messages] == [True] * found


HEIR = """
class Rows(Dataset):
    def __init__(self, path):
        type(self).db = sqlite3.connect(path)
    def __getitem__(self, i):
        return self.db.execute("select 1").fetchone()
class Doubled(Rows):
    def __init__(self, path):
        {made}
    def __getitem__(self, i):
        return {read}
DataLoader(Doubled("x"), num_workers=2)
"""


@pytest.mark.parametrize(
    ("made", "read", "found"),
    [
        ("super().__init__(path)", "super().__getitem__(i)", True),
        ("Rows.__init__(self, path)", "Rows.__getitem__(self, i)", True),
        ("self.path = path", "super().__getitem__(i)", False),
        ("super().__init__(path)", "i", False),
    ],
)
def test_a_handle_that_the_constructor_of_a_base_keeps_on_the_class(
    made: str, read: str, found: bool, tmp_path: Path
) -> None:
    analysis = analysis_of(tmp_path, HEIR.format(made=made, read=read))
    messages = [finding.message for finding in EagerResource().check(analysis)]
    assert ["stored on the class" in message for message in messages] == [True] * found
