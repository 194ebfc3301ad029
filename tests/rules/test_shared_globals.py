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
GOT = """
_archives = {}

def archive(path):
    opened = _archives.get(path)
    if opened is None:
        opened = _archives[path] = zipfile.ZipFile(path)
    return opened
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
        pytest.param(GOT + READER + MAIN_WITH_PATH, id="taken from a dict if it is there"),
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
            GOT.replace("if opened is None", "kind = _kinds.get(path)\n    if kind == 'zip'")
            .replace("_archives = {}", "_archives, _kinds = {}, {}") + READER + MAIN_WITH_PATH,
            id="opened only where another dict says so",
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


READS = READER.replace("        self.names = archive(path).namelist()\n", "").replace("len(self.names)", "8").replace(
    "self.names[index]", "str(index)"
)  # fmt: skip
USE = """
if __name__ == "__main__":
    notes = Notes("notes.zip")
    USED
    for batch in DataLoader(notes, num_workers=2): print(batch)
"""
BY_HELPER = """
def part(path, name):
    opened = archive(path)
    return opened.read(name)
"""
PROPERTY = READS.replace("archive(self.path).read", "self.opened.read").replace(
    "    def __len__",
    "    @property\n    def opened(self): return archive(self.path)\n    def __len__",
)
METHOD = READS.replace("archive(self.path).read", "self.opened().read").replace(
    "    def __len__",
    "    @functools.lru_cache\n    def opened(self): return zipfile.ZipFile(self.path)\n    def __len__",
)
NAMES = READS.replace(
    "    def __len__", "    def names(self): return archive(self.path).namelist()\n    def __len__"
)


def used(line: str) -> str:
    return USE.replace("USED", line)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(CACHED + READS + used("print(notes[0])"), id="an item is read"),
        pytest.param(KEYED + READS + used("print(notes[0])"), id="an item is read from a dict cache"),
        pytest.param(CACHED + READS + used("archive('notes.zip')"), id="the function is called"),
        pytest.param(CACHED + NAMES + used("print(notes.names())"), id="a method is called"),
        pytest.param(CACHED + PROPERTY + used("print(notes.opened)"), id="a property is read"),
        pytest.param(METHOD + used("print(notes[0])"), id="the cache is of a method"),
        pytest.param(LAZY + USED_FIRST.replace("connection()", "Notes()[0], Notes()").replace(
            ".execute(\"select 1\")", ""), id="an item is read and a global holds it"),
        pytest.param(
            CACHED + READS.replace("8", "len(archive(self.path).namelist())") + used("print(len(notes))"),
            id="the length is asked for",
        ),
        pytest.param(
            CACHED + BY_HELPER + READS.replace("archive(self.path).read(", "part(self.path, ")
            + used("print(notes[0])"),
            id="a helper gets the path",
        ),
        pytest.param(CACHED + READS + used("for note in notes: print(note)"), id="it is gone through"),
        pytest.param(
            CACHED + READS.replace("archive(self.path)", "archive(os.path.join('a', self.path))")
            + used("print(notes[0])"),
            id="the path is joined",
        ),
    ],
)  # fmt: skip
def test_what_a_use_of_the_dataset_opens_in_the_parent_is_found(found, source: str):
    assert len(found(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(CACHED + READS + used("pass"), id="nothing is used"),
        pytest.param(
            CACHED + READS + used("print(Notes('other.zip')[0])"), id="another dataset is used"
        ),
        pytest.param(
            CACHED + NAMES + used("print(Notes('other.zip').names())"),
            id="a method of another dataset is called",
        ),
        pytest.param(CACHED + READS + used("archive('other.zip')"), id="another file is asked for"),
        pytest.param(
            CACHED + READS.replace("(self.path)", "(f'{index}.zip')") + used("print(notes[0])"),
            id="each item has a file of its own",
        ),
        pytest.param(
            CACHED + BY_HELPER + READS.replace("archive(self.path).read(", "part(str(index), ")
            + used("print(notes[0])"),
            id="a helper gets the item",
        ),
        pytest.param(
            CACHED + BY_HELPER + READS.replace("archive(self.path).read(", "part(self.path, ")
            + used("part('other.zip', '0')"),
            id="a helper gets another file",
        ),
        pytest.param(
            CACHED + READS + used("if os.environ.get('CHECK'): print(notes[0])"), id="under a test"
        ),
        pytest.param(
            CACHED + READS + used("pass") + "    print(notes[0])\n", id="after the loop"
        ),
        pytest.param(
            CACHED + READS.replace("return archive", "return index and archive")
            + used("print(notes[0])"),
            id="the item is not always read",
        ),
        pytest.param(
            CACHED + READS + "\ndef look(given): return given[0]\n" + used("print(look)"),
            id="what reads an item is not called",
        ),
        pytest.param(
            CACHED + READS + used("print(notes[0]); archive.cache_clear()"), id="the cache is emptied"
        ),
        pytest.param(
            CACHED + READS.replace("__getitem__(self, index): return", "__iter__(self): yield")
            .replace("index", "0") + used("print(iter(notes))"),
            id="a generator that has not begun",
        ),
        pytest.param(
            METHOD + used("print(Notes('notes.zip')[0])"), id="the cache is of another object's method"
        ),
        pytest.param(
            CACHED + READS + """
if __name__ == "__main__":
    every = [Notes(name) for name in ("a.zip", "b.zip")]
    print(every[0][0])
    for batch in DataLoader(every[1], num_workers=2): print(batch)
""",
            id="one of several",
        ),
        pytest.param(
            CACHED + READS + """
def train(one, other):
    print(one[0])
    for batch in DataLoader(other, num_workers=2): print(batch)

if __name__ == "__main__":
    train(Notes("a.zip"), Notes("b.zip"))
""",
            id="the other one is sent",
        ),
    ],
)  # fmt: skip
def test_what_the_workers_open_again_is_not_found(found, source: str):
    assert found(source) == []


ON_CLASS = """
class Notes(Dataset):
    _db = None

    @classmethod
    def db(cls):
        if cls._db is None:
            cls._db = sqlite3.connect("notes.db")
        return cls._db

    def __len__(self): return 8
    def __getitem__(self, index): return self.db().execute("select ?", (index,)).fetchone()
"""
BY_OBJECT = ON_CLASS.replace("    @classmethod\n", "").replace("cls._db", "type(self)._db")
BY_OBJECT = BY_OBJECT.replace("db(cls)", "db(self)")
ON_NEW = used("print(notes[0])").replace("Notes('notes.zip')", "Notes()").replace('"notes.zip"', "")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(ON_CLASS + ON_NEW, id="by the class"),
        pytest.param(BY_OBJECT + ON_NEW, id="by the class of an object"),
        pytest.param(
            ON_CLASS.replace("    def __len__", "    def __init__(self): self.db()\n    def __len__")
            + MAIN,
            id="in the constructor",
        ),
        pytest.param(
            ON_CLASS.replace("if cls._db is None", "if not hasattr(cls, '_db')")
            .replace("    _db = None\n", "") + ON_NEW,
            id="asked by its name",
        ),
    ],
)  # fmt: skip
def test_what_the_parent_keeps_on_a_class_and_a_forked_worker_uses_is_found(found, source: str):
    assert len(found(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(ON_CLASS + MAIN, id="only workers open it"),
        pytest.param(
            ON_CLASS.replace("        if cls._db is None:\n    ", "") + ON_NEW, id="opened each time"
        ),
        pytest.param(
            ON_CLASS + ON_NEW.replace("    for", "    Notes._db = None\n    for"), id="forgotten before"
        ),
        pytest.param(
            ON_CLASS + ON_NEW.replace("    for", "    Notes._db.close()\n    for"), id="closed before"
        ),
        pytest.param(
            BY_OBJECT + ON_NEW.replace("print(notes[0])", "print(Notes()[0])"), id="another object's"
        ),
        pytest.param(
            ON_CLASS.replace("if cls._db is None", "if cls._db is None or os.getpid() != cls.pid")
            + ON_NEW,
            id="kept for each process",
        ),
    ],
)  # fmt: skip
def test_what_each_process_keeps_on_a_class_is_not_found(found, source: str):
    assert found(source) == []


def test_a_program_that_never_forks_has_no_such_finding(found):
    assert found(DIRECT + MAIN, target_start_methods=("spawn", "forkserver")) == []


def test_the_place_is_the_call_that_opens(found):
    assert found(LAZY + USED_FIRST) == [HEAD.count("\n") + 7]


STORE = """
class Store:
    _files = {}

    @classmethod
    def file(cls, path):
        opened = cls._files.get(path)
        if opened is None:
            opened = cls._files[path] = open(path, "rb")
        return opened

    @classmethod
    def size(cls, path): return cls.file(path).seek(0, 2)

    @classmethod
    def part(cls, path, index):
        opened = cls.file(path)
        opened.seek(index)
        return opened.read(1)

    @classmethod
    def forget(cls, path):
        pass

class Notes(Dataset):
    def __init__(self, path):
        self.path = path
        self.size = Store.size(path)
    def __len__(self): return self.size
    def __getitem__(self, index): return Store.part(self.path, index)
"""
LOOK = STORE[
    STORE.index("        opened = cls._files.get") : STORE.index("        return opened\n")
]
ASKED = "        if path not in cls._files:\n            cls._files[path] = open(path, 'rb')\n        opened = cls._files[path]\n"
TRIED = "        try: opened = cls._files[path]\n        except KeyError: opened = cls._files[path] = open(path, 'rb')\n"
LEFT = "        if path in cls._files: return cls._files[path]\n        opened = cls._files[path] = open(path, 'rb')\n"
OWN = """
class Notes(Dataset):
    _files = {}
    def __init__(self, path):
        self.path = path
        self.size = self.file(path).seek(0, 2)
    def file(self, path):
        if path not in self._files:
            self._files[path] = open(path, "rb")
        return self._files[path]
    def __len__(self): return self.size
    def __getitem__(self, index): return self.file(self.path).read(1)
"""


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(STORE, id="taken by a class method if it is there"),
        pytest.param(STORE.replace(LOOK, ASKED), id="asked for by its key"),
        pytest.param(STORE.replace(LOOK, TRIED), id="tried first"),
        pytest.param(STORE.replace(LOOK, LEFT), id="returned at once if it is there"),
        pytest.param(
            STORE.replace("@classmethod", "@staticmethod").replace("(cls, ", "(").replace("cls.", "Store."),
            id="by the name of the class",
        ),
        pytest.param(
            STORE.replace("class Notes(Dataset)", "class Part(Store): ...\nclass Notes(Dataset)")
            .replace("Store.size", "Part.size").replace("Store.part", "Part.part"),
            id="of a base class",
        ),
        pytest.param(OWN, id="read by an object"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("made", ["Notes('notes.zip')", "Notes(*names)"])
def test_what_the_parent_keeps_in_a_dict_of_a_class_is_found(found, source: str, made: str):
    names = "import sys\nnames = sys.argv[1:]\n" if "names" in made else ""
    assert len(found(names + source + MAIN.replace("Notes()", made))) == 1


FORGOTTEN = MAIN_WITH_PATH.replace("    for", "    notes = Notes('notes.zip')\n    FORGET\n    for").replace(
    "(Notes('notes.zip')", "(notes"
)  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(STORE.replace("Store.size(path)", "os.path.getsize(path)"), id="only workers open it"),
        pytest.param(
            STORE.replace("get(path)", "get((path, os.getpid()))").replace("[path]", "[path, os.getpid()]"),
            id="kept for each process",
        ),
        pytest.param(
            STORE.replace("        opened.seek(index)\n", "").replace(
                "opened.read(1)", "os.pread(opened.fileno(), 1, index)"
            ),
            id="read at positions of its own",
        ),
        pytest.param(STORE.replace("Store.size(path)", "Store.size('index')"), id="another file"),
        pytest.param(
            STORE.replace("Store.size(path)", "Store.size(path) if os.environ.get('A') else 4"),
            id="not always opened",
        ),
        pytest.param(
            STORE.replace("        opened = cls", "        if os.environ.get('A'): return cls._files[path]\n        opened = cls"),
            id="not opened where it is said to be there",
        ),
        pytest.param(
            STORE.replace("        pass\n", "        cls._files.pop(path).close()\n"), id="taken out and closed"
        ),
        pytest.param(
            STORE.replace("        pass\n", "        cls._files[path].close()\n        del cls._files[path]\n"),
            id="closed and deleted",
        ),
        pytest.param(
            STORE.replace("        pass\n", "        for each in cls._files.values(): each.close()\n"),
            id="all are closed",
        ),
    ],
)  # fmt: skip
def test_what_a_dict_of_a_class_does_not_surely_share_is_not_found(found, source: str):
    assert found(source + MAIN_WITH_PATH) == []


@pytest.mark.parametrize("forget", ["Store._files.clear()", "Store._files = {}"])
def test_what_the_script_takes_out_of_a_class_before_the_loop_is_not_found(found, forget: str):
    assert found(STORE + FORGOTTEN.replace("FORGET", forget)) == []


KEYED = """
import zipfile
from torch.utils.data import DataLoader, Dataset
CACHE = {{}}
def load(path, names):
    {before}
    if path not in CACHE:
        CACHE[path] = zipfile.ZipFile(path)
    return [CACHE[path].read(name) for name in names]
class Parts(Dataset):
    def __init__(self, path):
        self.path = path
        self.names = load(path, ["index"])
    def __len__(self): return 4
    def __getitem__(self, i): return load({path}, ["part"])
def main():
    list(DataLoader(Parts("m.zip"), num_workers=2))
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("before", "path", "found"),
    [
        ("pass", "self.path", ["DLF211"]),
        ("pass", "str(i)", []),
        ("path = path + str(names)", "self.path", []),
        ("path = str(path)", "self.path", ["DLF211"]),
        ("path = str(path)", "__import__('pathlib').Path(self.path)", ["DLF211"]),
        ("if not path.endswith('.zip'): return []", "self.path", ["DLF211"]),
        ("if not names: return []", "self.path", []),
    ],
)
def test_only_what_makes_up_the_key_tells_calls_apart(tmp_path, before, path, found):
    (tmp_path / "main.py").write_text(KEYED.format(before=before, path=path), encoding="utf-8")
    session = Session([tmp_path / "main.py"], Settings(select=("DLF211",)))
    assert [each.finding.code for each in session.diagnoses()] == found


FIRST = """
class Notes(Dataset):
    def __init__(self, path):
        self.path = path
        self.first = STATISTICS
    def note(self, index): return archive(self.path).read(str(index))
    def __len__(self): return 8
    def __getitem__(self, index): return self.note(index)
"""


@pytest.mark.parametrize(
    ("statistics", "found_at"),
    [
        ("[len(self.note(i)) for i in range(5)]", 1),
        ("sum([len(self.note(i)) for i in (0, 1) for j in range(2)])", 1),
        ("[len(self.note(i)) for i in range(path)]", 0),
        ("[len(self.note(i)) for i in range(5) if path]", 0),
        ("(len(self.note(i)) for i in range(5))", 0),
        ("[len(self.note(i)) for i in range(0)]", 0),
    ],
)
def test_a_loop_that_has_a_round_surely_opens(found, statistics: str, found_at: int):
    source = CACHED + FIRST.replace("STATISTICS", statistics) + MAIN_WITH_PATH
    assert len(found(source)) == found_at


LATER = """
class Reader(Dataset):
    def __init__(self, path, names): self.path, self.names = path, names
    def __len__(self): return len(self.names)
    def __getitem__(self, index): return archive(self.path).read(self.names[index])

class Notes:
    def __init__(self, path):
        names = archive(READ).namelist()
        self.rows = Reader(path, names)
    def train_dataloader(self):
        return DataLoader(self.rows, num_workers=2)
"""


@pytest.mark.parametrize(("read", "is_found"), [("path", True), ("path + '.new'", False)])
def test_the_constructor_of_what_starts_the_workers_has_run(found, read: str, is_found: bool):
    assert bool(found(CACHED + LATER.replace("READ", read))) == is_found


ENGINE = """
import sqlalchemy
engine = sqlalchemy.create_engine("postgresql://localhost/rows"{options})

def count():
    with engine.connect() as connection: return connection.execute("select 8").scalar()

class Rows(Dataset):
    def __init__(self, length): self.length = length
    def __len__(self): return self.length
    def __getitem__(self, index):
        with engine.connect() as connection: return connection.execute("select 1").scalar()

def configure(worker):
    {configure}

if __name__ == "__main__":
    {before}
    for batch in DataLoader(Rows({length}), num_workers=2, worker_init_fn=configure): print(batch)
    {after}
"""


@pytest.mark.parametrize(
    ("parts", "is_found"),
    [
        ({"length": "count()"}, True),
        ({"before": "length = count()"}, True),
        ({"before": "engine.begin().close()"}, True),
        ({}, False),  # workers make all connections
        ({"after": "print(count())"}, False),
        ({"before": "if len(os.environ) > 1: count()"}, False),
        ({"before": "print(engine.url)"}, False),
        ({"length": "count()", "configure": "engine.dispose(close=False)"}, False),
        ({"before": "count(); engine.dispose()"}, False),
        ({"length": "count()", "options": ", poolclass=sqlalchemy.pool.NullPool"}, False),
    ],
)
def test_a_client_is_shared_once_the_parent_has_connected(
    found, parts: dict[str, str], is_found: bool
):
    given = {"options": "", "configure": "pass", "before": "pass", "length": "8", "after": "pass"}
    assert bool(found(ENGINE.format(**(given | parts)))) is is_found
