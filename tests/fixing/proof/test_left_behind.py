"""What opening a handle leaves behind: counters, tables and files that other code looks at."""

import pytest

from tests.fixing.proof.pairs import LAZY, opened, worse
from tests.fixing.proof.test_sharing import BY_PROCESS

PROGRAM = "rows = Rows('a')\nprint({})\nDataLoader(rows, num_workers=2)\n"
COUNTERS = {
    "on the object": ("self.opens += 1", "rows.opens", True),
    "on the class": ("type(self).opens += 1", "Rows.opens", True),
    "on the class by its name": ("Rows.opens += 1", "Rows.opens", True),
    "the last one, on the class": ("Rows.last = path", "Rows.last", True),
    "the last one, on its class": ("type(self).last = path", "rows.last", True),
    "on another class": ("Other.opens += 1", "Rows.opens", False),
    "in a table": ("self.table.update({path: 1})", "rows.table", True),
    "an item of a table": ("self.table[path] = 1", "len(rows.table)", True),
    "nobody asks": ("self.opens += 1", "1", False),
}


@pytest.mark.parametrize(("note", "asked", "refused"), COUNTERS.values(), ids=COUNTERS)
def test_a_method_that_opens_counts_while_the_object_is_made(note, asked, refused):
    reasons = opened(
        init="self.path = path\nself.opens = 0\nself.table = {}\nself.file = self._open(path)",
        later="self.path = path\nself.opens = 0\nself.table = {}",
        opener="return self._open(self.path)",
        body=f"opens = 0\n\ndef _open(self, path):\n    {note}\n    return h5py.File(path)\n",
        program=PROGRAM.format(asked),
    )
    assert refused == any("which other code reads" in reason for reason in reasons)


OPENERS = {
    "logs": ("with open('log', 'a') as log:\n        log.write(path)", "writes to a file"),
    "reads": ("with open('settings') as settings:\n        settings.read()", ""),
}


@pytest.mark.parametrize(("line", "reason"), OPENERS.values(), ids=OPENERS)
def test_an_opener_that_writes_a_file_does_not_run_in_workers(line, reason):
    reasons = opened(
        init="self.path = path\nself.file = open_store(path)",
        opener="return open_store(self.path)",
        program=f"def open_store(path):\n    {line}\n    return h5py.File(path)\n\n"
        + PROGRAM.format(1),
    )
    assert bool(reason) == any("writes to a file" in each for each in reasons)


LISTED = {
    "set up": ("for each in LIVE:\n        each.create_function('length', 1, len)", True),
    "set up by its key": ("for name, each in LIVE.items():\n        each.set(name)", True),
    "set up in a list": ("[each.create_function('length', 1, len) for each in LIVE]", True),
    "closed": ("for each in LIVE:\n        each.close()", False),
    "counted": ("print(len(LIVE))", False),
}


@pytest.mark.parametrize(("use", "refused"), LISTED.values(), ids=LISTED)
@pytest.mark.parametrize(
    ("maker", "opening"),
    [
        ("def open_store(path):\n    file = h5py.File(path)\n    LIVE.add(file)\n    return file\n", "open_store({})"),
        ("class Store(h5py.File):\n    def __init__(self, path):\n        LIVE.add(self)\n", "connect({}, factory=Store)"),
    ],
    ids=["by a function", "by a class"],
)  # fmt: skip
def test_what_code_sets_up_together_is_not_opened_later(maker, opening, use, refused):
    reasons = opened(
        init="self.path = path\nself._open()\nprint(self.file)",
        later="self._file_by_pid = {}\nself.path = path\nself._open()\nprint(self.file)",
        getter=BY_PROCESS,
        opener=opening.format("self.path"),
        body=f"def _open(self):\n    self.file = {opening.format('self.path')}\n",
        program=f"LIVE = set()\n\n{maker}\ndef set_up():\n    {use}\n\n"
        + PROGRAM.format("set_up()"),
    )
    assert refused == any("of what is opened later" in each for each in reasons)


@pytest.mark.parametrize("cache", ["lru_cache", "cache"])
def test_a_cached_opener_would_give_forked_workers_the_handle_of_the_parent(cache):
    reasons = opened(
        init="self.path = path\nself.file = open_store(path)",
        later="self._file_by_pid = {}\nself.path = path",
        getter=BY_PROCESS,
        opener="open_store(self.path)",
        program=f"@functools.{cache}\ndef open_store(path):\n    return h5py.File(path)\n\n"
        + PROGRAM.format("rows.file"),
    )
    assert any("caches the handle" in each for each in reasons)


def test_a_table_of_the_class_would_give_forked_workers_the_handle_of_the_parent():
    given = "self.HANDLES.setdefault('one', h5py.File(self.path))"
    reasons = opened(
        init=f"self.path = path\nself.file = {given}",
        opener=f"return {given}",
        body="HANDLES = {}\n",
        program=PROGRAM.format("rows.file"),
    )
    assert any("is shared by all objects" in each for each in reasons)


@pytest.mark.parametrize(
    ("statement", "refused"),
    [("Rows._open = staticmethod(print)", True), ("other = print", False)],
    ids=["replaced", "kept"],
)
def test_a_method_that_other_code_replaces_is_not_called_later(statement, refused):
    reasons = opened(
        init="self.path = path\nself.file = self._open(path)",
        opener="return self._open(self.path)",
        body="@staticmethod\ndef _open(path):\n    return h5py.File(path)\n",
        program=f"rows = Rows('a')\n{statement}\nDataLoader(rows, num_workers=2)\n",
    )
    assert refused == any("other code replaces it" in each for each in reasons)


@pytest.mark.parametrize(
    ("asked", "refused"),
    [("copy.copy(rows).file is rows.file", True), ("twin.file is not rows.file", True),
     ("rows.file == twin.file", True), ("hash(rows.file)", True), ("rows.file is None", False), ("rows.name is twin.name", False)],
)  # fmt: skip
def test_handles_of_two_objects_are_not_compared_by_identity(asked, refused):
    program = f"rows = Rows('a')\ntwin = copy.copy(rows)\nprint({asked})\n"
    assert refused == any("is compared by identity" in each for each in opened(program=program))


@pytest.mark.parametrize(
    ("answer", "refused"), [("self.part.handle() is self.file", True), ("self.file is None", False)]
)
def test_a_copy_opens_no_handle_of_its_own_which_is_asked_for(answer, refused):
    reasons = opened(
        body=f"def shares(self):\n    return {answer}\n",
        program="rows = Rows('a')\ntwin = copy.copy(rows)\nDataLoader(twin, num_workers=2)\n",
    )
    assert refused == any("the copy would have its own" in each for each in reasons)


@pytest.mark.parametrize(
    ("opener", "refused"), [("os.open(path, 0)", True), ("gzip.open(path)", False)]
)
def test_a_copy_opens_no_number_of_its_own_which_nothing_closes(opener, refused):
    reasons = opened(
        init=f"self.path = path\nself.file = {opener}",
        opener=f"return {opener.replace('path', 'self.path')}",
        program="rows = Rows('a')\ntwin = copy.copy(rows)\nDataLoader(twin, num_workers=2)\n",
    )
    assert refused == any("the copy would have its own" in each for each in reasons)


@pytest.mark.parametrize(("asked", "refused"), [("len(OPENED)", True), ("len(CLOSED)", False)])
def test_a_copy_does_not_note_once_more_what_it_opens(asked, refused):
    reasons = opened(
        init="self.path = path\nself.file = self._open()",
        opener="return self._open()",
        body="def _open(self):\n    OPENED.append(self.path)\n    return h5py.File(self.path)\n",
        program=f"OPENED = []\nCLOSED = []\nrows = Rows('a')\ntwin = copy.copy(rows)\nprint({asked})\n",
    )
    assert refused == any("the copy would have its own" in each for each in reasons)


CAUGHT = {
    "by its class": "rows = Rows('a')\ntry:\n    other = type(rows)('b')\nexcept OSError:\n    other = None\n",
    "by __class__": "rows = Rows('a')\ntry:\n    other = rows.__class__('b')\nexcept OSError:\n    other = None\n",
}


@pytest.mark.parametrize("program", CAUGHT.values(), ids=CAUGHT)
def test_an_error_of_another_object_of_the_class_is_caught_where_it_was(program):
    assert any("an error is now raised" in each for each in opened(program=program))


NUMBERS = {
    "it is forgotten": ("self.file = os.open(path, 0)\nself.size = len(self[0])\ndel self.file", True),
    "a local number": ("file = os.open(path, 0)\nself.size = os.fstat(file).st_size", True),
    "a method opens it": ("file = self._open()\nself.size = os.fstat(file).st_size", True),
    "it is closed": ("file = os.open(path, 0)\nself.size = os.fstat(file).st_size\nos.close(file)", False),
}  # fmt: skip


@pytest.mark.parametrize(("later", "refused"), NUMBERS.values(), ids=NUMBERS)
def test_a_descriptor_that_only_the_constructor_uses_is_closed(later, refused):
    reasons = opened(
        init="self.path = path\nself.file = os.open(path, 0)\nself.size = os.fstat(self.file).st_size",
        later="self.path = path\n" + later,
        opener="return self._open()",
        body="def _open(self):\n    return os.open(self.path, 0)\n",
    )
    assert refused == any("no longer stores or closes" in each for each in reasons)


@pytest.mark.parametrize(
    ("line", "refused"), [("self.path = 'b'", True), ("print(self.path)", False)]
)
def test_a_subclass_sets_nothing_later_in_the_method_that_opens(line, refused):
    text = (
        "class Rows(Dataset):\n    def __init__(self, path):\n        self.path = path\n{}\n"
        "    def open(self):\n        {}\n\nclass Other(Rows):\n    def open(self):\n"
        f"        {line}\n        return super().open()\n"
    )
    lazy = LAZY.format(opener="return self.open()")
    reasons = worse(
        text.format("        self.file = self.open()\n", "return h5py.File(self.path)"),
        text.format(lazy, "return h5py.File(self.path)"),
    )
    assert refused == any("`Other.open` sets `path`" in each for each in reasons)


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("if len(OPENED) > 4: raise OSError(path)", "`tracked` changes `OPENED` and tests it"),
        ("if len(OPENED) > 4: return None", "`tracked` changes `OPENED` and tests it"),
        ("assert path not in OPENED", "`tracked` changes `OPENED` and tests it"),
        ("if len(path) > 4: raise OSError(path)", ""),
    ],
)
def test_an_opener_that_ends_by_what_it_counts_does_not_run_once_more(test, reason):
    program = f"""
OPENED = []

def tracked(path):
    {test}
    OPENED.append(path)
    return h5py.File(path, "r")

rows = Rows("a")
loader = DataLoader(rows, num_workers=2)
"""
    reasons = opened(
        init="self.path = path\nself.file = tracked(path)",
        opener="return tracked(self.path)",
        program=program,
    )
    assert [each.partition(" (")[0] for each in reasons] == ([reason] if reason else [])


FACTORIES = {
    "a function that it returns": "{opener}(path, self.notes)()",
    "a function": "noted(path, self.notes)",
    "a function under its own name": "open_it(notes=self.notes, path=path)",
}


@pytest.mark.parametrize(("asked", "refused"), [("rows.notes", True), ("rows.path", False)])
@pytest.mark.parametrize("call", FACTORIES.values(), ids=FACTORIES)
def test_an_opener_notes_in_a_list_that_it_is_given(call, asked, refused):
    head = (
        "def noted(path, notes):\n    notes.append(path)\n    return h5py.File(path)\n\n"
        "open_it = noted\n\n"
        "def opener(path, notes):\n    def load():\n        notes.append(path)\n"
        "        return h5py.File(path)\n    return load\n"
    ).replace("open_it = noted", "def open_it(path, notes):\n    return noted(path, notes)")
    made = call.format(opener="opener")
    reasons = opened(
        decorator=head,
        init=f"self.path = path\nself.notes = []\nself.file = {made}",
        later="self.path = path\nself.notes = []",
        opener=f"return {made.replace('path', 'self.path').replace('self.path=self.path', 'path=self.path')}",
        program=PROGRAM.format(asked),
    )
    assert refused == any("changes `notes`, which other code reads" in reason for reason in reasons)


def test_an_attribute_that_is_made_by_a_call_of_itself_is_followed_once():
    reasons = opened(
        init="self.path = path\nself.load = self.load(path)\nself.file = self.load(path)",
        later="self.path = path\nself.load = self.load(path)",
        opener="return self.load(self.path)",
        body="def load(self, path):\n    return lambda path: h5py.File(path)\n",
        program=PROGRAM.format("rows.path"),
    )
    assert not any("which other code reads" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("imported", "call", "refused"),
    [
        ("import fcntl", "fcntl.flock(file, fcntl.LOCK_EX)", True),
        ("from filelock import FileLock", "FileLock(path).acquire()", True),
        ("import fcntl", "fcntl.fcntl(file, 1)", False),
    ],
)
def test_what_an_opener_locks_is_for_one_process(imported, call, refused):
    program = f"{imported}\ndef unlocked(path):\n    file = open(path, 'rb')\n    {call}\n    return file\n"
    reasons = opened(
        init="self.path = path\nself.file = unlocked(path)",
        later="self.path = path",
        opener="return unlocked(self.path)",
        program=program + PROGRAM.format("1"),
    )
    assert refused == any("takes a lock" in reason for reason in reasons)
