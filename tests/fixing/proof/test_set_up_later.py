"""A handle that the parent sets up once its object is made is not set up where a worker opens it."""

import pytest

from tests.fixing.proof.pairs import LAZY, opened, worse
from tests.fixing.proof.test_sharing import BY_PROCESS

LOAD = "loader = DataLoader(rows, num_workers=2)\nfor batch in loader:\n    print(batch)\n"
PROGRAMS = {
    "an attribute": ("rows = Rows('a')\nrows.file.row_factory = dict\n", True),
    "a call": ("rows = Rows('a')\nrows.file.create_function('twice', 1, abs)\n", True),
    "a function": (
        "def set_up(data):\n    data.file.row_factory = dict\n\nrows = Rows('a')\nset_up(rows)\n",
        True,
    ),
    "a method": ("rows = Rows('a')\nrows.use()\n", True),
    "a function within": (
        "def main():\n    def tune(handle):\n        handle.row_factory = dict\n\n    rows = Rows('a')\n"
        "    tune(rows.file)\n",
        True,
    ),
    "a loop": (
        "rows = Rows('a')\nfor handle in (rows.file,):\n    handle.row_factory = dict\n",
        True,
    ),
    "what a function gives": (
        "same = lambda handle: handle\nrows = Rows('a')\nsame(rows.file).row_factory = dict\n",
        True,
    ),
    "a call of what a function gives": (
        "same = lambda handle: handle\nrows = Rows('a')\nsame(rows.file).create_function('f', 1, abs)\n",
        True,
    ),
    "an item of a display": (
        "rows = Rows('a')\n{'a': rows.file}['a'].row_factory = dict\n",
        True,
    ),
    "a function that writes what it shows to a file": (
        "from torchvision.utils import save_image\nrows = Rows('a')\nsave_image(rows.file, 'a.png')\n",
        False,
    ),
    "a function that writes to it": (
        "from torchvision.utils import save_image\nrows = Rows('a')\nsave_image(image, rows.file)\n",
        True,
    ),
    "a function of a module that does nothing to files": (
        "import numpy as np\nrows = Rows('a')\nnp.copyto(rows.file, 7)\n",
        True,
    ),
    "a function that nothing is known of": (
        "import toolbox\nrows = Rows('a')\ntoolbox.tune(rows.file)\n",
        True,
    ),
    "getattr": ("rows = Rows('a')\ngetattr(rows, 'file').create_function('f', 1, abs)\n", True),
    "what another function makes": (
        "def make():\n    return Rows('a')\n\nmake().file.row_factory = dict\nrows = make()\n",
        True,
    ),
    "a lambda that is called": (
        "rows = Rows('a')\n(lambda h: h.create_function('f', 1, abs))(rows.file)\n",
        True,
    ),
    "a lambda that is mapped": (
        "rows = Rows('a')\nlist(map(lambda h: h.create_function('f', 1, abs), [rows.file]))\n",
        True,
    ),
    "a function that is mapped": (
        "def tune(h):\n    h.row_factory = dict\n\nrows = Rows('a')\nlist(map(tune, [rows.file]))\n",
        True,
    ),
    "an item of what a function gives": (
        "tune = lambda handle: handle\nrows = Rows('a')\ntune(rows.file)[0] = 77\n",
        True,
    ),
    "an item": ("rows = Rows('a')\nrows.file[0] = 77\n", True),
    "a lambda that only asks": (
        "rows = Rows('a')\nprint(list(map(lambda h: h.execute('SELECT 1').fetchone(), [rows.file])))\n",
        False,
    ),
    "getattr of another object": (
        "rows = Rows('a')\nlog = object()\ngetattr(log, 'file').row_factory = dict\n",
        False,
    ),
    "a method that gives it": ("rows = Rows('a')\nrows.opened().row_factory = dict\n", True),
    "another class": (
        "class Log:\n    def __init__(self):\n        self.file = sqlite3.connect('log')\n\n"
        "    def start(self):\n        self.file.row_factory = dict\n\nrows = Rows('a')\nLog().start()\n",
        False,
    ),
    "a worker": (
        "def set_up(worker):\n    get_worker_info().dataset.file.row_factory = dict\n\nrows = Rows('a')\n",
        False,
    ),
    "a part of another object": (
        "class Net(nn.Module):\n    def __init__(self):\n        self.weight = nn.Parameter(1)\n\n"
        "    def start(self):\n        for part in self.modules():\n"
        "            part.weight.file.normal_(0, 1)\n",
        False,
    ),
    "a method that only tensors have": (
        "def start(net):\n    for part in net.parameters():\n        part.file.fill_(0.0)\n\n"
        "rows = Rows('a')\nstart(rows)\n",
        False,
    ),
    "a mock": ("rows = Rows('a')\nrows.file.execute.return_value = []\n", False),
    "a question": ("rows = Rows('a')\nprint(rows.file.execute('SELECT 1').fetchone())\n", False),
}
BODY = """
def __getitem__(self, index):
    self.begin()
    return self.file.execute("SELECT 1").fetchone()

def begin(self):
    self.file.isolation_level = None

def use(self):
    self.file.row_factory = dict

def opened(self):
    return self.file
"""


@pytest.mark.parametrize(("program", "refused"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_sets_a_handle_up_later(program, refused):
    reasons = opened(
        init="self.path = path\nself.file = sqlite3.connect(path)",
        opener="return sqlite3.connect(self.path)",
        body=BODY,
        program=program + LOAD,
    )
    assert refused == any("is set up with" in reason for reason in reasons)


REPLACED = {
    "setattr": ("setattr(rows, 'file', sqlite3.connect('b'))", True),
    "object.__setattr__": ("object.__setattr__(rows, 'file', sqlite3.connect('b'))", True),
    "__dict__": ("rows.__dict__.update(file=sqlite3.connect('b'))", True),
    "vars": ("vars(rows)['file'] = sqlite3.connect('b')", True),
    "an assignment to two": ("rows.file, rest = sqlite3.connect('b'), 1", True),
    "another object": ("other = object()\nother.file = sqlite3.connect('b')", False),
    "another attribute": ("rows.__dict__.update(scale=2)", False),
    "an object that keeps it": (
        "class Kept:\n    pass\nkept = Kept()\nkept.rows = rows\nkept.rows.file = sqlite3.connect('b')",
        True,
    ),
    "an attribute that never holds it": (
        "class Kept:\n    pass\nkept = Kept()\nkept.log.file = sqlite3.connect('b')",
        False,
    ),
    "any attribute of an object of another class": (
        "class Log:\n    def __init__(self, given):\n        self.first, self.rest = given\n\n"
        "    def fill(self, given):\n        for key, value in given.items():\n"
        "            setattr(self, key, value)\n",
        False,
    ),
}


@pytest.mark.parametrize(("statement", "refused"), REPLACED.values(), ids=REPLACED)
def test_a_handle_that_other_code_replaces_is_not_opened_again_by_workers(statement, refused):
    reasons = opened(
        init="self.path = path\nself.file = sqlite3.connect(path)",
        opener="return sqlite3.connect(self.path)",
        program=f"rows = Rows('a')\n{statement}\n{LOAD}",
    )
    assert refused == any("is set outside the class" in reason for reason in reasons)


SET_AGAIN = """
def reopen(self, path):
    {more}
    self.file = sqlite3.connect(path)
"""


@pytest.mark.parametrize(
    ("more", "program", "refused"),
    [
        ("self.file.close()", "rows = Rows('a')\nrows.reopen('b')\n", True),
        ("self.path = path", "rows = Rows('a')\nrows.reopen('b')\n", False),
        ("self.file.close()", "rows = Rows('a')\n", False),
    ],
    ids=["by another path", "by the path that a worker reads", "never"],
)
def test_the_parent_does_not_open_another_resource(more, program, refused):
    setter = "\n    @file.setter\n    def file(self, file):\n        self._file_by_pid[os.getpid()] = file\n"
    reasons = opened(
        init="self.path = path\nself.file = sqlite3.connect(path)",
        later="self.path = path\nself._file_by_pid = {}",
        opener="sqlite3.connect(self.path)",
        getter=BY_PROCESS + setter,
        body=SET_AGAIN.format(more=more),
        program=program + LOAD,
    )
    assert refused == any("reassigns `file`" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("opened_as", "refused"),
    [
        ("sqlite3.connect(self.path)", False),
        ("sqlite3.connect(self.path, timeout=9)", True),
        ("sqlite3.connect(self.other)", True),
    ],
)
def test_the_parent_opens_again_what_a_worker_opens(opened_as, refused):
    setter = "\n    @file.setter\n    def file(self, file):\n        self._file_by_pid[os.getpid()] = file\n"
    reasons = opened(
        init="self.path = self.other = path\nself.file = sqlite3.connect(path)",
        later="self.path = self.other = path\nself._file_by_pid = {}",
        opener="return sqlite3.connect(self.path)",
        getter=LAZY + setter,
        body=f"def reopen(self):\n    self.file.close()\n    self.file = {opened_as}\n",
        program="rows = Rows('a')\nrows.reopen()\n" + LOAD,
    )
    assert refused == any("reassigns `file`" in reason for reason in reasons)


ENTERED = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None
    {state}
    def connect(self):
        self.file = sqlite3.connect(self.path)
        {in_opener}

    def __enter__(self):
        self.connect()
        {once_open}
        return self

    def __exit__(self, *error):
        self.file.close()

    def __getitem__(self, i):
        return self.file.execute('select 1')

with Rows('a') as rows:
    for row in DataLoader(rows, num_workers=2):
        pass
"""
CALLED = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state["file"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.connect()
"""


@pytest.mark.parametrize(
    ("in_opener", "once_open", "refused"),
    [
        ("self.file.row_factory = dict", "pass", False),
        ("pass", "self.file.row_factory = dict", True),
    ],
)
def test_what_a_worker_runs_to_open_sets_up_as_well(in_opener, once_open, refused):
    before = ENTERED.format(state="", in_opener=in_opener, once_open=once_open)
    after = ENTERED.format(state=CALLED, in_opener=in_opener, once_open=once_open)
    assert refused == any("without this setup" in reason for reason in worse(before, after))


@pytest.mark.parametrize(("name", "refused"), [("freeze", True), ("close", False)])
def test_what_workers_compare_with_none_is_not_set_to_none_by_the_parent(name, refused):
    reasons = opened(
        init="self.path = path\nself.file = sqlite3.connect(path)",
        opener="return sqlite3.connect(self.path)",
        body=f"def __getitem__(self, i):\n    return None if self.file is None else i\n\ndef {name}(self):\n    self.file = None\n",
        program=f"rows = Rows('a')\nrows.{name}()\n" + LOAD,
    )
    assert refused == any("reassigns `file`" in reason for reason in reasons)


@pytest.mark.parametrize(
    "init",
    [
        "self.file, self.unit = sqlite3.connect(path), 1",
        "[self.unit, (self.file, self.rest)] = 1, (sqlite3.connect(path), 2)",
    ],
    ids=["in a tuple", "in a tuple of a list"],
)
@pytest.mark.parametrize(
    ("statement", "refused"), [("rows.file.row_factory = dict", True), ("rows.file.total", False)]
)
def test_a_handle_that_is_assigned_with_other_values_is_set_up_too(init, statement, refused):
    reasons = opened(
        init=f"self.path = path\n{init}",
        opener="return sqlite3.connect(self.path)",
        program=f"rows = Rows('a')\n{statement}\n{LOAD}",
    )
    assert refused == any("is set up with `row_factory`" in reason for reason in reasons)


MOVED = {
    "a call": "rows.file.seek(2)",
    "a loop": "for handle in (rows.file,):\n    handle.seek(2)",
    "a loop over pairs": "for handle, at in ((rows.file, 2), (rows.file, 3)):\n    handle.seek(at)",
    "an item": "handles = [rows.file]\nhandles[0].seek(2)",
    "another name": "handle, at = rows.file, 2\nhandle.seek(at)",
    "what a lambda gives": "same = lambda handle: handle\nsame(rows.file).seek(2)",
    "what a function gives": "def same(handle):\n    return handle\n\nhandle = same(rows.file)\nhandle.seek(2)",
    "a function": "def move(handle):\n    handle.seek(2)\n\nmove(rows.file)",
    "a method": "rows.skip()",
}
KEPT = {
    "a read of a slice": "for handle in (rows.file,):\n    print(handle[:2])",
    "a size": "def size(handle):\n    return len(handle)\n\nsize(rows.file).bit_length()",
}


@pytest.mark.parametrize(
    ("read", "moved"),
    [("self.file[index] + self.file.tell()", True), ("self.file[index]", False)],
    ids=["where it stands", "a slice"],
)
@pytest.mark.parametrize("statement", [*MOVED.values(), *KEPT.values()], ids=[*MOVED, *KEPT])
def test_workers_do_not_read_on_where_the_parent_has_moved_a_handle(statement, read, moved):
    reasons = opened(
        init="self.path = path\nwith open(path, 'rb') as f:\n    self.file = mmap.mmap(f.fileno(), 0)",
        opener="with open(self.path, 'rb') as f:\n    return mmap.mmap(f.fileno(), 0)",
        body=f"def __getitem__(self, index):\n    return {read}\n\ndef skip(self):\n    self.file.seek(2)\n",
        program=f"import mmap\nrows = Rows('a')\n{statement}\n{LOAD}",
    )
    refused = moved and statement in MOVED.values()
    assert refused == any("the position of `file` is moved with `seek`" in r for r in reasons)


LATE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    def opened(self):
        if not hasattr(self, "tasks"):
            self.tasks = queue.Queue()
        return self.tasks

    def tune(self):
        {tune}

    def __getitem__(self, index):
        return index + self.opened().maxsize
"""
RESTORED = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state["tasks"] = bool(state.get("tasks"))
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.__dict__.get("tasks"):
            self.tasks = queue.Queue()
"""


@pytest.mark.parametrize(
    ("tune", "refused"),
    [("self.opened().maxsize = 4", True), ("self.opened().qsize()", False)],
)
def test_a_method_of_the_parent_sets_up_what_it_opens_first(tune, refused):
    before = "import queue\n" + LATE.format(tune=tune)
    program = f"\nrows = Rows('a')\nrows.tune()\n{LOAD}"
    reasons = worse(before + program, before + RESTORED + program)
    assert refused == any("is set up with `maxsize`" in reason for reason in reasons)


FIRST_USE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        {first}
        self.size = len(self.opened())
{lazy}
    def opened(self):
        if self.file is None:
            self.file = mmap.mmap(self.path, 0)
        return self.file

    def __getitem__(self, index):
        return self.opened()[index] + self.opened().tell()
"""
BY_PID = """
    @property
    def file(self):
        return self._file_by_pid.get(os.getpid())

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}
        return state
"""


@pytest.mark.parametrize(("use", "refused"), [("seek(2)", True), ("size()", False)])
def test_a_caller_moves_what_the_constructor_opened_on_first_use(use, refused):
    program = f"\nrows = Rows('a')\nrows.opened().{use}\n{LOAD}"
    before = "import mmap\n" + FIRST_USE.format(first="self.file = None", lazy="")
    after = "import mmap\n" + FIRST_USE.format(first="self._file_by_pid = {}", lazy=BY_PID)
    reasons = worse(before + program, after + program)
    assert refused == any("position of `file` is moved with `seek`" in each for each in reasons)


FLAGGED = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.ready = False
        {first}
{lazy}
    def opened(self):
        if {missing}:
            self.file = sqlite3.connect(self.path)
            self.ready = True
        return self.file

    def tune(self):
        self.opened().{use}

    def __getitem__(self, index):
        return self.opened().execute("select 1").fetchone()[0]
"""


@pytest.mark.parametrize(
    ("use", "refused"), [("create_collation('back', max)", True), ("total_changes", False)]
)
def test_a_method_of_the_parent_sets_up_what_a_flag_says_is_open(use, refused):
    program = f"\nrows = Rows('a')\nrows.tune()\n{LOAD}"
    before = FLAGGED.format(first="pass", lazy="", missing="not self.ready", use=use)
    after = FLAGGED.format(
        first="self._file_by_pid = {}", lazy=BY_PID, missing="self.file is None", use=use
    )
    reasons = worse(before + program, after + program)
    assert refused == any("is set up with `create_collation`" in each for each in reasons)


LATER = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        {first}
{lazy}
    def opened(self):
        if self.file is None:
            self.file = mmap.mmap(self.path, 0)
        return self.file

    def tune(self):
        self.opened().seek(2)

    def __getitem__(self, index):
        return self.opened()[index]{asked}
"""


@pytest.mark.parametrize(("asked", "refused"), [(" + self.opened().tell()", True), ("", False)])
def test_a_method_of_the_parent_moves_what_is_opened_on_first_use(asked, refused):
    program = f"\nrows = Rows('a')\nrows.tune()\n{LOAD}"
    before = "import mmap\n" + LATER.format(first="self.file = None", lazy="", asked=asked)
    after = "import mmap\n" + LATER.format(first="self._file_by_pid = {}", lazy=BY_PID, asked=asked)
    reasons = worse(before + program, after + program)
    assert refused == any("position of `file` is moved with `seek`" in each for each in reasons)


@pytest.mark.parametrize(("asked", "refused"), [("tell()", True), ("size()", False)])
def test_other_code_asks_where_a_handle_stands_that_a_caller_has_moved(asked, refused):
    reasons = opened(
        init="self.path = path\nself.file = mmap.mmap(path, 0)",
        opener="return mmap.mmap(self.path, 0)",
        body="def __getitem__(self, index):\n    return index\n",
        program=(
            "import mmap\nclass Both(Dataset):\n    def __init__(self):\n        self.rows = Rows('a')\n"
            f"    def __getitem__(self, i):\n        return self.rows.file.{asked}\n"
            "both = Both()\nboth.rows.file.seek(2)\nDataLoader(both, num_workers=2)\n"
        ),
    )
    assert refused == any("position of `file` is moved" in each for each in reasons)


READ = "def __getitem__(self, i):\n    return self.file[i if self.loaded else str(i)]\n\n"


@pytest.mark.parametrize(
    ("method", "refused"),
    [
        ("def load(self):\n    self.file = read_all(self.path)\n    self.loaded = True\n", True),
        ("def load(self):\n    self.file = read_all(self.path)\n", False),
        ("def load(self):\n    self.loaded = True\n    return read_all(self.path)\n", False),
        ("def _load(self):\n    self.file = read_all(self.path)\n    self.loaded = True\n", False),
    ],
    ids=["with a flag", "without a flag", "not stored", "private"],
)
def test_a_public_method_that_nobody_calls_yet_may_replace_what_workers_ask_of(method, refused):
    reasons = opened(
        init="self.path = path\nself.loaded = False\nself.file = sqlite3.connect(path)",
        later="self.path = path\nself.loaded = False",
        opener="return sqlite3.connect(self.path)",
        body=READ + method,
        program="rows = Rows('a')\n" + LOAD,
    )
    assert refused == any("`load` reassigns `file`" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        ("self.file['x'][2:5]", False),
        ("self.file['x'][number]", False),
        ("self.file['x']", True),
        ("self.file['x']['y']", True),
        ("self.file[number]", True),
    ],
)
def test_what_is_read_into_memory_is_no_part_of_the_file(taken, refused):
    body = f"""
def mark(self, number):
    rows = np.zeros(3)
    rows[number] = 1
    rows = {taken}
    rows[number] = 1
    return rows
"""
    reasons = opened(body=body, program=f"rows = Rows('a')\nrows.mark(1)\n{LOAD}")
    assert refused == any("is set up with" in reason for reason in reasons)


@pytest.mark.parametrize("call", ["rows.__enter__()", "rows.connect()"])
def test_what_the_parent_puts_in_by_a_call_is_not_there_in_another_process(call):
    method = call.removeprefix("rows.").removesuffix("()")
    program = f"""
class Rows(Dataset):
    def __init__(self, names):
        self.names = names
        {{start}}
{{opener}}
    def {method}(self):
        for name in self.names:
            self.files[name] = open(name)
        return self

    def __getitem__(self, index):
        return self.files[self.names[index]].read()

rows = Rows(["a", "b"])
{call}
loader = DataLoader(rows, num_workers=2)
"""
    keyed = """
    @property
    def files(self):
        return self._files_by_pid.setdefault(os.getpid(), {})

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files_by_pid"] = {}
        return state
"""
    before = program.format(start="self.files = {}", opener="")
    [reason] = worse(before, program.format(start="self._files_by_pid = {}", opener=keyed))
    assert "`files` is set up with `__setitem__`" in reason
    deleted = program.replace("self.files[name] = open(name)", "del self.files[name]")
    before = deleted.format(start="self.files = {}", opener="")
    [reason] = worse(before, deleted.format(start="self._files_by_pid = {}", opener=keyed))
    assert "an item of `files` is deleted" in reason


@pytest.mark.parametrize(
    ("caller", "refused"),
    [("", False), ("    def again(self):\n        self.start('b')\n", True)],
    ids=["constructors", "another method"],
)
def test_a_method_that_only_constructors_call_opens_nothing_in_a_worker(caller, refused):
    program = """
class Noting:
    def start(self, path):
        self.notes = open(path, "w")
{state}
    def note(self, line):
        self.notes.write(line)

class Engine(Noting):
    def __init__(self, path):
        self.start(path)

{caller}
    def collate(self, batch):
        return batch

    def run(self, rows):
        for batch in DataLoader(rows, collate_fn=self.collate, num_workers=2):
            self.note(str(batch))

Engine("notes").run([1, 2])
"""
    state = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("notes", None)
        return state
"""
    reasons = worse(
        program.format(state="", caller=caller), program.format(state=state, caller=caller)
    )
    assert refused == any("is set up with `write`" in each for each in reasons)
