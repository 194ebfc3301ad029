"""DLF211: which handles in a module's globals forked workers share with the parent."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.session import Session

HEAD = "import functools, os, sqlite3, zipfile\nfrom torch.utils.data import DataLoader, Dataset\n"
DIRECT = """
connection = sqlite3.connect("notes.db")

class Notes(Dataset):
    def __len__(self): return 8
    def __getitem__(self, index): return connection.execute("select ?", (index,)).fetchone()
"""
LAZY = """
_connection = None

def connection():
    global _connection
    if _connection is None:
        _connection = sqlite3.connect("notes.db")
    return _connection

class Notes(Dataset):
    def __len__(self): return 8
    def __getitem__(self, index): return connection().execute("select ?", (index,)).fetchone()
"""
KEYED = """
_archives = {}

def archive(path):
    if path not in _archives:
        _archives[path] = zipfile.ZipFile(path)
    return _archives[path]
"""
CACHED = """
@functools.lru_cache
def archive(path):
    return zipfile.ZipFile(path)
"""
READER = """
class Notes(Dataset):
    def __init__(self, path):
        self.path = path
        self.names = archive(path).namelist()
    def __len__(self): return len(self.names)
    def __getitem__(self, index): return archive(self.path).read(self.names[index])
"""
KEPT = """
class Database:
    def __init__(self, path): self.connection = sqlite3.connect(path)
    def note(self, index): return self.connection.execute("select ?", (index,)).fetchone()

database = Database("notes.db")

class Notes(Dataset):
    def __len__(self): return 8
    def __getitem__(self, index): return database.note(index)
"""
MAIN = """
if __name__ == "__main__":
    for batch in DataLoader(Notes(), num_workers=2): print(batch)
"""
MAIN_WITH_PATH = MAIN.replace("Notes()", "Notes('notes.zip')")
USED_FIRST = MAIN.replace('":\n', '":\n    print(connection().execute("select 1"))\n')


@pytest.fixture
def found(tmp_path: Path):
    def run(source: str, **settings: object) -> list[int]:
        path = tmp_path / "main.py"
        compile(HEAD + source, "main.py", "exec")
        path.write_text(HEAD + textwrap.dedent(source), encoding="utf-8")
        session = Session.open([tmp_path], Settings(**settings))
        return [
            diagnosis.finding.place.span.start.row
            for diagnosis in session.diagnoses()
            if diagnosis.finding.code == "DLF211"
        ]

    return run


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(DIRECT + MAIN, id="opened by the import"),
        pytest.param(LAZY + USED_FIRST, id="opened by the script before its loader"),
        pytest.param(KEYED + READER + MAIN_WITH_PATH, id="kept in a dict by the constructor"),
        pytest.param(CACHED + READER + MAIN_WITH_PATH, id="kept by lru_cache"),
        pytest.param(KEPT + MAIN, id="kept by an object in a global"),
        pytest.param(
            LAZY.replace("self): return 8", "self): return 8\n    def __init__(self): connection()")
            + MAIN,
            id="opened by the dataset's constructor",
        ),
        pytest.param(
            LAZY.replace("    if _connection is None:\n        _c", "    if _connection is not None: return _connection\n    _c")
            + USED_FIRST,
            id="opened after an early return",
        ),
        pytest.param(
            DIRECT.replace('sqlite3.connect("notes.db")', "None")
            + MAIN.replace('":\n', '":\n    connection = sqlite3.connect("notes.db")\n'),
            id="opened under the main guard",
        ),
        pytest.param(
            DIRECT + MAIN + "    connection.close()\n", id="closed after the loop"
        ),
    ],
)  # fmt: skip
def test_what_the_parent_has_opened_and_a_forked_worker_uses_is_found(found, source: str):
    assert len(found(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(LAZY + MAIN, id="only workers open it"),
        pytest.param(
            DIRECT + MAIN.replace("workers=2", "workers=2, multiprocessing_context='spawn'"),
            id="the workers are spawned",
        ),
        pytest.param(
            DIRECT + "import multiprocessing\nmultiprocessing.set_start_method('forkserver')\n" + MAIN,
            id="the whole program uses forkserver",
        ),
        pytest.param(DIRECT + MAIN.replace("workers=2", "workers=0"), id="there are no workers"),
        pytest.param(
            DIRECT
            + "\ndef opened(_):\n    global connection\n    connection = sqlite3.connect('notes.db')\n"
            + MAIN.replace("workers=2", "workers=2, worker_init_fn=opened"),
            id="each worker opens its own when it starts",
        ),
        pytest.param(
            KEYED.replace("if path not", "path = f'{path}:{os.getpid()}'\n    if path not")
            + READER
            + MAIN_WITH_PATH,
            id="kept for each process",
        ),
        pytest.param(
            LAZY + USED_FIRST.replace("    for", "    _connection.close()\n    for"),
            id="closed before the loop",
        ),
        pytest.param(
            LAZY + "\ndef forget():\n    global _connection\n    _connection = None\n"
            + USED_FIRST.replace("    for", "    forget()\n    for"),
            id="forgotten before the loop",
        ),
        pytest.param(
            CACHED + READER + MAIN_WITH_PATH.replace(
                "    for", "    notes = Notes('notes.zip')\n    archive.cache_clear()\n    for"
            ).replace("(Notes('notes.zip'), ", "(notes, "),
            id="the cache is emptied before the loop",
        ),
        pytest.param(
            LAZY + MAIN + "    print(connection().execute('select 1'))\n", id="opened after the loop"
        ),
        pytest.param(
            LAZY + USED_FIRST.replace("    print(c", "    if os.environ.get('CHECK'): print(c"),
            id="opened only under a test",
        ),
        pytest.param(
            KEYED + READER.replace("= archive(path)", "= archive('index.zip')") + MAIN_WITH_PATH,
            id="the workers use another file",
        ),
        pytest.param(
            DIRECT.replace("connection =", "with").replace('.db")', '.db") as connection: ...', 1) + MAIN,
            id="closed where it is opened",
        ),
        pytest.param(
            DIRECT.replace('"notes.db")', '"notes.db").execute("select 1").fetchall()') + MAIN,
            id="only data is kept",
        ),
        pytest.param(
            DIRECT.replace("return connection.execute(", "return (") .replace(".fetchone()", "")
            + MAIN + "    connection.execute('select 1')\n",
            id="only the parent uses it",
        ),
        pytest.param(
            "import sqlalchemy\n" + DIRECT.replace("sqlite3.connect", "sqlalchemy.create_engine") + MAIN,
            id="nothing is connected yet",
        ),
        pytest.param(
            DIRECT.replace("connection =", "connection = None if os.name == 'nt' else") + MAIN,
            id="not always opened",
        ),
    ],
)  # fmt: skip
def test_what_is_not_surely_shared_is_not_found(found, source: str):
    assert found(source) == []


def test_a_program_that_never_forks_has_no_such_finding(found):
    assert found(DIRECT + MAIN, target_start_methods=("spawn", "forkserver")) == []


def test_the_place_is_the_call_that_opens(found):
    assert found(LAZY + USED_FIRST) == [HEAD.count("\n") + 7]
