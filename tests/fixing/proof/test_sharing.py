"""Under fork, no handle of the parent is used by its workers."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened, worse

LOAD = "\nloader = DataLoader(rows, num_workers=2)\nfor batch in loader:\n    print(batch)\n"
BY_PROCESS = """
    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = {opener}
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {{}}
        return state
"""
LENGTH = "def __len__(self):\n    return len(self.file['x'])\n"
TOUCHES = {
    "an item": "rows = Rows('a')\nprint(rows[0])" + LOAD,
    "an item after the loader is made": "rows = Rows('a')\nloader = DataLoader(rows)\nprint(rows[0])\nfor batch in loader:\n    pass\n",
    "the attribute": "rows = Rows('a')\nprint(rows.file.attrs)" + LOAD,
    "a method": "rows = Rows('a')\nrows.shape()" + LOAD,
    "a function that reads an item": "def first(rows):\n    return rows[0]\n\nrows = Rows('a')\nfirst(rows)"
    + LOAD,
    "a function that reads the attribute": "def moments(data):\n    return data.file.mean()\n\nrows = Rows('a')\nmoments(rows)"
    + LOAD,
    "a copy": "rows = Rows('a')\ntwin = copy.copy(rows)\nprint(twin[0])\nrows = twin" + LOAD,
    "one of several": "parts = [Rows(path) for path in 'ab']\nprint(parts[0][1])\nrows = parts[0]"
    + LOAD,
    "an object of the same class": "rows = Rows('a')\nrows = type(rows)('b')\nprint(rows[1])"
    + LOAD,
    "a method that it keeps": "rows = Rows('a')\nrows.take(0)" + LOAD,
    "a method that opens another": "rows = Rows('a')\nrows.reopen('b')" + LOAD,
    "a loop": "rows = Rows('a')\nfor row in rows:\n    print(row)" + LOAD,
    "a list": "rows = Rows('a')\nprint(list(rows))" + LOAD,
    "a test of membership": "rows = Rows('a')\nprint(1 in rows)" + LOAD,
    "each epoch": "rows = Rows('a')\nloader = DataLoader(rows)\nfor epoch in range(3):\n    for batch in loader:\n        pass\n    print(rows[0])\n",
    "enumerate": "rows = Rows('a')\nfor i, row in enumerate(rows):\n    print(row)" + LOAD,
    "a name": "rows = Rows('a')\nprint(getattr(rows, 'file'))" + LOAD,
    "a part": "rows = Rows('a')\nfirst, rest = random_split(rows, [1, 2])\nprint(first[0])" + LOAD,
    "the result of a function": "def make():\n    return Rows('a')\n\nrows = make()\nprint(rows[0])"
    + LOAD,
    "a loader without workers": "rows = Rows('a')\nfor batch in DataLoader(rows):\n    pass" + LOAD,
    "another method": "class Trainer:\n    def __init__(self):\n        self.rows = Rows('a')\n        self.loader = DataLoader(self.rows)\n\n    def shape(self):\n        return self.rows[0]\n",
    "the constructor of what it is passed to": "class Part:\n    def __init__(self, data):\n        self.first = data[0]\n\nrows = Rows('a')\npart = Part(rows)"
    + LOAD,
    "what the constructor of its holder runs": "class Part:\n    def __init__(self, data):\n        self.data = data\n        self.count = self.measured()\n\n    def measured(self):\n        return self.data.shape()[0]\n\nloader = DataLoader(Part(Rows('a')), num_workers=2)\n",
    "its hash": "rows = Rows('a')\nknown = {rows}" + LOAD,
    "a comparison": "rows = Rows('a')\nprint(rows == Rows('b'))" + LOAD,
    "an annotated parameter": "def show(data: Rows):\n    print(data.file.attrs)\n\nrows = Rows('a')\nshow(rows)"
    + LOAD,
}


GROUP = """
class Group:
    def __init__(self):
        self.parts = {{}}

    def __getitem__(self, key):
        part = Rows(key)
        return part

class Base(Dataset):
    def __getitem__(self, i):
        return {{"id": i}}

class Sampled({bases}):
    def __getitem__(self, i):
        example = super().__getitem__(i)
        return example["id"]

loader = DataLoader(Sampled(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("bases", "refused"),
    [("Base", False), ("Group", True), ("Base, Group", True), ("base()", True)],
)
def test_a_call_of_super_is_of_a_base_of_its_class(bases, refused):
    body = "def __getitem__(self, i):\n    return self.file['x'][i]\n"
    reasons = opened(body=body, program=GROUP.format(bases=bases))
    assert refused == any("is opened in the parent" in reason for reason in reasons)


@pytest.mark.parametrize("program", TOUCHES.values(), ids=TOUCHES)
def test_the_parent_does_not_open_it_first_by(program):
    body = (
        "def __getitem__(self, i):\n    return self.file['x'][i]\n\n"
        "def shape(self):\n    return self.file['x'].shape\n\n"
        "def keep(self):\n    self.take = self.__getitem__\n\n"
        "def __eq__(self, other):\n    return self.file['x'] > 0\n\n"
        "def __hash__(self):\n    return len(self.file['x'])\n\n"
        "def reopen(self, path):\n    self.path = path\n    self.file = h5py.File(path)\n"
    )
    assert any("in the parent" in reason for reason in opened(body=body, program=program))


def test_another_module_does_not_open_it_first():
    other = "from main import Rows\n\n\ndef describe(path):\n    rows = Rows(path)\n    return rows.file.attrs\n"
    assert "is opened in the parent by `rows.file` (other.py:" in opened(other=other)[0]


def test_the_parent_may_open_it_once_the_workers_are_gone():
    program = "rows = Rows('a')" + LOAD + "print(rows[0])\n"
    assert opened(program=program) == []


COPIED = {
    "a parameter": "def shown(image):\n    image = copy.copy(image)\n    return image.file\n",
    "the result of its method": "def shown(image):\n    image = copy.copy(image).resized()\n    return image.file\n",
    "one that comes from another": "def shown(image):\n    other = copy.copy(image)\n    image = copy.copy(other)\n    return image.file\n",
}


@pytest.mark.parametrize("program", COPIED.values(), ids=COPIED)
def test_a_name_that_is_set_to_a_copy_of_itself_is_followed_once(program):
    assert opened(program=program) == []


def test_the_length_of_a_dataset_is_asked_by_the_parent():
    assert "`len()` opens `file`" in opened(body=LENGTH)[0]
    below = "class Counted(Rows):\n    def __len__(self):\n        return len(self.file['x'])\n"
    assert "`len()` opens `file`" in opened(program=below)[0]


def test_a_handle_by_process_may_be_opened_by_the_parent():
    assert not opened(
        later="self.path = path\nself._file_by_pid = {}",
        opener="h5py.File(self.path, 'r')",
        getter=BY_PROCESS,
        body=LENGTH,
        program="rows = Rows('a')\nprint(rows[0])" + LOAD,
    )


def test_mapped_memory_may_be_shared():
    assert not opened(
        init="self.path = path\nself.file = np.memmap(path)",
        opener="return np.memmap(self.path)",
        body="def __len__(self):\n    return len(self.file)\n\ndef __getitem__(self, i):\n    return self.file[i]\n",
    )


KEPT = {
    "its own use": ("self.n = len(self.file['x'])", ""),
    "a method": ("self.n = self.count()", "def count(self):\n    return len(self.file['x'])\n"),
    "an item": (
        "self.n = len(self[0])",
        "def __getitem__(self, i):\n    return self.file['x'][i]\n",
    ),
    "the length": ("self.n = len(self)", LENGTH),
}


@pytest.mark.parametrize(("use", "body"), KEPT.values(), ids=KEPT)
def test_the_constructor_does_not_keep_it_open_after(use, body):
    reasons = opened(
        init=f"self.path = path\nself.file = h5py.File(path)\n{use}",
        later=f"self.path = path\n{use}",
        body=body,
        bases="object",
    )
    assert any("the constructor" in reason and "in the parent" in reason for reason in reasons)


def test_a_subclass_does_not_keep_it_open_after_its_constructor():
    below = "class Counted(Rows):\n    def __init__(self, path):\n        super().__init__(path)\n        self.n = len(self.file['x'])\n"
    assert any("in the parent" in reason for reason in opened(program=below))


POOL = """
class Ahead(Dataset):
    def __init__(self, base):
        self.base = base
        self.pool = {0}
{1}
    def __getitem__(self, index):
        return self.pool.submit(self.base, index).result()


class Holder(Dataset):
    def __init__(self, ahead):
        self.ahead = ahead

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.ahead[index]

    def preview(self):
        return self.ahead[0]

"""
AGAIN = """
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["pool"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.pool = {0}
"""
MAKES = ["ThreadPoolExecutor(2)", "threading.local()"]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize(
    "use", ["data = Ahead(len)\ndata[0]\n", "data = Ahead(len)\nfor d in data:\n    print(d)\n"]
)
def test_a_pool_that_the_parent_has_used_does_not_go_to_forked_workers(make, use):
    use += "loader = DataLoader(data)\nprint(list(loader))\n"
    after = POOL.format(make, AGAIN.format(make))
    assert "in the parent" in worse(POOL.format(make, "") + use, after + use)[0]


KEPT = [
    ("ahead=None", "ahead or Ahead(len)", "Clips()"),
    ("ahead=None", "ahead if ahead is not None else Ahead(len)", "Clips()"),
    ("ahead", "ahead", "Clips(ahead=Ahead(len))"),
    ("ahead=None", "ahead or print", "Clips(Ahead(len))"),
]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize(("given", "kept", "made"), KEPT)
@pytest.mark.parametrize("used", [True, False])
def test_the_constructor_of_what_keeps_a_pool_uses_it(make, given, kept, made, used):
    use = f"""
class Clips(Dataset):
    def __init__(self, {given}):
        self.ahead = {kept}
        self.first = {"self.ahead[0]" if used else "self.ahead"}

loader = DataLoader({made})
print(list(loader))
"""
    reasons = worse(POOL.format(make, "") + use, POOL.format(make, AGAIN.format(make)) + use)
    assert any("in the parent" in each for each in reasons) == used


@pytest.mark.parametrize("make", MAKES)
def test_a_pool_that_the_parent_never_uses_may_be_left_out(make):
    use = "data = Ahead(len)\nloader = DataLoader(data)\nprint(list(loader))\n"
    assert worse(POOL.format(make, "") + use, POOL.format(make, AGAIN.format(make)) + use) == []


@pytest.mark.parametrize(
    ("program", "refused"),
    [
        ("def use(rows: Rows):\n    file = rows.file\n    return file\n", True),
        ("class Log:\n    def use(self):\n        file = self.file\n        return file\n", False),
        ("def use(rows: Rows, stack):\n    stack.callback(rows.file.close)\n", True),
        ("def use(rows: Rows):\n    txn = rows.file.begin()\n    return txn\n", True),
        ("def use(rows: Rows):\n    file = rows.handle()\n    return file\n", True),
        ("def use(rows: Rows):\n    size = rows.file.stat()\n    return size\n", False),
    ],
    ids=[
        "an object of the class",
        "another class with the same attribute",
        "a method of the handle",
        "what is derived from the handle",
        "the result of a method",
        "a plain value",
    ],
)
def test_a_handle_that_a_process_has_once_is_held_by_other_code(program, refused):
    reasons = opened(
        init="self.path = path\nself.file = lmdb.open(path)",
        opener="return lmdb.open(self.path)",
        body="def handle(self):\n    return self.file\n",
        program="import lmdb\n" + program + "rows = Rows('a')\nlog = DataLoader(rows)\n",
    )
    assert refused == any("other code holds `file`" in reason for reason in reasons)


ENVIRONMENT = """
import lmdb

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        {made}
        self.size = self.txn.stat()["entries"]
{opener}
    def __getitem__(self, index):
        return self.cursor.get(index)

loader = DataLoader(Rows("a"), num_workers=2)
"""
MADE = "self.env = lmdb.open(path); self.txn = self.env.begin(); self.cursor = self.txn.cursor()"
ENVIRONMENTS = """
    @property
    def env(self):
        pid = os.getpid()
        if pid not in self._env_by_pid:
            {emptied}
            self._env_by_pid.clear()
            self._env_by_pid[pid] = lmdb.open(self.path)
        return self._env_by_pid[pid]

    @property
    def txn(self):
        pid = os.getpid()
        if pid not in self._txn_by_pid:
            self._txn_by_pid[pid] = self.env.begin()
        return self._txn_by_pid[pid]

    @property
    def cursor(self):
        pid = os.getpid()
        if pid not in self._cursor_by_pid:
            self._cursor_by_pid[pid] = self.txn.cursor()
        return self._cursor_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"], state["_txn_by_pid"], state["_cursor_by_pid"] = {{}}, {{}}, {{}}
        return state
"""
KEPT = "self._env_by_pid = {}; self._txn_by_pid = {}; self._cursor_by_pid = {}"


@pytest.mark.parametrize(
    ("emptied", "keeps"),
    [
        ("self._cursor_by_pid.clear(); self._txn_by_pid.clear()", ""),
        ("self._txn_by_pid.clear()", "cursor"),
        ("self._cursor_by_pid.clear()", "txn"),
    ],
)
def test_what_is_made_from_an_environment_keeps_that_of_the_parent_open(emptied, keeps):
    opener = ENVIRONMENTS.format(emptied=emptied)
    reasons = worse(
        ENVIRONMENT.format(made=MADE, opener=""), ENVIRONMENT.format(made=KEPT, opener=opener)
    )
    assert [each.partition(" keeps ")[0] for each in reasons] == ([f"`{keeps}`"] if keeps else [])


@pytest.mark.parametrize("opener", ["opened", "listed"])
@pytest.mark.parametrize(
    ("library", "emptied", "refused"),
    [
        ("lmdb", "pass", True),
        ("lmdb", "self._files_by_pid.clear()", False),
        ("h5py", "pass", False),
    ],
)
def test_a_forked_worker_lets_go_of_what_its_process_may_open_once(
    opener, library, emptied, refused
):
    call = {"lmdb": "lmdb.open(path).begin()", "h5py": "h5py.File(path)"}[library]
    value = {"opened": f"[{call} for path in self.paths]", "listed": "self.opened()"}[opener]
    old = f"""
    import {library}

    class Rows(Dataset):
        def __init__(self, paths):
            self.paths = paths
            self.files = [{call} for path in paths]

        def __getitem__(self, index):
            return self.files[index]

    loader = DataLoader(Rows("ab"), num_workers=2)
    """
    new = f"""
    import {library}

    class Rows(Dataset):
        def __init__(self, paths):
            self.paths = paths
            self._files_by_pid = {{}}

        def opened(self):
            files = []
            for path in self.paths:
                files.append({call})
            return files

        @property
        def files(self):
            if os.getpid() not in self._files_by_pid:
                {emptied}
                self._files_by_pid[os.getpid()] = {value}
            return self._files_by_pid[os.getpid()]

        def __getstate__(self):
            state = self.__dict__.copy()
            state["_files_by_pid"] = {{}}
            return state

        def __getitem__(self, index):
            return self.files[index]

    loader = DataLoader(Rows("ab"), num_workers=2)
    """
    reasons = worse(textwrap.dedent(old), textwrap.dedent(new))
    assert refused == any("a forked worker still holds" in each for each in reasons)


def test_the_first_parameter_of_a_static_method_is_no_object():
    """`collate_fn(batch)` goes through its batch, not through the dataset."""
    body = "    @staticmethod\n    def collate(batch):\n        return [row for row in batch]\n"
    program = "rows = Rows('a.h5')\nloader = DataLoader(rows, collate_fn=rows.collate)\n"
    assert not [each for each in opened(body=body, program=program) if "collate" in each]


TASKS = {
    "itself": ("pool.submit(read, rows)", True),
    "a method of it": ("pool.map(rows.__getitem__, range(3))", True),
    "a partial over it": ("task = functools.partial(read, rows)\npool.map(task, range(3))", True),
    "another object": ("pool.map(read, range(3))", False),
    "the builtin": ("list(map(rows.__getitem__, range(3)))", False),
}
POOLED = BY_PROCESS.replace(
    "            self._file_by_pid[pid]", "            self._file_by_pid.clear()\n            self._file_by_pid[pid]", 1
)  # fmt: skip


@pytest.mark.parametrize(("sent", "refused"), TASKS.values(), ids=TASKS)
def test_a_copy_in_a_forked_worker_of_a_pool_opens_no_environment_of_its_own(sent, refused):
    program = (
        f"def read(rows, index=0):\n    return rows[index]\n\nrows = Rows('a')\nrows.file\n{sent}\n"
    )
    reasons = opened(
        init="self.path = path\nself.file = lmdb.open(path)",
        later="self.path = path\nself._file_by_pid = {}",
        opener="lmdb.open(self.path)",
        getter=POOLED,
        program=program,
    )
    assert refused == any("a forked worker of a pool" in each for each in reasons)
