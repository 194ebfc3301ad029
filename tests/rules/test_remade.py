"""DLF202: handles of objects whose `__reduce__` makes them again, which only fork shares."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.session import Session

HEAD = "import os, sqlite3, threading\nfrom torch.utils.data import DataLoader, Dataset\n"
STORE = """
class Store:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def __reduce__(self):
        return Store, (self.path,)

    def get(self, index):
        return self.db.execute("select ?", (index,)).fetchone()[0]

class Rows(Dataset):
    def __init__(self, path): self.store = Store(path)
    def __len__(self): return 4
    def __getitem__(self, index): return self.store.get(index)
"""
MAIN = """
if __name__ == "__main__":
    for batch in DataLoader(Rows("a.db"), num_workers=2): print(batch)
"""


@pytest.fixture
def codes(tmp_path: Path):
    def run(source: str) -> list[str]:
        compile(HEAD + source, "main.py", "exec")
        (tmp_path / "main.py").write_text(HEAD + source, encoding="utf-8")
        session = Session.open([tmp_path], Settings())
        return [diagnosis.finding.code for diagnosis in session.diagnoses()]

    return run


def test_a_handle_that_unpickling_opens_again_is_shared_by_forked_workers(codes):
    assert codes(STORE + MAIN) == ["DLF202"]


def test_no_error_is_announced_where_nothing_fails(tmp_path: Path):
    (tmp_path / "main.py").write_text(HEAD + STORE + MAIN, encoding="utf-8")
    (diagnosis,) = Session.open([tmp_path], Settings()).diagnoses()
    assert diagnosis.finding.error == ""


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            STORE + MAIN.replace("workers=2", "workers=2, multiprocessing_context='spawn'"),
            id="the workers are spawned",
        ),
        pytest.param(
            STORE.replace("self.db = sqlite3.connect(path)", "self.db = threading.Lock()") + MAIN,
            id="a lock",
        ),
        pytest.param(
            STORE.replace("return self.db", "return sqlite3.connect(self.path)") + MAIN,
            id="workers do not use it",
        ),
        pytest.param(
            STORE.replace("        return self.db", "        self.pid = os.getpid()\n        return self.db")
            + MAIN,
            id="kept for each process",
        ),
        pytest.param(
            STORE + "\ndef again(_): ...\n"
            + MAIN.replace("workers=2", "workers=2, worker_init_fn=again"),
            id="workers may open their own when they start",
        ),
        pytest.param(
            STORE.replace("self.db = sqlite3.connect(path)", "self.db = None")
            .replace("        return self.db", "        self.db = self.db or sqlite3.connect(self.path)\n        return self.db")
            + MAIN,
            id="opened by workers only",
        ),
    ],
)  # fmt: skip
def test_what_each_process_has_of_its_own_is_not_found(codes, source: str):
    assert codes(source) == []


def test_a_reduction_that_takes_all_attributes_along_fails_as_usual(codes):
    source = STORE.replace("Store, (self.path,)", "object.__new__, (Store,), self.__dict__")
    assert codes(source + MAIN) == ["DLF201"]
