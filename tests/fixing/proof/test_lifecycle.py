"""An object goes through its life as before: made, pickled, used, closed."""

import textwrap

import pytest

from tests.fixing.proof.pairs import LAZY, opened, worse

CLOSED = "self.path = path\nwith contextlib.closing(self.file):\n    {0}\ndel self.file"
DROP = """
    def __getstate__(self):
        state = self.__dict__.copy()
        {opener}
        return state
"""


def test_an_attribute_is_set_before_the_opener_reads_it():
    reasons = opened(
        init="self.file = h5py.File(path)\nself.n = len(self.file['x'])\nself.path = path",
        later="with contextlib.closing(self.file):\n    self.n = len(self.file['x'])\ndel self.file\nself.path = path",
    )
    assert any("may not be set" in reason for reason in reasons)


def test_it_is_set_on_every_way_through_the_constructor():
    reasons = opened(
        init="self.flag = flag\nif flag:\n    self.n = 1\nself.file = h5py.File(path)",
        later="self.flag = flag\nif flag:\n    self.n = 1\n    self.path = path",
        parameters="path, flag",
    )
    assert any("`path` may not be set" in reason for reason in reasons)


def test_the_same_condition_guards_both():
    assert not opened(
        init="self.flag = flag\nif flag:\n    name = path\n    self.file = h5py.File(name)\nelse:\n    self.file = h5py.File('b')",
        later="self.flag = flag\nif flag:\n    name = path\n    self.name = name",
        opener="if self.flag:\n    return h5py.File(self.name)\nreturn h5py.File('b')",
        parameters="path, flag",
    )


def test_an_early_return_leaves_attributes_unset():
    assert opened(
        init="self.file = h5py.File(path)\nif flag:\n    return\nself.n = 1",
        later="if flag:\n    return\nself.n = 1\nself.path = path",
        parameters="path, flag",
    )


UNSET = {
    "deleted": 'del state["names"]',
    "popped": 'state.pop("names", None)',
}


@pytest.mark.parametrize("statement", UNSET.values(), ids=UNSET)
def test_what_the_state_leaves_out_is_not_read_in_a_worker(statement):
    both = "self.path = path\nself.names = iter([path])"
    reasons = opened(
        init=both,
        later=both,
        getter=DROP,
        opener=statement,
        body="def __getitem__(self, index):\n    return next(self.names)\n",
    )
    assert "in a worker" in reasons[0]


EMPTY = {
    "without a question": "return self.file['x'][index]",
    "under a flag": "if not self.ready:\n    self.file = h5py.File(self.path)\nreturn self.file['x']",
    "after a question about another": "if self.path is None:\n    self.file = h5py.File('a')\nreturn self.file['x']",
}


@pytest.mark.parametrize("use", EMPTY.values(), ids=EMPTY)
def test_what_a_worker_finds_empty_is_not_used(use):
    body = "def __getitem__(self, index):\n    " + use.replace("\n", "\n    ") + "\n"
    body += "\ndef connect(self):\n    self.file = h5py.File(self.path)\n    self.ready = True\n"
    both = "self.path = path\nself.ready = False\nself.file = None"
    assert opened(init=both, later=both, getter=DROP, opener='state["file"] = None', body=body)


def test_a_worker_that_asks_first_may_find_it_empty():
    body = "def __getitem__(self, index):\n    if self.file is None:\n        self.file = h5py.File(self.path)\n    return self.file['x']\n"
    both = "self.path = path\nself.file = None"
    assert not opened(init=both, later=both, getter=DROP, opener='state["file"] = None', body=body)


ENTERED = """
class Reader:
    def __init__(self, path):
        self.path = path
        {0}

{1}
    def {2}(self):
        self.map = open(self.path, "rb")
        return self

    def read(self, index):
        return self.map.read(index)
"""
BY_PROCESS = """
    @property
    def map(self):
        return self._map_by_pid.get(os.getpid())

    @map.setter
    def map(self, map):
        self._map_by_pid[os.getpid()] = map
"""


@pytest.mark.parametrize("name", ["__enter__", "connect", "start"])
def test_what_the_parent_alone_opens_is_not_taken_from_the_workers(name):
    before = ENTERED.format("self.map = None", "", name)
    after = ENTERED.format("self._map_by_pid = {}", BY_PROCESS, name)
    assert "used in a worker before it is opened" in worse(before, after)[0]


CLOSES = {
    "None": (
        "h5py.File(path) if path else None",
        "return h5py.File(self.path) if self.path else None",
    ),
    "an array": ("np.load(path)", "return np.load(self.path)"),
    "a mapped array": ("np.load(path, mmap_mode='r')", "return np.load(self.path, mmap_mode='r')"),
    "a memmap": ("np.memmap(path)", "return np.memmap(self.path)"),
}


@pytest.mark.parametrize(("value", "opener"), CLOSES.values(), ids=CLOSES)
def test_nothing_is_closed_that_may_be(value, opener):
    reasons = opened(
        init=f"self.path = path\nself.file = {value}\nself.n = len(self.file)",
        later=CLOSED.format("self.n = len(self.file)"),
        opener=opener,
        body="def __getitem__(self, index):\n    return self.file[index]\n",
    )
    assert any("`file`, which" in reason for reason in reasons)


def test_what_a_caller_passed_in_is_not_closed():
    before = "class Rows(Dataset):\n    def __init__(self, file):\n        self.file = file\n        self.n = len(file)\n"
    after = before + "        self.file.close()\n"
    assert "which a caller passed in" in worse(before, after)[0]
    either = before.replace("= file\n", "= file or h5py.File('a')\n", 1)
    assert "which a caller passed in" in worse(either, either + "        self.file.close()\n")[0]


def test_an_archive_may_be_closed():
    assert not opened(
        init="self.path = path\nself.file = np.load(path)\nself.n = len(self.file['x'])",
        later=CLOSED.format("self.n = len(self.file['x'])"),
        opener="return np.load(self.path)",
    )


def test_what_was_closed_still_is():
    closing = "\n    def close(self):\n        {0}\n"
    before = "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n        self.file = h5py.File(path)\n"
    after = (
        "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n"
        + LAZY.format(opener="return h5py.File(self.path)")
    )
    assert worse(before + closing.format("self.file.close()"), after + closing.format("pass"))
    asks = 'if "file" in self.__dict__:\n            self.file.close()'
    assert not worse(before + closing.format("self.file.close()"), after + closing.format(asks))


LIVE = {
    "a dataset of the file": "self.x = self.file['x']",
    "a dataset by a name": "self.x = self.file[self.path]",
    "a descriptor": "self.x = self.file.fileno()",
    "a cursor": "self.x = self.file.cursor()",
    "an iterator": "self.x = iter(self.file)",
    "a view of the keys": "self.x = self.file.keys()",
    "a list of datasets": "self.x = [self.file[k] for k in 'ab']",
    "a dict of datasets": "self.x = {k: self.file[k] for k in 'ab'}",
    "a generator": "self.x = (self.file[k] for k in 'ab')",
    "a reader over it": "self.x = Reader(self.file)",
    "a bound method": "self.x = self.file.read",
    "one by another name": "f = self.file\n    self.x = f['x']",
}


@pytest.mark.parametrize("kept", LIVE.values(), ids=LIVE)
def test_nothing_is_kept_that_dies_with_its_handle(kept):
    reasons = opened(
        init=f"self.path = path\nself.file = h5py.File(path)\n{kept.replace('    ', '')}",
        later=CLOSED.format(kept),
        body="def first(self):\n    return self.x\n",
    )
    assert any(
        "but the constructor closes the resource that it is derived from" in reason
        for reason in reasons
    )


DEAD = {
    "a slice": "self.x = self.file['x'][:]",
    "a length": "self.x = len(self.file['x'])",
    "a list of names": "self.x = sorted(self.file.keys())",
    "a row": "self.x = self.file.execute('SELECT 1').fetchone()[0]",
    "a shape": "self.x = self.file['x'].shape",
    "an array": "self.x = np.asarray(self.file['x'])",
}


@pytest.mark.parametrize("kept", DEAD.values(), ids=DEAD)
def test_what_is_read_into_memory_may_be_kept(kept):
    assert not opened(
        init=f"self.path = path\nself.file = h5py.File(path)\n{kept}",
        later=CLOSED.format(kept),
        body="def first(self):\n    return self.x\n",
    )


ASKING = {
    "by hasattr": "if not hasattr(self, 'file'):\n        self.file = h5py.File(self.path)",
    "by getattr": "if getattr(self, 'file', None) is None:\n        self.file = h5py.File(self.path)",
    "by its value": "if self.file is None:\n        self.file = h5py.File(self.path)",
}
OPENER = "def open(self):\n    {0}"


@pytest.mark.parametrize("asks", ASKING.values(), ids=ASKING)
def test_a_property_does_not_call_what_asks_for_it(asks):
    reasons = opened(
        init="self.path = path\nself.open()",
        opener="self.open()\nreturn self._file",
        body=OPENER.format(asks),
    )
    assert any("infinite recursion" in reason for reason in reasons)


def test_a_property_may_call_what_sets_it_first():
    reasons = opened(
        init="self.path = path\nself.open()",
        opener="self.open()\nreturn self._file",
        body=OPENER.format("self.file = h5py.File(self.path)\n    self.n = len(self.file)"),
    )
    assert not any("infinite recursion" in reason for reason in reasons)


def test_a_cached_value_is_not_deleted_before_it_is_made():
    reasons = opened(later="self.path = path\ndel self.file")
    assert "`file` may not be set" in reasons[0]


def test_a_cached_value_that_a_comprehension_went_through_is_there():
    init = "self.path = path\nself.file = h5py.File(path)\nself.n = [len(x) for x in self.file]"
    later = (
        "self.path = path\nself.n = [len(x) for x in self.file]\nself.file.close()\ndel self.file"
    )
    assert not any("not be set" in reason for reason in opened(init=init, later=later))


def test_a_setter_sets_what_its_property_reads():
    accessors = """
    @property
    def path(self):
        return self._path

    @path.setter
    def path(self, path):
        self._path = str(path)
"""
    assert opened(body=textwrap.dedent(accessors)) == []


def test_what_a_base_outside_sets_may_be_read_later():
    before = """
    class Player(threading.Thread):
        def __init__(self):
            super().__init__(name="player")
            self.file = open(self.name)

        def run(self):
            print(self.file)
    """
    after = """
    class Player(threading.Thread):
        def __init__(self):
            super().__init__(name="player")

        @functools.cached_property
        def file(self):
            return open(self.name)

        def __getstate__(self):
            state = self.__dict__.copy()
            state.pop("file", None)
            return state

        def run(self):
            print(self.file)
    """
    assert not [reason for reason in worse(before, after) if "`name`" in reason]


READ_BY_A_NUMBER = {
    "counted": "for i in range(3):\n    self.rows.append({0}['x'][i])",
    "of an enumeration": "for i, name in enumerate(names):\n    self.rows.append({0}['x'][i])",
    "of a list of numbers": "chosen = []\nfor i in range(3):\n    if i != 1:\n        chosen.append(i)\n"
    "for k in range(len(chosen)):\n    self.rows.append({0}['x'][chosen[k]])",
    "computed": "for i in range(3):\n    at = i * 2 + len(names)\n    self.rows.append({0}['x'][at])",
    "in a comprehension": "self.rows += [{0}['x'][i] for i in range(3)]",
}
READ_BY_A_NAME = {
    "of a loop": "for name in names:\n    self.rows.append({0}[name])",
    "of an enumeration": "for i, name in enumerate(names):\n    self.rows.append({0}[name])",
    "of a list": "chosen = [0]\nchosen.extend(names)\nself.rows.append({0}[chosen[1]])",
    "bound twice": "i = 0\nfor i in names:\n    self.rows.append({0}[i])",
    "one of several": "both = [{0}['x'], {0}['y']]\nself.rows.append(both[0])",
}


def _kept_rows(statement):
    use = "\ndef __getitem__(self, i):\n    return self.rows[i]"
    init = "self.file = h5py.File(path)\nself.rows = []\n" + statement.format("self.file")
    later = "with h5py.File(path) as file:\n    self.rows = []\n" + textwrap.indent(
        statement.format("file"), "    "
    )
    return opened(init=init, later=later, getter="", parameters="path, names", body=use)


@pytest.mark.parametrize("statement", READ_BY_A_NUMBER.values(), ids=READ_BY_A_NUMBER)
def test_an_item_by_a_number_is_read_at_once(statement):
    assert not [reason for reason in _kept_rows(statement) if "holds a resource" in reason]


@pytest.mark.parametrize("statement", READ_BY_A_NAME.values(), ids=READ_BY_A_NAME)
def test_an_item_by_a_name_may_be_a_view(statement):
    assert any("holds a resource" in reason for reason in _kept_rows(statement))


CLOSER = """

    def close(self):
        {0}

    @property
    def closed(self):
        {1}
"""
ASKED = 'if "file" in self.__dict__:\n            {0}'


@pytest.mark.parametrize(
    ("close", "closed", "reason"),
    [
        (
            ASKED.format("self.file.close()"),
            ASKED.format("return self.file.closed"),
            "returns None",
        ),
        (ASKED.format("self.file.close()"), "return self.file.closed", "`file.closed` is read"),
    ],
)
def test_code_may_ask_whether_a_handle_is_closed(close, closed, reason):
    before = "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path)\n"
    after = (
        "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n"
        + LAZY.format(opener="return open(self.path)")
    )
    eager = CLOSER.format("self.file.close()", "return self.file.closed")
    assert any(
        reason in each for each in worse(before + eager, after + CLOSER.format(close, closed))
    )


def test_a_closer_may_ask_whether_its_handle_is_closed():
    asks = 'if "file" in self.__dict__ and not self.file.closed:\n            self.file.close()'
    eager = (
        "\n    def close(self):\n        if not self.file.closed:\n            self.file.close()\n"
    )
    before = "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path)\n"
    after = (
        "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n"
        + LAZY.format(opener="return open(self.path)")
    )
    assert not worse(before + eager, after + f"\n    def close(self):\n        {asks}\n")


FAILING = {
    "told where closing fails": ("self.file.close()", "except", False),
    "told of another's": ("self.file.close()\n                other.close()", "except", True),
    "told of what is computed": ("size = os.stat(self.path)", "except", True),
    "told in any case": ("self.file.close()", "finally", True),
}


@pytest.mark.parametrize(("line", "part", "refused"), FAILING.values(), ids=FAILING)
def test_what_runs_where_a_handle_cannot_be_closed(line, part, refused):
    tried = (
        f"            try:\n                {line}\n            {part}:\n"
        "                print('not closed')\n"
    )
    text = "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n{}\n    def __del__(self):\n        if {}:\n{}"
    before = text.format("        self.file = open(path)\n", "hasattr(self, 'file')", tried)
    lazy = LAZY.format(opener="return open(self.path)")
    after = text.format(lazy, "'file' in self.__dict__", tried)
    assert refused == any("no longer runs" in reason for reason in worse(before, after))


DELETED = {
    "a note for others": ("LOG.append(self.file.name)", True),
    "a count": ("Rows.closed += 1", True),
    "the handle": ("self.file.flush()", False),
}


@pytest.mark.parametrize(("line", "refused"), DELETED.values(), ids=DELETED)
def test_a_method_still_does_for_others_what_it_did_without_an_open_handle(line, refused):
    text = "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n{}\n    def __del__(self):\n{}\n"
    before = text.format(
        "        self.file = open(path)\n", f"        {line}\n        self.file.close()\n"
    )
    guarded = (
        f"        if 'file' in self.__dict__:\n            {line}\n            self.file.close()\n"
    )
    after = text.format(LAZY.format(opener="return open(self.path)"), guarded)
    assert refused == any("no longer runs" in reason for reason in worse(before, after))


GIVEN = {
    "a method that closes": ("atexit.register(self.file.close)", True),
    "a finalizer": ("weakref.finalize(self, self.file.close)", True),
    "the result of a method": ("atexit.register(print, self.file.fileno())", False),
}


@pytest.mark.parametrize(("line", "refused"), GIVEN.values(), ids=GIVEN)
def test_what_closes_a_handle_at_the_end_is_of_the_handle_that_is_used(line, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = open(path)\n{line}",
        later=f"self.path = path\n{line}\ndel self.file",
        opener="return open(self.path)",
    )
    assert refused == any("gets a method of `file`" in reason for reason in reasons)


MIXIN = """
class Opener:
    def open_rows(self):
        {opens}
        self.rows = self.file['x']
{members}
    def read(self, index):
        return self.file['x'][index]

    def close_rows(self):
        {closes}

class Rows(Opener, Dataset):
    def __init__(self, path):
        self.path = path
        self.open_rows()

    def __len__(self):
        return len(self.rows)

    def __del__(self):
        {ends}
"""
TABLE = """
    def _open(self):
        self.file = h5py.File(self.path)

    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._open()
        return self._file_by_pid[os.getpid()]

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state['_file_by_pid'] = {}
        return state
"""
TOLERANT = "getattr(self, '_file_by_pid', {}).get(os.getpid())"
CLOSES = {
    "a table that may not be there": ("if os.getpid() in self._file_by_pid:", "", True),
    "what is in a table that may not be there": (
        "if self._file_by_pid.get(os.getpid()) is not None:",
        "",
        True,
    ),
    "a table that is asked for": (f"if {TOLERANT} is not None:", "", False),
    "a table that may be empty": (
        "if os.getpid() in getattr(self, '_file_by_pid', ()):",
        "",
        False,
    ),
    "a table that may not be there, at the end": (
        f"if {TOLERANT} is not None:",
        "if os.getpid() in self._file_by_pid: self.close_rows()",
        True,
    ),
}


@pytest.mark.parametrize(("asks", "ends", "refused"), CLOSES.values(), ids=CLOSES)
def test_a_closer_that_waits_for_no_handle_does_so_still(asks, ends, refused):
    """That another method reads the handle though it may be unset does not excuse the closer."""
    closes = "{}\n            self.file.close()\n            self.file = None"
    before = MIXIN.format(
        opens="self.file = h5py.File(self.path)",
        members="",
        closes=closes.format("if getattr(self, 'file', None) is not None:"),
        ends="self.close_rows()",
    )
    after = MIXIN.format(
        opens="self._file_by_pid = {}\n        self._open()",
        members=TABLE,
        closes=closes.format(asks),
        ends=ends or "self.close_rows()",
    )
    assert refused == any("may not be set" in reason for reason in worse(before, after))


ENDS = {
    "asks first": ("if hasattr(self, 'file'):\n    self.file.close()", True),
    "needs it": ("self.file.close()", False),
}


@pytest.mark.parametrize(("ends", "refused"), ENDS.values(), ids=ENDS)
def test_the_end_of_an_object_whose_constructor_has_failed(ends, refused):
    getter = TABLE.replace("self._open()", "self.file = h5py.File(self.path)").replace(
        TABLE[: TABLE.index("    @property")], ""
    )
    text = "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = str(path)\n        {}\n{}\n    def __del__(self):\n{}\n"
    before = text.format("self.file = h5py.File(path)", "", textwrap.indent(ends, " " * 8))
    guarded = "if os.getpid() in self._file_by_pid:\n    self.file.close()"
    opens = "self._file_by_pid = {os.getpid(): h5py.File(path)}"
    after = text.format(opens, getter, textwrap.indent(guarded, " " * 8))
    reasons = worse(before, after)
    assert refused == any("where the constructor has failed" in reason for reason in reasons)


ONLY_OF_MAKING = """
class Rows(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path)
        self.rows = self.find_rows()
{state}
    def find_rows(self):
        return list(self.file)

    def __getitem__(self, i):
        return self.rows[i]

{more}
"""
LEFT_OUT = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state
"""


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ("", False),
        ("class Other:\n    def __init__(self):\n        self.found = self.find_rows()", False),
        (
            "class Heir(Rows):\n    def __getitem__(self, i):\n        return self.find_rows()[i]",
            True,
        ),
        ("    def again(self):\n        return self.find_rows()", True),
        ("    def again(self):\n        return getattr(self, 'find_rows')()", True),
    ],
)
def test_no_worker_runs_a_method_that_only_the_constructor_names(more, wrong):
    before = ONLY_OF_MAKING.format(state="", more=more)
    after = ONLY_OF_MAKING.format(state=LEFT_OUT, more=more)
    assert bool([each for each in worse(before, after) if "in a worker" in each]) is wrong
