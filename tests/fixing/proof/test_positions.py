"""What a constructor did to a handle: a newly opened one is without it."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import LAZY, opened, worse

SQL = "return sqlite3.connect(self.path)"


def lazy_connection(setting_up: str, opener: str = SQL) -> list[str]:
    """Return the reasons against a lazy connection that a helper sets up while an object is made."""
    helper = f"""
    def prepare(self):
        {setting_up}

    def __getitem__(self, index):
        return self.file.execute("select x from rows").fetchone()
"""
    before = """
import sqlite_vec

class Setup:
    def __init__(self, connection):
        self.connection = connection

    def run(self):
        self.connection.create_function("squash", 1, len)

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = sqlite3.connect(self.path)
        self.prepare()
"""
    after = """
import sqlite_vec

class Setup:
    def __init__(self, connection):
        self.connection = connection

    def run(self):
        self.connection.create_function("squash", 1, len)

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.prepare()
        self.file.close()
        del self.file
"""
    return worse(before + helper, after + LAZY.format(opener=opener) + helper)


def test_a_connection_that_a_helper_sets_up_is_not_opened_without_that():
    (reason,) = lazy_connection("self.file.create_function('squash', 1, len)")
    assert "sets up `file` with `create_function`" in reason


def test_a_cursor_may_set_its_connection_up():
    assert lazy_connection(
        "cursor = self.file.cursor(); self.file.execute('pragma cache_size = 9')"
    )


def test_a_query_sets_nothing_up():
    assert not lazy_connection(
        "self.count = self.file.execute('select count(*) from rows').fetchone()"
    )


def test_a_query_of_a_kept_text_sets_nothing_up():
    assert not lazy_connection("self.count = self.file.execute(COUNT).fetchone()[0]")


def test_an_opener_that_sets_up_too_stands_in():
    opener = (
        "file = sqlite3.connect(self.path); file.create_function('squash', 1, len); return file"
    )
    assert not lazy_connection("self.file.create_function('squash', 1, len)", opener)


def test_a_part_of_a_connection_is_set_up_with_it():
    (reason,) = lazy_connection("session = self.file.session; session.settings[0].limit = 9")
    assert "sets up `file` with `limit`" in reason


@pytest.mark.parametrize(
    ("setting_up", "operation"),
    [
        ("self.file.cursor().execute('pragma cache_size = 9')", "execute"),
        ("self.file.cursor().setlimit(1, 2)", "setlimit"),
        ("cursor = self.file.cursor(); cursor.execute('pragma cache_size = 9')", "execute"),
        ("setattr(self.file, 'row_factory', sqlite3.Row)", "setattr"),
        ("sqlite_vec.load(self.file)", "load"),
        ("self.file.unheard_of(1)", "unheard_of"),
        ("Setup(self.file).run()", "create_function"),
    ],
)
def test_what_changes_a_connection_is_done_to_a_new_one(setting_up, operation):
    (reason,) = lazy_connection(setting_up)
    assert f"sets up `file` with `{operation}`" in reason


@pytest.mark.parametrize(
    ("second", "again", "refused"),
    [
        ("'pragma temp_store = 2'", "", True),
        ("'pragma temp_store = 2'", "'pragma temp_store = 2'", False),
        ("'pragma temp_store = {}'.format(2)", "'pragma temp_store = {}'.format(2)", False),
        ("setting", "", True),
        ("setting", "SETTING", False),
        ("setting", "'pragma temp_store = 2'", False),
    ],
)
def test_each_of_two_statements_is_executed_again(second, again, refused):
    first = "self.file.execute('pragma cache_size = 9')"
    opener = f"file = sqlite3.connect(self.path); {first.replace('self.', '')}; "
    opener += f"file.execute({again}); return file" if again else "return file"
    assert bool(lazy_connection(f"{first}; self.file.execute({second})", opener)) is refused


@pytest.mark.parametrize("statement", ["setting", "'pragma temp_store = {}'.format(2)"])
def test_a_connection_is_set_up_under_the_local_name_that_it_is_stored_from(statement):
    init = f"self.path = path\nfile = sqlite3.connect(path)\nfile.execute({statement})"
    again = f"file = sqlite3.connect(self.path); file.execute({statement}); return file"
    init += "\nself.file = file"
    assert "sets up `file` with `execute`" in opened(init=init, opener=SQL)[0]
    assert not opened(init=init, opener=again)


def test_errors_that_the_constructor_handled_stay_handled():
    opener = "file = sqlite3.connect(self.path); file.enable_load_extension(True); return file"
    tried = """try:
            self.file.enable_load_extension(True)
        except OSError:
            pass"""
    (reason,) = lazy_connection(tried, opener)
    assert "handles errors of `enable_load_extension`" in reason


STATE = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("fh", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.fh = open(self.path, "rb"){then}
"""


def restored(then: str = "", later: str = "self.fh.read(4)") -> list[str]:
    """Return the reasons against a file that is open again once its object is unpickled."""
    before = f"""
class Records(Dataset):
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.fh = open(self.path, "rb")
        self.header = self.fh.readline()
        self.start = self.fh.tell()

    def first(self):
        return {later}
"""
    return worse(before, before + STATE.format(then=then))


def test_a_file_of_a_state_stands_where_the_constructor_had_left_it():
    (reason,) = restored()
    assert "moved the position of `fh`" in reason


def test_a_file_of_a_state_may_be_read_from_a_given_place():
    assert not restored(later="self.fh.seek(self.start) or self.fh.read(4)")


def test_a_state_that_moves_its_file_on_stands_in():
    assert not restored(then="; self.fh.seek(self.start)")


def test_a_view_of_a_file_that_is_closed_is_not_kept():
    assert opened(
        init="self.file = h5py.File(p, 'r'); self.view = memoryview(self.file)[4:].cast('H')",
        later="file = h5py.File(p, 'r'); self.view = memoryview(file)[4:].cast('H'); file.close()",
        opener="return h5py.File(self.p, 'r')",
        parameters="p",
    )


ITEMS = {
    "a loop over a list": "self.file = [open(p) for p in path]\nfor f in self.file:\n    MOVE",
    "a comprehension": "self.file = [open(p) for p in path]\nself.heads = [MOVE for f in self.file]",
    "a list that is filled": "self.file = []\nfor p in path:\n    f = open(p)\n    self.file.append(f)\n    MOVE",
    "the values of a dict": "self.file = {p: open(p) for p in path}\nfor f in self.file.values():\n    MOVE",
    "the items of a dict": "self.file = {p: open(p) for p in path}\nfor p, f in self.file.items():\n    MOVE",
    "each with its number": "self.file = [open(p) for p in path]\nfor i, f in enumerate(self.file):\n    MOVE",
    "each with another": "self.file = [open(p) for p in path]\nfor f, p in zip(self.file, path):\n    MOVE",
    "one by its number": "self.file = [open(p) for p in path]\nf = self.file[0]\nMOVE",
}
READS = "def __getitem__(self, i):\n    return self.file[i].readline()\n"


@pytest.mark.parametrize("init", ITEMS.values(), ids=ITEMS)
@pytest.mark.parametrize(("move", "moved"), [("f.readline()", True), ("f.name", False)])
def test_the_files_of_a_list_are_not_opened_again_at_another_place(init, move, moved):
    reasons = opened(
        init="self.path = path\n" + init.replace("MOVE", move),
        opener="return [open(p) for p in self.path]",
        body=READS,
    )
    assert any("moved the position of `file`" in reason for reason in reasons) is moved


@pytest.mark.parametrize(
    "opening",
    [
        "setattr(self, 'file', sqlite3.connect(path))",
        "self.file = contextlib.ExitStack().enter_context(sqlite3.connect(path))",
        "self.file = self.open(path)",
    ],
    ids=["by setattr", "by an exit stack", "by a method"],
)
def test_a_connection_is_known_by_whatever_opens_it(opening):
    reasons = opened(
        init=f"self.path = path\n{opening}\nself.file.row_factory = dict",
        opener="return sqlite3.connect(self.path)",
        body="def open(self, path):\n    return sqlite3.connect(path)\n",
    )
    assert any("row_factory" in reason for reason in reasons)


OF_A_TABLE = {
    "set up": ("self.file.create_function('half', 1, len)", "", True),
    "set up again": (
        "self.file.create_function('half', 1, len)",
        "self.file.create_function('half', 1, len)",
        False,
    ),
    "moved on": ("self.header = self.file.readline()", "", True),
    "asked": ("self.rows = self.file.execute('select x').fetchall()", "", False),
}


@pytest.mark.parametrize(("use", "again", "refused"), OF_A_TABLE.values(), ids=OF_A_TABLE)
def test_what_an_opener_out_of_a_table_gives_is_set_up_again_as_well(use, again, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = OPENERS['sql'](path)\n{use}",
        opener=f"file = OPENERS['sql'](self.path)\n{again.replace('self.', '')}\nreturn file",
        body="def __getitem__(self, index):\n    return self.file.readline()\n",
    )
    assert refused == any("sets up `file`" in r or "position of `file`" in r for r in reasons)


SKIPPED = {
    "a caller skips": ("rows.skip()", "self.file.readline()", True),
    "a caller skips through a helper": ("rows.skip()", "self._next()", True),
    "a caller skips, and a list is read": ("rows.skip()", "list(self.file)", True),
    "nobody skips": ("", "self.file.readline()", False),
    "a caller asks for the name": ("rows.skip()", "return self.file.name", False),
}


@pytest.mark.parametrize(("call", "skip", "refused"), SKIPPED.values(), ids=SKIPPED)
def test_a_stream_that_callers_move_on_is_not_opened_at_its_first_place(call, skip, refused):
    reasons = opened(
        init="self.path = path\nself.file = open(path)",
        opener="return open(self.path)",
        body=(
            f"def skip(self):\n    {skip}\n\ndef _next(self):\n    self.file.readline()\n\n"
            "def __iter__(self):\n    yield from self.file\n"
        ),
        program=f"rows = Rows('a')\n{call}\nDataLoader(rows, num_workers=2)\n",
    )
    assert refused == any("position of `file` is moved" in reason for reason in reasons)


ITEM_SET = {
    "in the constructor": ("self.file[0] = 7", True),
    "by a function": ("tune(self.file)", True),
    "of what a method returns": ("tune(self.opened())", True),
    "by nobody": ("look(self.file)", False),
    "with a function beside it": ("self.keys = sorted('ab', key=lambda k: k)", False),
}


@pytest.mark.parametrize(("statement", "refused"), ITEM_SET.values(), ids=ITEM_SET)
def test_items_that_the_constructor_sets_are_set_again(statement, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = mmap.mmap(path, 0)\n{statement}",
        later="self.path = path",
        opener="return mmap.mmap(self.path, 0)",
        body="def opened(self):\n    return self.file\n",
        program="def tune(handle):\n    handle[0] = 7\n\ndef look(handle):\n    return handle[0]\n",
    )
    assert refused == any("sets up `file` with `__setitem__`" in reason for reason in reasons)


OPENED = """
def opened(self):
    return self.file

def __getitem__(self, index):
    handle = self.opened()
    {read}
"""


@pytest.mark.parametrize(
    ("read", "refused"),
    [
        ("return handle.read(1)", True),
        ("return self.opened().read(1)", True),
        ("handle.seek(index)\n    return handle.read(1)", False),
        ("return handle[index]", False),
    ],
)
def test_a_method_that_gives_a_handle_reads_on_where_the_constructor_stopped(read, refused):
    reasons = opened(
        init="self.path = path\nself.file = mmap.mmap(path, 0)\nself.opened().seek(2)",
        later="self.path = path",
        opener="return mmap.mmap(self.path, 0)",
        body=OPENED.format(read=read),
    )
    assert refused == any("starts at the beginning" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("reads", "refused"),
    [
        ("one = self.file[index]; one.seek(index); return one.read(1)", False),
        ("one = self.file[index]; return one.read(1)", True),
        ("one = self.file[index]; one.seek(2, 1); return one.read(1)", True),
        ("one = self.file[next(self.file[0])]; one.seek(index); return one.read(1)", True),
    ],
)
def test_a_method_that_names_one_of_several_streams_goes_to_its_place_first(reads, refused):
    reasons = opened(
        init="self.paths = paths\nself.file = [open(p, 'rb') for p in paths]\nfor each in self.file:\n    each.readline()",
        later="self.paths = paths\nfor p in paths:\n    with open(p, 'rb') as each:\n        each.readline()",
        opener="return [open(p, 'rb') for p in self.paths]",
        parameters="paths",
        body=f"def __getitem__(self, index):\n    {reads}\n",
    )
    assert refused == any("starts at the beginning" in reason for reason in reasons)


HEADERS = {
    "a function": ("self.name = first(self.file)", True),
    "a method": ("self.name = self.head(self.file)", True),
    "a class": ("self.name = Head(self.file)", True),
    "a library": ("self.name = numpy.fromfile(self.file)", True),
    "a library, a part": ("self.name = list(itertools.islice(self.file, 2))", True),
    "a function that only asks": ("self.name = asks(self.file)", False),
    "a library that only wraps": ("self.name = contextlib.closing(self.file)", False),
}


@pytest.mark.parametrize(("header", "refused"), HEADERS.values(), ids=HEADERS)
def test_who_gets_a_stream_of_the_constructor_may_read_from_it(header, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = open(path, 'rb')\n{header}",
        later="self.path = path\nself.name = 1",
        opener="return open(self.path, 'rb')",
        body="@staticmethod\ndef head(stream):\n    return stream.readline()\n\n"
        "def __iter__(self):\n    return iter(self.file)\n",
        program="import itertools\nimport numpy\n\ndef first(file):\n    return file.readline()\n\n"
        "def asks(file):\n    return file.name\n\nclass Head:\n    def __init__(self, file):\n"
        "        self.text = file.readline()\n",
    )
    assert refused == any("starts at the beginning" in each for each in reasons)


SEVERAL = """
class Bytes(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.files = [open(path, "rb") for path in paths]
        self.first = self[0]

    def close(self):
        for file in self.files:
            {closes}

    def __getitem__(self, index):
        file = self.files[index % 2]
        file.seek(index)
        return file.read(1)
"""


@pytest.mark.parametrize(
    ("closes", "moved"), [("file.close()", False), ("self.last = file.read(1)", True)]
)
def test_a_method_that_only_closes_each_of_several_files_reads_none(closes, moved):
    before = SEVERAL.format(closes=closes)
    opener = '[open(path, "rb") for path in {}]'
    after = before.replace(f"        self.files = {opener.format('paths')}\n", "")
    lazy = LAZY.replace("file", "files").format(opener=f"return {opener.format('self.paths')}")
    after = after.replace("        self.first = self[0]\n", "        self.first = self[0]\n" + lazy)
    reasons = worse(before, after)
    assert any("moved the position of `files`" in reason for reason in reasons) is moved
